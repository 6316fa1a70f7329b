/* SPDX-License-Identifier: Apache-2.0 */
/* Nonsmooth partitioned Runge-Kutta (docs/theory/runge-kutta.md; 002: chapter 5), the pair Lobatto IIIA (A, b, c) and IIIB (Ah, b, c), any
 * s >= 2:
 *
 *   dQ_i = h (B u + beta)(tau_i, Q_i, U_i)              Q_i = q_n + sum_j a_ij dQ_j      q_{n+1} = Q_s
 *   M_i dU_i = h h(tau_i, Q_i, U_i) + W_i dPi_i         U_i = u_n + sum_j ah_ij dU_j     u_{n+1} = u_n + sum_j b_j dU_j
 *   i = 2..s:     g(tau_i, Q_i) = 0,  sum_j b_j c_j^(i-2) gamma(tau_j, Q_j, U_j) = 0
 *                 g_N(tau_i, Q_i) in N(-dPi_N,i-1),  gamma_F(tau_i, Q_i, U_i) in N_C(dPi_N,i-1)(-dPi_F,i-1)
 *   end of step:  gdot = 0, gamma = 0 at (t_{n+1}, q_{n+1}, u_{n+1});   P = sum_i b_i dPi_i;   xi = c1_{n+1} + e c1_n
 *                 xi_N in N(-P_N),  xi_F in N_C(P_N)(-P_F)  for contacts closed at a stage i (rho g_N - dPi_N,i-1 <= 0), else P = 0.
 *                 (002: at stage s; four and more stages then miss impacts: a contact is hit at one stage, and has left before the last)
 *
 * percussion "integrated" (002: 5.42): the stage laws hold for sum_j ah_i-1,j dPi_j instead of dPi_i-1.
 *
 * friction_law staged (staged.h), contacts that slip: gamma_F(tau_i, Q_i, U_i) in N_C(dPi_N,i)(-dPi_F,i) for i = 1..s-1, without the
 * index shift, and at the end b_s dPi_F,s = -mu b_s dPi_N,s d_s.
 *
 * Since ah_is = 0, dU_s and dPi_s appear only at the end of the step: the stages (partitioned_stages.c) are solved first, then
 * the end, which is linear in u_{n+1} and P. The solution is that of the coupled problem.                                  */
#include "scheme/partitioned.h"
#include "scheme/precision.h"

/* ---- memory of a step to the next: closed contacts, caution of the staged law, rates of x and y; of the step that ended h q'(t_n), dQ, dU
 * ---- */

size_t partitioned_carry_size(const zn_model *model, const zn_settings *settings) {
    size_t s = settings->stages >= 2 ? (size_t)settings->stages : PARTITIONED_S_MAX;
    const zn_sizes *size = &model->size;
    return 2 * (size_t)size->n_contacts + 2 * s * (size_t)(size->nu + size->nq) + (size_t)size->nq + (s - 1) * (size_t)model_rows(model);
}

int partitioned_carried(const scheme *base, carry_piece *pieces) {
    const partitioned *p = (const partitioned *)base;
    pieces[0] = (carry_piece){.kind = CARRY_CONTACTS, .count = 2};
    pieces[1] = (carry_piece){.kind = CARRY_NUMBERS, .count = partitioned_x_b(p)};
    pieces[2] = (carry_piece){.kind = CARRY_BILATERAL, .count = p->s - 1};
    pieces[3] = (carry_piece){.kind = CARRY_CONTACT_ROWS, .count = p->s - 1};
    pieces[4] = (carry_piece){.kind = CARRY_NUMBERS, .count = p->nq + p->s * (p->nq + p->nu)};
    return 5;
}

static double *rates(const partitioned *p, double *carry) { return carry + 2 * p->base.model->size.n_contacts; }
static double *increments(const partitioned *p, double *carry) { return rates(p, carry) + p->problem.nx + p->problem.ny; }

zn_status partitioned_create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings,
                             scheme **out) {
    partitioned *p = MEM_ARRAY(context, partitioned, 1);
    if (!p) return ZN_ERROR_MEMORY;
    p->base = (scheme){.context = context, .class = class, .model = model};
    p->law.context = context;
    p->lagrange = !class->info.any_dynamics;
    p->integrated = settings->percussion == ZN_PERCUSSION_INTEGRATED;
    zn_status status = class->method(context, settings->stages, settings->damping, &p->method);
    if (status == ZN_OK) status = partitioned_layout(p, settings);
    if (status != ZN_OK) {
        partitioned_destroy(&p->base);
        return status;
    }
    *out = &p->base;
    return ZN_OK;
}

void partitioned_destroy(scheme *base) {
    partitioned *p = (partitioned *)base;
    partitioned_release(p);
    mem_free(base->context, p);
}

zn_status partitioned_start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    (void)a0, (void)lambda0;
    partitioned *p = (partitioned *)base;
    size_t count = (size_t)(2 * base->model->size.n_contacts + p->problem.nx + p->problem.ny);
    memset(state->carry, 0, count * sizeof *state->carry); /* the increments are those of the step that ended here, if there was one */
    return ZN_OK;
}

/* ---- a step ---- */

static void set_scales(partitioned *p) {
    const zn_model *model = p->base.model;
    int nN = model->size.nN, first_b = partitioned_x_b(p);
    const problem_scales *scales = &p->base.scales;
    scales_tell(scales, p->nv, &p->problem);
    for (int k = 0; k < p->nv; k++)
        for (int i = 0; i < p->nu; i++) p->phi_scale[k * p->nu + i] = p->prox.mass_scale[i] * scales_of_balance(scales, i);
    for (int i = partitioned_x_Q(p), k = 0; i < first_b; i++, k++)
        p->phi_scale[i] = scales_of_position(scales, states_other(p->states, k % p->nQ));
    for (int m = 0; m < p->s - 1; m++) {
        for (int i = 0; i < p->nb; i++)
            p->phi_scale[first_b + m * p->nb + i] = i < model->size.ng ? scales_of_length(scales, i) : scales_of_rate(scales, i);
        for (int i = 0; i < p->nc; i++) {
            bool position = i < nN;
            p->psi_scale[m * p->nc + i] = position ? scales_of_length(scales, p->nb + i) : scales_of_rate(scales, p->nb + i);
            p->psi_noise[m * p->nc + i] = position ? scales_noise(scales, p->nb + i) : 0;
            p->rho[m * p->nc + i] = p->prox.rho[i] / (position ? p->h * p->share_N[m] : p->share_F[m]);
        }
    }
    for (int i = p->problem.ny, k = 0; i < p->problem.npsi; i++, k++) /* further slip velocities, all of a stage together */
        p->psi_scale[i] = scales_of_rate(scales, model_row_F(model) + k % model->size.nF);
}

/* Radius of contacts with a constant normal force: the force times the time measure of the multiplier (h, or sum_j ah_ij h). */
static void set_reservoirs(partitioned *p) {
    const zn_model *model = p->base.model;
    int n_contacts = model->size.n_contacts, s = p->s;
    for (int m = 0; m < s - 1; m++) {
        double measure = p->integrated ? 0 : p->h;
        for (int j = 0; p->integrated && j < s - 1; j++) measure += p->h * p->method.Ah[m * s + j];
        for (int k = 0; k < n_contacts; k++) p->cones[m * n_contacts + k].reservoir = measure * model->contacts[k].normal_force;
    }
}

zn_status partitioned_solve_once(void *user, cone_outcome *outcome) {
    partitioned *p = user;
    return cone_solve(p->solver, p->x, p->y, outcome);
}

/* Radii of friction by what joints carry: as those of normal percussions. */
void partitioned_find_loads(void *user, double *radius) {
    const partitioned *p = user;
    const zn_model *model = p->base.model;
    int n_contacts = model->size.n_contacts, s = p->s;
    const double *dPi_b = p->x + partitioned_x_b(p);
    for (int m = 0; m < s - 1; m++)
        for (int k = 0; k < n_contacts; k++) {
            const zn_contact *contact = &model->contacts[k];
            if (!contact->n_load) continue;
            double sum = 0;
            for (int j = 0; j < s - 1; j++) {
                double share = p->integrated ? p->method.Ah[m * s + j] : j == m;
                sum += share * (p->h * contact->normal_force + loads_of(contact, dPi_b + j * p->nb));
            }
            radius[m * n_contacts + k] = sum > 0 ? sum : 0;
        }
}

/* Closed contacts and slip velocities at t_n. At the start of a run the state itself decides. */
static void staged_start(partitioned *p, const scheme_state *from) {
    const zn_model *model = p->base.model;
    staged_law *law = &p->law;
    const answers *at = &p->at[0];
    memcpy(law->start, p->rate_start, (size_t)p->n * sizeof *law->start);
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        bool rests = staged_rests(law, k, at->c0);
        law->closed[k] = row < 0 || (from->carry[k] != 0 ? from->P[row] > 0 : rests);
        law->touching[k] = law->closed[k] || rests;
    }
    staged_begin(law, from->carry + model->size.n_contacts);
}

/* Which slip velocities the friction of the stages belongs to. */
static void choose_slips(partitioned *p) {
    int n_contacts = p->base.model->size.n_contacts;
    for (int m = 0; m < p->s - 1; m++)
        for (int k = 0; k < n_contacts; k++)
            p->cones[m * n_contacts + k].psi_F =
                p->law.trial[k] ? partitioned_own_slip(p, m, k) : m * p->nc + p->base.model->contacts[k].row_F - p->nb;
}

static void test_stages(partitioned *p) {
    const zn_model *model = p->base.model;
    for (int m = 0; m < p->s - 1; m++)
        for (int k = 0; k < model->size.n_contacts; k++) {
            if (!p->law.trial[k]) continue;
            const zn_contact *contact = &model->contacts[k];
            int number = m * model->size.n_contacts + k;
            staged_follow(&p->law, k, p->at[m].c1);
            bool holds = cone_is_closed(p->solver, number) && (contact->row_N < 0 || p->y[m * p->nc + contact->row_N - p->nb] >= 0);
            for (int b = 0; b < contact->n_balls; b++) holds = holds && !cone_sticks(p->solver, number, b);
            if (!holds) staged_reject(&p->law, k);
        }
}

/* Contacts with modes want velocities in the first stage where they stick (weighted rows), or slip in several directions; and where they
 * have their law. */
static bool wants_first(const partitioned *p) {
    const zn_model *model = p->base.model;
    const cone_frozen *modes = p->base.modes;
    if (!modes || model->size.ny > 0) return p->first_rates;
    for (int k = 0; p->first_rates && k < model->size.n_contacts; k++) {
        if (modes[k].normal == CONE_LAW || scheme_may_turn(&model->contacts[k], &modes[k])) return true;
        for (int b = 0; modes[k].normal == CONE_CLOSED && b < model->contacts[k].n_balls; b++)
            if (modes[k].ball[b] == CONE_STICK) return true;
    }
    return false;
}

/* Slip that begins has no velocity yet in the first stage, and that of its mode is its direction there. */
static bool any_begins(const zn_contact *contact, const cone_frozen *mode) {
    for (int b = 0; mode->begins && b < contact->n_balls; b++)
        if (mode->begins[b]) return true;
    return false;
}

/* Stage velocities of IIIB are off by a part of the step, and slip velocities with them: where slip is young that is all there is of it.
 * The errors of all stages are orthogonal to polynomials of degree s - 2, so that the polynomial with the same moments has none of them
 * (partitioned_slip), and directions of modes are its. */
static void direct_slips(partitioned *p) {
    const zn_model *model = p->base.model;
    int n_contacts = model->size.n_contacts;
    for (int m = 0; m < p->s - 1; m++)
        for (int k = 0; k < n_contacts; k++) {
            cone *c = &p->cones[m * n_contacts + k];
            c->psi_D = any_begins(&model->contacts[k], &p->base.modes[k]) ? partitioned_own_slip(p, m, k) : c->psi_stick;
        }
}

static zn_status prepare(partitioned *p, const scheme_state *from, double h) {
    const zn_model *model = p->base.model;
    answers *at = &p->at[0];
    p->t = from->t, p->h = h, p->q_n = from->q, p->u_n = from->u;
    states_begin(p->states);
    zn_point point = {.t = from->t, .q = from->q, .u = from->u};
    p->first = wants_first(p);
    p->free = scheme_is_free(model, p->base.modes);
    bool rates_before = p->restitution && !p->first_rates && !p->free;
    zn_balance inertia = {.M = at->M, .W = at->W};
    zn_constraints rows = {.c0 = p->first && p->law.offered ? at->c0 : NULL, .c1 = p->first ? p->rate_start : p->c1_start};
    if (p->first || model->forces_along_rows) rows.c1_u = at->c1_u;
    if (p->first || rates_before ? model_ask_both(model, at->work, &point, &inertia, &rows)
                                 : model->balance(model, at->work, &point, &inertia))
        return ZN_ERROR_NOT_FINITE;
    if (p->lagrange && lagrange_start(p)) return ZN_ERROR_NOT_FINITE;
    zn_status status = prox_update(&p->prox, at->M, at->W, NULL);
    if (status == ZN_OK) status = scales_see(&p->base.scales, at, &point, h);
    if (status != ZN_OK) return status;
    scales_rows(&p->base.scales, p->prox.mass_scale, p->prox.W_kept);
    scheme_freeze(p->base.modes, model->size.n_contacts, p->s - 1, p->cones);
    if (p->base.modes && p->law.offered) direct_slips(p);
    linear_problem_freeze(p->end, p->base.modes);
    if (p->first) {
        if (p->law.offered) staged_start(p, from);
        memcpy(p->c1_start, p->rate_start, (size_t)p->n * sizeof *p->c1_start);
    }
    staged_freeze(&p->law, p->base.modes);
    set_scales(p);
    set_reservoirs(p);
    return ZN_OK;
}

/* From the rates of the last step; from rest where this fails. */
static zn_status solve_stages(partitioned *p, const scheme_state *from, cone_outcome *outcome) {
    int nx = p->problem.nx, ny = p->problem.ny, n_contacts = p->base.model->size.n_contacts;
    const double *rate = rates(p, from->carry);
    bool warm = false;
    for (int i = 0; i < nx + ny; i++) {
        double value = p->h * rate[i];
        warm |= value != 0;
        if (i < nx) p->x[i] = value;
        else p->y[i - nx] = value;
    }
    bool brief = staged_any(&p->law);
    cone_be_brief(p->solver, brief);
    cone_expect_noise(p->solver, scheme_expects(&p->base, p->q_n, from->u, p->h));
    zn_status status = p->loads ? loads_solve(p->loads, outcome) : partitioned_solve_once(p, outcome);
    if (status != ZN_OK && warm && !brief) {
        memset(p->x, 0, (size_t)nx * sizeof *p->x);
        memset(p->y, 0, (size_t)ny * sizeof *p->y);
        status = p->loads ? loads_solve(p->loads, outcome) : partitioned_solve_once(p, outcome);
    }
    if (outcome->worst_cone >= 0) outcome->worst_cone %= n_contacts;
    return status;
}

/* The rates are a good start of the next step only while contacts stay as they are. */
static void keep_rates(const partitioned *p, const scheme_state *from, scheme_state *to) {
    int n_contacts = p->base.model->size.n_contacts, nx = p->problem.nx, ny = p->problem.ny;
    bool same = true;
    for (int k = 0; k < n_contacts; k++) {
        bool closed = p->end->active[k];
        same = same && closed == (from->carry[k] != 0);
        for (int m = 0; m < p->s - 2; m++) same = same && cone_is_closed(p->solver, m * n_contacts + k) == closed;
        to->carry[k] = closed;
        to->carry[n_contacts + k] = 0;
    }
    double *rate = rates(p, to->carry);
    for (int i = 0; i < nx; i++) rate[i] = same ? p->x[i] / p->h : 0;
    for (int i = 0; i < ny; i++) rate[nx + i] = same ? p->y[i] / p->h : 0;
}

/* Slip velocities that direct friction at the end. */
static const double *slips_of_end(partitioned *p) {
    if (!p->law.offered || !p->base.modes) return p->at[p->s - 1].c1;
    for (int k = 0; k < p->base.model->size.n_contacts && p->first; k++) {
        const zn_contact *contact = &p->base.model->contacts[k];
        bool begins = any_begins(contact, &p->base.modes[k]);
        for (int i = contact->row_F; i < contact->row_F + contact->nF; i++)
            p->law.last[i] = begins ? p->at[p->s - 1].c1[i] : partitioned_slip(p, p->s - 1, i);
    }
    return p->law.last;
}

/* u_{n+1} and P; the iteration for P starts from the forces of the stages. */
static zn_status solve_end(partitioned *p, scheme_state *to, cone_outcome *outcome) {
    const zn_model *model = p->base.model;
    linear_problem *end = p->end;
    int last = p->s - 1, n_contacts = model->size.n_contacts;
    double before = 0, *Pbar = to->P, *ubar = to->u;
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    memset(Pbar, 0, (size_t)p->n * sizeof *Pbar);
    for (int j = 0; j < last; j++) {
        before += p->method.b[j];
        for (int k = 0; k < p->n; k++) Pbar[k] += p->h * p->method.b[j] * p->lambda[j * p->n + k];
    }
    zn_point start = {.t = p->t + p->h, .q = to->q, .u = p->u_n};
    if (p->impacts && !p->base.modes && impact_law_before(end, &start, p->c1_start))
        return ZN_ERROR_NOT_FINITE; /* its c is that of the end below */
    if (p->lagrange ? lagrange_end_load(p, Pbar, end->f, ubar) : partitioned_end_load(p, Pbar, end->f, ubar)) return ZN_ERROR_NOT_FINITE;
    for (int k = 0; k < n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        end->active[k] = contact->row_N < 0;
        for (int m = 0; m < last && !end->active[k]; m++) end->active[k] = cone_touches(p->solver, m * n_contacts + k);
    }
    if (p->base.modes) linear_problem_clear_frozen(end, p->c1_start);
    zn_status status = p->restitution ? impact_law_rows(p->base.modes ? NULL : p->impacts, end, p->c1_start) : ZN_OK;
    if (status != ZN_OK) return status;
    end->time_measure = p->h;
    for (int k = 0; k < p->n; k++) end->P[k] = Pbar[k] / before;
    memset(end->x, 0, (size_t)p->nu * sizeof *end->x);
    linear_problem_count_loads(end, last, p->method.b, p->h, p->lambda);
    staged_end_prepare(&p->law, end, slips_of_end(p), Pbar, before);
    status = linear_problem_solve(end, outcome);
    staged_end_finish(&p->law, end, Pbar, NULL);
    for (int i = 0; i < p->nu; i++) to->u[i] = ubar[i] + end->x[i];
    memcpy(to->P, end->P, (size_t)p->n * sizeof *to->P);
    return status;
}

static void keep_positions(const partitioned *p, double *dQ) {
    const stage_states *x = p->states;
    int nq = p->nq, others = x ? x->n_others : nq;
    if (x) states_increments(x, dQ);
    for (int i = 0; i < p->s; i++) {
        const double *from = p->natural ? p->U + i * p->nu : p->x + partitioned_x_Q(p) + i * others;
        for (int j = 0; j < others; j++) dQ[i * nq + states_other(x, j)] = p->natural ? p->h * from[j] : from[j];
    }
}

/* dU_i of the momentum balance M du = h dt + W dpi; the last one contains impacts, then the one before stands for it. */
static zn_status keep_increments(partitioned *p, const scheme_state *from, scheme_state *to) {
    const zn_model *model = p->base.model;
    int s = p->s, nq = p->nq, nu = p->nu, last = s - 1;
    double *start = increments(p, to->carry), *dQ = start + nq, *dU = dQ + s * nq;
    zn_point at = {.t = from->t, .q = from->q, .u = from->u};
    if (model->kinematics(model, p->at[0].work, &at, &(zn_kinematics){.qdot = start})) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < nq; i++) start[i] *= p->h;
    keep_positions(p, dQ);
    if (p->lagrange) return ZN_OK; /* its unknowns are velocities V_i, not increments: no interpolation */
    memcpy(dU, p->x, (size_t)(last * nu) * sizeof *dU);
    bool impact = false;
    for (int k = 0; k < model->size.n_contacts; k++) impact = impact || (to->carry[k] != 0) != (from->carry[k] != 0);
    for (int c = 0; c < nu; c++) {
        double rest = to->u[c] - from->u[c];
        for (int j = 0; j < last; j++) rest -= p->method.b[j] * dU[j * nu + c];
        dU[last * nu + c] = impact ? dU[(last - 1) * nu + c] : rest / p->method.b[last];
    }
    return ZN_OK;
}

/* Velocities: the integral of the polynomial through dU_i. Positions: the collocation polynomial of Lobatto IIIA, and what makes
 * its rate at the start (dQ_1) that of the start, leaving the stages where they are,
 *
 *   Q(x) = q_n + sum_j w_j(x) dQ_j + (h q'(t_n) - dQ_1) x (1 - x) prod_{1<i<s} (1 - x/c_i)                      error O(h^(s+1))
 *
 * dQ_1 - h q'(t_n) is O(h^s), and the rate at the end is off by the same up to the sign that the product has there. */
void partitioned_interpolate(const scheme *base, const scheme_state *from, const scheme_state *to, double x, double *q, double *u) {
    const partitioned *p = (const partitioned *)base;
    const double *start = increments(p, to->carry), *dQ = start + p->nq, *dU = dQ + p->s * p->nq;
    double weights[TABLEAU_S_MAX], correction = x * (1 - x);
    tableau_dense(&p->method, x, weights);
    for (int i = 1; i < p->s - 1; i++) correction *= 1 - x / p->method.c[i];
    for (int e = 0; e < p->nq; e++) q[e] = from->q[e] + correction * (start[e] - dQ[e]);
    memcpy(u, from->u, (size_t)p->nu * sizeof *u);
    for (int j = 0; j < p->s; j++) {
        for (int e = 0; e < p->nq; e++) q[e] += weights[j] * dQ[j * p->nq + e];
        for (int e = 0; e < p->nu; e++) u[e] += weights[j] * dU[j * p->nu + e];
    }
}

/* A step with the present trial set of the staged law; ends early where that is rejected. */
static zn_status attempt(partitioned *p, const scheme_state *from, scheme_state *to, cone_outcome *outcome) {
    zn_status status = solve_stages(p, from, outcome);
    if (status != ZN_OK) return status;
    if (p->law.offered && !p->base.modes) test_stages(p);
    if (staged_rejects(&p->law)) return ZN_OK;
    memcpy(to->q, p->Q + (p->s - 1) * p->nq, (size_t)p->nq * sizeof *to->q);
    cone_outcome end;
    status = solve_end(p, to, &end);
    if (status == ZN_ERROR_NOT_FINITE) return status;
    cone_outcome_add(outcome, &end);
    return status;
}

static zn_status staged_attempts(partitioned *p, const scheme_state *from, scheme_state *to, cone_outcome *outcome) {
    cone_outcome cost = {0};
    zn_status status;
    if (p->base.modes) {
        choose_slips(p);
        return attempt(p, from, to, outcome);
    }
    do {
        staged_attempt(&p->law);
        choose_slips(p);
        status = attempt(p, from, to, outcome);
    } while (!staged_stands(&p->law, status, outcome, &cost));
    staged_add_cost(&p->law, to, outcome, &cost);
    return status;
}

zn_status partitioned_step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    partitioned *p = (partitioned *)base;
    zn_status status = prepare(p, from, h);
    if (status != ZN_OK) return status;
    status = p->law.offered ? staged_attempts(p, from, to, outcome) : attempt(p, from, to, outcome);
    if (status != ZN_OK) return status;
    keep_rates(p, from, to);
    if (p->law.offered && !base->modes)
        staged_end(&p->law, from->carry + base->model->size.n_contacts, to->carry + base->model->size.n_contacts);
    to->t = from->t + h;
    return keep_increments(p, from, to);
}

/* Forces that depend on velocities: what they lack with the velocity U_1 of the first stage in place of u_n, M^-1 (h(t_n, q_n, u_n) -
 * h(t_n, q_n, U_1)), into a. It is zero where they do not. */
static bool lack_of_force(partitioned *p, const scheme_state *from, double *lack) {
    const zn_model *model = p->base.model;
    answers *at = &p->at[0];
    bool any = false;
    double *r = p->load_r, *velocities[2] = {p->U, from->u};
    for (int i = 0; i < 2; i++) {
        zn_point point = {.t = from->t, .q = from->q, .u = velocities[i]};
        if (model->balance(model, at->work, &point, &(zn_balance){.r = i == 0 ? r : at->r})) return false;
    }
    for (int c = 0; c < p->nu; c++) {
        lack[c] = r[c] - at->r[c]; /* r = -h */
        any = any || lack[c] != 0;
    }
    return any && prox_solve(&p->prox, lack) == ZN_OK;
}

/* The stages at both ends of the step have positions, but not velocities, of these ends: U_1 - u_n and U_s - u_{n+1} are both
 * O(h^(s-1)), and the leading terms cancel in
 *
 *   error = b_1 ((dQ_1 - h q'(t_n, q_n, u_n)) + (-1)^s (dQ_s - h q'(t_{n+1}, q_{n+1}, u_{n+1})))                 O(h^(s+1))
 *
 * Forces of the velocity alone do not show in it: u_{n+1} is made from the forces of the stage velocities. They add the size of
 *
 *   b_1/3 h^2 B M^-1 (h(t_n, q_n, u_n) - h(t_n, q_n, U_1))                                                      O(h^(s+1)), for s = 2 the
 * error itself */
int partitioned_error(scheme *base, const scheme_state *from, const scheme_state *to, double h, double *error_q) {
    partitioned *p = (partitioned *)base;
    const zn_model *model = base->model;
    int last = p->s - 1;
    double weight = p->method.b[0] * h, *qdot = p->at[0].qdot;
    const zn_point points[4] = {{.t = from->t, .q = from->q, .u = p->U},
                                {.t = from->t, .q = from->q, .u = from->u},
                                {.t = to->t, .q = to->q, .u = p->U + last * p->nu},
                                {.t = to->t, .q = to->q, .u = to->u}};
    const double sign = p->s % 2 == 0 ? 1 : -1, weights[4] = {weight, -weight, sign * weight, -sign * weight};
    memset(error_q, 0, (size_t)p->nq * sizeof *error_q);
    for (int i = 0; i < 4; i++) {
        if (model->kinematics(model, p->at[0].work, &points[i], &(zn_kinematics){.qdot = qdot})) error_q[0] = NAN;
        for (int e = 0; e < p->nq; e++) error_q[e] += weights[i] * qdot[e];
    }
    if (lack_of_force(p, from, p->a)) {
        memset(qdot, 0, (size_t)p->nq * sizeof *qdot);
        if (model->natural) memcpy(qdot, p->a, (size_t)p->nq * sizeof *qdot);
        else if (model->kinematics(model, p->at[0].work, &points[1], &(zn_kinematics){.B = p->at[0].B})) error_q[0] = NAN;
        else lin_multiply(&model->pattern.B, p->at[0].B, 1, p->a, qdot);
        for (int e = 0; e < p->nq; e++) error_q[e] = fabs(error_q[e]) + weight * h / 3 * fabs(qdot[e]);
    }
    return p->s + 1;
}

const scheme_class scheme_lobatto_3a3b = {
    SCHEME_INFO(
        "lobatto-3a3b",
        "Lobatto IIIA-IIIB, conserves energy over long times; order s-1 while contacts stick (located: 2s-2); not for stiff systems", 4,
        "2s-2", 2, PARTITIONED_S_MAX, 3, true, true, true, true, true),
    SCHEME_FUNCTIONS(partitioned_carry_size, partitioned_create, partitioned_start, partitioned_step, partitioned_destroy),
    .carried = partitioned_carried,
    .takes_modes = true,
    .method = tableau_lobatto_3a3b,
    .bound = scheme_bound_lobatto,
    .interpolate = partitioned_interpolate,
    .error = partitioned_error,
    .error_is_partial = true,
};
