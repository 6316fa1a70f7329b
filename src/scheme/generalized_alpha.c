/* SPDX-License-Identifier: Apache-2.0 */
/* The nonsmooth generalized-alpha scheme with friction and general kinematics (docs/theory/generalized-alpha.md; 001).
 *
 *   u_{n+1} = u_n + h ((1 - ga) ab_n + ga ab_{n+1}) + U
 *   q_{n+1} = q_n + h q'_n + h^2/2 q''(t_n, q_n, u_n, (1 - 2be) ab_n + 2be ab_{n+1}) + B_n Q
 *   (1 - am) ab_{n+1} + am ab_n = (1 - af) a_{n+1} + af a_n,        the same for lambda -> lb
 *
 *   at n+1:  M a = h + W lambda,   M U = W Lambda,   M Q = W_g k_g + W_N k_N + h/2 (W_y Lambda_y + W_F Lambda_F)
 *            g = 0, gdot = 0, gddot = 0;  gamma = 0, gammadot = 0
 *
 *   kh_N = k_N + h^2/2 ((1 - 2be) lb_n + 2be lb_{n+1}),   P = Lambda + h ((1 - ga) lb_n + ga lb_{n+1})
 *   position       g_N in N_{R0-}(-kh_N)                                A = closed
 *   velocity       xi_N in N_{R0-}(-P_N),  xi_F in N_{C(P_N)}(-P_F)     on A, else P = 0;   B = closed within A
 *   acceleration   gddot_N in N_{R0-}(-lambda_N)                        on B, else lambda = 0
 *                  gammadot_F in N_{C(lambda_N)}(-lambda_F)             where P_F sticks
 *                  lambda_F = -mu lambda_N gamma_F/|gamma_F|            where P_F slips
 *   xi = c1(t_{n+1}, q_{n+1}, u_{n+1}) + e c1(t_{n+1}, q_{n+1}, u_n) for normal and friction (001: 88); or another law, impact_law.h
 *   friction_law staged (staged.h), contacts that slip: Lambda_F = -mu Lambda_N gamma_F/|gamma_F| instead of the law for P_F
 *
 * The reported percussion of a step is P, of bilateral constraints too. After an impact with e > 0 Lambda_N may be negative
 * for a step or two; P_N is the physical one and is not. Unknowns, units and scales: generalized_alpha.h. */
#include "scheme/generalized_alpha.h"
#include "scheme/precision.h"

/* ---- residual ---- */

/* The iterate in physical units, and (q, u) that belong to it. */
static void unpack(generalized_alpha *s, const double *x, const double *y) {
    const zn_sizes *size = &s->base.model->size;
    double h = s->motion.h;
    int nu = size->nu, ng = size->ng, nN = size->nN;
    for (int i = 0; i < nu; i++) {
        s->motion.a[i] = x[i] / h;
        s->motion.U[i] = x[nu + i];
        s->motion.Q[i] = x[2 * nu + i] * h;
    }
    for (int i = 0; i < s->nb; i++) {
        s->motion.Lambda[i] = x[s->x_L + i];
        s->motion.lambda[i] = x[s->x_l + i] / h;
        s->motion.kappa[i] = i < ng ? x[s->x_k + i] * h : h / 2 * s->motion.Lambda[i];
    }
    for (int i = 0; i < s->nc; i++) {
        s->motion.Lambda[s->nb + i] = y[s->y_L + i];
        s->motion.lambda[s->nb + i] = y[s->y_l + i] / h;
        s->motion.kappa[s->nb + i] = i < nN ? y[i] * h : h / 2 * y[s->y_L + i];
    }
    alpha_velocities(&s->motion, s->motion.a, s->motion.U, s->motion.u);
    alpha_positions(&s->motion, s->motion.a, s->motion.Q, s->motion.q);
}

/* r_q of M v - W m without forces, for the levels below acceleration; zero where v and m are. */
static int impulse_derivative(generalized_alpha *s, const double *v, const double *m, double *r_q) {
    const zn_model *model = s->base.model;
    bool zero = true;
    for (int i = 0; i < model->size.nu && zero; i++) zero = v[i] == 0;
    for (int i = 0; i < s->n && zero; i++) zero = m[i] == 0;
    if (zero) {
        memset(r_q, 0, (size_t)lin_nnz(&model->pattern.r_q) * sizeof *r_q);
        return 0;
    }
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = v, .lambda = m};
    return model->balance(model, s->at.work, &point, &(zn_balance){.no_force = true, .r_q = r_q});
}

/* The velocities before the step, seen at its end: c1(t_{n+1}, q_{n+1}, u_n), and with derivatives d xi/dq. */
static int ask_before(generalized_alpha *s, bool jacobian) {
    const zn_model *model = s->base.model;
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->u_n, .a = s->motion.a};
    if (model->constraints(model, s->at.work, &point, &(zn_constraints){.c1 = s->c1_n, .c1_q = jacobian ? s->xi_q : NULL})) return 1;
    const zn_pattern *pattern = &model->pattern.c1_q;
    for (int e = 0; jacobian && e < lin_nnz(pattern); e++) s->xi_q[e] = s->at.c1_q[e] + s->e[pattern->index[e]] * s->xi_q[e];
    return 0;
}

static int ask_model(generalized_alpha *s, bool jacobian) {
    const zn_model *model = s->base.model;
    answers *at = &s->at;
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = s->motion.a, .lambda = s->motion.lambda};
    zn_balance balance = {.r = at->r, .M = at->M, .W = at->W};
    zn_constraints constraints = {.c0 = at->c0, .c1 = at->c1, .c2 = at->c2};
    if (jacobian) {
        balance.r_q = at->r_q, balance.r_u = at->r_u;
        constraints.c0_q = at->c0_q, constraints.c1_q = at->c1_q, constraints.c1_u = at->c1_u;
        constraints.c2_q = at->c2_q, constraints.c2_u = at->c2_u;
    }
    if (model->balance(model, at->work, &point, &balance)) return 1;
    if (s->n > 0 && !scheme_is_free(model, s->base.modes) && model->constraints(model, at->work, &point, &constraints)) return 1;
    if (s->restitutes && ask_before(s, jacobian)) return 1;
    if (!jacobian) return 0;
    if (impulse_derivative(s, s->motion.U, s->motion.Lambda, s->motion.r2_q) ||
        impulse_derivative(s, s->motion.Q, s->motion.kappa, s->motion.r3_q))
        return 1;
    alpha_multiply_chains(s);
    return 0;
}

static void write_phi(const generalized_alpha *s, double *phi) {
    const zn_model *model = s->base.model;
    int nu = model->size.nu, ng = model->size.ng;
    double h = s->motion.h;
    memset(phi + nu, 0, 2 * (size_t)nu * sizeof *phi);
    for (int i = 0; i < nu; i++) phi[i] = h * s->at.r[i];
    lin_multiply(&model->pattern.M, s->at.M, 1, s->motion.U, phi + nu);
    lin_multiply(&model->pattern.W, s->at.W, -1, s->motion.Lambda, phi + nu);
    lin_multiply(&model->pattern.M, s->at.M, 1 / h, s->motion.Q, phi + 2 * nu);
    lin_multiply(&model->pattern.W, s->at.W, -1 / h, s->motion.kappa, phi + 2 * nu);
    for (int i = 0; i < ng; i++) phi[s->x_k + i] = s->at.c0[i] / h;
    for (int i = 0; i < s->nb; i++) {
        phi[s->x_L + i] = s->at.c1[i];
        phi[s->x_l + i] = h * s->at.c2[i];
    }
}

static void write_psi(const generalized_alpha *s, double *psi) {
    const zn_model *model = s->base.model;
    int nb = s->nb, nN = model->size.nN;
    double h = s->motion.h;
    for (int i = 0; i < nN; i++) psi[i] = s->at.c0[nb + i] / h;
    for (int i = 0; i < s->nc; i++) {
        psi[s->y_L + i] = s->at.c1[nb + i];
        psi[s->y_l + i] = h * s->at.c2[nb + i];
    }
    for (int i = 0; i < model->size.nF; i++) psi[s->psi_D + i] = s->at.c1[nb + nN + i];
    for (int i = 0; s->restitutes && i < s->nc; i++) psi[s->y_L + i] += s->e[nb + i] * s->c1_n[nb + i];
    for (int i = 0; s->impacts && i < s->nc; i++) psi[s->y_L + i] += s->shift[nb + i];
}

static void fill(const block_sum *sum, double h, double *values) {
    memset(values, 0, (size_t)lin_nnz(&sum->pattern.p) * sizeof *values);
    block_sum_fill(sum, h, values);
}

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    generalized_alpha *s = user;
    double h = s->motion.h;
    unpack(s, x, y);
    if (ask_model(s, out->jacobian)) return 1;
    if (out->phi) write_phi(s, out->phi);
    if (out->psi) write_psi(s, out->psi);
    if (out->jacobian) {
        lin_matrix_zero(s->problem.phi_x);
        block_sum_fill(&s->phi_x, h, lin_matrix_values(s->problem.phi_x));
    }
    if (out->phi_y) fill(&s->phi_y, h, out->phi_y);
    if (out->psi_x) fill(&s->psi_x, h, out->psi_x);
    return 0;
}

/* ---- step ---- */

/* Scales and prox parameters at the predicted end of the step, and what the known multipliers add to mu. */
static zn_status prepare(generalized_alpha *s) {
    const zn_model *model = s->base.model;
    int nu = model->size.nu, ng = model->size.ng, nN = model->size.nN;
    double h = s->motion.h;
    const problem_scales *scales = &s->base.scales;
    s->problem.rows_per_length = 1 / h;
    zn_point point = {.t = s->motion.t, .q = s->motion.q, .u = s->motion.u, .a = s->motion.a, .lambda = s->motion.lambda};
    if (model->balance(model, s->at.work, &point, &(zn_balance){.M = s->at.M, .W = s->at.W})) return ZN_ERROR_NOT_FINITE;
    zn_status status = prox_update(&s->prox, s->at.M, s->at.W, NULL);
    if (status != ZN_OK) return status;
    scales_rows(&s->base.scales, s->prox.mass_scale, s->at.W);
    scales_tell(scales, 3, &s->problem);
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < nu; i++) s->phi_scale[level * nu + i] = s->prox.mass_scale[i] * scales_of_balance(scales, i);
    for (int i = 0; i < ng; i++) s->phi_scale[s->x_k + i] = h * scales_of_length(scales, i);
    for (int i = 0; i < s->nb; i++) s->phi_scale[s->x_L + i] = s->phi_scale[s->x_l + i] = scales_of_rate(scales, i);
    for (int i = 0; i < nN; i++) s->psi_scale[i] = h * scales_of_length(scales, s->nb + i);
    for (int i = 0; i < s->nc; i++) s->psi_scale[s->y_L + i] = s->psi_scale[s->y_l + i] = scales_of_rate(scales, s->nb + i);
    for (int i = 0; i < model->size.nF; i++) s->psi_scale[s->problem.ny + i] = scales_of_rate(scales, model_row_F(model) + i);
    memcpy(s->rho, s->prox.rho, (size_t)nN * sizeof(double));
    memcpy(s->rho + s->y_L, s->prox.rho, (size_t)s->nc * sizeof(double));
    memcpy(s->rho + s->y_l, s->prox.rho, (size_t)s->nc * sizeof(double));
    for (int i = 0; i < nN; i++) s->mu_0[i] = s->motion.k_0[s->nb + i] / h;
    for (int i = 0; i < s->nc; i++) s->mu_0[s->y_L + i] = s->motion.P_0[s->nb + i];
    for (int k = model->size.n_contacts; k < s->problem.n_cones; k++)
        s->cones[k].reservoir = h * model->contacts[k % model->size.n_contacts].normal_force;
    return ZN_OK;
}

/* The law of the present trial set: mu_F = Lambda_F with radius Lambda_N (signed) along gamma_F, or P_F with P_N. */
static void choose_law(generalized_alpha *s) {
    const zn_model *model = s->base.model;
    int n_contacts = model->size.n_contacts, nb = s->nb, ny = s->problem.ny;
    double share = s->motion.p.ga * s->motion.p.c;
    for (int k = 0; k < n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        bool staged = s->law.trial[k];
        cone *velocity = &s->cones[n_contacts + k];
        velocity->stick_of = staged ? CONE_SLIPS : -1;
        velocity->reservoir = staged ? 0 : s->motion.h * contact->normal_force;
        for (int row = contact->row_F; row < contact->row_F + contact->nF; row++) {
            s->A_values[s->share_place[row - nb]] = staged ? 0 : share;
            s->mu_0[s->y_L + row - nb] = staged ? 0 : s->motion.P_0[row];
        }
        if (contact->row_N < 0) continue;
        s->A_values[s->share_place[s->nc + contact->row_N - nb]] = staged ? 0 : share;
        s->mu_0[ny + contact->row_N - nb] = staged ? 0 : s->motion.P_0[contact->row_N];
    }
}

/* The trial set; contacts are closed where they have a force at t_n. */
static void staged_start(generalized_alpha *s, const scheme_state *from) {
    const zn_model *model = s->base.model;
    staged_law *law = &s->law;
    const double *lambda = from->carry + 2 * model->size.nu;
    memcpy(law->start, s->motion.rate_n, (size_t)s->n * sizeof *law->start);
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        law->closed[k] = row < 0 || lambda[row] > 0;
        law->touching[k] = law->closed[k] || staged_rests(law, k, s->motion.gap_n);
    }
    staged_begin(law, alpha_caution(model, from->carry));
}

static void test_step(generalized_alpha *s, const scheme_state *to) {
    const zn_model *model = s->base.model;
    int n_contacts = model->size.n_contacts;
    for (int k = 0; k < n_contacts; k++) {
        if (!s->law.trial[k]) continue;
        int row = model->contacts[k].row_N;
        staged_follow(&s->law, k, s->at.c1);
        bool holds = row < 0 || (s->motion.lambda[row] >= 0 && to->P[row] > 0);
        for (int level = 0; level < 3; level++) holds = holds && cone_is_closed(s->solver, level * n_contacts + k);
        if (!holds) staged_reject(&s->law, k);
    }
    staged_see_new_contacts(&s->law, to->P);
}

static zn_status solve_once(void *user, cone_outcome *outcome) {
    generalized_alpha *s = user;
    return cone_solve(s->solver, s->x, s->y, outcome);
}

/* Radii of friction by what joints carry: |P| on velocity level, h |lambda| on acceleration level. */
static void find_loads(void *user, double *radius) {
    const generalized_alpha *s = user;
    const zn_model *model = s->base.model;
    int n_contacts = model->size.n_contacts;
    double h = s->motion.h, share = s->motion.p.ga * s->motion.p.c;
    for (int k = 0; k < n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        double carried[LOADS_MOST] = {0};
        if (!contact->n_load) continue;
        for (int i = 0; i < contact->n_load; i++) {
            int row = contact->load_rows[i];
            if (row >= 0) carried[i] = s->motion.P_0[row] + s->x[s->x_L + row] + share * s->x[s->x_l + row];
        }
        radius[n_contacts + k] = h * contact->normal_force + loads_size(contact, carried);
        radius[2 * n_contacts + k] = h * contact->normal_force + loads_of(contact, s->x + s->x_l);
    }
}

static zn_status solve_loaded(generalized_alpha *s, cone_outcome *outcome) {
    return s->loads ? loads_solve(s->loads, outcome) : solve_once(s, outcome);
}

/* Start of the iteration: the last accelerations and forces, no impulses. */
static void guess(void *user, const scheme_state *from) {
    generalized_alpha *s = user;
    int nu = s->base.model->size.nu;
    const double *a = from->carry, *lambda = a + 2 * nu;
    memset(s->x, 0, (size_t)(s->problem.nx + s->problem.ny) * sizeof(double));
    for (int i = 0; i < nu; i++) s->x[i] = s->motion.h * a[i];
    for (int i = 0; i < s->nb; i++) s->x[s->x_l + i] = s->motion.h * lambda[i];
    for (int i = 0; i < s->nc; i++) s->y[s->y_l + i] = s->motion.h * lambda[s->nb + i];
}

static zn_status solve_from(void *user, bool brief, cone_outcome *outcome) {
    generalized_alpha *s = user;
    cone_be_brief(s->solver, brief);
    return solve_loaded(s, outcome);
}

static zn_status solve(generalized_alpha *s, const scheme_state *from, cone_outcome *outcome) {
    const alpha_starts starts = {.motion = &s->motion,
                                 .from = from,
                                 .mass_scale = s->prox.mass_scale,
                                 .x = s->x,
                                 .x_first = s->x_first,
                                 .count = (size_t)(s->problem.nx + s->problem.ny),
                                 .level = s->base.model->size.nu,
                                 .user = s,
                                 .guess = guess,
                                 .solve = solve_from};
    return alpha_solve(&starts, staged_any(&s->law) || s->base.modes, outcome);
}

/* The known impact: none, or the one that the law found. True: some rate is shifted. A contact with friction that separates after an impact
 * has no forces at the end of the step: where several stick while their bodies turn, their accelerations could not all vanish. */
static bool set_impact(generalized_alpha *s, bool known) {
    const zn_model *model = s->base.model;
    bool shifted = false;
    memset(s->shift, 0, (size_t)s->n * sizeof *s->shift);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        bool closed = known && contact->row_N >= 0 && s->closed[k], hit = closed && impact_law_hits(s->impacts, contact);
        if (closed) s->shift[contact->row_N] = impact_law_shift(s->impacts, contact, s->c1_n);
        shifted = shifted || (closed && fabs(s->shift[contact->row_N]) > impact_map_still(s->impacts, contact->row_N));
        s->cones[model->size.n_contacts + k].radius_0 = hit ? -s->impacts->P[contact->row_N] : 0;
        bool left = hit && contact->nF > 0 && s->impacts->after[contact->row_N] > impact_map_still(s->impacts, contact->row_N);
        if (contact->row_N >= 0) s->cones[2 * model->size.n_contacts + k].gate_kind = left ? CONE_OFF : CONE_IF_CLOSED;
        bool staged = s->law.offered && s->law.trial[k]; /* its law is that of Lambda_F (choose_law) */
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++)
            s->mu_0[s->y_L + i - s->nb] = (staged ? 0 : s->motion.P_0[i]) - (hit ? s->impacts->P[i] : 0);
    }
    return shifted;
}

/* Laws other than Newton's: the step is solved without restitution, which shows where it ends and what is closed there; if there
 * is an impact, it is solved again with what the law gives for it. */
static zn_status add_impact(generalized_alpha *s, cone_outcome *outcome) {
    const zn_model *model = s->base.model;
    bool any = false;
    unpack(s, s->x, s->y);
    for (int k = 0; k < model->size.n_contacts; k++) {
        s->closed[k] = model->contacts[k].row_N < 0 || cone_is_closed(s->solver, k);
        any = any || (model->contacts[k].row_N >= 0 && s->closed[k]);
    }
    if (!any) return ZN_OK;
    if (ask_before(s, false)) return ZN_ERROR_NOT_FINITE;
    if (impact_map_wanted(s->impacts, s->c1_n, s->closed) && ask_model(s, true)) return ZN_ERROR_NOT_FINITE;
    zn_status status = impact_law_find(s->impacts, &s->at, s->closed, s->c1_n);
    if (status != ZN_OK) return status;
    if (!set_impact(s, true) && !s->impacts->any) return ZN_OK;
    cone_outcome again;
    status = solve_loaded(s, &again);
    cone_outcome_add(outcome, &again);
    for (int k = 0; k < model->size.n_contacts; k++) /* the known percussion acts on closed contacts only */
        if (s->cones[model->size.n_contacts + k].radius_0 < 0 && !cone_is_closed(s->solver, k) && status == ZN_OK)
            status = ZN_ERROR_NO_CONVERGENCE;
    return status;
}

/* Contacts with a mode have no impact in the step. */
static void note_restitution(generalized_alpha *s) {
    const zn_model *model = s->base.model;
    const cone_frozen *modes = s->base.modes;
    for (int k = 0; !s->impacts && k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        bool may = !modes || modes[k].normal == CONE_LAW;
        if (contact->row_N >= 0) s->e[contact->row_N] = may ? contact->e_N : 0;
        for (int i = 0; i < contact->nF; i++) s->e[contact->row_F + i] = may ? contact->e_F : 0;
    }
    for (int i = 0; i < s->n; i++) s->restitutes = s->restitutes || s->e[i] != 0; /* asked once by the layout, before there are modes */
}

/* A step with the present trial set of the staged law. */
static zn_status attempt(generalized_alpha *s, const scheme_state *from, scheme_state *to, cone_outcome *outcome) {
    const zn_model *model = s->base.model;
    if (s->law.offered) choose_law(s);
    if (s->impacts) set_impact(s, false);
    cone_expect_noise(s->solver, scheme_expects(&s->base, from->q, from->u, s->motion.h));
    zn_status status = solve(s, from, outcome);
    if (status == ZN_OK && s->impacts && !s->base.modes) status = add_impact(s, outcome);
    if (outcome->worst_cone >= 0) outcome->worst_cone %= model->size.n_contacts;
    if (status != ZN_OK) return status;
    unpack(s, s->x, s->y);
    memcpy(to->q, s->motion.q, (size_t)model->size.nq * sizeof *to->q);
    memcpy(to->u, s->motion.u, (size_t)model->size.nu * sizeof *to->u);
    alpha_motion_end(&s->motion, s->motion.a, s->motion.lambda, s->motion.Lambda, to);
    if (s->law.offered && !s->base.modes) test_step(s, to);
    return ZN_OK;
}

static zn_status step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    generalized_alpha *s = (generalized_alpha *)base;
    if (alpha_motion_begin(&s->motion, &s->at, from, h)) return ZN_ERROR_NOT_FINITE;
    memcpy(s->u_n, from->u, (size_t)base->model->size.nu * sizeof *s->u_n);
    zn_status status = scales_see(&base->scales, &s->at, &(zn_point){.t = from->t, .q = from->q, .u = from->u}, h);
    if (status != ZN_OK) return status;
    guess(s, from);
    unpack(s, s->x, s->y);
    status = prepare(s);
    if (status != ZN_OK) return status;
    scheme_freeze(base->modes, base->model->size.n_contacts, 3, s->cones);
    note_restitution(s);
    staged_freeze(&s->law, base->modes);
    if (!s->law.offered || base->modes) return attempt(s, from, to, outcome);
    cone_outcome cost = {0};
    staged_start(s, from);
    do {
        staged_attempt(&s->law);
        status = attempt(s, from, to, outcome);
    } while (!staged_stands(&s->law, status, outcome, &cost));
    staged_add_cost(&s->law, to, outcome, &cost);
    staged_end(&s->law, alpha_caution(base->model, from->carry), alpha_caution(base->model, to->carry));
    return status;
}

/* ---- memory ---- */

static void destroy(scheme *base) {
    generalized_alpha *s = (generalized_alpha *)base;
    zn_context *context = base->context;
    cone_solver_destroy(s->solver);
    loads_destroy(s->loads);
    alpha_layout_destroy(s);
    alpha_motion_destroy(context, &s->motion);
    answers_destroy(context, &s->at);
    prox_destroy(context, &s->prox);
    staged_destroy(&s->law);
    impact_map_destroy(context, s->impacts);
    void *blocks[] = {s->closed, s->memory, s->phi_unit, s->psi_unit, s->cones, s->share_place, s};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

static zn_status make_memory(generalized_alpha *s) {
    const zn_model *model = s->base.model;
    zn_context *context = s->base.context;
    int nu = model->size.nu, n = s->n, nN = model->size.nN;
    const cone_problem *p = &s->problem;
    const mem_part list[] = {
        {&s->shift, n},
        {&s->u_n, nu},
        {&s->e, n},
        {&s->c1_n, n},
        {&s->xi_q, lin_nnz(&model->pattern.c1_q)},
        {&s->A_values, p->ny + 3 * nN + s->nc},
        {&s->mu_0, p->nmu},
        {&s->rho, p->ny},
        {&s->phi_scale, p->nx},
        {&s->psi_scale, p->npsi},
        {&s->x, p->nx + p->ny},
        {&s->x_first, p->nx + p->ny},
    };
    s->memory = MEM_PARTS(context, list);
    s->phi_unit = MEM_ARRAY(context, unsigned char, p->nx);
    s->psi_unit = MEM_ARRAY(context, unsigned char, p->npsi);
    s->cones = MEM_ARRAY(context, cone, p->n_cones);
    s->share_place = MEM_ARRAY(context, int, s->nc + nN);
    s->closed = MEM_ARRAY(context, bool, model->size.n_contacts);
    if (!s->memory || !s->phi_unit || !s->psi_unit || !s->cones || !s->share_place || !s->closed) return ZN_ERROR_MEMORY;
    s->y = s->x + p->nx;
    return ZN_OK;
}

static zn_status make_solver(generalized_alpha *s, const zn_settings *settings) {
    cone_problem *p = &s->problem;
    p->cones = s->cones;
    p->A_values = s->A_values;
    p->mu_0 = s->mu_0;
    p->rho = s->rho;
    p->phi_scale = s->phi_scale;
    p->psi_scale = s->psi_scale;
    p->phi_unit = s->phi_unit;
    p->psi_unit = s->psi_unit;
    const cone_settings chosen = scheme_solver_settings(settings);
    s->solver = cone_solver_create(s->base.context, p, &chosen);
    if (!s->solver) return ZN_ERROR_MEMORY;
    return loads_create(s->base.context, s->base.model, p, s->cones, settings->tolerance, (loads_way){s, find_loads, solve_once},
                        &s->loads);
}

static zn_status create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings, scheme **out) {
    generalized_alpha *s = MEM_ARRAY(context, generalized_alpha, 1);
    if (!s) return ZN_ERROR_MEMORY;
    s->base = (scheme){.context = context, .class = class, .model = model};
    s->law.context = context;
    int nu = model->size.nu, ng = model->size.ng, nN = model->size.nN;
    s->n = model_rows(model);
    s->nb = model_row_N(model);
    s->nc = s->n - s->nb;
    s->x_k = 3 * nu, s->x_L = s->x_k + ng, s->x_l = s->x_L + s->nb;
    s->y_L = nN, s->y_l = nN + s->nc, s->psi_D = nN + 2 * s->nc;
    int ny = nN + 2 * s->nc;
    s->problem = (cone_problem){.nx = s->x_l + s->nb,
                                .ny = ny,
                                .npsi = ny + model->size.nF,
                                .nmu = ny,
                                .n_cones = 3 * model->size.n_contacts,
                                .user = s,
                                .evaluate = evaluate,
                                .n_settled = 3 * nu};
    zn_status status = impact_law_create(context, model, settings, &s->base.scales, &s->impacts);
    if (status == ZN_OK) status = staged_create(context, model, settings, &s->base.scales, &s->law);
    if (s->law.offered) s->problem.nmu += nN;
    if (status == ZN_OK) status = alpha_motion_create(context, model, settings, &s->motion);
    s->motion.with_rates = s->law.offered;
    if (status == ZN_OK) status = answers_create(context, model, &s->at);
    if (status == ZN_OK) status = prox_create(context, model, &s->prox);
    if (status == ZN_OK) status = make_memory(s);
    if (status == ZN_OK) note_restitution(s);
    if (status == ZN_OK) status = alpha_layout_create(s);
    if (status == ZN_OK) status = make_solver(s, settings);
    if (status != ZN_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return ZN_OK;
}

static zn_status let_go(scheme *base, scheme_state *state, const bool *stays) {
    generalized_alpha *s = (generalized_alpha *)base;
    return alpha_let_go(&s->motion, &s->at, &s->prox, state, stays);
}

const scheme_class scheme_generalized_alpha = {
    SCHEME_INFO("generalized-alpha", "nonsmooth generalized-alpha scheme with friction", 2, NULL, 1, 1, 1, true, true, true, true, true),
    SCHEME_FUNCTIONS(alpha_carry_size, create, alpha_start, step, destroy),
    .needs_start_forces = true,
    .takes_modes = true,
    .carried = alpha_carried,
    .let_go = let_go,
    .carries_forces = true,
    .forces = alpha_forces,
};
