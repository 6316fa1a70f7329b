/* SPDX-License-Identifier: Apache-2.0 */
/* A file of HDF5 that is being written (hdf5_write.c), and how it begins (hdf5_create.c). */
#ifndef RESULT_HDF5_SINK_H
#define RESULT_HDF5_SINK_H

#include "result/hdf5_common.h"
#include "result/hdf5_driver.h"

#include <sys/types.h>

enum {
    NOTE_ROWS = 32,          /* of a chunk of texts */
    RESERVE_BYTES = 1 << 14, /* room for metadata: of the file, */
    NODE_BYTES = 3 << 10     /* of a node of the index of chunks, a B-tree: 24 + 64 * 8 + 65 * 32 bytes at most */
};

/* Entries, any number for each row. */
typedef struct hdf5_entries {
    hid_t dataset; /* -1: none */
    int width;
    double *buffer;
    hsize_t chunk_rows, chunk_start, filled, flushed; /* as below */
    hsize_t begin;                                    /* row at which the chunk began */
} hdf5_entries;

/* Texts of rows. */
typedef struct hdf5_notes {
    hid_t dataset;                    /* -1: none */
    char (*texts)[RESULT_NOTE_BYTES]; /* of the rows in the buffer; empty: none */
    bool any;                         /* there are texts that are not in the file; */
    size_t urgent;                    /* the first ones of so many chunks are among them */
    hsize_t chunks;                   /* up to the last one that has a text */
} hdf5_notes;

typedef struct hdf5_sink {
    zn_context *context;
    const char *path;
    int reserve; /* the same file, for reserving space; owned by the output */
    hid_t file;
    hdf5_driver driver;    /* of the file */
    bool packed, deflates; /* deflates: HDF5 was built with it */
    int n_datasets, width;
    hid_t *datasets;
    int *widths;                     /* columns of each dataset; 0 for vectors, which have one */
    double *buffer, *gathered;       /* chunk_rows x width; columns of one dataset */
    hsize_t chunk_rows, chunk_start; /* rows of a chunk, first row of the current chunk */
    hsize_t filled, flushed;         /* rows of the current chunk in the buffer, those of them in the file */
    const result_chunk *ready;       /* the chunk that is being filled, packed already; NULL: none */
    hdf5_entries entries[RESULT_TABLES];
    int n_entries;
    hdf5_notes notes;
} hdf5_sink;

static inline int hdf5_columns(int width) { return width ? width : 1; }

/* Before hdf5_leave: what the system said to the driver, or HDF5 to us. */
zn_status hdf5_outcome(const hdf5_sink *, bool ok);
/* Room in the file, before HDF5 writes there. Not every file system can reserve; those that cannot do without. */
zn_status hdf5_reserve(const hdf5_sink *, off_t start, size_t bytes);
/* The file with all its datasets, without rows. */
zn_status hdf5_create_all(hdf5_sink *, const result_layout *);
/* Of texts of rows; negative: failed. */
hid_t hdf5_note_type(void);
/* Whole chunks pass by the cache of chunks: their values are in the file before the metadata that refers to them. */
hid_t hdf5_uncached_access(void);

#endif
