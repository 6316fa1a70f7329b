/* SPDX-License-Identifier: Apache-2.0 */
/* The straight code for matrices of a few rows against plain loops: the same operations in the same order, hence the same bits. */
#include "check.h"

#include "linalg/dense.h"
#include "linalg/scaling.h"
#include "linalg/tiny_lu.h"
#include "random.h"

enum { COLUMNS = 5, ENTRIES = LIN_TINY * LIN_TINY };

static int plain_factor(int n, double *a, int *pivot) {
    int zero = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[best + k * n])) best = i;
        pivot[k] = best;
        if (a[best + k * n] == 0) {
            if (!zero) zero = k + 1;
            continue;
        }
        for (int j = 0; j < n; j++) {
            double kept = a[k + j * n];
            a[k + j * n] = a[best + j * n];
            a[best + j * n] = kept;
        }
        double inverse = 1 / a[k + k * n];
        for (int i = k + 1; i < n; i++) a[i + k * n] = isfinite(inverse) ? a[i + k * n] * inverse : a[i + k * n] / a[k + k * n];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++) a[i + j * n] -= a[i + k * n] * a[k + j * n];
    }
    return zero;
}

static void plain_solve(int n, const double *lu, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double kept = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = kept;
    }
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) b[i] -= lu[i + j * n] * b[j];
    for (int j = n - 1; j >= 0; j--) {
        b[j] /= lu[j + j * n];
        for (int i = 0; i < j; i++) b[i] -= lu[i + j * n] * b[j];
    }
}

/* Any zeros, and sizes from 1e-12 to 1e12. */
static double any_number(random_source *random, bool wild) {
    if (random_below(random, 3) == 0) return 0;
    return random_number(random) * (wild ? pow(10, 12 * random_number(random)) : 1);
}

static void same_as_plain_loops(void **state) {
    (void)state;
    random_source random = {77};
    int singular = 0, regular = 0;
    for (int round = 0; round < 6000; round++) {
        int n = 1 + round % LIN_TINY, columns = random_below(&random, COLUMNS + 1);
        double a[ENTRIES], b[ENTRIES], x[LIN_TINY * COLUMNS], y[LIN_TINY * COLUMNS];
        int pivot[LIN_TINY], plain[LIN_TINY];
        for (int k = 0; k < n * n; k++) a[k] = b[k] = any_number(&random, round % 2);
        for (int k = 0; k < n * columns; k++) x[k] = y[k] = any_number(&random, round % 2);
        int zero = lin_dense_lu_factor(n, a, pivot);
        assert_int_equal(zero, plain_factor(n, b, plain));
        zero ? singular++ : regular++;
        if (zero) continue;
        for (int k = 0; k < n; k++) assert_int_equal(pivot[k], plain[k]);
        for (int k = 0; k < n * n; k++) assert_true(a[k] == b[k]);
        lin_dense_lu_solve(n, a, pivot, x, columns);
        for (int c = 0; c < columns; c++) plain_solve(n, b, plain, y + c * n);
        for (int k = 0; k < n * columns; k++) assert_true(x[k] == y[k]);
    }
    assert_true(singular > 500 && regular > 2000);
}

/* A pivot whose inverse overflows divides all the same. */
static void subnormal_pivot(void **state) {
    (void)state;
    double a[4] = {0x1p-1070, 0x1p-1071, 0, 1}, b[2] = {0x1p-1070, 1.5};
    int pivot[2];
    assert_int_equal(lin_dense_lu_factor(2, a, pivot), 0);
    lin_dense_lu_solve(2, a, pivot, b, 1);
    assert_true(a[1] == 0.5 && b[0] == 1 && b[1] == 1.5);
}

static void scales(void **state) {
    (void)state;
    random_source random = {5};
    for (int round = 0; round < 600; round++) {
        int n = 1 + round % LIN_TINY;
        double a[ENTRIES], scaled[ENTRIES], row[LIN_TINY], col[LIN_TINY];
        for (int k = 0; k < n * n; k++) a[k] = any_number(&random, true);
        assert_true(lin_tiny_scale(n, a, scaled, row, col));
        for (int i = 0; i < n; i++) {
            double largest = 0;
            for (int j = 0; j < n; j++) {
                assert_true(scaled[i + j * n] == a[i + j * n] * row[i]);
                assert_true(fabs(scaled[i + j * n]) <= col[j]);
                largest = fmax(largest, fabs(scaled[i + j * n]));
            }
            assert_true(largest == 0 ? row[i] == 1 : largest >= 0.5 && largest < 1);
        }
        static const double bad[] = {NAN, INFINITY, -INFINITY};
        a[random_below(&random, n * n)] = bad[round % 3];
        assert_false(lin_tiny_scale(n, a, scaled, row, col));
    }
}

/* The bits of the exponent against frexp, over the whole range of numbers. */
static void inverse_sizes(void **state) {
    (void)state;
    random_source random = {6};
    assert_true(lin_inverse_size(0) == 1);
    for (int exponent = -1074; exponent <= 1023; exponent++)
        for (int k = 0; k < 3; k++) {
            double size = ldexp(k == 0 ? 1 : 1 + 0.999 * fabs(random_number(&random)), exponent);
            int found;
            frexp(size, &found);
            assert_true(lin_inverse_size(size) == ldexp(1, found < -1000 ? 1000 : -found));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_plain_loops),
        cmocka_unit_test(subnormal_pivot),
        cmocka_unit_test(scales),
        cmocka_unit_test(inverse_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
