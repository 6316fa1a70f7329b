/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a function of the motion changes its sign.
 *
 *   found      by its signs at the begin of a step and at LOOKS places of its dense output (the scheme's, else the cubic of q and q' at the
 * ends); the sign before is
 *              remembered, so that a function that is zero at an event does not repeat it
 *   located    by halving on the dense output; the step is repeated to end there, and its end is improved by the secant through ends of
 * steps. A function that
 *              jumps has no zero to go to: it stays where it jumps
 *   happens    after the step: everything is set at once, from values before. Several events of a step happen in their order, each with its
 * own end of a
 *              step. What an event sets may change the signs of others: these happen next.
 *   together   functions that are zero at the same place, to least_part of the step: their events happen in the order of the scene, each
 * from values
 *              that the one before has left, if its condition held before them all and still holds. So none is lost because the first one
 * has
 *              thrown the motion back. The others of these functions, whose direction or condition does not count, have passed zero: what
 * is thrown
 *              back by an event returns through it, for them, and a relay without hysteresis switches without end.
 *   behind it  the function of an event is zero, and is on the side to which its rate leads: one that its event throws back has never left
 * its side, however
 *              soon it returns. So bounces that become shorter and shorter end with a sentence, and not beyond the floor. A function that
 * its event sets
 *              itself, to a value that is more than what locating and rounding leave, is on the side of that value, however small it is. */
#include "model/machine.h"
#include "sim/simulation.h"

enum { LOOKS = 4, HALVINGS = 50, MOST_IMPROVEMENTS = 4, MOST_IN_A_STEP = 1000, LONGEST = 64, SHORTEST = 1024, PATTERNS = 4 };
enum { STAYS, WENT, PASSES, HAPPENS };   /* fates of events at the end of a step; WENT: the function has passed zero before it */
static const double least_part = 1e-9;   /* of a step: an event nearer to its begin happens there */
static const double improvement = 1e-11; /* of a step: less is not worth another one */
static const double near_by = 1.0 / 64;  /* of the step: from there the first secant goes through the event */
static const double roundoff = 1e-10;    /* of its size: no sign */
static const double near_zero = 1e-7;    /* of the size of a function: it is zero at the event, and its sign says nothing */
static const double own_value = 4;       /* times what locating has left of a function at its event: a larger change is the event's own */
static const double rounding = 64 * 2.3e-16; /* of coordinates and velocities: what formulas of events may have lost of them */
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
static double span_of(const zn_simulation *sim) { return sim->settings.step > 0 ? sim_fixed_step(sim) : 1e-4 * sim->settings.end; }

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

/* The rate of a function at the present, from differences over more or less than a step, of which the longest counts that agrees with its
 * half: so it has the right sign also where the last bounces are slow. 0: there is none beyond round-off; NAN: it is not known. */
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

/* At the share b of a step. At its begin functions that are zero have the sides that were given to them, and those that jump there have
 * none yet: others have been moved, by an event, a sample or an input. */
static double sign_at(const sim_machine *m, int k, double b, double x) {
    bool given = m->seen[k] == 0 || fabs(x) <= near_zero * m->reach[k];
    return b == 0 && given ? 0 : clear_sign(m, k, x);
}

static bool is_armed(const machine_event *e, const double *probes) { return e->condition < 0 || probes[e->condition] != 0; }

/* From one sign to the other, in a direction that counts. */
static bool crosses(const machine_event *e, double side, double now) {
    if (now == 0 || side == 0 || now == side) return false;
    return e->direction == ZN_DIRECTION_BOTH || (e->direction == ZN_DIRECTION_UP) == (now > 0);
}

/* The share of the step at which function k, which changes its sign between m->at[k] and b, is zero. */
static zn_status locate(zn_simulation *sim, int k, double b) {
    sim_machine *m = &sim->machine;
    int when = m->of->events[k].when;
    zn_status status = ZN_OK;
    for (int i = 0; i < HALVINGS && status == ZN_OK; i++) {
        double middle = (m->at[k] + b) / 2;
        status = look_inside(sim, middle, m->other);
        if (sign_of(m->other[when]) == -m->seen[k]) b = middle;
        else m->at[k] = middle;
    }
    m->at[k] = b;
    return status;
}

/* A look at the share b of the step: functions that have changed their signs are located, and whether their events happen there. *share:
 * the first of these.
 * *open: some function is too near to zero to tell. m->at: of all others where they have last been seen. */
static zn_status look(zn_simulation *sim, double b, double *share, bool *open) {
    sim_machine *m = &sim->machine;
    zn_status status = look_inside(sim, b, m->probes);
    *open = false;
    for (int k = 0; k < m->of->n_events && status == ZN_OK; k++) {
        const machine_event *e = &m->of->events[k];
        double value = m->probes[e->when], sign = sign_at(m, k, b, value);
        m->reach[k] = larger(m->reach[k], fabs(value));
        *open = *open || (sign == 0 && m->seen[k] != 0);
        if (sign == 0 || m->fate[k] == HAPPENS) continue;
        bool turned = m->seen[k] == -sign;
        if (turned) status = locate(sim, k, b);
        if (turned && status == ZN_OK && e->condition >= 0) status = look_inside(sim, m->at[k], m->other);
        if (turned) m->fate[k] = is_armed(e, m->other) && crosses(e, m->seen[k], sign) ? HAPPENS : PASSES;
        if (m->fate[k] == HAPPENS) *share = smaller(*share, m->at[k]);
        else if (!turned && m->fate[k] == STAYS) m->at[k] = b;
        m->seen[k] = sign;
    }
    return status;
}

/* The first place of the step with events, and the first of the events there. */
static zn_status find_first(zn_simulation *sim, double *share, int *event) {
    sim_machine *m = &sim->machine;
    int n = m->of->n_events;
    bool open = true;
    zn_status status = ZN_OK;
    *event = -1, *share = INFINITY;
    memcpy(m->seen, m->side, (size_t)n * sizeof *m->seen);
    for (int k = 0; k < n; k++) m->fate[k] = STAYS, m->at[k] = 0;
    for (int i = 0; i <= LOOKS && (open || *share >= (double)(i - 1) / LOOKS - least_part) && status == ZN_OK; i++)
        status = look(sim, (double)i / LOOKS, share, &open);
    for (int k = 0; k < n; k++)
        if (!(fabs(m->at[k] - *share) <= least_part)) m->fate[k] = m->fate[k] == PASSES && m->at[k] < *share ? WENT : STAYS;
    for (int k = n - 1; k >= 0; k--)
        if (m->fate[k] == HAPPENS) *event = k;
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
    double from = sim->now.t, h = sim->next.t - from, beside = share > 0.5 ? share - near_by : share + near_by;
    int when = m->of->events[event].when;
    m->landing_event = event;
    status = look_inside(sim, beside, m->other);
    m->landed_at = from + beside * h, m->landed_value = m->other[when];
    if (status == ZN_OK) status = look_inside(sim, share, m->other);
    m->improvements = fabs(m->other[when]) > near_zero * m->reach[event] ? MOST_IMPROVEMENTS : 0; /* it jumps there */
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

static error_place place_of(const zn_simulation *sim, const machine_event *e) {
    const formula_text *text = &sim->machine.of->probes[e->when].text;
    return (error_place){.file = text->file, .line = text->line, .column = text->column, .step = sim->step, .time = sim->now.t};
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

/* A function that returns so soon that round-off decides: it is zero, and does not lead away from the side that it has come from. */
static bool is_lost(const zn_simulation *sim, int k, double rate) {
    const sim_machine *m = &sim->machine;
    return m->side[k] != 0 && !isnan(rate) && sign_of(rate) != -m->side[k] && fabs(m->left[k]) <= near_zero * m->reach[k];
}

/* Event k, whose function has this rate, is added to the log. */
static zn_status note(zn_simulation *sim, int k, double rate) {
    sim_machine *m = &sim->machine;
    double t = sim->now.t, first = t;
    if (!(t - m->burst_begin[k] <= span_of(sim)) || m->burst[k] == 0) m->burst_begin[k] = t, m->burst[k] = 0;
    int often = ++m->burst[k] > MOST_IN_A_STEP || is_lost(sim, k, rate) ? count_soon(sim, k, &first) : 0;
    error_place place = place_of(sim, &m->of->events[k]);
    if (often > 0)
        return fail_at(
            sim->context, ZN_ERROR_MODEL, &place,
            "the event '%s' repeats without end: %d times between t = %.12g and t = %.12g; give it a direction (up, down), let its action "
            "move its function away from zero, separate the thresholds of events that undo each other, or use a contact for bounces",
            m->of->events[k].name, often, first, t);
    if (!mem_grow(sim->context, (void **)&m->log, &m->log_room, m->n_log + 1, sizeof *m->log)) return ZN_ERROR_MEMORY;
    zn_status status = note_values(sim);
    if (status == ZN_OK) m->log[m->n_log++] = (sim_event){t, k};
    return status;
}

static zn_status set_all(zn_simulation *sim, const machine_event *e, bool *moved, bool *switched) {
    sim_machine *m = &sim->machine;
    if (e->n_sets > 0) sim_work_leave(sim);
    for (int i = 0; i < e->n_sets; i++) {
        const machine_set *s = &e->sets[i];
        double value = m->probes[s->probe];
        zn_status status = sim_machine_finite(sim, s->probe, sim->now.t, value);
        if (status != ZN_OK) return status;
        if (s->target == MACHINE_VALUE) {
            if (m->of->values[s->index].kind == MACHINE_MODE) value = value != 0;
            m->values[s->index] = value;
            *switched = true;
        } else (s->target == MACHINE_POSITION ? sim->now.q : sim->now.u)[s->index] = value, *moved = true;
    }
    return ZN_OK;
}

/* Up or down: patterns of signs that differ from each other (rows of a Walsh matrix). */
static double round_in(int pattern, int i) { return __builtin_parity((unsigned)(i & pattern)) ? 1 - rounding : 1 + rounding; }

/* What rounding all coordinates and velocities changes in a function of this value, at most over a few patterns. */
static double noise_of(zn_simulation *sim, int k, double value) {
    const scheme_state *now = &sim->now;
    sim_machine *m = &sim->machine;
    double noise = 0;
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int i = 0; i < sim->model->size.nq; i++) m->q[i] = now->q[i] * round_in(pattern, i);
        for (int i = 0; i < sim->model->size.nu; i++) m->u[i] = now->u[i] * round_in(pattern, i + 1);
        zn_point near = {.t = now->t * round_in(pattern, 1), .q = m->q, .u = m->u};
        if (sim->base->probes(sim->base, sim->monitor.at.work, &near, m->other)) return INFINITY;
        noise = larger(noise, fabs(m->other[m->of->events[k].when] - value));
    }
    return noise;
}

/* Whether the event has set its own function, which locating had left at `left`. */
static bool is_set(zn_simulation *sim, int k, double left, double value) {
    bool other = sign_of(value) == -sign_of(left) || fabs(value - left) > own_value * fabs(left);
    return other && fabs(value) > noise_of(sim, k, value);
}

/* The side of a function that is zero at its event, which had this rate before it. */
static double side_behind(zn_simulation *sim, int k, double before) {
    double after = rate_of(sim, k);
    return fabs(after) > least_rate * fabs(before) ? sign_of(after) : -sim->machine.side[k];
}

/* The side of function k behind events that met its zero, from its value now. */
static double side_after(zn_simulation *sim, int k, double value) {
    const sim_machine *m = &sim->machine;
    double sign = clear_sign(m, k, value);
    bool set = is_set(sim, k, m->left[k], value);
    if (sign != 0 && sign == m->side[k] && !set) return 0; /* it jumps, and has not yet: the next sign is no event */
    if (m->fate[k] == PASSES) return -m->side[k];
    if (fabs(value) > near_zero * m->reach[k]) return sign;
    return set ? sign_of(value) : side_behind(sim, k, m->before[k]);
}

/* Signs that count from now on. `fired`: behind events. What they have moved from one sign to the other keeps the old one: it is found in
 * the next step. */
static zn_status remember(zn_simulation *sim, bool fired) {
    sim_machine *m = &sim->machine;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    for (int k = 0; status == ZN_OK && k < m->of->n_events; k++) {
        const machine_event *e = &m->of->events[k];
        double value = m->probes[e->when], sign = clear_sign(m, k, value);
        bool own = fired && m->fate[k] == HAPPENS, met = fired && m->fate[k] >= PASSES;
        if (met) m->side[k] = side_after(sim, k, value);
        bool crossed = fired && !own && is_armed(e, m->probes) && crosses(e, m->side[k], sign);
        if (!own && !(met && m->side[k] == 0) && sign != 0 && !crossed) m->side[k] = sign;
        m->reach[k] = larger(m->reach[k], fabs(value));
    }
    return status;
}

/* Positions that an event has set, and constraints that it has switched on, must fit, as well as numbers that are rounded do, or as all
 * before. The monitor has looked. */
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
    error_place place = place_of(sim, e);
    place.subject = model->bilateral_names[worst];
    if (status == ZN_OK && !(open <= most[worst]))
        status = fail_at(sim->context, ZN_ERROR_MODEL, &place,
                         "after the event '%s' at t = %.9g the constraint '%s' is violated by %.3g: set all coordinates concerned "
                         "consistently, or switch the constraint on where it is satisfied",
                         e->name, sim->now.t, model->bilateral_names[worst], open);
    mem_free(sim->context, most);
    return status;
}

zn_status sim_events_begin(zn_simulation *sim) { return sim->machine.of->n_events ? remember(sim, false) : ZN_OK; }

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

/* Event k, with values from before it. */
static zn_status happen(zn_simulation *sim, int k) {
    sim_machine *m = &sim->machine;
    const machine_event *e = &m->of->events[k];
    bool moved = false, switched = false;
    zn_status status = note(sim, k, m->before[k]);
    if (status == ZN_OK) status = set_all(sim, e, &moved, &switched);
    if (status != ZN_OK) return status;
    if (e->stop && !m->stopped) m->stopped = 1 + k;
    m->record = m->record || e->record;
    double before = sim->monitor.max_g;
    if (moved || switched) status = sim_machine_changed(sim, moved, switched);
    return status == ZN_OK && (moved || switched) ? check_fit(sim, e, before) : status;
}

zn_status sim_events_fire(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    int n = m->of->n_events;
    if (n == 0) return ZN_OK;
    if (!(sim->now.t >= m->landing)) return remember(sim, false);
    m->landing = INFINITY;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    for (int k = 0; status == ZN_OK && k < n; k++) {
        if (m->fate[k] == WENT) m->side[k] = -m->side[k];
        m->left[k] = m->probes[m->of->events[k].when];
        m->before[k] = m->fate[k] == HAPPENS && m->of->events[k].changes ? rate_of(sim, k) : NAN;
    }
    bool first = true;
    for (int k = 0; status == ZN_OK && k < n; k++) {
        if (m->fate[k] != HAPPENS) continue;
        if (!first) status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
        if (status == ZN_OK && (first || is_armed(&m->of->events[k], m->probes))) status = happen(sim, k);
        first = false;
    }
    return status == ZN_OK ? remember(sim, true) : status;
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
