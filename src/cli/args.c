/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line arguments by a table of options. */
#include "cli/args.h"

#include "expr/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *option_name(const void *options, int i) { return ((const cli_option *)options)[i].name; }

/* "zeno: BEFORE WHAT AFTER", then the usage; false, for returning. */
static bool complain(const char *usage, const char *before, const char *what, const char *after) {
    fprintf(stderr, "zeno: %s%s%s\nusage: %s\n", before, what, after, usage);
    return false;
}

static const cli_option *find(const char *text, size_t length, int n, const cli_option *options) {
    for (int i = 0; i < n; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, text, length) == 0) return &options[i];
    return NULL;
}

/* Of NAME=VALUE among earlier values of a repeated option: of two values for one name neither can be meant. */
static bool is_named_again(const cli_option *option, const char *value) {
    size_t length = strcspn(value, "=") + 1;
    for (int i = 0; value[length - 1] && i < *option->count; i++)
        if (strncmp(option->value[i], value, length) == 0) return true;
    return false;
}

static bool take(const cli_option *option, const char *value, const char *usage) {
    if (option->flag) {
        if (value) return complain(usage, "", option->name, " takes no value");
        *option->flag = true;
    } else if (option->count) {
        if (*option->count == option->max) return complain(usage, "", option->name, " is given too often");
        if (is_named_again(option, value)) return complain(usage, option->name, " has this name twice: ", value);
        option->value[(*option->count)++] = value;
    } else *option->value = value;
    return true;
}

bool cli_parse(int argc, char **argv, const char *usage, int n_options, const cli_option *options, int max_positional,
               const char **positional, int *n_positional) {
    *n_positional = 0;
    bool only_positional = false;
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        if (!only_positional && strcmp(text, "--") == 0) {
            only_positional = true;
        } else if (only_positional || text[0] != '-' || !text[1]) {
            if (*n_positional == max_positional) return complain(usage, "one argument too many: ", text, "");
            positional[(*n_positional)++] = text;
        } else {
            const char *equal = strchr(text, '=');
            const cli_option *option = find(text, equal ? (size_t)(equal - text) : strlen(text), n_options, options);
            if (!option) {
                const char *near = expr_nearest_name(text, n_options, option_name, options);
                if (near) fprintf(stderr, "zeno: did you mean %s?\n", near);
                return complain(usage, "there is no option ", text, "");
            }
            const char *value = equal ? equal + 1 : NULL;
            if (!option->flag && !value && ++i == argc) return complain(usage, "", option->name, " needs a value");
            if (!option->flag && !value) value = argv[i];
            if (!take(option, value, usage)) return false;
        }
    }
    return true;
}

bool cli_number(const char *option, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value)) return true;
    fprintf(stderr, "zeno: %s needs a number, not '%s'\n", option, text);
    return false;
}
