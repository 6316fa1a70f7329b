/* SPDX-License-Identifier: Apache-2.0 */
/* Dense LU and Cholesky: own loops, LAPACK for the rest of what is large. */
#include "linalg/dense.h"

#include "base/wide.h"
#include "linalg/lapack.h"
#include "linalg/tiny_lu.h"

static void swap_rows(int n, double *a, int i, int k, int columns) {
    for (int j = 0; j < columns; j++) {
        double kept = a[i + j * n];
        a[i + j * n] = a[k + j * n];
        a[k + j * n] = kept;
    }
}

/* Matrices of mechanisms are full of zeros, of which nothing is subtracted. Entries are finite: that was checked. */
static inline void subtract(int from, int to, double factor, const double *restrict column, double *restrict other) {
    if (factor == 0) return;
    for (int i = from; i < to; i++) other[i] -= column[i] * factor;
}

/* Small matrices are one panel, large ones go by panels of columns. What is subtracted from an entry, and in which order, is the same: so
 * are the bits. */
enum { PANEL = 32 };

/* Columns first .. last - 1 below the diagonal; their rows are exchanged, those of other columns later. */
ALWAYS_INLINE int factor_panel(int n, int first, int last, double *a, int *pivot) {
    int zero = 0;
    double *panel = a + (size_t)first * (size_t)n;
    for (int k = first; k < last; k++) {
        double *column = a + (size_t)k * (size_t)n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[best])) best = i;
        pivot[k] = best;
        if (column[best] == 0) {
            if (!zero) zero = k + 1;
            continue;
        }
        if (best != k) swap_rows(n, panel, k, best, last - first);
        double inverse = 1 / column[k];
        if (isfinite(inverse))
            for (int i = k + 1; i < n; i++) column[i] *= inverse;
        else
            for (int i = k + 1; i < n; i++) column[i] /= column[k];
        for (int j = k + 1; j < last; j++) {
            double *other = a + (size_t)j * (size_t)n;
            subtract(k + 1, n, other[k], column, other);
        }
    }
    return zero;
}

WIDE static int small_lu_factor(int n, double *a, int *pivot) { return factor_panel(n, 0, n, a, pivot); }

/* The rows of a panel in a column behind it. */
static inline void solve_in_panel(int n, int first, int last, const double *a, const int *pivot, double *column) {
    for (int k = first; k < last; k++) {
        double kept = column[k];
        column[k] = column[pivot[k]];
        column[pivot[k]] = kept;
    }
    for (int k = first; k < last; k++) subtract(k + 1, last, column[k], a + (size_t)k * (size_t)n, column);
}

/* Rows from `from` on of two columns c, d, less four columns of the panel times what c and d have in its rows from k on. */
static inline void subtract_four(int n, int from, int k, const double *a, double *c, double *d) {
    const double *l0 = a + (size_t)k * (size_t)n, *l1 = l0 + n, *l2 = l1 + n, *l3 = l2 + n;
    const double c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3], d0 = d[k], d1 = d[k + 1], d2 = d[k + 2], d3 = d[k + 3];
    if (c0 == 0 && c1 == 0 && c2 == 0 && c3 == 0 && d0 == 0 && d1 == 0 && d2 == 0 && d3 == 0) return;
    double *restrict to_c = c, *restrict to_d = d;
    for (int i = from; i < n; i++) {
        double x0 = l0[i], x1 = l1[i], x2 = l2[i], x3 = l3[i];
        to_c[i] = to_c[i] - x0 * c0 - x1 * c1 - x2 * c2 - x3 * c3;
        to_d[i] = to_d[i] - x0 * d0 - x1 * d1 - x2 * d2 - x3 * d3;
    }
}

WIDE static int large_lu_factor(int n, double *a, int *pivot) {
    int zero = 0;
    for (int first = 0, last; first < n; first = last) {
        last = first + PANEL < n ? first + PANEL : n;
        int found = factor_panel(n, first, last, a, pivot), j = last, k;
        if (!zero) zero = found;
        for (int i = 0; i < first; i++)
            for (k = first; k < last; k++)
                if (pivot[k] != k) swap_rows(n, a + (size_t)i * (size_t)n, k, pivot[k], 1);
        for (int i = last; i < n; i++) solve_in_panel(n, first, last, a, pivot, a + (size_t)i * (size_t)n);
        for (; j + 2 <= n && last - first == PANEL; j += 2)
            for (k = first; k < last; k += 4) subtract_four(n, last, k, a, a + (size_t)j * (size_t)n, a + (size_t)(j + 1) * (size_t)n);
        for (; j < n; j++)
            for (k = first; k < last; k++) {
                double *column = a + (size_t)j * (size_t)n;
                subtract(last, n, column[k], a + (size_t)k * (size_t)n, column);
            }
    }
    return zero;
}

int lin_dense_lu_factor(int n, double *a, int *pivot) {
    if (n <= LIN_TINY) return lin_tiny_lu_factor(n, a, pivot);
    return n <= LIN_SMALL ? small_lu_factor(n, a, pivot) : large_lu_factor(n, a, pivot);
}

static inline void lower_solve(int n, const double *a, double *b, bool unit) {
    for (int j = 0; j < n; j++) {
        if (!unit) b[j] /= a[j + j * n];
        subtract(j + 1, n, b[j], a + j * n, b);
    }
}

static inline void upper_solve(int n, const double *a, double *b) {
    for (int j = n - 1; j >= 0; j--) {
        b[j] /= a[j + j * n];
        subtract(0, j, b[j], a + j * n, b);
    }
}

/* LAPACK's triangles for larger matrices: one column by dtrsv, several by dtrsm. */
static void triangle_solve(const char *uplo, const char *trans, const char *diag, int n, const double *a, double *b, int columns) {
    const int one = 1;
    const double alpha = 1;
    if (columns == 1) dtrsv_(uplo, trans, diag, &n, a, &n, b, &one, 1, 1, 1);
    else dtrsm_("L", uplo, trans, diag, &n, &columns, &alpha, a, &n, b, &n, 1, 1, 1, 1);
}

static inline void exchange(int n, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) {
        double kept = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = kept;
    }
}

WIDE static void small_lu_solve(int n, const double *lu, const int *pivot, double *b, int columns) {
    for (int c = 0; c < columns; c++, b += n) {
        exchange(n, pivot, b);
        lower_solve(n, lu, b, true);
        upper_solve(n, lu, b);
    }
}

void lin_dense_lu_solve(int n, const double *lu, const int *pivot, double *b, int columns) {
    if (n <= LIN_TINY) lin_tiny_lu_solve(n, lu, pivot, b, columns);
    else if (n <= LIN_SMALL) small_lu_solve(n, lu, pivot, b, columns);
    else {
        for (int c = 0; c < columns; c++) exchange(n, pivot, b + (size_t)c * (size_t)n);
        triangle_solve("L", "N", "U", n, lu, b, columns);
        triangle_solve("U", "N", "N", n, lu, b, columns);
    }
}

/* Static: names of functions that are compiled twice cannot be hidden in an archive. */
WIDE static void add_columns(int n, int count, const double *const *a, const double *f, double *y) {
    int k = 0;
    double *restrict sum = y;
    for (; k + 4 <= count; k += 4) { /* four at a time: sums stay in registers */
        const double *a0 = a[k], *a1 = a[k + 1], *a2 = a[k + 2], *a3 = a[k + 3], f0 = f[k], f1 = f[k + 1], f2 = f[k + 2], f3 = f[k + 3];
        for (int i = 0; i < n; i++) sum[i] = sum[i] + f0 * a0[i] + f1 * a1[i] + f2 * a2[i] + f3 * a3[i];
    }
    for (; k < count; k++) {
        const double *a0 = a[k], f0 = f[k];
        for (int i = 0; i < n; i++) sum[i] += f0 * a0[i];
    }
}

void lin_dense_add_columns(int n, int count, const double *const *a, const double *f, double *y) { add_columns(n, count, a, f, y); }

/* Column by column; of those before it only where the row has no zero: matrices of chains are full of them. */
static int small_cholesky(int n, double *a) {
    const double *before[LIN_SMALL];
    double factor[LIN_SMALL];
    for (int j = 0; j < n; j++) {
        double *column = a + j * n;
        int count = 0;
        for (int k = 0; k < j; k++) {
            if (a[j + k * n] == 0) continue;
            before[count] = a + k * n + j;
            factor[count++] = -a[j + k * n];
        }
        lin_dense_add_columns(n - j, count, before, factor, column + j);
        if (!(column[j] > 0)) return j + 1;
        column[j] = sqrt(column[j]);
        for (int i = j + 1; i < n; i++) column[i] /= column[j];
    }
    return 0;
}

/* The same sums entry by entry, which spares the calls. */
static int tiny_cholesky(int n, double *a) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i + j * n];
            for (int k = 0; k < j; k++) sum -= a[i + k * n] * a[j + k * n];
            if (i == j && !(sum > 0)) return j + 1;
            a[i + j * n] = i == j ? sqrt(sum) : sum / a[j + j * n];
        }
    return 0;
}

int lin_dense_cholesky_factor(int n, double *a) {
    if (n <= LIN_TINY) return tiny_cholesky(n, a);
    if (n <= LIN_SMALL) return small_cholesky(n, a);
    int info = 0;
    dpotrf_("L", &n, a, &n, &info, 1);
    return info;
}

void lin_dense_cholesky_solve(int n, const double *l, double *b, int columns) {
    if (n > LIN_SMALL) {
        triangle_solve("L", "N", "N", n, l, b, columns);
        triangle_solve("L", "T", "N", n, l, b, columns);
        return;
    }
    for (int c = 0; c < columns; c++, b += n) {
        lower_solve(n, l, b, false);
        for (int j = n - 1; j >= 0; j--) {
            for (int i = j + 1; i < n; i++) b[j] -= l[i + j * n] * b[i];
            b[j] /= l[j + j * n];
        }
    }
}

void lin_dense_multiply_many(lin_product of, const double *a, const double *b, double s, double *c) {
    const int m = of.m, k = of.k, n = of.n;
    const int step = 1;
    const double one = 1;
    if (m == 0 || k == 0 || n == 0) return;
    if (n == 1) dgemv_("N", &m, &k, &s, a, &m, b, &step, &one, c, &step, 1);
    else dgemm_("N", "N", &m, &n, &k, &s, a, &m, b, &of.ldb, &one, c, &of.ldc, 1, 1);
}
