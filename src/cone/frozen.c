/* SPDX-License-Identifier: Apache-2.0 */
/* A few contacts that all have modes: the linearised inclusions psi + D dmu are linear equations,
 *
 *     closed, stick    psi + D dmu = 0
 *     slip             mu_F + dmu_F = -m r d,   r = r_0 + mu_N + dmu_N          d: a sign of the mode, or a direction that does not depend
 * on mu
 *
 * which are solved by elimination of dmu_F and then of one row after the other. Not where rows are nearly dependent, or where directions
 * turn with mu. */
#include "cone/solver.h"

enum { MOST = 8 };
/* In units in which the diagonal is about 1: what must be left of a column, else rows depend on each other. Of the largest entry of a
 * column: the diagonal is taken. */
static const double LEAST_PIVOT = 1e-6, OWN_SHARE = 0.1;
/* Of the tolerance: what may be left after the solve. */
static const double ENOUGH_SHARE = 0.5;

typedef struct frozen_row {
    int mu, psi;         /* psi: -1 for slip */
    int radius;          /* slip: the place of mu_N in the list, or -1 */
    double along, error; /* slip: m d; what mu_F lacks */
    int turn;            /* the row of psi that d comes from, which must not depend on mu; -1: from none */
    double scale;        /* of psi, or of mu_F */
    double weight;       /* rho^(1/2): takes the units off the equations */
} frozen_row;

/* The linearised problem at mu. */
typedef struct linear_point {
    const cone_problem *p;
    const double *mu, *psi, *D; /* D by columns */
    int rows;                   /* of D: rows of psi beyond do not depend on mu */
} linear_point;

typedef struct system_of_modes {
    int n;
    bool slips; /* some ball */
    frozen_row row[MOST];
    double a[MOST][MOST], z[MOST]; /* rows of psi */
    double D[MOST][MOST], dmu[MOST];
} system_of_modes;

static bool is_zero(const double *v, int count) {
    for (int i = 0; i < count; i++)
        if (v[i] != 0) return false;
    return true;
}

static int place_of(const system_of_modes *o, int mu) {
    for (int i = 0; i < o->n; i++)
        if (o->row[i].mu == mu) return i;
    return -1;
}

static bool turns(const cone *c, int b) { return c->balls[b].dim > 1 && !cone_begins(c, b); }

/* d of a ball that slips. */
static void direct(const linear_point *at, const cone *c, int b, int offset, double *d) {
    int dim = c->balls[b].dim;
    double squared = 0;
    memcpy(d, c->frozen->along + offset, (size_t)dim * sizeof *d);
    if (!turns(c, b)) return;
    const double *v = at->psi + (c->psi_D >= 0 ? c->psi_D : c->psi_F) + offset;
    for (int i = 0; i < dim; i++) squared += v[i] * v[i];
    for (int i = 0; i < dim && squared > 0; i++) d[i] = v[i] / sqrt(squared);
}

static bool add_balls(const linear_point *at, const cone *c, system_of_modes *o) {
    int stick = c->psi_stick > 0 ? c->psi_stick : c->psi_F, radius = c->mu_R >= 0 ? place_of(o, c->mu_R) : -1;
    if (c->mu_R >= 0 && radius < 0) return false;
    double r = radius >= 0 ? c->radius_0 + at->mu[c->mu_R] : c->reservoir;
    for (int b = 0, offset = 0; b < c->n_balls; offset += c->balls[b++].dim) {
        double d[CONE_BALL_DIM_MAX];
        bool slips = c->frozen->ball[b] == CONE_SLIP;
        if (o->n + c->balls[b].dim > MOST || (!slips && c->frozen->ball[b] != CONE_STICK)) return false;
        if (slips && (at->p->A.start || at->p->mu_0)) return false; /* what closes and sticks does not ask for mu */
        if (slips) direct(at, c, b, offset, d), o->slips = true;
        for (int i = 0; i < c->balls[b].dim; i++) {
            int mu = c->mu_F + offset + i;
            frozen_row row = {.mu = mu, .psi = stick + offset + i, .radius = -1, .turn = -1};
            row.scale = cone_psi_scale(at->p, c->psi_F + offset + i);
            if (slips && turns(c, b)) row.turn = (c->psi_D >= 0 ? c->psi_D : c->psi_F) + offset + i;
            if (slips) row.psi = -1, row.radius = radius, row.along = c->balls[b].mu * d[i], row.error = -row.along * r - at->mu[mu];
            if (slips && at->p->rho) row.scale /= at->p->rho[mu];
            o->row[o->n++] = row;
        }
    }
    return true;
}

/* The rows of all contacts that are on. */
static bool find(const linear_point *at, system_of_modes *o) {
    const cone_problem *p = at->p;
    o->n = 0;
    o->slips = false;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        bool closed = c->gate_kind != CONE_OFF && cone_is_frozen(c) && c->frozen->normal == CONE_CLOSED;
        if (c->gate_kind != CONE_OFF && !cone_is_frozen(c)) return false;
        if (!closed) { /* what is open and has no force needs no row */
            int rows = 0;
            for (int b = 0; b < c->n_balls; b++) rows += c->balls[b].dim;
            if ((c->psi_N >= 0 && at->mu[c->mu_N] != 0) || !is_zero(at->mu + c->mu_F, rows)) return false;
            continue;
        }
        if (c->psi_N >= 0 && o->n == MOST) return false;
        if (c->psi_N >= 0)
            o->row[o->n++] = (frozen_row){.mu = c->mu_N, .psi = c->psi_N, .radius = -1, .turn = -1, .scale = cone_psi_scale(p, c->psi_N)};
        if (!add_balls(at, c, o)) return false;
    }
    return o->n > 0;
}

static double response(const linear_point *at, int psi, int mu) {
    return psi < at->rows ? at->D[(size_t)mu * (size_t)at->rows + (size_t)psi] : 0;
}

/* The equations with dmu_F of slip left out; false: directions turn with mu. */
static bool gather(const linear_point *at, system_of_modes *o) {
    int n = o->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && o->row[i].turn >= 0; j++)
            if (response(at, o->row[i].turn, o->row[j].mu) != 0) return false;
        if (o->row[i].psi < 0) continue;
        for (int j = 0; j < n; j++) o->a[i][j] = o->D[i][j] = response(at, o->row[i].psi, o->row[j].mu);
        o->row[i].weight = at->p->rho ? sqrt(at->p->rho[o->row[i].mu]) : 1;
        o->z[i] = -at->psi[o->row[i].psi];
        for (int j = 0; j < n && o->slips; j++) {
            const frozen_row *slip = &o->row[j];
            if (slip->psi >= 0) continue;
            if (slip->radius >= 0) o->a[i][slip->radius] -= o->D[i][j] * slip->along;
            o->z[i] -= o->D[i][j] * slip->error;
        }
    }
    return true;
}

/* The row of `rows`, from k on, that column c is eliminated by: the k-th unless another is much larger there (stages of Lobatto IIIC have
 * zeros on the diagonal). False: rows are nearly dependent. */
static bool choose_pivot(const system_of_modes *o, int *rows, int count, int k, int c) {
    int best = k;
    double own = fabs(o->a[rows[k]][c]) * o->row[rows[k]].weight, most = own;
    for (int i = k + 1; i < count; i++) {
        double size = fabs(o->a[rows[i]][c]) * o->row[rows[i]].weight;
        if (size > most) most = size, best = i;
    }
    if (!(most * o->row[c].weight > LEAST_PIVOT)) return false;
    if (own >= OWN_SHARE * most) return true;
    int other = rows[k];
    rows[k] = rows[best], rows[best] = other;
    return true;
}

/* dmu; false: rows are nearly dependent. */
static bool eliminate(system_of_modes *o) {
    int columns[MOST], rows[MOST], n = 0;
    for (int k = 0; k < o->n; k++)
        if (o->row[k].psi >= 0) columns[n] = rows[n] = k, n++;
    for (int k = 0; k < n; k++) {
        int c = columns[k];
        if (!choose_pivot(o, rows, n, k, c)) return false;
        const double *pivot = o->a[rows[k]];
        for (int i = k + 1; i < n; i++) {
            double *row = o->a[rows[i]], factor = row[c] / pivot[c];
            for (int j = k + 1; j < n; j++) row[columns[j]] -= factor * pivot[columns[j]];
            o->z[rows[i]] -= factor * o->z[rows[k]];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = o->z[rows[k]];
        for (int j = k + 1; j < n; j++) sum -= o->a[rows[k]][columns[j]] * o->dmu[columns[j]];
        o->dmu[columns[k]] = sum / o->a[rows[k]][columns[k]];
    }
    for (int k = 0; k < o->n; k++) {
        const frozen_row *slip = &o->row[k];
        if (slip->psi < 0) o->dmu[k] = slip->error - slip->along * (slip->radius >= 0 ? o->dmu[slip->radius] : 0);
    }
    return true;
}

/* Largest row of psi with dmu. */
static double remainder_of(const linear_point *at, const system_of_modes *o) {
    double worst = 0;
    for (int i = 0; i < o->n; i++) {
        if (o->row[i].psi < 0) continue;
        double psi = at->psi[o->row[i].psi];
        for (int j = 0; j < o->n; j++) psi += o->D[i][j] * o->dmu[j];
        worst = larger(worst, fabs(psi) * o->row[i].scale);
    }
    return worst;
}

bool cone_solve_frozen(cone_solver *s, double *dy, double *norm) {
    system_of_modes o;
    linear_point at = {s->p, s->mu, s->psi_free, s->D, s->p->npsi};
    int columns[MOST];
    if (!find(&at, &o)) return false;
    for (int j = 0; j < o.n; j++) columns[j] = o.row[j].mu;
    cone_need_runs(s, o.n, columns);
    if (!gather(&at, &o) || !eliminate(&o)) return false;
    memset(dy, 0, (size_t)s->p->ny * sizeof *dy);
    for (int i = 0; i < o.n; i++) dy[o.row[i].mu] = o.dmu[i];
    *norm = remainder_of(&at, &o);
    return true;
}

bool cone_solve_modes(const cone_problem *p, const cone_linear_psi *values, double tolerance, double *y, cone_outcome *out) {
    system_of_modes o;
    linear_point at = {p, y, values->psi, values->D, values->rows};
    double start = 0;
    if (!find(&at, &o)) return false;
    for (int i = 0; i < o.n; i++) start = larger(start, fabs(o.row[i].psi < 0 ? o.row[i].error : at.psi[o.row[i].psi]) * o.row[i].scale);
    bool moves = !(start <= CONE_START_SHARE * tolerance);
    if (moves && (!gather(&at, &o) || !eliminate(&o))) return false;
    double norm = moves ? remainder_of(&at, &o) : start;
    if (!(norm <= ENOUGH_SHARE * tolerance)) return false;
    for (int i = 0; i < o.n && moves; i++) y[o.row[i].mu] += o.dmu[i];
    *out = (cone_outcome){.path = CONE_NEWTON, .worst = norm, .complementarity = norm, .worst_cone = -1, .worst_row = -1, .solves = 1};
    out->iterations[CONE_NEWTON] = moves;
    out->most = moves;
    return true;
}
