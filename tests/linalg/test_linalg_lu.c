/* SPDX-License-Identifier: Apache-2.0 */
/* LU of assembled matrices: small backward error, singular matrices reported, refactorisation checked. */
#include "check.h"

#include "linalg/linalg.h"
#include "random.h"

#include <float.h>
#include <stdlib.h>

typedef struct problem {
    zn_context *context;
    lin_pattern pattern;
    lin_matrix *matrix;
    lin_lu *lu;
    double *values;
} problem;

static void problem_create_bodies(problem *p, int n, int count, const int *row, const int *col, lin_storage storage, const int *body) {
    p->context = zn_context_create(NULL);
    assert_int_equal(lin_pattern_create(p->context, n, n, count, row, col, &p->pattern, NULL), ZN_OK);
    p->matrix = lin_matrix_create(p->context, n);
    assert_int_equal(lin_matrix_block(p->matrix, &p->pattern.p, false, 0, 0), 0);
    if (body) assert_int_equal(lin_matrix_set_bodies(p->matrix, body), ZN_OK);
    assert_int_equal(lin_matrix_finish(p->matrix, storage), ZN_OK);
    p->lu = lin_lu_create(p->context, p->matrix);
    assert_non_null(p->lu);
    p->values = calloc((size_t)lin_nnz(&p->pattern.p) + 1, sizeof(double));
}

static void problem_create(problem *p, int n, int count, const int *row, const int *col, lin_storage storage) {
    problem_create_bodies(p, n, count, row, col, storage, NULL);
}

static void problem_destroy(problem *p) {
    assert_int_equal(zn_error_count(p->context), 0);
    free(p->values);
    lin_lu_destroy(p->lu);
    lin_matrix_destroy(p->matrix);
    lin_pattern_destroy(p->context, &p->pattern);
    zn_context_destroy(p->context);
}

static zn_status factor(problem *p, bool same_structure) {
    lin_matrix_zero(p->matrix);
    lin_matrix_add(p->matrix, 0, 1, p->values);
    return lin_lu_factor(p->lu, p->matrix, same_structure);
}

/* Largest |b - A x|_i / (|A| |x| + |b|)_i: the componentwise backward error (Oettli, Prager), independent of the condition. */
static double backward_error(const problem *p, const double *x, const double *b) {
    int n = p->pattern.p.cols;
    double *r = malloc(2 * (size_t)n * sizeof *r), *bound = r + n, worst = 0;
    for (int i = 0; i < n; i++) {
        r[i] = b[i];
        bound[i] = fabs(b[i]);
    }
    for (int j = 0; j < n; j++) {
        for (int k = p->pattern.start[j]; k < p->pattern.start[j + 1]; k++) {
            r[p->pattern.index[k]] -= p->values[k] * x[j];
            bound[p->pattern.index[k]] += fabs(p->values[k] * x[j]);
        }
    }
    for (int i = 0; i < n; i++) {
        double e = bound[i] > 0 ? fabs(r[i]) / bound[i] : fabs(r[i]);
        worst = e <= worst ? worst : e; /* keeps NaN */
    }
    free(r);
    return worst;
}

static double solve_error(problem *p, random_source *random) {
    int n = p->pattern.p.cols;
    double *b = malloc(4 * (size_t)n * sizeof *b), *x = b + 2 * n, worst = 0;
    for (int i = 0; i < 2 * n; i++) x[i] = b[i] = random_number(random);
    lin_lu_solve_many(p->lu, x, 2);
    worst = fmax(backward_error(p, x, b), backward_error(p, x + n, b + n));
    memcpy(x + n, b, (size_t)n * sizeof *x);
    lin_lu_solve(p->lu, x + n);
    worst = fmax(worst, backward_error(p, x + n, b));
    free(b);
    return worst;
}

/* A full diagonal and `extra` random entries a row; diagonal entries are weak so that pivoting has to happen. */
static void random_problem(problem *p, random_source *random, int n, int extra, lin_storage storage) {
    int count = n * (extra + 1);
    int *row = malloc((size_t)count * sizeof *row), *col = malloc((size_t)count * sizeof *col);
    for (int k = 0; k < count; k++) {
        row[k] = k % n;
        col[k] = k < n ? k : random_below(random, n);
    }
    problem_create(p, n, count, row, col, storage);
    free(row);
    free(col);
}

static void randomise(problem *p, random_source *random) {
    for (int k = 0; k < lin_nnz(&p->pattern.p); k++) p->values[k] = random_number(random);
}

static void random_systems(lin_storage storage) {
    random_source random = {2024};
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 10, 13, 19, 20, 21, 22, 30, 47, 64, 90, 130, 200};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        problem p;
        random_problem(&p, &random, n, n < 6 ? n : 5, storage);
        assert_true(lin_matrix_is_dense(p.matrix) == (storage == LIN_DENSE));
        for (int round = 0; round < 4; round++) {
            randomise(&p, &random);
            for (int k = 0; k < lin_nnz(&p.pattern.p); k++) /* rows in very different units */
                p.values[k] *= ldexp(1, 7 * (p.pattern.index[k] % 9) - 28);
            if (factor(&p, round == 2) != ZN_OK) continue; /* a random sparse matrix may be singular */
            check_below(solve_error(&p, &random), 1e-12);
            assert_true(lin_lu_rcond(p.lu) > 0 && lin_lu_rcond(p.lu) <= 1);
        }
        problem_destroy(&p);
    }
}

static void dense_systems(void **state) {
    (void)state;
    random_systems(LIN_DENSE);
}

static void sparse_systems(void **state) {
    (void)state;
    random_systems(LIN_SPARSE);
}

/* A tridiagonal pattern of an even number of rows. */
enum { CHAIN = 12 };
static void band_problem(problem *p, int width, lin_storage storage, const int *body) {
    int row[CHAIN * CHAIN], col[CHAIN * CHAIN], count = 0;
    for (int i = 0; i < CHAIN; i++)
        for (int j = i - width; j <= i + width; j++)
            if (j >= 0 && j < CHAIN) row[count] = i, col[count++] = j;
    problem_create_bodies(p, CHAIN, count, row, col, storage, body);
}

static void chain_problem(problem *p, lin_storage storage) { band_problem(p, 1, storage, NULL); }

static void set_chain(problem *p, double diagonal, double beside) {
    for (int j = 0; j < CHAIN; j++)
        for (int k = p->pattern.start[j]; k < p->pattern.start[j + 1]; k++) p->values[k] = p->pattern.index[k] == j ? diagonal : beside;
}

/* With a strong diagonal the pivots are the diagonal. Then the diagonal becomes tiny: the matrix (eigenvalues near
 * 2 cos(k pi / 13)) is as well conditioned as before, but the old pivots divide by 1e-9 and lose nine digits, or by 1e-18 and
 * lose all. A refactorisation does not notice; the growth check has to. */
static void refactorisation_with_unfit_pivots(void **state) {
    (void)state;
    static const double diagonals[] = {1e-6, 1e-9, 1e-12, 1e-18, 0};
    random_source random = {43};
    problem p;
    chain_problem(&p, LIN_SPARSE);
    for (size_t k = 0; k < sizeof diagonals / sizeof *diagonals; k++) {
        set_chain(&p, 4, 1);
        assert_int_equal(factor(&p, k % 2 == 0), ZN_OK);
        check_below(solve_error(&p, &random), 1e-15);
        set_chain(&p, diagonals[k], 1);
        assert_int_equal(factor(&p, true), ZN_OK);
        check_below(solve_error(&p, &random), 1e-13);
    }
    problem_destroy(&p);
}

static void refactorisation_after_failures(void **state) {
    (void)state;
    random_source random = {47};
    problem p;
    chain_problem(&p, LIN_SPARSE);
    set_chain(&p, 4, 1);
    assert_int_equal(factor(&p, true), ZN_OK); /* nothing to refactor yet: a full factorisation */
    check_below(solve_error(&p, &random), 1e-15);
    set_chain(&p, 0, 0);
    assert_int_equal(factor(&p, true), ZN_ERROR_SINGULAR);
    set_chain(&p, NAN, 1);
    assert_int_equal(factor(&p, true), ZN_ERROR_NOT_FINITE);
    set_chain(&p, 4, 1);
    assert_int_equal(factor(&p, true), ZN_OK);
    check_below(solve_error(&p, &random), 1e-15);
    problem_destroy(&p);
}

static void set_band(problem *p, double diagonal, double beside) {
    for (int j = 0; j < CHAIN; j++)
        for (int k = p->pattern.start[j]; k < p->pattern.start[j + 1]; k++) {
            int i = p->pattern.index[k];
            p->values[k] = i == j ? diagonal : beside * sin(3 * i + 5 * j + i * j);
        }
}

/* Solutions are functions of the matrices since the structure was new: an LU with a past has the bits of one without, whether pivots in a
 * fixed order fail
 * (tiny diagonals) or not. */
static void new_structures_remember_nothing(void **state) {
    (void)state;
    static const double diagonals[] = {4.1, 1e-18, 3.7, 0.3, 1e-9, 2.3};
    enum { COUNT = sizeof diagonals / sizeof *diagonals };
    int body[CHAIN];
    for (int i = 0; i < CHAIN; i++) body[i] = i / 2;
    for (int past = 0; past < 2 * COUNT; past++)
        for (int present = 0; present < COUNT; present++) {
            problem old, fresh;
            band_problem(&old, 3, LIN_SPARSE, past % 2 ? body : NULL);
            band_problem(&fresh, 3, LIN_SPARSE, past % 2 ? body : NULL);
            for (int k = 0; k < 12; k++) {
                set_band(&old, diagonals[past / 2], 1.1);
                assert_int_equal(factor(&old, k > 0), ZN_OK);
            }
            for (int k = 0; k < 3; k++) {
                double x[CHAIN], y[CHAIN];
                for (int i = 0; i < CHAIN; i++) x[i] = y[i] = cos(i + k);
                set_band(&old, diagonals[(present + k) % COUNT], 0.9), set_band(&fresh, diagonals[(present + k) % COUNT], 0.9);
                assert_int_equal(factor(&old, k > 0), ZN_OK);
                assert_int_equal(factor(&fresh, k > 0), ZN_OK);
                lin_lu_solve(old.lu, x), lin_lu_solve(fresh.lu, y);
                assert_memory_equal(x, y, sizeof x);
            }
            problem_destroy(&old), problem_destroy(&fresh);
        }
}

/* Random matrices whose column c is a combination of others: singular up to rounding only. */
static void singular_matrices(void **state) {
    (void)state;
    random_source random = {53};
    static const int sizes[] = {1, 2, 3, 6, 12, 20, 21, 40, 100};
    for (int k = 0; k < 2 * 9 * 8; k++) {
        int n = sizes[k % 9], count = n * n, c = random_below(&random, n);
        int *row = malloc(sizeof(int) * (size_t)count), *col = malloc(sizeof(int) * (size_t)count);
        for (int e = 0; e < count; e++) row[e] = e % n, col[e] = e / n;
        problem p;
        problem_create(&p, n, count, row, col, k % 2 ? LIN_DENSE : LIN_SPARSE);
        randomise(&p, &random);
        assert_int_equal(factor(&p, false), ZN_OK);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                if (j != c) sum += p.values[i + j * n] * (j % 3 - 1.3);
            p.values[i + c * n] = sum;
        }
        assert_int_equal(factor(&p, false), ZN_ERROR_SINGULAR);
        assert_int_equal(factor(&p, true), ZN_ERROR_SINGULAR);
        randomise(&p, &random); /* usable again */
        assert_int_equal(factor(&p, false), ZN_OK);
        check_below(solve_error(&p, &random), 1e-12);
        p.values[random_below(&random, count)] = k % 3 ? INFINITY : NAN;
        assert_int_equal(factor(&p, false), ZN_ERROR_NOT_FINITE);
        free(row), free(col);
        problem_destroy(&p);
    }
}

/* Units do not make a matrix singular: rows from 1e-30 to 1e30, columns from 1e-3 to 1e3. */
static void units(void **state) {
    (void)state;
    random_source random = {59};
    for (int storage = 0; storage < 2; storage++) {
        problem p;
        chain_problem(&p, storage ? LIN_DENSE : LIN_SPARSE);
        set_chain(&p, 2, -1);
        for (int j = 0; j < CHAIN; j++)
            for (int k = p.pattern.start[j]; k < p.pattern.start[j + 1]; k++)
                p.values[k] *= pow(10, 30 * (p.pattern.index[k] % 3 - 1)) * pow(10, 3 * (j % 2 * 2 - 1));
        assert_int_equal(factor(&p, false), ZN_OK);
        check_below(solve_error(&p, &random), 1e-14);
        problem_destroy(&p);
    }
}

/* An empty row, and a pattern without a full transversal: no values make it regular. */
static void structurally_singular(void **state) {
    (void)state;
    static const int row[] = {0, 0, 1, 1, 2}, col[] = {0, 2, 0, 2, 1}, bad_row[] = {0, 1, 2}, bad_col[] = {0, 0, 1};
    random_source random = {61};
    for (int storage = 0; storage < 2; storage++) {
        problem p;
        problem_create(&p, 3, 3, bad_row, bad_col, storage ? LIN_DENSE : LIN_SPARSE);
        randomise(&p, &random);
        assert_int_equal(factor(&p, false), ZN_ERROR_SINGULAR);
        assert_int_equal(factor(&p, true), ZN_ERROR_SINGULAR);
        double b[3] = {p.values[0], p.values[1], 0};
        assert_int_equal(lin_lu_factor_regularised(p.lu, p.matrix), ZN_OK);
        lin_lu_solve(p.lu, b);
        check_close(b[0], 1, 1e-10);
        check_close(b[1], 0, 1e-10);
        check_close(b[2], 0, 0);
        problem_destroy(&p);
        problem_create(&p, 3, 5, row, col, storage ? LIN_DENSE : LIN_SPARSE);
        randomise(&p, &random);
        assert_int_equal(factor(&p, false), ZN_OK);
        check_below(solve_error(&p, &random), 1e-14);
        problem_destroy(&p);
        problem_create(&p, 0, 0, NULL, NULL, storage ? LIN_DENSE : LIN_SPARSE);
        assert_int_equal(factor(&p, false), ZN_OK);
        lin_lu_solve(p.lu, NULL);
        assert_int_equal(lin_lu_factor_regularised(p.lu, p.matrix), ZN_OK);
        lin_lu_solve(p.lu, NULL);
        problem_destroy(&p);
    }
    lin_lu_destroy(NULL);
}

/* [m 0 -a; 0 m -b; a b 0]: by its rows alone singular for tiny m, with weights 1/m of the first two not. A row of zeros is singular in any
 * case. */
static void columns_by_weights(void **state) {
    (void)state;
    const int row[] = {0, 2, 1, 2, 0, 1}, col[] = {0, 0, 1, 1, 2, 2};
    const double m = 1e-25, weight[] = {1 / m, 1 / m, 1};
    for (int storage = 0; storage < 2; storage++) {
        problem p;
        problem_create(&p, 3, 6, row, col, storage == 0 ? LIN_DENSE : LIN_SPARSE);
        const double a = 0.6, b = 0.8, values[] = {m, a, m, b, -a, -b};
        memcpy(p.values, values, sizeof values);
        assert_int_equal(factor(&p, false), ZN_ERROR_SINGULAR);
        assert_int_equal(lin_lu_weigh_rows(p.lu, p.matrix, 3, weight), ZN_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(factor(&p, again), ZN_OK);
            double x[] = {2 * m, 0, 5}; /* m u - w P = m (2, 0), w.u = 5 with |w| = 1: P = m (5 - 2 a) */
            lin_lu_solve(p.lu, x);
            check_close(x[0], 2 + a * (5 - 2 * a), 1e-14);
            check_close(x[1], b * (5 - 2 * a), 1e-14);
            check_close(x[2] / m, 5 - 2 * a, 1e-14);
        }
        p.values[1] = p.values[3] = 0;
        assert_int_equal(factor(&p, false), ZN_ERROR_SINGULAR);
        p.values[1] = NAN;
        assert_int_equal(factor(&p, false), ZN_ERROR_NOT_FINITE);
        problem_destroy(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_systems),
        cmocka_unit_test(sparse_systems),
        cmocka_unit_test(refactorisation_with_unfit_pivots),
        cmocka_unit_test(refactorisation_after_failures),
        cmocka_unit_test(new_structures_remember_nothing),
        cmocka_unit_test(singular_matrices),
        cmocka_unit_test(units),
        cmocka_unit_test(columns_by_weights),
        cmocka_unit_test(structurally_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
