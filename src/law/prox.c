/* SPDX-License-Identifier: Apache-2.0 */
/* Projections onto balls. Norms are computed with a scale so that huge and tiny arguments neither overflow nor vanish. */
#include "law/law.h"

static double norm(int dim, const double *a) {
    double largest = 0, sum = 0;
    for (int i = 0; i < dim; i++) largest = larger(largest, fabs(a[i]));
    if (!(largest > 0) || isinf(largest)) return largest;
    for (int i = 0; i < dim; i++) sum += (a[i] / largest) * (a[i] / largest);
    return largest * sqrt(sum);
}

bool law_prox_ball(int dim, double radius, const double *a, double *p) {
    double length = norm(dim, a);
    if (radius < 0) radius = 0;
    bool inside = length <= radius;
    for (int i = 0; i < dim; i++) p[i] = inside ? a[i] : radius * (a[i] / length);
    return inside;
}
