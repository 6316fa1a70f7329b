/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of sizes 32, 48, 64, 96, 128, 192 ...: class c has (2 + c % 2) 2^(c/2 + 4) bytes. The class is stored in front of the block.
 * Larger blocks come from malloc. */
#include "study/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, LARGE = STUDY_POOL_CLASSES, CHUNK_BYTES = 1 << 18 };

/* Keeps blocks aligned as malloc's. */
typedef union pool_head {
    struct {
        size_t class, bytes; /* bytes: of large ones */
    } of;
    void *next;
    char aligned[HEAD];
} pool_head;

static size_t class_bytes(size_t c) { return (2 + c % 2) << (c / 2 + 4); }

/* The smallest class that has room: with 2^k < bytes <= 2^(k+1) the one of 3/2 2^k or of 2^(k+1). */
static size_t class_of(size_t bytes) {
    if (bytes <= class_bytes(0)) return 0;
    size_t k = 63 - (size_t)__builtin_clzll((unsigned long long)bytes - 1), c = 2 * (k - 5) + 1;
    if (c >= LARGE) return LARGE;
    if (class_bytes(c) < bytes) c++;
    return c;
}

static void *cut(study_pool *pool, size_t bytes) {
    if (bytes > pool->left) {
        size_t size = bytes + HEAD > CHUNK_BYTES ? bytes + HEAD : CHUNK_BYTES;
        pool_head *chunk = malloc(size);
        if (!chunk) return NULL;
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        pool->next = (char *)chunk + HEAD;
        pool->left = size - HEAD;
    }
    void *block = pool->next;
    pool->next += bytes;
    pool->left -= bytes;
    return block;
}

static void *take(study_pool *pool, size_t bytes) {
    size_t c = class_of(bytes);
    pool_head *head = NULL;
    if (c == LARGE) head = bytes <= SIZE_MAX - HEAD ? malloc(HEAD + bytes) : NULL;
    else if ((head = pool->free[c])) {
        pool_head *after = head + 1;
        pool->free[c] = after->next;
    } else head = cut(pool, HEAD + class_bytes(c));
    if (!head) return NULL;
    head->of.class = c;
    head->of.bytes = c == LARGE ? bytes : class_bytes(c);
    return head + 1;
}

static void give_back(void *user, void *block) {
    study_pool *pool = user;
    if (!block) return;
    pool_head *after = block, *head = after - 1;
    if (head->of.class == LARGE) {
        free(head);
        return;
    }
    after->next = pool->free[head->of.class];
    pool->free[head->of.class] = head;
}

static void *resize(void *user, void *block, size_t bytes) {
    size_t old = block ? ((pool_head *)block - 1)->of.bytes : 0;
    if (block && bytes <= old && old < 4 * bytes) return block;
    void *larger = take(user, bytes);
    if (!larger || !block) return larger;
    memcpy(larger, block, old < bytes ? old : bytes);
    give_back(user, block);
    return larger;
}

zn_allocator study_pool_allocator(study_pool *pool) { return (zn_allocator){resize, give_back, pool}; }

void study_pool_free(study_pool *pool) {
    for (pool_head *chunk = pool->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *pool = (study_pool){0};
}
