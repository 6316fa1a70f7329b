/* SPDX-License-Identifier: Apache-2.0 */
/* The stages as a cone problem: x = (dU_1 .. dU_m, dQ_1 .. dQ_m, dPi_b,1 .. dPi_b,m), y = (dPi_c,1 .. dPi_c,m),
 * mu = D0 + (A x 1) y, b = (g, y) bilateral rows, c = (N, F) contact rows. With a = dU_i/h and lambda = dPi_i/h the
 * model's balance gives
 *
 *   phi:  h r_i = M_i dU_i - h h_i - W_i dPi_i;   dQ_i - h qdot_i;   g_i, gamma_i            psi:  g_N,i, gamma_F,i
 *
 * and by the chain rule, with dQ_i/dx_k = a_ik 1 (natural: dQ_i/d(dU_k) = h (A A)_ik 1), dU_i/d(dU_k) = a_ik 1,
 *
 *   d(h r_i) = M_i [i = k] dU_i + h r_q dQ_i + h r_u dU_i - W_i [i = k] dPi_i   and so on.
 *
 * Natural models (q' = u) have no unknowns dQ. States follow from the rest (states.h), which adds h r_x dX_i to d(h r_i). */
#include "scheme/projected_stages.h"
#include "scheme/apart.h"
#include "scheme/stage_transform.h"

/* Columns of x. */
static int column_U(const stages *s, int k) { return k * s->model->size.nu; }
static int column_Q(const stages *s, int k) { return s->natural ? column_U(s, k) : s->m * s->model->size.nu + k * s->nQ; }
static int column_P(const stages *s, int k) { return s->m * (s->model->size.nu + s->nQ) + k * s->nb; }

/* ---- evaluation ---- */

static void place_stages(stages *s, const double *x) {
    int m = s->m, nq = s->model->size.nq, nu = s->model->size.nu, others = s->states ? s->states->n_others : nq;
    memcpy(s->U, s->U0, (size_t)(m * nu) * sizeof *s->U);
    memcpy(s->Q, s->Q0, (size_t)(m * nq) * sizeof *s->Q);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double a = s->A[i * m + k], *U = s->U + i * nu;
            const double *dU = x + column_U(s, k);
            for (int j = 0; j < nu; j++) U[j] += a * dU[j];
        }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double a = s->A[i * m + k] * (s->natural ? s->h : 1), *Q = s->Q + i * nq;
            const double *dQ = s->natural ? s->U + k * nu : x + column_Q(s, k);
            if (s->states && !s->states->others_first)
                for (int j = 0; j < others; j++) Q[s->states->other_at[j]] += a * dQ[j];
            else
                for (int j = 0; j < others; j++) Q[j] += a * dQ[j];
        }
}

static int ask_model(stages *s, int i, const double *x, const double *y, bool jacobian) {
    const zn_model *model = s->model;
    int nu = model->size.nu;
    answers *at = &s->at[i];
    const double *dU = x + column_U(s, i), *dPi_b = x + column_P(s, i), *dPi_c = y + i * s->nc;
    for (int j = 0; j < nu; j++) s->a[j] = dU[j] / s->h;
    for (int j = 0; j < s->nb; j++) s->lambda[j] = dPi_b[j] / s->h;
    for (int j = 0; j < s->nc; j++) s->lambda[s->nb + j] = dPi_c[j] / s->h;
    zn_point point = {.t = s->tau[i], .q = s->Q + i * model->size.nq, .u = s->U + i * nu, .a = s->a, .lambda = s->lambda};
    zn_balance balance = {.r = at->r};
    zn_constraints constraints = {0};
    zn_kinematics kinematics = {.qdot = at->qdot};
    bool position = model->size.ng + model->size.nN > 0, velocity = model->size.ny + model->size.nF > 0;
    if (position) constraints.c0 = at->c0;
    if (velocity) constraints.c1 = at->c1;
    if (jacobian) {
        balance.r_q = at->r_q, balance.r_u = at->r_u, balance.M = at->M, balance.W = at->W;
        if (position) constraints.c0_q = at->c0_q;
        if (velocity) constraints.c1_q = at->c1_q, constraints.c1_u = at->c1_u;
        kinematics.qdot_q = at->qdot_q, kinematics.B = at->B;
    }
    if (model->balance(model, at->work, &point, &balance)) return 1;
    if ((position || velocity) && !s->free && model->constraints(model, at->work, &point, &constraints)) return 1;
    return !s->natural && !s->states && model->kinematics(model, at->work, &point, &kinematics);
}

static void write_residual(const stages *s, const double *x, double *phi, double *psi) {
    const zn_sizes *size = &s->model->size;
    int row_F = s->nb + size->nN;
    for (int i = 0; i < s->m; i++) {
        const answers *at = &s->at[i];
        double *balance = phi + column_U(s, i), *kinematics = phi + column_Q(s, i), *bilateral = phi + column_P(s, i);
        for (int j = 0; j < size->nu; j++) balance[j] = s->h * at->r[j];
        if (!s->natural)
            for (int j = 0; j < s->nQ; j++) kinematics[j] = x[column_Q(s, i) + j] - s->h * at->qdot[states_other(s->states, j)];
        for (int j = 0; j < size->ng; j++) bilateral[j] = at->c0[j];
        for (int j = size->ng; j < s->nb; j++) bilateral[j] = at->c1[j];
        for (int j = 0; j < size->nN; j++) psi[i * s->nc + j] = at->c0[s->nb + j];
        for (int j = 0; j < size->nF; j++) psi[i * s->nc + size->nN + j] = at->c1[row_F + j];
    }
}

static void fill(const block_sum *sum, double h, double *values) {
    if (!values) return;
    memset(values, 0, (size_t)lin_nnz(&sum->pattern.p) * sizeof *values);
    block_sum_fill(sum, h, values);
}

static void fill_phi_x(void *user) {
    stages *s = user;
    lin_matrix_zero(s->problem.phi_x);
    block_sum_fill(&s->phi_x, s->h, lin_matrix_values(s->problem.phi_x));
}

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    stages *s = user;
    place_stages(s, x);
    if (s->states && states_solve(s->states, s->h, s->tau, s->Q, s->U, s->at, out->jacobian)) return 1;
    for (int i = 0; i < s->m; i++)
        if (ask_model(s, i, x, y, out->jacobian)) return 1;
    if (s->states && out->jacobian) states_derive(s->states, s->at);
    if (out->phi && out->psi) write_residual(s, x, out->phi, out->psi);
    if (out->jacobian && !s->problem.linear) fill_phi_x(s);
    fill(&s->phi_y, s->h, out->phi_y);
    fill(&s->psi_x, s->h, out->psi_x);
    return 0;
}

/* ---- Jacobians ---- */

static zn_status make_cuts(stages *s) {
    const zn_sizes *size = &s->model->size;
    const zn_patterns *p = &s->model->pattern;
    block_range q = {0, size->nq}, u = {0, size->nu}, g = {0, size->ng}, y = {size->ng, size->ny}, N = {s->nb, size->nN},
                F = {s->nb + size->nN, size->nF}, b = {0, s->nb}, c = {s->nb, s->nc};
    stages_cuts *k = &s->cuts;
    const struct {
        block_cut *cut;
        const zn_pattern *pattern;
        bool transposed;
        block_range rows, cols;
    } list[] = {
        {&k->M, &p->M, false, u, u},      {&k->r_q, &p->r_q, false, u, q}, {&k->r_u, &p->r_u, false, u, u},
        {&k->W_b, &p->W, false, u, b},    {&k->W_c, &p->W, false, u, c},   {&k->g_q, &p->c0_q, false, g, q},
        {&k->y_q, &p->c1_q, false, y, q}, {&k->y_u, &p->c1_u, true, y, u}, {&k->N_q, &p->c0_q, false, N, q},
        {&k->F_q, &p->c1_q, false, F, q}, {&k->F_u, &p->c1_u, true, F, u}, {&k->qdot_q, &p->qdot_q, false, q, q},
        {&k->B, &p->B, false, q, u},
    };
    zn_status status = block_cut_identity(s->context, s->nQ, &k->one);
    for (size_t i = 0; i < sizeof list / sizeof *list && status == ZN_OK; i++)
        status = block_cut_create(s->context, list[i].pattern, list[i].transposed, list[i].rows, list[i].cols, list[i].cut);
    if (status != ZN_OK) return status;
    block_cut *by_q[] = {&k->r_q, &k->g_q, &k->y_q, &k->N_q, &k->F_q, &k->qdot_q}, *of_q[] = {&k->qdot_q, &k->B};
    for (size_t i = 0; i < sizeof by_q / sizeof *by_q; i++) states_cut_columns(s->states, by_q[i]);
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++) states_cut_rows(s->states, of_q[i]);
    return ZN_OK;
}

static void destroy_cuts(stages *s) {
    stages_cuts *k = &s->cuts;
    block_cut *list[] = {&k->M,   &k->r_q, &k->r_u, &k->W_b, &k->W_c,    &k->g_q, &k->y_q,
                         &k->y_u, &k->N_q, &k->F_q, &k->F_u, &k->qdot_q, &k->B,   &k->one};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) block_cut_destroy(s->context, list[i]);
}

/* A derivative by Q_i (by U_i), times factor h^power, as derivatives by the unknowns of stage k. */
typedef struct stage_pair {
    int i, k;
} stage_pair;

static void add_by_Q(stages *s, block_sum *sum, const block_cut *cut, const double *source, int row, stage_pair at, double factor,
                     int power) {
    if (s->natural) block_sum_add(sum, cut, source, row, column_U(s, at.k), factor * s->AA[at.i * s->m + at.k], power + 1);
    else block_sum_add(sum, cut, source, row, column_Q(s, at.k), factor * s->A[at.i * s->m + at.k], power);
}

static void add_by_U(stages *s, block_sum *sum, const block_cut *cut, const double *source, int row, stage_pair at, double factor,
                     int power) {
    block_sum_add(sum, cut, source, row, column_U(s, at.k), factor * s->A[at.i * s->m + at.k], power);
}

/* h r_x dX_i, by the unknowns of all stages. */
static void add_states(stages *s, int i) {
    const stage_states *x = s->states;
    for (int k = 0; x && k < s->m; k++) {
        const states_product *by_Q = &x->by[STATES_BY_Q], *by_U = &x->by[STATES_BY_U];
        block_sum_add(&s->phi_x, &by_Q->cut, states_product_of(x, STATES_BY_Q, i, k), column_U(s, i), column_Q(s, k), 1,
                      s->natural ? 2 : 1);
        block_sum_add(&s->phi_x, &by_U->cut, states_product_of(x, STATES_BY_U, i, k), column_U(s, i), column_U(s, k), 1, 1);
    }
}

static void add_stage(stages *s, int i) {
    const stages_cuts *c = &s->cuts;
    const answers *at = &s->at[i];
    static const double one = 1;
    block_sum *phi_x = &s->phi_x;
    int balance = column_U(s, i), kinematics = column_Q(s, i), bilateral = column_P(s, i), ng = s->model->size.ng;
    int N = i * s->nc, F = N + s->model->size.nN;
    block_sum_add(phi_x, &c->M, at->M, balance, balance, 1, 0);
    block_sum_add(phi_x, &c->W_b, at->W, balance, bilateral, -1, 0);
    block_sum_add(&s->phi_y, &c->W_c, at->W, balance, N, -1, 0);
    if (!s->natural) block_sum_add(phi_x, &c->one, &one, kinematics, kinematics, 1, 0);
    for (int k = 0; k < s->m; k++) {
        stage_pair pair = {i, k};
        add_by_Q(s, phi_x, &c->r_q, at->r_q, balance, pair, 1, 1);
        add_by_U(s, phi_x, &c->r_u, at->r_u, balance, pair, 1, 1);
        add_by_Q(s, phi_x, &c->g_q, at->c0_q, bilateral, pair, 1, 0);
        add_by_Q(s, phi_x, &c->y_q, at->c1_q, bilateral + ng, pair, 1, 0);
        add_by_U(s, phi_x, &c->y_u, at->c1_u, bilateral + ng, pair, 1, 0);
        add_by_Q(s, &s->psi_x, &c->N_q, at->c0_q, N, pair, 1, 0);
        add_by_Q(s, &s->psi_x, &c->F_q, at->c1_q, F, pair, 1, 0);
        add_by_U(s, &s->psi_x, &c->F_u, at->c1_u, F, pair, 1, 0);
        if (s->natural) continue;
        add_by_Q(s, phi_x, &c->qdot_q, at->qdot_q, kinematics, pair, -1, 1);
        add_by_U(s, phi_x, &c->B, at->B, kinematics, pair, -1, 1);
    }
}

static zn_status make_jacobians(stages *s, const cone_settings *settings) {
    int nx = s->problem.nx, ny = s->problem.ny;
    block_sum_start(s->context, &s->phi_x);
    block_sum_start(s->context, &s->phi_y);
    block_sum_start(s->context, &s->psi_x);
    const block_cut *body[] = {&s->cuts.M, &s->cuts.one, &s->cuts.qdot_q, &s->cuts.B};
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) block_sum_body(&s->phi_x, body[i]);
    zn_status status = make_cuts(s);
    for (int i = 0; i < s->m && status == ZN_OK; i++) add_stage(s, i), add_states(s, i);
    if (status == ZN_OK) status = block_sum_finish(&s->phi_x, nx, nx);
    if (status == ZN_OK) status = block_sum_finish(&s->phi_y, nx, ny);
    if (status == ZN_OK) status = block_sum_finish(&s->psi_x, ny, nx);
    if (status == ZN_OK) status = apart_matrix(&s->phi_x, s->model, &s->cuts.r_q, &s->problem, settings, &s->weak);
    s->problem.phi_y = s->phi_y.pattern.p;
    s->problem.psi_x = s->psi_x.pattern.p;
    return status;
}

/* A x 1: a_ik on the diagonals of blocks, written column by column. */
static zn_status make_A(stages *s) {
    if (s->trial) return stages_make_law(s);
    int m = s->m, nc = s->nc, ny = m * nc, a = 0;
    s->A_pattern = (lin_pattern){.start = MEM_ARRAY(s->context, int, ny + 1), .index = MEM_ARRAY(s->context, int, m *ny)};
    s->A_values = MEM_ARRAY(s->context, double, m *ny);
    if (!s->A_pattern.start || !s->A_pattern.index || !s->A_values) return ZN_ERROR_MEMORY;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < nc; j++) {
            for (int i = 0; i < m; i++) {
                if (s->A[i * m + k] == 0) continue;
                s->A_pattern.index[a] = i * nc + j;
                s->A_values[a++] = s->A[i * m + k];
            }
            s->A_pattern.start[k * nc + j + 1] = a;
        }
    s->problem.A = s->A_pattern.p = (zn_pattern){ny, ny, s->A_pattern.start, s->A_pattern.index};
    s->problem.A_values = s->A_values;
    return ZN_OK;
}

/* ---- memory ---- */

static zn_status make_memory(stages *s, const double *A) {
    const zn_sizes *size = &s->model->size;
    int m = s->m, nq = size->nq, nu = size->nu, nx = s->problem.nx, ny = s->problem.ny;
    const mem_part list[] = {
        {&s->A, m * m},      {&s->AA, m * m},
        {&s->tau, m},        {&s->since, m},
        {&s->Q0, m * nq},    {&s->U0, m * nu},
        {&s->D0, ny},        {&s->mu_0, s->problem.nmu},
        {&s->rho, ny},       {&s->dPi_c, ny},
        {&s->Q, m * nq},     {&s->U, m * nu},
        {&s->a, nu},         {&s->lambda, s->nb + s->nc},
        {&s->x, nx},         {&s->phi_scale, nx},
        {&s->psi_scale, ny}, {&s->psi_noise, ny},
    };
    s->memory = MEM_PARTS(s->context, list);
    s->phi_unit = MEM_ARRAY(s->context, unsigned char, nx);
    s->psi_unit = MEM_ARRAY(s->context, unsigned char, ny);
    s->cones = MEM_ARRAY(s->context, cone, m * size->n_contacts);
    s->at = MEM_ARRAY(s->context, answers, m);
    if (!s->memory || !s->phi_unit || !s->psi_unit || !s->cones || !s->at) return ZN_ERROR_MEMORY;
    memcpy(s->A, A, (size_t)(m * m) * sizeof *A);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < m; j++) s->AA[i * m + k] += A[i * m + j] * A[j * m + k];
    s->dU = s->x;
    s->dQ = s->natural ? NULL : s->x + column_Q(s, 0);
    s->dPi_b = s->x + column_P(s, 0);
    zn_status status = ZN_OK;
    for (int i = 0; i < m && status == ZN_OK; i++) status = answers_create(s->context, s->model, &s->at[i]);
    return status;
}

static void make_units(stages *s) {
    const zn_sizes *size = &s->model->size;
    memset(s->phi_unit, CONE_VELOCITY, (size_t)s->problem.nx);
    memset(s->psi_unit, CONE_VELOCITY, (size_t)s->problem.ny);
    for (int i = 0; i < s->problem.nx; i++) s->phi_scale[i] = 1;
    for (int i = 0; i < s->problem.ny; i++) s->psi_scale[i] = 1;
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->nQ; j++) s->phi_unit[column_Q(s, i) + j] = CONE_LENGTH;
        for (int j = 0; j < size->ng; j++) s->phi_unit[column_P(s, i) + j] = CONE_LENGTH;
        for (int j = 0; j < size->nN; j++) s->psi_unit[i * s->nc + j] = CONE_LENGTH;
        scheme_cones(s->model, i * s->nc, s->cones + i * size->n_contacts);
        for (int k = 0; s->trial && k < size->n_contacts; k++) /* radii are rows of their own */
            if (s->model->contacts[k].row_N >= 0)
                s->cones[i * size->n_contacts + k].mu_R = s->problem.ny + i * size->nN + s->model->contacts[k].row_N - s->nb;
    }
    s->problem.cones = s->cones;
    s->problem.mu_0 = s->trial ? s->mu_0 : s->D0;
    s->problem.rho = s->rho;
    s->problem.phi_scale = s->phi_scale;
    s->problem.psi_scale = s->psi_scale;
    s->problem.psi_noise = s->psi_noise;
    s->problem.phi_unit = s->phi_unit;
    s->problem.psi_unit = s->psi_unit;
}

/* ---- solves by the eigenvalues of A ---- */

static zn_status transform_factor(void *user) { return stage_transform_factor(((stages *)user)->transform); }
static int transform_solve(void *user, double *b, int columns, bool rough) {
    return stage_transform_solve(((stages *)user)->transform, b, columns, rough);
}

zn_status stages_transform(stages *s) {
    if (!s->transform) {
        zn_status status = stage_transform_create(s, &s->transform);
        if (status != ZN_OK) return status;
    }
    s->linear = (cone_linear){s, transform_factor, transform_solve, fill_phi_x};
    s->problem.linear = s->transform ? &s->linear : NULL;
    return ZN_OK;
}

static zn_status solve_once(void *user, cone_outcome *outcome) {
    stages *s = user;
    return cone_solve(s->solver, s->x, s->dPi_c, outcome);
}

/* The size of the percussion that a joint has carried since t_n, and the given force since then. In bilateral rows the percussions of
 * single stages need not be close to the forces there; their sums are. */
static void find_loads(void *user, double *radius) {
    const stages *s = user;
    int n_contacts = s->model->size.n_contacts;
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < n_contacts; k++) {
            const zn_contact *contact = &s->model->contacts[k];
            double carried[LOADS_MOST] = {0};
            if (!contact->n_load) continue;
            for (int r = 0; r < contact->n_load; r++) {
                int row = contact->load_rows[r];
                double sum = row < 0 ? 0 : s->load_0[i * s->nb + row];
                for (int j = 0; j < s->m && row >= 0; j++) sum += s->A[i * s->m + j] * s->dPi_b[j * s->nb + row];
                carried[r] = sum;
            }
            radius[i * n_contacts + k] = contact->normal_force * s->since[i] + loads_size(contact, carried);
        }
}

stages *stages_create(zn_context *context, const zn_model *model, const zn_settings *settings, int m, const double *A, const bool *trial) {
    stages *s = MEM_ARRAY(context, stages, 1);
    if (!s) return NULL;
    const zn_sizes *size = &model->size;
    int nb = model_row_N(model), nc = model_rows(model) - nb;
    *s = (stages){.context = context, .model = model, .m = m, .nb = nb, .nc = nc, .natural = model->natural, .trial = trial, .h = 1};
    zn_status status = states_create(context, model, m, A, &s->states);
    if (s->states) s->natural = model->others_natural;
    s->nQ = s->natural ? 0 : s->states ? s->states->n_others : size->nq;
    int n_settled = m * (size->nu + s->nQ);
    s->problem = (cone_problem){.nx = n_settled + m * nb,
                                .ny = m * nc,
                                .npsi = m * nc,
                                .nmu = m * (nc + (trial ? size->nN : 0)),
                                .n_cones = m * size->n_contacts,
                                .user = s,
                                .evaluate = evaluate,
                                .n_settled = n_settled};
    const cone_settings chosen = scheme_solver_settings(settings);
    if (status == ZN_OK) status = make_memory(s, A);
    if (status == ZN_OK && s->states) {
        s->states->A = s->states->by[STATES_BY_U].weight = s->A;
        s->states->by[STATES_BY_Q].weight = s->natural ? s->AA : s->A;
    }
    if (status == ZN_OK && !(s->load_0 = MEM_ARRAY(context, double, m *nb))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = make_jacobians(s, &chosen);
    if (status == ZN_OK) status = make_A(s);
    if (status == ZN_OK && !s->states && stage_transform_pays(s)) status = stages_transform(s);
    if (status == ZN_OK) {
        make_units(s);
        s->solver = cone_solver_create(context, &s->problem, &chosen);
    }
    if (s->solver)
        status =
            loads_create(context, model, &s->problem, s->cones, settings->tolerance, (loads_way){s, find_loads, solve_once}, &s->loads);
    if (s->solver && status == ZN_OK) return s;
    stages_destroy(s);
    return NULL;
}

void stages_destroy(stages *s) {
    if (!s) return;
    zn_context *context = s->context;
    cone_solver_destroy(s->solver);
    loads_destroy(s->loads);
    mem_free(context, s->load_0);
    stage_transform_destroy(s->transform);
    states_destroy(s->states);
    lin_matrix_destroy(s->problem.phi_x);
    for (int i = 0; s->at && i < s->m; i++) answers_destroy(context, &s->at[i]);
    destroy_cuts(s);
    block_sum_destroy(&s->phi_x);
    block_sum_destroy(&s->phi_y);
    block_sum_destroy(&s->psi_x);
    lin_pattern_destroy(context, &s->A_pattern);
    void *blocks[] = {s->weak, s->memory, s->A_values, s->phi_unit, s->psi_unit, s->cones, s->at, s};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

/* ---- a solve ---- */

void stages_scale(stages *s, const prox_estimate *estimate, const problem_scales *scales) {
    int nu = s->model->size.nu, nN = s->model->size.nN;
    scales_tell(scales, s->m, &s->problem);
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < nu; j++) s->phi_scale[column_U(s, i) + j] = estimate->mass_scale[j] * scales_of_balance(scales, j);
        for (int j = 0; j < s->nQ; j++) s->phi_scale[column_Q(s, i) + j] = scales_of_position(scales, states_other(s->states, j));
        for (int j = 0; j < s->nb; j++)
            s->phi_scale[column_P(s, i) + j] = j < s->model->size.ng ? scales_of_length(scales, j) : scales_of_rate(scales, j);
        for (int j = 0; j < s->nc; j++)
            s->psi_scale[i * s->nc + j] = j < nN ? scales_of_length(scales, s->nb + j) : scales_of_rate(scales, s->nb + j);
        for (int j = 0; j < nN; j++) s->psi_noise[i * s->nc + j] = scales_noise(scales, s->nb + j);
        /* A gap is h times a velocity. */
        for (int j = 0; j < s->nc; j++) s->rho[i * s->nc + j] = j < nN ? estimate->rho[j] / s->h : estimate->rho[j];
    }
}

zn_status stages_solve(stages *s, cone_outcome *outcome) {
    int n_contacts = s->model->size.n_contacts;
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < n_contacts; k++) {
            s->cones[i * n_contacts + k].reservoir = s->model->contacts[k].normal_force * s->since[i];
            s->cones[i * n_contacts + k].starts = s->since[i] == 0;
        }
    if (s->transform) stage_transform_begin(s->transform);
    if (s->trial) stages_set_law(s);
    zn_status status = s->loads ? loads_solve(s->loads, outcome) : solve_once(s, outcome);
    if (outcome->worst_cone >= 0) outcome->worst_cone %= n_contacts;
    return status;
}

void stages_dQ(const stages *s, double *dQ) {
    const stage_states *x = s->states;
    int nq = s->model->size.nq, n = x ? x->n_others : nq;
    for (int i = 0; i < s->m; i++, dQ += nq)
        for (int j = 0; j < n; j++) dQ[states_other(x, j)] = s->natural ? s->h * s->U[i * n + j] : s->dQ[i * n + j];
    if (x) states_increments(x, dQ - s->m * nq);
}
