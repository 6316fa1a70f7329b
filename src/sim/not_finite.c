/* SPDX-License-Identifier: Apache-2.0 */
/* What is not finite, and where: asked after a step failed, along the motion from the last good state. */
#include "sim/simulation.h"

#include <float.h>
#include <stdio.h>

/* The first column of a matrix with an entry that is not finite; -1: all are. *row is that of the entry. */
static int bad_column(const zn_pattern *p, const double *values, int *row) {
    for (int j = 0; p->start && j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (!isfinite(values[k])) return *row = p->index[k], j;
    return -1;
}

static bool report(sim_not_finite *out, const char *what, const char *name) {
    out->subject = name;
    return snprintf(out->what, sizeof out->what, "the %s '%s'", what, name), true;
}

static bool report_row(sim_not_finite *out, const zn_model *model, int row, const char *before) {
    char name[120];
    int contact = model_row_contact(model, row);
    out->why = model_row_fault(model, row);
    out->subject = row < model_row_N(model) ? model->bilateral_names[row] : contact >= 0 ? model->contacts[contact].name : NULL;
    return snprintf(out->what, sizeof out->what, "%s%s", before, model_row_text(model, row, name, sizeof name)), true;
}

/* Values: states, forces, rates, constraints, mass. */
static bool bad_value(const zn_model *model, const answers *at, const zn_point *point, sim_not_finite *out) {
    int row, column;
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(point->q[i])) return report(out, "coordinate", model->q_names[i]);
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(point->u[i])) return report(out, "velocity", model->u_names[i]);
    if ((column = bad_column(&model->pattern.M, at->M, &row)) >= 0) return report(out, "mass of", model->u_names[column]);
    for (int i = 0; i < model_rows(model); i++) /* before forces, which have their directions */
        if (!isfinite(at->c0[i]) || !isfinite(at->c1[i])) return report_row(out, model, i, "");
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(at->r[i])) return report(out, "force on", model->u_names[i]);
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(at->qdot[i])) return report(out, "rate of", model->q_names[i]);
    return false;
}

static bool report_derivative(sim_not_finite *out, const char *of, const char *by) {
    out->subject = of;
    return snprintf(out->what, sizeof out->what, "the derivative of the force on '%s' by '%s'", of, by), true;
}

/* Derivatives: those of the forces by coordinates and velocities, of the rows of constraints and contacts. */
static bool bad_derivative(const zn_model *model, const answers *at, sim_not_finite *out) {
    const zn_patterns *p = &model->pattern;
    int row, column;
    if ((column = bad_column(&p->r_q, at->r_q, &row)) >= 0) return report_derivative(out, model->u_names[row], model->q_names[column]);
    if ((column = bad_column(&p->r_u, at->r_u, &row)) >= 0) return report_derivative(out, model->u_names[row], model->u_names[column]);
    row = -1;
    if (bad_column(&p->c0_q, at->c0_q, &row) < 0 && bad_column(&p->c1_q, at->c1_q, &row) < 0) {
        row = bad_column(&p->c1_u, at->c1_u, &column); /* transposed */
        if (row < 0) row = bad_column(&p->W, at->W, &column);
    }
    return row >= 0 && report_row(out, model, row, "a derivative of ");
}

static bool look_at(sim_monitor *m, const zn_point *point, sim_not_finite *out) {
    const zn_model *model = m->at.model;
    answers *at = &m->at;
    out->t = point->t, out->why = MODEL_OUT_OF_RANGE, out->subject = NULL;
    /* When the model refuses to answer, the numbers say nothing. */
    bool refused =
        model->balance(model, at->work, point, &(zn_balance){.r = at->r, .r_q = at->r_q, .r_u = at->r_u, .M = at->M, .W = at->W});
    refused = model->kinematics(model, at->work, point, &(zn_kinematics){.qdot = at->qdot}) || refused;
    if (model_rows(model) > 0)
        refused = model->constraints(model, at->work, point,
                                     &(zn_constraints){.c0 = at->c0, .c0_q = at->c0_q, .c1 = at->c1, .c1_q = at->c1_q, .c1_u = at->c1_u}) ||
                  refused;
    if (refused) return snprintf(out->what, sizeof out->what, "a value of the model"), true;
    return bad_value(model, at, point, out) || bad_derivative(model, at, out);
}

/* Positions are extrapolated: a step may leave the range of a formula before its end. */
static void move_on(zn_simulation *sim, double by) {
    for (int i = 0; i < sim->model->size.nq; i++) sim->next.q[i] += by * sim->monitor.at.qdot[i];
}

bool sim_find_not_finite(zn_simulation *sim, double h, double reach, sim_not_finite *out) {
    const zn_model *model = sim->model;
    const scheme_state *from = &sim->now;
    double *q = sim->next.q, since = 0;
    memcpy(q, from->q, (size_t)model->size.nq * sizeof *q);
    bool is_found = look_at(&sim->monitor, &(zn_point){.t = from->t, .q = q, .u = from->u}, out);
    for (double part = larger(h / 2, DBL_MIN); !is_found && part <= reach; part *= 2) {
        move_on(sim, part - since);
        since = part;
        is_found = look_at(&sim->monitor, &(zn_point){.t = from->t + part, .q = q, .u = from->u}, out);
    }
    return is_found;
}

int sim_find_massless(zn_simulation *sim, double h, double reach, double *t, bool *coupled) {
    const zn_model *model = sim->model;
    const zn_pattern *p = &model->pattern.M;
    answers *at = &sim->monitor.at;
    int bad = -1;
    memcpy(sim->next.q, sim->now.q, (size_t)model->size.nq * sizeof *sim->now.q);
    for (double part = 0, next = larger(h / 2, DBL_MIN); bad < 0 && part <= reach; part = next, next *= 2) {
        zn_point point = {.t = *t = sim->now.t + part, .q = sim->next.q, .u = sim->now.u};
        if (model->balance(model, at->work, &point, &(zn_balance){.M = at->M})) return -1;
        if (model->kinematics(model, at->work, &point, &(zn_kinematics){.qdot = at->qdot})) return -1;
        bad = lin_envelope_not_positive(sim->monitor.pivots, at->M);
        move_on(sim, next - part);
    }
    *coupled = true;
    for (int k = bad < 0 ? 0 : p->start[bad]; bad >= 0 && k < p->start[bad + 1]; k++)
        if (p->index[k] == bad) *coupled = at->M[k] > 0;
    return bad;
}
