/* SPDX-License-Identifier: Apache-2.0 */
/* Moreau-type schemes from finite elements in time (docs/theory/moreau.md; 003). Natural systems; nodes t_k; the velocity
 * u_k = (q_{k+1} - q_k)/h is constant between nodes; contacts are active where g_N(q_k) <= 0, with
 * xi_k = c1(q_k, u_k) + e c1(q_k, u_{k-1}); bilateral constraints on velocity level, c1(q_k, u_k) = 0.
 *
 *   moreau       M(q_k)(u_k - u_{k-1}) = h h(q_k, u_{k-1}) + W P_k
 *   symmetric    M(q_k)(u_k - u_{k-1}) = h/2 (h(q_k, u_{k-1}) + h(q_k, u_k)) + W P_k
 *   variational  [p(q_k, u_k) + p(q_{k+1}, u_k)]/2 - h/2 b(q_k, u_k)
 *                    = [p(q_{k-1}, u_{k-1}) + p(q_k, u_{k-1})]/2 + h/2 b(q_k, u_{k-1}) + W P_k,    q_{k+1} = q_k + h u_k
 *
 *   first node   moreau: u = u_s.  symmetric: p(q, u) - h/2 h(q, u) - W P/2 = p(q, u_s).
 *                variational: [p(q, u) + p(q + h u, u)]/2 - h/2 b(q, u) - W P/2 = p(q, u_s).  Contact laws with u_{k-1} = u_s.
 *
 * A step goes from node to node: q_{k+1} = q_k + h u_k, then the equations above for u_{k+1}, the carried velocity.
 *
 * Reported velocity at a node. moreau: u_k. The others are second order between impacts, and so is the momentum of the node
 * that their first step uses: the half step of forces after the node is taken back, impacts are not,
 *
 *   symmetric    p(q_k, v_k) = p(q_k, u_k) - h/2 h(q_k, u_k) - W (P_k - I_k)/2
 *   variational  p(q_k, v_k) = [p(q_k, u_k) + p(q_{k+1}, u_k)]/2 - h/2 b(q_k, u_k) - W (P_k - I_k)/2
 *
 * I_k is the part of P_k that an impact without other forces has: M (u' - u_{k-1}) = W I with the laws of the node.
 *
 * All is solved in x = u_k - u_{k-1}:  M x = f_0 + s(x) + W P with the smooth part s of each scheme below.                  */
#include "scheme/impact_law.h"
#include "scheme/scheme.h"

typedef enum kind { MOREAU, SYMMETRIC, VARIATIONAL } kind;

typedef struct moreau_type {
    scheme base;
    kind kind;
    double step;            /* of the settings, for the first node */
    linear_problem *node;   /* the equations at a node */
    linear_problem *impact; /* the same without forces, for I_k */
    impact_map *law;        /* NULL: Newton's */
    answers there;          /* the model at (q_{k+1}, u_k) of the variational scheme */
    double t, h;
    const double *q, *u; /* of the node at work: q_k, u_{k-1} */
    double *u_new, *q_new, *b, *b_u, *p, *p_q, *memory;
    int block_r_u, block_M, block_p_q, block_b_u;
} moreau_type;

static const zn_model *model_of(const moreau_type *s) { return s->base.model; }

static void set_new(moreau_type *s, const double *x) {
    for (int i = 0; i < model_of(s)->size.nu; i++) {
        s->u_new[i] = s->u[i] + x[i];
        s->q_new[i] = s->q[i] + s->h * s->u_new[i];
    }
}

/* ---- smooth parts: symmetric s(x) = h/2 h(q_k, u_k) ---- */

static int symmetric_declare(void *user, lin_matrix *phi_x) {
    moreau_type *s = user;
    return (s->block_r_u = lin_matrix_block(phi_x, &model_of(s)->pattern.r_u, false, 0, 0)) < 0;
}

static int symmetric_add(void *user, const double *x, double *f) {
    moreau_type *s = user;
    const zn_model *m = model_of(s);
    set_new(s, x);
    if (m->balance(m, s->there.work, &(zn_point){.t = s->t, .q = s->q, .u = s->u_new}, &(zn_balance){.r = s->there.r})) return 1;
    for (int i = 0; i < m->size.nu; i++) f[i] -= s->h / 2 * s->there.r[i];
    return 0;
}

static int symmetric_derivative(void *user, const double *x, lin_matrix *phi_x) {
    moreau_type *s = user;
    const zn_model *m = model_of(s);
    set_new(s, x);
    if (m->balance(m, s->there.work, &(zn_point){.t = s->t, .q = s->q, .u = s->u_new}, &(zn_balance){.r_u = s->there.r_u})) return 1;
    lin_matrix_add(phi_x, s->block_r_u, s->h / 2, s->there.r_u);
    return 0;
}

/* ---- variational: s(x) = [p(q_k, u_k) - p(q_{k+1}, u_k)]/2 + h/2 b(q_k, u_k), with M x = p(q_k, u_k) - p(q_k, u_{k-1}) ---- */

static int variational_declare(void *user, lin_matrix *phi_x) {
    moreau_type *s = user;
    const zn_patterns *p = &model_of(s)->pattern;
    s->block_M = lin_matrix_block(phi_x, &p->M, false, 0, 0);
    s->block_p_q = lin_matrix_block(phi_x, &p->p_q, false, 0, 0);
    s->block_b_u = lin_matrix_block(phi_x, &p->b_u, false, 0, 0);
    return s->block_M < 0 || s->block_p_q < 0 || s->block_b_u < 0;
}

static int variational_add(void *user, const double *x, double *f) {
    moreau_type *s = user;
    const zn_model *m = model_of(s);
    set_new(s, x);
    zn_point here = {.t = s->t, .q = s->q, .u = s->u_new}, there = {.t = s->t + s->h, .q = s->q_new, .u = s->u_new};
    if (m->momentum(m, s->there.work, &here, &(zn_momentum){.p = s->p, .b = s->b})) return 1;
    for (int i = 0; i < m->size.nu; i++) f[i] += s->p[i] / 2 + s->h / 2 * s->b[i];
    if (m->momentum(m, s->there.work, &there, &(zn_momentum){.p = s->p})) return 1;
    for (int i = 0; i < m->size.nu; i++) f[i] -= s->p[i] / 2;
    return 0;
}

static int variational_derivative(void *user, const double *x, lin_matrix *phi_x) {
    moreau_type *s = user;
    const zn_model *m = model_of(s);
    set_new(s, x);
    zn_point here = {.t = s->t, .q = s->q, .u = s->u_new}, there = {.t = s->t + s->h, .q = s->q_new, .u = s->u_new};
    if (m->momentum(m, s->there.work, &here, &(zn_momentum){.b_u = s->b_u}) ||
        m->momentum(m, s->there.work, &there, &(zn_momentum){.p_q = s->p_q}) ||
        m->balance(m, s->there.work, &there, &(zn_balance){.M = s->there.M}))
        return 1;
    lin_matrix_add(phi_x, s->block_b_u, -s->h / 2, s->b_u);
    lin_matrix_add(phi_x, s->block_M, -0.5, s->node->at.M);
    lin_matrix_add(phi_x, s->block_M, 0.5, s->there.M);
    lin_matrix_add(phi_x, s->block_p_q, s->h / 2, s->p_q);
    return 0;
}

/* ---- a node ---- */

/* Adds the known part of f at node (t_k, q_k) with the velocity u_{k-1} before it. */
static int known_part(moreau_type *s, const double *q_before, double h_before) {
    const zn_model *m = model_of(s);
    int nu = m->size.nu;
    linear_problem *p = s->node;
    zn_point here = {.t = s->t, .q = s->q, .u = s->u};
    if (s->kind != VARIATIONAL) {
        if (m->balance(m, p->at.work, &here, &(zn_balance){.r = p->at.r})) return 1;
        double share = s->kind == MOREAU ? h_before : h_before / 2;
        for (int i = 0; i < nu; i++) p->f[i] = -share * p->at.r[i];
        return 0;
    }
    /* [p(q_{k-1}, u_{k-1}) + p(q_k, u_{k-1})]/2 + h/2 b(q_k, u_{k-1}) - p(q_k, u_{k-1}) */
    zn_point before = {.t = s->t - h_before, .q = q_before, .u = s->u};
    if (m->momentum(m, p->at.work, &before, &(zn_momentum){.p = s->p})) return 1;
    for (int i = 0; i < nu; i++) p->f[i] = s->p[i] / 2;
    if (m->momentum(m, p->at.work, &here, &(zn_momentum){.p = s->p, .b = s->b})) return 1;
    for (int i = 0; i < nu; i++) p->f[i] += -s->p[i] / 2 + h_before / 2 * s->b[i];
    return 0;
}

/* The laws of the node: M, W, active contacts, xi rows. */
static zn_status laws(moreau_type *s, linear_problem *p) {
    const zn_model *m = model_of(s);
    zn_point here = {.t = s->t, .q = s->q, .u = s->u};
    if (model_ask_both(m, p->at.work, &here, &(zn_balance){.r = p->at.r, .M = p->at.M, .W = p->at.W},
                       &(zn_constraints){.c0 = p->at.c0, .c1 = p->c, .c1_u = p->at.c1_u}))
        return ZN_ERROR_NOT_FINITE;
    return impact_law_at_gaps(s->law, p, s->h);
}

/* v_k of the node whose u_k is in `u_next`. */
static zn_status node_velocity(moreau_type *s, const double *u_next, const double *P, double *v) {
    const zn_model *m = model_of(s);
    int nu = m->size.nu, n = model_rows(m);
    double *change = s->impact->f; /* M (v - u_next) */
    linear_problem *impact = s->impact;
    bool pushed = false;
    for (int i = 0; i < n; i++) pushed = pushed || P[i] != 0;
    memset(impact->P, 0, (size_t)n * sizeof(double));
    if (pushed) {
        cone_outcome outcome;
        memset(impact->f, 0, (size_t)nu * sizeof(double));
        memset(impact->x, 0, (size_t)nu * sizeof(double));
        zn_status status = laws(s, impact);
        impact->time_measure = 0;
        if (status == ZN_OK) status = linear_problem_solve(impact, &outcome);
        if (status != ZN_OK) return status;
    } else if (m->balance(m, impact->at.work, &(zn_point){.t = s->t, .q = s->q}, &(zn_balance){.M = impact->at.M, .W = impact->at.W}))
        return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < n; i++) impact->c[i] = P[i] - impact->P[i];
    memset(change, 0, (size_t)nu * sizeof(double));
    lin_multiply(&m->pattern.W, impact->at.W, -0.5, impact->c, change);
    for (int i = 0; i < nu; i++) impact->x[i] = u_next[i] - s->u[i];
    memset(impact->at.r, 0, (size_t)nu * sizeof(double)); /* s(x): what p(q_k, u_k) has beyond the momentum of the node */
    if (s->kind == SYMMETRIC ? symmetric_add(s, impact->x, impact->at.r) : variational_add(s, impact->x, impact->at.r))
        return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < nu; i++) change[i] -= impact->at.r[i];
    lin_matrix_zero(impact->prox.mass);
    lin_matrix_add(impact->prox.mass, impact->prox.block, 1, impact->at.M);
    if (lin_cells_factor_all(impact->prox.cells, impact->prox.mass) != ZN_OK) return ZN_ERROR_SINGULAR;
    lin_cells_solve_all(impact->prox.cells, change);
    for (int i = 0; i < nu; i++) v[i] = u_next[i] + change[i];
    return ZN_OK;
}

/* u_k (into u_next), P and the reported velocity v at the node (t, q) with u before it. `first`: forces and P count half. */
static zn_status solve_node(moreau_type *s, bool first, const double *q_before, double h_before, double *u_next, double *P, double *v,
                            cone_outcome *outcome) {
    const zn_model *m = model_of(s);
    int nu = m->size.nu;
    linear_problem *p = s->node;
    zn_status status = laws(s, p);
    if (status != ZN_OK) return status;
    if (first) memset(p->f, 0, (size_t)nu * sizeof(double)); /* M x = p(q, u) - p_s */
    else if (known_part(s, q_before, h_before)) return ZN_ERROR_NOT_FINITE;
    p->time_measure = first ? s->h / 2 : s->h;
    status = linear_problem_solve(p, outcome);
    if (status != ZN_OK) return status;
    for (int i = 0; i < nu; i++) u_next[i] = s->u[i] + p->x[i];
    memcpy(P, p->P, (size_t)model_rows(m) * sizeof(double));
    if (first) return ZN_OK;
    if (s->kind == MOREAU) memcpy(v, u_next, (size_t)nu * sizeof(double));
    else status = node_velocity(s, u_next, P, v);
    return status;
}

/* ---- the scheme ---- */

static size_t carry_size(const zn_model *model, const zn_settings *settings) {
    (void)settings;
    return 2 * (size_t)model->size.nu; /* u_k; x, from which the next step starts */
}

static int carried(const scheme *base, carry_piece *pieces) {
    pieces[0] = (carry_piece){.kind = CARRY_NUMBERS, .count = 2 * base->model->size.nu};
    return 1;
}

static zn_status start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    (void)a0, (void)lambda0;
    moreau_type *s = (moreau_type *)base;
    size_t bytes = (size_t)base->model->size.nu * sizeof(double);
    memcpy(state->carry, state->u, bytes);
    memset(state->carry + base->model->size.nu, 0, bytes);
    if (s->kind == MOREAU || !(s->step > 0)) return ZN_OK;
    s->t = state->t, s->h = s->step, s->q = state->q, s->u = state->u;
    if (scales_see(&base->scales, &s->there, &(zn_point){.t = s->t, .q = s->q, .u = s->u}, s->h) != ZN_OK) return ZN_ERROR_NOT_FINITE;
    cone_outcome outcome;
    memset(s->node->x, 0, bytes); /* not from what a run before left there */
    memset(s->node->P, 0, (size_t)model_rows(base->model) * sizeof(double));
    zn_status status = solve_node(s, true, NULL, 0, state->carry, state->P, NULL, &outcome);
    memset(state->P, 0, (size_t)model_rows(base->model) * sizeof(double));
    if (status == ZN_OK) return ZN_OK;
    return fail(base->context, ZN_ERROR_START, "the first step of %s cannot be solved: %s", base->class->info.name, zn_status_text(status));
}

static zn_status step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    moreau_type *s = (moreau_type *)base;
    for (int i = 0; i < base->model->size.nq; i++) to->q[i] = from->q[i] + h * from->carry[i];
    s->t = from->t + h, s->h = h, s->q = to->q, s->u = from->carry;
    to->t = s->t;
    if (scales_see(&base->scales, &s->there, &(zn_point){.t = s->t, .q = s->q, .u = s->u}, h) != ZN_OK) return ZN_ERROR_NOT_FINITE;
    int nu = base->model->size.nu;
    if (!base->again) linear_problem_recall(s->node, from->carry + nu, from->P);
    zn_status status = solve_node(s, false, from->q, h, to->carry, to->P, to->u, outcome);
    memcpy(to->carry + nu, s->node->x, (size_t)nu * sizeof(double));
    return status;
}

static void destroy(scheme *base) {
    moreau_type *s = (moreau_type *)base;
    linear_problem_destroy(s->node);
    linear_problem_destroy(s->impact);
    impact_map_destroy(base->context, s->law);
    if (s->there.model) answers_destroy(base->context, &s->there);
    mem_free(base->context, s->memory);
    mem_free(base->context, s);
}

static bool take_memory(moreau_type *s) {
    const zn_model *m = model_of(s);
    int nu = m->size.nu, b_u = lin_nnz(&m->pattern.b_u), p_q = lin_nnz(&m->pattern.p_q);
    double *next = s->memory = MEM_ARRAY(s->base.context, double, 4 * nu + b_u + p_q);
    if (!next || answers_create(s->base.context, m, &s->there) != ZN_OK) return false;
    s->u_new = next, s->q_new = s->u_new + nu, s->b = s->q_new + nu, s->p = s->b + nu, s->b_u = s->p + nu, s->p_q = s->b_u + b_u;
    return true;
}

static zn_status create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings, scheme **out) {
    static const linear_problem_implicit parts[] = {
        [SYMMETRIC] = {NULL, symmetric_declare, symmetric_add, symmetric_derivative},
        [VARIATIONAL] = {NULL, variational_declare, variational_add, variational_derivative},
    };
    moreau_type *s = MEM_ARRAY(context, moreau_type, 1);
    if (!s) return ZN_ERROR_MEMORY;
    s->base = (scheme){.context = context, .class = class, .model = model};
    s->step = settings->step;
    s->kind = (kind) class->variant;
    linear_problem_implicit part = parts[s->kind];
    part.user = s;
    zn_status status = impact_law_create(context, model, settings, &s->base.scales, &s->law);
    if (status == ZN_OK && take_memory(s)) {
        s->node = linear_problem_create_implicit(context, model, settings, CONE_VELOCITY, part);
        s->impact = linear_problem_create(context, model, settings, CONE_VELOCITY);
    }
    if (!s->node || !s->impact) {
        destroy(&s->base);
        return status == ZN_OK ? ZN_ERROR_MEMORY : status;
    }
    s->node->scales = s->impact->scales = &s->base.scales;
    *out = &s->base;
    return ZN_OK;
}

#define MOREAU_TYPE(kind, name, text, any_dynamics)                                                                        \
    {                                                                                                                      \
        SCHEME_INFO(name, text, 1, NULL, 1, 1, 1, true, true, false, true, any_dynamics),                                  \
            SCHEME_FUNCTIONS(carry_size, create, start, step, destroy),                                                    \
            .carried = carried, .variant = kind, .bound = scheme_bound_leapfrog, .drifts = true, .reads_restitution = true \
    }
const scheme_class scheme_moreau = MOREAU_TYPE(MOREAU, "moreau", "Moreau's time-stepping, contacts at the nodes", true);
const scheme_class scheme_moreau_symmetric =
    MOREAU_TYPE(SYMMETRIC, "moreau-symmetric", "symmetric Moreau-type scheme: bounded energy error, order 2 without contacts", true);
const scheme_class scheme_moreau_variational =
    MOREAU_TYPE(VARIATIONAL, "moreau-variational", "variational Moreau-type scheme: bounded energy error, order 2 without contacts", false);
