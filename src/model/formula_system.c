/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as expressions, and rows made of them: what formulas of all kinds share.
 *
 * A row on position level c0 has the velocity level c1 = (dc0/dq) q' + dc0/dt.                                               */
#include "model/machine.h"

#include <stdarg.h>
#include <stdio.h>

bool formula_text_copy(zn_context *context, formula_text *to, zn_formula from) {
    *to = (formula_text){.line = from.line, .column = from.column};
    if (!from.text) return true;
    to->text = mem_text(context, from.text);
    if (from.file) to->file = mem_text(context, from.file);
    return to->text && (to->file || !from.file);
}

void formula_text_free(zn_context *context, formula_text *text) {
    mem_free(context, text->text);
    mem_free(context, text->file);
    *text = (formula_text){0};
}

zn_formula formula_of(const formula_text *text) {
    return (zn_formula){text->text ? text->text : "0", text->file, text->line, text->column};
}

zn_status formula_fail(zn_context *context, const formula_text *text, const char *subject, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_place place = {.file = text->file, .line = text->line, .column = text->column, .subject = subject, .time = NAN};
    return fail_at(context, ZN_ERROR_MODEL, &place, "%s", message);
}

zn_status formula_parse(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text, expr *out) {
    return expr_parse(system->graph, context, scope, formula_of(text), out);
}

int formula_variables(formula_system *s, expr e, int first, int count) {
    int found = expr_variables(s->graph, 1, &e, first, count, s->list);
    if (found < 0) s->out_of_memory = true;
    return found > 0 ? found : 0;
}

/* Missing rates are reported later. */
bool formula_tell_motion(formula_system *s) {
    expr_graph *g = s->graph;
    s->moves = expr_keep_derivative(g, expr_variable(g, 0), EXPR_MOTION, expr_constant(g, 1));
    for (int i = 0; s->moves && i < s->size.nq; i++)
        s->moves = s->qdot[i] == EXPR_NONE || expr_keep_derivative(g, expr_variable(g, s->q + i), EXPR_MOTION, s->qdot[i]);
    for (int i = 0; s->moves && i < s->size.nu; i++)
        s->moves = expr_keep_derivative(g, expr_variable(g, s->u + i), EXPR_MOTION, expr_variable(g, s->a + i));
    return s->moves;
}

bool formula_linear_in_u(formula_system *s, expr e) {
    for (int k = 0, n = formula_variables(s, e, s->u, s->size.nu); k < n; k++)
        if (expr_depends_range(s->graph, expr_derivative(s->graph, e, s->u + s->list[k]), s->u, s->size.nu)) return false;
    return true;
}

expr formula_rate(formula_system *s, expr c0) {
    expr_graph *g = s->graph;
    expr c1 = expr_derivative(g, c0, 0);
    for (int k = 0, n = formula_variables(s, c0, s->q, s->size.nq); k < n; k++)
        c1 = expr_binary(g, EXPR_ADD, c1, expr_binary(g, EXPR_MUL, expr_derivative(g, c0, s->q + s->list[k]), s->qdot[s->list[k]]));
    return c1;
}

/* ---- rows ---- */

zn_status formula_position_row(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *name,
                               const char *kind, formula_row *row) {
    zn_status status = formula_parse(s, context, scope, text, &row->c0);
    if (status == ZN_OK && (row->c0 = machine_functions(s->machine, s->graph, s->input, row->c0)) == EXPR_NONE) status = ZN_ERROR_MEMORY;
    if (status != ZN_OK) return status;
    if (expr_depends_range(s->graph, row->c0, s->u, s->size.nu))
        return formula_fail(context, text, name, "the %s of '%s' must not depend on velocities", kind, name);
    if (!expr_depends_range(s->graph, row->c0, s->q, s->size.nq))
        return formula_fail(context, text, name, "the %s of '%s' does not depend on any coordinate", kind, name);
    row->c1 = formula_rate(s, row->c0);
    if (row->c1 == EXPR_NONE) return ZN_ERROR_MEMORY;
    if (!formula_linear_in_u(s, row->c1))
        return formula_fail(context, text, name, "the %s of '%s' depends on a state whose rate is not linear in the velocities", kind,
                            name);
    return ZN_OK;
}

zn_status formula_velocity_row(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *name,
                               const char *kind, formula_row *row) {
    row->c0 = EXPR_NONE;
    zn_status status = formula_parse(s, context, scope, text, &row->c1);
    if (status != ZN_OK) return status;
    if (!formula_linear_in_u(s, row->c1))
        return formula_fail(context, text, name, "the %s of '%s' must be linear in the velocities", kind, name);
    if (!expr_depends_range(s->graph, row->c1, s->u, s->size.nu))
        return formula_fail(context, text, name, "the %s of '%s' does not depend on any velocity", kind, name);
    return ZN_OK;
}

/* ---- switches ---- */

void formula_switch_rows(formula_system *s, expr condition, int first, int count) {
    expr_graph *g = s->graph;
    expr zero = expr_constant(g, 0), one = expr_constant(g, 1);
    int row_N = s->size.ng + s->size.ny, row_F = row_N + s->size.nN;
    for (int i = first; i < first + count; i++) {
        formula_row *row = &s->rows[i];
        bool gap = i >= row_N && i < row_F;
        if (row->c0 != EXPR_NONE) row->c0 = expr_if(g, condition, row->c0, gap ? one : zero); /* a contact that is off is open */
        row->c1 = expr_if(g, condition, row->c1, zero);
        s->switches_rows |= i < row_N;
    }
}

zn_status formula_check_condition(formula_system *s, zn_context *context, const formula_text *text, expr condition) {
    if (!expr_depends_range(s->graph, condition, 0, s->input)) return ZN_OK;
    return formula_fail(context, text, "if", "a condition must be constant within a step: modes, inputs, sampled values and parameters");
}

static void free_names(zn_context *context, char **names, int count) {
    for (int i = 0; names && i < count; i++) mem_free(context, names[i]);
    mem_free(context, names);
}

void formula_system_free(zn_context *context, formula_system *s) {
    expr_graph_destroy(s->graph);
    void *blocks[] = {s->q_start, s->u_start, s->qdot,    s->M,      s->h,    s->p,     s->b,       s->force,        s->rows,   s->contacts,
                      s->balls,   s->scales,  s->outputs, s->probes, s->list, s->state, s->sources, s->source_nodes, s->places, s->chain};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    expr_trace_destroy(s->trace);
    free_names(context, s->source_names, s->n_sources);
    free_names(context, s->q_names, s->size.nq);
    free_names(context, s->u_names, s->size.nu);
    free_names(context, s->bilateral_names, s->size.ng + s->size.ny);
    free_names(context, s->contact_names, s->size.n_contacts);
    free_names(context, s->output_names, s->n_outputs);
    *s = (formula_system){0};
}
