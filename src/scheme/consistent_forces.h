/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations and multipliers that belong to a state (docs/theory/system.md, consistent starts; 002: 3.7):
 *
 *   M a = h + W lambda,  gddot = 0,  gammadot = 0
 *   closed contacts at rest in the normal (|g_N|, |gdot_N| small):  gddot_N in N_{R0-}(-lambda_N)
 *   of these, sticking rows gammadot_F in N_C(-lambda_F), slipping ones lambda_F = -mu lambda_N gamma_F/|gamma_F|
 */
#ifndef SCHEME_CONSISTENT_FORCES_H
#define SCHEME_CONSISTENT_FORCES_H

#include "scheme/linear_problem.h"

/* Gaps, gap velocities and slip velocities below `rest` count as zero. The problem was created with
 * CONE_ACCELERATION. a is then in problem->x, lambda in problem->P. No error in the context. */
zn_status consistent_forces(linear_problem *, double t, const double *q, const double *u, double rest, cone_outcome *);
/* The same with modes: contacts that have one are closed or open, stick or slip as it says. Balls of several rows slip along gamma_F, or
 * along their mode where that is below `rest`. */
zn_status consistent_forces_by(linear_problem *, const cone_frozen *modes, const zn_point *, double rest, cone_outcome *);

/* The first half of it: matrices, loads and rates c0, c1, c2 at a state. Active contacts and the balls that slip are then up to the caller,
 * and linear_problem_solve does the rest. */
zn_status consistent_forces_ask(linear_problem *, const zn_point *);

#endif
