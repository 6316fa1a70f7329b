/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Seidel over the contacts, each contact solved exactly for its own r:
 *
 *     u = A r + b,   A = W_cc,   b = q_c + sum over the other contacts
 *
 *     b_N >= 0:  r = 0.   Else with  S = A_TT - A_TN A_NT/A_NN,  g = b_T - A_TN b_N/A_NN,
 *     t(l) = -(S + l I)^-1 g,   N(l) = -(b_N + A_NT t)/A_NN,   phi(l) = |t| - mu N
 *     phi(0) <= 0: stick, r = (N(0), t(0)). Else slip: the l > 0 with phi(l) = 0, by Newton within a bracket.
 *
 * The order is that of the contacts, which mostly follows the bodies. By colours, for threads, a pile needs two to six times as many sweeps.
 * S is not made symmetric: where A is not, that would be the solution of another problem. Rolling contacts take steps of a projected
 * gradient instead. */
#include "cone/many/system.h"

enum { ROOT_STEPS = 60, ROLLING_STEPS = 100 };
#define ROOT_ACCURACY 4e-16

#define ALWAYS_INLINE static inline __attribute__((always_inline)) /* the number of rows is known when it is compiled */

ALWAYS_INLINE double size_of(const int n, const double *t) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += t[i] * t[i];
    return sqrt(sum);
}

/* t = -(S + l I)^-1 g for one or two tangential rows; false: singular. */
ALWAYS_INLINE bool tangential(const int nT, const double *S, double l, const double *g, double *t) {
    if (nT == 1) {
        double a = S[0] + l;
        t[0] = -g[0] / a;
        return a > 0;
    }
    double a = S[0] + l, b = S[1], c = S[2], e = S[3] + l, det = a * e - b * c;
    t[0] = -(e * g[0] - b * g[1]) / det;
    t[1] = -(a * g[1] - c * g[0]) / det;
    return det > 0;
}

typedef struct local_problem {
    double mu, A_NN, b_N;
    const double *A_NT; /* 2 */
    double S[4], g[2];
} local_problem;

ALWAYS_INLINE double normal_part(const int nT, const local_problem *p, const double *t) {
    double sum = p->b_N;
    for (int i = 0; i < nT; i++) sum += p->A_NT[i] * t[i];
    return -sum / p->A_NN;
}

/* Slip: the root of phi(l), l > 0. */
ALWAYS_INLINE void slide(const int nT, const local_problem *p, double *N, double *t) {
    double l = 0, low = 0, high = INFINITY;
    for (int step = 0; step < ROOT_STEPS; step++) {
        double size = size_of(nT, t), phi = size - p->mu * *N;
        if (fabs(phi) <= ROOT_ACCURACY * (size + p->mu * fabs(*N))) return;
        if (phi > 0) low = l;
        else high = l;
        double rate[2], slope = 0, normal_rate = 0, next = NAN;
        if (tangential(nT, p->S, l, t, rate) && size > 0) { /* t' = -(S + l I)^-1 t */
            for (int i = 0; i < nT; i++) {
                slope += t[i] * rate[i] / size;
                normal_rate -= p->A_NT[i] * rate[i] / p->A_NN;
            }
            next = l - phi / (slope - p->mu * normal_rate);
        }
        if (!(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 4 * (l > 0 ? l : p->A_NN);
        if (next == l) return;
        l = next;
        tangential(nT, p->S, l, p->g, t);
        *N = normal_part(nT, p, t);
    }
}

ALWAYS_INLINE void solve_coulomb(const int nT, const many_system *s, int c, const double *A, const double *b, double *r) {
    const int d = 1 + nT;
    local_problem p = {.mu = s->mu[c], .A_NN = A[0], .b_N = b[0], .A_NT = A + 1};
    memset(r, 0, (size_t)d * sizeof *r);
    if (!(b[0] < 0) || !(p.A_NN > 0)) return;
    r[0] = -b[0] / p.A_NN;
    if (nT == 0 || p.mu == 0) return;
    for (int i = 0; i < nT; i++) {
        p.g[i] = b[1 + i] - A[(1 + i) * d] * b[0] / p.A_NN;
        for (int j = 0; j < nT; j++) p.S[i * 2 + j] = A[(1 + i) * d + 1 + j] - A[(1 + i) * d] * A[1 + j] / p.A_NN;
    }
    double t[2], N;
    bool regular = tangential(nT, p.S, 0, p.g, t), sticks;
    N = normal_part(nT, &p, t);
    sticks = regular && size_of(nT, t) <= p.mu * N;
    if (!sticks) {
        if (!regular) {
            tangential(nT, p.S, ROOT_ACCURACY * p.A_NN, p.g, t);
            N = normal_part(nT, &p, t);
        }
        slide(nT, &p, &N, t);
    }
    r[0] = N;
    for (int i = 0; i < nT; i++) r[1 + i] = t[i];
    if (!sticks) many_project(s, c, r);
}

static void solve_rolling(const many_system *s, int c, const double *A, const double *b, double *r) {
    int d = s->d;
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
        if (change <= ROOT_ACCURACY * ROOT_ACCURACY * size) return;
    }
}

static void relax(const many_system *s, double *r, int c) {
    int d = s->d;
    const double *A = s->W + (size_t)s->diagonal[c] * (size_t)(d * d);
    double b[CONTACT_ROWS_MOST], *rc = r + c * d;
    many_velocity(s, r, c, b);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) b[i] -= A[i * d + j] * rc[j];
    if (s->nR) solve_rolling(s, c, A, b, rc);
    else if (d == 3) solve_coulomb(2, s, c, A, b, rc);
    else if (d == 2) solve_coulomb(1, s, c, A, b, rc);
    else solve_coulomb(0, s, c, A, b, rc);
}

enum { SWEEPS_BETWEEN_LOOKS = 5, SWEEPS_OF_A_TRIAL = 200, FACTORISATIONS_OF_A_TRIAL = 50, CONTACTS_PER_SWEEP = 8 };
#define NEAR 5           /* times the residual that is wanted */
#define NO_PROGRESS 0.95 /* of the residual: sweeps that leave more are at their end */

/* After a trial: whether the sweeps that it would still take at this rate cost less than the other methods, that is some 50 factorisations, each as much
 * as a sweep for every eight contacts. The residual of sweeps goes up and down: who is near goes on as long as that costs. */
static bool are_worth_it(const many_system *s, int sweeps, double before, double after) {
    if (after <= NEAR * s->settings.residual && sweeps <= FACTORISATIONS_OF_A_TRIAL * s->n / CONTACTS_PER_SWEEP) return true;
    if (!(after <= NO_PROGRESS * before)) return false;
    double needed = SWEEPS_OF_A_TRIAL * log(after / s->settings.residual) / log(before / after);
    return needed <= (double)FACTORISATIONS_OF_A_TRIAL * s->n / CONTACTS_PER_SWEEP;
}

void many_sweep_once(many_system *s, bool forward) {
    for (int c = 0; c < s->n; c++) relax(s, s->r, forward ? c : s->n - 1 - c);
    s->out->sweeps++;
}

/* One sweep forward, one backward, and then all in the direction that leaves less: in piles, whose contacts are listed from below, that matters by a
 * factor of ten. */
bool many_sweep(many_system *s, int sweeps) {
    double before = s->best_residual, after[2] = {INFINITY, INFINITY};
    memcpy(s->r, s->best, (size_t)s->m * sizeof(double));
    for (int k = 1; k <= sweeps && !base_stopped(s->context); k++) {
        bool forward = k == 1 || (k > 2 && after[0] <= after[1]);
        many_sweep_once(s, forward);
        if (k > 2 && k % SWEEPS_BETWEEN_LOOKS != 0 && k != sweeps) continue;
        double residual = many_offer_measured(s, s->r, s->u);
        if (residual <= s->settings.residual) return true;
        if (k <= 2) after[k - 1] = residual;
        if (k % SWEEPS_OF_A_TRIAL != 0) continue;
        if (!are_worth_it(s, k, before, s->best_residual)) return false;
        before = s->best_residual;
    }
    return false;
}
