/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of formula models: keeps copies of what the user said; building gives it a meaning. */
#include "model/formula.h"

static bool copy_text(zn_context *context, formula_text *to, zn_formula from) {
    *to = (formula_text){.line = from.line, .column = from.column};
    if (!from.text) return true;
    to->text = mem_text(context, from.text);
    if (from.file) to->file = mem_text(context, from.file);
    return to->text && (to->file || !from.file);
}

static void free_text(zn_context *context, formula_text *text) {
    mem_free(context, text->text);
    mem_free(context, text->file);
    *text = (formula_text){0};
}

static void free_item(zn_context *context, named_formula *item) {
    mem_free(context, item->name);
    mem_free(context, item->second_name);
    free_text(context, &item->value);
    free_text(context, &item->velocity);
}

static zn_status add(zn_formula_model *builder, formula_list *list, const char *name, const char *second, zn_formula value,
                     zn_formula velocity) {
    zn_context *context = builder->context;
    if (!name || !*name) return fail(context, ZN_ARGUMENT, "a piece of a formula model needs a name");
    if (!mem_grow(context, (void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items)) return ZN_MEMORY;
    named_formula *item = &list->items[list->count++];
    *item = (named_formula){.name = mem_text(context, name), .second_name = second ? mem_text(context, second) : NULL};
    bool copied = copy_text(context, &item->value, value) && copy_text(context, &item->velocity, velocity);
    if (copied && item->name && (item->second_name || !second)) return ZN_OK;
    free_item(context, &list->items[--list->count]);
    return ZN_MEMORY;
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
    for (int i = 0; texts && i < count; i++) free_text(context, &texts[i]);
    mem_free(context, texts);
}

static void free_contact(zn_context *context, contact_text *contact) {
    mem_free(context, contact->name);
    free_text(context, &contact->gap);
    free_text(context, &contact->normal_force);
    free_text(context, &contact->restitution);
    free_text(context, &contact->tangential_restitution);
    for (int i = 0; contact->laws && i < contact->n_laws; i++) {
        friction_text *law = &contact->laws[i];
        free_texts(context, law->slips, law->n_slips);
        free_texts(context, law->friction, law->n_friction);
        free_text(context, &law->radius);
        free_text(context, &law->stribeck_dynamic);
        free_text(context, &law->stribeck_rate);
    }
    mem_free(context, contact->laws);
}

void zn_formula_model_destroy(zn_formula_model *builder) {
    if (!HANDLE_GOOD(builder, HANDLE_FORMULA_MODEL)) return;
    zn_context *context = builder->context;
    formula_list *lists[] = {&builder->parameters, &builder->coordinates, &builder->velocities, &builder->kinematics,
                             &builder->mass,       &builder->forces,      &builder->position,   &builder->velocity,
                             &builder->outputs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free_list(context, lists[i]);
    free_text(context, &builder->kinetic);
    free_text(context, &builder->potential);
    for (size_t i = 0; i < builder->n_contacts; i++) free_contact(context, &builder->contacts[i]);
    mem_free(context, builder->contacts);
    handle_retire(&builder->head, sizeof *builder);
}

static const zn_formula none;

zn_status zn_formula_parameter(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->parameters, name, NULL, value, none);
}

zn_status zn_formula_coordinate(zn_formula_model *builder, const char *name, zn_formula start, zn_formula velocity) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->coordinates, name, NULL, start, velocity);
}

zn_status zn_formula_velocity(zn_formula_model *builder, const char *name, zn_formula start) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->velocities, name, NULL, start, none);
}

zn_status zn_formula_kinematics(zn_formula_model *builder, const char *coordinate, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->kinematics, coordinate, NULL, value, none);
}

zn_status zn_formula_mass(zn_formula_model *builder, const char *row, const char *column, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->mass, row, column ? column : row, value, none);
}

zn_status zn_formula_force(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->forces, name, NULL, value, none);
}

zn_status zn_formula_position_constraint(zn_formula_model *builder, const char *name, zn_formula g) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->position, name, NULL, g, none);
}

zn_status zn_formula_velocity_constraint(zn_formula_model *builder, const char *name, zn_formula gamma) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->velocity, name, NULL, gamma, none);
}

zn_status zn_formula_output(zn_formula_model *builder, const char *name, zn_formula value) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    return add(builder, &builder->outputs, name, NULL, value, none);
}

zn_status zn_formula_energy(zn_formula_model *builder, zn_formula kinetic, zn_formula potential) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    free_text(builder->context, &builder->kinetic);
    free_text(builder->context, &builder->potential);
    bool copied = copy_text(builder->context, &builder->kinetic, kinetic) && copy_text(builder->context, &builder->potential, potential);
    return copied ? ZN_OK : ZN_MEMORY;
}

static formula_text *copy_texts(zn_context *context, const zn_formula *from, int count) {
    formula_text *to = MEM_ARRAY(context, formula_text, count);
    bool copied = to != NULL;
    for (int i = 0; copied && i < count; i++) copied = copy_text(context, &to[i], from[i]);
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
    bool copied = copy_text(context, &to->radius, from->radius) && copy_text(context, &to->stribeck_dynamic, from->stribeck_dynamic) &&
                  copy_text(context, &to->stribeck_rate, from->stribeck_rate);
    return copied && to->slips && to->friction ? ZN_OK : ZN_MEMORY;
}

zn_status formula_check_contact(zn_context *context, const char *name, const zn_contact_def *def) {
    if (!name || !*name) return fail(context, ZN_ARGUMENT, "a contact needs a name");
    if (!def) return fail(context, ZN_ARGUMENT, "the contact '%s' needs a definition, not NULL", name);
    if (def->n_laws < 0 || (def->n_laws && !def->laws))
        return fail(context, ZN_ARGUMENT, "the contact '%s' has %d friction laws%s", name, def->n_laws,
                    def->n_laws < 0 ? "" : ", but no description of them");
    for (int i = 0; i < def->n_laws; i++) {
        const zn_friction_def *law = &def->laws[i];
        if ((int)law->reservoir < ZN_BALL || law->reservoir > ZN_CONTENSOU)
            return fail(context, ZN_ARGUMENT, "the contact '%s': unknown reservoir %d of a friction law", name, (int)law->reservoir);
        if (law->n_slips < 1 || (law->n_friction != 1 && law->n_friction != law->n_slips) || !law->slips || !law->friction)
            return fail(context, ZN_ARGUMENT,
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
        return ZN_MEMORY;
    contact_text *contact = &builder->contacts[builder->n_contacts++];
    *contact = (contact_text){.name = mem_text(context, name), .n_laws = def->n_laws};
    bool copied = copy_text(context, &contact->gap, def->gap) && copy_text(context, &contact->normal_force, def->normal_force) &&
                  copy_text(context, &contact->restitution, def->restitution) &&
                  copy_text(context, &contact->tangential_restitution, def->tangential_restitution);
    contact->laws = MEM_ARRAY(context, friction_text, def->n_laws);
    if (!copied || !contact->name || !contact->laws) status = ZN_MEMORY;
    for (int i = 0; status == ZN_OK && i < def->n_laws; i++) status = copy_law(context, &contact->laws[i], &def->laws[i]);
    if (status != ZN_OK) free_contact(context, &builder->contacts[--builder->n_contacts]);
    return status;
}

zn_status zn_formula_model_build(zn_formula_model *builder, zn_model **model) {
    NEED_HANDLE(builder, HANDLE_FORMULA_MODEL);
    NEED(builder->context, model);
    *model = NULL;
    formula_system system = {0};
    zn_status status = formula_system_create(builder, &system);
    if (status == ZN_OK) status = formula_model_compile(builder->context, &system, model);
    formula_system_free(builder->context, &system);
    return status;
}
