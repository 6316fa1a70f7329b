/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: how many runs, in which order, with which values; wrong texts are refused with a sentence. */
#include "check.h"
#include "study/plan.h"

#include <stdio.h>
#include <stdlib.h>

static zn_context *context;

static int set_up(void **state) {
    (void)state;
    context = zn_context_create(NULL);
    return context ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    zn_context_destroy(context);
    return 0;
}

static study_plan make(int n, const char *const *vary, long samples, study_sampling sampling, bool zip) {
    study_plan plan;
    zn_status status = study_plan_create(context, &(study_plan_def){n, vary, samples, sampling, 1, zip}, &plan);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    return plan;
}

static void test_crossed(void **state) {
    (void)state;
    const char *vary[] = {"a=1,2,3", "b = 0:1:5", "c=log:1:100:3"};
    study_plan plan = make(3, vary, 0, STUDY_RANDOM, false);
    assert_int_equal(plan.runs, 45);
    const double c[] = {1, 10, 100};
    for (long k = 0; k < 45; k++) { /* the last one is the fastest */
        check_close(study_plan_value(&plan, 0, k), 1 + (double)(k / 15), 0);
        check_close(study_plan_value(&plan, 1, k), 0.25 * (double)(k / 3 % 5), 1e-16);
        check_near(study_plan_value(&plan, 2, k), c[k % 3], 1e-15);
    }
    assert_string_equal(plan.axes[1].name, "b");
    check_close(study_plan_value(&plan, 2, 44), 100, 0); /* ends are exact */
    study_plan_free(&plan);
}

static void test_zipped(void **state) {
    (void)state;
    const char *vary[] = {"a=1,2,3", "b=-1:1:3", "c=uniform:5:6"};
    study_plan plan = make(3, vary, 3, STUDY_LATIN, true);
    assert_int_equal(plan.runs, 3);
    for (long k = 0; k < 3; k++) {
        check_close(study_plan_value(&plan, 0, k), 1 + (double)k, 0);
        check_close(study_plan_value(&plan, 1, k), -1 + (double)k, 0);
        assert_true(study_plan_value(&plan, 2, k) > 5 && study_plan_value(&plan, 2, k) < 6);
    }
    study_plan_free(&plan);
}

/* Samples cross with lists, and each element of the list sees the same ones. */
static void test_samples(void **state) {
    (void)state;
    const char *vary[] = {"x=uniform:-1:1", "n=10,20", "y=normal:3:0.5", "z=truncated:0:1:0.5:2"};
    enum { N = 4096 };
    study_plan plan = make(4, vary, N, STUDY_LATIN, false);
    assert_int_equal(plan.runs, 2 * N);
    double mean = 0, variance = 0, truncated = 0;
    for (long k = 0; k < N; k++) {
        check_close(study_plan_value(&plan, 1, k), 10, 0);
        check_close(study_plan_value(&plan, 1, N + k), 20, 0);
        for (int i = 0; i < 4; i += 2) assert_true(study_plan_value(&plan, i, k) == study_plan_value(&plan, i, N + k));
        double y = study_plan_value(&plan, 2, k), z = study_plan_value(&plan, 3, k);
        assert_true(z >= 0.5 && z <= 2);
        mean += y / N, variance += (y - 3) * (y - 3) / N, truncated += z / N;
    }
    /* Latin hypercubes integrate functions of one variable with an error of N^(-3/2); the mean of the truncated one is (phi(l) -
     * phi(h))/(Phi(h) - Phi(l)). */
    check_close(mean, 3, 1e-3);
    check_close(variance, 0.25, 1e-3);
    double density = 0.3989422804014327;
    check_close(truncated, (density * exp(-0.125) - density * exp(-2)) / (study_normal(2) - study_normal(0.5)), 1e-4);
    study_plan_free(&plan);
}

static void test_words(void **state) {
    (void)state;
    const char *vary[] = {"scheme=radau-2a:2,moreau", "step=1e-2,auto"};
    study_plan plan = make(2, vary, 0, STUDY_RANDOM, false);
    char text[40];
    assert_int_equal(plan.runs, 4);
    assert_string_equal(study_plan_text(&plan, 0, 0, text, sizeof text), "radau-2a:2");
    assert_string_equal(study_plan_text(&plan, 0, 3, text, sizeof text), "moreau");
    assert_string_equal(study_plan_text(&plan, 1, 2, text, sizeof text), "1e-2");
    assert_string_equal(study_plan_text(&plan, 1, 1, text, sizeof text), "auto");
    study_plan_free(&plan);
}

static void refused(const char *vary, long samples, study_sampling sampling, bool zip, const char *sentence) {
    const char *texts[8];
    char *copy = strdup(vary), *next = copy;
    int n = 0;
    for (char *word = strtok(next, " "); word; word = strtok(NULL, " ")) texts[n++] = word;
    study_plan plan;
    zn_error_clear(context);
    assert_int_equal(study_plan_create(context, &(study_plan_def){n, texts, samples, sampling, 0, zip}, &plan), ZN_ERROR_ARGUMENT);
    if (!strstr(zn_error_text(context), sentence)) fail_msg("'%s' gives '%s', not '%s'", vary, zn_error_text(context), sentence);
    free(copy);
}

static void test_wrong(void **state) {
    (void)state;
    refused("", 0, STUDY_RANDOM, false, "choose what varies");
    refused("x", 0, STUDY_RANDOM, false, "NAME=VALUES");
    refused("=1", 0, STUDY_RANDOM, false, "NAME=VALUES");
    refused("x=", 0, STUDY_RANDOM, false, "no values");
    refused("x=1,,2", 0, STUDY_RANDOM, false, "empty");
    refused("x=1:2", 0, STUDY_RANDOM, false, "values are");
    refused("x=1:2:3:4", 0, STUDY_RANDOM, false, "values are");
    refused("x=1:b:3", 0, STUDY_RANDOM, false, "values are");
    refused("x=1:2:0", 0, STUDY_RANDOM, false, "whole number");
    refused("x=1:2:2.5", 0, STUDY_RANDOM, false, "whole number");
    refused("x=1:2:nan", 0, STUDY_RANDOM, false, "values are");
    refused("x=1:2:1e17", 0, STUDY_RANDOM, false, "whole number");
    refused("x=log:-1:2:3", 0, STUDY_RANDOM, false, "above 0");
    refused("x=log:0:2:3", 0, STUDY_RANDOM, false, "above 0");
    refused("x=uniform:2:1", 5, STUDY_RANDOM, false, "A < B");
    refused("x=normal:2:0", 5, STUDY_RANDOM, false, "deviation");
    refused("x=truncated:0:1:2:2", 5, STUDY_RANDOM, false, "LOW < HIGH");
    refused("x=truncated:0:1:50:60", 5, STUDY_RANDOM, false, "nothing of the distribution");
    refused("x=uniform:0:1", 0, STUDY_RANDOM, false, "--samples");
    refused("x=1,2", 7, STUDY_RANDOM, false, "none is given");
    refused("x=1,2 x=3", 0, STUDY_RANDOM, false, "twice");
    refused("x=1,2 y=1:3:3", 0, STUDY_RANDOM, true, "same number of values");
    refused("x=0:1:1000000000000 y=0:1:1000000000000", 0, STUDY_RANDOM, false, "too many");
    refused("a/b=1", 0, STUDY_RANDOM, false, "slash");
}

/* Random texts: refused or finite numbers of runs, never a crash. */
static void test_noise(void **state) {
    (void)state;
    static const char letters[] = "ab=:,.019-e'\" \tlogunifrmt\\/\xc3";
    srand(4);
    for (int i = 0; i < 20000; i++) {
        char text[24] = "a=";
        int n = rand() % 20, begin = rand() % 2 * 2;
        for (int k = 0; k < n; k++) text[begin + k] = letters[(size_t)rand() % (sizeof letters - 1)];
        text[begin + n] = '\0';
        const char *vary[] = {text};
        study_plan plan;
        if (study_plan_create(context, &(study_plan_def){1, vary, rand() % 2 ? 3 : 0, STUDY_SOBOL, 1, false}, &plan) == ZN_OK) {
            assert_true(plan.runs >= 1);
            study_plan_value(&plan, 0, plan.runs - 1);
            study_plan_free(&plan);
        } else zn_error_clear(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_crossed, set_up, tear_down), cmocka_unit_test_setup_teardown(test_zipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down), cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong, set_up, tear_down),   cmocka_unit_test_setup_teardown(test_noise, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
