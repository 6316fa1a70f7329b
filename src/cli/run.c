/* SPDX-License-Identifier: Apache-2.0 */
/* zeno run: a scene through time, with a progress bar, a result file and a summary. */
#include "base/output.h"
#include "cli/checkpoint.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/stopping.h"
#include "cli/summary.h"
#include "scene/csv.h"
#include "scene/study_section.h"
#include "scene/where.h"
#include "sim/simulation.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "zeno run SCENE|RESULT.h5 [--scheme NAME[:STAGES]] [--step H|auto] [--end T] [--solver auto|newton|projection]\n"
    "           [--restitution-law newton|poisson|energetic] [--SETTING VALUE]... ('zeno settings' lists them)\n"
    "           [--set NAME=EXPR]... [--start NAME=VALUE]... [--input NAME=FILE.csv:COLUMN[,held|linear|cubic]]...\n"
    "           [--out FILE.h5|FILE.csv] [--summary] [--quiet]\n"
    "           [--checkpoint FILE[,every=SECONDS]] [--continue FILE] [--time-limit SECONDS] [--step-limit SECONDS]";

typedef struct running {
    zn_context *context;
    zn_recorder *recorder;
    long rows; /* given to the recorder */
    progress bar;
    zn_account *account; /* NULL: the model has no energy function */
    zn_status status;    /* of recording */
    checkpoint save;
    const char *out;
    bool goes_on;
    step_times times;
    stop_limits limits;
} running;

/* Why it ended before its end. */
static void tell_stop(const running *run, const zn_simulation *simulation, char *text, size_t room) {
    char step[64];
    snprintf(step, sizeof step, "the step from t = %.9g", zn_simulation_time(simulation));
    stopping_tell(&run->limits, step, text, room);
}

static int observe(void *user, const zn_simulation *simulation) {
    (void)simulation;
    running *run = user;
    if (run->recorder && run->status == ZN_OK) run->status = zn_recorder_row(run->recorder), run->rows++;
    return run->status != ZN_OK;
}

/* After a step and its rows, where it is due. */
static zn_status keep(zn_simulation *simulation, running *run) {
    checkpoint *c = &run->save;
    double now = base_seconds();
    if (!c->path || zn_simulation_done(simulation) || !(stopping_cause() || (c->every > 0 && now - c->last >= c->every))) return ZN_OK;
    c->last = now;
    return checkpoint_write(c->path, &(checkpoint_of){run->context, simulation, run->account, run->recorder, run->out, run->rows});
}

/* Steps to the end, like zn_simulation_run, but checks for requests to stop and updates the progress bar after every step. */
static zn_status go(zn_simulation *simulation, running *run) {
    double last_row = zn_simulation_time(simulation);
    run->save.last = base_seconds();
    if (!run->goes_on && observe(run, simulation)) return run->status;
    for (long step = 1; !zn_simulation_done(simulation); step++) {
        double begin = base_seconds();
        stopping_step();
        zn_status status = zn_simulation_step(simulation);
        step_times_add(&run->times, base_seconds() - begin);
        bool at_end = status == ZN_ERROR_NO_CONVERGENCE && zn_simulation_done(simulation); /* with steps above the tolerance */
        if ((status == ZN_OK || at_end) && run->account) {
            zn_status updated = zn_account_update(run->account);
            if (updated != ZN_OK) return updated;
        }
        if (status != ZN_OK && status != ZN_STOPPED && !at_end) return status;
        while (zn_simulation_next_row(simulation)) {
            last_row = zn_simulation_time(simulation);
            if (observe(run, simulation)) return run->status;
        }
        progress_update(&run->bar, zn_simulation_time(simulation), step);
        if (at_end) return status;
        zn_status kept = keep(simulation, run);
        if (kept != ZN_OK) return kept;
        if (status == ZN_OK && (!stopping_cause() || zn_simulation_done(simulation))) continue;
        if (!run->save.path && last_row < zn_simulation_time(simulation) && observe(run, simulation)) return run->status;
        return ZN_STOPPED;
    }
    return ZN_OK;
}

typedef struct run_options {
    cli_scene_options scene;
    const char *inputs[CLI_MAX_SETS], *starts[CLI_MAX_SETS];
    int n_inputs, n_starts;
    const char *path, *out, *checkpoint, *go_on, *time_limit, *step_limit;
    bool summary, quiet, help;
} run_options;

/* The simulation, its recorder and account; for a continued run, in their saved state. */
static zn_status prepare(const run_options *o, running *run, const zn_scene *scene, const zn_settings *settings,
                         zn_simulation **simulation) {
    zn_context *context = run->context;
    checkpoint_of of = {.context = context, .out = o->out};
    checkpoint_content from = {0};
    bool accounted = (!o->quiet || o->summary || o->checkpoint || o->go_on) && zn_scene_model(scene)->energy;
    zn_status status = o->out ? output_check_input(context, o->out, o->path) : ZN_OK;
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), settings, simulation);
    for (int i = 0; i < o->n_inputs && status == ZN_OK; i++) status = scene_follow_csv(context, *simulation, o->inputs[i]);
    of.simulation = *simulation;
    if (status == ZN_OK && accounted) status = zn_account_create(context, *simulation, &run->account);
    if (status == ZN_OK && o->go_on) status = checkpoint_read(o->go_on, &of, &from);
    if (status == ZN_OK && o->go_on) status = checkpoint_find_rows(&of, &from);
    if (status == ZN_OK && o->out) status = zn_scene_record(context, scene, *simulation, o->out, &run->recorder);
    of.account = run->account, of.recorder = run->recorder;
    if (status == ZN_OK && o->go_on) status = checkpoint_go_on(&of, &from);
    run->rows = of.rows, run->goes_on = o->go_on != NULL;
    checkpoint_forget(context, &from);
    return status;
}

/* An unstable scheme need not fail: its numbers may stay finite, and each step is solved. */
static void warn_if_diverged(const running *run, const zn_simulation *simulation) {
    zn_part_account all = run->account ? zn_account_total(run->account) : (zn_part_account){0};
    const zn_settings *settings = zn_simulation_settings(simulation);
    if (!all.diverged && !all.jumped) return;
    if (all.diverged)
        fprintf(stderr,
                "warning: the motion diverges, or the step is too large to resolve it: with %s the energy exceeds twice the available and "
                "supplied energy, %.3g; try ",
                settings->scheme, all.available);
    else
        fprintf(stderr,
                "warning: the step to t = %.9g is too large to resolve the motion: %s created an energy of %.3g that no force or impact "
                "accounts for; try ",
                all.created_at, settings->scheme, all.created);
    if (settings->step_auto) fprintf(stderr, "a smaller accuracy");
    else fprintf(stderr, "step: %.3g", settings->step / 10);
    fprintf(stderr, strcmp(settings->scheme, "radau-2a") ? " or scheme: radau-2a\n" : "\n");
}

/* Values that were not recorded are computed now; the status may change. */
static zn_status report(const run_options *o, const running *run, zn_scene *scene, zn_simulation *simulation, zn_status status,
                        double wall) {
    zn_context *context = run->context;
    double *outputs = MEM_ARRAY(context, double, zn_simulation_model(simulation)->n_outputs);
    zn_status evaluated = !outputs ? ZN_ERROR_MEMORY : status == ZN_ERROR_NOT_FINITE ? status : zn_simulation_outputs(simulation, outputs);
    if (evaluated != ZN_OK) mem_free(context, outputs), outputs = NULL;
    if (status == ZN_OK) status = evaluated;
    scene_place_errors(scene);
    char stop[200];
    tell_stop(run, simulation, stop, sizeof stop);
    const char *message = status == ZN_STOPPED ? stop : status == ZN_OK ? "" : zn_error_text(context);
    cli_summary summary = {o->path, simulation, run->account, status, message, wall, outputs, &run->times};
    if (o->summary) cli_summary_json(stdout, &summary);
    else if (!o->quiet) cli_summary_table(stdout, &summary);
    mem_free(context, outputs);
    if (status == ZN_OK) warn_if_diverged(run, simulation);
    return status;
}

/* Where the rows are of a run that did not reach its end, and how many of them, if not all. */
static void tell_rows(const running *run) {
    long kept = zn_recorder_rows(run->recorder);
    const char *path = zn_recorder_path(run->recorder);
    if (kept == run->rows) fprintf(stderr, "what was computed is in %s\n", path);
    else if (kept > 0) fprintf(stderr, "the first %ld of %ld rows are in %s\n", kept, run->rows, path);
    else fprintf(stderr, "no row could be written to %s\n", path);
}

/* Ends the recording. A full disk may show only here, with the last rows. */
static zn_status finish(running *run, zn_status status) {
    if (!run->recorder) return status;
    bool writes = run->status == ZN_OK || run->status == ZN_ERROR_NOT_FINITE; /* a row that cannot be computed is no error of the file */
    zn_status flushed = writes ? zn_recorder_flush(run->recorder) : run->status;
    if (run->status == ZN_OK) run->status = flushed;
    if (status == ZN_OK) status = run->status;
    if (status != ZN_OK) tell_rows(run);
    zn_status closed = zn_recorder_finish(run->recorder, status == ZN_OK);
    return status == ZN_OK ? closed : status;
}

/* --start NAME=VALUE: a coordinate, a velocity or an input by its name. */
static bool take_starts(const run_options *o, zn_scene *scene) {
    for (int i = 0; i < o->n_starts; i++) {
        const char *value = strrchr(o->starts[i], '=');
        char *end = NULL;
        double number = value ? strtod(value + 1, &end) : NAN;
        if (!value || end == value + 1 || *end || !isfinite(number)) {
            fprintf(stderr, "error: --start takes NAME=VALUE with a number, not '%s'\n", o->starts[i]);
            return false;
        }
        if (scene_start_at(scene, o->starts[i], (size_t)(value - o->starts[i]), number)) continue;
        fprintf(stderr, "error: --start %s: the scene has no coordinate, velocity or input of this name\n", o->starts[i]);
        return false;
    }
    return true;
}

static int simulate(const run_options *o, zn_context *context, zn_scene *scene, const zn_settings *settings) {
    zn_simulation *simulation = NULL;
    running run = {.context = context, .out = o->out};
    if (!stopping_parse(o->time_limit, o->step_limit, &run.limits)) return CLI_USAGE;
    if (o->checkpoint && !checkpoint_parse(o->checkpoint, &run.save)) return CLI_USAGE;
    zn_status status = prepare(o, &run, scene, settings, &simulation);
    if (status != ZN_OK) {
        scene_place_errors(scene);
        cli_print_errors(context);
        zn_recorder_finish(run.recorder, false);
        zn_account_destroy(run.account);
        zn_simulation_destroy(simulation);
        checkpoint_free(&run.save);
        return CLI_USAGE;
    }
    if (!o->checkpoint) zn_context_watch(context, stopping_flag()); /* else steps end as they would have */
    stopping_begin(&run.limits, o->checkpoint != NULL);
    double begin = base_seconds();
    run.bar = progress_begin(zn_simulation_time(simulation), settings->end, o->quiet);
    status = go(simulation, &run);
    stopping_end();
    progress_end(&run.bar);
    double wall = base_seconds() - begin;
    status = finish(&run, status);
    status = report(o, &run, scene, simulation, status, wall);
    if (status == ZN_STOPPED) {
        char text[200];
        tell_stop(&run, simulation, text, sizeof text);
        fprintf(stderr, "stopped at t = %.9g\n", zn_simulation_time(simulation));
        if (stopping_cause() != STOP_SIGNAL) fprintf(stderr, "%s\n", text);
    }
    if (status == ZN_STOPPED && o->checkpoint) fprintf(stderr, "to resume, repeat the command with --continue %s\n", run.save.path);
    else if (status != ZN_OK) cli_print_errors(context);
    zn_account_destroy(run.account);
    zn_simulation_destroy(simulation);
    checkpoint_free(&run.save);
    return status == ZN_OK ? CLI_OK : CLI_FAILED;
}

int cli_run(int argc, char **argv) {
    run_options o = {0};
    cli_option options[CLI_MAX_OPTIONS] = {{"--out", &o.out, NULL, NULL, 0},
                                           {"--summary", NULL, &o.summary, NULL, 0},
                                           {"--quiet", NULL, &o.quiet, NULL, 0},
                                           {"--checkpoint", &o.checkpoint, NULL, NULL, 0},
                                           {"--continue", &o.go_on, NULL, NULL, 0},
                                           {"--time-limit", &o.time_limit, NULL, NULL, 0},
                                           {"--step-limit", &o.step_limit, NULL, NULL, 0},
                                           {"--help", NULL, &o.help, NULL, 0},
                                           {"--input", o.inputs, NULL, &o.n_inputs, CLI_MAX_SETS},
                                           {"--start", o.starts, NULL, &o.n_starts, CLI_MAX_SETS}};
    int n_positional, n_options = cli_add_settings(options, 10, &o.scene, NULL);
    if (!cli_parse(argc, argv, usage, n_options, options, 1, &o.path, &n_positional)) return CLI_USAGE;
    if (o.help || !o.path) {
        fprintf(o.help ? stdout : stderr, "usage: %s\n", usage);
        return o.help ? CLI_OK : CLI_USAGE;
    }
    zn_context *context = cli_context(o.quiet);
    if (!context) return CLI_FAILED;
    zn_scene *scene = NULL;
    zn_settings settings;
    int exit_status = CLI_USAGE;
    if (cli_load(context, o.path, &o.scene, &scene, &settings) && take_starts(&o, scene))
        exit_status = simulate(&o, context, scene, &settings);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return exit_status;
}
