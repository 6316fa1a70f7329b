/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute: a hinge. The origins of a and b coincide and their axes z are parallel; b turns about z.
 *
 *     g = d                          (plane: x, y)
 *     g = (d, z_a.x_b, z_a.y_b)      (space)
 *
 * Velocity level: d' = v_b - v_a and (z_a.x_b)' = (omega_b - omega_a).(x_b x z_a) by differentiation. */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    joint_same_point(j);
    if (!j->planar && j->turns) joint_same_axis(j);
}

const joint_type joint_revolute = {.what = "revolute joint",
                                   .meets = true,
                                   .express = express,
                                   .glyph = GLYPH_JOINT,
                                   .g_plane = 2,
                                   .g_space = 3,
                                   .g_space_turning = 2,
                                   .turns = true,
                                   .carries = 2};
