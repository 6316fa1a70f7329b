/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the projected Runge-Kutta schemes, and errors against independently computed states (docs/theory/corrections.md). */
#include "projected_runs.h"

enum { MAX_STEPS = 2000, LEVELS = 6, MAX_WIDTH = 4 };

typedef struct trajectory {
    int nq, nu, count;
    double rows[MAX_STEPS][MAX_WIDTH];
} trajectory;

static void simulate(const char *scene, method m, zn_projection projection, double h, double end, trajectory *out) {
    run r;
    zn_settings settings = open_scene(&r, scene, NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.projection = projection;
    settings.step = h, settings.end = end, settings.tolerance = 1e-13, settings.damping = 0.5;
    start_run(&r, &settings);
    out->nq = r.model->size.nq, out->nu = r.model->size.nu, out->count = 0;
    assert_true(out->nq + out->nu <= MAX_WIDTH);
    while (!zn_simulation_done(r.simulation) && out->count < MAX_STEPS) {
        step_run(&r);
        double *row = out->rows[out->count++];
        memcpy(row, zn_simulation_positions(r.simulation), (size_t)out->nq * sizeof *row);
        memcpy(row + out->nq, zn_simulation_velocities(r.simulation), (size_t)out->nu * sizeof *row);
    }
    assert_true(zn_simulation_done(r.simulation));
    close_run(&r);
}

/* Largest difference at common times: `a` has `ratio` steps for each step of `b`. */
static void compare(const trajectory *a, const trajectory *b, double *error_q, double *error_u) {
    int ratio = a->count / b->count;
    *error_q = *error_u = 0;
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < a->nq + a->nu; i++) {
            double difference = fabs(a->rows[(k + 1) * ratio - 1][i] - b->rows[k][i]), *error = i < a->nq ? error_q : error_u;
            *error = fmax(*error, difference);
        }
}

/* Least-squares slope of log(error) over log(h), errors above round-off only. */
static double fitted_order(const double *h, const double *error, int count) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        if (error[i] < 1e-12) continue;
        double lx = log(h[i]), ly = log(error[i]);
        n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    return n < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

typedef struct expectation {
    method m;
    zn_projection projection;
    double order_q, order_u;
} expectation;

/* Steps end/8, end/16 ... against Radau IIA with four stages at the finest of them. */
static void check_orders(const char *scene, double end, const expectation *list, size_t count) {
    static trajectory reference, coarse;
    simulate(scene, (method){"radau-2a", 4}, ZN_PROJECTION_VELOCITY, end / (8 << (LEVELS - 1)), end, &reference);
    for (size_t e = 0; e < count; e++) {
        double h[LEVELS], error_q[LEVELS], error_u[LEVELS];
        for (int k = 0; k < LEVELS; k++) {
            h[k] = end / (8 << k);
            simulate(scene, list[e].m, list[e].projection, h[k], end, &coarse);
            compare(&reference, &coarse, &error_q[k], &error_u[k]);
        }
        double order_q = fitted_order(h, error_q, LEVELS), order_u = fitted_order(h, error_u, LEVELS);
        print_message("%s %s:%d %d: orders %.2f %.2f, errors at h = %.4g: %.2e %.2e\n", scene, list[e].m.name, list[e].m.stages,
                      (int)list[e].projection, order_q, order_u, h[2], error_q[2], error_u[2]);
        check_close(order_q, list[e].order_q, 0.2);
        check_close(order_u, list[e].order_u, 0.2);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void orders_with_a_bilateral_constraint(void **state) {
    (void)state;
    static const expectation list[] = {
        {{"radau-2a", 1}, ZN_PROJECTION_VELOCITY, 1, 1},   {{"radau-2a", 2}, ZN_PROJECTION_VELOCITY, 3, 3},
        {{"radau-2a", 3}, ZN_PROJECTION_VELOCITY, 5, 5},   {{"lobatto-3c", 2}, ZN_PROJECTION_VELOCITY, 2, 2},
        {{"lobatto-3c", 3}, ZN_PROJECTION_VELOCITY, 4, 4}, {{"sdirk2", 0}, ZN_PROJECTION_VELOCITY, 1, 1},
        {{"sdirk3", 0}, ZN_PROJECTION_VELOCITY, 1, 1},     {{"tr-bdf2", 0}, ZN_PROJECTION_VELOCITY, 2, 2},
        {{"trx2", 0}, ZN_PROJECTION_VELOCITY, 2, 2},       {{"tr-theta", 0}, ZN_PROJECTION_VELOCITY, 2, 2},
        {{"radau-2a", 2}, ZN_PROJECTION_NONE, 3, 2},       {{"radau-2a", 3}, ZN_PROJECTION_NONE, 5, 3},
        {{"lobatto-3c", 2}, ZN_PROJECTION_NONE, 2, 1},     {{"lobatto-3c", 3}, ZN_PROJECTION_NONE, 4, 2},
    };
    check_orders("cartesian-pendulum", 0.2048, list, COUNT(list));
}

static void orders_with_contact_and_friction(void **state) {
    (void)state;
    static const expectation list[] = {
        {{"radau-2a", 1}, ZN_PROJECTION_VELOCITY, 1, 1},   {{"radau-2a", 2}, ZN_PROJECTION_VELOCITY, 3, 3},
        {{"radau-2a", 3}, ZN_PROJECTION_VELOCITY, 5, 5},   {{"lobatto-3c", 2}, ZN_PROJECTION_VELOCITY, 2, 2},
        {{"lobatto-3c", 3}, ZN_PROJECTION_VELOCITY, 3, 3}, {{"sdirk2", 0}, ZN_PROJECTION_VELOCITY, 1.1, 1},
        {{"sdirk3", 0}, ZN_PROJECTION_VELOCITY, 1, 1},     {{"tr-bdf2", 0}, ZN_PROJECTION_VELOCITY, 2, 2},
        {{"trx2", 0}, ZN_PROJECTION_VELOCITY, 2, 2},       {{"tr-theta", 0}, ZN_PROJECTION_VELOCITY, 2, 2},
    };
    check_orders("slope", 0.8192, list, COUNT(list));
}

/* Where the time of an impact falls between grid points every scheme is of first order: the error is h times a number that
 * depends on where it falls, so only a bound and the trend over many halvings can be asserted. */
static void first_order_after_an_impact(void **state) {
    (void)state;
    static trajectory motion;
    const double exact[2] = {0.9973042131, 0.3688725037};
    static const method list[] = {{"radau-2a", 1}, {"radau-2a", 2}, {"radau-2a", 3}, {"tr-bdf2", 0}};
    for (size_t e = 0; e < COUNT(list); e++)
        for (int steps = 32; steps <= 1024; steps *= 4) {
            double h = 0.8192 / steps;
            simulate("slope-drop", list[e], ZN_PROJECTION_VELOCITY, h, 0.8192, &motion);
            double error = fmax(fabs(motion.rows[steps - 1][0] - exact[0]), fabs(motion.rows[steps - 1][1] - exact[1]));
            print_message("slope-drop %s:%d h = %.3g error %.3g\n", list[e].name, list[e].stages, h, error);
            check_below(error, (list[e].stages == 1 ? 3 : 0.5) * h);
        }
}

/* Errors, not only slopes. Bounds are about twice what the schemes give. */
static void errors_against_exact_states(void **state) {
    (void)state;
    static trajectory motion;
    const struct {
        method m;
        double bound_q, bound_u;
    } slope[] = {{{"radau-2a", 1}, 1.6e-3, 9e-2},   {{"radau-2a", 2}, 7e-8, 2e-6},    {{"radau-2a", 3}, 1e-11, 4e-11},
                 {{"radau-2a", 6}, 1e-11, 1e-11},   {{"lobatto-3c", 2}, 4e-4, 3e-4},  {{"lobatto-3c", 3}, 5e-8, 8e-8},
                 {{"lobatto-3c", 4}, 2e-10, 5e-10}, {{"tr-bdf2", 0}, 1.1e-4, 1.2e-4}, {{"trx2", 0}, 6e-5, 7e-5}};
    const double q[2] = {1.09289185303, 0.33524560952}, u[2] = {2.25581335701, -0.75625152384};
    for (size_t e = 0; e < COUNT(slope); e++) {
        simulate("slope", slope[e].m, ZN_PROJECTION_VELOCITY, 0.0128, 0.8192, &motion);
        const double *end = motion.rows[motion.count - 1];
        double error_q = fmax(fabs(end[0] - q[0]), fabs(end[1] - q[1])), error_u = fmax(fabs(end[2] - u[0]), fabs(end[3] - u[1]));
        print_message("slope %s:%d: %.2e %.2e\n", slope[e].m.name, slope[e].m.stages, error_q, error_u);
        check_below(error_q, slope[e].bound_q);
        check_below(error_u, slope[e].bound_u);
    }
    const double pendulum[2] = {0.99986641, -0.01634492};
    const struct {
        method m;
        double bound;
    } list[] = {{{"radau-2a", 2}, 5e-5},
                {{"radau-2a", 3}, 1.5e-8},
                {{"radau-2a", 5}, 1.5e-8},
                {{"lobatto-3c", 4}, 1.5e-8},
                {{"tr-bdf2", 0}, 2.5e-4}};
    for (size_t e = 0; e < COUNT(list); e++) {
        simulate("cartesian-pendulum", list[e].m, ZN_PROJECTION_VELOCITY, 1e-2, 2.5, &motion);
        const double *end = motion.rows[motion.count - 1];
        double error = fmax(fabs(end[0] - pendulum[0]), fabs(end[1] - pendulum[1]));
        print_message("pendulum %s:%d: %.2e\n", list[e].m.name, list[e].m.stages, error);
        check_below(error, list[e].bound);
    }
}

/* The naive method leaves the velocity constraint, by the amount that is known; the projected one keeps it. */
static void projection_keeps_the_velocity_constraint(void **state) {
    (void)state;
    run r;
    zn_settings settings = open_scene(&r, "cartesian-pendulum", NULL);
    settings.scheme = "radau-2a", settings.stages = 2, settings.step = 1e-2, settings.end = 2.5, settings.projection = ZN_PROJECTION_NONE;
    start_run(&r, &settings);
    finish_run(&r);
    check_near(zn_simulation_statistics(r.simulation).max_gdot, 1.22e-3, 0.005);
    close_run(&r);
    r = run_scene("cartesian-pendulum", NULL, (method){"radau-2a", 2}, 1e-2, 2.5);
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_g, 1e-12);
    check_below(s.max_gdot, 1e-10);
    close_run(&r);
}

/* A skate on ice with its constraint on velocity level runs in a circle of radius v/w. */
static void order_with_a_velocity_constraint(void **state) {
    (void)state;
    static const char skate[] = "title: skate\n"
                                "coordinates: {x: {start: 0, velocity: 2}, y: 0, phi: {start: 0, velocity: 3}}\n"
                                "energy: {kinetic: (x'^2 + y'^2 + phi'^2)/2, potential: 0}\n"
                                "constraints: {blade: {velocity: y'*cos(phi) - x'*sin(phi)}}\n"
                                "simulation: {scheme: radau-2a, step: 1e-2, end: 1}\n";
    static const expectation list[] = {{{"radau-2a", 1}, ZN_PROJECTION_VELOCITY, 1, 1},
                                       {{"radau-2a", 2}, ZN_PROJECTION_VELOCITY, 3, 3},
                                       {{"radau-2a", 3}, ZN_PROJECTION_VELOCITY, 5, 5},
                                       {{"lobatto-3c", 2}, ZN_PROJECTION_VELOCITY, 2, 2},
                                       {{"tr-bdf2", 0}, ZN_PROJECTION_VELOCITY, 2, 2}};
    for (size_t e = 0; e < COUNT(list); e++) {
        double error_q[2], error_u[2];
        for (int k = 0; k < 2; k++) {
            run r;
            zn_settings settings = open_scene(&r, skate, NULL);
            settings.scheme = list[e].m.name, settings.stages = list[e].m.stages, settings.step = k ? 0.0125 : 0.025;
            start_run(&r, &settings);
            finish_run(&r);
            const double *q = zn_simulation_positions(r.simulation), *u = zn_simulation_velocities(r.simulation);
            error_q[k] = hypot(q[0] - 2.0 / 3 * sin(3), q[1] - 2.0 / 3 * (1 - cos(3)));
            error_u[k] = hypot(u[0] - 2 * cos(3), u[1] - 2 * sin(3));
            check_below(zn_simulation_statistics(r.simulation).max_gamma, 1e-10);
            close_run(&r);
        }
        print_message("skate %s:%d: %.2e %.2e, %.2e %.2e\n", list[e].m.name, list[e].m.stages, error_q[0], error_q[1], error_u[0],
                      error_u[1]);
        check_below(list[e].order_q - 0.2, log2(error_q[0] / error_q[1]));
        if (error_u[1] > 1e-9) check_below(list[e].order_u - 0.2, log2(error_u[0] / error_u[1]));
    }
}

/* A hundred masses between springs, in their lowest mode: matrices are sparse, and the order is kept. */
static void order_of_a_long_chain(void **state) {
    (void)state;
    enum { N = 100 };
    static char text[20000], kinetic[8000], potential[8000];
    const double pi = acos(-1), angle = pi / (N + 1), frequency = 2 * sin(angle / 2) * 10; /* k = 100, m = 1 */
    size_t at = (size_t)snprintf(text, sizeof text, "title: chain\ncoordinates:\n"), k_at = 0, p_at = 0;
    for (int i = 1; i <= N; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "  x%d: {start: %.17g}\n", i, sin(i * angle));
        k_at += (size_t)snprintf(kinetic + k_at, sizeof kinetic - k_at, "%sx%d'^2/2", i > 1 ? " + " : "", i);
        p_at += i == 1 ? (size_t)snprintf(potential, sizeof potential, "50*x1^2")
                       : (size_t)snprintf(potential + p_at, sizeof potential - p_at, " + 50*(x%d - x%d)^2", i, i - 1);
    }
    snprintf(text + at, sizeof text - at,
             "energy:\n  kinetic: %s\n  potential: %s + 50*x%d^2\nsimulation: {scheme: radau-2a, step: 1, end: 8}\n", kinetic, potential,
             N);
    static const struct {
        method m;
        double order;
    } list[] = {{{"radau-2a", 2}, 3}, {{"radau-2a", 3}, 5}, {{"tr-bdf2", 0}, 2}};
    for (size_t e = 0; e < COUNT(list); e++) {
        double error[2] = {0};
        for (int k = 0; k < 2; k++) {
            run r;
            zn_settings settings = open_scene(&r, text, NULL);
            settings.scheme = list[e].m.name, settings.stages = list[e].m.stages, settings.step = k ? 0.25 : 0.5;
            start_run(&r, &settings);
            finish_run(&r);
            for (int i = 0; i < N; i++)
                error[k] = fmax(error[k], fabs(zn_simulation_positions(r.simulation)[i] - sin((i + 1) * angle) * cos(8 * frequency)));
            close_run(&r);
        }
        print_message("chain %s:%d: %.2e %.2e\n", list[e].m.name, list[e].m.stages, error[0], error[1]);
        check_close(log2(error[0] / error[1]), list[e].order, 0.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_with_a_bilateral_constraint),
        cmocka_unit_test(orders_with_contact_and_friction),
        cmocka_unit_test(first_order_after_an_impact),
        cmocka_unit_test(errors_against_exact_states),
        cmocka_unit_test(projection_keeps_the_velocity_constraint),
        cmocka_unit_test(order_with_a_velocity_constraint),
        cmocka_unit_test(order_of_a_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
