/* SPDX-License-Identifier: Apache-2.0 */
/* Projected Runge-Kutta schemes on the systems of the papers, against the reference numbers of docs/theory/corrections.md. */
#include "projected_runs.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const method all[] = {{"radau-2a", 1}, {"radau-2a", 2}, {"radau-2a", 3}, {"radau-2a", 6}, {"lobatto-3c", 2}, {"lobatto-3c", 3},
                             {"sdirk2", 0},   {"sdirk3", 0},   {"tr-bdf2", 0},  {"trx2", 0},     {"tr-theta", 0}};

static bool is(method m, const char *name, int stages) { return strcmp(m.name, name) == 0 && m.stages == stages; }

static run begin(const char *scene, const char *set, method m, double step, double end) {
    run r;
    zn_settings settings = open_scene(&r, scene, set);
    settings.scheme = m.name, settings.stages = m.stages, settings.step = step, settings.end = end;
    print_message("%s %s:%d\n", scene, m.name, m.stages);
    start_run(&r, &settings);
    return r;
}

static double q_of(const run *r, int i) { return zn_simulation_positions(r->simulation)[i]; }
static double u_of(const run *r, int i) { return zn_simulation_velocities(r->simulation)[i]; }
static double P_of(const run *r, int i) { return zn_simulation_percussions(r->simulation)[i]; }

/* g = 10, h = 1e-2: gravity acts until t_n, then one step takes all of it away; friction slides with the full cone, then
 * rolls. */
static void spinning_ball(void **state) {
    (void)state;
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("rotating-ball", NULL, all[e], 1e-2, 1);
        bool first_order = is(all[e], "radau-2a", 1);
        double impact = first_order ? 4.2 : 4.3, impact_time = first_order ? 0.42 : 0.43, stuck = 0;
        bool hit = false;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            double t = zn_simulation_time(r.simulation);
            if (!hit && P_of(&r, 0) > 1) {
                hit = true;
                check_close(t, impact_time, 1e-12);
                check_close(P_of(&r, 0), impact, 1e-9);
                check_close(P_of(&r, 1), -0.2 * impact, 1e-9);
            } else if (hit) {
                check_close(P_of(&r, 0), 0.1, 1e-9);
                bool sticks = fabs(u_of(&r, 0) + 0.1 * u_of(&r, 2)) < 1e-9;
                if (!sticks) check_close(P_of(&r, 1), -0.02, 1e-9);
                else if (stuck == 0) stuck = t;
                else check_close(P_of(&r, 1), 0, 1e-9);
            }
        }
        assert_true(hit);
        check_close(stuck, 0.72, 1e-12);
        check_close(u_of(&r, 0), -10.0 / 7, 1e-9);
        check_close(u_of(&r, 1), 0, 1e-9);
        check_close(u_of(&r, 2), 100.0 / 7, 1e-8);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        close_run(&r);
    }
}

static void sticking_and_bouncing_ball(void **state) {
    (void)state;
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("rotating-ball-stick", NULL, all[e], 1e-2, 0.44);
        double friction = 0;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            if (P_of(&r, 0) > 1) friction = P_of(&r, 1);
        }
        check_close(friction, -2.0 / 7, 1e-9); /* -2/7 m R omega */
        close_run(&r);

        r = begin("rotating-ball-zeno", "g=10", all[e], 1e-2, 0.84);
        double before = 0;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            if (P_of(&r, 0) > 1e-6) check_close(u_of(&r, 1), -0.5 * before, 1e-9); /* Newton's law with the velocity at t_n */
            else check_close(u_of(&r, 1), before - 0.1, 1e-9);
            before = u_of(&r, 1);
        }
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        close_run(&r);
    }
}

/* Past the accumulation of impacts at sqrt(2/g) (1 + e)/(1 - e) = 3.16 the ball rests, with the force m g. */
static void zeno_point(void **state) {
    (void)state;
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("bouncing-ball", NULL, all[e], 2e-3, 4);
        finish_run(&r);
        check_close(q_of(&r, 0), 0, 1e-9);
        check_close(u_of(&r, 0), 0, 1e-9);
        check_close(P_of(&r, 0), 0.1 * 9.81 * 2e-3, 1e-9);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        close_run(&r);
    }
}

/* Velocities are linear in each phase: exact at the grid points. */
static void rolling_ball(void **state) {
    (void)state;
    const double theta = 0.004, slip = (0.005 - 0.1 * 0.1) * 10 / theta, roll = 0.005 * 10 / (theta + 0.01);
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("rolling-ball", NULL, all[e], 1e-2, 2.1);
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            double t = zn_simulation_time(r.simulation), spin = -1 + slip * fmin(t, 0.4), speed = 1 - t;
            if (t > 0.4 + 1e-9) spin = fmin(spin + roll * (t - 0.4), 0), speed = -0.1 * spin;
            check_close(u_of(&r, 0), speed, 1e-8);
            check_close(u_of(&r, 2), spin, 1e-7);
        }
        bool first_order = is(all[e], "radau-2a", 1);
        check_close(q_of(&r, 0), 0.824, first_order ? 6e-3 : 1e-7);
        check_close(q_of(&r, 2), -6.44, first_order ? 6e-3 : 1e-6);
        close_run(&r);
    }
}

static void ball_in_cylinder(void **state) {
    (void)state;
    const double q[3] = {0.80839905, -0.39558940, -12.2475438};
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("ball-in-cylinder", NULL, all[e], 2e-2, 1);
        double first = 0;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            if (first == 0 && P_of(&r, 0) > 0.1) first = zn_simulation_time(r.simulation);
        }
        assert_true(first >= 0.3 - 1e-9 && first <= 0.34 + 1e-9); /* impact at 0.3200970 */
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        close_run(&r);
    }
    static const struct {
        method m;
        double bound; /* relative to q: the time of the impact is known to h */
    } fine[] = {
        {{"radau-2a", 2}, 1e-5}, {{"radau-2a", 3}, 1e-5}, {{"lobatto-3c", 3}, 1e-4}, {{"tr-bdf2", 0}, 3e-4}, {{"radau-2a", 1}, 2e-2}};
    for (size_t e = 0; e < COUNT(fine); e++) {
        run r = begin("ball-in-cylinder", NULL, fine[e].m, 1e-3, 1);
        finish_run(&r);
        for (int i = 0; i < 3; i++) check_near(q_of(&r, i), q[i], fine[e].bound);
        close_run(&r);
    }
}

/* A spring of 1e8 instead of a rod: damped schemes take steps far above its period of 6e-4 and follow the rigid pendulum. */
static void stiff_pendulum(void **state) {
    (void)state;
    static const char rigid[] = "title: rigid\n"
                                "coordinates: {x: 1, y: 0}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                                "constraints: {rod: {position: x^2 + y^2 - 1}}\n"
                                "simulation: {scheme: radau-2a, stages: 4, step: 1e-2, end: 0.55}\n";
    run exact = begin(rigid, NULL, (method){"radau-2a", 4}, 1e-2, 0.55); /* before it meets the wall */
    finish_run(&exact);
    static const struct {
        method m;
        double bound;
    } list[] = {
        {{"radau-2a", 2}, 1e-4}, {{"radau-2a", 3}, 1e-5}, {{"radau-2a", 4}, 1e-5}, {{"tr-bdf2", 0}, 3e-3}, {{"lobatto-3c", 2}, 3e-3}};
    for (size_t e = 0; e < COUNT(list); e++) {
        run r = begin("stiff-pendulum", NULL, list[e].m, 1e-2, 0.55);
        finish_run(&r);
        for (int i = 0; i < 2; i++) check_close(q_of(&r, i), q_of(&exact, i), list[e].bound);
        close_run(&r);

        r = begin("stiff-pendulum", NULL, list[e].m, 1e-2, 3);
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            check_close(hypot(q_of(&r, 0), q_of(&r, 1)), 1, 2e-5); /* static stretch is 3e-7 */
            assert_true(hypot(u_of(&r, 0), u_of(&r, 1)) < 5);      /* sqrt(2 g L) = 4.47 */
        }
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-12);
        assert_int_equal(s.rejected, 0);
        close_run(&r);
    }
    close_run(&exact);
}

static void slider_crank(void **state) {
    (void)state;
    static const struct {
        method m;
        double bound;
    } list[] = {{{"radau-2a", 2}, 5e-7}, {{"radau-2a", 3}, 1e-9}, {{"lobatto-3c", 2}, 1e-4}, {{"tr-bdf2", 0}, 2e-5}};
    for (size_t e = 0; e < COUNT(list); e++) {
        run r = begin("slider-crank", NULL, list[e].m, 1e-4, 0.05);
        double first[4] = {0};
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            double t = zn_simulation_time(r.simulation);
            for (int k = 0; k < 4; k++)
                if (first[k] == 0 && P_of(&r, 6 + k) > 1e-9) first[k] = t;
            if (fabs(t - 1e-3) < 1e-9) check_close(q_of(&r, 2), 0.146090844, list[e].bound);
            if (t > 0.0087) check_below(fabs(q_of(&r, 8)), 1e-4);
        }
        check_close(first[1], 0.0013, 1e-9);
        check_close(first[0], 0.0028, 1e-9);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-12);
        check_below(s.max_g, 1e-10);
        check_below(s.max_gdot, 1e-10);
        close_run(&r);
    }
}

/* The contact force grows without bound towards t* = 0.81455, but it is a force: halving the step halves the percussions of
 * a step, up to the order of the scheme, and the state converges. */
static void painleve_rod(void **state) {
    (void)state;
    run fine = begin("painleve-rod", NULL, (method){"radau-2a", 4}, 1e-3, 0.8);
    finish_run(&fine);
    static const struct {
        method m;
        double order;
    } list[] = {{{"radau-2a", 2}, 3}, {{"lobatto-3c", 2}, 2}, {{"tr-bdf2", 0}, 2}, {{"trx2", 0}, 2}};
    for (size_t e = 0; e < COUNT(list); e++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            double h = k ? 2.5e-3 : 5e-3, last = 0;
            run r = begin("painleve-rod", NULL, list[e].m, h, 0.8);
            while (!zn_simulation_done(r.simulation)) {
                step_run(&r);
                double force = P_of(&r, 0) / h;
                assert_true(force > 0); /* closed, and no jump of the force */
                if (last > 0) check_below(fabs(force - last), 0.25 * last);
                last = force;
            }
            error[k] = fabs(q_of(&r, 2) - q_of(&fine, 2));
            close_run(&r);
        }
        print_message("    errors %.3e %.3e\n", error[0], error[1]);
        check_close(log2(error[0] / error[1]), list[e].order, 0.3);
    }
    close_run(&fine);
    /* At the singular point the rod leaves with the impulse 3.4999167, and does not penetrate. */
    static const method after[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 2}};
    for (size_t e = 0; e < COUNT(after); e++) {
        run r = begin("painleve-rod", NULL, after[e], 5e-3, 1.2);
        double highest = 0;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            highest = fmax(highest, zn_simulation_gaps(r.simulation)[0]);
        }
        double total = zn_simulation_percussion_totals(r.simulation)[0];
        print_message("    normal impulse %.4f, u_x %.4f\n", total, u_of(&r, 0));
        check_close(total, 14.3045612, 0.02);
        assert_true(highest > 0.05);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        close_run(&r);
    }
}

/* At rest with both contacts closed and redundant force directions; only sums of forces are unique. */
static void ball_in_corner(void **state) {
    (void)state;
    for (size_t e = 0; e < COUNT(all); e++) {
        run r = begin("ball-in-corner", NULL, all[e], 1e-2, 2);
        finish_run(&r);
        check_close(q_of(&r, 0), 0, 1e-6);
        check_close(q_of(&r, 1), 0.1 * sqrt(2), 1e-6);
        for (int i = 0; i < 3; i++) check_close(u_of(&r, i), 0, 1e-6);
        check_close(P_of(&r, 0) + P_of(&r, 2), 0.1 / sqrt(2), 1e-6);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-10); /* tolerance 1e-8 in this scene */
        close_run(&r);
    }
}

/* A reservoir that does not depend on a gap: sticks on the belt until x = mu_s N/c. */
static void block_on_belt(void **state) {
    (void)state;
    static const method list[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 2}, {"tr-bdf2", 0}, {"sdirk2", 0}};
    for (size_t e = 0; e < COUNT(list); e++) {
        run r = begin("block-on-belt", NULL, list[e], 1e-2, 46);
        double times[3] = {0}, x_stick = 0;
        int found = 0;
        bool stuck = true;
        while (!zn_simulation_done(r.simulation)) {
            step_run(&r);
            bool sticks = fabs(u_of(&r, 0) - 0.2) < 1e-7;
            check_below(fabs(P_of(&r, 0)), 0.05 + 1e-9);
            if (sticks != stuck && found < 3) times[found++] = zn_simulation_time(r.simulation);
            if (sticks && !stuck) x_stick = q_of(&r, 0);
            stuck = sticks;
        }
        assert_int_equal(found, 3);
        check_close(times[0], 24, 0.0101);
        check_close(times[1], 28.0727, 0.0101);
        check_close(x_stick, 1.45575, 0.0021);
        check_close(times[2], 45.794, 0.0151);
        close_run(&r);
    }
}

/* Newton and the iterative projection find the same motion. */
static void both_solvers_agree(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double step, end;
    } scenes[] = {{"rotating-ball", 1e-2, 0.8}, {"slope", 1.28e-2, 0.4096}, {"ball-in-cylinder", 2e-2, 0.9}, {"slider-crank", 1e-4, 3e-3}};
    static const method list[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 2}, {"tr-bdf2", 0}};
    for (size_t k = 0; k < COUNT(scenes); k++)
        for (size_t e = 0; e < COUNT(list); e++) {
            run r[2];
            for (int i = 0; i < 2; i++) {
                zn_settings settings = open_scene(&r[i], scenes[k].scene, NULL);
                settings.scheme = list[e].name, settings.stages = list[e].stages, settings.step = scenes[k].step,
                settings.end = scenes[k].end;
                settings.solver = i ? ZN_SOLVER_PROJECTION : ZN_SOLVER_NEWTON, settings.tolerance = k < 3 ? 1e-11 : 1e-10;
                start_run(&r[i], &settings);
                finish_run(&r[i]);
            }
            assert_int_equal(zn_simulation_statistics(r[0].simulation).projection_steps, 0);
            assert_int_equal(zn_simulation_statistics(r[1].simulation).newton_steps, 0);
            for (int i = 0; i < r[0].model->size.nq; i++) check_close_relative(q_of(&r[1], i), q_of(&r[0], i), 1e-8, 1e-8);
            for (int i = 0; i < r[0].model->size.nu; i++) check_close_relative(u_of(&r[1], i), u_of(&r[0], i), 1e-7, 1e-7);
            close_run(&r[0]);
            close_run(&r[1]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_ball),      cmocka_unit_test(sticking_and_bouncing_ball),
        cmocka_unit_test(zeno_point),         cmocka_unit_test(rolling_ball),
        cmocka_unit_test(ball_in_cylinder),   cmocka_unit_test(stiff_pendulum),
        cmocka_unit_test(slider_crank),       cmocka_unit_test(painleve_rod),
        cmocka_unit_test(ball_in_corner),     cmocka_unit_test(block_on_belt),
        cmocka_unit_test(both_solvers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
