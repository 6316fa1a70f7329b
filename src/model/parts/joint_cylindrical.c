/* SPDX-License-Identifier: Apache-2.0 */
/* Cylindrical (space): b slides along the axis of a and turns about it.
 *
 *     g = (d.x_a, d.y_a, z_a.x_b, z_a.y_b) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    joint_on_axis(j);
    if (j->turns) joint_same_axis(j);
}

const joint_type joint_cylindrical = {.what = "cylindrical joint",
                                      .express = express,
                                      .glyph = GLYPH_JOINT,
                                      .g_space = 2,
                                      .g_space_turning = 2,
                                      .space_only = true,
                                      .turns = true,
                                      .slides = true};
