/* SPDX-License-Identifier: Apache-2.0 */
/* A frozen sub-step from the present: over all that is left, or to the first event in it.
 *
 *   no event function negative at its end, nor between (a gap that dips): it is accepted
 *   a force that is at its limit at the start already: the event is at the present
 *   else the sub-step at whose end the first event function is zero
 *
 * An impact that comes by delta too late is an error of delta times the jump of velocities, a slip that turns round one of delta times the
 * jump of accelerations; openings, begins of slip, and ends of it that stick, are errors of delta^2. */
#include "sim/simulation.h"

/* Accuracy of the time of an event, relative to the sub-step and to the time itself. */
static const double TIME_SHARE_LOW = 1e-8 /* second order */, TIME_ROUNDOFF = 1e-15;
static const double FORCE_SHARE = 1e-6, SLIP_SHARE = 1e-7;
static const double BORDER_SHARE = 1e-8; /* less than what features may be beyond their border */
/* Of what friction can take back: with so much to spare a slip that ends sticks. */
static const double STICKS_SURELY = 0.1;
/* A gap that falls and rises within a step is checked where it is least, if that is below this part of its way. */
static const double DIP_SHARE = 0.02;
/* A frozen step that cannot be solved is tried with parts of it. */
static const double SMALLER = 0.25;
enum { SMALLER_TRIES = 3, BISECT_AFTER = 8 };

/* ---- frozen steps ---- */

static zn_status frozen_step(zn_simulation *sim, double h, cone_outcome *outcome) {
    sim->scheme->modes = sim->located.modes.contact;
    zn_status status = sim_try(sim, &sim->now, h, sim->now.t + h, &sim->next, outcome);
    sim->scheme->modes = NULL;
    sim->located.solves++;
    if (status != ZN_OK && sim->settings.step_auto && !sim->located.stopping) sim_chatter_failure(sim, 1);
    return status;
}

static bool any_negative(const zn_simulation *sim, const event_sample *sample) {
    for (int i = 0; i < sim->located.n_events; i++)
        if (sample->phi[i] < 0 && sim_event_is_negative(sim, sample, i)) return true;
    return false;
}

/* The same, and the event functions at its end; where that is enough those of gaps alone. */
static zn_status sampled_step(zn_simulation *sim, double h, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    event_sample *sample = &l->sample[l->n_samples];
    zn_status status = frozen_step(sim, h, outcome);
    if (status != ZN_OK) return status;
    bool whole = !sim_watch_allows(sim, h) || l->n_samples > 1;
    l->end_known = !whole;
    if (!whole) status = sim_gaps_at(sim, &sim->next, sample);
    if (status == ZN_OK && (whole || any_negative(sim, sample) || !sim_watch_slips(sim))) {
        l->end_known = false;
        status = sim_events_at(sim, &sim->next, sample);
        if (status == ZN_OK) sim_watch_begin(sim, sample);
    }
    bool back = status == ZN_OK && !l->start_whole && any_negative(sim, sample); /* the event is between the two */
    if (back) {
        l->start_whole = true;
        status = sim_events_at(sim, &sim->now, &l->sample[0]);
    }
    if (status != ZN_OK) return status;
    l->next_seen = !back;
    sample->h = h;
    l->n_samples++;
    return ZN_OK;
}

/* ---- location ---- */

static const event_sample *sample_at(const sim_located *l, double h) {
    for (int i = l->n_samples - 1; i > 0; i--)
        if (l->sample[i].h == h) return &l->sample[i];
    return &l->sample[0];
}

/* d phi/dh of an event at a sample: its rate, or the slope to the nearer end of the bracket. */
static double slope_at(const sim_located *l, const event_sample *s, int event, double lo, double hi) {
    if (isfinite(s->rate[event])) return s->rate[event];
    const event_sample *other = sample_at(l, s->h == hi ? lo : hi);
    return (s->phi[event] - other->phi[event]) / (s->h - other->h);
}

/* Whether slip of one row that ends may go on in the other direction: its rate with friction turned round is about rate + 2 mu lambda_N
 * w_F' M^-1 W_F. */
static bool may_turn_round(const zn_simulation *sim, const event_sample *s, int event) {
    const sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    int k = sim_event_contact(sim, event), ball = event - sim->model->size.n_contacts, row = sim_row_of_ball(sim, ball);
    const zn_contact *contact = &p->model->contacts[k];
    if (!p->reduced) return true;
    double normal = contact->row_N >= 0 ? p->P[contact->row_N] : contact->normal_force;
    double back = 2 * contact->balls[l->ball_of[ball]].mu * normal * linear_problem_response(p, row, row);
    return !(s->rate[event] + back > STICKS_SURELY * back);
}

/* How exactly the time of an event is wanted in a sub-step of h. */
static double time_accuracy(const zn_simulation *sim, const event_sample *s, int event, double h) {
    bool slip = event >= sim->model->size.n_contacts;
    bool jump = isfinite(s->rate[event]) && (!slip || may_turn_round(sim, s, event));
    double share = sim_is_border(sim, event)   ? BORDER_SHARE
                   : !isfinite(s->rate[event]) ? FORCE_SHARE
                   : !jump                     ? SLIP_SHARE
                   : sim_order(sim) > 2        ? SIM_TIME_SHARE
                                               : TIME_SHARE_LOW;
    return larger(share * h, TIME_ROUNDOFF * fabs(sim->now.t));
}

/* which: events that happen at the end of a sub-step. True: there are some, and no other has happened before. `slack`: what the force of a
 * contact that opens may still be. */
static bool happens_at(zn_simulation *sim, const event_sample *s, double lo, double hi, double whole) {
    sim_located *l = &sim->located;
    const event_sample *end = sample_at(l, hi);
    bool any = false, others = false;
    for (int i = 0; i < l->n_events; i++) {
        bool negative = sim_event_is_negative(sim, s, i);
        double slope = slope_at(l, s, i, lo, hi), delta = time_accuracy(sim, s, i, whole);
        bool falls = (negative || sim_event_is_negative(sim, end, i)) && slope < 0;
        l->which[i] = falls && fabs(s->phi[i]) <= larger(-slope * delta, sim_event_noise(sim, s, i));
        if (i < sim->model->size.n_contacts) l->slack[i] = l->which[i] ? -2 * slope * delta : 0;
        any = any || l->which[i];
        others = others || (negative && !l->which[i]);
    }
    if (any && !others) sim_borders_judge(sim, &sim->next);
    return any && !others;
}

/* The sub-step into next, `which`, *h. The last sample is at hi > 0, some event is negative there. */
static zn_status locate(zn_simulation *sim, double *h, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    double lo = 0, hi = *h, whole = hi, delta = larger(SIM_TIME_SHARE * hi, TIME_ROUNDOFF * fabs(sim->now.t));
    if (happens_at(sim, sample_at(l, hi), lo, hi, whole)) return ZN_OK;
    for (int guess = 0; guess < LOCATE_GUESSES; guess++) {
        const event_sample *end = sample_at(l, hi);
        double next = hi;
        for (int i = 0; i < l->n_events; i++)
            if (sim_event_is_negative(sim, end, i)) next = smaller(next, locate_guess(l->sample, l->n_samples, i, lo, hi));
        if (!(next > lo && next < hi) || (guess >= BISECT_AFTER && guess % 2)) next = (lo + hi) / 2;
        bool last = hi - lo <= delta; /* the end of the bracket it is */
        zn_status status = sampled_step(sim, last ? hi : next, outcome);
        if (status != ZN_OK) return status;
        const event_sample *s = &l->sample[l->n_samples - 1];
        *h = s->h;
        if (happens_at(sim, s, lo, hi, whole)) return ZN_OK;
        for (int i = 0; last && i < l->n_events; i++) l->which[i] = sim_event_is_negative(sim, s, i);
        if (last) sim_borders_judge(sim, &sim->next);
        if (last) return ZN_OK;
        if (any_negative(sim, s)) hi = s->h;
        else lo = s->h;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* ---- a sub-step ---- */

/* An open contact that rests on its gap. */
static bool is_resting(const zn_simulation *sim, const event_sample *start, int k) {
    int row = sim->located.forces->model->contacts[k].row_N;
    return row >= 0 && start->phi[k] <= sim_touching(sim, row) && fabs(start->rate[k]) <= sim_still(sim, row);
}

/* Where a gap that is positive at both ends dips most deeply towards zero; 0: nowhere. */
static double find_dip(const zn_simulation *sim, const event_sample *start, const event_sample *end) {
    const sim_located *l = &sim->located;
    double first = 0;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        if (!isfinite(start->rate[k]) || !isfinite(end->rate[k]) || is_resting(sim, start, k)) continue;
        double least, at = locate_dip(end->h, start->phi[k], start->rate[k], end->phi[k], end->rate[k], &least);
        double top = larger(start->phi[k], end->phi[k]);
        if (at > SIM_NO_REST * l->h && least < DIP_SHARE * (top - least) && (first == 0 || at < first)) first = at;
    }
    return first < (1 - SIM_NO_REST) * end->h ? first : 0;
}

/* Of an open contact, after an event of it at the present: it opened, or its gap grows at once, however soon it falls again (bodies that
 * vibrate faster than the step). */
static bool leaves_now(const zn_simulation *sim, int k) {
    const sim_located *l = &sim->located;
    return l->kept[k] || (l->hit[k] && l->second[k] > 0);
}

/* A force or a slip velocity that is at its limit at the start, or an open contact that rests there. */
static bool is_due(const zn_simulation *sim, const event_sample *start, const event_sample *end, int i) {
    double fall = start->phi[i] - end->phi[i];
    if (!isfinite(start->phi[i]) || (sim_reverses(sim, i) && sim->located.second[i] > 0))
        return false; /* a clutch that opens at the start */
    if (!isfinite(start->rate[i])) return start->phi[i] <= (sim_is_border(sim, i) ? BORDER_SHARE : FORCE_SHARE) * fall;
    if (i < sim->model->size.n_contacts) /* one that leaves and comes back is hit later */
        return is_resting(sim, start, i) && !leaves_now(sim, i) &&
               !(locate_cubic(end->h, larger(start->phi[i], 0), start->rate[i], end->phi[i], end->rate[i]) > FORCE_SHARE * end->h);
    return start->rate[i] < 0 && start->phi[i] <= larger(SLIP_SHARE * fall, sim_event_noise(sim, start, i));
}

/* Events of the start. */
static bool due_at_start(zn_simulation *sim, const event_sample *start, const event_sample *end) {
    sim_located *l = &sim->located;
    bool any = false;
    for (int i = 0; i < l->n_events; i++) {
        l->which[i] = sim_event_is_negative(sim, end, i) && is_due(sim, start, end, i);
        if (i < sim->model->size.n_contacts) l->slack[i] = l->which[i] ? 2 * FORCE_SHARE * fabs(start->phi[i] - end->phi[i]) : 0;
        any = any || l->which[i];
    }
    return any;
}

/* Into next, by at most `rest`; *h: how far it goes. */
zn_status sim_substep(zn_simulation *sim, double rest, double *h, substep_kind *kind, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    l->n_samples = 1;
    l->sample[0].h = 0;
    *h = rest;
    for (int i = 0; i < (l->stopping ? SIM_STOP_TRIES : SMALLER_TRIES) && status != ZN_OK; i++) {
        if (i > 0) *h *= l->stopping ? sim_stops_ease(sim) : SMALLER;
        status = l->halves ? l->halves(sim, *h) : ZN_OK;
        if (status == ZN_OK) status = sampled_step(sim, *h, outcome);
        if (sim_fatal(status) || status == ZN_STOPPED) return status;
        if (status != ZN_OK && !l->start_whole) {
            *kind = SUBSTEP_UNSEEN;
            return ZN_OK;
        }
    }
    l->eased = status == ZN_OK && !l->stopping && *h < rest;
    *kind = SUBSTEP_ACCEPTED;
    if (status != ZN_OK && sim_stops_near(sim)) {
        *kind = SUBSTEP_EVENT_HERE;
        return ZN_OK;
    }
    if (status != ZN_OK) return status;
    if (l->judge && !l->judge(sim, *h)) {
        *kind = SUBSTEP_REJECTED;
        return ZN_OK;
    }
    const event_sample *start = &l->sample[0], *end = &l->sample[1];
    if (!any_negative(sim, end)) {
        double dip = find_dip(sim, start, end);
        if (dip == 0) return ZN_OK;
        *h = dip;
        status = sampled_step(sim, dip, outcome);
        if (status != ZN_OK || !any_negative(sim, &l->sample[2])) return status;
        l->sample[1].h = INFINITY; /* it is beyond the bracket */
        for (int i = 0; i < l->n_events; i++) l->sample[1].phi[i] = INFINITY;
    } else if (due_at_start(sim, start, end)) {
        *kind = SUBSTEP_EVENT_HERE;
        return ZN_OK;
    }
    *kind = SUBSTEP_EVENT_THERE;
    return locate(sim, h, outcome);
}
