/* SPDX-License-Identifier: Apache-2.0 */
/* States whose rates are affine in them are no unknowns of a step (scheme/states.h). A term of 1e-60 z^2 takes that away from the same
 * scene, and changes no number. */
#include "trial.h"

/* %s: the term. Masses on springs with single filters, a pair that reads each other, rates of velocities, with F constant or not; a spatial
 * body (its coordinates have no velocities of the same name), a pendulum on a joint, and contacts with a stop that reads a state which does
 * not move. */
static const struct {
    const char *name, *text;
    zn_rates rates;
} scenes[] = {
    {"filters",
     "coordinates: {x: {start: 1, velocity: 0.5}, y: 0.2}\nenergy: {kinetic: \"(x'^2 + (1 + x^2)*y'^2)/2\", potential: 2*x^2 + y^2}\n"
     "inputs: {gain: 3}\nstates: {z: {start: 0.3, rate: \"x' - 2*z + 0.5*y %s\"}, a: {rate: b - a}, b: {start: 1, rate: -4*a - b + x}}\n"
     "forces: {x: gain*z - x', y: \"a*z - 2*b*y'\"}\nsimulation: {step: 0.02, end: 1}\n",
     ZN_RATES_STEADY},
    {"filters of time and of an input that jumps",
     "coordinates: {x: {start: 1, velocity: 0.5}, y: 0.2}\nenergy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 2*x^2 + y^2}\n"
     "inputs: {k: {points: [[0, 1], [0.5, 5]]}}\nstates: {z: {start: 0.3, rate: \"sin(3*t) - 2*z + y + k %s\"}, a: {rate: \"b - a + x' + "
     "k\"},"
     " b: {start: 1, rate: -a - b + 2*x + y}, c: {rate: k^2 - c}}\n"
     "forces: {x: z - x', y: \"a*z - 2*b*y' + c\"}\nsimulation: {step: 0.02, end: 1}\n",
     ZN_RATES_CONSTANT},
    {"the same without time",
     "coordinates: {x: {start: 1, velocity: 0.5}, y: 0.2}\nenergy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 2*x^2 + y^2}\n"
     "inputs: {k: {points: [[0, 1], [0.5, 5]]}}\nstates: {z: {start: 0.3, rate: \"-2*z + y + k %s\"}, a: {rate: \"b - a + x' + k\"},"
     " b: {start: 1, rate: -a - b + 2*x + y}, c: {rate: k^2 - c}}\n"
     "forces: {x: z - x', y: \"a*z - 2*b*y' + c\"}\nsimulation: {step: 0.02, end: 1}\n",
     ZN_RATES_STEADY},
    {"stiff filters that change",
     "coordinates: {x: {start: 1, velocity: 0.5}, y: 0.2}\nenergy: {kinetic: \"(x'^2 + y'^2)/2\", potential: x^2 + x^2*y^2}\n"
     "states: {z: {start: 0.3, rate: \"sin(y') - (2000 + 500*x)*(z - x) %s\"}, b: {rate: \"(x + sin(t))*b + x*z\"}}\n"
     "forces: {x: z - x', y: \"b*x - z\"}\nsimulation: {step: 0.02, end: 1}\n",
     ZN_RATES_AFFINE},
    {"bodies",
     "gravity: [0, 0, -9.81]\nbodies:\n"
     "  top: {type: spatial, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, -1], angular_velocity: [1, 2, 3]}\n"
     "  ball: {type: particle, mass: 1, position: [2, 0, -1]}\n"
     "joints: {pivot: {type: spherical, between: [world, top], at: [0, 0, 0]}}\n"
     "states: {z: {rate: \"top.wx - z %s\"}, w: {rate: ball.z - top.z - z}}\n"
     "forces: {f: {type: body, on: top, torque: [-z, 0.3*w, 0]}, ball.x: w, ball.z: 9.81 - 2*z}\nsimulation: {step: 0.01, end: 0.5, "
     "project_start: true}\n",
     ZN_RATES_STEADY},
    {"contacts",
     "modes: {m: off}\ncoordinates: {x: {start: 0.4, velocity: 1}, y: {start: 0.3}}\n"
     "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 9.81*y}\nstates: {z: {rate: \"x' - z %s\"}, wall: {start: 0.8, rate: 0}}\n"
     "forces: {x: -2*z}\ncontacts: {floor: {gap: y, slip: x', friction: 0.3, restitution: 0.2}, stop: {gap: wall - x, restitution: 0.5}}\n"
     "simulation: {step: 0.01, end: 1}\n",
     ZN_RATES_STEADY},
};
static const struct {
    const char *scheme;
    int stages;
} schemes[] = {{"radau-2a", 1}, {"radau-2a", 3},     {"lobatto-3c", 2}, {"sdirk3", 0}, {"tr-bdf2", 0},
               {"rattle", 0},   {"lobatto-3a3b", 3}, {"radau-2a", 5},   {"trx2", 0},   {"lobatto-3a3b", 5}};

static trial complete(const char *text, const char *term, const char *scheme, int stages) {
    char full[2000];
    const char *place = strstr(text, "%s");
    snprintf(full, sizeof full, "%.*s%s%s", (int)(place - text), text, term, place + 2);
    return trial_complete(full, (trial_options){.scheme = scheme, .stages = stages});
}

static void test_same_motion(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            trial without = complete(scenes[i].text, "", schemes[k].scheme, schemes[k].stages);
            trial with = complete(scenes[i].text, "+ 1e-60*z^2", schemes[k].scheme, schemes[k].stages);
            const zn_model *model = zn_scene_model(without.scene);
            assert_int_equal(model->rates, scenes[i].rates);
            assert_int_equal(zn_scene_model(with.scene)->rates, ZN_RATES_GENERAL);
            for (int j = 0; j < model->size.nq; j++) check_close(trial_q(&without, j), trial_q(&with, j), 1e-8);
            for (int j = 0; j < model->size.nu; j++) check_close(trial_u(&without, j), trial_u(&with, j), 1e-7);
            /* The derivatives through the states are exact: Newton's method needs no more iterations. */
            zn_statistics a = zn_simulation_statistics(without.simulation), b = zn_simulation_statistics(with.simulation);
            if (a.newton_total > b.newton_total + b.newton_total / 20 + 2)
                fail_msg("%s, %s: %ld iterations, %ld with unknowns", scenes[i].name, schemes[k].scheme, a.newton_total, b.newton_total);
            trial_end(&without);
            trial_end(&with);
        }
}

/* An input that changes the coefficients between steps; the motion of a filter that is known: z' = -k z, k = 1 then 5. */
static void test_coefficients_change(void **state) {
    (void)state;
    const char *text = "inputs: {k: {points: [[0, 1], [0.5, 5]]}}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\n"
                       "states: {z: {start: 1, rate: -k*z}}\nforces: {x: z}\nsimulation: {step: 0.05, end: 1}\n";
    trial r = trial_complete(text, (trial_options){.scheme = "radau-2a", .stages = 4});
    double e = exp(-0.5);
    check_close(trial_q(&r, 1), e * exp(-2.5), 1e-9);
    check_close(trial_u(&r, 0), 1 - e + e / 5 * (1 - exp(-2.5)), 1e-9);
    trial_end(&r);
}

/* A model with one state; rates of other coordinates or rows that read what moves leave it among the unknowns. */
static void test_readers(void **state) {
    (void)state;
    const char *text = "coordinates: {x: {start: 0, velocity: 1}}\nenergy: {kinetic: x'^2/2}\nstates: {z: {rate: 1 - z}}\n"
                       "constraints: {c: {position: x - z}}\nsimulation: {step: 0.05, end: 1}\n";
    trial r = trial_complete(text, (trial_options){.scheme = "radau-2a", .stages = 3});
    check_close(trial_q(&r, 0), 1 - exp(-1), 1e-8);
    check_close(trial_u(&r, 0), exp(-1), 1e-7);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_motion),
        cmocka_unit_test(test_coefficients_change),
        cmocka_unit_test(test_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
