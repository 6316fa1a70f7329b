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

#include "base/wide.h"

/* y = y + sum_k f_k x_k of n numbers, in this order. */
static void add_columns(int n, int columns, const double *f, const double *restrict x, double *restrict y) {
    for (int k = 0; k < columns; k++, x += n)
        for (int c = 0; c < n; c++) y[c] += f[k] * x[c];
}

/* Natural systems: Q_i = q_n + h (c_i u_n + sum_k D_ik X_k). A number of unknown velocities that is known makes straight code. */
ALWAYS_INLINE void place_natural(const partitioned *p, int nv, int i, const double *restrict x, double *restrict U, double *restrict Q) {
    const double *C = p->C + i * nv, *D = p->D + i * nv, *restrict u_n = p->u_n, *restrict q_n = p->q_n;
    const double h = p->h, time = p->method.c[i];
    for (int c = 0, nu = p->nu; c < nu; c++) {
        double velocity = u_n[c], way = time * u_n[c];
        for (int k = 0; k < nv; k++) velocity += C[k] * x[k * nu + c], way += D[k] * x[k * nu + c];
        U[c] = velocity, Q[c] = q_n[c] + h * way;
    }
}

/* With states, which are not among the coordinates that velocities move. */
static void place_beside_states(const partitioned *p, int i, const double *x, double *U, double *Q) {
    int nv = p->nv, nu = p->nu;
    memcpy(Q, p->q_n, (size_t)p->nq * sizeof *Q);
    for (int c = 0; c < p->states->n_others; c++) {
        double way = p->method.c[i] * p->u_n[c];
        for (int k = 0; k < nv; k++) way += p->D[i * nv + k] * x[k * nu + c];
        Q[states_other(p->states, c)] += p->h * way;
    }
    memcpy(U, p->u_n, (size_t)nu * sizeof *U);
    add_columns(nu, nv, p->C + i * nv, x, U);
}

static void place_general(const partitioned *p, int i, const double *x, double *U, double *Q) {
    int s = p->s, others = p->states ? p->states->n_others : p->nq;
    const double *dQ = x + partitioned_x_Q(p);
    memcpy(Q, p->q_n, (size_t)p->nq * sizeof *Q);
    for (int c = 0; c < others; c++) {
        double sum = 0;
        for (int k = 0; k < s; k++) sum += p->method.A[i * s + k] * dQ[k * others + c];
        Q[states_other(p->states, c)] += sum;
    }
    memcpy(U, p->u_n, (size_t)p->nu * sizeof *U);
    add_columns(p->nu, p->nv, p->C + i * p->nv, x, U);
}

void partitioned_place_stages(partitioned *p, const double *x, const double *y) {
    int s = p->s;
    const double *b = x + partitioned_x_b(p);
    for (int i = 0; i < s; i++) {
        double *U = p->U + i * p->nu, *Q = p->Q + i * p->nq;
        if (!p->natural) place_general(p, i, x, U, Q);
        else if (p->states) place_beside_states(p, i, x, U, Q);
        else if (p->nv == 1) place_natural(p, 1, i, x, U, Q);
        else place_natural(p, p->nv, i, x, U, Q);
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
        if (jacobian) wanted.qdot_q = i > 0 ? at->qdot_q : NULL, wanted.B = at->B;
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

double partitioned_slip(const partitioned *p, int stage, int row) {
    double sum = 0;
    for (int j = 0; j < p->s; j++) sum += p->smooth[stage * p->s + j] * p->at[j].c1[row];
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
        for (int k = 0; k < model->size.nF; k++)
            out->psi[p->psi_weighted + m * model->size.nF + k] = partitioned_slip(p, m, p->nb + nN + k);
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

/* r = M a - h - W lambda, with the accelerations in p->a. */
static int ask_balance(const partitioned *p, int j, bool jacobian) {
    const zn_model *model = p->base.model;
    const answers *at = &p->at[j];
    zn_point point = point_of(p, j);
    point.a = p->a;
    zn_balance wanted = {.r = at->r};
    if (jacobian) wanted.r_u = at->r_u;
    if (jacobian && (j > 0 || p->states)) wanted.M = at->M, wanted.W = at->W, wanted.r_q = at->r_q; /* Q_1 = q_n, where M and W are known */
    return model->balance(model, at->work, &point, &wanted);
}

/* The same with M and W, where W does not depend on velocities: the model is asked for forces only. */
static int ask_first_balance(const partitioned *p, bool jacobian) {
    const zn_model *model = p->base.model;
    const answers *at = &p->at[0];
    zn_point point = {.t = p->t, .q = p->Q, .u = p->U};
    zn_balance wanted = {.r = at->r};
    if (jacobian && lin_nnz(&model->pattern.r_u) > 0) wanted.r_u = at->r_u;
    if (model->balance(model, at->work, &point, &wanted)) return 1;
    lin_multiply(&model->pattern.M, at->M, 1, p->a, at->r);
    lin_multiply(&model->pattern.W, at->W, -1, p->lambda, at->r);
    return 0;
}

int partitioned_evaluate(void *user, const double *x, const double *y, cone_values *out) {
    partitioned *p = user;
    const zn_model *model = p->base.model;
    partitioned_place_stages(p, x, y);
    for (int i = 0; p->states && i < p->s; i++) p->tau[i] = p->t + p->method.c[i] * p->h;
    if (p->states && states_solve(p->states, p->h, p->tau, p->Q, p->U, p->at, out->jacobian)) return 1;
    for (int j = 0; j < p->s - 1; j++) {
        for (int c = 0; c < p->nu; c++) p->a[c] = x[j * p->nu + c] / p->h;
        bool linear = j == 0 && !p->states && model->forces_along_rows;
        if (linear ? ask_first_balance(p, out->jacobian) : ask_balance(p, j, out->jacobian)) return 1;
        for (int c = 0; out->phi && c < p->nu; c++) out->phi[j * p->nu + c] = p->h * p->at[j].r[c];
    }
    if (p->states && out->jacobian) states_derive(p->states, p->at);
    if (partitioned_ask_constraints(p, out->jacobian)) return 1;
    partitioned_write(p, x, out);
    return 0;
}

/* c1 at ubar, with its derivative. */
static int ask_end_rates(const partitioned *p, const double *ubar) {
    const zn_model *model = p->base.model;
    linear_problem *end = p->end;
    zn_point point = {.t = p->t + p->h, .q = p->Q + (p->s - 1) * p->nq, .u = ubar};
    if (p->n == 0 || p->free) return 0;
    return model->constraints(model, end->at.work, &point, &(zn_constraints){.c1 = end->c, .c1_u = end->at.c1_u});
}

int partitioned_ask_end(partitioned *p, const double *Pbar, const double *ubar) {
    const zn_model *model = p->base.model;
    answers *at = &p->end->at;
    zn_point point = point_of(p, p->s - 1);
    for (int k = 0; k < p->n; k++) p->load[k] = -Pbar[k] / (p->method.b[p->s - 1] * p->h);
    bool along = model->forces_along_rows && !p->lagrange && p->n > 0 && !p->free;
    zn_balance wanted = {.no_force = p->lagrange, .r = at->r, .M = at->M, .W = along ? NULL : at->W};
    point.lambda = along ? NULL : p->load;
    if (ask_end_rates(p, ubar) || model->balance(model, at->work, &point, &wanted)) return 1;
    if (!along) return 0;
    memcpy(at->W, at->c1_u, (size_t)lin_nnz(&model->pattern.W) * sizeof *at->W);
    lin_multiply(&model->pattern.W, at->W, -1, p->load, at->r);
    return 0;
}

int partitioned_end_load(partitioned *p, const double *Pbar, double *f, double *ubar) {
    int last = p->s - 1;
    for (int c = 0; c < p->nu; c++) {
        ubar[c] = p->u_n[c];
        for (int j = 0; j < last; j++) ubar[c] += p->method.b[j] * p->x[j * p->nu + c];
    }
    if (partitioned_ask_end(p, Pbar, ubar)) return 1;
    for (int c = 0; c < p->nu; c++) f[c] = -p->method.b[last] * p->h * p->end->at.r[c];
    return 0;
}
