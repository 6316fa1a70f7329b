/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of generalized_alpha_sets.c: values at an iterate, the sets, the residual and its size, and what of it is round-off. */
#include "scheme/generalized_alpha_sets.h"

/* ---- values ---- */

void alpha_sets_unpack(alpha_sets *s) {
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

int alpha_sets_ask_levels(alpha_sets *s, int levels, bool jacobian) {
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
    alpha_sets_unpack(s);
    return alpha_sets_ask_levels(s, ALL_LEVELS, jacobian);
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
bool alpha_sets_choose(alpha_sets *s) {
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

void alpha_sets_residual_of(alpha_sets *s, alpha_level level) {
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
        if (s->present[k]) alpha_sets_residual_of(s, (alpha_level)k);
}

static bool is_length(const alpha_sets *s, int level) {
    return level == LEVEL_POSITION || (level == LEVEL_SMOOTH && s->condition == CONDITION_POSITION);
}

bool alpha_sets_forgive(alpha_sets *s) {
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

double alpha_sets_row_scale(const alpha_sets *s, int k, int i) {
    int nu = s->base.model->size.nu;
    const problem_scales *scales = &s->base.scales;
    if (i < nu) return s->prox.mass_scale[i] * scales_of_balance(scales, i);
    double rate = scales_of_rate(scales, i - nu);
    if (s->on[k][i - nu] == 0) return i - nu >= s->ng ? rate / s->prox.rho[i - nu - s->ng] : 1;
    return is_length(s, k) ? s->motion.h * scales_of_length(scales, i - nu) : rate;
}

double alpha_sets_norm(const alpha_sets *s, const double *left, int *row) {
    double worst = 0;
    int nu = s->base.model->size.nu;
    *row = -1;
    for (int k = 0; k < LEVEL_COUNT; k++) {
        if (!s->present[k]) continue;
        const double *residual = s->residual[k], *without = left ? left + (residual - s->residual[0]) : NULL;
        for (int i = 0; i < nu + s->n; i++) {
            double size = fabs(without ? residual[i] - without[i] : residual[i]) * alpha_sets_row_scale(s, k, i);
            if (!is_worse(size, worst)) continue;
            worst = size;
            *row = i < nu ? -1 : i - nu;
        }
    }
    return worst;
}

/* ---- round-off (cone/noise.c) ---- */

typedef struct suspect {
    alpha_sets *s;
    const double *left; /* NULL: nothing is forgiven */
} suspect;

static int evaluate_probe(alpha_sets *s, int k) {
    int nu = s->base.model->size.nu;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const double *x = s->x_kept + (s->x[level] - s->x[0]);
        for (int i = 0; i < nu; i++) s->x[level][i] = x[i] + cone_probe(i, k, s->expected.velocity);
        for (int i = nu; i < nu + s->n; i++) s->x[level][i] = cone_probe_multiplier(i, k, x[i]);
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
            *rows = s->present[level] ? alpha_sets_row_scale(s, level, i) * (s->residual[level][i] - (of->left ? of->left[place] : 0)) : 0;
        }
    return 0;
}

static cone_unit unit_of(void *user, int i) {
    const alpha_sets *s = ((const suspect *)user)->s;
    int part = s->base.model->size.nu + s->n, level = i / part;
    if (i % part < s->base.model->size.nu) return CONE_MOMENTUM;
    return is_length(s, level) ? CONE_LENGTH : level == LEVEL_SMOOTH ? CONE_ACCELERATION : CONE_VELOCITY;
}

bool alpha_sets_is_noise(alpha_sets *s, const double *left) {
    suspect of = {s, left};
    size_t size = alpha_sets_size(s);
    memcpy(s->x_kept, s->x[0], size * sizeof *s->x_kept);
    double noise = cone_noise(&(cone_suspect){&of, (int)size, probe_rows, unit_of, s->seen}, s->tolerance);
    return !evaluate_probe(s, 0) && noise > 0;
}
