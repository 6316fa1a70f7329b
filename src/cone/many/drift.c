/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps that follow their own drift.
 *
 * What sweeps leave in a pile is soon a single slow motion: r_{k+1} - r_k = v_k keeps its direction and shrinks hardly (a flat direction of
 * W), not at all
 * (a self-stress that grows until a contact can bear it: W v = 0), or even grows (the De Saxce term is not monotone), until a contact
 * changes between open, sticking and sliding. Newton's method meets a nearly singular matrix there and goes astray; many thousand sweeps
 * would arrive. Instead, with v, v' of two lots of sweeps, one after the other,
 *
 *     cos(v, v') near 1:   r <- r + t v',    t = min(rho/(1 - rho), t_e),    rho = |v'|/|v|
 *
 * where rho/(1 - rho) is the sum of what is still to come (without end for rho >= 1), and t_e is where several contacts have changed: the
 * next sweeps put right what a few of them were taken too far. Neither matrix nor factors are needed. */
#include "cone/many/system.h"

enum { LOT = 6, CHANGES_LEAST = 3, CHANGES_MOST = 64, CONTACTS_PER_CHANGE = 100 };
#define SAME_WAY 0.97 /* cosine from which on two lots go the same way */
#define WORTH 0.5     /* lots: a jump shorter than this is left to the sweeps */
#define FURTHEST 1e6  /* lots */
#define SLIDES 1e-11  /* of the square of the friction: who is as near as this to its limit slides already */
#define BEYOND 1.0001 /* of the way to a change */

/* Where |r_F + t v_F| = mu (r_N + t v_N) for the first time, t > 0; n rows of friction. */
static double way_to_slip(const double *r, const double *v, int n, double mu) {
    double a = -mu * mu * v[0] * v[0], b = -mu * mu * r[0] * v[0], c = -mu * mu * r[0] * r[0];
    for (int i = 1; i <= n; i++) a += v[i] * v[i], b += r[i] * v[i], c += r[i] * r[i];
    double way = INFINITY, root = b * b - a * c;
    if (!(c < -SLIDES * mu * mu * r[0] * r[0]) || !(root >= 0)) return INFINITY;
    root = sqrt(root);
    /* c < 0: the roots of a t^2 + 2 b t + c are c/(-b +- root) */
    double one = c / (-b - root), two = c / (-b + root);
    if (one > 0) way = one;
    if (two > 0 && two < way) way = two;
    return way;
}

/* Until contact c changes. */
static double way_of(const many_system *s, int c, const double *r, const double *v) {
    if (!(r[0] > 0)) return INFINITY;
    double way = v[0] < 0 ? -r[0] / v[0] : INFINITY;
    if (s->nT > 0 && s->mu[c] > 0) way = smaller(way_to_slip(r, v, s->nT, s->mu[c]), way);
    return way;
}

/* Until several contacts have changed: in a large pile it goes on in many places at a time. */
static double way_to_changes(const many_system *s, const double *r, const double *v) {
    double least[CHANGES_MOST];
    int changes = s->n / CONTACTS_PER_CHANGE;
    changes = changes < CHANGES_LEAST ? CHANGES_LEAST : changes > CHANGES_MOST ? CHANGES_MOST : changes;
    for (int i = 0; i < changes; i++) least[i] = INFINITY;
    for (int c = 0; c < s->n; c++) { /* ascending; the last one is pushed out */
        double way = way_of(s, c, r + c * s->d, v + c * s->d);
        if (!(way < least[changes - 1])) continue;
        int i = changes - 1;
        for (; i > 0 && way < least[i - 1]; i--) least[i] = least[i - 1];
        least[i] = way;
    }
    return least[changes - 1];
}

/* v of the last two lots, in s->x and s->z; s->v is where the last lot began. How many lots to jump over, 0: none. */
static double jump_worth(const many_system *s) {
    double now = many_dot(s->x, s->x, s->m), before = many_dot(s->z, s->z, s->m), both = many_dot(s->x, s->z, s->m);
    if (!(both >= SAME_WAY * sqrt(now * before)) || !(now > 0)) return 0;
    double rho = sqrt(now / before), end = rho < 1 ? rho / (1 - rho) : FURTHEST;
    double t = smaller(smaller(end, BEYOND * way_to_changes(s, s->r, s->x)), FURTHEST);
    return t >= WORTH ? t : 0;
}

bool many_drift(many_system *s, int sweeps) {
    size_t bytes = (size_t)s->m * sizeof(double);
    bool second = false;
    s->has_v = false; /* v, x, z are lent */
    for (int k = 0; k < sweeps && !base_stopped(s->context); k += LOT) {
        memcpy(s->v, s->r, bytes);
        memcpy(s->z, s->x, bytes);
        many_sweep_times(s, LOT, !s->backward);
        if (many_offer_measured(s, s->r, s->u) <= s->settings.residual) return true;
        for (int i = 0; i < s->m; i++) s->x[i] = s->r[i] - s->v[i];
        double t = second ? jump_worth(s) : 0;
        second = t == 0;
        for (int i = 0; i < s->m && t > 0; i++) s->r[i] += t * s->x[i];
        for (int c = 0; c < s->n && t > 0; c++) many_project(s, c, s->r + c * s->d);
    }
    return false;
}
