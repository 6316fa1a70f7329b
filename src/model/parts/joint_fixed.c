/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed: the frame b is welded to the frame a.
 *
 *     g = (d, x_a.y_b)                          (plane)
 *     g = (d, x_a.y_b, y_a.z_b, z_a.x_b)        (space) */
#include "model/parts/joint.h"

void joint_fixed(joint_sketch *j) {
    joint_same_point(j);
    if (j->turns) joint_same_rotation(j);
}
