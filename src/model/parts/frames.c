/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the builder: fixed to bodies, along axes, by their names. */
#include "model/parts/flexible.h"

#include "base/nearest.h"

/* How far an axis may deviate from z and still count as z: round-off of a quaternion. */
#define PLANE_TOLERANCE 1e-12

static bool is_owned(const parts_frame *frame, int body, int flexible) {
    return flexible ? frame->flexible == flexible : frame->body == body && !frame->flexible;
}

static int owner_of(int body, int flexible) { return flexible ? -flexible : body; }

static zn_status add_frame(zn_parts *parts, int body, int flexible, const char *name, vec3 position, mat3 rotation, zn_frame *frame) {
    zn_context *context = parts->context;
    const char *owner = flexible ? parts->bodies[body].group : parts->bodies[body].name;
    if (body_is_number(parts->bodies[body].kind))
        return fail(context, ZN_ERROR_ARGUMENT, "'%s' is a coordinate, not a body: it has no frames", owner);
    if (name && !expr_name_is_valid(name))
        return fail(context, ZN_ERROR_ARGUMENT, "'%s' cannot name a frame: names are letters, digits and _", name);
    if (name && names_find(&parts->frame_names, owner_of(body, flexible), name, strlen(name)) >= 0)
        return fail(context, ZN_ERROR_ARGUMENT, "there are two frames named '%s' on '%s'", name, owner);
    char *copy = name ? mem_text(context, name) : NULL;
    if ((name && !copy) ||
        !mem_grow(context, (void **)&parts->frames, &parts->frame_capacity, parts->n_frames + 1, sizeof *parts->frames) ||
        (copy && !names_add(context, &parts->frame_names, owner_of(body, flexible), copy, (int)parts->n_frames))) {
        mem_free(context, copy);
        return ZN_ERROR_MEMORY;
    }
    parts->frames[parts->n_frames] =
        (parts_frame){.name = copy, .body = body, .position = position, .rotation = rotation, .flexible = flexible};
    if (frame) *frame = (zn_frame){parts_stamp(parts, 'f'), (int)parts->n_frames};
    parts->n_frames++;
    return ZN_OK;
}

zn_status parts_add_frame(zn_parts *parts, int body, int flexible, const char *name, const double position[3], const double rotation[4],
                          zn_frame *frame) {
    static const double zero[3] = {0}, none[4] = {1};
    const parts_body *b = &parts->bodies[body];
    if (!position) position = zero;
    if (!rotation) rotation = none;
    double size = quat_dot(quat_from(rotation), quat_from(rotation));
    if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]) || !isfinite(size) || size == 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT,
                    "a frame on '%s' needs a finite position and a rotation (quaternion) that is not zero", b->name);
    mat3 R = quat_matrix(quat_from(rotation));
    if (body_is_planar(b->kind) && b->kind != BODY_WORLD && (position[2] != 0 || fabs(R.m[2][2] - 1) > PLANE_TOLERANCE))
        return fail(parts->context, ZN_ERROR_ARGUMENT,
                    "the frame '%s' on the planar body '%s' must lie in its plane z = 0 and turn about z", name ? name : "", b->name);
    return add_frame(parts, body, flexible, name, vec3_from(position), R, frame);
}

zn_status zn_parts_frame(zn_parts *parts, zn_body body, const char *name, const double position[3], const double rotation[4],
                         zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    if (!parts_get_body(parts, body, "a frame")) return ZN_ERROR_ARGUMENT;
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

/* The last frame is along an axis; `A` takes the components in which the axis is given to K. In the plane also z is an axis: that
 * of all rotations there; the frame is then not turned. */
static void set_axis(parts_frame *frame, bool planar, const mat3 *A, vec3 axis) {
    mat3 space = axes_along(axis, false), plane = axis.z == 0 ? axes_along(axis, true) : space;
    frame->along_axis = true;
    frame->in_space = mat3_product(A, &space);
    if (fabs(plane.m[2][2] - 1) <= PLANE_TOLERANCE) frame->in_plane = mat3_product(A, &plane);
    frame->rotation = planar ? frame->in_plane : frame->in_space;
}

/* For a frame on the world, whether it is used in the plane is known too late to place it: there the number of coordinates decides; else z
 * = 0. */
static zn_status add_along(zn_parts *parts, int body, const char *name, vec3 position, const mat3 *A, const double *axis, int coordinates,
                           zn_frame *frame) {
    const parts_body *b = &parts->bodies[body];
    vec3 direction = axis ? vec3_from(axis) : (vec3){0, 0, 1};
    double length = vec3_norm(direction);
    if (!(length > 0) || !isfinite(length))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the axis of a frame on '%s' is zero or not finite", b->name);
    if (!isfinite(position.x + position.y + position.z))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the position of a frame on '%s' is not finite", b->name);
    if (body_is_planar(b->kind) && b->kind != BODY_WORLD && position.z != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "a frame on the planar body '%s' must lie in its plane z = 0", b->name);
    zn_status status = add_frame(parts, body, 0, name, position, mat3_identity(), frame);
    bool planar = b->kind == BODY_WORLD ? coordinates == 2 : body_is_planar(b->kind);
    if (status == ZN_OK && axis) set_axis(&parts->frames[parts->n_frames - 1], planar, A, vec3_normalised(direction));
    return status;
}

zn_status zn_parts_frame_at(zn_parts *parts, zn_body body, const char *name, const double position[3], const double axis[3],
                            zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    if (!parts_get_body(parts, body, "a frame")) return ZN_ERROR_ARGUMENT;
    vec3 r, xi = {0, 0, 0};
    mat3 A;
    zn_status status = parts_place_at_start(parts, body.index, &r, &A);
    if (status != ZN_OK) return status;
    if (position) xi = mat3_apply_transposed(&A, vec3_sub(vec3_from(position), r));
    mat3 At = mat3_transposed(&A);
    return add_along(parts, body.index, name, xi, &At, axis, axis && axis[2] == 0 ? 2 : 3, frame);
}

zn_status parts_frame_along(zn_parts *parts, zn_body body, const char *name, const double position[3], const double axis[3],
                            int coordinates, zn_frame *frame) {
    if (frame) *frame = (zn_frame){0, 0};
    if (!parts_get_body(parts, body, "a frame")) return ZN_ERROR_ARGUMENT;
    const mat3 none = mat3_identity();
    return add_along(parts, body.index, name, vec3_from(position), &none, axis, coordinates, frame);
}

bool parts_frames_are_planar(const zn_parts *parts, const parts_frame *a, const parts_frame *b) {
    return body_is_planar(parts->bodies[a->body].kind) && (!b || body_is_planar(parts->bodies[b->body].kind));
}

const mat3 *parts_frame_axes(const parts_frame *frame, bool planar) {
    return !frame->along_axis ? &frame->rotation : planar ? &frame->in_plane : &frame->in_space;
}

zn_status parts_check_axes(zn_parts *parts, const parts_frame *a, const parts_frame *b, const char *what, const char *name) {
    const parts_frame *frames[2] = {a, b};
    if (!parts_frames_are_planar(parts, a, b)) return ZN_OK;
    for (int i = 0; i < 2; i++)
        if (frames[i] && frames[i]->along_axis && frames[i]->in_plane.m[2][2] == 0)
            return fail(parts->context, ZN_ERROR_ARGUMENT,
                        "the axis of the %s '%s' must lie in the plane z = 0 or be z, because its bodies are in the plane", what,
                        name ? name : "");
    return ZN_OK;
}

/* Among the frames of a body, or of a flexible body (1 + index, else 0). */
static zn_status find_frame(zn_parts *parts, int body, int flexible, const char *owner, const char *name, zn_frame *frame) {
    const char *nearest = NULL;
    int known = names_find(&parts->frame_names, owner_of(body, flexible), name, strlen(name));
    if (known >= 0) {
        *frame = (zn_frame){parts_stamp(parts, 'f'), known};
        return ZN_OK;
    }
    for (size_t i = 0; i < parts->n_frames; i++) {
        if (!is_owned(&parts->frames[i], body, flexible) || !parts->frames[i].name) continue;
        if (nearest_is_close(name, nearest_distance(name, parts->frames[i].name))) nearest = parts->frames[i].name;
    }
    return fail(parts->context, ZN_ERROR_ARGUMENT,
                nearest ? "the body '%s' has no frame '%.60s' (did you mean '%s'?)" : "the body '%s' has no frame '%.60s'%s", owner, name,
                nearest ? nearest : "");
}

zn_status zn_parts_find_frame(zn_parts *parts, const char *name, zn_frame *frame) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, frame);
    *frame = (zn_frame){0, 0};
    NEED(parts->context, name);
    size_t length = strcspn(name, ".");
    int body = parts_find_body(parts, name, length), flexible = parts_find_flexible(parts, name, length);
    if (body < 0 && (flexible < 0 || !name[length])) return parts_no_body(parts, name, length);
    if (body < 0) {
        int node = parts_node_frame(parts, flexible, name + length + 1);
        if (node < 0) return find_frame(parts, -1, flexible + 1, parts->flexibles[flexible].name, name + length + 1, frame);
        *frame = (zn_frame){parts_stamp(parts, 'f'), node};
        return ZN_OK;
    }
    if (body_is_number(parts->bodies[body].kind))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "'%s' is a coordinate, not a body", parts->bodies[body].name);
    if (name[length]) return find_frame(parts, body, 0, parts->bodies[body].name, name + length + 1, frame);
    *frame = (zn_frame){parts_stamp(parts, 'f'), parts->bodies[body].frame};
    return ZN_OK;
}

double *parts_put_frame(double *parameters, const parts_frame *frame, bool planar) {
    const mat3 *axes = parts_frame_axes(frame, planar);
    vec3_store(frame->position, parameters);
    for (int j = 0; j < 3; j++) vec3_store(mat3_column(axes, j), parameters + 3 + 3 * j);
    return parameters + SKETCH_FRAME_PARAMETERS;
}
