/* SPDX-License-Identifier: Apache-2.0 */
/* step: auto. Errors follow the accuracy, impacts are captured, accumulation points passed, the end is met. */
#include "base/counting_allocator.h"
#include "sim/control_runs.h"

static double distance(const double *q, const double *exact, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(q[i] - exact[i]));
    return worst;
}

/* ---- smooth motion ---- */

typedef struct scheme_case {
    const char *scheme;
    int stages;
    double most_steps_growth; /* of the number of steps for a hundredth of the accuracy: 100^(1/k), with some room */
    double slope;             /* error ~ accuracy^slope */
} scheme_case;

/* Error per step of O(h^k) with k the order of the estimate, n ~ accuracy^(-1/k); the error at the end is that of the scheme
 * of order p with these steps, so of accuracy^(p/k); where p > k the estimate is the larger one. */
static void errors_follow_the_accuracy(void **state) {
    (void)state;
    const double exact[2] = {0.99986641, -0.01634492}; /* to 5e-9 */
    const scheme_case cases[] = {{"radau-2a", 2, 4.7, 1},      {"radau-2a", 3, 3.3, 1},       {"lobatto-3a3b", 3, 3.3, 1},
                                 {"lobatto-3a3b", 4, 2.7, 1},  {"lobatto-3c", 3, 4.7, 1},     {"rattle", 2, 4.9, 2.0 / 3},
                                 {"tr-bdf2", 3, 4.9, 2.0 / 3}, {"tr-theta", 3, 4.9, 2.0 / 3}, {"lobatto-3a3b-lagrange", 2, 4.9, 2.0 / 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const scheme_case *c = &cases[i];
        long steps_before = 0;
        double error_before = INFINITY;
        for (double accuracy = 1e-4; accuracy > 5e-9; accuracy /= 100) {
            control_run r = control_run_scene("cartesian-pendulum", c->scheme, c->stages, accuracy, 2.5);
            zn_statistics stats = zn_simulation_statistics(r.simulation);
            double error = distance(zn_simulation_positions(r.simulation), exact, 2);
            print_message("    error %.3g\n", error);
            check_below(error, 10 * pow(accuracy, c->slope) + 1e-8);
            if (steps_before > 0) {
                assert_true((double)stats.steps > 1.5 * (double)steps_before);
                check_below((double)stats.steps, c->most_steps_growth * 1.15 * (double)steps_before);
                assert_true(error < 0.3 * error_before || error < 2e-8);
            }
            check_below((double)stats.rejected, 0.1 * (double)stats.steps); /* smooth: the controller knows */
            steps_before = stats.steps;
            error_before = error;
            control_close(&r);
        }
    }
}

/* Schemes without an estimate: order p, local error O(h^(p+1)), error at the end ~ accuracy^(p/(p+1)). */
static void every_scheme_can_be_controlled(void **state) {
    (void)state;
    const double exact[2] = {0.99986641, -0.01634492};
    const char *const order_1[] = {"moreau-midpoint",  "moreau-shifted",     "moreau-theta", "moreau",
                                   "moreau-symmetric", "moreau-variational", "sdirk2",       "sdirk3"};
    for (size_t i = 0; i < sizeof order_1 / sizeof *order_1; i++) {
        double errors[2];
        for (int k = 0; k < 2; k++) {
            control_run r = control_run_scene("cartesian-pendulum", order_1[i], 0, k ? 1e-6 : 1e-4, 2.5);
            errors[k] = distance(zn_simulation_positions(r.simulation), exact, 2);
            control_close(&r);
        }
        print_message("    errors %.3g, %.3g\n", errors[0], errors[1]);
        check_below(errors[1], 20 * sqrt(1e-6));
        assert_true(errors[1] < 0.4 * errors[0]);
    }
}

/* ---- impacts ---- */

/* Positions are continuous, so the bound holds at all times, also in the accumulation of impacts at t = 3.161. */
static void bouncing_ball(const char *scheme, int stages, double accuracy, long *steps) {
    control_run r = control_load(zn_context_create(NULL), "bouncing-ball", scheme, stages, accuracy, 4);
    control_begin(&r);
    double worst = 0;
    while (!zn_simulation_done(r.simulation)) {
        assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
        worst = fmax(worst, fabs(zn_simulation_positions(r.simulation)[0] - bouncing_ball_height(zn_simulation_time(r.simulation))));
    }
    zn_statistics stats = zn_simulation_statistics(r.simulation);
    print_message("bouncing-ball %s accuracy %g: %ld steps, %ld rejected, %.3g to %.3g, error %.3g\n", scheme, accuracy, stats.steps,
                  stats.rejected, stats.step_min, stats.step_max, worst);
    check_below(worst, 20 * accuracy);
    check_close(zn_simulation_positions(r.simulation)[0], 0, accuracy);
    check_close(zn_simulation_velocities(r.simulation)[0], 0, 0.1 * sqrt(accuracy)); /* a bounce as high as the accuracy is not seen */
    check_close(zn_simulation_percussion_totals(r.simulation)[0], 0.1 * 9.81 * 4, 0.02 * sqrt(accuracy));
    *steps = stats.steps;
    control_close(&r);
}

static void accumulation_points_are_passed(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a",   "lobatto-3a3b",    "rattle",       "tr-bdf2",
                                   "lobatto-3c", "moreau-midpoint", "moreau-theta", "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        long steps[3];
        for (int k = 0; k < 3; k++) bouncing_ball(schemes[i], 0, pow(10, -4 - k), &steps[k]);
        /* ln(1/accuracy)/(2 ln(1/e)) impacts are resolved, each by ln(flight/capture)/ln 5 steps and a few more */
        check_below((double)steps[0], 200);
        check_below((double)steps[2], 400);
        check_below((double)steps[2], 2.5 * (double)steps[0]);
    }
}

/* Falls until t1, slips until t2, rolls. */
static void rotating_ball_slips_and_rolls(void **state) {
    (void)state;
    const double g = 10, mu = 0.2, t1 = sqrt(2 * 0.9 / g), P = g * t1, v1 = -mu * P, slip = v1 + 5 - 2.5 * mu * P,
                 slipping = slip / (3.5 * mu * g);
    const double v2 = v1 - mu * g * slipping, x = v1 * slipping - mu * g * slipping * slipping / 2 + v2 * (2 - t1 - slipping);
    const double phi = 50 * t1 - 10 * (v2 * (2 - t1 - slipping)) + (50 - 25 * mu * P) * slipping - 25 * mu * g * slipping * slipping / 2;
    const double exact[3] = {x, 0.1, phi};
    const scheme_case cases[] = {{"radau-2a", 2, 0, 0}, {"radau-2a", 3, 0, 0}, {"lobatto-3c", 2, 0, 0},     {"lobatto-3a3b", 3, 0, 0},
                                 {"rattle", 2, 0, 0},   {"tr-bdf2", 3, 0, 0},  {"moreau-midpoint", 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double accuracy = 1e-4; accuracy > 5e-7; accuracy /= 100) {
            control_run r = control_run_scene("rotating-ball", cases[i].scheme, cases[i].stages, accuracy, 2);
            const double *q = zn_simulation_positions(r.simulation), *u = zn_simulation_velocities(r.simulation);
            for (int k = 0; k < 3; k++) check_close_relative(q[k], exact[k], 20 * accuracy, 20 * accuracy);
            check_close(u[0], v2, 1e-8);
            check_close(u[2], -10 * v2, 1e-7);
            assert_true(zn_simulation_statistics(r.simulation).steps < 100);
            assert_true(zn_simulation_statistics(r.simulation).rejected > 0); /* the impact was not known beforehand */
            control_close(&r);
        }
}

static void slope_drop_is_accurate_after_its_impact(void **state) {
    (void)state;
    const double exact[2] = {0.9973042131, 0.3688725037};
    const scheme_case cases[] = {{"radau-2a", 2, 0, 0}, {"radau-2a", 3, 0, 0}, {"lobatto-3a3b", 3, 0, 0}, {"lobatto-3c", 3, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double accuracy = 1e-4; accuracy > 5e-8; accuracy /= 10) {
            control_run r = control_run_scene("slope-drop", cases[i].scheme, cases[i].stages, accuracy, 0.8192);
            check_below(distance(zn_simulation_positions(r.simulation), exact, 2), 10 * accuracy);
            check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
            control_close(&r);
        }
}

/* The spring has a period of 6e-4: a stiff scheme does not resolve it. */
static void stiff_pendulum_is_not_slowed_by_its_spring(void **state) {
    (void)state;
    const scheme_case cases[] = {{"radau-2a", 2, 0, 0}, {"radau-2a", 3, 0, 0}, {"tr-bdf2", 3, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double q[2][2];
        for (int k = 0; k < 2; k++) {
            control_run r = control_run_scene("stiff-pendulum", cases[i].scheme, cases[i].stages, k ? 1e-7 : 1e-5, 3);
            memcpy(q[k], zn_simulation_positions(r.simulation), sizeof q[k]);
            if (k == 0) assert_true(zn_simulation_statistics(r.simulation).steps < 400);
            control_close(&r);
        }
        check_below(distance(q[0], q[1], 2), i < 2 ? 1e-4 : 1e-3);
        check_close(hypot(q[1][0], q[1][1]), 1, 1e-6);
    }
}

/* ---- the controller itself ---- */

static void a_first_step_that_is_too_large_is_rejected(void **state) {
    (void)state;
    control_run r = control_load(zn_context_create(NULL), "cartesian-pendulum", "radau-2a", 3, 1e-8, 2.5);
    r.settings.step = 1;
    control_begin(&r);
    assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
    zn_statistics stats = zn_simulation_statistics(r.simulation);
    assert_int_equal(stats.steps, 1);
    assert_true(stats.rejected >= 1 && stats.rejected < 20);
    check_close(stats.step_min, zn_simulation_time(r.simulation), 0);
    check_close(stats.step_max, zn_simulation_time(r.simulation), 0);
    check_below(stats.step_max, 0.1);
    control_close(&r);
}

/* The woodpecker starts 8.8e-7 inside its sleeve (within the tolerance of starts): no step is small enough for that move. The
 * highest accuracy is close to round-off. Both go on. */
static void errors_that_steps_cannot_reduce_do_not_stall(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "rattle", "moreau-midpoint"};
    for (int i = 0; i < 3; i++) {
        control_run r = control_run_scene("woodpecker", schemes[i], 0, 1e-4, 0.3);
        const double *q = zn_simulation_positions(r.simulation);
        assert_true(q[0] < -0.02 && q[0] > -0.06); /* two cycles of the limit cycle are -0.039 */
        assert_true(fabs(q[1]) < 0.11 && zn_simulation_statistics(r.simulation).steps < 10000);
        control_close(&r);
    }
    control_run r = control_run_scene("rotating-ball", "radau-2a", 2, 1e-12, 0.1);
    assert_true(zn_simulation_statistics(r.simulation).steps < 10000);
    control_close(&r);
    r = control_run_scene("cartesian-pendulum", "radau-2a", 6, 1e-12, 0.5);
    assert_true(zn_simulation_statistics(r.simulation).steps < 10000);
    control_close(&r);
}

/* A shaft that friction and a clutch hold from the start on never moves: round-off is all that there is to compare errors with. The load
 * changes, and the shaft stays, or turns freely in the end. */
static void what_is_held_from_the_start_does_not_stall(void **state) {
    (void)state;
    static const char *const loads[] = {"{points: [[0, -2.7], [1, -4.4]]}", "{points: [[0, 1.2], [0.3, -3], [1, 4.6]]}"};
    static const zn_contact_events events[] = {ZN_EVENTS_CAPTURED, ZN_EVENTS_LOCATED};
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha", "tr-bdf2", "moreau-midpoint"};
    for (int k = 0; k < 20; k++) {
        char text[600];
        control_run r = {.context = zn_context_create(NULL)};
        snprintf(
            text, sizeof text,
            "inputs: {load: %s}\nbodies: {shaft: {type: planar, mass: 1, inertia: 2.5}}\n"
            "joints: {bearing: {type: revolute, between: [world, shaft], stops: [-0.5, null], friction: {torque: 1.6}, clutch: forward}}\n"
            "forces: {motor: {type: torque-actuator, between: [world, shaft], value: load}}\nsimulation: {step: auto, accuracy: 1e-8, end: "
            "2}\n",
            loads[k / 2 % 2]);
        if (zn_scene_parse(r.context, "shaft", text, NULL, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
        r.settings = *zn_scene_settings(r.scene);
        r.settings.scheme = schemes[k / 4], r.settings.stages = 0, r.settings.contact_events = events[k % 2];
        if (k < 16 || k % 2 == 0) { /* Moreau's schemes capture */
            control_begin(&r);
            for (int i = 0; i < 10000 && !zn_simulation_done(r.simulation); i++)
                if (zn_simulation_step(r.simulation) != ZN_OK) fail_msg("%s: %s", schemes[k / 4], zn_error_text(r.context));
            if (!zn_simulation_done(r.simulation))
                fail_msg("%s, load %d: at t = %g", schemes[k / 4], k / 2 % 2, zn_simulation_time(r.simulation));
            check_close(zn_simulation_positions(r.simulation)[2], k / 2 % 2 ? 0.6 : 0, k / 2 % 2 ? 2e-3 : 1e-15);
        }
        control_close(&r);
    }
}

/* The force is not a number after t = 1. */
static void a_failure_keeps_the_last_good_state(void **state) {
    (void)state;
    const char text[] = "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nforces: {x: sqrt(1 - t)}\n"
                        "simulation: {scheme: radau-2a, step: auto, end: 2}\n";
    control_run r = {.context = zn_context_create(NULL)};
    assert_int_equal(zn_scene_parse(r.context, "force", text, NULL, &r.scene), ZN_OK);
    r.settings = *zn_scene_settings(r.scene);
    control_begin(&r);
    assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_ERROR_NOT_FINITE);
    assert_non_null(strstr(zn_error_text(r.context), "the force on"));
    check_close(zn_simulation_time(r.simulation), 1, 1e-9);
    check_close(zn_simulation_positions(r.simulation)[0], 0.4, 1e-5); /* 2/3 t + 4/15 ((1 - t)^(5/2) - 1) */
    assert_true(zn_simulation_statistics(r.simulation).rejected > 10);
    assert_int_equal(zn_simulation_step(r.simulation), ZN_ERROR_NOT_FINITE);
    check_close(zn_simulation_time(r.simulation), 1, 1e-9);
    control_close(&r);
}

static void runs_are_the_same_to_the_bit(void **state) {
    (void)state;
    control_run one = control_run_scene("rotating-ball", "radau-2a", 2, 1e-6, 2),
                two = control_run_scene("rotating-ball", "radau-2a", 2, 1e-6, 2);
    assert_memory_equal(zn_simulation_positions(one.simulation), zn_simulation_positions(two.simulation), 3 * sizeof(double));
    assert_int_equal(zn_simulation_statistics(one.simulation).rejected, zn_simulation_statistics(two.simulation).rejected);
    control_close(&one);
    control_close(&two);
}

static void steps_do_not_allocate(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "moreau-midpoint", "rattle"};
    for (int i = 0; i < 3; i++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        control_run r = control_load(counting_context(&memory), "bouncing-ball", schemes[i], 0, 1e-5, 4);
        r.settings.record_step = 0.01;
        control_begin(&r);
        long before = memory.requests;
        while (!zn_simulation_done(r.simulation)) {
            assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
            while (zn_simulation_next_row(r.simulation)) continue;
        }
        assert_int_equal(memory.requests, before);
        control_close(&r);
        assert_int_equal(memory.live, 0);
    }
}

static void failing_memory_is_a_clean_error(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "moreau-midpoint"};
    for (int i = 0; i < 2; i++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        control_run r = control_load(counting_context(&memory), "bouncing-ball", schemes[i], 0, 1e-5, 4);
        r.settings.record_step = 0.01;
        long begin = memory.requests, failures = 0;
        for (memory.fail_at = begin;; memory.fail_at++, failures++) {
            memory.requests = begin;
            zn_error_clear(r.context);
            zn_status status = zn_simulation_create(r.context, zn_scene_model(r.scene), &r.settings, &r.simulation);
            if (status == ZN_OK) break;
            assert_int_equal(status, ZN_ERROR_MEMORY);
            assert_null(r.simulation);
        }
        assert_true(failures > 20);
        control_close(&r);
        assert_int_equal(memory.live, 0);
    }
}

static void nonsense_is_refused(void **state) {
    (void)state;
    const double wrong[] = {0, 1e-13, NAN, INFINITY, 1, /* steps */ -1, NAN, INFINITY};
    control_run r = control_load(zn_context_create(NULL), "bouncing-ball", "radau-2a", 2, 1e-6, 4);
    for (int i = 0; i < 8; i++) {
        zn_settings bad = r.settings;
        if (i < 5) bad.accuracy = wrong[i];
        else bad.step = wrong[i];
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &bad, &r.simulation), ZN_ERROR_ARGUMENT);
        assert_null(r.simulation);
        assert_non_null(strstr(zn_error_text(r.context), i < 5 ? "accuracy" : "step"));
        zn_error_clear(r.context);
    }
    r.settings.step_auto = false; /* with a step given, the accuracy is not checked; without one it is */
    r.settings.accuracy = -1;
    assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &r.settings, &r.simulation), ZN_ERROR_ARGUMENT);
    r.settings.step = 0.1;
    control_begin(&r);
    control_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_accuracy),
        cmocka_unit_test(every_scheme_can_be_controlled),
        cmocka_unit_test(accumulation_points_are_passed),
        cmocka_unit_test(rotating_ball_slips_and_rolls),
        cmocka_unit_test(slope_drop_is_accurate_after_its_impact),
        cmocka_unit_test(stiff_pendulum_is_not_slowed_by_its_spring),
        cmocka_unit_test(a_first_step_that_is_too_large_is_rejected),
        cmocka_unit_test(errors_that_steps_cannot_reduce_do_not_stall),
        cmocka_unit_test(what_is_held_from_the_start_does_not_stall),
        cmocka_unit_test(a_failure_keeps_the_last_good_state),
        cmocka_unit_test(runs_are_the_same_to_the_bit),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(failing_memory_is_a_clean_error),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
