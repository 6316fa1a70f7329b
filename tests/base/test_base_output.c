/* SPDX-License-Identifier: Apache-2.0 */
/* Output files: complete or not there, one writer at a time, never in place of what is read; texts that cannot do harm. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "base/output.h" /* before cmocka, which has a macro named fail */
#include "base/text.h"

#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[300];

static int enter(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "%s/output-XXXXXX", ZENO_BINARY_DIR);
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    char command[700];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", directory, directory);
    return chdir("/") == 0 ? system(command) : -1;
}

static void spill(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_content(const char *name, const char *text) {
    char content[100] = "";
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(content, text);
}

static bool is_there(const char *name) { return access(name, F_OK) == 0; }

/* Writes `text` to `name`; publishes, or gives up. */
static void put(zn_context *context, const char *name, const char *text, bool publish) {
    output_file *output = NULL;
    if (output_open(context, name, &output) != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_non_null(output);
    fputs(text, output_stream(output));
    if (publish) assert_int_equal(output_publish(output), ZN_OK);
    output_close(output, false);
}

static void refuse(zn_context *context, const char *name, zn_status status, const char *words) {
    output_file *output = NULL;
    assert_int_equal(output_open(context, name, &output), status);
    assert_null(output);
    if (!strstr(zn_error_text(context), words)) print_error("\"%s\" lacks \"%s\"\n", zn_error_text(context), words);
    assert_non_null(strstr(zn_error_text(context), words));
    zn_error_clear(context);
}

static void files_are_whole_or_not_there(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    put(context, "a", "one", false);
    assert_false(is_there("a") || is_there("a.partial"));
    put(context, "a", "one", true);
    check_content("a", "one");
    assert_false(is_there("a.partial"));
    put(context, "a", "two", false);
    check_content("a", "one");
    put(context, "a", "2", true);
    check_content("a", "2");
    output_file *output = NULL;
    assert_int_equal(output_open(context, "kept", &output), ZN_OK);
    assert_int_equal(output_write(output, "rows", 4), ZN_OK);
    output_close(output, true);
    check_content("kept.partial", "rows");
    assert_false(is_there("kept"));
    zn_context_destroy(context);
}

/* A limit of sizes stands for a full disk: at the first write, and at the last flush only. */
static void full_disks_are_found(void **state) {
    (void)state;
    for (int bytes = 10; bytes < 200000; bytes *= 7) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){5, 5});
            zn_context *context = zn_context_create(NULL);
            output_file *output = NULL;
            if (output_open(context, "full", &output) != ZN_OK) _exit(1);
            for (int i = 0; i < bytes; i++) fputc('x', output_stream(output));
            if (output_publish(output) != ZN_ERROR_FILE) _exit(2);
            if (!strstr(zn_error_text(context), "full.partial: cannot be written")) _exit(3);
            output_close(output, false);
            _exit(is_there("full") || is_there("full.partial") ? 4 : 0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void names_that_cannot_be_files(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    refuse(context, "line\nbreak", ZN_ERROR_ARGUMENT, "control characters");
    refuse(context, "tab\there", ZN_ERROR_ARGUMENT, "control characters");
    refuse(context, "delete\x7f", ZN_ERROR_ARGUMENT, "control characters");
    refuse(context, "next line\xc2\x85", ZN_ERROR_ARGUMENT, "control characters");
    refuse(context, "separator\xe2\x80\xa8", ZN_ERROR_ARGUMENT, "control characters");
    refuse(context, "nowhere/a", ZN_ERROR_FILE, "its directory does not exist");
    spill("plain", "x");
    refuse(context, "plain/a", ZN_ERROR_FILE, "not a directory");
    assert_int_equal(mkdir("folder", 0777), 0);
    refuse(context, "folder", ZN_ERROR_FILE, "it is a directory");
    refuse(context, "folder/", ZN_ERROR_FILE, "it is a directory");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    refuse(context, "pipe", ZN_ERROR_FILE, "a device or a pipe");
    refuse(context, "/dev/null", ZN_ERROR_FILE, "a device or a pipe");
    refuse(context, "/dev/full", ZN_ERROR_FILE, "a device or a pipe");
    assert_int_equal(mkfifo("taken.partial", 0666), 0);
    refuse(context, "taken", ZN_ERROR_FILE, "a device or a pipe");
    assert_int_equal(mkdir("busy.partial", 0777), 0);
    refuse(context, "busy", ZN_ERROR_FILE, "it is a directory");
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    refuse(context, name, ZN_ERROR_FILE, "too long");
    put(context, "odd `name` 'with' \"quotes\" $(and) more \xc3\xa9", "x", true);
    assert_true(is_there("odd `name` 'with' \"quotes\" $(and) more \xc3\xa9"));
    zn_context_destroy(context);
}

static void symbolic_links_stay(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    assert_int_equal(mkdir("far", 0777), 0);
    spill("far/target", "old");
    assert_int_equal(symlink("far/target", "link"), 0);
    put(context, "link", "new", true);
    check_content("far/target", "new");
    struct stat info;
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(symlink("nothing", "dangling"), 0);
    refuse(context, "dangling", ZN_ERROR_FILE, "a file that does not exist");
    assert_int_equal(symlink("circle", "circle"), 0);
    refuse(context, "circle", ZN_ERROR_FILE, "a file that does not exist");
    assert_int_equal(symlink("/dev/null", "null"), 0);
    refuse(context, "null", ZN_ERROR_FILE, "a device or a pipe");
    spill("victim", "precious"); /* somebody else put a link where we would write */
    assert_int_equal(symlink("victim", "trap.partial"), 0);
    refuse(context, "trap", ZN_ERROR_FILE, "is a symbolic link");
    check_content("victim", "precious");
    zn_context_destroy(context);
}

/* Also for the superuser, who is stopped by no permission: the child gives it up. */
static void closed_folders_are_told(void **state) {
    (void)state;
    assert_int_equal(mkdir("closed", 0777), 0);
    spill("closed/old", "old");
    assert_int_equal(chmod("closed/old", 0444), 0);
    assert_int_equal(chmod("closed", 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
        zn_context *context = zn_context_create(NULL);
        output_file *output = NULL;
        const char *names[] = {"closed/a", "closed/old"};
        for (int i = 0; i < 2; i++)
            if (output_open(context, names[i], &output) != ZN_ERROR_FILE || !strstr(zn_error_text(context), "permission denied")) _exit(2);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod("closed", 0777), 0);
}

static void what_is_read_is_not_written(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    spill("scene", "scene");
    spill("b.partial", "scene");
    assert_int_equal(link("scene", "hard"), 0);
    assert_int_equal(symlink("scene", "soft"), 0);
    char whole[400];
    snprintf(whole, sizeof whole, "%s/scene", directory);
    const char *same[] = {"scene", "./scene", "far/../scene", "hard", "soft", whole};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(output_check_input(context, same[i], "scene"), ZN_ERROR_ARGUMENT);
        assert_non_null(strstr(zn_error_text(context), "choose another name"));
        zn_error_clear(context);
    }
    assert_int_equal(output_check_input(context, "b", "b.partial"), ZN_ERROR_ARGUMENT);
    zn_error_clear(context);
    assert_int_equal(output_check_input(context, "other", "scene"), ZN_OK);
    assert_int_equal(output_check_input(context, "plain", "scene"), ZN_OK);
    assert_int_equal(output_check_input(context, "plain", NULL), ZN_OK);
    assert_int_equal(output_check_input(context, "plain", "missing"), ZN_OK);
    zn_context_destroy(context);
}

/* ---- texts ---- */

static void json(const char *text, char *out) {
    char piece[TEXT_PIECE];
    for (*out = '\0'; *text;) {
        text_json(&text, piece);
        strcat(out, piece);
    }
}

static void texts_become_harmless(void **state) {
    (void)state;
    const struct {
        const char *text, *json;
    } known[] = {{"plain", "plain"},
                 {"\"q\" \\", "\\\"q\\\" \\\\"},
                 {"a\nb\t\x01\x7f", "a\\u000ab\\u0009\\u0001\\u007f"},
                 {"</script>", "\\u003c/script>"},
                 {"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85", "\\u2028\\u2029\\u0085"},
                 {"\xe2\x80\xae", "\\u202e"},
                 {"\xcf\x86 \xf0\x9f\x98\x80", "\xcf\x86 \xf0\x9f\x98\x80"},
                 {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},                                  /* no UTF-8 at all */
                 {"\xc3", "\xef\xbf\xbd"},                                                  /* cut */
                 {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                                  /* overlong '/' */
                 {"\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                  /* again */
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                  /* a surrogate */
                 {"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                  /* U+FFFF */
                 {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}}; /* beyond U+10FFFF */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char out[200];
        json(known[i].text, out);
        assert_string_equal(out, known[i].json);
    }
    /* Every byte after every other: what comes out is UTF-8 that stays as it is. */
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++) {
            char text[] = {(char)a, (char)b, 0}, plain[100] = "", again[100] = "", piece[TEXT_PIECE];
            for (const char *c = text; *c;) text_plain(&c, piece), strcat(plain, piece);
            for (const char *c = plain; *c;) text_plain(&c, piece), strcat(again, piece);
            assert_string_equal(plain, again);
            for (const char *c = plain; *c;) assert_false(text_is_control(text_next(&c)));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_whole_or_not_there), cmocka_unit_test(full_disks_are_found),
        cmocka_unit_test(names_that_cannot_be_files),   cmocka_unit_test(symbolic_links_stay),
        cmocka_unit_test(closed_folders_are_told),      cmocka_unit_test(what_is_read_is_not_written),
        cmocka_unit_test(texts_become_harmless),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
