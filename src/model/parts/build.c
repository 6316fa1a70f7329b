/* SPDX-License-Identifier: Apache-2.0 */
/* From the builder's lists to a model: kinds are expressed and compiled once, instances of them are assembled. */
#include "model/assembly.h"
#include "model/parts/builder.h"
#include "model/parts/picture.h"
#include "model/parts/rules.h"

#include <stdio.h>

/* ---- moving bodies ---- */

static zn_status express_motion(zn_parts *parts, sketch *k, int index, const parts_body *b) {
    evec r, axis;
    emat A0;
    expr angle;
    mat3 R = quat_matrix(b->p);
    const double n[3] = {b->motion->axis.x, b->motion->axis.y, b->motion->axis.z};
    zn_status status = parts_formula_of_time(parts, k, &b->motion->angle, &angle);
    for (int i = 0; i < 3 && status == ZN_OK; i++) {
        status = parts_formula_of_time(parts, k, &b->motion->position[i], &r.x[i]);
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
    if (b->kind == BODY_SCALAR || b->kind == BODY_LINE) q[0] = b->start, u[0] = b->velocity;
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
    if (values && stand->n_numbers)
        memcpy(values + k->s.parameter, stand->numbers, (size_t)stand->n_numbers * sizeof *values);
    return values;
}

zn_status parts_place_at_start(zn_parts *parts, int index, vec3 *r, mat3 *A) {
    const parts_body *b = &parts->bodies[index];
    *r = b->r;
    *A = b->kind == BODY_PLANAR    ? quat_matrix(quat_rotation((vec3){0, 0, 1}, b->angle))
         : b->kind == BODY_SPATIAL ? quat_matrix(b->p)
                                   : mat3_identity();
    if (!body_is_moving(b->kind) && !body_is_section(b->kind)) return ZN_OK;
    parts_stand stand;
    sketch k = {0};
    zn_status status = parts_stand_make(parts, 1, &index, &stand);
    if (status == ZN_OK) status = sketch_begin_on(parts->context, &k, stand.layout, (zn_sizes){0}, 0);
    bool begun = status == ZN_OK;
    if (status == ZN_OK && body_is_moving(b->kind)) status = express_motion(parts, &k, 0, b);
    double *values = status == ZN_OK ? values_at_start(parts, &k, &stand) : NULL;
    if (status == ZN_OK && !values) status = ZN_MEMORY;
    if (status == ZN_OK) {
        double position[3];
        for (int i = 0; i < 3; i++) {
            position[i] = expr_value(k.g, k.body[0].r.x[i], values);
            for (int j = 0; j < 3; j++) A->m[i][j] = expr_value(k.g, k.body[0].A.column[j].x[i], values);
        }
        *r = vec3_from(position);
    }
    mem_free(parts->context, values);
    if (begun) sketch_free(&k);
    parts_stand_free(parts->context, &stand);
    return status;
}

/* ---- kinds ---- */

static bool is_moved(const zn_parts *parts, const parts_piece *piece) {
    for (int i = 0; i < piece->n_bodies; i++)
        if (body_is_moving(parts->bodies[piece->bodies[i]].kind)) return true;
    return false;
}

zn_status parts_express_kind(zn_parts *parts, const parts_piece *piece, const int *layout, zn_model **kind) {
    sketch k;
    zn_status status = sketch_begin_on(parts->context, &k, layout, piece->rows, piece->n_parameters);
    if (status != ZN_OK) return status;
    for (int i = 0; status == ZN_OK && i < piece->n_bodies; i++)
        if (body_is_moving(k.body[i].kind)) status = express_motion(parts, &k, i, &parts->bodies[piece->bodies[i]]);
    if (status == ZN_OK) status = piece->express(parts, &k, piece);
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
    if (!mem_grow(context, (void **)&parts->kinds, &parts->kind_capacity, parts->n_kinds + 1, sizeof *parts->kinds))
        return ZN_MEMORY;
    int *layout = MEM_ARRAY(context, int, stand->n_layout);
    if (!layout) return ZN_MEMORY;
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
    const zn_contact *contacts = piece->contact_formulas ? kind->contacts : piece->contacts;
    int n_contacts = piece->contact_formulas ? kind->size.n_contacts : piece->n_contacts;
    for (int i = 0; !piece->contact_formulas && i < n_contacts; i++)
        if (!piece->contacts[i].name) piece->contacts[i].name = piece->name;
    status = names && parameters ? formula_model_instance(context, kind, parameters, (const char *const *)names, n_contacts,
                                                          contacts, (const char *const *)piece->outputs, model)
                                 : ZN_MEMORY;
    mem_free(context, parameters);
    for (int i = 0; names && i < rows; i++) mem_free(context, names[i]);
    mem_free(context, names);
    if (own) model_free(context, kind);
    return status;
}

static zn_status add_instance(zn_parts *parts, assembly *a, const parts_piece *piece, const parts_stand *stand,
                              zn_model *model, bool kinematics) {
    zn_context *context = parts->context;
    int *q = MEM_ARRAY(context, int, model->size.nq), *u = MEM_ARRAY(context, int, model->size.nu), nq = 0, nu = 0;
    zn_status status = q && u ? ZN_OK : ZN_MEMORY;
    for (int i = 0; status == ZN_OK && i < stand->n_holders; i++) {
        const parts_body *b = &parts->bodies[stand->holders[i]];
        for (int k = 0; k < body_nq(b->kind); k++) q[nq++] = b->q + k;
        for (int k = 0; k < body_nu(b->kind); k++) u[nu++] = b->u + k;
    }
    if (status == ZN_OK)
        status = assembly_part(a, model, q, u, kinematics);
    else
        model_free(context, model);
    const char *bodies[2] = {NULL, NULL};
    for (int i = 0; i < piece->n_bodies && i < 2; i++) bodies[i] = parts->bodies[piece->bodies[i]].name;
    if (status == ZN_OK) status = assembly_describe(a, piece->name, piece->what, piece->group, bodies);
    mem_free(context, q);
    mem_free(context, u);
    return status;
}

static void normalise(const zn_model *model, double *q) {
    (void)model;
    quat p = quat_normalised(quat_from(q + 3));
    for (int i = 0; i < 4; i++) q[3 + i] = p.p[i];
}

static zn_status add_piece(zn_parts *parts, assembly *a, const parts_piece *piece, bool kinematics) {
    zn_model *model = NULL;
    parts_stand stand;
    zn_status status = parts_stand_make(parts, piece->n_bodies, piece->bodies, &stand);
    if (status == ZN_OK) status = make_instance(parts, piece, &stand, &model);
    if (status == ZN_OK) {
        if (kinematics && parts->bodies[piece->bodies[0]].kind == BODY_SPATIAL) model->after_step = normalise;
        status = add_instance(parts, a, piece, &stand, model, kinematics);
    }
    parts_stand_free(parts->context, &stand);
    return status;
}

/* ---- bodies ---- */

static zn_status add_coordinates(assembly *a, parts_body *b) {
    double q[7], u[6];
    char name[320];
    start_of(b, q, u);
    for (int i = 0; i < body_nq(b->kind); i++) {
        int index = assembly_coordinate(a, parts_q_name(b, i, name, sizeof name), q[i]);
        if (index < 0) return ZN_MEMORY;
        if (i == 0) b->q = index;
    }
    for (int i = 0; i < body_nu(b->kind); i++) {
        int index = assembly_velocity(a, parts_u_name(b, i, name, sizeof name), u[i]);
        if (index < 0) return ZN_MEMORY;
        if (i == 0) b->u = index;
    }
    return ZN_OK;
}

static zn_status add_body(zn_parts *parts, assembly *a, int index) {
    static const char *const what[BODY_KIND_COUNT] = {"world",        "particle",    "particle",    "planar body",
                                                      "spatial body", "moving body", "moving body", "coordinate"};
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
    zn_status status = add_coordinates(a, b);
    return status == ZN_OK ? add_piece(parts, a, &piece, true) : status;
}

/* ---- the whole ---- */

static zn_status build(zn_parts *parts, zn_model **model) {
    zn_context *context = parts->context;
    assembly *a = assembly_create(context);
    if (!a) return ZN_MEMORY;
    zn_status status = parts->has_view ? parts_add_poses(parts) : ZN_OK, one;
    for (size_t i = 0; status == ZN_OK && i < parts->n_bodies; i++)
        if (body_nq(parts->bodies[i].kind)) status = add_body(parts, a, (int)i);
    /* Formulas of several pieces may be wrong: all are reported. */
    for (size_t i = 0; status != ZN_MEMORY && i < parts->n_pieces; i++)
        if (status != ZN_OK && parts->pieces[i].express == parts_express_contact_place)
            continue; /* it would only repeat what is wrong with the contact */
        else if ((one = add_piece(parts, a, &parts->pieces[i], false)) != ZN_OK && status == ZN_OK)
            status = one;
    if (status == ZN_OK) status = assembly_finish(a, model);
    assembly_destroy(a);
    if (status != ZN_OK) return status;
    status = model_check_start(context, *model);
    if (status == ZN_OK && parts->n_rules) status = parts_make_field(parts, *model);
    if (status == ZN_OK && parts->has_view) status = parts_set_drawing(parts, *model);
    if (status == ZN_OK) return ZN_OK;
    model_free(context, *model);
    *model = NULL;
    return status;
}

/* Poses of the view are pieces of this model only: the builder may build again. */
zn_status zn_parts_build(zn_parts *parts, zn_model **model) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, model);
    *model = NULL;
    size_t own = parts->n_pieces;
    zn_status status = build(parts, model);
    parts_drop_pieces(parts, own);
    return status;
}
