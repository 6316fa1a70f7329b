/* SPDX-License-Identifier: Apache-2.0 */
/* Forces by formulas of t, parameters and coordinates of any body.
 *
 *     actuator         f on the rate of |d| (or of d.e, e the axis of a): positive pushes b away from a
 *     torque actuator  f on z_a.(omega_b - omega_a)
 *     body force       F at the origin of a, torque on its body; components in I or in the frame a
 *     field force      the same with names x, y, z, x', y', z' of the origin of a in I; or its potential V(x, y, z, t) */
#include "model/parts/force.h"

static zn_status express_actuator(zn_parts *parts, force_sketch *f, const parts_piece *piece) {
    sketch *k = f->k;
    expr_scope scope;
    expr value, rate;
    zn_status status = parts_scope(parts, k, f->host, 0, NULL, &scope);
    if (status != ZN_OK) return status;
    status = expr_parse(k->g, parts->context, &scope, formula_of(&piece->formulas[0]), &value);
    parts_scope_free(parts, &scope);
    if (status != ZN_OK) return status;
    if ((f->variant & FORCE_TYPE_MASK) == ZN_FORCE_TORQUE_ACTUATOR) rate = evec_dot(k, f->a.z, evec_sub(k, f->b.omega, f->a.omega));
    else if (f->variant & FORCE_ALONG_AXIS) rate = sketch_rate(k, evec_dot(k, f->d, f->planar ? f->a.x : f->a.z));
    else rate = sketch_rate(k, evec_norm(k, f->d));
    force_act(f, value, rate);
    return ZN_OK;
}

/* Components of a vector, given in I or in the frame a. */
static zn_status parse_vector(zn_parts *parts, force_sketch *f, const expr_scope *scope, const formula_text *texts, evec *out) {
    sketch *k = f->k;
    evec e;
    zn_status status = ZN_OK, one;
    for (int i = 0; i < 3; i++)
        if ((one = expr_parse(k->g, parts->context, scope, formula_of(&texts[i]), &e.x[i])) != ZN_OK) status = one;
    if (status != ZN_OK) return status;
    *out = f->variant & FORCE_IN_FRAME ? emat_apply(k, (emat){{f->a.x, f->a.y, f->a.z}}, e) : e;
    return ZN_OK;
}

static zn_status express_potential(zn_parts *parts, force_sketch *f, const expr_scope *scope, const formula_text *text) {
    sketch *k = f->k;
    expr V;
    if (!text->text) return ZN_OK;
    zn_status status = expr_parse(k->g, parts->context, scope, formula_of(text), &V);
    if (status != ZN_OK) return status;
    if (expr_depends_range(k->g, V, k->s.u, k->s.size.nu))
        return formula_fail(parts->context, text, "potential", "the potential of a field must not depend on velocities");
    sketch_potential(k, V);
    return ZN_OK;
}

static zn_status express_on_body(zn_parts *parts, force_sketch *f, const parts_piece *piece) {
    sketch *k = f->k;
    const expr_name locals[] = {{"x", f->a.p.x[0]},  {"y", f->a.p.x[1]},  {"z", f->a.p.x[2]},
                                {"x'", f->a.v.x[0]}, {"y'", f->a.v.x[1]}, {"z'", f->a.v.x[2]}};
    expr_scope scope;
    evec force, torque;
    bool field = (f->variant & FORCE_TYPE_MASK) == ZN_FORCE_FIELD;
    zn_status status = parts_scope(parts, k, piece, field ? 6 : 0, locals, &scope);
    if (status != ZN_OK) return status;
    status = express_potential(parts, f, &scope, &piece->formulas[0]);
    zn_status forces = parse_vector(parts, f, &scope, &piece->formulas[1], &force);
    zn_status torques = parse_vector(parts, f, &scope, &piece->formulas[4], &torque);
    parts_scope_free(parts, &scope);
    if (status == ZN_OK) status = forces == ZN_OK ? torques : forces;
    if (status != ZN_OK) return status;
    sketch_force(k, force, f->a.v);
    sketch_force(k, torque, f->a.omega);
    return ZN_OK;
}

const force_type force_actuator = {.what = "actuator", .formulas = express_actuator, .two_frames = true, .needs_value = true};
const force_type force_torque_actuator = {
    .what = "torque actuator", .formulas = express_actuator, .two_frames = true, .needs_turning = true, .needs_value = true};
const force_type force_body_force = {.what = "body force", .formulas = express_on_body};
const force_type force_field_force = {.what = "field force", .formulas = express_on_body};
