/* SPDX-License-Identifier: Apache-2.0 */
/* P-matrix claims of 002 (Examples 4.12 and 5.2, corrected: docs/theory/corrections.md) and the stability functions of the tableaux. */
#include "tableaux.h"

#include <complex.h>

/* ---- small dense algebra ---- */

/* Gaussian elimination with row pivoting of the n x n matrix, x becomes the solution; returns the determinant. */
static double complex solve(int n, double complex *M, double complex *x) {
    double complex determinant = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(M[i * n + k]) > cabs(M[pivot * n + k])) pivot = i;
        if (cabs(M[pivot * n + k]) == 0) return 0;
        for (int j = 0; pivot != k && j < n; j++) {
            const double complex swap = M[k * n + j];
            M[k * n + j] = M[pivot * n + j];
            M[pivot * n + j] = swap;
        }
        const double complex swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        determinant *= pivot == k ? M[k * n + k] : -M[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const double complex factor = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= M[k * n + j] * x[j];
        x[k] /= M[k * n + k];
    }
    return determinant;
}

/* R(z) = 1 + z b' (1 - z A)^-1 1 */
static double complex stability(const tableau *t, const double *A, double complex z) {
    double complex M[S_MAX * S_MAX], x[S_MAX], R = 1;
    for (int i = 0; i < t->s; i++) {
        for (int j = 0; j < t->s; j++) M[i * t->s + j] = (i == j) - z * A[i * t->s + j];
        x[i] = 1;
    }
    solve(t->s, M, x);
    for (int i = 0; i < t->s; i++) R += z * t->b[i] * x[i];
    return R;
}

/* R(infinity) = 1 - b' A^-1 1 for an invertible A. */
static double stability_at_infinity(const tableau *t) {
    double complex M[S_MAX * S_MAX], x[S_MAX];
    double R = 1;
    for (int i = 0; i < t->s * t->s; i++) M[i] = t->A[i];
    for (int i = 0; i < t->s; i++) x[i] = 1;
    assert_true(cabs(solve(t->s, M, x)) > 0);
    for (int i = 0; i < t->s; i++) R -= t->b[i] * creal(x[i]);
    return R;
}

/* Principal minor of the rows in the bit set, divided by the lengths of its rows, so that its rounding is that of 1. */
static double scaled_minor(int n, const double *A, unsigned set) {
    double complex M[S_MAX * S_MAX], unused[S_MAX] = {0};
    int index[S_MAX], count = 0;
    for (int i = 0; i < n; i++)
        if (set >> i & 1) index[count++] = i;
    for (int i = 0; i < count; i++) {
        double length = 0;
        for (int j = 0; j < count; j++) length = hypot(length, A[index[i] * n + index[j]]);
        for (int j = 0; j < count; j++) M[i * count + j] = length > 0 ? A[index[i] * n + index[j]] / length : 0;
    }
    return creal(solve(count, M, unused));
}

static double smallest_minor(int n, const double *A) {
    double smallest = INFINITY;
    for (unsigned set = 1; set < 1u << n; set++) smallest = fmin(smallest, scaled_minor(n, A, set));
    return smallest;
}

/* Algebraic stability (hence B-stability): b > 0 and b_i a_ij + b_j a_ji - b_i b_j is positive semidefinite, here of rank
 * one. */
static void algebraic_stability(void **state) {
    (void)state;
    for (int f = RADAU_2A; f <= LOBATTO_3C; f++)
        for (int s = least_stages(f); s <= S_MAX; s++) {
            const tableau t = make(f, s);
            double m[S_MAX * S_MAX];
            for (int i = 0; i < s; i++) {
                assert_true(t.b[i] > 0);
                for (int j = 0; j < s; j++) m[i * s + j] = t.b[i] * t.A[i * s + j] + t.b[j] * t.A[j * s + i] - t.b[i] * t.b[j];
            }
            for (int i = 0; i < s; i++) {
                assert_true(m[i * s + i] > 0);
                for (int j = 0; j < s; j++) check_close(m[i * s + j] * m[j * s + i], m[i * s + i] * m[j * s + j], 1e-15);
            }
        }
}

static void p_matrices(void **state) {
    (void)state;
    for (int s = 1; s <= S_MAX; s++) {
        const tableau t = make(RADAU_2A, s);
        assert_true(smallest_minor(s, t.A) > 1e-7); /* P; 1.6e-6 for 12 stages */
    }
    tableau t;
    tableau_sdirk2(NULL, 0, 0, &t);
    assert_true(smallest_minor(2, t.A) > 0.1);
    tableau_sdirk3(NULL, 0, 0, &t);
    assert_true(smallest_minor(3, t.A) > 0.1);
    for (int i = 0; i <= 10; i++) { /* after the explicit stage */
        t = make_tr_theta(0.1 * i);
        assert_true(smallest_minor(2, (double[]){t.A[4], t.A[5], t.A[7], t.A[8]}) > 0.1);
    }
}

/* 002, Example 4.12: the square of A is not a P-matrix, and not by rounding: the entry is zero. */
static void square_of_radau_is_not_p(void **state) {
    (void)state;
    const tableau t = make(RADAU_2A, 2);
    assert_true(t.A[2] * t.A[1] + t.A[3] * t.A[3] == 0);
    assert_true(t.A[2] == 0.75 && t.A[3] == 0.25);
}

/* Lobatto IIIC is P for s = 2 and only P_0 from s = 3 on: with 1 and s in a proper subset that leaves out an odd number
 * of stages, the minor is zero (found in 60 digits for s = 3..7; {1, 3} for s = 3), all others are positive. */
static void lobatto_3c_is_p0(void **state) {
    (void)state;
    for (int s = 2; s <= 8; s++) {
        const tableau t = make(LOBATTO_3C, s);
        const unsigned ends = 1u | 1u << (s - 1);
        for (unsigned set = 1; set < 1u << s; set++) {
            int left_out = s;
            for (int i = 0; i < s; i++) left_out -= (int)(set >> i & 1);
            const double minor = scaled_minor(s, t.A, set);
            if ((set & ends) == ends && left_out % 2 == 1) check_close(minor, 0, 1e-15);
            else assert_true(minor > 1e-6);
        }
        if (s % 2 == 1) assert_true(t.A[0] * t.A[s * s - 1] - t.A[s - 1] * t.A[s * (s - 1)] == 0);
    }
}

/* (5.54): with the index shift of the percussions the contact problem of the pair has one solution, without it not. */
static void pair_needs_index_shift(void **state) {
    (void)state;
    for (int s = 2; s <= 8; s++) {
        const tableau t = make(LOBATTO_3A3B, s);
        const int n = s - 1;
        double shifted[S_MAX * S_MAX], unshifted[S_MAX * S_MAX];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                shifted[i * n + j] = unshifted[i * n + j] = 0;
                for (int k = 0; k < s; k++) {
                    shifted[i * n + j] += t.A[(i + 1) * s + k] * t.Ah[k * s + j];
                    unshifted[i * n + j] += t.A[(i + 1) * s + k] * t.Ah[k * s + j + 1];
                }
            }
        assert_true(smallest_minor(n, shifted) > 1e-6);
        check_below(smallest_minor(n, unshifted), 1e-15); /* its last column is zero */
    }
}

/* ---- stability function ---- */

/* R(z) = exp(z) + O(z^{p+1}): b' A^{k-1} 1 = 1/k! for k <= p. */
static void check_exponential(const tableau *t, const double *A, int order) {
    double x[S_MAX], factorial = 1;
    for (int i = 0; i < t->s; i++) x[i] = 1;
    for (int k = 1; k <= order; k++) {
        double moment = 0, next[S_MAX] = {0};
        factorial *= k;
        for (int i = 0; i < t->s; i++) {
            moment += t->b[i] * x[i];
            for (int j = 0; j < t->s; j++) next[i] += A[i * t->s + j] * x[j];
        }
        check_close(moment, 1 / factorial, 1e-15);
        memcpy(x, next, sizeof x);
    }
}

/* On the imaginary axis and at random points of the left half plane. */
static void check_a_stable(const tableau *t, const double *A) {
    uint64_t seed = 7;
    for (int i = 0; i < 60; i++) {
        const double y = pow(10, -3 + 0.1 * i);
        check_below(cabs(stability(t, A, I * y)), 1 + 1e-12);
        const double complex z = y * cexp(I * (1 + random_unit(&seed)) * 1.5707963267948966);
        check_below(cabs(stability(t, A, z)), 1 + 1e-12);
    }
}

static void l_stability(void **state) {
    (void)state;
    for (int f = RADAU_2A; f <= LOBATTO_3C; f++)
        for (int s = least_stages(f); s <= S_MAX; s++) {
            const tableau t = make(f, s);
            check_exponential(&t, t.A, t.order);
            check_a_stable(&t, t.A);
            check_close(stability_at_infinity(&t), 0, 1e-12);
        }
    tableau t;
    tableau_sdirk2(NULL, 0, 0, &t);
    check_exponential(&t, t.A, 2);
    check_a_stable(&t, t.A);
    check_close(stability_at_infinity(&t), 0, 1e-14);
    tableau_sdirk3(NULL, 0, 0, &t);
    check_exponential(&t, t.A, 3);
    check_a_stable(&t, t.A);
    check_close(stability_at_infinity(&t), 0, 1e-14);
}

/* Both methods of the pair have the diagonal Pade function: nothing is damped. */
static void pair_conserves(void **state) {
    (void)state;
    for (int s = 2; s <= S_MAX; s++) {
        const tableau t = make(LOBATTO_3A3B, s);
        check_exponential(&t, t.A, t.order);
        check_exponential(&t, t.Ah, t.order);
        for (int i = 0; i < 30; i++) {
            const double y = pow(10, -2 + 0.1 * i);
            check_close(cabs(stability(&t, t.A, I * y)), 1, 1e-10);
            check_close(cabs(stability(&t, t.Ah, I * y)), 1, 1e-10);
        }
    }
}

static void tr_theta_damping(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++) {
        const double rho = i == 0 ? 0 : i == 1 ? 1 : random_unit(&seed);
        const tableau t = make_tr_theta(rho);
        const double th = t.c[1];
        check_a_stable(&t, t.A);
        check_close((th * th - 4 * th + 2) / (th * th), rho, 1e-14);
        check_close(cabs(stability(&t, t.A, -1e9)), rho, 1e-7);
        check_close(cabs(stability(&t, t.A, 1e9 * I)), rho, 1e-7);
        for (int k = 0; k < 10; k++) { /* (4.47) */
            const double complex z = -10 * random_unit(&seed) + 10 * I * random_unit(&seed);
            const double complex R = ((th * th - 4 * th + 2) * z * z + 4 * (1 - th) * z + 4) / ((2 - th * z) * (2 - th * z));
            check_close(cabs(stability(&t, t.A, z) - R), 0, 1e-14);
        }
    }
    tableau bdf2, trx2;
    const tableau zero = make_tr_theta(0), one = make_tr_theta(1);
    tableau_tr_bdf2(NULL, 0, 0, &bdf2);
    tableau_trx2(NULL, 0, 0, &trx2);
    assert_memory_equal(bdf2.A, zero.A, sizeof zero.A);
    assert_memory_equal(trx2.A, one.A, sizeof one.A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algebraic_stability),      cmocka_unit_test(p_matrices),
        cmocka_unit_test(square_of_radau_is_not_p), cmocka_unit_test(lobatto_3c_is_p0),
        cmocka_unit_test(pair_needs_index_shift),   cmocka_unit_test(l_stability),
        cmocka_unit_test(pair_conserves),           cmocka_unit_test(tr_theta_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
