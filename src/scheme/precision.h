/* SPDX-License-Identifier: Apache-2.0 */
/* Which precision the size of the coordinates allows. */
#ifndef SCHEME_PRECISION_H
#define SCHEME_PRECISION_H

#include "cone/cone.h"
#include "scheme/scheme.h"

/* What the scheme expects of noise (cone_expect_noise) in a step of h from (q, u). */
cone_expected scheme_expects(const scheme *, const double *q, const double *u, double h);

#endif
