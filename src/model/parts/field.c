/* SPDX-License-Identifier: Apache-2.0 */
/* A field of contacts: made with the model, queried between steps. An instance is a set of parameters for a kind, which is expressed and
 * compiled for its first candidate. */
#include "model/parts/field.h"

#include <stdio.h>

int contact_field_bodies(const contact_field *f) { return (int)f->kept->n_bodies; }
int contact_field_shapes(const contact_field *f) { return (int)f->n_shapes; }
int contact_field_body_of(const contact_field *f, int shape) { return f->shapes[shape].body; }
const char *contact_field_shape_name(const contact_field *f, int shape) { return f->shapes[shape].name; }

/* ---- making and destroying ---- */

static void free_rules(contact_field *f) {
    for (int i = 0; i < f->n_rules; i++) {
        mem_free(f->context, f->rules[i].name);
        mem_free(f->context, f->rules[i].except);
    }
    for (int i = 0; f->in_group && i < f->n_groups; i++) mem_free(f->context, f->in_group[i]);
    for (int i = 0; f->group_names && i < f->n_groups; i++) mem_free(f->context, f->group_names[i]);
    for (int i = 0; f->materials && i < f->n_materials; i++) mem_free(f->context, f->materials[i]);
    void *blocks[] = {f->rules, f->in_group, f->group_names, f->materials, f->laws, f->material_law, f->joined, f->declared};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(f->context, blocks[i]);
}

static void destroy_field(zn_context *context, contact_field *f) {
    if (!f) return;
    f->context = context;
    for (size_t i = 0; i < f->n_shapes; i++) {
        mem_free(context, f->shapes[i].name);
        mem_free(context, f->shapes[i].points);
        mem_free(context, f->shapes[i].triangles);
    }
    for (size_t i = 0; f->kept && i < f->kept->n_bodies; i++) {
        if (f->pose) model_free(context, f->pose[i]);
        if (f->pose_stand) parts_stand_free(context, &f->pose_stand[i]);
    }
    if (f->kinds) {
        for (size_t i = 0; i < f->kinds->count; i++) {
            model_free(context, f->kinds->items[i].model);
            mem_free(context, f->kinds->items[i].layout);
        }
        mem_free(context, f->kinds->items);
        pthread_mutex_destroy(&f->kinds->lock);
    }
    free_rules(f);
    parts_free(f->kept);
    void *blocks[] = {f->shapes, f->pose, f->pose_stand, f->kinds, f};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

static zn_status take_materials(contact_field *f, const zn_parts *parts) {
    if (!(f->materials = MEM_ARRAY(f->context, char *, parts->n_geometries))) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < parts->n_geometries; i++) {
        const char *name = parts->geometries[i].material;
        bool known = !name;
        for (int m = 0; m < f->n_materials && !known; m++) known = !strcmp(f->materials[m], name);
        if (!known && !(f->materials[f->n_materials++] = mem_text(f->context, name))) return ZN_ERROR_MEMORY;
    }
    return ZN_OK;
}

/* Errors of shapes are reported when the model is built, not by its first simulation. */
static zn_status check_shapes(zn_parts *parts, const contact_field *f) {
    collide_world *world = contact_field_world(f->context, f);
    if (!world) return parts_last_status(parts);
    collide_destroy(world);
    return ZN_OK;
}

zn_status parts_make_field(zn_parts *parts, zn_model *model) {
    zn_context *context = parts->context;
    contact_field *f = MEM_ARRAY(context, contact_field, 1);
    if (!f) return ZN_ERROR_MEMORY;
    f->context = context;
    f->kept = parts_keep(parts);
    if ((f->kinds = MEM_ARRAY(context, field_kinds, 1))) pthread_mutex_init(&f->kinds->lock, NULL);
    zn_status status = f->kept && f->kinds ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) status = take_materials(f, parts);
    if (status == ZN_OK) status = field_take_shapes(f, parts);
    if (status == ZN_OK) status = field_take_rules(f, parts);
    if (status == ZN_OK) status = field_take_poses(f);
    if (status == ZN_OK) status = check_shapes(parts, f);
    if (status == ZN_OK) contact_field_own(model, f, destroy_field);
    else destroy_field(context, f);
    return status;
}

/* ---- names ---- */

/* Whether a pair of shapes has at most one contact, whose name then needs no numbers of features. */
static bool is_single(const field_shape *s) {
    return s->shape.class == COLLIDE_SPHERE || s->shape.class == COLLIDE_ELLIPSOID || s->shape.class == COLLIDE_PLANE;
}

const char *contact_field_name(const contact_field *f, const collide_candidate *c, char *text, size_t room) {
    const field_shape *a = &f->shapes[c->shape[0]], *b = &f->shapes[c->shape[1]];
    if (is_single(a) && is_single(b)) snprintf(text, room, "%s/%s", a->name, b->name);
    else snprintf(text, room, "%s/%s.%d.%d", a->name, b->name, c->feature[0], c->feature[1]);
    return text;
}

const char *contact_field_shape_class(const contact_field *f, int shape) {
    const collide_shape *g = &f->shapes[shape].shape;
    return collide_class_word(g->class, g->planar);
}

int contact_field_rules(const contact_field *f) { return f->n_rules; }
int contact_field_rule_of(const contact_field *f, int a, int b) { return field_rule_of(f, a, b); }

static const char *set_name(const contact_field *f, parts_set set) {
    if (set.kind == SET_GROUP) return f->group_names[set.index];
    if (set.kind == SET_BODY) return f->kept->bodies[set.index].name;
    for (size_t i = 0; set.kind == SET_GEOMETRY && i < f->n_shapes; i++)
        if (f->shapes[i].geometry == set.index) return f->shapes[i].name;
    return "all";
}

const char *contact_field_rule_text(const contact_field *f, int i, char *text, size_t room) {
    const parts_rule *r = &f->rules[i];
    const field_law *law = &f->laws[i];
    int used = snprintf(text, room, "%s: %s", r->name, set_name(f, r->a));
    if (r->a.kind != r->b.kind || r->a.index != r->b.index)
        used += snprintf(text + used, room - (size_t)used, " and %s", set_name(f, r->b));
    if (r->n_except && (size_t)used < room)
        used += snprintf(text + used, room - (size_t)used, ", %d exception%s", r->n_except, r->n_except == 1 ? "" : "s");
    if (r->joined && r->a.kind != SET_GEOMETRY && (size_t)used < room)
        used += snprintf(text + used, room - (size_t)used, ", joined bodies too");
    if (!r->has_law && (size_t)used < room) used += snprintf(text + used, room - (size_t)used, ", laws of materials");
    const int planar = law->good[1];
    if (!r->has_law || (size_t)used >= room) return text;
    const zn_contact *c = &law->rows[planar].contact;
    used += snprintf(text + used, room - (size_t)used, ", restitution %g", c->e_N);
    for (int b = 0; b < c->n_balls && (size_t)used < room; b++)
        used += snprintf(text + used, room - (size_t)used, ", friction %g in %d dimension%s", law->rows[planar].balls[b].mu,
                         law->rows[planar].balls[b].dim, law->rows[planar].balls[b].dim == 1 ? "" : "s");
    return text;
}

/* ---- kinds ---- */

static bool is_same_kind(const field_kind *k, int variant, const int *moving, const parts_stand *stand) {
    return k->variant == variant && k->moving[0] == moving[0] && k->moving[1] == moving[1] && k->n_layout == stand->n_layout &&
           !memcmp(k->layout, stand->layout, (size_t)k->n_layout * sizeof *k->layout);
}

static zn_status add_kind(const contact_field *f, int variant, const int *bodies, const int *moving, const parts_stand *stand,
                          zn_model **kind) {
    zn_context *context = f->context;
    parts_piece piece = {.what = "contact",
                         .name = f->kept->bodies[bodies[0]].name,
                         .express = parts_express_pair,
                         .variant = variant,
                         .n_bodies = 2,
                         .bodies = (int[]){bodies[0], bodies[1]},
                         .rows = contact_rows(contact_unpack(variant)),
                         .n_parameters = CONTACT_NUMBERS};
    field_kinds *kinds = f->kinds;
    if (!mem_grow(context, (void **)&kinds->items, &kinds->capacity, kinds->count + 1, sizeof *kinds->items)) return ZN_ERROR_MEMORY;
    field_kind made = {.variant = variant, .n_layout = stand->n_layout, .moving = {moving[0], moving[1]}};
    if (!(made.layout = MEM_ARRAY(context, int, stand->n_layout))) return ZN_ERROR_MEMORY;
    memcpy(made.layout, stand->layout, (size_t)stand->n_layout * sizeof *made.layout);
    zn_status status = parts_express_kind(f->kept, &piece, stand->layout, &made.model);
    if (status != ZN_OK) {
        mem_free(context, made.layout);
        return status;
    }
    kinds->items[kinds->count++] = made;
    *kind = made.model;
    return ZN_OK;
}

static zn_status get_kind(const contact_field *f, int variant, const int *bodies, const parts_stand *stand, zn_model **kind) {
    int moving[2];
    for (int i = 0; i < 2; i++) moving[i] = body_is_moving(f->kept->bodies[bodies[i]].kind) ? bodies[i] : -1;
    pthread_mutex_lock(&f->kinds->lock);
    *kind = NULL;
    for (size_t i = 0; i < f->kinds->count && !*kind; i++)
        if (is_same_kind(&f->kinds->items[i], variant, moving, stand)) *kind = f->kinds->items[i].model;
    zn_status status = *kind ? ZN_OK : add_kind(f, variant, bodies, moving, stand, kind);
    pthread_mutex_unlock(&f->kinds->lock);
    return status;
}

/* ---- instances ---- */

/* The frame of the tangents: see contact_frame. A pole is kept until the normal is more than 120 degrees away from it. */
static void choose_frame(const collide_candidate *c, bool planar, const double *pole, contact_variant *v, contact_numbers *numbers) {
    const double turned = -0.5; /* cosine */
    v->frame = planar ? CONTACT_PLANAR : CONTACT_TURNED;
    if (planar) return;
    if (v->surface == FEATURE_PLANE) {
        v->frame = CONTACT_FIXED;
        contact_tangent_of_plane(numbers->b_axis, numbers->reference);
    } else if (v->touching == FEATURE_LINE) v->frame = CONTACT_BETWEEN;
    else if (v->surface == FEATURE_CYLINDER || v->surface == FEATURE_LINE) v->frame = CONTACT_AXIS;
    else if (pole && vec3_dot(vec3_from(pole), vec3_from(c->n)) > turned) {
        memcpy(numbers->pole, pole, sizeof numbers->pole);
        memcpy(numbers->reference, pole + 3, sizeof numbers->reference);
    } else { /* the current normal: the frame follows it without turning about it, in any orientation of the scene */
        memcpy(numbers->pole, c->n, sizeof numbers->pole);
        contact_tangent_of_plane(c->n, numbers->reference);
    }
}

static bool has_velocity(const double *v) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

static void where(const contact_field *f, const parts_stand *stand, int *q, int *u) {
    for (int h = 0; h < stand->n_holders; h++) {
        const parts_body *b = &f->kept->bodies[stand->holders[h]];
        for (int i = 0; i < body_nq(b->kind); i++) *q++ = b->q + i;
        for (int i = 0; i < body_nu(b->kind); i++) *u++ = b->u + i;
    }
}

/* Numbers of the contact, then those of its bodies (sections). */
static zn_status make_part(zn_context *context, const contact_field *f, const collide_candidate *c, zn_model *kind,
                           const contact_numbers *numbers, const parts_stand *stand, zn_contact contact, zn_model **part) {
    double values[CONTACT_NUMBERS + 4 * SKETCH_MOST_NUMBERS * SKETCH_MOST_CARRIERS];
    char name[256];
    memcpy(values, numbers, sizeof *numbers);
    if ((size_t)stand->n_numbers > sizeof values / sizeof *values - CONTACT_NUMBERS)
        return fail(context, ZN_ERROR_UNSUPPORTED, "the bodies of contact '%s' depend on too many nodes",
                    contact_field_name(f, c, name, sizeof name));
    if (stand->n_numbers) memcpy(values + CONTACT_NUMBERS, stand->numbers, (size_t)stand->n_numbers * sizeof *values);
    contact.name = contact_field_name(f, c, name, sizeof name);
    contact.scale = numbers->scale;
    return formula_model_instance(context, kind, values, NULL, 1, &contact, NULL, part);
}

zn_status contact_field_instance(zn_context *context, const contact_field *f, const collide_candidate *c, const double *pole,
                                 double *pole_out, zn_model **part, int *q, int *u) {
    const int bodies[2] = {f->shapes[c->shape[0]].body, f->shapes[c->shape[1]].body};
    const bool planar = f->shapes[c->shape[0]].shape.planar;
    int rule = field_rule_of(f, c->shape[0], c->shape[1]);
    const field_law *law = rule < 0 ? NULL : field_law_of(f, rule, c->shape[0], c->shape[1]);
    char name[256];
    *part = NULL;
    if (!law || !law->good[planar])
        return fail(context, ZN_ERROR_INTERNAL, "the shapes of contact '%s' have no rule", contact_field_name(f, c, name, sizeof name));
    if (!contact_is_known(c->of[0].kind, c->of[1].kind))
        return fail(context, ZN_ERROR_UNSUPPORTED, "the contact '%s' is between features (%d and %d) whose gap is not supported",
                    contact_field_name(f, c, name, sizeof name), (int)c->of[0].kind, (int)c->of[1].kind);
    contact_variant v = law->rows[planar].variant;
    contact_numbers numbers = law->rows[planar].numbers;
    zn_contact contact = law->rows[planar].contact;
    contact.balls = law->rows[planar].balls;
    v.touching = c->of[0].kind, v.surface = c->of[1].kind;
    v.belt = has_velocity(c->of[0].velocity) || has_velocity(c->of[1].velocity);
    contact_set_features(&numbers, &c->of[0], &c->of[1]);
    if (v.touching == FEATURE_LINE) numbers.b_side = c->side;
    else if (numbers.b_side == 0) numbers.b_side = 1;
    choose_frame(c, planar, pole, &v, &numbers);
    contact_note_centres(&v, &numbers);
    if (pole_out) {
        memcpy(pole_out, numbers.pole, sizeof numbers.pole);
        memcpy(pole_out + 3, numbers.reference, sizeof numbers.reference);
    }
    parts_stand stand;
    zn_model *kind = NULL;
    zn_status status = parts_stand_make(f->kept, 2, bodies, &stand);
    if (status == ZN_OK) status = get_kind(f, contact_pack(v), bodies, &stand, &kind);
    if (status == ZN_OK && kind->size.nq > CONTACT_FIELD_MOST)
        status = fail(context, ZN_ERROR_UNSUPPORTED, "a contact depends on more than %d coordinates", CONTACT_FIELD_MOST);
    if (status == ZN_OK) status = make_part(context, f, c, kind, &numbers, &stand, contact, part);
    if (status == ZN_OK) where(f, &stand, q, u);
    parts_stand_free(f->context, &stand);
    return status;
}
