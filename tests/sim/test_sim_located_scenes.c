/* SPDX-License-Identifier: Apache-2.0 */
/* contact_events: located with what else a scene may have: events of its own, contacts that shapes find. */
#include "located_cases.h"

/* A ball with drag that bounces while another coordinate is kicked when the ball rises through q = 0.2, and is braked from x = 0.7 on. Exact: the ball is DRAG; with t_k the time of the kick,
 * x = t up to t_k, then x' = 1.5 up to x = 0.7, then x' = 1.5 exp(-2 (t - t_p)). */
#define KICKED_SCENE                                                                                                            \
    "modes: {low: off}\n"                                                                                                       \
    "coordinates: {q: 1, x: {start: 0, velocity: 1}}\n"                                                                         \
    "energy: {kinetic: (x'^2 + q'^2)/2, potential: 9.81*q}\n"                                                                   \
    "forces: {q: -q', x: \"if(low, -2*x', 0)\"}\n"                                                                              \
    "contacts: {floor: {gap: q, restitution: 0.7}}\n"                                                                           \
    "events: {pass: {when: x - 0.7, direction: up, do: {low: on}}, kick: {when: q - 0.2, direction: up, do: {x': x' + 0.5}}}\n" \
    "simulation: {scheme: radau-2a, step: 0.1, end: 1.2}\n"

/* q rises from the floor at t_1 with v: q(t) = -g (t - t_1) + (v + g)(1 - exp(t_1 - t)); where it is 0.2 the first time. */
static double time_of_kick(void) {
    const double t_1 = 0.488217304865, g = 9.81, v = 0.7 * g * (1 - exp(-t_1));
    double low = 0, high = 0.25;
    for (int i = 0; i < 80; i++) {
        double s = (low + high) / 2;
        if (-g * s + (v + g) * (1 - exp(-s)) < 0.2) low = s;
        else high = s;
    }
    return t_1 + low;
}

static void events_of_the_scene(void **state) {
    (void)state;
    double t_k = time_of_kick(), t_p = t_k + (0.7 - t_k) / 1.5, x = 0.7 + 0.75 * (1 - exp(-2 * (1.2 - t_p)));
    const located_case c = {"kicked", KICKED_SCENE, NULL, 1.2, 24, 2, {0, 1}, {0.0945175857721, x}, 1e-12};
    const struct {
        const char *name;
        int stages;
        double order;
    } schemes[] = {{"radau-2a", 2, 3},     {"radau-2a", 3, 5}, {"rattle", 0, 2},
                   {"lobatto-3a3b", 3, 4}, {"tr-bdf2", 0, 2},  {"generalized-alpha", 0, 2}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        located_outcome coarse = located_run(&c, schemes[k].name, schemes[k].stages, 24),
                        fine = located_run(&c, schemes[k].name, schemes[k].stages, 48);
        print_message("%s:%d %.2e %.2e, order %.2f\n", schemes[k].name, schemes[k].stages, coarse.error, fine.error,
                      log2(coarse.error / fine.error));
        assert_true(log2(coarse.error / fine.error) > schemes[k].order - 0.25);
        assert_int_equal(fine.statistics.events_located, 2);
        assert_int_equal(fine.statistics.events_captured, 0);
    }
    assert_true(located_run_to(&c, "radau-2a", 3, 0, 1e-9).error < 1e-8);
}

/* Sixteen elastic balls in a box, whose contacts are found: some hundred impacts, of balls and walls, take nothing. */
static void elastic_balls(void **state) {
    (void)state;
    char text[4000] = "gravity: [0, 0, -9.81]\nbodies:\n";
    for (int i = 0; i < 16; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  b%d: {type: spatial, shape: {type: sphere, radius: 0.5}, mass: %d, position: [%g, %g, %g], velocity: [%g, %g, 0]}\n", i,
                 1 + i % 3, 1.3 * (i % 4), 1.3 * (i / 4), 2 + 0.17 * (i * 7 % 11), sin(3.1 * i), cos(1.7 * i));
    strcat(text, "geometry: {floor: {type: plane}, a: {type: plane, normal: [1, 0, 0], at: [-0.8, 0, 0]}, b: {type: plane, normal: [-1, 0, "
                 "0], at: [4.7, 0, 0]},\n"
                 "  c: {type: plane, normal: [0, 1, 0], at: [0, -0.8, 0]}, d: {type: plane, normal: [0, -1, 0], at: [0, 4.7, 0]}}\n"
                 "contacts: {all: {between: all, restitution: 1}}\nsimulation: {scheme: radau-2a, step: 0.01, end: 5}\n");
    const located_case c = {"elastic balls", text, NULL, 5, 500, 0, {0}, {0}, 0};
    const char *const schemes[] = {"radau-2a", "rattle"};
    for (int k = 0; k < 2; k++) {
        located_outcome out = located_run(&c, schemes[k], k == 0 ? 3 : 0, 500);
        const zn_statistics *s = &out.statistics;
        print_message("%s: %ld events, energy %.2e relative, penetration %.1e\n", schemes[k], s->events_located,
                      s->energy_end / s->energy_start - 1, s->max_penetration);
        assert_true(fabs(s->energy_end / s->energy_start - 1) < 1e-10);
        assert_true(s->max_penetration < 1e-9);
        assert_true(s->events_located > 150);
        assert_int_equal(s->events_captured, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_of_the_scene), cmocka_unit_test(elastic_balls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
