/* SPDX-License-Identifier: Apache-2.0 */
/* Private: KLU over a fixed pattern, with a symbolic analysis made once. */
#ifndef LINALG_SPARSE_LU_H
#define LINALG_SPARSE_LU_H

#include "linalg/scaling.h"

#include <klu.h>

typedef struct sparse_lu {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;    /* NULL: not factored */
    double *row, *col;       /* scales of the rows, largest entries of the columns */
    double rcond;
    bool known_regular;      /* set by whoever knows: small pivots are then no reason to reject a full factorisation */
} sparse_lu;

/* Entries of L and U and operations of a factorisation, estimated by KLU's ordering. False: not known. */
bool lin_sparse_estimate(const zn_pattern *, double *entries, double *operations);

zn_status lin_sparse_create(zn_context *, const zn_pattern *, sparse_lu *);
void lin_sparse_destroy(zn_context *, sparse_lu *);
zn_status lin_sparse_factor(sparse_lu *, const lin_columns *, bool same_structure);
void lin_sparse_solve(sparse_lu *, double *b, int columns);

#endif
