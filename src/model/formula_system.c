/* SPDX-License-Identifier: Apache-2.0 */
/* From the texts of the builder to expressions.
 *
 * Natural systems with L = T - V:     p = dT/du,  M = dp/du,  b = dT/dq - dV/dq + f
 *                                     h = b - (dp/dq) u - dp/dt
 * First-order systems:                q' = B u + beta, M and h as given
 * Constraint rows on position level:  c1 = (dc0/dq) q' + dc0/dt                                                            */
#include "model/machine.h"

#include <stdarg.h>
#include <stdio.h>

static void keep_first(zn_status *all, zn_status one) {
    if (*all == ZN_OK) *all = one;
}

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

zn_status formula_number(formula_system *system, zn_context *context, const expr_scope *scope, const formula_text *text, double otherwise,
                         const char *what, double *out) {
    *out = otherwise;
    if (!text->text) return ZN_OK;
    expr e;
    zn_status status = formula_parse(system, context, scope, text, &e);
    if (status != ZN_OK) return status;
    double value;
    if (!expr_is_constant(system->graph, e, &value))
        return formula_fail(context, text, what, "%s must be a number or a formula over parameters, but '%s' varies", what, text->text);
    if (!isfinite(value)) return formula_fail(context, text, what, "%s = %s is not a finite number (%g)", what, text->text, value);
    *out = value;
    return ZN_OK;
}

int formula_variables(formula_system *s, expr e, int first, int count) {
    int found = expr_variables(s->graph, 1, &e, first, count, s->list);
    if (found < 0) s->out_of_memory = true;
    return found > 0 ? found : 0;
}

/* Rates that are not known yet are told later. */
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

/* ---- names ---- */

typedef struct known_names {
    expr_name *items;
    int count;
    name_table table;
    const zn_machine *machine;
} known_names;

static expr_scope scope_of(const known_names *names) {
    expr_scope scope = {.count = names->count, .names = names->items, .table = &names->table};
    machine_scope(names->machine, &scope);
    return scope;
}

static zn_status put_name(zn_context *context, known_names *names, const char *name, expr value) {
    if (!names_add(context, &names->table, 0, name, names->count)) return ZN_ERROR_MEMORY;
    names->items[names->count++] = (expr_name){name, value};
    return ZN_OK;
}

static zn_status add_name(zn_context *context, known_names *names, const named_formula *item, expr value, const char *kind) {
    if (!item->name || value == EXPR_NONE) return ZN_ERROR_MEMORY;
    if (!expr_name_is_valid(item->name))
        return formula_fail(context, &item->value, item->name,
                            "'%s' cannot name a %s: names are letters, digits and _, and not pi, t or a function", item->name, kind);
    if (names_find(&names->table, 0, item->name, strlen(item->name)) >= 0)
        return formula_fail(context, &item->value, item->name, "the name '%s' of a %s is already taken", item->name, kind);
    return put_name(context, names, item->name, value);
}

static zn_status add_parameters(zn_formula_model *builder, formula_system *s, known_names *names) {
    zn_status all = ZN_OK;
    for (size_t i = 0; i < builder->parameters.count; i++) {
        named_formula *item = &builder->parameters.items[i];
        if (!item->name) return ZN_ERROR_MEMORY;
        double value = 1;
        expr_scope scope = scope_of(names);
        keep_first(&all, formula_number(s, builder->context, &scope, &item->value, 0, item->name, &value));
        keep_first(&all, add_name(builder->context, names, item, expr_constant(s->graph, value), "parameter"));
    }
    return all;
}

static zn_status add_inputs(zn_formula_model *builder, formula_system *s, known_names *names) {
    zn_status all = ZN_OK;
    for (size_t i = 0; builder->machine && i < builder->machine->n_values; i++) {
        const machine_value *value = &builder->machine->values[i];
        const named_formula item = {.name = value->name};
        keep_first(&all, add_name(builder->context, names, &item, expr_variable(s->graph, s->input + (int)i),
                                  strchr(machine_kind_words[value->kind], ' ') + 1));
    }
    return all;
}

static zn_status add_states(zn_formula_model *builder, formula_system *s, known_names *names) {
    zn_context *context = builder->context;
    zn_status all = ZN_OK;
    expr_scope parameters = scope_of(names);
    keep_first(&all, put_name(context, names, "t", expr_variable(s->graph, 0)));
    for (int i = 0; i < s->size.nq; i++) {
        bool is_state = i >= s->size.nq - s->n_states;
        named_formula *item = is_state ? &builder->states.items[i - (s->size.nq - s->n_states)] : &builder->coordinates.items[i];
        keep_first(&all, formula_number(s, context, &parameters, &item->value, 0, item->name, &s->q_start[i]));
        keep_first(&all, add_name(context, names, item, expr_variable(s->graph, s->q + i), is_state ? "state" : "coordinate"));
        if (!(s->q_names[i] = mem_text(context, item->name ? item->name : ""))) return ZN_ERROR_MEMORY;
        if (builder->velocities.count || is_state) continue;
        keep_first(&all, formula_number(s, context, &parameters, &item->velocity, 0, item->name, &s->u_start[i]));
        if (!(s->u_names[i] = mem_format(context, "%s'", s->q_names[i]))) return ZN_ERROR_MEMORY;
        keep_first(&all, put_name(context, names, s->u_names[i], expr_variable(s->graph, s->u + i)));
    }
    for (size_t i = 0; i < builder->velocities.count; i++) {
        named_formula *item = &builder->velocities.items[i];
        keep_first(&all, formula_number(s, context, &parameters, &item->value, 0, item->name, &s->u_start[i]));
        keep_first(&all, add_name(context, names, item, expr_variable(s->graph, s->u + (int)i), "velocity"));
        if (!(s->u_names[i] = mem_text(context, item->name ? item->name : ""))) return ZN_ERROR_MEMORY;
    }
    return all;
}

/* q' of states. */
static zn_status add_rates(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_status all = ZN_OK;
    for (int i = 0; i < s->n_states; i++)
        keep_first(&all,
                   formula_parse(s, builder->context, scope, &builder->states.items[i].velocity, &s->qdot[s->size.nq - s->n_states + i]));
    return all;
}

/* An energy that changes with states, by their rates; EXPR_NONE: out of memory. */
static expr rate_by_states(formula_system *s, expr energy) {
    expr rate = expr_constant(s->graph, 0);
    for (int i = s->size.nq - s->n_states; i < s->size.nq; i++) {
        expr by = expr_derivative(s->graph, energy, s->q + i);
        if (!expr_is_zero(s->graph, by)) rate = expr_binary(s->graph, EXPR_ADD, rate, expr_binary(s->graph, EXPR_MUL, by, s->qdot[i]));
    }
    return rate;
}

static int index_of(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0) return i;
    return -1;
}

static const char *name_at(const void *names, int i) { return ((char *const *)names)[i]; }

/* The index of the name an item is about; an unknown one is an error with a hint. */
static int need_index(zn_context *context, const named_formula *item, const char *name, int count, char **names, const char *kind) {
    int i = index_of(name, count, names);
    if (i >= 0) return i;
    const char *near = expr_nearest_name(name, count, name_at, names);
    formula_fail(context, &item->value, name, "'%s' is not a %s%s%s%s", name, kind, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
    return -1;
}

/* ---- dynamics ---- */

static expr sum(expr_graph *g, expr a, expr b) { return expr_binary(g, EXPR_ADD, a, b); }
static expr product(expr_graph *g, expr a, expr b) { return expr_binary(g, EXPR_MUL, a, b); }

static zn_status add_forces(zn_formula_model *builder, formula_system *s, const expr_scope *scope, expr *f) {
    zn_status all = ZN_OK;
    for (size_t i = 0; i < builder->forces.count; i++) {
        named_formula *item = &builder->forces.items[i];
        if (!item->name) return ZN_ERROR_MEMORY;
        char **names = s->lagrangian ? s->q_names : s->u_names;
        int k = need_index(builder->context, item, item->name, s->size.nu, names, s->lagrangian ? "coordinate" : "velocity");
        expr e;
        zn_status status = formula_parse(s, builder->context, scope, &item->value, &e);
        if (k < 0) status = ZN_ERROR_MODEL;
        if (status == ZN_OK) f[k] = sum(s->graph, f[k], e);
        keep_first(&all, status);
    }
    return all;
}

static zn_status check_kinetic(zn_formula_model *builder, formula_system *s) {
    for (int i = 0; i < s->size.nu; i++)
        for (int k = 0, n = formula_variables(s, s->p[i], s->u, s->size.nu); k < n; k++)
            if (expr_depends_range(s->graph, s->M[i + s->list[k] * s->size.nu], s->u, s->size.nu))
                return formula_fail(builder->context, &builder->kinetic, "kinetic",
                                    "the kinetic energy must be quadratic in the velocities: d2T/d%sd%s depends on a velocity",
                                    s->u_names[i], s->u_names[s->list[k]]);
    if (expr_depends_range(s->graph, s->V, s->u, s->size.nu))
        return formula_fail(builder->context, &builder->potential, "potential", "the potential energy must not depend on velocities");
    return ZN_OK;
}

static zn_status natural_dynamics(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    expr_graph *g = s->graph;
    int nu = s->size.nu;
    for (int i = 0; i < nu; i++) s->qdot[i] = expr_variable(g, s->u + i);
    zn_status all = formula_parse(s, builder->context, scope, &builder->kinetic, &s->T);
    keep_first(&all, formula_parse(s, builder->context, scope, &builder->potential, &s->V));
    keep_first(&all, add_forces(builder, s, scope, s->b));
    if (all == ZN_OK && s->n_states && expr_depends_range(g, s->T, s->q + s->size.nq - s->n_states, s->n_states))
        all =
            formula_fail(builder->context, &builder->kinetic, "kinetic", "the kinetic energy must not depend on states: they have no mass");
    if (all != ZN_OK) return all;
    for (int i = 0; i < nu; i++) s->power = sum(g, s->power, product(g, s->b[i], expr_variable(g, s->u + i)));
    s->power = sum(g, s->power, expr_binary(g, EXPR_SUB, expr_derivative(g, s->V, 0), expr_derivative(g, s->T, 0)));
    s->power = sum(g, s->power, rate_by_states(s, s->V));
    expr *T_q = MEM_ARRAY(builder->context, expr, nu), *V_q = MEM_ARRAY(builder->context, expr, nu);
    bool good = T_q && V_q && expr_gradient(g, s->T, s->u, nu, s->p) && expr_gradient(g, s->T, s->q, nu, T_q) &&
                expr_gradient(g, s->V, s->q, nu, V_q);
    for (int i = 0; good && i < nu; i++) s->b[i] = sum(g, expr_binary(g, EXPR_SUB, T_q[i], V_q[i]), s->b[i]);
    mem_free(builder->context, T_q);
    mem_free(builder->context, V_q);
    if (!good) return ZN_ERROR_MEMORY;
    for (int i = 0; i < nu; i++) {
        expr pdot = expr_derivative(g, s->p[i], 0);
        for (int k = 0, n = formula_variables(s, s->p[i], s->q, nu); k < n; k++)
            pdot = sum(g, pdot, product(g, expr_derivative(g, s->p[i], s->q + s->list[k]), expr_variable(g, s->u + s->list[k])));
        for (int k = 0, n = formula_variables(s, s->p[i], s->u, nu); k < n; k++)
            s->M[i + s->list[k] * nu] = expr_derivative(g, s->p[i], s->u + s->list[k]);
        s->h[i] = expr_binary(g, EXPR_SUB, s->b[i], pdot);
    }
    return check_kinetic(builder, s);
}

static zn_status first_order_mass(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_context *context = builder->context;
    zn_status all = ZN_OK;
    int nu = s->size.nu;
    for (size_t k = 0; k < builder->mass.count; k++) {
        named_formula *item = &builder->mass.items[k];
        if (!item->name || !item->second_name) return ZN_ERROR_MEMORY;
        int i = need_index(context, item, item->name, nu, s->u_names, "velocity");
        int j = need_index(context, item, item->second_name, nu, s->u_names, "velocity");
        expr e;
        zn_status status = formula_parse(s, context, scope, &item->value, &e);
        if (i < 0 || j < 0) status = ZN_ERROR_MODEL;
        if (status == ZN_OK && expr_depends_range(s->graph, e, s->u, nu))
            status = formula_fail(context, &item->value, item->name, "the mass matrix must not depend on velocities");
        if (status == ZN_OK) {
            expr other = s->M[j + i * nu];
            if (i != j && !expr_is_zero(s->graph, other) && other != e)
                status = formula_fail(context, &item->value, item->name,
                                      "the mass matrix is not symmetric: entries (%s, %s) and (%s, %s) differ", item->name,
                                      item->second_name, item->second_name, item->name);
            s->M[i + j * nu] = s->M[j + i * nu] = e;
        }
        keep_first(&all, status);
    }
    return all;
}

/* Along the motion, at constant u. */
static expr time_derivative(formula_system *s, expr c0) {
    expr_graph *g = s->graph;
    expr c1 = expr_derivative(g, c0, 0);
    for (int k = 0, n = formula_variables(s, c0, s->q, s->size.nq); k < n; k++)
        c1 = sum(g, c1, product(g, expr_derivative(g, c0, s->q + s->list[k]), s->qdot[s->list[k]]));
    return c1;
}

static zn_status first_order_dynamics(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_context *context = builder->context;
    zn_status all = formula_parse(s, context, scope, &builder->potential, &s->V);
    for (size_t k = 0; k < builder->kinematics.count; k++) {
        named_formula *item = &builder->kinematics.items[k];
        if (!item->name) return ZN_ERROR_MEMORY;
        int i = need_index(context, item, item->name, s->size.nq, s->q_names, "coordinate");
        expr e;
        zn_status status = formula_parse(s, context, scope, &item->value, &e);
        if (i < 0) status = ZN_ERROR_MODEL;
        if (status == ZN_OK && !formula_linear_in_u(s, e))
            status = formula_fail(context, &item->value, item->name, "%s' must be linear in the velocities", item->name);
        if (status == ZN_OK && s->qdot[i] != EXPR_NONE)
            status = formula_fail(context, &item->value, item->name, "the kinematics of '%s' are given twice", item->name);
        if (status == ZN_OK) s->qdot[i] = e;
        keep_first(&all, status);
    }
    for (int i = 0; all == ZN_OK && i < s->size.nq - s->n_states; i++)
        if (s->qdot[i] == EXPR_NONE)
            all = formula_fail(context, &builder->coordinates.items[i].value, s->q_names[i],
                               "the coordinate '%s' has no kinematics: say what %s' is", s->q_names[i], s->q_names[i]);
    keep_first(&all, first_order_mass(builder, s, scope));
    keep_first(&all, add_forces(builder, s, scope, s->h));
    if (all != ZN_OK) return all;
    expr_graph *g = s->graph;
    s->T = expr_constant(g, 0);
    for (int i = 0; i < s->size.nu; i++)
        for (int j = 0; j < s->size.nu; j++) {
            if (expr_is_zero(g, s->M[j + i * s->size.nu])) continue;
            expr uu = product(g, expr_variable(g, s->u + i), expr_variable(g, s->u + j));
            s->T = sum(g, s->T, product(g, expr_constant(g, 0.5), product(g, s->M[i + j * s->size.nu], uu)));
        }
    /* (T + V)' = h.u + the rate of T + V at constant u: what h does beyond the potential */
    s->power = time_derivative(s, sum(g, s->T, s->V));
    for (int i = 0; i < s->size.nu; i++) s->power = sum(g, s->power, product(g, s->h[i], expr_variable(g, s->u + i)));
    return ZN_OK;
}

/* ---- bilateral constraints ---- */

zn_status formula_position_row(formula_system *s, zn_context *context, const expr_scope *scope, const formula_text *text, const char *name,
                               const char *kind, formula_row *row) {
    zn_status status = formula_parse(s, context, scope, text, &row->c0);
    if (status != ZN_OK) return status;
    if (expr_depends_range(s->graph, row->c0, s->u, s->size.nu))
        return formula_fail(context, text, name, "the %s of '%s' must not depend on velocities", kind, name);
    if (!expr_depends_range(s->graph, row->c0, s->q, s->size.nq))
        return formula_fail(context, text, name, "the %s of '%s' does not depend on any coordinate", kind, name);
    row->c1 = time_derivative(s, row->c0);
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

static zn_status add_bilateral(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_context *context = builder->context;
    zn_status all = ZN_OK;
    for (int k = 0; k < s->size.ng + s->size.ny; k++) {
        bool position = k < s->size.ng;
        named_formula *item = position ? &builder->position.items[k] : &builder->velocity.items[k - s->size.ng];
        if (!item->name || !(s->bilateral_names[k] = mem_text(context, item->name))) return ZN_ERROR_MEMORY;
        if (index_of(item->name, k, s->bilateral_names) >= 0)
            keep_first(&all, formula_fail(context, &item->value, item->name, "there are two constraints named '%s'", item->name));
        keep_first(&all, position ? formula_position_row(s, context, scope, &item->value, item->name, "constraint", &s->rows[k])
                                  : formula_velocity_row(s, context, scope, &item->value, item->name, "constraint", &s->rows[k]));
    }
    return all;
}

/* ---- outputs ---- */

static zn_status add_outputs(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_context *context = builder->context;
    zn_status all = ZN_OK;
    for (int i = 0; i < s->n_outputs; i++) {
        named_formula *item = &builder->outputs.items[i];
        if (!item->name || !(s->output_names[i] = mem_text(context, item->name))) return ZN_ERROR_MEMORY;
        bool taken = index_of(item->name, i, s->output_names) >= 0 || index_of(item->name, s->size.nq, s->q_names) >= 0 ||
                     index_of(item->name, s->size.nu, s->u_names) >= 0 || !strcmp(item->name, "t");
        if (taken)
            keep_first(&all, formula_fail(context, &item->value, item->name, "the name '%s' of an output is already taken", item->name));
        keep_first(&all, formula_parse(s, context, scope, &item->value, &s->outputs[i]));
    }
    return all;
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

static zn_status add_switches(zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    zn_context *context = builder->context;
    zn_status all = ZN_OK;
    for (size_t k = 0; builder->machine && k < builder->machine->n_switches; k++) {
        const machine_switch *item = &builder->machine->switches[k];
        expr condition;
        zn_status status = formula_parse(s, context, scope, &item->condition, &condition);
        if (status == ZN_OK) status = formula_check_condition(s, context, &item->condition, condition);
        int row = index_of(item->name, s->size.ng + s->size.ny, s->bilateral_names);
        int contact = index_of(item->name, s->size.n_contacts, s->contact_names);
        if (status == ZN_OK && row < 0 && contact < 0)
            status = formula_fail(context, &item->condition, item->name, "there is no constraint or contact '%s' to switch", item->name);
        if (status == ZN_OK && row >= 0) formula_switch_rows(s, condition, row, 1);
        if (status == ZN_OK && contact >= 0) {
            const zn_contact *c = &s->contacts[contact];
            if (c->row_N >= 0) formula_switch_rows(s, condition, c->row_N, 1);
            formula_switch_rows(s, condition, c->row_F, c->nF);
        }
        keep_first(&all, status);
    }
    return all;
}

/* ---- all of it ---- */

static void count_sizes(const zn_formula_model *builder, formula_system *s) {
    zn_sizes *size = &s->size;
    s->n_states = (int)builder->states.count;
    size->nq = (int)builder->coordinates.count + s->n_states;
    size->nu = (int)(builder->velocities.count ? builder->velocities.count : builder->coordinates.count);
    s->answered = size->nq;
    size->ng = (int)builder->position.count;
    size->ny = (int)builder->velocity.count;
    size->n_contacts = (int)builder->n_contacts;
    for (size_t i = 0; i < builder->n_contacts; i++) {
        size->nN += builder->contacts[i].gap.text != NULL;
        for (int k = 0; k < builder->contacts[i].n_laws; k++) size->nF += builder->contacts[i].laws[k].n_slips;
    }
    s->n_outputs = (int)builder->outputs.count;
    s->n_probes = machine_probe_count(builder->machine);
    s->n = size->ng + size->ny + size->nN + size->nF;
    s->q = 1;
    s->u = s->q + size->nq;
    s->a = s->u + size->nu;
    s->lambda = s->a + size->nu;
    s->parameter = s->input = s->lambda + s->n;
    s->count = s->input + (builder->machine ? (int)builder->machine->n_values : 0);
}

static bool allocate(zn_context *context, formula_system *s) {
    zn_sizes n = s->size;
    size_t nu = (size_t)n.nu;
    s->graph = expr_graph_create(context);
    s->q_start = MEM_ARRAY(context, double, n.nq);
    s->u_start = MEM_ARRAY(context, double, n.nu);
    s->qdot = MEM_ARRAY(context, expr, n.nq);
    s->state = MEM_ARRAY(context, bool, n.nq);
    s->M = MEM_ARRAY(context, expr, nu * nu);
    s->h = MEM_ARRAY(context, expr, n.nu);
    s->p = MEM_ARRAY(context, expr, n.nu);
    s->b = MEM_ARRAY(context, expr, n.nu);
    s->force = MEM_ARRAY(context, expr, n.nu);
    s->rows = MEM_ARRAY(context, formula_row, s->n);
    s->contacts = MEM_ARRAY(context, zn_contact, n.n_contacts);
    s->balls = MEM_ARRAY(context, zn_ball, n.nF);
    s->scales = MEM_ARRAY(context, double, n.nF);
    s->q_names = MEM_ARRAY(context, char *, n.nq);
    s->u_names = MEM_ARRAY(context, char *, n.nu);
    s->bilateral_names = MEM_ARRAY(context, char *, n.ng + n.ny);
    s->contact_names = MEM_ARRAY(context, char *, n.n_contacts);
    s->outputs = MEM_ARRAY(context, expr, s->n_outputs);
    s->probes = MEM_ARRAY(context, expr, s->n_probes);
    s->list = MEM_ARRAY(context, int, s->count);
    s->output_names = MEM_ARRAY(context, char *, s->n_outputs);
    if (!s->graph || !s->q_start || !s->u_start || !s->qdot || !s->M || !s->h || !s->p || !s->b || !s->force || !s->rows || !s->contacts ||
        !s->balls || !s->scales || !s->q_names || !s->u_names || !s->bilateral_names || !s->contact_names || !s->outputs || !s->probes ||
        !s->output_names || !s->list || !s->state)
        return false;
    expr zero = expr_constant(s->graph, 0);
    for (size_t i = 0; i < nu * nu; i++) s->M[i] = zero;
    for (size_t i = 0; i < nu; i++) s->h[i] = s->p[i] = s->b[i] = s->force[i] = zero;
    for (int i = 0; i < n.nq; i++) s->qdot[i] = EXPR_NONE;
    for (int i = n.nq - s->n_states; i < n.nq; i++) s->state[i] = true;
    s->power = zero;
    return zero != EXPR_NONE;
}

static zn_status check_kind(zn_formula_model *builder, formula_system *s) {
    zn_context *context = builder->context;
    if (!builder->coordinates.count) return fail(context, ZN_ERROR_MODEL, "the model has no coordinates");
    s->lagrangian = builder->velocities.count == 0;
    if (s->lagrangian && builder->mass.count)
        return fail(context, ZN_ERROR_MODEL, "a mass matrix needs velocities and kinematics; a model without them is given by its energy");
    if (s->lagrangian && !builder->kinetic.text) return fail(context, ZN_ERROR_MODEL, "the model has no kinetic energy");
    if (!s->lagrangian && builder->kinetic.text)
        return formula_fail(context, &builder->kinetic, "kinetic",
                            "a model with velocities of its own has a mass matrix instead of a kinetic energy");
    return ZN_OK;
}

zn_status formula_system_create(zn_formula_model *builder, formula_system *s) {
    zn_context *context = builder->context;
    count_sizes(builder, s);
    if (!allocate(context, s)) return ZN_ERROR_MEMORY;
    known_names names = {
        .machine = builder->machine,
        .items = MEM_ARRAY(context, expr_name, (int)builder->parameters.count + s->size.nq * 2 + s->size.nu + 1 + s->count - s->input)};
    if (!names.items) return ZN_ERROR_MEMORY;
    zn_status all = check_kind(builder, s);
    keep_first(&all, add_parameters(builder, s, &names));
    keep_first(&all, add_states(builder, s, &names));
    keep_first(&all, add_inputs(builder, s, &names));
    expr_scope scope = scope_of(&names);
    keep_first(&all, add_rates(builder, s, &scope));
    if (s->size.nq) keep_first(&all, s->lagrangian ? natural_dynamics(builder, s, &scope) : first_order_dynamics(builder, s, &scope));
    /* Even when the dynamics are wrong, mistakes in constraints and contacts are worth reporting; they need q' to be known. */
    bool kinematics_known = s->size.nq > 0;
    for (int i = 0; i < s->size.nq; i++) kinematics_known &= s->qdot[i] != EXPR_NONE;
    if (kinematics_known && all != ZN_ERROR_MEMORY) {
        keep_first(&all, add_bilateral(builder, s, &scope));
        keep_first(&all, formula_system_contacts(builder, s, &scope));
        keep_first(&all, add_outputs(builder, s, &scope));
        for (int i = 0; i < s->n_probes; i++)
            keep_first(&all, expr_parse(s->graph, context, &scope, machine_probe(builder->machine, i), &s->probes[i]));
        keep_first(&all, add_switches(builder, s, &scope));
    }
    mem_free(context, names.items);
    names_free(context, &names.table);
    return s->out_of_memory ? ZN_ERROR_MEMORY : all;
}

static void free_names(zn_context *context, char **names, int count) {
    for (int i = 0; names && i < count; i++) mem_free(context, names[i]);
    mem_free(context, names);
}

void formula_system_free(zn_context *context, formula_system *s) {
    expr_graph_destroy(s->graph);
    void *blocks[] = {s->q_start, s->u_start,  s->qdot,  s->M,      s->h,       s->p,      s->b,    s->force,
                      s->rows,    s->contacts, s->balls, s->scales, s->outputs, s->probes, s->list, s->state};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    free_names(context, s->q_names, s->size.nq);
    free_names(context, s->u_names, s->size.nu);
    free_names(context, s->bilateral_names, s->size.ng + s->size.ny);
    free_names(context, s->contact_names, s->size.n_contacts);
    free_names(context, s->output_names, s->n_outputs);
    *s = (formula_system){0};
}
