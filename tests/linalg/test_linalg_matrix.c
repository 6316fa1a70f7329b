/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns from coordinates, and matrices from blocks against a dense reference. */
#include "check.h"

#include "linalg/dense_products.h"
#include "linalg/linalg.h"
#include "random.h"

#include <limits.h>
#include <stdlib.h>

static void patterns_with_duplicates(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_source random = {3};
    for (int round = 0; round < 40; round++) {
        int rows = 1 + random_below(&random, 9), cols = 1 + random_below(&random, 9), count = random_below(&random, 60);
        int row[60], col[60], entry[60];
        bool there[81] = {false};
        int distinct = 0;
        for (int k = 0; k < count; k++) {
            row[k] = random_below(&random, rows);
            col[k] = random_below(&random, cols);
            distinct += !there[row[k] + col[k] * rows];
            there[row[k] + col[k] * rows] = true;
        }
        lin_pattern pattern;
        assert_int_equal(lin_pattern_create(context, rows, cols, count, row, col, &pattern, entry), ZN_OK);
        assert_int_equal(lin_nnz(&pattern.p), distinct);
        assert_true(pattern.p.rows == rows && pattern.p.cols == cols && pattern.start[0] == 0);
        for (int j = 0; j < cols; j++)
            for (int k = pattern.start[j]; k < pattern.start[j + 1]; k++) {
                assert_true(there[pattern.index[k] + j * rows]);
                assert_true(k == pattern.start[j] || pattern.index[k - 1] < pattern.index[k]); /* ascending */
            }
        for (int k = 0; k < count; k++) {
            assert_int_equal(pattern.index[entry[k]], row[k]);
            assert_in_range(entry[k], pattern.start[col[k]], pattern.start[col[k] + 1] - 1);
        }
        lin_pattern again;
        assert_int_equal(lin_pattern_create(context, rows, cols, count, row, col, &again, NULL), ZN_OK);
        assert_memory_equal(again.start, pattern.start, (size_t)(cols + 1) * sizeof(int));
        lin_pattern_destroy(context, &again);
        lin_pattern_destroy(context, &pattern);
    }
    assert_int_equal(zn_error_count(context), 0);
    zn_context_destroy(context);
}

static void odd_patterns(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    lin_pattern pattern;
    int minus = -1, zero = 0, two = 2;
    assert_int_equal(lin_pattern_create(context, 0, 0, 0, NULL, NULL, &pattern, NULL), ZN_OK);
    assert_int_equal(lin_nnz(&pattern.p), 0);
    lin_pattern_destroy(context, &pattern);
    lin_pattern_destroy(context, &pattern); /* twice does no harm */
    assert_int_equal(lin_pattern_dense(context, 0, 4, &pattern), ZN_OK);
    assert_int_equal(lin_nnz(&pattern.p), 0);
    lin_pattern_destroy(context, &pattern);
    assert_int_equal(lin_nnz(&(zn_pattern){3, 3, NULL, NULL}), 0);
    assert_int_equal(lin_pattern_create(context, 2, 2, 1, &minus, &zero, &pattern, NULL), ZN_ERROR_INTERNAL);
    assert_int_equal(lin_pattern_create(context, 2, 2, 1, &zero, &two, &pattern, NULL), ZN_ERROR_INTERNAL);
    assert_int_equal(lin_pattern_create(context, -2, 2, 0, NULL, NULL, &pattern, NULL), ZN_ERROR_INTERNAL);
    assert_int_equal(lin_pattern_dense(context, 100000, 100000, &pattern), ZN_ERROR_INTERNAL);
    assert_null(pattern.start);
    assert_int_equal(zn_error_count(context), 4);
    assert_string_equal(zn_error_get(context, 1)->message, "entry (0, 2) lies outside a pattern of 2 x 2");
    zn_context_destroy(context);
}

static void random_pattern(zn_context *context, random_source *random, int rows, int cols, lin_pattern *pattern) {
    int count = rows * cols > 0 ? random_below(random, rows * cols + 1) : 0, row[200], col[200];
    for (int k = 0; k < count; k++) {
        row[k] = random_below(random, rows);
        col[k] = random_below(random, cols);
    }
    assert_int_equal(lin_pattern_create(context, rows, cols, count, row, col, pattern, NULL), ZN_OK);
}

static void products(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_source random = {8};
    for (int round = 0; round < 20; round++) {
        int m = 1 + random_below(&random, 12), n = 1 + random_below(&random, 12);
        lin_pattern p;
        random_pattern(context, &random, m, n, &p);
        double v[144], a[144] = {0}, x[12], y[12], expected[12];
        for (int j = 0; j < n; j++)
            for (int k = p.start[j]; k < p.start[j + 1]; k++) a[p.index[k] + j * m] = v[k] = random_number(&random);
        for (int i = 0; i < 12; i++) x[i] = random_number(&random), y[i] = expected[i] = random_number(&random);
        lin_multiply(&p.p, v, -0.5, x, y);
        lin_dense_multiply(m, n, a, -0.5, x, expected);
        for (int i = 0; i < 12; i++) check_close(y[i], expected[i], 1e-14);
        lin_multiply_transposed(&p.p, v, 3, x, y);
        multiply_transposed(m, n, a, 3, x, expected);
        for (int i = 0; i < 12; i++) check_close(y[i], expected[i], 1e-14);
        lin_multiply(&(zn_pattern){m, n, NULL, NULL}, NULL, 1, x, y); /* an empty matrix adds nothing */
        for (int i = 0; i < 12; i++) check_close(y[i], expected[i], 1e-14);
        lin_pattern_destroy(context, &p);
    }
    zn_context_destroy(context);
}

/* Several columns at once are one by one. */
static void products_of_columns(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_source random = {9};
    for (int round = 0; round < 40; round++) {
        int m = 1 + random_below(&random, 12), n = 1 + random_below(&random, 12), columns = round % 8;
        lin_pattern p;
        random_pattern(context, &random, m, n, &p);
        double v[144], x[12 * 8], y[12 * 8], expected[12 * 8];
        for (int k = 0; k < lin_nnz(&p.p); k++) v[k] = random_number(&random);
        for (int i = 0; i < 12 * 8; i++) x[i] = random_number(&random), y[i] = expected[i] = random_number(&random);
        lin_multiply_many(&p.p, v, -1, x, y, columns);
        for (int c = 0; c < columns; c++) lin_multiply(&p.p, v, -1, x + c * n, expected + c * m);
        for (int i = 0; i < 12 * 8; i++) assert_true(y[i] == expected[i]); /* and nothing beyond */
        lin_multiply_many(&(zn_pattern){m, n, NULL, NULL}, NULL, 1, x, y, columns);
        for (int i = 0; i < 12 * 8; i++) assert_true(y[i] == expected[i]);
        lin_pattern_destroy(context, &p);
    }
    zn_context_destroy(context);
}

enum { SIZE = 17, BLOCKS = 6 };

static double entry(lin_matrix *matrix, int i, int j) {
    if (lin_matrix_is_dense(matrix)) return lin_matrix_values(matrix)[i + SIZE * j];
    const zn_pattern *p = lin_matrix_pattern(matrix);
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
        if (p->index[k] == i) return lin_matrix_values(matrix)[k];
    return 0;
}

/* Overlapping blocks, some transposed, added with coefficients and row by row, twice over. */
static void scatter_in(lin_storage storage) {
    zn_context *context = zn_context_create(NULL);
    random_source random = {29};
    for (int round = 0; round < 20; round++) {
        lin_matrix *matrix = lin_matrix_create(context, SIZE);
        lin_pattern p[BLOCKS];
        bool transposed[BLOCKS];
        int row[BLOCKS], col[BLOCKS];
        for (int b = 0; b < BLOCKS; b++) {
            random_pattern(context, &random, 1 + random_below(&random, 10), 1 + random_below(&random, 10), &p[b]);
            transposed[b] = random_below(&random, 2);
            row[b] = random_below(&random, SIZE + 1 - (transposed[b] ? p[b].p.cols : p[b].p.rows));
            col[b] = random_below(&random, SIZE + 1 - (transposed[b] ? p[b].p.rows : p[b].p.cols));
            assert_int_equal(lin_matrix_block(matrix, &p[b].p, transposed[b], row[b], col[b]), b);
        }
        assert_int_equal(lin_matrix_finish(matrix, storage), ZN_OK);
        for (int pass = 0; pass < 2; pass++) {
            double reference[SIZE * SIZE] = {0}, x[SIZE], y[SIZE], expected[SIZE] = {0};
            lin_matrix_zero(matrix);
            for (int b = 0; b < BLOCKS; b++) {
                double v[100], coefficient[10], c = random_number(&random);
                for (int i = 0; i < 10; i++) coefficient[i] = random_number(&random);
                for (int k = 0; k < 100; k++) v[k] = random_number(&random);
                for (int j = 0; j < p[b].p.cols; j++)
                    for (int k = p[b].start[j]; k < p[b].start[j + 1]; k++) {
                        int i = p[b].index[k], r = transposed[b] ? j : i, s = transposed[b] ? i : j;
                        reference[row[b] + r + SIZE * (col[b] + s)] += (b % 2 ? c : coefficient[r]) * v[k];
                    }
                if (b % 2) lin_matrix_add(matrix, b, c, v);
                else lin_matrix_add_rows(matrix, b, coefficient, v);
            }
            for (int i = 0; i < SIZE; i++)
                for (int j = 0; j < SIZE; j++) check_close(entry(matrix, i, j), reference[i + SIZE * j], 1e-15);
            for (int i = 0; i < SIZE; i++) x[i] = random_number(&random), y[i] = 99;
            lin_matrix_multiply(matrix, x, y);
            lin_dense_multiply(SIZE, SIZE, reference, 1, x, expected);
            for (int i = 0; i < SIZE; i++) check_close(y[i], expected[i], 1e-13);
        }
        for (int b = 0; b < BLOCKS; b++) lin_pattern_destroy(context, &p[b]);
        lin_matrix_destroy(matrix);
    }
    assert_int_equal(zn_error_count(context), 0);
    zn_context_destroy(context);
}

static void scatter(void **state) {
    (void)state;
    scatter_in(LIN_DENSE);
    scatter_in(LIN_SPARSE);
}

static void wrong_blocks(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    lin_pattern p;
    lin_pattern_dense(context, 2, 3, &p);
    lin_matrix *matrix = lin_matrix_create(context, 5);
    assert_null(lin_matrix_create(context, -1));
    assert_int_equal(lin_matrix_block(matrix, &p.p, false, 4, 0), -1);
    assert_int_equal(lin_matrix_block(matrix, &p.p, false, 0, 3), -1);
    assert_int_equal(lin_matrix_block(matrix, &p.p, true, 3, 0), -1);
    assert_int_equal(lin_matrix_block(matrix, &p.p, false, -1, 0), -1);
    assert_int_equal(lin_matrix_block(matrix, &p.p, false, INT_MAX, 0), -1);
    assert_int_equal(zn_error_count(context), 6);
    assert_int_equal(lin_matrix_block(matrix, &p.p, true, 2, 3), 0);
    assert_int_equal(lin_matrix_block(matrix, &(zn_pattern){2, 2, NULL, NULL}, false, 0, 0), 1); /* empty */
    assert_int_equal(lin_matrix_finish(matrix, LIN_AUTO), ZN_OK);
    lin_matrix_add(matrix, 1, 1, NULL);
    assert_int_equal(lin_matrix_block(matrix, &p.p, false, 0, 0), -1); /* finished */
    assert_int_equal(lin_matrix_finish(matrix, LIN_AUTO), ZN_ERROR_INTERNAL);
    lin_matrix_destroy(matrix);
    lin_matrix_destroy(NULL);
    lin_pattern_destroy(context, &p);
    zn_context_destroy(context);
}

static bool chooses_dense(zn_context *context, int n, int bandwidth) {
    int *row = malloc(sizeof(int) * (size_t)n * (size_t)n), *col = malloc(sizeof(int) * (size_t)n * (size_t)n), count = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (abs(i - j) <= bandwidth) row[count] = i, col[count++] = j;
    lin_pattern p;
    lin_pattern_create(context, n, n, count, row, col, &p, NULL);
    free(row), free(col);
    lin_matrix *matrix = lin_matrix_create(context, n);
    lin_matrix_block(matrix, &p.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(matrix, LIN_AUTO), ZN_OK);
    bool dense = lin_matrix_is_dense(matrix);
    assert_true((lin_matrix_pattern(matrix) == NULL) == dense);
    lin_matrix_destroy(matrix);
    lin_pattern_destroy(context, &p);
    return dense;
}

static void storage_by_size_and_fill(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    assert_true(chooses_dense(context, 0, 0));
    assert_true(chooses_dense(context, 1, 0));
    assert_true(chooses_dense(context, 30, 1));
    assert_true(chooses_dense(context, 200, 200));
    assert_false(chooses_dense(context, 200, 3));
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_with_duplicates), cmocka_unit_test(odd_patterns), cmocka_unit_test(products),
        cmocka_unit_test(products_of_columns),      cmocka_unit_test(scatter),      cmocka_unit_test(wrong_blocks),
        cmocka_unit_test(storage_by_size_and_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
