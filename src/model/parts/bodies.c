/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: their definitions, and their kinds.
 *
 *   particle   M = m 1                                  h = m g
 *   planar     M = diag(m, m, J)                        h = (m g, 0)
 *   spatial    M = diag(m 1, Theta), Theta in K         h = (m g, -Omega x Theta Omega)
 *
 * with the potential -m g.r. Parameters of a kind: m, g, then J or Theta (xx, yy, zz, xy, xz, yz).                              */
#include "model/parts/flexible.h"

#include <stdio.h>

zn_body_def zn_default_body_def(void) { return (zn_body_def){.type = ZN_BODY_PLANAR, .rotation = {1, 0, 0, 0}, .motion_axis = {0, 0, 1}}; }

/* ---- checks ---- */

static bool finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

/* Eigenvalues of a symmetric matrix by Jacobi rotations; with three sweeps to spare for 3 x 3. */
static void principal_moments(const double inertia[6], double moments[3]) {
    double a[3][3] = {{inertia[0], inertia[3], inertia[4]}, {inertia[3], inertia[1], inertia[5]}, {inertia[4], inertia[5], inertia[2]}};
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0) continue;
                double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
                }
            }
    for (int i = 0; i < 3; i++) moments[i] = a[i][i];
}

static zn_status check_inertia(zn_context *context, const char *name, const double inertia[6]) {
    const double rounding = 1e-9; /* a flat body has A + B = C exactly, and users round */
    double m[3];
    if (!finite(inertia, 6)) return fail(context, ZN_ERROR_MODEL, "the inertia of '%s' is not finite", name);
    principal_moments(inertia, m);
    for (int i = 0; i < 3; i++) {
        double a = m[i], b = m[(i + 1) % 3], c = m[(i + 2) % 3];
        if (!(a > 0))
            return fail(context, ZN_ERROR_MODEL, "the inertia of '%s' is not positive definite: its principal moments are %g, %g, %g", name,
                        m[0], m[1], m[2]);
        if (a + b < c * (1 - rounding))
            return fail(context, ZN_ERROR_MODEL,
                        "the inertia of '%s' violates the triangle inequality: principal moments %g + %g < %g belong to no "
                        "rigid body",
                        name, a, b, c);
    }
    return ZN_OK;
}

static body_kind kind_of(const zn_body_def *def) {
    static const body_kind kinds[] = {BODY_PARTICLE_2D, BODY_PARTICLE_3D, BODY_PLANAR, BODY_SPATIAL};
    if (def->type != ZN_BODY_PRESCRIBED) return kinds[def->type];
    bool about_z = def->motion_axis[0] == 0 && def->motion_axis[1] == 0 && def->rotation[1] == 0 && def->rotation[2] == 0;
    return !def->motion[2].text && def->position[2] == 0 && about_z ? BODY_MOVING_PLANAR : BODY_MOVING_SPATIAL;
}

/* Mass and inertia as given, or from the shape. */
static zn_status find_mass(zn_context *context, const zn_body_def *def, parts_body *b) {
    b->mass = def->mass;
    memcpy(b->inertia, def->inertia, sizeof b->inertia);
    if (body_is_moving(b->kind)) return ZN_OK;
    if (def->shape.type != ZN_SHAPE_NONE) {
        bool scaled = def->density == 0;
        zn_mass mass;
        if (scaled && !(def->mass > 0))
            return fail(context, ZN_ERROR_MODEL, "the body '%s' has a shape; give its density or its mass", b->name);
        if (!scaled && def->mass != 0)
            return fail(context, ZN_ERROR_MODEL, "the body '%s' has a shape, a density and a mass; give one of the last two", b->name);
        if (finite(def->inertia, 6) && (def->inertia[0] != 0 || def->inertia[1] != 0 || def->inertia[2] != 0))
            return fail(context, ZN_ERROR_MODEL, "the body '%s' has a shape, so its inertia follows and cannot be given", b->name);
        zn_status status = zn_shape_mass(context, &def->shape, scaled ? 1 : def->density, body_is_planar(b->kind), &mass);
        if (status != ZN_OK) return status;
        double factor = scaled ? def->mass / mass.mass : 1;
        b->mass = factor * mass.mass;
        for (int i = 0; i < 6; i++) b->inertia[i] = factor * mass.inertia[i];
    }
    if (!(b->mass > 0) || !isfinite(b->mass))
        return fail(context, ZN_ERROR_MODEL, "the mass of '%s' must be positive, but is %g", b->name, b->mass);
    if (b->kind == BODY_PLANAR && (!(b->inertia[2] > 0) || !isfinite(b->inertia[2])))
        return fail(context, ZN_ERROR_MODEL, "the inertia of the planar body '%s' must be positive, but is %g", b->name, b->inertia[2]);
    return b->kind == BODY_SPATIAL ? check_inertia(context, b->name, b->inertia) : ZN_OK;
}

static zn_status check_start(zn_context *context, const zn_body_def *def, const parts_body *b) {
    double angles[2] = {def->angle, def->angle_rate};
    if (!finite(def->position, 3) || !finite(def->velocity, 3) || !finite(angles, 2) || !finite(def->angular_velocity, 3) ||
        !finite(def->rotation, 4))
        return fail(context, ZN_ERROR_MODEL, "the start of '%s' is not finite", b->name);
    bool turns_in_space = b->kind == BODY_SPATIAL || body_is_moving(b->kind);
    if (turns_in_space && quat_dot(quat_from(def->rotation), quat_from(def->rotation)) == 0)
        return fail(context, ZN_ERROR_MODEL, "the rotation of '%s' is a quaternion of zeros; no rotation is 1, 0, 0, 0", b->name);
    if (body_is_planar(b->kind) && (def->position[2] != 0 || def->velocity[2] != 0))
        return fail(context, ZN_ERROR_MODEL, "the body '%s' lives in the plane z = 0, but its start has z", b->name);
    if (body_is_moving(b->kind) && (!finite(def->motion_axis, 3) || !(vec3_norm(vec3_from(def->motion_axis)) > 0)))
        return fail(context, ZN_ERROR_MODEL, "the axis of the motion of '%s' is zero or not finite", b->name);
    return ZN_OK;
}

/* ---- definitions ---- */

/* Formulas of t; what has none is a constant, written as the position at the start. */
static zn_status keep_motion(zn_parts *parts, const zn_body_def *def, parts_body *b) {
    if (!(b->motion = MEM_ARRAY(parts->context, parts_motion, 1))) return ZN_ERROR_MEMORY;
    zn_status status = parts_keep_formula(parts, &b->motion->angle, def->motion_angle);
    for (int i = 0; i < 3 && status == ZN_OK; i++) {
        char number[40];
        snprintf(number, sizeof number, "%.17g", def->position[i]);
        status = parts_keep_formula(parts, &b->motion->position[i], def->motion[i].text ? def->motion[i] : ZN_FORMULA(number));
    }
    b->motion->axis = vec3_normalised(vec3_from(def->motion_axis));
    return status;
}

zn_status parts_check_name(zn_parts *parts, const char *name, const char *what) {
    if (!expr_name_is_valid(name))
        return fail(parts->context, ZN_ERROR_ARGUMENT,
                    "'%s' cannot name a %s: names are letters, digits and _, and not pi, t or a function", name ? name : "", what);
    if (parts_find_body(parts, name, strlen(name)) >= 0 || parts_find_flexible(parts, name, strlen(name)) >= 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the name '%s' of a %s is already taken", name, what);
    for (size_t i = 0; i < parts->n_parameters; i++)
        if (!strcmp(parts->parameters[i].name, name))
            return fail(parts->context, ZN_ERROR_ARGUMENT, "the name '%s' of a %s is already taken by a parameter", name, what);
    int value = machine_find(parts->machine, name, strlen(name));
    if (value >= 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the name '%s' of a %s is already taken by %s", name, what,
                    machine_kind_words[parts->machine->values[value].kind]);
    return ZN_OK;
}

void parts_free_body(zn_context *context, parts_body *b) {
    for (int i = 0; b->motion && i < 3; i++) formula_text_free(context, &b->motion->position[i]);
    if (b->motion) formula_text_free(context, &b->motion->angle);
    formula_text_free(context, &b->rate);
    void *blocks[] = {b->motion, b->name, b->carriers, b->numbers};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

zn_status parts_add_body(zn_parts *parts, parts_body *b, zn_body *handle) {
    zn_context *context = parts->context;
    if (!mem_grow(context, (void **)&parts->bodies, &parts->body_capacity, parts->n_bodies + 1, sizeof *parts->bodies) ||
        !mem_grow(context, (void **)&parts->frames, &parts->frame_capacity, parts->n_frames + 1, sizeof *parts->frames) ||
        !names_add(context, &parts->body_names, 0, b->name, (int)parts->n_bodies)) {
        parts_free_body(context, b);
        return ZN_ERROR_MEMORY;
    }
    parts->bodies[parts->n_bodies] = *b;
    parts->bodies[parts->n_bodies].frame = (int)parts->n_frames;
    parts->frames[parts->n_frames++] = (parts_frame){.body = (int)parts->n_bodies, .rotation = mat3_identity()};
    if (handle) *handle = (zn_body){parts_stamp(parts, 'b'), (int)parts->n_bodies};
    parts->n_bodies++;
    return ZN_OK;
}

zn_status zn_parts_body(zn_parts *parts, const zn_body_def *def, zn_body *handle) {
    if (handle) *handle = (zn_body){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    zn_context *context = parts->context;
    zn_status status = parts_check_name(parts, def->name, "body");
    if (status != ZN_OK) return status;
    if ((int)def->type < 0 || def->type > ZN_BODY_PRESCRIBED)
        return fail(context, ZN_ERROR_ARGUMENT, "'%s': unknown type of body", def->name);
    parts_body b = {
        .kind = kind_of(def), .r = vec3_from(def->position), .v = vec3_from(def->velocity), .Omega = vec3_from(def->angular_velocity)};
    if (!(b.name = mem_text(context, def->name))) return ZN_ERROR_MEMORY;
    status = check_start(context, def, &b);
    if (status == ZN_OK) status = find_mass(context, def, &b);
    b.p = quat_normalised(quat_from(def->rotation));
    if (b.kind == BODY_PLANAR) b.angle = def->angle, b.angle_rate = def->angle_rate;
    if (status == ZN_OK && body_is_moving(b.kind)) status = keep_motion(parts, def, &b);
    if (status == ZN_OK) status = parts_add_body(parts, &b, handle);
    else parts_free_body(context, &b);
    if (status == ZN_OK && def->shape.type != ZN_SHAPE_NONE) status = parts_geometry_of_shape(parts, (int)parts->n_bodies - 1, &def->shape);
    return status;
}

zn_status zn_parts_coordinate(zn_parts *parts, const char *name, double start, double velocity) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status = parts_check_name(parts, name, "coordinate");
    if (status != ZN_OK) return status;
    if (!isfinite(start) || !isfinite(velocity)) return fail(parts->context, ZN_ERROR_MODEL, "the start of '%s' is not finite", name);
    parts_body b = {.kind = BODY_SCALAR, .start = start, .velocity = velocity, .p = quat_identity()};
    if (!(b.name = mem_text(parts->context, name))) return ZN_ERROR_MEMORY;
    return parts_add_body(parts, &b, NULL);
}

zn_status zn_parts_velocity(zn_parts *parts, const char *name, double start) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_status status = parts_check_name(parts, name, "velocity");
    if (status != ZN_OK) return status;
    if (!isfinite(start)) return fail(parts->context, ZN_ERROR_MODEL, "the start of '%s' is not finite", name);
    parts_body b = {.kind = BODY_VELOCITY, .velocity = start, .p = quat_identity()};
    if (!(b.name = mem_text(parts->context, name))) return ZN_ERROR_MEMORY;
    return parts_add_body(parts, &b, NULL);
}

zn_status zn_parts_kinematics(zn_parts *parts, const char *coordinate, zn_formula rate) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, coordinate);
    char hint[100];
    int index = parts_find_body(parts, coordinate, strlen(coordinate));
    parts_body *b = index >= 0 ? &parts->bodies[index] : NULL;
    if (!b || (b->kind != BODY_SCALAR && b->kind != BODY_KINEMATIC))
        return fail(parts->context, ZN_ERROR_MODEL, "there is no coordinate '%.60s' that could have kinematics%s", coordinate,
                    b ? "" : parts_body_hint(parts, coordinate, hint, sizeof hint));
    if (!rate.text) return fail(parts->context, ZN_ERROR_ARGUMENT, "the kinematics of '%s' need a formula", coordinate);
    if (b->kind == BODY_KINEMATIC) return fail(parts->context, ZN_ERROR_MODEL, "the kinematics of '%s' are given twice", coordinate);
    if (b->velocity != 0)
        return fail(parts->context, ZN_ERROR_MODEL, "'%s' has kinematics, so its velocity at the start follows and cannot be given",
                    coordinate);
    b->kind = BODY_KINEMATIC;
    return parts_keep_formula(parts, &b->rate, rate);
}

zn_status parts_add_state(zn_parts *parts, const char *name, double start, zn_formula rate) {
    parts_body b = {.kind = BODY_STATE, .start = start, .p = quat_identity()};
    zn_status status = parts_keep_formula(parts, &b.rate, rate);
    if (status == ZN_OK && !(b.name = mem_text(parts->context, name))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) return parts_add_body(parts, &b, NULL);
    parts_free_body(parts->context, &b);
    return status;
}

/* ---- names ---- */

const char *parts_q_name(const parts_body *b, int i, char *text, size_t room) {
    static const char *const planar[] = {"x", "y", "phi"}, *const spatial[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
    if (body_is_number(b->kind)) snprintf(text, room, "%s", b->name);
    else snprintf(text, room, "%s.%s", b->name, b->kind == BODY_PLANAR ? planar[i] : spatial[i]);
    return text;
}

const char *parts_u_name(const parts_body *b, int i, char *text, size_t room) {
    if (b->kind == BODY_SPATIAL && i >= 3) snprintf(text, room, "%s.w%c", b->name, "xyz"[i - 3]);
    else {
        parts_q_name(b, i, text, room - 1);
        if (b->kind != BODY_VELOCITY) strcat(text, "'");
    }
    return text;
}

/* ---- kinds ---- */

static void express_inertia(sketch *k, const sketch_body *b) {
    expr t[6];
    for (int i = 0; i < 6; i++) t[i] = sketch_parameter(k);
    const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int i = 0; i < 6; i++) sketch_mass(k, b->u + 3 + place[i][0], b->u + 3 + place[i][1], t[i]);
    emat Theta = {{{{t[0], t[3], t[4]}}, {{t[3], t[1], t[5]}}, {{t[4], t[5], t[2]}}}};
    evec Omega;
    for (int i = 0; i < 3; i++) Omega.x[i] = expr_variable(k->g, k->s.u + b->u + 3 + i);
    evec gyroscopic = evec_cross(k, Omega, emat_apply(k, Theta, Omega));
    for (int i = 0; i < 3; i++) sketch_h(k, b->u + 3 + i, sketch_neg(k, gyroscopic.x[i]));
}

zn_status parts_express_body(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    const sketch_body *b = &k->body[0];
    if (b->kind == BODY_MARK) sketch_mass(k, b->u, b->u, sketch_constant(k, 1));     /* it has no velocity: any mass will do */
    if (body_has_rate(b->kind)) k->s.answered = piece->variant ? piece->variant : 1; /* the others are of bodies that rates name */
    if (body_is_number(b->kind) || piece->variant) return ZN_OK;                     /* a variant: nodes, whose mass is in their elements */
    expr m = sketch_parameter(k);
    evec g = sketch_parameter3(k);
    int directions = b->kind == BODY_PARTICLE_3D || b->kind == BODY_SPATIAL ? 3 : 2;
    for (int i = 0; i < directions; i++) sketch_mass(k, b->u + i, b->u + i, m);
    sketch_potential(k, sketch_neg(k, sketch_mul(k, m, evec_dot(k, g, b->r))));
    if (b->kind == BODY_PLANAR) sketch_mass(k, b->u + 2, b->u + 2, sketch_parameter(k));
    if (b->kind == BODY_SPATIAL) express_inertia(k, b);
    return ZN_OK;
}
