/* SPDX-License-Identifier: Apache-2.0 */
/* Gear: two bodies that turn about axes of their own (revolute joints hold them) are coupled by the ratio i,
 *
 *     gamma = z_a.omega_a + i z_b.omega_b
 *
 * with i > 0 for wheels that turn in opposite directions (i = number of teeth of b / of a), i < 0 for a belt. With a backlash j, measured
 * as an angle of a, there are two contacts instead, on angles from the start (in space about axes that keep their direction):
 *
 *     gap = j/2 +- (theta_a + i theta_b) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    sketch *k = j->k;
    expr b = sketch_mul(k, j->extra, evec_dot(k, j->b.z, j->b.omega));
    sketch_gamma(k, sketch_add(k, evec_dot(k, j->a.z, j->a.omega), b));
}

const joint_type joint_gear = {.what = "gear", .express = express, .y_plane = 1, .y_space = 1, .extra = JOINT_RATIO, .needs_turning = true};

/* ---- backlash ---- */

/* Parameters: for each wheel its frame at rest on the world, its own frame, and its angle at the start (plane); then ratio, sign, half of
 * the play. */
enum { WHEEL_NUMBERS = 2 * SKETCH_FRAME_PARAMETERS + 1 };

static zn_status express_loose(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts, (void)piece;
    expr theta[2];
    int mark = 2;
    for (int i = 0; i < 2; i++) {
        sketch_frame rest = sketch_next_frame(k, -1), own = sketch_next_frame(k, i);
        expr start = sketch_parameter(k);
        if (body_is_planar(k->body[i].kind)) theta[i] = sketch_sub(k, k->body[i].phi, start);
        else theta[i] = joint_angle(k, &rest, &own, start, &k->body[mark++]).value;
    }
    expr ratio = sketch_parameter(k), sign = sketch_parameter(k), half = sketch_parameter(k);
    expr turned = sketch_add(k, theta[0], sketch_mul(k, ratio, theta[1]));
    sketch_contact(k, sketch_add(k, half, sketch_mul(k, sign, turned)), 0, NULL);
    return ZN_OK;
}

/* The frame of a wheel as it stands at the start, on the world; and in space a counter of its turns, which become bodies of the piece. */
static zn_status look_at_wheel(zn_parts *parts, int joint, int i, double *numbers, int *bodies, int *count) {
    const parts_piece *piece = &parts->pieces[joint];
    vec3 r;
    mat3 A;
    int body = piece->bodies[i];
    memcpy(numbers + SKETCH_FRAME_PARAMETERS, piece->parameters + i * SKETCH_FRAME_PARAMETERS, SKETCH_FRAME_PARAMETERS * sizeof *numbers);
    zn_status status = parts_place_at_start(parts, body, &r, &A);
    if (status == ZN_OK) status = parts_angle_at_start(parts, body, &numbers[2 * SKETCH_FRAME_PARAMETERS]);
    if (status != ZN_OK) return status;
    const double *own = numbers + SKETCH_FRAME_PARAMETERS;
    vec3_store(r, numbers);
    for (int j = 0; j < 3; j++) vec3_store(mat3_apply(&A, vec3_from(own + 3 + 3 * j)), numbers + 3 + 3 * j);
    if (body_is_planar(parts->bodies[body].kind)) return ZN_OK;
    numbers[2 * SKETCH_FRAME_PARAMETERS] = 0;
    char *name = mem_format(parts->context, "%s.%c", piece->name, "ab"[i]);
    int mark = name ? parts_add_turns(parts, name, (int[]){0, body}, numbers, 0) : -1;
    mem_free(parts->context, name);
    if (mark < 0) return parts_last_status(parts);
    bodies[(*count)++] = mark;
    return ZN_OK;
}

zn_status parts_loose_gear(zn_parts *parts, int joint, const zn_joint_def *def) {
    double numbers[2 * WHEEL_NUMBERS];
    int bodies[4] = {parts->pieces[joint].bodies[0], parts->pieces[joint].bodies[1]}, count = 2;
    for (int i = 0; i < 2; i++) {
        zn_status status = look_at_wheel(parts, joint, i, numbers + i * WHEEL_NUMBERS, bodies, &count);
        if (status != ZN_OK) return status;
    }
    for (int side = 0; side < 2; side++) {
        char *name = mem_format(parts->context, "%s.%s", def->name, side ? "upper" : "lower");
        parts_piece shape = {.what = "backlash",
                             .name = name,
                             .express = express_loose,
                             .n_bodies = count,
                             .bodies = bodies,
                             .rows = {.nN = 1},
                             .n_parameters = 2 * WHEEL_NUMBERS + 3,
                             .n_contacts = 1};
        parts_piece *piece = name ? parts_piece_begin(parts, &shape) : NULL;
        mem_free(parts->context, name);
        if (!piece) return parts_last_status(parts);
        double *next = piece->parameters + 2 * WHEEL_NUMBERS;
        memcpy(piece->parameters, numbers, sizeof numbers);
        next[0] = def->ratio, next[1] = side ? -1 : 1, next[2] = def->options->backlash / 2;
        piece->contacts[0] = (zn_contact){.row_N = 0, .e_N = def->options->restitution};
    }
    return ZN_OK;
}
