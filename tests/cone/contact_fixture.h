/* SPDX-License-Identifier: Apache-2.0 */
/* Random systems of bodies in frictional contact as cone problems, and an independent measure of their solution.
 *
 *     M (u - v) = H' r,    velocities of the contacts H u + w,    W = H M^-1 H',  q = H v + w
 */
#ifndef TESTS_CONE_CONTACT_FIXTURE_H
#define TESTS_CONE_CONTACT_FIXTURE_H

#include "cone/cone.h"

#include "check.h"

#include <stdlib.h>

typedef struct random_source {
    uint64_t state;
} random_source;
static inline double random_unit(random_source *r) { /* splitmix64, [0, 1) */
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double random_between(random_source *r, double lower, double upper) { return lower + (upper - lower) * random_unit(r); }

typedef struct contacts {
    zn_context *context;
    int n, dim, nu;           /* contacts, rows per contact (normal first), degrees of freedom */
    double *mass, *v, *H, *w; /* nu, nu, (n dim) x nu column-major, n dim */
    double *mu;
    double *W, *q; /* local form */
    double *rho;
    zn_ball *balls;
    cone *cones;
    lin_pattern phi_y, psi_x, psi_y, mass_pattern;
    lin_matrix *phi_x;
    int mass_block;
    int evaluations;
    cone_problem problem;
} contacts;

static inline int contacts_evaluate(void *user, const double *x, const double *y, cone_values *values) {
    contacts *c = user;
    int m = c->n * c->dim;
    c->evaluations++;
    if (values->phi) {
        for (int i = 0; i < c->nu; i++) values->phi[i] = c->mass[i] * (x[i] - c->v[i]);
        for (int i = 0; i < c->nu; i++)
            for (int k = 0; k < m; k++) values->phi[i] -= c->H[k + m * i] * y[k];
    }
    if (values->psi) {
        for (int k = 0; k < m; k++) values->psi[k] = c->w[k];
        for (int i = 0; i < c->nu; i++)
            for (int k = 0; k < m; k++) values->psi[k] += c->H[k + m * i] * x[i];
    }
    if (!values->jacobian) return 0;
    lin_matrix_zero(c->phi_x);
    lin_matrix_add(c->phi_x, c->mass_block, 1, c->mass);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < c->nu; i++) values->phi_y[i + c->nu * k] = -c->H[k + m * i];
    memcpy(values->psi_x, c->H, (size_t)m * (size_t)c->nu * sizeof(double));
    return 0;
}

static inline int contacts_evaluate_local(void *user, const double *x, const double *y, cone_values *values) {
    contacts *c = user;
    int m = c->n * c->dim;
    (void)x;
    c->evaluations++;
    if (values->psi) {
        memcpy(values->psi, c->q, (size_t)m * sizeof(double));
        for (int j = 0; j < m; j++)
            for (int i = 0; i < m; i++) values->psi[i] += c->W[i + m * j] * y[j];
    }
    if (values->jacobian) memcpy(values->psi_y, c->W, (size_t)m * (size_t)m * sizeof(double));
    return 0;
}

/* W = H M^-1 H', q = H v + w, prox parameters 1/W_kk with the maximum over the friction rows. */
static inline void contacts_finish(contacts *c) {
    int m = c->n * c->dim;
    for (int k = 0; k < m; k++) c->q[k] = c->w[k];
    for (int i = 0; i < c->nu; i++)
        for (int k = 0; k < m; k++) {
            if (c->H[k + m * i] == 0) continue;
            c->q[k] += c->H[k + m * i] * c->v[i];
            for (int l = 0; l < m; l++) c->W[l + m * k] += c->H[l + m * i] * c->H[k + m * i] / c->mass[i];
        }
    for (int k = 0; k < c->n; k++) {
        int row = k * c->dim;
        double largest = 0;
        for (int i = 1; i < c->dim; i++) largest = fmax(largest, c->W[(row + i) * (m + 1)]);
        c->rho[row] = c->W[row * (m + 1)] > 0 ? 1 / c->W[row * (m + 1)] : 1;
        for (int i = 1; i < c->dim; i++) c->rho[row + i] = largest > 0 ? 1 / largest : 1;
        c->balls[k] = (zn_ball){c->dim - 1, c->mu[k]};
        c->cones[k] = (cone){.psi_N = row,
                             .mu_N = row,
                             .psi_F = row + 1,
                             .mu_F = row + 1,
                             .n_balls = c->dim > 1,
                             .balls = &c->balls[k],
                             .mu_R = row,
                             .stick_of = -1};
    }
}

static inline contacts *contacts_create(int n, int dim, int nu, bool local) {
    contacts *c = calloc(1, sizeof *c);
    size_t m = (size_t)(n * dim);
    *c = (contacts){.context = zn_context_create(NULL), .n = n, .dim = dim, .nu = nu};
    c->mass = calloc((size_t)nu, sizeof(double));
    c->v = calloc((size_t)nu, sizeof(double));
    c->H = calloc(m * (size_t)nu, sizeof(double));
    c->w = calloc(m, sizeof(double));
    c->mu = calloc((size_t)n, sizeof(double));
    c->W = calloc(m * m, sizeof(double));
    c->q = calloc(m, sizeof(double));
    c->rho = calloc(m, sizeof(double));
    c->balls = calloc((size_t)n, sizeof(zn_ball));
    c->cones = calloc((size_t)n, sizeof(cone));
    for (int i = 0; i < nu; i++) c->mass[i] = 1;
    int *diagonal = calloc((size_t)nu, sizeof(int));
    for (int i = 0; i < nu; i++) diagonal[i] = i;
    assert_int_equal(lin_pattern_create(c->context, nu, nu, nu, diagonal, diagonal, &c->mass_pattern, NULL), ZN_OK);
    free(diagonal);
    assert_int_equal(lin_pattern_dense(c->context, nu, (int)m, &c->phi_y), ZN_OK);
    assert_int_equal(lin_pattern_dense(c->context, (int)m, nu, &c->psi_x), ZN_OK);
    assert_int_equal(lin_pattern_dense(c->context, (int)m, (int)m, &c->psi_y), ZN_OK);
    c->phi_x = lin_matrix_create(c->context, nu);
    c->mass_block = lin_matrix_block(c->phi_x, &c->mass_pattern.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(c->phi_x, LIN_AUTO), ZN_OK);
    c->problem = (cone_problem){.nx = local ? 0 : nu,
                                .ny = (int)m,
                                .npsi = (int)m,
                                .nmu = (int)m,
                                .n_cones = n,
                                .cones = c->cones,
                                .user = c,
                                .rho = c->rho,
                                .n_settled = local ? 0 : nu};
    if (local) {
        c->problem.evaluate = contacts_evaluate_local;
        c->problem.psi_y = c->psi_y.p;
    } else {
        c->problem.evaluate = contacts_evaluate;
        c->problem.phi_x = c->phi_x;
        c->problem.phi_y = c->phi_y.p;
        c->problem.psi_x = c->psi_x.p;
    }
    return c;
}

static inline void contacts_destroy(contacts *c) {
    lin_pattern_destroy(c->context, &c->phi_y);
    lin_pattern_destroy(c->context, &c->psi_x);
    lin_pattern_destroy(c->context, &c->psi_y);
    lin_pattern_destroy(c->context, &c->mass_pattern);
    lin_matrix_destroy(c->phi_x);
    zn_context_destroy(c->context);
    void *blocks[] = {c->mass, c->v, c->H, c->w, c->mu, c->W, c->q, c->rho, c->balls, c->cones};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
    free(c);
}

/* Dense random directions; each contact sees all coordinates. Feasible: w = 0. */
static inline contacts *contacts_random(uint64_t seed, int n, int dim, int nu, double mu_max, bool local) {
    random_source r = {seed};
    contacts *c = contacts_create(n, dim, nu, local);
    for (int i = 0; i < nu; i++) {
        c->mass[i] = random_between(&r, 0.2, 5);
        c->v[i] = random_between(&r, -1, 1);
    }
    for (int k = 0; k < n * dim * nu; k++) c->H[k] = random_between(&r, -1, 1);
    for (int k = 0; k < n; k++) c->mu[k] = mu_max * random_unit(&r);
    contacts_finish(c);
    return c;
}

/* |r - P_K(r - (u + mu |u_T| e_N))| / |q| with the projection onto the second-order cone K = {|r_T| <= mu r_N}. */
static inline void project_on_cone(int dim, double mu, double *z) {
    double t = 0;
    for (int i = 1; i < dim; i++) t += z[i] * z[i];
    t = sqrt(t);
    if (z[0] >= 0 && t <= mu * z[0]) return;
    if (mu * t <= -z[0]) {
        for (int i = 0; i < dim; i++) z[i] = 0;
        return;
    }
    double along = (z[0] + mu * t) / (1 + mu * mu);
    for (int i = 1; i < dim; i++) z[i] *= t > 0 ? mu * along / t : 0;
    z[0] = along;
}
static inline double contacts_residual(const contacts *c, const double *r) {
    int m = c->n * c->dim;
    double sum = 0, size = 0;
    for (int k = 0; k < c->n; k++) {
        double u[8] = {0}, z[8], slip = 0;
        for (int i = 0; i < c->dim; i++) {
            int row = k * c->dim + i;
            u[i] = c->q[row];
            for (int j = 0; j < m; j++) u[i] += c->W[row + m * j] * r[j];
            if (i > 0) slip += u[i] * u[i];
            size += c->q[row] * c->q[row];
        }
        u[0] += c->mu[k] * sqrt(slip);
        for (int i = 0; i < c->dim; i++) z[i] = r[k * c->dim + i] - u[i];
        project_on_cone(c->dim, c->mu[k], z);
        for (int i = 0; i < c->dim; i++) sum += (r[k * c->dim + i] - z[i]) * (r[k * c->dim + i] - z[i]);
    }
    return sqrt(sum / size);
}

#endif
