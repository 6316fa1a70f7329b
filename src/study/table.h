/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a study: a result whose rows are runs. */
#ifndef STUDY_TABLE_H
#define STUDY_TABLE_H

#include "study/single.h"

enum { STUDY_HASH_TEXT = 40 };
typedef struct study_table {
    zn_context *context;
    result_writer *writer;
    long first, count; /* runs of the file */
    long rows, failed; /* rows so far, those of runs that failed */
    int width, n_values, status_at;
    double *entry;
    char hash[STUDY_HASH_TEXT]; /* of the study */
    bool complete;              /* all of it was there: there is nothing to write */
} study_table;

/* The content of a file: a complete study, or the beginning of one. Fills hash, first and count. */
zn_status study_table_look(const study_shared *, study_table *, bool *begun);
/* With the rows that an earlier, killed study left. */
zn_status study_table_open(const study_shared *, study_table *);
/* The next one. */
zn_status study_table_row(study_table *, const study_row *);
/* All rows of another file behind ours. */
zn_status study_table_append(study_table *, result_file *from);
zn_status study_table_flush(study_table *);
/* Closes the file, under its final name when complete; otherwise it stays, to be continued. Frees. */
zn_status study_table_finish(study_table *, bool whole);

/* A whole number among the attributes of a file; -1: there is none. */
long study_number(const result_file *, const char *name);

#endif
