/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of the papers with Moreau's midpoint and shifted schemes, against analytic facts. */
#include "trial.h"

static const char *const both[] = {"moreau-midpoint", "moreau-shifted"};

/* Impacts of the bouncing ball at sqrt(2/g) (1 + 2e + 2e^2 + ...), their percussions m (1 + e) e^k sqrt(2 g), and rest after
 * the accumulation point sqrt(2/g) (1 + e)/(1 - e). */
static void bouncing_ball_passes_its_zeno_point(void **state) {
    (void)state;
    const double m = 0.1, g = 9.81, e = 0.75, h = 1e-4;
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin("bouncing-ball", (trial_options){.scheme = both[i], .step = h, .end = 4});
        double expected = sqrt(2 / g), speed = sqrt(2 * g), zeno = sqrt(2 / g) * (1 + e) / (1 - e);
        int impacts = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double P = zn_simulation_percussions(r.simulation)[0], t = zn_simulation_time(r.simulation);
            if (impacts < 8 && P > 0) {
                check_close(t, expected, (2 + 2 * impacts) * h);
                check_close(P, m * (1 + e) * speed, 4 * m * g * h);
                speed *= e;
                expected += 2 * speed / g;
                impacts++;
            }
            if (t > zeno + 0.05) check_close(P, m * g * h, 1e-9); /* rest: the weight */
        }
        assert_int_equal(impacts, 8);
        check_close(zn_simulation_velocities(r.simulation)[0], 0, 1e-9);
        trial_end(&r);
    }
}

/* g = 10, h = 1e-2: gravity acts until the step that ends at 0.43 (docs/theory/corrections.md, 002: 7.1). */
static void rotating_ball_slips_and_sticks(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin("rotating-ball", (trial_options){.scheme = both[i], .step = 1e-2, .end = 1, .set = "omega=50"});
        double P_N = 0, P_F = 0, impact = 0, stick = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            const double *P = zn_simulation_percussions(r.simulation), *u = zn_simulation_velocities(r.simulation);
            double t = zn_simulation_time(r.simulation), slip = u[0] + 0.1 * u[2];
            if (P[0] > 1) P_N = P[0], P_F = P[1], impact = t;
            else if (P[0] > 0 && slip > 1e-9) check_close(P[1], -0.2 * P[0], 1e-12); /* |lambda_F| = mu m g while slipping */
            if (P[0] > 0 && slip < 1e-9 && stick == 0) stick = t;
            else if (stick > 0) check_close(P[1], 0, 1e-11); /* rolling needs no friction */
        }
        check_close(impact, 0.43, 1e-9);
        check_close(P_N, 10 * impact, 1e-9);
        check_close(P_F, -0.2 * P_N, 1e-12);
        check_close(stick, 0.72, 1e-9); /* 0.7142857 lies in the step that ends there */
        const double *u = zn_simulation_velocities(r.simulation);
        check_close(u[0], -10.0 / 7, 1e-9);
        check_close(u[1], 0, 1e-12);
        check_close(u[2], 100.0 / 7, 1e-8);
        trial_end(&r);
    }
}

static void rotating_ball_sticks_at_once(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin("rotating-ball", (trial_options){.scheme = both[i], .step = 1e-2, .end = 1, .set = "omega=10"});
        double P_F = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            if (zn_simulation_percussions(r.simulation)[0] > 1) P_F = zn_simulation_percussions(r.simulation)[1];
        }
        check_close(P_F, -2.0 / 7, 1e-10); /* -2/7 m R omega */
        trial_end(&r);
    }
}

static void rolling_ball_stops_where_it_must(void **state) {
    (void)state;
    trial r = trial_begin("rolling-ball", (trial_options){.scheme = "moreau-midpoint", .step = 1e-2, .end = 2.5});
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double t = zn_simulation_time(r.simulation);
        const double *u = zn_simulation_velocities(r.simulation);
        /* slip until 0.4 with x'' = -mu_T g = -1, then roll with phi'' = mu_R m g/(theta + m R^2), at rest from 2.08 */
        double rolling = 0.05 / (0.004 + 0.01), u_x = t <= 0.4 + 1e-12 ? 1 - t : fmax(0, 0.6 - 0.1 * rolling * (t - 0.4));
        check_close(u[0], u_x, 1e-9);
    }
    check_close(zn_simulation_positions(r.simulation)[0], 0.824, 1e-9);
    check_close(zn_simulation_positions(r.simulation)[2], -6.44, 1e-8);
    trial_end(&r);
}

static void woodpecker_comes_down_in_a_limit_cycle(void **state) {
    (void)state;
    double phi_M[2];
    trial_woodpecker("moreau-midpoint", phi_M);
    check_close(phi_M[0], -0.1034, 0.0005);
    check_close(phi_M[1], 0.1034, 0.0005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bouncing_ball_passes_its_zeno_point),    cmocka_unit_test(rotating_ball_slips_and_sticks),
        cmocka_unit_test(rotating_ball_sticks_at_once),           cmocka_unit_test(rolling_ball_stops_where_it_must),
        cmocka_unit_test(woodpecker_comes_down_in_a_limit_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
