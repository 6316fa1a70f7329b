/* SPDX-License-Identifier: Apache-2.0 */
/* Planar (space): b moves in the plane x, y of a and turns about its normal z.
 *
 *     g = (d.z_a, z_a.x_b, z_a.y_b) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    sketch_g(j->k, evec_dot(j->k, j->d, j->a.z));
    if (j->turns) joint_same_axis(j);
}

const joint_type joint_planar = {
    .what = "planar joint", .express = express, .g_space = 1, .g_space_turning = 2, .space_only = true, .turns = true};
