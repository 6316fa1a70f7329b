/* SPDX-License-Identifier: Apache-2.0 */
/* The projection onto K = {|z_T| <= mu t, |z_R| <= mu_R t, t = z_N}: for given t the parts are cut to their radii, and t solves
 *
 *     g(t) = t - z_N - mu (|z_T| - mu t)_+ - mu_R (|z_R| - mu_R t)_+ = 0,   t >= 0
 *
 * g is increasing and linear between the kinks |z_T|/mu and |z_R|/mu_R. */
#include "cone/discrete_measure.h"

#include <math.h>
#include <string.h>

double cone_measure_norm(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* The zero of g where the parts with active flags are cut. */
static double zero_for(double z_N, double a, double mu, int cut_a, double b, double nu, int cut_b) {
    double sum = z_N, slope = 1;
    if (cut_a) {
        sum += mu * a;
        slope += mu * mu;
    }
    if (cut_b) {
        sum += nu * b;
        slope += nu * nu;
    }
    return sum / slope;
}

static void cut(double *z, int n, double length, double radius) {
    if (length <= radius) return;
    for (int i = 0; i < n; i++) z[i] *= radius / length;
}

void cone_measure_project(int nT, double mu, int nR, double mu_rolling, double *z) {
    double a = cone_measure_norm(z + 1, nT), b = cone_measure_norm(z + 1 + nT, nR), t = 0;
    for (int combination = 0; combination < 4; combination++) {
        int cut_a = combination & 1, cut_b = combination >> 1;
        t = zero_for(z[0], a, mu, cut_a, b, mu_rolling, cut_b);
        int is_a = a > mu * t, is_b = b > mu_rolling * t;
        if (is_a == cut_a && is_b == cut_b) break;
    }
    if (!(t > 0)) {
        memset(z, 0, (size_t)(1 + nT + nR) * sizeof *z);
        return;
    }
    z[0] = t;
    cut(z + 1, nT, a, mu * t);
    cut(z + 1 + nT, nR, b, mu_rolling * t);
}

double cone_measure_natural_map(int dim, int n, const double *mu, const double *mu_rolling, const double *u, const double *r) {
    double sum = 0;
    int nT = dim == 5 ? 2 : dim - 1, nR = dim == 5 ? 2 : 0;
    for (int c = 0; c < n; c++) {
        const double *uc = u + c * dim, *rc = r + c * dim;
        double z[5], m = mu ? mu[c] : 0, m_R = mu_rolling ? mu_rolling[c] : 0;
        for (int i = 0; i < dim; i++) z[i] = rc[i] - uc[i];
        z[0] -= m * cone_measure_norm(uc + 1, nT) + m_R * cone_measure_norm(uc + 1 + nT, nR);
        cone_measure_project(nT, m, nR, m_R, z);
        for (int i = 0; i < dim; i++) sum += (rc[i] - z[i]) * (rc[i] - z[i]);
    }
    return sqrt(sum);
}
