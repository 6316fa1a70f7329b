/* SPDX-License-Identifier: Apache-2.0 */
/* A model from formulas: a crane's cart rubs on its rail, the load hangs on a rod and swings against a wall. The same system as
 * a scene would give the same bits. */
#include <stdio.h>
#include <zeno/zeno.h>

/* Every call leaves its mistakes in the context, so looking once, when the model is built, is enough. */
static zn_status build(zn_context *context, zn_model **model) {
    zn_formula_model *b = zn_formula_model_create(context);
    if (!b) return ZN_ERROR_MEMORY;
    const zn_formula rest = {0}; /* an empty formula is zero */
    zn_formula_parameter(b, "L", ZN_FORMULA("1"));
    zn_formula_parameter(b, "phi_0", ZN_FORMULA("-pi/3"));
    zn_formula_coordinate(b, "s", rest, rest); /* the cart; x and y are the load's */
    zn_formula_coordinate(b, "x", ZN_FORMULA("L*sin(phi_0)"), rest);
    zn_formula_coordinate(b, "y", ZN_FORMULA("-L*cos(phi_0)"), rest);
    zn_formula_energy(b, ZN_FORMULA("2/2*s'^2 + 1/2*(x'^2 + y'^2)"), ZN_FORMULA("9.81*y"));
    zn_formula_force(b, "x", ZN_FORMULA("-0.01*x'"));
    zn_formula_position_constraint(b, "rod", ZN_FORMULA("((x - s)^2 + y^2 - L^2)/(2*L)"));

    const zn_formula slip = ZN_FORMULA("s'"), mu = ZN_FORMULA("0.3");
    const zn_friction_def coulomb = {.reservoir = ZN_RESERVOIR_BALL, .n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &mu};
    const zn_contact_def rail = {.normal_force = ZN_FORMULA("29.43"), .n_laws = 1, .laws = &coulomb};
    const zn_contact_def wall = {.gap = ZN_FORMULA("0.1 - x"), .restitution = ZN_FORMULA("0.8")};
    zn_formula_contact(b, "rail", &rail);
    zn_formula_contact(b, "wall", &wall);

    zn_status status = zn_formula_model_build(b, model);
    zn_formula_model_destroy(b);
    return status;
}

static zn_status simulate(zn_context *context, const zn_model *model) {
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a";
    settings.stages = 2;
    settings.step = 1e-3;
    settings.end = 5;
    zn_simulation *simulation = NULL;
    zn_status status = zn_simulation_create(context, model, &settings, &simulation);
    while (status == ZN_OK && !zn_simulation_done(simulation)) {
        status = zn_simulation_step(simulation);
        /* Percussions are in the order rod, wall (normal), rail (friction); in units of momentum. */
        const double *P = zn_simulation_percussions(simulation);
        if (status == ZN_OK && P[1] > 0) printf("wall hit in the step to t = %.3f with %.4f\n", zn_simulation_time(simulation), P[1]);
    }
    if (status == ZN_OK) {
        zn_statistics s = zn_simulation_statistics(simulation);
        printf("cart at %.6f, energy %.4f -> %.4f\n", zn_simulation_positions(simulation)[0], s.energy_start, s.energy_end);
        printf("constraints kept: %s\n", s.max_g < 1e-9 && s.max_gdot < 1e-9 && s.max_penetration < 1e-9 ? "yes" : "no");
    }
    zn_simulation_destroy(simulation);
    return status;
}

int main(void) {
    zn_context *context = zn_context_create(NULL);
    if (!context) return 1;
    zn_model *model = NULL;
    zn_status status = build(context, &model);
    if (status == ZN_OK) status = simulate(context, model);
    if (status != ZN_OK) fprintf(stderr, "%s\n", zn_error_text(context));
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    return status == ZN_OK ? 0 : 1;
}
