/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled formula models: the questions are answered by running tapes on (t, q, u, a, lambda). */
#include "model/formula_model.h"

#include "linalg/dense.h"
#include "model/model.h"

/* work: the registers of the tape at work, which begin with the variables. `loads`: the tape reads a or lambda. */
static double *set_point(const formula_model *m, void *work, const zn_point *at, bool loads) {
    double *v = work;
    const zn_sizes *n = &m->base.size;
    size_t nu = (size_t)n->nu, rows = (size_t)(m->variables - m->lambda);
    v[0] = at->t;
    memcpy(v + m->q, at->q, (size_t)n->nq * sizeof *v);
    if (at->u) memcpy(v + m->u, at->u, nu * sizeof *v);
    else memset(v + m->u, 0, nu * sizeof *v);
    if (!loads) return v;
    if (at->a) memcpy(v + m->a, at->a, nu * sizeof *v);
    else memset(v + m->a, 0, nu * sizeof *v);
    if (at->lambda) memcpy(v + m->lambda, at->lambda, rows * sizeof *v);
    else memset(v + m->lambda, 0, rows * sizeof *v);
    return v;
}

/* Runs a tape up to the last section that is wanted. */
static void run(const expr_tape *tape, double *v, int n_sections, double *const *results) {
    while (n_sections > 0 && !results[n_sections - 1]) n_sections--;
    if (n_sections) expr_tape_run(tape, v, v, n_sections, results);
}

static int kinematics(const zn_model *model, void *work, const zn_point *at, zn_kinematics *out) {
    const formula_model *m = (const formula_model *)model;
    if (model->natural && !out->B && !out->qdot_q && !out->qddot) { /* q' = u */
        if (out->qdot) memcpy(out->qdot, at->u, (size_t)model->size.nq * sizeof *out->qdot);
        return 0;
    }
    double *v = set_point(m, work, at, out->qddot);
    run(m->kinematics, v, 3, (double *[]){out->qdot, out->B, out->qdot_q});
    run(m->qddot, v, 1, (double *[]){out->qddot});
    return 0;
}

static int balance(const zn_model *model, void *work, const zn_point *at, zn_balance *out) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, out->r || out->r_q || out->r_u);
    if (out->r || out->r_q || out->r_u)
        run(out->no_force ? m->impact : m->balance, v, 5, (double *[]){out->r, out->M, out->W, out->r_q, out->r_u});
    else run(m->inertia, v, 2, (double *[]){out->M, out->W});
    return 0;
}

static int constraints(const zn_model *model, void *work, const zn_point *at, zn_constraints *out) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, out->c2 || out->c2_q || out->c2_u);
    run(m->position, v, 2, (double *[]){out->c0, out->c0_q});
    run(m->velocity, v, 3, (double *[]){out->c1, out->c1_u, out->c1_q});
    run(m->acceleration, v, 3, (double *[]){out->c2, out->c2_q, out->c2_u});
    return 0;
}

static int momentum(const zn_model *model, void *work, const zn_point *at, zn_momentum *out) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, false);
    run(m->momentum, v, 5, (double *[]){out->p, out->b, out->p_q, out->b_q, out->b_u});
    return 0;
}

static int energy(const zn_model *model, void *work, const zn_point *at, double *kinetic, double *potential) {
    const formula_model *m = (const formula_model *)model;
    double *v = set_point(m, work, at, false), values[2];
    run(m->energy, v, 1, (double *[]){values});
    *kinetic = values[0];
    *potential = values[1];
    return 0;
}

static void destroy(zn_context *context, zn_model *model) {
    formula_model *m = (formula_model *)model;
    expr_tape *tapes[] = {m->kinematics, m->qddot,    m->balance,      m->impact,   m->inertia,
                          m->position,   m->velocity, m->acceleration, m->momentum, m->energy};
    for (size_t i = 0; i < sizeof tapes / sizeof *tapes; i++) expr_tape_destroy(context, tapes[i]);
    lin_pattern *patterns[] = {&m->qdot_q, &m->B,    &m->r_q,  &m->r_u,  &m->M,   &m->W,   &m->c0_q,
                               &m->c1_q,   &m->c1_u, &m->c2_q, &m->c2_u, &m->p_q, &m->b_q, &m->b_u};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) lin_pattern_destroy(context, patterns[i]);
    formula_system_free(context, &m->owned);
    mem_free(context, m);
}

formula_model *formula_model_create(zn_context *context) {
    formula_model *model = MEM_ARRAY(context, formula_model, 1);
    if (model) model->base.destroy = destroy;
    return model;
}

void formula_model_adopt(formula_model *m, formula_system *s) {
    m->q = s->q, m->u = s->u, m->a = s->a, m->lambda = s->lambda, m->variables = s->count;
    zn_model *base = &m->base;
    base->size = s->size;
    base->pattern = (zn_patterns){m->qdot_q.p, m->B.p,    m->r_q.p,  m->r_u.p,  m->M.p,   m->W.p,   m->c0_q.p,
                                  m->c1_q.p,   m->c1_u.p, m->c2_q.p, m->c2_u.p, m->p_q.p, m->b_q.p, m->b_u.p};
    base->natural = base->lagrangian = s->lagrangian;
    base->contacts = s->contacts;
    base->q_names = (const char *const *)s->q_names;
    base->u_names = (const char *const *)s->u_names;
    base->bilateral_names = (const char *const *)s->bilateral_names;
    base->q_start = s->q_start;
    base->u_start = s->u_start;
    base->work_bytes = (size_t)(m->registers > m->variables ? m->registers : m->variables) * sizeof(double);
    base->kinematics = kinematics;
    base->balance = balance;
    base->constraints = constraints;
    base->momentum = s->lagrangian ? momentum : NULL;
    base->energy = energy;
    expr_graph_destroy(s->graph); /* the tapes do not need it */
    s->graph = NULL;
    m->owned = *s;
    *s = (formula_system){0};
}

static zn_status check_mass(zn_context *context, const formula_model *m, const double *values, double *dense) {
    int nu = m->base.size.nu;
    const zn_pattern *p = &m->base.pattern.M;
    for (int j = 0; j < nu; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) dense[p->index[k] + j * nu] = values[k];
    int bad = lin_dense_cholesky_factor(nu, dense);
    if (bad == 0) return ZN_OK;
    return fail(context, ZN_MODEL,
                "the mass matrix is not positive definite at the start: '%s' (with the velocities before it) has no positive mass",
                m->base.u_names[bad - 1]);
}

zn_status formula_model_check(zn_context *context, formula_model *m) {
    const zn_sizes *n = &m->base.size;
    int rows = m->variables - m->lambda;
    void *work = mem_array(context, m->base.work_bytes, 1);
    double *M = MEM_ARRAY(context, double, lin_nnz(&m->base.pattern.M));
    double *dense = MEM_ARRAY(context, double, (size_t)n->nu * (size_t)n->nu);
    double *r = MEM_ARRAY(context, double, n->nu), *qdot = MEM_ARRAY(context, double, n->nq);
    double *c0 = MEM_ARRAY(context, double, rows), *c1 = MEM_ARRAY(context, double, rows);
    zn_status status = work && M && dense && r && qdot && c0 && c1 ? ZN_OK : ZN_MEMORY;
    if (status == ZN_OK) {
        zn_point at = {.q = m->base.q_start, .u = m->base.u_start};
        balance(&m->base, work, &at, &(zn_balance){.r = r, .M = M});
        kinematics(&m->base, work, &at, &(zn_kinematics){.qdot = qdot});
        constraints(&m->base, work, &at, &(zn_constraints){.c0 = c0, .c1 = c1});
        for (int i = 0; i < n->nu && status == ZN_OK; i++)
            if (!isfinite(r[i])) status = fail(context, ZN_MODEL, "the force on '%s' is not finite at the start (%g)", m->base.u_names[i], -r[i]);
        for (int i = 0; i < n->nq && status == ZN_OK; i++)
            if (!isfinite(qdot[i])) status = fail(context, ZN_MODEL, "%s' is not finite at the start (%g)", m->base.q_names[i], qdot[i]);
        for (int i = 0; i < rows && status == ZN_OK; i++)
            if (!isfinite(c0[i]) || !isfinite(c1[i]))
                status = fail(context, ZN_MODEL, "%s is not finite at the start", model_row_text(&m->base, i, (char[96]){0}, 96));
        if (status == ZN_OK) status = check_mass(context, m, M, dense);
    }
    void *blocks[] = {work, M, dense, r, qdot, c0, c1};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return status;
}
