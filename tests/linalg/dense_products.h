/* SPDX-License-Identifier: Apache-2.0 */
/* Products of dense matrices, column by column, to compare others with. */
#ifndef TESTS_LINALG_DENSE_PRODUCTS_H
#define TESTS_LINALG_DENSE_PRODUCTS_H

#include "linalg/dense.h"

/* y += s A' x for A of m x n. */
static inline void multiply_transposed(int m, int n, const double *a, double s, const double *x, double *y) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += a[j * m + i] * x[i];
        y[j] += s * sum;
    }
}

/* C += s A B for A of m x k, B of k x n. */
static inline void multiply_matrix(int m, int k, int n, const double *a, const double *b, double s, double *c) {
    for (int j = 0; j < n; j++) lin_dense_multiply(m, k, a, s, b + j * k, c + j * m);
}

#endif
