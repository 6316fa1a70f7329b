/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a model can be one at its start. Its energies are finite. Its mass matrix is finite and positive definite, by a Cholesky
 * factorisation within its envelope,
 *
 *     L_ij = (M_ij - sum_k L_ik L_jk)/L_jj,    L_ii^2 = M_ii - sum_k L_ik^2,    k from the first entry of the row
 *
 * whose cost is that of the rows' lengths squared: linear for bodies one after the other and for flexible ones. */
#include "linalg/linalg.h"
#include "model/model.h"

/* Longer envelopes (entries) are not factored: only the diagonal is looked at. */
static const double MOST_ENTRIES = 3e7;

typedef struct envelope {
    int n, *first; /* column of the first entry of a row */
    size_t *end;   /* one behind the diagonal of a row in `entries` */
    double *entries;
} envelope;

static bool make_envelope(zn_context *context, const zn_pattern *p, envelope *e) {
    double size = 0;
    e->n = p->cols;
    e->first = MEM_ARRAY(context, int, p->cols);
    e->end = MEM_ARRAY(context, size_t, p->cols);
    if (!e->first || !e->end) return false;
    for (int i = 0; i < p->cols; i++) e->first[i] = i;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] > j && j < e->first[p->index[k]]) e->first[p->index[k]] = j;
    for (int i = 0; i < p->cols; i++) {
        size += i - e->first[i] + 1;
        e->end[i] = (i ? e->end[i - 1] : 0) + (size_t)(i - e->first[i] + 1);
    }
    if (size > MOST_ENTRIES) return true;
    return (e->entries = MEM_ARRAY(context, double, (size_t)size)) != NULL;
}

/* Entry (i, j), j from first[i] to i. */
static double *entry(const envelope *e, int i, int j) { return e->entries + e->end[i] - 1 - (i - j); }

/* The row whose pivot is not positive, else -1. */
static int factor(const envelope *e) {
    for (int i = 0; i < e->n; i++) {
        double pivot = *entry(e, i, i);
        for (int j = e->first[i]; j < i; j++) {
            int from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
            double sum = *entry(e, i, j);
            const double *a = entry(e, i, from), *b = entry(e, j, from);
            for (int k = 0; k < j - from; k++) sum -= a[k] * b[k];
            *entry(e, i, j) = sum / *entry(e, j, j);
            pivot -= *entry(e, i, j) * *entry(e, i, j);
        }
        if (!(pivot > 0)) return i;
        *entry(e, i, i) = sqrt(pivot);
    }
    return -1;
}

/* Only the lower triangle is looked at. */
static zn_status check_mass(zn_context *context, const zn_model *model, const double *M, envelope *e) {
    const zn_pattern *p = &model->pattern.M;
    for (int j = 0; j < model->size.nu; j++) {
        double mass = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (!isfinite(M[k]))
                return fail(context, ZN_ERROR_MODEL, "the mass matrix is not finite at the start: %g for '%s' and '%s'", M[k],
                            model->u_names[p->index[k]], model->u_names[j]);
            if (p->index[k] == j) mass = M[k];
        }
        if (!(mass > 0))
            return fail(context, ZN_ERROR_MODEL,
                        "the mass matrix is not positive definite: '%s' has no positive mass at the start (%g); no kinetic "
                        "energy uses it, "
                        "or an entry is not positive",
                        model->u_names[j], mass);
    }
    if (p->start[model->size.nu] == model->size.nu) return ZN_OK; /* diagonal */
    if (!make_envelope(context, p, e)) return ZN_ERROR_MEMORY;
    if (!e->entries) return ZN_OK;
    for (int j = 0; j < model->size.nu; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] >= j) *entry(e, p->index[k], j) = M[k];
    int bad = factor(e);
    if (bad < 0) return ZN_OK;
    return fail(context, ZN_ERROR_MODEL,
                "the mass matrix is not positive definite at the start: '%s' (with the velocities before it) has no positive mass",
                model->u_names[bad]);
}

static zn_status check_energy(zn_context *context, const zn_model *model, void *work, const zn_point *at) {
    double kinetic = NAN, potential = NAN;
    if (!model->energy) return ZN_OK;
    if (model->energy(model, work, at, &kinetic, &potential))
        return fail(context, ZN_ERROR_MODEL, "the energy cannot be evaluated at the start");
    if (isfinite(kinetic + potential)) return ZN_OK;
    return fail(context, ZN_ERROR_MODEL, "the %s energy is not finite at the start " MODEL_OUT_OF_RANGE,
                isfinite(kinetic) ? "potential" : "kinetic");
}

zn_status model_check_start(zn_context *context, const zn_model *model) {
    envelope e = {0};
    double *work, *M;
    const mem_part list[] = {{&work, (int)((model->work_bytes + sizeof *work - 1) / sizeof *work)}, {&M, lin_nnz(&model->pattern.M)}};
    double *memory = MEM_PARTS(context, list);
    zn_status status = memory ? ZN_OK : ZN_ERROR_MEMORY;
    zn_point at = {.q = model->q_start, .u = model->u_start};
    if (status == ZN_OK && model->balance(model, work, &at, &(zn_balance){.M = M}))
        status = fail(context, ZN_ERROR_MODEL, "the mass matrix cannot be evaluated at the start");
    if (status == ZN_OK) status = check_mass(context, model, M, &e);
    if (status == ZN_OK) status = check_energy(context, model, work, &at);
    void *blocks[] = {memory, e.first, e.end, e.entries};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return status;
}
