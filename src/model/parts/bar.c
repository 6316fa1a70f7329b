/* SPDX-License-Identifier: Apache-2.0 */
/* Bar: linear elements on a line, nodes with one coordinate x along it, r_i = p0 + x_i d.
 *
 *     strain   eps = (x_2 - x_1)/l - 1,      V = EA l eps^2/2 - rho_A l g.(r_1 + r_2)/2
 *     damping  N_d = damping EA eps',        power -l N_d eps'
 *     mass     rho_A l/6 [2 1; 1 2],  lumped: rho_A l/2 [1 0; 0 1]                                                             */
#include "model/parts/flexible.h"

enum { VARIANT_LUMPED = 1, VARIANT_DAMPED = 2, VARIANT_RECORD = 4 };

static zn_status express(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    expr l = sketch_parameter(k), EA = sketch_parameter(k), mass = sketch_parameter(k), damping = sketch_parameter(k);
    evec g = sketch_parameter3(k);
    expr x1 = expr_variable(k->g, k->s.q), x2 = expr_variable(k->g, k->s.q + 1), half = sketch_constant(k, 0.5);
    expr strain = sketch_sub(k, sketch_div(k, sketch_sub(k, x2, x1), l), sketch_constant(k, 1));
    expr stiffness = sketch_mul(k, EA, l);
    sketch_potential(k, sketch_mul(k, sketch_mul(k, half, stiffness), sketch_mul(k, strain, strain)));
    expr felt = strain; /* strain + damping strain rate */
    if (piece->variant & VARIANT_DAMPED) {
        expr rate = sketch_rate(k, strain);
        sketch_power(k, sketch_neg(k, sketch_mul(k, sketch_mul(k, damping, stiffness), rate)), rate);
        felt = sketch_add(k, strain, sketch_mul(k, damping, rate));
    }
    expr N = sketch_mul(k, EA, felt);
    flexible_express_outputs(k, (unsigned)piece->variant / VARIANT_RECORD, 1, &N, &strain);
    evec middle = evec_scale(k, half, evec_add(k, k->body[0].r, k->body[1].r));
    sketch_potential(k, sketch_neg(k, sketch_mul(k, mass, evec_dot(k, g, middle))));
    const bool lumped = piece->variant & VARIANT_LUMPED;
    expr own = sketch_mul(k, sketch_constant(k, lumped ? 0.5 : 1.0 / 3), mass);
    sketch_mass(k, 0, 0, own);
    sketch_mass(k, 1, 1, own);
    if (!lumped) sketch_mass(k, 0, 1, sketch_mul(k, sketch_constant(k, 1.0 / 6), mass));
    return ZN_OK;
}

static zn_status make(zn_parts *parts, const zn_flexible_def *def, parts_flexible *f) {
    flexible_curve curve;
    flexible_material m;
    if (def->curve[0].text || def->curve[1].text || def->curvature != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the bar '%s' is straight: it has 'from' and 'to'", def->name);
    if (def->angular_velocity[2] != 0)
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the bar '%s' stays on its line: it has no angular velocity", def->name);
    zn_status status = flexible_curve_make(parts, def, &curve);
    if (status == ZN_OK) status = flexible_material_make(parts, def, 0, &m);
    if (status != ZN_OK) return status;
    vec3 along = vec3_sub(curve.to, curve.from), d = vec3_normalised(along);
    double length = vec3_norm(along), first = vec3_dot(curve.from, d), speed = vec3_dot(curve.velocity, d);
    vec3 p0 = vec3_sub(curve.from, vec3_scale(first, d)), across = vec3_sub(curve.velocity, vec3_scale(speed, d));
    if (vec3_norm(across) > 1e-12 * vec3_norm(curve.velocity))
        return fail(parts->context, ZN_ERROR_ARGUMENT, "the velocity of the bar '%s' must be along it", def->name);
    double numbers[6] = {p0.x, p0.y, p0.z, d.x, d.y, d.z};
    for (int i = 0; i <= f->n_elements && status == ZN_OK; i++) {
        double x = first + length * i / f->n_elements;
        parts_body node = {.kind = BODY_LINE, .start = x, .velocity = speed, .p = quat_identity(), .v = curve.velocity};
        node.r = vec3_add(p0, vec3_scale(x, d));
        node.n_numbers = 6, node.numbers = numbers;
        status = flexible_add_node(parts, f, &node);
    }
    const double l = length / f->n_elements, values[] = {l, m.EA, m.line_density * l, m.damping};
    parts_piece shape = {.express = express,
                         .variant =
                             (def->lumped ? VARIANT_LUMPED : 0) | (m.damping > 0 ? VARIANT_DAMPED : 0) | (int)f->record * VARIANT_RECORD,
                         .n_bodies = 2,
                         .n_parameters = 7,
                         .n_outputs = flexible_output_count(f, 1, 1),
                         .gravity = 5};
    for (int e = 0; e < f->n_elements && status == ZN_OK; e++) {
        parts_piece *piece = flexible_add_element(parts, f, &shape, (int[]){e, e + 1});
        if (!piece) return parts_last_status(parts);
        memcpy(piece->parameters, values, sizeof values);
        status = flexible_name_outputs(parts, f, piece, 1, 1, (const char *[]){"N"}, (const char *[]){"strain"});
    }
    return status;
}

const flexible_type flexible_bar = {.what = "bar",
                                    .element = "bar element",
                                    .least_order = 1,
                                    .most_order = 1,
                                    .default_order = 1,
                                    .planar = true,
                                    .section = BODY_SECTION_POINT,
                                    .make = make,
                                    .at = flexible_lagrange_section};
