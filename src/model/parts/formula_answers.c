/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations and forces as names in outputs. What the equations of motion give is known after a step only: the machine has it as a value
 * (MACHINE_ANSWER). Forces between frames and accelerations of points are expressions of these. */
#include "model/parts/formula_names.h"
#include "model/parts/rules.h"

#include <stdio.h>

/* ---- which names are some ---- */

bool formula_is_friction(const char *word) {
    return !strncmp(word, "friction", 8) && (!word[8] || (word[8] >= '1' && word[8] <= '9' && !word[9]));
}

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

/* The force to which NAME.force or NAME.torque belongs; -1: none. */
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

/* The velocity BODY.x' that a force on a body acts on, from a name BODY.force_x. */
static bool pushed_velocity(const zn_parts *parts, const char *name, char *velocity, size_t room) {
    const char *word = strrchr(name, '.');
    int body = word ? parts_find_body(parts, name, (size_t)(word - name)) : -1;
    if (body <= 0 || strncmp(word, ".force_", 7) != 0 || !word[7] || word[8]) return false;
    snprintf(velocity, room, "%s.%c'", parts->bodies[body].name, word[7]);
    for (int i = 0; i < body_nu(parts->bodies[body].kind); i++) {
        char text[320];
        if (!strcmp(parts_u_name(&parts->bodies[body], i, text, sizeof text), velocity)) return true;
    }
    return false;
}

/* RULE.normal of all contacts that a rule finds; RULE.BODY.force_x, CONTACT.BODY.force_x: what these, or a contact, do to a body. */
static bool push_answer(const zn_parts *parts, const char *name, char *of, size_t room) {
    char velocity[320], text[320];
    for (size_t r = 0; r < parts->n_rules; r++) {
        size_t length = strlen(parts->rules[r].name);
        if (strncmp(name, parts->rules[r].name, length) != 0 || name[length] != '.') continue;
        if (!strcmp(name + length + 1, "normal")) return snprintf(of, room, "@%d|normal", (int)r) > 0;
        if (pushed_velocity(parts, name + length + 1, velocity, sizeof velocity))
            return snprintf(of, room, "@%d|+%s", (int)r, velocity) > 0;
    }
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        int found = names_find(&parts->piece_names, 0, name, (size_t)(dot - name));
        snprintf(text, sizeof text, "%.*s.1", (int)(dot - name), name);
        if (found < 0) found = names_find(&parts->piece_names, 0, text, strlen(text));
        if (found < 0 || parts->pieces[found].rows.nN == 0 || !pushed_velocity(parts, dot + 1, velocity, sizeof velocity)) continue;
        return snprintf(of, room, "#%.*s|+%s", (int)(dot - name), name, velocity) > 0;
    }
    return false;
}

/* JOINT.friction, the contact of a joint whose friction depends on its load: the joint itself has it. */
static bool rubs_by_load(const zn_parts *parts, const char *contact, size_t length) {
    static const char end[] = ".friction";
    size_t joint = length < sizeof end ? 0 : length - (sizeof end - 1);
    int found = joint && !strncmp(contact + joint, end, sizeof end - 1) ? names_find(&parts->piece_names, 0, contact, joint) : -1;
    return found >= 0 && parts->pieces[found].contact_name != NULL;
}

/* VELOCITY' of bodies, points of frames, CONTACT.normal, CONTACT.friction, JOINT.force_x ..., MOTOR.torque: of: the velocity or row of the
 * model. */
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
    if (word && !strcmp(word, ".friction") && rubs_by_load(parts, of, (size_t)(word - of))) return true;
    if (word && found < 0) { /* a contact with several points */
        snprintf(text, sizeof text, "%.*s.1", (int)(word - of), of);
        found = names_find(&parts->piece_names, 0, text, strlen(text));
        if (found >= 0 && parts->pieces[found].rows.nN + parts->pieces[found].rows.nF == 0) found = -1;
    }
    if (found < 0) {
        snprintf(text, sizeof text, "%s", of);
        return push_answer(parts, text, of, room);
    }
    const parts_piece *piece = &parts->pieces[found];
    bool turns;
    word++;
    if (parts_is_force(parts, found, &turns)) return !strcmp(word, turns ? "torque" : "force");
    if (piece->express == parts_express_joint) {
        bool planar = body_is_planar(parts->bodies[piece->bodies[0]].kind) && body_is_planar(parts->bodies[piece->bodies[1]].kind);
        snprintf(text, sizeof text, "%s", word);
        return joint_answer(parts, piece, planar, text, of, room);
    }
    if (parts_is_line(piece) && !strcmp(word, "tension")) /* one that does not rub, or both ends differ */
        return piece->rows.nF == 0 && strlen(piece->name) == (size_t)(word - 1 - of) &&
               snprintf(of, room, piece->rows.nN > 0 ? "%s.normal" : "%s", piece->name) > 0;
    return (piece->rows.nN > 0 && !strcmp(word, "normal")) || (piece->rows.nF > 0 && formula_is_friction(word));
}

bool formula_is_answer(const zn_parts *parts, const char *name) {
    char of[320];
    return answer_of(parts, name, strlen(name), of, sizeof of);
}

zn_status formula_take_answer(zn_parts *parts, zn_formula formula, const token *t, bool *taken, body_list *list) {
    char of[320], name[320];
    *taken = answer_of(parts, formula.text + t->start, t->length, of, sizeof of);
    if (!*taken) return ZN_OK;
    snprintf(name, sizeof name, "%.*s", (int)t->length, formula.text + t->start);
    error_place place = formula_place(formula, t->start);
    if (!parts->in_output)
        return fail_at(parts->context, ZN_ERROR_MODEL, &place,
                       "'%.60s' is a force or acceleration, which is known after a step only: 'outputs' may use it, other formulas may not",
                       name);
    int force = force_of(parts, name), body = parts_find_body(parts, name, strcspn(name, "."));
    const parts_piece *piece = force >= 0 ? &parts->pieces[force] : NULL;
    for (int i = 0; piece && i < piece->n_bodies; i++)
        if (!formula_add_body(parts->context, list, piece->bodies[i])) return ZN_ERROR_MEMORY;
    if (piece) return ZN_OK;
    bool of_point = is_point_acceleration(parts, name, strlen(name));
    if (of_point && !formula_add_body(parts->context, list, body)) return ZN_ERROR_MEMORY;
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

/* ---- as expressions ---- */

bool formula_next_name(const char *text, token *t, char *name, size_t room) {
    do *t = expr_next_token(text, t->start + t->length);
    while (t->kind != TOKEN_NAME && t->kind != TOKEN_END && t->kind != TOKEN_WRONG);
    if (t->kind == TOKEN_NAME) snprintf(name, room, "%.*s", (int)t->length, text + t->start);
    return t->kind == TOKEN_NAME;
}

/* Forces between frames that an output names. */
static zn_status add_force_names(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    char name[320];
    zn_status status = ZN_OK;
    for (token t = {0}; status == ZN_OK && formula_next_name(piece->texts->outputs.items[0].value.text, &t, name, sizeof name);) {
        int force = force_of(parts, name);
        expr value;
        if (force < 0) continue;
        status = parts_force_value(parts, k, force, piece, &value);
        if (status == ZN_OK) formula_add_name(parts, list, name, value);
    }
    return status;
}

/* Of a point with the velocity v(t, q, u): v' with the accelerations u' that outputs know. */
static void add_point_accelerations(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    char name[320], of[320], rate[320];
    for (token t = {0}; formula_next_name(piece->texts->outputs.items[0].value.text, &t, name, sizeof name);) {
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
            formula_add_name(parts, list, name, a);
            break;
        }
    }
}

zn_status formula_answer_names(zn_parts *parts, sketch *k, const parts_piece *piece, name_list *list) {
    if (!piece->texts) return ZN_OK;
    zn_status status = add_force_names(parts, k, piece, list);
    if (status == ZN_OK) add_point_accelerations(parts, k, piece, list);
    return status;
}
