/* SPDX-License-Identifier: Apache-2.0 */
/* Springs with dampers and servos: forces on a length or angle s.
 *
 *     spring           s = |d|;  at rest for s0 = 0:  V = c/2 d.d, damper -b d', smooth at d = 0
 *     linear spring    s = d.e,  e the axis of a
 *     torsion spring   s = angle from x_a to x_b about z with its turns (joint_motion.c)
 *
 *     stiffness c, damping b, at rest for s = s0      V = c/2 (s - s0)^2,    damper: force -b s' with power -b s'^2
 *     side push: x = min(s - s0, 0), only where x < 0   V = c/2 x^2,    damper: -min(b s', -c x), so that it never pulls
 *     side pull: x = max(s - s0, 0), only where x > 0   V = c/2 x^2,    damper: -max(b s', -c x), so that it never pushes
 *     by a formula T(s, s', ...)                        force -T on s'
 *
 *     servo    f = K (r - s) + D (r' - s') for the target r(t, q), and with a limit L the point of [-L, L] nearest to that:
 *              K (r - s) + D (r' - s') - f in N_[-L, L](f).  Exact derivatives on each side: implicit schemes solve it with the step. */
#include "model/parts/force.h"

static expr smallest(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_MIN, a, b); }
static expr largest(sketch *k, expr a, expr b) { return expr_binary(k->g, EXPR_MAX, a, b); }

/* ---- what they act on ---- */

static joint_motion length_motion(force_sketch *f, expr offset) {
    (void)offset;
    expr s = evec_norm(f->k, f->d);
    return (joint_motion){s, sketch_rate(f->k, s)};
}
static joint_motion axis_motion(force_sketch *f, expr offset) {
    (void)offset;
    return joint_displacement(f->k, &f->a, &f->b, f->planar);
}
static joint_motion angle_motion(force_sketch *f, expr offset) {
    joint_motion s = joint_angle(f->k, &f->a, &f->b, offset, f->mark);
    s.rate = sketch_rate(f->k, s.value);
    return s;
}

/* ---- by numbers ---- */

static expr next_number(force_sketch *f) { return f->numbers ? sketch_constant(f->k, *f->numbers++) : sketch_parameter(f->k); }

void force_act(force_sketch *f, expr force, expr rate) {
    if (f->value) *f->value = force;
    else sketch_power(f->k, force, rate);
}

static void express_smooth(force_sketch *f, expr s) {
    sketch *k = f->k;
    expr stiffness = next_number(f), damping = next_number(f), rest = next_number(f), rate = sketch_rate(k, s);
    expr stretch = sketch_sub(k, s, rest), half = sketch_constant(k, 0.5);
    if (f->value) {
        *f->value = sketch_neg(k, sketch_add(k, sketch_mul(k, stiffness, stretch), sketch_mul(k, damping, rate)));
        return;
    }
    sketch_potential(k, sketch_mul(k, sketch_mul(k, half, stiffness), sketch_mul(k, stretch, stretch)));
    sketch_power(k, sketch_neg(k, sketch_mul(k, damping, rate)), rate);
}

static void express_one_sided(force_sketch *f, joint_motion s, bool pushes) {
    sketch *k = f->k;
    expr stiffness = next_number(f), damping = next_number(f), rest = next_number(f), zero = sketch_constant(k, 0);
    expr x = sketch_sub(k, s.value, rest), half = sketch_constant(k, 0.5);
    expr acts = pushes ? expr_binary(k->g, EXPR_LESS, x, zero) : expr_binary(k->g, EXPR_LESS, zero, x);
    expr spring = sketch_mul(k, stiffness, x), damper = sketch_mul(k, damping, s.rate), most = sketch_neg(k, spring);
    damper = pushes ? smallest(k, damper, most) : largest(k, damper, most);
    if (f->value) {
        *f->value = expr_if(k->g, acts, sketch_neg(k, sketch_add(k, spring, damper)), zero);
        return;
    }
    sketch_potential(k, expr_if(k->g, acts, sketch_mul(k, half, sketch_mul(k, spring, x)), zero));
    sketch_power(k, expr_if(k->g, acts, sketch_neg(k, damper), zero), s.rate);
}

/* At rest where its points coincide. */
static void express_short(force_sketch *f) {
    sketch *k = f->k;
    expr stiffness = sketch_parameter(k), damping = sketch_parameter(k);
    evec rate = evec_sub(k, f->b.v, f->a.v);
    sketch_parameter(k);
    sketch_potential(k, sketch_mul(k, sketch_mul(k, sketch_constant(k, 0.5), stiffness), evec_dot(k, f->d, f->d)));
    sketch_force(k, evec_scale(k, sketch_neg(k, damping), rate), rate);
}

void force_express_spring(force_sketch *f, const force_type *type) {
    expr zero = sketch_constant(f->k, 0); /* what is at rest takes the place of the offset */
    if (f->variant & FORCE_NO_LENGTH && !f->value) express_short(f);
    else if (f->variant & (FORCE_PUSHES | FORCE_PULLS)) express_one_sided(f, type->motion(f, zero), f->variant & FORCE_PUSHES);
    else express_smooth(f, type->motion(f, zero).value);
}

/* ---- by formulas ---- */

static zn_status parse(zn_parts *parts, force_sketch *f, const parts_piece *piece, int n_locals, const expr_name *locals, expr *value) {
    expr_scope scope;
    zn_status status = parts_scope(parts, f->k, f->host, n_locals, locals, &scope);
    if (status != ZN_OK) return status;
    status = expr_parse(f->k->g, parts->context, &scope, formula_of(&piece->formulas[0]), value);
    parts_scope_free(parts, &scope);
    return status;
}

zn_status force_express_formula_spring(zn_parts *parts, force_sketch *f, const force_type *type, const parts_piece *piece) {
    sketch *k = f->k;
    next_number(f), next_number(f);
    joint_motion s = type->motion(f, sketch_neg(k, next_number(f)));
    const expr_name locals[] = {{type->has_angle ? "angle" : "length", s.value}, {"rate", s.rate}};
    expr T;
    zn_status status = parse(parts, f, piece, 2, locals, &T);
    if (status == ZN_OK) force_act(f, sketch_neg(k, T), s.rate);
    return status;
}

static zn_status express_servo(zn_parts *parts, force_sketch *f, const parts_piece *piece) {
    sketch *k = f->k;
    const force_type *type = force_types[f->variant & FORCE_TYPE_MASK];
    expr K = next_number(f), D = next_number(f), offset = next_number(f), limit = next_number(f), target;
    joint_motion s = type->has_angle ? angle_motion(f, offset) : axis_motion(f, offset);
    zn_status status = parse(parts, f, piece, 0, NULL, &target);
    if (status != ZN_OK) return status;
    if (expr_depends_range(k->g, target, k->s.u, k->s.size.nu))
        return formula_fail(parts->context, &piece->formulas[0], "target", "the target of a servo must not depend on velocities");
    expr missing = sketch_mul(k, K, sketch_sub(k, target, s.value));
    expr force = sketch_add(k, missing, sketch_mul(k, D, sketch_sub(k, sketch_rate(k, target), s.rate)));
    if (f->variant & FORCE_LIMITED) force = smallest(k, limit, largest(k, sketch_neg(k, limit), force));
    force_act(f, force, s.rate);
    return ZN_OK;
}

const force_type force_spring = {.what = "spring", .motion = length_motion, .two_frames = true};
const force_type force_linear_spring = {.what = "linear spring", .motion = axis_motion, .two_frames = true};
const force_type force_torsion_spring = {
    .what = "torsion spring", .motion = angle_motion, .two_frames = true, .needs_turning = true, .has_angle = true};
const force_type force_angle_servo = {.what = "angle servo",
                                      .formulas = express_servo,
                                      .two_frames = true,
                                      .needs_turning = true,
                                      .needs_value = true,
                                      .has_angle = true,
                                      .servo = true};
const force_type force_position_servo = {
    .what = "position servo", .formulas = express_servo, .two_frames = true, .needs_value = true, .servo = true};
