/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of loading grows as the scene does: four times the elements take about four times as long, and not sixteen times.
 *
 * Other work on the machine lengthens one loading or all of a while, so that small and large scenes take turns, and the least time of each
 * counts. */
#include "scene/scene_check.h"

#include <stdlib.h>
#include <time.h>

/* Processor time of loading a text. */
static double load_text(const char *text) {
    zn_context *context = zn_context_create(NULL);
    clock_t start = clock();
    zn_scene *scene = load_good(context, text, 0, NULL);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return seconds;
}

static double load_elements(int elements) {
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

static void check_growth(double (*cost)(int count), int count, const char *what) {
    double few = INFINITY, many = INFINITY;
    for (int i = 0; i < 12; i++) {
        few = fmin(few, cost(count));
        many = fmin(many, cost(4 * count));
        if (i > 1 && many <= 8 * few + 0.02) return;
    }
    fail_msg("%d %s take %g s, %d take %g s", count, what, few, 4 * count, many);
}

static void bodies_and_starts_cost_alike(void **state) {
    (void)state;
    check_growth(load_starts, 1500, "bodies with their starts");
}

static void coordinates_cost_alike(void **state) {
    (void)state;
    check_growth(load_coordinates, 500, "coordinates");
}

static void elements_cost_alike(void **state) {
    (void)state;
    check_growth(load_elements, 5000, "elements");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_cost_alike), cmocka_unit_test(coordinates_cost_alike),
                                       cmocka_unit_test(bodies_and_starts_cost_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
