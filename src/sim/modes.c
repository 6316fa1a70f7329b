/* SPDX-License-Identifier: Apache-2.0 */
/* Modes of contacts, and event functions phi of a state (t, q, u), negative where the event has happened. With accelerations a and forces
 * lambda of the modes at that state, which have the full order of the scheme:
 *
 *   impact          open       phi = g_N - min(g_N(start), 0)       phi' = gdot_N
 *   opening         closed     phi = lambda_N
 *   end of slip     slip(d)    phi = d gamma_F                      phi' = d gammadot_F       balls of one row; others: located.c
 *   begin of slip   stick      phi = mu lambda_N - |lambda_F|
 *   reversal        open       phi = gdot_N                         of a clutch, whose gap is zero while it opens
 *   singular point  slip(d)    phi = D/D_NN - SINGULAR              painleve.c
 *
 * Modes at a state by the laws on acceleration level (docs/theory/system.md): contacts that touch and do not move apart are closed where
 * gddot_N in N(-lambda_N) says so; balls slip along gamma_F, or where that is zero as gammadot_F in N_C(-lambda_F) says. */
#include "sim/simulation.h"

#include "scheme/consistent_forces.h"
#include "scheme/loads.h"

/* Rates below this many tolerances are zero (impact_map.c has the same), and below this part of the speeds in any case: what maps leave of
 * zero. */
static const double RATE_TOLERANCES = 10, RATE_LEAST = 1e-9;
/* Touching: this part of the way in a step, or this many tolerances of lengths. */
static const double TOUCH_SHARE = 1e-9, TOUCH_TOLERANCES = 100;
/* Event functions are negative below: round-off of gaps, in units of their last place and of the way in a step; a part of the tolerance of
 * rates and accelerations. */
static const double GAP_ROUNDOFF = 1e-14, GAP_SHARE = 1e-13, RATE_SHARE = 1e-3;
/* Steps up to D = 0 would become smaller for ever, as forces grow. */
static const double SINGULAR = 1e-3;
/* A contact that was hit and has neither a force nor an acceleration (a bar is free of stress until the wave has begun) stays closed: an
 * acceleration that makes less than this many rates of rest within a step does not open it. */
static const double TIE_SHARE = 1;
/* An opened contact that closes again at once was needed. */
enum { MOST_CHOICES = 4 };

double sim_still(const zn_simulation *sim, int row) {
    return larger(RATE_TOLERANCES * sim->settings.tolerance, RATE_LEAST) / scales_of_rate(&sim->scheme->scales, row);
}

double sim_touching(const zn_simulation *sim, int row) {
    const problem_scales *scales = &sim->scheme->scales;
    return larger(TOUCH_SHARE * sim->located.h * scales_rate(scales, row),
                  TOUCH_TOLERANCES * sim->settings.tolerance / scales_of_length(scales, row));
}

double sim_gap_roundoff(const zn_simulation *sim, int row) {
    const problem_scales *scales = &sim->scheme->scales;
    return GAP_ROUNDOFF * (scales->memory ? scales->row_place[row] : 1);
}

void sim_modes_copy(const zn_simulation *sim, const sim_modes *from, sim_modes *to) {
    const zn_sizes *size = &sim->model->size;
    to->known = from->known;
    for (int k = 0; k < size->n_contacts; k++) to->contact[k].normal = from->contact[k].normal;
    memcpy(to->ball, from->ball, (size_t)sim->located.n_balls * sizeof *to->ball);
    memcpy(to->along, from->along, (size_t)size->nF * sizeof *to->along);
}

/* Row of a ball among those of lambda, and of `along`. */
static int row_of_ball(const zn_contact *contact, int b) {
    int row = contact->row_F;
    for (int i = 0; i < b; i++) row += contact->balls[i].dim;
    return row;
}

int sim_row_of_ball(const zn_simulation *sim, int ball) {
    const sim_located *l = &sim->located;
    return row_of_ball(&l->forces->model->contacts[l->ball_contact[ball]], l->ball_of[ball]);
}

/* d of balls of several rows that slip: that of gamma_F, or of the mode while it is still zero. */
void sim_modes_direct(const zn_simulation *sim, linear_problem *p) {
    const zn_model *model = p->model;
    int first = model_row_F(model);
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
            int dim = contact->balls[b].dim;
            bool moves = length_of(dim, p->at.c1 + row) > sim_still(sim, row);
            for (int i = 0; i < dim; i++) p->direction[row + i - first] = moves ? p->at.c1[row + i] : 0;
        }
    }
}

void sim_ball_by_velocity(zn_simulation *sim, int contact, int ball) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    const zn_contact *c = &p->model->contacts[contact];
    int row = row_of_ball(c, ball), dim = c->balls[ball].dim, number = l->first_ball[contact] + ball;
    double speed = length_of(dim, p->at.c1 + row), *along = l->modes.along + l->first_row[contact] + row - c->row_F;
    bool moves = speed > sim_still(sim, row);
    l->modes.ball[number] = moves || !(c->balls[ball].mu > 0) ? CONE_SLIP : CONE_STICK;
    for (int i = 0; i < dim; i++) along[i] = moves ? p->at.c1[row + i] / speed : i == 0;
}

void sim_modes_turn(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    for (int i = 0; i < l->n_balls; i++) {
        const zn_contact *c = &p->model->contacts[l->ball_contact[i]];
        int row = row_of_ball(c, l->ball_of[i]), dim = c->balls[l->ball_of[i]].dim;
        l->begins[i] = false;
        if (dim < 2 || !sim_is_closed(&l->modes, l->ball_contact[i]) || l->modes.ball[i] != CONE_SLIP) continue;
        double speed = length_of(dim, p->at.c1 + row), *along = l->modes.along + l->first_row[l->ball_contact[i]] + row - c->row_F;
        l->begins[i] = !(speed > sim_still(sim, row));
        for (int j = 0; !l->begins[i] && j < dim; j++) along[j] = p->at.c1[row + j] / speed;
    }
}

bool sim_rests(const zn_simulation *sim, const linear_problem *p, int contact) {
    int row = p->model->contacts[contact].row_N;
    return row < 0 || (p->at.c0[row] <= sim_touching(sim, row) && fabs(p->at.c1[row]) <= sim_still(sim, row));
}

/* Matrices and rates at a state, directions of balls that slip, modes. */
static zn_status ask_modes(zn_simulation *sim, linear_problem *p, const zn_point *at) {
    zn_status status = consistent_forces_ask(p, at);
    if (status != ZN_OK) return status;
    sim_modes_direct(sim, p);
    for (int k = 0; k < p->model->size.n_contacts; k++) {
        const zn_contact *contact = &p->model->contacts[k];
        p->active[k] = sim_rests(sim, p, k); /* of free contacts */
        for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim)
            linear_problem_slips(p, k, b, length_of(contact->balls[b].dim, p->direction + row - model_row_F(p->model)) > 0);
    }
    linear_problem_freeze(p, sim->located.modes.contact);
    return ZN_OK;
}

/* c2 of a row at the accelerations of a solve. */
double sim_second_rate(const linear_problem *p, int row) {
    const zn_pattern *c1_u = &p->model->pattern.c1_u; /* transposed */
    double sum = p->c[row];
    for (int e = c1_u->start[row]; e < c1_u->start[row + 1]; e++) sum += p->at.c1_u[e] * p->x[c1_u->index[e]];
    return sum;
}

/* ---- event functions ---- */

static double normal_force(const linear_problem *p, const zn_contact *contact) {
    if (contact->row_N >= 0) return p->P[contact->row_N];
    return contact->normal_force + (contact->n_load > 0 ? loads_of(contact, p->P) : 0);
}

static void look_at_ball(const zn_simulation *sim, const linear_problem *p, int number, double *phi, double *rate) {
    const sim_located *l = &sim->located;
    int k = l->ball_contact[number], b = l->ball_of[number];
    const zn_contact *contact = &p->model->contacts[k];
    int row = row_of_ball(contact, b), dim = contact->balls[b].dim;
    *phi = INFINITY, *rate = NAN;
    if (!sim_is_closed(&l->modes, k) || !(contact->balls[b].mu > 0)) return;
    if (l->modes.ball[number] == CONE_STICK) *phi = contact->balls[b].mu * normal_force(p, contact) - length_of(dim, p->P + row);
    else if (l->modes.ball[number] == CONE_SLIP && dim == 1) {
        double d = l->modes.along[l->first_row[k] + row - contact->row_F];
        *phi = d * p->at.c1[row];
        *rate = d * sim_second_rate(p, row);
    }
}

/* D of a contact with the directions of its balls that slip. */
static double slip_response(const sim_located *l, const linear_problem *p, int k) {
    const zn_contact *contact = &p->model->contacts[k];
    int first = model_row_F(p->model);
    double d[SIM_MOST_ROWS] = {0};
    bool slips = false;
    for (int b = 0, row = contact->row_F; b < contact->n_balls; row += contact->balls[b++].dim) {
        int dim = contact->balls[b].dim, offset = row - contact->row_F;
        if (l->modes.ball[l->first_ball[k] + b] != CONE_SLIP || !(contact->balls[b].mu > 0)) continue;
        double speed = dim > 1 ? length_of(dim, p->direction + row - first) : 0;
        for (int i = 0; i < dim; i++)
            d[offset + i] = speed > 0 ? p->direction[row + i - first] / speed : l->modes.along[l->first_row[k] + offset + i];
        slips = true;
    }
    return slips ? linear_problem_slip_response(p, k, d) : INFINITY;
}

/* A clutch. */
static bool follows(const zn_simulation *sim, int contact) {
    return sim->base->follows && contact < sim->base->size.n_contacts && sim->base->follows[contact];
}

/* Of a contact, by gaps and rates of the problem. */
static void look_at_gap(zn_simulation *sim, int k, event_sample *sample, double force) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    int row = p->model->contacts[k].row_N;
    bool closed = sim_is_closed(&l->modes, k), open = l->modes.contact[k].normal == CONE_OPEN;
    if (open && follows(sim, k)) {
        l->offset[k] = 0;
        sample->phi[k] = p->at.c1[row], sample->rate[k] = NAN;
        return;
    }
    if (sample == &l->sample[0] && row >= 0) l->offset[k] = smaller(p->at.c0[row], 0);
    sample->phi[k] = row < 0 ? INFINITY : closed ? force : open ? p->at.c0[row] - l->offset[k] : INFINITY;
    sample->rate[k] = row >= 0 && open ? p->at.c1[row] : NAN;
}

zn_status sim_gaps_at(zn_simulation *sim, const scheme_state *state, event_sample *sample) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    const zn_model *model = p->model;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    int n = model->size.n_contacts;
    if (model->constraints(model, p->at.work, &at, &(zn_constraints){.c0 = p->at.c0, .c1 = p->at.c1})) return ZN_ERROR_NOT_FINITE;
    for (int i = 0; i < l->n_events; i++) sample->phi[i] = INFINITY, sample->rate[i] = NAN;
    for (int k = 0; k < n; k++) look_at_gap(sim, k, sample, INFINITY);
    for (int i = 0; i < l->n_balls; i++) {
        int k = l->ball_contact[i], row = row_of_ball(&model->contacts[k], l->ball_of[i]);
        const zn_ball *ball = &model->contacts[k].balls[l->ball_of[i]];
        bool slips = sim_is_closed(&l->modes, k) && l->modes.ball[i] == CONE_SLIP && ball->mu > 0 && ball->dim == 1;
        if (!slips) continue;
        sample->phi[n + i] = l->modes.along[l->first_row[k] + row - model->contacts[k].row_F] * p->at.c1[row];
        sample->rate[n + i] = 0;
    }
    sim_borders_at(sim, state, sample);
    return ZN_OK;
}

zn_status sim_events_at(zn_simulation *sim, const scheme_state *state, event_sample *sample) {
    sim_located *l = &sim->located;
    linear_problem *p = l->forces;
    const zn_model *model = p->model;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    bool any = false;
    cone_outcome outcome;
    for (int k = 0; k < model->size.n_contacts; k++) any = any || sim_is_closed(&l->modes, k);
    if (any) {
        zn_status status = ask_modes(sim, p, &at);
        if (status == ZN_OK) status = linear_problem_solve(p, &outcome);
        if (status != ZN_OK) return status;
    } else if (model->constraints(model, p->at.work, &at, &(zn_constraints){.c0 = p->at.c0, .c1 = p->at.c1})) return ZN_ERROR_NOT_FINITE;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        look_at_gap(sim, k, sample, row >= 0 ? p->P[row] : INFINITY);
    }
    int n = model->size.n_contacts;
    for (int i = 0; i < l->n_balls; i++) look_at_ball(sim, p, i, &sample->phi[n + i], &sample->rate[n + i]);
    for (int k = 0; k < n; k++) {
        sample->phi[n + l->n_balls + k] = sim_is_closed(&l->modes, k) ? slip_response(l, p, k) - SINGULAR : INFINITY;
        sample->rate[n + l->n_balls + k] = NAN;
    }
    sim_borders_at(sim, state, sample);
    return ZN_OK;
}

bool sim_reverses(const zn_simulation *sim, int event) {
    return follows(sim, event) && sim->located.modes.contact[event].normal == CONE_OPEN;
}

int sim_event_contact(const zn_simulation *sim, int event) {
    const sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts, balls = l->n_balls;
    return event < n ? event : event < n + balls ? l->ball_contact[event - n] : (event - n - balls) % n;
}

double sim_event_noise(const zn_simulation *sim, const event_sample *sample, int event) {
    const sim_located *l = &sim->located;
    const problem_scales *scales = &sim->scheme->scales;
    const zn_model *model = l->forces->model;
    int n = model->size.n_contacts, k = sim_event_contact(sim, event);
    if (event >= n + l->n_balls) return 0;
    int row = event < n ? model->contacts[k].row_N : row_of_ball(&model->contacts[k], l->ball_of[event - n]);
    if (isfinite(sample->rate[event]) && event < n) /* a gap */
        return larger(sim_gap_roundoff(sim, row), GAP_SHARE * l->h * scales_rate(scales, row));
    double rate = RATE_SHARE * sim_still(sim, row);
    if (sim_reverses(sim, event)) return rate;
    return isfinite(sample->rate[event]) ? rate : rate / l->h * l->forces->prox.rho[row - model_row_N(model)]; /* a rate, a force */
}

bool sim_event_is_negative(const zn_simulation *sim, const event_sample *sample, int event) {
    return sample->phi[event] < 0 && sample->phi[event] < -sim_event_noise(sim, sample, event);
}

/* ---- modes by the laws ---- */

/* Contacts that may be closed at the present, and which of their balls slip for sure. */
static void set_candidates(zn_simulation *sim) {
    sim_located *l = &sim->located;
    linear_problem *p = l->forces;
    const zn_model *model = p->model;
    int n = model->size.n_contacts, first = model_row_F(model);
    for (int k = 0; k < n; k++) {
        const zn_contact *contact = &model->contacts[k];
        int row = contact->row_N;
        bool near = row < 0 || l->hit[k] || (l->modes.known && sim_is_closed(&l->modes, k)) || p->at.c0[row] <= sim_touching(sim, row);
        p->active[k] = near && !l->kept[k] && (row < 0 || fabs(p->at.c1[row]) <= sim_still(sim, row));
        for (int b = 0, r = contact->row_F; b < contact->n_balls; r += contact->balls[b++].dim) {
            int number = l->first_ball[k] + b, dim = contact->balls[b].dim;
            bool moves = length_of(dim, p->at.c1 + r) > sim_still(sim, r), begins = l->which[n + number] || l->began[number];
            for (int i = 0; i < dim && !moves; i++)
                p->direction[r + i - first] = begins ? l->modes.along[l->first_row[k] + r - contact->row_F + i] : 0;
            linear_problem_slips(p, k, b, moves || begins);
        }
    }
}

static void read_ball(zn_simulation *sim, int k, int b, int row) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    const zn_contact *contact = &p->model->contacts[k];
    int dim = contact->balls[b].dim, number = l->first_ball[k] + b, first = model_row_F(p->model);
    double *along = l->modes.along + l->first_row[k] + row - contact->row_F, rho = p->prox.rho[row - model_row_N(p->model)];
    const double *direction = p->direction + row - first;
    double speed = length_of(dim, direction), a[SIM_MOST_ROWS], r = contact->balls[b].mu * normal_force(p, contact);
    l->modes.ball[number] = CONE_SLIP;
    if (speed > 0) { /* it slips for sure */
        for (int i = 0; i < dim; i++) along[i] = direction[i] / speed;
        return;
    }
    for (int i = 0; i < dim; i++) a[i] = rho * sim_second_rate(p, row + i) - p->P[row + i];
    double size = length_of(dim, a);
    if (contact->balls[b].mu > 0 && !(size > r)) l->modes.ball[number] = CONE_STICK;
    for (int i = 0; i < dim; i++) along[i] = size > 0 ? a[i] / size : i == 0;
}

static void read_modes(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    const zn_model *model = p->model;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        int row = contact->row_N;
        l->second[k] = row >= 0 ? sim_second_rate(p, row) : 0;
        double rho = row >= 0 ? p->prox.rho[row - model_row_N(model)] : 0, tie = l->hit[k] ? TIE_SHARE * sim_still(sim, row) / l->h : 0;
        bool closed = p->active[k] && (row < 0 || rho * (l->second[k] - tie) <= p->P[row]);
        l->modes.contact[k].normal = l->law[k] ? CONE_LAW : closed ? CONE_CLOSED : CONE_OPEN;
        for (int b = 0, r = contact->row_F; b < contact->n_balls; r += contact->balls[b++].dim) read_ball(sim, k, b, r);
    }
    l->modes.known = true;
}

/* Contacts that were to open and would be hit at once: they stay. True: there is one. */
static bool keep_fewer(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const linear_problem *p = l->forces;
    bool any = false;
    for (int k = 0; k < p->model->size.n_contacts; k++) {
        int row = p->model->contacts[k].row_N;
        if (!l->kept[k] || row < 0) continue;
        double slack = larger(RATE_SHARE * sim_still(sim, row) / l->h, l->slack[k] / p->prox.rho[row - model_row_N(p->model)]);
        if (!(l->second[k] < -slack)) continue;
        l->kept[k] = false;
        any = true;
    }
    return any;
}

zn_status sim_modes_choose(zn_simulation *sim) {
    sim_located *l = &sim->located;
    linear_problem *p = l->forces;
    cone_outcome outcome;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    l->start_known = false;
    l->watched = 0;
    for (int i = 0; i < MOST_CHOICES; i++) {
        zn_status status = consistent_forces_ask(p, &at);
        if (status != ZN_OK) return status;
        linear_problem_freeze(p, NULL);
        sim_modes_direct(sim, p);
        set_candidates(sim);
        status = linear_problem_solve(p, &outcome);
        if (status != ZN_OK) return status;
        read_modes(sim);
        if (!keep_fewer(sim)) break;
    }
    return sim_wedges_release(sim);
}
