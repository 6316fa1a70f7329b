/* SPDX-License-Identifier: Apache-2.0 */
/* A corner that is wedged in a valley touches both sides: their gaps hold it, and sticking on either says the same once more. Gaps are held
 * in positions and sticking in velocities, which schemes make equal up to their error only, so that a step with all of these rows has no
 * solution unless it is tiny. Friction in one direction whose row depends on those of closed gaps,
 *
 *   w_F = W_N c,         w_F' M^-1 w_F - w_F' M^-1 W_N (W_N' M^-1 W_N)^-1 W_N' M^-1 w_F = 0
 *
 * need not hold anything: it is at its limit, along what it is now, lambda_F = -mu lambda_N d, which the law allows at gamma_F = 0. Where
 * normal forces would then have to pull, it sticks as before. */
#include "sim/simulation.h"

enum { MOST_GAPS = 8 }; /* with more of them nothing is changed */
/* Of w' M^-1 w: what is left of a row that depends on others. */
static const double DEPENDS = 1e-9;

/* Rows of closed gaps; -1: too many. */
static int closed_rows(const zn_simulation *sim, int *rows) {
    const sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    int count = 0;
    for (int k = 0; k < model->size.n_contacts; k++) {
        if (!sim_is_closed(&l->modes, k) || model->contacts[k].row_N < 0) continue;
        if (count == MOST_GAPS) return -1;
        rows[count++] = model->contacts[k].row_N;
    }
    return count;
}

/* Elimination of the Gram matrix of the rows, the last of which is judged. */
static bool depends(const linear_problem *p, int count, int *rows, int row) {
    double a[MOST_GAPS + 1][MOST_GAPS + 1], whole[MOST_GAPS + 1];
    rows[count] = row;
    for (int i = 0; i <= count; i++)
        for (int j = 0; j <= count; j++) a[i][j] = linear_problem_response(p, rows[i], rows[j]);
    for (int i = 0; i <= count; i++) whole[i] = a[i][i];
    for (int k = 0; k < count; k++) {
        if (!(a[k][k] > DEPENDS * whole[k])) continue;
        for (int i = k + 1; i <= count; i++)
            for (int j = k + 1; j <= count; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
    }
    return a[count][count] <= DEPENDS * whole[count];
}

static zn_status see_forces(zn_simulation *sim, bool *pull) {
    sim_located *l = &sim->located;
    zn_status status = sim_events_at(sim, &sim->now, &l->sample[1]);
    *pull = false;
    for (int k = 0; k < sim->model->size.n_contacts && status == ZN_OK; k++)
        *pull = *pull || (sim_is_closed(&l->modes, k) && sim_event_is_negative(sim, &l->sample[1], k));
    return status;
}

zn_status sim_wedges_release(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    int rows[MOST_GAPS + 1], count = p->reduced ? closed_rows(sim, rows) : -1;
    bool any = false, pull;
    if (count < 2) return ZN_OK;
    memset(l->wedged, 0, (size_t)l->n_balls * sizeof *l->wedged);
    for (int i = 0; i < l->n_balls; i++) {
        const zn_contact *c = &p->model->contacts[l->ball_contact[i]];
        const zn_ball *ball = &c->balls[l->ball_of[i]];
        bool sticks = sim_is_closed(&l->modes, l->ball_contact[i]) && l->modes.ball[i] == CONE_STICK && ball->dim == 1 && ball->mu > 0;
        if (!sticks || c->row_N < 0 || !depends(p, count, rows, sim_row_of_ball(sim, i))) continue;
        l->modes.ball[i] = CONE_SLIP;
        l->wedged[i] = any = true;
    }
    if (!any) return ZN_OK;
    zn_status status = see_forces(sim, &pull);
    if (status == ZN_OK && !pull) return ZN_OK;
    for (int i = 0; i < l->n_balls; i++)
        if (l->wedged[i]) l->modes.ball[i] = CONE_STICK;
    return sim_located_failed(status) || status == ZN_OK ? see_forces(sim, &pull) : status;
}
