/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a worker: blocks keep their bytes, do not overlap, are aligned, and are used again. */
#include "check.h"
#include "study/pool.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200, CHANGES = 20000 };

static void fill(unsigned char *block, size_t bytes, int mark) { memset(block, mark, bytes); }

static void check_filled(const unsigned char *block, size_t bytes, int mark) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != mark) fail_msg("byte %zu of %zu is %d, not %d", i, bytes, block[i], mark);
}

/* Sizes around all powers of two up to 8 MB, most of them small. */
static size_t any_size(void) {
    size_t size = (size_t)1 << (rand() % 100 < 98 ? rand() % 12 : 12 + rand() % 12);
    return size + (size_t)(rand() % 3) - 1 + (size == 1);
}

static void test_blocks(void **state) {
    (void)state;
    study_pool pool = {0};
    zn_allocator a = study_pool_allocator(&pool);
    unsigned char *blocks[BLOCKS] = {0};
    size_t sizes[BLOCKS] = {0};
    srand(5);
    for (int i = 0; i < CHANGES; i++) {
        int k = rand() % BLOCKS;
        if (blocks[k]) check_filled(blocks[k], sizes[k], k);
        if (blocks[k] && rand() % 2) {
            a.release(a.user, blocks[k]);
            blocks[k] = NULL, sizes[k] = 0;
            continue;
        }
        size_t size = any_size();
        unsigned char *block = a.reallocate(a.user, blocks[k], size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        check_filled(block, sizes[k] < size ? sizes[k] : size, k); /* what was in it */
        fill(block, size, k);
        blocks[k] = block, sizes[k] = size;
    }
    for (int k = 0; k < BLOCKS; k++) {
        if (blocks[k]) check_filled(blocks[k], sizes[k], k);
        a.release(a.user, blocks[k]);
    }
    assert_null(a.reallocate(a.user, NULL, SIZE_MAX - 8));
    study_pool_free(&pool);
}

/* Who asks again for the same gets the same: no more chunks than one run needs. */
static void test_again(void **state) {
    (void)state;
    study_pool pool = {0};
    zn_allocator a = study_pool_allocator(&pool);
    void *chunks = NULL;
    for (int run = 0; run < 50; run++) {
        void *blocks[BLOCKS];
        for (int k = 0; k < BLOCKS; k++) blocks[k] = a.reallocate(a.user, NULL, (size_t)(100 * k + 1));
        for (int k = 0; k < BLOCKS; k++) a.release(a.user, blocks[k]);
        if (run == 0) chunks = pool.chunks;
        assert_ptr_equal(pool.chunks, chunks);
    }
    study_pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
