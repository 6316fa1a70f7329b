/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over time: a grid of steps that lands on the end exactly, substeps where a solve fails, and an account of it all. */
#include "sim/simulation.h"

#include <stdio.h>

/* A failed step is retried with halves, quarters ... down to this power of two of the step. */
enum { MAX_HALVINGS = 10 };
/* A remainder below this part of a step is round-off, not a step. */
static const double STEP_ROUNDOFF = 1e-9;

zn_settings zn_settings_default(void) { return (zn_settings)ZN_SETTINGS_DEFAULT; }

static zn_status check_settings(zn_context *context, const zn_settings *s) {
    if (!(s->step > 0) || !isfinite(s->step)) return fail(context, ZN_ARGUMENT, "the step must be a positive number, but is %g", s->step);
    if (!(s->end >= 0) || !isfinite(s->end)) return fail(context, ZN_ARGUMENT, "the end must be a number from 0, but is %g", s->end);
    if (!(s->tolerance > 0) || !isfinite(s->tolerance))
        return fail(context, ZN_ARGUMENT, "the tolerance must be a positive number, but is %g", s->tolerance);
    if (s->record_every < 1) return fail(context, ZN_ARGUMENT, "record_every must be at least 1, but is %d", s->record_every);
    if (s->end / s->step > 1e15) return fail(context, ZN_ARGUMENT, "a step of %g is too small for an end of %g", s->step, s->end);
    return ZN_OK;
}

static long count_steps(const zn_settings *s) {
    double ratio = s->end / s->step;
    return (long)ceil(ratio - STEP_ROUNDOFF);
}

static zn_status find_scheme(zn_context *context, const zn_model *model, const zn_settings *settings, scheme **out) {
    const scheme_class *class = scheme_find(settings->scheme);
    if (!class) return fail(context, ZN_ARGUMENT, "there is no scheme '%s'; 'zeno schemes' lists them", settings->scheme ? settings->scheme : "");
    zn_settings chosen = *settings;
    const zn_scheme_info *info = &class->info;
    if (chosen.stages == 0) chosen.stages = info->stages_default;
    if (chosen.stages < info->stages_min || chosen.stages > info->stages_max)
        return fail(context, ZN_ARGUMENT, "%s has %d to %d stages, not %d", info->name, info->stages_min, info->stages_max, chosen.stages);
    zn_status status = scheme_check(context, class, model);
    return status == ZN_OK ? class->create(context, class, model, &chosen, out) : status;
}

static zn_status allocate(zn_simulation *sim) {
    const zn_model *model = sim->model;
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model);
    size_t carry = sim->scheme->class->carry_size(model, &sim->settings), state = nq + nu + n + carry;
    sim->state_memory = MEM_ARRAY(sim->context, double, 2 * state + 2 * n);
    if (!sim->state_memory) return ZN_MEMORY;
    double *next = sim->state_memory;
    scheme_state *states[2] = {&sim->now, &sim->next};
    for (int i = 0; i < 2; i++, next += state) *states[i] = (scheme_state){.q = next, .u = next + nq, .P = next + nq + nu, .carry = next + nq + nu + n};
    sim->P = next;
    sim->P_total = next + n;
    return sim_monitor_create(sim->context, model, &sim->monitor);
}

static zn_status start(zn_simulation *sim) {
    const zn_model *model = sim->model;
    scheme_state *now = &sim->now;
    memcpy(now->q, model->q_start, (size_t)model->size.nq * sizeof(double));
    memcpy(now->u, model->u_start, (size_t)model->size.nu * sizeof(double));
    zn_status status = ZN_OK;
    if (sim->settings.project_start) status = sim_start_project(sim->context, model, now->t, now->q, now->u);
    if (status == ZN_OK) status = sim_start_check(sim->context, model, now->t, now->q, now->u);
    double *a0 = NULL, *lambda0 = NULL;
    if (status == ZN_OK && sim->scheme->class->needs_start_forces) {
        a0 = MEM_ARRAY(sim->context, double, model->size.nu);
        lambda0 = MEM_ARRAY(sim->context, double, model_rows(model));
        bool zero = sim->settings.start_forces && strcmp(sim->settings.start_forces, "zero") == 0;
        if (!a0 || !lambda0) status = ZN_MEMORY;
        else if (!zero) status = sim_start_forces(sim->context, model, &sim->settings, now->t, now->q, now->u, a0, lambda0);
    }
    if (status == ZN_OK) status = sim->scheme->class->start(sim->scheme, now, a0, lambda0);
    if (status == ZN_OK) status = sim_monitor_look(&sim->monitor, now);
    if (status == ZN_OK) {
        double kinetic, potential;
        zn_simulation_energy(sim, &kinetic, &potential);
        sim->energy_start = kinetic + potential;
    }
    mem_free(sim->context, a0);
    mem_free(sim->context, lambda0);
    return status;
}

zn_status zn_simulation_create(zn_context *context, const zn_model *model, const zn_settings *settings, zn_simulation **out) {
    *out = NULL;
    zn_status status = check_settings(context, settings);
    if (status != ZN_OK) return status;
    zn_simulation *sim = MEM_ARRAY(context, zn_simulation, 1);
    if (!sim) return ZN_MEMORY;
    sim->context = context;
    sim->model = model;
    sim->settings = *settings;
    sim->n_steps = count_steps(settings);
    sim->scheme_name = mem_text(context, settings->scheme ? settings->scheme : "");
    sim->settings.scheme = sim->scheme_name;
    status = sim->scheme_name ? find_scheme(context, model, &sim->settings, &sim->scheme) : ZN_MEMORY;
    if (status == ZN_OK) {
        if (sim->settings.stages == 0) sim->settings.stages = sim->scheme->class->info.stages_default;
        status = allocate(sim);
    }
    if (status == ZN_OK) status = start(sim);
    if (status != ZN_OK) {
        zn_simulation_destroy(sim);
        return status;
    }
    *out = sim;
    return ZN_OK;
}

void zn_simulation_destroy(zn_simulation *sim) {
    if (!sim) return;
    zn_context *context = sim->context;
    if (sim->scheme) sim->scheme->class->destroy(sim->scheme);
    if (sim->state_memory) sim_monitor_destroy(context, &sim->monitor);
    mem_free(context, sim->state_memory);
    mem_free(context, sim->scheme_name);
    mem_free(context, sim);
}

/* ---- one step ---- */

static void count_outcome(zn_simulation *sim, const cone_outcome *outcome) {
    int path = outcome->path;
    sim->path_steps[path]++;
    sim->path_solves[path] += outcome->solves;
    for (int i = 0; i < CONE_PATH_COUNT; i++) sim->path_iterations[i] += outcome->iterations[i];
    sim->path_iterations_there[path] += outcome->iterations[path];
    if (outcome->most > sim->path_max[path]) sim->path_max[path] = outcome->most;
    sim->max_residual = fmax(sim->max_residual, outcome->worst);
}

static void add_percussion(zn_simulation *sim) {
    const zn_model *model = sim->model;
    int n = model_rows(model);
    for (int i = 0; i < n; i++) sim->P[i] += sim->now.P[i];
}

static void total_percussion(zn_simulation *sim) {
    const zn_model *model = sim->model;
    for (int k = 0; k < model->size.n_contacts; k++)
        for (int i = 0; model->contacts[k].scale && i < model->contacts[k].nF; i++) sim->P[model->contacts[k].row_F + i] *= model->contacts[k].scale[i];
    for (int i = 0, n = model_rows(model); i < n; i++) sim->P_total[i] += sim->P[i];
}

/* One try from now; on success it becomes the present. */
static zn_status attempt(zn_simulation *sim, double h, double t_end, cone_outcome *outcome) {
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    zn_status status = sim->scheme->class->step(sim->scheme, &sim->now, h, &sim->next, outcome);
    if (status != ZN_OK) return status;
    sim->next.t = t_end;
    if (sim->model->after_step) sim->model->after_step(sim->model, sim->next.q);
    status = sim_monitor_look(&sim->monitor, &sim->next);
    if (status != ZN_OK) return status;
    scheme_state old = sim->now;
    sim->now = sim->next;
    sim->next = old;
    count_outcome(sim, outcome);
    add_percussion(sim);
    return ZN_OK;
}

static zn_status report_failure(zn_simulation *sim, zn_status status, double h, const cone_outcome *outcome) {
    const zn_model *model = sim->model;
    char text[160];
    error_place place = {.step = sim->step + 1, .time = sim->now.t};
    const char *who = NULL;
    if (status == ZN_NOT_FINITE) {
        const char *what = NULL; /* at the present state, or a little later */
        scheme_state look = sim->now;
        for (int i = 0; i <= 2 && !what; i++, look.t += h / 2) what = sim_monitor_not_finite(&sim->monitor, &look, text, sizeof text);
        return fail_at(sim->context, status, &place, "%s is not finite; the step of %g from t = %.9g failed",
                       what ? what : "a value in the trial of the step", h, sim->now.t);
    }
    if (outcome->worst_cone >= 0 && outcome->worst_cone < model->size.n_contacts) who = place.subject = model->contacts[outcome->worst_cone].name;
    return fail_at(sim->context, status, &place, "the step of %g from t = %.9g could not be solved%s%s%s: residual %.3g is above the tolerance %.3g",
                   h, sim->now.t, who ? " at contact '" : "", who ? who : "", who ? "'" : "", outcome->worst, sim->settings.tolerance);
}

/* From now to t_end by h, in parts where the whole fails. Parts are counted in units of h / 2^MAX_HALVINGS. */
static zn_status advance(zn_simulation *sim, double h, double t_end) {
    const long whole = 1L << MAX_HALVINGS;
    long part = whole, done = 0;
    double t_start = sim->now.t;
    cone_outcome outcome;
    memset(sim->P, 0, (size_t)model_rows(sim->model) * sizeof *sim->P);
    while (done < whole) {
        double fraction = (double)part / (double)whole;
        double t_next = done + part == whole ? t_end : t_start + h * ((double)(done + part) / (double)whole);
        zn_status status = attempt(sim, h * fraction, t_next, &outcome);
        if (status == ZN_OK) {
            done += part;
            while (part < whole && done % (2 * part) == 0 && done < whole) part *= 2;
        } else if (status == ZN_MEMORY || status == ZN_UNSUPPORTED || part == 1) {
            return report_failure(sim, status, h * fraction, &outcome);
        } else {
            part /= 2;
            sim->rejected++;
        }
    }
    return ZN_OK;
}

bool zn_simulation_done(const zn_simulation *sim) { return sim->step >= sim->n_steps; }

zn_status zn_simulation_step(zn_simulation *sim) {
    if (zn_simulation_done(sim)) return ZN_OK;
    bool last = sim->step + 1 == sim->n_steps;
    double h = sim->settings.step, t_end = last ? sim->settings.end : (double)(sim->step + 1) * h;
    if (last && fabs(t_end - sim->now.t - h) > STEP_ROUNDOFF * h) h = t_end - sim->now.t;
    zn_status status = advance(sim, h, t_end);
    total_percussion(sim);
    if (status == ZN_OK) sim->step++;
    return status;
}

zn_status zn_simulation_run(zn_simulation *sim, zn_observer *observe, void *user) {
    if (observe && sim->step == 0 && observe(user, sim)) return ZN_STOPPED;
    while (!zn_simulation_done(sim)) {
        zn_status status = zn_simulation_step(sim);
        if (status != ZN_OK) return status;
        bool record = sim->step % sim->settings.record_every == 0 || zn_simulation_done(sim);
        if (observe && record && observe(user, sim)) return ZN_STOPPED;
    }
    return ZN_OK;
}

/* ---- what is known ---- */

double zn_simulation_time(const zn_simulation *sim) { return sim->now.t; }
const double *zn_simulation_positions(const zn_simulation *sim) { return sim->now.q; }
const double *zn_simulation_velocities(const zn_simulation *sim) { return sim->now.u; }
const double *zn_simulation_percussions(const zn_simulation *sim) { return sim->P; }
const double *zn_simulation_percussion_totals(const zn_simulation *sim) { return sim->P_total; }
const double *zn_simulation_gaps(const zn_simulation *sim) { return sim->monitor.gaps; }
const zn_model *zn_simulation_model(const zn_simulation *sim) { return sim->model; }
const zn_settings *zn_simulation_settings(const zn_simulation *sim) { return &sim->settings; }

void zn_simulation_energy(const zn_simulation *sim, double *kinetic, double *potential) {
    *kinetic = *potential = NAN;
    if (!sim->model->energy) return;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    sim->model->energy(sim->model, sim->monitor.at.work, &at, kinetic, potential);
}

zn_statistics zn_simulation_statistics(const zn_simulation *sim) {
    double mean[CONE_PATH_COUNT], kinetic, potential;
    for (int i = 0; i < CONE_PATH_COUNT; i++) mean[i] = sim->path_solves[i] ? (double)sim->path_iterations_there[i] / (double)sim->path_solves[i] : 0;
    zn_simulation_energy(sim, &kinetic, &potential);
    const sim_monitor *m = &sim->monitor;
    return (zn_statistics){
        .steps = sim->step, .rejected = sim->rejected,
        .max_penetration = m->max_penetration, .max_g = m->max_g, .max_gdot = m->max_gdot, .max_gamma = m->max_gamma,
        .energy_start = sim->energy_start, .energy_end = kinetic + potential,
        .newton_steps = sim->path_steps[CONE_NEWTON], .newton_total = sim->path_iterations[CONE_NEWTON], .newton_mean = mean[CONE_NEWTON], .newton_max = sim->path_max[CONE_NEWTON],
        .least_norm_steps = sim->path_steps[CONE_LEAST_NORM], .least_norm_total = sim->path_iterations[CONE_LEAST_NORM], .least_norm_mean = mean[CONE_LEAST_NORM], .least_norm_max = sim->path_max[CONE_LEAST_NORM],
        .projection_steps = sim->path_steps[CONE_PROJECTION], .projection_total = sim->path_iterations[CONE_PROJECTION], .projection_mean = mean[CONE_PROJECTION], .projection_max = sim->path_max[CONE_PROJECTION],
        .max_residual = sim->max_residual,
    };
}
