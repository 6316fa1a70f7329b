/* SPDX-License-Identifier: Apache-2.0 */
/* Why does a run diverge? Schemes that evaluate forces explicitly are stable for h omega below a bound (2 for the leapfrog), where omega
 * is the fastest natural frequency. Asked only after a step failed.
 *
 * omega^2 is the largest eigenvalue of M a - W lambda = K v, W' a = 0 at the start, K = dr/dq B: the power method on this system. */
#include "sim/simulation.h"

#include "linalg/linalg.h"

typedef struct eigen_work {
    void *work;
    double *M, *W, *r_q, *B, *v, *qdot, *x;
    lin_matrix *matrix;
    lin_lu *lu;
} eigen_work;

static bool take_memory(zn_context *context, const zn_model *model, eigen_work *w) {
    const zn_patterns *p = &model->pattern;
    int nu = model->size.nu, nb = model->size.ng + model->size.ny;
    zn_pattern bilateral = {nu, nb, p->W.start, p->W.index}; /* its first columns */
    w->work = mem_array(context, model->work_bytes, 1);
    w->M = MEM_ARRAY(context, double, lin_nnz(&p->M));
    w->W = MEM_ARRAY(context, double, lin_nnz(&p->W));
    w->r_q = MEM_ARRAY(context, double, lin_nnz(&p->r_q));
    w->B = MEM_ARRAY(context, double, lin_nnz(&p->B));
    w->v = MEM_ARRAY(context, double, nu + nb);
    w->x = MEM_ARRAY(context, double, nu + nb);
    w->qdot = MEM_ARRAY(context, double, model->size.nq);
    w->matrix = lin_matrix_create(context, nu + nb);
    return w->work && w->M && w->W && w->r_q && w->B && w->v && w->x && w->qdot && w->matrix &&
           lin_matrix_block(w->matrix, &p->M, false, 0, 0) == 0 && lin_matrix_block(w->matrix, &bilateral, false, 0, nu) == 1 &&
           lin_matrix_block(w->matrix, &bilateral, true, nu, 0) == 2 && lin_matrix_finish(w->matrix, LIN_AUTO) == ZN_OK &&
           (w->lu = lin_lu_create(context, w->matrix));
}

static void free_memory(zn_context *context, eigen_work *w) {
    void *blocks[] = {w->work, w->M, w->W, w->r_q, w->B, w->v, w->x, w->qdot};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    lin_lu_destroy(w->lu);
    lin_matrix_destroy(w->matrix);
}

static bool prepare(const zn_model *model, eigen_work *w) {
    zn_point start = {.q = model->q_start, .u = model->u_start};
    if (model->balance(model, w->work, &start, &(zn_balance){.M = w->M, .W = w->W, .r_q = w->r_q}) ||
        model->kinematics(model, w->work, &start, &(zn_kinematics){.B = w->B}))
        return false;
    lin_matrix_zero(w->matrix);
    lin_matrix_add(w->matrix, 0, 1, w->M);
    lin_matrix_add(w->matrix, 1, 1, w->W);
    lin_matrix_add(w->matrix, 2, 1, w->W);
    return lin_lu_factor_regularised(w->lu, w->matrix) == ZN_OK; /* constraints may be redundant */
}

/* The largest omega^2 by the power method; it grows to its limit, so few iterations are on the safe side. */
static double iterate(const zn_model *model, eigen_work *w) {
    enum { ITERATIONS = 100 };
    const zn_patterns *p = &model->pattern;
    const int nu = model->size.nu, n = lin_matrix_size(w->matrix);
    double square = 0;
    for (int i = 0; i < nu; i++) w->v[i] = (i % 2 ? -1 : 1) * (1 + 0.3 * sin(7.0 * i)); /* neighbours against each other */
    for (int k = 0; k < ITERATIONS; k++) {
        memset(w->qdot, 0, (size_t)model->size.nq * sizeof *w->qdot);
        memset(w->x, 0, (size_t)n * sizeof *w->x);
        lin_multiply(&p->B, w->B, 1, w->v, w->qdot);
        lin_multiply(&p->r_q, w->r_q, 1, w->qdot, w->x);
        lin_lu_solve(w->lu, w->x);
        double size = 0, before = 0;
        for (int i = 0; i < nu; i++) size += w->x[i] * w->x[i], before += w->v[i] * w->v[i];
        if (!(size > 0) || !isfinite(size)) return 0;
        square = sqrt(size / before);
        for (int i = 0; i < nu; i++) w->v[i] = w->x[i] / sqrt(size);
    }
    return square;
}

bool sim_scheme_is_unstable(zn_simulation *sim, const scheme_class *class, int stages, double h, double *frequency, double *largest_step) {
    if (!class->bound) return false;
    const double bound = class->bound(stages);
    if (sim->fastest < 0) { /* not known yet */
        eigen_work w = {0};
        const int errors = zn_error_count(sim->context);
        sim->fastest = 0;
        if (take_memory(sim->context, sim->model, &w) && prepare(sim->model, &w)) sim->fastest = sqrt(iterate(sim->model, &w));
        free_memory(sim->context, &w);
        if (zn_error_count(sim->context) != errors) sim->fastest = 0;
    }
    *frequency = sim->fastest;
    *largest_step = sim->fastest > 0 ? bound / sim->fastest : INFINITY;
    return h * sim->fastest > bound;
}

bool sim_step_is_unstable(zn_simulation *sim, double h, double *frequency, double *largest_step) {
    return sim_scheme_is_unstable(sim, sim->scheme->class, sim_scheme_settings(sim).stages, h, frequency, largest_step);
}
