/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination of x (002: 6.11 - 6.13). With the factors of phi_x,
 *
 *     dx = -v - G dy,   v = phi_x^-1 phi,   G = phi_x^-1 phi_y
 *     psi(dy) = psi_free + D dy,   psi_free = psi - psi_x v,   D = psi_y - psi_x G
 *
 * Columns of G and D are made when a multiplier takes part for the first time. */
#include "cone/solver.h"

zn_status cone_evaluate(cone_solver *s, const double *x, const double *y, bool jacobian) {
    const cone_problem *p = s->p;
    cone_values values = {.phi = s->phi, .psi = s->psi, .jacobian = jacobian};
    if (jacobian) {
        values.phi_y = s->phi_y;
        values.psi_x = s->psi_x;
        values.psi_y = p->psi_y.start ? s->psi_y : NULL;
    }
    if (p->evaluate(p->user, x, y, &values) != 0) return ZN_ERROR_NOT_FINITE;
    if (!all_finite(p->nx, s->phi) || !all_finite(p->npsi, s->psi)) return ZN_ERROR_NOT_FINITE;
    cone_multipliers(s, y, s->mu);
    return all_finite(p->nmu, s->mu) ? ZN_OK : ZN_ERROR_NOT_FINITE;
}

static zn_status factor_lu(cone_solver *s) {
    const cone_problem *p = s->p;
    if (p->linear) p->linear->fill(p->linear->user);
    if (cone_allows_contradiction(s)) {
        s->factored = false;
        s->least_norm = true;
        zn_status ranked = lin_lu_factor_rank(s->lu, p->phi_x, CONE_CONTRADICTION_RANK);
        s->rank_known = ranked == ZN_OK;
        return ranked;
    }
    zn_status status = lin_lu_factor(s->lu, p->phi_x, s->factored);
    s->factored = status == ZN_OK;
    if (status != ZN_ERROR_SINGULAR) return status;
    if (s->settings.solver == ZN_SOLVER_NEWTON) return status;
    s->least_norm = true; /* redundant joints */
    return lin_lu_factor_regularised(s->lu, p->phi_x);
}

zn_status cone_factor(cone_solver *s) {
    const cone_problem *p = s->p;
    memset(s->have, 0, (size_t)p->ny);
    if (p->nx == 0) return ZN_OK;
    s->use_linear = p->linear && !cone_allows_contradiction(s) && p->linear->factor(p->linear->user) == ZN_OK;
    return s->use_linear ? ZN_OK : factor_lu(s);
}

/* The problem's own solver gave up. There is no way back from a solve, so any rank will do. */
static void leave_linear(cone_solver *s) {
    s->use_linear = false;
    if (factor_lu(s) != ZN_OK) lin_lu_factor_regularised(s->lu, s->p->phi_x);
}

static void solve_columns(cone_solver *s, double *b, int columns, bool rough) {
    const cone_problem *p = s->p;
    int solved = s->use_linear ? p->linear->solve(p->linear->user, b, columns, rough) : 0;
    if (solved == columns) return;
    if (s->use_linear) leave_linear(s);
    lin_lu_solve_many(s->lu, b + (size_t)solved * (size_t)p->nx, columns - solved);
}

void cone_linearise(cone_solver *s) {
    const cone_problem *p = s->p;
    memcpy(s->psi_free, s->psi, (size_t)p->npsi * sizeof(double));
    if (p->nx == 0) return;
    memcpy(s->v, s->phi, (size_t)p->nx * sizeof(double));
    solve_columns(s, s->v, 1, false);
    lin_multiply(&p->psi_x, s->psi_x, -1, s->v, s->psi_free);
}

/* Columns first .. first + count - 1 of G and D. */
static void make_columns(cone_solver *s, int first, int count) {
    const cone_problem *p = s->p;
    size_t nx = (size_t)p->nx, npsi = (size_t)p->npsi;
    double *G = s->G + (size_t)first * nx, *D = s->D + (size_t)first * npsi;
    memset(D, 0, npsi * (size_t)count * sizeof *D);
    memset(s->have + first, 1, (size_t)count);
    if (p->psi_y.start)
        for (int c = 0; c < count; c++)
            for (int k = p->psi_y.start[first + c]; k < p->psi_y.start[first + c + 1]; k++)
                D[(size_t)c * npsi + (size_t)p->psi_y.index[k]] = s->psi_y[k];
    if (nx == 0) return;
    memset(G, 0, nx * (size_t)count * sizeof *G);
    for (int c = 0; c < count; c++)
        for (int k = p->phi_y.start[first + c]; k < p->phi_y.start[first + c + 1]; k++)
            G[(size_t)c * nx + (size_t)p->phi_y.index[k]] = s->phi_y[k];
    solve_columns(s, G, count, true);
    lin_multiply_many(&p->psi_x, s->psi_x, -1, G, D, count);
}

void cone_need_column(cone_solver *s, int j) {
    if (!s->have[j]) make_columns(s, j, 1);
}

void cone_need_runs(cone_solver *s, int n, const int *columns) {
    for (int c = 0, count; c < n; c += count) {
        for (count = 1; c + count < n && columns[c + count] == columns[c] + count;) count++;
        bool known = true;
        for (int i = 0; i < count; i++) known = known && s->have[columns[c] + i];
        if (!known) make_columns(s, columns[c], count);
    }
}

/* Many at once are cheaper than one by one: gaps between missing ones are closed where that makes longer runs. */
void cone_need_columns(cone_solver *s, int n, const int *columns) {
    int missing = 0;
    for (int c = 0; c < n; c++) missing += !s->have[columns[c]];
    if (missing == 0) return;
    if (missing > 1 && (s->use_linear ? 4 : 2) * missing >= s->p->ny) {
        make_columns(s, 0, s->p->ny);
        return;
    }
    for (int c = 0; c < n; c++) cone_need_column(s, columns[c]);
}

void cone_smooth_step(cone_solver *s, const double *dy, double *restrict dx) {
    int nx = s->p->nx;
    const double *restrict v = s->v, *restrict g = s->G;
    for (int i = 0; i < nx; i++) dx[i] = -v[i];
    for (int j = 0; j < s->p->ny; j++, g += nx) {
        double change = dy[j];
        if (change == 0) continue;
        for (int i = 0; i < nx; i++) dx[i] -= g[i] * change;
    }
}
