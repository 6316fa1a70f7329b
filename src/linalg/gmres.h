/* SPDX-License-Identifier: Apache-2.0 */
/* GMRES with a preconditioner on the right, for several right-hand sides in step with each other so that both the matrix
 * and the preconditioner are applied to all of them at once. */
#ifndef LINALG_GMRES_H
#define LINALG_GMRES_H

#include "base/base.h"

typedef struct lin_gmres lin_gmres;

typedef struct lin_gmres_system {
    void *user;
    void (*multiply)(void *user, const double *x, double *y, int columns); /* y = A x */
    void (*precondition)(void *user, double *b, int columns);              /* b becomes about A^-1 b */
    const double *scale;                                                   /* n, positive: |scale (A x - b)| is what is made small */
} lin_gmres_system;

/* n rows, at most `width` right-hand sides at a time, at most `depth` iterations; takes all memory. */
lin_gmres *lin_gmres_create(zn_context *, int n, int width, int depth);
void lin_gmres_destroy(lin_gmres *);
/* Columns of b become solutions whose residual is `wanted` times that of zero, or where the iterations do not suffice
 * `enough` times. Returns how many leading columns were solved; the others are left as they were. */
int lin_gmres_solve(lin_gmres *, const lin_gmres_system *, double *b, int columns, double wanted, double enough);
int lin_gmres_iterations(const lin_gmres *); /* most that a column of the last solve took */

#endif
