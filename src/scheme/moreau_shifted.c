/* SPDX-License-Identifier: Apache-2.0 */
/* Moreau's scheme with shifted contact detection, and Moreau's midpoint rule (docs/theory/moreau.md; 002: 5.62,
 * 5.63 corrected).
 *
 *   shifted     q* = q_n + h q'(t_n, q_n, u_n),  t* = t_{n+1}          q_{n+1} = q*
 *   midpoint    q* = q_n + h/2 v_n,              t* = t_n + h/2        q_{n+1} = q* + h/2 v_{n+1}
 *               v_n = q'(t*, q*, u_n) at the last midpoint (at the start: at t_0, q_0)
 *
 *   then at (t*, q*), with active contacts A = { g_N(t*, q*) <= 0 }:
 *
 *   M (u_{n+1} - u_n) = h h(t*, q*, u_n) + W_g P_g + W_y P_y + W_N P_N + W_F P_F
 *   gdot(u_{n+1}) = 0,  gamma(u_{n+1}) = 0
 *   xi_N = gdot_N(u_{n+1}) + e_N gdot_N(u_n)   in N_{R0-}(-P_N)        on A, else P_N = 0
 *   xi_F = gamma_F(u_{n+1}) + e_F gamma_F(u_n) in N_{C(P_N)}(-P_F)     on A, else P_F = 0       (or another law, impact_law.h)
 *
 * Unknowns of the cone problem: x = (u_{n+1}, P_g, P_y), y = (P_N, P_F); everything is linear in them.                     */
#include "scheme/impact_law.h"
#include "scheme/scheme.h"

typedef struct moreau_shifted {
    scheme base;
    linear_problem *velocity; /* in x = u_{n+1} - u_n */
    impact_map *law;          /* NULL: Newton's */
    bool midpoint;
} moreau_shifted;

static size_t carry_size(const zn_model *model, const zn_settings *settings) {
    (void)settings;
    return (size_t)(model->size.nq + model->size.nu); /* midpoint: v_n; x, from which the next step starts */
}

static int carried(const scheme *base, carry_piece *pieces) {
    pieces[0] = (carry_piece){.kind = CARRY_NUMBERS, .count = base->model->size.nq + base->model->size.nu};
    return 1;
}

static void destroy(scheme *base) {
    moreau_shifted *s = (moreau_shifted *)base;
    linear_problem_destroy(s->velocity);
    impact_map_destroy(base->context, s->law);
    mem_free(base->context, s);
}

static zn_status create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings, scheme **out) {
    moreau_shifted *s = MEM_ARRAY(context, moreau_shifted, 1);
    if (!s) return ZN_ERROR_MEMORY;
    s->base = (scheme){.context = context, .class = class, .model = model};
    s->midpoint = class->variant;
    zn_status status = impact_law_create(context, model, settings, &s->base.scales, &s->law);
    if (status == ZN_OK && !(s->velocity = linear_problem_create(context, model, settings, CONE_VELOCITY))) status = ZN_ERROR_MEMORY;
    if (status != ZN_OK) {
        destroy(&s->base);
        return status;
    }
    s->velocity->scales = &s->base.scales;
    *out = &s->base;
    return ZN_OK;
}

static int rate(moreau_shifted *s, double t, const double *q, const double *u, double *qdot) {
    const zn_model *model = s->base.model;
    return model->kinematics(model, s->velocity->at.work, &(zn_point){.t = t, .q = q, .u = u}, &(zn_kinematics){.qdot = qdot});
}

static zn_status start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    (void)a0, (void)lambda0;
    memset(state->carry + base->model->size.nq, 0, (size_t)base->model->size.nu * sizeof(double));
    return rate((moreau_shifted *)base, state->t, state->q, state->u, state->carry) ? ZN_ERROR_NOT_FINITE : ZN_OK;
}

/* u_{n+1} and P at (t*, q*). c1 is linear in u: xi = c1(u_n) + (dc1/du)(u_{n+1} - u_n) + e c1(u_n). */
static zn_status update_velocity(moreau_shifted *s, double t, const double *q, const double *u, double h, double *u_next, double *P,
                                 cone_outcome *outcome) {
    linear_problem *p = s->velocity;
    const zn_model *model = p->model;
    int nu = model->size.nu, n = model_rows(model);
    zn_point at = {.t = t, .q = q, .u = u};
    zn_status status = scales_see(p->scales, &p->at, &at, h);
    if (status != ZN_OK) return status;
    if (model_ask_both(model, p->at.work, &at, &(zn_balance){.r = p->at.r, .M = p->at.M, .W = p->at.W},
                       &(zn_constraints){.c0 = p->at.c0, .c1 = p->c, .c1_u = p->at.c1_u}))
        return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < nu; i++) p->f[i] = -h * p->at.r[i]; /* r = -h at a = 0, lambda = 0 */
    status = impact_law_at_gaps(s->law, p, h);
    if (status != ZN_OK) return status;
    p->time_measure = h;
    status = linear_problem_solve(p, outcome);
    for (int i = 0; i < nu; i++) u_next[i] = u[i] + p->x[i];
    memcpy(P, p->P, (size_t)n * sizeof *P);
    return status;
}

static zn_status step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    moreau_shifted *s = (moreau_shifted *)base;
    int nq = base->model->size.nq;
    double part = s->midpoint ? h / 2 : h, t = from->t + part;
    double *v = to->carry;
    if (s->midpoint) memcpy(v, from->carry, (size_t)nq * sizeof *v);
    else if (rate(s, from->t, from->q, from->u, v)) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < nq; i++) to->q[i] = from->q[i] + part * v[i];

    if (!base->again) linear_problem_recall(s->velocity, from->carry + nq, from->P);
    zn_status status = update_velocity(s, t, to->q, from->u, h, to->u, to->P, outcome);
    if (status != ZN_OK) return status;
    memcpy(to->carry + nq, s->velocity->x, (size_t)base->model->size.nu * sizeof(double));

    if (s->midpoint) {
        if (rate(s, t, to->q, to->u, v)) return ZN_ERROR_NOT_FINITE;
        for (int i = 0; i < nq; i++) to->q[i] += part * v[i];
    }
    to->t = from->t + h;
    return ZN_OK;
}

#define MOREAU(is_midpoint, name, text)                                                                                           \
    {                                                                                                                             \
        SCHEME_INFO(name, text, 1, NULL, 1, 1, 1, true, true, true, true, true),                                                  \
            SCHEME_FUNCTIONS(carry_size, create, start, step, destroy),                                                           \
            .carried = carried, .variant = is_midpoint, .bound = scheme_bound_leapfrog, .drifts = true, .reads_restitution = true \
    }
const scheme_class scheme_moreau_shifted = MOREAU(false, "moreau-shifted", "Moreau's scheme, contacts detected at the end of the step");
const scheme_class scheme_moreau_midpoint = MOREAU(true, "moreau-midpoint", "Moreau's midpoint rule");
