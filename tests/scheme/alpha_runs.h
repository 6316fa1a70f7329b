/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of scenes with the generalized-alpha schemes, and what their tests look at. */
#ifndef TESTS_SCHEME_ALPHA_RUNS_H
#define TESTS_SCHEME_ALPHA_RUNS_H

#include "check.h"

#include "sim/simulation.h"
#include "zeno/zeno.h"

#include <stdio.h>

typedef struct run {
    zn_context *context;
    zn_scene *scene;
    zn_settings settings;
    zn_simulation *simulation;
    answers at; /* of run_accelerations */
} run;

/* A scene with replaced parameters (NULL-terminated list); settings may be changed until run_begin. */
static inline run run_load(const char *name, const char *scheme_name, const char *const *sets) {
    run r = {.context = zn_context_create(NULL)};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", ZENO_SOURCE_DIR, name);
    zn_scene_options options = {.sets = sets};
    while (sets && sets[options.n_sets]) options.n_sets++;
    if (zn_scene_load(r.context, path, &options, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    r.settings = *zn_scene_settings(r.scene);
    r.settings.scheme = scheme_name;
    r.settings.stages = 0;
    return r;
}

static inline void run_begin(run *r) {
    if (zn_simulation_create(r->context, zn_scene_model(r->scene), &r->settings, &r->simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(r->context));
    assert_int_equal(answers_create(r->context, zn_scene_model(r->scene), &r->at), ZN_OK);
}

static inline void run_step(run *r) {
    if (zn_simulation_step(r->simulation) != ZN_OK) fail_msg("%s", zn_error_text(r->context));
}

static inline void run_to_end(run *r) {
    while (!zn_simulation_done(r->simulation)) run_step(r);
}

static inline void run_free(run *r) {
    answers_destroy(r->context, &r->at);
    zn_simulation_destroy(r->simulation);
    zn_scene_destroy(r->scene);
    zn_context_destroy(r->context);
}

/* The scheme's a_n; lambda_n follows ab_n. */
static inline const double *run_acceleration(const run *r) { return r->simulation->now.carry; }
static inline const double *run_force(const run *r) { return r->simulation->now.carry + 2 * zn_scene_model(r->scene)->size.nu; }

/* Largest bilateral constraint on position, velocity and acceleration level. */
static inline void run_levels(run *r, double level[3]) {
    const zn_model *model = zn_scene_model(r->scene);
    zn_point point = {.t = zn_simulation_time(r->simulation),
                      .q = zn_simulation_positions(r->simulation),
                      .u = zn_simulation_velocities(r->simulation),
                      .a = run_acceleration(r)};
    model->constraints(model, r->at.work, &point, &(zn_constraints){.c0 = r->at.c0, .c1 = r->at.c1, .c2 = r->at.c2});
    level[0] = level[1] = level[2] = 0;
    for (int i = 0; i < model->size.ng; i++) {
        level[0] = fmax(level[0], fabs(r->at.c0[i]));
        level[1] = fmax(level[1], fabs(r->at.c1[i]));
        level[2] = fmax(level[2], fabs(r->at.c2[i]));
    }
}

/* q at the end of a run with this step. */
static inline void run_positions(const char *name, const char *scheme_name, zn_settings changes, double *q, double *u) {
    run r = run_load(name, scheme_name, NULL);
    double tolerance = changes.tolerance;
    r.settings.step = changes.step;
    r.settings.end = changes.end;
    if (changes.damping >= 0) r.settings.damping = changes.damping;
    if (changes.alpha) r.settings.alpha = changes.alpha;
    if (tolerance > 0) r.settings.tolerance = tolerance;
    run_begin(&r);
    run_to_end(&r);
    const zn_model *model = zn_scene_model(r.scene);
    memcpy(q, zn_simulation_positions(r.simulation), (size_t)model->size.nq * sizeof *q);
    memcpy(u, zn_simulation_velocities(r.simulation), (size_t)model->size.nu * sizeof *u);
    run_free(&r);
}

#endif
