/* SPDX-License-Identifier: Apache-2.0 */
/* zeno check: everything but the run. */
#include "cli/commands.h"
#include "cli/session.h"

#include <stdio.h>

static const char usage[] = "zeno check SCENE [--scheme NAME[:STAGES]] [--set NAME=EXPR]...";

static void print_sizes(const zn_scene *scene, const zn_settings *settings) {
    const zn_model *model = zn_scene_model(scene);
    const zn_sizes *n = &model->size;
    printf("%s\n", zn_scene_title(scene));
    printf("  %d coordinates:", n->nq);
    for (int i = 0; i < n->nq; i++) printf(" %s", model->q_names[i]);
    printf("\n  %d velocities:", n->nu);
    for (int i = 0; i < n->nu; i++) printf(" %s", model->u_names[i]);
    printf("\n  kind: %s\n", model->lagrangian ? "natural, from energies" : model->natural ? "natural" : "first order, velocities of its own");
    if (n->ng) printf("  %d constraints on position level\n", n->ng);
    if (n->ny) printf("  %d constraints on velocity level\n", n->ny);
    for (int k = 0; k < n->n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        printf("  contact %s:", contact->name);
        if (contact->row_N < 0) printf(" normal force %g", contact->normal_force);
        else printf(" restitution %g", contact->e_N);
        for (int b = 0; b < contact->n_balls; b++) printf(", friction %g in %d dimension%s", contact->balls[b].mu, contact->balls[b].dim, contact->balls[b].dim == 1 ? "" : "s");
        printf("\n");
    }
    if (settings->step_auto) printf("  scheme %s, step auto with accuracy %g, end %g\n", settings->scheme, settings->accuracy, settings->end);
    else printf("  scheme %s, step %g, end %g\n", settings->scheme, settings->step, settings->end);
}

int cli_check(int argc, char **argv) {
    cli_scene_options scene_options = {0};
    const char *path = NULL;
    bool help = false;
    const cli_option options[] = {CLI_SCENE_OPTIONS(scene_options), {"--help", NULL, &help, NULL, 0}};
    int n_positional;
    if (!cli_parse(argc, argv, usage, sizeof options / sizeof *options, options, 1, &path, &n_positional)) return CLI_USAGE;
    if (help || !path) {
        fprintf(help ? stdout : stderr, "usage: %s\n", usage);
        return help ? CLI_OK : CLI_USAGE;
    }
    zn_context *context = cli_context(false);
    if (!context) return CLI_FAILED;
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_settings settings;
    char scheme_name[64];
    int exit_status = CLI_USAGE;
    if (cli_load(context, path, &scene_options, &scene, &settings, scheme_name)) {
        print_sizes(scene, &settings);
        if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) == ZN_OK) {
            printf("  the start is consistent\n");
            exit_status = CLI_OK;
        } else cli_print_errors(context);
    }
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return exit_status;
}
