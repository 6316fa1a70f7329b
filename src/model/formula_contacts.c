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
    const char *name;   /* of the current contact */
    int row_F, n_balls; /* used so far, over all contacts */
    int first_F;
} contact_build;

static zn_status check_range(contact_build *build, const formula_text *text, const char *what, double low, double high, double value) {
    if (value >= low && value <= high) return ZN_OK;
    if (isinf(high))
        return formula_fail(build->context, text, build->name, "the %s of '%s' must not be negative, but is %g", what, build->name, value);
    return formula_fail(build->context, text, build->name, "the %s of '%s' must be between %g and %g, but is %g", what, build->name, low,
                        high, value);
}

static zn_status ranged_number(contact_build *build, const formula_text *text, const char *what, double low, double high, double *out) {
    zn_status status = formula_number(build->system, build->context, build->scope, text, 0, what, out);
    return status == ZN_OK ? check_range(build, text, what, low, high, *out) : status;
}

static zn_status ranged_place(contact_build *build, const formula_text *text, const char *what, formula_value place) {
    zn_status status = formula_place_number(build->system, build->context, build->scope, text, what, place);
    return status == ZN_OK ? check_range(build, text, what, place.low, place.high, *place.number) : status;
}

/* The places from `places` on are those of the temporary coefficients mu: a coefficient that belongs to a ball is redirected there. */
static void follow_friction(contact_build *build, const friction_text *law, const double *mu, size_t places) {
    formula_system *s = build->system;
    size_t kept = places;
    bool each = law->reservoir == ZN_RESERVOIR_RECTANGLE;
    for (size_t i = places; i < s->n_places; i++) {
        formula_value p = s->places[i];
        ptrdiff_t row = p.number - mu;
        if (law->reservoir == ZN_RESERVOIR_ELLIPSE) expr_trace_pin(s->graph, p.slot); /* they become scales of rows */
        else if (each || row == 0) p.number = &s->balls[build->n_balls + row].mu, s->places[kept++] = p;
    }
    s->n_places = kept;
}

/* Balls and row scales of one law from its coefficients. */
static zn_status add_balls(contact_build *build, const friction_text *law, const double *mu, size_t places) {
    formula_system *s = build->system;
    law_reservoir reservoir = {.kind = law->reservoir, .dim = law->n_slips};
    memcpy(reservoir.mu, mu, (size_t)law->n_slips * sizeof *mu);
    zn_status status = ranged_number(build, &law->radius, "contact radius", 0, INFINITY, &reservoir.radius);
    if (status != ZN_OK) return status;
    const char *why;
    int balls = law_balls(&reservoir, &s->scales[build->row_F - build->first_F], &s->balls[build->n_balls], &why);
    if (balls >= 0) follow_friction(build, law, mu, places);
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

/* Its numbers as expressions, so that they may follow parameters. */
typedef struct stribeck {
    expr mu_s, mu_d, rate, normal;
} stribeck;

static void add_stribeck(contact_build *build, const friction_text *law, const expr *slip, stribeck numbers, const zn_contact *contact) {
    expr_graph *g = build->system->graph;
    expr twice = expr_binary(g, EXPR_MUL, expr_binary(g, EXPR_SUB, numbers.mu_s, numbers.mu_d), expr_constant(g, 2));
    expr size = expr_binary(g, EXPR_MUL, expr_binary(g, EXPR_DIV, twice, expr_constant(g, acos(-1.0))), numbers.normal);
    formula_stribeck(build->system, law->n_slips, slip, size, numbers.rate, contact->row_N < 0);
}

/* Where the sign of mu_s - mu_d and the ranges allow these values, they allow others of the same signs: the graph records this. */
static zn_status parse_number(contact_build *build, const formula_text *text, const char *what, expr *e, double *value) {
    zn_status status = formula_parse(build->system, build->context, build->scope, text, e);
    if (status != ZN_OK || !expr_is_constant(build->system->graph, *e, NULL)) /* an error says why */
        return ranged_number(build, text, what, 0, INFINITY, value);
    *value = expr_peek(build->system->graph, *e, &(int){0});
    return isfinite(*value) ? check_range(build, text, what, 0, INFINITY, *value) : ranged_number(build, text, what, 0, INFINITY, value);
}

static zn_status check_stribeck(contact_build *build, const contact_text *text, const friction_text *law, const expr *slip,
                                const double *mu, const zn_contact *contact) {
    formula_system *s = build->system;
    double mu_s, mu_d, rate, force;
    stribeck e = {.normal = contact->row_N >= 0 ? expr_variable(s->graph, s->lambda + contact->row_N) : EXPR_NONE};
    zn_status status = parse_number(build, &law->friction[0], "friction", &e.mu_s, &mu_s);
    if (status == ZN_OK) status = parse_number(build, &law->stribeck_dynamic, "dynamic friction", &e.mu_d, &mu_d);
    if (status == ZN_OK) status = parse_number(build, &law->stribeck_rate, "Stribeck rate", &e.rate, &rate);
    if (status == ZN_OK && contact->row_N < 0) status = parse_number(build, &text->normal_force, "normal force", &e.normal, &force);
    if (status != ZN_OK) return status;
    if (mu_d > mu_s)
        return formula_fail(build->context, &law->stribeck_dynamic, build->name,
                            "the dynamic friction %g of '%s' must not be above the static friction %g", mu_d, build->name, mu_s);
    for (int i = 1; i < law->n_slips; i++)
        if (mu[i] != mu[0])
            return formula_fail(build->context, &law->stribeck_dynamic, build->name,
                                "a Stribeck law of '%s' needs one coefficient of static friction", build->name);
    add_stribeck(build, law, slip, e, contact);
    return ZN_OK;
}

static zn_status add_law(contact_build *build, const contact_text *text, const friction_text *law, const zn_contact *contact) {
    formula_system *s = build->system;
    double mu[LAW_DIM_MAX];
    expr slip[LAW_DIM_MAX];
    size_t places = s->n_places;
    if (law->n_slips > LAW_DIM_MAX)
        return formula_fail(build->context, &law->slips[0], build->name, "'%s' has a law with more than %d slip velocities", build->name,
                            LAW_DIM_MAX);
    for (int i = 0; i < law->n_slips; i++) {
        formula_row row;
        zn_status given = formula_velocity_row(s, build->context, build->scope, &law->slips[i], build->name, "slip velocity", &row);
        if (given != ZN_OK) return given;
        slip[i] = row.c1;
        given = ranged_place(build, &law->friction[law->n_friction == 1 ? 0 : i], "friction",
                             (formula_value){.number = &mu[i], .high = INFINITY, .kind = FORMULA_FRICTION});
        if (given != ZN_OK) return given;
    }
    zn_status status = add_balls(build, law, mu, places);
    if (status != ZN_OK) return status;
    const double *scale = &s->scales[build->row_F - build->first_F];
    for (int i = 0; i < law->n_slips; i++)
        s->rows[build->row_F + i] = (formula_row){EXPR_NONE, expr_binary(s->graph, EXPR_MUL, expr_constant(s->graph, scale[i]), slip[i])};
    build->row_F += law->n_slips;
    return law->stribeck_dynamic.text ? check_stribeck(build, text, law, slip, mu, contact) : ZN_OK;
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
    if (!text->gap.text)
        return ranged_place(build, &text->normal_force, "normal force",
                            (formula_value){.number = &contact->normal_force, .high = INFINITY, .kind = FORMULA_COEFFICIENT});
    return formula_position_row(s, build->context, build->scope, &text->gap, text->name, "gap", &s->rows[row_N]);
}

static zn_status add_contact(contact_build *build, const contact_text *text, int row_N, zn_contact *contact) {
    formula_system *s = build->system;
    *contact = (zn_contact){
        .name = build->name, .row_F = build->row_F, .balls = &s->balls[build->n_balls], .scale = &s->scales[build->row_F - build->first_F]};
    int balls_before = build->n_balls;
    zn_status all = add_normal(build, text, row_N, contact), one;
    if ((one = ranged_place(build, &text->restitution, "restitution",
                            (formula_value){.number = &contact->e_N, .high = 1, .kind = FORMULA_RESTITUTION})) != ZN_OK)
        all = one;
    if ((one = ranged_place(build, &text->tangential_restitution, "tangential restitution",
                            (formula_value){.number = &contact->e_F, .high = 1, .kind = FORMULA_COEFFICIENT})) != ZN_OK)
        all = one;
    for (int i = 0; i < text->n_laws; i++)
        if ((one = add_law(build, text, &text->laws[i], contact)) != ZN_OK) all = one;
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
