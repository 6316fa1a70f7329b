/* SPDX-License-Identifier: Apache-2.0 */
/* Problems without a solution: the work on them is bounded, and the outcome says whether more of it would be of use. */
#include "cone/cone.h"

#include "check.h"

#include <stdlib.h>

enum { MOST = 400 };
/* psi = -1, whatever y is: no contact can be held. The second half of them is closed where the first half is, as levels of a scheme are. */
static int evaluate(void *user, const double *x, const double *y, cone_values *v) {
    const cone_problem *p = user;
    (void)x, (void)y;
    for (int i = 0; i < p->npsi && v->psi; i++) v->psi[i] = -1;
    return 0;
}

static cone_outcome solve(int n, bool hopeless, zn_solver by) {
    cone cones[MOST];
    double y[MOST] = {0};
    cone_outcome out;
    for (int k = 0; k < n; k++)
        cones[k] = (cone){.psi_N = k,
                          .mu_N = k,
                          .mu_R = -1,
                          .stick_of = -1,
                          .psi_D = -1,
                          .gate = k - n / 2,
                          .gate_kind = k < n / 2 ? CONE_ALWAYS : CONE_IF_CLOSED};
    cone_problem p = {.ny = n, .npsi = n, .nmu = n, .n_cones = n, .cones = cones, .evaluate = evaluate};
    p.user = &p;
    zn_context *context = zn_context_create(NULL);
    cone_settings settings = cone_settings_default();
    settings.solver = by;
    cone_solver *solver = cone_solver_create(context, &p, &settings);
    assert_non_null(solver);
    cone_expect_noise(solver, (cone_expected){.hopeless = hopeless});
    assert_int_equal(cone_solve(solver, NULL, y, &out), ZN_ERROR_NO_CONVERGENCE);
    check_close(out.worst, 1, 1e-12);
    cone_solver_destroy(solver);
    zn_context_destroy(context);
    return out;
}

static void small_problems_are_tried_by_all_means(void **state) {
    (void)state;
    for (int hopeless = 0; hopeless < 2; hopeless++) {
        cone_outcome out = solve(6, hopeless, ZN_SOLVER_AUTO);
        assert_true(out.end == CONE_FAILED || out.end == CONE_SMOOTH);
        assert_true(out.iterations[CONE_PROJECTION] > 100);
        assert_true(out.cost.dense > 0 && out.cost.dense < 1e6);
    }
}

/* The last system may begin just below the bound. */
static void large_problems_end(void **state) {
    (void)state;
    const double n = MOST;
    cone_outcome out = solve(MOST, true, ZN_SOLVER_AUTO);
    assert_int_equal(out.end, CONE_EXHAUSTED);
    assert_true(out.cost.dense <= 4e8 + n * n * n);
    assert_true(out.cost.swept <= 4e8 + 4 * n * n);
    out = solve(MOST, true, ZN_SOLVER_PROJECTION);
    assert_int_equal(out.end, CONE_EXHAUSTED);
    assert_true(out.iterations[CONE_PROJECTION] > 100 && out.cost.dense == 0);
    assert_true(out.cost.swept <= 4e8 + 4 * n * n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_are_tried_by_all_means),
        cmocka_unit_test(large_problems_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
