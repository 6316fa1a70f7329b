/* SPDX-License-Identifier: Apache-2.0 */
/* LU of matrices of a few rows. The lengths of the loops are known to the compiler, which makes straight code of them and keeps
 * a right-hand side in registers; that is where the time of a small system goes (6 rows, factor and four right-hand sides:
 * 0.17 us against 0.50 us by plain loops). The operations and their order are those of the plain loops.
 * Compiled without vectors: loads of pairs would wait for the single numbers stored just before. */
#include "linalg/tiny_lu.h"

#include "base/wide.h"
#include "linalg/scaling.h"

ALWAYS_INLINE bool scale(const int n, const double *restrict a, double *restrict scaled, double *restrict row, double *restrict col) {
    double largest[LIN_TINY] = {0}, finite = 0; /* 0 * v is NaN unless v is finite */
    const double *restrict v = a;
    for (int j = 0; j < n; j++, v += n) {
        double finite_column = 0;
        for (int i = 0; i < n; i++) {
            double size = fabs(v[i]);
            finite_column += 0 * size;
            largest[i] = larger_finite(size, largest[i]);
        }
        finite += finite_column;
    }
    for (int i = 0; i < n; i++) row[i] = largest[i] = lin_inverse_size(largest[i]);
    for (int j = 0; j < n; j++, a += n, scaled += n) {
        double most = 0;
        for (int i = 0; i < n; i++) {
            scaled[i] = a[i] * largest[i];
            double size = fabs(scaled[i]);
            most = larger_finite(size, most);
        }
        col[j] = most;
    }
    return finite == 0;
}

bool lin_tiny_scale(int n, const double *a, double *scaled, double *row, double *col) {
    switch (n) {
    case 0: return true;
    case 1: return scale(1, a, scaled, row, col);
    case 2: return scale(2, a, scaled, row, col);
    case 3: return scale(3, a, scaled, row, col);
    case 4: return scale(4, a, scaled, row, col);
    case 5: return scale(5, a, scaled, row, col);
    default: return scale(LIN_TINY, a, scaled, row, col);
    }
}

/* Exchanges rows 0 and k in all n columns. */
static void swap_rows(int n, double *row, int k) {
    for (int j = 0; j < n; j++, row += n) {
        double kept = row[0];
        row[0] = row[k];
        row[k] = kept;
    }
}

/* Divides the first of the m columns that are left by its pivot d[0], and takes it out of the others. Mass matrices are full of
 * zeros, so factors of zero are left out. All that changes in here is reached through d, as `restrict` promises: rows are exchanged
 * before. */
ALWAYS_INLINE void reduce(const int m, int n, double *restrict d) {
    double inverse = 1 / d[0];
    if (isfinite(inverse))
        for (int i = 1; i < m; i++) d[i] *= inverse;
    else
        for (int i = 1; i < m; i++) d[i] /= d[0];
    for (int j = 1; j < m; j++) {
        double *restrict column = d + j * n, factor = column[0];
        if (factor == 0) continue;
        for (int i = 1; i < m; i++) column[i] -= d[i] * factor;
    }
}

/* Eliminates the first of the m columns that are left, whose pivot is searched from d[0] on; `row` is the start of its row.
 * False: the column is zero. */
ALWAYS_INLINE bool eliminate(const int m, int n, double *d, double *row, int *pivot) {
    double largest = fabs(d[0]);
    int best = 0;
    for (int i = 1; i < m; i++) {
        double size = fabs(d[i]);
        if (size > largest) largest = size, best = i;
    }
    *pivot = best;
    if (largest == 0) return false;
    if (best != 0) swap_rows(n, row, best);
    reduce(m, n, d);
    return true;
}

static bool eliminate_first(int m, int n, double *d, double *row, int *pivot) {
    switch (m) {
    case 1: return eliminate(1, n, d, row, pivot);
    case 2: return eliminate(2, n, d, row, pivot);
    case 3: return eliminate(3, n, d, row, pivot);
    case 4: return eliminate(4, n, d, row, pivot);
    case 5: return eliminate(5, n, d, row, pivot);
    default: return eliminate(LIN_TINY, n, d, row, pivot);
    }
}

int lin_tiny_lu_factor(int n, double *a, int *pivot) {
    int zero = 0;
    for (int k = 0; k < n; k++) {
        if (!eliminate_first(n - k, n, a + k * n + k, a + k, pivot + k) && !zero) zero = k + 1;
        pivot[k] += k;
    }
    return zero;
}

ALWAYS_INLINE void solve(const int n, const double *restrict lu, double *restrict b, int columns) {
    for (int c = 0; c < columns; c++, b += n) {
        double x[LIN_TINY];
        for (int i = 0; i < n; i++) x[i] = b[i];
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++) x[i] -= lu[i + j * n] * x[j];
        for (int j = n - 1; j >= 0; j--) {
            x[j] /= lu[j + j * n];
            for (int i = 0; i < j; i++) x[i] -= lu[i + j * n] * x[j];
        }
        for (int i = 0; i < n; i++) b[i] = x[i];
    }
}

void lin_tiny_lu_solve(int n, const double *lu, const int *pivot, double *b, int columns) {
    for (int k = 0; k < n; k++) {
        int other = pivot[k];
        double *x = b;
        for (int c = 0; c < columns && other != k; c++, x += n) {
            double kept = x[k];
            x[k] = x[other];
            x[other] = kept;
        }
    }
    switch (n) {
    case 0: return;
    case 1: solve(1, lu, b, columns); return;
    case 2: solve(2, lu, b, columns); return;
    case 3: solve(3, lu, b, columns); return;
    case 4: solve(4, lu, b, columns); return;
    case 5: solve(5, lu, b, columns); return;
    default: solve(LIN_TINY, lu, b, columns);
    }
}
