/* SPDX-License-Identifier: Apache-2.0 */
/* Large sparse problems: chains of bodies, redundant ones, and copies of a small problem with all kinds of cones, compared with
 * the same problem solved alone. */
#include "cone/discrete.h"
#include "contact_fixture.h"

/* n contacts between n + 1 bodies of three coordinates; `copies` of each contact make it redundant. */
static void chain(int n, int copies, uint64_t seed) {
    random_source random = {seed};
    int nv = 3 * (n + 1), m = 3 * n * copies, count = m * 6, k = 0;
    int *row = calloc((size_t)count, sizeof(int)), *col = calloc((size_t)count, sizeof(int)), *diagonal = calloc((size_t)nv, sizeof(int));
    double *value = calloc((size_t)count, sizeof(double)), *mass = calloc((size_t)nv, sizeof(double));
    double *f = calloc((size_t)nv, sizeof(double)), *w = calloc((size_t)m, sizeof(double)),
           *mu = calloc((size_t)(n * copies), sizeof(double));
    double *r = calloc((size_t)m, sizeof(double));
    for (int c = 0; c < n; c++) {
        double block[18];
        for (int e = 0; e < 18; e++) block[e] = random_between(&random, -0.3, 0.3) + (e % 6 % 3 == e / 6 ? (e % 6 < 3 ? -1 : 1) : 0);
        for (int copy = 0; copy < copies; copy++) {
            mu[c * copies + copy] = 0.4;
            for (int e = 0; e < 18; e++, k++) {
                row[k] = 3 * c + e % 6;
                col[k] = 3 * (c * copies + copy) + e / 6;
                value[k] = block[e];
            }
        }
    }
    for (int i = 0; i < nv; i++) {
        diagonal[i] = i;
        mass[i] = random_between(&random, 0.5, 2);
        f[i] = mass[i] * random_between(&random, -1, 1);
    }
    zn_context *context = zn_context_create(NULL);
    discrete_def def = {.global = true,
                        .dim = 3,
                        .n_contacts = n * copies,
                        .M = {nv, nv, nv, diagonal, diagonal, mass},
                        .H = {nv, m, count, row, col, value},
                        .f = f,
                        .w = w,
                        .mu = mu};
    discrete *d = cone_discrete_create(context, &def);
    assert_non_null(d);
    discrete_result result;
    assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-10, r, &result), ZN_OK);
    check_below(cone_discrete_residual(d, r, NULL), 1e-10);
    if (copies == 1) {
        assert_int_equal(result.outcome.path, CONE_NEWTON);
        check_below(result.outcome.iterations[CONE_NEWTON], 20);
    }
    cone_discrete_destroy(d);
    zn_context_destroy(context);
    void *blocks[] = {row, col, diagonal, value, mass, f, w, mu, r};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) free(blocks[b]);
}

static void chains(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        chain(60, 1, seed);
        chain(40, 2, seed);
    }
}

/* One copy: x = (u1, u2, a1, a2), y = (P, P1, P2, l1, l2), mu = A y with l following P; psi = (u1 + 1, u1, u2, a1, a2, u1, u2):
 * a normal inclusion, a ball of two rows on its radius, and a ball guided by the velocity with a constant reservoir. */
enum { NX = 4, NY = 5, NPSI = 7 };
typedef struct copies {
    int n;
    const double *f;
    lin_pattern unit, phi_y, psi_x, A;
    double *ones, *phi_y_values, *psi_x_values, *A_values;
    lin_matrix *matrix;
    int block;
} copies;

/* Entries (row, column, value) of one copy. */
static const struct {
    int row, col;
    double value;
} B[] = {{0, 0, 1}, {0, 1, 0.5}, {1, 2, 1}, {0, 2, 0.2}, {2, 3, 1}, {3, 4, 1}, {3, 1, 0.1}},
  C[] = {{0, 0, 1}, {1, 0, 0.5}, {2, 1, 1}, {1, 1, 0.2}, {3, 2, 1}, {4, 3, 1}, {5, 0, 1}, {6, 1, 1}},
  A_entries[] = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {3, 1, 0.5}, {4, 2, 0.5}};
enum { N_B = sizeof B / sizeof *B, N_C = sizeof C / sizeof *C, N_A = sizeof A_entries / sizeof *A_entries };

static int evaluate(void *user, const double *x, const double *y, cone_values *values) {
    copies *c = user;
    for (int i = 0; i < NX * c->n && values->phi; i++) values->phi[i] = x[i] + 0.1 * x[i] * x[i] * x[i] - c->f[i % NX];
    if (values->phi) lin_multiply(&c->phi_y.p, c->phi_y_values, 1, y, values->phi);
    if (values->psi) {
        memset(values->psi, 0, (size_t)(NPSI * c->n) * sizeof(double));
        lin_multiply(&c->psi_x.p, c->psi_x_values, 1, x, values->psi);
        for (int k = 0; k < c->n; k++) values->psi[NPSI * k] += 1;
    }
    if (!values->jacobian) return 0;
    for (int i = 0; i < NX * c->n; i++) c->ones[i] = 1 + 0.3 * x[i] * x[i];
    lin_matrix_zero(c->matrix);
    lin_matrix_add(c->matrix, c->block, 1, c->ones);
    memcpy(values->phi_y, c->phi_y_values, (size_t)lin_nnz(&c->phi_y.p) * sizeof(double));
    memcpy(values->psi_x, c->psi_x_values, (size_t)lin_nnz(&c->psi_x.p) * sizeof(double));
    return 0;
}

static void repeat(zn_context *context, int n, int rows, int cols, int count, const void *list, double sign, lin_pattern *pattern,
                   double **values) {
    const struct {
        int row, col;
        double value;
    } *entries = list;
    int *row = calloc((size_t)(n * count), sizeof(int)), *col = calloc((size_t)(n * count), sizeof(int));
    int *place = calloc((size_t)(n * count), sizeof(int));
    for (int k = 0; k < n * count; k++) {
        row[k] = k / count * rows + entries[k % count].row;
        col[k] = k / count * cols + entries[k % count].col;
    }
    assert_int_equal(lin_pattern_create(context, n * rows, n * cols, n * count, row, col, pattern, place), ZN_OK);
    *values = calloc((size_t)(n * count), sizeof(double));
    for (int k = 0; k < n * count; k++) (*values)[place[k]] = sign * entries[k % count].value;
    free(row);
    free(col);
    free(place);
}

static cone_outcome solve_copies(int n, const double *f, double *x, double *y) {
    static const zn_ball balls[2] = {{2, 0.4}, {2, 1}};
    zn_context *context = zn_context_create(NULL);
    copies c = {.n = n, .f = f, .ones = calloc((size_t)(NX * n), sizeof(double))};
    cone *cones = calloc((size_t)(3 * n), sizeof(cone));
    int *diagonal = calloc((size_t)(NX * n), sizeof(int));
    for (int i = 0; i < NX * n; i++) diagonal[i] = i;
    lin_pattern_create(context, NX * n, NX * n, NX * n, diagonal, diagonal, &c.unit, NULL);
    repeat(context, n, NX, NY, N_B, B, -1, &c.phi_y, &c.phi_y_values);
    repeat(context, n, NPSI, NX, N_C, C, 1, &c.psi_x, &c.psi_x_values);
    repeat(context, n, NY, NY, N_A, A_entries, 1, &c.A, &c.A_values);
    c.matrix = lin_matrix_create(context, NX * n);
    c.block = lin_matrix_block(c.matrix, &c.unit.p, false, 0, 0);
    lin_matrix_finish(c.matrix, LIN_AUTO);
    for (int k = 0; k < n; k++) {
        cone plain = {.psi_N = -1, .mu_N = -1, .mu_R = -1, .stick_of = -1, .n_balls = 1};
        cones[3 * k] = (cone){.psi_N = NPSI * k, .mu_N = NY * k, .mu_R = -1, .stick_of = -1};
        cones[3 * k + 1] = cones[3 * k + 2] = plain;
        cone *velocity = &cones[3 * k + 1], *guided = &cones[3 * k + 2];
        velocity->psi_F = NPSI * k + 1;
        velocity->mu_F = NY * k + 1;
        velocity->balls = &balls[0];
        velocity->mu_R = NY * k;
        guided->psi_F = NPSI * k + 3;
        guided->mu_F = NY * k + 3;
        guided->balls = &balls[1];
        guided->reservoir = 0.7;
        guided->gate_kind = CONE_IF_CLOSED;
        guided->gate = 3 * k;
        guided->stick_of = 3 * k + 1;
        guided->psi_D = NPSI * k + 5;
    }
    cone_problem p = {.nx = NX * n,
                      .ny = NY * n,
                      .npsi = NPSI * n,
                      .nmu = NY * n,
                      .n_cones = 3 * n,
                      .cones = cones,
                      .user = &c,
                      .evaluate = evaluate,
                      .phi_x = c.matrix,
                      .phi_y = c.phi_y.p,
                      .psi_x = c.psi_x.p,
                      .A = c.A.p,
                      .A_values = c.A_values,
                      .n_settled = NX * n};
    cone_settings settings = cone_settings_default();
    settings.solver = ZN_SOLVER_NEWTON;
    cone_solver *s = cone_solver_create(context, &p, &settings);
    assert_non_null(s);
    cone_outcome out;
    assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
    cone_solver_destroy(s);
    lin_matrix_destroy(c.matrix);
    lin_pattern *patterns[] = {&c.unit, &c.phi_y, &c.psi_x, &c.A};
    for (int k = 0; k < 4; k++) lin_pattern_destroy(context, patterns[k]);
    zn_context_destroy(context);
    void *blocks[] = {c.ones, c.phi_y_values, c.psi_x_values, c.A_values, cones, diagonal};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) free(blocks[b]);
    return out;
}

static void copies_of_a_small_problem(void **state) {
    (void)state;
    enum { N = 60 };
    static const double loads[][NX] = {{-2, 0.1, 0.3, -0.2}, {-2, 2, 0.3, -0.2}, {-3, -4, 2, 1}, {1, 1, 1, 1}, {-1.5, 0.05, 3, -3}};
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++) {
        double x[NX] = {0}, y[NY] = {0}, *many_x = calloc(NX * N, sizeof(double)), *many_y = calloc(NY * N, sizeof(double));
        solve_copies(1, loads[l], x, y);
        cone_outcome out = solve_copies(N, loads[l], many_x, many_y);
        check_below(out.iterations[CONE_NEWTON], 12);
        for (int k = 0; k < N * NX; k++) check_close(many_x[k], x[k % NX], 1e-9);
        for (int k = 0; k < N * NY; k++) check_close(many_y[k], y[k % NY], 1e-9);
        free(many_x);
        free(many_y);
    }
}

/* phi = B x - f - y on every third row, psi = x + 1 there: B has three diagonals, and its rows are bodies of three. */
enum { LONG = 1500, GAPS = LONG / 3 };
typedef struct held_chain {
    lin_matrix *B;
    int block;
    double f[LONG], entries[3 * LONG];
} held_chain;

static int evaluate_chain(void *user, const double *x, const double *y, cone_values *values) {
    held_chain *c = user;
    lin_matrix_zero(c->B);
    lin_matrix_add(c->B, c->block, 1, c->entries);
    if (values->phi) {
        lin_matrix_multiply(c->B, x, values->phi);
        for (int i = 0; i < LONG; i++) values->phi[i] -= c->f[i] + (i % 3 ? 0 : y[i / 3]);
    }
    for (int k = 0; k < GAPS && values->psi; k++) values->psi[k] = x[3 * k] + 1;
    for (int k = 0; k < GAPS && values->jacobian; k++) values->phi_y[k] = -1, values->psi_x[k] = 1;
    return 0;
}

/* Of hundreds of contacts few are closed, or none: x is found with the factors of phi_x, in their order of pivots. Bit by bit where none
 * is. */
static void few_of_many_are_closed(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    random_source random = {11};
    held_chain c = {.B = lin_matrix_create(context, LONG)};
    static int row[3 * LONG], col[3 * LONG], body[LONG], gap[GAPS], number[GAPS];
    static cone cones[GAPS];
    int count = 0;
    for (int i = 0; i < LONG; i++) {
        body[i] = i / 3;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < LONG; j++) row[count] = i, col[count++] = j;
    }
    for (int k = 0; k < GAPS; k++) {
        gap[k] = 3 * k, number[k] = k;
        cones[k] = (cone){.psi_N = k, .mu_N = k, .mu_R = -1, .stick_of = -1};
    }
    lin_pattern band, phi_y, psi_x;
    lin_pattern_create(context, LONG, LONG, count, row, col, &band, NULL);
    lin_pattern_create(context, LONG, GAPS, GAPS, gap, number, &phi_y, NULL);
    lin_pattern_create(context, GAPS, LONG, GAPS, number, gap, &psi_x, NULL);
    for (int j = 0; j < LONG; j++)
        for (int e = band.start[j]; e < band.start[j + 1]; e++)
            c.entries[e] = random_between(&random, -1, 1) + (band.index[e] == j ? 4 : 0);
    c.block = lin_matrix_block(c.B, &band.p, false, 0, 0);
    lin_matrix_set_bodies(c.B, body);
    assert_int_equal(lin_matrix_finish(c.B, LIN_SPARSE), ZN_OK);
    cone_problem p = {.nx = LONG, .ny = GAPS, .npsi = GAPS, .nmu = GAPS, .n_cones = GAPS, .cones = cones, .user = &c};
    p.evaluate = evaluate_chain, p.phi_x = c.B, p.phi_y = phi_y.p, p.psi_x = psi_x.p, p.n_settled = LONG;
    cone_settings settings = cone_settings_default();
    settings.solver = ZN_SOLVER_NEWTON;
    cone_solver *s = cone_solver_create(context, &p, &settings);
    assert_non_null(s);
    for (int closed = 0; closed <= 40; closed += 5) { /* from 25 on by the whole matrix */
        double x[LONG] = {0}, y[GAPS] = {0}, free[LONG];
        cone_outcome out;
        for (int i = 0; i < LONG; i++) c.f[i] = random_between(&random, -0.5, 0.5);
        for (int k = 0; k < closed; k++) c.f[30 * k] = -20;
        assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
        int n = 0;
        for (int k = 0; k < GAPS; k++) {
            n += y[k] > 0;
            assert_true(y[k] >= 0 && x[3 * k] + 1 > -1e-8 && fabs(y[k] * (x[3 * k] + 1)) < 1e-7);
        }
        assert_int_equal(n, closed);
        lin_lu *lu = lin_lu_create(context, c.B);
        assert_int_equal(lin_lu_factor(lu, c.B, false), ZN_OK);
        for (int i = 0; i < LONG; i++) free[i] = c.f[i] + (i % 3 ? 0 : y[i / 3]);
        lin_lu_solve(lu, free);
        for (int i = 0; i < LONG; i++)
            if (closed == 0) assert_true(x[i] == free[i]);
            else check_close(x[i], free[i], 1e-8);
        lin_lu_destroy(lu);
    }
    cone_solver_destroy(s);
    lin_matrix_destroy(c.B);
    lin_pattern *patterns[] = {&band, &phi_y, &psi_x};
    for (int k = 0; k < 3; k++) lin_pattern_destroy(context, patterns[k]);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains), cmocka_unit_test(few_of_many_are_closed),
                                       cmocka_unit_test(copies_of_a_small_problem)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
