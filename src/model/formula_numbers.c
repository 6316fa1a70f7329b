/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a formula model that depend on its parameters and can be updated to other values of them without a new model
 * (expr/trace.c). */
#include "model/formula_model.h"
#include "model/machine.h"

#include <stdint.h>

/* A constant, which is not pinned. */
static zn_status parse_constant(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *what,
                                expr *e) {
    zn_status status = formula_parse(s, context, scope, text, e);
    if (status != ZN_OK) return status;
    if (!expr_is_constant(s->graph, *e, NULL))
        return formula_fail(context, text, what, "%s must be a number or a formula over parameters, but '%s' varies", what, text->text);
    double value = expr_peek(s->graph, *e, &(int){0});
    if (!isfinite(value)) return formula_fail(context, text, what, "%s = %s is not a finite number (%g)", what, text->text, value);
    return ZN_OK;
}

zn_status formula_number(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, double otherwise,
                         const char *what, double *out) {
    *out = otherwise;
    if (!text->text) return ZN_OK;
    expr e;
    zn_status status = parse_constant(s, context, scope, text, what, &e);
    if (status == ZN_OK) expr_is_constant(s->graph, e, out);
    return status;
}

zn_status formula_place_number(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *what,
                               formula_value place) {
    *place.number = 0;
    if (!text->text) return ZN_OK;
    expr e;
    zn_status status = parse_constant(s, context, scope, text, what, &e);
    if (status != ZN_OK) return status;
    *place.number = expr_peek(s->graph, e, &place.slot);
    if (!place.slot) return ZN_OK;
    if (!mem_grow(context, (void **)&s->places, &s->place_capacity, s->n_places + 1, sizeof place)) return ZN_ERROR_MEMORY;
    s->places[s->n_places++] = place;
    return ZN_OK;
}

zn_status formula_start(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *name,
                        double *out) {
    return formula_place_number(s, context, scope, text, name, (formula_value){.number = out, .low = -INFINITY, .high = INFINITY});
}

static zn_status add_source(formula_system *s, zn_context *context, const expr_scope *scope, const named_formula *item) {
    int before = expr_count(s->graph), slot = 0, i = s->n_sources;
    expr value;
    zn_status status = parse_constant(s, context, scope, &item->value, item->name, &value);
    if (status != ZN_OK) return status;
    s->sources[i] = expr_peek(s->graph, value, &slot);
    if (!slot) value = expr_source(s->graph, i, value, before);
    s->source_nodes[i] = value;
    s->source_names[i] = mem_text(context, slot ? "" : item->name); /* a parameter that depends on earlier ones is no source */
    s->n_sources++;
    return s->source_names[i] && value != EXPR_NONE ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status formula_sources(formula_system *s, zn_context *context, expr_scope scope, const formula_list *parameters) {
    size_t n = parameters->count;
    expr_name *names = MEM_ARRAY(context, expr_name, n);
    s->source_names = MEM_ARRAY(context, char *, n);
    s->source_nodes = MEM_ARRAY(context, expr, n);
    s->sources = MEM_ARRAY(context, double, n);
    zn_status status = names && s->source_names && s->source_nodes && s->sources ? ZN_OK : ZN_ERROR_MEMORY;
    for (size_t i = 0; i < n && status == ZN_OK; i++) {
        scope.names = names, scope.count = (int)i;
        status = add_source(s, context, &scope, &parameters->items[i]);
        if (status == ZN_OK) names[i] = (expr_name){parameters->items[i].name, s->source_nodes[i]};
    }
    mem_free(context, names);
    return status;
}

/* ---- other values ---- */

int formula_model_source(const zn_model *model, const char *name) {
    const formula_model *m = formula_model_of(model);
    for (int i = 0; m && i < m->owned.n_sources; i++)
        if (!strcmp(m->owned.source_names[i], name)) return i;
    return -1;
}

static bool move_numbers(const formula_system *s, unsigned *changed) {
    for (size_t i = 0; i < s->n_places; i++) {
        const formula_value *p = &s->places[i];
        double value = expr_trace_value(s->trace, p->slot);
        if (!(isfinite(value) && value >= p->low && value <= p->high)) return false;
        if (value != *p->number) *changed |= 1u << p->kind;
        *p->number = value;
    }
    return true;
}

bool formula_model_move(zn_context *context, zn_model *model, int n, const int *sources, const double *values, unsigned *changed) {
    formula_model *m = (formula_model *)(uintptr_t)formula_model_of(model);
    *changed = 0;
    if (!m || !m->owned.trace) return false;
    for (int i = 0; i < n; i++)
        if (sources[i] >= 0) m->owned.sources[sources[i]] = values[i];
    if (!expr_trace_move(m->owned.trace, m->owned.sources) || !move_numbers(&m->owned, changed)) return false;
    for (int i = 0; i < FORMULA_QUESTIONS; i++) expr_tape_move(m->tapes->of[i], m->owned.trace);
    return formula_model_check(context, m) == ZN_OK;
}
