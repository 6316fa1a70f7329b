/* SPDX-License-Identifier: Apache-2.0 */
/* One element of the planar Euler-Bernoulli beam on control points r_i. With derivatives by the reference length s at Gauss
 * points (a_i = dN_i/ds, b_i = d^2 N_i/ds^2, w its share of the reference length)
 *
 *     r' = sum a_i r_i,   r'' = sum b_i r_i
 *     eps = |r'| - 1                                   stretch of the centre line
 *     kappa = (x' y'' - y' x'')/|r'|^2 - kappa_0       turn of the tangent by reference length, from the undeformed one
 *     V = sum w (EA eps^2 + EI kappa^2)/2,             N = EA (eps + tau eps'),   M = EI (kappa + tau kappa')
 *
 * Sections stay perpendicular to the centre line and have no inertia against turning. The mass matrix is constant. */
#include "model/parts/spline.h"

static expr weighted(sketch *k, int n, const expr *weights, int axis) {
    expr sum = sketch_constant(k, 0);
    for (int i = 0; i < n; i++) sum = sketch_add(k, sum, sketch_mul(k, weights[i], k->body[i].r.x[axis]));
    return sum;
}

/* eps and kappa. */
static void express_strains(sketch *k, int n, const expr *a, const expr *b, expr kappa_0, expr strains[2]) {
    expr x1 = weighted(k, n, a, 0), y1 = weighted(k, n, a, 1), x2 = weighted(k, n, b, 0), y2 = weighted(k, n, b, 1);
    expr square = sketch_add(k, sketch_mul(k, x1, x1), sketch_mul(k, y1, y1));
    expr turn = sketch_sub(k, sketch_mul(k, x1, y2), sketch_mul(k, y1, x2));
    strains[0] = sketch_sub(k, expr_unary(k->g, EXPR_SQRT, square), sketch_constant(k, 1));
    strains[1] = sketch_sub(k, sketch_div(k, turn, square), kappa_0);
}

static void express_mass(sketch *k, int n, evec g) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            expr m = sketch_parameter(k);
            for (int axis = 0; axis < 2; axis++) sketch_mass(k, k->body[i].u + axis, k->body[j].u + axis, m);
        }
    for (int i = 0; i < n; i++) sketch_potential(k, sketch_neg(k, sketch_mul(k, sketch_parameter(k), evec_dot(k, g, k->body[i].r))));
}

/* w stiffness (strain^2/2, and damping tau on its rate). Returns the stress. */
static expr express_stress(sketch *k, expr w, expr stiffness, const expr *tau, expr strain) {
    expr share = sketch_mul(k, w, stiffness), stress = sketch_mul(k, stiffness, strain);
    sketch_potential(k, sketch_mul(k, sketch_constant(k, 0.5), sketch_mul(k, share, sketch_mul(k, strain, strain))));
    if (!tau) return stress;
    expr rate = sketch_rate(k, strain), damping = sketch_mul(k, *tau, rate);
    sketch_power(k, sketch_neg(k, sketch_mul(k, share, damping)), rate);
    return sketch_add(k, stress, sketch_mul(k, stiffness, damping));
}

zn_status spline_express_element(zn_parts *parts, sketch *k, const parts_piece *piece) {
    (void)parts;
    int n = spline_variant_degree(piece->variant) + 1, points = spline_variant_points(piece->variant);
    bool damped = spline_variant_damped(piece->variant);
    express_mass(k, n, sketch_parameter3(k));
    expr EA = sketch_parameter(k), EI = sketch_parameter(k), tau = sketch_parameter(k);
    for (int i = 0; i < points; i++) {
        expr a[SPLINE_MOST_FUNCTIONS], b[SPLINE_MOST_FUNCTIONS], w = sketch_parameter(k), kappa_0 = sketch_parameter(k);
        for (int j = 0; j < n; j++) a[j] = sketch_parameter(k);
        for (int j = 0; j < n; j++) b[j] = sketch_parameter(k);
        expr strains[2], forces[2];
        express_strains(k, n, a, b, kappa_0, strains);
        forces[0] = express_stress(k, w, EA, damped ? &tau : NULL, strains[0]);
        forces[1] = express_stress(k, w, EI, damped ? &tau : NULL, strains[1]);
        flexible_express_outputs(k, spline_variant_record(piece->variant), 2, forces, strains);
    }
    return ZN_OK;
}
