/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this folder. */
#ifndef RESULT_INTERNAL_H
#define RESULT_INTERNAL_H

#include "base/handle.h"
#include "base/output.h"
#include "result/result.h"

#define RESULT_FORMAT_TEXT "zeno result 1" /* value of the attribute "format" of HDF5 files */

/* layout.c */
int result_dataset_width(const result_dataset *dataset);
/* "mu", or "values/mu" in a group. */
bool result_dataset_name_ok(const char *name);
/* Names valid and no two columns alike. */
zn_status result_layout_check(zn_context *context, const char *path, const result_layout *layout);
/* Names of all columns; each is "dataset.column", or "column" when `plain` and no other dataset has it. NULL: no memory. */
char **result_layout_labels(zn_context *context, const result_layout *layout);
void result_free_texts(zn_context *context, char **texts, int count);

/* A chunk of rows as it lies in a packed file: a piece for each dataset. */
typedef struct result_piece {
    size_t at, size;
    uint32_t mask; /* filters that it was spared */
} result_piece;
typedef struct result_chunk {
    unsigned char *bytes;
    size_t size, room;
    result_piece *pieces;
} result_chunk;

/* A format being written. Functions leave an error and return its status on failure; close always frees. */
typedef struct result_sink {
    zn_status (*row)(void *state, const double *row); /* NULL: its numbers came with a chunk */
    /* The numbers of the next chunk_rows rows; kept until the last of them. NULL, or false: only row by row. */
    bool (*expect)(void *state, const result_chunk *chunk);
    long chunk_rows;
    zn_status (*entry)(void *state, int table, const double *entry); /* NULL: not in this format */
    zn_status (*note)(void *state, const char *text);                /* NULL: not in this format, or none asked for */
    zn_status (*flush)(void *state);
    zn_status (*close)(void *state, bool keep_last_rows);
    long (*rows)(const void *state); /* that a reader finds in the file */
    void *state;
} result_sink;

struct result_writer {
    zn_context *context;
    output_file *output, *packed_output; /* packed_output: NULL: none is wanted */
    result_sink sink, packed;
    int width, entry_width[RESULT_TABLES]; /* 0: no such table */
    double last_flush;
    uint64_t numbers; /* that were written */
    long rows;        /* in the file, of a writer that is closed */
    long taken;       /* rows that were given to it */
    bool only_packed, open, failed, published;
};

enum { RESULT_ENDINGS = 3, RESULT_SIGNATURE = 8 };
#define RESULT_HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"

/* A format: how it is recognised, written and read. */
typedef struct result_format {
    const char *name;
    const char *endings[RESULT_ENDINGS]; /* of file names; NULL: no more */
    const char *signature;               /* the first bytes of a file; NULL: text without zero bytes */
    bool drawings;                       /* keeps what pages draw with */
    zn_status (*create)(zn_context *, output_file *, const result_layout *, result_sink *);
    bool packs; /* can be compressed */
    /* content: all of a text, NULL of other formats. */
    zn_status (*open)(result_file *, char *content, size_t size);
} result_format;
const result_format *result_format_of(const char *path);
/* By the first bytes; of several texts the one that the name says, also of a .partial file, or the first. */
const result_format *result_format_by_content(const char *path, const char *head, size_t size);

/* "HDF5 nor CSV" */
const char *result_format_names(char *text, size_t room);

/* The output stays open, and belongs to the caller. */
zn_status result_csv_create(zn_context *context, output_file *output, const result_layout *layout, result_sink *sink);
zn_status result_hdf5_create(zn_context *context, output_file *output, const result_layout *layout, result_sink *sink);
/* Whether a reader takes a packed file of `size` bytes with that many numbers. */
bool result_hdf5_packed_ok(uint64_t size, uint64_t numbers);

/* ---- reading ---- */

typedef struct result_table {
    result_entries head;
    double *values; /* NULL: not read yet, or none */
    size_t room;
    long count;
    long in_file;
} result_table;

/* The content owns all its texts. A column is NULL until it has been read. */
struct zn_result {
    HANDLE_HEAD;
    char *path;
    result_layout layout;
    result_dataset *datasets; /* layout.datasets */
    result_text *texts;       /* layout.texts */
    char **labels;            /* names of the columns as in CSV */
    char **full_names;        /* "dataset.column" */
    double **columns;
    double *table; /* of a result in memory: row after row (memory.c) */
    size_t table_capacity;
    int width;
    long rows;
    result_table tables[RESULT_TABLES]; /* layout.entries and its next ones */
    int n_tables;
    zn_status (*read_entry_part)(result_file *, int table, long first, long count, double *values);
    /* Rows of all columns, row after row; of one column; a packed chunk of exactly `count` rows. NULL: all columns are there. */
    zn_status (*read_rows)(result_file *, long first, long count, double *rows);
    zn_status (*read_part)(result_file *, int index, long first, long count, double *values);
    zn_status (*read_chunk)(result_file *, long first, long count, result_chunk *, bool *there);
    zn_status (*read_entries)(result_file *, int table);                           /* NULL: they are there */
    zn_status (*read_note)(result_file *, long row, char text[RESULT_NOTE_BYTES]); /* NULL: no rows have one */
    zn_status (*read_column)(result_file *, int index);                            /* NULL: all columns are there */
    void (*close_source)(result_file *);                                           /* NULL: nothing is open */
    void *source;
};

/* Fill all of the above but labels and full_names. What they leave behind on failure is freed by the caller. */
zn_status result_csv_open(result_file *result, char *content, size_t size);
zn_status result_hdf5_open(result_file *result, char *content, size_t size);
result_file *result_allocate(zn_context *context, const char *path); /* NULL: no memory */
zn_status result_make_names(result_file *result);                    /* labels and full_names, when the layout is known */
zn_status result_memory_column(result_file *result, int index);
zn_status result_entries_copy(result_file *result, const result_entries *); /* one more table */
void result_entries_free(result_file *result);
/* The arrays of a result's columns, after width and rows are known. */
zn_status result_allocate_columns(result_file *result);
zn_status result_fail_content(const result_file *result, long line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
