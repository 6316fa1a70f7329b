/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over coordinates of parts. A formula becomes a piece on the bodies that it names, and on no others: so a large
 * model stays sparse. */
#include "model/parts/joint.h"

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
    error_place place = {
        .file = formula.file, .line = formula.line > 0 ? formula.line : 1, .column = formula.column > 0 ? formula.column : 1, .time = NAN};
    expr_text_place(formula.text, at, &place.line, &place.column);
    return place;
}

/* What the last part of a name says about a joint. */
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

/* ---- accelerations and forces ---- */

/* What the last part of a name asks of a joint: the row of the model. */
static bool joint_answer(const zn_parts *parts, const parts_piece *piece, bool planar, const char *word, char *of, size_t room) {
    const joint_type *type = joint_types[piece->variant & JOINT_TYPE_MASK];
    int axis = !strncmp(word, "force_", 6) && word[6] && !word[7] ? word[6] - 'x' : -1;
    if (piece->variant & JOINT_LOOSE) return false;
    if (type->meets && axis >= 0 && axis < (planar ? 2 : 3)) return snprintf(of, room, "%s.%d", piece->name, axis + 1) > 0;
    for (int i = 1; axis >= 0 && axis < (planar ? 2 : 3) && i >= 0; i--) { /* what its rows do to a body: + the second one, - the first */
        const parts_body *b = &parts->bodies[piece->bodies[i]];
        char velocity[200];
        if (b->kind != BODY_PLANAR && b->kind != BODY_SPATIAL && b->kind != BODY_PARTICLE_2D && b->kind != BODY_PARTICLE_3D) continue;
        return snprintf(of, room, "%s|%c%s", piece->name, i ? '+' : '-', parts_u_name(b, axis, velocity, sizeof velocity)) > 0;
    }
    bool turning = type->has_drive && type->turns, pushing = (type->has_drive && type->slides) || type->extra == JOINT_LENGTH;
    if (piece->rows.ng + piece->rows.ny != 1 || !((turning && !strcmp(word, "torque")) || (pushing && !strcmp(word, "force"))))
        return false;
    return snprintf(of, room, "%s", piece->name) > 0;
}

/* The force that NAME.force or NAME.torque is of; -1: none. */
static int force_of(const zn_parts *parts, const char *name) {
    const char *dot = strrchr(name, '.');
    int piece = dot ? names_find(&parts->piece_names, 0, name, (size_t)(dot - name)) : -1;
    bool turns;
    return piece >= 0 && parts_is_force(parts, piece, &turns) && !strcmp(dot + 1, turns ? "torque" : "force") ? piece : -1;
}

/* BODY.FRAME.x'' */
static bool is_point_acceleration(const zn_parts *parts, const char *name, size_t length) {
    size_t owner = strcspn(name, "."), prefix = length > 4 ? length - 4 : 0;
    int body = owner < prefix ? parts_find_body(parts, name, owner) : -1;
    if (body <= 0 || strncmp(name + length - 2, "''", 2) != 0 || name[prefix] != '.' || !strchr("xyz", name[prefix + 1])) return false;
    for (size_t f = 0; f < parts->n_frames; f++) {
        const parts_frame *frame = &parts->frames[f];
        if (frame->body == body && frame->name && !frame->flexible && strlen(frame->name) == prefix - owner - 1 &&
            !strncmp(frame->name, name + owner + 1, prefix - owner - 1))
            return true;
    }
    return false;
}

/* VELOCITY' of bodies, points of frames, CONTACT.normal, CONTACT.friction, JOINT.force_x ..., MOTOR.torque: of: the velocity or row of the model. */
static bool answer_of(const zn_parts *parts, const char *name, size_t length, char *of, size_t room) {
    char text[320];
    if (length < 2 || length >= sizeof text || length >= room) return false;
    snprintf(of, room, "%.*s", (int)length, name);
    if (is_point_acceleration(parts, of, length)) return true;
    if (of[length - 1] == '\'') {
        of[length - 1] = '\0';
        int body = parts_find_body(parts, of, strcspn(of, ".'"));
        for (int i = 0; body >= 0 && i < body_nu(parts->bodies[body].kind); i++)
            if (!strcmp(parts_u_name(&parts->bodies[body], i, text, sizeof text), of)) return true;
        return false;
    }
    const char *word = strrchr(of, '.');
    int found = word ? names_find(&parts->piece_names, 0, of, (size_t)(word - of)) : -1;
    if (word && found < 0) { /* a contact with several points */
        snprintf(text, sizeof text, "%.*s.1", (int)(word - of), of);
        found = names_find(&parts->piece_names, 0, text, strlen(text));
        if (found >= 0 && parts->pieces[found].rows.nN + parts->pieces[found].rows.nF == 0) found = -1;
    }
    if (found < 0) return false;
    const parts_piece *piece = &parts->pieces[found];
    bool turns;
    word++;
    if (parts_is_force(parts, found, &turns)) return !strcmp(word, turns ? "torque" : "force");
    if (piece->express == parts_express_joint) {
        bool planar = body_is_planar(parts->bodies[piece->bodies[0]].kind) && body_is_planar(parts->bodies[piece->bodies[1]].kind);
        snprintf(text, sizeof text, "%s", word);
        return joint_answer(parts, piece, planar, text, of, room);
    }
    return (piece->rows.nN > 0 && !strcmp(word, "normal")) || (piece->rows.nF > 0 && !strncmp(word, "friction", 8));
}

/* Whether a name is one: known to outputs from now on, refused elsewhere. */
static zn_status take_answer(zn_parts *parts, zn_formula formula, const token *t, bool *taken, int **list, size_t *capacity, int *count) {
    char of[320], name[320];
    *taken = answer_of(parts, formula.text + t->start, t->length, of, sizeof of);
    if (!*taken) return ZN_OK;
    snprintf(name, sizeof name, "%.*s", (int)t->length, formula.text + t->start);
    error_place place = place_in(formula, t->start);
    if (!parts->in_output)
        return fail_at(parts->context, ZN_ERROR_MODEL, &place,
                       "'%.60s' is a force or acceleration, which is known after a step only: 'outputs' may use it, other formulas may not",
                       name);
    int force = force_of(parts, name), body = parts_find_body(parts, name, strcspn(name, "."));
    const parts_piece *piece = force >= 0 ? &parts->pieces[force] : NULL;
    for (int i = 0; piece && i < piece->n_bodies; i++)
        if (!add_index(parts->context, list, capacity, count, piece->bodies[i])) return ZN_ERROR_MEMORY;
    if (piece) return ZN_OK;
    bool of_point = is_point_acceleration(parts, name, strlen(name));
    if (of_point && !add_index(parts->context, list, capacity, count, body)) return ZN_ERROR_MEMORY;
    zn_machine *machine = zn_parts_machine(parts);
    if (!machine) return ZN_ERROR_MEMORY;
    if (!of_point) return machine_answer(machine, name, of);
    zn_status status = ZN_OK;
    for (int i = 0; i < body_nu(parts->bodies[body].kind) && status == ZN_OK; i++) {
        snprintf(name, sizeof name, "%s'", parts_u_name(&parts->bodies[body], i, of, sizeof of));
        status = machine_answer(machine, name, of);
    }
    return status;
}

static zn_status scan(zn_parts *parts, zn_formula formula, int **list, size_t *capacity, int *count) {
    if (!formula.text) return ZN_OK;
    for (token t = expr_next_token(formula.text, 0); t.kind != TOKEN_END; t = expr_next_token(formula.text, t.start + t.length)) {
        if (t.kind == TOKEN_WRONG) return ZN_OK; /* the parser says what is wrong */
        if (t.kind != TOKEN_NAME) continue;
        const char *name = formula.text + t.start;
        bool taken;
        zn_status status = take_answer(parts, formula, &t, &taken, list, capacity, count);
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
                if (!add_index(parts->context, list, capacity, count, stands[i])) return ZN_ERROR_MEMORY;
            if (n < 0) return parts_last_status(parts);
            continue;
        }
        if (body < 0 && dotted) {
            char prefix[64], hint[100];
            snprintf(prefix, sizeof prefix, "%.*s", (int)(length < 60 ? length : 60), name);
            error_place place = place_in(formula, t.start);
            int piece = names_find(&parts->piece_names, 0, name, length);
            if (piece >= 0)
                return fail_at(parts->context, ZN_ERROR_MODEL, &place, "the %s '%s' has no '%.*s'", parts->pieces[piece].what, prefix,
                               (int)(t.length - length - 1), name + length + 1);
            return fail_at(parts->context, ZN_ERROR_MODEL, &place, "there is no body '%s'%s", prefix,
                           parts_body_hint(parts, prefix, hint, sizeof hint));
        }
        if (body > 0 && (dotted || parts->bodies[body].kind == BODY_SCALAR || parts->bodies[body].kind == BODY_STATE) &&
            !add_index(parts->context, list, capacity, count, body))
            return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

zn_status parts_bodies_of(zn_parts *parts, int n_formulas, const zn_formula *formulas, int n, const int *given, int *count, int **bodies) {
    zn_status status = ZN_OK;
    size_t capacity = 0;
    *bodies = NULL;
    *count = 0;
    for (int i = 0; i < n; i++)
        if (!add_index(parts->context, bodies, &capacity, count, given[i])) status = ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < n_formulas; i++) status = scan(parts, formulas[i], bodies, &capacity, count);
    if (status == ZN_OK) return ZN_OK;
    mem_free(parts->context, *bodies);
    *bodies = NULL;
    return status;
}

/* ---- names ---- */

typedef struct name_list {
    expr_name *items;
    int count;
    size_t room;
    bool failed;
} name_list;

static void add_name(zn_parts *parts, name_list *list, const char *name, expr value) {
    char *copy = mem_text(parts->context, name);
    if (copy && mem_grow(parts->context, (void **)&list->items, &list->room, (size_t)list->count + 1, sizeof *list->items))
        list->items[list->count++] = (expr_name){copy, value};
    else list->failed = true, mem_free(parts->context, copy);
}

static void add_body_names(zn_parts *parts, sketch *k, const parts_body *b, const sketch_body *at, name_list *list) {
    char name[320];
    for (int i = 0; i < body_nq(b->kind); i++) {
        add_name(parts, list, parts_q_name(b, i, name, sizeof name - 1), expr_variable(k->g, k->s.q + at->q + i));
        strcat(name, "'");
        if (b->kind != BODY_STATE) add_name(parts, list, name, k->s.qdot[at->q + i]);
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

static evec constants(sketch *k, vec3 v) { return (evec){{sketch_constant(k, v.x), sketch_constant(k, v.y), sketch_constant(k, v.z)}}; }

/* BODY.FRAME.x, its rate BODY.FRAME.x', and the components BODY.FRAME.axis_x of its axis (x in the plane, z in space). */
static void add_frame_names(zn_parts *parts, sketch *k, int body, int at, name_list *list) {
    bool planar = body_is_planar(parts->bodies[body].kind);
    char name[400];
    for (size_t f = 0; f < parts->n_frames; f++) {
        const parts_frame *frame = &parts->frames[f];
        if (frame->body != body || !frame->name || frame->flexible) continue;
        evec xi = constants(k, frame->position), p = sketch_point(k, at, xi), v = sketch_point_velocity(k, at, xi);
        evec e = sketch_direction(k, at, constants(k, mat3_column(parts_frame_axes(frame, planar), planar ? 0 : 2)));
        for (int i = 0; i < 3; i++) {
            const char *owner = parts->bodies[body].name;
            snprintf(name, sizeof name, "%s.%s.%c", owner, frame->name, "xyz"[i]);
            add_name(parts, list, name, p.x[i]);
            snprintf(name, sizeof name, "%s.%s.%c'", owner, frame->name, "xyz"[i]);
            add_name(parts, list, name, v.x[i]);
            snprintf(name, sizeof name, "%s.%s.axis_%c", owner, frame->name, "xyz"[i]);
            add_name(parts, list, name, e.x[i]);
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
            add_name(parts, list, name, motion.value);
            snprintf(name, sizeof name, "%s.%s", joint->name, way ? "speed" : "rate");
            add_name(parts, list, name, motion.rate);
        }
    }
}

/* The next name in a text, after t. */
static bool next_name(const char *text, token *t, char *name, size_t room) {
    do *t = expr_next_token(text, t->start + t->length);
    while (t->kind != TOKEN_NAME && t->kind != TOKEN_END && t->kind != TOKEN_WRONG);
    if (t->kind == TOKEN_NAME) snprintf(name, room, "%.*s", (int)t->length, text + t->start);
    return t->kind == TOKEN_NAME;
}

/* Forces between frames that an output names. */
static zn_status add_force_names(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    char name[320];
    zn_status status = ZN_OK;
    for (token t = {0}; status == ZN_OK && next_name(piece->formulas[0].text, &t, name, sizeof name);) {
        int force = force_of(parts, name);
        expr value;
        if (force < 0) continue;
        status = parts_force_value(parts, k, force, piece, &value);
        if (status == ZN_OK) add_name(parts, list, name, value);
    }
    return status;
}

/* Of a point with the velocity v(t, q, u): v' with the accelerations u' that outputs know. */
static void add_point_accelerations(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    char name[320], of[320], rate[320];
    for (token t = {0}; next_name(piece->formulas[0].text, &t, name, sizeof name);) {
        if (!is_point_acceleration(parts, name, strlen(name))) continue;
        snprintf(of, sizeof of, "%.*s", (int)strlen(name) - 1, name); /* its velocity is known */
        for (int i = 0; i < list->count; i++) {
            if (strcmp(list->items[i].name, of) != 0) continue;
            int body = parts_find_body(parts, name, strcspn(name, "."));
            expr v = list->items[i].value, a = expr_derivative(k->g, v, 0); /* the rate of a sketch is that of positions */
            for (int j = 0; j < k->s.size.nq; j++) a = sketch_add(k, a, sketch_mul(k, expr_derivative(k->g, v, k->s.q + j), k->s.qdot[j]));
            for (int b = 0; b < k->n_bodies; b++)
                for (int j = 0; piece->bodies[b] == body && j < body_nu(parts->bodies[body].kind); j++) {
                    snprintf(rate, sizeof rate, "%s'", parts_u_name(&parts->bodies[body], j, of, sizeof of));
                    int value = machine_find(parts->machine, rate, strlen(rate));
                    expr share = expr_derivative(k->g, v, k->s.u + k->body[b].u + j);
                    a = sketch_add(k, a, sketch_mul(k, share, expr_variable(k->g, k->s.input + value)));
                }
            add_name(parts, list, name, a);
            break;
        }
    }
}

zn_status parts_scope(zn_parts *parts, sketch *k, const parts_piece *piece, int n_locals, const expr_name *locals, expr_scope *scope) {
    const zn_machine *machine = piece ? parts->machine : NULL;
    size_t inputs = machine ? machine->n_values : 0;
    name_list list = {0};
    for (int i = 0; i < n_locals; i++) add_name(parts, &list, locals[i].name, locals[i].value);
    for (size_t i = 0; i < parts->n_parameters; i++)
        add_name(parts, &list, parts->parameters[i].name, sketch_constant(k, parts->parameters[i].value));
    add_name(parts, &list, "t", expr_variable(k->g, 0));
    for (size_t i = 0; i < inputs; i++)
        if (machine->values[i].kind != MACHINE_ANSWER || piece->n_outputs)
            add_name(parts, &list, machine->values[i].name, expr_variable(k->g, k->s.input + (int)i));
    for (int i = 0; piece && i < k->n_bodies; i++) {
        add_body_names(parts, k, &parts->bodies[piece->bodies[i]], &k->body[i], &list);
        add_frame_names(parts, k, piece->bodies[i], i, &list);
    }
    if (piece) add_joint_names(parts, k, piece, &list);
    if (piece && piece->n_outputs && !parts->in_force) {
        parts->in_force = true;
        zn_status status = add_force_names(parts, k, piece, &list);
        parts->in_force = false;
        if (status != ZN_OK) list.failed = true;
        add_point_accelerations(parts, k, piece, &list);
    }
    *scope = (expr_scope){.count = list.count, .names = list.items};
    machine_scope(parts->machine, scope);
    if (!list.failed) return ZN_OK;
    parts_scope_free(parts, scope);
    return ZN_ERROR_MEMORY;
}

void parts_scope_free(zn_parts *parts, expr_scope *scope) {
    for (int i = 0; i < scope->count; i++) mem_free(parts->context, (void *)(uintptr_t)scope->names[i].name);
    mem_free(parts->context, (void *)(uintptr_t)scope->names);
    *scope = (expr_scope){.count = 0, .names = NULL};
}

/* A prescribed motion has rates: what jumps or is found by the simulation cannot be in it. */
static zn_status refuse_values(zn_parts *parts, zn_formula formula) {
    for (token t = expr_next_token(formula.text, 0); t.kind != TOKEN_END && t.kind != TOKEN_WRONG;
         t = expr_next_token(formula.text, t.start + t.length)) {
        const char *name = formula.text + t.start;
        if (t.kind != TOKEN_NAME) continue;
        int value = parts->machine ? machine_find(parts->machine, name, t.length) : -1, body = parts_find_body(parts, name, t.length);
        bool state = body >= 0 && parts->bodies[body].kind == BODY_STATE;
        if (value < 0 && !state) continue;
        error_place place = place_in(formula, t.start);
        return fail_at(
            parts->context, ZN_ERROR_MODEL, &place,
            "'%.*s' is %s, and a prescribed motion is a formula of t alone: let a drive move a body with mass, whose formula may "
            "use inputs and states",
            (int)(t.length < 60 ? t.length : 60), name, state ? "a state" : machine_kind_words[parts->machine->values[value].kind]);
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

/* ---- pieces by formulas ---- */

typedef enum formula_use {
    POSITION_CONSTRAINT,
    VELOCITY_CONSTRAINT,
    GENERALISED_FORCE,
    KINETIC,
    POTENTIAL,
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
    case PROBE:
    case CONDITION:
    case OUTPUT: status = express_output(parts, k, piece, &scope); break;
    default: status = express_contact(parts, k, piece, &scope); break;
    }
    parts_scope_free(parts, &scope);
    return status;
}

static parts_piece *begin(zn_parts *parts, const char *name, formula_use use, zn_sizes rows, int n, const zn_formula *formulas,
                          int first_body, zn_status *status) {
    static const char *const what[] = {"formula constraint",
                                       "formula velocity constraint",
                                       "formula force",
                                       "kinetic energy",
                                       "potential energy",
                                       "formula contact",
                                       "output",
                                       "probe",
                                       "condition"};
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
    for (int i = 0; piece && keeps && i < n && *status == ZN_OK; i++) *status = parts_keep_formula(parts, &piece->formulas[i], formulas[i]);
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

zn_status parts_add_probes(zn_parts *parts) {
    zn_status status = ZN_OK;
    for (int i = 0, n = machine_probe_count(parts->machine); status == ZN_OK && i < n; i++) {
        char name[40];
        zn_formula formula = machine_probe(parts->machine, i);
        snprintf(name, sizeof name, "probe %d", i);
        begin(parts, name, machine_probe_is_condition(parts->machine, i) ? CONDITION : PROBE, (zn_sizes){0}, 1, &formula, -1, &status);
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
    parts_piece *piece = begin(parts, label, OUTPUT, (zn_sizes){0}, 1, &value, -1, &status);
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
    if (kinetic.text) begin(parts, name, KINETIC, (zn_sizes){0}, 1, &kinetic, -1, &status);
    if (status != ZN_OK || !potential.text) return status;
    char *other = kinetic.text ? mem_format(parts->context, "%s.potential", name) : mem_text(parts->context, name);
    if (!other) return ZN_ERROR_MEMORY;
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
        snprintf(prefix, sizeof prefix, "%.*s", (int)(strcspn(coordinate, ".'") < 60 ? strcspn(coordinate, ".'") : 60), coordinate);
        bool known = parts_find_body(parts, prefix, strlen(prefix)) >= 0;
        error_place place = {.file = value.file, .line = value.line, .column = value.column, .time = NAN};
        return fail_at(parts->context, ZN_ERROR_MODEL, &place, "there is no velocity '%.60s' that a force could act on%s", coordinate,
                       known ? "" : parts_body_hint(parts, prefix, hint, sizeof hint));
    }
    char *name = mem_format(parts->context, "force on %s (%zu)", coordinate, parts->n_pieces);
    if (!name) return ZN_ERROR_MEMORY;
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
    return piece->contact_formulas ? zn_formula_contact(piece->contact_formulas, name, def) : ZN_ERROR_MEMORY;
}
