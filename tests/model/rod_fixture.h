/* SPDX-License-Identifier: Apache-2.0 */
/* Rods for tests: made by the public interface, examined through the model. */
#ifndef TESTS_MODEL_ROD_FIXTURE_H
#define TESTS_MODEL_ROD_FIXTURE_H

#include "check.h"
#include "model/parts_mechanisms.h"
#include "model/rod_statics.h"

#include "linalg/geometry.h"

typedef struct rod_model {
    zn_context *context;
    zn_parts *parts;
    zn_model *model;
    int nodes;
} rod_model;

/* A rod without gravity and load; nodes have the coordinates 7 i and velocities 6 i. */
static inline rod_model rod_begin(const zn_flexible_def *def) {
    rod_model r = {.context = zn_context_create(NULL)};
    zn_flexible rod;
    r.parts = zn_parts_create(r.context);
    zn_status status = zn_parts_flexible(r.parts, def, &rod);
    if (status == ZN_OK) status = zn_parts_build(r.parts, &r.model);
    if (status != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    r.nodes = zn_parts_node_count(r.parts, rod);
    return r;
}

static inline void rod_end(rod_model *r) {
    zn_model_destroy(r->context, r->model);
    zn_parts_destroy(r->parts);
    zn_context_destroy(r->context);
}

/* A straight rod of length 1 along x. */
static inline zn_flexible_def rod_def(int elements, int order) {
    zn_flexible_def def = zn_default_flexible_def();
    def.name = "rod", def.type = ZN_FLEXIBLE_ROD, def.elements = elements, def.order = order;
    def.to[0] = 1;
    def.EA = 200, def.GA[0] = 80, def.GA[1] = 70, def.GJ = 1.5, def.EI[0] = 1, def.EI[1] = 2;
    def.line_density = 0.7, def.rotary[0] = 0.01, def.rotary[1] = 0.02;
    return def;
}

/* The statics of a rod that is clamped at its start. */
static inline statics rod_clamped(const rod_model *r) {
    statics s = statics_begin(r->model);
    for (int i = 0; i < 6; i++) s.held[i] = true;
    return s;
}

static inline vec3 rod_position(const double *q, int node) { return vec3_from(q + 7 * node); }
static inline quat rod_rotation(const double *q, int node) { return quat_from(q + 7 * node + 3); }

#endif
