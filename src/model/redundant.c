/* SPDX-License-Identifier: Apache-2.0 */
/* What rows say at one state, in their order: with directions v_j without units (row_weights.h) and values g_j, gamma_j in units of l_j,
 *
 *     v_j = sum_k a_jk e_k + new_j      e_k: directions of rows before, orthonormal;   |new_j| between 0 and 1: redundant, nearly
 * redundant, or independent
 *     g_j - sum_k a_jk g(e_k)           by how much it contradicts the rows before, where it is dependent; gamma_j likewise
 *
 * Round-off of g is measured by the positions |e_i q_i|, that of gamma by the velocities: no size has units. */
#include "base/handle.h"
#include "linalg/linalg.h"
#include "model/model.h"
#include "model/row_weights.h"
#include "zeno/parts.h"

static const double tolerance = 1e-9; /* a row with a smaller independent part is redundant */
static const double nearly = 1e-3;    /* the same for a row that was meant to follow from others, with numbers that are not exact */
static const double roundoff = 1e-13; /* smaller contradictions are round-off */
static const double dead = 0.05;      /* when less of the initial independent part is left, a dead point is near */

typedef struct row_walk {
    zn_context *context;
    const zn_model *model;
    int n, rank;
    void *work;
    double *M, *W, *B, *c0, *c1, *inverse, *length;
    double *basis, *values; /* e_k, g(e_k) and gamma(e_k) */
    double place, speed;    /* |e_i q_i|, |e_i u_i|, the largest */
    double g, gamma;        /* of the present row: by how much it contradicts the others, in its own units */
} row_walk;

static void walk_end(row_walk *a) {
    void *blocks[] = {a->work, a->M, a->W, a->B, a->c0, a->c1, a->inverse, a->length, a->basis, a->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(a->context, blocks[i]);
}

/* |e_i q_i| with q_i in the direction of u_i (q_i itself, or the coordinates that u_i moves). */
static double largest_place(const row_walk *a, const double *q) {
    const zn_pattern *p = &a->model->pattern.B;
    double largest = 0;
    for (int j = 0; j < a->n; j++) {
        double size = fabs(q[j]), norm = 1;
        if (!a->model->natural) {
            size = norm = 0;
            for (int k = p->start[j]; k < p->start[j + 1]; k++) size = hypot(size, q[p->index[k]]), norm = hypot(norm, a->B[k]);
        }
        if (norm > 0 && a->inverse[j] > 0) largest = larger(largest, size / norm / sqrt(a->inverse[j]));
    }
    return largest;
}

/* ZN_ERROR_NOT_FINITE: nothing is known of the state. */
static zn_status walk_begin(zn_context *context, const zn_model *model, const zn_point *at, row_walk *a) {
    const zn_patterns *p = &model->pattern;
    size_t n = (size_t)model->size.nu, rows = (size_t)model_rows(model), bilateral = (size_t)model_row_N(model);
    *a = (row_walk){.context = context, .model = model, .n = model->size.nu};
    a->work = mem_array(context, model->work_bytes, 1);
    a->M = MEM_ARRAY(context, double, lin_nnz(&p->M));
    a->W = MEM_ARRAY(context, double, lin_nnz(&p->W));
    a->B = MEM_ARRAY(context, double, lin_nnz(&p->B));
    a->c0 = MEM_ARRAY(context, double, rows), a->c1 = MEM_ARRAY(context, double, rows);
    a->inverse = MEM_ARRAY(context, double, n), a->length = MEM_ARRAY(context, double, bilateral);
    a->basis = MEM_ARRAY(context, double, n *((n < bilateral ? n : bilateral) + 1));
    a->values = MEM_ARRAY(context, double, 2 * n);
    if (!a->work || !a->M || !a->W || !a->B || !a->c0 || !a->c1 || !a->inverse || !a->length || !a->basis || !a->values)
        return ZN_ERROR_MEMORY;
    if (model->balance(model, a->work, at, &(zn_balance){.M = a->M, .W = a->W}) ||
        (!model->natural && model->kinematics(model, a->work, at, &(zn_kinematics){.B = a->B})) ||
        model->constraints(model, a->work, at, &(zn_constraints){.c0 = a->c0, .c1 = a->c1}))
        return ZN_ERROR_NOT_FINITE;
    row_mobilities(model, a->M, a->values); /* which is free as yet */
    row_weights(model, a->W, a->values, a->inverse);
    row_sizes(model, a->W, a->inverse, a->length);
    a->place = largest_place(a, at->q);
    for (int i = 0; i < a->n; i++) a->speed = larger(a->speed, fabs(at->u[i]) / sqrt(a->inverse[i]));
    return ZN_OK;
}

/* The next row without the directions before it, subtracted twice, as once leaves round-off of the size of what was subtracted. Returns the
 * independent part; a row with more than `least` is added to the directions. */
static double walk_row(row_walk *a, int j, double least) {
    const zn_pattern *p = &a->model->pattern.W;
    double *x = a->basis + (size_t)a->rank * (size_t)a->n, scale = a->length[j] > 0 ? 1 / a->length[j] : 0;
    double g = scale * a->c0[j], gamma = scale * a->c1[j];
    memset(x, 0, (size_t)a->n * sizeof *x);
    for (int k = p->start[j]; k < p->start[j + 1]; k++) x[p->index[k]] = scale * sqrt(a->inverse[p->index[k]]) * a->W[k];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < a->rank; k++) {
            const double *e = a->basis + (size_t)k * (size_t)a->n;
            double along = 0;
            for (int i = 0; i < a->n; i++) along += e[i] * x[i];
            for (int i = 0; i < a->n; i++) x[i] -= along * e[i];
            g -= along * a->values[2 * k], gamma -= along * a->values[2 * k + 1];
        }
    double left = a->rank < a->n ? length_of(a->n, x) : 0;
    a->g = a->length[j] * g, a->gamma = a->length[j] * gamma;
    if (!(left > least)) return left;
    for (int i = 0; i < a->n; i++) x[i] /= left;
    a->values[2 * a->rank] = g / left, a->values[2 * a->rank + 1] = gamma / left;
    a->rank++;
    return left;
}

/* ---- redundant rows ---- */

zn_status zn_model_redundant_rows(zn_context *context, const zn_model *model, bool *redundant, int *count) {
    NEED_CONTEXT(context);
    NEED(context, redundant);
    NEED(context, count);
    *count = 0;
    zn_status status = model_check(context, model, __func__);
    if (status != ZN_OK) return status;
    if (model_row_N(model) > ZN_MODEL_MOST_ROWS)
        return fail(context, ZN_ERROR_UNSUPPORTED, "the model has more than %d bilateral rows: they are not checked for redundancy",
                    ZN_MODEL_MOST_ROWS);
    row_walk a;
    status = walk_begin(context, model, &(zn_point){.q = model->q_start, .u = model->u_start}, &a);
    if (status == ZN_ERROR_NOT_FINITE) fail(context, status, "the constraints cannot be evaluated at the start");
    for (int j = 0; status == ZN_OK && j < model_row_N(model); j++) {
        redundant[j] = !(walk_row(&a, j, tolerance) > tolerance);
        *count += redundant[j];
    }
    walk_end(&a);
    return status;
}

/* ---- contradictions ---- */

/* In the units of the row: of its values, or else of its direction, over the positions of the system (1 where all are zero). */
static double contradiction(const row_walk *a, int row, double left) {
    double reach = a->length[row] * a->place, rate = a->length[row] * a->speed, size = 0;
    if (fabs(a->g) > roundoff * reach) size = fabs(a->g);
    if (fabs(a->gamma) > roundoff * rate) size = larger(size, fabs(a->gamma));
    return size > 0 || !(left > roundoff) ? size : left * (reach > 0 ? reach : a->length[row]);
}

int model_contradiction(zn_context *context, const zn_model *model, const zn_point *at, double *size) {
    row_walk a;
    int row = -1;
    *size = 0;
    if (model_row_N(model) < 2 || model_row_N(model) > ZN_MODEL_MOST_ROWS) return -1;
    zn_status status = walk_begin(context, model, at, &a);
    for (int j = 0; status == ZN_OK && j < model_row_N(model); j++) {
        double left = walk_row(&a, j, nearly), by = left > nearly ? 0 : contradiction(&a, j, left);
        if (by > *size) *size = by, row = j;
    }
    walk_end(&a);
    return status == ZN_ERROR_MEMORY ? -2 : row;
}

/* ---- dead points ---- */

int model_dead_point(zn_context *context, const zn_model *model, const zn_point *start, const zn_point *now, double *before,
                     double *after) {
    row_walk a, b;
    int row = -1;
    *before = 1, *after = dead;
    if (model_row_N(model) < 2 || model_row_N(model) > ZN_MODEL_MOST_ROWS) return -1;
    zn_status status = walk_begin(context, model, start, &a), other = walk_begin(context, model, now, &b);
    for (int j = 0; status == ZN_OK && other == ZN_OK && j < model_row_N(model); j++) {
        double was = walk_row(&a, j, nearly);
        if (!(was > nearly)) continue;
        double is = walk_row(&b, j, 0);
        if (is * *before < *after * was) *before = was, *after = is, row = j;
    }
    walk_end(&a);
    walk_end(&b);
    return row;
}
