/* SPDX-License-Identifier: Apache-2.0 */
/* The next guess of the length of a sub-step at whose end an event function phi is zero. phi(h) is known at some h, falling from lo to hi.
 *
 *   rate known     first the cubic through values and rates at both ends; then from the point x nearest to the root, z the next one,
 *                    kappa = (phi_x - phi_z)/((x - z)(phi'_x + phi'_z)/2)       the slope of the numerical map is phi' up to O(h^p)
 *                    d = -phi_x/(kappa phi'_x),  h = x + d/(1 + c d/2),  c = (phi'_x - phi'_z)/((x - z) phi'_x)
 *   not known      the polynomial h(phi) through up to four values nearest to zero
 *
 * What leaves the bracket is replaced by the secant, and that by the middle. */
#include "sim/located.h"

enum { BISECTIONS = 60, MOST_POINTS = 4 };
/* Of the larger end value: a start below this is a start at zero. */
static const double at_zero = 1e-9;

typedef struct cubic {
    double f, d, b, a; /* f + d x + b x^2 + a x^3 */
} cubic;

static cubic hermite(double h, double f0, double d0, double f1, double d1) {
    double slope = (f1 - f0) / h;
    return (cubic){f0, d0, (3 * slope - 2 * d0 - d1) / h, (d0 + d1 - 2 * slope) / (h * h)};
}

static double value(const cubic *c, double x) { return c->f + x * (c->d + x * (c->b + x * c->a)); }

double locate_cubic(double h, double f0, double d0, double f1, double d1) {
    cubic c = hermite(h, f0, d0, f1, d1);
    bool zero = fabs(f0) <= at_zero * fabs(f1) && (d0 > 0 || c.b > 0); /* it leaves zero: that root is divided out */
    double low = 0, high = h;
    if (!(f1 < 0) || (!zero && !(f0 > 0))) return NAN;
    for (int i = 0; i < BISECTIONS; i++) {
        double x = (low + high) / 2, y = zero ? c.d + x * (c.b + x * c.a) : value(&c, x);
        if (y > 0) low = x;
        else high = x;
    }
    return (low + high) / 2;
}

double locate_dip(double h, double f0, double d0, double f1, double d1, double *least) {
    cubic c = hermite(h, f0, d0, f1, d1);
    double low = 0, high = h;
    if (!(d0 < 0) || !(d1 > 0)) return NAN;
    for (int i = 0; i < BISECTIONS; i++) {
        double x = (low + high) / 2;
        if (c.d + x * (2 * c.b + 3 * x * c.a) < 0) low = x;
        else high = x;
    }
    *least = value(&c, low);
    return low;
}

/* The `count` samples with the smallest |phi| into `order`. */
static int nearest_samples(const event_sample *s, int n, int event, int count, int *order) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(s[i].phi[event]);
        int at = found;
        if (!(size < INFINITY)) continue;
        while (at > 0 && size < fabs(s[order[at - 1]].phi[event])) at--;
        if (at >= count) continue;
        if (found < count) found++;
        for (int j = found - 1; j > at; j--) order[j] = order[j - 1];
        order[at] = i;
    }
    return found;
}

static double by_rates(const event_sample *s, int n, int event) {
    int order[2];
    if (nearest_samples(s, n, event, 2, order) < 2) return NAN;
    double x = s[order[0]].h, z = s[order[1]].h, fx = s[order[0]].phi[event], fz = s[order[1]].phi[event];
    double dx = s[order[0]].rate[event], dz = s[order[1]].rate[event];
    double kappa = (fx - fz) / ((x - z) * (dx + dz) / 2), d = -fx / (kappa * dx), c = (dx - dz) / ((x - z) * dx);
    return dx < 0 && dz < 0 ? x + d / (1 + c * d / 2) : NAN;
}

/* Neville's scheme for h(phi) at phi = 0. */
static double by_values(const event_sample *s, int n, int event) {
    int order[MOST_POINTS], count = nearest_samples(s, n, event, MOST_POINTS, order);
    double h[MOST_POINTS], f[MOST_POINTS];
    for (int i = 0; i < count; i++) h[i] = s[order[i]].h, f[i] = s[order[i]].phi[event];
    for (int k = 1; k < count; k++)
        for (int i = 0; i + k < count; i++) h[i] = (f[i] * h[i + 1] - f[i + k] * h[i]) / (f[i] - f[i + k]);
    return count > 1 ? h[0] : NAN;
}

static bool inside(double h, double lo, double hi) { return h > lo && h < hi; }

static const event_sample *sample_at(const event_sample *s, int n, double h) {
    for (int i = n - 1; i >= 0; i--)
        if (s[i].h == h) return &s[i];
    return NULL;
}

double locate_guess(const event_sample *s, int n, int event, double lo, double hi) {
    const event_sample *a = sample_at(s, n, lo), *b = sample_at(s, n, hi);
    double guess = NAN, middle = (lo + hi) / 2;
    if (!a || !b) return middle;
    double fa = a->phi[event], fb = b->phi[event];
    bool rates = isfinite(a->rate[event]) && isfinite(b->rate[event]);
    if (rates && n > 2) guess = by_rates(s, n, event);
    if (rates && !inside(guess, lo, hi)) guess = lo + locate_cubic(hi - lo, fa, a->rate[event], fb, b->rate[event]);
    if (!rates) guess = by_values(s, n, event);
    if (!inside(guess, lo, hi) && fa > at_zero * fabs(fb)) guess = lo + (hi - lo) * fa / (fa - fb);
    return inside(guess, lo, hi) ? guess : middle;
}
