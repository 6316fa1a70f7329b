/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose own round-off is above the tolerance: runs go on, say so, and are as exact as round-off lets them be. */
#include "trial.h"

/* A steel beam, hinged, that swings and hits the floor: stiffness over rotary inertia makes noise of some 1e-9. */
static const char steel[] = /* 1000 steps; before the noise is known one or two may be cut */
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  beam: {type: beam, from: [0, 0.5], to: [1, 0.5], elements: 16, young: 2.1e11, poisson: 0.3, area: 1e-4, inertia: 8.33e-10, density: 7800}\n"
    "joints: {hinge: {type: revolute, between: [world, beam.start], at: [0, 0.5]}}\n"
    "contacts: {floor: {gap: beam_end.y}}\n"
    "outputs: {tip: beam_end.y}\n"
    "simulation: {scheme: radau-2a, step: 2e-4, end: 0.2}\n";

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
        bool noisy; /* the scheme meets the noise itself; stages of Runge-Kutta schemes scale their rows by it */
    } runs[] = {{"generalized-alpha", true},     {"generalized-alpha-pva", true}, {"generalized-alpha-pvv", true},
                {"moreau-theta", true},          {"tr-bdf2", false},              {"radau-2a", false}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        trial r = trial_complete(steel, (trial_options){.scheme = runs[i].scheme});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        if (s.rejected > 2) fail_msg("%s: %ld steps rejected", runs[i].scheme, s.rejected);
        if ((s.roundoff_steps > 0) != runs[i].noisy) fail_msg("%s: %ld steps at round-off", runs[i].scheme, s.roundoff_steps);
        if (runs[i].noisy) assert_true(s.max_residual > 1e-10); /* it is told */
        check_below(s.max_residual, 1e-6);
        check_close(tip(&r), exact, 1e-4); /* falls by 0.28 */
        check_below(s.max_g, 1e-9);
        trial_end(&r);
    }
    trial_end(&reference);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steel_beam), cmocka_unit_test(test_steel_impact), cmocka_unit_test(test_astray),
                                       cmocka_unit_test(test_plain_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
