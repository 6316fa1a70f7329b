/* SPDX-License-Identifier: Apache-2.0 */
/* The schemes solve a step in two parts. Here the same step is one coupled problem, written straight from Fig. 5.1 of 002
 * (with P = 0 for open contacts), with all increments as unknowns and differences for derivatives:
 *
 *   x = (dQ_1..s, dU_1..s, dPi_b,1..s),  y = (dPi_c,1..s),  mu = (dPi_c,1, .., dPi_c,s-1, sum_i b_i dPi_c,i)                   */
#include "trial.h"

#include "cone/cone.h"
#include "model/model.h"
#include "scheme/answers.h"
#include "scheme/tableau.h"

#include <stdlib.h>

enum { MOST = 200 };

typedef struct coupled {
    zn_context *context;
    const zn_model *model;
    tableau method;
    int s, nq, nu, nb, nc, n, nx, ny;
    answers at;
    double t, h;
    const double *q_n, *u_n;
    double c1_n[MOST], Q[MOST], U[MOST], lambda[MOST], a[MOST], u_end[MOST];
    double rho[MOST], phi_scale[MOST], psi_scale[MOST], plus[MOST], minus[MOST], shifted[MOST];
    cone cones[MOST];
    lin_pattern xx, xy, px, A;
    double A_values[MOST * 8];
    int block;
    prox_estimate prox;
    cone_problem problem;
    cone_solver *solver;
} coupled;

static void residual(coupled *c, const double *x, const double *y, double *phi, double *psi) {
    const zn_model *model = c->model;
    int s = c->s, nq = c->nq, nu = c->nu, ng = model->size.ng, nN = model->size.nN;
    const double *dQ = x, *dU = x + s * nq, *dPi = x + s * (nq + nu);
    for (int k = 0; k < nu; k++) c->u_end[k] = c->u_n[k];
    for (int i = 0; i < s; i++) {
        double tau = c->t + c->method.c[i] * c->h;
        for (int k = 0; k < nq; k++) c->Q[k] = c->q_n[k];
        for (int k = 0; k < nu; k++) c->U[k] = c->u_n[k];
        for (int j = 0; j < s; j++) {
            for (int k = 0; k < nq; k++) c->Q[k] += c->method.A[i * s + j] * dQ[j * nq + k];
            for (int k = 0; k < nu; k++) c->U[k] += c->method.Ah[i * s + j] * dU[j * nu + k];
        }
        for (int k = 0; k < nu; k++) c->a[k] = dU[i * nu + k] / c->h, c->u_end[k] += c->method.b[i] * dU[i * nu + k];
        for (int k = 0; k < c->nb; k++) c->lambda[k] = dPi[i * c->nb + k] / c->h;
        for (int k = 0; k < c->nc; k++) c->lambda[c->nb + k] = y[i * c->nc + k] / c->h;
        zn_point point = {tau, c->Q, c->U, c->a, c->lambda};
        model->kinematics(model, c->at.work, &point, &(zn_kinematics){.qdot = c->at.qdot});
        model->balance(model, c->at.work, &point, &(zn_balance){.r = c->at.r});
        model->constraints(model, c->at.work, &point, &(zn_constraints){.c0 = c->at.c0, .c1 = c->at.c1});
        for (int k = 0; k < nq; k++) phi[i * nq + k] = dQ[i * nq + k] - c->h * c->at.qdot[k];
        for (int k = 0; k < nu; k++) phi[s * nq + i * nu + k] = c->h * c->at.r[k];
        for (int k = 0; i > 0 && k < c->nb; k++) phi[s * (nq + nu) + (i - 1) * c->nb + k] = k < ng ? c->at.c0[k] : c->at.c1[k];
        for (int k = 0; i > 0 && k < c->nc; k++) psi[(i - 1) * c->nc + k] = k < nN ? c->at.c0[c->nb + k] : c->at.c1[c->nb + k];
    }
    zn_point end = {.t = c->t + c->h, .q = c->Q, .u = c->u_end}; /* Q is Q_s here */
    model->constraints(model, c->at.work, &end, &(zn_constraints){.c1 = c->at.c1});
    for (int k = 0; k < c->nb; k++) phi[s * (nq + nu) + (s - 1) * c->nb + k] = c->at.c1[k];
    for (int k = 0; k < c->nc; k++) {
        const zn_contact *contact = &model->contacts[model_row_contact(model, c->nb + k)];
        double e = k < nN ? contact->e_N : contact->e_F;
        psi[(s - 1) * c->nc + k] = c->at.c1[c->nb + k] + e * c->c1_n[c->nb + k];
    }
}

/* One column of differences by an unknown, phi and psi in c->plus. */
static void difference(coupled *c, double *unknown, const double *x, const double *y) {
    double kept = *unknown, step = 1e-6;
    *unknown = kept + step;
    residual(c, x, y, c->plus, c->plus + c->nx);
    *unknown = kept - step;
    residual(c, x, y, c->minus, c->minus + c->nx);
    *unknown = kept;
    for (int i = 0; i < c->nx + c->ny; i++) c->plus[i] = (c->plus[i] - c->minus[i]) / (2 * step);
}

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    coupled *c = user;
    residual(c, x, y, out->phi, out->psi);
    if (!out->jacobian) return 0;
    double *z = c->shifted, *values = lin_matrix_values(c->problem.phi_x);
    memcpy(z, x, (size_t)c->nx * sizeof *z);
    memcpy(z + c->nx, y, (size_t)c->ny * sizeof *z);
    for (int j = 0; j < c->nx + c->ny; j++) {
        difference(c, z + j, z, z + c->nx);
        for (int i = 0; i < c->nx; i++) {
            if (j < c->nx) values[j * c->nx + i] = c->plus[i];
            else out->phi_y[(j - c->nx) * c->nx + i] = c->plus[i];
        }
        for (int i = 0; i < c->ny && j < c->nx; i++) out->psi_x[j * c->ny + i] = c->plus[c->nx + i];
    }
    return 0;
}

static void describe_cones(coupled *c) {
    const zn_model *model = c->model;
    int n_contacts = model->size.n_contacts;
    for (int i = 0; i < c->s; i++)
        for (int k = 0; k < n_contacts; k++) {
            const zn_contact *contact = &model->contacts[k];
            int N = i * c->nc + contact->row_N - c->nb, F = i * c->nc + contact->row_F - c->nb;
            c->cones[i * n_contacts + k] = (cone){.psi_N = N,
                                                  .mu_N = N,
                                                  .psi_F = F,
                                                  .mu_F = F,
                                                  .n_balls = contact->n_balls,
                                                  .balls = contact->balls,
                                                  .mu_R = N,
                                                  .gate_kind = i < c->s - 1 ? CONE_ALWAYS : CONE_IF_CLOSED,
                                                  .gate = (c->s - 2) * n_contacts + k,
                                                  .stick_of = -1,
                                                  .psi_D = -1};
        }
}

static void describe_A(coupled *c) {
    int row[MOST * 8] = {0}, col[MOST * 8] = {0}, place[MOST * 8], count = 0;
    double value[MOST * 8];
    for (int i = 0; i < c->ny; i++) {
        bool end = i >= (c->s - 1) * c->nc;
        for (int j = 0; j < c->s; j++) {
            if (!end && j != i / c->nc) continue;
            row[count] = i;
            col[count] = i % c->nc + j * c->nc;
            value[count++] = end ? c->method.b[j] : 1;
        }
    }
    assert_int_equal(lin_pattern_create(c->context, c->ny, c->ny, count, row, col, &c->A, place), ZN_OK);
    for (int e = 0; e < count; e++) c->A_values[place[e]] = value[e];
}

static coupled *coupled_create(zn_context *context, const zn_model *model, int s) {
    coupled *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->context = context, c->model = model, c->s = s;
    assert_int_equal(tableau_lobatto_3a3b(context, s, 0, &c->method), ZN_OK);
    c->nq = model->size.nq, c->nu = model->size.nu, c->n = model_rows(model), c->nb = model_row_N(model), c->nc = c->n - c->nb;
    c->nx = s * (c->nq + c->nu + c->nb), c->ny = s * c->nc;
    assert_true(c->nx + c->ny <= MOST);
    assert_int_equal(answers_create(context, model, &c->at), ZN_OK);
    assert_int_equal(prox_create(context, model, &c->prox), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, c->nx, c->nx, &c->xx), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, c->nx, c->ny, &c->xy), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, c->ny, c->nx, &c->px), ZN_OK);
    describe_cones(c);
    describe_A(c);
    lin_matrix *matrix = lin_matrix_create(context, c->nx);
    lin_matrix_block(matrix, &c->xx.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(matrix, LIN_DENSE), ZN_OK);
    c->problem = (cone_problem){.nx = c->nx,
                                .ny = c->ny,
                                .npsi = c->ny,
                                .nmu = c->ny,
                                .n_cones = s * model->size.n_contacts,
                                .cones = c->cones,
                                .user = c,
                                .evaluate = evaluate,
                                .phi_x = matrix,
                                .phi_y = c->xy.p,
                                .psi_x = c->px.p,
                                .A = c->A.p,
                                .A_values = c->A_values,
                                .rho = c->rho,
                                .phi_scale = c->phi_scale,
                                .psi_scale = c->psi_scale,
                                .n_settled = s * (c->nq + c->nu)};
    cone_settings settings = cone_settings_default();
    settings.solver = ZN_SOLVER_NEWTON;
    settings.tolerance = 1e-12;
    c->solver = cone_solver_create(context, &c->problem, &settings);
    assert_non_null(c->solver);
    return c;
}

static void coupled_destroy(coupled *c) {
    cone_solver_destroy(c->solver);
    lin_matrix_destroy(c->problem.phi_x);
    lin_pattern *patterns[] = {&c->xx, &c->xy, &c->px, &c->A};
    for (int i = 0; i < 4; i++) lin_pattern_destroy(c->context, patterns[i]);
    answers_destroy(c->context, &c->at);
    prox_destroy(c->context, &c->prox);
    free(c);
}

static void set_scales(coupled *c) {
    zn_point start = {.t = c->t, .q = c->q_n, .u = c->u_n};
    c->model->balance(c->model, c->at.work, &start, &(zn_balance){.M = c->at.M, .W = c->at.W});
    c->model->constraints(c->model, c->at.work, &start, &(zn_constraints){.c1 = c->c1_n});
    assert_int_equal(prox_update(&c->prox, c->at.M, c->at.W, NULL), ZN_OK);
    for (int i = 0; i < c->nx; i++) c->phi_scale[i] = 100;
    for (int i = 0; i < c->s * c->nu; i++) c->phi_scale[c->s * c->nq + i] = c->prox.mass_scale[i % c->nu];
    for (int i = 0; i < c->ny; i++) {
        bool end = i >= (c->s - 1) * c->nc, position = !end && i % c->nc < c->model->size.nN;
        c->rho[i] = c->prox.rho[i % c->nc] / (position ? c->h / 2 : end ? 1 : 0.5);
        c->psi_scale[i] = position ? 100 : 1;
    }
}

/* Checks q, u and P of the simulation after a step against the coupled problem at the state before it. */
static void check_step(coupled *c, const zn_simulation *simulation, double t, double h, const double *q, const double *u, double allowed) {
    double x[MOST] = {0}, y[MOST] = {0};
    c->t = t, c->h = h, c->q_n = q, c->u_n = u;
    set_scales(c);
    cone_outcome outcome;
    zn_status status = cone_solve(c->solver, x, y, &outcome);
    if (status != ZN_OK) print_error("t = %g: %s, residual %g\n", t, zn_status_text(status), outcome.worst);
    assert_int_equal(status, ZN_OK);
    residual(c, x, y, c->plus, c->minus); /* leaves Q_s and u_end */
    const double *q_end = zn_simulation_positions(simulation), *u_end = zn_simulation_velocities(simulation);
    for (int k = 0; k < c->nq; k++) check_close_relative(q_end[k], c->Q[k], allowed, allowed);
    for (int k = 0; k < c->nu; k++) check_close_relative(u_end[k], c->u_end[k], allowed, allowed);
    for (int k = 0; k < c->n; k++) {
        double P = 0;
        for (int i = 0; i < c->s; i++)
            P += c->method.b[i] * (k < c->nb ? x[c->s * (c->nq + c->nu) + i * c->nb + k] : y[i * c->nc + k - c->nb]);
        check_close_relative(zn_simulation_percussions(simulation)[k], P, allowed, allowed);
    }
}

static void compare(const char *scene, const char *scheme, int s, double step, double end, double allowed) {
    trial r = trial_begin(scene, (trial_options){.scheme = scheme, .stages = s, .step = step, .end = end, .tolerance = 1e-13});
    const zn_model *model = zn_simulation_model(r.simulation);
    coupled *c = coupled_create(r.context, model, s);
    double q[MOST], u[MOST];
    while (!zn_simulation_done(r.simulation)) {
        double t = zn_simulation_time(r.simulation);
        memcpy(q, zn_simulation_positions(r.simulation), (size_t)model->size.nq * sizeof *q);
        memcpy(u, zn_simulation_velocities(r.simulation), (size_t)model->size.nu * sizeof *u);
        trial_step(&r);
        check_step(c, r.simulation, t, step, q, u, allowed);
    }
    assert_int_equal(zn_simulation_statistics(r.simulation).rejected, 0);
    coupled_destroy(c);
    trial_end(&r);
}

/* Joints, impacts with restitution, friction: 40 steps with the first impacts of two corners. */
static void slider_crank_is_the_coupled_form(void **state) {
    (void)state;
    compare("slider-crank", "rattle", 2, 1e-4, 4e-3, 1e-12);
    compare("slider-crank", "lobatto-3a3b", 3, 1e-4, 3e-3, 1e-11);
}

static void impact_and_friction_are_the_coupled_form(void **state) {
    (void)state;
    compare("slope-drop", "rattle", 2, 1e-2, 0.6, 1e-12);
    compare("slope-drop", "lobatto-3a3b", 3, 1e-2, 0.6, 1e-11);
    compare("rotating-ball", "lobatto-3a3b", 4, 1e-2, 0.8, 1e-11);
}

static void general_kinematics_are_the_coupled_form(void **state) {
    (void)state;
    compare(BODY_FRAME_SCENE, "rattle", 2, 1e-2, 0.6, 1e-11);
    compare(BODY_FRAME_SCENE, "lobatto-3a3b", 3, 1e-2, 0.6, 1e-10);
    compare("sleigh", "rattle", 2, 1e-2, 0.3, 1e-12);
    compare("sleigh", "lobatto-3a3b", 3, 1e-2, 0.3, 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_is_the_coupled_form),
        cmocka_unit_test(impact_and_friction_are_the_coupled_form),
        cmocka_unit_test(general_kinematics_are_the_coupled_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
