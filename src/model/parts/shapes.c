/* SPDX-License-Identifier: Apache-2.0 */
/* Mass, centre and inertia of homogeneous shapes.
 *
 * A closed surface of triangles (a, b, c) is a sum of tetrahedra (0, a, b, c) with signed volume V = det(a, b, c)/6, and
 *     int x = V s/4,    int x x' = V/20 (a a' + b b' + c c' + s s'),    s = a + b + c.
 * With S = int (x - center)(x - center)' the inertia is Theta = tr(S) 1 - S.                                                   */
#include "model/parts/builder.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void set_diagonal(zn_mass *out, double mass, double xx, double yy, double zz) {
    *out = (zn_mass){.mass = mass, .inertia = {mass * xx, mass * yy, mass * zz}};
}

static zn_status need_positive(zn_context *context, double value, const char *what, const char *shape) {
    if (value > 0 && isfinite(value)) return ZN_OK;
    return fail(context, ZN_MODEL, "the %s of a %s must be positive, but is %g", what, shape, value);
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
    if (!edges) return ZN_MEMORY;
    for (int i = 0; i < 3 * n; i++) edges[i] = (edge){triangles[i / 3][i % 3], triangles[i / 3][(i + 1) % 3]};
    qsort(edges, 3 * (size_t)n, sizeof *edges, by_ends);
    zn_status status = ZN_OK;
    for (int i = 0; i < 3 * n && status == ZN_OK;) {
        int balance = 0, first = i;
        for (; i < 3 * n && by_ends(&edges[first], &edges[i]) == 0; i++) balance += edges[i].from < edges[i].to ? 1 : -1;
        if (balance)
            status =
                fail(context, ZN_MODEL,
                     "the mesh is not closed: the edge between its points %d and %d has no neighbour of opposite direction",
                     edges[first].from + 1, edges[first].to + 1);
    }
    mem_free(context, edges);
    return status;
}

static zn_status mesh_mass(zn_context *context, int n_points, const double (*points)[3], int n, const int (*triangles)[3],
                           double density, zn_mass *out) {
    if (n_points < 4 || n < 4 || !points || !triangles)
        return fail(context, ZN_MODEL, "a mesh needs at least 4 points and 4 triangles");
    for (int i = 0; i < 3 * n; i++)
        if (triangles[i / 3][i % 3] < 0 || triangles[i / 3][i % 3] >= n_points)
            return fail(context, ZN_MODEL, "triangle %d of the mesh uses point %d, but there are %d", i / 3 + 1,
                        triangles[i / 3][i % 3] + 1, n_points);
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
            for (int j = 0; j < 3; j++)
                second[i][j] += V / 20 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + s[i] * s[j]);
        }
    }
    if (!(volume > 0))
        return fail(context, ZN_MODEL,
                    "the mesh encloses the volume %g: its triangles must be counterclockwise seen from outside", volume);
    double S[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[i][j] = density * (second[i][j] - first[i] * first[j] / volume);
    double trace = S[0][0] + S[1][1] + S[2][2];
    *out = (zn_mass){.mass = density * volume,
                     .inertia = {trace - S[0][0], trace - S[1][1], trace - S[2][2], -S[0][1], -S[0][2], -S[1][2]}};
    for (int i = 0; i < 3; i++) out->center[i] = origin[i] + first[i] / volume;
    return ZN_OK;
}

static zn_status tetrahedron_mass(zn_context *context, const zn_shape_def *shape, double density, zn_mass *out) {
    if (shape->n_points != 4 || !shape->points)
        return fail(context, ZN_MODEL, "a tetrahedron needs 4 points, not %d", shape->n_points);
    vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = vec3_from(shape->points[i]);
    double volume = vec3_dot(vec3_sub(p[1], p[0]), vec3_cross(vec3_sub(p[2], p[0]), vec3_sub(p[3], p[0])));
    if (volume == 0 || !isfinite(volume)) return fail(context, ZN_MODEL, "the points of the tetrahedron lie in a plane");
    static const int outward[2][4][3] = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                                         {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    return mesh_mass(context, 4, shape->points, 4, outward[volume < 0], density, out);
}

/* ---- all shapes ---- */

static zn_status planar_mass(zn_context *context, const zn_shape_def *s, double density, zn_mass *out) {
    zn_status status = ZN_OK;
    if (s->type == ZN_DISK || s->type == ZN_SPHERE) {
        double R = s->radius;
        status = need_positive(context, R, "radius", "disk");
        set_diagonal(out, density * pi * R * R, R * R / 4, R * R / 4, R * R / 2);
        return status;
    }
    if (s->type != ZN_BOX)
        return fail(context, ZN_MODEL, "a planar body can be a disk or a box (give its mass and inertia for other shapes)");
    for (int i = 0; i < 2 && status == ZN_OK; i++) status = need_positive(context, s->size[i], "size", "box");
    double x = s->size[0] * s->size[0] / 12, y = s->size[1] * s->size[1] / 12;
    set_diagonal(out, density * s->size[0] * s->size[1], y, x, x + y);
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
    static const char *const names[] = {"shape", "sphere", "box", "cylinder", "capsule", "disk", "tetrahedron", "mesh"};
    bool round = s->type == ZN_SPHERE || s->type == ZN_CYLINDER || s->type == ZN_CAPSULE || s->type == ZN_DISK;
    if (round) status = need_positive(context, R, "radius", names[s->type]);
    if (status == ZN_OK && (s->type == ZN_CYLINDER || s->type == ZN_CAPSULE))
        status = need_positive(context, L, "length", names[s->type]);
    for (int i = 0; i < 3 && s->type == ZN_BOX && status == ZN_OK; i++)
        status = need_positive(context, s->size[i], "size", "box");
    if (status != ZN_OK) return status;
    double xx = s->size[0] * s->size[0] / 12, yy = s->size[1] * s->size[1] / 12, zz = s->size[2] * s->size[2] / 12;
    switch (s->type) {
    case ZN_SPHERE: set_diagonal(out, density * 4 / 3 * pi * R * R * R, 0.4 * R * R, 0.4 * R * R, 0.4 * R * R); return ZN_OK;
    case ZN_BOX: set_diagonal(out, density * s->size[0] * s->size[1] * s->size[2], yy + zz, xx + zz, xx + yy); return ZN_OK;
    case ZN_CYLINDER:
        set_diagonal(out, density * pi * R * R * L, R * R / 4 + L * L / 12, R * R / 4 + L * L / 12, R * R / 2);
        return ZN_OK;
    case ZN_CAPSULE: capsule(R, L, density, out); return ZN_OK;
    case ZN_DISK: set_diagonal(out, density * pi * R * R, R * R / 4, R * R / 4, R * R / 2); return ZN_OK;
    case ZN_TETRAHEDRON: return tetrahedron_mass(context, s, density, out);
    case ZN_MESH: return mesh_mass(context, s->n_points, s->points, s->n_triangles, s->triangles, density, out);
    default: return fail(context, ZN_MODEL, "unknown type of shape");
    }
}
