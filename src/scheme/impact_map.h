/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts at a fixed position, without other forces: percussions P and rates c = (gdot_N, gamma_F) after it from those before.
 * With D = W' M^-1 W (joints included) of the contacts that are active,
 *
 *   c+ = c- + D P
 *
 *   newton      gdot+ + e gdot- in N(-P_N),  gamma+ + e_F gamma- in N_C(P_N)(-P_F)                     may create energy with friction
 *   poisson     the path of impact_path.h for a contact that is hit alone; for several at once two phases (Pfeiffer, Glocker):
 *               compression  c_C = c- + D P_C     gdot_C in N(-P_C,N),             gamma_C in N_C(P_C,N)(-P_C,F)
 *               expansion    c+  = c_C + D P_E    gdot+  in N(-(P_E,N - f e P_C,N)),  gamma+ in N_C(P_E,N)(-P_E,F)     f = 1
 *   energetic   the path for a contact that is hit alone; for several the two phases, with f such that the normal percussions give
 *               back what they took:  1/2 P_E,N (gdot_C + gdot+) = sum_k e_k^2 (-1/2) P_C,N,k (gdot-_k + gdot_C,k)
 *
 * The energy changes by 1/2 P (c- + c+). In a compression alone (f = 0) it falls: P_C c_C <= 0, so the change is at most -1/2 P_C D P_C.
 * With equal e in all contacts and P_E,N = e P_C,N friction minimises the energy at the end over its sets, which contain e P_C,F: at most
 * -(1 - e^2)/2 P_C D P_C. In other cases (contacts of different e that press on each other) a change above zero is taken back by
 * the largest f below one for which the energy does not grow. */
#ifndef SCHEME_IMPACT_MAP_H
#define SCHEME_IMPACT_MAP_H

#include "scheme/linear_problem.h"

typedef struct impact_map {
    zn_restitution_law law;
    double tolerance;        /* of rates, relative to the scales of the problem */
    linear_problem *problem; /* at.M, at.W, at.c1_u and active are filled by the caller */
    /* Results, n rows of lambda; bilateral rows mean nothing: */
    double *P, *after; /* `after` of active contacts */
    double gain;       /* of energy */
    bool any;          /* there is an impact; else P = 0 */
    /* Inside: */
    double *before, *P_C, *turn, *memory;
    bool *active;
    int alone; /* the contact that is hit alone, -1: several */
} impact_map;

impact_map *impact_map_create(zn_context *, const zn_model *, const zn_settings *, zn_restitution_law);
void impact_map_destroy(zn_context *, impact_map *);
/* Rates of a row below this are zero: slower approach is no impact. */
double impact_map_still(const impact_map *, int row);
/* Whether an active contact closes. before: n rows of lambda. */
bool impact_map_wanted(const impact_map *, const double *before, const bool *active);
zn_status impact_map_solve(impact_map *, const double *before);
/* Whether joints and friction hold a contact in every direction, D z = 0 for a z within its cone: its percussion is not unique. at.M, at.W,
 * at.c1_u are filled by the caller. */
bool impact_map_wedges(impact_map *, int contact);

#endif
