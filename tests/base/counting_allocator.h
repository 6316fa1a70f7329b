/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts, and that fails from the request number `fail_at` on (or at that one only). Usable by all tests:
 *     counting_allocator memory = COUNTING_ALLOCATOR;
 *     zn_context *context = counting_context(&memory);  */
#ifndef TESTS_COUNTING_ALLOCATOR_H
#define TESTS_COUNTING_ALLOCATOR_H

#include "zeno/base.h"

#include <stdlib.h>

typedef struct counting_allocator {
    long requests, live; /* so far; blocks not released */
    long fail_at;        /* number of the request that fails, from 0; -1: none */
    bool only_once;
} counting_allocator;
#define COUNTING_ALLOCATOR ((counting_allocator){.fail_at = -1})

static inline void *counting_reallocate(void *user, void *block, size_t bytes) {
    counting_allocator *memory = user;
    long request = memory->requests++;
    if (memory->fail_at >= 0 && (memory->only_once ? request == memory->fail_at : request >= memory->fail_at)) return NULL;
    void *result = realloc(block, bytes);
    if (result && !block) memory->live++;
    return result;
}

static inline void counting_release(void *user, void *block) {
    counting_allocator *memory = user;
    if (block) memory->live--;
    free(block);
}

/* From now on: so many requests, then none; less than 0: no limit. */
static inline void counting_allow(counting_allocator *memory, long requests) {
    memory->fail_at = requests < 0 ? -1 : memory->requests + requests;
}

static inline zn_context *counting_context(counting_allocator *memory) {
    return zn_context_create(&(zn_context_def){.allocator = {counting_reallocate, counting_release, memory}});
}

#endif
