/* SPDX-License-Identifier: Apache-2.0 */
/* Spline beams for tests: of length 1 along x unless said otherwise, with joints and loads at their ends. */
#ifndef TESTS_SPLINE_FIXTURE_H
#define TESTS_SPLINE_FIXTURE_H

#include "check.h"
#include "model/parts_mechanisms.h"
#include "model/statics.h"

typedef struct setup {
    zn_context *context;
    zn_parts *parts;
    zn_flexible beam;
    zn_model *model;
} setup;

static inline zn_flexible_def beam_def(int degree, int elements) {
    zn_flexible_def def = zn_default_flexible_def();
    def.name = "beam";
    def.type = ZN_FLEXIBLE_SPLINE_BEAM;
    def.order = degree;
    def.elements = elements;
    def.to[0] = 1;
    def.EA = 1e3;
    def.EI[0] = 1;
    def.line_density = 1;
    return def;
}

static inline void must(setup *s, zn_status status) {
    if (status != ZN_OK) fail_msg("%s", zn_error_text(s->context));
}

static inline setup setup_begin(const zn_flexible_def *def) {
    setup s = {.context = zn_context_create(NULL)};
    s.parts = zn_parts_create(s.context);
    must(&s, zn_parts_flexible(s.parts, def, &s.beam));
    return s;
}

static inline void setup_build(setup *s) { must(s, zn_parts_build(s->parts, &s->model)); }

static inline void setup_end(setup *s) {
    if (s->model) zn_model_destroy(s->context, s->model);
    zn_parts_destroy(s->parts);
    zn_context_destroy(s->context);
}

static inline zn_frame setup_section(setup *s, double at) {
    zn_frame frame;
    must(s, zn_parts_section(s->parts, s->beam, at, NULL, NULL, NULL, &frame));
    return frame;
}

/* A joint of the section at s with the world, where it is at the start. */
static inline void setup_joint(setup *s, const char *name, zn_joint_type type, double at, const double place[3]) {
    zn_joint_def joint = zn_default_joint_def();
    joint.name = name;
    joint.type = type;
    must(s, zn_parts_frame_at(s->parts, zn_parts_world(s->parts), NULL, place, NULL, &joint.a));
    joint.b = setup_section(s, at);
    must(s, zn_parts_joint(s->parts, &joint));
}

/* Force and moment (formulas; NULL: none) on the section at s. */
static inline void setup_load(setup *s, const char *name, double at, const char *x, const char *y, const char *moment) {
    zn_force_def force = zn_default_force_def();
    force.name = name;
    force.type = ZN_FORCE_BODY;
    force.a = setup_section(s, at);
    if (x) force.force[0] = ZN_FORMULA(x);
    if (y) force.force[1] = ZN_FORMULA(y);
    if (moment) force.torque[2] = ZN_FORMULA(moment);
    must(s, zn_parts_force(s->parts, &force));
}

/* Clamped at the origin. */
static inline setup cantilever(const zn_flexible_def *def, const char *x, const char *y, const char *moment) {
    setup s = setup_begin(def);
    setup_joint(&s, "clamp", ZN_JOINT_FIXED, 0, (double[3]){0, 0, 0});
    setup_load(&s, "load", 1, x, y, moment);
    setup_build(&s);
    return s;
}

/* Slope of log(error) by log(elements), between two of them. */
static inline double observed_order(double coarse, double fine, double ratio) { return log(coarse / fine) / log(ratio); }

#endif
