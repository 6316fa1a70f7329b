/* SPDX-License-Identifier: Apache-2.0 */
/* KLU. A refactorisation keeps the pivots of the last full factorisation, which is fast and takes no memory, but wrong when
 * the values no longer suit those pivots: it may divide by rounding noise without saying so. So every refactorisation is
 * checked by the growth of U against A, and a full factorisation replaces a doubtful one. */
#include "linalg/sparse_lu.h"

/* Threshold of partial pivoting: a diagonal pivot is taken when it reaches this part of its column (fill against accuracy). */
#define PIVOT_THRESHOLD 0.1
/* min over columns of max|A| / max|U|: below this, a refactorisation loses too many digits (three of sixteen). */
#define SMALLEST_RECIPROCAL_GROWTH 1e-3
/* A step begins without pivots, and KLU, which finds them again, then takes several times as long for an operation as a fixed order. */
#define MORE_OPERATIONS 4

bool lin_sparse_estimate(const zn_pattern *pattern, double *entries, double *operations) {
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(pattern->cols, (int *)pattern->start, (int *)pattern->index, &common);
    if (!symbolic) return false;
    *entries = symbolic->lnz + symbolic->unz;
    *operations = symbolic->est_flops;
    klu_free_symbolic(&symbolic, &common);
    return true;
}

/* A fixed order of pivots is taken where bodies are known and it has not too many operations. */
static zn_status create_fixed(zn_context *context, const zn_pattern *pattern, const int *body, sparse_lu *lu) {
    if (!body || !lu->symbolic) return ZN_OK;
    double most = MORE_OPERATIONS / 2 * lu->symbolic->est_flops, operations = most;
    zn_status status = lin_static_create(context, pattern, body, &operations, &lu->fixed);
    if (status != ZN_OK || operations <= most) return status;
    lin_static_destroy(lu->fixed);
    lu->fixed = NULL;
    return ZN_OK;
}

zn_status lin_sparse_create(zn_context *context, const zn_pattern *pattern, const int *body, sparse_lu *lu) {
    int n = pattern->cols;
    *lu = (sparse_lu){0};
    klu_defaults(&lu->common);
    lu->common.tol = PIVOT_THRESHOLD;
    lu->common.scale = 2; /* rows by their largest entry */
    lu->row = MEM_ARRAY(context, double, n);
    lu->col = MEM_ARRAY(context, double, n);
    if (!lu->row || !lu->col) {
        lin_sparse_destroy(context, lu);
        return ZN_ERROR_MEMORY;
    }
    if (n == 0) return ZN_OK;
    /* KLU reads the pattern only; its prototypes lack const. */
    lu->symbolic = klu_analyze(n, (int *)pattern->start, (int *)pattern->index, &lu->common);
    zn_status status = ZN_OK;
    if (lu->symbolic || lu->common.status == KLU_SINGULAR) status = lu->symbolic ? create_fixed(context, pattern, body, lu) : ZN_OK;
    else
        status = lu->common.status == KLU_INVALID ? fail(context, ZN_ERROR_INTERNAL, "a sparse matrix of size %d has a wrong pattern", n)
                                                  : fail(context, ZN_ERROR_MEMORY, "no memory to analyse a sparse matrix of size %d", n);
    if (status != ZN_OK) lin_sparse_destroy(context, lu);
    return status;
}

void lin_sparse_destroy(zn_context *context, sparse_lu *lu) {
    lin_static_destroy(lu->fixed);
    lu->fixed = NULL;
    klu_free_numeric(&lu->numeric, &lu->common);
    klu_free_symbolic(&lu->symbolic, &lu->common);
    mem_free(context, lu->row);
    mem_free(context, lu->col);
    lu->row = lu->col = NULL;
}

/* Whether the factors can be used. Growth of U over A carries rounding errors into the pivots, so that what counts as tiny
 * grows with it. Column k of the factors is column Q[k] of the matrix. KLU divides rows by their largest entries, our scales
 * are the powers of two next to that: pivots and columns are comparable up to a factor of 2. */
static bool factors_are_valid(sparse_lu *lu, const lin_columns *a) {
    if (lu->common.status != KLU_OK) return false;
    if (!klu_rgrowth((int *)a->start, (int *)a->index, (double *)a->values, lu->symbolic, lu->numeric, &lu->common)) return false;
    const double *pivot = lu->numeric->Udiag;
    double tiny = lin_tiny_pivot(a->n) / smaller(1, larger(lu->common.rgrowth, SMALLEST_RECIPROCAL_GROWTH));
    for (int k = 0; k < a->n; k++)
        if (!(fabs(pivot[k]) > tiny * lu->col[lu->symbolic->Q[k]])) return false;
    return true;
}

static bool refactor(sparse_lu *lu, const lin_columns *a) {
    int *start = (int *)a->start, *index = (int *)a->index;
    if (!klu_refactor(start, index, (double *)a->values, lu->symbolic, lu->numeric, &lu->common)) return false;
    /* False for NaN, too. */
    return factors_are_valid(lu, a) && lu->common.rgrowth >= SMALLEST_RECIPROCAL_GROWTH;
}

static zn_status factor(sparse_lu *lu, const lin_columns *a) {
    klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_factor((int *)a->start, (int *)a->index, (double *)a->values, lu->symbolic, &lu->common);
    if (!lu->numeric) return lu->common.status == KLU_SINGULAR ? ZN_ERROR_SINGULAR : ZN_ERROR_MEMORY;
    return factors_are_valid(lu, a) ? ZN_OK : ZN_ERROR_SINGULAR;
}

zn_status lin_sparse_factor(sparse_lu *lu, const lin_columns *a, bool same_structure) {
    lu->rcond = 1;
    lu->use_fixed = false;
    if (a->n == 0) return ZN_OK;
    lu->rcond = 0;
    if (!same_structure) {
        lu->fixed_failed = false;
        klu_free_numeric(&lu->numeric, &lu->common);
    }
    if (lu->fixed && !lu->fixed_failed) {
        lu->use_fixed = lin_static_factor(lu->fixed, a, &lu->rcond);
        lu->fixed_failed = !lu->use_fixed;
        if (lu->use_fixed) return ZN_OK;
        lu->rcond = 0;
    }
    if (!lin_scale_rows(a, lu->row)) return ZN_ERROR_NOT_FINITE;
    if (!lu->symbolic) return ZN_ERROR_SINGULAR;
    lin_largest_in_columns(a, lu->row, lu->col);
    if (!lu->numeric || !refactor(lu, a)) {
        zn_status status = factor(lu, a);
        if (status != ZN_OK) {
            klu_free_numeric(&lu->numeric, &lu->common);
            return status;
        }
    }
    klu_rcond(lu->symbolic, lu->numeric, &lu->common);
    lu->rcond = lu->common.rcond;
    return ZN_OK;
}

void lin_sparse_solve(sparse_lu *lu, double *b, int columns) {
    if (lu->use_fixed) lin_static_solve(lu->fixed, b, columns);
    else if (lu->numeric) klu_solve(lu->symbolic, lu->numeric, lu->numeric->n, columns, b, &lu->common);
}
