/* SPDX-License-Identifier: Apache-2.0 */
/* What commands on scenes share: a context that reports on standard error, and settings overridden by options. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/args.h"
#include "scheme/settings.h"
#include "zeno/zeno.h"

enum { CLI_MAX_SETS = 64, CLI_MAX_OPTIONS = SETTINGS_MOST + 16 };

typedef struct cli_scene_options {
    char names[SETTINGS_MOST][32];     /* of options, in the order of the table of settings */
    const char *values[SETTINGS_MOST]; /* NULL: not given */
    const char *sets[CLI_MAX_SETS];
    int n_sets;
} cli_scene_options;

/* Adds an option for each setting to a table of n options, but `except` (may be NULL) and those that are there already, and --set; returns
 * how many there are. */
int cli_add_settings(cli_option *, int n, cli_scene_options *, const char *except);

zn_context *cli_context(bool quiet);
/* Prints all errors of the context to standard error, each on a line that begins with "error: ". */
void cli_print_errors(zn_context *);
/* Loads the scene and applies the options. */
bool cli_load(zn_context *, const char *path, const cli_scene_options *, zn_scene **, zn_settings *);

/* "radau-2a:3" is the scheme radau-2a with 3 stages. */
bool cli_set_scheme(const char *text, zn_settings *);

#endif
