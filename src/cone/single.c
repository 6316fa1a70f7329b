/* SPDX-License-Identifier: Apache-2.0 */
/* A single contact, alone in the problem, with at most one ball of one or two rows: its linearised inclusion psi = b + D mu has
 * closed forms, which most small systems need in most steps.
 *
 *     open     mu = 0                 b_N >= 0
 *     stick    D mu = -b              mu_N >= 0, |mu_F| <= m mu_N
 *     slip     mu_F = -m mu_N d       mu_N = -b_N/(D_NN - m D_NF d),  psi_F = b_F + (D_FN - m D_FF d) mu_N  along d, |d| = 1
 *              one row: d = +-1;  two rows: Newton in the angle of d for psi_F x d = 0
 *
 * A contact that slips in the plane by its mode has the last case whatever the signs are (other modes: frozen.c).
 *
 * Only where D_NN > m |D_NF|: then the normal force decides nothing twice (no Painleve), and the order of the cases is free. */
#include "cone/solver.h"

typedef struct single {
    int row[3], psi[3], n; /* rows of mu and of psi: normal, friction */
    double m;              /* coefficient of friction */
    double b[3], D[3][3];  /* D[i][j] = d psi_i/d mu_j */
    double mu[3];
    bool slips;
    bool frozen; /* it slips by its mode, along psi_F */
} single;

static bool all_zero(const double *v, int first, int count) {
    for (int i = 0; i < count; i++)
        if (v[first + i] != 0) return false;
    return true;
}

static int ball_rows(const cone *c) {
    int rows = 0;
    for (int b = 0; b < c->n_balls; b++) rows += c->balls[b].dim;
    return rows;
}

/* Closed, and its one ball slips along a direction that is its own. */
static bool turns_by_mode(const cone *c) {
    bool own = c->psi_D < 0 || c->psi_D == c->psi_F;
    return c->frozen->normal == CONE_CLOSED && c->n_balls == 1 && c->balls[0].dim == 2 && c->frozen->ball[0] == CONE_SLIP && own &&
           !cone_begins(c, 0);
}

static bool add_cone(const cone *c, single *o) {
    o->frozen = cone_is_frozen(c);
    if (o->frozen && !turns_by_mode(c)) return false;
    if (c->psi_N >= 0) {
        if (o->n > 0) return false;
        o->row[0] = c->mu_N, o->psi[0] = c->psi_N, o->n = 1;
    }
    if (c->n_balls == 0) return true;
    if (o->n != 1 || c->n_balls > 1 || c->balls[0].dim > 2 || c->stick_of != -1 || c->mu_R != o->row[0] || c->radius_0 != 0) return false;
    for (int i = 0; i < c->balls[0].dim; i++, o->n++) o->row[o->n] = c->mu_F + i, o->psi[o->n] = c->psi_F + i;
    o->m = c->balls[0].mu;
    return true;
}

/* The one contact that is on; false when there are more, or when it is not of this simple form. */
static bool find(const cone_solver *s, single *o) {
    const cone_problem *p = s->p;
    *o = (single){0};
    if (p->A.start || p->mu_0) return false;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        if (c->gate_kind == CONE_OFF) {
            if ((c->psi_N >= 0 && s->mu[c->mu_N] != 0) || !all_zero(s->mu, c->mu_F, ball_rows(c))) return false;
        } else if (c->gate_kind != CONE_ALWAYS || !add_cone(c, o)) return false;
    }
    return o->n > 0;
}

static bool stick(single *o) {
    double a[9], z[3];
    int pivot[3], n = o->n;
    for (int i = 0; i < n; i++) {
        z[i] = -o->b[i];
        for (int j = 0; j < n; j++) a[i + j * n] = o->D[i][j];
    }
    if (lin_dense_lu_factor(n, a, pivot) != 0) return false;
    lin_dense_lu_solve(n, a, pivot, z, 1);
    double squared = 0, most = o->m * z[0];
    for (int i = 1; i < n; i++) squared += z[i] * z[i];
    if (!(z[0] >= 0 && squared <= most * most)) return false;
    memcpy(o->mu, z, sizeof z);
    return true;
}

/* mu and psi_F for a direction of slip. */
static void slide(single *o, const double *d, double *psi) {
    double denominator = o->D[0][0];
    for (int i = 1; i < o->n; i++) denominator -= o->m * o->D[0][i] * d[i - 1];
    o->mu[0] = -o->b[0] / denominator;
    for (int i = 1; i < o->n; i++) o->mu[i] = -o->m * o->mu[0] * d[i - 1];
    for (int i = 1; i < o->n; i++) {
        psi[i - 1] = o->b[i];
        for (int j = 0; j < o->n; j++) psi[i - 1] += o->D[i][j] * o->mu[j];
    }
}

static bool slip_line(single *o) {
    double psi;
    o->slips = true;
    for (int sign = -1; sign <= 1; sign += 2) {
        slide(o, &(double){sign}, &psi);
        if (psi * sign >= 0) return true;
    }
    return false;
}

enum { MOST_TURNS = 20 };
/* Newton squares the error: from this angle on one more turn makes it round-off. */
static const double last_turn = 1e-8;

/* Newton for f = p x d = 0 in the angle of d, with p = psi_F times the denominator of mu_N, which is positive:
 *     p = b_F c - b_N w,   c = D_NN - m D_NF d,   w = D_FN - m D_FF d,   and p' with d' = (-d_2, d_1) in place of d, D_NN = D_FN = 0. */
static bool slip_plane(single *o) {
    double d[2], (*D)[3] = o->D, m = o->m, normal = o->b[0], ignored[2];
    for (int i = 0; i < 2; i++) d[i] = o->b[i + 1] * D[0][0] - D[i + 1][0] * normal; /* slip without friction */
    double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(length > 0) || isinf(length)) return false;
    d[0] /= length, d[1] /= length;
    o->slips = true;
    for (int k = 0; k < MOST_TURNS; k++) {
        double turned[2] = {-d[1], d[0]}, p[2], dp[2];
        double c = D[0][0] - m * (D[0][1] * d[0] + D[0][2] * d[1]), dc = -m * (D[0][1] * turned[0] + D[0][2] * turned[1]);
        for (int i = 0; i < 2; i++) {
            const double *row = D[i + 1];
            p[i] = o->b[i + 1] * c - normal * (row[0] - m * (row[1] * d[0] + row[2] * d[1]));
            dp[i] = o->b[i + 1] * dc + normal * m * (row[1] * turned[0] + row[2] * turned[1]);
        }
        double f = p[0] * d[1] - p[1] * d[0], along = p[0] * d[0] + p[1] * d[1];
        bool last = fabs(f) <= last_turn * fabs(along);
        if (last && !(along > 0)) return false;
        double angle = -f / (dp[0] * d[1] - dp[1] * d[0] + along);
        if (!(fabs(angle) < 1)) angle = copysign(0.5, f);         /* far off: turn towards psi_F */
        double half = angle * angle / 4, shrink = 1 / (1 + half); /* a rotation by 2 arctan(angle/2) */
        for (int i = 0; i < 2; i++) d[i] = ((1 - half) * d[i] + angle * turned[i]) * shrink;
        if (last) break;
    }
    slide(o, d, ignored);
    return true; /* the caller measures it */
}

/* b and D; false: the normal force does not decide alone. */
static bool gather(cone_solver *s, single *o) {
    cone_need_columns(s, o->n, o->row);
    for (int j = 0; j < o->n; j++) {
        const double *column = s->D + (size_t)o->row[j] * (size_t)s->p->npsi;
        for (int i = 0; i < o->n; i++) o->D[i][j] = column[o->psi[i]];
    }
    double coupling = 0;
    for (int i = 0; i < o->n; i++) {
        o->b[i] = s->psi_free[o->psi[i]];
        for (int j = 0; j < o->n; j++) o->b[i] -= o->D[i][j] * s->mu[o->row[j]];
        if (i > 0) coupling += o->D[0][i] * o->D[0][i];
    }
    return o->D[0][0] > o->m * sqrt(coupling);
}

/* Largest row of the residual (rows.c) in the state found, scaled as cone_row_norm does. */
static double remainder_of(const cone_solver *s, const single *o) {
    double psi[3], a[3] = {0}, squared = 0, worst = 0;
    for (int i = 0; i < o->n; i++) {
        psi[i] = o->b[i];
        for (int j = 0; j < o->n; j++) psi[i] += o->D[i][j] * o->mu[j];
        a[i] = o->frozen ? psi[i] : s->rho[o->row[i]] * psi[i] - o->mu[i];
        if (i > 0) squared += a[i] * a[i];
    }
    double turn = o->slips && squared > 0 ? o->m * o->mu[0] / sqrt(squared) : 0; /* R_F = mu_F + r a_F/|a_F| */
    for (int i = 0; i < o->n; i++) {
        bool slip = o->slips && i > 0;
        double size = slip ? fabs(o->mu[i] + turn * a[i]) * s->row_scale[2 * o->row[i] + 1] : fabs(psi[i]) * s->row_scale[2 * o->row[i]];
        worst = larger(size, worst);
    }
    return worst;
}

static bool no_force(const cone_solver *s, const single *o) {
    for (int i = 0; i < o->n; i++)
        if (s->mu[o->row[i]] != 0) return false;
    return true;
}

bool cone_solve_single(cone_solver *s, double *dy, double *norm) {
    single o;
    if (!find(s, &o)) return false;
    memset(dy, 0, (size_t)s->p->ny * sizeof *dy);
    *norm = 0;
    if (!o.frozen && s->psi_free[o.psi[0]] >= 0 && no_force(s, &o)) return true; /* open as it was: needs no D */
    if (!gather(s, &o)) return false;
    bool open = !o.frozen && o.b[0] >= 0;
    if (!open && (o.frozen || !stick(&o)) && !(o.n == 2 ? slip_line(&o) : o.n == 3 && slip_plane(&o))) return false;
    if (!open) *norm = remainder_of(s, &o);
    for (int i = 0; i < o.n; i++) dy[o.row[i]] = o.mu[i] - s->mu[o.row[i]];
    return true;
}
