/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of HDF5 (File Format Specification, the filter pipeline message): number 1 is deflate, number 2 shuffle. */
#include "result/h5_packed.h"

#include "result/h5_group.h"

#include <zlib.h>

enum {
    DEFLATE = 1,
    SHUFFLE = 2,
    MOST_RATIO = 1032, /* of deflate: 258 bytes by a code of two bits */
    MOST_HEAD = 64,    /* bytes that the largest ratio does not count */
};

static const char *const another = "compressed values (other than by shuffle and deflate; h5repack -f NONE writes them plainly)";

/* One filter: its number, and where the next one begins. false: truncated. */
static bool read_filter(const h5_message *m, size_t *at, int *number, uint64_t *first_value) {
    bool old = m->data[0] == 1;
    if (m->size - *at < 8) return false;
    const unsigned char *filter = m->data + *at;
    *number = (int)h5_number(filter, 2);
    bool named = old || *number >= 256;
    size_t name = named ? (size_t)h5_number(filter + 2, 2) : 0, head = named ? 8 : 6, values = (size_t)h5_number(filter + head - 2, 2);
    if (old) name = (name + 7) / 8 * 8;
    size_t padding = old && values % 2 ? 4 : 0, size = head + name + 4 * values + padding;
    if (size > m->size - *at) return false;
    *first_value = values > 0 ? h5_number(filter + head + name, 4) : 0;
    *at += size;
    return true;
}

zn_status h5_packing_read(h5_file *file, const h5_message *m, int element, h5_packing *packing) {
    *packing = (h5_packing){.element = element};
    if (!m) return ZN_OK;
    if (m->size < 2 || m->flags & H5_SHARED || m->data[0] < 1 || m->data[0] > 2)
        return h5_damaged(file, "the filters of a dataset are broken");
    int count = m->data[1];
    if (count > 2) return h5_unknown(file, another);
    size_t at = m->data[0] == 1 ? 8 : 2;
    for (int i = 0; i < count; i++) {
        uint64_t value;
        if (at > m->size || !read_filter(m, &at, &packing->filters[i], &value))
            return h5_damaged(file, "the filters of a dataset are broken");
        int filter = packing->filters[i];
        bool known = filter == DEFLATE ? i == count - 1 : filter == SHUFFLE && i == 0 && value == (uint64_t)element;
        if (!known) return h5_unknown(file, another);
    }
    packing->count = count;
    return ZN_OK;
}

bool h5_packing_is_ours(const h5_packing *p) { return p->count == 2 && p->filters[0] == SHUFFLE && p->filters[1] == DEFLATE; }

static bool is_done(const h5_packing *p, h5_packed_size packed, int filter) {
    for (int i = 0; i < p->count; i++)
        if (p->filters[i] == filter) return !(packed.mask >> i & 1);
    return false;
}

bool h5_packed_is_possible(const h5_packing *p, h5_packed_size packed, size_t size) {
    if (!is_done(p, packed, DEFLATE)) return packed.bytes == size;
    return size <= (uint64_t)MOST_RATIO * packed.bytes + MOST_HEAD;
}

/* Byte k of number i is at k n + i. What is left over at the end stays as it is. */
static void unshuffle(const unsigned char *from, size_t size, size_t element, unsigned char *to) {
    size_t n = size / element;
    for (size_t k = 0; k < element; k++)
        for (size_t i = 0; i < n; i++) to[i * element + k] = from[k * n + i];
    memcpy(to + n * element, from + n * element, size - n * element);
}

zn_status h5_unpack(h5_file *file, const h5_packing *p, uint64_t at, h5_packed_size packed, unsigned char *to, size_t size) {
    zn_context *context = h5_context(file);
    bool deflated = is_done(p, packed, DEFLATE), shuffled = is_done(p, packed, SHUFFLE);
    if (at > h5_size(file) || packed.bytes > h5_size(file) - at) return h5_damaged(file, "a chunk is outside");
    unsigned char *stored = deflated ? MEM_ARRAY(context, unsigned char, packed.bytes) : NULL,
                  *turned = shuffled ? MEM_ARRAY(context, unsigned char, size) : NULL, *whole = shuffled ? turned : to;
    zn_status status = (stored || !deflated) && (turned || !shuffled) ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = h5_read(file, at, deflated ? stored : whole, packed.bytes);
    uLongf count = size;
    if (status == ZN_OK && deflated && (uncompress(whole, &count, stored, packed.bytes) != Z_OK || count != size))
        status = h5_damaged(file, "a chunk cannot be unpacked");
    if (status == ZN_OK && shuffled) unshuffle(turned, size, (size_t)p->element, to);
    mem_free(context, stored);
    mem_free(context, turned);
    return status;
}
