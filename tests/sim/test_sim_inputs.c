/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and live parameters: constant within a step, set between steps, in every formula of both builders. */
#include "trial.h"

#include <stdlib.h>

/* x'' = F/m in three descriptions; rattle is exact for a force that is constant in a step. */
static const char *const pushed[] = {
    "inputs: {F: 3}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\nforces: {x: F}\nsimulation: {step: 0.1, end: 2}\n",
    "inputs: {F: 3}\nbodies: {b: {type: particle, mass: 2, position: [0, 0]}}\nforces: {b.x: F}\n"
    "simulation: {step: 0.1, end: 2}\n",
    "inputs: {F: 3}\nbodies: {b: {type: planar, mass: 2, inertia: 1, position: [0, 0]}}\n"
    "forces: {push: {type: body, on: b, force: [F, 0]}}\nsimulation: {step: 0.1, end: 2}\n"};

static void test_force_by_input(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "moreau-midpoint"};
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 3; s++) {
            trial r = trial_begin(pushed[k], (trial_options){.scheme = schemes[s]});
            while (zn_simulation_time(r.simulation) < 1 - 1e-9) trial_step(&r);
            check_close(trial_u(&r, 0), 1.5, 1e-12);
            check_close(trial_q(&r, 0), 0.75, 1e-12);
            assert_int_equal(zn_simulation_set_input(r.simulation, "F", -3), ZN_OK);
            trial_run(&r);
            check_close(trial_u(&r, 0), 0, 1e-12);
            check_close(trial_q(&r, 0), 1.5, 1e-12);
            double value;
            assert_int_equal(zn_simulation_input(r.simulation, "F", &value), ZN_OK);
            check_close(value, -3, 0);
            trial_end(&r);
        }
}

/* Two simulations of one model have values of their own, and the model keeps its. */
static void test_own_values(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        trial a = trial_begin(pushed[k], (trial_options){.scheme = "rattle"});
        zn_simulation *b = NULL;
        const zn_model *model = zn_scene_model(a.scene);
        assert_int_equal(zn_simulation_create(a.context, model, zn_simulation_settings(a.simulation), &b), ZN_OK);
        assert_ptr_equal(zn_simulation_model(b), model);
        assert_int_equal(zn_simulation_set_input(b, "F", 6), ZN_OK);
        for (int i = 0; i < 10; i++) trial_step(&a), assert_int_equal(zn_simulation_step(b), ZN_OK);
        check_close(trial_u(&a, 0), 1.5, 1e-12);
        check_close(zn_simulation_velocities(b)[0], 3, 1e-12);
        assert_string_equal(zn_simulation_input_name(b, 0), "F");
        assert_null(zn_simulation_input_name(b, 1));
        zn_simulation_destroy(b);
        trial_end(&a);
    }
}

/* A live stiffness in an energy, a drive, a constraint and an output: m x'' = -k x, with k changed where x = 0. */
static void test_live_parameter(void **state) {
    (void)state;
    const char *text = "parameters: {m: 2, k: {value: 8, live: true}}\ncoordinates: {x: {start: 0, velocity: 1}}\n"
                       "energy: {kinetic: m/2*x'^2, potential: k/2*x^2}\noutputs: {spring: k*x}\nsimulation: {step: 1e-3, end: 10}\n";
    trial r = trial_begin(text, (trial_options){.scheme = "radau-2a", .stages = 3, .step = acos(-1) / 2 / 100, .end = acos(-1)});
    while (zn_simulation_time(r.simulation) < acos(-1) / 2 - 1e-9) trial_step(&r);
    check_close(trial_q(&r, 0), 0, 1e-9); /* half a period of omega = 2 */
    check_close(trial_u(&r, 0), -1, 1e-9);
    assert_int_equal(zn_simulation_set_input(r.simulation, "k", 2), ZN_OK);
    trial_run(&r);
    check_close(trial_q(&r, 0), -1, 1e-9); /* a quarter of omega = 1 */
    double spring;
    assert_int_equal(zn_simulation_outputs(r.simulation, &spring), ZN_OK);
    check_close(spring, -2, 1e-8);
    trial_end(&r);
    r = trial_begin(text, (trial_options){.scheme = "rattle", .set = "k = 4*m"});
    double k;
    assert_int_equal(zn_simulation_input(r.simulation, "k", &k), ZN_OK);
    check_close(k, 8, 0);
    trial_end(&r);
}

static void test_drive_by_input(void **state) {
    (void)state;
    trial r = trial_begin(
        "inputs: {speed: 2}\nbodies: {b: {type: planar, mass: 1, inertia: 1, angle_rate: 2}}\n"
        "joints: {pin: {type: revolute, between: [world, b], at: [0, 0]}, m: {type: motor, between: [world, b], drive: speed}}\n"
        "simulation: {step: 0.1, end: 2}\n",
        (trial_options){.scheme = "radau-2a"});
    while (zn_simulation_time(r.simulation) < 1 - 1e-9) trial_step(&r);
    check_close(trial_q(&r, 2), 2, 1e-9);
    assert_int_equal(zn_simulation_set_input(r.simulation, "speed", -1), ZN_OK);
    trial_run(&r);
    check_close(trial_u(&r, 2), -1, 1e-9);
    trial_end(&r);
}

/* Derivatives know nothing of inputs, and are exact with them. */
static void test_derivatives(void **state) {
    (void)state;
    trial r = trial_begin(
        "inputs: {F: 3, c: 0.5}\ncoordinates: {x: 0.3, y: 0.2}\nenergy: {kinetic: x'^2*(1 + c*y^2) + y'^2, potential: F*x^2*sin(y)}\n"
        "forces: {x: -c*x'*y}\nconstraints: {g: {position: x - c*y^2 - 0.28}}\nsimulation: {step: 0.1, end: 2}\n",
        (trial_options){.scheme = "radau-2a"});
    const double q[] = {0.4, -0.3}, u[] = {1, 2}, a[] = {-1, 0.5}, lambda[] = {2};
    zn_derivative_check check;
    zn_point at = {.t = 0.1, .q = q, .u = u, .a = a, .lambda = lambda};
    assert_int_equal(zn_model_check_derivatives(r.context, zn_scene_model(r.scene), &at, &check), ZN_OK);
    check_below(check.worst, 1e-6);
    trial_end(&r);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } wrong[] = {
        {"inputs: {F: [1]}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\n", "test:1:13: input 'F' must be a formula or a map"},
        {"inputs: {F: 1/0}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\n", "test:1:13: input 'F' is not a finite number"},
        {"inputs: {x: 1}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\n", "test:2:15: 'x' cannot be the name of a coordinate: line 1 has"},
        {"inputs: {F: 1}\ncoordinates: {x: F}\nenergy: {kinetic: x'^2}\n",
         "test:2:18: the start of a coordinate must be constant, but 'F' may change between steps"},
        {"parameters: {k: {value: 1, live: maybe}}\ncoordinates: {x: k}\nenergy: {kinetic: x'^2}\n", "live of"},
        {"parameters: {k: {live: true}}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\n", "test:1:17: parameter 'k' lacks 'value'"},
        {"inputs: {F: 1}\nbodies: {b: {type: particle, mass: F, position: [0, 0]}}\n", "test:2:36: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char text[400];
        snprintf(text, sizeof text, "%ssimulation: {step: 0.1, end: 1}\n", wrong[i].text);
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), wrong[i].expected))
            fail_msg("%s\n%s\nexpected: %s", text, zn_error_text(context), wrong[i].expected);
        zn_context_destroy(context);
    }
}

/* Positions by inputs: a table over time is the function itself, with rates; what jumps is refused. s = 2 t - t^2 (a cubic through three
 * points). */
static void test_positions_by_inputs(void **state) {
    (void)state;
#define POSITIONS(w)                                                                                                  \
    "inputs: {w: " w "}\nbodies: {b: {type: planar, mass: 2, inertia: 0.1, velocity: [2, 0]}, "                       \
    "p: {type: planar, mass: 1, inertia: 1, position: [0, 1], velocity: [2, 0]}}\n"                                   \
    "joints: {j: {type: prismatic, between: [world, b]}, m: {type: position-drive, between: [world, b], drive: w}}\n" \
    "constraints: {c: {position: p.x - w}}\nsimulation: {step: 0.01, end: 0.5}\n"
    const char *text = POSITIONS("{points: [[0, 0], [1, 1], [2, 0]], interpolation: cubic}"), *set = POSITIONS("0");
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha"};
    for (int k = 0; k < 3; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        for (int i = 0; i < 2; i++) check_close(trial_q(&r, 3 * i), 0.75, 1e-12), check_close(trial_u(&r, 3 * i), 1, 1e-10);
        trial_end(&r);
    }
    const char *moved = "inputs: {w: {points: [[0, 0], [1, 1], [2, 0]], interpolation: cubic}}\n"
                        "bodies: {p: {type: prescribed, position: [w, 0]}, b: {type: planar, mass: 1, inertia: 1, velocity: [2, 0]}}\n"
                        "joints: {f: {type: fixed, between: [p, b]}}\nsimulation: {step: 0.01, end: 0.5}\n";
    trial r = trial_complete(moved, (trial_options){.scheme = "rattle"});
    check_close(trial_q(&r, 0), 0.75, 1e-12);
    check_close(trial_u(&r, 0), 1, 1e-10);
    const double t[] = {0, 1}, w[] = {0, 1};
    const zn_table_def table = {.n = 2, .x = t, .y = w};
    assert_int_equal(zn_simulation_follow(r.simulation, "w", &table, false), ZN_ERROR_ARGUMENT);
    assert_non_null(strstr(zn_error_text(r.context), "positions follow the table of the input 'w'"));
    trial_end(&r);
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_settings settings;
    char still[800];
    snprintf(still, sizeof still, "%.*s", (int)sizeof still - 1, set);
    for (char *v; (v = strstr(still, "velocity: [2, 0]"));) v[11] = '0';
    assert_int_equal(zn_scene_parse(context, "test", still, NULL, &scene), ZN_OK);
    settings = *zn_scene_settings(scene), settings.scheme = "rattle";
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
    assert_int_equal(zn_simulation_set_input(simulation, "w", 0), ZN_OK);
    assert_int_equal(zn_simulation_set_input(simulation, "w", 0.1), ZN_ERROR_ARGUMENT);
    assert_non_null(strstr(zn_error_text(context), "would jump by 0.1 because 'w' becomes 0.1 after 0"));
    assert_int_equal(zn_simulation_follow(simulation, "w", &table, false), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_simulation_step(simulation), ZN_OK); /* as if nothing had been said */
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Each sample ends a step: where there would be millions of them in one, the time between them is wrong, and the run would not end. */
static void test_most_samples(void **state) {
    (void)state;
    static const struct {
        const char *every, *step, *says;
    } list[] = {{"1e-12", "0.01", "1e+10 samples within one step"},
                {"1e-12", "auto", "1e+12 samples until the end"},
                {"1e-4", "0.01", NULL},
                {"1e-3", "auto", NULL}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "coordinates: {x: 1}\nenergy: {kinetic: x'^2/2}\nsampled: {every: %s, f: -x}\nforces: {x: f}\nsimulation: {step: %s, end: 1}\n",
            list[k].every, list[k].step);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_simulation *sim = NULL;
        assert_int_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        zn_status status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &sim);
        assert_int_equal(status, list[k].says ? ZN_ERROR_ARGUMENT : ZN_OK);
        if (list[k].says) assert_non_null(strstr(zn_error_text(context), list[k].says));
        zn_simulation_destroy(sim);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions_by_inputs),
                                       cmocka_unit_test(test_force_by_input),
                                       cmocka_unit_test(test_own_values),
                                       cmocka_unit_test(test_live_parameter),
                                       cmocka_unit_test(test_drive_by_input),
                                       cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_most_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
