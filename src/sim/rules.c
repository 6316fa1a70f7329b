/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for contacts that are switched. The shapes of a rule whose condition does not hold are not seen by the search: they pass through
 * each other. Conditions are functions of values that change between steps only, and are asked for when these have changed; then the list
 * of contacts is found again. Shapes that are in each other when their rule is switched on are reported: to push them apart would create
 * energy. */
#include "model/machine.h"
#include "sim/simulation.h"

struct sim_rules {
    const contact_field *field;
    bool *off, *fresh; /* of each rule of the field: off; on since the last look */
};

static bool may_meet(void *user, int a, int b) {
    const sim_rules *r = user;
    int rule = contact_field_rule_of(r->field, a, b);
    return rule >= 0 && !r->off[rule];
}

static bool may_meet_now(void *user, int a, int b) {
    const sim_rules *r = user;
    int rule = contact_field_rule_of(r->field, a, b);
    return rule >= 0 && r->fresh[rule];
}

zn_status sim_rules_create(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    if (!sim->machine.of || !sim->machine.of->n_rules) return ZN_OK;
    if (!(c->rules = MEM_ARRAY(sim->context, sim_rules, 1))) return ZN_ERROR_MEMORY;
    c->rules->field = c->field;
    int n = contact_field_rules(c->field);
    if (!(c->rules->off = MEM_ARRAY(sim->context, bool, 2 * n))) return ZN_ERROR_MEMORY;
    c->rules->fresh = c->rules->off + n;
    collide_filter(c->world, may_meet, c->rules);
    bool changed;
    return sim_rules_look(sim, &changed);
}

void sim_rules_destroy(zn_simulation *sim) {
    if (sim->contacts.rules) mem_free(sim->context, sim->contacts.rules->off);
    mem_free(sim->context, sim->contacts.rules);
}

zn_status sim_rules_look(zn_simulation *sim, bool *changed) {
    sim_contacts *c = &sim->contacts;
    const zn_model *model = sim->base;
    const machine_plan *of = sim->machine.of;
    *changed = false;
    if (!c->rules) return ZN_OK;
    void *own = sim->monitor.at.work ? NULL : mem_array(sim->context, model->work_bytes, 1); /* before there is a scheme */
    if (!own && !sim->monitor.at.work) return ZN_ERROR_MEMORY;
    zn_point any = {.q = model->q_start, .u = model->u_start}; /* conditions do not depend on it */
    bool fine = model->probes(model, own ? own : sim->monitor.at.work, &any, sim->machine.probes) == 0;
    mem_free(sim->context, own);
    for (int i = 0; fine && i < of->n_rules; i++) {
        bool off = !(sim->machine.probes[of->rules[i].probe] != 0);
        bool *was_off = &c->rules->off[of->rules[i].rule];
        *changed = *changed || *was_off != off;
        c->rules->fresh[of->rules[i].rule] = *was_off && !off;
        *was_off = off;
    }
    if (*changed) collide_filter(c->world, may_meet, c->rules); /* which asks again */
    return fine ? ZN_OK : fail(sim->context, ZN_ERROR_NOT_FINITE, "a condition of contacts has no value");
}

zn_status sim_rules_check(zn_simulation *sim) {
    sim_contacts *c = &sim->contacts;
    collide_overlap overlap;
    contact_field_poses(c->field, sim->now.t, sim->now.q, sim->now.u, c->poses);
    collide_filter(c->world, may_meet_now, c->rules);
    zn_status status = collide_check(c->world, c->poses, c->tolerance, NULL, NULL, &overlap);
    collide_filter(c->world, may_meet, c->rules);
    if (status != ZN_OK || overlap.depth <= larger(c->tolerance, c->max_overlap)) return status;
    const char *a = contact_field_shape_name(c->field, overlap.pair[0]), *b = contact_field_shape_name(c->field, overlap.pair[1]);
    error_place place = {.subject = a, .time = sim->now.t};
    return fail_at(sim->context, ZN_ERROR_START, &place,
                   "a contact rule is switched on while '%s' and '%s' overlap by %.3g: switch it on while they are apart, or let the same "
                   "event move one of them",
                   a, b, overlap.depth);
}
