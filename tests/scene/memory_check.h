/* SPDX-License-Identifier: Apache-2.0 */
/* Loading with memory that runs out at every request in turn: a status, and everything is given back. */
#ifndef TESTS_SCENE_MEMORY_CHECK_H
#define TESTS_SCENE_MEMORY_CHECK_H

#include "base/counting_allocator.h"
#include "scene_check.h"

/* sparing: later requests with gaps, for large scenes. */
static inline void check_memory(const char *text, bool sparing) {
    counting_allocator memory = {.fail_at = 1};
    int failures = 0;
    for (zn_status status = ZN_ERROR_MEMORY; status != ZN_OK; memory.fail_at += sparing ? 1 + memory.fail_at / 40 : 1) {
        memory.requests = 0;
        zn_context *context = counting_context(&memory);
        zn_scene *scene = NULL;
        status = zn_scene_parse(context, "memory.yaml", text, NULL, &scene);
        if (status != ZN_OK && status != ZN_ERROR_MEMORY) print_error("%s\n", zn_error_text(context));
        if (status != ZN_OK) assert_int_equal(status, ZN_ERROR_MEMORY), failures++;
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
    assert_true(failures > (sparing ? 40 : 20));
}

#endif
