/* SPDX-License-Identifier: Apache-2.0 */
/* A step with located contact events, from the present to t_end:
 *
 *   repeat until t_end
 *     accumulations that end soon are closed; contacts that touch and approach are hit             at the present
 *     a frozen step over the rest; no event function negative at its end (nor between, for a gap that dips): it is accepted
 *     forces that are at their limit at the start already: the event is at the present
 *     else the sub-step at whose end the first event function is zero is accepted, and the event happens there
 *
 * Slip in several directions that ends: gamma_F/|gamma_F| is singular there, so that no step goes beyond. With t_stop = |gamma_F|/(-d gammadot_F),
 * sub-steps of 0.9, 0.97, 0.99, 0.99 .. t_stop lead to it, and within SLIP_END of the step it ends at once.
 *
 * What cannot be resolved so is passed by a step of the laws: where events crowd, for the contacts that crowd only, if the others allow it; where a frozen
 * step cannot be solved, for all. */
#include "sim/simulation.h"

#include "scheme/consistent_forces.h"

/* Accuracy of the time of an event, relative to the sub-step and to the time itself. An impact that comes by delta too late is an error of delta times the jump
 * of velocities; openings, begins and ends of slip are errors of delta^2. */
static const double TIME_SHARE = 1e-10, TIME_SHARE_LOW = 1e-8 /* second order */, TIME_ROUNDOFF = 1e-15;
static const double FORCE_SHARE = 1e-6, SLIP_SHARE = 1e-7;
/* A rest of the step below this part of it is none. */
static const double NO_REST = 1e-12;
/* Events within this part of the step are close to each other (crowds of them: transition.c). A contact with so many of them is free for the rest of the step; so
 * many events in a step are too many. */
static const double CLOSE = 1e-4;
enum { MOST_EVENTS = 2000, MOST_TIMES = 15 };
/* A gap that falls and rises within a step is looked at where it is least, if that is below this part of its way. */
static const double DIP_SHARE = 0.02;
/* Slip that ends: the sub-steps, and the part of the step that is left out. */
static const double STOP_SHARES[] = {0.9, 0.97, 0.99};
static const double SLIP_NEAR = 1e-2; /* or this, where the step to it cannot be solved (many contacts that stop together) */
static const double SLIP_END = 1e-5, SLIP_END_LOW = 1e-3 /* second order */;
/* A frozen step that cannot be solved is tried with parts of it. */
static const double SMALLER = 0.25;
enum { SMALLER_TRIES = 3, BISECT_AFTER = 8 };

/* Of maps at a fixed position, where the tolerance asks for more: percussions of impacts are large numbers, and what is left of them by round-off
 * counts as solved up to this. */
static const double MAP_ACCURACY = 1e-10;

/* ---- memory ---- */

static zn_status number_events(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_model *model = sim->model;
    int n = model->size.n_contacts, balls = 0;
    for (int k = 0; k < n; k++) balls += model->contacts[k].n_balls;
    l->n_balls = balls;
    l->n_events = 2 * n + balls;
    l->numbers = MEM_ARRAY(sim->context, int, 3 * n + 2 * balls);
    if (!l->numbers) return ZN_ERROR_MEMORY;
    l->first_ball = l->numbers, l->first_row = l->first_ball + n;
    l->times = l->first_row + n;
    l->ball_contact = l->times + n, l->ball_of = l->ball_contact + balls;
    for (int k = 0, ball = 0, row = 0; k < n; k++) {
        l->first_ball[k] = ball, l->first_row[k] = row;
        for (int b = 0; b < model->contacts[k].n_balls; b++) l->ball_contact[ball] = k, l->ball_of[ball++] = b;
        row += model->contacts[k].nF;
    }
    return ZN_OK;
}

static zn_status take_modes(zn_simulation *sim, sim_modes *modes) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    *modes = (sim_modes){.contact = MEM_ARRAY(sim->context, cone_frozen, n),
                         .ball = MEM_ARRAY(sim->context, unsigned char, l->n_balls),
                         .along = MEM_ARRAY(sim->context, double, sim->model->size.nF)};
    if (!modes->contact || !modes->ball || !modes->along) return ZN_ERROR_MEMORY;
    for (int k = 0; k < n; k++)
        modes->contact[k] = (cone_frozen){CONE_OPEN, modes->ball + l->first_ball[k], modes->along + l->first_row[k]};
    return ZN_OK;
}

static void drop_modes(zn_simulation *sim, sim_modes *modes) {
    mem_free(sim->context, modes->contact);
    mem_free(sim->context, modes->ball);
    mem_free(sim->context, modes->along);
    *modes = (sim_modes){0};
}

zn_status sim_located_take(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (!l->on) return ZN_OK;
    const zn_sizes *size = &sim->model->size;
    l->stale = true;
    zn_status status = number_events(sim);
    if (status == ZN_OK) status = take_modes(sim, &l->modes);
    if (status == ZN_OK) status = take_modes(sim, &l->undo);
    size_t n = (size_t)size->n_contacts, events = (size_t)l->n_events;
    size_t numbers = 2 * events * LOCATE_SAMPLES + 3 * n + (size_t)model_rows(sim->model) + (size_t)(size->nq + size->nu);
    if (status == ZN_OK) {
        l->memory = MEM_ARRAY(sim->context, double, numbers);
        l->flags = MEM_ARRAY(sim->context, bool, events + 3 * n + (size_t)l->n_balls);
        l->told = MEM_ARRAY(sim->context, unsigned char, events);
        if (!l->memory || !l->flags || !l->told) status = ZN_ERROR_MEMORY;
    }
    if (status != ZN_OK) return status;
    double *next = l->memory;
    for (int i = 0; i < LOCATE_SAMPLES; i++) {
        l->sample[i] = (event_sample){.phi = next, .rate = next + events};
        next += 2 * events;
    }
    l->offset = next, next += n;
    l->second = next, next += n;
    l->slack = next, next += n;
    l->P = next, next += model_rows(sim->model);
    l->before = (scheme_state){.q = next, .u = next + size->nq};
    l->which = l->flags, l->hit = l->which + events, l->kept = l->hit + n, l->law = l->kept + n, l->began = l->law + n;
    return ZN_OK;
}

static void drop_problems(zn_simulation *sim) {
    sim_located *l = &sim->located;
    linear_problem_destroy(l->forces);
    linear_problem_destroy(l->velocities);
    impact_map_destroy(sim->context, l->impacts);
    l->forces = l->velocities = NULL, l->impacts = NULL;
}

void sim_located_drop(zn_simulation *sim) {
    sim_located *l = &sim->located;
    drop_problems(sim);
    drop_modes(sim, &l->modes);
    drop_modes(sim, &l->undo);
    mem_free(sim->context, l->memory);
    mem_free(sim->context, l->flags);
    mem_free(sim->context, l->told);
    mem_free(sim->context, l->numbers);
    l->memory = NULL, l->flags = NULL, l->told = NULL, l->numbers = NULL;
}

/* The problems of the present scheme. */
static zn_status renew_problems(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_model *model = sim_scheme_model(sim);
    if (!l->stale) return ZN_OK;
    drop_problems(sim);
    l->forces = linear_problem_create(sim->context, model, &sim->settings, CONE_ACCELERATION);
    l->velocities = linear_problem_create(sim->context, model, &sim->settings, CONE_VELOCITY);
    l->impacts = impact_map_create(sim->context, model, &sim->settings, sim->settings.restitution_law);
    if (!l->forces || !l->velocities || !l->impacts) return ZN_ERROR_MEMORY;
    linear_problem *problems[] = {l->forces, l->velocities, l->impacts->problem};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problems[i]->scales = &sim->scheme->scales;
        problems[i]->good_enough = MAP_ACCURACY;
    }
    l->stale = l->start_known = false;
    return ZN_OK;
}

zn_status sim_located_create(zn_simulation *sim) {
    const zn_settings *settings = &sim->settings;
    const scheme_class *class = sim->scheme->class;
    if (settings->contact_events != ZN_EVENTS_LOCATED) return ZN_OK;
    if (!class->takes_modes || (class->info.order_text && settings->stages == 1))
        return fail(sim->context, ZN_ERROR_UNSUPPORTED,
                    "contact_events: located has nothing to gain with %s%s, which is of first order or has no modes: use contact_events: "
                    "captured, or "
                    "a scheme of order two and more (rattle, lobatto-3a3b, radau-2a with two stages and more, tr-bdf2, generalized-alpha)",
                    class->info.name, class->info.order_text ? " of one stage" : "");
    if (settings->projection == ZN_PROJECTION_NONE || settings->percussion == ZN_PERCUSSION_INTEGRATED)
        return fail(sim->context, ZN_ERROR_UNSUPPORTED,
                    "contact_events: located goes with projection: velocity and percussion: stage, the options that keep the order");
    sim->located.on = sim->model->size.n_contacts > 0 || sim->contacts.field;
    return sim_located_take(sim);
}

void sim_located_destroy(zn_simulation *sim) {
    sim_located_drop(sim);
    sim_events_destroy(sim);
}

/* ---- frozen steps ---- */

static zn_status frozen_step(zn_simulation *sim, double h, cone_outcome *outcome) {
    sim->scheme->modes = sim->located.modes.contact;
    zn_status status = sim_try(sim, &sim->now, h, sim->now.t + h, &sim->next, outcome);
    sim->scheme->modes = NULL;
    sim->located.solves++;
    return status;
}

/* The same, and the event functions at its end. */
static zn_status sampled_step(zn_simulation *sim, double h, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    event_sample *sample = &l->sample[l->n_samples];
    zn_status status = frozen_step(sim, h, outcome);
    if (status == ZN_OK) status = sim_events_at(sim, &sim->next, sample);
    if (status != ZN_OK) return status;
    sample->h = h;
    l->n_samples++;
    return ZN_OK;
}

static bool any_negative(const zn_simulation *sim, const event_sample *sample) {
    for (int i = 0; i < sim->located.n_events; i++)
        if (sim_event_is_negative(sim, sample, i)) return true;
    return false;
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

static bool is_second_order(const zn_simulation *sim) {
    const zn_scheme_info *info = &sim->scheme->class->info;
    return info->order_text ? sim->settings.stages == 2 && strcmp(info->order_text, "2s-1") != 0 : info->order <= 2;
}

/* How exactly the time of an event is wanted in a sub-step of h. */
static double time_accuracy(const zn_simulation *sim, const event_sample *s, int event, double h) {
    double share = !isfinite(s->rate[event])              ? FORCE_SHARE
                   : event >= sim->model->size.n_contacts ? SLIP_SHARE
                   : is_second_order(sim)                 ? TIME_SHARE_LOW
                                                          : TIME_SHARE;
    return larger(share * h, TIME_ROUNDOFF * fabs(sim->now.t));
}

/* which: events that happen at the end of a sub-step. True: there are some, and no other has happened before. `slack`: what the force of a contact that opens may
 * still be. */
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
    return any && !others;
}

/* The sub-step into next, `which`, *h. The last sample is at hi > 0, some event is negative there. */
static zn_status locate(zn_simulation *sim, double *h, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    double lo = 0, hi = *h, whole = hi, delta = larger(TIME_SHARE * hi, TIME_ROUNDOFF * fabs(sim->now.t));
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
        if (last) return ZN_OK;
        if (any_negative(sim, s)) hi = s->h;
        else lo = s->h;
    }
    return ZN_ERROR_NO_CONVERGENCE;
}

/* ---- slip in several directions that ends ---- */

/* Time until a ball of several rows stops, by its acceleration; INFINITY: it does not. */
static double time_to_stop(const zn_simulation *sim, int number) {
    const sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    int k = l->ball_contact[number], b = l->ball_of[number], row = p->model->contacts[k].row_F;
    const zn_contact *contact = &p->model->contacts[k];
    if (!sim_is_closed(&l->modes, k) || l->modes.ball[number] != CONE_SLIP || contact->balls[b].dim < 2 || !(contact->balls[b].mu > 0))
        return INFINITY;
    for (int i = 0; i < b; i++) row += contact->balls[i].dim;
    double speed = 0, towards = 0;
    for (int i = row; i < row + contact->balls[b].dim; i++) {
        speed = hypot(speed, p->at.c1[i]);
        towards -= p->at.c1[i] * sim_second_rate(p, i);
    }
    if (!(speed > sim_still(sim, row))) return INFINITY; /* it begins */
    return towards > 0 ? speed * speed / towards : INFINITY;
}

/* How far a step may go; `which`: balls that stop at the present. */
static double limit_by_stops(zn_simulation *sim, double rest, int *tries, bool *stops) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    double first = INFINITY;
    *stops = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = 0; i < l->n_balls; i++) {
        double stop = time_to_stop(sim, i);
        if (stop <= (is_second_order(sim) ? SLIP_END_LOW : SLIP_END) * l->h) l->which[n + i] = *stops = true;
        first = smaller(first, stop);
    }
    if (!(first < rest)) return rest;
    int last = (int)(sizeof STOP_SHARES / sizeof *STOP_SHARES) - 1, at = *tries < last ? *tries : last;
    (*tries)++;
    return STOP_SHARES[at] * first;
}

/* Balls that stop soon, where no step leads nearer to it: `which`. */
static bool stops_near(zn_simulation *sim) {
    sim_located *l = &sim->located;
    bool any = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = 0; i < l->n_balls; i++) {
        l->which[sim->model->size.n_contacts + i] = time_to_stop(sim, i) <= SLIP_NEAR * l->h;
        any = any || l->which[sim->model->size.n_contacts + i];
    }
    return any;
}

/* ---- a sub-step ---- */

typedef enum outcome_kind { SUB_ACCEPTED, SUB_EVENT_HERE, SUB_EVENT_THERE, SUB_REJECTED } outcome_kind;

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
        if (at > NO_REST * l->h && least < DIP_SHARE * (top - least) && (first == 0 || at < first)) first = at;
    }
    return first < (1 - NO_REST) * end->h ? first : 0;
}

/* A force or a slip velocity that is at its limit at the start, or an open contact that rests there. */
static bool is_due(const zn_simulation *sim, const event_sample *start, const event_sample *end, int i) {
    double fall = start->phi[i] - end->phi[i];
    if (!isfinite(start->phi[i])) return false;
    if (!isfinite(start->rate[i])) return start->phi[i] <= FORCE_SHARE * fall;
    if (i < sim->model->size.n_contacts) /* one that leaves and comes back is hit later */
        return is_resting(sim, start, i) &&
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
static zn_status find_substep(zn_simulation *sim, double rest, double *h, outcome_kind *kind, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    l->n_samples = 1;
    l->sample[0].h = 0;
    *h = rest;
    for (int i = 0; i < SMALLER_TRIES && status != ZN_OK; i++) {
        if (i > 0) *h *= SMALLER;
        status = sampled_step(sim, *h, outcome);
        if (sim_fatal(status) || status == ZN_STOPPED) return status;
        if (status != ZN_OK && i == 0 && stops_near(sim)) {
            *kind = SUB_EVENT_HERE;
            return ZN_OK;
        }
    }
    *kind = SUB_ACCEPTED;
    if (status != ZN_OK) return status;
    if (l->judge && !l->judge(sim, *h)) {
        *kind = SUB_REJECTED;
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
        *kind = SUB_EVENT_HERE;
        return ZN_OK;
    }
    *kind = SUB_EVENT_THERE;
    return locate(sim, h, outcome);
}

/* ---- the present ---- */

static zn_status look_at_start(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (l->start_known) return ZN_OK;
    zn_status status = sim_events_at(sim, &sim->now, &l->sample[0]);
    l->start_known = status == ZN_OK;
    return status;
}

/* Contacts that touch and approach each other are hit now. */
static bool due_impacts(zn_simulation *sim, double rest) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    double delta = TIME_SHARE * rest;
    bool any = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        double rate = l->sample[0].rate[k];
        if (row < 0 || l->modes.contact[k].normal != CONE_OPEN || !(rate < -sim_still(sim, row))) continue;
        l->which[k] = l->sample[0].phi[k] <= larger(-rate * delta, sim_gap_roundoff(sim, row));
        any = any || l->which[k];
    }
    return any;
}

/* Contacts that slip beyond a singular point. */
static bool due_singular(zn_simulation *sim) {
    sim_located *l = &sim->located;
    bool any = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = sim->model->size.n_contacts + l->n_balls; i < l->n_events; i++) any = (l->which[i] = l->sample[0].phi[i] < 0) || any;
    return any;
}

/* An event, `since` the last one. */
static void count_event(zn_simulation *sim, double since) {
    sim_located *l = &sim->located;
    l->events++;
    l->located++;
    if (since > CLOSE * l->h) memset(l->times, 0, (size_t)sim->model->size.n_contacts * sizeof *l->times);
    for (int i = 0; i < l->n_events; i++)
        if (l->which[i]) l->times[sim_event_contact(sim, i)]++;
}

/* The laws for all over the rest of the step; modes are found afterwards. */
zn_status sim_located_plain(zn_simulation *sim, double t_end, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    zn_status status = sim_plain_step(sim, t_end - sim->now.t, t_end, outcome);
    l->modes.known = l->start_known = false;
    l->captured += status == ZN_OK;
    memset(l->hit, 0, (size_t)sim->model->size.n_contacts * sizeof *l->hit);
    return status;
}

/* Contacts whose events crowd have their laws for the rest of the step; all others keep their modes. False: for all contacts, by a plain step. */
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

/* At the end of the step they are found anew. */
void sim_located_end(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (!l->frees) return;
    memset(l->law, 0, (size_t)sim->model->size.n_contacts * sizeof *l->law);
    l->frees = l->modes.known = l->start_known = false;
}

/* Modes of the first step, or after contacts came and went. */
static zn_status find_modes(zn_simulation *sim) {
    sim_located *l = &sim->located;
    zn_status status = renew_problems(sim);
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

/* next becomes the present; *again: with other contacts or rows the sub-step is to be repeated. */
static zn_status accept(zn_simulation *sim, double h, cone_outcome *outcome, bool *again) {
    sim_located *l = &sim->located;
    zn_status status = sim_examine(sim, h, outcome, again);
    if (status != ZN_OK || *again) return status;
    sim_take_next(sim, h, outcome);
    memset(l->hit, 0, (size_t)sim->model->size.n_contacts * sizeof *l->hit);
    memset(l->began, 0, (size_t)l->n_balls * sizeof *l->began);
    l->start_known = false;
    return ZN_OK;
}

/* Events at the present, one after the other. *any: there was one. */
static zn_status settle(zn_simulation *sim, double rest, bool *any) {
    zn_status status = look_at_start(sim);
    if (status == ZN_OK) status = sim_close_accumulation(sim, any);
    if (status != ZN_OK || *any) return status;
    if (!due_singular(sim) && !due_impacts(sim, rest)) return ZN_OK;
    *any = true;
    count_event(sim, 0);
    return sim_transition(sim);
}

static zn_status advance(zn_simulation *sim, double t_end, int *stops, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    double rest = t_end - sim->now.t, h;
    bool any = false, again = false;
    outcome_kind kind = SUB_ACCEPTED;
    zn_status status = settle(sim, rest, &any);
    if (status != ZN_OK || any) return status;
    double limit = limit_by_stops(sim, rest, stops, &any);
    if (any) {
        *stops = 0;
        count_event(sim, 0);
        return sim_transition(sim);
    }
    status = find_substep(sim, limit, &h, &kind, outcome);
    if (status != ZN_OK) return status;
    l->rejected = kind == SUB_REJECTED;
    if (l->rejected) return ZN_OK;
    if (kind == SUB_EVENT_HERE) {
        count_event(sim, 0);
        return sim_transition(sim);
    }
    bool whole = h == rest;
    if (whole) sim->next.t = t_end;
    status = accept(sim, h, outcome, &again);
    if (status != ZN_OK || again) return status;
    if (!whole && kind != SUB_EVENT_THERE) l->events++; /* parts of a step are counted, too: there is a most */
    if (kind == SUB_EVENT_THERE) {
        count_event(sim, h);
        return sim_transition(sim);
    }
    return ZN_OK;
}

zn_status sim_located_begin(zn_simulation *sim, double h) {
    sim_located *l = &sim->located;
    l->h = h;
    l->start_known = false;
    l->events = 0;
    memset(l->times, 0, (size_t)sim->model->size.n_contacts * sizeof *l->times);
    l->steps++;
    return sim_contacts_prepare(sim, h);
}

bool sim_located_failed(zn_status status) {
    return status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR || status == ZN_ERROR_NOT_FINITE;
}

zn_status sim_located_advance(zn_simulation *sim, double t_end, int *stops, cone_outcome *outcome) {
    zn_status status = find_modes(sim);
    if (status != ZN_OK) return status;
    if (sim->located.events > MOST_EVENTS || !set_free(sim)) return ZN_ERROR_NO_CONVERGENCE;
    return advance(sim, t_end, stops, outcome);
}

zn_status sim_located_step(zn_simulation *sim, double t_end, bool *reached, cone_outcome *outcome) {
    sim_located *l = &sim->located;
    int stops = 0;
    zn_status status = ZN_OK;
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    *reached = false;
    l->start_known = false; /* steps are functions of what snapshots carry */
    if (!sim->grid.inside) status = sim_located_begin(sim, t_end - sim->now.t);
    while (status == ZN_OK && !*reached) {
        double rest = t_end - sim->now.t, t = sim->now.t;
        if (rest <= NO_REST * l->h) sim->now.t = t_end;
        else status = sim_located_advance(sim, t_end, &stops, outcome);
        if (sim_located_failed(status)) status = sim_located_plain(sim, t_end, outcome);
        *reached = sim->now.t == t_end;
        if (*reached) sim_located_end(sim);
        if (sim->rows.dense && sim->now.t > t) break;
    }
    return status;
}

/* ---- as bytes ---- */

zn_status sim_located_carry(zn_simulation *sim, byte_stream *b) {
    sim_located *l = &sim->located;
    size_t n = (size_t)sim->model->size.n_contacts, events = (size_t)l->n_events;
    if (!l->on) return ZN_OK;
    BYTES_PASS(b, l->modes.known);
    for (size_t k = 0; k < n; k++) BYTES_PASS(b, l->modes.contact[k].normal);
    BYTES_PASS_ARRAY(b, l->modes.ball, l->n_balls);
    BYTES_PASS_ARRAY(b, l->modes.along, sim->model->size.nF);
    BYTES_PASS_ARRAY(b, l->sample[0].phi, 2 * events); /* and rates */
    double *numbers[] = {l->offset, l->second, l->slack};
    bool *flags[] = {l->hit, l->kept, l->law};
    for (int i = 0; i < 3; i++) BYTES_PASS_ARRAY(b, numbers[i], n), BYTES_PASS_ARRAY(b, flags[i], n);
    BYTES_PASS_ARRAY(b, l->which, events);
    BYTES_PASS_ARRAY(b, l->began, l->n_balls);
    BYTES_PASS_ARRAY(b, l->times, n);
    BYTES_PASS(b, l->frees), BYTES_PASS(b, l->rejected);
    BYTES_PASS(b, l->sample[0].h), BYTES_PASS(b, l->start_known);
    BYTES_PASS(b, l->h), BYTES_PASS(b, l->events);
    BYTES_PASS(b, l->located), BYTES_PASS(b, l->captured), BYTES_PASS(b, l->accumulations);
    BYTES_PASS(b, l->steps), BYTES_PASS(b, l->solves);
    if (b->way == BYTES_READ) l->n_samples = 1;
    return sim_events_carry(sim, b);
}
