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
    result_entries *to = &r->tables[r->n_tables].head;
    zn_context *context = r->context;
    *to = (result_entries){.n_columns = from->n_columns, .n_names = from->n_names};
    to->columns = copy_texts(context, from->n_columns, from->columns);
    to->names = copy_texts(context, from->n_names, from->names);
    to->name = mem_text(context, from->name);
    to->meaning = mem_text(context, from->meaning);
    to->names_of = mem_text(context, from->names_of);
    if (r->n_tables == 0) r->layout.entries = to;
    else r->tables[r->n_tables - 1].head.next = to;
    r->n_tables++;
    return to->columns && to->names && to->name && to->meaning && to->names_of ? ZN_OK : ZN_ERROR_MEMORY;
}

void result_entries_free(result_file *r) {
    for (int t = 0; t < r->n_tables; t++) {
        const result_entries *e = &r->tables[t].head;
        if (e->columns) result_free_texts(r->context, (char **)(uintptr_t)e->columns, e->n_columns);
        if (e->names) result_free_texts(r->context, (char **)(uintptr_t)e->names, e->n_names);
        const void *blocks[] = {e->name, e->meaning, e->names_of, r->tables[t].values};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(r->context, (void *)(uintptr_t)blocks[i]);
    }
    r->n_tables = 0;
}

zn_status result_memory_entry(result_file *r, int table, const double *entry) {
    result_table *t = &r->tables[table];
    size_t width = (size_t)t->head.n_columns, count = (size_t)t->count;
    if (!mem_grow(r->context, (void **)&t->values, &t->room, (count + 1) * width, sizeof *entry)) return ZN_ERROR_MEMORY;
    memcpy(t->values + count * width, entry, width * sizeof *entry);
    t->count++;
    return ZN_OK;
}

zn_status result_get_entries(result_file *r, int table, const double **values, long *count) {
    result_table *t = &r->tables[table];
    zn_status status = table < r->n_tables && r->read_entries && !t->values ? r->read_entries(r, table) : ZN_OK;
    *values = t->values;
    *count = t->count;
    return status;
}

zn_status result_copy_entries(result_file *from, long row, long *next, result_writer *to) {
    zn_status status = ZN_OK;
    for (int t = 0; t < from->n_tables && status == ZN_OK; t++) {
        const double *entries;
        long count, width = from->tables[t].head.n_columns;
        status = result_get_entries(from, t, &entries, &count);
        for (; status == ZN_OK && next[t] < count && entries[next[t] * width] <= (double)row; next[t]++)
            status = result_writer_entry(to, t, entries + next[t] * width);
    }
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
    int t = 0;
    while (t < r->n_tables && strcmp(r->tables[t].head.names_of, names_of) != 0) t++;
    if (t == r->n_tables) return ZN_OK;
    const result_entries *e = &r->tables[t].head;
    const double *values;
    long count;
    zn_status status = result_get_entries(r, t, &values, &count);
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
