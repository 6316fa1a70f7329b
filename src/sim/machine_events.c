/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a function of the motion changes its sign.
 *
 *   found      by its signs at LOOKS places of the step's dense output (the scheme's, else the cubic of q and q' at the ends); the sign before is remembered,
 *              so that a function that is zero at an event does not repeat it
 *   located    by halving on the dense output; the step is repeated to end there, and its end is improved by the secant through ends of steps
 *   happens    after the step: everything is set at once, from values before. Several events of a step happen in their order, each with its own end of a
 *              step. */
#include "model/machine.h"
#include "sim/simulation.h"

enum { LOOKS = 4, HALVINGS = 50, MOST_IMPROVEMENTS = 4, MOST_IN_A_STEP = 1000 };
static const double least_part = 1e-9;   /* of a step: an event nearer to its begin happens there */
static const double improvement = 1e-11; /* of a step: less is not worth another one */
static const double roundoff = 1e-10;    /* of its size: no sign */
static const double near_zero = 1e-7;    /* of the size of a function: it is zero at the event, and its sign says nothing */

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
    m->landing = from + larger(share, least_part) * h;
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

static zn_status note(zn_simulation *sim, int k) {
    sim_machine *m = &sim->machine;
    double t = sim->now.t, span = sim->settings.step > 0 ? sim->settings.step : 1e-4 * sim->settings.end;
    if (!(t - m->burst_begin[k] <= span) || m->burst[k] == 0) m->burst_begin[k] = t, m->burst[k] = 0;
    if (++m->burst[k] > MOST_IN_A_STEP)
        return fail(sim->context, ZN_ERROR_MODEL,
                    "the event '%s' happens without end: %d times between t = %.9g and t = %.9g; try a direction (up, down), or set what "
                    "ends it, so that its function does not return to zero at once",
                    m->of->events[k].name, MOST_IN_A_STEP, m->burst_begin[k], t);
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

/* Signs that count from now on. */
static zn_status remember(zn_simulation *sim, int event) {
    sim_machine *m = &sim->machine;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    for (int k = 0; status == ZN_OK && k < m->of->n_events; k++) {
        double value = m->probes[m->of->events[k].when];
        if (k == event && fabs(value) <= near_zero * m->reach[k]) m->side[k] = -m->side[k];
        else if (clear_sign(m, k, value) != 0) m->side[k] = sign_of(value);
        m->reach[k] = larger(m->reach[k], fabs(value));
    }
    return status;
}

zn_status sim_events_begin(zn_simulation *sim) { return sim->machine.of->n_events ? remember(sim, -1) : ZN_OK; }

zn_status sim_events_fire(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    bool moved = false, switched = false;
    if (!m->of->n_events) return ZN_OK;
    if (!(sim->now.t >= m->landing)) return remember(sim, -1);
    int event = m->landing_event;
    const machine_event *e = &m->of->events[event];
    m->landing = INFINITY;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    if (status == ZN_OK) status = note(sim, event);
    if (status != ZN_OK) return status;
    set_all(sim, e, &moved, &switched);
    if (e->stop && !m->stopped) m->stopped = 1 + event;
    m->record = m->record || e->record;
    if (moved || switched) status = sim_machine_changed(sim, moved, switched);
    return status == ZN_OK ? remember(sim, event) : status;
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
