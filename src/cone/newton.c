/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for the cone problem: linearise phi and psi, solve the linearised problem with its inclusions (local.c or projection.c),
 * step, evaluate. Where phi and psi are linear one step is enough, whatever the contacts do.
 *
 * The Jacobian is evaluated again in each iteration, unless the rate seen promises convergence, or the end in noise, with the one at hand.
 *
 * Where round-off of the model is expected to exceed the tolerance (noise.c), the best point whose residual is nothing but noise is kept:
 * it is the solution if no other start of the iteration gets below the tolerance, and the outcome says so. */
#include "cone/solver.h"

enum { PATIENCE = 6, HALVINGS = 5, LOCAL_FAILURES = 4 };
/* Of the residual: what is left of the linearised one where slip begins is round-off of its direction, and a good step all the same. */
static const double usable_share = 1e-6;

static double total_norm(cone_solver *s) {
    if (s->left) cone_find_contradiction(s);
    cone_classify(s, s->psi, s->mu);
    cone_residual(s, s->psi, s->mu, s->R);
    double smooth = cone_smooth_norm(s, s->phi), rows = cone_row_norm(s, s->R);
    return larger(rows, smooth);
}

static void keep_best(cone_solver *s, const double *x, const double *y, double norm, double *best) {
    if (!(norm < *best)) return;
    *best = norm;
    memcpy(s->x_best, x, (size_t)s->p->nx * sizeof(double));
    memcpy(s->y_best, y, (size_t)s->p->ny * sizeof(double));
}

/* (x, y) = old + t (dx, dy) with t = 1, or less where the values are not finite or (careful) the residual grows. */
static zn_status take_step(cone_solver *s, double *x, double *y, double old_norm, bool careful, double *norm) {
    const cone_problem *p = s->p;
    zn_status status = ZN_ERROR_NOT_FINITE;
    double t = 1;
    memcpy(s->x_old, x, (size_t)p->nx * sizeof(double));
    memcpy(s->y_old, y, (size_t)p->ny * sizeof(double));
    for (int k = 0; k <= HALVINGS; k++, t /= 2) {
        for (int i = 0; i < p->nx; i++) x[i] = s->x_old[i] + t * s->dx[i];
        for (int j = 0; j < p->ny; j++) y[j] = s->y_old[j] + t * s->dy_best[j];
        status = cone_evaluate(s, x, y, false);
        *norm = status == ZN_OK ? total_norm(s) : INFINITY;
        if (status == ZN_OK && (!careful || *norm < old_norm)) break;
    }
    return status;
}

/* s->dx and s->dy_best of one iteration; how often in a row the linearised problem was not solved. */
static zn_status find_step(cone_solver *s, const double *y, bool robust, double norm, int *failures) {
    if (s->use_sparse) {
        zn_status status = cone_sparse_step(s, robust, s->dx, s->dy_best);
        s->out->iterations[s->least_norm ? CONE_LEAST_NORM : CONE_NEWTON]++;
        return status;
    }
    cone_linearise(s);
    local_result local;
    zn_status status = s->projecting ? cone_project_local(s, norm, &local) : cone_solve_local(s, y, robust, norm, &local);
    if (!s->projecting) s->out->iterations[local.inverse == CONE_LU ? CONE_NEWTON : CONE_LEAST_NORM]++;
    s->out->iterations[CONE_PROJECTION] += local.projections;
    s->least_norm = s->least_norm || local.inverse != CONE_LU;
    bool usable = s->frozen && status == ZN_ERROR_NO_CONVERGENCE && local.norm <= usable_share * norm;
    if ((status == ZN_ERROR_SINGULAR && !robust) || (status != ZN_OK && s->brief && !usable)) return status;
    *failures = status == ZN_OK ? 0 : *failures + 1;
    if (*failures == LOCAL_FAILURES) return status; /* expensive and not converging */
    cone_smooth_step(s, s->dy_best, s->dx);
    return ZN_OK; /* also the best of an attempt that did not converge is a step */
}

static void keep_floor(cone_solver *s, double norm) {
    if (s->floor > 0 && s->floor <= norm) return;
    s->floor = norm;
    memcpy(s->x_floor, s->x_best, (size_t)s->p->nx * sizeof(double));
    memcpy(s->y_floor, s->y_best, (size_t)s->p->ny * sizeof(double));
}

static zn_status refresh(cone_solver *s, const double *x, const double *y, bool evaluated) {
    if (!evaluated) {
        zn_status status = cone_evaluate(s, x, y, true);
        if (status != ZN_OK) return status;
    }
    if (!s->use_sparse) return cone_factor(s);
    cone_sparse_renew(s->sparse);
    return ZN_OK;
}

/* Contacts with modes at rest, or in motion that does not change: gaps differ from zero by round-off of coordinates, which a step would
 * only replace by other round-off. It does not add up: gaps are measured again in each step. */
static bool starts_in_noise(cone_solver *s) {
    const cone_problem *p = s->p;
    double tolerance = CONE_START_SHARE * s->settings.tolerance;
    if (!s->frozen || !p->psi_noise || !(cone_smooth_norm(s, s->phi) <= tolerance)) return false;
    for (int k = 0; k < p->ny; k++) {
        bool psi = s->kind[k] == CONE_ROW_PSI;
        double noise = psi && s->psi_row[k] >= 0 ? p->psi_noise[s->psi_row[k]] : 0;
        if (!(fabs(s->R[k]) * s->row_scale[2 * k + (psi ? 0 : 1)] <= larger(tolerance, noise))) return false;
    }
    return true;
}

zn_status cone_newton(cone_solver *s, double *x, double *y, bool robust) {
    const cone_settings *settings = &s->settings;
    double best = INFINITY, norm = INFINITY, rate = 1;
    int worse = 0, failures = 0,
        most = s->brief && settings->newton_max > CONE_BRIEF_ITERATIONS ? CONE_BRIEF_ITERATIONS : settings->newton_max;
    bool fresh = true;
    s->current = false;
    s->rank_known = s->forgives = false; /* until there are factors */
    zn_status status = cone_evaluate(s, x, y, true);
    if (status != ZN_OK) return status;
    norm = total_norm(s);
    for (int it = 0; it < most; it++) {
        if (base_stopped(s->context)) return ZN_STOPPED;
        keep_best(s, x, y, norm, &best);
        s->current = norm <= (it == 0 ? CONE_START_SHARE : 1) * settings->tolerance || (it == 0 && starts_in_noise(s));
        if (s->current) return ZN_OK;
        if (it == 0 || !cone_keeps_derivatives(norm, rate, settings->tolerance, &s->expected)) {
            status = refresh(s, x, y, fresh);
            if (status != ZN_OK) break;
        }
        fresh = false;
        status = find_step(s, y, robust, norm, &failures);
        if (status != ZN_OK) break;
        double old = norm;
        status = take_step(s, x, y, old, worse >= 2, &norm);
        if (status != ZN_OK) break;
        rate = norm / old;
        if (norm > settings->tolerance && cone_may_be_noise(norm, rate, &s->expected)) {
            keep_best(s, x, y, norm, &best);
            if (cone_noise_at(s, x, y) > 0) {
                keep_floor(s, best);
                break;
            }
        }
        worse = rate < 1 ? worse : worse + 1;
        if (worse > (s->brief ? 1 : PATIENCE)) break;
    }
    s->current = status == ZN_OK && norm <= settings->tolerance;
    if (s->current) return ZN_OK;
    if (best < INFINITY) {
        memcpy(x, s->x_best, (size_t)s->p->nx * sizeof(double));
        memcpy(y, s->y_best, (size_t)s->p->ny * sizeof(double));
    }
    return status == ZN_OK ? ZN_ERROR_NO_CONVERGENCE : status;
}
