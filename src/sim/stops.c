/* SPDX-License-Identifier: Apache-2.0 */
/* Slip in several directions that ends. gamma_F/|gamma_F| is singular there, so that no step goes beyond: with
 *
 *   t_stop = |gamma_F|/(-d gammadot_F),   d = gamma_F/|gamma_F|
 *
 * sub-steps of 0.9, 0.97, 0.99, 0.99 .. t_stop lead to it, and within SLIP_END of the step it ends at once.
 *
 * Where friction turns, |gamma_F| d' = f(d), d tends to a zero of f like a power t_stop^kappa, which no step resolves with its order; and the stop is earlier than
 * t_stop says. A sub-step of sigma t_stop makes an error of sigma^p |gamma_F| turn, turn = |gammadot_F across d|/(-d gammadot_F); that of all of them is O(h^p) if
 *
 *   sub-step <= PACE h (t_stop/T)^(1 - 1/p) turn^(-1/p)                  p > 2
 *
 * with T the largest t_stop of the slip. Their number is proportional to that of the steps of the slip. */
#include "sim/simulation.h"

/* The sub-steps, and the part of the step that is left out. */
static const double STOP_SHARES[] = {0.9, 0.97, 0.99};
static const double SLIP_END = 1e-5, SLIP_END_LOW = 1e-3 /* second order */;
static const double SLIP_NEAR = 1e-2; /* or this, where the step to it cannot be solved (many contacts that stop together) */
/* A step towards a stop that cannot be solved is shortened by this, and those that follow. */
static const double EASE = 0.8;
static const double PACE = 3, LEAST_TURN = 1e-4;

typedef struct stop {
    double time; /* INFINITY: it does not stop */
    double turn;
} stop;

static stop look_at_stop(const zn_simulation *sim, int number) {
    const sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    int k = l->ball_contact[number], b = l->ball_of[number], row = p->model->contacts[k].row_F;
    const zn_contact *contact = &p->model->contacts[k];
    stop never = {INFINITY, 0};
    if (!sim_is_closed(&l->modes, k) || l->modes.ball[number] != CONE_SLIP || contact->balls[b].dim < 2 || !(contact->balls[b].mu > 0))
        return never;
    for (int i = 0; i < b; i++) row += contact->balls[i].dim;
    const double *d = l->modes.along + l->first_row[k] + row - contact->row_F;
    double speed = 0, towards = 0, across = 0;
    for (int i = 0; i < contact->balls[b].dim; i++) {
        speed = hypot(speed, p->at.c1[row + i]);
        towards -= d[i] * sim_second_rate(p, row + i);
    }
    /* One that begins at the present has no acceleration yet where the force that makes it slip grows: its sign is that of the error of the event's time. */
    bool slow = !(speed > sim_still(sim, row));
    if (!(towards > 0) || (slow && l->began[number])) return never;
    if (slow) return (stop){0}; /* it has ended */
    for (int i = 0; i < contact->balls[b].dim; i++) across = hypot(across, sim_second_rate(p, row + i) + towards * d[i]);
    return (stop){speed / towards, across / towards};
}

double sim_slip_speed(const zn_simulation *sim, int ball) {
    const linear_problem *p = sim->located.forces;
    const zn_contact *contact = &p->model->contacts[sim->located.ball_contact[ball]];
    int b = sim->located.ball_of[ball], row = contact->row_F;
    double speed = 0;
    for (int i = 0; i < b; i++) row += contact->balls[i].dim;
    for (int i = 0; i < contact->balls[b].dim; i++) speed = hypot(speed, p->at.c1[row + i]);
    return speed;
}

/* How far a sub-step may go with regard to one ball. */
static double pace_of(zn_simulation *sim, int number, const stop *s) {
    sim_located *l = &sim->located;
    int p = sim_order(sim);
    if (s->time == INFINITY) l->longest[number] = 0;
    else l->longest[number] = larger(l->longest[number], s->time);
    if (s->time == INFINITY || p <= 2 || !(s->turn > LEAST_TURN)) return INFINITY;
    return PACE * l->h * pow(s->time / l->longest[number], 1 - 1.0 / p) * pow(s->turn, -1.0 / p);
}

double sim_stops_time(zn_simulation *sim, int ball) {
    sim_located *l = &sim->located;
    stop s = look_at_stop(sim, ball);
    double longest = l->longest[ball], pace = pace_of(sim, ball, &s);
    l->longest[ball] = longest; /* the state may never be reached */
    return s.time * larger(0, smaller(pace / l->h - 1, 1));
}

void sim_stops_forget(zn_simulation *sim) { sim->located.ease = 1, sim->located.tries = 0; }

double sim_stops_ease(zn_simulation *sim) {
    sim->located.ease *= EASE;
    return EASE;
}

double sim_stops_limit(zn_simulation *sim, double rest, bool *any) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts, last = (int)(sizeof STOP_SHARES / sizeof *STOP_SHARES) - 1;
    double first = INFINITY, pace = INFINITY;
    *any = l->stopping = false;
    if (!l->start_whole) return rest; /* there is none */
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = 0; i < l->n_balls; i++) {
        stop s = look_at_stop(sim, i);
        if (s.time <= (sim_order(sim) == 2 ? SLIP_END_LOW : SLIP_END) * l->h) l->which[n + i] = *any = true;
        first = smaller(first, s.time);
        pace = smaller(pace, pace_of(sim, i, &s));
    }
    if (pace < rest) rest /= ceil(rest / pace);
    if (!(first < rest)) return rest;
    l->stopping = true;
    return l->ease * STOP_SHARES[l->tries < last ? l->tries++ : last] * first;
}

bool sim_stops_near(zn_simulation *sim) {
    sim_located *l = &sim->located;
    bool any = false;
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int i = 0; i < l->n_balls; i++) {
        l->which[sim->model->size.n_contacts + i] = look_at_stop(sim, i).time <= SLIP_NEAR * l->h;
        any = any || l->which[sim->model->size.n_contacts + i];
    }
    return any;
}
