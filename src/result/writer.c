/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to a file of one of the formats, beside its name until all went well (base/output.h). Where a packed file is wanted, it is written
 * besides, as PATH.packed.partial, and takes the place of the plain one at a good end; or it is the only one. */
#include "result/internal.h"

#include <sys/stat.h>

#define FLUSH_SECONDS 1.0

static zn_status open_packed(result_writer *w, const result_format *format, const result_layout *layout) {
    if (!layout->packed || !format->packs) return ZN_OK;
    zn_status status = output_open_beside(w->output, ".packed", &w->packed_output);
    if (status == ZN_OK) status = format->create(w->context, w->packed_output, layout, &w->packed);
    if (status == ZN_OK) return ZN_OK;
    w->sink.close(w->sink.state, false);
    output_close(w->packed_output, false);
    return status;
}

zn_status result_writer_create(zn_context *context, const char *path, const result_layout *layout, result_writer **writer) {
    *writer = NULL;
    if (!result_path_ok(context, path)) return ZN_ERROR_ARGUMENT;
    zn_status status = result_layout_check(context, path, layout);
    if (status != ZN_OK) return status;
    result_writer *w = MEM_ARRAY(context, result_writer, 1);
    if (!w) return ZN_ERROR_MEMORY;
    const result_format *format = result_format_of(path);
    result_layout first = *layout;
    w->only_packed = layout->packed && layout->only_packed && format->packs;
    first.packed = w->only_packed;
    w->context = context;
    w->width = result_layout_width(layout);
    int table = 0;
    for (const result_entries *e = layout->entries; e; e = e->next) w->entry_width[table++] = e->n_columns;
    status = output_open(context, path, &w->output);
    if (status == ZN_OK) status = format->create(context, w->output, &first, &w->sink);
    if (status == ZN_OK && !w->only_packed) status = open_packed(w, format, layout);
    w->open = status == ZN_OK;
    w->last_flush = base_seconds();
    if (w->open) {
        *writer = w;
        return ZN_OK;
    }
    output_close(w->output, false);
    mem_free(context, w);
    return status;
}

/* After the first failure nothing more is written: the file ends with the last good row. */
static zn_status note(result_writer *writer, zn_status status) {
    if (status != ZN_OK) writer->failed = true;
    return status;
}

static zn_status refuse(result_writer *writer) {
    return fail(writer->context, ZN_ERROR_FILE, "%s is closed or could not be written before", output_path(writer->output));
}

zn_status result_writer_flush(result_writer *writer) {
    if (!writer->open || writer->failed) return refuse(writer);
    writer->last_flush = base_seconds();
    return note(writer, writer->sink.flush(writer->sink.state));
}

zn_status result_writer_row(result_writer *writer, const double *row) {
    if (!writer->open || writer->failed) return refuse(writer);
    zn_status status = note(writer, writer->sink.row(writer->sink.state, row));
    if (status == ZN_OK && writer->packed_output) status = note(writer, writer->packed.row(writer->packed.state, row));
    writer->numbers += (uint64_t)writer->width;
    writer->taken++;
    if (status == ZN_OK && row && base_seconds() - writer->last_flush >= FLUSH_SECONDS) status = result_writer_flush(writer);
    return status;
}

zn_status result_writer_entry(result_writer *writer, int table, const double *entry) {
    if (!writer->open || writer->failed) return refuse(writer);
    if (!writer->sink.entry) return ZN_OK;
    zn_status status = note(writer, writer->sink.entry(writer->sink.state, table, entry));
    if (status == ZN_OK && writer->packed_output) status = note(writer, writer->packed.entry(writer->packed.state, table, entry));
    writer->numbers += (uint64_t)writer->entry_width[table];
    return status;
}

zn_status result_writer_note(result_writer *writer, const char *text) {
    if (!writer->open || writer->failed) return refuse(writer);
    if (!writer->sink.note) return ZN_OK;
    zn_status status = note(writer, writer->sink.note(writer->sink.state, text));
    return status == ZN_OK && writer->packed_output ? note(writer, writer->packed.note(writer->packed.state, text)) : status;
}

long result_writer_rows(const result_writer *writer) { return writer->open ? writer->sink.rows(writer->sink.state) : writer->rows; }

static bool is_believed(const result_writer *w, const output_file *packed) {
    struct stat info;
    return fstat(output_descriptor(packed), &info) == 0 && result_hdf5_packed_ok((uint64_t)info.st_size, w->numbers);
}

/* The packed file, unless the reader would take it for one that claims too much. */
static zn_status publish(result_writer *w) {
    if (w->only_packed && !is_believed(w, w->output)) return ZN_OK;
    bool packed = w->packed_output && is_believed(w, w->packed_output);
    zn_status status = packed ? output_publish_instead(w->output, w->packed_output) : output_publish(w->output);
    w->published = status == ZN_OK;
    return status;
}

bool result_writer_is_published(const result_writer *writer) { return writer->published; }

zn_status result_writer_finish(result_writer *writer, bool success) {
    if (!writer->open) return refuse(writer);
    zn_status status = writer->failed ? ZN_OK : result_writer_flush(writer);
    writer->rows = writer->sink.rows(writer->sink.state);
    writer->open = false;
    zn_status closed = writer->sink.close(writer->sink.state, !writer->failed);
    if (status == ZN_OK) status = closed;
    closed = writer->packed_output ? writer->packed.close(writer->packed.state, success && !writer->failed) : ZN_OK;
    if (status == ZN_OK && success) status = closed;
    if (status == ZN_OK && success) status = writer->failed ? refuse(writer) : publish(writer);
    output_close(writer->packed_output, false);
    writer->packed_output = NULL;
    return note(writer, status);
}

void result_writer_destroy(result_writer *writer) {
    if (!writer) return;
    if (writer->open) result_writer_finish(writer, false);
    output_close(writer->output, true);
    mem_free(writer->context, writer);
}

const char *result_writer_path(const result_writer *writer) { return output_path(writer->output); }
