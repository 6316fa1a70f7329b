/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs: memory that fails, no allocation in steps, landing on the end, stopping, equality of the two ways in. */
#include "base/counting_allocator.h"
#include "trial.h"

#include "sim/simulation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define F(text) ZN_FORMULA(text)
static const zn_formula NONE = {0};

static const char ball_text[] = "title: Ball\n"
                                "parameters: {m: 1, R: 0.1, g: 9.81, omega: 50}\n"
                                "coordinates: {x: 0, y: 0.2, phi: {start: 0, velocity: omega}}\n"
                                "energy: {kinetic: m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2, potential: m*g*y}\n"
                                "contacts:\n"
                                "  floor: {gap: y - R, slip: [x' + R*phi'], friction: 0.2, restitution: 0.5}\n"
                                "simulation: {scheme: moreau-midpoint, step: 1e-2, end: 0.5}\n";

/* Everything a run does: scene, simulation, file. */
static zn_status whole_run(zn_context *context, const char *path) {
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_recorder *recorder = NULL;
    zn_status status = zn_scene_parse(context, "ball", ball_text, NULL, &scene);
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation);
    if (status == ZN_OK) status = zn_recorder_create(context, simulation, zn_scene_title(scene), zn_scene_text(scene), path, &recorder);
    while (status == ZN_OK && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        if (status == ZN_OK) status = zn_recorder_row(recorder);
    }
    zn_status closed = zn_recorder_finish(recorder, status == ZN_OK);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    return status == ZN_OK ? closed : status;
}

static void every_failing_allocation_is_a_clean_error(const char *path) {
    char partial[256];
    snprintf(partial, sizeof partial, "%s.partial", path);
    counting_allocator memory = COUNTING_ALLOCATOR;
    long failures = 0;
    assert_null(counting_context(&(counting_allocator){.fail_at = 0}));
    for (memory.fail_at = 1;; memory.fail_at++) {
        memory.requests = 0;
        zn_context *context = counting_context(&memory);
        zn_status status = whole_run(context, path);
        bool reached = memory.requests > memory.fail_at;
        if (reached) {
            assert_int_equal(status, ZN_ERROR_MEMORY);
            assert_true(zn_error_count(context) > 0);
            assert_non_null(strstr(zn_error_text(context), zn_status_text(ZN_ERROR_MEMORY)));
            failures++;
        } else assert_int_equal(status, ZN_OK);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
        if (!reached) break;
    }
    print_message("%ld failing allocations, each a clean error\n", failures);
    assert_true(failures > 100);
    remove(path);
    remove(partial);
}

static void failing_memory_csv(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/zeno-memory-%ld.csv", (long)getpid());
    every_failing_allocation_is_a_clean_error(path);
}

static void failing_memory_hdf5(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/zeno-memory-%ld.h5", (long)getpid());
    every_failing_allocation_is_a_clean_error(path);
}

/* ---- steps do not allocate ---- */

static void steps_do_not_allocate(void **state) {
    (void)state;
    counting_allocator memory = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&memory);
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_scene_parse(context, "ball", ball_text, NULL, &scene), ZN_OK);
    zn_settings settings = *zn_scene_settings(scene);
    settings.end = 20; /* flight, impacts, sliding, rolling, the Zeno point */
    for (int solver = ZN_SOLVER_AUTO; solver <= ZN_SOLVER_PROJECTION; solver++) {
        settings.solver = (zn_solver)solver;
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
        long before = memory.requests;
        while (!zn_simulation_done(simulation)) assert_int_equal(zn_simulation_step(simulation), ZN_OK);
        assert_int_equal(memory.requests, before);
        assert_int_equal(zn_simulation_statistics(simulation).steps, 2000);
        zn_simulation_destroy(simulation);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* ---- landing ---- */

typedef struct flight {
    zn_context *context;
    zn_model *model;
} flight;

static flight make_flight(void) {
    flight f = {.context = zn_context_create(NULL)};
    zn_formula_model *b = zn_formula_model_create(f.context);
    zn_formula_coordinate(b, "y", F("1"), F("3"));
    zn_formula_energy(b, F("y'^2/2"), F("9.81*y"));
    assert_int_equal(zn_formula_model_build(b, &f.model), ZN_OK);
    zn_formula_model_destroy(b);
    return f;
}

static void lands_on_the_end(void **state) {
    (void)state;
    static const struct {
        double step, end;
        long steps;
    } cases[] = {{0.1, 1, 10},         {0.01, 0.07, 7},         {1e-3, 10, 10000},  {0.1, 0.35, 4}, {0.3, 1, 4},
                 {1.0 / 3, 1, 3},      {0.1, 0.3, 3},           {0.7, 0.7, 1},      {2, 1, 1},      {0.1, 0, 0},
                 {0.1, 1 + 1e-12, 10}, {1e-4, 0.0999999, 1000}, {0.1, 1 + 1e-6, 11}};
    flight f = make_flight();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zn_settings settings = zn_settings_default();
        settings.step = cases[i].step;
        settings.end = cases[i].end;
        zn_simulation *simulation;
        assert_int_equal(zn_simulation_create(f.context, f.model, &settings, &simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
        assert_int_equal(zn_simulation_statistics(simulation).steps, cases[i].steps);
        assert_true(zn_simulation_time(simulation) == cases[i].end);
        /* the midpoint rule is exact for constant force */
        double t = cases[i].end;
        check_close(zn_simulation_positions(simulation)[0], 1 + 3 * t - 9.81 / 2 * t * t, 1e-11 * (1 + (double)cases[i].steps / 1000));
        check_close(zn_simulation_velocities(simulation)[0], 3 - 9.81 * t, 1e-11 * (1 + (double)cases[i].steps / 1000));
        zn_simulation_destroy(simulation);
    }
    zn_model_destroy(f.context, f.model);
    zn_context_destroy(f.context);
}

static void free_flight_keeps_energy(void **state) {
    (void)state;
    flight f = make_flight();
    zn_settings settings = zn_settings_default();
    settings.step = 1e-3;
    settings.end = 10;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(f.context, f.model, &settings, &simulation), ZN_OK);
    double start = zn_simulation_statistics(simulation).energy_start, largest = 0, worst = 0;
    while (!zn_simulation_done(simulation)) {
        assert_int_equal(zn_simulation_step(simulation), ZN_OK);
        double kinetic, potential;
        zn_simulation_energy(simulation, &kinetic, &potential);
        largest = fmax(largest, fabs(kinetic) + fabs(potential));
        worst = fmax(worst, fabs(kinetic + potential - start));
    }
    check_below(worst, 1e4 * 2.3e-16 * largest); /* round-off times steps */
    zn_simulation_destroy(simulation);
    zn_model_destroy(f.context, f.model);
    zn_context_destroy(f.context);
}

/* ---- wrong settings ---- */

static void wrong_settings_are_reported(void **state) {
    (void)state;
    flight f = make_flight();
    zn_settings good = zn_settings_default();
    good.step = 0.1;
    good.end = 1;
    zn_settings bad[8];
    for (int i = 0; i < 8; i++) bad[i] = good;
    bad[0].step = -0.1, bad[1].step = NAN, bad[2].end = -1, bad[3].end = INFINITY, bad[4].scheme = "moreau-midpiont";
    bad[5].stages = 7, bad[6].tolerance = 0, bad[7].record_every = 0;
    for (int i = 0; i < 8; i++) {
        zn_simulation *simulation = (zn_simulation *)&f;
        assert_int_equal(zn_simulation_create(f.context, f.model, &bad[i], &simulation), ZN_ERROR_ARGUMENT);
        assert_null(simulation);
        assert_int_equal(zn_error_count(f.context), 1);
        zn_error_clear(f.context);
    }
    zn_model_destroy(f.context, f.model);
    zn_context_destroy(f.context);
}

/* No scheme is the default one, whether its name is NULL or that of zn_settings_default(): also without a step, which asks for another. */
static void no_scheme_is_the_default(void **state) {
    (void)state;
    flight f = make_flight();
    for (int i = 0; i < 4; i++) {
        zn_simulation *simulation = NULL;
        zn_settings settings = zn_settings_default();
        settings.end = 1;
        if (i & 1) settings.scheme = NULL;
        if (i & 2) settings.step = 0.1;
        assert_int_equal(zn_simulation_create(f.context, f.model, &settings, &simulation), ZN_OK);
        assert_string_equal(zn_simulation_settings(simulation)->scheme, i & 2 ? "moreau-midpoint" : "radau-2a");
        assert_int_equal(zn_simulation_settings(simulation)->stages, i & 2 ? 1 : 3);
        zn_simulation_destroy(simulation);
    }
    zn_model_destroy(f.context, f.model);
    zn_context_destroy(f.context);
}

/* ---- the two ways in ---- */

static zn_model *ball_by_api(zn_context *context) {
    zn_formula_model *b = zn_formula_model_create(context);
    zn_formula_parameter(b, "m", F("1"));
    zn_formula_parameter(b, "R", F("0.1"));
    zn_formula_parameter(b, "g", F("9.81"));
    zn_formula_parameter(b, "omega", F("50"));
    zn_formula_coordinate(b, "x", NONE, NONE);
    zn_formula_coordinate(b, "y", F("0.2"), NONE);
    zn_formula_coordinate(b, "phi", NONE, F("omega"));
    zn_formula_energy(b, F("m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2"), F("m*g*y"));
    zn_formula slip = F("x' + R*phi'"), mu = F("0.2");
    zn_friction_def law = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &mu};
    zn_contact_def floor = {.gap = F("y - R"), .restitution = F("0.5"), .n_laws = 1, .laws = &law};
    assert_int_equal(zn_formula_contact(b, "floor", &floor), ZN_OK);
    zn_model *model = NULL;
    assert_int_equal(zn_formula_model_build(b, &model), ZN_OK);
    zn_formula_model_destroy(b);
    return model;
}

static void yaml_and_api_give_the_same_bits(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *one, *two;
    assert_int_equal(zn_scene_parse(context, "ball", ball_text, NULL, &scene), ZN_OK);
    zn_model *model = ball_by_api(context);
    zn_settings settings = *zn_scene_settings(scene);
    settings.end = 5;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &one), ZN_OK);
    assert_int_equal(zn_simulation_create(context, model, &settings, &two), ZN_OK);
    while (!zn_simulation_done(one)) {
        assert_int_equal(zn_simulation_step(one), ZN_OK);
        assert_int_equal(zn_simulation_step(two), ZN_OK);
        assert_memory_equal(zn_simulation_positions(one), zn_simulation_positions(two), 3 * sizeof(double));
        assert_memory_equal(zn_simulation_velocities(one), zn_simulation_velocities(two), 3 * sizeof(double));
        assert_memory_equal(zn_simulation_percussions(one), zn_simulation_percussions(two), 2 * sizeof(double));
    }
    zn_simulation_destroy(one);
    zn_simulation_destroy(two);
    zn_model_destroy(context, model);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static int stop_at_third(void *user, const zn_simulation *simulation) {
    (void)simulation;
    return ++*(int *)user == 3;
}

static void observers_can_stop(void **state) {
    (void)state;
    flight f = make_flight();
    zn_settings settings = zn_settings_default();
    settings.step = 0.1;
    settings.end = 1;
    settings.record_every = 2;
    zn_simulation *simulation;
    int calls = 0;
    assert_int_equal(zn_simulation_create(f.context, f.model, &settings, &simulation), ZN_OK);
    assert_int_equal(zn_simulation_run(simulation, stop_at_third, &calls), ZN_STOPPED);
    check_close(zn_simulation_time(simulation), 0.4, 1e-15); /* start, step 2, step 4 */
    assert_int_equal(zn_simulation_run(simulation, stop_at_third, &calls), ZN_OK);
    check_close(zn_simulation_time(simulation), 1, 0);
    assert_int_equal(calls, 6);
    zn_simulation_destroy(simulation);
    zn_model_destroy(f.context, f.model);
    zn_context_destroy(f.context);
}

static int see_last_row(void *user, const zn_simulation *simulation) {
    *(double *)user = zn_simulation_time(simulation);
    return 0;
}

/* Steps with thousands of contacts that their bounded work leaves above the tolerance: here they are only said to have happened
 * (tests/sim/test_sim_many.c has some that did). */
static void unfinished_steps_are_no_success(void **state) {
    (void)state;
    trial r = trial_begin(ball_text, (trial_options){.scheme = "moreau-midpoint"});
    double last = -1;
    trial_step(&r);
    r.simulation->unfinished_steps = 2, r.simulation->max_residual = 3.2e-4;
    assert_int_equal(zn_simulation_run(r.simulation, see_last_row, &last), ZN_ERROR_NO_CONVERGENCE);
    assert_true(zn_simulation_done(r.simulation));
    assert_true(last == zn_simulation_settings(r.simulation)->end);
    assert_non_null(strstr(zn_error_text(r.context), "2 of its steps were left above the tolerance"));
    assert_non_null(strstr(zn_error_text(r.context), "tolerance: 7e-04 would accept this"));
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_memory_csv),       cmocka_unit_test(failing_memory_hdf5),
        cmocka_unit_test(steps_do_not_allocate),    cmocka_unit_test(lands_on_the_end),
        cmocka_unit_test(free_flight_keeps_energy), cmocka_unit_test(wrong_settings_are_reported),
        cmocka_unit_test(no_scheme_is_the_default), cmocka_unit_test(yaml_and_api_give_the_same_bits),
        cmocka_unit_test(observers_can_stop),       cmocka_unit_test(unfinished_steps_are_no_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
