/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose own round-off is above the tolerance: runs go on, say so, and are as exact as round-off lets them be. */
#include "trial.h"

/* A steel beam, hinged, that swings and hits the floor: stiffness over rotary inertia makes noise of some 1e-9. */
#define STEEL(step)                                                                                                                 \
    "gravity: [0, -9.81]\n"                                                                                                         \
    "bodies:\n"                                                                                                                     \
    "  beam: {type: beam, from: [0, 0.5], to: [1, 0.5], elements: 16, young: 2.1e11, poisson: 0.3, area: 1e-4, inertia: 8.33e-10, " \
    "density: 7800}\n"                                                                                                              \
    "joints: {hinge: {type: revolute, between: [world, beam.start], at: [0, 0.5]}}\n"                                               \
    "contacts: {floor: {gap: beam_end.y}}\n"                                                                                        \
    "outputs: {tip: beam_end.y}\n"                                                                                                  \
    "simulation: {scheme: radau-2a, step: " step ", end: 0.2}\n"

static const char steel[] = STEEL("2e-4"); /* 1000 steps; before the noise is known one or two may be cut */

static double tip(const trial *r) {
    double value;
    const zn_model *model = zn_simulation_model(r->simulation);
    double values[200];
    assert_in_range(model->n_outputs, 1, 200);
    assert_int_equal(zn_simulation_outputs(r->simulation, values), ZN_OK);
    value = NAN;
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->output_names[i], "tip")) value = values[i];
    return value;
}

static void test_steel_beam(void **state) {
    (void)state;
    trial reference = trial_complete(steel, (trial_options){.scheme = "radau-2a", .stages = 3});
    double exact = tip(&reference);
    const struct {
        const char *scheme;
        zn_solver solver;
    } runs[] = {{"generalized-alpha", ZN_SOLVER_AUTO},
                {"generalized-alpha-pva", ZN_SOLVER_AUTO},
                {"generalized-alpha-pvv", ZN_SOLVER_AUTO},
                {"moreau-theta", ZN_SOLVER_AUTO},
                {"tr-bdf2", ZN_SOLVER_AUTO},
                {"radau-2a", ZN_SOLVER_AUTO},
                {"lobatto-3c", ZN_SOLVER_AUTO},
                {"radau-2a", ZN_SOLVER_PROJECTION}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        trial r = trial_complete(steel, (trial_options){.scheme = runs[i].scheme, .solver = runs[i].solver});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        if (s.rejected > 2) fail_msg("%s: %ld steps rejected", runs[i].scheme, s.rejected);
        if (s.roundoff_steps < 900) fail_msg("%s: %ld steps at round-off", runs[i].scheme, s.roundoff_steps);
        assert_true(s.roundoff_residual > 1e-10); /* it is reported, relative to the velocities */
        check_below(s.max_residual, 1e-10);
        check_close(tip(&r), exact, 1e-4); /* falls by 0.28 */
        check_below(s.max_g, 1e-9);
        trial_end(&r);
    }
    trial_end(&reference);
}

/* The same with steps of their own size. */
static void test_steel_auto(void **state) {
    (void)state;
    trial r = trial_complete(STEEL("auto"), (trial_options){.scheme = "radau-2a", .end = 0.05});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    assert_true(s.roundoff_steps > 0 && s.roundoff_residual > 1e-10);
    check_close(s.energy_end, s.energy_start, 1e-6);
    trial_end(&r);
}

/* Far from the origin coordinates are coarse: the motion is the same, up to their round-off. */
static void test_far(void **state) {
    (void)state;
    static const char far[] =
        "parameters: {d: 0}\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  rod: {type: planar, mass: 1, inertia: 0.1, position: [d + 0.5, 1]}\n"
        "  ball: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [d + 3, 0.5], velocity: [0.3, 0]}\n"
        "joints: {hinge: {type: revolute, between: [world, rod], at: [d, 1]}}\n"
        "geometry: {floor: {type: line, at: [d, 0]}}\n"
        "contacts: {c: {between: [ball, floor], friction: 0.3, restitution: 0.5}}\n"
        "simulation: {scheme: radau-2a, step: 1e-3, end: 1}\n";
    static const char *const schemes[] = {"radau-2a", "lobatto-3c", "tr-bdf2", "generalized-alpha", "lobatto-3a3b", "rattle"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial near = trial_complete(far, (trial_options){.scheme = schemes[i]});
        const struct {
            const char *set;
            double coarse; /* of coordinates */
        } runs[] = {{"d=1e3", 1.2e-13}, {"d=1e5", 1.5e-11}, {"d=1e6", 1.2e-10}};
        for (size_t k = 0; k < 3; k++) {
            trial r = trial_complete(far, (trial_options){.scheme = schemes[i], .set = runs[k].set});
            zn_statistics s = zn_simulation_statistics(r.simulation);
            assert_int_equal(s.rejected, 0);
            check_below(s.max_residual, 1e-10);
            check_below(s.max_g, 4 * runs[k].coarse); /* as exact as before: what is relative is the verdict, not the solution */
            check_below(s.max_penetration, 4e-15);    /* the floor is near */
            for (int q = 1; q < 6; q++)               /* angles and heights; 1000 steps */
                if (q != 3) check_close(trial_q(&r, q), trial_q(&near, q), 1e-9 + 2000 * runs[k].coarse);
            trial_end(&r);
        }
        trial_end(&near);
    }
}

/* Through the impact, which leaves the fastest modes at work. */
static void test_steel_impact(void **state) {
    (void)state;
    static const char *const schemes[] = {"generalized-alpha", "generalized-alpha-pva", "tr-bdf2", "radau-2a"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete(steel, (trial_options){.scheme = schemes[i], .end = 0.3});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-9);
        assert_true(s.energy_end < s.energy_start && s.energy_end > 0.7 * s.energy_start);
        assert_true(zn_simulation_percussion_totals(r.simulation)[2] > 0.5);
        trial_end(&r);
    }
}

/* An arc with a mass on a spring lands on both ends. Iterates of hard impacts go astray; their sizes must not excuse a residual: that
 * once let the ends sink into the floor and the energy grow. */
static void test_astray(void **state) {
    (void)state;
    static const char arc[] =
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  arc: {type: beam, from: [0, 1], to: [1, 1], curvature: 1.5, elements: 12, order: 2, EA: 1e5, EI: 50, GA: 4e4, line_density: 1,\n"
        "        damping: 1e-4, frames: {mid: {s: 0.5}}}\n"
        "  mass: {type: planar, shape: {type: disk, radius: 0.05}, mass: 0.5, position: [0.5, 2]}\n"
        "geometry: {floor: {type: line}, tip: {on: arc.end, type: point}, root: {on: arc.start, type: point}}\n"
        "contacts:\n"
        "  tip: {between: [tip, floor], friction: 0.3, restitution: 0.3}\n"
        "  root: {between: [root, floor], friction: 0.3, restitution: 0.3}\n"
        "forces: {spring: {type: spring, between: [arc.mid, mass], stiffness: 100, damping: 1}}\n"
        "simulation: {scheme: radau-2a, step: 1e-3, end: 0.65}\n";
    static const char *const schemes[] = {"tr-bdf2", "tr-theta", "radau-2a", "lobatto-3c"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete(arc, (trial_options){.scheme = schemes[i]});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-9);
        assert_true(s.energy_end < s.energy_start);
        trial_end(&r);
    }
}

/* What is not stiff never uses it. */
static void test_plain_scenes(void **state) {
    (void)state;
    static const char *const scenes[] = {"slider-crank", "ball-in-corner", "woodpecker", "four-bar", "painleve-rod"};
    static const char *const schemes[] = {"generalized-alpha", "rattle", "radau-2a", "moreau-theta"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            trial r = trial_begin(scenes[i], (trial_options){.scheme = schemes[k]});
            for (int step = 0; step < 200 && !zn_simulation_done(r.simulation); step++) trial_step(&r);
            assert_int_equal(zn_simulation_statistics(r.simulation).roundoff_steps, 0);
            check_below(zn_simulation_statistics(r.simulation).max_residual, 1e-10);
            trial_end(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steel_beam),   cmocka_unit_test(test_steel_auto),
                                       cmocka_unit_test(test_steel_impact), cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_astray),       cmocka_unit_test(test_plain_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
