/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/tableau_polynomial.h"

#include "scheme/tableau.h"

/* 2n (n+a+b) (2n+a+b-2) P_n = (2n+a+b-1) [(2n+a+b) (2n+a+b-2) x + a^2 - b^2] P_{n-1} - 2 (n+a-1) (n+b-1) (2n+a+b) P_{n-2} */
long double polynomial_jacobi(int degree, int alpha, int beta, long double x) {
    if (degree <= 0) return 1;
    long double before = 1;
    long double value = (alpha + 1) + (alpha + beta + 2) * (x - 1) / 2;
    for (int n = 2; n <= degree; n++) {
        const long double m = 2 * n + alpha + beta;
        const long double left = 2 * n * (n + alpha + beta) * (m - 2);
        const long double slope = (m - 1) * (m * (m - 2) * x + alpha * alpha - beta * beta);
        const long double next = (slope * value - 2 * (n + alpha - 1) * (n + beta - 1) * m * before) / left;
        before = value;
        value = next;
    }
    return value;
}

/* The only root between low and high, halved until no number lies between. */
static long double jacobi_root(int degree, int alpha, int beta, long double low, long double high) {
    const bool high_positive = polynomial_jacobi(degree, alpha, beta, high) > 0;
    for (;;) {
        const long double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return middle;
        const long double value = polynomial_jacobi(degree, alpha, beta, middle);
        if (value == 0) return middle;
        if ((value > 0) == high_positive) high = middle;
        else low = middle;
    }
}

void polynomial_jacobi_roots(int degree, int alpha, int beta, long double *roots) {
    /* The roots of degree n separate those of degree n + 1: a bracket for each, and no guess can miss one. */
    for (int n = 1; n <= degree; n++) {
        long double low = -1;
        for (int i = 0; i < n; i++) {
            const long double high = i < n - 1 ? roots[i] : 1;
            roots[i] = jacobi_root(n, alpha, beta, low, high);
            low = high;
        }
        if (alpha != beta) continue;
        for (int i = 0; i < n / 2; i++) roots[n - 1 - i] = -roots[i];
        if (n % 2 == 1) roots[n / 2] = 0;
    }
}

/* On [-1, 1]: w = 2 / ((1 - x^2) P_n'^2) with (1 - x^2) P_n' = n P_{n-1} at a root. */
/* Gauss quadrature on [0, 1]: exact up to degree 2 count - 1. */
static void gauss(int count, long double *nodes, long double *weights) {
    polynomial_jacobi_roots(count, 0, 0, nodes);
    for (int i = 0; i < count; i++) {
        const long double x = nodes[i];
        const long double slope = count * polynomial_jacobi(count - 1, 0, 0, x);
        weights[i] = (1 - x) * (1 + x) / (slope * slope);
        nodes[i] = (1 + x) / 2;
    }
}

/* (2k + 1) P_k = P_{k+1}' - P_{k-1}' */
void polynomial_legendre_integrals(int count, long double x, long double *integrals) {
    const long double y = 2 * x - 1;
    long double before = 1, value = y;
    if (count > 0) integrals[0] = x;
    for (int k = 1; k < count; k++) {
        const long double next = ((2 * k + 1) * y * value - k * before) / (k + 1);
        integrals[k] = (next - before) / (2 * (2 * k + 1));
        before = value;
        value = next;
    }
}

/* coefficient_jk = (2k + 1) times the integral of l_j P_k over [0, 1]: degree 2 count - 2, exact with `count` Gauss
 * points. The products of l_j keep their relative accuracy, and no linear system with a Vandermonde matrix is solved. */
void polynomial_lagrange(int count, const long double *nodes, long double *coefficients) {
    long double x[TABLEAU_S_MAX], weight[TABLEAU_S_MAX];
    gauss(count, x, weight);
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < count; k++) coefficients[j * count + k] = 0;
        for (int g = 0; g < count; g++) {
            long double basis = 1;
            for (int i = 0; i < count; i++)
                if (i != j) basis *= (x[g] - nodes[i]) / (nodes[j] - nodes[i]);
            for (int k = 0; k < count; k++)
                coefficients[j * count + k] += (2 * k + 1) * weight[g] * basis * polynomial_jacobi(k, 0, 0, 2 * x[g] - 1);
        }
    }
}
