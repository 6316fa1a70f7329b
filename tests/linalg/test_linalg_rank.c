/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of any rank: least squares, least norm, rank; redundant constraints dense and sparse. */
#include "check.h"

#include "linalg/dense_products.h"
#include "linalg/linalg.h"
#include "random.h"

#include <stdlib.h>

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* A = B C of rank r (with probability 1, well conditioned for r well below m and n). */
static void random_of_rank(random_source *random, int m, int n, int r, double *a) {
    double B[40 * 40], C[40 * 40];
    for (int k = 0; k < m * r; k++) B[k] = random_number(random);
    for (int k = 0; k < r * n; k++) C[k] = random_number(random);
    for (int k = 0; k < m * n; k++) a[k] = 0;
    multiply_matrix(m, r, n, B, C, 1, a);
}

/* The four properties of the pseudo-inverse's solution: A'(A x - b) = 0 and x in the row space (orthogonal to a null vector,
 * which the decomposition of A itself gives as v - A^+ A v). */
static void decomposition(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_source random = {5};
    static const int shapes[][3] = {{1, 1, 1}, {1, 1, 0},    {3, 3, 2},    {5, 3, 3},    {3, 5, 3}, {8, 6, 2},
                                    {6, 8, 3}, {30, 30, 12}, {40, 25, 10}, {25, 40, 10}, {4, 4, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int m = shapes[s][0], n = shapes[s][1], r = shapes[s][2];
        double a[1600], b[40], x[40], v[40], Av[40], w[40], residual[40], normal[40];
        lin_cod *cod = lin_cod_create(context, m, n);
        for (int round = 0; round < 3; round++) {
            random_of_rank(&random, m, n, r, a);
            assert_int_equal(lin_cod_factor(cod, a, 0), r);
            assert_true(r == 0 ? lin_cod_rcond(cod) == 0 : lin_cod_rcond(cod) > 1e-6);
            for (int i = 0; i < m; i++) b[i] = residual[i] = random_number(&random);
            lin_cod_solve(cod, b, x);
            lin_dense_multiply(m, n, a, -1, x, residual);
            for (int j = 0; j < n; j++) normal[j] = 0;
            multiply_transposed(m, n, a, 1, residual, normal);
            check_below(norm(n, normal), 1e-12 * (1 + norm(n, x)));
            for (int j = 0; j < n; j++) v[j] = random_number(&random);
            for (int i = 0; i < m; i++) Av[i] = 0;
            lin_dense_multiply(m, n, a, 1, v, Av);
            lin_cod_solve(cod, Av, w);
            double dot = 0;
            for (int j = 0; j < n; j++) dot += (v[j] - w[j]) * x[j];
            check_close(dot, 0, 1e-11 * (1 + norm(n, x)));
        }
        lin_cod_destroy(cod);
    }
    assert_int_equal(zn_error_count(context), 0);
    zn_context_destroy(context);
}

/* A chain of masses with springs and distance constraints, saddle point [M W; W' 0]; constraint `twice` is stated twice. */
typedef struct chain {
    zn_context *context;
    int masses, n;
    lin_matrix *matrix;
    lin_lu *lu;
    double *reference; /* dense copy */
} chain;

static void chain_create(chain *c, int masses, int copies, lin_storage storage, random_source *random) {
    int constraints = masses - 1 + copies, n = masses + constraints, count = 0;
    int *row = malloc((size_t)(masses + 4 * constraints) * sizeof *row), *col = malloc((size_t)(masses + 4 * constraints) * sizeof *col);
    double *v = malloc((size_t)(masses + 4 * constraints) * sizeof *v), *values;
    int *entry = malloc((size_t)(masses + 4 * constraints) * sizeof *entry);
    for (int i = 0; i < masses; i++) {
        row[count] = col[count] = i;
        v[count++] = 1 + 0.5 * random_number(random);
    }
    for (int k = 0; k < constraints; k++) {
        int first = k < masses - 1 ? k : random_below(random, masses - 1); /* x_first - x_first+1 */
        for (int side = 0; side < 2; side++) {
            row[count] = first + side, col[count] = masses + k, v[count++] = side ? -1 : 1;
            row[count] = masses + k, col[count] = first + side, v[count++] = side ? -1 : 1;
        }
    }
    c->context = zn_context_create(NULL);
    c->masses = masses;
    c->n = n;
    lin_pattern pattern;
    assert_int_equal(lin_pattern_create(c->context, n, n, count, row, col, &pattern, entry), ZN_OK);
    values = calloc((size_t)lin_nnz(&pattern.p), sizeof *values);
    c->reference = calloc((size_t)n * (size_t)n, sizeof *values);
    for (int k = 0; k < count; k++) {
        values[entry[k]] += v[k];
        c->reference[row[k] + col[k] * n] += v[k];
    }
    c->matrix = lin_matrix_create(c->context, n);
    assert_int_equal(lin_matrix_block(c->matrix, &pattern.p, false, 0, 0), 0);
    assert_int_equal(lin_matrix_finish(c->matrix, storage), ZN_OK);
    lin_matrix_add(c->matrix, 0, 1, values);
    c->lu = lin_lu_create(c->context, c->matrix);
    assert_non_null(c->lu);
    lin_pattern_destroy(c->context, &pattern);
    free(row), free(col), free(v), free(values), free(entry);
}

static void chain_destroy(chain *c) {
    lin_lu_destroy(c->lu);
    lin_matrix_destroy(c->matrix);
    assert_int_equal(zn_error_count(c->context), 0);
    zn_context_destroy(c->context);
    free(c->reference);
}

static void redundant_constraints(lin_storage storage, int masses, int copies) {
    random_source random = {23};
    chain c;
    chain_create(&c, masses, copies, storage, &random);
    int n = c.n;
    double *truth = malloc(4 * (size_t)n * sizeof *truth), *b = truth + n, *x = b + n, *y = x + n;
    assert_int_equal(lin_lu_factor(c.lu, c.matrix, false), copies ? ZN_ERROR_SINGULAR : ZN_OK);
    assert_int_equal(lin_lu_factor_regularised(c.lu, c.matrix), ZN_OK);
    for (int i = 0; i < n; i++) truth[i] = random_number(&random);
    for (int i = 0; i < n; i++) b[i] = 0;
    lin_dense_multiply(n, n, c.reference, 1, truth, b);
    memcpy(x, b, (size_t)n * sizeof *x);
    lin_lu_solve(c.lu, x);
    memcpy(y, b, (size_t)n * sizeof *y);
    lin_dense_multiply(n, n, c.reference, -1, x, y);
    check_below(norm(n, y), 1e-13 * n * norm(n, x));
    for (int i = 0; i < masses; i++) check_close(x[i], truth[i], 1e-10); /* the physical part is unique */
    /* Least norm: the chain's columns need no scaling beyond equal powers of two per column, so compare with the dense one. */
    lin_cod *cod = lin_cod_create(c.context, n, n);
    assert_int_equal(lin_cod_factor(cod, c.reference, 0), n - copies);
    lin_cod_solve(cod, b, y);
    for (int i = 0; i < n; i++) check_close(x[i], y[i], 1e-9);
    lin_cod_destroy(cod);
    free(truth);
    chain_destroy(&c);
}

static void redundant_dense(void **state) {
    (void)state;
    redundant_constraints(LIN_DENSE, 5, 0);
    redundant_constraints(LIN_DENSE, 5, 1);
    redundant_constraints(LIN_DENSE, 20, 6);
}

static void redundant_sparse(void **state) {
    (void)state;
    redundant_constraints(LIN_SPARSE, 5, 0);
    redundant_constraints(LIN_SPARSE, 5, 1);
    redundant_constraints(LIN_SPARSE, 20, 6);
    redundant_constraints(LIN_SPARSE, 60, 10);
    redundant_constraints(LIN_SPARSE, 200, 40);
}

/* Unsymmetric matrices of low rank, stored dense and sparse: the same solution, also for b outside the range. */
static void sparse_agrees_with_dense(void **state) {
    (void)state;
    enum { N = 12 };
    random_source random = {67};
    zn_context *context = zn_context_create(NULL);
    lin_pattern pattern;
    assert_int_equal(lin_pattern_dense(context, N, N, &pattern), ZN_OK);
    for (int round = 0; round < 20; round++) {
        double a[N * N], b[2][N] = {{0}}, x[2][2][N], truth[N];
        random_of_rank(&random, N, N, 1 + round % 6, a);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) a[i + j * N] *= ldexp(1, 10 * (i % 4) - 15); /* units of the rows */
        for (int i = 0; i < N; i++) truth[i] = random_number(&random);
        lin_dense_multiply(N, N, a, 1, truth, b[0]);
        for (int i = 0; i < N; i++) b[1][i] = b[0][i] + 0.1 * random_number(&random) * ldexp(1, 10 * (i % 4) - 15);
        for (int sparse = 0; sparse < 2; sparse++) {
            lin_matrix *matrix = lin_matrix_create(context, N);
            lin_matrix_block(matrix, &pattern.p, false, 0, 0);
            assert_int_equal(lin_matrix_finish(matrix, sparse ? LIN_SPARSE : LIN_DENSE), ZN_OK);
            lin_matrix_add(matrix, 0, 1, a);
            lin_lu *lu = lin_lu_create(context, matrix);
            assert_int_equal(lin_lu_factor_regularised(lu, matrix), ZN_OK);
            memcpy(x[sparse], b, sizeof b);
            lin_lu_solve_many(lu, x[sparse][0], 2);
            /* nothing is left of a consistent b; what is left of another cannot be reduced again */
            double left[N], again[N], z[N];
            lin_lu_unreachable(lu, matrix, b[0], z, left);
            for (int i = 0; i < N; i++) check_close(left[i], 0, 1e-8 * ldexp(1, 10 * (i % 4) - 15));
            lin_lu_unreachable(lu, matrix, b[1], z, left);
            lin_lu_unreachable(lu, matrix, left, z, again);
            assert_true(norm(N, left) > 1e-3);
            for (int i = 0; i < N; i++) check_close(again[i], left[i], 1e-7 * ldexp(1, 10 * (i % 4) - 15));
            lin_lu_destroy(lu);
            lin_matrix_destroy(matrix);
        }
        for (int i = 0; i < N; i++) {
            check_close(x[1][0][i], x[0][0][i], 1e-8);
            check_close(x[1][1][i], x[0][1][i], 1e-4);
        }
    }
    assert_int_equal(zn_error_count(context), 0);
    lin_pattern_destroy(context, &pattern);
    zn_context_destroy(context);
}

/* Blocks that are singular: the solution is orthogonal to the left null space, L' A = 0, as that of (A + eps) x = b is in the limit. Here L
 * = (1, -1), and x_1 + 2 x_2 = 3 has (1, 1), where that of least norm is (3/5, 6/5). A second block, in between, is regular. With
 * orthogonal null spaces the least norm remains. */
static void blocks_of_dependent_rows(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    lin_cod *cod = lin_cod_create(context, 3, 3);
    const int label[3] = {0, 1, 0};
    const double a[9] = {1, 0, 1, 0, 4, 0, 2, 0, 2}, orthogonal[9] = {0, 0, 0, 0, 4, 0, 2, 0, 0};
    double b[3] = {3, 8, 3};
    assert_false(lin_cod_eliminate_block(cod, 3, a, label, 0, 1e-12, b));
    assert_true(lin_cod_eliminate_block(cod, 3, a, label, 1, 1e-12, b));
    lin_cod_solve_block(cod, 3, a, label, 0, 1e-11, b);
    for (int i = 0; i < 3; i++) assert_true(fabs(b[i] - (i == 1 ? 2 : 1)) < 1e-14);
    b[0] = 6, b[2] = 0; /* A x = (2 x_2, 0): L = (0, 1) and N = (1, 0) */
    lin_cod_solve_block(cod, 3, orthogonal, label, 0, 1e-11, b);
    assert_true(fabs(b[0]) < 1e-14 && fabs(b[2] - 3) < 1e-14);
    lin_cod_destroy(cod);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decomposition),
        cmocka_unit_test(redundant_dense),
        cmocka_unit_test(redundant_sparse),
        cmocka_unit_test(sparse_agrees_with_dense),
        cmocka_unit_test(blocks_of_dependent_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
