/* SPDX-License-Identifier: Apache-2.0 */
/* Formula models: their answers against hand-written ones, and what is refused. */
#include "check.h"

#include "model/model.h"
#include "zeno/zeno.h"

#define F(text) ZN_FORMULA(text)
static const zn_formula NONE = {0};

/* The spring pendulum: T = m/2 (l'^2 + l^2 phi'^2), V = k/2 (l - l0)^2 - m g l cos(phi). */
static zn_model *spring_pendulum(zn_context *context) {
    zn_formula_model *b = zn_formula_model_create(context);
    zn_formula_parameter(b, "m", F("1.5"));
    zn_formula_parameter(b, "k", F("100"));
    zn_formula_parameter(b, "g", F("9.81"));
    zn_formula_coordinate(b, "phi", F("pi/4"), NONE);
    zn_formula_coordinate(b, "l", F("1.1"), NONE);
    zn_formula_energy(b, F("m/2*(l'^2 + l^2*phi'^2)"), F("k/2*(l - 1)^2 - m*g*l*cos(phi)"));
    zn_formula_force(b, "l", F("-0.1*l'"));
    zn_contact_def wall = {.gap = F("phi"), .restitution = F("1")};
    assert_int_equal(zn_formula_contact(b, "wall", &wall), ZN_OK);
    zn_model *model = NULL;
    zn_status status = zn_formula_model_build(b, &model);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    zn_formula_model_destroy(b);
    return model;
}

static void answers_of_spring_pendulum(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_model *model = spring_pendulum(context);
    assert_int_equal(model->size.nq, 2);
    assert_int_equal(model->size.nN, 1);
    assert_true(model->lagrangian && model->natural && model->force_uses_velocity);
    assert_string_equal(model->u_names[1], "l'");
    check_near(model->q_start[0], acos(-1.0) / 4, 1e-15);
    void *work = test_malloc(model->work_bytes);
    double m = 1.5, k = 100, g = 9.81, q[2] = {0.3, 1.2}, u[2] = {-0.7, 0.4}, a[2] = {0.2, -0.5}, lambda[1] = {2.5}, r[2], kinetic,
           potential;
    zn_point at = {.q = q, .u = u, .a = a, .lambda = lambda};
    model->balance(model, work, &at, &(zn_balance){.r = r});
    /* phi: m l^2 phi'' + 2 m l l' phi' + m g l sin(phi) - lambda; l: m l'' - m l phi'^2 + k (l - 1) - m g cos(phi) + 0.1 l' */
    check_near(r[0], m * q[1] * q[1] * a[0] + 2 * m * q[1] * u[1] * u[0] + m * g * q[1] * sin(q[0]) - lambda[0], 1e-14);
    check_near(r[1], m * a[1] - m * q[1] * u[0] * u[0] + k * (q[1] - 1) - m * g * cos(q[0]) + 0.1 * u[1], 1e-14);
    model->energy(model, work, &at, &kinetic, &potential);
    check_near(kinetic, m / 2 * (u[1] * u[1] + q[1] * q[1] * u[0] * u[0]), 1e-15);
    check_near(potential, k / 2 * (q[1] - 1) * (q[1] - 1) - m * g * q[1] * cos(q[0]), 1e-15);
    double p[2], b[2];
    model->momentum(model, work, &at, &(zn_momentum){.p = p, .b = b});
    check_near(p[0], m * q[1] * q[1] * u[0], 1e-15);
    check_near(b[0], -m * g * q[1] * sin(q[0]), 1e-15);
    test_free(work);
    zn_model_destroy(context, model);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_spring_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
