/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of loading grows as the scene does: four times the elements take about four times as long, and not sixteen times. */
#include "scene/scene_check.h"

#include <time.h>

/* Processor time of loading a rod, the least of three. */
static double load(int elements) {
    char text[300];
    double least = INFINITY;
    snprintf(text, sizeof text,
             "bodies: {rod: {type: rod, elements: %d, from: [0, 0, 0], to: [1, 0, 0], radius: 0.01, young: 2e11, poisson: "
             "0.3, density: 7800}}\n"
             "simulation: {step: 1e-3, end: 1}\n",
             elements);
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

static void elements_cost_alike(void **state) {
    (void)state;
    double few = load(5000), many = load(20000);
    if (many > 8 * few + 0.02) fail_msg("5000 elements take %g s, 20000 take %g s", few, many);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_cost_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
