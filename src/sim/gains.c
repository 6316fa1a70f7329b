/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that create energy. Poisson's and the energetic law create none in an impact (impact_map.h). A step still can where a contact is
 * wedged: where joints and friction hold it in every direction its percussion is not unique, and gaps, joints and slip are met together up
 * to the error of the step only. Percussions of any size then meet them, and what these do at the positions within the step is not the work
 * of an impact. So the energy of every step in which contacts act is compared with what can have come, E = T + V, P the power of forces
 * without potential:
 *
 *     gain = E_{n+1} - E_n - h max(P_n, P_{n+1}, 0)
 *
 * and a step that gained more than a share of T_n, more than steps without contacts have shown as their error, and more than twice the
 * change of V (an impact is met where the grid is, and velocities of some schemes stand half a step beside the positions), is refused: its
 * parts have smaller errors. Systems with drives or moving surfaces are left alone.
 *
 * The stages of a Runge-Kutta step may also have solutions that have nothing to do with the motion, under any law: a contact that acts in a
 * stage, is open in a later one, and has no percussion in the end. Such a step is refused where its energy changes by more than forces and
 * drives do, whose work is known from both ends up to the error of the trapezium for powers that only grow or only fall:
 *
 *     work = h (P_n + P_{n+1})/2 -+ h |P_{n+1} - P_n|/2       (a share of T_n would leave nothing to what begins to move) */
#include "model/formula_model.h"
#include "sim/simulation.h"
#include "zeno/parts.h"

/* A smaller gain in a step is its error: of the kinetic energy, of the largest that velocities have shown, and of the largest change in
 * steps without percussions. */
static const double LITTLE_GAIN = 1e-4, NOTHING = 1e-6, USUAL_GAINS = 4;
/* Of the kinetic energy: what the smallest step may gain, with a warning; what a step may gain or lose whose contacts acted within it
 * only. */
static const double MOST_GAIN = 0.01, MOST_CHANGE = 0.02;
/* The same under Newton's law, which may create energy itself, for edges that lie nearly flat (rings.c). */
static const double MOST_OF_RINGS = 2;

zn_status sim_gains_create(zn_simulation *sim) {
    sim_gains *o = &sim->gains;
    if (!sim->base->energy || (sim->base->size.n_contacts == 0 && !sim->contacts.field)) return ZN_OK;
    o->law = sim->settings.restitution_law != ZN_RESTITUTION_NEWTON;
    o->work = mem_array(sim->context, sim->base->work_bytes, 1);
    return o->work ? ZN_OK : ZN_ERROR_MEMORY;
}

void sim_gains_destroy(zn_simulation *sim) { mem_free(sim->context, sim->gains.work); }

static bool ask(zn_simulation *sim, const scheme_state *state, double *T, double *V, double *power) {
    const zn_model *model = sim->base;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    int parts = zn_model_part_count(model);
    *T = *V = *power = 0;
    if (parts == 0)
        return !model->energy(model, sim->gains.work, &at, T, V) && (formula_model_power(model, sim->gains.work, &at, power), true);
    for (int i = 0; i < parts; i++) {
        zn_part_energy e = {0};
        if (zn_model_part_energy(model, sim->gains.work, i, &at, &e) != ZN_OK) return false;
        *T += e.kinetic, *V += e.potential, *power += e.power;
    }
    return true;
}

static bool acts(const zn_model *model, const double *P) {
    for (int i = model_row_N(model); i < model_rows(model); i++)
        if (P[i] != 0) return true;
    return false;
}

/* The contact that pushes most. */
static int strongest(const zn_model *model, const double *P) {
    int found = 0;
    double most = -1;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (row >= 0 && P[row] > most) most = P[row], found = k;
    }
    return found;
}

/* The smallest step there is: what it gained is reported, unless it is too much. */
static bool is_little(zn_simulation *sim, double gained, double T) {
    if (!(gained > 0) || !(gained <= MOST_GAIN * T)) return false;
    sim_impacts_warn(sim, strongest(sim->model, sim->next.P_all), sim->next.t, gained);
    return true;
}

/* What drives did in the step, -P chi of the bilateral rows, where chi is the velocity of a row that does not come from u (work.c);
 * *spread: up to what. */
static bool ask_drives(zn_simulation *sim, double *done, double *spread) {
    const zn_model *model = sim->model;
    const scheme_state *ends[2] = {&sim->now, &sim->next};
    double *chi[2] = {sim->work.at[1].gamma, sim->work.at[1].chi}; /* lent: the step is booked later */
    *done = *spread = 0;
    if (model->rows_rest) return true;
    for (int e = 0; e < 2; e++)
        if (model->constraints(model, sim->monitor.at.work, &(zn_point){.t = ends[e]->t, .q = ends[e]->q, .u = sim->work.zero},
                               &(zn_constraints){.c1 = chi[e]}))
            return false;
    for (int i = 0; i < model_row_N(model); i++) {
        *done -= sim->next.P_all[i] * (chi[0][i] + chi[1][i]) / 2;
        *spread += fabs(sim->next.P_all[i] * (chi[1][i] - chi[0][i])) / 2;
    }
    return true;
}

/* Whether forces and drives explain what happened in a step whose contacts acted within it only. */
static bool is_explained(zn_simulation *sim, double h, const double *T, const double *V, const double *P) {
    double driven, spread;
    if (!ask_drives(sim, &driven, &spread)) return true;
    double rest = T[1] + V[1] - T[0] - V[0] - h * (P[0] + P[1]) / 2 - driven;
    return !(fabs(rest) > MOST_CHANGE * T[0] + 2 * fabs(V[1] - V[0]) + h * fabs(P[1] - P[0]) / 2 + spread);
}

static bool is_allowed(zn_simulation *sim, double h, bool last) {
    sim_gains *o = &sim->gains;
    double T[2], V[2], P[2];
    if (!o->work) return true;
    bool before = acts(sim->model, sim->now.P_all), after = acts(sim->model, sim->next.P_all), opened = sim->next.opened && !after;
    if (!o->law && !opened && !sim->rings) return true;
    if (!ask(sim, &sim->now, &T[0], &V[0], &P[0]) || !ask(sim, &sim->next, &T[1], &V[1], &P[1])) return true;
    double change = T[1] + V[1] - T[0] - V[0], error = fabs(change - h * (P[0] + P[1]) / 2),
           gained = change - h * larger(0, larger(P[0], P[1]));
    double part = sim->settings.step_auto ? 1 : smaller(1, h / sim->settings.step);
    if (opened && !is_explained(sim, h, T, V, P)) return false;
    if (sim->rings && (before || after) && gained > MOST_OF_RINGS * T[0] + 2 * fabs(V[1] - V[0])) return false;
    if (!before && !after && !opened) o->usual = larger(o->usual, error);
    if (!o->law || (!before && !after) || !sim->model->rows_rest) return true;
    double seen = sim->scheme->scales.energy, error_of_step = LITTLE_GAIN * T[0] + NOTHING * seen * seen + USUAL_GAINS * o->usual;
    if (!(gained > error_of_step * part + 2 * fabs(V[1] - V[0]))) return true;
    return last && is_little(sim, gained, T[0]);
}

bool sim_gains_allow(zn_simulation *sim, double h, bool last) {
    bool allowed = is_allowed(sim, h, last);
    sim->gains.refused = !allowed;
    return allowed;
}
