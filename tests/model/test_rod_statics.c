/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria and frequencies of spatial rods against exact solutions and the literature. */
#include "model/rod_fixture.h"

#include "linalg/quaternions.h"

static const double pi = 3.14159265358979323846;

static vec3 random_unit(uint64_t *seed) {
    double v[3];
    random_numbers(seed, 3, v);
    return vec3_normalised(vec3_from(v));
}

/* ---- patch tests ---- */

/* Every Gauss point says the force and the strain of a mode (in the order of the outputs), and nothing of the others. */
static void check_outputs(const statics *s, int mode, double force, double strain, double tolerance) {
    static const char *const names[12] = {"rod.N_1",       "rod.Qy_1",    "rod.Qz_1",          "rod.T_1",
                                          "rod.My_1",      "rod.Mz_1",    "rod.strain_1",      "rod.shear_y_1",
                                          "rod.shear_z_1", "rod.twist_1", "rod.curvature_y_1", "rod.curvature_z_1"};
    const zn_model *m = s->model;
    double *values = statics_numbers(m->n_outputs);
    zn_point at = {0, s->q, s->zero, s->zero, s->zero};
    assert_int_equal(m->outputs(m, s->work, &at, values), 0);
    for (int i = 0; i < 12; i++) assert_string_equal(m->output_names[i], names[i]);
    for (int i = 0; i < m->n_outputs; i++) check_close(values[i], i % 12 == mode ? force : i % 12 == mode + 6 ? strain : 0, tolerance);
    free(values);
}

/* Elements of different length (a straight curve with uneven speed) under a load of constant strain. Stretch and shear are exact.
 * Twist and bending of linear elements by the angle theta are kappa = 4/L tan(theta/4), and the moment dV/dtheta is
 * C kappa L dkappa/dtheta = C kappa (1 + (kappa L/4)^2): exact in the limit of small angles or elements. */
static void patches_are_exact(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (int mode = 0; mode < 5; mode++) { /* stretch, two shears, twist, bending */
            zn_flexible_def def = rod_def(4, order);
            def.to[0] = 0, def.curve[0] = ZN_FORMULA("s*(1 + 0.4*s)"); /* length 1.4 */
            def.record = ZN_RECORD_ALL;
            rod_model r = rod_begin(&def);
            statics s = rod_clamped(&r);
            double *load = statics_numbers(s.n);
            const double stiffness[5] = {def.EA, def.GA[0], def.GA[1], def.GJ, def.EI[0]}, strain = mode < 3 ? 0.1 : 0.6;
            int tip = 6 * (r.nodes - 1);
            load[tip + (mode == 4 ? 5 : mode)] = strain * stiffness[mode];
            for (int i = 0; i < r.nodes && mode < 3; i++) /* shear alone: nothing turns */
                for (int c = 3; c < 6; c++) s.held[6 * i + c] = true;
            statics_load(&s, load, 4, 1e-12);
            double L = 1.4;
            vec3 end = rod_position(s.q, r.nodes - 1);
            const double at[3] = {end.x, end.y, end.z};
            if (mode < 3) {
                for (int c = 0; c < 3; c++) check_close(at[c], (c == 0 ? L : 0) + (c == mode ? strain * L : 0), 1e-12);
                for (int i = 0; i < r.nodes; i++) { /* and uniform in between */
                    double S = r.model->q_start[7 * i];
                    check_close(s.q[7 * i + mode], (mode == 0 ? S : 0) + strain * S, 1e-12);
                }
            }
            for (int i = 1; i < r.nodes && mode >= 3; i++) {
                double length = r.model->q_start[7 * i] - r.model->q_start[7 * (i - 1)];
                quat turn = quat_product(quat_conjugate(rod_rotation(s.q, i - 1)), rod_rotation(s.q, i));
                double angle = 2 * atan2(turn.p[mode == 3 ? 1 : 3], turn.p[0]), kappa = 4 / length * tan(angle / 4);
                if (order == 1) check_close(kappa * (1 + pow(kappa * length / 4, 2)), strain, 1e-12);
                check_close(angle, strain * length, order == 1 ? pow(strain * length, 3) / 10 : 2e-5);
            }
            if (mode == 3) check_close(vec3_norm(vec3_sub(end, (vec3){L, 0, 0})), 0, 1e-12); /* twist moves nothing */
            /* moments of linear elements: up to (kappa L/4)^2 */
            check_outputs(&s, mode == 4 ? 5 : mode, strain * stiffness[mode], strain, mode < 3 ? 1e-11 : order == 1 ? 6e-3 : 1e-3);
            free(load);
            statics_end(&s);
            rod_end(&r);
        }
}

/* ---- circle ---- */

/* The distance of the tip from where a circle ends: a moment of `turns` 2 pi EI/L about an axis of the section. Anywhere in space. */
static double circle_error(uint64_t *seed, int elements, int order, double turns, bool about_y) {
    zn_flexible_def def = rod_def(elements, order);
    vec3 from = random_unit(seed), along = random_unit(seed), aside = random_unit(seed);
    double length = 2;
    vec3_store(from, def.from);
    vec3_store(vec3_add_scaled(from, length, along), def.to);
    vec3_store(aside, def.direction);
    rod_model r = rod_begin(&def);
    statics s = rod_clamped(&r);
    double *load = statics_numbers(s.n), kappa = turns * 2 * pi / length, error;
    load[6 * (r.nodes - 1) + (about_y ? 4 : 5)] = kappa * (about_y ? def.EI[1] : def.EI[0]);
    statics_load(&s, load, 12, 1e-10);
    mat3 A = quat_matrix(rod_rotation(r.model->q_start, 0)); /* bending about z goes to y, about y to -z */
    vec3 side = vec3_scale(about_y ? -1 : 1, mat3_column(&A, about_y ? 2 : 1));
    vec3 tip = vec3_add_scaled(vec3_add_scaled(from, sin(kappa * length) / kappa, along), (1 - cos(kappa * length)) / kappa, side);
    error = vec3_norm(vec3_sub(rod_position(s.q, r.nodes - 1), tip));
    free(load);
    statics_end(&s);
    rod_end(&r);
    return error;
}

/* Order 1: error of order 2; order 2: 4 at the nodes. Three quarters of a circle. */
static void cantilevers_bend_into_circles(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int order = 1; order <= 2; order++)
        for (int about_y = 0; about_y < 2; about_y++) {
            double coarse = circle_error(&seed, 8, order, 0.75, about_y), fine = circle_error(&seed, 16, order, 0.75, about_y),
                   finest = circle_error(&seed, 32, order, 0.75, about_y);
            double expected = order == 1 ? 4 : 16;
            check_near(coarse / fine, expected, 0.15);
            check_near(fine / finest, expected, 0.05);
            check_below(finest, order == 1 ? 5e-3 : 2e-5);
        }
    check_below(circle_error(&seed, 32, 2, 1, false), 1e-4); /* the whole circle */
}

/* ---- the planar beam ---- */

static vec3 tip_under_load(zn_flexible_def def, bool beam) {
    def.type = beam ? ZN_FLEXIBLE_BEAM : ZN_FLEXIBLE_ROD;
    rod_model r = rod_begin(&def);
    statics s = statics_begin(r.model);
    int nu = beam ? 3 : 6, nq = beam ? 3 : 7, tip = nu * (r.nodes - 1);
    for (int i = 0; i < nu; i++) s.held[i] = true;
    double *load = statics_numbers(s.n);
    load[tip] = -3, load[tip + 1] = 4, load[tip + (beam ? 2 : 5)] = -1.2; /* a force and a moment */
    statics_load(&s, load, 4, 1e-11);
    const double *q = s.q + nq * (r.nodes - 1);
    quat p = beam ? quat_identity() : quat_from(q + 3);
    vec3 pose = {q[0], q[1], beam ? q[2] : 2 * atan2(p.p[3], p.p[0])};
    if (!beam) check_close(q[2], 0, 1e-13);
    free(load);
    statics_end(&s);
    rod_end(&r);
    return pose;
}

/* Rod and beam in the plane interpolate rotations differently (quaternions, angles), and agree in the limit: with order 2 for
 * linear elements. Also curved ones. */
static void rods_in_the_plane_are_beams(void **state) {
    (void)state;
    for (int curved = 0; curved < 2; curved++)
        for (int order = 1; order <= 2; order++) {
            double distance[2];
            for (int k = 0; k < 2; k++) {
                zn_flexible_def def = rod_def(k ? 16 : 8, order);
                if (curved) def.curvature = 1.1;
                distance[k] = vec3_norm(vec3_sub(tip_under_load(def, true), tip_under_load(def, false)));
            }
            check_below(distance[1], order == 1 ? 1e-2 : 1e-5);
            check_below(distance[1], distance[0] / (order == 1 ? 3.5 : 10));
        }
}

/* ---- the bend of 45 degrees ---- */

/* The equations of the rod themselves: r' = A gamma, A' = A kappa~, m' = -r' x F from the clamp on, by Runge-Kutta's method; the
 * moment at the clamp is such that none is left at the tip. */
typedef struct bend {
    vec3 r, m;
    quat p;
} bend;

static const double bend_EA = 1e7, bend_GA = 5e6, bend_EI = 1e7 / 12;

static bend bend_rate(const bend *y, double force) {
    mat3 A = quat_matrix(y->p);
    vec3 F = {0, 0, force}, n = mat3_apply_transposed(&A, F), m = vec3_scale(1 / bend_EI, mat3_apply_transposed(&A, y->m));
    vec3 r_s = mat3_apply(&A, (vec3){1 + n.x / bend_EA, n.y / bend_GA, n.z / bend_GA});
    return (bend){r_s, vec3_cross(F, r_s), quat_rate(y->p, vec3_add(m, (vec3){0, 0, -0.01}))};
}

static bend bend_move(const bend *y, double h, const bend *rate) {
    bend z = {vec3_add_scaled(y->r, h, rate->r), vec3_add_scaled(y->m, h, rate->m), y->p};
    for (int i = 0; i < 4; i++) z.p.p[i] += h * rate->p.p[i];
    return z;
}

static bend bend_shoot(vec3 m, double force) {
    enum { STEPS = 400 };
    double h = 100 * pi / 4 / STEPS;
    bend y = {{0, 0, 0}, m, quat_rotation((vec3){0, 0, 1}, pi / 2)};
    for (int k = 0; k < STEPS; k++) {
        bend k1 = bend_rate(&y, force), y2 = bend_move(&y, h / 2, &k1), k2 = bend_rate(&y2, force);
        bend y3 = bend_move(&y, h / 2, &k2), k3 = bend_rate(&y3, force), y4 = bend_move(&y, h, &k3), k4 = bend_rate(&y4, force);
        y = bend_move(&y, h / 6, &k1), y = bend_move(&y, h / 3, &k2), y = bend_move(&y, h / 3, &k3), y = bend_move(&y, h / 6, &k4);
    }
    return y;
}

static vec3 bend_exactly(void) {
    double m[3] = {0, 0, 0};
    bend y = {0};
    for (int k = 0; k < 66; k++) { /* twenty loads, three iterations at each, more at the last */
        double force = fmin(600, 30 * (1 + k / 3)), J[9], step[3];
        y = bend_shoot(vec3_from(m), force);
        vec3_store(y.m, step);
        for (int j = 0; j < 3; j++) {
            double moved[3] = {m[0], m[1], m[2]};
            moved[j] += 1;
            vec3_store(vec3_sub(bend_shoot(vec3_from(moved), force).m, y.m), J + 3 * j);
        }
        assert_true(statics_solve(3, J, step));
        for (int j = 0; j < 3; j++) m[j] -= step[j];
    }
    check_close(vec3_norm(y.m), 0, 1e-4); /* of 40000 */
    return y.r;
}

/* K. J. Bathe, S. Bolourchi, Int. J. Numer. Meth. Eng. 14 (1979) 961: an arc of 45 degrees and radius 100 in the plane, clamped, with
 * a unit square section, E = 1e7 and G = E/2, under a force of 600 across the plane: displacement of the tip (-13.4, -23.5, 53.4), that
 * is (15.9, 47.2, 53.4). J. C. Simo, L. Vu-Quoc, Comput. Meth. Appl. Mech. Eng. 58 (1986) 79, with 8 linear elements: (15.79, 47.23,
 * 53.37). GJ is that of the polar moment, as there. The exact solution of the rod is found beside. */
static void bends_go_where_others_found_them(void **state) {
    (void)state;
    vec3 tips[4], exact = bend_exactly();
    for (int k = 0; k < 4; k++) {
        zn_flexible_def def = rod_def(k % 2 ? 16 : 8, k < 2 ? 1 : 2);
        def.to[0] = 0;
        def.curve[0] = ZN_FORMULA("100*(1 - cos(s*pi/4))"), def.curve[1] = ZN_FORMULA("100*sin(s*pi/4)");
        def.EA = bend_EA, def.GA[0] = def.GA[1] = bend_GA, def.EI[0] = def.EI[1] = def.GJ = bend_EI;
        rod_model r = rod_begin(&def);
        statics s = rod_clamped(&r);
        double *load = statics_numbers(s.n);
        load[6 * (r.nodes - 1) + 2] = 600;
        statics_load(&s, load, 6, 1e-9);
        tips[k] = rod_position(s.q, r.nodes - 1);
        free(load);
        statics_end(&s);
        rod_end(&r);
    }
    double error[4];
    for (int k = 0; k < 4; k++) error[k] = vec3_norm(vec3_sub(tips[k], exact));
    check_close(tips[0].x, 15.79, 0.15), check_close(tips[0].y, 47.23, 0.15), check_close(tips[0].z, 53.37, 0.15);
    check_close(exact.x, 15.9, 0.25), check_close(exact.y, 47.2, 0.1), check_close(exact.z, 53.4, 0.1);
    check_near(error[0] / error[1], 4, 0.1);
    check_near(error[2] / error[3], 16, 0.2);
    check_below(error[1], 0.1);
    check_below(error[3], 2e-4);
}

/* ---- Kirchhoff's helix ---- */

/* A straight rod under a force F = alpha A kappa and a moment m = C kappa at its end has constant strains kappa = (k1, k2, 0) and
 * gamma = e_x + C^-1 n with n = alpha kappa in K, when kappa x C_kappa kappa + gamma x n = 0:
 *     (EI - GJ) k1 + alpha + alpha^2 k1 (1/EA - 1/GA) = 0
 * A kappa is the axis of the helix, the same at every s. */
static double helix_error(int elements, int order) {
    zn_flexible_def def = rod_def(elements, order);
    enum { STEPS = 30 };
    const double L = 2;
    def.to[0] = L, def.GA[1] = def.GA[0], def.EI[1] = def.EI[0];
    rod_model r = rod_begin(&def);
    statics s = rod_clamped(&r);
    double *tip = s.load + 6 * (r.nodes - 1), alpha = 0;
    vec3 kappa = {0, 0, 0};
    for (int step = 1; step <= STEPS; step++) { /* from helix to helix */
        kappa = (vec3){1.5 * step / STEPS, 2.4 * step / STEPS, 0};
        double c = (def.EI[0] - def.GJ) * kappa.x, a = kappa.x * (1 / def.EA - 1 / def.GA[0]);
        alpha = -2 * c / (1 + sqrt(1 - 4 * a * c));
        vec3_store(vec3_scale(alpha, kappa), tip); /* A = 1 at the clamp */
        tip[3] = def.GJ * kappa.x, tip[4] = def.EI[0] * kappa.y;
        statics_newton(&s, step < STEPS ? 1e-3 : 1e-10);
    }
    vec3 gamma = {1 + alpha * kappa.x / def.EA, alpha * kappa.y / def.GA[0], 0};
    double worst = 0;
    for (int i = 0; i < r.nodes; i++) { /* r' = A gamma, A = exp(s kappa~) */
        double S = L * i / (r.nodes - 1), k = vec3_norm(kappa);
        vec3 axis = vec3_normalised(kappa), once = vec3_cross(axis, gamma), twice = vec3_cross(axis, once);
        vec3 exact = vec3_scale(S, gamma);
        exact = vec3_add_scaled(exact, (1 - cos(k * S)) / k, once);
        exact = vec3_add_scaled(exact, S - sin(k * S) / k, twice);
        worst = fmax(worst, vec3_norm(vec3_sub(exact, rod_position(s.q, i))));
        quat turn = quat_rotation(axis, k * S);
        worst = fmax(worst, 1 - fabs(quat_dot(turn, rod_rotation(s.q, i))));
    }
    statics_end(&s);
    rod_end(&r);
    return worst;
}

static void end_wrenches_make_helices(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        double coarse = helix_error(16, order), fine = helix_error(32, order);
        check_near(coarse / fine, order == 1 ? 4 : 16, 0.15);
        check_below(fine, order == 1 ? 0.03 : 1e-4);
    }
}

/* ---- frequencies ---- */

/* (rhoA w^2 - GA k^2)(rhoI w^2 - EI k^2 - GA) = (GA k)^2, the lower root: a simply supported beam with shear and rotary inertia */
static double supported_beam(double rhoA, double rhoI, double GA, double EI, double k) {
    double a = rhoA * rhoI, b = rhoA * (EI * k * k + GA) + rhoI * GA * k * k, c = GA * k * k * EI * k * k;
    return sqrt(2 * c / (b + sqrt(b * b - 4 * a * c)));
}

/* mode 0: stretch, 1: twist, clamped at the start; 2, 3: bending along y, z with simple supports. */
static double lowest(zn_flexible_def def, int mode, double *theory) {
    const double L = 1, rhoA = def.line_density, k = pi / L;
    rod_model r = rod_begin(&def);
    statics s = statics_begin(r.model);
    int last = 6 * (r.nodes - 1);
    const int wanted[4][2] = {{0, 0}, {3, 3}, {1, 5}, {2, 4}};
    for (int i = 0; i < s.n; i++) s.held[i] = i % 6 != wanted[mode][0] && i % 6 != wanted[mode][1];
    s.held[wanted[mode][0]] = true;
    if (mode > 1) s.held[last + wanted[mode][0]] = true;
    if (mode == 0) *theory = k / 2 * sqrt(def.EA / rhoA);
    if (mode == 1) *theory = k / 2 * sqrt(def.GJ / (def.rotary[0] + def.rotary[1]));
    if (mode == 2) *theory = supported_beam(rhoA, def.rotary[0], def.GA[0], def.EI[0], k);
    if (mode == 3) *theory = supported_beam(rhoA, def.rotary[1], def.GA[1], def.EI[1], k);
    double found = statics_lowest_frequency(&s);
    statics_end(&s);
    rod_end(&r);
    return found;
}

static void frequencies_are_those_of_theory(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (int mode = 0; mode < 4; mode++) {
            double theory, coarse = lowest(rod_def(8, order), mode, &theory), fine = lowest(rod_def(16, order), mode, &theory);
            double error = fabs(coarse / theory - 1), less = fabs(fine / theory - 1);
            check_below(less, order == 1 ? 5e-3 : 1e-4);
            check_near(error / less, order == 1 ? 4 : 16, 0.1);
            zn_flexible_def lumped = rod_def(16, 1); /* from below, and of order 2 as well */
            lumped.lumped = true;
            double below = lowest(lumped, mode, &theory);
            check_near(below, theory, 1e-2);
        }
}

/* ---- springs ---- */

/* A helical spring of n turns under a small force F along its axis: torsion F R cos(a), bending F R sin(a), pull F sin(a) and shear
 * F cos(a) at the pitch angle a along the length L of the wire, so the load moves by
 *     F L (R^2 (cos^2/GJ + sin^2/EI) + sin^2/EA + cos^2/GA). */
static double spring_error(int elements, int order) {
    zn_flexible_def def = rod_def(elements, order);
    const double turns = 3, R = 0.2, H = 0.5, F = 1e-4, L = hypot(2 * pi * turns * R, H), a = atan2(H, 2 * pi * turns * R);
    def.to[0] = 0;
    def.curve[0] = ZN_FORMULA("0.2*cos(6*pi*s)"), def.curve[1] = ZN_FORMULA("0.2*sin(6*pi*s)"), def.curve[2] = ZN_FORMULA("0.5*s");
    def.EI[1] = def.EI[0], def.GA[1] = def.GA[0];
    rod_model r = rod_begin(&def);
    statics s = rod_clamped(&r);
    int last = r.nodes - 1;
    mat3 A = quat_matrix(rod_rotation(s.q, last));
    vec3 to_axis = vec3_scale(-1, rod_position(s.q, last)), force = {0, 0, F};
    to_axis.z = 0;
    double *load = statics_numbers(s.n);
    vec3_store(force, load + 6 * last);
    vec3_store(mat3_apply_transposed(&A, vec3_cross(to_axis, force)), load + 6 * last + 3);
    statics_load(&s, load, 1, 1e-14);
    quat turn = quat_product(rod_rotation(s.q, last), quat_conjugate(rod_rotation(r.model->q_start, last)));
    double lift = s.q[7 * last + 2] - r.model->q_start[7 * last + 2] + vec3_cross(vec3_scale(2, quat_vector(turn)), to_axis).z;
    double c = pow(cos(a), 2), t = pow(sin(a), 2);
    double exact = F * L * (R * R * (c / def.GJ + t / def.EI[0]) + t / def.EA + c / def.GA[0]);
    free(load);
    statics_end(&s);
    rod_end(&r);
    return fabs(lift / exact - 1);
}

static void springs_are_as_soft_as_their_wire(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        double coarse = spring_error(36, order), fine = spring_error(72, order);
        check_below(fine, order == 1 ? 8e-3 : 2e-5);
        check_near(coarse / fine, order == 1 ? 4 : 16, 0.3);
    }
}

/* ---- cross sections ---- */

/* The angle or deflection under a small load says the stiffness. Torsion of rectangles: Timoshenko's table. */
static double stiffness_of(const zn_flexible_def *def, int load_row) {
    rod_model r = rod_begin(def);
    statics s = rod_clamped(&r);
    double *load = statics_numbers(s.n), small = 1e-6;
    load[6 * (r.nodes - 1) + load_row] = small;
    statics_load(&s, load, 1, 1e-14);
    double angle = 2 * s.q[7 * (r.nodes - 1) + 1 + load_row];
    free(load);
    statics_end(&s);
    rod_end(&r);
    return small / angle;
}

static void shapes_have_their_stiffness(void **state) {
    (void)state;
    zn_flexible_def def = zn_default_flexible_def();
    def.name = "rod", def.type = ZN_FLEXIBLE_ROD, def.elements = 3, def.to[0] = 1;
    def.young = 5, def.poisson = 0.25, def.density = 2; /* G = 2 */
    zn_flexible_def round = def, flat = def, square = def, both = def;
    round.radius = 0.8;
    check_near(stiffness_of(&round, 3), 2 * pi / 2 * pow(0.8, 4), 1e-6);
    check_near(stiffness_of(&round, 4), 5 * pi / 4 * pow(0.8, 4), 1e-6);
    flat.height = 1, flat.width = 0.5; /* bending along y, about z, is the stiff one */
    check_near(stiffness_of(&flat, 3), 2 * 0.229 * 0.125, 2e-3);
    check_near(stiffness_of(&flat, 5), 5 * 0.5 / 12, 1e-6);
    check_near(stiffness_of(&flat, 4), 5 * 0.125 / 12, 1e-6);
    square.height = square.width = 1;
    check_near(stiffness_of(&square, 3), 2 * 0.1406, 2e-4);
    both.radius = 1, both.width = 1;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    assert_int_equal(zn_parts_flexible(parts, &both, NULL), ZN_ERROR_ARGUMENT);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* A thin rod is not stiffer than it should be: tip deflection F L^3/(3 EI) with GA, EA a million times EI. */
static void thin_rods_do_not_lock(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        zn_flexible_def def = rod_def(10, order);
        def.EA = def.GA[0] = def.GA[1] = 1e6;
        rod_model r = rod_begin(&def);
        statics s = rod_clamped(&r);
        double *load = statics_numbers(s.n);
        load[6 * (r.nodes - 1) + 1] = 1e-3;
        statics_load(&s, load, 1, 1e-13);
        check_near(s.q[7 * (r.nodes - 1) + 1], 1e-3 / 3, order == 1 ? 3e-3 : 1e-4); /* order 1: 1/(4 n^2) */
        free(load);
        statics_end(&s);
        rod_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_exact),
        cmocka_unit_test(cantilevers_bend_into_circles),
        cmocka_unit_test(rods_in_the_plane_are_beams),
        cmocka_unit_test(bends_go_where_others_found_them),
        cmocka_unit_test(end_wrenches_make_helices),
        cmocka_unit_test(frequencies_are_those_of_theory),
        cmocka_unit_test(springs_are_as_soft_as_their_wire),
        cmocka_unit_test(shapes_have_their_stiffness),
        cmocka_unit_test(thin_rods_do_not_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
