/* SPDX-License-Identifier: Apache-2.0 */
/* Beams and bars against theory: patch tests, the cantilever that becomes a circle, natural frequencies, initial curvature. */
#include "model/equilibria.h"
#include "trial.h"

static const double pi = 3.14159265358979323846;

/* An output of the model by its name at q. */
static double output(const zn_model *m, const double *q, const char *name) {
    double *values = calloc((size_t)m->n_outputs, sizeof *values), *zero = calloc((size_t)m->size.nu, sizeof *zero), value = NAN;
    void *work = calloc(1, m->work_bytes);
    assert_int_equal(m->outputs(m, work, &(zn_point){.t = 1, .q = q, .u = zero}, values), 0);
    for (int i = 0; i < m->n_outputs; i++)
        if (!strcmp(m->output_names[i], name)) value = values[i];
    if (isnan(value)) fail_msg("there is no output %s", name);
    free(values), free(zero), free(work);
    return value;
}

static char text[1200]; /* of the scene at work */
static trial start(void) { return trial_begin(text, (trial_options){.scheme = "radau-2a", .step = 1e-3, .end = 1e-3}); }
#define begin(format, elements, order) (snprintf(text, sizeof text, format, elements, order), start())

#define FIXED_BEAM(load)                                                                                       \
    "bodies:\n  b: {type: beam, from: [0, 0], to: [1.5, 2], elements: %d, order: %d, EA: 100, GA: 40, EI: 3, " \
    "line_density: 1, "                                                                                        \
    "record: all}\njoints: {clamp: {type: fixed, between: [world, b.start], at: [0, 0], axis: [1.5, 2]}}\n"    \
    "forces:\n  load: {type: body, on: b.end, " load "}\n"

/* Constant strains are exact in every element, whatever its order and number: pull, shear by a force pair, pure bending. */
static void constant_strains_are_exact(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (int n = 1; n <= 5; n += 2) {
            double q[64];
            char name[40];
            trial t = begin(FIXED_BEAM("force: [\"6*t\", \"8*t\"]"), n, order); /* along the beam: N = 10 */
            const zn_model *m = zn_scene_model(t.scene);
            memcpy(q, m->q_start, (size_t)m->size.nq * sizeof *q);
            equilibria_solve(m, 2, q);
            const int last = m->size.nq - 3;
            check_close(q[last], 1.5 * 1.1, 1e-11);
            check_close(q[last + 1], 2 * 1.1, 1e-11);
            for (int p = 1; p <= n * order; p++) {
                snprintf(name, sizeof name, "b.N_%d", p);
                check_close(output(m, q, name), 10, 1e-9);
                snprintf(name, sizeof name, "b.strain_%d", p);
                check_close(output(m, q, name), 0.1, 1e-11);
                snprintf(name, sizeof name, "b.Q_%d", p);
                check_close(output(m, q, name), 0, 1e-9);
            }
            trial_end(&t);
            t = begin(FIXED_BEAM("torque: \"1.2*t\""), n, order); /* curvature M/EI = 0.4 */
            m = zn_scene_model(t.scene);
            memcpy(q, m->q_start, (size_t)m->size.nq * sizeof *q);
            equilibria_solve(m, 3, q);
            for (int p = 1; p <= n * order; p++) {
                snprintf(name, sizeof name, "b.M_%d", p);
                check_close(output(m, q, name), 1.2, 1e-10);
                snprintf(name, sizeof name, "b.curvature_%d", p);
                check_close(output(m, q, name), 0.4, 1e-11);
                snprintf(name, sizeof name, "b.Q_%d", p);
                check_close(output(m, q, name), 0, 1e-9);
            }
            check_close(q[last + 2] - m->q_start[last + 2], 0.4 * 2.5, 1e-11);
            trial_end(&t);
        }
}

/* A state with given constant strains and no curvature: all elements see just these. */
static void a_sheared_beam_has_constant_shear(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        trial t = begin(FIXED_BEAM("torque: 0"), 3, order);
        const zn_model *m = zn_scene_model(t.scene);
        const double eps = 0.07, gamma = -0.2, turn = 0.9; /* cross sections turn by `turn`, the axis by more */
        double q[64];
        for (int i = 0; i < m->size.nq; i += 3) {
            double angle = m->q_start[i + 2] + turn, s = hypot(m->q_start[i], m->q_start[i + 1]);
            q[i] = s * ((1 + eps) * cos(angle) - gamma * sin(angle)) + 3;
            q[i + 1] = s * ((1 + eps) * sin(angle) + gamma * cos(angle)) - 4;
            q[i + 2] = angle;
        }
        for (int p = 1; p <= 3 * order; p++) {
            char name[40];
            snprintf(name, sizeof name, "b.strain_%d", p);
            check_close(output(m, q, name), eps, 1e-13);
            snprintf(name, sizeof name, "b.shear_%d", p);
            check_close(output(m, q, name), gamma, 1e-13);
            snprintf(name, sizeof name, "b.curvature_%d", p);
            check_close(output(m, q, name), 0, 1e-13);
        }
        trial_end(&t);
    }
}

/* Three quarters of a circle under the moment 3 pi/2 EI/L: the end is at R (sin, 1 - cos), R = L/(3 pi/2). */
static double circle_error(int n, int order) {
    trial t = begin("bodies:\n  b: {type: beam, from: [0, 0], to: [1, 0], elements: %d, order: %d, EA: 1e4, GA: 1e4, EI: 2, "
                    "line_density: 1}\n"
                    "joints: {clamp: {type: fixed, between: [world, b.start]}}\n"
                    "forces:\n  load: {type: body, on: b.end, torque: 3*pi*t}\n",
                    n, order);
    const zn_model *m = zn_scene_model(t.scene);
    double q[256], angle = 1.5 * pi;
    memcpy(q, m->q_start, (size_t)m->size.nq * sizeof *q);
    equilibria_solve(m, 12, q);
    const int last = m->size.nq - 3;
    check_close(q[last + 2], angle, 1e-9); /* the curvature is constant: the angle is exact */
    double error = hypot(q[last] - sin(angle) / angle, q[last + 1] - (1 - cos(angle)) / angle);
    trial_end(&t);
    return error;
}

static void a_cantilever_becomes_a_circle(void **state) {
    (void)state;
    const int counts[] = {4, 8, 16, 32};
    for (int order = 1; order <= 2; order++) {
        double last = 0;
        for (int i = 0; i < 4; i++) {
            double error = circle_error(counts[i], order);
            if (i > 0) check_close(log2(last / error), 2 * order, 0.15); /* nodes converge with 2 p */
            last = error;
        }
        check_below(last, order == 1 ? 1e-3 : 1e-6);
    }
}

/* A beam that is an arc without load opens to a straight line under the opposite moment. */
static void initial_curvature_is_free_of_stress(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        trial t = begin("bodies:\n  b: {type: beam, from: [0, 0], to: [1, 0], curvature: 2, elements: %d, order: %d, EA: "
                        "1e3, GA: 1e3, EI: 2, "
                        "line_density: 1, record: all}\njoints: {clamp: {type: fixed, between: [world, b.start]}}\n"
                        "forces:\n  load: {type: body, on: b.end, torque: -4*t}\n",
                        16, order);
        const zn_model *m = zn_scene_model(t.scene);
        double q[256];
        memcpy(q, m->q_start, (size_t)m->size.nq * sizeof *q);
        const int last = m->size.nq - 3;
        check_close(q[last], sin(2) / 2, 1e-14);
        check_close(q[last + 1], (1 - cos(2)) / 2, 1e-14);
        check_close(q[last + 2], 2, 1e-14);
        check_close(output(m, q, "b.N_3"), 0, 1e-12);
        equilibria_solve(m, 8, q);
        check_close(output(m, q, "b.M_3"), -4, 1e-9);
        check_close(q[last + 2], 0, 1e-9);
        check_close(q[last], 1, order == 1 ? 1e-3 : 1e-5);
        check_close(q[last + 1], 0, 1e-9);
        trial_end(&t);
    }
}

/* ---- frequencies ---- */

/* Simply supported Timoshenko beam: EI k^4 - (rho_A + rho_I k^2 + rho_A EI/GA k^2) w^2 + rho_A rho_I/GA w^4 = 0, k = n pi/L. */
static double timoshenko(int n, double L, double EI, double GA, double rho_A, double rho_I) {
    double k2 = pow(n * pi / L, 2), a = rho_A * rho_I / GA, b = rho_A + rho_I * k2 + rho_A * EI / GA * k2, c = EI * k2 * k2;
    return sqrt(2 * c / (b + sqrt(b * b - 4 * a * c)));
}

static void frequencies_of_a_supported_beam(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++)
        for (int mode = 1; mode <= 3; mode++) {
            double error[2];
            for (int i = 0; i < 2; i++) {
                int n = (order == 1 ? 16 : 6) << i;
                trial t = begin("bodies:\n  b: {type: beam, from: [0, 0], to: [2, 0], elements: %d, order: %d, EA: 1e5, GA: 50, EI: 2, "
                                "line_density: 3, rotary: 0.1}\n",
                                n, order);
                const zn_model *m = zn_scene_model(t.scene);
                double omega[256], exact = timoshenko(mode, 2, 2, 50, 3, 0.1);
                equilibria_frequencies(m, 3, (int[]){0, 1, m->size.nq - 2}, omega);
                error[i] = fabs(omega[mode - 1] / exact - 1);
                trial_end(&t);
            }
            check_below(error[1], order == 1 ? 0.02 : 1e-3);
            check_close(log2(error[0] / error[1]), 2 * order, 0.3);
        }
}

/* A free bar: omega_n = n pi c/L; consistent masses are above, lumped ones below, both with order 2. */
static void frequencies_of_a_free_bar(void **state) {
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        trial t = begin("bodies:\n  b: {type: bar, from: [0, 0], to: [0, 2], elements: %d, EA: 8, line_density: 2, mass: %s}\n", 40,
                        lumped ? "lumped" : "consistent");
        double omega[64], h = 2.0 / 40;
        equilibria_frequencies(zn_scene_model(t.scene), 0, NULL, omega);
        for (int n = 1; n <= 3; n++) {
            double k = n * pi / 2, kh = k * h;
            double exact = lumped ? 2 * 2 / h * sin(kh / 2) : 2 / h * sqrt(6 * (1 - cos(kh)) / (2 + cos(kh))); /* of the discrete bar */
            check_near(omega[n], exact, 1e-9);
            check_near(omega[n], 2 * k, 0.6 * kh * kh / 12);
        }
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_strains_are_exact),      cmocka_unit_test(a_sheared_beam_has_constant_shear),
        cmocka_unit_test(a_cantilever_becomes_a_circle),   cmocka_unit_test(initial_curvature_is_free_of_stress),
        cmocka_unit_test(frequencies_of_a_supported_beam), cmocka_unit_test(frequencies_of_a_free_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
