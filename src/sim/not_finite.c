/* SPDX-License-Identifier: Apache-2.0 */
/* What is not finite, and where: asked after a step failed, along the motion from the last good state. */
#include "sim/simulation.h"

#include <stdio.h>

/* The first column of a matrix with an entry that is not finite; -1: all are. *row is that of the entry. */
static int bad_column(const zn_pattern *p, const double *values, int *row) {
    for (int j = 0; p->start && j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (!isfinite(values[k])) return *row = p->index[k], j;
    return -1;
}

/* Values: states, forces, rates, constraints, mass. */
static const char *bad_value(const zn_model *model, const answers *at, const zn_point *point, char *text, size_t room) {
    int row, column;
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(point->q[i])) return snprintf(text, room, "the coordinate '%s'", model->q_names[i]), text;
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(point->u[i])) return snprintf(text, room, "the velocity '%s'", model->u_names[i]), text;
    if ((column = bad_column(&model->pattern.M, at->M, &row)) >= 0)
        return snprintf(text, room, "the mass of '%s'", model->u_names[column]), text;
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(at->r[i])) return snprintf(text, room, "the force on '%s'", model->u_names[i]), text;
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(at->qdot[i])) return snprintf(text, room, "the rate of '%s'", model->q_names[i]), text;
    for (int i = 0; i < model_rows(model); i++)
        if (!isfinite(at->c0[i]) || !isfinite(at->c1[i])) return model_row_text(model, i, text, room);
    return NULL;
}

/* Derivatives: those of the forces by coordinates and velocities, of the rows of constraints and contacts. */
static const char *bad_derivative(const zn_model *model, const answers *at, char *text, size_t room) {
    const zn_patterns *p = &model->pattern;
    int row, column;
    if ((column = bad_column(&p->r_q, at->r_q, &row)) >= 0)
        return snprintf(text, room, "the derivative of the force on '%s' by '%s'", model->u_names[row], model->q_names[column]), text;
    if ((column = bad_column(&p->r_u, at->r_u, &row)) >= 0)
        return snprintf(text, room, "the derivative of the force on '%s' by '%s'", model->u_names[row], model->u_names[column]), text;
    row = -1;
    if (bad_column(&p->c0_q, at->c0_q, &row) < 0 && bad_column(&p->c1_q, at->c1_q, &row) < 0) {
        row = bad_column(&p->c1_u, at->c1_u, &column); /* transposed */
        if (row < 0) row = bad_column(&p->W, at->W, &column);
    }
    if (row < 0) return NULL;
    char name[120];
    return snprintf(text, room, "a derivative of %s", model_row_text(model, row, name, sizeof name)), text;
}

static const char *look_at(sim_monitor *m, const zn_point *point, char *text, size_t room) {
    const zn_model *model = m->at.model;
    answers *at = &m->at;
    /* When the model refuses to answer, the numbers say nothing. */
    bool refused =
        model->balance(model, at->work, point, &(zn_balance){.r = at->r, .r_q = at->r_q, .r_u = at->r_u, .M = at->M, .W = at->W});
    refused = model->kinematics(model, at->work, point, &(zn_kinematics){.qdot = at->qdot}) || refused;
    if (model_rows(model) > 0)
        refused = model->constraints(model, at->work, point,
                                     &(zn_constraints){.c0 = at->c0, .c0_q = at->c0_q, .c1 = at->c1, .c1_q = at->c1_q, .c1_u = at->c1_u}) ||
                  refused;
    if (refused) return snprintf(text, room, "a value of the model"), text;
    const char *what = bad_value(model, at, point, text, room);
    return what ? what : bad_derivative(model, at, text, room);
}

int sim_find_massless(zn_simulation *sim, double h, double *t) {
    const zn_model *model = sim->model;
    const zn_pattern *p = &model->pattern.M;
    answers *at = &sim->monitor.at;
    for (int end = 0; end < 2; end++) {
        zn_point point = {.t = *t = sim->now.t + end * h, .q = sim->now.q, .u = sim->now.u};
        if (model->balance(model, at->work, &point, &(zn_balance){.M = at->M})) return -1;
        for (int j = 0; j < p->cols; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++)
                if (p->index[k] == j && at->M[k] <= 0) return j;
    }
    return -1;
}

/* Positions are extrapolated: a step may leave the range of a formula before its end. */
const char *sim_find_not_finite(zn_simulation *sim, double h, double reach, char *text, size_t room, double *t) {
    const zn_model *model = sim->model;
    const scheme_state *from = &sim->now;
    double *q = sim->next.q, since = 0;
    memcpy(q, from->q, (size_t)model->size.nq * sizeof *q);
    const char *what = look_at(&sim->monitor, &(zn_point){.t = *t = from->t, .q = q, .u = from->u}, text, room);
    for (double part = h / 2; !what && part <= reach; part *= 2) {
        for (int i = 0; i < model->size.nq; i++) q[i] += (part - since) * sim->monitor.at.qdot[i];
        since = part;
        what = look_at(&sim->monitor, &(zn_point){.t = *t = from->t + part, .q = q, .u = from->u}, text, room);
    }
    return what;
}
