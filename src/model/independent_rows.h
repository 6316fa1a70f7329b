/* SPDX-License-Identifier: Apache-2.0 */
/* Private to independent*.c: rows in groups, and the coefficients with which some follow from the others. */
#ifndef MODEL_INDEPENDENT_ROWS_H
#define MODEL_INDEPENDENT_ROWS_H

#include "linalg/dense.h"
#include "linalg/linalg.h"
#include "model/independent.h"

typedef struct row_group {
    int n, kept; /* rows; the first `kept` of `row` are independent */
    int m;
    int *row, *coordinate;
    lin_pattern gram; /* of the rows kept */
    lin_matrix *matrix;
    lin_lu *lu;
    int block;
    double *values; /* of the pattern */
    double *C, *Z, *p, *z;
    double *other_C; /* see exchange */
} row_group;

struct independent {
    const zn_model *model;
    int n_groups, count;
    row_group *groups;
    bool *left_out;
    independent_wish wish;
    double *length, *size;      /* l_j, s_j */
    double *inverse, *mobility; /* nu: 1/E^2, 1/D */
    double *x;                  /* nu, zeros between uses */
    double *other_length, *other_size, *other_mobility;
};

static inline double one_over(double size) { return size > 0 ? 1 / size : 0; }
static inline double per_length(const independent *a, int row) { return one_over(a->length[row]); }
static inline double scale(const independent *a, int row) { return one_over(a->size[row]); }

/* l_j, s_j and masses of a state with M and W. */
void independent_sizes(independent *, const double *M, const double *W);
/* C of w_j/s_j at W, and the largest entry of that of v_j; INFINITY: the rows kept are not independent there. */
double independent_coefficients(independent *, row_group *, const double *W);

#endif
