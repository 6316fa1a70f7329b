/* SPDX-License-Identifier: Apache-2.0 */
/* What commands on scenes share. */
#include "cli/load.h"

#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_log(void *user, zn_log_level level, const char *message) {
    (void)user;
    fprintf(stderr, "%s%s\n", level == ZN_LOG_WARNING ? "warning: " : "", message);
}

zn_context *cli_context(bool quiet) {
    zn_context *context = zn_context_create(&(zn_context_def){.log = quiet ? NULL : print_log});
    if (!context) fprintf(stderr, "error: %s\n", zn_status_text(ZN_MEMORY));
    return context;
}

void cli_print_errors(zn_context *context) {
    const char *text = zn_error_text(context);
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(stderr, "error: %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

bool cli_set_scheme(const char *text, zn_settings *settings, char *name, size_t room) {
    size_t length = strcspn(text, ":");
    if (length == 0 || length >= room) {
        fprintf(stderr, "error: --scheme needs a name, not '%s'\n", text);
        return false;
    }
    memcpy(name, text, length);
    name[length] = 0;
    settings->scheme = name;
    settings->stages = 0;
    if (!text[length]) return true;
    char *end;
    long stages = strtol(text + length + 1, &end, 10);
    if (end == text + length + 1 || *end || stages < 1 || stages > 1000) {
        fprintf(stderr, "error: the number of stages after ':' in --scheme %s must be a whole number from 1\n", text);
        return false;
    }
    settings->stages = (int)stages;
    return true;
}

static bool set_solver(const char *text, zn_solver *solver) {
    static const char *const names[] = {"auto", "newton", "projection"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) return *solver = (zn_solver)i, true;
    fprintf(stderr, "error: --solver is auto, newton or projection, not '%s'\n", text);
    return false;
}

static bool set_restitution_law(const char *text, zn_settings *settings) {
    static const char *const names[] = {"newton", "poisson", "energetic"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) return settings->restitution_law = names[i], true;
    fprintf(stderr, "error: --restitution-law is newton, poisson or energetic, not '%s'\n", text);
    return false;
}

static bool set_step(const char *text, zn_settings *settings) {
    settings->step_auto = strcmp(text, "auto") == 0;
    if (!settings->step_auto) return cli_number("--step", text, &settings->step);
    settings->step = 0;
    return true;
}

bool cli_load(zn_context *context, const char *path, const cli_scene_options *options, zn_scene **scene, zn_settings *settings, char *scheme_name) {
    zn_scene_options set = {options->n_sets, options->sets};
    progress_loading(true);
    zn_status loaded = zn_scene_load(context, path, &set, scene);
    progress_loading(false);
    if (loaded != ZN_OK) {
        cli_print_errors(context);
        return false;
    }
    *settings = *zn_scene_settings(*scene);
    if (options->scheme && !cli_set_scheme(options->scheme, settings, scheme_name, 64)) return false;
    if (options->step && !set_step(options->step, settings)) return false;
    if (options->end && !cli_number("--end", options->end, &settings->end)) return false;
    if (options->restitution_law && !set_restitution_law(options->restitution_law, settings)) return false;
    return !options->solver || set_solver(options->solver, &settings->solver);
}
