/* SPDX-License-Identifier: Apache-2.0 */
/* What the tolerance is relative to: sizes of the problem, seen in the run so far, each in the units of what it scales.
 *
 *   v_i = max(|u_i|, share sqrt(E/M_ii))    of a balance divided by M_ii;  E = max_j M_jj u_j^2: bodies at rest are held as exactly
 *                                           as a small share of the energy of those that move
 *   V_k = sum_j |W_jk| v_j                  of row k on velocity level;  V_k/h on acceleration level. Of constraints, which hold also
 *                                           where nothing moves along them, not less than sqrt(E w'w), w_j = W_jk/sqrt(M_jj)
 *   S_k = sum |w_k| |v|                     of row k of a contact, summed over vectors (the velocity of a point, the spin of a body)
 * instead of components: the
 *                                           same in all frames. Where nothing is known of vectors, V_k
 *   L_k = max(h S_k/10, reach sum_j |W_jk| x_j)  of row k on position level: lengths are ten times as exact as velocities over a step,
 *                                           but not better than round-off of the coordinates x_j allows, reach = 32 eps/tolerance
 *
 * Forces of stiff models are differences of large numbers. The loss of accuracy is estimated from their sizes,
 *
 *   f_i = sum_j |dr_i/dq_j| |q_j| + |dr_i/du_j| |u_j|,    r = M a - h - W lambda
 *
 * and a residual of a balance that is at most 4 units in the last place of f_i (times h/M_ii) is solved, whatever v_i is: the step is then
 * counted as solved to round-off. f_i is looked up at the start, when coordinates or velocities have grown, and when a step fails.
 *
 * |u_i| is the largest in the run, at the start also what the forces of the first step give to a body that rests. No size mixes
 * units: with other units of length, time and mass the same numbers come out. What has no size at all is measured in the units of the
 * scene. */
#ifndef SCHEME_SCALES_H
#define SCHEME_SCALES_H

#include "base/bytes.h"
#include "cone/cone.h"
#include "scheme/answers.h"

typedef struct problem_scales {
    zn_context *context;
    const zn_model *model;
    int threads; /* that share many rows; 0: one. Set by the owner */
    double reach;
    double h;                /* of the present step */
    double *q, *u, *speed;   /* nq, nu: the largest so far; nu: |u| of the vector that a velocity belongs to */
    double *place, *rate;    /* nu: positions in the directions of velocities; nq: of q' (natural systems: those of q and u) */
    double *velocity;        /* nu: v */
    double *row, *row_place; /* n rows of lambda: V_k, sum_j |W_jk| x_j */
    double *row_speed;       /* what residuals are compared with: S_k of contacts, V_k of constraints */
    double *drift;           /* nq: largest |q'| so far; natural systems: none */
    double *B;               /* largest so far; natural systems: none */
    double *force, *noise;   /* nu: f_i/M_ii, and what of it counts in v_i */
    double *slack;           /* nu: noise/v_i, at least 1 */
    double energy;           /* largest sqrt(M_jj) |u_j| */
    bool begun, renew;       /* renew: f_i is to be looked up in the next step */
    double *memory;          /* NULL: everything is measured in the units of the scene */
} problem_scales;

zn_status scales_create(zn_context *, const zn_model *, double tolerance, problem_scales *);
void scales_destroy(zn_context *, problem_scales *);
/* What was seen so far by the scales of the same system with other rows. */
void scales_take(problem_scales *, const problem_scales *from);
void scales_carry(problem_scales *, byte_stream *); /* all of it */
/* To be called where a step of h begins. `at` is work space. ZN_ERROR_NOT_FINITE: forces cannot be evaluated. */
zn_status scales_see(problem_scales *, answers *at, const zn_point *, double h);
/* v and V with the masses and directions of the step, as prox_update has left them. */
void scales_rows(problem_scales *, const double *mass_scale, const double *W);
/* Of a problem whose first rows are `blocks` balances. */
void scales_tell(const problem_scales *, int blocks, cone_problem *);

/* Whether velocities a < b are components of one vector, which has other components in another frame. */
bool scales_are_together(const zn_model *, int a, int b);
/* The tolerance that lets an error of `size` in row pass, on position and on velocity level, in steps of h. */
double scales_tolerance(const problem_scales *, int row, double size, double h);
/* Residuals times the following are compared with the tolerance. */

/* Lengths are measured by this part of the distance moved in a step. */
#define SCALES_LENGTH_SHARE 0.1
static inline double scales_inverse(double size) { return size > 0 && isfinite(size) ? 1 / size : 1; }
/* Of row i of the balance, divided by M_ii; not better than round-off. */
static inline double scales_of_balance(const problem_scales *s, int i) {
    return s->memory ? scales_inverse(larger(s->velocity[i], s->noise[i])) : 1;
}
/* Of c1. */
static inline double scales_of_rate(const problem_scales *s, int row) { return s->memory ? scales_inverse(s->row_speed[row]) : 1; }
/* Of c0. */
static inline double scales_of_length(const problem_scales *s, int row) {
    return s->memory ? scales_inverse(larger(SCALES_LENGTH_SHARE * s->h * s->row_speed[row], s->reach * s->row_place[row])) : 1 / s->h;
}
double scales_noise(const problem_scales *, int row);     /* round-off of c0, times scales_of_length */
double scales_of_position(const problem_scales *, int i); /* of a change of q_i in the step */
/* Velocities and lengths in a row, V_k and max(h V_k, sum_j |W_jk| x_j); 1 where it has none. */
double scales_rate(const problem_scales *, int row);
double scales_length(const problem_scales *, int row);
/* How small lengths and rates in a row are, with the masses M and directions W of now: parts of what is usual, 1 if they are larger, or
 * have no size. Lengths are sum_j |W_jk| x_j, not less than the way in a step; rates sum_j |W_jk| |u_j|, not less than a millionth of the
 * length in a step, and not less than what the energy of the most vigorous body would give to the row: what rests is at rest up to
 * round-off of what moves. */
double scales_small_length(const problem_scales *, const double *W, int row, double usual);
double scales_vigour(const problem_scales *, const double *M);
double scales_small_rate(const problem_scales *, double vigour, const double *M, const double *W, int row, double usual);
/* Round-off of the longest row on position level. */
double scales_length_roundoff(const problem_scales *, const double *W);
/* A contact's gap up to this is closed, for its row cannot be distinguished from zero: tolerance times L_k, as residuals are measured, with
 * the directions W of now. */
double scales_closed(const problem_scales *, const double *W, int row);

#endif
