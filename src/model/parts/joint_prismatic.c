/* SPDX-License-Identifier: Apache-2.0 */
/* Prismatic: b slides along the axis of a and does not turn against it.
 *
 *     g = (d.y_a, x_a.y_b)                                    (plane, axis x)
 *     g = (d.x_a, d.y_a, x_a.y_b, y_a.z_b, z_a.x_b)           (space, axis z)
 *
 * Rows of rotation are sines of small angles; they also vanish half a turn away, where no motion leads. */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    joint_on_axis(j);
    if (j->turns) joint_same_rotation(j);
}

const joint_type joint_prismatic = {.what = "prismatic joint",
                                    .express = express,
                                    .glyph = GLYPH_JOINT,
                                    .g_plane = 1,
                                    .g_plane_turning = 1,
                                    .g_space = 2,
                                    .g_space_turning = 3,
                                    .slides = true,
                                    .carries = 1};
