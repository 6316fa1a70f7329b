/* SPDX-License-Identifier: Apache-2.0 */
/* The linear contact problem, reduced to the contact rows. With z = (x, P_b), y = (P_N, P_F) and
 *
 *   K = | M         -W_b |    phi = K z - W_c y - (f, -c_b) = 0    psi = c_c + (dc1_c/du) x
 *       | dc1_b/du   0   |
 *
 *   z = z_base + G (y - y_base),       K z_base = (f, -c_b) + W_c y_base,   K G = W_c
 *   psi = psi_base + D (y - y_base),   psi_base = psi(x_base),              D = (dc1_c/du) G
 *
 * with y_base the old solution (nothing moves where nothing changes: a ball at rest stays at rest exactly) or zero, a problem
 * in y is left for the cone solver, which is not needed when no contact is active. K is factorised, and a column of G and D is
 * made, only when M, W or dc1/du have other values than in the solve before: with constant mass and linear gaps, once. */
#include "scheme/linear_reduced.h"

#include "linalg/saddle.h"

/* Solves with the kept factors are repeated until the residual is this part of the tolerance, at most this many times. */
static const double refined_share = 0.1;
enum { REFINEMENTS = 3 };
/* Distance of the points of the test for noise: linear equations may be examined at any distance. */
static const double probe_share = 1e-8;

struct linear_reduced {
    const linear_problem *p;
    cone_settings settings;
    cone_unit unit;
    cone_problem problem; /* in y alone */
    cone_solver *solver;
    lin_pattern psi_y;
    lin_saddle *saddle;        /* K body by body; NULL: does not pay */
    bool by_saddle, same_M;    /* it holds K; it holds the inverse of M_kept */
    lin_lu *lu;                /* of K, where `saddle` does not */
    bool factored, least_norm; /* it holds K; by the regularised factorisation */
    bool *have;                /* per contact row: its columns of G and D are valid */
    double *memory;
    double *M_kept, *W_kept, *c1_kept; /* what the factors and columns belong to */
    double *G, *D;                     /* nx x nc, nc x nc, by columns */
    double *z_cold, *y_base, *psi_base, *psi, *phi;
    double *z_probe, *seen; /* the test for round-off */
    double *left;           /* nx: what is forgiven of phi; NULL: joints must not contradict each other */
};

static void reduced_psi(const linear_reduced *r, const double *y, double *psi) {
    size_t nc = (size_t)r->p->nc;
    memcpy(psi, r->psi_base, nc * sizeof(double));
    for (size_t j = 0; j < nc; j++) {
        const double *d = r->D + j * nc;
        double dy = y[j] - r->y_base[j];
        for (size_t i = 0; dy != 0 && i < nc; i++) psi[i] += d[i] * dy;
    }
}

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    const linear_reduced *r = user;
    const linear_problem *p = r->p;
    (void)x;
    size_t nc = (size_t)p->nc;
    if (out->psi) {
        reduced_psi(r, y, out->psi);
        memcpy(out->psi + nc, p->direction, (size_t)p->model->size.nF * sizeof(double));
    }
    if (out->psi_y)
        for (size_t j = 0; j < nc; j++) /* columns of open contacts are never read */
            if (p->wanted[j]) memcpy(out->psi_y + j * nc, r->D + j * nc, nc * sizeof(double));
    return 0;
}

static zn_status make_memory(linear_reduced *r) {
    zn_context *context = r->p->context;
    const zn_patterns *pattern = &r->p->model->pattern;
    long nx = r->p->nx, nc = r->p->nc, npsi = r->p->problem.npsi;
    const mem_part list[] = {
        {&r->M_kept, lin_nnz(&pattern->M)},
        {&r->W_kept, lin_nnz(&pattern->W)},
        {&r->c1_kept, lin_nnz(&pattern->c1_u)},
        {&r->G, nx * nc},
        {&r->D, nc * nc},
        {&r->z_cold, nx},
        {&r->y_base, nc},
        {&r->psi_base, npsi},
        {&r->psi, npsi},
        {&r->phi, nx},
        {&r->z_probe, nx},
        {&r->seen, CONE_SUSPECT_MEMORY * nx},
    };
    r->memory = MEM_PARTS(context, list);
    r->have = MEM_ARRAY(context, bool, nc);
    if (!r->memory || !r->have) return ZN_ERROR_MEMORY;
    return ZN_OK;
}

linear_reduced *linear_reduced_create(const linear_problem *p, const cone_settings *settings, cone_unit unit) {
    zn_context *context = p->context;
    linear_reduced *r = MEM_ARRAY(context, linear_reduced, 1);
    if (!r) return NULL;
    r->p = p;
    r->settings = *settings;
    r->unit = unit;
    zn_status status = lin_pattern_dense(context, p->nc, p->nc, &r->psi_y);
    r->psi_y.p.rows = p->problem.npsi; /* the directions below do not depend on y */
    if (status == ZN_OK) status = make_memory(r);
    if (status == ZN_OK && !(r->lu = lin_lu_create(context, p->K))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = lin_lu_reserve_regularised(r->lu, p->K);
    if (status == ZN_OK) status = lin_lu_weigh_rows(r->lu, p->K, p->nx, p->phi_scale);
    bool allows = settings->contradiction > 0 && settings->solver != ZN_SOLVER_NEWTON && p->nx > p->problem.n_settled;
    if (status == ZN_OK && !allows) status = lin_saddle_create(context, &p->model->pattern.M, &p->W_b.p, &p->c1_b.p, &r->saddle);
    if (status == ZN_OK && allows && !(r->left = MEM_ARRAY(context, double, p->nx))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        r->problem = (cone_problem){.ny = p->nc,
                                    .npsi = p->problem.npsi,
                                    .nmu = p->nc,
                                    .n_cones = p->problem.n_cones,
                                    .cones = p->cones,
                                    .user = r,
                                    .evaluate = evaluate,
                                    .psi_y = r->psi_y.p,
                                    .rho = p->prox.rho,
                                    .psi_scale = p->psi_scale,
                                    .psi_unit = p->psi_unit};
        r->solver = cone_solver_create(context, &r->problem, settings);
    }
    if (r->solver) return r;
    linear_reduced_destroy(context, r);
    return NULL;
}

void linear_reduced_destroy(zn_context *context, linear_reduced *r) {
    if (!r) return;
    cone_solver_destroy(r->solver);
    lin_saddle_destroy(r->saddle);
    lin_lu_destroy(r->lu);
    lin_pattern_destroy(context, &r->psi_y);
    mem_free(context, r->memory);
    mem_free(context, r->left);
    mem_free(context, r->have);
    mem_free(context, r);
}

static zn_status factor_whole(linear_reduced *r) {
    const linear_problem *p = r->p;
    lin_matrix_zero(p->K);
    lin_matrix_add(p->K, p->block_M, 1, p->at.M);
    lin_matrix_add(p->K, p->block_W, -1, p->at.W);
    lin_matrix_add(p->K, p->block_c1, 1, p->at.c1_u);
    zn_status status = ZN_ERROR_SINGULAR;
    if (!r->left) status = lin_lu_factor(r->lu, p->K, false);
    r->least_norm = status == ZN_ERROR_SINGULAR && r->settings.solver != ZN_SOLVER_NEWTON; /* redundant joints */
    if (r->least_norm) status = lin_lu_factor_rank(r->lu, p->K, r->left ? CONE_CONTRADICTION_RANK : 0);
    r->factored = status == ZN_OK;
    return status;
}

static zn_status factor(linear_reduced *r) {
    const linear_problem *p = r->p;
    const zn_patterns *pattern = &p->model->pattern;
    bool other_M = answers_keep(r->M_kept, p->at.M, &pattern->M), other_W = answers_keep(r->W_kept, p->at.W, &pattern->W);
    bool changed = answers_keep(r->c1_kept, p->at.c1_u, &pattern->c1_u) || other_M || other_W;
    if ((r->by_saddle || r->factored) && !changed) return ZN_OK;
    memset(r->have, 0, (size_t)p->nc * sizeof *r->have);
    r->by_saddle = r->saddle && lin_saddle_factor(r->saddle, p->at.M, p->at.W, r->c1_kept, r->same_M && !other_M) == ZN_OK;
    r->same_M = r->by_saddle;
    if (!r->by_saddle) return factor_whole(r);
    r->factored = r->least_norm = false;
    return ZN_OK;
}

static void solve(const linear_reduced *r, double *b) {
    if (r->by_saddle) lin_saddle_solve(r->saddle, b);
    else lin_lu_solve(r->lu, b);
}

static void make_columns(linear_reduced *r) {
    const linear_problem *p = r->p;
    const zn_patterns *pattern = &p->model->pattern;
    int first = model_row_N(p->model);
    const double *c1_c = p->at.c1_u + scheme_column_offset(&pattern->c1_u, first);
    for (int j = 0; j < p->nc; j++) {
        if (!p->wanted[j] || r->have[j]) continue;
        double *g = r->G + (size_t)j * (size_t)p->nx, *d = r->D + (size_t)j * (size_t)p->nc;
        memset(g, 0, (size_t)p->nx * sizeof *g);
        memset(d, 0, (size_t)p->nc * sizeof *d);
        for (int k = pattern->W.start[first + j]; k < pattern->W.start[first + j + 1]; k++) g[pattern->W.index[k]] = p->at.W[k];
        solve(r, g);
        lin_multiply_transposed(&p->c1_c.p, c1_c, 1, g, d);
        r->have[j] = true;
    }
}

double linear_reduced_response(const linear_reduced *r, int i, int j) { return r->D[(size_t)j * (size_t)r->p->nc + (size_t)i]; }

/* z = z_base + G (y - y_base), with z_base in z */
static void add_columns(const linear_reduced *r) {
    const linear_problem *p = r->p;
    for (int j = 0; j < p->nc; j++) {
        const double *g = r->G + (size_t)j * (size_t)p->nx;
        double dy = p->y[j] - r->y_base[j];
        for (int i = 0; dy != 0 && i < p->nx; i++) p->z[i] += g[i] * dy;
    }
}

/* phi at (z, y), and its largest scaled row. */
static double residual(linear_reduced *r, int *worst_row) {
    const linear_problem *p = r->p;
    linear_problem_evaluate((void *)p, p->z, p->y, &(cone_values){.phi = r->phi});
    double worst = 0;
    for (int i = 0; i < p->nx; i++) {
        double size = fabs(r->phi[i]) * p->phi_scale[i];
        if (!is_worse(size, worst)) continue;
        worst = size;
        *worst_row = i;
    }
    return worst;
}

/* The residual without what joints that contradict each other leave by least squares (cone/contradiction.c). */
static double reducible(linear_reduced *r) {
    const linear_problem *p = r->p;
    double worst = 0;
    lin_lu_unreachable(r->lu, p->K, r->phi, r->z_cold, r->left);
    cone_forgive(p->nx, p->problem.n_settled, p->phi_unit, r->settings.contradiction, 1, r->left);
    for (int i = 0; i < p->nx; i++) {
        double size = fabs(r->phi[i] - r->left[i]) * p->phi_scale[i];
        worst = larger(size, worst);
    }
    return worst;
}

/* z becomes z - K^-1 phi */
static void correct(linear_reduced *r) {
    solve(r, r->phi);
    for (int i = 0; i < r->p->nx; i++) r->p->z[i] -= r->phi[i];
}

static void true_psi(const linear_reduced *r, double *psi) {
    linear_problem_evaluate((void *)r->p, r->p->z, r->p->y, &(cone_values){.psi = psi});
}

/* How far psi of the reduced problem is from that of the solution, which becomes psi_base: round-off times the condition of K. */
static double reduction_error(linear_reduced *r) {
    double worst = 0;
    reduced_psi(r, r->p->y, r->psi);
    true_psi(r, r->psi_base);
    for (int i = 0; i < r->p->nc; i++) {
        double size = fabs(r->psi[i] - r->psi_base[i]) * r->p->psi_scale[i];
        if (r->p->wanted[i]) worst = larger(size, worst);
    }
    return worst;
}

/* ---- where to start ---- */

/* Largest normal row of active contacts. */
static double normal_size(const linear_problem *p, const double *psi) {
    double worst = 0;
    for (int i = 0; i < p->model->size.nN; i++)
        if (p->wanted[i]) worst = larger(fabs(psi[i]) * p->psi_scale[i], worst);
    return worst;
}

/* The old solution without multipliers of contacts that are open now, and its correction. False: there is none. */
static bool make_warm_base(linear_reduced *r) {
    const linear_problem *p = r->p;
    int nb = model_row_N(p->model), row;
    bool any = false;
    for (int j = 0; j < p->nc; j++) {
        p->y[j] = r->y_base[j] = p->wanted[j] ? p->P[nb + j] : 0;
        any = any || p->y[j] != 0;
    }
    if (!any) return false;
    if (residual(r, &row) != 0) correct(r);
    true_psi(r, r->psi_base);
    return true;
}

/* Without contact forces. */
static void make_cold_base(linear_reduced *r, double *z) {
    const linear_problem *p = r->p;
    int nu = p->model->size.nu;
    memcpy(z, p->f, (size_t)nu * sizeof *z);
    for (int i = 0; i < p->nx - nu; i++) z[nu + i] = -p->c[i];
    solve(r, z);
}

/* The better of two starts. After an impact that is zero, which also avoids the cancellation of its percussions. */
static void make_base(linear_reduced *r, bool contacts) {
    const linear_problem *p = r->p;
    size_t x_bytes = (size_t)p->nx * sizeof(double), y_bytes = (size_t)p->nc * sizeof(double);
    make_cold_base(r, r->z_cold);
    bool warm = contacts && make_warm_base(r);
    double warm_size = warm ? normal_size(p, r->psi_base) : 0;
    if (warm) memcpy(r->psi, r->psi_base, y_bytes);
    /* z of the warm start is kept in phi while psi of the cold one is computed */
    memcpy(r->phi, p->z, x_bytes);
    memcpy(p->z, r->z_cold, x_bytes);
    if (contacts) true_psi(r, r->psi_base);
    if (warm && warm_size <= normal_size(p, r->psi_base)) {
        memcpy(r->psi_base, r->psi, y_bytes);
        memcpy(p->z, r->phi, x_bytes);
        return;
    }
    memset(r->y_base, 0, y_bytes);
    memset(p->y, 0, y_bytes);
}

/* ---- the solve ---- */

static int probe_rows(void *user, int k, double *rows) {
    const linear_reduced *r = user;
    const linear_problem *p = r->p;
    for (int i = 0; i < p->model->size.nu; i++) r->z_probe[i] = p->z[i] + cone_probe(i, k, probe_share * (1 + fabs(p->z[i])));
    for (int i = p->model->size.nu; i < p->nx; i++) r->z_probe[i] = cone_probe_multiplier(i, k, p->z[i]);
    linear_problem_evaluate((void *)p, r->z_probe, p->y, &(cone_values){.phi = rows});
    for (int i = 0; i < p->nx; i++) rows[i] = p->phi_scale[i] * (rows[i] - (r->left ? r->left[i] : 0));
    return 0;
}

static cone_unit unit_of(void *user, int i) { return ((const linear_reduced *)user)->p->phi_unit[i]; }

/* The size of phi, where all of it that is above the tolerance is round-off of K, f and c (cone/noise.c); else 0. Accelerations of stiff
 * models are large numbers. */
static double noise_size(linear_reduced *r) {
    memcpy(r->z_probe, r->p->z, (size_t)r->p->nx * sizeof *r->z_probe);
    return cone_noise(&(cone_suspect){r, r->p->nx, probe_rows, unit_of, r->seen}, r->settings.tolerance);
}

static void report(const linear_reduced *r, double worst, int row, cone_outcome *outcome) {
    outcome->residual[r->unit] = worst;
    if (is_worse(worst, outcome->worst)) {
        outcome->worst = worst;
        outcome->worst_cone = -1;
        outcome->worst_row = row;
    }
    if (outcome->iterations[outcome->path] == 0) outcome->iterations[outcome->path] = 1; /* the solve for x */
    outcome->solves = 1;
    if (r->least_norm && outcome->path == CONE_NEWTON) {
        outcome->path = CONE_LEAST_NORM;
        outcome->iterations[CONE_LEAST_NORM] += outcome->iterations[CONE_NEWTON];
        outcome->iterations[CONE_NEWTON] = 0;
    }
    outcome->most = outcome->iterations[outcome->path];
}

/* The residual of the smooth rows, made as small as solves make it. */
static double refine(linear_reduced *r, int *row) {
    double worst = residual(r, row);
    for (int i = 0; i < REFINEMENTS && worst > refined_share * r->settings.tolerance; i++) {
        correct(r);
        worst = residual(r, row);
    }
    return worst;
}

/* The cone solver's verdict, and that on the smooth rows. Nothing else could be tried, so the test for noise needs no announcement.
 * `again`: what is left is an error of the reduction. */
static zn_status conclude(linear_reduced *r, bool contacts, zn_status status, bool *again, cone_outcome *outcome) {
    int row = -1;
    double worst = refine(r, &row), tolerance = r->settings.tolerance;
    *again = false;
    if (!isfinite(worst)) return ZN_ERROR_NOT_FINITE;
    double error = contacts ? reduction_error(r) : 0, judged = larger(error, r->left ? reducible(r) : worst);
    report(r, larger(worst, error), row, outcome);
    if (status != ZN_OK || judged <= tolerance) return status;
    outcome->roundoff = judged <= noise_size(r);
    if (outcome->roundoff) outcome->roundoff_residual = judged;
    *again = !outcome->roundoff && error > tolerance;
    return outcome->roundoff ? ZN_OK : ZN_ERROR_NO_CONVERGENCE;
}

zn_status linear_reduced_respond(linear_reduced *r) {
    zn_status status = factor(r);
    if (status == ZN_OK) make_columns(r);
    return status;
}

/* y and the columns are at y_base. */
static zn_status solve_contacts(linear_reduced *r, cone_outcome *outcome) {
    const linear_problem *p = r->p;
    if (!p->cones[0].frozen) return cone_solve(r->solver, NULL, p->y, outcome); /* there are no modes */
    memcpy(r->psi, r->psi_base, (size_t)p->nc * sizeof *r->psi);
    memcpy(r->psi + p->nc, p->direction, (size_t)p->model->size.nF * sizeof *r->psi);
    cone_linear_psi linear = {r->psi, r->D, p->nc};
    if (cone_solve_modes(&r->problem, &linear, r->settings.tolerance, p->y, outcome)) return ZN_OK;
    return cone_solve(r->solver, NULL, p->y, outcome);
}

/* Once more from the current solution, with its true psi as the base: then the error of the reduced problem is round-off of the difference
 * then. */
static zn_status solve_from_here(linear_reduced *r, cone_outcome *outcome) {
    memcpy(r->y_base, r->p->y, (size_t)r->p->nc * sizeof *r->y_base);
    cone_cost before = outcome->cost;
    zn_status status = solve_contacts(r, outcome);
    cone_outcome_add_cost(&outcome->cost, &before);
    add_columns(r);
    return status;
}

zn_status linear_reduced_solve(linear_reduced *r, bool contacts, cone_outcome *outcome) {
    const linear_problem *p = r->p;
    bool again;
    *outcome = (cone_outcome){.path = CONE_NEWTON, .worst_cone = -1, .worst_row = -1};
    zn_status status = factor(r);
    if (status != ZN_OK) return status;
    make_base(r, contacts);
    if (contacts) {
        make_columns(r);
        status = solve_contacts(r, outcome);
        add_columns(r);
    }
    status = conclude(r, contacts, status, &again, outcome);
    for (int i = 0; again && i < REFINEMENTS; i++) status = conclude(r, contacts, solve_from_here(r, outcome), &again, outcome);
    if (status == ZN_ERROR_NOT_FINITE) { /* no start for the next solve */
        memset(p->z, 0, (size_t)p->nx * sizeof *p->z);
        memset(p->y, 0, (size_t)p->nc * sizeof *p->y);
    }
    return status;
}
