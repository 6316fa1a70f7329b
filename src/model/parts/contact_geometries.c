/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of the builder: geometries on frames, and laws between materials. */
#include "base/nearest.h"
#include "model/parts/contact_builder.h"
#include "model/parts/rules.h"

#include <stdio.h>

/* ---- height fields ---- */

/* z over the points of the grid, by a formula of x and y in the frame. */
static zn_status sample_heights(zn_parts *parts, const zn_geometry_def *def, double *heights) {
    enum { X, Y, VARIABLES };
    expr_name *names = MEM_ARRAY(parts->context, expr_name, parts->n_parameters + VARIABLES);
    expr_graph *graph = expr_graph_create(parts->context);
    zn_status status = names && graph ? ZN_OK : ZN_ERROR_MEMORY;
    expr z = EXPR_NONE;
    expr_tape *tape = NULL;
    if (status == ZN_OK) {
        names[X] = (expr_name){"x", expr_variable(graph, X)}, names[Y] = (expr_name){"y", expr_variable(graph, Y)};
        for (size_t i = 0; i < parts->n_parameters; i++)
            names[VARIABLES + i] = (expr_name){parts->parameters[i].name, expr_constant(graph, parts->parameters[i].value)};
        status = expr_parse(graph, parts->context, &(expr_scope){.count = (int)parts->n_parameters + VARIABLES, .names = names},
                            def->formula, &z);
    }
    if (status == ZN_OK && !(tape = expr_compile(graph, parts->context, VARIABLES, 1, &(expr_section){1, &z}))) status = ZN_ERROR_MEMORY;
    double *registers = tape ? MEM_ARRAY(parts->context, double, expr_tape_registers(tape) + VARIABLES) : NULL;
    if (tape && !registers) status = ZN_ERROR_MEMORY;
    for (int j = 0; j < def->grid[1] && status == ZN_OK; j++)
        for (int i = 0; i < def->grid[0] && status == ZN_OK; i++) {
            const double at[VARIABLES] = {def->size[0] * ((double)i / (def->grid[0] - 1) - 0.5),
                                          def->size[1] * ((double)j / (def->grid[1] - 1) - 0.5)};
            double *to = &heights[(size_t)i + (size_t)j * (size_t)def->grid[0]];
            expr_tape_run(tape, registers, at, 1, &to);
            if (!isfinite(*to))
                status = fail(parts->context, ZN_ERROR_MODEL, "the height field '%.80s' has no finite height at x = %g, y = %g", def->name,
                              at[X], at[Y]);
        }
    mem_free(parts->context, registers);
    if (tape) expr_tape_destroy(parts->context, tape);
    if (graph) expr_graph_destroy(graph);
    mem_free(parts->context, names);
    return status;
}

/* ---- geometries ---- */

zn_geometry_def zn_default_geometry_def(void) { return (zn_geometry_def){0}; }

static void put(const parts_frame *frame, const double *from, bool move, double *to) {
    vec3 v = mat3_apply(&frame->rotation, vec3_from(from));
    vec3_store(move ? vec3_add(v, frame->position) : v, to);
}

static void free_geometry(zn_context *context, parts_geometry *g) {
    void *blocks[] = {g->name, g->material, g->points, g->triangles, g->heights, g->formula.text, g->formula.file};
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

/* What a shape has beside numbers is copied; points go to K. */
static zn_status copy_lists(zn_parts *parts, const zn_geometry_def *def, const parts_frame *frame, parts_geometry *g) {
    geometry *s = &g->shape;
    const size_t points = (size_t)def->n_points, triangles = (size_t)def->n_triangles, cells = (size_t)def->grid[0] * (size_t)def->grid[1];
    if (points && !(g->points = MEM_ARRAY(parts->context, double, 3 * points))) return ZN_ERROR_MEMORY;
    if (triangles && !(g->triangles = MEM_ARRAY(parts->context, int, 3 * triangles))) return ZN_ERROR_MEMORY;
    if (cells && !(g->heights = MEM_ARRAY(parts->context, double, cells))) return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < points; i++) {
        const double *p = def->points + 3 * i, moved[3] = {p[0] + def->centre[0], p[1] + def->centre[1], p[2] + def->centre[2]};
        put(frame, moved, true, g->points + 3 * i);
    }
    if (triangles) memcpy(g->triangles, def->triangles, 3 * triangles * sizeof *g->triangles);
    if (cells && def->heights) memcpy(g->heights, def->heights, cells * sizeof *g->heights);
    s->points = g->points, s->triangles = g->triangles, s->heights = g->heights;
    s->n_points = def->n_points, s->n_triangles = def->n_triangles, s->closed = def->closed;
    memcpy(s->grid, def->grid, sizeof s->grid);
    return cells && !def->heights ? sample_heights(parts, def, g->heights) : ZN_OK;
}

/* The shape in K. A cylinder with a length is a solid one, whose edges touch. */
static zn_status place_shape(zn_parts *parts, const zn_geometry_def *def, const parts_frame *frame, parts_geometry *g) {
    geometry *s = &g->shape;
    *s = (geometry){.type = def->type, .radius = def->radius, .length = def->length};
    if (def->type == ZN_GEOMETRY_CYLINDER && def->length > 0) s->type = ZN_GEOMETRY_RING;
    memcpy(s->size, def->size, sizeof s->size);
    const double *a = def->axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), axis[3] = {0};
    for (int i = 0; i < 3 && length > 0; i++) axis[i] = a[i] / length;
    put(frame, def->centre, true, s->centre);
    put(frame, axis, false, s->axis);
    put(frame, def->surface_velocity, false, s->surface_velocity);
    for (int j = 0; j < 3; j++) vec3_store(mat3_column(&frame->rotation, j), s->axes + 3 * j);
    return copy_lists(parts, def, frame, g);
}

/* Numbers of lists, and that they are there. */
static zn_status check_lists(zn_context *context, const zn_geometry_def *def) {
    enum { MOST_CELLS = 4 << 20 };
    if (def->n_points < 0 || (def->n_points > 0 && !def->points))
        return fail(context, ZN_ERROR_ARGUMENT, "geometry '%.80s' has %d points%s", def->name, def->n_points,
                    def->n_points < 0 ? "" : ", but they are not given");
    if (def->n_triangles < 0 || (def->n_triangles > 0 && !def->triangles))
        return fail(context, ZN_ERROR_ARGUMENT, "geometry '%.80s' has %d triangles%s", def->name, def->n_triangles,
                    def->n_triangles < 0 ? "" : ", but they are not given");
    if (def->type != ZN_GEOMETRY_HEIGHT_FIELD && (def->grid[0] || def->grid[1]))
        return fail(context, ZN_ERROR_ARGUMENT, "geometry '%.80s' has a grid, but is no height field", def->name);
    if (def->type != ZN_GEOMETRY_HEIGHT_FIELD) return ZN_OK;
    if (def->grid[0] < 2 || def->grid[1] < 2 || (long)def->grid[0] * def->grid[1] > MOST_CELLS)
        return fail(context, ZN_ERROR_ARGUMENT,
                    "the grid of the height field '%.80s' must have at least 2 x 2 points and at most %d in all, not %d x %d", def->name,
                    MOST_CELLS, def->grid[0], def->grid[1]);
    if (!def->heights == !def->formula.text)
        return fail(context, ZN_ERROR_ARGUMENT, "the height field '%.80s' needs either heights or a formula", def->name);
    return ZN_OK;
}

static bool is_finite(const zn_geometry_def *def) {
    double sum = def->radius + def->length;
    for (long i = 0; def->heights && i < (long)def->grid[0] * def->grid[1]; i++) sum += def->heights[i];
    for (int i = 0; i < 3; i++) sum += def->centre[i] + def->size[i] + def->axis[i] + def->surface_velocity[i];
    for (int i = 0; i < 3 * def->n_points; i++) sum += def->points[i];
    return isfinite(sum);
}

/* The world has shapes of both sorts; which one is decided by what they touch. An error is that of the sort that there are bodies for. */
static bool check_shape(const zn_parts *parts, const geometry *shape, body_kind kind, const char **why) {
    bool space = parts_have_bodies(parts, false);
    if (kind == BODY_WORLD) return geometry_check(shape, space, why) || geometry_check(shape, !space, why);
    return geometry_check(shape, body_is_planar(kind), why);
}

int parts_find_geometry(const zn_parts *parts, const char *name) { return names_find(&parts->geometry_names, 0, name, strlen(name)); }

zn_status zn_parts_geometry(zn_parts *parts, const zn_geometry_def *def, zn_geometry *handle) {
    if (handle) *handle = (zn_geometry){0, 0};
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED_DEF(parts->context, def);
    zn_context *context = parts->context;
    if (!def->name || !*def->name) return fail(context, ZN_ERROR_ARGUMENT, "a geometry needs a name");
    if ((int)def->type < 0 || def->type >= ZN_GEOMETRY_TYPE_COUNT)
        return fail(context, ZN_ERROR_ARGUMENT, "geometry '%.80s': unknown type %d", def->name, (int)def->type);
    zn_status status = check_lists(context, def);
    if (status != ZN_OK) return status;
    if (!is_finite(def)) return fail(context, ZN_ERROR_ARGUMENT, "geometry '%.80s' has a number that is not finite", def->name);
    char what[100];
    snprintf(what, sizeof what, "geometry '%.80s'", def->name);
    parts_frame *frame = parts_get_frame(parts, def->frame, what);
    if (!frame) return ZN_ERROR_ARGUMENT;
    int known = parts_find_geometry(parts, def->name);
    if (known >= 0 && !parts->geometries[known].implied)
        return fail(context, ZN_ERROR_ARGUMENT, "there are two geometries named '%s'", def->name);
    const char *why;
    parts_geometry g = {.body = frame->body};
    status =
        parts->bodies[frame->body].kind == BODY_WORLD ? ZN_OK : parts_check_axes(parts, frame, NULL, "frame of the geometry", def->name);
    if (status == ZN_OK) status = place_shape(parts, def, frame, &g);
    if (status == ZN_OK && !check_shape(parts, &g.shape, parts->bodies[frame->body].kind, &why))
        status = fail(context, ZN_ERROR_ARGUMENT, "%s: %s", what, why);
    if (status == ZN_OK && def->type == ZN_GEOMETRY_SURFACE && !def->formula.text)
        status = fail(context, ZN_ERROR_ARGUMENT, "%s is a curve or surface and needs a formula", what);
    if (status == ZN_OK && def->type == ZN_GEOMETRY_SURFACE) status = parts_keep_formula(parts, &g.formula, def->formula);
    g.name = mem_text(context, def->name);
    g.material = def->material ? mem_text(context, def->material) : NULL;
    if (status == ZN_OK && (!g.name || (def->material && !g.material) ||
                            !mem_grow(context, (void **)&parts->geometries, &parts->geometry_capacity, parts->n_geometries + 1, sizeof g)))
        status = ZN_ERROR_MEMORY;
    if (status != ZN_OK) {
        free_geometry(context, &g);
        return status;
    }
    if (known < 0 && !names_add(context, &parts->geometry_names, 0, g.name, (int)parts->n_geometries)) {
        free_geometry(context, &g);
        return ZN_ERROR_MEMORY;
    }
    if (known < 0) known = (int)parts->n_geometries++;
    else { /* the table holds the name that was there before */ char *same = g.name;
        g.name = parts->geometries[known].name, parts->geometries[known].name = same;
        free_geometry(context, &parts->geometries[known]);
    }
    parts->geometries[known] = g;
    if (handle) *handle = (zn_geometry){parts_stamp(parts, 'g'), known};
    return ZN_OK;
}

/* A solid cylinder is known by its edges. In the plane a sphere is a disk, and a capsule lies along x. K is in the centre of mass. */
zn_status parts_geometry_of_shape(zn_parts *parts, int body, const zn_shape_def *shape) {
    static const zn_geometry_type types[] = {ZN_GEOMETRY_POINT,
#define X(identifier, word, geometry, sentence) ZN_GEOMETRY_##geometry,
                                             ZN_SHAPE_LIST(X)
#undef X
    };
    const parts_body *b = &parts->bodies[body];
    bool planar = body_is_planar(b->kind);
    if (parts_find_geometry(parts, b->name) >= 0 || (int)shape->type <= ZN_SHAPE_NONE || shape->type >= ZN_SHAPE_TYPE_COUNT) return ZN_OK;
    zn_mass mass;
    zn_geometry_def def = zn_default_geometry_def();
    zn_status status = zn_shape_mass(parts->context, shape, 1, planar, &mass);
    if (status != ZN_OK) return status;
    def.name = b->name;
    def.frame = (zn_frame){parts_stamp(parts, 'f'), b->frame};
    def.type = planar && shape->type == ZN_SHAPE_DISK ? ZN_GEOMETRY_SPHERE : types[shape->type];
    def.radius = shape->radius;
    def.material = shape->material;
    bool has_length = shape->type == ZN_SHAPE_CYLINDER || shape->type == ZN_SHAPE_CAPSULE || shape->type == ZN_SHAPE_CONE;
    def.length = has_length ? shape->length : 0;
    if (planar && shape->type == ZN_SHAPE_CAPSULE) def.axis[0] = 1;
    memcpy(def.size, shape->size, sizeof def.size);
    if (planar) def.size[2] = 0;
    bool has_points = def.type == ZN_GEOMETRY_POLYHEDRON || def.type == ZN_GEOMETRY_MESH;
    def.n_points = has_points ? shape->n_points : 0;
    def.points = has_points ? shape->points[0] : NULL;
    def.n_triangles = def.type == ZN_GEOMETRY_MESH ? shape->n_triangles : 0;
    def.triangles = def.n_triangles ? shape->triangles[0] : NULL;
    for (int i = 0; i < 3 && has_points; i++) def.centre[i] = -mass.center[i];
    zn_geometry made;
    status = zn_parts_geometry(parts, &def, &made);
    if (status == ZN_OK) parts->geometries[made.index].implied = true;
    return status;
}

zn_status zn_parts_find_geometry(zn_parts *parts, const char *name, zn_geometry *handle) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, handle);
    *handle = (zn_geometry){0, 0};
    NEED(parts->context, name);
    int index = parts_find_geometry(parts, name);
    *handle = (zn_geometry){index < 0 ? 0 : parts_stamp(parts, 'g'), index < 0 ? 0 : index};
    if (index >= 0) return ZN_OK;
    const char *nearest = NULL;
    for (size_t i = 0; i < parts->n_geometries && !nearest; i++)
        if (nearest_is_close(name, nearest_distance(name, parts->geometries[i].name))) nearest = parts->geometries[i].name;
    if (nearest) return fail(parts->context, ZN_ERROR_ARGUMENT, "there is no geometry '%.60s' (did you mean '%s'?)", name, nearest);
    return fail(parts->context, ZN_ERROR_ARGUMENT, "there is no geometry '%.60s'", name);
}

const parts_geometry *parts_get_geometry(zn_parts *parts, zn_geometry g, const char *name) {
    if (g.stamp == parts_stamp(parts, 'g') && g.index >= 0 && (size_t)g.index < parts->n_geometries) return &parts->geometries[g.index];
    fail(parts->context, ZN_ERROR_ARGUMENT, "the contact '%s': %s", name,
         g.stamp ? "a geometry belongs to another builder" : "a geometry was never created (its handle is empty)");
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
    NEED_DEF(parts->context, law);
    zn_context *context = parts->context;
    if (!a || !*a || !b || !*b) return fail(context, ZN_ERROR_ARGUMENT, "a law between materials needs the names of both");
    if (parts_material_law(parts, a, b))
        return fail(context, ZN_ERROR_ARGUMENT, "there are two laws between the materials '%s' and '%s'", a, b);
    parts_material_pair pair = {mem_text(context, a), mem_text(context, b), *law};
    if (pair.a && pair.b &&
        mem_grow(context, (void **)&parts->material_pairs, &parts->material_pair_capacity, parts->n_material_pairs + 1, sizeof pair)) {
        parts->material_pairs[parts->n_material_pairs++] = pair;
        return ZN_OK;
    }
    mem_free(context, pair.a);
    mem_free(context, pair.b);
    return ZN_ERROR_MEMORY;
}
