/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized-alpha without friction, constraints on chosen levels (docs/theory/generalized-alpha.md; 004). Natural systems, q' = u.
 *
 *   q_{n+1} = q~ + Q,  q~ = q_n + h u_n + h^2 ((1/2 - be) ab_n + be ab_{n+1})         the smooth motion q~, v~ and
 *   u_{n+1} = v~ + U,  v~ = u_n + h ((1 - ga) ab_n + ga ab_{n+1})                     its nonsmooth corrections
 *   M a = h + W lambda,   M Q = W k,   M U = W Lambda                                  at n+1
 *   kh = k + h^2 ((1/2 - be) lb_n + be lb_{n+1}),   P = Lambda + h ((1 - ga) lb_n + ga lb_{n+1})     (004: nu*, Lambda*)
 *
 *   PVA   S = bilateral + C:  gddot = 0, else lambda = 0      C: in B and lambda - r gddot >= 0
 *         A = bilateral + { kh - r g >= 0 }:  g = 0, else kh = 0 (starred) or k = 0 (printed)
 *         B = bilateral + { in A and P - r (gdot + e gdot_n) >= 0 }:  gdot + e gdot_n = 0, else P = 0 or Lambda = 0
 *   PVV   S = bilateral:  g_q v~ = 0;   A as above with k;   B = bilateral + { g(q~) <= 0 and Lambda - r (...) >= 0 }
 *   activation 3: as above (PVA);  2: no contact in S;  1: S empty
 *
 *   Smooth systems, one set of multipliers on one level:   P   g = 0;   V   gdot = 0;   PV   gdot = 0, and g = 0 by k
 *
 * One Newton iteration evaluates the sets, then solves the linearised equations of all levels at once (coupled), or level
 * after level with the present positions and velocities (decoupled, 004: Algorithm 1). Units as in generalized_alpha.h. */
#include "scheme/generalized_alpha_sets.h"

#include "scheme/generalized_alpha.h"
#include "scheme/precision.h"

enum { COUPLED_MAX = 40, DECOUPLED_MAX = 200 };

/* ---- iteration ---- */

static void subtract(double *x, const double *step, int count) {
    for (int i = 0; i < count; i++) x[i] -= step[i];
}

/* Rows of matrices are compared as those of the residual are, in the same order. */
static void weigh_rows(alpha_sets *s) {
    for (int k = 0; k < LEVEL_COUNT; k++)
        for (int i = 0; i < s->base.model->size.nu + s->n; i++)
            s->weight[s->residual[k] - s->residual[0] + i] = alpha_sets_row_scale(s, k, i);
}

static zn_status coupled_step(alpha_sets *s, bool keep, bool same_sets) {
    if (!keep && alpha_sets_ask_levels(s, ALL_LEVELS, true)) return ZN_ERROR_NOT_FINITE;
    zn_status status = alpha_system_solve(s, &s->system[0], keep, same_sets, s->residual[0]);
    if (status == ZN_OK) subtract(s->x[0], s->residual[0], s->system[0].size);
    return status;
}

/* The residual of the first level is known; each later one is evaluated at the iterate of the earlier ones. */
static zn_status decoupled_step(alpha_sets *s, bool keep, bool same_sets) {
    zn_status status = ZN_OK;
    for (int k = 0; k < LEVEL_COUNT && status == ZN_OK; k++) {
        if (!s->present[k]) continue;
        if (k > 0) alpha_sets_unpack(s);
        if ((k > 0 || !keep) && alpha_sets_ask_levels(s, 1 << k, !keep)) return ZN_ERROR_NOT_FINITE;
        if (k > 0) alpha_sets_residual_of(s, (alpha_level)k);
        status = alpha_system_solve(s, &s->system[k], keep, same_sets, s->residual[k]);
        if (status == ZN_OK) subtract(s->x[k], s->residual[k], s->system[k].size);
    }
    return status;
}

/* The largest residual of a balance as it would be if round-off of the model did not count (scales.h). */
static double without_slack(const alpha_sets *s) {
    const problem_scales *scales = &s->base.scales;
    double worst = 0;
    for (int k = 0; k < LEVEL_COUNT && scales->memory; k++)
        for (int i = 0; s->present[k] && i < s->base.model->size.nu; i++)
            worst = larger(worst, fabs(s->residual[k][i]) * alpha_sets_row_scale(s, k, i) * scales->slack[i]);
    return worst;
}

static zn_status iterate(alpha_sets *s, int most, cone_outcome *outcome) {
    int row;
    double before = INFINITY;
    for (int it = 0;; it++) {
        if (alpha_sets_ask(s, false)) return ZN_ERROR_NOT_FINITE;
        bool changed = alpha_sets_choose(s);
        alpha_sets_residual(s);
        double all = alpha_sets_norm(s, NULL, &row), now = all;
        const double *left = it > 0 && s->contradiction > 0 && alpha_sets_forgive(s) ? s->left : NULL;
        if (left) now = alpha_sets_norm(s, left, &row);
        double rate = now / before;
        outcome->solves = 1;
        outcome->iterations[CONE_NEWTON] = outcome->most = it;
        outcome->worst = all;
        outcome->worst_cone = row < s->ng ? -1 : model_row_contact(s->base.model, row);
        if (!isfinite(now)) return ZN_ERROR_NOT_FINITE;
        if (now <= s->tolerance * (it == 0 ? CONE_START_SHARE : 1)) {
            outcome->roundoff_residual = without_slack(s);
            outcome->roundoff = outcome->roundoff_residual > s->tolerance;
            return ZN_OK;
        }
        if (!changed && cone_may_be_noise(now, rate, &s->expected) && alpha_sets_is_noise(s, left)) {
            outcome->roundoff = 1;
            outcome->roundoff_residual = now;
            return ZN_OK;
        }
        if (base_stopped(s->base.context)) return ZN_STOPPED;
        if (it == most) return ZN_ERROR_NO_CONVERGENCE;
        bool same = it > 0 && !changed, keep = same && cone_keeps_derivatives(now, rate, s->tolerance, &s->expected);
        if (!keep) weigh_rows(s);
        zn_status status = s->decoupled ? decoupled_step(s, keep, same) : coupled_step(s, keep, same);
        if (status != ZN_OK) return status;
        before = now;
    }
}

static void guess(void *user, const scheme_state *from) {
    alpha_sets *s = user;
    int nu = s->base.model->size.nu;
    const double *a = from->carry, *lambda = a + 2 * nu;
    memset(s->x[LEVEL_SMOOTH], 0, alpha_sets_size(s) * sizeof(double));
    for (int i = 0; i < nu; i++) s->x[LEVEL_SMOOTH][i] = s->motion.h * a[i];
    for (int i = 0; i < s->n; i++) s->x[LEVEL_SMOOTH][nu + i] = s->motion.h * lambda[i];
}

static zn_status solve_from(void *user, bool brief, cone_outcome *outcome) {
    return iterate(user, brief ? CONE_BRIEF_ITERATIONS : COUPLED_MAX, outcome);
}

static zn_status solve(alpha_sets *s, const scheme_state *from, cone_outcome *outcome) {
    if (s->decoupled) return iterate(s, DECOUPLED_MAX, outcome);
    const alpha_starts starts = {.motion = &s->motion,
                                 .from = from,
                                 .mass_scale = s->prox.mass_scale,
                                 .x = s->x[LEVEL_SMOOTH],
                                 .x_first = s->x_first,
                                 .count = alpha_sets_size(s),
                                 .level = s->base.model->size.nu + s->n,
                                 .user = s,
                                 .guess = guess,
                                 .solve = solve_from};
    zn_status status = alpha_solve(&starts, false, outcome);
    alpha_sets_unpack(s);
    return status;
}

/* Laws other than Newton's: after the step without restitution, the one with the impact that the law finds at its end. */
static zn_status add_impact(alpha_sets *s, cone_outcome *outcome) {
    const zn_model *model = s->base.model;
    const double *before = s->motion.rate_n;
    bool shifted = false;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        s->closed[k] = s->smooth_gap ? s->c0_smooth[row] <= 0 : s->on[LEVEL_POSITION][row] != 0;
    }
    if (impact_map_wanted(s->impacts, before, s->closed) && alpha_sets_ask(s, true)) return ZN_ERROR_NOT_FINITE;
    zn_status status = impact_law_find(s->impacts, &s->at, s->closed, before);
    if (status != ZN_OK) return status;
    for (int k = 0; k < model->size.n_contacts; k++) {
        double *shift = &s->shift[model->contacts[k].row_N];
        *shift = s->closed[k] ? impact_law_shift(s->impacts, &model->contacts[k], before) : 0;
        shifted = shifted || fabs(*shift) > impact_map_still(s->impacts, model->contacts[k].row_N);
    }
    if (!shifted && !s->impacts->any) return ZN_OK;
    cone_outcome first = *outcome;
    status = iterate(s, s->decoupled ? DECOUPLED_MAX : COUPLED_MAX, outcome);
    cone_outcome_add(outcome, &first);
    return status;
}

static zn_status step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    alpha_sets *s = (alpha_sets *)base;
    const zn_model *model = base->model;
    if (alpha_motion_begin(&s->motion, &s->at, from, h) ||
        scales_see(&base->scales, &s->at, &(zn_point){.t = from->t, .q = from->q, .u = from->u}, h) != ZN_OK)
        return ZN_ERROR_NOT_FINITE;
    guess(s, from);
    alpha_sets_unpack(s);
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = s->motion.a, .lambda = s->motion.lambda};
    if (model->balance(model, s->at.work, &point, &(zn_balance){.M = s->at.M, .W = s->at.W})) return ZN_ERROR_NOT_FINITE;
    zn_status status = prox_update(&s->prox, s->at.M, s->at.W, NULL);
    scales_rows(&base->scales, s->prox.mass_scale, s->at.W);
    s->expected = scheme_expects(base, from->q, from->u, h);
    if (s->impacts) memset(s->shift, 0, (size_t)s->n * sizeof *s->shift);
    if (status == ZN_OK) status = solve(s, from, outcome);
    if (status == ZN_OK && s->impacts) status = add_impact(s, outcome);
    if (status != ZN_OK) return status;
    memcpy(to->q, s->motion.q, (size_t)model->size.nq * sizeof *to->q);
    memcpy(to->u, s->motion.u, (size_t)model->size.nu * sizeof *to->u);
    alpha_motion_end(&s->motion, s->motion.a, s->motion.lambda, s->motion.Lambda, to);
    return ZN_OK;
}

/* ---- start ---- */

/* Accelerations of the smooth motion where closed contacts (activation 1, 2) or all constraints (1) take no part in it. */
static zn_status start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    alpha_sets *s = (alpha_sets *)base;
    const zn_model *model = base->model;
    int nu = model->size.nu;
    bool apart = s->activation == 1 && s->ng > 0;
    for (int i = s->ng; i < s->n; i++) apart = apart || (s->activation < 3 && lambda0[i] != 0);
    if (!apart) return alpha_start(base, state, a0, lambda0);
    zn_point point = {.t = state->t, .q = state->q, .u = state->u};
    if (model->balance(model, s->at.work, &point, &(zn_balance){.r = s->at.r, .M = s->at.M, .W = s->at.W}) ||
        model->constraints(model, s->at.work, &point, &(zn_constraints){.c1_u = s->at.c1_u, .c2 = s->at.c2}))
        return ZN_ERROR_NOT_FINITE;
    double *z = s->residual[0];
    for (int i = 0; i < nu; i++) z[i] = -s->at.r[i];
    for (int i = 0; i < s->n; i++) z[nu + i] = -s->on[LEVEL_SMOOTH][i] * s->at.c2[i];
    zn_status status = prox_update(&s->prox, s->at.M, s->at.W, NULL);
    if (status == ZN_OK) weigh_rows(s);
    if (status == ZN_OK) status = alpha_system_solve(s, &s->start, false, false, z);
    return status == ZN_OK ? alpha_start(base, state, z, z + nu) : status;
}

/* ---- memory ---- */

static void destroy(scheme *base) {
    alpha_sets *s = (alpha_sets *)base;
    zn_context *context = base->context;
    alpha_systems_destroy(s);
    alpha_motion_destroy(context, &s->motion);
    answers_destroy(context, &s->at);
    prox_destroy(context, &s->prox);
    lin_pattern_destroy(context, &s->identity);
    impact_map_destroy(context, s->impacts);
    mem_free(context, s->closed);
    mem_free(context, s->memory);
    mem_free(context, s);
}

static zn_status make_memory(alpha_sets *s) {
    const zn_model *model = s->base.model;
    zn_context *context = s->base.context;
    int nq = model->size.nq, nu = model->size.nu, n = s->n, part = nu + n;
    double *all_x = NULL, *all_residuals = NULL, *masks = NULL;
    const mem_part list[] = {
        {&all_x, 3 * part},      {&all_residuals, 3 * part},
        {&s->weight, 3 * part},  {&s->left, 3 * part},
        {&s->left_x, 3 * part},  {&s->x_kept, 3 * part},
        {&s->x_first, 3 * part}, {&s->seen, CONE_SUSPECT_MEMORY * 3 * part},
        {&masks, 6 * n},         {&s->ones, n},
        {&s->mask, n},           {&s->e_N, n},
        {&s->shift, n},          {&s->q_smooth, nq},
        {&s->u_smooth, nu},      {&s->c0_smooth, n},
        {&s->c1_smooth, n},      {&s->c1q_smooth, lin_nnz(&model->pattern.c1_q)},
    };
    s->memory = MEM_PARTS(context, list);
    if (!s->memory) return ZN_ERROR_MEMORY;
    /* Levels that are present come first, so that a coupled system is one piece of memory. */
    for (int k = 0, place = 0, last = LEVEL_COUNT; k < LEVEL_COUNT; k++) {
        int where = s->present[k] ? place++ : --last;
        s->x[k] = all_x + where * part;
        s->residual[k] = all_residuals + where * part;
        s->on[k] = masks + 2 * k * n;
        s->off[k] = masks + (2 * k + 1) * n;
        for (int i = 0; i < n; i++) {
            s->on[k][i] = i < s->ng && !(k == LEVEL_SMOOTH && s->activation == 1);
            s->off[k][i] = 1 - s->on[k][i];
        }
    }
    for (int i = 0; i < n; i++) s->ones[i] = 1;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0) s->e_N[model->contacts[k].row_N] = model->contacts[k].e_N;
    return ZN_OK;
}

static zn_status make_identity(alpha_sets *s) {
    int *diagonal = MEM_ARRAY(s->base.context, int, s->n);
    if (!diagonal) return ZN_ERROR_MEMORY;
    for (int i = 0; i < s->n; i++) diagonal[i] = i;
    zn_status status = lin_pattern_create(s->base.context, s->n, s->n, s->n, diagonal, diagonal, &s->identity, NULL);
    mem_free(s->base.context, diagonal);
    return status;
}

/* In the order of the schemes below. */
enum { PVA, PVV, P, V, PV };

static zn_status choose_variant(alpha_sets *s, const zn_settings *settings) {
    static const alpha_condition conditions[] = {CONDITION_ACCELERATION, CONDITION_SMOOTH_VELOCITY, CONDITION_POSITION, CONDITION_VELOCITY,
                                                 CONDITION_VELOCITY};
    int variant = s->base.class->variant;
    bool pva = variant == PVA, pvv = variant == PVV;
    s->condition = conditions[variant];
    s->present[LEVEL_SMOOTH] = true;
    s->present[LEVEL_POSITION] = pva || pvv || variant == PV;
    s->present[LEVEL_VELOCITY] = pva || pvv;
    s->smooth_gap = pvv && s->nN > 0;
    s->decoupled = settings->iteration == ZN_ITERATION_DECOUPLED;
    s->printed = settings->multipliers == ZN_MULTIPLIERS_PRINTED;
    s->tolerance = settings->tolerance;
    s->contradiction = settings->solver != ZN_SOLVER_NEWTON && s->ng > 0 ? settings->contradiction : 0;
    if (settings->solver == ZN_SOLVER_PROJECTION && s->nN > 0)
        return fail(s->base.context, ZN_ERROR_ARGUMENT,
                    "%s solves its contacts by Newton's method over active sets: the solver must be auto or newton, not projection "
                    "(generalized-alpha accepts all three)",
                    s->base.class->info.name);
    int most = pvv ? 2 : 3, choice = pva || pvv ? settings->activation : 0;
    s->activation = choice ? choice : most;
    if (s->activation >= 1 && s->activation <= most) return ZN_OK;
    return fail(s->base.context, ZN_ERROR_ARGUMENT, "the activation of %s must be from 1 to %d, not %d", s->base.class->info.name, most,
                s->activation);
}

static zn_status create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings, scheme **out) {
    alpha_sets *s = MEM_ARRAY(context, alpha_sets, 1);
    if (!s) return ZN_ERROR_MEMORY;
    s->base = (scheme){.context = context, .class = class, .model = model};
    s->n = model_rows(model);
    s->ng = model->size.ng;
    s->nN = model->size.nN;
    zn_status status = choose_variant(s, settings);
    if (status == ZN_OK) status = impact_law_create(context, model, settings, &s->base.scales, &s->impacts);
    if (status == ZN_OK && !(s->closed = MEM_ARRAY(context, bool, model->size.n_contacts))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = alpha_motion_create(context, model, settings, &s->motion);
    s->motion.with_rates = s->nN > 0;
    if (status == ZN_OK) status = answers_create(context, model, &s->at);
    if (status == ZN_OK) status = prox_create(context, model, &s->prox);
    if (status == ZN_OK) status = make_memory(s);
    if (status == ZN_OK) status = make_identity(s);
    if (status == ZN_OK) status = alpha_systems_create(s);
    if (status != ZN_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return ZN_OK;
}

/* Not for friction, other kinematics, velocity constraints; any dynamics. */
static zn_status let_go(scheme *base, scheme_state *state, const bool *stays) {
    alpha_sets *s = (alpha_sets *)base;
    return alpha_let_go(&s->motion, &s->at, &s->prox, state, stays);
}

#define VARIANT(id, name, text, contacts)                                                                                  \
    {                                                                                                                      \
        SCHEME_INFO("generalized-alpha-" name, text, 2, NULL, 1, 1, 1, contacts, false, false, false, true),               \
            SCHEME_FUNCTIONS(alpha_carry_size, create, start, step, destroy),                                              \
            .variant = id, .needs_start_forces = true, .carried = alpha_carried, .let_go = let_go, .carries_forces = true, \
            .forces = alpha_forces                                                                                         \
    }
const scheme_class scheme_generalized_alpha_pva = VARIANT(PVA, "pva", "constraints on position, velocity and acceleration level", true);
const scheme_class scheme_generalized_alpha_pvv = VARIANT(PVV, "pvv", "smooth motion with bilateral constraints on velocity level", true);
const scheme_class scheme_generalized_alpha_p = VARIANT(P, "p", "smooth systems, constraints on position level", false);
const scheme_class scheme_generalized_alpha_v = VARIANT(V, "v", "smooth systems, constraints on velocity level", false);
const scheme_class scheme_generalized_alpha_pv = VARIANT(PV, "pv", "smooth systems, constraints on position and velocity level", false);
