/* SPDX-License-Identifier: Apache-2.0 */
/* What the size of the coordinates makes of precision. */
#ifndef SCHEME_PRECISION_H
#define SCHEME_PRECISION_H

#include "cone/cone.h"
#include "scheme/scheme.h"

/* Residuals of lengths times this are compared with the tolerance: `wish`, but less where round-off of the coordinates would be above
 * the tolerance, and not less than 1. */
double scheme_length_weight(const zn_model *, const double *q, double tolerance, double wish);
/* What the scheme expects of noise (cone_expect_noise) in a step of h from (q, u). */
cone_expected scheme_expects(const scheme *, const double *q, const double *u, double h);

#endif
