/* SPDX-License-Identifier: Apache-2.0 */
/* Pivots in a fixed order, body by body, against the dense LU: matrices like those of stages, with unknowns of positions, velocities and
 * forces. */
#include "linalg/linalg.h"

#include "linalg/static_lu.h"

#include "check.h"
#include "random.h"

#include <stdlib.h>

enum { Q = 4, U = 3, MOST = 400000 };

typedef struct tree {
    zn_context *context;
    int n, *body;
    lin_pattern pattern;
    double *values;
    lin_matrix *sparse, *dense;
    lin_lu *sparse_lu, *dense_lu;
} tree;

static int row[MOST], col[MOST];
static double value[MOST];
static int count;

static void put(int i, int j, double v) { row[count] = i, col[count] = j, value[count++] = v; }

/* Bodies b = 0 .. with Q positions and U velocities, each tied to an earlier one (or to nothing) by U - 1 constraints on positions:
 *     Q - h B u = .,   M u - W p + h K Q = .,   C Q = . */
static tree make(random_source *r, int bodies, bool chain, double h, int spare) {
    tree t = {.context = zn_context_create(NULL)};
    int first_u = bodies * Q, first_p = first_u + bodies * U, rows = U - 1, *seen = calloc((size_t)bodies + 1, sizeof *seen);
    t.n = first_p + bodies * rows + spare;
    t.body = malloc(sizeof(int) * (size_t)t.n);
    for (int i = 0; i < t.n; i++) t.body[i] = i < first_u ? i / Q : i < first_p ? (i - first_u) / U : -1;
    count = 0;
    for (int b = 0; b < bodies; b++) {
        int parent = b == 0 ? -1 : chain ? b - 1 : random_below(r, b);
        double C[2][U - 1][Q], B[Q][U];
        for (int i = 0; i < Q; i++) {
            put(b * Q + i, b * Q + i, 1);
            for (int j = 0; j < U; j++) put(b * Q + i, first_u + b * U + j, -h * (B[i][j] = random_number(r)));
        }
        for (int i = 0; i < U; i++)
            for (int j = 0; j < U; j++) put(first_u + b * U + i, first_u + b * U + j, i == j ? 2 : 0.2 * random_number(r));
        for (int side = 0; side < 2; side++) {
            int other = side ? parent : b;
            if (other < 0) continue;
            for (int k = 0; k < rows; k++) {
                int p = first_p + b * rows + k;
                for (int i = 0; i < Q; i++) put(p, other * Q + i, C[side][k][i] = random_number(r));
                for (int j = 0; j < U; j++) {
                    double w = 0; /* forces act along the velocities that the constraint sees */
                    for (int i = 0; i < Q; i++) w += C[side][k][i] * (side ? random_number(r) : B[i][j]);
                    put(first_u + other * U + j, p, -w);
                }
                for (int i = 0; i < U; i++) put(first_u + b * U + i, other * Q + i % Q, h * random_number(r));
            }
        }
    }
    for (int s = 0; s < spare; s++) /* rows that are the first constraint again */
        for (int i = 0; i < Q; i++) {
            put(first_p + bodies * rows + s, i, 0), value[count - 1] = 0;
            for (int e = 0; e < count; e++)
                if (row[e] == first_p && col[e] == i) value[count - 1] = value[e];
            put(first_u + i % U, first_p + bodies * rows + s, 1 + i);
        }
    int *place = malloc(sizeof(int) * (size_t)count);
    assert_int_equal(lin_pattern_create(t.context, t.n, t.n, count, row, col, &t.pattern, place), ZN_OK);
    t.values = calloc((size_t)lin_nnz(&t.pattern.p), sizeof(double));
    for (int e = 0; e < count; e++) t.values[place[e]] += value[e];
    free(place), free(seen);
    lin_matrix **matrices[] = {&t.sparse, &t.dense};
    for (int k = 0; k < 2; k++) {
        *matrices[k] = lin_matrix_create(t.context, t.n);
        assert_true(lin_matrix_block(*matrices[k], &t.pattern.p, false, 0, 0) == 0);
        if (k == 0) assert_int_equal(lin_matrix_set_bodies(*matrices[k], t.body), ZN_OK);
        assert_int_equal(lin_matrix_finish(*matrices[k], k == 0 ? LIN_SPARSE : LIN_DENSE), ZN_OK);
        lin_matrix_add(*matrices[k], 0, 1, t.values);
    }
    t.sparse_lu = lin_lu_create(t.context, t.sparse);
    t.dense_lu = lin_lu_create(t.context, t.dense);
    return t;
}

static void destroy(tree *t) {
    lin_lu_destroy(t->sparse_lu), lin_lu_destroy(t->dense_lu);
    lin_matrix_destroy(t->sparse), lin_matrix_destroy(t->dense);
    lin_pattern_destroy(t->context, &t->pattern);
    free(t->values), free(t->body);
    zn_context_destroy(t->context);
}

static lin_columns columns_of(const tree *t) { return (lin_columns){t->n, t->pattern.start, t->pattern.index, t->values}; }

static void as_the_dense_one(void **state) {
    (void)state;
    random_source r = {7};
    int used = 0;
    for (int round = 0; round < 60; round++) {
        tree t = make(&r, 1 + round % 20, round % 2, round % 3 ? 1e-3 : 0.1, 0);
        assert_int_equal(lin_lu_factor(t.dense_lu, t.dense, false), ZN_OK);
        assert_int_equal(lin_lu_factor(t.sparse_lu, t.sparse, false), ZN_OK);
        double operations = INFINITY, rcond, *b = malloc(sizeof *b * (size_t)(3 * t.n)), *x = b + t.n, *y = x + t.n, size = 0;
        for (int i = 0; i < t.n; i++) b[i] = x[i] = y[i] = random_number(&r);
        lin_lu_solve(t.dense_lu, x);
        lin_lu_solve(t.sparse_lu, y);
        for (int i = 0; i < t.n; i++) size = larger(fabs(x[i]), size);
        for (int i = 0; i < t.n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-7 * size);
        static_lu *f;
        lin_columns a = columns_of(&t);
        assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &operations, &f), ZN_OK);
        if (lin_static_factor(f, &a, &rcond)) {
            used++;
            assert_true(rcond > 0 && rcond <= 1);
            lin_static_solve(f, b, 1);
            for (int i = 0; i < t.n; i++) assert_true(fabs(x[i] - b[i]) <= 1e-7 * size);
        }
        t.values[t.n / 2] = NAN;
        assert_false(lin_static_factor(f, &a, &rcond));
        lin_static_destroy(f);
        free(b);
        destroy(&t);
    }
    assert_true(used >= 50); /* it is there to be used */
}

/* A constraint that follows from others is left to the caller, who can judge it. */
static void refuses_singular(void **state) {
    (void)state;
    random_source r = {8};
    for (int bodies = 2; bodies < 20; bodies += 3) {
        tree t = make(&r, bodies, true, 1e-2, 1);
        double operations = INFINITY, rcond;
        static_lu *f;
        lin_columns a = columns_of(&t);
        assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &operations, &f), ZN_OK);
        assert_false(lin_static_factor(f, &a, &rcond));
        assert_int_equal(lin_lu_factor(t.sparse_lu, t.sparse, false), ZN_ERROR_SINGULAR);
        lin_static_destroy(f);
        destroy(&t);
    }
}

/* What takes more operations than are of use is not looked at to its end: where constraints fill a matrix up, its structure alone would
 * take gigabytes. */
static void ends_early(void **state) {
    (void)state;
    random_source r = {10};
    for (int chain = 0; chain < 2; chain++) {
        tree t = make(&r, 30, chain, 1e-3, 0);
        double all = INFINITY, same, fewer;
        static_lu *f;
        assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &all, NULL), ZN_OK);
        assert_true(all > 0 && isfinite(all));
        same = all, fewer = all - 1;
        assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &same, &f), ZN_OK);
        assert_true(f && same == all);
        lin_static_destroy(f);
        assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &fewer, &f), ZN_OK);
        assert_true(!f && fewer == INFINITY);
        destroy(&t);
    }
}

/* The order has each row once, and the work for chains and trees grows with their length. */
static void grows_linearly(void **state) {
    (void)state;
    random_source r = {9};
    static const int sizes[] = {10, 80, 320};
    for (int chain = 0; chain < 2; chain++) {
        double per_body[3] = {INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < 3; k++) {
            tree t = make(&r, sizes[k], chain, 1e-3, 0);
            int *order = malloc(sizeof(int) * (size_t)t.n);
            bool *seen = calloc((size_t)t.n, sizeof *seen);
            assert_int_equal(lin_static_order(t.context, &t.pattern.p, t.body, order), ZN_OK);
            for (int i = 0; i < t.n; i++) assert_true(order[i] >= 0 && order[i] < t.n && !seen[order[i]]), seen[order[i]] = true;
            assert_int_equal(lin_static_create(t.context, &t.pattern.p, t.body, &per_body[k], NULL), ZN_OK);
            per_body[k] /= sizes[k];
            free(order), free(seen);
            destroy(&t);
        }
        assert_true(per_body[1] < 2 * per_body[0] &&
                    per_body[2] < 1.1 * per_body[1]); /* the ends of a chain are no more than a tenth of 80 bodies */
    }
}

/* A constraint in two stages of radau-2a, whose A A has a zero in its second row, between a small body and a large one, of which the second
 * stage sees less: by neighbours it would come first. */
static void stages_of_a_constraint_in_their_order(void **state) {
    (void)state;
    enum { SMALL = 2, LARGE = 6, FIRST = SMALL + LARGE, N = FIRST + 2 };
    static const double A[2][2] = {{5.0 / 12, -1.0 / 12}, {3.0 / 4, 1.0 / 4}};
    static const int body[N] = {0, 0, 1, 1, 1, 1, 1, 1, -1, -1};
    zn_context *context = zn_context_create(NULL);
    count = 0;
    for (int i = 0; i < SMALL; i++) put(i, i, 1);
    for (int i = SMALL; i < FIRST; i++)
        for (int j = SMALL; j < FIRST; j++) put(i, j, i == j ? 10 : 1);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) put(i, FIRST + j, -A[i][j]), put(FIRST + i, j, A[i][j]);
    for (int i = 0; i < 2; i++)
        for (int k = SMALL; k < SMALL + 4 - 2 * i; k++) put(k, FIRST + i, -0.1 * k), put(FIRST + i, k, 0.1 * k);
    lin_pattern pattern;
    int place[N * N];
    double operations = INFINITY, rcond, values[N * N] = {0};
    assert_int_equal(lin_pattern_create(context, N, N, count, row, col, &pattern, place), ZN_OK);
    for (int e = 0; e < count; e++) values[place[e]] += value[e];
    static_lu *f;
    lin_columns a = {N, pattern.start, pattern.index, values};
    assert_int_equal(lin_static_create(context, &pattern.p, body, &operations, &f), ZN_OK);
    assert_true(lin_static_factor(f, &a, &rcond));
    lin_static_destroy(f);
    lin_pattern_destroy(context, &pattern);
    zn_context_destroy(context);
}

static void wrong_bodies(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    lin_matrix *m = lin_matrix_create(context, 2);
    assert_int_equal(lin_matrix_set_bodies(m, (const int[]){0, 2}), ZN_ERROR_INTERNAL);
    lin_matrix_destroy(m);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_dense_one),
                                       cmocka_unit_test(refuses_singular),
                                       cmocka_unit_test(ends_early),
                                       cmocka_unit_test(grows_linearly),
                                       cmocka_unit_test(stages_of_a_constraint_in_their_order),
                                       cmocka_unit_test(wrong_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
