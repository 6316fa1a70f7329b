/* SPDX-License-Identifier: Apache-2.0 */
/* What commands on scenes share: a context that speaks on standard error, and settings overridden by options. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/args.h"
#include "zeno/zeno.h"

enum { CLI_MAX_SETS = 64 };

typedef struct cli_scene_options {
    const char *scheme, *step, *end, *solver, *restitution_law;
    const char *sets[CLI_MAX_SETS];
    int n_sets;
} cli_scene_options;

/* The entries of an option table for them: CLI_SCENE_OPTIONS(o), in an initialiser. */
#define CLI_SCENE_OPTIONS(o)                                                                                            \
    {"--scheme", &(o).scheme, NULL, NULL, 0}, {"--step", &(o).step, NULL, NULL, 0}, {"--end", &(o).end, NULL, NULL, 0}, \
        {"--solver", &(o).solver, NULL, NULL, 0}, {"--restitution-law", &(o).restitution_law, NULL, NULL, 0}, {         \
        "--set", (o).sets, NULL, &(o).n_sets, CLI_MAX_SETS                                                              \
    }

zn_context *cli_context(bool quiet);
/* Prints all errors of the context to standard error, each on a line that begins with "error: ". */
void cli_print_errors(zn_context *);
/* Loads the scene and applies the options. `scheme_name` (at least 64 characters) keeps the part of --scheme before ':'. */
bool cli_load(zn_context *, const char *path, const cli_scene_options *, zn_scene **, zn_settings *, char *scheme_name);

/* "radau-2a:3" is the scheme radau-2a with 3 stages. `name` keeps the part before ':'. */
bool cli_set_scheme(const char *text, zn_settings *, char *name, size_t room);

#endif
