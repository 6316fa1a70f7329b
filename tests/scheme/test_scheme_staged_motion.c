/* SPDX-License-Identifier: Apache-2.0 */
/* friction_law: staged on curved surfaces and rolling bodies against independent integrations of the sliding phase; what the
 * friction does to the energy; contacts that come, stick, or have nothing to do with each other; large systems. */
#include "projected_runs.h"

#include <stdlib.h>

enum { STATE = 12 };

/* ---- independent: classical Runge-Kutta for the sliding phase ---- */

typedef void motion(const double *y, double *rate);

static void integrate(motion *f, int n, double *y, double end, int steps) {
    double h = end / steps, k[4][STATE], at[STATE];
    for (int step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            double a = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int i = 0; i < n; i++) at[i] = y[i] + (stage ? a * k[stage - 1][i] : 0);
            f(at, k[stage]);
        }
        for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* scenes/paraboloid-bowl.yaml: f = z - (x^2 + y^2)/2, grad f . r'' = x'^2 + y'^2, friction along -v. */
static void bowl(const double *y, double *rate) {
    const double g = 10, mu = 0.2, *v = y + 3;
    double length = sqrt(1 + y[0] * y[0] + y[1] * y[1]), speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double N = (g + v[0] * v[0] + v[1] * v[1]) / length, normal[3] = {-y[0] / length, -y[1] / length, 1 / length};
    for (int i = 0; i < 3; i++) {
        rate[i] = v[i];
        rate[3 + i] = N * (normal[i] - mu * v[i] / speed) - (i == 2 ? g : 0);
    }
}

/* scenes/eccentric-sphere.yaml: Newton and Euler; N from z'' + e (sin th th'' + cos th th'^2) = 0. */
static void sphere(const double *y, double *rate) {
    const double m = 1, g = 10, R = 0.1, e = 0.02, A = 0.004, C = 0.003, mu = 0.3, *v = y + 6;
    double sp = sin(y[3]), cp = cos(y[3]), st = sin(y[4]), ct = cos(y[4]), dphi = v[3], dth = v[4], dpsi = v[5];
    double w[3] = {dth * cp + dpsi * st * sp, dth * sp - dpsi * st * cp, dphi + dpsi * ct}, spin = dpsi + dphi * ct;
    double p[3] = {-e * st * sp, e * st * cp, -e * ct - R};
    double slip[2] = {v[0] + w[1] * p[2] - w[2] * p[1], v[1] + w[2] * p[0] - w[0] * p[2]}, speed = hypot(slip[0], slip[1]);
    double F[3] = {-mu * slip[0] / speed, -mu * slip[1] / speed, 1}; /* per N */
    double torque[3] = {p[1] * F[2] - p[2] * F[1], p[2] * F[0] - p[0] * F[2], p[0] * F[1] - p[1] * F[0]};
    double q_phi = torque[2], q_th = torque[0] * cp + torque[1] * sp, q_psi = torque[0] * st * sp - torque[1] * st * cp + torque[2] * ct;
    double b = A * dphi * dphi * st * ct - C * spin * dphi * st;
    double N = (g - e * ct * dth * dth - e * st * b / A) / (1 / m + e * st * q_th / A);
    memcpy(rate, v, 6 * sizeof *rate);
    for (int i = 0; i < 3; i++) rate[6 + i] = N * F[i] / m - (i == 2 ? g : 0);
    rate[10] = (N * q_th + b) / A;
    rate[9] = (N * q_phi - 2 * A * dphi * dth * st * ct - N * q_psi * ct + C * spin * dth * st) / (A * st * st);
    rate[11] = N * q_psi / C - rate[9] * ct + dphi * st * dth; /* spin' = psi'' + phi'' cos th - phi' sin th th' */
}

/* ---- orders ---- */

static void simulate(const char *scene, method m, zn_friction_law law, double h, double end, double *y, zn_statistics *statistics) {
    run r;
    zn_settings settings = open_scene(&r, scene, NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.step = h, settings.end = end, settings.friction_law = law;
    settings.tolerance = 1e-13;
    start_run(&r, &settings);
    finish_run(&r);
    int nq = r.model->size.nq, nu = r.model->size.nu;
    memcpy(y, zn_simulation_positions(r.simulation), (size_t)nq * sizeof *y);
    memcpy(y + nq, zn_simulation_velocities(r.simulation), (size_t)nu * sizeof *y);
    *statistics = zn_simulation_statistics(r.simulation);
    close_run(&r);
}

static double distance(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

typedef struct expectation {
    method m;
    double order, h;
} expectation;

static void check_orders(const char *scene, int n, const double *exact, double end, const expectation *list, size_t count) {
    for (size_t k = 0; k < count; k++) {
        double y[STATE], error[2];
        zn_statistics statistics;
        for (int half = 0; half < 2; half++) {
            simulate(scene, list[k].m, ZN_FRICTION_STAGED, list[k].h / (1 + half), end, y, &statistics);
            error[half] = distance(n, y, exact);
            assert_int_equal(statistics.staged_accepted, statistics.steps);
        }
        print_message("%s %s:%d errors %.2e %.2e, order %.2f\n", scene, list[k].m.name, list[k].m.stages, error[0], error[1],
                      log2(error[0] / error[1]));
        check_close(log2(error[0] / error[1]), list[k].order, 0.2);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void full_order_in_the_bowl(void **state) {
    (void)state;
    double y[STATE] = {1, 0, 0.5, 0.3, 2, 0.3};
    integrate(bowl, 6, y, 0.512, 4096);
    const expectation list[] = {
        {{"radau-2a", 2}, 3, 0.016},     {{"radau-2a", 3}, 5, 0.064},          {{"lobatto-3c", 3}, 4, 0.032},
        {{"lobatto-3a3b", 2}, 2, 0.016}, {{"lobatto-3a3b", 3}, 4, 0.032},      {{"lobatto-3a3b", 4}, 6, 0.064},
        {{"tr-bdf2", 0}, 2, 0.016},      {{"generalized-alpha", 0}, 2, 0.008},
    };
    check_orders("paraboloid-bowl", 6, y, 0.512, list, COUNT(list));
}

static void full_order_of_the_eccentric_sphere(void **state) {
    (void)state;
    double y[STATE] = {0, 0, 0.1 + 0.02 * cos(1), 0.3, 1, 0, 1, 0.3, 0, 8, 0, 12};
    integrate(sphere, 12, y, 0.128, 16384);
    const expectation list[] = {
        {{"radau-2a", 2}, 3, 0.004},     {{"radau-2a", 3}, 5, 0.002},          {{"lobatto-3c", 3}, 4, 0.002},
        {{"lobatto-3a3b", 2}, 2, 0.002}, {{"lobatto-3a3b", 3}, 4, 0.002},      {{"lobatto-3a3b", 4}, 6, 0.002},
        {{"tr-bdf2", 0}, 2, 0.002},      {{"generalized-alpha", 0}, 2, 0.002},
    };
    check_orders("eccentric-sphere", 12, y, 0.128, list, COUNT(list));
}

/* ---- what must not change ---- */

static void planar_friction_stays_as_it_is(void **state) {
    (void)state;
    const char *scenes[] = {"slope", "rotating-ball", "rolling-ball", "ball-in-cylinder", "slider-crank", "painleve-rod"};
    const method methods[] = {{"radau-2a", 2}, {"lobatto-3a3b", 3}, {"generalized-alpha", 0}};
    for (size_t s = 0; s < COUNT(scenes); s++)
        for (size_t k = 0; k < COUNT(methods); k++) {
            double end[2][64] = {{0}};
            run r;
            for (int law = 0; law < 2; law++) {
                zn_settings settings = open_scene(&r, scenes[s], NULL);
                settings.scheme = methods[k].name, settings.stages = methods[k].stages, settings.end = 200 * settings.step;
                settings.friction_law = law ? ZN_FRICTION_STAGED : ZN_FRICTION_ACCUMULATED;
                start_run(&r, &settings);
                assert_true(r.model->size.nq <= 32 && r.model->size.nu <= 32);
                finish_run(&r);
                memcpy(end[law], zn_simulation_positions(r.simulation), (size_t)r.model->size.nq * sizeof(double));
                memcpy(end[law] + 32, zn_simulation_velocities(r.simulation), (size_t)r.model->size.nu * sizeof(double));
                assert_int_equal(zn_simulation_statistics(r.simulation).staged_repeated, 0);
                close_run(&r);
            }
            assert_memory_equal(end[0], end[1], sizeof end[0]);
        }
}

/* ---- energy ---- */

/* Friction percussion times the mean slip velocity of each step, all rows: never positive. */
static void check_dissipation(const char *scene, method m, double h, double end) {
    run r;
    zn_settings settings = open_scene(&r, scene, NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.step = h, settings.end = end, settings.friction_law = ZN_FRICTION_STAGED;
    start_run(&r, &settings);
    const zn_model *model = r.model;
    const zn_contact *contact = &model->contacts[0];
    void *work = calloc(1, model->work_bytes + 1);
    double c1[2][STATE] = {{0}};
    while (!zn_simulation_done(r.simulation)) {
        for (int i = 0; i < 2; i++) {
            zn_point at = {.t = zn_simulation_time(r.simulation),
                           .q = zn_simulation_positions(r.simulation),
                           .u = zn_simulation_velocities(r.simulation)};
            assert_int_equal(model->constraints(model, work, &at, &(zn_constraints){.c1 = c1[i]}), 0);
            if (i == 0) step_run(&r);
        }
        double power = 0;
        for (int i = 0; i < contact->nF; i++) {
            int row = contact->row_F + i;
            double P = zn_simulation_percussions(r.simulation)[row] / (contact->scale ? contact->scale[i] : 1);
            power += P * (c1[0][row] + c1[1][row]) / 2;
        }
        assert_true(power <= 1e-12);
    }
    zn_statistics statistics = zn_simulation_statistics(r.simulation);
    assert_true(statistics.staged_accepted > 0);
    assert_true(statistics.energy_end <= statistics.energy_start);
    free(work);
    close_run(&r);
}

static void friction_never_drives(void **state) {
    (void)state;
    const method methods[] = {{"radau-2a", 2},     {"radau-2a", 3}, {"lobatto-3c", 3},
                              {"lobatto-3a3b", 3}, {"tr-bdf2", 0},  {"generalized-alpha", 0}};
    for (size_t k = 0; k < COUNT(methods); k++) {
        check_dissipation("spring-slider", methods[k], 0.02, 3);
        check_dissipation("paraboloid-bowl", methods[k], 0.02, 3);
        check_dissipation("puck", methods[k], 0.01, 1.5);
    }
}

/* ---- sticking, restitution, islands, many contacts ---- */

static void slides_to_rest_more_precisely(void **state) {
    (void)state;
    double rest[STATE], y[STATE];
    zn_statistics statistics;
    simulate("spring-slider", (method){"radau-2a", 3}, ZN_FRICTION_STAGED, 2.5e-4, 8, rest, &statistics);
    for (int i = 3; i < 6; i++) check_close(rest[i], 0, 1e-9);
    double error[2];
    for (int law = 0; law < 2; law++) {
        simulate("spring-slider", (method){"radau-2a", 3}, law ? ZN_FRICTION_STAGED : ZN_FRICTION_ACCUMULATED, 0.02, 8, y, &statistics);
        error[law] = distance(3, y, rest);
    }
    print_message("stopping point: accumulated %.2e, staged %.2e; accepted %ld, repeated %ld\n", error[0], error[1],
                  statistics.staged_accepted, statistics.staged_repeated);
    assert_true(error[1] < 0.1 * error[0]);
    assert_true(statistics.staged_repeated > 0);
}

/* A slider, and a mass that falls on the same plane; with `rod` they are joined. */
static const char TWO[] = "title: two\n"
                          "parameters: {k: 4}\n"
                          "coordinates: {x: 1, y: {start: 0, velocity: 2}, z: 0, a: 3, b: 0, c: 0.1}\n"
                          "energy: {kinetic: (x'^2 + y'^2 + z'^2 + a'^2 + b'^2 + c'^2)/2, potential: k/2*(x^2 + y^2) + 10*(z + c)}\n"
                          "%s"
                          "contacts:\n"
                          "  slider: {gap: z, slip: [x', y'], friction: 0.1%s}\n"
                          "  other: {gap: c, slip: [a', b'], friction: 0.1}\n"
                          "simulation: {step: 0.01, end: 0.4, friction_law: staged}\n";

static zn_statistics run_two(method m, const char *constraint, const char *restitution) {
    char text[1000];
    snprintf(text, sizeof text, TWO, constraint, restitution);
    run r = run_scene(text, NULL, m, 0.01, 0.4);
    zn_statistics statistics = zn_simulation_statistics(r.simulation);
    close_run(&r);
    return statistics;
}

static void only_the_island_of_a_new_contact_is_repeated(void **state) {
    (void)state;
    const method methods[] = {{"radau-2a", 2}, {"lobatto-3a3b", 3}, {"generalized-alpha", 0}};
    for (size_t k = 0; k < COUNT(methods); k++) {
        zn_statistics apart = run_two(methods[k], "", "");
        assert_int_equal(apart.staged_accepted, apart.steps);
        assert_int_equal(apart.staged_repeated, 0);
        zn_statistics joined = run_two(methods[k], "constraints: {guide: {position: a - 2 - x}}\n", "");
        assert_true(joined.staged_repeated > 0 && joined.staged_repeated < 4);
        assert_true(joined.staged_accepted < joined.steps && joined.staged_accepted > joined.steps - 4);
        zn_statistics bounces = run_two(methods[k], "", ", tangential_restitution: 0.5"); /* falls back */
        assert_int_equal(bounces.staged_accepted + bounces.staged_repeated, 0);
    }
}

/* Enough copies for the sparse solver, and each moves as if it were alone; the fixed-point solver finds the same. */
static void many_contacts_and_other_solvers(void **state) {
    (void)state;
    enum { COPIES = 40 };
    static char text[40000], coordinates[10000], kinetic[5000], potential[8000], contacts[8000];
    int c = 0, t = 0, v = 0, f = 0;
    for (int i = 0; i < COPIES; i++) {
        c += snprintf(coordinates + c, sizeof coordinates - (size_t)c, "  x%d: 1\n  y%d: {start: 0, velocity: 2}\n  z%d: 0\n", i, i, i);
        t += snprintf(kinetic + t, sizeof kinetic - (size_t)t, "%sx%d'^2 + y%d'^2 + z%d'^2", i ? " + " : "", i, i, i);
        v += snprintf(potential + v, sizeof potential - (size_t)v, "%s2*(x%d^2 + y%d^2) + 10*z%d", i ? " + " : "", i, i, i);
        f += snprintf(contacts + f, sizeof contacts - (size_t)f, "  c%d: {gap: z%d, slip: [x%d', y%d'], friction: 0.1}\n", i, i, i, i);
    }
    snprintf(text, sizeof text,
             "title: many\ncoordinates:\n%senergy:\n  kinetic: (%s)/2\n  potential: %s\ncontacts:\n%s"
             "simulation: {step: 0.016, end: 0.512, friction_law: staged}\n",
             coordinates, kinetic, potential, contacts);
    const method methods[] = {{"radau-2a", 2}, {"lobatto-3a3b", 3}, {"generalized-alpha", 0}};
    for (size_t k = 0; k < COUNT(methods); k++) {
        double alone[STATE];
        zn_statistics statistics;
        simulate("spring-slider", methods[k], ZN_FRICTION_STAGED, 0.016, 0.512, alone, &statistics);
        run r = run_scene(text, NULL, methods[k], 0.016, 0.512);
        assert_int_equal(zn_simulation_statistics(r.simulation).staged_accepted, 32);
        for (int i = 0; i < COPIES; i++)
            for (int j = 0; j < 2; j++) check_close(zn_simulation_positions(r.simulation)[3 * i + j], alone[j], 1e-8);
        close_run(&r);
        zn_settings settings = open_scene(&r, "spring-slider", NULL);
        settings.scheme = methods[k].name, settings.stages = methods[k].stages, settings.step = 0.016;
        settings.solver = ZN_SOLVER_PROJECTION, settings.tolerance = 1e-9;
        start_run(&r, &settings);
        finish_run(&r);
        for (int j = 0; j < 2; j++) check_close(zn_simulation_positions(r.simulation)[j], alone[j], 1e-7);
        close_run(&r);
    }
}

static void other_words_are_refused(void **state) {
    (void)state;
    const char *names[] = {"radau-2a", "lobatto-3a3b", "generalized-alpha"};
    for (size_t k = 0; k < COUNT(names); k++) {
        run r;
        zn_settings settings = open_scene(&r, "spring-slider", NULL);
        settings.scheme = names[k], settings.stages = 0, settings.friction_law = ZN_FRICTION_LAW_COUNT;
        assert_int_equal(zn_simulation_create(r.context, r.model, &settings, &r.simulation), ZN_ERROR_ARGUMENT);
        assert_non_null(strstr(zn_error_text(r.context), "friction_law"));
        close_run(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_order_in_the_bowl),          cmocka_unit_test(full_order_of_the_eccentric_sphere),
        cmocka_unit_test(planar_friction_stays_as_it_is),  cmocka_unit_test(friction_never_drives),
        cmocka_unit_test(slides_to_rest_more_precisely),   cmocka_unit_test(only_the_island_of_a_new_contact_is_repeated),
        cmocka_unit_test(many_contacts_and_other_solvers), cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
