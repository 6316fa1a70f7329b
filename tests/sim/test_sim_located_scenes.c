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

static int column(const zn_contact_table *table, const char *name) {
    for (int i = 0; i < table->n_columns; i++)
        if (!strcmp(table->columns[i], name)) return i;
    return -1;
}

/* One result has tables of found contacts, of events of the scene and of contact events, in memory and in its file. A ball falls by 0.5 on the floor, e = 0.6; its shape and the floor's
 * are named by the event. */
static void all_tables(void **state) {
    (void)state;
    const char *text =
        "gravity: [0, 0, -10]\nbodies: {b: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 2, position: [0, 0, 0.6]}}\n"
        "geometry: {ground: {type: plane}}\ncontacts: {all: {between: all, restitution: 0.6}}\n"
        "events: {low: {when: b.z - 0.4, direction: down, do: record}}\n"
        "simulation: {scheme: radau-2a, step: 0.01, end: 0.5, contact_events: located}\n";
    for (int kept = 0; kept < 2; kept++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_simulation *sim = NULL;
        zn_recorder *recorder = NULL;
        zn_result *result = NULL;
        char path[300];
        snprintf(path, sizeof path, "%s/all_tables.h5", ZENO_BINARY_DIR);
        assert_int_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &sim), ZN_OK);
        assert_int_equal(zn_recorder_create(context, sim, "test", text, kept ? path : NULL, &recorder), ZN_OK);
        assert_int_equal(zn_recorder_row(recorder), ZN_OK);
        while (!zn_simulation_done(sim)) {
            assert_int_equal(zn_simulation_step(sim), ZN_OK);
            while (zn_simulation_next_row(sim)) assert_int_equal(zn_recorder_row(recorder), ZN_OK);
        }
        if (!kept) assert_int_equal(zn_recorder_keep(recorder, &result), ZN_OK);
        else assert_int_equal(zn_recorder_finish(recorder, true), ZN_OK);
        if (kept) assert_int_equal(zn_result_open(context, path, &result), ZN_OK);
        zn_contact_table contacts, events, hits;
        assert_int_equal(zn_result_contacts(result, &contacts), ZN_OK);
        assert_int_equal(zn_result_events(result, &events), ZN_OK);
        assert_int_equal(zn_result_contact_events(result, &hits), ZN_OK);
        assert_true(contacts.count > 0);
        assert_int_equal(events.count, 1);
        check_close(events.values[column(&events, "time")], sqrt(0.04), 1e-9);
        assert_int_equal(hits.count, 1);
        check_close(hits.values[column(&hits, "time")], sqrt(0.1), 1e-9);
        check_close(hits.values[column(&hits, "normal_before")], -sqrt(10), 1e-9);
        check_close(hits.values[column(&hits, "normal_impulse")], 2 * 1.6 * sqrt(10), 1e-9);
        check_close(hits.values[column(&hits, "energy_lost")], 10 * (1 - 0.36), 1e-9);
        const char *a = hits.names[(int)hits.values[column(&hits, "contact")]], *b = hits.names[(int)hits.values[column(&hits, "other")]];
        assert_true((!strcmp(a, "b") && !strcmp(b, "ground")) || (!strcmp(a, "ground") && !strcmp(b, "b")));
        zn_result_close(result);
        remove(path);
        zn_simulation_destroy(sim);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_of_the_scene), cmocka_unit_test(elastic_balls),
                                       cmocka_unit_test(all_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
