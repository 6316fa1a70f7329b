/* SPDX-License-Identifier: Apache-2.0 */
/* LU of sparse matrices of blocks, against dense elimination. */
#include "check.h"
#include "linalg/block_lu.h"
#include "linalg/dense.h"

#include <stdlib.h>

static uint64_t random_state;
static double random_between(double lower, double upper) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}

typedef struct blocks {
    int n, d, *start, *index, *transposed;
    double *values, *diagonal, *dense, *x, *b;
    unsigned char *present;
} blocks;

/* A random symmetric structure; positive values, symmetric or not. */
static blocks *make(int n, int d, double share, bool symmetric) {
    blocks *m = calloc(1, sizeof *m);
    size_t dd = (size_t)(d * d), most = (size_t)(n * n);
    unsigned char *has = calloc(most, 1);
    *m = (blocks){.n = n,
                  .d = d,
                  .start = calloc((size_t)n + 1, sizeof(int)),
                  .index = calloc(most, sizeof(int)),
                  .transposed = calloc(most, sizeof(int)),
                  .values = calloc(most * dd, sizeof(double)),
                  .diagonal = calloc((size_t)n * dd, sizeof(double)),
                  .dense = calloc(most * dd, sizeof(double)),
                  .x = calloc((size_t)(n * d), sizeof(double)),
                  .b = calloc((size_t)(n * d), sizeof(double)),
                  .present = calloc((size_t)n, 1)};
    int *at = calloc(most, sizeof(int)), count = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) has[i * n + j] = has[j * n + i] = i == j || random_between(0, 1) < share;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (has[i * n + j]) {
                at[i * n + j] = count;
                m->index[count++] = j;
            }
        m->start[i + 1] = count;
    }
    for (int i = 0; i < n; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) m->transposed[k] = at[m->index[k] * n + i];
    for (int i = 0; i < n; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            for (int e = 0; e < d * d; e++) {
                double *v = &m->values[(size_t)k * dd + (size_t)e];
                double *across = &m->values[(size_t)m->transposed[k] * dd + (size_t)(e % d * d + e / d)];
                if (*v == 0 || !symmetric) *v = random_between(-1, 1);
                if (symmetric) *across = *v;
            }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) m->diagonal[(size_t)i * dd + (size_t)(k * d + k)] = n * d; /* dominant */
    free(has);
    free(at);
    return m;
}

static void destroy(blocks *m) {
    void *memory[] = {m->start, m->index, m->transposed, m->values, m->diagonal, m->dense, m->x, m->b, m->present, m};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) free(memory[k]);
}

static bool is_present(const blocks *m, bool masked, int c) { return !masked || m->present[c]; }

/* The dense matrix with the rows and columns that are not present replaced, and its solution. */
static void solve_dense(blocks *m, bool masked) {
    int d = m->d, rows = m->n * d, *pivot = calloc((size_t)rows, sizeof(int));
    memset(m->dense, 0, (size_t)(rows * rows) * sizeof(double));
    for (int c = 0; c < m->n; c++)
        for (int k = m->start[c]; k < m->start[c + 1]; k++)
            for (int e = 0; e < d * d; e++) {
                int i = c * d + e / d, j = m->index[k] * d + e % d;
                double value = m->values[(size_t)k * (size_t)(d * d) + (size_t)e];
                if (c == m->index[k]) value += m->diagonal[(size_t)c * (size_t)(d * d) + (size_t)e];
                if (!is_present(m, masked, c) || !is_present(m, masked, m->index[k])) value = i == j;
                m->dense[i + rows * j] = value;
            }
    memcpy(m->x, m->b, (size_t)rows * sizeof(double));
    assert_int_equal(lin_dense_lu_factor(rows, m->dense, pivot), 0);
    lin_dense_lu_solve(rows, m->dense, pivot, m->x, 1);
    free(pivot);
}

static void agrees_with_dense(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_state = 7;
    for (int trial = 0; trial < 240; trial++) {
        int d = 1 + trial % 6, n = 1 + trial % 47;
        bool symmetric = trial % 2, masked = trial % 3 == 0;
        blocks *m = make(n, d, random_between(0, 0.4), symmetric);
        lin_block_lu *lu = lin_block_lu_create(context, n, d, m->start, m->index);
        assert_non_null(lu);
        for (int set = 0; set < 2; set++) { /* the structure serves several sets of values */
            for (int c = 0; c < n; c++) m->present[c] = random_between(0, 1) < 0.6;
            for (int k = 0; k < n * d; k++) m->b[k] = random_between(-1, 1);
            for (int c = 0; c < n; c++) m->diagonal[(size_t)c * (size_t)(d * d)] += set;
            solve_dense(m, masked);
            lin_block_values values = {m->values, symmetric && !masked ? NULL : m->transposed, m->diagonal, masked ? m->present : NULL};
            assert_int_equal(lin_block_lu_factor(lu, &values), 0);
            lin_block_lu_solve(lu, m->b);
            for (int k = 0; k < n * d; k++) check_close(m->b[k], m->x[k], 1e-13);
        }
        lin_block_lu_destroy(lu);
        destroy(m);
    }
    zn_context_destroy(context);
}

/* A row of the other sign turns the determinant round; without such rows these matrices are positive. */
static void knows_the_sign(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_state = 11;
    for (int trial = 0; trial < 120; trial++) {
        int d = 1 + trial % 6, n = 1 + trial % 31, sign = 1;
        blocks *m = make(n, d, random_between(0, 0.4), false);
        lin_block_lu *lu = lin_block_lu_create(context, n, d, m->start, m->index);
        assert_non_null(lu);
        for (int row = 0; row < n * d; row++) {
            if (random_between(0, 1) < 0.5) continue;
            sign = -sign;
            for (int j = 0; j < d; j++) {
                m->diagonal[(size_t)(row / d) * (size_t)(d * d) + (size_t)(row % d * d + j)] *= -1;
                for (int k = m->start[row / d]; k < m->start[row / d + 1]; k++)
                    m->values[(size_t)k * (size_t)(d * d) + (size_t)(row % d * d + j)] *= -1;
            }
        }
        lin_block_values values = {m->values, m->transposed, m->diagonal, NULL};
        assert_int_equal(lin_block_lu_factor(lu, &values), 0);
        assert_int_equal(lin_block_lu_sign(lu), sign);
        lin_block_lu_destroy(lu);
        destroy(m);
    }
    zn_context_destroy(context);
}

static void says_where_it_fails(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_state = 3;
    blocks *m = make(9, 3, 0.3, false);
    lin_block_lu *lu = lin_block_lu_create(context, 9, 3, m->start, m->index);
    lin_block_values values = {m->values, m->transposed, m->diagonal, NULL};
    m->diagonal[0] = NAN;
    assert_int_not_equal(lin_block_lu_factor(lu, &values), 0);
    m->diagonal[0] = INFINITY;
    assert_int_not_equal(lin_block_lu_factor(lu, &values), 0);
    memset(m->values, 0, (size_t)m->start[9] * 9 * sizeof(double));
    memset(m->diagonal, 0, 81 * sizeof(double));
    for (int k = 0; k < 27; k++) m->diagonal[(size_t)(k / 3 * 9 + k % 3 * 4)] = k / 3 == 5 ? 0 : 1;
    assert_int_equal(lin_block_lu_factor(lu, &values), 6); /* block row 5 */
    lin_block_lu_destroy(lu);
    destroy(m);
    zn_context_destroy(context);
}

/* A chain of n blocks has no fill: two blocks in each column but the last one. */
static void counts_its_work(void **state) {
    (void)state;
    enum { LENGTH = 9, D = 3 };
    zn_context *context = zn_context_create(NULL);
    int start[LENGTH + 1], index[3 * LENGTH], count = 0;
    for (int c = 0; c < LENGTH; c++) {
        start[c] = count;
        for (int j = c > 0 ? c - 1 : 0; j <= c + 1 && j < LENGTH; j++) index[count++] = j;
    }
    start[LENGTH] = count;
    lin_block_lu *lu = lin_block_lu_create(context, LENGTH, D, start, index);
    assert_non_null(lu);
    assert_int_equal((int)lin_block_lu_work(lu), (4 * (LENGTH - 1) + 1) * D * D * D);
    lin_block_lu_destroy(lu);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_dense), cmocka_unit_test(knows_the_sign),
                                       cmocka_unit_test(says_where_it_fails), cmocka_unit_test(counts_its_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
