/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the scenes with one scheme, for the tests of the projected Runge-Kutta schemes. */
#ifndef TESTS_SCHEME_PROJECTED_RUNS_H
#define TESTS_SCHEME_PROJECTED_RUNS_H

#include "check.h"

#include "zeno/scene.h"
#include "zeno/zeno.h"

#include <stdio.h>
#include <string.h>

typedef struct run {
    zn_context *context;
    zn_scene *scene;
    zn_simulation *simulation;
    const zn_model *model;
} run;

/* A scene of the library ("slope"), or a text that begins with "title:". `set` may be NULL. */
static inline zn_settings open_scene(run *r, const char *scene, const char *set) {
    *r = (run){.context = zn_context_create(NULL)};
    zn_scene_options options = {.n_sets = set != NULL, .sets = &set};
    zn_status status;
    if (strncmp(scene, "title:", 6) == 0) status = zn_scene_parse(r->context, "test", scene, &options, &r->scene);
    else {
        char path[1000];
        snprintf(path, sizeof path, "%s/scenes/%.100s.yaml", ZENO_SOURCE_DIR, scene);
        status = zn_scene_load(r->context, path, &options, &r->scene);
    }
    if (status != ZN_OK) print_error("%s\n", zn_error_text(r->context));
    assert_int_equal(status, ZN_OK);
    r->model = zn_scene_model(r->scene);
    return *zn_scene_settings(r->scene);
}

static inline void start_run(run *r, const zn_settings *settings) {
    zn_status status = zn_simulation_create(r->context, r->model, settings, &r->simulation);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(r->context));
    assert_int_equal(status, ZN_OK);
}

static inline void close_run(run *r) {
    zn_simulation_destroy(r->simulation);
    zn_scene_destroy(r->scene);
    zn_context_destroy(r->context);
}

static inline void step_run(run *r) {
    zn_status status = zn_simulation_step(r->simulation);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(r->context));
    assert_int_equal(status, ZN_OK);
}

static inline void finish_run(run *r) {
    while (!zn_simulation_done(r->simulation)) step_run(r);
}

typedef struct method {
    const char *name;
    int stages;
} method;

/* From the start to `end` in one call. */
static inline run run_scene(const char *scene, const char *set, method m, double step, double end) {
    run r;
    zn_settings settings = open_scene(&r, scene, set);
    settings.scheme = m.name, settings.stages = m.stages, settings.step = step, settings.end = end;
    start_run(&r, &settings);
    finish_run(&r);
    return r;
}

#endif
