/* SPDX-License-Identifier: Apache-2.0 */
/* Gear: two bodies that turn about axes of their own (revolute joints hold them) are coupled by the ratio i,
 *
 *     gamma = z_a.omega_a + i z_b.omega_b
 *
 * with i > 0 for wheels that turn in opposite directions (i = number of teeth of b / of a), i < 0 for a belt. */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    sketch *k = j->k;
    expr b = sketch_mul(k, j->extra, evec_dot(k, j->b.z, j->b.omega));
    sketch_gamma(k, sketch_add(k, evec_dot(k, j->a.z, j->a.omega), b));
}

const joint_type joint_gear = {.what = "gear", .express = express, .y_plane = 1, .y_space = 1, .extra = JOINT_RATIO,
                               .needs_turning = true};
