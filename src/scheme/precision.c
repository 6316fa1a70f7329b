/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/precision.h"

#include <float.h>

/* What gaps and joints lose, relative to the largest coordinate. */
static const double length_roundoff = 32 * DBL_EPSILON;
/* Points of the test for noise are some hundred units in the last place apart. */
static const double probe_distance = 512 * DBL_EPSILON;

double scheme_length_weight(const zn_model *model, const double *q, double tolerance, double wish) {
    return larger(1, smaller(wish, tolerance / (length_roundoff * largest_size(model->size.nq, q, 1))));
}

cone_expected scheme_expects(const scheme *s, const double *q, const double *u, double h) {
    if (!(s->noise > 0)) return (cone_expected){0};
    double length = probe_distance * largest_size(s->model->size.nq, q, 1), velocity = probe_distance * largest_size(s->model->size.nu, u, 1);
    return (cone_expected){.noise = s->noise, .length = length, .velocity = larger(velocity, length / h)};
}
