/* SPDX-License-Identifier: Apache-2.0 */
/* The impact of one contact as a path (Routh, Keller): the normal impulse p grows from zero, and friction follows the slip at
 * every p. With rates c = (gdot, gamma) of the contact, D = dc/dP and P = (p, P_F):
 *
 *   c(p) = c(0) + D P(p)
 *   dP_F/dp = -mu gamma/|gamma|     slip
 *           = s*                    stick, D_FN + D_FF s* = 0, where |s*| <= mu
 *           = -mu d                 slip begins again from gamma = 0 where |s*| > mu, along the d with D_FN - mu D_FF d = k d, k > 0
 *
 * Compression ends at p_c, where gdot = 0 (the last such p, if slip that turns lets gdot fall below zero again). W(p) is the
 * work of the normal force, the integral of gdot dp. The impact ends
 *
 *   poisson     at p = (1 + e) p_c
 *   energetic   where W - W(p_c) = -e^2 W(p_c)                                                                      (Stronge)   */
#ifndef SCHEME_IMPACT_PATH_H
#define SCHEME_IMPACT_PATH_H

#include <stdbool.h>

enum { IMPACT_FRICTION_MAX = 3, IMPACT_ROWS = 1 + IMPACT_FRICTION_MAX };

typedef struct impact_path {
    int dim; /* of friction, one ball; 0: none */
    double mu, e;
    bool energetic;
    double D[IMPACT_ROWS][IMPACT_ROWS]; /* dc_i/dP_j; rows N, F ... */
    double before[IMPACT_ROWS];         /* c(0), with gdot < 0 */
    /* Results: */
    double P[IMPACT_ROWS], after[IMPACT_ROWS];
    double compression, expansion; /* work of the normal force: <= 0, >= 0 */
} impact_path;

/* False: the path does not end (the rates do not turn around), or is not finite. */
bool impact_path_follow(impact_path *);

#endif
