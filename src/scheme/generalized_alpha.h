/* SPDX-License-Identifier: Apache-2.0 */
/* Private to generalized_alpha*.c: the step of 001 as one cone problem.
 *
 * Everything is brought to units of velocity and percussion, so that the matrix is balanced whatever the step is (unscaled
 * its condition grows like h^-4) and one tolerance means one thing:
 *
 *   x = (h a, U, Q/h;  k_g/h, Lambda_b, h lambda_b)      b = (g, y) bilateral rows of lambda
 *   y = (k_N/h;  Lambda_N, Lambda_F;  h lambda_N, h lambda_F)
 *   phi: h r(a, lambda), r(U, Lambda), r(Q, k)/h divided by the diagonal of M;  g/h, c1_b, h c2_b
 *   psi: g_N/h;  xi_N, xi_F;  h gddot_N, h gammadot_F;  gamma_F (directions of slip)
 *   mu:  kh_N/h;  P_N, P_F;  h lambda_N, h lambda_F;  with the staged friction law also P_N or Lambda_N as radii
 *
 * Relative to the scale v of velocities a tolerance of 1e-10 is 1e-10 v in velocities, 1e-10 h v in lengths and 1e-10 v/h in accelerations;
 * lengths are not asked to be better than round-off of the coordinates lets them be (scales.h). */
#ifndef SCHEME_GENERALIZED_ALPHA_H
#define SCHEME_GENERALIZED_ALPHA_H

#include "scheme/block_sum.h"
#include "scheme/generalized_alpha_motion.h"
#include "scheme/impact_law.h"
#include "scheme/staged.h"

/* X B_n for a matrix X of the model with nq columns; of natural systems X itself. */
typedef struct alpha_chain {
    zn_pattern pattern;
    const double *values; /* of the product */
    /* Not for natural systems: */
    lin_pattern own;
    double *product;
    int count, *left, *right, *place;
} alpha_chain;

enum { ALPHA_R1, ALPHA_R2, ALPHA_R3, ALPHA_C0, ALPHA_C1, ALPHA_XI, ALPHA_C2, ALPHA_CHAINS };

typedef enum alpha_cut_name {
    CUT_R_Q,
    CUT_R_U,
    CUT_M,
    CUT_W_G,
    CUT_W_Y,
    CUT_W_B,
    CUT_W_N,
    CUT_W_F,
    CUT_W_C,
    CUT_C0_G,
    CUT_C0_N,
    CUT_C1Q_B,
    CUT_C1Q_C,
    CUT_C1Q_F,
    CUT_C1U_B,
    CUT_C1U_C,
    CUT_C1U_F,
    CUT_C2Q_B,
    CUT_C2Q_C,
    CUT_C2U_B,
    CUT_C2U_C,
    ALPHA_CUTS
} alpha_cut_name;

typedef struct generalized_alpha {
    scheme base;
    alpha_motion motion;
    answers at; /* at the end of the step */
    prox_estimate prox;
    int nb, nc, n;
    int x_k, x_L, x_l;   /* first unknowns (and rows of phi) of the bilateral multipliers */
    int y_L, y_l, psi_D; /* first contact rows of velocity level, acceleration level, directions */
    bool restitutes;     /* some contact has e > 0 */
    double *u_n, *e;     /* velocities before the step; restitution by rows of lambda */
    double *c1_n, *xi_q; /* c1(t_{n+1}, q_{n+1}, u_n); derivative of xi = c1 + e c1_n by q */
    alpha_chain chain[ALPHA_CHAINS];
    block_cut cut[ALPHA_CUTS];
    block_sum phi_x, phi_y, psi_x;
    cone_problem problem;
    cone *cones; /* position, velocity, acceleration level, n_contacts each */
    cone_solver *solver;
    loads *loads; /* NULL: no joint rubs by what it carries */
    lin_pattern A;
    staged_law law;
    impact_map *impacts; /* NULL: Newton's law */
    double *shift;       /* n rows: of the rates in xi */
    bool *closed;        /* per contact: at the end of the step */
    int *share_place;    /* staged law: where A has ga c of P (nc) and of the radii (nN) */
    double *A_values, *mu_0, *rho, *phi_scale, *psi_scale, *x, *y, *x_first; /* y: behind x */
    unsigned char *phi_unit, *psi_unit;
    double *memory;
} generalized_alpha;

/* generalized_alpha_layout.c: patterns, Jacobian blocks, cones. */
zn_status alpha_layout_create(generalized_alpha *);
void alpha_layout_destroy(generalized_alpha *);
void alpha_multiply_chains(generalized_alpha *);

#endif
