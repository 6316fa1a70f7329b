/* SPDX-License-Identifier: Apache-2.0 */
/* Values as bytes: one function counts, writes and reads them, so that the three cannot disagree. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/base.h"

typedef enum bytes_way { BYTES_COUNT, BYTES_WRITE, BYTES_READ, BYTES_CLEAR } bytes_way; /* clear: zeros, as in new memory */

typedef struct byte_stream {
    bytes_way way;
    unsigned char *at; /* NULL while counting; only read while reading */
    size_t count;      /* so far */
    size_t room;       /* for writing, or what there is to read */
    bool missing;      /* there was less than what was asked for; the values are zeros then */
} byte_stream;

static inline void bytes_pass(byte_stream *b, void *values, size_t size) {
    if (b->way == BYTES_CLEAR && size > 0) memset(values, 0, size);
    bool fits = b->way == BYTES_COUNT || b->way == BYTES_CLEAR || (!b->missing && size <= b->room - b->count);
    if (!fits) {
        b->missing = true;
        if (b->way == BYTES_READ && size > 0) memset(values, 0, size);
        return;
    }
    if (b->way == BYTES_WRITE && size > 0) memcpy(b->at + b->count, values, size);
    if (b->way == BYTES_READ && size > 0) memcpy(values, b->at + b->count, size);
    b->count += size;
}

/* How many of something follow, each of at least `each` bytes: 0 where so many cannot be there. */
static inline size_t bytes_pass_count(byte_stream *b, size_t count, size_t each) {
    uint64_t n = count;
    bytes_pass(b, &n, sizeof n);
    if (b->way == BYTES_READ && each > 0 && n > (b->room - b->count) / each) {
        b->missing = true;
        return 0;
    }
    return (size_t)n;
}

#define BYTES_PASS(b, value) bytes_pass(b, &(value), sizeof(value))
#define BYTES_PASS_ARRAY(b, array, n) bytes_pass(b, array, (size_t)(n) * sizeof *(array))

/* FNV-1a, 64 bits; begin with BYTES_HASH. */
#define BYTES_HASH 14695981039346656037u
static inline uint64_t bytes_hash(uint64_t hash, const void *values, size_t size) {
    const unsigned char *v = values;
    for (size_t i = 0; i < size; i++) hash = (hash ^ v[i]) * 1099511628211u;
    return hash;
}

#endif
