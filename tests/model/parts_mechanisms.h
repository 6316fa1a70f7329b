/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers that tests of parts share. */
#ifndef TESTS_PARTS_MECHANISMS_H
#define TESTS_PARTS_MECHANISMS_H

#include "check.h"
#include "zeno/zeno.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number in (-1, 1) from a seed. */
static inline double random_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1;
}

static inline void random_numbers(uint64_t *seed, int count, double *values) {
    for (int i = 0; i < count; i++) values[i] = random_number(seed);
}

/* A body of a type with random start and inertia. Prescribed: moves along a curve and turns. */
static inline zn_body_def random_body(uint64_t *seed, const char *name, zn_body_type type) {
    zn_body_def def = zn_default_body_def();
    bool planar = type == ZN_BODY_PARTICLE_2D || type == ZN_BODY_PLANAR;
    def.name = name;
    def.type = type;
    random_numbers(seed, planar ? 2 : 3, def.position);
    random_numbers(seed, planar ? 2 : 3, def.velocity);
    def.angle = random_number(seed);
    random_numbers(seed, 4, def.rotation);
    random_numbers(seed, 3, def.angular_velocity);
    def.mass = 1.5 + random_number(seed);
    const double inertia[6] = {1.1, 1.3, 1.2, 0.1, -0.2, 0.05};
    for (int i = 0; i < 6; i++) def.inertia[i] = inertia[i];
    if (type == ZN_BODY_PRESCRIBED) {
        def.motion[0] = ZN_FORMULA("0.3*sin(2*t) - 0.1");
        def.motion[1] = ZN_FORMULA("0.4*cos(t) + t^2");
        def.motion[2] = ZN_FORMULA("0.2*t");
        def.motion_angle = ZN_FORMULA("1.3*t + 0.2");
        def.motion_axis[0] = 1, def.motion_axis[1] = -0.5, def.motion_axis[2] = 2;
    }
    return def;
}

/* A random frame on a new random body; type: 1 + that of the body, 0: on the world. */
static inline zn_frame random_frame(zn_parts *parts, uint64_t *seed, int type, const char *name) {
    zn_body body = zn_parts_world(parts);
    if (type) {
        zn_body_def def = random_body(seed, name, (zn_body_type)(type - 1));
        assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    }
    bool planar = type == 1 || type == 3;
    double position[3] = {random_number(seed), random_number(seed), planar ? 0 : random_number(seed)};
    double rotation[4] = {random_number(seed), 0, 0, random_number(seed)};
    if (!planar) rotation[1] = random_number(seed), rotation[2] = random_number(seed);
    zn_frame frame;
    assert_int_equal(zn_parts_frame(parts, body, "f", position, rotation, &frame), ZN_OK);
    return frame;
}

/* Quaternions of length 1 to 1.5: near zero differences say nothing. */
static inline void scale_quaternions(const zn_model *model, uint64_t *seed, double *q) {
    for (int i = 0; i < model->size.nq; i++) {
        const char *dot = strrchr(model->q_names[i], '.');
        if (!dot || strcmp(dot, ".p0")) continue;
        double norm = sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
        double length = 1.25 + 0.25 * random_number(seed);
        for (int k = 0; k < 4; k++) q[i + k] *= length / norm;
    }
}

/* The worst error of all derivatives at a few random points. */
static inline double worst_derivative(zn_context *context, const zn_model *model, uint64_t *seed, const char **what) {
    const zn_sizes *n = &model->size;
    int rows = n->ng + n->ny + n->nN + n->nF;
    double *q = malloc(sizeof *q * (size_t)n->nq), *u = malloc(sizeof *u * (size_t)n->nu), *a = malloc(sizeof *a * (size_t)n->nu);
    double *lambda = malloc(sizeof *lambda * (size_t)(rows + 1)), worst = 0;
    for (int visit = 0; visit < 3; visit++) {
        random_numbers(seed, n->nq, q);
        scale_quaternions(model, seed, q);
        random_numbers(seed, n->nu, u);
        random_numbers(seed, n->nu, a);
        random_numbers(seed, rows, lambda);
        zn_derivative_check check;
        zn_point at = {0.7 + 0.2 * visit, q, u, a, lambda};
        if (zn_model_check_derivatives(context, model, &at, &check) != ZN_OK) worst = 1e99;
        else if (check.worst > worst) worst = check.worst, *what = check.what;
    }
    free(q), free(u), free(a), free(lambda);
    return worst;
}

#endif
