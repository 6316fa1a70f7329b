/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with any number of entries for each row, in memory and read from a file: entry i at values[i * n_columns]. */
#include "result/internal.h"

static const char **copy_texts(zn_context *context, int count, const char *const *from) {
    const char **to = MEM_ARRAY(context, const char *, count);
    for (int i = 0; to && i < count; i++)
        if (!(to[i] = mem_text(context, from[i]))) {
            result_free_texts(context, (char **)(uintptr_t)to, i);
            return NULL;
        }
    return to;
}

zn_status result_entries_copy(result_file *r, const result_entries *from) {
    result_entries *to = &r->entries;
    zn_context *context = r->context;
    *to = (result_entries){.n_columns = from->n_columns, .n_names = from->n_names};
    to->columns = copy_texts(context, from->n_columns, from->columns);
    to->names = copy_texts(context, from->n_names, from->names);
    to->name = mem_text(context, from->name);
    to->meaning = mem_text(context, from->meaning);
    to->names_of = mem_text(context, from->names_of);
    if (!to->columns || !to->names || !to->name || !to->meaning || !to->names_of) return ZN_ERROR_MEMORY;
    r->layout.entries = to;
    return ZN_OK;
}

void result_entries_free(result_file *r) {
    result_entries *e = &r->entries;
    result_free_texts(r->context, (char **)(uintptr_t)e->columns, e->n_columns);
    result_free_texts(r->context, (char **)(uintptr_t)e->names, e->n_names);
    const void *blocks[] = {e->name, e->meaning, e->names_of, r->entry_values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(r->context, (void *)(uintptr_t)blocks[i]);
    *e = (result_entries){0};
}

zn_status result_memory_entry(result_file *r, const double *entry) {
    size_t width = (size_t)r->entries.n_columns, count = (size_t)r->entry_count;
    if (!mem_grow(r->context, (void **)&r->entry_values, &r->entry_room, (count + 1) * width, sizeof *entry)) return ZN_ERROR_MEMORY;
    memcpy(r->entry_values + count * width, entry, width * sizeof *entry);
    r->entry_count++;
    return ZN_OK;
}

zn_status result_get_entries(result_file *r, const double **values, long *count) {
    zn_status status = r->layout.entries && r->read_entries && !r->entry_values ? r->read_entries(r) : ZN_OK;
    *values = r->entry_values;
    *count = r->entry_count;
    return status;
}

int result_entry_column(const zn_contact_table *table, const char *name) {
    for (int c = 0; c < table->n_columns; c++)
        if (strcmp(table->columns[c], name) == 0) return c;
    return -1;
}

zn_status result_note(result_file *r, long row, char text[RESULT_NOTE_BYTES]) {
    text[0] = '\0';
    return r->read_note ? r->read_note(r, row, text) : ZN_OK;
}

/* The table whose numbers count `names_of`; empty: there is none. */
static zn_status get_table(zn_result *r, const char *names_of, zn_contact_table *table) {
    *table = (zn_contact_table){0};
    const result_entries *e = r->layout.entries;
    if (!e || strcmp(e->names_of, names_of) != 0) return ZN_OK;
    const double *values;
    long count;
    zn_status status = result_get_entries(r, &values, &count);
    if (status != ZN_OK) return status;
    *table = (zn_contact_table){
        .count = count, .n_columns = e->n_columns, .columns = e->columns, .values = values, .n_names = e->n_names, .names = e->names};
    return ZN_OK;
}

zn_status zn_result_contacts(zn_result *r, zn_contact_table *table) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, table);
    return get_table(r, "shapes", table);
}

zn_status zn_result_contact_events(zn_result *r, zn_contact_table *table) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, table);
    return get_table(r, "contacts", table);
}

zn_status zn_result_events(zn_result *r, zn_contact_table *table) {
    NEED_HANDLE(r, HANDLE_RESULT);
    NEED(r->context, table);
    return get_table(r, "events", table);
}
