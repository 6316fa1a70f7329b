/* SPDX-License-Identifier: Apache-2.0 */
/* simulation: how to simulate. */
#include "scene/scene.h"
#include "scheme/scheme.h"

#include <stdlib.h>

/* "radau-2a:3" is the scheme radau-2a with 3 stages. */
static void read_scheme(scene_loader *loader, const scene_node *node, zn_settings *settings) {
    const char *colon = strchr(node->text, ':');
    size_t length = colon ? (size_t)(colon - node->text) : strlen(node->text);
    settings->scheme = scene_copy(loader->arena, node->text, length);
    if (length == 0) scene_error(loader, node, "the scheme has no name");
    else if (settings->scheme && !scheme_find(settings->scheme)) {
        const char *near = scheme_nearest(settings->scheme);
        scene_error(loader, node, "there is no scheme '%s'%s%s%s; 'zeno schemes' lists them", settings->scheme, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
    if (!colon) return;
    char *end;
    long stages = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || stages < 1 || stages > 1000)
        scene_error(loader, node, "a scheme is written NAME or NAME:STAGES, with 1 stage or more");
    else
        settings->stages = (int)stages;
}

static void read_step(scene_loader *loader, const scene_node *node, zn_settings *settings) {
    settings->step_auto = !strcmp(node->text, "auto");
    if (!settings->step_auto) scene_want_number(loader, node, "step", scene_positive, &settings->step);
}

static void read_solver(scene_loader *loader, const scene_node *node, zn_settings *settings) {
    static const char *const words[] = {"auto", "newton", "projection"};
    static const zn_solver solvers[] = {ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION};
    int word = scene_want_word(loader, node, "solver", 3, words);
    if (word >= 0) settings->solver = solvers[word];
}

static void read_bool(scene_loader *loader, const scene_node *node, const char *what, bool *value) {
    static const char *const words[] = {"true", "false"};
    int word = scene_want_word(loader, node, what, 2, words);
    if (word >= 0) *value = word == 0;
}

static void read_word(scene_loader *loader, const scene_node *node, const char *what, int count, const char *const words[],
                      const char **value) {
    int word = node ? scene_want_word(loader, node, what, count, words) : -1;
    if (word >= 0) *value = words[word];
}

void scene_read_settings(scene_loader *loader, const scene_node *map) {
    static const char *const projections[] = {"velocity", "none"}, *const percussions[] = {"stage", "integrated"},
                             *const iterations[] = {"coupled", "decoupled"},
                             *const multiplier_kinds[] = {"starred", "printed"},
                             *const alphas[] = {"chung-hulbert", "hht", "newmark"}, *const starts[] = {"consistent", "zero"},
                             *const friction_laws[] = {"accumulated", "staged"},
                             *const restitution_laws[] = {"newton", "poisson", "energetic"};
    zn_settings *settings = loader->settings;
    const scene_node *scheme_node, *stages, *step, *end, *damping, *theta, *projection, *percussion, *iteration, *solver,
        *tolerance, *accuracy, *record_every, *record_step, *project_start, *alpha, *multipliers, *activation, *start_forces,
        *friction_law, *restitution_law;
    const int scalar = SCENE_SCALAR;
    const scene_key keys[] = {{"scheme", scalar, false, &scheme_node},
                              {"stages", scalar, false, &stages},
                              {"step", scalar, false, &step},
                              {"end", scalar, false, &end},
                              {"damping", scalar, false, &damping},
                              {"theta", scalar, false, &theta},
                              {"projection", scalar, false, &projection},
                              {"percussion", scalar, false, &percussion},
                              {"iteration", scalar, false, &iteration},
                              {"solver", scalar, false, &solver},
                              {"tolerance", scalar, false, &tolerance},
                              {"accuracy", scalar, false, &accuracy},
                              {"record_every", scalar, false, &record_every},
                              {"record_step", scalar, false, &record_step},
                              {"project_start", scalar, false, &project_start},
                              {"alpha", scalar, false, &alpha},
                              {"multipliers", scalar, false, &multipliers},
                              {"activation", scalar, false, &activation},
                              {"start_forces", scalar, false, &start_forces},
                              {"friction_law", scalar, false, &friction_law},
                              {"restitution_law", scalar, false, &restitution_law}};
    if (!scene_want_map(loader, map, "simulation", sizeof keys / sizeof *keys, keys)) return;
    if (scheme_node) read_scheme(loader, scheme_node, settings);
    if (stages) scene_want_integer(loader, stages, "stages", 1, &settings->stages);
    if (step) read_step(loader, step, settings);
    if (end) scene_want_number(loader, end, "end", scene_not_negative, &settings->end);
    if (damping) scene_want_number(loader, damping, "damping", scene_zero_to_one, &settings->damping);
    if (theta) scene_want_number(loader, theta, "theta", scene_zero_to_one, &settings->theta);
    if (tolerance) scene_want_number(loader, tolerance, "tolerance", scene_positive, &settings->tolerance);
    if (accuracy) scene_want_number(loader, accuracy, "accuracy", scene_positive, &settings->accuracy);
    if (record_every) scene_want_integer(loader, record_every, "record_every", 1, &settings->record_every);
    if (record_step) scene_want_number(loader, record_step, "record_step", scene_positive, &settings->record_step);
    if (solver) read_solver(loader, solver, settings);
    if (project_start) read_bool(loader, project_start, "project_start", &settings->project_start);
    read_word(loader, projection, "projection", 2, projections, &settings->projection);
    read_word(loader, percussion, "percussion", 2, percussions, &settings->percussion);
    read_word(loader, iteration, "iteration", 2, iterations, &settings->iteration);
    read_word(loader, alpha, "alpha", 3, alphas, &settings->alpha);
    read_word(loader, multipliers, "multipliers", 2, multiplier_kinds, &settings->multipliers);
    read_word(loader, start_forces, "start_forces", 2, starts, &settings->start_forces);
    read_word(loader, friction_law, "friction_law", 2, friction_laws, &settings->friction_law);
    read_word(loader, restitution_law, "restitution_law", 3, restitution_laws, &settings->restitution_law);
    if (activation) scene_want_integer(loader, activation, "activation", 1, &settings->activation);
}
