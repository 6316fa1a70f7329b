/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong derivative would only cost iterations, so the motion does not show it: the Jacobians of the stage problem against
 * central differences of its residual, at random points near a step of the scheme. */
#include "trial.h"

#include "scheme/partitioned.h"

#include <stdlib.h>

/* Of the interval [-1, 1], the same on every machine. */
static double next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

typedef struct residuals {
    double *phi, *psi;
} residuals;

static double at(const zn_pattern *p, const double *values, int row, int col) {
    for (int k = p->start[col]; k < p->start[col + 1]; k++)
        if (p->index[k] == row) return values[k];
    return 0;
}

static double of_matrix(const lin_matrix *m, int row, int col) {
    const double *values = lin_matrix_read(m);
    return lin_matrix_is_dense(m) ? values[(size_t)col * (size_t)lin_matrix_size(m) + (size_t)row]
                                  : at(lin_matrix_pattern(m), values, row, col);
}

/* Differences by z[j], with z = (x, y). */
static void check_column(partitioned *p, double *z, int j, residuals a, residuals b, const double *phi_y, const double *psi_x) {
    const cone_problem *problem = &p->problem;
    int nx = problem->nx;
    double kept = z[j], step = 1e-5 * fmax(1e-2, fabs(kept));
    z[j] = kept + step;
    assert_int_equal(problem->evaluate(p, z, z + nx, &(cone_values){.phi = a.phi, .psi = a.psi}), 0);
    z[j] = kept - step;
    assert_int_equal(problem->evaluate(p, z, z + nx, &(cone_values){.phi = b.phi, .psi = b.psi}), 0);
    z[j] = kept;
    for (int i = 0; i < nx; i++) {
        double exact = j < nx ? of_matrix(problem->phi_x, i, j) : at(&problem->phi_y, phi_y, i, j - nx);
        check_close_relative((a.phi[i] - b.phi[i]) / (2 * step), exact, 2e-8, 1e-6);
    }
    for (int i = 0; i < problem->npsi; i++) {
        double exact = j < nx ? at(&problem->psi_x, psi_x, i, j) : 0; /* psi does not depend on y */
        check_close_relative((a.psi[i] - b.psi[i]) / (2 * step), exact, 2e-8, 1e-6);
    }
}

static void check_jacobian(partitioned *p, uint64_t seed) {
    const cone_problem *problem = &p->problem;
    int n = problem->nx + problem->ny, rows = problem->nx + problem->npsi;
    double *z = calloc((size_t)n, sizeof *z), *work = calloc(2 * (size_t)rows, sizeof *work);
    double *phi_y = calloc((size_t)lin_nnz(&problem->phi_y) + 1, sizeof *phi_y),
           *psi_x = calloc((size_t)lin_nnz(&problem->psi_x) + 1, sizeof *psi_x);
    assert_true(z && work && phi_y && psi_x);
    residuals a = {work, work + problem->nx}, b = {work + rows, work + rows + problem->nx};
    for (int i = 0; i < n; i++) z[i] = (i < problem->nx ? p->x[i] : p->y[i - problem->nx]) + 0.1 * next_random(&seed);
    cone_values all = {.phi = a.phi, .psi = a.psi, .jacobian = true, .phi_y = phi_y, .psi_x = psi_x};
    assert_int_equal(problem->evaluate(p, z, z + problem->nx, &all), 0);
    for (int j = 0; j < n; j++) check_column(p, z, j, a, b, phi_y, psi_x);
    void *blocks[] = {z, work, phi_y, psi_x};
    for (int i = 0; i < 4; i++) free(blocks[i]);
}

/* ---- the first stage, whose masses and directions are those of the start ---- */

static const zn_model *whole;
static int loaded;

static int count_loads(const zn_model *model, void *work, const zn_point *point, zn_balance *out) {
    (void)model;
    loaded += point->lambda != NULL;
    return whole->balance(whole, work, point, out);
}

static int pass_constraints(const zn_model *model, void *work, const zn_point *point, zn_constraints *out) {
    (void)model;
    return whole->constraints(whole, work, point, out);
}

static int pass_kinematics(const zn_model *model, void *work, const zn_point *point, zn_kinematics *out) {
    (void)model;
    return whole->kinematics(whole, work, point, out);
}

/* Two stages: the model is asked for forces, but not for what loads make of them, and the rows are those that it would answer with
 * loads. */
static void check_first_stage(partitioned *p) {
    whole = p->base.model;
    zn_model counted = *whole;
    counted.balance = count_loads, counted.constraints = pass_constraints, counted.kinematics = pass_kinematics;
    int nu = whole->size.nu, nx = p->problem.nx;
    double *phi = calloc((size_t)(nx + 2 * nu), sizeof *phi), *r = phi + nx, *a = r + nu;
    uint64_t seed = 5;
    assert_non_null(phi);
    for (int i = 0; i < nx; i++) p->x[i] += 0.1 * next_random(&seed);
    for (int i = 0; i < p->problem.ny; i++) p->y[i] += 0.1 * next_random(&seed);
    loaded = 0;
    p->base.model = &counted;
    assert_int_equal(p->problem.evaluate(p, p->x, p->y, &(cone_values){.phi = phi}), 0);
    p->base.model = whole;
    assert_int_equal(loaded, 0);
    for (int i = 0; i < nu; i++) a[i] = p->x[i] / p->h;
    zn_point point = {.t = p->t, .q = p->q_n, .u = p->U, .a = a, .lambda = p->lambda};
    assert_int_equal(whole->balance(whole, p->at[0].work, &point, &(zn_balance){.r = r}), 0);
    for (int i = 0; i < nu; i++) check_close_relative(phi[i], p->h * r[i], 1e-12, 1e-12);
    free(phi);
}

/* The scheme itself is made and stepped once, so that its stages stand somewhere. */
static void check_scheme(const char *scene, const char *name, int stages, double h, zn_percussion percussion) {
    trial r = trial_begin(scene, (trial_options){.scheme = name, .stages = stages, .step = h, .end = h, .percussion = percussion});
    const zn_model *model = zn_simulation_model(r.simulation);
    const zn_settings *settings = zn_simulation_settings(r.simulation);
    const scheme_class *class = scheme_find(name);
    scheme *made = NULL;
    assert_int_equal(class->create(r.context, class, model, settings, &made), ZN_OK);
    size_t nq = (size_t)model->size.nq, nu = (size_t)model->size.nu, n = (size_t)model_rows(model),
           carry = class->carry_size(model, settings);
    scheme_state ends[2];
    double *memory = calloc(2 * (nq + nu + n + carry), sizeof *memory), *next = memory;
    assert_non_null(memory);
    for (int i = 0; i < 2; i++, next += nq + nu + n + carry)
        ends[i] = (scheme_state){.q = next, .u = next + nq, .P = next + nq + nu, .carry = next + nq + nu + n};
    memcpy(ends[0].q, model->q_start, nq * sizeof(double));
    memcpy(ends[0].u, model->u_start, nu * sizeof(double));
    cone_outcome outcome;
    assert_int_equal(class->start(made, &ends[0], NULL, NULL), ZN_OK);
    assert_int_equal(class->step(made, &ends[0], h, &ends[1], &outcome), ZN_OK);
    for (uint64_t seed = 1; seed <= 3; seed++) check_jacobian((partitioned *)made, seed);
    if (!strcmp(name, "rattle")) check_first_stage((partitioned *)made);
    class->destroy(made);
    free(memory);
    trial_end(&r);
}

static void velocity_form(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        check_scheme("slope", "lobatto-3a3b", s, 0.05, ZN_PERCUSSION_STAGE);
        check_scheme("spring-pendulum", "lobatto-3a3b", s, 0.05, ZN_PERCUSSION_STAGE);
        check_scheme("slider-crank", "lobatto-3a3b", s, 5e-3, ZN_PERCUSSION_INTEGRATED);
    }
    check_scheme("block-on-belt", "rattle", 0, 0.05, ZN_PERCUSSION_STAGE);
}

static void loads_of_the_first_stage(void **state) {
    (void)state;
    check_scheme("slider-crank", "rattle", 0, 5e-3, ZN_PERCUSSION_STAGE);
    check_scheme("slider-crank-parts", "rattle", 0, 5e-3, ZN_PERCUSSION_STAGE);
    check_scheme("spring-pendulum", "rattle", 0, 0.05, ZN_PERCUSSION_STAGE);
}

static void general_kinematics(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        check_scheme("sleigh", "lobatto-3a3b", s, 0.05, ZN_PERCUSSION_STAGE);
        check_scheme(BODY_FRAME_SCENE, "lobatto-3a3b", s, 0.05, ZN_PERCUSSION_STAGE);
    }
}

static void momentum_form(void **state) {
    (void)state;
    for (int s = 2; s <= 4; s++) {
        check_scheme("slope", "lobatto-3a3b-lagrange", s, 0.05, ZN_PERCUSSION_STAGE);
        check_scheme("spring-pendulum", "lobatto-3a3b-lagrange", s, 0.05, ZN_PERCUSSION_STAGE);
        check_scheme("slider-crank", "lobatto-3a3b-lagrange", s, 5e-3, ZN_PERCUSSION_STAGE);
    }
    check_scheme("block-on-belt", "lobatto-3a3b-lagrange", 3, 0.05, ZN_PERCUSSION_STAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_form),
        cmocka_unit_test(loads_of_the_first_stage),
        cmocka_unit_test(general_kinematics),
        cmocka_unit_test(momentum_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
