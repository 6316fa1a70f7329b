/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent accelerations as a linear contact problem in x = a, P = lambda; the rows c are c2 at a = 0. */
#include "scheme/consistent_forces.h"

/* Lengths and rates below these count as none. */
static double little_length(const linear_problem *p, int row, double rest) {
    return p->scales ? rest * scales_small_length(p->scales, p->at.W, row, 1) : rest;
}
static double little_rate(const linear_problem *p, double vigour, int row, double rest) {
    return p->scales ? rest * scales_small_rate(p->scales, vigour, p->at.M, p->at.W, row, 1) : rest;
}

static void set_friction(linear_problem *p, int contact, double vigour, double rest) {
    const zn_contact *k = &p->model->contacts[contact];
    int first_F = model_row_F(p->model);
    for (int b = 0, row = k->row_F; b < k->n_balls; row += k->balls[b++].dim) {
        double speed = 0, slow = 0;
        for (int i = row; i < row + k->balls[b].dim; i++) slow = larger(slow, little_rate(p, vigour, i, rest));
        for (int i = 0; i < k->balls[b].dim; i++) {
            p->direction[row + i - first_F] = p->at.c1[row + i];
            speed = hypot(speed, p->at.c1[row + i]);
        }
        for (int i = 0; !(speed > slow) && i < k->balls[b].dim; i++) p->direction[row + i - first_F] = 0;
        linear_problem_slips(p, contact, b, speed > slow);
    }
}

zn_status consistent_forces_ask(linear_problem *p, const zn_point *point) {
    const zn_model *model = p->model;
    zn_point at = {.t = point->t, .q = point->q, .u = point->u};
    if (model_ask_both(model, p->at.work, &at, &(zn_balance){.r = p->at.r, .M = p->at.M, .W = p->at.W},
                       &(zn_constraints){.c0 = p->at.c0, .c1 = p->at.c1, .c1_u = p->at.c1_u, .c2 = p->c}))
        return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < model->size.nu; i++) p->f[i] = -p->at.r[i]; /* r = -h at a = 0, lambda = 0 */
    linear_problem_reset(p);
    p->time_measure = 1;
    return ZN_OK;
}

zn_status consistent_forces_by(linear_problem *p, const cone_frozen *modes, const zn_point *point, double rest, cone_outcome *outcome) {
    const zn_model *model = p->model;
    *outcome = (cone_outcome){.worst = INFINITY, .worst_cone = -1, .worst_row = -1};
    zn_status status = consistent_forces_ask(p, point);
    if (status != ZN_OK) return status;
    double vigour = model->size.n_contacts > 0 && p->scales ? scales_vigour(p->scales, p->at.M) : 0;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        p->active[k] =
            row < 0 || (p->at.c0[row] <= little_length(p, row, rest) && fabs(p->at.c1[row]) <= little_rate(p, vigour, row, rest));
        set_friction(p, k, vigour, rest);
    }
    linear_problem_freeze(p, modes);
    return linear_problem_solve(p, outcome);
}

zn_status consistent_forces(linear_problem *p, double t, const double *q, const double *u, double rest, cone_outcome *outcome) {
    return consistent_forces_by(p, NULL, &(zn_point){.t = t, .q = q, .u = u}, rest, outcome);
}
