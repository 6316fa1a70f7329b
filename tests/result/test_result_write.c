/* SPDX-License-Identifier: Apache-2.0 */
/* What ends up on the disk: equal bytes for equal runs, nothing half-written under the final name, reasons for failures. */
#include "example.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void equal_runs_give_equal_bytes(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *endings[] = {"h5", "csv"};
    for (int e = 0; e < 2; e++) {
        long flushes[] = {0, 0, 1, 37, 1024};
        char *first = NULL;
        size_t first_size = 0;
        for (int k = 0; k < 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "equal%d.%s", k, endings[e]);
            example_write(context, example_path(name), 2500, flushes[k], true);
            size_t size;
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
    }
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
    result_layout layout = {4, datasets, 0, NULL};
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
    char *content = example_slurp(example_path("locale.csv"), &size),
         *content_c = example_slurp(example_path("C.csv"), &size_c);
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
    expect_failure(context, example_path("missing/a.h5"), ZN_FILE, "directory does not exist");
    expect_failure(context, example_path("missing/a.csv"), ZN_FILE, "directory does not exist");
    expect_failure(context, example_path("a.txt"), ZN_ARGUMENT, ".hdf5");
    expect_failure(context, example_path("a"), ZN_ARGUMENT, ".csv");
    expect_failure(context, example_path(".h5"), ZN_ARGUMENT, ".csv");
    expect_failure(context, "", ZN_ARGUMENT, ".csv");
    assert_int_equal(mkdir(example_path("directory.h5"), 0777), 0);
    expect_failure(context, example_path("directory.h5"), ZN_FILE, "is a directory");
    assert_int_equal(mkdir(example_path("taken.csv.partial"), 0777), 0);
    expect_failure(context, example_path("taken.csv"), ZN_FILE, "is a directory");
    if (geteuid() != 0) {
        assert_int_equal(mkdir(example_path("closed"), 0555), 0);
        expect_failure(context, example_path("closed/a.h5"), ZN_FILE, "permission denied");
    }
    zn_context_destroy(context);
}

static void layouts_are_checked(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    const char *const same[] = {"x", "x"};
    result_dataset twice[] = {{.name = "t"}, {.name = "t"}}, columns[] = {{.name = "q", .n_columns = 2, .columns = same}},
                   slash[] = {{.name = "a/b"}}, empty[] = {{.name = "q", .n_columns = 0, .columns = same}};
    result_text taken[] = {{"format", "mine"}};
    result_layout wrong[] = {{2, twice, 0, NULL}, {1, columns, 0, NULL}, {1, slash, 0, NULL},
                             {1, empty, 0, NULL}, {0, NULL, 0, NULL},    {1, twice, 1, taken}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(result_writer_create(context, example_path("wrong.h5"), &wrong[i], &writer), ZN_ARGUMENT);
    assert_int_equal(zn_error_count(context), 6);
    zn_context_destroy(context);
}

/* A limit of the file size stands for a full disk; the child's exit status tells where an expectation failed. */
static int write_until_full(const char *path) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {300000, 300000};
    setrlimit(RLIMIT_FSIZE, &limit);
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    if (result_writer_create(context, path, &example_layout, &writer) != ZN_OK) return 1;
    double row[EXAMPLE_WIDTH];
    zn_status status = ZN_OK;
    for (long i = 0; i < 20000 && status == ZN_OK; i++) {
        example_row(i, row);
        status = result_writer_row(writer, row);
    }
    if (status != ZN_FILE) return 2;
    if (!strstr(zn_error_text(context), "larger than")) return 3;
    if (result_writer_row(writer, row) != ZN_FILE) return 4;
    if (result_writer_finish(writer, true) == ZN_OK) return 5;
    result_writer_destroy(writer);
    zn_context_destroy(context);
    return 0;
}

static void full_disks_are_told(void **state) {
    (void)state;
    const char *names[] = {"full.h5", "full.csv"};
    for (int k = 0; k < 2; k++) {
        pid_t child = fork();
        if (child == 0) exit(write_until_full(example_path(names[k])));
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_int_not_equal(access(example_path(names[k]), F_OK), 0);
    }
}

typedef struct failing {
    long left;
} failing;
static void *failing_reallocate(void *user, void *block, size_t bytes) {
    failing *f = user;
    return f->left-- > 0 ? realloc(block, bytes) : NULL;
}
static void failing_release(void *user, void *block) {
    (void)user;
    free(block);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *names[] = {"memory.h5", "memory.csv"};
    for (int k = 0; k < 2; k++) {
        bool done = false;
        for (long allowed = 1; !done; allowed++) {
            failing f = {allowed};
            zn_context *context =
                zn_context_create(&(zn_context_def){.allocator = {failing_reallocate, failing_release, &f}});
            result_writer *writer = NULL;
            zn_status status = result_writer_create(context, example_path(names[k]), &example_layout, &writer);
            done = status == ZN_OK;
            if (done) {
                f.left = 0; /* rows allocate nothing */
                double row[EXAMPLE_WIDTH] = {0};
                for (int i = 0; i < 3000; i++) assert_int_equal(result_writer_row(writer, row), ZN_OK);
                assert_int_equal(result_writer_finish(writer, true), ZN_OK);
            } else {
                assert_int_equal(status, ZN_MEMORY);
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
        cmocka_unit_test(csv_is_plain_text),
        cmocka_unit_test(csv_has_a_point_in_every_locale),
        cmocka_unit_test(failed_runs_leave_the_old_file),
        cmocka_unit_test(unwritable_paths_fail_at_once),
        cmocka_unit_test(layouts_are_checked),
        cmocka_unit_test(full_disks_are_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
