/* SPDX-License-Identifier: Apache-2.0 */
/* record_step: rows exactly at its multiples and at the end, inside steps or landed on. */
#include "sim/control_runs.h"

enum { MAX_ROWS = 4000 };

typedef struct rows {
    int count;
    double t[MAX_ROWS], q[MAX_ROWS], u[MAX_ROWS], gap[MAX_ROWS], total[MAX_ROWS];
} rows;

static int keep_row(void *user, const zn_simulation *simulation) {
    rows *r = user;
    assert_true(r->count < MAX_ROWS);
    int i = r->count++;
    r->t[i] = zn_simulation_time(simulation);
    r->q[i] = zn_simulation_positions(simulation)[0];
    r->u[i] = zn_simulation_velocities(simulation)[0];
    r->gap[i] = zn_simulation_model(simulation)->size.n_contacts ? zn_simulation_gaps(simulation)[0] : 0;
    r->total[i] = zn_simulation_model(simulation)->size.n_contacts ? zn_simulation_percussion_totals(simulation)[0] : 0;
    return 0;
}

static void check_times(const rows *r, double each, double end) {
    int whole = (int)floor(end / each + 1e-9);
    bool rest = end - whole * each > 1e-9 * each;
    assert_int_equal(r->count, whole + 1 + rest);
    for (int i = 0; i < r->count; i++) check_close(r->t[i], i <= whole && (rest || i < whole) ? i * each : end, 0);
}

/* step 0: auto. */
static control_run record(const char *scene, const char *scheme, int stages, double step, double accuracy, double each, double end,
                          rows *r) {
    control_run run = control_load(zn_context_create(NULL), scene, scheme, stages, accuracy, end);
    run.settings.step_auto = step == 0;
    run.settings.step = step;
    run.settings.record_step = each;
    r->count = 0;
    control_begin(&run);
    if (zn_simulation_run(run.simulation, keep_row, r) != ZN_OK) fail_msg("%s", zn_error_text(run.context));
    check_times(r, each, end);
    return run;
}

/* Free flight is a parabola, which all of these dense outputs reproduce; through the impacts positions stay near the exact ones. */
static void rows_of_a_bouncing_ball(void **state) {
    (void)state;
    static rows r;
    const char *const schemes[] = {"radau-2a", "lobatto-3c", "lobatto-3a3b",    "rattle",
                                   "tr-bdf2",  "sdirk3",     "moreau-midpoint", "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        for (int k = 0; k < 2; k++) {
            const double accuracy = 1e-6, end = k ? 4 : 3.9137;
            control_run run = record("bouncing-ball", schemes[i], 0, 0, accuracy, k ? 0.01 : 0.0625, end, &r);
            for (int j = 0; j < r.count; j++) {
                if (!(fabs(r.q[j] - bouncing_ball_height(r.t[j])) < 30 * accuracy)) print_error("%s at t = %.9g\n", schemes[i], r.t[j]);
                check_close(r.q[j], bouncing_ball_height(r.t[j]), 30 * accuracy);
                check_close(r.gap[j], r.q[j], 0);
                if (j > 0) check_below(r.total[j - 1] - r.total[j], 1e-12);
                if (r.t[j] < 0.4515) check_close(r.u[j], -9.81 * r.t[j], 1e-9);
            }
            check_close(r.total[r.count - 1], 0.1 * (9.81 * end + r.u[r.count - 1]), 1e-9); /* nothing is lost between rows */
            control_close(&run);
        }
    }
}

/* Fixed steps of 0.05, rows at 0.004 (inside steps) or 0.125 (between them). */
static void rows_of_fixed_steps(void **state) {
    (void)state;
    static rows r;
    const double every[] = {0.004, 0.05, 0.125, 0.1};
    const char *const schemes[] = {"radau-2a", "lobatto-3a3b", "moreau-midpoint"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            control_run run = record("bouncing-ball", schemes[i], 0, 0.05, 1e-6, every[k], 0.44, &r);
            for (int j = 0; j < r.count; j++) {
                check_close(r.q[j], 1 - 9.81 * r.t[j] * r.t[j] / 2, 1e-12);
                check_close(r.u[j], -9.81 * r.t[j], 1e-12);
            }
            zn_statistics stats = zn_simulation_statistics(run.simulation);
            bool dense = strcmp(schemes[i], "moreau-midpoint") != 0;
            if (dense || k == 1 || k == 3) assert_int_equal(stats.steps, 9); /* the grid is as without rows */
            else assert_true(stats.steps > 9);
            check_below(stats.step_max, 0.05);
            control_close(&run);
        }
}

/* The motion inside large steps has the order of the stages: O(h^(s+1)). */
static void rows_inside_of_steps_are_accurate(void **state) {
    (void)state;
    static rows coarse, fine;
    const struct {
        const char *scheme;
        int stages;
        double order;
    } cases[] = {{"radau-2a", 2, 3}, {"radau-2a", 3, 4},     {"lobatto-3c", 3, 3},
                 {"rattle", 2, 2},   {"lobatto-3a3b", 3, 4}, {"lobatto-3a3b", 4, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2] = {0, 0};
        control_run reference = record("cartesian-pendulum", "radau-2a", 5, 2e-3, 0, 0.01, 0.8, &fine);
        control_close(&reference);
        for (int k = 0; k < 2; k++) {
            control_run run = record("cartesian-pendulum", cases[i].scheme, cases[i].stages, k ? 0.05 : 0.1, 0, 0.01, 0.8, &coarse);
            for (int j = 0; j < coarse.count; j++) error[k] = fmax(error[k], fabs(coarse.q[j] - fine.q[j]));
            control_close(&run);
        }
        print_message("%s:%d rows inside steps of 0.1, 0.05: errors %.3g, %.3g, order %.2f\n", cases[i].scheme, cases[i].stages, error[0],
                      error[1], log2(error[0] / error[1]));
        check_below(error[0], 0.05);
        assert_true(log2(error[0] / error[1]) > cases[i].order - 0.5);
    }
}

static void without_rows_nothing_changes(void **state) {
    (void)state;
    static rows r;
    control_run with = record("rotating-ball", "radau-2a", 2, 0, 1e-6, 0.01, 2, &r),
                without = control_run_scene("rotating-ball", "radau-2a", 2, 1e-6, 2);
    assert_memory_equal(zn_simulation_positions(with.simulation), zn_simulation_positions(without.simulation), 3 * sizeof(double));
    assert_int_equal(zn_simulation_statistics(with.simulation).steps, zn_simulation_statistics(without.simulation).steps);
    control_close(&with);
    control_close(&without);
}

/* A caller that steps without asking for rows sees the ends of steps, and rows that were left behind do not come back. */
static void rows_need_not_be_asked_for(void **state) {
    (void)state;
    control_run run = control_load(zn_context_create(NULL), "bouncing-ball", "radau-2a", 2, 1e-6, 1);
    run.settings.step_auto = false;
    run.settings.step = 0.1;
    run.settings.record_step = 0.03;
    control_begin(&run);
    for (int i = 1; i <= 3; i++) assert_int_equal(zn_simulation_step(run.simulation), ZN_OK);
    check_close(zn_simulation_time(run.simulation), 3 * 0.1, 0);
    assert_true(zn_simulation_next_row(run.simulation));
    check_close(zn_simulation_time(run.simulation), 7 * 0.03, 0);
    assert_true(zn_simulation_next_row(run.simulation));
    assert_true(zn_simulation_next_row(run.simulation));
    check_close(zn_simulation_time(run.simulation), 9 * 0.03, 0);
    assert_true(zn_simulation_next_row(run.simulation));
    check_close(zn_simulation_time(run.simulation), 10 * 0.03, 0);
    assert_false(zn_simulation_next_row(run.simulation));
    check_close(zn_simulation_time(run.simulation), 3 * 0.1, 0);
    assert_false(zn_simulation_next_row(run.simulation));
    control_close(&run);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    const double wrong[] = {-1, NAN, INFINITY, 1e-300};
    control_run r = control_load(zn_context_create(NULL), "bouncing-ball", "radau-2a", 2, 1e-6, 4);
    for (int i = 0; i < 5; i++) {
        zn_settings bad = r.settings;
        bad.record_step = i < 4 ? wrong[i] : 0.1;
        if (i == 4) bad.record_every = 2;
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &bad, &r.simulation), ZN_ERROR_ARGUMENT);
        assert_non_null(strstr(zn_error_text(r.context), "record_step"));
        zn_error_clear(r.context);
    }
    control_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_bouncing_ball),           cmocka_unit_test(rows_of_fixed_steps),
        cmocka_unit_test(rows_inside_of_steps_are_accurate), cmocka_unit_test(without_rows_nothing_changes),
        cmocka_unit_test(rows_need_not_be_asked_for),        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
