/* SPDX-License-Identifier: Apache-2.0 */
/* Lobatto IIIA-IIIB in the momentum form (docs/theory/runge-kutta.md; 000: 47, 61-70 with the signs corrected), a
 * variational integrator for natural systems
 * also where the mass matrix depends on the configuration. With p = dL/du, b = dL/dq + f and unknowns V_i, R_j:
 *
 *   p(tau_i, Q_i, V_i) - p_n - sum_{j<s} ah_ij F_j = 0,   F_j = h b(tau_j, Q_j, V_j) + W_j R_j        i = 1..s
 *   Q_i = q_n + h sum_j a_ij V_j,                         p_n = p(t_n, q_n, u_n)
 *
 * constraints, contact and friction laws of the stages as in partitioned_stages.c with U_i = V_i, dPi_j = R_j, and at the end
 *
 *   p(t_{n+1}, q_{n+1}, u_{n+1}) = p_n + sum_{j<s} b_j F_j + b_s h b_s - W_s Pbar + W_s P
 *
 * which is linear: p(u_{n+1}) = p(V_s) + M_s (u_{n+1} - V_s).  F_j = h b - h r with r = -W lambda (the impact equations).    */
#include "scheme/partitioned.h"

/* Rows i: p_i by Q_i and V_i, F_j by Q_j, V_j and R_j. */
void lagrange_momentum_blocks(partitioned *p) {
    int s = p->s, nu = p->nu, first_b = partitioned_x_b(p);
    const double *Ah = p->method.Ah;
    for (int i = 0; i < s; i++) {
        int row = i * nu;
        block_sum_add(&p->phi_x, &p->cuts.M, p->at[i].M, row, i * nu, 1, 0);
        for (int k = 0; k < s; k++) block_sum_add(&p->phi_x, &p->cuts.p_q, p->momentum[i].p_q, row, k * nu, p->D[i * s + k], 1);
        for (int j = 0; j < s - 1; j++) {
            double a = Ah[i * s + j];
            for (int k = 0; k < s; k++) {
                block_sum_add(&p->phi_x, &p->cuts.b_q, p->momentum[j].b_q, row, k * nu, -a * p->D[j * s + k], 2);
                block_sum_add(&p->phi_x, &p->cuts.r_q, p->at[j].r_q, row, k * nu, a * p->D[j * s + k], 2);
            }
            block_sum_add(&p->phi_x, &p->cuts.b_u, p->momentum[j].b_u, row, j * nu, -a, 1);
            block_sum_add(&p->phi_x, &p->cuts.r_u, p->at[j].r_u, row, j * nu, a, 1);
            block_sum_add(&p->phi_x, &p->cuts.W_b, p->at[j].W, row, first_b + j * p->nb, -a, 0);
            block_sum_add(&p->phi_y, &p->cuts.W_c, p->at[j].W, row, j * p->nc, -a, 0);
        }
    }
}

static zn_point point_of(const partitioned *p, int i) {
    return (zn_point){.t = p->t + p->method.c[i] * p->h,
                      .q = p->Q + i * p->nq,
                      .u = p->U + i * p->nu,
                      .lambda = i < p->s - 1 ? p->lambda + i * p->n : NULL};
}

static int ask_momentum(partitioned *p, int i, bool jacobian) {
    const zn_model *model = p->base.model;
    answers *at = &p->at[i];
    momentum_answers *m = &p->momentum[i];
    zn_point point = point_of(p, i);
    bool loaded = i < p->s - 1; /* the multipliers of the last stage belong to the end of the step */
    zn_momentum wanted = {.p = m->p, .b = m->b};
    if (jacobian) wanted.p_q = m->p_q, wanted.b_q = m->b_q, wanted.b_u = m->b_u;
    if (model->momentum(model, at->work, &point, &wanted)) return 1;
    zn_balance impact = {.no_force = true};
    if (loaded) impact.r = at->r;
    if (jacobian) impact.M = at->M;
    if (loaded && jacobian) impact.W = at->W, impact.r_q = at->r_q, impact.r_u = at->r_u;
    return loaded || jacobian ? model->balance(model, at->work, &point, &impact) : 0;
}

int lagrange_evaluate(void *user, const double *x, const double *y, cone_values *out) {
    partitioned *p = user;
    int s = p->s;
    partitioned_place_stages(p, x, y);
    for (int i = 0; i < s; i++)
        if (ask_momentum(p, i, out->jacobian)) return 1;
    if (partitioned_ask_constraints(p, out->jacobian)) return 1;
    for (int i = 0; i < s && out->phi; i++)
        for (int c = 0; c < p->nu; c++) {
            double impulse = 0;
            for (int j = 0; j < s - 1; j++) impulse += p->method.Ah[i * s + j] * (p->momentum[j].b[c] - p->at[j].r[c]);
            out->phi[i * p->nu + c] = p->momentum[i].p[c] - p->p_start[c] - p->h * impulse;
        }
    partitioned_write(p, x, out);
    return 0;
}

int lagrange_start(partitioned *p) {
    const zn_model *model = p->base.model;
    zn_point point = {.t = p->t, .q = p->q_n, .u = p->u_n};
    return model->momentum(model, p->at[0].work, &point, &(zn_momentum){.p = p->p_start});
}

int lagrange_end_load(partitioned *p, const double *Pbar, double *f, double *ubar) {
    int last = p->s - 1;
    double weight = p->method.b[last] * p->h;
    memcpy(ubar, p->U + last * p->nu, (size_t)p->nu * sizeof *ubar);
    if (partitioned_ask_end(p, Pbar, ubar)) return 1;
    const double *r = p->end->at.r;
    const momentum_answers *end = &p->momentum[last];
    for (int c = 0; c < p->nu; c++) {
        double impulse = 0;
        for (int j = 0; j < last; j++) impulse += p->method.b[j] * (p->momentum[j].b[c] - p->at[j].r[c]);
        f[c] = p->p_start[c] - end->p[c] + p->h * impulse + weight * (end->b[c] - r[c]);
    }
    return 0;
}

const scheme_class scheme_lobatto_3a3b_lagrange = {
    SCHEME_INFO("lobatto-3a3b-lagrange", "Lobatto IIIA-IIIB for momenta, variational; order s-1 while contacts stick (located: 2s-2)", 2,
                "2s-2", 2, PARTITIONED_S_MAX, 2, true, true, false, true, false),
    SCHEME_FUNCTIONS(partitioned_carry_size, partitioned_create, partitioned_start, partitioned_step, partitioned_destroy),
    .carried = partitioned_carried,
    .takes_modes = true,
    .method = tableau_lobatto_3a3b,
    .bound = scheme_bound_lobatto,
    .error = partitioned_error,
    .error_is_partial = true,
};
