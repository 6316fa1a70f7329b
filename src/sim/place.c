/* SPDX-License-Identifier: Apache-2.0 */
/* Where a simulation is, chosen from outside: at its start, or between steps. */
#include "sim/simulation.h"

/* Projections until no other contacts are met. */
enum { MAX_STARTS = 20 };

static double first_step(const zn_simulation *sim) {
    return sim->settings.step > 0 ? sim->settings.step : sim_control_first_step(sim->base, &sim->settings);
}

/* Contacts for this place, and those of shapes that overlap in it although no features of the list do: two balls at one place, bars that
 * cross. */
static zn_status find_contacts(zn_simulation *sim, const double *q, const double *u) {
    zn_status status = sim_contacts_start(sim, q, u, first_step(sim));
    return status == ZN_OK ? sim_contacts_add_overlaps(sim) : status;
}

zn_status sim_place(zn_simulation *sim, double *q, double *u, bool project) {
    zn_status status = find_contacts(sim, q, u);
    for (int i = 0; status == ZN_OK && project && i < MAX_STARTS; i++) {
        long lists = sim->contacts.changes;
        status = sim_start_project(sim->context, sim->model, sim->now.t, q, u);
        if (status == ZN_OK) status = find_contacts(sim, q, u); /* other shapes may have met on the way */
        if (sim->contacts.changes == lists) break;
    }
    return status;
}

/* The last step ends elsewhere: it has no rows any more, and what was known of the motion is determined again. */
static zn_status go_on_from(zn_simulation *sim, const double *q, const double *u) {
    memset(sim->now.P_all, 0, (size_t)model_rows(sim->model) * sizeof *sim->now.P_all);
    memset(sim->now.P, 0, (size_t)model_rows(sim_scheme_model(sim)) * sizeof *sim->now.P);
    zn_status status = sim_begin_at(sim, q, u);
    if (status == ZN_OK) status = sim_control_begin(sim);
    if (status == ZN_OK) status = sim_machine_elsewhere(sim);
    sim->work.known = sim->located.modes.known = sim->located.start_known = false;
    sim->next.t = sim->now.t;
    sim_rows_begin(sim);
    sim->rows.shown = true;
    return status;
}

static zn_status check_values(zn_simulation *sim, const double *q, const double *u) {
    const zn_model *model = sim->base;
    for (int i = 0; i < model->size.nq; i++)
        if (!isfinite(q[i])) return fail(sim->context, ZN_ERROR_ARGUMENT, "the position '%s' is not finite", model->q_names[i]);
    for (int i = 0; i < model->size.nu; i++)
        if (!isfinite(u[i])) return fail(sim->context, ZN_ERROR_ARGUMENT, "the velocity '%s' is not finite", model->u_names[i]);
    return ZN_OK;
}

zn_status zn_simulation_set_state(zn_simulation *sim, const double *positions, const double *velocities, bool project) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    zn_status status = model_check(sim->context, sim->base, __func__);
    if (status != ZN_OK) return status;
    const zn_sizes *size = &sim->base->size;
    size_t bytes = 0;
    status = zn_simulation_save(sim, NULL, 0, &bytes);
    double *q = MEM_ARRAY(sim->context, double, size->nq), *u = MEM_ARRAY(sim->context, double, size->nu);
    void *before = mem_array(sim->context, bytes, 1);
    if (status == ZN_OK && (!q || !u || !before)) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        memcpy(q, positions ? positions : sim->now.q, (size_t)size->nq * sizeof *q);
        memcpy(u, velocities ? velocities : sim->now.u, (size_t)size->nu * sizeof *u);
        status = check_values(sim, q, u);
    }
    if (status == ZN_OK) status = zn_simulation_save(sim, before, bytes, &bytes);
    if (status == ZN_OK) {
        sim_work_leave(sim);
        status = sim_place(sim, q, u, project);
        if (status == ZN_OK) status = go_on_from(sim, q, u);
        if (status == ZN_OK) sim_work_return(sim);
        else zn_simulation_restore(sim, before, bytes); /* nothing has happened */
    }
    sim_see_now(sim);
    mem_free(sim->context, q);
    mem_free(sim->context, u);
    mem_free(sim->context, before);
    return status;
}

zn_status zn_simulation_reset(zn_simulation *sim) {
    NEED_HANDLE(sim, HANDLE_SIMULATION);
    zn_simulation *fresh = NULL;
    zn_status status = zn_simulation_create(sim->context, sim->given, &sim->settings, &fresh);
    if (status == ZN_OK) status = sim_machine_follow_as(fresh, sim);
    if (status != ZN_OK) {
        zn_simulation_destroy(fresh);
        return status;
    }
    zn_simulation old = *sim;
    *sim = *fresh; /* nothing points to the structure itself */
    *fresh = old;
    zn_simulation_destroy(fresh);
    return ZN_OK;
}

/* Found contacts, chosen rows, located events and a machine make more than numbers. */
static bool can_restart(const zn_simulation *sim) {
    return !sim->contacts.field && !sim->selection.offered && !sim->located.on && !sim->machine.of && sim->contradiction == 0 &&
           !sim->chatter.on && sim->settings.step > 0 && sim_impacts_possible(sim) == sim->impacts.watched;
}

bool sim_reads_restitution(const zn_simulation *sim) { return sim && sim->scheme->class->reads_restitution; }

zn_status sim_restart(zn_simulation *sim, bool *restarted) {
    const zn_sizes *size = &sim->base->size;
    *restarted = can_restart(sim);
    if (!*restarted) return ZN_OK;
    double *q = MEM_ARRAY(sim->context, double, size->nq + size->nu), *u = q + size->nq;
    if (!q) return ZN_ERROR_MEMORY;
    sim_forget(sim);
    sim->cost = (cone_cost){0};
    sim->fastest = -1;
    zn_status status = sim_choose_start(sim, q, u);
    *restarted = status != ZN_OK || can_restart(sim);
    if (status == ZN_OK && *restarted) {
        status = sim_begin_at(sim, q, u);
        if (status == ZN_OK) status = sim_control_start(sim);
        if (status == ZN_OK) sim_work_see_friction(sim), sim_see_start(sim);
    }
    mem_free(sim->context, q);
    return status;
}
