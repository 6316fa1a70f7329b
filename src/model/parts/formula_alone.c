/* SPDX-License-Identifier: Apache-2.0 */
/* A model from formulas alone: coordinates, velocities and states are numbers of a builder of parts, all formulas are the texts of one
 * piece on them, and the piece is the model. So formulas mean the same here and beside bodies (formula_express.c). Scenes say both by the
 * same words. */
#include "model/parts/formula_names.h"
#include "model/parts/formulas.h"

#include <stdio.h>

static void keep_first(zn_status *all, zn_status one) {
    if (*all == ZN_OK) *all = one;
}

/* ---- declarations ---- */

/* Errors of the builder of parts get the place of the text. */
static zn_status placed(zn_parts *parts, const formula_text *text, zn_status status) {
    error_place place = {.file = text->file, .line = text->line, .column = text->column, .time = NAN};
    if (status != ZN_OK) fail_add_place(parts->context, &place);
    return status;
}

/* The value of a formula over the parameters so far. */
static zn_status number(zn_parts *parts, const char *name, zn_formula formula, double *value) {
    formula_system s = {.graph = parts->numbers};
    formula_text text;
    if (!formula.text) return ZN_OK;
    expr_name *names = MEM_ARRAY(parts->context, expr_name, parts->n_parameters);
    zn_status status = parts_keep_formula(parts, &text, formula);
    if (!names || status != ZN_OK) status = ZN_ERROR_MEMORY;
    for (size_t i = 0; names && i < parts->n_parameters; i++)
        names[i] = (expr_name){parts->parameters[i].name, expr_constant(parts->numbers, parts->parameters[i].value)};
    expr_scope scope = {.count = (int)parts->n_parameters, .names = names};
    machine_scope(parts->machine, &scope);
    if (status == ZN_OK) status = formula_number(&s, parts->context, &scope, &text, 0, name, value);
    formula_text_free(parts->context, &text);
    mem_free(parts->context, names);
    return status;
}

zn_parts *parts_create_alone(zn_context *context) {
    zn_parts *parts = zn_parts_create(context);
    if (!parts || (parts->alone = zn_formula_model_create(context))) return parts;
    parts_free(parts);
    return NULL;
}

zn_status parts_say(zn_parts *parts, text_kind kind, const formula_said *said) {
    if (parts->alone) return formula_say(parts->alone, kind, said);
    const char *name = said->name;
    const bool starts = kind == TEXT_PARAMETER || kind == TEXT_COORDINATE || kind == TEXT_VELOCITY || kind == TEXT_STATE;
    double start = 0, rate = 0;
    zn_status status = starts ? number(parts, name, said->value, &start) : ZN_OK;
    if (status == ZN_OK && kind == TEXT_COORDINATE) status = number(parts, name, said->rate, &rate);
    if (status != ZN_OK) return status;
    switch (kind) {
    case TEXT_PARAMETER: return zn_parts_parameter(parts, name, start);
    case TEXT_COORDINATE: return zn_parts_coordinate(parts, name, start, rate);
    case TEXT_VELOCITY: return zn_parts_velocity(parts, name, start);
    case TEXT_KINEMATICS: return zn_parts_kinematics(parts, name, said->value);
    case TEXT_STATE: return parts_add_state(parts, name, start, said->rate);
    case TEXT_MASS: return zn_parts_mass(parts, name, said->second, said->value);
    case TEXT_FORCE: return zn_parts_generalised_force(parts, name, said->value);
    case TEXT_POSITION_CONSTRAINT: return zn_parts_position_constraint(parts, name, said->value);
    case TEXT_VELOCITY_CONSTRAINT: return zn_parts_velocity_constraint(parts, name, said->value);
    case TEXT_OUTPUT: return zn_parts_output(parts, name, said->value);
    case TEXT_KIND_COUNT: break;
    }
    return ZN_ERROR_INTERNAL;
}

static zn_status add_numbers(zn_parts *parts, const zn_formula_model *texts) {
    const bool natural = texts->velocities.count == 0;
    zn_status all = ZN_OK;
    for (int kind = TEXT_PARAMETER; kind <= TEXT_STATE; kind++)
        for (size_t i = 0; i < texts->lists[kind].count; i++) {
            const named_formula *item = &texts->lists[kind].items[i];
            formula_said said = {.name = item->name, .value = formula_of(&item->value)};
            if (kind == TEXT_STATE || natural) said.rate = formula_of(&item->velocity);
            keep_first(&all, placed(parts, &item->value, parts_say(parts, (text_kind)kind, &said)));
        }
    for (size_t i = 1; all == ZN_OK && texts->velocities.count && i < parts->n_bodies; i++)
        if (parts->bodies[i].kind == BODY_SCALAR)
            all = placed(parts, &texts->coordinates.items[i - 1].value,
                         fail(parts->context, ZN_ERROR_MODEL, "the coordinate '%s' has no kinematics: say what %s' is",
                              parts->bodies[i].name, parts->bodies[i].name));
    return all;
}

/* ---- names ---- */

static bool has(const formula_list *list, size_t before, const char *name) {
    for (size_t i = 0; i < before; i++)
        if (!strcmp(list->items[i].name, name)) return true;
    return false;
}

/* Names of rows and outputs, each once. */
static zn_status check_names(zn_parts *parts, const zn_formula_model *texts) {
    zn_status all = ZN_OK;
    for (size_t i = 0; i < texts->position.count + texts->velocity.count; i++) {
        bool position = i < texts->position.count;
        const named_formula *item = position ? &texts->position.items[i] : &texts->velocity.items[i - texts->position.count];
        if (has(&texts->position, position ? i : texts->position.count, item->name) ||
            (!position && has(&texts->velocity, i - texts->position.count, item->name)))
            keep_first(&all, formula_fail(parts->context, &item->value, item->name, "there are two constraints named '%s'", item->name));
    }
    for (size_t i = 0; i < texts->outputs.count; i++) {
        const named_formula *item = &texts->outputs.items[i];
        if (has(&texts->outputs, i, item->name) || formula_is_column(parts, item->name))
            keep_first(&all,
                       formula_fail(parts->context, &item->value, item->name, "the name '%s' of an output is already taken", item->name));
    }
    return all;
}

static bool put_text(zn_context *context, char **to, const char *name) { return (*to = mem_text(context, name)) != NULL; }

static bool put_list(zn_context *context, char **to, const formula_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (!put_text(context, &to[i], list->items[i].name)) return false;
    return true;
}

/* Names and starts of the whole, which parts of others do not have. */
static bool name_system(zn_parts *parts, const zn_formula_model *texts, const sketch *k, formula_system *s) {
    zn_context *context = parts->context;
    char text[320];
    s->q_names = MEM_ARRAY(context, char *, s->size.nq);
    s->u_names = MEM_ARRAY(context, char *, s->size.nu);
    s->bilateral_names = MEM_ARRAY(context, char *, s->size.ng + s->size.ny);
    s->output_names = MEM_ARRAY(context, char *, s->n_outputs);
    s->q_start = MEM_ARRAY(context, double, s->size.nq);
    s->u_start = MEM_ARRAY(context, double, s->size.nu);
    bool good = s->q_names && s->u_names && s->bilateral_names && s->output_names && s->q_start && s->u_start;
    for (int i = 0; good && i < k->n_bodies; i++) {
        const parts_body *b = &parts->bodies[1 + i];
        int nq = body_nq(b->kind), nu = body_nu(b->kind), q = k->body[i].q, u = k->body[i].u;
        if (nq) s->q_start[q] = b->start, good = good && put_text(context, &s->q_names[q], parts_q_name(b, 0, text, sizeof text));
        if (nu) s->u_start[u] = b->velocity, good = good && put_text(context, &s->u_names[u], parts_u_name(b, 0, text, sizeof text));
    }
    return good && put_list(context, s->bilateral_names, &texts->position) &&
           put_list(context, s->bilateral_names + s->size.ng, &texts->velocity) && put_list(context, s->output_names, &texts->outputs);
}

/* ---- parameters ---- */

/* Starts follow parameters, too. */
static zn_status follow_starts(zn_parts *parts, const zn_formula_model *texts, sketch *k) {
    formula_system *s = &k->s;
    zn_context *context = parts->context;
    const formula_list *lists[] = {&texts->coordinates, &texts->velocities};
    expr_name *names = MEM_ARRAY(context, expr_name, s->n_sources);
    zn_status status = names ? ZN_OK : ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < s->n_sources; i++) names[i] = (expr_name){texts->parameters.items[i].name, s->source_nodes[i]};
    expr_scope scope = {.count = s->n_sources, .names = names};
    machine_scope(parts->machine, &scope);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; status == ZN_OK && i < lists[kind]->count; i++) {
            const named_formula *item = &lists[kind]->items[i];
            int body = parts_find_body(parts, item->name, strlen(item->name));
            if (body < 1) continue;
            const sketch_body *at = &k->body[body - 1];
            bool coordinate = kind == 0, natural = coordinate && texts->velocities.count == 0;
            status = formula_start(s, context, &scope, &item->value, item->name, coordinate ? &s->q_start[at->q] : &s->u_start[at->u]);
            if (status == ZN_OK && natural) status = formula_start(s, context, &scope, &item->velocity, item->name, &s->u_start[at->u]);
        }
    mem_free(context, names);
    return status;
}

/* ---- the machine ---- */

/* The row that a switch is for. */
static int find_row(const zn_formula_model *texts, const formula_system *s, const char *name) {
    for (int i = 0; i < s->size.ng + s->size.ny; i++)
        if (!strcmp((i < s->size.ng ? &texts->position.items[i] : &texts->velocity.items[i - s->size.ng])->name, name)) return i;
    return -1;
}

static zn_status express_switch(zn_parts *parts, sketch *k, const zn_formula_model *texts, const machine_switch *item,
                                const expr_scope *scope) {
    formula_system *s = &k->s;
    expr condition;
    zn_status status = formula_parse(s, parts->context, scope, &item->condition, &condition);
    if (status == ZN_OK) status = formula_check_condition(s, parts->context, &item->condition, condition);
    int row = find_row(texts, s, item->name), contact = s->size.n_contacts;
    while (--contact >= 0 && strcmp(s->contacts[contact].name, item->name) != 0) continue;
    if (status == ZN_OK && row < 0 && contact < 0)
        status = formula_fail(parts->context, &item->condition, item->name, "there is no constraint or contact '%s' to switch", item->name);
    if (status != ZN_OK) return status;
    if (row >= 0) formula_switch_rows(s, condition, row, 1);
    if (contact >= 0) {
        const zn_contact *c = &s->contacts[contact];
        if (c->row_N >= 0) formula_switch_rows(s, condition, c->row_N, 1);
        formula_switch_rows(s, condition, c->row_F, c->nF);
    }
    return ZN_OK;
}

zn_status formula_express_machine(zn_parts *parts, sketch *k, const zn_formula_model *texts, const expr_scope *scope) {
    const zn_machine *machine = parts->machine;
    zn_status all = ZN_OK;
    for (int i = 0, n = machine_probe_count(machine); i < n; i++) {
        expr value;
        zn_status status = expr_parse(k->g, parts->context, scope, machine_probe(machine, i), &value);
        if (status == ZN_OK) sketch_probe(k, value);
        keep_first(&all, status);
    }
    for (size_t i = 0; machine && i < machine->n_switches; i++)
        keep_first(&all, express_switch(parts, k, texts, &machine->switches[i], scope));
    return all;
}

/* ---- accelerations and forces in outputs ---- */

/* VELOCITY', CONTACT.normal, CONTACT.friction, CONTACT.friction2: what the machine is asked for is a part of the name in the first case,
 * and the name in the others. */
static bool answer_of(const zn_parts *parts, const zn_formula_model *texts, const char *name, char *of, size_t room) {
    size_t length = strlen(name);
    const char *word = strrchr(name, '.');
    bool rate = name[length - 1] == '\'';
    char velocity[320];
    snprintf(of, room, "%.*s", (int)(rate ? length - 1 : length), name);
    for (size_t i = 1; rate && i < parts->n_bodies; i++)
        if (body_nu(parts->bodies[i].kind) && !strcmp(parts_u_name(&parts->bodies[i], 0, velocity, sizeof velocity), of)) return true;
    for (size_t i = 0; word && i < texts->n_contacts; i++)
        if (strlen(texts->contacts[i].name) == (size_t)(word - name) && !strncmp(texts->contacts[i].name, name, (size_t)(word - name)))
            return !strcmp(word, ".normal") || formula_is_friction(word + 1);
    return false;
}

/* Those that outputs name become values of the machine, which only outputs read (parts_scope). */
static zn_status add_answers(zn_parts *parts, zn_formula_model *texts) {
    zn_status status = ZN_OK;
    for (size_t i = 0; i < texts->outputs.count; i++) {
        const char *text = texts->outputs.items[i].value.text;
        char name[320], of[320];
        for (token t = {0}; status == ZN_OK && text && formula_next_name(text, &t, name, sizeof name);) {
            if (!answer_of(parts, texts, name, of, sizeof of)) continue;
            zn_machine *machine = zn_formula_machine(texts);
            status = machine ? machine_answer(machine, name, of) : ZN_ERROR_MEMORY;
        }
    }
    parts->machine = texts->machine;
    return status;
}

/* ---- the whole ---- */

static zn_status check_kind(const zn_formula_model *texts) {
    zn_context *context = texts->context;
    bool natural = texts->velocities.count == 0;
    if (!texts->coordinates.count) return fail(context, ZN_ERROR_MODEL, "the model has no coordinates");
    if (natural && texts->mass.count)
        return fail(context, ZN_ERROR_MODEL, "a mass matrix needs velocities and kinematics; a model without them is given by its energy");
    if (natural && !texts->kinetic.text) return fail(context, ZN_ERROR_MODEL, "the model has no kinetic energy");
    if (!natural && texts->kinetic.text)
        return formula_fail(context, &texts->kinetic, "kinetic",
                            "a model with velocities of its own has a mass matrix instead of a kinetic energy");
    return ZN_OK;
}

static zn_sizes count_rows(const zn_formula_model *texts) {
    zn_sizes rows = {.ng = (int)texts->position.count, .ny = (int)texts->velocity.count};
    for (size_t i = 0; i < texts->n_contacts; i++) {
        rows.nN += texts->contacts[i].gap.text != NULL;
        for (int l = 0; l < texts->contacts[i].n_laws; l++) rows.nF += texts->contacts[i].laws[l].n_slips;
    }
    return rows;
}

static zn_status express(zn_parts *parts, zn_formula_model *texts, const parts_piece *piece, sketch *k) {
    zn_status status = parts->machine ? sketch_inputs(k, parts->machine) : ZN_OK;
    k->s.moves = false; /* rates by the rule of the chain: of few coordinates they are shorter */
    if (status != ZN_OK) return status;
    expr_scope tables = {0};
    machine_scope(parts->machine, &tables);
    status = formula_sources(&k->s, parts->context, tables, &texts->parameters);
    if (status != ZN_OK) return status;
    status = check_names(parts, texts);
    zn_status rates = parts_express_rates(parts, k, piece);
    keep_first(&status, rates);
    /* Even when something is wrong, mistakes elsewhere are worth reporting; rows need q' to be known. */
    if (rates == ZN_OK) keep_first(&status, piece->express(parts, k, piece));
    if (k->failed || k->s.out_of_memory) return ZN_ERROR_MEMORY; /* outputs may be missing */
    if (status != ZN_OK) return status;
    return name_system(parts, texts, k, &k->s) ? follow_starts(parts, texts, k) : ZN_ERROR_MEMORY;
}

static zn_status build_whole(zn_parts *parts, zn_formula_model *texts, int *bodies, zn_model **model) {
    zn_context *context = parts->context;
    machine_plan *machine = NULL;
    parts_stand stand;
    sketch k;
    for (size_t i = 1; i < parts->n_bodies; i++) bodies[i - 1] = (int)i;
    const parts_piece piece = {.name = (char[]){"formulas"},
                               .express = parts_express_formulas,
                               .n_bodies = (int)parts->n_bodies - 1,
                               .bodies = bodies,
                               .rows = count_rows(texts),
                               .texts = texts,
                               .whole = true};
    zn_status status = parts_stand_make(parts, piece.n_bodies, bodies, &stand);
    if (status != ZN_OK) return status;
    status = sketch_begin_on(context, &k, stand.layout, piece.rows, 0);
    parts_stand_free(context, &stand);
    if (status != ZN_OK) return status;
    status = express(parts, texts, &piece, &k);
    if (status == ZN_OK) status = machine_freeze(parts->machine, &machine);
    if (machine) machine->switches_rows = k.s.switches_rows;
    if (status == ZN_OK) status = formula_model_compile(context, &k.s, machine, model);
    if (status == ZN_OK && (status = machine_resolve(parts->machine, machine, *model)) != ZN_OK) {
        model_free(context, *model);
        *model = NULL;
    }
    machine_release(context, machine);
    sketch_free(&k);
    return status;
}

zn_status zn_formula_model_build(zn_formula_model *texts, zn_model **model) {
    NEED_HANDLE(texts, HANDLE_FORMULA_MODEL);
    NEED(texts->context, model);
    *model = NULL;
    zn_status status = check_kind(texts);
    zn_parts *parts = zn_parts_create(texts->context);
    if (!parts) return ZN_ERROR_MEMORY;
    parts->machine = texts->machine;
    keep_first(&status, add_numbers(parts, texts));
    int *bodies = MEM_ARRAY(texts->context, int, parts->n_bodies);
    if (!bodies) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = add_answers(parts, texts);
    if (status == ZN_OK) status = build_whole(parts, texts, bodies, model);
    mem_free(texts->context, bodies);
    parts->machine = NULL; /* it is that of the texts */
    parts_free(parts);
    return status;
}
