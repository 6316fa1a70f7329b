/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling without slip on the plane z = 0 of b (in the plane: on its line y = 0), n its normal, R the radius.
 *
 * The contact point is the origin of a plus R e, where e points down: for a ball (and a disk in the plane) e = -n; for a thin
 * disk with axis z_a it is the lowest point of the rim,
 *     e = -(n - (n.z_a) z_a)/sqrt(1 - (n.z_a)^2).
 * Contact on position level, no slip on velocity level, with the velocity of the point of each body at the contact point:
 *     g     = n.(-d + R e)
 *     gamma = t.(v_a + omega_a x R e - v_b - omega_b x (R e - d))       t = x_b (, y_b)
 * g' is n.(the same relative velocity), because moving e along the rim does not change n.e to first order. */
#include "model/parts/joint.h"

static void roll(joint_sketch *j, evec e) {
    sketch *k = j->k;
    evec n = j->planar ? j->b.y : j->b.z;
    evec arm_a = evec_scale(k, j->extra, e), arm_b = evec_sub(k, arm_a, j->d); /* from the origins to the contact point */
    evec v_a = evec_add(k, j->a.v, evec_cross(k, j->a.omega, arm_a));
    evec v_b = evec_add(k, j->b.v, evec_cross(k, j->b.omega, arm_b));
    evec slip = evec_sub(k, v_a, v_b);
    sketch_g(k, evec_dot(k, n, arm_b));
    sketch_gamma(k, evec_dot(k, j->b.x, slip));
    if (!j->planar) sketch_gamma(k, evec_dot(k, j->b.y, slip));
}

static void express_rolling_ball(joint_sketch *j) { roll(j, evec_scale(j->k, sketch_constant(j->k, -1), j->planar ? j->b.y : j->b.z)); }

static void express_rolling_disk(joint_sketch *j) {
    if (j->planar) {
        express_rolling_ball(j);
        return;
    }
    sketch *k = j->k;
    evec n = j->b.z;
    expr tilt = evec_dot(k, n, j->a.z);
    evec in_disk = evec_sub(k, evec_scale(k, tilt, j->a.z), n);
    expr size = expr_unary(k->g, EXPR_SQRT, sketch_sub(k, sketch_constant(k, 1), sketch_mul(k, tilt, tilt)));
    roll(j, evec_scale(k, sketch_div(k, sketch_constant(k, 1), size), in_disk));
}

const joint_type joint_rolling_ball = {.what = "rolling ball",
                                       .express = express_rolling_ball,
                                       .glyph = GLYPH_ROLLING,
                                       .g_space = 1,
                                       .y_space = 2,
                                       .extra = JOINT_RADIUS,
                                       .space_only = true,
                                       .needs_turning = true};
const joint_type joint_rolling_disk = {.what = "rolling disk",
                                       .express = express_rolling_disk,
                                       .glyph = GLYPH_ROLLING,
                                       .g_plane = 1,
                                       .g_space = 1,
                                       .y_plane = 1,
                                       .y_space = 2,
                                       .extra = JOINT_RADIUS,
                                       .needs_turning = true};
