/* SPDX-License-Identifier: Apache-2.0 */
/* A model that wraps another one and omits rows of lambda. With rows K that are kept and rows L that are left out,
 *
 *     c = c_K + t c_L,   lambda_L = t' lambda_K          t: factors of the merges, mostly zeros or none at all
 *
 * so that W and c1_u lose columns (which are added to others), and c0_q, c1_q, c2_q, c2_u lose rows.
 *
 * The other model answers into memory behind its own work space, from which the wanted entries are gathered. */
#include "model/fewer_rows.h"

#include "linalg/linalg.h"

/* The matrices that lose rows or columns. */
enum { MATRIX_W, MATRIX_C1_U, MATRIX_C0_Q, MATRIX_C1_Q, MATRIX_C2_Q, MATRIX_C2_U, MATRIX_COUNT };
enum { ALIGNMENT = 16 };

typedef struct fewer_rows {
    const zn_model *all;
    int *number; /* of each row in `all` */
    lin_pattern pattern[MATRIX_COUNT];
    int count[MATRIX_COUNT]; /* terms of the values: value place = value entry of `all`, then += factor of the merge * value entry */
    int *entry[MATRIX_COUNT], *place_of[MATRIX_COUNT], *merge_of[MATRIX_COUNT];
    int own[MATRIX_COUNT], merged_only[MATRIX_COUNT]; /* terms without a merge, which are the first; places that have none of them, ... */
    int *only[MATRIX_COUNT];                          /* ... and which */
    int n_merges;
    row_merge *merges;
    int *to;                    /* of each row of `all` its number here, or -1 */
    size_t place[MATRIX_COUNT]; /* of its values in the memory behind the work space; before them lambda, c0, c1, c2 */
    size_t work_bytes, doubles; /* work space of `all`, aligned; what comes behind it */
    zn_contact *contacts;
    const char **names;
} fewer_rows;

static const fewer_rows *data_of(const zn_model *model) { return model->data; }
static double *memory_of(const fewer_rows *f, void *work) { return (double *)(void *)((char *)work + f->work_bytes); }

/* ---- answers ---- */

static void gather(const zn_model *model, const double *rows, double *out) {
    const fewer_rows *f = data_of(model);
    for (int i = 0, n = model_rows(model); out && i < n; i++) out[i] = rows[f->number[i]];
    for (int k = 0; out && k < f->n_merges; k++) out[f->to[f->merges[k].into]] += f->merges[k].factor * rows[f->merges[k].from];
}

void fewer_rows_merge(const zn_model *model, const double *all, double *merged) {
    const fewer_rows *f = data_of(model);
    for (int i = 0, n = model_rows(f->all); i < n; i++) merged[i] = f->to[i] >= 0 ? all[i] : 0;
    for (int k = 0; k < f->n_merges; k++) merged[f->merges[k].into] += f->merges[k].factor * all[f->merges[k].from];
}

void fewer_rows_set_factors(zn_model *model, const row_merge *merges) {
    fewer_rows *f = model->data;
    for (int k = 0; k < f->n_merges; k++) f->merges[k].factor = merges[k].factor;
}

void fewer_rows_expand(const zn_model *model, const double *lambda, double *all) {
    const fewer_rows *f = data_of(model);
    memset(all, 0, (size_t)model_rows(f->all) * sizeof *all);
    for (int i = 0, n = model_rows(model); i < n; i++) all[f->number[i]] = lambda[i];
    for (int k = 0; k < f->n_merges; k++) all[f->merges[k].from] += f->merges[k].factor * lambda[f->to[f->merges[k].into]];
}

void fewer_rows_pick(const zn_model *model, const double *all, double *lambda) {
    for (int i = 0, n = model_rows(model); i < n; i++) lambda[i] = all[data_of(model)->number[i]];
}

static double *values_of(const fewer_rows *f, double *memory, int matrix, const double *wanted) {
    return wanted ? memory + f->place[matrix] : NULL;
}

static void gather_values(const fewer_rows *f, const double *memory, int matrix, double *out) {
    const int *entry = f->entry[matrix], *place = f->place_of[matrix], *merge = f->merge_of[matrix];
    const double *values = memory + f->place[matrix];
    if (!out) return;
    if (f->n_merges == 0) {
        for (int k = 0; k < f->count[matrix]; k++) out[k] = values[entry[k]];
        return;
    }
    for (int k = 0; k < f->own[matrix]; k++) out[place[k]] = values[entry[k]];
    for (int k = 0; k < f->merged_only[matrix]; k++) out[f->only[matrix][k]] = 0;
    for (int k = f->own[matrix]; k < f->count[matrix]; k++) out[place[k]] += f->merges[merge[k]].factor * values[entry[k]];
}

static zn_point with_all_rows(const zn_model *model, const zn_point *at, double *memory) {
    zn_point point = *at;
    if (!at->lambda) return point;
    fewer_rows_expand(model, at->lambda, memory);
    point.lambda = memory;
    return point;
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const fewer_rows *f = data_of(model);
    double *memory = memory_of(f, work);
    zn_point point = with_all_rows(model, at, memory);
    zn_balance asked = *out;
    asked.W = values_of(f, memory, MATRIX_W, out->W);
    int failed = f->all->balance(f->all, work, &point, &asked);
    gather_values(f, memory, MATRIX_W, out->W);
    return failed;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const fewer_rows *f = data_of(model);
    double *memory = memory_of(f, work);
    size_t n = (size_t)model_rows(f->all);
    zn_point point = with_all_rows(model, at, memory);
    zn_constraints asked = {.c0 = out->c0 ? memory + n : NULL,
                            .c1 = out->c1 ? memory + 2 * n : NULL,
                            .c2 = out->c2 ? memory + 3 * n : NULL,
                            .c0_q = values_of(f, memory, MATRIX_C0_Q, out->c0_q),
                            .c1_q = values_of(f, memory, MATRIX_C1_Q, out->c1_q),
                            .c1_u = values_of(f, memory, MATRIX_C1_U, out->c1_u),
                            .c2_q = values_of(f, memory, MATRIX_C2_Q, out->c2_q),
                            .c2_u = values_of(f, memory, MATRIX_C2_U, out->c2_u)};
    int failed = f->all->constraints(f->all, work, &point, &asked);
    gather(model, asked.c0, out->c0);
    gather(model, asked.c1, out->c1);
    gather(model, asked.c2, out->c2);
    gather_values(f, memory, MATRIX_C0_Q, out->c0_q);
    gather_values(f, memory, MATRIX_C1_Q, out->c1_q);
    gather_values(f, memory, MATRIX_C1_U, out->c1_u);
    gather_values(f, memory, MATRIX_C2_Q, out->c2_q);
    gather_values(f, memory, MATRIX_C2_U, out->c2_u);
    return failed;
}

/* What does not depend on rows. */
static int kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    const zn_model *all = data_of(model)->all;
    return all->kinematics(all, work, at, out);
}
static int momentum(const zn_model *model, void *work, const zn_point *at, zn_momentum *out) {
    const zn_model *all = data_of(model)->all;
    return all->momentum(all, work, at, out);
}
static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    const zn_model *all = data_of(model)->all;
    return all->energy(all, work, at, kinetic, potential);
}
static int outputs(const zn_model *model, void *work, const zn_point *at, double *values) {
    const zn_model *all = data_of(model)->all;
    return all->outputs(all, work, at, values);
}
static void after_step(const zn_model *model, double t, double *q) {
    const zn_model *all = data_of(model)->all;
    all->after_step(all, t, q);
}

/* ---- making one ---- */

/* Terms of a matrix: (row, column) of the entries of `all` that stay, then of those that are merged. Counts, or fills what is not NULL. */
static int list_terms(const fewer_rows *f, const zn_pattern *all, bool columns, int matrix, int *row, int *column) {
    int count = 0;
    for (int pass = 0; pass <= f->n_merges; pass++)
        for (int j = 0; j < all->cols; j++)
            for (int k = all->start[j]; k < all->start[j + 1]; k++) {
                const row_merge *merge = pass > 0 ? &f->merges[pass - 1] : NULL;
                int i = all->index[k], of = columns ? j : i;
                if (merge ? of != merge->from : f->to[of] < 0) continue;
                int to = f->to[merge ? merge->into : of];
                if (row) {
                    row[count] = columns ? i : to;
                    column[count] = columns ? to : j;
                    f->entry[matrix][count] = k;
                    f->merge_of[matrix][count] = pass - 1;
                }
                count++;
            }
    return count;
}

static zn_status sort_terms(zn_context *context, fewer_rows *f, int matrix) {
    int places = lin_nnz(&f->pattern[matrix].p), count = 0;
    int *only = f->only[matrix] = MEM_ARRAY(context, int, places);
    if (!only) return ZN_ERROR_MEMORY;
    while (f->own[matrix] < f->count[matrix] && f->merge_of[matrix][f->own[matrix]] < 0) only[f->place_of[matrix][f->own[matrix]++]] = 1;
    for (int k = 0; k < places; k++)
        if (!only[k]) only[count++] = k; /* never ahead of k */
    f->merged_only[matrix] = count;
    return ZN_OK;
}

static zn_status take_part(zn_context *context, fewer_rows *f, const zn_pattern *all, bool columns, int n, int matrix) {
    if (!all->start) return ZN_OK;
    int count = list_terms(f, all, columns, matrix, NULL, NULL), *row = MEM_ARRAY(context, int, count),
        *column = MEM_ARRAY(context, int, count);
    f->count[matrix] = count;
    f->entry[matrix] = MEM_ARRAY(context, int, count);
    f->place_of[matrix] = MEM_ARRAY(context, int, count);
    f->merge_of[matrix] = MEM_ARRAY(context, int, count);
    zn_status status = row && column && f->entry[matrix] && f->place_of[matrix] && f->merge_of[matrix] ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        list_terms(f, all, columns, matrix, row, column);
        status = lin_pattern_create(context, columns ? all->rows : n, columns ? n : all->cols, count, row, column, &f->pattern[matrix],
                                    f->place_of[matrix]);
    }
    if (status == ZN_OK) status = sort_terms(context, f, matrix);
    mem_free(context, row);
    mem_free(context, column);
    return status;
}

static zn_status take_patterns(zn_context *context, fewer_rows *f, int n) {
    const zn_patterns *p = &f->all->pattern;
    const struct {
        const zn_pattern *all;
        bool columns;
    } list[MATRIX_COUNT] = {[MATRIX_W] = {&p->W, true},        [MATRIX_C1_U] = {&p->c1_u, true},  [MATRIX_C0_Q] = {&p->c0_q, false},
                            [MATRIX_C1_Q] = {&p->c1_q, false}, [MATRIX_C2_Q] = {&p->c2_q, false}, [MATRIX_C2_U] = {&p->c2_u, false}};
    size_t next = 4 * (size_t)model_rows(f->all);
    zn_status status = ZN_OK;
    for (int i = 0; i < MATRIX_COUNT && status == ZN_OK; i++) {
        status = take_part(context, f, list[i].all, list[i].columns, n, i);
        f->place[i] = next;
        next += (size_t)lin_nnz(list[i].all);
    }
    f->work_bytes = (f->all->work_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    f->doubles = next;
    return status;
}

static zn_status take_names(zn_context *context, fewer_rows *f) {
    const zn_model *all = f->all;
    int left_out = 0;
    f->contacts = MEM_ARRAY(context, zn_contact, all->size.n_contacts);
    f->names = MEM_ARRAY(context, const char *, model_row_N(all));
    if (!f->contacts || !f->names) return ZN_ERROR_MEMORY;
    for (int i = 0; i < model_row_N(all); i++) {
        if (f->to[i] >= 0) f->names[f->to[i]] = all->bilateral_names[i];
        else left_out++;
    }
    for (int k = 0; k < all->size.n_contacts; k++) {
        f->contacts[k] = all->contacts[k];
        if (f->contacts[k].row_N >= 0) f->contacts[k].row_N -= left_out;
        f->contacts[k].row_F -= left_out;
        for (int i = 0; i < f->contacts[k].n_load; i++)
            if (f->contacts[k].load_rows[i] >= 0) f->contacts[k].load_rows[i] = f->to[f->contacts[k].load_rows[i]];
    }
    return ZN_OK;
}

static void destroy(zn_context *context, zn_model *model) {
    fewer_rows *f = model->data;
    for (int i = 0; f && i < MATRIX_COUNT; i++) {
        lin_pattern_destroy(context, &f->pattern[i]);
        mem_free(context, f->entry[i]);
        mem_free(context, f->place_of[i]);
        mem_free(context, f->merge_of[i]);
        mem_free(context, f->only[i]);
    }
    if (f) {
        void *blocks[] = {f->number, f->to, f->merges, f->contacts, f->names};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    }
    mem_free(context, f);
}

static void describe(zn_model *m, const fewer_rows *f, const bool *left_out) {
    const zn_model *all = f->all;
    *m = *all;
    for (int i = 0; i < model_row_N(all); i++) *(i < all->size.ng ? &m->size.ng : &m->size.ny) -= left_out[i];
    m->pattern.W = f->pattern[MATRIX_W].p;
    m->pattern.c1_u = f->pattern[MATRIX_C1_U].p;
    m->pattern.c0_q = f->pattern[MATRIX_C0_Q].p;
    m->pattern.c1_q = f->pattern[MATRIX_C1_Q].p;
    m->pattern.c2_q = f->pattern[MATRIX_C2_Q].p;
    m->pattern.c2_u = f->pattern[MATRIX_C2_U].p;
    m->drawing = NULL; /* each model owns its own */
    m->contacts = f->contacts;
    m->bilateral_names = f->names;
    m->work_bytes = f->work_bytes + f->doubles * sizeof(double);
    m->kinematics = kinematics, m->balance = balance, m->constraints = constraints;
    if (all->momentum) m->momentum = momentum;
    if (all->energy) m->energy = energy;
    if (all->outputs) m->outputs = outputs;
    if (all->after_step) m->after_step = after_step;
    m->destroy = destroy;
}

static zn_status take_rows(zn_context *context, fewer_rows *f, const bool *left_out, int n_merges, const row_merge *merges) {
    int rows = model_rows(f->all), n = 0;
    f->to = MEM_ARRAY(context, int, rows);
    f->number = MEM_ARRAY(context, int, rows);
    f->merges = MEM_ARRAY(context, row_merge, n_merges);
    if (!f->to || !f->number || !f->merges) return ZN_ERROR_MEMORY;
    for (int i = 0; i < rows; i++) {
        f->to[i] = i < model_row_N(f->all) && left_out[i] ? -1 : n;
        if (f->to[i] >= 0) f->number[n++] = i;
    }
    for (int k = 0; k < n_merges; k++) f->merges[k] = merges[k];
    f->n_merges = n_merges;
    zn_status status = take_patterns(context, f, n);
    return status == ZN_OK ? take_names(context, f) : status;
}

zn_status fewer_rows_create(zn_context *context, const zn_model *all, const bool *left_out, int n_merges, const row_merge *merges,
                            zn_model **out) {
    zn_model *m = MEM_ARRAY(context, zn_model, 1);
    fewer_rows *f = MEM_ARRAY(context, fewer_rows, 1);
    if (!m || !f) {
        mem_free(context, m);
        mem_free(context, f);
        return ZN_ERROR_MEMORY;
    }
    f->all = all;
    m->data = f;
    zn_status status = take_rows(context, f, left_out, n_merges, merges);
    if (status == ZN_OK) {
        describe(m, f, left_out);
        m->data = f;
        *out = m;
    } else destroy(context, m), mem_free(context, m);
    return status;
}
