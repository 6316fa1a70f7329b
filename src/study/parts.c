/* SPDX-License-Identifier: Apache-2.0 */
/* A study in parts: PATH.part-I.h5 is the file of the I-th of N parts (as --shard makes it), continued like any other; when all are
 * complete they are joined. Their number is stored in PATH.parts with the hash of the study, so that a run that continues the study, with
 * fewer processes or with threads, uses the same parts. */
#include "study/crew.h"

#include "base/output.h"

#include <stdio.h>
#include <unistd.h>

enum { RUNS_OF_WORKER = 256, MOST_PARTS_OF_TEAM = 8, MOST_PARTS = 100000 };

char *study_part_path(zn_context *context, const char *out, int part) { return mem_format(context, "%s.part-%d.h5", out, part); }

static char *plan_path(const study_shared *s) { return mem_format(s->context, "%s.parts", s->def->out); }

/* 0: none. */
static int read_plan(const char *path, const char *hash, bool *other) {
    char its[STUDY_HASH_TEXT] = "";
    int parts = 0;
    FILE *file = fopen(path, "r");
    bool there = file && fscanf(file, "%39s %d", its, &parts) == 2 && parts > 0 && parts <= MOST_PARTS;
    if (file) fclose(file);
    *other = there && strcmp(its, hash) != 0;
    return there && !*other ? parts : 0;
}

static zn_status write_plan(const study_shared *s, const char *path, const char *hash, int parts) {
    output_file *file = NULL;
    zn_status status = output_open(s->context, path, &file);
    FILE *stream = status == ZN_OK ? output_stream(file) : NULL;
    if (stream) fprintf(stream, "%s %d\n", hash, parts); /* publishing finds errors */
    else if (status == ZN_OK) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = output_publish(file);
    output_close(file, false);
    return status;
}

static void remove_parts(const study_shared *s, const char *plan, int parts) {
    for (int i = 1; i <= parts; i++) {
        char *path = study_part_path(s->context, s->def->out, i);
        if (path) unlink(path);
        mem_free(s->context, path);
    }
    unlink(plan);
}

zn_status study_parts_plan(const study_shared *s, int teams, int workers, int *parts) {
    study_table table;
    bool begun = false, other = false;
    *parts = 0;
    if (s->def->n_shards > 0) return ZN_OK;
    char *path = plan_path(s);
    zn_status status = path ? study_table_look(s, &table, &begun) : ZN_ERROR_MEMORY;
    if (status == ZN_OK) *parts = read_plan(path, table.hash, &other);
    if (status == ZN_OK && table.complete) {
        if (*parts) remove_parts(s, path, *parts); /* killed after the last row */
        *parts = 0;
    } else if (status == ZN_OK && other)
        status = fail(s->context, ZN_ERROR_FILE,
                      "%s belongs to parts of another study (other scene, settings, values or version); remove them or choose another name",
                      path);
    else if (status == ZN_OK && !*parts && !begun && teams > 1) {
        long each = s->plan.runs / ((long)RUNS_OF_WORKER * workers);
        *parts = teams * (int)(each < 1 ? 1 : each > MOST_PARTS_OF_TEAM ? MOST_PARTS_OF_TEAM : each);
        status = write_plan(s, path, table.hash, *parts);
    }
    mem_free(s->context, path);
    return status;
}

zn_status study_part(const study_shared *s, study_team *team, int part, int parts, const study_watch *watch, study_outcome *outcome) {
    study_def def = *s->def;
    study_shared own = *s;
    char *path = study_part_path(s->context, s->def->out, part);
    def.out = path, def.shard = part, def.n_shards = parts;
    own.def = &def;
    if (team) team->part = part;
    zn_status status = path ? study_file(&own, team, watch, outcome) : ZN_ERROR_MEMORY;
    mem_free(s->context, path);
    return status;
}

zn_status study_parts_join(const study_shared *s, int parts, study_outcome *outcome) {
    zn_context *context = s->context;
    char **paths = MEM_ARRAY(context, char *, parts), *plan = plan_path(s);
    zn_status status = paths && plan ? ZN_OK : ZN_ERROR_MEMORY;
    study_outcome merged;
    for (int i = 0; i < parts && status == ZN_OK; i++)
        if (!(paths[i] = study_part_path(context, s->def->out, i + 1))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = study_merge(context, parts, (const char *const *)paths, s->def->out, &merged);
    if (status == ZN_OK) {
        outcome->runs = merged.runs, outcome->failed = merged.failed;
        remove_parts(s, plan, parts);
    }
    for (int i = 0; paths && i < parts; i++) mem_free(context, paths[i]);
    mem_free(context, paths);
    mem_free(context, plan);
    return status;
}

/* ---- one after the other ---- */

/* Rows of earlier parts are counted, too. */
typedef struct whole_watch {
    const study_watch *watch;
    long runs, done, failed;
    double seconds;
} whole_watch;

static int watch_whole(void *user, long runs, long done, long failed, double seconds) {
    const whole_watch *w = user;
    (void)runs;
    return w->watch->progress ? w->watch->progress(w->watch->user, w->runs, w->done + done, w->failed + failed, w->seconds + seconds) : 0;
}

zn_status study_parts_alone(const study_shared *s, study_team *team, int parts, const study_watch *watch, study_outcome *outcome) {
    whole_watch w = {.watch = watch, .runs = s->plan.runs};
    zn_status status = ZN_OK;
    *outcome = (study_outcome){0};
    for (int i = 1; i <= parts && status == ZN_OK && !outcome->stopped; i++) {
        study_outcome part;
        status = study_part(s, team, i, parts, &(study_watch){watch_whole, &w}, &part);
        w.done += part.runs, w.failed += part.failed, w.seconds += part.seconds;
        outcome->done += part.done, outcome->stopped = part.stopped;
    }
    outcome->runs = w.done, outcome->failed = w.failed, outcome->seconds = w.seconds;
    return status == ZN_OK && !outcome->stopped ? study_parts_join(s, parts, outcome) : status;
}
