/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: members by name, through hard links only. Old groups are a B-tree over symbol tables with names in a heap, new ones hold links
 * as messages, in the header or in dense storage. */
#include "result/h5_group.h"

typedef struct h5_search {
    h5_file *file;
    const char *name; /* not ended by 0 */
    size_t length;
    const unsigned char *names; /* the local heap */
    uint64_t names_size, address;
    bool found;
} h5_search;

static bool is_name(const h5_search *s, uint64_t offset) {
    return offset < s->names_size && s->names_size - offset > s->length && memcmp(s->names + offset, s->name, s->length) == 0 &&
           s->names[offset + s->length] == '\0';
}

static zn_status search_symbols(h5_search *s, uint64_t at) {
    enum { HEAD = 8, ENTRY = 40, NO_CACHE = 0, GROUP_CACHE = 1 };
    const unsigned char *head = h5_take(s->file, at, HEAD);
    if (!head) return h5_failed(s->file);
    if (memcmp(head, "SNOD", 4) != 0) return h5_damaged(s->file, "a group has no table of its members");
    uint64_t count = h5_number(head + 6, 2);
    const unsigned char *entry = h5_take(s->file, at + HEAD, count * ENTRY);
    if (!entry) return h5_failed(s->file);
    for (uint64_t i = 0; i < count && !s->found; i++, entry += ENTRY) {
        if (!is_name(s, h5_number(entry, 8))) continue;
        uint64_t kind = h5_number(entry + 16, 4);
        if (kind != NO_CACHE && kind != GROUP_CACHE)
            return h5_unknown(s->file, "a link that is not a hard one; such links are not followed");
        s->address = h5_number(entry + 8, 8);
        s->found = true;
    }
    return ZN_OK;
}

/* All leaves in turn: groups are small, and the order of a damaged file means nothing. */
static zn_status search_tree(h5_search *s, uint64_t at, int level_above) {
    enum { HEAD = 24, KEY = 8, CHILD = 8, MOST_LEVELS = 8 };
    const unsigned char *head = h5_take(s->file, at, HEAD);
    if (!head) return h5_failed(s->file);
    int level = head[5];
    uint64_t count = h5_number(head + 6, 2);
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 0 || level >= level_above || level > MOST_LEVELS)
        return h5_damaged(s->file, "the tree of a group is broken");
    const unsigned char *entries = h5_take(s->file, at + HEAD, count * (KEY + CHILD));
    if (!entries) return h5_failed(s->file);
    zn_status status = ZN_OK;
    for (uint64_t i = 0; i < count && !s->found && status == ZN_OK; i++) {
        uint64_t child = h5_number(entries + i * (KEY + CHILD) + KEY, 8);
        status = level == 0 ? search_symbols(s, child) : search_tree(s, child, level);
    }
    return status;
}

static zn_status search_symbol_table(h5_search *s, const h5_message *table) {
    enum { HEAP_HEAD = 32 };
    if (table->size < 16) return h5_damaged(s->file, "a group is truncated");
    const unsigned char *heap = h5_take(s->file, h5_number(table->data + 8, 8), HEAP_HEAD);
    if (!heap) return h5_failed(s->file);
    if (memcmp(heap, "HEAP", 4) != 0) return h5_damaged(s->file, "a group has no names");
    s->names_size = h5_number(heap + 8, 8);
    s->names = h5_take(s->file, h5_number(heap + 24, 8), s->names_size);
    return s->names ? search_tree(s, h5_number(table->data, 8), 256) : h5_failed(s->file);
}

/* Version 1: flags, perhaps type, order and character set, the name with its length, the address. */
static zn_status look_at_link(void *user, const h5_message *m) {
    h5_search *s = user;
    if (s->found) return ZN_OK;
    if (m->size < 12 || m->data[0] != 1) return h5_damaged(s->file, "a link is truncated");
    int flags = m->data[1], width = 1 << (flags & 3), type = 0;
    size_t at = 2;
    if (flags & 8) type = m->data[at++];
    if (flags & 4) at += 8;
    if (flags & 0x10) at++;
    if (at + (size_t)width > m->size) return h5_damaged(s->file, "a link is truncated");
    uint64_t length = h5_number(m->data + at, width);
    at += (size_t)width;
    if (length > m->size - at) return h5_damaged(s->file, "a link is truncated");
    if (length != s->length || memcmp(m->data + at, s->name, s->length) != 0) return ZN_OK;
    if (type != 0) return h5_unknown(s->file, "a link that is not a hard one; such links are not followed");
    if (m->size - at - length < 8) return h5_damaged(s->file, "a link is truncated");
    s->address = h5_number(m->data + at + length, 8);
    s->found = true;
    return ZN_OK;
}

static zn_status find_member(h5_search *s, const h5_object *group) {
    const h5_message *table = h5_message_of(group, H5_SYMBOL_TABLE);
    if (table) return search_symbol_table(s, table);
    zn_status status = ZN_OK;
    for (int i = 0; i < group->n_messages && status == ZN_OK && !s->found; i++) {
        const h5_message *m = &group->messages[i];
        if (m->type == H5_LINK_INFO) status = h5_dense(s->file, m, look_at_link, s);
        else if (m->type == H5_LINK && !(m->flags & H5_SHARED)) status = look_at_link(s, m);
    }
    return status;
}

zn_status h5_find(h5_file *file, const char *path, h5_object *object, bool *found) {
    *found = true;
    zn_status status = h5_header(file, h5_root(file), object);
    while (*path && *found && status == ZN_OK) {
        h5_search s = {.file = file, .name = path, .length = strcspn(path, "/")};
        status = find_member(&s, object);
        *found = status == ZN_OK && s.found;
        if (*found) status = h5_header(file, s.address, object);
        path += s.length;
        if (*path) path++;
    }
    return status;
}

/* Version 1 has 5 reserved bytes, version 2 a type: scalar, simple, null. */
zn_status h5_dataspace(h5_file *file, const unsigned char *data, size_t size, h5_space *space) {
    *space = (h5_space){0};
    if (size < 4 || (data[0] != 1 && data[0] != 2)) return h5_damaged(file, "a dataspace is truncated");
    size_t at = data[0] == 1 ? 8 : 4;
    space->rank = data[1];
    if (data[0] == 2 && data[3] == 2) return h5_unknown(file, "an empty dataspace");
    if (space->rank > H5_MOST_DIMENSIONS) return h5_unknown(file, "more than four dimensions");
    if (size < at + 8 * (size_t)space->rank) return h5_damaged(file, "a dataspace is truncated");
    for (int i = 0; i < space->rank; i++) space->extent[i] = h5_number(data + at + 8 * (size_t)i, 8);
    return ZN_OK;
}
