/* SPDX-License-Identifier: Apache-2.0 */
/* Universal (Cardan, space): the origins coincide; the cross of the joint has one arm along z_a and one along x_b, which stay
 * perpendicular.
 *
 *     g = (d, z_a.x_b) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    joint_same_point(j);
    if (j->turns) sketch_g(j->k, evec_dot(j->k, j->a.z, j->b.x));
}

const joint_type joint_universal = {.what = "universal joint",
                                    .meets = true,
                                    .express = express,
                                    .glyph = GLYPH_JOINT,
                                    .g_space = 3,
                                    .g_space_turning = 1,
                                    .space_only = true};
