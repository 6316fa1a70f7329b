/* SPDX-License-Identifier: Apache-2.0 */
/* Private: solves with a matrix of any rank; linalg.h states what is promised. */
#ifndef LINALG_REGULARISED_H
#define LINALG_REGULARISED_H

#include "linalg/scaling.h"

typedef struct regularised regularised;

regularised *lin_regularised_create(zn_context *, const lin_matrix *);
void lin_regularised_destroy(regularised *);
/* rank_tolerance 0: the default; only dense matrices have one. */
zn_status lin_regularised_factor(regularised *, const lin_columns *, double rank_tolerance);
void lin_regularised_solve(regularised *, double *b);
double lin_regularised_rcond(const regularised *);

#endif
