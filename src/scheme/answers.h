/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a model at one point in time, with memory for all of them, and what schemes derive from them. */
#ifndef SCHEME_ANSWERS_H
#define SCHEME_ANSWERS_H

#include "linalg/cells.h"
#include "linalg/envelope.h"
#include "model/model.h"

typedef struct answers {
    const zn_model *model;
    void *work;
    double *memory; /* all arrays below in one block */
    double *qdot, *qdot_q, *B;
    double *r, *r_q, *r_u, *M, *W;
    double *c0, *c0_q, *c1, *c1_q, *c1_u, *c2, *c2_q, *c2_u;
} answers;

/* Copies values of a pattern to `kept`. True: they differ from what was there. */
bool answers_keep(double *kept, const double *values, const zn_pattern *);

zn_status answers_create(zn_context *, const zn_model *, answers *);
void answers_destroy(zn_context *, answers *);

/* Prox parameters 1/(w' M^-1 w) of the contact rows (docs/theory/solver.md): rows of one ball share one value,
 * that of their mean.
 * Rows whose direction vanishes get 1. What was computed for the same M and W is kept: with constant mass and linear gaps
 * everything happens once. */
typedef struct prox_estimate {
    zn_context *context;
    const zn_model *model;
    int threads; /* that share many contacts; 0: one. Set by the owner */
    lin_matrix *mass;
    lin_cells *cells;
    lin_envelope *pivots;
    int block;
    double *column; /* nu */
    double *rho;    /* one per contact row: nN + nF, in the order of lambda */
    double *M_kept, *W_kept;
    bool factored, *have;  /* the cells hold M_kept; per contact: its rho belong to M_kept, W_kept */
    double *scale, *pivot; /* lin_cells_diagonals */
    double *single;        /* 1/M_ii, or 0 where M_ii is not positive: the inverse of cells of one row */
    bool massless;         /* M_kept is not positive definite: there are no accelerations */
    double *mass_scale;    /* 1/M_ii, or 1 where M_ii is not positive: turns momentum rows into velocities */
} prox_estimate;

zn_status prox_create(zn_context *, const zn_model *, prox_estimate *);
void prox_destroy(zn_context *, prox_estimate *);
/* `wanted` (may be NULL: all): per contact, whether its rows are needed. ZN_ERROR_SINGULAR when M is, ZN_ERROR_NOT_FINITE when it is not
 * positive definite. */
zn_status prox_update(prox_estimate *, const double *M, const double *W, const bool *wanted);
/* b (nu) becomes M^-1 b, with the M of the last update. ZN_ERROR_SINGULAR: it cannot. */
zn_status prox_solve(prox_estimate *, double *b);

#endif
