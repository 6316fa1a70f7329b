/* SPDX-License-Identifier: Apache-2.0 */
/* Simple polygons in the plane as convex pieces.
 *
 * Ears are cut off one by one (a triangle of three neighbours that turns left and has no other corner in it), then triangles are joined
 * over their common edges while the union stays convex (Hertel and Mehlhorn). Inner edges separate but are not touched; nor are corners
 * that no body from outside can touch with a point: flat and inward ones. */
#include "collide/internal.h"

typedef struct flat {
    const double *x; /* 3 n */
    int n;
} flat;

static double turn(const flat *f, int a, int b, int c) {
    const double *p = f->x + (size_t)3 * (size_t)a, *q = f->x + (size_t)3 * (size_t)b, *r = f->x + (size_t)3 * (size_t)c;
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static double length2(const flat *f, int a, int b) {
    const double *p = f->x + (size_t)3 * (size_t)a, *q = f->x + (size_t)3 * (size_t)b;
    return (q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]);
}

/* Turns below this share of the lengths are straight. */
static bool turns_left(const flat *f, int a, int b, int c) { return turn(f, a, b, c) > 1e-10 * sqrt(length2(f, a, b) * length2(f, b, c)); }
static bool turns_right(const flat *f, int a, int b, int c) {
    return turn(f, a, b, c) < -1e-10 * sqrt(length2(f, a, b) * length2(f, b, c));
}

/* ---- valid polygons ---- */

static bool cross(const flat *f, int a, int b, int c, int d) {
    double p = turn(f, a, b, c), q = turn(f, a, b, d), r = turn(f, c, d, a), s = turn(f, c, d, b);
    return ((p > 0) != (q > 0)) && ((r > 0) != (s > 0)) && p != q && r != s;
}

/* Two edges that cross, by their first corners. */
static bool crosses_itself(const flat *f, int *first, int *second) {
    for (int i = 0; i < f->n; i++)
        for (int j = i + 2; j < f->n; j++)
            if (!(i == 0 && j == f->n - 1) && cross(f, i, i + 1, j, (j + 1) % f->n)) {
                *first = i, *second = j;
                return true;
            }
    return false;
}

zn_status polygon_check(zn_context *context, int n, const double *points, const char *name, double *area) {
    flat f = {points, n};
    if (n < 3) return fail(context, ZN_ERROR_MODEL, "the polygon '%s' has %d points, and needs at least three", name, n);
    double twice = 0, size = 0;
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n;
        const double *p = points + (size_t)3 * (size_t)i, *q = points + (size_t)3 * (size_t)j, *o = points;
        twice += (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
        size = larger(size, length2(&f, 0, i));
    }
    for (int i = 0; i < n; i++)
        if (!(length2(&f, i, (i + 1) % n) > 1e-20 * size))
            return fail(context, ZN_ERROR_MODEL, "the points %d and %d of the polygon '%s' coincide: leave one out", i + 1, (i + 1) % n + 1,
                        name);
    int i, j;
    if (crosses_itself(&f, &i, &j))
        return fail(context, ZN_ERROR_MODEL,
                    "the polygon '%s' crosses itself: its edges from point %d and from point %d meet; change the order of its points", name,
                    i + 1, j + 1);
    *area = twice / 2;
    if (!(fabs(twice) > 1e-9 * size))
        return fail(context, ZN_ERROR_MODEL, "the points of the polygon '%s' lie on one line: it has no inside", name);
    return ZN_OK;
}

/* ---- ears ---- */

static bool is_ear(const flat *f, const int *ring, int m, int k) {
    int a = ring[(k + m - 1) % m], b = ring[k], c = ring[(k + 1) % m];
    if (!turns_left(f, a, b, c)) return false;
    for (int i = 0; i < m; i++) {
        int p = ring[i];
        if (p == a || p == b || p == c) continue;
        if (turn(f, a, b, p) >= 0 && turn(f, b, c, p) >= 0 && turn(f, c, a, p) >= 0) return false;
    }
    return true;
}

/* Triangles of a counter-clockwise polygon; corners that are straight are dropped when no ear is left. Returns their number. */
static int cut_ears(const flat *f, int *ring, int (*triangle)[3]) {
    int m = f->n, count = 0;
    while (m > 2) {
        int k = 0;
        while (k < m && !is_ear(f, ring, m, k)) k++;
        if (k == m) { /* only straight corners and round-off are left */
            k = 0;
            while (k < m && turns_right(f, ring[(k + m - 1) % m], ring[k], ring[(k + 1) % m])) k++;
            if (k == m) k = 0;
        } else {
            triangle[count][0] = ring[(k + m - 1) % m];
            triangle[count][1] = ring[k];
            triangle[count++][2] = ring[(k + 1) % m];
        }
        for (int i = k; i + 1 < m; i++) ring[i] = ring[i + 1];
        m--;
    }
    return count;
}

/* ---- faces ---- */

/* The corners of a face along two axes at right angles to its normal, which is the sum of the cross products (Newell's). False: it has no
 * area. */
static bool flatten(int n, const double *points, double *flat_points) {
    vec3 o = vec3_from(points), sum = {0, 0, 0};
    double size = 0;
    for (int i = 0; i < n; i++) {
        vec3 p = vec3_sub(vec3_from(points + (size_t)3 * (size_t)i), o),
             q = vec3_sub(vec3_from(points + (size_t)3 * (size_t)((i + 1) % n)), o);
        sum = vec3_add(sum, vec3_cross(p, q));
        size = larger(size, vec3_dot(p, p));
    }
    if (!(vec3_norm(sum) > 1e-12 * size)) return false;
    vec3 e = vec3_normalised(sum), least = fabs(e.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 x = vec3_normalised(vec3_cross(least, e)), y = vec3_cross(e, x);
    for (int i = 0; i < n; i++) {
        vec3 p = vec3_sub(vec3_from(points + (size_t)3 * (size_t)i), o);
        vec3_store((vec3){vec3_dot(x, p), vec3_dot(y, p), 0}, flat_points + (size_t)3 * (size_t)i);
    }
    return true;
}

/* All turns to the left, and once around. */
static bool is_convex(const flat *f) {
    int downs = 0;
    for (int i = 0; i < f->n; i++) {
        int a = i, b = (i + 1) % f->n, c = (i + 2) % f->n;
        const double *p = f->x + (size_t)3 * (size_t)a, *q = f->x + (size_t)3 * (size_t)b, *r = f->x + (size_t)3 * (size_t)c;
        if (!turns_left(f, a, b, c)) return false;
        downs += q[1] >= p[1] && r[1] < q[1];
    }
    return downs == 1;
}

enum { NOTCHED_MOST = 2000 }; /* corners of a face that is not convex: cutting ears costs their square and more */

zn_status collide_cut_face(zn_context *context, int n, const double *points, int (*triangle)[3], const char **wrong) {
    double *plane = MEM_ARRAY(context, double, (size_t)3 * (size_t)n);
    int *ring = MEM_ARRAY(context, int, n), i, j;
    bool good = plane && ring;
    flat f = {plane, n};
    *wrong = NULL;
    if (good && !flatten(n, points, plane)) *wrong = "the face has no area";
    else if (good && is_convex(&f))
        for (int k = 0; k < n - 2; k++) triangle[k][0] = 0, triangle[k][1] = k + 1, triangle[k][2] = k + 2;
    else if (good && n > NOTCHED_MOST) *wrong = "a face with more than 2000 points must be convex: divide it";
    else if (good && crosses_itself(&f, &i, &j)) *wrong = "the face crosses itself: change the order of its points";
    else if (good) {
        for (int k = 0; k < n; k++) ring[k] = k;
        if (cut_ears(&f, ring, triangle) != n - 2)
            *wrong = "the face cannot be divided into triangles: some of its points coincide or lie on its edges";
    }
    mem_free(context, plane);
    mem_free(context, ring);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

/* ---- convex pieces ---- */

/* Joins loop q to loop p over a common edge if the union is convex. Loops have room for n corners. */
static bool join(const flat *f, int *p, int *n, const int *q, int m) {
    for (int i = 0; i < *n; i++)
        for (int j = 0; j < m; j++) {
            int a = p[i], b = p[(i + 1) % *n];
            if (q[j] != b || q[(j + 1) % m] != a) continue;
            /* corners at a and b of the union */
            int before = p[(i + *n - 1) % *n], after = p[(i + 2) % *n], from_a = q[(j + 2) % m], to_b = q[(j + m - 1) % m];
            if (turns_right(f, before, a, from_a) || turns_right(f, to_b, b, after)) return false;
            int count = *n + m - 2, at = 0, room[512];
            if (count > 512) return false;
            for (int k = 0; k < *n; k++) room[at++] = p[(i + 1 + k) % *n]; /* b .. a */
            for (int k = 0; k < m - 2; k++) room[at++] = q[(j + 2 + k) % m];
            memcpy(p, room, (size_t)count * sizeof *p);
            *n = count;
            return true;
        }
    return false;
}

/* A convex piece with the corners loop[0..n) of the polygon. */
static zn_status make_piece(zn_context *context, const flat *f, const int *loop, int n, polytope *p) {
    zn_status status = polytope_reserve(context, p, n, n, 2 * n, 0);
    if (status != ZN_OK) return status;
    for (int i = 0; i < n; i++) {
        int v = loop[i], next = (i + 1) % n;
        p->vertex[i] = (vec3){f->x[3 * v], f->x[3 * v + 1], 0};
        p->silent_vertex[i] = !turns_left(f, (v + f->n - 1) % f->n, v, (v + 1) % f->n);
        p->silent_face[i] = loop[next] != (v + 1) % f->n;
        p->number[i] = v;
        p->number[n + i] = f->n + v;
        p->start[i + 1] = 2 * i + 2;
        p->loop[2 * i] = i;
        p->loop[2 * i + 1] = next;
    }
    for (int i = 0; i < n; i++) {
        vec3 along = vec3_normalised(vec3_sub(p->vertex[(i + 1) % n], p->vertex[i]));
        p->normal[i] = (vec3){along.y, -along.x, 0};
    }
    return ZN_OK;
}

/* Pieces of a valid polygon that is counter-clockwise. */
zn_status polygon_pieces(zn_context *context, int n, const double *points, polytope **pieces, int *n_pieces) {
    flat f = {points, n};
    int *ring = MEM_ARRAY(context, int, n), *loops = NULL, *count = NULL;
    int(*triangle)[3] = mem_array(context, (size_t)n, sizeof *triangle);
    zn_status status = ring && triangle ? ZN_OK : ZN_ERROR_MEMORY;
    bool convex = true;
    for (int i = 0; i < n && status == ZN_OK; i++) {
        ring[i] = i;
        convex = convex && !turns_right(&f, i, (i + 1) % n, (i + 2) % n);
    }
    int m = 0;
    if (status == ZN_OK) {
        m = convex ? 1 : cut_ears(&f, ring, triangle);
        loops = MEM_ARRAY(context, int, (size_t)m *(size_t)n);
        count = MEM_ARRAY(context, int, m);
        *pieces = MEM_ARRAY(context, polytope, m);
        if (!loops || !count || !*pieces) status = ZN_ERROR_MEMORY;
    }
    for (int t = 0; t < m && status == ZN_OK; t++) {
        count[t] = convex ? n : 3;
        memcpy(loops + (size_t)t * (size_t)n, convex ? ring : triangle[t], (size_t)count[t] * sizeof *loops);
    }
    for (int t = 0; t < m && status == ZN_OK; t++)
        for (int s = 0; s < m && count[t] > 0; s++)
            if (s != t && count[s] > 0 && join(&f, loops + (size_t)t * (size_t)n, &count[t], loops + (size_t)s * (size_t)n, count[s])) {
                count[s] = 0;
                s = -1;
            }
    for (int t = 0; t < m && status == ZN_OK; t++)
        if (count[t] > 0) status = make_piece(context, &f, loops + (size_t)t * (size_t)n, count[t], &(*pieces)[(*n_pieces)++]);
    mem_free(context, ring);
    mem_free(context, triangle);
    mem_free(context, loops);
    mem_free(context, count);
    return status;
}
