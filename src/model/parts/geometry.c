/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: what is allowed, which one touches which, and the features they are made of. */
#include "model/parts/geometry.h"

#include "base/list.h"

LIST_IS_WHOLE(ZN_GEOMETRY_LIST, ZN_GEOMETRY_TYPE_COUNT);
const char *geometry_name(zn_geometry_type type, bool planar) {
    static const char *const names[][2] = {
#define X(identifier, space, plane, needs, may, sentence) {space, plane},
        ZN_GEOMETRY_LIST(X)
#undef X
    };
    return (int)type >= 0 && type < ZN_GEOMETRY_TYPE_COUNT ? names[type][planar] : "unknown";
}

/* ---- checks ---- */

static bool finite3(const double *v) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

static bool in_plane(const geometry *g) {
    for (int i = 0; i < g->n_points; i++)
        if (g->points[3 * i + 2] != 0) return false;
    return g->centre[2] == 0 && g->axis[2] == 0 && g->surface_velocity[2] == 0;
}

static bool check_size(const geometry *g, bool planar, const char **why) {
    for (int i = 0; i < (planar ? 2 : 3); i++)
        if (!(g->size[i] > 0) || isinf(g->size[i])) return *why = "all sizes must be positive", false;
    if (planar && g->size[2] != 0) return *why = "in the plane there are two sizes", false;
    return true;
}

/* Shapes by points. Whether a hull is flat or a polygon crosses itself is found where it is made. */
static bool check_points(const geometry *g, bool planar, const char **why) {
    const bool polygon = g->type == ZN_GEOMETRY_POLYHEDRON;
    if (!(g->radius >= 0) || isinf(g->radius)) return *why = "the radius must not be negative", false;
    if (polygon && g->n_points < (planar ? 3 : 4))
        return *why = planar ? "a polygon needs at least 3 points" : "a polyhedron needs at least 4 points", false;
    if (g->type == ZN_GEOMETRY_SEGMENT && g->n_points != 2) return *why = "a segment has two points", false;
    if (g->type == ZN_GEOMETRY_POLYLINE && !planar) return *why = "a polyline needs the plane; in space there are meshes", false;
    if (g->type == ZN_GEOMETRY_POLYLINE && g->n_points < (g->closed ? 3 : 2))
        return *why = g->closed ? "a closed polyline needs at least 3 points" : "a polyline needs at least 2 points", false;
    if (g->type != ZN_GEOMETRY_MESH) return true;
    if (planar) return *why = "a mesh needs a body in space; in the plane there are polygons and polylines", false;
    if (g->n_points < 3 || g->n_triangles < 1) return *why = "a mesh needs at least 3 points and a triangle", false;
    for (int i = 0; i < 3 * g->n_triangles; i++)
        if (g->triangles[i] < 0 || g->triangles[i] >= g->n_points) return *why = "a triangle uses a point that does not exist", false;
    return true;
}

static bool check_flat(const geometry *g, bool planar, const char **why) {
    if (planar) return *why = "this shape needs a body in space; in the plane there are segments and polylines", false;
    if (!(g->size[0] > 0) || !(g->size[1] > 0) || isinf(g->size[0]) || isinf(g->size[1]))
        return *why = "both sizes must be positive", false;
    if (g->type == ZN_GEOMETRY_HEIGHT_FIELD && (g->grid[0] < 2 || g->grid[1] < 2))
        return *why = "the grid needs at least 2 x 2 points", false;
    return true;
}

bool geometry_check(const geometry *g, bool planar, const char **why) {
    if ((int)g->type < 0 || g->type >= ZN_GEOMETRY_TYPE_COUNT) return *why = "unknown shape", false;
    if (!finite3(g->centre) || !finite3(g->axis) || !finite3(g->surface_velocity)) return *why = "a number is not finite", false;
    for (int i = 0; i < 3 * g->n_points; i++)
        if (!isfinite(g->points[i])) return *why = "a coordinate of a point is not finite", false;
    if (planar && !in_plane(g)) return *why = "on a planar body everything is in the plane z = 0", false;
    switch (g->type) {
    case ZN_GEOMETRY_POINTS:
        if (g->n_points < 1) return *why = "no points are given", false;
        return true;
    case ZN_GEOMETRY_POLYHEDRON:
    case ZN_GEOMETRY_MESH:
    case ZN_GEOMETRY_SEGMENT:
    case ZN_GEOMETRY_POLYLINE: return check_points(g, planar, why);
    case ZN_GEOMETRY_HEIGHT_FIELD:
    case ZN_GEOMETRY_RECTANGLE: return check_flat(g, planar, why);
    case ZN_GEOMETRY_BOX:
        if (!(g->radius >= 0) || isinf(g->radius)) return *why = "the radius must not be negative", false;
        return check_size(g, planar, why);
    case ZN_GEOMETRY_ELLIPSOID: return check_size(g, planar, why);
    case ZN_GEOMETRY_CONE:
        if (!(g->length > 0) || isinf(g->length)) return *why = "the length of a cone must be positive", false;
        if (planar) return *why = "this shape needs a body in space; in the plane there are polygons", false;
        break;
    case ZN_GEOMETRY_RING:
    case ZN_GEOMETRY_CYLINDER:
    case ZN_GEOMETRY_HOLLOW_CYLINDER:
        if (!(g->length >= 0) || isinf(g->length)) return *why = "the length must not be negative", false;
        if (planar) return *why = "this shape needs a body in space; in the plane there are disks and hollow circles", false;
        break;
    case ZN_GEOMETRY_CAPSULE:
        if (!(g->length > 0) || isinf(g->length)) return *why = "the length of a capsule must be positive", false;
        break;
    case ZN_GEOMETRY_SPHERE:
    case ZN_GEOMETRY_HOLLOW_SPHERE: break;
    case ZN_GEOMETRY_POINT:
    case ZN_GEOMETRY_PLANE:
    case ZN_GEOMETRY_SURFACE:
    case ZN_GEOMETRY_TYPE_COUNT: return true;
    }
    if (!(g->radius > 0) || isinf(g->radius)) return *why = "the radius must be positive", false;
    return true;
}

/* ---- pairs ---- */

static bool is_surface(zn_geometry_type s) {
    return (s >= ZN_GEOMETRY_PLANE && s <= ZN_GEOMETRY_SURFACE) || s == ZN_GEOMETRY_HEIGHT_FIELD || s == ZN_GEOMETRY_RECTANGLE ||
           s == ZN_GEOMETRY_POLYLINE;
}

static bool is_point(zn_geometry_type s) { return s == ZN_GEOMETRY_POINT || s == ZN_GEOMETRY_POINTS; }
/* What touches with corners, one by one. */
static bool is_corners(zn_geometry_type s) { return is_point(s) || s == ZN_GEOMETRY_POLYHEDRON || s == ZN_GEOMETRY_MESH; }

/* Whether `a` can touch the surface of `b`. */
static bool touches(const geometry *a, const geometry *b, const char **why) {
    if (is_surface(a->type)) return *why = "neither of the two can touch: both are surfaces", false;
    if (a->type == ZN_GEOMETRY_CONE || a->type == ZN_GEOMETRY_SEGMENT) return *why = "it has contacts by rules only", false;
    bool round = a->type == ZN_GEOMETRY_SPHERE || a->type == ZN_GEOMETRY_CAPSULE;
    switch (b->type) {
    case ZN_GEOMETRY_PLANE: return true;
    case ZN_GEOMETRY_HOLLOW_SPHERE:
    case ZN_GEOMETRY_HOLLOW_CYLINDER:
        if (a->type == ZN_GEOMETRY_RING || a->type == ZN_GEOMETRY_ELLIPSOID) return *why = "rings and ellipsoids touch planes only", false;
        if (round && !(a->radius < b->radius)) return *why = "the inner radius must be less than the hollow one", false;
        return true;
    case ZN_GEOMETRY_CYLINDER:
        if (is_corners(a->type)) return true; /* fall through */
    case ZN_GEOMETRY_SPHERE:
    case ZN_GEOMETRY_CAPSULE:
        if (a->type == ZN_GEOMETRY_SPHERE || is_point(a->type)) return true;
        return *why = "only points and spheres touch a rounded surface from outside", false;
    case ZN_GEOMETRY_SURFACE:
        if (is_corners(a->type) || a->type == ZN_GEOMETRY_BOX || round) return true;
        return *why = "rings and ellipsoids touch planes only", false;
    case ZN_GEOMETRY_ELLIPSOID:             /* shapes with a size find it by rules */
        if (is_point(a->type)) return true; /* fall through */
    default:
        if (is_point(a->type) || is_point(b->type))
            return *why = "a point is too small to find corners and edges; a sphere can be small", false;
        return *why = "corners have no surface to touch", false;
    }
}

int geometry_order(const geometry *a, const geometry *b, const char **why) {
    const char *other = NULL;
    if (touches(a, b, why)) return 1;
    if (touches(b, a, &other)) return -1;
    if (is_surface(a->type) && !is_surface(b->type)) *why = other;
    return 0;
}

int geometry_count(const geometry *touching, bool planar) {
    switch (touching->type) {
    case ZN_GEOMETRY_POINTS:
    case ZN_GEOMETRY_POLYHEDRON:
    case ZN_GEOMETRY_MESH: return touching->n_points;
    case ZN_GEOMETRY_BOX: return planar ? 4 : 8;
    case ZN_GEOMETRY_CAPSULE: return 2;
    case ZN_GEOMETRY_RING: return touching->length > 0 ? 2 : 1;
    default: return 1;
    }
}

/* ---- features ---- */

/* Corners count around the bottom, then around the top: (-,-), (+,-), (+,+), (-,+). */
static void box_corner(const geometry *g, bool planar, int index, double *point) {
    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double half[3] = {0.5 * sign[index % 4][0] * g->size[0], 0.5 * sign[index % 4][1] * g->size[1],
                            planar ? 0 : (index < 4 ? -0.5 : 0.5) * g->size[2]};
    for (int i = 0; i < 3; i++) {
        point[i] = g->centre[i];
        for (int j = 0; j < 3; j++) point[i] += g->axes[3 * j + i] * half[j];
    }
}

/* R diag(a^2) R' of the half axes a; the plane sees only two of them. */
static void ellipsoid_matrix(const geometry *g, bool planar, feature *f) {
    f->kind = FEATURE_ELLIPSOID;
    for (int k = 0; k < (planar ? 2 : 3); k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) f->frame[i + 3 * j] += 0.25 * g->size[k] * g->size[k] * g->axes[3 * k + i] * g->axes[3 * k + j];
}

feature geometry_touching(const geometry *g, bool planar, int index) {
    feature f = {.kind = FEATURE_BALL, .side = 1};
    memcpy(f.point, g->centre, sizeof f.point);
    memcpy(f.axis, g->axis, sizeof f.axis);
    switch (g->type) {
    case ZN_GEOMETRY_POINTS: memcpy(f.point, g->points + 3 * index, sizeof f.point); break;
    case ZN_GEOMETRY_POLYHEDRON:
    case ZN_GEOMETRY_MESH:
        memcpy(f.point, g->points + 3 * index, sizeof f.point);
        f.radius = g->radius;
        break;
    case ZN_GEOMETRY_BOX:
        box_corner(g, planar, index, f.point);
        f.radius = g->radius;
        break;
    case ZN_GEOMETRY_CAPSULE:
        for (int i = 0; i < 3; i++) f.point[i] += (index ? 0.5 : -0.5) * g->length * f.axis[i];
        f.radius = g->radius;
        break;
    case ZN_GEOMETRY_RING:
        for (int i = 0; i < 3; i++) f.point[i] += (index ? 0.5 : -0.5) * g->length * f.axis[i];
        f.kind = FEATURE_RING, f.radius = g->radius;
        break;
    case ZN_GEOMETRY_ELLIPSOID: ellipsoid_matrix(g, planar, &f); break;
    case ZN_GEOMETRY_SPHERE: f.radius = g->radius; break;
    default: break;
    }
    return f;
}

feature geometry_surface(const geometry *g, bool planar) {
    static const feature_kind kinds[ZN_GEOMETRY_TYPE_COUNT] = {
        [ZN_GEOMETRY_SPHERE] = FEATURE_SPHERE,     [ZN_GEOMETRY_CAPSULE] = FEATURE_SEGMENT,
        [ZN_GEOMETRY_PLANE] = FEATURE_PLANE,       [ZN_GEOMETRY_HOLLOW_SPHERE] = FEATURE_SPHERE,
        [ZN_GEOMETRY_CYLINDER] = FEATURE_CYLINDER, [ZN_GEOMETRY_HOLLOW_CYLINDER] = FEATURE_CYLINDER,
        [ZN_GEOMETRY_SURFACE] = FEATURE_SURFACE,   [ZN_GEOMETRY_ELLIPSOID] = FEATURE_ELLIPSOID};
    feature f = {.kind = kinds[g->type], .half_length = 0.5 * g->length};
    if (f.kind != FEATURE_PLANE) f.radius = g->radius;
    if (f.kind == FEATURE_ELLIPSOID) ellipsoid_matrix(g, planar, &f);
    else memcpy(f.frame, g->axes, sizeof f.frame);
    f.side = g->type == ZN_GEOMETRY_HOLLOW_SPHERE || g->type == ZN_GEOMETRY_HOLLOW_CYLINDER ? -1 : 1;
    memcpy(f.point, g->centre, sizeof f.point);
    memcpy(f.velocity, g->surface_velocity, sizeof f.velocity);
    memcpy(f.axis, g->axis, sizeof f.axis);
    return f;
}
