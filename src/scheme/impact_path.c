/* SPDX-License-Identifier: Apache-2.0 */
/* The path is straight, and has closed forms, where the direction of friction stays: friction in one direction, stick, slip that
 * begins at gamma = 0, and slip whose direction has settled, dgamma/dp along gamma. Only slip that turns, in two or three directions, is
 * integrated (Dormand and Prince, fifth order, with error control) until it stops or settles, which it does the faster the slower the
 * slip is; events inside a step are found by steps of other lengths from the same start. */
#include "scheme/impact_path.h"

#include "base/size.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Slip has stopped when it is below this part of the terms that it is the sum of. */
static const double STOPPED = 1e-10;
/* Of a step in p: its error of impulses, relative to p. */
static const double STEP_ACCURACY = 1e-11;
/* The direction has settled when changes across the slip are below this part of the largest possible ones. */
static const double SETTLED = 1e-11;
/* A step reduces the slip by at most this part, as the direction may change quickly where it stops. */
static const double MOST_OF_SLIP = 0.5;
enum { MOST_STEPS = 20000, MOST_BISECTIONS = 200 };

/* A point of the path. */
typedef struct place {
    double P[IMPACT_ROWS], W;
} place;

typedef struct walk {
    impact_path *of;
    place now;
    bool straight;                     /* friction keeps the direction below */
    double slope[IMPACT_FRICTION_MAX]; /* dP_F/dp */
    bool expands;
    place turn; /* end of compression */
} walk;

static void rates(const impact_path *o, const double *P, double *c) {
    for (int i = 0; i <= o->dim; i++) {
        c[i] = o->before[i];
        for (int j = 0; j <= o->dim; j++) c[i] += o->D[i][j] * P[j];
    }
}

/* Slower slip counts as zero. */
static double still(const impact_path *o, const double *P) {
    double size = fabs(o->before[0]);
    for (int i = 1; i <= o->dim; i++) {
        double sum = fabs(o->before[i]);
        for (int j = 0; j <= o->dim; j++) sum += fabs(o->D[i][j] * P[j]);
        size = larger(size, sum);
    }
    return STOPPED * size;
}

static double length(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* dc_i/dp for a slope of friction. */
static double slope_of(const impact_path *o, int i, const double *s) {
    double sum = o->D[i][0];
    for (int j = 0; j < o->dim; j++) sum += o->D[i][j + 1] * s[j];
    return sum;
}

/* (a D_FF + k 1) z = D_FN; false: singular. */
static bool solve_tangent(const impact_path *o, double a, double k, double *z) {
    double A[IMPACT_FRICTION_MAX * IMPACT_FRICTION_MAX];
    int n = o->dim, pivot[IMPACT_FRICTION_MAX];
    for (int j = 0; j < n; j++) {
        z[j] = o->D[j + 1][0];
        for (int i = 0; i < n; i++) A[i + j * n] = a * o->D[i + 1][j + 1] + (i == j ? k : 0);
    }
    if (lin_dense_lu_factor(n, A, pivot) != 0) return false;
    lin_dense_lu_solve(n, A, pivot, z, 1);
    return isfinite(length(n, z));
}

/* From gamma = 0: stick, or slip along the d with D_FN - mu D_FF d = k d. |(mu D_FF + k)^-1 D_FN| falls with k, from above 1. */
static bool leave_rest(walk *w) {
    const impact_path *o = w->of;
    double z[IMPACT_FRICTION_MAX], low = 0, high = 0;
    w->straight = true;
    for (int i = 0; i < o->dim; i++) {
        w->slope[i] = 0;
        high += fabs(o->D[i + 1][0]);
    }
    if (high == 0) return true;
    if (solve_tangent(o, 1, 0, z) && length(o->dim, z) <= o->mu) {
        for (int i = 0; i < o->dim; i++) w->slope[i] = -z[i];
        return true;
    }
    for (int i = 0; i < MOST_BISECTIONS && low < high; i++) {
        double k = (low + high) / 2;
        if (k == low || k == high) break;
        if (!solve_tangent(o, o->mu, k, z)) return false;
        if (length(o->dim, z) > 1) low = k;
        else high = k;
    }
    if (!solve_tangent(o, o->mu, high, z)) return false;
    double size = length(o->dim, z);
    for (int i = 0; i < o->dim; i++) w->slope[i] = size > 0 ? -o->mu * z[i] / size : 0;
    return true;
}

/* How much further in p the impact ends on a straight path from rates gdot, dgdot/dp = b; INFINITY: not there. */
static double end_of(const walk *w, double gdot, double b) {
    const impact_path *o = w->of;
    if (!w->expands) return b > 0 ? -gdot / b : INFINITY;
    if (!o->energetic) return o->e * w->turn.P[0] - (w->now.P[0] - w->turn.P[0]);
    double left = -o->e * o->e * w->turn.W - (w->now.W - w->turn.W), root = gdot * gdot + 2 * b * left;
    if (!(left > 0)) return 0;
    return root >= 0 ? 2 * left / (gdot + sqrt(root)) : INFINITY;
}

/* The end of compression is noted; true: the impact is over. */
static bool finish(walk *w) {
    if (w->expands) return true;
    w->expands = true;
    w->turn = w->now;
    return false;
}

/* As far as the direction of friction stays, at most to `stop`, where slip ends. 1: the impact is over; 0: goes on; -1: never ends. */
static int go_straight(walk *w, double stop) {
    const impact_path *o = w->of;
    double c[IMPACT_ROWS];
    rates(o, w->now.P, c);
    double b = slope_of(o, 0, w->slope), end = end_of(w, c[0], b), back = w->expands && b < 0 ? -c[0] / b : INFINITY;
    double x = smaller(end, smaller(stop, back));
    if (!isfinite(x)) return -1;
    w->now.P[0] += x;
    w->now.W += x * (c[0] + b * x / 2);
    for (int i = 0; i < o->dim; i++) w->now.P[i + 1] += x * w->slope[i];
    if (x == end) return finish(w);
    if (x == stop) return leave_rest(w) ? 0 : -1;
    w->expands = false;
    return 0;
}

/* ---- slip that turns ---- */

/* d(P_F, W)/dp */
static void derivative(const impact_path *o, const place *at, double *d) {
    double c[IMPACT_ROWS];
    rates(o, at->P, c);
    double slip = length(o->dim, c + 1);
    for (int i = 0; i < o->dim; i++) d[i] = slip > 0 ? -o->mu * c[i + 1] / slip : 0;
    d[o->dim] = c[0];
}

/* A step of x; returns the error of impulses. */
static double step(const impact_path *o, const place *from, double x, place *to) {
    static const double A[7][6] = {{0},
                                   {1. / 5},
                                   {3. / 40, 9. / 40},
                                   {44. / 45, -56. / 15, 32. / 9},
                                   {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                   {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                   {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
    static const double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
    static const double E[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
    double k[7][IMPACT_ROWS], error = 0;
    for (int i = 0; i < 7; i++) {
        *to = *from;
        to->P[0] += c[i] * x;
        for (int j = 0; j < i; j++) {
            for (int r = 0; r < o->dim; r++) to->P[r + 1] += x * A[i][j] * k[j][r];
            to->W += x * A[i][j] * k[j][o->dim];
        }
        derivative(o, to, k[i]);
    }
    for (int r = 0; r < o->dim; r++) {
        double sum = 0;
        for (int i = 0; i < 7; i++) sum += E[i] * k[i][r];
        error = larger(error, fabs(x * sum));
    }
    return error;
}

static double gdot(const walk *w, const place *at) {
    double c[IMPACT_ROWS];
    rates(w->of, at->P, c);
    return c[0];
}

/* Positive: beyond the end of the phase. */
static double beyond(const walk *w, const place *at) {
    const impact_path *o = w->of;
    if (w->expands && o->energetic) return at->W - w->turn.W + o->e * o->e * w->turn.W;
    if (w->expands) return at->P[0] - (1 + o->e) * w->turn.P[0];
    return gdot(w, at);
}

/* Where the phase ends within a step of x, which is beyond that; or where an expansion turns into compression again, gdot < 0. */
static place land(const walk *w, double x, bool again) {
    place at = w->now;
    double low = 0, high = x;
    for (int i = 0; i < MOST_BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (middle == low || middle == high) break;
        step(w->of, &w->now, middle, &at);
        if (again ? gdot(w, &at) < 0 : beyond(w, &at) > 0) high = middle;
        else low = middle;
    }
    step(w->of, &w->now, high, &at);
    return at;
}

/* After a step of x that leads to `next`. */
static int arrive(walk *w, double x, const place *next) {
    bool again = w->expands && gdot(w, next) < 0;
    place there = again ? land(w, x, true) : *next;
    if (beyond(w, &there) > 0) {
        w->now = land(w, x, false);
        return finish(w);
    }
    w->now = there;
    if (again) w->expands = false;
    return 0;
}

/* One step of slip, or all of it where it does not turn; as go_straight. *x: length to try, then of the next one. */
static int go_around(walk *w, double *x) {
    const impact_path *o = w->of;
    double c[IMPACT_ROWS], d[IMPACT_ROWS], change[IMPACT_FRICTION_MAX], along = 0, could = 0, across = 0;
    rates(o, w->now.P, c);
    double slip = length(o->dim, c + 1);
    if (slip <= still(o, w->now.P)) return leave_rest(w) ? 0 : -1;
    derivative(o, &w->now, d);
    for (int i = 0; i < o->dim; i++) {
        change[i] = slope_of(o, i + 1, d);
        along += change[i] * c[i + 1] / slip;
        could += fabs(o->D[i + 1][0]) + o->mu * o->D[i + 1][i + 1];
    }
    for (int i = 0; i < o->dim; i++) across = larger(across, fabs(change[i] - along * c[i + 1] / slip));
    if (o->dim == 1 || across <= SETTLED * could) {
        memcpy(w->slope, d, (size_t)o->dim * sizeof *d);
        return go_straight(w, along < 0 ? -slip / along : INFINITY);
    }
    double fastest = length(o->dim, change), end = end_of(w, c[0], slope_of(o, 0, d));
    double most = fastest > 0 ? MOST_OF_SLIP * slip / fastest : INFINITY;
    if (!(*x > 0)) *x = smaller(most, end);
    if (!isfinite(*x)) return -1;
    for (int tries = 0; tries < MOST_BISECTIONS; tries++) {
        place next;
        double h = smaller(*x, most), allowed = STEP_ACCURACY * (w->now.P[0] + h), error = step(o, &w->now, h, &next);
        double factor = error > 0 ? smaller(5, larger(0.2, 0.9 * pow(allowed / error, 0.2))) : 5;
        *x = h * factor;
        if (!(error <= allowed)) continue;
        return arrive(w, h, &next);
    }
    return -1;
}

bool impact_path_follow(impact_path *o) {
    walk w = {.of = o};
    double x = 0;
    int over = 0;
    if (o->dim == 0) w.straight = true;
    for (int i = 0; i < MOST_STEPS && over == 0; i++) over = w.straight ? go_straight(&w, INFINITY) : go_around(&w, &x);
    memcpy(o->P, w.now.P, sizeof o->P);
    rates(o, o->P, o->after);
    o->compression = w.turn.W;
    o->expansion = w.now.W - w.turn.W;
    return over == 1 && isfinite(length(IMPACT_ROWS, o->P)) && isfinite(length(o->dim + 1, o->after));
}
