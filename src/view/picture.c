/* SPDX-License-Identifier: Apache-2.0 */
/* The drawing of a model from parts as JSON: docs/page.md has the format. Geometries become solids; a body that has none is drawn as
 * bars to its joints, a particle as a point. */
#include "view/picture.h"

#include "base/buffer.h"
#include "model/parts/contact_builder.h"
#include "model/parts/flexible.h"
#include "model/parts/joint.h"

enum { FRAME_NUMBERS = SKETCH_FRAME_PARAMETERS, MOST_POINTS = 64 };

typedef struct picture {
    zn_parts *parts;
    text_buffer d;
    bool planar;
    int n_items;
} picture;

/* ---- pieces of JSON ---- */

static void begin_item(picture *p, const char *name, const char *shape, int body) {
    buffer_put(&p->d, "%s{\"name\": ", p->n_items++ ? ",\n" : "");
    buffer_json(&p->d, name);
    buffer_put(&p->d, ", \"shape\": \"%s\"", shape);
    if (!body) return;
    buffer_put(&p->d, ", \"body\": ");
    buffer_json(&p->d, p->parts->bodies[body].name);
}

static void end_item(picture *p) { buffer_put(&p->d, "}"); }

static void member(picture *p, const char *name, double value) {
    buffer_put(&p->d, ", \"%s\": ", name);
    buffer_number(&p->d, value);
}

static void vector(picture *p, const char *name, int count, const double *values) {
    buffer_put(&p->d, ", \"%s\": ", name);
    buffer_numbers(&p->d, count, values);
}

/* A point fixed to a body, {"body": ..., "at": ...}. */
static void point_on(picture *p, const char *name, int body, const double *at) {
    buffer_put(&p->d, ", \"%s\": {", name);
    if (body) {
        buffer_put(&p->d, "\"body\": ");
        buffer_json(&p->d, p->parts->bodies[body].name);
        buffer_put(&p->d, ", ");
    }
    buffer_put(&p->d, "\"at\": ");
    buffer_numbers(&p->d, 3, at);
    buffer_put(&p->d, "}");
}

/* ---- bodies ---- */

static void put_columns(picture *p, const parts_body *b, int first, int count) {
    char name[320];
    buffer_put(&p->d, "[");
    for (int i = first; i < first + count; i++) {
        if (i > first) buffer_put(&p->d, ", ");
        buffer_json(&p->d, parts_q_name(b, i, name, sizeof name));
    }
    buffer_put(&p->d, "]");
}

static void put_body(picture *p, const parts_body *b) {
    buffer_json(&p->d, b->name);
    buffer_put(&p->d, ": {\"at\": ");
    const char *n = b->name;
    bool pose = picture_needs_pose(b->kind);
    if (pose && body_is_planar(b->kind))
        buffer_put(&p->d, "[\"view.body.%s.x\", \"view.body.%s.y\"], \"angle\": \"view.body.%s.phi\"", n, n, n);
    else if (pose) {
        buffer_put(&p->d, "[\"view.body.%s.x\", \"view.body.%s.y\", \"view.body.%s.z\"], \"axes\": [", n, n, n);
        for (int i = 1; i <= 6; i++) buffer_put(&p->d, "\"view.body.%s.a%d\"%s", n, i, i < 6 ? ", " : "]");
    } else if (b->kind == BODY_LINE) { /* r = p0 + x d */
        char name[320];
        parts_q_name(b, 0, name, sizeof name);
        for (int i = 0; i < 3; i++) {
            buffer_put(&p->d, "%s%.9g, %.9g, ", i ? ", [" : "[[", b->numbers[i], b->numbers[3 + i]);
            buffer_json(&p->d, name);
            buffer_put(&p->d, "]");
        }
        buffer_put(&p->d, "]");
    } else put_columns(p, b, 0, b->kind == BODY_PARTICLE_3D || b->kind == BODY_SPATIAL ? 3 : 2);
    if (b->kind == BODY_PLANAR) buffer_put(&p->d, ", \"angle\": \"%s.phi\"", n);
    if (b->kind == BODY_SPATIAL) {
        buffer_put(&p->d, ", \"rotation\": ");
        put_columns(p, b, 3, 4);
    }
    buffer_put(&p->d, "}");
}

static void put_bodies(picture *p) {
    bool first = true;
    buffer_put(&p->d, "\"bodies\": {");
    for (size_t i = 1; i < p->parts->n_bodies; i++) {
        if (body_is_number(p->parts->bodies[i].kind)) continue;
        if (!first) buffer_put(&p->d, ",\n");
        put_body(p, &p->parts->bodies[i]);
        first = false;
    }
    buffer_put(&p->d, "},\n");
}

/* ---- geometries ---- */

static bool is_point(const geometry *g) { return g->type == ZN_GEOMETRY_POINT || g->type == ZN_GEOMETRY_POINTS; }
static bool is_surface(const geometry *g) { return g->type == ZN_GEOMETRY_PLANE || g->type == ZN_GEOMETRY_SURFACE; }
/* Drawn as a net of triangles. */
static bool is_net(const geometry *g) {
    return g->type == ZN_GEOMETRY_HEIGHT_FIELD || g->type == ZN_GEOMETRY_RECTANGLE || g->type == ZN_GEOMETRY_CONE;
}
/* Drawn by points in K, not by a frame and sizes. */
static bool has_points(const geometry *g) { return is_net(g) || (g->n_points > 0 && g->type != ZN_GEOMETRY_POINTS); }
static bool is_round(const geometry *g) { return g->type == ZN_GEOMETRY_SPHERE; }

/* Axes as two columns. Shapes with an axis have it as z; a line has its normal as y; a capsule in the plane lies along x. */
static void put_axes(picture *p, const geometry *g) {
    double columns[6] = {g->axes[0], g->axes[1], g->axes[2], g->axes[3], g->axes[4], g->axes[5]};
    vec3 axis = vec3_from(g->axis), t1, t2;
    if (g->type != ZN_GEOMETRY_BOX && g->type != ZN_GEOMETRY_ELLIPSOID && g->type != ZN_GEOMETRY_SURFACE && vec3_norm(axis) > 0) {
        vec3_tangents(axis, &t1, &t2);
        if (p->planar) t1 = g->type == ZN_GEOMETRY_CAPSULE ? axis : (vec3){axis.y, -axis.x, 0};
        if (p->planar) t2 = (vec3){-t1.y, t1.x, 0};
        vec3_store(t1, columns);
        vec3_store(t2, columns + 3);
    }
    vector(p, "axes", 6, columns);
}

static const char *shape_name(const picture *p, const geometry *g) {
    static const char *const drawn_as[ZN_GEOMETRY_TYPE_COUNT] = {
        [ZN_GEOMETRY_POINTS] = "hull",       [ZN_GEOMETRY_POLYHEDRON] = "hull", [ZN_GEOMETRY_CONE] = "mesh",
        [ZN_GEOMETRY_HEIGHT_FIELD] = "mesh", [ZN_GEOMETRY_RECTANGLE] = "mesh",  [ZN_GEOMETRY_SEGMENT] = "polyline"};
    if (p->planar && g->type == ZN_GEOMETRY_POLYHEDRON) return "polygon";
    if (p->planar && g->type == ZN_GEOMETRY_PLANE) return "line";
    if (g->type == ZN_GEOMETRY_RING && g->length > 0) return "cylinder";
    if (p->planar && g->type == ZN_GEOMETRY_SPHERE) return "disk";
    return drawn_as[g->type] ? drawn_as[g->type] : geometry_name(g->type, false);
}

static void put_surface_formula(picture *p, const parts_geometry *g) {
    buffer_put(&p->d, ", \"formula\": ");
    buffer_json(&p->d, g->formula.text);
    buffer_put(&p->d, ", \"parameters\": {");
    for (size_t i = 0; i < p->parts->n_parameters; i++) {
        if (i) buffer_put(&p->d, ", ");
        buffer_json(&p->d, p->parts->parameters[i].name);
        buffer_put(&p->d, ": %.17g", p->parts->parameters[i].value);
    }
    buffer_put(&p->d, "}");
}

static void begin_list(picture *p, const char *name) { buffer_put(&p->d, ", \"%s\": [", name); }

/* A point of the frame of a shape, in K. */
static void put_corner(picture *p, const geometry *g, const vec3 axes[3], double a, double b, double c, bool first) {
    vec3 at = vec3_add_scaled(vec3_add_scaled(vec3_add_scaled(vec3_from(g->centre), a, axes[0]), b, axes[1]), c, axes[2]);
    double point[3];
    vec3_store(at, point);
    if (!first) buffer_put(&p->d, ", ");
    buffer_numbers(&p->d, 3, point);
}

/* A height field, a rectangle or a cone as a mesh. */
static void put_net(picture *p, const geometry *g) {
    enum { SIDES = 48 };
    const double pi = acos(-1.0);
    vec3 x = vec3_from(g->axes), y = vec3_from(g->axes + 3), z = vec3_from(g->axes + 6), axis = vec3_from(g->axis);
    if (g->type != ZN_GEOMETRY_HEIGHT_FIELD && vec3_norm(axis) > 0) z = axis, vec3_tangents(z, &x, &y);
    const vec3 axes[3] = {x, y, z};
    const bool cone = g->type == ZN_GEOMETRY_CONE, flat = g->type == ZN_GEOMETRY_RECTANGLE;
    const int nx = flat ? 2 : g->grid[0], ny = flat ? 2 : g->grid[1];
    begin_list(p, "points");
    for (int i = 0; !cone && i < nx * ny; i++)
        put_corner(p, g, axes, g->size[0] * ((double)(i % nx) / (nx - 1) - 0.5), g->size[1] * ((double)(i / nx) / (ny - 1) - 0.5),
                   flat ? 0 : g->heights[i], !i);
    if (cone) put_corner(p, g, axes, 0, 0, 0.75 * g->length, true), put_corner(p, g, axes, 0, 0, -0.25 * g->length, false);
    for (int i = 0; cone && i < SIDES; i++)
        put_corner(p, g, axes, g->radius * cos(2 * pi * i / SIDES), g->radius * sin(2 * pi * i / SIDES), -0.25 * g->length, false);
    buffer_put(&p->d, "]");
    begin_list(p, "triangles");
    for (int i = 0; cone && i < SIDES; i++) {
        int a = 2 + i, b = 2 + (i + 1) % SIDES;
        buffer_put(&p->d, "%s0, %d, %d, 1, %d, %d", i ? ", " : "", a, b, b, a);
    }
    for (int i = 0; !cone && i < (nx - 1) * (ny - 1); i++) {
        int a = i % (nx - 1) + i / (nx - 1) * nx, b = a + 1, c = a + nx, d = c + 1;
        buffer_put(&p->d, "%s%d, %d, %d, %d, %d, %d", i ? ", " : "", a, b, d, a, d, c);
    }
    buffer_put(&p->d, "]");
}

static void put_points(picture *p, const geometry *g) {
    if (is_net(g)) {
        put_net(p, g);
        return;
    }
    begin_list(p, "points");
    for (int i = 0; i < g->n_points + g->closed; i++) {
        if (i) buffer_put(&p->d, ", ");
        buffer_numbers(&p->d, p->planar ? 2 : 3, g->points + 3 * (i % g->n_points));
    }
    buffer_put(&p->d, "]");
    if (g->type != ZN_GEOMETRY_MESH) return;
    begin_list(p, "triangles");
    for (int i = 0; i < 3 * g->n_triangles; i++) buffer_put(&p->d, "%s%d", i ? ", " : "", g->triangles[i]);
    buffer_put(&p->d, "]");
}

/* A segment with a radius is a capsule. */
static geometry as_capsule(const geometry *g) {
    geometry c = *g;
    vec3 a = vec3_from(g->points), b = vec3_from(g->points + 3), along = vec3_sub(b, a);
    c.type = ZN_GEOMETRY_CAPSULE, c.length = vec3_norm(along);
    vec3_store(vec3_scale(0.5, vec3_add(a, b)), c.centre);
    vec3_store(vec3_normalised(along), c.axis);
    return c;
}

static void put_geometry(picture *p, const parts_geometry *g) {
    const geometry round = g->shape.type == ZN_GEOMETRY_SEGMENT && g->shape.radius > 0 ? as_capsule(&g->shape) : g->shape, *s = &round;
    begin_item(p, g->body ? p->parts->bodies[g->body].name : g->name, shape_name(p, s), g->body);
    if (has_points(s)) {
        put_points(p, s);
        if (s->radius > 0 && s->type != ZN_GEOMETRY_CONE) member(p, "radius", s->radius); /* of the rounding */
        end_item(p);
        return;
    }
    vector(p, "at", 3, s->centre);
    put_axes(p, s);
    if (s->radius > 0) member(p, "radius", s->radius);
    if (s->length > 0) member(p, "length", s->length);
    if (s->size[0] > 0) vector(p, "size", p->planar ? 2 : 3, s->size);
    if (s->type == ZN_GEOMETRY_SURFACE) put_surface_formula(p, g);
    end_item(p);
}

/* ---- bodies by their points ---- */

typedef struct outline {
    int n_points, n_solids, n_bulky; /* bulky: solids other than balls, beside which no bars are drawn */
    double points[MOST_POINTS][3];
    int n_ends;
    double ends[MOST_POINTS][3]; /* where joints and springs are */
} outline;

static void add_point(int *count, double (*list)[3], const double *point) {
    for (int i = 0; i < *count; i++)
        if (fabs(list[i][0] - point[0]) + fabs(list[i][1] - point[1]) + fabs(list[i][2] - point[2]) < 1e-9) return;
    if (*count < MOST_POINTS) memcpy(list[(*count)++], point, 3 * sizeof *point);
}

static void find_outline(const picture *p, int body, outline *o) {
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < p->parts->n_geometries; i++) {
        const parts_geometry *g = &p->parts->geometries[i];
        if (g->body != body || is_surface(&g->shape)) continue;
        if (g->shape.type == ZN_GEOMETRY_POINT) add_point(&o->n_points, o->points, g->shape.centre);
        for (int k = 0; g->shape.type == ZN_GEOMETRY_POINTS && k < g->shape.n_points; k++)
            add_point(&o->n_points, o->points, g->shape.points + 3 * k);
        o->n_solids += !is_point(&g->shape);
        o->n_bulky += !is_point(&g->shape) && !is_round(&g->shape);
    }
    for (size_t i = 0; i < p->parts->n_pieces; i++) {
        const parts_piece *piece = &p->parts->pieces[i];
        if (piece->glyph == GLYPH_NONE || piece->glyph == GLYPH_CONTACT || piece->glyph == GLYPH_ROLLING || piece->glyph == GLYPH_LINE)
            continue;
        for (int k = 0; k < 2; k++)
            if (piece->bodies[k] == body) add_point(&o->n_ends, o->ends, piece->parameters + k * FRAME_NUMBERS);
    }
}

static void put_bar(picture *p, int body, const double *from, const double *to) {
    begin_item(p, p->parts->bodies[body].name, "segment", 0);
    buffer_put(&p->d, ", \"colour_of\": ");
    buffer_json(&p->d, p->parts->bodies[body].name);
    point_on(p, "from", body, from);
    point_on(p, "to", body, to);
    end_item(p);
}

/* A body of which only the inertia is known: the homogeneous box or disk of the same inertia. */
static bool put_inertia(picture *p, int body) {
    const parts_body *b = &p->parts->bodies[body];
    const double *J = b->inertia;
    double size[3];
    if (b->kind == BODY_PLANAR && b->mass > 0 && J[2] > 0) {
        begin_item(p, b->name, "disk", body);
        member(p, "radius", sqrt(2 * J[2] / b->mass));
        end_item(p);
        return true;
    }
    if (b->kind != BODY_SPATIAL || !(b->mass > 0)) return false;
    for (int i = 0; i < 3; i++) {
        double square = 6 / b->mass * (J[0] + J[1] + J[2] - 2 * J[i]);
        size[i] = sqrt(square > 1e-4 * J[i] / b->mass ? square : 1e-4 * J[i] / b->mass);
    }
    begin_item(p, b->name, "box", body);
    vector(p, "size", 3, size);
    end_item(p);
    return true;
}

static void put_outline(picture *p, int body) {
    outline o;
    const double centre[3] = {0};
    find_outline(p, body, &o);
    const char *name = p->parts->bodies[body].name;
    if (!o.n_solids && o.n_points >= (p->planar ? 3 : 4)) {
        begin_item(p, name, "hull", body);
        buffer_put(&p->d, ", \"points\": [");
        for (int i = 0; i < o.n_points; i++) {
            if (i) buffer_put(&p->d, ", ");
            buffer_numbers(&p->d, p->planar ? 2 : 3, o.points[i]);
        }
        buffer_put(&p->d, "]");
        end_item(p);
        return;
    }
    if (o.n_bulky) return;
    for (int i = 0; !o.n_solids && i < o.n_points; i++) add_point(&o.n_ends, o.ends, o.points[i]);
    bool bars = false;
    for (int i = 0; i < o.n_ends && o.n_ends != 2; i++) bars |= vec3_norm(vec3_from(o.ends[i])) > 0;
    if (o.n_ends == 2) put_bar(p, body, o.ends[0], o.ends[1]);
    else
        for (int i = 0; bars && i < o.n_ends; i++) put_bar(p, body, centre, o.ends[i]);
    if (o.n_solids || o.n_ends == 2) return;
    if (!bars && !o.n_ends && put_inertia(p, body)) return;
    begin_item(p, name, "point", body);
    if (bars) buffer_put(&p->d, ", \"small\": true");
    end_item(p);
}

/* ---- flexible bodies ---- */

/* The line through its nodes, or through some of them where there are very many. */
static void put_flexible(picture *p, const parts_flexible *f) {
    const int shown = f->n_nodes < MOST_POINTS ? f->n_nodes : MOST_POINTS;
    begin_item(p, f->name, "polyline", 0);
    buffer_put(&p->d, ", \"through\": [");
    for (int i = 0; i < shown; i++) {
        int node = shown > 1 ? (int)((long)i * (f->n_nodes - 1) / (shown - 1)) : 0;
        buffer_put(&p->d, i ? ", {\"body\": " : "{\"body\": ");
        buffer_json(&p->d, p->parts->bodies[f->first_node + node].name);
        buffer_put(&p->d, ", \"at\": [0, 0, 0]}");
    }
    buffer_put(&p->d, "]");
    end_item(p);
}

/* ---- joints, springs, contacts ---- */

/* A rope or belt, and the pulleys that it goes over. */
static void put_line(picture *p, const parts_piece *piece) {
    int points = parts_rope_points(piece), places = parts_rope_places(piece);
    for (int i = 0; i < places; i++) {
        const double *place = piece->parameters + i * ROPE_PLACE_NUMBERS;
        double radius = fabs(place[FRAME_NUMBERS]);
        if (!(radius > 0)) continue;
        begin_item(p, piece->name, "disk", piece->bodies[i]);
        vector(p, "at", 3, place);
        if (!p->planar) vector(p, "axes", 6, place + 3);
        member(p, "radius", radius);
        end_item(p);
    }
    begin_item(p, piece->name, "polyline", 0);
    buffer_put(&p->d, ", \"thin\": true, \"through\": [");
    bool by_points = points > 0 && points <= PICTURE_MOST_ROPE;
    for (int i = 0; i < (by_points ? points : places); i++) {
        buffer_put(&p->d, i ? ", " : "");
        if (by_points) {
            for (int c = 0; c < (p->planar ? 2 : 3); c++) {
                buffer_put(&p->d, c ? ", " : "[");
                buffer_json_format(&p->d, MODEL_POSE_PREFIX "line.%s.%c%d", piece->name, "xyz"[c], i + 1);
            }
            buffer_put(&p->d, "]");
            continue;
        }
        buffer_put(&p->d, "{");
        if (piece->bodies[i]) {
            buffer_put(&p->d, "\"body\": ");
            buffer_json(&p->d, p->parts->bodies[piece->bodies[i]].name);
            buffer_put(&p->d, ", ");
        }
        buffer_put(&p->d, "\"at\": ");
        buffer_numbers(&p->d, 3, piece->parameters + i * ROPE_PLACE_NUMBERS);
        buffer_put(&p->d, "}");
    }
    buffer_put(&p->d, "]");
    end_item(p);
}

static void put_piece(picture *p, const parts_piece *piece) {
    if (piece->glyph == GLYPH_LINE) {
        put_line(p, piece);
        return;
    }
    const double *frames[2] = {piece->parameters, piece->parameters + FRAME_NUMBERS};
    if (piece->glyph == GLYPH_ROLLING) {
        begin_item(p, piece->name, p->planar ? "line" : "plane", piece->bodies[1]);
        vector(p, "at", 3, frames[1]);
        vector(p, "axes", 6, frames[1] + 3);
    } else if (piece->glyph == GLYPH_JOINT) {
        int side = piece->bodies[1] == 0; /* of the world: a support */
        begin_item(p, piece->name, "joint", piece->bodies[side]);
        vector(p, "at", 3, frames[side]);
    } else {
        begin_item(p, piece->name, piece->glyph == GLYPH_SPRING ? "spring" : "segment", 0);
        for (int k = 0; k < 2; k++) point_on(p, k ? "to" : "from", piece->bodies[k], frames[k]);
        if (piece->glyph == GLYPH_ROD) buffer_put(&p->d, ", \"thin\": true");
    }
    end_item(p);
}

static void put_names(picture *p, const char *member_name, const char *contact, const char *const *ends, int count) {
    buffer_put(&p->d, ", \"%s\": [", member_name);
    for (int i = 0; i < count; i++) {
        if (i) buffer_put(&p->d, ", ");
        buffer_json_format(&p->d, MODEL_POSE_PREFIX "contact.%s.%s", contact, ends[i]);
    }
    buffer_put(&p->d, "]");
}

static void put_contact(picture *p, const parts_piece *piece) {
    static const char *const at[] = {"x", "y", "z"}, *const normal[] = {"nx", "ny", "nz"}, *const tangent[] = {"tx", "ty", "tz"};
    contact_variant v = contact_unpack(piece->variant);
    int dimensions = v.frame == CONTACT_PLANAR ? 2 : 3;
    const zn_contact *contact = &piece->contacts[0];
    buffer_put(&p->d, "{\"name\": ");
    buffer_json(&p->d, piece->name);
    put_names(p, "at", piece->name, at, dimensions);
    put_names(p, "normal", piece->name, normal, dimensions);
    if (dimensions == 3) put_names(p, "tangent", piece->name, tangent, 3);
    if (v.given_force) member(p, "force", contact->normal_force);
    else {
        buffer_put(&p->d, ", \"percussion\": ");
        buffer_json_format(&p->d, "percussion.%s.normal", piece->name);
    }
    buffer_put(&p->d, ", \"friction\": [");
    for (int i = 0; i < v.n_sliding && i < 2; i++) {
        buffer_put(&p->d, i ? ", [" : "[");
        if (contact->nF > 1) buffer_json_format(&p->d, "percussion.%s.friction%d", piece->name, i + 1);
        else buffer_json_format(&p->d, "percussion.%s.friction", piece->name);
        buffer_put(&p->d, ", %.9g]", piece->scales[i]);
    }
    buffer_put(&p->d, "]}");
}

/* ---- the whole ---- */

static bool is_spatial(const zn_parts *parts) {
    for (size_t i = 0; i < parts->n_bodies; i++)
        if (!body_is_planar(parts->bodies[i].kind)) return true;
    return false;
}

static void put_items(picture *p) {
    const zn_parts *parts = p->parts;
    buffer_put(&p->d, "\"items\": [");
    for (size_t i = 0; i < parts->n_geometries; i++) {
        const parts_geometry *g = &parts->geometries[i];
        bool faces = g->body && is_surface(&g->shape); /* of a body that has a shape of its own */
        if (!is_point(&g->shape) && !faces && !parts->bodies[g->body].own_picture) put_geometry(p, g);
    }
    for (size_t i = 1; i < parts->n_bodies; i++)
        if (!body_is_number(parts->bodies[i].kind) && !parts->bodies[i].group && !parts->bodies[i].own_picture) put_outline(p, (int)i);
    for (size_t i = 0; i < parts->n_flexibles; i++) put_flexible(p, &parts->flexibles[i]);
    for (size_t i = 0; i < parts->n_pieces; i++)
        if (parts->pieces[i].glyph != GLYPH_NONE && parts->pieces[i].glyph != GLYPH_CONTACT) put_piece(p, &parts->pieces[i]);
    if (parts->view_items && *parts->view_items) buffer_put(&p->d, "%s%s", p->n_items ? ",\n" : "", parts->view_items);
    buffer_put(&p->d, "],\n");
}

zn_status parts_set_drawing(zn_parts *parts, zn_model *model) {
    picture p = {.parts = parts, .d = {.context = parts->context}, .planar = !is_spatial(parts)};
    buffer_put(&p.d, "{\"space\": %d,\n", p.planar ? 2 : 3);
    put_bodies(&p);
    put_items(&p);
    buffer_put(&p.d, "\"contacts\": [");
    bool first = true;
    for (size_t i = 0; i < parts->n_pieces && parts->contacts_have_view; i++) {
        if (parts->pieces[i].glyph != GLYPH_CONTACT) continue;
        if (!first) buffer_put(&p.d, ",\n");
        put_contact(&p, &parts->pieces[i]);
        first = false;
    }
    buffer_put(&p.d, "]%s}", parts->view_members ? parts->view_members : "");
    char *text = buffer_end(&p.d);
    if (!text) return ZN_ERROR_MEMORY;
    zn_status status = zn_model_set_drawing(parts->context, model, text);
    mem_free(parts->context, text);
    return status;
}

zn_status zn_parts_view(zn_parts *parts, const zn_view_def *def) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    zn_context *context = parts->context;
    char *items = mem_text(context, def && def->items ? def->items : ""),
         *members = mem_text(context, def && def->members ? def->members : "");
    if (!items || !members) {
        mem_free(context, items);
        mem_free(context, members);
        return ZN_ERROR_MEMORY;
    }
    mem_free(context, parts->view_items);
    mem_free(context, parts->view_members);
    parts->view_items = items;
    parts->view_members = members;
    parts->has_view = true;
    return ZN_OK;
}

zn_status zn_parts_view_body(zn_parts *parts, zn_body body) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    parts_body *b = parts_get_body(parts, body, "the view");
    if (!b) return ZN_ERROR_ARGUMENT;
    b->own_picture = true;
    return ZN_OK;
}
