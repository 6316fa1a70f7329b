/* SPDX-License-Identifier: Apache-2.0 */
/* Point on line: the origin of b stays on the axis of a; rotations are free.
 *
 *     g = d.y_a                (plane, axis x)
 *     g = (d.x_a, d.y_a)       (space, axis z) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) { joint_on_axis(j); }

const joint_type joint_point_on_line = {
    .what = "point-on-line joint", .express = express, .glyph = GLYPH_JOINT, .g_plane = 1, .g_space = 2, .slides = true};
