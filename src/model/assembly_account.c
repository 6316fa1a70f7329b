/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is made of, and the energies of each part. */
#include "model/assembly_internal.h"
#include "model/formula_model.h"
#include "zeno/parts.h"

int zn_model_part_count(const zn_model *model) {
    const assembly_model *m = model_is_good(model) ? assembly_of(model) : NULL;
    return m ? m->n_parts : 0;
}

static bool has_part(const zn_model *model, int index) { return index >= 0 && index < zn_model_part_count(model); }

zn_part_info zn_model_part_info(const zn_model *model, int index) {
    if (!has_part(model, index)) return (zn_part_info){.name = "", .what = ""};
    const part *p = &assembly_of(model)->parts[index];
    const zn_sizes *n = &p->model->size;
    const bool *states = p->model->states; /* then what their rates name is of other parts */
    int own = 0;
    for (int i = 0; states && i < n->nq; i++) own += states[i];
    return (zn_part_info){.name = p->name ? p->name : "",
                          .what = p->what ? p->what : "part",
                          .group = p->group,
                          .bodies = {p->bodies[0], p->bodies[1]},
                          .nq = !p->kinematics ? 0
                                : states       ? own
                                               : n->nq,
                          .nu = p->kinematics && !states ? n->nu : 0,
                          .ng = n->ng,
                          .ny = n->ny,
                          .n_contacts = n->n_contacts};
}

zn_status zn_model_part_energy(const zn_model *model, void *work, int index, const zn_point *at, zn_part_energy *energy) {
    if (!energy) return ZN_ERROR_ARGUMENT;
    *energy = (zn_part_energy){0};
    if (!work || !at || !at->q || !at->u || !has_part(model, index)) return ZN_ERROR_ARGUMENT;
    const part *p = &assembly_of(model)->parts[index];
    void *own_work;
    zn_point here = assembly_local_point(assembly_of(model), p, work, at, &own_work);
    if (p->model->energy && p->model->energy(p->model, own_work, &here, &energy->kinetic, &energy->potential)) return ZN_ERROR_NOT_FINITE;
    formula_model_power(p->model, own_work, &here, &energy->power);
    return ZN_OK;
}
