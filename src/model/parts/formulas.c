/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces by formulas over coordinates of parts: constraints, forces, energies, masses, contacts, outputs. A formula becomes a piece on the bodies
 * that it names, and on no others: so a large model stays sparse. */
#include "model/parts/joint.h"

#include <stdio.h>

/* ---- what they mean ---- */

typedef enum formula_use {
    POSITION_CONSTRAINT,
    VELOCITY_CONSTRAINT,
    GENERALISED_FORCE,
    KINETIC,
    POTENTIAL,
    MASS,
    CONTACT,
    OUTPUT,
    PROBE,
    CONDITION
} formula_use;

static expr product(sketch *k, expr a, expr b) { return sketch_mul(k, a, b); }

/* T: p = dT/du, M = dp/du, b = dT/dq, h = b - (dp/dq) u - dp/dt, for natural coordinates. */
static zn_status express_kinetic(zn_parts *parts, sketch *k, const formula_text *text, const expr_scope *scope) {
    formula_system *s = &k->s;
    expr T;
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(text), &T);
    if (status != ZN_OK) return status;
    if (!s->lagrangian)
        return formula_fail(
            parts->context, text, "kinetic",
            "a kinetic energy by formula cannot use spatial bodies or states: their velocities are not rates of coordinates");
    int nu = s->size.nu;
    expr rest = T; /* at u = 0 */
    for (int i = 0; i < nu; i++) rest = expr_substitute(k->g, rest, s->u + i, 1, (expr[]){sketch_constant(k, 0)});
    s->T = sketch_add(k, s->T, rest);
    for (int i = 0; i < nu; i++) {
        expr p = expr_derivative(k->g, T, s->u + i), rate = expr_derivative(k->g, p, 0), T_q = expr_derivative(k->g, T, s->q + i);
        for (int j = 0; j < nu; j++) {
            s->M[i + j * nu] = expr_derivative(k->g, p, s->u + j);
            if (expr_depends_range(k->g, s->M[i + j * nu], s->u, nu))
                return formula_fail(parts->context, text, "kinetic", "the kinetic energy must be quadratic in the velocities");
            rate = sketch_add(k, rate, product(k, expr_derivative(k->g, p, s->q + j), expr_variable(k->g, s->u + j)));
            /* sketch_compile adds M u: keep what is beyond it (terms linear in u) */
            p = sketch_sub(k, p, product(k, s->M[i + j * nu], expr_variable(k->g, s->u + j)));
        }
        s->p[i] = p;
        s->T = sketch_add(k, s->T, sketch_mul(k, sketch_constant(k, 0.5), sketch_mul(k, p, expr_variable(k->g, s->u + i))));
        s->b[i] = sketch_add(k, s->b[i], T_q);
        s->h[i] = sketch_add(k, s->h[i], sketch_sub(k, T_q, rate));
    }
    return ZN_OK;
}

static zn_status express_potential(zn_parts *parts, sketch *k, const formula_text *text, const expr_scope *scope) {
    expr V;
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(text), &V);
    if (status != ZN_OK) return status;
    if (expr_depends_range(k->g, V, k->s.u, k->s.size.nu))
        return formula_fail(parts->context, text, "potential", "the potential energy must not depend on velocities");
    sketch_potential(k, V);
    return ZN_OK;
}

/* M[row, column] of two velocities, and what follows for the account of energy: the rate of T at constant u. */
static zn_status express_mass(zn_parts *parts, sketch *k, const parts_piece *piece, const expr_scope *scope) {
    expr value, other;
    const formula_text *half = &piece->formulas[0], *other_half = &piece->formulas[1];
    int row = k->body[0].u + (int)piece->parameters[0], column = k->body[(int)piece->parameters[2]].u + (int)piece->parameters[1];
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(half), &value);
    if (status == ZN_OK && other_half->text) status = expr_parse(k->g, parts->context, scope, formula_of(other_half), &other);
    if (status != ZN_OK) return status;
    if (expr_depends_range(k->g, value, k->s.u, k->s.size.nu))
        return formula_fail(parts->context, half, piece->name, "the mass matrix must not depend on velocities");
    if (other_half->text && other != value)
        return formula_fail(parts->context, other_half, piece->name,
                            "the mass matrix is not symmetric: its other half has another formula here");
    k->s.lagrangian = false; /* the forces on these velocities are as given, not those of an energy */
    sketch_mass(k, row, column, value);
    expr uu = product(k, expr_variable(k->g, k->s.u + row), expr_variable(k->g, k->s.u + column));
    if (row == column) uu = product(k, sketch_constant(k, 0.5), uu);
    k->s.power = sketch_add(k, k->s.power, product(k, sketch_rate(k, value), uu));
    return ZN_OK;
}

static zn_status express_force(zn_parts *parts, sketch *k, const parts_piece *piece, const expr_scope *scope) {
    expr value;
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(&piece->formulas[0]), &value);
    /* the velocity is the first body's with this number */
    if (status == ZN_OK) sketch_power(k, value, expr_variable(k->g, k->s.u + (int)piece->parameters[0]));
    return status;
}

static zn_status express_output(zn_parts *parts, sketch *k, const parts_piece *piece, const expr_scope *scope) {
    expr value;
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(&piece->formulas[0]), &value);
    if (status == ZN_OK && piece->variant == CONDITION) status = formula_check_condition(&k->s, parts->context, &piece->formulas[0], value);
    if (status == ZN_OK && piece->variant != OUTPUT) sketch_probe(k, value);
    else if (status == ZN_OK) sketch_output(k, value);
    return status;
}

static zn_status express_contact(zn_parts *parts, sketch *k, const parts_piece *piece, const expr_scope *scope) {
    zn_context *context = parts->context;
    formula_system *s = &k->s;
    s->size.n_contacts = 1;
    s->contacts = MEM_ARRAY(context, zn_contact, 1);
    s->contact_names = MEM_ARRAY(context, char *, 1);
    s->balls = MEM_ARRAY(context, zn_ball, s->size.nF);
    s->scales = MEM_ARRAY(context, double, s->size.nF);
    if (!s->contacts || !s->contact_names || !s->balls || !s->scales) return ZN_ERROR_MEMORY;
    return formula_system_contacts(piece->contact_formulas, s, scope);
}

zn_status parts_express_formulas(zn_parts *parts, sketch *k, const parts_piece *piece) {
    expr_scope scope;
    zn_status status = parts_scope(parts, k, piece, 0, NULL, &scope);
    if (status != ZN_OK) return status;
    switch ((formula_use)piece->variant) {
    case POSITION_CONSTRAINT:
        status = formula_position_row(&k->s, parts->context, &scope, &piece->formulas[0], piece->name, "constraint", &k->s.rows[0]);
        break;
    case VELOCITY_CONSTRAINT:
        status = formula_velocity_row(&k->s, parts->context, &scope, &piece->formulas[0], piece->name, "constraint", &k->s.rows[0]);
        break;
    case GENERALISED_FORCE: status = express_force(parts, k, piece, &scope); break;
    case KINETIC: status = express_kinetic(parts, k, &piece->formulas[0], &scope); break;
    case POTENTIAL: status = express_potential(parts, k, &piece->formulas[0], &scope); break;
    case MASS: status = express_mass(parts, k, piece, &scope); break;
    case PROBE:
    case CONDITION:
    case OUTPUT: status = express_output(parts, k, piece, &scope); break;
    default: status = express_contact(parts, k, piece, &scope); break;
    }
    parts_scope_free(parts, &scope);
    return status;
}

/* ---- the builder's functions ---- */

/* `given`: bodies that come first, ended by -1; NULL: none. */
static parts_piece *begin(zn_parts *parts, const char *name, formula_use use, zn_sizes rows, int n, const zn_formula *formulas,
                          const int *given, zn_status *status) {
    static const char *const what[] = {"formula constraint",
                                       "formula velocity constraint",
                                       "formula force",
                                       "kinetic energy",
                                       "potential energy",
                                       "mass",
                                       "formula contact",
                                       "output",
                                       "probe",
                                       "condition"};
    int count, *bodies, n_given = 0;
    while (given && given[n_given] >= 0) n_given++;
    *status = parts_bodies_of(parts, n, formulas, n_given, given, &count, &bodies);
    if (*status != ZN_OK) return NULL;
    bool keeps = use != CONTACT; /* contacts keep theirs in a builder of formulas */
    parts_piece shape = {.what = what[use],
                         .name = (char *)(uintptr_t)name,
                         .express = parts_express_formulas,
                         .variant = use,
                         .own_kind = true,
                         .n_bodies = count,
                         .bodies = bodies,
                         .rows = rows,
                         .n_formulas = use == MASS ? 2
                                       : keeps     ? n
                                                   : 0,
                         .n_parameters = use == GENERALISED_FORCE ? 1
                                         : use == MASS            ? 3
                                                                  : 0,
                         .n_outputs = use == OUTPUT};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) *status = parts_last_status(parts);
    for (int i = 0; piece && keeps && i < n && *status == ZN_OK; i++) *status = parts_keep_formula(parts, &piece->formulas[i], formulas[i]);
    return piece;
}

zn_status zn_parts_position_constraint(zn_parts *parts, const char *name, zn_formula g) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    begin(parts, name, POSITION_CONSTRAINT, (zn_sizes){.ng = 1}, 1, &g, NULL, &status);
    return status;
}

zn_status zn_parts_velocity_constraint(zn_parts *parts, const char *name, zn_formula gamma) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    begin(parts, name, VELOCITY_CONSTRAINT, (zn_sizes){.ny = 1}, 1, &gamma, NULL, &status);
    return status;
}

/* Names of coordinates and velocities, and of other outputs, are columns of results too. */
static bool is_column(const zn_parts *parts, const char *name) {
    char text[320];
    int body = parts_find_body(parts, name, strcspn(name, ".'"));
    if (!strcmp(name, "t")) return true;
    for (int i = 0; body >= 0 && i < body_nq(parts->bodies[body].kind); i++)
        if (!strcmp(parts_q_name(&parts->bodies[body], i, text, sizeof text), name)) return true;
    for (int i = 0; body >= 0 && i < body_nu(parts->bodies[body].kind); i++)
        if (!strcmp(parts_u_name(&parts->bodies[body], i, text, sizeof text), name)) return true;
    for (size_t i = 0; i < parts->n_pieces; i++)
        for (int k = 0; k < parts->pieces[i].n_outputs; k++)
            if (parts->pieces[i].outputs[k] && !strcmp(parts->pieces[i].outputs[k], name)) return true;
    return false;
}

zn_status parts_add_probes(zn_parts *parts) {
    zn_status status = ZN_OK;
    for (int i = 0, n = machine_probe_count(parts->machine); status == ZN_OK && i < n; i++) {
        char name[40];
        zn_formula formula = machine_probe(parts->machine, i);
        snprintf(name, sizeof name, "probe %d", i);
        begin(parts, name, machine_probe_is_condition(parts->machine, i) ? CONDITION : PROBE, (zn_sizes){0}, 1, &formula, NULL, &status);
    }
    return status;
}

zn_status zn_parts_output(zn_parts *parts, const char *name, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    if (!name || !*name) return fail(parts->context, ZN_ERROR_ARGUMENT, "an output needs a name");
    if (is_column(parts, name)) {
        error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
        return fail_at(parts->context, ZN_ERROR_MODEL, &place, "the name '%s' of an output is already taken", name);
    }
    char *label = mem_format(parts->context, "output %s", name); /* its column may have the name of a joint */
    if (!label) return ZN_ERROR_MEMORY;
    parts->in_output = true;
    parts_piece *piece = begin(parts, label, OUTPUT, (zn_sizes){0}, 1, &value, NULL, &status);
    parts->in_output = false;
    if (piece && !(piece->outputs[0] = mem_text(parts->context, name))) status = ZN_ERROR_MEMORY;
    mem_free(parts->context, label);
    return status;
}

/* Two pieces: what the potential names has nothing to do with what the kinetic energy names. */
zn_status zn_parts_energy(zn_parts *parts, const char *name, zn_formula kinetic, zn_formula potential) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status = ZN_OK;
    if (!name || !*name) return fail(parts->context, ZN_ERROR_ARGUMENT, "an energy needs a name");
    if (kinetic.text) begin(parts, name, KINETIC, (zn_sizes){0}, 1, &kinetic, NULL, &status);
    if (status != ZN_OK || !potential.text) return status;
    char *other = kinetic.text ? mem_format(parts->context, "%s.potential", name) : mem_text(parts->context, name);
    if (!other) return ZN_ERROR_MEMORY;
    begin(parts, other, POTENTIAL, (zn_sizes){0}, 1, &potential, NULL, &status);
    mem_free(parts->context, other);
    return status;
}

/* The body and the number of its velocity that "crank.phi", "crank.phi'", "top.wx" or a free "s" name; -1: none. */
static int find_velocity(const zn_parts *parts, const char *name, int *velocity) {
    size_t length = strcspn(name, ".'");
    int body = parts_find_body(parts, name, length);
    if (body < 0) return -1;
    const parts_body *b = &parts->bodies[body];
    char text[320];
    for (int i = 0; i < body_nu(b->kind); i++) {
        bool natural = i < 3 || b->kind != BODY_SPATIAL;
        *velocity = i;
        if (!strcmp(parts_u_name(b, i, text, sizeof text), name)) return body;
        if (natural && !strcmp(parts_q_name(b, i, text, sizeof text), name)) return body;
    }
    return -1;
}

/* The error that there is none. */
static zn_status no_velocity(zn_parts *parts, const char *name, zn_formula value, const char *what) {
    char hint[100], prefix[64];
    snprintf(prefix, sizeof prefix, "%.*s", (int)(strcspn(name, ".'") < 60 ? strcspn(name, ".'") : 60), name);
    bool known = parts_find_body(parts, prefix, strlen(prefix)) >= 0;
    error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
    return fail_at(parts->context, ZN_ERROR_MODEL, &place, "there is no velocity '%.60s' that %s%s", name, what,
                   known ? "" : parts_body_hint(parts, prefix, hint, sizeof hint));
}

zn_status zn_parts_mass(zn_parts *parts, const char *row, const char *column, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, row);
    if (!value.text) return fail(parts->context, ZN_ERROR_ARGUMENT, "the mass of '%s' needs a formula", row);
    if (!column) column = row;
    zn_status status;
    int velocities[2], bodies[3] = {find_velocity(parts, row, &velocities[0]), find_velocity(parts, column, &velocities[1]), -1};
    for (int i = 0; i < 2; i++)
        if (bodies[i] < 0) return no_velocity(parts, i ? column : row, value, "could have a mass");
    char *name = mem_format(parts->context, "mass of %s, %s", row, column),
         *turned = mem_format(parts->context, "mass of %s, %s", column, row);
    int other = turned && strcmp(row, column) ? names_find(&parts->piece_names, 0, turned, strlen(turned)) : -1;
    if (!name || !turned) status = ZN_ERROR_MEMORY;
    else if (other >= 0 && !parts->pieces[other].formulas[1].text)
        status = parts_keep_formula(parts, &parts->pieces[other].formulas[1], value);
    else {
        parts_piece *piece = begin(parts, name, MASS, (zn_sizes){0}, 1, &value, bodies, &status);
        for (int i = 0; piece && i < 2; i++) piece->parameters[i] = velocities[i];
        if (piece) piece->parameters[2] = bodies[0] != bodies[1]; /* the number of the second body */
    }
    mem_free(parts->context, name);
    mem_free(parts->context, turned);
    return status;
}

zn_status zn_parts_generalised_force(zn_parts *parts, const char *coordinate, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, coordinate);
    zn_status status;
    int velocity = 0, body = find_velocity(parts, coordinate, &velocity);
    if (body < 0) return no_velocity(parts, coordinate, value, "a force could act on");
    char *name = mem_format(parts->context, "force on %s (%zu)", coordinate, parts->n_pieces);
    if (!name) return ZN_ERROR_MEMORY;
    parts_piece *piece = begin(parts, name, GENERALISED_FORCE, (zn_sizes){0}, 1, &value, (int[]){body, -1}, &status);
    if (piece) piece->parameters[0] = velocity;
    mem_free(parts->context, name);
    return status;
}

/* All formulas of a contact that may name coordinates. */
static int contact_names(const zn_contact_def *def, int room, zn_formula *formulas) {
    int count = 0;
    if (def->gap.text) formulas[count++] = def->gap;
    for (int i = 0; i < def->n_laws; i++)
        for (int j = 0; j < def->laws[i].n_slips && count < room; j++) formulas[count++] = def->laws[i].slips[j];
    return count;
}

zn_status zn_parts_contact_formula(zn_parts *parts, const char *name, const zn_contact_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    enum { MOST = 32 };
    zn_formula formulas[MOST];
    zn_status status = formula_check_contact(parts->context, name, def);
    if (status != ZN_OK) return status;
    zn_sizes rows = {.nN = def->gap.text != NULL};
    for (int i = 0; i < def->n_laws; i++) rows.nF += def->laws[i].n_slips;
    parts_piece *piece = begin(parts, name, CONTACT, rows, contact_names(def, MOST, formulas), formulas, NULL, &status);
    if (!piece) return status;
    piece->contact_formulas = zn_formula_model_create(parts->context);
    return piece->contact_formulas ? zn_formula_contact(piece->contact_formulas, name, def) : ZN_ERROR_MEMORY;
}
