/* SPDX-License-Identifier: Apache-2.0 */
/* Dense complex LU, and the eigenvectors of a small real matrix that lead to it. Column-major. */
#ifndef LINALG_COMPLEX_LU_H
#define LINALG_COMPLEX_LU_H

#include "base/base.h"

#include <complex.h>

typedef struct lin_complex_lu lin_complex_lu;

lin_complex_lu *lin_complex_lu_create(zn_context *, int n); /* takes all memory; NULL: error in the context */
void lin_complex_lu_destroy(lin_complex_lu *);
/* n x n: the caller writes the matrix here, `factor` replaces it. */
double complex *lin_complex_lu_matrix(lin_complex_lu *);
/* P (R A) = L U, rows scaled by powers of two. ZN_ERROR_SINGULAR and ZN_ERROR_NOT_FINITE as lin_lu_factor. */
zn_status lin_complex_lu_factor(lin_complex_lu *);
void lin_complex_lu_solve(const lin_complex_lu *, double complex *b, int columns);

enum { LIN_EIGEN_MAX = 12 };

/* A = T diag(lambda) T^-1 of a real n x n matrix (row-major), n <= LIN_EIGEN_MAX. Of a pair of conjugates only the one with
 * positive imaginary part is kept: `count` eigenvalues, each with its column of T and row of T^-1. */
typedef struct lin_eigen {
    int n, count;
    double complex value[LIN_EIGEN_MAX];
    double complex T[LIN_EIGEN_MAX][LIN_EIGEN_MAX];       /* [eigenvalue][row]: its column of T */
    double complex inverse[LIN_EIGEN_MAX][LIN_EIGEN_MAX]; /* [eigenvalue][column]: its row of T^-1 */
    double condition;                                     /* |T| |T^-1| in the largest-row-sum norm */
} lin_eigen;
/* ZN_ERROR_SINGULAR: no eigenvectors; ZN_ERROR_MEMORY. */
zn_status lin_eigen_create(zn_context *, int n, const double *A, lin_eigen *);

#endif
