/* SPDX-License-Identifier: Apache-2.0 */
/* Sections: material points of flexible bodies, drawn from their carriers.
 *
 *     point    r = sum N_i r_i                                     numbers: N_i
 *     planar   r = sum N_i r_i,  phi = sum N_i phi_i, A = A(phi)   numbers: N_i
 *     spline   see spline_section.c
 *
 * The velocity has the same weights, so it is the rate of r, and omega is the rate of A. */
#include "model/parts/rod.h"
#include "model/parts/spline.h"

static void draw_point(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *N) {
    for (int i = 0; i < n; i++) {
        b->r = evec_add(k, b->r, evec_scale(k, N[i], carriers[i]->r));
        b->v = evec_add(k, b->v, evec_scale(k, N[i], carriers[i]->v));
    }
}

static void draw_planar(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *N) {
    draw_point(k, b, n, carriers, N);
    for (int i = 0; i < n; i++) {
        b->phi = sketch_add(k, b->phi, sketch_mul(k, N[i], carriers[i]->phi));
        b->omega = evec_add(k, b->omega, evec_scale(k, N[i], carriers[i]->omega));
    }
    b->A = sketch_planar_rotation(k, b->phi);
}

void sketch_section(sketch *k, sketch_body *b, int n, const sketch_body *const *carriers, const expr *numbers) {
    static section_draw *const draws[BODY_KIND_COUNT] = {
        [BODY_SECTION_POINT] = draw_point,
        [BODY_SECTION_PLANAR] = draw_planar,
        [BODY_SECTION_SPLINE] = spline_draw_section,
        [BODY_SECTION_ROD] = rod_draw_section,
    };
    if (draws[b->kind]) draws[b->kind](k, b, n, carriers, numbers);
}
