/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of loading grows as the scene does: four times the elements take about four times as long, and not sixteen times. */
#include "scene/scene_check.h"

#include <stdlib.h>
#include <time.h>

/* Processor time of loading a text, the least of three. */
static double load_text(const char *text) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        zn_context *context = zn_context_create(NULL);
        clock_t start = clock();
        zn_scene *scene = load_good(context, text, 0, NULL);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
    return least;
}

static double load(int elements) {
    char text[300];
    snprintf(text, sizeof text,
             "bodies: {rod: {type: rod, elements: %d, from: [0, 0, 0], to: [1, 0, 0], radius: 0.01, young: 2e11, poisson: "
             "0.3, density: 7800}}\n"
             "simulation: {step: 1e-3, end: 1}\n",
             elements);
    return load_text(text);
}

/* A chain of masses and springs as formulas. */
static double load_coordinates(int count) {
    size_t room = (size_t)count * 60 + 200, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
#define PUT(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    PUT("coordinates:\n");
    for (int i = 0; i < count; i++) PUT("  x%d: %d\n", i, i);
    PUT("energy:\n  kinetic: 0");
    for (int i = 0; i < count; i++) PUT(" + x%d'^2/2", i);
    PUT("\n  potential: 0");
    for (int i = 1; i < count; i++) PUT(" + (x%d - x%d)^4", i, i - 1);
    PUT("\nsimulation: {step: 1e-3, end: 1}\n");
    double seconds = load_text(text);
    free(text);
    return seconds;
}

/* Balls, each with its start by name, as in the result of a run with --start. */
static double load_starts(int count) {
    size_t room = (size_t)count * 120 + 200, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    PUT("bodies:\n");
    for (int i = 0; i < count; i++) PUT("  b%d: {type: spatial, mass: 1, inertia: 1, position: [%d, 0, 0]}\n", i, i);
    PUT("starts:\n");
    for (int i = 0; i < count; i++) PUT("  b%d.x: %d\n  b%d.wz: 1\n", i, 2 * i, i);
    PUT("simulation: {step: 1e-3, end: 1}\n");
    double seconds = load_text(text);
    free(text);
    return seconds;
}

static void bodies_and_starts_cost_alike(void **state) {
    (void)state;
    double few = load_starts(1500), many = load_starts(6000);
    if (many > 8 * few + 0.02) fail_msg("1500 bodies with their starts take %g s, 6000 take %g s", few, many);
}

static void coordinates_cost_alike(void **state) {
    (void)state;
    double few = load_coordinates(500), many = load_coordinates(2000);
    if (many > 8 * few + 0.02) fail_msg("500 coordinates take %g s, 2000 take %g s", few, many);
}

static void elements_cost_alike(void **state) {
    (void)state;
    double few = load(5000), many = load(20000);
    if (many > 8 * few + 0.02) fail_msg("5000 elements take %g s, 20000 take %g s", few, many);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_cost_alike), cmocka_unit_test(coordinates_cost_alike),
                                       cmocka_unit_test(bodies_and_starts_cost_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
