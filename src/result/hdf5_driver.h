/* SPDX-License-Identifier: Apache-2.0 */
/* The driver through which HDF5 writes a file of ours, so that a kill at any moment leaves it readable (hdf5_driver.c). */
#ifndef RESULT_HDF5_DRIVER_H
#define RESULT_HDF5_DRIVER_H

#include "base/base.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* A node of an index of chunks. */
typedef struct hdf5_node {
    haddr_t at; /* 0: none */
    int level;  /* 0: leaves */
    int children;
} hdf5_node;

/* Metadata that waits for the end of a flush. */
typedef struct hdf5_block {
    haddr_t at;
    size_t size, bytes;     /* where they are among those of all blocks */
    int rank;               /* the order of writing: see hdf5_driver.c */
    size_t number;          /* blocks that came before */
    hdf5_node node, before; /* what it is, and what the file has in its place */
} hdf5_block;

enum { HDF5_NODES = 64 };
typedef struct hdf5_driver {
    H5FD_t head; /* HDF5's part: first */
    zn_context *context;
    int descriptor;
    int error; /* the system's, 0: none. From the first one on nothing goes to the file any more. HDF5 is not told: it cannot close a file after a flush that failed */
    haddr_t end;                 /* of what HDF5 uses; */
    haddr_t written;             /* of what it has written; */
    haddr_t announced;           /* of what readers believe; 0: no superblock yet, or one of another version */
    hdf5_node nodes[HDF5_NODES]; /* in the file: some of them, by their places */
    hdf5_block *blocks;
    unsigned char *bytes;
    size_t n_blocks, block_capacity, n_bytes, byte_capacity;
} hdf5_driver;

/* Files created with these properties are written through it, to the descriptor. */
bool hdf5_driver_use(hdf5_driver *driver, zn_context *context, int descriptor, hid_t access);
/* Room for the metadata of a flush: so much more than waits now. */
bool hdf5_driver_expect(hdf5_driver *driver, size_t bytes);
void hdf5_driver_free(hdf5_driver *driver);

#endif
