/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that are recorded: after every record_every-th step, or at multiples of record_step. The latter lie inside steps
 * where the scheme interpolates, else steps are cut to end there. The end of a run is a row in any case.                     */
#include "sim/simulation.h"

zn_status sim_rows_create(zn_simulation *sim) {
    const zn_sizes *size = &sim->base->size;
    sim_rows *rows = &sim->rows;
    bool wanted = sim->settings.record_step > 0;
    rows->dense = wanted && sim->scheme->class->interpolate;
    if (!rows->dense) return ZN_OK;
    rows->q = MEM_ARRAY(sim->context, double, size->nq + size->nu + size->n_contacts + model_rows(sim->base) + (int)sim->work.count);
    if (!rows->q) return ZN_ERROR_MEMORY;
    rows->u = rows->q + size->nq;
    rows->gaps = rows->u + size->nu;
    rows->P_total = rows->gaps + size->n_contacts;
    rows->work = rows->P_total + model_rows(sim->base);
    return ZN_OK;
}

void sim_rows_destroy(zn_simulation *sim) { mem_free(sim->context, sim->rows.q); }

static long first_row_after(const zn_simulation *sim, double t) {
    return (long)floor(t / sim->settings.record_step + SIM_STEP_ROUNDOFF) + 1;
}

void sim_rows_begin(zn_simulation *sim) {
    sim->rows.shown = false;
    if (sim->settings.record_step > 0) sim->rows.next = first_row_after(sim, sim->now.t);
}

double sim_rows_target(const zn_simulation *sim) {
    double end = smaller(sim->settings.end, sim_machine_target(sim)), each = sim->settings.record_step, at = sim->switches.landing;
    if (!(each > 0) || sim->rows.dense) return at < end ? at : end;
    double row = (double)first_row_after(sim, sim->now.t) * each;
    if (row > end - SIM_STEP_ROUNDOFF * each) row = end;
    return at < row + SIM_STEP_ROUNDOFF * each ? at : row; /* one of them stands for both */
}

void sim_see_now(zn_simulation *sim) {
    sim->view = (sim_view){sim->now.t, sim->now.q, sim->now.u, sim->monitor.gaps, sim->P_total, sim->work.total};
}

/* The state at t inside the last step; its percussion and work are distributed evenly over it. */
static void see_inside(zn_simulation *sim, double t) {
    const zn_model *model = sim->model;
    const scheme_state *from = &sim->next, *to = &sim->now, *middle = &sim->control.middle;
    sim_rows *rows = &sim->rows;
    double share = (t - from->t) / (to->t - from->t), *c0 = sim->monitor.at.c0;
    bool halves = middle->q && !sim->located.on; /* the step was taken in two */
    if (halves && t <= middle->t) to = middle;
    else if (halves) from = middle;
    double x = (t - from->t) / (to->t - from->t);
    sim->scheme->class->interpolate(sim->scheme, from, to, x, rows->q, rows->u);
    if (model->after_step) model->after_step(model, t, rows->q);
    zn_point at = {.t = t, .q = rows->q, .u = rows->u};
    bool known = model_rows(model) == 0 || !model->constraints(model, sim->monitor.at.work, &at, &(zn_constraints){.c0 = c0});
    for (int k = 0; k < sim->base->size.n_contacts; k++) {
        int row = model->contacts[k].row_N;
        rows->gaps[k] = row >= 0 && known ? c0[row] : NAN;
    }
    for (int i = 0, n = model_rows(sim->base); i < n; i++) rows->P_total[i] = sim->P_total[i] - (1 - share) * sim->P[i];
    for (size_t i = 0; i < sim->work.count; i++) rows->work[i] = sim->work.total[i] - (1 - share) * sim->work.step[i];
    sim->view = (sim_view){t, rows->q, rows->u, rows->gaps, rows->P_total, rows->work};
    sim_contacts_show(sim, share);
}

bool zn_simulation_next_row(zn_simulation *sim) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION)) return false;
    sim_rows *rows = &sim->rows;
    const zn_settings *settings = &sim->settings;
    bool last = zn_simulation_done(sim) && !rows->shown;
    sim_see_now(sim);
    if (!(settings->record_step > 0)) {
        bool due = !rows->shown && sim->step > 0 && (last || sim->machine.record || sim->step % settings->record_every == 0);
        sim->machine.record = false;
        rows->shown = true;
        if (due) sim_contacts_show(sim, 1);
        return due;
    }
    double t = (double)rows->next * settings->record_step,
           roundoff = SIM_STEP_ROUNDOFF * smaller(settings->record_step, sim->now.t - sim->next.t);
    if (sim->step > 0 && t < sim->now.t - roundoff && rows->dense) {
        rows->next++;
        see_inside(sim, t);
        return true;
    }
    bool here = sim->step > 0 && !rows->shown && t <= sim->now.t + roundoff, event = sim->machine.record && !rows->shown;
    sim->machine.record = false;
    if (here) {
        rows->next++;
        if (!last) sim->view.t = t;
    }
    if (here || last || event) rows->shown = true, sim_contacts_show(sim, 1);
    return here || last || event;
}
