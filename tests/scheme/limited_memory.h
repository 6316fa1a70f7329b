/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that gives a number of blocks, then none. */
#ifndef TESTS_LIMITED_MEMORY_H
#define TESTS_LIMITED_MEMORY_H

#include <stdlib.h>

typedef struct budget {
    long left, calls; /* left < 0: no limit */
} budget;

static inline void *limited_reallocate(void *user, void *block, size_t bytes) {
    budget *b = user;
    b->calls++;
    if (b->left == 0) return NULL;
    if (b->left > 0) b->left--;
    return realloc(block, bytes);
}
static inline void limited_release(void *user, void *block) {
    (void)user;
    free(block);
}

#endif
