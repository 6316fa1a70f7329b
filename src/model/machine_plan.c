/* SPDX-License-Identifier: Apache-2.0 */
/* What a model keeps of a machine. Probes, the values that a simulation asks for, have this order: formulas of sampled values; of each
 * event its function, its condition and the values that it sets; conditions of rules for contacts. */
#include "model/machine.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- probes ---- */

/* Whose formula it is, and where it stands. */
typedef struct probe_of {
    const char *what, *name;
    const formula_text *text;
    bool late;
} probe_of;

static probe_of probe_at(const zn_machine *m, int index) {
    for (size_t i = 0; i < m->n_values; i++)
        if (m->formulas[i].text && index-- == 0) return (probe_of){"sampled value", m->values[i].name, &m->formulas[i], true};
    for (size_t k = 0; k < m->n_events; k++) {
        const machine_event_text *e = &m->events[k];
        if (index-- == 0) return (probe_of){"event", e->name, &e->when, false};
        if (e->condition.text && index-- == 0) return (probe_of){"event", e->name, &e->condition, false};
        if (index < e->n_sets) return (probe_of){"event", e->name, &e->values[index], true};
        index -= e->n_sets;
    }
    for (size_t k = 0; k < m->n_switches; k++)
        if (m->switches[k].rule && index-- == 0) return (probe_of){"condition of", m->switches[k].name, &m->switches[k].condition, false};
    return (probe_of){0};
}

static int count_rules(const zn_machine *m) {
    int count = 0;
    for (size_t k = 0; m && k < m->n_switches; k++) count += m->switches[k].rule != 0;
    return count;
}

int machine_probe_count(const zn_machine *m) {
    int count = 0;
    for (size_t i = 0; m && i < m->n_values; i++) count += m->formulas[i].text != NULL;
    for (size_t k = 0; m && k < m->n_events; k++) count += 1 + (m->events[k].condition.text != NULL) + m->events[k].n_sets;
    return count + count_rules(m);
}

bool machine_probe_is_condition(const zn_machine *m, int index) { return index >= machine_probe_count(m) - count_rules(m); }

zn_formula machine_probe(const zn_machine *m, int index) { return formula_of(probe_at(m, index).text); }

/* ---- the plan ---- */

void machine_release(zn_context *context, machine_plan *m) {
    if (!m || --m->references > 0) return;
    for (int i = 0; m->values && i < m->n_values; i++) {
        mem_free(context, m->values[i].name);
        mem_free(context, m->values[i].of);
        expr_table_release(context, m->values[i].follow);
    }
    for (int i = 0; m->events && i < m->n_events; i++) {
        mem_free(context, m->events[i].name);
        mem_free(context, m->events[i].message);
        mem_free(context, m->events[i].sets);
    }
    for (int i = 0; m->probes && i < m->n_probes; i++) {
        mem_free(context, m->probes[i].name);
        formula_text_free(context, &m->probes[i].text);
    }
    void *blocks[] = {m->values, m->start, m->events, m->rules, m->probes, m};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

static bool plan_values(zn_context *context, const zn_machine *from, machine_plan *m, int *probe) {
    for (int i = 0; i < m->n_values; i++) {
        const char *of = from->values[i].of;
        m->values[i] = from->values[i];
        m->values[i].name = m->values[i].of = NULL; /* until they are copied */
        if (m->values[i].follow) expr_table_keep(m->values[i].follow);
        m->start[i] = from->start[i];
        m->values[i].probe = from->formulas[i].text ? (*probe)++ : -1;
        if (!(m->values[i].name = mem_text(context, from->values[i].name))) return false;
        if (of && !(m->values[i].of = mem_text(context, of))) return false;
    }
    return true;
}

static bool plan_events(zn_context *context, const zn_machine *from, machine_plan *m, int *probe) {
    for (int i = 0; i < m->n_events; i++) {
        const machine_event_text *text = &from->events[i];
        machine_event *e = &m->events[i];
        *e = (machine_event){.direction = text->direction, .stop = text->stop, .record = text->record, .n_sets = text->n_sets};
        e->changes = e->stop || e->n_sets > 0;
        e->name = mem_text(context, text->name);
        e->message = mem_text(context, text->message);
        e->sets = MEM_ARRAY(context, machine_set, e->n_sets);
        if (!e->name || !e->message || !e->sets) return false;
        e->when = (*probe)++;
        e->condition = text->condition.text ? (*probe)++ : -1;
        for (int k = 0; k < e->n_sets; k++) e->sets[k].probe = (*probe)++;
    }
    return true;
}

static void plan_rules(const zn_machine *from, machine_plan *m, int *probe) {
    for (size_t k = 0; k < from->n_switches; k++)
        if (from->switches[k].rule) m->rules[m->n_rules++] = (machine_rule){from->switches[k].rule - 1, (*probe)++};
}

static bool plan_probes(zn_context *context, const zn_machine *from, machine_plan *m) {
    for (int i = 0; i < m->n_probes; i++) {
        probe_of p = probe_at(from, i);
        m->probes[i] = (machine_probe_text){.what = p.what, .late = p.late, .name = mem_text(context, p.name)};
        if (!m->probes[i].name || !formula_text_copy(context, &m->probes[i].text, formula_of(p.text))) return false;
    }
    return true;
}

zn_status machine_freeze(const zn_machine *from, machine_plan **out) {
    *out = NULL;
    if (!from || (!from->n_values && !from->n_events && !count_rules(from))) return ZN_OK;
    zn_context *context = from->context;
    machine_plan *m = MEM_ARRAY(context, machine_plan, 1);
    if (!m) return ZN_ERROR_MEMORY;
    int probe = 0;
    *m = (machine_plan){.references = 1, .n_values = (int)from->n_values, .n_events = (int)from->n_events};
    m->n_probes = machine_probe_count(from);
    m->values = MEM_ARRAY(context, machine_value, m->n_values);
    m->start = MEM_ARRAY(context, double, m->n_values);
    m->events = MEM_ARRAY(context, machine_event, m->n_events);
    m->rules = MEM_ARRAY(context, machine_rule, count_rules(from));
    m->probes = MEM_ARRAY(context, machine_probe_text, m->n_probes);
    bool good = m->values && m->start && m->events && m->rules && m->probes && plan_values(context, from, m, &probe) &&
                plan_events(context, from, m, &probe) && plan_probes(context, from, m);
    if (good) plan_rules(from, m, &probe), *out = m;
    else machine_release(context, m);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

static int find(const char *name, int count, const char *const *names) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

/* The velocity or the row to which an answer belongs, by the names that results have. */
static bool resolve_joint(machine_value *v, const char *bar, const zn_model *model) {
    size_t length = (size_t)(bar - v->of);
    v->answer = ANSWER_JOINT;
    v->sign = bar[1] == '-' ? -1 : 1;
    v->index = find(bar + 2, model->size.nu, model->u_names);
    for (int i = 0; i < model_row_N(model); i++) {
        const char *name = model->bilateral_names[i];
        if (strncmp(name, v->of, length) != 0 || (name[length] && name[length] != '.')) continue;
        if (v->count++ == 0) v->first = i;
    }
    return v->index >= 0 && v->count > 0;
}

/* NAME.normal, NAME.friction, NAME.friction2: of the contact of this name, or of all its points NAME.1, NAME.2 ... together. */
static bool resolve_contacts(machine_value *v, const zn_model *model) {
    const char *name = v->of + (v->of[0] == '#'), *end = v->of[0] == '#' ? strchr(name, '|') : strrchr(name, '.'), *word = end + 1;
    size_t length = (size_t)(end - name);
    v->answer = *word == '+' ? ANSWER_PUSH : ANSWER_CONTACTS;
    v->index = *word == '+'                  ? find(word + 1, model->size.nu, model->u_names)
               : strcmp(word, "normal") == 0 ? -1
               : word[8]                     ? word[8] - '1'
                                             : 0;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *c = &model->contacts[k];
        if (strncmp(c->name, name, length) != 0) continue;
        const char *rest = c->name + length;
        if (*rest && (rest[0] != '.' || rest[1] < '0' || rest[1] > '9')) continue;
        bool has = v->answer == ANSWER_PUSH ? v->index >= 0 : v->index < 0 ? c->row_N >= 0 : v->index < c->nF && (c->nF == 1) == !word[8];
        if (!has) return false;
        if (v->count++ == 0) v->first = k;
    }
    return v->count > 0;
}

static bool resolve_answer(machine_value *v, const zn_model *model) {
    const char *bar = strchr(v->of, '|');
    if (bar && v->of[0] == '@') {
        v->answer = ANSWER_RULE, v->first = atoi(v->of + 1);
        v->index = bar[1] == '+' ? find(bar + 2, model->size.nu, model->u_names) : -1;
        return bar[1] != '+' || v->index >= 0;
    }
    if (bar && v->of[0] == '#') return resolve_contacts(v, model);
    if (bar) return resolve_joint(v, bar, model);
    v->index = find(v->of, model->size.nu, model->u_names);
    if (v->index >= 0) return true;
    v->answer = ANSWER_ROW;
    v->index = find(v->of, model_row_N(model), model->bilateral_names);
    return v->index >= 0 || resolve_contacts(v, model);
}

zn_status machine_resolve(const zn_machine *from, machine_plan *m, const zn_model *model) {
    for (int i = 0; m && i < m->n_values; i++) m->values[i].in_positions = from->values[i].in_positions;
    for (int i = 0; m && i < m->n_values; i++)
        if (m->values[i].of && !resolve_answer(&m->values[i], model))
            return fail(from->context, ZN_ERROR_MODEL, "an output uses '%s', but the model has no such force", m->values[i].name);
    for (int i = 0; m && i < m->n_events; i++)
        for (int k = 0; k < m->events[i].n_sets; k++) {
            machine_set *set = &m->events[i].sets[k];
            const char *name = from->events[i].names[k];
            set->target = MACHINE_VALUE;
            set->index = machine_find(from, name, strlen(name));
            if (set->index < 0) set->target = MACHINE_POSITION, set->index = find(name, model->size.nq, model->q_names);
            if (set->index < 0) set->target = MACHINE_VELOCITY, set->index = find(name, model->size.nu, model->u_names);
            if (set->index < 0)
                return formula_fail(from->context, &from->events[i].values[k], name,
                                    "the event '%s' cannot set '%s': it is neither a state, coordinate, velocity, mode nor input",
                                    m->events[i].name, name);
            for (int other = 0; other < k; other++)
                if (m->events[i].sets[other].target == set->target && m->events[i].sets[other].index == set->index)
                    return formula_fail(from->context, &from->events[i].values[k], name, "the event '%s' sets '%s' twice",
                                        m->events[i].name, name);
        }
    return ZN_OK;
}

zn_status model_bind(zn_context *context, const zn_model *model, const double *values, zn_model **bound) {
    *bound = NULL;
    if (!model->machine) return ZN_OK;
    return model->bind(context, model, values, bound);
}
