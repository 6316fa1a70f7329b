/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/study_view.h"

#include <stdio.h>
#include <stdlib.h>

static const char values_group[] = "values/", words_begin[] = "place of the value of each run in this list, from 0: ";

bool study_view_is_study(const result_file *result) { return result_get_text(result, "study") != NULL; }

const char *study_view_name(const char *column) {
    return !strncmp(column, values_group, sizeof values_group - 1) ? column + sizeof values_group - 1 : column;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

long study_view_sort_distinct(double *values, long count) {
    long finite = 0, distinct = 0;
    for (long i = 0; i < count; i++)
        if (!isnan(values[i])) values[finite++] = values[i];
    qsort(values, (size_t)finite, sizeof *values, compare);
    for (long i = 0; i < finite; i++)
        if (i == 0 || values[i] != values[i - 1]) values[distinct++] = values[i];
    return distinct;
}

/* ---- opening ---- */

/* Of a list of words the meaning of the dataset has them: "...: moreau, radau-2a". */
static zn_status read_words(zn_context *context, const char *meaning, study_view_axis *axis) {
    if (!meaning || strncmp(meaning, words_begin, sizeof words_begin - 1) != 0) return ZN_OK;
    const char *word = meaning + sizeof words_begin - 1;
    int most = 1;
    for (const char *c = word; *c; c++) most += *c == ',';
    if (!(axis->words = MEM_ARRAY(context, char *, most))) return ZN_ERROR_MEMORY;
    for (;;) {
        const char *end = strstr(word, ", ");
        size_t length = end ? (size_t)(end - word) : strlen(word);
        if (!(axis->words[axis->n_words] = mem_format(context, "%.*s", (int)length, word))) return ZN_ERROR_MEMORY;
        axis->n_words++;
        if (!end) return ZN_OK;
        word = end + 2;
    }
}

static zn_status read_axes(study_view *v) {
    const result_layout *layout = result_get_layout(v->result);
    v->axes = MEM_ARRAY(v->context, study_view_axis, layout->n_datasets + 1);
    if (!v->axes) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    int column = 0;
    for (int d = 0; d < layout->n_datasets && status == ZN_OK;
         column += layout->datasets[d].columns ? layout->datasets[d].n_columns : 1, d++) {
        const result_dataset *dataset = &layout->datasets[d];
        if (dataset->columns || strncmp(dataset->name, values_group, sizeof values_group - 1) != 0) continue;
        study_view_axis *axis = &v->axes[v->n_axes++];
        axis->name = study_view_name(dataset->name);
        status = result_column(v->result, column, &axis->values);
        if (status == ZN_OK) status = read_words(v->context, dataset->meaning, axis);
    }
    if (status == ZN_OK && v->n_axes == 0) status = fail(v->context, ZN_ERROR_FILE, "the study has no values that vary");
    return status;
}

int study_view_axis_of(const study_view *v, const char *name) {
    for (int i = 0; i < v->n_axes; i++)
        if (!strcmp(v->axes[i].name, study_view_name(name))) return i;
    return -1;
}

/* The number that a text means on an axis; NaN: none. */
static double number_of(const study_view_axis *axis, const char *text) {
    for (int i = 0; i < axis->n_words; i++)
        if (!strcmp(axis->words[i], text)) return i;
    char *end;
    double value = strtod(text, &end);
    return end == text || *end || !isfinite(value) ? NAN : value;
}

static zn_status select_runs(study_view *v, const char *where) {
    const char *equals = strrchr(where, '=');
    char *name = equals ? mem_format(v->context, "%.*s", (int)(equals - where), where) : NULL;
    if (equals && !name) return ZN_ERROR_MEMORY;
    int index = name ? study_view_axis_of(v, name) : -1;
    mem_free(v->context, name);
    if (!equals) return fail(v->context, ZN_ERROR_ARGUMENT, "--where takes NAME=VALUE, not '%s'", where);
    if (index < 0) return fail(v->context, ZN_ERROR_ARGUMENT, "--where %s: nothing of this name varies in the study", where);
    const study_view_axis *axis = &v->axes[index];
    double wanted = number_of(axis, equals + 1), nearest = NAN;
    if (isnan(wanted)) return fail(v->context, ZN_ERROR_ARGUMENT, "--where %s: '%s' is not a number", where, equals + 1);
    for (long i = 0; i < v->rows; i++)
        if (v->used[i] && !(fabs(axis->values[i] - wanted) >= fabs(nearest - wanted))) nearest = axis->values[i];
    for (long i = 0; i < v->rows; i++) v->used[i] = v->used[i] && axis->values[i] == nearest;
    return ZN_OK;
}

static zn_status find_distinct(study_view *v, study_view_axis *axis) {
    long n = 0;
    if (!(axis->distinct = MEM_ARRAY(v->context, double, v->rows))) return ZN_ERROR_MEMORY;
    for (long i = 0; i < v->rows; i++)
        if (v->used[i]) axis->distinct[n++] = axis->values[i];
    axis->n_distinct = study_view_sort_distinct(axis->distinct, n);
    return ZN_OK;
}

zn_status study_view_open(zn_context *context, result_file *result, int n_where, const char *const *where, study_view *v) {
    *v = (study_view){.context = context, .result = result, .rows = result_rows(result)};
    int index;
    zn_status status = result_find(result, "status", &index);
    if (status == ZN_OK) status = result_column(result, index, &v->status);
    if (status == ZN_OK) status = read_axes(v);
    if (status == ZN_OK && !(v->used = MEM_ARRAY(context, bool, v->rows))) status = ZN_ERROR_MEMORY;
    for (long i = 0; status == ZN_OK && i < v->rows; i++) v->used[i] = true;
    for (int i = 0; status == ZN_OK && i < n_where; i++) status = select_runs(v, where[i]);
    for (int i = 0; status == ZN_OK && i < v->n_axes; i++) status = find_distinct(v, &v->axes[i]);
    return status;
}

void study_view_close(study_view *v) {
    for (int i = 0; v->axes && i < v->n_axes; i++) {
        for (int k = 0; k < v->axes[i].n_words; k++) mem_free(v->context, v->axes[i].words[k]);
        mem_free(v->context, v->axes[i].words);
        mem_free(v->context, v->axes[i].distinct);
    }
    mem_free(v->context, v->axes);
    mem_free(v->context, v->used);
    *v = (study_view){0};
}

int study_view_varying(const study_view *v, int after) {
    for (int i = after + 1; i < v->n_axes; i++)
        if (v->axes[i].n_distinct > 1) return i;
    return -1;
}

const char *study_view_text(const study_view_axis *axis, double value, char *text, size_t room) {
    if (value >= 0 && value < axis->n_words) return axis->words[(int)value];
    snprintf(text, room, "%.6g", value);
    return text;
}

/* ---- points ---- */

static bool find_event(const result_entries *e, const char *name, int *event, int *column) {
    for (*event = 0; *event < e->n_names; ++*event) {
        size_t length = strlen(e->names[*event]);
        if (strncmp(name, e->names[*event], length) != 0 || name[length] != '.') continue;
        for (*column = 2; *column < e->n_columns; ++*column)
            if (strcmp(name + length + 1, e->columns[*column]) == 0) return true;
    }
    return false;
}

static zn_status event_points(study_view *v, int event, int column, study_points *p) {
    const double *entries;
    long count;
    int width = result_get_layout(v->result)->entries->n_columns;
    zn_status status = result_get_entries(v->result, 0, &entries, &count);
    if (status != ZN_OK) return status;
    p->events = true;
    p->values = MEM_ARRAY(v->context, double, count), p->rows = MEM_ARRAY(v->context, long, count);
    if (!p->values || !p->rows) return ZN_ERROR_MEMORY;
    for (long i = 0; i < count; i++, entries += width) {
        if (entries[1] != event || !(entries[0] >= 0 && entries[0] < (double)v->rows) || !v->used[(long)entries[0]]) continue;
        p->values[p->count] = entries[column], p->rows[p->count++] = (long)entries[0];
    }
    return ZN_OK;
}

zn_status study_view_points(study_view *v, const char *name, study_points *p) {
    const result_entries *e = result_get_layout(v->result)->entries;
    int event, column;
    const double *values;
    *p = (study_points){.name = name};
    if (e && !strcmp(e->names_of, "events") && find_event(e, name, &event, &column)) return event_points(v, event, column, p);
    zn_status status = result_find(v->result, name, &column);
    if (status == ZN_OK) status = result_column(v->result, column, &values);
    if (status != ZN_OK) return status;
    p->name = study_view_name(result_column_name(v->result, column));
    p->values = MEM_ARRAY(v->context, double, v->rows), p->rows = MEM_ARRAY(v->context, long, v->rows);
    if (!p->values || !p->rows) return ZN_ERROR_MEMORY;
    for (long i = 0; i < v->rows; i++)
        if (v->used[i]) p->values[p->count] = values[i], p->rows[p->count++] = i;
    return ZN_OK;
}

void study_points_free(zn_context *context, study_points *p) {
    mem_free(context, p->values);
    mem_free(context, p->rows);
    *p = (study_points){0};
}
