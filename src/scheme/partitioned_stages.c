/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of the partitioned schemes (002: 5.26, 5.27, 5.30, 5.36), unknowns dU_j and dPi_j of j = 1..s-1:
 *
 *   M_j dU_j - h h(tau_j, Q_j, U_j) - W_j dPi_j = 0             = h r at (a, lambda) = (dU_j, dPi_j)/h
 *   dQ_i - h (B u + beta)(tau_i, Q_i, U_i) = 0                  i = 1..s; natural systems: dQ_i = h U_i is put in
 *   g(tau_i, Q_i) = 0                                           i = 2..s
 *   sum_j b_j c_j^k gamma(tau_j, Q_j, U_j) = 0                  k = 0..s-2, j = 1..s; also for gamma_F of contacts that stick by their mode
 *   psi_i = (g_N(tau_i, Q_i), gamma_F(tau_i, Q_i, U_i))         i = 2..s, with dPi_{i-1}
 *   gamma_F(t_n, q_n, U_1)                                      staged friction law: with it dPi_F,i belongs to gamma_F,i
 *
 * and what the end of the step (002: 5.26d, 5.60) needs of them, with dPi_s from b_s dPi_s = P - Pbar:
 *
 *   M_s (u_{n+1} - ubar) = b_s h h(tau_s, Q_s, U_s) - W_s Pbar + W_s P,
 *   ubar = u_n + sum_{j<s} b_j dU_j,  Pbar = sum_{j<s} b_j dPi_j                                                           */
#include "scheme/partitioned.h"

void partitioned_place_stages(partitioned *p, const double *x, const double *y) {
    int s = p->s, nv = p->nv, nu = p->nu, nq = p->nq;
    const double *dQ = x + partitioned_x_Q(p), *b = x + partitioned_x_b(p);
    int others = p->states ? p->states->n_others : nq;
    for (int i = 0; i < s; i++) {
        double *U = p->U + i * nu, *Q = p->Q + i * nq;
        memcpy(U, p->u_n, (size_t)nu * sizeof *U);
        memcpy(Q, p->q_n, (size_t)nq * sizeof *Q);
        for (int k = 0; k < nv; k++)
            for (int c = 0; c < nu; c++) U[c] += p->C[i * nv + k] * x[k * nu + c];
        if (p->natural) {
            for (int c = 0; c < others; c++) {
                double sum = p->method.c[i] * p->u_n[c];
                for (int k = 0; k < nv; k++) sum += p->D[i * nv + k] * x[k * nu + c];
                Q[states_other(p->states, c)] += p->h * sum;
            }
        } else
            for (int c = 0; c < others; c++) {
                double sum = 0;
                for (int k = 0; k < s; k++) sum += p->method.A[i * s + k] * dQ[k * others + c];
                Q[states_other(p->states, c)] += sum;
            }
    }
    for (int j = 0; j < s - 1; j++) {
        double *lambda = p->lambda + j * p->n;
        for (int k = 0; k < p->nb; k++) lambda[k] = b[j * p->nb + k] / p->h;
        for (int k = 0; k < p->nc; k++) lambda[p->nb + k] = y[j * p->nc + k] / p->h;
    }
}

static zn_point point_of(const partitioned *p, int i) {
    return (zn_point){.t = p->t + p->method.c[i] * p->h,
                      .q = p->Q + i * p->nq,
                      .u = p->U + i * p->nu,
                      .lambda = i < p->s - 1 ? p->lambda + i * p->n : NULL};
}

/* Q_1 = q_n, and c1 is linear in u: c1(U_1) = c1(u_n) + (dc1/du) (U_1 - u_n), with dc1/du from the start of the step. */
static void rates_of_first_stage(partitioned *p) {
    answers *at = &p->at[0];
    memcpy(at->c1, p->rate_start, (size_t)p->n * sizeof *at->c1);
    if (p->base.model->size.ny == 0 && !p->base.modes && !staged_any(&p->law)) return;
    for (int c = 0; c < p->nu; c++) p->a[c] = p->U[c] - p->u_n[c];
    lin_multiply_transposed(&p->base.model->pattern.c1_u, at->c1_u, 1, p->a, at->c1);
}

int partitioned_ask_constraints(partitioned *p, bool jacobian) {
    const zn_model *model = p->base.model;
    if (p->first) rates_of_first_stage(p);
    for (int i = p->natural ? 1 : 0; i < p->s; i++) {
        answers *at = &p->at[i];
        zn_point point = point_of(p, i);
        if (i > 0 && p->n > 0 && !p->free) {
            zn_constraints wanted = {.c0 = at->c0};
            if (p->velocity_rows) wanted.c1 = at->c1;
            if (jacobian) wanted.c0_q = at->c0_q;
            if (jacobian && p->velocity_rows) wanted.c1_q = at->c1_q, wanted.c1_u = at->c1_u;
            if (model->constraints(model, at->work, &point, &wanted)) return 1;
        }
        if (p->natural || p->states) continue; /* states have asked */
        zn_kinematics wanted = {.qdot = at->qdot};
        if (jacobian) wanted.qdot_q = at->qdot_q, wanted.B = at->B;
        if (model->kinematics(model, at->work, &point, &wanted)) return 1;
    }
    return 0;
}

/* sum_j b_j c_j^m of a row of c1. */
static double weighted_rate(const partitioned *p, int m, int row) {
    double sum = 0;
    for (int j = 0; j < p->s; j++) sum += partitioned_weight(p, m, j) * p->at[j].c1[row];
    return sum;
}

void partitioned_write(const partitioned *p, const double *x, cone_values *out) {
    const zn_model *model = p->base.model;
    int ng = model->size.ng, nN = model->size.nN, first = partitioned_x_Q(p);
    if (out->phi)
        for (int i = 0; i < p->s; i++)
            for (int c = 0; c < p->nQ; c++) {
                int row = first + i * p->nQ + c;
                out->phi[row] = x[row] - p->h * p->at[i].qdot[states_other(p->states, c)];
            }
    for (int m = 0; m < p->s - 1; m++) {
        const double *c0 = p->at[m + 1].c0, *c1 = p->at[m + 1].c1;
        double *phi = out->phi + partitioned_x_b(p) + m * p->nb, *psi = out->psi + m * p->nc;
        for (int k = 0; out->phi && k < ng; k++) phi[k] = c0[k];
        for (int k = ng; out->phi && k < p->nb; k++) phi[k] = weighted_rate(p, m, k);
        for (int k = 0; out->psi && k < p->nc; k++) psi[k] = k < nN ? c0[p->nb + k] : c1[p->nb + k];
    }
    for (int m = 0; out->psi && p->psi_weighted > 0 && m < p->s - 1; m++)
        for (int k = 0; k < model->size.nF; k++) out->psi[p->psi_weighted + m * model->size.nF + k] = weighted_rate(p, m, p->nb + nN + k);
    for (int k = 0; out->psi && p->law.offered && k < model->size.nF; k++) out->psi[p->problem.ny + k] = p->at[0].c1[p->nb + nN + k];
    if (out->jacobian) {
        lin_matrix_zero(p->problem.phi_x);
        block_sum_fill(&p->phi_x, p->h, lin_matrix_values(p->problem.phi_x));
    }
    if (out->phi_y) {
        memset(out->phi_y, 0, (size_t)lin_nnz(&p->phi_y.pattern.p) * sizeof *out->phi_y);
        block_sum_fill(&p->phi_y, p->h, out->phi_y);
    }
    if (out->psi_x) {
        memset(out->psi_x, 0, (size_t)lin_nnz(&p->psi_x.pattern.p) * sizeof *out->psi_x);
        block_sum_fill(&p->psi_x, p->h, out->psi_x);
    }
}

/* h r_x dX_j, by the positions and velocities of all stages i. */
static void state_blocks(partitioned *p, int j) {
    const stage_states *x = p->states;
    int nv = p->nv, first_Q = partitioned_x_Q(p), row = j * p->nu;
    const block_cut *by_q = &x->by[STATES_BY_Q].cut, *by_u = &x->by[STATES_BY_U].cut;
    for (int i = 0; i < p->s; i++) {
        const double *q = states_product_of(x, STATES_BY_Q, j, i), *u = states_product_of(x, STATES_BY_U, j, i);
        for (int k = 0; k < nv; k++) {
            if (p->natural) block_sum_add(&p->phi_x, by_q, q, row, k * p->nu, p->D[i * nv + k], 2);
            block_sum_add(&p->phi_x, by_u, u, row, k * p->nu, p->C[i * nv + k], 1);
        }
        for (int k = 0; !p->natural && k < p->s; k++)
            block_sum_add(&p->phi_x, by_q, q, row, first_Q + k * p->nQ, p->method.A[i * p->s + k], 1);
    }
}

/* Rows h r_j: by dU_k through Q_j, U_j and (k = j) the acceleration; by dPi_j. */
void partitioned_momentum_blocks(partitioned *p) {
    int s = p->s, nu = p->nu, first_Q = partitioned_x_Q(p), first_b = partitioned_x_b(p);
    for (int j = 0; j < s - 1; j++) {
        const answers *at = &p->at[j];
        block_sum_add(&p->phi_x, &p->cuts.M, at->M, j * nu, j * nu, 1, 0);
        for (int k = 0; k < p->nv; k++) {
            if (p->natural) block_sum_add(&p->phi_x, &p->cuts.r_q, at->r_q, j * nu, k * nu, p->D[j * p->nv + k], 2);
            block_sum_add(&p->phi_x, &p->cuts.r_u, at->r_u, j * nu, k * nu, p->C[j * p->nv + k], 1);
        }
        if (!p->natural)
            for (int k = 0; k < s; k++)
                block_sum_add(&p->phi_x, &p->cuts.r_q, at->r_q, j * nu, first_Q + k * p->nQ, p->method.A[j * s + k], 1);
        if (p->states) state_blocks(p, j);
        block_sum_add(&p->phi_x, &p->cuts.W_b, at->W, j * nu, first_b + j * p->nb, -1, 0);
        block_sum_add(&p->phi_y, &p->cuts.W_c, at->W, j * nu, j * p->nc, -1, 0);
    }
}

int partitioned_evaluate(void *user, const double *x, const double *y, cone_values *out) {
    partitioned *p = user;
    const zn_model *model = p->base.model;
    partitioned_place_stages(p, x, y);
    for (int i = 0; p->states && i < p->s; i++) p->tau[i] = p->t + p->method.c[i] * p->h;
    if (p->states && states_solve(p->states, p->h, p->tau, p->Q, p->U, p->at, out->jacobian)) return 1;
    for (int j = 0; j < p->s - 1; j++) {
        answers *at = &p->at[j];
        zn_point point = point_of(p, j);
        for (int c = 0; c < p->nu; c++) p->a[c] = x[j * p->nu + c] / p->h;
        point.a = p->a;
        zn_balance wanted = {.r = at->r};
        if (out->jacobian) wanted.r_q = at->r_q, wanted.r_u = at->r_u, wanted.M = at->M, wanted.W = at->W;
        if (model->balance(model, at->work, &point, &wanted)) return 1;
        for (int c = 0; out->phi && c < p->nu; c++) out->phi[j * p->nu + c] = p->h * at->r[c];
    }
    if (p->states && out->jacobian) states_derive(p->states, p->at);
    if (partitioned_ask_constraints(p, out->jacobian)) return 1;
    partitioned_write(p, x, out);
    return 0;
}

int partitioned_ask_end(partitioned *p, const double *Pbar, bool no_force) {
    const zn_model *model = p->base.model;
    int last = p->s - 1;
    for (int k = 0; k < p->n; k++) p->load[k] = -Pbar[k] / (p->method.b[last] * p->h);
    zn_point point = point_of(p, last);
    point.lambda = p->load;
    answers *at = &p->end->at;
    return model->balance(model, at->work, &point, &(zn_balance){.no_force = no_force, .r = at->r, .M = at->M, .W = at->W});
}

int partitioned_end_load(partitioned *p, const double *Pbar, double *f, double *ubar) {
    int last = p->s - 1;
    if (partitioned_ask_end(p, Pbar, false)) return 1;
    for (int c = 0; c < p->nu; c++) {
        f[c] = -p->method.b[last] * p->h * p->end->at.r[c];
        ubar[c] = p->u_n[c];
        for (int j = 0; j < last; j++) ubar[c] += p->method.b[j] * p->x[j * p->nu + c];
    }
    return 0;
}
