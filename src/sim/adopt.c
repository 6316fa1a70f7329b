/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation goes on with a model of the same coordinates and other contacts. What is known of a contact that was there before goes
 * over:
 *
 *   state      q, u, t; percussions; what the scheme carries, piece by piece (scheme.h), without what came from contacts that are not there
 * any more
 *   scheme     a new one; its scales and expected noise are those of the old one
 *   choice     of independent rows: the same, of the new model
 *   control    closed contacts, rates of gaps;  cut steps: speeds of approach
 *   the rest   is evaluated again at the present
 *
 * All memory is taken before anything is changed. */
#include "sim/simulation.h"

#include "model/fewer_rows.h"

/* Everything that knows how many contacts there are. */
static void drop(zn_simulation *sim) {
    zn_context *context = sim->context;
    if (sim->scheme) {
        scales_destroy(context, &sim->scheme->scales);
        sim->scheme->class->destroy(sim->scheme);
    }
    sim_selection_drop_model(sim);
    mem_free(context, sim->state_memory);
    sim_monitor_destroy(context, &sim->monitor);
    sim_control_drop_contacts(sim);
    sim_work_drop_rates(sim);
    sim_impacts_destroy(sim);
    sim_painleve_destroy(sim);
    sim_located_drop(sim);
}

/* The same for sim->model; what is there belongs to another. */
static zn_status take(zn_simulation *sim) {
    sim->scheme = NULL;
    sim->state_memory = NULL;
    sim->now = sim->next = (scheme_state){0};
    sim->monitor.at = (answers){0};
    sim->monitor.gaps = NULL, sim->monitor.pivots = NULL;
    sim->selection.model = NULL, sim->selection.merges = NULL, sim->selection.lambda = NULL;
    sim->control.closed = NULL, sim->control.gap_rate = NULL, sim->control.states = NULL;
    sim->work.rates = NULL;
    sim->impacts.map = NULL;
    sim->painleve.problem = sim->painleve.impact = sim->painleve.forces = NULL;
    sim->painleve.modes = NULL, sim->painleve.numbers = NULL;
    sim_located *l = &sim->located;
    l->forces = l->velocities = NULL, l->impacts = NULL, l->memory = NULL, l->flags = NULL, l->told = NULL, l->numbers = NULL;
    l->modes = l->undo = (sim_modes){0};
    zn_status status = sim_selection_make_model(sim);
    if (status == ZN_OK) status = sim_make_scheme(sim, sim_scheme_model(sim), &sim->scheme);
    if (status == ZN_OK) status = sim_take_states(sim);
    if (status == ZN_OK) status = sim_monitor_take(sim->context, sim->model, sim->base->size.n_contacts, &sim->monitor);
    if (status == ZN_OK) status = sim_control_take_contacts(sim);
    if (status == ZN_OK) status = sim_work_take_rates(sim);
    if (status == ZN_OK) status = sim_impacts_create(sim);
    if (status == ZN_OK) status = sim_painleve_create(sim);
    if (status == ZN_OK) status = sim_located_take(sim);
    return status;
}

/* ---- what goes over ---- */

typedef struct passage {
    const zn_model *from, *to; /* of the schemes */
    const int *contact;        /* of each contact of `to`: its number in `from`, -1: new */
} passage;

static void pass_contacts(const passage *p, const double *old, double *out, double new_value) {
    for (int k = 0; k < p->to->size.n_contacts; k++) out[k] = p->contact[k] >= 0 ? old[p->contact[k]] : new_value;
}

/* Rows of contacts; old and out begin at the first of them. */
static void pass_rows(const passage *p, const double *old, double *out) {
    int first_from = model_row_N(p->from), first = model_row_N(p->to);
    memset(out, 0, (size_t)(p->to->size.nN + p->to->size.nF) * sizeof *out);
    for (int k = 0; k < p->to->size.n_contacts; k++) {
        if (p->contact[k] < 0) continue;
        const zn_contact *a = &p->from->contacts[p->contact[k]], *b = &p->to->contacts[k];
        if (b->row_N >= 0 && a->row_N >= 0) out[b->row_N - first] = old[a->row_N - first_from];
        for (int i = 0; i < b->nF && i < a->nF; i++) out[b->row_F + i - first] = old[a->row_F + i - first_from];
    }
}

/* False: the carries are of different kinds. */
static bool pass_carry(const passage *p, const scheme *from, const scheme *to, const double *old, double *out) {
    carry_piece a[CARRY_MOST_PIECES], b[CARRY_MOST_PIECES];
    if (!to->class->carried || to->class != from->class) return false;
    int count = from->class->carried(from, a), nb = model_row_N(p->to);
    if (to->class->carried(to, b) != count) return false;
    for (int i = 0; i < count; i++)
        if (a[i].kind != b[i].kind || a[i].count != b[i].count) return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < a[i].count; k++) {
            if (a[i].kind == CARRY_NUMBERS) {
                *out++ = *old++;
                continue;
            }
            if (a[i].kind == CARRY_CONTACTS) {
                pass_contacts(p, old, out, b[i].new_value);
                old += p->from->size.n_contacts, out += p->to->size.n_contacts;
                continue;
            }
            if (a[i].kind != CARRY_CONTACT_ROWS) {
                memcpy(out, old, (size_t)nb * sizeof *out);
                old += nb, out += nb;
            }
            if (a[i].kind != CARRY_BILATERAL) {
                pass_rows(p, old, out);
                old += p->from->size.nN + p->from->size.nF, out += p->to->size.nN + p->to->size.nF;
            }
        }
    return true;
}

/* What the old scheme carries, without contacts that do not stay. */
static zn_status let_go(const passage *p, zn_simulation *old) {
    const scheme_class *class = old->scheme->class;
    if (!class->let_go || p->from->size.n_contacts == 0) return ZN_OK;
    bool *stays = MEM_ARRAY(old->context, bool, p->from->size.n_contacts);
    if (!stays) return ZN_ERROR_MEMORY;
    for (int k = 0; k < p->to->size.n_contacts; k++)
        if (p->contact[k] >= 0) stays[p->contact[k]] = true;
    zn_status status = class->let_go(old->scheme, &old->now, stays);
    mem_free(old->context, stays);
    return status;
}

/* Accelerations of what stays; forces of contacts that were not there are zero. */
static zn_status pass_state(zn_simulation *sim, const passage *p, const zn_simulation *old) {
    const zn_model *model = sim->model;
    int nb = model_row_N(model);
    scheme_state *now = &sim->now, memory = *now;
    *now = old->now; /* all that has no length */
    now->q = memory.q, now->u = memory.u, now->P = memory.P, now->P_all = memory.P_all, now->carry = memory.carry;
    memcpy(now->q, old->now.q, (size_t)model->size.nq * sizeof *now->q);
    memcpy(now->u, old->now.u, (size_t)model->size.nu * sizeof *now->u);
    memcpy(now->P_all, old->now.P_all, (size_t)nb * sizeof *now->P_all);
    pass_rows(&(passage){old->model, model, p->contact}, old->now.P_all + nb, now->P_all + nb);
    if (sim->selection.model) fewer_rows_pick(sim->selection.model, now->P_all, now->P);
    scales_take(&sim->scheme->scales, &old->scheme->scales);
    sim->scheme->hopeless = old->scheme->hopeless;
    zn_status status = ZN_OK;
    if (!pass_carry(p, old->scheme, sim->scheme, old->now.carry, now->carry))
        status = sim->scheme->class->start(sim->scheme, now, NULL, NULL);
    return status;
}

static void pass_control(zn_simulation *sim, const passage *p, const zn_simulation *old) {
    const sim_control *from = &old->control;
    sim_control *to = &sim->control;
    if (!sim->settings.step_auto) return;
    for (int k = 0; k < sim->model->size.n_contacts; k++) to->closed[k] = p->contact[k] >= 0 && from->closed[p->contact[k]];
    pass_contacts(p, from->gap_bend, to->gap_bend, 0);
    sim_control_see_rates(sim);
}

zn_status sim_adopt(zn_simulation *sim, const zn_model *model, const int *contact) {
    zn_simulation old = *sim;
    sim->model = model;
    zn_status status = take(sim);
    if (status != ZN_OK) {
        drop(sim);
        *sim = old;
        return status;
    }
    passage p = {old.scheme->model, sim->scheme->model, contact};
    status = let_go(&p, &old);
    if (status == ZN_OK) status = pass_state(sim, &p, &old);
    pass_contacts(&p, old.approach, sim->approach, 0);
    if (status == ZN_OK) status = sim_monitor_look(&sim->monitor, &sim->now);
    pass_control(sim, &p, &old);
    if (sim->contacts.field && contact_field_is_smooth(sim->contacts.field)) sim_work_see_friction(sim);
    drop(&old);
    sim_see_now(sim);
    return status;
}

/* Gaps and their rates are others at the same place. */
zn_status sim_adopt_numbers(zn_simulation *sim) {
    zn_status status = sim_monitor_look(&sim->monitor, &sim->now);
    if (sim->settings.step_auto) sim_control_see_rates(sim);
    if (contact_field_is_smooth(sim->contacts.field)) sim_work_see_friction(sim);
    sim_see_now(sim);
    return status;
}
