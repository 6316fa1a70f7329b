/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the rows of lambda. A row with the percussion P in a step, its velocity gamma before and after:
 *
 *     work = P (gamma_begin + gamma_end)/2
 *
 * which is what an impact takes from the kinetic energy, and of second order in the step for forces. A velocity has a part that
 * does not come from u: gamma = w'u + chi, where chi belongs to what moves by itself (belts, prescribed bodies, drives). Bodies get
 * P w'u; the difference is exchanged with the surroundings:
 *
 *     contacts   dissipation -P gamma, of the normal and of friction; moving -P chi, the work of the moving surface on the bodies
 *     joints     P w'u: the work of drives; zero for joints at rest, up to the drift of their velocities
 *
 * From outside, between steps, come events, values that are set, sampled or follow a table, and states that are set: what they do to T + V.
 *
 * Stribeck's smooth friction acts along W_N - w_N, which is not in gamma: its part of friction is -P_N (W_N - w_N)'u. */
#include "sim/simulation.h"

/* Directions that differ by this much (relative) differ by more than round-off. */
static const double SAME_DIRECTION = 1e-9;

/* sum over contacts |(W_N - w_N)'u| for W and c1_u in the monitor; into `powers` one for each contact. */
static double smooth_powers(const zn_simulation *sim, const double *u, double *powers) {
    const zn_model *model = sim->model;
    const answers *at = &sim->monitor.at;
    const zn_pattern *W = &model->pattern.W, *w = &model->pattern.c1_u;
    double size = 0, largest = 0;
    for (int k = 0; k < model->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        if (powers) powers[k] = 0;
        if (row < 0) continue;
        double sum = 0;
        for (int i = W->start[row]; i < W->start[row + 1]; i++) {
            sum += at->W[i] * u[W->index[i]];
            largest = larger(largest, fabs(at->W[i] * u[W->index[i]]));
        }
        for (int i = w->start[row]; i < w->start[row + 1]; i++) sum -= at->c1_u[i] * u[w->index[i]];
        if (powers) powers[k] = sum;
        size = larger(size, fabs(sum));
    }
    return largest > 0 ? size / largest : 0;
}

static bool ask_directions(zn_simulation *sim, const zn_point *at) {
    const zn_model *model = sim->model;
    answers *s = &sim->monitor.at;
    return !model->balance(model, s->work, at, &(zn_balance){.W = s->W}) &&
           !model->constraints(model, s->work, at, &(zn_constraints){.c1_u = s->c1_u});
}

/* Whether some normal force has a smooth part: its direction then differs at generic velocities. */
void sim_work_see_friction(zn_simulation *sim) {
    const zn_sizes *size = &sim->model->size;
    double *u = sim->work.zero;
    sim->work.smooth = false;
    if (size->nN == 0) return;
    for (int i = 0; i < size->nu; i++) u[i] = sim->now.u[i] + 0.37 + 0.11 * (i % 7);
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = u};
    sim->work.smooth = ask_directions(sim, &at) && smooth_powers(sim, u, NULL) > SAME_DIRECTION;
    memset(u, 0, (size_t)size->nu * sizeof *u);
}

zn_status sim_work_take_rates(zn_simulation *sim) {
    size_t n = (size_t)model_rows(sim->model), contacts = (size_t)sim->model->size.n_contacts;
    sim_work *w = &sim->work;
    double *memory = w->rates = MEM_ARRAY(sim->context, double, 4 * n + 2 * contacts);
    if (!memory) return ZN_ERROR_MEMORY;
    for (int i = 0; i < 2; i++) {
        w->at[i] = (sim_rates){memory, memory + n, memory + 2 * n};
        memory += 2 * n + contacts;
    }
    w->known = false;
    return ZN_OK;
}

void sim_work_drop_rates(zn_simulation *sim) { mem_free(sim->context, sim->work.rates); }

zn_status sim_work_create(zn_simulation *sim) {
    const zn_sizes *size = &sim->base->size;
    sim_work *w = &sim->work;
    w->others = SIM_WORK_OF_CONTACT * (size_t)size->n_contacts + (size_t)model_row_N(sim->base);
    w->outside = w->others + SIM_WORK_OF_CONTACT;
    w->count = w->outside + 1;
    double *memory = w->memory = MEM_ARRAY(sim->context, double, (size_t)size->nu + 2 * w->count);
    if (!memory) return ZN_ERROR_MEMORY;
    w->zero = memory;
    w->step = memory + size->nu;
    w->total = w->step + w->count;
    zn_status status = sim_work_take_rates(sim);
    sim_work_see_friction(sim);
    return status;
}

void sim_work_destroy(zn_simulation *sim) {
    sim_work_drop_rates(sim);
    mem_free(sim->context, sim->work.memory);
}

void sim_work_begin(zn_simulation *sim) { memset(sim->work.step, 0, sim->work.count * sizeof(double)); }

void sim_work_end(zn_simulation *sim) {
    for (size_t i = 0; i < sim->work.count; i++) sim->work.total[i] += sim->work.step[i];
}

static double energy(zn_simulation *sim, const scheme_state *state) {
    double T = 0, V = 0;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u};
    return sim->model->energy && !sim->model->energy(sim->model, sim->monitor.at.work, &at, &T, &V) ? T + V : 0;
}

void sim_work_leave(zn_simulation *sim) {
    if (sim->work.is_left) return;
    sim->work.left = energy(sim, &sim->now);
    sim->work.is_left = true;
}

void sim_work_return(zn_simulation *sim) {
    if (sim->work.is_left) sim->work.total[sim->work.outside] += energy(sim, &sim->now) - sim->work.left;
    sim->work.is_left = false;
}

void sim_work_jump(zn_simulation *sim, const scheme_state *before) {
    if (sim->work.is_left) sim->work.left += energy(sim, &sim->now) - energy(sim, before);
}

/* `seen`: the monitor has evaluated this state last. */
static bool ask(zn_simulation *sim, const scheme_state *state, bool seen, sim_rates *rates) {
    const zn_model *model = sim->model;
    void *work = sim->monitor.at.work;
    zn_point at = {.t = state->t, .q = state->q, .u = state->u}, rest = {.t = state->t, .q = state->q, .u = sim->work.zero};
    if (seen && sim->monitor.rates) memcpy(rates->gamma, sim->monitor.at.c1, (size_t)model_rows(model) * sizeof *rates->gamma);
    else if (model->constraints(model, work, &at, &(zn_constraints){.c1 = rates->gamma})) return false;
    if (!model->rows_rest && model->constraints(model, work, &rest, &(zn_constraints){.c1 = rates->chi})) return false;
    if (!sim->work.smooth) return true;
    if (!ask_directions(sim, &at)) return false;
    smooth_powers(sim, state->u, rates->smooth);
    return true;
}

static void add(zn_simulation *sim, const double *P) {
    const zn_model *model = sim->model;
    const sim_rates *begin = &sim->work.at[0], *end = &sim->work.at[1];
    double *step = sim->work.step;
    int declared = sim->base->size.n_contacts;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *c = &model->contacts[k];
        double *out = k < declared ? step + (size_t)k * SIM_WORK_OF_CONTACT : step + sim->work.others;
        if (c->row_N >= 0) {
            double half = P[c->row_N] / 2;
            out[SIM_NORMAL] -= half * (begin->gamma[c->row_N] + end->gamma[c->row_N]);
            out[SIM_MOVING] -= half * (begin->chi[c->row_N] + end->chi[c->row_N]);
            if (sim->work.smooth) out[SIM_FRICTION] -= half * (begin->smooth[k] + end->smooth[k]);
        }
        for (int i = c->row_F; i < c->row_F + c->nF; i++) {
            out[SIM_FRICTION] -= P[i] / 2 * (begin->gamma[i] + end->gamma[i]);
            out[SIM_MOVING] -= P[i] / 2 * (begin->chi[i] + end->chi[i]);
        }
    }
    double *out = step + (size_t)declared * SIM_WORK_OF_CONTACT;
    for (int i = 0, n = model_row_N(model); i < n; i++)
        out[i] += P[i] / 2 * (begin->gamma[i] - begin->chi[i] + end->gamma[i] - end->chi[i]);
}

void sim_work_add(zn_simulation *sim, const scheme_state *from, const scheme_state *to, const double *P) {
    sim_work *w = &sim->work;
    bool any = false;
    for (int i = 0, n = model_rows(sim->model); i < n && !any; i++) any = P[i] != 0;
    if (any && (w->known || ask(sim, from, false, &w->at[0])) && ask(sim, to, to == &sim->now, &w->at[1])) {
        add(sim, P);
        if (sim->impacts.watched) sim_impacts_look(sim, to);
        sim_rates swap = w->at[0];
        w->at[0] = w->at[1];
        w->at[1] = swap;
        w->known = true;
    } else w->known = false;
}

/* ---- what is known ---- */

zn_contact_work zn_simulation_contact_work(const zn_simulation *sim, int contact) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || contact < 0 || contact >= sim->base->size.n_contacts) return (zn_contact_work){0};
    const double *w = sim->view.work + (size_t)contact * SIM_WORK_OF_CONTACT;
    return (zn_contact_work){.normal = w[SIM_NORMAL], .friction = w[SIM_FRICTION], .moving = w[SIM_MOVING]};
}

double zn_simulation_constraint_work(const zn_simulation *sim, int row) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || row < 0 || row >= model_row_N(sim->base)) return 0;
    return sim->view.work[SIM_WORK_OF_CONTACT * (size_t)sim->base->size.n_contacts + (size_t)row];
}
