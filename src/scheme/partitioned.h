/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the partitioned schemes: what the coefficient pair (Lobatto IIIA, Lobatto IIIB) makes of a step.
 *
 * The last column of IIIB is zero: the increments of stage s act on the end of the step alone, so for every s a step is
 * two problems, a nonlinear one for the stages and a linear one for the velocity at the end (for s = 2 this is RATTLE).
 *
 *   partitioned.c         the step and the classes lobatto-3a3b, rattle
 *   partitioned_layout.c  unknowns, coefficients, patterns, memory
 *   partitioned_stages.c  residual of the stages for M du = h dt + W dpi
 *   lagrange.c            the same from momenta dL/du, and the class lobatto-3a3b-lagrange                                 */
#ifndef SCHEME_PARTITIONED_H
#define SCHEME_PARTITIONED_H

#include "scheme/block_sum.h"
#include "scheme/impact_law.h"
#include "scheme/scheme.h"
#include "scheme/staged.h"
#include "scheme/states.h"
#include "scheme/tableau.h"

enum { PARTITIONED_S_MAX = TABLEAU_S_MAX };

typedef struct momentum_answers {
    double *p, *p_q, *b, *b_q, *b_u;
} momentum_answers;

/* Rectangles of the model's matrices: bilateral rows b = (g, y) and contact rows c = (N, F) of lambda. */
typedef struct partitioned_cuts {
    block_cut one_q, r_q, r_u, M, W_b, W_c, qdot_q, B;
    block_cut g_q, y_q, y_u, N_q, F_q, F_u;
    block_cut p_q, b_q, b_u;
} partitioned_cuts;

typedef struct partitioned {
    scheme base;
    tableau method;
    bool lagrange;   /* momentum form */
    bool integrated; /* stage laws on DPi_i = sum_j ah_ij dPi_j instead of dPi_i */
    int s, nv;       /* stages, unknown velocity vectors */
    int nq, nu, nb, nc, n;
    stage_states *states; /* that are no unknowns; NULL: none. What follows is of the coordinates besides them */
    bool natural;         /* q' = u: no unknowns dQ */
    int nQ;               /* unknowns dQ of a stage */
    /* U_i = u_n + sum_k C_ik X_k;  natural: Q_i = q_n + h c_i u_n + h sum_k D_ik X_k,  D = A C.  Leading dimension nv. */
    double C[PARTITIONED_S_MAX * PARTITIONED_S_MAX], D[PARTITIONED_S_MAX * PARTITIONED_S_MAX];
    /* Estimates of d(stage position, stage velocity)/d(its multiplier) per unit of W' M^-1 W, without h. */
    double smooth[PARTITIONED_S_MAX * PARTITIONED_S_MAX]; /* row i: weights of the stages in partitioned_slip at stage i */
    double share_N[PARTITIONED_S_MAX], share_F[PARTITIONED_S_MAX];

    answers *at;                /* s */
    momentum_answers *momentum; /* s, lagrange only */
    double *Q, *U, *lambda;     /* s x nq, s x nu, (s - 1) x n: rates dPi_j/h */
    double *a, *load, *load_r, *rate_start, *c1_start, *p_start, *x, *y, *A_values;
    double *rho, *phi_scale, *psi_scale, *psi_noise;
    double *memory;
    unsigned char *phi_unit, *psi_unit, *weak;

    partitioned_cuts cuts;
    block_sum phi_x, phi_y, psi_x;
    lin_pattern A;
    cone *cones; /* stage-major: contact k of stage m + 2 is m n_contacts + k */
    cone_problem problem;
    cone_solver *solver;
    loads *loads; /* NULL: no joint rubs by what it carries */
    prox_estimate prox;
    linear_problem *end; /* x = u_{n+1} - ubar */
    impact_map *impacts; /* NULL: Newton's law */
    bool restitution;    /* some e is not zero: the velocities at the start of the step matter */
    bool velocity_rows;  /* stages have rows y or F */
    bool free;           /* no row acts in the present step (scheme_is_free) */
    bool first_rates;    /* velocities of rows may be wanted in the first stage, too, */
    bool first;          /* and are in the present step */
    int psi_weighted; /* 0, or the first row of psi with the polynomial of gamma_F (partitioned_slip) in stages 1 .. s - 1: zero where its moments are */
    staged_law law; /* friction without the index shift: gamma_F of stage 1 are further rows of psi */

    double t, h, tau[PARTITIONED_S_MAX]; /* of the running step */
    const double *q_n, *u_n;
    double one;
} partitioned;

/* Offsets in x: velocities first, then (general kinematics) position increments, then bilateral multipliers. */
static inline int partitioned_x_Q(const partitioned *p) { return p->nv * p->nu; }
static inline int partitioned_x_b(const partitioned *p) { return p->nv * p->nu + p->s * p->nQ; }

/* First row of psi with the slip velocities of contact k in stage m, m = 0 .. s - 2. */
static inline int partitioned_own_slip(const partitioned *p, int m, int k) {
    int row = p->base.model->contacts[k].row_F - p->nb;
    return m == 0 ? p->problem.ny + row - p->base.model->size.nN : (m - 1) * p->nc + row;
}

/* A row of c1 at a stage, from the polynomial of degree s - 2 that has the moments of all stages. */
double partitioned_slip(const partitioned *, int stage, int row);
zn_status partitioned_solve_once(void *user, cone_outcome *);
void partitioned_find_loads(void *user, double *radius);
/* b_j c_j^m: weight of stage j in sum m. */
static inline double partitioned_weight(const partitioned *p, int m, int j) {
    double weight = p->method.b[j];
    for (int i = 0; i < m; i++) weight *= p->method.c[j];
    return weight;
}

zn_status partitioned_layout(partitioned *, const zn_settings *);
void partitioned_release(partitioned *);

/* Stage positions, velocities and multipliers from the unknowns. */
void partitioned_place_stages(partitioned *, const double *x, const double *y);
/* Residual rows and Jacobians that both forms share: kinematics, constraints, psi. Nonzero: not finite. */
int partitioned_ask_constraints(partitioned *, bool jacobian);
void partitioned_write(const partitioned *, const double *x, cone_values *out);

/* The evaluate functions of the cone problem, and the Jacobian blocks of the momentum rows. */
int partitioned_evaluate(void *user, const double *x, const double *y, cone_values *out);
void partitioned_momentum_blocks(partitioned *);
int lagrange_evaluate(void *user, const double *x, const double *y, cone_values *out);
void lagrange_momentum_blocks(partitioned *);
/* f of the end-of-step problem and ubar: the velocity that it starts from. Pbar = sum_{j<s} b_j dPi_j. */
/* At the end of the step: r, M, W under the percussions Pbar of its last stage, and c1 of ubar with its derivative. Nonzero: not finite. */
int partitioned_ask_end(partitioned *, const double *Pbar, const double *ubar);
int partitioned_end_load(partitioned *, const double *Pbar, double *f, double *ubar);
int lagrange_end_load(partitioned *, const double *Pbar, double *f, double *ubar);
int lagrange_start(partitioned *); /* p_n */

/* Shared by the three classes. */
size_t partitioned_carry_size(const zn_model *, const zn_settings *);
int partitioned_carried(const scheme *, carry_piece *);
zn_status partitioned_create(zn_context *, const scheme_class *, const zn_model *, const zn_settings *, scheme **);
zn_status partitioned_start(scheme *, scheme_state *, const double *a0, const double *lambda0);
zn_status partitioned_step(scheme *, const scheme_state *from, double h, scheme_state *to, cone_outcome *);
void partitioned_interpolate(const scheme *, const scheme_state *from, const scheme_state *to, double x, double *q, double *u);
int partitioned_error(scheme *, const scheme_state *from, const scheme_state *to, double h, double *error_q);
void partitioned_destroy(scheme *);

#endif
