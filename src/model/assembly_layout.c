/* SPDX-License-Identifier: Apache-2.0 */
/* Where the answers of parts go: rows of lambda, contacts, patterns and places. Everything is rebuilt when the parts change, in time
 * proportional to the number of entries and in memory that is kept and only grows. */
#include "model/assembly_internal.h"

const zn_pattern *assembly_pattern(const zn_patterns *p, matrix_name m) {
    const zn_pattern *list[N_MATRICES] = {&p->qdot_q, &p->B,    &p->r_q,  &p->r_u,  &p->M,   &p->W,   &p->c0_q,
                                          &p->c1_q,   &p->c1_u, &p->c2_q, &p->c2_u, &p->p_q, &p->b_q, &p->b_u};
    return list[m];
}

static zn_pattern *pattern_of(zn_patterns *p, matrix_name m) { return (zn_pattern *)assembly_pattern(p, m); }

static bool grow(zn_context *context, assembly_indices *indices, int count) {
    return mem_grow(context, (void **)&indices->at, &indices->room, count > 0 ? (size_t)count : 1, sizeof *indices->at);
}

/* ---- rows ---- */

static zn_status number_rows(assembly_model *m) {
    zn_sizes *size = &m->base.size;
    size->ng = size->ny = size->nN = size->nF = size->n_contacts = 0;
    for (int i = 0; i < m->n_parts; i++) {
        const zn_sizes *s = &m->parts[i].model->size;
        size->ng += s->ng, size->ny += s->ny, size->nN += s->nN, size->nF += s->nF, size->n_contacts += s->n_contacts;
    }
    if (!grow(m->context, &m->rows, model_rows(&m->base))) return ZN_ERROR_MEMORY;
    int next[4] = {0, size->ng, size->ng + size->ny, size->ng + size->ny + size->nN}, *row = m->rows.at;
    for (int i = 0; i < m->n_parts; i++) {
        const zn_sizes *s = &m->parts[i].model->size;
        const int count[4] = {s->ng, s->ny, s->nN, s->nF};
        m->parts[i].rows = row;
        for (int group = 0; group < 4; group++)
            for (int k = 0; k < count[group]; k++) *row++ = next[group]++;
    }
    return ZN_OK;
}

static int count_balls(const assembly_model *m) {
    int balls = 0;
    for (int i = 0; i < m->n_parts; i++)
        for (int k = 0; k < m->parts[i].model->size.n_contacts; k++) balls += m->parts[i].model->contacts[k].n_balls;
    return balls;
}

static zn_status copy_contacts(assembly_model *m) {
    zn_context *context = m->context;
    const zn_sizes *size = &m->base.size;
    int first_F = model_row_F(&m->base), next = 0;
    if (!mem_grow(context, (void **)&m->contacts, &m->contact_room, (size_t)size->n_contacts + 1, sizeof *m->contacts) ||
        !mem_grow(context, (void **)&m->balls, &m->ball_room, (size_t)count_balls(m) + 1, sizeof *m->balls) ||
        !mem_grow(context, (void **)&m->scales, &m->scale_room, (size_t)size->nF + 1, sizeof *m->scales))
        return ZN_ERROR_MEMORY;
    m->base.contacts = m->contacts;
    zn_ball *ball = m->balls;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        for (int k = 0; k < p->model->size.n_contacts; k++, next++) {
            const zn_contact *from = &p->model->contacts[k];
            zn_contact *to = &m->contacts[next];
            *to = *from;
            to->row_N = from->row_N < 0 ? -1 : p->rows[from->row_N];
            to->row_F = from->nF ? p->rows[from->row_F] : first_F; /* friction rows of a contact stay together */
            for (int r = 0; r < from->n_load; r++) to->load_rows[r] = from->load_rows[r] < 0 ? -1 : p->rows[from->load_rows[r]];
            to->scale = from->nF ? &m->scales[to->row_F - first_F] : NULL;
            for (int r = 0; r < from->nF; r++) m->scales[to->row_F - first_F + r] = from->scale ? from->scale[r] : 1;
            for (int b = 0; b < from->n_balls; b++) ball[b] = from->balls[b];
            to->balls = ball;
            ball += from->n_balls;
        }
    }
    return ZN_OK;
}

/* ---- patterns ---- */

/* Indices in the whole of the rows and columns of a part's matrix; NULL where the part does not contribute. */
static bool index_maps(const part *p, matrix_name m, const int **rows, const int **cols) {
    switch (m) {
    case QDOT_Q: *rows = p->q, *cols = p->q; return p->kinematics;
    case B: *rows = p->q, *cols = p->u; return p->kinematics;
    case R_Q:
    case P_Q:
    case B_Q: *rows = p->u, *cols = p->q; return true;
    case R_U:
    case M:
    case B_U: *rows = p->u, *cols = p->u; return true;
    case W:
    case C1_U: *rows = p->u, *cols = p->rows; return true;
    case C0_Q:
    case C1_Q:
    case C2_Q: *rows = p->rows, *cols = p->q; return true;
    default: *rows = p->rows, *cols = p->u; return true; /* C2_U */
    }
}

static void shape(const assembly_model *m, matrix_name name, int *rows, int *cols) {
    int nq = m->base.size.nq, nu = m->base.size.nu, n = model_rows(&m->base);
    const int list[N_MATRICES][2] = {{nq, nq}, {nq, nu}, {nu, nq}, {nu, nu}, {nu, nu}, {nu, n},  {n, nq},
                                     {n, nq},  {nu, n},  {n, nq},  {n, nu},  {nu, nq}, {nu, nq}, {nu, nu}};
    *rows = list[name][0];
    *cols = list[name][1];
}

static int entries_of(const part *p, matrix_name name) { return lin_nnz(assembly_pattern(&p->model->pattern, name)); }

/* Parts behind those of `same` add nothing, and rows of lambda are not in it: the pattern is that of `same`. */
static bool is_same(const assembly_model *m, const assembly_model *same, matrix_name name) {
    bool of_rows = name == W || (name >= C0_Q && name <= C2_U);
    if (!same || of_rows) return false;
    for (int i = same->n_parts; i < m->n_parts; i++) {
        const int *r, *c;
        if (index_maps(&m->parts[i], name, &r, &c) && entries_of(&m->parts[i], name) > 0) return false;
    }
    return true;
}

static void share_pattern(assembly_model *m, const assembly_model *same, matrix_name name) {
    for (int i = 0; i < m->n_parts; i++) m->parts[i].place[name] = i < same->n_parts ? same->parts[i].place[name] : NULL;
    m->nnz[name] = same->nnz[name];
    *pattern_of(&m->base.pattern, name) = *assembly_pattern(&same->base.pattern, name);
}

static zn_status make_pattern(assembly_model *m, matrix_name name) {
    zn_context *context = m->context;
    int total = 0, used = 0, rows, cols;
    for (int i = 0; i < m->n_parts; i++) total += entries_of(&m->parts[i], name);
    if (!grow(context, &m->row, total) || !grow(context, &m->col, total) || !grow(context, &m->places[name], total)) return ZN_ERROR_MEMORY;
    for (int i = 0; i < m->n_parts; i++) {
        const zn_pattern *p = assembly_pattern(&m->parts[i].model->pattern, name);
        const int *r, *c;
        m->parts[i].place[name] = NULL;
        if (!index_maps(&m->parts[i], name, &r, &c)) continue;
        m->parts[i].place[name] = m->places[name].at + used;
        for (int j = 0; p->start && j < p->cols; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) m->row.at[used] = r[p->index[k]], m->col.at[used++] = c[j];
    }
    shape(m, name, &rows, &cols);
    zn_status status = lin_pattern_remake(context, rows, cols, (lin_entries){used, m->row.at, m->col.at}, &m->patterns[name],
                                          m->places[name].at, &m->sorting);
    m->nnz[name] = lin_nnz(&m->patterns[name].p);
    *pattern_of(&m->base.pattern, name) = m->patterns[name].p;
    return status;
}

/* ---- features ---- */

static int larger_count(int a, int b) { return a > b ? a : b; }

static void note_features(assembly_model *m) {
    zn_model *base = &m->base;
    base->natural = base->lagrangian = base->size.nq == base->size.nu;
    base->rows_rest = base->forces_along_rows = true;
    base->force_uses_velocity = false;
    m->most_q = m->most_u = m->most_rows = m->most_registers = 0;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        const zn_model *model = p->model;
        m->most_q = larger_count(m->most_q, model->size.nq);
        m->most_u = larger_count(m->most_u, model->size.nu);
        m->most_rows = larger_count(m->most_rows, model_rows(model));
        m->most_registers = larger_count(m->most_registers, (int)(model->work_bytes / sizeof(double)));
        base->force_uses_velocity = base->force_uses_velocity || model->force_uses_velocity;
        base->rows_rest = base->rows_rest && model->rows_rest;
        base->forces_along_rows = base->forces_along_rows && model->forces_along_rows;
        base->natural = base->natural && model->natural;
        base->lagrangian = base->lagrangian && model->lagrangian;
        for (int k = 0; base->natural && p->kinematics && k < model->size.nq; k++) base->natural = p->q[k] == p->u[k];
    }
    base->lagrangian = base->lagrangian && base->natural;
}

/* ---- kinds ---- */

static part_kind kind_of(const part *p) {
    return (part_kind){.tapes = formula_model_of(p->model)->tapes,
                       .natural = p->model->natural,
                       .kinematics = p->kinematics,
                       .silent = p->silent,
                       .nq = p->model->size.nq,
                       .nu = p->model->size.nu,
                       .rows = model_rows(p->model)};
}

static bool is_kind(const part_kind *a, const part_kind *b) {
    return a->tapes == b->tapes && a->kinematics == b->kinematics && a->silent == b->silent;
}

/* The number of a part's kind; neighbours are mostly of one. -1: no memory. */
static int find_kind(assembly_model *m, const part *p, int last) {
    part_kind kind = kind_of(p);
    if (last >= 0 && is_kind(&m->kinds[last], &kind)) return last;
    for (int k = 0; k < m->n_kinds && k < MOST_KINDS; k++)
        if (is_kind(&m->kinds[k], &kind)) return k;
    if (!mem_grow(m->context, (void **)&m->kinds, &m->kind_room, (size_t)m->n_kinds + 1, sizeof kind)) return -1;
    for (int q = 0; q < FORMULA_QUESTIONS; q++)
        for (int s = 0; kind.tapes->of[q] && s < ASSEMBLY_MOST_SECTIONS; s++) {
            const expr_tape *tape = kind.tapes->of[q];
            if (expr_tape_says(tape, s)) kind.answers[q] |= 1u << s;
            if (expr_tape_instructions(tape, s + 1) > expr_tape_instructions(tape, s)) kind.works[q] |= 1u << s;
        }
    m->kinds[m->n_kinds] = kind;
    return m->n_kinds++;
}

static zn_status sort_by_kind(assembly_model *m) {
    m->n_kinds = 0;
    if (!grow(m->context, &m->by_kind, m->n_parts) || !grow(m->context, &m->row, m->n_parts)) return ZN_ERROR_MEMORY;
    int *kind_of_part = m->row.at; /* not in use yet */
    for (int i = 0, last = -1; i < m->n_parts; i++) {
        last = kind_of_part[i] = find_kind(m, &m->parts[i], last);
        if (last < 0) return ZN_ERROR_MEMORY;
        m->kinds[last].count++;
    }
    for (int k = 0, next = 0; k < m->n_kinds; next += m->kinds[k++].count) m->kinds[k].first = next;
    for (int k = 0; k < m->n_kinds; k++) m->kinds[k].count = 0;
    for (int i = 0; i < m->n_parts; i++) {
        part_kind *kind = &m->kinds[kind_of_part[i]];
        m->by_kind.at[kind->first + kind->count++] = i;
    }
    return ZN_OK;
}

/* Idle lanes repeat the last part. */
static const part *lane_part(const assembly_model *m, const part_kind *kind, int at) {
    return &m->parts[m->by_kind.at[kind->first + (at < kind->count ? at : kind->count - 1)]];
}

static void fill_lanes(assembly_model *m, const part_kind *kind) {
    int *index = m->lane_index.at + kind->index;
    double *number = m->lane_numbers + kind->numbers;
    const formula_tapes *tapes = kind->tapes;
    for (int first = 0, lanes; first < kind->count; first += lanes) {
        lanes = assembly_lanes(kind->count - first);
        for (int k = 0; k < lanes; k++) {
            const part *p = lane_part(m, kind, first + k);
            const double *parameters = ((const formula_model *)p->model)->parameters;
            const int *lists[3] = {p->q, p->u, p->rows}, counts[3] = {kind->nq, kind->nu, kind->rows};
            int *to = index + k;
            for (int l = 0; l < 3; l++)
                for (int i = 0; i < counts[l]; i++, to += lanes) *to = lists[l][i];
            for (int i = 0; i < tapes->n_used; i++) number[i * lanes + k] = parameters[tapes->used[i]];
        }
        index += (kind->nq + kind->nu + kind->rows) * lanes;
        number += tapes->n_used * lanes;
    }
}

void assembly_fill_lanes(assembly_model *m) {
    for (int i = 0; i < m->n_kinds; i++) fill_lanes(m, &m->kinds[i]);
}

/* Numbers in a list that were not seen in this round. */
static bool are_new(const int *list, int count, int *seen, int round) {
    for (int i = 0; i < count; i++) {
        if (seen[list[i]] == round) return false;
        seen[list[i]] = round;
    }
    return true;
}

/* Of kinds that own coordinates: contacts have bodies in common. */
static zn_status find_alone(assembly_model *m) {
    int nq = m->base.size.nq, nu = m->base.size.nu;
    if (!grow(m->context, &m->row, nq + nu)) return ZN_ERROR_MEMORY;
    memset(m->row.at, 0, (size_t)(nq + nu) * sizeof *m->row.at); /* not in use yet */
    for (int i = 0; i < m->n_kinds; i++) {
        part_kind *kind = &m->kinds[i];
        kind->alone = kind->kinematics;
        for (int k = 0; kind->alone && k < kind->count; k++) {
            const part *p = lane_part(m, kind, k);
            kind->alone = are_new(p->q, kind->nq, m->row.at, i + 1) && are_new(p->u, kind->nu, m->row.at + nq, i + 1);
        }
    }
    return ZN_OK;
}

static zn_status make_lanes(assembly_model *m) {
    int indices = 0, numbers = 0;
    for (int i = 0; i < m->n_kinds; i++) {
        part_kind *kind = &m->kinds[i];
        int lanes = 0;
        for (int first = 0; first < kind->count; first += EXPR_LANES) lanes += assembly_lanes(kind->count - first);
        kind->index = indices, kind->numbers = numbers;
        indices += lanes * (kind->nq + kind->nu + kind->rows);
        numbers += lanes * kind->tapes->n_used;
    }
    if (!grow(m->context, &m->lane_index, indices) ||
        !mem_grow(m->context, (void **)&m->lane_numbers, &m->lane_room, (size_t)numbers + 1, sizeof *m->lane_numbers))
        return ZN_ERROR_MEMORY;
    assembly_fill_lanes(m);
    return ZN_OK;
}

zn_status assembly_lay_out(assembly_model *m, const assembly_model *same) {
    zn_status status = sort_by_kind(m);
    if (status == ZN_OK) status = number_rows(m);
    if (status == ZN_OK) status = make_lanes(m);
    if (status == ZN_OK) status = find_alone(m);
    if (status == ZN_OK) status = copy_contacts(m);
    for (int k = 0; status == ZN_OK && k < N_MATRICES; k++) {
        if (is_same(m, same, (matrix_name)k)) share_pattern(m, same, (matrix_name)k);
        else status = make_pattern(m, (matrix_name)k);
    }
    if (status == ZN_OK) note_features(m);
    return status;
}

static bool is_contact(const part *p) {
    const zn_sizes *size = &p->model->size;
    return size->n_contacts > 0 && size->ng + size->ny == 0 && !p->kinematics && entries_of(p, M) == 0;
}

bool assembly_entries_of_contacts(const zn_model *model, unsigned char *only) {
    const assembly_model *m = assembly_of(model);
    if (!m) return false;
    memset(only, 1, (size_t)m->nnz[R_Q]);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        for (int e = 0; e < entries_of(p, R_Q) && p->place[R_Q] && !is_contact(p); e++) only[p->place[R_Q][e]] = 0;
    }
    return true;
}

void assembly_free_layout(assembly_model *m) {
    zn_context *context = m->context;
    for (int i = 0; i < N_MATRICES; i++) {
        lin_pattern_destroy(context, &m->patterns[i]);
        mem_free(context, m->places[i].at);
    }
    lin_sorting_free(context, &m->sorting);
    void *blocks[] = {m->parts,        m->rows.at, m->row.at,   m->col.at, m->by_kind.at, m->lane_index.at,
                      m->lane_numbers, m->kinds,   m->contacts, m->balls,  m->scales};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}
