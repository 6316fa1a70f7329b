/* SPDX-License-Identifier: Apache-2.0 */
/* From the builder's lists to a model: kinds are expressed and compiled once, instances of them are assembled. */
#include "model/assembly.h"
#include "model/parts/joint.h"
#include "model/parts/rules.h"

#include <stdio.h>

/* ---- moving bodies ---- */

static zn_status express_motion(zn_parts *parts, sketch *k, int index, const parts_body *b) {
    evec r, axis;
    emat A0;
    expr angle;
    mat3 R = quat_matrix(b->p);
    const double n[3] = {b->motion->axis.x, b->motion->axis.y, b->motion->axis.z};
    zn_status status = parts_formula_of_time(parts, k, NULL, &b->motion->angle, &angle);
    for (int i = 0; i < 3 && status == ZN_OK; i++) {
        status = parts_formula_of_time(parts, k, NULL, &b->motion->position[i], &r.x[i]);
        axis.x[i] = sketch_constant(k, n[i]);
        for (int j = 0; j < 3; j++) A0.column[j].x[i] = sketch_constant(k, R.m[i][j]);
    }
    if (status == ZN_OK) sketch_move(k, index, r, angle, axis, A0);
    return status;
}

/* Coordinates at the start. */
static void start_of(const parts_body *b, double *q, double *u) {
    const double position[7] = {b->r.x, b->r.y, b->r.z, b->p.p[0], b->p.p[1], b->p.p[2], b->p.p[3]};
    const double velocity[6] = {b->v.x, b->v.y, b->v.z, b->Omega.x, b->Omega.y, b->Omega.z};
    memcpy(q, position, sizeof position);
    memcpy(u, velocity, sizeof velocity);
    if (b->kind == BODY_PLANAR) q[2] = b->angle, u[2] = b->angle_rate;
    if (body_is_number(b->kind) || b->kind == BODY_LINE) q[0] = b->start, u[0] = b->velocity;
}

/* Values of the variables of a sketch at the start: t = 0, coordinates of the holders, numbers. NULL: out of memory. */
static double *values_at_start(zn_parts *parts, const sketch *k, const parts_stand *stand) {
    double *values = MEM_ARRAY(parts->context, double, k->s.count), q[7], u[6];
    for (int h = 0; values && h < stand->n_holders; h++) {
        const parts_body *b = &parts->bodies[stand->holders[h]];
        start_of(b, q, u);
        memcpy(values + k->s.q + k->holder[h].q, q, (size_t)body_nq(b->kind) * sizeof *q);
        memcpy(values + k->s.u + k->holder[h].u, u, (size_t)body_nu(b->kind) * sizeof *u);
    }
    if (values && stand->n_numbers) memcpy(values + k->s.parameter, stand->numbers, (size_t)stand->n_numbers * sizeof *values);
    return values;
}

/* Evaluates the pose of a moving body or section at the start. */
static zn_status look_at_start(zn_parts *parts, int index, vec3 *r, mat3 *A, double *phi) {
    const parts_body *b = &parts->bodies[index];
    parts_stand stand;
    sketch k = {0};
    zn_status status = parts_stand_make(parts, 1, &index, &stand);
    if (status == ZN_OK) status = sketch_begin_on(parts->context, &k, stand.layout, (zn_sizes){0}, 0);
    bool begun = status == ZN_OK;
    if (status == ZN_OK && body_is_moving(b->kind)) status = express_motion(parts, &k, 0, b);
    double *values = status == ZN_OK ? values_at_start(parts, &k, &stand) : NULL;
    if (status == ZN_OK && !values) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        double position[3];
        for (int i = 0; i < 3; i++) {
            position[i] = expr_value(k.g, k.body[0].r.x[i], values);
            for (int j = 0; j < 3; j++) A->m[i][j] = expr_value(k.g, k.body[0].A.column[j].x[i], values);
        }
        *r = vec3_from(position);
        *phi = expr_value(k.g, k.body[0].phi, values);
    }
    mem_free(parts->context, values);
    if (begun) sketch_free(&k);
    parts_stand_free(parts->context, &stand);
    return status;
}

static zn_status pose_at_start(zn_parts *parts, int index, vec3 *r, mat3 *A, double *phi) {
    const parts_body *b = &parts->bodies[index];
    *r = b->r;
    *phi = b->kind == BODY_PLANAR ? b->angle : 0;
    *A = b->kind == BODY_PLANAR    ? quat_matrix(quat_rotation((vec3){0, 0, 1}, b->angle))
         : b->kind == BODY_SPATIAL ? quat_matrix(b->p)
                                   : mat3_identity();
    return body_is_moving(b->kind) || body_is_section(b->kind) ? look_at_start(parts, index, r, A, phi) : ZN_OK;
}

zn_status parts_place_at_start(zn_parts *parts, int index, vec3 *r, mat3 *A) {
    double phi;
    return pose_at_start(parts, index, r, A, &phi);
}

zn_status parts_angle_at_start(zn_parts *parts, int index, double *phi) {
    vec3 r;
    mat3 A;
    return pose_at_start(parts, index, &r, &A, phi);
}

/* ---- kinds ---- */

static bool is_moved(const zn_parts *parts, const parts_piece *piece) {
    for (int i = 0; i < piece->n_bodies; i++)
        if (body_is_moving(parts->bodies[piece->bodies[i]].kind)) return true;
    return false;
}

static zn_status express_condition(zn_parts *parts, sketch *k, const parts_piece *piece) {
    expr condition;
    zn_status status = parts_formula_of_time(parts, k, piece, piece->condition, &condition);
    if (status == ZN_OK) status = formula_check_condition(&k->s, parts->context, piece->condition, condition);
    if (status == ZN_OK) sketch_switch(k, condition);
    return status;
}

static bool has_rates(const zn_parts *parts, const parts_piece *piece) {
    for (int i = 0; i < piece->n_bodies; i++)
        if (body_has_rate(parts->bodies[piece->bodies[i]].kind)) return true;
    return false;
}

/* Rates of the states and kinematic coordinates among the bodies of a piece, which has those that the rates name, too. */
zn_status parts_express_rates(zn_parts *parts, sketch *k, const parts_piece *piece) {
    expr_scope scope;
    if (!has_rates(parts, piece)) return ZN_OK;
    zn_status all = parts_scope(parts, k, piece, 0, NULL, &scope);
    if (all != ZN_OK) return all;
    for (int i = 0; i < k->n_bodies; i++) {
        const parts_body *b = &parts->bodies[piece->bodies[i]];
        expr rate;
        if (!body_has_rate(b->kind)) continue;
        zn_status status = expr_parse(k->g, parts->context, &scope, formula_of(&b->rate), &rate);
        if (status == ZN_OK && b->kind == BODY_KINEMATIC && !formula_linear_in_u(&k->s, rate))
            status = formula_fail(parts->context, &b->rate, b->name, "%s' must be linear in the velocities", b->name);
        if (status == ZN_OK) sketch_state(k, &k->body[i], rate);
        if (all == ZN_OK) all = status;
    }
    parts_scope_free(parts, &scope);
    return all;
}

zn_status parts_express_kind(zn_parts *parts, const parts_piece *piece, const int *layout, zn_model **kind) {
    sketch k;
    zn_status status = sketch_begin_on(parts->context, &k, layout, piece->rows, piece->n_parameters);
    if (status != ZN_OK) return status;
    if (piece->own_kind && parts->machine) status = sketch_inputs(&k, parts->machine);
    for (int i = 0; status == ZN_OK && i < piece->n_bodies; i++)
        if (body_is_moving(k.body[i].kind)) status = express_motion(parts, &k, i, &parts->bodies[piece->bodies[i]]);
    if (status == ZN_OK) status = parts_express_rates(parts, &k, piece);
    if (status == ZN_OK) status = piece->express(parts, &k, piece);
    if (status == ZN_OK && piece->condition) status = express_condition(parts, &k, piece);
    if (status == ZN_OK) return sketch_compile(&k, kind);
    sketch_free(&k);
    return status;
}

static const parts_kind *find_kind(const zn_parts *parts, const parts_piece *piece, const parts_stand *stand) {
    for (size_t i = 0; i < parts->n_kinds; i++) {
        const parts_kind *k = &parts->kinds[i];
        if (k->express == piece->express && k->variant == piece->variant && k->n_layout == stand->n_layout &&
            !memcmp(k->layout, stand->layout, (size_t)k->n_layout * sizeof *k->layout))
            return k;
    }
    return NULL;
}

/* The kind of a piece; *own: it is for this piece only, and the caller destroys it. */
static zn_status get_kind(zn_parts *parts, const parts_piece *piece, const parts_stand *stand, zn_model **kind, bool *own) {
    zn_context *context = parts->context;
    *own = piece->own_kind || is_moved(parts, piece);
    if (*own) return parts_express_kind(parts, piece, stand->layout, kind);
    const parts_kind *known = find_kind(parts, piece, stand);
    if (known) {
        *kind = known->model;
        return ZN_OK;
    }
    if (!mem_grow(context, (void **)&parts->kinds, &parts->kind_capacity, parts->n_kinds + 1, sizeof *parts->kinds)) return ZN_ERROR_MEMORY;
    int *layout = MEM_ARRAY(context, int, stand->n_layout);
    if (!layout) return ZN_ERROR_MEMORY;
    memcpy(layout, stand->layout, (size_t)stand->n_layout * sizeof *layout);
    zn_status status = parts_express_kind(parts, piece, layout, kind);
    if (status != ZN_OK) {
        mem_free(context, layout);
        return status;
    }
    parts->kinds[parts->n_kinds++] = (parts_kind){piece->express, piece->variant, stand->n_layout, layout, *kind};
    return ZN_OK;
}

/* ---- instances ---- */

/* "pin" for one row, "pin.1", "pin.2" ... for several. NULL-terminated by count. */
static char **row_names(zn_context *context, const parts_piece *piece, int count) {
    char **names = MEM_ARRAY(context, char *, count);
    for (int i = 0; names && i < count; i++)
        if (!(names[i] = count == 1 ? mem_text(context, piece->name) : mem_format(context, "%s.%d", piece->name, i + 1))) {
            while (i-- > 0) mem_free(context, names[i]);
            mem_free(context, names);
            return NULL;
        }
    return names;
}

/* Values of all parameters: those of the piece, then the numbers of its bodies. */
static double *parameters_of(const zn_parts *parts, const parts_piece *piece, const parts_stand *stand) {
    size_t own = (size_t)piece->n_parameters, numbers = (size_t)stand->n_numbers;
    double *values = MEM_ARRAY(parts->context, double, own + numbers);
    if (values && own) memcpy(values, piece->parameters, own * sizeof *values);
    if (values && numbers) memcpy(values + own, stand->numbers, numbers * sizeof *values);
    if (values && piece->gravity) vec3_store(parts->gravity, values + piece->gravity - 1);
    return values;
}

static zn_status make_instance(zn_parts *parts, const parts_piece *piece, const parts_stand *stand, zn_model **model) {
    zn_context *context = parts->context;
    zn_model *kind;
    bool own;
    zn_status status = get_kind(parts, piece, stand, &kind, &own);
    if (status != ZN_OK) return status;
    double *parameters = parameters_of(parts, piece, stand);
    int rows = kind->size.ng + kind->size.ny;
    char **names = row_names(context, piece, rows);
    const zn_contact *contacts = piece->texts ? kind->contacts : piece->contacts;
    int n_contacts = piece->texts ? kind->size.n_contacts : piece->n_contacts;
    for (int i = 0; !piece->texts && i < n_contacts; i++)
        if (!piece->contacts[i].name) piece->contacts[i].name = piece->contact_name ? piece->contact_name : piece->name;
    status = names && parameters ? formula_model_instance(context, kind, parameters, (const char *const *)names, n_contacts, contacts,
                                                          (const char *const *)piece->outputs, model)
                                 : ZN_ERROR_MEMORY;
    mem_free(context, parameters);
    for (int i = 0; names && i < rows; i++) mem_free(context, names[i]);
    mem_free(context, names);
    if (own) model_free(context, kind);
    return status;
}

static zn_status add_instance(zn_parts *parts, assembly *a, const parts_piece *piece, const parts_stand *stand, zn_model *model,
                              bool kinematics) {
    zn_context *context = parts->context;
    int *q = MEM_ARRAY(context, int, model->size.nq), *u = MEM_ARRAY(context, int, model->size.nu), nq = 0, nu = 0;
    zn_status status = q && u ? ZN_OK : ZN_ERROR_MEMORY;
    for (int i = 0; status == ZN_OK && i < stand->n_holders; i++) {
        const parts_body *b = &parts->bodies[stand->holders[i]];
        for (int k = 0; k < body_nq(b->kind); k++) q[nq++] = b->q + k;
        for (int k = 0; k < body_nu(b->kind); k++) u[nu++] = b->u + k;
    }
    if (status == ZN_OK) status = assembly_part(a, model, q, u, kinematics);
    else model_free(context, model);
    const char *bodies[2] = {NULL, NULL};
    for (int i = 0; i < piece->n_bodies && i < 2; i++) bodies[i] = parts->bodies[piece->bodies[i]].name;
    if (status == ZN_OK) status = assembly_describe(a, piece->name, (assembly_words){piece->what, piece->fault}, piece->group, bodies);
    mem_free(context, q);
    mem_free(context, u);
    return status;
}

static void normalise(const zn_model *model, double t, double *q) {
    (void)model, (void)t;
    quat p = quat_normalised(quat_from(q + 3));
    for (int i = 0; i < 4; i++) q[3 + i] = p.p[i];
}

static zn_status add_standing(zn_parts *parts, assembly *a, const parts_piece *piece, bool kinematics) {
    zn_model *model = NULL;
    parts_stand stand;
    zn_status status = parts_stand_make(parts, piece->n_bodies, piece->bodies, &stand);
    if (status == ZN_OK) status = make_instance(parts, piece, &stand, &model);
    if (status == ZN_OK) {
        if (kinematics && parts->bodies[piece->bodies[0]].kind == BODY_SPATIAL) model->after_step = normalise;
        if (piece->after_step) model->after_step = piece->after_step;
        if (piece->after_step) status = parts_check_mark(parts->context, piece, model);
        if (status == ZN_OK) status = add_instance(parts, a, piece, &stand, model, kinematics);
        else model_free(parts->context, model);
    }
    parts_stand_free(parts->context, &stand);
    return status;
}

/* The bodies of a piece, and those that rates of its states name; states name others. */
static zn_status bodies_with_states(zn_parts *parts, const parts_piece *piece, int *count, int **bodies) {
    zn_status status = parts_bodies_of(parts, 0, NULL, piece->n_bodies, piece->bodies, count, bodies);
    for (int i = 0; status == ZN_OK && i < *count; i++) {
        const parts_body *b = &parts->bodies[(*bodies)[i]];
        if (!body_has_rate(b->kind)) continue;
        int *before = *bodies;
        zn_formula rate = formula_of(&b->rate);
        status = parts_bodies_of(parts, 1, &rate, *count, before, count, bodies);
        mem_free(parts->context, before);
    }
    return status;
}

/* The condition of a piece: that of its name, or of what it belongs to ("hinge" of "hinge.stops"). */
static const formula_text *condition_of(const zn_parts *parts, const parts_piece *piece) {
    const zn_machine *machine = parts->machine;
    for (size_t i = 0; machine && !piece->after_step && i < machine->n_switches; i++) {
        size_t length = strlen(machine->switches[i].name);
        if (!strncmp(machine->switches[i].name, piece->name, length) && (!piece->name[length] || piece->name[length] == '.'))
            return &machine->switches[i].condition;
    }
    return NULL;
}

static zn_status add_piece(zn_parts *parts, assembly *a, const parts_piece *piece, bool kinematics) {
    parts_piece switched = *piece;
    if (!kinematics && (switched.condition = condition_of(parts, piece))) switched.own_kind = true, piece = &switched;
    if (!has_rates(parts, piece)) return add_standing(parts, a, piece, kinematics);
    parts_piece wider = *piece;
    wider.own_kind = true;
    zn_status status = bodies_with_states(parts, piece, &wider.n_bodies, &wider.bodies);
    if (status == ZN_OK) status = add_standing(parts, a, &wider, kinematics);
    mem_free(parts->context, wider.bodies);
    return status;
}
/* ---- bodies ---- */

static zn_status add_coordinates(assembly *a, parts_body *b) {
    double q[7], u[6];
    char name[320];
    start_of(b, q, u);
    for (int i = 0; i < body_nq(b->kind); i++) {
        int index = assembly_coordinate(a, parts_q_name(b, i, name, sizeof name), q[i]);
        if (index < 0) return ZN_ERROR_MEMORY;
        if (i == 0) b->q = index;
    }
    for (int i = 0; i < body_nu(b->kind); i++) {
        int index = assembly_velocity(a, parts_u_name(b, i, name, sizeof name), u[i]);
        if (index < 0) return ZN_ERROR_MEMORY;
        if (i == 0) b->u = index;
        else if (i < body_axes(b->kind) || (i > 3 && b->kind == BODY_SPATIAL)) assembly_same_vector(a, index);
    }
    return ZN_OK;
}

static zn_status add_body(zn_parts *parts, assembly *a, int index) {
    static const char *const what[BODY_KIND_COUNT] = {"world",       "particle",   "particle", "planar body", "spatial body", "moving body",
                                                      "moving body", "coordinate", "",         "mark",        "state",        "coordinate",
                                                      "velocity"};
    static const int count[BODY_KIND_COUNT] = {0, 4, 4, 5, 10};
    parts_body *b = &parts->bodies[index];
    const vec3 g = parts->gravity;
    double parameters[] = {
        b->mass,       g.x,           g.y,           g.z,           b->kind == BODY_PLANAR ? b->inertia[2] : b->inertia[0],
        b->inertia[1], b->inertia[2], b->inertia[3], b->inertia[4], b->inertia[5]};
    parts_piece piece = {.what = b->is_node ? "node" : what[b->kind],
                         .name = b->name,
                         .express = parts_express_body,
                         .variant = b->is_node,
                         .n_bodies = 1,
                         .bodies = &index,
                         .n_parameters = b->is_node ? 0 : count[b->kind],
                         .parameters = parameters,
                         .group = b->group};
    return add_piece(parts, a, &piece, true);
}

/* States that stand beside each other are one part, which costs less than one for each. Their number; its variant says it, too. */
static int count_states(const zn_parts *parts, size_t first) {
    enum { MOST_JOINED = 32 }; /* a part has the bodies that its rates name */
    int n = 0;
    while (n < MOST_JOINED && first + (size_t)n < parts->n_bodies && parts->bodies[first + (size_t)n].kind == BODY_STATE) n++;
    return n;
}

static zn_status add_states(zn_parts *parts, assembly *a, int first, int count) {
    int *bodies = MEM_ARRAY(parts->context, int, count);
    const parts_body *b = &parts->bodies[first];
    char *name = count > 1 ? mem_format(parts->context, "%s .. %s", b->name, b[count - 1].name) : mem_text(parts->context, b->name);
    for (int i = 0; bodies && i < count; i++) bodies[i] = first + i;
    parts_piece piece = {.what = count > 1 ? "states" : "state",
                         .name = name,
                         .express = parts_express_body,
                         .variant = count,
                         .n_bodies = count,
                         .bodies = bodies,
                         .group = b->group};
    zn_status status = name && bodies ? add_piece(parts, a, &piece, true) : ZN_ERROR_MEMORY;
    mem_free(parts->context, name);
    mem_free(parts->context, bodies);
    return status;
}

/* ---- the whole ---- */

/* Every switch has something to switch. */
static zn_status check_switches(zn_parts *parts) {
    for (size_t k = 0; parts->machine && k < parts->machine->n_switches; k++) {
        machine_switch *item = &parts->machine->switches[k];
        bool found = false;
        for (size_t i = 0; i < parts->n_pieces && !found; i++) found = condition_of(parts, &parts->pieces[i]) == &item->condition;
        item->rule = found ? 0 : 1 + parts_find_rule(parts, item->name);
        if (!found && !item->rule)
            return formula_fail(parts->context, &item->condition, item->name,
                                "there is no joint, force, constraint or contact '%s' to switch", item->name);
    }
    return ZN_OK;
}

static bool switches_rows(const zn_parts *parts) {
    for (size_t i = 0; i < parts->n_pieces; i++)
        if (parts->pieces[i].rows.ng + parts->pieces[i].rows.ny > 0 && condition_of(parts, &parts->pieces[i])) return true;
    return false;
}

static zn_status build(zn_parts *parts, zn_model **model);

/* Probes are pieces of this model only: the builder may build again. */
zn_status parts_build(zn_parts *parts, zn_model **model) {
    if (parts->alone) return zn_formula_model_build(parts->alone, model);
    size_t own = parts->n_pieces;
    zn_status status = check_switches(parts);
    if (status == ZN_OK) status = parts_add_probes(parts);
    if (status == ZN_OK) status = build(parts, model);
    parts_drop_pieces(parts, own);
    return status;
}

static zn_status build(zn_parts *parts, zn_model **model) {
    zn_context *context = parts->context;
    assembly *a = assembly_create(context);
    if (!a) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK, one;
    for (size_t i = 0; status == ZN_OK && i < parts->n_bodies; i++)
        if (body_is_held(parts->bodies[i].kind)) status = add_coordinates(a, &parts->bodies[i]);
    for (size_t i = 0, n; status == ZN_OK && i < parts->n_bodies; i += n ? n : 1)
        if ((n = (size_t)count_states(parts, i))) status = add_states(parts, a, (int)i, (int)n);
        else if (body_is_held(parts->bodies[i].kind)) status = add_body(parts, a, (int)i);
    /* Formulas of several pieces may be wrong: all are reported. */
    for (size_t i = 0; status != ZN_ERROR_MEMORY && i < parts->n_pieces; i++)
        if (status != ZN_OK && parts->pieces[i].express == parts_express_contact_place)
            continue; /* it would only repeat what is wrong with the contact */
        else if ((one = add_piece(parts, a, &parts->pieces[i], false)) != ZN_OK && status == ZN_OK) status = one;
    if (status == ZN_OK) status = assembly_finish(a, model);
    assembly_destroy(a);
    if (status != ZN_OK) return status;
    machine_plan *machine;
    status = machine_freeze(parts->machine, &machine);
    if (machine) machine->switches_rows = switches_rows(parts);
    if (machine) assembly_set_machine(*model, machine);
    if (status == ZN_OK) status = machine_resolve(parts->machine, machine, *model);
    machine_release(context, machine);
    if (status == ZN_OK) status = model_check_start(context, *model);
    if (status == ZN_OK && parts->n_rules) status = parts_make_field(parts, *model);
    if (status == ZN_OK) return ZN_OK;
    model_free(context, *model);
    *model = NULL;
    return status;
}
