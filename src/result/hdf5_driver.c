/* SPDX-License-Identifier: Apache-2.0 */
/* The order of writes. HDF5 flushes its metadata in the order of addresses, over what is there. A process that is killed in between leaves
 * an index of chunks (a B-tree) whose root refers to nodes that never arrived. So metadata waits here until the flush is complete, and then
 * goes to the file such that every prefix of the writes, and every prefix of the pages of a write (where the system may stop too), is a
 * file that we and HDF5 can read, with all that it had before:
 *
 *   0. the end of what is in use, ahead of everything (superblock, 8 bytes): readers refuse to go behind it;
 *   1. NEW: whatever nothing in the file refers to yet;
 *   2. INDEX: nodes of indices that are in the file, from the root to the leaves. A node that is split first has its right part in a new
 * node (1), then that one gets into
 *      the node above, and only then the left part gives it up. Rows only ever come at the end, so a node gains children behind those it
 * has, or loses its last ones. In
 *      both cases those that count before as well as after stay in place: when it gains, the children are written before their number, when
 * it loses, after it;
 *   3. HEADER: headers of datasets, with the number of rows;
 *   4. SUPER: the superblock with the exact end.
 *
 * One case is left: a root that is split keeps its place and becomes the node above its former content. It changes as a whole, and may lie
 * across two pages. So it is written
 * twice: to the end of the file, whereto the dataset's header refers meanwhile, and to its place.
 *
 * (File format specification: superblock version 0, B-trees version 1, object headers version 1, layout messages version 3: those of the
 * oldest format. Others are written without such care.) */
#include "result/hdf5_driver.h"
#include "result/h5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEW, INDEX, HEADER, SUPER };
enum { NODE_HEAD = 24, LEVEL_AT = 5, CHILDREN_AT = 6, OF_CHUNKS = 1 }; /* "TREE", type, level, number of children, the two neighbours */
enum { ADDRESS = 8 };
static const haddr_t nowhere = HADDR_UNDEF;

static bool failed(hdf5_driver *d, int number) {
    d->error = number;
    return false;
}

static hdf5_driver *driver_of(H5FD_t *file) { return (hdf5_driver *)(void *)file; }
static const hdf5_driver *const_driver_of(const H5FD_t *file) { return (const hdf5_driver *)(const void *)file; }

/* ---- bytes ---- */

static bool write_bytes(hdf5_driver *d, haddr_t at, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = pwrite(d->descriptor, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return failed(d, done < 0 ? errno : EIO);
        at += (haddr_t)done, bytes += done, size -= (size_t)done;
    }
    return true;
}

/* Zeros behind the end. */
static bool read_bytes(hdf5_driver *d, haddr_t at, unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = pread(d->descriptor, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failed(d, errno);
        if (done == 0) break;
        at += (haddr_t)done, bytes += done, size -= (size_t)done;
    }
    memset(bytes, 0, size);
    return true;
}

/* Whole, whatever happens: such numbers lie in one page, or their last three bytes, which are zero in files below a terabyte, are in the
 * next. */
static bool write_address(hdf5_driver *d, haddr_t at, haddr_t address) {
    unsigned char bytes[ADDRESS];
    for (int i = 0; i < ADDRESS; i++) bytes[i] = (unsigned char)(address >> 8 * i);
    return write_bytes(d, at, bytes, sizeof bytes);
}

/* ---- the superblock ---- */

enum { VERSION_AT = 8, SIZE_OF_OFFSETS_AT = 13, BASE_AT = 24, END_AT = 40, SUPER_BYTES = END_AT + ADDRESS };

static haddr_t announced_by(const unsigned char *super, size_t size) {
    bool known =
        size >= SUPER_BYTES && super[VERSION_AT] == 0 && super[SIZE_OF_OFFSETS_AT] == ADDRESS && h5_number(super + BASE_AT, ADDRESS) == 0;
    return known ? h5_number(super + END_AT, ADDRESS) : 0;
}

/* The file is at least as long: HDF5 takes a shorter one for cut. */
static bool announce(hdf5_driver *d, haddr_t end) {
    struct stat info;
    if (d->announced == 0 || d->announced >= end) return true;
    if (fstat(d->descriptor, &info) != 0) return failed(d, errno);
    if ((haddr_t)info.st_size < end && ftruncate(d->descriptor, (off_t)end) != 0) return failed(d, errno);
    d->announced = end;
    return write_address(d, END_AT, end);
}

/* ---- the index ---- */

/* Without a place: none. (Nodes are larger than what is looked at here.) */
static hdf5_node node_of(haddr_t at, const unsigned char *head) {
    bool is_one = memcmp(head, "TREE", 4) == 0 && head[4] == OF_CHUNKS;
    return is_one ? (hdf5_node){at, head[LEVEL_AT], (int)h5_number(head + CHILDREN_AT, 2)} : (hdf5_node){0};
}

/* Where among the headers that wait the root of an index is named: in a message of type 8, version 3, chunked. Messages begin at multiples
 * of 8. */
static haddr_t find_reference(const hdf5_driver *d, haddr_t root) {
    enum { LAYOUT = 8, VERSION = 3, CHUNKED = 2, MESSAGE = 8, ROOT_AT = 11 };
    for (size_t b = 0; b < d->n_blocks; b++) {
        const unsigned char *bytes = d->bytes + d->blocks[b].bytes;
        for (size_t i = 0; d->blocks[b].rank == HEADER && i + ROOT_AT + ADDRESS <= d->blocks[b].size; i += MESSAGE)
            if (h5_number(bytes + i, 2) == LAYOUT && bytes[i + MESSAGE] == VERSION && bytes[i + MESSAGE + 1] == CHUNKED &&
                h5_number(bytes + i + ROOT_AT, ADDRESS) == root)
                return d->blocks[b].at + i + ROOT_AT;
    }
    return nowhere;
}

static bool write_root(hdf5_driver *d, const hdf5_block *b) {
    const unsigned char *bytes = d->bytes + b->bytes;
    haddr_t reference = find_reference(d, b->at), spare = d->end;
    unsigned char there[ADDRESS];
    if (reference != nowhere && !read_bytes(d, reference, there, sizeof there)) return false;
    if (reference == nowhere || h5_number(there, ADDRESS) != b->at || d->announced == 0) return write_bytes(d, b->at, bytes, b->size);
    return write_bytes(d, spare, bytes, b->size) && announce(d, spare + b->size) && write_address(d, reference, spare) &&
           write_bytes(d, b->at, bytes, b->size) && write_address(d, reference, b->at);
}

static bool write_node(hdf5_driver *d, const hdf5_block *b) {
    const unsigned char *bytes = d->bytes + b->bytes;
    if (b->node.level != b->before.level) return write_root(d, b);
    bool loses = b->node.children < b->before.children;
    if (loses && !write_bytes(d, b->at, bytes, NODE_HEAD)) return false;
    if (!write_bytes(d, b->at + NODE_HEAD, bytes + NODE_HEAD, b->size - NODE_HEAD)) return false;
    return loses || write_bytes(d, b->at, bytes, NODE_HEAD);
}

/* ---- a flush ---- */

/* What the file has at the place of a node; those that change over and over are remembered. */
static bool find_node(hdf5_driver *d, haddr_t at, hdf5_node *node) {
    unsigned char head[NODE_HEAD];
    *node = d->nodes[at / ADDRESS % HDF5_NODES];
    if (node->at == at) return true;
    if (!read_bytes(d, at, head, sizeof head)) return false;
    *node = node_of(at, head);
    return true;
}

static bool look_at_block(hdf5_driver *d, hdf5_block *b) {
    if (b->rank != INDEX) return true;
    b->node = node_of(b->at, d->bytes + b->bytes);
    if (b->node.at && !find_node(d, b->at, &b->before)) return false;
    if (!b->before.at) b->rank = NEW;
    return true;
}

static int compare_blocks(const void *left, const void *right) {
    const hdf5_block *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->rank == INDEX && a->node.level != b->node.level) return a->node.level > b->node.level ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Of neighbours that go to the file at once. */
static size_t size_together(const hdf5_driver *d, size_t first, size_t *next) {
    const hdf5_block *b = &d->blocks[first];
    size_t size = b->size, i = first + 1;
    for (; !b->node.at && i < d->n_blocks; size += d->blocks[i++].size)
        if (d->blocks[i].rank != b->rank || d->blocks[i].node.at || d->blocks[i].at != b->at + size ||
            d->blocks[i].bytes != b->bytes + size)
            break;
    *next = i;
    return size;
}

static void commit(hdf5_driver *d) {
    if (d->n_blocks == 0 || d->error) return;
    for (size_t i = 0; i < d->n_blocks; i++)
        if (!look_at_block(d, &d->blocks[i])) return;
    qsort(d->blocks, d->n_blocks, sizeof *d->blocks, compare_blocks);
    if (!announce(d, d->end)) return;
    for (size_t i = 0, next; i < d->n_blocks; i = next) {
        const hdf5_block *b = &d->blocks[i];
        const unsigned char *bytes = d->bytes + b->bytes;
        size_t size = size_together(d, i, &next);
        if (!(b->rank == INDEX ? write_node(d, b) : write_bytes(d, b->at, bytes, size))) return;
        if (b->node.at) d->nodes[b->at / ADDRESS % HDF5_NODES] = b->node;
        if (b->rank == SUPER) d->announced = announced_by(bytes, b->size);
    }
    d->n_blocks = d->n_bytes = 0;
}

/* ---- what HDF5 calls ---- */

/* HDF5 opens twice: to look, and to truncate. */
static H5FD_t *driver_open(const char *path, unsigned flags, hid_t access, haddr_t largest) {
    (void)path, (void)largest;
    hdf5_driver *const *given = H5Pget_driver_info(access);
    struct stat info;
    if (!given) return NULL;
    hdf5_driver *d = *given;
    if (((flags & H5F_ACC_TRUNC) && ftruncate(d->descriptor, 0) != 0) || fstat(d->descriptor, &info) != 0) {
        failed(d, errno);
        return NULL;
    }
    memset(&d->head, 0, sizeof d->head);
    d->end = d->announced = 0;
    d->written = (haddr_t)info.st_size;
    return &d->head;
}

/* The owner keeps it. */
static herr_t driver_close(H5FD_t *file) {
    commit(driver_of(file));
    return 0;
}

/* What decides where HDF5 puts things is as with its default driver: so are the bytes of files. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return const_driver_of(file)->end;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
    (void)type;
    driver_of(file)->end = end;
    return 0;
}

static haddr_t driver_get_written(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return const_driver_of(file)->written;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *bytes) {
    (void)type, (void)transfer;
    hdf5_driver *d = driver_of(file);
    if (!read_bytes(d, at, bytes, size)) return -1;
    for (size_t i = 0; i < d->n_blocks; i++) { /* what waits is newer */
        const hdf5_block *b = &d->blocks[i];
        haddr_t from = b->at > at ? b->at : at, to = b->at + b->size < at + size ? b->at + b->size : at + size;
        if (from < to) memcpy((unsigned char *)bytes + (from - at), d->bytes + b->bytes + (from - b->at), (size_t)(to - from));
    }
    return 0;
}

/* Values go to the file at once: nothing in it refers to them yet. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *bytes) {
    (void)transfer;
    hdf5_driver *d = driver_of(file);
    if (at + size > d->written) d->written = at + size;
    if (d->error) return 0;
    if (type == H5FD_MEM_DRAW) {
        write_bytes(d, at, bytes, size);
        return 0;
    }
    if (!mem_grow(d->context, (void **)&d->blocks, &d->block_capacity, d->n_blocks + 1, sizeof *d->blocks) ||
        !mem_grow(d->context, (void **)&d->bytes, &d->byte_capacity, d->n_bytes + size, 1)) {
        failed(d, ENOMEM);
        return 0;
    }
    int rank = type == H5FD_MEM_BTREE ? INDEX : type == H5FD_MEM_OHDR ? HEADER : type == H5FD_MEM_SUPER ? SUPER : NEW;
    d->blocks[d->n_blocks] = (hdf5_block){.at = at, .size = size, .bytes = d->n_bytes, .rank = rank, .number = d->n_blocks};
    memcpy(d->bytes + d->n_bytes, bytes, size);
    d->n_blocks++, d->n_bytes += size;
    return 0;
}

static herr_t driver_flush(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)transfer, (void)closing;
    commit(driver_of(file));
    return 0;
}

/* Room that is reserved stays until the end. */
static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)transfer;
    hdf5_driver *d = driver_of(file);
    commit(d);
    if (!closing || d->error) return 0;
    if (ftruncate(d->descriptor, (off_t)d->end) != 0) failed(d, errno);
    d->written = d->end;
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)H5_VFD_RESERVED, /* the first one that is free for others */
#endif
    .name = "zeno",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(hdf5_driver *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_get_written,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool hdf5_driver_use(hdf5_driver *d, zn_context *context, int descriptor, hid_t access) {
    *d = (hdf5_driver){.context = context, .descriptor = descriptor};
    hid_t driver = H5FDregister(&driver_class);
    bool ok = driver >= 0 && H5Pset_driver(access, driver, &d) >= 0;
    if (driver >= 0) H5FDunregister(driver); /* the properties keep it */
    return ok;
}

bool hdf5_driver_expect(hdf5_driver *d, size_t bytes) {
    enum { BLOCK_BYTES = 64 };
    return mem_grow(d->context, (void **)&d->blocks, &d->block_capacity, bytes / BLOCK_BYTES, sizeof *d->blocks) &&
           mem_grow(d->context, (void **)&d->bytes, &d->byte_capacity, d->n_bytes + bytes, 1);
}

void hdf5_driver_free(hdf5_driver *d) {
    mem_free(d->context, d->blocks);
    mem_free(d->context, d->bytes);
}
