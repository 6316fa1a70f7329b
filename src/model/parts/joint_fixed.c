/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed: the frame b is welded to the frame a.
 *
 *     g = (d, x_a.y_b)                          (plane)
 *     g = (d, x_a.y_b, y_a.z_b, z_a.x_b)        (space) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    joint_same_point(j);
    if (j->turns) joint_same_rotation(j);
}

const joint_type joint_fixed = {.what = "fixed joint",
                                .meets = true,
                                .express = express,
                                .glyph = GLYPH_JOINT,
                                .g_plane = 2,
                                .g_plane_turning = 1,
                                .g_space = 3,
                                .g_space_turning = 3};
