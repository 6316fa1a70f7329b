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
 *                                   common normal: there the point of the polygon's edge above the side is a ball, fixed to its body. While it slides
 *                                   along the face its gap is exact; the list is renewed before it matters that another point is now above the side.
 *
 * No vertex of the polygon beyond the sides is listed: bodies meet faces, not planes. Edge against edge: line against line;
 * nearly parallel edges: the ends of their common length, each a ball against the other's line. */
#include "collide/internal.h"

/* Edges whose nearest points lie inside of both are lines down to this sine; from COLLIDE_PARALLEL on down the ends of their common length are listed, too. */
#define EDGES_ALONG 0.01
/* Corners and edges of surfaces that lie on faces may be off their normals by this (sine, of sharp ones): see surface.c. */
#define FACES_TILT 0.1

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

/* ---- pieces of candidates ---- */

typedef struct half {
    const placed *of;
    int index; /* of the feature, counted within the piece */
    feature is;
    bool stands_in; /* for the feature with this index, as something else: it has a number of its own, beyond all others */
} half;

static int number_of(const half *h) {
    const polytope *P = h->of->of;
    const surface *S = h->of->surface;
    int all = S ? S->n_points + S->n_facets + S->n_edges : P->n_vertices + P->n_faces + P->n_edges;
    return P->number[h->index] + (h->stands_in ? all : 0);
}

/* a, b: the touching and the touched one */
static zn_status emit(meeting *m, half a, half b, double side, double gap) {
    if (!(gap <= m->reach)) return ZN_OK;
    collide_candidate c = {
        .shape = {a.of->shape, b.of->shape}, .feature = {number_of(&a), number_of(&b)}, .of = {a.is, b.is}, .side = side, .gap = gap};
    return candidate_add(m->world, m->list, &c);
}

/* Features are others after a way like this. */
static void limit(meeting *m, double way) { m->slack = smaller(m->slack, fabs(way)); }

static int index_of_face(const placed *p, int f) { return p->of->n_vertices + f; }
static int index_of_edge(const placed *p, int e) { return p->of->n_vertices + p->of->n_faces + e; }

/* An edge: on the side of a cylinder its axis, with its radius. */
static vec3 edge_end(const placed *p, int e, int k) {
    const polytope *of = p->of->round;
    if (of && of->core == CORE_CYLINDER) return pose_point(p->r, &p->A, of->vertex[k]);
    return p->vertex[p->of->edge[e][k]];
}
static double edge_radius(const placed *p) {
    const polytope *of = p->of->round;
    return p->of->radius + (of && of->core == CORE_CYLINDER ? of->ring : 0);
}
static vec3 edge_of(const placed *p, int e) { return vec3_normalised(vec3_sub(edge_end(p, e, 1), edge_end(p, e, 0))); }
static double edge_length(const placed *p, int e) { return vec3_norm(vec3_sub(edge_end(p, e, 1), edge_end(p, e, 0))); }
static feature edge_feature(const meeting *m, const placed *p, int e) {
    feature f = feature_edge(m->world, p, e);
    round_edge(p, &f);
    return f;
}
static bool is_ring(const placed *p, int v) {
    const polytope *of = p->of->round;
    return of && !p->of->disc && p->of->n_vertices == 2 && !(of->core == CORE_CONE && v == 1);
}
static bool is_cone(const placed *p) { return p->of->round && p->of->round->core == CORE_CONE; }
static bool is_ellipsoid(const placed *p) { return p->of->round && p->of->round->core == CORE_ELLIPSOID; }

/* Whether a vertex or an edge may touch in the direction n, out of p: see surface.c. */
static bool allows_vertex(const placed *p, int v, vec3 n, double tilt) {
    if (p->of->silent_vertex[v]) return false;
    return !p->surface || surface_allows_point(p->surface, p->of->number[v], mat3_apply_transposed(&p->A, n), tilt);
}
static bool allows_edge(const placed *p, int e, vec3 n, double tilt) {
    const polytope *P = p->of;
    if (P->round && P->round->core == CORE_CONE) { /* its generator touches along the normal of the side there */
        vec3 axis = vec3_normalised(vec3_sub(P->round->vertex[1], P->round->vertex[0]));
        vec3 along = vec3_normalised(vec3_sub(P->vertex[1], P->vertex[0])),
             normal = vec3_normalised(vec3_add_scaled(axis, -vec3_dot(axis, along), along));
        return vec3_dot(mat3_apply(&p->A, normal), n) > 0.99;
    }
    vec3 along = vec3_normalised(vec3_sub(p->vertex[P->edge[e][1]], p->vertex[P->edge[e][0]]));
    for (int k = 0; k < 2 && !p->surface; k++) {
        if (P->side[e][k] < 0) continue;
        vec3 into = vec3_cross(p->normal[P->side[e][k]], vec3_scale(k == 0 ? 1 : -1, along)); /* from the edge over its face */
        if (vec3_dot(n, into) > 1e-6) return false;
    }
    return !p->surface || surface_allows_edge(p->surface, p->surface->facet_edge[p->facet][e], mat3_apply_transposed(&p->A, n), tilt);
}

/* The direction out of the reference face over its side k. In the plane the sides are its two ends. */
static vec3 side_out(const placed *r, int face, int k, vec3 *at) {
    const polytope *R = r->of;
    int n = R->start[face + 1] - R->start[face];
    const int *loop = R->loop + R->start[face];
    vec3 a = r->vertex[loop[k]], b = r->vertex[loop[(k + 1) % n]];
    *at = a;
    if (R->disc) { /* around the circle, not in it */
        vec3 out = vec3_normalised(vec3_cross(vec3_sub(b, a), r->normal[face]));
        *at = vec3_add_scaled(a, R->ring * (1 - cos(acos(-1) / n)), out);
        return out;
    }
    return n == 2 ? vec3_normalised(vec3_sub(a, b)) : vec3_normalised(vec3_cross(vec3_sub(b, a), r->normal[face]));
}

static bool is_over(const placed *p, int face, vec3 x, double border) {
    int n = p->of->start[face + 1] - p->of->start[face];
    if (p->of->disc) {
        vec3 c = vec3_scale(0.5, vec3_add(p->vertex[0], p->vertex[n / 2])), d = vec3_sub(x, c);
        return vec3_norm(vec3_add_scaled(d, -vec3_dot(d, p->normal[0]), p->normal[0])) <= p->of->ring + border;
    }
    for (int k = 0; k < n; k++) {
        vec3 at, out = side_out(p, face, k, &at);
        if (!(vec3_dot(out, vec3_sub(x, at)) <= border)) return false;
    }
    return true;
}

static double to_border(const placed *p, int face, vec3 x) {
    double least = INFINITY;
    for (int k = 0; k < p->of->start[face + 1] - p->of->start[face]; k++) {
        vec3 at, out = side_out(p, face, k, &at);
        least = smaller(least, fabs(vec3_dot(out, vec3_sub(x, at))));
    }
    return least;
}

static zn_status vertex_on_face(meeting *m, const placed *a, int vertex, const placed *b, int face) {
    vec3 n = b->normal[face];
    if (b->of->silent_face[face] || !allows_vertex(a, vertex, vec3_scale(-1, n), FACES_TILT) ||
        !is_over(b, face, a->vertex[vertex], 2 * m->border))
        return ZN_OK;
    double gap = vec3_dot(n, vec3_sub(a->vertex[vertex], b->vertex[b->of->loop[b->of->start[face]]])) - a->of->radius - b->of->radius;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_face(m->world, b, face);
    if (is_ring(a, vertex) || is_ellipsoid(a)) {
        g.radius += a->of->round->radius;
        round_vertex(a, vertex, &f);
        limit(m, round_slack(m->world, a, n));
        limit(m, to_border(b, face, a->vertex[vertex]) * round_pace(m->world, a, n));
    }
    return emit(m, (half){a, vertex, f, false}, (half){b, index_of_face(b, face), g, false}, 1, gap);
}

/* The line along the rim at its vertex v, in K. */
static vec3 rim_along(const placed *p, int v) {
    const polytope *of = p->of->round;
    return vec3_normalised(vec3_cross(vec3_sub(of->vertex[1], of->vertex[0]), vec3_sub(p->of->vertex[v], of->vertex[v])));
}

static half rim_line(const meeting *m, const placed *p, int v) {
    half h = {p, v, feature_vertex(m->world, p, v, FEATURE_LINE), false};
    vec3_store(rim_along(p, v), h.is.axis);
    return h;
}

/* Two lines that touch along n (from b to a) where they are now. Nearly parallel ones: a as a ball, b as a plane across n, both fixed to their bodies. */
static zn_status lines_cross(meeting *m, half a, half b, vec3 n) {
    vec3 u = mat3_apply(&a.of->A, vec3_from(a.is.axis)), v = mat3_apply(&b.of->A, vec3_from(b.is.axis)), cross = vec3_cross(u, v);
    vec3 d = mat3_apply(&a.of->A, vec3_from(a.is.point)), e = mat3_apply(&b.of->A, vec3_from(b.is.point));
    d = vec3_sub(vec3_add(a.of->r, d), vec3_add(b.of->r, e));
    double size = vec3_norm(cross), side = vec3_dot(cross, n) >= 0 ? 1 : -1, radii = a.is.radius + b.is.radius;
    limit(m, 0);
    if (size >= COLLIDE_PARALLEL) {
        double gap = side * vec3_dot(cross, d) / size - radii;
        return a.of->shape < b.of->shape ? emit(m, a, b, side, gap) : emit(m, b, a, side, gap);
    }
    a.is.kind = FEATURE_BALL;
    b.is.kind = FEATURE_PLANE;
    vec3_store(mat3_apply_transposed(&b.of->A, n), b.is.axis);
    return emit(m, a, b, 1, vec3_dot(n, d) - radii);
}

/* A ball on the side of a cone. */
static zn_status vertex_on_cone(meeting *m, const placed *a, int vertex, const placed *b) {
    const polytope *cone = b->of->round;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_vertex(m->world, b, 1, FEATURE_CONE);
    vec3 into = vec3_sub(cone->vertex[0], cone->vertex[1]);
    vec3_store(cone->vertex[1], g.point);
    vec3_store(vec3_normalised(into), g.axis);
    g.half_length = atan2(cone->ring, vec3_norm(into));
    return emit(m, (half){a, vertex, f, false}, (half){b, index_of_edge(b, 0), g, false}, 1, 0);
}

/* about: the direction from b to a, which the distance of sharp ones does not show when they overlap. */
static zn_status vertex_on_edge(meeting *m, const placed *a, int vertex, const placed *b, int edge, vec3 about) {
    vec3 p = edge_end(b, edge, 0), along = edge_of(b, edge);
    vec3 d = vec3_sub(a->vertex[vertex], p), out = vec3_add_scaled(d, -vec3_dot(d, along), along);
    double distance = vec3_norm(out), gap = distance - a->of->radius - edge_radius(b);
    vec3 n = a->of->radius + edge_radius(b) > 0 ? vec3_scale(1 / distance, out) : about;
    if (!(distance > 0) || !allows_vertex(a, vertex, vec3_scale(-1, n), 0) || !allows_edge(b, edge, n, 0)) return ZN_OK;
    limit(m, vec3_dot(d, along));
    limit(m, vec3_dot(vec3_sub(a->vertex[vertex], edge_end(b, edge, 1)), along));
    for (int k = 0; k < 2; k++) /* n turns into the normal of a face beside the edge */
        if (b->of->side[edge][k] >= 0) limit(m, distance * vec3_norm(vec3_cross(n, b->normal[b->of->side[edge][k]])));
    if (is_ellipsoid(a)) limit(m, 0);
    if (is_ring(a, vertex))
        return lines_cross(m, rim_line(m, a, vertex), (half){b, index_of_edge(b, edge), edge_feature(m, b, edge), false}, n);
    if (is_cone(b)) return vertex_on_cone(m, a, vertex, b);
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = edge_feature(m, b, edge);
    return emit(m, (half){a, vertex, f, false}, (half){b, index_of_edge(b, edge), g, false}, 1, gap);
}

/* A vertex against a vertex; about: as above. Rims and ellipsoids are touched: as such by balls; sharp ones by a point across the direction of now. */
static zn_status vertex_on_vertex(meeting *m, const placed *a, int i, const placed *b, int j, vec3 about) {
    if ((is_ring(a, i) && !is_ring(b, j)) || (is_ellipsoid(a) && !is_ring(b, j) && !is_ellipsoid(b)))
        return vertex_on_vertex(m, b, j, a, i, vec3_scale(-1, about));
    vec3 d = vec3_sub(a->vertex[i], b->vertex[j]);
    double radii = a->of->radius + b->of->radius, gap = vec3_norm(d) - radii;
    vec3 n = radii > 0 ? vec3_normalised(d) : about;
    if (!allows_vertex(a, i, vec3_scale(-1, n), 0) || !allows_vertex(b, j, n, 0)) return ZN_OK;
    if (is_ring(a, i)) return lines_cross(m, rim_line(m, a, i), rim_line(m, b, j), n);
    if (a->of->n_vertices > 1 || b->of->n_vertices > 1 || is_ellipsoid(a)) limit(m, 0);
    feature f = feature_vertex(m->world, a, i, FEATURE_BALL), g = feature_vertex(m->world, b, j, FEATURE_SPHERE);
    if (is_ring(b, j) && radii == 0) {
        g.kind = FEATURE_PLANE;
        vec3_store(mat3_apply_transposed(&b->A, n), g.axis);
        gap = vec3_dot(n, d);
    } else if (is_ring(b, j) || (is_ellipsoid(b) && !is_ellipsoid(a))) {
        f.radius += b->of->round->radius; /* that of its rounding */
        round_vertex(b, j, &g);
    }
    return emit(m, (half){a, i, f, false}, (half){b, j, g, false}, 1, gap);
}

/* Face k beside an edge, and a point of it: false: there is none. */
static bool face_beside(const placed *p, int e, int k, vec3 *normal, vec3 *at) {
    *at = p->vertex[p->of->edge[e][0]];
    if (p->surface) {
        int f = p->surface->of_edge[p->surface->facet_edge[p->facet][e]][k];
        if (f >= 0) *normal = mat3_apply(&p->A, p->surface->normal[f]);
        return f >= 0;
    }
    if (p->of->side[e][k] < 0) return false;
    *normal = p->normal[p->of->side[e][k]];
    return true;
}

/* Edges of surfaces that are in each other: whether an end of one is less deep behind a face beside the other, so that the face pushes it out on a shorter way. */
static bool ends_are_nearer(const placed *a, int i, const placed *b, int j, double gap) {
    for (int k = 0; k < 2; k++) {
        vec3 n, at;
        if (!face_beside(b, j, k, &n, &at)) continue;
        double x = vec3_dot(n, vec3_sub(edge_end(a, i, 0), at)), y = vec3_dot(n, vec3_sub(edge_end(a, i, 1), at));
        if (smaller(x, y) > gap) return true;
    }
    return false;
}

/* Line against line, if they enclose `sine` at least, the nearest points lie in both edges, and both bodies lie behind them. n: about their normal,
 * from b to a. */
static zn_status edge_on_edge(meeting *m, const placed *a, int i, const placed *b, int j, vec3 n, double sine, bool *done) {
    vec3 u = edge_of(a, i), v = edge_of(b, j), d = vec3_sub(edge_end(a, i, 0), edge_end(b, j, 0));
    vec3 cross = vec3_cross(u, v);
    double size = vec3_norm(cross), cosine = vec3_dot(u, v), sine2 = size * size;
    *done = false;
    if (!(size >= sine)) return ZN_OK;
    double most = m->border, s = (cosine * vec3_dot(d, v) - vec3_dot(d, u)) / sine2, t = (vec3_dot(d, v) - cosine * vec3_dot(d, u)) / sine2;
    if (!(s >= -most && s <= edge_length(a, i) + most && t >= -most && t <= edge_length(b, j) + most)) return ZN_OK;
    double side = vec3_dot(cross, n) >= 0 ? 1 : -1;
    for (int turn = 0; turn < 2; turn++, side = -side) {
        vec3 out = vec3_scale(side / size, cross);
        if (allows_edge(a, i, vec3_scale(-1, out), FACES_TILT) && allows_edge(b, j, out, FACES_TILT)) break;
        if (turn == 1) return ZN_OK;
    }
    double gap = side * vec3_dot(cross, d) / size - edge_radius(a) - edge_radius(b);
    if (a->surface && b->surface && gap < -m->border &&
        (gap < -m->deep || ends_are_nearer(a, i, b, j, gap) || ends_are_nearer(b, j, a, i, gap)))
        return ZN_OK;
    *done = true;
    limit(m, s), limit(m, edge_length(a, i) - s), limit(m, t), limit(m, edge_length(b, j) - t);
    if (is_cone(a) || is_cone(b)) limit(m, 0); /* the generator of now */
    feature f = edge_feature(m, a, i), g = edge_feature(m, b, j);
    /* The one with the smaller number touches, so that the pair has one name whoever is asked first. */
    if (a->shape < b->shape) return emit(m, (half){a, index_of_edge(a, i), f, false}, (half){b, index_of_edge(b, j), g, false}, side, gap);
    return emit(m, (half){b, index_of_edge(b, j), g, false}, (half){a, index_of_edge(a, i), f, false}, side, gap);
}

/* ---- a face against a polygon ---- */

static void polygon_of(const placed *p, int face, polygon *out) {
    const polytope *P = p->of;
    out->n = P->start[face + 1] - P->start[face];
    for (int k = 0; k < out->n; k++) {
        int v = P->loop[P->start[face] + k];
        out->at[k] = (corner){p->vertex[v], v, P->disc ? k : P->n_edges > 0 ? P->loop_edge[P->start[face] + k] : 0};
    }
}

/* What of p faces the direction n (out of the reference): a face, else an edge, else a vertex. Returns the face or -1. */
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
        if (x < best - 1e-12) best = x, face = f;
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

static zn_status crossing(meeting *m, const placed *r, int face, const placed *p, int of_face, const cross *x_of) {
    const polytope *R = r->of;
    const corner *c = x_of->at, *inner = x_of->inner;
    int k = x_of->side, edge = x_of->edge;
    if (R->start[face + 1] - R->start[face] == 2) { /* in the plane: the end of the reference, against the face of the polygon */
        if (of_face < 0) return ZN_OK;
        return vertex_on_face(m, r, R->loop[R->start[face] + k], p, of_face);
    }
    bool round = R->disc || p->of->disc || (p->of->round && p->of->n_edges == 0);
    int side = R->disc ? 0 : R->loop_edge[R->start[face] + k];
    bool done = false;
    zn_status status = round ? ZN_OK : edge_on_edge(m, p, edge, r, side, r->normal[face], COLLIDE_PARALLEL, &done);
    if (status != ZN_OK || done) return status;
    bool silent = (!p->of->disc && !allows_edge(p, edge, vec3_scale(-1, r->normal[face]), FACES_TILT)) ||
                  (!R->disc && !allows_edge(r, side, r->normal[face], FACES_TILT));
    if (silent) return ZN_OK;
    vec3 x = R->disc && inner ? leave_disc(r, inner->x, c->x) : c->x;
    double gap = vec3_dot(r->normal[face], vec3_sub(x, r->vertex[R->loop[R->start[face]]])) - p->of->radius - R->radius;
    if (p->surface && r->surface && (gap < -m->deep || vec3_norm(vec3_cross(edge_of(p, edge), edge_of(r, side))) >= COLLIDE_PARALLEL))
        return ZN_OK; /* edges that cross, and do not touch */
    feature f = feature_vertex(m->world, p, 0, FEATURE_BALL), g = feature_face(m->world, r, face);
    vec3_store(mat3_apply_transposed(&p->A, vec3_sub(x, p->r)), f.point);
    if (p->of->disc)
        return emit(m, (half){p, edge, f, false}, (half){r, R->disc ? index_of_face(r, face) : index_of_edge(r, side), g, false}, 1, gap);
    return emit(m, (half){p, index_of_edge(p, edge), f, false}, (half){r, R->disc ? k : index_of_edge(r, side), g, true}, 1, gap);
}

/* How far corners within reach are from the sides of the other polygon: then the clipped polygon has other corners. */
static void limit_by_sides(meeting *m, const placed *r, int face, const polygon *p) {
    int n = r->of->start[face + 1] - r->of->start[face];
    for (int k = 0; k < n; k++) {
        vec3 at, out = side_out(r, face, k, &at);
        for (int i = 0; i < p->n; i++) {
            vec3 d = vec3_sub(p->at[i].x, at);
            if (fabs(vec3_dot(r->normal[face], d)) <= m->reach + m->a->of->radius + m->b->of->radius) limit(m, vec3_dot(out, d));
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
        vec3 at, out = side_out(r, face, k, &at);
        clip(&poly, out, at, m->border, k);
    }
    zn_status status = ZN_OK;
    for (int k = 0; k < poly.n && status == ZN_OK; k++) {
        const corner *c = &poly.at[k];
        int before = poly.at[(k + poly.n - 1) % poly.n].edge, after = c->edge;
        if (c->vertex >= 0) status = vertex_on_face(m, p, c->vertex, r, face);
        else if (before < 0 && after < 0) {
            /* between two sides: the vertex where they meet, against the polygon's face */
            int i = -1 - before, j = -1 - after;
            int corner_of = (i + 1) % n == j ? j : (j + 1) % n == i ? i : -1;
            if (of_face < 0 || corner_of < 0) continue;
            status = vertex_on_face(m, r, r->of->loop[r->of->start[face] + corner_of], p, of_face);
        } else {
            const corner *inner = &poly.at[before < 0 ? (k + 1) % poly.n : (k + poly.n - 1) % poly.n];
            status = crossing(m, r, face, p, of_face, &(cross){-1 - (before < 0 ? before : after), before < 0 ? after : before, c, inner});
        }
    }
    return status;
}

/* ---- edges ---- */

/* The end of an edge against one that is nearly parallel. Sharp ones have no distance that is smooth at the touch: there the touched edge is a
 * plane with the normal n of now, fixed to its body. */
static zn_status end_on_edge(meeting *m, const placed *a, int vertex, const placed *b, int edge, vec3 n) {
    if (a->of->radius + edge_radius(b) > 0) return vertex_on_edge(m, a, vertex, b, edge, n);
    if (!allows_vertex(a, vertex, vec3_scale(-1, n), 0) || !allows_edge(b, edge, n, 0)) return ZN_OK;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_edge(m->world, b, edge);
    g.kind = FEATURE_PLANE;
    g.half_length = 0;
    limit(m, 0);
    vec3_store(mat3_apply_transposed(&b->A, n), g.axis);
    double gap = vec3_dot(n, vec3_sub(a->vertex[vertex], b->vertex[b->of->edge[edge][0]]));
    return emit(m, (half){a, vertex, f, false}, (half){b, index_of_edge(b, edge), g, false}, 1, gap);
}

/* Edges that are nearly parallel: the ends of their common length. n from b to a. */
static zn_status edges_along(meeting *m, const placed *a, int i, const placed *b, int j, vec3 n) {
    const placed *p[2] = {a, b};
    const int e[2] = {i, j};
    zn_status status = ZN_OK;
    for (int side = 0; side < 2; side++) {
        const placed *x = p[side], *y = p[1 - side];
        vec3 along = edge_of(y, e[1 - side]), from = y->vertex[y->of->edge[e[1 - side]][0]];
        double length = edge_length(y, e[1 - side]);
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
        vec3 u = edge_of(p, e);
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
    if (f >= 0 && e < 0) e = edge_beside(a, v, edge_of(b, f), s->n);
    else if (e >= 0 && f < 0) f = edge_beside(b, w, edge_of(a, e), s->n);
    if (e >= 0 && f >= 0) {
        bool done;
        zn_status status = edge_on_edge(m, a, e, b, f, s->n, EDGES_ALONG, &done);
        bool turned = vec3_norm(vec3_cross(edge_of(a, e), edge_of(b, f))) >= COLLIDE_PARALLEL;
        return (done && turned) || status != ZN_OK ? status : edges_along(m, a, e, b, f, s->n);
    }
    if (f >= 0) return vertex_on_edge(m, a, v, b, f, s->n);
    if (e >= 0) return vertex_on_edge(m, b, w, a, e, vec3_scale(-1, s->n));
    /* the one with the smaller number touches */
    return a->shape < b->shape ? vertex_on_vertex(m, a, v, b, w, s->n) : vertex_on_vertex(m, b, w, a, v, vec3_scale(-1, s->n));
}

/* A facet of a surface, touched from its front: first what is above it, unless it lies deep behind; then, where another direction separates better,
 * its edges and points, as far as they are allowed to touch. */
static zn_status facet_met(meeting *m, const placed *facet, const placed *other) {
    vec3 n = facet->normal[0], at = facet->vertex[0];
    if (!other->surface && !(vec3_dot(n, vec3_sub(other->centre, at)) >= 0)) return ZN_OK;
    double lowest = INFINITY;
    for (int i = 0; i < other->of->n_vertices; i++) lowest = smaller(lowest, vec3_dot(n, vec3_sub(other->vertex[i], at)));
    lowest -= facet->of->radius + other->of->radius;
    if (lowest < -m->deep || lowest > m->reach) return ZN_OK;
    return face_on(m, facet, 0, other);
}

/* Two facets: what is above each of them, and all edges that cross. The best direction of the two alone tells nothing of their bodies. */
static zn_status facets_met(meeting *m, vec3 n) {
    zn_status status = ZN_OK;
    for (int i = 0; i < m->a->of->n_edges; i++)
        for (int j = 0; j < m->b->of->n_edges && status == ZN_OK; j++) {
            bool done;
            status = edge_on_edge(m, m->a, i, m->b, j, n, EDGES_ALONG, &done);
        }
    return status;
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
        status = edge_on_edge(m, m->a, s->edge[0], m->b, s->edge[1], s->n, EDGES_ALONG, &done);
        if (done || status != ZN_OK || vec3_norm(vec3_cross(edge_of(m->a, s->edge[0]), edge_of(m->b, s->edge[1]))) >= EDGES_ALONG)
            return status;
        return edges_along(m, m->a, s->edge[0], m->b, s->edge[1], s->n);
    case AXIS_FREE:
        face = face_along(m->b, s->n, 1e-5);
        if (face >= 0) return face_on(m, m->b, face, m->a);
        face = face_along(m->a, vec3_scale(-1, s->n), 1e-5);
        if (face >= 0) return face_on(m, m->a, face, m->b);
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

/* At least; in the plane a face has two. */
static int corners_of_faces(const placed *p) { return p->of->n_faces > 0 && p->of->n_edges == 0 ? 2 : 3; }

/* a, b: the parts that face each other along n; kind and face: those of the pieces. */
zn_status manifold_of_parts(meeting *m, const separation *found) {
    const placed *a = m->a, *b = m->b;
    separation s = *found;
    int face_a = a->of->disc ? 0 : s.kind == AXIS_FACE_A ? s.face : -1, face_b = b->of->disc ? 0 : s.kind == AXIS_FACE_B ? s.face : -1;
    if (a->of->disc || b->of->disc) limit(m, 0);
    if (s.kind == AXIS_FACE_B || (face_b >= 0 && s.kind != AXIS_FACE_A)) return face_on(m, b, face_b, a);
    if (face_a >= 0) return face_on(m, a, face_a, b);
    outermost(a, vec3_scale(-1, s.n), &s.count[0], s.vertex[0]);
    outermost(b, s.n, &s.count[1], s.vertex[1]);
    int face = b->of->round || s.count[1] < corners_of_faces(b) ? -1 : face_along(b, s.n, 1e-3);
    if (face >= 0) return face_on(m, b, face, a);
    face = a->of->round || s.count[0] < corners_of_faces(a) ? -1 : face_along(a, vec3_scale(-1, s.n), 1e-3);
    return face >= 0 ? face_on(m, a, face, b) : points_apart(m, &s);
}
