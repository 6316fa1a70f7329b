/* SPDX-License-Identifier: Apache-2.0 */
/* Private: scaling of rows and columns by powers of two, which is exact, and what "tiny" means for a pivot. */
#ifndef LINALG_SCALING_H
#define LINALG_SCALING_H

#include "linalg/linalg.h"

#include <float.h>

/* A pivot below this part of the largest entry of its column is rounding noise of the elimination: a few units of round-off
 * for every row. */
static inline double lin_tiny_pivot(int n) { return 4 * DBL_EPSILON * (n > 0 ? n : 1); }

/* The power of two that brings `largest` (>= 0) into [1/2, 1); 1 for zero. */
static inline double lin_inverse_size(double largest) {
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    uint64_t biased = bits >> 52; /* IEEE 754: the exponent, 1022 for [1/2, 1) */
    if (biased >= 22 && biased <= 2044) {
        bits = (2045 - biased) << 52;
        memcpy(&largest, &bits, sizeof largest);
        return largest;
    }
    int exponent = 0;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

/* The matrix as columns: entry k of column j lies in row index[k], or k - start of the column when dense (index NULL). */
typedef struct lin_columns {
    int n;
    const int *start, *index;
    const double *values;
} lin_columns;

lin_columns lin_matrix_columns(const lin_matrix *);
/* row[i] = scale that brings the largest entry of row i to about 1. False: a value is not finite. */
bool lin_scale_rows(const lin_columns *, double *row);
/* col[j] = largest entry of column j after scaling of the rows. */
void lin_largest_in_columns(const lin_columns *, const double *row, double *col);

#endif
