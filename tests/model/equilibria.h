/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria of natural models with bilateral constraints, and natural frequencies, for tests of flexible bodies. */
#ifndef TESTS_EQUILIBRIA_H
#define TESTS_EQUILIBRIA_H

#include "check.h"

#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/linalg.h"
#include "zeno/zeno.h"

#include <stdlib.h>
#include <string.h>

/* Puts the values over a pattern into a dense matrix with n rows, at (row, col); transposed: its transpose. */
static inline void equilibria_put(const zn_pattern *p, const double *values, double s, bool transposed, int row, int col, int n,
                                  double *a) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int i = p->index[k];
            a[transposed ? (size_t)(col + i) * (size_t)n + (size_t)(row + j) : (size_t)(col + j) * (size_t)n + (size_t)(row + i)] +=
                s * values[k];
        }
}

/* Newton's method on  -h(t, q) - W lambda = 0,  g(t, q) = 0,  from q; loads are functions of t that goes from 0 to 1 in `steps`.
 * Returns the number of Newton iterations of the last load. */
static inline int equilibria_solve(const zn_model *m, int steps, double *q) {
    const int nu = m->size.nu, ng = m->size.ng, n = nu + ng;
    double *r = calloc((size_t)n, sizeof *r), *J = calloc((size_t)n * (size_t)n, sizeof *J),
           *lambda = calloc((size_t)n + 1, sizeof *lambda), *zero = calloc((size_t)nu, sizeof *zero), *c = calloc((size_t)n, sizeof *c);
    double *r_q = calloc((size_t)lin_nnz(&m->pattern.r_q) + 1, sizeof *r_q), *W = calloc((size_t)lin_nnz(&m->pattern.W) + 1, sizeof *W),
           *c_q = calloc((size_t)lin_nnz(&m->pattern.c0_q) + 1, sizeof *c_q);
    int *pivot = calloc((size_t)n, sizeof *pivot), iteration = 0;
    void *work = calloc(1, m->work_bytes);
    assert_true(m->natural && m->size.ny + m->size.nN + m->size.nF == 0);
    for (int step = 1; step <= steps; step++) {
        double change = 1;
        for (iteration = 0; change > 1e-11 && iteration < 50; iteration++) {
            zn_point at = {(double)step / steps, q, zero, zero, lambda};
            assert_int_equal(m->balance(m, work, &at, &(zn_balance){.r = r, .r_q = r_q, .W = W}), 0);
            assert_int_equal(m->constraints(m, work, &at, &(zn_constraints){.c0 = c, .c0_q = c_q}), 0);
            memset(J, 0, (size_t)n * (size_t)n * sizeof *J);
            equilibria_put(&m->pattern.r_q, r_q, 1, false, 0, 0, n, J);
            equilibria_put(&m->pattern.W, W, -1, false, 0, nu, n, J);
            equilibria_put(&m->pattern.c0_q, c_q, 1, false, nu, 0, n, J);
            memcpy(r + nu, c, (size_t)ng * sizeof *r);
            assert_int_equal(lin_dense_lu_factor(n, J, pivot), 0);
            lin_dense_lu_solve(n, J, pivot, r, 1);
            change = 0;
            for (int i = 0; i < nu; i++) q[i] -= r[i], change = fmax(change, fabs(r[i]));
            for (int i = 0; i < ng; i++) lambda[i] -= r[nu + i];
        }
        if (iteration == 50) fail_msg("the equilibrium at load %d of %d was not found: %g", step, steps, change);
    }
    void *blocks[] = {r, J, lambda, zero, c, r_q, W, c_q, pivot, work};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    return iteration;
}

static inline int equilibria_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Natural frequencies of small vibrations about q_start, ascending, with the velocities fixed[] held: M v'' + K v = 0. Returns how many. */
static inline int equilibria_frequencies(const zn_model *m, int n_fixed, const int *fixed, double *omega) {
    const int nu = m->size.nu;
    int n = 0, info = 0, *keep = calloc((size_t)nu, sizeof *keep), *pivot = calloc((size_t)nu, sizeof *pivot);
    size_t all = (size_t)nu * (size_t)nu;
    double *K = calloc(all, sizeof *K), *M = calloc(all, sizeof *M), *K0 = calloc(all, sizeof *K0), *M0 = calloc(all, sizeof *M0),
           *real = calloc((size_t)nu, sizeof *real), *imaginary = calloc((size_t)nu, sizeof *imaginary),
           *space = calloc(16 * (size_t)nu, sizeof *space);
    double *values[2] = {calloc((size_t)lin_nnz(&m->pattern.r_q), sizeof **values),
                         calloc((size_t)lin_nnz(&m->pattern.M), sizeof **values)};
    void *work = calloc(1, m->work_bytes);
    zn_point at = {.q = m->q_start, .u = m->u_start};
    assert_int_equal(m->balance(m, work, &at, &(zn_balance){.r_q = values[0], .M = values[1]}), 0);
    equilibria_put(&m->pattern.r_q, values[0], 1, false, 0, 0, nu, K0);
    equilibria_put(&m->pattern.M, values[1], 1, false, 0, 0, nu, M0);
    for (int i = 0; i < nu; i++) {
        bool held = false;
        for (int k = 0; k < n_fixed; k++) held = held || fixed[k] == i;
        if (!held) keep[n++] = i;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            K[j * n + i] = K0[keep[j] * nu + keep[i]];
            M[j * n + i] = M0[keep[j] * nu + keep[i]];
        }
    assert_int_equal(lin_dense_lu_factor(n, M, pivot), 0);
    lin_dense_lu_solve(n, M, pivot, K, n);
    const int room = 16 * nu, one = 1;
    dgeev_("N", "N", &n, K, &n, real, imaginary, NULL, &one, NULL, &one, space, &room, &info, 1, 1);
    assert_int_equal(info, 0);
    for (int i = 0; i < n; i++) omega[i] = sqrt(fmax(real[i], 0));
    qsort(omega, (size_t)n, sizeof *omega, equilibria_compare);
    void *blocks[] = {keep, pivot, K, M, K0, M0, real, imaginary, space, values[0], values[1], work};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    return n;
}

#endif
