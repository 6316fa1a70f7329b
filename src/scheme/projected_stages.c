/* SPDX-License-Identifier: Apache-2.0 */
/* The stages as a cone problem: x = (dU_1 .. dU_m, dQ_1 .. dQ_m, dPi_b,1 .. dPi_b,m), y = (dPi_c,1 .. dPi_c,m), mu = D0 + (A x 1) y,
 * b = (g, y) bilateral rows, c = (N, F) contact rows. With a = dU_i/h and lambda = dPi_i/h the model's balance gives
 *
 *   phi:  h r_i = M_i dU_i - h h_i - W_i dPi_i;   dQ_i - h qdot_i;   g_i, gamma_i            psi:  g_N,i, gamma_F,i
 *
 * and by the chain rule, with dQ_i/dx_k = a_ik 1 (natural: dQ_i/d(dU_k) = h (A A)_ik 1), dU_i/d(dU_k) = a_ik 1,
 *
 *   d(h r_i) = M_i [i = k] dU_i + h r_q dQ_i + h r_u dU_i - W_i [i = k] dPi_i   and so on.
 *
 * Natural models (q' = u) have no unknowns dQ.                                                                              */
#include "scheme/projected_stages.h"


/* What a sum of a few terms loses, relative to their size. */
static const double ROUNDOFF = 1e-15;

/* Blocks of phi_x, for each pair (i, k) of stages; -1: not there. */
enum { BLOCK_M, BLOCK_W, BLOCK_R_Q, BLOCK_R_U, BLOCK_G_Q, BLOCK_Y_Q, BLOCK_Y_U, BLOCK_ONE, BLOCK_QDOT_Q, BLOCK_B, BLOCKS };

static int *blocks_of(const stages *s, int i, int k) { return s->blocks + (i * s->m + k) * BLOCKS; }
/* Factors of the chain rule. */
static double by_q(const stages *s, int i, int k) { return s->natural ? s->h * s->AA[i * s->m + k] : s->A[i * s->m + k]; }
static double by_u(const stages *s, int i, int k) { return s->A[i * s->m + k]; }
static bool q_depends(const stages *s, int i, int k) { return (s->natural ? s->AA : s->A)[i * s->m + k] != 0; }
static bool u_depends(const stages *s, int i, int k) { return s->A[i * s->m + k] != 0; }
/* Columns of x. */
static int column_U(const stages *s, int k) { return k * s->model->size.nu; }
static int column_Q(const stages *s, int k) { return s->natural ? column_U(s, k) : s->m * s->model->size.nu + k * s->model->size.nq; }
static int column_P(const stages *s, int k) {
    return s->m * (s->model->size.nu + (s->natural ? 0 : s->model->size.nq)) + k * s->nb;
}

/* ---- evaluation ---- */

static void place_stages(stages *s, const double *x) {
    int m = s->m, nq = s->model->size.nq, nu = s->model->size.nu;
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
            for (int j = 0; j < nq; j++) Q[j] += a * dQ[j];
        }
}

static int ask_model(stages *s, int i, const double *x, const double *y, bool jacobian) {
    const zn_model *model = s->model;
    int nu = model->size.nu;
    stage *at = &s->at[i];
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
    if ((position || velocity) && model->constraints(model, at->work, &point, &constraints)) return 1;
    return !s->natural && model->kinematics(model, at->work, &point, &kinematics);
}

static void write_residual(const stages *s, const double *x, double *phi, double *psi) {
    const zn_sizes *size = &s->model->size;
    int row_F = s->nb + size->nN;
    for (int i = 0; i < s->m; i++) {
        const stage *at = &s->at[i];
        double *balance = phi + column_U(s, i), *kinematics = phi + column_Q(s, i), *bilateral = phi + column_P(s, i);
        for (int j = 0; j < size->nu; j++) balance[j] = s->h * at->r[j];
        if (!s->natural)
            for (int j = 0; j < size->nq; j++) kinematics[j] = x[column_Q(s, i) + j] - s->h * at->qdot[j];
        for (int j = 0; j < size->ng; j++) bilateral[j] = at->c0[j];
        for (int j = size->ng; j < s->nb; j++) bilateral[j] = at->c1[j];
        for (int j = 0; j < size->nN; j++) psi[i * s->nc + j] = at->c0[s->nb + j];
        for (int j = 0; j < size->nF; j++) psi[i * s->nc + size->nN + j] = at->c1[row_F + j];
    }
}

static void add_block(lin_matrix *matrix, int block, double factor, const double *values) {
    if (block >= 0) lin_matrix_add(matrix, block, factor, values);
}

static void add_rows(lin_matrix *matrix, int block, double factor, const stages_rows *rows, const double *values) {
    if (block < 0) return;
    const int *place = lin_matrix_places(matrix, block);
    double *to = lin_matrix_values(matrix);
    for (int k = 0, count = lin_nnz(&rows->pattern.p); k < count; k++) to[place[k]] += factor * values[rows->source[k]];
}

static void write_phi_x(stages *s) {
    lin_matrix *matrix = s->problem.phi_x;
    int y_offset = s->model->pattern.c1_u.start[s->model->size.ng];
    lin_matrix_zero(matrix);
    for (int i = 0; i < s->m; i++) {
        const stage *at = &s->at[i];
        for (int k = 0; k < s->m; k++) {
            const int *block = blocks_of(s, i, k);
            double q = by_q(s, i, k), u = by_u(s, i, k), h = s->h;
            add_block(matrix, block[BLOCK_M], 1, at->M);
            add_block(matrix, block[BLOCK_W], -1, at->W);
            add_block(matrix, block[BLOCK_R_Q], h * q, at->r_q);
            add_block(matrix, block[BLOCK_R_U], h * u, at->r_u);
            add_rows(matrix, block[BLOCK_G_Q], q, &s->g_q, at->c0_q);
            add_rows(matrix, block[BLOCK_Y_Q], q, &s->y_q, at->c1_q);
            add_block(matrix, block[BLOCK_Y_U], u, at->c1_u + y_offset);
            add_block(matrix, block[BLOCK_QDOT_Q], -h * q, at->qdot_q);
            add_block(matrix, block[BLOCK_B], -h * u, at->B);
        }
        if (s->natural) continue;
        const int *diagonal = lin_matrix_places(matrix, blocks_of(s, i, i)[BLOCK_ONE]);
        double *values = lin_matrix_values(matrix);
        for (int j = 0; j < s->model->size.nq; j++) values[diagonal[j]] += 1;
    }
}

static void write_psi_x(const stages *s, double *psi_x) {
    const zn_pattern *c1_u = &s->model->pattern.c1_u;
    int first_F = c1_u->start[s->nb + s->model->size.nN], end_F = c1_u->start[s->nb + s->nc];
    const int *place = s->psi_place;
    memset(psi_x, 0, (size_t)lin_nnz(&s->problem.psi_x) * sizeof *psi_x);
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < s->m; k++) {
            const stage *at = &s->at[i];
            double q = by_q(s, i, k), u = by_u(s, i, k);
            for (int e = 0; q_depends(s, i, k) && e < lin_nnz(&s->N_q.pattern.p); e++) psi_x[*place++] += q * at->c0_q[s->N_q.source[e]];
            for (int e = 0; q_depends(s, i, k) && e < lin_nnz(&s->F_q.pattern.p); e++) psi_x[*place++] += q * at->c1_q[s->F_q.source[e]];
            for (int e = first_F; u_depends(s, i, k) && e < end_F; e++) psi_x[*place++] += u * at->c1_u[e];
        }
}

static void write_phi_y(const stages *s, double *phi_y) {
    const zn_pattern *W = &s->model->pattern.W;
    for (int i = 0; i < s->m; i++)
        for (int e = W->start[s->nb]; e < W->start[s->nb + s->nc]; e++) *phi_y++ = -s->at[i].W[e];
}

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    stages *s = user;
    place_stages(s, x);
    for (int i = 0; i < s->m; i++)
        if (ask_model(s, i, x, y, out->jacobian)) return 1;
    if (out->phi && out->psi) write_residual(s, x, out->phi, out->psi);
    if (out->jacobian) write_phi_x(s);
    if (out->phi_y) write_phi_y(s, out->phi_y);
    if (out->psi_x) write_psi_x(s, out->psi_x);
    return 0;
}

/* ---- patterns ---- */

static zn_status slice_rows(zn_context *context, const zn_pattern *p, int first, int count, stages_rows *out) {
    int entries = 0;
    for (int e = 0; e < lin_nnz(p); e++) entries += p->index[e] >= first && p->index[e] < first + count;
    out->pattern = (lin_pattern){.start = MEM_ARRAY(context, int, p->cols + 1), .index = MEM_ARRAY(context, int, entries)};
    out->source = MEM_ARRAY(context, int, entries);
    if (!out->pattern.start || !out->pattern.index || !out->source) return ZN_MEMORY;
    out->pattern.p = (zn_pattern){count, p->cols, out->pattern.start, out->pattern.index};
    entries = 0;
    for (int j = 0; j < p->cols; j++) {
        for (int e = p->start ? p->start[j] : 0; p->start && e < p->start[j + 1]; e++)
            if (p->index[e] >= first && p->index[e] < first + count) {
                out->pattern.index[entries] = p->index[e] - first;
                out->source[entries++] = e;
            }
        out->pattern.start[j + 1] = entries;
    }
    return ZN_OK;
}

static zn_status make_slices(stages *s) {
    zn_context *context = s->context;
    const zn_sizes *size = &s->model->size;
    const zn_patterns *p = &s->model->pattern;
    zn_status status = scheme_pattern_columns(context, &p->W, 0, s->nb, &s->W_b);
    if (status == ZN_OK) status = scheme_pattern_columns(context, &p->c1_u, size->ng, size->ny, &s->c1_y);
    if (status == ZN_OK) status = slice_rows(context, &p->c0_q, 0, size->ng, &s->g_q);
    if (status == ZN_OK) status = slice_rows(context, &p->c1_q, size->ng, size->ny, &s->y_q);
    if (status == ZN_OK) status = slice_rows(context, &p->c0_q, s->nb, size->nN, &s->N_q);
    if (status == ZN_OK) status = slice_rows(context, &p->c1_q, s->nb + size->nN, size->nF, &s->F_q);
    return status;
}

/* Blocks of the pair (i, k); false: a block failed (error in the context). */
static bool declare_blocks(stages *s, int i, int k, const zn_pattern *one) {
    const zn_patterns *p = &s->model->pattern;
    lin_matrix *m = s->problem.phi_x;
    int *block = blocks_of(s, i, k), ng = s->model->size.ng;
    int balance = column_U(s, i), kinematics = column_Q(s, i), bilateral = column_P(s, i);
    int U = column_U(s, k), Q = column_Q(s, k), P = column_P(s, k);
    bool q = q_depends(s, i, k), u = u_depends(s, i, k), ok = true;
    for (int b = 0; b < BLOCKS; b++) block[b] = -1;
#define DECLARE(name, condition, pattern, transposed, row, column)                                                       \
    if (ok && (condition)) ok = (block[name] = lin_matrix_block(m, pattern, transposed, row, column)) >= 0
    DECLARE(BLOCK_M, i == k, &p->M, false, balance, U);
    DECLARE(BLOCK_W, i == k, &s->W_b.p, false, balance, P);
    DECLARE(BLOCK_R_Q, q, &p->r_q, false, balance, Q);
    DECLARE(BLOCK_R_U, u, &p->r_u, false, balance, U);
    DECLARE(BLOCK_G_Q, q, &s->g_q.pattern.p, false, bilateral, Q);
    DECLARE(BLOCK_Y_Q, q, &s->y_q.pattern.p, false, bilateral + ng, Q);
    DECLARE(BLOCK_Y_U, u, &s->c1_y.p, true, bilateral + ng, U);
    DECLARE(BLOCK_ONE, i == k && !s->natural, one, false, kinematics, Q);
    DECLARE(BLOCK_QDOT_Q, q && !s->natural, &p->qdot_q, false, kinematics, Q);
    DECLARE(BLOCK_B, u && !s->natural, &p->B, false, kinematics, U);
#undef DECLARE
    return ok;
}

static zn_status make_phi_x(stages *s) {
    int nq = s->model->size.nq;
    s->blocks = MEM_ARRAY(s->context, int, s->m * s->m * BLOCKS);
    s->problem.phi_x = lin_matrix_create(s->context, s->problem.nx);
    int *diagonal = MEM_ARRAY(s->context, int, nq);
    lin_pattern one = {0};
    zn_status status = s->blocks && s->problem.phi_x && diagonal ? ZN_OK : ZN_MEMORY;
    if (status == ZN_OK) {
        for (int j = 0; j < nq; j++) diagonal[j] = j;
        status = lin_pattern_create(s->context, nq, nq, nq, diagonal, diagonal, &one, NULL);
    }
    for (int i = 0; i < s->m; i++)
        for (int k = 0; status == ZN_OK && k < s->m; k++)
            if (!declare_blocks(s, i, k, &one.p)) status = ZN_MEMORY;
    if (status == ZN_OK) status = lin_matrix_finish(s->problem.phi_x, LIN_AUTO);
    lin_pattern_destroy(s->context, &one);
    mem_free(s->context, diagonal);
    return status;
}

typedef struct coordinates {
    int count, *row, *col;
} coordinates;

static void put_rows(coordinates *c, const zn_pattern *p, bool transposed, int row, int col) {
    for (int j = 0; j < p->cols; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++, c->count++) {
            c->row[c->count] = row + (transposed ? j : p->index[e]);
            c->col[c->count] = col + (transposed ? p->index[e] : j);
        }
}

static zn_status make_psi_x(stages *s) {
    int row_F = s->nb + s->model->size.nN;
    lin_pattern c1_F = {0};
    zn_status status = scheme_pattern_columns(s->context, &s->model->pattern.c1_u, row_F, s->model->size.nF, &c1_F);
    int most = s->m * s->m * (lin_nnz(&s->N_q.pattern.p) + lin_nnz(&s->F_q.pattern.p) + lin_nnz(&c1_F.p));
    coordinates c = {.row = MEM_ARRAY(s->context, int, most), .col = MEM_ARRAY(s->context, int, most)};
    s->psi_place = MEM_ARRAY(s->context, int, most);
    if (!c.row || !c.col || !s->psi_place) status = ZN_MEMORY;
    for (int i = 0; i < s->m; i++)
        for (int k = 0; status == ZN_OK && k < s->m; k++) {
            int N = i * s->nc, F = N + s->model->size.nN;
            if (q_depends(s, i, k)) put_rows(&c, &s->N_q.pattern.p, false, N, column_Q(s, k));
            if (q_depends(s, i, k)) put_rows(&c, &s->F_q.pattern.p, false, F, column_Q(s, k));
            if (u_depends(s, i, k)) put_rows(&c, &c1_F.p, true, F, column_U(s, k));
        }
    if (status == ZN_OK)
        status = lin_pattern_create(s->context, s->problem.npsi, s->problem.nx, c.count, c.row, c.col, &s->psi_x, s->psi_place);
    mem_free(s->context, c.row);
    mem_free(s->context, c.col);
    lin_pattern_destroy(s->context, &c1_F);
    s->problem.psi_x = s->psi_x.p;
    return status;
}

/* phi_y: W_c of each stage on a diagonal; A: a_ik times ones. Both are written column by column. */
static zn_status make_phi_y_and_A(stages *s) {
    const zn_pattern *W = &s->model->pattern.W;
    int m = s->m, nc = s->nc, ny = m * nc, entries = m * (W->start[s->nb + nc] - W->start[s->nb]), e = 0, a = 0;
    s->phi_y = (lin_pattern){.start = MEM_ARRAY(s->context, int, ny + 1), .index = MEM_ARRAY(s->context, int, entries)};
    s->A_pattern = (lin_pattern){.start = MEM_ARRAY(s->context, int, ny + 1), .index = MEM_ARRAY(s->context, int, m * ny)};
    s->A_values = MEM_ARRAY(s->context, double, m * ny);
    if (!s->phi_y.start || !s->phi_y.index || !s->A_pattern.start || !s->A_pattern.index || !s->A_values) return ZN_MEMORY;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < nc; j++) {
            for (int w = W->start[s->nb + j]; w < W->start[s->nb + j + 1]; w++) s->phi_y.index[e++] = column_U(s, k) + W->index[w];
            s->phi_y.start[k * nc + j + 1] = e;
            for (int i = 0; i < m; i++) {
                if (s->A[i * m + k] == 0) continue;
                s->A_pattern.index[a] = i * nc + j;
                s->A_values[a++] = s->A[i * m + k];
            }
            s->A_pattern.start[k * nc + j + 1] = a;
        }
    s->problem.phi_y = s->phi_y.p = (zn_pattern){s->problem.nx, ny, s->phi_y.start, s->phi_y.index};
    s->problem.A = s->A_pattern.p = (zn_pattern){ny, ny, s->A_pattern.start, s->A_pattern.index};
    s->problem.A_values = s->A_values;
    return ZN_OK;
}

/* ---- memory ---- */

static zn_status make_memory(stages *s, const double *A) {
    const zn_sizes *size = &s->model->size;
    int m = s->m, nq = size->nq, nu = size->nu, nx = s->problem.nx, ny = s->problem.ny;
    const struct {
        double **array;
        int count;
    } list[] = {
        {&s->A, m * m}, {&s->AA, m * m}, {&s->tau, m}, {&s->since, m}, {&s->Q0, m * nq}, {&s->U0, m * nu}, {&s->D0, ny},
        {&s->rho, ny}, {&s->dPi_c, ny}, {&s->Q, m * nq}, {&s->U, m * nu}, {&s->a, nu},
        {&s->lambda, s->nb + s->nc}, {&s->x, nx}, {&s->phi_scale, nx}, {&s->psi_scale, ny},
    };
    size_t total = 0, count = sizeof list / sizeof *list;
    for (size_t i = 0; i < count; i++) total += (size_t)list[i].count;
    s->memory = MEM_ARRAY(s->context, double, total);
    s->phi_unit = MEM_ARRAY(s->context, unsigned char, nx);
    s->psi_unit = MEM_ARRAY(s->context, unsigned char, ny);
    s->cones = MEM_ARRAY(s->context, cone, m * size->n_contacts);
    s->at = MEM_ARRAY(s->context, stage, m);
    if (!s->memory || !s->phi_unit || !s->psi_unit || !s->cones || !s->at) return ZN_MEMORY;
    double *next = s->memory;
    for (size_t i = 0; i < count; next += list[i].count, i++) *list[i].array = next;
    memcpy(s->A, A, (size_t)(m * m) * sizeof *A);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < m; j++) s->AA[i * m + k] += A[i * m + j] * A[j * m + k];
    s->dU = s->x;
    s->dQ = s->natural ? NULL : s->x + column_Q(s, 0);
    s->dPi_b = s->x + column_P(s, 0);
    zn_status status = ZN_OK;
    for (int i = 0; i < m && status == ZN_OK; i++) status = stage_create(s->context, s->model, &s->at[i]);
    return status;
}

static void make_units(stages *s) {
    const zn_sizes *size = &s->model->size;
    memset(s->phi_unit, CONE_VELOCITY, (size_t)s->problem.nx);
    memset(s->psi_unit, CONE_VELOCITY, (size_t)s->problem.ny);
    for (int i = 0; i < s->problem.nx; i++) s->phi_scale[i] = 1;
    for (int i = 0; i < s->problem.ny; i++) s->psi_scale[i] = 1;
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < size->nq && !s->natural; j++) {
            s->phi_unit[column_Q(s, i) + j] = CONE_LENGTH;
            s->phi_scale[column_Q(s, i) + j] = STAGES_POSITION_WEIGHT;
        }
        for (int j = 0; j < size->ng; j++) {
            s->phi_unit[column_P(s, i) + j] = CONE_LENGTH;
            s->phi_scale[column_P(s, i) + j] = STAGES_POSITION_WEIGHT;
        }
        for (int j = 0; j < size->nN; j++) {
            s->psi_unit[i * s->nc + j] = CONE_LENGTH;
            s->psi_scale[i * s->nc + j] = STAGES_POSITION_WEIGHT;
        }
        scheme_cones(s->model, i * s->nc, s->cones + i * size->n_contacts);
    }
    s->problem.cones = s->cones;
    s->problem.mu_0 = s->D0;
    s->problem.rho = s->rho;
    s->problem.phi_scale = s->phi_scale;
    s->problem.psi_scale = s->psi_scale;
    s->problem.phi_unit = s->phi_unit;
    s->problem.psi_unit = s->psi_unit;
}

stages *stages_create(zn_context *context, const zn_model *model, const zn_settings *settings, int m, const double *A) {
    stages *s = MEM_ARRAY(context, stages, 1);
    if (!s) return NULL;
    const zn_sizes *size = &model->size;
    int nb = model_row_N(model), nc = model_rows(model) - nb, n_settled = m * (size->nu + (model->natural ? 0 : size->nq));
    *s = (stages){.context = context, .model = model, .m = m, .nb = nb, .nc = nc, .natural = model->natural, .h = 1,
                  .tolerance = settings->tolerance};
    s->problem = (cone_problem){.nx = n_settled + m * nb, .ny = m * nc, .npsi = m * nc, .nmu = m * nc, .n_cones = m * size->n_contacts,
                                .user = s, .evaluate = evaluate, .n_settled = n_settled};
    zn_status status = make_memory(s, A);
    if (status == ZN_OK) status = make_slices(s);
    if (status == ZN_OK) status = make_phi_x(s);
    if (status == ZN_OK) status = make_psi_x(s);
    if (status == ZN_OK) status = make_phi_y_and_A(s);
    if (status == ZN_OK) {
        make_units(s);
        cone_settings chosen = cone_settings_default();
        chosen.solver = settings->solver;
        chosen.tolerance = settings->tolerance;
        chosen.accelerate = m == 1; /* the iteration of coupled stages is not symmetric: extrapolation diverges */
        s->solver = cone_solver_create(context, &s->problem, &chosen);
    }
    if (s->solver) return s;
    stages_destroy(s);
    return NULL;
}

void stages_destroy(stages *s) {
    if (!s) return;
    zn_context *context = s->context;
    cone_solver_destroy(s->solver);
    lin_matrix_destroy(s->problem.phi_x);
    for (int i = 0; s->at && i < s->m; i++) stage_destroy(context, &s->at[i]);
    lin_pattern *patterns[] = {&s->W_b, &s->c1_y, &s->phi_y, &s->psi_x, &s->A_pattern, &s->g_q.pattern, &s->y_q.pattern,
                               &s->N_q.pattern, &s->F_q.pattern};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) lin_pattern_destroy(context, patterns[i]);
    void *blocks[] = {s->g_q.source, s->y_q.source, s->N_q.source, s->F_q.source, s->psi_place, s->blocks, s->memory, s->A_values,
                      s->phi_unit, s->psi_unit, s->cones, s->at, s};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

/* ---- a solve ---- */

void stages_scale(stages *s, const prox_estimate *estimate) {
    int nu = s->model->size.nu, nN = s->model->size.nN;
    for (int i = 0; i < s->m; i++) {
        memcpy(s->phi_scale + column_U(s, i), estimate->mass_scale, (size_t)nu * sizeof *s->phi_scale);
        for (int j = 0; j < s->model->size.ng; j++) s->phi_scale[column_P(s, i) + j] = STAGES_POSITION_WEIGHT;
        for (int j = 0; j < nN; j++) s->psi_scale[i * s->nc + j] = STAGES_POSITION_WEIGHT;
        /* A gap is h times a velocity (pitfall 5). */
        for (int j = 0; j < s->nc; j++) s->rho[i * s->nc + j] = j < nN ? estimate->rho[j] / s->h : estimate->rho[j];
    }
}

/* sum[row] += factor sum_k |values_row,k| |x_k| for rows below `rows` */
static void add_sizes(const zn_pattern *p, const double *values, double factor, const double *x, int rows, double *sum) {
    for (int k = 0; k < p->cols; k++)
        for (int e = p->start[k]; e < p->start[k + 1]; e++)
            if (p->index[e] < rows) sum[p->index[e]] += factor * fabs(values[e] * x[k]);
}

static bool lower_scale(double *scale, double roundoff, double tolerance) {
    if (!(*scale * roundoff > tolerance) || !isfinite(roundoff)) return false;
    *scale = tolerance / roundoff;
    return true;
}

bool stages_allow_roundoff(stages *s) {
    const zn_patterns *p = &s->model->pattern;
    int nq = s->model->size.nq, nu = s->model->size.nu, ng = s->model->size.ng, nN = s->model->size.nN;
    bool lowered = false;
    for (int i = 0; i < s->m; i++) {
        const stage *at = &s->at[i];
        const double *Q = s->Q + i * nq, *U = s->U + i * nu;
        memset(s->a, 0, (size_t)nu * sizeof *s->a);
        add_sizes(&p->r_q, at->r_q, ROUNDOFF * s->h, Q, nu, s->a);
        add_sizes(&p->r_u, at->r_u, ROUNDOFF * s->h, U, nu, s->a);
        memcpy(s->lambda, s->dPi_b + i * s->nb, (size_t)s->nb * sizeof *s->lambda);
        memcpy(s->lambda + s->nb, s->dPi_c + i * s->nc, (size_t)s->nc * sizeof *s->lambda);
        add_sizes(&p->M, at->M, ROUNDOFF, s->dU + i * nu, nu, s->a);
        add_sizes(&p->W, at->W, ROUNDOFF, s->lambda, nu, s->a);
        for (int j = 0; j < nu; j++) lowered = lower_scale(&s->phi_scale[column_U(s, i) + j], s->a[j], s->tolerance) || lowered;
        memset(s->lambda, 0, (size_t)(s->nb + s->nc) * sizeof *s->lambda);
        add_sizes(&p->c0_q, at->c0_q, ROUNDOFF, Q, s->nb + nN, s->lambda);
        for (int j = 0; j < nN; j++) lowered = lower_scale(&s->psi_scale[i * s->nc + j], s->lambda[s->nb + j], s->tolerance) || lowered;
        for (int j = 0; j < ng; j++) lowered = lower_scale(&s->phi_scale[column_P(s, i) + j], s->lambda[j], s->tolerance) || lowered;
    }
    return lowered;
}

zn_status stages_solve(stages *s, cone_outcome *outcome) {
    int n_contacts = s->model->size.n_contacts;
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < n_contacts; k++) s->cones[i * n_contacts + k].reservoir = s->model->contacts[k].normal_force * s->since[i];
    zn_status status = cone_solve(s->solver, s->x, s->dPi_c, outcome);
    if (outcome->worst_cone >= 0) outcome->worst_cone %= n_contacts;
    return status;
}

void stages_dQ(const stages *s, int i, double *dQ) {
    int nq = s->model->size.nq;
    for (int j = 0; j < nq; j++) dQ[j] = s->natural ? s->h * s->U[i * nq + j] : s->dQ[i * nq + j];
}
