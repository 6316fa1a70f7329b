/* SPDX-License-Identifier: Apache-2.0 */
/* Forces and constraints that jump or bend at times that their formulas know (if, floor, mod, sign, abs, min, max and tables of t). With
 * located contact events and step: auto steps end there, as estimates of errors see neither a pulse between two stages nor one in a step
 * that sticks through it.
 *
 *   found      by values that are constant between two such times (model_switches), at SAMPLES places of a part of the run; what is between
 * two places that agree is checked again
 *              when the first change is known, with the part up to there: pulses that are a SAMPLES-th of a period are found, however long
 * the run
 *   located    by halving down to the last digit: `at` is the first time behind the change
 *   passed     a step ends a few digits before it, so that no stage is behind; the present is then put to `at`, and what follows is a new
 * start */
#include "sim/simulation.h"

enum { SAMPLES = 32, HALVINGS = 1100 /* from any double to its neighbour */ };
static const double part_of_run = 0.05; /* that is searched ahead: the longest step */
static const double digits = 4e-15;     /* of the time: between the end of a step and the switch */
static const double no_step = 1e-12;    /* of the run: no step leads to a switch that is as near */

zn_status sim_switches_create(zn_simulation *sim) {
    sim_switches *s = &sim->switches;
    s->landing = INFINITY;
    if (!sim->located.on || !sim->settings.step_auto) return ZN_OK;
    zn_point start = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    s->count = model_switches(sim->base, sim->monitor.at.work, &start, NULL);
    if (s->count == 0) return ZN_OK;
    s->here = MEM_ARRAY(sim->context, double, 2 * (size_t)s->count);
    s->there = s->here + s->count;
    return s->here ? ZN_OK : ZN_ERROR_MEMORY;
}

void sim_switches_destroy(zn_simulation *sim) { mem_free(sim->context, sim->switches.here); }

void sim_switches_forget(zn_simulation *sim) { sim->switches.to = -INFINITY; }

static void ask(zn_simulation *sim, double t, double *values) {
    model_switches(sim->base, sim->monitor.at.work, &(zn_point){.t = t, .q = sim->now.q, .u = sim->now.u}, values);
}

/* What is not a number at both times has not changed. */
static bool is_other(zn_simulation *sim, double t) {
    sim_switches *s = &sim->switches;
    ask(sim, t, s->there);
    for (int i = 0; i < s->count; i++)
        if (s->here[i] != s->there[i] && !(isnan(s->here[i]) && isnan(s->there[i]))) return true;
    return false;
}

/* The first change in from < t <= to that the samples show; INFINITY: none. `here` is known. */
static double find_change(zn_simulation *sim, double from, double to) {
    double before = from;
    for (int i = 1; i <= SAMPLES; i++) {
        double t = i == SAMPLES ? to : from + (to - from) * i / SAMPLES;
        if (!is_other(sim, t)) {
            before = t;
            continue;
        }
        for (int k = 0; k < HALVINGS; k++) {
            double middle = before + (t - before) / 2;
            if (!(middle > before && middle < t)) break;
            if (is_other(sim, middle)) t = middle;
            else before = middle;
        }
        return t;
    }
    return INFINITY;
}

/* The first change of all: what lies before one that samples show is sampled again. */
static double find_first(zn_simulation *sim, double from, double to) {
    double first = INFINITY, next;
    ask(sim, from, sim->switches.here);
    while (to > from && (next = find_change(sim, from, to)) < INFINITY) {
        first = next;
        to = nextafter(next, from);
    }
    return first;
}

static void look_ahead(zn_simulation *sim) {
    sim_switches *s = &sim->switches;
    double t = sim->now.t, part = part_of_run * sim->settings.end, wanted = smaller(t + part, sim->settings.end);
    if (!(t >= s->from && t < s->to)) s->from = s->to = t, s->at = INFINITY;
    while (s->at == INFINITY && s->to < wanted) {
        double to = smaller(s->to + part, sim->settings.end);
        s->at = find_first(sim, s->to, to);
        s->to = smaller(s->at, to);
    }
    s->landing = s->at < INFINITY ? s->at - digits * larger(fabs(s->at), part) : INFINITY;
}

zn_status sim_switches_pass(zn_simulation *sim) {
    sim_switches *s = &sim->switches;
    if (s->count == 0 || sim->now.t < s->landing) return ZN_OK;
    sim->now.t = larger(sim->now.t, s->at);
    s->landing = INFINITY;
    return sim_machine_changed(sim, false, model_row_N(sim->model) > 0);
}

zn_status sim_switches_look(zn_simulation *sim) {
    sim_switches *s = &sim->switches;
    zn_status status = ZN_OK;
    if (s->count == 0) return ZN_OK;
    for (look_ahead(sim); status == ZN_OK && s->landing - sim->now.t <= no_step * sim->settings.end; look_ahead(sim)) {
        s->landing = sim->now.t;
        status = sim_switches_pass(sim);
    }
    return status;
}
