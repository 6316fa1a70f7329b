/* SPDX-License-Identifier: Apache-2.0 */
/* What the texts of formulas mean on the bodies of a piece.
 *
 *   natural coordinates, L = T - V:   p = dT/du,  M = dp/du,  b = dT/dq - dV/dq + f,  h = b - (dp/dq) u - dp/dt
 *   others, q' = B u + beta:          M and the forces on velocities of their own as given, h = f - (dV/dq B)' on the rest
 *
 * A piece has one text, or (a model from formulas alone) all of them. */
#include "model/parts/formulas.h"

#include <stdio.h>

typedef struct expressing {
    zn_parts *parts;
    sketch *k;
    const parts_piece *piece;
    const zn_formula_model *texts;
    const expr_scope *scope;
} expressing;

static void keep_first(zn_status *all, zn_status one) {
    if (*all == ZN_OK) *all = one;
}

static zn_status parse(const expressing *e, const formula_text *text, expr *out) {
    return formula_parse(&e->k->s, e->parts->context, e->scope, text, out);
}

/* The velocity of the sketch with a name; -1: none, and an error. */
static int row_of(const expressing *e, const char *name, const formula_text *text, const char *what) {
    int velocity, body = formula_find_velocity(e->parts, name, &velocity);
    for (int i = 0; body >= 0 && i < e->piece->n_bodies; i++)
        if (e->piece->bodies[i] == body) return e->k->body[i].u + velocity;
    formula_no_velocity(e->parts, name, formula_of(text), what);
    return -1;
}

/* The name of a velocity of the sketch. */
static const char *velocity_name(const expressing *e, int row, char *text, size_t room) {
    for (int i = 0; i < e->k->n_bodies; i++) {
        const parts_body *b = &e->parts->bodies[e->piece->bodies[i]];
        int own = row - e->k->body[i].u;
        if (own >= 0 && own < body_nu(b->kind)) return parts_u_name(b, own, text, room);
    }
    return "";
}

/* ---- natural coordinates ---- */

static zn_status check_kinetic(const expressing *e, const expr *p) {
    formula_system *s = &e->k->s;
    char one[320], other[320];
    for (int i = 0; i < s->size.nu; i++)
        for (int j = 0, n = formula_variables(s, p[i], s->u, s->size.nu); j < n; j++)
            if (expr_depends_range(s->graph, expr_derivative(s->graph, p[i], s->u + s->list[j]), s->u, s->size.nu))
                return formula_fail(e->parts->context, &e->texts->kinetic, "kinetic",
                                    "the kinetic energy must be quadratic in the velocities: d2T/d%sd%s depends on a velocity",
                                    velocity_name(e, i, one, sizeof one), velocity_name(e, s->list[j], other, sizeof other));
    return ZN_OK;
}

static zn_status check_energies(const expressing *e, expr T, expr V) {
    sketch *k = e->k;
    if (expr_depends_range(k->g, V, k->s.u, k->s.size.nu))
        return formula_fail(e->parts->context, &e->texts->potential, "potential", "the potential energy must not depend on velocities");
    for (int i = 0; i < k->n_holders; i++)
        if (body_has_rate(k->holder[i].kind) && expr_depends_range(k->g, T, k->s.q + k->holder[i].q, 1))
            return formula_fail(e->parts->context, &e->texts->kinetic, "kinetic",
                                "the kinetic energy must not depend on states: they have no mass");
    return ZN_OK;
}

/* f of all texts, one for each velocity. */
static zn_status add_forces(const expressing *e, expr *f) {
    zn_status all = ZN_OK;
    for (size_t i = 0; i < e->texts->forces.count; i++) {
        const named_formula *item = &e->texts->forces.items[i];
        expr value;
        zn_status status = parse(e, &item->value, &value);
        int row = row_of(e, item->name, &item->value, "a force could act on");
        if (row < 0) status = ZN_ERROR_MODEL;
        if (status == ZN_OK) f[row] = sketch_add(e->k, f[row], value);
        keep_first(&all, status);
    }
    return all;
}

/* Forces and energies of natural coordinates: T_u, T_q, V_q and f have room for one expression for each velocity. */
static zn_status natural_forces(const expressing *e, expr T, expr V, expr *T_u, expr *f) {
    sketch *k = e->k;
    formula_system *s = &k->s;
    int nu = s->size.nu, nq = s->size.nq;
    expr *T_q = MEM_ARRAY(k->context, expr, nq), *V_q = MEM_ARRAY(k->context, expr, nq);
    bool good = T_q && V_q && expr_gradient(k->g, T, s->u, nu, T_u) && expr_gradient(k->g, T, s->q, nq, T_q) &&
                expr_gradient(k->g, V, s->q, nq, V_q);
    for (int i = 0; i < nu; i++) s->power = sketch_add(k, s->power, sketch_mul(k, f[i], expr_variable(k->g, s->u + i)));
    s->power = sketch_add(k, s->power, sketch_sub(k, expr_derivative(k->g, V, 0), expr_derivative(k->g, T, 0)));
    for (int h = 0; good && h < k->n_holders; h++) {
        const sketch_body *b = &k->holder[h];
        if (body_has_rate(b->kind)) s->power = sketch_add(k, s->power, sketch_mul(k, V_q[b->q], s->qdot[b->q]));
        for (int i = 0; i < body_nu(b->kind); i++) f[b->u + i] = sketch_add(k, sketch_sub(k, T_q[b->q + i], V_q[b->q + i]), f[b->u + i]);
    }
    mem_free(k->context, T_q);
    mem_free(k->context, V_q);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

static zn_status express_natural(const expressing *e, expr *T_u, expr *f) {
    sketch *k = e->k;
    formula_system *s = &k->s;
    expr T, V;
    zn_status status = parse(e, &e->texts->kinetic, &T);
    keep_first(&status, parse(e, &e->texts->potential, &V));
    keep_first(&status, add_forces(e, f));
    if (status == ZN_OK) status = check_energies(e, T, V);
    if (status == ZN_OK) status = natural_forces(e, T, V, T_u, f);
    if (status != ZN_OK) return status;
    s->T = sketch_add(k, s->T, T), s->V = sketch_add(k, s->V, V);
    for (int i = 0; i < s->size.nu; i++) {
        expr pdot = expr_derivative(k->g, T_u[i], 0);
        for (int j = 0, n = formula_variables(s, T_u[i], s->q, s->size.nq); j < n; j++)
            pdot = sketch_add(k, pdot, sketch_mul(k, expr_derivative(k->g, T_u[i], s->q + s->list[j]), s->qdot[s->list[j]]));
        for (int j = 0, n = formula_variables(s, T_u[i], s->u, s->size.nu); j < n; j++)
            s->M[i + s->list[j] * s->size.nu] = expr_derivative(k->g, T_u[i], s->u + s->list[j]);
        s->p[i] = T_u[i], s->b[i] = f[i];
        s->h[i] = sketch_sub(k, f[i], pdot);
    }
    return check_kinetic(e, T_u);
}

/* ---- velocities of other kinds ---- */

static zn_status express_mass(const expressing *e) {
    formula_system *s = &e->k->s;
    zn_context *context = e->parts->context;
    zn_status all = ZN_OK;
    int nu = s->size.nu;
    for (size_t n = 0; n < e->texts->mass.count; n++) {
        const named_formula *item = &e->texts->mass.items[n];
        int i = row_of(e, item->name, &item->value, "could have a mass"),
            j = row_of(e, item->second_name, &item->value, "could have a mass");
        expr value;
        zn_status status = parse(e, &item->value, &value);
        if (i < 0 || j < 0) status = ZN_ERROR_MODEL;
        if (status == ZN_OK && expr_depends_range(s->graph, value, s->u, nu))
            status = formula_fail(context, &item->value, item->name, "the mass matrix must not depend on velocities");
        if (status == ZN_OK && i != j && !expr_is_zero(s->graph, s->M[j + i * nu]) && s->M[j + i * nu] != value)
            status =
                formula_fail(context, &item->value, item->name, "the mass matrix is not symmetric: entries (%s, %s) and (%s, %s) differ",
                             item->name, item->second_name, item->second_name, item->name);
        if (status == ZN_OK) s->M[i + j * nu] = s->M[j + i * nu] = value;
        keep_first(&all, status);
    }
    return all;
}

/* T = u.M u / 2 and the rate of T at constant u, for the account of energy. */
static void express_inertia(sketch *k) {
    formula_system *s = &k->s;
    int nu = s->size.nu;
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++) {
            if (expr_is_zero(k->g, s->M[j + i * nu])) continue;
            expr uu = sketch_mul(k, expr_variable(k->g, s->u + i), expr_variable(k->g, s->u + j)), half = sketch_constant(k, 0.5);
            s->T = sketch_add(k, s->T, sketch_mul(k, half, sketch_mul(k, s->M[i + j * nu], uu)));
            s->power = sketch_add(k, s->power, sketch_mul(k, half, sketch_mul(k, formula_rate(s, s->M[i + j * nu]), uu)));
        }
}

static zn_status express_given(const expressing *e, expr *f) {
    sketch *k = e->k;
    formula_system *s = &k->s;
    expr V;
    zn_status status = parse(e, &e->texts->potential, &V);
    if (e->texts->kinetic.text)
        keep_first(
            &status,
            formula_fail(e->parts->context, &e->texts->kinetic, "kinetic",
                         "a kinetic energy by formula cannot use spatial bodies, nor coordinates and velocities by kinematics: their "
                         "velocities are not rates of coordinates"));
    keep_first(&status, express_mass(e));
    keep_first(&status, add_forces(e, f));
    if (status == ZN_OK) status = check_energies(e, sketch_constant(k, 0), V);
    if (status != ZN_OK) return status;
    for (int i = 0; i < s->size.nu; i++) {
        sketch_h(k, i, f[i]);
        s->power = sketch_add(k, s->power, sketch_mul(k, f[i], expr_variable(k->g, s->u + i)));
    }
    if (e->texts->potential.text) sketch_potential(k, V);
    if (e->texts->mass.count) express_inertia(k);
    return ZN_OK;
}

static zn_status express_dynamics(const expressing *e) {
    const zn_formula_model *texts = e->texts;
    int nu = e->k->s.size.nu;
    if (!texts->kinetic.text && !texts->potential.text && !texts->forces.count && !texts->mass.count) return ZN_OK;
    expr *T_u = MEM_ARRAY(e->k->context, expr, nu), *f = MEM_ARRAY(e->k->context, expr, nu);
    zn_status status = T_u && f ? ZN_OK : ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < nu; i++) f[i] = sketch_constant(e->k, 0);
    if (texts->mass.count) e->k->s.lagrangian = false; /* the forces on these velocities are as given, not those of an energy */
    if (status == ZN_OK) status = e->k->s.lagrangian ? express_natural(e, T_u, f) : express_given(e, f);
    e->k->complete = true; /* T and p are those of the formulas */
    mem_free(e->k->context, T_u);
    mem_free(e->k->context, f);
    return status;
}

/* ---- rows ---- */

static zn_status express_constraints(const expressing *e) {
    formula_system *s = &e->k->s;
    zn_status all = ZN_OK;
    for (int i = 0; i < s->size.ng + s->size.ny; i++) {
        bool position = i < s->size.ng;
        const named_formula *item = position ? &e->texts->position.items[i] : &e->texts->velocity.items[i - s->size.ng];
        keep_first(&all, (position ? formula_position_row : formula_velocity_row)(s, e->parts->context, e->scope, &item->value, item->name,
                                                                                  "constraint", &s->rows[i]));
    }
    return all;
}

static zn_status express_contacts(const expressing *e) {
    zn_context *context = e->parts->context;
    formula_system *s = &e->k->s;
    s->size.n_contacts = (int)e->texts->n_contacts;
    s->contacts = MEM_ARRAY(context, zn_contact, s->size.n_contacts);
    s->contact_names = MEM_ARRAY(context, char *, s->size.n_contacts);
    s->balls = MEM_ARRAY(context, zn_ball, s->size.nF);
    s->scales = MEM_ARRAY(context, double, s->size.nF);
    if (!s->contacts || !s->contact_names || !s->balls || !s->scales) return ZN_ERROR_MEMORY;
    return formula_system_contacts(e->texts, s, e->scope);
}

static zn_status express_outputs(const expressing *e) {
    zn_status all = ZN_OK;
    for (size_t i = 0; i < e->texts->outputs.count; i++) {
        const formula_text *text = &e->texts->outputs.items[i].value;
        expr value;
        zn_status status = parse(e, text, &value);
        if (status == ZN_OK && e->piece->variant == FORMULA_CONDITION)
            status = formula_check_condition(&e->k->s, e->parts->context, text, value);
        if (status == ZN_OK && e->piece->variant != FORMULA_OUTPUT) sketch_probe(e->k, value);
        else if (status == ZN_OK) sketch_output(e->k, value);
        keep_first(&all, status);
    }
    return all;
}

/* Outputs of a model from formulas alone also know accelerations and forces. */
static zn_status express_outputs_of_all(const expressing *e) {
    parts_piece asking = *e->piece;
    expr_scope scope;
    asking.n_outputs = (int)e->texts->outputs.count;
    zn_status status = parts_scope(e->parts, e->k, &asking, 0, NULL, &scope);
    expressing outputs = *e;
    outputs.scope = &scope;
    if (status != ZN_OK) return status;
    status = express_outputs(&outputs);
    parts_scope_free(e->parts, &scope);
    return status;
}

zn_status parts_express_formulas(zn_parts *parts, sketch *k, const parts_piece *piece) {
    expr_scope scope;
    zn_status all = parts_scope(parts, k, piece, 0, NULL, &scope);
    if (all != ZN_OK) return all;
    const expressing e = {parts, k, piece, piece->texts, &scope};
    all = express_dynamics(&e);
    if (all != ZN_ERROR_MEMORY) {
        keep_first(&all, express_constraints(&e));
        keep_first(&all, express_contacts(&e));
        keep_first(&all, piece->whole && parts->machine ? express_outputs_of_all(&e) : express_outputs(&e));
    }
    if (piece->whole && all != ZN_ERROR_MEMORY) keep_first(&all, formula_express_machine(parts, k, piece->texts, &scope));
    parts_scope_free(parts, &scope);
    return all;
}
