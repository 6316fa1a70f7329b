/* SPDX-License-Identifier: Apache-2.0 */
/* The list of contact events that were located. It grows between sub-steps. */
#include "sim/simulation.h"

#include <stdio.h>

enum { FIRST_ROOM = 64 };

typedef struct event_name {
    struct event_name *next;
    char text[SIM_NAME];
} event_name;

/* A name that outlives its contact. */
static const char *keep_name(zn_simulation *sim, const char *text) {
    event_name *name = sim->located.names;
    char cut[SIM_NAME];
    snprintf(cut, sizeof cut, "%s", text);
    while (name && strcmp(name->text, cut) != 0) name = name->next;
    if (name) return name->text;
    name = MEM_ARRAY(sim->context, event_name, 1);
    if (!name) return NULL;
    memcpy(name->text, cut, sizeof cut);
    name->next = sim->located.names;
    sim->located.names = name;
    return name->text;
}

void sim_events_destroy(zn_simulation *sim) {
    sim_located *l = &sim->located;
    for (event_name *name = l->names, *next; name; name = next) {
        next = name->next;
        mem_free(sim->context, name);
    }
    mem_free(sim->context, l->list);
    l->names = NULL, l->list = NULL;
}

static zn_contact_event *add(zn_simulation *sim) {
    sim_located *l = &sim->located;
    if (l->n_list == l->list_room) {
        size_t room = l->list_room ? 2 * l->list_room : FIRST_ROOM;
        zn_contact_event *list = MEM_ARRAY(sim->context, zn_contact_event, room);
        if (!list) return NULL;
        if (l->list) memcpy(list, l->list, l->n_list * sizeof *list);
        mem_free(sim->context, l->list);
        l->list = list;
        l->list_room = room;
    }
    return &l->list[l->n_list++];
}

static double size_of(int n, const double *v, const double *scale) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum = hypot(sum, scale ? v[i] * scale[i] : v[i]);
    return sum;
}

/* Slip velocities of scaled rows are gamma = scale gamma_T. */
static double speed_of(const zn_contact *c, const double *c1) {
    double sum = 0;
    for (int i = 0; i < c->nF; i++) sum = hypot(sum, c1[c->row_F + i] / (c->scale && c->scale[i] != 0 ? c->scale[i] : 1));
    return sum;
}

static double kinetic_energy(zn_simulation *sim, const double *u) {
    double T = 0, V;
    zn_point at = {.t = sim->now.t, .q = sim->now.q, .u = u};
    return sim->model->energy && sim->model->energy(sim->model, sim->monitor.at.work, &at, &T, &V) == 0 ? T : 0;
}

zn_status sim_note_event(zn_simulation *sim, int contact, zn_contact_event_kind kind) {
    sim_located *l = &sim->located;
    const zn_model *model = l->forces->model;
    const zn_contact *c = &model->contacts[contact];
    const answers *at = &l->forces->at; /* lends memory: c1 of both velocities */
    zn_contact_event *event = add(sim);
    const char *name = keep_name(sim, c->name);
    if (!event || !name) return ZN_ERROR_MEMORY;
    int found = contact - sim->base->size.n_contacts;
    const int *shape = found >= 0 ? sim->contacts.list.at[found].candidate.shape : (const int[2]){-1, -1};
    *event =
        (zn_contact_event){.t = sim->now.t, .contact = found < 0 ? contact : -1, .name = name, .kind = kind, .shape = {shape[0], shape[1]}};
    zn_point before = {.t = sim->now.t, .q = sim->now.q, .u = l->before.u}, now = {.t = sim->now.t, .q = sim->now.q, .u = sim->now.u};
    if (model->constraints(model, at->work, &before, &(zn_constraints){.c1 = at->c1})) return ZN_ERROR_NOT_FINITE;
    event->normal_before = c->row_N >= 0 ? at->c1[c->row_N] : 0;
    event->tangential_before = speed_of(c, at->c1);
    if (model->constraints(model, at->work, &now, &(zn_constraints){.c1 = at->c1})) return ZN_ERROR_NOT_FINITE;
    event->normal_after = c->row_N >= 0 ? at->c1[c->row_N] : 0;
    event->tangential_after = speed_of(c, at->c1);
    event->normal_impulse = c->row_N >= 0 ? l->P[c->row_N] : 0;
    event->tangential_impulse = size_of(c->nF, l->P + c->row_F, c->scale);
    event->energy_lost = kinetic_energy(sim, l->before.u) - kinetic_energy(sim, sim->now.u);
    return ZN_OK;
}

/* ---- as bytes ---- */

zn_status sim_events_carry(zn_simulation *sim, byte_stream *b) {
    sim_located *l = &sim->located;
    size_t count = bytes_pass_count(b, l->n_list, SIM_NAME);
    if (b->way == BYTES_READ) l->n_list = 0;
    for (size_t i = 0; i < count; i++) {
        char text[SIM_NAME] = "";
        zn_contact_event *e = b->way == BYTES_READ ? add(sim) : &l->list[i];
        if (!e) return ZN_ERROR_MEMORY;
        if (b->way == BYTES_READ) *e = (zn_contact_event){0};
        else snprintf(text, sizeof text, "%s", e->name);
        BYTES_PASS(b, text), BYTES_PASS(b, e->t), BYTES_PASS(b, e->contact), BYTES_PASS(b, e->kind), BYTES_PASS(b, e->shape);
        double *numbers[] = {&e->normal_before,  &e->normal_after,       &e->tangential_before, &e->tangential_after,
                             &e->normal_impulse, &e->tangential_impulse, &e->energy_lost};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) BYTES_PASS(b, *numbers[k]);
        text[SIM_NAME - 1] = '\0';
        if (b->way == BYTES_READ && !(e->name = keep_name(sim, text))) return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

/* ---- what is known ---- */

const char *zn_contact_event_text(zn_contact_event_kind kind) {
    static const char *const texts[ZN_CONTACT_EVENT_KINDS] = {"impact", "opening", "stick", "slip", "accumulation", "painleve"};
    return (int)kind >= 0 && kind < ZN_CONTACT_EVENT_KINDS ? texts[kind] : NULL;
}

long zn_simulation_contact_event_count(const zn_simulation *sim) {
    return HANDLE_GOOD(sim, HANDLE_SIMULATION) ? (long)sim->located.n_list : 0;
}

zn_contact_event zn_simulation_contact_event(const zn_simulation *sim, long index) {
    if (!HANDLE_GOOD(sim, HANDLE_SIMULATION) || index < 0 || (size_t)index >= sim->located.n_list) return (zn_contact_event){.contact = -1};
    return sim->located.list[index];
}
