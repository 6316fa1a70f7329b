/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces of facets: triangles in space, segments in the plane. Every facet is a face that is touched from its front, and knows its
 * neighbours, so that what slides over the surface does not feel its seams:
 *
 *   an edge between facets that are flat or form a valley touches nothing (silent), nor does a point all of whose edges are silent;
 *   an edge or point touches along n only if the surface around it lies behind: n.(x - p) <= 0 for the points x beside it. Otherwise a
 * facet in front of it
 *   is nearer, and has its own candidate. */
#include "collide/internal.h"

#include <stdlib.h>

/* A facet that rises or falls less than this (sine) beside its neighbour is flat. */
#define SURFACE_FLAT 1e-8

static vec3 facet_normal(const surface *s, int f) {
    vec3 a = s->point[s->facet[f][0]], b = s->point[s->facet[f][1]];
    if (s->corners == 2) {
        vec3 along = vec3_sub(b, a);
        return (vec3){-along.y, along.x, 0};
    }
    return vec3_cross(vec3_sub(b, a), vec3_sub(s->point[s->facet[f][2]], a));
}

/* ---- edges ---- */

typedef struct half_edge {
    int lo, hi, facet, corner;
} half_edge;

static int compare_halves(const void *x, const void *y) {
    const half_edge *a = x, *b = y;
    const int p[3] = {a->lo, a->hi, a->facet}, q[3] = {b->lo, b->hi, b->facet};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

static zn_status bad_edge(zn_context *context, const char *name, const half_edge *a, const half_edge *b) {
    return fail(
        context, ZN_ERROR_MODEL,
        "the triangles %d and %d of the mesh '%s' traverse the edge between points %d and %d in the same direction, or more than two "
        "triangles share it: turn "
        "triangles so that all are counter-clockwise from outside",
        a->facet + 1, b->facet + 1, name, a->lo + 1, a->hi + 1);
}

/* Edges of triangles, sorted by their points; `closed`: each needs two. */
static zn_status join_edges(zn_context *context, surface *s, bool closed, const char *name) {
    int n = 3 * s->n_facets;
    half_edge *half = MEM_ARRAY(context, half_edge, n);
    if (!half) return ZN_ERROR_MEMORY;
    for (int f = 0; f < s->n_facets; f++)
        for (int k = 0; k < 3; k++) {
            int a = s->facet[f][k], b = s->facet[f][(k + 1) % 3];
            half[3 * f + k] = (half_edge){a < b ? a : b, a < b ? b : a, f, k};
        }
    qsort(half, (size_t)n, sizeof *half, compare_halves);
    zn_status status = ZN_OK;
    for (int i = 0; i < n && status == ZN_OK;) {
        int j = i + 1, e = s->n_edges++;
        while (j < n && half[j].lo == half[i].lo && half[j].hi == half[i].hi) j++;
        const half_edge *a = &half[i], *b = &half[i + 1];
        bool two = j - i == 2 && s->facet[a->facet][a->corner] != s->facet[b->facet][b->corner];
        if (j - i > 1 && !two) status = bad_edge(context, name, a, b);
        else if (j - i == 1 && closed)
            status =
                fail(context, ZN_ERROR_MODEL, "the mesh '%s' is open at the edge between points %d and %d (triangle %d): it must be closed",
                     name, a->lo + 1, a->hi + 1, a->facet + 1);
        s->edge[e][0] = s->facet[a->facet][a->corner];
        s->edge[e][1] = s->facet[a->facet][(a->corner + 1) % 3];
        s->of_edge[e][0] = a->facet;
        s->of_edge[e][1] = two ? b->facet : -1;
        s->facet_edge[a->facet][a->corner] = e;
        if (two) s->facet_edge[b->facet][b->corner] = e;
        i = j;
    }
    mem_free(context, half);
    return status;
}

/* The corner of a facet that is not on the edge. */
static int opposite(const surface *s, int facet, int edge) {
    for (int k = 0; k < 3; k++)
        if (s->facet[facet][k] != s->edge[edge][0] && s->facet[facet][k] != s->edge[edge][1]) return s->facet[facet][k];
    return s->facet[facet][0];
}

/* Points beside each point: by edges in space, by facets in the plane. */
static zn_status join_points(zn_context *context, surface *s) {
    bool planar = s->corners == 2;
    int m = planar ? s->n_facets : s->n_edges;
    s->start = MEM_ARRAY(context, int, s->n_points + 2);
    s->beside = MEM_ARRAY(context, int, (size_t)2 * (size_t)m);
    if (!s->start || !s->beside) return ZN_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m; i++) {
            const int *end = planar ? s->facet[i] : s->edge[i];
            for (int k = 0; k < 2; k++) {
                if (pass == 0) s->start[end[k] + 2]++;
                else s->beside[s->start[end[k] + 1]++] = end[1 - k];
            }
        }
        for (int i = 0; i < s->n_points && pass == 0; i++) s->start[i + 2] += s->start[i + 1];
    }
    return ZN_OK;
}

static void find_silent(surface *s) {
    for (int i = 0; i < s->n_points; i++) s->silent_point[i] = true;
    for (int e = 0; e < s->n_edges; e++) {
        const int *f = s->of_edge[e];
        if (f[1] >= 0) {
            vec3 to = vec3_sub(s->point[opposite(s, f[1], e)], s->point[s->edge[e][0]]);
            s->silent_edge[e] = vec3_dot(s->normal[f[0]], to) >= -SURFACE_FLAT * vec3_norm(to);
        }
        if (!s->silent_edge[e]) s->silent_point[s->edge[e][0]] = s->silent_point[s->edge[e][1]] = false;
    }
    for (int i = 0; i < s->n_facets && s->corners == 2; i++)
        for (int k = 0; k < 2; k++) {
            int p = s->facet[i][k];
            bool falls = s->start[p + 1] - s->start[p] < 2; /* an end */
            for (int j = s->start[p]; j < s->start[p + 1]; j++) {
                vec3 to = vec3_sub(s->point[s->beside[j]], s->point[p]);
                falls = falls || vec3_dot(s->normal[i], to) < -SURFACE_FLAT * vec3_norm(to);
            }
            if (falls) s->silent_point[p] = false;
        }
}

/* ---- making ---- */

static zn_status check_facets(zn_context *context, const surface *s, const char *name) {
    for (int f = 0; f < s->n_facets; f++) {
        double longest = 0;
        for (int k = 0; k < s->corners; k++) {
            int i = s->facet[f][k];
            if (i < 0 || i >= s->n_points)
                return fail(context, ZN_ERROR_MODEL, "triangle %d of the mesh '%s' names point %d, but there are points 1 to %d", f + 1,
                            name, i + 1, s->n_points);
        }
        for (int k = 0; k < s->corners; k++)
            longest = larger(longest, vec3_norm(vec3_sub(s->point[s->facet[f][k]], s->point[s->facet[f][(k + 1) % s->corners]])));
        double size = s->corners == 2 ? longest : vec3_norm(facet_normal(s, f));
        if (s->corners == 2 ? !(size > 0) : !(size > 1e-10 * longest * longest))
            return fail(context, ZN_ERROR_MODEL,
                        s->corners == 2 ? "segment %d of the chain '%s' has no length: leave one of its points out"
                                        : "triangle %d of the mesh '%s' has no area: leave it out, or move one of its corners",
                        f + 1, name);
    }
    return ZN_OK;
}

zn_status surface_make(zn_context *context, const double *points, const int *facets, bool closed, const char *name, surface *s) {
    const int corners = s->corners, n_points = s->n_points, n_facets = s->n_facets;
    size_t edges = corners == 3 ? (size_t)3 * (size_t)n_facets : 0;
    s->point = MEM_ARRAY(context, vec3, n_points);
    s->normal = MEM_ARRAY(context, vec3, n_facets);
    s->facet = mem_array(context, (size_t)n_facets, sizeof *s->facet);
    s->facet_edge = mem_array(context, (size_t)n_facets, sizeof *s->facet_edge);
    s->edge = mem_array(context, edges, sizeof *s->edge);
    s->of_edge = mem_array(context, edges, sizeof *s->of_edge);
    s->silent_point = MEM_ARRAY(context, bool, n_points);
    s->silent_edge = MEM_ARRAY(context, bool, edges);
    s->box = MEM_ARRAY(context, box3, n_facets);
    if (!s->point || !s->normal || !s->facet || !s->facet_edge || !s->edge || !s->of_edge || !s->silent_point || !s->silent_edge || !s->box)
        return ZN_ERROR_MEMORY;
    for (int i = 0; i < n_points; i++) s->point[i] = vec3_from(points + (size_t)3 * (size_t)i);
    for (int f = 0; f < n_facets; f++)
        for (int k = 0; k < corners; k++) s->facet[f][k] = facets[(size_t)corners * (size_t)f + (size_t)k];
    zn_status status = check_facets(context, s, name);
    if (status == ZN_OK && corners == 3) status = join_edges(context, s, closed, name);
    if (status == ZN_OK) status = join_points(context, s);
    if (status != ZN_OK) return status;
    for (int f = 0; f < n_facets; f++) s->normal[f] = vec3_normalised(facet_normal(s, f));
    find_silent(s);
    return ZN_OK;
}

zn_status surface_settle(zn_context *context, surface *s, vec3 centre, const mat3 *axes) {
    for (int i = 0; i < s->n_points; i++) s->point[i] = pose_point(centre, axes, s->point[i]);
    for (int f = 0; f < s->n_facets; f++) {
        s->normal[f] = mat3_apply(axes, s->normal[f]);
        box3 *b = &s->box[f];
        for (int k = 0; k < s->corners; k++) {
            double x[3];
            vec3_store(s->point[s->facet[f][k]], x);
            for (int j = 0; j < 3; j++) {
                b->lo[j] = k == 0 ? x[j] : smaller(b->lo[j], x[j]);
                b->hi[j] = k == 0 ? x[j] : larger(b->hi[j], x[j]);
            }
        }
        for (int j = 0; j < 3; j++) b->lo[j] -= s->radius, b->hi[j] += s->radius;
    }
    int *list = MEM_ARRAY(context, int, s->n_facets);
    if (!list) return ZN_ERROR_MEMORY;
    for (int f = 0; f < s->n_facets; f++) list[f] = f;
    zn_status status = tree_build(context, &s->tree, s->n_facets, s->box, list, s->n_facets);
    tree_trim(context, &s->tree);
    mem_free(context, list);
    return status;
}

void surface_free(zn_context *context, surface *s) {
    void *blocks[] = {s->point,        s->normal,      s->facet, s->facet_edge, s->edge, s->of_edge,
                      s->silent_point, s->silent_edge, s->start, s->beside,     s->box};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    tree_free(context, &s->tree);
    *s = (surface){0};
}

/* ---- asking ---- */

void surface_facet(const surface *s, int f, polytope *p) {
    int n = s->corners;
    p->n_vertices = n;
    p->n_faces = 1;
    p->n_edges = n == 3 ? 3 : 0;
    p->radius = s->radius;
    p->normal[0] = s->normal[f];
    p->start[0] = 0, p->start[1] = n;
    p->silent_face[0] = false;
    p->number[n] = s->n_points + f;
    for (int k = 0; k < n; k++) {
        p->vertex[k] = s->point[s->facet[f][k]];
        p->number[k] = s->facet[f][k];
        p->silent_vertex[k] = s->silent_point[s->facet[f][k]];
        /* in the plane a face goes counter-clockwise around what is behind it: from right to left of its front */
        p->loop[k] = n == 2 ? 1 - k : k;
        if (n == 2) continue;
        p->loop_edge[k] = k;
        p->edge[k][0] = k, p->edge[k][1] = (k + 1) % 3;
        p->side[k][0] = 0, p->side[k][1] = -1;
        p->number[n + 1 + k] = s->n_points + s->n_facets + s->facet_edge[f][k];
    }
}

bool surface_is_convex(const surface *s) {
    for (int e = 0; e < s->n_edges; e++)
        if (s->of_edge[e][1] < 0) return false;
    for (int f = 0; f < s->n_facets; f++)
        for (int g = 0; g < s->n_facets; g++)
            for (int k = 0; k < 3; k++) {
                vec3 to = vec3_sub(s->point[s->facet[g][k]], s->point[s->facet[f][0]]);
                if (!(vec3_dot(s->normal[f], to) <= SURFACE_FLAT * vec3_norm(to))) return false;
            }
    return true;
}

/* How much the surface around rises and falls along n (sines). It lies behind if it does not rise, or by no more than a share `tilt` of
 * what it falls: a body that stands on its corners tilts a little, and stands on all of them. */
typedef struct around {
    double rise, fall;
} around;

static void look_around(around *a, vec3 n, vec3 to) {
    double up = vec3_dot(n, to) / vec3_norm(to);
    a->rise = larger(a->rise, up);
    a->fall = larger(a->fall, -up);
}

static bool is_behind(const around *a, double tilt) { return a->rise <= SURFACE_FLAT + tilt * a->fall; }

bool surface_allows_point(const surface *s, int point, vec3 n, double tilt) {
    around a = {0, 0};
    if (s->silent_point[point]) return false;
    for (int j = s->start[point]; j < s->start[point + 1]; j++) look_around(&a, n, vec3_sub(s->point[s->beside[j]], s->point[point]));
    return is_behind(&a, tilt);
}

bool surface_allows_edge(const surface *s, int edge, vec3 n, double tilt) {
    around a = {0, 0};
    if (s->silent_edge[edge]) return false;
    for (int k = 0; k < 2; k++) {
        int f = s->of_edge[edge][k];
        if (f >= 0) look_around(&a, n, vec3_sub(s->point[opposite(s, f, edge)], s->point[s->edge[edge][0]]));
    }
    if (!is_behind(&a, tilt)) return false;
    /* an edge at the border of an open surface is touched from the front */
    return s->of_edge[edge][1] >= 0 || vec3_dot(n, s->normal[s->of_edge[edge][0]]) >= -SURFACE_FLAT;
}
