/* SPDX-License-Identifier: Apache-2.0 */
/* Titles, names of columns, labels, names of schemes: whatever they hold is shown as it is, and never obeyed. */
#define _GNU_SOURCE
#include "example.h"

#include "../scene/json_check.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/gnuplot.h"
#include "cli/study_plot.h"
#include "cli/summary.h"

#include <dirent.h>
#include <fcntl.h>

enum { ROUNDS = 24, LONGEST = 2000 };

/* Everything that a shell, gnuplot, a page or JSON could take for something else. S is the file that an obeyed text would make. */
static const char *const fragments[] = {"`touch S`",
                                        "$(touch S)",
                                        "\"; system('touch S'); \"",
                                        "'; system(\"touch S\"); '",
                                        "\n!touch S\n",
                                        "\nsystem 'touch S'\n",
                                        "@m",
                                        "@`touch S`",
                                        "%s%n%d%%",
                                        "{/Bold x}^2_3",
                                        "\\",
                                        "\\n",
                                        "\\140touch S\\140",
                                        "don't",
                                        "x'",
                                        "x''",
                                        "'",
                                        "\"",
                                        "''",
                                        "\nEOD\n",
                                        "EOD",
                                        "<script>alert(1)</script>",
                                        "</text></svg>",
                                        "&amp;",
                                        "&#96;",
                                        "]]>",
                                        "<!--",
                                        "$curve0",
                                        "#",
                                        ";",
                                        ",",
                                        "\r",
                                        "\t",
                                        "\x1b]0;x\x07",
                                        "\xff\xfe",
                                        "\xc0\xaf",
                                        "\xed\xa0\x80",
                                        "\xe2\x80\xa8",
                                        "\xe2\x80\xae",
                                        "\xcf\x86",
                                        "\xf0\x9f\x98\x80",
                                        "|touch S",
                                        "< touch S",
                                        ">S",
                                        "${S}",
                                        "~",
                                        "*",
                                        "title",
                                        "columnheader(1)",
                                        "sprintf('%s')",
                                        " a  b "};

static void nasty(char text[LONGEST]) {
    text[0] = '\0';
    for (int n = 1 + rand() % 6; n > 0; n--) strcat(text, fragments[(size_t)rand() % (sizeof fragments / sizeof *fragments)]);
    if (rand() % 12 == 0)
        while (strlen(text) < LONGEST - 200) strcat(text, "`touch S` and so on \xc3\xa9 ");
}

/* What a picture shows: primes of derivatives are typographic, white space runs together, long texts are cut. */
static void as_shown(const char *text, int most, char *out) {
    char piece[TEXT_PIECE];
    const char *c = text;
    int count = 0;
    for (*out = '\0'; *c && count < most; count++) text_plain(&c, piece), strcat(out, piece);
    if (*c) strcat(out, "...");
}

/* Without white space, and with one form of the apostrophe, entities resolved. */
static void normalise(char *text) {
    static const char *const forms[][2] = {{"&lt;", "<"},   {"&gt;", ">"},  {"&amp;", "&"}, {"&quot;", "\""},
                                           {"&apos;", "'"}, {"&#39;", "'"}, {"&#34;", "\""}};
    char *out = text;
    for (const char *c = text; *c;) {
        size_t i = 0;
        while (i < 7 && strncmp(c, forms[i][0], strlen(forms[i][0])) != 0) i++;
        if (i < 7) *out++ = *forms[i][1], c += strlen(forms[i][0]);
        else if (*c == ' ' || *c == '\n') c++;
        else if (strncmp(c, "\xc2\xa0", 2) == 0) c += 2;
        else if (strncmp(c, "\xe2\x80\xb2", 3) == 0) *out++ = '\'', c += 3;
        else *out++ = *c++;
    }
    *out = '\0';
}

/* Is there an element <text> with just this content? */
static void check_shown(const char *svg, const char *text, int most) {
    static char wanted[4 * LONGEST], found[40 * LONGEST], raw[4 * LONGEST];
    as_shown(text, most, raw);
    /* What is expected has no entities: they must not be resolved in it. */
    char *out = wanted;
    for (const char *c = raw; *c; c++)
        if (*c != ' ') *out++ = *c;
    *out = '\0';
    if (!*wanted) return;
    assert_null(strstr(svg, "<script"));
    assert_ptr_equal(strstr(svg, "</svg>"), svg + strlen(svg) - strlen("</svg>\n\n"));
    for (const char *from = svg; (from = strstr(from, "<text")) != NULL;) {
        from = strchr(from, '>') + 1; /* behind xml:space="preserve", too */
        const char *end = strstr(from, "</text>");
        assert_non_null(end);
        assert_true((size_t)(end - from) < sizeof found);
        memcpy(found, from, (size_t)(end - from));
        found[end - from] = '\0';
        if (strstr(found, "<tspan")) continue; /* numbers of the axes are enhanced texts */
        assert_null(strchr(found, '<'));
        normalise(found);
        if (strcmp(found, wanted) == 0) return;
    }
    print_error("not shown: %s\n", wanted);
    assert_true(false);
}

static int run(int (*command)(int, char **), const char *const *arguments) {
    char *argv[40];
    int argc = 0;
    for (; arguments[argc]; argc++) argv[argc] = strdup(arguments[argc]);
    int code = command(argc, argv);
    for (int i = 0; i < argc; i++) free(argv[i]);
    return code;
}
#define RUN(command, ...) run(command, (const char *const[]){__VA_ARGS__, NULL})

/* A name for --y: in quotes, quotes doubled. */
static void quote(const char *name, char *out) {
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"') *out++ = '"';
        *out++ = *name;
    }
    strcpy(out, "\"");
}

static void write_result(zn_context *context, const char *path, const char *title, const char *const *columns) {
    result_dataset datasets[] = {{.name = "t"}, {.name = "q", .n_columns = 2, .columns = columns, .plain = true}};
    result_text texts[] = {
        {"title", title, RESULT_TEXT}, {"scene", title, RESULT_TEXT}, {"drawing", title, RESULT_TEXT}, {"scheme", title, RESULT_TEXT}};
    result_writer *writer = NULL;
    if (result_writer_create(context, path, &(result_layout){.n_datasets = 2, .datasets = datasets, .n_texts = 4, .texts = texts},
                             &writer) != ZN_OK)
        print_error("%s\n", zn_error_text(context));
    assert_non_null(writer);
    for (int i = 0; i < 3; i++) assert_int_equal(result_writer_row(writer, (double[]){i, i * i, -i}), ZN_OK);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
}

/* The working directory stays empty: nothing was obeyed. */
static int enter(void **state) {
    (void)state;
    return mkdir(example_path("empty"), 0777) == 0 && chdir(example_path("empty")) == 0 ? 0 : -1;
}
static void check_nothing_happened(void) {
    DIR *here = opendir(".");
    assert_non_null(here);
    for (struct dirent *entry; (entry = readdir(here)) != NULL;) {
        if (entry->d_name[0] != '.') print_error("a file '%s' was made\n", entry->d_name);
        assert_int_equal(entry->d_name[0], '.');
    }
    closedir(here);
}

static void plots_show_texts(void **state) {
    (void)state;
    static char title[LONGEST], first[LONGEST + 20], second[LONGEST + 20], label[LONGEST], y[5 * LONGEST], quoted[2 * LONGEST + 40];
    zn_context *context = zn_context_create(NULL);
    srand(17);
    for (int k = 0; k < ROUNDS; k++) {
        const char *path = example_path(k % 2 ? "texts.csv" : "texts.h5"), *out = example_path("texts.svg");
        nasty(title), nasty(label);
        strcpy(first, "a"), strcpy(second, "b");
        nasty(first + 1), nasty(second + 1);
        write_result(context, path, title, (const char *const[]){first, second});
        quote(first, quoted), strcpy(y, quoted), strcat(y, ",");
        quote(second, quoted), strcat(y, quoted);
        int code = k % 3 ? RUN(cli_plot, path, "--y", y, "--out", out, "--title", title, "--x-label", label)
                         : RUN(cli_plot, path, "--y", y, "--out", out, "--title", title, "--label", label, "--y-label", title);
        assert_int_equal(code, 0);
        size_t size;
        char *svg = example_slurp(out, &size);
        check_shown(svg, title, PLOT_LONGEST_TEXT);
        check_shown(svg, label, k % 3 ? PLOT_LONGEST_TEXT : PLOT_LONGEST_NAME);
        check_shown(svg, second, PLOT_LONGEST_NAME);
        if (k % 3) check_shown(svg, first, PLOT_LONGEST_NAME);
        free(svg);
        check_nothing_happened();
    }
    zn_context_destroy(context);
}

static void studies_show_texts(void **state) {
    (void)state;
    static char title[LONGEST], name[LONGEST], names[2][80];
    zn_context *context = zn_context_create(NULL);
    srand(23);
    for (int k = 0; k < ROUNDS / 2; k++) {
        nasty(title);
        for (int i = 0; i < 2; i++) {
            nasty(name);
            snprintf(names[i], sizeof names[i], "%.70s", name);
        }
        const double step[] = {0.1, 0.05};
        study_result results[] = {{.error_q = {1e-2, 1e-3}, .error_u = {1e-2, 1e-3}, .order_q = 3, .order_u = NAN},
                                  {.error_q = {1, 0.5}, .error_u = {1, 0.5}, .order_q = 1, .order_u = 1}};
        study_picture picture = {title, 2, 2, step, results, names};
        output_file *output = NULL;
        const char *out = example_path("study.svg");
        assert_int_equal(output_open(context, out, &output), ZN_OK);
        if (study_draw(context, &picture, output, out) != ZN_OK) print_error("%s\n", zn_error_text(context));
        output_close(output, false);
        size_t size;
        char *svg = example_slurp(out, &size);
        assert_non_null(svg);
        check_shown(svg, title, PLOT_LONGEST_TEXT);
        check_shown(svg, names[0], PLOT_LONGEST_NAME);
        check_shown(svg, names[1], PLOT_LONGEST_NAME);
        free(svg);
        check_nothing_happened();
    }
    zn_context_destroy(context);
}

/* Every string of JSON is what went in, but for what is not UTF-8 (which becomes U+FFFD). */
static void check_json_text(const char *text) {
    static char expected[8 * LONGEST], decoded[8 * LONGEST];
    char *json = NULL, *out = expected;
    size_t size = 0;
    FILE *to = open_memstream(&json, &size);
    cli_json_text(to, text);
    fclose(to);
    assert_true(json_is_valid(json));
    for (const char *c = json; *c; c++) assert_true((unsigned char)*c >= ' ' && *c != '<' && *c != 0x7f);
    assert_null(strstr(json, "\xe2\x80\xa8"));
    /* Both sides as characters: four bytes each. */
    for (const char *c = text; *c; out += 4) {
        uint32_t character = text_next(&c);
        memcpy(out, &character, 4);
    }
    size_t n = 0;
    for (const char *c = json + 1; c[1]; n += 4) {
        uint32_t character;
        if (*c == '\\' && c[1] == 'u') character = (uint32_t)strtoul((char[]){c[2], c[3], c[4], c[5], 0}, NULL, 16), c += 6;
        else if (*c == '\\') character = (unsigned char)c[1], c += 2;
        else character = text_next(&c);
        memcpy(decoded + n, &character, 4);
    }
    assert_int_equal(n, out - expected);
    assert_memory_equal(expected, decoded, n);
    free(json);
}

static void json_holds_texts(void **state) {
    (void)state;
    static char text[LONGEST];
    char byte[2] = "";
    srand(29);
    for (int c = 1; c < 256; c++) byte[0] = (char)c, check_json_text(byte);
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++) check_json_text(fragments[i]);
    for (int k = 0; k < 500; k++) {
        nasty(text);
        check_json_text(text);
        for (char *c = text; *c; c++)
            if (rand() % 5 == 0) *c = (char)(1 + rand() % 255);
        check_json_text(text);
    }
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (; (text = strcasestr(text, word)) != NULL; text++) n++;
    return n;
}

static void pages_hold_texts(void **state) {
    (void)state;
    static char title[LONGEST], columns[2][LONGEST + 2];
    zn_context *context = zn_context_create(NULL);
    example_spill(example_path("viewer.js"), "// viewer\n", 10);
    setenv("ZENO_VIEWER", example_path("viewer.js"), 1);
    srand(31);
    for (int k = 0; k < ROUNDS; k++) {
        nasty(title);
        strcpy(columns[0], "a"), strcpy(columns[1], "b");
        nasty(columns[0] + 1), nasty(columns[1] + 1);
        write_result(context, example_path("page.h5"), title, (const char *const[]){columns[0], columns[1]});
        assert_int_equal(RUN(cli_page, example_path("page.h5"), "--out", example_path("page.json")), 0);
        assert_int_equal(RUN(cli_page, example_path("page.h5"), "--out", example_path("page.html"), "--title", title), 0);
        size_t size;
        char *json = example_slurp(example_path("page.json"), &size), *html = example_slurp(example_path("page.html"), &size);
        assert_true(json_is_valid(json));
        assert_null(strchr(json, '<'));
        assert_int_equal(count(html, "</script"), 3);
        assert_int_equal(count(html, "<script"), 3);
        assert_int_equal(count(html, "<!--"), 0);
        assert_int_equal(count(html, "</title"), 1);
        assert_null(strstr(html, "\xe2\x80\xa8"));
        char *end = strstr(html, "</title>"), *begin = strstr(html, "<title>");
        assert_true(begin && end && begin < end);
        free(json);
        free(html);
        check_nothing_happened();
    }
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plots_show_texts), cmocka_unit_test(studies_show_texts),
                                       cmocka_unit_test(json_holds_texts), cmocka_unit_test(pages_hold_texts)};
    return cmocka_run_group_tests(tests, enter, example_clean);
}
