/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of contacts without a builder, at random states of their two bodies. */
#ifndef TESTS_MODEL_CONTACT_FIXTURE_H
#define TESTS_MODEL_CONTACT_FIXTURE_H

#include "check.h"

#include "linalg/geometry.h"
#include "model/model.h"
#include "model/parts/contact.h"
#include "zeno/zeno.h"

#include <stdlib.h>
#include <string.h>

static inline double noise(void) { return 2 * (double)rand() / RAND_MAX - 1; }

static inline vec3 noise3(void) { return (vec3){noise(), noise(), noise()}; }

static inline vec3 random_direction(void) {
    vec3 a = noise3();
    return vec3_scale(1 / sqrt(vec3_dot(a, a)), a);
}

/* One contact at one state. */
typedef struct contact_case {
    contact_variant variant;
    body_kind body[2];
    contact_numbers numbers;
    double variables[400]; /* t, q, u, a, lambda, numbers */
} contact_case;

static inline bool case_is_planar(const contact_case *c) { return body_is_planar(c->body[0]) && body_is_planar(c->body[1]); }

static inline void put(double *to, vec3 a, bool planar) {
    if (planar) a.z = 0;
    vec3_store(vec3_scale(1 / (planar ? sqrt(vec3_dot(a, a)) : 1), a), to);
}

/* Shapes of random sizes near their bodies, which are about one apart. */
static inline void random_numbers(contact_case *c) {
    contact_numbers *n = &c->numbers;
    bool planar = case_is_planar(c);
    put(n->a_axis, random_direction(), planar), put(n->b_axis, random_direction(), planar);
    put(n->pole, random_direction(), false), put(n->reference, random_direction(), false);
    if (c->variant.frame == CONTACT_TURNED || c->variant.frame == CONTACT_FIXED) { /* at right angles to what it turns with */
        vec3 p = vec3_from(c->variant.frame == CONTACT_TURNED ? n->pole : n->b_axis), r = vec3_from(n->reference);
        r = vec3_add_scaled(r, -vec3_dot(r, p), p);
        vec3_store(vec3_scale(1 / sqrt(vec3_dot(r, r)), r), n->reference);
    }
    for (int i = 0; i < 3; i++) {
        n->a_point[i] = 0.2 * noise(), n->b_point[i] = 0.2 * noise(), n->b_velocity[i] = noise(), n->a_velocity[i] = noise();
        if (planar && i == 2) n->a_point[i] = n->b_point[i] = n->b_velocity[i] = n->a_velocity[i] = 0;
        for (int j = 0; j < 3; j++) n->b_axes[3 * j + i] = i == j;
    }
    const double ellipsoid[9] = {0.04, 0.01, 0, 0.01, 0.09, 0, 0, 0, 0.0625};
    memcpy(n->a_matrix, ellipsoid, sizeof ellipsoid);
    const double inverse[9] = {9, 1, 0, 1, 16, 2, 0, 2, 25}; /* of a surface */
    if (c->variant.surface == FEATURE_ELLIPSOID) memcpy(n->b_axes, inverse, sizeof inverse);
    n->a_radius = c->variant.surface == FEATURE_SURFACE ? 0 : 0.1 + 0.1 * fabs(noise());
    n->b_radius = 0.3, n->b_half_length = 0.5;
    n->b_side = rand() % 2 && c->variant.surface != FEATURE_SEGMENT ? -1 : 1;
    for (int i = 0; i < CONTACT_MOST_ROWS; i++) n->scale[i] = 0.5 + fabs(noise());
    n->stribeck_size = 0.3, n->stribeck_rate = 2, n->normal_force = 1.7;
}

static inline void random_state(contact_case *c, const formula_system *s) {
    for (int i = 0; i < s->parameter; i++) c->variables[i] = noise();
    for (int b = 0, q = s->q; b < 2; q += body_nq(c->body[b++])) {
        for (int i = 0; i < body_nq(c->body[b]) && i < 2; i++) c->variables[q + i] += b ? -0.6 : 0.6;
        if (c->body[b] == BODY_SPATIAL) c->variables[q + 3] += 1;
    }
    memcpy(c->variables + s->parameter, &c->numbers, sizeof c->numbers);
}

static inline zn_status begin(zn_context *context, contact_case *c, sketch *k) {
    return sketch_begin(context, k, 2, c->body, contact_rows(c->variant), CONTACT_NUMBERS);
}

/* An ellipse or ellipsoid, for surfaces by formula. */
static inline expr ellipse(sketch *k, bool planar) {
    expr f = sketch_constant(k, -1);
    for (int i = 0; i < (planar ? 2 : 3); i++) {
        expr x = expr_variable(k->g, contact_local(k) + i);
        f = sketch_add(k, f, sketch_mul(k, sketch_constant(k, 2 + i), sketch_mul(k, x, x)));
    }
    return f;
}

static inline vec3 value3(sketch *k, evec v, const double *variables) {
    return (vec3){expr_value(k->g, v.x[0], variables), expr_value(k->g, v.x[1], variables), expr_value(k->g, v.x[2], variables)};
}

#endif
