/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/precision.h"

#include <float.h>

/* Points of the test for noise are some hundred units in the last place apart. */
static const double probe_distance = 512 * DBL_EPSILON;

static double largest(int n, const double *x) {
    double most = largest_size(n, x, 0);
    return most == 0 ? 1 : most;
}

cone_expected scheme_expects(const scheme *s, const double *q, const double *u, double h) {
    if (!(s->noise > 0)) return (cone_expected){.hopeless = s->hopeless};
    double length = probe_distance * largest(s->model->size.nq, q), velocity = probe_distance * largest(s->model->size.nu, u);
    return (cone_expected){.hopeless = s->hopeless, .noise = s->noise, .length = length, .velocity = larger(velocity, length / h)};
}
