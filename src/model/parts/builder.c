/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of models from parts: its lists, handles, names and frames. */
#include "model/parts/flexible.h"

#include "base/nearest.h"

#include <stdio.h>

static void free_piece(zn_context *context, parts_piece *piece) {
    for (int i = 0; piece->formulas && i < piece->n_formulas; i++) formula_text_free(context, &piece->formulas[i]);
    formula_texts_free(piece->texts);
    for (int i = 0; piece->outputs && i < piece->n_outputs; i++) mem_free(context, piece->outputs[i]);
    void *blocks[] = {piece->name,   piece->bodies,   piece->parameters, piece->contacts,    piece->balls,
                      piece->scales, piece->formulas, piece->outputs,    piece->contact_name};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

zn_parts *zn_parts_create(zn_context *context) {
    zn_parts *parts = context ? MEM_ARRAY(context, zn_parts, 1) : NULL;
    if (!parts) return NULL;
    parts->head = (handle_head){HANDLE_PARTS, context};
    parts->number = mem_number(context);
    char *name = mem_text(context, "world");
    parts->numbers = expr_graph_create(context);
    if (name && parts->numbers && mem_grow(context, (void **)&parts->bodies, &parts->body_capacity, 1, sizeof *parts->bodies) &&
        mem_grow(context, (void **)&parts->frames, &parts->frame_capacity, 1, sizeof *parts->frames)) {
        parts->n_bodies = parts->n_frames = 1; /* from here on the name is freed with the body */
        parts->bodies[0] = (parts_body){.name = name, .kind = BODY_WORLD, .p = quat_identity()};
        parts->frames[0] = (parts_frame){.rotation = mat3_identity()};
        if (names_add(context, &parts->body_names, 0, name, 0)) return parts;
        name = NULL;
    }
    mem_free(context, name);
    zn_parts_destroy(parts);
    return NULL;
}

/* The word comes with its article. */
static zn_status check_name(void *parts, const char *name, const char *what) {
    return parts_check_name(parts, name, strchr(what, ' ') + 1);
}

static zn_status add_state(void *parts, const char *name, double start, zn_formula rate) {
    return parts_add_state(parts, name, start, rate);
}

zn_machine *zn_parts_machine(zn_parts *parts) {
    if (!HANDLE_GOOD(parts, HANDLE_PARTS)) return NULL;
    if (parts->alone) return zn_formula_machine(parts->alone);
    if (!parts->machine) parts->machine = machine_create(parts->context, parts, check_name, add_state);
    return parts->machine;
}

static void free_contents(zn_parts *parts) {
    zn_context *context = parts->context;
    for (size_t i = 0; i < parts->n_bodies; i++) parts_free_body(context, &parts->bodies[i]);
    for (size_t i = 0; i < parts->n_frames; i++) mem_free(context, parts->frames[i].name);
    for (size_t i = 0; i < parts->n_pieces; i++) free_piece(context, &parts->pieces[i]);
    for (size_t i = 0; i < parts->n_parameters; i++) mem_free(context, parts->parameters[i].name);
    for (size_t i = 0; i < parts->n_kinds; i++) {
        model_free(context, parts->kinds[i].model);
        mem_free(context, parts->kinds[i].layout);
    }
    parts_free_flexibles(parts);
    parts_free_contacts(parts);
    parts_free_rules(parts);
    expr_graph_destroy(parts->numbers);
    names_free(context, &parts->body_names), names_free(context, &parts->piece_names), names_free(context, &parts->frame_names);
    names_free(context, &parts->geometry_names);
    machine_destroy(parts->machine);
    formula_texts_free(parts->alone);
    mem_free(context, parts->view_items);
    mem_free(context, parts->view_members);
    void *blocks[] = {parts->bodies, parts->frames, parts->pieces, parts->parameters, parts->kinds};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

void zn_parts_destroy(zn_parts *parts) {
    if (!HANDLE_GOOD(parts, HANDLE_PARTS)) return;
    free_contents(parts);
    handle_retire(&parts->head, sizeof *parts); /* so that a handle that outlives its builder is recognised */
}

void parts_free(zn_parts *parts) {
    if (!parts) return;
    zn_context *context = parts->context;
    free_contents(parts);
    mem_free(context, parts);
}

static bool copy_body(zn_context *context, parts_body *to, const parts_body *from) {
    *to = *from;
    to->group = NULL;
    to->rate = (formula_text){0}; /* contacts do not ask for it */
    to->name = mem_text(context, from->name);
    to->motion = from->motion ? MEM_ARRAY(context, parts_motion, 1) : NULL;
    to->carriers = MEM_ARRAY(context, int, from->n_carriers);
    to->numbers = MEM_ARRAY(context, double, from->n_numbers);
    if (!to->name || (from->motion && !to->motion) || !to->carriers || !to->numbers) return false;
    if (from->n_carriers) memcpy(to->carriers, from->carriers, (size_t)from->n_carriers * sizeof *to->carriers);
    if (from->n_numbers) memcpy(to->numbers, from->numbers, (size_t)from->n_numbers * sizeof *to->numbers);
    if (!from->motion) return true;
    to->motion->axis = from->motion->axis;
    for (int i = 0; i < 3; i++)
        if (!formula_text_copy(context, &to->motion->position[i], formula_of(&from->motion->position[i]))) return false;
    return formula_text_copy(context, &to->motion->angle, formula_of(&from->motion->angle));
}

zn_parts *parts_keep(const zn_parts *from) {
    zn_context *context = from->context;
    zn_parts *parts = MEM_ARRAY(context, zn_parts, 1);
    if (!parts) return NULL;
    parts->head = (handle_head){HANDLE_PARTS, context};
    bool good = mem_grow(context, (void **)&parts->bodies, &parts->body_capacity, from->n_bodies, sizeof *parts->bodies) &&
                mem_grow(context, (void **)&parts->parameters, &parts->parameter_capacity, from->n_parameters, sizeof *parts->parameters);
    for (size_t i = 0; i < from->n_bodies && good; i++) good = copy_body(context, &parts->bodies[parts->n_bodies++], &from->bodies[i]);
    for (size_t i = 0; i < from->n_parameters && good; i++) {
        parts_parameter copy = {mem_text(context, from->parameters[i].name), from->parameters[i].value};
        if ((good = copy.name != NULL)) parts->parameters[parts->n_parameters++] = copy;
    }
    if (good) return parts;
    parts_free(parts);
    return NULL;
}

void parts_drop_pieces(zn_parts *parts, size_t count) {
    names_drop(&parts->piece_names, (int)count);
    while (parts->n_pieces > count) free_piece(parts->context, &parts->pieces[--parts->n_pieces]);
}

zn_status zn_parts_parameter(zn_parts *parts, const char *name, double value) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_context *context = parts->context;
    if (!expr_name_is_valid(name))
        return fail(context, ZN_ERROR_ARGUMENT,
                    "'%s' cannot name a parameter: names are letters, digits and _, and not pi, t or a function", name ? name : "");
    if (!isfinite(value)) return fail(context, ZN_ERROR_ARGUMENT, "the parameter '%s' is not finite (%g)", name, value);
    for (size_t i = 0; i < parts->n_parameters; i++)
        if (!strcmp(parts->parameters[i].name, name)) return fail(context, ZN_ERROR_ARGUMENT, "there are two parameters named '%s'", name);
    char *copy = mem_text(context, name);
    if (!copy ||
        !mem_grow(context, (void **)&parts->parameters, &parts->parameter_capacity, parts->n_parameters + 1, sizeof *parts->parameters)) {
        mem_free(context, copy);
        return ZN_ERROR_MEMORY;
    }
    parts->parameters[parts->n_parameters++] = (parts_parameter){copy, value};
    return ZN_OK;
}

zn_status zn_parts_gravity(zn_parts *parts, const double g[3]) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, g);
    for (int i = 0; i < 3; i++)
        if (!isfinite(g[i])) return fail(parts->context, ZN_ERROR_ARGUMENT, "gravity is not finite (%g)", g[i]);
    parts->gravity = vec3_from(g);
    return ZN_OK;
}

/* ---- handles ---- */

unsigned parts_stamp(const zn_parts *parts, char kind) {
    uintptr_t address = (uintptr_t)parts->context; /* not the builder's address, which a later builder may reuse */
    unsigned mixed = (unsigned)(address >> 4) ^ (unsigned)((uint64_t)address >> 32) ^ (parts->number * 0x9e3779b1u);
    return (mixed * 2654435761u + (unsigned)(unsigned char)kind * 40503u) | 1u;
}

parts_body *parts_get_body(zn_parts *parts, zn_body body, const char *what) {
    if (body.stamp == parts_stamp(parts, 'b') && body.index >= 0 && (size_t)body.index < parts->n_bodies) return &parts->bodies[body.index];
    fail(parts->context, ZN_ERROR_ARGUMENT, "%s: %s", what,
         body.stamp ? "the body belongs to another builder" : "the body was never created (its handle is empty)");
    return NULL;
}

parts_frame *parts_get_frame(zn_parts *parts, zn_frame frame, const char *what) {
    if (frame.stamp == parts_stamp(parts, 'f') && frame.index >= 0 && (size_t)frame.index < parts->n_frames)
        return &parts->frames[frame.index];
    fail(parts->context, ZN_ERROR_ARGUMENT, "%s: %s", what,
         frame.stamp ? "the frame belongs to another builder" : "the frame was never created (its handle is empty)");
    return NULL;
}

zn_body zn_parts_world(const zn_parts *parts) {
    if (!HANDLE_GOOD(parts, HANDLE_PARTS)) return (zn_body){0, 0};
    return (zn_body){parts_stamp(parts, 'b'), 0};
}

zn_frame zn_parts_body_frame(const zn_parts *parts, zn_body body) {
    if (!HANDLE_GOOD(parts, HANDLE_PARTS) || body.stamp != parts_stamp(parts, 'b') || body.index < 0 ||
        (size_t)body.index >= parts->n_bodies)
        return (zn_frame){0, 0};
    return (zn_frame){parts_stamp(parts, 'f'), parts->bodies[body.index].frame};
}

int parts_find_body(const zn_parts *parts, const char *name, size_t length) { return names_find(&parts->body_names, 0, name, length); }

const char *parts_body_hint(const zn_parts *parts, const char *name, char *text, size_t room) {
    const char *nearest = NULL;
    int least = 0;
    for (size_t i = 0; i < parts->n_bodies; i++) {
        int distance = nearest_distance(name, parts->bodies[i].name);
        if (nearest_is_close(name, distance) && (!nearest || distance < least)) nearest = parts->bodies[i].name, least = distance;
    }
    if (nearest) snprintf(text, room, " (did you mean '%s'?)", nearest);
    else *text = 0;
    return text;
}

zn_status parts_no_body(zn_parts *parts, const char *name, size_t length) {
    char hint[100], prefix[64];
    snprintf(prefix, sizeof prefix, "%.*s", (int)(length < 60 ? length : 60), name);
    if (parts_find_flexible(parts, name, length) >= 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT,
                    "'%s' is a flexible body: name one of its frames (%s.start, %s.end, %s.node1) or nodes (%s_1)", prefix, prefix, prefix,
                    prefix, prefix);
    return fail(parts->context, ZN_ERROR_ARGUMENT, "there is no body '%s'%s", prefix, parts_body_hint(parts, prefix, hint, sizeof hint));
}

zn_status zn_parts_find_body(zn_parts *parts, const char *name, zn_body *body) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, body);
    *body = (zn_body){0, 0};
    NEED(parts->context, name);
    int index = parts_find_body(parts, name, strlen(name));
    if (index < 0) return parts_no_body(parts, name, strlen(name));
    if (body_is_number(parts->bodies[index].kind)) return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' is a coordinate, not a body", name);
    *body = (zn_body){parts_stamp(parts, 'b'), index};
    return ZN_OK;
}

/* ---- pieces ---- */

zn_status parts_keep_formula(zn_parts *parts, formula_text *to, zn_formula from) {
    return formula_text_copy(parts->context, to, from) ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status parts_last_status(const zn_parts *parts) {
    int count = zn_error_count(parts->context);
    return count ? zn_error_get(parts->context, count - 1)->status : ZN_ERROR_MEMORY;
}

parts_piece *parts_piece_begin(zn_parts *parts, const parts_piece *shape) {
    zn_context *context = parts->context;
    if (!shape->name || !*shape->name) {
        fail(context, ZN_ERROR_ARGUMENT, "a %s needs a name", shape->what);
        return NULL;
    }
    int taken = names_find(&parts->piece_names, 0, shape->name, strlen(shape->name));
    if (taken >= 0) { /* names of rows and contacts stand in results: one namespace for all */
        fail(context, ZN_ERROR_ARGUMENT, "the name '%s' of a %s is already taken by a %s", shape->name, shape->what,
             parts->pieces[taken].what);
        return NULL;
    }
    if (!mem_grow(context, (void **)&parts->pieces, &parts->piece_capacity, parts->n_pieces + 1, sizeof *parts->pieces)) return NULL;
    parts_piece piece = *shape;
    piece.name = mem_text(context, shape->name);
    piece.bodies = MEM_ARRAY(context, int, shape->n_bodies);
    piece.parameters = MEM_ARRAY(context, double, shape->n_parameters);
    piece.contacts = MEM_ARRAY(context, zn_contact, shape->n_contacts);
    piece.balls = MEM_ARRAY(context, zn_ball, shape->n_balls);
    piece.scales = MEM_ARRAY(context, double, shape->n_scales);
    piece.formulas = MEM_ARRAY(context, formula_text, shape->n_formulas);
    piece.texts = NULL;
    piece.outputs = MEM_ARRAY(context, char *, shape->n_outputs);
    if (!piece.name || !piece.bodies || !piece.parameters || !piece.contacts || !piece.balls || !piece.scales || !piece.formulas ||
        !piece.outputs || !names_add(context, &parts->piece_names, 0, piece.name, (int)parts->n_pieces)) {
        free_piece(context, &piece);
        return NULL;
    }
    for (int i = 0; i < shape->n_bodies; i++) piece.bodies[i] = shape->bodies[i];
    parts->pieces[parts->n_pieces] = piece;
    return &parts->pieces[parts->n_pieces++];
}
