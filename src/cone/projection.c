/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative projection (docs/theory/solver.md; 002: 6.14, Algorithm 2):
 *
 *     mu <- -prox(rho psi(x) - mu),   y = A^-1 mu,   x from phi(x, y) = 0 by Newton with frozen factors
 *
 * It needs no regular contact matrix. The change of mu is the natural map, so the residual in units of psi comes for free.
 * Plain, or accelerated by Nesterov's extrapolation with restart where it points uphill. Where the iteration diverges the prox
 * parameters are reduced, alpha <- alpha/2. Where round-off is expected (noise.c), it ends the iteration as in Newton's method. */
#include "cone/solver.h"

static const double alpha_least = 1e-4;
enum { SMOOTH_TRIES = 30, GROWTH_WINDOW = 20, NOISE_WINDOW = 3, MOST_SUSPICIONS = 50 };
/* Limits as the last resort after Newton's method: where long projections did not converge before, and where there is nothing to project. */
enum { HOPELESS_ITERATIONS = 1000, BARE_ITERATIONS = 100 };

static int most_iterations(const cone_solver *s) {
    int most = s->settings.projection_max, last = s->p->ny == 0 ? BARE_ITERATIONS : s->expected.hopeless ? HOPELESS_ITERATIONS : most;
    return s->settings.solver == ZN_SOLVER_AUTO && last < most ? last : most;
}

static void project_balls(const cone_solver *s, int k, double alpha, const double *psi, const double *mu, double *next) {
    const cone *c = &s->p->cones[k];
    double normal = cone_radius(c, mu);
    int row = c->mu_F;
    for (int b = 0; b < c->n_balls; b++) {
        int dim = c->balls[b].dim, offset = row - c->mu_F;
        double r = c->balls[b].mu * normal, a[CONE_BALL_DIM_MAX];
        for (int i = 0; i < dim; i++) a[i] = alpha * s->rho[row] * psi[c->psi_F + offset + i] - mu[row + i];
        if (!s->on[k]) r = 0;
        if (s->ball[s->first_ball[k] + b] == BALL_GUIDED)
            for (int i = 0; i < dim; i++) next[row + i] = -r * s->normal[row + i];
        else {
            law_prox_ball(dim, r, a, next + row);
            for (int i = 0; i < dim; i++) next[row + i] = -next[row + i];
        }
        row += dim;
    }
}

/* next = -prox(alpha rho psi - mu); shut gates give zero. The radius is that of the old iterate (6.14b). */
void cone_project(cone_solver *s, double alpha, const double *psi, const double *mu, double *next) {
    const cone_problem *p = s->p;
    cone_classify(s, psi, mu);
    memset(next, 0, (size_t)p->ny * sizeof *next);
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        if (c->psi_N >= 0 && s->on[k])
            next[c->mu_N] = -law_prox_nonpositive(alpha * s->rho[c->mu_N] * psi[c->psi_N] - mu[c->mu_N]);
        project_balls(s, k, alpha, psi, mu, next);
    }
}

/* x from phi(x, y) = 0, as exactly as the fixed point is known so far; factors are renewed when they contract badly. */
static zn_status solve_smooth(cone_solver *s, double *x, const double *y, double natural) {
    const cone_problem *p = s->p;
    double before = INFINITY, tolerance = larger(s->settings.tolerance, 0.01 * natural), enough = 0.1 * tolerance;
    bool renewed = false;
    zn_status status = cone_evaluate(s, x, y, false);
    for (int it = 0; status == ZN_OK; it++) {
        double norm = cone_smooth_norm(s, s->phi);
        if (norm <= enough) return ZN_OK;
        if (it == SMOOTH_TRIES) return norm <= tolerance ? ZN_OK : ZN_NO_CONVERGENCE;
        bool slow = norm > 0.3 * before;
        if (slow && renewed && norm <= 2 * s->expected.noise) return ZN_OK; /* a later test decides what it is */
        renewed = slow && norm > tolerance;
        if (renewed) {
            status = cone_evaluate(s, x, y, true);
            if (status == ZN_OK) status = cone_factor(s);
            if (status != ZN_OK) return status;
        } else if (norm > 0.9 * before && norm <= tolerance) {
            return ZN_OK; /* at round-off */
        }
        before = norm;
        memcpy(s->v, s->phi, (size_t)p->nx * sizeof(double));
        cone_smooth_solve(s, s->v);
        for (int i = 0; i < p->nx; i++) x[i] -= s->v[i];
        status = cone_evaluate(s, x, y, false);
    }
    return status;
}

/* Largest change of mu in units of psi: the natural map with prox parameters rho. */
static double natural_norm(const cone_solver *s, double alpha, const double *mu, const double *next) {
    double worst = 0;
    for (int k = 0; k < s->p->ny; k++) {
        double size = fabs(next[k] - mu[k]) / alpha * s->row_scale[2 * k + 1];
        worst = larger(size, worst);
    }
    return worst;
}

static double settled_change(const cone_solver *s, const double *x, const double *old) {
    double worst = 0;
    for (int i = 0; i < s->p->n_settled; i++) worst = larger(worst, fabs(x[i] - old[i]) / (1 + fabs(x[i])));
    return worst;
}

typedef struct fixed_point {
    double alpha, theta;           /* prox factor, Nesterov's sequence */
    double best;
    int since;                     /* iterations since the best */
    int suspicions;                /* tests for noise that found none */
    double *mu, *next, *bar;       /* accepted, projected, extrapolated */
} fixed_point;

/* bar = next + beta (next - mu), restarted when the last move points against the projection. */
static void extrapolate(const cone_solver *s, fixed_point *f) {
    double uphill = 0, theta = f->theta;
    for (int k = 0; k < s->p->ny; k++) uphill += (f->bar[k] - f->next[k]) * (f->next[k] - f->mu[k]) / s->rho[k];
    if (uphill > 0 || !s->settings.accelerate) theta = 1;
    double following = (1 + sqrt(1 + 4 * theta * theta)) / 2;
    double beta = s->settings.accelerate && uphill <= 0 ? (theta - 1) / following : 0;
    for (int k = 0; k < s->p->ny; k++) f->bar[k] = f->next[k] + beta * (f->next[k] - f->mu[k]);
    f->theta = following;
}

/* Back to the best point with half the step. */
static zn_status slow_down(cone_solver *s, fixed_point *f, double *x, double *y) {
    const cone_problem *p = s->p;
    f->alpha /= 2;
    f->theta = 1;
    f->since = 0;
    if (f->alpha < alpha_least) return ZN_NO_CONVERGENCE;
    memcpy(x, s->x_best, (size_t)p->nx * sizeof(double));
    memcpy(y, s->y_best, (size_t)p->ny * sizeof(double));
    zn_status status = solve_smooth(s, x, y, f->best);
    memcpy(f->mu, s->mu, (size_t)p->ny * sizeof(double));
    memcpy(f->bar, s->mu, (size_t)p->ny * sizeof(double));
    return status;
}

/* Growth beyond the best residual, at once when it is wild. */
static bool diverges(const fixed_point *f, double norm) {
    return !(norm <= 100 * f->best) || (f->since >= GROWTH_WINDOW && norm > 3 * f->best);
}

/* Whether all that is left at (x, y) is noise. */
static bool is_noise(cone_solver *s, const double *x, const double *y) {
    cone_residual(s, s->psi, s->mu, s->R);
    s->floor = cone_noise_at(s, x, y);
    return s->floor > 0;
}

static zn_status iterate(cone_solver *s, fixed_point *f, double *x, double *y) {
    const cone_problem *p = s->p;
    size_t ny = (size_t)p->ny;
    double change = INFINITY;
    zn_status status = ZN_OK;
    for (int it = 0, most = most_iterations(s); it < most; it++) {
        cone_project(s, f->alpha, s->psi, s->mu, f->next);
        double smooth = cone_smooth_norm(s, s->phi), norm = larger(natural_norm(s, f->alpha, s->mu, f->next), smooth);
        if (norm < f->best) {
            f->best = norm;
            f->since = 0;
            memcpy(s->x_best, x, (size_t)p->nx * sizeof(double));
            memcpy(s->y_best, y, ny * sizeof(double));
        } else
            f->since++;
        if (status != ZN_OK || diverges(f, norm)) {
            status = slow_down(s, f, x, y);
            if (status != ZN_OK) return status;
            continue;
        }
        if (norm <= s->settings.tolerance && change <= s->settings.tolerance) return ZN_OK;
        bool stuck = norm > s->settings.tolerance && norm <= 2 * s->expected.noise && f->since >= NOISE_WINDOW;
        if (stuck && is_noise(s, x, y)) return ZN_OK;
        if (stuck && ++f->suspicions > MOST_SUSPICIONS) return ZN_NO_CONVERGENCE;
        s->out->iterations[CONE_PROJECTION]++;
        extrapolate(s, f);
        memcpy(f->mu, f->next, ny * sizeof(double));
        cone_solve_A(s, f->bar, y);
        memcpy(s->x_old, x, (size_t)p->nx * sizeof(double));
        status = solve_smooth(s, x, y, norm);
        if (status == ZN_SINGULAR) return status;
        change = settled_change(s, x, s->x_old);
    }
    return ZN_NO_CONVERGENCE;
}

zn_status cone_projection(cone_solver *s, double *x, double *y) {
    const cone_problem *p = s->p;
    fixed_point f = {.alpha = 1, .theta = 1, .best = INFINITY, .mu = s->dy, .next = s->dy_try, .bar = s->dy_best};
    if (!cone_factor_A(s)) return ZN_SINGULAR;
    zn_status status = cone_evaluate(s, x, y, true);
    if (status == ZN_OK) status = cone_factor(s);
    if (status == ZN_OK) status = solve_smooth(s, x, y, 0);
    if (status == ZN_OK) {
        memcpy(f.mu, s->mu, (size_t)p->ny * sizeof(double));
        memcpy(f.bar, s->mu, (size_t)p->ny * sizeof(double));
        status = iterate(s, &f, x, y);
    }
    if (status != ZN_OK && f.best < INFINITY) {
        memcpy(x, s->x_best, (size_t)p->nx * sizeof(double));
        memcpy(y, s->y_best, (size_t)p->ny * sizeof(double));
    }
    return status;
}
