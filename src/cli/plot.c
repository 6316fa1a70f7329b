/* SPDX-License-Identifier: Apache-2.0 */
/* zeno plot RESULT... --x t --y NAME[,NAME...] --out FILE.svg|FILE.png: columns of one or more results as curves. */
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/plot_contacts.h"
#include "cli/plot_events.h"
#include "cli/plot_study.h"

#include <stdlib.h>

enum { MAX_RESULTS = 64, MAX_LABELS = 256, MAX_SIZE = 10000, MAX_WHERE = 16, MAX_NUMBERS = 16, MAX_BINS = 10000 };

typedef struct plot_options {
    const char *results[MAX_RESULTS], *labels[MAX_LABELS], *where[MAX_WHERE];
    const char *x, *y, *out, *title, *log, *style, *key, *x_label, *y_label, *x_range, *y_range, *size, *contacts, *at, *map, *histogram,
        *levels, *bins, *quantiles;
    int n_results, n_labels, n_where;
    bool equal, events, help;
} plot_options;

static const char usage[] =
    "zeno plot RESULT... [--x NAME] --y NAME[,NAME...] --out FILE.svg|FILE.png [--title TEXT] [--label TEXT]...\n"
    "            [--log x|y|xy] [--style lines|points|both] [--x-label TEXT] [--y-label TEXT] [--equal]\n"
    "            [--x-range LOW:HIGH] [--y-range LOW:HIGH] [--key right|below|off] [--size WIDTH,HEIGHT] [--events]\n"
    "       zeno plot STUDY [--y NAME[,NAME...]] [--map NAME [--levels A,B...]] [--histogram NAME [--bins N] [--quantiles P,P...]]\n"
    "            [--where NAME=VALUE]... --out FILE.svg|FILE.png\n"
    "       zeno plot RESULT --contacts number|force|network [--at T] --out FILE.svg|FILE.png";
static const char help[] =
    "  RESULT   a result of zeno run --out (.h5, .hdf5, .csv, also .partial); several results are compared in one picture\n"
    "  --x      column of the horizontal axis (default: t; for a study: the first varied quantity); --x phi --y \"phi'\" gives a phase "
    "portrait\n"
    "  --y      one or more columns, or EVENT.COLUMN of a study (impact:floor.x, with --style points); put names that contain a comma or "
    "begin with a quote in double quotes, and double the quotes inside\n"
    "  --map    for a study: a colour map over two varied quantities (--x, --y; default: the first two); --levels divides it into classes, "
    "which --label names\n"
    "  --histogram  for a study: a histogram with quantiles (--quantiles 0.05,0.5,0.95)\n"
    "  --where  only the runs of a study with this value, or the nearest one\n"
    "  --label  names of curves in the legend, in the order of results, then columns\n"
    "  --contacts  found contacts: their number, the sum of normal forces, or the network of forces at a time (--at, default: the end)\n"
    "  --events mark on the time axis where contacts hit, open, and begin or end to slip (HDF5, contact_events: located),\n"
    "           and events of the scene\n"
    "  --equal  the same scale on both axes, for paths in the plane\n"
    "  --size   size in points of an SVG (default 900,560); a PNG has 1.5 pixels per point\n";

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

/* A picture of a study that is not made of the columns --y. */
static bool draws_study(const plot_options *options) { return !options->contacts && (options->map || options->histogram || !options->y); }

/* Everything but the curves. */
static int read_options(const plot_options *options, plot_def *plot) {
    static const char *const logs[] = {"", "x", "y", "xy", NULL}, *const styles[] = {"lines", "points", "both", NULL},
                             *const keys[] = {"right", "below", "off", NULL}, *const kinds[] = {"number", "force", "network", NULL};
    if (options->n_results == 0) return wrong("which result? Its file is missing", "");
    if (options->contacts && one_of(options->contacts, kinds) < 0)
        return wrong("--contacts is number, force or network, not ", options->contacts);
    if (options->contacts && (options->n_results > 1 || options->y)) return wrong("--contacts draws one result, without --y", "");
    if (options->events && (options->contacts || (options->x && strcmp(options->x, "t") != 0)))
        return wrong("--events marks times, so the horizontal axis must be t", "");
    if (options->map && options->histogram) return wrong("--map and --histogram are two pictures", "");
    if (draws_study(options) && options->n_results > 1)
        return wrong(options->map || options->histogram ? "--map and --histogram draw one study"
                                                        : "--y NAME[,NAME...] is missing: choose the columns to draw",
                     "");
    if (!options->out) return wrong("--out FILE.svg or --out FILE.png is missing", "");
    if (!plot_path_ok(options->out)) return wrong("--out takes a name that ends with .svg or .png, not ", options->out);
    int log = one_of(options->log, logs), style = one_of(options->style ? options->style : "lines", styles),
        key = one_of(options->key, keys);
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

/* Splits at commas, in place, by the rules of CSV: a name that begins with a double quote goes to the next single one, and may have commas
 * in it; elsewhere a quote is a letter like others. Returns the number of names. */
static int split_names(char *list, const char **names) {
    int n = 0;
    const char *start = list;
    char *out = list;
    bool quoted = false;
    names[n++] = out;
    for (const char *c = list; *c; c++) {
        if (*c == '"' && quoted && c[1] == '"') *out++ = *c++;
        else if (*c == '"' && quoted) quoted = false;
        else if (*c == '"' && c == start) quoted = true;
        else if (*c == ',' && !quoted) {
            *out++ = '\0';
            names[n++] = out;
            start = c + 1;
        } else *out++ = *c;
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

static int code_of(zn_status status) { return status == ZN_OK ? CLI_OK : status == ZN_ERROR_ARGUMENT ? CLI_USAGE : CLI_FAILED; }

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "phi, ball.h5" where several results are compared. */
static char *curve_name(zn_context *context, const plot_options *options, int file, const char *column, int n_columns) {
    const char *base = base_name(options->results[file]);
    if (options->n_results == 1) return mem_text(context, column);
    return n_columns == 1 ? mem_text(context, base) : mem_format(context, "%s, %s", column, base);
}

/* What one picture is made of. */
typedef struct plot_lines {
    plot_curves curves;
    plot_ticks ticks[PLOT_EVENT_KINDS];
    study_view view; /* of the last study */
} plot_lines;

/* The curves of a study. */
static int get_study(zn_context *context, const plot_options *options, int file, result_file *result, int n_names, const char **names,
                     plot_def *plot, plot_lines *lines) {
    study_view *view = &lines->view;
    bool points;
    study_view_close(view);
    plot->n_x_words = 0;
    zn_status status = study_view_open(context, result, options->n_where, options->where, view);
    int first = status == ZN_OK ? study_view_varying(view, -1) : -1;
    const char *x = options->x ? options->x : status == ZN_OK ? view->axes[first < 0 ? 0 : first].name : NULL;
    if (status == ZN_OK)
        status = plot_study_curves(view, x, n_names, names, options->n_results > 1 ? base_name(options->results[file]) : NULL,
                                   &lines->curves, &points);
    if (status != ZN_OK) return code_of(status);
    if (points && !options->style) plot->style = PLOT_POINTS;
    if (!plot->x_name) plot->x_name = study_view_name(x);
    if (!plot->y_name && n_names == 1) plot->y_name = names[0];
    int axis = study_view_axis_of(view, x);
    if (axis >= 0) plot->n_x_words = view->axes[axis].n_words, plot->x_words = view->axes[axis].words;
    return CLI_OK;
}

/* The curves of one result. */
static int get_curves(zn_context *context, const plot_options *options, int file, result_file *result, int n_names, const char **names,
                      plot_def *plot, plot_lines *lines) {
    const char *x_name, *y_name = NULL;
    const double *x, *y;
    if (result_rows(result) == 0) {
        fail(context, ZN_ERROR_FILE, "%s has no rows to plot", options->results[file]);
        return CLI_FAILED;
    }
    if (options->events) {
        zn_status status = plot_events(context, result, options->results[file], lines->ticks);
        if (status != ZN_OK) return code_of(status);
    }
    if (study_view_is_study(result)) return get_study(context, options, file, result, n_names, names, plot, lines);
    int code = get_column(result, options->x ? options->x : "t", &x_name, &x);
    if (code == CLI_OK && !plot->x_name) plot->x_name = x_name;
    for (int k = 0; k < n_names && code == CLI_OK; k++) {
        code = get_column(result, names[k], &y_name, &y);
        if (code != CLI_OK) continue;
        if (n_names == 1 && options->n_results > 1 && !plot->y_name) plot->y_name = y_name;
        char *name = curve_name(context, options, file, y_name, n_names);
        if (plot_curves_add(context, &lines->curves, name, x, y, result_rows(result), NULL) != ZN_OK) code = CLI_FAILED;
    }
    return code;
}

/* Names that the user gives take precedence. */
static int label_curves(zn_context *context, const plot_options *options, plot_curves *curves) {
    for (int k = 0; k < curves->count && k < options->n_labels; k++) {
        char *name = mem_text(context, options->labels[k]);
        if (!name) return CLI_FAILED;
        mem_free(context, (void *)curves->list[k].name);
        curves->list[k].name = name;
    }
    return CLI_OK;
}

static int draw(zn_context *context, const plot_options *options, plot_def *plot, int n_names, const char **names) {
    int n = options->n_results, code = CLI_OK;
    result_file **files = MEM_ARRAY(context, result_file *, n);
    plot_lines lines = {0};
    if (!files) code = CLI_FAILED;
    for (int i = 0; i < n && code == CLI_OK; i++) {
        if (result_open(context, options->results[i], &files[i]) != ZN_OK) code = CLI_FAILED;
        else code = get_curves(context, options, i, files[i], n_names, names, plot, &lines);
    }
    if (code == CLI_OK) code = label_curves(context, options, &lines.curves);
    plot->curves = lines.curves.list, plot->n_curves = lines.curves.count;
    plot->ticks = lines.ticks, plot->n_ticks = options->events ? PLOT_EVENT_KINDS : 0;
    plot->title = options->title;
    if (code == CLI_OK && !plot->title && n == 1) plot->title = result_get_text(files[0], "title");
    if (code == CLI_OK && plot_draw(context, plot, options->out) != ZN_OK) code = CLI_FAILED;
    study_view_close(&lines.view);
    for (int i = 0; files && i < n; i++) result_close(files[i]);
    plot_curves_free(context, &lines.curves);
    for (int k = 0; k < PLOT_EVENT_KINDS; k++) mem_free(context, lines.ticks[k].x);
    mem_free(context, files);
    return code;
}

/* ---- maps and histograms ---- */

static int count_numbers(const char *text, int most, double *numbers) {
    char *end = (char *)text;
    for (int n = 0; n < most; text = end + 1) {
        numbers[n] = strtod(text, &end);
        if (end == text || !isfinite(numbers[n]) || (*end && *end != ',')) return -1;
        n++;
        if (!*end) return n;
    }
    return -1;
}

static zn_status draw_one(const plot_options *options, plot_def *plot, study_view *view, plot_study_kind kind, const char *name) {
    double numbers[MAX_NUMBERS] = {0.05, 0.5, 0.95};
    if (kind == PLOT_STUDY_HISTOGRAM) {
        int n = options->quantiles ? count_numbers(options->quantiles, MAX_NUMBERS, numbers) : 3;
        for (int i = 0; i < n; i++)
            if (!(numbers[i] >= 0 && numbers[i] <= 1)) n = -1;
        char *end = NULL;
        long bins = options->bins ? strtol(options->bins, &end, 10) : 0;
        if (n < 0)
            return fail(view->context, ZN_ERROR_ARGUMENT, "--quantiles are numbers from 0 to 1 with commas, not '%s'", options->quantiles);
        if (options->bins && (*end || bins < 1 || bins > MAX_BINS))
            return fail(view->context, ZN_ERROR_ARGUMENT, "--bins is a whole number from 1 to %d, not '%s'", MAX_BINS, options->bins);
        return plot_histogram(view, name, (int)bins, n, numbers, plot, options->out);
    }
    int n = options->levels ? count_numbers(options->levels, MAX_NUMBERS, numbers) : 0;
    for (int i = 1; i < n; i++)
        if (!(numbers[i] > numbers[i - 1])) n = -1;
    if (n < 0) return fail(view->context, ZN_ERROR_ARGUMENT, "--levels are rising numbers with commas, not '%s'", options->levels);
    const plot_map_def map = {options->x, options->y, name, n, numbers, options->n_labels, options->labels};
    return plot_map(view, &map, plot, options->out);
}

/* The picture of one study: a map, a histogram, or its default. */
static int draw_study(zn_context *context, const plot_options *options, plot_def *plot) {
    result_file *result = NULL;
    study_view view = {0};
    char *usual = NULL;
    plot_study_kind kind = options->map ? PLOT_STUDY_MAP : PLOT_STUDY_HISTOGRAM;
    const char *name = options->map ? options->map : options->histogram;
    zn_status status = result_open(context, options->results[0], &result);
    if (status != ZN_OK) return CLI_FAILED;
    if (!study_view_is_study(result))
        status = fail(context, ZN_ERROR_ARGUMENT, "%s is not a study; choose what to draw: --y NAME[,NAME...]", options->results[0]);
    else if (result_rows(result) == 0) status = fail(context, ZN_ERROR_FILE, "%s has no rows to plot", options->results[0]);
    if (status == ZN_OK) status = study_view_open(context, result, options->n_where, options->where, &view);
    if (status == ZN_OK && !name) status = plot_study_usual(&view, &kind, &usual);
    if (usual) name = usual;
    plot->title = options->title ? options->title : result_get_text(result, "title");
    bool curves = status == ZN_OK && kind == PLOT_STUDY_CURVES;
    if (status == ZN_OK && !curves) status = draw_one(options, plot, &view, kind, name);
    study_view_close(&view);
    result_close(result);
    int code = curves ? draw(context, options, plot, 1, &name) : code_of(status);
    mem_free(context, usual);
    return code;
}

/* Pictures that are more than columns. */
static int draw_contacts(zn_context *context, const plot_options *options, plot_def *plot) {
    result_file *result = NULL;
    char *end = NULL;
    double at = options->at ? strtod(options->at, &end) : INFINITY;
    if (options->at && (*end || end == options->at || isnan(at))) return wrong("--at is a time, not ", options->at);
    if (result_open(context, options->results[0], &result) != ZN_OK) return CLI_FAILED;
    plot->title = options->title ? options->title : result_get_text(result, "title");
    zn_status status = result_rows(result) == 0 ? fail(context, ZN_ERROR_FILE, "%s has no rows to plot", options->results[0])
                       : strcmp(options->contacts, "force") == 0 ? plot_contact_force(context, result, plot, options->out)
                                                                 : plot_contact_network(context, result, plot, at, options->out);
    result_close(result);
    return code_of(status);
}

static bool inputs_ok(zn_context *context, const plot_options *options) {
    for (int i = 0; i < options->n_results; i++)
        if (output_check_input(context, options->out, options->results[i]) != ZN_OK) return false;
    return true;
}

static int plot_results(const plot_options *options, plot_def *plot) {
    zn_context *context = zn_context_create(NULL);
    int code = CLI_FAILED;
    bool columns = !options->contacts || strcmp(options->contacts, "number") == 0;
    char *list = context ? mem_text(context, options->y ? options->y : "found.listed,found.pushing") : NULL;
    const char **names = list ? MEM_ARRAY(context, const char *, strlen(list) + 1) : NULL;
    if (names && (output_check_path(context, options->out) != ZN_OK)) code = CLI_USAGE;
    else if (names && !inputs_ok(context, options)) code = CLI_USAGE;
    else if (names && !columns) code = draw_contacts(context, options, plot);
    else if (names && draws_study(options)) code = draw_study(context, options, plot);
    else if (names) code = draw(context, options, plot, split_names(list, names), names);
    if (code != CLI_OK) fprintf(stderr, "%s\n", context ? zn_error_text(context) : zn_status_text(ZN_ERROR_MEMORY));
    if (context) {
        mem_free(context, names);
        mem_free(context, list);
    }
    zn_context_destroy(context);
    return code;
}

/* Readable names instead of those of the columns. */
static void name_numbers(plot_options *options) {
    static const char *const names[] = {"near", "pushing"};
    if (!options->contacts || strcmp(options->contacts, "number") != 0) return;
    for (; options->n_labels < 2; options->n_labels++) options->labels[options->n_labels] = names[options->n_labels];
    if (!options->y_label) options->y_label = "contacts";
}

int cli_plot(int argc, char **argv) {
    plot_options options = {.log = "", .key = "right"};
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
                                {.name = "--map", .value = &options.map},
                                {.name = "--histogram", .value = &options.histogram},
                                {.name = "--levels", .value = &options.levels},
                                {.name = "--bins", .value = &options.bins},
                                {.name = "--quantiles", .value = &options.quantiles},
                                {.name = "--where", .value = options.where, .count = &options.n_where, .max = MAX_WHERE},
                                {.name = "--events", .flag = &options.events},
                                {.name = "--equal", .flag = &options.equal},
                                {.name = "--help", .flag = &options.help}};
    if (!cli_parse(argc, argv, usage, sizeof table / sizeof *table, table, MAX_RESULTS, options.results, &options.n_results))
        return CLI_USAGE;
    if (options.help) {
        printf("usage: %s\n%s", usage, help);
        return CLI_OK;
    }
    plot_def plot = {0};
    name_numbers(&options);
    int code = read_options(&options, &plot);
    return code == CLI_OK ? plot_results(&options, &plot) : code;
}
