/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a spatial rod, free in space: strains, forces, inertia. */
#include "check.h"
#include "model/parts_mechanisms.h"
#include "model/rod_statics.h"

#include "model/parts/rod.h"

typedef struct element {
    zn_context *context;
    zn_model *kind, *model;
    int order, n;
    rod_material material;
    rod_reference start; /* the stress-free shape */
} element;

static const rod_material steel = {.gamma = {30, 11, 9}, .kappa = {2, 3, 5}, .rhoA = 1.3, .rhoI = {0.5, 0.2, 0.3}};

static quat random_rotation(uint64_t *seed) {
    double p[4];
    random_numbers(seed, 4, p);
    return quat_normalised(quat_from(p));
}

static vec3 random_vector(uint64_t *seed, double size) {
    double v[3];
    random_numbers(seed, 3, v);
    return vec3_scale(size, vec3_from(v));
}

/* Nodes of a curved and twisted piece near the x axis of a random frame. */
static void random_shape(uint64_t *seed, int order, vec3 *r, quat *p) {
    quat turn = random_rotation(seed);
    mat3 A = quat_matrix(turn);
    vec3 origin = random_vector(seed, 1);
    for (int i = 0; i <= order; i++) {
        vec3 local = vec3_add((vec3){1.7 * i / order, 0, 0}, random_vector(seed, 0.1));
        r[i] = vec3_add(origin, mat3_apply(&A, local));
        p[i] = quat_product(turn, quat_rotation(vec3_normalised(random_vector(seed, 1)), 0.3));
    }
}

/* J = |dr/dxi| of the interpolated nodes at Gauss points. */
static void stretches(int order, const vec3 *r, int n, double *J) {
    double xi[3], weight[3], N[3], N_xi[3];
    flexible_gauss(n, xi, weight);
    for (int k = 0; k < n; k++) {
        vec3 r_xi = {0, 0, 0};
        flexible_lagrange(order, xi[k], N, N_xi);
        for (int i = 0; i <= order; i++) r_xi = vec3_add_scaled(r_xi, N_xi[i], r[i]);
        J[k] = vec3_norm(r_xi);
    }
}

static element begin(uint64_t *seed, int order, double damping, bool lumped, vec3 gravity) {
    element e = {.context = zn_context_create(NULL), .order = order, .n = order + 1, .material = steel};
    body_kind kinds[ROD_MOST_NODES] = {BODY_SPATIAL, BODY_SPATIAL, BODY_SPATIAL};
    int variant = rod_variant(order, damping > 0, 0), count = rod_parameter_count(variant);
    double parameters[ROD_MOST_PARAMETERS];
    assert_true(count <= ROD_MOST_PARAMETERS);
    e.material.damping = damping, e.material.lumped = lumped;
    random_shape(seed, order, e.start.r, e.start.p);
    stretches(order, e.start.r, order, e.start.J);
    stretches(order, e.start.r, ROD_MASS_POINTS, e.start.J_mass);
    rod_put_parameters(variant, &e.material, &e.start, parameters);
    vec3_store(gravity, parameters + ROD_GRAVITY);
    sketch k;
    assert_int_equal(sketch_begin(e.context, &k, e.n, kinds, (zn_sizes){0}, count), ZN_OK);
    assert_int_equal(rod_express_element(NULL, &k, &(parts_piece){.variant = variant}), ZN_OK);
    assert_int_equal(k.n_parameters, count);
    assert_int_equal(sketch_compile(&k, &e.kind), ZN_OK);
    assert_int_equal(formula_model_instance(e.context, e.kind, parameters, NULL, 0, NULL, NULL, &e.model), ZN_OK);
    return e;
}

static void end(element *e) {
    zn_model_destroy(e->context, e->model);
    zn_model_destroy(e->context, e->kind);
    zn_context_destroy(e->context);
}

static void put(int n, const vec3 *r, const quat *p, double *q) {
    for (int i = 0; i < n; i++) {
        vec3_store(r[i], q + 7 * i);
        for (int c = 0; c < 4; c++) q[7 * i + 3 + c] = p[i].p[c];
    }
}

/* r = M a - h for given a (NULL: zero) */
static void balance(const element *e, const double *q, const double *u, const double *a, double *r) {
    const double zero[6 * ROD_MOST_NODES] = {0};
    void *work = calloc(1, e->model->work_bytes);
    zn_point at = {0, q, u ? u : zero, a ? a : zero, zero};
    assert_int_equal(e->model->balance(e->model, work, &at, &(zn_balance){.r = r}), 0);
    free(work);
}

static double potential(const element *e, const double *q, const double *u) {
    double T, V;
    void *work = calloc(1, e->model->work_bytes);
    e->model->energy(e->model, work, &(zn_point){0, q, u, NULL, NULL}, &T, &V);
    free(work);
    return V;
}

/* ---- derivatives ---- */

static void derivatives_are_exact(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int order = 1; order <= 2; order++)
        for (int damped = 0; damped < 2; damped++) {
            element e = begin(&seed, order, damped ? 0.1 : 0, false, (vec3){1, -2, 3});
            double q[21], u[18], a[18], lambda[1] = {0};
            for (int visit = 0; visit < 4; visit++) {
                vec3 r[3];
                quat p[3];
                zn_derivative_check check;
                random_shape(&seed, order, r, p);
                put(e.n, r, p, q);
                for (int i = 0; i < 7 * e.n; i++) q[i] += 0.1 * random_number(&seed); /* quaternions of any length */
                random_numbers(&seed, 6 * e.n, u);
                random_numbers(&seed, 6 * e.n, a);
                assert_int_equal(zn_model_check_derivatives(e.context, e.model, &(zn_point){0, q, u, a, lambda}, &check), ZN_OK);
                if (check.worst > 2e-8) fail_msg("order %d: %s differs by %g", order, check.what, check.worst);
            }
            end(&e);
        }
}

/* ---- objectivity ---- */

/* The stress-free shape makes no force wherever it is, and forces of any shape turn with it. Lengths of about 1, stiffness of
 * about 30: round-off is about 1e-14. */
static void rigid_motions_make_no_strain(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int order = 1; order <= 2; order++) {
        element e = begin(&seed, order, 0, false, (vec3){0, 0, 0});
        for (int visit = 0; visit < 50; visit++) {
            quat P = random_rotation(&seed), p[3], moved_p[3];
            mat3 A = quat_matrix(P);
            vec3 shift = random_vector(&seed, 3), r[3], moved_r[3];
            double q[21], moved_q[21], residual[18], moved[18], zero[18] = {0};
            for (int i = 0; i < e.n; i++)
                moved_r[i] = vec3_add(shift, mat3_apply(&A, e.start.r[i])), moved_p[i] = quat_product(P, e.start.p[i]);
            put(e.n, moved_r, moved_p, q);
            balance(&e, q, NULL, NULL, residual);
            for (int i = 0; i < 6 * e.n; i++) check_close(residual[i], 0, 3e-13);
            check_close(potential(&e, q, zero), 0, 1e-26);

            random_shape(&seed, order, r, p);
            for (int i = 0; i < e.n; i++) moved_r[i] = vec3_add(shift, mat3_apply(&A, r[i])), moved_p[i] = quat_product(P, p[i]);
            put(e.n, r, p, q);
            put(e.n, moved_r, moved_p, moved_q);
            balance(&e, q, NULL, NULL, residual);
            balance(&e, moved_q, NULL, NULL, moved);
            check_near(potential(&e, moved_q, zero), potential(&e, q, zero), 1e-12);
            for (int i = 0; i < e.n; i++) {
                vec3 force = mat3_apply(&A, vec3_from(residual + 6 * i)), difference = vec3_sub(force, vec3_from(moved + 6 * i));
                check_close(vec3_norm(difference), 0, 1e-11);
                check_close(vec3_norm(vec3_sub(vec3_from(residual + 6 * i + 3), vec3_from(moved + 6 * i + 3))), 0, 1e-11);
            }
        }
        end(&e);
    }
}

/* A damped element in rigid motion feels no damping: r is the same with and without velocities, but for the inertia. */
static void damping_ignores_rigid_motion(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int order = 1; order <= 2; order++) {
        uint64_t same = seed;
        element damped = begin(&seed, order, 0.3, false, (vec3){0, 0, 0}), plain = begin(&same, order, 0, false, (vec3){0, 0, 0});
        for (int visit = 0; visit < 20; visit++) {
            vec3 r[3], omega = random_vector(&seed, 2), v = random_vector(&seed, 2);
            quat p[3];
            double q[21], u[18], a[18], b[18];
            random_shape(&seed, order, r, p);
            put(damped.n, r, p, q);
            for (int i = 0; i < damped.n; i++) {
                mat3 A = quat_matrix(p[i]);
                vec3_store(vec3_add(v, vec3_cross(omega, r[i])), u + 6 * i);
                vec3_store(mat3_apply_transposed(&A, omega), u + 6 * i + 3);
            }
            balance(&damped, q, u, NULL, a);
            balance(&plain, q, u, NULL, b);
            for (int i = 0; i < 6 * damped.n; i++) check_close(a[i], b[i], 1e-12);
            double power = 0; /* else it takes energy */
            random_numbers(&seed, 6 * damped.n, u);
            balance(&damped, q, u, NULL, a);
            balance(&plain, q, u, NULL, b);
            for (int i = 0; i < 6 * damped.n; i++) power -= u[i] * (a[i] - b[i]);
            assert_true(power < 0);
        }
        end(&damped);
        end(&plain);
    }
}

/* ---- conservation ---- */

/* With M a = h: rates of momentum, angular momentum and energy are zero in any state. */
static void free_elements_keep_momentum_and_energy(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (int order = 1; order <= 2; order++)
        for (int visit = 0; visit < 20; visit++) {
            element e = begin(&seed, order, 0, visit & 1, (vec3){0, 0, 0});
            int n = e.n, nu = 6 * n;
            double q[21], u[18], a[18] = {0}, M[18 * 18] = {0}, force[18], p[18], rate[18];
            vec3 r[3];
            quat turn[3];
            random_shape(&seed, order, r, turn);
            put(n, r, turn, q);
            random_numbers(&seed, nu, u);
            balance(&e, q, u, NULL, force);
            for (int j = 0; j < nu; j++) { /* columns of M */
                double with[18];
                for (int i = 0; i < nu; i++) a[i] = i == j;
                balance(&e, q, u, a, with);
                for (int i = 0; i < nu; i++) M[i + j * nu] = with[i] - force[i];
            }
            double lu[18 * 18];
            memcpy(lu, M, sizeof lu);
            for (int i = 0; i < nu; i++) a[i] = -force[i];
            assert_true(statics_solve(nu, lu, a));
            for (int i = 0; i < nu; i++) {
                p[i] = rate[i] = 0;
                for (int j = 0; j < nu; j++) p[i] += M[i + j * nu] * u[j], rate[i] += M[i + j * nu] * a[j];
            }
            vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
            double kinetic = 0;
            for (int i = 0; i < n; i++) {
                mat3 A = quat_matrix(turn[i]);
                vec3 v = vec3_from(u + 6 * i), Omega = vec3_from(u + 6 * i + 3), spin = vec3_from(p + 6 * i + 3);
                vec3 spin_rate = vec3_add(vec3_from(rate + 6 * i + 3), vec3_cross(Omega, spin));
                linear = vec3_add(linear, vec3_from(rate + 6 * i));
                angular = vec3_add(angular, vec3_cross(v, vec3_from(p + 6 * i)));
                angular = vec3_add(angular, vec3_cross(r[i], vec3_from(rate + 6 * i)));
                angular = vec3_add(angular, mat3_apply(&A, spin_rate));
            }
            check_close(vec3_norm(linear), 0, 1e-10);
            check_close(vec3_norm(angular), 0, 1e-10);
            for (int i = 0; i < nu; i++) kinetic += u[i] * rate[i];
            double step = 1e-4, there[21], qdot[21], V[2];
            void *work = calloc(1, e.model->work_bytes);
            e.model->kinematics(e.model, work, &(zn_point){0, q, u, NULL, NULL}, &(zn_kinematics){.qdot = qdot});
            free(work);
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < 7 * n; i++) there[i] = q[i] + (side ? step : -step) * qdot[i];
                V[side] = potential(&e, there, u);
            }
            check_close(kinetic + (V[1] - V[0]) / (2 * step), 0, 1e-5); /* differences: step^2 */
            end(&e);
        }
}

/* Mass and gravity: a rigid push feels the whole mass; the weight is the whole weight. */
static void mass_and_weight_are_whole(void **state) {
    (void)state;
    uint64_t seed = 29;
    for (int order = 1; order <= 2; order++)
        for (int lumped = 0; lumped < 2; lumped++) {
            element e = begin(&seed, order, 0, lumped, (vec3){0.5, -2, 9});
            double q[21], a[18], r[18], length = 0, total[3] = {0};
            put(e.n, e.start.r, e.start.p, q);
            for (int i = 0; i < 6 * e.n; i++) a[i] = i % 6 == 1;
            balance(&e, q, NULL, a, r);
            for (int i = 0; i < e.n; i++)
                for (int c = 0; c < 3; c++) total[c] += r[6 * i + c];
            for (int k = 0; k < 2000; k++) { /* the midpoint rule for the length of the shape */
                double N[3], N_xi[3];
                vec3 r_xi = {0, 0, 0};
                flexible_lagrange(order, (k + 0.5) / 1000 - 1, N, N_xi);
                for (int i = 0; i < e.n; i++) r_xi = vec3_add_scaled(r_xi, N_xi[i], e.start.r[i]);
                length += vec3_norm(r_xi) / 1000;
            }
            double mass = steel.rhoA * length; /* three Gauss points for the length of a parabola: 1e-5 */
            check_near(total[0], -0.5 * mass, 1e-5);
            check_near(total[1], mass + 2 * mass, 1e-5);
            check_near(total[2], -9 * mass, 1e-5);
            end(&e);
        }
}

/* ---- patches: constant strains ---- */

/* Nodes of a rod with constant strains: r_s = A gamma, A_s = A kappa~ from s = 0. */
static void constant_strains(vec3 gamma, vec3 kappa, double s, vec3 *r, quat *p) {
    double k = vec3_norm(kappa), angle = k * s;
    vec3 axis = vec3_normalised(kappa);
    *p = quat_rotation(axis, angle);
    /* r = s gamma + (1 - cos)/k axis x gamma + (s - sin/k) axis x (axis x gamma) */
    vec3 once = vec3_cross(axis, gamma), twice = vec3_cross(axis, once);
    *r = vec3_scale(s, gamma);
    if (k > 0) *r = vec3_add_scaled(vec3_add_scaled(*r, (1 - cos(angle)) / k, once), s - sin(angle) / k, twice);
}

/* Stretch and shear are exact; twist and bending of a chord element are 4/L tan(kappa L/4), of order 2 beyond. */
static void constant_strains_are_found(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (int mode = 0; mode < 6; mode++) {
            double g[3] = {1, 0, 0}, k[3] = {0, 0, 0}, gamma[3], kappa[3], L = 0.5, value = 0.4;
            if (mode < 3) g[mode] += value;
            else k[mode - 3] = value;
            for (double xi = -1; xi <= 1; xi += 0.25) {
                vec3 r[3];
                quat p[3];
                for (int i = 0; i <= order; i++) constant_strains(vec3_from(g), vec3_from(k), L * i / order, &r[i], &p[i]);
                rod_strains(order, order == 1 ? 0 : xi / sqrt(3), r, p, gamma, kappa);
                for (int c = 0; c < 3; c++) {
                    double tolerance = mode < 4 ? 1e-14 : value * value * L * L / 12;
                    check_close(gamma[c] / (L / 2), g[c], tolerance);
                    check_close(kappa[c] / (L / 2), k[c], mode < 3 ? 1e-14 : pow(value * L, order == 1 ? 3 : 4) / L);
                }
                if (order == 1 && mode >= 3) check_near(kappa[mode - 3] / (L / 2), 4 / L * tan(value * L / 4), 1e-14);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),        cmocka_unit_test(rigid_motions_make_no_strain),
        cmocka_unit_test(damping_ignores_rigid_motion), cmocka_unit_test(free_elements_keep_momentum_and_energy),
        cmocka_unit_test(mass_and_weight_are_whole),    cmocka_unit_test(constant_strains_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
