/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the stage problem, from tableau and model:
 *
 *   x = (X_1 .. X_nv, dQ_1 .. dQ_s unless natural, dPi_b,1 .. dPi_b,s-1),   y = (dPi_c,1 .. dPi_c,s-1)
 *
 *   X_j = dU_j, j < s:     U_i = u_n + sum_j ah_ij X_j          (momentum form: X_i = V_i - u_n, i <= s)
 *
 *   phi = (nv momentum rows; dQ_i - h q'(tau_i, Q_i, U_i);  g(tau_i, Q_i) for i = 2..s, sum_j b_j c_j^k gamma(tau_j, Q_j, U_j) for k =
 * 0..s-2)
 *   psi = (g_N(tau_i, Q_i), gamma_F(tau_i, Q_i, U_i))  for i = 2..s, with the multipliers of stage i - 1                    */
#include "scheme/partitioned.h"

#include "linalg/dense.h"
#include "scheme/apart.h"

static void set_coefficients(partitioned *p) {
    int s = p->s;
    const double *A = p->method.A, *Ah = p->method.Ah;
    for (int i = 0; i < s; i++)
        for (int k = 0; k < p->nv; k++) p->C[i * p->nv + k] = p->lagrange ? i == k : Ah[i * s + k];
    for (int i = 0; i < s; i++)
        for (int k = 0; k < p->nv; k++) {
            long double sum = 0;
            for (int j = 0; j < s; j++) sum += (long double)A[i * s + j] * p->C[j * p->nv + k];
            p->D[i * p->nv + k] = i == 0 ? 0 : (double)sum;
        }
}

/* The polynomial of degree s - 2 with the moments sum_j b_j c_j^k gamma_j, k = 0 .. s - 2, at stage i is sum_j smooth_ij gamma_j: with
 * delta_j of the divided difference of the stages, smooth = 1 - (delta/b) delta' / sum_j delta_j^2/b_j. */
static void set_smooth(partitioned *p) {
    int s = p->s;
    double delta[PARTITIONED_S_MAX], sum = 0;
    for (int j = 0; j < s; j++) {
        delta[j] = 1;
        for (int i = 0; i < s; i++)
            if (i != j) delta[j] /= p->method.c[j] - p->method.c[i];
        sum += delta[j] * delta[j] / p->method.b[j];
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) p->smooth[i * s + j] = (i == j) - delta[i] / p->method.b[i] * delta[j] / sum;
}

/* dPsi_{m+2}/dmu_m: the diagonal of E (stage multipliers) or E Ah_bb^-1 (integrated ones), E = (A Ah) or Ah in rows 2..s. */
static void set_shares(partitioned *p) {
    int s = p->s, r = s - 1;
    double H[PARTITIONED_S_MAX * PARTITIONED_S_MAX], inverse[PARTITIONED_S_MAX * PARTITIONED_S_MAX] = {0};
    int pivot[PARTITIONED_S_MAX];
    for (int j = 0; j < r; j++) {
        inverse[j * r + j] = 1;
        for (int i = 0; i < r; i++) H[j * r + i] = p->method.Ah[i * s + j];
    }
    if (p->integrated && lin_dense_lu_factor(r, H, pivot) == 0) lin_dense_lu_solve(r, H, pivot, inverse, r);
    for (int m = 0; m < r; m++) {
        double N = 0, F = 0;
        for (int k = 0; k < r; k++) {
            double velocity = p->method.Ah[(m + 1) * s + k], position = 0;
            for (int j = 0; j < s; j++) position += p->method.A[(m + 1) * s + j] * p->method.Ah[j * s + k];
            N += position * inverse[m * r + k];
            F += velocity * inverse[m * r + k];
        }
        p->share_N[m] = N > 0 ? N : p->method.c[m + 1];
        p->share_F[m] = F > 0 ? F : p->method.c[m + 1];
    }
}

static zn_status make_cuts(partitioned *p) {
    zn_context *context = p->base.context;
    const zn_model *model = p->base.model;
    const zn_patterns *pattern = &model->pattern;
    partitioned_cuts *c = &p->cuts;
    int ng = model->size.ng, ny = model->size.ny, nN = model->size.nN, nF = model->size.nF;
    block_range q = {0, p->nq}, u = {0, p->nu}, g = {0, ng}, y = {ng, ny}, N = {ng + ny, nN}, F = {ng + ny + nN, nF};
    block_range b = {0, p->nb}, contacts = {p->nb, p->nc};
    const struct {
        const zn_pattern *pattern;
        bool wanted, transposed;
        block_range rows, cols;
        block_cut *cut;
    } list[] = {
        {&pattern->r_q, true, false, u, q, &c->r_q},
        {&pattern->r_u, true, false, u, u, &c->r_u},
        {&pattern->M, true, false, u, u, &c->M},
        {&pattern->W, true, false, u, b, &c->W_b},
        {&pattern->W, true, false, u, contacts, &c->W_c},
        {&pattern->qdot_q, !p->natural, false, q, q, &c->qdot_q},
        {&pattern->B, !p->natural, false, q, u, &c->B},
        {&pattern->c0_q, true, false, g, q, &c->g_q},
        {&pattern->c1_q, true, false, y, q, &c->y_q},
        {&pattern->c1_u, true, true, y, u, &c->y_u},
        {&pattern->c0_q, true, false, N, q, &c->N_q},
        {&pattern->c1_q, true, false, F, q, &c->F_q},
        {&pattern->c1_u, true, true, F, u, &c->F_u},
        {&pattern->p_q, p->lagrange, false, u, q, &c->p_q},
        {&pattern->b_q, p->lagrange, false, u, q, &c->b_q},
        {&pattern->b_u, p->lagrange, false, u, u, &c->b_u},
    };
    zn_status status = block_cut_identity(context, p->nQ, &c->one_q);
    for (size_t i = 0; i < sizeof list / sizeof *list && status == ZN_OK; i++)
        if (list[i].wanted)
            status = block_cut_create(context, list[i].pattern, list[i].transposed, list[i].rows, list[i].cols, list[i].cut);
    if (status != ZN_OK) return status;
    block_cut *by_q[] = {&c->r_q, &c->g_q, &c->y_q, &c->N_q, &c->F_q, &c->qdot_q}, *of_q[] = {&c->qdot_q, &c->B};
    for (size_t i = 0; i < sizeof by_q / sizeof *by_q; i++) states_cut_columns(p->states, by_q[i]);
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++) states_cut_rows(p->states, of_q[i]);
    return ZN_OK;
}

static void destroy_cuts(partitioned *p) {
    partitioned_cuts *c = &p->cuts;
    block_cut *list[] = {&c->one_q, &c->r_q, &c->r_u, &c->M,   &c->W_b, &c->W_c, &c->qdot_q, &c->B,  &c->g_q,
                         &c->y_q,   &c->y_u, &c->N_q, &c->F_q, &c->F_u, &c->p_q, &c->b_q,    &c->b_u};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) block_cut_destroy(p->base.context, list[i]);
}

static zn_status take_momentum(partitioned *p) {
    const zn_patterns *pattern = &p->base.model->pattern;
    p->momentum = MEM_ARRAY(p->base.context, momentum_answers, p->s);
    if (!p->momentum) return ZN_ERROR_MEMORY;
    size_t p_q = (size_t)lin_nnz(&pattern->p_q), b_q = (size_t)lin_nnz(&pattern->b_q), b_u = (size_t)lin_nnz(&pattern->b_u);
    size_t nu = (size_t)p->nu;
    for (int i = 0; i < p->s; i++) {
        double *next = MEM_ARRAY(p->base.context, double, 2 * nu + p_q + b_q + b_u);
        if (!next) return ZN_ERROR_MEMORY;
        p->momentum[i] = (momentum_answers){
            .p = next, .b = next + nu, .p_q = next + 2 * nu, .b_q = next + 2 * nu + p_q, .b_u = next + 2 * nu + p_q + b_q};
    }
    return ZN_OK;
}

static zn_status take_memory(partitioned *p) {
    zn_context *context = p->base.context;
    size_t s = (size_t)p->s, nq = (size_t)p->nq, nu = (size_t)p->nu, n = (size_t)p->n;
    size_t nx = (size_t)p->problem.nx, ny = (size_t)p->problem.ny, npsi = (size_t)p->problem.npsi;
    struct {
        double **place;
        size_t count;
    } list[] = {
        {&p->Q, s * nq},     {&p->U, s * nu},       {&p->lambda, s * n},   {&p->a, nu},
        {&p->load, n},       {&p->load_r, nu},      {&p->rate_start, n},   {&p->c1_start, n},
        {&p->p_start, nu},   {&p->x, nx},           {&p->y, ny},           {&p->rho, ny},
        {&p->phi_scale, nx}, {&p->psi_scale, npsi}, {&p->psi_noise, npsi}, {&p->A_values, ny * (s - 1)},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) total += list[i].count;
    p->memory = MEM_ARRAY(context, double, total);
    p->phi_unit = MEM_ARRAY(context, unsigned char, nx);
    p->psi_unit = MEM_ARRAY(context, unsigned char, npsi);
    p->cones = MEM_ARRAY(context, cone, p->problem.n_cones);
    p->at = MEM_ARRAY(context, answers, s);
    if (!p->memory || !p->phi_unit || !p->psi_unit || !p->cones || !p->at) return ZN_ERROR_MEMORY;
    double *next = p->memory;
    for (size_t i = 0; i < sizeof list / sizeof *list; next += list[i].count, i++) *list[i].place = next;
    zn_status status = ZN_OK;
    for (size_t i = 0; i < s && status == ZN_OK; i++) status = answers_create(context, p->base.model, &p->at[i]);
    if (status == ZN_OK && p->lagrange) status = take_momentum(p);
    return status;
}

static void set_units(partitioned *p) {
    const zn_model *model = p->base.model;
    int first_b = partitioned_x_b(p), nx = p->problem.nx;
    for (int i = 0; i < nx; i++) {
        bool velocity = i < p->nv * p->nu || (i >= first_b && (i - first_b) % p->nb >= model->size.ng);
        p->phi_unit[i] = velocity ? CONE_VELOCITY : CONE_LENGTH; /* momentum rows are scaled by the mass */
        p->phi_scale[i] = 1;
    }
    for (int i = 0; i < p->problem.npsi; i++) {
        p->psi_unit[i] = i < p->problem.ny && i % p->nc < model->size.nN ? CONE_LENGTH : CONE_VELOCITY;
        p->psi_scale[i] = 1;
    }
}

/* Derivative of `weight` times a function of Q_i, in rows `row`: by the velocities (natural) or by the position increments. */
static void add_by_position(partitioned *p, block_sum *sum, const block_cut *cut, const double *source, int row, int i, double weight) {
    if (p->natural)
        for (int k = 0; k < p->nv; k++) block_sum_add(sum, cut, source, row, k * p->nu, weight * p->D[i * p->nv + k], 1);
    else
        for (int k = 0; k < p->s; k++)
            block_sum_add(sum, cut, source, row, partitioned_x_Q(p) + k * p->nQ, weight * p->method.A[i * p->s + k], 0);
}

static void add_by_velocity(partitioned *p, block_sum *sum, const block_cut *cut, const double *source, int row, int i, double weight) {
    for (int k = 0; k < p->nv; k++) block_sum_add(sum, cut, source, row, k * p->nu, weight * p->C[i * p->nv + k], 0);
}

/* Sum m of a function of velocities over the stages; the position of the first is known. */
static void add_weighted(partitioned *p, block_sum *sum, const block_cut *by_q, const block_cut *by_u, int row, const double *weights) {
    for (int i = 0; i < p->s; i++) {
        double weight = weights[i];
        if (weight == 0) continue;
        if (i > 0) add_by_position(p, sum, by_q, p->at[i].c1_q, row, i, weight);
        add_by_velocity(p, sum, by_u, p->at[i].c1_u, row, i, weight);
    }
}

static void kinematic_blocks(partitioned *p) {
    int s = p->s, first = partitioned_x_Q(p);
    for (int i = 0; i < s; i++) {
        int row = first + i * p->nQ;
        block_sum_add(&p->phi_x, &p->cuts.one_q, &p->one, row, row, 1, 0);
        for (int k = 0; k < s; k++)
            block_sum_add(&p->phi_x, &p->cuts.qdot_q, p->at[i].qdot_q, row, first + k * p->nQ, -p->method.A[i * s + k], 1);
        for (int k = 0; k < p->nv; k++) block_sum_add(&p->phi_x, &p->cuts.B, p->at[i].B, row, k * p->nu, -p->C[i * p->nv + k], 1);
    }
}

static void constraint_blocks(partitioned *p) {
    const zn_model *model = p->base.model;
    for (int m = 0; m < p->s - 1; m++) {
        int i = m + 1, g = partitioned_x_b(p) + m * p->nb, y = g + model->size.ng, N = m * p->nc, F = N + model->size.nN;
        add_by_position(p, &p->phi_x, &p->cuts.g_q, p->at[i].c0_q, g, i, 1);
        double moment[PARTITIONED_S_MAX];
        for (int j = 0; j < p->s; j++) moment[j] = partitioned_weight(p, m, j);
        add_weighted(p, &p->phi_x, &p->cuts.y_q, &p->cuts.y_u, y, moment);
        add_by_position(p, &p->psi_x, &p->cuts.N_q, p->at[i].c0_q, N, i, 1);
        add_by_position(p, &p->psi_x, &p->cuts.F_q, p->at[i].c1_q, F, i, 1);
        add_by_velocity(p, &p->psi_x, &p->cuts.F_u, p->at[i].c1_u, F, i, 1);
        if (p->psi_weighted > 0)
            add_weighted(p, &p->psi_x, &p->cuts.F_q, &p->cuts.F_u, p->psi_weighted + m * model->size.nF, p->smooth + m * p->s);
    }
    if (!p->law.offered) return;
    add_by_velocity(p, &p->psi_x, &p->cuts.F_u, p->at[0].c1_u, p->problem.ny, 0, 1);
}

static zn_status make_matrices(partitioned *p, const cone_settings *settings) {
    block_sum_start(p->base.context, &p->phi_x);
    block_sum_start(p->base.context, &p->phi_y);
    block_sum_start(p->base.context, &p->psi_x);
    const block_cut *body[] = {&p->cuts.M, &p->cuts.one_q, &p->cuts.qdot_q, &p->cuts.B};
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) block_sum_body(&p->phi_x, body[i]);
    if (p->lagrange) lagrange_momentum_blocks(p);
    else partitioned_momentum_blocks(p);
    if (!p->natural) kinematic_blocks(p);
    constraint_blocks(p);
    zn_status status = block_sum_finish(&p->phi_x, p->problem.nx, p->problem.nx);
    if (status == ZN_OK) status = block_sum_finish(&p->phi_y, p->problem.nx, p->problem.ny);
    if (status == ZN_OK) status = block_sum_finish(&p->psi_x, p->problem.npsi, p->problem.nx);
    if (status == ZN_OK) status = apart_matrix(&p->phi_x, p->base.model, &p->cuts.r_q, &p->problem, settings, &p->weak);
    return status;
}

/* mu = A y: DPi_m = sum_j ah_mj dPi_j for m < s, row after row of lambda. */
static zn_status make_A(partitioned *p) {
    int r = p->s - 1, ny = p->problem.ny, count = r * ny;
    int *row = MEM_ARRAY(p->base.context, int, count), *col = MEM_ARRAY(p->base.context, int, count);
    int *place = MEM_ARRAY(p->base.context, int, count);
    zn_status status = row && col && place ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        for (int e = 0; e < count; e++) {
            row[e] = e / r;
            col[e] = e / r % p->nc + e % r * p->nc;
        }
        status = lin_pattern_create(p->base.context, ny, ny, count, row, col, &p->A, place);
    }
    for (int e = 0; e < count && status == ZN_OK; e++) p->A_values[place[e]] = p->method.Ah[e / r / p->nc * p->s + e % r];
    mem_free(p->base.context, row);
    mem_free(p->base.context, col);
    mem_free(p->base.context, place);
    p->problem.A = p->A.p;
    p->problem.A_values = p->A_values;
    return status;
}

static zn_status make_solvers(partitioned *p, const zn_settings *settings, const cone_settings *chosen) {
    cone_problem *problem = &p->problem;
    int n_contacts = p->base.model->size.n_contacts;
    for (int m = 0; m < p->s - 1; m++) {
        scheme_cones(p->base.model, m * p->nc, p->cones + m * n_contacts);
        for (int k = 0; k < n_contacts; k++) p->cones[m * n_contacts + k].starts = m == 0;
        for (int k = 0; k < n_contacts && p->law.offered; k++) p->cones[m * n_contacts + k].psi_D = partitioned_own_slip(p, m, k);
        for (int k = 0; k < n_contacts && p->psi_weighted > 0; k++)
            p->cones[m * n_contacts + k].psi_stick =
                p->psi_weighted + m * p->base.model->size.nF + p->base.model->contacts[k].row_F - model_row_F(p->base.model);
    }
    problem->cones = p->cones;
    problem->phi_y = p->phi_y.pattern.p;
    problem->psi_x = p->psi_x.pattern.p;
    problem->rho = p->rho;
    problem->phi_scale = p->phi_scale;
    problem->psi_scale = p->psi_scale;
    problem->psi_noise = p->psi_noise;
    problem->phi_unit = p->phi_unit;
    problem->psi_unit = p->psi_unit;
    zn_status status = p->integrated ? make_A(p) : ZN_OK;
    if (status != ZN_OK) return status;
    p->solver = cone_solver_create(p->base.context, problem, chosen);
    status = loads_create(p->base.context, p->base.model, problem, p->cones, settings->tolerance,
                          (loads_way){p, partitioned_find_loads, partitioned_solve_once}, &p->loads);
    if (status != ZN_OK) return status;
    p->end = p->solver ? linear_problem_create(p->base.context, p->base.model, settings, CONE_VELOCITY) : NULL;
    if (p->end) p->end->scales = &p->base.scales;
    return p->end ? prox_create(p->base.context, p->base.model, &p->prox) : ZN_ERROR_MEMORY;
}

zn_status partitioned_layout(partitioned *p, const zn_settings *settings) {
    const zn_model *model = p->base.model;
    p->s = p->method.s;
    p->nv = p->lagrange ? p->s : p->s - 1;
    p->nq = model->size.nq, p->nu = model->size.nu;
    p->n = model_rows(model), p->nb = model_row_N(model), p->nc = p->n - p->nb;
    p->velocity_rows = model->size.ny + model->size.nF > 0;
    p->one = 1;
    for (int k = 0; k < model->size.n_contacts; k++) p->restitution |= model->contacts[k].e_N != 0 || model->contacts[k].e_F != 0;
    set_coefficients(p);
    set_shares(p);
    set_smooth(p);
    zn_status status = p->lagrange ? ZN_OK : states_create(p->base.context, model, p->s, p->method.A, &p->states);
    p->natural = p->states ? model->others_natural : model->natural;
    p->nQ = p->natural ? 0 : p->states ? p->states->n_others : p->nq;
    if (status == ZN_OK) status = impact_law_create(p->base.context, model, settings, &p->base.scales, &p->impacts);
    p->restitution |= p->impacts != NULL;
    if (status == ZN_OK) status = staged_create(p->base.context, model, settings, &p->base.scales, &p->law);
    if (status != ZN_OK) return status;
    p->law.one_velocity = p->s == 2;
    if (p->integrated) p->law.offered = false; /* an option that shows the loss of order */
    int first_b = partitioned_x_b(p), stages = p->s - 1, own = stages * p->nc + (p->law.offered ? model->size.nF : 0);
    bool weighted = settings->contact_events == ZN_EVENTS_LOCATED && model->size.nF > 0;
    p->psi_weighted = weighted ? own : 0;
    p->first_rates = p->law.offered || weighted || model->size.ny > 0;
    p->problem = (cone_problem){.nx = first_b + stages * p->nb,
                                .ny = stages * p->nc,
                                .npsi = own + (weighted ? stages * model->size.nF : 0),
                                .nmu = stages * p->nc,
                                .n_cones = stages * model->size.n_contacts,
                                .user = p,
                                .n_settled = first_b,
                                .evaluate = p->lagrange ? lagrange_evaluate : partitioned_evaluate};
    const cone_settings chosen = scheme_solver_settings(settings);
    status = take_memory(p);
    if (status == ZN_OK) status = make_cuts(p);
    if (status == ZN_OK) status = make_matrices(p, &chosen);
    if (status == ZN_OK) status = make_solvers(p, settings, &chosen);
    if (status == ZN_OK) set_units(p);
    return status;
}

void partitioned_release(partitioned *p) {
    zn_context *context = p->base.context;
    cone_solver_destroy(p->solver);
    loads_destroy(p->loads);
    linear_problem_destroy(p->end);
    impact_map_destroy(context, p->impacts);
    prox_destroy(context, &p->prox);
    staged_destroy(&p->law);
    states_destroy(p->states);
    block_sum *sums[] = {&p->phi_x, &p->phi_y, &p->psi_x};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) block_sum_destroy(sums[i]);
    lin_matrix_destroy(p->problem.phi_x);
    lin_pattern_destroy(context, &p->A);
    destroy_cuts(p);
    for (int i = 0; p->at && i < p->s; i++) answers_destroy(context, &p->at[i]);
    for (int i = 0; p->momentum && i < p->s; i++) mem_free(context, p->momentum[i].p);
    void *blocks[] = {p->weak, p->at, p->momentum, p->memory, p->phi_unit, p->psi_unit, p->cones};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}
