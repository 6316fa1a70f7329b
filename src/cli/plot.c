/* SPDX-License-Identifier: Apache-2.0 */
/* zeno plot RESULT... --x t --y NAME[,NAME...] --out FILE.svg|FILE.png: columns of one or more results as curves. */
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/plot_contacts.h"
#include "cli/plot_events.h"

#include <stdlib.h>

enum { MAX_RESULTS = 64, MAX_LABELS = 256, MAX_SIZE = 10000 };

typedef struct plot_options {
    const char *results[MAX_RESULTS], *labels[MAX_LABELS];
    const char *x, *y, *out, *title, *log, *style, *key, *x_label, *y_label, *x_range, *y_range, *size, *contacts, *at;
    int n_results, n_labels;
    bool equal, help;
} plot_options;

static const char usage[] = "zeno plot RESULT... [--x NAME] --y NAME[,NAME...] --out FILE.svg|FILE.png [--title TEXT] [--label TEXT]...\n"
                            "            [--log x|y|xy] [--style lines|points|both] [--x-label TEXT] [--y-label TEXT] [--equal]\n"
                            "            [--x-range LOW:HIGH] [--y-range LOW:HIGH] [--key right|below|off] [--size WIDTH,HEIGHT]\n"
                            "       zeno plot RESULT --contacts number|force|network [--at T] --out FILE.svg|FILE.png";
static const char help[] =
    "  RESULT   what zeno run --out has written (.h5, .hdf5, .csv, also .partial); several of them are compared in one picture\n"
    "  --x      the column of the horizontal axis, t when not given (of a study: what varies first); --x phi --y \"phi'\" gives a phase portrait\n"
    "  --y      one or more columns, or EVENT.COLUMN of a study (impact:floor.x, with --style points); a name with a comma in it goes in double quotes\n"
    "  --label  what the legend calls a curve, in the order of results and then columns\n"
    "  --contacts  of shapes that find each other: their number, the sum of normal forces, or the network of forces at a time (--at, the end)\n"
    "  --equal  the same scale on both axes, for paths in the plane\n"
    "  --size   in points of an SVG (900,560); a PNG has 1.5 pixels for each\n";

static int wrong(const char *sentence, const char *word) {
    fprintf(stderr, "zeno: %s%s\nusage: %s\n", sentence, word, usage);
    return CLI_USAGE;
}

/* Place of a word in a list that ends with NULL, or -1. */
static int one_of(const char *word, const char *const *words) {
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0) return i;
    return -1;
}

static bool read_range(const char *text, plot_range *range) {
    *range = (plot_range){NAN, NAN};
    if (!text) return true;
    char *end;
    if (*text != ':') range->low = strtod(text, &end);
    else end = (char *)text;
    if (*end != ':') return false;
    const char *second = end + 1;
    if (*second) range->high = strtod(second, &end);
    else end = (char *)second;
    return !*end && !(range->low >= range->high);
}

static bool read_size(const char *text, plot_def *plot) {
    plot->width = PLOT_WIDTH, plot->height = PLOT_HEIGHT;
    if (!text) return true;
    char *end;
    long width = strtol(text, &end, 10), height = *end == ',' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < 100 || height < 100 || width > MAX_SIZE || height > MAX_SIZE) return false;
    plot->width = (int)width, plot->height = (int)height;
    return true;
}

/* Everything but the curves. */
static int read_options(const plot_options *options, plot_def *plot) {
    static const char *const logs[] = {"", "x", "y", "xy", NULL}, *const styles[] = {"lines", "points", "both", NULL},
                             *const keys[] = {"right", "below", "off", NULL},
                             *const kinds[] = {"number", "force", "network", NULL};
    if (options->n_results == 0) return wrong("which result? Its file is missing", "");
    if (options->contacts && one_of(options->contacts, kinds) < 0) return wrong("--contacts is number, force or network, not ", options->contacts);
    if (options->contacts && (options->n_results > 1 || options->y)) return wrong("--contacts draws one result, without --y", "");
    if (!options->y && !options->contacts) return wrong("which columns? --y NAME[,NAME...] is missing", "");
    if (!options->out) return wrong("where to? --out FILE.svg or --out FILE.png is missing", "");
    if (!plot_path_ok(options->out)) return wrong("--out takes a name that ends with .svg or .png, not ", options->out);
    int log = one_of(options->log, logs), style = one_of(options->style, styles), key = one_of(options->key, keys);
    if (log < 0) return wrong("--log is x, y or xy, not ", options->log);
    if (style < 0) return wrong("--style is lines, points or both, not ", options->style);
    if (key < 0) return wrong("--key is right, below or off, not ", options->key);
    if (!read_range(options->x_range, &plot->x)) return wrong("--x-range is LOW:HIGH with LOW < HIGH, not ", options->x_range);
    if (!read_range(options->y_range, &plot->y)) return wrong("--y-range is LOW:HIGH with LOW < HIGH, not ", options->y_range);
    if (!read_size(options->size, plot)) return wrong("--size is WIDTH,HEIGHT from 100 to 10000, not ", options->size);
    plot->log_x = log & 1, plot->log_y = log & 2;
    plot->style = (plot_style)style, plot->key = (plot_key)key;
    plot->equal = options->equal, plot->y_name = options->y_label, plot->x_name = options->x_label;
    return CLI_OK;
}

/* Splits at commas outside double quotes, in place. Returns the number of names. */
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
static int get_column(result_file *result, const char *name, const char **full_name, const double **values) {
    int index;
    if (result_find(result, name, &index) != ZN_OK) return CLI_USAGE;
    if (result_column(result, index, values) != ZN_OK) return CLI_FAILED;
    *full_name = result_column_name(result, index);
    return CLI_OK;
}

/* "phi, ball.h5" where several results are compared. */
static const char *curve_name(zn_context *context, const plot_options *options, int file, const char *column, int n_columns) {
    if (options->n_results == 1) return mem_text(context, column);
    const char *slash = strrchr(options->results[file], '/'), *base = slash ? slash + 1 : options->results[file];
    return n_columns == 1 ? mem_text(context, base) : mem_format(context, "%s, %s", column, base);
}

typedef struct plot_lines {
    plot_curve *curves;
    double **points; /* that curves own */
} plot_lines;

/* A column of rows, or of the events of a study. */
static int get_curve(zn_context *context, result_file *result, const char *name, const double *x, plot_lines *lines, int k, const char **y_name) {
    plot_curve *curve = &lines->curves[k];
    *curve = (plot_curve){.x = x, .rows = result_rows(result)};
    if (!plot_event_column(context, result, name, x, curve, &lines->points[k])) return get_column(result, name, y_name, &curve->y);
    *y_name = name;
    return lines->points[k] ? CLI_OK : CLI_FAILED;
}

/* The horizontal axis when nobody chose one: time, or what a study varies first. */
static const char *usual_x(const result_file *result) { return result_get_text(result, "study") ? result_column_name(result, 0) : "t"; }

/* The curves of one result. */
static int get_curves(zn_context *context, const plot_options *options, int file, result_file *result, int n_names,
                      const char **names, plot_def *plot, plot_lines *lines) {
    const char *x_name, *y_name = NULL;
    const double *x;
    plot_curve *curves = lines->curves;
    if (result_rows(result) == 0) {
        fail(context, ZN_FILE, "%s has no rows to plot", options->results[file]);
        return CLI_FAILED;
    }
    int code = get_column(result, options->x ? options->x : usual_x(result), &x_name, &x);
    if (code == CLI_OK && !plot->x_name) plot->x_name = x_name;
    for (int k = 0; k < n_names && code == CLI_OK; k++) {
        plot_curve *curve = &curves[plot->n_curves];
        code = get_curve(context, result, names[k], x, lines, plot->n_curves, &y_name);
        if (code != CLI_OK) continue;
        if (n_names == 1 && options->n_results > 1 && !plot->y_name) plot->y_name = y_name;
        bool labelled = plot->n_curves < options->n_labels;
        curve->name = labelled ? mem_text(context, options->labels[plot->n_curves])
                               : curve_name(context, options, file, y_name, n_names);
        plot->n_curves++;
        if (!curve->name) code = CLI_FAILED;
    }
    return code;
}

static int draw(zn_context *context, const plot_options *options, plot_def *plot, int n_names, const char **names) {
    int n = options->n_results, code = CLI_OK;
    result_file **files = MEM_ARRAY(context, result_file *, n);
    plot_curve *curves = MEM_ARRAY(context, plot_curve, (size_t)n * (size_t)n_names);
    plot_lines lines = {curves, MEM_ARRAY(context, double *, (size_t)n * (size_t)n_names)};
    if (!files || !curves || !lines.points) code = CLI_FAILED;
    if (code == CLI_OK && output_check_path(context, options->out) != ZN_OK) code = CLI_USAGE;
    for (int i = 0; i < n && code == CLI_OK; i++)
        if (output_check_input(context, options->out, options->results[i]) != ZN_OK) code = CLI_USAGE;
    for (int i = 0; i < n && code == CLI_OK; i++) {
        if (result_open(context, options->results[i], &files[i]) != ZN_OK) code = CLI_FAILED;
        else code = get_curves(context, options, i, files[i], n_names, names, plot, &lines);
    }
    plot->curves = curves;
    plot->title = options->title;
    if (code == CLI_OK && !plot->title && n == 1) plot->title = result_get_text(files[0], "title");
    if (code == CLI_OK && plot_draw(context, plot, options->out) != ZN_OK) code = CLI_FAILED;
    for (int i = 0; files && i < n; i++) result_close(files[i]);
    for (int k = 0; curves && k < plot->n_curves; k++) mem_free(context, (void *)curves[k].name);
    for (int k = 0; lines.points && k < n * n_names; k++) mem_free(context, lines.points[k]);
    mem_free(context, lines.points);
    mem_free(context, curves);
    mem_free(context, files);
    return code;
}

/* Pictures that are more than columns. */
static int draw_contacts(zn_context *context, const plot_options *options, plot_def *plot) {
    result_file *result = NULL;
    char *end = NULL;
    double at = options->at ? strtod(options->at, &end) : INFINITY;
    if (options->at && (*end || end == options->at || isnan(at))) return wrong("--at is a time, not ", options->at);
    if (output_check_path(context, options->out) != ZN_OK || output_check_input(context, options->out, options->results[0]) != ZN_OK) return CLI_USAGE;
    if (result_open(context, options->results[0], &result) != ZN_OK) return CLI_FAILED;
    plot->title = options->title ? options->title : result_get_text(result, "title");
    zn_status status = result_rows(result) == 0 ? fail(context, ZN_FILE, "%s has no rows to plot", options->results[0])
                       : strcmp(options->contacts, "force") == 0 ? plot_contact_force(context, result, plot, options->out)
                                                                 : plot_contact_network(context, result, plot, at, options->out);
    result_close(result);
    return status == ZN_OK ? CLI_OK : status == ZN_ARGUMENT ? CLI_USAGE : CLI_FAILED;
}

static int plot_results(const plot_options *options, plot_def *plot) {
    zn_context *context = zn_context_create(NULL);
    int code = CLI_FAILED;
    bool columns = !options->contacts || strcmp(options->contacts, "number") == 0;
    char *list = context ? mem_text(context, options->y ? options->y : "found.listed,found.pushing") : NULL;
    const char **names = list ? MEM_ARRAY(context, const char *, strlen(list) + 1) : NULL;
    if (names && !columns) code = draw_contacts(context, options, plot);
    else if (names) code = draw(context, options, plot, split_names(list, names), names);
    if (code != CLI_OK) fprintf(stderr, "%s\n", context ? zn_error_text(context) : zn_status_text(ZN_MEMORY));
    if (context) {
        mem_free(context, names);
        mem_free(context, list);
    }
    zn_context_destroy(context);
    return code;
}

int cli_plot(int argc, char **argv) {
    plot_options options = {.log = "", .style = "lines", .key = "right"};
    const cli_option table[] = {{.name = "--x", .value = &options.x},
                                {.name = "--y", .value = &options.y},
                                {.name = "--out", .value = &options.out},
                                {.name = "--title", .value = &options.title},
                                {.name = "--label", .value = options.labels, .count = &options.n_labels, .max = MAX_LABELS},
                                {.name = "--log", .value = &options.log},
                                {.name = "--style", .value = &options.style},
                                {.name = "--key", .value = &options.key},
                                {.name = "--x-label", .value = &options.x_label},
                                {.name = "--y-label", .value = &options.y_label},
                                {.name = "--x-range", .value = &options.x_range},
                                {.name = "--y-range", .value = &options.y_range},
                                {.name = "--size", .value = &options.size},
                                {.name = "--contacts", .value = &options.contacts},
                                {.name = "--at", .value = &options.at},
                                {.name = "--equal", .flag = &options.equal},
                                {.name = "--help", .flag = &options.help}};
    if (!cli_parse(argc, argv, usage, sizeof table / sizeof *table, table, MAX_RESULTS, options.results, &options.n_results))
        return CLI_USAGE;
    if (options.help) {
        printf("usage: %s\n%s", usage, help);
        return CLI_OK;
    }
    plot_def plot = {0};
    int code = read_options(&options, &plot);
    return code == CLI_OK ? plot_results(&options, &plot) : code;
}
