/* SPDX-License-Identifier: Apache-2.0 */
/* Private: LU of matrices of a few rows, as lin_dense_lu_factor and lin_dense_lu_solve describe it. */
#ifndef LINALG_TINY_LU_H
#define LINALG_TINY_LU_H

#include <stdbool.h>

/* Up to this many rows. */
enum { LIN_TINY = 6 };

/* scaled = R A with row[i] = R_ii, the power of two that brings the largest entry of row i to about 1; col[j] = largest entry of
 * column j after it. False: a value is not finite. */
bool lin_tiny_scale(int n, const double *a, double *scaled, double *row, double *col);
int lin_tiny_lu_factor(int n, double *a, int *pivot);
void lin_tiny_lu_solve(int n, const double *lu, const int *pivot, double *b, int columns);

#endif
