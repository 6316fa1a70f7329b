/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts that create energy. Newton's law prescribes gdot+ = -e gdot- whatever friction does; when the slip reverses, the normal
 * percussion can then give back more than it took (Kane's pendulum). A step in which a contact closed is suspect if its contacts gained
 * energy,
 * 1/2 P (c- + c+) > 0 over their rows. Whether the law is the cause, or forces and the change of position within the step, is decided by
 * the impact alone (impact_map.h), at the end of the step, from the rates before. It counts if the law gains more than round-off and if
 * the percussion is mainly that of the impact. All other steps only cost a look at the rates of their contacts.
 *
 * Newton's law may also have no solution: where bodies can move only in some directions, friction can hold whatever would have to be thrown
 * back. The other laws let them come to rest. */
#include "sim/simulation.h"

#include <stdio.h>

/* Of |P c|: smaller gains are round-off. */
static const double GAIN_ROUNDOFF = 1e-6;
/* Slower rates, in tolerances, are not an approach; errors of the impact's rates are below this. */
static const double RATE_TOLERANCES = 100;
/* An impact is where forces have at most this part of the percussion. */
static const double FORCE_SHARE = 0.5;
/* With more contact rows the impact is not computed alone (its matrix is dense); then gains of less than this of |P c| may be the
 * step's. */
enum { MOST_ROWS = 600, MOST_TRIED = 8 };
static const double GAIN_OF_STEPS = 0.05;

bool sim_impacts_possible(const zn_simulation *sim) {
    const zn_model *model = sim->model;
    if (sim->settings.restitution_law != ZN_RESTITUTION_NEWTON) return false; /* the others do not create energy */
    for (int k = 0; k < model->size.n_contacts; k++)
        if (model->contacts[k].row_N >= 0 && (model->contacts[k].e_N > 0 || model->contacts[k].e_F > 0)) return true;
    return false;
}

zn_status sim_impacts_create(zn_simulation *sim) {
    const zn_model *model = sim->model;
    sim_impacts *o = &sim->impacts;
    o->watched = sim_impacts_possible(sim);
    if (!o->watched || model->size.nN + model->size.nF > MOST_ROWS) return ZN_OK;
    zn_settings settings = sim->settings;
    if (sim->contradiction == 0) settings.contradiction = 0;
    o->map = impact_map_create(sim->context, model, &settings, ZN_RESTITUTION_NEWTON);
    if (!o->map) return ZN_ERROR_MEMORY;
    if (!sim->selection.offered) o->map->problem->scales = &sim->scheme->scales; /* else they are those of fewer rows */
    return ZN_OK;
}

/* The map of a law at the present state; NULL: there is none. */
static impact_map *map_now(zn_simulation *sim, zn_restitution_law law) {
    const zn_model *model = sim->model;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    impact_map *map = impact_map_create(sim->context, model, &sim->settings, law);
    if (!map) return NULL;
    const answers *at = &map->problem->at;
    if (!model->balance(model, at->work, &now, &(zn_balance){.M = at->M, .W = at->W}) &&
        !model->constraints(model, at->work, &now, &(zn_constraints){.c1 = at->c1, .c1_u = at->c1_u}))
        return map;
    impact_map_destroy(sim->context, map);
    return NULL;
}

/* Whether a contact that closes at the present state has a percussion under a law. */
static bool has_solution(zn_simulation *sim, int contact, zn_restitution_law law) {
    impact_map *map = map_now(sim, law);
    if (!map) return false;
    linear_problem *p = map->problem;
    for (int k = 0; k < sim->model->size.n_contacts; k++) p->active[k] = k == contact;
    bool good = impact_map_wanted(map, p->at.c1, p->active) && impact_map_solve(map, p->at.c1) == ZN_OK;
    impact_map_destroy(sim->context, map);
    return good;
}

static bool is_wedged(zn_simulation *sim, int contact) {
    impact_map *map = map_now(sim, ZN_RESTITUTION_POISSON);
    bool wedged = map && impact_map_wedges(map, contact);
    impact_map_destroy(sim->context, map);
    return wedged;
}

/* The first contact with friction that closes within h, of those that may be asked. */
static int find_closing(zn_simulation *sim, double h, bool (*is)(zn_simulation *, int)) {
    const zn_model *model = sim->model;
    const answers *at = &sim->monitor.at;
    zn_point now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    int tried = 0;
    if (model->size.nN + model->size.nF > MOST_ROWS ||
        model->constraints(model, at->work, &now, &(zn_constraints){.c0 = at->c0, .c1 = at->c1}))
        return -1;
    for (int k = 0; k < model->size.n_contacts && tried < MOST_TRIED; k++) {
        const zn_contact *c = &model->contacts[k];
        if (c->row_N < 0 || c->nF == 0 || at->c0[c->row_N] + 2 * h * smaller(at->c1[c->row_N], 0) > sim->settings.tolerance) continue;
        tried++;
        if (is(sim, k)) return k;
    }
    return -1;
}

static bool has_no_newton(zn_simulation *sim, int contact) {
    const zn_contact *c = &sim->model->contacts[contact];
    return c->e_N != 0 && c->e_F == 0 && !has_solution(sim, contact, ZN_RESTITUTION_NEWTON) &&
           has_solution(sim, contact, ZN_RESTITUTION_POISSON);
}

int sim_impact_jams(zn_simulation *sim, double h) {
    return sim->settings.restitution_law == ZN_RESTITUTION_NEWTON ? find_closing(sim, h, has_no_newton) : -1;
}

int sim_contact_wedged(zn_simulation *sim, double h) { return find_closing(sim, h, is_wedged); }

void sim_impacts_destroy(zn_simulation *sim) { impact_map_destroy(sim->context, sim->impacts.map); }

typedef struct account {
    double gain, size;
    int contact; /* that gained most */
} account;

static account gain_of(const zn_model *model, const double *P, const double *before, const double *after) {
    account sum = {.contact = -1};
    double most = -INFINITY;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *c = &model->contacts[k];
        if (c->row_N < 0 || !(P[c->row_N] > 0)) continue;
        double gain = P[c->row_N] * (before[c->row_N] + after[c->row_N]) / 2;
        sum.size += fabs(P[c->row_N] * before[c->row_N]) + fabs(P[c->row_N] * after[c->row_N]);
        for (int i = c->row_F; i < c->row_F + c->nF; i++) {
            gain += P[i] * (before[i] + after[i]) / 2;
            sum.size += fabs(P[i] * before[i]) + fabs(P[i] * after[i]);
        }
        sum.gain += gain;
        if (gain > most) most = gain, sum.contact = k;
    }
    return sum;
}

/* The same by the law alone, into *sum. False: it cannot be computed, or the step is not mainly an impact. */
static bool ask_law(zn_simulation *sim, const scheme_state *to, const double *before, account *sum) {
    impact_map *map = sim->impacts.map;
    linear_problem *p = map->problem;
    const zn_model *model = sim->model;
    zn_point at = {.t = to->t, .q = to->q, .u = to->u};
    for (int k = 0; k < model->size.n_contacts; k++)
        p->active[k] = model->contacts[k].row_N >= 0 && to->P_all[model->contacts[k].row_N] > 0;
    if (model->balance(model, p->at.work, &at, &(zn_balance){.M = p->at.M, .W = p->at.W}) ||
        model->constraints(model, p->at.work, &at, &(zn_constraints){.c1_u = p->at.c1_u}) || impact_map_solve(map, before) != ZN_OK)
        return false;
    *sum = gain_of(model, map->P, before, map->after);
    if (sum->contact < 0) return false;
    int row = model->contacts[sum->contact].row_N;
    return fabs(to->P_all[row] - map->P[row]) <= FORCE_SHARE * map->P[row];
}

/* Rates of a contact below this are no approach. */
static double still(const zn_simulation *sim, int row) {
    int left_out = model_row_N(sim->model) - model_row_N(sim_scheme_model(sim));
    return RATE_TOLERANCES * sim->settings.tolerance * scales_rate(&sim->scheme->scales, row - left_out);
}

void sim_impacts_warn(zn_simulation *sim, int contact, double t, double gained) {
    sim_impacts *o = &sim->impacts;
    if (o->count < ZN_ENERGY_WARNINGS_KEPT) {
        snprintf(o->names[o->count], SIM_NAME, "%s", sim->model->contacts[contact].name);
        o->first[o->count] = (zn_energy_warning){.contact = contact < sim->base->size.n_contacts ? contact : -1, .t = t, .gained = gained};
    }
    o->count++;
}

void sim_impacts_look(zn_simulation *sim, const scheme_state *to) {
    const zn_model *model = sim->model;
    sim_impacts *o = &sim->impacts;
    const double *before = sim->work.at[0].gamma, *after = sim->work.at[1].gamma;
    bool closes = false;
    for (int k = 0; k < model->size.n_contacts && !closes; k++) {
        int row = model->contacts[k].row_N;
        closes = row >= 0 && to->P_all[row] > 0 && before[row] < 0 && before[row] < -still(sim, row);
    }
    if (!closes) return;
    account sum = gain_of(model, to->P_all, before, after);
    if (!(sum.gain > GAIN_ROUNDOFF * sum.size)) return;
    if (!o->map && !(sum.gain > GAIN_OF_STEPS * sum.size)) return;
    if (o->map && !ask_law(sim, to, before, &sum)) return;
    double errors = 0;
    for (int i = model_row_N(model); o->map && i < model_rows(model); i++) errors += fabs(o->map->P[i]) * still(sim, i);
    if (!(sum.gain > GAIN_ROUNDOFF * sum.size + errors)) return;
    sim_impacts_warn(sim, sum.contact, to->t, sum.gain);
}

zn_energy_warning zn_simulation_energy_warning(const zn_simulation *sim, int index) {
    bool there = HANDLE_GOOD(sim, HANDLE_SIMULATION) && index >= 0 && index < sim->impacts.count && index < ZN_ENERGY_WARNINGS_KEPT;
    if (!there) return (zn_energy_warning){.contact = -1};
    zn_energy_warning warning = sim->impacts.first[index];
    warning.name = sim->impacts.names[index];
    return warning;
}
