/* SPDX-License-Identifier: Apache-2.0 */
/* zeno sweep: a study over parameters, settings and starts, on all cores, in one file. */
#include "cli/sweep.h"
#include "base/output.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/processes.h"
#include "cli/progress.h"
#include "scene/study_section.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_VARY = 64, MAX_KEEP = 64, MAX_FILES = 4096 };

static const char usage[] =
    "zeno sweep SCENE --vary NAME=VALUES [--vary ...] --keep WHAT[,...] [--keep ...] --out FILE.h5 [--zip] [--from T]\n"
    "           [--samples N] [--sampling random|latin|sobol] [--seed N] [--threads N] [--shard I/N] [--writers N] [--results FOLDER]\n"
    "           [--SETTING VALUE]... [--set NAME=EXPR]... [--summary] [--quiet]\n"
    "       zeno sweep --merge FILE... --out FILE.h5 [--summary]";
static const char help_text[] =
    "  NAME     a parameter of the scene, a setting (step, scheme ...), a coordinate (x) or a velocity (x') at the start\n"
    "  VALUES   V1,V2,...  A:B:N  log:A:B:N  uniform:A:B  normal:MEAN:DEVIATION  truncated:MEAN:DEVIATION:LOW:HIGH\n"
    "  WHAT     last:q,u  min:x  max:x  mean:x  rms:x  period:x  summary:steps  impact:CONTACT:x,...  rising:COLUMN:x,...  falling:...\n"
    "  --zip    vary all lists together instead of every combination\n"
    "  --from   ignore rows before this time\n"
    "  --results  folder for the complete result of each run, run-K.h5\n"
    "  --shard  run the I-th of N parts; --merge joins their files\n"
    "  --writers  under mpirun with very many processes: number of processes that write; their files are merged at the end\n"
    "  Repeat the same command to continue a study that was stopped or killed. See docs/studies.md.\n";

typedef struct sweep_options {
    cli_scene_options scene;
    const char *paths[MAX_FILES], *out, *vary[MAX_VARY], *keep[MAX_KEEP], *results, *from, *samples, *sampling, *seed, *threads, *shard,
        *writers;
    int n_paths, n_vary, n_keep;
    bool zip, merge, summary, quiet, help;
    const study_transport *transport; /* to other processes; NULL: there are none */
} sweep_options;

/* Set by Ctrl-C: no further runs are started. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

static bool whole(zn_context *context, const char *option, const char *text, long least, long most, long *value) {
    if (!text) return true;
    char *end;
    *value = strtol(text, &end, 10);
    if (end != text && !*end && *value >= least && *value <= most) return true;
    fail(context, ZN_ERROR_ARGUMENT, "%s must be a whole number, %ld or more, not '%s'", option, least, text);
    return false;
}

static bool read_sampling(zn_context *context, const char *text, study_plan_def *plan) {
    static const char *const words[STUDY_SAMPLING_COUNT] = {"random", "latin", "sobol"};
    if (!text) return true;
    for (int i = 0; i < STUDY_SAMPLING_COUNT; i++)
        if (!strcmp(words[i], text)) {
            plan->sampling = (study_sampling)i;
            return true;
        }
    fail(context, ZN_ERROR_ARGUMENT, "sampling is random, latin or sobol, not '%s'", text);
    return false;
}

static bool read_shard(zn_context *context, const char *text, study_def *def) {
    if (!text) return true;
    int used = 0;
    if (sscanf(text, "%d/%d%n", &def->shard, &def->n_shards, &used) == 2 && !text[used] && def->shard >= 1 && def->shard <= def->n_shards)
        return true;
    fail(context, ZN_ERROR_ARGUMENT, "--shard is I/N with I from 1 to N, not '%s'", text);
    return false;
}

/* Options go before the section `study` of the scene. */
bool cli_study_def(zn_context *context, const zn_scene *scene, const cli_study_texts *texts, study_def *def) {
    const scene_study *section = scene_get_study(scene);
    def->plan.n_vary = texts->n_vary ? texts->n_vary : section->n_vary;
    def->plan.vary = texts->n_vary ? texts->vary : section->vary;
    def->n_keep = texts->n_keep ? texts->n_keep : section->n_keep;
    def->keep = texts->n_keep ? texts->keep : section->keep;
    def->plan.zip = texts->zip || section->zip;
    const char *from = texts->from ? texts->from : section->from, *seed = texts->seed ? texts->seed : section->seed;
    long seed_number = 0;
    def->from = -HUGE_VAL;
    if (from) {
        char *end;
        def->from = strtod(from, &end);
        if (end == from || *end || !isfinite(def->from)) {
            fail(context, ZN_ERROR_ARGUMENT, "from must be a time, not '%s'", from);
            return false;
        }
    }
    bool ok = whole(context, "samples", texts->samples ? texts->samples : section->samples, 1, LONG_MAX, &def->plan.samples) &&
              whole(context, "seed", seed, 0, LONG_MAX, &seed_number) &&
              read_sampling(context, texts->sampling ? texts->sampling : section->sampling, &def->plan);
    def->plan.seed = (uint64_t)seed_number;
    return ok;
}

/* ---- reports ---- */

typedef struct watching {
    bool shown;
    long first; /* rows that were there already */
    bool begun;
} watching;

static int watch(void *user, long runs, long done, long failed, double seconds) {
    watching *w = user;
    if (!w->begun) w->begun = true, w->first = done;
    double rate = seconds > 0 ? (double)(done - w->first) / seconds : 0, left = rate > 0 ? (double)(runs - done) / rate : NAN;
    if (w->shown) {
        fprintf(stderr, "\r%ld of %ld runs (%.0f%%)  %.4g/s  %ld failed  ", done, runs, runs ? 100.0 * (double)done / (double)runs : 100.0,
                rate, failed);
        if (left < 200) fprintf(stderr, "%.0f s left", ceil(left));
        else if (left < 200 * 60) fprintf(stderr, "%.0f min left", left / 60);
        else if (left < 200 * 3600) fprintf(stderr, "%.1f h left", left / 3600);
        else if (isfinite(left)) fprintf(stderr, "%.0f days left", left / 86400);
        fputs("\033[K", stderr);
        fflush(stderr);
    }
    return interrupted;
}

static int report(const sweep_options *o, zn_context *context, zn_status status, const study_outcome *outcome) {
    double rate = outcome->seconds > 0 ? (double)outcome->done / outcome->seconds : 0;
    if (status != ZN_OK) cli_print_errors(context);
    if (status == ZN_OK && o->summary)
        printf("{\"runs\": %ld, \"failed\": %ld, \"seconds\": %.6g, \"runs_per_second\": %.6g, \"status\": \"%s\"}\n", outcome->runs,
               outcome->failed, outcome->seconds, rate, outcome->stopped ? "stopped" : "ok");
    else if (status == ZN_OK && !o->quiet) {
        printf("%s: %ld runs, %ld failed", o->out, outcome->runs, outcome->failed);
        if (outcome->complete) printf("; all of them were there already\n");
        else if (o->merge) printf("\n");
        else printf("; %ld of them now, in %.3g s (%.4g/s)\n", outcome->done, outcome->seconds, rate);
    }
    if (status == ZN_OK && outcome->stopped) fprintf(stderr, "stopped; to resume, repeat the same command\n");
    if (status == ZN_ERROR_ARGUMENT || status == ZN_ERROR_SCENE || status == ZN_ERROR_SYNTAX) return CLI_USAGE;
    return status == ZN_OK && !outcome->stopped ? CLI_OK : CLI_FAILED;
}

/* ---- the command ---- */

static int count_settings(const sweep_options *o, study_setting *settings) {
    int n = 0;
    for (int i = 0; i < settings_count; i++)
        if (o->scene.values[i]) settings[n++] = (study_setting){settings_rows[i].name, o->scene.values[i]};
    return n;
}

/* Only the manager has something to report; a worker that fails takes all with it, as its runs would be missing. */
static int worker_status(const sweep_options *o, zn_context *context, zn_status status) {
    if (status == ZN_OK) return CLI_OK;
    if (status == ZN_STOPPED) return CLI_FAILED;
    cli_print_errors(context);
    o->transport->abort(CLI_FAILED);
    return CLI_FAILED;
}

static int sweep(const sweep_options *o, zn_context *context, const zn_scene *scene) {
    study_setting settings[SETTINGS_MOST];
    study_outcome outcome = {0};
    long threads = 0, writers = 0;
    study_def def = {.name = o->paths[0],
                     .text = zn_scene_text(scene),
                     .n_sets = o->scene.n_sets,
                     .sets = o->scene.sets,
                     .n_settings = count_settings(o, settings),
                     .settings = settings,
                     .out = o->out,
                     .results = o->results,
                     .transport = o->transport};
    const cli_study_texts texts = {o->n_vary, o->n_keep, o->vary, o->keep, o->samples, o->sampling, o->seed, o->from, o->zip};
    bool ok = cli_study_def(context, scene, &texts, &def) && whole(context, "--threads", o->threads, 1, INT_MAX, &threads) &&
              whole(context, "--writers", o->writers, 1, 10000, &writers) && read_shard(context, o->shard, &def);
    if (ok && output_check_input(context, o->out, o->paths[0]) != ZN_OK) ok = false;
    if (!ok) {
        cli_print_errors(context);
        return CLI_USAGE;
    }
    def.threads = (int)threads, def.writers = (int)writers;
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    watching watched = {.shown = !o->quiet && isatty(STDERR_FILENO) && !(o->transport && o->transport->rank > 0)};
    zn_status status = study_sweep(context, &def, watch, &watched, &outcome);
    if (o->transport && o->transport->rank > 0) return worker_status(o, context, status);
    if (watched.shown) fputs("\r\033[K", stderr);
    return report(o, context, status, &outcome);
}

static int wrong(const char *sentence) {
    fprintf(stderr, "zeno: %s\nusage: %s\n", sentence, usage);
    return CLI_USAGE;
}

static int merge(const sweep_options *o, zn_context *context) {
    study_outcome outcome;
    return report(o, context, study_merge(context, o->n_paths, o->paths, o->out, &outcome), &outcome);
}

static bool is_hdf5(const char *path) {
    size_t n = strlen(path);
    return (n > 3 && !strcmp(path + n - 3, ".h5")) || (n > 5 && !strcmp(path + n - 5, ".hdf5"));
}

static int run_sweep(sweep_options *o) {
    if (o->n_paths == 0) return wrong(o->merge ? "which files? --merge FILE..." : "which scene? Its file is missing");
    if (!o->out) return wrong("--out FILE.h5 is missing");
    if (!is_hdf5(o->out)) return wrong("--out takes a name that ends with .h5 or .hdf5");
    if (!o->merge && o->n_paths > 1) return wrong("a study has one scene; --merge takes several files");
    zn_context *context = cli_context(o->quiet);
    if (!context) return CLI_FAILED;
    int exit_status = CLI_USAGE;
    if (!o->merge && cli_processes(context, &o->transport) != ZN_OK) cli_print_errors(context);
    else if (o->merge) exit_status = merge(o, context);
    else {
        zn_scene *scene = NULL;
        zn_settings settings;
        if (cli_load(context, o->paths[0], &o->scene, &scene, &settings)) exit_status = sweep(o, context, scene);
        zn_scene_destroy(scene);
    }
    zn_context_destroy(context);
    if (o->transport && exit_status != CLI_FAILED) o->transport->end(); /* else the launcher ends the others, and may be doing so already */
    return exit_status;
}

int cli_sweep(int argc, char **argv) {
    static sweep_options o; /* too large for a stack */
    cli_option options[CLI_MAX_OPTIONS] = {{"--vary", o.vary, NULL, &o.n_vary, MAX_VARY},
                                           {"--keep", o.keep, NULL, &o.n_keep, MAX_KEEP},
                                           {"--out", &o.out, NULL, NULL, 0},
                                           {"--results", &o.results, NULL, NULL, 0},
                                           {"--from", &o.from, NULL, NULL, 0},
                                           {"--samples", &o.samples, NULL, NULL, 0},
                                           {"--sampling", &o.sampling, NULL, NULL, 0},
                                           {"--seed", &o.seed, NULL, NULL, 0},
                                           {"--threads", &o.threads, NULL, NULL, 0},
                                           {"--shard", &o.shard, NULL, NULL, 0},
                                           {"--writers", &o.writers, NULL, NULL, 0},
                                           {"--zip", NULL, &o.zip, NULL, 0},
                                           {"--merge", NULL, &o.merge, NULL, 0},
                                           {"--summary", NULL, &o.summary, NULL, 0},
                                           {"--quiet", NULL, &o.quiet, NULL, 0},
                                           {"--help", NULL, &o.help, NULL, 0}};
    int n_options = cli_add_settings(options, 16, &o.scene, NULL);
    if (!cli_parse(argc, argv, usage, n_options, options, MAX_FILES, o.paths, &o.n_paths)) return CLI_USAGE;
    if (o.help) {
        printf("usage: %s\n%s", usage, help_text);
        return CLI_OK;
    }
    return run_sweep(&o);
}
