/* SPDX-License-Identifier: Apache-2.0 */
/* M = L D L^T without pivoting, row by row, k from the first entry of a row:
 *
 *     g_ij = M_ij - sum_k g_ik L_jk,    L_ij = g_ij/D_j,    D_i = M_ii - sum_k g_ik L_ik
 *
 * M is positive definite when all D_i > 0. The cost is that of the rows' lengths squared: linear for bodies one after the other and for
 * flexible ones. */
#include "linalg/envelope.h"

/* Longer envelopes (entries) are not factored: only the diagonal is used. */
static const double MOST_ENTRIES = 3e7;

struct lin_envelope {
    zn_context *context;
    const zn_pattern *pattern;
    int *first;      /* column of the first entry of a row */
    size_t *end;     /* one behind the diagonal of a row in `entries` */
    double *entries; /* rows of g, then of L, with 1/D_i on the diagonal; NULL: too many */
};

lin_envelope *lin_envelope_create(zn_context *context, const zn_pattern *p) {
    lin_envelope *e = MEM_ARRAY(context, lin_envelope, 1);
    if (!e) return NULL;
    double size = 0;
    *e = (lin_envelope){context, p, MEM_ARRAY(context, int, p->cols), MEM_ARRAY(context, size_t, p->cols), NULL};
    if (!e->first || !e->end) goto failed;
    for (int i = 0; i < p->cols; i++) e->first[i] = i;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] > j && j < e->first[p->index[k]]) e->first[p->index[k]] = j;
    for (int i = 0; i < p->cols; i++) {
        size += i - e->first[i] + 1;
        e->end[i] = (i ? e->end[i - 1] : 0) + (size_t)(i - e->first[i] + 1);
    }
    if (size <= MOST_ENTRIES && !(e->entries = MEM_ARRAY(context, double, (size_t)size))) goto failed;
    return e;
failed:
    lin_envelope_destroy(e);
    return NULL;
}

void lin_envelope_destroy(lin_envelope *e) {
    if (!e) return;
    void *blocks[] = {e->first, e->end, e->entries};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(e->context, blocks[i]);
    mem_free(e->context, e);
}

/* Entry (i, j), j from first[i] to i. */
static double *entry(const lin_envelope *e, int i, int j) { return e->entries + e->end[i] - 1 - (i - j); }

static int bad_diagonal(const zn_pattern *p, const double *values) {
    for (int j = 0; j < p->cols; j++) {
        double own = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] == j) own = values[k];
        if (!(own > 0)) return j;
    }
    return -1;
}

static bool pivot_is_positive(lin_envelope *e, int i) {
    double *row = entry(e, i, e->first[i]), *own = entry(e, i, i), pivot = *own;
    for (int j = e->first[i]; j < i; j++) {
        int from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
        const double *g = entry(e, i, from), *l = entry(e, j, from);
        double sum = row[j - e->first[i]];
        for (int k = 0; k < j - from; k++) sum -= g[k] * l[k];
        row[j - e->first[i]] = sum;
    }
    for (int j = e->first[i]; j < i; j++) {
        double g = row[j - e->first[i]], l = g * *entry(e, j, j);
        pivot -= g * l;
        row[j - e->first[i]] = l;
    }
    *own = 1 / pivot;
    return pivot > 0;
}

int lin_envelope_not_positive(lin_envelope *e, const double *values) {
    const zn_pattern *p = e->pattern;
    int bad = bad_diagonal(p, values);
    if (bad >= 0 || !e->entries || p->start[p->cols] == p->cols) return bad;
    memset(e->entries, 0, e->end[p->cols - 1] * sizeof *e->entries);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] >= j) *entry(e, p->index[k], j) = values[k];
    for (int i = 0; i < p->cols; i++)
        if (!pivot_is_positive(e, i)) return i;
    return -1;
}
