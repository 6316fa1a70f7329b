/* SPDX-License-Identifier: Apache-2.0 */
/* How large the error of a step is, in units of what is allowed; which errors are none. */
#include "sim/simulation.h"

static const double SCALE_FLOOR = 1e-3;     /* a coordinate that stays this much smaller than others is not resolved better */
static const double ROUNDOFF = 8 * 2.2e-16; /* of the largest position: less is no error of a step */

void sim_control_reach(zn_simulation *sim) {
    double *reach = sim->control.reach;
    for (int i = 0; i < sim->model->size.nq; i++) reach[i] = larger(reach[i], fabs(sim->now.q[i]));
}

double sim_error_size(const zn_simulation *sim, const double *q) {
    const sim_control *c = &sim->control;
    double largest = 0, worst = 0;
    int nq = sim->model->size.nq;
    for (int i = 0; i < nq; i++) largest = larger(largest, larger(c->reach[i], fabs(q[i])));
    for (int i = 0; i < nq; i++) {
        double scale = larger(larger(c->reach[i], fabs(q[i])), SCALE_FLOOR * largest);
        if (c->error[i] != 0) worst = larger(worst, fabs(c->error[i]) / (sim->settings.accuracy * scale));
    }
    return worst;
}

/* A coordinate that moves no faster, at both ends of the step, than what the tolerance may leave of a velocity is at rest. 0: it is not;
 * else by how much it may move. */
static double rest(const zn_simulation *sim, int i) {
    const sim_control *c = &sim->control;
    const problem_scales *s = &sim->scheme->scales;
    double left = s->memory ? sim->settings.tolerance * s->rate[i] : 0;
    return fabs(c->qdot[i]) <= left && fabs(c->qdot_next[i]) <= left ? left : 0;
}

bool sim_error_moves(const zn_simulation *sim) {
    for (int i = 0; i < sim->model->size.nq; i++)
        if (rest(sim, i) == 0 && (sim->control.qdot[i] != 0 || sim->control.qdot_next[i] != 0)) return true;
    return false;
}

double sim_error_in_motion(zn_simulation *sim, double h) {
    sim_control *c = &sim->control;
    double size = sim_error_size(sim, sim->next.q);
    if (!(size > 1)) return size;
    for (int i = 0; i < sim->model->size.nq; i++)
        if (fabs(c->error[i]) <= h * rest(sim, i)) c->error[i] = 0;
    return sim_error_size(sim, sim->next.q);
}

void sim_error_drop_roundoff(zn_simulation *sim) {
    sim_control *c = &sim->control;
    double largest = 0;
    for (int i = 0; i < sim->model->size.nq; i++) largest = larger(largest, larger(c->reach[i], fabs(sim->next.q[i])));
    for (int i = 0; i < sim->model->size.nq; i++)
        if (fabs(c->error[i]) <= larger(ROUNDOFF * largest, c->noise)) c->error[i] = 0;
}
