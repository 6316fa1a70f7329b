/* SPDX-License-Identifier: Apache-2.0 */
/* contact_events: located with what else a scene may have: events of its own, contacts that shapes find. */
#include "located_cases.h"

/* A ball with drag that bounces while another coordinate is kicked when the ball rises through q = 0.2, and is braked from x = 0.7 on.
 * Exact: the ball is DRAG; with t_k the time of the kick,
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

/* Slips of a few steps follow each other, each begins at rest: those that ended unseen were passed by the laws, one in eight. */
static void rattleback(void **state) {
    (void)state;
    const located_case c = {"rattleback", "rattleback", NULL, 4, 2000, 0, {0}, {0}, 0};
    located_outcome out = located_run(&c, "radau-2a", 2, c.steps);
    const zn_statistics *s = &out.statistics;
    print_message("%s: %ld events, %ld solves\n", c.name, s->events_located, s->event_solves);
    assert_true(s->events_captured <= s->events_located / 50);
    assert_true(s->events_located > 100);
    assert_true(s->event_solves <= 6 * s->events_located);
}

static int column(const zn_contact_table *table, const char *name) {
    for (int i = 0; i < table->n_columns; i++)
        if (!strcmp(table->columns[i], name)) return i;
    return -1;
}

/* One result has tables of found contacts, of events of the scene and of contact events, in memory and in its file. A ball falls by 0.5 on
 * the floor, e = 0.6; its shape and the floor's are named by the event. */
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

/* A box whose two corners hit the floor in turn, inelastically, thirty times within 1e-10 s: each approach is three quarters of the one
 * before. All of them are located, and the motion does not depend on the step. */
static void corners_in_turn(void **state) {
    (void)state;
    const located_case box = {"box",
                              "gravity: [0, 0, -5.348]\n"
                              "bodies:\n"
                              "  b: {type: spatial, mass: 1.771, inertia: [0.003533, 0.006451, 0.007096], position: [0, -0.03, 0.4227],\n"
                              "      rotation: {axis: [0.3397, -0.153, 1], angle: 0.9153}, velocity: [-0.6376, -0.1041, 0.783],\n"
                              "      angular_velocity: [-4.5, 5.332, 1.906]}\n"
                              "geometry: {floor: {type: plane}, g: {on: b, type: box, size: [0.1725, 0.1157, 0.195]}}\n"
                              "contacts: {c: {between: [g, floor], friction: 0.2419}}\n"
                              "simulation: {scheme: radau-2a, step: 0.01, end: 1}\n",
                              NULL,
                              1,
                              100,
                              0,
                              {0},
                              {0},
                              0};
    const struct {
        const char *name;
        int stages;
        double error;
    } schemes[] = {{"radau-2a", 3, 1e-10}, {"lobatto-3a3b", 3, 1e-10}, {"radau-2a", 2, 1e-8}, {"generalized-alpha", 0, 5e-6}};
    double q[7] = {0};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int steps = 400; steps >= 100; steps /= 2) {
            located_outcome out = located_run(&box, schemes[k].name, schemes[k].stages, steps);
            double error = 0;
            if (k == 0 && steps == 400) memcpy(q, out.q, sizeof q);
            for (int i = 0; i < 7; i++) error = fmax(error, fabs(out.q[i] - q[i]));
            print_message("%s:%d, %d steps: %.1e, %ld events\n", schemes[k].name, schemes[k].stages, steps, error,
                          out.statistics.events_located);
            assert_int_equal(out.statistics.events_captured, 0);
            assert_in_range(out.statistics.events_located, 30, 60);
            assert_true(error <= schemes[k].error * (steps == 400 ? 1 : steps == 200 ? 10 : 100));
        }
}

/* A beam with five feet falls and vibrates much faster than the step: its feet open and are hit again within it. Hardly an event is an
 * impact without a percussion (feet that settle), and nothing is left to the laws. */
static void feet_of_a_beam(void **state) {
    (void)state;
    char text[3000] =
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  beam: {type: beam, from: [0, 0.3], to: [0.6, 0.2], elements: 4, young: 2e6, poisson: 0.3, area: 1e-3, inertia: 8e-8,\n"
        "         density: 1200, damping: 2e-3, velocity: [-0.5, -0.7], angle_rate: 1.5}\n"
        "geometry:\n  floor: {type: line}\n";
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  s%d: {on: beam.node%d, type: disk, radius: 0.015}\n", i, i);
    strcat(text, "contacts:\n");
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  c%d: {between: [s%d, floor], friction: 0.%d, restitution: 0.%d}\n", i,
                 i, 3 + i, i % 2 ? 0 : 6);
    strcat(text, "simulation: {scheme: radau-2a, stages: 2, step: 2e-3, end: 1, contact_events: located}\n");
    trial r;
    assert_int_equal(trial_open(text, &r), ZN_OK);
    assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_OK);
    zn_statistics s = zn_simulation_statistics(r.simulation);
    print_message("%ld events, %ld solves, %ld captured\n", s.events_located, s.event_solves, s.events_captured);
    int empty = 0;
    for (long i = 0; i < zn_simulation_contact_event_count(r.simulation); i++) {
        zn_contact_event e = zn_simulation_contact_event(r.simulation, i);
        empty += e.kind == ZN_CONTACT_IMPACT && !(e.normal_impulse > 0);
    }
    assert_int_equal(s.events_captured, 0);
    assert_true(20 * empty <= s.events_located);
    assert_true(s.events_located >= 30 && s.event_solves <= 8 * s.events_located);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_of_the_scene), cmocka_unit_test(elastic_balls),
                                       cmocka_unit_test(rattleback),          cmocka_unit_test(all_tables),
                                       cmocka_unit_test(corners_in_turn),     cmocka_unit_test(feet_of_a_beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
