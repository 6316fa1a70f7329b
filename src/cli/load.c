/* SPDX-License-Identifier: Apache-2.0 */
/* What commands on scenes share. */
#include "cli/load.h"

#include "base/base.h"
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>

static void print_log(void *user, zn_log_level level, const char *message) {
    (void)user;
    fprintf(stderr, "%s%s\n", level == ZN_LOG_WARNING ? "warning: " : "", message);
}

zn_context *cli_context(bool quiet) {
    zn_context *context = zn_context_create(&(zn_context_def){.log = quiet ? NULL : print_log});
    if (!context) fprintf(stderr, "error: %s\n", zn_status_text(ZN_ERROR_MEMORY));
    return context;
}

/* A pile of thousands of bodies may have thousands of errors of one kind. */
enum { ERRORS_SHOWN = 20 };

void cli_print_errors(zn_context *context) {
    const char *text = zn_error_text(context);
    long shown = 0, more = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (shown < ERRORS_SHOWN) fprintf(stderr, "error: %.*s\n", (int)length, text), shown++;
        else more++;
        text += length + (text[length] == '\n');
    }
    if (more) fprintf(stderr, "error: and %ld more\n", more);
}

bool cli_set_scheme(const char *text, zn_settings *settings) {
    char why[200];
    if (settings_take_scheme(text, settings, why, sizeof why)) return true;
    fprintf(stderr, "error: %s\n", why);
    return false;
}

/* An option has the name of its setting, with - for _. */
int cli_add_settings(cli_option *options, int n, cli_scene_options *scene, const char *except) {
    int own = n;
    for (int i = 0; i < settings_count; i++) {
        char *name = scene->names[i];
        snprintf(name, sizeof scene->names[i], "--%s", settings_rows[i].name);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        bool skip = settings_rows[i].kind == SETTING_AUTO || (except && strcmp(name, except) == 0);
        for (int k = 0; k < own; k++) skip = skip || strcmp(options[k].name, name) == 0;
        if (!skip) options[n++] = (cli_option){name, &scene->values[i], NULL, NULL, 0};
    }
    options[n++] = (cli_option){"--set", scene->sets, NULL, &scene->n_sets, CLI_MAX_SETS};
    return n;
}

static bool set(const char *option, const setting *row, const char *text, zn_settings *settings) {
    char why[300];
    if (settings_take(row, option, text, settings, why, sizeof why)) return true;
    fprintf(stderr, "error: %s\n", why);
    return false;
}

bool cli_load(zn_context *context, const char *path, const cli_scene_options *options, zn_scene **scene, zn_settings *settings) {
    zn_scene_options sets = {.n_sets = options->n_sets, .sets = options->sets};
    progress_loading(true);
    zn_status loaded = zn_scene_load(context, path, &sets, scene);
    progress_loading(false);
    if (loaded != ZN_OK) {
        cli_print_errors(context);
        return false;
    }
    *settings = *zn_scene_settings(*scene);
    const char *chosen = settings->scheme;
    for (int i = 0; i < settings_count; i++)
        if (options->values[i] && !set(options->names[i], &settings_rows[i], options->values[i], settings)) return false;
    if (zn_scene_choice(*scene) && settings->scheme == chosen)
        log_message(context, ZN_LOG_INFO, "scheme %s: %s", chosen, zn_scene_choice(*scene));
    return true;
}
