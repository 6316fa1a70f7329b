/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of models from parts: its lists, handles, names and frames. */
#include "model/parts/flexible.h"

#include "base/nearest.h"

#include <stdio.h>

static void free_text(zn_context *context, formula_text *text) {
    mem_free(context, text->text);
    mem_free(context, text->file);
    *text = (formula_text){0};
}

static void free_piece(zn_context *context, parts_piece *piece) {
    for (int i = 0; piece->formulas && i < piece->n_formulas; i++) free_text(context, &piece->formulas[i]);
    zn_formula_model_destroy(piece->contact_formulas);
    for (int i = 0; piece->outputs && i < piece->n_outputs; i++) mem_free(context, piece->outputs[i]);
    void *blocks[] = {piece->name,  piece->bodies, piece->parameters, piece->contacts,
                      piece->balls, piece->scales, piece->formulas,   piece->outputs};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

zn_parts *zn_parts_create(zn_context *context) {
    zn_parts *parts = MEM_ARRAY(context, zn_parts, 1);
    if (!parts) return NULL;
    parts->context = context;
    char *name = mem_text(context, "world");
    parts->numbers = expr_graph_create(context);
    if (name && parts->numbers &&
        mem_grow(context, (void **)&parts->bodies, &parts->body_capacity, 1, sizeof *parts->bodies) &&
        mem_grow(context, (void **)&parts->frames, &parts->frame_capacity, 1, sizeof *parts->frames)) {
        parts->n_bodies = parts->n_frames = 1;
        parts->bodies[0] = (parts_body){.name = name, .kind = BODY_WORLD, .p = quat_identity()};
        parts->frames[0] = (parts_frame){.rotation = mat3_identity()};
        return parts;
    }
    mem_free(context, name);
    zn_parts_destroy(parts);
    return NULL;
}

void zn_parts_destroy(zn_parts *parts) {
    if (!parts) return;
    zn_context *context = parts->context;
    for (size_t i = 0; i < parts->n_bodies; i++) parts_free_body(context, &parts->bodies[i]);
    for (size_t i = 0; i < parts->n_frames; i++) mem_free(context, parts->frames[i].name);
    for (size_t i = 0; i < parts->n_pieces; i++) free_piece(context, &parts->pieces[i]);
    for (size_t i = 0; i < parts->n_parameters; i++) mem_free(context, parts->parameters[i].name);
    for (size_t i = 0; i < parts->n_kinds; i++) {
        zn_model_destroy(context, parts->kinds[i].model);
        mem_free(context, parts->kinds[i].layout);
    }
    parts_free_flexibles(parts);
    parts_free_contacts(parts);
    expr_graph_destroy(parts->numbers);
    mem_free(context, parts->view_items);
    mem_free(context, parts->view_members);
    void *blocks[] = {parts->bodies, parts->frames, parts->pieces, parts->parameters, parts->kinds};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    *parts = (zn_parts){0}; /* a handle that outlives its builder then finds nothing */
    mem_free(context, parts);
}

zn_status zn_parts_parameter(zn_parts *parts, const char *name, double value) {
    zn_context *context = parts->context;
    if (!expr_name_is_valid(name))
        return fail(context, ZN_ARGUMENT,
                    "'%s' cannot name a parameter: names are letters, digits and _, and not pi, t or a function",
                    name ? name : "");
    if (!isfinite(value)) return fail(context, ZN_ARGUMENT, "the parameter '%s' is not finite (%g)", name, value);
    for (size_t i = 0; i < parts->n_parameters; i++)
        if (!strcmp(parts->parameters[i].name, name))
            return fail(context, ZN_ARGUMENT, "there are two parameters named '%s'", name);
    char *copy = mem_text(context, name);
    if (!copy || !mem_grow(context, (void **)&parts->parameters, &parts->parameter_capacity, parts->n_parameters + 1,
                           sizeof *parts->parameters)) {
        mem_free(context, copy);
        return ZN_MEMORY;
    }
    parts->parameters[parts->n_parameters++] = (parts_parameter){copy, value};
    return ZN_OK;
}

zn_status zn_parts_gravity(zn_parts *parts, const double g[3]) {
    for (int i = 0; i < 3; i++)
        if (!isfinite(g[i])) return fail(parts->context, ZN_ARGUMENT, "gravity is not finite (%g)", g[i]);
    parts->gravity = vec3_from(g);
    return ZN_OK;
}

/* ---- handles ---- */

unsigned parts_stamp(const zn_parts *parts, char kind) {
    uintptr_t address = (uintptr_t)parts;
    unsigned mixed = (unsigned)(address >> 4) ^ (unsigned)((uint64_t)address >> 32);
    return (mixed * 2654435761u + (unsigned)(unsigned char)kind * 40503u) | 1u;
}

parts_body *parts_get_body(zn_parts *parts, zn_body body, const char *what) {
    if (body.stamp == parts_stamp(parts, 'b') && body.index >= 0 && (size_t)body.index < parts->n_bodies)
        return &parts->bodies[body.index];
    fail(parts->context, ZN_ARGUMENT, "%s: %s", what,
         body.stamp ? "the body belongs to another builder" : "the body was never made (its handle is empty)");
    return NULL;
}

parts_frame *parts_get_frame(zn_parts *parts, zn_frame frame, const char *what) {
    if (frame.stamp == parts_stamp(parts, 'f') && frame.index >= 0 && (size_t)frame.index < parts->n_frames)
        return &parts->frames[frame.index];
    fail(parts->context, ZN_ARGUMENT, "%s: %s", what,
         frame.stamp ? "the frame belongs to another builder" : "the frame was never made (its handle is empty)");
    return NULL;
}

zn_body zn_parts_world(const zn_parts *parts) { return (zn_body){parts_stamp(parts, 'b'), 0}; }

zn_frame zn_parts_body_frame(const zn_parts *parts, zn_body body) {
    if (body.stamp != parts_stamp(parts, 'b') || body.index < 0 || (size_t)body.index >= parts->n_bodies)
        return (zn_frame){0, 0};
    return (zn_frame){parts_stamp(parts, 'f'), parts->bodies[body.index].frame};
}

int parts_find_body(const zn_parts *parts, const char *name, size_t length) {
    for (size_t i = 0; i < parts->n_bodies; i++)
        if (strlen(parts->bodies[i].name) == length && !memcmp(parts->bodies[i].name, name, length)) return (int)i;
    return -1;
}

const char *parts_body_hint(const zn_parts *parts, const char *name, char *text, size_t room) {
    const char *nearest = NULL;
    int least = 0;
    for (size_t i = 0; i < parts->n_bodies; i++) {
        int distance = nearest_distance(name, parts->bodies[i].name);
        if (nearest_is_close(name, distance) && (!nearest || distance < least))
            nearest = parts->bodies[i].name, least = distance;
    }
    if (nearest)
        snprintf(text, room, " (did you mean '%s'?)", nearest);
    else
        *text = 0;
    return text;
}

static zn_status no_body(zn_parts *parts, const char *name, size_t length) {
    char hint[100], prefix[64];
    snprintf(prefix, sizeof prefix, "%.*s", (int)(length < 60 ? length : 60), name);
    if (parts_find_flexible(parts, name, length) >= 0)
        return fail(parts->context, ZN_ARGUMENT,
                    "'%s' is a flexible body: name one of its frames (%s.start, %s.end, %s.node1) or nodes (%s_1)", prefix,
                    prefix, prefix, prefix, prefix);
    return fail(parts->context, ZN_ARGUMENT, "there is no body '%s'%s", prefix,
                parts_body_hint(parts, prefix, hint, sizeof hint));
}

zn_status zn_parts_find_body(zn_parts *parts, const char *name, zn_body *body) {
    int index = parts_find_body(parts, name, strlen(name));
    *body = (zn_body){0, 0};
    if (index < 0) return no_body(parts, name, strlen(name));
    if (parts->bodies[index].kind == BODY_SCALAR)
        return fail(parts->context, ZN_ARGUMENT, "'%s' is a coordinate, not a body", name);
    *body = (zn_body){parts_stamp(parts, 'b'), index};
    return ZN_OK;
}

/* ---- frames ---- */

static bool is_owned(const parts_frame *frame, int body, int flexible) {
    return flexible ? frame->flexible == flexible : frame->body == body && !frame->flexible;
}

static zn_status add_frame(zn_parts *parts, int body, int flexible, const char *name, vec3 position, mat3 rotation,
                           zn_frame *frame) {
    zn_context *context = parts->context;
    const char *owner = flexible ? parts->bodies[body].group : parts->bodies[body].name;
    if (parts->bodies[body].kind == BODY_SCALAR)
        return fail(context, ZN_ARGUMENT, "'%s' is a coordinate, not a body: it has no frames", owner);
    if (name && !expr_name_is_valid(name))
        return fail(context, ZN_ARGUMENT, "'%s' cannot name a frame: names are letters, digits and _", name);
    for (size_t i = 0; name && i < parts->n_frames; i++)
        if (is_owned(&parts->frames[i], body, flexible) && parts->frames[i].name && !strcmp(parts->frames[i].name, name))
            return fail(context, ZN_ARGUMENT, "there are two frames named '%s' on '%s'", name, owner);
    char *copy = name ? mem_text(context, name) : NULL;
    if ((name && !copy) ||
        !mem_grow(context, (void **)&parts->frames, &parts->frame_capacity, parts->n_frames + 1, sizeof *parts->frames)) {
        mem_free(context, copy);
        return ZN_MEMORY;
    }
    parts->frames[parts->n_frames] = (parts_frame){copy, body, position, rotation, flexible};
    if (frame) *frame = (zn_frame){parts_stamp(parts, 'f'), (int)parts->n_frames};
    parts->n_frames++;
    return ZN_OK;
}

zn_status parts_add_frame(zn_parts *parts, int body, int flexible, const char *name, const double position[3],
                          const double rotation[4], zn_frame *frame) {
    static const double zero[3] = {0}, none[4] = {1};
    const parts_body *b = &parts->bodies[body];
    if (!position) position = zero;
    if (!rotation) rotation = none;
    double size = quat_dot(quat_from(rotation), quat_from(rotation));
    if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]) || !isfinite(size) || size == 0)
        return fail(parts->context, ZN_ARGUMENT,
                    "a frame on '%s' needs a finite position and a rotation (quaternion) that is not zero", b->name);
    mat3 R = quat_matrix(quat_from(rotation));
    if (body_is_planar(b->kind) && b->kind != BODY_WORLD && (position[2] != 0 || fabs(R.m[2][2] - 1) > 1e-12))
        return fail(parts->context, ZN_ARGUMENT,
                    "the frame '%s' on the planar body '%s' must lie in its plane z = 0 and turn about z", name ? name : "",
                    b->name);
    return add_frame(parts, body, flexible, name, vec3_from(position), R, frame);
}

zn_status zn_parts_frame(zn_parts *parts, zn_body body, const char *name, const double position[3], const double rotation[4],
                         zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    if (!parts_get_body(parts, body, "a frame")) return ZN_ARGUMENT;
    return parts_add_frame(parts, body.index, 0, name, position, rotation, frame);
}

/* Axes of a frame whose z (space) or x (plane) has a given direction: those of I turned about a perpendicular axis. */
static mat3 axes_along(vec3 axis, bool planar) {
    if (planar) return (mat3){{{axis.x, -axis.y, 0}, {axis.y, axis.x, 0}, {0, 0, 1}}};
    vec3 z = {0, 0, 1}, turn = vec3_cross(z, axis);
    double s = vec3_norm(turn), c = axis.z;
    if (s < 1e-14) return c > 0 ? mat3_identity() : mat3_diagonal(1, -1, -1);
    return quat_matrix(quat_rotation(vec3_scale(1 / s, turn), atan2(s, c)));
}

zn_status zn_parts_frame_at(zn_parts *parts, zn_body body, const char *name, const double position[3], const double axis[3],
                            zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    parts_body *b = parts_get_body(parts, body, "a frame");
    if (!b) return ZN_ARGUMENT;
    vec3 r, xi = {0, 0, 0};
    mat3 A, R = mat3_identity();
    zn_status status = parts_place_at_start(parts, body.index, &r, &A);
    if (status != ZN_OK) return status;
    if (position) xi = mat3_apply_transposed(&A, vec3_sub(vec3_from(position), r));
    if (axis) {
        vec3 direction = vec3_from(axis);
        bool planar = body_is_planar(b->kind) && axis[2] == 0;
        if (!(vec3_norm(direction) > 0) || !isfinite(vec3_norm(direction)))
            return fail(parts->context, ZN_ARGUMENT, "the axis of a frame on '%s' is zero or not finite", b->name);
        mat3 axes = axes_along(vec3_normalised(direction), planar), At = mat3_transposed(&A);
        R = mat3_product(&At, &axes);
    }
    if (body_is_planar(b->kind) && b->kind != BODY_WORLD) {
        if (fabs(xi.z) > 0 || fabs(R.m[2][2] - 1) > 1e-12)
            return fail(parts->context, ZN_ARGUMENT,
                        "a frame on the planar body '%s' must lie in its plane z = 0; its axis is in the plane or z",
                        b->name);
    }
    return add_frame(parts, body.index, 0, name, xi, R, frame);
}

/* Among the frames of a body, or of a flexible body (1 + index, else 0). */
static zn_status find_frame(zn_parts *parts, int body, int flexible, const char *owner, const char *name, zn_frame *frame) {
    const char *nearest = NULL;
    for (size_t i = 0; i < parts->n_frames; i++) {
        if (!is_owned(&parts->frames[i], body, flexible) || !parts->frames[i].name) continue;
        if (!strcmp(parts->frames[i].name, name)) {
            *frame = (zn_frame){parts_stamp(parts, 'f'), (int)i};
            return ZN_OK;
        }
        if (nearest_is_close(name, nearest_distance(name, parts->frames[i].name))) nearest = parts->frames[i].name;
    }
    return fail(parts->context, ZN_ARGUMENT,
                nearest ? "the body '%s' has no frame '%.60s' (did you mean '%s'?)" : "the body '%s' has no frame '%.60s'%s",
                owner, name, nearest ? nearest : "");
}

zn_status zn_parts_find_frame(zn_parts *parts, const char *name, zn_frame *frame) {
    *frame = (zn_frame){0, 0};
    size_t length = strcspn(name, ".");
    int body = parts_find_body(parts, name, length), flexible = parts_find_flexible(parts, name, length);
    if (body < 0 && (flexible < 0 || !name[length])) return no_body(parts, name, length);
    if (body < 0) {
        int node = parts_node_frame(parts, flexible, name + length + 1);
        if (node < 0) return find_frame(parts, -1, flexible + 1, parts->flexibles[flexible].name, name + length + 1, frame);
        *frame = (zn_frame){parts_stamp(parts, 'f'), node};
        return ZN_OK;
    }
    if (parts->bodies[body].kind == BODY_SCALAR)
        return fail(parts->context, ZN_ARGUMENT, "'%s' is a coordinate, not a body", parts->bodies[body].name);
    if (name[length]) return find_frame(parts, body, 0, parts->bodies[body].name, name + length + 1, frame);
    *frame = (zn_frame){parts_stamp(parts, 'f'), parts->bodies[body].frame};
    return ZN_OK;
}

double *parts_put_frame(double *parameters, const parts_frame *frame) {
    vec3_store(frame->position, parameters);
    for (int j = 0; j < 3; j++) vec3_store(mat3_column(&frame->rotation, j), parameters + 3 + 3 * j);
    return parameters + SKETCH_FRAME_PARAMETERS;
}

/* ---- pieces ---- */

zn_status parts_keep_formula(zn_parts *parts, formula_text *to, zn_formula from) {
    *to = (formula_text){.line = from.line, .column = from.column};
    if (!from.text) return ZN_OK;
    to->text = mem_text(parts->context, from.text);
    if (from.file) to->file = mem_text(parts->context, from.file);
    return to->text && (to->file || !from.file) ? ZN_OK : ZN_MEMORY;
}

zn_status parts_last_status(const zn_parts *parts) {
    int count = zn_error_count(parts->context);
    return count ? zn_error_get(parts->context, count - 1)->status : ZN_MEMORY;
}

parts_piece *parts_piece_begin(zn_parts *parts, const parts_piece *shape) {
    zn_context *context = parts->context;
    if (!shape->name || !*shape->name) {
        fail(context, ZN_ARGUMENT, "a %s needs a name", shape->what);
        return NULL;
    }
    for (size_t i = 0; i < parts->n_pieces; i++) /* names of rows and contacts stand in results: one namespace for all */
        if (!strcmp(parts->pieces[i].name, shape->name)) {
            fail(context, ZN_ARGUMENT, "the name '%s' of a %s is already taken by a %s", shape->name, shape->what,
                 parts->pieces[i].what);
            return NULL;
        }
    if (!mem_grow(context, (void **)&parts->pieces, &parts->piece_capacity, parts->n_pieces + 1, sizeof *parts->pieces))
        return NULL;
    parts_piece piece = *shape;
    piece.name = mem_text(context, shape->name);
    piece.bodies = MEM_ARRAY(context, int, shape->n_bodies);
    piece.parameters = MEM_ARRAY(context, double, shape->n_parameters);
    piece.contacts = MEM_ARRAY(context, zn_contact, shape->n_contacts);
    piece.balls = MEM_ARRAY(context, zn_ball, shape->n_balls);
    piece.scales = MEM_ARRAY(context, double, shape->n_scales);
    piece.formulas = MEM_ARRAY(context, formula_text, shape->n_formulas);
    piece.contact_formulas = NULL;
    piece.outputs = MEM_ARRAY(context, char *, shape->n_outputs);
    if (!piece.name || !piece.bodies || !piece.parameters || !piece.contacts || !piece.balls || !piece.scales ||
        !piece.formulas || !piece.outputs) {
        free_piece(context, &piece);
        return NULL;
    }
    for (int i = 0; i < shape->n_bodies; i++) piece.bodies[i] = shape->bodies[i];
    parts->pieces[parts->n_pieces] = piece;
    return &parts->pieces[parts->n_pieces++];
}
