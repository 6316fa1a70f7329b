/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded numbers (xorshift64*): the same on every machine. */
#ifndef TESTS_LINALG_RANDOM_H
#define TESTS_LINALG_RANDOM_H

#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

static inline uint64_t random_bits(random_source *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 2685821657736338717u;
}

/* Uniform in [-1, 1). */
static inline double random_number(random_source *r) { return (double)(random_bits(r) >> 11) * 0x1p-52 - 1; }

/* Uniform in 0 .. n-1. */
static inline int random_below(random_source *r, int n) { return (int)((random_bits(r) >> 33) % (uint64_t)n); }

#endif
