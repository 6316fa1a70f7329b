/* SPDX-License-Identifier: Apache-2.0 */
/* A table that looks like a run, in a directory of its own. */
#ifndef TESTS_RESULT_EXAMPLE_H
#define TESTS_RESULT_EXAMPLE_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#include "result/result.h" /* before cmocka, which has a macro named fail */

#include "check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const example_q[] = {"x", "y", "phi"};
static const char *const example_u[] = {"x'", "y'", "phi'"};
static const char *const example_percussion[] = {"floor.normal", "floor.friction"};
static const char *const example_energy[] = {"kinetic", "potential"};
static const result_dataset example_datasets[] = {
    {.name = "t", .meaning = "time"},
    {.name = "q", .meaning = "positions at t, in the units of the scene", .n_columns = 3, .columns = example_q, .plain = true},
    {.name = "u", .meaning = "velocities at t", .n_columns = 3, .columns = example_u, .plain = true},
    {.name = "percussion", .n_columns = 2, .columns = example_percussion},
    {.name = "gap", .n_columns = 0, .columns = example_q},
    {.name = "energy", .n_columns = 2, .columns = example_energy},
    {.name = "iterations"},
};
static const result_text example_texts[] = {{"scene", "title: Ball\nparameters: {m: 1}\n", RESULT_TEXT},
                                            {"title",
                                             "Ball \"\xc3\xbc"
                                             "ber\" alles",
                                             RESULT_TEXT},
                                            {"scheme", "moreau", RESULT_TEXT},
                                            {"settings", "", RESULT_TEXT},
                                            {"step", "0.10000000000000001", RESULT_REAL},
                                            {"stages", "-3", RESULT_WHOLE}};
static const char *const example_entry[] = {"row", "shape_a", "gap"};
static const char *const example_shapes[] = {"ball", "box"};
static const char *const example_event[] = {"row", "contact"};
static const result_entries example_events = {"contact_events", "in some rows", 2, example_event, "contacts", 1, example_shapes, NULL};
static const result_entries example_entries = {"contacts",     "any number in a row", 3, example_entry, "shapes", 2,
                                               example_shapes, &example_events};
static result_layout example_layout = {.n_datasets = 7, /* tests may pack it */
                                       .datasets = example_datasets,
                                       .n_texts = 6,
                                       .texts = example_texts,
                                       .entries = &example_entries,
                                       .notes = "note"};
enum { EXAMPLE_WIDTH = 12 };

/* None in the first rows, then up to 39 in a row. */
static inline long example_entries_of(long i) { return i < 10 ? 0 : i * 13 % 40; }

/* Of the second table. */
static inline long example_events_of(long i) { return i > 10 && i % 5 == 3 ? 1 + i % 3 : 0; }

/* Some rows have a text. */
static inline bool example_has_note(long i) { return i % 37 == 5 || (i > 500 && i < 520); }

static inline const char *example_note(long i) {
    static char text[64];
    snprintf(text, sizeof text, "row %ld has a text", i);
    return text;
}

static inline zn_status example_put_entries(result_writer *writer, long i) {
    zn_status status = example_has_note(i) ? result_writer_note(writer, example_note(i)) : ZN_OK;
    for (long k = 0; k < example_entries_of(i) && status == ZN_OK; k++)
        status = result_writer_entry(writer, 0, (double[]){(double)i, (double)(k % 2), sin((double)(i + k))});
    for (long k = 0; k < example_events_of(i) && status == ZN_OK; k++)
        status = result_writer_entry(writer, 1, (double[]){(double)i, cos((double)(i + k))});
    return status;
}

static inline void example_row(long i, double *row) {
    double t = 1e-3 * (double)i;
    for (int c = 0; c < EXAMPLE_WIDTH; c++) row[c] = c == 0 ? t : (c + 1) * sin(3 * t + c) / 3;
    row[EXAMPLE_WIDTH - 1] = (double)(i % 7);
}

/* A fresh directory under the build's; the test names files in it. Eight paths are valid at a time. */
static char example_directory[256];

static inline const char *example_path(const char *name) {
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    if (!example_directory[0]) {
        snprintf(example_directory, sizeof example_directory, "%s/result-XXXXXX", ZENO_BINARY_DIR);
        assert_non_null(mkdtemp(example_directory));
    }
    snprintf(path, sizeof paths[0], "%s/%s", example_directory, name);
    return path;
}

static inline int example_remove(const char *path, const struct stat *info, int type, struct FTW *ftw) {
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

/* Teardown of the group. */
static inline int example_clean(void **state) {
    (void)state;
    return example_directory[0] ? nftw(example_directory, example_remove, 8, FTW_DEPTH | FTW_PHYS) : 0;
}

static inline char *example_slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = calloc(*size + 1, 1);
    assert_int_equal(fread(content, 1, *size, file), *size);
    fclose(file);
    return content;
}

static inline void example_spill(const char *path, const char *content, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes `rows` rows; flushes after every flush_every-th, 0: never. */
static inline void example_write(zn_context *context, const char *path, long rows, long flush_every, bool success) {
    result_writer *writer = NULL;
    double row[EXAMPLE_WIDTH];
    assert_int_equal(result_writer_create(context, path, &example_layout, &writer), ZN_OK);
    for (long i = 0; i < rows; i++) {
        example_row(i, row);
        assert_int_equal(example_put_entries(writer, i), ZN_OK);
        assert_int_equal(result_writer_row(writer, row), ZN_OK);
        if (flush_every && i % flush_every == 0) assert_int_equal(result_writer_flush(writer), ZN_OK);
    }
    assert_int_equal(result_writer_finish(writer, success), ZN_OK);
    result_writer_destroy(writer);
}

#endif
