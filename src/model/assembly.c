/* SPDX-License-Identifier: Apache-2.0 */
/* Models made of parts: adding the parts, and building the whole. */
#include "model/assembly_internal.h"
#include "model/machine.h"

assembly *assembly_create(zn_context *context) {
    assembly *a = MEM_ARRAY(context, assembly, 1);
    if (a) a->context = context;
    return a;
}

static void free_part(zn_context *context, part *p) {
    model_free(context, p->model);
    void *blocks[] = {p->q, p->u, p->name, p->group, p->bodies[0], p->bodies[1]};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    *p = (part){0};
}

static void free_names(zn_context *context, char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++) mem_free(context, names[i]);
    mem_free(context, names);
}

void assembly_destroy(assembly *a) {
    if (!a) return;
    for (size_t i = 0; i < a->n_parts; i++) free_part(a->context, &a->parts[i]);
    mem_free(a->context, a->parts);
    free_names(a->context, a->q_names, a->nq);
    free_names(a->context, a->u_names, a->nu);
    mem_free(a->context, a->q_start);
    mem_free(a->context, a->u_start);
    mem_free(a->context, a->same_vector);
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
    if (!mem_grow(a->context, (void **)&a->same_vector, &a->same_capacity, a->nu + 1, sizeof *a->same_vector)) {
        a->failed = true;
        return -1;
    }
    a->same_vector[a->nu] = false;
    return add_name(a, &a->u_names, &a->u_capacity, &a->u_start, &a->u_start_capacity, &a->nu, name, start);
}

void assembly_same_vector(assembly *a, int index) { a->same_vector[index] = true; }

static int *copy_indices(zn_context *context, const int *from, int count) {
    int *to = MEM_ARRAY(context, int, count);
    if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

zn_status assembly_part(assembly *a, zn_model *model, const int *q, const int *u, bool kinematics) {
    zn_context *context = a->context;
    if (!model) return ZN_ERROR_MEMORY;
    if (!formula_model_of(model)) {
        model_free(context, model);
        return fail(context, ZN_ERROR_INTERNAL, "a part is not a model from formulas");
    }
    part p = {.model = model, .kinematics = kinematics};
    p.q = copy_indices(context, q, model->size.nq);
    p.u = copy_indices(context, u, model->size.nu);
    if (!p.q || !p.u || !mem_grow(context, (void **)&a->parts, &a->part_capacity, a->n_parts + 1, sizeof p)) {
        free_part(context, &p);
        a->failed = true;
        return ZN_ERROR_MEMORY;
    }
    a->parts[a->n_parts++] = p;
    return ZN_OK;
}

zn_status assembly_describe(assembly *a, const char *name, assembly_words words, const char *group, const char *const bodies[2]) {
    part *p = &a->parts[a->n_parts - 1];
    p->words = words;
    p->name = mem_text(a->context, name);
    if (group && !(p->group = mem_text(a->context, group))) return ZN_ERROR_MEMORY;
    for (int i = 0; i < 2 && bodies[i]; i++)
        if (!(p->bodies[i] = mem_text(a->context, bodies[i]))) return ZN_ERROR_MEMORY;
    return p->name ? ZN_OK : ZN_ERROR_MEMORY;
}

/* ---- all of it ---- */

static bool name_rows(assembly_model *m) {
    const zn_sizes *size = &m->base.size;
    m->bilateral_names = MEM_ARRAY(m->context, const char *, size->ng + size->ny);
    for (int i = 0; m->bilateral_names && i < m->n_parts; i++) {
        const zn_model *model = m->parts[i].model;
        for (int k = 0; k < model->size.ng + model->size.ny; k++) m->bilateral_names[m->parts[i].rows[k]] = model->bilateral_names[k];
    }
    return m->bilateral_names;
}

/* Outputs stand in the order of parts. */
static bool name_outputs(assembly_model *m) {
    for (int i = 0; i < m->n_parts; i++) m->base.n_outputs += m->parts[i].model->n_outputs, m->base.n_probes += m->parts[i].model->n_probes;
    m->output_names = MEM_ARRAY(m->context, const char *, m->base.n_outputs);
    for (int i = 0, next = 0; m->output_names && i < m->n_parts; i++)
        for (int k = 0; k < m->parts[i].model->n_outputs; k++) m->output_names[next++] = m->parts[i].model->output_names[k];
    return m->output_names;
}

/* Which contacts keep a state that follows the motion: for parts with contacts after_step has no other purpose. */
static bool note_followers(assembly_model *m) {
    int next = 0;
    m->follows = MEM_ARRAY(m->context, bool, m->base.size.n_contacts);
    for (int i = 0; m->follows && i < m->n_parts; i++)
        for (int k = 0; k < m->parts[i].model->size.n_contacts; k++)
            if ((m->follows[next++] = m->parts[i].model->after_step != NULL)) m->base.follows = m->follows;
    return m->follows;
}

/* Which coordinates are states; whether the others are natural, in their order. */
static bool note_states(assembly_model *m) {
    zn_model *base = &m->base;
    int others = 0, *number = MEM_ARRAY(m->context, int, base->size.nq);
    m->states = MEM_ARRAY(m->context, bool, base->size.nq);
    bool good = number && m->states;
    base->rates = ZN_RATES_STEADY;
    for (int i = 0; good && i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->kinematics || !p->model->states) continue;
        for (int k = 0; k < p->model->size.nq; k++) m->states[p->q[k]] = m->states[p->q[k]] || p->model->states[k];
        if (p->model->rates < base->rates) base->rates = p->model->rates;
        base->states = m->states;
    }
    for (int i = 0; good && i < base->size.nq; i++) number[i] = m->states[i] ? -1 : others++;
    base->others_natural = good && others == base->size.nu;
    for (int i = 0; base->others_natural && i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        if (!p->kinematics || p->model->states) continue;
        base->others_natural = p->model->natural;
        for (int k = 0; base->others_natural && k < p->model->size.nq; k++) base->others_natural = number[p->q[k]] == p->u[k];
    }
    mem_free(m->context, number);
    return good;
}

static void destroy(zn_context *context, zn_model *model) {
    assembly_model *m = (assembly_model *)model;
    for (int i = 0; i < m->n_parts; i++) free_part(context, &m->parts[i]);
    if (m->field) m->destroy_field(context, m->field);
    free_names(context, m->q_names, (size_t)m->base.size.nq);
    free_names(context, m->u_names, (size_t)m->base.size.nu);
    void *blocks[] = {m->bilateral_names, m->output_names, m->q_start, m->u_start, m->states, m->same_vector, m->follows};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    machine_release(context, (machine_plan *)(uintptr_t)m->base.machine);
    assembly_free_layout(m);
}

void assembly_set_machine(zn_model *model, machine_plan *machine) {
    assembly_model *m = (assembly_model *)model;
    machine->references++;
    model->machine = machine;
    model->inputs = machine->start;
    for (int i = 0; i < m->n_parts; i++) m->parts[i].model->inputs = machine->start;
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

/* Ownership of parts, names and start values passes from the assembly to the model. */
static void move_pieces(assembly *a, assembly_model *m) {
    m->parts = a->parts, m->part_room = a->part_capacity, m->n_parts = (int)a->n_parts;
    m->q_names = a->q_names, m->u_names = a->u_names;
    m->q_start = a->q_start, m->u_start = a->u_start, m->same_vector = a->same_vector;
    m->base.size.nq = (int)a->nq, m->base.size.nu = (int)a->nu;
    *a = (assembly){.context = a->context};
}

zn_status assembly_finish(assembly *a, zn_model **out) {
    zn_context *context = a->context;
    if (a->failed) return ZN_ERROR_MEMORY;
    if (!a->nq || !a->nu) return fail(context, ZN_ERROR_MODEL, "the model has no coordinates");
    assembly_model *m = MEM_ARRAY(context, assembly_model, 1);
    if (!m) return ZN_ERROR_MEMORY;
    m->context = context;
    m->base.destroy = destroy;
    move_pieces(a, m);
    zn_status status = assembly_lay_out(m, NULL);
    if (status == ZN_OK && (!name_rows(m) || !name_outputs(m) || !note_states(m) || !note_followers(m))) status = ZN_ERROR_MEMORY;
    if (status != ZN_OK) {
        model_free(context, &m->base);
        return status;
    }
    m->base.q_names = (const char *const *)m->q_names;
    m->base.u_names = (const char *const *)m->u_names;
    m->base.bilateral_names = m->bilateral_names;
    m->base.output_names = m->output_names;
    m->base.q_start = m->q_start;
    m->base.u_start = m->u_start;
    m->base.same_vector = m->same_vector;
    assembly_set_answers(m);
    *out = &m->base;
    return ZN_OK;
}
