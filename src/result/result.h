/* SPDX-License-Identifier: Apache-2.0 */
/* Results: tables over time, written while a run goes on and read back. HDF5 (.h5, .hdf5) and CSV (.csv). */
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include "base/base.h"
#include "zeno/result.h"

/* One group of columns. With `columns` NULL the dataset is a single column that has the dataset's own name ("t"). In HDF5
 * that is a vector, any other dataset a matrix of rows x n_columns. A dataset with no columns (no contacts) is left out. */
typedef struct result_dataset {
    const char *name;    /* may be in a group: "values/mu"; if plain, it is called "mu" as a column where no other is */
    const char *meaning; /* a sentence for readers: "positions at t, in the units of the scene"; NULL: none */
    int n_columns;       /* ignored when columns is NULL */
    const char *const *columns;
    bool plain; /* columns go by their own names ("x"); otherwise "percussion.floor.normal" */
} result_dataset;

/* What a file holds besides: texts, and numbers, which are kept as texts with all digits here. */
typedef enum result_kind { RESULT_TEXT, RESULT_REAL, RESULT_WHOLE } result_kind;
typedef struct result_text {
    const char *name, *value; /* UTF-8; the names "format" and "datasets" are taken */
    result_kind kind;
} result_text;

typedef struct result_layout {
    int n_datasets;
    const result_dataset *datasets;
    int n_texts;
    const result_text *texts;             /* attributes of the file: scene, title, scheme ... (CSV cannot hold them) */
    const struct result_entries *entries; /* the first table of entries; NULL: none */
    const char *notes;                    /* a dataset with a text for each row, most of them empty; NULL: none. HDF5 only */
    bool packed;                          /* the complete file is compressed; PATH.partial never is. HDF5 only */
    bool only_packed;                     /* PATH.partial is, too: for what is in other files as well. See result_writer_is_published */
} result_layout;

/* A table with any number of entries for each row, the first number of which is the row that they belong to (from 0). HDF5 only. */
typedef struct result_entries {
    const char *name, *meaning;
    int n_columns;
    const char *const *columns; /* the first one is "row" */
    const char *names_of;       /* what numbers in it count ("shapes"): an attribute with */
    int n_names;                /* names */
    const char *const *names;
    const struct result_entries *next; /* table, RESULT_TABLES at most; NULL: none */
} result_entries;
enum { RESULT_TABLES = 3 };

/* Doubles in a row: the columns of all datasets, one dataset after the other. */
int result_layout_width(const result_layout *layout);

/* Rows of a chunk of HDF5, of layouts of that width. */
long result_chunk_rows(int width);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct result_writer result_writer;
typedef zn_result result_file;

/* True when the ending of `path` names a format. Otherwise an error lists the endings. */
bool result_path_ok(zn_context *context, const char *path);

bool result_path_has_drawings(const char *path);

/* Opens PATH.partial, which nobody else can write from here to the end; anything that makes PATH unwritable is found here, before an
 * older PATH.partial is touched. The layout is not needed afterwards. */
zn_status result_writer_create(zn_context *context, const char *path, const result_layout *layout, result_writer **writer);
/* Appends result_layout_width() doubles. What is older than a second is on the disk, also when the process gets killed. */
zn_status result_writer_row(result_writer *writer, const double *row);
/* An entry of the row that comes next, in a table (0: the first one): n_columns doubles. Tables of a row come one after the other. Formats
 * without such tables leave it out. */
zn_status result_writer_entry(result_writer *writer, int table, const double *entry);
/* The text of the row that comes next; none: empty. Cut to RESULT_NOTE_BYTES - 1. */
enum { RESULT_NOTE_BYTES = 256 };
zn_status result_writer_note(result_writer *writer, const char *text);
/* The first `rows` rows of another file with the same columns, with their entries, which then count our rows, and texts. Memory does not
 * grow with them; whole chunks of packed files go as they are to a file that is only packed. */
zn_status result_writer_append(result_writer *writer, result_file *from, long rows);
/* All rows so far to the disk. Does not change the bytes of the finished file. */
zn_status result_writer_flush(result_writer *writer);
/* Closes. success: PATH.partial becomes PATH; otherwise it stays as it is and an existing PATH is untouched. */
zn_status result_writer_finish(result_writer *writer, bool success);
/* After finish with success. false: the file is only packed, and readers would take it for one that claims too much: it is to be written
 * again with a plain one. */
bool result_writer_is_published(const result_writer *writer);
/* Without finish before: the same as finish without success. */
void result_writer_destroy(result_writer *writer);
/* Rows that a reader finds in the file. */
long result_writer_rows(const result_writer *writer);
/* PATH, or PATH.partial until a successful finish. */
const char *result_writer_path(const result_writer *writer);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Either format, recognised by the content; also .partial files of killed or running runs. */
zn_status result_open(zn_context *context, const char *path, result_file **result);
void result_close(result_file *result);
long result_rows(const result_file *result);
/* What the file holds. A CSV file knows only its columns: each is a dataset with its own name. */
const result_layout *result_get_layout(const result_file *result);
const char *result_get_text(const result_file *result, const char *name); /* NULL: not there */
/* The name of column `index` (0 .. width-1) as in the header of CSV: "x", "x'", "energy.kinetic". */
const char *result_column_name(const result_file *result, int index);
/* Finds by that name, by "dataset.column", or by the end of it after a dot where that is unique ("floor.normal").
 * ZN_ERROR_ARGUMENT with the nearest name, or with the candidates, in the sentence. */
zn_status result_find(result_file *result, const char *name, int *index);
/* The result_rows() values of a column; valid until close. Columns of HDF5 files are read when first asked for. */
zn_status result_column(result_file *result, int index, const double **values);

/* Values of some rows; keeps nothing. */
zn_status result_part(result_file *result, int index, long first, long count, double *values);

/* The text of a row; "" where it has none. */
zn_status result_note(result_file *result, long row, char text[RESULT_NOTE_BYTES]);
/* A table of entries, n_columns numbers each; NULL and 0: none. */
zn_status result_get_entries(result_file *result, int table, const double **values, long *count);
/* The entries of all tables up to a row go to a writer of the same layout; next[RESULT_TABLES], zero before the first row: how many have
 * gone. */
zn_status result_copy_entries(result_file *from, long row, long *next, result_writer *to);
/* A column of such a table by its name; -1: none. */
int result_entry_column(const zn_contact_table *table, const char *name);

/* A result in memory, which grows by rows of result_layout_width() doubles. */
zn_status result_memory_create(zn_context *context, const result_layout *layout, result_file **result);
zn_status result_memory_row(result_file *result, const double *row);
zn_status result_memory_entry(result_file *result, int table, const double *entry);
/* Forgets all rows and entries, and keeps their memory for others. */
void result_memory_clear(result_file *result);

#endif
