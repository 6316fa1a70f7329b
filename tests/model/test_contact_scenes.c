/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with contacts between bodies: the same motion as formulas, numbers of the papers, and facts of mechanics. */
#include "trial.h"

#include <math.h>

/* ---- parts and formulas ---- */

/* Both scenes step by step; `pick[i]` is the coordinate of parts that belongs to coordinate i of formulas. */
static void check_same_motion(const char *parts, const char *formulas, int n, const int *pick, trial_options o, double tolerance) {
    trial a = trial_begin(parts, o), b = trial_begin(formulas, o);
    double worst = 0;
    while (!zn_simulation_done(b.simulation)) {
        trial_step(&a), trial_step(&b);
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(trial_q(&a, pick[i]) - trial_q(&b, i)));
            worst = fmax(worst, fabs(trial_u(&a, pick[i]) - trial_u(&b, i)));
        }
    }
    print_message("%s: %.1e\n", parts, worst);
    check_below(worst, tolerance);
    trial_end(&a), trial_end(&b);
}

static void parts_move_as_formulas(void **state) {
    (void)state;
    const int all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const trial_options radau = {.scheme = "radau-2a", .stages = 2, .tolerance = 1e-12}, /* of which both are solutions */
        lobatto = {.scheme = "lobatto-3a3b", .stages = 3, .tolerance = 1e-12}, alpha = {.scheme = "generalized-alpha", .tolerance = 1e-12},
                        moreau = {.scheme = "moreau-variational", .tolerance = 1e-12};
    check_same_motion("rotating-ball-parts", "rotating-ball", 3, all, radau, 1e-10);
    check_same_motion("rotating-ball-parts", "rotating-ball", 3, all, moreau, 1e-10);
    check_same_motion("rolling-ball-parts", "rolling-ball", 3, all, alpha, 1e-10);
    check_same_motion("ball-in-cylinder-parts", "ball-in-cylinder", 3, all, radau, 1e-10);
    check_same_motion("ball-in-cylinder-parts", "ball-in-cylinder", 3, all, lobatto, 1e-10);
    check_same_motion("painleve-rod-parts", "painleve-rod", 3, all, radau, 1e-10);
    check_same_motion("slope-parts", "slope", 2, all, radau, 1e-10);
    check_same_motion("slope-parts", "slope", 2, all, lobatto, 1e-10);
    trial_options crank = radau;
    crank.end = 0.02, crank.tolerance = 1e-12;
    check_same_motion("slider-crank-parts", "slider-crank", 9, all, crank, 1e-10);
}

/* Events of the belt are found to the step; between them both agree to the tolerance of the solver. */
static void belts_of_parts_and_formulas(void **state) {
    (void)state;
    const int x[1] = {0};
    trial_options o = {.scheme = "radau-2a", .stages = 2, .tolerance = 1e-12};
    check_same_motion("block-on-belt-parts", "block-on-belt", 1, x, o, 1e-7);
    check_same_motion("block-on-belt-light-parts", "block-on-belt-light", 1, x, o, 1e-7);
}

/* ---- numbers of the papers ---- */

static double component(const trial *r, int first, int axis) { /* of an axis of the body's frame along e_z */
    const double *p = zn_simulation_positions(r->simulation) + first + 3;
    return axis == 0 ? 2 * (p[1] * p[3] - p[0] * p[2]) : p[0] * p[0] - p[1] * p[1] - p[2] * p[2] + p[3] * p[3];
}

static void the_tippedisk_turns_over(void **state) {
    (void)state;
    trial r = trial_begin("tippedisk", (trial_options){.scheme = "radau-2a", .stages = 2});
    check_close(trial_q(&r, 2), 0.0425, 1e-12);
    double turned = 0, highest = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        if (!(turned > 0) && component(&r, 0, 0) > 0) turned = zn_simulation_time(r.simulation);
        highest = fmax(highest, trial_q(&r, 2));
    }
    check_close(turned, 0.364, 1e-9);
    check_close(highest, 0.0475, 1e-4);
    check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
    trial_end(&r);
}

static void the_tippe_top_turns_over(void **state) {
    (void)state;
    trial r = trial_begin("tippe-top", (trial_options){.scheme = "generalized-alpha", .end = 1.5});
    double turned = 0, stick = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double t = zn_simulation_time(r.simulation);
        if (!(turned > 0) && component(&r, 0, 2) < 0) turned = t;
        if (!(stick > 0) && zn_simulation_percussions(r.simulation)[1] > 0) stick = t;
    }
    check_close(turned, 0.970, 1e-9);
    check_close(stick, 1.415, 1e-9);
    trial_end(&r);
}

static void tetrahedra_stop_where_their_friction_says(void **state) {
    (void)state;
    trial r = trial_complete("tetrahedron-rectangle", (trial_options){.scheme = "radau-2a", .stages = 2});
    check_close(trial_q(&r, 0), 3.602701, 1e-5);
    check_close(trial_q(&r, 1), 1.027917, 1e-5);
    trial_end(&r);
    /* The slip direction turns: first order. Half the step, half the error. */
    double errors[2];
    for (int i = 0; i < 2; i++) {
        r = trial_complete("tetrahedron", (trial_options){.scheme = "radau-2a", .stages = 2, .step = i ? 2.5e-3 : 5e-3});
        errors[i] = hypot(trial_q(&r, 0) - 4.332206, trial_q(&r, 1) - 1.511974);
        trial_end(&r);
    }
    check_below(errors[0], 4e-3);
    check_below(errors[1], 0.65 * errors[0]);
}

static void rest_of_the_tetrahedron(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin(i ? "tetrahedron-rectangle" : "tetrahedron", (trial_options){.scheme = "rattle", .step = 2e-3});
        double stopped = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation);
            if (!(stopped > 0) && t > 0.3 && fabs(trial_u(&r, 0)) < 1e-9) stopped = t;
        }
        check_close(stopped, i ? 2.19916 : 2.46776, 4e-3);
        trial_end(&r);
    }
}

static void the_ball_in_the_cylinder(void **state) {
    (void)state;
    trial r = trial_complete("ball-in-cylinder-parts", (trial_options){.scheme = "radau-2a", .stages = 2, .step = 5e-4, .end = 1});
    check_close(trial_q(&r, 0), 0.80839905, 2e-5);
    check_close(trial_q(&r, 1), -0.39558940, 2e-5);
    trial_end(&r);
}

static void the_slider_crank(void **state) {
    (void)state;
    trial r = trial_complete("slider-crank-parts", (trial_options){.scheme = "radau-2a", .stages = 2, .step = 1e-5, .end = 0.001});
    check_close(trial_q(&r, 2), 0.146090844, 2e-9);
    trial_end(&r);
}

static void the_belt_slips_and_sticks(void **state) {
    (void)state;
    trial r = trial_begin("block-on-belt-parts", (trial_options){.scheme = "radau-2a", .stages = 2});
    double slip = 0, stick = 0, again = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double t = zn_simulation_time(r.simulation);
        bool sticks = fabs(trial_u(&r, 0) - 0.2) < 1e-9;
        if (!(slip > 0) && t > 0.1 && !sticks) slip = t;
        if (slip > 0 && !(stick > 0) && sticks) stick = t, check_close(trial_q(&r, 0), 1.45575, 5e-3);
        if (stick > 0 && !(again > 0) && !sticks) again = t;
    }
    check_close(slip, 24, 2.1e-2);
    check_close(stick, 28.0727, 2.1e-2);
    check_close(again, 45.794, 4e-2);
    trial_end(&r);
}

/* ---- beyond the papers ---- */

/* The last ball leaves with the speed of the first; the others stand still but for the hair between them. */
static void the_cradle_passes_the_speed_on(void **state) {
    (void)state;
    trial r = trial_begin("newtons-cradle", (trial_options){.scheme = "rattle", .end = 0.42});
    double fastest = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        fastest = fmax(fastest, trial_u(&r, 0));
    }
    check_close(trial_u(&r, 0), 0, 0.05 * fastest);
    check_close(trial_u(&r, 4), 0, 0.05 * fastest);
    check_close(hypot(trial_u(&r, 8), trial_u(&r, 9)), fastest, 0.03 * fastest);
    double T, V;
    zn_simulation_energy(r.simulation, &T, &V);
    check_near(T + V, zn_simulation_statistics(r.simulation).energy_start, 1e-3);
    trial_end(&r);
}

static void boxes_stand_on_each_other(void **state) {
    (void)state;
    const trial_options options[] = {{.scheme = "radau-2a", .stages = 2, .step = 2e-3}, {.scheme = "moreau-midpoint"}};
    for (int i = 0; i < 2; i++) {
        trial r = trial_complete("box-stack", options[i]);
        const double start[3] = {0, 0.02, -0.01}, tolerance = i ? 2e-3 : 1e-9;
        for (int b = 0; b < 3; b++) {
            check_close(trial_q(&r, 3 * b), start[b], 1e-6);
            check_close(trial_q(&r, 3 * b + 1), 0.1 + 0.2 * b, tolerance);
            check_close(trial_q(&r, 3 * b + 2), 0, 1e-6);
            for (int k = 0; k < 3; k++) check_close(trial_u(&r, 3 * b + k), 0, 1e-6);
        }
        trial_end(&r);
    }
}

static void dominoes_fall_one_after_the_other(void **state) {
    (void)state;
    trial r = trial_begin("dominoes", (trial_options){.scheme = "moreau-midpoint"});
    double fallen[5] = {0};
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        for (int i = 0; i < 5; i++)
            if (!(fallen[i] > 0) && trial_q(&r, 3 * i + 2) < -0.3) fallen[i] = zn_simulation_time(r.simulation);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(fallen[i] > (i ? fallen[i - 1] : 0));
        check_below(trial_q(&r, 3 * i + 2), -1);
    }
    trial_end(&r);
}

static void the_rattleback_turns_back(void **state) {
    (void)state;
    trial back = trial_complete("rattleback", (trial_options){.scheme = "radau-2a", .stages = 2, .end = 4});
    trial on = trial_complete("rattleback", (trial_options){.scheme = "radau-2a", .stages = 2, .end = 4, .set = "spin=5"});
    check_close(trial_u(&back, 5), 0.72, 0.01);
    check_close(trial_u(&on, 5), 4.86, 0.01);
    trial_end(&back), trial_end(&on);
}

/* Only friction works on the coin, and takes energy. */
static void the_coin_loses_energy(void **state) {
    (void)state;
    trial r = trial_begin("spinning-coin", (trial_options){.scheme = "radau-2a", .stages = 2, .end = 0.5});
    const double *gaps = zn_simulation_gaps(r.simulation);
    check_close(fmin(gaps[0], gaps[1]), 0, 1e-15);
    double before = zn_simulation_statistics(r.simulation).energy_start, T, V;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        zn_simulation_energy(r.simulation, &T, &V);
        check_below(T + V, before * (1 + 1e-5));
        before = T + V;
    }
    trial_end(&r);
}

static void the_chain_stays_before_the_wall(void **state) {
    (void)state;
    trial r = trial_complete("chain-wall", (trial_options){.scheme = "rattle"});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_penetration, 1e-10);
    check_below(s.max_g, 1e-9);
    check_below(s.energy_end, s.energy_start);
    double touched = 0;
    const zn_model *model = zn_scene_model(r.scene);
    for (int i = 0; i < model->size.n_contacts; i++) touched += zn_simulation_percussion_totals(r.simulation)[model->contacts[i].row_N] > 0;
    assert_true(touched >= 3);
    trial_end(&r);
}

/* ---- turned scenes ---- */

/* A disk spun on its edge, and everything with gravity turned by the angle `a` about the direction (1, 2, 3): contacts do not know
 * where up is. Tangents differ; with isotropic friction the motion must not. */
static void the_world_may_be_turned(void **state) {
    (void)state;
    static const char scene[] =
        "parameters: {a: 0, s: sqrt(14), x: 1/s, y: 2/s, z: 3/s, c: cos(a), k: 1 - cos(a), n: sin(a)}\n"
        "gravity: [-9.81*(x*z*k + y*n), -9.81*(y*z*k - x*n), -9.81*(c + z*z*k)]\n"
        "bodies:\n"
        "  top:\n"
        "    type: spatial\n"
        "    position: [0.3*(x*z*k + y*n), 0.3*(y*z*k - x*n), 0.3*(c + z*z*k)]\n"
        "    velocity: [c + x*x*k, y*x*k + z*n, z*x*k - y*n]\n"
        "    rotation: {axis: [1, 2, 3], angle: a}\n"
        "    angular_velocity: [3, -2, 20]\n"
        "    mass: 1\n"
        "    inertia: [0.01, 0.012, 0.015]\n"
        "    geometry: {low: {type: sphere, radius: 0.1, at: [0, 0, -0.05]}, side: {type: sphere, radius: 0.08, at: [0.05, "
        "0, 0]}}\n"
        "geometry: {table: {type: plane, normal: [x*z*k + y*n, y*z*k - x*n, c + z*z*k]}, hill: {type: sphere, radius: 0.4, "
        "at: [1*(c + x*x*k), "
        "y*x*k + z*n, z*x*k - y*n]}}\n"
        "contacts:\n"
        "  low: {between: [top.low, table], friction: 0.3, pivoting: 0.01, restitution: 0.4}\n"
        "  side: {between: [top.side, table], friction: 0.3}\n"
        "  hill: {between: [top.side, hill], friction: 0.2, restitution: 0.5}\n"
        "simulation: {scheme: radau-2a, stages: 2, step: 1e-3, end: 1, tolerance: 1e-12}\n";
    trial_options o = {.scheme = "radau-2a", .stages = 2};
    trial plain = trial_complete(scene, o);
    o.set = "a=1.1";
    trial turned = trial_complete(scene, o);
    const double angle = 1.1, e[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)}, *q = zn_simulation_positions(plain.simulation);
    const double dot = e[0] * q[0] + e[1] * q[1] + e[2] * q[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        double expected = cos(angle) * q[i] + sin(angle) * (e[j] * q[l] - e[l] * q[j]) + (1 - cos(angle)) * dot * e[i];
        check_close(trial_q(&turned, i), expected, 1e-9);
        check_close(trial_u(&turned, 3 + i), trial_u(&plain, 3 + i), 1e-8); /* Omega is in the body's frame */
    }
    const double *totals = zn_simulation_percussion_totals(plain.simulation);
    assert_true(totals[0] > 0 && totals[2] > 0); /* it was on the table and hit the hill */
    trial_end(&plain), trial_end(&turned);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_move_as_formulas),
                                       cmocka_unit_test(belts_of_parts_and_formulas),
                                       cmocka_unit_test(the_tippedisk_turns_over),
                                       cmocka_unit_test(the_tippe_top_turns_over),
                                       cmocka_unit_test(tetrahedra_stop_where_their_friction_says),
                                       cmocka_unit_test(rest_of_the_tetrahedron),
                                       cmocka_unit_test(the_ball_in_the_cylinder),
                                       cmocka_unit_test(the_slider_crank),
                                       cmocka_unit_test(the_belt_slips_and_sticks),
                                       cmocka_unit_test(the_cradle_passes_the_speed_on),
                                       cmocka_unit_test(boxes_stand_on_each_other),
                                       cmocka_unit_test(dominoes_fall_one_after_the_other),
                                       cmocka_unit_test(the_rattleback_turns_back),
                                       cmocka_unit_test(the_coin_loses_energy),
                                       cmocka_unit_test(the_chain_stays_before_the_wall),
                                       cmocka_unit_test(the_world_may_be_turned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
