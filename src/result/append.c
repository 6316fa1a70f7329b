/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one file behind those of another, some at a time: memory does not grow with their number. A chunk that both files have in common
 * is not unpacked. */
#include "result/internal.h"

enum { SOME = 1024 }; /* rows or entries at a time */

typedef struct appended_table {
    double *entries;                 /* some of them: */
    long first_entry, end_entry, in; /* from, to; of so many in all */
    long next_entry;
} appended_table;

typedef struct appending {
    result_writer *to;
    result_file *from;
    double *rows; /* some of them */
    long before;  /* rows that were there */
    result_chunk chunk;
    appended_table tables[RESULT_TABLES];
} appending;

static zn_status read_rows(result_file *from, long first, long count, double *rows) {
    if (from->read_rows) return from->read_rows(from, first, count, rows);
    for (int c = 0; c < from->width; c++) {
        const double *values;
        zn_status status = result_column(from, c, &values);
        if (status != ZN_OK) return status;
        for (long i = 0; i < count; i++) rows[i * from->width + c] = values[first + i];
    }
    return ZN_OK;
}

zn_status result_part(result_file *r, int index, long first, long count, double *values) {
    if (r->read_part) return r->read_part(r, index, first, count, values);
    const double *all;
    zn_status status = result_column(r, index, &all);
    if (status == ZN_OK && count > 0) memcpy(values, all + first, (size_t)count * sizeof *values);
    return status;
}

/* Entries of a row in a table, before the row. */
static zn_status append_entries(appending *a, int number, long row) {
    appended_table *t = &a->tables[number];
    long width = a->to->entry_width[number];
    zn_status status = ZN_OK;
    while (t->next_entry < t->in && status == ZN_OK) {
        if (t->next_entry == t->end_entry) {
            t->first_entry = t->end_entry;
            t->end_entry = t->in - t->first_entry < SOME ? t->in : t->first_entry + SOME;
            if (a->from->read_entry_part)
                status = a->from->read_entry_part(a->from, number, t->first_entry, t->end_entry - t->first_entry, t->entries);
            else
                memcpy(t->entries, a->from->tables[number].values + t->first_entry * width,
                       (size_t)((t->end_entry - t->first_entry) * width) * sizeof(double));
            if (status != ZN_OK) return status;
        }
        double *entry = t->entries + (t->next_entry - t->first_entry) * width;
        if (!(entry[0] <= (double)row)) return ZN_OK;
        entry[0] += (double)a->before;
        status = result_writer_entry(a->to, number, entry);
        t->next_entry++;
    }
    return status;
}

/* Whether the next rows of both files are one chunk. */
static zn_status take_chunk(appending *a, long first, long count, bool *there) {
    result_sink *sink = &a->to->sink;
    *there = a->to->only_packed && sink->expect && a->from->read_chunk && count == sink->chunk_rows;
    zn_status status = *there ? a->from->read_chunk(a->from, first, count, &a->chunk, there) : ZN_OK;
    if (status == ZN_OK && *there) *there = sink->expect(sink->state, &a->chunk);
    return status;
}

static zn_status append_some(appending *a, long first, long count) {
    char text[RESULT_NOTE_BYTES];
    bool packed;
    zn_status status = take_chunk(a, first, count, &packed);
    if (status == ZN_OK && !packed) status = read_rows(a->from, first, count, a->rows);
    for (long i = 0; i < count && status == ZN_OK; i++) {
        for (int t = 0; t < a->from->n_tables && status == ZN_OK; t++) status = append_entries(a, t, first + i);
        if (status == ZN_OK) status = result_note(a->from, first + i, text);
        if (status == ZN_OK && *text) status = result_writer_note(a->to, text);
        if (status == ZN_OK) status = result_writer_row(a->to, packed ? NULL : a->rows + i * a->from->width);
    }
    return status;
}

static bool same_columns(const result_writer *w, const result_file *from) {
    bool same = from->width == w->width;
    for (int t = 0; t < RESULT_TABLES; t++) same = same && (t < from->n_tables ? from->tables[t].head.n_columns : 0) == w->entry_width[t];
    return same;
}

zn_status result_writer_append(result_writer *w, result_file *from, long rows) {
    zn_context *context = w->context;
    if (!same_columns(w, from)) return fail(context, ZN_ERROR_FILE, "the files have different columns");
    long some = w->sink.chunk_rows > 0 ? w->sink.chunk_rows : SOME;
    appending a = {.to = w, .from = from, .before = w->taken};
    a.rows = MEM_ARRAY(context, double, (size_t)some *(size_t)w->width);
    a.chunk.pieces = MEM_ARRAY(context, result_piece, from->layout.n_datasets);
    zn_status status = a.rows && a.chunk.pieces ? ZN_OK : ZN_ERROR_MEMORY;
    for (int t = 0; t < from->n_tables; t++) {
        a.tables[t].in = from->read_entry_part ? from->tables[t].in_file : from->tables[t].count;
        if (!(a.tables[t].entries = MEM_ARRAY(context, double, (size_t)SOME *(size_t)w->entry_width[t]))) status = ZN_ERROR_MEMORY;
    }
    for (long first = 0; first < rows && status == ZN_OK; first += some)
        status = append_some(&a, first, rows - first < some ? rows - first : some);
    mem_free(context, a.rows);
    for (int t = 0; t < from->n_tables; t++) mem_free(context, a.tables[t].entries);
    mem_free(context, a.chunk.pieces);
    mem_free(context, a.chunk.bytes);
    return status;
}
