/* SPDX-License-Identifier: Apache-2.0 */
/* The section of a spline beam at xi, from the control points of its element:
 *
 *     r = sum N_i r_i,   e_x = r'/|r'| with r' = sum N_i' r_i,   omega = (x' vy' - y' vx')/|r'|^2,  v' = sum N_i' v_i
 *
 * Its angle is phi_0 + atan2(d x r', d.r') with d = (cos phi_0, sin phi_0): it jumps only half a turn away from the reference. */
#include "model/parts/spline.h"

static evec weighted_sum(sketch *k, int n, const expr *weights, const sketch_body *const *carriers, bool velocity) {
    evec sum = evec_zero(k);
    for (int i = 0; i < n; i++) sum = evec_add(k, sum, evec_scale(k, weights[i], velocity ? carriers[i]->v : carriers[i]->r));
    return sum;
}

static expr cross(sketch *k, evec a, evec b) { return sketch_sub(k, sketch_mul(k, a.x[0], b.x[1]), sketch_mul(k, a.x[1], b.x[0])); }

void spline_express_section(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *numbers) {
    const expr *N = numbers, *slopes = numbers + n, phi_0 = numbers[2 * n];
    evec tangent = weighted_sum(k, n, slopes, carriers, false), rate = weighted_sum(k, n, slopes, carriers, true);
    evec d = {{expr_unary(k->g, EXPR_COS, phi_0), expr_unary(k->g, EXPR_SIN, phi_0), sketch_constant(k, 0)}};
    expr length = evec_norm(k, tangent);
    b->r = weighted_sum(k, n, N, carriers, false);
    b->v = weighted_sum(k, n, N, carriers, true);
    b->A.column[0].x[0] = b->A.column[1].x[1] = sketch_div(k, tangent.x[0], length);
    b->A.column[0].x[1] = sketch_div(k, tangent.x[1], length);
    b->A.column[1].x[0] = sketch_neg(k, b->A.column[0].x[1]);
    b->omega.x[2] = sketch_div(k, cross(k, tangent, rate), evec_dot(k, tangent, tangent));
    b->phi = sketch_add(k, phi_0, expr_binary(k->g, EXPR_ATAN2, cross(k, d, tangent), evec_dot(k, d, tangent)));
}
