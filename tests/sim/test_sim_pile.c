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

/* Newton's method alone takes it to rest, and so do projections. Floor and wall have carried the weight: the mass is what the first step in
 * free fall tells,
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

/* Stages of a contact are coupled without symmetry. When the pile begins to stick, at t = 0.46, Newton's method cycles in all parts of a
 * step. */
static void stages_through_sticking(void **state) {
    (void)state;
    trial r = trial_complete("bucket", (trial_options){.scheme = "radau-2a", .end = 0.5});
    check_below(zn_simulation_statistics(r.simulation).max_residual, 1e-10);
    trial_end(&r);
}

/* The step to t = 0.508 is taken in parts, the first of them after long attempts that failed. What follows a part that was solved gets as
 * much work as it: parts of little work all failed, down to the smallest. */
static void hope_after_a_part(void **state) {
    (void)state;
    trial r = trial_complete("bucket", (trial_options){.scheme = "lobatto-3a3b", .end = 0.508, .solver = ZN_SOLVER_NEWTON});
    check_below(zn_simulation_statistics(r.simulation).max_residual, 1e-10);
    trial_end(&r);
}

/* Parts of a step that end near the tolerance get all work again: shortened ones ended the run at t = 0.482, two units above the
 * tolerance. */
static void work_near_the_tolerance(void **state) {
    (void)state;
    trial r = trial_complete("bucket", (trial_options){.scheme = "lobatto-3c", .end = 0.484});
    check_below(zn_simulation_statistics(r.simulation).max_residual, 1e-10);
    trial_end(&r);
}

/* Six bricks, hit at ten times the step of scenes/wall.yaml. The impact at t = 0.056 has no solution by little work in any part of its
 * step, down to the smallest, which gets all of it before the run is given up. */
static void last_hope(void **state) {
    (void)state;
    static const char wall[] =
        "parameters: {a: 0.24, b: 0.115, c: 0.07}\n"
        "gravity: [0, 0, -9.81]\n"
        "repeat:\n"
        "  - {row: 1..3, column: 1..2, bodies: {\"r{row}c{column}\": {type: spatial, shape: {type: box, size: [a, b, c]}, density: 1800, "
        "position: [\"1.01*a*({column} - 1.5 + 0.25*(-1)^{row})\", 0, \"({row} - 0.5)*c\"]}}}\n"
        "bodies:\n"
        "  ball: {type: spatial, shape: {type: sphere, radius: 0.1}, density: 4000, position: [0, -0.6, 0.2], velocity: [0, 8, 1]}\n"
        "geometry: {floor: {type: plane}}\n"
        "contacts: {all: {between: all, friction: 0.6}}\n"
        "simulation: {scheme: lobatto-3c, step: 1e-2, end: 0.06}\n";
    trial r = trial_complete(wall, (trial_options){.scheme = "lobatto-3c"});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_residual, 1e-10);
    assert_true(s.energy_end < s.energy_start);
    trial_end(&r);
}

/* Five rows of bricks, a little askew, fall on each other: faces meet in four corners and more, three of which would do. No part of a step
 * is easier, so none is cut. */
static void bricks_that_settle(void **state) {
    (void)state;
    static const char bricks[] =
        "gravity: [0, 0, -9.81]\n"
        "repeat:\n"
        "  - {i: 0..4, j: 0..3, bodies: {\"b{i}_{j}\": {type: spatial, shape: {type: box, size: [0.2, 0.1, 0.1]}, density: 500, "
        "position: [\"0.22*{j} + 0.11*mod({i}, 2)\", \"0.003*sin({i} + {j})\", \"0.055 + 0.11*{i}\"]}}}\n"
        "geometry: {floor: {type: plane}}\n"
        "contacts: {all: {between: all, friction: 0.6}}\n"
        "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.15}\n";
    trial r = trial_complete(bricks, (trial_options){.scheme = "moreau-midpoint"});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_residual, 1e-10);
    assert_int_equal(s.rejected, 0);
    assert_true(s.energy_end < s.energy_start);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_solver_alone),
                                       cmocka_unit_test(to_rest_by_each_alone),
                                       cmocka_unit_test(projections_agree_with_newton),
                                       cmocka_unit_test(stages_through_sticking),
                                       cmocka_unit_test(hope_after_a_part),
                                       cmocka_unit_test(work_near_the_tolerance),
                                       cmocka_unit_test(last_hope),
                                       cmocka_unit_test(bricks_that_settle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
