/* SPDX-License-Identifier: Apache-2.0 */
/* The direction along which two pieces that overlap are parted by the least way.
 *
 * 0 lies in the difference D = a - b of the pieces, and the least way is its distance from the boundary of D. A polytope whose corners are
 * outermost points of D lies in D: the distance of 0 from its nearest face is at most the least way. Along the normal d of that face D
 * reaches to h(d), which is at least the least way, and the outermost point there becomes a corner. So the truth is enclosed (the expanding
 * polytope of van den Bergen), also where several directions are each better than all beside them: searches that climb, as those of
 * round.c, find one of these. */
#include "collide/internal.h"

enum { EXPAND_POINTS = 48, EXPAND_FACES = 2 * EXPAND_POINTS };
/* The least way is known to this share, which is near enough for what makes the direction exact. */
#define EXPAND_KNOWN 0.02

typedef struct facet {
    int corner[3]; /* counterclockwise as seen from outside */
    vec3 n;
    double offset; /* n.x of its points */
} facet;

typedef struct inner {
    const placed *a, *b;
    int n_points, n_faces;
    vec3 point[EXPAND_POINTS];
    facet face[EXPAND_FACES];
} inner;

static vec3 outermost(const inner *P, vec3 d) {
    vec3 x = {0}, y = {0};
    least_point(P->a, vec3_scale(-1, d), &x);
    least_point(P->b, d, &y);
    return vec3_sub(x, y);
}

static bool add_face(inner *P, int i, int j, int k) {
    vec3 a = P->point[i], n = vec3_cross(vec3_sub(P->point[j], a), vec3_sub(P->point[k], a));
    if (P->n_faces == EXPAND_FACES || !(vec3_norm(n) > 0)) return false;
    n = vec3_normalised(n);
    P->face[P->n_faces++] = (facet){.corner = {i, j, k}, .n = n, .offset = vec3_dot(n, a)};
    return true;
}

/* Of the outermost points along n and against it the one that is farther from the plane across n. */
static void add_point_off(inner *P, vec3 n) {
    vec3 x = outermost(P, n), y = outermost(P, vec3_scale(-1, n)), at = P->point[0];
    P->point[P->n_points++] = fabs(vec3_dot(n, vec3_sub(x, at))) >= fabs(vec3_dot(n, vec3_sub(y, at))) ? x : y;
}

/* A tetrahedron of outermost points. False: D is flat. */
static bool begin(inner *P) {
    vec3 t[2], *p = P->point, along = mat3_column(&P->a->A, 0);
    P->n_points = P->n_faces = 0;
    p[P->n_points++] = outermost(P, along);
    p[P->n_points++] = outermost(P, vec3_scale(-1, along));
    vec3_tangents(vec3_normalised(vec3_sub(p[1], p[0])), &t[0], &t[1]);
    add_point_off(P, t[0]);
    vec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    if (!(vec3_norm(n) > 0)) return false;
    n = vec3_normalised(n);
    add_point_off(P, n);
    double above = vec3_dot(n, vec3_sub(p[3], p[0]));
    int i = above > 0 ? 1 : 2, j = 3 - i;
    return above != 0 && add_face(P, 0, j, i) && add_face(P, 0, i, 3) && add_face(P, i, j, 3) && add_face(P, j, 0, 3);
}

static bool has_edge(const facet *f, int i, int j) {
    for (int k = 0; k < 3; k++)
        if (f->corner[k] == i && f->corner[(k + 1) % 3] == j) return true;
    return false;
}

/* Faces that the new corner is in front of go; it is joined to the edges around them. False: round-off, or no room is left. */
static bool expand(inner *P, vec3 x) {
    facet gone[EXPAND_FACES];
    int n_gone = 0, corner = P->n_points;
    if (corner == EXPAND_POINTS) return false;
    P->point[P->n_points++] = x;
    for (int f = 0; f < P->n_faces;) {
        if (vec3_dot(P->face[f].n, x) > P->face[f].offset) gone[n_gone++] = P->face[f], P->face[f] = P->face[--P->n_faces];
        else f++;
    }
    for (int f = 0; f < n_gone; f++)
        for (int k = 0; k < 3; k++) {
            int i = gone[f].corner[k], j = gone[f].corner[(k + 1) % 3];
            bool inside = false;
            for (int g = 0; g < n_gone; g++) inside |= has_edge(&gone[g], j, i);
            if (!inside && !add_face(P, i, j, corner)) return false;
        }
    return n_gone > 0 && P->n_faces > 0;
}

static const facet *nearest_face(const inner *P) {
    const facet *best = &P->face[0];
    for (int f = 1; f < P->n_faces; f++)
        if (P->face[f].offset < best->offset) best = &P->face[f];
    return best;
}

vec3 expand_direction(const placed *a, const placed *b, vec3 n) {
    inner P = {.a = a, .b = b};
    vec3 best = vec3_scale(-1, n);
    double least = vec3_dot(best, outermost(&P, best));
    for (bool grown = begin(&P); grown;) {
        const facet f = *nearest_face(&P);
        if (!(f.offset < (1 - EXPAND_KNOWN) * least)) break; /* nothing better is left */
        vec3 x = outermost(&P, f.n);
        double h = vec3_dot(f.n, x);
        if (h < least) least = h, best = f.n;
        grown = expand(&P, x);
    }
    return vec3_scale(-1, best);
}
