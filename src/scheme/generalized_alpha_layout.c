/* SPDX-License-Identifier: Apache-2.0 */
/* Where the derivatives of the step go. With B = B_n, b = be c, g = ga c and the scaled unknowns (h a, U, Q/h)
 *
 *   dq = h b B d(h a) + h B d(Q/h),   du = g d(h a) + dU
 *
 *                     h a                              U        Q/h             k_g/h   Lambda_b     h lambda_b
 *   h r(a, lambda)    M + h^2 b r_q B + h g r_u        h r_u    h^2 r_q B                            -W_b
 *   r(U, Lambda)      h b r2_q B                       M        h r2_q B                -W_b
 *   r(Q, k)/h         b r3_q B                                  M + r3_q B      -W_g    -W_y/2
 *   g/h               b c0_q B                                  c0_q B
 *   c1                h b c1_q B + g c1_u              c1_u     h c1_q B
 *   h c2              c1_u + h^2 b c2_q B + h g c2_u   h c2_u   h^2 c2_q B
 *
 * and the same rows for the contacts in psi, with xi_q in place of c1_q. phi_y has -W_N (k_N), -W_c (Lambda), -W_F/2 (Lambda_F), -W_c
 * (lambda). */
#include "scheme/generalized_alpha.h"

/* ---- X B ---- */

static zn_status chain_product(zn_context *context, alpha_chain *chain, const zn_pattern *X, const zn_pattern *B) {
    int count = 0;
    for (int j = 0; j < B->cols; j++)
        for (int k = B->start[j]; k < B->start[j + 1]; k++) count += X->start[B->index[k] + 1] - X->start[B->index[k]];
    int *row = MEM_ARRAY(context, int, count), *col = MEM_ARRAY(context, int, count);
    chain->left = MEM_ARRAY(context, int, count);
    chain->right = MEM_ARRAY(context, int, count);
    chain->place = MEM_ARRAY(context, int, count);
    zn_status status = row && col && chain->left && chain->right && chain->place ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        for (int j = 0; j < B->cols; j++)
            for (int k = B->start[j]; k < B->start[j + 1]; k++)
                for (int e = X->start[B->index[k]]; e < X->start[B->index[k] + 1]; e++, chain->count++) {
                    row[chain->count] = X->index[e], col[chain->count] = j;
                    chain->left[chain->count] = e, chain->right[chain->count] = k;
                }
        status = lin_pattern_create(context, X->rows, B->cols, count, row, col, &chain->own, chain->place);
    }
    mem_free(context, row);
    mem_free(context, col);
    if (status != ZN_OK) return status;
    chain->pattern = chain->own.p;
    chain->values = chain->product = MEM_ARRAY(context, double, lin_nnz(&chain->pattern));
    return chain->product ? ZN_OK : ZN_ERROR_MEMORY;
}

static const double *chain_factor(const generalized_alpha *s, int k) {
    const double *factors[ALPHA_CHAINS] = {s->at.r_q, s->motion.r2_q, s->motion.r3_q, s->at.c0_q, s->at.c1_q, s->xi_q, s->at.c2_q};
    return factors[k];
}

static zn_status make_chains(generalized_alpha *s) {
    const zn_patterns *p = &s->base.model->pattern;
    const zn_pattern *X[ALPHA_CHAINS] = {&p->r_q, &p->r_q, &p->r_q, &p->c0_q, &p->c1_q, &p->c1_q, &p->c2_q};
    zn_status status = ZN_OK;
    for (int k = 0; k < ALPHA_CHAINS && status == ZN_OK; k++) {
        if (k == ALPHA_XI && !s->restitutes) {
            s->chain[k].pattern = s->chain[ALPHA_C1].pattern; /* xi = c1 */
            s->chain[k].values = s->chain[ALPHA_C1].values;
        } else if (s->base.model->natural || !X[k]->start) {
            s->chain[k].pattern = *X[k];
            s->chain[k].values = chain_factor(s, k);
        } else status = chain_product(s->base.context, &s->chain[k], X[k], &p->B);
    }
    return status;
}

void alpha_multiply_chains(generalized_alpha *s) {
    for (int k = 0; k < ALPHA_CHAINS; k++) {
        alpha_chain *chain = &s->chain[k];
        if (!chain->product) continue;
        const double *X = chain_factor(s, k), *B = s->motion.B;
        memset(chain->product, 0, (size_t)lin_nnz(&chain->pattern) * sizeof *chain->product);
        for (int e = 0; e < chain->count; e++) chain->product[chain->place[e]] += X[chain->left[e]] * B[chain->right[e]];
    }
}

/* ---- Jacobians ---- */

static zn_status make_cuts(generalized_alpha *s) {
    const zn_sizes *size = &s->base.model->size;
    const zn_patterns *p = &s->base.model->pattern;
    const alpha_chain *c = s->chain;
    block_range all = {0, size->nu}, G = {0, size->ng}, Y = {size->ng, size->ny}, b = {0, s->nb}, N = {s->nb, size->nN},
                F = {s->nb + size->nN, size->nF}, C = {s->nb, s->nc};
    const struct {
        alpha_cut_name name;
        const zn_pattern *pattern;
        bool transposed;
        block_range rows, cols;
    } list[] = {
        {CUT_R_Q, &c[ALPHA_R1].pattern, false, all, all},
        {CUT_R_U, &p->r_u, false, all, all},
        {CUT_M, &p->M, false, all, all},
        {CUT_W_G, &p->W, false, all, G},
        {CUT_W_Y, &p->W, false, all, Y},
        {CUT_W_B, &p->W, false, all, b},
        {CUT_W_N, &p->W, false, all, N},
        {CUT_W_F, &p->W, false, all, F},
        {CUT_W_C, &p->W, false, all, C},
        {CUT_C0_G, &c[ALPHA_C0].pattern, false, G, all},
        {CUT_C0_N, &c[ALPHA_C0].pattern, false, N, all},
        {CUT_C1Q_B, &c[ALPHA_C1].pattern, false, b, all},
        {CUT_C1Q_C, &c[ALPHA_C1].pattern, false, C, all},
        {CUT_C1Q_F, &c[ALPHA_C1].pattern, false, F, all},
        {CUT_C1U_B, &p->c1_u, true, b, all},
        {CUT_C1U_C, &p->c1_u, true, C, all},
        {CUT_C1U_F, &p->c1_u, true, F, all},
        {CUT_C2Q_B, &c[ALPHA_C2].pattern, false, b, all},
        {CUT_C2Q_C, &c[ALPHA_C2].pattern, false, C, all},
        {CUT_C2U_B, &p->c2_u, false, b, all},
        {CUT_C2U_C, &p->c2_u, false, C, all},
    };
    zn_status status = ZN_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && status == ZN_OK; i++)
        status = block_cut_create(s->base.context, list[i].pattern, list[i].transposed, list[i].rows, list[i].cols, &s->cut[list[i].name]);
    return status;
}

/* Rows of the balances. */
static void add_balances(generalized_alpha *s) {
    int nu = s->base.model->size.nu, ng = s->base.model->size.ng;
    double b = s->motion.p.be * s->motion.p.c, g = s->motion.p.ga * s->motion.p.c;
    const double *r1 = s->chain[ALPHA_R1].values, *r2 = s->chain[ALPHA_R2].values, *r3 = s->chain[ALPHA_R3].values;
    const block_cut *cut = s->cut;
    block_sum *sum = &s->phi_x;
    for (int level = 0; level < 3; level++) block_sum_add(sum, &cut[CUT_M], s->at.M, level * nu, level * nu, 1, 0);
    block_sum_add(sum, &cut[CUT_R_Q], r1, 0, 0, b, 2);
    block_sum_add(sum, &cut[CUT_R_Q], r1, 0, 2 * nu, 1, 2);
    block_sum_add(sum, &cut[CUT_R_U], s->at.r_u, 0, 0, g, 1);
    block_sum_add(sum, &cut[CUT_R_U], s->at.r_u, 0, nu, 1, 1);
    block_sum_add(sum, &cut[CUT_W_B], s->at.W, 0, s->x_l, -1, 0);
    block_sum_add(sum, &cut[CUT_R_Q], r2, nu, 0, b, 1);
    block_sum_add(sum, &cut[CUT_R_Q], r2, nu, 2 * nu, 1, 1);
    block_sum_add(sum, &cut[CUT_W_B], s->at.W, nu, s->x_L, -1, 0);
    block_sum_add(sum, &cut[CUT_R_Q], r3, 2 * nu, 0, b, 0);
    block_sum_add(sum, &cut[CUT_R_Q], r3, 2 * nu, 2 * nu, 1, 0);
    block_sum_add(sum, &cut[CUT_W_G], s->at.W, 2 * nu, s->x_k, -1, 0);
    block_sum_add(sum, &cut[CUT_W_Y], s->at.W, 2 * nu, s->x_L + ng, -0.5, 0);
}

/* Rows of constraints on one level; the same for phi (bilateral) and psi (contacts). */
static void add_position_rows(generalized_alpha *s, block_sum *sum, const block_cut *c0, int row) {
    int nu = s->base.model->size.nu;
    block_sum_add(sum, c0, s->chain[ALPHA_C0].values, row, 0, s->motion.p.be * s->motion.p.c, 0);
    block_sum_add(sum, c0, s->chain[ALPHA_C0].values, row, 2 * nu, 1, 0);
}

static void add_velocity_rows(generalized_alpha *s, block_sum *sum, const block_cut *c1_q, const double *by_q, const block_cut *c1_u,
                              int row) {
    int nu = s->base.model->size.nu;
    block_sum_add(sum, c1_q, by_q, row, 0, s->motion.p.be * s->motion.p.c, 1);
    block_sum_add(sum, c1_q, by_q, row, 2 * nu, 1, 1);
    block_sum_add(sum, c1_u, s->at.c1_u, row, 0, s->motion.p.ga * s->motion.p.c, 0);
    block_sum_add(sum, c1_u, s->at.c1_u, row, nu, 1, 0);
}

static void add_acceleration_rows(generalized_alpha *s, block_sum *sum, const block_cut *c2_q, const block_cut *c2_u, const block_cut *c1_u,
                                  int row) {
    int nu = s->base.model->size.nu;
    block_sum_add(sum, c1_u, s->at.c1_u, row, 0, 1, 0);
    block_sum_add(sum, c2_q, s->chain[ALPHA_C2].values, row, 0, s->motion.p.be * s->motion.p.c, 2);
    block_sum_add(sum, c2_q, s->chain[ALPHA_C2].values, row, 2 * nu, 1, 2);
    block_sum_add(sum, c2_u, s->at.c2_u, row, 0, s->motion.p.ga * s->motion.p.c, 1);
    block_sum_add(sum, c2_u, s->at.c2_u, row, nu, 1, 1);
}

static zn_status make_jacobians(generalized_alpha *s) {
    zn_context *context = s->base.context;
    const block_cut *cut = s->cut;
    int nu = s->base.model->size.nu, nN = s->base.model->size.nN;
    const double *c1_q = s->chain[ALPHA_C1].values, *xi_q = s->chain[ALPHA_XI].values;
    block_sum_start(context, &s->phi_x);
    block_sum_body(&s->phi_x, &cut[CUT_M]);
    add_balances(s);
    add_position_rows(s, &s->phi_x, &cut[CUT_C0_G], s->x_k);
    add_velocity_rows(s, &s->phi_x, &cut[CUT_C1Q_B], c1_q, &cut[CUT_C1U_B], s->x_L);
    add_acceleration_rows(s, &s->phi_x, &cut[CUT_C2Q_B], &cut[CUT_C2U_B], &cut[CUT_C1U_B], s->x_l);

    block_sum_start(context, &s->psi_x);
    add_position_rows(s, &s->psi_x, &cut[CUT_C0_N], 0);
    add_velocity_rows(s, &s->psi_x, &cut[CUT_C1Q_C], xi_q, &cut[CUT_C1U_C], s->y_L);
    add_acceleration_rows(s, &s->psi_x, &cut[CUT_C2Q_C], &cut[CUT_C2U_C], &cut[CUT_C1U_C], s->y_l);
    add_velocity_rows(s, &s->psi_x, &cut[CUT_C1Q_F], c1_q, &cut[CUT_C1U_F], s->psi_D);

    block_sum_start(context, &s->phi_y);
    block_sum_add(&s->phi_y, &cut[CUT_W_N], s->at.W, 2 * nu, 0, -1, 0);
    block_sum_add(&s->phi_y, &cut[CUT_W_C], s->at.W, nu, s->y_L, -1, 0);
    block_sum_add(&s->phi_y, &cut[CUT_W_F], s->at.W, 2 * nu, s->y_L + nN, -0.5, 0);
    block_sum_add(&s->phi_y, &cut[CUT_W_C], s->at.W, 0, s->y_l, -1, 0);

    cone_problem *p = &s->problem;
    zn_status status = block_sum_finish(&s->phi_x, p->nx, p->nx);
    if (status == ZN_OK) status = block_sum_finish(&s->psi_x, p->npsi, p->nx);
    if (status == ZN_OK) status = block_sum_finish(&s->phi_y, p->nx, p->ny);
    if (status == ZN_OK) status = block_sum_into_matrix(&s->phi_x, LIN_AUTO, &p->phi_x);
    p->psi_x = s->psi_x.pattern.p;
    p->phi_y = s->phi_y.pattern.p;
    return status;
}

/* ---- multipliers and cones ---- */

/* kh/h = k/h + be c h lambda + k_0/h,  P = Lambda + ga c h lambda + P_0: constant in the scaled unknowns. With the staged law
 * the radii P_N are rows of their own, and ga c may become 0 (alpha_choose_law). */
static zn_status make_multipliers(generalized_alpha *s) {
    zn_context *context = s->base.context;
    int nN = s->base.model->size.nN, ny = s->problem.ny, count = 0, radii = s->law.offered ? nN : 0, total = ny + nN + s->nc + 2 * radii;
    int *row = MEM_ARRAY(context, int, total), *col = MEM_ARRAY(context, int, total), *place = MEM_ARRAY(context, int, total);
    double *value = MEM_ARRAY(context, double, total);
    zn_status status = row && col && place && value ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        for (int k = 0; k < ny; k++) row[count] = col[count] = k, value[count++] = 1;
        for (int k = 0; k < nN; k++) row[count] = k, col[count] = s->y_l + k, value[count++] = s->motion.p.be * s->motion.p.c;
        for (int k = 0; k < s->nc; k++) row[count] = s->y_L + k, col[count] = s->y_l + k, value[count++] = s->motion.p.ga * s->motion.p.c;
        int shares = count - s->nc;
        for (int k = 0; k < radii; k++) row[count] = ny + k, col[count] = s->y_l + k, value[count++] = s->motion.p.ga * s->motion.p.c;
        for (int k = 0; k < radii; k++) row[count] = ny + k, col[count] = s->y_L + k, value[count++] = 1;
        status = lin_pattern_create(context, s->problem.nmu, ny, count, row, col, &s->A, place);
        if (s->law.offered) memcpy(s->share_place, place + shares, (size_t)(s->nc + radii) * sizeof *place);
        for (int k = 0; k < count && status == ZN_OK; k++) s->A_values[place[k]] = value[k];
    }
    mem_free(context, row);
    mem_free(context, col);
    mem_free(context, place);
    mem_free(context, value);
    s->problem.A = s->A.p;
    return status;
}

/* Position level; velocity level where that is closed (A); acceleration level where the velocity is closed too (B), its
 * friction guided by gamma_F where the percussion slips. A contact of constant force has the last two only. */
static void make_cones(generalized_alpha *s) {
    const zn_model *model = s->base.model;
    int count = model->size.n_contacts, nN = model->size.nN;
    for (int k = 0; k < count; k++) {
        const zn_contact *contact = &model->contacts[k];
        int N = contact->row_N < 0 ? -1 : contact->row_N - s->nb, F = contact->row_F - s->nb;
        s->cones[k] = (cone){.psi_N = N, .mu_N = N, .mu_R = -1, .gate = -1, .stick_of = -1, .psi_D = -1};
        for (int level = 1; level < 3; level++) {
            int first = level == 1 ? s->y_L : s->y_l, normal = N < 0 ? -1 : first + N;
            s->cones[level * count + k] = (cone){.psi_N = normal,
                                                 .mu_N = normal,
                                                 .psi_F = first + F,
                                                 .mu_F = first + F,
                                                 .n_balls = contact->n_balls,
                                                 .balls = contact->balls,
                                                 .mu_R = level == 1 && N >= 0 && s->law.offered ? s->problem.ny + N : normal,
                                                 .gate_kind = CONE_IF_CLOSED,
                                                 .gate = (level - 1) * count + k,
                                                 .stick_of = level == 1 ? -1 : count + k,
                                                 .psi_D = level == 1 && !s->law.offered ? -1 : s->psi_D + F - nN};
        }
    }
}

static void make_units(generalized_alpha *s) {
    const cone_problem *p = &s->problem;
    memset(s->phi_unit, CONE_VELOCITY, (size_t)p->nx);
    memset(s->phi_unit + s->x_k, CONE_LENGTH, (size_t)(s->x_L - s->x_k)); /* g/h */
    memset(s->psi_unit, CONE_VELOCITY, (size_t)p->npsi);
    for (int i = 0; i < p->nx; i++) s->phi_scale[i] = 1;
    for (int i = 0; i < p->npsi; i++) s->psi_scale[i] = 1;
}

zn_status alpha_layout_create(generalized_alpha *s) {
    zn_status status = make_chains(s);
    if (status == ZN_OK) status = make_cuts(s);
    if (status == ZN_OK) status = make_jacobians(s);
    if (status == ZN_OK) status = make_multipliers(s);
    if (status != ZN_OK) return status;
    make_cones(s);
    make_units(s);
    return ZN_OK;
}

void alpha_layout_destroy(generalized_alpha *s) {
    zn_context *context = s->base.context;
    lin_matrix_destroy(s->problem.phi_x);
    block_sum_destroy(&s->phi_x);
    block_sum_destroy(&s->phi_y);
    block_sum_destroy(&s->psi_x);
    lin_pattern_destroy(context, &s->A);
    for (int i = 0; i < ALPHA_CUTS; i++) block_cut_destroy(context, &s->cut[i]);
    for (int k = 0; k < ALPHA_CHAINS; k++) {
        alpha_chain *chain = &s->chain[k];
        lin_pattern_destroy(context, &chain->own);
        mem_free(context, chain->product);
        mem_free(context, chain->left);
        mem_free(context, chain->right);
        mem_free(context, chain->place);
    }
}
