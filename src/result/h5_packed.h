/* SPDX-License-Identifier: Apache-2.0 */
/* Packed chunks: shuffle (bytes of equal weight side by side), then deflate, each as the file says. No other filters. */
#ifndef RESULT_H5_PACKED_H
#define RESULT_H5_PACKED_H

#include "result/h5_file.h"

/* What is done to a chunk, in this order. */
typedef struct h5_packing {
    int count; /* 0: chunks are plain */
    int filters[2];
    int element; /* bytes of a number */
} h5_packing;

/* Of a chunk in the file. mask: filters that this one was spared. */
typedef struct h5_packed_size {
    uint32_t bytes, mask;
} h5_packed_size;

/* Shuffled and deflated, as hdf5_write.c does it. */
bool h5_packing_is_ours(const h5_packing *packing);
/* The chunk of exactly `rows` whole rows that begins with `row`: where it is, and its size. false: there is none, or it is not packed as
 * ours are. */
bool h5_table_packed(const h5_table *table, long row, long rows, uint64_t *at, h5_packed_size *packed);
/* `message`: H5_FILTERS, or NULL. */
zn_status h5_packing_read(h5_file *file, const h5_message *message, int element, h5_packing *packing);
/* Whether so few bytes can hold a chunk of `size`: asked before there is memory for it. */
bool h5_packed_is_possible(const h5_packing *packing, h5_packed_size packed, size_t size);
zn_status h5_unpack(h5_file *file, const h5_packing *packing, uint64_t at, h5_packed_size packed, unsigned char *to, size_t size);

#endif
