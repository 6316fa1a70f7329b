/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices that fall apart, against the LU of the whole. */
#include "linalg/cells.h"

#include "check.h"

#include <stdlib.h>

static uint64_t seed;
static double uniform(void) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

typedef struct apart {
    zn_context *context;
    lin_matrix *matrix;
    lin_pattern pattern;
    double *values;
    int block, n;
} apart;

/* Cells of the given sizes, whose rows are dealt out in turn; each is a ring with a full diagonal. */
static apart create(int cells, const int *size, lin_storage storage) {
    apart a = {.context = zn_context_create(NULL)};
    int row[4000], col[4000], member[64][200], count = 0, left = 1;
    for (int k = 0; left; k++) {
        left = 0;
        for (int c = 0; c < cells; c++)
            if (k < size[c]) member[c][k] = a.n++, left = 1;
    }
    for (int c = 0; c < cells; c++)
        for (int k = 0; k < size[c]; k++) {
            row[count] = col[count] = member[c][k], count++;
            if (size[c] == 1) continue;
            row[count] = member[c][k], col[count++] = member[c][(k + 1) % size[c]];
        }
    a.values = calloc((size_t)count, sizeof(double));
    a.matrix = lin_matrix_create(a.context, a.n);
    assert_int_equal(lin_pattern_create(a.context, a.n, a.n, count, row, col, &a.pattern, NULL), ZN_OK);
    for (int k = 0; k < lin_nnz(&a.pattern.p); k++) a.values[k] = uniform();
    for (int j = 0; j < a.n; j++)
        for (int e = a.pattern.start[j]; e < a.pattern.start[j + 1]; e++)
            if (a.pattern.index[e] == j) a.values[e] += 3;
    a.block = lin_matrix_block(a.matrix, &a.pattern.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(a.matrix, storage), ZN_OK);
    lin_matrix_add(a.matrix, a.block, 1, a.values);
    return a;
}

static void destroy(apart *a) {
    lin_matrix_destroy(a->matrix);
    lin_pattern_destroy(a->context, &a->pattern);
    zn_context_destroy(a->context);
    free(a->values);
}

static void as_the_whole(void **state) {
    (void)state;
    const int sizes[][5] = {{1, 1, 1, 1, 1}, {6, 6, 6, 6, 6}, {3, 60, 1, 150, 7}, {40, 41, 2, 2, 2}};
    for (int k = 0; k < 4; k++)
        for (int dense = 0; dense < 2; dense++) {
            apart a = create(5, sizes[k], dense ? LIN_DENSE : LIN_SPARSE);
            lin_cells *cells = lin_cells_create(a.context, a.matrix, NULL, NULL);
            lin_cell_map map = lin_cells_map(cells);
            assert_int_equal(map.count, dense ? 1 : 5);
            for (int i = 0; i < a.n; i++) assert_int_equal(map.row[map.start[map.of[i]] + map.place[i]], i);
            for (int c = 0; c < map.count && !dense; c++) assert_int_equal(map.start[c + 1] - map.start[c], sizes[k][c]);
            double x[300], b[300], left[300];
            for (int i = 0; i < a.n; i++) x[i] = b[i] = uniform();
            assert_int_equal(lin_cells_factor_all(cells, a.matrix), ZN_OK);
            lin_cells_solve_all(cells, x);
            lin_matrix_multiply(a.matrix, x, left);
            for (int i = 0; i < a.n; i++) check_close(left[i], b[i], 1e-13);
            double two[400]; /* one cell, two columns */
            int last = map.count - 1, m = map.start[last + 1] - map.start[last];
            if (m <= 200) {
                for (int i = 0; i < m; i++) two[i] = b[map.row[map.start[last] + i]], two[m + i] = -2 * two[i];
                lin_cells_solve(cells, last, two, 2);
                for (int i = 0; i < m; i++) check_close(two[i], x[map.row[map.start[last] + i]], 1e-13);
                for (int i = 0; i < m; i++) check_close(two[m + i], -2 * two[i], 1e-13);
            }
            lin_cells_destroy(cells);
            destroy(&a);
        }
}

static void joined_rows(void **state) {
    (void)state;
    apart a = create(5, (int[]){1, 6, 3, 50, 2}, LIN_SPARSE);
    lin_cells *apart_cells = lin_cells_create(a.context, a.matrix, NULL, NULL);
    unsigned char joined[100] = {0};
    int k = 1;
    while (lin_cells_map(apart_cells).of[k] == lin_cells_map(apart_cells).of[k - 1]) k++;
    joined[k] = 1;
    lin_cells *cells = lin_cells_create(a.context, a.matrix, NULL, joined);
    lin_cell_map map = lin_cells_map(cells);
    assert_int_equal(map.count, 4);
    assert_int_equal(map.of[k], map.of[k - 1]);
    double x[100], y[100];
    for (int i = 0; i < a.n; i++) x[i] = y[i] = uniform();
    assert_int_equal(lin_cells_factor_all(cells, a.matrix), ZN_OK);
    assert_int_equal(lin_cells_factor_all(apart_cells, a.matrix), ZN_OK);
    lin_cells_solve_all(cells, x);
    lin_cells_solve_all(apart_cells, y);
    for (int i = 0; i < a.n; i++) check_close(x[i], y[i], 1e-13);
    lin_cells_destroy(cells);
    lin_cells_destroy(apart_cells);
    destroy(&a);
}

static void only_the_cell_at_fault_fails(void **state) {
    (void)state;
    apart a = create(3, (int[]){4, 4, 50}, LIN_SPARSE);
    lin_cells *cells = lin_cells_create(a.context, a.matrix, NULL, NULL);
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < a.n; j++) /* cell 1 of zeros, then with a NaN */
            for (int e = a.pattern.start[j]; e < a.pattern.start[j + 1]; e++)
                if (lin_cells_map(cells).of[j] == 1) a.values[e] = k ? NAN : 0;
        lin_matrix_zero(a.matrix);
        lin_matrix_add(a.matrix, a.block, 1, a.values);
        assert_int_equal(lin_cells_factor(cells, a.matrix, 0), ZN_OK);
        assert_int_equal(lin_cells_factor(cells, a.matrix, 1), k ? ZN_ERROR_NOT_FINITE : ZN_ERROR_SINGULAR);
        assert_int_equal(lin_cells_factor(cells, a.matrix, 2), ZN_OK);
        assert_int_equal(lin_cells_factor_all(cells, a.matrix), k ? ZN_ERROR_NOT_FINITE : ZN_ERROR_SINGULAR);
    }
    lin_cells_destroy(cells);
    destroy(&a);
}

/* A cell knows the bodies of its rows: the LU of the whole and of its only cell have the same order of pivots, and so the same bits. Two
 * such chains, of which bodies have numbers above those of the rows of a cell, are two cells. */
static void bodies_order_the_pivots_of_a_cell(void **state) {
    (void)state;
    enum { BODIES = 40, SIZE = 6, JOINTS = 5, ROWS = BODIES * (SIZE + JOINTS) };
    for (int cells = 1; cells <= 2; cells++) {
        zn_context *context = zn_context_create(NULL);
        int n = cells * ROWS, room = cells * BODIES * (SIZE * SIZE + 4 * SIZE * JOINTS), count = 0;
        int *row = calloc((size_t)room, sizeof(int)), *col = calloc((size_t)room, sizeof(int)), *body = calloc((size_t)n, sizeof(int));
        for (int b = cells * BODIES - 1; b >= 0; b--) {
            int first = b * (SIZE + JOINTS), last = b % BODIES ? 2 : 1;
            for (int i = 0; i < SIZE + JOINTS; i++) body[first + i] = i < SIZE ? n - 1 - b : -1;
            for (int k = 0; k < SIZE * SIZE; k++) row[count] = first + k / SIZE, col[count++] = first + k % SIZE;
            for (int k = 0; k < last * SIZE * JOINTS; k++) { /* its joint acts on it and on the body before it */
                int u = first - k / (SIZE * JOINTS) * (SIZE + JOINTS) + k % SIZE, joint = first + SIZE + k / SIZE % JOINTS;
                row[count] = u, col[count++] = joint;
                row[count] = joint, col[count++] = u;
            }
        }
        lin_pattern pattern;
        assert_int_equal(lin_pattern_create(context, n, n, count, row, col, &pattern, NULL), ZN_OK);
        double *values = calloc((size_t)count, sizeof(double)), *x = calloc((size_t)n, sizeof(double)),
               *y = calloc((size_t)n, sizeof(double));
        for (int j = 0, e = 0; j < n; j++)
            for (; e < pattern.start[j + 1]; e++) values[e] = uniform() + (pattern.index[e] == j ? 4 : 0);
        for (int i = 0; i < n; i++) x[i] = y[i] = uniform();
        lin_matrix *matrix = lin_matrix_create(context, n);
        int block = lin_matrix_block(matrix, &pattern.p, false, 0, 0);
        assert_int_equal(lin_matrix_set_bodies(matrix, body), ZN_OK);
        assert_int_equal(lin_matrix_finish(matrix, LIN_SPARSE), ZN_OK);
        lin_matrix_add(matrix, block, 1, values);
        lin_lu *lu = lin_lu_create(context, matrix);
        lin_cells *own = lin_cells_create(context, matrix, NULL, NULL);
        assert_int_equal(lin_cells_map(own).count, cells);
        assert_int_equal(lin_lu_factor(lu, matrix, false), ZN_OK);
        assert_int_equal(lin_cells_factor_all(own, matrix), ZN_OK);
        lin_lu_solve(lu, x);
        lin_cells_solve_all(own, y);
        for (int i = 0; i < n; i++)
            if (cells == 1) assert_true(x[i] == y[i]);
            else check_close(y[i], x[i], 1e-9 * (1 + fabs(x[i])));
        lin_cells_destroy(own);
        lin_lu_destroy(lu);
        lin_matrix_destroy(matrix);
        lin_pattern_destroy(context, &pattern);
        zn_context_destroy(context);
        void *blocks[] = {row, col, body, values, x, y};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_order_the_pivots_of_a_cell), cmocka_unit_test(as_the_whole),
                                       cmocka_unit_test(joined_rows), cmocka_unit_test(only_the_cell_at_fault_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
