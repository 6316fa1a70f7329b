/* SPDX-License-Identifier: Apache-2.0 */
/* The theta method of Moreau and Jean (docs/theory/moreau.md). Natural systems; theta in [0, 1] from the settings.
 *
 *   q* = q_n + h/2 u_n,  t* = t_n + h/2:  active contacts g_N(t*, q*) <= 0; W and the rows c1 are taken there, M at (t_n, q_n)
 *
 *   M (u_{n+1} - u_n) = h (theta h_{n+1} + (1 - theta) h_n) + W P,   h_{n+1} = h(t_{n+1}, q_{n+1}, u_{n+1})
 *   q_{n+1} = q_n + h (theta u_{n+1} + (1 - theta) u_n)
 *   c1(u_{n+1}) = 0 on bilateral rows;  xi = c1(u_{n+1}) + e c1(u_n) with the laws of contacts and friction
 *
 * Solved in x = u_{n+1} - u_n:  M x = h (1 - theta) h_n + h theta h(q_n + h u_n + h theta x, u_n + x) + W P.                */
#include "scheme/impact_law.h"
#include "scheme/precision.h"

typedef struct moreau_theta {
    scheme base;
    double theta;
    linear_problem *problem;
    impact_map *law; /* NULL: Newton's */
    answers end;     /* the model at t_{n+1} */
    double t, h;
    const double *q, *u; /* of the start of the step */
    double *q_end, *u_end;
    int block_r_q, block_r_u;
} moreau_theta;

static void set_end(moreau_theta *s, const double *x) {
    for (int i = 0; i < s->base.model->size.nu; i++) {
        s->u_end[i] = s->u[i] + x[i];
        s->q_end[i] = s->q[i] + s->h * (s->u[i] + s->theta * x[i]);
    }
}

static int declare(void *user, lin_matrix *phi_x) {
    moreau_theta *s = user;
    s->block_r_q = lin_matrix_block(phi_x, &s->base.model->pattern.r_q, false, 0, 0);
    s->block_r_u = lin_matrix_block(phi_x, &s->base.model->pattern.r_u, false, 0, 0);
    return s->block_r_q < 0 || s->block_r_u < 0;
}

static int add(void *user, const double *x, double *f) {
    moreau_theta *s = user;
    const zn_model *m = s->base.model;
    set_end(s, x);
    if (m->balance(m, s->end.work, &(zn_point){.t = s->t + s->h, .q = s->q_end, .u = s->u_end}, &(zn_balance){.r = s->end.r})) return 1;
    for (int i = 0; i < m->size.nu; i++) f[i] -= s->h * s->theta * s->end.r[i];
    return 0;
}

static int add_derivative(void *user, const double *x, lin_matrix *phi_x) {
    moreau_theta *s = user;
    const zn_model *m = s->base.model;
    set_end(s, x);
    zn_point at = {.t = s->t + s->h, .q = s->q_end, .u = s->u_end};
    if (m->balance(m, s->end.work, &at, &(zn_balance){.r_q = s->end.r_q, .r_u = s->end.r_u})) return 1;
    lin_matrix_add(phi_x, s->block_r_u, s->h * s->theta, s->end.r_u);
    lin_matrix_add(phi_x, s->block_r_q, s->h * s->h * s->theta * s->theta, s->end.r_q);
    return 0;
}

static zn_status prepare(moreau_theta *s) {
    const zn_model *m = s->base.model;
    linear_problem *p = s->problem;
    zn_point here = {.t = s->t, .q = s->q, .u = s->u};
    if (m->balance(m, p->at.work, &here, &(zn_balance){.r = p->at.r, .M = p->at.M})) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < m->size.nu; i++) {
        p->f[i] = -s->h * (1 - s->theta) * p->at.r[i];
        s->q_end[i] = s->q[i] + s->h / 2 * s->u[i]; /* q* */
    }
    zn_point middle = {.t = s->t + s->h / 2, .q = s->q_end, .u = s->u};
    if (model_ask_both(m, p->at.work, &middle, &(zn_balance){.W = p->at.W},
                       &(zn_constraints){.c0 = p->at.c0, .c1 = p->c, .c1_u = p->at.c1_u}))
        return ZN_ERROR_NOT_FINITE;
    p->time_measure = s->h;
    return impact_law_at_gaps(s->law, p, s->h);
}

static zn_status step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    moreau_theta *s = (moreau_theta *)base;
    s->t = from->t, s->h = h, s->q = from->q, s->u = from->u;
    if (scales_see(&base->scales, &s->end, &(zn_point){.t = s->t, .q = s->q, .u = s->u}, h) != ZN_OK) return ZN_ERROR_NOT_FINITE;
    zn_status status = prepare(s);
    if (status != ZN_OK) return status;
    cone_expect_noise(s->problem->solver, scheme_expects(&s->base, s->q, s->u, h));
    if (!base->again) linear_problem_recall(s->problem, from->carry, from->P);
    status = linear_problem_solve(s->problem, outcome);
    set_end(s, s->problem->x);
    memcpy(to->carry, s->problem->x, (size_t)base->model->size.nu * sizeof(double));
    memcpy(to->q, s->q_end, (size_t)base->model->size.nq * sizeof(double));
    memcpy(to->u, s->u_end, (size_t)base->model->size.nu * sizeof(double));
    memcpy(to->P, s->problem->P, (size_t)model_rows(base->model) * sizeof(double));
    to->t = from->t + h;
    return status;
}

static size_t carry_size(const zn_model *model, const zn_settings *settings) {
    (void)settings;
    return (size_t)model->size.nu; /* x, from which the next step starts */
}

static int carried(const scheme *base, carry_piece *pieces) {
    pieces[0] = (carry_piece){.kind = CARRY_NUMBERS, .count = base->model->size.nu};
    return 1;
}

static zn_status start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    (void)a0, (void)lambda0;
    memset(state->carry, 0, (size_t)base->model->size.nu * sizeof(double));
    return ZN_OK;
}

static void destroy(scheme *base) {
    moreau_theta *s = (moreau_theta *)base;
    linear_problem_destroy(s->problem);
    impact_map_destroy(base->context, s->law);
    if (s->end.model) answers_destroy(base->context, &s->end);
    mem_free(base->context, s->q_end);
    mem_free(base->context, s->u_end);
    mem_free(base->context, s);
}

static zn_status create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings, scheme **out) {
    if (!(settings->theta >= 0 && settings->theta <= 1))
        return fail(context, ZN_ERROR_ARGUMENT, "theta must be between 0 and 1, but is %g", settings->theta);
    moreau_theta *s = MEM_ARRAY(context, moreau_theta, 1);
    if (!s) return ZN_ERROR_MEMORY;
    s->base = (scheme){.context = context, .class = class, .model = model};
    s->theta = settings->theta;
    s->q_end = MEM_ARRAY(context, double, model->size.nq);
    s->u_end = MEM_ARRAY(context, double, model->size.nu);
    zn_status status = impact_law_create(context, model, settings, &s->base.scales, &s->law);
    if (status == ZN_OK && s->q_end && s->u_end && answers_create(context, model, &s->end) == ZN_OK)
        s->problem = linear_problem_create_implicit(context, model, settings, CONE_VELOCITY,
                                                    (linear_problem_implicit){s, declare, add, add_derivative});
    if (!s->problem) {
        destroy(&s->base);
        return status == ZN_OK ? ZN_ERROR_MEMORY : status;
    }
    s->problem->scales = &s->base.scales;
    *out = &s->base;
    return ZN_OK;
}

const scheme_class scheme_moreau_theta = {
    SCHEME_INFO("moreau-theta", "theta method of Moreau and Jean (theta: 0.5)", 1, NULL, 1, 1, 1, true, true, false, true, true),
    SCHEME_FUNCTIONS(carry_size, create, start, step, destroy),
    .drifts = true,
    .reads_restitution = true,
    .carried = carried,
};
