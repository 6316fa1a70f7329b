/* SPDX-License-Identifier: Apache-2.0 */
/* A result in memory: rows one after the other in one block, row i of column c at table[i * width + c]. */
#include "result/internal.h"

static bool copy_dataset(zn_context *context, const result_dataset *from, result_dataset *to) {
    *to = (result_dataset){.plain = from->plain, .n_columns = from->n_columns};
    to->name = mem_text(context, from->name);
    if (!to->name) return false;
    if (from->meaning && !(to->meaning = mem_text(context, from->meaning))) return false;
    if (!from->columns) return true;
    const char **columns = MEM_ARRAY(context, const char *, from->n_columns);
    to->columns = columns;
    for (int c = 0; columns && c < from->n_columns; c++)
        if (!(columns[c] = mem_text(context, from->columns[c]))) return false;
    return columns;
}

/* Datasets without columns are left out, as in files. */
static bool copy_layout(result_file *r, const result_layout *from) {
    r->datasets = MEM_ARRAY(r->context, result_dataset, from->n_datasets);
    r->texts = MEM_ARRAY(r->context, result_text, from->n_texts);
    r->layout = (result_layout){.datasets = r->datasets, .texts = r->texts};
    if (!r->datasets || !r->texts) return false;
    for (int d = 0; d < from->n_datasets; d++)
        if (result_dataset_width(&from->datasets[d]) > 0 &&
            !copy_dataset(r->context, &from->datasets[d], &r->datasets[r->layout.n_datasets++]))
            return false;
    for (int i = 0; i < from->n_texts; i++) {
        result_text *to = &r->texts[r->layout.n_texts++];
        to->name = mem_text(r->context, from->texts[i].name);
        to->value = mem_text(r->context, from->texts[i].value);
        to->kind = from->texts[i].kind;
        if (!to->name || !to->value) return false;
    }
    return true;
}

zn_status result_memory_create(zn_context *context, const result_layout *layout, result_file **result) {
    *result = NULL;
    zn_status status = result_layout_check(context, "in memory", layout);
    if (status != ZN_OK) return status;
    result_file *r = result_allocate(context, "in memory");
    if (!r) return ZN_ERROR_MEMORY;
    status = copy_layout(r, layout) ? ZN_OK : ZN_ERROR_MEMORY;
    for (const result_entries *e = layout->entries; e && status == ZN_OK; e = e->next) status = result_entries_copy(r, e);
    r->width = status == ZN_OK ? result_layout_width(&r->layout) : 0;
    if (status == ZN_OK) status = result_allocate_columns(r);
    if (status == ZN_OK) status = result_make_names(r);
    if (status == ZN_OK) *result = r;
    else result_close(r);
    return status;
}

zn_status result_memory_row(result_file *r, const double *row) {
    size_t width = (size_t)r->width, rows = (size_t)r->rows;
    if (!mem_grow(r->context, (void **)&r->table, &r->table_capacity, (rows + 1) * width, sizeof *r->table)) return ZN_ERROR_MEMORY;
    memcpy(r->table + rows * width, row, width * sizeof *row);
    r->rows++;
    return ZN_OK;
}

/* A column as one block, for those who want it so. */
zn_status result_memory_column(result_file *r, int index) {
    double *column = MEM_ARRAY(r->context, double, r->rows);
    if (!column) return ZN_ERROR_MEMORY;
    for (long i = 0; i < r->rows; i++) column[i] = r->table[i * r->width + index];
    r->columns[index] = column;
    return ZN_OK;
}

void result_memory_clear(result_file *r) {
    for (int c = 0; c < r->width; c++) mem_free(r->context, r->columns[c]), r->columns[c] = NULL;
    r->rows = 0;
    for (int t = 0; t < r->n_tables; t++) r->tables[t].count = 0;
}
