/* SPDX-License-Identifier: Apache-2.0 */
/* Which bilateral rows are redundant at the start: columns of W that are combinations of those before them. */
#include "base/handle.h"
#include "linalg/linalg.h"
#include "model/model.h"
#include "zeno/parts.h"

static const double tolerance = 1e-9; /* of the part of a column that is new, relative to the column */
static const double nearly = 1e-3;    /* the same for a row that was meant to follow from others, with numbers that are not exact */
static const double roundoff = 1e-14; /* contradictions below are none */

static double norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Takes the directions of the basis out of x, twice: once leaves round-off of the size of what it took out. */
static void orthogonalise(double *x, int n, const double *basis, int count) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *e = basis + (size_t)k * (size_t)n;
            double along = 0;
            for (int i = 0; i < n; i++) along += e[i] * x[i];
            for (int i = 0; i < n; i++) x[i] -= along * e[i];
        }
}

static void find_redundant(const zn_model *model, const double *W, double *basis, bool *redundant, int *count) {
    int n = model->size.nu, rank = 0;
    const zn_pattern *p = &model->pattern.W;
    for (int j = 0; j < model->size.ng + model->size.ny; j++) {
        double *x = basis + (size_t)rank * (size_t)n;
        memset(x, 0, (size_t)n * sizeof *x);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) x[p->index[k]] = W[k];
        double size = norm(x, n), left = 0;
        if (rank < n) {
            orthogonalise(x, n, basis, rank);
            left = norm(x, n);
        }
        redundant[j] = !(left > tolerance * size);
        if (redundant[j]) {
            ++*count;
            continue;
        }
        for (int i = 0; i < n; i++) x[i] /= left;
        rank++;
    }
}

zn_status zn_model_redundant_rows(zn_context *context, const zn_model *model, bool *redundant, int *count) {
    NEED_CONTEXT(context);
    NEED(context, redundant);
    NEED(context, count);
    *count = 0;
    zn_status good = model_check(context, model, __func__);
    if (good != ZN_OK) return good;
    size_t n = (size_t)model->size.nu, columns = (size_t)(model->size.ng + model->size.ny);
    if (columns > ZN_MODEL_MOST_ROWS)
        return fail(context, ZN_UNSUPPORTED,
                    "the model has more than %d bilateral rows: they are not checked for redundancy",
                    ZN_MODEL_MOST_ROWS);
    if (columns > n) columns = n;
    void *work = mem_array(context, model->work_bytes, 1);
    double *W = MEM_ARRAY(context, double, lin_nnz(&model->pattern.W)),
           *basis = MEM_ARRAY(context, double, n *(columns + 1));
    zn_status status = work && W && basis ? ZN_OK : ZN_MEMORY;
    if (status == ZN_OK &&
        model->balance(model, work, &(zn_point){.q = model->q_start, .u = model->u_start}, &(zn_balance){.W = W}))
        status = fail(context, ZN_NOT_FINITE, "the constraints cannot be evaluated at the start");
    if (status == ZN_OK) find_redundant(model, W, basis, redundant, count);
    mem_free(context, work), mem_free(context, W), mem_free(context, basis);
    return status;
}

/* ---- contradictions ---- */

/* Of a row x with values g and gamma what remains without the directions before it; returns the size of x that remains. */
static double reduce(double *x, int n, const double *basis, const double *values, int count, double *g, double *gamma) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *e = basis + (size_t)k * (size_t)n;
            double along = 0;
            for (int i = 0; i < n; i++) along += e[i] * x[i];
            for (int i = 0; i < n; i++) x[i] -= along * e[i];
            *g -= along * values[2 * k];
            *gamma -= along * values[2 * k + 1];
        }
    return norm(x, n);
}

static int worst_row(const zn_model *model, const double *W, const double *c0, const double *c1, double *basis, double *values,
                     double *worst) {
    int n = model->size.nu, rank = 0, found = -1;
    const zn_pattern *p = &model->pattern.W;
    *worst = 0;
    for (int j = 0; j < model_row_N(model); j++) {
        double *x = basis + (size_t)rank * (size_t)n, g = c0[j], gamma = c1[j];
        memset(x, 0, (size_t)n * sizeof *x);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) x[p->index[k]] = W[k];
        double size = norm(x, n), left = reduce(x, n, basis, values, rank, &g, &gamma);
        if (rank < n && left > nearly * size) {
            for (int i = 0; i < n; i++) x[i] /= left;
            values[2 * rank] = g / left, values[2 * rank + 1] = gamma / left;
            rank++;
            continue;
        }
        double contradiction = larger(larger(fabs(g), fabs(gamma)), rank < n ? left : 0);
        if (contradiction > roundoff * (1 + size) && contradiction > *worst) *worst = contradiction, found = j;
    }
    return found;
}

int model_contradiction(zn_context *context, const zn_model *model, const zn_point *at, double *size) {
    size_t n = (size_t)model->size.nu, bilateral = (size_t)model_row_N(model), rows = (size_t)model_rows(model);
    *size = 0;
    if (bilateral < 2 || bilateral > ZN_MODEL_MOST_ROWS) return -1;
    void *work = mem_array(context, model->work_bytes, 1);
    double *W = MEM_ARRAY(context, double, lin_nnz(&model->pattern.W)), *c0 = MEM_ARRAY(context, double, rows),
           *c1 = MEM_ARRAY(context, double, rows), *basis = MEM_ARRAY(context, double, n *((n < bilateral ? n : bilateral) + 1)),
           *values = MEM_ARRAY(context, double, 2 * n);
    int row = work && W && c0 && c1 && basis && values ? -1 : -2;
    if (row == -1 && !model->balance(model, work, at, &(zn_balance){.W = W}) &&
        !model->constraints(model, work, at, &(zn_constraints){.c0 = c0, .c1 = c1}))
        row = worst_row(model, W, c0, c1, basis, values, size);
    void *blocks[] = {work, W, c0, c1, basis, values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return row;
}
