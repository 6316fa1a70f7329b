/* SPDX-License-Identifier: Apache-2.0 */
/* Random frictional contact problems, regular and redundant, judged by a measure of their own. */
#include "contact_fixture.h"

typedef struct run {
    zn_status status;
    cone_outcome out;
    double residual;
    double *x, *y;
} run;

static run solve(contacts *c, zn_solver solver, double tolerance) {
    cone_settings settings = cone_settings_default();
    settings.solver = solver;
    settings.tolerance = tolerance;
    cone_solver *s = cone_solver_create(c->context, &c->problem, &settings);
    assert_non_null(s);
    run r = {.x = calloc((size_t)c->nu, sizeof(double)), .y = calloc((size_t)(c->n * c->dim), sizeof(double))};
    memcpy(r.x, c->v, (size_t)c->nu * sizeof(double));
    r.status = cone_solve(s, r.x, r.y, &r.out);
    r.residual = contacts_residual(c, r.y);
    cone_solver_destroy(s);
    return r;
}
static void run_free(run *r) {
    free(r->x);
    free(r->y);
}

/* Complementarity and membership straight from their definitions. */
static void check_inclusions(const contacts *c, const double *r, double slack) {
    int m = c->n * c->dim;
    for (int k = 0; k < c->n; k++) {
        double u[3] = {0}, force = 0, slip = 0, power = 0;
        for (int i = 0; i < c->dim; i++) {
            u[i] = c->q[k * c->dim + i];
            for (int j = 0; j < m; j++) u[i] += c->W[k * c->dim + i + m * j] * r[j];
        }
        const double *rk = r + k * c->dim;
        check_below(-u[0], slack);
        check_below(-rk[0], slack);
        check_close(u[0] * rk[0], 0, slack);
        for (int i = 1; i < c->dim; i++) {
            force += rk[i] * rk[i];
            slip += u[i] * u[i];
            power -= u[i] * rk[i];
        }
        check_below(sqrt(force), c->mu[k] * fmax(rk[0], 0) + slack);
        check_close(power, c->mu[k] * rk[0] * sqrt(slip), slack * 10); /* maximal dissipation */
    }
}

static void solves(int n, int dim, double share, double mu, uint64_t seed, bool local) {
    int m = n * dim, nu = (int)(share * m) + 1;
    contacts *c = contacts_random(seed, n, dim, nu, mu, local);
    run r = solve(c, ZN_SOLVER_AUTO, 1e-11);
    if (r.status != ZN_OK || r.residual > 1e-10)
        print_error("n %d dim %d share %g mu %g seed %d: status %d residual %g\n", n, dim, share, mu, (int)seed, r.status, r.residual);
    assert_int_equal(r.status, ZN_OK);
    check_below(r.residual, 1e-10);
    check_below(r.out.worst, 1e-11);
    check_inclusions(c, r.y, 1e-8);
    assert_int_equal(zn_error_count(c->context), 0);
    run_free(&r);
    contacts_destroy(c);
}

static void regular_and_redundant(void **state) {
    (void)state;
    static const double shares[] = {1.3, 0.7, 0.34}, mus[] = {0, 0.3, 1, 2};
    for (int dim = 1; dim <= 3; dim++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 4; b++)
                for (uint64_t seed = 1; seed <= 3; seed++) {
                    solves(10, dim, shares[a], mus[b], seed, seed % 2);
                    if (seed == 1) solves(30, dim, shares[a], mus[b], seed, true);
                }
}

/* A contact of its own, which has closed forms: from no force, from a wrong one, from the solution. Without friction beyond
 * D_NN > mu |D_NF| there is one solution, found in one iteration. */
static void single_contact(void **state) {
    (void)state;
    int opened = 0, stuck = 0, slipped = 0;
    for (uint64_t seed = 1; seed <= 900; seed++) {
        int dim = 1 + (int)(seed % 3), nu = dim + (int)(seed % 5);
        contacts *c = contacts_random(seed, 1, dim, nu, 1, false);
        double coupling = 0, x[8], y[3] = {1, 0.3, -0.2};
        for (int i = 1; i < dim; i++) coupling = hypot(coupling, c->W[dim * i]);
        bool unique = c->W[0] > c->mu[0] * coupling;
        cone_settings settings = cone_settings_default();
        settings.tolerance = 1e-12;
        cone_solver *s = cone_solver_create(c->context, &c->problem, &settings);
        assert_non_null(s);
        run first = solve(c, ZN_SOLVER_AUTO, 1e-12);
        for (int again = 0; again < 2; again++) { /* from y above, then from what this gave */
            cone_outcome out;
            memcpy(x, c->v, (size_t)nu * sizeof(double));
            assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
            check_below(contacts_residual(c, y), 1e-10);
            check_inclusions(c, y, 1e-9);
            if (!unique) continue;
            assert_true(out.path == CONE_NEWTON && out.iterations[CONE_NEWTON] <= 1);
            for (int i = 0; i < dim; i++) check_close(y[i], first.y[i], 1e-10);
        }
        if (!cone_is_closed(s, 0)) opened++;
        else if (dim > 1) cone_sticks(s, 0, 0) ? stuck++ : slipped++;
        run_free(&first);
        cone_solver_destroy(s);
        contacts_destroy(c);
    }
    assert_true(opened > 300 && stuck > 50 && slipped > 50);
}

/* Many small ones, as a step of a scene meets them: any rank, friction up to 2. */
static void small_and_redundant(void **state) {
    (void)state;
    for (int n = 2; n <= 5; n++)
        for (int dim = 2; dim <= 3; dim++)
            for (int nu = 1; nu <= n * dim; nu++)
                for (uint64_t seed = 1; seed <= 12; seed++) solves(n, dim, (nu - 0.5) / (n * dim), 2, seed + 31 * (uint64_t)nu, seed % 2);
}

/* The ball in the corner on velocity level: sticking at both planes is inconsistent by 1e-6, the only solution is wedged, with
 * both friction forces near their limit, far along the direction (1, 1, -1, 1) that changes no velocity. */
static void wedged_in_a_corner(void **state) {
    (void)state;
    static const double W[16] = {1, 0, 0, -1, 0, 1, 1, 0, 0, 1, 3.5, 2.5, -1, 0, 2.5, 3.5};
    static const double q[4] = {-0.07071437075270565, -0.0707106781186389, -0.07071313987474051, 0.07071067811858707};
    static const int order[4] = {0, 2, 1, 3}; /* here contact by contact */
    contacts *c = contacts_create(2, 2, 3, true);
    c->mu[0] = c->mu[1] = 0.3;
    contacts_finish(c);
    for (int i = 0; i < 4; i++) {
        c->q[i] = q[order[i]];
        c->rho[i] = 1 / W[5 * order[i]];
        for (int j = 0; j < 4; j++) c->W[i + 4 * j] = W[order[i] + 4 * order[j]];
    }
    run r = solve(c, ZN_SOLVER_AUTO, 1e-11);
    assert_int_equal(r.status, ZN_OK);
    check_below(r.residual, 1e-10);
    check_close(r.y[0], 0.101019, 1e-6);
    check_close(r.y[1], -0.0303032, 1e-7);
    check_close(r.y[2], 0.101014, 1e-6);
    check_close(r.y[3], 0.0303042, 1e-7);
    run_free(&r);
    contacts_destroy(c);
}

static void large(void **state) {
    (void)state;
    static const double shares[] = {1.2, 0.7, 0.34};
    for (int a = 0; a < 3; a++) {
        solves(100, 2, shares[a], 2, 1, true);
        if (a == 2) solves(300, 2, shares[a], 0.5, 1, true);
    }
}

static void both_solvers_agree(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int dim = 2 + (int)(seed % 2);
        contacts *c = contacts_random(seed, 8, dim, 10 * dim, 0.8, false);
        run a = solve(c, ZN_SOLVER_NEWTON, 1e-11), b = solve(c, ZN_SOLVER_PROJECTION, 1e-11);
        assert_int_equal(a.status, ZN_OK);
        assert_int_equal(b.status, ZN_OK);
        assert_int_equal(a.out.path, CONE_NEWTON);
        assert_int_equal(b.out.path, CONE_PROJECTION);
        assert_true(a.out.iterations[CONE_NEWTON] <= 2 && b.out.iterations[CONE_NEWTON] == 0);
        for (int i = 0; i < c->nu; i++) check_close(a.x[i], b.x[i], 1e-8);
        run_free(&a);
        run_free(&b);
        contacts_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_contact),
        cmocka_unit_test(regular_and_redundant),
        cmocka_unit_test(small_and_redundant),
        cmocka_unit_test(wedged_in_a_corner),
        cmocka_unit_test(large),
        cmocka_unit_test(both_solvers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
