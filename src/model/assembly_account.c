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
    const bool *states = p->model->states; /* other parts then answer for what their rates name */
    int own = 0;
    for (int i = 0; states && i < n->nq; i++) own += states[i];
    return (zn_part_info){.name = p->name ? p->name : "",
                          .what = p->words.what ? p->words.what : "part",
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

int model_switches(const zn_model *model, void *work, const zn_point *at, double *values) {
    const assembly_model *m = assembly_of(model);
    int count = 0;
    if (!m) return formula_model_switches(model, work, at, values);
    for (int i = 0; i < m->n_parts; i++) {
        const part *p = &m->parts[i];
        void *own_work;
        if (formula_model_switches(p->model, NULL, NULL, NULL) == 0) continue;
        zn_point here = assembly_local_point(m, p, work, at, &own_work);
        count += formula_model_switches(p->model, own_work, &here, values ? values + count : NULL);
    }
    return count;
}

const char *model_row_fault(const zn_model *model, int row) {
    for (int i = 0; i < zn_model_part_count(model); i++) {
        const part *p = &assembly_of(model)->parts[i];
        for (int k = 0; k < model_rows(p->model); k++)
            if (p->rows[k] == row && p->words.fault) return p->words.fault;
    }
    return MODEL_OUT_OF_RANGE;
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
