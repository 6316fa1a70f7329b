/* SPDX-License-Identifier: Apache-2.0 */
/* Orthogonal polynomials for the tableaux: values, roots, quadrature. Long double, so that the rounded results are exact
 * to the last place or nearly so. Private to the tableaux. */
#ifndef SCHEME_TABLEAU_POLYNOMIAL_H
#define SCHEME_TABLEAU_POLYNOMIAL_H

/* Jacobi polynomial of the weight (1 - x)^alpha (1 + x)^beta on [-1, 1]; alpha = beta = 0 is Legendre's. */
long double polynomial_jacobi(int degree, int alpha, int beta, long double x);
/* Its roots in ascending order; exactly antisymmetric when alpha = beta. */
void polynomial_jacobi_roots(int degree, int alpha, int beta, long double *roots);
/* integrals[k] = integral from 0 to x of P_k(2 xi - 1), k < count. Exactly zero at x = 0, and at x = 1 for k > 0. */
void polynomial_legendre_integrals(int count, long double x, long double *integrals);
/* Lagrange's basis on the nodes in Legendre's: l_j(x) = sum_k coefficients[j * count + k] P_k(2x - 1). */
void polynomial_lagrange(int count, const long double *nodes, long double *coefficients);

#endif
