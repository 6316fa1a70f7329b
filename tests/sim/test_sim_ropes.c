/* SPDX-License-Identifier: Apache-2.0 */
/* Ropes and belts on pulleys that turn: a band brake, a crossed belt, a winch; and over points in space. Closed forms, with many schemes. */
#include "trial.h"

static const double pi = 3.14159265358979323846;
static const char *const schemes[] = {"moreau",       "moreau-midpoint", "moreau-shifted", "moreau-theta", "rattle",
                                      "lobatto-3a3b", "radau-2a",        "lobatto-3c",     "tr-bdf2",      "generalized-alpha"};
enum { N_SCHEMES = 10 };

/* A drum under a band that holds a weight. The band does not move: the weight's side has the tension m g, the anchor's exp(-+mu pi) times that, and the
 * difference slows the drum down, which way it may turn. */
static void a_band_brake(void **state) {
    (void)state;
    const char *scene =
        "parameters: {w: 20}\ngravity: [0, -10]\nbodies:\n"
        "  drum: {type: planar, mass: 1, inertia: 0.5, angle_rate: w}\n"
        "  weight: {type: particle, mass: 2, position: [0.2, -1]}\n"
        "frames: {world.anchor: [-0.2, -1]}\n"
        "joints:\n  axle: {type: revolute, between: [world, drum]}\n"
        "  band: {type: rope, between: [world.anchor, {over: drum, radius: 0.2, around: clockwise, friction: 0.3}, weight]}\n"
        "simulation: {step: 1e-2, end: 0.5}\n";
    double E = exp(0.3 * pi), torque[2] = {20 * (1 - 1 / E) * 0.2, 20 * (E - 1) * 0.2};
    for (int i = 0; i < N_SCHEMES; i++)
        for (int back = 0; back < 2; back++) {
            trial r = trial_complete(scene, (trial_options){.scheme = schemes[i], .set = back ? "w=-20" : NULL});
            double w = trial_u(&r, 2), speed = 20 - torque[back] / 0.5 * 0.5;
            check_close(w, back ? -speed : speed, 1e-8);
            check_close(trial_q(&r, 4), -1, 1e-9); /* the weight */
            trial_end(&r);
        }
}

/* A crossed belt turns the second wheel the other way, half as fast; its two parts share the work as the torque says. */
static void a_crossed_belt(void **state) {
    (void)state;
    static const char *const kinds[] = {"rope", "belt"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N_SCHEMES; i++) {
            char scene[900];
            snprintf(scene, sizeof scene,
                     "bodies:\n  a: {type: planar, mass: 1, inertia: 0.1, angle_rate: 4}\n"
                     "  b: {type: planar, mass: 1, inertia: 0.3, position: [1, 0], angle_rate: -2}\n"
                     "joints:\n  pa: {type: revolute, between: [world, a]}\n  pb: {type: revolute, between: [world, b], at: [1, 0]}\n"
                     "  line: {type: %s, between: [{over: a, radius: 0.1, around: counterclockwise, grip: true},"
                     " {over: b, radius: 0.2, around: clockwise, grip: true}%s]}\n"
                     "forces: {m: {type: torque-actuator, between: [world, a], value: 1}}\n"
                     "simulation: {step: 1e-2, end: 2}\n",
                     kinds[k], k ? "" : ", {over: a, radius: 0.1, around: counterclockwise, grip: true}");
            trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
            check_close(trial_u(&r, 2), 4 + 2 / (0.1 + 0.3 / 4), 1e-7);
            check_close(trial_u(&r, 5), -2 - 1 / (0.1 + 0.3 / 4), 1e-7);
            if (!strstr(schemes[i], "moreau")) check_close(trial_q(&r, 5) + trial_q(&r, 2) / 2, 0, 1e-8); /* after several turns */
            trial_end(&r);
        }
}

/* A winch on a car that rolls away: the rope from its drum over a fixed eye to a load. The car moves by itself, and the load with it. */
static void a_winch_on_a_car(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, -10]\nbodies:\n  car: {type: planar, mass: 3, inertia: 1, position: [-2, 0.5]}\n"
        "  drum: {type: planar, mass: 1, inertia: 0.02, position: [-2, 0.5]}\n"
        "  load: {type: particle, mass: 1, position: [0, -1]}\n"
        "frames: {world.eye: [0, 0.3]}\n"
        "joints:\n  road: {type: prismatic, between: [world, car], at: [-2, 0.5], axis: [1, 0]}\n"
        "  axle: {type: revolute, between: [car, drum]}\n"
        "  motor: {type: motor, between: [car, drum], drive: 2*t}\n"
        "  rope: {type: rope, between: [{over: drum, radius: 0.2, around: counterclockwise, grip: true}, world.eye, load]}\n"
        "simulation: {step: 2e-3, end: 0.5}\n";
    for (int i = 0; i < N_SCHEMES; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        /* The lower side of the drum is at the height of the eye: the rope is level. Turning counterclockwise by t^2 pays out R t^2; the car moves by x towards the
         * eye and gives x: y = -(x + R t^2). 4 x'' = T, T = g + y'' = g - x'' - 2 R. */
        double x = (10 - 2 * 0.2) / 5 * 0.125, y = -(x + 0.2 * 0.25);
        double allowed = strstr(schemes[i], "moreau") ? 4e-3 : 1e-6;
        check_close(trial_q(&r, 0) + 2, x, allowed);
        check_close(trial_q(&r, 7) + 1, y, allowed);
        trial_end(&r);
    }
}

/* Two loads on a rope through a ring in space: an Atwood machine without a wheel; and it may be slack in between. */
static void a_rope_through_a_ring(void **state) {
    (void)state;
    const char *scene = "gravity: [0, 0, -10]\nbodies:\n  a: {type: particle, mass: 1, position: [1, 2, -1]}\n"
                        "  b: {type: spatial, mass: 2, inertia: 0.1, position: [1, 2, -3], frames: {ear: [0, 0, 0.1]}}\n"
                        "frames: {world.ring: [1, 2, 0]}\n"
                        "joints:\n  rope: {type: rope, between: [a, world.ring, b.ear]}\n"
                        "simulation: {step: 5e-3, end: 0.4}\n";
    for (int i = 1; i < N_SCHEMES; i++) {
        if (!strcmp(schemes[i], "moreau-theta")) continue;
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        check_close(trial_u(&r, 2), 0.4 * 10 / 3, strstr(schemes[i], "moreau") ? 1e-6 : 1e-9);
        check_close(zn_simulation_percussion_totals(r.simulation)[0], 0.4 * 40 / 3,
                    strstr(schemes[i], "moreau") ? 1e-6 : 1e-9); /* T = 2 m M g/(m + M) */
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_band_brake),
        cmocka_unit_test(a_crossed_belt),
        cmocka_unit_test(a_winch_on_a_car),
        cmocka_unit_test(a_rope_through_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
