/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of contacts that come and go: tables in results, everything when memory runs out, and nothing in what schemes remember. */
#include "contact_runs.h"

#include <stdlib.h>

/* ---- memory ---- */

typedef struct poor {
    long calls, fails_at, blocks;
} poor;

static void *poor_reallocate(void *user, void *block, size_t bytes) {
    poor *p = user;
    if (p->calls++ == p->fails_at) return NULL;
    if (!block) p->blocks++;
    return realloc(block, bytes);
}

static void poor_release(void *user, void *block) {
    poor *p = user;
    if (block) p->blocks--;
    free(block);
}

/* Whenever memory runs out, lists that change included, it is reported, nothing is lost, and the state before the step stays. */
static void memory_may_run_out(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "generalized-alpha"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        long begin = 0, all = 0, told = 0;
        for (long n = -1; n < all; n = n < begin ? begin : n + 7) {
            poor p = {.fails_at = n};
            zn_context *context = zn_context_create(&(zn_context_def){.allocator = {poor_reallocate, poor_release, &p}});
            zn_scene *scene = NULL;
            zn_simulation *simulation = NULL;
            assert_int_equal(zn_scene_parse(context, "test", FOUND, NULL, &scene), ZN_OK);
            if (n < 0) begin = p.calls;
            zn_settings settings = *zn_scene_settings(scene);
            settings.scheme = schemes[s], settings.step = 1e-2, settings.end = 0.4, settings.step_auto = s == 1;
            zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
            while (status == ZN_OK && !zn_simulation_done(simulation)) status = zn_simulation_step(simulation);
            if (n < 0) assert_int_equal(status, ZN_OK);
            if (status != ZN_OK) {
                assert_int_equal(status, ZN_ERROR_MEMORY);
                told++;
                if (simulation) assert_true(isfinite(zn_simulation_positions(simulation)[0]));
                int found = zn_simulation_found_count(simulation);
                zn_found_contact contact;
                for (int i = 0; i < found; i++) assert_int_equal(zn_simulation_found(simulation, i, &contact), ZN_OK);
            }
            zn_simulation_destroy(simulation);
            zn_scene_destroy(scene);
            zn_context_destroy(context);
            assert_int_equal(p.blocks, 0);
            if (n < 0) all = p.calls;
        }
        assert_true(told > 50);
    }
}

/* ---- results ---- */

static void record(const char *path, double record_step, int every, zn_result **kept, double *total) {
    trial r = trial_begin(FOUND, (trial_options){.scheme = "rattle"});
    zn_settings settings = *zn_simulation_settings(r.simulation);
    zn_simulation_destroy(r.simulation);
    settings.record_step = record_step, settings.record_every = every;
    assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
    zn_recorder *recorder = NULL;
    assert_int_equal(zn_recorder_create(r.context, r.simulation, "t", "", path, &recorder), ZN_OK);
    assert_int_equal(zn_recorder_row(recorder), ZN_OK);
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        while (zn_simulation_next_row(r.simulation)) assert_int_equal(zn_recorder_row(recorder), ZN_OK);
        if (every == 1 && zn_simulation_time(r.simulation) < 0.3) assert_int_equal(zn_recorder_flush(recorder), ZN_OK);
    }
    if (total) *total = total_of(r.simulation, "ball", "box") + total_of(r.simulation, "world", "box");
    if (path) {
        assert_int_equal(zn_recorder_finish(recorder, true), ZN_OK);
        trial_end(&r);
        return;
    }
    assert_int_equal(zn_recorder_keep(recorder, kept), ZN_OK);
    assert_int_equal(zn_result_save(*kept, "contacts_memory.h5"), ZN_OK);
    zn_result_close(*kept);
    trial_end(&r);
}

static long size_of(const char *path, char *bytes, long room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    long size = (long)fread(bytes, 1, (size_t)room, file);
    fclose(file);
    return size;
}

/* The table has what the run did, whatever rows are recorded; bytes depend neither on flushes nor on a way through memory. */
static void table_is_complete(void **state) {
    (void)state;
    const struct {
        double step;
        int every;
    } of[] = {{0, 1}, {0, 7}, {3.3e-3, 1}, {2.5e-4, 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double total = 0, sum = 0, found = 0;
        record("contacts_test.h5", of[i].step, of[i].every, NULL, &total);
        zn_context *context = zn_context_create(NULL);
        zn_result *result = NULL;
        zn_contact_table table;
        assert_int_equal(zn_result_open(context, "contacts_test.h5", &result), ZN_OK);
        assert_int_equal(zn_result_contacts(result, &table), ZN_OK);
        assert_int_equal(table.n_columns, 16);
        assert_int_equal(table.n_names, 3);
        assert_string_equal(table.columns[12], "normal");
        for (long k = 0; k < table.count; k++) {
            const double *e = table.values + 16 * k;
            sum += e[12];
            assert_true(e[0] >= 0 && e[0] < (double)zn_result_rows(result));
            check_close(e[8] * e[13] + e[9] * e[14] + e[10] * e[15], e[12], 1e-12);     /* the normal part of the vector */
            check_below(hypot(hypot(e[13], e[14]), e[15]), e[12] * sqrt(1.09) + 1e-12); /* in the cone */
        }
        check_close(sum, total, 1e-9);
        int column;
        const double *values;
        ptrdiff_t stride;
        assert_int_equal(zn_result_find(result, "found.normal", &column), ZN_OK);
        assert_int_equal(zn_result_values(result, column, &values, &stride), ZN_OK);
        for (long k = 0; k < zn_result_rows(result); k++) found += values[k * stride];
        check_close(found, total, 1e-9);
        zn_result_close(result);
        zn_context_destroy(context);
    }
    static char one[1 << 22], two[1 << 22];
    zn_result *kept;
    record("contacts_test.h5", 0, 1, NULL, NULL);
    record(NULL, 0, 1, &kept, NULL);
    long a = size_of("contacts_test.h5", one, sizeof one), b = size_of("contacts_memory.h5", two, sizeof two);
    assert_int_equal(a, b);
    assert_memory_equal(one, two, (size_t)a);
    record("contacts_test.csv", 0, 1, NULL, NULL);
    remove("contacts_test.h5"), remove("contacts_memory.h5"), remove("contacts_test.csv");
}

/* ---- what goes with a contact ---- */

/* A ball and a box rest on a table that is pulled away downwards, far in a step: the contact leaves the list at once, with the weight that
 * it carried until then. What follows is free fall from the end of the step before, as if it had never been, with every damping of schemes
 * that remember forces. */
static void a_contact_that_leaves_takes_its_force_with_it(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha",     "generalized-alpha",     "generalized-alpha",
                                   "generalized-alpha-pva", "generalized-alpha-pvv", "rattle"};
    const double damping[] = {0.9, 0.3, 1, 0.9, 0.9, 0.9};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        bool planar = s >= 3; /* those without friction want q' = u */
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81%s]\nbodies:\n"
                 "  ball: {type: %s, mass: 2, shape: {type: %s, radius: 0.1}, position: [0, 0.1%s]}\n"
                 "  box: {type: %s, mass: 3, shape: {type: box, size: [0.2, 0.2%s]}, position: [1, 0.1%s]}\n"
                 "  table: {type: prescribed, position: [\"0\", \"-50*max(t - 0.0205, 0)\"%s]}\n"
                 "geometry: {top: {type: plane, on: table, normal: [0, 1%s]}}\ncontacts: {all: {between: all%s}}\n"
                 "simulation: {step: 1e-3, end: 0.04, damping: %g}\n",
                 planar ? "" : ", 0", planar ? "planar" : "spatial", planar ? "disk" : "sphere", planar ? "" : ", 0",
                 planar ? "planar" : "spatial", planar ? "" : ", 0.4", planar ? "" : ", 0", planar ? "" : ", \"0\"", planar ? "" : ", 0",
                 planar ? "" : ", friction: 0.5", damping[s]);
        trial r = trial_begin(text, (trial_options){.scheme = schemes[s]});
        trial_run(&r);
        const double *q = zn_simulation_positions(r.simulation), *u = zn_simulation_velocities(r.simulation), t = 0.02;
        for (int i = 0; i < 2; i++) {
            check_close(q[(planar ? 3 : 7) * i + 1], 0.1 - 9.81 * t * t / 2, 1e-12);
            check_close(u[(planar ? 3 : 6) * i + 1], -9.81 * t, 1e-12);
        }
        assert_int_equal(zn_simulation_statistics(r.simulation).found_max, planar ? 3 : 5);
        for (int i = 0; i < zn_simulation_found_count(r.simulation); i++) { /* what no row has shown yet, and is not listed */
            zn_found_contact gone;
            assert_int_equal(zn_simulation_found(r.simulation, i, &gone), ZN_OK);
            assert_true(isnan(gone.gap));
        }
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_contact_that_leaves_takes_its_force_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
