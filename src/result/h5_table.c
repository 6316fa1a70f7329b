/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets of numbers: type, extent, where the values are, and the values by columns. */
#include "result/h5_group.h"
#include "result/h5_packed.h"

#include <limits.h>

enum { PIECE_BYTES = 1 << 18, MOST_TEXT = 1 << 12 };
static const uint64_t nowhere = UINT64_MAX;

struct h5_table {
    h5_file *file;
    int rank, element; /* bytes of a number */
    bool real, text;
    uint64_t rows, columns;
    uint64_t chunk_rows, chunk_columns, across; /* chunks in a row of chunks */
    uint64_t *chunks;                           /* their addresses, row by row */
    h5_packing packing;
    h5_packed_size *sizes;        /* of packed chunks in the file */
    const unsigned char *compact; /* small datasets lie in the header */
    uint64_t compact_size;
    unsigned char *bytes; /* one chunk: */
    uint64_t piece;       /* which one, counted from 1 */
};

int h5_table_rank(const h5_table *t) { return t->rank; }
bool h5_table_is_double(const h5_table *t) { return t->real; }
bool h5_table_is_packed(const h5_table *t) { return t->packing.count > 0; }
long h5_table_rows(const h5_table *t) { return (long)t->rows; }
int h5_table_columns(const h5_table *t) { return (int)t->columns; }

/* IEEE doubles and signed integers of 4 and 8 bytes, the low byte first. */
static zn_status read_type(h5_table *t, const h5_message *m) {
    static const unsigned char ieee[] = {0x20, 0x3f, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
    if (!m || m->size < 8 || m->flags & H5_SHARED) return h5_damaged(t->file, "a dataset has no type");
    int class = m->data[0] & 15;
    t->element = (int)h5_number(m->data + 4, 4);
    t->real = class == 1 && m->size >= 1 + sizeof ieee && memcmp(m->data + 1, ieee, sizeof ieee) == 0;
    bool whole = class == 0 && m->size >= 12 && (m->data[1] & 9) == 8 && (t->element == 4 || t->element == 8);
    t->text = class == 3 && t->element > 0 && t->element <= MOST_TEXT;
    return t->real || whole || t->text ? ZN_OK : h5_damaged(t->file, "a dataset has the wrong type or size");
}

/* There can be no more values than the file has room for. */
static uint64_t most_values(const h5_table *t) {
    uint64_t size = h5_size(t->file);
    return (t->packing.count ? h5_room(size) : size) / (uint64_t)t->element;
}

static zn_status read_extent(h5_table *t, const h5_message *m) {
    h5_space space;
    if (!m || m->flags & H5_SHARED) return h5_damaged(t->file, "a dataset has no size");
    zn_status status = h5_dataspace(t->file, m->data, m->size, &space);
    if (status != ZN_OK) return status;
    t->rank = space.rank;
    t->rows = space.rank > 0 ? space.extent[0] : 1;
    t->columns = space.rank > 1 ? space.extent[1] : 1;
    uint64_t most = t->text ? h5_room(h5_size(t->file)) : most_values(t); /* most texts are empty and nowhere */
    if (space.rank > 2 || (t->text && space.rank != 1) || t->columns == 0 || t->columns > INT_MAX / 2 || t->rows > most / t->columns)
        return h5_damaged(t->file, "a dataset has the wrong type or size");
    return ZN_OK;
}

/* ---- where the values are ---- */

static zn_status look_at_chunks(h5_table *t, uint64_t at, int level_above) {
    enum { HEAD = 24, MOST_LEVELS = 8 };
    uint64_t key = 8 + 8 * (uint64_t)(t->rank + 1), step = key + 8;
    if (at == nowhere) return ZN_OK;
    const unsigned char *head = h5_take(t->file, at, HEAD);
    if (!head) return h5_failed(t->file);
    int level = head[5];
    uint64_t count = h5_number(head + 6, 2);
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 1 || level >= level_above || level > MOST_LEVELS)
        return h5_damaged(t->file, "the index of a dataset is broken");
    const unsigned char *entry = h5_take(t->file, at + HEAD, count * step);
    if (!entry) return h5_failed(t->file);
    for (uint64_t i = 0; i < count; i++, entry += step) {
        uint64_t row = h5_number(entry + 8, 8) / t->chunk_rows, column = t->rank > 1 ? h5_number(entry + 16, 8) / t->chunk_columns : 0;
        uint64_t child = h5_number(entry + key, 8);
        zn_status status = ZN_OK;
        if (level > 0) status = look_at_chunks(t, child, level);
        else if (row < (t->rows + t->chunk_rows - 1) / t->chunk_rows && column < t->across) {
            t->chunks[row * t->across + column] = child;
            if (t->sizes)
                t->sizes[row * t->across + column] = (h5_packed_size){(uint32_t)h5_number(entry, 4), (uint32_t)h5_number(entry + 4, 4)};
        }
        if (status != ZN_OK) return status;
    }
    return ZN_OK;
}

/* A run killed in the middle of a flush may have announced rows whose chunks the file does not know yet: what is there counts. */
static void count_present_rows(h5_table *t) {
    uint64_t down = (t->rows + t->chunk_rows - 1) / t->chunk_rows, raw = t->chunk_rows * t->chunk_columns * (uint64_t)t->element;
    for (uint64_t i = 0; i < down * t->across; i++) {
        uint64_t bytes = t->sizes ? t->sizes[i].bytes : raw;
        if (t->chunks[i] <= h5_size(t->file) && bytes <= h5_size(t->file) - t->chunks[i]) continue;
        t->rows = i / t->across * t->chunk_rows;
        return;
    }
}

static zn_status read_chunks(h5_table *t, const h5_message *m) {
    size_t at = 11;
    int dimensions = m->size > 2 ? m->data[2] : 0;
    if (dimensions != t->rank + 1 || m->size < at + 4 * (size_t)dimensions) return h5_damaged(t->file, "a dataset is truncated");
    t->chunk_rows = h5_number(m->data + at, 4);
    t->chunk_columns = t->rank > 1 ? h5_number(m->data + at + 4, 4) : 1;
    uint64_t most = most_values(t);
    if (t->rows == 0) return ZN_OK;
    if (t->chunk_rows == 0 || t->chunk_columns == 0 || t->chunk_rows > most / t->chunk_columns)
        return h5_damaged(t->file, "a chunk is too large");
    t->across = (t->columns + t->chunk_columns - 1) / t->chunk_columns;
    uint64_t count = (t->rows + t->chunk_rows - 1) / t->chunk_rows * t->across;
    t->chunks = h5_memory(t->file, count * sizeof *t->chunks);
    if (t->packing.count) t->sizes = h5_memory(t->file, count * sizeof *t->sizes);
    if (!t->chunks || (t->packing.count && !t->sizes)) return h5_failed(t->file);
    for (uint64_t i = 0; i < count; i++) t->chunks[i] = nowhere;
    zn_status status = look_at_chunks(t, h5_number(m->data + 3, 8), 256);
    if (!t->text) count_present_rows(t);
    return status;
}

/* Contiguous values are pieces of whole rows, one below the other. */
static zn_status read_contiguous(h5_table *t, uint64_t at) {
    uint64_t row = t->columns * (uint64_t)t->element;
    t->chunk_columns = t->columns;
    t->chunk_rows = row < PIECE_BYTES ? PIECE_BYTES / row : 1;
    if (t->chunk_rows > t->rows) t->chunk_rows = t->rows;
    t->across = 1;
    if (t->rows == 0) return ZN_OK;
    if (at > h5_size(t->file) || t->rows * row > h5_size(t->file) - at) return h5_damaged(t->file, "a dataset is truncated");
    uint64_t count = (t->rows + t->chunk_rows - 1) / t->chunk_rows;
    t->chunks = h5_memory(t->file, count * sizeof *t->chunks);
    for (uint64_t i = 0; t->chunks && i < count; i++) t->chunks[i] = at + i * t->chunk_rows * row;
    return t->chunks ? ZN_OK : h5_failed(t->file);
}

static zn_status read_compact(h5_table *t, const h5_message *m) {
    t->compact = m->data + 4;
    t->compact_size = m->size - 4;
    t->chunk_rows = t->rows;
    t->chunk_columns = t->columns;
    if (t->rows * t->columns * (uint64_t)t->element > t->compact_size) return h5_damaged(t->file, "a dataset is truncated");
    return ZN_OK;
}

static zn_status read_layout(h5_table *t, const h5_object *object) {
    enum { COMPACT, CONTIGUOUS, CHUNKED };
    const h5_message *m = h5_message_of(object, H5_LAYOUT);
    if (!m || m->size < 4 || m->flags & H5_SHARED) return h5_damaged(t->file, "a dataset has no values");
    if (h5_message_of(object, H5_EXTERNAL_FILES)) return h5_unknown(t->file, "values in another file");
    int version = m->data[0], class = m->data[1];
    if (t->packing.count && class != CHUNKED) return h5_damaged(t->file, "packed values are not in chunks");
    if (version == 3 && class == CHUNKED) return m->size < 11 ? h5_damaged(t->file, "a dataset is truncated") : read_chunks(t, m);
    if (version != 3 && version != 4) return h5_unknown(t->file, "an old kind of storage");
    if (class == COMPACT) return read_compact(t, m);
    if (class == CONTIGUOUS)
        return m->size < 18 ? h5_damaged(t->file, "a dataset is truncated") : read_contiguous(t, h5_number(m->data + 2, 8));
    return h5_unknown(t->file, "a new kind of storage, or values in other files");
}

static zn_status open_table(h5_file *file, const h5_object *object, bool text, h5_table **table) {
    *table = NULL;
    h5_table *t = h5_memory(file, sizeof *t);
    if (!t) return h5_failed(file);
    *t = (h5_table){.file = file};
    zn_status status = read_type(t, h5_message_of(object, H5_DATATYPE));
    if (status == ZN_OK && t->text != text) status = h5_damaged(file, "a dataset has the wrong type or size");
    if (status == ZN_OK) status = h5_packing_read(file, h5_message_of(object, H5_FILTERS), t->element, &t->packing);
    if (status == ZN_OK) status = read_extent(t, h5_message_of(object, H5_DATASPACE));
    if (status == ZN_OK) status = read_layout(t, object);
    if (status == ZN_OK) *table = t;
    return status;
}

zn_status h5_table_open(h5_file *file, const h5_object *object, h5_table **table) { return open_table(file, object, false, table); }
zn_status h5_table_open_text(h5_file *file, const h5_object *object, h5_table **table) { return open_table(file, object, true, table); }

/* The table itself is the file's memory. */
void h5_table_close(h5_table *t) {
    if (t) mem_free(h5_context(t->file), t->bytes);
}

/* ---- the values ---- */

static double value_at(const h5_table *t, const unsigned char *bytes) {
    uint64_t bits = h5_number(bytes, t->element);
    if (!t->real) return t->element == 4 ? (double)(int32_t)(uint32_t)bits : (double)(int64_t)bits;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static zn_status read_piece(h5_table *t, uint64_t down, uint64_t across, const unsigned char **bytes) {
    uint64_t place = down * t->across + across;
    size_t size = (size_t)(t->chunk_rows * t->chunk_columns * (uint64_t)t->element);
    *bytes = t->compact;
    if (t->compact) return ZN_OK;
    if (t->sizes && !h5_packed_is_possible(&t->packing, t->sizes[place], size)) return h5_damaged(t->file, "a chunk is too large");
    if (!t->bytes) t->bytes = MEM_ARRAY(h5_context(t->file), unsigned char, size);
    *bytes = t->bytes;
    if (!t->bytes) return ZN_ERROR_MEMORY;
    if (t->piece == place + 1) return ZN_OK;
    t->piece = 0;
    uint64_t at = t->chunks[place], left = h5_size(t->file) - at;
    zn_status status = t->sizes ? h5_unpack(t->file, &t->packing, at, t->sizes[place], t->bytes, size)
                                /* the last piece of contiguous values is shorter */
                                : h5_read(t->file, at, t->bytes, left < size ? (size_t)left : size);
    if (status == ZN_OK) t->piece = place + 1;
    return status;
}

zn_status h5_table_read(h5_table *t, h5_range rows, h5_range columns, double *const *to, long stride) {
    if (rows.first < 0 || rows.count < 0 || (uint64_t)rows.first + (uint64_t)rows.count > t->rows || columns.first < 0 ||
        columns.count < 0 || (uint64_t)columns.first + (uint64_t)columns.count > t->columns)
        return h5_damaged(t->file, "a dataset is shorter than another");
    uint64_t end = (uint64_t)(rows.first + rows.count), next;
    for (uint64_t row = (uint64_t)rows.first; row < end; row = next) {
        uint64_t down = row / t->chunk_rows;
        next = (down + 1) * t->chunk_rows < end ? (down + 1) * t->chunk_rows : end;
        for (long c = 0; c < columns.count;) {
            uint64_t column = (uint64_t)(columns.first + c), across = column / t->chunk_columns, inside = column % t->chunk_columns;
            const unsigned char *bytes;
            zn_status status = read_piece(t, down, across, &bytes);
            if (status != ZN_OK) return status;
            for (; c < columns.count && inside < t->chunk_columns; c++, inside++)
                for (uint64_t r = row; r < next; r++)
                    to[c][((long)r - rows.first) * stride] =
                        value_at(t, bytes + (r % t->chunk_rows * t->chunk_columns + inside) * (uint64_t)t->element);
        }
    }
    return ZN_OK;
}

bool h5_table_packed(const h5_table *t, long row, long rows, uint64_t *at, h5_packed_size *packed) {
    uint64_t place = (uint64_t)row / (t->chunk_rows ? t->chunk_rows : 1);
    if (!t->sizes || t->across != 1 || t->chunk_columns != t->columns || t->chunk_rows != (uint64_t)rows ||
        (uint64_t)row % t->chunk_rows != 0 || (uint64_t)row + t->chunk_rows > t->rows || !h5_packing_is_ours(&t->packing))
        return false;
    *at = t->chunks[place], *packed = t->sizes[place];
    return h5_packed_is_possible(&t->packing, *packed, (size_t)(t->chunk_rows * t->chunk_columns * (uint64_t)t->element));
}

zn_status h5_table_text(h5_table *t, long row, size_t room, char *text) {
    text[0] = '\0';
    if (row < 0 || (uint64_t)row >= t->rows || !t->text) return ZN_OK;
    uint64_t down = (uint64_t)row / t->chunk_rows, size = (uint64_t)t->element;
    if (!t->compact && t->chunks[down] == nowhere) return ZN_OK;
    if (!t->compact && t->chunks[down] > h5_size(t->file)) return h5_damaged(t->file, "a text is outside");
    const unsigned char *bytes;
    zn_status status = read_piece(t, down, 0, &bytes);
    if (status != ZN_OK) return status;
    size_t length = size < room ? (size_t)size : room - 1;
    memcpy(text, bytes + (uint64_t)row % t->chunk_rows * size, length);
    text[length] = '\0';
    return ZN_OK;
}
