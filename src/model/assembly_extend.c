/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a model and further ones behind them: a model with the same coordinates and another list of contacts. */
#include "model/assembly_internal.h"

static void destroy(zn_context *context, zn_model *model) {
    (void)context;
    assembly_free_layout((assembly_model *)model); /* parts belong to the model that they are from, and to who gave the others */
}

static zn_status create(zn_context *context, const zn_model *model, assembly_model **out) {
    assembly_model *m = MEM_ARRAY(context, assembly_model, 1);
    if (!m) return ZN_MEMORY;
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
    if (!of) return fail(context, ZN_INTERNAL, "contacts that come and go need a model from parts");
    zn_status status = m ? ZN_OK : create(context, model, &m);
    if (status != ZN_OK) return status;
    *out = &m->base;
    m->n_parts = 0;
    if (!mem_grow(context, (void **)&m->parts, &m->part_room, (size_t)(of->n_parts + count), sizeof *m->parts)) return ZN_MEMORY;
    memcpy(m->parts, of->parts, (size_t)of->n_parts * sizeof *m->parts);
    for (int i = 0; i < count; i++) {
        const zn_sizes *size = &extra[i].model->size;
        if (size->ng + size->ny > 0 || extra[i].model->n_outputs > 0) return fail(context, ZN_INTERNAL, "a contact has constraints or outputs");
        m->parts[of->n_parts + i] = (part){.model = extra[i].model, .q = extra[i].q, .u = extra[i].u, .silent = true, .what = "contact"};
    }
    m->n_parts = of->n_parts + count;
    status = assembly_lay_out(m, of);
    if (status == ZN_OK) assembly_set_answers(m);
    return status;
}
