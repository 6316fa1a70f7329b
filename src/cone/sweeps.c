/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Seidel on the linearised problem: contact after contact, mu <- -prox(rho psi - mu) with psi kept up to date,
 *
 *     psi = psi_free + D dy,   dy = A^-1 dmu,   so   psi += E dmu   with   E = D A^-1  (by components of A)
 *
 * and rho by the contact's own block of E. Slow to converge fully but robust at the beginning: it is what projection.c accelerates, and
 * brings Newton near a solution when Newton cycles. */
#include "cone/solver.h"

enum { INNER = 4 };

/* E by rows of A^-1: column k of E belongs to mu_k. */
static void build_change_matrix(cone_solver *s) {
    const cone_problem *p = s->p;
    size_t npsi = (size_t)p->npsi;
    memset(s->E, 0, npsi * (size_t)p->ny * sizeof(double));
    for (int k = 0; k < p->ny; k++) s->active[k] = k;
    cone_need_columns(s, p->ny, s->active);
    double *lu = s->A_lu;
    for (int c = 0; c < s->n_components; c++) {
        const int *rows = s->component_rows + s->component_start[c];
        int n = s->component_start[c + 1] - s->component_start[c];
        for (int k = 0; k < n; k++) {
            double *e = s->E + npsi * (size_t)rows[k];
            for (int i = 0; i < n; i++) s->z[i] = i == k;
            if (p->A.start) lin_dense_lu_solve(n, lu, s->A_pivot + s->component_start[c], s->z, 1);
            for (int j = 0; j < n; j++) {
                const double *d = s->D + npsi * (size_t)rows[j];
                for (size_t i = 0; i < npsi && s->z[j] != 0; i++) e[i] += s->z[j] * d[i];
            }
        }
        lu += (size_t)n * (size_t)n;
    }
}

/* rho of a normal inclusion: 1/E_NN; of a ball: 1/(largest sum of a row of E_FF). */
static void find_own_rho(cone_solver *s) {
    const cone_problem *p = s->p;
    size_t npsi = (size_t)p->npsi;
    memcpy(s->own_rho, s->rho, (size_t)p->ny * sizeof(double));
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        double own = c->psi_N >= 0 ? s->E[npsi * (size_t)c->mu_N + (size_t)c->psi_N] : 0;
        if (own > 0) s->own_rho[c->mu_N] = 1 / own;
        for (int b = 0, row = c->mu_F; b < c->n_balls; row += c->balls[b].dim, b++) {
            int dim = c->balls[b].dim, first = c->psi_F + row - c->mu_F;
            double most = 0;
            for (int i = 0; i < dim; i++) {
                double sum = 0;
                for (int j = 0; j < dim; j++) sum += fabs(s->E[npsi * (size_t)(row + j) + (size_t)(first + i)]);
                most = larger(most, sum);
            }
            for (int i = 0; i < dim && most > 0; i++) s->own_rho[row + i] = 1 / most;
        }
    }
}

static double change(cone_solver *s, int row, double value) {
    double d = value - s->mu_l[row];
    if (d == 0) return 0;
    const double *e = s->E + (size_t)s->p->npsi * (size_t)row;
    lin_dense_add_columns(s->p->npsi, 1, &e, &d, s->psi_l);
    s->mu_l[row] = value;
    return fabs(d) * s->row_scale[2 * row + 1];
}

static double relax_balls(cone_solver *s, int k, bool on) {
    const cone *c = &s->p->cones[k];
    double worst = 0;
    int row = c->mu_F;
    for (int b = 0; b < c->n_balls; b++) {
        int dim = c->balls[b].dim, offset = row - c->mu_F;
        double a[CONE_BALL_DIM_MAX], next[CONE_BALL_DIM_MAX];
        double r = on ? c->balls[b].mu * cone_radius(c, s->mu_l) : 0;
        for (int i = 0; i < dim; i++) a[i] = s->own_rho[row] * s->psi_l[c->psi_F + offset + i] - s->mu_l[row + i];
        if (s->ball[s->first_ball[k] + b] == BALL_GUIDED)
            for (int i = 0; i < dim; i++) next[i] = r * s->normal[row + i];
        else law_prox_ball(dim, r, a, next);
        for (int i = 0; i < dim; i++) worst = larger(worst, change(s, row + i, -next[i]));
        row += dim;
    }
    return worst;
}

/* Further rows of mu follow from the first ny. */
static void complete_multipliers(cone_solver *s) {
    if (s->p->nmu == s->p->ny) return;
    cone_solve_A(s, s->mu_l, s->dy);
    cone_multipliers(s, s->dy, s->mu_l);
}

double cone_sweep(cone_solver *s) {
    const cone_problem *p = s->p;
    double worst = 0;
    cone_classify(s, s->psi_l, s->mu_l);
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        bool on = c->gate_kind == CONE_ALWAYS || (c->gate_kind == CONE_IF_CLOSED && s->closed[c->gate]);
        double first = 0;
        for (int it = 0; it < INNER; it++) {
            double moved = 0;
            if (c->psi_N >= 0) {
                double a = s->own_rho[c->mu_N] * s->psi_l[c->psi_N] - s->mu_l[c->mu_N];
                s->closed[k] = on && a <= 0;
                moved = change(s, c->mu_N, on ? -law_prox_nonpositive(a) : 0);
            }
            moved = larger(moved, relax_balls(s, k, on));
            if (it == 0) first = moved;
            if (moved <= 0.1 * first || moved == 0) break;
        }
        worst = larger(worst, first);
    }
    complete_multipliers(s);
    return worst;
}

bool cone_prepare_sweeps(cone_solver *s) {
    if (!cone_factor_A(s)) return false;
    build_change_matrix(s);
    find_own_rho(s);
    return true;
}

void cone_set_multipliers(cone_solver *s, const double *mu) {
    const cone_problem *p = s->p;
    memcpy(s->psi_l, s->psi_free, (size_t)p->npsi * sizeof(double));
    memcpy(s->mu_l, s->mu, (size_t)p->ny * sizeof(double));
    for (int k = 0; k < p->ny; k++) change(s, k, mu[k]);
    complete_multipliers(s);
}

bool cone_sweeps(cone_solver *s, int count, double enough) {
    cone_local_point(s, s->dy);
    for (int it = 0; it < count; it++) {
        double moved = cone_sweep(s);
        if (!isfinite(moved)) return false;
        if (moved <= enough) break;
    }
    cone_solve_A(s, s->mu_l, s->dy); /* y, absolute */
    cone_solve_A(s, s->mu, s->dy_try);
    for (int k = 0; k < s->p->ny; k++) s->dy[k] -= s->dy_try[k];
    return all_finite(s->p->ny, s->dy);
}
