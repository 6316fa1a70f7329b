/* SPDX-License-Identifier: Apache-2.0 */
/* Slip in several directions that ends. gamma_F/|gamma_F| is singular there, so that no step goes beyond: with
 *
 *   t_stop = |gamma_F|/(-d gammadot_F),   d = gamma_F/|gamma_F|
 *
 * sub-steps of 0.9, 0.97, 0.99, 0.99 .. t_stop lead to it. What is left out, |gamma_F| t_stop/2, is an error of O(h^p) if it ends at once
 * for
 *
 *   t_stop <= LEFT_OUT h (h/T)^(p/2 - 1)                                 T: the largest tau of the slip (below), h at most T
 *
 * Where friction turns, |gamma_F| d' = f(d), d tends to a zero of f like a power t_stop^kappa, which no step resolves with its order; and
 * the stop is earlier than t_stop says. A sub-step of sigma t_stop makes an error of sigma^p |gamma_F| turn, turn = |gammadot_F across
 * d|/(-d gammadot_F); that of all of them is O(h^p) if
 *
 *   sub-step <= PACE h (tau/T)^(1 - 1/p) min(1, turn)^(-1/p)             p > 2,   tau = t_stop/max(1, turn), about |gamma_F|/|gammadot_F|
 *
 * Their number is proportional to that of the steps of the slip. Slip that turns much faster than it ends (a top that precesses) has a
 * t_stop without a stop; the time in which it changes is tau, and steps need not be shorter as long as that stays. */
#include "sim/simulation.h"

static const double STOP_SHARES[] = {0.9, 0.97, 0.99};
/* Of the step: what is left out, and what is in any case. */
static const double LEFT_OUT = 0.03, LEAST_LEFT_OUT = 1e-5;
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
    /* One that begins at the present has no acceleration yet where the force that makes it slip grows: its sign is that of the error of the
     * event's time. */
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
    double tau = s->time / larger(1, s->turn);
    if (s->time == INFINITY) l->longest[number] = 0;
    else l->longest[number] = larger(l->longest[number], tau);
    if (s->time == INFINITY || p <= 2 || !(s->turn > LEAST_TURN)) return INFINITY;
    return PACE * l->h * pow(tau / l->longest[number], 1 - 1.0 / p) * pow(smaller(1, s->turn), -1.0 / p);
}

/* A stop that is so near is now. */
static double left_out(const zn_simulation *sim, int number) {
    const sim_located *l = &sim->located;
    double T = l->longest[number], h = smaller(l->h, T);
    return T > 0 ? h * larger(LEAST_LEFT_OUT, LEFT_OUT * pow(h / T, sim_order(sim) / 2.0 - 1)) : 0;
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
        first = smaller(first, s.time);
        pace = smaller(pace, pace_of(sim, i, &s));
        if (s.time <= left_out(sim, i)) l->which[n + i] = *any = true;
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
