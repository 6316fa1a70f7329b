/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries as shapes of collide: their frames have the axis of a shape as e_z (in the plane: of a capsule as e_x, of a line as e_y). */
#include "model/parts/field.h"

/* ---- which ones ---- */

static bool class_of(const geometry *g, collide_class *class) {
    switch (g->type) {
    case ZN_GEOMETRY_SPHERE: *class = COLLIDE_SPHERE; return true;
    case ZN_GEOMETRY_BOX: *class = COLLIDE_BOX; return true;
    case ZN_GEOMETRY_CAPSULE: *class = COLLIDE_CAPSULE; return true;
    case ZN_GEOMETRY_RING: *class = COLLIDE_CYLINDER; return g->length > 0;
    case ZN_GEOMETRY_ELLIPSOID: *class = COLLIDE_ELLIPSOID; return true;
    case ZN_GEOMETRY_PLANE: *class = COLLIDE_PLANE; return true;
    case ZN_GEOMETRY_CONE: *class = COLLIDE_CONE; return true;
    case ZN_GEOMETRY_POLYHEDRON: *class = COLLIDE_POLYHEDRON; return true;
    case ZN_GEOMETRY_MESH: *class = COLLIDE_MESH; return true;
    case ZN_GEOMETRY_HEIGHT_FIELD: *class = COLLIDE_HEIGHTS; return true;
    case ZN_GEOMETRY_RECTANGLE: *class = COLLIDE_RECTANGLE; return true;
    case ZN_GEOMETRY_SEGMENT: *class = COLLIDE_CAPSULE; return true;
    case ZN_GEOMETRY_POLYLINE: *class = COLLIDE_CHAIN; return true;
    case ZN_GEOMETRY_POINT: /* touch by declared contacts only */
    case ZN_GEOMETRY_POINTS:
    case ZN_GEOMETRY_HOLLOW_SPHERE:
    case ZN_GEOMETRY_CYLINDER:
    case ZN_GEOMETRY_HOLLOW_CYLINDER:
    case ZN_GEOMETRY_SURFACE:
    case ZN_GEOMETRY_TYPE_COUNT: break;
    }
    return false;
}

bool parts_have_bodies(const zn_parts *parts, bool planar) {
    for (size_t i = 1; i < parts->n_bodies; i++)
        if (!body_is_number(parts->bodies[i].kind) && body_is_planar(parts->bodies[i].kind) == planar) return true;
    return false;
}

bool parts_can_collide(const zn_parts *parts, const parts_geometry *g, bool planar) {
    collide_class class;
    const char *why;
    body_kind kind = parts->bodies[g->body].kind;
    if (!class_of(&g->shape, &class) || body_is_number(kind)) return false;
    if (kind != BODY_WORLD) return body_is_planar(kind) == planar;
    return parts_have_bodies(parts, planar) && geometry_check(&g->shape, planar, &why);
}

/* ---- frames ---- */

/* Columns x, y, z of a frame whose axis number `which` is `axis`. */
static void frame_along(vec3 axis, int which, bool planar, double *columns) {
    vec3 t1, t2;
    if (planar) t1 = (vec3){axis.y, -axis.x, 0}, t2 = (vec3){0, 0, 1}; /* e_y = axis: e_x = (y, -x) */
    else vec3_tangents(axis, &t1, &t2);
    vec3 column[3] = {t1, t2, axis};
    if (planar && which == 1) column[0] = t1, column[1] = axis, column[2] = t2;
    if (planar && which == 0) column[0] = axis, column[1] = (vec3){-axis.y, axis.x, 0}, column[2] = t2;
    for (int i = 0; i < 3; i++) vec3_store(column[i], columns + 3 * i);
}

static void place(const geometry *g, bool planar, collide_shape *s) {
    memcpy(s->centre, g->centre, sizeof s->centre);
    memcpy(s->axes, g->axes, sizeof s->axes);
    vec3 axis = vec3_from(g->axis);
    bool given = vec3_norm(axis) > 0;
    bool has_axis = s->class == COLLIDE_CAPSULE || s->class == COLLIDE_CYLINDER || s->class == COLLIDE_PLANE || s->class == COLLIDE_CONE ||
                    (s->class == COLLIDE_RECTANGLE && given);
    if (!has_axis) return;
    if (!given) axis = vec3_from(g->axes + (planar ? 3 : 6));
    frame_along(axis, !planar ? 2 : s->class == COLLIDE_CAPSULE ? 0 : 1, planar, s->axes);
}

/* Points are in K already. A segment is a capsule between its points. */
static void place_points(const geometry *g, bool planar, collide_shape *s) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(s->centre, 0, sizeof s->centre);
    memcpy(s->axes, identity, sizeof identity);
    if (g->type != ZN_GEOMETRY_SEGMENT) return;
    vec3 a = vec3_from(g->points), b = vec3_from(g->points + 3), along = vec3_sub(b, a);
    vec3_store(vec3_scale(0.5, vec3_add(a, b)), s->centre);
    s->size[0] = g->radius;
    s->size[1] = vec3_norm(along);
    frame_along(vec3_normalised(along), planar ? 0 : 2, planar, s->axes);
}

/* A polygon is counterclockwise for collide. */
static void turn_polygon(int n, double *points) {
    double area = 0;
    for (int i = 0; i < n; i++) {
        const double *a = points + 3 * i, *b = points + 3 * ((i + 1) % n);
        area += a[0] * b[1] - a[1] * b[0];
    }
    for (int i = 0, j = n - 1; area < 0 && i < j; i++, j--)
        for (int k = 0; k < 3; k++) {
            double keep = points[3 * i + k];
            points[3 * i + k] = points[3 * j + k];
            points[3 * j + k] = keep;
        }
}

static zn_status copy_lists(contact_field *f, const geometry *g, field_shape *to) {
    collide_shape *s = &to->shape;
    size_t doubles = g->type == ZN_GEOMETRY_HEIGHT_FIELD ? (size_t)g->grid[0] * (size_t)g->grid[1] : 3 * (size_t)g->n_points;
    const double *from = g->type == ZN_GEOMETRY_HEIGHT_FIELD ? g->heights : g->points;
    to->points = MEM_ARRAY(f->context, double, doubles);
    to->triangles = MEM_ARRAY(f->context, int, 3 * (size_t)g->n_triangles);
    if (!to->points || !to->triangles) return ZN_ERROR_MEMORY;
    if (doubles) memcpy(to->points, from, doubles * sizeof *from);
    if (g->n_triangles) memcpy(to->triangles, g->triangles, 3 * (size_t)g->n_triangles * sizeof *to->triangles);
    if (g->type == ZN_GEOMETRY_POLYHEDRON && s->planar) turn_polygon(g->n_points, to->points);
    s->points = to->points, s->triangles = to->triangles;
    s->n_points = g->n_points, s->n_triangles = g->n_triangles, s->closed = g->closed;
    memcpy(s->grid, g->grid, sizeof s->grid);
    return ZN_OK;
}

static void put_sizes(const geometry *g, collide_shape *s) {
    switch (s->class) {
    case COLLIDE_SPHERE:
    case COLLIDE_CAPSULE:
    case COLLIDE_CYLINDER:
    case COLLIDE_CONE: s->size[0] = g->radius, s->size[1] = g->length; break;
    case COLLIDE_PLANE: break;
    default:
        s->radius = g->radius;
        for (int i = 0; i < 3; i++) s->size[i] = g->size[i] * (s->class == COLLIDE_ELLIPSOID ? 0.5 : 1);
    }
}

static zn_status add_shape(contact_field *f, const zn_parts *parts, int index, bool planar) {
    const parts_geometry *g = &parts->geometries[index];
    zn_context *context = f->context;
    if (!mem_grow(context, (void **)&f->shapes, &f->shape_capacity, f->n_shapes + 1, sizeof *f->shapes)) return ZN_ERROR_MEMORY;
    field_shape *to = &f->shapes[f->n_shapes];
    *to = (field_shape){.name = mem_text(context, g->name), .geometry = index, .body = g->body, .material = -1};
    if (!to->name) return ZN_ERROR_MEMORY;
    f->n_shapes++;
    for (int m = 0; m < f->n_materials; m++)
        if (g->material && !strcmp(g->material, f->materials[m])) to->material = m;
    collide_shape *s = &to->shape;
    s->body = g->body, s->planar = planar;
    class_of(&g->shape, &s->class);
    place(&g->shape, planar, s);
    memcpy(s->velocity, g->shape.surface_velocity, sizeof s->velocity);
    put_sizes(&g->shape, s);
    if (g->shape.n_points) place_points(&g->shape, planar, s);
    return copy_lists(f, &g->shape, to);
}

/* A shape of the world that only fits the dimension without bodies would be left out silently. */
static zn_status check_world(const zn_parts *parts) {
    for (size_t i = 0; i < parts->n_geometries; i++) {
        const parts_geometry *g = &parts->geometries[i];
        collide_class class;
        const char *why = "it is one of the plane, where there is no body";
        if (parts->bodies[g->body].kind != BODY_WORLD || !class_of(&g->shape, &class)) continue;
        if (parts_can_collide(parts, g, true) || parts_can_collide(parts, g, false)) continue;
        geometry_check(&g->shape, !parts_have_bodies(parts, false), &why);
        error_place place = {.subject = g->name, .time = NAN};
        return fail_at(parts->context, ZN_ERROR_MODEL, &place, "geometry '%.80s' of the world can touch none of the bodies: %s", g->name,
                       why);
    }
    return ZN_OK;
}

zn_status field_take_shapes(contact_field *f, const zn_parts *parts) {
    zn_status status = check_world(parts);
    for (int planar = 0; planar < 2; planar++)
        for (size_t i = 0; i < parts->n_geometries && status == ZN_OK; i++)
            if (parts_can_collide(parts, &parts->geometries[i], planar)) status = add_shape(f, parts, (int)i, planar);
    return status;
}

/* ---- worlds ---- */

static bool may_meet(void *user, int a, int b) { return field_rule_of(user, a, b) >= 0; }

collide_world *contact_field_world(zn_context *context, const contact_field *f) {
    collide_world *world = collide_create(context);
    zn_status status = world ? ZN_OK : ZN_ERROR_MEMORY;
    for (size_t i = 0; i < f->n_shapes && status == ZN_OK; i++) {
        int index;
        status = collide_add(world, &f->shapes[i].shape, f->shapes[i].name, &index);
        if (status != ZN_OK) fail_add_place(context, &(error_place){.subject = f->shapes[i].name, .time = NAN});
    }
    if (status != ZN_OK) {
        if (world) collide_destroy(world);
        return NULL;
    }
    collide_filter(world, may_meet, (void *)(uintptr_t)f);
    return world;
}
