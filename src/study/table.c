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
 * Rows are written in order, so a killed study leaves the beginning of a file. It is set aside as PATH.partial.old, copied to the new
 * PATH.partial, and continued: the bytes are those of a study that was not killed. If the copying is killed too, the longer of both
 * files counts. */
#include "study/table.h"

#include "base/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HASH_TEXT = STUDY_HASH_TEXT, NUMBER_TEXT = 24 };

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

long study_number(const result_file *file, const char *name) {
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
        status = result_writer_entry(t->writer, 0, t->entry);
    }
    return status == ZN_OK ? put_row(t, row->numbers, row->message) : status;
}

static zn_status count_failed(result_file *file, int status_at, long *failed) {
    double codes[1024];
    const long some = sizeof codes / sizeof *codes;
    zn_status status = ZN_OK;
    for (long first = 0, rows = result_rows(file); first < rows && status == ZN_OK; first += some) {
        long count = rows - first < some ? rows - first : some;
        status = result_part(file, status_at, first, count, codes);
        for (long i = 0; i < count && status == ZN_OK; i++) *failed += codes[i] != 0;
    }
    return status;
}

zn_status study_table_append(study_table *t, result_file *from) {
    zn_status status = result_writer_append(t->writer, from, result_rows(from));
    if (status == ZN_OK) status = count_failed(from, t->status_at, &t->failed);
    if (status == ZN_OK) t->rows += result_rows(from);
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
        const result_entries entries = {"events", event_meaning, 3 + s->keep.n_values, columns, "events", s->keep.n_events, events, NULL};
        const result_layout layout = {.n_datasets = names.count,
                                      .datasets = names.datasets,
                                      .n_texts = n_texts,
                                      .texts = texts,
                                      .entries = s->keep.n_events ? &entries : NULL,
                                      .notes = "message",
                                      .packed = true};
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
    if (result_open(context, path, &file) != ZN_OK) { /* killed before its first row, or some other file: ignored */
        if (errors == 0) zn_error_clear(context);
        return NULL;
    }
    const char *its = result_get_text(file, "study");
    bool same = its && !strcmp(its, hash) && study_number(file, "first") == t->first && study_number(file, "count") == t->count;
    if (its && !same) *other = true;
    if (same) return file;
    result_close(file);
    return NULL;
}

/* Moves the rest of an earlier study out of the way of the new file. */
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
                      "%s belongs to another study (other scene, settings, values or version); remove it or choose another name", partial);
    bool keep_old = older && (!newer || result_rows(older) >= result_rows(newer));
    long rows = older ? result_rows(older) : 0;
    result_close(newer);
    result_close(older);
    if (status == ZN_OK && !keep_old && newer) status = output_set_aside(context, path, old, &there);
    if (status == ZN_OK && (newer || rows > 0)) *before = find_study(context, old, hash, t, &other);
    mem_free(context, partial);
    return status;
}

/* Parts of many chunks begin with a chunk, so that they can be joined chunk by chunk. */
static void range_of(const study_shared *s, study_table *t) {
    enum { MANY_CHUNKS = 16 };
    long runs = s->plan.runs, n = s->def->n_shards, i = s->def->shard - 1, unit = result_chunk_rows(t->width);
    t->first = 0, t->count = runs;
    if (n < 1) return;
    if (runs / n < MANY_CHUNKS * unit) unit = 1;
    long units = (runs + unit - 1) / unit, each = units / n, more = units % n; /* the first `more` parts have one more */
    t->first = unit * (i * each + (i < more ? i : more));
    t->count = unit * (each + (i < more));
    if (t->first + t->count > runs) t->count = runs - t->first;
}

/* Complete: true, and its rows are counted. */
static zn_status look_at(const study_shared *s, study_table *t) {
    zn_context *context = s->context;
    bool other = false;
    *t = (study_table){.context = context, .width = study_row_width(s), .n_values = s->keep.n_values, .status_at = study_row_width(s) - 2};
    identify(s, t->hash);
    range_of(s, t);
    result_file *file = find_study(context, s->def->out, t->hash, t, &other);
    zn_status status = ZN_OK;
    if (file && result_rows(file) == t->count) {
        t->rows = t->count, t->complete = true;
        status = count_failed(file, t->status_at, &t->failed);
    }
    result_close(file);
    return status;
}

zn_status study_table_look(const study_shared *s, study_table *t, bool *begun) {
    char *partial = mem_format(s->context, "%s.partial", s->def->out), *old = mem_format(s->context, "%s.partial.old", s->def->out);
    bool other = false;
    zn_status status = partial && old ? look_at(s, t) : ZN_ERROR_MEMORY;
    result_file *newer = status == ZN_OK ? find_study(s->context, partial, t->hash, t, &other) : NULL,
                *older = status == ZN_OK ? find_study(s->context, old, t->hash, t, &other) : NULL;
    *begun = newer || older || other; /* another one: it is refused when it is to be continued */
    result_close(newer);
    result_close(older);
    mem_free(s->context, partial);
    mem_free(s->context, old);
    return status;
}

zn_status study_table_open(const study_shared *s, study_table *t) {
    zn_context *context = s->context;
    char *hash = t->hash, first[NUMBER_TEXT], count[NUMBER_TEXT], runs[NUMBER_TEXT];
    result_file *before = NULL;
    zn_status status = look_at(s, t);
    if (status != ZN_OK || t->complete) return status;
    put_range(t, first, count);
    snprintf(runs, sizeof runs, "%ld", s->plan.runs);
    char *old = mem_format(context, "%s.partial.old", s->def->out), *single = study_case_text(s);
    status = old && single ? set_aside(s, hash, old, t, &before) : ZN_ERROR_MEMORY;
    const result_text texts[] = {{"title", s->title, RESULT_TEXT},       {"scene", s->def->text, RESULT_TEXT},
                                 {"version", zn_version(), RESULT_TEXT}, {"study", hash, RESULT_TEXT},
                                 {"runs", runs, RESULT_WHOLE},           {"first", first, RESULT_WHOLE},
                                 {"count", count, RESULT_WHOLE},         {"case", single ? single : "", RESULT_TEXT}};
    if (status == ZN_OK) status = create_writer(s, s->def->out, texts, sizeof texts / sizeof *texts, t);
    if (status == ZN_OK && before) status = study_table_append(t, before);
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
