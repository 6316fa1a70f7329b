/* SPDX-License-Identifier: Apache-2.0 */
/* Drives, on position level; f(t) is the given angle or displacement.
 *
 *     angle      g = (-sin f x_a + cos f y_a).x_b      which is sin(angle - f) for the angle from x_a to x_b about z
 *     position   g = d.e - f,   e the axis of a
 *
 * The sine knows no turns: the angle may grow forever. Like every row of rotation it also vanishes half a turn away. */
#include "model/parts/joint.h"

static void express_angle_drive(joint_sketch *j) {
    sketch *k = j->k;
    expr c = expr_unary(k->g, EXPR_COS, j->drive), s = expr_unary(k->g, EXPR_SIN, j->drive);
    expr along = sketch_mul(k, c, evec_dot(k, j->a.y, j->b.x));
    sketch_g(k, sketch_sub(k, along, sketch_mul(k, s, evec_dot(k, j->a.x, j->b.x))));
}

static void express_position_drive(joint_sketch *j) {
    sketch *k = j->k;
    sketch_g(k, sketch_sub(k, evec_dot(k, j->d, joint_axis(j)), j->drive));
}

const joint_type joint_angle_drive = {.what = "angle drive",
                                      .express = express_angle_drive,
                                      .g_plane = 1,
                                      .g_space = 1,
                                      .needs_turning = true,
                                      .has_drive = true,
                                      .turns = true};
const joint_type joint_position_drive = {
    .what = "position drive", .express = express_position_drive, .g_plane = 1, .g_space = 1, .has_drive = true, .slides = true};
