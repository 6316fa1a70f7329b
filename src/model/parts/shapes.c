/* SPDX-License-Identifier: Apache-2.0 */
/* Mass, centre and inertia of homogeneous shapes.
 *
 * A closed surface of triangles (a, b, c) is a sum of tetrahedra (0, a, b, c) with signed volume V = det(a, b, c)/6, and
 *     int x = V s/4,    int x x' = V/20 (a a' + b b' + c c' + s s'),    s = a + b + c.
 * With S = int (x - center)(x - center)' the inertia is Theta = tr(S) 1 - S.                                                   */
#include "base/list.h"
#include "collide/collide.h"
#include "model/parts/builder.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void set_diagonal(zn_mass *out, double mass, double xx, double yy, double zz) {
    *out = (zn_mass){.mass = mass, .inertia = {mass * xx, mass * yy, mass * zz}};
}

static zn_status need_positive(zn_context *context, double value, const char *what, const char *shape) {
    if (value > 0 && isfinite(value)) return ZN_OK;
    return fail(context, ZN_ERROR_MODEL, "the %s of %s %s must be positive, but is %g", what, strchr("aeiou", shape[0]) ? "an" : "a", shape,
                value);
}

/* A cylinder of length L between two half spheres of radius R. */
static void capsule(double R, double L, double density, zn_mass *out) {
    double cylinder = density * pi * R * R * L, balls = density * 4 / 3 * pi * R * R * R;
    double along = cylinder * R * R / 2 + balls * 2 * R * R / 5;
    /* half sphere: centre of mass 3R/8 from its flat side, so 3/8 R L between centres adds */
    double across = cylinder * (L * L / 12 + R * R / 4) + balls * (2 * R * R / 5 + L * L / 4 + 3 * L * R / 8);
    double mass = cylinder + balls;
    set_diagonal(out, mass, across / mass, across / mass, along / mass);
}

/* ---- meshes ---- */

typedef struct edge {
    int from, to;
} edge;

static int by_ends(const void *left, const void *right) {
    const edge *a = left, *b = right;
    int low_a = a->from < a->to ? a->from : a->to, low_b = b->from < b->to ? b->from : b->to;
    int high_a = a->from + a->to - low_a, high_b = b->from + b->to - low_b;
    return low_a != low_b ? (low_a > low_b) - (low_a < low_b) : (high_a > high_b) - (high_a < high_b);
}

/* Every edge is used as often in one direction as in the other. */
static zn_status check_closed(zn_context *context, int n, const int (*triangles)[3]) {
    edge *edges = MEM_ARRAY(context, edge, 3 * (size_t)n);
    if (!edges) return ZN_ERROR_MEMORY;
    for (int i = 0; i < 3 * n; i++) edges[i] = (edge){triangles[i / 3][i % 3], triangles[i / 3][(i + 1) % 3]};
    qsort(edges, 3 * (size_t)n, sizeof *edges, by_ends);
    zn_status status = ZN_OK;
    for (int i = 0; i < 3 * n && status == ZN_OK;) {
        int balance = 0, first = i;
        for (; i < 3 * n && by_ends(&edges[first], &edges[i]) == 0; i++) balance += edges[i].from < edges[i].to ? 1 : -1;
        if (balance)
            status = fail(context, ZN_ERROR_MODEL,
                          "the mesh is not closed: the edge between its points %d and %d has no neighbour of opposite direction",
                          edges[first].from + 1, edges[first].to + 1);
    }
    mem_free(context, edges);
    return status;
}

static zn_status mesh_mass(zn_context *context, int n_points, const double (*points)[3], int n, const int (*triangles)[3], double density,
                           zn_mass *out) {
    if (n_points < 4 || n < 4 || !points || !triangles)
        return fail(context, ZN_ERROR_MODEL, "a mesh needs at least 4 points and 4 triangles");
    for (int i = 0; i < 3 * n; i++)
        if (triangles[i / 3][i % 3] < 0 || triangles[i / 3][i % 3] >= n_points)
            return fail(context, ZN_ERROR_MODEL, "triangle %d of the mesh uses point %d, but there are %d", i / 3 + 1,
                        triangles[i / 3][i % 3] + 1, n_points);
    for (int i = 0; i < 3 * n; i++)
        if (triangles[i / 3][i % 3] == triangles[i / 3][(i + 1) % 3])
            return fail(context, ZN_ERROR_MODEL, "triangle %d of the mesh has point %d twice, and so no area; leave it out", i / 3 + 1,
                        triangles[i / 3][i % 3] + 1);
    zn_status status = check_closed(context, n, triangles);
    if (status != ZN_OK) return status;
    double volume = 0, first[3] = {0}, second[3][3] = {{0}};
    const double *origin = points[0]; /* near the body: far from it digits would be lost */
    for (int t = 0; t < n; t++) {
        double p[3][3], s[3];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) p[k][i] = points[triangles[t][k]][i] - origin[i];
        for (int i = 0; i < 3; i++) s[i] = p[0][i] + p[1][i] + p[2][i];
        double V = vec3_dot(vec3_from(p[0]), vec3_cross(vec3_from(p[1]), vec3_from(p[2]))) / 6;
        volume += V;
        for (int i = 0; i < 3; i++) {
            first[i] += V * s[i] / 4;
            for (int j = 0; j < 3; j++) second[i][j] += V / 20 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + s[i] * s[j]);
        }
    }
    if (!(volume > 0))
        return fail(context, ZN_ERROR_MODEL, "the mesh encloses the volume %g: its triangles must be counterclockwise seen from outside",
                    volume);
    double S[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[i][j] = density * (second[i][j] - first[i] * first[j] / volume);
    double trace = S[0][0] + S[1][1] + S[2][2];
    *out =
        (zn_mass){.mass = density * volume, .inertia = {trace - S[0][0], trace - S[1][1], trace - S[2][2], -S[0][1], -S[0][2], -S[1][2]}};
    for (int i = 0; i < 3; i++) out->center[i] = origin[i] + first[i] / volume;
    return ZN_OK;
}

static zn_status tetrahedron_mass(zn_context *context, const zn_shape_def *shape, double density, zn_mass *out) {
    if (shape->n_points != 4 || !shape->points)
        return fail(context, ZN_ERROR_MODEL, "a tetrahedron needs 4 points, not %d", shape->n_points);
    vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = vec3_from(shape->points[i]);
    double volume = vec3_dot(vec3_sub(p[1], p[0]), vec3_cross(vec3_sub(p[2], p[0]), vec3_sub(p[3], p[0])));
    if (volume == 0 || !isfinite(volume)) return fail(context, ZN_ERROR_MODEL, "the points of the tetrahedron lie in a plane");
    static const int outward[2][4][3] = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    return mesh_mass(context, 4, shape->points, 4, outward[volume < 0], density, out);
}

/* The hull of points. */
static zn_status polyhedron_mass(zn_context *context, const zn_shape_def *s, double density, zn_mass *out) {
    double(*corners)[3];
    int(*triangles)[3], n_corners, n_triangles;
    if (s->n_points < 4 || !s->points) return fail(context, ZN_ERROR_MODEL, "a polyhedron needs at least 4 points, not %d", s->n_points);
    zn_status status = collide_hull(context, s->n_points, s->points[0], NULL, &n_corners, &corners, &n_triangles, &triangles);
    if (status != ZN_OK) return status;
    status = mesh_mass(context, n_corners, (const double(*)[3])corners, n_triangles, (const int(*)[3])triangles, density, out);
    mem_free(context, corners);
    mem_free(context, triangles);
    return status;
}

/* ---- polygons ---- */

static double cross2(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Whether the sides (a, b) and (c, d) have a point in common. */
static bool sides_meet(const double *a, const double *b, const double *c, const double *d) {
    double s[4] = {cross2(a, b, c), cross2(a, b, d), cross2(c, d, a), cross2(c, d, b)};
    if (s[0] * s[1] > 0 || s[2] * s[3] > 0) return false;
    for (int i = 0; i < 2; i++) /* boxes: decides for sides in line */
        if (smaller(a[i], b[i]) > larger(c[i], d[i]) || smaller(c[i], d[i]) > larger(a[i], b[i])) return false;
    return true;
}

static zn_status check_simple(zn_context *context, int n, const double (*points)[3]) {
    for (int i = 0; i < n; i++) {
        const double *a = points[i], *b = points[(i + 1) % n];
        if (a[0] == b[0] && a[1] == b[1])
            return fail(context, ZN_ERROR_MODEL, "the points %d and %d of the polygon are the same", i + 1, (i + 1) % n + 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++)
            if ((j + 1) % n != i && sides_meet(points[i], points[(i + 1) % n], points[j], points[(j + 1) % n]))
                return fail(context, ZN_ERROR_MODEL, "the polygon crosses itself: the sides that begin at its points %d and %d meet", i + 1,
                            j + 1);
    return ZN_OK;
}

/* Triangles (0, a, b) of area A = (a x b)/2:  int x = A (a + b)/3,  int x.x = A/6 (a.a + a.b + b.b). Either way round. */
static zn_status polygon_mass(zn_context *context, const zn_shape_def *s, double density, zn_mass *out) {
    enum { MOST_POINTS = 5000 }; /* sides are compared with each other */
    if (s->n_points < 3 || !s->points) return fail(context, ZN_ERROR_MODEL, "a polygon needs at least 3 points, not %d", s->n_points);
    if (s->n_points > MOST_POINTS)
        return fail(context, ZN_ERROR_MODEL, "a polygon has at most %d points, not %d", MOST_POINTS, s->n_points);
    zn_status status = check_simple(context, s->n_points, s->points);
    if (status != ZN_OK) return status;
    double area = 0, first[2] = {0}, second[2] = {0};
    const double *origin = s->points[0]; /* near the body: far from it digits would be lost */
    for (int i = 1; i + 1 < s->n_points; i++) {
        double a[2], b[2];
        for (int k = 0; k < 2; k++) a[k] = s->points[i][k] - origin[k], b[k] = s->points[i + 1][k] - origin[k];
        double A = (a[0] * b[1] - a[1] * b[0]) / 2;
        area += A;
        for (int k = 0; k < 2; k++) {
            first[k] += A * (a[k] + b[k]) / 3;
            second[k] += A / 6 * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]);
        }
    }
    if (!(fabs(area) > 0) || !isfinite(area)) return fail(context, ZN_ERROR_MODEL, "the polygon has no area (%g)", area);
    double xx = density * (second[0] - first[0] * first[0] / area), yy = density * (second[1] - first[1] * first[1] / area);
    double sign = area < 0 ? -1 : 1;
    *out = (zn_mass){.mass = density * fabs(area), .inertia = {sign * yy, sign * xx, sign * (xx + yy)}};
    for (int k = 0; k < 2; k++) out->center[k] = origin[k] + first[k] / area;
    return ZN_OK;
}

/* A rectangle of length L between two half disks, whose centres of mass are 4R/(3 pi) from their straight sides. */
static void planar_capsule(double R, double L, double density, zn_mass *out) {
    double bar = density * 2 * R * L, ends = density * pi * R * R, mass = bar + ends;
    double along = bar * R * R / 3 + ends * R * R / 4; /* about x: the y^2 */
    double across = bar * L * L / 12 + ends * (R * R / 4 + L * L / 4 + 4 * R * L / (3 * pi));
    set_diagonal(out, mass, along / mass, across / mass, (along + across) / mass);
}

/* ---- all shapes ---- */

static zn_status planar_mass(zn_context *context, const zn_shape_def *s, double density, zn_mass *out) {
    zn_status status = ZN_OK;
    if (s->type == ZN_SHAPE_DISK || s->type == ZN_SHAPE_SPHERE) {
        double R = s->radius;
        status = need_positive(context, R, "radius", "disk");
        set_diagonal(out, density * pi * R * R, R * R / 4, R * R / 4, R * R / 2);
        return status;
    }
    if (s->type == ZN_SHAPE_POLYGON) return polygon_mass(context, s, density, out);
    if (s->type == ZN_SHAPE_CAPSULE) {
        status = need_positive(context, s->radius, "radius", "capsule");
        if (status == ZN_OK) status = need_positive(context, s->length, "length", "capsule");
        if (status == ZN_OK) planar_capsule(s->radius, s->length, density, out);
        return status;
    }
    if (s->type != ZN_SHAPE_BOX && s->type != ZN_SHAPE_ELLIPSOID)
        return fail(context, ZN_ERROR_MODEL,
                    "a planar body can be a disk, box, capsule, ellipse or polygon (give its mass and inertia for other shapes)");
    for (int i = 0; i < 2 && status == ZN_OK; i++)
        status = need_positive(context, s->size[i], "size", s->type == ZN_SHAPE_BOX ? "box" : "ellipse");
    double part = s->type == ZN_SHAPE_BOX ? 1.0 / 12 : 1.0 / 16, x = s->size[0] * s->size[0] * part, y = s->size[1] * s->size[1] * part;
    set_diagonal(out, density * s->size[0] * s->size[1] * (s->type == ZN_SHAPE_BOX ? 1 : pi / 4), y, x, x + y);
    return status;
}

zn_status zn_shape_mass(zn_context *context, const zn_shape_def *s, double density, bool planar, zn_mass *out) {
    NEED_CONTEXT(context);
    NEED(context, out);
    *out = (zn_mass){0};
    NEED(context, s);
    const double R = s->radius, L = s->length;
    zn_status status = need_positive(context, density, "density", "shape");
    if (status != ZN_OK) return status;
    if (planar) return planar_mass(context, s, density, out);
    if ((int)s->type <= ZN_SHAPE_NONE || s->type >= ZN_SHAPE_TYPE_COUNT) return fail(context, ZN_ERROR_MODEL, "unknown type of shape");
    static const char *const names[] = {"shape",
#define X(identifier, word, geometry, sentence) word,
                                        ZN_SHAPE_LIST(X)
#undef X
    };
    LIST_IS_WHOLE(ZN_SHAPE_LIST, ZN_SHAPE_TYPE_COUNT - 1);
    bool has_length = s->type == ZN_SHAPE_CYLINDER || s->type == ZN_SHAPE_CAPSULE || s->type == ZN_SHAPE_CONE;
    if (has_length || s->type == ZN_SHAPE_SPHERE || s->type == ZN_SHAPE_DISK) status = need_positive(context, R, "radius", names[s->type]);
    if (status == ZN_OK && has_length) status = need_positive(context, L, "length", names[s->type]);
    for (int i = 0; i < 3 && (s->type == ZN_SHAPE_BOX || s->type == ZN_SHAPE_ELLIPSOID) && status == ZN_OK; i++)
        status = need_positive(context, s->size[i], "size", names[s->type]);
    if (status != ZN_OK) return status;
    double xx = s->size[0] * s->size[0] / 12, yy = s->size[1] * s->size[1] / 12, zz = s->size[2] * s->size[2] / 12;
    switch (s->type) {
    case ZN_SHAPE_SPHERE: set_diagonal(out, density * 4 / 3 * pi * R * R * R, 0.4 * R * R, 0.4 * R * R, 0.4 * R * R); return ZN_OK;
    case ZN_SHAPE_BOX: set_diagonal(out, density * s->size[0] * s->size[1] * s->size[2], yy + zz, xx + zz, xx + yy); return ZN_OK;
    case ZN_SHAPE_CYLINDER:
        set_diagonal(out, density * pi * R * R * L, R * R / 4 + L * L / 12, R * R / 4 + L * L / 12, R * R / 2);
        return ZN_OK;
    case ZN_SHAPE_CAPSULE: capsule(R, L, density, out); return ZN_OK;
    case ZN_SHAPE_DISK: set_diagonal(out, density * pi * R * R, R * R / 4, R * R / 4, R * R / 2); return ZN_OK;
    case ZN_SHAPE_TETRAHEDRON: return tetrahedron_mass(context, s, density, out);
    case ZN_SHAPE_MESH: return mesh_mass(context, s->n_points, s->points, s->n_triangles, s->triangles, density, out);
    case ZN_SHAPE_CONE: /* h/4 above its base */
        set_diagonal(out, density * pi * R * R * L / 3, 3 * R * R / 20 + 3 * L * L / 80, 3 * R * R / 20 + 3 * L * L / 80, 3 * R * R / 10);
        return ZN_OK;
    case ZN_SHAPE_ELLIPSOID: /* 1/5 of squared half axes: 3/5 of 1/12 of squared axes */
        set_diagonal(out, density * pi / 6 * s->size[0] * s->size[1] * s->size[2], 0.6 * (yy + zz), 0.6 * (xx + zz), 0.6 * (xx + yy));
        return ZN_OK;
    case ZN_SHAPE_POLYHEDRON: return polyhedron_mass(context, s, density, out);
    default: return fail(context, ZN_ERROR_MODEL, "a %s is a shape of planar bodies", names[s->type]);
    }
}
