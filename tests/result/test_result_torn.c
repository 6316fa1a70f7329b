/* SPDX-License-Identifier: Apache-2.0 */
/* A run may be killed between any two writes, and within one: the system stops large ones at the end of a page. Here every state that a
 * file then can be in is made again and read, by us and by the HDF5 library. What the process writes is recorded by functions that take the
 * place of the system's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "example.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>

enum { PAGE = 4096 };
enum { HEAD = 24, LEVEL_AT = 5, CHILDREN_END = 8 }; /* of a node of an index: "TREE", type, level, number of children */

typedef enum recorded_kind { WRITTEN, CUT, RESERVED, COMPLETE } recorded_kind;

typedef struct recorded {
    recorded_kind kind;
    ino_t file;
    off_t at; /* WRITTEN: place; CUT, RESERVED: size of the file; COMPLETE: rows that are flushed */
    size_t size, bytes;
} recorded;

static struct {
    bool on;
    recorded *list;
    size_t count, capacity;
    unsigned char *bytes;
    size_t n_bytes, byte_capacity;
} record;

static void keep(recorded_kind kind, int descriptor, off_t at, const void *bytes, size_t size) {
    struct stat info = {0};
    if (!record.on || (descriptor >= 0 && fstat(descriptor, &info) != 0)) return;
    if (record.count == record.capacity) {
        record.capacity = 2 * record.capacity + 64;
        record.list = realloc(record.list, record.capacity * sizeof *record.list);
    }
    if (record.n_bytes + size > record.byte_capacity) {
        record.byte_capacity = 2 * record.byte_capacity + size;
        record.bytes = realloc(record.bytes, record.byte_capacity);
    }
    if (!record.list || (size && !record.bytes)) abort();
    if (size) memcpy(record.bytes + record.n_bytes, bytes, size);
    record.list[record.count++] = (recorded){kind, info.st_ino, at, size, record.n_bytes};
    record.n_bytes += size;
}

/* The system's function of that name. */
static void *system_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

static ssize_t system_pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
    static ssize_t (*function)(int, const void *, size_t, off_t);
    if (!function) *(void **)&function = system_function("pwrite");
    return function(descriptor, bytes, size, at);
}

static int system_ftruncate(int descriptor, off_t size) {
    static int (*function)(int, off_t);
    if (!function) *(void **)&function = system_function("ftruncate");
    return function(descriptor, size);
}

/* Found by the HDF5 library before those of the system. */
#define INSTEAD __attribute__((visibility("default")))

static long writes_left = LONG_MAX; /* until the disk is full */

INSTEAD ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
    if (writes_left-- <= 0) {
        errno = ENOSPC;
        return -1;
    }
    keep(WRITTEN, descriptor, at, bytes, size);
    return system_pwrite(descriptor, bytes, size, at);
}

INSTEAD int ftruncate(int descriptor, off_t size) {
    keep(CUT, descriptor, size, NULL, 0);
    return system_ftruncate(descriptor, size);
}

INSTEAD int posix_fallocate(int descriptor, off_t at, off_t size) {
    static int (*function)(int, off_t, off_t);
    if (!function) *(void **)&function = system_function("posix_fallocate");
    keep(RESERVED, descriptor, at + size, NULL, 0);
    return function(descriptor, at, size);
}

static void record_start(void) {
    record.count = record.n_bytes = 0;
    record.on = true;
}

static void record_complete(const result_writer *writer) { keep(COMPLETE, -1, result_writer_rows(writer), NULL, 0); }

static void record_forget(void) {
    free(record.list);
    free(record.bytes);
    memset(&record, 0, sizeof record);
}

/* ---- the states again ---- */

typedef struct state_check {
    const char *path;
    long complete, most; /* rows that must be there; that can be */
    long
        every; /* 0, or of so many states the values are read as well: by us, and by the HDF5 library; where the index grows they are always */
    long states, looks; /* so many looked at; so thoroughly */
    void (*values)(result_file *result, long rows);
    void (*library)(const struct state_check *check);
} state_check;

static void check_state(state_check *check, bool split) {
    bool thorough = split || (check->every && check->states % check->every == 0);
    zn_context *context = zn_context_create(NULL);
    result_file *result = NULL;
    if (result_open(context, check->path, &result) != ZN_OK)
        print_error("state %ld, %ld rows complete: %s\n", check->states, check->complete, zn_error_text(context));
    assert_non_null(result);
    long rows = result_rows(result);
    if (rows < check->complete || rows > check->most)
        print_error("state %ld: %ld rows, %ld complete, of %ld\n", check->states, rows, check->complete, check->most);
    assert_true(rows >= check->complete && rows <= check->most);
    if (thorough) check->values(result, rows);
    result_close(result);
    zn_context_destroy(context);
    if (thorough) check->library(check), check->looks++;
    check->states++;
}

/* A node above the leaves that gets or loses children: what goes wrong there loses many rows. */
static bool is_split(int copy, const recorded *r, const unsigned char *bytes) {
    unsigned char before[HEAD] = {0};
    if (r->size < HEAD || memcmp(bytes, "TREE", 4) != 0 || bytes[4] != 1 || bytes[LEVEL_AT] == 0) return false;
    return pread(copy, before, HEAD, r->at) != HEAD || memcmp(before, bytes, CHILDREN_END) != 0;
}

/* The end of the next part of a write that may be all that arrives: pages, but of large ones only the first and the last. Where a node is
 * split every number at its beginning, wherever pages end: else it would depend on luck whether one ends there. */
static size_t next_part(const recorded *r, size_t done, bool split) {
    enum { NUMBER = 8, BEGINNING = 256 };
    size_t end = ((size_t)r->at + done) / PAGE * PAGE + PAGE - (size_t)r->at;
    if (end < r->size && r->size > 8 * PAGE && done > 0) end = ((size_t)r->at + r->size - 1) / PAGE * PAGE - (size_t)r->at;
    if (split && done < BEGINNING) end = done + NUMBER;
    return end <= done || end > r->size ? r->size : end;
}

/* Whether one is split by what is written until the next rows are complete. */
static bool splits_ahead(int copy, size_t i, ino_t file) {
    for (; i < record.count && record.list[i].kind != COMPLETE; i++) {
        const recorded *r = &record.list[i];
        if (r->kind == WRITTEN && r->file == file && is_split(copy, r, record.bytes + r->bytes)) return true;
    }
    return false;
}

/* All states; with every = 0 those about a split, and some of the others. */
static void check_states(state_check *check, ino_t file) {
    record.on = false;
    int copy = open(check->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(copy >= 0);
    check->complete = -1;
    bool look = false;
    for (size_t i = 0; i < record.count; i++) {
        const recorded *r = &record.list[i];
        const unsigned char *bytes = record.bytes + r->bytes;
        struct stat info;
        if (r->kind == COMPLETE) {
            check->complete = (long)r->at;
            look = check->every || i % 64 == 0 || splits_ahead(copy, i + 1, file);
        } else if (r->file != file) continue;
        bool split = r->kind == WRITTEN && is_split(copy, r, bytes);
        if (r->kind == CUT) assert_int_equal(system_ftruncate(copy, r->at), 0);
        if (r->kind == RESERVED && fstat(copy, &info) == 0 && info.st_size < r->at) assert_int_equal(system_ftruncate(copy, r->at), 0);
        for (size_t done = 0, end; r->kind == WRITTEN && done < r->size; done = end) {
            end = next_part(r, done, split);
            assert_int_equal(system_pwrite(copy, bytes + done, end - done, r->at + (off_t)done), end - done);
            if (look) check_state(check, split && end == r->size);
        }
        if (r->kind != WRITTEN && look) check_state(check, false);
    }
    close(copy);
    remove(check->path);
}

/* By the HDF5 library: the first column of a dataset, all of which must be readable. */
static double *read_by_library(hid_t file, const char *name, hsize_t *rows) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    if (dataset < 0 || space < 0) fail_msg("%s cannot be opened", name);
    hsize_t extent[2] = {0, 1};
    assert_true(H5Sget_simple_extent_dims(space, extent, NULL) > 0);
    hid_t type = H5Dget_type(dataset), as = H5Tget_class(type) == H5T_STRING ? type : H5T_NATIVE_DOUBLE;
    size_t size = as == type ? H5Tget_size(type) : sizeof(double);
    double *values = calloc((size_t)(extent[0] * extent[1]) + 1, size);
    assert_non_null(values);
    if (extent[0] > 0 && H5Dread(dataset, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) fail_msg("%s cannot be read", name);
    for (hsize_t i = 0; as != type && i < extent[0]; i++) values[i] = values[i * extent[1]];
    *rows = extent[0];
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

static hid_t open_by_library(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) fail_msg("HDF5 cannot open %s", path);
    return file;
}

/* ---- everything that a run can write ---- */

static void check_example_values(result_file *result, long rows) {
    for (int c = 0; c < EXAMPLE_WIDTH; c++) {
        const double *values;
        double row[EXAMPLE_WIDTH];
        assert_int_equal(result_column(result, c, &values), ZN_OK);
        for (long i = 0; i < rows; i++) {
            example_row(i, row);
            assert_memory_equal(&values[i], &row[c], sizeof(double));
        }
    }
    zn_contact_table table, events;
    assert_int_equal(zn_result_contacts(result, &table), ZN_OK);
    assert_int_equal(zn_result_contact_events(result, &events), ZN_OK);
    long k = 0, n = 0;
    for (long i = 0; i < rows; i++) {
        for (long e = 0; e < example_entries_of(i); e++, k++)
            assert_true(k < table.count && table.values[3 * k] == (double)i && table.values[3 * k + 2] == sin((double)(i + e)));
        for (long e = 0; e < example_events_of(i); e++, n++)
            assert_true(n < events.count && events.values[2 * n] == (double)i && events.values[2 * n + 1] == cos((double)(i + e)));
        char text[RESULT_NOTE_BYTES];
        assert_int_equal(result_note(result, i, text), ZN_OK);
        assert_string_equal(text, example_has_note(i) ? example_note(i) : "");
    }
    assert_true(k == table.count && n == events.count);
}

static void look_at_example(const state_check *check) {
    static const char *const names[] = {"t", "q", "u", "percussion", "energy", "iterations", "contacts", "contact_events", "note"};
    hid_t file = open_by_library(check->path);
    for (size_t d = 0; d < sizeof names / sizeof *names; d++) {
        hsize_t rows;
        double *values = read_by_library(file, names[d], &rows), row[EXAMPLE_WIDTH];
        if (d < 6) assert_true((long)rows >= check->complete);
        for (long i = 0; d == 0 && i < check->complete; i++) {
            example_row(i, row);
            assert_true(values[i] == row[0]);
        }
        free(values);
    }
    H5Fclose(file);
}

/* Rows with entries, events and texts, flushed now and then, and the end of the run. */
static void any_prefix_of_the_writes_is_readable(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    double row[EXAMPLE_WIDTH];
    enum { ROWS = 3000, OFTEN = 60 };
    record_start();
    assert_int_equal(result_writer_create(context, example_path("torn.h5"), &example_layout, &writer), ZN_OK);
    record_complete(writer);
    for (long i = 0; i < ROWS; i++) {
        example_row(i, row);
        assert_int_equal(example_put_entries(writer, i), ZN_OK);
        assert_int_equal(result_writer_row(writer, row), ZN_OK);
        if (i < OFTEN || i % 211 == 0) assert_int_equal(result_writer_flush(writer), ZN_OK);
        record_complete(writer);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    struct stat info;
    assert_int_equal(stat(example_path("torn.h5"), &info), 0);
    state_check check = {
        .path = example_path("state.h5"), .most = ROWS, .every = 11, .values = check_example_values, .library = look_at_example};
    check_states(&check, info.st_ino);
    print_message("%ld states\n", check.states);
    assert_true(check.states > 1000);
    zn_context_destroy(context);
}

/* ---- an index of three levels ---- */

static void check_narrow_values(result_file *result, long rows) {
    const double *values;
    assert_int_equal(result_column(result, 0, &values), ZN_OK);
    for (long i = 0; i < rows; i++)
        if (values[i] != (double)i) fail_msg("row %ld of %ld is %g", i, rows, values[i]);
}

static void look_at_narrow(const state_check *check) {
    hid_t file = open_by_library(check->path);
    hsize_t rows;
    double *values = read_by_library(file, "t", &rows);
    if ((long)rows < check->complete) fail_msg("%ld rows, %ld complete", (long)rows, check->complete);
    for (long i = 0; i < check->complete; i++)
        if (values[i] != (double)i) fail_msg("row %ld of %ld is %g", i, check->complete, values[i]);
    free(values);
    H5Fclose(file);
}

/* Leaves, the root and nodes between them are split on the way. */
static void splits_of_the_index_lose_nothing(void **state) {
    (void)state;
    enum { CHUNKS = 3800 };
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    static const result_dataset time = {.name = "t"};
    result_layout layout = {.n_datasets = 1, .datasets = &time};
    long rows = CHUNKS * result_chunk_rows(1);
    record_start();
    assert_int_equal(result_writer_create(context, example_path("deep.h5"), &layout, &writer), ZN_OK);
    record_complete(writer);
    for (long i = 0; i < rows; i++) {
        double t = (double)i;
        assert_int_equal(result_writer_row(writer, &t), ZN_OK);
        if ((i + 1) % result_chunk_rows(1) == 0) record_complete(writer);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    struct stat info;
    assert_int_equal(stat(example_path("deep.h5"), &info), 0);
    state_check check = {.path = example_path("state.h5"), .most = rows, .values = check_narrow_values, .library = look_at_narrow};
    check_states(&check, info.st_ino);
    print_message("%ld states, %ld read by HDF5\n", check.states, check.looks);
    assert_true(check.looks > CHUNKS / 60);
    zn_context_destroy(context);
}

/* The n-th write is refused, as are all after it: an error, and the rows that were complete. */
static void any_write_may_be_refused(void **state) {
    (void)state;
    zn_status status = ZN_ERROR_FILE;
    for (long n = 0; status != ZN_OK; n += n < 200 ? 1 : 7) {
        zn_context *context = zn_context_create(NULL);
        result_writer *writer = NULL;
        double row[EXAMPLE_WIDTH];
        long complete = 0, given = 0;
        writes_left = n;
        zn_status created = status = result_writer_create(context, example_path("full.h5"), &example_layout, &writer);
        for (long i = 0; i < 1100 && status == ZN_OK; i++) {
            example_row(i, row);
            if ((status = example_put_entries(writer, i)) == ZN_OK) status = result_writer_row(writer, row);
            given = i + 1;
            if (status == ZN_OK && i % 499 == 100) status = result_writer_flush(writer);
            complete = result_writer_rows(writer);
        }
        if (status == ZN_OK) status = result_writer_finish(writer, true);
        if (status != ZN_OK && !strstr(zn_error_text(context), "the disk is full")) fail_msg("%ld writes: %s", n, zn_error_text(context));
        result_writer_destroy(writer);
        writes_left = LONG_MAX;
        if (created == ZN_OK && status != ZN_OK) {
            result_file *result = NULL;
            if (result_open(context, example_path("full.h5.partial"), &result) != ZN_OK)
                fail_msg("%ld writes: %s", n, zn_error_text(context));
            long rows = result_rows(result); /* more than counted, where only the last write of a flush is refused */
            assert_true(rows >= complete && rows <= given);
            check_example_values(result, rows);
            result_close(result);
        }
        zn_context_destroy(context);
        assert_true(n < 5000);
    }
}

static int clean(void **state) {
    record_forget();
    return example_clean(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_prefix_of_the_writes_is_readable),
        cmocka_unit_test(splits_of_the_index_lose_nothing),
        cmocka_unit_test(any_write_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
