/* SPDX-License-Identifier: Apache-2.0 */
/* Many frictional contacts at once: the discrete problem over a block-sparse matrix.
 *
 *     u = W r + q,   K* contains u + g(u) n,  perpendicular to  r in K
 *     K = {|r_T| <= mu r_N, |r_R| <= nu r_N},   g(u) = mu |u_T| + nu |u_R|
 *
 * with 1 (N), 2 or 3 (N, T) or 5 (N, T, T, R, R) rows per contact. W is a d x d block per pair of contacts that share a body; it may be
 * singular (redundant contacts) and a little unsymmetric.
 *
 * Inside, everything is scaled (system.c), so that all constants are pure numbers:
 *
 *     r = theta S r~,  u = theta S^-1 u~,  W~ = S W S,  q~ = S q / theta
 *
 * Every method starts from the best point so far, and every result is judged by the same residual in the variables of the caller. */
#ifndef CONE_MANY_H
#define CONE_MANY_H

#include "base/team.h"
#include "linalg/linalg.h"

enum { CONTACT_ROWS_MOST = 5 };
/* Contacts from which on not only the number of factorisations is bounded, but the work that they are: in space a single one may take as
 * long as a thousand sweeps. */
enum { MANY_HUGE = 1000 };

typedef struct many_def {
    int dim, n;                /* rows per contact, contacts */
    const zn_pattern *pattern; /* of W, dim n rows */
    const double *values;
    const double *q;
    const double *mu, *nu; /* per contact; NULL: zero */
} many_def;

typedef struct many_settings {
    double residual; /* wanted */
    double enough;   /* taken once nothing is left but methods that factor many times; 0: the same */
    bool
        natural_map; /* also of the natural map with percussions and velocities as they are, the measure of the literature; else the one in velocities only */
    int rounds_most;         /* of the last resort; 0: none */
    int factorisations_most; /* after that many no method begins another iteration; 0: no limit */
    int projections_most;    /* iterations of the splitting after all else, or with sweeps alone */
    bool projections_only;
} many_settings;

typedef struct many_outcome {
    double residual;
    int sweeps, fixed_point_iterations, newton_iterations, interior_iterations, factorisations, solves;
} many_outcome;

typedef struct many_system many_system;

/* Copies the data. NULL: error in the context. */
many_system *many_create(zn_context *, const many_def *);
void many_destroy(many_system *);

/* The same in two steps, for one problem after the other in the same memory, which grows where it must:
 *     s = many_create_empty;   many_lay_out, many_blocks filled, many_load, many_solve;   many_lay_out ...
 * Block row c has the columns index[start[c] .. start[c + 1] - 1], ascending; the structure is symmetric and holds the diagonal. False: no
 * memory. */
many_system *many_create_empty(zn_context *);
void many_share(many_system *, base_team *, int threads); /* work on large problems among threads; the same bits with any number */
bool many_lay_out(many_system *, int dim, int n, const int *start, const int *index);
double *many_blocks(many_system *);                            /* dim x dim numbers a block, row by row */
void many_subtract(many_system *, const double *r, double *q); /* q -= W r with the blocks as they are, before many_load */
typedef struct many_load_def {
    const double *q;
    const double *mu, *nu; /* per contact; NULL: zero */
    const double *scale;   /* per contact: velocities times this are what is compared with the residual; NULL: 1/max |q_c| */
} many_load_def;
void many_load(many_system *, const many_load_def *);

/* r (dim n): start in, best found out, in K. ZN_OK: the residual is met; ZN_ERROR_NO_CONVERGENCE; ZN_STOPPED; ZN_ERROR_MEMORY (error in the
 * context). */
zn_status many_solve(many_system *, const many_settings *, double *r, many_outcome *);

#endif
