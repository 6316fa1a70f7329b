/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete frictional contact problems, for use of the solver alone:
 *
 *   local   u = W r + q                       global   M v = H r + f,  u = H' v + w
 *
 * for each contact with rows (N, T ...), or with rolling (N, T1, T2, R1, R2): Signorini in N, and Coulomb's law |r_T| <= mu r_N,
 * |r_R| <= mu_R r_N with maximal dissipation. docs/contact-problems.md says more. */
#ifndef ZENO_CONTACT_PROBLEM_H
#define ZENO_CONTACT_PROBLEM_H

#include "zeno/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries in any order; those that are repeated add. */
typedef struct zn_triplets {
    int rows, cols, count;
    const int *row, *col;
    const double *value;
} zn_triplets;

typedef struct zn_contact_problem {
    bool global;
    int dim, n_contacts; /* rows per contact: 1 (frictionless), 2 (plane), 3 (space) or 5 (with rolling) */
    zn_triplets W;       /* local */
    const double *q;
    zn_triplets M, H;              /* global */
    const double *f, *w;           /* w NULL: zeros */
    const double *mu, *mu_rolling; /* per contact; mu_rolling only with dim 5 */
    ZN_RESERVED;
} zn_contact_problem;

typedef struct zn_contact_problem_outcome {
    double residual; /* of the natural map, |r - P_K(r - (u + (mu |u_T| + mu_R |u_R|) e_N))| / |q| */
    int sweeps, newton_iterations, interior_iterations, fixed_point_iterations, factorisations; /* what it took */
    ZN_RESERVED;
} zn_contact_problem_outcome;

/* r (dim n_contacts): start in, best found out. u (the same size, may be NULL): velocities out. ZN_OK: the residual is at most `residual`;
 * ZN_ERROR_NO_CONVERGENCE: not, and the outcome says what was reached. */
ZN_API zn_status zn_contact_problem_solve(zn_context *context, const zn_contact_problem *problem, zn_solver solver, double residual,
                                          double *r, double *u, zn_contact_problem_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
