/* SPDX-License-Identifier: Apache-2.0 */
/* The direction along which two convex pieces are farthest apart, or overlap least, to all digits.
 *
 * The points of a that are outermost against n, and those of b that are outermost along n, lie on one line along n:
 *
 *     x_a - x_b = s n,   |n| = 1,   x = (1 - w) y_0 + w y_1,   n.(y_0 - y_1) = 0
 *
 * An outermost point y(n) is a vertex, the lowest point of a rim, or one of an ellipsoid; on an edge, or the generator of a cylinder or
 * cone, there are two, and the share w says where between them x is. Newton's method for n and the shares takes dy/dn, which are radii of
 * curvature: zero at a vertex. If a share is found outside of 0 .. 1 the edge ends before, and the end is what is outermost. What is found
 * counts only if the pieces are as far apart along it as along the direction that was known. */
#include "collide/internal.h"
#include "linalg/dense.h"

/* Directions to begin with may be off by this (sine): two points count as outermost if one lies so little above the other. */
#define NORMAL_KNOWN 0.02
enum { NORMAL_TURNS = 16, NORMAL_SETS = 3, UNKNOWNS = 4 };

/* Which points are outermost: vertices, ends of an axis, or the only one of an ellipsoid. */
typedef struct outer {
    const placed *of;
    double sign; /* d = sign n is out of the piece */
    int count, which[2];
    double share, above; /* how far the first one of two is above the other (sine) */
    vec3 y[2];
    mat3 by_n[2];
} outer;

/* y = c + M d/h and dy/dd = M/h - M d (M d)'/h^3 with h^2 = d.M d. */
static bool on_ellipsoid(const placed *p, vec3 d, vec3 *y, mat3 *by_d) {
    double a[3][3], Md[3] = {0}, h = 0;
    for (int i = 0; i < 3; i++) {
        vec3 half = mat3_apply(&p->A, p->of->half_axis[i]);
        double along = vec3_dot(half, d);
        vec3_store(half, a[i]);
        h += along * along;
        for (int j = 0; j < 3; j++) Md[j] += along * a[i][j];
    }
    h = sqrt(h);
    if (!(h > 0)) return false;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            by_d->m[j][k] = (a[0][j] * a[0][k] + a[1][j] * a[1][k] + a[2][j] * a[2][k]) / h - Md[j] * Md[k] / (h * h * h);
    *y = vec3_add_scaled(p->vertex[0], 1 / h, vec3_from(Md));
    return true;
}

/* The point of a rim (or the apex) at end i of the axis: y = v + R e, dy/dd = R (1 - a a' - e e')/|d - a a.d|. */
static bool on_rim(const placed *p, int i, vec3 d, vec3 *y, mat3 *by_d) {
    double ring = p->of->core == CORE_CONE && i == 1 ? 0 : p->of->ring, axis[3], e[3];
    vec3 a = vec3_normalised(vec3_sub(p->vertex[1], p->vertex[0])), out = vec3_add_scaled(d, -vec3_dot(d, a), a);
    double across = vec3_norm(out);
    *by_d = mat3_diagonal(0, 0, 0);
    *y = p->vertex[i];
    if (ring == 0) return true;
    if (!(across > ROUND_FLAT / 2)) return false; /* a flat end */
    out = vec3_scale(1 / across, out);
    vec3_store(a, axis), vec3_store(out, e);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) by_d->m[j][k] = ring / across * ((j == k) - axis[j] * axis[k] - e[j] * e[k]);
    *y = vec3_add_scaled(*y, ring, out);
    return true;
}

static bool point_out(const outer *o, int i, vec3 n, vec3 *y, mat3 *by_n) {
    const placed *p = o->of;
    vec3 d = vec3_scale(o->sign, n);
    bool known = true;
    if (p->of->core == CORE_ELLIPSOID) known = on_ellipsoid(p, d, y, by_n);
    else if (p->of->core != CORE_HULL) known = on_rim(p, i, d, y, by_n);
    else *y = p->vertex[i], *by_n = mat3_diagonal(0, 0, 0);
    for (int j = 0; j < 9; j++) by_n->m[j / 3][j % 3] *= o->sign;
    return known;
}

/* The outermost point, and the next one if that is as far out for all that is known. */
static bool choose_outer(outer *o, vec3 n) {
    double most[2] = {-INFINITY, -INFINITY};
    vec3 y[2] = {{0}};
    mat3 ignored;
    for (int i = 0; i < o->of->of->n_vertices; i++) {
        vec3 at;
        if (!point_out(o, i, n, &at, &ignored)) return false;
        double x = o->sign * vec3_dot(n, at);
        int k = x > most[0] ? 0 : x > most[1] ? 1 : 2;
        if (k == 0) most[1] = most[0], y[1] = y[0], o->which[1] = o->which[0];
        if (k < 2) most[k] = x, y[k] = at, o->which[k] = i;
    }
    o->above = o->of->of->n_vertices > 1 ? (most[0] - most[1]) / vec3_norm(vec3_sub(y[0], y[1])) : INFINITY;
    o->count = o->above <= NORMAL_KNOWN ? 2 : 1;
    o->share = o->count == 2 ? 0.5 : 0;
    return true;
}

static bool place_outer(outer *o, vec3 n) {
    for (int k = 0; k < o->count; k++)
        if (!point_out(o, o->which[k], n, &o->y[k], &o->by_n[k])) return false;
    if (o->count == 1) o->y[1] = o->y[0], o->by_n[1] = o->by_n[0];
    return true;
}

/* x and dx/dn applied to t. */
static vec3 shared(const outer *o, vec3 y0, vec3 y1) { return vec3_add(vec3_scale(1 - o->share, y0), vec3_scale(o->share, y1)); }
static vec3 shared_turn(const outer *o, vec3 t) { return shared(o, mat3_apply(&o->by_n[0], t), mat3_apply(&o->by_n[1], t)); }

/* One step of Newton's method; returns its size, or NaN. planar: n turns about z only. */
static double newton_step(outer o[2], vec3 *n, bool planar) {
    double a[UNKNOWNS * UNKNOWNS] = {0}, r[UNKNOWNS];
    int pivot[UNKNOWNS], turns = planar ? 1 : 2, size = turns;
    vec3 t[2], x = vec3_sub(shared(&o[0], o[0].y[0], o[0].y[1]), shared(&o[1], o[1].y[0], o[1].y[1]));
    vec3_tangents(*n, &t[0], &t[1]);
    if (planar) t[0] = (vec3){-n->y, n->x, 0};
    for (int i = 0; i < 2; i++) size += o[i].count - 1;
    for (int j = 0; j < turns; j++) {
        vec3 by = vec3_sub(shared_turn(&o[0], t[j]), shared_turn(&o[1], t[j]));
        for (int k = 0; k < turns; k++) a[j * size + k] = vec3_dot(t[k], by) - (j == k ? vec3_dot(*n, x) : 0);
        r[j] = -vec3_dot(t[j], x);
    }
    for (int i = 0, row = turns; i < 2; i++) {
        if (o[i].count == 1) continue;
        vec3 edge = vec3_sub(o[i].y[1], o[i].y[0]);
        for (int k = 0; k < turns; k++) {
            a[k * size + row] = vec3_dot(t[k], edge);
            a[row * size + k] = i == 0 ? vec3_dot(t[k], edge) : -vec3_dot(t[k], edge);
        }
        r[row++] = -vec3_dot(*n, edge);
    }
    if (lin_dense_lu_factor(size, a, pivot) != 0) return NAN;
    lin_dense_lu_solve(size, a, pivot, r, 1);
    vec3 by = planar ? vec3_scale(r[0], t[0]) : vec3_add(vec3_scale(r[0], t[0]), vec3_scale(r[1], t[1]));
    *n = vec3_normalised(vec3_add(*n, by));
    for (int i = 0, row = turns; i < 2; i++)
        if (o[i].count == 2) o[i].share += r[row++];
    return vec3_norm(by);
}

/* The direction that belongs to the points chosen. False: it is not near, or not unique. */
static bool solve_normal(outer o[2], vec3 *n, bool planar) {
    double before = INFINITY;
    for (int turn = 0; turn < NORMAL_TURNS; turn++) {
        if (!place_outer(&o[0], *n) || !place_outer(&o[1], *n)) return false;
        double by = newton_step(o, n, planar);
        if (!(by < 0.5)) return false;
        if (by < 1e-15 || (by < 1e-9 && !(by < before))) return true; /* round-off is left */
        before = by;
    }
    return false;
}

/* The edge that ends farthest before its share is its end; if nothing was found, the edge that is least certain. False: there is none. */
static bool take_end(outer o[2], bool solved) {
    double worst = 0;
    int which = -1;
    for (int i = 0; i < 2; i++) {
        double beyond = solved ? larger(-o[i].share, o[i].share - 1) : 1 + o[i].above;
        if (o[i].count == 2 && beyond > worst) worst = beyond, which = i;
    }
    if (which < 0) return false;
    if (solved && o[which].share > 1) o[which].which[0] = o[which].which[1];
    o[which].count = 1;
    for (int i = 0; i < 2; i++) o[i].share = o[i].count == 2 ? 0.5 : 0;
    return true;
}

vec3 common_normal(const placed *a, const placed *b, vec3 n) {
    outer o[2] = {{.of = a, .sign = -1}, {.of = b, .sign = 1}};
    bool planar = a->of->planar || b->of->planar;
    if (!choose_outer(&o[0], n) || !choose_outer(&o[1], n)) return n;
    for (int set = 0; set < NORMAL_SETS; set++) {
        vec3 found = n;
        bool solved = solve_normal(o, &found, planar);
        if (!take_end(o, solved)) return solved ? found : n;
    }
    return n;
}
