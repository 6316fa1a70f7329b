/* SPDX-License-Identifier: Apache-2.0 */
/* Dense kernels, column-major, leading dimension = number of rows. Nothing here allocates but lin_cod_create and lin_dense_pivots. */
#ifndef LINALG_DENSE_H
#define LINALG_DENSE_H

#include "base/base.h"

/* Up to this size plain loops; above, LU by panels of columns with the same bits (330 rows: 1.6 ms; reference LAPACK takes 5.5), LAPACK for
 * triangles and Cholesky. */
#define LIN_SMALL 32

/* LU with partial pivoting, in place: row k was exchanged with row pivot[k] (from 0). Returns 0, or 1 + the first column
 * whose pivot is exactly zero (the factors are then of no use). */
int lin_dense_lu_factor(int n, double *a, int *pivot);
void lin_dense_lu_solve(int n, const double *lu, const int *pivot, double *b, int columns);

/* Lower Cholesky factor in place (the upper triangle is not read). Returns 0, or 1 + the column where a is not positive. */
int lin_dense_cholesky_factor(int n, double *a);
void lin_dense_cholesky_solve(int n, const double *l, double *b, int columns);

/* y += sum_k f[k] a[k] of n entries each, in the order of k. */
void lin_dense_add_columns(int n, int count, const double *const *a, const double *f, double *y);

/* y += s A x for A of m x n. */
static inline void lin_dense_multiply(int m, int n, const double *restrict a, double s, const double *restrict x, double *restrict y) {
    for (int j = 0; j < n; j++) {
        double sx = s * x[j];
        for (int i = 0; i < m; i++) y[i] += a[(size_t)j * (size_t)m + (size_t)i] * sx;
    }
}

/* C += s A B by the BLAS for A of m x k, columns of B and C `ldb` and `ldc` apart. */
typedef struct lin_product {
    int m, k, n, ldb, ldc;
} lin_product;
void lin_dense_multiply_many(lin_product, const double *a, const double *b, double s, double *c);

/* Complete orthogonal decomposition A P = Q [T 0; 0 0] Z of an m x n matrix of any rank: least squares, least norm. */
typedef struct lin_cod lin_cod;

lin_cod *lin_cod_create(zn_context *, int m, int n); /* takes all memory; NULL: error in the context */
void lin_cod_destroy(lin_cod *);
/* a (m x n) is copied; entries must be finite. Returns the rank: the number of diagonal entries of R (QR with column pivots)
 * above rank_tolerance times the first one; 0 takes the default, LIN_RANK_TOLERANCE. Scale rows and columns before. */
#define LIN_RANK_TOLERANCE 1e-12
int lin_cod_factor(lin_cod *, const double *a, double rank_tolerance);
/* Of all x that minimise |A x - b|, the one with least |x|. b (m) is kept, x (n) is written. */
void lin_cod_solve(const lin_cod *, const double *b, double *x);
/* The rows and columns i of a square matrix (n <= the order of cod) with label[i] == block, alone: b becomes the least-squares solution x
 * there that is orthogonal to the left null space, L' x = 0 with L' A = 0, and not to the right one, as that of least norm is. Row i and
 * unknown i belong together: where rows are gaps of feet that cannot move freely of each other, and unknowns their forces, x is what
 * springs of one stiffness below the feet have, (A + eps) x = b, which is a smooth function of the place of the feet whatever else A
 * has. */
void lin_cod_solve_block(lin_cod *, int n, const double *a, const int *label, int block, double rank_tolerance, double *b);
/* The same of a regular block, by elimination; false: a pivot is not above `tiny`, or too small to say, and b is as it was. */
bool lin_cod_eliminate_block(lin_cod *, int n, const double *a, const int *label, int block, double tiny, double *b);
double lin_cod_rcond(const lin_cod *); /* smallest accepted diagonal entry of R by the largest; 0 when the rank is 0 */

/* QR with column pivots of an m x n matrix, which is overwritten: column[k] (from 0) is the one chosen after k others, diagonal[k] the size
 * of what is new in it (0 from min(m, n) on). ZN_OK, or ZN_ERROR_MEMORY. */
zn_status lin_dense_pivots(zn_context *, int m, int n, double *a, int *column, double *diagonal);

#endif
