/* SPDX-License-Identifier: Apache-2.0 */
/* No allocation in factor and solve, and every allocation may fail. */
#include "check.h"

#include "base/counting_allocator.h"
#include "linalg/dense.h"
#include "linalg/linalg.h"
#include "random.h"

#include <SuiteSparse_config.h>

/* KLU's memory: SuiteSparse has one allocator for the process; up to version 6 a variable. */
#if SUITESPARSE_MAIN_VERSION < 7
#define COUNTS_KLU 1
static counting_allocator klu_memory;
static void *klu_malloc(size_t bytes) { return counting_reallocate(&klu_memory, NULL, bytes ? bytes : 1); }
static void *klu_realloc(void *block, size_t bytes) { return counting_reallocate(&klu_memory, block, bytes ? bytes : 1); }
static void klu_release(void *block) { counting_release(&klu_memory, block); }
static void *klu_calloc(size_t count, size_t size) {
    void *block = klu_malloc(count * size);
    return block ? memset(block, 0, count * size) : NULL;
}
static void count_klu(void) {
    klu_memory = COUNTING_ALLOCATOR;
    SuiteSparse_config.malloc_func = klu_malloc;
    SuiteSparse_config.calloc_func = klu_calloc;
    SuiteSparse_config.realloc_func = klu_realloc;
    SuiteSparse_config.free_func = klu_release;
}
#else
#define COUNTS_KLU 0
static counting_allocator klu_memory;
static void count_klu(void) {}
#endif

enum { SIZE = 45 };

static void fill(lin_matrix *matrix, const lin_pattern *p, random_source *random) {
    double v[3 * SIZE];
    for (int k = 0; k < lin_nnz(&p->p); k++) v[k] = random_number(random);
    for (int j = 0; j < SIZE; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] == j) v[k] += 4;
    lin_matrix_zero(matrix);
    lin_matrix_add(matrix, 0, 1, v);
}

typedef struct everything {
    lin_pattern pattern;
    lin_matrix *matrix;
    lin_lu *lu;
    lin_cod *cod;
} everything;

static bool create_all(zn_context *context, lin_storage storage, everything *e) {
    int row[3 * SIZE], col[3 * SIZE], count = 0;
    for (int i = 0; i < SIZE; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < SIZE) row[count] = i, col[count++] = j;
    *e = (everything){0};
    if (lin_pattern_create(context, SIZE, SIZE, count, row, col, &e->pattern, NULL) != ZN_OK) return false;
    e->matrix = lin_matrix_create(context, SIZE);
    if (!e->matrix || lin_matrix_block(e->matrix, &e->pattern.p, false, 0, 0) < 0) return false;
    if (lin_matrix_finish(e->matrix, storage) != ZN_OK) return false;
    e->lu = lin_lu_create(context, e->matrix);
    if (!e->lu || lin_lu_reserve_regularised(e->lu, e->matrix) != ZN_OK) return false;
    e->cod = lin_cod_create(context, 7, 5);
    return e->cod != NULL;
}

static void destroy_all(zn_context *context, everything *e) {
    lin_cod_destroy(e->cod);
    lin_lu_destroy(e->lu);
    lin_matrix_destroy(e->matrix);
    lin_pattern_destroy(context, &e->pattern);
}

static void no_allocation(void **state) {
    (void)state;
    count_klu();
    for (int sparse = 0; sparse < 2; sparse++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&memory);
        everything e;
        random_source random = {37};
        double b[2 * SIZE], a[35] = {0}, x[7];
        assert_true(create_all(context, sparse ? LIN_SPARSE : LIN_DENSE, &e));
        fill(e.matrix, &e.pattern, &random);
        assert_int_equal(lin_lu_factor(e.lu, e.matrix, false), ZN_OK);
        long before = memory.requests, klu_before = klu_memory.requests;
        for (int round = 0; round < 5; round++) {
            fill(e.matrix, &e.pattern, &random);
            assert_int_equal(lin_lu_factor(e.lu, e.matrix, true), ZN_OK);
            for (int i = 0; i < 2 * SIZE; i++) b[i] = random_number(&random);
            lin_lu_solve_many(e.lu, b, 2);
        }
        assert_int_equal(klu_memory.requests, klu_before); /* refactorisations only */
        assert_int_equal(lin_lu_factor(e.lu, e.matrix, false), ZN_OK);
        assert_int_equal(lin_lu_factor_regularised(e.lu, e.matrix), ZN_OK);
        lin_lu_solve(e.lu, b);
        a[0] = a[9] = 1;
        assert_int_equal(lin_cod_factor(e.cod, a, 0), 2);
        lin_cod_solve(e.cod, b, x);
        assert_int_equal(memory.requests, before);
        destroy_all(context, &e);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
        assert_int_equal(klu_memory.live, 0);
    }
}

/* Fails request after request, until nothing fails: nothing leaks, and the context says why. */
static void creation_without_memory(void **state) {
    (void)state;
    count_klu();
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int of_klu = 0; of_klu <= (COUNTS_KLU && sparse); of_klu++) {
            bool done = false;
            for (long at = of_klu ? 0 : 1; !done; at++) { /* request 0 of the context is the context */
                counting_allocator memory = COUNTING_ALLOCATOR;
                count_klu();
                if (of_klu) klu_memory.fail_at = at;
                else memory.fail_at = at;
                zn_context *context = counting_context(&memory);
                everything e;
                done = create_all(context, sparse ? LIN_SPARSE : LIN_DENSE, &e);
                int errors = zn_error_count(context);
                assert_true(done ? errors == 0 : errors > 0 && zn_error_get(context, errors - 1)->status == ZN_ERROR_MEMORY);
                destroy_all(context, &e);
                zn_context_destroy(context);
                assert_int_equal(memory.live, 0);
                assert_int_equal(klu_memory.live, 0);
                assert_true(at < 200);
            }
        }
    }
}

static void factorisation_without_memory(void **state) {
    (void)state;
    if (!COUNTS_KLU) skip();
    zn_context *context = zn_context_create(NULL);
    zn_status status = ZN_ERROR_MEMORY;
    for (long at = 0; status != ZN_OK; at++) {
        everything e;
        random_source random = {41};
        double b[SIZE], r[SIZE];
        count_klu();
        assert_true(create_all(context, LIN_SPARSE, &e));
        fill(e.matrix, &e.pattern, &random);
        klu_memory.fail_at = klu_memory.requests + at;
        klu_memory.only_once = true;
        status = lin_lu_factor(e.lu, e.matrix, false);
        assert_true(status == ZN_OK || status == ZN_ERROR_MEMORY);
        assert_int_equal(lin_lu_factor(e.lu, e.matrix, true), ZN_OK); /* a second try works */
        for (int i = 0; i < SIZE; i++) b[i] = i;
        lin_lu_solve(e.lu, b);
        lin_matrix_multiply(e.matrix, b, r);
        for (int i = 0; i < SIZE; i++) check_close(r[i], i, 1e-12);
        destroy_all(context, &e);
        assert_int_equal(klu_memory.live, 0);
        assert_true(at < 200);
    }
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(creation_without_memory),
        cmocka_unit_test(factorisation_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
