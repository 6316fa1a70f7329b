/* SPDX-License-Identifier: Apache-2.0 */
/* Dense storage, which groups of more than eight members have, and datasets with thousands of columns for their attributes: an index by
 * names, a B-tree of version 2, refers to a fractal heap. The heap holds small objects in blocks, the first row or two of them as
 * large as the first block and each further row twice as large, and has another such tree for huge objects. Trees of one leaf are
 * enough for some dozens of names. */
#include "result/h5_group.h"

typedef struct h5_leaf {
    const unsigned char *records;
    uint64_t count, size;
} h5_leaf;

static zn_status read_leaf(h5_file *file, uint64_t at, int type, uint64_t least_size, h5_leaf *leaf) {
    enum { HEAD = 34, LEAF_HEAD = 6 };
    const unsigned char *head = h5_take(file, at, HEAD);
    if (!head) return h5_failed(file);
    leaf->size = h5_number(head + 10, 2);
    leaf->count = h5_number(head + 24, 2);
    if (memcmp(head, "BTHD", 4) != 0 || head[5] != type || leaf->size < least_size) return h5_damaged(file, "an index of names is broken");
    if (h5_number(head + 12, 2) != 0) return h5_unknown(file, "hundreds of members or attributes of one object");
    const unsigned char *node = h5_take(file, h5_number(head + 16, 8), LEAF_HEAD + leaf->count * leaf->size);
    if (!node) return h5_failed(file);
    if (memcmp(node, "BTLF", 4) != 0) return h5_damaged(file, "an index of names is broken");
    leaf->records = node + LEAF_HEAD;
    return ZN_OK;
}

/* ---- the heap ---- */

typedef struct h5_heap {
    h5_file *file;
    uint64_t huge_tree, first_block, largest_block, root;
    int id_bytes, offset_bytes, length_bytes;
    uint64_t width, rows; /* of the root, when it is a table of blocks; 0 rows: it is a block itself */
    const unsigned char *table;
} h5_heap;

static int bytes_for(uint64_t value) {
    int bytes = 1;
    while (value >>= 8) bytes++;
    return bytes;
}

static zn_status open_heap(h5_heap *heap, uint64_t at) {
    enum { HEAD = 142, TABLE_HEAD = 13, MOST_ROWS = 64 };
    h5_file *file = heap->file;
    const unsigned char *head = h5_take(file, at, HEAD);
    if (!head) return h5_failed(file);
    if (memcmp(head, "FRHP", 4) != 0) return h5_damaged(file, "a heap is broken");
    if (h5_number(head + 7, 2) != 0) return h5_unknown(file, "compressed names");
    heap->id_bytes = (int)h5_number(head + 5, 2);
    heap->huge_tree = h5_number(head + 22, 8);
    heap->width = h5_number(head + 110, 2);
    heap->first_block = h5_number(head + 112, 8);
    heap->largest_block = h5_number(head + 120, 8);
    heap->offset_bytes = ((int)h5_number(head + 128, 2) + 7) / 8;
    heap->root = h5_number(head + 132, 8);
    heap->rows = h5_number(head + 140, 2);
    int managed = bytes_for(h5_number(head + 10, 4)), block = bytes_for(heap->largest_block);
    heap->length_bytes = managed < block ? managed : block;
    bool valid = heap->offset_bytes <= 7 && 1 + heap->offset_bytes + heap->length_bytes <= heap->id_bytes && heap->id_bytes <= 8 &&
                 heap->first_block > 0 && heap->first_block <= UINT32_MAX && heap->rows <= MOST_ROWS && heap->root <= h5_size(file);
    if (!valid) return h5_damaged(file, "a heap is broken");
    if (heap->rows == 0) return ZN_OK;
    heap->table = h5_take(file, heap->root + TABLE_HEAD + (uint64_t)heap->offset_bytes, heap->rows * heap->width * 8);
    return heap->table ? ZN_OK : h5_failed(file);
}

/* The address of what is at an offset of the heap. */
static zn_status locate(const h5_heap *heap, uint64_t offset, uint64_t *at) {
    *at = heap->root + offset;
    if (heap->rows == 0) return ZN_OK;
    uint64_t begin = 0, size = heap->first_block;
    for (uint64_t row = 0; row < heap->rows && size <= heap->largest_block; row++) {
        if (row > 1) size *= 2;
        if (offset - begin >= heap->width * size) {
            begin += heap->width * size;
            continue;
        }
        uint64_t column = (offset - begin) / size;
        *at = h5_number(heap->table + 8 * (row * heap->width + column), 8);
        if (*at > h5_size(heap->file)) break;
        *at += offset - begin - column * size;
        return ZN_OK;
    }
    return h5_damaged(heap->file, "a heap is broken");
}

static zn_status huge_object(const h5_heap *heap, uint64_t id, const unsigned char **data, size_t *size) {
    enum { HUGE_OBJECTS = 1, RECORD = 24 };
    h5_leaf leaf;
    zn_status status = read_leaf(heap->file, heap->huge_tree, HUGE_OBJECTS, RECORD, &leaf);
    if (status != ZN_OK) return status;
    for (uint64_t i = 0; i < leaf.count; i++) {
        const unsigned char *record = leaf.records + i * leaf.size;
        if (h5_number(record + 16, 8) != id) continue;
        uint64_t length = h5_number(record + 8, 8);
        *data = h5_take(heap->file, h5_number(record, 8), length);
        *size = (size_t)length;
        return *data ? ZN_OK : h5_failed(heap->file);
    }
    return h5_damaged(heap->file, "an object of a heap is missing");
}

static zn_status heap_object(const h5_heap *heap, const unsigned char *id, const unsigned char **data, size_t *size) {
    enum { MANAGED, HUGE };
    int kind = id[0] >> 4 & 3;
    if (kind == HUGE) return huge_object(heap, h5_number(id + 1, heap->id_bytes - 1), data, size);
    if (kind != MANAGED) return h5_unknown(heap->file, "very short names in a heap");
    uint64_t at, length = h5_number(id + 1 + heap->offset_bytes, heap->length_bytes);
    zn_status status = locate(heap, h5_number(id + 1, heap->offset_bytes), &at);
    if (status != ZN_OK) return status;
    *data = h5_take(heap->file, at, length);
    *size = (size_t)length;
    return *data ? ZN_OK : h5_failed(heap->file);
}

zn_status h5_dense(h5_file *file, const h5_message *info, h5_take_message *take, void *user) {
    enum { LINK_NAMES = 5, ATTRIBUTE_NAMES = 8 };
    static const uint64_t undefined = UINT64_MAX;
    bool links = info->type == H5_LINK_INFO;
    size_t at = 2 + (info->size >= 2 && info->data[1] & 1 ? (links ? 8u : 2u) : 0u);
    if (info->size < at + 16 || info->flags & H5_SHARED) return h5_damaged(file, "an index of names is truncated");
    if (h5_number(info->data + at, 8) == undefined) return ZN_OK;
    h5_heap heap = {.file = file};
    h5_leaf leaf = {0};
    zn_status status = open_heap(&heap, h5_number(info->data + at, 8));
    uint64_t id_at = links ? 4 : 0; /* behind the hash of the name, or before it */
    if (status == ZN_OK)
        status = read_leaf(file, h5_number(info->data + at + 8, 8), links ? LINK_NAMES : ATTRIBUTE_NAMES, id_at + (uint64_t)heap.id_bytes,
                           &leaf);
    for (uint64_t i = 0; status == ZN_OK && i < leaf.count; i++) {
        h5_message m = {.type = links ? H5_LINK : H5_ATTRIBUTE};
        status = heap_object(&heap, leaf.records + i * leaf.size + id_at, &m.data, &m.size);
        if (status == ZN_OK) status = take(user, &m);
    }
    return status;
}
