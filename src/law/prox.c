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

/* Outside: p = r n with n = a/|a|, so dp/da = r/|a| (1 - n n') and dp/dr = n. */
void law_prox_ball_jacobian(int dim, double radius, const double *a, double *p_a, double *p_radius) {
    double length = norm(dim, a);
    bool inside = length <= larger(radius, 0), flat = radius < 0;
    for (int j = 0; j < dim; j++) {
        double n_j = inside ? 0 : a[j] / length;
        p_radius[j] = flat ? 0 : n_j;
        for (int i = 0; i < dim; i++) {
            double n_i = inside ? 0 : a[i] / length;
            double identity = i == j;
            p_a[i + dim * j] = inside ? identity : flat ? 0 : radius / length * (identity - n_i * n_j);
        }
    }
}
