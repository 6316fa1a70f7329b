/* SPDX-License-Identifier: Apache-2.0 */
/* One run: its parameters into the scene, its settings, inputs and start; then to the end, and what is kept. Only as much is made anew as
 * needed:
 *
 *   a parameter in formulas of the model             the model follows it
 *   any other parameter                              the scene is read again
 *   a start, values that the scheme reads each step  the simulation restarts in its own memory
 *   a setting, an input, coefficients that it copied  another simulation */
#include "study/single.h"

#include "scene/study_section.h"
#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_TEXT = 40, SET_TEXT = 200 };

/* ---- what a name means ---- */

static int name_among(const char *name, int count, const char *const *names) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

static bool is_setting(const char *name) {
    for (int i = 0; zn_settings_name(i); i++)
        if (!strcmp(zn_settings_name(i), name)) return true;
    return false;
}

/* Parameters go first: a scene may have one with the name of a setting. */
static zn_status find_target(study_shared *s, const zn_scene *scene, int axis) {
    const study_axis *a = &s->plan.axes[axis];
    const zn_model *model = zn_scene_model(scene);
    int input = scene_find_input(scene, a->name);
    int q = name_among(a->name, model->size.nq, model->q_names), u = name_among(a->name, model->size.nu, model->u_names);
    if (scene_has_parameter(scene, a->name)) s->targets[axis] = STUDY_PARAMETER, s->n_parameters++;
    else if (input >= 0) s->targets[axis] = STUDY_INPUT, s->places[axis] = input;
    else if (is_setting(a->name)) s->targets[axis] = STUDY_SETTING, s->settings_vary = true;
    else if (q >= 0) s->targets[axis] = STUDY_POSITION, s->places[axis] = q;
    else if (u >= 0) s->targets[axis] = STUDY_VELOCITY, s->places[axis] = u;
    else {
        const char *near = scene_nearest_parameter(scene, a->name);
        return fail(s->context, ZN_ERROR_ARGUMENT,
                    "--vary %s: the scene has no parameter of this name%s%s%s, and it is no setting, input, coordinate or velocity",
                    a->name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    if (s->targets[axis] != STUDY_SETTING && a->words)
        return fail(s->context, ZN_ERROR_ARGUMENT, "--vary %s: '%s' is not a number", a->name, a->words[0]);
    return ZN_OK;
}

/* ---- settings and simulations ---- */

static zn_status make_settings(const study_shared *s, zn_context *context, const zn_scene *scene, long run, zn_settings *settings) {
    char text[NUMBER_TEXT];
    zn_status status = ZN_OK;
    *settings = *zn_scene_settings(scene);
    for (int i = 0; i < s->def->n_settings && status == ZN_OK; i++)
        status = zn_settings_set(context, settings, s->def->settings[i].name, s->def->settings[i].value);
    for (int i = 0; i < s->plan.n_axes && status == ZN_OK; i++)
        if (s->targets[i] == STUDY_SETTING)
            status = zn_settings_set(context, settings, s->plan.axes[i].name, study_plan_text(&s->plan, i, run, text, sizeof text));
    return status;
}

static zn_status load(const study_shared *s, zn_context *context, int n_sets, const char *const *sets, zn_scene **scene) {
    return zn_scene_parse(context, s->def->name, s->def->text, &(zn_scene_options){.n_sets = n_sets, .sets = sets}, scene);
}

/* The columns that a run has, from its first row. */
static zn_status probe(study_shared *s, const zn_scene *scene, zn_result **like) {
    zn_settings settings;
    zn_simulation *simulation = NULL;
    zn_recorder *recorder = NULL;
    *like = NULL;
    zn_status status = make_settings(s, s->context, scene, 0, &settings);
    if (status == ZN_OK) status = zn_simulation_create(s->context, zn_scene_model(scene), &settings, &simulation);
    if (status == ZN_OK) status = zn_recorder_create(s->context, simulation, NULL, NULL, NULL, &recorder);
    if (status == ZN_OK) status = zn_recorder_row(recorder);
    if (status == ZN_OK) status = zn_recorder_keep(recorder, like);
    else zn_recorder_finish(recorder, false);
    zn_simulation_destroy(simulation);
    return status;
}

zn_status study_shared_create(zn_context *context, const study_def *def, study_shared *s) {
    *s = (study_shared){.context = context, .def = def};
    zn_scene *scene = NULL;
    zn_result *like = NULL;
    zn_status status = study_plan_create(context, &def->plan, &s->plan);
    if (status == ZN_OK) status = load(s, context, def->n_sets, def->sets, &scene);
    if (status == ZN_OK) {
        s->targets = MEM_ARRAY(context, study_target, s->plan.n_axes);
        s->places = MEM_ARRAY(context, int, s->plan.n_axes);
        s->title = mem_text(context, zn_scene_title(scene));
        s->files = scene_files_hash(scene);
        if (!s->targets || !s->places || !s->title) status = ZN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->plan.n_axes && status == ZN_OK; i++) status = find_target(s, scene, i);
    if (status == ZN_OK) status = probe(s, scene, &like);
    if (status == ZN_OK) status = study_keep_create(context, def->n_keep, def->keep, def->from, like, &s->keep);
    zn_result_close(like);
    zn_scene_destroy(scene);
    if (status != ZN_OK) study_shared_free(s);
    return status;
}

void study_shared_free(study_shared *s) {
    if (!s->context) return;
    study_keep_free(&s->keep);
    study_plan_free(&s->plan);
    mem_free(s->context, s->targets);
    mem_free(s->context, s->places);
    mem_free(s->context, s->title);
    *s = (study_shared){0};
}

/* ---- workers ---- */

zn_status study_worker_create(const study_shared *shared, study_worker *w) {
    int n = shared->n_parameters, n_sets = shared->def->n_sets;
    *w = (study_worker){.shared = shared, .pool = calloc(1, sizeof *w->pool)};
    if (w->pool) w->context = zn_context_create(&(zn_context_def){.allocator = study_pool_allocator(w->pool)});
    if (!w->context) {
        free(w->pool);
        return ZN_ERROR_MEMORY;
    }
    w->parameters = MEM_ARRAY(w->context, double, n);
    w->sources = MEM_ARRAY(w->context, int, n);
    w->sets = MEM_ARRAY(w->context, char *, n_sets + n);
    bool ok = w->parameters && w->sources && w->sets;
    for (int i = 0; ok && i < n; i++) w->parameters[i] = NAN;
    for (int i = 0; ok && i < n_sets + n; i++) {
        w->sets[i] = i < n_sets ? mem_text(w->context, shared->def->sets[i]) : MEM_ARRAY(w->context, char, SET_TEXT);
        ok = w->sets[i];
    }
    if (!ok) study_worker_free(w);
    return ok ? ZN_OK : ZN_ERROR_MEMORY;
}

static void drop_simulation(study_worker *w) {
    zn_simulation_destroy(w->simulation);
    w->simulation = NULL;
}

static void drop_scene(study_worker *w) {
    drop_simulation(w);
    zn_recorder_finish(w->recorder, false);
    zn_scene_destroy(w->scene);
    w->recorder = NULL, w->scene = NULL;
}

void study_worker_free(study_worker *w) {
    if (!w->context) return;
    drop_scene(w);
    for (int i = 0; w->sets && i < w->shared->def->n_sets + w->shared->n_parameters; i++) mem_free(w->context, w->sets[i]);
    mem_free(w->context, w->sets);
    mem_free(w->context, w->parameters);
    mem_free(w->context, w->sources);
    zn_context_destroy(w->context);
    study_pool_free(w->pool);
    free(w->pool);
    *w = (study_worker){0};
}

static zn_status read_scene(study_worker *w) {
    const study_shared *s = w->shared;
    drop_scene(w);
    zn_status status = load(s, w->context, s->def->n_sets + s->n_parameters, (const char *const *)w->sets, &w->scene);
    for (int i = 0, p = 0; status == ZN_OK && i < s->plan.n_axes; i++)
        if (s->targets[i] == STUDY_PARAMETER) { /* whole results contain the scene as it was run, so it is read for each */
            w->sources[p] = s->def->results ? -1 : scene_parameter_source(w->scene, s->plan.axes[i].name);
            p++;
        }
    if (status == ZN_OK && !s->settings_vary) status = make_settings(s, w->context, w->scene, 0, &w->settings);
    return status;
}

/* Whether the model could follow the parameters that changed. */
static bool follow(study_worker *w, bool changed) {
    scene_changes changes = {0};
    if (!changed) return true;
    if (!scene_move(w->scene, w->shared->n_parameters, w->sources, w->parameters, &changes)) {
        zn_error_clear(w->context); /* the message of a scene with these parameters is better */
        return false;
    }
    if (changes.coefficients || (changes.restitution && !sim_reads_restitution(w->simulation))) drop_simulation(w);
    return true;
}

/* The scene with the parameters of the run. */
static zn_status take_scene(study_worker *w, long run) {
    const study_shared *s = w->shared;
    bool same = w->scene != NULL, changed = false;
    for (int i = 0, p = 0; i < s->plan.n_axes; i++) {
        if (s->targets[i] != STUDY_PARAMETER) continue;
        double value = study_plan_value(&s->plan, i, run);
        if (memcmp(&value, &w->parameters[p], sizeof value) != 0) changed = true, same = same && w->sources[p] >= 0; /* -0 is another one */
        w->parameters[p++] = value;
    }
    if (same && follow(w, changed)) return ZN_OK;
    for (int i = 0, p = 0; i < s->plan.n_axes; i++)
        if (s->targets[i] == STUDY_PARAMETER)
            snprintf(w->sets[s->def->n_sets + p], SET_TEXT, "%s=%.17g", s->plan.axes[i].name, w->parameters[p]), p++;
    return read_scene(w);
}

/* The scene is the worker's own, and so are the starts of its model. */
static void set_start(study_worker *w, long run) {
    const study_shared *s = w->shared;
    for (int i = 0; i < s->plan.n_axes; i++) {
        if (s->targets[i] < STUDY_POSITION) continue;
        double value = study_plan_value(&s->plan, i, run);
        if (s->targets[i] == STUDY_INPUT) scene_set_input(w->scene, s->places[i], value);
        else scene_set_start(w->scene, s->targets[i] == STUDY_VELOCITY, s->places[i], value);
    }
}

static zn_status take_simulation(study_worker *w, long run) {
    zn_settings settings = w->settings;
    zn_status status = ZN_OK;
    bool restarted = false;
    if (w->shared->settings_vary) {
        memset(&settings, 0, sizeof settings);
        status = make_settings(w->shared, w->context, w->scene, run, &settings);
    }
    if (status == ZN_OK && w->simulation && memcmp(&settings, &w->settings, sizeof settings) == 0)
        status = sim_restart(w->simulation, &restarted);
    if (status == ZN_OK && restarted) return ZN_OK;
    drop_simulation(w);
    w->settings = settings;
    return status == ZN_OK ? zn_simulation_create(w->context, zn_scene_model(w->scene), &settings, &w->simulation) : status;
}

static zn_status take_recorder(study_worker *w, const zn_simulation *simulation) {
    if (w->recorder && sim_recorder_restart(w->recorder, simulation)) return ZN_OK;
    zn_recorder_finish(w->recorder, false);
    return zn_recorder_create(w->context, simulation, NULL, NULL, NULL, &w->recorder);
}

/* What is kept is taken of rows in memory; a whole result goes to a file, too. */
typedef struct run_rows {
    zn_recorder *kept, *whole;
} run_rows;

static int record(void *user, const zn_simulation *simulation) {
    const run_rows *rows = user;
    (void)simulation;
    return zn_recorder_row(rows->kept) != ZN_OK || (rows->whole && zn_recorder_row(rows->whole) != ZN_OK);
}

static zn_status open_whole(const study_worker *w, long run, zn_recorder **whole) {
    *whole = NULL;
    if (!w->shared->def->results) return ZN_OK;
    char *path = mem_format(w->context, "%s/run-%ld.h5", w->shared->def->results, run);
    zn_status status = path ? zn_scene_record(w->context, w->scene, w->simulation, path, whole) : ZN_ERROR_MEMORY;
    mem_free(w->context, path);
    return status;
}

static zn_status simulate(study_worker *w, long run, study_row *row, double *kept, double *reached) {
    zn_recorder *whole = NULL;
    zn_status status = take_scene(w, run);
    if (status == ZN_OK) set_start(w, run);
    if (status == ZN_OK) status = take_simulation(w, run);
    if (status == ZN_OK) status = take_recorder(w, w->simulation);
    if (status == ZN_OK) status = open_whole(w, run, &whole);
    if (status == ZN_OK) status = zn_simulation_run(w->simulation, record, &(run_rows){w->recorder, whole});
    if (w->simulation) *reached = zn_simulation_time(w->simulation);
    if (whole) {
        zn_status written = zn_recorder_finish(whole, true); /* also of a run that failed: up to there */
        if (status == ZN_OK) status = written;
    }
    if (status == ZN_OK) {
        zn_statistics statistics = zn_simulation_statistics(w->simulation);
        status = study_keep_take(&w->shared->keep, sim_recorder_rows(w->recorder), &statistics, kept, &row->events);
    }
    if (status != ZN_OK) drop_simulation(w); /* not reusable after a failure */
    return status;
}

void study_worker_run(study_worker *w, long run, study_row *row) {
    const study_shared *s = w->shared;
    int n = s->plan.n_axes, kept = s->keep.width;
    double reached = NAN;
    row->message[0] = '\0';
    row->events.count = 0;
    for (int i = 0; i < n; i++) row->numbers[i] = study_plan_value(&s->plan, i, run);
    for (int i = 0; i < kept; i++) row->numbers[n + i] = NAN;
    zn_error_clear(w->context);
    zn_status status = simulate(w, run, row, row->numbers + n, &reached);
    if (status != ZN_OK) {
        const char *text = zn_error_text(w->context);
        for (int i = 0; i < kept; i++) row->numbers[n + i] = NAN;
        row->events.count = 0;
        snprintf(row->message, sizeof row->message, "%.*s", (int)strcspn(text, "\n"), *text ? text : zn_status_text(status));
    }
    row->numbers[n + kept] = status;
    row->numbers[n + kept + 1] = reached;
}
