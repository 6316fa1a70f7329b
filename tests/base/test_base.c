/* SPDX-License-Identifier: Apache-2.0 */
/* Context, errors with places, memory: also when memory is out. */
#include "check.h"

#include "base/base.h"
#include "base/counting_allocator.h"
#include "base/names.h"

#include <stdio.h>
#include <stdlib.h>

static void statuses(void **state) {
    (void)state;
    assert_string_equal(zn_status_text(ZN_OK), "done");
    assert_string_equal(zn_status_text(ZN_ERROR_INTERNAL), "internal error, please report it");
    for (int s = 0; s < ZN_STATUS_COUNT; s++) assert_true(strlen(zn_status_text((zn_status)s)) > 0);
    assert_string_equal(zn_status_text(ZN_STATUS_COUNT), "unknown status");
    assert_string_equal(zn_status_text((zn_status)-1), "unknown status");
    assert_true(strlen(zn_version()) >= 5);
}

static void error_list(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    assert_int_equal(zn_error_count(context), 0);
    assert_null(zn_error_get(context, 0));
    assert_string_equal(zn_error_text(context), "");
    for (int i = 0; i < 20; i++) assert_int_equal(fail(context, ZN_ERROR_MODEL, "mistake %d", i), ZN_ERROR_MODEL);
    assert_int_equal(zn_error_count(context), 20);
    for (int i = 0; i < 20; i++) {
        char expected[20];
        snprintf(expected, sizeof expected, "mistake %d", i);
        const zn_error *error = zn_error_get(context, i);
        assert_string_equal(error->message, expected);
        assert_int_equal(error->status, ZN_ERROR_MODEL);
        assert_null(error->file);
        assert_null(error->subject);
        assert_true(error->line == 0 && error->column == 0 && error->step == 0 && isnan(error->time));
    }
    assert_null(zn_error_get(context, 20));
    assert_null(zn_error_get(context, -1));
    zn_error_clear(context);
    assert_int_equal(zn_error_count(context), 0);
    assert_string_equal(zn_error_text(context), "");
    fail(context, ZN_ERROR_SCENE, "again"); /* the places of cleared errors are used again */
    assert_string_equal(zn_error_text(context), "again");
    zn_context_destroy(context);
    zn_context_destroy(NULL);
}

static void error_text(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    error_place place = ERROR_PLACE_NONE;
    place.file = "scene.yaml";
    place.line = 12;
    place.column = 3;
    assert_int_equal(fail_at(context, ZN_ERROR_SCENE, &place, "unknown name '%s'", "q"), ZN_ERROR_SCENE);
    place = ERROR_PLACE_NONE;
    place.file = "result.h5";
    fail_at(context, ZN_ERROR_FILE, &place, "cannot be written");
    place = ERROR_PLACE_NONE;
    place.step = 7;
    place.time = 0.25;
    fail_at(context, ZN_ERROR_NO_CONVERGENCE, &place, "no solution");
    place.time = NAN;
    fail_at(context, ZN_ERROR_NO_CONVERGENCE, &place, "no solution");
    place.step = 0;
    place.time = 0;
    fail_at(context, ZN_ERROR_NO_CONVERGENCE, &place, "no start");
    const char *expected = "scene.yaml:12:3: unknown name 'q'\n"
                           "result.h5: cannot be written\n"
                           "no solution (step 7, t = 0.25)\n"
                           "no solution (step 7)\n"
                           "no start (t = 0)";
    assert_string_equal(zn_error_text(context), expected);
    assert_string_equal(zn_error_text(context), expected); /* a second call replaces the first text */
    zn_context_destroy(context);
}

static void added_places(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    error_place outer = {"file", 4, 5, "contact floor", 9, 1.5};
    fail_add_place(context, &outer); /* nothing to add to */
    assert_int_equal(zn_error_count(context), 0);
    char file[] = "inner", subject[] = "rod";
    error_place inner = ERROR_PLACE_NONE;
    inner.file = file;
    inner.subject = subject;
    fail(context, ZN_ERROR_MODEL, "older");
    fail_at(context, ZN_ERROR_MODEL, &inner, "newer");
    memset(file, 'x', 5), memset(subject, 'x', 3); /* texts are copied */
    fail_add_place(context, &outer);
    const zn_error *older = zn_error_get(context, 0), *newer = zn_error_get(context, 1);
    assert_null(older->file);
    assert_int_equal(older->step, 0);
    assert_string_equal(newer->file, "inner"); /* what is known stays */
    assert_string_equal(newer->subject, "rod");
    assert_int_equal(newer->line, 4);
    assert_int_equal(newer->column, 5);
    assert_int_equal(newer->step, 9);
    check_close(newer->time, 1.5, 0);
    outer.step = 10;
    fail_add_place(context, &outer);
    assert_int_equal(zn_error_get(context, 1)->step, 9);
    zn_context_destroy(context);
}

/* Every request of a failing call fails once: the call keeps its status, and either the sentence or "out of memory" stays. */
static void errors_without_memory(void **state) {
    (void)state;
    error_place place = {"file", 1, 2, "subject", 3, 4};
    bool finished = false;
    for (long at = 0; !finished; at++) {
        for (int once = 0; once < 2; once++) {
            counting_allocator memory = {.fail_at = at, .only_once = once};
            zn_context *context = counting_context(&memory);
            if (!context) {
                assert_int_equal(at, 0);
                continue;
            }
            assert_int_equal(fail_at(context, ZN_ERROR_MODEL, &place, "first %d", 1), ZN_ERROR_MODEL);
            assert_int_equal(fail(context, ZN_ERROR_SCENE, "second"), ZN_ERROR_SCENE);
            int count = zn_error_count(context);
            assert_true(count >= 1);
            bool out = zn_error_get(context, count - 1)->status == ZN_ERROR_MEMORY;
            assert_true(out || count == 2);
            const char *text = zn_error_text(context);
            assert_true(strlen(text) > 0);
            assert_int_equal(zn_error_count(context), count); /* looking does not add errors */
            for (int i = 0; i < count; i++) assert_non_null(zn_error_get(context, i)->message);
            if (out && memory.requests > at + 1 && once) assert_non_null(strstr(text, "out of memory"));
            finished = at >= memory.requests;
            zn_error_clear(context);
            assert_int_equal(zn_error_count(context), 0);
            zn_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
        assert_true(at < 100);
    }
}

static void memory(void **state) {
    (void)state;
    counting_allocator counter = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&counter);
    double *array = MEM_ARRAY(context, double, 100);
    for (int i = 0; i < 100; i++) check_close(array[i], 0, 0);
    void *empty = mem_array(context, 0, 8);
    assert_non_null(empty);
    char *copy = mem_text(context, "text"), *formatted = mem_format(context, "%s-%03d", "a", 7);
    assert_string_equal(copy, "text");
    assert_string_equal(formatted, "a-007");
    assert_int_equal(zn_error_count(context), 0);
    assert_null(mem_array(context, SIZE_MAX / 4, 8)); /* count times size overflows: no request is made */
    assert_null(mem_array(context, SIZE_MAX, 1));
    assert_null(MEM_ARRAY(context, int, -1));
    assert_int_equal(counter.requests, 5);
    assert_int_equal(zn_error_count(context), 1);
    assert_int_equal(zn_error_get(context, 0)->status, ZN_ERROR_MEMORY);
    assert_string_equal(zn_error_text(context), "out of memory");
    mem_free(context, NULL);
    mem_free(context, array), mem_free(context, empty), mem_free(context, copy), mem_free(context, formatted);
    zn_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void growing(void **state) {
    (void)state;
    counting_allocator counter = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&counter);
    int *list = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(mem_grow(context, (void **)&list, &capacity, (size_t)i + 1, sizeof *list));
        assert_true(capacity > (size_t)i);
        assert_int_equal(list[i], 0); /* new elements are zero */
        list[i] = i + 1;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(list[i], i + 1);
    for (size_t i = 1000; i < capacity; i++) assert_int_equal(list[i], 0);
    assert_true(counter.requests < 12); /* doubling */
    size_t before = capacity;
    int *kept = list;
    assert_false(mem_grow(context, (void **)&list, &capacity, SIZE_MAX / 2, sizeof *list)); /* bytes overflow */
    assert_false(mem_grow(context, (void **)&list, &capacity, SIZE_MAX, sizeof *list));
    counter.fail_at = counter.requests;
    assert_false(mem_grow(context, (void **)&list, &capacity, before + 1, sizeof *list));
    assert_true(capacity == before && list == kept && list[999] == 1000); /* the old block stays valid */
    mem_free(context, list);
    zn_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void keep_message(void *user, zn_log_level level, const char *message) {
    assert_int_equal(level, ZN_LOG_WARNING);
    strncpy(user, message, 599);
}

static void logging(void **state) {
    (void)state;
    char kept[600] = "", much[2000];
    zn_context *silent = zn_context_create(NULL), *context = zn_context_create(&(zn_context_def){.log = keep_message, .log_user = kept});
    log_message(silent, ZN_LOG_INFO, "nobody listens");
    log_message(context, ZN_LOG_WARNING, "step %d", 3);
    assert_string_equal(kept, "step 3");
    memset(much, 'a', sizeof much - 1);
    much[sizeof much - 1] = 0;
    log_message(context, ZN_LOG_WARNING, "%s", much); /* cut, not overrun */
    assert_int_equal(strlen(kept), 511);
    zn_context_destroy(silent);
    zn_context_destroy(context);
}

/* NaN in any place, before and after anything else, stays. */
static void sizes_keep_nan(void **state) {
    (void)state;
    const double others[] = {0, -1, 1, 1e300, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double x = others[i];
        assert_true(isnan(larger(NAN, x)) && isnan(larger(x, NAN)) && isnan(smaller(NAN, x)) && isnan(smaller(x, NAN)));
        assert_false(is_worse(x, NAN));
        assert_true(is_worse(NAN, x) == !isnan(x));
        for (int place = 0; place < 3; place++) {
            double v[3] = {x, x, x};
            v[place] = NAN;
            assert_true(isnan(largest_size(3, v, 0)));
            assert_false(all_finite(3, v));
            v[place] = INFINITY;
            assert_false(all_finite(3, v));
        }
    }
    assert_true(larger(1, 2) == 2 && larger(2, 1) == 2 && smaller(1, 2) == 1 && smaller(2, 1) == 1 &&
                larger(-INFINITY, INFINITY) == INFINITY);
    assert_true(largest_size(3, (double[]){1, -3, 2}, 0) == 3 && largest_size(1, (double[]){1}, 2) == 2 && largest_size(0, NULL, 0) == 0);
    assert_true(all_finite(2, (double[]){1e308, 1e308}) && all_finite(0, NULL)); /* no overflow */
}

/* Against a list: names of two owners are added and the newest dropped, in any order. */
static void names(void **state) {
    (void)state;
    enum { MOST = 600 };
    static char texts[MOST][12];
    int owners[MOST], count = 0;
    uint64_t seed = 3;
    name_table table = {0};
    zn_context *context = zn_context_create(NULL);
    for (int round = 0; round < 4000; round++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int number = (int)(seed >> 40) % 900, owner = (int)(seed >> 35) % 2, found = -1;
        char name[12];
        snprintf(name, sizeof name, "n%d", number);
        for (int i = 0; i < count && found < 0; i++)
            if (owners[i] == owner && !strcmp(texts[i], name)) found = i;
        assert_int_equal(names_find(&table, owner, name, strlen(name)), found);
        if (found < 0 && count < MOST) {
            strcpy(texts[count], name), owners[count] = owner;
            assert_true(names_add(context, &table, owner, texts[count], count));
            count++;
        } else if (round % 97 == 0) {
            count -= count / 3;
            names_drop(&table, count);
        }
    }
    assert_int_equal(names_find(&table, 0, "no such name", 12), -1);
    names_free(context, &table);
    zn_context_destroy(context);
}

/* Stands for the function of OpenBLAS, which the library finds by its name. */
static int blas_threads;
void openblas_set_num_threads(int);
void openblas_set_num_threads(int count) { blas_threads = count; }

static void one_thread_unless_asked(void **state) {
    (void)state;
    static const char *const name = "OPENBLAS_NUM_THREADS";
    char *kept = getenv(name) ? strdup(getenv(name)) : NULL;
    static const struct {
        const char *asked;
        int threads;
    } cases[] = {{NULL, 1}, {"", 1}, {"4", 64}}; /* 64: untouched */
    for (int i = 0; i < 3; i++) {
        cases[i].asked ? setenv(name, cases[i].asked, 1) : unsetenv(name);
        blas_threads = 64;
        zn_context *context = zn_context_create(NULL);
        assert_int_equal(blas_threads, cases[i].threads);
        zn_context_destroy(context);
    }
    kept ? setenv(name, kept, 1) : unsetenv(name);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),
        cmocka_unit_test(error_list),
        cmocka_unit_test(error_text),
        cmocka_unit_test(added_places),
        cmocka_unit_test(errors_without_memory),
        cmocka_unit_test(memory),
        cmocka_unit_test(growing),
        cmocka_unit_test(logging),
        cmocka_unit_test(sizes_keep_nan),
        cmocka_unit_test(one_thread_unless_asked),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
