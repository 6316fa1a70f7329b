/* SPDX-License-Identifier: Apache-2.0 */
/* B-splines and Gauss rules: what defines them. */
#include "check.h"
#include "model/parts/spline.h"
#include "model/parts_mechanisms.h"

static const int many_elements[] = {1, 2, 3, 7};
enum { N_ELEMENTS = 4, MOST_POINTS = 7 + SPLINE_MOST_DEGREE };

/* sum c_i N_i and its derivatives at xi, seen from an element. */
static void curve(int degree, int elements, int element, double xi, const double *c, double out[3]) {
    double N[3][SPLINE_MOST_FUNCTIONS];
    spline_functions(degree, elements, element, xi, N);
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int i = 0; i <= degree; i++) out[k] += N[k][i] * c[element + i];
    }
}

static double inside(uint64_t *seed, int elements, int element) { return (element + 0.5 + 0.49 * random_number(seed)) / elements; }

static void functions_are_a_partition_of_unity(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int n = 0; n < N_ELEMENTS; n++)
            for (int e = 0; e < many_elements[n]; e++) {
                double N[3][SPLINE_MOST_FUNCTIONS], sum[3] = {0}, scale = many_elements[n];
                spline_functions(p, many_elements[n], e, inside(&seed, many_elements[n], e), N);
                for (int i = 0; i <= p; i++) {
                    assert_true(N[0][i] >= 0);
                    for (int k = 0; k < 3; k++) sum[k] += N[k][i];
                }
                check_close(sum[0], 1, 4e-15);
                check_close(sum[1], 0, 1e-13 * scale);
                check_close(sum[2], 0, 1e-12 * scale * scale);
            }
}

static void derivatives_are_those_of_the_values(void **state) {
    (void)state;
    uint64_t seed = 2;
    const double d = 1e-5;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int n = 0; n < N_ELEMENTS; n++) {
            int elements = many_elements[n], e = elements / 2;
            double c[MOST_POINTS], at[3], before[3], after[3], xi = (e + 0.5 + 0.3 * random_number(&seed)) / elements;
            random_numbers(&seed, elements + p, c);
            curve(p, elements, e, xi, c, at);
            curve(p, elements, e, xi - d, c, before);
            curve(p, elements, e, xi + d, c, after);
            double scale = pow(p * elements, 3);
            check_close((after[0] - before[0]) / (2 * d), at[1], 1e-9 * scale);
            check_close((after[1] - before[1]) / (2 * d), at[2], 1e-9 * scale * p * elements);
        }
}

/* x and x^2, whose coefficients are known: the mean of the knots i + 1 ... i + p, and of the products of two of them. */
static void polynomials_are_reproduced(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int n = 0; n < N_ELEMENTS; n++) {
            int elements = many_elements[n];
            double linear[MOST_POINTS], square[MOST_POINTS];
            for (int i = 0; i < elements + p; i++) {
                linear[i] = spline_greville(p, elements, i);
                double sum = 0;
                for (int a = 1; a <= p; a++)
                    for (int b = a + 1; b <= p; b++) {
                        double k_a = fmin(fmax(i + a - p, 0), elements) / elements, k_b = fmin(fmax(i + b - p, 0), elements) / elements;
                        sum += k_a * k_b;
                    }
                square[i] = sum / (p * (p - 1) / 2.0);
            }
            for (int e = 0; e < elements; e++) {
                double xi = inside(&seed, elements, e), x[3], xx[3];
                curve(p, elements, e, xi, linear, x);
                curve(p, elements, e, xi, square, xx);
                check_close(x[0], xi, 1e-14), check_close(x[1], 1, 1e-13), check_close(x[2], 0, 1e-11);
                check_close(xx[0], xi * xi, 1e-14), check_close(xx[1], 2 * xi, 1e-13), check_close(xx[2], 2, 1e-11);
            }
        }
}

/* At a knot the curve, its slope and, from degree 3 on, its second derivative are the same from both sides. Degree 2 jumps. */
static void curves_are_smooth_at_knots(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++) {
        double c[MOST_POINTS], left[3], right[3];
        random_numbers(&seed, 7 + p, c);
        for (int e = 1; e < 7; e++) {
            curve(p, 7, e - 1, e / 7.0, c, left);
            curve(p, 7, e, e / 7.0, c, right);
            check_close(left[0], right[0], 1e-14);
            check_close(left[1], right[1], 1e-12);
            if (p > 2) check_close(left[2], right[2], 1e-10);
            if (p == 2) assert_true(fabs(left[2] - right[2]) > 1e-3);
        }
    }
}

static void ends_are_control_points(void **state) {
    (void)state;
    for (int p = SPLINE_LEAST_DEGREE; p <= SPLINE_MOST_DEGREE; p++)
        for (int n = 0; n < N_ELEMENTS; n++) {
            int elements = many_elements[n];
            double N[3][SPLINE_MOST_FUNCTIONS];
            spline_functions(p, elements, 0, 0, N);
            check_close(N[0][0], 1, 1e-15), check_close(N[1][1], p * elements, 1e-12), check_close(N[1][0], -p * elements, 1e-12);
            spline_functions(p, elements, elements - 1, 1, N);
            check_close(N[0][p], 1, 1e-15), check_close(N[1][p - 1], -p * elements, 1e-12);
            assert_true(spline_greville(p, elements, 0) == 0 && spline_greville(p, elements, elements + p - 1) == 1);
        }
    assert_int_equal(spline_element(4, 0), 0);
    assert_int_equal(spline_element(4, 0.25), 0);
    assert_int_equal(spline_element(4, 0.2501), 1);
    assert_int_equal(spline_element(4, 1), 3);
}

static void gauss_rules_are_exact_to_their_degree(void **state) {
    (void)state;
    for (int n = 1; n <= SPLINE_MOST_POINTS; n++) {
        double x[SPLINE_MOST_POINTS], w[SPLINE_MOST_POINTS], miss = 0;
        flexible_gauss(n, x, w);
        for (int i = 1; i < n; i++) assert_true(x[i] > x[i - 1]);
        for (int k = 0; k <= 2 * n; k++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += w[i] / 2 * pow((1 + x[i]) / 2, k);
            if (k < 2 * n) check_close(sum, 1.0 / (k + 1), 2e-15);
            miss = fabs(sum - 1.0 / (k + 1));
        }
        if (n <= 6) assert_true(miss > 1e-8); /* and no further */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_a_partition_of_unity),
        cmocka_unit_test(derivatives_are_those_of_the_values),
        cmocka_unit_test(polynomials_are_reproduced),
        cmocka_unit_test(curves_are_smooth_at_knots),
        cmocka_unit_test(ends_are_control_points),
        cmocka_unit_test(gauss_rules_are_exact_to_their_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
