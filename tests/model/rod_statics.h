/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria of a model by Newton's method on its own answers: balance with a = 0, u = 0 and constant generalised forces on top.
 *
 *   r(q) - load = 0,   K du = load - r with K = r_q B,   q += B du   (then quaternions are normalised)
 *
 * Velocities may be held: their rows say du = 0. Forces on v are dead ones in I, moments on Omega follow the node (in K). */
#ifndef TESTS_MODEL_ROD_STATICS_H
#define TESTS_MODEL_ROD_STATICS_H

#include "check.h"

#include "linalg/linalg.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct statics {
    const zn_model *model;
    void *work;
    int n;                              /* velocities */
    double *q, *zero, *load;            /* the state; zero for u, a, lambda */
    double *r_q, *B, *M, *b, *K, *mass; /* K and mass: n x n, column by column */
    bool *held;
} statics;

static inline double *statics_numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

static inline statics statics_begin(const zn_model *model) {
    int n = model->size.nu, rows = model_rows(model);
    statics s = {.model = model, .work = calloc(1, model->work_bytes + 1), .n = n};
    s.q = statics_numbers(model->size.nq), s.zero = statics_numbers(n + rows), s.load = statics_numbers(n);
    s.r_q = statics_numbers(lin_nnz(&model->pattern.r_q)), s.B = statics_numbers(lin_nnz(&model->pattern.B));
    s.M = statics_numbers(lin_nnz(&model->pattern.M)), s.b = statics_numbers(n);
    s.K = statics_numbers(n * n), s.mass = statics_numbers(n * n), s.held = calloc((size_t)n, sizeof(bool));
    memcpy(s.q, model->q_start, sizeof(double) * (size_t)model->size.nq);
    return s;
}

static inline void statics_end(statics *s) {
    void *blocks[] = {s->work, s->q, s->zero, s->load, s->r_q, s->B, s->M, s->b, s->K, s->mass, s->held};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

/* b = r - load and K. */
static inline void statics_evaluate(statics *s) {
    const zn_model *m = s->model;
    const zn_pattern *B = &m->pattern.B, *R = &m->pattern.r_q;
    zn_point at = {0, s->q, s->zero, s->zero, s->zero};
    memset(s->K, 0, sizeof(double) * (size_t)(s->n * s->n));
    assert_int_equal(m->kinematics(m, s->work, &at, &(zn_kinematics){.B = s->B}), 0);
    assert_int_equal(m->balance(m, s->work, &at, &(zn_balance){.r = s->b, .r_q = s->r_q}), 0);
    for (int j = 0; j < s->n; j++) {
        for (int k = B->start[j]; k < B->start[j + 1]; k++)
            for (int e = R->start[B->index[k]]; e < R->start[B->index[k] + 1]; e++) s->K[R->index[e] + j * s->n] += s->r_q[e] * s->B[k];
        s->b[j] -= s->load[j];
    }
    for (int i = 0; i < s->n; i++) {
        if (!s->held[i]) continue;
        for (int j = 0; j < s->n; j++) s->K[i + j * s->n] = s->K[j + i * s->n] = i == j;
        s->b[i] = 0;
    }
}

/* The mass matrix; held velocities have none. */
static inline void statics_mass(statics *s) {
    const zn_pattern *P = &s->model->pattern.M;
    zn_point at = {0, s->q, s->zero, s->zero, s->zero};
    memset(s->mass, 0, sizeof(double) * (size_t)(s->n * s->n));
    assert_int_equal(s->model->balance(s->model, s->work, &at, &(zn_balance){.M = s->M}), 0);
    for (int j = 0; j < s->n; j++)
        for (int k = P->start[j]; k < P->start[j + 1]; k++)
            if (!s->held[j] && !s->held[P->index[k]]) s->mass[P->index[k] + j * s->n] = s->M[k];
}

/* A becomes its factors and b the solution: elimination with row pivots, which leaves out what is zero (bands). */
static inline bool statics_solve(int n, double *A, double *b) {
#define AT(i, j) A[(i) + (j)*n]
    for (int k = 0; k < n; k++) {
        int pivot = k, last = n - 1;
        while (last > k && AT(last, k) == 0) last--;
        for (int i = k + 1; i <= last; i++)
            if (fabs(AT(i, k)) > fabs(AT(pivot, k))) pivot = i;
        if (!(fabs(AT(pivot, k)) > 0)) return false;
        for (int j = k; j < n && pivot != k; j++) {
            double t = AT(k, j);
            AT(k, j) = AT(pivot, j), AT(pivot, j) = t;
        }
        double t = b[k];
        b[k] = b[pivot], b[pivot] = t;
        for (int i = k + 1; i <= last; i++) AT(i, k) /= AT(k, k), b[i] -= AT(i, k) * b[k];
        for (int j = k + 1; j < n; j++) {
            double top = AT(k, j);
            for (int i = k + 1; i <= last && top != 0; i++) AT(i, j) -= AT(i, k) * top;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        b[k] /= AT(k, k);
        for (int i = 0; i < k; i++) b[i] -= AT(i, k) * b[k];
    }
    return true;
#undef AT
}

/* Newton until the step is below the tolerance; fails after 30 iterations. */
static inline void statics_newton(statics *s, double tolerance) {
    for (int iteration = 0; iteration < 30; iteration++) {
        double largest = 0;
        statics_evaluate(s);
        if (!statics_solve(s->n, s->K, s->b)) break;
        for (int i = 0; i < s->n; i++) largest = fmax(largest, fabs(s->b[i]));
        if (!isfinite(largest)) break;
        lin_multiply(&s->model->pattern.B, s->B, -1, s->b, s->q);
        if (s->model->after_step) s->model->after_step(s->model, 0, s->q);
        if (largest < tolerance) return;
    }
    fail_msg("no equilibrium found");
}

/* The equilibrium under `load`, reached in equal steps. */
static inline void statics_load(statics *s, const double *load, int steps, double tolerance) {
    for (int step = 1; step <= steps; step++) {
        for (int i = 0; i < s->n; i++) s->load[i] = load[i] * step / steps;
        statics_newton(s, step < steps ? 1e-3 : tolerance);
    }
}

/* The lowest frequency of small vibrations about the state, by inverse iteration: K x = omega^2 M x. */
static inline double statics_lowest_frequency(statics *s) {
    double *x = statics_numbers(s->n), *y = statics_numbers(s->n), square = 0;
    statics_mass(s);
    for (int i = 0; i < s->n; i++) x[i] = 1 + 0.3 * sin(3.0 * i);
    for (int iteration = 0; iteration < 40; iteration++) {
        double before = 0, after = 0, largest = 0;
        for (int i = 0; i < s->n; i++) {
            y[i] = 0;
            for (int j = 0; j < s->n; j++) y[i] += s->mass[i + j * s->n] * x[j];
            before += x[i] * y[i];
        }
        memcpy(x, y, sizeof(double) * (size_t)s->n);
        statics_evaluate(s);
        assert_true(statics_solve(s->n, s->K, x));
        for (int i = 0; i < s->n; i++) after += x[i] * y[i], largest = fmax(largest, fabs(x[i]));
        square = before / after;
        for (int i = 0; i < s->n; i++) x[i] /= largest;
    }
    free(x), free(y);
    return sqrt(square);
}

#endif
