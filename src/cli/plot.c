/* SPDX-License-Identifier: Apache-2.0 */
/* zeno plot RESULT --x t --y NAME[,NAME...] --out FILE.svg|FILE.png [--title T] [--log x|y|xy] [--style lines|points] */
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/gnuplot.h"
#include "result/result.h"

#include <stdio.h>

typedef struct plot_options {
    const char *result, *x, *y, *out, *title, *log, *style;
} plot_options;

static const char usage[] = "zeno plot RESULT [--x NAME] --y NAME[,NAME...] --out FILE.svg|FILE.png\n"
                            "            [--title TEXT] [--log x|y|xy] [--style lines|points]";
static const char help[] =
    "  RESULT   what zeno run --out has written (.h5, .hdf5, .csv, also .partial)\n"
    "  --x      the column of the horizontal axis, t when not given; --x phi --y \"phi'\" gives a phase portrait\n"
    "  --y      one or more columns; a name with a comma in it goes in double quotes\n";

static int wrong(const char *sentence, const char *word) {
    fprintf(stderr, "zeno: %s%s\nusage: %s\n", sentence, word, usage);
    return CLI_USAGE;
}

static int check(const plot_options *options) {
    if (!options->result) return wrong("which result? Its file is missing", "");
    if (!options->y) return wrong("which columns? --y NAME[,NAME...] is missing", "");
    if (!options->out) return wrong("where to? --out FILE.svg or --out FILE.png is missing", "");
    if (!plot_path_ok(options->out)) return wrong("--out takes a name that ends with .svg or .png, not ", options->out);
    if (strcmp(options->log, "") != 0 && strcmp(options->log, "x") != 0 && strcmp(options->log, "y") != 0 &&
        strcmp(options->log, "xy") != 0)
        return wrong("--log is x, y or xy, not ", options->log);
    if (strcmp(options->style, "lines") != 0 && strcmp(options->style, "points") != 0)
        return wrong("--style is lines or points, not ", options->style);
    return CLI_OK;
}

/* Splits at commas outside of double quotes, in place. Returns the number of names. */
static int split_names(char *list, const char **names) {
    int n = 0;
    char *out = list;
    bool quoted = false;
    names[n++] = out;
    for (const char *c = list; *c; c++) {
        if (*c == '"' && quoted && c[1] == '"')
            *out++ = *c++;
        else if (*c == '"')
            quoted = !quoted;
        else if (*c == ',' && !quoted) {
            *out++ = '\0';
            names[n++] = out;
        } else
            *out++ = *c;
    }
    *out = '\0';
    return n;
}

/* A column that the result does not have is wrong usage; one that cannot be read is a failure. */
static int get_column(result_file *result, const char *name, plot_curve *curve, bool is_x) {
    int index;
    const double *values;
    if (result_find(result, name, &index) != ZN_OK) return CLI_USAGE;
    if (result_column(result, index, &values) != ZN_OK) return CLI_FAILED;
    curve->name = result_column_name(result, index);
    if (is_x)
        curve->x = values;
    else
        curve->y = values;
    return CLI_OK;
}

static int draw(zn_context *context, const plot_options *options, result_file *result, const char **names, int n) {
    plot_curve *curves = MEM_ARRAY(context, plot_curve, n), x = {0};
    if (!curves) return CLI_FAILED;
    int code = get_column(result, options->x, &x, true);
    for (int k = 0; k < n && code == CLI_OK; k++) {
        curves[k].x = x.x;
        code = get_column(result, names[k], &curves[k], false);
    }
    plot_def plot = {.title = options->title ? options->title : result_get_text(result, "title"),
                     .x_name = x.name,
                     .log_x = strchr(options->log, 'x') != NULL,
                     .log_y = strchr(options->log, 'y') != NULL,
                     .points = strcmp(options->style, "points") == 0,
                     .rows = result_rows(result),
                     .n_curves = n,
                     .curves = curves};
    if (code == CLI_OK && plot.rows == 0) {
        fail(context, ZN_FILE, "%s has no rows to plot", options->result);
        code = CLI_FAILED;
    }
    if (code == CLI_OK && plot_draw(context, &plot, options->out) != ZN_OK) code = CLI_FAILED;
    mem_free(context, curves);
    return code;
}

int cli_plot(int argc, char **argv) {
    plot_options options = {.x = "t", .log = "", .style = "lines"};
    bool want_help = false;
    const cli_option table[] = {{.name = "--x", .value = &options.x},     {.name = "--y", .value = &options.y},
                                {.name = "--out", .value = &options.out}, {.name = "--title", .value = &options.title},
                                {.name = "--log", .value = &options.log}, {.name = "--style", .value = &options.style},
                                {.name = "--help", .flag = &want_help}};
    int n_positional;
    if (!cli_parse(argc, argv, usage, sizeof table / sizeof *table, table, 1, &options.result, &n_positional))
        return CLI_USAGE;
    if (want_help) {
        printf("usage: %s\n%s", usage, help);
        return CLI_OK;
    }
    int code = check(&options);
    if (code != CLI_OK) return code;

    zn_context *context = zn_context_create(NULL);
    result_file *result = NULL;
    char *list = context ? mem_text(context, options.y) : NULL;
    const char **names = list ? MEM_ARRAY(context, const char *, strlen(list) + 1) : NULL;
    if (!names || result_open(context, options.result, &result) != ZN_OK)
        code = CLI_FAILED;
    else
        code = draw(context, &options, result, names, split_names(list, names));
    if (code != CLI_OK) fprintf(stderr, "%s\n", context ? zn_error_text(context) : zn_status_text(ZN_MEMORY));
    result_close(result);
    if (context) {
        mem_free(context, names);
        mem_free(context, list);
    }
    zn_context_destroy(context);
    return code;
}
