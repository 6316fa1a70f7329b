/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative projection (docs/theory/solver.md; 002: 6.14, Algorithm 2) on the linearised problem, which Newton's method on phi (newton.c)
 * poses again until phi and psi fit: the fixed point of
 *
 *     mu <- -prox(rho psi - mu),   psi = psi_free + E dmu
 *
 * No system of equations is solved for the contacts, so their matrix may be singular. One iteration is a Gauss-Seidel sweep T (sweeps.c),
 * here for z = mu/rho^(1/2), so that heavy and light bodies count alike; f = T(z) - z.
 *
 * Anderson's acceleration takes former changes (p, q) of T and of f, made orthonormal in q, newest first:
 *
 *     z <- T(z) - sum (q f) p
 *
 * It is undone where |f| grows, and ends where |f| stays. Then z may drift: where sticking is inconsistent (a ball wedged in a corner)
 * f stays the same forever, along multipliers that change no velocity, until some contact slips. The drift is where f(T(z)) = f(z), which
 * the same acceleration finds, and strides that grow take z along it. */
#include "cone/solver.h"

enum { WINDOW = CONE_ANDERSON_WINDOW };
/* Sweeps in which |f| is not halved that end the acceleration; pairs of sweeps in which f must become steady. */
enum { PATIENCE = 20, SETTLE = 100 };
/* A change that is a combination of newer ones, or changes nothing, except for this share is left out. */
static const double dependent_share = 1e-6;
/* f is steady when it changes by no more than this. */
static const double steady_share = 1e-3;
/* After a stride the drift goes on where f differs by no more than this, or no contact has changed its state. */
static const double kept_share = 0.1;
/* |f| after an accelerated step may be this much larger. */
static const double growth_most = 2;
/* The linearised problem is solved to this share of the tolerance, or where it sinks no further to the other. */
static const double wanted_share = 0.02, enough_share = 0.5, slow_rate = 0.2;
static const double stride_growth = 16, stride_cut = 4;
/* Where long projections of like problems did not converge before. */
enum { HOPELESS_SWEEPS = 1000 };
/* For each pair of a row and a multiplier a sweep takes this many of them: changes of mu once or more, and the multipliers that it starts
 * with. */
static const double multiplications = 4;

typedef struct fixed_point {
    int n;
    double *z, *f;
    double *drift, *base;                          /* the steady f, and where it is followed from */
    double norm, size;                             /* largest row of the residual after the sweep; |f| */
    double *image, *rest, *last_image, *last_rest; /* what shall be the same next time, what shall vanish */
    double *d_image, *d_rest, *p, *q;              /* WINDOW columns each */
    int columns, newest;
    bool has_last;
    double wanted, enough;
    int most; /* sweeps */
    local_result *result;
} fixed_point;

/* to = a + t b */
static void move(int n, const double *a, double t, const double *b, double *to) {
    for (int i = 0; i < n; i++) to[i] = a[i] + t * b[i];
}

/* One sweep from z: f, |f|, and the best multipliers so far in s->dy_swept. True: solved. */
static bool sweep_solves(cone_solver *s, fixed_point *f) {
    double before = f->norm;
    for (int k = 0; k < f->n; k++) s->step[k] = f->z[k] * s->root_rho[k];
    cone_set_multipliers(s, s->step);
    cone_sweep(s);
    for (int k = 0; k < f->n; k++) f->f[k] = s->mu_l[k] / s->root_rho[k] - f->z[k];
    f->size = length_of(f->n, f->f);
    cone_classify(s, s->psi_l, s->mu_l);
    cone_residual(s, s->psi_l, s->mu_l, s->R);
    f->norm = cone_row_norm(s, s->R);
    f->result->projections++;
    s->out->cost.swept += multiplications * s->p->ny * s->p->npsi;
    if (f->norm < f->result->norm) {
        f->result->norm = f->norm;
        memcpy(s->dy_swept, s->mu_l, (size_t)f->n * sizeof(double));
    }
    return f->norm <= f->wanted || (f->norm <= f->enough && f->norm > slow_rate * before);
}

static bool may_go_on(const cone_solver *s, const fixed_point *f) {
    return isfinite(f->size) && f->result->projections < f->most && !cone_has_swept_enough(s) &&
           !base_stopped(s->context); /* newton.c reports that it was stopped */
}

/* ---- Anderson's acceleration ---- */

static void forget(fixed_point *f) {
    f->columns = 0;
    f->has_last = false;
}

static void remember(fixed_point *f) {
    size_t n = (size_t)f->n;
    if (f->has_last) {
        f->newest = (f->newest + 1) % WINDOW;
        move(f->n, f->image, -1, f->last_image, f->d_image + (size_t)f->newest * n);
        move(f->n, f->rest, -1, f->last_rest, f->d_rest + (size_t)f->newest * n);
        if (f->columns < WINDOW) f->columns++;
    }
    memcpy(f->last_image, f->image, n * sizeof(double));
    memcpy(f->last_rest, f->rest, n * sizeof(double));
    f->has_last = true;
}

/* z becomes the next point; `rest` is used up. */
static void extrapolate(fixed_point *f) {
    int n = f->n, used = 0;
    remember(f);
    memcpy(f->z, f->image, (size_t)n * sizeof(double));
    for (int c = 0; c < f->columns; c++) {
        size_t from = (size_t)((f->newest - c + WINDOW) % WINDOW) * (size_t)n, to = (size_t)used * (size_t)n;
        double *p = f->p + to, *q = f->q + to;
        memcpy(p, f->d_image + from, (size_t)n * sizeof(double));
        memcpy(q, f->d_rest + from, (size_t)n * sizeof(double));
        double all = dot_product(n, q, q);
        for (int k = 0; k < used; k++) {
            const double *p_k = f->p + (size_t)k * (size_t)n, *q_k = f->q + (size_t)k * (size_t)n;
            double share = dot_product(n, q_k, q);
            move(n, p, -share, p_k, p);
            move(n, q, -share, q_k, q);
        }
        double left = dot_product(n, q, q);
        if (!(left > dependent_share * dependent_share * larger(all, dot_product(n, p, p)))) continue;
        for (int i = 0; i < n; i++) p[i] /= sqrt(left), q[i] /= sqrt(left);
        double along = dot_product(n, q, f->rest);
        move(n, f->z, -along, p, f->z);
        move(n, f->rest, -along, q, f->rest);
        used++;
    }
}

static bool acceleration_solves(cone_solver *s, fixed_point *f) {
    double halved = INFINITY, last = INFINITY;
    forget(f);
    for (int since = 0; since < PATIENCE; since++) {
        if (sweep_solves(s, f)) return true;
        if (!may_go_on(s, f)) return false;
        if (f->size <= 0.5 * halved) halved = f->size, since = 0;
        if (f->columns > 0 && f->size > growth_most * last) { /* back to the plain image of the last point */
            memcpy(f->z, f->last_image, (size_t)f->n * sizeof(double));
            forget(f);
            last = INFINITY;
        } else {
            last = f->size;
            move(f->n, f->z, 1, f->f, f->image);
            memcpy(f->rest, f->f, (size_t)f->n * sizeof(double));
            extrapolate(f);
        }
    }
    return false;
}

/* ---- drift ---- */

typedef enum settled { SETTLED_STEADY, SETTLED_NOT, SETTLED_SOLVED } settled;

/* Whether f, the one after f->drift, has its direction and is not less: what falls converges. */
static bool is_steady(const fixed_point *f) {
    double growth = dot_product(f->n, f->f, f->drift) / dot_product(f->n, f->drift, f->drift);
    move(f->n, f->f, -growth, f->drift, f->rest);
    return growth >= 1 - steady_share && length_of(f->n, f->rest) <= steady_share * f->size;
}

/* A steady f in f->drift, at z. */
static settled settle(cone_solver *s, fixed_point *f) {
    for (int it = 0; it < SETTLE; it++) {
        if (sweep_solves(s, f)) return SETTLED_SOLVED;
        if (!may_go_on(s, f)) return SETTLED_NOT;
        memcpy(f->drift, f->f, (size_t)f->n * sizeof(double));
        move(f->n, f->z, 1, f->f, f->z);
        if (sweep_solves(s, f)) return SETTLED_SOLVED;
        if (!may_go_on(s, f)) return SETTLED_NOT;
        bool steady = is_steady(f);
        move(f->n, f->f, -1, f->drift, f->rest);
        memcpy(f->drift, f->f, (size_t)f->n * sizeof(double));
        if (steady) return SETTLED_STEADY;
        move(f->n, f->z, 1, f->f, f->image);
        extrapolate(f);
    }
    return SETTLED_NOT;
}

/* Strides along a steady f, the longest that leave it, or the states, as they are, until there are none. */
static bool drift_solves(cone_solver *s, fixed_point *f) {
    settled how;
    forget(f);
    for (double stride = 1; (how = settle(s, f)) == SETTLED_STEADY;) {
        uint64_t states = cone_state_hash(s);
        memcpy(f->base, f->z, (size_t)f->n * sizeof(double));
        for (stride *= stride_growth; stride > 1; stride /= stride_cut) {
            move(f->n, f->base, stride, f->drift, f->z);
            if (sweep_solves(s, f)) return true;
            if (!may_go_on(s, f)) return false;
            move(f->n, f->f, -1, f->drift, f->rest);
            if (cone_state_hash(s) == states || length_of(f->n, f->rest) <= kept_share * f->size) break;
        }
        if (stride > 1) continue;
        move(f->n, f->base, stride_cut, f->drift, f->z); /* into the next states */
        return false;
    }
    return how == SETTLED_SOLVED;
}

/* ---- */

static int sweeps_most(const cone_solver *s) {
    int most = s->settings.projection_max;
    return s->expected.hopeless && most > HOPELESS_SWEEPS ? HOPELESS_SWEEPS : most;
}

static void begin(cone_solver *s, int start, double norm, local_result *result, fixed_point *f) {
    int n = s->p->ny, left = sweeps_most(s) - s->out->iterations[CONE_PROJECTION];
    double *m = s->anderson, tolerance = s->settings.tolerance;
    size_t window = (size_t)WINDOW * (size_t)n;
    *f = (fixed_point){.n = n,
                       .z = s->dy_try,
                       .norm = INFINITY,
                       .result = result,
                       .wanted = wanted_share * smaller(norm, tolerance),
                       .enough = enough_share * tolerance,
                       .most = start == 0 ? left / 2 : left};
    double **vectors[] = {&f->f, &f->drift, &f->base, &f->image, &f->rest, &f->last_image, &f->last_rest},
           **windows[] = {&f->d_image, &f->d_rest, &f->p, &f->q};
    for (int k = 0; k < CONE_ANDERSON_VECTORS; k++, m += n) *vectors[k] = m;
    for (int k = 0; k < CONE_ANDERSON_WINDOWS; k++, m += window) *windows[k] = m;
    for (int k = 0; k < n; k++) f->z[k] = start == 0 ? s->mu[k] / s->root_rho[k] : 0;
}

zn_status cone_project_local(cone_solver *s, double norm, local_result *result) {
    const cone_problem *p = s->p;
    *result = (local_result){.norm = INFINITY, .inverse = CONE_LU};
    memset(s->dy_best, 0, (size_t)p->ny * sizeof(double));
    fixed_point f;
    begin(s, 0, norm, result, &f);
    cone_classify(s, s->psi_free, s->mu);
    cone_residual(s, s->psi_free, s->mu, s->R);
    result->norm = cone_row_norm(s, s->R);
    if (result->norm <= f.wanted) return ZN_OK; /* as when all are open and stay so */
    if (!cone_prepare_sweeps(s)) return ZN_ERROR_SINGULAR;
    memcpy(s->dy_swept, s->mu, (size_t)p->ny * sizeof(double));
    bool solved = false;
    for (int start = 0; start < 2 && !solved && !cone_has_swept_enough(s); start++) {
        begin(s, start, norm, result, &f);
        do solved = acceleration_solves(s, &f) || (may_go_on(s, &f) && drift_solves(s, &f));
        while (!solved && may_go_on(s, &f));
    }
    cone_solve_A(s, s->dy_swept, s->dy_best); /* y, absolute */
    cone_solve_A(s, s->mu, s->dy_try);
    for (int k = 0; k < p->ny; k++) s->dy_best[k] -= s->dy_try[k];
    return solved ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}
