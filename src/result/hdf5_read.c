/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 as hdf5_write.c makes it, read without trust (h5_file.h). */
#include "result/h5_packed.h"
#include "result/internal.h"

#include <limits.h>

enum { GROUP_BYTES = 1 << 27 }; /* columns that are read at once, as they lie side by side in the file */

typedef struct hdf5_source {
    h5_file *file;
    h5_table **tables; /* one a dataset */
    h5_table *entries[RESULT_TABLES];
    h5_table *notes; /* NULL: none */
    size_t text_capacity;
    double **blocks; /* of columns */
    size_t n_blocks, block_room;
} hdf5_source;

static void hdf5_close_source(result_file *result) {
    hdf5_source *source = result->source;
    for (int d = 0; source->tables && d < result->layout.n_datasets; d++) h5_table_close(source->tables[d]);
    for (int t = 0; t < RESULT_TABLES; t++) h5_table_close(source->entries[t]);
    h5_table_close(source->notes);
    h5_close(source->file);
    for (size_t i = 0; i < source->n_blocks; i++) mem_free(result->context, source->blocks[i]);
    for (int c = 0; result->columns && c < result->width; c++) result->columns[c] = NULL; /* they were in the blocks */
    mem_free(result->context, source->blocks);
    mem_free(result->context, source->tables);
    mem_free(result->context, source);
}

static zn_status damaged(const result_file *result, const char *what) { return h5_damaged(((hdf5_source *)result->source)->file, what); }

static zn_status check_format(const result_file *result, h5_file *file, const h5_object *root) {
    char *format = NULL;
    zn_status status = h5_one_text(file, root, "format", &format);
    if (status == ZN_OK && (!format || strncmp(format, "zeno result ", 12) != 0))
        status = result_fail_content(result, 0, "is an HDF5 file, but not a result of zeno");
    else if (status == ZN_OK && strcmp(format, RESULT_FORMAT_TEXT) != 0)
        status = result_fail_content(result, 0, "has the format \"%.40s\"; this program reads \"" RESULT_FORMAT_TEXT "\"", format);
    mem_free(result->context, format);
    return status;
}

static zn_status read_names(result_file *result, int d, const h5_object *object) {
    h5_file *file = ((hdf5_source *)result->source)->file;
    result_dataset *dataset = &result->datasets[d];
    char **names = NULL, *plain = NULL, *meaning = NULL;
    int n_names = 0;
    zn_status status = h5_one_text(file, object, "meaning", &meaning);
    dataset->meaning = meaning;
    if (status == ZN_OK) status = h5_one_text(file, object, "names", &plain);
    dataset->plain = plain && strcmp(plain, "plain") == 0;
    mem_free(result->context, plain);
    if (status != ZN_OK || h5_table_rank(((hdf5_source *)result->source)->tables[d]) == 1) return status;
    status = h5_texts(file, object, "columns", &names, &n_names);
    dataset->columns = (const char *const *)names;
    dataset->n_columns = n_names;
    return status;
}

static zn_status open_dataset(result_file *result, int d, const char *name, long *rows) {
    hdf5_source *source = result->source;
    result_dataset *dataset = &result->datasets[d];
    dataset->n_columns = 1;
    if (!result_dataset_name_ok(name) || strlen(name) > H5_NAME_LONGEST) return damaged(result, "a dataset has no proper name");
    for (int e = 0; e < d; e++)
        if (strcmp(result->datasets[e].name, name) == 0) return damaged(result, "a dataset is there twice");
    if (!(dataset->name = mem_text(result->context, name))) return ZN_ERROR_MEMORY;
    h5_object object;
    bool found = false;
    zn_status status = h5_find(source->file, name, &object, &found);
    if (status == ZN_OK && !found) status = damaged(result, "a dataset is missing");
    if (status == ZN_OK) status = h5_table_open(source->file, &object, &source->tables[d]);
    h5_table *table = source->tables[d];
    if (status == ZN_OK && (!h5_table_is_double(table) || h5_table_rank(table) < 1))
        status = damaged(result, "a dataset has the wrong type or size");
    if (status == ZN_OK) status = read_names(result, d, &object);
    if (status != ZN_OK) return status;
    int columns = h5_table_columns(table);
    if (result_dataset_width(dataset) != columns || result->width > INT_MAX / 2) return damaged(result, "names of columns are missing");
    result->width += columns;
    *rows = h5_table_rows(table);
    return ZN_OK;
}

/* A killed run may have extended some of the datasets only: the shortest counts. */
static zn_status open_datasets(result_file *result, const h5_object *root) {
    hdf5_source *source = result->source;
    char **names;
    int count;
    zn_status status = h5_texts(source->file, root, "datasets", &names, &count);
    if (status != ZN_OK) return status;
    if (h5_spend(source->file, (uint64_t)count * (sizeof *result->datasets + sizeof *source->tables)) == ZN_OK) {
        result->datasets = MEM_ARRAY(result->context, result_dataset, count);
        source->tables = MEM_ARRAY(result->context, h5_table *, count);
        if (!result->datasets || !source->tables) status = ZN_ERROR_MEMORY;
    } else status = ZN_ERROR_FILE;
    if (status == ZN_OK) {
        result->layout.datasets = result->datasets;
        result->layout.n_datasets = count;
    }
    for (int d = 0; d < count && status == ZN_OK; d++) {
        long rows = 0;
        status = open_dataset(result, d, names[d], &rows);
        if (status == ZN_OK && (d == 0 || rows < result->rows)) result->rows = rows;
    }
    if (status == ZN_OK && count == 0) status = damaged(result, "it has no datasets");
    /* Datasets may not share their values: then all columns together fit into the memory that the file takes, or would take if it were not
     * packed. */
    bool packed = false;
    for (int d = 0; d < count && status == ZN_OK; d++) packed = packed || h5_table_is_packed(source->tables[d]);
    uint64_t room = packed ? h5_room(h5_size(source->file)) : h5_size(source->file);
    if (status == ZN_OK && (uint64_t)result->rows > room / sizeof(double) / (uint64_t)result->width)
        status = damaged(result, "its datasets hold more than its size allows");
    result_free_texts(result->context, names, count);
    return status;
}

/* ---- entries ---- */

/* Entry after entry. */
static zn_status read_entry_part(result_file *result, int number, long first, long count, double *values) {
    hdf5_source *source = result->source;
    int width = result->tables[number].head.n_columns;
    double **columns = MEM_ARRAY(result->context, double *, width);
    for (int c = 0; columns && c < width; c++) columns[c] = values + c;
    zn_status status =
        columns ? h5_table_read(source->entries[number], (h5_range){first, count}, (h5_range){0, width}, columns, width) : ZN_ERROR_MEMORY;
    for (long i = 0; status == ZN_OK && i < count; i++)
        if (!(values[i * width] >= (i > 0 ? values[(i - 1) * width] : 0))) status = damaged(result, "entries are not in the order of rows");
    mem_free(result->context, columns);
    return status;
}

/* All of them at once. Entries of rows that a killed run did not finish are left out. */
static zn_status read_entries(result_file *result, int number) {
    result_table *table = &result->tables[number];
    long count = table->in_file, width = table->head.n_columns;
    double *values = MEM_ARRAY(result->context, double, (size_t)count *(size_t)width);
    zn_status status = values ? read_entry_part(result, number, 0, count, values) : ZN_ERROR_MEMORY;
    while (status == ZN_OK && count > 0 && !(values[(count - 1) * width] < (double)result->rows)) count--;
    if (status == ZN_OK) table->values = values, table->count = count;
    else mem_free(result->context, values);
    return status;
}

static zn_status open_table(result_file *result, const char *name) {
    hdf5_source *source = result->source;
    zn_context *context = result->context;
    static const char *const names_of[] = {"shapes", "events", "contacts"};
    char *meaning = NULL, **columns = NULL, **names = NULL;
    int n_columns = 0, n_names = 0, kind = 0;
    h5_object object;
    bool found = false;
    if (result->n_tables == RESULT_TABLES) return damaged(result, "there are too many tables of entries");
    if (strchr(name, '/') || !*name || strlen(name) > H5_NAME_LONGEST) return damaged(result, "the table of entries has no proper name");
    h5_table **table = &source->entries[result->n_tables];
    zn_status status = h5_find(source->file, name, &object, &found);
    if (status == ZN_OK && !found) status = damaged(result, "the table of entries is missing");
    if (status == ZN_OK) status = h5_table_open(source->file, &object, table);
    if (status == ZN_OK && (!h5_table_is_double(*table) || h5_table_rank(*table) != 2))
        status = damaged(result, "the table of entries has the wrong type or size");
    if (status == ZN_OK) status = h5_texts(source->file, &object, "columns", &columns, &n_columns);
    if (status == ZN_OK) status = h5_texts(source->file, &object, names_of[kind], &names, &n_names);
    while (status == ZN_OK && !names && kind < 2) status = h5_texts(source->file, &object, names_of[++kind], &names, &n_names);
    if (status == ZN_OK) status = h5_one_text(source->file, &object, "meaning", &meaning);
    if (status == ZN_OK && (n_columns < 1 || n_columns != h5_table_columns(*table)))
        status = damaged(result, "names of columns are missing");
    const result_entries read = {name,    meaning ? meaning : "",     n_columns, (const char *const *)columns, names_of[kind],
                                 n_names, (const char *const *)names, NULL};
    if (status == ZN_OK) status = result_entries_copy(result, &read);
    if (status == ZN_OK) {
        result->read_entries = read_entries, result->read_entry_part = read_entry_part;
        result->tables[result->n_tables - 1].in_file = h5_table_rows(*table);
    }
    result_free_texts(context, columns, n_columns);
    result_free_texts(context, names, n_names);
    mem_free(context, meaning);
    return status;
}

/* The attribute names the tables, with commas between. */
static zn_status open_entries(result_file *result, const h5_object *root) {
    hdf5_source *source = result->source;
    char *names = NULL;
    zn_status status = h5_one_text(source->file, root, "entries", &names);
    for (char *name = names, *end = NULL; name && status == ZN_OK; name = end) {
        end = strchr(name, ',');
        if (end) *end++ = '\0';
        status = open_table(result, name);
    }
    mem_free(result->context, names);
    return status;
}

/* ---- notes ---- */

static zn_status read_note(result_file *result, long row, char text[RESULT_NOTE_BYTES]) {
    return h5_table_text(((hdf5_source *)result->source)->notes, row, RESULT_NOTE_BYTES, text);
}

static zn_status open_notes(result_file *result, const h5_object *root) {
    hdf5_source *source = result->source;
    char *name = NULL;
    h5_object object;
    bool found = false;
    zn_status status = h5_one_text(source->file, root, "notes", &name);
    if (status != ZN_OK || !name) return status;
    if (!result_dataset_name_ok(name) || strlen(name) > H5_NAME_LONGEST) status = damaged(result, "the texts of rows have no proper name");
    if (status == ZN_OK) status = h5_find(source->file, name, &object, &found);
    if (status == ZN_OK && !found) status = damaged(result, "the texts of rows are missing");
    if (status == ZN_OK) status = h5_table_open_text(source->file, &object, &source->notes);
    if (status == ZN_OK) result->read_note = read_note;
    mem_free(result->context, name);
    return status;
}

static zn_status take_text(void *user, char *name, char *value, result_kind kind) {
    result_file *result = user;
    hdf5_source *source = result->source;
    bool ours = strcmp(name, "format") == 0 || strcmp(name, "datasets") == 0 || strcmp(name, "entries") == 0 || strcmp(name, "notes") == 0,
         room = true;
    size_t count = (size_t)result->layout.n_texts;
    if (!ours) room = mem_grow(result->context, (void **)&result->texts, &source->text_capacity, count + 1, sizeof *result->texts);
    result->layout.texts = result->texts;
    if (room && !ours) {
        result->texts[count] = (result_text){name, value, kind};
        result->layout.n_texts++;
        return ZN_OK;
    }
    mem_free(result->context, name);
    mem_free(result->context, value);
    return room ? ZN_OK : ZN_ERROR_MEMORY;
}

/* ---- columns ---- */

/* Neighbours are read together, into one block: the bytes of a row lie side by side. A dataset is one block unless it is a large one. */
static zn_status hdf5_read_column(result_file *result, int index) {
    hdf5_source *source = result->source;
    int d = 0, before = 0;
    while (index - before >= result_dataset_width(&result->datasets[d])) before += result_dataset_width(&result->datasets[d++]);
    size_t rows = (size_t)result->rows;
    long fit = GROUP_BYTES / ((result->rows + 1) * (long)sizeof(double));
    int width = result_dataset_width(&result->datasets[d]), most = fit < 1 ? 1 : fit < width ? (int)fit : width;
    int first = (index - before) / most * most, count = width - first < most ? width - first : most;
    double **columns = result->columns + before + first, *block = MEM_ARRAY(result->context, double, rows *(size_t)count);
    if (!block || !mem_grow(result->context, (void **)&source->blocks, &source->block_room, source->n_blocks + 1, sizeof *source->blocks)) {
        mem_free(result->context, block);
        return ZN_ERROR_MEMORY;
    }
    source->blocks[source->n_blocks++] = block;
    for (int c = 0; c < count; c++) columns[c] = block + (size_t)c * rows;
    zn_status status = h5_table_read(source->tables[d], (h5_range){0, result->rows}, (h5_range){first, count}, columns, 1);
    for (int c = 0; c < count && status != ZN_OK; c++) columns[c] = NULL;
    return status;
}

static zn_status hdf5_read_rows(result_file *result, long first, long count, double *rows) {
    hdf5_source *source = result->source;
    double **columns = MEM_ARRAY(result->context, double *, result->width);
    zn_status status = columns ? ZN_OK : ZN_ERROR_MEMORY;
    for (int c = 0; columns && c < result->width; c++) columns[c] = rows + c;
    for (int d = 0, c = 0; status == ZN_OK && d < result->layout.n_datasets; c += result_dataset_width(&result->datasets[d++]))
        status = h5_table_read(source->tables[d], (h5_range){first, count}, (h5_range){0, result_dataset_width(&result->datasets[d])},
                               columns + c, result->width);
    mem_free(result->context, columns);
    return status;
}

static zn_status hdf5_read_part(result_file *result, int index, long first, long count, double *values) {
    int d = 0;
    while (index >= result_dataset_width(&result->datasets[d])) index -= result_dataset_width(&result->datasets[d++]);
    return h5_table_read(((hdf5_source *)result->source)->tables[d], (h5_range){first, count}, (h5_range){index, 1}, &values, 1);
}

static zn_status hdf5_read_chunk(result_file *result, long first, long count, result_chunk *chunk, bool *there) {
    hdf5_source *source = result->source;
    zn_status status = ZN_OK;
    uint64_t at;
    h5_packed_size packed;
    chunk->size = 0;
    *there = true;
    for (int d = 0; *there && status == ZN_OK && d < result->layout.n_datasets; d++) {
        *there = h5_table_packed(source->tables[d], first, count, &at, &packed);
        if (!*there) break;
        if (!mem_grow(result->context, (void **)&chunk->bytes, &chunk->room, chunk->size + packed.bytes, 1)) return ZN_ERROR_MEMORY;
        chunk->pieces[d] = (result_piece){chunk->size, packed.bytes, packed.mask};
        status = h5_read(source->file, at, chunk->bytes + chunk->size, packed.bytes);
        chunk->size += packed.bytes;
    }
    return status;
}

zn_status result_hdf5_open(result_file *result, char *content, size_t size) {
    (void)content, (void)size;
    hdf5_source *source = MEM_ARRAY(result->context, hdf5_source, 1);
    if (!source) return ZN_ERROR_MEMORY;
    result->source = source;
    result->close_source = hdf5_close_source;
    result->read_column = hdf5_read_column;
    result->read_rows = hdf5_read_rows, result->read_part = hdf5_read_part, result->read_chunk = hdf5_read_chunk;
    h5_object root;
    bool found;
    zn_status status = h5_open(result->context, result->path, &source->file);
    if (status == ZN_OK) status = h5_find(source->file, "", &root, &found);
    if (status == ZN_OK) status = check_format(result, source->file, &root);
    if (status == ZN_OK) status = open_datasets(result, &root);
    if (status == ZN_OK) status = open_entries(result, &root);
    if (status == ZN_OK) status = open_notes(result, &root);
    if (status == ZN_OK) status = h5_all_texts(source->file, &root, take_text, result);
    return status == ZN_OK ? result_allocate_columns(result) : status;
}
