/* SPDX-License-Identifier: Apache-2.0 */
/* Spherical: the origins of a and b coincide, rotations are free.
 *
 *     g = d      (2 rows in the plane, where it is a revolute joint; 3 in space) */
#include "model/parts/joint.h"

static void express(joint_sketch *j) { joint_same_point(j); }

const joint_type joint_spherical = {
    .what = "spherical joint", .meets = true, .express = express, .glyph = GLYPH_JOINT, .g_plane = 2, .g_space = 3};
