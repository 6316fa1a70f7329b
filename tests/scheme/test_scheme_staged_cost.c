/* SPDX-License-Identifier: Apache-2.0 */
/* What friction_law: staged costs: iterations against accumulated where slip is straight, attempts that fail, memory. Where
 * slip is straight both laws have the same solution. */
#include "projected_runs.h"

#include "scheme/failing_memory.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const method METHODS[] = {{"radau-2a", 2},     {"radau-2a", 3},     {"lobatto-3c", 3},       {"tr-bdf2", 0},
                                 {"lobatto-3a3b", 2}, {"lobatto-3a3b", 3}, {"generalized-alpha", 0}};

#define SLIDER(motion, potential, end)                                          \
    "title: slider\n"                                                           \
    "coordinates: {x: {start: 1, velocity: " motion ", z: 0}\n"                 \
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2, potential: 10*z" potential "}\n" \
    "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1}}\n"              \
    "simulation: {step: 5e-3, end: " end "}\n"
#define BOX_BODY(name, motion)                                                                                              \
    "  " name ": {type: spatial, mass: 1, inertia: [0.01, 0.01, 0.015], " motion ", geometry: {\n"                          \
    "        feet: {type: points, points: [[0.2, 0.2, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0.2, -0.2, -0.1]]},\n" \
    "        top: {type: plane, at: [0, 0, 0.1]}}}\n"

static const char STRAIGHT[] = SLIDER("3}, y: {start: 0, velocity: 2}", "", "1");
static const char PULLED[] = SLIDER("3}, y: 0", " + 2*x^2 + x^4", "0.2");
static const char BOX[] =
    "title: box on four feet\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n" BOX_BODY("box",
                         "position: [0, 0, 0.1], velocity: [2, 1, 0]") "geometry: {floor: {type: plane}}\n"
                                                                       "contacts: {foot: {between: [box.feet, floor], friction: 0.3}}\n"
                                                                       "simulation: {step: 5e-3, end: 0.4}\n";
static const char DROPPED[] =
    "title: box, dropped\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n" BOX_BODY("box", "position: [0, 0, 0.11], velocity: [2, 1, 0]") "geometry: {floor: {type: plane}}\n"
                                                                               "contacts: {foot: {between: [box.feet, "
                                                                               "floor], friction: 0.3, restitution: 0.3}}\n"
                                                                               "simulation: {step: 5e-3, end: 0.4}\n";
/* Bounces, slips straight and rolls on, where each step is the last one again: no start of it may cost iterations for ever. */
#define BALL(speed)                                                                                       \
    "title: ball rolls on\n"                                                                              \
    "coordinates: {x: {start: 0, velocity: " speed "}, y: {start: 0, velocity: 1}, z: 0.1, a: 0, b: 0}\n" \
    "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + 2e-3*(a'^2 + b'^2), potential: 10*z}\n"                   \
    "contacts: {floor: {gap: z, slip: [x' + 0.1*a', y' + 0.1*b'], friction: 0.1, restitution: 0.5}}\n"    \
    "simulation: {step: 5e-3, end: 3}\n"
/* Its upper box slides for two steps; then legs of the upper boxes have a force in some steps and none in others. */
static const char HEAP[] =
    "title: two boxes, sliding\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n" BOX_BODY("low", "position: [0, 0, 0.1], velocity: [1, 0, 0]")
        BOX_BODY("high", "position: [0, 0, 0.3], velocity: [1.05, 0, 0]") "geometry: {floor: {type: plane}}\n"
                                                                          "contacts:\n"
                                                                          "  floor: {between: [low.feet, floor], friction: 0.2}\n"
                                                                          "  upper: {between: [high.feet, low.top], friction: 0.5}\n"
                                                                          "simulation: {step: 5e-3, end: 0.2}\n";

typedef struct end_state {
    zn_statistics statistics;
    double q[16];
} end_state;

static end_state run_law(const char *scene, method m, zn_friction_law law, double end) {
    run r;
    end_state result = {0};
    zn_settings settings = open_scene(&r, scene, NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.friction_law = law;
    if (end > 0) settings.end = end;
    start_run(&r, &settings);
    finish_run(&r);
    assert_true(r.model->size.nq <= 16);
    memcpy(result.q, zn_simulation_positions(r.simulation), (size_t)r.model->size.nq * sizeof(double));
    result.statistics = zn_simulation_statistics(r.simulation);
    close_run(&r);
    return result;
}

static double iterations(const zn_statistics *s) { return (double)(s->newton_total + s->least_norm_total + s->projection_total); }

static void straight_slip_costs_the_same(void **state) {
    (void)state;
    static const char *const scenes[] = {STRAIGHT, PULLED, BOX, HEAP}, *const names[] = {"slider", "spring", "box", "heap"};
    for (size_t s = 0; s < COUNT(scenes); s++)
        for (size_t k = 0; k < COUNT(METHODS); k++) {
            end_state papers = run_law(scenes[s], METHODS[k], ZN_FRICTION_ACCUMULATED, 0),
                      staged = run_law(scenes[s], METHODS[k], ZN_FRICTION_STAGED, 0);
            double ratio = iterations(&staged.statistics) / fmax(iterations(&papers.statistics), 1);
            print_message("%s %s:%d iterations %.2f, accepted %ld of %ld, repeated %ld\n", names[s], METHODS[k].name, METHODS[k].stages,
                          ratio, staged.statistics.staged_accepted, staged.statistics.steps, staged.statistics.staged_repeated);
            assert_true(ratio <= 1.3);
            assert_true(staged.statistics.staged_accepted > staged.statistics.steps / 2);
            for (int i = 0; i < 16; i++) check_close(staged.q[i], papers.q[i], 1e-8);
        }
}

/* Impacts, where attempts are thrown away, and slip that ends and begins all the time. */
static void attempts_that_fail_are_cheap(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double end;
    } list[] = {{DROPPED, 0},     {BALL("3"), 0},          {BALL("2.9"), 0}, {BALL("3.05"), 0},
                {BALL("3.3"), 0}, {"eccentric-sphere", 0}, {"puck", 0},      {"rattleback", 0.6}};
    for (size_t s = 0; s < COUNT(list); s++)
        for (size_t k = 0; k < COUNT(METHODS); k++) {
            end_state papers = run_law(list[s].scene, METHODS[k], ZN_FRICTION_ACCUMULATED, list[s].end);
            end_state staged = run_law(list[s].scene, METHODS[k], ZN_FRICTION_STAGED, list[s].end);
            double ratio = iterations(&staged.statistics) / fmax(iterations(&papers.statistics), 1);
            print_message("%.16s %s:%d iterations %.2f, accepted %ld of %ld, repeated %ld\n", list[s].scene, METHODS[k].name,
                          METHODS[k].stages, ratio, staged.statistics.staged_accepted, staged.statistics.steps,
                          staged.statistics.staged_repeated);
            assert_true(ratio <= 1.3);
            assert_true(staged.statistics.staged_repeated > 0 && staged.statistics.staged_accepted > 0);
            assert_true(staged.statistics.staged_repeated < staged.statistics.steps / 4); /* what fails again and again waits */
            assert_int_equal(staged.statistics.projection_steps, papers.statistics.projection_steps);
        }
}

/* Every request of memory fails once; steps, repeated ones too, ask for none. */
static void memory_that_runs_out(void **state) {
    (void)state;
    run r;
    zn_settings settings = open_scene(&r, DROPPED, NULL);
    settings.friction_law = ZN_FRICTION_STAGED;
    for (size_t k = 0; k < COUNT(METHODS); k++) {
        settings.scheme = METHODS[k].name, settings.stages = METHODS[k].stages;
        assert_true(fail_each_request(r.model, &settings).staged_repeated > 0);
    }
    close_run(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_slip_costs_the_same),
        cmocka_unit_test(attempts_that_fail_are_cheap),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
