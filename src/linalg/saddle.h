/* SPDX-License-Identifier: Apache-2.0 */
/* Solves with the matrix of bodies and joints, body by body:
 *
 *     | M   -W | x     f         S p = g - C' M^-1 f,    S = C' M^-1 W
 *     | C'   0 | p  =  g           x = M^-1 (f + W p)
 *
 * M falls apart into small cells (the inertia of a body), whose inverses are kept as long as M does not change; S has an entry where two
 * joints share a body, so that a chain or tree costs in proportion to its length. */
#ifndef LINALG_SADDLE_H
#define LINALG_SADDLE_H

#include "linalg/linalg.h"

typedef struct lin_saddle lin_saddle;

/* M: n x n; W and C: n x m. Patterns must live as long as the result. *saddle is NULL where M does not fall apart far enough for this to
 * pay. */
zn_status lin_saddle_create(zn_context *, const zn_pattern *M, const zn_pattern *W, const zn_pattern *C, lin_saddle **saddle);
void lin_saddle_destroy(lin_saddle *);

/* Values over the patterns; those of C are read by solves, too. same_M: those of M have not changed since a factorisation that went well.
 * ZN_ERROR_SINGULAR, without an error in the context: M or S are singular or nearly so, and the factors of the whole are needed to
 * judge. */
zn_status lin_saddle_factor(lin_saddle *, const double *M, const double *W, const double *C, bool same_M);
void lin_saddle_solve(const lin_saddle *, double *b); /* (f, g) becomes (x, p) */

#endif
