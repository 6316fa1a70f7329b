/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes in dense storage, as a dataset with thousands of columns has them: an index of names, a B-tree of version 2, refers to a
 * fractal heap, which holds small objects in blocks and has another such tree for huge ones. Trees of one leaf and a heap of one block
 * are enough for a few attributes. */
#include "result/h5_group.h"

enum { HUGE_OBJECTS = 1, ATTRIBUTE_NAMES = 8 };

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
    if (memcmp(head, "BTHD", 4) != 0 || head[5] != type || leaf->size < least_size) return h5_damaged(file, "an index of attributes is broken");
    if (h5_number(head + 12, 2) != 0) return h5_unknown(file, "very many attributes");
    const unsigned char *node = h5_take(file, h5_number(head + 16, 8), LEAF_HEAD + leaf->count * leaf->size);
    if (!node) return h5_failed(file);
    if (memcmp(node, "BTLF", 4) != 0) return h5_damaged(file, "an index of attributes is broken");
    leaf->records = node + LEAF_HEAD;
    return ZN_OK;
}

typedef struct h5_heap {
    h5_file *file;
    const unsigned char *head;
} h5_heap;

static zn_status huge_object(const h5_heap *heap, uint64_t id, const unsigned char **data, size_t *size) {
    enum { HUGE_TREE_AT = 22, RECORD = 24 };
    h5_leaf leaf;
    zn_status status = read_leaf(heap->file, h5_number(heap->head + HUGE_TREE_AT, 8), HUGE_OBJECTS, RECORD, &leaf);
    if (status != ZN_OK) return status;
    for (uint64_t i = 0; i < leaf.count; i++) {
        const unsigned char *record = leaf.records + i * leaf.size;
        if (h5_number(record + 16, 8) != id) continue;
        uint64_t length = h5_number(record + 8, 8);
        *data = h5_take(heap->file, h5_number(record, 8), length);
        *size = (size_t)length;
        return *data ? ZN_OK : h5_failed(heap->file);
    }
    return h5_damaged(heap->file, "an attribute is missing");
}

static int bytes_for(uint64_t value) {
    int bytes = 1;
    while (value >>= 8) bytes++;
    return bytes;
}

static zn_status heap_object(const h5_heap *heap, const unsigned char *id, const unsigned char **data, size_t *size) {
    enum { MOST_MANAGED_AT = 10, LARGEST_BLOCK_AT = 120, BITS_AT = 128, ROOT_AT = 132, ROWS_AT = 140, MANAGED = 0, HUGE = 1 };
    int kind = id[0] >> 4 & 3;
    if (kind == HUGE) return huge_object(heap, h5_number(id + 1, 7), data, size);
    if (kind != MANAGED || h5_number(heap->head + ROWS_AT, 2) != 0) return h5_unknown(heap->file, "attributes in more than one block");
    int offset_bytes = ((int)h5_number(heap->head + BITS_AT, 2) + 7) / 8;
    int managed = bytes_for(h5_number(heap->head + MOST_MANAGED_AT, 4)), block = bytes_for(h5_number(heap->head + LARGEST_BLOCK_AT, 8));
    int length_bytes = managed < block ? managed : block;
    if (offset_bytes > 7 || 1 + offset_bytes + length_bytes > 8) return h5_damaged(heap->file, "a heap of attributes is broken");
    uint64_t offset = h5_number(id + 1, offset_bytes), length = h5_number(id + 1 + offset_bytes, length_bytes);
    uint64_t root = h5_number(heap->head + ROOT_AT, 8);
    if (root > h5_size(heap->file) || offset > h5_size(heap->file)) return h5_damaged(heap->file, "a heap of attributes is broken");
    *data = h5_take(heap->file, root + offset, length);
    *size = (size_t)length;
    return *data ? ZN_OK : h5_failed(heap->file);
}

zn_status h5_dense_attributes(h5_file *file, const h5_message *info, h5_take_attribute *take, void *user) {
    enum { HEAP_HEAD = 142, RECORD = 17 };
    static const uint64_t undefined = UINT64_MAX;
    size_t at = info->size >= 2 && info->data[1] & 1 ? 4 : 2;
    if (info->size < at + 16 || info->flags & H5_SHARED) return h5_damaged(file, "the attributes of an object are cut");
    if (h5_number(info->data + at, 8) == undefined) return ZN_OK;
    h5_heap heap = {file, h5_take(file, h5_number(info->data + at, 8), HEAP_HEAD)};
    if (!heap.head) return h5_failed(file);
    if (memcmp(heap.head, "FRHP", 4) != 0 || h5_number(heap.head + 5, 2) != 8) return h5_damaged(file, "a heap of attributes is broken");
    if (h5_number(heap.head + 7, 2) != 0) return h5_unknown(file, "compressed attributes");
    h5_leaf leaf;
    zn_status status = read_leaf(file, h5_number(info->data + at + 8, 8), ATTRIBUTE_NAMES, RECORD, &leaf);
    for (uint64_t i = 0; status == ZN_OK && i < leaf.count; i++) {
        const unsigned char *data = NULL;
        size_t size = 0;
        status = heap_object(&heap, leaf.records + i * leaf.size, &data, &size);
        if (status == ZN_OK) status = take(user, data, size);
    }
    return status;
}
