/* SPDX-License-Identifier: Apache-2.0 */
/* Many contacts in simulations: pieces that do not touch move as if they were alone, heaps keep what mechanics keeps, loose tolerances are
 * honest, and a run can be stopped inside of a step. */
#include "trial.h"

#include <stdlib.h>

enum { COPIES = 9, SIDE = 3, SPHERES = SIDE * SIDE * SIDE, TEXT = 40000 };

/* Boxes that slide and come to rest, far from each other. */
static char *boxes(int copies) {
    char *text = calloc(TEXT, 1);
    int n = snprintf(text, TEXT, "gravity: [0, 0, -10]\nbodies:\n");
    for (int i = 0; i < copies; i++)
        n += snprintf(text + n, (size_t)(TEXT - n),
                      "  b%d: {type: spatial, shape: {type: box, size: [0.2, 0.2, 0.1]}, density: 100, position: [%d, 0, 0.051], velocity: "
                      "[0.5, 0.2, 0]}\n",
                      i, i);
    n += snprintf(text + n, (size_t)(TEXT - n), "geometry:\n  floor: {type: plane, normal: [0, 0, 1]}\ncontacts:\n");
    for (int i = 0; i < copies; i++)
        n += snprintf(text + n, (size_t)(TEXT - n), "  c%d: {between: [b%d, floor], friction: 0.4, restitution: 0.2}\n", i, i);
    snprintf(text + n, (size_t)(TEXT - n), "simulation: {step: 1e-3, end: 0.2}\n");
    return text;
}

static void separate_boxes_move_as_one(void **state) {
    (void)state;
    const char *schemes[] = {"moreau-midpoint", "moreau-shifted", "rattle", "radau-2a", "lobatto-3c", "sdirk2", "tr-bdf2"};
    char *one_text = boxes(1), *many_text = boxes(COPIES);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        trial one = trial_complete(one_text, (trial_options){.scheme = schemes[k]});
        trial many = trial_complete(many_text, (trial_options){.scheme = schemes[k]});
        zn_statistics s = zn_simulation_statistics(many.simulation);
        assert_int_equal(s.components_max, COPIES);
        assert_int_equal(zn_simulation_statistics(one.simulation).components_max, 0); /* few contacts: all together */
        check_below(s.max_residual, 1e-10);
        int nq = zn_simulation_model(one.simulation)->size.nq;
        for (int i = 0; i < COPIES; i++)
            for (int j = 0; j < nq; j++) check_close(trial_q(&many, i * nq + j) - (j == 0 ? i : 0), trial_q(&one, j), 1e-8);
        trial_end(&one);
        trial_end(&many);
    }
    free(one_text), free(many_text);
}

/* A cube of spheres, each layer above the gaps of the one below, falls into an open box. */
static char *heap(void) {
    char *text = calloc(TEXT, 1);
    int n = snprintf(text, TEXT, "gravity: [0, 0, -10]\nbodies:\n");
    for (int i = 0; i < SPHERES; i++) {
        int layer = i / (SIDE * SIDE), x = i % SIDE, y = i / SIDE % SIDE;
        double shift = layer % 2 * 0.1, jitter = 0.001 * (i * 7 % 5);
        n += snprintf(text + n, (size_t)(TEXT - n),
                      "  b%d: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 1, position: [%.9g, %.9g, %.9g]}\n", i,
                      0.22 * x + shift + jitter, 0.22 * y + shift - jitter, 0.101 + 0.16 * layer);
    }
    n += snprintf(
        text + n, (size_t)(TEXT - n),
        "geometry:\n  floor: {type: plane, normal: [0, 0, 1]}\n  left: {type: plane, normal: [1, 0, 0], at: [-0.12, 0, 0]}\n"
        "  right: {type: plane, normal: [-1, 0, 0], at: [0.66, 0, 0]}\n  front: {type: plane, normal: [0, 1, 0], at: [0, -0.12, 0]}\n"
        "  back: {type: plane, normal: [0, -1, 0], at: [0, 0.66, 0]}\n");
    snprintf(text + n, (size_t)(TEXT - n),
             "contacts: {all: {between: all, friction: 0.3}}\nsimulation: {step: 2e-3, end: 0.3, tolerance: 1e-8}\n");
    return text;
}

static void a_heap_settles(void **state) {
    (void)state;
    char *text = heap();
    const double tolerances[] = {1e-3, 1e-6, 1e-8};
    for (int k = 0; k < 3; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = "moreau-midpoint", .tolerance = tolerances[k]});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_residual, tolerances[k]);
        assert_true(s.components_max > 0 && s.sweeps > 0);
        check_below(s.energy_end, s.energy_start);                 /* contacts without restitution create none */
        check_below(s.max_penetration, 2e-3 * sqrt(2 * 10 * 0.4)); /* a step at the speed of the fall, at most */
        trial_end(&r);
    }
    trial r = trial_complete(text, (trial_options){.scheme = "rattle", .end = 0.1, .tolerance = 1e-8});
    check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-9); /* gaps are equations */
    trial_end(&r);
    free(text);
}

/* The stages of Runge-Kutta schemes are solved in components, too: gaps are equations, the floor carries the weight, and impacts create no
 * energy. */
static void a_heap_settles_in_stages(void **state) {
    (void)state;
    const char *schemes[] = {"radau-2a", "lobatto-3c", "sdirk2", "tr-bdf2"};
    char *text = heap();
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k], .end = 0.08, .tolerance = 1e-8});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_true(s.components_max > 0 && s.sweeps > 0);
        check_below(s.max_residual, 1e-8);
        check_below(s.max_penetration, 1e-9);
        check_below(s.energy_end, s.energy_start);
        trial_end(&r);
    }
    free(text);
}

/* Threads change no bit: of separate boxes, which they share, and of a heap, whose loops they share. */
static void threads_change_nothing(void **state) {
    (void)state;
    char *texts[] = {boxes(COPIES), heap()};
    const char *schemes[] = {"moreau-midpoint", "radau-2a"};
    for (int k = 0; k < 4; k++) {
        trial one = {0};
        for (int threads = 1; threads <= 3; threads++) {
            trial r =
                trial_begin(texts[k / 2], (trial_options){.scheme = schemes[k % 2], .end = 0.05, .tolerance = 1e-8, .threads = threads});
            while (!zn_simulation_done(r.simulation)) assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
            size_t nq = (size_t)zn_simulation_model(r.simulation)->size.nq, nu = (size_t)zn_simulation_model(r.simulation)->size.nu;
            if (threads == 1) {
                one = r;
                continue;
            }
            assert_memory_equal(zn_simulation_positions(r.simulation), zn_simulation_positions(one.simulation), nq * sizeof(double));
            assert_memory_equal(zn_simulation_velocities(r.simulation), zn_simulation_velocities(one.simulation), nu * sizeof(double));
            trial_end(&r);
        }
        trial_end(&one);
    }
    free(texts[0]), free(texts[1]);
}

/* 7 x 7 x 7 balls that touch each other, pushed to a corner of a box: one component of more than a thousand contacts, so that every loop is
 * shared. */
static const char block[] =
    "gravity: [3, 2, -10]\n"
    "repeat: {x: 0..6, repeat: {y: 0..6, repeat: {z: 0..6, bodies: {'b{x}{y}{z}': {type: spatial, mass: 1, shape: {type: sphere, radius: "
    "0.1}, "
    "position: ['0.2*{x}', '0.2*{y}', '0.2*{z}']}}}}}\n"
    "geometry: {floor: {type: plane, at: [0, 0, -0.1]}, right: {type: plane, normal: [-1, 0, 0], at: [1.3, 0, 0]},\n"
    "  back: {type: plane, normal: [0, -1, 0], at: [0, 1.3, 0]}}\n"
    "contacts: {all: {between: all, friction: 0.3}}\nsimulation: {step: 1e-3, end: 4e-3, tolerance: 1e-2}\n";

/* Simulations of one context share its threads, also when a later one asks for more of them than there were. */
static void simulations_share_threads(void **state) {
    (void)state;
    const char *schemes[] = {"moreau-midpoint", "rattle", "moreau-shifted", "radau-2a"};
    for (int k = 0; k < 4; k++) {
        trial_options o = {.scheme = schemes[k], .end = 4e-3, .tolerance = 1e-2, .threads = 1};
        trial alone = trial_complete(block, o);
        zn_sizes size = zn_simulation_model(alone.simulation)->size;
        assert_true(zn_simulation_statistics(alone.simulation).found_max > 1000);
        o.threads = 2;
        trial two = trial_begin(block, o);
        zn_settings settings = trial_settings(two.scene, &o);
        settings.threads = 4;
        zn_simulation *four, *simulations[2] = {two.simulation};
        assert_int_equal(zn_simulation_create(two.context, zn_scene_model(two.scene), &settings, &four), ZN_OK);
        simulations[1] = four;
        while (!zn_simulation_done(four))
            for (int i = 0; i < 2; i++) assert_int_equal(zn_simulation_step(simulations[i]), ZN_OK);
        for (int i = 0; i < 2; i++) {
            assert_memory_equal(zn_simulation_positions(simulations[i]), zn_simulation_positions(alone.simulation),
                                (size_t)size.nq * sizeof(double));
            assert_memory_equal(zn_simulation_velocities(simulations[i]), zn_simulation_velocities(alone.simulation),
                                (size_t)size.nu * sizeof(double));
        }
        zn_simulation_destroy(four);
        trial_end(&two);
        trial_end(&alone);
    }
}

enum { PYRAMID_ROWS = 20 };
static const char pyramid[] = "parameters: {n: 20, a: 0.2, b: 0.1}\ngravity: [0, -10]\n"
                              "templates: {row: {parameters: {k: ~}, repeat: {c: 1..n+1-k, bodies: {'r{k}c{c}': {type: planar, "
                              "shape: {type: box, size: [a, b]}, mass: 1, position: ['1.05*a*({c} + {k}/2)', '({k} - 0.5)*b']}}}}}\n"
                              "repeat: {row: 1..n, use: {'row{row}': {template: row, k: '{row}'}}}\n"
                              "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, friction: 0.5}}\n"
                              "simulation: {scheme: moreau-midpoint, step: 0.01, end: 0.3}\n";

static void check_that_it_stands(const trial *r) {
    int nq = zn_simulation_model(r->simulation)->size.nq;
    assert_int_equal(nq, 3 * PYRAMID_ROWS * (PYRAMID_ROWS + 1) / 2);
    for (int j = 0; j < nq; j++) check_close(trial_q(r, j), zn_simulation_model(r->simulation)->q_start[j], 1e-10);
}

/* A pyramid of 210 bricks stands: once its forces are found, a step takes one factorisation at most, and the floor carries the weight. */
static void a_pyramid_stands(void **state) {
    (void)state;
    enum { STEPS = 30 };
    trial r = trial_begin(pyramid, (trial_options){0});
    long first = 0;
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
        if (k == 0) first = zn_simulation_statistics(r.simulation).factorisations;
    }
    zn_statistics s = zn_simulation_statistics(r.simulation);
    assert_in_range(first, 1, 20); /* the interior point method finds them from afar */
    assert_in_range(s.factorisations - first, 0, STEPS - 1);
    check_below(s.max_residual, 1e-10);
    check_that_it_stands(&r);
    trial_end(&r);
}

/* With generalized-alpha all contacts are in one matrix, whose rows depend on each other: forces of least norm. */
static void a_pyramid_stands_by_least_norm(void **state) {
    (void)state;
    enum { STEPS = 3 };
    trial r = trial_begin(pyramid, (trial_options){.scheme = "generalized-alpha"});
    for (int k = 0; k < STEPS; k++) assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
    zn_statistics s = zn_simulation_statistics(r.simulation);
    assert_int_equal(s.least_norm_steps, STEPS);
    check_below(s.max_residual, 1e-10);
    check_that_it_stands(&r);
    double carried = 0, weight = 10 * PYRAMID_ROWS * (PYRAMID_ROWS + 1) / 2;
    for (int k = 0; k < zn_simulation_pair_count(r.simulation); k++) {
        zn_pair_total pair = zn_simulation_pair(r.simulation, k);
        if (strcmp(pair.bodies[0], "world") == 0) carried += pair.normal;
    }
    check_close(carried, STEPS * 0.01 * weight, 1e-8);
    trial_end(&r);
}

/* So does a wall of 230 bricks, whose forces are found at once, too. */
static void a_wall_stands(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {a: 0.2, b: 0.1}\ngravity: [0, -10]\ntemplates:\n"
        "  lower: {parameters: {k: ~}, repeat: {c: 1..12, bodies: {'l{k}c{c}': {type: planar, "
        "shape: {type: box, size: [a, b]}, mass: 1, position: ['1.001*a*{c}', '(2*{k} - 1.5)*b']}}}}\n"
        "  upper: {parameters: {k: ~}, repeat: {c: 1..11, bodies: {'u{k}c{c}': {type: planar, "
        "shape: {type: box, size: [a, b]}, mass: 1, position: ['1.001*a*({c} + 0.5)', '(2*{k} - 0.5)*b']}}}}\n"
        "repeat: {row: 1..10, use: {'l{row}': {template: lower, k: '{row}'}, 'u{row}': {template: upper, k: '{row}'}}}\n"
        "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, friction: 0.5}}\n"
        "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.01}\n";
    trial r = trial_complete(text, (trial_options){0});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    assert_in_range(s.factorisations, 1, 20);
    check_below(s.max_residual, 1e-10);
    for (int j = 0; j < zn_simulation_model(r.simulation)->size.nq; j++)
        check_close(trial_q(&r, j), zn_simulation_model(r.simulation)->q_start[j], 1e-10);
    trial_end(&r);
}

/* A stopped simulation is at a good state, and goes on to the same end. */
static void stops_and_goes_on(void **state) {
    (void)state;
    char *text = heap();
    volatile int stop = 0;
    trial straight = trial_complete(text, (trial_options){.scheme = "moreau-midpoint", .end = 0.1});
    trial r = trial_begin(text, (trial_options){.scheme = "moreau-midpoint", .end = 0.1});
    zn_context_watch(r.context, &stop);
    for (int k = 0; !zn_simulation_done(r.simulation); k++) {
        double t = zn_simulation_time(r.simulation);
        stop = k % 3 == 1;
        zn_status status = zn_simulation_step(r.simulation);
        if (status == ZN_OK) continue; /* nothing took long */
        assert_int_equal(status, ZN_STOPPED);
        assert_true(stop && zn_simulation_time(r.simulation) == t);
        assert_int_equal(zn_error_count(r.context), 0);
    }
    int nq = zn_simulation_model(r.simulation)->size.nq;
    assert_memory_equal(zn_simulation_positions(r.simulation), zn_simulation_positions(straight.simulation), (size_t)nq * sizeof(double));
    trial_end(&straight);
    trial_end(&r);
    free(text);
}

/* Disks on top of each other, at rest: the lowest contact carries all of them, and what one sweep passes on it passes on by one disk. */
enum { COLUMN = 1100 };
static const char column[] =
    "gravity: [0, -10]\n"
    "repeat:\n"
    "  k: 1..1100\n"
    "  bodies: {'d{k}': {type: planar, shape: {type: disk, radius: 0.05}, mass: 1, position: [0, '0.1*{k} - 0.05']}}\n"
    "geometry: {floor: {type: line}}\n"
    "contacts: {all: {between: all, friction: 0.5}}\n"
    "simulation: {step: 1e-3, end: 2e-3}\n";

static void count_unfinished(void *user, zn_log_level level, const char *message) {
    if (level == ZN_LOG_WARNING && strstr(message, "ended with a residual of")) ++*(int *)user;
}

/* The largest rate at which neighbours of the column, or the lowest disk and the floor, approach each other. */
static double fastest_approach(const trial *r) {
    double most = 0, below = 0;
    for (int k = 0; k < COLUMN; k++) {
        double v = trial_u(r, 3 * k + 1);
        most = fmax(most, below - v);
        below = v;
    }
    return most;
}

/* Projections alone do not find the forces of the column within the work of a step, and parts of a step are no easier: the run goes on from
 * the best point, does not call that a success, and what it says is true: the residual, that a step like the first is solved to the
 * tolerance it names, and that another solver finds the forces. */
static void unfinished_steps_of_a_column(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau-midpoint", "radau-2a"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial_options o = {.scheme = schemes[i], .solver = ZN_SOLVER_PROJECTION, .tolerance = 1e-8};
        int warnings = 0;
        trial r = {.context = zn_context_create(&(zn_context_def){.log = count_unfinished, .log_user = &warnings})};
        assert_int_equal(zn_scene_parse(r.context, "column", column, NULL, &r.scene), ZN_OK);
        zn_settings settings = trial_settings(r.scene, &o);
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_ERROR_NO_CONVERGENCE);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_true(zn_simulation_done(r.simulation));
        assert_true(zn_simulation_time(r.simulation) == 2e-3);
        assert_true(s.unfinished_steps >= 1 && s.unfinished_steps <= 2);
        assert_int_equal(s.rejected, 0);
        assert_int_equal(warnings, 1);
        assert_true(s.max_residual > 1e-8 && s.max_residual <= 1e-2);
        check_below(fastest_approach(&r), s.max_residual);
        for (int k = 0; k < COLUMN; k++) /* none is thrown up, or falls faster than it would alone */
            assert_true(trial_u(&r, 3 * k + 1) >= -10 * 2e-3 - s.max_residual && trial_u(&r, 3 * k + 1) <= s.max_residual);
        const char *text = zn_error_text(r.context), *advice = strstr(text, "; tolerance: ");
        assert_non_null(strstr(text, "left above the tolerance 1e-08"));
        assert_non_null(advice);
        assert_non_null(strstr(advice, "or try solver: auto"));
        double tolerance = strtod(advice + strlen("; tolerance: "), NULL);
        trial_end(&r);
        o.tolerance = tolerance, o.end = 1e-3; /* later steps would start from another state */
        trial loose = trial_complete(column, o);
        s = zn_simulation_statistics(loose.simulation);
        assert_int_equal(s.unfinished_steps, 0);
        check_below(s.max_residual, tolerance);
        trial_end(&loose);
        o.solver = ZN_SOLVER_AUTO, o.tolerance = 1e-8, o.end = 2e-3;
        trial solved = trial_complete(column, o);
        check_below(zn_simulation_statistics(solved.simulation).max_residual, 1e-8);
        for (int k = 0; k < COLUMN; k++) check_close(trial_u(&solved, 3 * k + 1), 0, (k + 1) * 1e-8); /* residuals of the contacts below */
        trial_end(&solved);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(separate_boxes_move_as_one),
                                       cmocka_unit_test(a_heap_settles),
                                       cmocka_unit_test(a_heap_settles_in_stages),
                                       cmocka_unit_test(threads_change_nothing),
                                       cmocka_unit_test(simulations_share_threads),
                                       cmocka_unit_test(a_pyramid_stands),
                                       cmocka_unit_test(a_pyramid_stands_by_least_norm),
                                       cmocka_unit_test(a_wall_stands),
                                       cmocka_unit_test(stops_and_goes_on),
                                       cmocka_unit_test(unfinished_steps_of_a_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
