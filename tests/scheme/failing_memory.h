/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while a simulation is created, for tests of schemes. */
#ifndef TESTS_SCHEME_FAILING_MEMORY_H
#define TESTS_SCHEME_FAILING_MEMORY_H

#include "base/counting_allocator.h"
#include "check.h"

#include "zeno/zeno.h"

/* Every request of memory of a new simulation fails once, and is reported; steps ask for none. The statistics of a whole run. */
static inline zn_statistics fail_each_request(const zn_model *model, const zn_settings *settings) {
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    long before = memory.requests, live = memory.live;
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_simulation_create(context, model, settings, &simulation), ZN_OK);
    long needed = memory.requests - before, then = memory.requests;
    assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
    assert_int_equal(memory.requests, then);
    zn_statistics statistics = zn_simulation_statistics(simulation);
    zn_simulation_destroy(simulation);
    assert_int_equal(memory.live, live + 1); /* the handle stays with the context, so that its further use is reported */
    zn_context_destroy(context);
    for (long at = 0; at < needed; at++) {
        context = counting_context(&memory);
        memory.fail_at = memory.requests + at;
        zn_status status = zn_simulation_create(context, model, settings, &simulation);
        memory.fail_at = -1;
        if (status != ZN_ERROR_MEMORY) fail_msg("%s: the failure of request %ld of %ld went unnoticed", settings->scheme, at, needed);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
    return statistics;
}

#endif
