/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of scenes with chosen schemes and settings, for tests. */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include "check.h"

#include "zeno/zeno.h"

#include <stdio.h>
#include <string.h>

/* A body with velocities in its own frame, a constraint on them, and a floor with friction and restitution. */
#define BODY_FRAME_SCENE                                                                            \
    "parameters: {m: 1, J: 0.02, R: 0.1, g: 10}\n"                                                  \
    "coordinates: {x: 0, y: 0.3, phi: 0.2}\n"                                                       \
    "velocities: {v: 1, s: {start: 0.5}, w: {start: 2}}\n"                                          \
    "kinematics: {x: v*cos(phi) - s*sin(phi), y: v*sin(phi) + s*cos(phi), phi: w}\n"                \
    "mass: {v: m, s: m, w: J}\n"                                                                    \
    "force: {v: m*s*w - m*g*sin(phi), s: -m*v*w - m*g*cos(phi)}\n"                                  \
    "constraints: {tie: {velocity: w - 2*v}}\n"                                                     \
    "contacts:\n"                                                                                   \
    "  floor: {gap: y - R, slip: v*cos(phi) - s*sin(phi) + R*w, friction: 0.2, restitution: 0.5}\n" \
    "simulation: {scheme: rattle, step: 1e-2, end: 1}\n"

typedef struct trial {
    zn_context *context;
    zn_scene *scene;
    zn_simulation *simulation;
} trial;

typedef struct trial_options {
    const char *scheme;
    int stages;
    double step, end; /* 0: as in the scene */
    double tolerance; /* 0: as in the scene */
    zn_percussion percussion;
    zn_solver solver;
    int threads;     /* 0: as in the scene */
    const char *set; /* NULL, or one parameter: "NAME=EXPR" */
} trial_options;

static inline zn_settings trial_settings(const zn_scene *scene, const trial_options *o) {
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = o->scheme;
    settings.stages = o->stages;
    settings.solver = o->solver;
    if (o->step > 0) settings.step = o->step;
    if (o->end > 0) settings.end = o->end;
    if (o->tolerance > 0) settings.tolerance = o->tolerance;
    if (o->threads > 0) settings.threads = o->threads;
    if (o->percussion) settings.percussion = o->percussion;
    return settings;
}

/* `scene` is the name of a file in scenes/ without its ending, or a text with line breaks. */
static inline trial trial_begin(const char *scene, trial_options o) {
    trial r = {.context = zn_context_create(NULL)};
    zn_scene_options options = {.n_sets = o.set ? 1 : 0, .sets = &o.set};
    zn_status status;
    if (strchr(scene, '\n')) status = zn_scene_parse(r.context, "test", scene, &options, &r.scene);
    else {
        char path[300];
        snprintf(path, sizeof path, "%s/scenes/%.100s.yaml", ZENO_SOURCE_DIR, scene);
        status = zn_scene_load(r.context, path, &options, &r.scene);
    }
    if (status == ZN_OK) {
        zn_settings settings = trial_settings(r.scene, &o);
        status = zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation);
    }
    if (status != ZN_OK) print_error("%s: %s\n", scene, zn_error_text(r.context));
    assert_int_equal(status, ZN_OK);
    return r;
}

static inline void trial_step(trial *r) {
    zn_status status = zn_simulation_step(r->simulation);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(r->context));
    assert_int_equal(status, ZN_OK);
}

static inline void trial_run(trial *r) {
    while (!zn_simulation_done(r->simulation)) trial_step(r);
}

static inline trial trial_complete(const char *scene, trial_options o) {
    trial r = trial_begin(scene, o);
    trial_run(&r);
    return r;
}

static inline void trial_end(trial *r) {
    zn_simulation_destroy(r->simulation);
    zn_scene_destroy(r->scene);
    zn_context_destroy(r->context);
    *r = (trial){0};
}

static inline double trial_q(const trial *r, int i) { return zn_simulation_positions(r->simulation)[i]; }
static inline double trial_u(const trial *r, int i) { return zn_simulation_velocities(r->simulation)[i]; }

#endif
