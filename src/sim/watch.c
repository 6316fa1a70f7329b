/* SPDX-License-Identifier: Apache-2.0 */
/* Frozen steps in which no force can have met its limit. Event functions of forces need a solve at the end of a step, which costs as much
 * as small steps themselves. Their means over a step are known from its percussions,
 *
 *   opening         P_N/h
 *   begin of slip   (mu P_N - |P_F|)/h
 *
 * and as long as these, and what they are on the way to, stay above parts of what the functions were at the last solve, none of them is
 * zero. Slip in several directions is far from its end as long as it keeps a part of the largest speed since then, and for a part of the
 * time to its stop (stops.c). After STEPS such steps they are checked all the same, after fewer where D is smaller
 * (D_STEPS: it falls by less than 1/D_STEPS in a step), near singular points always. */
#include "sim/simulation.h"

enum { STEPS = 100, D_STEPS = 60 };
/* Of the last solve: the mean, the mean one step further, and the speed of slip. */
static const double MEAN = 0.6, AHEAD = 0.3, SPEED = 0.5;
/* Of the time to a stop: steps may be watched. */
static const double STOP_PART = 0.25;
/* Of the largest friction: sticking with less to spare is checked always. */
static const double SPARE = 0.02;
/* D beyond its limit: singular points are far. */
static const double FAR = 0.5;

/* Into `mean`; other events: INFINITY. */
static void find_means(zn_simulation *sim, double h) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    const double *P = sim->next.P;
    int n = model->size.n_contacts;
    for (int k = 0; k < n; k++) {
        const zn_contact *c = &model->contacts[k];
        bool closed = sim_is_closed(&l->modes, k);
        double normal = c->row_N >= 0 ? P[c->row_N] / h : c->normal_force;
        l->mean[k] = closed && c->row_N >= 0 ? normal : INFINITY;
        for (int b = 0, row = c->row_F; b < c->n_balls; row += c->balls[b++].dim) {
            int number = l->first_ball[k] + b;
            bool sticks = closed && l->modes.ball[number] == CONE_STICK && c->balls[b].mu > 0;
            l->mean[n + number] = sticks ? c->balls[b].mu * normal - length_of(c->balls[b].dim, P + row) / h : INFINITY;
        }
    }
}

bool sim_watch_allows(zn_simulation *sim, double h) {
    sim_located *l = &sim->located;
    find_means(sim, h);
    for (int i = 0; i < sim->model->size.n_contacts + l->n_balls && l->watched > 0; i++) {
        double mean = l->mean[i], ahead = 2 * mean - l->mean_before[i];
        if (mean < INFINITY && !(mean >= MEAN * l->calm[i] && ahead >= AHEAD * l->calm[i])) return false;
    }
    return l->watched > 0;
}

static bool slips_freely(const sim_located *l, int ball) {
    const zn_ball *b = &l->forces->model->contacts[l->ball_contact[ball]].balls[l->ball_of[ball]];
    return sim_is_closed(&l->modes, l->ball_contact[ball]) && l->modes.ball[ball] == CONE_SLIP && b->dim > 1 && b->mu > 0;
}

bool sim_watch_slips(const zn_simulation *sim) {
    const sim_located *l = &sim->located;
    for (int i = 0; i < l->n_balls; i++)
        if (slips_freely(l, i) && !(sim_slip_speed(sim, i) >= SPEED * l->calm[sim->model->size.n_contacts + i])) return false;
    return true;
}

void sim_watch_step(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const event_sample *end = &l->sample[1];
    int n = sim->model->size.n_contacts;
    /* Gaps at the end of a watched step are those at the start of the next; not where the model has values that change between steps. */
    l->start_known = l->n_samples == 2 && l->end_known && !sim->machine.of;
    l->start_whole = false;
    for (int k = 0; k < n && l->start_known; k++) {
        double gap = end->phi[k] + l->offset[k];
        if (gap < INFINITY && !sim_reverses(sim, k)) l->offset[k] = smaller(gap, 0);
        l->sample[0].phi[k] = gap < INFINITY ? gap - l->offset[k] : INFINITY;
        l->sample[0].rate[k] = end->rate[k];
    }
    for (int i = n; i < l->n_events && l->start_known; i++) l->sample[0].phi[i] = end->phi[i], l->sample[0].rate[i] = end->rate[i];
    if (l->start_known) sim_modes_turn(sim);
    for (int i = 0; i < l->n_balls && l->start_known; i++) /* slip that began without a velocity has gained one */
        if (slips_freely(l, i)) l->calm[n + i] = larger(l->calm[n + i], sim_slip_speed(sim, i));
    memcpy(l->mean_before, l->mean, (size_t)(sim->model->size.n_contacts + l->n_balls) * sizeof *l->mean);
    if (l->watched > 0) l->watched--;
}

/* Whether forces are all that may happen to a closed contact, and none is near its limit. */
static bool is_calm(const zn_simulation *sim, const event_sample *sample, int k) {
    const sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    const zn_contact *c = &model->contacts[k];
    int n = model->size.n_contacts;
    if (c->n_load > 0 || (c->row_N >= 0 && !(sample->phi[k] > 0)) || !(sample->phi[n + l->n_balls + k] > FAR)) return false;
    double normal = c->row_N >= 0 ? sample->phi[k] : c->normal_force;
    for (int b = 0; b < c->n_balls; b++) {
        int number = l->first_ball[k] + b;
        if (!(c->balls[b].mu > 0)) continue;
        if (l->modes.ball[number] == CONE_STICK && !(sample->phi[n + number] > SPARE * c->balls[b].mu * normal)) return false;
    }
    return true;
}

void sim_watch_begin(zn_simulation *sim, const event_sample *sample) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    l->watched = l->frees ? 0 : STEPS;
    for (int k = 0; k < n && l->watched > 0; k++) {
        double steps = sim_is_closed(&l->modes, k) ? D_STEPS * sample->phi[n + l->n_balls + k] : INFINITY;
        if (sim_is_closed(&l->modes, k) && !is_calm(sim, sample, k)) l->watched = 0;
        if (steps < l->watched) l->watched = (int)steps;
    }
    memcpy(l->calm, sample->phi, (size_t)(n + l->n_balls) * sizeof *l->calm);
    for (int i = 0; i < l->n_balls && l->watched > 0; i++) {
        if (!slips_freely(l, i)) continue;
        l->calm[n + i] = sim_slip_speed(sim, i);
        double steps = STOP_PART * sim_stops_time(sim, i) / l->h; /* 0 where sub-steps are shorter than steps */
        if (steps < l->watched) l->watched = (int)steps;
    }
}
