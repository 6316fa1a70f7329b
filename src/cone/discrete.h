/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete frictional contact problems as cone problems:
 *
 *   local   u = W r + q                       global   M v = H r + f,  u = H' v + w
 *
 * and for each contact, rows (N, T ...) or with rolling (N, T1, T2, R1, R2):  K* contains u + (mu |u_T| + mu_R |u_R|) e_N,
 * perpendicular to r in K = {|r_T| <= mu r_N, |r_R| <= mu_R r_N}, which is Signorini and Coulomb as normal cone inclusions. */
#ifndef CONE_DISCRETE_H
#define CONE_DISCRETE_H

#include "cone/cone.h"
#include "cone/many/many.h"

/* Entries in any order; repeated ones add. */
typedef struct discrete_matrix {
    int rows, cols, count;
    const int *row, *col;
    const double *value;
} discrete_matrix;

typedef struct discrete_def {
    bool global;
    int dim, n_contacts; /* rows per contact: 1 (frictionless), 2, 3 or 5 */
    discrete_matrix W;   /* local */
    const double *q;
    discrete_matrix M, H; /* global */
    const double *f, *w;
    const double *mu, *mu_rolling; /* mu_rolling only for dim 5 */
} discrete_def;

typedef struct discrete discrete;

/* Copies the data. NULL: error in the context. */
discrete *cone_discrete_create(zn_context *, const discrete_def *);
void cone_discrete_destroy(discrete *);

typedef struct discrete_result {
    zn_status status;
    bool as_cones;        /* by cone_solve (outcome); else by the methods for many contacts (cost) */
    cone_outcome outcome; /* of the last solve */
    int solves;           /* with ever tighter tolerances until the residual is met */
    many_outcome cost;
    double residual; /* |r - P_K(r - (u + (mu |u_T| + mu_R |u_R|) e_N))| / |q|, local q also for global problems */
} discrete_result;

/* r (dim n_contacts): start in, best found out. ZN_OK: the residual is at most `residual`. ZN_SOLVER_AUTO: the methods for many contacts,
 * and cone_solve where they fail on a problem of moderate size; the other solvers: cone_solve. */
zn_status cone_discrete_solve(discrete *, zn_solver, double residual, double *r, discrete_result *);
/* The measure alone, computed from the data and r. u (dim n_contacts; may be NULL) receives the velocities. */
double cone_discrete_residual(discrete *, const double *r, double *u);

#endif
