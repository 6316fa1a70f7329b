/* SPDX-License-Identifier: Apache-2.0 */
/* zeno plot: pictures with the curves and names in them, hints for mistakes; the text of the progress bar. */
#include "example.h"

#include "cli/commands.h"
#include "cli/progress.h"

#include <fcntl.h>

/* Runs the command with standard error in a file. */
static int plot(const char *const *arguments, char *message, size_t size) {
    char *argv[40];
    int argc = 0;
    while (arguments[argc]) {
        argv[argc] = strdup(arguments[argc]);
        argc++;
    }
    fflush(stderr);
    int keep = dup(STDERR_FILENO), file = open(example_path("stderr"), O_CREAT | O_TRUNC | O_RDWR, 0666);
    dup2(file, STDERR_FILENO);
    int code = cli_plot(argc, argv);
    fflush(stderr);
    dup2(keep, STDERR_FILENO);
    ssize_t n = pread(file, message, size - 1, 0);
    message[n > 0 ? n : 0] = '\0';
    close(keep);
    close(file);
    for (int i = 0; i < argc; i++) free(argv[i]);
    return code;
}
#define PLOT(message, ...) plot((const char *const[]){__VA_ARGS__, NULL}, message, sizeof message)

static void check_words(const char *text, const char *words) {
    if (!strstr(text, words)) print_error("\"%.400s\" lacks \"%s\"\n", text, words);
    assert_non_null(strstr(text, words));
}

static int make_result(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("run.h5"), 2000, 0, true);
    example_write(context, example_path("run.csv"), 2000, 0, true);
    zn_context_destroy(context);
    return 0;
}

/* Points of the longest path that is drawn. */
static int longest_path(const char *svg) {
    int longest = 0;
    for (const char *path = svg; (path = strstr(path, " d='M")) != NULL; path++) {
        int points = 0;
        for (const char *c = path + 4; *c && *c != '\''; c++) points += *c == ',';
        if (points > longest) longest = points;
    }
    return longest;
}

static void svg_holds_curve_and_names(void **state) {
    (void)state;
    char message[1000];
    const char *results[] = {"run.h5", "run.csv"};
    for (int k = 0; k < 2; k++) {
        int code = PLOT(message, example_path(results[k]), "--x", "phi", "--y", "phi'", "--out", example_path("phase.svg"), "--title",
                        "A \"quoted\" \\title_1");
        if (code) print_error("%s\n", message);
        assert_int_equal(code, 0);
        assert_string_equal(message, "");
        size_t size;
        char *svg = example_slurp(example_path("phase.svg"), &size);
        check_words(svg, "<svg");
        check_words(svg, "</svg>");
        check_words(svg, ">phi\xe2\x80\xb2<");
        check_words(svg, ">phi<");
        check_words(svg, "title_1");
        assert_true(longest_path(svg) > 200);
        free(svg);
        assert_int_not_equal(access(example_path("phase.svg.partial"), F_OK), 0);
    }
}

static void several_curves_have_a_legend(void **state) {
    (void)state;
    char message[1000];
    assert_int_equal(PLOT(message, example_path("run.h5"), "--y=x,y,energy.kinetic", "--out", example_path("many.svg")), 0);
    size_t size;
    char *svg = example_slurp(example_path("many.svg"), &size);
    check_words(svg, ">x<");
    check_words(svg, ">y<");
    check_words(svg, ">energy.kinetic<");
    check_words(svg, ">t<");
    check_words(svg, "alles"); /* the title of the result */
    free(svg);
}

static void results_are_compared(void **state) {
    (void)state;
    char message[1000], one[512], two[512], out[512];
    snprintf(one, sizeof one, "%s", example_path("run.h5"));
    snprintf(two, sizeof two, "%s", example_path("run.csv"));
    snprintf(out, sizeof out, "%s", example_path("two.svg"));
    assert_int_equal(PLOT(message, one, two, "--y", "x", "--out", out, "--key", "below", "--size", "400,300"), 0);
    size_t size;
    char *svg = example_slurp(out, &size);
    check_words(svg, ">run.h5<");
    check_words(svg, ">run.csv<");
    check_words(svg, ">x<"); /* the axis */
    check_words(svg, "viewBox=\"0 0 400 300\"");
    free(svg);
    assert_int_equal(PLOT(message, one, two, "--x", "x", "--y", "y,phi", "--out", out, "--label", "first", "--equal", "--x-label", "across",
                          "--y-label", "up", "--x-range", ":2", "--y-range=-1:1", "--style", "both"),
                     0);
    svg = example_slurp(out, &size);
    check_words(svg, ">first<");
    check_words(svg, ">phi, run.h5<");
    check_words(svg, ">phi, run.csv<");
    check_words(svg, ">across<");
    check_words(svg, ">up<");
    free(svg);
    const char *wrong[][2] = {{"--x-range", "2:1"}, {"--y-range", "1"}, {"--y-range", "a:b"}, {"--size", "50,50"},
                              {"--size", "400"},    {"--key", "left"},  {"--style", "bars"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(PLOT(message, one, "--y", "x", "--out", out, wrong[i][0], wrong[i][1]), 2);
    assert_int_equal(PLOT(message, one, "nowhere.csv", "--y", "x", "--out", out), 1);
}

static void png_is_one(void **state) {
    (void)state;
    char message[1000];
    assert_int_equal(PLOT(message, example_path("run.h5"), "--y", "x,y", "--out", example_path("a.png"), "--style", "points"), 0);
    size_t size;
    char *png = example_slurp(example_path("a.png"), &size);
    assert_true(size > 5000);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    free(png);
    assert_int_equal(PLOT(message, example_path("run.h5"), "--y", "x", "--out", example_path("b.PNG"), "--log", "y"), 0);
}

static void mistakes_get_hints(void **state) {
    (void)state;
    char message[1000];
    char run[512], out[512];
    snprintf(run, sizeof run, "%s", example_path("run.h5"));
    snprintf(out, sizeof out, "%s", example_path("m.svg"));
    assert_int_equal(PLOT(message, run, "--y", "phy", "--out", out), 2);
    check_words(message, "did you mean \"phi\"?");
    assert_int_equal(PLOT(message, run, "--y", "x,", "--out", out), 2);
    check_words(message, "there is no column \"\"");
    assert_int_equal(PLOT(message, run, "--x", "time", "--y", "x", "--out", out), 2);
    check_words(message, "the columns are t, x");
    assert_int_equal(PLOT(message, run, "--z", "x", "--out", out), 2);
    assert_int_equal(PLOT(message, run, "--out", out), 2);
    check_words(message, "--y NAME");
    assert_int_equal(PLOT(message, run, "--y", "x"), 2);
    check_words(message, "--out");
    assert_int_equal(PLOT(message, run, "--y", "x", "--out", example_path("m.jpg")), 2);
    check_words(message, ".svg or .png");
    assert_int_equal(PLOT(message, run, "--y", "x", "--out", out, "--log", "z"), 2);
    assert_int_equal(PLOT(message, run, "--y", "x", "--out", out, "--style", "bars"), 2);
    assert_int_equal(PLOT(message, "--y", "x", "--out", out), 2);
    assert_int_equal(PLOT(message, example_path("absent.h5"), "--y", "x", "--out", out), 1);
    check_words(message, "there is no such file");
    assert_int_equal(PLOT(message, run, "--y", "x", "--out", example_path("absent/m.svg")), 1);
    check_words(message, "cannot be written");
    assert_int_not_equal(access(out, F_OK), 0);
}

static void failures_keep_the_old_picture(void **state) {
    (void)state;
    char message[1000], path[4000];
    const char *old = getenv("PATH");
    assert_non_null(old);
    snprintf(path, sizeof path, "%s", old);
    example_spill(example_path("old.svg"), "old", 3);
    setenv("PATH", example_directory, 1); /* no gnuplot there */
    int code = PLOT(message, example_path("run.h5"), "--y", "x", "--out", example_path("old.svg"));
    setenv("PATH", path, 1);
    assert_int_equal(code, 1);
    check_words(message, "gnuplot-nox");
    /* nothing but NaN to draw */
    zn_context *context = zn_context_create(NULL);
    result_dataset datasets[] = {{.name = "t"}, {.name = "x"}};
    result_writer *writer = NULL;
    assert_int_equal(
        result_writer_create(context, example_path("nan.h5"), &(result_layout){.n_datasets = 2, .datasets = datasets}, &writer), ZN_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(result_writer_row(writer, (double[]){i, NAN}), ZN_OK);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    zn_context_destroy(context);
    assert_int_equal(PLOT(message, example_path("nan.h5"), "--y", "x", "--out", example_path("old.svg")), 1);
    check_words(message, "no finite values");
    size_t size;
    char *content = example_slurp(example_path("old.svg"), &size);
    assert_string_equal(content, "old");
    free(content);
    assert_int_not_equal(access(example_path("old.svg.partial"), F_OK), 0);
}

static void progress_says_where_it_is(void **state) {
    (void)state;
    char text[100];
    progress bar = {.shown = true, .start = 1, .end = 3};
    progress_text(text, sizeof text, 79, &bar, 1.5, 500, 10);
    check_words(text, "[######..................]  25%  t = 1.5  50 steps/s  30 s left");
    progress_text(text, sizeof text, 79, &bar, 1, 0, 0);
    check_words(text, "0%");
    check_words(text, "? left");
    progress_text(text, sizeof text, 79, &bar, 3, 2000000, 7200);
    check_words(text, "100%");
    check_words(text, "0 s left");
    progress_text(text, sizeof text, 79, &bar, 1.01, 5, 100);
    check_words(text, "5:31 h left");
    progress_text(text, sizeof text, 79, &bar, NAN, 5, 100);
    progress_text(text, sizeof text, 20, &bar, 2, 5, 100);
    assert_int_equal(strlen(text), 20);
    progress quiet = progress_begin(0, 1, true);
    assert_false(quiet.shown);
    progress_update(&quiet, 0.5, 1);
    progress_end(&quiet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_holds_curve_and_names), cmocka_unit_test(several_curves_have_a_legend),
        cmocka_unit_test(results_are_compared),      cmocka_unit_test(png_is_one),
        cmocka_unit_test(mistakes_get_hints),        cmocka_unit_test(failures_keep_the_old_picture),
        cmocka_unit_test(progress_says_where_it_is),
    };
    return cmocka_run_group_tests(tests, make_result, example_clean);
}
