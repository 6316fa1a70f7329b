/* SPDX-License-Identifier: Apache-2.0 */
/* The spline beam as a mechanical system: energy, inertia, damping, sections, wrong definitions. */
#include "base/counting_allocator.h"
#include "model/parts/spline.h"
#include "model/spline_fixture.h"

enum { MOST_COORDINATES = 40 };

/* r = M a - h at rest unless u, a are given, and the energies. */
typedef struct answers {
    double r[MOST_COORDINATES], kinetic, potential;
} answers;

static answers ask(const zn_model *model, const double *q, const double *u, const double *a) {
    static const double zero[MOST_COORDINATES];
    answers out;
    void *work = calloc(1, model->work_bytes + 1);
    zn_point at = {0, q, u ? u : zero, a ? a : zero, zero};
    assert_int_equal(model->balance(model, work, &at, &(zn_balance){.r = out.r}), 0);
    assert_int_equal(model->energy(model, work, &at, &out.kinetic, &out.potential), 0);
    free(work);
    return out;
}

static setup free_beam(const zn_flexible_def *def) {
    setup s = setup_begin(def);
    setup_build(&s);
    return s;
}

/* x -> c + R(angle) x for all control points. */
static void move(int n, const double *q, double angle, const double c[2], double *out) {
    for (int i = 0; i < n; i += 2) {
        out[i] = c[0] + cos(angle) * q[i] - sin(angle) * q[i + 1];
        out[i + 1] = c[1] + sin(angle) * q[i] + cos(angle) * q[i + 1];
    }
}

static double largest(int n, const double *v) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* A state near the undeformed beam. */
static void disturb(uint64_t *seed, const zn_model *model, double size, double *q) {
    for (int i = 0; i < model->size.nq; i++) q[i] = model->q_start[i] + size * random_number(seed);
}

/* ---- strains ---- */

/* Rigid motions make no strain, and do not change that of a deformed beam: forces turn with it. */
static void energy_is_objective(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int curved = 0; curved < 2; curved++) {
            zn_flexible_def def = beam_def(p, 4);
            if (curved) def.curvature = 2;
            setup s = free_beam(&def);
            int n = s.model->size.nq;
            for (int k = 0; k < 5; k++) {
                double q[MOST_COORDINATES], moved[MOST_COORDINATES], turned[MOST_COORDINATES], angle = 4 * random_number(&seed),
                                                                                               c[2] = {random_number(&seed), 3};
                move(n, s.model->q_start, angle, c, moved);
                answers rigid = ask(s.model, moved, NULL, NULL);
                check_close(rigid.potential, 0, 1e-24 * def.EA);
                check_below(largest(n, rigid.r), 1e-11 * def.EA);
                disturb(&seed, s.model, 0.02, q);
                move(n, q, angle, c, moved);
                answers here = ask(s.model, q, NULL, NULL), there = ask(s.model, moved, NULL, NULL);
                assert_true(here.potential > 0.1);
                check_near(there.potential, here.potential, 1e-10);
                move(n, here.r, angle, (double[2]){0, 0}, turned);
                for (int i = 0; i < n; i++) check_close(there.r[i], turned[i], 1e-10 * largest(n, here.r));
            }
            setup_end(&s);
        }
}

/* Stretch by a factor: EA (f - 1)^2 L/2. */
static void stretch_has_its_energy(void **state) {
    (void)state;
    zn_flexible_def def = beam_def(3, 4);
    setup s = free_beam(&def);
    double q[MOST_COORDINATES];
    for (int i = 0; i < s.model->size.nq; i++) q[i] = 1.25 * s.model->q_start[i];
    check_near(ask(s.model, q, NULL, NULL).potential, def.EA * 0.0625 / 2, 1e-13);
    setup_end(&s);
}

/* A beam that starts curved, by its curvature or by a curve of uneven speed, is free of stress; straightened it is not. */
static void curved_start_is_free_of_stress(void **state) {
    (void)state;
    for (int by_formula = 0; by_formula < 2; by_formula++) {
        zn_flexible_def def = beam_def(3, 6);
        def.curvature = 1.5;
        if (by_formula) {
            def.curvature = def.to[0] = 0;
            def.curve[0] = ZN_FORMULA("s + 0.3*s^2");
            def.curve[1] = ZN_FORMULA("0.4*sin(3*s)");
        }
        setup s = free_beam(&def);
        answers start = ask(s.model, s.model->q_start, NULL, NULL);
        check_close(start.potential, 0, 1e-24 * def.EA);
        check_below(largest(s.model->size.nq, start.r), 1e-11 * def.EA);
        double q[MOST_COORDINATES];
        for (int i = 0; i < s.model->size.nq; i += 2) q[i] = s.model->q_start[i], q[i + 1] = 0;
        assert_true(ask(s.model, q, NULL, NULL).potential > 0.5);
        setup_end(&s);
    }
}

/* The arc: its ends, and the turn of its end section, with the order of the interpolation. */
static void arcs_have_their_shape(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++) {
        zn_flexible_def def = beam_def(p, 8);
        def.curvature = 2;
        setup s = free_beam(&def);
        const double *end = s.model->q_start + s.model->size.nq - 2;
        check_close(end[0], sin(2) / 2, 1e-14);
        check_close(end[1], (1 - cos(2)) / 2, 1e-14);
        double turn = atan2(end[1] - end[-1], end[0] - end[-2]);
        check_close(turn, 2, 0.1 * pow(2.0 / 8, p + 1));
        setup_end(&s);
    }
}

/* ---- derivatives ---- */

static void derivatives_are_exact(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int damped = 0; damped < 2; damped++) {
            zn_flexible_def def = beam_def(p, 3);
            def.damping = damped ? 0.1 : 0;
            def.EA = 10;
            setup s = setup_begin(&def);
            setup_joint(&s, "clamp", ZN_JOINT_FIXED, 0, (double[3]){0, 0, 0});
            setup_joint(&s, "pin", ZN_JOINT_REVOLUTE, 0.4, (double[3]){0.4, 0, 0});
            setup_load(&s, "load", 0.77, "sin(t)", "beam_end.x*beam_end.phi", "1 + beam_end.phi'");
            zn_parts_gravity(s.parts, (double[3]){0.3, -9.81, 0});
            setup_build(&s);
            const zn_sizes *n = &s.model->size;
            for (int k = 0; k < 3; k++) {
                double q[MOST_COORDINATES], u[MOST_COORDINATES], a[MOST_COORDINATES], lambda[MOST_COORDINATES];
                disturb(&seed, s.model, 0.05, q);
                random_numbers(&seed, n->nu, u), random_numbers(&seed, n->nu, a), random_numbers(&seed, n->ng, lambda);
                zn_point at = {0.3, q, u, a, lambda};
                zn_derivative_check check;
                assert_int_equal(zn_model_check_derivatives(s.context, s.model, &at, &check), ZN_OK);
                if (!(check.worst < 1e-7)) fail_msg("degree %d: %s is off by %g", p, check.what, check.worst);
            }
            setup_end(&s);
        }
}

/* ---- sections ---- */

/* The angle of a section is that of its tangent, and does not jump where atan2 would: half a turn from the start it does. */
static void angles_of_sections_do_not_jump(void **state) {
    (void)state;
    const double pi = acos(-1);
    zn_flexible_def def = beam_def(3, 2);
    def.to[0] = -1;
    setup s = setup_begin(&def);
    must(&s, zn_parts_position_constraint(s.parts, "angle", ZN_FORMULA("beam_end.phi")));
    setup_build(&s);
    void *work = calloc(1, s.model->work_bytes + 1);
    for (int k = -30; k <= 30; k++) {
        double q[MOST_COORDINATES], angle = 0, zero[MOST_COORDINATES] = {0};
        move(s.model->size.nq, s.model->q_start, 0.1 * k, (double[2]){1, 2}, q);
        zn_point at = {0, q, zero, zero, zero};
        assert_int_equal(s.model->constraints(s.model, work, &at, &(zn_constraints){.c0 = &angle}), 0);
        check_close(angle, pi + 0.1 * k, 1e-13);
    }
    free(work);
    setup_end(&s);
}

/* ---- inertia ---- */

/* Mass, gravity, and the kinetic energy of any rigid motion: rho L v^2/2 and rho L^3/3 w^2/2. */
static void inertia_is_that_of_a_line(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++) {
        zn_flexible_def def = beam_def(p, 3);
        def.to[0] = 2, def.line_density = 0.7;
        def.velocity[0] = 0.5, def.velocity[1] = -2;
        setup s = setup_begin(&def);
        zn_parts_gravity(s.parts, (double[3]){0, -9.81, 0});
        setup_build(&s);
        int n = s.model->size.nq;
        double fall[MOST_COORDINATES] = {0}, turn[MOST_COORDINATES] = {0}, weight = 0;
        for (int i = 0; i < n; i += 2) fall[i + 1] = -9.81, turn[i + 1] = 3 * s.model->q_start[i];
        answers start = ask(s.model, s.model->q_start, s.model->u_start, NULL);
        check_near(start.kinetic, 1.4 * (0.25 + 4) / 2, 1e-13);
        for (int i = 1; i < n; i += 2) weight += start.r[i];
        check_near(weight, 1.4 * 9.81, 1e-13);
        check_below(largest(n, ask(s.model, s.model->q_start, NULL, fall).r), 1e-12);
        check_near(ask(s.model, s.model->q_start, turn, NULL).kinetic, 0.7 * 8 / 3 * 9 / 2, 1e-13);
        setup_end(&s);
    }
}

/* Damping takes tau EA eps'^2 L in a uniform stretch, and nothing from a rigid motion. */
static void damping_acts_on_strain_rates(void **state) {
    (void)state;
    zn_flexible_def def = beam_def(2, 3);
    def.damping = 0.01;
    setup s = free_beam(&def);
    int n = s.model->size.nq;
    double stretch[MOST_COORDINATES], spin[MOST_COORDINATES], power = 0;
    for (int i = 0; i < n; i += 2) {
        stretch[i] = 0.3 * s.model->q_start[i], stretch[i + 1] = 0;
        spin[i] = -2 * s.model->q_start[i + 1], spin[i + 1] = 2 * s.model->q_start[i];
    }
    answers stretched = ask(s.model, s.model->q_start, stretch, NULL);
    for (int i = 0; i < n; i++) power += stretched.r[i] * stretch[i]; /* r = -h */
    check_near(power, def.damping * def.EA * 0.09, 1e-12);
    check_below(largest(n, ask(s.model, s.model->q_start, spin, NULL).r), 1e-10);
    setup_end(&s);
}

/* ---- errors ---- */

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    enum { N = 9 };
    static const char *const words[N] = {"2 to 5", "2 to 5", "1 to", "1 to", "could bend without strain", "1 to 10", "EI", "EA", "density"};
    zn_flexible_def bad[N];
    for (int i = 0; i < N; i++) bad[i] = beam_def(3, 4);
    bad[0].order = 1, bad[1].order = 6, bad[2].elements = 0, bad[3].elements = -2, bad[4].gauss = 1, bad[5].gauss = 11, bad[6].EI[0] = 0;
    bad[7].EA = 0, bad[8].line_density = 0;
    for (int i = 0; i < N; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_flexible beam = {7, 7};
        assert_int_equal(zn_parts_flexible(parts, &bad[i], &beam), ZN_ERROR_ARGUMENT);
        if (!strstr(zn_error_text(context), words[i])) fail_msg("definition %d: %s", i, zn_error_text(context));
        assert_int_equal(beam.stamp, 0);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* The fewest points that a definition may have make a matrix without spurious modes: rank 2 (n + p) - 3. */
static void fewest_points_leave_only_rigid_motions(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int n = 1; n <= 5; n++) {
            zn_flexible_def def = beam_def(p, n);
            def.gauss = (2 * n + p - 2) / n;
            setup s = free_beam(&def);
            statics k = statics_begin(s.model);
            assert_true(statics_fill(&k, 0));
            lin_cod *cod = lin_cod_create(s.context, k.n, k.n);
            assert_non_null(cod);
            int rank = lin_cod_factor(cod, k.matrix, 1e-10);
            if (rank != 2 * (n + p) - 3) fail_msg("degree %d, %d elements, %d points: rank %d of %d", p, n, def.gauss, rank, k.n);
            lin_cod_destroy(cod);
            statics_end(&k);
            setup_end(&s);
        }
}

static zn_status build_once(zn_context *context) {
    zn_parts *parts = zn_parts_create(context);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_flexible_def def = beam_def(2, 2);
    zn_flexible beam;
    zn_model *model = NULL;
    zn_frame frame;
    def.curvature = 1;
    zn_status status = zn_parts_flexible(parts, &def, &beam);
    if (status == ZN_OK) status = zn_parts_section(parts, beam, 0.3, "middle", NULL, NULL, &frame);
    if (status == ZN_OK) {
        zn_joint_def joint = zn_default_joint_def();
        joint.name = "pin", joint.a = zn_parts_body_frame(parts, zn_parts_world(parts)), joint.b = frame;
        status = zn_parts_joint(parts, &joint);
    }
    if (status == ZN_OK) status = zn_parts_build(parts, &model);
    if (model) zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    long failures = 0;
    for (long at = 0;; at += 1 + at / 25) {
        counting_allocator counter = {.fail_at = at};
        zn_context *context = counting_context(&counter);
        if (!context) continue;
        zn_status status = build_once(context);
        zn_context_destroy(context);
        assert_int_equal(counter.live, 0);
        if (status == ZN_OK) break;
        assert_int_equal(status, ZN_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_objective),
        cmocka_unit_test(stretch_has_its_energy),
        cmocka_unit_test(curved_start_is_free_of_stress),
        cmocka_unit_test(arcs_have_their_shape),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(angles_of_sections_do_not_jump),
        cmocka_unit_test(inertia_is_that_of_a_line),
        cmocka_unit_test(damping_acts_on_strain_rates),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(fewest_points_leave_only_rigid_motions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
