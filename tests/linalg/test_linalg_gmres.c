/* SPDX-License-Identifier: Apache-2.0 */
/* Complex LU, eigenvectors of small matrices, GMRES for several right-hand sides. */
#include "check.h"

#include "linalg/complex_lu.h"
#include "linalg/dense.h"
#include "linalg/gmres.h"

#include <stdlib.h>
#include <string.h>

static unsigned long long seed = 11;
static double uniform(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void complex_systems(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    static const int sizes[] = {1, 2, 7, 60};
    for (int k = 0; k < 4; k++) {
        int n = sizes[k], columns = 3;
        size_t all = (size_t)(n * n);
        lin_complex_lu *lu = lin_complex_lu_create(context, n);
        double complex *a = malloc(all * sizeof *a), *x = malloc((size_t)(n * columns) * sizeof *x),
                       *b = malloc((size_t)(n * columns) * sizeof *b);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) a[j * n + i] = ldexp(uniform(), 20 * (i % 3)) + I * ldexp(uniform(), 20 * (i % 3)); /* units */
        for (int i = 0; i < n * columns; i++) x[i] = uniform() + I * uniform();
        for (int c = 0; c < columns; c++)
            for (int i = 0; i < n; i++) {
                b[c * n + i] = 0;
                for (int j = 0; j < n; j++) b[c * n + i] += a[j * n + i] * x[c * n + j];
            }
        memcpy(lin_complex_lu_matrix(lu), a, all * sizeof *a);
        assert_int_equal(lin_complex_lu_factor(lu), ZN_OK);
        lin_complex_lu_solve(lu, b, 1);
        lin_complex_lu_solve(lu, b + n, columns - 1);
        for (int i = 0; i < n * columns; i++) check_below(cabs(b[i] - x[i]), 1e-10);
        memcpy(lin_complex_lu_matrix(lu), a, all * sizeof *a);
        for (int i = 0; i < n; i++) lin_complex_lu_matrix(lu)[(n - 1) * n + i] = n > 1 ? 3 * a[i] : 0; /* dependent columns */
        assert_int_equal(lin_complex_lu_factor(lu), ZN_ERROR_SINGULAR);
        memcpy(lin_complex_lu_matrix(lu), a, all * sizeof *a);
        lin_complex_lu_matrix(lu)[all / 2] = I * INFINITY;
        assert_int_equal(lin_complex_lu_factor(lu), ZN_ERROR_NOT_FINITE);
        free(a), free(x), free(b);
        lin_complex_lu_destroy(lu);
    }
    zn_context_destroy(context);
}

static void eigenvectors_rebuild_the_matrix(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    for (int tries = 0; tries < 50; tries++) {
        int n = 1 + tries % LIN_EIGEN_MAX, reals = 0;
        double A[LIN_EIGEN_MAX * LIN_EIGEN_MAX];
        for (int i = 0; i < n * n; i++) A[i] = uniform();
        lin_eigen e;
        assert_int_equal(lin_eigen_create(context, n, A, &e), ZN_OK);
        for (int k = 0; k < e.count; k++) reals += cimag(e.value[k]) == 0;
        assert_int_equal(reals + 2 * (e.count - reals), n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double a = 0, one = 0;
                for (int k = 0; k < e.count; k++) {
                    double weight = cimag(e.value[k]) == 0 ? 1 : 2;
                    a += weight * creal(e.T[k][i] * e.value[k] * e.inverse[k][j]);
                    one += weight * creal(e.T[k][i] * e.inverse[k][j]);
                }
                check_close(a, A[i * n + j], 1e-14 * n * e.condition);
                check_close(one, i == j, 1e-14 * n * e.condition);
            }
    }
    const double jordan[] = {1, 1, 0, 1};
    lin_eigen e;
    if (lin_eigen_create(context, 2, jordan, &e) == ZN_OK) assert_true(e.condition > 1e14);
    zn_context_destroy(context);
}

/* A = D (1 + noise R) with D as preconditioner; rows in different units. */
typedef struct system {
    int n;
    double *a, *d, *row;
} system_;

static void multiply(void *user, const double *x, double *y, int columns) {
    system_ *s = user;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < s->n; i++) {
            y[c * s->n + i] = 0;
            for (int j = 0; j < s->n; j++) y[c * s->n + i] += s->a[j * s->n + i] * x[c * s->n + j];
        }
}
static void precondition(void *user, double *b, int columns) {
    system_ *s = user;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < s->n; i++) b[c * s->n + i] /= s->d[i];
}

static void make_system(system_ *s, int n, double noise) {
    *s = (system_){n, malloc((size_t)(n * n) * 8), malloc((size_t)n * 8), malloc((size_t)n * 8)};
    for (int i = 0; i < n; i++) {
        s->d[i] = pow(10, 3 * uniform());
        s->row[i] = 1 / s->d[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) s->a[j * n + i] = s->d[i] * ((i == j) + noise * uniform() / n);
}
static void free_system(system_ *s) { free(s->a), free(s->d), free(s->row); }

static void gmres_solves(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    enum { N = 40, COLUMNS = 11 };
    lin_gmres *g = lin_gmres_create(context, N, 4, 15); /* three batches */
    static const double noises[] = {0, 0.1, 1};
    for (int k = 0; k < 3; k++) {
        system_ s;
        make_system(&s, N, noises[k]);
        double x[N * COLUMNS], b[N * COLUMNS];
        for (int i = 0; i < N * COLUMNS; i++) x[i] = i / N == 5 ? 0 : ldexp(uniform(), i / N); /* columns of any size, one zero */
        multiply(&s, x, b, COLUMNS);
        lin_gmres_system system = {&s, multiply, precondition, s.row};
        assert_int_equal(lin_gmres_solve(g, &system, b, COLUMNS, 1e-12, 1e-12), COLUMNS);
        for (int i = 0; i < N * COLUMNS; i++) check_close(b[i], x[i], 1e-11 * ldexp(10, i / N));
        if (noises[k] == 0) assert_int_equal(lin_gmres_iterations(g), 1); /* the preconditioner is the inverse */
        assert_true(lin_gmres_iterations(g) <= 15);
        free_system(&s);
    }
    lin_gmres_destroy(g);
    zn_context_destroy(context);
}

/* With too few iterations it says so, and leaves the right-hand sides. */
static void gmres_gives_up(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    enum { N = 40, COLUMNS = 7 };
    lin_gmres *g = lin_gmres_create(context, N, 3, 4);
    system_ s;
    make_system(&s, N, 100);
    double b[N * COLUMNS], kept[N * COLUMNS];
    for (int i = 0; i < N * COLUMNS; i++) b[i] = i < 4 * N ? 0 : uniform();
    memcpy(kept, b, sizeof b);
    lin_gmres_system system = {&s, multiply, precondition, s.row};
    assert_int_equal(lin_gmres_solve(g, &system, b, COLUMNS, 1e-10, 1e-10), 4);
    assert_memory_equal(b, kept, sizeof b);
    b[0] = NAN;
    assert_int_equal(lin_gmres_solve(g, &system, b, COLUMNS, 1e-10, 1e-10), 0);
    free_system(&s);
    lin_gmres_destroy(g);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(complex_systems), cmocka_unit_test(eigenvectors_rebuild_the_matrix),
                                       cmocka_unit_test(gmres_solves), cmocka_unit_test(gmres_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
