/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of found contacts: each of them at the row that is shown, and totals of pairs of bodies. */
#include "sim/simulation.h"

/* ---- totals ---- */

/* More pairs than this are not distinguished: grains have no names. */
enum { MOST_PAIRS = 4096 };

/* Where a pair is, or would be. */
static size_t place_of(const sim_contacts *c, int a, int b) {
    size_t low = 0, high = c->n_pairs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const sim_pair *p = &c->pairs[middle];
        if (p->body[0] < a || (p->body[0] == a && p->body[1] < b)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void add_to_pair(zn_simulation *sim, const sim_met *m) {
    sim_contacts *c = &sim->contacts;
    int a = contact_field_body_of(c->field, m->candidate.shape[0]), b = contact_field_body_of(c->field, m->candidate.shape[1]);
    int low = a < b ? a : b, high = a < b ? b : a;
    size_t at = place_of(c, low, high);
    bool known = at < c->n_pairs && c->pairs[at].body[0] == low && c->pairs[at].body[1] == high;
    if (!known) {
        if (c->n_pairs >= MOST_PAIRS || !mem_grow(sim->context, (void **)&c->pairs, &c->pair_room, c->n_pairs + 1, sizeof *c->pairs))
            return;
        memmove(&c->pairs[at + 1], &c->pairs[at], (c->n_pairs - at) * sizeof *c->pairs);
        c->pairs[at] = (sim_pair){{low, high}, 0};
        c->n_pairs++;
    }
    c->pairs[at].normal += m->P[0];
}

void sim_contacts_end_percussion(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    for (size_t i = 0; i < c->list.count; i++)
        if (c->list.at[i].P[0] != 0) add_to_pair(sim, &c->list.at[i]);
    for (size_t i = 0; i < c->gone.count; i++)
        if (c->gone.at[i].P[0] != 0) add_to_pair(sim, &c->gone.at[i]);
}

int zn_simulation_pair_count(const zn_simulation *sim) { return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? (int)sim->contacts.n_pairs : 0; }

zn_pair_total zn_simulation_pair(const zn_simulation *sim, int index) {
    if (index < 0 || index >= zn_simulation_pair_count(sim)) return (zn_pair_total){0};
    const sim_contacts *c = &sim->contacts;
    const sim_pair *p = &c->pairs[index];
    return (zn_pair_total){.bodies = {contact_field_body_name(c->field, p->body[0]), contact_field_body_name(c->field, p->body[1])},
                           .normal = p->normal};
}

/* ---- each of them ---- */

int zn_simulation_found_count(const zn_simulation *sim) {
    return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? (int)(sim->contacts.list.count + sim->contacts.gone.count) : 0;
}

/* Since the row before, of the row that is shown (or of the last step where none is). */
static double since(const sim_contacts *c, const sim_met *m, int k) {
    if (!c->shown) return m->P_row[k] + m->P[k];
    return (c->first ? m->P_row[k] : 0) + (c->share - c->share_before) * m->P[k];
}

zn_status zn_simulation_found(const zn_simulation *simulation, int index, zn_found_contact *out) {
    NEED_HANDLE(simulation, HANDLE_SIMULATION);
    NEED(simulation->context, out);
    zn_simulation *sim = (zn_simulation *)(uintptr_t)simulation;
    sim_contacts *c = &sim->contacts;
    *out = (zn_found_contact){.gap = NAN};
    if (index < 0 || index >= zn_simulation_found_count(sim))
        return fail(sim->context, ZN_ERROR_ARGUMENT, "there is no contact %d: %d were found", index, zn_simulation_found_count(sim));
    bool there = (size_t)index < c->list.count;
    sim_met *m = there ? &c->list.at[index] : &c->gone.at[(size_t)index - c->list.count];
    if (!c->seen || c->seen_at != sim->view.t) { /* poses of the row */
        contact_field_poses(c->field, sim->view.t, sim->view.q, sim->view.u, c->poses_seen);
        c->seen = true, c->seen_at = sim->view.t;
    }
    collide_candidate now = m->candidate;
    collide_measure(c->world, c->poses_seen, &now);
    double t[2][3];
    int sliding = contact_field_tangents(c->field, &now, m->pole, c->poses_seen, t);
    out->name = contact_field_name(c->field, &now, c->text, sizeof c->text);
    for (int i = 0; i < 2; i++)
        out->shapes[i] = contact_field_shape_name(c->field, now.shape[i]), out->shape[i] = now.shape[i], out->feature[i] = now.feature[i];
    if (there) out->gap = now.gap;
    memcpy(out->point, now.point, sizeof out->point);
    memcpy(out->normal, now.n, sizeof out->normal);
    out->normal_percussion = since(c, m, 0);
    for (int i = 0; i < 3; i++) {
        out->percussion[i] = out->normal_percussion * now.n[i];
        for (int k = 0; k < sliding; k++) out->percussion[i] += since(c, m, 1 + k) * t[k][i];
    }
    return ZN_OK;
}
