/* SPDX-License-Identifier: Apache-2.0 */
/* Small problems whose solution is known by hand: gates, guided friction, constant reservoirs, A other than the identity,
 * redundant constraints, and everything that must fail with a status. */
#include "cone/cone.h"

#include "base/counting_allocator.h"
#include "check.h"

#include <stdlib.h>

/* phi = K x - f - B y,  psi = C x + E y + d; all dense, up to 8 rows, column-major with leading dimension 8. */
enum { LD = 8 };
typedef struct small {
    int nx, ny, npsi;
    double K[LD * LD], f[LD], B[LD * LD], C[LD * LD], E[LD * LD], d[LD];
    double cubic;   /* phi[0] += cubic x[0]^3 */
    double noise;   /* phi[0] += noise of this size, another one for every x[0] */
    double edge;    /* the last phi += edge |its x| */
    bool nan_after; /* answers NaN in every evaluation but the first */
    bool refuse;
    int evaluations;
    zn_context *context;
    lin_pattern xx, xy, px, py, A;
    lin_matrix *matrix;
    int block;
    cone_problem p;
} small;

static int evaluate(void *user, const double *x, const double *y, cone_values *v) {
    small *s = user;
    s->evaluations++;
    if (s->refuse) return 1;
    for (int i = 0; i < s->nx && v->phi; i++) {
        v->phi[i] = -s->f[i];
        for (int j = 0; j < s->nx; j++) v->phi[i] += s->K[i + LD * j] * x[j];
        for (int j = 0; j < s->ny; j++) v->phi[i] -= s->B[i + LD * j] * y[j];
    }
    if (v->phi && s->nx > 0) v->phi[0] += s->cubic * x[0] * x[0] * x[0];
    if (v->phi && s->noise > 0) v->phi[0] += s->noise * sin(1e15 * x[0]);
    int last = s->nx - 1;
    if (v->phi && s->edge > 0) v->phi[last] += s->edge * fabs(x[last]);
    if (v->phi && s->nan_after && s->evaluations > 1) v->phi[0] = NAN;
    for (int i = 0; i < s->npsi && v->psi; i++) {
        v->psi[i] = s->d[i];
        for (int j = 0; j < s->nx; j++) v->psi[i] += s->C[i + LD * j] * x[j];
        for (int j = 0; j < s->ny; j++) v->psi[i] += s->E[i + LD * j] * y[j];
    }
    if (!v->jacobian) return 0;
    double values[LD * LD];
    for (int j = 0; j < s->nx; j++)
        for (int i = 0; i < s->nx; i++) values[i + s->nx * j] = s->K[i + LD * j];
    if (s->nx > 0) values[0] += 3 * s->cubic * x[0] * x[0];
    if (s->edge > 0) values[last + s->nx * last] += x[last] < 0 ? -s->edge : s->edge;
    lin_matrix_zero(s->matrix);
    lin_matrix_add(s->matrix, s->block, 1, values);
    for (int j = 0; j < s->ny; j++)
        for (int i = 0; i < s->nx; i++) v->phi_y[i + s->nx * j] = -s->B[i + LD * j];
    for (int j = 0; j < s->nx; j++)
        for (int i = 0; i < s->npsi; i++) v->psi_x[i + s->npsi * j] = s->C[i + LD * j];
    for (int j = 0; j < s->ny; j++)
        for (int i = 0; i < s->npsi; i++) v->psi_y[i + s->npsi * j] = s->E[i + LD * j];
    return 0;
}

static small *small_create(zn_context *context, int nx, int ny, int npsi) {
    small *s = calloc(1, sizeof *s);
    s->nx = nx;
    s->ny = ny;
    s->npsi = npsi;
    s->context = context ? context : zn_context_create(NULL);
    context = s->context;
    assert_int_equal(lin_pattern_dense(context, nx, nx, &s->xx), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, nx, ny, &s->xy), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, npsi, nx, &s->px), ZN_OK);
    assert_int_equal(lin_pattern_dense(context, npsi, ny, &s->py), ZN_OK);
    s->matrix = lin_matrix_create(context, nx);
    s->block = lin_matrix_block(s->matrix, &s->xx.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(s->matrix, LIN_AUTO), ZN_OK);
    s->p = (cone_problem){.nx = nx,
                          .ny = ny,
                          .npsi = npsi,
                          .nmu = ny,
                          .user = s,
                          .evaluate = evaluate,
                          .phi_x = s->matrix,
                          .phi_y = s->xy.p,
                          .psi_x = s->px.p,
                          .psi_y = s->py.p,
                          .n_settled = nx};
    for (int i = 0; i < nx; i++) s->K[i + LD * i] = 1;
    return s;
}
static void small_destroy(small *s) {
    lin_pattern_destroy(s->context, &s->xx);
    lin_pattern_destroy(s->context, &s->xy);
    lin_pattern_destroy(s->context, &s->px);
    lin_pattern_destroy(s->context, &s->py);
    lin_pattern_destroy(s->context, &s->A);
    lin_matrix_destroy(s->matrix);
    zn_context_destroy(s->context);
    free(s);
}
static zn_status solve(small *s, zn_solver solver, double *x, double *y, cone_outcome *out) {
    cone_settings settings = cone_settings_default();
    settings.solver = solver;
    cone_solver *c = cone_solver_create(s->context, &s->p, &settings);
    assert_non_null(c);
    zn_status status = cone_solve(c, x, y, out);
    cone_solver_destroy(c);
    assert_int_equal(zn_error_count(s->context), 0);
    if (status == ZN_OK) check_below(out->worst, settings.tolerance);
    return status;
}
static const zn_solver all_solvers[] = {ZN_SOLVER_AUTO, ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION};
static const cone plain = {.psi_N = -1, .mu_N = -1, .mu_R = -1, .stick_of = -1};

/* A block of mass m on a floor, free velocity (v_T, v_N), 1D friction: x = (u_T, u_N), y = (P_N, P_F). */
static small *block_on_floor(double v_T, double v_N, const zn_ball *ball, cone *c) {
    small *s = small_create(NULL, 2, 2, 2);
    s->f[0] = v_T;
    s->f[1] = v_N;
    s->B[1 + LD * 0] = 1;
    s->B[0 + LD * 1] = 1;
    s->C[0 + LD * 1] = 1;
    s->C[1 + LD * 0] = 1;
    *c = (cone){.psi_N = 0, .mu_N = 0, .psi_F = 1, .mu_F = 1, .n_balls = 1, .balls = ball, .mu_R = 0, .stick_of = -1};
    s->p.cones = c;
    s->p.n_cones = 1;
    return s;
}

/* A start that already meets the tolerance, but no more than that, is made better: else errors of many steps would add up. Two blocks that
 * stick, since a single contact has closed forms. */
static void a_good_start_is_made_better(void **state) {
    (void)state;
    zn_ball ball = {1, 0.5};
    cone c[2];
    small *s = small_create(NULL, 4, 4, 4);
    for (int k = 0; k < 2; k++) {
        int N = 2 * k + 1, T = 2 * k; /* x = (u_T, u_N) and y = (P_N, P_F) of each */
        s->f[T] = 0.5, s->f[N] = -2;
        s->B[N + LD * T] = s->B[T + LD * N] = s->C[T + LD * N] = s->C[N + LD * T] = 1;
        c[k] = (cone){.psi_N = T, .mu_N = T, .psi_F = N, .mu_F = N, .n_balls = 1, .balls = &ball, .mu_R = T, .stick_of = -1};
    }
    s->p.cones = c;
    s->p.n_cones = 2;
    for (int k = 0; k < 2; k++) {
        double error = 1e-12, x[4] = {error, error, -error, -error}, y[4] = {2 + error, -0.5 + error, 2 - error, -0.5 - error};
        cone_outcome out;
        assert_int_equal(solve(s, all_solvers[k], x, y, &out), ZN_OK);
        check_below(out.worst, 1e-15);
        for (int i = 0; i < 4; i++) check_close(x[i], 0, 1e-15);
        check_close(y[0], 2, 1e-15);
    }
    small_destroy(s);
}

static void one_contact(void **state) {
    (void)state;
    zn_ball ball = {1, 0.5};
    cone c;
    struct {
        double v_T, v_N, u_T, u_N, P_N, P_F;
    } known[] = {
        {3, -2, 2, 0, 2, -1}, {-3, -2, -2, 0, 2, 1}, {0.5, -2, 0, 0, 2, -0.5}, {3, 1, 3, 1, 0, 0}, {3, 0, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int a = 0; a < 3; a++) {
            small *s = block_on_floor(known[k].v_T, known[k].v_N, &ball, &c);
            double x[2] = {known[k].v_T, known[k].v_N}, y[2] = {5, -7}; /* a bad start on purpose */
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
            check_close(x[0], known[k].u_T, 1e-9);
            check_close(x[1], known[k].u_N, 1e-9);
            check_close(y[0], known[k].P_N, 1e-9);
            check_close(y[1], known[k].P_F, 1e-9);
            check_below(out.cone_violation, 1e-9);
            if (a != 2) check_below(out.iterations[CONE_NEWTON], 3);
            small_destroy(s);
        }
}

/* A nonlinear spring with a stop: x + cubic x^3 = f + y, stop at x >= 1. */
static void nonlinear_stop(void **state) {
    (void)state;
    for (int a = 0; a < 3; a++)
        for (int load = 0; load < 2; load++) {
            small *s = small_create(NULL, 1, 1, 1);
            cone c = plain;
            c.psi_N = c.mu_N = 0;
            s->p.cones = &c;
            s->p.n_cones = 1;
            s->cubic = 2;
            s->f[0] = load ? 18 : -5; /* x = 2 solves x + 2 x^3 = 18 */
            s->B[0] = 1;
            s->C[0] = 1;
            s->d[0] = -1;
            double rho = 5, x = 0, y = 0;
            s->p.rho = &rho;
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], &x, &y, &out), ZN_OK);
            check_close(x, load ? 2 : 1, 1e-9);
            check_close(y, load ? 0 : 8, 1e-8);
            if (a != 2) check_below(out.iterations[CONE_NEWTON], 12); /* the first step goes from 0 to 18 */
            small_destroy(s);
        }
}

/* Belt: friction with a constant normal force, no gap. */
static void constant_reservoir(void **state) {
    (void)state;
    zn_ball ball = {2, 0.5};
    for (int a = 0; a < 3; a++) {
        small *s = small_create(NULL, 2, 2, 2);
        cone c = plain;
        c.n_balls = 1;
        c.balls = &ball;
        c.reservoir = 4;
        s->p.cones = &c;
        s->p.n_cones = 1;
        for (int i = 0; i < 2; i++) s->B[i + LD * i] = s->C[i + LD * i] = 1;
        s->f[0] = 3;
        s->f[1] = 4;
        double x[2] = {0}, y[2] = {0};
        cone_outcome out;
        assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
        check_close(x[0], 1.8, 1e-9); /* |v| = 5 loses 2 along its direction */
        check_close(x[1], 2.4, 1e-9);
        s->f[0] = 1;
        s->f[1] = -1;
        assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
        check_close(x[0], 0, 1e-9);
        check_close(y[1], 1, 1e-9);
        small_destroy(s);
    }
}

/* Position level decides whether the velocity inclusion holds: x = (q, u), q = q* + k, u = u* + L. */
static void gates(void **state) {
    (void)state;
    struct {
        double q, u, k, L;
    } known[] = {{-0.1, -2, 0.1, 2}, {0.1, -2, 0, 0}, {-0.1, 2, 0.1, 0}};
    for (size_t i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) {
            small *s = small_create(NULL, 2, 2, 2);
            cone c[2] = {plain, plain};
            c[0].psi_N = c[0].mu_N = 0;
            c[1].psi_N = c[1].mu_N = 1;
            c[1].gate_kind = CONE_IF_CLOSED;
            c[1].gate = 0;
            s->p.cones = c;
            s->p.n_cones = 2;
            for (int k = 0; k < 2; k++) s->B[k + LD * k] = s->C[k + LD * k] = 1;
            s->f[0] = known[i].q;
            s->f[1] = known[i].u;
            double x[2] = {0}, y[2] = {3, 3};
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
            check_close(y[0], known[i].k, 1e-9);
            check_close(y[1], known[i].L, 1e-9);
            c[0].gate_kind = CONE_OFF;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
            check_close(y[0], 0, 1e-9);
            check_close(y[1], 0, 1e-9);
            small_destroy(s);
        }
}

/* Velocity level slips -> acceleration level follows the direction of `d` with its own radius; sticks, or slips no faster than round-off ->
 * inclusion.
 * y = (P_F, l_F), x = (u, a); reservoirs 1 (velocity) and 2 (acceleration), psi = (u, a, d). */
static void guided_friction(void **state) {
    (void)state;
    zn_ball ball = {1, 1};
    for (int a = 0; a < 3; a++)
        for (int slips = 0; slips < 3; slips++) {
            small *s = small_create(NULL, 2, 2, 3);
            cone c[2] = {plain, plain};
            c[0].n_balls = c[1].n_balls = 1;
            c[0].balls = c[1].balls = &ball;
            c[0].reservoir = 1;
            c[1].reservoir = 2;
            c[1].psi_F = c[1].mu_F = 1;
            c[1].stick_of = 0;
            c[1].psi_D = 2;
            s->p.cones = c;
            s->p.n_cones = 2;
            for (int k = 0; k < 2; k++) s->B[k + LD * k] = s->C[k + LD * k] = 1;
            s->C[2 + LD * 0] = 1; /* d = u */
            s->f[0] = slips == 2 ? -1 - 1e-13 : slips ? -3 : 0.5;
            s->f[1] = 0.7;
            double x[2] = {0}, y[2] = {0};
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
            check_close(y[0], slips ? 1 : -0.5, 1e-9);
            check_close(y[1], slips == 1 ? 2 : -0.7, 1e-9); /* slip backwards pushes forwards with the full radius */
            small_destroy(s);
        }
}

/* Two stages: x_i = v + sum_j a_ij y_j with A of Radau IIA 2, psi_i = x_i >= 0 with mu = A y: mu_i = max(0, -v). */
static void stages(void **state) {
    (void)state;
    static const double A[4] = {5.0 / 12, 3.0 / 4, -1.0 / 12, 1.0 / 4};
    static const int start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
    for (int a = 0; a < 3; a++)
        for (int side = -1; side <= 1; side += 2) {
            small *s = small_create(NULL, 2, 2, 2);
            cone c[2] = {plain, plain};
            for (int k = 0; k < 2; k++) {
                c[k].psi_N = c[k].mu_N = k;
                s->C[k + LD * k] = 1;
                s->f[k] = side * 2;
                for (int j = 0; j < 2; j++) s->B[k + LD * j] = A[k + 2 * j];
            }
            double rho[2] = {0.5, 0.5}, mu_0[2] = {0.25, 0}, x[2] = {0}, y[2] = {0};
            s->p.cones = c;
            s->p.n_cones = 2;
            s->p.A = (zn_pattern){2, 2, start, index};
            s->p.A_values = A;
            s->p.mu_0 = mu_0;
            s->p.rho = rho;
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_OK);
            for (int k = 0; k < 2; k++) {
                double mu = A[k] * y[0] + A[k + 2] * y[1] + mu_0[k];
                check_close(fmin(mu, x[k]), 0, 1e-9);
            }
            check_close(x[1], side > 0 ? 2 : 0, 1e-9);
            check_close(x[0], side > 0 ? 1.75 : 0, 1e-9); /* mu_0 is pulled back where the contact is open */
            small_destroy(s);
        }
}

/* A body in front of two walls with these normals. */
static small *two_walls(cone c[2], double first, double second) {
    small *s = small_create(NULL, 1, 2, 2);
    for (int k = 0; k < 2; k++) {
        c[k] = plain;
        c[k].psi_N = c[k].mu_N = k;
        s->B[LD * k] = s->C[k] = k ? second : first;
    }
    s->p.cones = c;
    s->p.n_cones = 2;
    return s;
}

/* The same wall twice: the sum of the multipliers is unique, the least norm shares it equally. */
static void redundant_contacts(void **state) {
    (void)state;
    for (int a = 0; a < 3; a++) {
        cone c[2];
        small *s = two_walls(c, 1, 1);
        double rho[2] = {0.5, 0.5}, x = 0, y[2] = {0};
        s->p.rho = rho;
        s->f[0] = -3;
        cone_outcome out;
        zn_status status = solve(s, all_solvers[a], &x, y, &out);
        assert_int_equal(status, ZN_OK);
        check_close(x, 0, 1e-9);
        check_close(y[0] + y[1], 3, 1e-9);
        if (all_solvers[a] != ZN_SOLVER_PROJECTION) {
            assert_int_equal(out.path, CONE_LEAST_NORM);
            check_close(y[0], 1.5, 1e-9);
        }
        small_destroy(s);
    }
}

/* phi_x = [1 w' ; w 0] with the same joint twice: x = (u, l1, l2), u = 0 held by l1 + l2 = -v, one contact beside it. */
static void redundant_joints(void **state) {
    (void)state;
    small *s = small_create(NULL, 4, 1, 1);
    memset(s->K, 0, sizeof s->K);
    s->K[0] = 1;
    s->K[LD * 1] = s->K[LD * 2] = -1;
    s->K[1] = s->K[2] = 1;
    s->K[3 + LD * 3] = 1;
    s->f[0] = 4;
    s->f[3] = -5;
    s->B[3] = 1;
    s->C[LD * 3] = 1;
    cone c = plain;
    c.psi_N = c.mu_N = 0;
    s->p.cones = &c;
    s->p.n_cones = 1;
    s->p.n_settled = 1;
    for (int a = 0; a < 3; a += 2) {
        double x[4] = {0}, y = 0;
        cone_outcome out;
        assert_int_equal(solve(s, all_solvers[a], x, &y, &out), ZN_OK);
        check_close(x[0], 0, 1e-9);
        check_close(x[1] + x[2], -4, 1e-9);
        check_close(x[3], 0, 1e-9);
        check_close(y, 5, 1e-9);
        if (a == 0) assert_int_equal(out.path, CONE_LEAST_NORM);
    }
    small_destroy(s);
}

/* Two joints u = 0 and u + d w = r that were meant to be one, d = 1e-7: w, which is pushed, is not locked by them, u lies between
 * them, both bear the same, and a contact beside them is exact. More than is allowed is no solution. */
static void joints_that_contradict(void **state) {
    (void)state;
    enum { U, W, Z, ONE, TWO, NX };
    const double d = 1e-7;
    static const double r[] = {0, 3e-9, -8e-7, 3e-5};
    for (int k = 0; k < 4; k++) {
        small *s = small_create(NULL, NX, 1, 1);
        s->K[ONE + LD * ONE] = s->K[TWO + LD * TWO] = 0;
        s->K[U + LD * ONE] = s->K[U + LD * TWO] = -1;
        s->K[W + LD * TWO] = -d;
        s->K[ONE + LD * U] = s->K[TWO + LD * U] = 1;
        s->K[TWO + LD * W] = d;
        s->f[U] = 4, s->f[W] = 1, s->f[Z] = -5, s->f[TWO] = r[k];
        s->B[Z] = 1;
        s->C[LD * Z] = 1;
        cone c = plain;
        c.psi_N = c.mu_N = 0;
        s->p.cones = &c;
        s->p.n_cones = 1;
        s->p.n_settled = ONE;
        cone_settings settings = cone_settings_default();
        settings.contradiction = 1e-6;
        settings.projection_max = 100;
        cone_solver *solver = cone_solver_create(s->context, &s->p, &settings);
        assert_non_null(solver);
        double x[NX] = {0}, y = 0;
        cone_outcome out;
        zn_status status = cone_solve(solver, x, &y, &out);
        if (k == 3) assert_int_not_equal(status, ZN_OK);
        else {
            assert_int_equal(status, ZN_OK);
            check_close(x[W], 1, 1e-6);
            check_close(x[U], (r[k] - d) / 2, 1e-10);
            check_close(x[ONE] + x[TWO], x[U] - 4, 1e-10);
            check_close(x[ONE], x[TWO], 1e-5);
            check_close(x[Z], 0, 1e-10);
            check_close(y, 5, 1e-10);
            check_close(out.worst, fabs(r[k] - d) / 2, 1e-10); /* reported as it is */
        }
        cone_solver_destroy(solver);
        small_destroy(s);
    }
}

/* A body between walls that overlap: x >= 1 and x <= -1. No method may call anything a solution. */
static void infeasible(void **state) {
    (void)state;
    for (int a = 0; a < 3; a++) {
        cone c[2];
        small *s = two_walls(c, 1, -1);
        s->d[0] = s->d[1] = -1;
        double x = 0, y[2] = {0};
        cone_outcome out;
        zn_status status = solve(s, all_solvers[a], &x, y, &out);
        assert_true(status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR);
        assert_true(out.worst > 1e-3);
        assert_true(out.worst_cone >= 0 && isfinite(x) && isfinite(y[0]) && isfinite(y[1]));
        small_destroy(s);
    }
}

/* phi without a solution: 0 x = 1. */
static void singular(void **state) {
    (void)state;
    for (int a = 0; a < 3; a++) {
        small *s = small_create(NULL, 2, 0, 0);
        s->K[0] = 0;
        s->f[0] = 1;
        double x[2] = {0};
        cone_outcome out;
        zn_status status = solve(s, all_solvers[a], x, NULL, &out);
        assert_true(status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR);
        assert_int_equal(out.worst_row, 0);
        small_destroy(s);
    }
}

static void not_finite(void **state) {
    (void)state;
    zn_ball ball = {1, 0.5};
    cone c;
    for (int a = 0; a < 3; a++)
        for (int kind = 0; kind < 3; kind++) {
            small *s = block_on_floor(kind == 0 ? NAN : 1, -1, &ball, &c);
            s->nan_after = kind == 1;
            s->refuse = kind == 2;
            double x[2] = {0}, y[2] = {0};
            cone_outcome out;
            assert_int_equal(solve(s, all_solvers[a], x, y, &out), ZN_ERROR_NOT_FINITE);
            small_destroy(s);
        }
}

/* Every allocation of create may fail; solve takes none. */
static void memory(void **state) {
    (void)state;
    counting_allocator counter = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&counter);
    small *s = small_create(context, 2, 2, 2);
    zn_ball ball = {1, 0.5};
    cone cones[1] = {{.psi_N = 0, .mu_N = 0, .psi_F = 1, .mu_F = 1, .n_balls = 1, .balls = &ball, .mu_R = 0, .stick_of = -1}};
    for (int i = 0; i < 2; i++) s->B[i + LD * i] = s->C[i + LD * i] = 1;
    s->f[0] = s->f[1] = -1;
    s->p.cones = cones;
    s->p.n_cones = 1;
    cone_solver *solver = NULL;
    int failures = 0;
    for (long allowed = 0; !solver; allowed++) {
        counting_allow(&counter, allowed);
        solver = cone_solver_create(context, &s->p, NULL);
        if (!solver) failures++;
        assert_true(allowed < 1000);
    }
    assert_true(failures > 20);
    zn_error_clear(context);
    counting_allow(&counter, 0); /* none left: a solve that asks for memory would fail */
    long before = counter.requests;
    for (int k = 0; k < 3; k++) {
        double x[2] = {0}, y[2] = {0};
        cone_outcome out;
        s->f[0] = -1 - k;
        assert_int_equal(cone_solve(solver, x, y, &out), ZN_OK);
        assert_true(cone_is_closed(solver, 0));
        assert_int_equal(counter.requests, before);
    }
    cone_solver_destroy(solver);
    small_destroy(s);
}

static void wrong_descriptions(void **state) {
    (void)state;
    small *s = small_create(NULL, 1, 1, 1);
    zn_ball ball = {1, 0.5}, bad_ball = {1, -0.5};
    cone wrong[] = {plain, plain, plain, plain, plain, plain};
    wrong[0].psi_N = 1;
    wrong[0].mu_N = 0;
    wrong[1].psi_N = 0;
    wrong[1].mu_N = 1;
    wrong[2].n_balls = 1;
    wrong[2].balls = &ball;
    wrong[2].mu_F = 1;
    wrong[3].gate_kind = CONE_IF_CLOSED; /* itself */
    wrong[4].mu_R = 1;
    wrong[5].n_balls = 1;
    wrong[5].balls = &bad_ball;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        s->p.cones = &wrong[k];
        s->p.n_cones = 1;
        assert_null(cone_solver_create(s->context, &s->p, NULL));
        assert_int_equal(zn_error_count(s->context), 1);
        zn_error_clear(s->context);
    }
    small_destroy(s);
}

static zn_status solve_noisy(small *s, zn_solver solver, bool expected, double x[2], cone_outcome *out) {
    cone_settings settings = cone_settings_default();
    settings.solver = solver;
    cone_solver *c = cone_solver_create(s->context, &s->p, &settings);
    cone_expect_noise(c, (cone_expected){.noise = expected ? INFINITY : 0, .velocity = 1e-13, .length = 1e-13});
    zn_status status = cone_solve(c, x, NULL, out);
    cone_solver_destroy(c);
    return status;
}

/* Round-off of phi above the tolerance: a solution where it is expected, and reported; an error where it is not. */
static void round_off(void **state) {
    (void)state;
    for (int expected = 0; expected < 2; expected++)
        for (int i = 0; i < 2; i++) {
            zn_solver solver = i ? ZN_SOLVER_PROJECTION : ZN_SOLVER_NEWTON;
            if (!expected && i) continue; /* thousands of projections would hit 1e-10 by chance */
            small *s = small_create(NULL, 1, 0, 0);
            s->f[0] = 1;
            s->cubic = 0.1;
            s->noise = 5e-7;
            double x[2] = {0.5};
            cone_outcome out;
            assert_int_equal(solve_noisy(s, solver, expected, x, &out) == ZN_OK, expected);
            assert_int_equal(out.roundoff, expected);
            assert_true(out.worst > 1e-10 && out.worst < 1e-6);
            check_close(x[0] + 0.1 * x[0] * x[0] * x[0], 1, 2e-6);
            small_destroy(s);
        }
}

/* What no iteration gets below is no excuse by itself: phi must be noise. */
static void no_round_off(void **state) {
    (void)state;
    const zn_solver solvers[] = {ZN_SOLVER_NEWTON, ZN_SOLVER_PROJECTION, ZN_SOLVER_AUTO};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        cone_outcome out;
        double x[2] = {5e-3};
        small *s = small_create(NULL, 1, 0, 0); /* x^3 = 0: the derivative vanishes, the residual falls by 8/27 in each step */
        s->K[0] = 0;
        s->cubic = 1;
        assert_int_equal(solve_noisy(s, solvers[i], true, x, &out), ZN_OK);
        assert_int_equal(out.roundoff, 0);
        check_below(out.worst, 1e-10);
        small_destroy(s);

        s = small_create(NULL, 1, 0, 0); /* |x| + 5e-7 = 0: to and fro */
        s->K[0] = 0;
        s->edge = 1;
        s->f[0] = -5e-7;
        x[0] = 1e-6;
        assert_int_not_equal(solve_noisy(s, solvers[i], true, x, &out), ZN_OK);
        assert_int_equal(out.roundoff, 0);
        check_close(fabs(x[0]) + 5e-7, out.worst, 1e-15); /* what is reported is what is returned, the best that was found */
        check_below(out.worst, 1.5e-6);
        small_destroy(s);

        s = small_create(NULL, 2, 0, 0); /* noise of a balance does not excuse a length */
        const unsigned char units[] = {CONE_MOMENTUM, CONE_LENGTH};
        s->p.phi_unit = units;
        s->K[1 + LD] = 0;
        s->f[0] = s->edge = 1;
        s->noise = 1e-6;
        s->f[1] = -5e-7;
        x[0] = 0.5, x[1] = 1e-6;
        assert_int_not_equal(solve_noisy(s, solvers[i], true, x, &out), ZN_OK);
        assert_int_equal(out.roundoff, 0);
        small_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact),
        cmocka_unit_test(a_good_start_is_made_better),
        cmocka_unit_test(nonlinear_stop),
        cmocka_unit_test(constant_reservoir),
        cmocka_unit_test(gates),
        cmocka_unit_test(guided_friction),
        cmocka_unit_test(stages),
        cmocka_unit_test(redundant_contacts),
        cmocka_unit_test(redundant_joints),
        cmocka_unit_test(infeasible),
        cmocka_unit_test(joints_that_contradict),
        cmocka_unit_test(singular),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(memory),
        cmocka_unit_test(wrong_descriptions),
        cmocka_unit_test(round_off),
        cmocka_unit_test(no_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
