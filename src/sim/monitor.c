/* SPDX-License-Identifier: Apache-2.0 */
/* Watches accepted states: penetration, constraint drift, finiteness. */
#include "sim/simulation.h"

#include <stdio.h>

zn_status sim_monitor_create(zn_context *context, const zn_model *model, sim_monitor *m) {
    *m = (sim_monitor){.gaps = MEM_ARRAY(context, double, model->size.n_contacts)};
    if (!m->gaps) return ZN_MEMORY;
    return stage_create(context, model, &m->at);
}

void sim_monitor_destroy(zn_context *context, sim_monitor *m) {
    stage_destroy(context, &m->at);
    mem_free(context, m->gaps);
}

static bool all_finite(const double *values, int count) {
    double sum = 0; /* finite values may overflow in a sum, so look closer only then */
    for (int i = 0; i < count; i++) sum += values[i];
    if (isfinite(sum)) return true;
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

zn_status sim_monitor_look(sim_monitor *m, const scheme_state *state) {
    const zn_model *model = m->at.model;
    int ng = model->size.ng, ny = model->size.ny, n = model_rows(model);
    if (!all_finite(state->q, model->size.nq) || !all_finite(state->u, model->size.nu)) return ZN_NOT_FINITE;
    if (n == 0) return ZN_OK;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    bool velocities = ng + ny > 0; /* contacts are only watched on position level */
    if (model->constraints(model, m->at.work, &at, &(zn_constraints){.c0 = m->at.c0, .c1 = velocities ? m->at.c1 : NULL})) return ZN_NOT_FINITE;
    if (!all_finite(m->at.c0, n) || (velocities && !all_finite(m->at.c1, ng + ny))) return ZN_NOT_FINITE;
    for (int i = 0; i < ng; i++) {
        m->max_g = fmax(m->max_g, fabs(m->at.c0[i]));
        m->max_gdot = fmax(m->max_gdot, fabs(m->at.c1[i]));
    }
    for (int i = ng; i < ng + ny; i++) m->max_gamma = fmax(m->max_gamma, fabs(m->at.c1[i]));
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        m->gaps[k] = row < 0 ? NAN : m->at.c0[row];
        if (row >= 0) m->max_penetration = fmax(m->max_penetration, -m->gaps[k]);
    }
    return ZN_OK;
}

const char *sim_monitor_not_finite(sim_monitor *m, const scheme_state *state, char *text, size_t room) {
    const zn_model *model = m->at.model;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    model->balance(model, m->at.work, &at, &(zn_balance){.r = m->at.r});
    model->kinematics(model, m->at.work, &at, &(zn_kinematics){.qdot = m->at.qdot});
    model->constraints(model, m->at.work, &at, &(zn_constraints){.c0 = m->at.c0, .c1 = m->at.c1});
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(state->q[i])) return snprintf(text, room, "the coordinate '%s'", model->q_names[i]), text;
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(state->u[i])) return snprintf(text, room, "the velocity '%s'", model->u_names[i]), text;
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(m->at.r[i])) return snprintf(text, room, "the force on '%s'", model->u_names[i]), text;
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(m->at.qdot[i])) return snprintf(text, room, "the rate of '%s'", model->q_names[i]), text;
    for (int i = 0; i < model_rows(model); i++)
        if (!isfinite(m->at.c0[i]) || !isfinite(m->at.c1[i])) return model_row_text(model, i, text, room);
    return NULL;
}
