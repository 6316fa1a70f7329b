/* SPDX-License-Identifier: Apache-2.0 */
/* What events do at a fixed (t, q).
 *
 *   impact         u+ by the law of restitution alone, from the velocities right before it; active: closed contacts and those that are hit
 *   reversal       of a clutch: the smallest change of u with gdot_N = 0, at what is zero already up to its location
 *   end of slip    the smallest change of u, M-orthogonal, with gamma_F = 0; closed contacts stay closed
 *   singular point the same for all friction of the contact: the impact without an approach (painleve.c)
 *   then           new modes by the laws (modes.c), but what opens is open and what begins to slip slips; the scheme starts again
 *
 * Accumulation. A contact that leaves with v = gdot_N > 0 and falls back with gddot_N = -a bounces until T = 2 v/(a (1 - e_N)). The
 * percussions of all bounces have the same sum and the same first moment as if gdot_N had been set to zero now, by a percussion of -m v,
 * and the contact had rested since. If T <= theta h, and with step: auto if the change of velocities over T is not above the accuracy, this
 * is done:
 *
 *   u+ = u + M^-1 D dpi,   gdot_N = 0 of this contact and all closed ones, D = W_N - mu W_F d (slip), gamma_F = 0 (stick), constraints
 * error O((theta h)^3)
 *
 * Crowds. Several contacts of one body may hit in turn for ever, with intervals that fall or, at the size of round-off, do not. Contacts
 * that had more than MOST_TIMES events within a small part of the step each, and that forces press together, are closed in the same way.
 */
#include "sim/simulation.h"

/* Accumulations that end within this part of the step are closed: for orders up to three, and above. */
static const double THETA_LOW = 1, THETA_HIGH = 0.1;
enum { LOW_ORDER = 3 };
/* Of a crowd: events of a contact close to each other, and the part of the step in which forces take back its velocity. */
enum { MOST_TIMES = 6 };
static const double CROWD_SHARE = 1e-3;
/* A contact that opens with less D, relative to that without friction, has met the singular point. */
static const double SINGULAR = 0.025;

/* ---- maps of velocities ---- */

/* now.u += x, and P to that of the transition. */
static void add_change(zn_simulation *sim, const linear_problem *p) {
    for (int i = 0; i < p->model->size.nu; i++) sim->now.u[i] += p->x[i];
    for (int i = 0, n = model_rows(p->model); i < n; i++) sim->located.P[i] += p->P[i];
}

/* M, W, c1, dc1/du at the present; nothing acts, no contact is active. */
static zn_status ask_rates(zn_simulation *sim, linear_problem *p) {
    const zn_model *model = p->model;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (model->balance(model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}) ||
        model->constraints(model, p->at.work, &at, &(zn_constraints){.c0 = p->at.c0, .c1 = p->at.c1, .c1_u = p->at.c1_u}))
        return ZN_ERROR_NOT_FINITE;
    linear_problem_reset(p);
    memcpy(p->c, p->at.c1, (size_t)model_rows(model) * sizeof *p->c);
    memset(p->f, 0, (size_t)model->size.nu * sizeof *p->f);
    memset(p->x, 0, (size_t)model->size.nu * sizeof *p->x);
    for (int k = 0; k < model->size.n_contacts; k++) p->active[k] = false;
    p->time_measure = 0;
    return ZN_OK;
}

/* Velocities that fit the modes. */
static zn_status project(zn_simulation *sim) {
    linear_problem *p = sim->located.velocities;
    cone_outcome outcome;
    zn_status status = ask_rates(sim, p);
    if (status != ZN_OK) return status;
    sim_modes_direct(sim, p);
    linear_problem_freeze(p, sim->located.modes.contact);
    status = linear_problem_solve(p, &outcome);
    if (status == ZN_OK) add_change(sim, p);
    return status;
}

/* Percussions of contacts are known: those of constraints and the change of u follow. */
static zn_status apply(zn_simulation *sim, const double *P) {
    linear_problem *p = sim->located.velocities;
    const zn_model *model = p->model;
    const zn_pattern *W = &model->pattern.W;
    cone_outcome outcome;
    zn_status status = ask_rates(sim, p);
    if (status != ZN_OK) return status;
    linear_problem_freeze(p, NULL);
    for (int i = model_row_N(model); i < model_rows(model); i++)
        for (int e = W->start[i]; P[i] != 0 && e < W->start[i + 1]; e++) p->f[W->index[e]] += p->at.W[e] * P[i];
    status = linear_problem_solve(p, &outcome);
    if (status != ZN_OK) return status;
    add_change(sim, p);
    for (int i = model_row_N(model); i < model_rows(model); i++) sim->located.P[i] += P[i];
    return ZN_OK;
}

static zn_status hit(zn_simulation *sim) {
    sim_located *l = &sim->located;
    linear_problem *p = l->impacts->problem;
    zn_status status = ask_rates(sim, p);
    if (status != ZN_OK) return status;
    for (int k = 0; k < p->model->size.n_contacts; k++)
        p->active[k] = l->hit[k] || sim_is_closed(&l->modes, k) || (l->law[k] && sim_rests(sim, p, k));
    status = impact_map_solve(l->impacts, p->at.c1);
    return status == ZN_OK ? apply(sim, l->impacts->P) : status;
}

/* ---- a transition ---- */

static void begin(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_sizes *size = &sim->model->size;
    memcpy(l->before.q, sim->now.q, (size_t)size->nq * sizeof *l->before.q);
    memcpy(l->before.u, sim->now.u, (size_t)size->nu * sizeof *l->before.u);
    l->before.t = sim->now.t;
    memset(l->P, 0, (size_t)model_rows(l->forces->model) * sizeof *l->P);
    memset(l->hit, 0, (size_t)size->n_contacts * sizeof *l->hit);
    memset(l->kept, 0, (size_t)size->n_contacts * sizeof *l->kept);
}

/* Percussions and work of it, and a new start of the scheme; modes are chosen. */
static zn_status finish(zn_simulation *sim) {
    sim_located *l = &sim->located;
    zn_status status;
    memcpy(sim->now.P, l->P, (size_t)model_rows(l->forces->model) * sizeof *l->P);
    sim_selection_expand(sim, &sim->now);
    status = sim_monitor_look(&sim->monitor, &sim->now);
    if (status != ZN_OK) return status;
    sim_book(sim, &l->before, &sim->now);
    sim_work_jump(sim, &l->before);
    return sim->scheme->class->start(sim->scheme, &sim->now, l->forces->x, l->forces->P);
}

/* d = -lambda_F/|lambda_F| of balls that begin to slip. */
static zn_status direct_slips(zn_simulation *sim) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    int n = model->size.n_contacts;
    bool any = false;
    for (int i = 0; i < l->n_balls; i++) any = any || (l->which[n + i] && l->modes.ball[i] == CONE_STICK);
    zn_status status = any ? sim_events_at(sim, &sim->now, &l->sample[1]) : ZN_OK; /* the forces at the present */
    for (int i = 0; status == ZN_OK && i < l->n_balls; i++) {
        if (!l->which[n + i] || l->modes.ball[i] != CONE_STICK) continue;
        const zn_contact *contact = &model->contacts[l->ball_contact[i]];
        int offset = 0, b = l->ball_of[i];
        for (int j = 0; j < b; j++) offset += contact->balls[j].dim;
        const double *lambda = l->forces->P + contact->row_F + offset;
        double *along = l->modes.along + l->first_row[l->ball_contact[i]] + offset, size = 0;
        for (int j = 0; j < contact->balls[b].dim; j++) size = hypot(size, lambda[j]);
        for (int j = 0; j < contact->balls[b].dim; j++) along[j] = -lambda[j] / size;
        if (!(size > 0)) status = ZN_ERROR_NO_CONVERGENCE;
    }
    return status;
}

/* What is known of the events afterwards: l->told has their kinds, in the numbering of `which`. */
static zn_status note(zn_simulation *sim) {
    const sim_located *l = &sim->located;
    zn_status status = ZN_OK;
    for (int i = 0; i < l->n_events && status == ZN_OK; i++)
        if (l->told[i] < ZN_CONTACT_EVENT_KINDS) status = sim_note_event(sim, sim_event_contact(sim, i), (zn_contact_event_kind)l->told[i]);
    return status;
}

/* The kinds of the events `which`, while the modes before them are known. */
static void tell(zn_simulation *sim) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    for (int i = 0; i < l->n_events; i++) {
        zn_contact_event_kind kind = sim_is_border(sim, i)         ? ZN_CONTACT_EVENT_KINDS
                                     : i >= n + l->n_balls         ? ZN_CONTACT_PAINLEVE
                                     : i >= n                      ? l->modes.ball[i - n] == CONE_SLIP ? ZN_CONTACT_STICK : ZN_CONTACT_SLIP
                                     : sim_is_closed(&l->modes, i) ? ZN_CONTACT_OPENING
                                                                   : ZN_CONTACT_IMPACT;
        l->told[i] = l->which[i] ? (unsigned char)kind : ZN_CONTACT_EVENT_KINDS;
    }
}

/* A contact that would open near a singular point has met it (painleve.c). */
static zn_status find_singular(zn_simulation *sim) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    bool *singular = l->which + n + l->n_balls, any = false;
    for (int k = 0; k < n; k++) any = any || (l->which[k] && sim_is_closed(&l->modes, k) && l->forces->model->contacts[k].nF > 0);
    zn_status status = any ? sim_events_at(sim, &sim->now, &l->sample[1]) : ZN_OK; /* D at the present */
    for (int k = 0; k < n && any && status == ZN_OK; k++) {
        singular[k] = singular[k] || (l->which[k] && sim_is_closed(&l->modes, k) && l->sample[1].phi[n + l->n_balls + k] <= SINGULAR);
        l->which[k] = l->which[k] && !singular[k];
    }
    return status;
}

/* The impact there is a projection that ends all slip of the contact. */
static void meet_singular(zn_simulation *sim) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    for (int k = 0; k < n; k++) {
        if (!l->which[n + l->n_balls + k]) continue;
        for (int b = 0; b < l->forces->model->contacts[k].n_balls; b++) l->which[n + l->first_ball[k] + b] = true;
        sim->painleve.count++;
    }
}

static void close_contact(zn_simulation *sim, int k) {
    sim_located *l = &sim->located;
    l->modes.contact[k].normal = CONE_CLOSED;
    for (int b = 0; b < l->forces->model->contacts[k].n_balls; b++) sim_ball_by_velocity(sim, k, b);
}

/* Contacts that open, are hit, or are clutches whose motion reverses. */
static zn_status sort_contacts(zn_simulation *sim, bool *hits, bool *stops) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    double *c1 = l->velocities->at.c1;
    bool rates = false;
    for (int k = 0; k < model->size.n_contacts; k++) {
        if (!l->which[k]) continue;
        bool clutch = sim_reverses(sim, k);
        if (clutch && !rates && model->constraints(model, l->velocities->at.work, &now, &(zn_constraints){.c1 = c1}))
            return ZN_ERROR_NOT_FINITE;
        rates = rates || clutch;
        if (sim_is_closed(&l->modes, k)) l->kept[k] = true;
        else if (clutch && c1[model->contacts[k].row_N] >= 0) close_contact(sim, k), l->hit[k] = *stops = true;
        else l->hit[k] = *hits = true;
    }
    return ZN_OK;
}

zn_status sim_transition(zn_simulation *sim) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    bool hits = false, stops = false;
    zn_status status = find_singular(sim);
    if (status == ZN_OK) status = direct_slips(sim);
    if (status != ZN_OK) return status;
    begin(sim);
    tell(sim);
    status = sort_contacts(sim, &hits, &stops);
    if (status != ZN_OK) return status;
    meet_singular(sim);
    for (int i = 0; i < l->n_balls; i++) {
        if (!l->which[n + i] || l->modes.ball[i] != CONE_SLIP) continue;
        l->modes.ball[i] = CONE_STICK;
        l->which[n + i] = l->began[i] = false; /* it does not begin to slip */
        stops = true;
    }
    for (int i = 0; i < l->n_balls; i++) l->began[i] = l->began[i] || l->which[n + i];
    if (hits) status = hit(sim);
    if (stops && status == ZN_OK) status = project(sim);
    if (status == ZN_OK) status = sim_modes_choose(sim);
    if (status == ZN_OK) status = finish(sim);
    return status == ZN_OK ? note(sim) : status;
}

zn_status sim_take_over(zn_simulation *sim, const bool *successor) {
    sim_located *l = &sim->located;
    int n = sim->model->size.n_contacts;
    bool any = false, stay = false;
    begin(sim);
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    for (int k = 0; k < n; k++)
        if (successor[k]) close_contact(sim, k), l->hit[k] = any = true;
    zn_status status = any ? project(sim) : ZN_OK;
    if (status == ZN_OK) status = sim_modes_choose(sim);
    for (int k = 0; k < n; k++) stay = stay || (successor[k] && sim_is_closed(&l->modes, k));
    if (any && !stay && status == ZN_OK) { /* it goes on without them */
        memcpy(sim->now.u, l->before.u, (size_t)sim->model->size.nu * sizeof *l->before.u);
        begin(sim);
        status = sim_modes_choose(sim);
    }
    return status == ZN_OK ? finish(sim) : status;
}

/* ---- accumulations ---- */

/* *time: until it has ended; 0 for one of a crowd. */
static bool ends_soon(const zn_simulation *sim, int k, double *time) {
    const sim_located *l = &sim->located;
    double e = l->forces->model->contacts[k].e_N, v = l->sample[0].rate[k], a = -l->second[k];
    bool high = sim->scheme->class->info.order_text ? sim->settings.stages > 2 : sim->scheme->class->info.order > LOW_ORDER;
    if (l->modes.contact[k].normal != CONE_OPEN || !l->hit[k] || !(a > 0 && v > 0)) return false;
    *time = 0;
    if (l->times[k] > MOST_TIMES && v <= a * CROWD_SHARE * l->h) return true;
    *time = 2 * v / (a * (1 - e));
    return e < 1 && *time <= (high ? THETA_HIGH : THETA_LOW) * l->h;
}

/* A contact that touches, is part of a crowd, and is pressed together. */
static bool is_crowded(const zn_simulation *sim, int k) {
    const sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    int row = model->contacts[k].row_N;
    return row >= 0 && l->modes.contact[k].normal == CONE_OPEN && l->times[k] > MOST_TIMES / 2 &&
           l->sample[0].phi[k] <= sim_touching(sim, row) && fabs(l->sample[0].rate[k]) <= -l->second[k] * CROWD_SHARE * l->h;
}

zn_status sim_close_accumulation(zn_simulation *sim, bool *closed) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    int k = 0;
    double time = 0;
    *closed = false;
    while (k < model->size.n_contacts && !ends_soon(sim, k, &time)) k++;
    if (k == model->size.n_contacts) return ZN_OK;
    begin(sim);
    memset(l->which, 0, (size_t)l->n_events * sizeof *l->which);
    sim_modes_copy(sim, &l->modes, &l->undo);
    close_contact(sim, k);
    for (int i = 0; i < model->size.n_contacts && l->times[k] > MOST_TIMES; i++)
        if (is_crowded(sim, i)) close_contact(sim, i);
    zn_status status = project(sim);
    l->hit[k] = true;
    if (status == ZN_OK) status = sim_modes_choose(sim);
    if (status == ZN_OK && sim_is_closed(&l->modes, k) && sim_control_allows(sim, l->before.u, time)) {
        *closed = true;
        l->accumulations++;
        status = finish(sim);
        return status == ZN_OK ? sim_note_event(sim, k, ZN_CONTACT_ACCUMULATION) : status;
    }
    memcpy(sim->now.u, l->before.u, (size_t)model->size.nu * sizeof *l->before.u);
    sim_modes_copy(sim, &l->undo, &l->modes);
    l->hit[k] = false;
    return status == ZN_ERROR_NOT_FINITE ? status : ZN_OK;
}
