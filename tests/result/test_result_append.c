/* SPDX-License-Identifier: Apache-2.0 */
/* Files joined: the bytes of one that was written at once, wherever the parts begin; memory that does not grow with their rows. */
#include "example.h"

#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_CHECKED 1 /* freed memory is kept for a while */
#else
#define IS_CHECKED 0
#endif

/* Rows first .. first + count - 1 of the example, entries counted from the first. */
static void write_part(zn_context *context, const char *path, long first, long count) {
    result_writer *writer = NULL;
    double row[EXAMPLE_WIDTH];
    assert_int_equal(result_writer_create(context, path, &example_layout, &writer), ZN_OK);
    for (long i = first; i < first + count; i++) {
        if (example_has_note(i)) assert_int_equal(result_writer_note(writer, example_note(i)), ZN_OK);
        for (long k = 0; k < example_entries_of(i); k++)
            assert_int_equal(result_writer_entry(writer, 0, (double[]){(double)(i - first), (double)(k % 2), sin((double)(i + k))}), ZN_OK);
        for (long k = 0; k < example_events_of(i); k++)
            assert_int_equal(result_writer_entry(writer, 1, (double[]){(double)(i - first), cos((double)(i + k))}), ZN_OK);
        example_row(i, row);
        assert_int_equal(result_writer_row(writer, row), ZN_OK);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
}

static void join(zn_context *context, const char *path, int n, const char *const *parts, bool only_packed) {
    result_layout layout = example_layout;
    result_writer *writer = NULL;
    layout.only_packed = only_packed;
    assert_int_equal(result_writer_create(context, path, &layout, &writer), ZN_OK);
    for (int i = 0; i < n; i++) {
        result_file *part;
        assert_int_equal(result_open(context, parts[i], &part), ZN_OK);
        assert_int_equal(result_writer_append(writer, part, result_rows(part)), ZN_OK);
        result_close(part);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    assert_true(result_writer_is_published(writer));
    result_writer_destroy(writer);
}

static void check_same(const char *a, const char *b) {
    size_t size, other;
    char *bytes = example_slurp(a, &size), *others = example_slurp(b, &other);
    assert_int_equal(size, other);
    assert_memory_equal(bytes, others, size);
    free(bytes);
    free(others);
}

/* Parts that begin with a chunk, that do not, and empty ones; of packed and of plain files. */
static void test_bytes(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    long chunk = result_chunk_rows(EXAMPLE_WIDTH), all = 5 * chunk + 77;
    const long cuts[][4] = {
        {0, 2 * chunk, 3 * chunk, all}, {0, chunk, chunk, all}, {0, 10, chunk + 10, all}, {0, chunk + 1, 3 * chunk, all}};
    for (int packed = 0; packed < 2; packed++) {
        const char *names[] = {"part1.h5", "part2.h5", "part3.h5"};
        char whole[512], paths[3][512], joined[512];
        example_layout.packed = true;
        snprintf(whole, sizeof whole, "%s", example_path("whole.h5"));
        snprintf(joined, sizeof joined, "%s", example_path("joined.h5"));
        write_part(context, whole, 0, all);
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            example_layout.packed = packed;
            for (int i = 0; i < 3; i++) {
                snprintf(paths[i], sizeof paths[i], "%s", example_path(names[i]));
                write_part(context, paths[i], cuts[k][i], cuts[k][i + 1] - cuts[k][i]);
            }
            example_layout.packed = true;
            for (int only = 0; only < 2; only++) {
                join(context, joined, 3, (const char *const[]){paths[0], paths[1], paths[2]}, only);
                check_same(whole, joined);
            }
        }
    }
    example_layout.packed = false;
    zn_context_destroy(context);
}

/* ---- memory ---- */

enum { HEAD = 16 };
typedef struct counting {
    size_t now, most;
} counting;

static void give_back(void *user, void *block) {
    counting *c = user;
    if (!block) return;
    size_t *head = (size_t *)((char *)block - HEAD);
    c->now -= *head;
    free(head);
}

static void *take(void *user, void *block, size_t bytes) {
    counting *c = user;
    size_t *head = malloc(HEAD + bytes);
    if (!head) return NULL;
    *head = bytes;
    c->now += bytes;
    if (c->now > c->most) c->most = c->now;
    if (block) {
        size_t old = *(size_t *)((char *)block - HEAD);
        memcpy((char *)head + HEAD, block, old < bytes ? old : bytes);
        give_back(c, block);
    }
    return (char *)head + HEAD;
}

static const result_dataset columns[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}, {.name = "f"}};

/* The most bytes of a file of `rows` rows behind another one; and of the process. */
static size_t copy(long rows, bool packed, bool only_packed, long *process) {
    counting c = {0};
    zn_context *context = zn_context_create(&(zn_context_def){.allocator = {take, give_back, &c}});
    result_layout layout = {.n_datasets = 6, .datasets = columns, .packed = packed};
    const char *from = example_path("from.h5"), *to = example_path("to.h5");
    result_writer *writer;
    result_file *file;
    assert_int_equal(result_writer_create(context, from, &layout, &writer), ZN_OK);
    for (long i = 0; i < rows; i++) {
        double x = (double)i;
        assert_int_equal(result_writer_row(writer, (double[]){x, sin(x), 1 / (x + 1), sqrt(x), 0, x * x}), ZN_OK);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    layout.packed = true, layout.only_packed = only_packed;
    c.most = c.now;
    assert_int_equal(result_writer_create(context, to, &layout, &writer), ZN_OK);
    assert_int_equal(result_open(context, from, &file), ZN_OK);
    assert_int_equal(result_writer_append(writer, file, rows), ZN_OK);
    result_close(file);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    zn_context_destroy(context);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *process = usage.ru_maxrss;
    return c.most;
}

/* Of a row remains the index of its chunk: 6 addresses with sizes for 1024 rows, less than a byte. The library of HDF5 forgets its own. */
static void test_memory(void **state) {
    (void)state;
    enum { FEW = 70000, MANY = 400000 };
    for (int way = 0; way < 3; way++) { /* a killed study is continued, parts are joined row by row, chunk by chunk */
        long few_process, many_process;
        size_t few = copy(FEW, way == 2, way > 0, &few_process), many = copy(MANY, way == 2, way > 0, &many_process);
        if (many > few + (MANY - FEW)) fail_msg("way %d: %zu bytes of %d rows, %zu of %d", way, few, FEW, many, MANY);
        if (!IS_CHECKED && many_process > few_process + 2048)
            fail_msg("way %d: the process has %ld KB with %d rows, %ld with %d", way, few_process, FEW, many_process, MANY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
