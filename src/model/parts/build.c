/* SPDX-License-Identifier: Apache-2.0 */
/* From the builder's lists to a model: kinds are drawn and compiled once, instances of them are assembled. */
#include "model/assembly.h"
#include "model/parts/builder.h"

#include <stdio.h>

/* ---- moving bodies ---- */

static zn_status draw_motion(zn_parts *parts, sketch *k, int index, const parts_body *b) {
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

zn_status parts_place_at_start(zn_parts *parts, int index, vec3 *r, mat3 *A) {
    const parts_body *b = &parts->bodies[index];
    *r = b->r;
    *A = b->kind == BODY_PLANAR    ? quat_matrix(quat_rotation((vec3){0, 0, 1}, b->angle))
         : b->kind == BODY_SPATIAL ? quat_matrix(b->p)
                                   : mat3_identity();
    if (!body_is_moving(b->kind)) return ZN_OK;
    sketch k;
    zn_status status = sketch_begin(parts->context, &k, 1, &b->kind, (zn_sizes){0}, 0);
    if (status != ZN_OK) return status;
    status = draw_motion(parts, &k, 0, b);
    if (status == ZN_OK) {
        const double start = 0;
        double position[3];
        for (int i = 0; i < 3; i++) {
            position[i] = expr_value(k.g, k.body[0].r.x[i], &start);
            for (int j = 0; j < 3; j++) A->m[i][j] = expr_value(k.g, k.body[0].A.column[j].x[i], &start);
        }
        *r = vec3_from(position);
    }
    sketch_free(&k);
    return status;
}

/* ---- kinds ---- */

static bool is_moved(const zn_parts *parts, const parts_piece *piece) {
    for (int i = 0; i < piece->n_bodies; i++)
        if (body_is_moving(parts->bodies[piece->bodies[i]].kind)) return true;
    return false;
}

static zn_status draw_kind(zn_parts *parts, const parts_piece *piece, const body_kind *kinds, zn_model **kind) {
    sketch k;
    zn_status status = sketch_begin(parts->context, &k, piece->n_bodies, kinds, piece->rows, piece->n_parameters);
    if (status != ZN_OK) return status;
    for (int i = 0; status == ZN_OK && i < piece->n_bodies; i++)
        if (body_is_moving(kinds[i])) status = draw_motion(parts, &k, i, &parts->bodies[piece->bodies[i]]);
    if (status == ZN_OK) status = piece->draw(parts, &k, piece);
    if (status == ZN_OK) return sketch_compile(&k, kind);
    sketch_free(&k);
    return status;
}

static const parts_kind *find_kind(const zn_parts *parts, const parts_kind *wanted) {
    for (size_t i = 0; i < parts->n_kinds; i++) {
        const parts_kind *k = &parts->kinds[i];
        bool same = k->draw == wanted->draw && k->variant == wanted->variant && k->n_bodies == wanted->n_bodies;
        for (int b = 0; same && b < k->n_bodies; b++) same = k->kinds[b] == wanted->kinds[b];
        if (same) return k;
    }
    return NULL;
}

/* The kind of a piece; *own: it is for this piece only, and the caller destroys it. */
static zn_status get_kind(zn_parts *parts, const parts_piece *piece, zn_model **kind, bool *own) {
    zn_context *context = parts->context;
    *own = piece->own_kind || piece->n_bodies > 2 || is_moved(parts, piece);
    parts_kind wanted = {piece->draw, piece->variant, piece->n_bodies, {BODY_WORLD, BODY_WORLD}, NULL};
    for (int i = 0; i < piece->n_bodies && i < 2; i++) wanted.kinds[i] = parts->bodies[piece->bodies[i]].kind;
    if (*own) {
        body_kind *kinds = MEM_ARRAY(context, body_kind, piece->n_bodies);
        if (!kinds) return ZN_MEMORY;
        for (int i = 0; i < piece->n_bodies; i++) kinds[i] = parts->bodies[piece->bodies[i]].kind;
        zn_status status = draw_kind(parts, piece, kinds, kind);
        mem_free(context, kinds);
        return status;
    }
    const parts_kind *known = find_kind(parts, &wanted);
    if (known) {
        *kind = known->model;
        return ZN_OK;
    }
    if (!mem_grow(context, (void **)&parts->kinds, &parts->kind_capacity, parts->n_kinds + 1, sizeof *parts->kinds))
        return ZN_MEMORY;
    zn_status status = draw_kind(parts, piece, wanted.kinds, kind);
    if (status != ZN_OK) return status;
    wanted.model = *kind;
    parts->kinds[parts->n_kinds++] = wanted;
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

static zn_status make_instance(zn_parts *parts, const parts_piece *piece, zn_model **model) {
    zn_context *context = parts->context;
    zn_model *kind;
    bool own;
    zn_status status = get_kind(parts, piece, &kind, &own);
    if (status != ZN_OK) return status;
    int rows = kind->size.ng + kind->size.ny;
    char **names = row_names(context, piece, rows);
    const zn_contact *contacts = piece->contact_formulas ? kind->contacts : piece->contacts;
    int n_contacts = piece->contact_formulas ? kind->size.n_contacts : piece->n_contacts;
    for (int i = 0; !piece->contact_formulas && i < n_contacts; i++)
        if (!piece->contacts[i].name) piece->contacts[i].name = piece->name;
    status = names ? formula_model_instance(context, kind, piece->parameters, (const char *const *)names, n_contacts,
                                            contacts, (const char *const *)piece->outputs, model)
                   : ZN_MEMORY;
    for (int i = 0; names && i < rows; i++) mem_free(context, names[i]);
    mem_free(context, names);
    if (own) zn_model_destroy(context, kind);
    return status;
}

static zn_status add_instance(zn_parts *parts, assembly *a, const parts_piece *piece, zn_model *model, bool kinematics) {
    zn_context *context = parts->context;
    int *q = MEM_ARRAY(context, int, model->size.nq), *u = MEM_ARRAY(context, int, model->size.nu), nq = 0, nu = 0;
    zn_status status = q && u ? ZN_OK : ZN_MEMORY;
    for (int i = 0; status == ZN_OK && i < piece->n_bodies; i++) {
        const parts_body *b = &parts->bodies[piece->bodies[i]];
        for (int k = 0; k < body_nq(b->kind); k++) q[nq++] = b->q + k;
        for (int k = 0; k < body_nu(b->kind); k++) u[nu++] = b->u + k;
    }
    if (status == ZN_OK)
        status = assembly_part(a, model, q, u, kinematics);
    else
        zn_model_destroy(context, model);
    const char *bodies[2] = {NULL, NULL};
    for (int i = 0; i < piece->n_bodies && i < 2; i++) bodies[i] = parts->bodies[piece->bodies[i]].name;
    if (status == ZN_OK) status = assembly_describe(a, piece->name, piece->what, bodies);
    mem_free(context, q);
    mem_free(context, u);
    return status;
}

static zn_status add_piece(zn_parts *parts, assembly *a, const parts_piece *piece) {
    zn_model *model = NULL;
    zn_status status = make_instance(parts, piece, &model);
    return status == ZN_OK ? add_instance(parts, a, piece, model, false) : status;
}

/* ---- bodies ---- */

static void normalise(const zn_model *model, double *q) {
    (void)model;
    quat p = quat_normalised(quat_from(q + 3));
    for (int i = 0; i < 4; i++) q[3 + i] = p.p[i];
}

static zn_status add_coordinates(assembly *a, parts_body *b) {
    double q[7] = {b->r.x, b->r.y, b->r.z, b->p.p[0], b->p.p[1], b->p.p[2], b->p.p[3]};
    double u[6] = {b->v.x, b->v.y, b->v.z, b->Omega.x, b->Omega.y, b->Omega.z};
    if (b->kind == BODY_PLANAR) q[2] = b->angle, u[2] = b->angle_rate;
    if (b->kind == BODY_SCALAR) q[0] = b->start, u[0] = b->velocity;
    char name[320];
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
    static const char *const what[] = {"world",        "particle",    "particle",    "planar body",
                                       "spatial body", "moving body", "moving body", "coordinate"};
    parts_body *b = &parts->bodies[index];
    const vec3 g = parts->gravity;
    double parameters[] = {
        b->mass,       g.x,           g.y,           g.z,           b->kind == BODY_PLANAR ? b->inertia[2] : b->inertia[0],
        b->inertia[1], b->inertia[2], b->inertia[3], b->inertia[4], b->inertia[5]};
    static const int count[] = {0, 4, 4, 5, 10, 0, 0, 0};
    parts_piece piece = {.what = what[b->kind],
                         .name = b->name,
                         .draw = parts_draw_body,
                         .n_bodies = 1,
                         .bodies = &index,
                         .n_parameters = count[b->kind],
                         .parameters = parameters};
    zn_model *model = NULL;
    zn_status status = add_coordinates(a, b);
    if (status == ZN_OK) status = make_instance(parts, &piece, &model);
    if (status != ZN_OK) return status;
    if (b->kind == BODY_SPATIAL) model->after_step = normalise;
    return add_instance(parts, a, &piece, model, true);
}

/* ---- the whole ---- */

/* Bodies have mass; free coordinates get theirs from energies. */
static zn_status check_mass(zn_context *context, const zn_model *model) {
    void *work = mem_array(context, model->work_bytes, 1);
    double *M = MEM_ARRAY(context, double, lin_nnz(&model->pattern.M));
    zn_status status = work && M ? ZN_OK : ZN_MEMORY;
    zn_point at = {.q = model->q_start, .u = model->u_start};
    if (status == ZN_OK && model->balance(model, work, &at, &(zn_balance){.M = M}))
        status = fail(context, ZN_MODEL, "the mass matrix cannot be evaluated at the start");
    const zn_pattern *p = &model->pattern.M;
    for (int j = 0; status == ZN_OK && j < model->size.nu; j++) {
        double mass = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] == j) mass = M[k];
        if (!(mass > 0) || !isfinite(mass))
            status = fail(context, ZN_MODEL, "'%s' has no positive mass at the start (%g): no kinetic energy uses it",
                          model->u_names[j], mass);
    }
    mem_free(context, work);
    mem_free(context, M);
    return status;
}

zn_status zn_parts_build(zn_parts *parts, zn_model **model) {
    zn_context *context = parts->context;
    *model = NULL;
    assembly *a = assembly_create(context);
    if (!a) return ZN_MEMORY;
    zn_status status = ZN_OK, one;
    for (size_t i = 0; status == ZN_OK && i < parts->n_bodies; i++)
        if (body_nq(parts->bodies[i].kind)) status = add_body(parts, a, (int)i);
    /* Formulas of several pieces may be wrong: all are told. */
    for (size_t i = 0; status != ZN_MEMORY && i < parts->n_pieces; i++)
        if ((one = add_piece(parts, a, &parts->pieces[i])) != ZN_OK && status == ZN_OK) status = one;
    if (status == ZN_OK) status = assembly_finish(a, model);
    assembly_destroy(a);
    if (status != ZN_OK) return status;
    status = check_mass(context, *model);
    if (status == ZN_OK) return ZN_OK;
    zn_model_destroy(context, *model);
    *model = NULL;
    return status;
}
