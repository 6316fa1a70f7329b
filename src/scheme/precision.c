/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/precision.h"

static double largest(int n, const double *x) {
    double most = largest_size(n, x, 0);
    return most == 0 ? 1 : most;
}

cone_expected scheme_expects(const scheme *s, const double *q, const double *u, double h) {
    if (!(s->noise > 0)) return (cone_expected){.hopeless = s->hopeless};
    double length = CONE_PROBE_SHARE * largest(s->model->size.nq, q), velocity = CONE_PROBE_SHARE * largest(s->model->size.nu, u);
    return (cone_expected){.hopeless = s->hopeless, .noise = s->noise, .length = length, .velocity = larger(velocity, length / h)};
}
