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

enum { COUPLED_BRIEF = 10, COUPLED_MAX = 40, DECOUPLED_MAX = 200 };

/* ---- values ---- */

static void unpack(alpha_sets *s) {
    double h = s->motion.h;
    int nu = s->base.model->size.nu;
    const double *S = s->x[LEVEL_SMOOTH], *P = s->x[LEVEL_POSITION], *V = s->x[LEVEL_VELOCITY];
    for (int i = 0; i < nu; i++) {
        s->motion.a[i] = S[i] / h;
        s->motion.Q[i] = P[i] * h;
        s->motion.U[i] = V[i];
    }
    for (int i = 0; i < s->n; i++) {
        s->motion.lambda[i] = S[nu + i] / h;
        s->motion.kappa[i] = P[nu + i] * h;
        s->motion.Lambda[i] = V[nu + i];
    }
    alpha_velocities(&s->motion, s->motion.a, s->motion.U, s->motion.u);
    alpha_positions(&s->motion, s->motion.a, s->motion.Q, s->motion.q);
}

/* Values at (q~, v~) that PVV asks for. */
static int ask_smooth(alpha_sets *s, bool jacobian) {
    const zn_model *model = s->base.model;
    for (int i = 0; i < model->size.nu; i++) {
        s->q_smooth[i] = s->motion.q[i] - s->motion.Q[i];
        s->u_smooth[i] = s->motion.u[i] - s->motion.U[i];
    }
    zn_point velocity = {.t = s->motion.t, .q = s->motion.q, .u = s->u_smooth, .a = s->motion.a};
    zn_point position = {.t = s->motion.t, .q = s->q_smooth, .u = s->u_smooth, .a = s->motion.a};
    zn_constraints at_velocity = {.c1 = s->c1_smooth, .c1_q = jacobian ? s->c1q_smooth : NULL};
    if (model->constraints(model, s->at.work, &velocity, &at_velocity)) return 1;
    return s->smooth_gap ? model->constraints(model, s->at.work, &position, &(zn_constraints){.c0 = s->c0_smooth}) : 0;
}

/* Derivatives of M v - W m on the levels of position and velocity; the latter matter to other levels only. */
static int ask_impulses(alpha_sets *s, bool position, bool velocity) {
    const zn_model *model = s->base.model;
    zn_point low = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = s->motion.Q, .lambda = s->motion.kappa};
    if (position && model->balance(model, s->at.work, &low, &(zn_balance){.no_force = true, .r_q = s->motion.r3_q})) return 1;
    low.a = s->motion.U, low.lambda = s->motion.Lambda;
    if (!velocity || s->decoupled) return 0;
    return model->balance(model, s->at.work, &low, &(zn_balance){.no_force = true, .r_q = s->motion.r2_q});
}

/* Values, or derivatives too, for the levels in the bit set. */
static int ask(alpha_sets *s, int levels, bool jacobian) {
    const zn_model *model = s->base.model;
    answers *at = &s->at;
    bool smooth = levels & 1 << LEVEL_SMOOTH, position = levels & 1 << LEVEL_POSITION && s->present[LEVEL_POSITION],
         velocity = levels & 1 << LEVEL_VELOCITY && s->present[LEVEL_VELOCITY];
    bool c0 = position || (smooth && s->condition == CONDITION_POSITION);
    bool c1 = velocity || (smooth && s->condition == CONDITION_VELOCITY);
    bool c2 = smooth && s->condition == CONDITION_ACCELERATION;
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = s->motion.a, .lambda = s->motion.lambda};
    zn_balance balance = {.r = smooth ? at->r : NULL, .M = at->M, .W = at->W};
    zn_constraints rows = {.c0 = c0 ? at->c0 : NULL, .c1 = c1 ? at->c1 : NULL, .c2 = c2 ? at->c2 : NULL};
    if (jacobian) {
        balance.r_q = smooth ? at->r_q : NULL;
        balance.r_u = smooth ? at->r_u : NULL;
        rows.c0_q = c0 ? at->c0_q : NULL;
        rows.c1_q = c1 ? at->c1_q : NULL;
        rows.c1_u = at->c1_u;
        rows.c2_q = c2 ? at->c2_q : NULL;
        rows.c2_u = c2 ? at->c2_u : NULL;
    }
    if (model->balance(model, at->work, &point, &balance)) return 1;
    if (s->n > 0 && model->constraints(model, at->work, &point, &rows)) return 1;
    if (s->n > 0 && smooth && s->condition == CONDITION_SMOOTH_VELOCITY && ask_smooth(s, jacobian)) return 1;
    return jacobian ? ask_impulses(s, position, velocity) : 0;
}

int alpha_sets_ask(alpha_sets *s, bool jacobian) {
    unpack(s);
    return ask(s, ALL_LEVELS, jacobian);
}

/* ---- sets ---- */

static double total_position(const alpha_sets *s, int i) { /* kh/h */
    double h = s->motion.h;
    return s->motion.kappa[i] / h + s->motion.k_0[i] / h + s->motion.p.be * s->motion.p.c * h * s->motion.lambda[i];
}

static double total_velocity(const alpha_sets *s, int i) { /* P */
    return s->motion.Lambda[i] + s->motion.P_0[i] + s->motion.p.ga * s->motion.p.c * s->motion.h * s->motion.lambda[i];
}

static double restitution(const alpha_sets *s, int row) { /* e gdot_n at q_n (004: 65h), or that of another law */
    return s->impacts ? s->shift[row] : s->e_N[row] * s->motion.rate_n[row];
}

/* Whether any set changed. */
static bool choose_sets(alpha_sets *s) {
    bool changed = false;
    double h = s->motion.h;
    for (int i = s->ng; i < s->n; i++) {
        double rho = s->prox.rho[i - s->ng], impact = s->at.c1[i] + restitution(s, i);
        bool A = total_position(s, i) - rho * s->at.c0[i] / h >= 0;
        bool B =
            s->smooth_gap ? s->c0_smooth[i] <= 0 && s->motion.Lambda[i] - rho * impact >= 0 : A && total_velocity(s, i) - rho * impact >= 0;
        bool C = s->activation == 3 && B && h * (s->motion.lambda[i] - rho * s->at.c2[i]) >= 0;
        const bool in[LEVEL_COUNT] = {[LEVEL_SMOOTH] = C, [LEVEL_POSITION] = A, [LEVEL_VELOCITY] = B};
        for (int k = 0; k < LEVEL_COUNT; k++) {
            changed = changed || s->on[k][i] != (in[k] ? 1 : 0);
            s->on[k][i] = in[k] ? 1 : 0;
            s->off[k][i] = in[k] ? 0 : 1;
        }
    }
    return changed;
}

/* ---- residual ---- */

static double condition_value(const alpha_sets *s, int i) {
    switch (s->condition) {
    case CONDITION_ACCELERATION: return s->motion.h * s->at.c2[i];
    case CONDITION_SMOOTH_VELOCITY: return s->c1_smooth[i];
    case CONDITION_VELOCITY: return s->at.c1[i];
    default: return s->at.c0[i] / s->motion.h;
    }
}

static double row_value(const alpha_sets *s, alpha_level level, int i) {
    double h = s->motion.h;
    if (level == LEVEL_SMOOTH) return s->on[level][i] != 0 ? condition_value(s, i) : h * s->motion.lambda[i];
    if (level == LEVEL_POSITION) return s->on[level][i] != 0 ? s->at.c0[i] / h : s->printed ? s->motion.kappa[i] / h : total_position(s, i);
    return s->on[level][i] != 0 ? s->at.c1[i] + restitution(s, i) : s->printed ? s->motion.Lambda[i] : total_velocity(s, i);
}

static void write_residual(alpha_sets *s, alpha_level level) {
    const zn_model *model = s->base.model;
    int nu = model->size.nu;
    double *R = s->residual[level], h = s->motion.h, factor = level == LEVEL_POSITION ? 1 / h : 1;
    memset(R, 0, (size_t)nu * sizeof *R);
    if (level == LEVEL_SMOOTH) {
        for (int i = 0; i < nu; i++) R[i] = h * s->at.r[i];
    } else {
        lin_multiply(&model->pattern.M, s->at.M, factor, level == LEVEL_POSITION ? s->motion.Q : s->motion.U, R);
        lin_multiply(&model->pattern.W, s->at.W, -factor, level == LEVEL_POSITION ? s->motion.kappa : s->motion.Lambda, R);
    }
    for (int i = 0; i < s->n; i++) R[nu + i] = row_value(s, level, i);
}

void alpha_sets_residual(alpha_sets *s) {
    for (int k = 0; k < LEVEL_COUNT; k++)
        if (s->present[k]) write_residual(s, (alpha_level)k);
}

static bool is_length(const alpha_sets *s, int level) {
    return level == LEVEL_POSITION || (level == LEVEL_SMOOTH && s->condition == CONDITION_POSITION);
}

/* The part of the residual in bilateral rows that least squares cannot reduce (cone/contradiction.c), by the factors of the last iteration. */
static bool forgive(alpha_sets *s) {
    int nu = s->base.model->size.nu, part = nu + s->n;
    bool fits = true;
    for (int k = 0; k < LEVEL_COUNT; k++) {
        if (!s->present[k]) continue;
        ptrdiff_t place = s->residual[k] - s->residual[0];
        double *left = s->left + place;
        const alpha_system *system = &s->system[s->decoupled ? k : 0];
        if (k == 0 || s->decoupled) lin_lu_unreachable(system->lu, system->matrix, s->residual[k], s->left_x, left);
        memset(left, 0, (size_t)nu * sizeof *left);
        memset(left + nu + s->ng, 0, (size_t)(s->n - s->ng) * sizeof *left);
        double per_length = is_length(s, k) ? 1 / s->motion.h : 0;
        for (int i = nu; i < part; i++)
            if (!(fabs(left[i]) <= s->contradiction * (per_length > 0 ? per_length : CONE_CONTRADICTION_RATE))) fits = false;
    }
    return fits;
}

/* What row i of a level is multiplied by before it is compared with the tolerance. */
static double row_scale(const alpha_sets *s, int k, int i) {
    int nu = s->base.model->size.nu;
    const problem_scales *scales = &s->base.scales;
    if (i < nu) return s->prox.mass_scale[i] * scales_of_balance(scales, i);
    double rate = scales_of_rate(scales, i - nu);
    if (s->on[k][i - nu] == 0) return i - nu >= s->ng ? rate / s->prox.rho[i - nu - s->ng] : 1;
    return is_length(s, k) ? s->motion.h * scales_of_length(scales, i - nu) : rate;
}

/* Largest residual in units of velocity, without what is forgiven (NULL: nothing); which row of lambda it is, or -1. */
static double norm(const alpha_sets *s, const double *left, int *row) {
    double worst = 0;
    int nu = s->base.model->size.nu;
    *row = -1;
    for (int k = 0; k < LEVEL_COUNT; k++) {
        if (!s->present[k]) continue;
        const double *residual = s->residual[k], *without = left ? left + (residual - s->residual[0]) : NULL;
        for (int i = 0; i < nu + s->n; i++) {
            double size = fabs(without ? residual[i] - without[i] : residual[i]) * row_scale(s, k, i);
            if (!is_worse(size, worst)) continue;
            worst = size;
            *row = i < nu ? -1 : i - nu;
        }
    }
    return worst;
}

/* ---- round-off (cone/noise.c) ---- */

static size_t iterate_size(const alpha_sets *s) { return (size_t)(LEVEL_COUNT * (s->base.model->size.nu + s->n)); }

typedef struct suspect {
    alpha_sets *s;
    const double *left; /* NULL: nothing is forgiven */
} suspect;

static int evaluate_probe(alpha_sets *s, int k) {
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const double *x = s->x_kept + (s->x[level] - s->x[0]);
        for (int i = 0; i < s->base.model->size.nu; i++) s->x[level][i] = x[i] + cone_probe(i, k, s->expected.velocity);
    }
    if (alpha_sets_ask(s, false)) return 1;
    alpha_sets_residual(s);
    return 0;
}

static int probe_rows(void *user, int k, double *rows) {
    const suspect *of = user;
    alpha_sets *s = of->s;
    int part = s->base.model->size.nu + s->n;
    if (k > 0 && evaluate_probe(s, k)) return 1;
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (int i = 0; i < part; i++, rows++) {
            ptrdiff_t place = s->residual[level] - s->residual[0] + i;
            *rows = s->present[level] ? row_scale(s, level, i) * (s->residual[level][i] - (of->left ? of->left[place] : 0)) : 0;
        }
    return 0;
}

static cone_unit unit_of(void *user, int i) {
    const alpha_sets *s = ((const suspect *)user)->s;
    int part = s->base.model->size.nu + s->n, level = i / part;
    if (i % part < s->base.model->size.nu) return CONE_MOMENTUM;
    return is_length(s, level) ? CONE_LENGTH : level == LEVEL_SMOOTH ? CONE_ACCELERATION : CONE_VELOCITY;
}

/* With the residual at hand: whether all of it that is above the tolerance is round-off. The sets stay as they are. */
static bool is_noise(alpha_sets *s, const double *left) {
    suspect of = {s, left};
    size_t size = iterate_size(s);
    memcpy(s->x_kept, s->x[0], size * sizeof *s->x_kept);
    double noise = cone_noise(&(cone_suspect){&of, (int)size, probe_rows, unit_of, s->seen}, s->tolerance);
    return !evaluate_probe(s, 0) && noise > 0;
}

/* ---- iteration ---- */

static void subtract(double *x, const double *step, int count) {
    for (int i = 0; i < count; i++) x[i] -= step[i];
}

/* The start of the iteration must be better than the tolerance to be accepted as it is: errors would add up. */
static const double START_SHARE = 1e-5;
/* Factors are kept when the rate seen would bring the residual below this part of the tolerance. */
static const double CHORD_SHARE = 0.2, CHORD_RATE = 0.1;
/* A residual is tested for noise if a step leaves more of it than this. */
static const double FLAT_RATE = 0.25;

/* Rows of matrices are compared as those of the residual are, in the same order. */
static void weigh_rows(alpha_sets *s) {
    for (int k = 0; k < LEVEL_COUNT; k++)
        for (int i = 0; i < s->base.model->size.nu + s->n; i++) s->weight[s->residual[k] - s->residual[0] + i] = row_scale(s, k, i);
}

static zn_status coupled_step(alpha_sets *s, bool keep, bool same_sets) {
    if (!keep && ask(s, ALL_LEVELS, true)) return ZN_ERROR_NOT_FINITE;
    zn_status status = alpha_system_solve(s, &s->system[0], keep, same_sets, s->residual[0]);
    if (status == ZN_OK) subtract(s->x[0], s->residual[0], s->system[0].size);
    return status;
}

/* The residual of the first level is at hand; each later one is evaluated where the earlier ones led. */
static zn_status decoupled_step(alpha_sets *s, bool keep, bool same_sets) {
    zn_status status = ZN_OK;
    for (int k = 0; k < LEVEL_COUNT && status == ZN_OK; k++) {
        if (!s->present[k]) continue;
        if (k > 0) unpack(s);
        if ((k > 0 || !keep) && ask(s, 1 << k, !keep)) return ZN_ERROR_NOT_FINITE;
        if (k > 0) write_residual(s, (alpha_level)k);
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
            worst = larger(worst, fabs(s->residual[k][i]) * row_scale(s, k, i) * scales->slack[i]);
    return worst;
}

static zn_status iterate(alpha_sets *s, int most, cone_outcome *outcome) {
    int row;
    double before = INFINITY;
    for (int it = 0;; it++) {
        if (alpha_sets_ask(s, false)) return ZN_ERROR_NOT_FINITE;
        bool changed = choose_sets(s);
        alpha_sets_residual(s);
        double all = norm(s, NULL, &row), now = all;
        const double *left = it > 0 && s->contradiction > 0 && forgive(s) ? s->left : NULL;
        if (left) now = norm(s, left, &row);
        double rate = now / before;
        outcome->solves = 1;
        outcome->iterations[CONE_NEWTON] = outcome->most = it;
        outcome->worst = all;
        outcome->worst_cone = row < s->ng ? -1 : model_row_contact(s->base.model, row);
        if (!isfinite(now)) return ZN_ERROR_NOT_FINITE;
        if (now <= s->tolerance * (it == 0 ? START_SHARE : 1)) {
            outcome->roundoff_residual = without_slack(s);
            outcome->roundoff = outcome->roundoff_residual > s->tolerance;
            return ZN_OK;
        }
        if (rate > FLAT_RATE && !changed && now <= 2 * s->expected.noise && is_noise(s, left)) {
            outcome->roundoff = 1;
            outcome->roundoff_residual = now;
            return ZN_OK;
        }
        if (base_stopped(s->base.context)) return ZN_STOPPED;
        if (it == most) return ZN_ERROR_NO_CONVERGENCE;
        bool same = it > 0 && !changed,
             keep = same && rate < CHORD_RATE && (now * rate <= CHORD_SHARE * s->tolerance || now <= 2 * s->expected.noise);
        if (!keep) weigh_rows(s);
        zn_status status = s->decoupled ? decoupled_step(s, keep, same) : coupled_step(s, keep, same);
        if (status != ZN_OK) return status;
        before = now;
    }
}

static void guess(alpha_sets *s, const scheme_state *from) {
    int nu = s->base.model->size.nu;
    const double *a = from->carry, *lambda = a + 2 * nu;
    for (int k = 0; k < LEVEL_COUNT; k++) memset(s->x[k], 0, (size_t)(nu + s->n) * sizeof(double));
    for (int i = 0; i < nu; i++) s->x[LEVEL_SMOOTH][i] = s->motion.h * a[i];
    for (int i = 0; i < s->n; i++) s->x[LEVEL_SMOOTH][nu + i] = s->motion.h * lambda[i];
}

static void guess_steady(alpha_sets *s, const scheme_state *from) {
    guess(s, from);
    memset(s->x[LEVEL_SMOOTH], 0, (size_t)(s->base.model->size.nu + s->n) * sizeof(double));
    alpha_steady(&s->motion, s->x[LEVEL_SMOOTH]);
}

/* As in generalized_alpha.c. */
static double distance(const alpha_sets *s) {
    double sum = 0;
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (int i = 0; i < s->base.model->size.nu; i++) sum += s->x[level][i] * s->x[level][i] / s->prox.mass_scale[i];
    return sum;
}

static void compare(alpha_sets *s, const scheme_state *from, int most, cone_outcome *outcome) {
    size_t bytes = iterate_size(s) * sizeof *s->x_first;
    cone_outcome other = {.worst_cone = -1, .worst_row = -1};
    double first = distance(s);
    memcpy(s->x_first, s->x[0], bytes);
    guess_steady(s, from);
    if (iterate(s, most, &other) == ZN_OK && distance(s) < ALPHA_NEARER * first) {
        *outcome = other;
        return;
    }
    memcpy(s->x[0], s->x_first, bytes);
    unpack(s);
}

/* Briefly from the last accelerations, then from those that keep the velocity (generalized_alpha.c), and in full. */
static zn_status solve(alpha_sets *s, const scheme_state *from, cone_outcome *outcome) {
    enum { STARTS = 4 };
    if (s->decoupled) return iterate(s, DECOUPLED_MAX, outcome);
    zn_status status = ZN_ERROR_NO_CONVERGENCE;
    for (int k = 0; k < STARTS && (status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_NOT_FINITE); k++) {
        int most = k < STARTS / 2 ? COUPLED_BRIEF : COUPLED_MAX;
        if (k % 2 == 0) guess(s, from);
        else guess_steady(s, from);
        status = iterate(s, most, outcome);
        if (status == ZN_OK && k % 2 == 0 && outcome->most > ALPHA_LONG) compare(s, from, most, outcome);
    }
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
    unpack(s);
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
                    "(generalized-alpha takes all three)",
                    s->base.class->info.name);
    int most = pvv ? 2 : 3, choice = pva || pvv ? settings->activation : 0;
    s->activation = choice ? choice : most;
    if (s->activation >= 1 && s->activation <= most) return ZN_OK;
    return fail(s->base.context, ZN_ERROR_ARGUMENT, "%s has the activation strategies 1 to %d, not %d", s->base.class->info.name, most,
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
#define VARIANT(id, name, text, contacts)                                                                                       \
    {                                                                                                                           \
        SCHEME_INFO("generalized-alpha-" name, text, 2, NULL, 1, 1, 1, contacts, false, false, false, true),                    \
            SCHEME_FUNCTIONS(alpha_carry_size, create, start, step, destroy),                                                   \
            .variant = id, .needs_start_forces = true, .carried = alpha_carried, .carries_forces = true, .forces = alpha_forces \
    }
const scheme_class scheme_generalized_alpha_pva = VARIANT(PVA, "pva", "constraints on position, velocity and acceleration level", true);
const scheme_class scheme_generalized_alpha_pvv = VARIANT(PVV, "pvv", "smooth motion with bilateral constraints on velocity level", true);
const scheme_class scheme_generalized_alpha_p = VARIANT(P, "p", "smooth systems, constraints on position level", false);
const scheme_class scheme_generalized_alpha_v = VARIANT(V, "v", "smooth systems, constraints on velocity level", false);
const scheme_class scheme_generalized_alpha_pv = VARIANT(PV, "pv", "smooth systems, constraints on position and velocity level", false);
