/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant contacts and joints: more equations than degrees of freedom, yet every scheme goes through with the default
 * tolerance, and positions and velocities do not depend on the solver (multipliers may: those of redundant contacts are not unique). */
#include "trial.h"

static bool supported(const zn_scheme_info *info) { return info->contacts && info->friction; }

/* The ball comes to rest in the corner, wedged by two contacts with friction: four velocity rows for three unknowns. */
static void ball_in_corner(zn_solver solver) {
    int schemes = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!supported(&info)) continue;
        schemes++;
        trial r = trial_complete("ball-in-corner", (trial_options){.scheme = info.name, .end = 2, .solver = solver});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        bool penetrates = strncmp(info.name, "moreau", 6) == 0; /* velocity-level schemes penetrate by O(h) */
        for (int k = 0; k < 3; k++) check_close(zn_simulation_velocities(r.simulation)[k], 0, 1e-9);
        check_close(zn_simulation_positions(r.simulation)[0], 0, penetrates ? 1e-3 : 1e-9);
        check_close(zn_simulation_positions(r.simulation)[1], 0.1 * sqrt(2), penetrates ? 2e-3 : 1e-9);
        if (!penetrates) check_below(s.max_penetration, 1e-12);
        check_below(s.max_residual, 1e-10);
        /* rows: normal right, left, friction right, left. Balance at rest leaves P_N + P_F = m g h/sqrt(2) for one plane. */
        const double *P = zn_simulation_percussions(r.simulation);
        check_close(P[0] + P[2], 10 * 1e-2 / sqrt(2), 1e-8);
        check_close(P[2] + P[3], 0, 1e-9);
        for (int k = 0; k < 2; k++) check_below(fabs(P[2 + k]), 0.3 * P[k] + 1e-9);
        trial_end(&r);
    }
    assert_true(schemes >= 12);
}

static void ball_in_corner_with_every_scheme(void **state) {
    (void)state;
    ball_in_corner(ZN_SOLVER_AUTO);
    ball_in_corner(ZN_SOLVER_NEWTON);
}

/* Stacked boxes, rest of a tetrahedron, dominoes: many more rows than degrees of freedom, by Newton's method alone. */
static void redundant_contacts_by_newton_alone(void **state) {
    (void)state;
    const char *const scenes[] = {"box-stack", "tetrahedron", "dominoes"}, *const kinds[] = {"moreau-midpoint", "rattle",
                                                                                             "generalized-alpha"};
    const double end[] = {0.3, 2.6, 0.02};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            trial r = trial_complete(scenes[i], (trial_options){.scheme = kinds[k], .end = end[i], .solver = ZN_SOLVER_NEWTON});
            zn_statistics s = zn_simulation_statistics(r.simulation);
            check_below(s.max_residual, 1e-10);
            assert_int_equal(s.projection_steps, 0);
            trial_end(&r);
        }
}

/* A solver that a scheme does not have is refused, not replaced. */
static void a_solver_that_is_not_there(void **state) {
    (void)state;
    const char *const kinds[] = {"generalized-alpha-pva", "generalized-alpha-pvv"};
    for (int k = 0; k < 2; k++) {
        trial r = trial_begin("bouncing-pendulum", (trial_options){.scheme = kinds[k]});
        trial_options o = {.scheme = kinds[k], .solver = ZN_SOLVER_PROJECTION};
        zn_settings settings = trial_settings(r.scene, &o);
        zn_simulation *none = NULL;
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &none), ZN_ERROR_ARGUMENT);
        assert_non_null(strstr(zn_error_text(r.context), "auto or newton"));
        trial_end(&r);
    }
}

/* Three corners on the floor: three normal forces and six friction forces for six degrees of freedom, and rest at the end. */
static void tetrahedron_with_every_scheme(void **state) {
    (void)state;
    static const char *const scenes[] = {"tetrahedron", "tetrahedron-rectangle"};
    static const double x[] = {4.332206, 3.602701}, y[] = {1.511974, 1.027917};
    int runs = 0;
    for (int i = 0; i < zn_scheme_count(); i++)
        for (int k = 0; k < 2; k++) {
            zn_scheme_info info = zn_scheme_get(i);
            if (!supported(&info) || !info.general_kinematics) continue;
            bool penetrates = strncmp(info.name, "moreau", 6) == 0;
            trial r = trial_complete(scenes[k], (trial_options){.scheme = info.name});
            for (int j = 0; j < 6; j++) check_close(zn_simulation_velocities(r.simulation)[j], 0, 1e-9);
            check_close(zn_simulation_positions(r.simulation)[0], x[k], penetrates ? 0.03 : 5e-3);
            check_close(zn_simulation_positions(r.simulation)[1], y[k], penetrates ? 0.03 : 5e-3);
            if (!penetrates) check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
            assert_int_equal(zn_simulation_statistics(r.simulation).rejected, 0);
            trial_end(&r);
            runs++;
        }
    assert_true(runs >= 20);
}

/* The same motion to rest by the iterative projection alone, at the same tolerance. In the corner sticking is inconsistent at the end of
 * it: multipliers drift there without end where nothing is done about it. 200 steps of
 * 1e-10 each, relative to velocities of 4 m/s and for two seconds, make 1.6e-7; the angle has those over the radius. */
static void projection_agrees(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau-midpoint", "moreau-variational", "rattle", "lobatto-3a3b",
                                          "radau-2a",        "lobatto-3c",         "sdirk3", "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial a = trial_complete("ball-in-corner", (trial_options){.scheme = schemes[i]});
        trial b = trial_complete("ball-in-corner", (trial_options){.scheme = schemes[i], .solver = ZN_SOLVER_PROJECTION});
        for (int k = 0; k < 3; k++) {
            check_close(zn_simulation_positions(b.simulation)[k], zn_simulation_positions(a.simulation)[k], 1e-7 * (k == 2 ? 10 : 1));
            check_close(zn_simulation_velocities(b.simulation)[k], zn_simulation_velocities(a.simulation)[k], 1e-7 * (k == 2 ? 10 : 1));
        }
        trial_end(&a);
        trial_end(&b);
    }
    for (size_t i = 2; i < 5; i++) {
        trial a = trial_complete("tetrahedron-rectangle", (trial_options){.scheme = schemes[i], .end = 1});
        trial b = trial_complete("tetrahedron-rectangle", (trial_options){.scheme = schemes[i], .end = 1, .solver = ZN_SOLVER_PROJECTION});
        for (int k = 0; k < 7; k++) check_close(zn_simulation_positions(b.simulation)[k], zn_simulation_positions(a.simulation)[k], 1e-8);
        for (int k = 0; k < 6; k++) check_close(zn_simulation_velocities(b.simulation)[k], zn_simulation_velocities(a.simulation)[k], 1e-7);
        trial_end(&a);
        trial_end(&b);
    }
}

/* A rod held by the same joint twice. */
static const char twice[] = "title: pendulum, its rod given twice\n"
                            "coordinates: {x: 1, y: 0}\n"
                            "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                            "constraints: {one: {position: x^2 + y^2 - 1}, two: {position: 3*x^2 + 3*y^2 - 3}}\n"
                            "simulation: {scheme: radau-2a, step: 1e-3, end: 0.5}\n";
static const char once[] = "title: pendulum\n"
                           "coordinates: {x: 1, y: 0}\n"
                           "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                           "constraints: {one: {position: x^2 + y^2 - 1}}\n"
                           "simulation: {scheme: radau-2a, step: 1e-3, end: 0.5}\n";

static void redundant_joints_with_every_scheme(void **state) {
    (void)state;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        trial a = trial_complete(once, (trial_options){.scheme = info.name});
        trial b = trial_complete(twice, (trial_options){.scheme = info.name});
        for (int k = 0; k < 2; k++) {
            check_close(zn_simulation_positions(b.simulation)[k], zn_simulation_positions(a.simulation)[k], 1e-7);
            check_close(zn_simulation_velocities(b.simulation)[k], zn_simulation_velocities(a.simulation)[k], 1e-6);
        }
        trial_end(&a);
        trial_end(&b);
    }
}

/* A door on two hinges that are not quite on one axis. */
#define DOOR                                                                                               \
    "parameters: {eps: 0}\n"                                                                               \
    "gravity: [0, -9.81, 0]\n"                                                                             \
    "bodies:\n"                                                                                            \
    "  door: {type: spatial, mass: 10, inertia: [2, 3, 1], position: [0.5, 0, 0], velocity: [0, 0.5, 0], " \
    "angular_velocity: [0, 0, 1], frames: {low: [-0.5 - eps, 0, -1], high: [-0.5 + eps, 0, 1]}}\n"         \
    "frames: {world.low: [0, 0, -1], world.high: [0, 0, 1]}\n"                                             \
    "joints:\n"                                                                                            \
    "  low: {type: revolute, between: [world.low, door.low]}\n"                                            \
    "  high: {type: revolute, between: [world.high, door.high]}\n"                                         \
    "simulation: {step: 1e-2, end: 0.3}\n"

/* Joints that contradict each other: the sentence says which row, by how much, and the tolerance that lets it pass. */
static void joints_that_contradict_are_named(void **state) {
    (void)state;
    const char *schemes[] = {"moreau-midpoint", "rattle", "lobatto-3a3b", "radau-2a", "sdirk3", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial exact = trial_complete(DOOR, (trial_options){.scheme = schemes[i]});
        trial r = {.context = zn_context_create(NULL)};
        const char *set[] = {"eps=8e-7"}; /* less would be forgiven, see test_sim_contradiction.c */
        assert_int_equal(zn_scene_parse(r.context, "test", DOOR, &(zn_scene_options){.n_sets = 1, .sets = set}, &r.scene), ZN_OK);
        trial_options o = {.scheme = schemes[i]};
        zn_settings settings = trial_settings(r.scene, &o);
        zn_status status = zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation);
        if (status == ZN_OK) status = zn_simulation_run(r.simulation, NULL, NULL);
        assert_int_not_equal(status, ZN_OK);
        const char *text = zn_error_text(r.context), *told = strstr(text, "contradicts those before it by 1.6e-06");
        assert_non_null(told);
        assert_non_null(strstr(text, "'high."));
        assert_int_equal(sscanf(strstr(told, "tolerance: "), "tolerance: %lf", &settings.tolerance), 1);
        zn_simulation_destroy(r.simulation);
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_OK);
        double drift = zn_simulation_statistics(exact.simulation).max_g; /* that of the scheme */
        check_below(zn_simulation_statistics(r.simulation).max_g, 1.1 * drift + 1e-5);
        check_close(trial_u(&r, 5), trial_u(&exact, 5), 5e-3);
        trial_end(&r);
        trial_end(&exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_in_corner_with_every_scheme),
        cmocka_unit_test(redundant_contacts_by_newton_alone),
        cmocka_unit_test(a_solver_that_is_not_there),
        cmocka_unit_test(tetrahedron_with_every_scheme),
        cmocka_unit_test(projection_agrees),
        cmocka_unit_test(redundant_joints_with_every_scheme),
        cmocka_unit_test(joints_that_contradict_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
