/* SPDX-License-Identifier: Apache-2.0 */
/* Sections: material points of flexible bodies, expressed by their carriers.
 *
 *     point    r = sum N_i r_i                                     numbers: N_i
 *     planar   r = sum N_i r_i,  phi = sum N_i phi_i, A = A(phi)   numbers: N_i
 *     spline   see spline_section.c
 *
 * The velocity has the same weights, so it is the rate of r, and omega is the rate of A. */
#include "model/parts/rod.h"
#include "model/parts/spline.h"

static void express_point(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *N) {
    for (int i = 0; i < n; i++) {
        b->r = evec_add(k, b->r, evec_scale(k, N[i], carriers[i]->r));
        b->v = evec_add(k, b->v, evec_scale(k, N[i], carriers[i]->v));
    }
}

static void express_planar(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *N) {
    express_point(k, b, n, carriers, N);
    for (int i = 0; i < n; i++) {
        b->phi = sketch_add(k, b->phi, sketch_mul(k, N[i], carriers[i]->phi));
        b->omega = evec_add(k, b->omega, evec_scale(k, N[i], carriers[i]->omega));
    }
    b->A = sketch_planar_rotation(k, b->phi);
}

void sketch_section(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *numbers) {
    static section_express *const express[BODY_KIND_COUNT] = {
        [BODY_SECTION_POINT] = express_point,
        [BODY_SECTION_PLANAR] = express_planar,
        [BODY_SECTION_SPLINE] = spline_express_section,
        [BODY_SECTION_ROD] = rod_express_section,
    };
    if (express[b->kind]) express[b->kind](k, b, n, carriers, numbers);
}
