/* SPDX-License-Identifier: Apache-2.0 */
/* The linearised problem in dy alone:  psi = psi_free + D dy,  mu = mu + A dy,  inclusions as in rows.c.
 *
 * Solving it costs no evaluation of the model. Unknowns and rows are scaled with the prox parameters, dy = rho^(1/2) z and rows
 * of psi times rho^(1/2), rows of mu times rho^(-1/2), which makes the matrix free of units with a diagonal of about 1, so a
 * tiny pivot means a redundant contact and not a heavy body. Components of A whose rows all say "mu = 0", and it is zero
 * already, take no part. */
#include "cone/solver.h"

/* A pivot below this, in the scaled matrix, stands for a redundant contact. */
static const double tiny_pivot = 1e-12;
static const double rank_tolerance = 1e-11;
/* Contacts that are nearly redundant: forces along such a direction would be round-off over it. They are redundant, too, where the residual
 * allows it. */
static const double soft_pivot = 1e-6;
/* Shift of the diagonal that stands in for the orthogonal decomposition in large systems. */
static const double least_shift = 1e-9;
/* Shift of the problem whose solution says which of several is meant, and what it is solved to, of what is wanted. */
static const double towards_zero = 1e-3, to_roundoff = 1e-4;
/* From a large shift on the next one is this part of the last; a refinement that leaves more than this part of the residual shall take a
 * smaller shift. */
static const double follow_ratio = 0.1, stuck_refinement = 0.1;
/* Of the residual of the whole problem: what may be left of the linearised one, for the next linearisation is another one; and gaps and
 * forces that are zero as far as one can tell by this one. */
static const double usable_share = 1e-3, near_share = 1e-2;
/* Shifts of proximal points: the first, and how they change. */
static const double first_shift = 1e-8, shift_fall = 0.3, shift_rise = 30;
/* Sweeps over large problems cost more than they gain. */
static const double sweep_work_most = 1e9;
/* The linearised problem is solved below the tolerance, so that its error does not matter, and below the residual it starts from, so that
 * there is progress. */
static const double wanted_share = 0.02, enough_share = 0.5;
/* A least-squares step that leaves more than this part of the residual, and the same states, made no progress. */
static const double stuck_share = 1 - 1e-6;
enum {
    NEWTON_TRIES = 40,
    UNDAMPED = 12,
    BRIEF_TRIES = 8,
    HISTORY = 16,
    HALVINGS = 6,
    PROXIMAL_TRIES = 60,
    PROXIMAL_FAILURES = 12,
    REFINEMENTS = 16,
    INVERSE_ROUNDS = 2,
    FOLLOW_FAILURES = 8
};

/* Sum of n^3 over the dense systems of a solve, or multiplications of its projections, less than a second of work; and of a solve where
 * similar ones took long and failed before. */
static const double dense_most = 5e9, dense_hopeless = 4e8;

static double work_most(const cone_solver *s) { return s->expected.hopeless ? dense_hopeless : dense_most; }
bool cone_is_exhausted(const cone_solver *s) { return s->out->cost.dense > work_most(s); }
bool cone_has_swept_enough(const cone_solver *s) { return s->out->cost.swept > work_most(s); }

typedef struct attempt {
    bool robust;   /* may invert singular systems, */
    bool unturned; /* but only those of the states that it starts with */
    /* The first step: by the states at its point, as if all were closed and sticking, or with the directions that modes of slip have. */
    enum { FIRST_BY_STATES, FIRST_STICKING, FIRST_DIRECTED } first;
    enum { DAMP_WHEN_CYCLING, DAMP_ALWAYS, DAMP_NEVER } damping; /* line search */
    double shift;                                                /* of psi towards s->centre: a proximal step; 0: none */
    double tolerance, enough;                                    /* wanted; accepted when round-off lets it sink no further */
    double usable;                                               /* accepted where least squares leave it */
    double near;                                                 /* with `unturned`: gaps and forces of the start up to this may be zero */
    int tries;
} attempt;

/* psi += d change. */
static inline void add_column(int n, const double *d, double change, double *psi) { lin_dense_add_columns(n, 1, &d, &change, psi); }

void cone_local_point(cone_solver *s, const double *dy) {
    const cone_problem *p = s->p;
    memcpy(s->psi_l, s->psi_free, (size_t)p->npsi * sizeof(double));
    memcpy(s->mu_l, s->mu, (size_t)p->nmu * sizeof(double));
    cone_multiply_A(s, dy, s->mu_l);
    for (int j = 0; j < p->ny; j++) {
        if (dy[j] == 0) continue;
        cone_need_column(s, j);
        add_column(p->npsi, s->D + (size_t)j * (size_t)p->npsi, dy[j], s->psi_l);
    }
}

/* Square of the scaled residual, for the line search; its largest row is in *norm. */
static double merit(const cone_solver *s, double *norm) {
    double sum = 0, worst = 0;
    for (int k = 0; k < s->p->ny; k++) {
        double size = fabs(s->R[k]) * s->row_scale[2 * k + (s->kind[k] == CONE_ROW_PSI ? 0 : 1)];
        sum += size * size;
        worst = larger(size, worst);
    }
    *norm = worst;
    return sum;
}

/* With a shift, psi is that of the proximal problem: psi + shift (mu - centre)/rho. */
static double measure(cone_solver *s, const double *dy, double shift, double *norm) {
    cone_local_point(s, dy);
    for (int k = 0; k < s->p->ny && shift > 0; k++)
        if (s->psi_row[k] >= 0) s->psi_l[s->psi_row[k]] += shift / s->rho[k] * (s->mu_l[k] - s->centre[k]);
    cone_classify(s, s->psi_l, s->mu_l);
    cone_residual(s, s->psi_l, s->mu_l, s->R);
    return merit(s, norm);
}

/* Too many multipliers for an orthogonal decomposition: systems of all contacts that there are would cost more than any method. */
static bool is_large(const cone_solver *s) { return !s->cod; }

static int choose_active(cone_solver *s) {
    int n = 0;
    for (int c = 0; c < s->n_components; c++) {
        bool passive = true;
        for (int e = s->component_start[c]; e < s->component_start[c + 1] && passive; e++) {
            int k = s->component_rows[e];
            passive = s->kind[k] == CONE_ROW_MULTIPLIER && s->mu_l[k] == 0;
        }
        if (passive) continue;
        for (int e = s->component_start[c]; e < s->component_start[c + 1]; e++) s->active[n++] = s->component_rows[e];
    }
    return n;
}

static double row_factor(const cone_solver *s, int k) { return s->kind[k] == CONE_ROW_PSI ? s->root_rho[k] : 1 / s->root_rho[k]; }

/* Column j of d psi/d y, in s->d_psi where a shift adds to it. s->column: that of A. */
static const double *psi_column(cone_solver *s, int j, double shift) {
    const cone_problem *p = s->p;
    const double *d = s->D + (size_t)j * (size_t)p->npsi;
    if (shift == 0) return d;
    memcpy(s->d_psi, d, (size_t)p->npsi * sizeof(double));
    for (int e = p->A.start ? p->A.start[j] : j; e < (p->A.start ? p->A.start[j + 1] : j + 1); e++) {
        int k = p->A.start ? p->A.index[e] : e;
        if (k < p->ny && s->psi_row[k] >= 0) s->d_psi[s->psi_row[k]] += shift / s->rho[k] * s->column[k];
    }
    for (int k = 0; k < p->n_cones && s->frozen; k++) { /* where balls that stick have rows of their own */
        const cone *c = &p->cones[k];
        for (int b = 0, i = 0; cone_is_frozen(c) && c->psi_stick > 0 && b < c->n_balls; b++)
            for (int end = i + c->balls[b].dim; i < end; i++)
                s->d_psi[c->psi_stick + i] += shift / s->rho[c->mu_F + i] * s->column[c->mu_F + i];
    }
    return s->d_psi;
}

/* Cones that have a row among the n active ones: of many contacts most are open. The rows of the others are not asked for. */
static int choose_cones(cone_solver *s, int n) {
    const cone_problem *p = s->p;
    int count = 0;
    for (int k = 0; k < p->ny; k++) s->takes_part[k] = 0;
    for (int r = 0; r < n; r++) s->takes_part[s->active[r]] = 1;
    for (int k = 0; k < p->n_cones; k++) {
        const cone *c = &p->cones[k];
        bool takes_part = c->psi_N >= 0 && s->takes_part[c->mu_N];
        for (int b = 0, row = c->mu_F; b < c->n_balls; row += c->balls[b++].dim)
            for (int i = 0; i < c->balls[b].dim; i++) takes_part = takes_part || s->takes_part[row + i];
        if (takes_part) s->cones_here[count++] = k;
    }
    return count;
}

static void build_system(cone_solver *s, int n, double shift) {
    const cone_problem *p = s->p;
    int n_cones = choose_cones(s, n);
    cone_need_columns(s, n, s->active);
    for (int c = 0; c < n; c++) s->factor[s->active[c]] = row_factor(s, s->active[c]);
    for (int c = 0; c < n; c++) {
        int j = s->active[c];
        if (p->A.start)
            for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) s->column[p->A.index[e]] = p->A_values[e];
        else s->column[j] = 1;
        cone_apply_rows(s, n_cones, s->cones_here, psi_column(s, j, shift), s->column, s->row);
        if (p->A.start)
            for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) s->column[p->A.index[e]] = 0;
        else s->column[j] = 0;
        double *S = s->S + (size_t)c * (size_t)n;
        for (int r = 0; r < n; r++) S[r] = s->row[s->active[r]] * s->factor[s->active[r]] * s->root_rho[j];
    }
    for (int r = 0; r < n; r++) s->z[r] = -s->R[s->active[r]] * s->factor[s->active[r]];
}

/* Whether the inverse magnifies so much that forces along some direction would be round-off: inverse iteration with the factors at hand,
 * for pivots alone depend on the order of rows. */
static bool is_nearly_singular(cone_solver *s, int n) {
    double *v = s->row, size = sqrt(n);
    for (int k = 0; k < n; k++) v[k] = 1;
    for (int round = 0; round < INVERSE_ROUNDS; round++) {
        double square = 0;
        for (int k = 0; k < n; k++) v[k] /= size;
        lin_dense_lu_solve(n, s->S, s->pivot, v, 1);
        for (int k = 0; k < n; k++) square += v[k] * v[k];
        size = sqrt(square);
        if (!(size * soft_pivot < 1)) return true;
    }
    return false;
}

static bool solve_system(cone_solver *s, int n, double tiny) {
    if (lin_dense_lu_factor(n, s->S, s->pivot) != 0) return false;
    for (int k = 0; k < n; k++)
        if (!(fabs(s->S[(size_t)k * (size_t)n + (size_t)k]) > tiny)) return false;
    lin_dense_lu_solve(n, s->S, s->pivot, s->z, 1);
    return true;
}

/* Rows of S that depend on each other have the same label in s->pivot: the smallest of their numbers. */
static void find_blocks(cone_solver *s, int n) {
    int *label = s->pivot;
    for (int i = 0; i < n; i++) label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                if (s->S[(size_t)j * (size_t)n + (size_t)i] == 0 || label[i] == label[j]) continue;
                label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
                changed = true;
            }
    }
}

/* Where the forces are not unique those of least norm are meant: not the least change from where the iteration happens to be, which depends
 * on its way, and so on round-off. With z_0 = rho^(-1/2) (y + dy) that is z = S^+ (S z_0 + right side) - z_0, by the orthogonal
 * decomposition: the system in the first n of ny rows, ones on the rest of the diagonal. */
static void solve_least_norm(cone_solver *s, int n, double tolerance) {
    int ny = s->p->ny;
    for (int c = 0; c < n; c++) {
        int j = s->active[c];
        add_column(n, s->S + (size_t)c * (size_t)n, (s->y_local[j] + s->dy[j]) / s->root_rho[j], s->z);
    }
    for (int j = n - 1; j >= 0; j--) memmove(s->S + (size_t)j * (size_t)ny, s->S + (size_t)j * (size_t)n, (size_t)n * sizeof(double));
    for (int j = 0; j < ny; j++) {
        double *column = s->S + (size_t)j * (size_t)ny;
        memset(column + (j < n ? n : 0), 0, (size_t)(j < n ? ny - n : ny) * sizeof(double));
        if (j >= n) column[j] = 1;
    }
    for (int k = n; k < ny; k++) s->z[k] = 0;
    lin_cod_factor(s->cod, s->S, tolerance);
    memcpy(s->row, s->z, (size_t)ny * sizeof(double));
    lin_cod_solve(s->cod, s->row, s->z);
    for (int c = 0; c < n; c++) {
        int j = s->active[c];
        s->z[c] -= (s->y_local[j] + s->dy[j]) / s->root_rho[j];
    }
}

/* The same for contacts with modes, block by block: bodies that do not touch each other have blocks of their own, most of which are
 * regular. False: one is not, and regular ones are wanted. */
static bool solve_blocks(cone_solver *s, int n, double tiny, double tolerance, bool robust, cone_inverse *inverse) {
    lin_cod *cod = s->cod ? s->cod : s->blocks;
    find_blocks(s, n);
    for (int k = 0; k < n; k++) {
        if (s->pivot[k] != k || lin_cod_eliminate_block(cod, n, s->S, s->pivot, k, tiny, s->z)) continue;
        if (!robust) return false;
        *inverse = CONE_MINIMUM_NORM;
        for (int c = k; c < n; c++)
            if (s->pivot[c] == k)
                add_column(n, s->S + (size_t)c * (size_t)n, (s->y_local[s->active[c]] + s->dy[s->active[c]]) / s->root_rho[s->active[c]],
                           s->z);
        lin_cod_solve_block(cod, n, s->S, s->pivot, k, tolerance, s->z);
        for (int c = k; c < n; c++)
            if (s->pivot[c] == k) s->z[c] -= (s->y_local[s->active[c]] + s->dy[s->active[c]]) / s->root_rho[s->active[c]];
    }
    return true;
}

/* s->step becomes the Newton step at the present states. */
static bool newton_step(cone_solver *s, const attempt *how, cone_inverse *inverse) {
    int n = choose_active(s);
    s->out->cost.dense += (double)n * n * n;
    s->soft = false;
    memset(s->step, 0, (size_t)s->p->ny * sizeof(double));
    build_system(s, n, how->shift);
    bool soft = how->unturned && how->robust && s->cod;
    double tiny = soft ? soft_pivot : tiny_pivot;
    if (s->frozen && (s->cod || s->blocks) && how->shift == 0) {
        if (!solve_blocks(s, n, tiny, soft ? soft_pivot : rank_tolerance, how->robust, inverse)) return false;
    } else if (solve_system(s, n, tiny)) s->soft = how->unturned && is_nearly_singular(s, n);
    else {
        if (!how->robust) return false;
        *inverse = s->cod ? CONE_MINIMUM_NORM : CONE_REGULARISED;
        build_system(s, n, s->cod ? 0 : least_shift);
        if (s->cod) solve_least_norm(s, n, soft ? soft_pivot : rank_tolerance);
        else if (!solve_system(s, n, tiny_pivot)) return false;
    }
    for (int c = 0; c < n; c++) s->step[s->active[c]] = s->z[c] * s->root_rho[s->active[c]];
    return all_finite(s->p->ny, s->step);
}

/* dy += t step with the first t = 1, 1/2, .. that reduces the merit, or else the best of them. */
static void line_search(cone_solver *s, double start, double shift) {
    int ny = s->p->ny;
    double t = 1, best_t = 1, best = INFINITY, norm;
    for (int k = 0; k < HALVINGS; k++, t /= 2) {
        for (int j = 0; j < ny; j++) s->dy_try[j] = s->dy[j] + t * s->step[j];
        double now = measure(s, s->dy_try, shift, &norm);
        if (now < best) {
            best = now;
            best_t = t;
        }
        if (now < (1 - 0.2 * t) * start) break;
    }
    for (int j = 0; j < ny; j++) s->dy[j] += best_t * s->step[j];
}

static void keep_best(cone_solver *s, double norm, local_result *result) {
    if (!(norm < result->norm)) return;
    result->norm = norm;
    memcpy(s->dy_best, s->dy, (size_t)s->p->ny * sizeof(double));
}

/* Forces may not be unique where a matrix is singular, or where a contact touches without a force. */
static bool touches_without_force(const cone_solver *s, double tolerance) {
    const cone_problem *p = s->p;
    for (int k = 0; k < p->n_cones; k++) {
        int row = p->cones[k].mu_N, psi = p->cones[k].psi_N;
        if (psi < 0 || !s->on[k]) continue;
        if (fabs(s->mu_l[row]) * s->row_scale[2 * row + 1] <= tolerance && fabs(s->psi_l[psi]) * s->row_scale[2 * row] <= tolerance)
            return true;
    }
    return false;
}

/* From s->dy; the best iterate is kept in s->dy_best, result->norm. */
static zn_status run_newton(cone_solver *s, const attempt *how, local_result *result) {
    int ny = s->p->ny;
    uint64_t history[HISTORY] = {0};
    bool damped = how->damping == DAMP_ALWAYS, least_squares = false;
    attempt here = *how;
    double before = INFINITY;
    for (int it = 0; it <= how->tries; it++) {
        if (base_stopped(s->context) || cone_is_exhausted(s)) return ZN_ERROR_NO_CONVERGENCE; /* newton.c and solver.c report it */
        double norm, square = measure(s, s->dy, how->shift, &norm);
        if (it == 0 && how->first != FIRST_BY_STATES) {
            if (how->first == FIRST_STICKING) cone_assume_sticking(s, is_large(s));
            else cone_assume_directions(s);
            cone_residual(s, s->psi_l, s->mu_l, s->R);
        } else {
            if (!isfinite(square)) return ZN_ERROR_NO_CONVERGENCE;
            if (how->shift == 0) keep_best(s, norm, result);
            if (it == 0 && how->unturned) result->doubtful = touches_without_force(s, how->near);
            uint64_t hash = cone_state_hash(s);
            result->turned = it > 0 && (result->turned || hash != history[(it - 1) % HISTORY]);
            if (how->unturned && result->turned) here.robust = false;
            if (norm <= how->tolerance || (norm <= how->enough && norm > 0.2 * before)) return ZN_OK;
            /* Least squares of rows that contradict each other lead here again. */
            if (it > 0 && least_squares && hash == history[(it - 1) % HISTORY] && norm > stuck_share * before)
                return norm <= how->usable ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
            before = norm;
            for (int back = 2; back < HISTORY && back <= it; back++)
                if (history[(it - back) % HISTORY] == hash && history[(it - 1) % HISTORY] != hash) damped = true;
            history[it % HISTORY] = hash;
        }
        if (it == how->tries) break;
        cone_inverse inverse = CONE_LU;
        if (!newton_step(s, &here, &inverse)) return ZN_ERROR_SINGULAR;
        least_squares = inverse != CONE_LU;
        if (least_squares) result->inverse = inverse;
        result->iterations++;
        if (how->damping != DAMP_NEVER && (damped || it >= UNDAMPED)) line_search(s, square, how->shift);
        else
            for (int j = 0; j < ny; j++) s->dy[j] += s->step[j];
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* ---- one of several solutions ---- */

/* A shift means the same in all rows: not where cones have modes, nor where slip on one level guides that on another, nor where multipliers
 * are sums over stages: there the solution of least norm may be one that creates energy. */
static bool may_choose(const cone_solver *s) {
    bool may = s->cod && !s->frozen && !s->p->A.start;
    for (int k = 0; k < s->p->n_cones && may; k++) may = s->p->cones[k].stick_of == -1;
    return may;
}

/* Where several choices of contacts that carry a force, or stick, are right, the way of the iteration decides which is found, and so
 * round-off does: a box that lands flat on another, and slides. With a shift towards zero there is one solution, that of nearly the least
 * norm, if the shift is large: from there the solutions for smaller ones are followed. */
static zn_status follow_shifts(cone_solver *s, attempt *how, local_result *result) {
    size_t bytes = (size_t)s->p->ny * sizeof(double);
    double tolerance = how->tolerance, done = 1, tried = done;
    memset(s->centre, 0, bytes);
    for (int j = 0; j < s->p->ny; j++) s->dy[j] = -s->y_local[j];
    memcpy(s->dy_best, s->dy, bytes);
    for (int failures = 0; failures <= FOLLOW_FAILURES;) {
        how->shift = tried;
        how->tolerance = tried > towards_zero ? how->enough : tolerance;
        bool solved = run_newton(s, how, result) == ZN_OK;
        if (solved && tried == towards_zero) return ZN_OK;
        if (solved) memcpy(s->dy_best, s->dy, bytes), done = tried;
        else memcpy(s->dy, s->dy_best, bytes), failures++;
        tried = solved ? larger(done * follow_ratio, towards_zero) : sqrt(done * tried);
        if (tried < 2 * towards_zero) tried = towards_zero;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* From there shifts towards the solution before take what is left of the residual. Each of these problems is regular, and is solved to
 * round-off, for errors come out over the shift: it falls only where the residual does not, and gaps that contradict each other because
 * they were linearised, by less than what is usable, are left alone. */
static zn_status take_the_rest(cone_solver *s, attempt *how, double usable, local_result *result) {
    size_t bytes = (size_t)s->p->ny * sizeof(double);
    double norm, before = INFINITY;
    for (int it = 0; it <= REFINEMENTS; it++) {
        measure(s, s->dy, 0, &norm);
        bool stuck = norm > stuck_refinement * before;
        if (norm <= how->enough || (norm <= usable && stuck) || it == REFINEMENTS) break;
        before = norm;
        if (stuck) how->shift *= follow_ratio;
        memcpy(s->centre, s->mu_l, bytes);
        memcpy(s->dy_best, s->dy, bytes);
        if (run_newton(s, how, result) == ZN_OK) continue;
        memcpy(s->dy, s->dy_best, bytes);
        how->shift = smaller(how->shift * shift_rise, towards_zero);
    }
    memcpy(s->dy_best, s->dy, bytes);
    result->norm = norm;
    return norm <= usable ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}

static bool slips(const cone_solver *s) {
    for (int k = 0; k < s->p->ny; k++)
        if (s->kind[k] == CONE_ROW_SLIP) return true;
    return false;
}

/* The solution, where it is the only one, or the states of the start are right: then the way does not matter. Else that of least norm. */
static zn_status unique_or_least(cone_solver *s, const attempt *wish, double outer, local_result *result) {
    size_t bytes = (size_t)s->p->ny * sizeof(double);
    attempt how = *wish, shifted = {.tolerance = to_roundoff * wish->tolerance, .enough = wish->tolerance, .tries = NEWTON_TRIES};
    /* Who asks for less than the tolerance gets it. */
    bool above = outer > s->settings.tolerance;
    double usable = above ? larger(wish->enough, usable_share * outer) : wish->tolerance;
    double near = larger(above ? s->settings.tolerance : 0, near_share * outer);
    how.unturned = true;
    how.usable = usable;
    how.near = near;
    s->soft = false;
    memset(s->dy, 0, bytes);
    bool found = run_newton(s, &how, result) == ZN_OK, doubtful = result->doubtful || result->turned;
    bool singular = result->inverse != CONE_LU;
    bool alone = !s->soft && !touches_without_force(s, near) && !(singular && (doubtful || slips(s)));
    if (found && alone) return ZN_OK;
    double norm = result->norm;
    if (found) memcpy(s->dy_swept, s->dy_best, bytes);
    result->norm = INFINITY;
    zn_status status = follow_shifts(s, &shifted, result);
    if (status == ZN_OK) status = take_the_rest(s, &shifted, usable, result);
    if (found && status != ZN_OK) { /* then what is there is taken */
        memcpy(s->dy_best, s->dy_swept, bytes);
        result->norm = norm;
        return ZN_OK;
    }
    if (!found && status == ZN_OK) result->inverse = CONE_MINIMUM_NORM;
    return status;
}

/* The proximal point method: psi + shift (mu - centre)/rho in place of psi makes a regular problem with a solution near the centre, which
 * is the next centre. Where sticking is inconsistent (two contacts in a corner) the solution lies far along a direction that changes no
 * velocity, and the smaller the shift the further a step goes: it falls with success, and rises where the shifted problem is not solved
 * either. */
static zn_status proximal_points(cone_solver *s, double wanted, double enough, local_result *result) {
    size_t bytes = (size_t)s->p->ny * sizeof(double);
    double norm, shift = first_shift;
    memcpy(s->dy, s->dy_best, bytes);
    measure(s, s->dy, 0, &norm);
    for (int it = 0, failures = 0; it < PROXIMAL_TRIES && failures < PROXIMAL_FAILURES && !cone_is_exhausted(s); it++) {
        attempt how = {.robust = true, .shift = shift, .damping = DAMP_NEVER, .tolerance = wanted, .enough = enough, .tries = NEWTON_TRIES};
        memcpy(s->centre, s->mu_l, bytes);
        memcpy(s->dy_swept, s->dy, bytes);
        if (run_newton(s, &how, result) == ZN_OK) shift = larger(shift * shift_fall, least_shift);
        else {
            memcpy(s->dy, s->dy_swept, bytes);
            failures = shift < 1 ? failures + 1 : PROXIMAL_FAILURES; /* the same again would fail again */
            shift = smaller(shift * shift_rise, 1);
        }
        measure(s, s->dy, 0, &norm);
        keep_best(s, norm, result);
        if (norm <= enough) break;
    }
    if (norm > wanted && norm <= enough) { /* from here Newton's method itself gets further, or not */
        attempt how = {.robust = true, .tolerance = wanted, .enough = enough, .tries = UNDAMPED};
        run_newton(s, &how, result);
    }
    return result->norm <= enough ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}

/* More and more sweeps from zero multipliers, Newton after each lot. */
static zn_status sweeps_and_newton(cone_solver *s, const double *y, double wanted, double enough, local_result *result) {
    static const int lots[] = {10, 50, 200, 1000};
    int ny = s->p->ny;
    if (!s->E || !cone_prepare_sweeps(s)) return ZN_ERROR_NO_CONVERGENCE;
    for (int j = 0; j < ny; j++) s->dy[j] = -y[j];
    for (int k = 0; k < 4; k++) {
        if ((double)lots[k] * ny * s->p->npsi > sweep_work_most || cone_is_exhausted(s) || !cone_sweeps(s, lots[k], enough)) break;
        result->projections += lots[k];
        memcpy(s->dy_swept, s->dy, (size_t)ny * sizeof(double));
        for (int kind = 0; kind < 2; kind++) {
            attempt how = {.robust = true,
                           .damping = kind == 1 ? DAMP_ALWAYS : DAMP_WHEN_CYCLING,
                           .tolerance = wanted,
                           .enough = enough,
                           .tries = NEWTON_TRIES};
            memcpy(s->dy, s->dy_swept, (size_t)ny * sizeof(double));
            if (run_newton(s, &how, result) == ZN_OK) return ZN_OK;
        }
        memcpy(s->dy, s->dy_swept, (size_t)ny * sizeof(double));
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* Of a brief solve. Where slip in several directions begins, Newton's method may turn it round for ever: with the directions of rho psi -
 * mu (rows.c) it does not, and where these lead nowhere the solution for the directions of the modes, which is linear, is a better start.
 * Then from the best point so far, with line search. */
static zn_status second_try(cone_solver *s, attempt *how, local_result *result) {
    if (s->frozen) {
        s->augmented = true;
        memset(s->dy, 0, (size_t)s->p->ny * sizeof(double));
        zn_status status = run_newton(s, how, result);
        s->augmented = false;
        if (status == ZN_OK) return ZN_OK;
        how->first = FIRST_DIRECTED;
        memset(s->dy, 0, (size_t)s->p->ny * sizeof(double));
        if (run_newton(s, how, result) == ZN_OK) return ZN_OK;
        how->first = FIRST_BY_STATES;
    }
    how->damping = DAMP_ALWAYS;
    memcpy(s->dy, s->dy_best, (size_t)s->p->ny * sizeof(double));
    return run_newton(s, how, result);
}

zn_status cone_solve_local(cone_solver *s, const double *y, bool robust, double norm, local_result *result) {
    int ny = s->p->ny;
    *result = (local_result){.norm = INFINITY, .inverse = CONE_LU};
    double tolerance = s->settings.tolerance, wanted = wanted_share * smaller(norm, tolerance), enough = enough_share * tolerance;
    attempt how = {.robust = robust, .tolerance = wanted, .enough = enough, .tries = s->brief ? BRIEF_TRIES : NEWTON_TRIES};
    double single_norm;
    s->y_local = y;
    if ((cone_solve_single(s, s->dy_best, &single_norm) || (s->frozen && cone_solve_frozen(s, s->dy_best, &single_norm))) &&
        single_norm <= enough) {
        result->norm = single_norm;
        return ZN_OK;
    }
    memset(s->dy_best, 0, (size_t)ny * sizeof(double));
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    if (robust && may_choose(s)) {
        status = unique_or_least(s, &how, norm, result);
        if (status == ZN_OK) return status;
    }
    for (int start = 0; start < 3 && status != ZN_OK; start++) {
        for (int j = 0; j < ny; j++) s->dy[j] = start == 0 ? 0 : -y[j];
        how.first = start == 2 ? FIRST_STICKING : FIRST_BY_STATES;
        if (start > 0 && is_large(s) && !s->brief) how.tries = UNDAMPED; /* what cycles goes on to cycle, and proximal points do not */
        status = run_newton(s, &how, result);
        if (status == ZN_ERROR_SINGULAR && !robust) return status;
        if (s->brief && status != ZN_OK) return second_try(s, &how, result);
    }
    if (status == ZN_OK || !robust) return status;
    status = proximal_points(s, wanted, enough, result);
    return status == ZN_OK ? status : sweeps_and_newton(s, y, wanted, enough, result);
}
