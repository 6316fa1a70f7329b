/* SPDX-License-Identifier: Apache-2.0 */
/* Painleve's paradox. A contact that slips along d has the friction -mu lambda_N d, and
 *
 *   gddot_N = D lambda_N + b,    D = w_N' M^-1 (w_N - mu W_F d)        (joints included)
 *
 * Where D falls to zero forces grow without bound, and beyond it they pull the contact together. The motion goes on by an impact without an
 * approach: as D <= 0, a normal percussion does not open the contact, and it lasts until friction has brought the slip to rest. The
 * velocities after it follow from
 *
 *   gdot_N = 0,   gamma_F = 0,   u+ = u + M^-1 W P
 *
 * which is the limit of stiff contacts. b falls to zero at the same time (from other sides the singular point is not reached). Steps have
 * other solutions too (the contact opens, or keeps slipping with D < 0), and solvers may find these; so a step in which D becomes negative
 * is refused, its parts lead to the singular point, and at the end of the smallest one the impact happens.
 * (contact_events: located has D as an event function, and locates it: modes.c.)
 *
 * D is checked after every step while it is small, and now and then otherwise. */
#include "sim/simulation.h"

/* D relative to that without friction: above FAR it is checked after some steps only. b and D become zero together, and errors of a step
 * decide which is
 * first: a contact that opens with less than NEAR has met the singular point (some schemes open and close all
 * the time). With a fixed step, only where D would be negative after so many steps, or is below LEAST.
 * Where D changes by less than LITTLE in a step, that step is small enough to say so. */
static const double FAR = 0.5, NEAR = 0.025, LITTLE = 3e-5, STEPS_AHEAD = 6, LEAST = 0.004;
enum { STEPS_FAR = 15 };
/* Friction of at least this part of mu P_N is slip. */
static const double SLIP_SHARE = 0.9;
/* Slower slip, in tolerances, is rest; gaps with less than this part of the slip are closed (some schemes have their velocities beside the
 * positions). */
static const double RATE_TOLERANCES = 100, CLOSED_SHARE = 0.01;
/* Percussions below this part of those before are round-off. */
static const double PUSH_ROUNDOFF = 1e-9;
/* With more contact rows it is not watched: its matrix is dense. */
enum { MOST_ROWS = 600 };

static void drop_impacts(zn_simulation *sim) {
    sim_painleve *o = &sim->painleve;
    linear_problem_destroy(o->impact);
    linear_problem_destroy(o->forces);
    mem_free(sim->context, o->modes);
    mem_free(sim->context, o->numbers);
    o->impact = o->forces = NULL, o->modes = NULL, o->numbers = NULL;
}

/* What an impact needs, for the rows that the scheme sees; other ones only where these have changed. */
static zn_status prepare_impacts(zn_simulation *sim) {
    sim_painleve *o = &sim->painleve;
    const zn_model *seen = sim_scheme_model(sim);
    zn_settings settings = sim->settings;
    if (sim->contradiction == 0 || seen != sim->model) settings.contradiction = 0;
    if (o->impact && o->impact->model == seen) return ZN_OK;
    drop_impacts(sim);
    o->impact = linear_problem_create(sim->context, seen, &settings, CONE_VELOCITY);
    o->forces = linear_problem_create(sim->context, seen, &settings, CONE_ACCELERATION);
    o->modes = MEM_ARRAY(sim->context, cone_frozen, seen->size.n_contacts);
    o->numbers = MEM_ARRAY(sim->context, double, model_rows(seen));
    return o->impact && o->forces && o->modes && o->numbers ? ZN_OK : ZN_ERROR_MEMORY;
}

static zn_status make_problem(zn_simulation *sim) {
    zn_settings settings = sim->settings;
    if (sim->contradiction == 0) settings.contradiction = 0;
    sim->painleve.problem = linear_problem_create_responsive(sim->context, sim->model, &settings, CONE_VELOCITY);
    return sim->painleve.problem ? ZN_OK : ZN_ERROR_MEMORY;
}

/* Lists of found contacts change: for those what is needed is made when something slips and it is time to look. */
zn_status sim_painleve_create(zn_simulation *sim) {
    const zn_model *model = sim->model;
    bool rough = false;
    for (int k = 0; k < model->size.n_contacts; k++) rough = rough || (model->contacts[k].row_N >= 0 && model->contacts[k].nF > 0);
    sim->painleve.watched = rough && model->size.nN + model->size.nF <= MOST_ROWS;
    if (!sim->painleve.watched || sim->contacts.field) return ZN_OK;
    zn_status status = make_problem(sim);
    return status == ZN_OK ? prepare_impacts(sim) : status;
}

void sim_painleve_destroy(zn_simulation *sim) {
    linear_problem_destroy(sim->painleve.problem);
    drop_impacts(sim);
}

static double size_of(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* Whether a contact slipped in the step to the present: some ball has its full friction, and then d. Others do not move. */
static bool slipped(const zn_simulation *sim, int contact, double *d) {
    const zn_contact *c = &sim->model->contacts[contact];
    const double *P = sim->now.P_all;
    bool any = false;
    if (c->row_N < 0 || !(P[c->row_N] > 0)) return false;
    for (int b = 0, i = 0; b < c->n_balls; i += c->balls[b++].dim) {
        const double *F = P + c->row_F + i;
        double size = size_of(c->balls[b].dim, F);
        bool slips = size > 0 && size >= SLIP_SHARE * c->balls[b].mu * P[c->row_N];
        for (int j = 0; d && j < c->balls[b].dim; j++) d[i + j] = slips ? -F[j] / size : 0;
        any = any || slips;
    }
    return any;
}

static bool opens(const zn_simulation *sim, int contact) {
    int row = sim->model->contacts[contact].row_N;
    return !(sim->next.P_all[row] > PUSH_ROUNDOFF * sim->now.P_all[row]);
}

/* There are contacts to be checked, and it is time. */
static bool is_due(zn_simulation *sim) {
    sim_painleve *o = &sim->painleve;
    bool any = false, some_open = false;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        bool slips = slipped(sim, k, NULL);
        any = any || slips;
        some_open = some_open || (slips && opens(sim, k));
    }
    if (any && !some_open && o->wait > 0) {
        o->wait--;
        return false;
    }
    return any;
}

/* They become active; modes: NULL, or those of contacts that are closed by their mode are left out. False: no memory. */
static bool choose(zn_simulation *sim, const cone_frozen *modes, bool *any) {
    sim_painleve *o = &sim->painleve;
    if (!o->problem && make_problem(sim) != ZN_OK) return false;
    *any = false;
    for (int k = 0; k < sim->model->size.n_contacts; k++) {
        o->problem->active[k] = slipped(sim, k, NULL) && !(modes && modes[k].normal == CONE_CLOSED);
        *any = *any || o->problem->active[k];
    }
    return true;
}

/* The contact with the least D at a state. */
static int find_least(zn_simulation *sim, const scheme_state *state, double *least) {
    sim_painleve *o = &sim->painleve;
    linear_problem *p = o->problem;
    const zn_model *model = sim->model;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    int found = -1;
    *least = INFINITY;
    if (model->balance(model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}) ||
        model->constraints(model, p->at.work, &at, &(zn_constraints){.c1 = p->at.c1, .c1_u = p->at.c1_u}) ||
        linear_problem_respond(p) != ZN_OK)
        return -1;
    for (int k = 0; k < model->size.n_contacts; k++) {
        double d[SIM_MOST_ROWS];
        if (!p->active[k] || !slipped(sim, k, d)) continue;
        double D = linear_problem_slip_response(p, k, d);
        if (D < *least) *least = D, found = k;
    }
    return found;
}

/* At a state: what bounces, or was brought to rest, does not slip. */
static bool is_slipping(zn_simulation *sim, const scheme_state *state, int contact) {
    const zn_model *model = sim->model;
    const zn_contact *c = &model->contacts[contact];
    const answers *at = &sim->painleve.problem->at;
    zn_point point = {.t = state->t, .q = state->q, .u = state->u};
    double d[SIM_MOST_ROWS], slip = 0, still = RATE_TOLERANCES * sim->settings.tolerance;
    int left_out = model_row_N(model) - model_row_N(sim_scheme_model(sim));
    if (model->constraints(model, at->work, &point, &(zn_constraints){.c1 = at->c1}) || !slipped(sim, contact, d)) return false;
    for (int i = 0; i < c->nF; i++) slip += d[i] * at->c1[c->row_F + i];
    return slip > still * scales_rate(&sim->scheme->scales, c->row_F - left_out) && fabs(at->c1[c->row_N]) <= CLOSED_SHARE * slip;
}

/* The velocities of a state after the impact of a contact; others that push have their laws. */
static zn_status hit(zn_simulation *sim, const scheme_state *state, int contact) {
    linear_problem *p = sim->painleve.impact;
    cone_frozen *modes = sim->painleve.modes;
    const zn_model *model = p->model;
    unsigned char stick[SIM_MOST_ROWS];
    double along[SIM_MOST_ROWS] = {0};
    cone_outcome outcome;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    if (model->balance(model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}) ||
        model->constraints(model, p->at.work, &at, &(zn_constraints){.c1 = p->at.c1, .c1_u = p->at.c1_u}))
        return ZN_ERROR_NOT_FINITE;
    memset(stick, CONE_STICK, sizeof stick);
    for (int k = 0; k < model->size.n_contacts; k++) {
        modes[k] = (cone_frozen){k == contact ? CONE_CLOSED : CONE_LAW, stick, along, NULL};
        p->active[k] = model->contacts[k].row_N >= 0 && state->P[model->contacts[k].row_N] > 0;
    }
    linear_problem_reset(p);
    memcpy(p->c, p->at.c1, (size_t)model_rows(model) * sizeof *p->c);
    memset(p->f, 0, (size_t)model->size.nu * sizeof *p->f);
    linear_problem_freeze(p, modes);
    zn_status status = linear_problem_solve(p, &outcome);
    linear_problem_freeze(p, NULL);
    return status == ZN_OK && p->P[model->contacts[contact].row_N] > 0 ? ZN_OK : status == ZN_OK ? ZN_ERROR_NO_CONVERGENCE : status;
}

/* The same with its percussions, added to those of the state, and a new start of the scheme. */
static zn_status strike(zn_simulation *sim, scheme_state *state, int contact) {
    sim_painleve *o = &sim->painleve;
    zn_status status = prepare_impacts(sim);
    if (status != ZN_OK) return status;
    o->impact->scales = &sim->scheme->scales;
    status = hit(sim, state, contact);
    if (status != ZN_OK) return status;
    int n = model_rows(o->impact->model);
    for (int i = 0; i < o->impact->model->size.nu; i++) state->u[i] += o->impact->x[i];
    for (int i = 0; i < n; i++) o->numbers[i] = state->P[i] + o->impact->P[i]; /* some schemes start without */
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    bool wanted = sim->scheme->class->needs_start_forces;
    if (wanted) status = sim_start_forces_by(sim->context, o->forces, &sim->settings, &sim->scheme->scales, &at);
    if (status == ZN_OK) status = sim->scheme->class->start(sim->scheme, state, wanted ? o->forces->x : NULL, wanted ? o->forces->P : NULL);
    memcpy(state->P, o->numbers, (size_t)n * sizeof *o->numbers);
    o->count += status == ZN_OK;
    return status;
}

/* The contact in which the step meets the singular point; -1: none. *last: smaller steps would not find it better. */
static int find_singular(zn_simulation *sim, bool *last) {
    double least, before = INFINITY;
    int contact = find_least(sim, &sim->next, &least);
    sim->painleve.wait = least > FAR ? STEPS_FAR : 0;
    if (contact < 0 || !(least <= NEAR) || !is_slipping(sim, &sim->now, contact)) return -1;
    if (least > 0 && !opens(sim, contact)) {
        sim->painleve.count += !is_slipping(sim, &sim->next, contact); /* the step found the impact by itself */
        return -1;
    }
    if (least > 0 && find_least(sim, &sim->now, &before) == contact) {
        double fall = (before - least) / (sim->next.t - sim->now.t) * sim->settings.step;
        if (!sim->settings.step_auto && fall > 0 && !(least <= larger(STEPS_AHEAD * fall, LEAST))) return -1;
        *last = *last || before - least <= LITTLE;
    }
    return contact;
}

bool sim_painleve_allows(zn_simulation *sim, bool last) {
    bool any;
    if (!sim->painleve.watched || !is_due(sim)) return true;
    if (!choose(sim, NULL, &any)) return false;
    int contact = find_singular(sim, &last);
    if (contact < 0) return true;
    if (!last || strike(sim, &sim->next, contact) != ZN_OK) return false;
    sim_selection_expand(sim, &sim->next);
    return true;
}

bool sim_painleve_happens(zn_simulation *sim, const cone_frozen *modes) {
    const zn_sizes *size = &sim->model->size;
    double least;
    bool any;
    if (!sim->painleve.watched || !choose(sim, modes, &any)) return false;
    int contact = any ? find_least(sim, &sim->now, &least) : -1;
    if (contact < 0 || !(least <= NEAR) || !is_slipping(sim, &sim->now, contact)) return false;
    scheme_state *before = &sim->next; /* lends memory */
    memcpy(before->q, sim->now.q, (size_t)size->nq * sizeof *before->q);
    memcpy(before->u, sim->now.u, (size_t)size->nu * sizeof *before->u);
    before->t = sim->now.t;
    memset(sim->now.P, 0, (size_t)model_rows(sim_scheme_model(sim)) * sizeof *sim->now.P);
    if (strike(sim, &sim->now, contact) != ZN_OK) return false;
    sim_selection_expand(sim, &sim->now);
    sim_book(sim, before, &sim->now);
    sim_work_jump(sim, before);
    return true;
}
