/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that shapes find are pairs of features: a corner on a face, say. A closed one that slides, rolls or tips on leaves its features
 * for others (the end of a capsule goes from the side of a tooth to its tip), which have other curvatures: velocities go on, accelerations
 * jump. The distance to the border of the features (collide/border.c) is the event function; at the event the list of contacts is found
 * again, and what takes over is closed at once, with the smallest change of velocities that this takes: features are listed up to a little
 * beyond their border, by EPSILON, where gap and rate of the others differ from zero by EPSILON^2 and EPSILON. */
#include "sim/simulation.h"

/* Times what is at rest, and of the smallest shape: slower, and nearer, takes over. */
static const double SLOW = 1e5, NEAR = 1e-6;

static int first_border(const zn_simulation *sim) { return 2 * sim->model->size.n_contacts + sim->located.n_balls; }

bool sim_is_border(const zn_simulation *sim, int event) { return event >= first_border(sim); }

/* A contact that is beyond its border at the start of a sub-step does not leave it. */
void sim_borders_at(zn_simulation *sim, const scheme_state *state, event_sample *sample) {
    sim_located *l = &sim->located;
    sim_contacts *c = &sim->contacts;
    int declared = sim->base->size.n_contacts, first = first_border(sim);
    bool posed = false, start = sample == &l->sample[0];
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        double *phi = &sample->phi[first + k];
        bool out = !start && !(l->sample[0].phi[first + k] > 0);
        *phi = INFINITY, sample->rate[first + k] = NAN;
        if (k < declared || l->stays[k] || out || !sim_is_closed(&l->modes, k)) continue;
        if (!posed) contact_field_poses(c->field, state->t, state->q, state->u, c->poses_between);
        posed = true;
        *phi = collide_to_border(c->world, c->poses_between, &c->list.at[k - declared].candidate);
        if (start && !(*phi > 0)) *phi = -INFINITY;
    }
}

void sim_borders_judge(zn_simulation *sim, const scheme_state *state) {
    sim_located *l = &sim->located;
    sim_contacts *c = &sim->contacts;
    int declared = sim->base->size.n_contacts, first = first_border(sim);
    bool posed = false;
    for (int k = declared; k < sim->model->size.n_contacts; k++) {
        if (!l->which[k] || l->stays[k] || sim_is_closed(&l->modes, k)) continue;
        if (!posed) contact_field_poses(c->field, state->t, state->q, state->u, c->poses_between);
        posed = true;
        if (collide_to_border(c->world, c->poses_between, &c->list.at[k - declared].candidate) >= 0) continue;
        l->which[first + k] = true;
        l->which[k] = false;
    }
}

bool sim_borders_met(const zn_simulation *sim) {
    for (int i = first_border(sim); i < sim->located.n_events; i++)
        if (sim->located.which[i]) return true;
    return false;
}

zn_status sim_borders_note(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    int declared = sim->base->size.n_contacts, first = first_border(sim);
    c->missed.count = 0; /* free between steps */
    if (!mem_grow(sim->context, (void **)&c->missed.at, &c->missed.capacity, c->list.count, sizeof *c->missed.at)) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < c->list.count; i++)
        if (sim->located.which[first + declared + (int)i]) c->missed.at[c->missed.count++] = c->list.at[i].candidate;
    return ZN_OK;
}

/* Those that left and are listed nevertheless stay where they are. */
static void mark_stays(zn_simulation *sim) {
    const sim_contacts *c = &sim->contacts;
    for (size_t i = 0, k = 0; i < c->list.count; i++) {
        while (k < c->missed.count && collide_compare(&c->missed.at[k], &c->list.at[i].candidate) < 0) k++;
        if (k < c->missed.count && collide_compare(&c->missed.at[k], &c->list.at[i].candidate) == 0)
            sim->located.stays[sim->base->size.n_contacts + (int)i] = true;
    }
}

/* Whether entry i is of two shapes of which a contact left its features. */
static bool is_of_those(const sim_contacts *c, size_t i) {
    const int *shape = c->list.at[i].candidate.shape;
    for (size_t k = 0; k < c->missed.count; k++) {
        const int *other = c->missed.at[k].shape;
        if ((shape[0] == other[0] && shape[1] == other[1]) || (shape[0] == other[1] && shape[1] == other[0])) return true;
    }
    return false;
}

/* Contacts that rest are closed, as far as is known; `takes`: those that take over. */
static void find_successors(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    const zn_model *model = p->model;
    int declared = sim->base->size.n_contacts;
    double near = NEAR * collide_smallest(sim->contacts.world);
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        bool rests = row < 0 || sim_rests(sim, p, k);
        l->takes[k] = !rests && k >= declared && is_of_those(&sim->contacts, (size_t)(k - declared)) && !l->stays[k] &&
                      fabs(p->at.c0[row]) <= near && fabs(p->at.c1[row]) <= SLOW * sim_still(sim, row);
        l->modes.contact[k].normal = rests ? CONE_CLOSED : CONE_OPEN;
        for (int b = 0; rests && b < model->contacts[k].n_balls; b++) sim_ball_by_velocity(sim, k, b);
    }
    l->modes.known = true;
}

zn_status sim_borders_pass(zn_simulation *sim) {
    sim_located *l = &sim->located;
    zn_status status = sim_contacts_renew(sim, l->h);
    if (status != ZN_OK) return status;
    mark_stays(sim);
    l->start_known = false;
    if (l->modes.known) return ZN_OK; /* the same list */
    status = sim_located_renew(sim);
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (status == ZN_OK) status = scales_see(&sim->scheme->scales, &l->forces->at, &now, l->h);
    if (status != ZN_OK) return status;
    const zn_model *model = l->forces->model;
    if (model->constraints(model, l->forces->at.work, &now, &(zn_constraints){.c0 = l->forces->at.c0, .c1 = l->forces->at.c1}))
        return ZN_ERROR_NOT_FINITE;
    find_successors(sim);
    return sim_take_over(sim, l->takes);
}
