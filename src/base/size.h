/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima and norms that keep NaN: NaN in, NaN out, in whatever order. fmax drops a NaN, and so does
 * `if (!(size <= worst)) worst = size` at the next finite size; the layout test refuses both. Every maximum, minimum and largest entry
 * is taken by these, or by sums, which keep a NaN anyway. */
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include <math.h>
#include <stdbool.h>

/* Whether x takes the place of the worst so far: it is larger, or the first NaN. */
static inline bool is_worse(double x, double worst) { return x > worst || (isnan(x) && !isnan(worst)); }

static inline double larger(double a, double b) { return a > b || isnan(a) ? a : b; }
static inline double smaller(double a, double b) { return a < b || isnan(a) ? a : b; }

/* The larger of numbers that are checked for NaN elsewhere: half the cost. */
static inline double larger_finite(double a, double b) { return a > b ? a : b; }

/* The largest of |x[0]| .. |x[n - 1]| and `least`. */
static inline double largest_size(int n, const double *x, double least) {
    for (int i = 0; i < n; i++) least = larger(fabs(x[i]), least);
    return least;
}

static inline double dot_product(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline double length_of(int n, const double *v) { return sqrt(dot_product(n, v, v)); }

/* Neither NaN nor infinite, all of them. 0 x is NaN for both. */
static inline bool all_finite(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += 0 * x[i];
    return sum == 0;
}

#endif
