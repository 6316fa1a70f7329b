/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes run with step: auto. */
#ifndef TESTS_SIM_CONTROL_RUNS_H
#define TESTS_SIM_CONTROL_RUNS_H

#include "check.h"

#include "zeno/zeno.h"

#include <stdio.h>
#include <string.h>

typedef struct control_run {
    zn_context *context;
    zn_scene *scene;
    zn_settings settings;
    zn_simulation *simulation;
} control_run;

static inline control_run control_load(zn_context *context, const char *name, const char *scheme, int stages, double accuracy, double end) {
    control_run r = {.context = context};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", ZENO_SOURCE_DIR, name);
    if (zn_scene_load(r.context, path, NULL, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    r.settings = *zn_scene_settings(r.scene);
    r.settings.scheme = scheme;
    r.settings.stages = stages;
    r.settings.step_auto = true;
    r.settings.step = 0;
    r.settings.accuracy = accuracy;
    r.settings.end = end;
    return r;
}

static inline void control_begin(control_run *r) {
    if (zn_simulation_create(r->context, zn_scene_model(r->scene), &r->settings, &r->simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(r->context));
}

static inline void control_close(control_run *r) {
    zn_simulation_destroy(r->simulation);
    zn_scene_destroy(r->scene);
    zn_context_destroy(r->context);
}

/* To the end, which must be met to the bit. */
static inline control_run control_run_scene(const char *name, const char *scheme, int stages, double accuracy, double end) {
    control_run r = control_load(zn_context_create(NULL), name, scheme, stages, accuracy, end);
    control_begin(&r);
    double t = 0;
    while (!zn_simulation_done(r.simulation)) {
        if (zn_simulation_step(r.simulation) != ZN_OK) fail_msg("%s %s: %s", name, scheme, zn_error_text(r.context));
        assert_true(zn_simulation_time(r.simulation) > t);
        t = zn_simulation_time(r.simulation);
    }
    check_close(t, end, 0);
    zn_statistics stats = zn_simulation_statistics(r.simulation);
    print_message("%s %s:%d accuracy %g: %ld steps, %ld rejected, %.3g to %.3g\n", name, scheme, stages, accuracy, stats.steps,
                  stats.rejected, stats.step_min, stats.step_max);
    return r;
}

/* Height of the bouncing ball (g = 9.81, e = 0.75, from rest at 1). */
static inline double bouncing_ball_height(double t) {
    const double g = 9.81, e = 0.75;
    double from = 0, rise = 0, next = sqrt(2 / g), speed = sqrt(2 * g);
    if (t < next) return 1 - g * t * t / 2;
    for (int k = 0; k < 200; k++) {
        from = next;
        rise = speed *= e;
        next = from + 2 * speed / g;
        if (t < next) return rise * (t - from) - g * (t - from) * (t - from) / 2;
    }
    return 0;
}

#endif
