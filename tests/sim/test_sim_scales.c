/* SPDX-License-Identifier: Apache-2.0 */
/* What residuals are compared with. */
#include "trial.h"

#include "sim/simulation.h"

/* A ball that falls on an inclined plane and rolls, seen in other frames: what residuals of its contact are compared with is the same, to
 * round-off. Along single axes it moves as it happens. */
static void tolerance_in_any_frame(void **state) {
    (void)state;
    const double normals[][3] = {{0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {-1, 0, 0}, {0.6, 0, 0.8}, {2. / 3, -1. / 3, -2. / 3}};
    const char *schemes[] = {"moreau-midpoint", "rattle", "radau-2a"};
    double expected[3];
    for (int run = 0; run < 18; run++) {
        const double *n = normals[run / 3], *other = n[0] * n[0] < 0.5 ? (double[]){1, 0, 0} : (double[]){0, 1, 0};
        double t[3] = {n[1] * other[2] - n[2] * other[1], n[2] * other[0] - n[0] * other[2], n[0] * other[1] - n[1] * other[0]};
        double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), g[3];
        for (int i = 0; i < 3; i++) g[i] = -8 * n[i] + 5 * t[i] / size;
        char text[1000];
        snprintf(
            text, sizeof text,
            "gravity: [%.17g, %.17g, %.17g]\nbodies: {ball: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 2, position: [%.17g, "
            "%.17g, %.17g]}}\ngeometry: {floor: {type: plane, normal: [%.17g, %.17g, %.17g]}}\n"
            "contacts: {all: {between: [ball, floor], friction: 0.3}}\nsimulation: {step: 1e-2, end: 0.5}\n",
            g[0], g[1], g[2], 0.3 * n[0], 0.3 * n[1], 0.3 * n[2], n[0], n[1], n[2]);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[run % 3]});
        const problem_scales *scales = &r.simulation->scheme->scales;
        double rates[3];
        for (int i = 0; i < 3; i++) rates[i] = scales_of_rate(scales, i);
        if (run < 3) expected[run] = rates[0];
        check_close(rates[0], expected[run % 3], 1e-9 * expected[run % 3]);
        check_close(rates[1], rates[2], 1e-9 * rates[1]); /* all tangents are alike */
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tolerance_in_any_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
