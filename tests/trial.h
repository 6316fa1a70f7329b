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

/* A text with the settings that it has itself; the status of the simulation. */
static inline zn_status trial_open(const char *text, trial *r) {
    *r = (trial){.context = zn_context_create(NULL)};
    assert_int_equal(zn_scene_parse(r->context, "test", text, NULL, &r->scene), ZN_OK);
    return zn_simulation_create(r->context, zn_scene_model(r->scene), zn_scene_settings(r->scene), &r->simulation);
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

/* The limit cycle of the woodpecker after 0.5 s: period, fall and the angle phi_S; least and largest phi_M. */
static inline void trial_woodpecker(const char *scheme, double phi_M[2]) {
    trial r = trial_begin("woodpecker", (trial_options){.scheme = scheme, .step = 2e-5, .end = 1.5});
    double last = 0, crossing = 0, y_crossing = 0, period = 0, fall = 0, low[2] = {0}, high[2] = {0};
    int cycles = -1;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double t = zn_simulation_time(r.simulation);
        const double *q = zn_simulation_positions(r.simulation);
        if (t > 0.5) {
            for (int i = 0; i < 2; i++) low[i] = fmin(low[i], q[i + 1]), high[i] = fmax(high[i], q[i + 1]);
            if (last < -0.2 && q[2] >= -0.2) {
                if (++cycles > 0) period += t - crossing, fall += q[0] - y_crossing;
                crossing = t, y_crossing = q[0];
            }
        }
        last = q[2];
    }
    print_message("%-20s period %.5f, fall %.5f, phi_M [%.5f, %.5f], phi_S [%.4f, %.4f]\n", scheme, period / cycles, fall / cycles, low[0],
                  high[0], low[1], high[1]);
    assert_true(cycles >= 5);
    check_close(period / cycles, 0.1459, 0.0002);
    check_close(fall / cycles, -0.0194, 0.0001);
    phi_M[0] = low[0], phi_M[1] = high[0];
    check_close(low[1], -0.530, 0.001);
    check_close(high[1], 0.120, 0.001);
    trial_end(&r);
}

#endif
