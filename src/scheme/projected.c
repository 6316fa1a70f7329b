/* SPDX-License-Identifier: Apache-2.0 */
/* Projected, stiffly accurate Runge-Kutta schemes (docs/theory/runge-kutta.md; 002: chapter 4, Fig. 4.8).
 *
 *   stages      dQ_i, dU_i, dPi_i with the inclusions on DPi_i = sum_j a_ij dPi_j (projected_stages.h):
 *               all at once, or one after the other where A is lower triangular
 *   end         q_{n+1} = Q_s,  u~ = U_s,  Ps = sum_i b_i dPi_i
 *   projection  u_{n+1}, P from u~, Ps with the impact law (velocity_projection.h), active contacts:
 *               closed in the last stage, rho g_N(q_{n+1}) - DPi_N,s <= 0
 *
 * Explicit first stage (TR-theta): dQ_1 = h q'(t_n), dU_1 = h a, dPi_1 = h lambda with the accelerations and
 * multipliers that belong to the projected state (t_n, q_n, u_n), recomputed in each step: a carried dPi_1 would
 * contain the impulse of an impact.
 *
 * Without projection (projection: none) u_{n+1} = u~, P = Ps: the naive method (002: 4.5), without an impact law.
 *
 * friction_law staged (staged.h): the step is tried with stage measures for contacts that slip, and repeated without them where
 * the test rejects them.
 *
 * Kept between steps: the increments, from which the next step starts (polynomial through the stage derivatives,
 * evaluated in the next step) unless contacts opened or closed, and from which the motion inside the step is read
 * (interpolate). After the singular point of Painleve's paradox the stages have several solutions (sim/painleve.c). */
#include "scheme/projected.h"
#include "scheme/consistent_forces.h"
#include "scheme/precision.h"
#include "scheme/projected_stages.h"
#include "scheme/settings.h"
#include "scheme/staged.h"
#include "scheme/velocity_projection.h"

/* Gaps and velocities below this part of those in their rows, after a projection, count as closed, at rest, sticking (explicit first
 * stage). */
static const double REST_PART = 1e-8;

typedef struct projected {
    scheme base;
    tableau method;
    bool project;
    int first, group; /* first implicit stage; stages of one solve */
    stages *implicit;
    linear_problem *velocity; /* NULL: without projection */
    impact_map *impacts;      /* NULL: Newton's law */
    linear_problem *forces;   /* NULL: no explicit stage */
    prox_estimate prox;
    staged_law law;
    double *last_weight; /* n rows: b_s dPi_s; staged law only */
} projected;

/* What a state carries. */
typedef struct record {
    double *h;             /* of the step that ended here; 0: none */
    double *smooth;        /* 1: no contact opened or closed in it, and no row was redundant; HELD: rows were redundant, by modes */
    double *closed;        /* per contact: 1 closed, 0 open at its end, -1 unknown */
    double *caution;       /* per contact, of the staged law */
    double *dU, *dQ, *dPi; /* s x nu, s x nq, s x n */
} record;

static record record_of(const projected *p, double *carry) {
    const zn_sizes *size = &p->base.model->size;
    record r = {.h = carry, .smooth = carry + 1, .closed = carry + 2};
    r.caution = r.closed + size->n_contacts;
    r.dU = r.caution + size->n_contacts;
    r.dQ = r.dU + p->method.s * size->nu;
    r.dPi = r.dQ + p->method.s * size->nq;
    return r;
}

size_t projected_carry_size(const zn_model *model, const zn_settings *settings) {
    const scheme_class *class = scheme_find(settings->scheme);
    int s = settings->stages ? settings->stages : class ? class->info.stages_default : 0;
    if (s < 3) s = 3; /* schemes with a fixed number of stages call themselves 1, 2 or 3 */
    return (size_t)(2 + 2 * model->size.n_contacts + s * (model->size.nu + model->size.nq + model_rows(model)));
}

int projected_carried(const scheme *base, carry_piece *pieces) {
    const zn_sizes *size = &base->model->size;
    int s = ((const projected *)base)->method.s;
    pieces[0] = (carry_piece){.kind = CARRY_NUMBERS, .count = 2};
    pieces[1] = (carry_piece){.kind = CARRY_CONTACTS, .count = 1, .new_value = -1};
    pieces[2] = (carry_piece){.kind = CARRY_CONTACTS, .count = 1};
    pieces[3] = (carry_piece){.kind = CARRY_NUMBERS, .count = s * (size->nu + size->nq)};
    pieces[4] = (carry_piece){.kind = CARRY_ROWS, .count = s};
    return 5;
}

void projected_destroy(scheme *base) {
    projected *p = (projected *)base;
    stages_destroy(p->implicit);
    linear_problem_destroy(p->velocity);
    linear_problem_destroy(p->forces);
    impact_map_destroy(base->context, p->impacts);
    prox_destroy(base->context, &p->prox);
    staged_destroy(&p->law);
    mem_free(base->context, p->last_weight);
    mem_free(base->context, p);
}

zn_status projected_create(zn_context *context, const scheme_class *class, const zn_model *model, const zn_settings *settings,
                           scheme **out) {
    projected *p = MEM_ARRAY(context, projected, 1);
    if (!p) return ZN_ERROR_MEMORY;
    p->base = (scheme){.context = context, .class = class, .model = model};
    p->law.context = context;
    p->project = settings->projection == ZN_PROJECTION_VELOCITY;
    zn_status status = class->method(context, settings->stages, settings->damping, &p->method);
    if (status == ZN_OK) status = impact_law_create(context, model, settings, &p->base.scales, &p->impacts);
    if (status == ZN_OK && p->impacts && !p->project)
        status = fail(context, ZN_ERROR_ARGUMENT, "projection: none omits the impact law: restitution_law: %s needs projection: velocity",
                      setting_word(settings, "restitution_law"));
    if (status == ZN_OK) status = prox_create(context, model, &p->prox);
    if (status == ZN_OK) status = staged_create(context, model, settings, &p->base.scales, &p->law);
    if (status == ZN_OK && !(p->last_weight = MEM_ARRAY(context, double, model_rows(model)))) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        const tableau *method = &p->method;
        bool one_by_one = method->diagonally_implicit;
        p->first = method->explicit_first ? 1 : 0;
        p->group = one_by_one ? 1 : method->s;
        p->implicit = stages_create(context, model, settings, p->group, one_by_one ? &method->A[method->s * method->s - 1] : method->A,
                                    p->law.offered ? p->law.trial : NULL);
        if (p->project) p->velocity = linear_problem_create(context, model, settings, CONE_VELOCITY);
        if (p->first) p->forces = linear_problem_create(context, model, settings, CONE_ACCELERATION);
        if (!p->implicit || (p->project && !p->velocity) || (p->first && !p->forces)) status = ZN_ERROR_MEMORY;
    }
    if (p->velocity) p->velocity->scales = &p->base.scales;
    if (p->forces) p->forces->scales = &p->base.scales;
    if (status == ZN_OK) *out = &p->base;
    else projected_destroy(&p->base);
    return status;
}

stages *projected_stages(scheme *base) { return ((projected *)base)->implicit; }

zn_status projected_start(scheme *base, scheme_state *state, const double *a0, const double *lambda0) {
    (void)a0, (void)lambda0;
    record r = record_of((projected *)base, state->carry);
    *r.h = *r.smooth = 0;
    for (int k = 0; k < base->model->size.n_contacts; k++) {
        r.closed[k] = -1;
        r.caution[k] = 0;
    }
    return ZN_OK;
}

/* ---- start values ---- */

/* to_i = ratio sum_j l_j(1 + ratio c_i) from_j: derivatives at the new stages from the polynomial through the old ones. */
static void extrapolate(const tableau *method, double ratio, int n, const double *from, double *to) {
    int s = method->s;
    memset(to, 0, (size_t)(s * n) * sizeof *to);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double x = 1 + ratio * method->c[i], weight = ratio;
            for (int k = 0; k < s; k++)
                if (k != j) weight *= (x - method->c[k]) / (method->c[j] - method->c[k]);
            for (int e = 0; e < n; e++) to[i * n + e] += weight * from[j * n + e];
        }
}

/* to_i = ratio from_s: as in the last stage. */
static void hold(const tableau *method, double ratio, int n, const double *from, double *to) {
    for (int i = 0; i < method->s * n; i++) to[i] = ratio * from[(method->s - 1) * n + i % n];
}

/* Redundant rows leave a part of the multipliers free; extrapolated again and again it would grow. Those of contacts with modes are
 * held. */
static const double HELD = 2;

static void guess(const projected *p, const record *from, double h, const record *to) {
    const zn_sizes *size = &p->base.model->size;
    int s = p->method.s, n = model_rows(p->base.model);
    if (*from->smooth != 0) {
        extrapolate(&p->method, h / *from->h, size->nu, from->dU, to->dU);
        if (p->implicit->nQ) extrapolate(&p->method, h / *from->h, size->nq, from->dQ, to->dQ);
        (*from->smooth == HELD ? hold : extrapolate)(&p->method, h / *from->h, n, from->dPi, to->dPi);
        return;
    }
    memset(to->dU, 0, (size_t)(s * size->nu) * sizeof *to->dU);
    memset(to->dQ, 0, (size_t)(s * size->nq) * sizeof *to->dQ);
    memset(to->dPi, 0, (size_t)(s * n) * sizeof *to->dPi);
}

/* ---- stages ---- */

static zn_status explicit_stage(projected *p, const scheme_state *from, double h, const record *r, cone_outcome *outcome) {
    const zn_model *model = p->base.model;
    zn_point start = {.t = from->t, .q = from->q, .u = from->u};
    zn_status status = consistent_forces_by(p->forces, p->base.modes, &start, REST_PART, outcome);
    if (status != ZN_OK) return status;
    for (int j = 0; j < model->size.nu; j++) r->dU[j] = h * p->forces->x[j];
    for (int j = 0; j < model_rows(model); j++) r->dPi[j] = h * p->forces->P[j];
    zn_point at = {.t = from->t, .q = from->q, .u = from->u};
    if (model->kinematics(model, p->forces->at.work, &at, &(zn_kinematics){.qdot = r->dQ})) return ZN_ERROR_NOT_FINITE;
    for (int j = 0; j < model->size.nq; j++) r->dQ[j] *= h;
    return ZN_OK;
}

/* to = base + sum_{j < count} a_ij d_j */
static void accumulate(const tableau *method, int i, int count, int n, const double *base, const double *d, int stride, double *to) {
    for (int e = 0; e < n; e++) to[e] = base ? base[e] : 0;
    for (int j = 0; j < count; j++)
        for (int e = 0; e < n; e++) to[e] += method->A[i * method->s + j] * d[j * stride + e];
}

/* What is known of stages i .. i + group - 1 before they are solved. */
static void prepare_group(projected *p, const scheme_state *from, double h, const record *r, int i) {
    stages *s = p->implicit;
    const zn_model *model = p->base.model;
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model), known = p->group == 1 ? i : 0;
    states_begin(s->states);
    for (int k = 0; k < p->group; k++) {
        s->since[k] = p->method.c[i + k] * h;
        s->tau[k] = from->t + s->since[k];
        accumulate(&p->method, i + k, known, nq, from->q, r->dQ, nq, s->Q0 + k * nq);
        accumulate(&p->method, i + k, known, nu, from->u, r->dU, nu, s->U0 + k * nu);
        accumulate(&p->method, i + k, known, s->nc, NULL, r->dPi + s->nb, n, s->D0 + k * s->nc);
        if (s->loads) accumulate(&p->method, i + k, known, s->nb, NULL, r->dPi, n, s->load_0 + k * s->nb);
    }
}

static void load_start(projected *p, const record *r, int i) {
    stages *s = p->implicit;
    const zn_model *model = p->base.model;
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model);
    memcpy(s->dU, r->dU + i * nu, (size_t)(p->group * nu) * sizeof *s->dU);
    for (int k = 0; k < p->group; k++)
        for (int j = 0; j < s->nQ; j++) s->dQ[k * s->nQ + j] = r->dQ[(i + k) * nq + states_other(s->states, j)];
    for (int k = 0; k < p->group; k++) {
        memcpy(s->dPi_b + k * s->nb, r->dPi + (i + k) * n, (size_t)s->nb * sizeof *s->dPi_b);
        memcpy(s->dPi_c + k * s->nc, r->dPi + (i + k) * n + s->nb, (size_t)s->nc * sizeof *s->dPi_c);
    }
}

static void keep_solution(projected *p, const record *r, int i) {
    const stages *s = p->implicit;
    const zn_model *model = p->base.model;
    int nq = model->size.nq, nu = model->size.nu, n = model_rows(model);
    memcpy(r->dU + i * nu, s->dU, (size_t)(p->group * nu) * sizeof *s->dU);
    stages_dQ(s, r->dQ + i * nq);
    for (int k = 0; k < p->group; k++) {
        memcpy(r->dPi + (i + k) * n, s->dPi_b + k * s->nb, (size_t)s->nb * sizeof *s->dPi_b);
        memcpy(r->dPi + (i + k) * n + s->nb, s->dPi_c + k * s->nc, (size_t)s->nc * sizeof *s->dPi_c);
    }
}

static zn_status solve_from(projected *p, cone_outcome *outcome) {
    cone_outcome part;
    zn_status status = stages_solve(p->implicit, &part);
    cone_outcome_add(outcome, &part);
    return status;
}

/* From the extrapolated start, then from rest. */
static zn_status solve_group(projected *p, const record *r, int i, bool extrapolated, cone_outcome *outcome) {
    cone_outcome before = *outcome;
    load_start(p, r, i);
    cone_be_brief(p->implicit->solver, staged_any(&p->law));
    zn_status status = solve_from(p, outcome);
    if (status == ZN_OK || !extrapolated || staged_any(&p->law)) return status;
    *outcome = before;
    memset(p->implicit->x, 0, (size_t)p->implicit->problem.nx * sizeof(double));
    memset(p->implicit->dPi_c, 0, (size_t)p->implicit->problem.ny * sizeof(double));
    return solve_from(p, outcome);
}

/* Whether the contacts of stages i .. are open or closed, all as in `expected` (which is filled where unknown). */
static bool same_contacts(const projected *p, int i, double *expected, bool *opened) {
    bool same = true;
    for (int m = 0; m < p->group; m++)
        for (int k = 0; k < p->base.model->size.n_contacts; k++) {
            double closed = cone_touches(p->implicit->solver, m * p->base.model->size.n_contacts + k);
            if (expected[k] >= 0 && expected[k] != closed) same = false;
            if (i + m > p->first && expected[k] == 1 && closed == 0) *opened = true;
            expected[k] = closed;
        }
    return same;
}

static zn_status estimate_prox(projected *p, const scheme_state *from) {
    const zn_model *model = p->base.model;
    answers *at = &p->implicit->at[0];
    zn_point point = {.t = from->t, .q = from->q, .u = from->u};
    if (model->balance(model, at->work, &point, &(zn_balance){.M = at->M, .W = at->W})) return ZN_ERROR_NOT_FINITE;
    zn_status status = prox_update(&p->prox, at->M, at->W, NULL);
    if (status == ZN_OK) status = scales_see(&p->base.scales, at, &point, p->implicit->h);
    if (status == ZN_OK) scales_rows(&p->base.scales, p->prox.mass_scale, p->prox.W_kept);
    return status;
}

/* ---- the step ---- */

static void finish_stages(const projected *p, double t, const record *r, scheme_state *to) {
    const zn_model *model = p->base.model;
    const stages *s = p->implicit;
    int last = s->m - 1, n = model_rows(model);
    to->t = t;
    memcpy(to->q, s->Q + last * model->size.nq, (size_t)model->size.nq * sizeof *to->q);
    memcpy(to->u, s->U + last * model->size.nu, (size_t)model->size.nu * sizeof *to->u);
    accumulate(&p->method, p->method.s - 1, p->method.s, n, NULL, r->dPi, n, to->P); /* the last row of A is b */
}

/* Staged law: closed contacts and slip velocities at t_n. Where the last step does not say, the state itself decides. */
static zn_status staged_start(projected *p, const scheme_state *from, const record *before) {
    const zn_model *model = p->base.model;
    staged_law *law = &p->law;
    answers *at = &p->implicit->at[0];
    zn_point point = {.t = from->t, .q = from->q, .u = from->u};
    if (model->constraints(model, at->work, &point, &(zn_constraints){.c0 = at->c0, .c1 = law->start})) return ZN_ERROR_NOT_FINITE;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        bool rests = staged_rests(law, k, at->c0);
        law->closed[k] = row < 0 || (before->closed[k] < 0 ? rests : before->closed[k] > 0 && from->P[row] > 0);
        law->touching[k] = law->closed[k] || rests;
    }
    staged_begin(law, before->caution);
    return ZN_OK;
}

/* The test of stages i .. on contacts of the trial set, after they were solved. */
static void test_stages(projected *p) {
    const stages *s = p->implicit;
    staged_law *law = &p->law;
    int n_contacts = p->base.model->size.n_contacts;
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < n_contacts; k++) {
            if (!law->trial[k]) continue;
            const zn_contact *contact = &p->base.model->contacts[k];
            staged_follow(law, k, s->at[i].c1);
            if (contact->row_N >= 0 && !(s->dPi_c[i * s->nc + contact->row_N - s->nb] >= 0)) staged_reject(law, k);
            if (!stages_closed(s, i, k)) staged_reject(law, k);
            for (int b = 0; b < contact->n_balls; b++)
                if (cone_sticks(s->solver, i * n_contacts + k, b)) staged_reject(law, k);
        }
}

/* The projection, or with the staged law its own end of the step. */
static zn_status finish_step(projected *p, const scheme_state *from, double h, const record *r, scheme_state *to, cone_outcome *outcome) {
    const zn_model *model = p->base.model;
    int n = model_rows(model), s = p->method.s;
    cone_outcome part;
    finish_stages(p, from->t + h, r, to);
    if (!p->project) {
        if (p->law.offered) staged_see_new_contacts(&p->law, to->P);
        return ZN_OK;
    }
    for (int k = 0; k < model->size.n_contacts; k++) p->velocity->active[k] = r->closed[k] != 0;
    for (int j = 0; j < n; j++) p->last_weight[j] = p->method.b[s - 1] * r->dPi[(s - 1) * n + j];
    zn_status status = velocity_projection(p->velocity, p->impacts, &p->law, p->last_weight, from, h, to, &part);
    cone_outcome_add(outcome, &part);
    return status;
}

/* Stages one after the other, no start from the last step: contacts of the trial set start with the measure of the stage
 * before, since from zero their first radius is zero and Newton needs an iteration to learn that they slip. */
static void start_from_last_stage(const projected *p, const record *r, int i) {
    const zn_model *model = p->base.model;
    int n = model_rows(model);
    double *now = r->dPi + i * n;
    const double *last = now - n;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (!p->law.trial[k]) continue;
        if (contact->row_N >= 0) now[contact->row_N] = last[contact->row_N];
        memcpy(now + contact->row_F, last + contact->row_F, (size_t)contact->nF * sizeof *now);
    }
}

/* A step with the present trial set; ends early where that is rejected. */
static zn_status attempt(projected *p, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    const zn_model *model = p->base.model;
    record before = record_of(p, from->carry), r = record_of(p, to->carry);
    *outcome = (cone_outcome){.worst_cone = -1, .worst_row = -1};
    stages_scale(p->implicit, &p->prox, &p->base.scales);
    cone_expect_noise(p->implicit->solver, scheme_expects(&p->base, from->q, from->u, h));
    guess(p, &before, h, &r);
    zn_status status = ZN_OK;
    cone_outcome part;
    if (p->first) {
        status = explicit_stage(p, from, h, &r, &part);
        cone_outcome_add(outcome, &part);
    }
    bool smooth = true;
    to->opened = false;
    memcpy(r.closed, before.closed, (size_t)model->size.n_contacts * sizeof *r.closed);
    for (int i = p->first; i < p->method.s && status == ZN_OK; i += p->group) {
        prepare_group(p, from, h, &r, i);
        if (i > 0 && *before.smooth == 0 && p->law.offered) start_from_last_stage(p, &r, i);
        status = solve_group(p, &r, i, *before.smooth != 0, outcome);
        if (status != ZN_OK) break;
        keep_solution(p, &r, i);
        smooth = same_contacts(p, i, r.closed, &to->opened) && smooth;
        if (p->law.offered && !p->base.modes) test_stages(p);
        if (staged_rejects(&p->law)) return ZN_OK;
    }
    if (status != ZN_OK) return status;
    *r.h = h;
    bool redundant = outcome->path != CONE_NEWTON || (*before.smooth == HELD && outcome->most == 0); /* the start was the solution */
    *r.smooth = !smooth ? 0 : !redundant ? 1 : p->base.modes ? HELD : 0;
    return finish_step(p, from, h, &r, to, outcome);
}

zn_status projected_step(scheme *base, const scheme_state *from, double h, scheme_state *to, cone_outcome *outcome) {
    projected *p = (projected *)base;
    record before = record_of(p, from->carry), r = record_of(p, to->carry);
    p->implicit->h = h;
    zn_status status = estimate_prox(p, from);
    if (status != ZN_OK) return status;
    memset(r.caution, 0, (size_t)base->model->size.n_contacts * sizeof *r.caution);
    scheme_freeze(base->modes, base->model->size.n_contacts, p->implicit->m, p->implicit->cones);
    if (p->velocity) linear_problem_freeze(p->velocity, base->modes);
    staged_freeze(&p->law, base->modes);
    p->implicit->free = scheme_is_free(base->model, base->modes);
    if (!p->law.offered || base->modes) return attempt(p, from, h, to, outcome);
    cone_outcome cost = {0};
    status = staged_start(p, from, &before);
    if (status != ZN_OK) return status;
    do {
        staged_attempt(&p->law);
        status = attempt(p, from, h, to, outcome);
    } while (!staged_stands(&p->law, status, outcome, &cost));
    staged_add_cost(&p->law, to, outcome, &cost);
    staged_end(&p->law, before.caution, r.caution);
    return status;
}

/* Q(t_n + x h) = q_n + sum_j w_j(x) dQ_j, the same for u: at x = 1 the velocity right before the projection. */
void projected_interpolate(const scheme *base, const scheme_state *from, const scheme_state *to, double x, double *q, double *u) {
    const projected *p = (const projected *)base;
    const zn_sizes *size = &base->model->size;
    record r = record_of(p, to->carry);
    double weights[TABLEAU_S_MAX];
    tableau_dense(&p->method, x, weights);
    memcpy(q, from->q, (size_t)size->nq * sizeof *q);
    memcpy(u, from->u, (size_t)size->nu * sizeof *u);
    for (int j = 0; j < p->method.s; j++) {
        for (int e = 0; e < size->nq; e++) q[e] += weights[j] * r.dQ[j * size->nq + e];
        for (int e = 0; e < size->nu; e++) u[e] += weights[j] * r.dU[j * size->nu + e];
    }
}

/* Error of positions:
 *
 *   TR-theta   sum_j (b_j - bh_j) dQ_j with the embedded third-order weights                                          O(h^3)
 *   Radau IIA  gamma (h q'(t_n) - sum_j l_j(0) dQ_j), gamma = b_s / |l_s(0)|: the difference to the quadrature with     O(h^(s+1))
 *              the start of the step in place of its end
 *
 * No such formula for the others. SDIRK loses its order with constraints and contacts, which quadrature does not see. In
 * Lobatto IIIC the first stage has the percussion 0, so its dPi_F is that of the others and it does not see where slip ends. */
int projected_error(scheme *base, const scheme_state *from, const scheme_state *to, double h, double *error_q) {
    projected *p = (projected *)base;
    const zn_model *model = base->model;
    const tableau *method = &p->method;
    int s = method->s, nq = model->size.nq;
    record r = record_of(p, to->carry);
    double weights[TABLEAU_S_MAX], start_weight = 0;
    if (!tableau_error_weights(method, weights) || !method->explicit_first) {
        for (int j = 0; j < s; j++) {
            weights[j] = 1;
            for (int k = 0; k < s; k++)
                if (k != j) weights[j] *= method->c[k] / (method->c[k] - method->c[j]);
        }
        start_weight = method->b[s - 1] / fabs(weights[s - 1]);
        for (int j = 0; j < s; j++) weights[j] *= -start_weight;
    }
    zn_point at = {.t = from->t, .q = from->q, .u = from->u};
    if (model->kinematics(model, p->implicit->at[0].work, &at, &(zn_kinematics){.qdot = error_q})) error_q[0] = NAN;
    for (int e = 0; e < nq; e++) {
        error_q[e] *= start_weight * h;
        for (int j = 0; j < s; j++) error_q[e] += weights[j] * r.dQ[j * nq + e];
    }
    return method->explicit_first ? 3 : s + 1;
}
