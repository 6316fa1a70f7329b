/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit stages of a stiffly accurate Runge-Kutta method as one cone problem: all of them at once, or one of a diagonally
 * implicit method (m = 1). With i, k = 1..m, Q0, U0, D0 known from earlier stages:
 *
 *   dQ_i = h (B u + beta)(tau_i, Q_i, U_i)               Q_i = Q0_i + sum_k a_ik dQ_k
 *   M_i dU_i = h h(tau_i, Q_i, U_i) + W_i dPi_i          U_i = U0_i + sum_k a_ik dU_k
 *   g(tau_i, Q_i) = 0,  gamma(tau_i, Q_i, U_i) = 0
 *   g_N(tau_i, Q_i) in N_{R0-}(-DPi_N,i),  gamma_F(tau_i, Q_i, U_i) in N_{C(DPi_N,i)}(-DPi_F,i)
 *   (contacts of `trial`, the staged friction law: gamma_F,i in N_{C(dPi_N,i)}(-dPi_F,i) instead)
 *   DPi_i = D0_i + sum_k a_ik dPi_k;  a contact with a constant normal force has the radius mu lambda_N (tau_i - t_n)
 */
#ifndef SCHEME_PROJECTED_STAGES_H
#define SCHEME_PROJECTED_STAGES_H

#include "scheme/answers.h"
#include "scheme/block_sum.h"
#include "scheme/cones.h"
#include "scheme/loads.h"
#include "scheme/scales.h"
#include "scheme/states.h"
#include "zeno/simulation.h"

/* Pieces of the model's matrices. */
typedef struct stages_cuts {
    block_cut M, r_q, r_u, W_b, W_c, g_q, y_q, y_u, N_q, F_q, F_u, qdot_q, B, one;
} stages_cuts;

typedef struct stages {
    zn_context *context;
    const zn_model *model;
    int m, nb, nc;        /* stages; bilateral and contact rows of lambda */
    stage_states *states; /* that are no unknowns; NULL: none. The coordinates below are those besides them */
    bool natural;         /* dQ_i = h U_i is eliminated: Q_i = Q0_i + h sum a_ik U0_k + h sum (A A)_ik dU_k */
    int nQ;               /* unknowns dQ of a stage: none, or all coordinates besides states */
    double *A, *AA;       /* m x m, row-major */
    /* Filled by the caller before a solve: */
    double h, *tau;       /* tau_i */
    double *since;        /* tau_i - t_n */
    double *Q0, *U0, *D0; /* m x nq, m x nu, m x nc */
    bool free;            /* no row acts (scheme_is_free) */
    const bool *trial;    /* per contact: has the staged law; NULL: none, now and ever */
    double *load_0;       /* m x nb: the part of stages before in DPi of bilateral rows, where joints rub by what they carry */
    double *rho;          /* m x nc prox parameters of the inclusions (stages_scale) */
    /* In: start. Out: solution, or the best iterate. */
    double *dU, *dQ, *dPi_b; /* m x nu; m x nQ (see stages_dQ); m x nb: parts of x */
    double *dPi_c;           /* m x nc: y */
    double *Q, *U;           /* m x nq, m x nu of the last evaluation */
    /* Inside: */
    answers *at;  /* m */
    double *mu_0; /* D0, and with the staged law what it makes of it */
    double *a, *lambda, *x, *memory, *phi_scale, *psi_scale, *psi_noise, *A_values;
    unsigned char *phi_unit, *psi_unit, *weak;
    cone_problem problem;
    cone *cones; /* stage by stage, one a contact */
    cone_solver *solver;
    loads *loads; /* NULL: no joint rubs by what it carries */
    stages_cuts cuts;
    block_sum phi_x, phi_y, psi_x;
    lin_pattern A_pattern;
    struct stage_transform *transform; /* NULL: phi_x is small, sparse or of one stage, and solved by its LU */
    cone_linear linear;
} stages;

/* projected_law.c: mu = A y + mu_0 with radii as rows of their own, and its values for the present trial set. */
zn_status stages_make_law(stages *);
void stages_set_law(stages *);

/* A: m x m, row-major. */
stages *stages_create(zn_context *, const zn_model *, const zn_settings *, int m, const double *A, const bool *trial);
void stages_destroy(stages *);
/* Solves with phi_x by the eigenvalues of A (stage_transform.h) whatever the size; stages_create does so where it pays. The
 * other way back: problem.linear = NULL. */
zn_status stages_transform(stages *);
/* Prox parameters and row scales of all stages from an estimate at the start of the step, at q. */
void stages_scale(stages *, const prox_estimate *, const problem_scales *);
/* On ZN_OK, Q and U belong to the solution. outcome->worst_cone is a contact. */
zn_status stages_solve(stages *, cone_outcome *);
/* The implicit stages of a projected scheme, for tests and benchmarks. */
struct scheme;
stages *projected_stages(struct scheme *);
/* h U_i, or the unknown (m x nq); valid after a solve. */
void stages_dQ(const stages *, double *dQ);
static inline bool stages_closed(const stages *s, int i, int contact) {
    return cone_is_closed(s->solver, i * s->model->size.n_contacts + contact);
}

#endif
