/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a symmetric matrix is positive definite: the signs of its pivots, within the envelope of its lower triangle. */
#ifndef LINALG_ENVELOPE_H
#define LINALG_ENVELOPE_H

#include "linalg/linalg.h"

typedef struct lin_envelope lin_envelope;

/* NULL: no memory (error in the context). */
lin_envelope *lin_envelope_create(zn_context *, const zn_pattern *);
void lin_envelope_destroy(lin_envelope *);
/* The first row whose pivot is not positive; -1: there is none. Only the lower triangle of the values is read. */
int lin_envelope_not_positive(lin_envelope *, const double *values);

#endif
