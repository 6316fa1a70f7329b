/* SPDX-License-Identifier: Apache-2.0 */
/* An arena: many small pieces that are freed together. */
#include "scene/scene.h"

#include <stdalign.h>

enum { BLOCK_BYTES = 16 << 10 };

struct scene_block {
    scene_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

static scene_block *add_block(scene_arena *arena, size_t bytes) {
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    scene_block *block = mem_array(arena->context, sizeof *block + size, 1);
    if (!block) return NULL;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *scene_alloc(scene_arena *arena, size_t count, size_t size) {
    const size_t align = alignof(max_align_t);
    if (count > SIZE_MAX / 4 / (size ? size : 1)) count = SIZE_MAX / 4 / (size ? size : 1); /* the allocation below fails */
    size_t bytes = (count * size + align - 1) / align * align;
    scene_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *piece = block->bytes + block->used;
    block->used += bytes;
    return piece;
}

char *scene_copy(scene_arena *arena, const char *text, size_t length) {
    char *copy = scene_alloc(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void scene_arena_free(scene_arena *arena) {
    while (arena->blocks) {
        scene_block *block = arena->blocks;
        arena->blocks = block->next;
        mem_free(arena->context, block);
    }
}
