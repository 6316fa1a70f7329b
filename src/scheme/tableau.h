/* SPDX-License-Identifier: Apache-2.0 */
/* Butcher tableaux, generated from their definitions for any number of stages. */
#ifndef SCHEME_TABLEAU_H
#define SCHEME_TABLEAU_H

#include "zeno/base.h"

/* Largest number of stages. It bounds the size of the struct, not the accuracy: the simplifying assumptions hold to a few
 * units in the last place here and were measured to do so up to 30 stages. What grows is the cost of a step. Where long
 * double is no longer than double, one or two digits of the entries are lost. */
#define TABLEAU_S_MAX 12

/* A method of s stages, or a partitioned pair that shares b and c:
 *
 *     Q_i = q_n + sum_j a_ij dQ_j     q_{n+1} = q_n + sum_j b_j dQ_j     tau_i = t_n + c_i h
 *     U_i = u_n + sum_j ah_ij dU_j    u_{n+1} = u_n + sum_j b_j dU_j
 *
 * Matrices are row-major and packed with leading dimension s: a_ij is A[i * s + j], i and j from 0. Known zeros and
 * equalities are exact in floating point: a row of A equal to b, zero rows and columns, the one value on a
 * diagonal, and in the Lobatto families c_{s+1-i} = 1 - c_i and b_{s+1-i} = b_i. */
typedef struct tableau {
    const char *name; /* for messages; static text */
    int s;
    double A[TABLEAU_S_MAX * TABLEAU_S_MAX];
    double Ah[TABLEAU_S_MAX * TABLEAU_S_MAX]; /* equal to A unless partitioned */
    double b[TABLEAU_S_MAX], c[TABLEAU_S_MAX];
    double b_embedded[TABLEAU_S_MAX];            /* weights of another order for the same stages; zeros: none */
    double dense[TABLEAU_S_MAX * TABLEAU_S_MAX]; /* w_j'(x) = sum_k dense[j * s + k] P_k(2x - 1), P_k Legendre */
    int order;                                   /* of the end of the step, for ordinary differential equations */
    int embedded_order;                          /* 0 without embedded weights */
    bool has_embedded;
    bool partitioned;
    bool explicit_first;      /* first row of A is zero: the first stage is the start of the step */
    bool diagonally_implicit; /* A lower triangular, one value on the diagonal (after an explicit first stage too) */
    bool stiffly_accurate;    /* last row of A is b: the last stage is the end of the step */
} tableau;

/* A contact problem has one solution when the principal minors of A are positive (P-matrix): so are those of Radau IIA and
 * SDIRK, and of TR-theta after its first stage. Lobatto IIIC with s >= 3 has minors that are zero (P_0): those of a proper
 * subset of stages that has the first and the last and leaves out an odd number of them, {1, 3} for s = 3. */

/* Makes a tableau of s stages that damps with rho at infinity, where the method leaves these open. On failure (ZN_ERROR_ARGUMENT with a
 * sentence naming the scheme and its range) the tableau is left as it was. */
typedef zn_status tableau_maker(zn_context *context, int s, double rho, tableau *result);
tableau_maker tableau_radau_2a;               /* s >= 1, order 2s - 1 */
tableau_maker tableau_lobatto_3c;             /* s >= 2, order 2s - 2 */
tableau_maker tableau_lobatto_3a3b;           /* s >= 2, order 2s - 2; A: IIIA, Ah: IIIB */
tableau_maker tableau_sdirk2, tableau_sdirk3; /* Alexander's singly diagonally implicit methods; L-stable, order s = 2, 3 */
/* Trapezoidal rule to theta h, then a second stage so that R(infinity) = rho in [0, 1]; order 2, embedded order 3. */
tableau_maker tableau_tr_theta;
tableau_maker tableau_tr_bdf2; /* rho = 0 */
tableau_maker tableau_trx2;    /* rho = 1, two trapezoidal steps */

/* Weights of the motion within a step: Q(t_n + x h) = q_n + sum_j weights[j] dQ_j, x usually in [0, 1], s weights.
 * weights are exactly 0 at x = 0 and exactly b at x = 1. Collocation polynomial of Radau IIA and Lobatto IIIA; for
 * Lobatto IIIC, the velocities of the pair and SDIRK the integral of the polynomial through the stage derivatives; for
 * TR-theta the cubic Hermite polynomial of both ends. */
void tableau_dense(const tableau *method, double x, double *weights);
/* Weights of the local error estimate x_{n+1} - xh_{n+1} = sum_j weights[j] dX_j, that is b - b_embedded; false: none. */
bool tableau_error_weights(const tableau *method, double *weights);

#endif
