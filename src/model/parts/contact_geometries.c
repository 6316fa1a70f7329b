/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of the builder: geometries on frames, and laws between materials. */
#include "base/nearest.h"
#include "model/parts/contact_builder.h"

#include <stdio.h>

/* ---- geometries ---- */

zn_geometry_def zn_default_geometry_def(void) { return (zn_geometry_def){0}; }

static void put(const parts_frame *frame, const double *from, bool move, double *to) {
    vec3 v = mat3_apply(&frame->rotation, vec3_from(from));
    vec3_store(move ? vec3_add(v, frame->position) : v, to);
}

static void free_geometry(zn_context *context, parts_geometry *g) {
    void *blocks[] = {g->name, g->material, g->points, g->formula.text, g->formula.file};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

void parts_free_contacts(zn_parts *parts) {
    zn_context *context = parts->context;
    for (size_t i = 0; i < parts->n_geometries; i++) free_geometry(context, &parts->geometries[i]);
    for (size_t i = 0; i < parts->n_material_pairs; i++) {
        mem_free(context, parts->material_pairs[i].a);
        mem_free(context, parts->material_pairs[i].b);
    }
    mem_free(context, parts->geometries);
    mem_free(context, parts->material_pairs);
}

/* The shape in K. The points are copied. */
static zn_status place_shape(zn_parts *parts, const zn_geometry_def *def, const parts_frame *frame, parts_geometry *g) {
    geometry *s = &g->shape;
    *s = (geometry){.type = def->type, .radius = def->radius, .length = def->length, .n_points = def->n_points};
    memcpy(s->size, def->size, sizeof s->size);
    const double *a = def->axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), axis[3] = {0};
    for (int i = 0; i < 3 && length > 0; i++) axis[i] = a[i] / length;
    put(frame, def->centre, true, s->centre);
    put(frame, axis, false, s->axis);
    put(frame, def->surface_velocity, false, s->surface_velocity);
    for (int j = 0; j < 3; j++) vec3_store(mat3_column(&frame->rotation, j), s->axes + 3 * j);
    if (def->n_points > 0 && !(g->points = MEM_ARRAY(parts->context, double, 3 * (size_t)def->n_points))) return ZN_MEMORY;
    for (int i = 0; i < def->n_points; i++) put(frame, def->points + 3 * i, true, g->points + 3 * i);
    s->points = g->points;
    return ZN_OK;
}

static bool is_finite(const zn_geometry_def *def) {
    double sum = def->radius + def->length;
    for (int i = 0; i < 3; i++) sum += def->centre[i] + def->size[i] + def->axis[i] + def->surface_velocity[i];
    for (int i = 0; i < 3 * def->n_points; i++) sum += def->points[i];
    return isfinite(sum);
}

/* The world has shapes of both sorts; which one is decided by what they touch. */
static bool check_shape(const geometry *shape, body_kind kind, const char **why) {
    if (kind == BODY_WORLD) return geometry_check(shape, true, why) || geometry_check(shape, false, why);
    return geometry_check(shape, body_is_planar(kind), why);
}

static int find_geometry(const zn_parts *parts, const char *name) {
    for (size_t i = 0; i < parts->n_geometries; i++)
        if (!strcmp(parts->geometries[i].name, name)) return (int)i;
    return -1;
}

zn_status zn_parts_geometry(zn_parts *parts, const zn_geometry_def *def, zn_geometry *handle) {
    if (handle) *handle = (zn_geometry){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, def);
    zn_context *context = parts->context;
    if (!def->name || !*def->name) return fail(context, ZN_ARGUMENT, "a geometry needs a name");
    if ((int)def->type < 0 || def->type >= ZN_GEOMETRY_TYPE_COUNT)
        return fail(context, ZN_ARGUMENT, "geometry '%.80s': unknown type %d", def->name, (int)def->type);
    if (def->n_points < 0 || (def->n_points > 0 && !def->points))
        return fail(context, ZN_ARGUMENT, "geometry '%.80s' has %d points%s", def->name, def->n_points,
                    def->n_points < 0 ? "" : ", but they are not given");
    if (!is_finite(def)) return fail(context, ZN_ARGUMENT, "geometry '%.80s' has a number that is not finite", def->name);
    char what[100];
    snprintf(what, sizeof what, "geometry '%.80s'", def->name);
    parts_frame *frame = parts_get_frame(parts, def->frame, what);
    if (!frame) return ZN_ARGUMENT;
    int known = find_geometry(parts, def->name);
    if (known >= 0 && !parts->geometries[known].implied)
        return fail(context, ZN_ARGUMENT, "there are two geometries named '%s'", def->name);
    const char *why;
    parts_geometry g = {.body = frame->body};
    zn_status status = parts->bodies[frame->body].kind == BODY_WORLD
                           ? ZN_OK
                           : parts_check_axes(parts, frame, NULL, "frame of the geometry", def->name);
    if (status == ZN_OK) status = place_shape(parts, def, frame, &g);
    if (status == ZN_OK && !check_shape(&g.shape, parts->bodies[frame->body].kind, &why))
        status = fail(context, ZN_ARGUMENT, "%s: %s", what, why);
    if (status == ZN_OK && def->type == ZN_GEOMETRY_SURFACE && !def->formula.text)
        status = fail(context, ZN_ARGUMENT, "%s is a curve or surface and needs a formula", what);
    if (status == ZN_OK) status = parts_keep_formula(parts, &g.formula, def->formula);
    g.name = mem_text(context, def->name);
    g.material = def->material ? mem_text(context, def->material) : NULL;
    if (status == ZN_OK &&
        (!g.name || (def->material && !g.material) ||
         !mem_grow(context, (void **)&parts->geometries, &parts->geometry_capacity, parts->n_geometries + 1, sizeof g)))
        status = ZN_MEMORY;
    if (status != ZN_OK) {
        free_geometry(context, &g);
        return status;
    }
    if (known >= 0)
        free_geometry(context, &parts->geometries[known]);
    else
        known = (int)parts->n_geometries++;
    parts->geometries[known] = g;
    if (handle) *handle = (zn_geometry){parts_stamp(parts, 'g'), known};
    return ZN_OK;
}

/* A solid cylinder touches with its two edges, tetrahedra and meshes with their corners. In the plane a sphere is a disk. */
zn_status parts_geometry_of_shape(zn_parts *parts, int body, const zn_shape_def *shape) {
    static const zn_geometry_type types[] = {
        [ZN_SPHERE] = ZN_GEOMETRY_SPHERE,   [ZN_BOX] = ZN_GEOMETRY_BOX,   [ZN_CYLINDER] = ZN_GEOMETRY_RING,
        [ZN_CAPSULE] = ZN_GEOMETRY_CAPSULE, [ZN_DISK] = ZN_GEOMETRY_RING, [ZN_TETRAHEDRON] = ZN_GEOMETRY_POINTS,
        [ZN_MESH] = ZN_GEOMETRY_POINTS};
    const parts_body *b = &parts->bodies[body];
    bool planar = body_is_planar(b->kind);
    if (find_geometry(parts, b->name) >= 0 || (int)shape->type <= ZN_NO_SHAPE || shape->type > ZN_MESH) return ZN_OK;
    zn_mass mass;
    zn_geometry_def def = zn_default_geometry_def();
    zn_status status = zn_shape_mass(parts->context, shape, 1, planar, &mass);
    if (status != ZN_OK) return status;
    def.name = b->name;
    def.frame = (zn_frame){parts_stamp(parts, 'f'), b->frame};
    def.type = planar && shape->type == ZN_DISK ? ZN_GEOMETRY_SPHERE : types[shape->type];
    def.radius = shape->radius;
    def.length = shape->type == ZN_CYLINDER || shape->type == ZN_CAPSULE ? shape->length : 0;
    memcpy(def.size, shape->size, sizeof def.size);
    if (planar) def.size[2] = 0;
    def.n_points = def.type == ZN_GEOMETRY_POINTS ? shape->n_points : 0;
    double *points = MEM_ARRAY(parts->context, double, 3 * (size_t)def.n_points);
    if (!points) return ZN_MEMORY;
    for (int i = 0; i < 3 * def.n_points; i++) points[i] = shape->points[i / 3][i % 3] - mass.center[i % 3];
    def.points = points;
    zn_geometry made;
    status = zn_parts_geometry(parts, &def, &made);
    if (status == ZN_OK) parts->geometries[made.index].implied = true;
    mem_free(parts->context, points);
    return status;
}

zn_status zn_parts_find_geometry(zn_parts *parts, const char *name, zn_geometry *handle) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, handle);
    *handle = (zn_geometry){0, 0};
    NEED(parts->context, name);
    int index = find_geometry(parts, name);
    *handle = (zn_geometry){index < 0 ? 0 : parts_stamp(parts, 'g'), index < 0 ? 0 : index};
    if (index >= 0) return ZN_OK;
    const char *nearest = NULL;
    for (size_t i = 0; i < parts->n_geometries && !nearest; i++)
        if (nearest_is_close(name, nearest_distance(name, parts->geometries[i].name))) nearest = parts->geometries[i].name;
    if (nearest)
        return fail(parts->context, ZN_ARGUMENT, "there is no geometry '%.60s' (did you mean '%s'?)", name, nearest);
    return fail(parts->context, ZN_ARGUMENT, "there is no geometry '%.60s'", name);
}

const parts_geometry *parts_get_geometry(zn_parts *parts, zn_geometry g, const char *name) {
    if (g.stamp == parts_stamp(parts, 'g') && g.index >= 0 && (size_t)g.index < parts->n_geometries)
        return &parts->geometries[g.index];
    fail(parts->context, ZN_ARGUMENT, "the contact '%s': %s", name,
         g.stamp ? "a geometry belongs to another builder" : "a geometry was never made (its handle is empty)");
    return NULL;
}

/* ---- materials ---- */

const zn_contact_law *parts_material_law(const zn_parts *parts, const char *a, const char *b) {
    for (size_t i = 0; a && b && i < parts->n_material_pairs; i++) {
        const parts_material_pair *m = &parts->material_pairs[i];
        if ((!strcmp(m->a, a) && !strcmp(m->b, b)) || (!strcmp(m->a, b) && !strcmp(m->b, a))) return &m->law;
    }
    return NULL;
}

zn_status zn_parts_material_pair(zn_parts *parts, const char *a, const char *b, const zn_contact_law *law) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, law);
    zn_context *context = parts->context;
    if (!a || !*a || !b || !*b) return fail(context, ZN_ARGUMENT, "a law between materials needs the names of both");
    if (parts_material_law(parts, a, b))
        return fail(context, ZN_ARGUMENT, "there are two laws between the materials '%s' and '%s'", a, b);
    parts_material_pair pair = {mem_text(context, a), mem_text(context, b), *law};
    if (pair.a && pair.b &&
        mem_grow(context, (void **)&parts->material_pairs, &parts->material_pair_capacity, parts->n_material_pairs + 1,
                 sizeof pair)) {
        parts->material_pairs[parts->n_material_pairs++] = pair;
        return ZN_OK;
    }
    mem_free(context, pair.a);
    mem_free(context, pair.b);
    return ZN_MEMORY;
}
