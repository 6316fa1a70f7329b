/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over coordinates of parts. A formula becomes a piece on the bodies that it names, and on no others: so a large
 * model stays sparse. */
#include "model/parts/builder.h"

#include "expr/lexer.h"

#include <stdio.h>

/* ---- which bodies does a formula name ---- */

static bool add_index(zn_context *context, int **list, size_t *capacity, int *count, int index) {
    for (int i = 0; i < *count; i++)
        if ((*list)[i] == index) return true;
    if (!mem_grow(context, (void **)list, capacity, (size_t)*count + 1, sizeof **list)) return false;
    (*list)[(*count)++] = index;
    return true;
}

static error_place place_in(zn_formula formula, size_t at) {
    error_place place = {.file = formula.file,
                         .line = formula.line > 0 ? formula.line : 1,
                         .column = formula.column > 0 ? formula.column : 1,
                         .time = NAN};
    expr_text_place(formula.text, at, &place.line, &place.column);
    return place;
}

static zn_status scan(zn_parts *parts, zn_formula formula, int **list, size_t *capacity, int *count) {
    if (!formula.text) return ZN_OK;
    for (token t = expr_next_token(formula.text, 0); t.kind != TOKEN_END;
         t = expr_next_token(formula.text, t.start + t.length)) {
        if (t.kind == TOKEN_WRONG) return ZN_OK; /* the parser says what is wrong */
        if (t.kind != TOKEN_NAME) continue;
        const char *name = formula.text + t.start;
        size_t length = strcspn(name, ".'");
        bool dotted = length < t.length && name[length] == '.';
        if (length > t.length) length = t.length;
        int body = parts_find_body(parts, name, length);
        if (body < 0 && dotted) {
            char prefix[64], hint[100];
            snprintf(prefix, sizeof prefix, "%.*s", (int)(length < 60 ? length : 60), name);
            error_place place = place_in(formula, t.start);
            return fail_at(parts->context, ZN_MODEL, &place, "there is no body '%s'%s", prefix,
                           parts_body_hint(parts, prefix, hint, sizeof hint));
        }
        if (body > 0 && (dotted || parts->bodies[body].kind == BODY_SCALAR) &&
            !add_index(parts->context, list, capacity, count, body))
            return ZN_MEMORY;
    }
    return ZN_OK;
}

zn_status parts_bodies_of(zn_parts *parts, int n_formulas, const zn_formula *formulas, int n, const int *given, int *count,
                          int **bodies) {
    zn_status status = ZN_OK;
    size_t capacity = 0;
    *bodies = NULL;
    *count = 0;
    for (int i = 0; i < n; i++)
        if (!add_index(parts->context, bodies, &capacity, count, given[i])) status = ZN_MEMORY;
    for (int i = 0; status == ZN_OK && i < n_formulas; i++) status = scan(parts, formulas[i], bodies, &capacity, count);
    if (status == ZN_OK) return ZN_OK;
    mem_free(parts->context, *bodies);
    *bodies = NULL;
    return status;
}

/* ---- names ---- */

typedef struct name_list {
    expr_name *items;
    int count, owned; /* names from `owned` on are copies */
    bool failed;
} name_list;

static void add_name(zn_parts *parts, name_list *list, const char *name, expr value) {
    char *copy = mem_text(parts->context, name);
    list->failed |= !copy;
    if (copy) list->items[list->count++] = (expr_name){copy, value};
}

static void add_body_names(zn_parts *parts, sketch *k, const parts_body *b, const sketch_body *at, name_list *list) {
    char name[320];
    for (int i = 0; i < body_nq(b->kind); i++) {
        add_name(parts, list, parts_q_name(b, i, name, sizeof name - 1), expr_variable(k->g, k->s.q + at->q + i));
        strcat(name, "'");
        add_name(parts, list, name, k->s.qdot[at->q + i]);
    }
    for (int i = 3; b->kind == BODY_SPATIAL && i < 6; i++)
        add_name(parts, list, parts_u_name(b, i, name, sizeof name), expr_variable(k->g, k->s.u + at->u + i));
    bool placed = body_is_moving(b->kind) || body_is_section(b->kind);
    for (int i = 0; placed && i < 3; i++) {
        snprintf(name, sizeof name, "%s.%c", b->name, "xyz"[i]);
        add_name(parts, list, name, at->r.x[i]);
        snprintf(name, sizeof name, "%s.%c'", b->name, "xyz"[i]);
        add_name(parts, list, name, at->v.x[i]);
    }
    if (!body_is_section(b->kind) || !body_is_planar(b->kind)) return;
    snprintf(name, sizeof name, "%s.phi", b->name);
    add_name(parts, list, name, at->phi);
    snprintf(name, sizeof name, "%s.phi'", b->name);
    add_name(parts, list, name, at->omega.x[2]);
}

zn_status parts_scope(zn_parts *parts, sketch *k, const parts_piece *piece, int n_locals, const expr_name *locals,
                      expr_scope *scope) {
    size_t most = (size_t)n_locals + parts->n_parameters + 1 + (size_t)k->n_bodies * 17;
    name_list list = {MEM_ARRAY(parts->context, expr_name, most), 0, 0, false};
    if (!list.items) return ZN_MEMORY;
    for (int i = 0; i < n_locals; i++) add_name(parts, &list, locals[i].name, locals[i].value);
    for (size_t i = 0; i < parts->n_parameters; i++)
        add_name(parts, &list, parts->parameters[i].name, sketch_constant(k, parts->parameters[i].value));
    add_name(parts, &list, "t", expr_variable(k->g, 0));
    for (int i = 0; piece && i < k->n_bodies; i++)
        add_body_names(parts, k, &parts->bodies[piece->bodies[i]], &k->body[i], &list);
    *scope = (expr_scope){.count = list.count, .names = list.items};
    if (!list.failed) return ZN_OK;
    parts_scope_free(parts, scope);
    return ZN_MEMORY;
}

void parts_scope_free(zn_parts *parts, expr_scope *scope) {
    for (int i = 0; i < scope->count; i++) mem_free(parts->context, (void *)(uintptr_t)scope->names[i].name);
    mem_free(parts->context, (void *)(uintptr_t)scope->names);
    *scope = (expr_scope){.count = 0, .names = NULL};
}

zn_status parts_formula_of_time(zn_parts *parts, sketch *k, const formula_text *text, expr *out) {
    expr_scope scope;
    zn_status status = parts_scope(parts, k, NULL, 0, NULL, &scope);
    if (status != ZN_OK) return status;
    status = expr_parse(k->g, parts->context, &scope, formula_of(text), out);
    parts_scope_free(parts, &scope);
    return status;
}

/* ---- pieces by formulas ---- */

typedef enum formula_use {
    POSITION_CONSTRAINT,
    VELOCITY_CONSTRAINT,
    GENERALISED_FORCE,
    KINETIC,
    POTENTIAL,
    CONTACT,
    OUTPUT
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
            "a kinetic energy by formula cannot use spatial bodies: their velocities are not rates of coordinates");
    int nu = s->size.nu;
    expr rest = T; /* at u = 0 */
    for (int i = 0; i < nu; i++) rest = expr_substitute(k->g, rest, s->u + i, 1, (expr[]){sketch_constant(k, 0)});
    s->T = sketch_add(k, s->T, rest);
    for (int i = 0; i < nu; i++) {
        expr p = expr_derivative(k->g, T, s->u + i), rate = expr_derivative(k->g, p, 0),
             T_q = expr_derivative(k->g, T, s->q + i);
        for (int j = 0; j < nu; j++) {
            s->M[i + j * nu] = expr_derivative(k->g, p, s->u + j);
            if (expr_depends_range(k->g, s->M[i + j * nu], s->u, nu))
                return formula_fail(parts->context, text, "kinetic",
                                    "the kinetic energy must be quadratic in the velocities");
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
    if (status == ZN_OK) sketch_output(k, value);
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
    if (!s->contacts || !s->contact_names || !s->balls || !s->scales) return ZN_MEMORY;
    return formula_system_contacts(piece->contact_formulas, s, scope);
}

zn_status parts_express_formulas(zn_parts *parts, sketch *k, const parts_piece *piece) {
    expr_scope scope;
    zn_status status = parts_scope(parts, k, piece, 0, NULL, &scope);
    if (status != ZN_OK) return status;
    switch ((formula_use)piece->variant) {
    case POSITION_CONSTRAINT:
        status = formula_position_row(&k->s, parts->context, &scope, &piece->formulas[0], piece->name, "constraint",
                                      &k->s.rows[0]);
        break;
    case VELOCITY_CONSTRAINT:
        status = formula_velocity_row(&k->s, parts->context, &scope, &piece->formulas[0], piece->name, "constraint",
                                      &k->s.rows[0]);
        break;
    case GENERALISED_FORCE: status = express_force(parts, k, piece, &scope); break;
    case KINETIC: status = express_kinetic(parts, k, &piece->formulas[0], &scope); break;
    case POTENTIAL: status = express_potential(parts, k, &piece->formulas[0], &scope); break;
    case OUTPUT: status = express_output(parts, k, piece, &scope); break;
    default: status = express_contact(parts, k, piece, &scope); break;
    }
    parts_scope_free(parts, &scope);
    return status;
}

static parts_piece *begin(zn_parts *parts, const char *name, formula_use use, zn_sizes rows, int n,
                          const zn_formula *formulas, int first_body, zn_status *status) {
    static const char *const what[] = {"formula constraint",
                                       "formula velocity constraint",
                                       "formula force",
                                       "kinetic energy",
                                       "potential energy",
                                       "formula contact",
                                       "output"};
    int count, *bodies;
    *status = parts_bodies_of(parts, n, formulas, first_body >= 0, &first_body, &count, &bodies);
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
                         .n_formulas = keeps ? n : 0,
                         .n_parameters = use == GENERALISED_FORCE,
                         .n_outputs = use == OUTPUT};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, bodies);
    if (!piece) *status = parts_last_status(parts);
    for (int i = 0; piece && keeps && i < n && *status == ZN_OK; i++)
        *status = parts_keep_formula(parts, &piece->formulas[i], formulas[i]);
    return piece;
}

zn_status zn_parts_position_constraint(zn_parts *parts, const char *name, zn_formula g) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    begin(parts, name, POSITION_CONSTRAINT, (zn_sizes){.ng = 1}, 1, &g, -1, &status);
    return status;
}

zn_status zn_parts_velocity_constraint(zn_parts *parts, const char *name, zn_formula gamma) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    begin(parts, name, VELOCITY_CONSTRAINT, (zn_sizes){.ny = 1}, 1, &gamma, -1, &status);
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

zn_status zn_parts_output(zn_parts *parts, const char *name, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status;
    if (!name || !*name) return fail(parts->context, ZN_ARGUMENT, "an output needs a name");
    if (is_column(parts, name)) {
        error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
        return fail_at(parts->context, ZN_MODEL, &place, "the name '%s' of an output is already taken", name);
    }
    char *label = mem_format(parts->context, "output %s", name); /* its column may have the name of a joint */
    if (!label) return ZN_MEMORY;
    parts_piece *piece = begin(parts, label, OUTPUT, (zn_sizes){0}, 1, &value, -1, &status);
    if (piece && !(piece->outputs[0] = mem_text(parts->context, name))) status = ZN_MEMORY;
    mem_free(parts->context, label);
    return status;
}

/* Two pieces: what the potential names has nothing to do with what the kinetic energy names. */
zn_status zn_parts_energy(zn_parts *parts, const char *name, zn_formula kinetic, zn_formula potential) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status = ZN_OK;
    if (!name || !*name) return fail(parts->context, ZN_ARGUMENT, "an energy needs a name");
    if (kinetic.text) begin(parts, name, KINETIC, (zn_sizes){0}, 1, &kinetic, -1, &status);
    if (status != ZN_OK || !potential.text) return status;
    char *other = kinetic.text ? mem_format(parts->context, "%s.potential", name) : mem_text(parts->context, name);
    if (!other) return ZN_MEMORY;
    begin(parts, other, POTENTIAL, (zn_sizes){0}, 1, &potential, -1, &status);
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

zn_status zn_parts_generalised_force(zn_parts *parts, const char *coordinate, zn_formula value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, coordinate);
    zn_status status;
    int velocity = 0, body = find_velocity(parts, coordinate, &velocity);
    if (body < 0) {
        char hint[100], prefix[64];
        snprintf(prefix, sizeof prefix, "%.*s", (int)(strcspn(coordinate, ".'") < 60 ? strcspn(coordinate, ".'") : 60),
                 coordinate);
        bool known = parts_find_body(parts, prefix, strlen(prefix)) >= 0;
        error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
        return fail_at(parts->context, ZN_MODEL, &place, "there is no velocity '%.60s' that a force could act on%s",
                       coordinate, known ? "" : parts_body_hint(parts, prefix, hint, sizeof hint));
    }
    char *name = mem_format(parts->context, "force on %s (%zu)", coordinate, parts->n_pieces);
    if (!name) return ZN_MEMORY;
    parts_piece *piece = begin(parts, name, GENERALISED_FORCE, (zn_sizes){0}, 1, &value, body, &status);
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
    parts_piece *piece = begin(parts, name, CONTACT, rows, contact_names(def, MOST, formulas), formulas, -1, &status);
    if (!piece) return status;
    piece->contact_formulas = zn_formula_model_create(parts->context);
    return piece->contact_formulas ? zn_formula_contact(piece->contact_formulas, name, def) : ZN_MEMORY;
}
