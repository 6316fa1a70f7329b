/* SPDX-License-Identifier: Apache-2.0 */
/* Models from callbacks: a bouncing pendulum-like system by hand against the same by formulas; descriptions that are wrong. */
#include "base/counting_allocator.h"
#include "check.h"

#include "zeno/zeno.h"

#include <string.h>

/* A point mass in the plane on a rod of length 1 (constraint (x^2 + y^2 - 1)/2) above a floor at y = -0.9 with friction. */
static const double m = 2, g = 9.81;

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    (void)model, (void)work;
    double x = at->q[0], y = at->q[1], ax = at->a ? at->a[0] : 0, ay = at->a ? at->a[1] : 0;
    double rod = at->lambda ? at->lambda[0] : 0, normal = at->lambda ? at->lambda[1] : 0, friction = at->lambda ? at->lambda[2] : 0;
    if (out->r) {
        out->r[0] = m * ax - x * rod - friction;
        out->r[1] = m * ay + (out->no_force ? 0 : m * g) - y * rod - normal;
    }
    if (out->r_q) memcpy(out->r_q, (double[]){-rod, 0, 0, -rod}, 4 * sizeof(double));
    if (out->r_u) memset(out->r_u, 0, 4 * sizeof(double));
    if (out->M) memcpy(out->M, (double[]){m, 0, 0, m}, 4 * sizeof(double));
    if (out->W) memcpy(out->W, (double[]){x, y, 0, 1, 1, 0}, 6 * sizeof(double));
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    (void)model, (void)work;
    double x = at->q[0], y = at->q[1], vx = at->u ? at->u[0] : 0, vy = at->u ? at->u[1] : 0;
    double ax = at->a ? at->a[0] : 0, ay = at->a ? at->a[1] : 0;
    if (out->c0) memcpy(out->c0, (double[]){(x * x + y * y - 1) / 2, y + 0.9, 0}, 3 * sizeof(double));
    if (out->c0_q) memcpy(out->c0_q, (double[]){x, 0, 0, y, 1, 0}, 6 * sizeof(double));
    if (out->c1) memcpy(out->c1, (double[]){x * vx + y * vy, vy, vx}, 3 * sizeof(double));
    if (out->c1_q) memcpy(out->c1_q, (double[]){vx, 0, 0, vy, 0, 0}, 6 * sizeof(double));
    if (out->c1_u) memcpy(out->c1_u, (double[]){x, y, 0, 1, 1, 0}, 6 * sizeof(double));
    if (out->c2) memcpy(out->c2, (double[]){x * ax + y * ay + vx * vx + vy * vy, ay, ax}, 3 * sizeof(double));
    if (out->c2_q) memcpy(out->c2_q, (double[]){ax, 0, 0, ay, 0, 0}, 6 * sizeof(double));
    if (out->c2_u) memcpy(out->c2_u, (double[]){2 * vx, 0, 0, 2 * vy, 0, 0}, 6 * sizeof(double));
    return 0;
}

static const zn_ball law = {1, 0.3};
static const zn_contact floor_contact = {.name = "floor", .row_N = 1, .e_N = 0.5, .row_F = 2, .nF = 1, .n_balls = 1, .balls = &law};
static const double start[2] = {1, 0};

static zn_model description(void) {
    return (zn_model){.size = {.nq = 2, .nu = 2, .ng = 1, .nN = 1, .nF = 1, .n_contacts = 1},
                      .contacts = &floor_contact,
                      .natural = true,
                      .q_start = start,
                      .balance = balance,
                      .constraints = constraints};
}

static zn_model *by_formulas(zn_context *context) {
    zn_formula_model *b = zn_formula_model_create(context);
    zn_formula none = {0}, slip = ZN_FORMULA("x'"), mu = ZN_FORMULA("0.3");
    zn_formula_coordinate(b, "x", ZN_FORMULA("1"), none);
    zn_formula_coordinate(b, "y", none, none);
    zn_formula_energy(b, ZN_FORMULA("x'^2 + y'^2"), ZN_FORMULA("2*9.81*y"));
    zn_formula_position_constraint(b, "rod", ZN_FORMULA("(x^2 + y^2 - 1)/2"));
    zn_friction_def friction = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &mu};
    zn_contact_def contact = {.gap = ZN_FORMULA("y + 0.9"), .restitution = ZN_FORMULA("0.5"), .n_laws = 1, .laws = &friction};
    zn_formula_contact(b, "floor", &contact);
    zn_model *model = NULL;
    assert_int_equal(zn_formula_model_build(b, &model), ZN_OK);
    zn_formula_model_destroy(b);
    return model;
}

static void callbacks_agree_with_formulas(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_model def = description(), *by_hand = NULL, *formulas = by_formulas(context);
    assert_int_equal(zn_model_from_callbacks(context, &def, &by_hand), ZN_OK);
    assert_string_equal(by_hand->q_names[1], "q2");
    double q[2] = {0.7, -0.6}, u[2] = {0.3, 1.1}, a[2] = {-0.4, 2}, lambda[3] = {1.5, 0.7, -0.2};
    zn_derivative_check check;
    assert_int_equal(zn_model_check_derivatives(context, by_hand, &(zn_point){0, q, u, a, lambda}, &check), ZN_OK);
    check_below(check.worst, 1e-9);
    zn_settings settings = zn_settings_default();
    settings.step = 1e-3;
    settings.end = 2;
    zn_simulation *one, *two;
    assert_int_equal(zn_simulation_create(context, by_hand, &settings, &one), ZN_OK);
    assert_int_equal(zn_simulation_create(context, formulas, &settings, &two), ZN_OK);
    assert_int_equal(zn_simulation_run(one, NULL, NULL), ZN_OK);
    assert_int_equal(zn_simulation_run(two, NULL, NULL), ZN_OK);
    for (int i = 0; i < 2; i++) {
        check_close(zn_simulation_positions(one)[i], zn_simulation_positions(two)[i], 1e-10);
        check_close(zn_simulation_velocities(one)[i], zn_simulation_velocities(two)[i], 1e-9);
    }
    assert_true(zn_simulation_percussion_totals(one)[1] > 1); /* it did hit the floor */
    zn_simulation_destroy(one);
    zn_simulation_destroy(two);
    zn_model_destroy(context, by_hand);
    zn_model_destroy(context, formulas);
    zn_context_destroy(context);
}

static int wrong_constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    constraints(model, work, at, out);
    if (out->c1_q) out->c1_q[3] *= 1.001;
    return 0;
}

static void a_wrong_derivative_is_named(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_model def = description(), *model = NULL;
    def.constraints = wrong_constraints;
    assert_int_equal(zn_model_from_callbacks(context, &def, &model), ZN_OK);
    double q[2] = {0.7, -0.6}, u[2] = {0.3, 1.1}, a[2] = {-0.4, 2}, lambda[3] = {1.5, 0.7, -0.2};
    zn_derivative_check check;
    assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0, q, u, a, lambda}, &check), ZN_OK);
    assert_true(check.worst > 1e-4);
    assert_string_equal(check.what, "d c1/dq");
    zn_model_destroy(context, model);
    zn_context_destroy(context);
}

static int balance_near_the_rod(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    return at->q[0] > 0.7 || balance(model, work, at, out);
}

/* A question that is not answered, here where the check moves x to the right, must not count as a derivative of zero. */
static void an_unanswered_question_fails_the_check(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_model def = description(), *model = NULL;
    def.balance = balance_near_the_rod;
    def.q_start = (double[]){0.6, -0.8};
    assert_int_equal(zn_model_from_callbacks(context, &def, &model), ZN_OK);
    double q[2] = {0.7, -0.6}, u[2] = {0.3, 1.1}, a[2] = {-0.4, 2}, lambda[3] = {1.5, 0.7, -0.2};
    zn_derivative_check check;
    assert_int_equal(zn_model_check_derivatives(context, model, &(zn_point){0, q, u, a, lambda}, &check), ZN_ERROR_NOT_FINITE);
    assert_true(isnan(check.worst));
    assert_non_null(strstr(zn_error_text(context), "cannot answer"));
    zn_model_destroy(context, model);
    zn_context_destroy(context);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_ball negative = {1, -1}, wide = {2, 0.3};
    zn_contact contacts[6];
    for (int i = 0; i < 6; i++) contacts[i] = floor_contact;
    contacts[0].row_N = 0, contacts[1].row_F = 1, contacts[2].balls = &negative, contacts[3].balls = &wide, contacts[4].e_N = 1.5,
    contacts[5].nF = 2;
    zn_model bad[12];
    for (int i = 0; i < 12; i++) bad[i] = description();
    for (int i = 0; i < 6; i++) bad[i].contacts = &contacts[i];
    bad[6].balance = NULL, bad[7].constraints = NULL, bad[8].natural = false, bad[9].size.nq = 0, bad[10].lagrangian = true;
    bad[11].pattern.M = (zn_pattern){3, 2, (int[]){0, 1, 2}, (int[]){0, 1}};
    for (int i = 0; i < 12; i++) {
        zn_model *model = NULL;
        assert_int_equal(zn_model_from_callbacks(context, &bad[i], &model), ZN_ERROR_ARGUMENT);
        assert_null(model);
        assert_int_equal(zn_error_count(context), 1);
        zn_error_clear(context);
    }
    zn_context_destroy(context);
}

static void failing_memory_is_clean(void **state) {
    (void)state;
    counting_allocator memory = {.fail_at = 1};
    zn_model def = description();
    for (zn_status status = ZN_ERROR_MEMORY; status != ZN_OK; memory.fail_at++) {
        memory.requests = 0;
        zn_context *context = counting_context(&memory);
        zn_model *model = NULL;
        status = zn_model_from_callbacks(context, &def, &model);
        if (status != ZN_OK) assert_int_equal(status, ZN_ERROR_MEMORY);
        zn_model_destroy(context, model);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
    assert_true(memory.fail_at > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_agree_with_formulas),
        cmocka_unit_test(a_wrong_derivative_is_named),
        cmocka_unit_test(an_unanswered_question_fails_the_check),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(failing_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
