/* SPDX-License-Identifier: Apache-2.0 */
/* Tableaux against the printed tables of 002 (chapters 4 and 5, corrected: docs/theory/corrections.md) and their simplifying
 * assumptions; dense output. */
#include "tableaux.h"

#include <stdio.h>

/* ---- printed tables ---- */

static void check_array(int count, const double *actual, const double *expected) {
    for (int i = 0; i < count; i++) check_close(actual[i], expected[i], ROUNDING);
}

static void check_table(const tableau *t, const double *c, const double *A) {
    check_array(t->s, t->c, c);
    check_array(t->s * t->s, t->A, A);
    assert_memory_equal(t->b, t->A + t->s * (t->s - 1), (size_t)t->s * sizeof(double));
    assert_true(t->stiffly_accurate);
}

static void printed_radau(void **state) {
    (void)state;
    const double w = sqrt(6);
    tableau t = make(RADAU_2A, 1);
    check_table(&t, (double[]){1}, (double[]){1});
    assert_true(t.c[0] == 1 && t.A[0] == 1 && !t.has_embedded);
    t = make(RADAU_2A, 2);
    check_table(&t, (double[]){1 / 3.0, 1}, (double[]){5 / 12.0, -1 / 12.0, 3 / 4.0, 1 / 4.0});
    t = make(RADAU_2A, 3);
    check_table(&t, (double[]){(4 - w) / 10, (4 + w) / 10, 1},
                (double[]){(88 - 7 * w) / 360, (296 - 169 * w) / 1800, (-2 + 3 * w) / 225, (296 + 169 * w) / 1800, (88 + 7 * w) / 360,
                           (-2 - 3 * w) / 225, (16 - w) / 36, (16 + w) / 36, 1 / 9.0});
}

static void printed_lobatto_3c(void **state) {
    (void)state;
    tableau t = make(LOBATTO_3C, 2);
    check_table(&t, (double[]){0, 1}, (double[]){0.5, -0.5, 0.5, 0.5});
    t = make(LOBATTO_3C, 3);
    check_table(&t, (double[]){0, 0.5, 1}, (double[]){1 / 6.0, -1 / 3.0, 1 / 6.0, 1 / 6.0, 5 / 12.0, -1 / 12.0, 1 / 6.0, 2 / 3.0, 1 / 6.0});
}

/* s = 4 as in Hairer, Lubich, Wanner, Geometric Numerical Integration, Tables II.1.1 and II.1.2 (002 refers to [100]). */
static void printed_lobatto_3a3b(void **state) {
    (void)state;
    const double w = sqrt(5);
    tableau t = make(LOBATTO_3A3B, 2);
    check_table(&t, (double[]){0, 1}, (double[]){0, 0, 0.5, 0.5});
    check_array(4, t.Ah, (double[]){0.5, 0, 0.5, 0});
    t = make(LOBATTO_3A3B, 3);
    check_table(&t, (double[]){0, 0.5, 1}, (double[]){0, 0, 0, 5 / 24.0, 1 / 3.0, -1 / 24.0, 1 / 6.0, 2 / 3.0, 1 / 6.0});
    check_array(9, t.Ah, (double[]){1 / 6.0, -1 / 6.0, 0, 1 / 6.0, 1 / 3.0, 0, 1 / 6.0, 5 / 6.0, 0});
    t = make(LOBATTO_3A3B, 4);
    check_table(&t, (double[]){0, (5 - w) / 10, (5 + w) / 10, 1},
                (double[]){0, 0, 0, 0, (11 + w) / 120, (25 - w) / 120, (25 - 13 * w) / 120, (-1 + w) / 120, (11 - w) / 120,
                           (25 + 13 * w) / 120, (25 + w) / 120, (-1 - w) / 120, 1 / 12.0, 5 / 12.0, 5 / 12.0, 1 / 12.0});
    check_array(16, t.Ah,
                (double[]){1 / 12.0, (-1 - w) / 24, (-1 + w) / 24, 0, 1 / 12.0, (25 + w) / 120, (25 - 13 * w) / 120, 0, 1 / 12.0,
                           (25 + 13 * w) / 120, (25 - w) / 120, 0, 1 / 12.0, (11 - w) / 24, (11 + w) / 24, 0});
    t = make(LOBATTO_3A3B, 5);
    check_array(5, t.c, (double[]){0, (7 - sqrt(21)) / 14, 0.5, (7 + sqrt(21)) / 14, 1});
    check_array(5, t.b, (double[]){1 / 20.0, 49 / 180.0, 16 / 45.0, 49 / 180.0, 1 / 20.0});
}

static void printed_sdirk(void **state) {
    (void)state;
    const double alpha = 1 - sqrt(2) / 2;
    tableau t;
    tableau_sdirk2(NULL, 0, 0, &t);
    check_table(&t, (double[]){alpha, 1}, (double[]){alpha, 0, 1 - alpha, alpha});
    tableau_sdirk3(NULL, 0, 0, &t);
    const double beta = t.A[0];
    check_close(beta, 0.43586652, 1e-8);
    check_close(((beta - 3) * beta + 1.5) * beta - 1 / 6.0, 0, 1e-16);
    check_table(&t, (double[]){beta, (1 + beta) / 2, 1},
                (double[]){beta, 0, 0, (1 - beta) / 2, beta, 0, -(6 * beta * beta - 16 * beta + 1) / 4,
                           (6 * beta * beta - 20 * beta + 5) / 4, beta});
    assert_true(t.A[4] == beta && t.A[8] == beta && t.diagonally_implicit && !t.explicit_first);
}

static void printed_tr_theta(void **state) {
    (void)state;
    const double w = sqrt(2) / 4, d = (2 - sqrt(2)) / 2;
    tableau t;
    tableau_tr_bdf2(NULL, 0, 0, &t);
    check_table(&t, (double[]){0, 2 * d, 1}, (double[]){0, 0, 0, d, d, 0, w, w, d});
    check_array(3, t.b_embedded, (double[]){(1 - w) / 3, (3 * w + 1) / 3, d / 3});
    assert_true(t.explicit_first && t.diagonally_implicit && t.A[4] == t.A[8]);
    tableau_trx2(NULL, 0, 0, &t);
    const double trx2[9] = {0, 0, 0, 0.25, 0.25, 0, 0.25, 0.5, 0.25};
    assert_memory_equal(t.A, trx2, sizeof trx2);
    check_array(3, t.b_embedded, (double[]){1 / 6.0, 2 / 3.0, 1 / 6.0});
}

/* Equal to (4.55), theta = (2 - sqrt(2(1 + rho)))/(1 - rho), where that is not 0/0. */
static void theta_of_rho(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 100; i++) {
        const double rho = 0.99 * random_unit(&seed);
        const tableau t = make_tr_theta(rho);
        const double theta = t.c[1];
        check_close(theta, (2 - sqrt(2 * (1 + rho))) / (1 - rho), 1e-13); /* cancellation: 1e-16 / 0.01 */
        check_array(3, t.b, (double[]){(3 * theta - theta * theta - 1) / (2 * theta), (1 - theta) / (2 * theta), theta / 2});
        check_array(3, t.b_embedded,
                    (double[]){(3 * theta - 1) / (6 * theta), 1 / (6 * theta * (1 - theta)), (2 - 3 * theta) / (6 * (1 - theta))});
    }
}

/* ---- simplifying assumptions ---- */

static void check_B(const tableau *t, const double *b, int p, double tolerance) {
    for (int q = 1; q <= p; q++) {
        double sum = 0;
        for (int i = 0; i < t->s; i++) sum += b[i] * power(t->c[i], q - 1);
        check_close(sum, 1.0 / q, tolerance);
    }
}

static void check_C(const tableau *t, const double *A, int p, double tolerance) {
    for (int q = 1; q <= p; q++)
        for (int i = 0; i < t->s; i++) {
            double sum = 0;
            for (int j = 0; j < t->s; j++) sum += A[i * t->s + j] * power(t->c[j], q - 1);
            check_close(sum, power(t->c[i], q) / q, tolerance);
        }
}

static void check_D(const tableau *t, const double *A, int p, double tolerance) {
    for (int q = 1; q <= p; q++)
        for (int j = 0; j < t->s; j++) {
            double sum = 0;
            for (int i = 0; i < t->s; i++) sum += t->b[i] * power(t->c[i], q - 1) * A[i * t->s + j];
            check_close(sum, t->b[j] * (1 - power(t->c[j], q)) / q, tolerance);
        }
}

/* Measured: below 3e-16 for every s; nothing is lost with the number of stages, so one tolerance serves all of them. */
static void simplifying_assumptions(void **state) {
    (void)state;
    const double tolerance = 2e-15;
    for (int s = 1; s <= S_MAX; s++) {
        tableau t = make(RADAU_2A, s);
        check_B(&t, t.b, 2 * s - 1, tolerance);
        check_C(&t, t.A, s, tolerance);
        check_D(&t, t.A, s - 1, tolerance);
        assert_int_equal(t.order, 2 * s - 1);
        if (s == 1) continue;
        t = make(LOBATTO_3C, s);
        check_B(&t, t.b, 2 * s - 2, tolerance);
        check_C(&t, t.A, s - 1, tolerance);
        check_D(&t, t.A, s - 1, tolerance);
        assert_int_equal(t.order, 2 * s - 2);
        t = make(LOBATTO_3A3B, s);
        check_C(&t, t.A, s, tolerance);
        check_D(&t, t.A, s - 2, tolerance);
        check_C(&t, t.Ah, s - 2, tolerance);
        check_D(&t, t.Ah, s, tolerance);
        assert_int_equal(t.order, 2 * s - 2);
    }
}

/* B(p) ends where the order does: one condition more must fail, or the test above could not. */
static void assumptions_are_sharp(void **state) {
    (void)state;
    for (int s = 2; s <= 6; s++) {
        const tableau radau = make(RADAU_2A, s), lobatto = make(LOBATTO_3C, s);
        double sum_radau = 0, sum_lobatto = 0;
        for (int i = 0; i < s; i++) {
            sum_radau += radau.b[i] * power(radau.c[i], 2 * s - 1);
            sum_lobatto += lobatto.b[i] * power(lobatto.c[i], 2 * s - 2);
        }
        assert_true(fabs(sum_radau - 1.0 / (2 * s)) > 1e-9);
        assert_true(fabs(sum_lobatto - 1.0 / (2 * s - 1)) > 1e-9);
    }
}

/* The four conditions of order three, for methods without C(2). */
static void check_order_conditions(const tableau *t, const double *b, int order) {
    double sum = 0, c1 = 0, c2 = 0, Ac = 0;
    for (int i = 0; i < t->s; i++) {
        sum += b[i];
        c1 += b[i] * t->c[i];
        c2 += b[i] * t->c[i] * t->c[i];
        for (int j = 0; j < t->s; j++) Ac += b[i] * t->A[i * t->s + j] * t->c[j];
    }
    check_close(sum, 1, ROUNDING);
    if (order >= 2) check_close(c1, 0.5, ROUNDING);
    else assert_true(fabs(c1 - 0.5) > 1e-3);
    if (order >= 3) {
        check_close(c2, 1 / 3.0, ROUNDING);
        check_close(Ac, 1 / 6.0, ROUNDING);
    } else {
        assert_true(fabs(c2 - 1 / 3.0) > 1e-3 || fabs(Ac - 1 / 6.0) > 1e-3);
    }
}

static void orders_of_diagonal_methods(void **state) {
    (void)state;
    tableau t;
    tableau_sdirk2(NULL, 0, 0, &t);
    assert_int_equal(t.order, 2);
    check_order_conditions(&t, t.b, 2);
    check_order_conditions(&t, t.b_embedded, t.embedded_order);
    tableau_sdirk3(NULL, 0, 0, &t);
    assert_int_equal(t.order, 3);
    check_order_conditions(&t, t.b, 3);
    check_order_conditions(&t, t.b_embedded, t.embedded_order);
    for (int i = 0; i <= 10; i++) {
        t = make_tr_theta(0.1 * i);
        check_C(&t, t.A, 1, ROUNDING);
        check_order_conditions(&t, t.b, 2);
        check_order_conditions(&t, t.b_embedded, 3);
    }
}

static void embedded_weights(void **state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int s = 2; s <= S_MAX; s++) {
            const tableau t = make(f, s);
            double weights[S_MAX], divided_difference = 0;
            assert_true(t.has_embedded && t.embedded_order == s - 1);
            check_B(&t, t.b_embedded, s - 1, 2e-15);
            for (int i = 0; i < s; i++) check_below(-t.b_embedded[i], 0);
            assert_true(t.b_embedded[s - 1] == 0);
            if (f != RADAU_2A && s % 2 == 1) assert_true(t.b_embedded[0] == 0);
            assert_true(tableau_error_weights(&t, weights));
            for (int i = 0; i < s; i++) divided_difference += weights[i] * power(t.c[i], s - 1);
            assert_true(divided_difference > 1e-12); /* sees the derivative of order s */
        }
    double weights[S_MAX];
    const tableau euler = make(RADAU_2A, 1);
    assert_false(tableau_error_weights(&euler, weights));
}

/* ---- structure ---- */

static void pair_is_symplectic(void **state) {
    (void)state;
    for (int s = 2; s <= S_MAX; s++) {
        const tableau t = make(LOBATTO_3A3B, s);
        assert_true(t.partitioned && t.explicit_first);
        for (int i = 0; i < s; i++) {
            assert_true(t.A[i] == 0 && t.Ah[i * s] == t.b[0] && t.Ah[i * s + s - 1] == 0);
            for (int j = 0; j < s; j++) {
                const double defect = t.b[i] * t.Ah[i * s + j] + t.b[j] * t.A[j * s + i] - t.b[i] * t.b[j];
                check_close(defect, 0, ROUNDING * t.b[i] * t.b[j] + ROUNDING * t.b[i]);
            }
        }
    }
}

static void lobatto_is_symmetric(void **state) {
    (void)state;
    for (int s = 2; s <= S_MAX; s++) {
        const tableau pair = make(LOBATTO_3A3B, s), c = make(LOBATTO_3C, s);
        assert_true(pair.c[0] == 0 && pair.c[s - 1] == 1);
        if (s % 2 == 1) assert_true(pair.c[s / 2] == 0.5);
        for (int i = 0; i < s; i++) {
            assert_true(pair.c[s - 1 - i] == 1 - pair.c[i] || pair.c[i] == 1 - pair.c[s - 1 - i]);
            assert_true(pair.c[i] + pair.c[s - 1 - i] == 1 && pair.b[i] == pair.b[s - 1 - i] && pair.b[i] > 0);
            assert_true(c.c[i] == pair.c[i] && c.b[i] == pair.b[i] && c.A[i * s] == c.b[0]);
            if (i > 0) assert_true(pair.c[i] > pair.c[i - 1]);
            for (int j = 0; j < s; j++) { /* the adjoint of each method of the pair is itself */
                const int mirrored = (s - 1 - i) * s + s - 1 - j;
                check_close(pair.A[i * s + j] + pair.A[mirrored], pair.b[j], ROUNDING);
                check_close(pair.Ah[i * s + j] + pair.Ah[mirrored], pair.b[j], ROUNDING);
            }
        }
    }
}

/* ---- dense output ---- */

/* Ends exactly at the step's ends and integrates derivatives that are polynomials of degree below `degree`. */
static void check_dense(const tableau *t, int degree) {
    uint64_t seed = 5;
    double w[S_MAX];
    tableau_dense(t, 0, w);
    for (int j = 0; j < t->s; j++) assert_true(w[j] == 0);
    tableau_dense(t, 1, w);
    assert_memory_equal(w, t->b, (size_t)t->s * sizeof(double));
    for (int i = 0; i < 30; i++) {
        const double x = random_unit(&seed);
        tableau_dense(t, x, w);
        for (int q = 1; q <= degree; q++) {
            double sum = 0;
            for (int j = 0; j < t->s; j++) sum += w[j] * power(t->c[j], q - 1);
            check_close(sum, power(x, q) / q, 2e-15);
        }
    }
}

static void dense_output(void **state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int s = least_stages(f); s <= S_MAX; s++) {
            const tableau t = make(f, s);
            check_dense(&t, s);
            for (int i = 0; f != LOBATTO_3C && i < s; i++) { /* collocation: through the stages */
                double w[S_MAX];
                tableau_dense(&t, t.c[i], w);
                for (int j = 0; j < s; j++) check_close(w[j], t.A[i * s + j], ROUNDING);
            }
        }
    tableau t;
    tableau_sdirk2(NULL, 0, 0, &t);
    check_dense(&t, 2);
    tableau_sdirk3(NULL, 0, 0, &t);
    check_dense(&t, 3);
}

/* Hermite: also the slopes at both ends are those of the first and last stage. */
static void dense_output_of_tr_theta(void **state) {
    (void)state;
    const double e = 1e-6;
    for (int i = 0; i <= 4; i++) {
        const tableau t = make_tr_theta(0.25 * i);
        double at_start[S_MAX], at_end[S_MAX];
        check_dense(&t, 2);
        tableau_dense(&t, e, at_start);
        tableau_dense(&t, 1 - e, at_end);
        for (int j = 0; j < 3; j++) {
            check_close(at_start[j] / e, j == 0, 1e-5);
            check_close((t.b[j] - at_end[j]) / e, j == 2, 1e-5);
        }
    }
}

/* ---- arguments, determinism ---- */

static void wrong_arguments(void **state) {
    (void)state;
    static const char *const NAMES[] = {"Radau IIA", "Lobatto IIIC", "Lobatto IIIA-IIIB"};
    zn_context *context = zn_context_create(NULL);
    assert_non_null(context);
    for (int f = 0; f < FAMILY_COUNT; f++) {
        const int wrong[] = {INT32_MIN, -1, 0, least_stages(f) - 1, S_MAX + 1, INT32_MAX};
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            tableau t = {.s = 77};
            char sentence[100];
            assert_int_equal(FAMILIES[f](context, wrong[i], 0, &t), ZN_ERROR_ARGUMENT);
            assert_int_equal(t.s, 77);
            snprintf(sentence, sizeof sentence, "%s has %d to %d stages, not %d", NAMES[f], least_stages(f), S_MAX, wrong[i]);
            assert_string_equal(zn_error_get(context, zn_error_count(context) - 1)->message, sentence);
        }
    }
    const double wrong_rho[] = {-1e-9, 1.0000001, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof wrong_rho / sizeof wrong_rho[0]; i++) {
        tableau t = {.s = 77};
        assert_int_equal(tableau_tr_theta(context, 0, wrong_rho[i], &t), ZN_ERROR_ARGUMENT);
        assert_int_equal(t.s, 77);
        assert_non_null(strstr(zn_error_get(context, zn_error_count(context) - 1)->message, "from 0 to 1"));
    }
    zn_context_destroy(context);
}

/* What the struct held before leaves no trace, and entries beyond s are zero. */
static void determinism(void **state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int s = least_stages(f); s <= S_MAX; s++) {
            tableau one, two;
            memset(&one, 0x5a, sizeof one);
            memset(&two, 0, sizeof two);
            assert_int_equal(FAMILIES[f](NULL, s, 0, &one), ZN_OK);
            assert_int_equal(FAMILIES[f](NULL, s, 0, &two), ZN_OK);
            assert_memory_equal(one.A, two.A, sizeof one.A);
            assert_memory_equal(one.Ah, two.Ah, sizeof one.Ah);
            assert_memory_equal(one.b, two.b, sizeof one.b);
            assert_memory_equal(one.c, two.c, sizeof one.c);
            assert_memory_equal(one.b_embedded, two.b_embedded, sizeof one.b_embedded);
            assert_memory_equal(one.dense, two.dense, sizeof one.dense);
            if (f != LOBATTO_3A3B) assert_memory_equal(one.A, one.Ah, sizeof one.A);
            for (int i = s; i < S_MAX; i++) assert_true(one.b[i] == 0 && one.c[i] == 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_radau),
        cmocka_unit_test(printed_lobatto_3c),
        cmocka_unit_test(printed_lobatto_3a3b),
        cmocka_unit_test(printed_sdirk),
        cmocka_unit_test(printed_tr_theta),
        cmocka_unit_test(theta_of_rho),
        cmocka_unit_test(simplifying_assumptions),
        cmocka_unit_test(assumptions_are_sharp),
        cmocka_unit_test(orders_of_diagonal_methods),
        cmocka_unit_test(embedded_weights),
        cmocka_unit_test(pair_is_symplectic),
        cmocka_unit_test(lobatto_is_symmetric),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(dense_output_of_tr_theta),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(determinism),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
