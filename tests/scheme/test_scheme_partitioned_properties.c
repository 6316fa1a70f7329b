/* SPDX-License-Identifier: Apache-2.0 */
/* What the partitioned schemes promise beyond orders: energy, equal forms, equal solvers, hard contact states, clear refusals. */
#include "base/counting_allocator.h"
#include "trial.h"

#include <stdlib.h>

static double energy_of(const trial *r) {
    double kinetic, potential;
    zn_simulation_energy(r->simulation, &kinetic, &potential);
    return kinetic + potential;
}

/* ---- energy ---- */

static const char spring_pendulum[] = "parameters: {m: 1, k: 100, l0: 1, g: 9.81}\n"
                                      "coordinates: {phi: {start: pi/4}, l: {start: 1.1}}\n"
                                      "energy:\n"
                                      "  kinetic: m/2*(l'^2 + l^2*phi'^2)\n"
                                      "  potential: k/2*(l - l0)^2 - m*g*l*cos(phi)\n"
                                      "simulation: {scheme: rattle, step: 1e-2, end: 100, tolerance: 1e-13}\n";

typedef struct range {
    double low, high;
} range;

/* Energy relative to the start over the first and the last fifth of a run. */
static void energy_ranges(trial *r, range *first, range *last) {
    double start = energy_of(r), end = zn_simulation_settings(r->simulation)->end;
    *first = *last = (range){INFINITY, -INFINITY};
    while (!zn_simulation_done(r->simulation)) {
        trial_step(r);
        double t = zn_simulation_time(r->simulation), error = energy_of(r) - start;
        range *at = t <= end / 5 ? first : t >= 4 * end / 5 ? last : NULL;
        if (at) at->low = fmin(at->low, error), at->high = fmax(at->high, error);
    }
}

/* 10^4 steps with a mass matrix that depends on the configuration: the error oscillates between the same bounds at both ends.
 * Bounds of an oscillation of order h^(2s-2) that was measured to stay over 10^5 steps. */
static void energy_stays_bounded(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int stages;
        double bound;
    } list[] = {{"rattle", 0, 1.2e-3}, {"lobatto-3a3b-lagrange", 2, 1.2e-3}, {"lobatto-3a3b-lagrange", 3, 1e-7}, {"lobatto-3a3b", 3, 1e-7}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_begin(spring_pendulum, (trial_options){.scheme = list[i].scheme, .stages = list[i].stages});
        range first, last;
        energy_ranges(&r, &first, &last);
        check_below(fmax(-first.low, first.high), list[i].bound);
        double drift = fmax(fabs(last.low - first.low), fabs(last.high - first.high));
        check_below(drift, 0.02 * (first.high - first.low));
        trial_end(&r);
    }
}

/* Elastic impacts: an impact moves the energy by O(h) up or down, but nothing is lost over 2 * 10^4 steps. */
static void elastic_impacts_keep_the_energy(void **state) {
    (void)state;
    const char *schemes[] = {"rattle", "lobatto-3a3b-lagrange"};
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin("spring-pendulum", (trial_options){.scheme = schemes[i], .stages = 2, .step = 1e-3, .end = 20});
        range first, last;
        energy_ranges(&r, &first, &last);
        check_below(fmax(-last.low, last.high), 1e-2); /* of 7.13 */
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        trial_end(&r);
    }
    /* Without gravity the ball keeps its speed exactly between two walls. */
    trial r = trial_complete("coordinates: {x: {start: 0.5, velocity: 1}}\nenergy: {kinetic: x'^2/2, potential: 0}\n"
                             "contacts:\n  left: {gap: x, restitution: 1}\n  right: {gap: 1 - x, restitution: 1}\n"
                             "simulation: {scheme: rattle, step: 0.01, end: 20}\n",
                             (trial_options){.scheme = "rattle"});
    check_close(fabs(trial_u(&r, 0)), 1, 1e-12);
    trial_end(&r);
}

/* ---- equal forms ---- */

/* Largest difference of q and u between two runs of the same steps. */
static double distance(const char *scene, trial_options a, trial_options b) {
    trial r[2] = {trial_begin(scene, a), trial_begin(scene, b)};
    const zn_sizes *size = &zn_simulation_model(r[0].simulation)->size;
    double worst = 0;
    while (!zn_simulation_done(r[0].simulation)) {
        for (int k = 0; k < 2; k++) trial_step(&r[k]);
        for (int k = 0; k < size->nq; k++) worst = fmax(worst, fabs(trial_q(&r[0], k) - trial_q(&r[1], k)));
        for (int k = 0; k < size->nu; k++) worst = fmax(worst, fabs(trial_u(&r[0], k) - trial_u(&r[1], k)) / (1 + fabs(trial_u(&r[0], k))));
    }
    for (int k = 0; k < 2; k++) trial_end(&r[k]);
    return worst;
}

/* With a constant mass matrix the momentum form and the velocity form are the same equations. */
static void momentum_form_agrees_for_constant_mass(void **state) {
    (void)state;
    const struct {
        const char *scene;
        double step, end;
    } list[] = {{"cartesian-pendulum", 1e-2, 1},
                {"slope", 1e-2, 1},
                {"slope-drop", 1e-2, 1},
                {"rotating-ball", 1e-2, 1},
                {"slider-crank", 1e-4, 5e-3}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int s = 2; s <= 4; s++) {
            trial_options o = {.scheme = "lobatto-3a3b", .stages = s, .step = list[i].step, .end = list[i].end, .tolerance = 1e-13},
                          other = o;
            other.scheme = "lobatto-3a3b-lagrange";
            check_below(distance(list[i].scene, o, other), 1e-10);
        }
}

/* And for a mass matrix that varies they are different methods of the same order. */
static void momentum_form_differs_for_varying_mass(void **state) {
    (void)state;
    trial_options o = {.scheme = "lobatto-3a3b", .stages = 2, .step = 1e-2, .end = 1}, other = o;
    other.scheme = "lobatto-3a3b-lagrange";
    double coarse = distance(spring_pendulum, o, other);
    o.step = other.step = 5e-3;
    double fine = distance(spring_pendulum, o, other);
    assert_true(coarse > 1e-6);
    check_close(log2(coarse / fine), 2, 0.2);
}

/* A ball in velocities of its own names and a redundant scaling of its coordinates must move as the natural one. */
static const char general_ball[] = "parameters: {R: 0.1}\ncoordinates: {x: 0, y: 1, phi: 0}\nvelocities: {v: 0, w: 0, o: {start: 50}}\n"
                                   "kinematics: {x: v/2, y: w, phi: o}\nmass: {v: 1/4, w: 1, o: 2/5*R^2}\nforce: {w: -10}\n"
                                   "contacts:\n  floor: {gap: y - R, slip: v/2 + R*o, friction: 0.2}\n"
                                   "simulation: {scheme: rattle, step: 1e-2, end: 1}\n";
static void general_kinematics_agree_with_natural(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        trial_options o = {.scheme = "lobatto-3a3b", .stages = s, .step = 1e-2, .end = 1, .tolerance = 1e-12};
        trial a = trial_complete("rotating-ball", o), b = trial_complete(general_ball, o);
        for (int k = 0; k < 3; k++) {
            check_close(trial_q(&b, k), trial_q(&a, k), 1e-10);
            check_close(trial_u(&b, k), trial_u(&a, k) * (k == 0 ? 2 : 1), 1e-9);
        }
        trial_end(&a);
        trial_end(&b);
    }
}

/* Both solvers find the same motion. */
static void solvers_agree(void **state) {
    (void)state;
    const struct {
        const char *scene;
        double step, end;
    } list[] = {{"slope", 1e-2, 1},
                {"slope-drop", 1e-2, 0.8},
                {"rotating-ball", 1e-2, 1},
                {"rotating-ball-zeno", 1e-2, 0.8},
                {"slider-crank", 1e-4, 4e-3}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int s = 2; s <= 3; s++) {
            trial_options o = {.scheme = "lobatto-3a3b",
                               .stages = s,
                               .step = list[i].step,
                               .end = list[i].end,
                               .tolerance = 1e-11,
                               .solver = ZN_SOLVER_NEWTON},
                          other = o;
            other.solver = ZN_SOLVER_PROJECTION;
            check_below(distance(list[i].scene, o, other), 1e-7);
        }
}

/* ---- hard contact states ---- */

/* Sliding towards the singular point: values of a fine step, and Newton's impulse law adds no impact (percussions stay those of forces). */
static void painleve_rod_before_the_singular_point(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int stages;
        double allowed;
    } list[] = {{"rattle", 0, 2e-4}, {"lobatto-3a3b", 3, 2e-7}, {"lobatto-3a3b", 4, 5e-9}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r =
            trial_begin("painleve-rod",
                        (trial_options){.scheme = list[i].scheme, .stages = list[i].stages, .step = 5e-3, .end = 0.75, .tolerance = 1e-12});
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double force = zn_simulation_percussions(r.simulation)[0] / 5e-3;
            assert_true(force > 0 && force < 30); /* about 10 at the start, 23 at t = 0.75 */
        }
        check_close(trial_q(&r, 0), 17.64974585, list[i].allowed);
        check_close(trial_q(&r, 2), -0.65946050, list[i].allowed);
        check_close(trial_u(&r, 0), 15.99012610, list[i].allowed);
        check_close(zn_simulation_percussion_totals(r.simulation)[0], 8.40592434, list[i].allowed);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        trial_end(&r);
    }
}

/* Two closed contacts with dependent force directions: passed, and at rest at the bottom of the corner. */
static void ball_in_corner_rests(void **state) {
    (void)state;
    trial r = trial_complete("ball-in-corner", (trial_options){.scheme = "rattle", .step = 1e-2, .end = 1.4, .tolerance = 1e-6});
    check_close(trial_q(&r, 1), 0.1 * sqrt(2), 1e-6);
    for (int k = 0; k < 2; k++) check_close(trial_u(&r, k), 0, 1e-4);
    trial_end(&r);
}

/* Constant normal force: the belt carries the block until x = mu_s m g/c = 5 at t = 24, then it slips until 28.07. */
static void belt_sticks_then_slips(void **state) {
    (void)state;
    const zn_percussion kinds[] = {ZN_PERCUSSION_STAGE, ZN_PERCUSSION_INTEGRATED};
    for (int s = 2; s <= 3; s++)
        for (int i = 0; i < 2; i++) {
            if (s == 3 && i == 1) continue; /* the first stage has no time: its friction vanishes there */
            trial r = trial_begin("block-on-belt",
                                  (trial_options){.scheme = "lobatto-3a3b", .stages = s, .step = 1e-2, .end = 30, .percussion = kinds[i]});
            double slip = 0, stick = 0;
            while (!zn_simulation_done(r.simulation)) {
                trial_step(&r);
                double t = zn_simulation_time(r.simulation);
                bool sticks = fabs(trial_u(&r, 0) - 0.2) < 1e-8;
                if (slip == 0 && !sticks) slip = t;
                if (slip > 0 && stick == 0 && sticks) stick = t;
            }
            check_close(slip, 24, 0.021);
            check_close(stick, 28.0727, 0.021);
            trial_end(&r);
        }
}

/* h omega below 2: stable at 1e-4 (omega = 1e4), not at 1e-2. */
static void stiff_springs_need_small_steps(void **state) {
    (void)state;
    trial r = trial_complete("stiff-pendulum", (trial_options){.scheme = "rattle", .step = 1e-4, .end = 0.3, .tolerance = 1e-9});
    check_close(hypot(trial_q(&r, 0), trial_q(&r, 1)), 1, 1e-5);
    trial_end(&r);
}

/* ---- refusals ---- */

static void check_refused(const char *scene, trial_options o, zn_status expected, const char *words) {
    trial r = {.context = zn_context_create(NULL)};
    char path[300];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", ZENO_SOURCE_DIR, scene);
    assert_int_equal(zn_scene_load(r.context, path, NULL, &r.scene), ZN_OK);
    zn_settings settings = trial_settings(r.scene, &o);
    assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), expected);
    assert_null(r.simulation);
    if (!strstr(zn_error_text(r.context), words)) fail_msg("'%s' is not in '%s'", words, zn_error_text(r.context));
    trial_end(&r);
}

static void wrong_settings_are_refused(void **state) {
    (void)state;
    check_refused("slope", (trial_options){.scheme = "lobatto-3a3b", .stages = 1}, ZN_ERROR_ARGUMENT, "2 to");
    check_refused("slope", (trial_options){.scheme = "lobatto-3a3b", .stages = 99}, ZN_ERROR_ARGUMENT, "not 99");
    check_refused("slope", (trial_options){.scheme = "lobatto-3a3b-lagrange", .stages = -1}, ZN_ERROR_ARGUMENT, "is -1");
    check_refused("slope", (trial_options){.scheme = "rattle", .stages = 3}, ZN_ERROR_ARGUMENT, "not 3");
    check_refused("slope", (trial_options){.scheme = "rattle", .percussion = ZN_PERCUSSION_COUNT}, ZN_ERROR_ARGUMENT, "integrated");
    check_refused("sleigh", (trial_options){.scheme = "lobatto-3a3b-lagrange"}, ZN_ERROR_UNSUPPORTED, "velocities");
}

/* ---- memory ---- */

/* Every allocation of a creation fails once: a status, no leak, and steps take no memory at all. */
static void memory_failures_are_statuses(void **state) {
    (void)state;
    trial source = trial_begin("slider-crank", (trial_options){.scheme = "rattle"});
    const char *schemes[] = {"rattle", "lobatto-3a3b", "lobatto-3a3b-lagrange"};
    for (int i = 0; i < 3; i++) {
        zn_settings settings = trial_settings(
            source.scene, &(trial_options){.scheme = schemes[i], .percussion = i ? ZN_PERCUSSION_INTEGRATED : ZN_PERCUSSION_STAGE});
        zn_status status = ZN_ERROR_MEMORY;
        for (long left = 2; status != ZN_OK; left++) {
            counting_allocator memory = {.fail_at = left};
            zn_context *context = counting_context(&memory);
            if (!context) continue;
            zn_simulation *simulation = NULL;
            status = zn_simulation_create(context, zn_scene_model(source.scene), &settings, &simulation);
            assert_true(status == ZN_OK || (status == ZN_ERROR_MEMORY && !simulation));
            long before = memory.requests;
            for (int step = 0; status == ZN_OK && step < 30; step++) assert_int_equal(zn_simulation_step(simulation), ZN_OK);
            assert_int_equal(memory.requests, before);
            zn_simulation_destroy(simulation);
            zn_context_destroy(context);
        }
    }
    trial_end(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_stays_bounded),
        cmocka_unit_test(elastic_impacts_keep_the_energy),
        cmocka_unit_test(momentum_form_agrees_for_constant_mass),
        cmocka_unit_test(momentum_form_differs_for_varying_mass),
        cmocka_unit_test(general_kinematics_agree_with_natural),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(painleve_rod_before_the_singular_point),
        cmocka_unit_test(ball_in_corner_rests),
        cmocka_unit_test(belt_sticks_then_slips),
        cmocka_unit_test(stiff_springs_need_small_steps),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(memory_failures_are_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
