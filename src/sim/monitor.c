/* SPDX-License-Identifier: Apache-2.0 */
/* Watches accepted states: penetration, constraint drift, finiteness. */
#include "sim/simulation.h"

zn_status sim_monitor_take(zn_context *context, const zn_model *model, sim_monitor *m) {
    m->gaps = MEM_ARRAY(context, double, model->size.n_contacts);
    return m->gaps ? answers_create(context, model, &m->at) : ZN_ERROR_MEMORY;
}

void sim_monitor_forget(sim_monitor *m, const sim_monitor *before) {
    m->max_penetration = before->max_penetration;
    m->max_g = before->max_g, m->max_gdot = before->max_gdot, m->max_gamma = before->max_gamma;
}

void sim_monitor_destroy(zn_context *context, sim_monitor *m) {
    answers_destroy(context, &m->at);
    mem_free(context, m->gaps);
}

zn_status sim_monitor_look(sim_monitor *m, const scheme_state *state) {
    const zn_model *model = m->at.model;
    int ng = model->size.ng, ny = model->size.ny, n = model_rows(model);
    if (!all_finite(model->size.nq, state->q) || !all_finite(model->size.nu, state->u)) return ZN_ERROR_NOT_FINITE;
    if (n == 0) return ZN_OK;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    bool velocities = ng + ny > 0; /* contacts are only watched on position level */
    if (model->constraints(model, m->at.work, &at, &(zn_constraints){.c0 = m->at.c0, .c1 = velocities ? m->at.c1 : NULL}))
        return ZN_ERROR_NOT_FINITE;
    if (!all_finite(n, m->at.c0) || (velocities && !all_finite(ng + ny, m->at.c1))) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < ng; i++) {
        m->max_g = larger(m->max_g, fabs(m->at.c0[i]));
        m->max_gdot = larger(m->max_gdot, fabs(m->at.c1[i]));
    }
    for (int i = ng; i < ng + ny; i++) m->max_gamma = larger(m->max_gamma, fabs(m->at.c1[i]));
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        m->gaps[k] = row < 0 ? NAN : m->at.c0[row];
        if (row >= 0) m->max_penetration = larger(0 - m->gaps[k], m->max_penetration);
    }
    return ZN_OK;
}
