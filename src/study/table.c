/* SPDX-License-Identifier: Apache-2.0 */
/* The file: row k - first is run k.
 *
 *   /values/NAME    a number for each run; of a list of words their places in it, from 0
 *   /kept/WHAT      a number for each run, or a row of them
 *   /status         0: all went well; else the number of the status
 *   /reached        the time that the run reached
 *   /message        what went wrong; empty: nothing
 *   /events         events: row, number of the event, time, values
 *
 * Rows are written in order, so that what a killed study left is a beginning. It is set aside as PATH.partial.old, copied to the new
 * PATH.partial, and goes on from there: the bytes are those of a study that was not killed. If the copying is killed too, the longer of both
 * files counts. */
#include "study/table.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N_TEXTS = 16, HASH_TEXT = STUDY_HASH_TEXT, NUMBER_TEXT = 24 };

/* ---- which study ---- */

/* FNV-1a, twice with different beginnings. A zero ends each text, so that neighbours cannot exchange letters. */
typedef struct study_hash {
    uint64_t part[2];
} study_hash;

static void hash_text(study_hash *h, const char *text) {
    for (const char *c = text;; c++) {
        for (int i = 0; i < 2; i++) h->part[i] = (h->part[i] ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        h->part[1] += h->part[0] >> 29;
        if (!*c) return;
    }
}

static void hash_number(study_hash *h, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    hash_text(h, text);
}

static void identify(const study_shared *s, char text[HASH_TEXT]) {
    const study_def *d = s->def;
    study_hash h = {{UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)}};
    hash_text(&h, zn_version());
    hash_text(&h, d->text);
    for (int i = 0; i < d->n_sets; i++) hash_text(&h, d->sets[i]);
    hash_text(&h, "settings");
    for (int i = 0; i < d->n_settings; i++) hash_text(&h, d->settings[i].name), hash_text(&h, d->settings[i].value);
    hash_text(&h, "vary");
    for (int i = 0; i < d->plan.n_vary; i++) hash_text(&h, d->plan.vary[i]);
    hash_text(&h, "keep");
    for (int i = 0; i < d->n_keep; i++) hash_text(&h, d->keep[i]);
    hash_number(&h, d->from);
    hash_number(&h, (double)d->plan.samples);
    hash_number(&h, (double)d->plan.sampling);
    hash_number(&h, (double)d->plan.zip);
    snprintf(text, HASH_TEXT, "%" PRIu64, s->files);
    hash_text(&h, text);
    snprintf(text, HASH_TEXT, "%" PRIu64, d->plan.seed);
    hash_text(&h, text);
    snprintf(text, HASH_TEXT, "%016" PRIx64 "%016" PRIx64, h.part[0], h.part[1]);
}

static long long_of(const result_file *file, const char *name) {
    const char *text = result_get_text(file, name);
    return text ? strtol(text, NULL, 10) : -1;
}

/* ---- rows ---- */

static zn_status put_row(study_table *t, const double *numbers, const char *message) {
    zn_status status = *message ? result_writer_note(t->writer, message) : ZN_OK;
    if (status == ZN_OK) status = result_writer_row(t->writer, numbers);
    if (status != ZN_OK) return status;
    t->rows++;
    t->failed += numbers[t->status_at] != 0;
    return ZN_OK;
}

zn_status study_table_row(study_table *t, const study_row *row) {
    zn_status status = ZN_OK;
    size_t width = 2 + (size_t)t->n_values;
    for (size_t i = 0; i < row->events.count && status == ZN_OK; i++) {
        t->entry[0] = (double)t->rows;
        memcpy(t->entry + 1, row->events.entries + i * width, width * sizeof *t->entry);
        status = result_writer_entry(t->writer, t->entry);
    }
    return status == ZN_OK ? put_row(t, row->numbers, row->message) : status;
}

/* All rows of another file behind ours; their events count rows from its first. */
static zn_status copy_rows(study_table *t, result_file *from) {
    long rows = result_rows(from), n_entries = 0, next = 0, before = t->rows;
    const double **columns = MEM_ARRAY(t->context, const double *, t->width), *entries = NULL;
    double *row = MEM_ARRAY(t->context, double, t->width);
    char message[RESULT_NOTE_BYTES];
    zn_status status = columns && row ? result_get_entries(from, &entries, &n_entries) : ZN_ERROR_MEMORY;
    for (int c = 0; c < t->width && status == ZN_OK; c++) status = result_column(from, c, &columns[c]);
    size_t width = 3 + (size_t)t->n_values;
    for (long i = 0; i < rows && status == ZN_OK; i++) {
        for (; next < n_entries && entries[(size_t)next * width] <= (double)i && status == ZN_OK; next++) {
            memcpy(t->entry, entries + (size_t)next * width, width * sizeof *t->entry);
            t->entry[0] += (double)before;
            status = result_writer_entry(t->writer, t->entry);
        }
        for (int c = 0; c < t->width; c++) row[c] = columns[c][i];
        if (status == ZN_OK) status = result_note(from, i, message);
        if (status == ZN_OK) status = put_row(t, row, message);
    }
    mem_free(t->context, row);
    mem_free(t->context, columns);
    return status;
}

/* ---- layout ---- */

typedef struct table_names {
    result_dataset *datasets;
    char **names, **meanings;
    int count;
} table_names;

static bool add_dataset(zn_context *context, table_names *n, char *name, char *meaning, int columns, const char *const *names) {
    n->names[n->count] = name;
    n->meanings[n->count] = meaning;
    n->datasets[n->count++] = (result_dataset){name, meaning, columns, names, !names};
    (void)context;
    return name && meaning;
}

static char *axis_meaning(zn_context *context, const study_axis *axis) {
    if (!axis->words) return mem_text(context, "value of each run");
    char *text = mem_text(context, "place of the value of each run in this list, from 0: ");
    for (long i = 0; text && i < axis->count; i++) {
        char *longer = mem_format(context, "%s%s%s", text, i ? ", " : "", axis->words[i]);
        mem_free(context, text);
        text = longer;
    }
    return text;
}

static bool name_datasets(const study_shared *s, table_names *n) {
    zn_context *context = s->context;
    int most = s->plan.n_axes + s->keep.n_items + 2;
    n->datasets = MEM_ARRAY(context, result_dataset, most);
    n->names = MEM_ARRAY(context, char *, most);
    n->meanings = MEM_ARRAY(context, char *, most);
    bool ok = n->datasets && n->names && n->meanings;
    for (int i = 0; ok && i < s->plan.n_axes; i++)
        ok = add_dataset(context, n, mem_format(context, "values/%s", s->plan.axes[i].name), axis_meaning(context, &s->plan.axes[i]), 1,
                         NULL);
    for (int i = 0; ok && i < s->keep.n_items; i++) {
        const study_item *item = &s->keep.items[i];
        ok = add_dataset(context, n, mem_format(context, "kept/%s", item->name),
                         mem_text(context, "kept of each run; not a number where it failed"), item->n_columns,
                         item->n_columns ? (const char *const *)item->short_names : NULL);
    }
    ok = ok && add_dataset(context, n, mem_text(context, "status"), mem_text(context, "0: all went well; else the number of the status"), 1,
                           NULL);
    return ok && add_dataset(context, n, mem_text(context, "reached"), mem_text(context, "time that the run reached"), 1, NULL);
}

static void free_names(zn_context *context, table_names *n) {
    for (int i = 0; i < n->count; i++) mem_free(context, n->names[i]), mem_free(context, n->meanings[i]);
    mem_free(context, n->datasets);
    mem_free(context, n->names);
    mem_free(context, n->meanings);
}

static const char event_meaning[] = "events of runs, row by row: which one (see the attribute events), when, and columns at it";

static zn_status create_writer(const study_shared *s, const char *path, const result_text *texts, int n_texts, study_table *t) {
    zn_context *context = s->context;
    table_names names = {0};
    const char **columns = MEM_ARRAY(context, const char *, 3 + s->keep.n_values),
               **events = MEM_ARRAY(context, const char *, s->keep.n_events);
    t->entry = MEM_ARRAY(context, double, 3 + s->keep.n_values);
    zn_status status = name_datasets(s, &names) && columns && events && t->entry ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        columns[0] = "row", columns[1] = "event", columns[2] = "time";
        for (int i = 0; i < s->keep.n_values; i++) columns[3 + i] = s->keep.values[i];
        for (int i = 0; i < s->keep.n_events; i++) events[i] = s->keep.events[i].name;
        const result_entries entries = {"events", event_meaning, 3 + s->keep.n_values, columns, "events", s->keep.n_events, events};
        const result_layout layout = {names.count, names.datasets, n_texts, texts, s->keep.n_events ? &entries : NULL, "message", true};
        status = result_writer_create(context, path, &layout, &t->writer);
    }
    free_names(context, &names);
    mem_free(context, columns);
    mem_free(context, events);
    return status;
}

/* ---- opening ---- */

static void put_range(study_table *t, char first[NUMBER_TEXT], char count[NUMBER_TEXT]) {
    snprintf(first, NUMBER_TEXT, "%ld", t->first);
    snprintf(count, NUMBER_TEXT, "%ld", t->count);
}

/* A study that is there already, or NULL. *other: it is another one. */
static result_file *find_study(zn_context *context, const char *path, const char *hash, const study_table *t, bool *other) {
    result_file *file = NULL;
    if (access(path, F_OK) != 0) return NULL;
    int errors = zn_error_count(context);
    if (result_open(context, path, &file) != ZN_OK) { /* killed before its first row, or something else: as good as nothing */
        if (errors == 0) zn_error_clear(context);
        return NULL;
    }
    const char *its = result_get_text(file, "study");
    bool same = its && !strcmp(its, hash) && long_of(file, "first") == t->first && long_of(file, "count") == t->count;
    if (its && !same) *other = true;
    if (same) return file;
    result_close(file);
    return NULL;
}

/* What an earlier study left, out of the way of the new file. */
static zn_status set_aside(const study_shared *s, const char *hash, const char *old, study_table *t, result_file **before) {
    zn_context *context = s->context;
    const char *path = s->def->out;
    char *partial = mem_format(context, "%s.partial", path);
    bool other = false, there;
    if (!partial) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    result_file *newer = find_study(context, partial, hash, t, &other), *older = find_study(context, old, hash, t, &other);
    if (other)
        status = fail(context, ZN_ERROR_FILE,
                      "%s is the beginning of another study (other scene, settings, values or version); remove it or choose another name",
                      partial);
    bool keep_old = older && (!newer || result_rows(older) >= result_rows(newer));
    long rows = older ? result_rows(older) : 0;
    result_close(newer);
    result_close(older);
    if (status == ZN_OK && !keep_old && newer) status = output_set_aside(context, path, old, &there);
    if (status == ZN_OK && (newer || rows > 0)) *before = find_study(context, old, hash, t, &other);
    mem_free(context, partial);
    return status;
}

static void range_of(const study_shared *s, study_table *t) {
    long runs = s->plan.runs, n = s->def->n_shards, i = s->def->shard;
    t->first = 0, t->count = runs;
    if (n < 1) return;
    long each = runs / n, more = runs % n; /* the first `more` parts have one more */
    t->first = (i - 1) * each + (i - 1 < more ? i - 1 : more);
    t->count = each + (i <= more);
}

zn_status study_table_open(const study_shared *s, study_table *t) {
    zn_context *context = s->context;
    *t = (study_table){.context = context, .width = study_row_width(s), .n_values = s->keep.n_values, .status_at = study_row_width(s) - 2};
    char *hash = t->hash, first[NUMBER_TEXT], count[NUMBER_TEXT], runs[NUMBER_TEXT];
    bool other = false;
    identify(s, hash);
    range_of(s, t);
    put_range(t, first, count);
    snprintf(runs, sizeof runs, "%ld", s->plan.runs);
    result_file *before = find_study(context, s->def->out, hash, t, &other);
    if (before && result_rows(before) == t->count) {
        const double *status_column;
        int index;
        zn_status status = result_find(before, "status", &index);
        if (status == ZN_OK) status = result_column(before, index, &status_column);
        for (long i = 0; status == ZN_OK && i < t->count; i++) t->failed += status_column[i] != 0;
        t->rows = t->count, t->complete = true;
        result_close(before);
        return status;
    }
    result_close(before);
    before = NULL;
    char *old = mem_format(context, "%s.partial.old", s->def->out), *single = study_case_text(s);
    zn_status status = old && single ? set_aside(s, hash, old, t, &before) : ZN_ERROR_MEMORY;
    const result_text texts[] = {{"title", s->title, RESULT_TEXT},       {"scene", s->def->text, RESULT_TEXT},
                                 {"version", zn_version(), RESULT_TEXT}, {"study", hash, RESULT_TEXT},
                                 {"runs", runs, RESULT_WHOLE},           {"first", first, RESULT_WHOLE},
                                 {"count", count, RESULT_WHOLE},         {"case", single ? single : "", RESULT_TEXT}};
    if (status == ZN_OK) status = create_writer(s, s->def->out, texts, sizeof texts / sizeof *texts, t);
    if (status == ZN_OK && before) status = copy_rows(t, before);
    if (status == ZN_OK && before) status = result_writer_flush(t->writer);
    result_close(before);
    if (status == ZN_OK) unlink(old);
    else study_table_finish(t, false);
    mem_free(context, single);
    mem_free(context, old);
    return status;
}

zn_status study_table_flush(study_table *t) { return result_writer_flush(t->writer); }

zn_status study_table_finish(study_table *t, bool whole) {
    zn_status status = t->writer ? result_writer_finish(t->writer, whole) : ZN_OK;
    result_writer_destroy(t->writer);
    mem_free(t->context, t->entry);
    t->writer = NULL, t->entry = NULL;
    return status;
}

/* ---- merging ---- */

static int compare_parts(const void *a, const void *b) {
    long x = long_of(*(result_file *const *)a, "first"), y = long_of(*(result_file *const *)b, "first");
    if (x == y) x = long_of(*(result_file *const *)a, "count"), y = long_of(*(result_file *const *)b, "count");
    return (x > y) - (x < y);
}

/* Parts of one study, in order and without gaps. */
static zn_status check_parts(zn_context *context, int n, const char *const *paths, result_file **parts) {
    const char *hash = NULL;
    for (int i = 0; i < n; i++) {
        zn_status status = result_open(context, paths[i], &parts[i]);
        if (status != ZN_OK) return status;
        const char *its = result_get_text(parts[i], "study");
        if (!its) return fail(context, ZN_ERROR_FILE, "%s is no study", paths[i]);
        if (hash && strcmp(hash, its) != 0)
            return fail(context, ZN_ERROR_FILE, "%s and %s belong to different studies", paths[0], paths[i]);
        hash = its;
        if (result_rows(parts[i]) != long_of(parts[i], "count"))
            return fail(context, ZN_ERROR_FILE, "%s has %ld of %ld runs; the command that wrote it continues it", paths[i],
                        result_rows(parts[i]), long_of(parts[i], "count"));
    }
    qsort(parts, (size_t)n, sizeof *parts, compare_parts);
    long next = 0;
    for (int i = 0; i < n; i++) {
        long first = long_of(parts[i], "first");
        if (first > next)
            return fail(context, ZN_ERROR_FILE, "runs %ld to %ld are missing: a part is not among the files", next, first - 1);
        if (first < next) return fail(context, ZN_ERROR_FILE, "run %ld is there twice", first);
        next += long_of(parts[i], "count");
    }
    long runs = long_of(parts[0], "runs");
    return next == runs ? ZN_OK
                        : fail(context, ZN_ERROR_FILE, "runs %ld to %ld are missing: a part is not among the files", next, runs - 1);
}

static zn_status merge_into(zn_context *context, int n, result_file **parts, const char *out, study_outcome *outcome) {
    const result_layout *like = result_get_layout(parts[0]);
    result_text texts[N_TEXTS];
    char first[NUMBER_TEXT], count[NUMBER_TEXT];
    study_table t = {.context = context,
                     .width = result_layout_width(like),
                     .n_values = like->entries ? like->entries->n_columns - 3 : 0,
                     .count = long_of(parts[0], "runs")};
    put_range(&t, first, count);
    if (like->n_texts > N_TEXTS || t.n_values < 0 || t.width < 2) return fail(context, ZN_ERROR_FILE, "the parts are no studies");
    for (int i = 0; i < like->n_texts; i++) {
        texts[i] = like->texts[i];
        if (!strcmp(texts[i].name, "first")) texts[i].value = first;
        if (!strcmp(texts[i].name, "count")) texts[i].value = count;
    }
    result_layout layout = *like;
    layout.texts = texts, layout.notes = "message", layout.packed = true;
    t.status_at = t.width - 2;
    t.entry = MEM_ARRAY(context, double, 3 + t.n_values);
    zn_status status = t.entry ? result_writer_create(context, out, &layout, &t.writer) : ZN_ERROR_MEMORY;
    for (int i = 0; i < n && status == ZN_OK; i++) {
        if (result_layout_width(result_get_layout(parts[i])) != t.width)
            status = fail(context, ZN_ERROR_FILE, "the parts have different columns");
        else status = copy_rows(&t, parts[i]);
    }
    *outcome = (study_outcome){.runs = t.rows, .failed = t.failed};
    zn_status finished = study_table_finish(&t, status == ZN_OK);
    return status == ZN_OK ? finished : status;
}

zn_status study_merge(zn_context *context, int n, const char *const *paths, const char *out, study_outcome *outcome) {
    *outcome = (study_outcome){0};
    result_file **parts = MEM_ARRAY(context, result_file *, n);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_status status = n > 0 ? ZN_OK : fail(context, ZN_ERROR_ARGUMENT, "there are no files to merge");
    for (int i = 0; i < n && status == ZN_OK; i++) status = output_check_input(context, out, paths[i]);
    if (status == ZN_OK) status = check_parts(context, n, paths, parts);
    if (status == ZN_OK) status = merge_into(context, n, parts, out, outcome);
    for (int i = 0; i < n; i++) result_close(parts[i]);
    mem_free(context, parts);
    return status;
}
