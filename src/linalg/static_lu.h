/* SPDX-License-Identifier: Apache-2.0 */
/* Private: LU of a sparse matrix with an order of pivots that is fixed once, from its pattern (static_order.c), and a list of all
 * operations: for the matrices of mechanisms, body by body. A factorisation takes no memory; where a pivot turns out too small it says so,
 * and another method must do it. */
#ifndef LINALG_STATIC_LU_H
#define LINALG_STATIC_LU_H

#include "linalg/scaling.h"

typedef struct static_lu static_lu;

/* order[k]: the row and column of pivot k. body: per row its body, numbered from 0, or NULL: each row is one of its own. Rows without a
 * diagonal
 * (constraints) come after the body that they act on. */
zn_status lin_static_order(zn_context *, const zn_pattern *, const int *body, int *order);

/* Operations (multiplications) of a factorisation; `lu` may be NULL: only they are wanted. Before the call *operations is how many are of
 * use: what has more is not looked at to its end, and has INFINITY. *lu is NULL when they are too many. */
zn_status lin_static_create(zn_context *, const zn_pattern *, const int *body, double *operations, static_lu **lu);
void lin_static_destroy(static_lu *);
/* The matrix may be dense, with zeros where the pattern has no entry. False: a pivot is too small, or a value is not finite. rcond: as
 * lin_lu_rcond. */
bool lin_static_factor(static_lu *, const lin_columns *, double *rcond);
void lin_static_solve(const static_lu *, double *b, int columns);

#endif
