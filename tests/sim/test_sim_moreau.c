/* SPDX-License-Identifier: Apache-2.0 */
/* Moreau's schemes through the public API, against analytic motions. */
#include "check.h"

#include "zeno/zeno.h"

#define F(text) ZN_FORMULA(text)
static const zn_formula NONE = {0};

typedef struct ball {
    zn_context *context;
    zn_model *model;
    zn_simulation *simulation;
} ball;

/* The rotating ball of 002: 7.1 with g = 10. */
static ball make_ball(const char *omega, const char *e_N, zn_settings settings) {
    ball b = {.context = zn_context_create(NULL)};
    zn_formula_model *f = zn_formula_model_create(b.context);
    zn_formula_parameter(f, "omega", F(omega));
    zn_formula_parameter(f, "R", F("0.1"));
    zn_formula_parameter(f, "m", F("1"));
    zn_formula_coordinate(f, "x", NONE, NONE);
    zn_formula_coordinate(f, "y", F("1"), NONE);
    zn_formula_coordinate(f, "phi", NONE, F("omega"));
    zn_formula_energy(f, F("m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2"), F("m*10*y"));
    zn_formula slip = F("x' + R*phi'"), mu = F("0.2");
    zn_friction_def law = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &mu};
    zn_contact_def floor = {.gap = F("y - R"), .restitution = F(e_N), .n_laws = 1, .laws = &law};
    assert_int_equal(zn_formula_contact(f, "floor", &floor), ZN_OK);
    assert_int_equal(zn_formula_model_build(f, &b.model), ZN_OK);
    zn_formula_model_destroy(f);
    zn_status status = zn_simulation_create(b.context, b.model, &settings, &b.simulation);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(b.context));
    assert_int_equal(status, ZN_OK);
    return b;
}

static void free_ball(ball *b) {
    zn_simulation_destroy(b->simulation);
    zn_model_destroy(b->context, b->model);
    zn_context_destroy(b->context);
}

static zn_settings settings_of(const char *scheme, double step, double end) {
    zn_settings settings = zn_settings_default();
    settings.scheme = scheme;
    settings.step = step;
    settings.end = end;
    return settings;
}

/* Case 2: slides after the impact with friction -mu P_N, then rolls with the velocities of the analytic solution. */
static void spinning_ball_slides_then_rolls(void **state) {
    (void)state;
    ball b = make_ball("50", "0", settings_of("moreau-midpoint", 1e-2, 1));
    double impact = 0, friction = 0, impact_time = 0;
    while (!zn_simulation_done(b.simulation)) {
        assert_int_equal(zn_simulation_step(b.simulation), ZN_OK);
        const double *P = zn_simulation_percussions(b.simulation);
        if (P[0] > impact) impact = P[0], friction = P[1], impact_time = zn_simulation_time(b.simulation);
    }
    print_message("impact %g at %g, friction %g\n", impact, impact_time, friction);
    const double *u = zn_simulation_velocities(b.simulation);
    check_close(u[0], -10.0 / 7, 1e-9);
    check_close(u[1], 0, 1e-12);
    check_close(u[2], 100.0 / 7, 1e-8);
    check_close(friction, -0.2 * impact, 1e-12);
    zn_statistics s = zn_simulation_statistics(b.simulation);
    print_message("newton %g %d, projection %ld, penetration %g\n", s.newton_mean, s.newton_max, s.projection_steps, s.max_penetration);
    free_ball(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_ball_slides_then_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
