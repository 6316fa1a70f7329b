/* SPDX-License-Identifier: Apache-2.0 */
/* Private: KLU over a fixed pattern, with a symbolic analysis made once. */
#ifndef LINALG_SPARSE_LU_H
#define LINALG_SPARSE_LU_H

#include "linalg/scaling.h"
#include "linalg/static_lu.h"

#include <klu.h>

typedef struct sparse_lu {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; /* NULL: not factored */
    double *row, *col;    /* scales of the rows, largest entries of the columns */
    double rcond;
    static_lu *fixed;  /* with pivots in a fixed order; NULL: does not pay */
    bool use_fixed;    /* it holds the factors */
    bool fixed_failed; /* since the structure was new: it is not tried again until then */
} sparse_lu;

/* Entries of L and U and operations of a factorisation, estimated by KLU's ordering. False: not known. */
bool lin_sparse_estimate(const zn_pattern *, double *entries, double *operations);

zn_status lin_sparse_create(zn_context *, const zn_pattern *, const int *body, sparse_lu *); /* body: see lin_matrix_set_bodies */
void lin_sparse_destroy(zn_context *, sparse_lu *);
zn_status lin_sparse_factor(sparse_lu *, const lin_columns *, bool same_structure);
void lin_sparse_solve(sparse_lu *, double *b, int columns);

#endif
