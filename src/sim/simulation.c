/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation: its settings, memory and start, the loop over time, and an account of it all. */
#include "sim/simulation.h"

#include "scheme/settings.h"

zn_status sim_make_scheme(zn_simulation *sim, const zn_model *model, scheme **out) {
    zn_context *context = sim->context;
    const zn_settings *settings = &sim->settings;
    zn_settings chosen = sim_scheme_settings(sim);
    const scheme_class *class = scheme_find(chosen.scheme);
    if (sim->contradiction == 0 || model != sim->model)
        chosen.contradiction = 0; /* rows that are independent cannot contradict each other */
    if (chosen.step == 0) chosen.step = sim_control_first_step(model, settings);
    const zn_scheme_info *info = &class->info;
    if (chosen.stages == 0) chosen.stages = info->stages_default;
    if (chosen.stages < info->stages_min || chosen.stages > info->stages_max)
        return fail(context, ZN_ERROR_ARGUMENT, "%s has %d to %d stages, not %d", info->name, info->stages_min, info->stages_max,
                    chosen.stages);
    zn_status status = scheme_check(context, class, model);
    scheme *made = NULL;
    if (status == ZN_OK) status = class->create(context, class, model, &chosen, &made);
    if (status == ZN_OK) status = scales_create(context, model, settings->tolerance, &made->scales);
    if (status == ZN_OK) made->scales.threads = settings->threads;
    sim->located.stale = true;
    if (status == ZN_OK) *out = made;
    else if (made) class->destroy(made);
    return status;
}

size_t sim_state_size(const zn_simulation *sim) {
    const zn_model *model = sim->model;
    size_t rows = (size_t)model_rows(model) * (sim->selection.offered ? 2 : 1);
    zn_settings settings = sim_scheme_settings(sim);
    return (size_t)(model->size.nq + model->size.nu) + rows + sim->scheme->class->carry_size(model, &settings);
}

void sim_state_place(const zn_simulation *sim, double *memory, scheme_state *state) {
    const zn_model *model = sim->model;
    *state = (scheme_state){.q = memory, .u = memory + model->size.nq};
    state->P_all = state->u + model->size.nu;
    state->carry = state->P_all + (sim->selection.offered ? 2 : 1) * model_rows(model);
    sim_place_percussion(sim, state);
}

zn_status sim_take_states(zn_simulation *sim) {
    size_t state = sim_state_size(sim);
    sim->state_memory = MEM_ARRAY(sim->context, double, 2 * state + (size_t)sim->model->size.n_contacts);
    if (!sim->state_memory) return ZN_ERROR_MEMORY;
    sim_state_place(sim, sim->state_memory, &sim->now);
    sim_state_place(sim, sim->state_memory + state, &sim->next);
    sim->approach = sim->state_memory + 2 * state;
    return ZN_OK;
}

static zn_status allocate(zn_simulation *sim) {
    size_t n = (size_t)model_rows(sim->base);
    sim->P = MEM_ARRAY(sim->context, double, 2 * n);
    if (!sim->P) return ZN_ERROR_MEMORY;
    sim->P_total = sim->P + n;
    zn_status status = sim_take_states(sim);
    sim->monitor.end = sim->settings.end;
    return status == ZN_OK ? sim_monitor_take(sim->context, sim->model, sim->base->size.n_contacts, &sim->monitor) : status;
}

zn_status sim_choose_start(zn_simulation *sim, double *q, double *u) {
    const zn_model *model = sim->base;
    memcpy(q, model->q_start, (size_t)model->size.nq * sizeof *q);
    memcpy(u, model->u_start, (size_t)model->size.nu * sizeof *u);
    zn_status status = sim_place(sim, q, u, sim->settings.project_start);
    if (status == ZN_OK)
        status = sim_start_contradiction(sim->context, model, &sim->settings, &(zn_point){.q = q, .u = u}, &sim->contradiction);
    if (status == ZN_OK) status = sim_selection_start(sim, q, u);
    return status;
}

zn_status sim_start_scheme(zn_simulation *sim) {
    const zn_model *model = sim->model, *seen = sim_scheme_model(sim);
    scheme_state *now = &sim->now;
    zn_status status = ZN_OK;
    double *a0 = NULL, *lambda0 = NULL;
    if (sim->scheme->class->needs_start_forces) {
        a0 = MEM_ARRAY(sim->context, double, model->size.nu);
        lambda0 = MEM_ARRAY(sim->context, double, model_rows(seen));
        bool zero = sim->settings.start_forces == ZN_START_FORCES_ZERO;
        if (!a0 || !lambda0) status = ZN_ERROR_MEMORY;
        zn_settings settings = sim->settings;
        if (sim->contradiction == 0 || seen != model) settings.contradiction = 0;
        if (status == ZN_OK && !zero)
            status = sim_start_forces(sim->context, seen, &settings, &sim->scheme->scales,
                                      &(zn_point){.t = now->t, .q = now->q, .u = now->u}, a0, lambda0);
    }
    if (status == ZN_OK) status = sim->scheme->class->start(sim->scheme, now, a0, lambda0);
    mem_free(sim->context, a0);
    mem_free(sim->context, lambda0);
    return status;
}

zn_status sim_begin_at(zn_simulation *sim, const double *q, const double *u) {
    const zn_model *model = sim->model;
    scheme_state *now = &sim->now;
    memcpy(now->q, q, (size_t)model->size.nq * sizeof(double));
    memcpy(now->u, u, (size_t)model->size.nu * sizeof(double));
    zn_status status = sim_machine_begin(sim);
    zn_point start = {.t = now->t, .q = now->q, .u = now->u};
    if (status == ZN_OK) status = sim_start_check(sim, &start, sim->settings.step_auto ? 0 : sim->settings.step);
    if (status == ZN_OK) status = sim_start_scheme(sim);
    return status == ZN_OK ? sim_monitor_look(&sim->monitor, now) : status;
}

void sim_see_start(zn_simulation *sim) {
    double kinetic, potential;
    sim->rows.next = 1;
    sim_see_now(sim);
    zn_simulation_energy(sim, &kinetic, &potential);
    sim->energy_start = kinetic + potential;
}

static zn_status start(zn_simulation *sim, const double *q, const double *u) {
    zn_status status = sim_begin_at(sim, q, u);
    if (status == ZN_OK) status = sim_control_create(sim);
    if (status == ZN_OK) status = sim_work_create(sim);
    if (status == ZN_OK) status = sim_impacts_create(sim);
    if (status == ZN_OK) status = sim_located_create(sim);
    if (status == ZN_OK) status = sim_switches_create(sim);
    if (status == ZN_OK) status = sim_gains_create(sim);
    sim->rings = sim_has_rings(sim->base);
    sim->ring_jumps = -1;
    if (status == ZN_OK) status = sim_painleve_create(sim);
    if (status == ZN_OK) status = sim_rows_create(sim);
    if (status == ZN_OK) sim_see_start(sim);
    return status;
}

static void release(zn_simulation *sim) {
    zn_context *context = sim->context;
    if (sim->scheme) {
        scales_destroy(context, &sim->scheme->scales);
        sim->scheme->class->destroy(sim->scheme);
    }
    sim_selection_destroy(sim);
    sim_control_destroy(sim);
    sim_rows_destroy(sim);
    sim_work_destroy(sim);
    sim_impacts_destroy(sim);
    sim_located_destroy(sim);
    sim_gains_destroy(sim);
    sim_painleve_destroy(sim);
    sim_monitor_destroy(context, &sim->monitor);
    mem_free(context, sim->state_memory);
    mem_free(context, sim->P);
    sim_contacts_destroy(sim);
    sim_switches_destroy(sim);
    sim_machine_destroy(sim);
}

zn_status zn_simulation_create(zn_context *context, const zn_model *model, const zn_settings *settings, zn_simulation **out) {
    NEED_CONTEXT(context);
    NEED(context, out);
    *out = NULL;
    NEED(context, model);
    NEED_DEF(context, settings);
    zn_settings whole = *settings;
    settings_complete(&whole);
    zn_status status = model_check(context, model, __func__);
    if (status == ZN_OK) status = settings_check(context, &whole);
    if (status != ZN_OK) return status;
    zn_simulation *sim = MEM_ARRAY(context, zn_simulation, 1);
    if (!sim) return ZN_ERROR_MEMORY;
    sim->head = (handle_head){HANDLE_SIMULATION, context};
    sim->fastest = -1;
    sim->given = sim->base = sim->model = model;
    sim->settings = whole;
    sim->settings.scheme = scheme_find(whole.scheme)->info.name; /* which lives as long as the program */
    double *q = MEM_ARRAY(context, double, model->size.nq), *u = MEM_ARRAY(context, double, model->size.nu);
    status = q && u ? sim_machine_create(sim) : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = sim_contacts_create(sim);
    if (status == ZN_OK) status = sim_choose_start(sim, q, u);
    if (status == ZN_OK) status = sim_make_scheme(sim, sim_scheme_model(sim), &sim->scheme);
    if (status == ZN_OK) {
        if (sim->settings.stages == 0) sim->settings.stages = sim->scheme->class->info.stages_default;
        status = allocate(sim);
    }
    if (status == ZN_OK) status = start(sim, q, u);
    mem_free(context, q);
    mem_free(context, u);
    if (status == ZN_OK) *out = sim;
    else release(sim), mem_free(context, sim);
    return status;
}

void zn_simulation_destroy(zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return;
    release(sim);
    handle_retire(&sim->head, sizeof *sim);
}

/* ---- going on ---- */

/* ZN_ERROR_NOT_FINITE with an error when the energies of what is shown are not finite. */
static zn_status check_energy(const zn_simulation *sim) {
    double kinetic, potential;
    if (!sim->model->energy) return ZN_OK;
    zn_simulation_energy(sim, &kinetic, &potential);
    if (isfinite(kinetic + potential)) return ZN_OK;
    return sim_fail_energy(sim->context, sim, "the model", kinetic, potential);
}

bool zn_simulation_done(const zn_simulation *sim) {
    return !HANDLE_GOOD(sim, HANDLE_SIMULATION) || sim->now.t >= sim->settings.end || sim->machine.stopped;
}

zn_status zn_simulation_step(zn_simulation *sim) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    if (zn_simulation_done(sim)) return ZN_OK;
    if (!model_is_good(sim->given)) return model_check(sim->context, sim->given, __func__);
    sim_rows_begin(sim);
    zn_status status = sim_machine_before_step(sim);
    if (status == ZN_OK) status = sim->settings.step_auto ? sim_control_step(sim) : sim_grid_step(sim);
    if (status == ZN_OK) status = sim_switches_pass(sim);
    if (status == ZN_OK) status = sim_machine_after_step(sim);
    sim_see_now(sim);
    if (status == ZN_OK && zn_simulation_done(sim)) status = check_energy(sim);
    return status == ZN_OK && zn_simulation_done(sim) ? sim_report_unfinished(sim) : status;
}

zn_status zn_simulation_run(zn_simulation *sim, zn_observer *observe, void *user) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    if (observe && sim->step == 0 && observe(user, sim)) return ZN_STOPPED;
    while (!zn_simulation_done(sim)) {
        zn_status status = zn_simulation_step(sim);
        bool at_end = status == ZN_ERROR_NO_CONVERGENCE && zn_simulation_done(sim);
        if (status != ZN_OK && !at_end) return status;
        while (zn_simulation_next_row(sim))
            if (observe && observe(user, sim)) return ZN_STOPPED;
        if (at_end) return status;
    }
    return ZN_OK;
}

/* ---- what is known ---- */

double zn_simulation_time(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? sim->view.t : NAN; }
const double *zn_simulation_positions(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? sim->view.q : NULL; }
const double *zn_simulation_velocities(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? sim->view.u : NULL; }
const double *zn_simulation_percussions(const zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return NULL;
    sim_selection_ask(sim);
    return sim->P;
}
const double *zn_simulation_percussion_totals(const zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return NULL;
    sim_selection_ask(sim);
    return sim->view.P_total;
}
const double *zn_simulation_gaps(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? sim->view.gaps : NULL; }
const zn_model *zn_simulation_model(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? sim->given : NULL; }
const zn_settings *zn_simulation_settings(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? &sim->settings : NULL; }

void zn_simulation_energy(const zn_simulation *sim, double *kinetic, double *potential) {
    double unwanted;
    if (!kinetic) kinetic = &unwanted;
    if (!potential) potential = &unwanted;
    *kinetic = *potential = NAN;
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || !sim->base->energy) return;
    zn_point at = {.t = sim->view.t, .q = sim->view.q, .u = sim->view.u};
    sim->base->energy(sim->base, sim->monitor.at.work, &at, kinetic, potential); /* contacts have none; the memory is enough for more */
}

zn_status zn_simulation_outputs(const zn_simulation *sim, double *values) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    const zn_model *model = sim->base;
    if (!model->n_outputs) return ZN_OK;
    NEED(sim->context, values);
    zn_point at = {.t = sim->view.t, .q = sim->view.q, .u = sim->view.u};
    zn_status status = sim_machine_answers(sim);
    if (status != ZN_OK) return status;
    int failed = model->outputs(model, sim->monitor.at.work, &at, values);
    sim_machine_forget(sim);
    error_place place = {.step = sim->step, .time = at.t};
    if (failed) return fail_at(sim->context, ZN_ERROR_NOT_FINITE, &place, "the outputs cannot be evaluated at t = %.9g", at.t);
    for (int i = 0; i < model->n_outputs; i++)
        if (!isfinite(values[i])) {
            place.subject = model->output_names[i];
            return fail_at(sim->context, ZN_ERROR_NOT_FINITE, &place, "the output '%s' is not finite at t = %.9g " MODEL_OUT_OF_RANGE,
                           model->output_names[i], at.t);
        }
    return ZN_OK;
}

zn_scales zn_simulation_scales(const zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return (zn_scales){0};
    const problem_scales *s = &sim->scheme->scales;
    return (zn_scales){s->q, s->velocity, s->noise};
}

static double mean_iterations(const zn_simulation *sim, cone_path path) {
    return sim->path_solves[path] ? (double)sim->path_iterations_there[path] / (double)sim->path_solves[path] : 0;
}

static zn_statistics with_chatter(zn_statistics s, const sim_chatter *c) {
    s.chatter_stretches = c->stretches, s.chatter_steps = c->steps, s.chatter_time = c->time;
    return s;
}

zn_statistics zn_simulation_statistics(const zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return (zn_statistics){0};
    double kinetic, potential;
    zn_simulation_energy(sim, &kinetic, &potential);
    const sim_monitor *m = &sim->monitor;
    const zn_statistics all = {
        .steps = sim->step,
        .rejected = sim->rejected,
        .cut_steps = sim->cut_steps,
        .cut_impacts = sim->cut_impacts,
        .step_min = sim->step_min,
        .step_max = sim->step_max,
        .max_penetration = m->max_penetration,
        .max_g = m->max_g,
        .max_gdot = m->max_gdot,
        .max_gamma = m->max_gamma,
        .energy_start = sim->energy_start,
        .energy_end = kinetic + potential,
        .newton_steps = sim->path_steps[CONE_NEWTON],
        .newton_total = sim->path_iterations[CONE_NEWTON],
        .newton_mean = mean_iterations(sim, CONE_NEWTON),
        .newton_max = sim->path_max[CONE_NEWTON],
        .least_norm_steps = sim->path_steps[CONE_LEAST_NORM],
        .least_norm_total = sim->path_iterations[CONE_LEAST_NORM],
        .least_norm_mean = mean_iterations(sim, CONE_LEAST_NORM),
        .least_norm_max = sim->path_max[CONE_LEAST_NORM],
        .projection_steps = sim->path_steps[CONE_PROJECTION],
        .projection_total = sim->path_iterations[CONE_PROJECTION],
        .projection_mean = mean_iterations(sim, CONE_PROJECTION),
        .projection_max = sim->path_max[CONE_PROJECTION],
        .max_residual = sim->max_residual,
        .staged_accepted = sim->now.staged_accepted,
        .staged_repeated = sim->now.staged_repeated,
        .roundoff_steps = sim->roundoff_steps,
        .roundoff_residual = sim->roundoff_residual,
        .contradiction = sim->contradiction,
        .energy_warnings = sim->impacts.count,
        .contacts_found = sim->contacts.field,
        .found_mean = sim->contacts.steps ? (double)sim->contacts.sum / (double)sim->contacts.steps : (double)sim->contacts.list.count,
        .found_max = sim->contacts.most,
        .found_lists = sim->contacts.changes,
        .missed_pairs = sim->contacts.missed_pairs,
        .max_overlap = sim->contacts.max_overlap,
        .redundant_rows = sim_selection_count(sim),
        .row_choices = sim->selection.made,
        .components_mean = sim->cost.runs ? (double)sim->cost.pieces / (double)sim->cost.runs : 0,
        .components_max = sim->cost.pieces_most,
        .sweeps = sim->cost.sweeps,
        .factorisations = sim->cost.factorisations,
        .linear_solves = sim->cost.solves,
        .cone_seconds = sim->cost.seconds,
        .events_located = sim->located.located,
        .events_captured = sim->located.captured,
        .event_solves = sim->located.solves - sim->located.steps,
        .event_accumulations = sim->located.accumulations,
        .painleve = sim->painleve.count,
        .unfinished_steps = sim->unfinished_steps,
    };
    return with_chatter(all, &sim->chatter);
}
