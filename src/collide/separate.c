/* SPDX-License-Identifier: Apache-2.0 */
/* Two convex hulls: how far apart, in which direction, by which features.
 *
 * By axes. For a direction n from b to a the separation is  s(n) = min_a n.x - max_b n.x. The largest s over all n is the distance of the
 * hulls, or, when they overlap, minus the depth. Overlapping, the best n is a normal of a face or the common normal of two edges; so it is
 * when the nearest points lie in a face and a vertex, or in two edges. This is exact at any depth, zero included.
 *
 * By points (Gilbert, Johnson, Keerthi). The nearest point x to 0 of the difference a - b: a simplex of its vertices is kept; the vertex
 * farthest along -x is added, and the simplex reduced to those that carry the nearest point, until no vertex comes nearer. Exact when the
 * nearest points lie anywhere, but the direction x/|x| has digits only while |x| is not small: it serves for hulls whose contact is at the
 * distance of their radii. */
#include "collide/internal.h"

static double least_along(const placed *p, vec3 n, int *which) {
    double least = INFINITY;
    for (int i = 0; i < p->of->n_vertices; i++) {
        double x = vec3_dot(n, p->vertex[i]);
        if (x < least) least = x, *which = i;
    }
    return least;
}

/* ---- by axes ---- */

/* Whether n, from b to a, pushes facets to their fronts. */
static bool to_fronts(const placed *a, const placed *b, vec3 n) {
    return (!a->surface || vec3_dot(n, a->normal[0]) < 0) && (!b->surface || vec3_dot(n, b->normal[0]) > 0);
}

/* Faces of f against the vertices of p; n out of f. Facets have one front, which is all that counts, except that what is behind does not
 * touch. */
static void try_faces(const placed *f, const placed *p, double sign, axis_kind kind, bool fronts, separation *best) {
    for (int i = 0; i < f->of->n_faces; i++) {
        vec3 n = f->normal[i];
        int which = 0;
        if (fronts && !to_fronts(p, f, n)) continue;
        double s = least_along(p, n, &which) - vec3_dot(n, f->vertex[f->of->loop[f->of->start[i]]]);
        if (s > best->distance) *best = (separation){.kind = kind, .distance = s, .n = vec3_scale(sign, n), .face = i};
        if (!f->surface || !p->surface || fronts) continue;
        double behind = least_along(p, vec3_scale(-1, n), &which) + vec3_dot(n, f->vertex[f->of->loop[f->of->start[i]]]);
        if (behind > 0 && behind > best->distance)
            *best = (separation){.kind = kind, .distance = behind, .n = vec3_scale(-sign, n), .face = i};
    }
}

/* An edge with its two faces is an arc of directions between their normals. Two edges make a face of the difference when their arcs
 * cross. */
static bool arcs_cross(vec3 a, vec3 b, vec3 c, vec3 d) {
    vec3 ba = vec3_cross(b, a), dc = vec3_cross(d, c);
    double cba = vec3_dot(c, ba), dba = vec3_dot(d, ba), adc = vec3_dot(a, dc), bdc = vec3_dot(b, dc);
    return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

static vec3 edge_along(const placed *p, int e) { return vec3_sub(p->vertex[p->of->edge[e][1]], p->vertex[p->of->edge[e][0]]); }

/* Both directions of n by all vertices, for edges without two faces; they count only where they are the outermost of all. */
static void try_direction(const placed *a, const placed *b, vec3 n, int i, int j, bool fronts, separation *best) {
    for (int sign = -1; sign <= 1; sign += 2) {
        vec3 m = vec3_scale(sign, n);
        int k = 0, l = 0;
        if (fronts && !to_fronts(a, b, m)) continue;
        double s = least_along(a, m, &k) + least_along(b, vec3_scale(-1, m), &l);
        double between = vec3_dot(m, vec3_sub(a->vertex[a->of->edge[i][0]], b->vertex[b->of->edge[j][0]]));
        if (between > s + 1e-9 * (vec3_norm(edge_along(a, i)) + vec3_norm(edge_along(b, j)))) continue;
        if (s > best->distance) *best = (separation){.kind = AXIS_EDGES, .distance = s, .n = m, .edge = {i, j}};
    }
}

static void try_edges(const placed *a, const placed *b, bool fronts, separation *best) {
    const polytope *A = a->of, *B = b->of;
    for (int i = 0; i < A->n_edges; i++) {
        vec3 u = edge_along(a, i);
        bool closed_a = A->side[i][0] >= 0 && A->side[i][1] >= 0;
        for (int j = 0; j < B->n_edges; j++) {
            bool arcs = closed_a && B->side[j][0] >= 0 && B->side[j][1] >= 0;
            if (arcs && !arcs_cross(a->normal[A->side[i][0]], a->normal[A->side[i][1]], vec3_scale(-1, b->normal[B->side[j][0]]),
                                    vec3_scale(-1, b->normal[B->side[j][1]])))
                continue;
            vec3 v = edge_along(b, j), n = vec3_cross(u, v);
            double size = vec3_norm(n);
            if (!(size > 1e-6 * vec3_norm(u) * vec3_norm(v))) continue;
            n = vec3_scale(1 / size, n);
            if (!arcs) {
                try_direction(a, b, n, i, j, fronts, best);
                continue;
            }
            vec3 p = a->vertex[A->edge[i][0]], q = b->vertex[B->edge[j][0]];
            /* out of b and into a: n makes an obtuse angle with the outward normals of a at this edge */
            vec3 out = vec3_add(a->normal[A->side[i][0]], a->normal[A->side[i][1]]);
            if (vec3_dot(n, out) > 0) n = vec3_scale(-1, n);
            double s = vec3_dot(n, vec3_sub(p, q));
            if (s > best->distance) *best = (separation){.kind = AXIS_EDGES, .distance = s, .n = n, .edge = {i, j}};
        }
    }
}

static separation by_axes(const placed *a, const placed *b, bool fronts) {
    separation face = {.kind = AXIS_NONE, .distance = -INFINITY}, edges = face;
    try_faces(b, a, 1, AXIS_FACE_B, fronts, &face);
    separation other = {.kind = AXIS_NONE, .distance = -INFINITY};
    try_faces(a, b, -1, AXIS_FACE_A, fronts, &other);
    /* Two faces that are as good: always the same one, whatever round-off says. */
    double size = vec3_norm(vec3_sub(a->vertex[0], a->centre)) + vec3_norm(vec3_sub(b->vertex[0], b->centre));
    if (other.distance > face.distance + 1e-9 * size) face = other;
    try_edges(a, b, fronts, &edges);
    return edges.distance > face.distance + 1e-9 * size ? edges : face;
}

separation separate_by_axes(const placed *a, const placed *b) { return by_axes(a, b, false); }

separation separate_to_fronts(const placed *a, const placed *b) { return by_axes(a, b, true); }

/* ---- by points ---- */

typedef struct simplex {
    int n;
    vec3 x[4], a[4], b[4]; /* of the difference, x = a - b */
    int of_a[4], of_b[4];  /* vertices, -1: points of round pieces */
    double weight[4];
} simplex;

static void keep(simplex *s, int n, const int *which, const double *weight) {
    simplex t = *s;
    for (int i = 0; i < n; i++) {
        s->x[i] = t.x[which[i]];
        s->a[i] = t.a[which[i]];
        s->b[i] = t.b[which[i]];
        s->of_a[i] = t.of_a[which[i]];
        s->of_b[i] = t.of_b[which[i]];
        s->weight[i] = weight[i];
    }
    s->n = n;
}

/* Nearest point to 0 of the segment i, j. */
static double nearest_on_segment(const simplex *s, int i, int j, double w[2]) {
    vec3 d = vec3_sub(s->x[j], s->x[i]);
    double dd = vec3_dot(d, d), t = dd > 0 ? -vec3_dot(s->x[i], d) / dd : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    w[0] = 1 - t, w[1] = t;
    vec3 x = vec3_add_scaled(s->x[i], t, d);
    return vec3_dot(x, x);
}

/* Reduces to the carrying points of a triangle's nearest point; returns its distance squared. */
static double nearest_on_triangle(const simplex *s, const int t[3], int *n, int which[3], double weight[3]) {
    vec3 a = s->x[t[0]], b = s->x[t[1]], c = s->x[t[2]];
    vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double nn = vec3_dot(normal, normal);
    if (nn > 0) {
        double w[3] = {vec3_dot(normal, vec3_cross(b, c)) / nn, vec3_dot(normal, vec3_cross(c, a)) / nn,
                       vec3_dot(normal, vec3_cross(a, b)) / nn};
        if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0) {
            double d = vec3_dot(normal, a);
            *n = 3;
            memcpy(which, t, 3 * sizeof *t);
            memcpy(weight, w, sizeof w);
            return d * d / nn;
        }
    }
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        double w[2], d = nearest_on_segment(s, t[k], t[(k + 1) % 3], w);
        if (!(d < best)) continue;
        best = d;
        *n = 0;
        for (int m = 0; m < 2; m++)
            if (w[m] > 0) which[*n] = t[(k + m) % 3], weight[(*n)++] = w[m];
    }
    return best;
}

/* Reduces the simplex to what carries its nearest point to 0. Returns the squared distance; 0: the simplex contains 0. */
static double reduce(simplex *s) {
    int which[3] = {0, 1, 2}, n = 1;
    double weight[3] = {1, 0, 0}, best;
    if (s->n == 1) return s->weight[0] = 1, vec3_dot(s->x[0], s->x[0]);
    if (s->n == 2) {
        double w[2];
        best = nearest_on_segment(s, 0, 1, w);
        n = 0;
        for (int m = 0; m < 2; m++)
            if (w[m] > 0) which[n] = m, weight[n++] = w[m];
    } else if (s->n == 3) {
        best = nearest_on_triangle(s, (int[3]){0, 1, 2}, &n, which, weight);
    } else {
        static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        bool inside = true;
        best = INFINITY;
        for (int f = 0; f < 4; f++) {
            const int *t = faces[f];
            vec3 a = s->x[t[0]], normal = vec3_cross(vec3_sub(s->x[t[1]], a), vec3_sub(s->x[t[2]], a));
            double of_0 = -vec3_dot(normal, a), of_4 = vec3_dot(normal, vec3_sub(s->x[t[3]], a));
            bool thick = fabs(of_4) > 1e-10 * vec3_norm(normal) * vec3_norm(vec3_sub(s->x[t[3]], a));
            if (thick && of_0 * of_4 >= 0) continue; /* 0 lies on the inner side of this face */
            inside = false;
            int m, w3[3];
            double g[3], d = nearest_on_triangle(s, t, &m, w3, g);
            if (!(d < best)) continue;
            best = d;
            n = m;
            memcpy(which, w3, sizeof w3);
            memcpy(weight, g, sizeof g);
        }
        if (inside) return 0;
    }
    keep(s, n, which, weight);
    return best;
}

static vec3 carried(const simplex *s, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->n; i++) sum = vec3_add_scaled(sum, s->weight[i], x[i]);
    return sum;
}

/* Adds the point of the difference that is farthest against x. */
static void add_point(simplex *s, const placed *a, const placed *b, vec3 x) {
    int n = s->n++;
    s->of_a[n] = least_point(a, x, &s->a[n]);
    s->of_b[n] = least_point(b, vec3_scale(-1, x), &s->b[n]);
    s->x[n] = vec3_sub(s->a[n], s->b[n]);
    s->weight[n] = 0;
}

static bool is_known(const simplex *s, int last) {
    for (int k = 0; k < last; k++) {
        bool same = s->of_a[k] == s->of_a[last] && s->of_b[k] == s->of_b[last] && s->of_a[k] >= 0 && s->of_b[k] >= 0;
        if (same || vec3_norm(vec3_sub(s->x[k], s->x[last])) == 0) return true;
    }
    return false;
}

static void note_vertex(separation *r, int side, int vertex) {
    for (int i = 0; i < r->count[side]; i++)
        if (r->vertex[side][i] == vertex) return;
    r->vertex[side][r->count[side]++] = vertex;
}

enum { POINTS_TURNS = 200 };

static bool is_point(const placed *a) { return a->of->core == CORE_HULL && a->of->n_vertices == 1; }

/* Two points: spheres, of which piles have thousands. */
static separation separate_two_points(const placed *a, const placed *b) {
    vec3 x = vec3_sub(a->vertex[0], b->vertex[0]);
    separation result = {.kind = AXIS_FREE, .distance = vec3_norm(x), .at = {a->vertex[0], b->vertex[0]}, .count = {1, 1}};
    if (!(result.distance > 0)) return (separation){.kind = AXIS_NONE};
    result.n = vec3_scale(1 / result.distance, x);
    return result;
}

separation separate_by_points(const placed *a, const placed *b) {
    if (is_point(a) && is_point(b)) return separate_two_points(a, b);
    separation result = {.kind = AXIS_NONE, .distance = 0};
    simplex s = {.n = 0};
    add_point(&s, a, b, vec3_sub(a->vertex[0], b->vertex[0]));
    double size = 0, best = INFINITY;
    for (int turn = 0; turn < POINTS_TURNS; turn++) {
        for (int i = 0; i < s.n; i++) size = larger_finite(vec3_dot(s.x[i], s.x[i]), size);
        simplex before = s;
        double distance = reduce(&s);
        if (!(distance > 1e-28 * size)) return result;
        if (!(distance < best)) {
            s = before; /* round-off: no progress; the new point has no weight */
            break;
        }
        best = distance;
        vec3 x = carried(&s, s.x);
        if (s.n == 4) break;
        add_point(&s, a, b, x);
        double xx = vec3_dot(x, x), left = xx - vec3_dot(x, s.x[s.n - 1]);
        if (left <= 1e-14 * xx + 1e-15 * sqrt(size * xx) || is_known(&s, s.n - 1)) break;
    }
    result.at[0] = carried(&s, s.a);
    result.at[1] = carried(&s, s.b);
    vec3 x = vec3_sub(result.at[0], result.at[1]);
    result.distance = vec3_norm(x);
    if (!(result.distance > 0)) return (separation){.kind = AXIS_NONE};
    result.kind = AXIS_FREE;
    for (int i = 0; i < s.n; i++) {
        if (!(s.weight[i] > 0)) continue;
        note_vertex(&result, 0, s.of_a[i]);
        note_vertex(&result, 1, s.of_b[i]);
    }
    result.n = vec3_scale(1 / result.distance, x);
    return result;
}
