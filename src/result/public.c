/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of results (zeno/result.h): checks what it is given, and saves. */
#include "result/internal.h"

#include <math.h>
#include <stdlib.h>

zn_status zn_result_open(zn_context *context, const char *path, zn_result **result) {
    NEED_CONTEXT(context);
    NEED(context, result);
    *result = NULL;
    NEED(context, path);
    return result_open(context, path, result);
}

void zn_result_close(zn_result *r) {
    if (HANDLE_GOOD(r, HANDLE_RESULT)) result_close(r);
}

long zn_result_rows(const zn_result *r) { return HANDLE_GOOD(r, HANDLE_RESULT) ? r->rows : 0; }

int zn_result_columns(const zn_result *r) { return HANDLE_GOOD(r, HANDLE_RESULT) ? r->width : 0; }

const char *zn_result_column_name(const zn_result *r, int column) {
    return HANDLE_GOOD(r, HANDLE_RESULT) && column >= 0 && column < r->width ? r->labels[column] : NULL;
}

zn_status zn_result_find(zn_result *r, const char *name, int *column) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, name);
    NEED(r->context, column);
    return result_find(r, name, column);
}

zn_status zn_result_values(zn_result *r, int column, const double **first, ptrdiff_t *stride) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, first);
    NEED(r->context, stride);
    *stride = r->table ? r->width : 1;
    if (!r->table) return result_column(r, column, first);
    *first = NULL;
    if (column < 0 || column >= r->width) return fail(r->context, ZN_ERROR_ARGUMENT, "there is no column %d", column);
    *first = r->table + column;
    return ZN_OK;
}

int zn_result_dataset_count(const zn_result *r) { return HANDLE_GOOD(r, HANDLE_RESULT) ? r->layout.n_datasets : 0; }

zn_result_dataset zn_result_get_dataset(const zn_result *r, int index) {
    zn_result_dataset info = {0};
    if (!HANDLE_GOOD(r, HANDLE_RESULT) || index < 0 || index >= r->layout.n_datasets) return info;
    for (int d = 0; d < index; d++) info.first_column += result_dataset_width(&r->datasets[d]);
    const result_dataset *dataset = &r->datasets[index];
    info.name = dataset->name;
    info.meaning = dataset->meaning;
    info.n_columns = result_dataset_width(dataset);
    info.columns = dataset->columns;
    return info;
}

const char *zn_result_text(const zn_result *r, const char *name) {
    return HANDLE_GOOD(r, HANDLE_RESULT) && name ? result_get_text(r, name) : NULL;
}

zn_status zn_result_number(zn_result *r, const char *name, double *value) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, name);
    NEED(r->context, value);
    const char *text = result_get_text(r, name);
    char *end = NULL;
    *value = text ? strtod(text, &end) : NAN;
    if (text && end != text && !*end) return ZN_OK;
    *value = NAN;
    return fail(r->context, ZN_ERROR_ARGUMENT, text ? "%s: '%.60s' is a text, not a number" : "%s: the result has no '%.60s'", r->path,
                name);
}

/* ---- saving ---- */

/* The values of row i in the columns of the datasets that are kept. */
static zn_status gather(zn_result *r, long i, const bool *kept, double *row) {
    int column = 0;
    for (int d = 0; d < r->layout.n_datasets; d++)
        for (int c = 0; c < result_dataset_width(&r->datasets[d]); c++, column++) {
            const double *first;
            ptrdiff_t stride;
            zn_status status = kept[d] ? zn_result_values(r, column, &first, &stride) : ZN_OK;
            if (status != ZN_OK) return status;
            if (kept[d]) *row++ = first[i * stride];
        }
    return ZN_OK;
}

static zn_status write_rows(zn_result *r, const char *path, const result_layout *layout, const bool *kept, double *row) {
    result_writer *writer;
    zn_status status = result_writer_create(r->context, path, layout, &writer);
    if (status != ZN_OK) return status;
    long next[RESULT_TABLES] = {0};
    for (long i = 0; i < r->rows && status == ZN_OK; i++) {
        status = result_copy_entries(r, i, next, writer);
        if (status == ZN_OK) status = gather(r, i, kept, row);
        if (status == ZN_OK) status = result_writer_row(writer, row);
    }
    if (status == ZN_OK) status = result_writer_finish(writer, true);
    result_writer_destroy(writer);
    return status;
}

/* CSV has no place for the drawing, so that its poses cannot be used there. */
zn_status zn_result_save(zn_result *r, const char *path) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, path);
    if (!result_path_ok(r->context, path)) return ZN_ERROR_ARGUMENT;
    int n = r->layout.n_datasets, count = 0;
    bool *kept = MEM_ARRAY(r->context, bool, n);
    double *row = MEM_ARRAY(r->context, double, r->width);
    result_dataset *datasets = MEM_ARRAY(r->context, result_dataset, n);
    zn_status status = kept && row && datasets ? ZN_OK : ZN_ERROR_MEMORY;
    for (int d = 0; d < n && status == ZN_OK; d++) {
        kept[d] = result_path_has_drawings(path) || strcmp(r->datasets[d].name, "view") != 0;
        if (kept[d]) datasets[count++] = r->datasets[d];
    }
    const result_layout layout = {
        .n_datasets = count, .datasets = datasets, .n_texts = r->layout.n_texts, .texts = r->texts, .entries = r->layout.entries};
    if (status == ZN_OK) status = write_rows(r, path, &layout, kept, row);
    mem_free(r->context, kept);
    mem_free(r->context, row);
    mem_free(r->context, datasets);
    return status;
}
