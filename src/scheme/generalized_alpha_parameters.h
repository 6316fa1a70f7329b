/* SPDX-License-Identifier: Apache-2.0 */
/* The four coefficients of generalized-alpha and what a step makes of them (docs/theory/generalized-alpha.md). */
#ifndef SCHEME_GENERALIZED_ALPHA_PARAMETERS_H
#define SCHEME_GENERALIZED_ALPHA_PARAMETERS_H

#include "base/base.h"
#include "zeno/simulation.h"

/*   (1 - am) ab_{n+1} + am ab_n = (1 - af) a_{n+1} + af a_n      so  ab_{n+1} = ab_0 + c a_{n+1},  c = (1 - af)/(1 - am)
 *
 *   chung-hulbert   am = (2r - 1)/(r + 1),  af = r/(r + 1),        ga = 1/2 + af - am    second order
 *   hht             am = 0,                 af = (1 - r)/(1 + r),  ga = 1/2 + af         second order, r >= 1/2
 *   newmark         am = af = 0,            ga = (3 - r)/(2 + 2r)                        first order unless r = 1
 *   be = (1/2 + ga)^2/4 for all; r is the spectral radius at infinite frequencies. */
typedef struct alpha_parameters {
    double am, af, ga, be, c;
} alpha_parameters;

/* From settings->alpha and settings->damping; ZN_ERROR_ARGUMENT when the family has no such damping. */
zn_status alpha_parameters_choose(zn_context *, const zn_settings *, alpha_parameters *);

#endif
