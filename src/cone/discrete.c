/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete contact problems: their data as a cone problem, and the solve to a given natural-map residual. */
#include "cone/discrete.h"

#include "cone/discrete_local.h"
#include "cone/discrete_measure.h"

struct discrete {
    zn_context *context;
    bool global;
    int dim, n, m, nv;   /* m = dim n, nv rows of M */
    lin_pattern W, M, H; /* H: nv x m */
    double *W_values, *M_values, *H_values;
    lin_pattern H_transposed;
    double *Ht_values, *minus_H;
    double *q, *f, *w, *mu, *mu_rolling;
    double q_norm;
    lin_matrix *phi_x;
    int M_block;
    lin_lu *lu; /* of M, for the measure */
    double *rho, *psi_scale, *phi_scale, *v, *u, *best;
    zn_ball *balls;
    cone *cones;
    cone_problem problem;
};

static bool take_matrix(zn_context *context, const discrete_matrix *m, bool transposed, lin_pattern *pattern, double **values) {
    int *entry = MEM_ARRAY(context, int, m->count);
    if (!entry) return false;
    zn_status status = transposed ? lin_pattern_create(context, m->cols, m->rows, m->count, m->col, m->row, pattern, entry)
                                  : lin_pattern_create(context, m->rows, m->cols, m->count, m->row, m->col, pattern, entry);
    if (status == ZN_OK) *values = MEM_ARRAY(context, double, lin_nnz(&pattern->p));
    for (int k = 0; k < m->count && *values; k++) (*values)[entry[k]] += m->value[k];
    mem_free(context, entry);
    return *values != NULL;
}

static double *copy(zn_context *context, const double *v, int n) {
    double *c = MEM_ARRAY(context, double, n);
    if (c && n > 0) memcpy(c, v, (size_t)n * sizeof *c);
    return c;
}

static int evaluate_local(void *user, const double *x, const double *y, cone_values *values) {
    discrete *d = user;
    (void)x;
    if (values->psi) {
        memcpy(values->psi, d->q, (size_t)d->m * sizeof(double));
        lin_multiply(&d->W.p, d->W_values, 1, y, values->psi);
    }
    if (values->jacobian) memcpy(values->psi_y, d->W_values, (size_t)lin_nnz(&d->W.p) * sizeof(double));
    return 0;
}

static int evaluate_global(void *user, const double *x, const double *y, cone_values *values) {
    discrete *d = user;
    if (values->phi) {
        for (int i = 0; i < d->nv; i++) values->phi[i] = -d->f[i];
        lin_multiply(&d->M.p, d->M_values, 1, x, values->phi);
        lin_multiply(&d->H.p, d->H_values, -1, y, values->phi);
    }
    if (values->psi) {
        memcpy(values->psi, d->w, (size_t)d->m * sizeof(double));
        lin_multiply_transposed(&d->H.p, d->H_values, 1, x, values->psi);
    }
    if (!values->jacobian) return 0;
    lin_matrix_zero(d->phi_x);
    lin_matrix_add(d->phi_x, d->M_block, 1, d->M_values);
    memcpy(values->phi_y, d->minus_H, (size_t)lin_nnz(&d->H.p) * sizeof(double));
    memcpy(values->psi_x, d->Ht_values, (size_t)lin_nnz(&d->H_transposed.p) * sizeof(double));
    return 0;
}

static bool prepare_local(discrete *d, const discrete_def *def) {
    if (!take_matrix(d->context, &def->W, false, &d->W, &d->W_values) || !(d->q = copy(d->context, def->q, d->m))) return false;
    d->problem.evaluate = evaluate_local;
    d->problem.psi_y = d->W.p;
    return true;
}

/* q = H' M^-1 f + w is needed for the measure; M must be regular. */
static bool prepare_global(discrete *d, const discrete_def *def) {
    zn_context *context = d->context;
    d->nv = def->M.rows;
    if (!take_matrix(context, &def->M, false, &d->M, &d->M_values) || !take_matrix(context, &def->H, false, &d->H, &d->H_values) ||
        !take_matrix(context, &def->H, true, &d->H_transposed, &d->Ht_values) || !(d->f = copy(context, def->f, d->nv)) ||
        !(d->w = copy(context, def->w, d->m)) || !(d->q = copy(context, def->w, d->m)) ||
        !(d->minus_H = copy(context, d->H_values, lin_nnz(&d->H.p))) || !(d->v = copy(context, def->f, d->nv)) ||
        !(d->phi_x = lin_matrix_create(context, d->nv)))
        return false;
    for (int k = 0; k < lin_nnz(&d->H.p); k++) d->minus_H[k] = -d->minus_H[k];
    d->M_block = lin_matrix_block(d->phi_x, &d->M.p, false, 0, 0);
    if (d->M_block < 0 || lin_matrix_finish(d->phi_x, LIN_AUTO) != ZN_OK) return false;
    lin_matrix_add(d->phi_x, d->M_block, 1, d->M_values);
    if (!(d->lu = lin_lu_create(context, d->phi_x))) return false;
    if (lin_lu_factor(d->lu, d->phi_x, false) != ZN_OK) {
        fail(context, ZN_ERROR_SINGULAR, "the matrix M of the contact problem is singular");
        return false;
    }
    lin_lu_solve(d->lu, d->v);
    lin_multiply_transposed(&d->H.p, d->H_values, 1, d->v, d->q);
    d->problem.evaluate = evaluate_global;
    d->problem.phi_x = d->phi_x;
    d->problem.phi_y = d->H.p;
    d->problem.psi_x = d->H_transposed.p;
    d->problem.nx = d->problem.n_settled = d->nv;
    return true;
}

static double diagonal_of_W(discrete *d, int k) {
    if (!d->global) {
        for (int e = d->W.start[k]; e < d->W.start[k + 1]; e++)
            if (d->W.index[e] == k) return d->W_values[e];
        return 0;
    }
    double sum = 0;
    memset(d->v, 0, (size_t)d->nv * sizeof(double));
    for (int e = d->H.start[k]; e < d->H.start[k + 1]; e++) d->v[d->H.index[e]] = d->H_values[e];
    lin_lu_solve(d->lu, d->v);
    for (int e = d->H.start[k]; e < d->H.start[k + 1]; e++) sum += d->H_values[e] * d->v[d->H.index[e]];
    return sum;
}

/* Prox parameters 1/W_kk, in the balls the least of their rows. A zero diagonal takes the mean of the others. */
static void choose_prox_parameters(discrete *d) {
    double mean = 0;
    for (int k = 0; k < d->m; k++) {
        d->rho[k] = fabs(diagonal_of_W(d, k));
        mean += d->rho[k] / d->m;
    }
    if (!(mean > 0)) mean = 1;
    for (int k = 0; k < d->m; k++) d->rho[k] = 1 / larger(d->rho[k], 1e-8 * mean);
    for (int c = 0; c < d->n; c++) {
        int row = c * d->dim + 1;
        const cone *contact = &d->cones[c];
        for (int b = 0; b < contact->n_balls; b++) {
            double least = INFINITY;
            for (int i = 0; i < contact->balls[b].dim; i++) least = smaller(least, d->rho[row + i]);
            for (int i = 0; i < contact->balls[b].dim; i++) d->rho[row + i] = least;
            row += contact->balls[b].dim;
        }
    }
}

static void describe_cones(discrete *d) {
    for (int c = 0; c < d->n; c++) {
        int row = c * d->dim;
        d->balls[2 * c] = (zn_ball){d->dim == 5 ? 2 : d->dim - 1, d->mu[c]};
        d->balls[2 * c + 1] = (zn_ball){2, d->mu_rolling ? d->mu_rolling[c] : 0};
        d->cones[c] = (cone){.psi_N = row,
                             .mu_N = row,
                             .psi_F = row + 1,
                             .mu_F = row + 1,
                             .balls = &d->balls[2 * c],
                             .n_balls = d->dim == 1   ? 0
                                        : d->dim == 5 ? 2
                                                      : 1,
                             .mu_R = row,
                             .stick_of = -1,
                             .psi_D = -1};
    }
}

discrete *cone_discrete_create(zn_context *context, const discrete_def *def) {
    discrete *d = MEM_ARRAY(context, discrete, 1);
    if (!d) return NULL;
    d->context = context;
    d->global = def->global;
    d->dim = def->dim;
    d->n = def->n_contacts;
    d->m = d->dim * d->n;
    d->problem = (cone_problem){.ny = d->m, .npsi = d->m, .nmu = d->m, .n_cones = d->n, .user = d};
    if (!(def->global ? prepare_global(d, def) : prepare_local(d, def))) goto failed;
    if (!(d->mu = copy(context, def->mu, d->n)) || (d->dim == 5 && !(d->mu_rolling = copy(context, def->mu_rolling, d->n)))) goto failed;
    d->rho = MEM_ARRAY(context, double, d->m);
    d->psi_scale = MEM_ARRAY(context, double, d->m);
    d->phi_scale = MEM_ARRAY(context, double, d->nv);
    d->u = MEM_ARRAY(context, double, d->m);
    d->best = MEM_ARRAY(context, double, d->m);
    d->balls = MEM_ARRAY(context, zn_ball, 2 * (size_t)d->n);
    d->cones = MEM_ARRAY(context, cone, d->n);
    if (!d->rho || !d->psi_scale || !d->phi_scale || !d->u || !d->best || !d->balls || !d->cones) goto failed;
    describe_cones(d);
    choose_prox_parameters(d);
    d->q_norm = cone_measure_norm(d->q, d->m);
    d->problem.cones = d->cones;
    d->problem.rho = d->rho;
    d->problem.psi_scale = d->psi_scale;
    d->problem.phi_scale = d->phi_scale;
    return d;
failed:
    cone_discrete_destroy(d);
    return NULL;
}

void cone_discrete_destroy(discrete *d) {
    if (!d) return;
    zn_context *context = d->context;
    lin_pattern *patterns[] = {&d->W, &d->M, &d->H, &d->H_transposed};
    for (int k = 0; k < 4; k++) lin_pattern_destroy(context, patterns[k]);
    lin_lu_destroy(d->lu);
    lin_matrix_destroy(d->phi_x);
    void *blocks[] = {d->W_values,   d->M_values, d->H_values,  d->Ht_values, d->minus_H, d->q, d->f,    d->w,     d->mu,
                      d->mu_rolling, d->rho,      d->psi_scale, d->phi_scale, d->v,       d->u, d->best, d->balls, d->cones};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(context, blocks[k]);
    mem_free(context, d);
}

double cone_discrete_residual(discrete *d, const double *r, double *u) {
    if (!u) u = d->u;
    if (d->global) {
        memcpy(d->v, d->f, (size_t)d->nv * sizeof(double));
        lin_multiply(&d->H.p, d->H_values, 1, r, d->v);
        lin_lu_solve(d->lu, d->v);
        memcpy(u, d->w, (size_t)d->m * sizeof(double));
        lin_multiply_transposed(&d->H.p, d->H_values, 1, d->v, u);
    } else {
        memcpy(u, d->q, (size_t)d->m * sizeof(double));
        lin_multiply(&d->W.p, d->W_values, 1, r, u);
    }
    double natural = cone_measure_natural_map(d->dim, d->n, d->mu, d->mu_rolling, u, r);
    return d->q_norm > 0 ? natural / d->q_norm : natural;
}

/* Rows of psi in parts of |q|; rows of phi by the size of their row of M, so that they too are velocities. */
static void choose_scales(discrete *d) {
    double unit = d->q_norm > 0 ? 1 / d->q_norm : 1;
    for (int k = 0; k < d->m; k++) d->psi_scale[k] = unit;
    for (int i = 0; i < d->nv; i++) d->phi_scale[i] = 0;
    for (int j = 0; j < d->nv; j++)
        for (int e = d->M.start[j]; e < d->M.start[j + 1]; e++)
            d->phi_scale[d->M.index[e]] = larger(d->phi_scale[d->M.index[e]], fabs(d->M_values[e]));
    for (int i = 0; i < d->nv; i++) d->phi_scale[i] = d->phi_scale[i] > 0 ? unit / d->phi_scale[i] : unit;
}

enum { SOLVES_MOST = 5, LAST_RESORT_ROUNDS = 4, SECOND_TRY_ROWS = 1000 };

/* The measure mixes velocities and percussions as they are, the cone solver judges in velocities: tighten until it fits. */
static zn_status solve_as_cones(discrete *d, zn_solver solver, double residual, double *r, discrete_result *result) {
    *result = (discrete_result){.residual = INFINITY, .as_cones = true};
    choose_scales(d);
    double tolerance = residual / 10;
    double *x = MEM_ARRAY(d->context, double, d->nv);
    if (!x) return result->status = ZN_ERROR_MEMORY;
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    memcpy(d->best, r, (size_t)d->m * sizeof(double));
    for (; result->solves < SOLVES_MOST && !(result->residual <= residual); tolerance /= 10) {
        cone_settings settings = cone_settings_default();
        settings.solver = solver;
        settings.tolerance = tolerance;
        cone_solver *s = cone_solver_create(d->context, &d->problem, &settings);
        if (!s) {
            status = ZN_ERROR_MEMORY;
            break;
        }
        status = cone_solve(s, x, r, &result->outcome);
        cone_solver_destroy(s);
        result->solves++;
        double now = cone_discrete_residual(d, r, NULL);
        if (now < result->residual) {
            result->residual = now;
            memcpy(d->best, r, (size_t)d->m * sizeof(double));
        }
        if (status == ZN_ERROR_NOT_FINITE || status == ZN_STOPPED || (status != ZN_OK && result->solves > 1)) break;
    }
    mem_free(d->context, x);
    memcpy(r, d->best, (size_t)d->m * sizeof(double));
    if (result->residual <= residual) status = ZN_OK;
    else if (status == ZN_OK) status = ZN_ERROR_NO_CONVERGENCE;
    return result->status = status;
}

/* By the methods for many contacts, over W. */
static zn_status solve_as_many(discrete *d, double residual, double *r, discrete_result *result) {
    *result = (discrete_result){.residual = INFINITY, .solves = 1};
    if (!d->W_values && cone_discrete_local(d->context, &d->M.p, d->lu, &d->H.p, d->H_values, &d->W, &d->W_values) != ZN_OK)
        return result->status = ZN_ERROR_MEMORY;
    many_def def = {.dim = d->dim, .n = d->n, .pattern = &d->W.p, .values = d->W_values, .q = d->q, .mu = d->mu, .nu = d->mu_rolling};
    many_settings settings = {.residual = residual, .natural_map = true, .rounds_most = LAST_RESORT_ROUNDS};
    many_system *s = many_create(d->context, &def);
    if (!s) return result->status = ZN_ERROR_MEMORY;
    zn_status status = many_solve(s, &settings, r, &result->cost);
    many_destroy(s);
    result->residual = cone_discrete_residual(d, r, NULL); /* from the data, which are not scaled */
    if (status == ZN_OK && !(result->residual <= residual)) status = ZN_ERROR_NO_CONVERGENCE;
    return result->status = status;
}

zn_status cone_discrete_solve(discrete *d, zn_solver solver, double residual, double *r, discrete_result *result) {
    if (solver != ZN_SOLVER_AUTO) return solve_as_cones(d, solver, residual, r, result);
    zn_status status = solve_as_many(d, residual, r, result);
    if (status != ZN_ERROR_NO_CONVERGENCE || d->m > SECOND_TRY_ROWS) return status;
    discrete_result first = *result, second;
    double *kept = copy(d->context, r, d->m);
    if (!kept) return result->status = ZN_ERROR_MEMORY;
    status = solve_as_cones(d, solver, residual, r, &second);
    second.cost = first.cost;
    if (second.residual < first.residual) *result = second;
    else {
        memcpy(r, kept, (size_t)d->m * sizeof(double));
        status = first.status;
    }
    mem_free(d->context, kept);
    return status;
}
