/* SPDX-License-Identifier: Apache-2.0 */
/* Files of comma-separated values, for tables and for inputs: what is wrong is reported with file, line and column. */
#include "trial.h"

#include "scene/csv.h"

#include <stdlib.h>

static const char folder[] = ZENO_BINARY_DIR "/csv-";

static void write_file(const char *name, const void *bytes, size_t size) {
    char path[400];
    snprintf(path, sizeof path, "%s%s", folder, name);
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

static const char cart[] =
    "inputs: {F: 0}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nforces: {x: F}\nsimulation: {step: 0.01, end: 2}\n";
static const char reads[] = "tables: {f: {file: csv-table.csv, columns: [t, F]}}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\n"
                            "forces: {x: \"table(f, t)\"}\nsimulation: {scheme: radau-2a, step: 0.01, end: 2}\n";

static const struct {
    const char *text, *expected; /* behind the name of the file; NULL: it is good */
} cases[] = {
    {"t,F\n0,3\n2,-3\n", NULL},
    {"\xef\xbb\xbft , \"F\"\r\n# a note\r\n\r\n 0 ,3\r\n2,-3", NULL},
    {"G,t,F\n7,0,3\n7,2,-3\n", NULL},
    {"\"t\",\"a \"\"b\"\" \", \"F\" \r\n\"0\",1,\"3\"\r\n2,\"x, y\",-3\r\n", NULL},
    {"t,G\n0,3\n2,-3\n", ":1:1: there is no column 'F'; its columns are t,G"},
    {"t;F\n0;3\n2;-3\n", "; its columns are t;F (they are separated by commas)"},
    {"t\tF\n0\t3\n2\t-3\n", " (they are separated by commas)"},
    {"t,\"F\n0,3\n2,-3\n", ":1:3: a quoted text must end with a quote"},
    {"t,F\n0,\"3\"4\n2,-3\n", ":2:3: a quoted text must end with a quote"},
    {"t,F\n0,\"3,4\"\n2,-3\n", ":2:4: '3,4' is not a finite number"},
    {"t,F\n0,3\n", ":2:1: the file has one row of numbers, and needs at least two"},
    {"t,F,F\n0,3,4\n2,-3,4\n", ":1:1: there are two columns 'F'"},
    {"", ":1:1: the file is empty: a line with the names of its columns is missing"},
    {"\n# nothing\n", ":2:1: the file is empty"},
    {"t,F\n", ":1:1: the file has no rows of numbers"},
    {"t,F\n0,3\n2,1\n1,-3\n", ":4:1: the rows are not sorted: 1 follows 2 in column 1"},
    {"t,F\n0,3\n\n0,1\n", ":4:1: the rows are not sorted: 0 follows 0 in column 1"},
    {"t,F\n0,3\n1,abc\n", ":3:3: 'abc' is not a finite number"},
    {"t,F\n0,3\n1, 2 3\n", ":3:4: '2 3' is not a finite number"},
    {"t,F\n0,3\n1,NaN\n", ":3:3: 'NaN' is not a finite number"},
    {"t,F\n0,3\n1,-inf\n", ":3:3: '-inf' is not a finite number"},
    {"t,F\n0,3\n1,1e999\n", ":3:3: '1e999' is not a finite number"},
    {"t,F\nNaN,3\n1,2\n", ":2:1: 'NaN' is not a finite number"},
    {"t,F\n0,3\n1,\n", ":3:3: a number is missing in column 2"},
    {"t,F\n0,3\n1\n", ":3:2: a number is missing in column 2"},
    {"t,F\n0,3\n1,2,3\n", ":3:1: the row has 3 entries, and there are 2 columns"},
    {"t,F\n0,3\n1,2\x01\n", ":3:1: the file is not a text: it has a byte 1"},
};

static void expect(zn_context *context, zn_status status, const char *what, const char *file, const char *expected) {
    char sentence[300];
    snprintf(sentence, sizeof sentence, "%s%s", expected[0] == ':' ? file : "", expected);
    assert_int_equal(zn_error_count(context), 1); /* and nothing that only follows from it */
    if (status == ZN_OK || !strstr(zn_error_text(context), sentence))
        fail_msg("%s: '%s', not '%s'", what, zn_error_text(context), sentence);
}

static void inputs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("input.csv", cases[i].text, strlen(cases[i].text));
        trial r = trial_begin(cart, (trial_options){.scheme = "radau-2a"});
        zn_status status = scene_follow_csv(r.context, r.simulation, "F=" ZENO_BINARY_DIR "/csv-input.csv:F,linear");
        if (cases[i].expected) expect(r.context, status, cases[i].text, "csv-input.csv", cases[i].expected);
        else {
            assert_int_equal(status, ZN_OK);
            trial_run(&r);
            check_close(trial_q(&r, 0), 2, 1e-3); /* F = 3 (1 - t): x = 3 t^2/2 - t^3/2 */
        }
        trial_end(&r);
    }
}

static void tables(void **state) {
    (void)state;
    write_file("scene.yaml", reads, strlen(reads));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("table.csv", cases[i].text, strlen(cases[i].text));
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_load(context, ZENO_BINARY_DIR "/csv-scene.yaml", NULL, &scene);
        if (cases[i].expected) expect(context, status, cases[i].text, "csv-table.csv", cases[i].expected);
        else {
            zn_simulation *simulation = NULL;
            assert_int_equal(status, ZN_OK);
            assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
            assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
            check_close(zn_simulation_positions(simulation)[0], 2, 1e-10);
            zn_simulation_destroy(simulation);
        }
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

static void texts_of_inputs(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } wrong[] = {
        {"F", "--input F: an input is written NAME=FILE.csv:COLUMN"},
        {"F=x.csv", "--input F=x.csv: an input is written NAME=FILE.csv:COLUMN"},
        {"F=nowhere.csv:F", "--input F=nowhere.csv:F: the table 'nowhere.csv': there is no such file"},
        {"F=" ZENO_BINARY_DIR ":F", "this is a directory"},
        {"G=" ZENO_BINARY_DIR "/csv-good.csv:F", "the model has no input 'G'"},
        {"F=" ZENO_BINARY_DIR "/csv-good.csv:", "there is no column ''"},
        {"F=" ZENO_BINARY_DIR "/csv-good.csv:F,spline",
         "'spline' is none of held, linear and cubic (a column with a comma in its name goes in quotes)"},
        {"F=" ZENO_BINARY_DIR "/csv-good.csv:\"F,linear", "the quotes around the column have no end"},
        {"F=" ZENO_BINARY_DIR "/csv-good.csv:\"F, N\",linear", "there is no column 'F, N'; its columns are t,F"},
        {"F=" ZENO_BINARY_DIR "/csv-good.csv:t", "csv-good.csv:1:1: 't' is the time column"},
        {"F=" ZENO_BINARY_DIR "/csv-alone.csv:F", "csv-alone.csv:1:1: 'F' is the time column"},
        {"F=" ZENO_BINARY_DIR "/csv-one.csv:F", "csv-one.csv:2:1: the file has one row of numbers, and needs at least two"},
    };
    write_file("good.csv", "t,F\n0,1\n1,2\n", 12);
    write_file("one.csv", "t,F\n0,1\n", 8);
    write_file("alone.csv", "F\n1\n2\n", 6);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trial r = trial_begin(cart, (trial_options){.scheme = "radau-2a"});
        zn_status status = scene_follow_csv(r.context, r.simulation, wrong[i].text);
        expect(r.context, status, wrong[i].text, "", wrong[i].expected);
        trial_run(&r); /* the input is as it was */
        check_close(trial_q(&r, 0), 0, 1e-15);
        trial_end(&r);
    }
}

/* Names as other programs write them: with commas, colons and quotes. */
static void quoted_inputs(void **state) {
    (void)state;
    static const char *const good[] = {"F=" ZENO_BINARY_DIR "/csv-quoted.csv:\"F, \"\"N\"\" : 1\",linear",
                                       "F=" ZENO_BINARY_DIR "/csv-quoted.csv:G,linear",
                                       "F=" ZENO_BINARY_DIR "/csv-quoted.csv:\"G\",linear"};
    static const char text[] = "t,\"F, \"\"N\"\" : 1\",\"G\"\r\n0,\"3\",3\r\n2,-3,-3\r\n";
    write_file("quoted.csv", text, strlen(text));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        trial r = trial_begin(cart, (trial_options){.scheme = "radau-2a"});
        assert_int_equal(scene_follow_csv(r.context, r.simulation, good[i]), ZN_OK);
        trial_run(&r);
        check_close(trial_q(&r, 0), 2, 1e-3);
        trial_end(&r);
    }
}

/* Bytes of any kind: an error with a sentence, or a good table. */
static void random_bytes(void **state) {
    (void)state;
    static const char parts[] = "0123456789.,,,\n\n-+eEtF\"# \t\rnaix";
    unsigned seed = 71;
    for (int round = 0; round < 500; round++) {
        char text[120] = "t,F\n";
        size_t n = round % 3 ? 4 : 0;
        for (; n < 20 + (size_t)round % 90; n++) {
            seed = seed * 1664525u + 1013904223u;
            text[n] = round % 5 == 0 ? (char)(seed >> 24) : parts[(seed >> 16) % (sizeof parts - 1)];
        }
        write_file("random.csv", text, n);
        trial r = trial_begin(cart, (trial_options){.scheme = "rattle", .end = 0.02});
        zn_status status = scene_follow_csv(r.context, r.simulation, "F=" ZENO_BINARY_DIR "/csv-random.csv:F");
        assert_true((status == ZN_OK) == (zn_error_count(r.context) == 0));
        if (status == ZN_OK) trial_run(&r);
        trial_end(&r);
    }
}

/* A binary STL file of a tetrahedron, and a table: the text of a run has both, and needs no file. */
static void files_in_the_text_of_a_run(void **state) {
    (void)state;
    static const float corners[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                           {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                           {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                           {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    unsigned char stl[84 + 4 * 50] = {[80] = 4};
    for (int i = 0; i < 4; i++) memcpy(stl + 84 + 50 * i + 12, corners[i], sizeof corners[i]);
    write_file("tetrahedron.stl", stl, sizeof stl);
    write_file("kept.csv", "t,F\n0,3\n2,-3\n", 13);
    static const char text[] = "bodies: {b: {type: spatial, shape: {type: mesh, file: csv-tetrahedron.stl}, density: 6}}\n"
                               "tables: {f: {file: csv-kept.csv, columns: [t, F]}}\nforces: {b.x: \"table(f, t)\"}\n"
                               "simulation: {scheme: rattle, step: 0.01, end: 1}\n";
    trial first = {.context = zn_context_create(NULL)};
    assert_int_equal(zn_scene_parse(first.context, ZENO_BINARY_DIR "/here.yaml", text, NULL, &first.scene), ZN_OK);
    char *run = NULL;
    assert_int_equal(zn_scene_as_run(first.scene, NULL, &run), ZN_OK);
    assert_int_equal(remove(ZENO_BINARY_DIR "/csv-tetrahedron.stl") | remove(ZENO_BINARY_DIR "/csv-kept.csv"), 0);
    trial again = trial_complete(run, (trial_options){.scheme = "rattle"});
    check_close(trial_u(&again, 0), 3 - 1.5, 1e-12); /* mass 6/6; 3 - 3 t from 0 to 1 */
    char *twice = NULL;                              /* it takes them along again */
    assert_int_equal(zn_scene_as_run(again.scene, NULL, &twice), ZN_OK);
    assert_string_equal(run, twice);
    zn_scene_free_text(first.scene, run);
    zn_scene_free_text(again.scene, twice);
    trial_end(&first);
    trial_end(&again);
    static const char *const wrong[][2] = {
        {"files: {a.stl: {base64: \"*\"}}\n", ":1:26: file 'a.stl' has characters that are not those of base64"},
        {"files: {a.csv: [1]}\n", "file 'a.csv' must be a"},
        {"files: {a.csv: {hex: 00}}\n", "'hex' is unknown in file 'a.csv'"}};
    for (int i = 0; i < 3; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char full[600];
        snprintf(full, sizeof full, "%s%s", wrong[i][0], cart);
        assert_int_not_equal(zn_scene_parse(context, "test", full, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), wrong[i][1])) fail_msg("%s", zn_error_text(context));
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inputs),          cmocka_unit_test(tables),
                                       cmocka_unit_test(texts_of_inputs), cmocka_unit_test(quoted_inputs),
                                       cmocka_unit_test(random_bytes),    cmocka_unit_test(files_in_the_text_of_a_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
