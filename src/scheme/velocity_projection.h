/* SPDX-License-Identifier: Apache-2.0 */
/* The velocity projection with the impact law, second problem of a projected Runge-Kutta step
 * (docs/theory/runge-kutta.md). With the unprojected velocity u~ and the percussion Ps = sum_i b_i dPi_i of the stages, at (t_{n+1},
 * q_{n+1}):
 *
 *   M (u+ - u~) = W (P - Ps),   gdot(u+) = 0,  gamma(u+) = 0
 *   xi_N = gdot_N(u+) + e_N gdot_N(t_n, q_n, u_n)    in N_{R0-}(-P_N)       active contacts
 *   xi_F = gamma_F(u+) + e_F gamma_F(t_n, q_n, u_n)  in N_{C(P_N)}(-P_F)    active contacts
 *   P = 0                                                                   others
 *   P_F - Ps_F = -mu (P_N - Ps_N) gamma_F(u~)/|.|                           contacts in the trial set of the staged law
 */
#ifndef SCHEME_VELOCITY_PROJECTION_H
#define SCHEME_VELOCITY_PROJECTION_H

#include "scheme/impact_law.h"
#include "scheme/staged.h"

/* to->t, to->q are the end of the step, to->u and to->P hold u~ and Ps and become u+ and P. problem->active is filled by the
 * caller; the problem was created with CONE_VELOCITY. h is the step (constant reservoirs). last: b_s dPi_s, n rows.
 * impact_map: NULL for Newton's law above, else that of impact_law.h in its place. */
zn_status velocity_projection(linear_problem *, impact_map *, staged_law *, const double *last, const scheme_state *from, double h,
                              scheme_state *to, cone_outcome *);

#endif
