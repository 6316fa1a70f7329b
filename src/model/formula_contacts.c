/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of formula models: gap and slip rows, restitution, and friction laws as balls over scaled rows.
 *
 * A reservoir with semi-axes a_i mu lambda_N is a ball of radius mu lambda_N for the rows gamma_F = a gamma_T (then the
 * physical force is lambda_T = a lambda_F); a rectangle is a ball of dimension one for each row.
 * Stribeck adds the smooth force (mu_s - mu_d) lambda_N (2/pi) arctan(eps |gamma_T|) gamma_T / |gamma_T|.                   */
#include "law/law.h"
#include "model/formula.h"

typedef struct contact_build {
    formula_system *system;
    zn_context *context;
    const expr_scope *scope;
    const char *name;   /* of the contact at work */
    int row_F, n_balls; /* used so far, over all contacts */
    int first_F;
} contact_build;

static zn_status ranged_number(contact_build *build, const formula_text *text, const char *what, double low, double high, double *out) {
    zn_status status = formula_number(build->system, build->context, build->scope, text, 0, what, out);
    if (status == ZN_OK && !(*out >= low && *out <= high)) {
        if (isinf(high))
            return formula_fail(build->context, text, build->name, "the %s of '%s' must not be negative, but is %g", what, build->name,
                                *out);
        return formula_fail(build->context, text, build->name, "the %s of '%s' must be between %g and %g, but is %g", what, build->name,
                            low, high, *out);
    }
    return status;
}

/* Balls and row scales of one law from its coefficients. */
static zn_status add_balls(contact_build *build, const friction_text *law, const double *mu) {
    formula_system *s = build->system;
    law_reservoir reservoir = {.kind = law->reservoir, .dim = law->n_slips};
    memcpy(reservoir.mu, mu, (size_t)law->n_slips * sizeof *mu);
    zn_status status = ranged_number(build, &law->radius, "contact radius", 0, INFINITY, &reservoir.radius);
    if (status != ZN_OK) return status;
    const char *why;
    int balls = law_balls(&reservoir, &s->scales[build->row_F - build->first_F], &s->balls[build->n_balls], &why);
    if (balls < 0) return formula_fail(build->context, &law->slips[0], build->name, "the friction law of '%s': %s", build->name, why);
    build->n_balls += balls;
    return ZN_OK;
}

void formula_stribeck(formula_system *s, int n, const expr *slip, expr size, expr eps, bool applied) {
    const double rest = 1e-24; /* of |gamma|^2: below it arctan(eps g)/g = eps to the last digit, for eps up to 1e4 */
    expr_graph *g = s->graph;
    expr speed2 = expr_constant(g, 0);
    for (int i = 0; i < n; i++) speed2 = expr_binary(g, EXPR_ADD, speed2, expr_binary(g, EXPR_MUL, slip[i], slip[i]));
    expr speed = expr_unary(g, EXPR_SQRT, speed2);
    expr quotient = expr_binary(g, EXPR_DIV, expr_unary(g, EXPR_ATAN, expr_binary(g, EXPR_MUL, eps, speed)), speed);
    expr factor = expr_if(g, expr_binary(g, EXPR_LESS, expr_constant(g, rest), speed2), quotient, eps);
    for (int i = 0; i < n; i++) {
        expr along = n == 1 ? expr_unary(g, EXPR_ATAN, expr_binary(g, EXPR_MUL, eps, slip[0])) : expr_binary(g, EXPR_MUL, factor, slip[i]);
        expr force = expr_binary(g, EXPR_MUL, size, along);
        for (int k = 0; k < s->size.nu; k++) {
            expr share = expr_binary(g, EXPR_MUL, expr_derivative(g, slip[i], s->u + k), force);
            if (!applied) {
                s->force[k] = expr_binary(g, EXPR_ADD, s->force[k], share);
                continue;
            }
            s->h[k] = expr_binary(g, EXPR_ADD, s->h[k], share);
            s->b[k] = expr_binary(g, EXPR_ADD, s->b[k], share);
            s->power = expr_binary(g, EXPR_ADD, s->power, expr_binary(g, EXPR_MUL, share, expr_variable(g, s->u + k)));
        }
    }
}

static void add_stribeck(contact_build *build, const friction_text *law, const expr *slip, double mu_s, double mu_d, double rate,
                         const zn_contact *contact) {
    formula_system *s = build->system;
    expr_graph *g = s->graph;
    bool applied = contact->row_N < 0;
    expr normal = applied ? expr_constant(g, contact->normal_force) : expr_variable(g, s->lambda + contact->row_N);
    expr size = expr_binary(g, EXPR_MUL, expr_constant(g, (mu_s - mu_d) * 2 / acos(-1.0)), normal);
    formula_stribeck(s, law->n_slips, slip, size, expr_constant(g, rate), applied);
}

static zn_status check_stribeck(contact_build *build, const friction_text *law, const expr *slip, const double *mu,
                                const zn_contact *contact) {
    double mu_d, rate;
    zn_status status = ranged_number(build, &law->stribeck_dynamic, "dynamic friction", 0, INFINITY, &mu_d);
    if (status == ZN_OK) status = ranged_number(build, &law->stribeck_rate, "Stribeck rate", 0, INFINITY, &rate);
    if (status != ZN_OK) return status;
    if (mu_d > mu[0])
        return formula_fail(build->context, &law->stribeck_dynamic, build->name,
                            "the dynamic friction %g of '%s' must not be above the static friction %g", mu_d, build->name, mu[0]);
    for (int i = 1; i < law->n_slips; i++)
        if (mu[i] != mu[0])
            return formula_fail(build->context, &law->stribeck_dynamic, build->name,
                                "a Stribeck law of '%s' needs one coefficient of static friction", build->name);
    add_stribeck(build, law, slip, mu[0], mu_d, rate, contact);
    return ZN_OK;
}

static zn_status add_law(contact_build *build, const friction_text *law, const zn_contact *contact) {
    formula_system *s = build->system;
    double mu[LAW_DIM_MAX];
    expr slip[LAW_DIM_MAX];
    if (law->n_slips > LAW_DIM_MAX)
        return formula_fail(build->context, &law->slips[0], build->name, "'%s' has a law with more than %d slip velocities", build->name,
                            LAW_DIM_MAX);
    for (int i = 0; i < law->n_slips; i++) {
        formula_row row;
        zn_status given = formula_velocity_row(s, build->context, build->scope, &law->slips[i], build->name, "slip velocity", &row);
        if (given != ZN_OK) return given;
        slip[i] = row.c1;
        given = ranged_number(build, &law->friction[law->n_friction == 1 ? 0 : i], "friction", 0, INFINITY, &mu[i]);
        if (given != ZN_OK) return given;
    }
    zn_status status = add_balls(build, law, mu);
    if (status != ZN_OK) return status;
    const double *scale = &s->scales[build->row_F - build->first_F];
    for (int i = 0; i < law->n_slips; i++)
        s->rows[build->row_F + i] = (formula_row){EXPR_NONE, expr_binary(s->graph, EXPR_MUL, expr_constant(s->graph, scale[i]), slip[i])};
    build->row_F += law->n_slips;
    return law->stribeck_dynamic.text ? check_stribeck(build, law, slip, mu, contact) : ZN_OK;
}

static zn_status add_normal(contact_build *build, const contact_text *text, int row_N, zn_contact *contact) {
    formula_system *s = build->system;
    if (text->gap.text && text->normal_force.text)
        return formula_fail(build->context, &text->normal_force, text->name,
                            "'%s' has a gap, so its normal force follows and cannot be given", text->name);
    if (!text->gap.text && !text->normal_force.text) {
        error_place place = {.subject = text->name, .time = NAN};
        return fail_at(build->context, ZN_ERROR_MODEL, &place, "the contact '%s' has neither a gap nor a normal_force", text->name);
    }
    contact->row_N = text->gap.text ? row_N : -1;
    if (!text->gap.text) return ranged_number(build, &text->normal_force, "normal force", 0, INFINITY, &contact->normal_force);
    return formula_position_row(s, build->context, build->scope, &text->gap, text->name, "gap", &s->rows[row_N]);
}

static zn_status add_contact(contact_build *build, const contact_text *text, int row_N, zn_contact *contact) {
    formula_system *s = build->system;
    *contact = (zn_contact){
        .name = build->name, .row_F = build->row_F, .balls = &s->balls[build->n_balls], .scale = &s->scales[build->row_F - build->first_F]};
    int balls_before = build->n_balls;
    zn_status all = add_normal(build, text, row_N, contact), one;
    if ((one = ranged_number(build, &text->restitution, "restitution", 0, 1, &contact->e_N)) != ZN_OK) all = one;
    if ((one = ranged_number(build, &text->tangential_restitution, "tangential restitution", 0, 1, &contact->e_F)) != ZN_OK) all = one;
    for (int i = 0; i < text->n_laws; i++)
        if ((one = add_law(build, &text->laws[i], contact)) != ZN_OK) all = one;
    contact->nF = build->row_F - contact->row_F;
    contact->n_balls = build->n_balls - balls_before;
    return all;
}

zn_status formula_system_contacts(const zn_formula_model *builder, formula_system *s, const expr_scope *scope) {
    int first_N = s->size.ng + s->size.ny, first_F = first_N + s->size.nN;
    contact_build build = {.system = s, .context = builder->context, .scope = scope, .row_F = first_F, .first_F = first_F};
    zn_status all = ZN_OK;
    for (int k = 0, row_N = first_N; k < s->size.n_contacts; k++) {
        const contact_text *text = &builder->contacts[k];
        if (!text->name || !(s->contact_names[k] = mem_text(builder->context, text->name))) return ZN_ERROR_MEMORY;
        build.name = s->contact_names[k];
        for (int i = 0; i < k; i++)
            if (strcmp(s->contact_names[i], build.name) == 0)
                all = formula_fail(builder->context, &text->gap, build.name, "there are two contacts named '%s'", build.name);
        zn_status one = add_contact(&build, text, row_N, &s->contacts[k]);
        if (one != ZN_OK) all = one;
        row_N += text->gap.text != NULL;
    }
    return all;
}
