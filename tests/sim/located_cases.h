/* SPDX-License-Identifier: Apache-2.0 */
/* Systems with contact events whose motion is known: closed forms, or integration to 1e-13 between events that were found by root
 * finding. */
#ifndef TESTS_LOCATED_CASES_H
#define TESTS_LOCATED_CASES_H

#include "trial.h"

typedef struct located_case {
    const char *name, *scene, *set;
    double end;
    int steps;       /* of the coarsest grid */
    int n, at[8];    /* coordinates that are compared */
    double truth[8]; /* of them at the end */
    double known;    /* digits of the truth: errors below this say nothing */
} located_case;

#define DRAG_SCENE                                    \
    "coordinates: {q: 1}\n"                           \
    "energy: {kinetic: q'^2/2, potential: 9.81*q}\n"  \
    "forces: {q: -q'}\n"                              \
    "contacts: {floor: {gap: q, restitution: 0.7}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 1.2}\n"
#define WALL_SCENE                                                                                 \
    "coordinates: {x: 1, y: 0}\n"                                                                  \
    "energy: {kinetic: 1.25/2*(x'^2 + y'^2), potential: \"((x - 2)^2 + (y - 2)^2)/2 + 12.5*y\"}\n" \
    "constraints: {rod: {position: x^2 + y^2 - 1}}\n"                                              \
    "contacts: {wall: {gap: x - 0.3, restitution: 0.5}}\n"                                         \
    "simulation: {scheme: rattle, step: 0.1, end: 1.8}\n"
#define DOME_SCENE                                                                                       \
    "coordinates: {x: {start: 0, velocity: 1.5}, y: 1}\n"                                                \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"                                              \
    "contacts: {dome: {gap: sqrt(x^2 + y^2) - 1, slip: (x'*y - y'*x)/sqrt(x^2 + y^2), friction: 0.1}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 0.6}\n"
#define BOUNCING_SLOPE_SCENE                                \
    "coordinates: {x: {start: 0, velocity: 0.5}, y: 1.2}\n" \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n" \
    "contacts:\n"                                           \
    "  slope:\n"                                            \
    "    gap: (y - exp(-x))/sqrt(1 + exp(-2*x))\n"          \
    "    slip: (x' - exp(-x)*y')/sqrt(1 + exp(-2*x))\n"     \
    "    friction: 0.3\n"                                   \
    "    restitution: 0.5\n"                                \
    "simulation: {scheme: rattle, step: 0.1, end: 1.6}\n"
#define BOUNCING_PLANE_SCENE                                                   \
    "coordinates: {x: {start: 0, velocity: 3}, y: 0.05}\n"                     \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"                  \
    "contacts: {floor: {gap: y, slip: x', friction: 0.1, restitution: 0.7}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 1.2}\n"

#define PLANE_SCENE(forces)                                        \
    "coordinates: {x: 0, y: 0, z: 0}\n"                            \
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 10*z}\n" \
    "forces: " forces "\n"                                         \
    "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.3}}\n" \
    "simulation: {scheme: rattle, step: 0.1, end: 1}\n"

static const located_case DRAG = {"ball with drag", DRAG_SCENE, NULL, 1.2, 16, 1, {0}, {0.0945175857721}, 1e-13};
static const located_case WALL = {"wall pendulum", WALL_SCENE, NULL, 1.8, 36, 2, {0, 1}, {0.4647303654626, -0.8854522502185}, 1e-12};
static const located_case CYLINDER = {
    "ball in cylinder", "ball-in-cylinder", NULL, 1, 20, 3, {0, 1, 2}, {0.8083990527902, -0.3955893975423, -12.2475438038194}, 1e-11};
static const located_case BELT = {"belt", "block-on-belt-light", NULL, 12, 48, 1, {0}, {0.9900607480062}, 1e-12};
static const located_case DOME = {"dome", DOME_SCENE, NULL, 0.6, 16, 2, {0, 1}, {1.0292029910148, 0.2426033670210}, 1e-12};
static const located_case CRANK = {"slider-crank", "slider-crank", NULL, 0.0022, 11, 2, {2, 8}, {0.2995439152072, 0.0076215671549}, 1e-12};
static const located_case CRANK_LONG = {"slider-crank, accumulation", "slider-crank", NULL, 0.004, 20, 2, {2, 8},
                                        {0.4867206552, 0.0042062756}, 1e-10};
static const located_case SLIDER = {
    "spring slider to rest", "spring-slider", "mu=0.5", 1, 20, 2, {0, 1}, {0.7647555442167, 0.3705946833787}, 1e-12};
static const located_case SLOPE = {"bouncing slope", BOUNCING_SLOPE_SCENE, NULL, 1.6, 20, 2, {0, 1}, {2.71299742, 0.06633767}, 1e-8};

/* Slip that turns round: x' = -7 + 8 exp(-t) up to t1 = ln(8/7), then -3 (1 - exp(t1 - t)). */
#define TURN_SCENE                                                \
    "coordinates: {x: {start: 0, velocity: 1}, y: 0}\n"           \
    "energy: {kinetic: (x'^2 + y'^2)/2, potential: 5*x + 10*y}\n" \
    "forces: {x: -x'}\n"                                          \
    "contacts: {floor: {gap: y, slip: x', friction: 0.2}}\n"      \
    "simulation: {scheme: rattle, step: 0.1, end: 1}\n"
__attribute__((unused)) static const located_case TURN = {"slip that turns round", TURN_SCENE, NULL, 1, 5, 1, {0},
                                                          {-0.7954265116573211},   1e-14};

/* Slip that is turned round and round: v = (2 - t) exp(20 i t), which ends at t = 2. */
#define CIRCLING_SCENE                                             \
    "coordinates: {x: {start: 0, velocity: 2}, y: 0, z: 0}\n"      \
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 10*z}\n" \
    "forces: {x: -20*y', y: 20*x'}\n"                              \
    "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1}}\n" \
    "simulation: {scheme: rattle, step: 0.02, end: 2.2}\n"
__attribute__((unused)) static const located_case CIRCLING = {
    "circling mass", CIRCLING_SCENE, NULL, 2.2, 110, 2, {0, 1}, {0.004167345154130655, 0.09813721709880163}, 1e-12};

/* Slip that begins by a force that grows and turns, or at the start. */
__attribute__((unused)) static const located_case PULLED = {"mass pulled on a plane",
                                                            PLANE_SCENE("{x: 4*t - x', y: 3*t^2}"),
                                                            NULL,
                                                            1.5,
                                                            20,
                                                            2,
                                                            {0, 1},
                                                            {0.38050511473050, 0.37504378092767},
                                                            1e-13};
__attribute__((unused)) static const located_case RELEASED = {"mass released on a plane",
                                                              PLANE_SCENE("{x: 5*cos(2*t), y: 4*t}"),
                                                              NULL,
                                                              0.7,
                                                              10,
                                                              2,
                                                              {0, 1},
                                                              {0.31847504954724, 0.11323126247558},
                                                              1e-13};

/* Slip to and fro along a line in the plane: it begins at |5 sin 5t| = 3, without a velocity, and ends 0.57599076 later. */
__attribute__((unused)) static const located_case SHAKEN = {"mass shaken on a plane",
                                                            PLANE_SCENE("{x: 4*sin(5*t), y: 3*sin(5*t)}"),
                                                            NULL,
                                                            3,
                                                            60,
                                                            2,
                                                            {0, 1},
                                                            {0.06727152112802741, 0.05045364084602056},
                                                            1e-12};

typedef struct located_outcome {
    double error, q[256]; /* the first coordinates at the end */
    zn_statistics statistics;
} located_outcome;

/* steps 0: step: auto with the accuracy. */
static inline located_outcome located_run_to(const located_case *c, const char *scheme, int stages, int steps, double accuracy) {
    located_outcome out = {0};
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    zn_scene_options options = {.n_sets = c->set ? 1 : 0, .sets = &c->set};
    char path[300];
    snprintf(path, sizeof path, "%s/scenes/%.100s.yaml", ZENO_SOURCE_DIR, c->scene);
    zn_status status = strchr(c->scene, '\n') ? zn_scene_parse(context, "test", c->scene, &options, &scene)
                                              : zn_scene_load(context, path, &options, &scene);
    assert_int_equal(status, ZN_OK);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme, settings.stages = stages, settings.step = steps ? c->end / steps : 0, settings.end = c->end;
    settings.step_auto = steps == 0, settings.accuracy = accuracy;
    settings.tolerance = 1e-13, settings.damping = 0.8, settings.contact_events = ZN_EVENTS_LOCATED;
    settings.friction_law = ZN_FRICTION_ACCUMULATED;
    status = zn_simulation_create(context, zn_scene_model(scene), &settings, &sim);
    if (status == ZN_OK) status = zn_simulation_run(sim, NULL, NULL);
    if (status != ZN_OK) print_error("%s, %s: %s\n", c->name, scheme, zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    for (int i = 0; i < c->n; i++) {
        double error = fabs(zn_simulation_positions(sim)[c->at[i]] - c->truth[i]);
        if (!(error <= out.error)) out.error = error;
    }
    for (int i = 0; i < 256 && i < zn_scene_model(scene)->size.nq; i++) out.q[i] = zn_simulation_positions(sim)[i];
    out.statistics = zn_simulation_statistics(sim);
    zn_simulation_destroy(sim);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return out;
}

static inline located_outcome located_run(const located_case *c, const char *scheme, int stages, int steps) {
    return located_run_to(c, scheme, stages, steps, 1e-6);
}

#endif
