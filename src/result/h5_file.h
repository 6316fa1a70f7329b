/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of HDF5 files without trust. The HDF5 library follows what a file says: a damaged or crafted one makes it crash, take all
 * memory, or open other files. This reader knows the part of the format that results and contact problems use (HDF5 File Format
 * Specification 3.0): superblock 0 to 3, object headers 1 and 2, groups by symbol tables or links, attributes in headers and in dense
 * storage, texts of fixed and of variable length, numbers of 4 and 8 bytes, compact, contiguous and chunked storage, plain or packed
 * by shuffle and deflate (h5_packed.h).
 *
 * What it never does: follow soft and external links, external and virtual storage, or other filters; read beyond the end of the file. All
 * that it reads besides the numbers counts against a budget that is a multiple of the file's size, and so do time and memory; a loop in
 * the file uses it up. */
#ifndef RESULT_H5_FILE_H
#define RESULT_H5_FILE_H

#include "base/base.h"
#include "result/result.h"

enum { H5_NAME_LONGEST = 255 };

typedef struct h5_file h5_file;

typedef struct h5_message {
    int type, flags;
    const unsigned char *data;
    size_t size;
} h5_message;

/* An object's header: its messages, valid until the file is closed. */
typedef struct h5_object {
    int n_messages;
    const h5_message *messages;
} h5_object;

zn_status h5_open(zn_context *context, const char *path, h5_file **file);
void h5_close(h5_file *file);
uint64_t h5_size(const h5_file *file);
/* Bytes of values that a file of this size may hold: packed ones are more than the file, but a small file that claims gigabytes is
 * refused. */
static inline uint64_t h5_room(uint64_t size) {
    const uint64_t ratio = 16, always = UINT64_C(1) << 28;
    return size > always / ratio ? ratio * size : always;
}

/* The object at a path of hard links from the root ("fclib_local/W"; "" is the root itself). *found: whether it is there. */
zn_status h5_find(h5_file *file, const char *path, h5_object *object, bool *found);

/* ---- texts (h5_text.c) ---- */

/* The texts of an attribute, owned by the caller; NULL and 0 when it is not there. A scalar gives one text. */
zn_status h5_texts(h5_file *file, const h5_object *object, const char *name, char ***texts, int *count);
/* One text; NULL when it is not there. */
zn_status h5_one_text(h5_file *file, const h5_object *object, const char *name, char **text);
/* All attributes that hold a single text or number. `take` owns both texts. */
typedef zn_status h5_take_text(void *user, char *name, char *value, result_kind kind);
zn_status h5_all_texts(h5_file *file, const h5_object *object, h5_take_text *take, void *user);

/* ---- numbers (h5_table.c) ---- */

typedef struct h5_table h5_table;

/* A dataset of numbers with one or two dimensions. The number of values is at most what the file has room for. */
zn_status h5_table_open(h5_file *file, const h5_object *object, h5_table **table);
void h5_table_close(h5_table *table);
int h5_table_rank(const h5_table *table);
bool h5_table_is_double(const h5_table *table);
bool h5_table_is_packed(const h5_table *table);
/* Rows from the start on whose storage is in the file. */
long h5_table_rows(const h5_table *table);
int h5_table_columns(const h5_table *table);
/* Texts of one length, one a row; chunks that were never written hold empty ones. */
zn_status h5_table_open_text(h5_file *file, const h5_object *object, h5_table **table);
zn_status h5_table_text(h5_table *table, long row, size_t room, char *text);
/* From `first` on. */
typedef struct h5_range {
    long first, count;
} h5_range;
/* Rows of columns: the i-th row of the c-th column to to[c][i * stride]. Keeps one chunk at a time. */
zn_status h5_table_read(h5_table *table, h5_range rows, h5_range columns, double *const *to, long stride);

/* ---- for the files of this reader ---- */

zn_status h5_damaged(h5_file *file, const char *what);
zn_status h5_unknown(h5_file *file, const char *what);
zn_context *h5_context(const h5_file *file);
/* The status of the last failure, after a NULL. */
zn_status h5_failed(const h5_file *file);
/* `count` bytes at `at`, valid until the file is closed; NULL: an error is left. Counts against the budget. */
const unsigned char *h5_take(h5_file *file, uint64_t at, uint64_t count);
/* The same into the caller's memory, and not counted: for numbers. */
zn_status h5_read(h5_file *file, uint64_t at, void *to, size_t count);
/* Counts what the caller takes itself. */
zn_status h5_spend(h5_file *file, uint64_t bytes);
/* Memory that is freed with the file, counted. NULL: an error is left. */
void *h5_memory(h5_file *file, uint64_t bytes);

static inline uint64_t h5_number(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

#endif
