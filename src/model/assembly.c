/* SPDX-License-Identifier: Apache-2.0 */
/* Putting parts together: coordinates, rows of lambda, contacts, patterns and places. */
#include "model/assembly_internal.h"

const zn_pattern *assembly_pattern(const zn_patterns *p, matrix_name m) {
    const zn_pattern *list[N_MATRICES] = {&p->qdot_q, &p->B,    &p->r_q,  &p->r_u,  &p->M,   &p->W,   &p->c0_q,
                                          &p->c1_q,   &p->c1_u, &p->c2_q, &p->c2_u, &p->p_q, &p->b_q, &p->b_u};
    return list[m];
}

zn_pattern *assembly_pattern_of(zn_patterns *p, matrix_name m) { return (zn_pattern *)assembly_pattern(p, m); }

assembly *assembly_create(zn_context *context) {
    assembly *a = MEM_ARRAY(context, assembly, 1);
    if (a) a->context = context;
    return a;
}

void assembly_free_part(zn_context *context, part *p) {
    model_free(context, p->model);
    void *blocks[] = {p->q, p->u, p->rows, p->name, p->group, p->bodies[0], p->bodies[1]};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    for (int m = 0; m < N_MATRICES; m++) mem_free(context, p->place[m]);
    *p = (part){0};
}

static void free_names(zn_context *context, char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) mem_free(context, names[i]);
    mem_free(context, names);
}

void assembly_destroy(assembly *a) {
    if (!a) return;
    for (size_t i = 0; i < a->n_parts; i++) assembly_free_part(a->context, &a->parts[i]);
    mem_free(a->context, a->parts);
    free_names(a->context, a->q_names, a->nq);
    free_names(a->context, a->u_names, a->nu);
    mem_free(a->context, a->q_start);
    mem_free(a->context, a->u_start);
    mem_free(a->context, a);
}

static int add_name(assembly *a, char ***names, size_t *capacity, double **starts, size_t *start_capacity, size_t *count, const char *name,
                    double start) {
    char *copy = mem_text(a->context, name);
    if (!copy || !mem_grow(a->context, (void **)names, capacity, *count + 1, sizeof(char *)) ||
        !mem_grow(a->context, (void **)starts, start_capacity, *count + 1, sizeof(double))) {
        mem_free(a->context, copy);
        a->failed = true;
        return -1;
    }
    (*names)[*count] = copy;
    (*starts)[*count] = start;
    return (int)(*count)++;
}

int assembly_coordinate(assembly *a, const char *name, double start) {
    return add_name(a, &a->q_names, &a->q_capacity, &a->q_start, &a->q_start_capacity, &a->nq, name, start);
}

int assembly_velocity(assembly *a, const char *name, double start) {
    return add_name(a, &a->u_names, &a->u_capacity, &a->u_start, &a->u_start_capacity, &a->nu, name, start);
}

static int *copy_indices(zn_context *context, const int *from, int count) {
    int *to = MEM_ARRAY(context, int, count);
    if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

zn_status assembly_part(assembly *a, zn_model *model, const int *q, const int *u, bool kinematics) {
    zn_context *context = a->context;
    if (!model) return ZN_MEMORY;
    part p = {.model = model, .kinematics = kinematics};
    p.q = copy_indices(context, q, model->size.nq);
    p.u = copy_indices(context, u, model->size.nu);
    p.rows = MEM_ARRAY(context, int, model_rows(model));
    if (!p.q || !p.u || !p.rows || !mem_grow(context, (void **)&a->parts, &a->part_capacity, a->n_parts + 1, sizeof p)) {
        assembly_free_part(context, &p);
        a->failed = true;
        return ZN_MEMORY;
    }
    a->parts[a->n_parts++] = p;
    return ZN_OK;
}

zn_status assembly_describe(assembly *a, const char *name, const char *what, const char *group,
                            const char *const bodies[2]) {
    part *p = &a->parts[a->n_parts - 1];
    p->what = what;
    p->name = mem_text(a->context, name);
    if (group && !(p->group = mem_text(a->context, group))) return ZN_MEMORY;
    for (int i = 0; i < 2 && bodies[i]; i++)
        if (!(p->bodies[i] = mem_text(a->context, bodies[i]))) return ZN_MEMORY;
    return p->name ? ZN_OK : ZN_MEMORY;
}

/* ---- rows ---- */

static void number_rows(assembly_model *m) {
    zn_sizes *size = &m->base.size;
    for (int i = 0; i < m->n_parts; i++) {
        const zn_sizes *s = &m->parts[i].model->size;
        size->ng += s->ng, size->ny += s->ny, size->nN += s->nN, size->nF += s->nF, size->n_contacts += s->n_contacts;
    }
    int next[4] = {0, size->ng, size->ng + size->ny, size->ng + size->ny + size->nN};
    for (int i = 0; i < m->n_parts; i++) {
        const zn_sizes *s = &m->parts[i].model->size;
        const int count[4] = {s->ng, s->ny, s->nN, s->nF};
        for (int group = 0, local = 0; group < 4; group++)
            for (int k = 0; k < count[group]; k++) m->parts[i].rows[local++] = next[group]++;
    }
}

static bool name_rows(assembly_model *m) {
    zn_context *context = m->context;
    const zn_sizes *size = &m->base.size;
    m->bilateral_names = MEM_ARRAY(context, char *, size->ng + size->ny);
    if (!m->bilateral_names) return false;
    for (int i = 0; i < m->n_parts; i++) {
        const zn_model *model = m->parts[i].model;
        for (int k = 0; k < model->size.ng + model->size.ny; k++)
            if (!(m->bilateral_names[m->parts[i].rows[k]] = mem_text(context, model->bilateral_names[k]))) return false;
    }
    return true;
}

/* Outputs stand in the order of parts. */
static bool name_outputs(assembly_model *m) {
    for (int i = 0; i < m->n_parts; i++) m->base.n_outputs += m->parts[i].model->n_outputs;
    m->output_names = MEM_ARRAY(m->context, char *, m->base.n_outputs);
    if (!m->output_names) return false;
    for (int i = 0, next = 0; i < m->n_parts; i++)
        for (int k = 0; k < m->parts[i].model->n_outputs; k++)
            if (!(m->output_names[next++] = mem_text(m->context, m->parts[i].model->output_names[k]))) return false;
    m->base.output_names = (const char *const *)m->output_names;
    return true;
}

static int count_balls(const assembly_model *m) {
    int balls = 0;
    for (int i = 0; i < m->n_parts; i++)
        for (int k = 0; k < m->parts[i].model->size.n_contacts; k++) balls += m->parts[i].model->contacts[k].n_balls;
    return balls;
}

static bool copy_contacts(assembly_model *m) {
    zn_context *context = m->context;
    const zn_sizes *size = &m->base.size;
    int first_F = model_row_F(&m->base), next = 0;
    m->contacts = MEM_ARRAY(context, zn_contact, size->n_contacts);
    m->contact_names = MEM_ARRAY(context, char *, size->n_contacts);
    m->balls = MEM_ARRAY(context, zn_ball, count_balls(m));
    m->scales = MEM_ARRAY(context, double, size->nF);
    if (!m->contacts || !m->contact_names || !m->balls || !m->scales) return false;
    zn_ball *ball = m->balls;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        for (int k = 0; k < p->model->size.n_contacts; k++, next++) {
            const zn_contact *from = &p->model->contacts[k];
            zn_contact *to = &m->contacts[next];
            *to = *from;
            if (!(m->contact_names[next] = mem_text(context, from->name))) return false;
            to->name = m->contact_names[next];
            to->row_N = from->row_N < 0 ? -1 : p->rows[from->row_N];
            to->row_F = from->nF ? p->rows[from->row_F] : first_F; /* friction rows of a contact stay together */
            to->scale = from->nF ? &m->scales[to->row_F - first_F] : NULL;
            for (int r = 0; r < from->nF; r++) m->scales[to->row_F - first_F + r] = from->scale ? from->scale[r] : 1;
            for (int b = 0; b < from->n_balls; b++) ball[b] = from->balls[b];
            to->balls = ball;
            ball += from->n_balls;
        }
    }
    return true;
}

/* ---- patterns ---- */

/* Indices in the whole of the rows and columns of a part's matrix; NULL where the part does not contribute. */
static bool index_maps(const part *p, matrix_name m, const int **rows, const int **cols) {
    switch (m) {
    case QDOT_Q: *rows = p->q, *cols = p->q; return p->kinematics;
    case B: *rows = p->q, *cols = p->u; return p->kinematics;
    case R_Q: case P_Q: case B_Q: *rows = p->u, *cols = p->q; return true;
    case R_U: case M: case B_U: *rows = p->u, *cols = p->u; return true;
    case W: case C1_U: *rows = p->u, *cols = p->rows; return true;
    case C0_Q: case C1_Q: case C2_Q: *rows = p->rows, *cols = p->q; return true;
    default: *rows = p->rows, *cols = p->u; return true; /* C2_U */
    }
}

static void shape(const assembly_model *m, matrix_name name, int *rows, int *cols) {
    int nq = m->base.size.nq, nu = m->base.size.nu, n = model_rows(&m->base);
    const int list[N_MATRICES][2] = {{nq, nq}, {nq, nu}, {nu, nq}, {nu, nu}, {nu, nu}, {nu, n}, {n, nq},
                                     {n, nq},  {nu, n},  {n, nq},  {n, nu},  {nu, nq}, {nu, nq}, {nu, nu}};
    *rows = list[name][0];
    *cols = list[name][1];
}

static zn_status make_pattern(assembly_model *m, matrix_name name) {
    zn_context *context = m->context;
    int total = 0, used = 0, rows, cols;
    for (int i = 0; i < m->n_parts; i++) total += lin_nnz(assembly_pattern(&m->parts[i].model->pattern, name));
    int *row = MEM_ARRAY(context, int, total), *col = MEM_ARRAY(context, int, total), *place = MEM_ARRAY(context, int, total);
    zn_status status = row && col && place ? ZN_OK : ZN_MEMORY;
    for (int i = 0; status == ZN_OK && i < m->n_parts; i++) {
        const zn_pattern *p = assembly_pattern(&m->parts[i].model->pattern, name);
        const int *r, *c;
        if (!index_maps(&m->parts[i], name, &r, &c)) continue;
        for (int j = 0; j < p->cols; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) row[used] = r[p->index[k]], col[used++] = c[j];
    }
    shape(m, name, &rows, &cols);
    if (status == ZN_OK) status = lin_pattern_create(context, rows, cols, used, row, col, &m->patterns[name], place);
    used = 0;
    for (int i = 0; status == ZN_OK && i < m->n_parts; i++) {
        part *p = &m->parts[i];
        const int *r, *c;
        if (!index_maps(p, name, &r, &c)) continue;
        int count = lin_nnz(assembly_pattern(&p->model->pattern, name));
        if (!(p->place[name] = copy_indices(context, place + used, count))) status = ZN_MEMORY;
        used += count;
    }
    m->nnz[name] = lin_nnz(&m->patterns[name].p);
    *assembly_pattern_of(&m->base.pattern, name) = m->patterns[name].p;
    void *blocks[] = {row, col, place};
    for (int i = 0; i < 3; i++) mem_free(context, blocks[i]);
    return status;
}

/* ---- all of it ---- */

static int larger_count(int a, int b) { return a > b ? a : b; }

static void note_features(assembly_model *m) {
    zn_model *base = &m->base;
    base->natural = base->lagrangian = base->size.nq == base->size.nu;
    base->rows_rest = true;
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        const zn_model *model = p->model;
        m->most_q = larger_count(m->most_q, model->size.nq);
        m->most_u = larger_count(m->most_u, model->size.nu);
        m->most_rows = larger_count(m->most_rows, model_rows(model));
        for (int k = 0; k < N_MATRICES; k++) m->most_nnz = larger_count(m->most_nnz, lin_nnz(assembly_pattern(&model->pattern, (matrix_name)k)));
        base->force_uses_velocity = base->force_uses_velocity || model->force_uses_velocity;
        base->rows_rest = base->rows_rest && model->rows_rest;
        base->natural = base->natural && model->natural;
        base->lagrangian = base->lagrangian && model->lagrangian;
        for (int k = 0; base->natural && p->kinematics && k < model->size.nq; k++) base->natural = p->q[k] == p->u[k];
    }
    base->lagrangian = base->lagrangian && base->natural;
}

static void destroy(zn_context *context, zn_model *model) {
    assembly_model *m = (assembly_model *)model;
    for (int i = 0; i < m->n_parts; i++) assembly_free_part(context, &m->parts[i]);
    for (int i = 0; i < N_MATRICES; i++) lin_pattern_destroy(context, &m->patterns[i]);
    if (m->field) m->destroy_field(context, m->field);
    const zn_sizes *size = &m->base.size;
    free_names(context, m->q_names, (size_t)size->nq);
    free_names(context, m->u_names, (size_t)size->nu);
    free_names(context, m->bilateral_names, (size_t)(size->ng + size->ny));
    free_names(context, m->contact_names, (size_t)size->n_contacts);
    free_names(context, m->output_names, (size_t)m->base.n_outputs);
    void *blocks[] = {m->parts, m->contacts, m->balls, m->scales, m->q_start, m->u_start};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

contact_field *contact_field_of(const zn_model *model) {
    const assembly_model *m = assembly_of(model);
    return m ? m->field : NULL;
}

void contact_field_own(zn_model *model, contact_field *field, void (*destroy_field)(zn_context *, contact_field *)) {
    assembly_model *m = (assembly_model *)model;
    m->field = field;
    m->destroy_field = destroy_field;
}

/* Parts, names and start values move from the assembly to the model. */
static void move_pieces(assembly *a, assembly_model *m) {
    m->parts = a->parts, m->n_parts = (int)a->n_parts;
    m->q_names = a->q_names, m->u_names = a->u_names;
    m->q_start = a->q_start, m->u_start = a->u_start;
    m->base.size.nq = (int)a->nq, m->base.size.nu = (int)a->nu;
    *a = (assembly){.context = a->context};
}

zn_status assembly_finish(assembly *a, zn_model **out) {
    zn_context *context = a->context;
    if (a->failed) return ZN_MEMORY;
    if (!a->nq || !a->nu) return fail(context, ZN_MODEL, "the model has no coordinates");
    assembly_model *m = MEM_ARRAY(context, assembly_model, 1);
    if (!m) return ZN_MEMORY;
    m->context = context;
    m->base.destroy = destroy;
    move_pieces(a, m);
    number_rows(m);
    zn_status status = name_rows(m) && name_outputs(m) && copy_contacts(m) ? ZN_OK : ZN_MEMORY;
    for (int k = 0; status == ZN_OK && k < N_MATRICES; k++) status = make_pattern(m, (matrix_name)k);
    if (status != ZN_OK) {
        model_free(context, &m->base);
        return status;
    }
    note_features(m);
    m->base.contacts = m->contacts;
    m->base.q_names = (const char *const *)m->q_names;
    m->base.u_names = (const char *const *)m->u_names;
    m->base.bilateral_names = (const char *const *)m->bilateral_names;
    m->base.q_start = m->q_start;
    m->base.u_start = m->u_start;
    assembly_set_answers(m);
    *out = &m->base;
    return ZN_OK;
}
