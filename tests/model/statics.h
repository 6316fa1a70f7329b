/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibrium of a natural model: h(t, q) + W lambda = 0, g(t, q) = 0 by Newton's method, the load growing with t from 0 to 1. */
#ifndef TESTS_STATICS_H
#define TESTS_STATICS_H

#include "linalg/dense.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct statics {
    const zn_model *model;
    int n, rows; /* unknowns; bilateral rows on position level */
    double *q, *lambda, *zero, *r, *matrix;
    double *r_q, *W, *c0, *c0_q;
    int *pivot;
    void *work;
} statics;

static inline statics statics_begin(const zn_model *model) {
    statics s = {.model = model, .rows = model->size.ng};
    const zn_sizes *m = &model->size;
    size_t all = (size_t)(m->ng + m->ny + m->nN + m->nF), n = (size_t)(m->nq + m->ng);
    s.n = (int)n;
    s.q = malloc(sizeof(double) * (size_t)m->nq);
    memcpy(s.q, model->q_start, sizeof(double) * (size_t)m->nq);
    s.lambda = calloc(all + 1, sizeof(double));
    s.zero = calloc((size_t)m->nu + 1, sizeof(double));
    s.r = calloc(n, sizeof(double));
    s.matrix = calloc(n * n, sizeof(double));
    s.r_q = calloc((size_t)lin_nnz(&model->pattern.r_q) + 1, sizeof(double));
    s.W = calloc((size_t)lin_nnz(&model->pattern.W) + 1, sizeof(double));
    s.c0 = calloc(all + 1, sizeof(double));
    s.c0_q = calloc((size_t)lin_nnz(&model->pattern.c0_q) + 1, sizeof(double));
    s.pivot = calloc(n, sizeof(int));
    s.work = calloc(1, model->work_bytes + 1);
    return s;
}

static inline void statics_end(statics *s) {
    void *blocks[] = {s->q, s->lambda, s->zero, s->r, s->matrix, s->r_q, s->W, s->c0, s->c0_q, s->pivot, s->work};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

/* Residual and matrix at load t; false: cannot be evaluated. */
static inline bool statics_fill(statics *s, double t) {
    const zn_model *m = s->model;
    const zn_patterns *p = &m->pattern;
    zn_point at = {t, s->q, s->zero, s->zero, s->lambda};
    if (m->balance(m, s->work, &at, &(zn_balance){.r = s->r, .r_q = s->r_q, .W = s->W})) return false;
    if (s->rows && m->constraints(m, s->work, &at, &(zn_constraints){.c0 = s->c0, .c0_q = s->c0_q})) return false;
    size_t n = (size_t)s->n, nq = (size_t)m->size.nq;
    memset(s->matrix, 0, sizeof(double) * n * n);
    for (size_t j = 0; j < nq; j++) {
        for (int k = p->r_q.start[j]; k < p->r_q.start[j + 1]; k++) s->matrix[j * n + (size_t)p->r_q.index[k]] = s->r_q[k];
        for (int k = s->rows ? p->c0_q.start[j] : 0; s->rows && k < p->c0_q.start[j + 1]; k++)
            if (p->c0_q.index[k] < s->rows) s->matrix[j * n + nq + (size_t)p->c0_q.index[k]] = s->c0_q[k];
    }
    for (int j = 0; j < s->rows; j++) {
        for (int k = p->W.start[j]; k < p->W.start[j + 1]; k++) s->matrix[(nq + (size_t)j) * n + (size_t)p->W.index[k]] = -s->W[k];
        s->r[nq + (size_t)j] = s->c0[j];
    }
    return true;
}

/* Newton at load t. Returns the size of the last change of q, or infinity. */
static inline double statics_solve(statics *s, double t) {
    enum { MOST_ITERATIONS = 60 };
    double change = INFINITY;
    for (int i = 0; i < MOST_ITERATIONS && change > 1e-13; i++) {
        if (!statics_fill(s, t) || lin_dense_lu_factor(s->n, s->matrix, s->pivot)) return INFINITY;
        lin_dense_lu_solve(s->n, s->matrix, s->pivot, s->r, 1);
        double now = 0;
        for (int j = 0; j < s->n; j++) {
            if (j < s->model->size.nq) now = fmax(now, fabs(s->r[j])), s->q[j] -= s->r[j];
            else s->lambda[j - s->model->size.nq] -= s->r[j];
        }
        if (!isfinite(now)) return INFINITY;
        if (now < 1e-9 && now >= change) return now; /* round-off */
        change = now;
    }
    return change;
}

/* The load in `steps` equal steps. True: found. */
static inline bool statics_load(statics *s, int steps) {
    for (int i = 1; i <= steps; i++)
        if (!(statics_solve(s, (double)i / steps) < 1e-8)) return false;
    return true;
}

/* The lowest `count` frequencies (rad/s) of small vibrations about the present state, by inverse iteration on
 * K x - W mu = w^2 M x, g_q x = 0 with K = -dh/dq; each mode is kept M-orthogonal to those before it. */
static inline bool statics_frequencies(statics *s, int count, double *frequencies) {
    enum { ITERATIONS = 60 };
    const zn_pattern *p = &s->model->pattern.M;
    int nq = s->model->size.nq;
    size_t n = (size_t)s->n;
    double *M = calloc((size_t)lin_nnz(p) + 1, sizeof *M), *modes = calloc(n * (size_t)count, sizeof *modes),
           *images = calloc(n * (size_t)count, sizeof *images), *x = calloc(n, sizeof *x);
    zn_point at = {0, s->q, s->zero, s->zero, s->lambda};
    bool fine = statics_fill(s, 0) && !s->model->balance(s->model, s->work, &at, &(zn_balance){.M = M}) &&
                !lin_dense_lu_factor(s->n, s->matrix, s->pivot);
    for (int m = 0; fine && m < count; m++) {
        double *mode = modes + (size_t)m * n, *image = images + (size_t)m * n; /* image: M mode */
        for (int i = 0; i < nq; i++) mode[i] = sin(1.0 + 2.3 * i * (m + 1));
        for (int k = 0; k < ITERATIONS; k++) {
            memset(x, 0, sizeof *x * n);
            lin_multiply(p, M, 1, mode, x);
            lin_dense_lu_solve(s->n, s->matrix, s->pivot, x, 1);
            for (int j = 0; j < m; j++) {
                double share = 0;
                for (int i = 0; i < nq; i++) share += x[i] * images[(size_t)j * n + (size_t)i];
                for (int i = 0; i < nq; i++) x[i] -= share * modes[(size_t)j * n + (size_t)i];
            }
            double square = 0, cross = 0;
            memset(image, 0, sizeof *x * n);
            lin_multiply(p, M, 1, x, image);
            for (int i = 0; i < nq; i++) square += x[i] * image[i], cross += mode[i] * image[i];
            frequencies[m] = sqrt(fabs(cross) / square);
            for (int i = 0; i < nq; i++) mode[i] = x[i] / sqrt(square), image[i] /= sqrt(square);
        }
    }
    free(M), free(modes), free(images), free(x);
    return fine;
}

#endif
