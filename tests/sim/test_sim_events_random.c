/* SPDX-License-Identifier: Apache-2.0 */
/* Random machines of timers: states whose rates are switched by modes, and events that set states and modes, with directions and
 * conditions, some of which stand at the same place. Between events all is a straight line, so that what must happen, and when, is known
 * exactly:
 *
 *     t_k = t + (c_k - s)/s',   the first one with a direction and a condition that count happens; those at its place happen in their
 * order, each from what the one
 *     before has left; a function that is moved beyond its zero happens at once, from values that are set by then. */
#include "trial.h"

#include <stdlib.h>

enum { STATES = 3, MODES = 2, EVENTS = 5, SETS = STATES + MODES, MOST = 60, MACHINES = 400 };
enum { CONSTANT, RELATIVE, TOGGLE, ON, OFF };

typedef struct set {
    bool mode;
    int of, how;
    double value;
} set;

typedef struct event {
    int state, direction, condition; /* direction: 0 both, 1 up, -1 down; condition: 0 none, else 1 + mode, or - for not */
    double zero;
    int n_sets;
    set sets[SETS];
} event;

typedef struct machine {
    double start[STATES], rate[STATES][2];
    int mode_of[STATES];
    bool on[MODES];
    event events[EVENTS];
    int n_states, n_modes, n_events;
} machine;

typedef struct happening {
    int event;
    double t;
} happening;

static unsigned seed = 2026;
static double uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}
static int choose(int n) { return (int)(uniform() * n); }
static double number(double a, double b) { return round(1000 * (a + (b - a) * uniform())) / 1000; }

static machine make(void) {
    machine m = {.n_states = 1 + choose(STATES), .n_modes = 1 + choose(MODES), .n_events = 1 + choose(EVENTS)};
    for (int i = 0; i < m.n_states; i++) {
        m.start[i] = number(-1, 1), m.mode_of[i] = choose(m.n_modes);
        for (int on = 0; on < 2; on++) m.rate[i][on] = number(-3, 3);
    }
    for (int i = 0; i < m.n_modes; i++) m.on[i] = choose(2);
    for (int k = 0; k < m.n_events; k++) {
        event *e = &m.events[k];
        e->state = choose(m.n_states), e->zero = number(-1, 1), e->direction = choose(3) - 1;
        if (k > 0 && uniform() < 0.4) e->state = m.events[k - 1].state, e->zero = m.events[k - 1].zero;
        if (uniform() < 0.35) e->condition = (choose(2) ? 1 : -1) * (1 + choose(m.n_modes));
        for (int i = 0; i < m.n_states; i++)
            if (uniform() < (i == e->state ? 0.6 : 0.25)) e->sets[e->n_sets++] = (set){false, i, choose(2), number(-1, 1)};
        for (int i = 0; i < m.n_modes; i++)
            if (uniform() < 0.4) e->sets[e->n_sets++] = (set){true, i, TOGGLE + choose(3), 0};
    }
    return m;
}

static void write(const machine *m, char *text, size_t room, double end) {
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(text + n, room - n, __VA_ARGS__)
    PUT("modes: {");
    for (int i = 0; i < m->n_modes; i++) PUT("%sm%d: %s", i ? ", " : "", i, m->on[i] ? "on" : "off");
    PUT("}\nstates:\n");
    for (int i = 0; i < m->n_states; i++)
        PUT("  s%d: {start: %g, rate: \"if(m%d, %g, %g)\"}\n", i, m->start[i], m->mode_of[i], m->rate[i][1], m->rate[i][0]);
    PUT("events:\n");
    for (int k = 0; k < m->n_events; k++) {
        const event *e = &m->events[k];
        PUT("  e%d: {when: s%d - (%g), direction: %s", k, e->state, e->zero, e->direction > 0 ? "up" : e->direction ? "down" : "both");
        if (e->condition) PUT(", if: %sm%d", e->condition < 0 ? "not " : "", abs(e->condition) - 1);
        PUT(", do: {");
        for (int i = 0; i < e->n_sets; i++) {
            const set *s = &e->sets[i];
            PUT("%s%c%d: ", i ? ", " : "", s->mode ? 'm' : 's', s->of);
            if (s->how == TOGGLE) PUT("not m%d", s->of);
            else if (s->mode) PUT("%s", s->how == ON ? "on" : "off");
            else if (s->how == RELATIVE) PUT("s%d + %g", s->of, s->value);
            else PUT("%g", s->value);
        }
        PUT("}}\n");
    }
    PUT("coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nsimulation: {step: 0.01, end: %g}\n", end);
    assert_true(n < room);
}

/* ---- what must happen ---- */

typedef struct now {
    double t, s[STATES];
    bool on[MODES];
    int side[EVENTS];
} now;

static int sign(double x) { return (x > 0) - (x < 0); }
static double value_of(const machine *m, const now *at, int k) { return at->s[m->events[k].state] - m->events[k].zero; }
static double rate_of(const machine *m, const now *at, int i) { return m->rate[i][at->on[m->mode_of[i]]]; }
static bool counts(const machine *m, const now *at, int k, int side) {
    const event *e = &m->events[k];
    bool armed = !e->condition || at->on[abs(e->condition) - 1] == (e->condition > 0);
    return armed && (!e->direction || e->direction == side);
}

static void apply(const event *e, now *at) {
    now before = *at;
    for (int i = 0; i < e->n_sets; i++) {
        const set *s = &e->sets[i];
        if (s->mode) at->on[s->of] = s->how == TOGGLE ? !before.on[s->of] : s->how == ON;
        else at->s[s->of] = (s->how == RELATIVE ? before.s[s->of] : 0) + s->value;
    }
}

enum { ROUND_OFF = -2 }; /* nearly at once, or nearly zero: what happens is round-off */
static const double zero = 1e-9, near_zero = 1e-4, apart = 1e-5;

/* The functions that are next: theirs is the time *t. */
static int find_next(const machine *m, const now *at, double end, bool *next, bool *moved, double *t) {
    double times[EVENTS];
    *t = INFINITY, *moved = false;
    for (int k = 0; k < m->n_events; k++) {
        double v = value_of(m, at, k), rate = rate_of(m, at, m->events[k].state);
        bool over = fabs(v) > zero && sign(v) != at->side[k];
        if (fabs(v) <= zero && rate * at->side[k] < 0) return ROUND_OFF;
        times[k] = over ? at->t : rate * at->side[k] < 0 ? at->t - v / rate : INFINITY;
        *t = fmin(*t, times[k]);
    }
    int count = 0, overs = 0;
    for (int k = 0; k < m->n_events; k++) {
        next[k] = times[k] < INFINITY && times[k] <= *t + 1e-12;
        if (!next[k] && times[k] < *t + apart) return ROUND_OFF;
        double v = value_of(m, at, k);
        count += next[k], overs += next[k] && fabs(v) > zero && sign(v) != at->side[k];
    }
    *moved = overs > 0;
    return (overs && overs < count) || fabs(*t - end) < apart ? ROUND_OFF : *t < end ? count : 0;
}

static int expect(const machine *m, double end, happening *list) {
    now at = {0};
    int n = 0, count;
    memcpy(at.s, m->start, sizeof at.s), memcpy(at.on, m->on, sizeof at.on);
    for (int k = 0; k < m->n_events; k++)
        if (!(at.side[k] = sign(value_of(m, &at, k)))) return ROUND_OFF;
    bool next[EVENTS], happens[EVENTS], moved;
    double t;
    while ((count = find_next(m, &at, end, next, &moved, &t)) > 0) {
        bool first = true, set_state[STATES] = {false};
        for (int i = 0; i < m->n_states; i++) at.s[i] += rate_of(m, &at, i) * (t - at.t);
        at.t = t;
        for (int k = 0; k < m->n_events; k++) {
            if (next[k] && !moved) at.s[m->events[k].state] = m->events[k].zero;
            happens[k] = next[k] && counts(m, &at, k, -at.side[k]);
        }
        for (int k = 0; k < m->n_events; k++) {
            if (!happens[k] || (!first && !counts(m, &at, k, m->events[k].direction))) continue;
            first = false;
            if (n == MOST) return ROUND_OFF;
            list[n++] = (happening){k, t};
            apply(&m->events[k], &at);
            for (int i = 0; i < m->events[k].n_sets; i++)
                if (!m->events[k].sets[i].mode) set_state[m->events[k].sets[i].of] = true;
        }
        for (int k = 0; k < m->n_events; k++) {
            double v = value_of(m, &at, k), rate = rate_of(m, &at, m->events[k].state);
            bool placed = set_state[m->events[k].state] || moved || !next[k];
            if (!first && placed && fabs(v) < near_zero) return ROUND_OFF;
            if (next[k] && !happens[k]) at.side[k] = -at.side[k];
            else if (next[k] && fabs(v) <= zero && rate == 0) return ROUND_OFF;
            else if (next[k]) at.side[k] = fabs(v) > zero ? sign(v) : sign(rate);
            else if (!first && sign(v) != at.side[k] && !counts(m, &at, k, sign(v))) at.side[k] = sign(v);
        }
    }
    return count < 0 ? count : n;
}

static void test_timers(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha", "moreau-midpoint", "tr-bdf2", "lobatto-3c"};
    static const double steps[] = {0.01, 0.003};
    long events = 0;
    for (int round = 0; round < MACHINES;) {
        machine m = make();
        happening list[MOST];
        double end = number(1, 4);
        int n = expect(&m, end, list);
        if (n <= 0) continue;
        char text[4000];
        write(&m, text, sizeof text, end);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[round % 6], .step = steps[round % 2]});
        bool good = zn_simulation_event_count(r.simulation) == n;
        for (int i = 0; i < n && good; i++) {
            zn_event e = zn_simulation_event(r.simulation, i);
            good = atoi(e.name + 1) == list[i].event && fabs(e.t - list[i].t) < 1e-6;
        }
        if (!good) fail_msg("%s\n%s: %d events, not %d", text, schemes[round % 6], zn_simulation_event_count(r.simulation), n);
        trial_end(&r);
        events += n, round++;
    }
    print_message("%ld events\n", events);
    assert_true(events > 3 * MACHINES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_timers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
