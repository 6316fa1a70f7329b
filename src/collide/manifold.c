/* SPDX-License-Identifier: Apache-2.0 */
/* From a direction of separation to candidates: which features of two hulls may touch along it.
 *
 * A face of one (the reference) against the other: the polygon of the other that faces it is clipped by the sides of the reference.
 * A vertex of what is left is one of three things, and each has an exact gap:
 *
 *   vertex of the polygon           ball, against the plane of the reference
 *   vertex of the reference         ball, against the plane of the polygon (two neighbouring sides clip there)
 *   crossing of two edges           line against line: their common normal is that of the faces when these are parallel, and the gap stays
 *                                   exact when one body tilts about either edge. Edges that are nearly parallel have no good
 *                                   common normal: there the point of the polygon's edge above the side is a ball, fixed to its body. While
 * it slides
 *                                   along the face its gap is exact; the list is renewed before it matters that another point is now above
 * the side.
 *
 * No vertex of the polygon beyond the sides is listed: bodies meet faces, not planes. Edge against edge: line against line;
 * nearly parallel edges: the ends of their common length, each a ball against the other's line. */
#include "collide/touch.h"

/* Edges whose nearest points lie inside of both are lines down to this sine; from COLLIDE_PARALLEL on down the ends of their common length
 * are listed, too. */
#define EDGES_ALONG 0.01

enum { CLIP_MOST = 128 };

typedef struct corner {
    vec3 x;
    int vertex; /* of the polygon, or -1 */
    int edge;   /* to the next corner: an edge of the polygon, or -1 - k: side k of the reference */
} corner;

typedef struct polygon {
    int n;
    corner at[CLIP_MOST];
} polygon;

/* ---- a face against a polygon ---- */

static void polygon_of(const placed *p, int face, polygon *out) {
    const polytope *P = p->of;
    out->n = P->start[face + 1] - P->start[face];
    for (int k = 0; k < out->n; k++) {
        int v = P->loop[P->start[face] + k];
        out->at[k] = (corner){p->vertex[v], v, P->disc ? k : P->n_edges > 0 ? P->loop_edge[P->start[face] + k] : 0};
    }
}

static bool has_corner(const polytope *P, int face, int vertex) {
    for (int k = P->start[face]; k < P->start[face + 1]; k++)
        if (P->loop[k] == vertex) return true;
    return false;
}

/* What of p faces the direction n (out of the reference): a face, else an edge, else a vertex. Returns the face or -1. The lowest vertex is
 * a part of it: of a pointed shape the face that is most nearly across n may be another one. */
static int facing(const placed *p, vec3 n, polygon *out) {
    const polytope *P = p->of;
    int face = -1, edge = -1, vertex = 0;
    double best = INFINITY, lowest = INFINITY;
    for (int i = 0; i < P->n_vertices; i++) {
        double x = vec3_dot(n, p->vertex[i]);
        if (x < lowest) lowest = x, vertex = i;
    }
    for (int f = 0; f < P->n_faces; f++) {
        double x = vec3_dot(n, p->normal[f]);
        if (x < best - 1e-12 && has_corner(P, f, vertex)) best = x, face = f;
    }
    if (face >= 0) {
        polygon_of(p, face, out);
        return face;
    }
    for (int e = 0; e < P->n_edges && edge < 0; e++)
        if (P->edge[e][0] == vertex || P->edge[e][1] == vertex) edge = e;
    out->n = edge < 0 ? 1 : 2;
    out->at[0] = (corner){p->vertex[vertex], vertex, edge};
    if (edge >= 0) {
        int other = P->edge[edge][0] == vertex ? P->edge[edge][1] : P->edge[edge][0];
        out->at[1] = (corner){p->vertex[other], other, edge};
    }
    return -1;
}

/* What of the polygon lies where m.(x - at) <= border. */
static void clip(polygon *p, vec3 m, vec3 at, double border, int side) {
    polygon q = {0};
    for (int k = 0; k < p->n; k++) {
        const corner *a = &p->at[k], *b = &p->at[(k + 1) % p->n];
        double x = vec3_dot(m, vec3_sub(a->x, at)) - border, y = vec3_dot(m, vec3_sub(b->x, at)) - border;
        if (x <= 0 && q.n < CLIP_MOST) q.at[q.n++] = *a;
        if ((x <= 0) == (y <= 0) || q.n >= CLIP_MOST || p->n == 1) continue;
        vec3 cut = vec3_add_scaled(a->x, x / (x - y), vec3_sub(b->x, a->x));
        q.at[q.n++] = (corner){cut, -1, x <= 0 ? -1 - side : a->edge};
    }
    *p = q;
}

/* Where the line through two corners of the polygon leaves a disc, seen along its normal: the point between them. */
static vec3 leave_disc(const placed *r, vec3 inside, vec3 outside) {
    vec3 c = {0, 0, 0}, n = r->normal[0];
    for (int k = 0; k < r->of->n_vertices; k++) c = vec3_add_scaled(c, 1.0 / r->of->n_vertices, r->vertex[k]);
    vec3 p = vec3_sub(inside, c), d = vec3_sub(outside, inside);
    vec3 q = vec3_add_scaled(p, -vec3_dot(p, n), n), e = vec3_add_scaled(d, -vec3_dot(d, n), n);
    double ee = vec3_dot(e, e), qe = vec3_dot(q, e), left = qe * qe - ee * (vec3_dot(q, q) - r->of->ring * r->of->ring);
    if (!(ee > 0) || !(left >= 0)) return inside;
    return vec3_add_scaled(inside, (sqrt(left) - qe) / ee, d);
}

/* A crossing of an edge of the polygon with side k of the reference: its face, the corner there, and the neighbour of that on the edge. */
typedef struct cross {
    int side, edge;
    const corner *at, *inner;
} cross;

/* Of what is deep: nearly parallel edges of surfaces that cross deeper than this are those of faces that do not face each other. */
static const double shallow = 0.1;

static zn_status crossing(meeting *m, const placed *r, int face, const placed *p, int of_face, const cross *x_of) {
    const polytope *R = r->of;
    const corner *c = x_of->at, *inner = x_of->inner;
    int k = x_of->side, edge = x_of->edge;
    if (R->start[face + 1] - R->start[face] == 2) { /* in the plane: the end of the reference, against the face of the polygon */
        if (of_face < 0) return ZN_OK;
        return touch_vertex_on_face(m, r, R->loop[R->start[face] + k], p, of_face);
    }
    bool round = R->disc || p->of->disc || (p->of->round && p->of->n_edges == 0);
    int side = R->disc ? 0 : R->loop_edge[R->start[face] + k];
    bool done = false;
    zn_status status = round ? ZN_OK : touch_edge_on_edge(m, p, edge, r, side, r->normal[face], COLLIDE_PARALLEL, &done);
    if (status != ZN_OK || done) return status;
    bool silent = (!p->of->disc && !touch_allows_edge(m, p, edge, vec3_scale(-1, r->normal[face]), FACES_TILT)) ||
                  (!R->disc && !touch_allows_edge(m, r, side, r->normal[face], FACES_TILT));
    if (silent) return ZN_OK;
    vec3 x = R->disc && inner ? leave_disc(r, inner->x, c->x) : c->x;
    double gap = vec3_dot(r->normal[face], vec3_sub(x, r->vertex[R->loop[R->start[face]]])) - p->of->radius - R->radius;
    if (p->surface && r->surface &&
        (gap < -shallow * m->deep || touch_leaves_beside(m, r, x, gap) ||
         vec3_norm(vec3_cross(touch_edge_of(p, edge), touch_edge_of(r, side))) >= COLLIDE_PARALLEL))
        return ZN_OK; /* edges that cross, and do not touch */
    feature f = feature_vertex(m->world, p, 0, FEATURE_BALL), g = feature_face(m->world, r, face);
    if (gap <= m->reach) touch_limit(m, 0); /* the point of now */
    vec3_store(mat3_apply_transposed(&p->A, vec3_sub(x, p->r)), f.point);
    if (p->of->disc)
        return touch_emit(m, (half){p, edge, f, false},
                          (half){r, R->disc ? touch_index_of_face(r, face) : touch_index_of_edge(r, side), g, false}, 1, gap);
    return touch_emit(m, (half){p, touch_index_of_edge(p, edge), f, false}, (half){r, R->disc ? k : touch_index_of_edge(r, side), g, true},
                      1, gap);
}

/* How far corners within reach are from the sides of the other polygon: then the clipped polygon has other corners. */
static void limit_by_sides(meeting *m, const placed *r, int face, const polygon *p) {
    int n = r->of->start[face + 1] - r->of->start[face];
    for (int k = 0; k < n; k++) {
        vec3 at, out = touch_side_out(r, face, k, &at);
        for (int i = 0; i < p->n; i++) {
            vec3 d = vec3_sub(p->at[i].x, at);
            if (fabs(vec3_dot(r->normal[face], d)) <= m->reach + m->a->of->radius + m->b->of->radius) touch_limit(m, vec3_dot(out, d));
        }
    }
}

static zn_status face_on(meeting *m, const placed *r, int face, const placed *p) {
    polygon poly, own;
    if (r->of->silent_face[face]) return ZN_OK;
    int of_face = facing(p, r->normal[face], &poly), n = r->of->start[face + 1] - r->of->start[face];
    limit_by_sides(m, r, face, &poly);
    if (of_face >= 0) {
        polygon_of(r, face, &own);
        limit_by_sides(m, p, of_face, &own);
    }
    for (int k = 0; k < n; k++) {
        vec3 at, out = touch_side_out(r, face, k, &at);
        clip(&poly, out, at, touch_side_border(m, r, k), k);
    }
    zn_status status = ZN_OK;
    for (int k = 0; k < poly.n && status == ZN_OK; k++) {
        const corner *c = &poly.at[k];
        int before = poly.at[(k + poly.n - 1) % poly.n].edge, after = c->edge;
        if (c->vertex >= 0) status = touch_vertex_on_face(m, p, c->vertex, r, face);
        else if (before < 0 && after < 0) {
            /* between two sides: the vertex where they meet, against the polygon's face */
            int i = -1 - before, j = -1 - after;
            int corner_of = (i + 1) % n == j ? j : (j + 1) % n == i ? i : -1;
            if (of_face < 0 || corner_of < 0) continue;
            status = touch_vertex_on_face(m, r, r->of->loop[r->of->start[face] + corner_of], p, of_face);
        } else {
            const corner *inner = &poly.at[before < 0 ? (k + 1) % poly.n : (k + poly.n - 1) % poly.n];
            status = crossing(m, r, face, p, of_face, &(cross){-1 - (before < 0 ? before : after), before < 0 ? after : before, c, inner});
        }
    }
    return status;
}

/* ---- edges ---- */

/* The end of an edge against one that is nearly parallel. Sharp ones have no distance that is smooth at the touch: there the touched edge
 * is a plane with the normal n of now, fixed to its body. */
static zn_status end_on_edge(meeting *m, const placed *a, int vertex, const placed *b, int edge, vec3 n) {
    if (a->of->radius + touch_edge_radius(b) > 0) return touch_vertex_on_edge(m, a, vertex, b, edge, n);
    if (!touch_allows_vertex(a, vertex, vec3_scale(-1, n), 0) || !touch_allows_edge(m, b, edge, n, 0)) return ZN_OK;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_edge(m->world, b, edge);
    g.kind = FEATURE_PLANE;
    g.half_length = 0;
    touch_limit(m, 0);
    vec3_store(mat3_apply_transposed(&b->A, n), g.axis);
    double gap = vec3_dot(n, vec3_sub(a->vertex[vertex], b->vertex[b->of->edge[edge][0]]));
    return touch_emit(m, (half){a, vertex, f, false}, (half){b, touch_index_of_edge(b, edge), g, false}, 1, gap);
}

/* Edges that are nearly parallel: the ends of their common length. n from b to a. */
static zn_status edges_along(meeting *m, const placed *a, int i, const placed *b, int j, vec3 n) {
    const placed *p[2] = {a, b};
    const int e[2] = {i, j};
    zn_status status = ZN_OK;
    for (int side = 0; side < 2; side++) {
        const placed *x = p[side], *y = p[1 - side];
        vec3 along = touch_edge_of(y, e[1 - side]), from = y->vertex[y->of->edge[e[1 - side]][0]];
        double length = touch_edge_length(y, e[1 - side]);
        for (int k = 0; k < 2 && status == ZN_OK; k++) {
            int v = x->of->edge[e[side]][k];
            double s = vec3_dot(along, vec3_sub(x->vertex[v], from));
            /* Ends that coincide count once: as those of the shape with the smaller number. */
            bool first = x->shape < y->shape;
            double border = first ? m->border : -m->border;
            if (s >= -border && s <= length + border) status = end_on_edge(m, x, v, y, e[1 - side], vec3_scale(side == 0 ? 1 : -1, n));
        }
    }
    return status;
}

/* The edge of p at a vertex that is most nearly parallel to a direction, and lies across n; -1: none. */
static int edge_beside(const placed *p, int vertex, vec3 along, vec3 n) {
    int best = -1;
    double least = COLLIDE_PARALLEL;
    for (int e = 0; e < p->of->n_edges; e++) {
        if (p->of->edge[e][0] != vertex && p->of->edge[e][1] != vertex) continue;
        vec3 u = touch_edge_of(p, e);
        double sine = vec3_norm(vec3_cross(u, along));
        if (sine < least && fabs(vec3_dot(u, n)) < COLLIDE_PARALLEL) least = sine, best = e;
    }
    return best;
}

static int edge_between(const placed *p, int v, int w) {
    for (int e = 0; e < p->of->n_edges; e++)
        if ((p->of->edge[e][0] == v && p->of->edge[e][1] == w) || (p->of->edge[e][0] == w && p->of->edge[e][1] == v)) return e;
    return -1;
}

/* The face of p whose normal is n, or -1. */
static int face_along(const placed *p, vec3 n, double sine) {
    for (int f = 0; f < p->of->n_faces; f++)
        if (vec3_dot(p->normal[f], n) > 0 && vec3_norm(vec3_cross(p->normal[f], n)) < sine) return f;
    return -1;
}

/* Nearest points that lie in no face: vertices and edges. */
static zn_status points_apart(meeting *m, const separation *s) {
    const placed *a = m->a, *b = m->b;
    int e = s->count[0] == 2 ? edge_between(a, s->vertex[0][0], s->vertex[0][1]) : -1;
    int f = s->count[1] == 2 ? edge_between(b, s->vertex[1][0], s->vertex[1][1]) : -1;
    int v = s->vertex[0][0], w = s->vertex[1][0];
    if (f >= 0 && e < 0) e = edge_beside(a, v, touch_edge_of(b, f), s->n);
    else if (e >= 0 && f < 0) f = edge_beside(b, w, touch_edge_of(a, e), s->n);
    if (e >= 0 && f >= 0) {
        bool done;
        zn_status status = touch_edge_on_edge(m, a, e, b, f, s->n, EDGES_ALONG, &done);
        bool turned = vec3_norm(vec3_cross(touch_edge_of(a, e), touch_edge_of(b, f))) >= COLLIDE_PARALLEL;
        return (done && turned) || status != ZN_OK ? status : edges_along(m, a, e, b, f, s->n);
    }
    if (f >= 0) return touch_vertex_on_edge(m, a, v, b, f, s->n);
    if (e >= 0) return touch_vertex_on_edge(m, b, w, a, e, vec3_scale(-1, s->n));
    /* the one with the smaller number touches */
    return a->shape < b->shape ? touch_vertex_on_vertex(m, a, v, b, w, s->n) : touch_vertex_on_vertex(m, b, w, a, v, vec3_scale(-1, s->n));
}

/* A face nearly across the direction of nearest points that are at its border, and beyond it by less than the direction is known: they lie
 * in no face. */
static zn_status face_or_points(meeting *m, const placed *r, int face, const placed *p, const separation *s) {
    size_t listed = m->list->count;
    zn_status status = face_on(m, r, face, p);
    return status != ZN_OK || m->list->count > listed ? status : points_apart(m, s);
}

/* A facet of a surface, touched from its front: first what is above it, unless it lies deep behind; then, where another direction separates
 * better, its edges and points, as far as they are allowed to touch. */
static zn_status facet_met(meeting *m, const placed *facet, const placed *other) {
    vec3 n = facet->normal[0], at = facet->vertex[0];
    if (!other->surface && !(vec3_dot(n, vec3_sub(other->centre, at)) >= 0)) return ZN_OK;
    double lowest = INFINITY;
    for (int i = 0; i < other->of->n_vertices; i++) lowest = smaller(lowest, vec3_dot(n, vec3_sub(other->vertex[i], at)));
    lowest -= facet->of->radius + other->of->radius;
    if (lowest < -m->deep || lowest > m->reach) return ZN_OK;
    return face_on(m, facet, 0, other);
}

/* Two facets: what is above each of them, and all edges that cross. The best direction of the two alone says nothing about their bodies. */
static zn_status facets_met(meeting *m, vec3 n) {
    zn_status status = ZN_OK;
    for (int i = 0; i < m->a->of->n_edges; i++)
        for (int j = 0; j < m->b->of->n_edges && status == ZN_OK; j++) {
            bool done;
            status = touch_edge_on_edge(m, m->a, i, m->b, j, n, EDGES_ALONG, &done);
        }
    return status;
}

/* The face beside one of two edges that is most nearly across their normal n (from b to a), or -1. */
static int face_beside_edges(const meeting *m, const separation *s, bool *of_a) {
    const placed *p[2] = {m->a, m->b};
    int best = -1;
    double least = FACES_TILT;
    for (int k = 0; k < 4; k++) {
        const placed *x = p[k / 2];
        int face = x->of->side[s->edge[k / 2]][k % 2];
        if (face < 0 || (vec3_dot(x->normal[face], s->n) > 0) == (x == m->a)) continue;
        double sine = vec3_norm(vec3_cross(x->normal[face], s->n));
        if (sine < least) least = sine, best = face, *of_a = x == m->a;
    }
    return best;
}

/* Edges of bodies that have sunk into each other. Where a face beside them is nearly across their normal, they are the deepest corner of
 * what this face shares with the other body, now the one and now the other, as the bodies rock. All of these corners are listed: they would
 * sink farther each time, with schemes on velocity level for good. */
static zn_status corners_sunk(meeting *m, const separation *s) {
    bool of_a = false;
    int face = m->sunk ? face_beside_edges(m, s, &of_a) : -1;
    if (face < 0) return ZN_OK;
    touch_limit(m, 0); /* another corner may be the deepest one soon */
    return of_a ? face_on(m, m->a, face, m->b) : face_on(m, m->b, face, m->a);
}

zn_status manifold_of(meeting *m, const separation *s) {
    bool done;
    int face;
    zn_status status = ZN_OK;
    if (m->b->surface) status = facet_met(m, m->b, m->a);
    if (m->a->surface && status == ZN_OK) status = facet_met(m, m->a, m->b);
    if (m->a->surface && m->b->surface && status == ZN_OK) return facets_met(m, s->n);
    if (status != ZN_OK) return status;
    switch (s->kind) {
    case AXIS_FACE_B: return face_on(m, m->b, s->face, m->a);
    case AXIS_FACE_A: return face_on(m, m->a, s->face, m->b);
    case AXIS_EDGES:
        status = corners_sunk(m, s);
        if (status != ZN_OK) return status;
        status = touch_edge_on_edge(m, m->a, s->edge[0], m->b, s->edge[1], s->n, EDGES_ALONG, &done);
        if (done || status != ZN_OK ||
            vec3_norm(vec3_cross(touch_edge_of(m->a, s->edge[0]), touch_edge_of(m->b, s->edge[1]))) >= EDGES_ALONG)
            return status;
        return edges_along(m, m->a, s->edge[0], m->b, s->edge[1], s->n);
    case AXIS_FREE:
        face = face_along(m->b, s->n, 1e-5);
        if (face >= 0) return face_or_points(m, m->b, face, m->a, s);
        face = face_along(m->a, vec3_scale(-1, s->n), 1e-5);
        if (face >= 0) return face_or_points(m, m->a, face, m->b, s);
        return points_apart(m, s);
    default: return ZN_OK;
    }
}

/* ---- round pieces ---- */

/* The vertices of a part that are outermost along `out`: one, or the two of an edge. */
static void outermost(const placed *p, vec3 out, int *count, int vertex[4]) {
    double most = -INFINITY, size = 0;
    for (int i = 0; i < p->of->n_vertices; i++) {
        most = larger(most, vec3_dot(out, p->vertex[i]));
        size = larger(size, vec3_norm(vec3_sub(p->vertex[i], p->vertex[0])));
    }
    *count = 0;
    for (int i = 0; i < p->of->n_vertices && *count < 4; i++)
        if (vec3_dot(out, p->vertex[i]) >= most - 1e-4 * size) vertex[(*count)++] = i;
}

/* An edge or a corner instead of a face: the two of them that are farthest out. */
static void keep_edge(const placed *p, vec3 out, int *count, int vertex[4]) {
    while (*count > 2) {
        int least = 0;
        for (int i = 1; i < *count; i++)
            if (vec3_dot(out, p->vertex[vertex[i]]) < vec3_dot(out, p->vertex[vertex[least]])) least = i;
        vertex[least] = vertex[--*count];
    }
}

/* At least; in the plane a face has two. */
static int corners_of_faces(const placed *p) { return p->of->n_faces > 0 && p->of->n_edges == 0 ? 2 : 3; }

/* a, b: the parts that face each other along n; kind and face: those of the pieces. */
zn_status manifold_of_parts(meeting *m, const separation *found) {
    const placed *a = m->a, *b = m->b;
    separation s = *found;
    int face_a = a->of->disc ? 0 : s.kind == AXIS_FACE_A ? s.face : -1, face_b = b->of->disc ? 0 : s.kind == AXIS_FACE_B ? s.face : -1;
    if (a->of->disc || b->of->disc) touch_limit(m, 0);
    if (s.kind == AXIS_FACE_B || (face_b >= 0 && s.kind != AXIS_FACE_A)) return face_on(m, b, face_b, a);
    if (face_a >= 0) return face_on(m, a, face_a, b);
    outermost(a, vec3_scale(-1, s.n), &s.count[0], s.vertex[0]);
    outermost(b, s.n, &s.count[1], s.vertex[1]);
    int face = b->of->round || s.count[1] < corners_of_faces(b) ? -1 : face_along(b, s.n, 1e-3);
    bool of_a = face < 0;
    if (of_a) face = a->of->round || s.count[0] < corners_of_faces(a) ? -1 : face_along(a, vec3_scale(-1, s.n), 1e-3);
    if (face < 0) return points_apart(m, &s);
    keep_edge(a, vec3_scale(-1, s.n), &s.count[0], s.vertex[0]);
    keep_edge(b, s.n, &s.count[1], s.vertex[1]);
    return face_or_points(m, of_a ? a : b, face, of_a ? b : a, &s);
}
