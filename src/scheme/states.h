/* SPDX-License-Identifier: Apache-2.0 */
/* States of controllers in the stages of a Runge-Kutta scheme. Their rates are affine in them, x' = F(t, q, u) x + f(t, q, u), so that
 *
 *   dX_i = h (F_i X_i + f_i),   X_i = X0_i + sum_k a_ik dX_k,   i, k = 1..m
 *
 * is a linear system, solved wherever the positions Q_i and velocities U_i of the stages are known: with the rates R_i = F_i X0_i + f_i
 *
 *   dX = T^-1 h R,   T = 1 - h F (A x 1)
 *
 * States are therefore no unknowns of a step. Forces that read them have through them the derivatives r_x dX_i, where
 *
 *   dX_i = sum_k h G_ik (R_q,k dQ_k + R_u,k dU_k),   G = (A x 1) T^-1
 *
 * Where the rates are affine in positions and velocities, too, and know no time, they are asked for once in a step: those at other points
 * of it follow,
 *
 *   R_i = R + R_q (Q_i - Q) + R_u (U_i - U)
 *
 * T falls apart into groups of states that read each other; they are inverted when F or h changes, which for the usual filters is once. */
#ifndef SCHEME_STATES_H
#define SCHEME_STATES_H

#include "scheme/answers.h"
#include "scheme/block_sum.h"

typedef enum states_side { STATES_BY_Q, STATES_BY_U, STATES_SIDES } states_side;

/* r_x dX_i by Q_k or by U_k. */
typedef struct states_product {
    block_cut cut;  /* of a matrix nu x (coordinates besides states), or nu x nu */
    double *values; /* m x m times those of the cut: stage i, then k */
    int count;      /* of one of them */
    /* m x m, row-major, or NULL: Q_j (U_j) moves by weight_jk times an unknown of stage k, and r_x dX_i is wanted by these unknowns. */
    const double *weight;
    /* dX_i by this side: per entry its state and the terms h G_ik R; then the terms of the products, each a value of r_q times such an
     * entry */
    int n_entries, *state, *first_term, *member, *from;
    int n_terms, *r_from, *entry, *place;
    bool r_run; /* these values of r_q are neighbours */
    double *by; /* n_entries, of one pair of stages */
} states_product;

typedef struct stage_states {
    zn_context *context;
    const zn_model *model;
    int m, n; /* stages, states */
    const double *A;
    int *coordinate;                                  /* of each state */
    int n_others;                                     /* coordinates besides states */
    int *other;                                       /* per coordinate: its number among these, or -1 */
    int *other_at;                                    /* and back */
    bool others_first;                                /* coordinates come before states */
    int n_single;                                     /* the first states, each a group of its own */
    int n_groups, *group_first, *member, *inverse_at; /* of the others */
    int *group, *position;                            /* of each state; single ones: a negative number of their own, 0 */
    int n_F, *F_row, *F_col, *F_from;
    bool constant;        /* the derivatives of rates never change, and have been asked for */
    bool steady, known;   /* the rates of a step follow from one point; which has been asked for in this one: */
    double *R, *slope;    /* rates of the states there; their derivatives by what they read, */
    int n_read, n_read_q; /* coordinates, then velocities, */
    int *read, *read_end; /* each with its derivatives: of which state, and where they stand */
    int n_R, *R_state, *R_from;
    bool *read_run;         /* of states one after the other */
    double *reference;      /* what is read, there */
    bool consecutive;       /* single states are neighbours among the coordinates, in their order */
    double h_kept, *F_kept; /* that the inverses belong to */
    /* Single states: entry (i, k) of all of them, then the next entry of m x m. Behind them groups of c states: (m c) x (m c),
     * column-major, stage by stage. */
    double *inverse, *G;
    double *load; /* h R: of all single states, stage by stage, then group by group, stage by stage */
    double *work;
    double *derived;    /* values that the products belong to */
    bool same_inverses; /* since then */
    int *pivot;
    double *memory;
    states_product by[STATES_SIDES];
} stage_states;

/* *out NULL: the model has none, or they must be unknowns: rates that are not affine in them; constraints, contacts or rates of other
 * coordinates that read what moves.
 * A: m x m, row-major, kept alive by the caller. */
zn_status states_create(zn_context *, const zn_model *, int m, const double *A, stage_states **out);
void states_destroy(stage_states *);
/* Another step, with other states, inputs and times. X0 is the same for all of its stages. */
static inline void states_begin(stage_states *s) {
    if (s) s->known = false;
}
/* In: X0 in the states of Q. Out: X, and the kinematics in `at`, rates with the derivatives if `jacobian`. Nonzero: not finite. */
int states_solve(stage_states *, double h, const double *tau, double *Q, const double *U, answers *at, bool jacobian);
/* dX of the last solve, into the states of dQ (m x nq). */
void states_increments(const stage_states *, double *dQ);
/* The products, from r_q and the derivatives of rates in `at`. */
void states_derive(stage_states *, const answers *at);
/* Columns (rows) of a cut that are coordinates get their numbers besides the states, which are left out. Without states: as they are. */
void states_cut_columns(const stage_states *, block_cut *);
void states_cut_rows(const stage_states *, block_cut *);
/* Coordinate number j besides the states. */
static inline int states_other(const stage_states *s, int j) { return s ? s->other_at[j] : j; }
static inline const double *states_product_of(const stage_states *s, states_side side, int i, int k) {
    return s->by[side].values + (i * s->m + k) * s->by[side].count;
}

#endif
