/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized-alpha: energy and orders of its coefficients, what it refuses, redundant constraints, memory. */
#include "base/counting_allocator.h"
#include "scheme/alpha_runs.h"

static zn_scene *parse(zn_context *context, const char *text) {
    zn_scene *scene = NULL;
    if (zn_scene_parse(context, "test", text, NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
    return scene;
}

static const char oscillator[] = "coordinates: {x: 1, y: {start: 0, velocity: 1}}\n"
                                 "energy: {kinetic: (x'^2 + 2*y'^2)/2, potential: 3*x^2 + x*y + 2*y^2}\n"
                                 "simulation: {step: 0.05, end: 50}\n";

/* x(t) at the end of a run from a text, with these coefficients. */
static void oscillate(const char *scheme_name, const char *alpha, double rho, double step, double end, double q[2], double *drift) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, oscillator);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme_name;
    settings.alpha = alpha;
    settings.damping = rho;
    settings.step = step;
    settings.end = end;
    settings.tolerance = 1e-13;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
    double kinetic, potential, start;
    zn_simulation_energy(simulation, &kinetic, &potential);
    start = kinetic + potential;
    *drift = 0;
    while (!zn_simulation_done(simulation)) {
        assert_int_equal(zn_simulation_step(simulation), ZN_OK);
        zn_simulation_energy(simulation, &kinetic, &potential);
        *drift = fmax(*drift, fabs(kinetic + potential - start) / start);
    }
    memcpy(q, zn_simulation_positions(simulation), 2 * sizeof *q);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* rho = 1: every family is the trapezoidal rule, which keeps the energy of a linear oscillator. */
static void undamped_keeps_energy(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha", "generalized-alpha-pva", "generalized-alpha-p"};
    const char *const alphas[] = {"chung-hulbert", "hht", "newmark"};
    double q[2], reference[2], drift;
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 3; f++) {
            oscillate(schemes[k], alphas[f], 1, 0.05, 50, q, &drift);
            check_below(drift, 1e-11);
            if (k + f == 0) memcpy(reference, q, sizeof q);
            check_close(q[0], reference[0], 1e-11);
            check_close(q[1], reference[1], 1e-11);
        }
    oscillate("generalized-alpha", "chung-hulbert", 0.5, 0.05, 50, q, &drift);
    assert_true(drift > 1e-4); /* and damping damps */
}

static void orders_of_families(void **state) {
    (void)state;
    const struct {
        const char *alpha;
        double rho, order;
    } list[] = {{"chung-hulbert", 0.9, 2}, {"chung-hulbert", 0, 2}, {"hht", 0.6, 2}, {"newmark", 1, 2}, {"newmark", 0.8, 1}};
    double exact[2], drift;
    oscillate("generalized-alpha", "chung-hulbert", 1, 1e-4, 1, exact, &drift);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            double q[2];
            oscillate("generalized-alpha", list[k].alpha, list[k].rho, half ? 5e-3 : 1e-2, 1, q, &drift);
            error[half] = hypot(q[0] - exact[0], q[1] - exact[1]);
        }
        print_message("%s %g: %.3g %.3g\n", list[k].alpha, list[k].rho, error[0], error[1]);
        check_close(log2(error[0] / error[1]), list[k].order, 0.1);
    }
}

/* ---- refusals ---- */

static void check_refused(const char *text, zn_settings settings, zn_status expected, const char *word) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, text);
    zn_simulation *simulation = NULL;
    settings.step = 1e-2;
    settings.end = 1;
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
    assert_int_equal(status, expected);
    if (!strstr(zn_error_text(context), word)) fail_msg("'%s' is not in: %s", word, zn_error_text(context));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void refusals(void **state) {
    (void)state;
    const char rough[] = "coordinates: {x: 0, y: 1}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                         "contacts: {floor: {gap: y, slip: x', friction: 0.3}}\n";
    const char smooth_floor[] = "coordinates: {x: 0, y: 1}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                                "contacts: {floor: {gap: y}}\n";
    const char knife[] = "coordinates: {x: 0, y: 0, phi: 0}\nenergy: {kinetic: (x'^2 + y'^2 + phi'^2)/2}\n"
                         "constraints: {edge: {velocity: x'*sin(phi) - y'*cos(phi)}}\n";
    zn_settings settings = zn_settings_default();
    const char *const variants[] = {"generalized-alpha-pva", "generalized-alpha-pvv", "generalized-alpha-p", "generalized-alpha-v", "generalized-alpha-pv"};
    for (int k = 0; k < 5; k++) {
        settings.scheme = variants[k];
        check_refused(rough, settings, ZN_UNSUPPORTED, k < 2 ? "friction" : "contacts");
        check_refused(knife, settings, ZN_UNSUPPORTED, "velocity level");
        if (k >= 2) check_refused(smooth_floor, settings, ZN_UNSUPPORTED, "contacts");
    }
    settings.scheme = "generalized-alpha-pvv";
    settings.activation = 3;
    check_refused(smooth_floor, settings, ZN_ARGUMENT, "activation");
    settings.scheme = "generalized-alpha-pva";
    settings.activation = 4;
    check_refused(smooth_floor, settings, ZN_ARGUMENT, "activation");
    settings.activation = 0;
    settings.alpha = "hht";
    settings.damping = 0.2;
    check_refused(smooth_floor, settings, ZN_ARGUMENT, "0.5 to 1");
    settings.alpha = "wilson";
    check_refused(smooth_floor, settings, ZN_ARGUMENT, "wilson");
    settings.alpha = NULL;
    settings.damping = 1.5;
    settings.scheme = "generalized-alpha";
    check_refused(smooth_floor, settings, ZN_ARGUMENT, "spectral radius");
}

/* ---- constraints twice ---- */

static const char twice[] = "coordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                            "constraints: {rod: {position: (x^2 + y^2 - 1)/2}, again: {position: x^2 + y^2 - 1}}\n"
                            "contacts: {wall: {gap: x - 0.2, restitution: 0.5}, same: {gap: 2*x - 0.4, restitution: 0.5}}\n";
static const char once[] = "coordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                           "constraints: {rod: {position: (x^2 + y^2 - 1)/2}}\ncontacts: {wall: {gap: x - 0.2, restitution: 0.5}}\n";

static void swing_to(const char *text, zn_settings settings, double q[2], double *impulse) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, text);
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
    if (zn_simulation_run(simulation, NULL, NULL) != ZN_OK) fail_msg("%s: %s", settings.scheme, zn_error_text(context));
    memcpy(q, zn_simulation_positions(simulation), 2 * sizeof *q);
    const zn_sizes *size = &zn_scene_model(scene)->size;
    const double *total = zn_simulation_percussion_totals(simulation) + size->ng;
    *impulse = total[0] + (size->nN > 1 ? 2 * total[1] : 0);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Multipliers are not unique then, motion and resultants are. */
static void redundant_constraints(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha", "generalized-alpha-pva", "generalized-alpha-pvv"};
    for (int k = 0; k < 3; k++)
        for (int decoupled = 0; decoupled < (k ? 2 : 1); decoupled++) {
            zn_settings settings = zn_settings_default();
            settings.scheme = schemes[k];
            settings.iteration = decoupled ? "decoupled" : "coupled";
            settings.step = 2e-3;
            settings.end = 1.2;
            double q1[2], q2[2], impulse1, impulse2;
            swing_to(once, settings, q1, &impulse1);
            swing_to(twice, settings, q2, &impulse2);
            check_close(q2[0], q1[0], 1e-7);
            check_close(q2[1], q1[1], 1e-7);
            check_close(impulse2, impulse1, 1e-6);
            assert_true(impulse1 > 1);
        }
}

/* ---- memory ---- */

static const char knee[] = "coordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                           "constraints: {rod: {position: x^2 + y^2 - 1}}\ncontacts: {wall: {gap: x - 0.2}}\n";

static void memory_that_runs_out(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha", "generalized-alpha-pva"};
    zn_context *calm = zn_context_create(NULL);
    zn_scene *scene = parse(calm, knee);
    for (int k = 0; k < 2; k++) {
        zn_settings settings = zn_settings_default();
        settings.scheme = schemes[k];
        settings.iteration = k ? "decoupled" : "coupled";
        settings.step = 1e-2;
        settings.end = 1;
        counting_allocator memory = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&memory);
        long before = memory.requests, live = memory.live;
        zn_simulation *simulation = NULL;
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
        long needed = memory.requests - before, then = memory.requests;
        assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
        assert_int_equal(memory.requests, then); /* steps take none */
        zn_simulation_destroy(simulation);
        assert_int_equal(memory.live, live);
        zn_context_destroy(context);
        for (long at = 0; at < needed; at++) {
            context = counting_context(&memory);
            memory.fail_at = memory.requests + at;
            zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
            memory.fail_at = -1;
            if (status != ZN_MEMORY) fail_msg("%s: request %ld of %ld failed unseen", schemes[k], at, needed);
            zn_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
    }
    zn_scene_destroy(scene);
    zn_context_destroy(calm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamped_keeps_energy), cmocka_unit_test(orders_of_families),   cmocka_unit_test(refusals),
        cmocka_unit_test(redundant_constraints), cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
