/* SPDX-License-Identifier: Apache-2.0 */
/* Names in formulas: the bodies that they refer to, and their expressions on these. */
#include "model/parts/formula_names.h"

#include <stdio.h>

/* ---- which bodies does a formula name ---- */

bool formula_add_body(zn_context *context, body_list *list, int body) {
    for (int i = 0; i < list->count; i++)
        if (list->items[i] == body) return true;
    if (!mem_grow(context, (void **)&list->items, &list->room, (size_t)list->count + 1, sizeof *list->items)) return false;
    list->items[list->count++] = body;
    return true;
}

error_place formula_place(zn_formula formula, size_t at) {
    error_place place = {
        .file = formula.file, .line = formula.line > 0 ? formula.line : 1, .column = formula.column > 0 ? formula.column : 1, .time = NAN};
    expr_text_place(formula.text, at, &place.line, &place.column);
    return place;
}

/* The quantities of a joint that the last part of a name may ask for. */
typedef enum joint_word { JOINT_NO_WORD, JOINT_TURNS, JOINT_SLIDES } joint_word;
static joint_word joint_word_of(const char *word, size_t length) {
    static const char *const words[] = {"angle", "rate", "displacement", "speed"};
    for (int i = 0; i < 4; i++)
        if (strlen(words[i]) == length && !strncmp(words[i], word, length)) return i < 2 ? JOINT_TURNS : JOINT_SLIDES;
    return JOINT_NO_WORD;
}

/* The last dot of a name of some length, and the number of letters behind it. */
static const char *last_dot(const char *name, size_t length) {
    const char *dot = name + length;
    while (dot > name && *dot != '.') dot--;
    return dot;
}
static size_t word_length(const char *name, size_t length) { return (size_t)(name + length - last_dot(name, length)) - 1; }

/* The joint whose angle or displacement a name asks for; -1: none. */
static int joint_of(const zn_parts *parts, const char *name, size_t length) {
    const char *dot = last_dot(name, length);
    joint_word word = joint_word_of(dot + 1, word_length(name, length));
    int piece = word ? names_find(&parts->piece_names, 0, name, (size_t)(dot - name)) : -1;
    if (piece < 0) return -1;
    return (word == JOINT_TURNS ? parts_joint_turns(parts, piece) : parts_joint_slides(parts, piece)) ? piece : -1;
}

/* The words that a piece knows, as a text behind a message. */
static void list_words(const zn_parts *parts, const parts_piece *piece, char *known, size_t room) {
    static const char *const words[] = {"angle",     "rate",      "displacement",      "speed",        "force",        "torque",
                                        "tension",   "force_x",   "force_y",           "force_z",      "normal",       "friction",
                                        "friction1", "friction2", "friction.friction", "lower.normal", "upper.normal", "clutch.normal"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char name[320];
        int length = snprintf(name, sizeof name, "%.250s.%s", piece->name, words[i]);
        bool of_several = formula_is_friction(words[i]) && words[i][8];
        if ((joint_of(parts, name, (size_t)length) < 0 && !formula_is_answer(parts, name)) || (of_several && piece->rows.nF < 2)) continue;
        size_t used = strlen(known);
        snprintf(known + used, room - used, "%s%s", used ? ", " : "; known: ", words[i]);
    }
}

/* A name with points whose first part is no body. */
static zn_status fail_unknown(zn_parts *parts, const error_place *place, const char *name, size_t length) {
    char owner[64], text[320], known[400] = "", hint[100];
    size_t first = strcspn(name, ".'"), prefix = (size_t)(last_dot(name, length) - name);
    snprintf(owner, sizeof owner, "%.*s", (int)(first < 60 ? first : 60), name);
    snprintf(text, sizeof text, "%s.1", owner);
    int piece = names_find(&parts->piece_names, 0, name, prefix);
    if (piece < 0) piece = names_find(&parts->piece_names, 0, name, prefix = first);
    bool has_parts = piece < 0 && (piece = names_find(&parts->piece_names, 0, text, strlen(text))) >= 0;
    if (piece < 0)
        return fail_at(parts->context, ZN_ERROR_MODEL, place, "there is no body '%s'%s", owner,
                       parts_body_hint(parts, owner, hint, sizeof hint));
    const parts_piece *found = &parts->pieces[piece];
    list_words(parts, found, known, sizeof known);
    if (has_parts)
        return fail_at(parts->context, ZN_ERROR_MODEL, place, "the %s '%s' has parts, '%s' is the first of them%s", found->what, owner,
                       text, known);
    snprintf(text, sizeof text, "%.*s", (int)(length - prefix - 1 < 100 ? length - prefix - 1 : 100), name + prefix + 1);
    return fail_at(parts->context, ZN_ERROR_MODEL, place, "the %s '%.60s' has no '%s'%s", found->what, found->name, text, known);
}

static zn_status scan(zn_parts *parts, zn_formula formula, body_list *list) {
    if (!formula.text) return ZN_OK;
    for (token t = expr_next_token(formula.text, 0); t.kind != TOKEN_END; t = expr_next_token(formula.text, t.start + t.length)) {
        if (t.kind == TOKEN_WRONG) return ZN_OK; /* the parser says what is wrong */
        if (t.kind != TOKEN_NAME) continue;
        const char *name = formula.text + t.start;
        bool taken;
        zn_status status = formula_take_answer(parts, formula, &t, &taken, list);
        if (status != ZN_OK) return status;
        if (taken) continue;
        size_t length = strcspn(name, ".'");
        bool dotted = length < t.length && name[length] == '.';
        if (length > t.length) length = t.length;
        int body = parts_find_body(parts, name, length), joint = body < 0 && dotted ? joint_of(parts, name, t.length) : -1;
        if (joint >= 0) {
            int stands[3],
                n = parts_joint_bodies(parts, joint,
                                       joint_word_of(last_dot(name, t.length) + 1, word_length(name, t.length)) == JOINT_TURNS, stands);
            for (int i = 0; i < n; i++)
                if (!formula_add_body(parts->context, list, stands[i])) return ZN_ERROR_MEMORY;
            if (n < 0) return parts_last_status(parts);
            continue;
        }
        if (body < 0 && dotted) {
            error_place place = formula_place(formula, t.start);
            return fail_unknown(parts, &place, name, t.length);
        }
        if (body >= 0 && (dotted || body_is_number(parts->bodies[body].kind)) && !formula_add_body(parts->context, list, body))
            return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

zn_status parts_bodies_of(zn_parts *parts, int n_formulas, const zn_formula *formulas, int n, const int *given, int *count, int **bodies) {
    zn_status status = ZN_OK;
    body_list list = {0};
    for (int i = 0; i < n; i++)
        if (!formula_add_body(parts->context, &list, given[i])) status = ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < n_formulas; i++) status = scan(parts, formulas[i], &list);
    if (status != ZN_OK) mem_free(parts->context, list.items);
    *bodies = status == ZN_OK ? list.items : NULL;
    *count = list.count;
    return status;
}

/* ---- names ---- */

void formula_add_name(zn_parts *parts, name_list *list, const char *name, expr value) {
    char *copy = mem_text(parts->context, name);
    if (copy && mem_grow(parts->context, (void **)&list->items, &list->room, (size_t)list->count + 1, sizeof *list->items))
        list->items[list->count++] = (expr_name){copy, value};
    else list->failed = true, mem_free(parts->context, copy);
}

static void add_body_names(zn_parts *parts, sketch *k, const parts_body *b, const sketch_body *at, name_list *list) {
    char name[320];
    for (int i = 0; i < body_nq(b->kind); i++) {
        formula_add_name(parts, list, parts_q_name(b, i, name, sizeof name - 1), expr_variable(k->g, k->s.q + at->q + i));
        strcat(name, "'");
        if (!body_has_rate(b->kind)) formula_add_name(parts, list, name, k->s.qdot[at->q + i]);
    }
    if (b->kind == BODY_VELOCITY) formula_add_name(parts, list, b->name, expr_variable(k->g, k->s.u + at->u));
    for (int i = 3; b->kind == BODY_SPATIAL && i < 6; i++)
        formula_add_name(parts, list, parts_u_name(b, i, name, sizeof name), expr_variable(k->g, k->s.u + at->u + i));
    bool placed = body_is_moving(b->kind) || body_is_section(b->kind);
    for (int i = 0; placed && i < 3; i++) {
        snprintf(name, sizeof name, "%s.%c", b->name, "xyz"[i]);
        formula_add_name(parts, list, name, at->r.x[i]);
        snprintf(name, sizeof name, "%s.%c'", b->name, "xyz"[i]);
        formula_add_name(parts, list, name, at->v.x[i]);
    }
    if (!body_is_section(b->kind) || !body_is_planar(b->kind)) return;
    snprintf(name, sizeof name, "%s.phi", b->name);
    formula_add_name(parts, list, name, at->phi);
    snprintf(name, sizeof name, "%s.phi'", b->name);
    formula_add_name(parts, list, name, at->omega.x[2]);
}

static evec constants(sketch *k, vec3 v) { return (evec){{sketch_constant(k, v.x), sketch_constant(k, v.y), sketch_constant(k, v.z)}}; }

/* The world is in space where some body is. */
static bool is_planar(const zn_parts *parts, int body) {
    bool planar = body_is_planar(parts->bodies[body].kind);
    for (size_t i = 0; body == 0 && i < parts->n_bodies; i++) planar = planar && body_is_planar(parts->bodies[i].kind);
    return planar;
}

/* BODY.FRAME.x, its rate BODY.FRAME.x', and the components BODY.FRAME.axis_x of its axis (x in the plane, z in space). */
static void add_frame_names(zn_parts *parts, sketch *k, int body, int at, name_list *list) {
    bool planar = is_planar(parts, body);
    char name[400];
    for (size_t f = 0; f < parts->n_frames; f++) {
        const parts_frame *frame = &parts->frames[f];
        if (frame->body != body || !frame->name || frame->flexible) continue;
        evec xi = constants(k, frame->position), p = sketch_point(k, at, xi), v = sketch_point_velocity(k, at, xi);
        evec e = sketch_direction(k, at, constants(k, mat3_column(parts_frame_axes(frame, planar), planar ? 0 : 2)));
        for (int i = 0; i < 3; i++) {
            const char *owner = parts->bodies[body].name;
            snprintf(name, sizeof name, "%s.%s.%c", owner, frame->name, "xyz"[i]);
            formula_add_name(parts, list, name, p.x[i]);
            snprintf(name, sizeof name, "%s.%s.%c'", owner, frame->name, "xyz"[i]);
            formula_add_name(parts, list, name, v.x[i]);
            snprintf(name, sizeof name, "%s.%s.axis_%c", owner, frame->name, "xyz"[i]);
            formula_add_name(parts, list, name, e.x[i]);
        }
    }
}

/* JOINT.angle and JOINT.rate, JOINT.displacement and JOINT.speed, of joints whose bodies the piece has. */
static void add_joint_names(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    for (size_t j = 0; j < parts->n_pieces; j++) {
        const parts_piece *joint = &parts->pieces[j];
        bool turns = parts_joint_turns(parts, (int)j), slides = parts_joint_slides(parts, (int)j);
        if ((!turns && !slides) || joint->n_bodies < 2) continue;
        bool planar = body_is_planar(parts->bodies[joint->bodies[0]].kind) && body_is_planar(parts->bodies[joint->bodies[1]].kind);
        int at[3] = {-1, -1, -1};
        for (int i = 0; i < k->n_bodies; i++) {
            for (int b = 0; b < 2; b++)
                if (piece->bodies[i] == joint->bodies[b]) at[b] = i;
            if (joint->mark && piece->bodies[i] == joint->mark) at[2] = i;
        }
        for (int way = 0; way < 2; way++) {
            char name[400];
            joint_motion motion;
            if (!(way ? slides : turns) || at[0] < 0 || at[1] < 0 || (!way && !planar && at[2] < 0)) continue;
            if (parts_joint_motion(parts, k, (int)j, !way, at, &motion) != ZN_OK) list->failed = true;
            if (list->failed) return;
            snprintf(name, sizeof name, "%s.%s", joint->name, way ? "displacement" : "angle");
            formula_add_name(parts, list, name, motion.value);
            snprintf(name, sizeof name, "%s.%s", joint->name, way ? "speed" : "rate");
            formula_add_name(parts, list, name, motion.rate);
        }
    }
}

enum { LARGE_SCOPE = 50 }; /* names, from where on a table pays */

static bool index_names(zn_context *context, expr_scope *scope) {
    name_table *table = MEM_ARRAY(context, name_table, 1);
    scope->table = table;
    for (int i = 0; table && i < scope->count; i++)
        if (!names_add(context, table, 0, scope->names[i].name, i)) return false;
    return table != NULL;
}

zn_status parts_scope(zn_parts *parts, sketch *k, const parts_piece *piece, int n_locals, const expr_name *locals, expr_scope *scope) {
    const zn_machine *machine = piece ? parts->machine : NULL;
    size_t inputs = machine ? machine->n_values : 0;
    name_list list = {0};
    for (int i = 0; i < n_locals; i++) formula_add_name(parts, &list, locals[i].name, locals[i].value);
    for (size_t i = 0; i < parts->n_parameters; i++)
        formula_add_name(parts, &list, parts->parameters[i].name,
                         k->s.source_nodes ? k->s.source_nodes[i] : sketch_constant(k, parts->parameters[i].value));
    formula_add_name(parts, &list, "t", expr_variable(k->g, 0));
    for (size_t i = 0; !piece && parts->machine && i < parts->machine->n_values; i++) { /* of a prescribed motion */
        const machine_value *v = &parts->machine->values[i];
        if (machine_is_function(v)) formula_add_name(parts, &list, v->name, expr_look_up(k->g, v->follow, 0, expr_variable(k->g, 0)));
    }
    for (size_t i = 0; i < inputs; i++)
        if (machine->values[i].kind != MACHINE_ANSWER || piece->n_outputs)
            formula_add_name(parts, &list, machine->values[i].name, expr_variable(k->g, k->s.input + (int)i));
    for (int i = 0; piece && i < k->n_bodies; i++) {
        add_body_names(parts, k, &parts->bodies[piece->bodies[i]], &k->body[i], &list);
        if (!body_is_number(k->body[i].kind)) add_frame_names(parts, k, piece->bodies[i], i, &list);
    }
    if (piece) add_joint_names(parts, k, piece, &list);
    if (piece && piece->n_outputs && !parts->in_force) {
        parts->in_force = true;
        if (formula_answer_names(parts, k, piece, &list) != ZN_OK) list.failed = true;
        parts->in_force = false;
    }
    *scope = (expr_scope){.count = list.count, .names = list.items};
    machine_scope(parts->machine, scope);
    if (!list.failed && list.count > LARGE_SCOPE) list.failed = !index_names(parts->context, scope);
    if (!list.failed) return ZN_OK;
    parts_scope_free(parts, scope);
    return ZN_ERROR_MEMORY;
}

void parts_scope_free(zn_parts *parts, expr_scope *scope) {
    for (int i = 0; i < scope->count; i++) mem_free(parts->context, (void *)(uintptr_t)scope->names[i].name);
    mem_free(parts->context, (void *)(uintptr_t)scope->names);
    if (scope->table) names_free(parts->context, (name_table *)(uintptr_t)scope->table);
    mem_free(parts->context, (void *)(uintptr_t)scope->table);
    *scope = (expr_scope){.count = 0, .names = NULL};
}

/* A prescribed motion must have rates, so it cannot contain values that jump or that the simulation computes. */
static zn_status refuse_values(zn_parts *parts, zn_formula formula) {
    for (token t = expr_next_token(formula.text, 0); t.kind != TOKEN_END && t.kind != TOKEN_WRONG;
         t = expr_next_token(formula.text, t.start + t.length)) {
        const char *name = formula.text + t.start;
        if (t.kind != TOKEN_NAME) continue;
        int value = parts->machine ? machine_find(parts->machine, name, t.length) : -1, body = parts_find_body(parts, name, t.length);
        bool state = body >= 0 && body_has_rate(parts->bodies[body].kind);
        if (value < 0 && !state) continue;
        if (value >= 0 && machine_is_function(&parts->machine->values[value])) {
            parts->machine->values[value].in_positions = true;
            continue;
        }
        error_place place = formula_place(formula, t.start);
        return fail_at(parts->context, ZN_ERROR_MODEL, &place,
                       "'%.*s' is %s, and a prescribed motion is a formula of t, tables and inputs with 'interpolation: linear' or "
                       "'cubic': let a drive "
                       "move a body with mass, whose formula may use inputs and states",
                       (int)(t.length < 60 ? t.length : 60), name,
                       state ? "a state" : machine_kind_words[parts->machine->values[value].kind]);
    }
    return ZN_OK;
}

zn_status parts_formula_of_time(zn_parts *parts, sketch *k, const parts_piece *piece, const formula_text *text, expr *out) {
    expr_scope scope;
    zn_status status = piece ? ZN_OK : refuse_values(parts, formula_of(text));
    if (status == ZN_OK) status = parts_scope(parts, k, piece, 0, NULL, &scope);
    if (status != ZN_OK) return status;
    status = expr_parse(k->g, parts->context, &scope, formula_of(text), out);
    parts_scope_free(parts, &scope);
    return status;
}
