/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a model and further ones behind them: a model with the same coordinates and another list of contacts. */
#include "model/assembly_internal.h"

static void destroy(zn_context *context, zn_model *model) {
    (void)context;
    assembly_free_layout((assembly_model *)model); /* parts belong to the model that they come from, the others to the caller */
}

static zn_status create(zn_context *context, const zn_model *model, assembly_model **out) {
    assembly_model *m = MEM_ARRAY(context, assembly_model, 1);
    if (!m) return ZN_ERROR_MEMORY;
    m->base = *model;
    m->base.drawing = NULL;
    m->base.destroy = destroy;
    m->context = context;
    *out = m;
    return ZN_OK;
}

zn_status assembly_extend(zn_context *context, const zn_model *model, int count, const assembly_extra *extra, zn_model **out) {
    const assembly_model *of = assembly_of(model);
    assembly_model *m = (assembly_model *)*out;
    if (!of) return fail(context, ZN_ERROR_INTERNAL, "contacts that come and go need a model from parts");
    zn_status status = m ? ZN_OK : create(context, model, &m);
    if (status != ZN_OK) return status;
    *out = &m->base;
    m->n_parts = 0;
    if (!mem_grow(context, (void **)&m->parts, &m->part_room, (size_t)(of->n_parts + count), sizeof *m->parts)) return ZN_ERROR_MEMORY;
    memcpy(m->parts, of->parts, (size_t)of->n_parts * sizeof *m->parts);
    for (int i = 0; i < count; i++) {
        const zn_sizes *size = &extra[i].model->size;
        if (size->ng + size->ny > 0 || extra[i].model->n_outputs > 0 || !formula_model_of(extra[i].model))
            return fail(context, ZN_ERROR_INTERNAL, "a contact has constraints or outputs, or is not a model from formulas");
        m->parts[of->n_parts + i] =
            (part){.model = extra[i].model, .q = extra[i].q, .u = extra[i].u, .silent = true, .words = {"contact", NULL}};
    }
    m->n_parts = of->n_parts + count;
    status = assembly_lay_out(m, of);
    if (status == ZN_OK) assembly_set_answers(m);
    return status;
}

void assembly_share(zn_model *extended, int threads) {
    assembly_model *m = (assembly_model *)extended;
    m->threads = threads;
    assembly_set_answers(m);
}

static bool is_like(const part *p, const assembly_extra *other) {
    const zn_sizes *size = &p->model->size;
    return formula_model_like(p->model, other->model) && !memcmp(p->q, other->q, (size_t)size->nq * sizeof *p->q) &&
           !memcmp(p->u, other->u, (size_t)size->nu * sizeof *p->u);
}

bool assembly_renumber(zn_model *extended, int count, const assembly_extra *others) {
    assembly_model *m = (assembly_model *)extended;
    part *first = m->parts + m->n_parts - count;
    for (int i = 0; i < count; i++)
        if (first[i].model != others[i].model && !is_like(&first[i], &others[i])) return false;
    for (int i = 0; i < count; i++)
        if (first[i].model != others[i].model) formula_model_renumber(first[i].model, others[i].model);
    assembly_fill_lanes(m);
    return true;
}

/* ---- the same parts, which read other inputs ---- */

static void destroy_bound(zn_context *context, zn_model *model) {
    assembly_model *m = (assembly_model *)model;
    for (int i = 0; i < m->n_parts; i++) model_free(context, m->parts[i].model);
    assembly_free_layout(m);
}

zn_status assembly_bind(zn_context *context, const zn_model *model, const double *inputs, zn_model **bound) {
    const assembly_model *of = assembly_of(model);
    assembly_model *m;
    zn_status status = create(context, model, &m);
    if (status != ZN_OK) return status;
    m->base.destroy = destroy_bound;
    m->base.inputs = inputs;
    m->field = of->field;
    if (!mem_grow(context, (void **)&m->parts, &m->part_room, (size_t)of->n_parts, sizeof *m->parts)) status = ZN_ERROR_MEMORY;
    for (int i = 0; i < of->n_parts && status == ZN_OK; i++) {
        const zn_model *from = of->parts[i].model;
        m->parts[i] = of->parts[i];
        status = from->bind(context, from, inputs, &m->parts[i].model);
        m->n_parts += status == ZN_OK;
    }
    if (status == ZN_OK) status = assembly_lay_out(m, of);
    if (status != ZN_OK) {
        model_free(context, &m->base);
        return status;
    }
    assembly_set_answers(m);
    *bound = &m->base;
    return ZN_OK;
}
