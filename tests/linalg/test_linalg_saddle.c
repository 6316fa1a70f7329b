/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies and joints, eliminated body by body, against the LU of the whole matrix. */
#include "linalg/saddle.h"

#include "check.h"
#include "random.h"

#include <stdlib.h>

enum { CELL = 6, MOST = 60000 };

typedef struct chain {
    zn_context *context;
    int n, m; /* velocities, rows */
    lin_pattern M, W, C;
    double *M_values, *W_values, *C_values;
    lin_matrix *whole;
    lin_lu *lu;
    int block_M, block_W, block_C;
} chain;

static double *numbers(random_source *r, const lin_pattern *p) {
    double *v = malloc(sizeof *v * (size_t)(lin_nnz(&p->p) + 1));
    for (int k = 0; k < lin_nnz(&p->p); k++) v[k] = random_number(r);
    return v;
}

/* Bodies of different units (rows and columns of M times 10^k) with `size` velocities in shuffled places; `rows` rows of W on body b and
 * the next one. */
static chain make(random_source *r, int bodies, int size, int rows, bool symmetric, double unit) {
    static int row[MOST], col[MOST];
    chain c = {.context = zn_context_create(NULL), .n = bodies * size, .m = bodies * rows};
    int *at = malloc(sizeof(int) * (size_t)(c.n + 1)), count = 0;
    for (int k = 0; k < c.n; k++) at[k] = k;
    for (int k = c.n - 1; k > 0; k--) {
        int other = random_below(r, k + 1), kept = at[k];
        at[k] = at[other], at[other] = kept;
    }
    for (int b = 0; b < bodies; b++)
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) row[count] = at[b * size + i], col[count++] = at[b * size + j];
    assert_int_equal(lin_pattern_create(c.context, c.n, c.n, count, row, col, &c.M, NULL), ZN_OK);
    count = 0;
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < rows; k++)
            for (int i = 0; i < size && b * size + i < c.n; i++) {
                row[count] = at[b * size + i], col[count++] = b * rows + k;
                if (b + 1 < bodies) row[count] = at[(b + 1) * size + i], col[count++] = b * rows + k;
            }
    assert_int_equal(lin_pattern_create(c.context, c.n, c.m, count, row, col, &c.W, NULL), ZN_OK);
    assert_int_equal(lin_pattern_create(c.context, c.n, c.m, count, row, col, &c.C, NULL), ZN_OK);
    c.M_values = malloc(sizeof(double) * (size_t)(lin_nnz(&c.M.p) + 1));
    for (int j = 0; j < c.n; j++)
        for (int e = c.M.start[j]; e < c.M.start[j + 1]; e++) {
            int i = c.M.index[e];
            double part = (i == j ? 1 : 0.3 / size * sin(i + j)), scale = (i % 2 ? unit : 1) * (j % 2 ? unit : 1);
            c.M_values[e] = scale * part;
        }
    c.W_values = numbers(r, &c.W);
    c.C_values = numbers(r, &c.C);
    if (symmetric) memcpy(c.C_values, c.W_values, sizeof(double) * (size_t)lin_nnz(&c.W.p));
    c.whole = lin_matrix_create(c.context, c.n + c.m);
    c.block_M = lin_matrix_block(c.whole, &c.M.p, false, 0, 0);
    c.block_W = lin_matrix_block(c.whole, &c.W.p, false, 0, c.n);
    c.block_C = lin_matrix_block(c.whole, &c.C.p, true, c.n, 0);
    assert_int_equal(lin_matrix_finish(c.whole, LIN_DENSE), ZN_OK);
    c.lu = lin_lu_create(c.context, c.whole);
    free(at);
    return c;
}

static void destroy(chain *c) {
    lin_lu_destroy(c->lu);
    lin_matrix_destroy(c->whole);
    lin_pattern *patterns[] = {&c->M, &c->W, &c->C};
    for (int i = 0; i < 3; i++) lin_pattern_destroy(c->context, patterns[i]);
    free(c->M_values), free(c->W_values), free(c->C_values);
    zn_context_destroy(c->context);
}

static lin_saddle *create(chain *c) {
    lin_saddle *s;
    assert_int_equal(lin_saddle_create(c->context, &c->M.p, &c->W.p, &c->C.p, &s), ZN_OK);
    return s;
}

static zn_status factor_whole(chain *c) {
    lin_matrix_zero(c->whole);
    lin_matrix_add(c->whole, c->block_M, 1, c->M_values);
    lin_matrix_add(c->whole, c->block_W, -1, c->W_values);
    lin_matrix_add(c->whole, c->block_C, 1, c->C_values);
    return lin_lu_factor(c->lu, c->whole, false);
}

/* Twice refined, as its users do, the residual is round-off. */
static void compare(chain *c, lin_saddle *s, random_source *r) {
    int n = c->n + c->m;
    double *b = malloc(sizeof *b * (size_t)n), *x = calloc((size_t)n, sizeof *x), *y = malloc(sizeof *y * (size_t)n), size = 0, left = 0;
    for (int i = 0; i < n; i++) b[i] = random_number(r);
    for (int round = 0; round < 3; round++) {
        lin_matrix_multiply(c->whole, x, y);
        for (int i = 0; i < n; i++) y[i] = b[i] - y[i];
        lin_saddle_solve(s, y);
        for (int i = 0; i < n; i++) x[i] += y[i];
    }
    lin_matrix_multiply(c->whole, x, y);
    for (int i = 0; i < n; i++) size = larger(fabs(x[i]), size), left = larger(fabs(y[i] - b[i]), left);
    assert_true(isfinite(size));
    assert_true(left <= 1e-13 * n * (1 + size));
    memcpy(y, b, sizeof *b * (size_t)n);
    lin_lu_solve(c->lu, y);
    for (int i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-6 * (1 + size));
    free(b), free(x), free(y);
}

static void as_the_whole(void **state) {
    (void)state;
    random_source r = {77};
    static const int sizes[][3] = {{1, 1, 0}, {1, 6, 5}, {5, 6, 5}, {9, 1, 0}, {4, 3, 2}, {7, 6, 5}, {12, 6, 5}, {2, 12, 9}, {20, 3, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int symmetric = 0; symmetric < 2; symmetric++)
            for (double unit = 1; unit >= 1e-4; unit *= 1e-2) {
                chain c = make(&r, sizes[k][0], sizes[k][1], sizes[k][2], symmetric, unit);
                lin_saddle *s = create(&c);
                if (sizes[k][0] == 1 && sizes[k][2] == 0) assert_null(s); /* nothing falls apart */
                else assert_non_null(s);
                if (!s) {
                    destroy(&c);
                    continue;
                }
                for (int round = 0; round < 3; round++) {
                    if (factor_whole(&c) != ZN_OK) continue;
                    zn_status status = lin_saddle_factor(s, c.M_values, c.W_values, c.C_values, round == 1);
                    if (symmetric && unit == 1) assert_int_equal(status, ZN_OK); /* small masses make rows nearly dependent */
                    if (status == ZN_OK) compare(&c, s, &r);
                    for (int e = 0; e < lin_nnz(&c.W.p); e++) {
                        c.W_values[e] += 0.1 * random_number(&r);
                        c.C_values[e] = symmetric ? c.W_values[e] : c.C_values[e] + 0.1 * random_number(&r);
                    }
                    for (int e = 0; round == 1 && e < lin_nnz(&c.M.p); e++) c.M_values[e] *= 1.5;
                }
                lin_saddle_destroy(s);
                destroy(&c);
            }
}

/* What it cannot solve well it does not solve: rows that follow from others, a body without mass, numbers that are not finite. */
static void refuses(void **state) {
    (void)state;
    random_source r = {78};
    for (int what = 0; what < 4; what++)
        for (int bodies = 3; bodies <= 12; bodies += 9) {
            chain c = make(&r, bodies, CELL, 5, true, 1);
            lin_saddle *s = create(&c);
            assert_int_equal(lin_saddle_factor(s, c.M_values, c.W_values, c.C_values, false), ZN_OK);
            if (what == 0) /* the second row is the first, nearly */
                for (int e = c.W.start[1]; e < c.W.start[2]; e++)
                    c.W_values[e] = c.C_values[e] = c.W_values[e - c.W.start[1] + c.W.start[0]] * (1 + 1e-9 * random_number(&r));
            if (what == 1) c.M_values[0] = 0;
            if (what == 2) c.W_values[3] = c.C_values[3] = NAN;
            if (what == 3) c.M_values[0] = INFINITY;
            assert_int_equal(lin_saddle_factor(s, c.M_values, c.W_values, c.C_values, false), ZN_ERROR_SINGULAR);
            lin_saddle_destroy(s);
            destroy(&c);
        }
}

/* Only where bodies are small. */
static void pays_for_small_cells(void **state) {
    (void)state;
    random_source r = {79};
    chain one = make(&r, 1, 40, 5, true, 1);
    assert_null(create(&one));
    destroy(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_whole), cmocka_unit_test(refuses), cmocka_unit_test(pays_for_small_cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
