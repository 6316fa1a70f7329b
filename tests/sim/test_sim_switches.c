/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas that jump or bend in time (if, mod, abs, max, tables) with step: auto and located contact events: steps end there, so that no
 * pulse is missed, however short it is in a run, and the motion is exact where formulas between two of these times are. References are
 * closed forms. */
#include "located_cases.h"

static const double PI = 3.14159265358979323846;

/* Pulses of 1/1000 of each period, arcs that are positive for 1/70 of one, a table with edges; T: the unit of time. */
#define PULSES                                                                                            \
    "parameters: {T: 1}\ncoordinates: {q: 0, p: 0, z: 0}\n"                                               \
    "energy: {kinetic: (q'^2 + p'^2 + z'^2)/2, potential: 0}\n"                                           \
    "tables: {push: {points: [[0, 0], [1, 0], [1.001, 1000], [1.01, 1000], [1.011, 0], [100, 0]]}}\n"     \
    "forces:\n  q: if(mod(t/T, 1) < 0.001, 1000, 0)/T^2\n  p: 1e6*max(0, abs(sin(pi*t/T)) - 0.999)/T^2\n" \
    "  z: table(push, t/T)/T^2\n"                                                                         \
    "simulation: {scheme: rattle, step: 0.1, end: 40}\n"

static void pulses(void **state) {
    (void)state;
    const char *const units[] = {"T=1", "T=1e-6", "T=1e6"};
    const double scale[] = {1, 1e-6, 1e6};
    double q = 0, p = 0, begin = asin(0.999) / PI, each = 1e6 * (2 / PI * cos(PI * begin) - 0.999 * (1 - 2 * begin));
    for (int k = 0; k < 40; k++) q += 5e-4 + (40 - k - 0.001), p += each * (39.5 - k);
    for (int k = 0; k < 3; k++) {
        const located_case c = {"pulses", PULSES, units[k], 40 * scale[k], 0, 3, {0, 1, 2}, {q, p, 10 * (40 - 1.0055)}, 0};
        located_outcome high = located_run_to(&c, "radau-2a", 3, 0, 1e-6), other = located_run_to(&c, "lobatto-3a3b", 3, 0, 1e-6);
        print_message("%s: %.2g, %.2g in %ld, %ld steps\n", units[k], high.error, other.error, high.statistics.steps,
                      other.statistics.steps);
        assert_true(high.error < 1e-5 * p && other.error < 1e-5 * p);
        assert_true(high.statistics.steps < 2000);
    }
}

/* A shaft that sticks between pulses of its motor: 0.14 + 1.4^2/26 rad for each. All of it is quadratic in time. */
static void moves_of_a_motor(void **state) {
    (void)state;
    const located_case c = {"motor", "motor-friction", NULL, 4, 0, 1, {2}, {4 * (0.14 + 1.4 * 1.4 / 26)}, 0};
    const struct {
        const char *name;
        int stages;
    } schemes[] = {{"radau-2a", 3}, {"lobatto-3a3b", 3}, {"radau-2a", 2}, {"rattle", 0}, {"tr-bdf2", 0}, {"generalized-alpha", 0}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        located_outcome out = located_run_to(&c, schemes[k].name, schemes[k].stages, 0, 1e-4);
        assert_true(out.error < 1e-9);
        assert_true(out.statistics.steps < 100);
    }
}

/* A drive falls, rests and rises. Its own mass follows the jumps of its velocity; each of them is a swing 2 (t - sin(2 t)/2) of the mass
 * behind a spring. */
static void bends_of_a_drive(void **state) {
    (void)state;
    const char *scene = "coordinates: {x: 0, y: 0}\n"
                        "energy: {kinetic: (x'^2 + y'^2)/2, potential: 2*(y - x)^2}\n"
                        "constraints: {drive: {position: x - abs(t - 1) - abs(t - 2) + 3}}\n"
                        "simulation: {scheme: rattle, step: 0.1, end: 3, project_start: true}\n";
    double y = -2 * (3 - sin(6.) / 2) + 2 * (2 - sin(4.) / 2) + 2 * (1 - sin(2.) / 2);
    const located_case c = {"drive", scene, NULL, 3, 0, 2, {0, 1}, {0, y}, 0};
    located_outcome out = located_run_to(&c, "radau-2a", 3, 0, 1e-7), other = located_run_to(&c, "lobatto-3a3b", 3, 0, 1e-7);
    print_message("drive: %.2g, %.2g in %ld, %ld steps\n", out.error, other.error, out.statistics.steps, other.statistics.steps);
    assert_true(out.error < 1e-6 && other.error < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pulses), cmocka_unit_test(moves_of_a_motor), cmocka_unit_test(bends_of_a_drive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
