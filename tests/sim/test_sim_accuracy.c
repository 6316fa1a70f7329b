/* SPDX-License-Identifier: Apache-2.0 */
/* step: auto with located contact events: the accuracy that is asked for is reached within a factor of ten, whichever the forces: rotations
 * at constant velocity, forces that turn the velocity, sticking that ends inside of a step, accumulations that another contact disturbs.
 * References are runs of order five with an accuracy that is 1e-4 of the smallest. And what is chosen where nothing is named. */
#include "located_cases.h"

#include "base/size.h"

/* A body that turns about its axes, and nothing else. */
#define TURNING                                                                                                                          \
    "bodies: {a: {type: spatial, mass: 1, inertia: [1, 1, 2], rotation: {axis: [3, -2, 5], angle: 0.7}, angular_velocity: [0, 0, 3]}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 5}\n"
/* A charge in a magnetic field, whose force turns its velocity, above a floor. */
#define CHARGE                                                                                                    \
    "coordinates: {x: {start: 0, velocity: 1}, y: {start: 0.4, velocity: 0}}\n"                                   \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: y}\n"                                                          \
    "forces: {x: 3*y', y: -3*x'}\ncontacts: {floor: {gap: y - 0.2, slip: x', restitution: 0.6, friction: 0.2}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 4}\n"
/* A mass on springs that a force presses ever more: it sticks, slips, and sticks again. */
#define PRESSED                                                                  \
    "coordinates: {x: {start: 0.3, velocity: 0.2}}\n"                            \
    "energy: {kinetic: x'^2/2, potential: 2*x^2}\nforces: {x: 0.6*sin(1.3*t)}\n" \
    "contacts: {pad: {slip: x', normal_force: 0.5, friction: 0.8}}\nsimulation: {scheme: rattle, step: 0.1, end: 12}\n"

typedef struct system_case {
    const char *name, *scene;
    double end;
} system_case;

static void reached(const system_case *system) {
    const struct {
        const char *name;
        int stages;
        double least; /* accuracy */
    } schemes[] = {{"radau-2a", 3, 1e-6}, {"lobatto-3a3b", 3, 1e-6}, {"radau-2a", 2, 1e-6},
                   {"rattle", 0, 1e-5},   {"tr-bdf2", 0, 1e-5},      {"generalized-alpha", 0, 1e-5}};
    const located_case c = {system->name, system->scene, NULL, system->end, 1, 0, {0}, {0}, 0};
    located_outcome exact = located_run_to(&c, "radau-2a", 3, 0, 1e-10);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (double accuracy = 1e-4; accuracy > 0.5 * schemes[k].least; accuracy /= 10) {
            located_outcome out = located_run_to(&c, schemes[k].name, schemes[k].stages, 0, accuracy);
            double error = 0, size = 0;
            for (int i = 0; i < 256; i++) error = larger(error, fabs(out.q[i] - exact.q[i])), size = larger(size, fabs(exact.q[i]));
            print_message("%s, %s:%d, accuracy %.0e: %.2g of it, %ld steps, %ld captured\n", c.name, schemes[k].name, schemes[k].stages,
                          accuracy, error / (accuracy * size), out.statistics.steps, out.statistics.events_captured);
            assert_true(error <= 10 * accuracy * size);
        }
}

static void accuracy_is_reached(void **state) {
    (void)state;
    const system_case systems[] = {{"turning", TURNING, 5},
                                   {"charge", CHARGE, 4},
                                   {"pressed", PRESSED, 12},
                                   {"euler-top", "euler-top", 5},
                                   {"corner", "ball-in-corner", 2},
                                   {"ratchet", "ratchet", 4}, /* over tips of teeth, */
                                   {"stairs", "stairs", 3},   /* and corners of steps */
                                   {"rigid-pendulum", "rigid-pendulum", 2},
                                   {"clutch", "clutch-indexing", 6.2831853071795865}, /* from rest at zero, and clutches that reverse */
                                   {"sphere", "eccentric-sphere", 0.256}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) reached(&systems[i]);
}

/* A coin that spins down: slip in the plane begins seven times by forces that grow slowly, and ends six times. The schemes that damp the
 * fast turning of small slip reach the accuracy; lobatto-3a3b has an order of about three there (docs/located-events.md). */
static void slow_slip_begins_once(void **state) {
    (void)state;
    const located_case c = {"coin", "spinning-coin", NULL, 1, 1, 0, {0}, {0}, 0};
    located_outcome exact = located_run_to(&c, "radau-2a", 3, 0, 1e-8);
    for (int stages = 2; stages <= 3; stages++)
        for (double accuracy = 1e-4; accuracy > 5e-7; accuracy /= 10) {
            located_outcome out = located_run_to(&c, "radau-2a", stages, 0, accuracy);
            double error = 0, size = 0;
            for (int i = 0; i < 7; i++) error = larger(error, fabs(out.q[i] - exact.q[i])), size = larger(size, fabs(exact.q[i]));
            print_message("coin, radau-2a:%d, accuracy %.0e: %.2g of it, %ld events\n", stages, accuracy, error / (accuracy * size),
                          out.statistics.events_located);
            assert_true(error <= 10 * accuracy * size);
            assert_true(out.statistics.events_located <= 20); /* 13, and what is chosen again after steps that the laws passed */
        }
    /* Slip of 1e-9 that turns at once cannot be solved by four stages: the laws pass it, by longer and longer parts, not by the smallest
     * step again and again. */
    located_outcome out = located_run_to(&c, "lobatto-3a3b", 4, 0, 1e-8);
    double error = 0;
    for (int i = 0; i < 7; i++) error = larger(error, fabs(out.q[i] - exact.q[i]));
    print_message("coin, lobatto-3a3b:4: %.2g, %ld steps, %ld captured\n", error, out.statistics.steps, out.statistics.events_captured);
    assert_true(out.statistics.steps < 5000 && out.statistics.events_captured < 50);
    assert_true(error < 1e-6);
}

/* A clutch holds from where the motion reverses: five swings of 2 A = 0.6 turn the wheel by 3, at any step. Steps that pass over the five
 * reversals lose the travel of up to a step each. The reversal is found to 1e-6 of the step, where s is flat: an error of w^2 A (1e-6 h)^2
 * each. The wheel stops with the lever, to what slip velocities are at rest. */
static void clutches_hold_where_motion_reverses(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "lobatto-3a3b", "rattle", "tr-bdf2", "generalized-alpha"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        const located_case c = {"clutch", "clutch-indexing", NULL, 6.2831853071795865, 40, 0, {0}, {0}, 0};
        located_outcome out = located_run(&c, schemes[k], k < 2 ? 3 : 0, 40);
        print_message("%s: wheel %.12g\n", schemes[k], out.q[5]);
        assert_true(fabs(out.q[5] - 3) < 1e-8);
    }
}

/* Where neither step nor contact events are named both are chosen; a step, or a word about events, is obeyed. */
/* x = 0.3 (1 - cos 5 t), whose round-off is far above the accuracy of the first positions, drives y by a spring: y'' = 6 (x - y). Steps
 * that had become smallest stayed so, as no smaller one told that their error is noise. */
static void round_off_does_not_hold_steps_small(void **state) {
    (void)state;
    const char *scene = "coordinates: {x: 0, y: 0}\n"
                        "energy: {kinetic: (x'^2 + y'^2)/2, potential: 3*(y - x)^2}\n"
                        "constraints: {drive: {position: x - 0.3*(1 - cos(5*t))}}\n"
                        "simulation: {step: auto, end: 6}\n";
    const double w = sqrt(6), b = -1.8 / (6 - 25); /* y = 0.3 (1 - cos w t) + b (cos 5 t - cos w t) */
    const located_case c = {
        "driven", scene, NULL, 6, 0, 2, {0, 1}, {0.3 * (1 - cos(30)), 0.3 * (1 - cos(6 * w)) + b * (cos(30) - cos(6 * w))}, 0};
    const struct {
        const char *name;
        int stages;
        double accuracy;
        long most;
    } runs[] = {{"tr-bdf2", 0, 1e-6, 60000}, {"radau-2a", 2, 1e-8, 40000}, {"radau-2a", 3, 1e-8, 2000}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        located_outcome out = located_run_to(&c, runs[k].name, runs[k].stages, 0, runs[k].accuracy);
        print_message("%s:%d, %.0e: error %.2e, %ld steps\n", runs[k].name, runs[k].stages, runs[k].accuracy, out.error,
                      out.statistics.steps);
        assert_true(out.error <= 10 * runs[k].accuracy);
        assert_true(out.statistics.steps <= runs[k].most);
    }
}

static void what_nobody_names(void **state) {
    (void)state;
    const struct {
        const char *settings, *scheme;
        bool chosen, located;
    } list[] = {{"", "radau-2a", true, true},
                {"scheme: rattle, ", "rattle", true, true},
                {"contact_events: captured, ", "radau-2a", true, false},
                {"scheme: moreau-midpoint, ", "moreau-midpoint", true, false},
                {"scheme: 'radau-2a:1', ", "radau-2a", true, false},
                {"step: 0.01, ", "moreau-midpoint", false, false},
                {"scheme: rattle, step: auto, ", "rattle", true, false},
                {"scheme: rattle, step: 0.01, contact_events: located, ", "rattle", false, true}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coordinates: {q: 1}\nenergy: {kinetic: q'^2/2, potential: 9.81*q}\ncontacts: {floor: {gap: q, restitution: 0.7}}\n"
                 "simulation: {%send: 1}\n",
                 list[i].settings);
        trial r;
        assert_int_equal(trial_open(text, &r), ZN_OK);
        const zn_settings *settings = zn_simulation_settings(r.simulation);
        assert_string_equal(settings->scheme, list[i].scheme);
        assert_int_equal(settings->step_auto, list[i].chosen);
        assert_int_equal(settings->contact_events, list[i].located ? ZN_EVENTS_LOCATED : ZN_EVENTS_CAPTURED);
        trial_run(&r);
        /* q(1) after one bounce: v t - g t^2/2 */
        double t = sqrt(2 / 9.81), q = 0.7 * 9.81 * t * (1 - t) - 9.81 * (1 - t) * (1 - t) / 2;
        assert_true(fabs(trial_q(&r, 0) - q) < (list[i].located ? 1e-9 : 0.03));
        trial_end(&r);
    }
}

/* The pin of a Geneva drive enters a slot: steps that are much longer than the first contact cannot be solved, and those that can have
 * errors that do not fall for a while. The wheel makes three quarter turns. */
static void a_geneva_wheel_turns(void **state) {
    (void)state;
    const located_case c = {"geneva", "geneva", NULL, 3, 1, 0, {0}, {0}, 0};
    const struct {
        const char *name;
        int stages;
    } schemes[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 3}, {"rattle", 0}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        located_outcome out = located_run_to(&c, schemes[k].name, schemes[k].stages, 0, 1e-4);
        print_message("geneva, %s: %.9g, %ld events, %ld captured\n", schemes[k].name, out.q[2], out.statistics.events_located,
                      out.statistics.events_captured);
        assert_true(fabs(out.q[2] + 4.7178677) < 1e-3 * 4.7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy_is_reached),
                                       cmocka_unit_test(slow_slip_begins_once),
                                       cmocka_unit_test(clutches_hold_where_motion_reverses),
                                       cmocka_unit_test(round_off_does_not_hold_steps_small),
                                       cmocka_unit_test(what_nobody_names),
                                       cmocka_unit_test(a_geneva_wheel_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
