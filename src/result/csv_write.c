/* SPDX-License-Identifier: Apache-2.0 */
/* CSV after RFC 4180 (lines end with a plain newline, as every reader accepts): a header, then one line a row, "%.17g". */
#include "result/internal.h"

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { NUMBER_LENGTH = 32, BUFFER_SIZE = 1 << 16 };

typedef struct csv_sink {
    zn_context *context;
    output_file *output;
    char *buffer;          /* whole lines */
    size_t used, capacity; /* capacity holds at least one row */
    off_t size;            /* of the file */
    long rows, pending;    /* in the file, in the buffer */
    int width;
    bool failed;
} csv_sink;

/* What has not got to the file as a whole line is cut off again: a reader finds only what is complete. */
static void cut_off_broken_line(csv_sink *csv) {
    off_t end = lseek(output_descriptor(csv->output), 0, SEEK_CUR);
    size_t written = end > csv->size ? (size_t)(end - csv->size) : 0, whole = written < csv->used ? written : csv->used;
    while (whole > 0 && csv->buffer[whole - 1] != '\n') whole--;
    for (size_t i = 0; i < whole; i++) csv->rows += csv->pending > 0 && csv->buffer[i] == '\n';
    if (ftruncate(output_descriptor(csv->output), csv->size + (off_t)whole) != 0) return; /* readers drop a broken line, too */
}

static zn_status csv_flush(void *state) {
    csv_sink *csv = state;
    zn_status status = output_write(csv->output, csv->buffer, csv->used);
    if (status != ZN_OK) {
        cut_off_broken_line(csv);
        csv->failed = true;
    } else csv->rows += csv->pending;
    csv->size += (off_t)csv->used;
    csv->used = 0;
    csv->pending = 0;
    return status;
}

static long csv_rows(const void *state) { return ((const csv_sink *)state)->rows; }

/* Whatever the locale takes for the decimal point (it may have several bytes) becomes '.'. */
static size_t format_number(char *out, double value) {
    if (isnan(value)) return (size_t)sprintf(out, "nan");
    int length = snprintf(out, NUMBER_LENGTH, "%.17g", value);
    size_t used = 0;
    if (isinf(value)) return (size_t)length;
    for (int i = 0; i < length; i++) {
        char c = out[i];
        bool ours = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
        if (ours) out[used++] = c;
        else if (used == 0 || out[used - 1] != '.') out[used++] = '.';
    }
    return used;
}

static zn_status csv_row(void *state, const double *row) {
    csv_sink *csv = state;
    size_t needed = (size_t)csv->width * NUMBER_LENGTH;
    if (csv->capacity - csv->used < needed) {
        zn_status status = csv_flush(csv);
        if (status != ZN_OK) return status;
    }
    char *out = csv->buffer + csv->used;
    for (int c = 0; c < csv->width; c++) {
        out += format_number(out, row[c]);
        *out++ = c + 1 < csv->width ? ',' : '\n';
    }
    csv->used = (size_t)(out - csv->buffer);
    csv->pending++;
    return ZN_OK;
}

static zn_status csv_close(void *state, bool keep_last_rows) {
    csv_sink *csv = state;
    zn_context *context = csv->context;
    zn_status status = keep_last_rows && !csv->failed ? csv_flush(csv) : ZN_OK;
    mem_free(context, csv->buffer);
    mem_free(context, csv);
    return status;
}

/* A field with a comma, a quote, a line break or a space at an end is quoted, quotes in it are doubled. */
static char *put_field(char *out, const char *field) {
    size_t length = strlen(field);
    bool quoted = strpbrk(field, ",\"\r\n") || length == 0 || field[0] == ' ' || field[length - 1] == ' ';
    if (quoted) *out++ = '"';
    for (const char *c = field; *c; c++) {
        if (*c == '"') *out++ = '"';
        *out++ = *c;
    }
    if (quoted) *out++ = '"';
    return out;
}

static zn_status write_header(csv_sink *csv, const result_layout *layout) {
    char **labels = result_layout_labels(csv->context, layout);
    if (!labels) return ZN_ERROR_MEMORY;
    size_t size = 1;
    for (int c = 0; c < csv->width; c++) size += 2 * strlen(labels[c]) + 3;
    if (size > csv->capacity) {
        mem_free(csv->context, csv->buffer);
        csv->buffer = MEM_ARRAY(csv->context, char, size);
        csv->capacity = csv->buffer ? size : 0;
    }
    char *out = csv->buffer;
    for (int c = 0; out && c < csv->width; c++) {
        out = put_field(out, labels[c]);
        *out++ = c + 1 < csv->width ? ',' : '\n';
    }
    result_free_texts(csv->context, labels, csv->width);
    if (!out) return ZN_ERROR_MEMORY;
    csv->used = (size_t)(out - csv->buffer);
    return csv_flush(csv);
}

zn_status result_csv_create(zn_context *context, output_file *output, const result_layout *layout, result_sink *sink) {
    csv_sink *csv = MEM_ARRAY(context, csv_sink, 1);
    if (!csv) return ZN_ERROR_MEMORY;
    *csv = (csv_sink){.context = context, .output = output, .width = result_layout_width(layout)};
    *sink = (result_sink){.row = csv_row, .flush = csv_flush, .close = csv_close, .rows = csv_rows, .state = csv};
    size_t row = (size_t)csv->width * NUMBER_LENGTH;
    csv->capacity = row > BUFFER_SIZE ? row : BUFFER_SIZE;
    csv->buffer = MEM_ARRAY(context, char, csv->capacity);
    zn_status status = csv->buffer ? write_header(csv, layout) : ZN_ERROR_MEMORY;
    if (status != ZN_OK) csv_close(csv, false);
    return status;
}
