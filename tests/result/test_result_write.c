/* SPDX-License-Identifier: Apache-2.0 */
/* What ends up on the disk: equal bytes for equal runs, nothing half-written under the final name, reasons for failures. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* as example.h has it */
#endif
#include "result/internal.h" /* before cmocka, which has a macro named fail */

#include "base/counting_allocator.h"
#include "example.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void equal_runs_give_equal_bytes(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *endings[] = {"h5", "csv", "packed.h5"};
    size_t sizes[3] = {0};
    for (int e = 0; e < 3; e++) {
        long flushes[] = {0, 0, 1, 37, 1024};
        example_layout.packed = e == 2;
        char *first = NULL;
        size_t first_size = 0;
        for (int k = 0; k < 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "equal%d.%s", k, endings[e]);
            example_write(context, example_path(name), 2500, flushes[k], true);
            size_t size = 0;
            char *content = example_slurp(example_path(name), &size);
            assert_non_null(content);
            if (first) {
                assert_int_equal(size, first_size);
                assert_memory_equal(content, first, size);
                free(content);
            } else {
                first = content;
                first_size = size;
            }
        }
        free(first);
        sizes[e] = first_size;
    }
    example_layout.packed = false;
    assert_true(sizes[2] < sizes[0]);
    zn_context_destroy(context);
}

/* What a reader finds is what the writer said, bit for bit. */
static void check_kept(const char *partial, long kept) {
    zn_context *context = zn_context_create(NULL);
    result_file *result = NULL;
    if (result_open(context, partial, &result) != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_non_null(result);
    assert_int_equal(result_rows(result), kept);
    for (int c = 0; c < EXAMPLE_WIDTH; c++) {
        const double *values;
        double row[EXAMPLE_WIDTH];
        assert_int_equal(result_column(result, c, &values), ZN_OK);
        for (long i = 0; i < kept; i++) {
            example_row(i, row);
            assert_memory_equal(&values[i], &row[c], sizeof(double));
        }
    }
    result_close(result);
    zn_context_destroy(context);
}

/* All that was written is in the packed file; until the end it is in the plain one beside it. */
static void packed_files_hold_the_same(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *path = example_path("small.h5"), *partial = example_path("small.h5.partial"),
               *packed = example_path("small.h5.packed.partial");
    example_layout.packed = true;
    for (int success = 0; success < 2; success++) {
        example_write(context, path, 2500, 37, success);
        assert_int_equal(access(path, F_OK) == 0, success);
        assert_int_equal(access(partial, F_OK) == 0, !success);
        assert_int_not_equal(access(packed, F_OK), 0);
        check_kept(success ? path : partial, 2500);
        result_file *result = NULL;
        const double *entries, *events;
        long count = 0, expected = 0, happened = 0, told = 0;
        assert_int_equal(result_open(context, success ? path : partial, &result), ZN_OK);
        assert_int_equal(result_get_entries(result, 0, &entries, &count), ZN_OK);
        assert_int_equal(result_get_entries(result, 1, &events, &happened), ZN_OK);
        for (long i = 0; i < 2500; i++) {
            char text[RESULT_NOTE_BYTES];
            assert_int_equal(result_note(result, i, text), ZN_OK);
            assert_string_equal(text, example_has_note(i) ? example_note(i) : "");
            for (long k = 0; k < example_entries_of(i); k++, expected++)
                assert_true(entries[3 * expected] == (double)i && entries[3 * expected + 2] == sin((double)(i + k)));
            for (long k = 0; k < example_events_of(i); k++, told++)
                assert_true(events[2 * told] == (double)i && events[2 * told + 1] == cos((double)(i + k)));
        }
        assert_int_equal(count, expected);
        assert_int_equal(happened, told);
        result_close(result);
    }
    example_layout.packed = false;
    zn_context_destroy(context);
}

/* Deflate can make a thousandth of equal numbers. A small file that claims more than 256 MB is refused, so where it would be it stays
 * plain. */
static void too_regular_files_stay_plain(void **state) {
    (void)state;
    const uint64_t always = (UINT64_C(1) << 28) / sizeof(double);
    assert_true(result_hdf5_packed_ok(1 << 20, always / 2));
    assert_false(result_hdf5_packed_ok(1 << 20, always));
    assert_true(result_hdf5_packed_ok(64 << 20, 2 * always));
    assert_false(result_hdf5_packed_ok(64 << 20, 16 * always));
    zn_context *context = zn_context_create(NULL);
    enum { ROWS = 100000 };
    const result_dataset datasets[] = {{.name = "t"}};
    const char *path = example_path("zeros.h5");
    result_writer *writer = NULL;
    result_file *result = NULL;
    assert_int_equal(result_writer_create(context, path, &(result_layout){.n_datasets = 1, .datasets = datasets, .packed = true}, &writer),
                     ZN_OK);
    for (long i = 0; i < ROWS; i++) assert_int_equal(result_writer_row(writer, (double[]){0}), ZN_OK);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size < 8L * ROWS / 20); /* a hundredth, and the index of the chunks */
    assert_int_equal(result_open(context, path, &result), ZN_OK);
    assert_int_equal(result_rows(result), ROWS);
    result_close(result);
    zn_context_destroy(context);
}

static void csv_is_plain_text(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const odd[] = {"a,b", "say \"hi\"", "\xcf\x86'", "x"}, *const other[] = {"x"};
    result_dataset datasets[] = {{.name = "t"},
                                 {.name = "q", .n_columns = 4, .columns = odd, .plain = true},
                                 {.name = "p", .n_columns = 1, .columns = other, .plain = true},
                                 {.name = "f", .n_columns = 1, .columns = other}};
    result_layout layout = {.n_datasets = 4, .datasets = datasets};
    result_writer *writer = NULL;
    double row[7] = {0.1, -0.0, INFINITY, -INFINITY, NAN, 5e-324, 1e300};
    assert_int_equal(result_writer_create(context, example_path("odd.csv"), &layout, &writer), ZN_OK);
    assert_int_equal(result_writer_row(writer, row), ZN_OK);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    assert_string_equal(result_writer_path(writer), example_path("odd.csv"));
    result_writer_destroy(writer);
    size_t size;
    char *content = example_slurp(example_path("odd.csv"), &size);
    assert_string_equal(content, "t,\"a,b\",\"say \"\"hi\"\"\",\xcf\x86',q.x,p.x,f.x\n"
                                 "0.10000000000000001,-0,inf,-inf,nan,4.9406564584124654e-324,1.0000000000000001e+300\n");
    free(content);
    zn_context_destroy(context);
}

static void csv_has_a_point_in_every_locale(void **state) {
    (void)state;
    const char *commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"};
    bool found = false;
    for (int i = 0; i < 5 && !found; i++) found = setlocale(LC_NUMERIC, commas[i]) != NULL;
    if (!found) print_message("no locale with a decimal comma here\n");
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("locale.csv"), 3, 0, true);
    setlocale(LC_NUMERIC, "C");
    example_write(context, example_path("C.csv"), 3, 0, true);
    size_t size, size_c;
    char *content = example_slurp(example_path("locale.csv"), &size), *content_c = example_slurp(example_path("C.csv"), &size_c);
    assert_string_equal(content, content_c);
    free(content);
    free(content_c);
    zn_context_destroy(context);
}

static void failed_runs_leave_the_old_file(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *names[] = {"old.h5", "old.csv"}, *partials[] = {"old.h5.partial", "old.csv.partial"};
    for (int k = 0; k < 2; k++) {
        example_spill(example_path(names[k]), "old", 3);
        example_write(context, example_path(names[k]), 10, 0, false);
        size_t size;
        char *content = example_slurp(example_path(names[k]), &size);
        assert_string_equal(content, "old");
        free(content);
        assert_int_equal(access(example_path(partials[k]), F_OK), 0);
        example_write(context, example_path(names[k]), 10, 0, true);
        content = example_slurp(example_path(names[k]), &size);
        assert_true(size > 100);
        free(content);
        assert_int_not_equal(access(example_path(partials[k]), F_OK), 0);
    }
    zn_context_destroy(context);
}

static void expect_failure(zn_context *context, const char *path, zn_status status, const char *words) {
    result_writer *writer = NULL;
    assert_int_equal(result_writer_create(context, path, &example_layout, &writer), status);
    assert_null(writer);
    const char *text = zn_error_text(context);
    if (!strstr(text, words)) print_error("\"%s\" lacks \"%s\"\n", text, words);
    assert_non_null(strstr(text, words));
    zn_error_clear(context);
}

static void unwritable_paths_fail_at_once(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    expect_failure(context, example_path("missing/a.h5"), ZN_ERROR_FILE, "directory does not exist");
    expect_failure(context, example_path("missing/a.csv"), ZN_ERROR_FILE, "directory does not exist");
    expect_failure(context, example_path("a.txt"), ZN_ERROR_ARGUMENT, ".hdf5");
    expect_failure(context, example_path("a"), ZN_ERROR_ARGUMENT, ".csv");
    expect_failure(context, example_path(".h5"), ZN_ERROR_ARGUMENT, ".csv");
    expect_failure(context, "", ZN_ERROR_ARGUMENT, ".csv");
    assert_int_equal(mkdir(example_path("directory.h5"), 0777), 0);
    expect_failure(context, example_path("directory.h5"), ZN_ERROR_FILE, "is a directory");
    assert_int_equal(mkdir(example_path("taken.csv.partial"), 0777), 0);
    expect_failure(context, example_path("taken.csv"), ZN_ERROR_FILE, "is a directory");
    if (geteuid() != 0) {
        assert_int_equal(mkdir(example_path("closed"), 0555), 0);
        expect_failure(context, example_path("closed/a.h5"), ZN_ERROR_FILE, "permission denied");
    }
    zn_context_destroy(context);
}

static void layouts_are_checked(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    const char *const same[] = {"x", "x"};
    result_dataset twice[] = {{.name = "t"}, {.name = "t"}}, columns[] = {{.name = "q", .n_columns = 2, .columns = same}},
                   slash[][1] = {{{.name = "/b"}}, {{.name = "a/"}}, {{.name = "a/b/c"}}, {{.name = "./b"}}, {{.name = "a//b"}}},
                   empty[] = {{.name = "q", .n_columns = 0, .columns = same}};
    result_text taken[] = {{"format", "mine", RESULT_TEXT}};
    result_layout wrong[] = {{.n_datasets = 2, .datasets = twice},
                             {.n_datasets = 1, .datasets = columns},
                             {.n_datasets = 1, .datasets = empty},
                             {.n_datasets = 0},
                             {.n_datasets = 1, .datasets = twice, .n_texts = 1, .texts = taken},
                             {.n_datasets = 1, .datasets = slash[0]},
                             {.n_datasets = 1, .datasets = slash[1]},
                             {.n_datasets = 1, .datasets = slash[2]},
                             {.n_datasets = 1, .datasets = slash[3]},
                             {.n_datasets = 1, .datasets = slash[4]}};
    enum { N_WRONG = sizeof wrong / sizeof *wrong };
    for (int i = 0; i < N_WRONG; i++)
        assert_int_equal(result_writer_create(context, example_path("wrong.h5"), &wrong[i], &writer), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_error_count(context), N_WRONG);
    zn_context_destroy(context);
}

/* A limit of the file size stands for a full disk; the child's exit status tells where an expectation failed. */
static int write_until_full(const char *path, rlim_t most, long *kept) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_FSIZE, &limit);
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    *kept = -1;
    if (result_writer_create(context, path, &example_layout, &writer) != ZN_OK)
        return strstr(zn_error_text(context), "larger than") && access(path, F_OK) != 0 ? 0 : 1;
    double row[EXAMPLE_WIDTH];
    zn_status status = ZN_OK;
    for (long i = 0; i < 20000 && status == ZN_OK; i++) {
        example_row(i, row);
        status = result_writer_row(writer, row);
    }
    if (status != ZN_ERROR_FILE) return 2;
    if (!strstr(zn_error_text(context), "larger than")) return 3;
    if (result_writer_row(writer, row) != ZN_ERROR_FILE) return 4;
    *kept = result_writer_rows(writer);
    if (result_writer_finish(writer, true) == ZN_OK) return 5;
    result_writer_destroy(writer);
    zn_context_destroy(context);
    return 0;
}

/* At every size, from one that has no room for the names to one that holds several chunks. */
static void full_disks_are_told(void **state) {
    (void)state;
    const char *names[] = {"full.h5", "fuller.h5", "full.csv"}, *partials[] = {"full.h5.partial", "fuller.h5.partial", "full.csv.partial"};
    long last = 0;
    for (int k = 0; k < 3; k++)
        for (rlim_t most = 3000; most < 700000; most = most * 8 / 7 + 501) {
            int pipes[2];
            long kept = -1;
            assert_int_equal(pipe(pipes), 0);
            pid_t child = fork();
            if (child == 0) {
                example_layout.packed = k == 1;
                int code = write_until_full(example_path(names[k]), most, &kept);
                if (write(pipes[1], &kept, sizeof kept) != (ssize_t)sizeof kept) code = 9;
                _exit(code);
            }
            int status = -1;
            assert_int_equal(read(pipes[0], &kept, sizeof kept), sizeof kept);
            assert_int_equal(waitpid(child, &status, 0), child);
            close(pipes[0]);
            close(pipes[1]);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) print_error("%s at %ld bytes\n", names[k], (long)most);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
            assert_int_not_equal(access(example_path(names[k]), F_OK), 0);
            if (kept < 0) assert_int_not_equal(access(example_path(partials[k]), F_OK), 0);
            else check_kept(example_path(partials[k]), kept);
            if (most >= 300000) assert_true(kept >= 1000); /* of 96 bytes in HDF5, about 210 in CSV */
            last = kept;
        }
    print_message("%ld rows of the last CSV\n", last);
}

/* ---- two writers of one name ---- */

static void a_second_writer_is_refused(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *names[] = {"both.h5", "both.csv"};
    for (int k = 0; k < 2; k++) {
        result_writer *first = NULL, *second = NULL;
        const char *path = example_path(names[k]);
        double row[EXAMPLE_WIDTH];
        assert_int_equal(result_writer_create(context, path, &example_layout, &first), ZN_OK);
        for (long i = 0; i < 3000; i++) {
            example_row(i, row);
            assert_int_equal(result_writer_row(first, row), ZN_OK);
            if (i % 1000 != 500) continue;
            assert_int_equal(result_writer_create(context, path, &example_layout, &second), ZN_ERROR_FILE); /* of this process */
            assert_non_null(strstr(zn_error_text(context), "another process is writing it"));
            zn_error_clear(context);
            pid_t child = fork(); /* and of another */
            if (child == 0) _exit(result_writer_create(context, path, &example_layout, &second) == ZN_ERROR_FILE ? 0 : 1);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
        assert_int_equal(result_writer_finish(first, true), ZN_OK);
        result_writer_destroy(first);
        check_kept(path, 3000);
        example_write(context, path, 10, 0, true); /* afterwards the name is free */
        check_kept(path, 10);
    }
    zn_context_destroy(context);
}

/* Many at once on one name: no matter which wins, what is there in the end is one whole result. */
static void racing_writers_do_not_mix(void **state) {
    (void)state;
    enum { RACERS = 6, ROUNDS = 20 };
    const char *names[] = {"race.h5", "race.csv"};
    for (int k = 0; k < 2; k++) {
        const char *path = example_path(names[k]);
        pid_t children[RACERS];
        for (int r = 0; r < RACERS; r++) {
            children[r] = fork();
            if (children[r] != 0) continue;
            zn_context *context = zn_context_create(NULL);
            int won = 0;
            for (int round = 0; round < ROUNDS; round++) {
                result_writer *writer = NULL;
                double row[EXAMPLE_WIDTH];
                if (result_writer_create(context, path, &example_layout, &writer) != ZN_OK) continue;
                for (long i = 0; i < 200; i++) {
                    example_row(i, row);
                    if (result_writer_row(writer, row) != ZN_OK) _exit(1);
                }
                if (result_writer_finish(writer, true) != ZN_OK) _exit(2);
                result_writer_destroy(writer);
                result_file *result = NULL;
                if (result_open(context, path, &result) != ZN_OK || result_rows(result) != 200) _exit(3);
                result_close(result);
                won++;
            }
            _exit(won >= 0 ? 0 : 4);
        }
        for (int r = 0; r < RACERS; r++) {
            int status;
            assert_int_equal(waitpid(children[r], &status, 0), children[r]);
            assert_int_equal(status, 0);
        }
        check_kept(path, 200);
    }
}

/* A killed run leaves its rows and no lock. */
static void a_killed_writer_blocks_nobody(void **state) {
    (void)state;
    const char *path = example_path("dead.csv");
    int pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        zn_context *context = zn_context_create(NULL);
        result_writer *writer = NULL;
        double row[EXAMPLE_WIDTH];
        if (result_writer_create(context, path, &example_layout, &writer) != ZN_OK) _exit(1);
        for (long i = 0; i < 50; i++) example_row(i, row), result_writer_row(writer, row);
        result_writer_flush(writer);
        if (write(pipes[1], "x", 1) != 1) _exit(1);
        pause();
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipes[0]);
    close(pipes[1]);
    check_kept(example_path("dead.csv.partial"), 50);
    zn_context *context = zn_context_create(NULL);
    example_write(context, path, 10, 0, true);
    check_kept(path, 10);
    zn_context_destroy(context);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *names[] = {"memory.h5", "memory.csv", "packed.h5"};
    for (int k = 0; k < 3; k++) {
        bool done = false;
        example_layout.packed = k == 2;
        for (long allowed = 1; !done; allowed++) {
            counting_allocator memory = {.fail_at = allowed};
            zn_context *context = counting_context(&memory);
            result_writer *writer = NULL;
            zn_status status = result_writer_create(context, example_path(names[k]), &example_layout, &writer);
            done = status == ZN_OK;
            if (done) {
                counting_allow(&memory, 0); /* rows allocate nothing */
                double row[EXAMPLE_WIDTH] = {0};
                for (int i = 0; i < 3000; i++) assert_int_equal(result_writer_row(writer, row), ZN_OK);
                assert_int_equal(result_writer_finish(writer, true), ZN_OK);
            } else {
                assert_int_equal(status, ZN_ERROR_MEMORY);
                assert_null(writer);
                assert_true(zn_error_count(context) > 0);
            }
            result_writer_destroy(writer);
            zn_context_destroy(context);
            assert_true(allowed < 200);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_give_equal_bytes),
        cmocka_unit_test(packed_files_hold_the_same),
        cmocka_unit_test(too_regular_files_stay_plain),
        cmocka_unit_test(csv_is_plain_text),
        cmocka_unit_test(csv_has_a_point_in_every_locale),
        cmocka_unit_test(failed_runs_leave_the_old_file),
        cmocka_unit_test(unwritable_paths_fail_at_once),
        cmocka_unit_test(layouts_are_checked),
        cmocka_unit_test(full_disks_are_told),
        cmocka_unit_test(a_second_writer_is_refused),
        cmocka_unit_test(racing_writers_do_not_mix),
        cmocka_unit_test(a_killed_writer_blocks_nobody),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
