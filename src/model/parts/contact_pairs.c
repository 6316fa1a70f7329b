/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of the builder: pairs of geometries become pieces, one for each corner or end. */
#include "model/parts/contact_builder.h"
#include "model/parts/rules.h"

/* ---- pairs ---- */

zn_contact_pair_def zn_default_contact_pair_def(void) { return (zn_contact_pair_def){0}; }

/* The formula of a surface in x, y, z that begin at variable `first`. */
static zn_status parse_surface(zn_parts *parts, sketch *k, const formula_text *text, bool planar, expr *f) {
    int first = contact_local(k);
    const expr_name locals[] = {
        {"x", expr_variable(k->g, first)}, {"y", expr_variable(k->g, first + 1)}, {"z", expr_variable(k->g, first + 2)}};
    expr_scope scope;
    zn_status status = parts_scope(parts, k, NULL, planar ? 2 : 3, locals, &scope);
    if (status != ZN_OK) return status;
    status = expr_parse(k->g, parts->context, &scope, formula_of(text), f);
    parts_scope_free(parts, &scope);
    /* The walk that expr_depends needs: that would say yes where memory is out. */
    if (status == ZN_OK && expr_substitute(k->g, *f, 0, 0, NULL) == EXPR_NONE) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK && expr_depends(k->g, *f, 0))
        status =
            formula_fail(parts->context, text, NULL, "the formula of a surface must not depend on t: give its body a prescribed motion");
    if (status == ZN_OK && !expr_depends_range(k->g, *f, first, planar ? 2 : 3))
        status = formula_fail(parts->context, text, NULL, "the formula of a surface depends on none of its coordinates x, y%s",
                              planar ? "" : ", z");
    return status;
}

zn_status parts_express_pair(zn_parts *parts, sketch *k, const parts_piece *piece) {
    contact_variant v = contact_unpack(piece->variant);
    expr f = EXPR_NONE;
    if (v.surface == FEATURE_SURFACE) {
        zn_status status = parse_surface(parts, k, &piece->formulas[0], v.frame == CONTACT_PLANAR, &f);
        if (status != ZN_OK) return status;
    }
    contact_express(k, &v, f);
    return ZN_OK;
}

zn_status parts_express_contact_place(zn_parts *parts, sketch *k, const parts_piece *piece) {
    contact_variant v = contact_unpack(piece->variant);
    bool planar = v.frame == CONTACT_PLANAR;
    expr f = EXPR_NONE;
    if (v.surface == FEATURE_SURFACE) {
        zn_status status = parse_surface(parts, k, &piece->formulas[0], planar, &f);
        if (status != ZN_OK) return status;
    }
    contact_sketch c = contact_express_geometry(k, &v, f);
    const evec *shown[] = {&c.c[0], &c.n, &c.t1};
    for (int i = 0; i < (planar ? 2 : 3); i++)
        for (int j = 0; j < (planar ? 2 : 3); j++) sketch_output(k, shown[i]->x[j]);
    return ZN_OK;
}

typedef struct pair_at_work {
    zn_parts *parts;
    const zn_contact_pair_def *def;
    const parts_geometry *touching, *surface;
    geometry shape_of_touching, shape_of_surface; /* with their axes */
    const zn_contact_law *law;
    bool planar;
} pair_at_work;

static geometry with_axis(const geometry *shape, bool planar) {
    geometry g = *shape;
    if (g.axis[0] == 0 && g.axis[1] == 0 && g.axis[2] == 0) memcpy(g.axis, g.axes + (planar ? 3 : 6), sizeof g.axis);
    return g;
}

/* Values of normal and relative velocity at the start. Moving bodies count as at rest: it is only a hint for the frame. */
static zn_status look_at_start(const pair_at_work *w, const contact_variant *v, const contact_numbers *numbers, double *n,
                               double *velocity) {
    zn_parts *parts = w->parts;
    sketch k;
    const int bodies[2] = {w->touching->body, w->surface->body};
    body_kind kinds[2];
    vec3 r[2];
    mat3 A[2];
    for (int i = 0; i < 2; i++) {
        zn_status placed = parts_place_at_start(parts, bodies[i], &r[i], &A[i]);
        if (placed != ZN_OK) return placed;
        kinds[i] = BODY_WORLD; /* then places are constants, which we set */
    }
    zn_status status = sketch_begin(parts->context, &k, 2, kinds, contact_rows(*v), CONTACT_NUMBERS);
    if (status != ZN_OK) return status;
    for (int i = 0; i < 2; i++) {
        const double origin[3] = {r[i].x, r[i].y, r[i].z};
        for (int a = 0; a < 3; a++) {
            k.body[i].r.x[a] = sketch_constant(&k, origin[a]);
            for (int b = 0; b < 3; b++) k.body[i].A.column[b].x[a] = sketch_constant(&k, A[i].m[a][b]);
        }
    }
    expr f = EXPR_NONE;
    if (v->surface == FEATURE_SURFACE) status = parse_surface(parts, &k, &w->surface->formula, w->planar, &f);
    double *values = MEM_ARRAY(parts->context, double, k.s.count + 3);
    if (status == ZN_OK && !values) status = ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        memcpy(values + k.s.parameter, numbers, sizeof *numbers);
        contact_sketch s = contact_express_geometry(&k, v, f);
        for (int i = 0; i < 3; i++) n[i] = expr_value(k.g, s.n.x[i], values);
        vec3_store(vec3_sub(parts->bodies[bodies[0]].v, parts->bodies[bodies[1]].v), velocity);
    }
    mem_free(parts->context, values);
    sketch_free(&k);
    return status;
}

/* Chooses t1: see zn_tangent. */
static zn_status choose_frame(const pair_at_work *w, contact_variant *v, contact_numbers *numbers) {
    zn_context *context = w->parts->context;
    const double *d = w->def->direction;
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    v->frame = CONTACT_PLANAR;
    if (w->planar && (length > 0 || w->def->tangent != ZN_TANGENT_DEFAULT))
        return fail(context, ZN_ERROR_ARGUMENT,
                    "the contact '%s' is in the plane, so its tangent follows from the normal and cannot be given", w->def->name);
    if (w->planar) return ZN_OK;
    if (!isfinite(length)) return fail(context, ZN_ERROR_ARGUMENT, "the tangent direction of the contact '%s' is not finite", w->def->name);
    if (w->def->tangent != ZN_TANGENT_DEFAULT && !(length > 0))
        return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s' needs a direction for its tangent", w->def->name);
    for (int i = 0; i < 3 && length > 0; i++) numbers->reference[i] = d[i] / length;
    switch (w->def->tangent) {
    case ZN_TANGENT_WORLD: v->frame = CONTACT_OF_WORLD; return ZN_OK;
    case ZN_TANGENT_TOUCHING: v->frame = CONTACT_OF_TOUCHING; return ZN_OK;
    case ZN_TANGENT_SURFACE: v->frame = CONTACT_OF_SURFACE; return ZN_OK;
    default: break;
    }
    if (length > 0)
        return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s' has a tangent direction, but does not say to which body it is fixed",
                    w->def->name);
    if (v->surface == FEATURE_PLANE) {
        v->frame = CONTACT_FIXED;
        contact_tangent_of_plane(numbers->b_axis, numbers->reference);
    } else if (v->surface == FEATURE_CYLINDER) {
        v->frame = CONTACT_AXIS;
    } else {
        v->frame = CONTACT_OF_WORLD; /* any, while the normal is asked for */
        double n[3], velocity[3];
        zn_status status = look_at_start(w, v, numbers, n, velocity);
        v->frame = CONTACT_TURNED;
        if (status != ZN_OK) return status;
        if (!isfinite(n[0] + n[1] + n[2])) n[0] = n[1] = 0, n[2] = 1; /* centres coincide at the start: reported as an overlap */
        contact_choose_pole(n, velocity, numbers->pole, numbers->reference);
    }
    return ZN_OK;
}

/* Fills the piece of one contact of the pair. */
static zn_status add_contact(const pair_at_work *w, int index, int count) {
    zn_parts *parts = w->parts;
    contact_numbers numbers = {0};
    contact_variant v = {.given_force = w->def->has_normal_force};
    zn_contact contact = {0};
    zn_ball balls[CONTACT_MOST_BALLS];
    feature a = geometry_touching(&w->shape_of_touching, w->planar, index), b = geometry_surface(&w->shape_of_surface, w->planar);
    if (!contact_is_known(a.kind, b.kind))
        return fail(parts->context, ZN_ERROR_INTERNAL, "the contact '%s' is between features (%d and %d) whose gap is not supported",
                    w->def->name, (int)a.kind, (int)b.kind);
    v.touching = a.kind, v.surface = b.kind;
    v.rounded = b.kind == FEATURE_SURFACE && a.radius > 0;
    v.belt = b.velocity[0] != 0 || b.velocity[1] != 0 || b.velocity[2] != 0;
    contact_set_features(&numbers, &a, &b);
    numbers.normal_force = contact.normal_force = w->def->has_normal_force ? w->def->normal_force : 0;
    zn_status status = contact_law_rows(parts->context, w->def->name, w->law, w->planar, &v, &numbers, &contact, balls);
    if (status == ZN_OK) status = choose_frame(w, &v, &numbers);
    if (status != ZN_OK) return status;
    contact_note_centres(&v, &numbers);
    char *name = count == 1 ? mem_text(parts->context, w->def->name) : mem_format(parts->context, "%s.%d", w->def->name, index + 1);
    if (!name) return ZN_ERROR_MEMORY;
    int bodies[2] = {w->touching->body, w->surface->body};
    bool edge = v.touching == FEATURE_RING && v.surface == FEATURE_PLANE;
    parts_piece shape = {.what = edge ? CONTACT_OF_RING : "contact",
                         .glyph = GLYPH_CONTACT,
                         .name = name,
                         .express = parts_express_pair,
                         .variant = contact_pack(v),
                         .own_kind = v.surface == FEATURE_SURFACE,
                         .n_bodies = 2,
                         .bodies = bodies,
                         .rows = contact_rows(v),
                         .n_parameters = CONTACT_NUMBERS,
                         .n_contacts = 1,
                         .n_balls = contact.n_balls,
                         .n_scales = contact.nF,
                         .n_formulas = v.surface == FEATURE_SURFACE};
    parts_piece *piece = parts_piece_begin(parts, &shape);
    mem_free(parts->context, name);
    if (!piece) return parts_last_status(parts);
    memcpy(piece->parameters, &numbers, sizeof numbers);
    memcpy(piece->balls, balls, (size_t)contact.n_balls * sizeof *balls);
    contact.name = NULL; /* that of the piece */
    contact.balls = piece->balls;
    memcpy(piece->scales, numbers.scale, (size_t)contact.nF * sizeof *piece->scales);
    contact.scale = piece->scales;
    piece->contacts[0] = contact;
    return v.surface == FEATURE_SURFACE ? parts_keep_formula(parts, &piece->formulas[0], formula_of(&w->surface->formula)) : ZN_OK;
}

/* The given law, else that of the materials, else (no materials) none: frictionless and inelastic. */
static zn_status choose_law(pair_at_work *w) {
    static const zn_contact_law smooth = {0};
    const char *a = w->touching->material, *b = w->surface->material;
    w->law = w->def->law ? w->def->law : !a || !b ? &smooth : parts_material_law(w->parts, a, b);
    if (w->law) return ZN_OK;
    return fail(w->parts->context, ZN_ERROR_MODEL, "the contact '%s' has no law, and no law is defined for the materials '%s' and '%s'",
                w->def->name, a, b);
}

/* Rules leave out what is declared. */
static zn_status declare(zn_parts *parts, int a, int b) {
    if (!mem_grow(parts->context, (void **)&parts->declared, &parts->declared_capacity, parts->n_declared + 1, sizeof *parts->declared))
        return ZN_ERROR_MEMORY;
    parts->declared[parts->n_declared][0] = a;
    parts->declared[parts->n_declared++][1] = b;
    return ZN_OK;
}

zn_status zn_parts_contact(zn_parts *parts, const zn_contact_pair_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    zn_context *context = parts->context;
    if (!def->name || !*def->name) return fail(context, ZN_ERROR_ARGUMENT, "a contact needs a name");
    if ((int)def->tangent < ZN_TANGENT_DEFAULT || def->tangent > ZN_TANGENT_SURFACE)
        return fail(context, ZN_ERROR_ARGUMENT, "the contact '%s': unknown choice %d of its tangent", def->name, (int)def->tangent);
    const parts_geometry *a = parts_get_geometry(parts, def->a, def->name), *b = a ? parts_get_geometry(parts, def->b, def->name) : NULL;
    if (!a || !b) return ZN_ERROR_ARGUMENT;
    if (a->body == b->body)
        return fail(context, ZN_ERROR_MODEL, "the contact '%s' is between two geometries of the same body '%s'", def->name,
                    parts->bodies[a->body].name);
    body_kind kind_a = parts->bodies[a->body].kind, kind_b = parts->bodies[b->body].kind;
    bool planar = body_is_planar(kind_a) && body_is_planar(kind_b);
    if (!body_is_free(kind_a) && !body_is_free(kind_b))
        return fail(context, ZN_ERROR_MODEL, "the contact '%s' is between two bodies that cannot move", def->name);
    if (def->has_normal_force && !(def->normal_force >= 0 && isfinite(def->normal_force)))
        return fail(context, ZN_ERROR_ARGUMENT, "the normal force of the contact '%s' must not be negative (%g)", def->name,
                    def->normal_force);
    const char *why = NULL;
    geometry shape_a = with_axis(&a->shape, planar), shape_b = with_axis(&b->shape, planar);
    if (!geometry_check(&shape_a, planar, &why) || !geometry_check(&shape_b, planar, &why))
        return fail(context, ZN_ERROR_MODEL, "the contact '%s': %s", def->name, why);
    int order = geometry_order(&shape_a, &shape_b, &why);
    if (!order && parts_can_collide(parts, a, planar) && parts_can_collide(parts, b, planar) && !def->has_normal_force && !def->tangent)
        return parts_rule_for_pair(parts, def->name, (int)(a - parts->geometries), (int)(b - parts->geometries), def->law);
    if (!order)
        return fail(context, ZN_ERROR_MODEL, "the contact '%s' between a %s and a %s is not supported: %s", def->name,
                    geometry_name(a->shape.type, planar), geometry_name(b->shape.type, planar), why);
    pair_at_work w = {parts, def, a, b, shape_a, shape_b, NULL, planar};
    if (order < 0) w = (pair_at_work){parts, def, b, a, shape_b, shape_a, NULL, planar};
    zn_status status = choose_law(&w);
    if (status == ZN_OK) status = declare(parts, (int)(a - parts->geometries), (int)(b - parts->geometries));
    int count = geometry_count(&w.shape_of_touching, planar);
    for (int i = 0; i < count && status == ZN_OK; i++) status = add_contact(&w, i, count);
    return status;
}
