/* SPDX-License-Identifier: Apache-2.0 */
/* What commands on scenes share. */
#include "cli/load.h"

#include "cli/progress.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
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

static bool set_word(const char *option, const setting *row, const char *text, zn_settings *settings) {
    char words[120];
    for (int i = 0; i < row->n_words; i++)
        if (strcmp(text, row->words[i]) == 0) return setting_store(row, settings, i), true;
    setting_values_text(row, words, sizeof words);
    fprintf(stderr, "error: %s is one of %s, not '%s'\n", option, words, text);
    return false;
}

/* Whether numbers are in their range is found when the simulation is made. */
static bool set(const char *option, const setting *row, const char *text, zn_settings *settings) {
    double value;
    if (row->kind == SETTING_SCHEME) return cli_set_scheme(text, settings);
    if (row->words) return set_word(option, row, text, settings);
    if (row->kind == SETTING_STEP) settings->step_auto = strcmp(text, "auto") == 0, settings->step = 0;
    if (row->kind == SETTING_STEP && settings->step_auto) return true;
    if (!cli_number(option, text, &value)) return false;
    if (row->range.whole && (value != floor(value) || fabs(value) > INT_MAX))
        return fprintf(stderr, "error: %s needs a whole number, not '%s'\n", option, text), false;
    setting_store(row, settings, value);
    return true;
}

bool cli_load(zn_context *context, const char *path, const cli_scene_options *options, zn_scene **scene, zn_settings *settings) {
    zn_scene_options sets = {options->n_sets, options->sets};
    progress_loading(true);
    zn_status loaded = zn_scene_load(context, path, &sets, scene);
    progress_loading(false);
    if (loaded != ZN_OK) {
        cli_print_errors(context);
        return false;
    }
    *settings = *zn_scene_settings(*scene);
    for (int i = 0; i < settings_count; i++)
        if (options->values[i] && !set(options->names[i], &settings_rows[i], options->values[i], settings)) return false;
    return true;
}
