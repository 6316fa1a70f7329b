/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody changed on purpose or by accident: none makes the reader crash, hang, take memory out of proportion, or look at
 * another file. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "example.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
#define CHECKED_MEMORY 1 /* the checker itself reserves terabytes of addresses */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define CHECKED_MEMORY 1
#endif
#endif

enum { READ, REFUSED, CRASHED, READ_CODE = 40, REFUSED_CODE = 41, SECONDS = 5, MOST_ADDRESSES = 256 << 20, MOST_KILOBYTES = 64 << 10 };

typedef struct verdict {
    int how;
    long kilobytes; /* beyond what this process had */
} verdict;

static void read_all(const char *path) {
    struct rlimit addresses = {MOST_ADDRESSES, MOST_ADDRESSES}, time = {SECONDS, SECONDS};
#ifndef CHECKED_MEMORY
    setrlimit(RLIMIT_AS, &addresses);
#endif
    (void)addresses;
    setrlimit(RLIMIT_CPU, &time);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    zn_context *context = zn_context_create(NULL);
    result_file *result = NULL;
    bool ok = result_open(context, path, &result) == ZN_OK;
    int width = ok ? result_layout_width(result_get_layout(result)) : 0;
    double sum = 0;
    for (int c = 0; c < width; c++) {
        const double *values;
        if (result_column(result, c, &values) != ZN_OK) ok = false;
        for (long i = 0; ok && i < result_rows(result); i++) sum += values[i];
    }
    zn_contact_table table;
    if (ok && zn_result_contacts(result, &table) != ZN_OK) ok = false;
    for (long i = 0; ok && i < table.count * table.n_columns; i++) sum += table.values[i];
    bool told = ok || zn_error_count(context) > 0;
    result_close(result);
    zn_context_destroy(context);
    _exit(!told ? 1 : ok || sum == -1 ? READ_CODE : REFUSED_CODE);
}

static verdict judge(const char *path) {
    struct rusage own, used;
    getrusage(RUSAGE_SELF, &own);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) read_all(path);
    int status;
    assert_int_equal(wait4(child, &status, 0, &used), child);
    verdict v = {CRASHED, used.ru_maxrss - own.ru_maxrss};
    if (WIFEXITED(status) && WEXITSTATUS(status) == READ_CODE) v.how = READ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED_CODE) v.how = REFUSED;
    if (v.how == CRASHED || v.kilobytes > MOST_KILOBYTES)
        print_error("%s: %s %d, %ld kB\n", path, WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), v.kilobytes);
    return v;
}

/* ---- results of several kinds ---- */

enum { MANY = 14, WIDE = 3100 };

static void write_layout(const char *path, const result_layout *layout) {
    zn_context *context = zn_context_create(NULL);
    result_writer *writer = NULL;
    double *row = calloc((size_t)result_layout_width(layout), sizeof *row);
    assert_int_equal(result_writer_create(context, path, layout, &writer), ZN_OK);
    for (int i = 0; i < 20; i++) {
        row[0] = i;
        assert_int_equal(result_writer_row(writer, row), ZN_OK);
    }
    assert_int_equal(result_writer_finish(writer, true), ZN_OK);
    result_writer_destroy(writer);
    zn_context_destroy(context);
    free(row);
}

/* More members than a group keeps in its header, with a long text. */
static void write_many(const char *path) {
    static char names[MANY][8], text[100000];
    result_dataset datasets[MANY];
    memset(text, 'x', sizeof text - 1);
    for (int d = 0; d < MANY; d++) {
        snprintf(names[d], sizeof names[d], "data%d", d);
        datasets[d] = (result_dataset){.name = names[d]};
    }
    result_text texts[] = {{"scene", text, RESULT_TEXT}, {"title", "many", RESULT_TEXT}};
    write_layout(path, &(result_layout){.n_datasets = MANY, .datasets = datasets, .n_texts = 2, .texts = texts});
}

/* More columns than names fit into a header. */
static void write_wide(const char *path) {
    static char names[WIDE][8];
    static const char *columns[WIDE];
    for (int c = 0; c < WIDE; c++) {
        snprintf(names[c], sizeof names[c], "c%d", c);
        columns[c] = names[c];
    }
    result_dataset datasets[] = {{.name = "t"},
                                 {.name = "q", .n_columns = WIDE, .columns = columns, .plain = true, .meaning = "positions"}};
    write_layout(path, &(result_layout){.n_datasets = 2, .datasets = datasets});
}

/* ---- mutations ---- */

static size_t place_in(size_t size, bool head) { return (size_t)rand() % (head && size > 6000 ? 6000 : size); }

static void put_number(char *bytes, size_t size, size_t at, uint64_t value, int width) {
    for (int i = 0; i < width && at + (size_t)i < size; i++) bytes[at + (size_t)i] = (char)(value >> 8 * i);
}

/* Flipped bits, other bytes, numbers that are sizes or addresses, exchanged pieces. */
static void mutate(char *bytes, size_t size, int kind) {
    static const uint64_t numbers[] = {0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1ull << 40, 1ull << 63, ~0ull, ~0ull - 7};
    for (int changes = 1 + rand() % 4; changes > 0; changes--) {
        size_t at = place_in(size, rand() % 2), from = place_in(size, rand() % 2);
        switch (kind % 6) {
        case 0: bytes[at] ^= (char)(1 << rand() % 8); break;
        case 1: bytes[at] = (char)rand(); break;
        case 2: put_number(bytes, size, at & ~(size_t)7, numbers[rand() % 10], 8); break;
        case 3: put_number(bytes, size, at & ~(size_t)1, numbers[rand() % 10], rand() % 2 ? 2 : 4); break;
        case 4: put_number(bytes, size, at & ~(size_t)7, (uint64_t)from & ~7ull, 8); break; /* addresses that lead astray */
        default: {
            size_t length = (size_t)rand() % 64, room = size - (at > from ? at : from);
            memmove(bytes + at, bytes + from, length < room ? length : room);
        }
        }
    }
}

static void mutated_files_do_no_harm(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    enum { FILES = 4 };
    const char *names[FILES] = {"plain.h5", "many.h5", "wide.h5", "packed.h5"};
    example_write(context, example_path(names[0]), 20, 0, true);
    write_many(example_path(names[1]));
    write_wide(example_path(names[2]));
    example_layout.packed = true;
    example_write(context, example_path(names[3]), 2500, 0, true);
    example_layout.packed = false;
    zn_context_destroy(context);
    int counts[3] = {0};
    long most = 0;
    for (int file = 0; file < FILES; file++) {
        size_t size = 0;
        char *good = example_slurp(example_path(names[file]), &size), *bad = malloc(size);
        assert_int_equal(judge(example_path(names[file])).how, READ);
        for (int seed = 1; seed <= 8; seed++) {
            srand((unsigned)seed);
            for (int k = 0; k < 24; k++) {
                memcpy(bad, good, size);
                mutate(bad, size, k);
                example_spill(example_path("bad.h5"), bad, k % 24 == 23 ? (size_t)rand() % size : size);
                verdict v = judge(example_path("bad.h5"));
                if (v.how == CRASHED || v.kilobytes > MOST_KILOBYTES) print_error("%s, seed %d, change %d\n", names[file], seed, k);
                counts[v.how]++;
                if (v.kilobytes > most) most = v.kilobytes;
            }
        }
        free(good);
        free(bad);
    }
    print_message("%d read, %d refused, %d crashed; at most %ld kB\n", counts[READ], counts[REFUSED], counts[CRASHED], most);
    assert_int_equal(counts[CRASHED], 0);
    assert_true(most <= MOST_KILOBYTES);
    assert_true(counts[REFUSED] > 150 && counts[READ] > 50); /* the changes reach what matters, and not only that */
}

/* Every field of the head in turn becomes every odd number. */
static void each_field_may_be_odd(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    example_write(context, example_path("fields.h5"), 3, 0, true);
    zn_context_destroy(context);
    size_t size = 0;
    char *good = example_slurp(example_path("fields.h5"), &size), *bad = malloc(size);
    int counts[3] = {0};
    for (size_t at = 8; at < 900; at += 4) {
        memcpy(bad, good, size);
        put_number(bad, size, at, at % 3 == 0 ? 0x7fffffff : at % 3 == 1 ? 0xffffffff : at, 4);
        example_spill(example_path("bad.h5"), bad, size);
        counts[judge(example_path("bad.h5")).how]++;
    }
    assert_int_equal(counts[CRASHED], 0);
    free(good);
    free(bad);
}

/* ---- crafted with the HDF5 library ---- */

static void put_attribute(hid_t object, const char *name, const char *const *texts, hsize_t count, size_t fixed) {
    hid_t type = H5Tcopy(H5T_C_S1), space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, fixed ? fixed : H5T_VARIABLE);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    char *packed = calloc((size_t)count, fixed + 1);
    for (hsize_t i = 0; i < count && fixed; i++) strncpy(packed + i * fixed, texts[i], fixed);
    assert_true(H5Awrite(attribute, type, fixed ? (const void *)packed : texts) >= 0);
    free(packed);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t begin_file(const char *path, size_t fixed) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const char *format = "zeno result 1", *names[] = {"t"};
    assert_true(file >= 0);
    put_attribute(file, "format", &format, 1, fixed);
    put_attribute(file, "datasets", names, 1, fixed);
    return file;
}

static void put_table(hid_t file, hsize_t rows, hid_t properties, bool write) {
    hid_t space = H5Screate_simple(1, &rows, NULL),
          set = H5Dcreate2(file, "t", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    double values[100] = {1, 2, 3};
    assert_true(set >= 0);
    if (write) assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    if (properties != H5P_DEFAULT) H5Pclose(properties);
}

static void make_plain(hid_t file) { put_table(file, 100, H5P_DEFAULT, true); }
static void make_external_link(hid_t file) { H5Lcreate_external("other.h5", "/t", file, "t", H5P_DEFAULT, H5P_DEFAULT); }
static void make_soft_loop(hid_t file) {
    H5Lcreate_soft("/s", file, "t", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/t", file, "s", H5P_DEFAULT, H5P_DEFAULT);
}
static void make_external_storage(hid_t file) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "/etc/passwd", 0, 800);
    put_table(file, 100, properties, false);
}
static void make_virtual(hid_t file) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &(hsize_t){100}, NULL);
    H5Pset_virtual(properties, space, "other.h5", "t", space);
    put_table(file, 100, properties, false);
    H5Sclose(space);
}
static hid_t chunks_of(hsize_t rows) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &rows);
    return properties;
}
static void make_deflated(hid_t file) {
    hid_t properties = chunks_of(40);
    H5Pset_deflate(properties, 9);
    put_table(file, 100, properties, true);
}
static void make_shuffled(hid_t file) {
    hid_t properties = chunks_of(100);
    H5Pset_shuffle(properties);
    put_table(file, 100, properties, true);
}
static void make_packed(hid_t file) {
    hid_t properties = chunks_of(100);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 6);
    put_table(file, 100, properties, true);
}
static void make_summed(hid_t file) {
    hid_t properties = chunks_of(100);
    H5Pset_fletcher32(properties);
    put_table(file, 100, properties, true);
}
static void make_turned(hid_t file) {
    hid_t properties = chunks_of(100);
    H5Pset_deflate(properties, 6);
    H5Pset_shuffle(properties);
    put_table(file, 100, properties, true);
}
/* A few kilobytes that unpack to `rows` zeros, in one chunk or in many. */
static void put_zeros(hid_t file, hsize_t rows, hsize_t chunk) {
    hid_t properties = chunks_of(chunk), space = H5Screate_simple(1, &rows, NULL);
    H5Pset_deflate(properties, 9);
    H5Pset_fill_time(properties, H5D_FILL_TIME_ALLOC);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY); /* every chunk is there, packed */
    H5Dclose(H5Dcreate2(file, "t", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(properties);
}
static void make_bomb(hid_t file) { put_zeros(file, 1u << 26, 1u << 20); }
static void make_one_bomb(hid_t file) { put_zeros(file, 1u << 26, 1u << 26); }
static void make_huge(hid_t file) { put_table(file, 1ull << 40, H5P_DEFAULT, false); }
static void make_huge_chunk(hid_t file) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &(hsize_t){1u << 28});
    hsize_t none = 100, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &unlimited),
          set = H5Dcreate2(file, "t", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
}
static void make_group(hid_t file) { H5Gclose(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
static void make_integers(hid_t file) {
    hid_t space = H5Screate_simple(1, &(hsize_t){100}, NULL);
    H5Dclose(H5Dcreate2(file, "t", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void links_out_of_the_file_are_refused(void **state) {
    (void)state;
    const struct {
        void (*make)(hid_t);
        const char *words;
    } cases[] = {{make_external_link, "such links are not followed"},
                 {make_soft_loop, "such links are not followed"},
                 {make_external_storage, "values in another file"},
                 {make_virtual, "values in other files"},
                 {make_summed, "h5repack"},
                 {make_turned, "h5repack"},
                 {make_bomb, "wrong type or size"},
                 {make_one_bomb, "wrong type or size"},
                 {make_huge, "wrong type or size"},
                 {make_huge_chunk, "a chunk is too large"},
                 {make_group, "has no type"},
                 {make_integers, "cannot be read"}};
    zn_context *context = zn_context_create(NULL);
    hid_t other = begin_file(example_path("other.h5"), 0);
    make_plain(other);
    H5Fclose(other);
    const char *path = example_path("crafted.h5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t file = begin_file(path, 0);
        cases[i].make(file);
        H5Fclose(file);
        verdict v = judge(path);
        assert_int_equal(v.how, REFUSED);
        assert_true(v.kilobytes < MOST_KILOBYTES);
        result_file *result = NULL;
        assert_int_equal(result_open(context, path, &result), ZN_ERROR_FILE);
        if (!strstr(zn_error_text(context), cases[i].words)) print_error("\"%s\" lacks \"%s\"\n", zn_error_text(context), cases[i].words);
        assert_non_null(strstr(zn_error_text(context), cases[i].words));
        zn_error_clear(context);
    }
    zn_context_destroy(context);
}

/* Texts of fixed and of variable length, one block of values or chunks, packed in several ways. */
static void other_writers_are_read(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    static void (*const make[])(hid_t) = {make_plain, make_plain, make_deflated, make_shuffled, make_packed};
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        size_t fixed = i == 1 ? 40 : 0;
        hid_t file = begin_file(example_path("foreign.h5"), fixed);
        const char *title = "fixed or not";
        put_attribute(file, "title", &title, 1, fixed);
        make[i](file);
        H5Fclose(file);
        result_file *result = NULL;
        const double *values;
        if (result_open(context, example_path("foreign.h5"), &result) != ZN_OK) print_error("%s\n", zn_error_text(context));
        assert_non_null(result);
        assert_int_equal(result_rows(result), 100);
        assert_string_equal(result_get_text(result, "title"), title);
        assert_int_equal(result_column(result, 0, &values), ZN_OK);
        assert_true(values[2] == 3 && values[99] == 0);
        result_close(result);
    }
    zn_context_destroy(context);
}

/* Thousands of names that all refer to one long text. */
static void repeated_texts_are_refused(void **state) {
    (void)state;
    static const char *columns[2000];
    static char names[2000][8], text[50000];
    memset(text, 'y', sizeof text - 1);
    for (int c = 0; c < 2000; c++) {
        snprintf(names[c], sizeof names[c], "c%d", c);
        columns[c] = names[c];
    }
    result_dataset datasets[] = {{.name = "q", .n_columns = 2000, .columns = columns}};
    result_text texts[] = {{"scene", text, RESULT_TEXT}};
    const char *path = example_path("repeated.h5");
    write_layout(path, &(result_layout){.n_datasets = 1, .datasets = datasets, .n_texts = 1, .texts = texts});
    size_t size = 0;
    char *bytes = example_slurp(path, &size);
    const char *one = NULL;
    int replaced = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t at = 0; at + 16 <= size; at++) {
            uint32_t length;
            uint64_t address;
            memcpy(&length, bytes + at, 4);
            memcpy(&address, bytes + at + 4, 8);
            if (address < 8 || address > size - 4 || memcmp(bytes + address, "GCOL", 4) != 0) continue;
            if (pass == 0 && length >= sizeof text - 1 && length <= sizeof text) one = bytes + at;
            if (pass == 1 && one && length >= 2 && length <= 6) memcpy(bytes + at, one, 16), replaced++;
        }
    assert_non_null(one);
    assert_true(replaced > 1900);
    example_spill(path, bytes, size);
    free(bytes);
    verdict v = judge(path);
    assert_int_equal(v.how, REFUSED);
    assert_true(v.kilobytes < MOST_KILOBYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_files_do_no_harm),          cmocka_unit_test(each_field_may_be_odd),
        cmocka_unit_test(links_out_of_the_file_are_refused), cmocka_unit_test(other_writers_are_read),
        cmocka_unit_test(repeated_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, example_clean);
}
