/* SPDX-License-Identifier: Apache-2.0 */
/* The quadratures of generalized-alpha over one step, as explicit functions of what is unknown at its end:
 *
 *   u_{n+1} = u_0 + h ga c a + U             u_0 = u_n + h ((1 - ga) ab_n + ga ab_0)
 *   q_{n+1} = q_0 + B_n (h^2 be c a + Q)     q_0 = q_n + h q'_n + h^2/2 q''(t_n, q_n, u_n, (1 - 2be) ab_n + 2be ab_0)
 *   P       = P_0 + h ga c lambda + Lambda   P_0 = h ((1 - ga) lb_n + ga lb_0)
 *   kh      = k_0 + h^2 be c lambda + k      k_0 = h^2/2 ((1 - 2be) lb_n + 2be lb_0)
 *   ab_0 = (af a_n - am ab_n)/(1 - am),  lb_0 likewise.
 *
 * carry holds a_n, ab_n (nu each), lambda_n, lb_n (n each), and the caution of the staged friction law. */
#ifndef SCHEME_GENERALIZED_ALPHA_MOTION_H
#define SCHEME_GENERALIZED_ALPHA_MOTION_H

#include "scheme/answers.h"
#include "scheme/generalized_alpha_parameters.h"
#include "scheme/scheme.h"

typedef struct alpha_motion {
    const zn_model *model;
    alpha_parameters p;
    double h, t;              /* of the step; t at its end */
    double *q_0, *u_0, *ab_0; /* nq, nu, nu */
    double *lb_0, *P_0, *k_0; /* n each */
    double *B;                /* at the start of the step; natural systems: not used */
    double *rate_n, *gap_n;   /* n: c1 and c0 at the start of the step, if with_rates */
    bool with_rates;
    /* the iterate in physical units: motions (nu), multipliers (n), where they lead, and r_q of M U - W Lambda and of M Q - W k */
    double *a, *U, *Q, *lambda, *Lambda, *kappa, *q, *u, *r2_q, *r3_q;
    double *weighted, *memory;
} alpha_motion;

zn_status alpha_motion_create(zn_context *, const zn_model *, const zn_settings *, alpha_motion *);
void alpha_motion_destroy(zn_context *, alpha_motion *);

size_t alpha_carry_size(const zn_model *, const zn_settings *);
int alpha_carried(const scheme *, carry_piece *);
double *alpha_caution(const zn_model *, double *carry); /* of the staged friction law, in carry */
void alpha_forces(const scheme *, const scheme_state *, const double **a, const double **lambda);
zn_status alpha_start(scheme *, scheme_state *, const double *a0, const double *lambda0);

/* Contacts that do not stay: their forces leave the accelerations that are remembered. */
zn_status alpha_let_go(alpha_motion *, answers *at, prox_estimate *, scheme_state *, const bool *stays);

/* Everything that is known before the step is solved. `at` provides work memory; nonzero: not finite. */
int alpha_motion_begin(alpha_motion *, answers *at, const scheme_state *from, double h);
void alpha_velocities(const alpha_motion *, const double *a, const double *U, double *u);
void alpha_positions(const alpha_motion *, const double *a, const double *Q, double *q);
/* h a (nu) with which q_{n+1} = q_n + h q'_n. */
void alpha_steady(const alpha_motion *, double *x);

/* generalized_alpha_starts.c: a step that is solved from several starts, briefly and then in full. */
typedef struct alpha_starts {
    const alpha_motion *motion;
    const scheme_state *from;
    const double *mass_scale;
    double *x, *x_first; /* the iterate, which begins with h a; room for another one */
    size_t count;
    int level; /* places in x between h a, and the corrections of velocities and positions */
    void *user;
    void (*guess)(void *user, const scheme_state *from); /* the last accelerations and forces, no impulses */
    zn_status (*solve)(void *user, bool brief, cone_outcome *);
} alpha_starts;
/* `once`: the attempt has a substitute, one brief solve is enough. */
zn_status alpha_solve(const alpha_starts *, bool once, cone_outcome *);

/* carry and P of the new state. */
void alpha_motion_end(const alpha_motion *, const double *a, const double *lambda, const double *Lambda, scheme_state *to);

#endif
