/* SPDX-License-Identifier: Apache-2.0 */
/* Distance: a massless rod of length l between the origins of a and b.
 *
 *     g = (d.d - l^2)/(2 l)
 *
 * which is |d| - l to first order, smooth everywhere, and has the rod's force as its multiplier. */
#include "model/parts/joint.h"

static void express(joint_sketch *j) {
    sketch *k = j->k;
    expr square = sketch_sub(k, evec_dot(k, j->d, j->d), sketch_mul(k, j->extra, j->extra));
    sketch_g(k, sketch_div(k, square, sketch_mul(k, sketch_constant(k, 2), j->extra)));
}

const joint_type joint_distance = {
    .what = "distance joint", .express = express, .glyph = GLYPH_ROD, .g_plane = 1, .g_space = 1, .extra = JOINT_LENGTH};
