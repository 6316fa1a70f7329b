/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of 004: which constraints they keep on which level, smooth systems and impacts, and how they agree. */
#include "scheme/alpha_runs.h"

#include <stdlib.h>

static const char *const variants[] = {"generalized-alpha-p", "generalized-alpha-v", "generalized-alpha-pv", "generalized-alpha-pva"};

/* ---- smooth: the rigid pendulum ---- */

typedef struct levels {
    double most[3]; /* largest g, gdot, gddot */
    double jump;    /* largest change of gddot over a step after the first ones */
    double theta;
} levels;

static levels swing(const char *name, zn_iteration iteration, bool disturbed, double end) {
    run r = run_load("rigid-pendulum", name, NULL);
    r.settings.iteration = iteration;
    r.settings.tolerance = 1e-12;
    r.settings.end = end;
    if (disturbed) r.settings.start_forces = ZN_START_FORCES_ZERO;
    run_begin(&r);
    levels l = {0};
    double last = 0;
    while (!zn_simulation_done(r.simulation)) {
        double level[3];
        run_step(&r);
        run_levels(&r, level);
        for (int k = 0; k < 3; k++) l.most[k] = fmax(l.most[k], level[k]);
        l.jump = fmax(l.jump, fabs(r.at.c2[0] - last));
        last = r.at.c2[0];
    }
    l.theta = zn_simulation_positions(r.simulation)[2];
    run_free(&r);
    return l;
}

static void pendulum_angles(void **state) {
    (void)state;
    const double theta[] = {21.1673323, 21.1680078, 21.1673857, 21.1673784};
    for (int k = 0; k < 4; k++)
        for (int d = 0; d < 2; d++) {
            levels l = swing(variants[k], d ? ZN_ITERATION_DECOUPLED : ZN_ITERATION_COUPLED, false, 2);
            print_message("%s: theta %.9f, g %.2g, gdot %.2g, gddot %.2g\n", variants[k], l.theta, l.most[0], l.most[1], l.most[2]);
            check_close(l.theta, theta[k], 6e-8);
        }
}

/* What is imposed is kept to round-off; what is not, is not. */
static void pendulum_levels(void **state) {
    (void)state;
    const bool kept[4][3] = {{true, false, false}, {false, true, false}, {true, true, false}, {true, true, true}};
    const double round_off[3] = {1e-13, 1e-11, 1e-9}, lost[3] = {1e-6, 1e-4, 1e-2};
    for (int k = 0; k < 4; k++) {
        levels l = swing(variants[k], ZN_ITERATION_COUPLED, false, 2);
        for (int level = 0; level < 3; level++) {
            if (kept[k][level]) check_below(l.most[level], round_off[level]);
            else assert_true(l.most[level] > lost[level]);
        }
        if (k == 0) assert_true(l.jump > 1); /* index 3: gddot oscillates from step to step */
    }
}

/* From a_0 = 0: the others carry oscillations of O(1) along, PVA is consistent after one step. */
static void pendulum_disturbed(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        levels l = swing(variants[k], ZN_ITERATION_COUPLED, true, 0.1);
        print_message("%s disturbed: gddot %.3g, from step to step %.3g\n", variants[k], l.most[2], l.jump);
        if (k == 3) {
            check_below(l.most[0], 1e-13);
            check_below(l.most[1], 1e-11);
            check_below(l.most[2], 1e-9);
        } else assert_true(l.most[2] > 10);
    }
}

/* ---- impacts: the bouncing pendulum ---- */

typedef struct bounce {
    double first, Lambda, gddot, q[3];
} bounce;

static bounce fall(const char *name, double rho, zn_iteration iteration, zn_multipliers multipliers, int activation, const char *e) {
    run r = run_load("bouncing-pendulum", name, (const char *const[]){e, NULL});
    r.settings.damping = rho;
    r.settings.iteration = iteration;
    r.settings.multipliers = multipliers;
    r.settings.activation = activation;
    r.settings.tolerance = 1e-12;
    run_begin(&r);
    bounce b = {0};
    while (!zn_simulation_done(r.simulation)) {
        run_step(&r);
        double P = zn_simulation_percussions(r.simulation)[2], level[3];
        if (b.first == 0 && P > 0) b.first = zn_simulation_time(r.simulation), b.Lambda = P;
        run_levels(&r, level);
        check_below(level[0], 1e-12);
        check_below(level[1], 1e-10);
        b.gddot = fmax(b.gddot, level[2]);
    }
    check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
    assert_int_equal(zn_simulation_statistics(r.simulation).rejected, 0);
    memcpy(b.q, zn_simulation_positions(r.simulation), sizeof b.q);
    run_free(&r);
    return b;
}

static void bouncing_pendulum_numbers(void **state) {
    (void)state;
    bounce pva = fall("generalized-alpha-pva", 0.9, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
    bounce pvv = fall("generalized-alpha-pvv", 0.9, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
    print_message("pva: first %g, Lambda %.9g, gddot %.3g; pvv: %g, %.9g, %.5g\n", pva.first, pva.Lambda, pva.gddot, pvv.first, pvv.Lambda,
                  pvv.gddot);
    check_close(pva.first, 0.487, 1e-12);
    check_close(pva.Lambda, 9.7856927, 6e-8);
    check_below(pva.gddot, 1e-9);
    check_close(pvv.first, 0.487, 1e-12);
    check_close(pvv.gddot, 12.66, 5e-3);
    /* at rest on the wall, theta = -45 degrees */
    check_close(pva.q[2], -atan(1), 1e-12);
    check_close(pvv.q[2], -atan(1), 1e-12);
}

static void bouncing_pendulum_without_damping(void **state) {
    (void)state;
    bounce pva = fall("generalized-alpha-pva", 1, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
    bounce pvv = fall("generalized-alpha-pvv", 1, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
    print_message("rho = 1: gddot pva %.3g, pvv %.5g\n", pva.gddot, pvv.gddot);
    check_below(pva.gddot, 1e-9);
    assert_true(pvv.gddot > 10);
    check_close(pva.first, 0.487, 1e-12);
}

/* Both iterations solve the same equations. */
static void decoupled_finds_the_same(void **state) {
    (void)state;
    const char *const names[] = {"generalized-alpha-pva", "generalized-alpha-pvv"};
    for (int k = 0; k < 2; k++) {
        bounce coupled = fall(names[k], 0.9, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
        bounce decoupled = fall(names[k], 0.9, ZN_ITERATION_DECOUPLED, ZN_MULTIPLIERS_STARRED, 0, "e_N=0.5");
        check_close(decoupled.Lambda, coupled.Lambda, 1e-9);
        check_close(decoupled.gddot, coupled.gddot, 1e-6);
        for (int i = 0; i < 3; i++) check_close(decoupled.q[i], coupled.q[i], 1e-10);
    }
}

/* Without the contacts (2), or anything (1), in the smooth motion: the same motion but for the error of the step. */
static void activation_strategies(void **state) {
    (void)state;
    bounce all = fall("generalized-alpha-pva", 0.9, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 3, "e_N=0.5");
    for (int activation = 1; activation < 3; activation++)
        for (int v = 0; v < 2; v++) {
            bounce b = fall(v ? "generalized-alpha-pvv" : "generalized-alpha-pva", 0.9, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED,
                            activation, "e_N=0.5");
            print_message("activation %d: first %g, Lambda %.6g, gddot %.3g\n", activation, b.first, b.Lambda, b.gddot);
            check_close(b.first, all.first, 1e-9);
            check_near(b.Lambda, all.Lambda, 2e-3);
            check_close(b.q[2], all.q[2], 1e-10);
        }
}

/* ---- one scheme, two ways: the cone problem of 001 and the sets of 004 ---- */

static double largest_difference(const char *scene_name, const char *const *sets, zn_iteration iteration, zn_multipliers multipliers,
                                 double end) {
    run a = run_load(scene_name, "generalized-alpha", sets), b = run_load(scene_name, "generalized-alpha-pva", sets);
    b.settings.iteration = iteration;
    b.settings.multipliers = multipliers;
    a.settings.tolerance = b.settings.tolerance = 1e-12;
    a.settings.end = b.settings.end = end;
    run_begin(&a);
    run_begin(&b);
    const zn_model *model = zn_scene_model(a.scene);
    double worst = 0;
    while (!zn_simulation_done(a.simulation)) {
        run_step(&a);
        run_step(&b);
        const double *q[2] = {zn_simulation_positions(a.simulation), zn_simulation_positions(b.simulation)};
        const double *u[2] = {zn_simulation_velocities(a.simulation), zn_simulation_velocities(b.simulation)};
        const double *P[2] = {zn_simulation_percussions(a.simulation), zn_simulation_percussions(b.simulation)};
        for (int i = 0; i < model->size.nq; i++) worst = fmax(worst, fabs(q[0][i] - q[1][i]));
        for (int i = 0; i < model->size.nu; i++) worst = fmax(worst, fabs(u[0][i] - u[1][i]));
        for (int i = 0; i < model->size.ng + model->size.nN; i++) worst = fmax(worst, fabs(P[0][i] - P[1][i]));
    }
    run_free(&a);
    run_free(&b);
    return worst;
}

static void agrees_with_the_cone_problem(void **state) {
    (void)state;
    const char *const inelastic[] = {"e_N=0", NULL}, *const elastic[] = {"e_N=0.5", NULL};
    double e0 = largest_difference("bouncing-pendulum", inelastic, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 2);
    double e5 = largest_difference("bouncing-pendulum", elastic, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_STARRED, 2);
    double d5 = largest_difference("bouncing-pendulum", elastic, ZN_ITERATION_DECOUPLED, ZN_MULTIPLIERS_STARRED, 2);
    double p0 = largest_difference("bouncing-pendulum", inelastic, ZN_ITERATION_COUPLED, ZN_MULTIPLIERS_PRINTED, 2);
    print_message("001 and 004 differ by %.2g (e = 0), %.2g (e = 1/2), %.2g (decoupled), %.2g (e = 0, printed)\n", e0, e5, d5, p0);
    check_below(e0, 1e-9);
    check_below(e5, 1e-9);
    check_below(d5, 1e-9);
    check_below(p0, 1e-9);
}

/* ---- many degrees of freedom: the elastic bar (004: 6.3) ---- */

/* 200 linear elements with lumped masses fall on a wall: E = 900, rho = A = 1, L = 10, 5 away with speed 10. */
static char *bar_text(int elements) {
    size_t room = 400 * (size_t)(elements + 2), used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    double length = 10.0 / elements, k = 900 / length, m = length;
    used += (size_t)snprintf(text, room, "coordinates:\n");
    for (int i = 0; i <= elements; i++)
        used += (size_t)snprintf(text + used, room - used, "  q%d: {start: %.17g, velocity: -10}\n", i, 5 + i * length);
    used += (size_t)snprintf(text + used, room - used, "energy:\n  kinetic: 0");
    for (int i = 0; i <= elements; i++)
        used += (size_t)snprintf(text + used, room - used, " + %.17g*q%d'^2", (i % elements ? m : m / 2) / 2, i);
    used += (size_t)snprintf(text + used, room - used, "\n  potential: 0");
    for (int i = 0; i < elements; i++)
        used += (size_t)snprintf(text + used, room - used, " + %.17g*(q%d - q%d - %.17g)^2", k / 2, i + 1, i, length);
    snprintf(text + used, room - used, "\ncontacts: {wall: {gap: q0}}\n");
    return text;
}

static double bar_iterations(const char *name, zn_iteration iteration) {
    run r = {.context = zn_context_create(NULL)};
    char *text = bar_text(200);
    if (zn_scene_parse(r.context, "bar", text, NULL, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    free(text);
    r.settings = *zn_scene_settings(r.scene);
    r.settings.scheme = name;
    r.settings.iteration = iteration;
    r.settings.damping = 0.8;
    r.settings.step = 2e-3;
    r.settings.end = 1.3;
    run_begin(&r);
    int touching = 0;
    while (!zn_simulation_done(r.simulation)) {
        run_step(&r);
        double force = zn_simulation_percussions(r.simulation)[0] / 2e-3, t = zn_simulation_time(r.simulation);
        touching += force > 0;
        if (t > 0.55 && t < 1.1) check_close(force, 300, 3); /* E A v/c */
    }
    zn_statistics s = zn_simulation_statistics(r.simulation);
    print_message("bar, %s %d: contact %.3f, energy %.2f, %.2f iterations\n", name, (int)iteration, touching * 2e-3, s.energy_end,
                  s.newton_mean);
    check_close(touching * 2e-3, 2.0 / 3, 0.005);
    check_close(s.energy_start, 500, 1e-9);
    check_below(s.energy_end, 500);
    assert_true(s.energy_end > 497);
    check_below(s.max_penetration, 1e-12);
    run_free(&r);
    return s.newton_mean;
}

static void bar_needs_few_iterations(void **state) {
    (void)state;
    double coupled = bar_iterations("generalized-alpha-pva", ZN_ITERATION_COUPLED);
    double pva = bar_iterations("generalized-alpha-pva", ZN_ITERATION_DECOUPLED),
           pvv = bar_iterations("generalized-alpha-pvv", ZN_ITERATION_DECOUPLED);
    check_below(coupled, 1.01);
    check_below(pva, 1.1);
    assert_true(pvv > 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_angles),
        cmocka_unit_test(pendulum_levels),
        cmocka_unit_test(pendulum_disturbed),
        cmocka_unit_test(bouncing_pendulum_numbers),
        cmocka_unit_test(bouncing_pendulum_without_damping),
        cmocka_unit_test(decoupled_finds_the_same),
        cmocka_unit_test(activation_strategies),
        cmocka_unit_test(agrees_with_the_cone_problem),
        cmocka_unit_test(bar_needs_few_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
