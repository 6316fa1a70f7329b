/* SPDX-License-Identifier: Apache-2.0 */
/* Full order while the direction of slip turns (friction_law: staged; docs/turning-slip.md). The papers align the friction
 * percussion accumulated since t_n with the velocity at the end of a stage or step, which is first order where the direction
 * turns. For contacts of a trial set
 *
 *   K_n = { closed at t_n, e_F = 0, |gamma_F| > 1e-8 V at t_n in every ball, a ball of two rows or more, not waiting }
 *
 * (V: velocities in the row, scales.h) every stage measure is aligned with the velocity of its own stage, and at the end of the step
 *
 *   dpi_F = -mu dpi_N d_s,   d_s = gamma_F(t_{n+1}, q_{n+1}, U_s)/|.|     (linear, dpi_N signed)
 *
 * Then each contact is tested: closed and slipping in all stages, no stage measure negative, consecutive slip velocities with
 * positive inner products, no contact of its island (joined by masses, joints and closed contacts) that was open at t_n and
 * got a percussion. The step is repeated without those that fail; they have the papers' law then. Attempts are brief
 * (cone_be_brief): where they fail the papers' law takes over. A contact that was rejected several times in a row
 * waits for some steps. */
#ifndef SCHEME_STAGED_H
#define SCHEME_STAGED_H

#include "scheme/linear_problem.h"
#include "scheme/scheme.h"

typedef struct staged_law {
    zn_context *context;
    const zn_model *model;
    const problem_scales *scales; /* of the scheme: with the masses and directions of the step */
    bool one_velocity;            /* all stages have the same: at the end, too, what begins to slip has the direction of its mode */
    bool offered; /* asked for (or modes may be), and some contact has a direction that can turn; else nothing below exists */
    const cone_frozen
        *modes;     /* of the running step; NULL: none. Contacts of K_n are those that slip by their mode, and nothing is tested */
    bool *turns;    /* per contact: may be in K_n at all */
    bool *closed;   /* at t_n, with a force */
    bool *touching; /* at t_n: closed, or at rest on the gap; a percussion is nothing new there */
    bool *tried;    /* K_n */
    bool *trial;    /* K_n less those that were rejected in this step */
    bool *rejected; /* found by the running attempt */
    int attempts;   /* discarded in this step */
    double *start;  /* n rows: c1 at t_n */
    double *last;   /* n rows: slip velocities of the latest stage that was evaluated */
    double *shift;  /* nF: P_F = -mu P_N d + shift at the end of the step */
    int *fixed_group, *group; /* per velocity: its island, by masses and joints, and with closed contacts too */
    bool *memory;
    double *numbers;
    int *groups;
} staged_law;

zn_status staged_create(zn_context *, const zn_model *, const zn_settings *, const problem_scales *, staged_law *);
void staged_destroy(staged_law *);

/* Contact k is closed and at rest in the normal direction at t_n; `start` is filled. c0: n rows. */
bool staged_rests(const staged_law *, int k, const double *c0);
/* K_n. `closed`, `touching` and start (c1 at t_n) are filled by the caller; caution: one number a contact that goes from
 * state to state, 0 at the start. False: empty. */
bool staged_begin(staged_law *, const double *caution);
/* K_n by modes instead, which hold until the next call; NULL: by the state again. */
void staged_freeze(staged_law *, const cone_frozen *modes);
/* After the attempt that stands: caution of the next step. */
void staged_end(const staged_law *, const double *caution, double *next);
/* Before an attempt: nothing is rejected, slip velocities are those of t_n. */
void staged_attempt(staged_law *);
/* A stage of contact k: rejects it unless its slip velocities continue those before. c1: n rows of lambda. */
void staged_follow(staged_law *, int k, const double *c1);
static inline void staged_reject(staged_law *law, int k) { law->rejected[k] = true; }
bool staged_any(const staged_law *);     /* some contact is in K_n */
bool staged_rejects(const staged_law *); /* the running attempt rejected one */
/* After the end of the step: contacts that were open and got a percussion reject their islands. P: n rows. */
void staged_see_new_contacts(staged_law *, const double *P);
/* After an attempt. True: it stands. False: K_n is smaller now, the step is to be repeated; the cost of the attempt is added up. */
bool staged_stands(staged_law *, zn_status, cone_outcome *outcome, cone_outcome *cost);
/* Adds the cost of discarded attempts to the outcome of the one that stands, and counts them in the state. */
void staged_add_cost(const staged_law *, scheme_state *to, cone_outcome *outcome, const cone_outcome *cost);

/* The end of the step as a linear contact problem, M x = f + W P, c + W' x = gamma(u+) with c = c1 at (t_{n+1}, q_{n+1}, U_s)
 * without restitution yet: f, P, directions for the contacts of K_n. before: n rows of the percussion that does not follow
 * d_s; share: its part of the step, for constant normal forces. */
void staged_end_prepare(staged_law *, linear_problem *, const double *slip, const double *before, double share);
/* Puts the shift into P and tests. last_N: rows of lambda, b_s dPi_N,s that is part of `before`; NULL: none. */
void staged_end_finish(staged_law *, linear_problem *, const double *before, const double *last);

#endif
