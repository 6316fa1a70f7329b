/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/complex_lu.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/scaling.h"

struct lin_complex_lu {
    zn_context *context;
    int n;
    double complex *factors;
    double *row, *col; /* scales of the rows, largest entries of the scaled columns */
    int *pivot;        /* from 1 */
};

lin_complex_lu *lin_complex_lu_create(zn_context *context, int n) {
    lin_complex_lu *lu = MEM_ARRAY(context, lin_complex_lu, 1);
    if (!lu) return NULL;
    *lu = (lin_complex_lu){.context = context, .n = n};
    lu->factors = MEM_ARRAY(context, double complex, (size_t)n *(size_t)n);
    lu->row = MEM_ARRAY(context, double, n);
    lu->col = MEM_ARRAY(context, double, n);
    lu->pivot = MEM_ARRAY(context, int, n);
    if (lu->factors && lu->row && lu->col && lu->pivot) return lu;
    lin_complex_lu_destroy(lu);
    return NULL;
}

void lin_complex_lu_destroy(lin_complex_lu *lu) {
    if (!lu) return;
    zn_context *context = lu->context;
    void *blocks[] = {lu->factors, lu->row, lu->col, lu->pivot, lu};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

double complex *lin_complex_lu_matrix(lin_complex_lu *lu) { return lu->factors; }

static double size_of(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

/* False: a value is not finite. */
static bool scale_rows(lin_complex_lu *lu) {
    size_t n = (size_t)lu->n;
    int bad = 0;
    for (size_t i = 0; i < n; i++) lu->row[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double size = size_of(lu->factors[j * n + i]);
            bad |= !(size <= DBL_MAX);
            lu->row[i] = larger_finite(size, lu->row[i]);
        }
    for (size_t i = 0; i < n; i++) lu->row[i] = lin_inverse_size(lu->row[i]);
    for (size_t j = 0; j < n; j++) {
        lu->col[j] = 0;
        for (size_t i = 0; i < n; i++) {
            lu->factors[j * n + i] *= lu->row[i];
            double size = size_of(lu->factors[j * n + i]);
            lu->col[j] = larger_finite(size, lu->col[j]);
        }
    }
    return !bad;
}

zn_status lin_complex_lu_factor(lin_complex_lu *lu) {
    size_t n = (size_t)lu->n;
    int info = 0;
    if (!scale_rows(lu)) return ZN_ERROR_NOT_FINITE;
    if (lu->n > 0) zgetrf_(&lu->n, &lu->n, lu->factors, &lu->n, lu->pivot, &info);
    if (info != 0) return ZN_ERROR_SINGULAR;
    for (size_t k = 0; k < n; k++)
        if (!(size_of(lu->factors[k * n + k]) > lin_tiny_pivot(lu->n) * lu->col[k])) return ZN_ERROR_SINGULAR;
    return ZN_OK;
}

static void triangle_solve(const lin_complex_lu *lu, const char *uplo, const char *diag, double complex *b, int columns) {
    const int step = 1;
    const double complex one = 1;
    if (columns == 1) ztrsv_(uplo, "N", diag, &lu->n, lu->factors, &lu->n, b, &step, 1, 1, 1);
    else ztrsm_("L", uplo, "N", diag, &lu->n, &columns, &one, lu->factors, &lu->n, b, &lu->n, 1, 1, 1, 1);
}

void lin_complex_lu_solve(const lin_complex_lu *lu, double complex *b, int columns) {
    size_t n = (size_t)lu->n;
    if (n == 0 || columns <= 0) return;
    for (int c = 0; c < columns; c++) {
        double complex *x = b + (size_t)c * n;
        for (size_t i = 0; i < n; i++) x[i] *= lu->row[i];
        for (size_t k = 0; k < n; k++) {
            double complex kept = x[k];
            x[k] = x[lu->pivot[k] - 1];
            x[lu->pivot[k] - 1] = kept;
        }
    }
    triangle_solve(lu, "L", "U", b, columns);
    triangle_solve(lu, "U", "N", b, columns);
}

/* ---- eigenvectors ---- */

static double largest_row_sum(int n, const double complex *a) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += cabs(a[j * n + i]);
        largest = larger(largest, sum);
    }
    return largest;
}

/* Rows of T^-1 and the condition, from all of T (column by column). */
static zn_status invert(zn_context *context, const double complex *T, const int *column, lin_eigen *e) {
    int n = e->n;
    double complex unit[LIN_EIGEN_MAX * LIN_EIGEN_MAX] = {0};
    lin_complex_lu *lu = lin_complex_lu_create(context, n);
    if (!lu) return ZN_ERROR_MEMORY;
    memcpy(lin_complex_lu_matrix(lu), T, (size_t)(n * n) * sizeof *T);
    zn_status status = lin_complex_lu_factor(lu);
    if (status == ZN_OK) {
        for (int i = 0; i < n; i++) unit[i * n + i] = 1;
        lin_complex_lu_solve(lu, unit, n);
        for (int k = 0; k < e->count; k++)
            for (int j = 0; j < n; j++) e->inverse[k][j] = unit[j * n + column[k]];
        e->condition = largest_row_sum(n, T) * largest_row_sum(n, unit);
    }
    lin_complex_lu_destroy(lu);
    return status == ZN_OK ? ZN_OK : ZN_ERROR_SINGULAR;
}

zn_status lin_eigen_create(zn_context *context, int n, const double *A, lin_eigen *e) {
    double a[LIN_EIGEN_MAX * LIN_EIGEN_MAX], v[LIN_EIGEN_MAX * LIN_EIGEN_MAX], re[LIN_EIGEN_MAX], im[LIN_EIGEN_MAX];
    double work[8 * LIN_EIGEN_MAX], none;
    double complex T[LIN_EIGEN_MAX * LIN_EIGEN_MAX];
    int column[LIN_EIGEN_MAX], info = 0, one = 1, room = 8 * LIN_EIGEN_MAX;
    *e = (lin_eigen){.n = n};
    if (n < 1 || n > LIN_EIGEN_MAX) return ZN_ERROR_SINGULAR;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[j * n + i] = A[i * n + j];
    dgeev_("N", "V", &n, a, &n, re, im, &none, &one, v, &n, work, &room, &info, 1, 1);
    if (info != 0) return ZN_ERROR_SINGULAR;
    for (int k = 0; k < n; k++) { /* of a pair, the real parts of the vector are in column k, the imaginary ones in k + 1 */
        bool pair = im[k] != 0;
        for (int i = 0; i < n; i++) {
            T[k * n + i] = pair ? v[k * n + i] + I * v[(k + 1) * n + i] : v[k * n + i];
            if (pair) T[(k + 1) * n + i] = conj(T[k * n + i]);
            e->T[e->count][i] = T[k * n + i];
        }
        e->value[e->count] = pair ? re[k] + I * im[k] : re[k];
        column[e->count++] = k;
        if (pair) k++;
    }
    return invert(context, T, column, e);
}
