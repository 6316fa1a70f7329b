/* SPDX-License-Identifier: Apache-2.0 */
/* A large system whose Jacobians have no zeros: n masses on lines, all coupled to each other by springs of random stiffness
 * (linear and cubic) and dampers. With x_p, x_q of a pair on a circle (position level), two masses geared by
 * u_e = (1 + x_e/10) u_f (velocity level), and contacts: mass a above a floor with friction on b. Shared by tests and bench. */
#ifndef TESTS_SCHEME_DENSE_MASSES_H
#define TESTS_SCHEME_DENSE_MASSES_H

#include "zeno/zeno.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dense_masses {
    int n, ng, ny, nN;
    double press;                                   /* force that presses a mass to its floor, against the springs */
    double *mass, *k, *c, *d;                       /* n; n x n: linear, cubic, damping, symmetric */
    double *q, *u;                                  /* start */
    int *start, *index;                             /* pattern of M */
    int *row_start, *row_index, *W_start, *W_index; /* patterns of the constraints' derivatives and of W */
    zn_contact *contacts;
} dense_masses;

static const zn_ball dense_masses_ball = {1, 0.4};

static inline double dense_masses_random(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline int masses_rows(const dense_masses *s) { return s->ng + s->ny + 2 * s->nN; }
/* First masses of the gear and of the contacts. */
static inline int masses_gear(const dense_masses *s) { return 2 * s->ng; }
static inline int masses_contact(const dense_masses *s) { return 2 * s->ng + 2 * s->ny; }
static inline int masses_used(const dense_masses *s) { return 2 * (s->ng + s->ny + s->nN); }

/* Masses that take part in a constraint or contact come first, each in one row: of the pair, the gear, gap or slip. */
static inline int masses_row(const dense_masses *s, int mass) {
    int contact = mass - masses_contact(s);
    if (contact < 0) return mass / 2;
    return s->ng + s->ny + contact / 2 + (contact % 2 ? s->nN : 0);
}

/* Values of W, column by column; also the transposed derivative of the velocities of the constraints. */
static inline void masses_directions(const dense_masses *s, const double *q, double *W) {
    for (int p = 0; p < masses_gear(s); p++) *W++ = 2 * q[p];
    for (int e = masses_gear(s); e < masses_contact(s); e += 2) *W++ = 1, *W++ = -(1 + 0.1 * q[e]);
    for (int k = 0; k < 2 * s->nN; k++) *W++ = 1;
}

/* force += M a - W lambda */
static inline void masses_inertia(const dense_masses *s, const zn_point *at, double *r) {
    for (int i = 0; i < s->n; i++) r[i] = at->a ? s->mass[i] * at->a[i] : 0;
    for (int p = 0; p < masses_used(s) && at->lambda; p++) {
        double w = p < masses_gear(s) ? 2 * at->q[p] : 1;
        if (p >= masses_gear(s) && p < masses_contact(s) && (p - masses_gear(s)) % 2) w = -(1 + 0.1 * at->q[p - 1]);
        r[p] -= w * at->lambda[masses_row(s, p)];
    }
}

static inline void masses_springs(const dense_masses *s, const zn_point *at, const zn_balance *out) {
    size_t n = (size_t)s->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = at->q[i] - at->q[j], k = s->k[i * n + j], c = s->c[i * n + j], d = s->d[i * n + j];
            if (out->r) out->r[i] += k * x + c * x * x * x + d * (at->u[i] - at->u[j]);
            if (out->r_q) out->r_q[i * n + i] += k + 3 * c * x * x, out->r_q[i * n + j] -= k + 3 * c * x * x; /* symmetric */
            if (out->r_u) out->r_u[i * n + i] += d, out->r_u[i * n + j] -= d;
        }
    for (int a = masses_contact(s); a < masses_used(s) && out->r; a += 2) out->r[a] += s->press;
}

static inline int masses_balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const dense_masses *s = model->data;
    size_t n = (size_t)s->n;
    (void)work;
    if (out->W) masses_directions(s, at->q, out->W);
    if (out->M) memcpy(out->M, s->mass, n * sizeof(double));
    if (out->r_q) memset(out->r_q, 0, n * n * sizeof(double));
    if (out->r_u) memset(out->r_u, 0, n * n * sizeof(double));
    if (out->r) masses_inertia(s, at, out->r);
    if (!out->no_force && (out->r || out->r_q || out->r_u)) masses_springs(s, at, out);
    if (!out->r_q || !at->lambda) return 0;
    for (size_t p = 0; p < (size_t)masses_gear(s); p++) out->r_q[p * n + p] -= 2 * at->lambda[p / 2];
    for (int j = 0; j < s->ny; j++) {
        size_t e = (size_t)(masses_gear(s) + 2 * j);
        out->r_q[e * n + e + 1] += 0.1 * at->lambda[s->ng + j];
    }
    return 0;
}

static inline void masses_set(double *values, int entry, double value) {
    if (values) values[entry] = value;
}

/* Entry p of each matrix is column p, row masses_row(p). */
static inline int masses_constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const dense_masses *s = model->data;
    const double *q = at->q, *u = at->u, *a = at->a;
    (void)work;
    double *matrices[] = {out->c0_q, out->c1_q, out->c2_q, out->c2_u};
    for (int k = 0; k < 4; k++)
        if (matrices[k]) memset(matrices[k], 0, (size_t)masses_used(s) * sizeof(double));
    if (out->c0) memset(out->c0, 0, (size_t)masses_rows(s) * sizeof(double));
    if (out->c1_u) masses_directions(s, q, out->c1_u);
    for (int p = 0; p < masses_gear(s); p++) {
        masses_set(out->c0_q, p, 2 * q[p]);
        if (out->c1_q) out->c1_q[p] = 2 * u[p];
        if (out->c2_q) out->c2_q[p] = 2 * a[p];
        if (out->c2_u) out->c2_u[p] = 4 * u[p];
        if (p % 2 == 0) continue;
        masses_set(out->c0, p / 2, q[p - 1] * q[p - 1] + q[p] * q[p] - 1);
        if (out->c1) out->c1[p / 2] = 2 * (q[p - 1] * u[p - 1] + q[p] * u[p]);
        if (out->c2) out->c2[p / 2] = 2 * (q[p - 1] * a[p - 1] + q[p] * a[p] + u[p - 1] * u[p - 1] + u[p] * u[p]);
    }
    for (int e = masses_gear(s); e < masses_contact(s); e += 2) {
        int row = masses_row(s, e);
        if (out->c1) out->c1[row] = u[e] - (1 + 0.1 * q[e]) * u[e + 1];
        if (out->c2) out->c2[row] = a[e] - (1 + 0.1 * q[e]) * a[e + 1] - 0.1 * u[e] * u[e + 1];
        if (out->c1_q) out->c1_q[e] = -0.1 * u[e + 1];
        if (out->c2_q) out->c2_q[e] = -0.1 * a[e + 1];
        if (out->c2_u) out->c2_u[e] = -0.1 * u[e + 1], out->c2_u[e + 1] = -0.1 * u[e];
    }
    for (int m = masses_contact(s); m < masses_used(s); m++) {
        int row = masses_row(s, m);
        bool gap = (m - masses_contact(s)) % 2 == 0;
        if (gap) masses_set(out->c0, row, q[m]);
        masses_set(out->c0_q, m, gap);
        if (out->c1) out->c1[row] = u[m];
        if (out->c2) out->c2[row] = a[m];
    }
    return 0;
}

static inline void dense_masses_close(dense_masses *s) {
    void *blocks[] = {s->mass,  s->k,         s->c,         s->d,       s->q,       s->u,       s->start,
                      s->index, s->row_start, s->row_index, s->W_start, s->W_index, s->contacts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

/* The masses above the floor are pressed down, so that they hit it and those beside them slide while the springs pull.
 * `cubic`: how much the stiffness changes over unit length, relative. */
static inline zn_status dense_masses_open(zn_context *context, dense_masses *s, int n, int ng, int ny, int nN, double stiffness,
                                          double cubic, zn_model **model) {
    size_t size = (size_t)n, all = size * size;
    *s = (dense_masses){n,
                        ng,
                        ny,
                        nN,
                        0.3 * stiffness + 10,
                        malloc(size * 8),
                        malloc(all * 8),
                        malloc(all * 8),
                        malloc(all * 8),
                        malloc(size * 8),
                        malloc(size * 8),
                        calloc(size + 1, sizeof(int)),
                        calloc(size, sizeof(int)),
                        calloc(size + 1, sizeof(int)),
                        calloc(size, sizeof(int)),
                        calloc(size + 1, sizeof(int)),
                        calloc(size, sizeof(int)),
                        calloc((size_t)nN + 1, sizeof(zn_contact))};
    unsigned long long seed = 42;
    for (size_t i = 0; i < size; i++) {
        s->mass[i] = 1 + dense_masses_random(&seed);
        s->q[i] = 0.2 * dense_masses_random(&seed);
        s->u[i] = 0;
        s->start[i + 1] = (int)i + 1, s->index[i] = (int)i;
        for (size_t j = 0; j <= i; j++) {
            s->k[i * size + j] = s->k[j * size + i] = stiffness / n * dense_masses_random(&seed);
            s->c[i * size + j] = s->c[j * size + i] = cubic * s->k[i * size + j];
            s->d[i * size + j] = s->d[j * size + i] = 0.01 * s->k[i * size + j];
        }
    }
    for (int p = 0; p < n; p++) {
        s->row_start[p + 1] = p < masses_used(s) ? p + 1 : masses_used(s);
        if (p < masses_used(s)) s->row_index[p] = masses_row(s, p);
    }
    for (int row = 0, k = 0; row < masses_rows(s); row++) {
        for (int p = 0; p < masses_used(s); p++)
            if (masses_row(s, p) == row) s->W_index[k++] = p;
        s->W_start[row + 1] = k;
    }
    for (int j = 0; j < ng; j++) {
        double angle = 6 * dense_masses_random(&seed);
        s->q[2 * j] = cos(angle), s->q[2 * j + 1] = sin(angle);
    }
    for (int k = 0; k < nN; k++) {
        s->q[masses_contact(s) + 2 * k] = 0.003 * k;
        s->contacts[k] = (zn_contact){.row_N = ng + ny + k, .row_F = ng + ny + nN + k, .nF = 1, .n_balls = 1, .balls = &dense_masses_ball};
    }
    zn_pattern rows = {masses_rows(s), n, s->row_start, s->row_index}, W = {n, masses_rows(s), s->W_start, s->W_index};
    zn_model def = {.size = {n, n, ng, ny, nN, nN, nN},
                    .pattern = {.M = {n, n, s->start, s->index}, .W = W, .c1_u = W, .c0_q = rows, .c1_q = rows, .c2_q = rows, .c2_u = rows},
                    .contacts = s->contacts,
                    .natural = true,
                    .force_uses_velocity = true,
                    .q_start = s->q,
                    .u_start = s->u,
                    .work_bytes = 8,
                    .data = s,
                    .balance = masses_balance,
                    .constraints = masses_constraints};
    return zn_model_from_callbacks(context, &def, model);
}

#endif
