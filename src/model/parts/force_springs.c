/* SPDX-License-Identifier: Apache-2.0 */
/* Springs with dampers: stiffness c, damping b, at rest for s = s0, where s is a length or an angle.
 *
 *     V = c/2 (s - s0)^2,    damper: force -b s' with power -b s'^2
 *
 *     spring           s = |d|;  at rest for s0 = 0:  V = c/2 d.d, damper -b d', smooth at d = 0
 *     linear spring    s = d.e,  e the axis of a
 *     torsion spring   s = angle from x_a to x_b about z: in the plane the difference of angles (with all their turns), in space
 *                      atan2(y_a.x_b, x_a.x_b) */
#include "model/parts/force.h"

static void express(sketch *k, expr s) {
    expr stiffness = sketch_parameter(k), damping = sketch_parameter(k), rest = sketch_parameter(k),
         rate = sketch_rate(k, s);
    expr stretch = sketch_sub(k, s, rest), half = sketch_constant(k, 0.5);
    sketch_potential(k, sketch_mul(k, sketch_mul(k, half, stiffness), sketch_mul(k, stretch, stretch)));
    sketch_power(k, sketch_neg(k, sketch_mul(k, damping, rate)), rate);
}

static void express_spring(force_sketch *f) {
    sketch *k = f->k;
    if (!(f->variant & FORCE_NO_LENGTH)) {
        express(k, evec_norm(k, f->d));
        return;
    }
    expr stiffness = sketch_parameter(k), damping = sketch_parameter(k);
    evec rate = evec_sub(k, f->b.v, f->a.v);
    sketch_parameter(k);
    sketch_potential(k, sketch_mul(k, sketch_mul(k, sketch_constant(k, 0.5), stiffness), evec_dot(k, f->d, f->d)));
    sketch_force(k, evec_scale(k, sketch_neg(k, damping), rate), rate);
}

static void express_linear_spring(force_sketch *f) { express(f->k, evec_dot(f->k, f->d, f->planar ? f->a.x : f->a.z)); }

static void express_torsion_spring(force_sketch *f) {
    sketch *k = f->k;
    if (f->planar)
        express(k, sketch_sub(k, k->body[f->b.body].phi, k->body[f->a.body].phi));
    else
        express(k, expr_binary(k->g, EXPR_ATAN2, evec_dot(k, f->a.y, f->b.x), evec_dot(k, f->a.x, f->b.x)));
}

const force_type force_spring = {.what = "spring", .spring = express_spring, .two_frames = true};
const force_type force_linear_spring = {.what = "linear spring", .spring = express_linear_spring, .two_frames = true};
const force_type force_torsion_spring = {
    .what = "torsion spring", .spring = express_torsion_spring, .two_frames = true, .needs_turning = true};
