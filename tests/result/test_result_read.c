/* SPDX-License-Identifier: Apache-2.0 */
/* What was written comes back: bits, names, texts; columns by name; columns that are not there. */
#include "example.h"

#include "base/nearest.h"

#include <float.h>

static const char *const endings[] = {"h5", "csv"};

static result_file *open_ok(zn_context *context, const char *path) {
    result_file *result = NULL;
    if (result_open(context, path, &result) != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_non_null(result);
    return result;
}

static const double *column_named(result_file *result, const char *name) {
    int index = -1;
    const double *values = NULL;
    assert_int_equal(result_find(result, name, &index), ZN_OK);
    assert_int_equal(result_column(result, index, &values), ZN_OK);
    return values;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void every_bit_comes_back(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const names[] = {"a,b", "say \"hi\"", "\xcf\x86'", "line\nbreak", " padded "};
    result_dataset datasets[] = {{.name = "t"}, {.name = "q \xc3\xa4", .n_columns = 5, .columns = names, .plain = true}};
    result_layout layout = {.n_datasets = 2, .datasets = datasets};
    const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, DBL_MIN, DBL_MAX, 5e-324, -5e-324, 0.1, 1.0 / 3, 1e23, -1e-300};
    enum { ROWS = 3000 };
    static double rows[ROWS][6];
    srand(1);
    for (int i = 0; i < ROWS; i++)
        for (int c = 0; c < 6; c++)
            rows[i][c] = rand() % 3 ? ldexp(rand() / (double)RAND_MAX - 0.5, rand() % 2000 - 1000) : special[rand() % 13];
    for (int e = 0; e < 2; e++) {
        const char *path = example_path(e ? "bits.csv" : "bits.hdf5");
        result_writer *writer = NULL;
        assert_int_equal(result_writer_create(context, path, &layout, &writer), ZN_OK);
        for (int i = 0; i < ROWS; i++) assert_int_equal(result_writer_row(writer, rows[i]), ZN_OK);
        assert_int_equal(result_writer_finish(writer, true), ZN_OK);
        result_writer_destroy(writer);
        result_file *result = open_ok(context, path);
        assert_int_equal(result_rows(result), ROWS);
        assert_int_equal(result_layout_width(result_get_layout(result)), 6);
        for (int c = 0; c < 6; c++) {
            assert_string_equal(result_column_name(result, c), c ? names[c - 1] : "t");
            const double *values = column_named(result, c ? names[c - 1] : "t");
            for (int i = 0; i < ROWS; i++) assert_true(isnan(rows[i][c]) ? isnan(values[i]) : same_bits(values[i], rows[i][c]));
        }
        result_close(result);
    }
    zn_context_destroy(context);
}

static void names_and_texts_come_back(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("whole.h5"), 5, 0, true);
    result_file *result = open_ok(context, example_path("whole.h5"));
    for (int i = 0; i < example_layout.n_texts; i++)
        assert_string_equal(result_get_text(result, example_texts[i].name), example_texts[i].value);
    assert_null(result_get_text(result, "format"));
    double step = 0, stages = 0; /* numbers of the file */
    assert_int_equal(zn_result_number(result, "step", &step), ZN_OK);
    assert_int_equal(zn_result_number(result, "stages", &stages), ZN_OK);
    assert_true(step == 0.1 && stages == -3);
    const result_layout *layout = result_get_layout(result);
    for (int i = 0; i < layout->n_texts; i++) assert_int_equal(layout->texts[i].kind, example_texts[i].kind);
    assert_int_equal(layout->n_texts, example_layout.n_texts);
    assert_int_equal(layout->n_datasets, example_layout.n_datasets - 1); /* "gap" has no columns */
    for (int d = 0, e = 0; d < layout->n_datasets; d++, e++) {
        if (example_datasets[e].columns && example_datasets[e].n_columns == 0) e++;
        assert_string_equal(layout->datasets[d].name, example_datasets[e].name);
        assert_int_equal(layout->datasets[d].plain, example_datasets[e].plain);
        assert_int_equal(!layout->datasets[d].columns, !example_datasets[e].columns);
        if (example_datasets[e].meaning) assert_string_equal(layout->datasets[d].meaning, example_datasets[e].meaning);
        else assert_null(layout->datasets[d].meaning);
    }
    result_close(result);
    zn_context_destroy(context);
}

static void large_texts_and_many_columns(void **state) {
    (void)state;
    enum { COLUMNS = 5000, LENGTH = 200000, ROWS = 40 };
    zn_context *context = zn_context_create(NULL);
    static char names[COLUMNS][8];
    static const char *pointers[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        snprintf(names[c], sizeof names[c], "c%d", c);
        pointers[c] = names[c];
    }
    char *text = malloc(LENGTH + 1);
    for (int i = 0; i < LENGTH; i++) text[i] = (char)('a' + i % 26);
    text[LENGTH] = '\0';
    result_dataset datasets[] = {{.name = "t"}, {.name = "q", .n_columns = COLUMNS, .columns = pointers, .plain = true}};
    result_text texts[] = {{"scene", text, RESULT_TEXT}};
    result_layout layout = {.n_datasets = 2, .datasets = datasets, .n_texts = 1, .texts = texts};
    static double row[COLUMNS + 1];
    for (int e = 0; e < 2; e++) {
        const char *path = example_path(e ? "wide.csv" : "wide.h5");
        result_writer *writer = NULL;
        zn_status status = result_writer_create(context, path, &layout, &writer);
        if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
        assert_int_equal(status, ZN_OK);
        for (int i = 0; i < ROWS; i++) {
            for (int c = 0; c <= COLUMNS; c++) row[c] = i + 0.001 * c;
            assert_int_equal(result_writer_row(writer, row), ZN_OK);
        }
        assert_int_equal(result_writer_finish(writer, true), ZN_OK);
        result_writer_destroy(writer);
        result_file *result = open_ok(context, path);
        if (e == 0) assert_string_equal(result_get_text(result, "scene"), text);
        const double *values = column_named(result, "c4999");
        for (int i = 0; i < ROWS; i++) assert_true(values[i] == i + 0.001 * COLUMNS);
        result_close(result);
    }
    free(text);
    zn_context_destroy(context);
}

static void expect_error(zn_context *context, result_file *result, const char *name, const char *words) {
    int index = 0;
    assert_int_equal(result_find(result, name, &index), ZN_ERROR_ARGUMENT);
    assert_int_equal(index, -1);
    const char *text = zn_error_text(context);
    if (!strstr(text, words)) print_error("\"%s\" lacks \"%s\"\n", text, words);
    assert_non_null(strstr(text, words));
    zn_error_clear(context);
}

static void columns_are_found_by_name(void **state) {
    (void)state;
    const struct {
        const char *name;
        int index;
    } found[] = {{"t", 0},
                 {"x", 1},
                 {"phi", 3},
                 {"x'", 4},
                 {"phi'", 6},
                 {"percussion.floor.normal", 7},
                 {"floor.normal", 7},
                 {"normal", 7},
                 {"energy.kinetic", 9},
                 {"kinetic", 9},
                 {"iterations", 11}};
    zn_context *context = zn_context_create(NULL);
    for (int e = 0; e < 2; e++) {
        char name[32];
        snprintf(name, sizeof name, "found.%s", endings[e]);
        example_write(context, example_path(name), 4, 0, true);
        result_file *result = open_ok(context, example_path(name));
        for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
            int index;
            assert_int_equal(result_find(result, found[k].name, &index), ZN_OK);
            assert_int_equal(index, found[k].index);
            double row[EXAMPLE_WIDTH];
            example_row(3, row);
            assert_true(same_bits(column_named(result, found[k].name)[3], row[index]));
        }
        expect_error(context, result, "phy", "did you mean \"phi\"?");
        expect_error(context, result, "Phi", "did you mean \"phi\"?");
        expect_error(context, result, "energy.kinetik", "did you mean \"energy.kinetic\"?");
        expect_error(context, result, "flor.normal", "did you mean \"percussion.floor.normal\"?");
        expect_error(context, result, "temperature", "the columns are t, x, y, phi");
        expect_error(context, result, "", "the columns are");
        const double *values;
        assert_int_equal(result_column(result, EXAMPLE_WIDTH, &values), ZN_ERROR_ARGUMENT);
        assert_null(values);
        result_close(result);
        zn_error_clear(context);
    }
    zn_context_destroy(context);
}

static void ambiguous_names_list_the_choices(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const x[] = {"x"};
    result_dataset datasets[] = {{.name = "t"}, {.name = "q", .n_columns = 1, .columns = x}, {.name = "f", .n_columns = 1, .columns = x}};
    result_layout layout = {.n_datasets = 3, .datasets = datasets};
    result_writer *writer = NULL;
    assert_int_equal(result_writer_create(context, example_path("two.h5"), &layout, &writer), ZN_OK);
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    result_file *result = open_ok(context, example_path("two.h5"));
    assert_int_equal(result_rows(result), 0);
    const double *values = column_named(result, "f.x");
    assert_non_null(values);
    expect_error(context, result, "x", "may be any of q.x, f.x");
    result_close(result);
    zn_context_destroy(context);
}

static void unfinished_files_are_read(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *names[] = {"live.h5", "live.csv"}, *partials[] = {"live.h5.partial", "live.csv.partial"};
    for (int e = 0; e < 2; e++) {
        result_writer *writer = NULL;
        double row[EXAMPLE_WIDTH];
        assert_int_equal(result_writer_create(context, example_path(names[e]), &example_layout, &writer), ZN_OK);
        for (long i = 0; i < 1500; i++) {
            example_row(i, row);
            assert_int_equal(result_writer_row(writer, row), ZN_OK);
        }
        assert_int_equal(result_writer_flush(writer), ZN_OK);
        assert_string_equal(result_writer_path(writer), example_path(partials[e]));
        result_file *result = open_ok(context, example_path(partials[e])); /* while it is written */
        assert_int_equal(result_rows(result), 1500);
        result_close(result);
        result_writer_destroy(writer);
        result = open_ok(context, example_path(partials[e]));
        example_row(1499, row);
        assert_true(column_named(result, "phi")[1499] == row[3]);
        result_close(result);
    }
    zn_context_destroy(context);
}

static void nearness_is_a_distance(void **state) {
    (void)state;
    const struct {
        const char *a, *b;
        int distance;
    } known[] = {{"", "", 0},    {"phi", "phi", 0},    {"phi", "PHI", 0}, {"phi", "pih", 1}, {"kitten", "sitting", 3},
                 {"", "abc", 3}, {"floor", "flor", 1}, {"abc", "xyz", 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(nearest_distance(known[i].a, known[i].b), known[i].distance);
        assert_int_equal(nearest_distance(known[i].b, known[i].a), known[i].distance);
    }
    char long_a[500], long_b[500];
    memset(long_a, 'a', sizeof long_a);
    memset(long_b, 'b', sizeof long_b);
    long_a[499] = long_b[499] = '\0';
    assert_int_equal(nearest_distance(long_a, long_b), 63);
    const char *const names[] = {"moreau", "rattle", "sdirk2"};
    assert_string_equal(nearest_name("morau", names, 3), "moreau");
    assert_string_equal(nearest_name("sdirk3", names, 3), "sdirk2");
    assert_null(nearest_name("euler", names, 3));
    assert_null(nearest_name("x", names, 3));
    assert_null(nearest_name("x", names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_comes_back),
        cmocka_unit_test(names_and_texts_come_back),
        cmocka_unit_test(large_texts_and_many_columns),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(ambiguous_names_list_the_choices),
        cmocka_unit_test(unfinished_files_are_read),
        cmocka_unit_test(nearness_is_a_distance),
    };
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
