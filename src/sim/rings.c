/* SPDX-License-Identifier: Apache-2.0 */
/* Edges that lie flat. A declared contact of a ring and a plane is at the lowest point of the ring, at c a + r e from the centre of its
 * body: a the axis, e the direction of the point, n = cos(theta) a - sin(theta) e the normal. The moment of a unit of its normal force
 *
 *     (c a + r e) x n = -(r cos(theta) + c sin(theta)) a x e
 *
 * turns with e. A ring that lies flat, theta = 0, has no lowest point: e jumps from step to step, and what the contact does then has
 * nothing to do with a ring; it may create energy. So a step in which such a contact pushes and e turns by more than a right angle is
 * refused. Parts of it resolve a point that moves fast, and end a run whose point jumps.
 * So is a step that was solved down to round-off only, where that is far above the tolerance. */
#include "sim/simulation.h"
#include "zeno/parts.h"

/* Of the radius: a gap below counts as touching where a step has failed. */
static const double near_share = 1e-2;

/* The first velocity of the turning of a body. */
static int first_turn(const zn_model *model, const char *body) {
    for (int i = 0, u = 0, n = zn_model_part_count(model); i < n; i++) {
        zn_part_info part = zn_model_part_info(model, i);
        if (body && part.nu == 6 && !strcmp(part.name, body)) return u + 3;
        u += part.nu;
    }
    return -1;
}

/* The next declared contact of a ring from *part on, which has counted *contact of them; -1: none. */
static int next_ring(const zn_model *model, int *part, int *contact, int *turn) {
    for (int n = zn_model_part_count(model); *part < n;) {
        zn_part_info info = zn_model_part_info(model, (*part)++);
        int k = *contact;
        *contact += info.n_contacts;
        if (!info.n_contacts || !info.what || strcmp(info.what, CONTACT_OF_RING) != 0) continue;
        *turn = first_turn(model, info.bodies[0]);
        if (*turn >= 0) return k;
    }
    return -1;
}

bool sim_has_rings(const zn_model *model) {
    int part = 0, contact = 0, turn;
    return next_ring(model, &part, &contact, &turn) >= 0;
}

bool sim_is_ring(const zn_model *model, int contact) {
    int part = 0, count = 0, turn, k;
    while ((k = next_ring(model, &part, &count, &turn)) >= 0 && k != contact)
        ;
    return k >= 0;
}

static void find_moment(const zn_model *model, const double *W, int contact, int turn, double *moment) {
    const zn_pattern *pattern = &model->pattern.W;
    int row = model->contacts[contact].row_N;
    memset(moment, 0, 3 * sizeof *moment);
    for (int i = pattern->start[row]; i < pattern->start[row + 1]; i++)
        if (pattern->index[i] >= turn && pattern->index[i] < turn + 3) moment[pattern->index[i] - turn] = W[i];
}

static bool ask(zn_simulation *sim, const scheme_state *state) {
    answers *at = &sim->monitor.at;
    zn_point point = {.t = state->t, .q = state->q, .u = state->u};
    return !sim->model->balance(sim->model, at->work, &point, &(zn_balance){.W = at->W});
}

bool sim_rings_allow(zn_simulation *sim, const cone_outcome *outcome) {
    bool poor = outcome->worst > SIM_NEAR_TOLERANCE * sim->settings.tolerance; /* down to round-off, which grows as 1/theta */
    sim->ring_jumps = -1;
    if (!sim->rings) return true;
    const double *W = sim->monitor.at.W;
    int turn;
    for (int part = 0, contact = 0, k; (k = next_ring(sim->base, &part, &contact, &turn)) >= 0;) {
        double moment[2][3], turned = 0;
        int row = sim->model->contacts[k].row_N;
        if (row < 0 || !(sim->next.P_all[row] > 0) || !ask(sim, &sim->now)) continue;
        find_moment(sim->model, W, k, turn, moment[0]);
        if (!ask(sim, &sim->next)) continue;
        find_moment(sim->model, W, k, turn, moment[1]);
        for (int i = 0; i < 3; i++) turned += moment[0][i] * moment[1][i];
        if (poor || !(turned >= 0)) sim->ring_jumps = k;
    }
    return sim->ring_jumps < 0;
}

int sim_ring_at_fault(zn_simulation *sim, const cone_outcome *outcome) {
    if (!sim->rings || sim->ring_jumps >= 0) return sim->ring_jumps;
    const double *W = sim->monitor.at.W;
    int turn;
    bool known = ask(sim, &sim->now);
    for (int part = 0, contact = 0, k; (k = next_ring(sim->base, &part, &contact, &turn)) >= 0;) {
        double moment[3];
        if (k == outcome->worst_cone) return k;
        if (!known || sim->model->contacts[k].row_N < 0) continue;
        find_moment(sim->model, W, k, turn, moment);
        double arm = sqrt(moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2]);
        if (sim->monitor.gaps[k] <= near_share * arm + fabs(outcome->worst)) return k;
    }
    return -1;
}
