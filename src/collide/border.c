/* SPDX-License-Identifier: Apache-2.0 */
/* How far a candidate is from the border of its features, where others take over:
 *
 *   ball, plane    the foot of the ball on the face: its distance to the nearest side
 *   ball, sphere   two corners: the one is in front of the other, across each edge that leads away from it
 *   ball, line     the foot on the edge: its distance to the nearest end;  line, line: on both edges
 *
 * It falls through zero in a smooth way. Features that have no border, and those that stand for a part of something round, are infinitely
 * far from it. */
#include "collide/internal.h"

/* A feature is listed as long as it is beyond its border by less than this, in units of the length that counts as zero. */
static const double beyond = 3;

/* Where a feature of a shape is, seen from the body of another. */
static vec3 seen_from(const collide_pose *own, const collide_pose *other, const double *point) {
    mat3 A = pose_matrix(own->A), B = pose_matrix(other->A);
    vec3 to = vec3_sub(vec3_from(own->r), vec3_from(other->r));
    return mat3_apply_transposed(&B, vec3_add(to, mat3_apply(&A, vec3_from(point))));
}

static double along(vec3 x, vec3 from, vec3 to) { return vec3_dot(vec3_sub(x, from), vec3_normalised(vec3_sub(to, from))); }

/* Of a side from a to b of a face with this normal; in the plane the sides are its ends. */
static double to_side(vec3 x, vec3 a, vec3 b, vec3 n) { return vec3_dot(vec3_cross(n, vec3_normalised(vec3_sub(b, a))), vec3_sub(x, a)); }

static double to_sides(vec3 x, int n, const vec3 *corner, vec3 normal) {
    if (n == 2) return smaller(along(x, corner[0], corner[1]), along(x, corner[1], corner[0]));
    double least = INFINITY;
    for (int k = 0; k < n; k++) least = smaller(least, to_side(x, corner[k], corner[(k + 1) % n], normal));
    return least;
}

enum { MOST_CORNERS = 64 };

static double on_face(const solid *s, int number, vec3 x) {
    vec3 corner[MOST_CORNERS];
    if (s->surface) {
        int f = number - s->surface->n_points;
        if (f < 0 || f >= s->surface->n_facets) return INFINITY;
        for (int k = 0; k < s->surface->corners; k++) corner[k] = s->surface->point[s->surface->facet[f][k]];
        return to_sides(x, s->surface->corners, corner, s->surface->normal[f]);
    }
    for (int i = 0; i < s->n_pieces; i++) {
        const polytope *p = &s->piece[i];
        for (int f = 0; p->core == CORE_HULL && f < p->n_faces; f++) {
            int n = p->start[f + 1] - p->start[f];
            if (p->number[p->n_vertices + f] != number || p->silent_face[f] || n > MOST_CORNERS) continue;
            for (int k = 0; k < n; k++) corner[k] = p->vertex[p->loop[p->start[f] + k]];
            return to_sides(x, n, corner, p->normal[f]);
        }
    }
    return INFINITY;
}

/* x against the edges that leave a corner. */
static double before_corner(const solid *s, int number, vec3 x) {
    double least = INFINITY;
    const surface *S = s->surface;
    if (S && number < S->n_points)
        for (int k = S->start[number]; k < S->start[number + 1]; k++)
            least = smaller(least, -along(x, S->point[number], S->point[S->beside[k]]));
    for (int i = 0; i < s->n_pieces; i++) {
        const polytope *p = &s->piece[i];
        int v = 0;
        while (v < p->n_vertices && p->number[v] != number) v++;
        if (p->core != CORE_HULL || v == p->n_vertices) continue;
        for (int e = 0; e < p->n_edges; e++)
            for (int k = 0; k < 2; k++)
                if (p->edge[e][k] == v) least = smaller(least, -along(x, p->vertex[v], p->vertex[p->edge[e][1 - k]]));
        for (int f = 0; p->n_edges == 0 && f < p->n_faces; f++)
            for (int k = p->start[f]; k < p->start[f + 1] && !p->silent_face[f]; k++)
                if (p->loop[k] != v && (p->loop[p->start[f]] == v || p->loop[p->start[f] + 1] == v))
                    least = smaller(least, -along(x, p->vertex[v], p->vertex[p->loop[k]]));
    }
    return least;
}

/* The foot on each of two lines, from their middles. */
static double on_lines(const collide_candidate *c, const collide_pose *a, const collide_pose *b) {
    const feature *f = &c->of[0], *g = &c->of[1];
    mat3 A = pose_matrix(a->A), B = pose_matrix(b->A);
    vec3 p = seen_from(a, b, f->point), d = vec3_sub(p, vec3_from(g->point)), w = vec3_from(g->axis);
    if (f->kind == FEATURE_BALL) return g->half_length - fabs(vec3_dot(d, w));
    vec3 u = mat3_apply_transposed(&B, mat3_apply(&A, vec3_from(f->axis)));
    double cosine = vec3_dot(u, w), square = 1 - cosine * cosine;
    double t = (vec3_dot(d, w) - cosine * vec3_dot(d, u)) / square, s = (cosine * vec3_dot(d, w) - vec3_dot(d, u)) / square;
    return smaller(g->half_length - fabs(t), f->half_length - fabs(s));
}

double collide_to_border(const collide_world *w, const collide_pose *poses, const collide_candidate *c) {
    const solid *s[2] = {&w->shapes[c->shape[0]], &w->shapes[c->shape[1]]};
    const collide_pose *at[2] = {&poses[w->outlines[c->shape[0]].body], &poses[w->outlines[c->shape[1]].body]};
    double inside = INFINITY;
    vec3 x = seen_from(at[0], at[1], c->of[0].point), y = seen_from(at[1], at[0], c->of[1].point);
    bool ball = c->of[0].kind == FEATURE_BALL;
    if (ball && c->of[1].kind == FEATURE_PLANE) inside = on_face(s[1], c->feature[1], x);
    if (ball && c->of[1].kind == FEATURE_SPHERE)
        inside = smaller(before_corner(s[0], c->feature[0], y), before_corner(s[1], c->feature[1], x));
    if (c->of[1].kind == FEATURE_LINE && c->of[1].half_length > 0 && (ball || (c->of[0].kind == FEATURE_LINE && c->of[0].half_length > 0)))
        inside = on_lines(c, at[0], at[1]);
    double extent = s[0]->surface ? s[1]->extent : s[1]->surface ? s[0]->extent : s[0]->extent + s[1]->extent; /* as in narrow.c */
    return inside + beyond * COLLIDE_BORDER * extent;
}
