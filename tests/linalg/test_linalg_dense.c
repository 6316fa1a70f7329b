/* SPDX-License-Identifier: Apache-2.0 */
/* Dense kernels on both sides of the switch to panels and LAPACK; error against the condition number. */
#include "check.h"

#include "linalg/dense.h"
#include "random.h"

#include <float.h>

enum { MOST = 60 };

static void lu_and_cholesky(void **state) {
    (void)state;
    random_source random = {31};
    static double a[MOST * MOST], spd[MOST * MOST], kept[MOST * MOST], x[MOST * 3], b[MOST * 3], r[MOST];
    int pivot[MOST];
    for (int n = 1; n <= MOST; n++) {
        for (int k = 0; k < n * n; k++) a[k] = kept[k] = random_number(&random);
        for (int k = 0; k < 3 * n; k++) x[k] = b[k] = random_number(&random);
        assert_int_equal(lin_dense_lu_factor(n, a, pivot), 0);
        lin_dense_lu_solve(n, a, pivot, x, 3);
        for (int c = 0; c < 3; c++) {
            double size = 0;
            memcpy(r, b + c * n, (size_t)n * sizeof *r);
            lin_dense_multiply(n, n, kept, -1, x + c * n, r);
            for (int i = 0; i < n; i++) size += fabs(x[c * n + i]);
            for (int i = 0; i < n; i++) check_close(r[i], 0, 20 * n * DBL_EPSILON * (1 + size));
        }
        /* A A' + 1 is positive definite. */
        for (int k = 0; k < n * n; k++) spd[k] = k % (n + 1) == 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++) spd[i + j * n] += kept[i + k * n] * kept[j + k * n];
        memcpy(a, spd, (size_t)(n * n) * sizeof *a);
        for (int j = 1; j < n; j++) a[j * n] = NAN; /* the upper triangle is not read */
        assert_int_equal(lin_dense_cholesky_factor(n, a), 0);
        memcpy(x, b, (size_t)(3 * n) * sizeof *x);
        lin_dense_cholesky_solve(n, a, x, 3);
        for (int c = 0; c < 3; c++) {
            memcpy(r, b + c * n, (size_t)n * sizeof *r);
            lin_dense_multiply(n, n, spd, -1, x + c * n, r);
            for (int i = 0; i < n; i++) check_close(r[i], 0, 1e-12);
        }
        spd[n * n - 1] = -1;
        assert_int_equal(lin_dense_cholesky_factor(n, spd), n);
    }
}

static void zero_pivots(void **state) {
    (void)state;
    static double a[40 * 40];
    int pivot[40];
    for (int n = 1; n <= 40; n++) {
        for (int k = 0; k < n * n; k++) a[k] = k % (n + 1) == 0 && k != n * n - 1; /* diag(1, ..., 1, 0) */
        assert_int_equal(lin_dense_lu_factor(n, a, pivot), n);
    }
    assert_int_equal(lin_dense_lu_factor(0, a, pivot), 0);
}

/* Large matrices are factored by panels, with the bits of Gauss' elimination as it is written. Some rows and columns are zero in parts, as
 * in matrices of mechanisms. */
static void panels_are_elimination(void **state) {
    (void)state;
    enum { LARGE = 131 };
    static double a[LARGE * LARGE], b[LARGE * LARGE];
    int pivot[LARGE];
    random_source random = {7};
    for (int n = 33; n <= LARGE; n += 7) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) a[i + j * n] = b[i + j * n] = i < n / 2 && j % 5 ? 0 : random_number(&random);
        for (int j = 0; j < n; j++) a[j + j * n] = b[j + j * n] += 1;
        assert_int_equal(lin_dense_lu_factor(n, a, pivot), 0);
        for (int k = 0; k < n; k++) {
            int best = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(b[i + k * n]) > fabs(b[best + k * n])) best = i;
            assert_int_equal(pivot[k], best);
            for (int j = 0; j < n; j++) {
                double kept = b[k + j * n];
                b[k + j * n] = b[best + j * n], b[best + j * n] = kept;
            }
            double inverse = 1 / b[k + k * n];
            for (int i = k + 1; i < n; i++) b[i + k * n] *= inverse;
            for (int j = k + 1; j < n; j++)
                for (int i = k + 1; i < n; i++) b[i + j * n] -= b[i + k * n] * b[k + j * n];
        }
        for (int k = 0; k < n * n; k++) assert_true(a[k] == b[k]);
    }
    for (int k = 0; k < LARGE * LARGE; k++) a[k] = k % (LARGE + 1) == 0 && k != 70 * (LARGE + 1);
    assert_int_equal(lin_dense_lu_factor(LARGE, a, pivot), 71);
}

/* Hilbert matrices: the forward error grows with the condition number (1.5e13 for n = 10) and no faster. */
static void hilbert(void **state) {
    (void)state;
    static const double condition[] = {1, 1.9e1, 5.2e2, 1.6e4, 4.8e5, 1.5e7, 4.8e8, 1.5e10, 4.9e11, 1.6e13};
    for (int n = 1; n <= 10; n++) {
        double a[100], b[10] = {0};
        int pivot[10];
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                a[i + j * n] = 1.0 / (i + j + 1);
                b[i] += a[i + j * n];
            }
        assert_int_equal(lin_dense_lu_factor(n, a, pivot), 0);
        lin_dense_lu_solve(n, a, pivot, b, 1);
        for (int i = 0; i < n; i++) check_close(b[i], 1, 10 * DBL_EPSILON * condition[n - 1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_and_cholesky),
        cmocka_unit_test(zero_pivots),
        cmocka_unit_test(panels_are_elimination),
        cmocka_unit_test(hilbert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
