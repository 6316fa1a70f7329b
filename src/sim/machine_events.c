/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a function of the motion changes its sign.
 *
 *   found      by its signs at LOOKS places of the step's dense output (the scheme's, else the cubic of q and q' at the ends); the sign before is remembered,
 *              so that a function that is zero at an event does not repeat it
 *   located    by halving on the dense output; the step is repeated to end there, and its end is improved by the secant through ends of steps
 *   happens    after the step: everything is set at once, from values before. Several events of a step happen in their order, each with its own end of a
 *              step. What an event sets may change the signs of others: these happen next.
 *   behind it  the function of an event is zero, and is on the side to which its rate leads: one that its event throws back has never left its side, however
 *              soon it returns. So bounces that become shorter and shorter end with a sentence, and not beyond the floor. */
#include "model/machine.h"
#include "sim/simulation.h"

enum { LOOKS = 4, HALVINGS = 50, MOST_IMPROVEMENTS = 4, MOST_IN_A_STEP = 1000, LONGEST = 64, SHORTEST = 1024 };
static const double least_part = 1e-9;   /* of a step: an event nearer to its begin happens there */
static const double improvement = 1e-11; /* of a step: less is not worth another one */
static const double roundoff = 1e-10;    /* of its size: no sign */
static const double near_zero = 1e-7;    /* of the size of a function: it is zero at the event, and its sign says nothing */
static const double least_rate =
    1e-6; /* of the rate before an event: a function that is slower behind it stays zero, as that of a constraint */
static const double agreement = 0.05;          /* of the rate: differences that are as near to each other have its sign */
static const double soon = 10;                 /* steps: an event that returns within them follows from itself */
static const double least_time = 64 * 2.3e-16; /* of the time: less does not add to it */
static const double rounded =
    1e3; /* times what a start may be open: three digits of a length. The next step closes what formulas of events have rounded */
static const double no_worse = 4; /* times the largest drift of the run so far: what schemes on velocity level have at hand */

/* ---- dense output ---- */

/* Cubic through q, q' at both ends, u in a straight line. */
static void hermite(zn_simulation *sim, const scheme_state *from, const scheme_state *to, double x) {
    const zn_model *model = sim->model;
    sim_machine *m = &sim->machine;
    double h = to->t - from->t,
           weight[2][2] = {{(1 + 2 * x) * (1 - x) * (1 - x), x * (1 - x) * (1 - x)}, {x * x * (3 - 2 * x), x * x * (x - 1)}};
    const scheme_state *ends[2] = {from, to};
    memset(m->q, 0, (size_t)model->size.nq * sizeof *m->q);
    for (int e = 0; e < 2; e++) {
        double *qdot = sim->monitor.at.qdot;
        if (model->kinematics(model, sim->monitor.at.work, &(zn_point){.t = ends[e]->t, .q = ends[e]->q, .u = ends[e]->u},
                              &(zn_kinematics){.qdot = qdot}))
            memset(qdot, 0, (size_t)model->size.nq * sizeof *qdot);
        for (int i = 0; i < model->size.nq; i++) m->q[i] += weight[e][0] * ends[e]->q[i] + h * weight[e][1] * qdot[i];
    }
    for (int i = 0; i < model->size.nu; i++) m->u[i] = (1 - x) * from->u[i] + x * to->u[i];
}

/* Probes at a share of the step that was tried. */
static zn_status look_inside(zn_simulation *sim, double x, double *probes) {
    const scheme_state *from = &sim->now, *to = &sim->next, *middle = &sim->control.middle;
    sim_machine *m = &sim->machine;
    double t = from->t + x * (to->t - from->t);
    if (x >= 1) return sim_machine_probe(sim, to->t, to->q, to->u, probes);
    bool halves = middle->q && !sim->located.on; /* the step was taken in two */
    if (halves && t <= middle->t) to = middle;
    else if (halves) from = middle;
    double part = (t - from->t) / (to->t - from->t);
    if (sim->scheme->class->interpolate) sim->scheme->class->interpolate(sim->scheme, from, to, part, m->q, m->u);
    else hermite(sim, from, to, part);
    if (sim->model->after_step) sim->model->after_step(sim->model, t, m->q);
    return sim_machine_probe(sim, t, m->q, m->u, probes);
}

/* ---- rates ---- */

/* The length of a step, or what stands for it where it is chosen. */
static double span_of(const zn_simulation *sim) { return sim->settings.step > 0 ? sim->settings.step : 1e-4 * sim->settings.end; }

/* (when(x + d x') - when(x - d x'))/2d at the present, where x' is that of t and q. NAN: no answer. */
static double difference(zn_simulation *sim, int k, double d) {
    const scheme_state *now = &sim->now;
    sim_machine *m = &sim->machine;
    const double *qdot = sim->monitor.at.qdot;
    double ends[2];
    for (int e = 0; e < 2; e++) {
        double way = e ? d : -d;
        for (int i = 0; i < sim->model->size.nq; i++) m->q[i] = now->q[i] + way * qdot[i];
        if (sim->base->probes(sim->base, sim->monitor.at.work, &(zn_point){.t = now->t + way, .q = m->q, .u = now->u}, m->other))
            return NAN;
        ends[e] = m->other[m->of->events[k].when];
    }
    return (ends[1] - ends[0]) / (2 * d);
}

/* Whether a function reads velocities, which change in ways that are not known here. */
static bool reads_velocities(zn_simulation *sim, int k) {
    const scheme_state *now = &sim->now;
    sim_machine *m = &sim->machine;
    int when = m->of->events[k].when;
    zn_point here = {.t = now->t, .q = now->q, .u = now->u}, other = {.t = now->t, .q = now->q, .u = m->u};
    for (int i = 0; i < sim->model->size.nu; i++) m->u[i] = 1.25 * now->u[i] + 0.37 + 0.11 * (i % 7);
    if (sim->base->probes(sim->base, sim->monitor.at.work, &here, m->other)) return true;
    double value = m->other[when];
    return sim->base->probes(sim->base, sim->monitor.at.work, &other, m->other) || m->other[when] != value;
}

/* The rate of a function at the present, from differences over more or less than a step, of which the longest counts that agrees with its half: so it has the right sign also
 * where the last bounces are slow. 0: there is none beyond round-off; NAN: it is not known. */
static double rate_of(zn_simulation *sim, int k) {
    const zn_model *model = sim->model;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (reads_velocities(sim, k) || model->kinematics(model, sim->monitor.at.work, &now, &(zn_kinematics){.qdot = sim->monitor.at.qdot}))
        return NAN;
    for (double d = LONGEST * span_of(sim); d > span_of(sim) / SHORTEST; d /= 4) {
        double whole = difference(sim, k, d), half = difference(sim, k, d / 2);
        if (half != 0 && fabs(whole - half) <= agreement * fabs(half)) return half;
    }
    return 0;
}

/* ---- finding ---- */

static double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* 0: round-off of a function that has been much larger, such as that of a constraint which the event has switched on. */
static double clear_sign(const sim_machine *m, int k, double x) { return fabs(x) <= roundoff * m->reach[k] ? 0 : sign_of(x); }

static bool is_armed(const machine_event *e, const double *probes) { return e->condition < 0 || probes[e->condition] != 0; }

/* From one sign to the other, in a direction that counts. */
static bool crosses(const machine_event *e, double side, double now) {
    if (now == 0 || side == 0 || now == side) return false;
    return e->direction == ZN_DIRECTION_BOTH || (e->direction == ZN_DIRECTION_UP) == (now > 0);
}

/* The share of the step at which event k, which changes its sign between a and b, is zero. */
static zn_status locate(zn_simulation *sim, int k, double side, double a, double b, double *share) {
    const machine_event *e = &sim->machine.of->events[k];
    zn_status status = ZN_OK;
    for (int i = 0; i < HALVINGS && status == ZN_OK; i++) {
        double middle = (a + b) / 2;
        status = look_inside(sim, middle, sim->machine.other);
        if (sign_of(sim->machine.other[e->when]) == -side) b = middle;
        else a = middle;
    }
    *share = b;
    return status;
}

static zn_status find_first(zn_simulation *sim, double *share, int *event) {
    sim_machine *m = &sim->machine;
    int n = m->of->n_events;
    zn_status status = ZN_OK;
    *event = -1;
    memcpy(m->seen, m->side, (size_t)n * sizeof *m->seen);
    for (int i = 1; i <= LOOKS && *event < 0 && status == ZN_OK; i++) {
        double a = (double)(i - 1) / LOOKS, b = (double)i / LOOKS;
        status = look_inside(sim, b, m->probes);
        for (int k = 0; k < n && status == ZN_OK; k++) {
            const machine_event *e = &m->of->events[k];
            double value = m->probes[e->when], at;
            m->reach[k] = larger(m->reach[k], fabs(value));
            if (is_armed(e, m->probes) && crosses(e, m->seen[k], clear_sign(m, k, value))) {
                status = locate(sim, k, m->seen[k], a, b, &at);
                if (*event < 0 || at < *share) *event = k, *share = at;
            }
            if (clear_sign(m, k, value) != 0) m->seen[k] = sign_of(value);
        }
    }
    return status;
}

/* The end of a step that was to be at the event is improved. true: another end. */
static zn_status improve(zn_simulation *sim, bool *again) {
    sim_machine *m = &sim->machine;
    zn_status status = look_inside(sim, 1, m->probes);
    if (status != ZN_OK) return status;
    double value = m->probes[m->of->events[m->landing_event].when], slope = (m->landed_value - value) / (m->landed_at - sim->next.t);
    double end = sim->next.t - value / slope, h = sim->next.t - sim->now.t;
    *again = m->improvements < MOST_IMPROVEMENTS && value != 0 && isfinite(end) && end > sim->now.t + least_part * h &&
             end < sim->now.t + 2 * h && fabs(end - sim->next.t) > improvement * h;
    m->improvements++;
    m->landed_at = sim->next.t, m->landed_value = value;
    if (*again) m->landing = end;
    return ZN_OK;
}

zn_status sim_events_look(zn_simulation *sim, bool *again) {
    sim_machine *m = &sim->machine;
    double share = 1;
    int event = -1;
    *again = false;
    if (!m->of || !m->of->n_events) return ZN_OK;
    if (m->landing < INFINITY) return sim->next.t >= m->landing ? improve(sim, again) : ZN_OK;
    zn_status status = find_first(sim, &share, &event);
    if (status != ZN_OK || event < 0) return status;
    double from = sim->now.t, h = sim->next.t - from;
    m->landing_event = event;
    m->improvements = 0;
    status = look_inside(sim, 1, m->probes);
    m->landed_at = sim->next.t, m->landed_value = m->probes[m->of->events[event].when];
    m->landing = from + larger(larger(share, least_part) * h, least_time * fabs(from));
    *again = m->landing < sim->next.t - least_part * h;
    if (!*again) m->landing = sim->next.t;
    return status;
}

/* ---- happening ---- */

bool sim_has_events(const zn_simulation *sim) { return sim->machine.of && sim->machine.of->n_events > 0; }

int sim_event_width(const zn_simulation *sim) {
    int width = sim->base->size.nq + sim->base->size.nu;
    for (int i = 0; i < sim->machine.of->n_values; i++) width += !sim->machine.of->values[i].of;
    return width;
}

const double *sim_event_values(const zn_simulation *sim, size_t entry) {
    return sim->machine.log_values + entry * (size_t)sim_event_width(sim);
}

/* Of the entry that is added to the log. */
static zn_status note_values(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    size_t nq = (size_t)sim->base->size.nq, nu = (size_t)sim->base->size.nu, width = (size_t)sim_event_width(sim);
    if (!mem_grow(sim->context, (void **)&m->log_values, &m->log_values_room, (m->n_log + 1) * width, sizeof *m->log_values))
        return ZN_ERROR_MEMORY;
    double *to = m->log_values + m->n_log * width;
    memcpy(to, sim->now.q, nq * sizeof *to);
    memcpy(to + nq, sim->now.u, nu * sizeof *to);
    to += nq + nu;
    for (int i = 0; i < m->of->n_values; i++)
        if (!m->of->values[i].of) *to++ = m->values[i];
    return ZN_OK;
}

/* How often event k has happened within the last steps, from when on. */
static int count_soon(const zn_simulation *sim, int k, double *first) {
    const sim_machine *m = &sim->machine;
    double since = sim->now.t - soon * span_of(sim);
    int count = 0;
    for (size_t i = m->n_log; i > 0 && m->log[i - 1].t >= since; i--)
        if (m->log[i - 1].event == k) *first = m->log[i - 1].t, count++;
    return count;
}

/* A function that returns so soon that round-off decides: it is zero, and does not lead away from the side that it has come from. Probes are known. */
static bool is_lost(const zn_simulation *sim, int k, double rate) {
    const sim_machine *m = &sim->machine;
    double value = m->probes[m->of->events[k].when];
    return m->side[k] != 0 && !isnan(rate) && sign_of(rate) != -m->side[k] && fabs(value) <= near_zero * m->reach[k];
}

/* Event k, whose function has this rate, is added to the log. */
static zn_status note(zn_simulation *sim, int k, double rate) {
    sim_machine *m = &sim->machine;
    double t = sim->now.t, first = t;
    if (!(t - m->burst_begin[k] <= span_of(sim)) || m->burst[k] == 0) m->burst_begin[k] = t, m->burst[k] = 0;
    int often = ++m->burst[k] > MOST_IN_A_STEP || is_lost(sim, k, rate) ? count_soon(sim, k, &first) : 0;
    if (often > 0)
        return fail(sim->context, ZN_ERROR_MODEL,
                    "the event '%s' repeats without end: %d times between t = %.9g and t = %.9g; try a direction (up, down), set what "
                    "ends it, so that its function does not return to zero at once, or use a contact for what bounces",
                    m->of->events[k].name, often, first, t);
    if (!mem_grow(sim->context, (void **)&m->log, &m->log_room, m->n_log + 1, sizeof *m->log)) return ZN_ERROR_MEMORY;
    zn_status status = note_values(sim);
    if (status == ZN_OK) m->log[m->n_log++] = (sim_event){t, k};
    return status;
}

static void set_all(zn_simulation *sim, const machine_event *e, bool *moved, bool *switched) {
    sim_machine *m = &sim->machine;
    if (e->n_sets > 0) sim_work_leave(sim);
    for (int i = 0; i < e->n_sets; i++) {
        const machine_set *s = &e->sets[i];
        double value = m->probes[s->probe];
        if (s->target == MACHINE_VALUE) {
            if (m->of->values[s->index].kind == MACHINE_MODE) value = value != 0;
            m->values[s->index] = value;
            *switched = true;
        } else (s->target == MACHINE_POSITION ? sim->now.q : sim->now.u)[s->index] = value, *moved = true;
    }
}

/* The side of a function that is zero at its event, which had this rate before it. */
static double side_behind(zn_simulation *sim, int k, double before) {
    double after = rate_of(sim, k);
    return fabs(after) > least_rate * fabs(before) ? sign_of(after) : -sim->machine.side[k];
}

/* Signs that count from now on: after an event (-1: none), whose function had the rate `before`. What the event has moved from one sign to the other keeps the old one: it
 * is found in the next step. */
static zn_status remember(zn_simulation *sim, int event, double before) {
    sim_machine *m = &sim->machine;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    for (int k = 0; status == ZN_OK && k < m->of->n_events; k++) {
        const machine_event *e = &m->of->events[k];
        double value = m->probes[e->when], sign = clear_sign(m, k, value);
        bool crossed = event >= 0 && k != event && is_armed(e, m->probes) && crosses(e, m->side[k], sign);
        if (k == event && fabs(value) <= near_zero * m->reach[k]) m->side[k] = side_behind(sim, k, before);
        else if (sign != 0 && !crossed) m->side[k] = sign;
        m->reach[k] = larger(m->reach[k], fabs(value));
    }
    return status;
}

/* Positions that an event has set, and constraints that it has switched on, must fit, as well as numbers that are rounded do, or as all before. The monitor has looked. */
static zn_status check_fit(zn_simulation *sim, const machine_event *e, double before) {
    const zn_model *model = sim->model;
    const sim_monitor *m = &sim->monitor;
    int worst = 0;
    for (int i = 0; i < model->size.ng; i++)
        if (is_worse(fabs(m->at.c0[i]), fabs(m->at.c0[worst]))) worst = i;
    if (model->size.ng == 0 || fabs(m->at.c0[worst]) <= no_worse * before) return ZN_OK;
    double open = fabs(m->at.c0[worst]), *most = MEM_ARRAY(sim->context, double, model_rows(model));
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    zn_status status = most ? sim_start_tolerances(sim->context, model, &now, rounded, most) : ZN_ERROR_MEMORY;
    error_place place = {.step = sim->step, .time = sim->now.t, .subject = model->bilateral_names[worst]};
    if (status == ZN_OK && !(open <= most[worst]))
        status =
            fail_at(sim->context, ZN_ERROR_MODEL, &place,
                    "after the event '%s' at t = %.9g the constraint '%s' is open by %.3g: what an event sets and switches on must fit; "
                    "set all coordinates that belong together, or switch the constraint on where it holds",
                    e->name, sim->now.t, model->bilateral_names[worst], open);
    mem_free(sim->context, most);
    return status;
}

zn_status sim_events_begin(zn_simulation *sim) { return sim->machine.of->n_events ? remember(sim, -1, 0) : ZN_OK; }

zn_status sim_events_start(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    for (int k = 0; k < m->of->n_events; k++) m->side[k] = 0;
    zn_status status = sim_events_begin(sim);
    for (int k = 0; status == ZN_OK && k < m->of->n_events; k++) {
        double rate = m->side[k] == 0 && m->of->events[k].changes ? rate_of(sim, k) : 0;
        if (m->side[k] == 0) m->side[k] = sign_of(rate);
    }
    return status;
}

zn_status sim_events_fire(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    bool moved = false, switched = false;
    if (!m->of->n_events) return ZN_OK;
    if (!(sim->now.t >= m->landing)) return remember(sim, -1, 0);
    int event = m->landing_event;
    const machine_event *e = &m->of->events[event];
    m->landing = INFINITY;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    double rate = e->changes ? rate_of(sim, event) : NAN;
    if (status == ZN_OK) status = note(sim, event, rate);
    if (status != ZN_OK) return status;
    set_all(sim, e, &moved, &switched);
    if (e->stop && !m->stopped) m->stopped = 1 + event;
    m->record = m->record || e->record;
    double before = sim->monitor.max_g;
    if (moved || switched) status = sim_machine_changed(sim, moved, switched);
    if (status == ZN_OK && (moved || switched)) status = check_fit(sim, e, before);
    return status == ZN_OK ? remember(sim, event, rate) : status;
}

/* ---- what is known ---- */

int zn_simulation_event_count(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? (int)sim->machine.n_log : 0; }

zn_event zn_simulation_event(const zn_simulation *sim, int index) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || index < 0 || index >= (int)sim->machine.n_log) return (zn_event){.t = NAN};
    const sim_event *e = &sim->machine.log[index];
    return (zn_event){.name = sim->machine.of->events[e->event].name, .t = e->t};
}

const char *zn_simulation_stop_message(const zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || !sim->machine.stopped) return NULL;
    return sim->machine.of->events[sim->machine.stopped - 1].message;
}
