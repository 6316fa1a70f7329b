/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/scaling.h"

lin_columns lin_matrix_columns(const lin_matrix *matrix) {
    const zn_pattern *pattern = lin_matrix_pattern(matrix);
    return (lin_columns){lin_matrix_size(matrix), pattern ? pattern->start : NULL, pattern ? pattern->index : NULL,
                         lin_matrix_read(matrix)};
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
    } else {
        const double *v = a->values;
        for (int j = 0; j < a->n; j++, v += a->n) {
            for (int i = 0; i < a->n; i++) {
                double size = fabs(v[i]);
                finite += 0 * size;
                row[i] = larger_finite(size, row[i]);
            }
        }
    }
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
