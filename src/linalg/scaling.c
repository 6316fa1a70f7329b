/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/scaling.h"

#include "base/wide.h"

lin_columns lin_matrix_columns(const lin_matrix *matrix) {
    const zn_pattern *pattern = lin_matrix_pattern(matrix);
    return (lin_columns){lin_matrix_size(matrix), pattern ? pattern->start : NULL, pattern ? pattern->index : NULL,
                         lin_matrix_read(matrix)};
}

/* row: zeros, to which the largest sizes come. Gives a sum of zeros, or NaN; over every fourth row, as vectors are. */
WIDE static double largest_in_rows(int n, const double *v, double *restrict row) {
    double finite[4] = {0};
    for (int j = 0; j < n; j++, v += n) {
        for (int i = 0; i < n; i++) {
            double size = fabs(v[i]);
            row[i] = larger_finite(size, row[i]);
        }
    }
    v -= (size_t)n * (size_t)n;
    size_t count = (size_t)n * (size_t)n, k = 0;
    for (; k + 4 <= count; k += 4)
        for (size_t i = 0; i < 4; i++) finite[i] += 0 * v[k + i];
    for (; k < count; k++) finite[0] += 0 * v[k];
    return (finite[0] + finite[1]) + (finite[2] + finite[3]);
}

bool lin_scale_rows(const lin_columns *a, double *row) {
    double finite = 0; /* 0 * v is NaN unless v is finite */
    for (int i = 0; i < a->n; i++) row[i] = 0;
    if (a->index) {
        for (int k = 0; k < a->start[a->n]; k++) {
            double size = fabs(a->values[k]);
            finite += 0 * size;
            row[a->index[k]] = larger_finite(size, row[a->index[k]]);
        }
    } else finite = largest_in_rows(a->n, a->values, row);
    for (int i = 0; i < a->n; i++) row[i] = lin_inverse_size(row[i]);
    return finite == 0;
}

void lin_largest_in_columns(const lin_columns *a, const double *row, double *col) {
    for (int j = 0; j < a->n; j++) {
        double largest = 0;
        if (a->index) {
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                double size = fabs(a->values[k] * row[a->index[k]]);
                largest = larger_finite(size, largest);
            }
        } else {
            const double *v = a->values + (size_t)j * (size_t)a->n;
            for (int i = 0; i < a->n; i++) {
                double size = fabs(v[i] * row[i]);
                largest = larger_finite(size, largest);
            }
        }
        col[j] = largest;
    }
}
