/* SPDX-License-Identifier: Apache-2.0 */
/* Points of the unit cube: known answers of Philox, strata, moments, and that a point depends on its number only. */
#include "check.h"
#include "study/sample.h"

#include <stdlib.h>
#include <string.h>

/* The known answers that come with the generator's paper. */
static void test_philox(void **state) {
    (void)state;
    const struct {
        study_block counter;
        uint32_t key[2];
        study_block answer;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {0xa4093822, 0x299f31d0}, {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        study_block b = study_philox(known[i].counter, known[i].key[0], known[i].key[1]);
        assert_memory_equal(&b, &known[i].answer, sizeof b);
    }
}

/* One point in each of N strata: of Latin hypercubes for every N, of Sobol for powers of two. */
static void check_strata(study_sampling sampling, int dimension, uint64_t n) {
    char *hit = calloc(n, 1);
    assert_non_null(hit);
    for (uint64_t k = 0; k < n; k++) {
        double x = study_sample(sampling, 7, dimension, k, n);
        assert_true(x > 0 && x < 1);
        uint64_t stratum = (uint64_t)(x * (double)n);
        assert_int_equal(hit[stratum], 0);
        hit[stratum] = 1;
    }
    free(hit);
}

static void test_latin(void **state) {
    (void)state;
    const uint64_t counts[] = {1, 2, 3, 5, 16, 17, 100, 1000, 4097};
    for (int d = 0; d < 5; d++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_strata(STUDY_LATIN, d, counts[i]);
}

/* The first two dimensions are a (0, m, 2) net: one point in every elementary rectangle of area 2^-m. */
static void test_sobol(void **state) {
    (void)state;
    for (int d = 0; d < STUDY_SOBOL_DIMENSIONS; d++) check_strata(STUDY_SOBOL, d, 1024);
    enum { M = 8, N = 1 << M };
    for (int split = 0; split <= M; split++) {
        char hit[N] = {0};
        for (uint64_t k = 0; k < N; k++) {
            int i = (int)(study_sample(STUDY_SOBOL, 3, 0, k, N) * (1 << split)),
                j = (int)(study_sample(STUDY_SOBOL, 3, 1, k, N) * (1 << (M - split)));
            int cell = i * (1 << (M - split)) + j;
            assert_int_equal(hit[cell], 0);
            hit[cell] = 1;
        }
    }
}

/* The mean of a smooth product over the cube converges faster with Sobol points than the 1/sqrt(N) of random ones. The integral of
 * prod (1 + (x_d - 1/2)) is 1. */
static double cube_error(study_sampling sampling, int dimensions, uint64_t n) {
    double sum = 0;
    for (uint64_t k = 0; k < n; k++) {
        double product = 1;
        for (int d = 0; d < dimensions; d++) product *= 0.5 + study_sample(sampling, 11, d, k, n);
        sum += product;
    }
    return fabs(sum / (double)n - 1);
}

static void test_sobol_integral(void **state) {
    (void)state;
    const int d = STUDY_SOBOL_DIMENSIONS, n = 1 << 14;
    double deviation_6 = sqrt((pow(13.0 / 12, 6) - 1) / n), deviation = sqrt((pow(13.0 / 12, d) - 1) / n); /* of random points */
    check_below(cube_error(STUDY_RANDOM, 6, (uint64_t)n), 4 * deviation_6);
    check_below(cube_error(STUDY_SOBOL, 6, (uint64_t)n), deviation_6 / 50);
    check_below(cube_error(STUDY_SOBOL, d, (uint64_t)n), deviation / 4);
}

/* Uniform: mean 1/2, variance 1/12, no correlation of neighbours, dimensions and seeds, within four deviations. */
static void test_random_moments(void **state) {
    (void)state;
    enum { N = 100000 };
    double sum = 0, squares = 0, next = 0, other = 0, seeded = 0;
    for (uint64_t k = 0; k < N; k++) {
        double x = study_sample(STUDY_RANDOM, 1, 0, k, N) - 0.5;
        sum += x, squares += x * x;
        next += x * (study_sample(STUDY_RANDOM, 1, 0, k + 1, N) - 0.5);
        other += x * (study_sample(STUDY_RANDOM, 1, 1, k, N) - 0.5);
        seeded += x * (study_sample(STUDY_RANDOM, 2, 0, k, N) - 0.5);
    }
    double root = sqrt(N);
    check_close(sum / N, 0, 4 * sqrt(1.0 / 12) / root);
    check_close(squares / N, 1.0 / 12, 4 * sqrt(1.0 / 180) / root);
    check_close(next / N, 0, 4 / 12.0 / root);
    check_close(other / N, 0, 4 / 12.0 / root);
    check_close(seeded / N, 0, 4 / 12.0 / root);
}

static void test_normal(void **state) {
    (void)state;
    check_near(study_normal(1), 0.84134474606854293, 1e-15);
    check_close(study_normal_quantile(0.5), 0, 1e-15);
    check_near(study_normal_quantile(0.975), 1.959963984540054, 1e-14);
    check_near(study_normal(study_normal_quantile(1e-300)), 1e-300, 1e-11);
    for (double x = -37; x <= 8; x += 0.37) {
        double p = study_normal(x);
        if (p < 1) check_close(study_normal(study_normal_quantile(p)), p, 1e-13 * p + 2e-16);
    }
}

/* Whatever was asked before, point k is the same. */
static void test_order(void **state) {
    (void)state;
    for (int sampling = 0; sampling < STUDY_SAMPLING_COUNT; sampling++) {
        double forward[64];
        for (uint64_t k = 0; k < 64; k++) forward[k] = study_sample((study_sampling)sampling, 5, 3, k, 64);
        for (int k = 63; k >= 0; k--) assert_true(study_sample((study_sampling)sampling, 5, 3, (uint64_t)k, 64) == forward[k]);
        assert_true(study_sample((study_sampling)sampling, 6, 3, 1, 64) != forward[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_philox), cmocka_unit_test(test_latin),
                                       cmocka_unit_test(test_sobol),  cmocka_unit_test(test_sobol_integral),
                                       cmocka_unit_test(test_normal), cmocka_unit_test(test_random_moments),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
