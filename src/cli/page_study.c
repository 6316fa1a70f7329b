/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page of a study: what varies, the kept values and errors of each run, events, how to repeat a run (the attribute `case`),
 * and the data of results that were kept, run-K.h5 in a folder. Large studies are thinned out evenly. */
#include "cli/page_data.h"

#include "cli/study_view.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_MESSAGES = 2000, MOST_VALUES = 2000000, MOST_EVENTS = 200000, MOST_RESULTS = 500 };
static const long most_bytes = 48L << 20; /* of animations in one page */

static page_rows select_runs(const study_view *v) {
    long most = MOST_VALUES / (result_layout_width(result_get_layout(v->result)) + 1);
    page_rows s = {v->rows, v->rows, 1};
    if (v->rows > most && most > 2) {
        s.every = (v->rows - 2) / (most - 1) + 1;
        s.kept = (v->rows - 2) / s.every + 2;
    }
    return s;
}

static zn_status put_numbers(FILE *to, zn_context *context, const page_rows *s, const double *values) {
    unsigned char *bytes = MEM_ARRAY(context, unsigned char, (size_t)s->kept * 8);
    if (!bytes) return ZN_ERROR_MEMORY;
    for (long k = 0; k < s->kept; k++) page_store(values ? values[page_row_of(s, k)] : (double)page_row_of(s, k), true, bytes + 8 * k);
    fputs("\"type\": \"f64\", \"data\": \"", to);
    page_put_base64(to, bytes, (size_t)s->kept * 8);
    fputs("\"}", to);
    mem_free(context, bytes);
    return ZN_OK;
}

static zn_status put_axes(FILE *to, const study_view *v, const page_rows *s) {
    zn_status status = ZN_OK;
    fputs("\"axes\": [", to);
    for (int i = 0; i < v->n_axes && status == ZN_OK; i++) {
        const study_view_axis *axis = &v->axes[i];
        fputs(i ? ",\n{\"name\": " : "{\"name\": ", to);
        cli_json_text(to, axis->name);
        fputs(", \"words\": [", to);
        for (int k = 0; k < axis->n_words; k++) {
            if (k) fputs(", ", to);
            cli_json_text(to, axis->words[k]);
        }
        fputs("], ", to);
        status = put_numbers(to, v->context, s, axis->values);
    }
    fputs("],\n\"number\": {", to); /* of each run */
    return status == ZN_OK ? put_numbers(to, v->context, s, NULL) : status;
}

/* All columns but the values: what was kept, status, time reached. */
static zn_status put_kept(FILE *to, const study_view *v, const page_rows *s) {
    zn_status status = ZN_OK;
    fputs(",\n\"kept\": [", to);
    for (int c = v->n_axes; c < result_layout_width(result_get_layout(v->result)) && status == ZN_OK; c++) {
        const double *values;
        status = result_column(v->result, c, &values);
        if (status != ZN_OK) return status;
        fputs(c > v->n_axes ? ",\n{\"name\": " : "{\"name\": ", to);
        cli_json_text(to, result_column_name(v->result, c));
        fputs(", ", to);
        status = put_numbers(to, v->context, s, values);
    }
    fputs("],\n", to);
    return status;
}

static zn_status put_messages(FILE *to, const study_view *v, const page_rows *s) {
    char message[RESULT_NOTE_BYTES];
    int count = 0;
    fputs("\"messages\": {", to);
    for (long k = 0; k < s->kept && count < MOST_MESSAGES; k++) {
        long row = page_row_of(s, k);
        if (v->status[row] == 0) continue;
        zn_status status = result_note(v->result, row, message);
        if (status != ZN_OK) return status;
        fprintf(to, "%s\"%ld\": ", count++ ? ", " : "", k);
        cli_json_text(to, message);
    }
    fputs("},\n", to);
    return ZN_OK;
}

/* Events of runs that are in the page: run (its place in the page), which event, time, values. */
static zn_status put_events(FILE *to, const study_view *v, const page_rows *s) {
    const result_entries *e = result_get_layout(v->result)->entries;
    const double *entries;
    long count = 0, kept = 0;
    zn_status status = e ? result_get_entries(v->result, 0, &entries, &count) : ZN_OK;
    if (!e || count == 0 || strcmp(e->names_of, "events") != 0) return status;
    long every = count / MOST_EVENTS + 1;
    unsigned char *bytes = MEM_ARRAY(v->context, unsigned char, (size_t)(count / every + 1) * (size_t)e->n_columns * 8);
    if (!bytes) return ZN_ERROR_MEMORY;
    for (long i = 0; i < count; i += every) {
        const double *entry = entries + i * e->n_columns;
        if (!(entry[0] >= 0 && entry[0] < (double)s->rows)) continue;
        long row = (long)entry[0], k = row == s->rows - 1 ? s->kept - 1 : row / s->every;
        if (page_row_of(s, k) != row) continue;
        for (int c = 0; c < e->n_columns; c++)
            page_store(c ? entry[c] : (double)k, true, bytes + ((size_t)kept * (size_t)e->n_columns + (size_t)c) * 8);
        kept++;
    }
    fprintf(to, "\"events\": {\"count\": %ld, \"names\": [", kept);
    for (int i = 0; i < e->n_names; i++) fputs(i ? ", " : "", to), cli_json_text(to, e->names[i]);
    fputs("], \"columns\": [", to);
    for (int c = 0; c < e->n_columns; c++) fputs(c ? ", " : "", to), cli_json_text(to, e->columns[c]);
    fputs("], \"type\": \"f64\", \"data\": \"", to);
    page_put_base64(to, bytes, (size_t)kept * (size_t)e->n_columns * 8);
    fputs("\"},\n", to);
    mem_free(v->context, bytes);
    return ZN_OK;
}

/* ---- results that were kept ---- */

static zn_status put_result(FILE *to, zn_context *context, const char *path, long number, bool first) {
    result_file *result = NULL;
    zn_status status = result_open(context, path, &result);
    page_data data = {.context = context, .result = result, .path = path};
    if (status == ZN_OK && result_rows(result) > 0) {
        fprintf(to, "%s\"%ld\": ", first ? "" : ",\n", number);
        status = page_put_data(to, &data);
    }
    result_close(result);
    return status;
}

static zn_status put_results(FILE *to, const page_data *data, const page_rows *s, long first_run) {
    zn_status status = ZN_OK;
    int count = 0;
    fputs("\"results\": {", to);
    long begin = ftell(to);
    for (long k = 0; k < s->kept && data->results && status == ZN_OK && count < MOST_RESULTS; k++) {
        long number = first_run + page_row_of(s, k);
        char *path = mem_format(data->context, "%s/run-%ld.h5", data->results, number);
        if (!path) return ZN_ERROR_MEMORY;
        if (access(path, R_OK) == 0) status = put_result(to, data->context, path, number, count == 0), count++;
        mem_free(data->context, path);
        if (begin >= 0 && ftell(to) - begin > most_bytes) break;
    }
    fputs("}", to);
    if (status == ZN_OK && data->results && count == 0)
        return fail(data->context, ZN_ERROR_FILE, "%s has no results run-K.h5 of runs of this study", data->results);
    return status;
}

/* ---- the whole ---- */

static void put_facts(FILE *to, const study_view *v, const page_rows *s) {
    long failed = 0;
    for (long i = 0; i < v->rows; i++) failed += v->status[i] != 0;
    fputs("\"facts\": [[\"runs\", \"", to);
    if (s->kept < s->rows) fprintf(to, "%ld of ", s->kept);
    fprintf(to, "%ld\"], [\"failed\", \"%ld\"]],\n", s->rows, failed);
}

zn_status page_put_study(FILE *to, const page_data *data) {
    study_view v;
    const char *first = result_get_text(data->result, "first"), *single = result_get_text(data->result, "case"),
               *scene = result_get_text(data->result, "scene");
    long first_run = first ? strtol(first, NULL, 10) : 0;
    zn_status status = study_view_open(data->context, data->result, 0, NULL, &v);
    page_rows s = status == ZN_OK ? select_runs(&v) : (page_rows){0};
    if (status == ZN_OK && s.rows == 0) status = fail(data->context, ZN_ERROR_FILE, "%s has no rows to show", data->path);
    if (status == ZN_OK) {
        fputs("{\"format\": \"zeno study 1\", \"title\": ", to);
        cli_json_text(to, page_title(data));
        fputs(",\n", to);
        put_facts(to, &v, &s);
        fprintf(to, "\"rows\": %ld, \"first\": %ld,\n\"scene\": ", s.kept, first_run);
        cli_json_text(to, scene ? scene : "");
        fputs(",\n\"case\": ", to);
        cli_json_text(to, single ? single : ""); /* as a text: no content of the file can break the page */
        fputs(",\n", to);
        status = put_axes(to, &v, &s);
    }
    if (status == ZN_OK) status = put_kept(to, &v, &s);
    if (status == ZN_OK) status = put_messages(to, &v, &s);
    if (status == ZN_OK) status = put_events(to, &v, &s);
    if (status == ZN_OK) status = put_results(to, data, &s, first_run);
    fputs("}\n", to);
    study_view_close(&v);
    return status;
}
