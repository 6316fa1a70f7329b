/* SPDX-License-Identifier: Apache-2.0 */
/* Killed runs, cut and flipped files, foreign files, no memory. */
#include "example.h"

#include "base/counting_allocator.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#ifndef KILLS
#define KILLS 20
#endif

/* Rows as fast as they go until somebody kills the process. */
static void write_forever(const char *path) {
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    double row[EXAMPLE_WIDTH];
    if (result_writer_create(context, path, &example_layout, &writer) != ZN_OK) _exit(1);
    for (long i = 0;; i++) {
        example_row(i, row);
        if (example_put_entries(writer, i) != ZN_OK || result_writer_row(writer, row) != ZN_OK) _exit(2);
    }
}

static long check_rows(zn_context *context, const char *path) {
    result_file *result = NULL;
    if (result_open(context, path, &result) != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_non_null(result);
    long rows = result_rows(result);
    for (int c = 0; c < EXAMPLE_WIDTH; c++) {
        const double *values;
        double row[EXAMPLE_WIDTH];
        if (result_column(result, c, &values) != ZN_OK) print_error("%ld rows: %s\n", rows, zn_error_text(context));
        assert_non_null(values);
        for (long i = 0; i < rows; i++) {
            example_row(i, row);
            if (memcmp(&values[i], &row[c], sizeof(double)) != 0) print_error("row %ld of %ld, column %d\n", i, rows, c);
            assert_memory_equal(&values[i], &row[c], sizeof(double));
        }
    }
    zn_contact_table table;
    assert_int_equal(zn_result_contacts(result, &table), ZN_OK);
    long k = 0;
    for (long i = 0; i < rows && table.n_columns > 0; i++)
        for (long e = 0; e < example_entries_of(i); e++, k++) {
            assert_true(k < table.count);
            assert_true(table.values[3 * k] == (double)i && table.values[3 * k + 1] == (double)(e % 2) &&
                        table.values[3 * k + 2] == sin((double)(i + e)));
        }
    assert_int_equal(k, table.count);
    k = 0;
    zn_contact_table events;
    assert_int_equal(zn_result_contact_events(result, &events), ZN_OK);
    for (long i = 0; i < rows && events.n_columns > 0; i++)
        for (long e = 0; e < example_events_of(i); e++, k++)
            assert_true(k < events.count && events.values[2 * k] == (double)i && events.values[2 * k + 1] == cos((double)(i + e)));
    assert_int_equal(k, events.count);
    assert_int_equal(events.n_columns, table.n_columns ? 2 : 0);
    for (long i = 0; i < rows && table.n_columns > 0; i++) { /* CSV has neither entries nor texts */
        char text[RESULT_NOTE_BYTES];
        assert_int_equal(result_note(result, i, text), ZN_OK);
        assert_string_equal(text, example_has_note(i) ? example_note(i) : "");
    }
    result_close(result);
    return rows;
}

static void killed_runs_leave_readable_files(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *names[] = {"killed.h5", "killed.csv"}, *partials[] = {"killed.h5.partial", "killed.csv.partial"};
    srand(3);
    for (int k = 0; k < KILLS; k++) {
        const char *path = example_path(names[k % 2]), *partial = example_path(partials[k % 2]);
        remove(partial);
        pid_t child = fork();
        if (child == 0) write_forever(path);
        /* Once the file has content (room that is reserved has none), at a random moment. */
        struct stat info = {0};
        struct timespec pause = {0, 1000000};
        for (int wait = 0; wait < 60000 && (stat(partial, &info) != 0 || info.st_size < 1000000); wait++) nanosleep(&pause, NULL);
        pause.tv_nsec = rand() % 20000000;
        nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGKILL);
        long rows = check_rows(context, partial);
        assert_true(rows > 100);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    zn_context_destroy(context);
}

/* A run slower than a chunk a second: rows older than a second are there. */
static void slow_runs_lose_at_most_a_second(void **state) {
    (void)state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const char *path = example_path("slow.h5"), *partial = example_path("slow.h5.partial");
    pid_t child = fork();
    if (child == 0) {
        zn_context *context = zn_context_create(NULL);
        result_writer *writer = NULL;
        double row[EXAMPLE_WIDTH];
        result_writer_create(context, path, &example_layout, &writer);
        for (long i = 0; i < 8; i++) {
            struct timespec pause = {0, 200000000};
            nanosleep(&pause, NULL);
            example_row(i, row);
            result_writer_row(writer, row);
        }
        if (write(pipes[1], "x", 1) != 1) _exit(1);
        pause();
    }
    char byte;
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    close(pipes[0]);
    close(pipes[1]);
    zn_context *context = zn_context_create(NULL);
    assert_true(check_rows(context, partial) >= 4);
    zn_context_destroy(context);
}

/* Opens and reads everything in a child, whose ways to end are distinguished. */
enum { READ, REFUSED, CRASHED, READ_CODE = 40, REFUSED_CODE = 41 };
static int try_reading(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        alarm(30);
        zn_context *context = zn_context_create(NULL);
        result_file *result = NULL;
        bool ok = result_open(context, path, &result) == ZN_OK;
        int width = ok ? result_layout_width(result_get_layout(result)) : 0;
        for (int c = 0; c < width; c++) {
            const double *values;
            if (result_column(result, c, &values) != ZN_OK) ok = false;
        }
        zn_contact_table table;
        if (ok && zn_result_contacts(result, &table) != ZN_OK) ok = false;
        bool told = ok || zn_error_count(context) > 0;
        result_close(result);
        zn_context_destroy(context);
        _exit(!told ? 1 : ok ? READ_CODE : REFUSED_CODE);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) < READ_CODE) return CRASHED;
    return WEXITSTATUS(status) == READ_CODE ? READ : REFUSED;
}

static void damaged_csv_is_refused_or_read(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("good.csv"), 20, 0, true);
    size_t size = 0;
    char *good = example_slurp(example_path("good.csv"), &size), *bad = malloc(size);
    int counts[3] = {0};
    srand(5);
    for (int k = 0; k < 100; k++) {
        memcpy(bad, good, size);
        size_t length = k % 3 == 0 ? (size_t)rand() % size : size;
        for (int flips = k % 3; flips > 0; flips--) bad[(size_t)rand() % (k % 2 ? 200 : size)] ^= (char)(1 << rand() % 8);
        example_spill(example_path("bad.csv"), bad, length);
        counts[try_reading(example_path("bad.csv"))]++;
    }
    print_message("CSV: %d read, %d refused, %d crashed\n", counts[READ], counts[REFUSED], counts[CRASHED]);
    assert_int_equal(counts[CRASHED], 0);
    assert_true(counts[REFUSED] > 10);
    free(good);
    free(bad);
    zn_context_destroy(context);
}

/* Cut files are refused; bits may flip in numbers, too, so that some of the others can be read. More in test_result_crafted. */
static void damaged_hdf5_is_refused_or_read(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("good.h5"), 20, 0, true);
    size_t size = 0;
    char *good = example_slurp(example_path("good.h5"), &size), *bad = malloc(size);
    int cut[3] = {0}, flipped[3] = {0};
    static const unsigned seeds[] = {7, 11};
    for (int s = 0; s < 2; s++) {
        srand(seeds[s]);
        for (int k = 0; k < 25; k++) {
            example_spill(example_path("bad.h5"), good, (size_t)rand() % size);
            cut[try_reading(example_path("bad.h5"))]++;
        }
        for (int k = 0; k < 100; k++) {
            memcpy(bad, good, size);
            for (int flips = 1 + k % 3; flips > 0; flips--) bad[(size_t)rand() % (k % 2 ? 4000 : size)] ^= (char)(1 << rand() % 8);
            example_spill(example_path("bad.h5"), bad, size);
            flipped[try_reading(example_path("bad.h5"))]++;
        }
    }
    print_message("HDF5 cut: %d read, %d refused, %d crashed; flipped: %d read, %d refused, %d crashed\n", cut[READ], cut[REFUSED],
                  cut[CRASHED], flipped[READ], flipped[REFUSED], flipped[CRASHED]);
    assert_int_equal(cut[REFUSED], 50);
    assert_int_equal(flipped[CRASHED], 0);
    assert_true(flipped[REFUSED] >= 20);
    free(good);
    free(bad);
    zn_context_destroy(context);
}

static void expect_refusal(zn_context *context, const char *path, const char *words) {
    result_file *result = NULL;
    assert_int_equal(result_open(context, path, &result), ZN_ERROR_FILE);
    assert_null(result);
    const char *text = zn_error_text(context);
    if (!strstr(text, words)) print_error("\"%s\" lacks \"%s\"\n", text, words);
    assert_non_null(strstr(text, words));
    zn_error_clear(context);
}

static void foreign_files_are_named(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const struct {
        const char *content, *words;
    } texts[] = {{"1,2,3\n4,5,6\n", ":1: the first line must hold the names"},
                 {"t,x\n0,1\n2\n", ":3: has 1 fields where the header has 2"},
                 {"t,x\n0,1\n2,3,4\n", ":3: something follows"},
                 {"t,x\n0,one\n", ":2: field 2 (x) is not a number"},
                 {"t,x\n0,\n1,2\n", ":2: field 2 (x) is not a number"},
                 {"t,x\n\n\n\n\n\n\n\n\n\n\n\n", ":2: field 1 (t)"},
                 {"t,\"x\n0,1\n", ":1: a quotation mark is not closed"},
                 {"t,\"x\"y\n0,1\n", ":1: a quoted name is followed"},
                 {"t,x,t\n0,1,2\n", ":1: two columns are called \"t\""},
                 {"t,x", ":1: ends before the end of its first line"},
                 {",\n", ":1: the first line"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        example_spill(example_path("foreign.csv"), texts[i].content, strlen(texts[i].content));
        expect_refusal(context, example_path("foreign.csv"), texts[i].words);
    }
    example_spill(example_path("empty.h5"), "", 0);
    expect_refusal(context, example_path("empty.h5"), "is empty");
    example_spill(example_path("binary.h5"),
                  "\x7f"
                  "ELF\0\0\0\0\0",
                  9);
    expect_refusal(context, example_path("binary.h5"), "neither HDF5 nor CSV");
    example_spill(example_path("head.h5"), "\x89HDF\r\n\x1a\n", 8);
    expect_refusal(context, example_path("head.h5"), "damaged");
    expect_refusal(context, example_path("absent.h5"), "there is no such file");
    expect_refusal(context, example_path(""), "is a directory");
    hid_t file = H5Fcreate(example_path("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && H5Fclose(file) >= 0);
    expect_refusal(context, example_path("other.h5"), "not a result of zeno");
    zn_context_destroy(context);
}

static void other_line_ends_are_read(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *content = "\xef\xbb\xbft,\"x \"\"1\"\"\"\r\n0,1.5\r\n1,-inf\r\n2,0.";
    example_spill(example_path("crlf.csv"), content, strlen(content));
    result_file *result = NULL;
    assert_int_equal(result_open(context, example_path("crlf.csv"), &result), ZN_OK);
    assert_int_equal(result_rows(result), 2); /* the third line is cut */
    assert_string_equal(result_column_name(result, 0), "t");
    assert_string_equal(result_column_name(result, 1), "x \"1\"");
    const double *x;
    assert_int_equal(result_column(result, 1, &x), ZN_OK);
    assert_true(x[0] == 1.5 && x[1] == -INFINITY);
    result_close(result);
    zn_context_destroy(context);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    zn_context *plenty = zn_context_create(NULL);
    const char *names[] = {"memory.h5", "memory.csv"};
    for (int k = 0; k < 2; k++) {
        const char *path = example_path(names[k]);
        example_write(plenty, path, 10, 0, true);
        bool done = false;
        for (long allowed = 1; !done; allowed++) {
            counting_allocator memory = {.fail_at = allowed};
            zn_context *context = counting_context(&memory);
            result_file *result = NULL;
            const double *values = NULL;
            zn_status status = result_open(context, path, &result);
            if (status == ZN_OK) status = result_column(result, 3, &values);
            done = status == ZN_OK;
            if (!done) assert_int_equal(status, ZN_ERROR_MEMORY);
            result_close(result);
            zn_context_destroy(context);
            assert_true(allowed < 500);
        }
    }
    zn_context_destroy(plenty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_runs_leave_readable_files), cmocka_unit_test(slow_runs_lose_at_most_a_second),
        cmocka_unit_test(damaged_csv_is_refused_or_read),   cmocka_unit_test(damaged_hdf5_is_refused_or_read),
        cmocka_unit_test(foreign_files_are_named),          cmocka_unit_test(other_line_ends_are_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
