/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria and small vibrations of the spline beam against closed solutions and shooting. */
#include "model/parts/spline.h"
#include "model/spline_fixture.h"

static const double pi = 3.14159265358979323846;
enum { MOST_COORDINATES = 200 };

/* The point of the beam at xi; the control points are all coordinates. */
static void point_at(const zn_flexible_def *def, const double *q, double xi, double r[2]) {
    double N[3][SPLINE_MOST_FUNCTIONS];
    int element = spline_element(def->elements, xi);
    spline_functions(def->order, def->elements, element, xi, N);
    r[0] = r[1] = 0;
    for (int i = 0; i <= def->order; i++)
        for (int axis = 0; axis < 2; axis++) r[axis] += N[0][i] * q[2 * (element + i) + axis];
}

/* The equilibrium of a cantilever under a load at its end that grows in `steps` steps. */
static void solve(const zn_flexible_def *def, const char *x, const char *y, const char *moment, int steps, double *q) {
    setup s = cantilever(def, x, y, moment);
    statics equilibrium = statics_begin(s.model);
    if (!statics_load(&equilibrium, steps)) fail_msg("degree %d, %d elements: no equilibrium", def->order, def->elements);
    memcpy(q, equilibrium.q, sizeof *q * (size_t)s.model->size.nq);
    statics_end(&equilibrium);
    setup_end(&s);
}

/* ---- the circle ---- */

/* Root of the mean square distance from the circle that a tip moment angle EI/L makes. */
static double circle_error(const zn_flexible_def *def, double angle) {
    enum { SAMPLES = 100 };
    char moment[40];
    double q[MOST_COORDINATES], sum = 0, r[2];
    snprintf(moment, sizeof moment, "%.17g*t", angle);
    solve(def, NULL, NULL, moment, 20, q);
    for (int k = 0; k <= SAMPLES; k++) {
        double xi = (double)k / SAMPLES;
        point_at(def, q, xi, r);
        double x = r[0] - sin(angle * xi) / angle, y = r[1] - (1 - cos(angle * xi)) / angle;
        sum += (x * x + y * y) / (SAMPLES + 1);
    }
    return sqrt(sum);
}

/* A tip moment 2 pi EI/L bends the beam into a full circle. The moment is constant, which suits degree 2: it has order 4, two
 * more than in general. Degree 3 has 4, degree 4 has 5 (at least: it starts faster). */
static void tip_moment_bends_into_a_circle(void **state) {
    (void)state;
    static const struct {
        int degree, gauss, elements[2];
        double order, last;
    } cases[] = {{2, 2, {16, 32}, 4, 4e-5},
                 {2, 3, {16, 32}, 4, 1e-4},
                 {3, 3, {16, 32}, 4, 5e-6},
                 {3, 4, {16, 32}, 4, 5e-6},
                 {4, 4, {8, 16}, 5, 3e-7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            zn_flexible_def def = beam_def(cases[c].degree, cases[c].elements[i]);
            def.gauss = cases[c].gauss;
            error[i] = circle_error(&def, 2 * pi);
        }
        double order = observed_order(error[0], error[1], 2);
        print_message("circle, degree %d, %d points: errors %.2e %.2e, order %.2f\n", cases[c].degree, cases[c].gauss, error[0], error[1],
                      order);
        assert_true(order > cases[c].order - 0.2);
        check_below(error[1], cases[c].last);
    }
}

/* Slender beams: too many points of Gauss ask for too much (the centre line cannot bend without stretch at all of them). With as
 * many points as the degree, the default, the error does not depend on EA. */
static void fewer_points_do_not_lock(void **state) {
    (void)state;
    double error[2][2];
    for (int slender = 0; slender < 2; slender++)
        for (int more = 0; more < 2; more++) {
            zn_flexible_def def = beam_def(2, 16);
            def.EA = slender ? 1e6 : 1e3;
            def.gauss = more ? 3 : 0;
            error[slender][more] = circle_error(&def, pi);
        }
    print_message("half circle, 16 elements, 2 and 3 points: %.2e %.2e, slender %.2e %.2e\n", error[0][0], error[0][1], error[1][0],
                  error[1][1]);
    check_near(error[1][0], error[0][0], 0.05);
    check_below(error[1][0], 5e-5);
    assert_true(error[1][1] > 100 * error[1][0]);
}

/* ---- patch tests ---- */

static void constant_stretch_is_exact(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++) {
        zn_flexible_def def = beam_def(p, 3);
        double q[MOST_COORDINATES], r[2];
        solve(&def, "250*t", NULL, NULL, 1, q); /* a quarter of EA */
        for (int k = 0; k <= 10; k++) {
            point_at(&def, q, k / 10.0, r);
            check_close(r[0], 1.25 * k / 10.0, 1e-12);
            check_close(r[1], 0, 1e-12);
        }
    }
}

/* Constant curvature as far as splines can: to first order a circle is the parabola y = kappa s^2/2. */
static void small_curvature_is_exact(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++) {
        zn_flexible_def def = beam_def(p, 3);
        double q[MOST_COORDINATES], r[2];
        solve(&def, NULL, NULL, "1e-6*t", 1, q);
        for (int k = 0; k <= 10; k++) {
            double s = k / 10.0;
            point_at(&def, q, s, r);
            check_close(r[1], 1e-6 * s * s / 2, 1e-15);
        }
    }
}

/* ---- recorded forces ---- */

/* Forces and strains at all points of Gauss under a tension and under a small moment. */
static void recorded_forces_are_those_of_the_load(void **state) {
    (void)state;
    for (int bent = 0; bent < 2; bent++) {
        zn_flexible_def def = beam_def(3, 3);
        def.record = ZN_RECORD_ALL;
        setup s = cantilever(&def, bent ? NULL : "250*t", NULL, bent ? "1e-6*t" : NULL);
        statics equilibrium = statics_begin(s.model);
        assert_true(statics_load(&equilibrium, 1));
        assert_int_equal(s.model->n_outputs, 3 * 3 * 4); /* elements, points; N, M, strain, curvature */
        assert_string_equal(s.model->output_names[0], "beam.N_1");
        assert_string_equal(s.model->output_names[35], "beam.curvature_9");
        double values[36];
        zn_point at = {1, equilibrium.q, equilibrium.zero, equilibrium.zero, equilibrium.lambda};
        assert_int_equal(s.model->outputs(s.model, equilibrium.work, &at, values), 0);
        for (int i = 0; i < 36; i += 4) {
            check_close(values[i], bent ? 0 : 250, 1e-9);
            check_close(values[i + 1], bent ? 1e-6 : 0, 1e-10);
            check_close(values[i + 2], values[i] / 1e3, 1e-14);
            check_close(values[i + 3], values[i + 1], 1e-14);
        }
        statics_end(&equilibrium);
        setup_end(&s);
    }
}

/* ---- the elastica ---- */

/* Extensible, under a dead force P across the clamped direction, by shooting: with n = (0, P)
 *     r' = (1 + eps)(cos th, sin th),  eps = P sin th/EA,  EI th'' = -(1 + eps) P cos th,  th(0) = 0, th'(1) = 0 */
static void elastica_slope(double P, double EA, const double *y, double *d) {
    double stretch = 1 + P * sin(y[2]) / EA;
    d[0] = stretch * cos(y[2]), d[1] = stretch * sin(y[2]), d[2] = y[3], d[3] = -stretch * P * cos(y[2]);
}

/* Classical Runge-Kutta; y at the tip is (x, y, th, th'). */
static void elastica_shoot(double P, double EA, double kappa, double *y) {
    enum { STEPS = 1000 };
    static const double at[4] = {0, 0.5, 0.5, 1};
    double h = 1.0 / STEPS, k[4][4] = {{0}}, z[4];
    y[0] = y[1] = y[2] = 0, y[3] = kappa;
    for (int i = 0; i < STEPS; i++) {
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 4; j++) z[j] = y[j] + (s ? at[s] * h * k[s - 1][j] : 0);
            elastica_slope(P, EA, z, k[s]);
        }
        for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* th'(1) grows with th'(0): bisection. */
static void elastica_tip(double P, double EA, double *y) {
    double low = 0, high = P;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        elastica_shoot(P, EA, middle, y);
        if (y[3] > 0) high = middle;
        else low = middle;
    }
}

static double elastica_error(int degree, int elements, double P, double EA, const double *exact) {
    zn_flexible_def def = beam_def(degree, elements);
    char force[40];
    double q[MOST_COORDINATES], r[2];
    def.EA = EA;
    snprintf(force, sizeof force, "%.17g*t", P);
    solve(&def, NULL, force, NULL, 4, q);
    point_at(&def, q, 1, r);
    return hypot(r[0] - exact[0], r[1] - exact[1]);
}

/* Degree p: order 2 (p - 1) of the tip. */
static void tip_force_makes_the_elastica(void **state) {
    (void)state;
    static const double loads[] = {1, 2, 5, 10}, deflections[] = {0.30172, 0.49346, 0.71379, 0.81061};
    static const struct {
        int degree, elements;
        double order, error;
    } cases[] = {{2, 8, 2, 1e-3}, {3, 8, 4, 3e-6}, {4, 4, 6, 5e-6}};
    for (int i = 0; i < 4; i++) {
        double exact[4];
        elastica_tip(loads[i], 1e9, exact); /* tables are for inextensible beams */
        check_close(exact[1], deflections[i], 6e-6);
        elastica_tip(loads[i], 1e3, exact);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            double coarse = elastica_error(cases[c].degree, cases[c].elements, loads[i], 1e3, exact),
                   fine = elastica_error(cases[c].degree, 2 * cases[c].elements, loads[i], 1e3, exact),
                   order = observed_order(coarse, fine, 2);
            print_message("P %g, degree %d, %d elements: %.2e %.2e, order %.2f\n", loads[i], cases[c].degree, cases[c].elements, coarse,
                          fine, order);
            assert_true(order > cases[c].order - 0.2);
            check_below(fine, cases[c].error);
        }
    }
}

/* ---- frequencies ---- */

/* The first two frequencies of bending. */
static void frequencies(int degree, int elements, bool clamped, double *w) {
    zn_flexible_def def = beam_def(degree, elements);
    def.EA = 1e6; /* axial ones are far above */
    setup s = setup_begin(&def);
    if (clamped) {
        setup_joint(&s, "clamp", ZN_JOINT_FIXED, 0, (double[3]){0, 0, 0});
    } else {
        setup_joint(&s, "left", ZN_JOINT_REVOLUTE, 0, (double[3]){0, 0, 0});
        setup_joint(&s, "right", ZN_JOINT_POINT_ON_LINE, 1, (double[3]){1, 0, 0});
    }
    setup_build(&s);
    statics vibration = statics_begin(s.model);
    assert_true(statics_frequencies(&vibration, 2, w));
    statics_end(&vibration);
    setup_end(&s);
}

/* Euler-Bernoulli: w = (k pi)^2 simply supported, 1.875104068711961^2, 4.694091132974174^2 clamped. Order 2 (p - 1), from above. */
static void frequencies_are_those_of_theory(void **state) {
    (void)state;
    const double theory[2][2] = {{pi * pi, 4 * pi * pi}, {3.5160152685, 22.0344915647}};
    static const struct {
        int degree, elements;
        double error[2];
    } cases[] = {{2, 8, {2e-3, 7e-3}}, {3, 8, {2e-6, 2e-5}}, {4, 4, {1e-7, 5e-6}}};
    for (int clamped = 0; clamped < 2; clamped++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            double w[2][2];
            for (int i = 0; i < 2; i++) frequencies(cases[c].degree, cases[c].elements << i, clamped, w[i]);
            for (int m = 0; m < 2; m++) {
                double coarse = w[0][m] / theory[clamped][m] - 1, fine = w[1][m] / theory[clamped][m] - 1;
                double order = observed_order(coarse, fine, 2);
                print_message("%s, degree %d, mode %d: %.2e %.2e, order %.2f\n", clamped ? "clamped" : "supported", cases[c].degree, m + 1,
                              coarse, fine, order);
                assert_true(fine > 0); /* consistent mass, Ritz */
                assert_true(order > 2 * (cases[c].degree - 1) - 0.2);
                check_below(fine, cases[c].error[m]);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tip_moment_bends_into_a_circle),
                                       cmocka_unit_test(fewer_points_do_not_lock),
                                       cmocka_unit_test(constant_stretch_is_exact),
                                       cmocka_unit_test(small_curvature_is_exact),
                                       cmocka_unit_test(recorded_forces_are_those_of_the_load),
                                       cmocka_unit_test(tip_force_makes_the_elastica),
                                       cmocka_unit_test(frequencies_are_those_of_theory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
