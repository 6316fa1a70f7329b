/* SPDX-License-Identifier: Apache-2.0 */
/* The partitioned schemes on the systems of the papers, against analytic motions and the reference numbers. */
#include "trial.h"

typedef struct variant {
    const char *scheme;
    int stages;
} variant;
static const variant variants[] = {{"rattle", 0},       {"lobatto-3a3b", 2},          {"lobatto-3a3b", 3},
                                   {"lobatto-3a3b", 4}, {"lobatto-3a3b-lagrange", 2}, {"lobatto-3a3b-lagrange", 3}};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static trial_options with(int i, double step, double end) {
    return (trial_options){.scheme = variants[i].scheme, .stages = variants[i].stages, .step = step, .end = end};
}

/* Largest normal percussion of a step, with its friction and the end of the step. */
typedef struct impact {
    double normal, friction, time;
} impact;

static impact watch_impact(trial *r) {
    impact largest = {0};
    while (!zn_simulation_done(r->simulation)) {
        trial_step(r);
        const double *P = zn_simulation_percussions(r->simulation);
        if (P[0] > largest.normal) largest = (impact){P[0], P[1], zn_simulation_time(r->simulation)};
    }
    return largest;
}

/* 002: 7.1, g = 10, h = 1e-2. Free fall until 0.42426; the step that ends at 0.43 takes the impact, P_N = 4.3. */
static void rotating_ball_slides_then_rolls(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_begin("rotating-ball", with(i, 1e-2, 1));
        impact hit = watch_impact(&r);
        check_close(hit.normal, 4.3, 1e-9);
        check_close(hit.friction, -0.86, 1e-9);
        check_close(hit.time, 0.43, 1e-12);
        check_close(trial_u(&r, 0), -10.0 / 7, 1e-9);
        check_close(trial_u(&r, 1), 0, 1e-10);
        check_close(trial_u(&r, 2), 100.0 / 7, 1e-8);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        trial_end(&r);
    }
}

/* Sliding friction is -mu m g until the step that ends at 0.72 (exact: 0.7142857), zero after it. */
static void friction_before_and_after_the_stick_transition(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_begin("rotating-ball", with(i, 1e-2, 1));
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation), friction = zn_simulation_percussions(r.simulation)[1];
            if (t > 0.435 && t < 0.715) check_close(friction, -0.2 * 10 * 1e-2, 1e-10);
            if (t > 0.725) check_close(friction, 0, 1e-10);
        }
        trial_end(&r);
    }
}

static void sticking_impact(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_begin("rotating-ball-stick", with(i, 1e-2, 1));
        impact hit = watch_impact(&r);
        check_close(hit.friction, -2.0 / 7, 1e-10);
        check_close(trial_u(&r, 0), -2.0 / 7, 1e-9);
        check_close(trial_u(&r, 2), 20.0 / 7, 1e-8);
        trial_end(&r);
    }
}

/* The Zeno point is passed: at rest on the ground although there were infinitely many impacts. */
static void bouncing_ends(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_complete("rotating-ball-zeno", with(i, 1e-2, 2));
        check_close(trial_q(&r, 1), 0.1, 1e-11);
        check_close(trial_u(&r, 1), 0, 1e-9);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-12);
        assert_int_equal(s.rejected, 0);
        trial_end(&r);
    }
}

/* Slip until 0.4, rolling to 2.08, then rest: velocities are linear in each phase, so they are exact where phases meet grid points. */
static void rolling_ball_has_exact_velocities(void **state) {
    (void)state;
    double inertia = 0.4 * 0.01, slipping = (0.005 - 0.1 * 0.1) * 10 / inertia, rolling = 0.005 * 10 / (inertia + 0.01);
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_begin("rolling-ball", with(i, 1e-2, 2.5));
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation), spin_at_roll = -1 + 0.4 * slipping;
            double x = t <= 0.4 ? 1 - t : -0.1 * (spin_at_roll + (t - 0.4) * rolling);
            double spin = t <= 0.4 ? -1 + slipping * t : spin_at_roll + (t - 0.4) * rolling;
            if (t > 2.08) x = spin = 0;
            check_close(trial_u(&r, 0), x, 1e-9);
            check_close(trial_u(&r, 2), spin, 1e-8);
        }
        check_close(trial_q(&r, 0), 0.824, 1e-9);
        check_close(trial_q(&r, 2), -6.44, 1e-8);
        trial_end(&r);
    }
}

static void slider_crank_numbers(void **state) {
    (void)state;
    for (int i = 0; i < N_VARIANTS; i++) {
        trial r = trial_begin("slider-crank", with(i, 1e-4, 0.03));
        double first[4] = {0}, allowed = variants[i].stages > 2 ? 2e-9 : 5e-5; /* (h w)^2 of the crank, w = 150, is 2e-4 */
        int ng = 6;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation);
            for (int k = 0; k < 4; k++)
                if (first[k] == 0 && zn_simulation_percussions(r.simulation)[ng + k] > 0) first[k] = t;
            if (fabs(t - 1e-3) < 1e-9) check_close(trial_q(&r, 2), 0.146090844, allowed);
            if (t > 0.00865) check_close(trial_q(&r, 8), 0, 1e-4);
        }
        check_close(first[1], 0.0013, 1e-9);
        check_close(first[0], 0.0028, 1e-9); /* also where a stage inside of the step touches, and the last one does not */
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_penetration, 1e-12);
        check_below(s.max_g, 1e-10);
        check_below(s.max_gdot, 1e-10);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotating_ball_slides_then_rolls),
        cmocka_unit_test(friction_before_and_after_the_stick_transition),
        cmocka_unit_test(sticking_impact),
        cmocka_unit_test(bouncing_ends),
        cmocka_unit_test(rolling_ball_has_exact_velocities),
        cmocka_unit_test(slider_crank_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
