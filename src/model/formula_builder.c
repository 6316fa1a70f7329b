/* SPDX-License-Identifier: Apache-2.0 */
/* Stores copies of the user's formulas as texts. Their meaning: parts/formula_express.c. */
#include "model/machine.h"
#include "model/model.h"

#include <stdio.h>

static void free_item(zn_context *context, named_formula *item) {
    mem_free(context, item->name);
    mem_free(context, item->second_name);
    formula_text_free(context, &item->value);
    formula_text_free(context, &item->velocity);
}

_Static_assert(offsetof(zn_formula_model, outputs) == offsetof(zn_formula_model, lists) + TEXT_OUTPUT * sizeof(formula_list),
               "the lists have names in the order of their kinds");

zn_status formula_say(zn_formula_model *builder, text_kind kind, const formula_said *said) {
    zn_context *context = builder->context;
    formula_list *list = &builder->lists[kind];
    if (!said->name || !*said->name) return fail(context, ZN_ERROR_ARGUMENT, "a piece of a formula model needs a name");
    if (!mem_grow(context, (void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items)) return ZN_ERROR_MEMORY;
    named_formula *item = &list->items[list->count++];
    *item = (named_formula){.name = mem_text(context, said->name), .second_name = said->second ? mem_text(context, said->second) : NULL};
    bool copied = formula_text_copy(context, &item->value, said->value) && formula_text_copy(context, &item->velocity, said->rate);
    if (copied && item->name && (item->second_name || !said->second)) return ZN_OK;
    free_item(context, &list->items[--list->count]);
    return ZN_ERROR_MEMORY;
}

zn_formula_model *zn_formula_model_create(zn_context *context) {
    zn_formula_model *builder = context ? MEM_ARRAY(context, zn_formula_model, 1) : NULL;
    if (builder) builder->head = (handle_head){HANDLE_FORMULA_MODEL, context};
    return builder;
}

static void free_list(zn_context *context, formula_list *list) {
    for (size_t i = 0; i < list->count; i++) free_item(context, &list->items[i]);
    mem_free(context, list->items);
}

static void free_texts(zn_context *context, formula_text *texts, int count) {
    for (int i = 0; texts && i < count; i++) formula_text_free(context, &texts[i]);
    mem_free(context, texts);
}

static void free_contact(zn_context *context, contact_text *contact) {
    mem_free(context, contact->name);
    formula_text_free(context, &contact->gap);
    formula_text_free(context, &contact->normal_force);
    formula_text_free(context, &contact->restitution);
    formula_text_free(context, &contact->tangential_restitution);
    for (int i = 0; contact->laws && i < contact->n_laws; i++) {
        friction_text *law = &contact->laws[i];
        free_texts(context, law->slips, law->n_slips);
        free_texts(context, law->friction, law->n_friction);
        formula_text_free(context, &law->radius);
        formula_text_free(context, &law->stribeck_dynamic);
        formula_text_free(context, &law->stribeck_rate);
    }
    mem_free(context, contact->laws);
}

static void free_contents(zn_formula_model *builder) {
    zn_context *context = builder->context;
    for (int i = 0; i < TEXT_KIND_COUNT; i++) free_list(context, &builder->lists[i]);
    formula_text_free(context, &builder->kinetic);
    formula_text_free(context, &builder->potential);
    for (size_t i = 0; i < builder->n_contacts; i++) free_contact(context, &builder->contacts[i]);
    mem_free(context, builder->contacts);
    machine_destroy(builder->machine);
}

void zn_formula_model_destroy(zn_formula_model *builder) {
    if (!HANDLE_GOOD(builder, HANDLE_FORMULA_MODEL)) return;
    free_contents(builder);
    handle_retire(&builder->head, sizeof *builder);
}

void formula_texts_free(zn_formula_model *builder) {
    if (!builder) return;
    zn_context *context = builder->context;
    free_contents(builder);
    mem_free(context, builder);
}

/* Names that are added later are checked when the model is built. */
static zn_status check_name(void *user, const char *name, const char *what) {
    zn_formula_model *builder = user;
    if (!expr_name_is_valid(name))
        return fail(builder->context, ZN_ERROR_MODEL, "'%s' cannot name %s: names are letters, digits and _, and not pi, t or a function",
                    name, what);
    return ZN_OK;
}

static zn_status add_state(void *user, const char *name, double start, zn_formula rate) {
    zn_formula_model *builder = user;
    char number[40];
    snprintf(number, sizeof number, "%.17g", start);
    return formula_say(builder, TEXT_STATE, &(formula_said){name, NULL, ZN_FORMULA(number), rate});
}

zn_machine *zn_formula_machine(zn_formula_model *builder) {
    if (!HANDLE_GOOD(builder, HANDLE_FORMULA_MODEL)) return NULL;
    if (!builder->machine) builder->machine = machine_create(builder->context, builder, check_name, add_state);
    return builder->machine;
}

zn_status zn_formula_parameter(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_PARAMETER, &(formula_said){.name = name, .value = value});
}

zn_status zn_formula_coordinate(zn_formula_model *builder, const char *name, zn_formula start, zn_formula velocity) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_COORDINATE, &(formula_said){.name = name, .value = start, .rate = velocity});
}

zn_status zn_formula_velocity(zn_formula_model *builder, const char *name, zn_formula start) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_VELOCITY, &(formula_said){.name = name, .value = start});
}

zn_status zn_formula_kinematics(zn_formula_model *builder, const char *coordinate, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_KINEMATICS, &(formula_said){.name = coordinate, .value = value});
}

zn_status zn_formula_mass(zn_formula_model *builder, const char *row, const char *column, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_MASS, &(formula_said){.name = row, .second = column ? column : row, .value = value});
}

zn_status zn_formula_force(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_FORCE, &(formula_said){.name = name, .value = value});
}

zn_status zn_formula_position_constraint(zn_formula_model *builder, const char *name, zn_formula g) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_POSITION_CONSTRAINT, &(formula_said){.name = name, .value = g});
}

zn_status zn_formula_velocity_constraint(zn_formula_model *builder, const char *name, zn_formula gamma) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_VELOCITY_CONSTRAINT, &(formula_said){.name = name, .value = gamma});
}

zn_status zn_formula_output(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return formula_say(builder, TEXT_OUTPUT, &(formula_said){.name = name, .value = value});
}

zn_status zn_formula_energy(zn_formula_model *builder, zn_formula kinetic, zn_formula potential) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    formula_text_free(builder->context, &builder->kinetic);
    formula_text_free(builder->context, &builder->potential);
    bool copied = formula_text_copy(builder->context, &builder->kinetic, kinetic) &&
                  formula_text_copy(builder->context, &builder->potential, potential);
    return copied ? ZN_OK : ZN_ERROR_MEMORY;
}

static formula_text *copy_texts(zn_context *context, const zn_formula *from, int count) {
    formula_text *to = MEM_ARRAY(context, formula_text, count);
    bool copied = to != NULL;
    for (int i = 0; copied && i < count; i++) copied = formula_text_copy(context, &to[i], from[i]);
    if (copied) return to;
    free_texts(context, to, count);
    return NULL;
}

static zn_status copy_law(zn_context *context, friction_text *to, const zn_friction_def *from) {
    to->reservoir = from->reservoir;
    to->n_slips = from->n_slips;
    to->n_friction = from->n_friction;
    to->slips = copy_texts(context, from->slips, from->n_slips);
    to->friction = copy_texts(context, from->friction, from->n_friction);
    bool copied = formula_text_copy(context, &to->radius, from->radius) &&
                  formula_text_copy(context, &to->stribeck_dynamic, from->stribeck_dynamic) &&
                  formula_text_copy(context, &to->stribeck_rate, from->stribeck_rate);
    return copied && to->slips && to->friction ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status formula_check_contact(zn_context *context, const char *name, const zn_contact_def *def) {
    if (!name || !*name) return fail(context, ZN_ERROR_ARGUMENT, "a contact needs a name");
    if (!def) return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s' needs a definition, not NULL", name);
    if (def->n_laws < 0 || (def->n_laws && !def->laws))
        return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s' has %d friction laws%s", name, def->n_laws,
                    def->n_laws < 0 ? "" : ", but no description of them");
    for (int i = 0; i < def->n_laws; i++) {
        const zn_friction_def *law = &def->laws[i];
        if ((int)law->reservoir < 0 || law->reservoir >= ZN_RESERVOIR_COUNT)
            return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s': unknown reservoir %d of a friction law", name, (int)law->reservoir);
        if (law->n_slips < 1 || (law->n_friction != 1 && law->n_friction != law->n_slips) || !law->slips || !law->friction)
            return fail(context, ZN_ERROR_ARGUMENT,
                        "the contact '%s': a friction law needs slip velocities, and one coefficient or one for each of them", name);
    }
    return ZN_OK;
}

zn_status zn_formula_contact(zn_formula_model *builder, const char *name, const zn_contact_def *def) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    zn_context *context = builder->context;
    zn_status status = formula_check_contact(context, name, def);
    if (status != ZN_OK) return status;
    if (!mem_grow(context, (void **)&builder->contacts, &builder->contact_capacity, builder->n_contacts + 1, sizeof *builder->contacts))
        return ZN_ERROR_MEMORY;
    contact_text *contact = &builder->contacts[builder->n_contacts++];
    *contact = (contact_text){.name = mem_text(context, name), .n_laws = def->n_laws};
    bool copied = formula_text_copy(context, &contact->gap, def->gap) &&
                  formula_text_copy(context, &contact->normal_force, def->normal_force) &&
                  formula_text_copy(context, &contact->restitution, def->restitution) &&
                  formula_text_copy(context, &contact->tangential_restitution, def->tangential_restitution);
    contact->laws = MEM_ARRAY(context, friction_text, def->n_laws);
    if (!copied || !contact->name || !contact->laws) status = ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < def->n_laws; i++) status = copy_law(context, &contact->laws[i], &def->laws[i]);
    if (status != ZN_OK) free_contact(context, &builder->contacts[--builder->n_contacts]);
    return status;
}
