/* SPDX-License-Identifier: Apache-2.0 */
/* One contact solved exactly for its own r, while the others stay:
 *
 *     u = A r + b,   A = W_cc,   b = q_c + sum over the other contacts
 *
 *     b_N >= 0:  r = 0.   Else with  S = A_TT - A_TN A_NT/A_NN,  g = b_T - A_TN b_N/A_NN,
 *     t(l) = -(S + l I)^-1 g,   N(l) = -(b_N + A_NT t)/A_NN,   phi(l) = |t| - mu N
 *     phi(0) <= 0: stick, r = (N(0), t(0)). Else slip: the l > 0 with phi(l) = 0, by Newton within a bracket.
 *
 * What depends on A alone is kept (many_own), and so is the last l of a contact: from there it is a step or two.
 * In space sweeps have r in vectors of four numbers, one for each contact: what is stored as one vector is loaded by the next contact at
 * once, whereas a load of what was stored in parts would wait until these are in the cache.
 *
 * S is not made symmetric: where A is not, that would be the solution of another problem. Rolling contacts take steps of a projected
 * gradient instead. */
#include "cone/many/velocity.h"

enum { ROOT_STEPS = 60, ROLLING_STEPS = 100 };
#define ROOT_ACCURACY 1e-14
#define ROLLING_ACCURACY 4e-16
#define SHIFT_LEAST 4e-16 /* of A_NN, where S alone is singular */

void many_prepare_own(many_system *s, int first, int last) {
    int d = s->d, nT = s->nT;
    for (int c = first; c < last; c++) {
        const double *A = s->W + (size_t)s->diagonal[c] * (size_t)(d * d);
        many_own *o = &s->own[c];
        *o = (many_own){.over_NN = A[0] > 0 ? 1 / A[0] : 0};
        for (int i = 0; i < nT; i++) {
            o->TN[i] = A[(1 + i) * d] * o->over_NN, o->NT[i] = A[1 + i] * o->over_NN;
            for (int j = 0; j < nT; j++) o->S[i * 2 + j] = A[(1 + i) * d + 1 + j] - o->TN[i] * A[1 + j];
        }
        if (nT < 2) o->S[3] = 1;
        double det = o->S[0] * o->S[3] - o->S[1] * o->S[2];
        o->regular = nT > 0 && det > 0;
        if (!o->regular) continue;
        o->inverse[0] = o->S[3] / det, o->inverse[1] = -o->S[1] / det;
        o->inverse[2] = -o->S[2] / det, o->inverse[3] = o->S[0] / det;
    }
}

/* t = -(S + l I)^-1 g; false: singular. */
ALWAYS_INLINE bool tangential(const int nT, const double *S, double l, const double *g, double *t) {
    if (nT == 1) {
        double a = S[0] + l;
        t[0] = -g[0] / a;
        return a > 0;
    }
    double a = S[0] + l, b = S[1], c = S[2], e = S[3] + l, det = a * e - b * c, factor = -1 / det;
    t[0] = factor * (e * g[0] - b * g[1]);
    t[1] = factor * (a * g[1] - c * g[0]);
    return det > 0;
}

ALWAYS_INLINE double size_of(const int nT, const double *t) { return nT == 1 ? fabs(t[0]) : sqrt(t[0] * t[0] + t[1] * t[1]); }

ALWAYS_INLINE double normal_part(const int nT, const many_own *o, double N, const double *t) {
    for (int i = 0; i < nT; i++) N -= o->NT[i] * t[i];
    return N;
}

/* The root of phi(l), l > 0, from *l on; N: without friction. */
ALWAYS_INLINE void slide(const int nT, const many_own *o, double mu, double N_free, const double *g, double *l, double *N, double *t) {
    double low = 0, high = INFINITY;
    tangential(nT, o->S, *l, g, t);
    *N = normal_part(nT, o, N_free, t);
    for (int step = 0; step < ROOT_STEPS; step++) {
        double size = size_of(nT, t), phi = size - mu * *N;
        if (fabs(phi) <= ROOT_ACCURACY * (size + mu * fabs(*N))) break;
        if (phi > 0) low = *l;
        else high = *l;
        double rate[2], next = NAN;
        if (tangential(nT, o->S, *l, t, rate) && size > 0) { /* t' = -(S + l I)^-1 t */
            double slope = 0;
            for (int i = 0; i < nT; i++) slope += t[i] * rate[i];
            next = *l - phi * size / (slope - mu * size * normal_part(nT, o, 0, rate));
        }
        if (!(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 4 * (*l > 0 ? *l : 1 / o->over_NN);
        if (next == *l) break;
        *l = next;
        tangential(nT, o->S, next, g, t);
        *N = normal_part(nT, o, N_free, t);
    }
    double size = size_of(nT, t), radius = mu * larger(*N, 0);
    for (int i = 0; i < nT && size > radius; i++) t[i] *= radius / size;
    *N = larger(*N, 0);
}

ALWAYS_INLINE void solve_coulomb(const int nT, const many_system *s, int c, const double *b, double *r) {
    const many_own *o = &s->own[c];
    double mu = s->mu[c], N_free = -b[0] * o->over_NN, g[2] = {0}, t[2] = {0}, square = 0;
    for (int i = 0; i <= nT; i++) r[i] = 0;
    if (!(N_free > 0)) return;
    r[0] = N_free;
    if (nT == 0 || mu == 0) return;
    for (int i = 0; i < nT; i++) g[i] = b[1 + i] - o->TN[i] * b[0];
    for (int i = 0; i < nT; i++) {
        for (int j = 0; j < nT; j++) t[i] -= o->inverse[i * 2 + j] * g[j];
        square += t[i] * t[i];
    }
    double N = normal_part(nT, o, N_free, t);
    if (!o->regular || !(N > 0 && square <= mu * mu * N * N)) {
        double *l = &s->slip[c];
        if (!(*l > 0)) *l = o->regular ? 0 : SHIFT_LEAST / o->over_NN;
        slide(nT, o, mu, N_free, g, l, &N, t);
    }
    r[0] = N;
    for (int i = 0; i < nT; i++) r[1 + i] = t[i];
}

static void solve_rolling(const many_system *s, int c, const double *b, double *r) {
    int d = s->d;
    const double *A = s->W + (size_t)s->diagonal[c] * (size_t)(d * d);
    double trace = 0;
    for (int i = 0; i < d; i++) trace += A[i * d + i];
    for (int step = 0; step < ROLLING_STEPS; step++) {
        double z[CONTACT_ROWS_MOST], u[CONTACT_ROWS_MOST], change = 0, size = 0;
        for (int i = 0; i < d; i++) {
            u[i] = b[i];
            for (int j = 0; j < d; j++) u[i] += A[i * d + j] * r[j];
        }
        u[0] += s->mu[c] * many_norm(u + 1, s->nT) + s->nu[c] * many_norm(u + 1 + s->nT, s->nR);
        for (int i = 0; i < d; i++) z[i] = r[i] - 2 / trace * u[i];
        many_project(s, c, z);
        for (int i = 0; i < d; i++) {
            change += (z[i] - r[i]) * (z[i] - r[i]);
            size += z[i] * z[i];
            r[i] = z[i];
        }
        if (change <= ROLLING_ACCURACY * ROLLING_ACCURACY * size) return;
    }
}

ALWAYS_INLINE void relax(const int d, const many_system *s, int c) {
    const double *A = s->W + (size_t)s->diagonal[c] * (size_t)(d * d);
    double b[CONTACT_ROWS_MOST], *rc = s->r + c * d;
    velocity_of(d, s, s->r, c, b);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) b[i] -= A[i * d + j] * rc[j];
    if (d > 3) solve_rolling(s, c, b, rc);
    else solve_coulomb(d - 1, s, c, b, rc);
}

ALWAYS_INLINE void relax_vector(const many_system *s, int c) {
    const double *A = s->W + (size_t)s->diagonal[c] * 9;
    four_there *own = (four_there *)(s->quads + (size_t)c * 4), rc = *own;
    double b[3], r[3];
    velocity_in_space(4, s, s->quads, c, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b[i] -= A[i * 3 + j] * rc[j];
    solve_coulomb(2, s, c, b, r);
    *own = (four_there){r[0], r[1], r[2], 0};
}

#define EACH(what) \
    for (int k = 0, c; k < count && (c = forward ? first + k : first + count - 1 - k, true); k++) what
#define RELAX_ALL(d) EACH(relax(d, s, c))

WIDE static void relax_in_space(const many_system *s, int first, int count, bool forward) { EACH(relax_vector(s, c)); }
WIDE static void relax_in_plane(const many_system *s, int first, int count, bool forward) { RELAX_ALL(2); }

void many_gather(const many_system *s) {
    for (int c = 0; c < s->n && s->d == 3; c++)
        for (int i = 0; i < 4; i++) s->quads[c * 4 + i] = i < 3 ? s->r[c * 3 + i] : 0;
}

void many_scatter(const many_system *s) {
    for (int c = 0; c < s->n && s->d == 3; c++)
        for (int i = 0; i < 3; i++) s->r[c * 3 + i] = s->quads[c * 4 + i];
}

void many_relax(const many_system *s, int first, int count, bool forward) {
    if (s->d == 3) relax_in_space(s, first, count, forward);
    else if (s->d == 2) relax_in_plane(s, first, count, forward);
    else if (s->d == 1) RELAX_ALL(1);
    else RELAX_ALL(5);
}
