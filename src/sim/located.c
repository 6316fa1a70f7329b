/* SPDX-License-Identifier: Apache-2.0 */
/* A step with located contact events, from the present to t_end:
 *
 *   repeat until t_end
 *     accumulations that end soon are closed; contacts that touch and approach are hit             at the present
 *     a frozen sub-step over the rest, not beyond the end of slip in several directions (stops.c), or to the first event in it (substep.c),
 * which happens there
 *
 * What cannot be resolved so is passed by a step of the laws: where events crowd, for the contacts that crowd only, if the others allow it;
 * where a frozen step cannot be solved, for all. */
#include "sim/simulation.h"

/* Events within this part of the step are close to each other (crowds of them: transition.c). A contact with so many of them is free for
 * the rest of the step; so many events in a step are too many. */
static const double CLOSE = 1e-4;
static const double SOLVES_OF_EVENT = 3; /* about */
enum { MOST_EVENTS = 2000, MOST_TIMES = 40 };

/* ---- the present ---- */

const answers *sim_located_seen(const zn_simulation *sim) {
    const sim_located *l = &sim->located;
    return l->next_seen && l->forces->model == sim->model ? &l->forces->at : NULL;
}

static zn_status look_at_start(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (l->start_known) return ZN_OK;
    l->start_whole = l->watched == 0;
    zn_status status = (l->start_whole ? sim_events_at : sim_gaps_at)(sim, &sim->now, &l->sample[0]);
    l->start_known = status == ZN_OK;
    if (status == ZN_OK) sim_modes_turn(sim);
    return status;
}

/* Contacts that touch and approach each other are hit now. */
static bool due_impacts(zn_simulation *sim, double rest) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    double delta = SIM_TIME_SHARE * rest;
    bool any = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        double rate = sim_reverses(sim, k) ? l->sample[0].phi[k] : l->sample[0].rate[k];
        if (row < 0 || l->modes.contact[k].normal != CONE_OPEN || !(rate < -sim_still(sim, row))) continue;
        l->which[k] = l->sample[0].phi[k] <= larger(-rate * delta, sim_gap_roundoff(sim, row));
        any = any || l->which[k];
    }
    if (any) sim_borders_judge(sim, &sim->now);
    return any;
}

/* Contacts that slip beyond a singular point. */
static bool due_singular(zn_simulation *sim) {
    sim_located *l = &sim->located;
    bool any = false;
    if (!l->start_whole) return false; /* D is not known, and far from it */
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = sim->model->size.n_contacts + l->n_balls; i < l->n_events && !sim_is_border(sim, i); i++)
        any = (l->which[i] = l->sample[0].phi[i] < 0) || any;
    return any;
}

/* An event, `since` the last one. */
static void count_event(zn_simulation *sim, double since) {
    sim_located *l = &sim->located;
    l->events++;
    l->located++;
    if (since > CLOSE * l->h) memset(l->times, 0, (size_t)sim->model->size.n_contacts * sizeof *l->times);
    int count = 0;
    for (int i = 0; i < l->n_events; i++) count += l->which[i];
    for (int i = 0; i < l->n_events; i++) {
        if (!l->which[i]) continue;
        l->times[sim_event_contact(sim, i)]++;
        if (sim->settings.step_auto) sim_chatter_event(sim, sim_event_contact(sim, i), SOLVES_OF_EVENT / count);
    }
}

/* The laws for all over the rest of the step; modes are found afterwards. */
zn_status sim_located_plain(zn_simulation *sim, double t_end, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    memset(l->offset, 0, (size_t)sim->model->size.n_contacts * sizeof *l->offset);
    zn_status status = sim_plain_step(sim, t_end - sim->now.t, t_end, outcome);
    l->modes.known = l->start_known = false;
    l->captured += status == ZN_OK;
    memset(l->hit, 0, (size_t)sim->model->size.n_contacts * sizeof *l->hit);
    return status;
}

/* Contacts whose events crowd have their laws for the rest of the step; all others keep their modes. False: for all contacts, by a plain
 * step. */
static bool set_free(zn_simulation *sim) {
    sim_located *l = &sim->located;
    bool any = false;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        if (l->times[k] <= MOST_TIMES || l->law[k]) continue;
        l->law[k] = any = true;
        l->modes.contact[k].normal = CONE_LAW;
    }
    if (!any) return true;
    l->captured += !l->frees;
    l->frees = true;
    l->start_known = false;
    return sim->settings.restitution_law == ZN_RESTITUTION_NEWTON; /* free contacts have Newton's law (velocity_projection.c) */
}

/* At the end of the step they are found again. */
void sim_located_end(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (!l->frees) return;
    memset(l->law, 0, (size_t)sim->model->size.n_contacts * sizeof *l->law);
    l->frees = l->modes.known = l->start_known = false;
}

/* Modes of the first step, or after contacts came and went. */
static zn_status find_modes(zn_simulation *sim) {
    sim_located *l = &sim->located;
    zn_status status = sim_located_renew(sim);
    if (status != ZN_OK || l->modes.known) return status;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    status = scales_see(&sim->scheme->scales, &l->forces->at, &now, l->h);
    memset(l->hit, 0, (size_t)sim->model->size.n_contacts * sizeof *l->hit);
    memset(l->kept, 0, (size_t)sim->model->size.n_contacts * sizeof *l->kept);
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    memset(l->began, 0, (size_t)l->n_balls * sizeof *l->began);
    if (status == ZN_OK) status = sim_modes_choose(sim);
    return status == ZN_OK && sim_painleve_happens(sim, l->modes.contact) ? sim_modes_choose(sim) : status;
}

/* next becomes the present; *again: with other contacts or rows the sub-step is to be repeated, or up to an event of the scene
 * (machine.again). */
static zn_status accept(zn_simulation *sim, double h, cone_outcome *outcome, bool *again) {
    sim_located *l = &sim->located;
    const sim_monitor before = sim->monitor;
    zn_status status = sim_examine(sim, h, outcome, again);
    if (status != ZN_OK || *again) return status;
    status = sim_events_look(sim, &sim->machine.again);
    *again = sim->machine.again;
    if (status != ZN_OK || *again) {
        sim_monitor_forget(&sim->monitor, &before);
        return status;
    }
    sim_take_next(sim, h, outcome);
    sim_watch_step(sim);
    if (sim_has_events(sim) && sim->now.t < sim->machine.landing) status = sim_events_begin(sim);
    memset(l->hit, 0, (size_t)sim->model->size.n_contacts * sizeof *l->hit);
    memset(l->kept, 0, (size_t)sim->model->size.n_contacts * sizeof *l->kept);
    memset(l->began, 0, (size_t)l->n_balls * sizeof *l->began);
    return status;
}

/* Events of a sub-step, `since` the last ones; what leaves its features comes last, as it makes another list of contacts. */
static zn_status happen(zn_simulation *sim, double since) {
    sim_located *l = &sim->located;
    bool border = sim_borders_met(sim), others = false;
    for (int i = 0; i < l->n_events; i++) others = others || (l->which[i] && !sim_is_border(sim, i));
    zn_status status = border ? sim_borders_note(sim) : ZN_OK;
    if (others) count_event(sim, since);
    else l->events++;
    if (others && status == ZN_OK) status = sim_transition(sim);
    return border && status == ZN_OK ? sim_borders_pass(sim) : status;
}

/* Events at the present, one after the other. *any: there was one. */
static zn_status settle(zn_simulation *sim, double rest, bool *any) {
    zn_status status = look_at_start(sim);
    if (status == ZN_OK) status = sim_close_accumulation(sim, any);
    if (status != ZN_OK || *any) return status;
    if (!due_singular(sim) && !due_impacts(sim, rest)) return ZN_OK;
    *any = true;
    return happen(sim, 0);
}

static zn_status advance(zn_simulation *sim, double t_end, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    double rest = t_end - sim->now.t, h;
    bool any = false, again = false;
    substep_kind kind = SUBSTEP_ACCEPTED;
    zn_status status = settle(sim, rest, &any);
    if (status != ZN_OK || any) return status;
    double limit = sim_stops_limit(sim, rest, &any);
    if (any) {
        sim_stops_forget(sim);
        count_event(sim, 0);
        return sim_transition(sim);
    }
    status = sim_substep(sim, limit, &h, &kind, outcome);
    if (status != ZN_OK) return status;
    l->rejected = kind == SUBSTEP_REJECTED;
    if (kind == SUBSTEP_UNSEEN) l->watched = 0, l->start_known = false;
    if (l->rejected || kind == SUBSTEP_UNSEEN) return ZN_OK;
    if (kind == SUBSTEP_EVENT_HERE) return happen(sim, 0);
    bool whole = h == rest;
    if (whole) sim->next.t = t_end;
    status = accept(sim, h, outcome, &again);
    if (status != ZN_OK || again) return status;
    if (!whole && kind != SUBSTEP_EVENT_THERE) l->events++; /* parts of a step are counted, too: their number is limited */
    return kind == SUBSTEP_EVENT_THERE ? happen(sim, h) : ZN_OK;
}

zn_status sim_located_begin(zn_simulation *sim, double h) {
    sim_located *l = &sim->located;
    l->h = h;
    l->events = 0;
    sim_stops_forget(sim);
    memset(l->times, 0, (size_t)sim->model->size.n_contacts * sizeof *l->times);
    l->steps++;
    return sim_contacts_prepare(sim, h);
}

bool sim_located_failed(zn_status status) {
    return status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR || status == ZN_ERROR_NOT_FINITE;
}

zn_status sim_located_advance(zn_simulation *sim, double t_end, cone_outcome *outcome) {
    zn_status status = find_modes(sim);
    if (status != ZN_OK) return status;
    if (sim->located.events > MOST_EVENTS || !set_free(sim)) return ZN_ERROR_NO_CONVERGENCE;
    return advance(sim, t_end, outcome);
}

zn_status sim_located_step(zn_simulation *sim, double t_end, bool *reached, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    zn_status status = ZN_OK;
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    *reached = false;
    if (l->start_whole) l->start_known = false; /* steps are functions of what snapshots carry, which forces are not */
    sim_stops_forget(sim);
    if (!sim->grid.inside) status = sim_located_begin(sim, t_end - sim->now.t);
    while (status == ZN_OK && !*reached) {
        double rest = t_end - sim->now.t, t = sim->now.t;
        if (rest <= SIM_NO_REST * l->h) sim->now.t = t_end;
        else status = sim_located_advance(sim, t_end, outcome);
        if (sim_located_failed(status)) status = sim_located_plain(sim, t_end, outcome);
        *reached = sim->now.t == t_end || sim->machine.again;
        if (*reached) sim_located_end(sim);
        if (sim->rows.dense && sim->now.t > t) break;
    }
    return status;
}
