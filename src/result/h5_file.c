/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes, superblock, object headers. */
#include "result/h5_file.h"

#include "base/output.h"
#include "result/h5_group.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUDGET_FACTOR = 16, /* every part may be read that often, */
    BUDGET_BASE = 1 << 20,
    BUDGET_PIECE = 64, /* and each piece costs at least that much */
};

struct h5_file {
    zn_context *context;
    char *path;
    int descriptor;
    uint64_t size, budget, root;
    zn_status failed; /* the last failure */
    void **blocks;
    size_t n_blocks, block_capacity;
};

zn_context *h5_context(const h5_file *file) { return file->context; }
uint64_t h5_size(const h5_file *file) { return file->size; }

static zn_status fail_content(h5_file *file, const char *before, const char *what) {
    error_place place = ERROR_PLACE_NONE;
    place.file = file->path;
    return file->failed = fail_at(file->context, ZN_ERROR_FILE, &place, "%s%s", before, what);
}

zn_status h5_damaged(h5_file *file, const char *what) { return fail_content(file, "cannot be read, it is damaged or incomplete: ", what); }

zn_status h5_unknown(h5_file *file, const char *what) {
    return fail_content(file, "cannot be read: it uses a part of HDF5 that results do not have: ", what);
}

zn_status h5_failed(const h5_file *file) { return file->failed; }

/* ---- bytes ---- */

zn_status h5_read(h5_file *file, uint64_t at, void *to, size_t count) {
    char *next = to;
    if (at > file->size || count > file->size - at) return h5_damaged(file, "it refers to data beyond its end");
    while (count > 0) {
        ssize_t got = pread(file->descriptor, next, count, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file->failed = fail_file(file->context, file->path, "read", errno);
        if (got == 0) return h5_damaged(file, "it was shortened while it was being read");
        next += got;
        at += (uint64_t)got;
        count -= (size_t)got;
    }
    return ZN_OK;
}

zn_status h5_spend(h5_file *file, uint64_t bytes) {
    if (bytes > file->budget || bytes + BUDGET_PIECE > file->budget)
        return h5_damaged(file, "it refers to itself, or claims to hold far more than its size allows");
    file->budget -= bytes + BUDGET_PIECE;
    return ZN_OK;
}

void *h5_memory(h5_file *file, uint64_t bytes) {
    if (h5_spend(file, bytes) != ZN_OK) return NULL;
    bool room = mem_grow(file->context, (void **)&file->blocks, &file->block_capacity, file->n_blocks + 1, sizeof *file->blocks);
    void *block = room ? mem_array(file->context, (size_t)bytes + 1, 1) : NULL;
    if (block) file->blocks[file->n_blocks++] = block;
    else file->failed = ZN_ERROR_MEMORY;
    return block;
}

const unsigned char *h5_take(h5_file *file, uint64_t at, uint64_t count) {
    if (at > file->size || count > file->size - at) {
        h5_damaged(file, "it refers to data beyond its end");
        return NULL;
    }
    void *block = h5_memory(file, count);
    return block && h5_read(file, at, block, (size_t)count) == ZN_OK ? block : NULL;
}

/* ---- object headers ---- */

/* Messages being collected, also those that say where a header continues. */
typedef struct h5_collector {
    h5_file *file;
    h5_message *messages;
    int count, capacity;
    bool second;  /* version 2 of headers */
    bool ordered; /* messages have an order of creation */
} h5_collector;

static bool add_message(h5_collector *c, h5_message message) {
    if (c->count == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 16;
        h5_message *grown = h5_memory(c->file, (uint64_t)capacity * sizeof *grown);
        if (!grown) return false;
        if (c->count) memcpy(grown, c->messages, (size_t)c->count * sizeof *grown);
        c->messages = grown;
        c->capacity = capacity;
    }
    c->messages[c->count++] = message;
    return true;
}

static zn_status collect_block(h5_collector *c, uint64_t start, uint64_t size) {
    uint64_t head = c->second ? (c->ordered ? 6 : 4) : 8;
    const unsigned char *block = h5_take(c->file, start, size);
    if (!block) return h5_failed(c->file);
    for (uint64_t at = 0; at + head <= size;) {
        const unsigned char *m = block + at;
        h5_message message = {.data = m + head};
        message.type = c->second ? m[0] : (int)h5_number(m, 2);
        message.size = (size_t)h5_number(m + (c->second ? 1 : 2), 2);
        message.flags = c->second ? m[3] : m[4];
        at += head + message.size;
        if (at > size) return h5_damaged(c->file, "a header is truncated");
        if (message.type != H5_NOTHING && !add_message(c, message)) return h5_failed(c->file);
    }
    return ZN_OK;
}

static zn_status continue_header(h5_collector *c, const h5_message *message) {
    if (message->size < 16) return h5_damaged(c->file, "a header is truncated");
    uint64_t at = h5_number(message->data, 8), size = h5_number(message->data + 8, 8);
    if (!c->second) return collect_block(c, at, size);
    const unsigned char *head = h5_take(c->file, at, 4);
    if (!head) return h5_failed(c->file);
    if (memcmp(head, "OCHK", 4) != 0 || size < 8) return h5_damaged(c->file, "a header has no second part");
    return collect_block(c, at + 4, size - 8);
}

static zn_status begin_second_header(h5_collector *c, uint64_t at) {
    const unsigned char *head = h5_take(c->file, at, 6);
    if (!head) return h5_failed(c->file);
    int flags = head[5], width = 1 << (flags & 3);
    if (head[4] != 2) return h5_unknown(c->file, "a newer kind of object header");
    c->second = true;
    c->ordered = (flags & 4) != 0;
    at += 6 + (flags & 0x20 ? 16u : 0u) + (flags & 0x10 ? 4u : 0u);
    const unsigned char *size = h5_take(c->file, at, (uint64_t)width);
    return size ? collect_block(c, at + (uint64_t)width, h5_number(size, width)) : h5_failed(c->file);
}

zn_status h5_header(h5_file *file, uint64_t at, h5_object *object) {
    h5_collector c = {.file = file};
    const unsigned char *head = h5_take(file, at, 16);
    if (!head) return h5_failed(file);
    zn_status status;
    if (memcmp(head, "OHDR", 4) == 0) status = begin_second_header(&c, at);
    else if (head[0] == 1) status = collect_block(&c, at + 16, h5_number(head + 8, 4));
    else status = h5_damaged(file, "an object has no header");
    for (int i = 0; i < c.count && status == ZN_OK; i++)
        if (c.messages[i].type == H5_CONTINUATION)
            status = continue_header(&c, &(h5_message){.data = c.messages[i].data, .size = c.messages[i].size});
    *object = (h5_object){c.count, c.messages};
    return status;
}

const h5_message *h5_message_of(const h5_object *object, int type) {
    for (int i = 0; i < object->n_messages; i++)
        if (object->messages[i].type == type) return &object->messages[i];
    return NULL;
}

/* ---- the file ---- */

static zn_status read_superblock(h5_file *file) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    enum { LENGTH = 96 + 4 };
    unsigned char head[LENGTH] = {0};
    size_t have = file->size < LENGTH ? (size_t)file->size : LENGTH;
    zn_status status = h5_read(file, 0, head, have);
    if (status != ZN_OK) return status;
    int version = head[8];
    bool first = version <= 1, sizes = first ? head[13] == 8 && head[14] == 8 : head[9] == 8 && head[10] == 8;
    int extra = version == 1 ? 4 : 0, base = first ? 24 + extra : 12, root = first ? 64 + extra : 36;
    if (memcmp(head, signature, sizeof signature) != 0 || have < (size_t)root + 8)
        return h5_damaged(file, "its header is truncated or not that of HDF5");
    if (version > 3) return h5_unknown(file, "a newer version of the format");
    if (!sizes || h5_number(head + base, 8) != 0) return h5_unknown(file, "addresses that are not of 8 bytes from the start of the file");
    if (h5_number(head + (first ? 40 + extra : 28), 8) > file->size) return h5_damaged(file, "its end is missing");
    file->root = h5_number(head + root, 8);
    return ZN_OK;
}

zn_status h5_open(zn_context *context, const char *path, h5_file **file) {
    *file = NULL;
    h5_file *f = MEM_ARRAY(context, h5_file, 1);
    if (!f) return ZN_ERROR_MEMORY;
    f->context = context;
    f->path = mem_text(context, path);
    f->descriptor = f->path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    zn_status status = f->path ? ZN_OK : ZN_ERROR_MEMORY;
    struct stat info;
    if (status == ZN_OK && (f->descriptor < 0 || fstat(f->descriptor, &info) != 0)) status = fail_file(context, path, "read", errno);
    if (status == ZN_OK && !S_ISREG(info.st_mode)) status = fail_content(f, "cannot be read: ", "it is not a file");
    if (status == ZN_OK) {
        f->size = (uint64_t)info.st_size;
        f->budget = BUDGET_FACTOR * f->size + BUDGET_BASE;
        status = read_superblock(f);
    }
    if (status == ZN_OK) *file = f;
    else h5_close(f);
    return status;
}

void h5_close(h5_file *file) {
    if (!file) return;
    for (size_t i = 0; i < file->n_blocks; i++) mem_free(file->context, file->blocks[i]);
    mem_free(file->context, file->blocks);
    if (file->descriptor >= 0) close(file->descriptor);
    mem_free(file->context, file->path);
    mem_free(file->context, file);
}

uint64_t h5_root(const h5_file *file) { return file->root; }
