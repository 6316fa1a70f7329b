/* SPDX-License-Identifier: Apache-2.0 */
/* zeno converge: errors of schemes over their steps, and the orders that follow. */
#include "cli/commands.h"
#include "cli/exact.h"
#include "cli/gnuplot.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/study_plot.h"
#include "cli/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "zeno converge SCENE [--scheme NAME[:STAGES][,...]] --steps H1,H2,... --reference H0|--exact FILE [--end T]\n"
                            "           [--solver auto|newton|projection] [--restitution-law L] [--tolerance X] [--SETTING VALUE]...\n"
                            "           [--set NAME=EXPR]... [--out FILE.csv] [--plot FILE.svg|FILE.png] [--summary] [--quiet]";
/* A ratio of times this close to a whole number is one. */
static const double grid_roundoff = 1e-9;

typedef struct converge {
    cli_scene_options scene;
    const char *path, *schemes, *steps_text, *reference_text, *exact_path, *tolerance_text, *out, *plot;
    output_file *table, *picture; /* NULL: not asked for */
    bool summary, quiet, help;
    int n_schemes, n_steps;
    double step[STUDY_MAX_STEPS], reference, end, tolerance;
    double *exact; /* (q, u) at the end; NULL: errors are against the reference */
    study_run runs[STUDY_MAX_SCHEMES * (STUDY_MAX_STEPS + 1)];
    study_result results[STUDY_MAX_SCHEMES];
    char labels[STUDY_MAX_SCHEMES][80]; /* "radau-2a:2" */
} converge;

/* Items of a list separated by commas: the next one, at most room - 1 characters; NULL after the last or when too long. */
static const char *next_item(const char *list, char *item, size_t room) {
    size_t length = strcspn(list, ",");
    if (length >= room) return NULL;
    memcpy(item, list, length);
    item[length] = 0;
    return list + length + (list[length] == ',');
}

static bool read_steps(converge *c) {
    const char *rest = c->steps_text;
    char item[64];
    while (*rest) {
        rest = next_item(rest, item, sizeof item);
        if (!rest || c->n_steps == STUDY_MAX_STEPS) return fprintf(stderr, "error: --steps has too many or too long entries\n"), false;
        if (!cli_number("--steps", item, &c->step[c->n_steps])) return false;
        if (!(c->step[c->n_steps++] > 0)) return fprintf(stderr, "error: steps must be positive, not %s\n", item), false;
    }
    if (c->reference_text && !cli_number("--reference", c->reference_text, &c->reference)) return false;
    if (c->n_steps > 0 && (c->exact_path || c->reference > 0)) return true;
    fprintf(stderr, "error: --steps needs steps%s\n", c->exact_path ? "" : " and --reference a positive step");
    return false;
}

/* The whole number that a ratio stands for, or 0. */
static long whole(double ratio) {
    double nearest = round(ratio);
    return nearest >= 1 && nearest < 1e9 && fabs(ratio - nearest) <= grid_roundoff * nearest ? (long)nearest : 0;
}

static long greatest_divisor(long a, long b) { return b ? greatest_divisor(b, a % b) : a; }

/* Every grid must end at the end, and the reference's must contain it. `every`: what the reference keeps. */
static bool check_grids(const converge *c, long *every) {
    *every = 0;
    if (!c->exact_path && !whole(c->end / c->reference)) {
        fprintf(stderr, "error: the reference step %g does not divide the interval [0, %g]\n", c->reference, c->end);
        return false;
    }
    for (int i = 0; i < c->n_steps; i++) {
        long stride = c->exact_path ? 1 : whole(c->step[i] / c->reference);
        if (!stride) {
            fprintf(stderr, "error: the step %g is not a multiple of the reference step %g, so they share no grid points\n", c->step[i],
                    c->reference);
            return false;
        }
        if (!whole(c->end / c->step[i])) {
            fprintf(stderr, "error: the step %g does not divide the interval [0, %g]\n", c->step[i], c->end);
            return false;
        }
        *every = greatest_divisor(stride, *every);
    }
    return true;
}

/* Runs of a scheme: one for each step, then the reference. */
static int runs_each(const converge *c) { return c->n_steps + !c->exact_path; }

static bool add_scheme(converge *c, const char *text, const zn_model *model, zn_settings settings, long every) {
    if (c->n_schemes == STUDY_MAX_SCHEMES) return fprintf(stderr, "error: --scheme has too many entries\n"), false;
    if (text && !cli_set_scheme(text, &settings)) return false;
    settings.end = c->end;
    settings.step_auto = false;
    settings.record_step = 0;
    zn_scheme_info info;
    if (settings.stages == 0 && zn_scheme_find(settings.scheme, &info)) settings.stages = info.stages_default;
    study_run *runs = c->runs + c->n_schemes++ * runs_each(c);
    for (int i = 0; i < runs_each(c); i++) {
        settings.step = i == c->n_steps ? c->reference : c->step[i];
        long steps = whole(c->end / settings.step);
        runs[i] = (study_run){.model = model,
                              .settings = settings,
                              .tolerance = c->tolerance,
                              .steps = steps,
                              .every = c->exact_path     ? steps
                                       : i == c->n_steps ? every
                                                         : 1};
    }
    return true;
}

static bool plan(converge *c, const zn_model *model, zn_settings settings) {
    long every;
    c->end = settings.end;
    if (!read_steps(c) || !check_grids(c, &every)) return false;
    if (c->tolerance_text && !cli_number("--tolerance", c->tolerance_text, &settings.tolerance)) return false;
    c->tolerance = settings.tolerance;
    if (!c->tolerance_text) settings.tolerance = smaller(settings.tolerance, STUDY_TOLERANCE);
    if (!c->schemes) return add_scheme(c, NULL, model, settings, every);
    char item[64];
    for (const char *rest = c->schemes; *rest;) {
        rest = next_item(rest, item, sizeof item);
        if (!rest) return fprintf(stderr, "error: --scheme has too long an entry\n"), false;
        if (!add_scheme(c, item, model, settings, every)) return false;
    }
    if (c->n_schemes > 0) return true;
    fprintf(stderr, "error: --scheme names no scheme\n");
    return false;
}

static void list(FILE *to, const char *key, int n, const double *values) {
    fprintf(to, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) fprintf(to, ", ");
        cli_json_number(to, values[i]);
    }
    fprintf(to, "], ");
}

static void print_json(const converge *c) {
    FILE *to = stdout;
    fprintf(to, "{\"scene\": ");
    cli_json_text(to, c->path);
    fprintf(to, ", \"end\": %.17g, ", c->end);
    if (c->exact) {
        fprintf(to, "\"exact\": ");
        cli_json_text(to, c->exact_path);
    } else fprintf(to, "\"reference\": %.17g", c->reference);
    fprintf(to, ", \"schemes\": [");
    for (int k = 0; k < c->n_schemes; k++) {
        const study_run *runs = c->runs + k * runs_each(c);
        study_result r = c->results[k];
        fprintf(to, "%s{\"scheme\": ", k ? ", " : "");
        cli_json_text(to, runs->settings.scheme);
        fprintf(to, ", \"stages\": %d, ", runs->settings.stages);
        list(to, "steps", c->n_steps, c->step);
        list(to, "error_q", c->n_steps, r.error_q);
        list(to, "error_u", c->n_steps, r.error_u);
        fprintf(to, "\"order_q\": ");
        cli_json_number(to, r.order_q);
        fprintf(to, ", \"order_u\": ");
        cli_json_number(to, r.order_u);
        fprintf(to, "}");
    }
    fprintf(to, "]}\n");
}

/* Slope between this step and the one before it in the list, or nothing. */
static void print_slope(int i, const double *step, const double *error) {
    double slope = i > 0 ? log(error[i] / error[i - 1]) / log(step[i] / step[i - 1]) : NAN;
    if (isfinite(slope)) printf(" %6.2f", slope);
    else printf("       ");
}

/* A dash: a run failed, or the exact solution lacks this value. */
static void print_error(double error) {
    if (isnan(error)) printf(" %12s", "-");
    else printf(" %12.4e", error);
}

static void print_order(double order) {
    if (isnan(order)) printf(" -");
    else printf(" %.2f", order);
}

/* A row for each scheme and step; fields that are unknown stay empty. */
static void put_csv(FILE *to, const converge *c) {
    fprintf(to, "scheme,stages,step,error_q,error_u,order_q,order_u\n");
    for (int k = 0; k < c->n_schemes; k++) {
        const zn_settings *settings = &c->runs[k * runs_each(c)].settings;
        const study_result *r = &c->results[k];
        for (int i = 0; i < c->n_steps; i++) {
            const double values[] = {r->error_q[i], r->error_u[i], r->order_q, r->order_u};
            fprintf(to, "%s,%d,%.17g", settings->scheme, settings->stages, c->step[i]);
            for (int j = 0; j < 4; j++) {
                fputc(',', to);
                if (isfinite(values[j])) fprintf(to, "%.17g", values[j]);
            }
            fputc('\n', to);
        }
    }
}

/* Table and picture, where they are asked for. */
static zn_status write_files(zn_context *context, converge *c, const char *title) {
    zn_status status = ZN_OK;
    if (c->table) {
        FILE *to = output_stream(c->table);
        if (to) put_csv(to, c);
        status = to ? output_publish(c->table) : ZN_ERROR_MEMORY;
    }
    study_picture picture = {title, c->n_schemes, c->n_steps, c->step, c->results, c->labels};
    zn_status drawn = c->picture ? study_draw(context, &picture, c->picture, c->plot) : ZN_OK;
    return status == ZN_OK ? drawn : status;
}

static void print_table(const converge *c) {
    if (c->exact) printf("%s on [0, %g]: largest error at the end against %s\n", c->path, c->end, c->exact_path);
    else printf("%s on [0, %g]: error against the same scheme with the step %g\n", c->path, c->end, c->reference);
    for (int k = 0; k < c->n_schemes; k++) {
        study_result r = c->results[k];
        int stages = c->runs[k * runs_each(c)].settings.stages;
        printf("\n%s, %d stage%s\n  %12s %12s %6s %12s %6s\n", c->runs[k * runs_each(c)].settings.scheme, stages, stages == 1 ? "" : "s",
               "step", "error of q", "order", "error of u", "order");
        for (int i = 0; i < c->n_steps; i++) {
            printf("  %12.6g", c->step[i]);
            print_error(r.error_q[i]);
            print_slope(i, c->step, r.error_q);
            print_error(r.error_u[i]);
            print_slope(i, c->step, r.error_u);
            printf("\n");
        }
        printf("  order by least squares: q");
        print_order(r.order_q);
        printf(", u");
        print_order(r.order_u);
        printf("\n");
    }
}

static void watch(void *user, long done, long total) {
    progress *bar = user;
    bar->end = (double)total;
    progress_update(bar, (double)done, done);
}

/* The errors of the runs, one line each. */
static int judge(const converge *c) {
    int status = CLI_OK;
    for (int i = 0; i < c->n_schemes * runs_each(c); i++) {
        const study_run *run = &c->runs[i];
        if (run->status == ZN_OK) continue;
        if (run->context) cli_print_errors(run->context);
        fprintf(stderr, "error: the run of %s with the step %g failed\n", run->settings.scheme, run->settings.step);
        status = run->started || status == CLI_FAILED ? CLI_FAILED : CLI_USAGE;
    }
    return status;
}

/* Does the user choose the number of stages? */
static bool has_stages(const char *scheme) {
    zn_scheme_info info;
    return zn_scheme_find(scheme, &info) && info.stages_min < info.stages_max;
}

static void compare(converge *c) {
    for (int k = 0; k < c->n_schemes; k++) {
        const study_run *runs = c->runs + k * runs_each(c);
        int stages = runs->settings.stages;
        c->results[k] = study_compare(c->n_steps, runs, c->exact);
        bool given = has_stages(runs->settings.scheme);
        if (given) snprintf(c->labels[k], sizeof c->labels[k], "%.60s:%d", runs->settings.scheme, stages);
        else snprintf(c->labels[k], sizeof c->labels[k], "%.60s", runs->settings.scheme);
    }
}

/* Before the runs, which may take long: a file that cannot be written is reported at once. */
static bool open_files(zn_context *context, converge *c) {
    zn_status status = ZN_OK;
    if (c->out) status = output_check_input(context, c->out, c->path);
    if (c->plot && status == ZN_OK) status = output_check_input(context, c->plot, c->path);
    if (c->out && c->exact_path && status == ZN_OK) status = output_check_input(context, c->out, c->exact_path);
    if (c->plot && c->exact_path && status == ZN_OK) status = output_check_input(context, c->plot, c->exact_path);
    if (c->out && status == ZN_OK) status = output_open(context, c->out, &c->table);
    if (c->plot && status == ZN_OK) status = output_open(context, c->plot, &c->picture);
    if (status != ZN_OK) cli_print_errors(context);
    return status == ZN_OK;
}

static bool read_exact(zn_context *context, converge *c, const zn_model *model) {
    if (!c->exact_path) return true;
    c->exact = MEM_ARRAY(context, double, model->size.nq + model->size.nu);
    if (c->exact && exact_read(context, c->exact_path, model, c->end, c->exact) == ZN_OK) return true;
    cli_print_errors(context);
    return false;
}

static int study(converge *c, zn_context *context, const zn_scene *scene, const zn_settings *settings) {
    const zn_model *model = zn_scene_model(scene);
    if (!plan(c, model, *settings) || !open_files(context, c) || !read_exact(context, c, model)) return CLI_USAGE;
    int n_runs = c->n_schemes * runs_each(c);
    progress bar = progress_begin(0, 1, c->quiet);
    study_go(n_runs, c->runs, watch, &bar);
    progress_end(&bar);
    int status = judge(c);
    if (status != CLI_USAGE) {
        compare(c);
        if (c->summary) print_json(c);
        else print_table(c);
        if (write_files(context, c, zn_scene_title(scene)) != ZN_OK) {
            cli_print_errors(context);
            status = CLI_FAILED;
        }
    }
    study_free(n_runs, c->runs);
    return status;
}

/* Checks before the runs. */
static bool check_files(const converge *c) {
    size_t length = c->out ? strlen(c->out) : 0;
    if (c->out && (length < 5 || strcmp(c->out + length - 4, ".csv") != 0))
        return fprintf(stderr, "error: --out takes a name that ends with .csv, not %s\n", c->out), false;
    if (c->plot && !plot_path_ok(c->plot))
        return fprintf(stderr, "error: --plot takes a name that ends with .svg or .png, not %s\n", c->plot), false;
    return true;
}

static int converge_scene(converge *c) {
    if (!check_files(c)) return CLI_USAGE;
    zn_context *context = cli_context(c->quiet);
    if (!context) return CLI_FAILED;
    zn_scene *scene = NULL;
    zn_settings settings;
    int status = CLI_USAGE;
    if (cli_load(context, c->path, &c->scene, &scene, &settings)) status = study(c, context, scene, &settings);
    output_close(c->table, false);
    output_close(c->picture, false);
    mem_free(context, c->exact);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return status;
}

int cli_converge(int argc, char **argv) {
    converge *c = calloc(1, sizeof *c);
    if (!c) return CLI_FAILED;
    cli_option options[CLI_MAX_OPTIONS] = {{"--scheme", &c->schemes, NULL, NULL, 0},
                                           {"--steps", &c->steps_text, NULL, NULL, 0},
                                           {"--reference", &c->reference_text, NULL, NULL, 0},
                                           {"--exact", &c->exact_path, NULL, NULL, 0},
                                           {"--tolerance", &c->tolerance_text, NULL, NULL, 0},
                                           {"--out", &c->out, NULL, NULL, 0},
                                           {"--plot", &c->plot, NULL, NULL, 0},
                                           {"--summary", NULL, &c->summary, NULL, 0},
                                           {"--quiet", NULL, &c->quiet, NULL, 0},
                                           {"--help", NULL, &c->help, NULL, 0}};
    int n_positional, status = CLI_USAGE, n_options = cli_add_settings(options, 10, &c->scene, "--step");
    if (cli_parse(argc, argv, usage, n_options, options, 1, &c->path, &n_positional)) {
        bool complete = c->path && c->steps_text && !c->reference_text != !c->exact_path;
        if (c->help || !complete) fprintf(c->help ? stdout : stderr, "usage: %s\n", usage);
        status = c->help ? CLI_OK : complete ? converge_scene(c) : CLI_USAGE;
    }
    free(c);
    return status;
}
