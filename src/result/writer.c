/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to a file of one of the formats, beside its name until all went well (base/output.h). */
#include "result/internal.h"

#include <time.h>

#define FLUSH_SECONDS 1.0

struct result_writer {
    zn_context *context;
    output_file *output;
    result_sink sink;
    double last_flush;
    long rows; /* in the file, of a writer that is closed */
    bool open, failed;
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

zn_status result_writer_create(zn_context *context, const char *path, const result_layout *layout, result_writer **writer) {
    *writer = NULL;
    if (!result_path_ok(context, path)) return ZN_ERROR_ARGUMENT;
    zn_status status = result_layout_check(context, path, layout);
    if (status != ZN_OK) return status;
    result_writer *w = MEM_ARRAY(context, result_writer, 1);
    if (!w) return ZN_ERROR_MEMORY;
    w->context = context;
    status = output_open(context, path, &w->output);
    if (status == ZN_OK) status = result_format_of(path)->create(context, w->output, layout, &w->sink);
    w->open = status == ZN_OK;
    w->last_flush = seconds();
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
    writer->last_flush = seconds();
    return note(writer, writer->sink.flush(writer->sink.state));
}

zn_status result_writer_row(result_writer *writer, const double *row) {
    if (!writer->open || writer->failed) return refuse(writer);
    zn_status status = note(writer, writer->sink.row(writer->sink.state, row));
    if (status == ZN_OK && seconds() - writer->last_flush >= FLUSH_SECONDS) status = result_writer_flush(writer);
    return status;
}

zn_status result_writer_entry(result_writer *writer, const double *entry) {
    if (!writer->open || writer->failed) return refuse(writer);
    return writer->sink.entry ? note(writer, writer->sink.entry(writer->sink.state, entry)) : ZN_OK;
}

zn_status result_writer_note(result_writer *writer, const char *text) {
    if (!writer->open || writer->failed) return refuse(writer);
    return writer->sink.note ? note(writer, writer->sink.note(writer->sink.state, text)) : ZN_OK;
}

long result_writer_rows(const result_writer *writer) { return writer->open ? writer->sink.rows(writer->sink.state) : writer->rows; }

zn_status result_writer_finish(result_writer *writer, bool success) {
    if (!writer->open) return refuse(writer);
    zn_status status = writer->failed ? ZN_OK : result_writer_flush(writer);
    writer->rows = writer->sink.rows(writer->sink.state);
    writer->open = false;
    zn_status closed = writer->sink.close(writer->sink.state, !writer->failed);
    if (status == ZN_OK) status = closed;
    if (status == ZN_OK && success) status = writer->failed ? refuse(writer) : output_publish(writer->output);
    return note(writer, status);
}

void result_writer_destroy(result_writer *writer) {
    if (!writer) return;
    if (writer->open) result_writer_finish(writer, false);
    output_close(writer->output, true);
    mem_free(writer->context, writer);
}

const char *result_writer_path(const result_writer *writer) { return output_path(writer->output); }
