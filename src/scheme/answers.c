/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the answers of a model, and the estimate of prox parameters from them. */
#include "scheme/answers.h"

#include "base/team.h"

zn_status answers_create(zn_context *context, const zn_model *model, answers *s) {
    *s = (answers){.model = model};
    const zn_patterns *p = &model->pattern;
    int n = model_rows(model), nq = model->size.nq, nu = model->size.nu;
    const mem_part list[] = {
        {&s->qdot, nq},
        {&s->qdot_q, lin_nnz(&p->qdot_q)},
        {&s->B, lin_nnz(&p->B)},
        {&s->r, nu},
        {&s->r_q, lin_nnz(&p->r_q)},
        {&s->r_u, lin_nnz(&p->r_u)},
        {&s->M, lin_nnz(&p->M)},
        {&s->W, lin_nnz(&p->W)},
        {&s->c0, n},
        {&s->c0_q, lin_nnz(&p->c0_q)},
        {&s->c1, n},
        {&s->c1_q, lin_nnz(&p->c1_q)},
        {&s->c1_u, lin_nnz(&p->c1_u)},
        {&s->c2, n},
        {&s->c2_q, lin_nnz(&p->c2_q)},
        {&s->c2_u, lin_nnz(&p->c2_u)},
    };
    s->memory = MEM_PARTS(context, list);
    s->work = mem_array(context, model->work_bytes, 1);
    if (!s->memory || !s->work) {
        answers_destroy(context, s);
        return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

void answers_destroy(zn_context *context, answers *s) {
    mem_free(context, s->memory);
    mem_free(context, s->work);
    *s = (answers){0};
}

zn_status prox_create(zn_context *context, const zn_model *model, prox_estimate *e) {
    *e = (prox_estimate){.context = context, .model = model};
    e->column = MEM_ARRAY(context, double, model->size.nu);
    e->mass_scale = MEM_ARRAY(context, double, model->size.nu);
    e->single = MEM_ARRAY(context, double, model->size.nu);
    e->scale = MEM_ARRAY(context, double, model->size.nu);
    e->pivot = MEM_ARRAY(context, double, model->size.nu);
    e->rho = MEM_ARRAY(context, double, model->size.nN + model->size.nF);
    e->M_kept = MEM_ARRAY(context, double, lin_nnz(&model->pattern.M));
    e->W_kept = MEM_ARRAY(context, double, lin_nnz(&model->pattern.W));
    e->have = MEM_ARRAY(context, bool, model->size.n_contacts);
    e->mass = lin_matrix_create(context, model->size.nu);
    e->pivots = lin_envelope_create(context, &model->pattern.M);
    bool taken = e->column && e->rho && e->mass_scale && e->single && e->scale && e->pivot && e->M_kept && e->W_kept && e->have &&
                 e->mass && e->pivots;
    zn_status status = taken ? ZN_OK : ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < model->size.nu; i++) e->mass_scale[i] = 1;
    if (status == ZN_OK && (e->block = lin_matrix_block(e->mass, &model->pattern.M, false, 0, 0)) < 0) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = lin_matrix_finish(e->mass, LIN_SPARSE); /* cells are found in its pattern */
    if (status == ZN_OK && !(e->cells = lin_cells_create(context, e->mass, NULL, NULL))) status = ZN_ERROR_MEMORY;
    if (status != ZN_OK) prox_destroy(context, e);
    return status;
}

void prox_destroy(zn_context *context, prox_estimate *e) {
    lin_cells_destroy(e->cells);
    lin_matrix_destroy(e->mass);
    lin_envelope_destroy(e->pivots);
    void *blocks[] = {e->column, e->rho, e->mass_scale, e->single, e->scale, e->pivot, e->M_kept, e->W_kept, e->have};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    *e = (prox_estimate){0};
}

/* Adds the part of an entry w_j that is in a cell of its own, or in a diagonal one. False: its cell has to be solved. */
static inline bool add_alone(const prox_estimate *e, const lin_cell_map *map, int j, double w, double *sum) {
    int cell = map->of[j];
    if (e->pivot[j] != 0) *sum += w * (w * e->scale[j] / e->pivot[j]);
    else if (e->single[j] > 0 && map->start[cell + 1] - map->start[cell] == 1) *sum += w * w * e->single[j];
    else return false;
    return true;
}

/* w' M^-1 w, cell by cell of M: each is met at the first entry of w in it. False: that takes memory for a cell, and there is none (column
 * is NULL). */
static bool find_mobility(const prox_estimate *e, const double *W, int row, double *column, double *sum) {
    const zn_pattern *p = &e->model->pattern.W;
    const lin_cell_map map = lin_cells_map(e->cells);
    int first = p->start[row], last = p->start[row + 1];
    double g = 0;
    for (int k = first; k < last; k++) {
        if (add_alone(e, &map, p->index[k], W[k], &g)) continue;
        if (!column) return false;
        int cell = map.of[p->index[k]], size = map.start[cell + 1] - map.start[cell], end = k + 1;
        bool met = false;
        for (int l = first; l < k && !met; l++) met = map.of[p->index[l]] == cell;
        if (met) continue;
        memset(column, 0, (size_t)size * sizeof *column);
        column[map.place[p->index[k]]] = W[k];
        for (; end < last && map.of[p->index[end]] == cell; end++) column[map.place[p->index[end]]] = W[end];
        for (int l = end; l < last; l++)
            if (map.of[p->index[l]] == cell) column[map.place[p->index[l]]] = W[l];
        lin_cells_solve(e->cells, cell, column, 1);
        for (int l = k; l < end; l++) g += W[l] * column[map.place[p->index[l]]];
        for (int l = end; l < last; l++)
            if (map.of[p->index[l]] == cell) g += W[l] * column[map.place[p->index[l]]];
        k = end - 1;
    }
    *sum = g;
    return true;
}

bool answers_keep(double *kept, const double *values, const zn_pattern *pattern) {
    size_t bytes = (size_t)lin_nnz(pattern) * sizeof *kept;
    if (bytes == 0 || memcmp(kept, values, bytes) == 0) return false;
    memcpy(kept, values, bytes);
    return true;
}

/* Forgets what belongs to other values of M and W. */
static void renew(prox_estimate *e, const double *M, const double *W) {
    const zn_model *model = e->model;
    const zn_pattern *p = &model->pattern.M;
    bool other_M = answers_keep(e->M_kept, M, p), other_W = answers_keep(e->W_kept, W, &model->pattern.W);
    if (other_M) e->factored = false;
    if (other_M || other_W) memset(e->have, 0, (size_t)model->size.n_contacts * sizeof *e->have);
    if (other_M) e->massless = lin_envelope_not_positive(e->pivots, M) >= 0;
    for (int j = 0; other_M && j < model->size.nu; j++) {
        e->mass_scale[j] = 1;
        e->single[j] = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] == j && M[k] > 0) e->single[j] = e->mass_scale[j] = 1 / M[k];
    }
}

/* The mean over a ball does not depend on the directions of its tangents, nor do the forces that it selects where they are not unique. */
static bool estimate_contact(prox_estimate *e, const double *W, const zn_contact *contact, double *column) {
    int first = model_row_N(e->model);
    double g = 0;
    if (contact->row_N >= 0) {
        if (!find_mobility(e, W, contact->row_N, column, &g)) return false;
        e->rho[contact->row_N - first] = g > 0 ? 1 / g : 1;
    }
    for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
        double mean = 0;
        for (int i = 0; i < contact->balls[b].dim; i++) {
            if (!find_mobility(e, W, row + i, column, &g)) return false;
            mean += g / contact->balls[b].dim;
        }
        for (int i = 0; i < contact->balls[b].dim; i++) e->rho[row + i - first] = mean > 0 ? 1 / mean : 1;
    }
    return true;
}

typedef struct estimates {
    prox_estimate *of;
    const double *W;
    const bool *wanted;
} estimates;

static bool is_missing(const estimates *x, int k) { return (!x->wanted || x->wanted[k]) && !x->of->have[k]; }

/* Those of bodies, which take no memory but their own. */
static void estimate_some(void *user, int first, int last) {
    const estimates *x = user;
    for (int k = first; k < last; k++)
        if (is_missing(x, k)) x->of->have[k] = estimate_contact(x->of, x->W, &x->of->model->contacts[k], NULL);
}

static zn_status factor(prox_estimate *e) {
    if (e->factored) return ZN_OK;
    lin_matrix_zero(e->mass);
    lin_matrix_add(e->mass, e->block, 1, e->M_kept);
    if (lin_cells_factor_all(e->cells, e->mass) != ZN_OK) return ZN_ERROR_SINGULAR;
    lin_cells_diagonals(e->cells, e->scale, e->pivot);
    e->factored = true;
    return ZN_OK;
}

zn_status prox_solve(prox_estimate *e, double *b) {
    zn_status status = factor(e);
    if (status == ZN_OK) lin_cells_solve_all(e->cells, b);
    return status;
}

zn_status prox_update(prox_estimate *e, const double *M, const double *W, const bool *wanted) {
    enum { TASK = 64 };
    estimates all = {e, W, wanted};
    bool any = false;
    renew(e, M, W);
    if (e->massless) return ZN_ERROR_NOT_FINITE;
    int n = e->model->size.n_contacts;
    for (int k = 0; k < n && !any; k++) any = is_missing(&all, k);
    zn_status status = any ? factor(e) : ZN_OK;
    if (!any || status != ZN_OK) return status;
    if (e->threads > 1) base_share(e->context, e->threads, n, TASK, estimate_some, &all);
    for (int k = 0; k < n; k++)
        if (is_missing(&all, k)) e->have[k] = estimate_contact(e, W, &e->model->contacts[k], e->column);
    return ZN_OK;
}
