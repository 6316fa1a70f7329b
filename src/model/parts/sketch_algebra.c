/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and matrices of expressions. */
#include "model/parts/sketch.h"

expr sketch_constant(sketch *k, double value) { return expr_constant(k->g, value); }

evec evec_zero(sketch *k) {
    expr zero = sketch_constant(k, 0);
    return (evec){{zero, zero, zero}};
}

evec evec_unit(sketch *k, int axis) {
    evec e = evec_zero(k);
    e.x[axis] = sketch_constant(k, 1);
    return e;
}

evec evec_add(sketch *k, evec a, evec b) {
    for (int i = 0; i < 3; i++) a.x[i] = sketch_add(k, a.x[i], b.x[i]);
    return a;
}

evec evec_sub(sketch *k, evec a, evec b) {
    for (int i = 0; i < 3; i++) a.x[i] = sketch_sub(k, a.x[i], b.x[i]);
    return a;
}

evec evec_scale(sketch *k, expr s, evec a) {
    for (int i = 0; i < 3; i++) a.x[i] = sketch_mul(k, s, a.x[i]);
    return a;
}

expr evec_dot(sketch *k, evec a, evec b) {
    expr sum = sketch_mul(k, a.x[0], b.x[0]);
    for (int i = 1; i < 3; i++) sum = sketch_add(k, sum, sketch_mul(k, a.x[i], b.x[i]));
    return sum;
}

evec evec_cross(sketch *k, evec a, evec b) {
    evec c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        c.x[i] = sketch_sub(k, sketch_mul(k, a.x[j], b.x[l]), sketch_mul(k, a.x[l], b.x[j]));
    }
    return c;
}

expr evec_norm(sketch *k, evec a) { return expr_unary(k->g, EXPR_SQRT, evec_dot(k, a, a)); }

evec emat_apply(sketch *k, emat A, evec a) {
    evec sum = evec_scale(k, a.x[0], A.column[0]);
    for (int i = 1; i < 3; i++) sum = evec_add(k, sum, evec_scale(k, a.x[i], A.column[i]));
    return sum;
}

evec emat_apply_transposed(sketch *k, emat A, evec a) {
    return (evec){{evec_dot(k, A.column[0], a), evec_dot(k, A.column[1], a), evec_dot(k, A.column[2], a)}};
}
