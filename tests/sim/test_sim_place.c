/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots that are none, states that are set, simulations that begin again. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>

static unsigned char *save(const trial *r, size_t *size) {
    assert_int_equal(zn_simulation_save(r->simulation, NULL, 0, size), ZN_OK);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(zn_simulation_save(r->simulation, bytes, *size, size), ZN_OK);
    return bytes;
}

/* The sentence of a snapshot that is refused; nothing has changed. */
static void refuse(trial *r, const void *bytes, size_t size, const char *sentence) {
    size_t before, after;
    unsigned char *was = save(r, &before);
    zn_error_clear(r->context);
    assert_int_equal(zn_simulation_restore(r->simulation, bytes, size), ZN_ERROR_ARGUMENT);
    if (!strstr(zn_error_text(r->context), sentence)) fail_msg("'%s' does not say '%s'", zn_error_text(r->context), sentence);
    zn_error_clear(r->context);
    unsigned char *is = save(r, &after);
    assert_int_equal(before, after);
    assert_memory_equal(was, is, before);
    free(was), free(is);
}

static void malformed_snapshots_are_errors(void **state) {
    (void)state;
    trial a = trial_begin("slider-crank", (trial_options){.scheme = "radau-2a"}),
          b = trial_begin("slider-crank", (trial_options){.scheme = "radau-2a"});
    for (int i = 0; i < 40; i++) trial_step(&a);
    size_t size, small;
    unsigned char *good = save(&a, &size), *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(zn_simulation_save(a.simulation, bytes, size - 1, &small), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_simulation_save(a.simulation, NULL, 0, NULL), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_simulation_restore(a.simulation, NULL, 0), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_simulation_restore(NULL, good, size), ZN_ERROR_ARGUMENT);
    unsigned seed = 7;
    for (size_t n = 0; n < size; n += 1 + n / 8) refuse(&b, good, n, n < 72 ? "not a snapshot" : "not complete");
    memcpy(bytes, good, size), bytes[size] = 0;
    refuse(&b, bytes, size + 1, "not complete");
    for (int i = 0; i < 200; i++) { /* a bit anywhere */
        seed = seed * 1664525u + 1013904223u;
        size_t at = (seed >> 4) % size;
        memcpy(bytes, good, size);
        bytes[at] ^= (unsigned char)(1u << (seed >> 29));
        refuse(&b, bytes, size, at < 8 ? "not a snapshot" : "");
    }
    for (int i = 0; i < 50; i++) { /* anything */
        for (size_t k = 0; k < size; k++) seed = seed * 1664525u + 1013904223u, bytes[k] = (unsigned char)(seed >> 24);
        if (i % 2) memcpy(bytes, good, 8);
        refuse(&b, bytes, size, "snapshot");
    }
    assert_int_equal(zn_simulation_restore(b.simulation, good, size), ZN_OK);
    trial_step(&a), trial_step(&b);
    assert_true(trial_q(&a, 0) == trial_q(&b, 0));
    free(good), free(bytes);
    trial_end(&a), trial_end(&b);
}

static void snapshots_of_others_are_refused(void **state) {
    (void)state;
    trial a = trial_begin("slider-crank", (trial_options){.scheme = "radau-2a"});
    static const struct {
        const char *scene;
        trial_options options;
        const char *sentence;
    } others[] = {
        {"slider-crank", {.scheme = "rattle"}, "other settings"},
        {"slider-crank", {.scheme = "radau-2a", .step = 2e-4}, "other settings"},
        {"slider-crank", {.scheme = "radau-2a", .set = "m1=0.5"}, "another model"},
        {"slider-crank", {.scheme = "radau-2a", .set = "mu=0.2"}, "another model"},
        {"slider-crank-parts", {.scheme = "radau-2a"}, "another model"},
        {"box-stack", {.scheme = "radau-2a"}, "another model"},
    };
    size_t size;
    unsigned char *bytes = save(&a, &size);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        trial b = trial_begin(others[i].scene, others[i].options);
        refuse(&b, bytes, size, others[i].sentence);
        trial_end(&b);
    }
    trial b = trial_begin("slider-crank", (trial_options){.scheme = "radau-2a", .end = 0.3}); /* another end is fine */
    assert_int_equal(zn_simulation_restore(b.simulation, bytes, size), ZN_OK);
    free(bytes);
    trial_end(&a), trial_end(&b);
}

static void a_reset_is_a_new_start(void **state) {
    (void)state;
    static const char *const scenes[] = {"rotating-ball", "slider-crank", "box-stack", "bricard", "dominoes"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        trial a = trial_begin(scenes[i], (trial_options){0}), b = trial_begin(scenes[i], (trial_options){0});
        size_t size_a, size_b;
        for (int k = 0; k < 50; k++) trial_step(&a);
        assert_int_equal(zn_simulation_reset(a.simulation), ZN_OK);
        assert_true(zn_simulation_time(a.simulation) == 0);
        for (int k = 0; k < 20; k++) trial_step(&a), trial_step(&b);
        unsigned char *x = save(&a, &size_a), *y = save(&b, &size_b);
        assert_int_equal(size_a, size_b);
        assert_memory_equal(x, y, size_a);
        free(x), free(y);
        trial_end(&a), trial_end(&b);
    }
}

/* A rod of length 1 that hangs: any place is moved onto the circle, any velocity along its tangent. */
static const char rod[] = "parameters: {m: 2, g: 9.81}\n"
                          "coordinates: {x: 0, y: -1}\n"
                          "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y}\n"
                          "constraints: {rod: {position: x^2 + y^2 - 1}}\n"
                          "simulation: {scheme: radau-2a:2, step: 1e-3, end: 5}\n";

static void states_are_projected(void **state) {
    (void)state;
    for (int k = 0; k < zn_scheme_count(); k++) {
        trial r = trial_begin(rod, (trial_options){.scheme = zn_scheme_get(k).name});
        for (int i = 0; i < 10; i++) trial_step(&r);
        const double q[2] = {0.63, -0.81}, u[2] = {1, 2};
        assert_int_equal(zn_simulation_set_state(r.simulation, q, u, false), ZN_ERROR_START);
        zn_error_clear(r.context);
        check_close(trial_q(&r, 0), 0, 1e-12);
        assert_int_equal(zn_simulation_set_state(r.simulation, q, u, true), ZN_OK);
        double x = trial_q(&r, 0), y = trial_q(&r, 1), v = trial_u(&r, 0), w = trial_u(&r, 1), norm = hypot(q[0], q[1]);
        check_close(x, q[0] / norm, 1e-9); /* the nearest point of the circle */
        check_close(y, q[1] / norm, 1e-9);
        double along = u[0] * -y + u[1] * x;
        check_close(v, along * -y, 1e-9);
        check_close(w, along * x, 1e-9);
        double energy = v * v + w * w + 2 * 9.81 * y;
        for (int i = 0; i < 300; i++) trial_step(&r);
        x = trial_q(&r, 0), y = trial_q(&r, 1), v = trial_u(&r, 0), w = trial_u(&r, 1);
        check_close(v * v + w * w + 2 * 9.81 * y, energy, 0.05); /* and the motion goes on from there */
        trial_end(&r);
    }
}

/* After a throw from a set state a ball is where it must be, with steps of both kinds and rows inside them. */
static void motion_goes_on_from_a_set_state(void **state) {
    (void)state;
    static const char ball[] = "coordinates: {x: 0, y: 1}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                               "contacts: {floor: {gap: y, slip: x', friction: 0.3, restitution: 0.5}}\n"
                               "simulation: {scheme: radau-2a:2, step: 1e-2, end: 2, record_step: 4e-3}\n";
    for (int automatic = 0; automatic < 2; automatic++) {
        trial r = trial_begin(ball, (trial_options){.scheme = "radau-2a", .stages = 2});
        zn_settings settings = *zn_scene_settings(r.scene);
        settings.step_auto = automatic;
        zn_simulation_destroy(r.simulation);
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        while (zn_simulation_time(r.simulation) < 0.7) trial_step(&r);
        double t = zn_simulation_time(r.simulation), q[2] = {0, 5}, u[2] = {1, 0};
        assert_int_equal(zn_simulation_set_state(r.simulation, q, u, false), ZN_OK);
        assert_false(zn_simulation_next_row(r.simulation));
        while (zn_simulation_time(r.simulation) < 1.2) {
            trial_step(&r);
            while (zn_simulation_next_row(r.simulation)) {
                double after = zn_simulation_time(r.simulation) - t;
                assert_true(after > 0);
                check_close(trial_q(&r, 0), after, 1e-9);
                check_close(trial_q(&r, 1), 5 - 5 * after * after, 1e-8);
            }
        }
        const double bad[2] = {NAN, 0};
        assert_int_equal(zn_simulation_set_state(r.simulation, bad, NULL, true), ZN_ERROR_ARGUMENT);
        const double below[2] = {0, -1};
        assert_int_equal(zn_simulation_set_state(r.simulation, below, NULL, false), ZN_ERROR_START);
        assert_int_equal(zn_simulation_set_state(r.simulation, below, NULL, true), ZN_OK);
        check_close(trial_q(&r, 1), 0, 1e-9);
        assert_int_equal(zn_simulation_set_state(NULL, bad, NULL, true), ZN_ERROR_ARGUMENT);
        trial_end(&r);
    }
}

/* Shapes that find each other do so at a set state, too. */
static void set_states_meet_others(void **state) {
    (void)state;
    trial r = trial_begin("box-stack", (trial_options){0});
    const zn_model *model = zn_simulation_model(r.simulation);
    for (int i = 0; i < 20; i++) trial_step(&r);
    double *q = calloc((size_t)model->size.nq, sizeof *q), *u = calloc((size_t)model->size.nu, sizeof *u);
    assert_true(q && u);
    memcpy(q, zn_simulation_positions(r.simulation), (size_t)model->size.nq * sizeof *q);
    q[1] += 0.25; /* one body is lifted, and falls back */
    assert_int_equal(zn_simulation_set_state(r.simulation, q, u, true), ZN_OK);
    for (int i = 0; i < 20; i++) trial_step(&r);
    assert_true(zn_simulation_statistics(r.simulation).max_penetration < 1e-3);
    free(q), free(u);
    trial_end(&r);
}

/* A run that an event has stopped is stopped where it goes on; another state is a new beginning, and events see it. */
static void stops_are_part_of_snapshots(void **state) {
    (void)state;
    const char *text = "coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 10*y}\n"
                       "events: {top: {when: y', do: record}, down: {when: y, direction: down, do: stop, message: it is down}}\n"
                       "simulation: {step: 0.01, end: 3}\n";
    trial r = trial_complete(text, (trial_options){.scheme = "radau-2a"});
    trial other = trial_begin(text, (trial_options){.scheme = "radau-2a"});
    size_t size;
    unsigned char *bytes = save(&r, &size);
    assert_false(zn_simulation_done(other.simulation));
    assert_int_equal(zn_simulation_restore(other.simulation, bytes, size), ZN_OK);
    assert_true(zn_simulation_done(other.simulation));
    assert_string_equal(zn_simulation_stop_message(other.simulation), "it is down");
    double t = zn_simulation_time(other.simulation), y = -2, v = 0; /* below, falling: nothing happens there */
    assert_int_equal(zn_simulation_set_state(other.simulation, &y, &v, false), ZN_OK);
    assert_null(zn_simulation_stop_message(other.simulation));
    trial_run(&other);
    check_close(zn_simulation_time(other.simulation), 3, 1e-12);
    check_close(trial_q(&other, 0), -2 - 5 * (3 - t) * (3 - t), 1e-9);
    assert_int_equal(zn_simulation_restore(other.simulation, bytes, size), ZN_OK);
    y = 0.8, v = 0;
    assert_int_equal(zn_simulation_set_state(other.simulation, &y, &v, false), ZN_OK);
    trial_run(&other);
    check_close(zn_simulation_time(other.simulation), t + 0.4, 1e-9);
    free(bytes);
    trial_end(&r);
    trial_end(&other);
}

/* Tables that inputs follow: where a run goes on they must be the same ones; a reset keeps them. */
static void tables_belong_to_the_run(void **state) {
    (void)state;
    const char *text = "inputs: {F: 0, G: 0}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nforces: {x: F + G}\n"
                       "simulation: {step: 0.07, end: 2}\n";
    const double t[] = {0, 1, 1.5}, F[] = {3, -3, 0}, G[] = {3, -3, 1};
    const zn_table_def table = {.n = 3, .x = t, .y = F}, changed = {.n = 3, .x = t, .y = G};
    for (int held = 0; held < 2; held++) {
        trial r = trial_begin(text, (trial_options){.scheme = "rattle"}), other = trial_begin(text, (trial_options){.scheme = "rattle"});
        assert_int_equal(zn_simulation_follow(r.simulation, "F", &table, held), ZN_OK);
        for (int i = 0; i < 12; i++) trial_step(&r);
        size_t size;
        unsigned char *bytes = save(&r, &size);
        refuse(&other, bytes, size, "the input 'F' follows a table: it must follow the same one here");
        assert_int_equal(zn_simulation_follow(other.simulation, "F", &changed, held), ZN_OK);
        refuse(&other, bytes, size, "the input 'F' follows another table than here");
        assert_int_equal(zn_simulation_follow(other.simulation, "F", &table, !held), ZN_OK);
        refuse(&other, bytes, size, "the input 'F' follows another table than here");
        assert_int_equal(zn_simulation_follow(other.simulation, "F", &table, held), ZN_OK);
        assert_int_equal(zn_simulation_follow(other.simulation, "G", &table, held), ZN_OK);
        refuse(&other, bytes, size, "the input 'G' follows no table, as it does here");
        trial same = trial_begin(text, (trial_options){.scheme = "rattle"});
        assert_int_equal(zn_simulation_follow(same.simulation, "F", &table, held), ZN_OK);
        assert_int_equal(zn_simulation_restore(same.simulation, bytes, size), ZN_OK);
        trial_run(&r), trial_run(&same);
        assert_true(trial_q(&r, 0) == trial_q(&same, 0) && trial_u(&r, 0) == trial_u(&same, 0));
        double x = trial_q(&r, 0);
        if (held) check_close(x, 2 * 1.6875, 1e-12);
        assert_int_equal(zn_simulation_reset(r.simulation), ZN_OK);
        assert_true(trial_q(&r, 0) == 0);
        trial_run(&r);
        assert_true(trial_q(&r, 0) == x);
        free(bytes);
        trial_end(&r), trial_end(&other), trial_end(&same);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_snapshots_are_errors),  cmocka_unit_test(snapshots_of_others_are_refused),
        cmocka_unit_test(a_reset_is_a_new_start),          cmocka_unit_test(states_are_projected),
        cmocka_unit_test(motion_goes_on_from_a_set_state), cmocka_unit_test(set_states_meet_others),
        cmocka_unit_test(stops_are_part_of_snapshots),     cmocka_unit_test(tables_belong_to_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
