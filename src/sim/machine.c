/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are constant within a step: those of this simulation, which its own copy of the model reads.
 *
 *   samples   at k every, k = 0, 1 ...: steps land there; all formulas see the values before
 *   changes   of values between steps: accelerations and forces that a scheme carries start again; where constraints are switched, other
 * rows are
 *             chosen, and velocities meet the new ones as after an impact without restitution: M (u+ - u-) = W P, c1(u+) = 0
 *
 * What is remembered stands in one block of numbers, `memory`. */
#include "model/machine.h"
#include "base/nearest.h"
#include "sim/simulation.h"

#include <stdio.h>

/* Every sample ends a step. With as many as this within one step of the settings, or until the end where steps are chosen, `every` is a
 * slip of the pen: the run would take days, and below the resolution of t it would not move at all. */
static const double samples_in_step = 1e6, samples_in_run = 1e10;

static zn_status check_samples(const zn_simulation *sim, const machine_plan *of) {
    const zn_settings *settings = &sim->settings;
    bool fixed = settings->step > 0 && !settings->step_auto;
    double most = fixed ? samples_in_step : samples_in_run, span = fixed ? settings->step : settings->end;
    for (int i = 0; i < of->n_values; i++) {
        const double every = of->values[i].every;
        if (of->values[i].kind != MACHINE_SAMPLED || !isfinite(span) || every * most >= span) continue;
        const formula_text *text = &of->probes[of->values[i].probe].text;
        const error_place place = {.file = text->file, .line = text->line, .column = text->column, .time = NAN};
        return fail_at(sim->context, ZN_ERROR_ARGUMENT, &place,
                       "sampled value '%s': every: %g gives %.3g samples %s, each of which ends a step; at most %g are allowed",
                       of->values[i].name, every, span / every, fixed ? "within one step" : "until the end", most);
    }
    return ZN_OK;
}

zn_status sim_machine_create(zn_simulation *sim) {
    sim_machine *m = &sim->machine;
    const machine_plan *of = sim->given->machine;
    m->landing = INFINITY;
    if (!of) return ZN_OK;
    if (check_samples(sim, of) != ZN_OK) return ZN_ERROR_ARGUMENT;
    size_t values = (size_t)of->n_values, events = (size_t)of->n_events;
    m->of = of;
    m->count = 2 * values + 5 * events;
    m->memory = MEM_ARRAY(sim->context, double, m->count + 2 * (size_t)sim->given->n_probes + 4 * events);
    m->q = MEM_ARRAY(sim->context, double, sim->given->size.nq + 2 * sim->given->size.nu);
    m->follow = MEM_ARRAY(sim->context, expr_table *, values);
    m->held = MEM_ARRAY(sim->context, bool, values);
    if (!m->memory || !m->q || !m->follow || !m->held) return ZN_ERROR_MEMORY;
    m->values = m->memory, m->samples = m->values + values;
    m->side = m->samples + values, m->reach = m->side + events, m->burst = m->reach + events, m->burst_begin = m->burst + events;
    m->fate = m->burst_begin + events;
    m->probes = m->memory + m->count, m->other = m->probes + sim->given->n_probes, m->seen = m->other + sim->given->n_probes;
    m->at = m->seen + events, m->left = m->at + events, m->before = m->left + events;
    m->u = m->q + sim->given->size.nq, m->rate = m->u + sim->given->size.nu;
    for (int i = 0; i < of->n_values; i++) m->timed = m->timed || of->values[i].kind == MACHINE_SAMPLED;
    memcpy(m->values, of->start, values * sizeof *m->values);
    for (size_t i = 0; i < values; i++)
        if (of->values[i].follow) {
            m->follow[i] = expr_table_keep(of->values[i].follow), m->held[i] = of->values[i].held, m->following = true;
            m->timed = m->timed || m->held[i];
            if (!m->held[i]) m->values[i] = expr_table_value(m->follow[i], 0, sim->now.t);
        }
    zn_status status = model_bind(sim->context, sim->given, m->values, &m->model);
    if (status == ZN_OK) sim->base = sim->model = m->model;
    return status;
}

void sim_machine_destroy(zn_simulation *sim) {
    model_free(sim->context, sim->machine.model);
    mem_free(sim->context, sim->machine.memory);
    for (int i = 0; sim->machine.follow && i < sim->machine.of->n_values; i++) expr_table_release(sim->context, sim->machine.follow[i]);
    mem_free(sim->context, sim->machine.follow);
    mem_free(sim->context, sim->machine.held);
    mem_free(sim->context, sim->machine.q);
    mem_free(sim->context, sim->machine.log);
    mem_free(sim->context, sim->machine.log_values);
    sim->machine = (sim_machine){0};
}

zn_status sim_machine_finite(zn_simulation *sim, int probe, double t, double value) {
    const machine_probe_text *of = &sim->machine.of->probes[probe];
    error_place place = {.file = of->text.file, .line = of->text.line, .column = of->text.column, .time = t};
    if (isfinite(value)) return ZN_OK;
    return fail_at(sim->context, ZN_ERROR_NOT_FINITE, &place, "%s '%s': its formula '%s' is not finite " MODEL_OUT_OF_RANGE, of->what,
                   of->name, of->text.text);
}

zn_status sim_machine_probe(zn_simulation *sim, double t, const double *q, const double *u, double *out) {
    const zn_model *model = sim->base;
    if (!model->n_probes) return ZN_OK;
    if (model->probes(model, sim->monitor.at.work, &(zn_point){.t = t, .q = q, .u = u}, out)) return ZN_ERROR_NOT_FINITE;
    zn_status status = ZN_OK;
    for (int i = 0; i < model->n_probes && status == ZN_OK; i++)
        if (!sim->machine.of->probes[i].late) status = sim_machine_finite(sim, i, t, out[i]);
    return status;
}

/* ---- accelerations and forces for outputs ---- */

static bool has_answers(const sim_machine *m) {
    for (int i = 0; m->of && i < m->of->n_values; i++)
        if (m->of->values[i].of) return true;
    return false;
}

/* Those of the scheme, or of the smooth motion that goes on from the state at hand. */
static zn_status find_forces(const zn_simulation *sim, double *a, double *lambda) {
    const zn_model *seen = sim_scheme_model(sim);
    const zn_point at = {.t = sim->view.t, .q = sim->view.q, .u = sim->view.u};
    if (sim->scheme->class->forces && at.t == sim->now.t) {
        const double *own_a, *own_lambda;
        sim_forces(sim, &own_a, &own_lambda);
        memcpy(a, own_a, (size_t)seen->size.nu * sizeof *a);
        memcpy(lambda, own_lambda, (size_t)model_rows(sim->model) * sizeof *lambda);
        return ZN_OK;
    }
    problem_scales scales; /* a copy: those of the scheme are not to notice */
    zn_settings settings = sim->settings;
    if (sim->contradiction == 0 || seen != sim->model) settings.contradiction = 0;
    zn_status status = scales_create(sim->context, seen, settings.tolerance, &scales);
    if (status != ZN_OK) return status;
    scales_take(&scales, &sim->scheme->scales);
    status = sim_start_forces(sim->context, seen, &settings, &scales, &at, a, lambda);
    if (status == ZN_OK) sim_selection_spread(sim, &at, lambda);
    scales_destroy(sim->context, &scales);
    return status;
}

/* W lambda of the rows of a joint, at one velocity. */
static double sum_rows(const zn_simulation *sim, const machine_value *v, const double *W, const double *lambda) {
    const zn_pattern *p = &sim->model->pattern.W;
    double sum = 0;
    for (int row = v->first; row < v->first + v->count; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            if (p->index[e] == v->index) sum += W[e] * lambda[row];
    return sum;
}

static double sum_contacts(const zn_simulation *sim, const machine_value *v, const double *lambda) {
    double sum = 0;
    for (int k = v->first; k < v->first + v->count; k++) {
        const zn_contact *c = &sim->base->contacts[k];
        sum += lambda[sim_row_of_base(sim, v->index < 0 ? c->row_N : c->row_F + v->index)];
    }
    return sum;
}

/* What the rows of a contact do to a velocity. */
static double push(const zn_simulation *sim, const zn_contact *contact, int velocity, const double *W, const double *lambda) {
    const zn_pattern *p = &sim->model->pattern.W;
    double sum = 0;
    for (int k = contact->row_N < 0 ? 0 : -1; k < contact->nF; k++) {
        int row = k < 0 ? contact->row_N : contact->row_F + k;
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            if (p->index[e] == velocity) sum += W[e] * lambda[row];
    }
    return sum;
}

static double sum_pushes(const zn_simulation *sim, const machine_value *v, const double *W, const double *lambda) {
    double sum = 0;
    for (int k = v->first; k < v->first + v->count; k++) sum += push(sim, &sim->model->contacts[k], v->index, W, lambda);
    return sum;
}

/* Of the contacts that a rule has found: their normal forces, or what they do to a velocity. */
static double sum_rule(const zn_simulation *sim, const machine_value *v, const double *W, const double *lambda) {
    const sim_contacts *c = &sim->contacts;
    double sum = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        const collide_candidate *met = &c->list.at[i].candidate;
        const zn_contact *contact = &sim->model->contacts[(size_t)sim->base->size.n_contacts + i];
        if (contact_field_rule_of(c->field, met->shape[0], met->shape[1]) != v->first) continue;
        sum += v->index < 0 ? lambda[contact->row_N] : push(sim, contact, v->index, W, lambda);
    }
    return sum;
}

zn_status sim_machine_answers(const zn_simulation *sim) {
    const sim_machine *m = &sim->machine;
    if (!has_answers(m)) return ZN_OK;
    double *a = MEM_ARRAY(sim->context, double, sim->model->size.nu), *lambda = MEM_ARRAY(sim->context, double, model_rows(sim->model));
    double *W = MEM_ARRAY(sim->context, double, lin_nnz(&sim->model->pattern.W));
    zn_status status = a && lambda && W ? find_forces(sim, a, lambda) : ZN_ERROR_MEMORY;
    if (status == ZN_OK && sim->model->balance(sim->model, sim->monitor.at.work,
                                               &(zn_point){.t = sim->view.t, .q = sim->view.q, .u = sim->view.u}, &(zn_balance){.W = W}))
        status = ZN_ERROR_NOT_FINITE;
    for (int i = 0; status == ZN_OK && i < m->of->n_values; i++) {
        const machine_value *v = &m->of->values[i];
        if (!v->of) continue;
        m->values[i] = v->answer == ANSWER_ACCELERATION ? a[v->index]
                       : v->answer == ANSWER_ROW        ? lambda[v->index]
                       : v->answer == ANSWER_JOINT      ? v->sign * sum_rows(sim, v, W, lambda)
                       : v->answer == ANSWER_RULE       ? sum_rule(sim, v, W, lambda)
                       : v->answer == ANSWER_PUSH       ? sum_pushes(sim, v, W, lambda)
                                                        : sum_contacts(sim, v, lambda);
    }
    mem_free(sim->context, W);
    mem_free(sim->context, a);
    mem_free(sim->context, lambda);
    return status;
}

void sim_machine_forget(const zn_simulation *sim) {
    const sim_machine *m = &sim->machine;
    for (int i = 0; m->of && i < m->of->n_values; i++)
        if (m->of->values[i].of) m->values[i] = 0;
}

/* ---- samples ---- */

/* The time of the next sample, or of the next value of a table that is held; INFINITY: none. */
static double next_sample(const sim_machine *m, int i) {
    const expr_table *table = m->held[i] ? m->follow[i] : NULL;
    if (table) return m->samples[i] < table->n ? table->x[(int)m->samples[i]] : INFINITY;
    return m->of->values[i].kind == MACHINE_SAMPLED ? m->samples[i] * m->of->values[i].every : INFINITY;
}

static bool is_due(const zn_simulation *sim, int i) {
    double t = next_sample(&sim->machine, i), every = sim->machine.of->values[i].every;
    return t <= sim->now.t + SIM_STEP_ROUNDOFF * (every > 0 ? every : sim_fixed_step(sim));
}

void sim_machine_follow(zn_simulation *sim, double t, double h) {
    sim_machine *m = &sim->machine;
    for (int i = 0; m->following && i < m->of->n_values; i++)
        if (m->follow[i] && !m->held[i]) m->values[i] = expr_table_value(m->follow[i], 0, t + h / 2);
}

double sim_machine_target(const zn_simulation *sim) {
    const sim_machine *m = &sim->machine;
    double target = m->landing;
    for (int i = 0; m->timed && i < m->of->n_values; i++) target = smaller(target, next_sample(m, i));
    return target;
}

/* Positions do not jump: a value that stands in a bilateral constraint on position level, as in a position drive, cannot become another
 * one. */
static zn_status check_jump(zn_simulation *sim, int i, double value) {
    const zn_model *model = sim->model;
    answers *at = &sim->monitor.at;
    const zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    double *values = sim->machine.values, before = values[i];
    if (!at->work || model->size.ng == 0 || value == before) return ZN_OK;
    zn_constraints wanted[2] = {{.c0 = at->c0}, {.c0 = at->c2}};
    bool fine = model->constraints(model, at->work, &now, &wanted[0]) == 0;
    values[i] = value;
    fine = model->constraints(model, at->work, &now, &wanted[1]) == 0 && fine;
    values[i] = before;
    for (int row = 0; fine && row < model->size.ng; row++) {
        double jump = fabs(at->c2[row] - at->c0[row]);
        if (jump <= SIM_STEP_ROUNDOFF * larger(fabs(value), fabs(before))) continue;
        return fail(sim->context, ZN_ERROR_ARGUMENT,
                    "the constraint '%s' would jump by %g because '%s' becomes %g after %g, but positions cannot jump: in the scene, give "
                    "such an input a table with 'interpolation: linear' or 'cubic', or use it to drive a velocity, as the rate of a state, "
                    "or as the target of a servo",
                    model->bilateral_names[row], jump, sim->machine.of->values[i].name, value, before);
    }
    return ZN_OK;
}

/* Those that are due now. */
static zn_status sample(zn_simulation *sim, bool *changed) {
    sim_machine *m = &sim->machine;
    bool due = false;
    for (int i = 0; m->timed && i < m->of->n_values; i++) due = due || is_due(sim, i);
    if (!due) return ZN_OK;
    zn_status status = sim_machine_probe(sim, sim->now.t, sim->now.q, sim->now.u, m->probes);
    for (int i = 0; status == ZN_OK && i < m->of->n_values; i++)
        while (is_due(sim, i)) {
            double value =
                m->held[i] ? expr_table_value(m->follow[i], 0, m->follow[i]->x[(int)m->samples[i]]) : m->probes[m->of->values[i].probe];
            if (!m->held[i] && (status = sim_machine_finite(sim, m->of->values[i].probe, sim->now.t, value)) != ZN_OK) return status;
            m->samples[i]++;
            if ((status = check_jump(sim, i, value)) != ZN_OK) return status;
            if (m->values[i] != value) sim_work_leave(sim);
            *changed = *changed || m->values[i] != value;
            m->values[i] = value;
        }
    return status;
}

/* ---- changes ---- */

static zn_status begin_scheme(zn_simulation *sim) {
    const zn_model *seen = sim_scheme_model(sim);
    scheme_state *now = &sim->now;
    double *a0 = NULL, *lambda0 = NULL;
    zn_status status = ZN_OK;
    if (sim->scheme->class->needs_start_forces) {
        a0 = MEM_ARRAY(sim->context, double, seen->size.nu);
        lambda0 = MEM_ARRAY(sim->context, double, model_rows(seen));
        if (!a0 || !lambda0) status = ZN_ERROR_MEMORY;
        zn_settings settings = sim->settings;
        if (sim->contradiction == 0 || seen != sim->model) settings.contradiction = 0;
        if (status == ZN_OK)
            status = sim_start_forces(sim->context, seen, &settings, &sim->scheme->scales,
                                      &(zn_point){.t = now->t, .q = now->q, .u = now->u}, a0, lambda0);
    }
    if (status == ZN_OK) status = sim->scheme->class->start(sim->scheme, now, a0, lambda0);
    mem_free(sim->context, a0);
    mem_free(sim->context, lambda0);
    return status;
}

zn_status sim_machine_changed(zn_simulation *sim, bool moved, bool switched) {
    zn_status status = ZN_OK;
    sim_work_leave(sim);
    sim->work.known = false;
    sim->machine.was_set = false;
    sim_switches_forget(sim);
    sim->located.modes.known = sim->located.start_known = false;
    if (moved) sim->contacts.posed = false;
    status = sim_contacts_switch(sim);
    if (status != ZN_OK) return status;
    if (moved || switched) status = sim_start_velocities(sim->context, sim->model, sim->now.t, sim->now.q, sim->now.u);
    if (status == ZN_OK && sim->machine.of && sim->machine.of->switches_rows) status = sim_selection_again(sim);
    if (status == ZN_OK && (moved || switched || sim->scheme->class->needs_start_forces)) status = begin_scheme(sim);
    if (status == ZN_OK && (moved || switched)) status = sim_monitor_look(&sim->monitor, &sim->now);
    if (status == ZN_OK && sim->settings.step_auto) sim_control_restart(sim);
    sim_work_return(sim);
    if (sim->machine.following) sim_work_leave(sim); /* steps set values again */
    return status;
}

zn_status sim_machine_begin(zn_simulation *sim) {
    bool changed = false, is_left = sim->work.is_left;
    if (!sim->machine.of) return ZN_OK;
    zn_status status = sample(sim, &changed);
    if (status == ZN_OK) status = sim_contacts_switch(sim);
    sim->work.is_left = is_left; /* a motion begins with these values: they change nothing */
    return status == ZN_OK ? sim_events_start(sim) : status;
}

zn_status sim_machine_elsewhere(zn_simulation *sim) {
    if (!sim->machine.of) return ZN_OK;
    sim->machine.landing = INFINITY;
    sim->machine.stopped = 0;
    return sim_events_start(sim);
}

zn_status sim_machine_before_step(zn_simulation *sim) {
    return sim->machine.was_set ? sim_machine_changed(sim, false, sim->machine.of->switches_rows) : ZN_OK;
}

zn_status sim_machine_after_step(zn_simulation *sim) {
    bool changed = false;
    if (!sim->machine.of) return ZN_OK;
    zn_status status = sim_events_fire(sim);
    if (status == ZN_OK) status = sample(sim, &changed);
    return status == ZN_OK && changed ? sim_machine_changed(sim, false, sim->machine.of->switches_rows) : status;
}

/* ---- inputs ---- */

static bool may_be_set(const machine_value *value) { return value->kind == MACHINE_INPUT || value->kind == MACHINE_PARAMETER; }

static zn_status find(const zn_simulation *sim, const char *name, int *index) {
    const machine_plan *of = sim->machine.of;
    const char *near = NULL;
    int best = 0, known = 0;
    char names[200];
    size_t used = 0;
    for (int i = 0; of && i < of->n_values; i++) {
        if (!strcmp(of->values[i].name, name)) {
            *index = i;
            return ZN_OK;
        }
        if (may_be_set(&of->values[i]) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", known++ ? ", " : "", of->values[i].name);
        int distance = nearest_distance(name, of->values[i].name);
        if (nearest_is_close(name, distance) && (!near || distance < best)) near = of->values[i].name, best = distance;
    }
    if (near) return fail(sim->context, ZN_ERROR_ARGUMENT, "the model has no input '%.60s' (did you mean '%s'?)", name, near);
    return fail(sim->context, ZN_ERROR_ARGUMENT, "the model has no input '%.60s'; %s%s%s", name, known ? "it has " : "it has none",
                known ? names : "", used < sizeof names ? "" : " ...");
}

zn_status zn_simulation_set_input(zn_simulation *sim, const char *name, double value) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    NEED(sim->context, name);
    int index;
    zn_status status = find(sim, name, &index);
    if (status != ZN_OK) return status;
    if (!may_be_set(&sim->machine.of->values[index]))
        return fail(sim->context, ZN_ERROR_ARGUMENT, "'%s' is not an input, but %s of the model: it cannot be set", name,
                    machine_kind_words[sim->machine.of->values[index].kind]);
    if (sim->machine.follow[index]) return fail(sim->context, ZN_ERROR_ARGUMENT, "the input '%s' follows a table: it cannot be set", name);
    if (!isfinite(value)) return fail(sim->context, ZN_ERROR_ARGUMENT, "the input '%s' must be a finite number, not %g", name, value);
    status = check_jump(sim, index, value);
    if (status != ZN_OK) return status;
    if (sim->machine.values[index] != value) sim_work_leave(sim), sim->machine.was_set = true;
    sim->machine.values[index] = value;
    sim_work_return(sim);
    return ZN_OK;
}

/* The table is taken. */
static zn_status follow(zn_simulation *sim, int index, expr_table *table, bool held) {
    sim_machine *m = &sim->machine;
    bool changed = false;
    expr_table_release(sim->context, m->follow[index]);
    m->follow[index] = table, m->held[index] = held, m->following = true;
    m->timed = m->timed || held;
    m->samples[index] = 0;
    m->was_set = true;
    sim_work_leave(sim);
    if (!held) m->values[index] = expr_table_value(table, 0, sim->now.t);
    zn_status status = sample(sim, &changed);
    sim_work_return(sim);
    sim_work_leave(sim); /* steps set it again */
    return status;
}

zn_status zn_simulation_follow(zn_simulation *sim, const char *input, const zn_table_def *table, bool held) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    NEED(sim->context, input);
    NEED_DEF(sim->context, table);
    int index;
    sim_machine *m = &sim->machine;
    zn_status status = find(sim, input, &index);
    if (status != ZN_OK) return status;
    if (!may_be_set(&m->of->values[index]))
        return fail(sim->context, ZN_ERROR_ARGUMENT, "'%s' is not an input, but %s of the model: it cannot be set", input,
                    machine_kind_words[m->of->values[index].kind]);
    if (m->of->values[index].in_positions)
        return fail(sim->context, ZN_ERROR_ARGUMENT,
                    "positions follow the table of the input '%s': another table must be given in the scene", input);
    expr_table *made = NULL;
    status = machine_make_table(sim->context, table, held, &made);
    for (int i = 0; status == ZN_OK && i < table->n; i++) status = check_jump(sim, index, table->y[i]);
    if (status == ZN_OK) return follow(sim, index, made, held);
    expr_table_release(sim->context, made);
    return status;
}

zn_status sim_machine_follow_as(zn_simulation *sim, const zn_simulation *other) {
    zn_status status = ZN_OK;
    for (int i = 0; other->machine.following && i < other->machine.of->n_values && status == ZN_OK; i++)
        if (other->machine.follow[i]) status = follow(sim, i, expr_table_keep(other->machine.follow[i]), other->machine.held[i]);
    return status;
}

zn_status zn_simulation_input(const zn_simulation *sim, const char *name, double *value) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    NEED(sim->context, name);
    NEED(sim->context, value);
    int index;
    zn_status status = find(sim, name, &index);
    *value = status == ZN_OK ? sim->machine.values[index] : NAN;
    return status;
}

bool sim_input(const zn_simulation *sim, int index, sim_input_now *now) {
    const sim_machine *m = &sim->machine;
    if (!m->of || index >= m->of->n_values) return false;
    *now = (sim_input_now){.name = m->of->values[index].name,
                           .may_be_set = may_be_set(&m->of->values[index]),
                           .parameter = m->of->values[index].kind == MACHINE_PARAMETER,
                           .changed = m->values[index] != m->of->start[index],
                           .value = m->values[index],
                           .table = m->follow[index],
                           .held = m->held[index]};
    return true;
}

const char *zn_simulation_input_name(const zn_simulation *sim, int index) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || index < 0 || !sim->machine.of) return NULL;
    for (int i = 0; i < sim->machine.of->n_values; i++)
        if (may_be_set(&sim->machine.of->values[i]) && index-- == 0) return sim->machine.of->values[i].name;
    return NULL;
}
