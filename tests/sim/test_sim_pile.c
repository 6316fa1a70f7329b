/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve balls in a bucket: 90 contacts, in the end more forces than the pile needs to stand. */
#include "trial.h"

/* Through the first impacts each solver alone finds the same motion, at the same tolerance. */
static void each_solver_alone(void **state) {
    (void)state;
    const zn_solver solvers[] = {ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION};
    trial r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = trial_complete("bucket", (trial_options){.scheme = "moreau-midpoint", .end = 0.4, .solver = solvers[i]});
        zn_statistics s = zn_simulation_statistics(r[i].simulation);
        check_below(s.max_residual, 1e-10);
        assert_int_equal(s.rejected, 0);
        zn_sizes size = zn_scene_model(r[i].scene)->size;
        /* 200 steps of 1e-10, and what curved contacts make of them */
        for (int k = 0; k < size.nq; k++)
            check_close(zn_simulation_positions(r[i].simulation)[k], zn_simulation_positions(r[0].simulation)[k], 1e-7);
        for (int k = 0; k < size.nu; k++)
            check_close(zn_simulation_velocities(r[i].simulation)[k], zn_simulation_velocities(r[0].simulation)[k], 1e-6);
    }
    for (int i = 0; i < 3; i++) trial_end(&r[i]);
}

/* Newton's method alone takes it to rest, and so do projections. Floor and wall have carried the weight: the mass is what the first step in free fall tells,
 * T = m (g h)^2/2. */
static void take_to_rest(zn_solver solver) {
    const double g = 9.81, h = 2e-3, end = 1.5;
    trial r = trial_begin("bucket", (trial_options){.scheme = "moreau-midpoint", .end = end, .step = h, .solver = solver});
    trial_step(&r);
    double kinetic, potential;
    zn_simulation_energy(r.simulation, &kinetic, &potential);
    double m = 2 * kinetic / (g * h * g * h), carried = 0;
    while (!zn_simulation_done(r.simulation)) trial_step(&r);
    const zn_model *model = zn_scene_model(r.scene);
    const double *total = zn_simulation_percussion_totals(r.simulation);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *c = &model->contacts[k];
        if (!strncmp(c->name, "floor", 5)) carried += total[c->row_N];
        if (!strncmp(c->name, "wall", 4)) carried += total[c->row_F]; /* the first tangent is the bucket's axis */
    }
    check_close_relative(carried, m * g * end, 0, 1e-9);
    for (int k = 0; k < model->size.nu; k++) check_close(zn_simulation_velocities(r.simulation)[k], 0, 1e-8);
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_residual, 1e-10);
    if (solver == ZN_SOLVER_PROJECTION) assert_int_equal(s.newton_steps + s.least_norm_steps, 0);
    else assert_int_equal(s.projection_steps + s.rejected, 0);
    trial_end(&r);
}

static void to_rest_by_each_alone(void **state) {
    (void)state;
    take_to_rest(ZN_SOLVER_NEWTON);
    take_to_rest(ZN_SOLVER_PROJECTION);
}

/* With rattle one ball still moves in the end, the same under both. */
static void projections_agree_with_newton(void **state) {
    (void)state;
    trial a = trial_complete("bucket", (trial_options){.scheme = "rattle", .end = 1.5, .solver = ZN_SOLVER_AUTO}),
          b = trial_complete("bucket", (trial_options){.scheme = "rattle", .end = 1.5, .solver = ZN_SOLVER_PROJECTION});
    for (int k = 0; k < zn_scene_model(a.scene)->size.nq; k++)
        check_close(zn_simulation_positions(a.simulation)[k], zn_simulation_positions(b.simulation)[k], 1e-7);
    assert_int_equal(zn_simulation_statistics(b.simulation).projection_steps, 750);
    trial_end(&a);
    trial_end(&b);
}

/* Stages of a contact are coupled without symmetry. When the pile begins to stick, at t = 0.46, Newton's method cycles in all parts of a step. */
static void stages_through_sticking(void **state) {
    (void)state;
    trial r = trial_complete("bucket", (trial_options){.scheme = "radau-2a", .end = 0.5});
    check_below(zn_simulation_statistics(r.simulation).max_residual, 1e-10);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_solver_alone), cmocka_unit_test(to_rest_by_each_alone),
                                       cmocka_unit_test(projections_agree_with_newton), cmocka_unit_test(stages_through_sticking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
