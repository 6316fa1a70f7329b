/* SPDX-License-Identifier: Apache-2.0 */
/* Private to generalized_alpha_sets*.c: the variants of 004, solved by an active-set Newton method over up to three levels.
 *
 * Each level has nu motions and n multipliers, and nu + n equations; scaled to units of velocity and percussion as in
 * generalized_alpha.h:
 *
 *   level      unknowns             balance               rows of constraints (on: condition; off: multiplier)
 *   SMOOTH     h a,  h lambda       h r(a, lambda)        S: a condition of the variant       h lambda
 *   POSITION   Q/h,  k/h            (M Q - W k)/h         A: g/h                              (k or kh)/h
 *   VELOCITY   U,    Lambda         M U - W Lambda        B: gdot + e gdot_n                  Lambda or P
 *
 * Q, k, U, Lambda are called U, nu, W, Lambda in 004; kh and P are its starred totals. */
#ifndef SCHEME_GENERALIZED_ALPHA_SETS_H
#define SCHEME_GENERALIZED_ALPHA_SETS_H

#include "scheme/generalized_alpha_motion.h"
#include "scheme/impact_law.h"

typedef enum alpha_level { LEVEL_SMOOTH, LEVEL_POSITION, LEVEL_VELOCITY, LEVEL_COUNT } alpha_level;
enum { ALL_LEVELS = (1 << LEVEL_COUNT) - 1 };

/* What a smooth multiplier enforces. */
typedef enum alpha_condition {
    CONDITION_ACCELERATION,    /* h gddot                     PVA */
    CONDITION_SMOOTH_VELOCITY, /* g_q v~, v~ = u - U          PVV */
    CONDITION_VELOCITY,        /* gdot                        V, PV */
    CONDITION_POSITION         /* g/h                         P */
} alpha_condition;

/* A block of a matrix: factor h^power diag(mask) S, S the values of a pattern. */
typedef struct alpha_term {
    const double *values, *mask; /* mask NULL: ones */
    double factor;
    int power, block;
} alpha_term;

enum { ALPHA_TERMS_MAX = 32 };

typedef struct alpha_system {
    int size, n_terms;
    alpha_term terms[ALPHA_TERMS_MAX];
    lin_matrix *matrix;
    lin_lu *lu;
    bool factored;
} alpha_system;

typedef struct alpha_sets {
    scheme base;
    alpha_motion motion;
    answers at;
    prox_estimate prox;
    /* the variant */
    alpha_condition condition;
    bool present[LEVEL_COUNT];
    bool decoupled, printed;
    bool smooth_gap; /* PVV: B asks for g(q~) <= 0 instead of membership in A */
    int activation;  /* 1, 2, 3 */
    double tolerance;
    cone_expected expected; /* of noise in this step */
    double contradiction;   /* cone_settings: 0, or what redundant bilateral rows may contradict each other by */
    double *left, *left_x;  /* what is forgiven of the residual, in the same order; work space */
    int n, nN, ng;
    /* the iterate in scaled units, level by level: nu motions, n multipliers; its residual in the same order */
    double *x[LEVEL_COUNT], *residual[LEVEL_COUNT];
    double *weight;                                                   /* of the rows of matrices, in the same order */
    double *x_first;                                                  /* of all levels: a solution that is compared with another */
    double *x_kept, *seen;                                            /* of all levels: the test for round-off */
    double *on[LEVEL_COUNT], *off[LEVEL_COUNT];                       /* masks of the sets S, A, B and of their complements */
    double *ones, *mask, *e_N;                                        /* e_N by rows of lambda */
    double *q_smooth, *u_smooth, *c0_smooth, *c1_smooth, *c1q_smooth; /* at q~ and v~: PVV */
    alpha_system system[LEVEL_COUNT];                                 /* coupled: the first only */
    alpha_system start; /* consistent smooth accelerations where contacts take no part in them */
    lin_pattern identity;
    impact_map *impacts; /* NULL: Newton's law */
    double *shift;       /* n rows: what another law has in place of e gdot_n */
    bool *closed;        /* per contact: at the end of the step */
    double *memory;
} alpha_sets;

/* generalized_alpha_sets_rows.c. Numbers of the iterate, and of the residual. */
static inline size_t alpha_sets_size(const alpha_sets *s) { return (size_t)(LEVEL_COUNT * (s->base.model->size.nu + s->n)); }
/* The motion of the iterate x. */
void alpha_sets_unpack(alpha_sets *);
/* Values, or derivatives too, for the levels in the bit set, at the motion. */
int alpha_sets_ask_levels(alpha_sets *, int levels, bool jacobian);
/* Values (and derivatives) of the model at the iterate x; the residual of all levels, or of one, from them and the sets. */
int alpha_sets_ask(alpha_sets *, bool jacobian);
void alpha_sets_residual(alpha_sets *);
void alpha_sets_residual_of(alpha_sets *, alpha_level);
/* The sets at these values; whether they have changed. */
bool alpha_sets_choose(alpha_sets *);
/* The part of the residual in bilateral rows that least squares cannot reduce (cone/contradiction.c), by the factors of the last
 * iteration. */
bool alpha_sets_forgive(alpha_sets *);
/* What row i of a level is multiplied by before it is compared with the tolerance. */
double alpha_sets_row_scale(const alpha_sets *, int level, int i);
/* Largest residual in units of velocity, without what is forgiven (NULL: nothing); which row of lambda it is, or -1. */
double alpha_sets_norm(const alpha_sets *, const double *left, int *row);
/* From the current residual: whether all of it that is above the tolerance is round-off. The sets stay as they are. */
bool alpha_sets_is_noise(alpha_sets *, const double *left);

/* generalized_alpha_sets_matrix.c */
zn_status alpha_systems_create(alpha_sets *);
void alpha_systems_destroy(alpha_sets *);
void alpha_system_fill(alpha_sets *, alpha_system *);
/* `step` in: the residual; out: what to subtract from the iterate. The matrix is that of the present values of the model, or
 * the last one (keep). */
zn_status alpha_system_solve(alpha_sets *, alpha_system *, bool keep, bool same_sets, double *step);

#endif
