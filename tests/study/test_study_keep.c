/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run, against the numbers that a sine has. */
#include "check.h"
#include "study/keep.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4001 };
static const double pi = 3.14159265358979323846;

/* t, x = sin t + c, y = t^2, and the percussions of a contact that is hit twice. */
static result_file *make_result(zn_context *context, double offset) {
    static const char *const q[] = {"x", "y"}, *const hits[] = {"floor.normal"};
    const result_dataset datasets[] = {{"t", NULL, 1, NULL, true}, {"q", NULL, 2, q, true}, {"percussion", NULL, 1, hits, false}};
    result_file *result = NULL;
    assert_int_equal(result_memory_create(context, &(result_layout){.n_datasets = 3, .datasets = datasets}, &result), ZN_OK);
    for (int i = 0; i < ROWS; i++) {
        double t = 4 * 2 * pi * i / (ROWS - 1), row[] = {t, sin(t) + offset, t * t, i == 100 || i == 101 || i == 3000};
        assert_int_equal(result_memory_row(result, row), ZN_OK);
    }
    return result;
}

static zn_status take(zn_context *context, const char *text, double from, double *numbers, study_events *events, int *width) {
    study_keep keep;
    result_file *result = make_result(context, 0.25);
    const char *texts[] = {text};
    zn_status status = study_keep_create(context, 1, texts, from, result, &keep);
    if (status == ZN_OK) {
        zn_statistics statistics = {.steps = 42, .max_penetration = 0.5, .newton_max = 7};
        *width = keep.width;
        status = study_keep_take(&keep, result, &statistics, numbers, events);
        study_keep_free(&keep);
    }
    result_close(result);
    return status;
}

static void test_numbers(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    double n[16] = {0};
    study_events events = {.memory = context};
    int width = 0;
    assert_int_equal(take(context, "last:q,min:x,max:x,mean:x,rms:x,period:x,summary:steps,max_penetration,newton_max,final:y", -HUGE_VAL,
                          n, &events, &width),
                     ZN_OK);
    assert_int_equal(width, 11);
    double h = 8 * pi / (ROWS - 1), T = 8 * pi;
    check_close(n[0], 0.25, 1e-13);
    check_near(n[1], T * T, 1e-15);
    check_close(n[2], -0.75, h * h);
    check_close(n[3], 1.25, h * h);
    check_close(n[4], 0.25, 1e-13); /* the trapezoidal rule is exact for whole periods */
    check_close(n[5], sqrt(0.5 + 0.0625), 1e-13);
    check_close(n[6], 2 * pi, h * h);
    check_close(n[7], 42, 0);
    check_close(n[8], 0.5, 0);
    check_close(n[9], 7, 0);
    check_near(n[10], T * T, 1e-15);
    /* From half a period on there is one rising zero less, and the mean of y = t^2 is that of the rest. */
    assert_int_equal(take(context, "mean:y,period:x", T / 2, n, &events, &width), ZN_OK);
    check_close(n[0], (T * T * T - T * T * T / 8) / (1.5 * T), h * h);
    check_close(n[1], 2 * pi, h * h);
    assert_int_equal(take(context, "mean:y,max:x", 2 * T, n, &events, &width), ZN_OK); /* no rows: no number */
    assert_true(isnan(n[0]) && isnan(n[1]));
    mem_free(context, events.entries);
    zn_context_destroy(context);
}

static void test_events(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    double n[4], h = 8 * pi / (ROWS - 1);
    study_events events = {.memory = context};
    int width = 9;
    assert_int_equal(take(context, "rising:x:t,y,falling:x:y,impact:floor:x", -HUGE_VAL, n, &events, &width), ZN_OK);
    assert_int_equal(width, 0);
    enum { WIDTH = 2 + 3 };
    /* x = 0 at sin t = -1/4: four times upwards, four times downwards, then two impacts (two rows in sequence are one). */
    assert_int_equal(events.count, 10);
    double down = pi + asin(0.25), up = 2 * pi - asin(0.25);
    for (int i = 0; i < 4; i++) {
        const double *rising = events.entries + i * WIDTH, *falling = events.entries + (4 + i) * WIDTH;
        check_close(rising[0], 0, 0);
        check_close(rising[1], up + 2 * pi * i, h * h);
        check_close(rising[2], rising[1], 1e-13); /* the time as a column */
        check_close(rising[3], rising[1] * rising[1], h * h);
        check_close(rising[4], 0, 1e-12);
        check_close(falling[0], 1, 0);
        check_close(falling[1], down + 2 * pi * i, h * h);
    }
    check_close(events.entries[8 * WIDTH + 1], 100 * h, 1e-13);
    check_close(events.entries[9 * WIDTH + 1], 3000 * h, 1e-13);
    check_close(events.entries[9 * WIDTH + 4], sin(3000 * h) + 0.25, 1e-13);
    mem_free(context, events.entries);
    zn_context_destroy(context);
}

static void test_wrong(void **state) {
    (void)state;
    const char *const wrong[][2] = {{"x", "begins with"},
                                    {"last:", "missing"},
                                    {"last:z", "no column"},
                                    {"last:x,last:x", "twice"},
                                    {"summary:stps", "steps"},
                                    {"impact:floor", "CONTACT"},
                                    {"impact:roof:x", "column"},
                                    {"rising:x", "COLUMN"},
                                    {"rising::x", "COLUMN"},
                                    {"mode:x", "begins with"},
                                    {"summary:nothing_like_it", "it has"},
                                    {"", "begins with"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zn_context *context = zn_context_create(NULL);
        double n[4];
        study_events events = {0};
        int width;
        assert_int_equal(take(context, wrong[i][0], 0, n, &events, &width), ZN_ERROR_ARGUMENT);
        if (!strstr(zn_error_text(context), wrong[i][1])) fail_msg("'%s' gives '%s'", wrong[i][0], zn_error_text(context));
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_events), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
