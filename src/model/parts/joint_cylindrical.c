/* SPDX-License-Identifier: Apache-2.0 */
/* Cylindrical (space): b slides along the axis of a and turns about it.
 *
 *     g = (d.x_a, d.y_a, z_a.x_b, z_a.y_b) */
#include "model/parts/joint.h"

void joint_cylindrical(joint_sketch *j) {
    joint_on_axis(j);
    if (j->turns) joint_same_axis(j);
}
