/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/states.h"

#include "base/wide.h"
#include "linalg/dense.h"
#include "scheme/tableau.h"

/* Rows of a group, stages together, up to which its inverse is cheaper than unknowns of the step. */
enum { STATES_MOST_ROWS = 96, SHORTEST_RUN = 4 };

/* ---- structure ---- */

/* It reads no other state, and none reads it. */
static bool is_single(const stage_states *s, int coordinate) {
    const zn_pattern *p = &s->model->pattern.qdot_q;
    for (int j = 0; p->start && j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            bool states_only = s->model->states[j] && s->model->states[p->index[e]];
            if (states_only && (j == coordinate) != (p->index[e] == coordinate)) return false;
        }
    return true;
}

static zn_status number_coordinates(stage_states *s) {
    const zn_model *model = s->model;
    int nq = model->size.nq;
    s->other = MEM_ARRAY(s->context, int, nq);
    s->other_at = MEM_ARRAY(s->context, int, nq);
    s->coordinate = MEM_ARRAY(s->context, int, nq);
    if (!s->other || !s->other_at || !s->coordinate) return ZN_ERROR_MEMORY;
    s->others_first = true;
    for (int i = 0; i < nq; i++) {
        s->other[i] = model->states[i] ? -1 : s->n_others;
        if (model->states[i]) continue;
        s->others_first = s->others_first && i == s->n_others;
        s->other_at[s->n_others++] = i;
    }
    for (int single = 1; single >= 0; single--)
        for (int i = 0; i < nq; i++)
            if (model->states[i] && is_single(s, i) == single) s->coordinate[s->n++] = i, s->n_single += single;
    return ZN_OK;
}

static int state_of(const stage_states *s, int coordinate) {
    for (int j = 0; j < s->n; j++)
        if (s->coordinate[j] == coordinate) return j;
    return -1;
}

static zn_status find_F(stage_states *s) {
    const zn_pattern *p = &s->model->pattern.qdot_q;
    int room = lin_nnz(p);
    s->F_row = MEM_ARRAY(s->context, int, room);
    s->F_col = MEM_ARRAY(s->context, int, room);
    s->F_from = MEM_ARRAY(s->context, int, room);
    if (!s->F_row || !s->F_col || !s->F_from) return ZN_ERROR_MEMORY;
    for (int j = 0; room && j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            if (s->other[j] >= 0 || s->other[p->index[e]] >= 0) continue;
            s->F_row[s->n_F] = state_of(s, p->index[e]), s->F_col[s->n_F] = state_of(s, j), s->F_from[s->n_F++] = e;
        }
    return ZN_OK;
}

static int group_size(const stage_states *s, int g) { return s->group_first[g + 1] - s->group_first[g]; }

/* Groups of states that read each other, and where their inverses begin. */
static zn_status find_groups(stage_states *s) {
    s->group = MEM_ARRAY(s->context, int, s->n);
    s->position = MEM_ARRAY(s->context, int, s->n);
    s->member = MEM_ARRAY(s->context, int, s->n);
    s->group_first = MEM_ARRAY(s->context, int, s->n + 1);
    s->inverse_at = MEM_ARRAY(s->context, int, s->n + 1);
    if (!s->group || !s->position || !s->member || !s->group_first || !s->inverse_at) return ZN_ERROR_MEMORY;
    for (int j = 0; j < s->n; j++) s->group[j] = j;
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < s->n_F; e++) {
            int *a = &s->group[s->F_row[e]], *b = &s->group[s->F_col[e]];
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (int j = s->n_single, used = 0; j < s->n; j++) {
        if (s->group[j] != j) continue;
        for (int k = j; k < s->n; k++)
            if (s->group[k] == j) s->position[k] = used - s->group_first[s->n_groups], s->member[used++] = k;
        s->group_first[++s->n_groups] = used;
    }
    s->inverse_at[0] = s->m * s->m * s->n_single;
    for (int g = 0; g < s->n_groups; g++) {
        int rows = s->m * group_size(s, g);
        s->inverse_at[g + 1] = s->inverse_at[g] + rows * rows;
        for (int k = s->group_first[g]; k < s->group_first[g + 1]; k++) s->group[s->member[k]] = g;
    }
    for (int j = 0; j < s->n_single; j++) s->group[j] = -1 - j;
    return ZN_OK;
}

static int largest_group(const stage_states *s) {
    int most = 1;
    for (int g = 0; g < s->n_groups; g++) most = group_size(s, g) > most ? group_size(s, g) : most;
    return most;
}

/* ---- derivatives ---- */

/* Entries (state, column) of dX_i: every state of a group has those of all its members. `from` is where their rates' derivatives stand. */
static zn_status find_entries(stage_states *s, states_product *p, const zn_pattern *rates, int **column) {
    zn_context *context = s->context;
    int terms = 0, most = lin_nnz(rates) * largest_group(s) + 1;
    p->state = MEM_ARRAY(context, int, most);
    p->first_term = MEM_ARRAY(context, int, most + 1);
    p->member = MEM_ARRAY(context, int, most);
    p->from = MEM_ARRAY(context, int, most);
    *column = MEM_ARRAY(context, int, most);
    if (!p->state || !p->first_term || !p->member || !p->from || !*column) return ZN_ERROR_MEMORY;
    bool by_q = rates == &s->model->pattern.qdot_q;
    for (int j = 0; rates->start && j < rates->cols; j++) {
        int col = by_q ? s->other[j] : j;
        for (int state = 0; col >= 0 && state < s->n; state++) {
            int before = terms;
            for (int e = rates->start[j]; e < rates->start[j + 1]; e++) {
                int other = state_of(s, rates->index[e]);
                if (other < 0 || s->group[other] != s->group[state]) continue;
                p->member[terms] = s->position[other], p->from[terms++] = e;
            }
            if (terms == before) continue;
            p->state[p->n_entries] = state, (*column)[p->n_entries] = col;
            p->first_term[p->n_entries++] = before;
        }
    }
    p->first_term[p->n_entries] = terms;
    return ZN_OK;
}

static zn_status find_terms(stage_states *s, states_product *p, const int *column, int cols) {
    const zn_pattern *r_q = &s->model->pattern.r_q;
    zn_context *context = s->context;
    int nu = s->model->size.nu, room = 0;
    for (int pass = 0; pass < 2; pass++) {
        p->n_terms = 0;
        for (int e = 0; e < p->n_entries; e++) {
            int j = s->coordinate[p->state[e]];
            for (int k = r_q->start ? r_q->start[j] : 0; r_q->start && k < r_q->start[j + 1]; k++, p->n_terms++)
                if (pass) p->r_from[p->n_terms] = k, p->entry[p->n_terms] = e;
        }
        if (pass) break;
        room = p->n_terms;
        p->r_from = MEM_ARRAY(context, int, room);
        p->entry = MEM_ARRAY(context, int, room);
        p->place = MEM_ARRAY(context, int, room);
        if (!p->r_from || !p->entry || !p->place) return ZN_ERROR_MEMORY;
    }
    p->r_run = true;
    for (int t = 1; t < room; t++) p->r_run = p->r_run && p->r_from[t] == p->r_from[t - 1] + 1;
    int *row = MEM_ARRAY(context, int, room), *col = MEM_ARRAY(context, int, room);
    lin_pattern pattern = {0};
    zn_status status = row && col ? ZN_OK : ZN_ERROR_MEMORY;
    for (int t = 0; status == ZN_OK && t < room; t++) row[t] = r_q->index[p->r_from[t]], col[t] = column[p->entry[t]];
    if (status == ZN_OK) status = lin_pattern_create(context, nu, cols, room, row, col, &pattern, p->place);
    if (status == ZN_OK) status = block_cut_create(context, &pattern.p, false, (block_range){0, nu}, (block_range){0, cols}, &p->cut);
    p->count = status == ZN_OK ? lin_nnz(&pattern.p) : 0;
    lin_pattern_destroy(context, &pattern);
    mem_free(context, row);
    mem_free(context, col);
    p->values = MEM_ARRAY(context, double, s->m * s->m * p->count);
    p->by = MEM_ARRAY(context, double, p->n_entries);
    return status == ZN_OK && (!p->values || !p->by) ? ZN_ERROR_MEMORY : status;
}

/* Where the load of a state in the first stage is, and how far from there in the next. */
static int load_at(const stage_states *s, int state, int *stride) {
    bool single = state < s->n_single;
    *stride = single ? s->n_single : group_size(s, s->group[state]);
    return single ? state : s->m * (s->n_single + s->group_first[s->group[state]]) + s->position[state];
}

/* What rates read besides states. */
static zn_status find_rates(stage_states *s) {
    const zn_pattern *rates[STATES_SIDES] = {&s->model->pattern.qdot_q, &s->model->pattern.B};
    int room = lin_nnz(rates[STATES_BY_Q]) + lin_nnz(rates[STATES_BY_U]), n = 0;
    s->R_state = MEM_ARRAY(s->context, int, room);
    s->R_from = MEM_ARRAY(s->context, int, room);
    s->read = MEM_ARRAY(s->context, int, room);
    s->read_end = MEM_ARRAY(s->context, int, room);
    s->read_run = MEM_ARRAY(s->context, bool, room);
    if (!s->R_state || !s->R_from || !s->read || !s->read_end || !s->read_run) return ZN_ERROR_MEMORY;
    for (int side = 0; side < STATES_SIDES; side++) {
        const zn_pattern *p = rates[side];
        for (int j = 0; p->start && j < p->cols; j++) {
            int before = n;
            for (int e = p->start[j]; e < p->start[j + 1] && !(side == STATES_BY_Q && s->other[j] < 0); e++) {
                int state = state_of(s, p->index[e]);
                if (state >= 0) s->R_state[n] = state, s->R_from[n++] = e;
            }
            if (n == before) continue;
            bool run = n - before >= SHORTEST_RUN;
            for (int t = before + 1; t < n; t++) run = run && s->R_state[t] == s->R_state[t - 1] + 1;
            s->read_run[s->n_read] = run, s->read[s->n_read] = j, s->read_end[s->n_read++] = n;
        }
        if (side == STATES_BY_Q) s->n_read_q = s->n_read;
    }
    s->n_R = n;
    s->consecutive = true;
    for (int j = 0; j < s->n_single; j++) s->consecutive = s->consecutive && s->coordinate[j] == s->coordinate[0] + j;
    s->steady = s->model->rates == ZN_RATES_STEADY && s->model->others_natural;
    return ZN_OK;
}

static zn_status find_products(stage_states *s) {
    const zn_pattern *rates[STATES_SIDES] = {&s->model->pattern.qdot_q, &s->model->pattern.B};
    const int cols[STATES_SIDES] = {s->n_others, s->model->size.nu};
    zn_status status = ZN_OK;
    for (int side = 0; side < STATES_SIDES && status == ZN_OK; side++) {
        int *column = NULL;
        status = find_entries(s, &s->by[side], rates[side], &column);
        if (status == ZN_OK) status = find_terms(s, &s->by[side], column, cols[side]);
        mem_free(s->context, column);
    }
    return status;
}

/* Whether some state that moves with the others is read by rows of this matrix; `kinematic`: rows of states may. */
static bool is_read(const stage_states *s, const zn_pattern *p, bool kinematic) {
    for (int j = 0; j < s->n && p->start; j++) {
        int g = s->group[j], coordinate = s->coordinate[j];
        bool moves = kinematic;
        for (int side = 0; side < STATES_SIDES; side++)
            for (int e = 0; e < s->by[side].n_entries; e++) moves = moves || s->group[s->by[side].state[e]] == g;
        for (int e = p->start[coordinate]; moves && e < p->start[coordinate + 1]; e++)
            if (!kinematic || s->other[p->index[e]] >= 0) return true;
    }
    return false;
}

static zn_status take_memory(stage_states *s) {
    int m = s->m, n = s->n, inverses = s->inverse_at[s->n_groups], rows = m * largest_group(s), derived = 0,
        work = rows * rows > m * n ? rows * rows : m * n;
    for (int side = 0; side < STATES_SIDES; side++) derived += m * (s->by[side].first_term[s->by[side].n_entries] + s->by[side].n_terms);
    const mem_part list[] = {{&s->F_kept, m * s->n_F},  {&s->inverse, inverses}, {&s->G, inverses}, {&s->load, m * n},
                             {&s->work, work},          {&s->derived, derived},  {&s->R, n},        {&s->slope, s->n_R},
                             {&s->reference, s->n_read}};
    s->memory = MEM_PARTS(s->context, list);
    s->pivot = MEM_ARRAY(s->context, int, m *n);
    return s->memory && s->pivot ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status states_create(zn_context *context, const zn_model *model, int m, const double *A, stage_states **out) {
    *out = NULL;
    if (!model->states || model->rates == ZN_RATES_GENERAL) return ZN_OK;
    stage_states *s = MEM_ARRAY(context, stage_states, 1);
    if (!s) return ZN_ERROR_MEMORY;
    *s = (stage_states){.context = context, .model = model, .m = m, .A = A, .h_kept = NAN};
    zn_status status = number_coordinates(s);
    if (status == ZN_OK) status = find_F(s);
    if (status == ZN_OK) status = find_groups(s);
    bool small = status == ZN_OK && m * largest_group(s) <= STATES_MOST_ROWS;
    if (small) status = find_products(s);
    if (small && status == ZN_OK) status = find_rates(s);
    if (small && status == ZN_OK) status = take_memory(s);
    const zn_patterns *p = &model->pattern;
    if (small && status == ZN_OK && !is_read(s, &p->c0_q, false) && !is_read(s, &p->c1_q, false) && !is_read(s, &p->qdot_q, true)) *out = s;
    else states_destroy(s);
    return status;
}

void states_destroy(stage_states *s) {
    if (!s) return;
    for (int side = 0; side < STATES_SIDES; side++) {
        states_product *p = &s->by[side];
        block_cut_destroy(s->context, &p->cut);
        void *blocks[] = {p->values, p->state, p->first_term, p->member, p->from, p->r_from, p->entry, p->place, p->by};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(s->context, blocks[i]);
    }
    void *blocks[] = {s->coordinate, s->other,      s->other_at, s->group_first, s->member,   s->group,
                      s->position,   s->inverse_at, s->F_row,    s->F_col,       s->F_from,   s->pivot,
                      s->memory,     s->R_state,    s->R_from,   s->read,        s->read_end, s->read_run};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(s->context, blocks[i]);
    mem_free(s->context, s);
}

static void renumber(const stage_states *s, block_cut *cut, bool rows) {
    int kept = 0, *list = rows ? cut->row : cut->col;
    for (int e = 0; s && e < cut->count; e++) {
        if (s->other[list[e]] < 0) continue;
        cut->row[kept] = cut->row[e], cut->col[kept] = cut->col[e], cut->from[kept] = cut->from[e];
        list[kept] = s->other[list[e]];
        kept++;
    }
    if (s) cut->count = kept;
}

void states_cut_columns(const stage_states *s, block_cut *cut) { renumber(s, cut, false); }
void states_cut_rows(const stage_states *s, block_cut *cut) { renumber(s, cut, true); }

/* ---- a solve ---- */

/* T of a group in `work`, its inverse and G. Nonzero: singular. */
static int invert_group(stage_states *s, double h, int g) {
    int m = s->m, c = group_size(s, g), size = m * c;
    double *T = s->work, *inverse = s->inverse + s->inverse_at[g], *G = s->G + s->inverse_at[g];
    memset(T, 0, (size_t)(size * size) * sizeof *T);
    memset(inverse, 0, (size_t)(size * size) * sizeof *T);
    memset(G, 0, (size_t)(size * size) * sizeof *T);
    for (int i = 0; i < size; i++) T[i * size + i] = inverse[i * size + i] = 1;
    for (int e = 0; e < s->n_F; e++) {
        if (s->group[s->F_row[e]] != g) continue;
        int row = s->position[s->F_row[e]], col = s->position[s->F_col[e]];
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++) T[(k * c + col) * size + i * c + row] -= h * s->F_kept[i * s->n_F + e] * s->A[i * m + k];
    }
    if (lin_dense_lu_factor(size, T, s->pivot)) return 1;
    lin_dense_lu_solve(size, T, s->pivot, inverse, size);
    for (int j = 0; j < size; j++)
        for (int i = 0; i < m; i++)
            for (int k = 0; k < m; k++)
                for (int l = 0; l < c; l++) G[j * size + i * c + l] += s->A[i * m + k] * inverse[j * size + k * c + l];
    return 0;
}

/* The same for single states, whose T are m x m. */
static int invert_single(stage_states *s, double h, int j) {
    int m = s->m;
    double *T = s->work, F[TABLEAU_S_MAX] = {0}, inverse[TABLEAU_S_MAX * TABLEAU_S_MAX] = {0};
    for (int e = 0; e < s->n_F; e++)
        for (int i = 0; i < m && s->F_row[e] == j; i++) F[i] = s->F_kept[i * s->n_F + e];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) T[k * m + i] = (i == k) - h * F[i] * s->A[i * m + k], inverse[k * m + i] = i == k;
    if (lin_dense_lu_factor(m, T, s->pivot)) return 1;
    lin_dense_lu_solve(m, T, s->pivot, inverse, m);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++) sum += s->A[i * m + l] * inverse[k * m + l];
            s->inverse[(i * m + k) * s->n_single + j] = inverse[k * m + i], s->G[(i * m + k) * s->n_single + j] = sum;
        }
    return 0;
}

/* F as it is in `at`; whether it has changed. */
static bool read_F(stage_states *s, const answers *at) {
    bool same = true;
    for (int i = 0; i < s->m; i++) {
        double *kept = s->F_kept + i * s->n_F;
        for (int e = 0; e < s->n_F; e++) {
            double value = at[i].qdot_q[s->F_from[e]];
            same = same && value == kept[e];
            kept[e] = value;
        }
    }
    return !same;
}

static int invert(stage_states *s, double h) {
    s->h_kept = NAN;
    s->same_inverses = false;
    for (int j = 0; j < s->n_single; j++)
        if (invert_single(s, h, j)) return 1;
    for (int g = 0; g < s->n_groups; g++)
        if (invert_group(s, h, g)) return 1;
    s->h_kept = h;
    return 0;
}

/* to_ij += sum_k matrix_ikj load_kj, i, k = 0..m-1, j = 0..n-1; m known to the compiler for the usual numbers of stages. */
ALWAYS_INLINE void add_products(const int m, int n, const double *restrict matrix, const double *restrict load, double *restrict to,
                                int stride) {
    for (int i = 0; i < m; i++, to += stride, matrix += m * n)
        for (int j = 0; j < n; j++) {
            double sum = matrix[j] * load[j];
            for (int k = 1; k < m; k++) sum += matrix[k * n + j] * load[k * n + j];
            to[j] += sum;
        }
}

WIDE static void multiply_singles(int m, int n, const double *restrict matrix, const double *restrict load, double *restrict to,
                                  int stride) {
    if (m == 1) add_products(1, n, matrix, load, to, stride);
    else if (m == 2) add_products(2, n, matrix, load, to, stride);
    else if (m == 3) add_products(3, n, matrix, load, to, stride);
    else add_products(m, n, matrix, load, to, stride);
}

/* States of Q_i += sum_k matrix_ik times the loads. */
static void multiply_loads(const stage_states *s, const double *matrix, double *Q) {
    int m = s->m, n = s->n_single, nq = s->model->size.nq;
    if (n > 0 && s->consecutive) multiply_singles(m, n, matrix, s->load, Q + s->coordinate[0], nq);
    else if (n > 0) {
        memset(s->work, 0, (size_t)(m * n) * sizeof *s->work);
        multiply_singles(m, n, matrix, s->load, s->work, n);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) Q[i * nq + s->coordinate[j]] += s->work[i * n + j];
    }
    for (int g = 0; g < s->n_groups; g++) {
        int c = group_size(s, g), size = m * c;
        const double *M = matrix + s->inverse_at[g], *load = s->load + m * (s->n_single + s->group_first[g]);
        for (int i = 0; i < m; i++)
            for (int l = 0; l < c; l++) {
                double sum = 0;
                for (int j = 0; j < size; j++) sum += M[j * size + i * c + l] * load[j];
                Q[i * nq + s->coordinate[s->member[s->group_first[g] + l]]] += sum;
            }
    }
}

/* Rates of stage i. */
static void take_load(stage_states *s, double h, int i, const double *restrict qdot) {
    const int *restrict coordinate = s->coordinate;
    double *restrict load = s->load + i * s->n_single;
    int stride;
    for (int j = 0; j < s->n_single; j++) load[j] = h * qdot[coordinate[j]];
    for (int j = s->n_single; j < s->n; j++) s->load[load_at(s, j, &stride) + i * stride] = h * qdot[coordinate[j]];
}

static double read_at(const stage_states *s, int r, const double *Q, const double *U) {
    return r < s->n_read_q ? Q[s->read[r]] : U[s->read[r]];
}

WIDE static void scale(int n, double h, const double *restrict from, double *restrict to) {
    for (int j = 0; j < n; j++) to[j] = h * from[j];
}

WIDE static void add_scaled(int n, double factor, const double *restrict from, double *restrict to) {
    for (int j = 0; j < n; j++) to[j] += factor * from[j];
}

/* R + R_q (Q_i - Q) + R_u (U_i - U) of every stage. */
static void take_steady_loads(stage_states *s, double h, const double *Q, const double *U) {
    const int n = s->n_single;
    for (int i = 0, stride; i < s->m; i++, Q += s->model->size.nq, U += s->model->size.nu) {
        double *rate = s->work;
        memcpy(rate, s->R, (size_t)s->n * sizeof *rate);
        for (int r = 0, t = 0; r < s->n_read; t = s->read_end[r++]) {
            const double change = read_at(s, r, Q, U) - s->reference[r];
            if (s->read_run[r]) add_scaled(s->read_end[r] - t, change, s->slope + t, rate + s->R_state[t]);
            for (int k = t; k < s->read_end[r] && !s->read_run[r]; k++) rate[s->R_state[k]] += s->slope[k] * change;
        }
        scale(n, h, rate, s->load + i * n);
        for (int j = n; j < s->n; j++) s->load[load_at(s, j, &stride) + i * stride] = h * rate[j];
    }
}

void states_increments(const stage_states *s, double *dQ) {
    int nq = s->model->size.nq, run = s->consecutive ? s->n_single : 0;
    for (int i = 0; i < s->m; i++) {
        if (run > 0) memset(dQ + i * nq + s->coordinate[0], 0, (size_t)run * sizeof *dQ);
        for (int j = run; j < s->n; j++) dQ[i * nq + s->coordinate[j]] = 0;
    }
    multiply_loads(s, s->inverse, dQ);
}

static int ask_rates(const stage_states *s, const double *tau, const double *Q, const double *U, answers *at, bool rates,
                     bool derivatives) {
    const zn_model *model = s->model;
    for (int i = 0; i < s->m; i++) {
        zn_point point = {.t = tau[i], .q = Q + i * model->size.nq, .u = U + i * model->size.nu};
        zn_kinematics wanted = {.qdot = rates ? at[i].qdot : NULL};
        if (derivatives) wanted.qdot_q = at[i].qdot_q, wanted.B = at[i].B;
        if (model->kinematics(model, at[i].work, &point, &wanted)) return 1;
    }
    return 0;
}

/* The rates at the first stage, which those of the others follow from. */
static int take_reference(stage_states *s, const double *tau, const double *Q, const double *U, answers *at) {
    zn_point point = {.t = tau[0], .q = Q, .u = U};
    if (s->model->kinematics(s->model, at->work, &point, &(zn_kinematics){.qdot = at->qdot})) return 1;
    for (int j = 0; j < s->n; j++) s->R[j] = at->qdot[s->coordinate[j]];
    for (int r = 0; r < s->n_read; r++) s->reference[r] = read_at(s, r, Q, U);
    s->known = true;
    return 0;
}

int states_solve(stage_states *s, double h, const double *tau, double *Q, const double *U, answers *at, bool jacobian) {
    bool constant = s->model->rates >= ZN_RATES_CONSTANT, steady = s->steady && s->constant,
         ask = !s->constant || (jacobian && !s->model->others_natural);
    if (steady && !s->known && take_reference(s, tau, Q, U, at)) return 1;
    if (!steady && ask_rates(s, tau, Q, U, at, true, ask)) return 1;
    bool changed = ask && read_F(s, at);
    if ((changed || h != s->h_kept) && invert(s, h)) return 1;
    if (constant && ask) /* once */
        for (int t = 0, q = s->n_read_q ? s->read_end[s->n_read_q - 1] : 0; t < s->n_R; t++)
            s->slope[t] = t < q ? at->qdot_q[s->R_from[t]] : at->B[s->R_from[t]];
    s->constant = constant;
    if (steady) take_steady_loads(s, h, Q, U);
    for (int i = 0; i < s->m && !steady; i++) take_load(s, h, i, at[i].qdot);
    multiply_loads(s, s->G, Q);
    /* Else F may depend on positions and velocities: then the derivatives are those at X. */
    return jacobian && !constant && ask_rates(s, tau, Q, U, at, false, true);
}

/* Whether values equal those that were kept; they are kept from now on. run: they are neighbours. */
static bool is_kept(int n, const int *from, bool run, const double *values, double *kept) {
    bool same = true;
    if (n > 0 && run && memcmp(kept, values + from[0], (size_t)n * sizeof *kept) == 0) return true;
    for (int t = 0; t < n; t++) same = same && kept[t] == values[from[t]], kept[t] = values[from[t]];
    return same;
}

/* Whether nothing that the products are made of has changed, as for linear controllers. */
static bool is_derived(stage_states *s, const answers *at) {
    bool same = s->same_inverses;
    double *kept = s->derived;
    for (int i = 0; i < s->m; i++)
        for (int side = 0; side < STATES_SIDES; side++) {
            const states_product *p = &s->by[side];
            int n = s->constant ? 0 : p->first_term[p->n_entries];
            same = is_kept(n, p->from, false, side == STATES_BY_Q ? at[i].qdot_q : at[i].B, kept) && same;
            same = is_kept(p->n_terms, p->r_from, p->r_run, at[i].r_q, kept + n) && same;
            kept += n + p->n_terms;
        }
    s->same_inverses = true;
    return same;
}

/* h G_ik R of every entry. */
static void derive_entries(const stage_states *s, const states_product *p, int i, int k, const double *rates) {
    int m = s->m;
    const double *single = s->G + (i * m + k) * s->n_single;
    for (int e = 0; e < p->n_entries; e++) {
        int state = p->state[e], g = s->group[state], first = p->first_term[e];
        if (g < 0) {
            p->by[e] = s->h_kept * single[state] * rates[p->from[first]];
            continue;
        }
        int c = group_size(s, g);
        const double *G = s->G + s->inverse_at[g] + i * c + s->position[state];
        double sum = 0;
        for (int t = first; t < p->first_term[e + 1]; t++) sum += G[(k * c + p->member[t]) * m * c] * rates[p->from[t]];
        p->by[e] = s->h_kept * sum;
    }
}

void states_derive(stage_states *s, const answers *at) {
    int m = s->m;
    if (is_derived(s, at)) return;
    for (int side = 0; side < STATES_SIDES; side++) {
        const states_product *p = &s->by[side];
        memset(p->values, 0, (size_t)(m * m * p->count) * sizeof *p->values);
        for (int i = 0; i < m && p->count > 0; i++)
            for (int k = 0; k < m; k++) {
                derive_entries(s, p, i, k, side == STATES_BY_Q ? at[k].qdot_q : at[k].B);
                for (int l = p->weight ? 0 : k; l < (p->weight ? m : k + 1); l++) {
                    double *values = p->values + (i * m + l) * p->count, weight = p->weight ? p->weight[k * m + l] : 1;
                    for (int t = 0; t < p->n_terms; t++) values[p->place[t]] += weight * at[i].r_q[p->r_from[t]] * p->by[p->entry[t]];
                }
            }
    }
}
