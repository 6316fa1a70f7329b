/* SPDX-License-Identifier: Apache-2.0 */
/* Files of parts joined, one after the other: only the piece being copied is in memory, and packed chunks are copied unchanged. */
#include "study/table.h"

#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_TEXTS = 16, NUMBER_TEXT = 24 };

typedef struct study_part {
    const char *path;
    long first, count;
} study_part;

static int compare_parts(const void *a, const void *b) {
    const study_part *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x->count > y->count) - (x->count < y->count);
}

/* Whether a file is a complete part of the study with that hash; an empty hash accepts any and is set. */
static zn_status look_at(zn_context *context, const char *path, const char *first_path, char hash[STUDY_HASH_TEXT], study_part *part,
                         long *runs) {
    result_file *file;
    zn_status status = result_open(context, path, &file);
    if (status != ZN_OK) return status;
    const char *its = result_get_text(file, "study");
    *part = (study_part){path, study_number(file, "first"), study_number(file, "count")};
    *runs = study_number(file, "runs");
    if (!its) status = fail(context, ZN_ERROR_FILE, "%s is no study", path);
    else if (*hash && strcmp(hash, its) != 0)
        status = fail(context, ZN_ERROR_FILE, "%s and %s belong to different studies", first_path, path);
    else if (result_rows(file) != part->count)
        status = fail(context, ZN_ERROR_FILE, "%s has %ld of %ld runs; repeat the command that wrote it to continue", path,
                      result_rows(file), part->count);
    else snprintf(hash, STUDY_HASH_TEXT, "%s", its);
    result_close(file);
    return status;
}

/* Parts of one study, in order and without gaps. */
static zn_status check_parts(zn_context *context, int n, const char *const *paths, study_part *parts) {
    char hash[STUDY_HASH_TEXT] = "";
    long runs = 0, next = 0;
    for (int i = 0; i < n; i++) {
        zn_status status = look_at(context, paths[i], paths[0], hash, &parts[i], &runs);
        if (status != ZN_OK) return status;
    }
    qsort(parts, (size_t)n, sizeof *parts, compare_parts);
    for (int i = 0; i < n; next += parts[i++].count) {
        if (parts[i].first > next)
            return fail(context, ZN_ERROR_FILE, "runs %ld to %ld are missing: a part is not among the files", next, parts[i].first - 1);
        if (parts[i].first < next) return fail(context, ZN_ERROR_FILE, "run %ld occurs twice", parts[i].first);
    }
    return next == runs ? ZN_OK
                        : fail(context, ZN_ERROR_FILE, "runs %ld to %ld are missing: a part is not among the files", next, runs - 1);
}

/* The file of all runs, as the first part is. */
static zn_status create(zn_context *context, const result_file *like, const char *out, bool only_packed, study_table *t) {
    const result_layout *layout = result_get_layout(like);
    result_text texts[N_TEXTS];
    char runs[NUMBER_TEXT];
    *t = (study_table){.context = context, .width = result_layout_width(layout), .count = study_number(like, "runs")};
    t->status_at = t->width - 2;
    if (layout->n_texts > N_TEXTS || t->width < 2) return fail(context, ZN_ERROR_FILE, "the parts are not studies");
    snprintf(runs, sizeof runs, "%ld", t->count);
    for (int i = 0; i < layout->n_texts; i++) {
        texts[i] = layout->texts[i];
        if (!strcmp(texts[i].name, "first")) texts[i].value = "0";
        if (!strcmp(texts[i].name, "count")) texts[i].value = runs;
    }
    result_layout whole = *layout;
    whole.texts = texts, whole.notes = "message", whole.packed = true, whole.only_packed = only_packed;
    return result_writer_create(context, out, &whole, &t->writer);
}

static zn_status merge_into(zn_context *context, int n, const study_part *parts, const char *out, bool only_packed, study_outcome *outcome,
                            bool *published) {
    study_table t = {.context = context};
    zn_status status = ZN_OK;
    for (int i = 0; i < n && status == ZN_OK; i++) {
        result_file *part;
        status = result_open(context, parts[i].path, &part);
        if (status != ZN_OK) break;
        if (i == 0) status = create(context, part, out, only_packed, &t);
        if (status == ZN_OK) status = study_table_append(&t, part);
        result_close(part);
    }
    *outcome = (study_outcome){.runs = t.rows, .failed = t.failed};
    zn_status finished = t.writer ? result_writer_finish(t.writer, status == ZN_OK) : ZN_OK;
    *published = t.writer && result_writer_is_published(t.writer);
    result_writer_destroy(t.writer);
    return status == ZN_OK ? finished : status;
}

zn_status study_merge(zn_context *context, int n, const char *const *paths, const char *out, study_outcome *outcome) {
    *outcome = (study_outcome){0};
    bool published = false;
    study_part *parts = MEM_ARRAY(context, study_part, n);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_status status = n > 0 ? ZN_OK : fail(context, ZN_ERROR_ARGUMENT, "there are no files to merge");
    for (int i = 0; i < n && status == ZN_OK; i++) status = output_check_input(context, out, paths[i]);
    if (status == ZN_OK) status = check_parts(context, n, paths, parts);
    if (status == ZN_OK) status = merge_into(context, n, parts, out, true, outcome, &published);
    if (status == ZN_OK && !published) status = merge_into(context, n, parts, out, false, outcome, &published);
    mem_free(context, parts);
    return status;
}
