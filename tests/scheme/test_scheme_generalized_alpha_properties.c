/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized-alpha: energy and orders of its coefficients, what it refuses, redundant constraints, memory. */
#include "scheme/alpha_runs.h"
#include "scheme/failing_memory.h"
#include "scheme/generalized_alpha.h"
#include "scheme/generalized_alpha_sets.h"

static zn_scene *parse(zn_context *context, const char *text) {
    zn_scene *scene = NULL;
    if (zn_scene_parse(context, "test", text, NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
    return scene;
}

static const char oscillator[] = "coordinates: {x: 1, y: {start: 0, velocity: 1}}\n"
                                 "energy: {kinetic: (x'^2 + 2*y'^2)/2, potential: 3*x^2 + x*y + 2*y^2}\n"
                                 "simulation: {step: 0.05, end: 50}\n";

/* x(t) at the end of a run from a text, with these coefficients. */
static void oscillate(const char *scheme_name, zn_alpha alpha, double rho, double step, double end, double q[2], double *drift) {
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
    const zn_alpha alphas[] = {ZN_ALPHA_CHUNG_HULBERT, ZN_ALPHA_HHT, ZN_ALPHA_NEWMARK};
    double q[2], reference[2], drift;
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 3; f++) {
            oscillate(schemes[k], alphas[f], 1, 0.05, 50, q, &drift);
            check_below(drift, 1e-11);
            if (k + f == 0) memcpy(reference, q, sizeof q);
            check_close(q[0], reference[0], 1e-11);
            check_close(q[1], reference[1], 1e-11);
        }
    oscillate("generalized-alpha", ZN_ALPHA_CHUNG_HULBERT, 0.5, 0.05, 50, q, &drift);
    assert_true(drift > 1e-4); /* and damping damps */
}

static void orders_of_families(void **state) {
    (void)state;
    const struct {
        zn_alpha alpha;
        double rho, order;
    } list[] = {{ZN_ALPHA_CHUNG_HULBERT, 0.9, 2},
                {ZN_ALPHA_CHUNG_HULBERT, 0, 2},
                {ZN_ALPHA_HHT, 0.6, 2},
                {ZN_ALPHA_NEWMARK, 1, 2},
                {ZN_ALPHA_NEWMARK, 0.8, 1}};
    double exact[2], drift;
    oscillate("generalized-alpha", ZN_ALPHA_CHUNG_HULBERT, 1, 1e-4, 1, exact, &drift);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            double q[2];
            oscillate("generalized-alpha", list[k].alpha, list[k].rho, half ? 5e-3 : 1e-2, 1, q, &drift);
            error[half] = hypot(q[0] - exact[0], q[1] - exact[1]);
        }
        print_message("%d %g: %.3g %.3g\n", (int)list[k].alpha, list[k].rho, error[0], error[1]);
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
    const char *const variants[] = {"generalized-alpha-pva", "generalized-alpha-pvv", "generalized-alpha-p", "generalized-alpha-v",
                                    "generalized-alpha-pv"};
    for (int k = 0; k < 5; k++) {
        settings.scheme = variants[k];
        check_refused(rough, settings, ZN_ERROR_UNSUPPORTED, k < 2 ? "friction" : "contacts");
        check_refused(knife, settings, ZN_ERROR_UNSUPPORTED, "velocity level");
        if (k >= 2) check_refused(smooth_floor, settings, ZN_ERROR_UNSUPPORTED, "contacts");
    }
    settings.scheme = "generalized-alpha-pvv";
    settings.activation = 3;
    check_refused(smooth_floor, settings, ZN_ERROR_ARGUMENT, "activation");
    settings.scheme = "generalized-alpha-pva";
    settings.activation = 4;
    check_refused(smooth_floor, settings, ZN_ERROR_ARGUMENT, "activation");
    settings.activation = 0;
    settings.alpha = ZN_ALPHA_HHT;
    settings.damping = 0.2;
    check_refused(smooth_floor, settings, ZN_ERROR_ARGUMENT, "0.5 to 1");
    settings.alpha = ZN_ALPHA_COUNT;
    check_refused(smooth_floor, settings, ZN_ERROR_ARGUMENT, "alpha has no choice 3");
    settings.alpha = ZN_ALPHA_CHUNG_HULBERT;
    settings.damping = 1.5;
    settings.scheme = "generalized-alpha";
    check_refused(smooth_floor, settings, ZN_ERROR_ARGUMENT, "damping must be between 0 and 1");
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
            settings.iteration = decoupled ? ZN_ITERATION_DECOUPLED : ZN_ITERATION_COUPLED;
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

/* ---- derivatives ---- */

/* Everything at once: other kinematics, a mass that depends on positions, constraints on both levels, friction, time. */
static const char everything[] =
    "coordinates: {x: 0.3, y: 0.2, phi: 0.4, z: 0.5}\n"
    "velocities: {v: 0.7, w: -0.3, s: 0.2, r: 0.1}\n"
    "kinematics: {x: v*cos(phi) - 0.1*r, y: v*sin(phi) + x*s, phi: w + 0.2*t*v, z: s + r}\n"
    "mass: [[2 + x^2, 0.2*sin(phi), 0, 0], [0.2*sin(phi), 1 + 0.1*y, 0, 0], [0, 0, 1.5, 0.1*z], [0, 0, 0.1*z, 1]]\n"
    "force: {v: -x*v - w^2, w: sin(y)*v, s: -z - 0.3*s*w, r: t}\n"
    "constraints: {curve: {position: z - 0.4*x^2 - sin(y) + 0.1*t^2}, blade: {velocity: s*cos(x) - w*y + 0.1*v + 0.01*t}}\n"
    "contacts: {floor: {gap: y + 0.1*sin(x*z) + 0.2*phi - 0.3*t, slip: [v + x*w, r - y*s], friction: 0.3, restitution: 0.4,"
    " tangential_restitution: 0.2}}\n";

typedef struct cone_point {
    generalized_alpha *s;
    double *x, *y, *phi, *psi;
} cone_point;

static void evaluate_at(cone_point *p) {
    cone_values values = {.phi = p->phi, .psi = p->psi};
    assert_int_equal(p->s->problem.evaluate(p->s, p->x, p->y, &values), 0);
}

/* Largest difference of a column from the central difference along variable[j]; `dense` holds the column. */
static double column_error(cone_point *p, double *variable, int count, const double *result, const double *dense) {
    const double d = 1e-6;
    double *plus = calloc((size_t)count, sizeof *plus), worst = 0, start = *variable;
    *variable = start + d;
    evaluate_at(p);
    memcpy(plus, result, (size_t)count * sizeof *plus);
    *variable = start - d;
    evaluate_at(p);
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs((plus[i] - result[i]) / (2 * d) - dense[i]) / (1 + fabs(dense[i])));
    *variable = start;
    free(plus);
    return worst;
}

static void spread(const zn_pattern *pattern, const double *values, int column, double *dense) {
    memset(dense, 0, (size_t)pattern->rows * sizeof *dense);
    for (int k = pattern->start[column]; k < pattern->start[column + 1]; k++) dense[pattern->index[k]] += values[k];
}

static void jacobian_is_exact(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, everything);
    zn_settings settings = zn_settings_default();
    settings.scheme = "generalized-alpha";
    settings.step = 0.05;
    settings.end = 1;
    settings.project_start = true;
    zn_simulation *simulation;
    if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
    if (zn_simulation_step(simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
    generalized_alpha *s = (generalized_alpha *)simulation->scheme;
    const cone_problem *c = &s->problem;
    enum { ROOM = 64 };
    assert_true(c->nx <= ROOM && c->npsi <= ROOM && lin_nnz(&c->psi_x) <= ROOM * ROOM && lin_nnz(&c->phi_y) <= ROOM * ROOM);
    double x[ROOM], y[ROOM], phi[ROOM], psi[ROOM], dense[ROOM], unit[ROOM];
    static double phi_y[ROOM * ROOM], psi_x[ROOM * ROOM];
    cone_point p = {s, x, y, phi, psi};
    double worst[3] = {0};
    for (int i = 0; i < c->nx; i++) x[i] = s->x[i] + 0.1 * sin(3 + 7 * i); /* anywhere near the solution */
    for (int i = 0; i < c->ny; i++) y[i] = s->y[i] + 0.1 * cos(1 + 5 * i);
    cone_values values = {.phi = phi, .psi = psi, .jacobian = true, .phi_y = phi_y, .psi_x = psi_x};
    assert_int_equal(c->evaluate(s, x, y, &values), 0);
    for (int j = 0; j < c->nx; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        lin_matrix_multiply(c->phi_x, unit, dense);
        worst[0] = fmax(worst[0], column_error(&p, &x[j], c->nx, phi, dense));
        spread(&c->psi_x, psi_x, j, dense);
        worst[1] = fmax(worst[1], column_error(&p, &x[j], c->npsi, psi, dense));
    }
    for (int j = 0; j < c->ny; j++) {
        spread(&c->phi_y, phi_y, j, dense);
        worst[2] = fmax(worst[2], column_error(&p, &y[j], c->nx, phi, dense));
    }
    print_message("derivatives: phi_x %.2g, psi_x %.2g, phi_y %.2g\n", worst[0], worst[1], worst[2]);
    for (int k = 0; k < 3; k++) check_below(worst[k], 1e-7);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* The same for the matrices of the active-set method, with the contacts in all combinations of sets. */
static const char natural[] = "coordinates: {x: 0.9, y: 0.2, z: 0.4}\n"
                              "energy: {kinetic: (2 + sin(y))*x'^2/2 + y'^2 + x'*z'*x/4 + z'^2/2, potential: x^2*y + cos(z)}\n"
                              "forces: {x: -x'*y' + 0.1*t, z: -z'*abs(2 + y)}\n"
                              "constraints: {curve: {position: z - 0.5*x^2*y + 0.1*t^2}}\n";
static const char natural_contacts[] = "contacts: {a: {gap: 1 + y + 0.1*sin(x*z) - 0.1*t}, b: {gap: 2 + x - z^2, restitution: 0.5}}\n";

static double sets_error(alpha_sets *s) {
    enum { ROOM = 32 };
    double worst = 0, unit[ROOM], column[ROOM], plus[ROOM];
    const double d = 1e-6;
    int size = s->system[0].size;
    assert_true(size <= ROOM);
    for (int i = 0; i < size; i++) s->x[0][i] += 0.1 * sin(3 + 7 * i);
    assert_int_equal(alpha_sets_ask(s, true), 0);
    alpha_system_fill(s, &s->system[0]);
    for (int j = 0; j < size; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        lin_matrix_multiply(s->system[0].matrix, unit, column);
        double start = s->x[0][j];
        for (int side = 0; side < 2; side++) {
            s->x[0][j] = start + (side ? -d : d);
            assert_int_equal(alpha_sets_ask(s, false), 0);
            alpha_sets_residual(s);
            if (!side) memcpy(plus, s->residual[0], (size_t)size * sizeof *plus);
        }
        s->x[0][j] = start;
        for (int i = 0; i < size; i++) worst = fmax(worst, fabs((plus[i] - s->residual[0][i]) / (2 * d) - column[i]));
    }
    return worst;
}

static void matrices_of_sets_are_exact(void **state) {
    (void)state;
    const char *const variants[] = {"generalized-alpha-pva", "generalized-alpha-pva", "generalized-alpha-pvv",
                                    "generalized-alpha-p",   "generalized-alpha-v",   "generalized-alpha-pv"};
    for (int v = 0; v < 6; v++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", natural, v < 3 ? natural_contacts : "");
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = parse(context, text);
        zn_settings settings = zn_settings_default();
        settings.scheme = variants[v];
        settings.multipliers = v == 1 ? ZN_MULTIPLIERS_PRINTED : ZN_MULTIPLIERS_STARRED;
        settings.step = 0.05;
        settings.end = 1;
        settings.project_start = true;
        zn_simulation *simulation;
        if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
        assert_int_equal(zn_simulation_step(simulation), ZN_OK);
        alpha_sets *s = (alpha_sets *)simulation->scheme;
        for (int sets = 0; sets < (v < 3 ? 8 : 1); sets++) {
            for (int k = 0; k < LEVEL_COUNT && v < 3; k++)
                for (int i = s->ng; i < s->n; i++) {
                    s->on[k][i] = (sets >> k & 1) ^ (i & 1);
                    s->off[k][i] = 1 - s->on[k][i];
                }
            check_below(sets_error(s), 1e-6);
        }
        zn_simulation_destroy(simulation);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
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
        settings.iteration = k ? ZN_ITERATION_DECOUPLED : ZN_ITERATION_COUPLED;
        settings.step = 1e-2;
        settings.end = 1;
        fail_each_request(zn_scene_model(scene), &settings);
    }
    zn_scene_destroy(scene);
    zn_context_destroy(calm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamped_keeps_energy),      cmocka_unit_test(orders_of_families),   cmocka_unit_test(refusals),
        cmocka_unit_test(redundant_constraints),      cmocka_unit_test(memory_that_runs_out), cmocka_unit_test(jacobian_is_exact),
        cmocka_unit_test(matrices_of_sets_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
