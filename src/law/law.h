/* SPDX-License-Identifier: Apache-2.0 */
/* Force laws as sets: the reservoirs of dry friction, and their projections (prox).
 *
 *     y in N_C(x)   <=>   x = prox_C(x + r y)  for any r > 0
 *
 * Every reservoir is a product of balls over scaled rows: with a diagonal matrix S of row scales
 *     gamma_F = S gamma_T,  lambda_T = S lambda_F:   gamma_T in N_{S C}(-lambda_T)  <=>  gamma_F in N_C(-lambda_F).
 * The solvers therefore only see lists of zn_ball. */
#ifndef LAW_LAW_H
#define LAW_LAW_H

#include "base/base.h"
#include "zeno/types.h"

enum { LAW_DIM_MAX = 3 };

/* ---- projections ---- */

/* prox of the nonpositive half line R0- */
static inline double law_prox_nonpositive(double a) { return smaller(a, 0); }
/* p = prox of the ball with this radius (a negative radius counts as zero). True: a is inside and p = a. */
bool law_prox_ball(int dim, double radius, const double *a, double *p);

/* ---- reservoirs ---- */

typedef struct law_reservoir {
    zn_reservoir kind;
    int dim;                /* rows; must fit the kind */
    double mu[LAW_DIM_MAX]; /* per row; kinds with one coefficient use mu[0] */
    double radius;          /* Coulomb-Contensou: of the contact patch */
} law_reservoir;

/* Row scales (dim) and balls (at most dim) of a reservoir; returns the number of balls, or -1 when the description is wrong
 * (`why` then says what). A row with coefficient zero gets a ball of its own with mu = 0 and scale 1. */
int law_balls(const law_reservoir *, double *scale, zn_ball *balls, const char **why);

/* The largest number of friction coefficients of a reservoir; whether its third row is pivoting. */
int law_coefficients(zn_reservoir);
bool law_needs_pivoting(zn_reservoir);

#endif
