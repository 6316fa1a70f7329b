/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of features: vertices, edges and faces of two pieces, with the rules of who may touch whom, and their gaps now. */
#include "collide/touch.h"

static int number_of(const half *h) {
    const polytope *P = h->of->of;
    const surface *S = h->of->surface;
    int all = S ? S->n_points + S->n_facets + S->n_edges : P->n_vertices + P->n_faces + P->n_edges;
    return P->number[h->index] + (h->stands_in ? all : 0);
}

/* a, b: the touching and the touched one */
zn_status touch_emit(meeting *m, half a, half b, double side, double gap) {
    if (!(gap <= m->reach)) return ZN_OK;
    collide_candidate c = {
        .shape = {a.of->shape, b.of->shape}, .feature = {number_of(&a), number_of(&b)}, .of = {a.is, b.is}, .side = side, .gap = gap};
    return candidate_add(m->world, m->list, &c);
}

/* After a relative motion of this length the features are others. */
void touch_limit(meeting *m, double way) { m->slack = smaller(m->slack, fabs(way)); }

int touch_index_of_face(const placed *p, int f) { return p->of->n_vertices + f; }
int touch_index_of_edge(const placed *p, int e) { return p->of->n_vertices + p->of->n_faces + e; }

/* An edge: on the side of a cylinder its axis, with its radius. */
static vec3 edge_end(const placed *p, int e, int k) {
    const polytope *of = p->of->round;
    if (of && of->core == CORE_CYLINDER) return pose_point(p->r, &p->A, of->vertex[k]);
    return p->vertex[p->of->edge[e][k]];
}
double touch_edge_radius(const placed *p) {
    const polytope *of = p->of->round;
    return p->of->radius + (of && of->core == CORE_CYLINDER ? of->ring : 0);
}
vec3 touch_edge_of(const placed *p, int e) { return vec3_normalised(vec3_sub(edge_end(p, e, 1), edge_end(p, e, 0))); }
double touch_edge_length(const placed *p, int e) { return vec3_norm(vec3_sub(edge_end(p, e, 1), edge_end(p, e, 0))); }
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
bool touch_allows_vertex(const placed *p, int v, vec3 n, double tilt) {
    if (p->of->silent_vertex[v]) return false;
    return !p->surface || surface_allows_point(p->surface, p->of->number[v], mat3_apply_transposed(&p->A, n), tilt);
}
bool touch_allows_edge(const meeting *m, const placed *p, int e, vec3 n, double tilt) {
    const polytope *P = p->of;
    if (P->round && P->round->core == CORE_CONE) { /* its generator touches along the normal of the side there */
        vec3 axis = vec3_normalised(vec3_sub(P->round->vertex[1], P->round->vertex[0]));
        vec3 along = vec3_normalised(vec3_sub(P->vertex[1], P->vertex[0])),
             normal = vec3_normalised(vec3_add_scaled(axis, -vec3_dot(axis, along), along));
        return vec3_dot(mat3_apply(&p->A, normal), n) > 0.99;
    }
    vec3 along = vec3_normalised(vec3_sub(p->vertex[P->edge[e][1]], p->vertex[P->edge[e][0]]));
    const double lean = larger(1e-6, m->sunk ? tilt : 0); /* crossings of edges keep their name while bodies rock on each other */
    for (int k = 0; k < 2 && !p->surface; k++) {
        if (P->side[e][k] < 0) continue;
        vec3 into = vec3_cross(p->normal[P->side[e][k]], vec3_scale(k == 0 ? 1 : -1, along)); /* from the edge over its face */
        if (vec3_dot(n, into) > lean) return false;
    }
    return !p->surface || surface_allows_edge(p->surface, p->surface->facet_edge[p->facet][e], mat3_apply_transposed(&p->A, n), tilt);
}

/* The direction out of the reference face over its side k. In the plane the sides are its two ends. */
vec3 touch_side_out(const placed *r, int face, int k, vec3 *at) {
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

/* The facet on the other side of side k of a facet, where that is the bottom of a valley; else -1. */
static int across_valley(const placed *p, int k) {
    const surface *S = p->surface;
    if (!S || p->of->n_edges == 0) return -1;
    int e = S->facet_edge[p->facet][k], other = S->of_edge[e][0] == p->facet ? S->of_edge[e][1] : S->of_edge[e][0];
    bool valley = S->silent_edge[e] && other >= 0 && vec3_norm(vec3_cross(S->normal[other], S->normal[p->facet])) > COLLIDE_BORDER;
    return valley ? other : -1;
}

double touch_side_border(const meeting *m, const placed *p, int k) { return across_valley(p, k) >= 0 ? m->deep : m->border; }

/* What has sunk into the facet across the valley at side k is beyond this side, and still over the facet p. */
static bool has_sunk_across(const meeting *m, const placed *p, int k, vec3 x) {
    const surface *S = p->surface;
    int other = across_valley(p, k);
    if (other < 0) return false;
    vec3 y = mat3_apply_transposed(&p->A, vec3_sub(x, p->r)), n = S->normal[other];
    if (!(vec3_dot(n, vec3_sub(y, S->point[S->facet[other][0]])) < 0)) return false;
    for (int i = 0; i < 3; i++) {
        if (S->facet_edge[other][i] == S->facet_edge[p->facet][k]) continue;
        vec3 from = S->point[S->facet[other][i]], along = vec3_sub(S->point[S->facet[other][(i + 1) % 3]], from);
        if (!(vec3_dot(vec3_normalised(vec3_cross(along, n)), vec3_sub(y, from)) <= 2 * m->border)) return false;
    }
    return true;
}

static bool is_over(const meeting *m, const placed *p, int face, vec3 x) {
    int n = p->of->start[face + 1] - p->of->start[face];
    if (p->of->disc) {
        vec3 c = vec3_scale(0.5, vec3_add(p->vertex[0], p->vertex[n / 2])), d = vec3_sub(x, c);
        return vec3_norm(vec3_add_scaled(d, -vec3_dot(d, p->normal[0]), p->normal[0])) <= p->of->ring + 2 * m->border;
    }
    for (int k = 0; k < n; k++) {
        vec3 at, out = touch_side_out(p, face, k, &at);
        double beyond = vec3_dot(out, vec3_sub(x, at));
        if (!(beyond <= 2 * m->border || (beyond <= m->deep && has_sunk_across(m, p, k, x)))) return false;
    }
    return true;
}

static double to_border(const placed *p, int face, vec3 x) {
    double least = INFINITY;
    for (int k = 0; k < p->of->start[face + 1] - p->of->start[face]; k++) {
        vec3 at, out = touch_side_out(p, face, k, &at);
        least = smaller(least, fabs(vec3_dot(out, vec3_sub(x, at))));
    }
    return least;
}

/* A point behind a facet of a surface, where a facet beside it, over a convex edge, is less deep: that one pushes, or none. A point on the
 * edge itself belongs to both: bodies that are cut from one plate stand side by side. */
bool touch_leaves_beside(const meeting *m, const placed *b, vec3 x, double gap) {
    const surface *S = b->surface;
    if (!S || !(gap < -m->border)) return false;
    for (int k = 0; k < b->of->n_edges; k++) {
        int e = S->facet_edge[b->facet][k], other = S->of_edge[e][0] == b->facet ? S->of_edge[e][1] : S->of_edge[e][0];
        if (S->silent_edge[e] || other < 0) continue;
        double beside = vec3_dot(mat3_apply(&b->A, S->normal[other]), vec3_sub(x, b->vertex[k]));
        if (fabs(beside) > 2 * m->border && beside - b->of->radius > gap + m->border) return true;
    }
    return false;
}

/* A point of a surface far behind a face of a solid, at the very side of it, is on the face beside: the edge of a step that a box stands
 * against. Penetrations that schemes leave are less deep. */
static bool is_beside(const meeting *m, const placed *b, int face, vec3 x, double gap) {
    const double far = 0.1; /* of what is deep */
    if (b->surface || b->of->disc || !(gap < -far * m->deep)) return false;
    for (int k = 0; k < b->of->start[face + 1] - b->of->start[face]; k++) {
        vec3 at, out = touch_side_out(b, face, k, &at);
        if (vec3_dot(out, vec3_sub(x, at)) > -2 * m->border) return true;
    }
    return false;
}

zn_status touch_vertex_on_face(meeting *m, const placed *a, int vertex, const placed *b, int face) {
    vec3 n = b->normal[face];
    if (b->of->silent_face[face] || !touch_allows_vertex(a, vertex, vec3_scale(-1, n), FACES_TILT) ||
        !is_over(m, b, face, a->vertex[vertex]))
        return ZN_OK;
    double gap = vec3_dot(n, vec3_sub(a->vertex[vertex], b->vertex[b->of->loop[b->of->start[face]]])) - a->of->radius - b->of->radius;
    if (a->surface && (touch_leaves_beside(m, b, a->vertex[vertex], gap) || is_beside(m, b, face, a->vertex[vertex], gap))) return ZN_OK;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_face(m->world, b, face);
    if (is_ring(a, vertex) || is_ellipsoid(a)) {
        g.radius += a->of->round->radius;
        round_vertex(a, vertex, &f);
        touch_limit(m, round_slack(m->world, a, n));
        touch_limit(m, to_border(b, face, a->vertex[vertex]) * round_pace(m->world, a, n));
    }
    return touch_emit(m, (half){a, vertex, f, false}, (half){b, touch_index_of_face(b, face), g, false}, 1, gap);
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

/* Two lines that touch along n (from b to a) where they are now. Nearly parallel ones: a as a ball, b as a plane across n, both fixed to
 * their bodies. */
static zn_status lines_cross(meeting *m, half a, half b, vec3 n) {
    vec3 u = mat3_apply(&a.of->A, vec3_from(a.is.axis)), v = mat3_apply(&b.of->A, vec3_from(b.is.axis)), cross = vec3_cross(u, v);
    vec3 d = mat3_apply(&a.of->A, vec3_from(a.is.point)), e = mat3_apply(&b.of->A, vec3_from(b.is.point));
    d = vec3_sub(vec3_add(a.of->r, d), vec3_add(b.of->r, e));
    double size = vec3_norm(cross), side = vec3_dot(cross, n) >= 0 ? 1 : -1, radii = a.is.radius + b.is.radius;
    touch_limit(m, 0);
    if (size >= COLLIDE_PARALLEL) {
        double gap = side * vec3_dot(cross, d) / size - radii;
        return a.of->shape < b.of->shape ? touch_emit(m, a, b, side, gap) : touch_emit(m, b, a, side, gap);
    }
    a.is.kind = FEATURE_BALL;
    b.is.kind = FEATURE_PLANE;
    vec3_store(mat3_apply_transposed(&b.of->A, n), b.is.axis);
    return touch_emit(m, a, b, 1, vec3_dot(n, d) - radii);
}

/* A ball on the side of a cone. */
static zn_status vertex_on_cone(meeting *m, const placed *a, int vertex, const placed *b) {
    const polytope *cone = b->of->round;
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = feature_vertex(m->world, b, 1, FEATURE_CONE);
    vec3 into = vec3_sub(cone->vertex[0], cone->vertex[1]);
    vec3_store(cone->vertex[1], g.point);
    vec3_store(vec3_normalised(into), g.axis);
    g.half_length = atan2(cone->ring, vec3_norm(into));
    return touch_emit(m, (half){a, vertex, f, false}, (half){b, touch_index_of_edge(b, 0), g, false}, 1, 0);
}

/* about: the direction from b to a, which the distance of sharp ones does not show when they overlap. */
zn_status touch_vertex_on_edge(meeting *m, const placed *a, int vertex, const placed *b, int edge, vec3 about) {
    vec3 p = edge_end(b, edge, 0), along = touch_edge_of(b, edge);
    vec3 d = vec3_sub(a->vertex[vertex], p), out = vec3_add_scaled(d, -vec3_dot(d, along), along);
    double distance = vec3_norm(out), gap = distance - a->of->radius - touch_edge_radius(b);
    bool round = a->of->radius + touch_edge_radius(b) > 0 &&
                 !is_cone(b); /* the generator of a cone is beside the point by what the direction lacks in digits */
    vec3 n = round ? vec3_scale(1 / distance, out) : about;
    if (!(distance > 0) || !touch_allows_vertex(a, vertex, vec3_scale(-1, n), 0) || !touch_allows_edge(m, b, edge, n, 0)) return ZN_OK;
    touch_limit(m, vec3_dot(d, along));
    touch_limit(m, vec3_dot(vec3_sub(a->vertex[vertex], edge_end(b, edge, 1)), along));
    for (int k = 0; k < 2; k++) /* n turns into the normal of a face beside the edge */
        if (b->of->side[edge][k] >= 0) touch_limit(m, distance * vec3_norm(vec3_cross(n, b->normal[b->of->side[edge][k]])));
    if (is_ellipsoid(a)) touch_limit(m, 0);
    if (is_ring(a, vertex))
        return lines_cross(m, rim_line(m, a, vertex), (half){b, touch_index_of_edge(b, edge), edge_feature(m, b, edge), false}, n);
    if (is_cone(b)) return vertex_on_cone(m, a, vertex, b);
    feature f = feature_vertex(m->world, a, vertex, FEATURE_BALL), g = edge_feature(m, b, edge);
    return touch_emit(m, (half){a, vertex, f, false}, (half){b, touch_index_of_edge(b, edge), g, false}, 1, gap);
}

/* A vertex against a vertex; about: as above. Rims and ellipsoids are touched: as such by balls; sharp ones by a point across the direction
 * of now. */
zn_status touch_vertex_on_vertex(meeting *m, const placed *a, int i, const placed *b, int j, vec3 about) {
    if ((is_ring(a, i) && !is_ring(b, j)) || (is_ellipsoid(a) && !is_ring(b, j) && !is_ellipsoid(b)))
        return touch_vertex_on_vertex(m, b, j, a, i, vec3_scale(-1, about));
    vec3 d = vec3_sub(a->vertex[i], b->vertex[j]);
    double radii = a->of->radius + b->of->radius, gap = vec3_norm(d) - radii;
    vec3 n = radii > 0 ? vec3_normalised(d) : about;
    if (!touch_allows_vertex(a, i, vec3_scale(-1, n), 0) || !touch_allows_vertex(b, j, n, 0)) return ZN_OK;
    if (is_ring(a, i)) return lines_cross(m, rim_line(m, a, i), rim_line(m, b, j), n);
    if (a->of->n_vertices > 1 || b->of->n_vertices > 1 || is_ellipsoid(a)) touch_limit(m, 0);
    feature f = feature_vertex(m->world, a, i, FEATURE_BALL), g = feature_vertex(m->world, b, j, FEATURE_SPHERE);
    if (is_ring(b, j) && radii == 0) {
        g.kind = FEATURE_PLANE;
        vec3_store(mat3_apply_transposed(&b->A, n), g.axis);
        gap = vec3_dot(n, d);
    } else if (is_ring(b, j) || (is_ellipsoid(b) && !is_ellipsoid(a))) {
        f.radius += b->of->round->radius; /* that of its rounding */
        round_vertex(b, j, &g);
    }
    return touch_emit(m, (half){a, i, f, false}, (half){b, j, g, false}, 1, gap);
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

/* Edges of surfaces that are in each other: whether an end of one is less deep behind a face beside the other, so that the face pushes it
 * out over a shorter distance. */
static bool ends_are_nearer(const placed *a, int i, const placed *b, int j, double least) {
    for (int k = 0; k < 2; k++) {
        vec3 n, at;
        if (!face_beside(b, j, k, &n, &at)) continue;
        double x = vec3_dot(n, vec3_sub(edge_end(a, i, 0), at)), y = vec3_dot(n, vec3_sub(edge_end(a, i, 1), at));
        if (smaller(x, y) > least) return true;
    }
    return false;
}

/* Line against line, if they enclose `sine` at least, the nearest points lie in both edges, and both bodies lie behind them. n: about their
 * normal, from b to a. */
zn_status touch_edge_on_edge(meeting *m, const placed *a, int i, const placed *b, int j, vec3 n, double sine, bool *done) {
    vec3 u = touch_edge_of(a, i), v = touch_edge_of(b, j), d = vec3_sub(edge_end(a, i, 0), edge_end(b, j, 0));
    vec3 cross = vec3_cross(u, v);
    double size = vec3_norm(cross), cosine = vec3_dot(u, v), sine2 = size * size;
    *done = false;
    if (!(size >= sine)) return ZN_OK;
    double most = m->border, s = (cosine * vec3_dot(d, v) - vec3_dot(d, u)) / sine2, t = (vec3_dot(d, v) - cosine * vec3_dot(d, u)) / sine2;
    if (!(s >= -most && s <= touch_edge_length(a, i) + most && t >= -most && t <= touch_edge_length(b, j) + most)) return ZN_OK;
    double side = vec3_dot(cross, n) >= 0 ? 1 : -1;
    /* Only facets of two surfaces may lie the other way round: n is not about the normal of their edges. Of bodies, lines that are apart
     * would be deep in each other. */
    const bool sheets = a->surface && b->surface;
    for (int turn = 0; turn < 2; turn++, side = -side) {
        vec3 out = vec3_scale(side / size, cross);
        if (touch_allows_edge(m, a, i, vec3_scale(-1, out), FACES_TILT) && touch_allows_edge(m, b, j, out, FACES_TILT)) break;
        if (turn == 1 || !sheets) return ZN_OK;
    }
    double gap = side * vec3_dot(cross, d) / size - touch_edge_radius(a) - touch_edge_radius(b);
    if (sheets && gap < -m->border &&
        (gap < -m->deep || ends_are_nearer(a, i, b, j, gap + m->border) || ends_are_nearer(b, j, a, i, gap + m->border)))
        return ZN_OK;
    *done = true;
    touch_limit(m, s), touch_limit(m, touch_edge_length(a, i) - s), touch_limit(m, t), touch_limit(m, touch_edge_length(b, j) - t);
    if (is_cone(a) || is_cone(b)) touch_limit(m, 0); /* the generator of now */
    feature f = edge_feature(m, a, i), g = edge_feature(m, b, j);
    /* The one with the smaller number touches, so that the pair has one name whichever is examined first. */
    if (a->shape < b->shape)
        return touch_emit(m, (half){a, touch_index_of_edge(a, i), f, false}, (half){b, touch_index_of_edge(b, j), g, false}, side, gap);
    return touch_emit(m, (half){b, touch_index_of_edge(b, j), g, false}, (half){a, touch_index_of_edge(a, i), f, false}, side, gap);
}
