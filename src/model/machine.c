/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a builder: declarations. What a model keeps of them: machine_plan.c. */
#include "model/machine.h"
#include "model/model.h"

const char *const machine_kind_words[MACHINE_KIND_COUNT] = {"an input", "a live parameter", "a sampled value", "a mode",
                                                            "a force or acceleration"};

zn_machine *machine_create(zn_context *context, void *builder, zn_status (*check_name)(void *, const char *, const char *),
                           zn_status (*add_state)(void *, const char *, double, zn_formula)) {
    zn_machine *m = MEM_ARRAY(context, zn_machine, 1);
    if (!m) return NULL;
    m->head = (handle_head){HANDLE_MACHINE, context};
    m->builder = builder;
    m->check_name = check_name;
    m->add_state = add_state;
    return m;
}

static void free_event(zn_context *context, machine_event_text *e) {
    for (int i = 0; i < e->n_sets; i++) {
        if (e->names) mem_free(context, e->names[i]);
        if (e->values) formula_text_free(context, &e->values[i]);
    }
    formula_text_free(context, &e->when);
    formula_text_free(context, &e->condition);
    void *blocks[] = {e->name, e->message, e->names, e->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

void machine_destroy(zn_machine *m) {
    if (!m) return;
    zn_context *context = m->context;
    for (size_t i = 0; i < m->n_values; i++)
        mem_free(context, m->values[i].name), mem_free(context, m->values[i].of), formula_text_free(context, &m->formulas[i]),
            expr_table_release(context, m->values[i].follow);
    for (size_t i = 0; i < m->n_tables; i++) {
        mem_free(context, (void *)(uintptr_t)m->tables[i].name);
        expr_table_release(context, m->tables[i].table);
    }
    for (size_t i = 0; i < m->n_switches; i++)
        mem_free(context, m->switches[i].name), formula_text_free(context, &m->switches[i].condition);
    for (size_t i = 0; i < m->n_events; i++) free_event(context, &m->events[i]);
    void *blocks[] = {m->values, m->start, m->formulas, m->tables, m->switches, m->events};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    handle_retire(&m->head, sizeof *m);
}

int machine_find(const zn_machine *m, const char *name, size_t length) {
    for (size_t i = 0; m && i < m->n_values; i++)
        if (strlen(m->values[i].name) == length && !strncmp(m->values[i].name, name, length)) return (int)i;
    return -1;
}

bool machine_is_function(const machine_value *v) { return v->follow && !v->held; }

expr machine_functions(zn_machine *m, expr_graph *graph, int first, expr e) {
    for (size_t i = 0; m && i < m->n_values && e != EXPR_NONE; i++) {
        if (!machine_is_function(&m->values[i]) || !expr_depends_range(graph, e, first + (int)i, 1)) continue;
        m->values[i].in_positions = true;
        expr function = expr_look_up(graph, m->values[i].follow, 0, expr_variable(graph, 0));
        e = function == EXPR_NONE ? EXPR_NONE : expr_substitute(graph, e, first + (int)i, 1, &function);
    }
    return e;
}

void machine_scope(const zn_machine *m, expr_scope *scope) {
    if (m) scope->n_tables = (int)m->n_tables, scope->tables = m->tables;
}

/* ---- declarations ---- */

static zn_status check_new(zn_machine *m, const char *name, const char *what) {
    zn_context *context = m->context;
    if (!name || !*name) return fail(context, ZN_ERROR_ARGUMENT, "a name is missing: that of %s", what);
    bool taken = machine_find(m, name, strlen(name)) >= 0;
    for (size_t i = 0; i < m->n_tables; i++) taken |= !strcmp(m->tables[i].name, name);
    if (taken) return fail(context, ZN_ERROR_MODEL, "the name '%s' of %s is already taken", name, what);
    return m->check_name(m->builder, name, what);
}

static zn_status add_value(zn_machine *m, const char *name, machine_value value, double start, zn_formula formula) {
    zn_context *context = m->context;
    zn_status status = value.kind == MACHINE_ANSWER ? ZN_OK : check_new(m, name, machine_kind_words[value.kind]);
    if (status != ZN_OK) return status;
    if (!isfinite(start)) return fail(context, ZN_ERROR_ARGUMENT, "'%s' must begin with a finite number, not %g", name, start);
    formula_text text;
    value.name = mem_text(context, name);
    bool good = formula_text_copy(context, &text, formula) && value.name &&
                mem_grow(context, (void **)&m->values, &m->value_room, m->n_values + 1, sizeof *m->values) &&
                mem_grow(context, (void **)&m->start, &m->start_room, m->n_values + 1, sizeof *m->start) &&
                mem_grow(context, (void **)&m->formulas, &m->formula_room, m->n_values + 1, sizeof *m->formulas);
    if (!good) {
        mem_free(context, value.name);
        formula_text_free(context, &text);
        return ZN_ERROR_MEMORY;
    }
    m->start[m->n_values] = start;
    m->formulas[m->n_values] = text;
    m->values[m->n_values++] = value;
    return ZN_OK;
}

zn_status machine_answer(zn_machine *m, const char *name, const char *of) {
    if (machine_find(m, name, strlen(name)) >= 0) return ZN_OK;
    char *copy = mem_text(m->context, of);
    if (!copy) return ZN_ERROR_MEMORY;
    zn_status status = add_value(m, name, (machine_value){.kind = MACHINE_ANSWER, .of = copy}, 0, (zn_formula){0});
    if (status != ZN_OK) mem_free(m->context, copy);
    return status;
}

zn_status zn_machine_input(zn_machine *m, const char *name, double start) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    return add_value(m, name, (machine_value){.kind = MACHINE_INPUT}, start, (zn_formula){0});
}

zn_status zn_machine_parameter(zn_machine *m, const char *name, double value) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    return add_value(m, name, (machine_value){.kind = MACHINE_PARAMETER}, value, (zn_formula){0});
}

zn_status zn_machine_mode(zn_machine *m, const char *name, bool on) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    return add_value(m, name, (machine_value){.kind = MACHINE_MODE}, on, (zn_formula){0});
}

zn_status zn_machine_sampled(zn_machine *m, const char *name, double start, double every, zn_formula value) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    if (!(every > 0) || !isfinite(every))
        return fail(m->context, ZN_ERROR_ARGUMENT, "the time between samples of '%s' must be positive, but is %g", name ? name : "", every);
    if (!value.text) return fail(m->context, ZN_ERROR_ARGUMENT, "the sampled value '%s' needs a formula", name ? name : "");
    return add_value(m, name, (machine_value){.kind = MACHINE_SAMPLED, .every = every}, start, value);
}

zn_status zn_machine_state(zn_machine *m, const char *name, double start, zn_formula rate) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    zn_status status = check_new(m, name, "a state");
    if (status != ZN_OK) return status;
    if (!isfinite(start)) return fail(m->context, ZN_ERROR_ARGUMENT, "'%s' must begin with a finite number, not %g", name, start);
    if (!rate.text) return fail(m->context, ZN_ERROR_ARGUMENT, "the state '%s' needs a rate", name);
    return m->add_state(m->builder, name, start, rate);
}

zn_status machine_make_table(zn_context *context, const zn_table_def *def, bool held, expr_table **table) {
    *table = NULL;
    if (!def->x || !def->y) return fail(context, ZN_ERROR_ARGUMENT, "a table needs its points: x and y must not be NULL");
    if ((int)def->interpolation < 0 || def->interpolation > ZN_INTERPOLATION_CUBIC)
        return fail(context, ZN_ERROR_ARGUMENT, "unknown interpolation %d of a table", (int)def->interpolation);
    if (held && def->periodic) return fail(context, ZN_ERROR_ARGUMENT, "a table that is held cannot be periodic");
    const expr_table_def given = {def->n, def->x, def->y, def->interpolation == ZN_INTERPOLATION_CUBIC && !held, def->periodic};
    return expr_table_create(context, &given, table);
}

zn_status zn_machine_table(zn_machine *m, const char *name, const zn_table_def *def) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    NEED_DEF(m->context, def);
    zn_status status = check_new(m, name, "a table");
    expr_table *table = NULL;
    if (status == ZN_OK) status = machine_make_table(m->context, def, false, &table);
    if (status != ZN_OK) return status;
    char *copy = mem_text(m->context, name);
    if (copy && mem_grow(m->context, (void **)&m->tables, &m->table_room, m->n_tables + 1, sizeof *m->tables)) {
        m->tables[m->n_tables++] = (expr_table_name){copy, table};
        return ZN_OK;
    }
    mem_free(m->context, copy);
    expr_table_release(m->context, table);
    return ZN_ERROR_MEMORY;
}

zn_status zn_machine_follow(zn_machine *m, const char *input, const zn_table_def *def, bool held) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    NEED(m->context, input);
    NEED_DEF(m->context, def);
    int index = machine_find(m, input, strlen(input));
    if (index < 0 || (m->values[index].kind != MACHINE_INPUT && m->values[index].kind != MACHINE_PARAMETER))
        return fail(m->context, ZN_ERROR_ARGUMENT, "there is no input '%.60s' that could follow a table", input);
    expr_table *table = NULL;
    zn_status status = machine_make_table(m->context, def, held, &table);
    if (status != ZN_OK) return status;
    expr_table_release(m->context, m->values[index].follow);
    m->values[index].follow = table, m->values[index].held = held;
    return ZN_OK;
}

zn_status zn_machine_switch(zn_machine *m, const char *name, zn_formula condition) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    if (!name || !*name) return fail(m->context, ZN_ERROR_ARGUMENT, "a switch needs the name of what it switches");
    if (!condition.text) return fail(m->context, ZN_ERROR_ARGUMENT, "the switch of '%s' needs a condition", name);
    for (size_t i = 0; i < m->n_switches; i++)
        if (!strcmp(m->switches[i].name, name)) return fail(m->context, ZN_ERROR_MODEL, "'%s' has two conditions", name);
    machine_switch item = {.name = mem_text(m->context, name)};
    if (formula_text_copy(m->context, &item.condition, condition) && item.name &&
        mem_grow(m->context, (void **)&m->switches, &m->switch_room, m->n_switches + 1, sizeof *m->switches)) {
        m->switches[m->n_switches++] = item;
        return ZN_OK;
    }
    mem_free(m->context, item.name);
    formula_text_free(m->context, &item.condition);
    return ZN_ERROR_MEMORY;
}

/* ---- events ---- */

static zn_status check_event(zn_machine *m, const zn_event_def *def) {
    zn_context *context = m->context;
    if (!def->name || !*def->name) return fail(context, ZN_ERROR_ARGUMENT, "an event needs a name");
    for (size_t i = 0; i < m->n_events; i++)
        if (!strcmp(m->events[i].name, def->name)) return fail(context, ZN_ERROR_MODEL, "there are two events named '%s'", def->name);
    if (!def->when.text) return fail(context, ZN_ERROR_ARGUMENT, "the event '%s' needs a formula that is zero when it happens", def->name);
    if ((int)def->direction < 0 || def->direction > ZN_DIRECTION_DOWN)
        return fail(context, ZN_ERROR_ARGUMENT, "unknown direction %d of the event '%s'", (int)def->direction, def->name);
    if (def->n_sets < 0 || (def->n_sets && !def->sets))
        return fail(context, ZN_ERROR_ARGUMENT, "the event '%s' sets %d values%s", def->name, def->n_sets,
                    def->n_sets < 0 ? "" : ", but does not say which");
    for (int i = 0; i < def->n_sets; i++)
        if (!def->sets[i].name || !def->sets[i].value.text)
            return fail(context, ZN_ERROR_ARGUMENT, "what the event '%s' sets needs a name and a value", def->name);
    return ZN_OK;
}

zn_status zn_machine_event(zn_machine *m, const zn_event_def *def) {
    NEED_HANDLE(m, HANDLE_MACHINE);
    NEED_DEF(m->context, def);
    zn_context *context = m->context;
    zn_status status = check_event(m, def);
    if (status != ZN_OK) return status;
    if (!mem_grow(context, (void **)&m->events, &m->event_room, m->n_events + 1, sizeof *m->events)) return ZN_ERROR_MEMORY;
    machine_event_text *e = &m->events[m->n_events];
    *e = (machine_event_text){.n_sets = def->n_sets, .direction = def->direction, .stop = def->stop, .record = def->record};
    e->name = mem_text(context, def->name);
    e->message = def->message ? mem_text(context, def->message) : mem_format(context, "event '%s'", def->name);
    e->names = MEM_ARRAY(context, char *, def->n_sets);
    e->values = MEM_ARRAY(context, formula_text, def->n_sets);
    bool good = e->name && e->message && e->names && e->values && formula_text_copy(context, &e->when, def->when) &&
                formula_text_copy(context, &e->condition, def->condition);
    for (int i = 0; good && i < def->n_sets; i++)
        good = (e->names[i] = mem_text(context, def->sets[i].name)) && formula_text_copy(context, &e->values[i], def->sets[i].value);
    if (good) m->n_events++;
    else free_event(context, e);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}
