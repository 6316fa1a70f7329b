/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a surface crosses itself.
 *
 * Meshes: an edge of a triangle goes through another one with which it has no corner in common. With the plane n.(x - p) = 0 of that one
 * the ends a, b of the edge lie on both sides, and the point of the edge in the plane,
 *
 *   x = a + s (b - a),   s = d_a/(d_a - d_b),   d = n.(. - p),
 *
 * lies inside of all its sides, or on one of them and the edge goes through both triangles of that side.
 *
 * Chains: the ends of each of two segments lie on both sides of the other one; or one ends on the other and the chain goes on to its other
 * side.
 *
 * What only touches, to round-off, does not cross. */
#include "collide/internal.h"

/* Of the size of the two triangles. */
static const double touching = 1e-9;

/* Where a line goes through a triangle: nowhere, inside, or through its side k = 0, 1, 2. */
enum { NOWHERE = -2, INSIDE = -1 };

/* The ends of an edge lie on both sides of the plane through p: 1, a in front; -1, behind; 0: not. */
static int way_through(vec3 a, vec3 b, vec3 p, vec3 n, double least) {
    double da = vec3_dot(n, vec3_sub(a, p)), db = vec3_dot(n, vec3_sub(b, p));
    return da > least && db < -least ? 1 : da < -least && db > least ? -1 : 0;
}

static int goes_through(vec3 a, vec3 b, const vec3 t[3], vec3 n, int *way) {
    double size = vec3_norm(vec3_sub(b, a)) + vec3_norm(vec3_sub(t[1], t[0])) + vec3_norm(vec3_sub(t[2], t[0])), least = touching * size;
    if ((*way = way_through(a, b, t[0], n, least)) == 0) return NOWHERE;
    double da = vec3_dot(n, vec3_sub(a, t[0])), db = vec3_dot(n, vec3_sub(b, t[0]));
    vec3 x = vec3_add_scaled(a, da / (da - db), vec3_sub(b, a));
    int where = INSIDE;
    for (int k = 0; k < 3; k++) {
        vec3 in = vec3_normalised(vec3_cross(n, vec3_sub(t[(k + 1) % 3], t[k])));
        double depth = vec3_dot(in, vec3_sub(x, t[k]));
        if (depth > least) continue;
        if (!(depth >= -least) || where != INSIDE) return NOWHERE; /* at a corner: that touches */
        where = k;
    }
    return where;
}

static bool share_a_corner(const surface *s, int f, int g) {
    for (int i = 0; i < s->corners; i++)
        for (int j = 0; j < s->corners; j++)
            if (s->facet[f][i] == s->facet[g][j]) return true;
    return false;
}

/* An edge of f through g; through a side of g, where it goes the same way through its neighbour: else it touches a ridge. */
static bool crosses(const surface *s, int f, int g) {
    vec3 t[3], u[3];
    for (int k = 0; k < 3; k++) t[k] = s->point[s->facet[g][k]], u[k] = s->point[s->facet[f][k]];
    for (int k = 0; k < 3; k++) {
        vec3 a = u[k], b = u[(k + 1) % 3];
        int way, where = goes_through(a, b, t, s->normal[g], &way);
        if (where == INSIDE) return true;
        if (where == NOWHERE) continue;
        const int *sides = s->of_edge[s->facet_edge[g][where]];
        int next = sides[0] == g ? sides[1] : sides[0];
        if (next >= 0 && !share_a_corner(s, f, next) &&
            way_through(a, b, t[where], s->normal[next], touching * vec3_norm(vec3_sub(b, a))) == way)
            return true;
    }
    return false;
}

/* On which side of the line from p to q: 1 left, -1 right, 0 on it. */
static int side_of(vec3 p, vec3 q, vec3 x) {
    vec3 d = vec3_sub(q, p), e = vec3_sub(x, p);
    double left = d.x * e.y - d.y * e.x, least = touching * vec3_norm(d) * (vec3_norm(d) + vec3_norm(e));
    return left > least ? 1 : left < -least ? -1 : 0;
}

/* Segment f goes from one side of segment g to the other, if need be with the segment after it. */
static bool segment_crosses(const surface *s, int f, int g) {
    vec3 a = s->point[s->facet[f][0]], b = s->point[s->facet[f][1]], c = s->point[s->facet[g][0]], d = s->point[s->facet[g][1]];
    int from = side_of(c, d, a), to = side_of(c, d, b);
    if (to != 0) return from * to < 0 && side_of(a, b, c) * side_of(a, b, d) < 0;
    int next = f + 1 < s->n_facets ? f + 1 : 0;
    bool goes_on = s->facet[next][0] == s->facet[f][1] && !share_a_corner(s, next, g);
    return goes_on && vec3_dot(vec3_sub(b, c), vec3_sub(b, d)) < 0 && from * side_of(c, d, s->point[s->facet[next][1]]) < 0;
}

zn_status surface_check_crossing(zn_context *context, const surface *s, const char *name) {
    bool (*goes)(const surface *, int, int) = s->corners == 3 ? crosses : segment_crosses;
    int a, b;
    tree_pairs pairs = tree_pairs_begin(&s->tree);
    while (tree_pairs_next(&pairs, &a, &b)) {
        if (share_a_corner(s, a, b) || !(goes(s, a, b) || goes(s, b, a))) continue;
        int f = a < b ? a : b, g = a < b ? b : a;
        if (s->corners == 2)
            return fail(
                context, ZN_ERROR_MODEL,
                "the chain '%s' crosses itself: its segments from point %d and from point %d meet; change the order of its points, or "
                "make several of it: several shapes on a body act as one",
                name, s->facet[f][0] + 1, s->facet[g][0] + 1);
        return fail(context, ZN_ERROR_MODEL,
                    "the mesh '%s' crosses itself: its triangles %d and %d go through each other, near its point %d; split it into parts "
                    "that do not: several shapes on a body act as one",
                    name, f + 1, g + 1, s->facet[f][0] + 1);
    }
    return ZN_OK;
}
