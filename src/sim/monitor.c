/* SPDX-License-Identifier: Apache-2.0 */
/* Watches accepted states: penetration, constraint drift, finiteness. */
#include "sim/simulation.h"

zn_status sim_monitor_take(zn_context *context, const zn_model *model, int declared, sim_monitor *m) {
    m->declared = declared;
    m->gaps = MEM_ARRAY(context, double, model->size.n_contacts);
    m->pivots = lin_envelope_create(context, &model->pattern.M);
    return m->gaps && m->pivots ? answers_create(context, model, &m->at) : ZN_ERROR_MEMORY;
}

void sim_monitor_forget(sim_monitor *m, const sim_monitor *before) {
    m->max_penetration = before->max_penetration;
    m->max_g = before->max_g, m->max_gdot = before->max_gdot, m->max_gamma = before->max_gamma;
}

void sim_monitor_destroy(zn_context *context, sim_monitor *m) {
    answers_destroy(context, &m->at);
    lin_envelope_destroy(m->pivots);
    mem_free(context, m->gaps);
}

/* c0 of all rows, and c1 where they are needed. */
static bool ask(sim_monitor *m, const zn_point *at, const answers *seen) {
    const zn_model *model = m->at.model;
    size_t bytes = (size_t)model_rows(model) * sizeof *m->at.c0;
    bool velocities = model_row_N(model) > 0; /* contacts are only watched on position level */
    m->rates = velocities || seen;
    if (!seen) return !model->constraints(model, m->at.work, at, &(zn_constraints){.c0 = m->at.c0, .c1 = velocities ? m->at.c1 : NULL});
    memcpy(m->at.c0, seen->c0, bytes);
    memcpy(m->at.c1, seen->c1, bytes);
    return true;
}

zn_status sim_monitor_look(sim_monitor *m, const scheme_state *state) { return sim_monitor_see(m, state, NULL); }

zn_status sim_monitor_see(sim_monitor *m, const scheme_state *state, const answers *seen) {
    const zn_model *model = m->at.model;
    int ng = model->size.ng, ny = model->size.ny, n = model_rows(model);
    if (!all_finite(model->size.nq, state->q) || !all_finite(model->size.nu, state->u)) return ZN_ERROR_NOT_FINITE;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    if (state->t >= m->end &&
        (model->balance(model, m->at.work, &at, &(zn_balance){.M = m->at.M}) || lin_envelope_not_positive(m->pivots, m->at.M) >= 0))
        return ZN_ERROR_NOT_FINITE;
    if (n == 0) return ZN_OK;
    if (!ask(m, &at, seen)) return ZN_ERROR_NOT_FINITE;
    if (!all_finite(n, m->at.c0) || !all_finite(m->rates ? ng + ny : 0, m->at.c1)) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < ng; i++) {
        m->max_g = larger(m->max_g, fabs(m->at.c0[i]));
        m->max_gdot = larger(m->max_gdot, fabs(m->at.c1[i]));
    }
    for (int i = ng; i < ng + ny; i++) m->max_gamma = larger(m->max_gamma, fabs(m->at.c1[i]));
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        m->gaps[k] = row < 0 ? NAN : m->at.c0[row];
        if (row >= 0 && k < m->declared) m->max_penetration = larger(0 - m->gaps[k], m->max_penetration);
    }
    return ZN_OK;
}
