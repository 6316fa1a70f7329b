/* SPDX-License-Identifier: Apache-2.0 */
/* The motion of a joint: the only definition of its angle and its displacement.
 *
 *     displacement   s     = d.e,  e the axis of a
 *     angle          theta = phi_b - phi_a + offset                                                     (plane)
 *                    theta = m + atan2(S cos m - C sin m, C cos m + S sin m),  C = x_a.x_b, S = y_a.x_b   (space)
 *
 * At the start theta is in (-pi, pi]; from there it counts turns. In the plane angles of bodies do so by themselves. In space the mark m,
 * an angle that is constant during a step, selects the turn: theta does not depend on it as long as it is less than half a turn away,
 *
 *     dtheta = (C dS - S dC)/(C^2 + S^2),
 *
 * and after each step m is set to theta (after_step). A step must turn the joint by less than half a turn. */
#include "model/parts/joint.h"

#include <stdio.h>

/* ---- expressions ---- */

joint_motion joint_displacement(sketch *k, const sketch_frame *a, const sketch_frame *b, bool planar) {
    expr s = evec_dot(k, evec_sub(k, b->p, a->p), planar ? a->x : a->z);
    return (joint_motion){s, sketch_rate(k, s)};
}

/* The derivative of the angle of (C, S) by a variable. */
static expr turning(sketch *k, expr C, expr S, int variable) {
    expr across = sketch_sub(k, sketch_mul(k, C, expr_derivative(k->g, S, variable)), sketch_mul(k, S, expr_derivative(k->g, C, variable)));
    return expr_is_zero(k->g, across) ? across : sketch_div(k, across, sketch_add(k, sketch_mul(k, C, C), sketch_mul(k, S, S)));
}

expr joint_counted_angle(sketch *k, expr C, expr S, const sketch_body *mark) {
    expr m = mark->phi, cos_m = expr_unary(k->g, EXPR_COS, m), sin_m = expr_unary(k->g, EXPR_SIN, m);
    expr across = sketch_sub(k, sketch_mul(k, S, cos_m), sketch_mul(k, C, sin_m));
    expr along = sketch_add(k, sketch_mul(k, C, cos_m), sketch_mul(k, S, sin_m));
    expr theta = sketch_add(k, m, expr_binary(k->g, EXPR_ATAN2, across, along));
    k->failed |= !expr_keep_derivative(k->g, theta, 0, turning(k, C, S, 0));
    k->failed |= !expr_keep_derivative(k->g, theta, EXPR_MOTION, turning(k, C, S, EXPR_MOTION));
    for (int i = 0; i < k->s.size.nq; i++) k->failed |= !expr_keep_derivative(k->g, theta, k->s.q + i, turning(k, C, S, k->s.q + i));
    return theta;
}

joint_motion joint_angle(sketch *k, const sketch_frame *a, const sketch_frame *b, expr offset, const sketch_body *mark) {
    expr rate = evec_dot(k, a->z, evec_sub(k, b->omega, a->omega));
    if (mark) return (joint_motion){joint_counted_angle(k, evec_dot(k, a->x, b->x), evec_dot(k, a->y, b->x), mark), rate};
    expr turned = sketch_sub(k, k->body[b->body].phi, k->body[a->body].phi);
    return (joint_motion){sketch_add(k, turned, offset), rate};
}

expr joint_rate(const joint_sketch *j, bool slides) {
    if (slides) return joint_displacement(j->k, &j->a, &j->b, j->planar).rate;
    return evec_dot(j->k, j->a.z, evec_sub(j->k, j->b.omega, j->a.omega));
}

/* ---- marks ---- */

int parts_add_mark(zn_parts *parts, const char *name, double start) {
    parts_body b = {.kind = BODY_MARK, .start = start, .p = quat_identity()};
    if (!(b.name = mem_text(parts->context, name)) || parts_add_body(parts, &b, NULL) != ZN_OK) return -1;
    return (int)parts->n_bodies - 1;
}

zn_status parts_check_mark(zn_context *context, const parts_piece *piece, const zn_model *model) {
    if (model->work_bytes <= JOINT_MOST_REGISTERS * sizeof(double)) return ZN_OK;
    return fail(context, ZN_ERROR_UNSUPPORTED, "the formula of the motion of the bodies of '%s' is too long", piece->name);
}

void parts_count_turns(const zn_model *model, double t, double *q) {
    double registers[JOINT_MOST_REGISTERS], rest[JOINT_MOST_REGISTERS], theta;
    if (model->size.nu > JOINT_MOST_REGISTERS) return;
    memset(rest, 0, (size_t)model->size.nu * sizeof *rest);
    if (!model->outputs(model, registers, &(zn_point){.t = t, .q = q, .u = rest}, &theta)) q[model->size.nq - 1] = theta;
}

static zn_status express_turns(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts, (void)piece;
    sketch_frame a = sketch_next_frame(k, 0), b = sketch_next_frame(k, 1);
    sketch_output(k, joint_angle(k, &a, &b, sketch_constant(k, 0), &k->body[2]).value);
    return ZN_OK;
}

/* Axes of a frame (parameters as sketch_next_frame takes them) in I at the start. */
static zn_status axes_at_start(zn_parts *parts, int body, const double *frame, mat3 *axes) {
    vec3 r;
    mat3 A;
    zn_status status = parts_place_at_start(parts, body, &r, &A);
    for (int j = 0; status == ZN_OK && j < 3; j++) {
        vec3 column = mat3_apply(&A, vec3_from(frame + 3 + 3 * j));
        axes->m[0][j] = column.x, axes->m[1][j] = column.y, axes->m[2][j] = column.z;
    }
    return status;
}

/* theta at the start, in (-pi, pi]. */
static zn_status angle_at_start(zn_parts *parts, const int *bodies, const double *frames, double *theta) {
    mat3 a, b;
    zn_status status = axes_at_start(parts, bodies[0], frames, &a);
    if (status == ZN_OK) status = axes_at_start(parts, bodies[1], frames + SKETCH_FRAME_PARAMETERS, &b);
    if (status != ZN_OK) return status;
    vec3 x = mat3_column(&b, 0);
    *theta = atan2(vec3_dot(mat3_column(&a, 1), x), vec3_dot(mat3_column(&a, 0), x));
    return ZN_OK;
}

int parts_add_turns(zn_parts *parts, const char *name, const int *bodies, const double *frames, double turned) {
    double theta;
    char *label = mem_format(parts->context, "%s.turn", name);
    if (!label || angle_at_start(parts, bodies, frames, &theta) != ZN_OK) {
        mem_free(parts->context, label);
        return -1;
    }
    int mark = parts_add_mark(parts, label, theta + turned);
    parts_piece shape = {.what = "counter of turns",
                         .name = label,
                         .express = express_turns,
                         .n_bodies = 3,
                         .bodies = (int[]){bodies[0], bodies[1], mark},
                         .n_parameters = 2 * SKETCH_FRAME_PARAMETERS,
                         .n_outputs = 1,
                         .after_step = parts_count_turns};
    parts_piece *piece = mark < 0 ? NULL : parts_piece_begin(parts, &shape);
    mem_free(parts->context, label);
    if (!piece || !(piece->outputs[0] = mem_format(parts->context, "%s.angle", name))) return -1;
    memcpy(piece->parameters, frames, 2 * SKETCH_FRAME_PARAMETERS * sizeof *frames);
    return mark;
}

/* ---- joints of a builder ---- */

bool parts_joint_turns(const zn_parts *parts, int joint) {
    const parts_piece *piece = &parts->pieces[joint];
    return piece->express == parts_express_joint && joint_types[piece->variant & JOINT_TYPE_MASK]->turns;
}

bool parts_joint_slides(const zn_parts *parts, int joint) {
    const parts_piece *piece = &parts->pieces[joint];
    return piece->express == parts_express_joint && joint_types[piece->variant & JOINT_TYPE_MASK]->slides;
}

static bool is_planar(const zn_parts *parts, const parts_piece *piece) {
    return body_is_planar(parts->bodies[piece->bodies[0]].kind) && body_is_planar(parts->bodies[piece->bodies[1]].kind);
}

int parts_joint_bodies(zn_parts *parts, int joint, bool turns, int bodies[3]) {
    const parts_piece *piece = &parts->pieces[joint];
    bodies[0] = piece->bodies[0], bodies[1] = piece->bodies[1];
    if (!turns || is_planar(parts, piece)) return 2;
    bodies[2] = piece->mark;
    if (bodies[2]) return 3;
    char *name = mem_text(parts->context, piece->name); /* pieces move when there are more */
    double frames[2 * SKETCH_FRAME_PARAMETERS];
    memcpy(frames, piece->parameters, sizeof frames);
    bodies[2] = name ? parts_add_turns(parts, name, bodies, frames, piece->turned) : -1;
    mem_free(parts->context, name);
    if (bodies[2] < 0) return -1;
    parts->pieces[joint].mark = bodies[2];
    return 3;
}

/* What makes the difference of the bodies' angles theta, in the plane. */
zn_status parts_angle_offset(zn_parts *parts, const int *bodies, const double *frames, double *offset) {
    double theta, phi[2];
    *offset = 0;
    if (!body_is_planar(parts->bodies[bodies[0]].kind) || !body_is_planar(parts->bodies[bodies[1]].kind)) return ZN_OK;
    zn_status status = angle_at_start(parts, bodies, frames, &theta);
    for (int i = 0; i < 2 && status == ZN_OK; i++) status = parts_angle_at_start(parts, bodies[i], &phi[i]);
    if (status == ZN_OK) *offset = theta - (phi[1] - phi[0]);
    return status;
}

zn_status parts_joint_offset(zn_parts *parts, int joint, double *offset) {
    const parts_piece *piece = &parts->pieces[joint];
    zn_status status = parts_angle_offset(parts, piece->bodies, piece->parameters, offset);
    if (is_planar(parts, piece)) *offset += piece->turned;
    return status;
}

zn_status parts_joint_start(zn_parts *parts, int joint, bool turns, double *value) {
    const parts_piece *piece = &parts->pieces[joint];
    vec3 p[2], axis = {0, 0, 0};
    if (turns) {
        zn_status status = angle_at_start(parts, piece->bodies, piece->parameters, value);
        *value += piece->turned;
        return status;
    }
    for (int i = 0; i < 2; i++) {
        const double *frame = piece->parameters + i * SKETCH_FRAME_PARAMETERS;
        vec3 r;
        mat3 A;
        zn_status status = parts_place_at_start(parts, piece->bodies[i], &r, &A);
        if (status != ZN_OK) return status;
        p[i] = vec3_add(r, mat3_apply(&A, vec3_from(frame)));
        if (i == 0) axis = mat3_apply(&A, vec3_from(frame + (is_planar(parts, piece) ? 3 : 9)));
    }
    *value = vec3_dot(vec3_sub(p[1], p[0]), axis);
    return ZN_OK;
}

sketch_frame parts_frame_sketch(sketch *k, int body, const double *values) {
    evec column[4];
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) column[j].x[i] = sketch_constant(k, values[3 * j + i]);
    return sketch_frame_at(k, body, column[0], (emat){{column[1], column[2], column[3]}});
}

zn_status parts_joint_motion(zn_parts *parts, sketch *k, int joint, bool turns, const int at[3], joint_motion *out) {
    const parts_piece *piece = &parts->pieces[joint];
    sketch_frame a = parts_frame_sketch(k, at[0], piece->parameters),
                 b = parts_frame_sketch(k, at[1], piece->parameters + SKETCH_FRAME_PARAMETERS);
    bool planar = is_planar(parts, piece);
    double offset;
    zn_status status = parts_joint_offset(parts, joint, &offset);
    if (status != ZN_OK) return status;
    *out =
        turns ? joint_angle(k, &a, &b, sketch_constant(k, offset), planar ? NULL : &k->body[at[2]]) : joint_displacement(k, &a, &b, planar);
    return ZN_OK;
}
