/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 that survives a killed run. Rows wait in a buffer of one chunk; a flush first writes their values, which nothing in
 * the file refers to yet, then the metadata that makes them part of it. In between no metadata leaves HDF5 (evictions
 * of the metadata cache are off), and the driver brings that of a flush to the file so that all rows of the flush before
 * can be read at any moment (hdf5_driver.c).
 *
 * HDF5 1.10 crashes when the disk is full. So space is reserved before HDF5 gets to write there, and what was reserved too
 * much is cut off at the end: a full disk is met by us, with all that HDF5 wrote before intact.
 *
 * The bytes do not depend on when flushes happen: space is only allocated for whole chunks, all datasets in order, when the
 * first row of a chunk is written. Texts of rows have small chunks, which are allocated by a flush as soon as the first text of one is
 * there; where no row has a text there is nothing. Entries have chunks of their own; of two chunks that begin between two flushes the one
 * that begins at the earlier row comes first.
 *
 * Packed files are written besides, for the end: only whole chunks go there, each compressed once, so that its bytes do not depend on when
 * flushes happen either. A killed run leaves the plain one. Chunks that other files hold packed already are taken as they are. */
#include "result/h5_file.h"
#include "result/hdf5_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 10, 3)
#define HAS_PACKED_CHUNKS
#endif

enum {
    CHUNK_BYTES = 1 << 17, /* of all datasets together: what a nearly full disk must still have room for */
    CHUNK_ROWS_MIN = 16,
    CHUNK_ROWS_MAX = 1024,
    NODE_CHUNKS = 60,  /* the index of chunks has one node for that many, ... */
    NODES_AT_ONCE = 4, /* ... and later takes a new leaf, and new nodes of the levels above */
    CHUNKS_AT_ONCE =
        64, /* after so many their indices are forgotten. Packed files are flushed then only: a flush moves the ends of free space */
};

/* A part of a table in memory that goes to a dataset. */
typedef struct table_part {
    const double *buffer;
    hsize_t rows, width;                          /* of the buffer */
    hsize_t start, first, count, offset, columns; /* rows of the file before it; its rows from `first` on, columns from `offset` on */
    bool vector;
} table_part;

static bool write_part(hid_t dataset, const table_part *p) {
    hsize_t extent[2] = {p->start + p->first + p->count, p->columns};
    hsize_t file_start[2] = {p->start + p->first, 0}, count[2] = {p->count, p->columns};
    hsize_t memory_extent[2] = {p->rows, p->width}, memory_start[2] = {p->first, p->offset};
    if (H5Dset_extent(dataset, extent) < 0) return false;
    hid_t file_space = H5Dget_space(dataset);
    /* Of as many dimensions as the file's: else HDF5 would go from number to number. */
    hid_t memory_space = H5Screate_simple(p->vector ? 1 : 2, memory_extent, NULL);
    bool ok = file_space >= 0 && memory_space >= 0 && H5Sget_simple_extent_ndims(file_space) == (p->vector ? 1 : 2) &&
              H5Sselect_hyperslab(file_space, H5S_SELECT_SET, file_start, NULL, count, NULL) >= 0 &&
              H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, memory_start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, p->buffer) >= 0;
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return ok;
}

/* A whole chunk that is packed already: its bytes are those that HDF5 would make of its rows. */
static bool write_packed(hdf5_sink *h5, int d) {
#ifdef HAS_PACKED_CHUNKS
    const result_piece *piece = &h5->ready->pieces[d];
    hsize_t extent[2] = {h5->chunk_start + h5->chunk_rows, (hsize_t)hdf5_columns(h5->widths[d])}, start[2] = {h5->chunk_start, 0};
    return H5Dset_extent(h5->datasets[d], extent) >= 0 &&
           H5Dwrite_chunk(h5->datasets[d], H5P_DEFAULT, piece->mask, start, piece->size, h5->ready->bytes + piece->at) >= 0;
#else
    (void)h5, (void)d;
    return false;
#endif
}

/* Rows flushed .. filled of dataset d, whose columns begin at `offset` of a row in the buffer. They are gathered here: HDF5 would take them
 * one by one. */
static bool write_dataset(hdf5_sink *h5, int d, int offset) {
    size_t columns = (size_t)hdf5_columns(h5->widths[d]), width = (size_t)h5->width, count = (size_t)(h5->filled - h5->flushed);
    const double *from = h5->buffer + (size_t)h5->flushed * width + offset;
    for (size_t i = 0; i < count; i++) memcpy(h5->gathered + i * columns, from + i * width, columns * sizeof *from);
    return write_part(h5->datasets[d], &(table_part){.buffer = h5->gathered,
                                                     .rows = count,
                                                     .width = columns,
                                                     .start = h5->chunk_start + h5->flushed,
                                                     .count = count,
                                                     .columns = columns,
                                                     .vector = h5->widths[d] == 0});
}

static bool write_entries(hdf5_entries *e) {
    if (e->filled == e->flushed) return true;
    bool ok = write_part(e->dataset, &(table_part){.buffer = e->buffer,
                                                   .rows = e->chunk_rows,
                                                   .width = (hsize_t)e->width,
                                                   .start = e->chunk_start,
                                                   .first = e->flushed,
                                                   .count = e->filled - e->flushed,
                                                   .columns = (hsize_t)e->width});
    e->flushed = e->filled;
    if (e->filled == e->chunk_rows) {
        e->chunk_start += e->chunk_rows;
        e->filled = e->flushed = 0;
    }
    return ok;
}

static bool write_note(const hdf5_sink *h5, hsize_t i, hid_t type) {
    hsize_t start = h5->chunk_start + i, one = 1;
    hid_t file_space = H5Dget_space(h5->notes.dataset), memory_space = H5Screate_simple(1, &one, NULL);
    bool ok = file_space >= 0 && memory_space >= 0 && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &one, NULL) >= 0 &&
              H5Dwrite(h5->notes.dataset, type, memory_space, file_space, H5P_DEFAULT, h5->notes.texts[i]) >= 0;
    if (memory_space >= 0) H5Sclose(memory_space);
    if (file_space >= 0) H5Sclose(file_space);
    return ok;
}

/* Of the rows flushed .. filled. */
static bool write_notes(hdf5_sink *h5) {
    hdf5_notes *n = &h5->notes;
    if (n->dataset < 0 || h5->filled == h5->flushed) return true;
    hsize_t extent = h5->chunk_start + h5->filled;
    bool ok = H5Dset_extent(n->dataset, &extent) >= 0;
    hid_t type = n->any ? hdf5_note_type() : -1;
    for (hsize_t i = h5->flushed; ok && n->any && i < h5->filled; i++)
        if (n->texts[i][0]) ok = type >= 0 && write_note(h5, i, type);
    if (type >= 0) H5Tclose(type);
    if (n->any) memset(n->texts + h5->flushed, 0, (size_t)(h5->filled - h5->flushed) * sizeof *n->texts);
    n->any = false, n->urgent = 0;
    return ok;
}

zn_status hdf5_outcome(const hdf5_sink *h5, bool ok) {
    int error = h5->driver.error;
    if (error == ENOMEM) return ZN_ERROR_MEMORY; /* which has its sentence */
    if (error != 0) return fail_file(h5->context, h5->path, "written", error);
    return ok ? ZN_OK : hdf5_fail(h5->context, h5->path);
}

zn_status hdf5_reserve(const hdf5_sink *h5, off_t start, size_t bytes) {
    int reason = posix_fallocate(h5->reserve, start, (off_t)bytes);
    if (reason == 0 || reason == EOPNOTSUPP || reason == EINVAL) return ZN_OK;
    return fail_file(h5->context, h5->path, "written", reason);
}

static size_t chunk_bytes(hsize_t chunk, hsize_t rows, int width, int datasets) {
    size_t nodes = chunk == 0 ? 1 : chunk < NODE_CHUNKS ? 0 : NODES_AT_ONCE;
    return (size_t)rows * (size_t)width * sizeof(double) + RESERVE_BYTES + (size_t)datasets * nodes * NODE_BYTES;
}

/* For the chunks that begin with what is about to be written. */
static zn_status reserve_chunks(const hdf5_sink *h5, bool main, const bool *entries) {
    size_t bytes = 0;
    if (main && h5->flushed == 0) bytes += chunk_bytes(h5->chunk_start / h5->chunk_rows, h5->chunk_rows, h5->width, h5->n_datasets);
    for (int t = 0; t < h5->n_entries; t++) {
        const hdf5_entries *e = &h5->entries[t];
        if (entries[t] && e->flushed == 0) bytes += chunk_bytes(e->chunk_start / e->chunk_rows, e->chunk_rows, e->width, 1);
    }
    if (main && h5->notes.urgent) bytes += h5->notes.urgent * NOTE_ROWS * RESULT_NOTE_BYTES + RESERVE_BYTES + NODES_AT_ONCE * NODE_BYTES;
    if (bytes == 0) return ZN_OK;
    hsize_t used = 0;
    if (H5Fget_filesize(h5->file, &used) < 0) return hdf5_outcome(h5, false);
    return hdf5_reserve(h5, (off_t)used, bytes);
}

static bool write_main(hdf5_sink *h5) {
    bool ok = true;
    if (h5->filled == h5->flushed) return true;
    for (int d = 0, offset = 0; ok && d < h5->n_datasets; d++) {
        ok = h5->ready ? write_packed(h5, d) : write_dataset(h5, d, offset);
        offset += hdf5_columns(h5->widths[d]);
    }
    return ok;
}

static bool reopen(hdf5_sink *h5, hid_t *dataset, hid_t access) {
    char name[H5_NAME_LONGEST + 2];
    if (*dataset < 0) return true;
    ssize_t length = H5Iget_name(*dataset, name, sizeof name);
    if (length <= 0 || (size_t)length >= sizeof name) return true; /* it only takes memory */
    bool closed = H5Dclose(*dataset) >= 0;
    *dataset = closed ? H5Dopen2(h5->file, name, access) : -1;
    return *dataset >= 0;
}

/* HDF5 keeps the index of all chunks of an open dataset in memory, and gives it up with the last handle (file_access). After a flush there
 * is nothing of it to write. */
static bool forget_indices(hdf5_sink *h5) {
    hid_t access = hdf5_uncached_access();
    bool ok = access >= 0;
    for (int d = 0; ok && d < h5->n_datasets; d++) ok = reopen(h5, &h5->datasets[d], access);
    for (int t = 0; ok && t < h5->n_entries; t++) ok = reopen(h5, &h5->entries[t].dataset, access);
    ok = ok && reopen(h5, &h5->notes.dataset, access);
    if (access >= 0) H5Pclose(access);
    return ok;
}

/* The tables that wait and the rows, in the order in which their chunks begin; tables come before the row that they belong to. */
static bool write_in_order(hdf5_sink *h5, bool main, const bool *entries) {
    bool left[RESULT_TABLES], ok = true;
    memcpy(left, entries, sizeof left);
    for (int first = 0; ok && (main || first >= 0);) {
        first = -1;
        for (int t = 0; t < h5->n_entries; t++)
            if (left[t] && (first < 0 || h5->entries[t].begin < h5->entries[first].begin)) first = t;
        if (main && (first < 0 || h5->entries[first].begin > h5->chunk_start)) ok = write_main(h5), main = false;
        else if (first >= 0) ok = write_entries(&h5->entries[first]), left[first] = false;
    }
    return ok;
}

/* What waits; of packed files whole chunks only, but at the end. */
static zn_status write_rows(hdf5_sink *h5, bool last) {
    bool parts = !h5->packed || last, main = h5->filled > h5->flushed && (parts || h5->filled == h5->chunk_rows), any = main;
    bool entries[RESULT_TABLES] = {0};
    for (int t = 0; t < h5->n_entries; t++) {
        const hdf5_entries *e = &h5->entries[t];
        entries[t] = e->filled > e->flushed && (parts || e->filled == e->chunk_rows);
        any = any || entries[t];
    }
    if (!any) return ZN_OK;
    zn_status status = reserve_chunks(h5, main, entries);
    if (status != ZN_OK) return status;
    bool noted = main && h5->notes.any, ok = write_in_order(h5, main, entries);
    if (main) ok = ok && write_notes(h5);
    bool flushed = !h5->packed || last || (main && (h5->chunk_start / h5->chunk_rows + 1) % CHUNKS_AT_ONCE == 0);
    /* What belongs to rows is in the file before the rows are: a kill in between leaves too much of it, never too little. */
    for (int t = 0; ok && flushed && t < h5->n_entries; t++) ok = !entries[t] || H5Dflush(h5->entries[t].dataset) >= 0;
    if (ok && flushed && noted) ok = H5Dflush(h5->notes.dataset) >= 0;
    if (ok && flushed) ok = H5Fflush(h5->file, H5F_SCOPE_LOCAL) >= 0;
    zn_status outcome = hdf5_outcome(h5, ok);
    if (outcome != ZN_OK) return outcome;
    if (main && (h5->chunk_start / h5->chunk_rows + 1) % CHUNKS_AT_ONCE == 0 && h5->filled == h5->chunk_rows && !forget_indices(h5))
        return hdf5_outcome(h5, false);
    if (main) h5->flushed = h5->filled;
    if (h5->flushed == h5->chunk_rows) {
        h5->chunk_start += h5->chunk_rows;
        h5->filled = h5->flushed = 0;
        h5->ready = NULL;
    }
    return ZN_OK;
}

static zn_status hdf5_flush(void *state) {
    hdf5_guard guard;
    hdf5_enter(&guard);
    zn_status status = write_rows(state, false);
    hdf5_leave(&guard);
    return status;
}

/* The row about to be added has a text: only now, as entries between both may have been flushed. */
static void count_note(hdf5_sink *h5) {
    hdf5_notes *n = &h5->notes;
    if (n->dataset < 0 || !n->texts[h5->filled][0]) return;
    hsize_t chunk = (h5->chunk_start + h5->filled) / NOTE_ROWS + 1;
    n->any = true;
    if (chunk > n->chunks) n->chunks = chunk, n->urgent++;
}

static zn_status hdf5_row(void *state, const double *row) {
    hdf5_sink *h5 = state;
    count_note(h5);
    if (row) memcpy(h5->buffer + h5->filled * (hsize_t)h5->width, row, (size_t)h5->width * sizeof *row);
    h5->filled++;
    return h5->filled == h5->chunk_rows || (h5->notes.urgent && !h5->packed) ? hdf5_flush(h5) : ZN_OK;
}

static bool hdf5_expect(void *state, const result_chunk *chunk) {
    hdf5_sink *h5 = state;
#ifdef HAS_PACKED_CHUNKS
    if (h5->packed && h5->deflates && h5->filled == 0) h5->ready = chunk;
#endif
    return h5->ready == chunk;
}

static zn_status hdf5_note(void *state, const char *text) {
    hdf5_sink *h5 = state;
    hdf5_notes *n = &h5->notes;
    if (!*text) return ZN_OK;
    size_t length = strlen(text), most = RESULT_NOTE_BYTES - 1;
    if (length > most) {
        length = most;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--; /* no half of a character */
    }
    memcpy(n->texts[h5->filled], text, length);
    return ZN_OK;
}

static zn_status hdf5_entry(void *state, int table, const double *entry) {
    hdf5_sink *h5 = state;
    hdf5_entries *e = &h5->entries[table];
    if (e->filled == 0) e->begin = h5->chunk_start + h5->filled;
    memcpy(e->buffer + e->filled * (hsize_t)e->width, entry, (size_t)e->width * sizeof *entry);
    e->filled++;
    return e->filled == e->chunk_rows ? hdf5_flush(h5) : ZN_OK;
}

static long hdf5_rows(const void *state) {
    const hdf5_sink *h5 = state;
    return (long)(h5->chunk_start + h5->flushed);
}

static zn_status hdf5_close(void *state, bool keep_last_rows) {
    hdf5_sink *h5 = state;
    zn_context *context = h5->context;
    hdf5_guard guard;
    hdf5_enter(&guard);
    zn_status status = keep_last_rows && h5->file >= 0 ? write_rows(h5, true) : ZN_OK;
    bool closed = true;
    for (int d = 0; h5->datasets && d < h5->n_datasets; d++)
        if (h5->datasets[d] >= 0) closed = H5Dclose(h5->datasets[d]) >= 0 && closed;
    if (h5->notes.dataset >= 0) closed = H5Dclose(h5->notes.dataset) >= 0 && closed;
    for (int t = 0; t < h5->n_entries; t++) {
        if (h5->entries[t].dataset >= 0) closed = H5Dclose(h5->entries[t].dataset) >= 0 && closed;
        mem_free(context, h5->entries[t].buffer);
    }
    hsize_t size = 0;
    bool sized = h5->file >= 0 && H5Fget_filesize(h5->file, &size) >= 0;
    if (h5->file >= 0) closed = H5Fclose(h5->file) >= 0 && closed;
    zn_status outcome = status == ZN_OK ? hdf5_outcome(h5, closed) : ZN_OK;
    if (outcome != ZN_OK) status = outcome, closed = false;
    hdf5_leave(&guard);
    if (closed && sized && ftruncate(h5->reserve, (off_t)size) != 0 && status == ZN_OK)
        status = fail_file(context, h5->path, "written", errno);
    hdf5_driver_free(&h5->driver);
    mem_free(context, h5->buffer);
    mem_free(context, h5->gathered);
    mem_free(context, h5->notes.texts);
    mem_free(context, h5->widths);
    mem_free(context, h5->datasets);
    mem_free(context, h5);
    return status;
}

static hsize_t rows_of_chunk(int width) {
    hsize_t rows = CHUNK_BYTES / (sizeof(double) * (size_t)width);
    return rows < CHUNK_ROWS_MIN ? CHUNK_ROWS_MIN : rows > CHUNK_ROWS_MAX ? CHUNK_ROWS_MAX : rows;
}

zn_status result_hdf5_create(zn_context *context, output_file *output, const result_layout *layout, result_sink *sink) {
    hdf5_sink *h5 = MEM_ARRAY(context, hdf5_sink, 1);
    if (!h5) return ZN_ERROR_MEMORY;
    *h5 = (hdf5_sink){.context = context,
                      .path = output_path(output),
                      .reserve = output_descriptor(output),
                      .file = -1,
                      .packed = layout->packed,
                      .width = result_layout_width(layout)};
    h5->chunk_rows = rows_of_chunk(h5->width);
    *sink = (result_sink){.row = hdf5_row,
                          .expect = hdf5_expect,
                          .chunk_rows = (long)h5->chunk_rows,
                          .entry = layout->entries ? hdf5_entry : NULL,
                          .note = layout->notes ? hdf5_note : NULL,
                          .flush = hdf5_flush,
                          .close = hdf5_close,
                          .rows = hdf5_rows,
                          .state = h5};
    h5->n_datasets = layout->n_datasets;
    h5->datasets = MEM_ARRAY(context, hid_t, layout->n_datasets);
    h5->widths = MEM_ARRAY(context, int, layout->n_datasets);
    h5->buffer = MEM_ARRAY(context, double, h5->chunk_rows *(hsize_t)h5->width);
    h5->gathered = MEM_ARRAY(context, double, h5->chunk_rows *(hsize_t)h5->width);
    for (int d = 0; h5->datasets && d < layout->n_datasets; d++) h5->datasets[d] = -1;
    h5->notes.dataset = -1;
    h5->notes.texts = mem_array(context, layout->notes ? (size_t)h5->chunk_rows : 0, sizeof *h5->notes.texts);
    zn_status status = h5->datasets && h5->widths && h5->buffer && h5->gathered && h5->notes.texts ? ZN_OK : ZN_ERROR_MEMORY;
    for (const result_entries *of = layout->entries; of; of = of->next) {
        hdf5_entries *e = &h5->entries[h5->n_entries++];
        *e = (hdf5_entries){.dataset = -1, .width = of->n_columns, .chunk_rows = rows_of_chunk(of->n_columns)};
        if (!(e->buffer = MEM_ARRAY(context, double, e->chunk_rows *(hsize_t)e->width))) status = ZN_ERROR_MEMORY;
    }
    if (status == ZN_OK) {
        hdf5_guard guard;
        hdf5_enter(&guard);
        status = hdf5_create_all(h5, layout);
        hdf5_leave(&guard);
    }
    if (status != ZN_OK) hdf5_close(h5, false);
    return status;
}

long result_chunk_rows(int width) { return (long)rows_of_chunk(width); }

/* The last chunk counts as a whole one. */
bool result_hdf5_packed_ok(uint64_t size, uint64_t numbers) { return numbers * sizeof(double) + CHUNK_BYTES <= h5_room(size); }
