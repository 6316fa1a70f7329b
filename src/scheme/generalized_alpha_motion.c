/* SPDX-License-Identifier: Apache-2.0 */
#include "scheme/generalized_alpha_motion.h"

zn_status alpha_motion_create(zn_context *context, const zn_model *model, const zn_settings *settings, alpha_motion *m) {
    *m = (alpha_motion){.model = model};
    zn_status status = alpha_parameters_choose(context, settings, &m->p);
    if (status != ZN_OK) return status;
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model), n_rq = lin_nnz(&model->pattern.r_q);
    const mem_part list[] = {
        {&m->q_0, nq}, {&m->u_0, nu}, {&m->ab_0, nu},   {&m->weighted, nu}, {&m->lb_0, n},
        {&m->P_0, n},  {&m->k_0, n},  {&m->rate_n, n},  {&m->gap_n, n},     {&m->a, nu},
        {&m->U, nu},   {&m->Q, nu},   {&m->lambda, n},  {&m->Lambda, n},    {&m->kappa, n},
        {&m->q, nq},   {&m->u, nu},   {&m->r2_q, n_rq}, {&m->r3_q, n_rq},   {&m->B, lin_nnz(&model->pattern.B)},
    };
    m->memory = MEM_PARTS(context, list);
    return m->memory ? ZN_OK : ZN_ERROR_MEMORY;
}

void alpha_motion_destroy(zn_context *context, alpha_motion *m) {
    mem_free(context, m->memory);
    *m = (alpha_motion){0};
}

size_t alpha_carry_size(const zn_model *model, const zn_settings *settings) {
    (void)settings;
    return 2 * ((size_t)model->size.nu + (size_t)model_rows(model)) + (size_t)model->size.n_contacts;
}

void alpha_forces(const scheme *base, const scheme_state *state, const double **a, const double **lambda) {
    *a = state->carry;
    *lambda = state->carry + 2 * base->model->size.nu;
}

int alpha_carried(const scheme *base, carry_piece *pieces) {
    pieces[0] = (carry_piece){.kind = CARRY_NUMBERS, .count = 2 * base->model->size.nu};
    pieces[1] = (carry_piece){.kind = CARRY_ROWS, .count = 2};
    pieces[2] = (carry_piece){.kind = CARRY_CONTACTS, .count = 1};
    return 3;
}

double *alpha_caution(const zn_model *model, double *carry) { return carry + 2 * (model->size.nu + model_rows(model)); }

zn_status alpha_start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    size_t nu = (size_t)base->model->size.nu, n = (size_t)model_rows(base->model);
    for (size_t copy = 0; copy < 2; copy++) {
        memcpy(state->carry + copy * nu, a0, nu * sizeof *a0);
        memcpy(state->carry + 2 * nu + copy * n, lambda0, n * sizeof *lambda0);
    }
    memset(alpha_caution(base->model, state->carry), 0, (size_t)base->model->size.n_contacts * sizeof(double));
    return ZN_OK;
}

/* Accelerations a and ab hold M^-1 W lambda and M^-1 W lb. As long as an open contact is in the list, its Lambda and k cancel the force
 * that lb remembers; once it has left the list, that force would go on acting through ab, for as many steps as the recursion remembers. */
zn_status alpha_let_go(alpha_motion *m, answers *at, prox_estimate *prox, scheme_state *state, const bool *stays) {
    const zn_model *model = m->model;
    int nu = model->size.nu, n = model_rows(model);
    zn_point point = {.t = state->t, .q = state->q, .u = state->u};
    bool asked = false;
    for (int copy = 0; copy < 2; copy++) {
        double *a = state->carry + copy * nu, *force = state->carry + 2 * nu + copy * n, *going = m->lambda, *push = m->a;
        bool any = false;
        memset(going, 0, (size_t)n * sizeof *going);
        memset(push, 0, (size_t)nu * sizeof *push);
        for (int k = 0; k < model->size.n_contacts; k++) {
            const zn_contact *c = &model->contacts[k];
            for (int i = -1; i < c->nF && !stays[k]; i++) {
                int row = i < 0 ? c->row_N : c->row_F + i;
                if (row < 0 || force[row] == 0) continue;
                going[row] = force[row], force[row] = 0;
                any = true;
            }
        }
        if (!any) continue;
        if (!asked && model->balance(model, at->work, &point, &(zn_balance){.M = at->M, .W = at->W})) return ZN_ERROR_NOT_FINITE;
        if (!asked && prox_update(prox, at->M, at->W, NULL) != ZN_OK) return ZN_OK; /* the next step will say so */
        asked = true;
        lin_multiply(&model->pattern.W, at->W, 1, going, push);
        if (prox_solve(prox, push) != ZN_OK) return ZN_OK;
        for (int i = 0; i < nu; i++) a[i] -= push[i];
    }
    return ZN_OK;
}

/* x_0 of the recursion for x in {a, lambda}. */
static void recursion(const alpha_parameters *p, int count, const double *x, const double *xb, double *x_0) {
    for (int i = 0; i < count; i++) x_0[i] = (p->af * x[i] - p->am * xb[i]) / (1 - p->am);
}

int alpha_motion_begin(alpha_motion *m, answers *at, const scheme_state *from, double h) {
    const zn_model *model = m->model;
    const alpha_parameters *p = &m->p;
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model);
    const double *a = from->carry, *ab = a + nu, *lambda = ab + nu, *lb = lambda + n;
    m->h = h;
    m->t = from->t + h;
    recursion(p, nu, a, ab, m->ab_0);
    recursion(p, n, lambda, lb, m->lb_0);
    for (int i = 0; i < nu; i++) {
        m->u_0[i] = from->u[i] + h * ((1 - p->ga) * ab[i] + p->ga * m->ab_0[i]);
        m->weighted[i] = (1 - 2 * p->be) * ab[i] + 2 * p->be * m->ab_0[i];
    }
    for (int i = 0; i < n; i++) {
        m->P_0[i] = h * ((1 - p->ga) * lb[i] + p->ga * m->lb_0[i]);
        m->k_0[i] = h * h / 2 * ((1 - 2 * p->be) * lb[i] + 2 * p->be * m->lb_0[i]);
    }
    zn_point start = {.t = from->t, .q = from->q, .u = from->u, .a = m->weighted};
    zn_constraints rates = {.c0 = m->gap_n, .c1 = m->rate_n};
    if (n > 0 && m->with_rates && model->constraints(model, at->work, &start, &rates)) return 1;
    if (model->natural) {
        for (int i = 0; i < nq; i++) m->q_0[i] = from->q[i] + h * from->u[i] + h * h / 2 * m->weighted[i];
        return 0;
    }
    if (model->kinematics(model, at->work, &start, &(zn_kinematics){.qdot = at->qdot, .qddot = m->q_0, .B = m->B})) return 1;
    for (int i = 0; i < nq; i++) m->q_0[i] = from->q[i] + h * at->qdot[i] + h * h / 2 * m->q_0[i];
    return 0;
}

void alpha_velocities(const alpha_motion *m, const double *a, const double *U, double *u) {
    double factor = m->h * m->p.ga * m->p.c;
    for (int i = 0; i < m->model->size.nu; i++) u[i] = m->u_0[i] + factor * a[i] + U[i];
}

void alpha_positions(const alpha_motion *m, const double *a, const double *Q, double *q) {
    double factor = m->h * m->h * m->p.be * m->p.c;
    if (m->model->natural) {
        for (int i = 0; i < m->model->size.nq; i++) q[i] = m->q_0[i] + factor * a[i] + Q[i];
        return;
    }
    memcpy(q, m->q_0, (size_t)m->model->size.nq * sizeof *q);
    lin_multiply(&m->model->pattern.B, m->B, factor, a, q);
    lin_multiply(&m->model->pattern.B, m->B, 1, Q, q);
}

void alpha_steady(const alpha_motion *m, double *x) {
    for (int i = 0; i < m->model->size.nu; i++) x[i] = -m->h * m->weighted[i] / (2 * m->p.be * m->p.c);
}

void alpha_motion_end(const alpha_motion *m, const double *a, const double *lambda, const double *Lambda, scheme_state *to) {
    int nu = m->model->size.nu, n = model_rows(m->model);
    double *a_next = to->carry, *ab = a_next + nu, *l_next = ab + nu, *lb = l_next + n;
    for (int i = 0; i < nu; i++) {
        a_next[i] = a[i];
        ab[i] = m->ab_0[i] + m->p.c * a[i];
    }
    for (int i = 0; i < n; i++) {
        l_next[i] = lambda[i];
        lb[i] = m->lb_0[i] + m->p.c * lambda[i];
        to->P[i] = m->P_0[i] + m->h * m->p.ga * m->p.c * lambda[i] + Lambda[i];
    }
    memset(alpha_caution(m->model, to->carry), 0, (size_t)m->model->size.n_contacts * sizeof(double));
    to->t = m->t;
}
