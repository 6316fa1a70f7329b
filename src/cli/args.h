/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line arguments by a table of options. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 }; /* exit statuses */

typedef struct cli_option {
    const char *name;   /* "--end" */
    const char **value; /* NULL for flags */
    bool *flag;         /* NULL for options with a value */
    int *count;         /* repeated options: value points to an array, *count entries used, at most max */
    int max;
} cli_option;

/* Fills options and up to max_positional other arguments; "--name=value" works too. On a mistake says so on standard error
 * (with the nearest option and the usage line) and returns false. */
bool cli_parse(int argc, char **argv, const char *usage, int n_options, const cli_option *options, int max_positional,
               const char **positional, int *n_positional);

/* A number, all of the text; otherwise a message naming the option, and false. */
bool cli_number(const char *option, const char *text, double *value);

#endif
