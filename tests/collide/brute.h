/* SPDX-License-Identifier: Apache-2.0 */
/* Distances of convex sets by brute force, independent of the library: each set is a projection onto it, and two projections in turn lead
 * to the nearest points. The hull of points is made of all triangles of its points; two hulls are compared triangle by vertex and segment
 * by segment. */
#ifndef TESTS_COLLIDE_BRUTE_H
#define TESTS_COLLIDE_BRUTE_H

#include "world.h"

enum { BRUTE_MOST = 12 };

typedef enum brute_kind { BRUTE_HULL, BRUTE_CYLINDER, BRUTE_CONE, BRUTE_ELLIPSOID, BRUTE_PLANE } brute_kind;

typedef struct brute {
    brute_kind kind;
    int n;
    vec3 x[BRUTE_MOST]; /* hull; cylinder and cone: lower and upper end (apex) of the axis; ellipsoid: centre; plane: point */
    mat3 A;             /* axes */
    double R, half[3], radius;
} brute;

static inline vec3 clamp_to_segment(vec3 p, vec3 a, vec3 b) {
    vec3 d = vec3_sub(b, a);
    double dd = vec3_dot(d, d), t = dd > 0 ? vec3_dot(vec3_sub(p, a), d) / dd : 0;
    return vec3_add_scaled(a, t < 0 ? 0 : t > 1 ? 1 : t, d);
}

static inline vec3 clamp_to_triangle(vec3 p, vec3 a, vec3 b, vec3 c) {
    vec3 u = vec3_sub(b, a), v = vec3_sub(c, a), w = vec3_sub(p, a);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), wu = vec3_dot(w, u), wv = vec3_dot(w, v), det = uu * vv - uv * uv;
    if (det > 1e-14 * uu * vv) {
        double s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
        if (s >= 0 && t >= 0 && s + t <= 1) return vec3_add_scaled(vec3_add_scaled(a, s, u), t, v);
    }
    vec3 q[3] = {clamp_to_segment(p, a, b), clamp_to_segment(p, b, c), clamp_to_segment(p, c, a)};
    int best = 0;
    for (int i = 1; i < 3; i++)
        if (vec3_norm(vec3_sub(p, q[i])) < vec3_norm(vec3_sub(p, q[best]))) best = i;
    return q[best];
}

/* Nearest points of two segments: of the interiors, or with an end. */
static inline void segments(vec3 a, vec3 b, vec3 c, vec3 d, vec3 *p, vec3 *q) {
    vec3 u = vec3_sub(b, a), v = vec3_sub(d, c), w = vec3_sub(a, c);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), uw = vec3_dot(u, w), vw = vec3_dot(v, w), det = uu * vv - uv * uv;
    if (det > 1e-14 * uu * vv) {
        double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            *p = vec3_add_scaled(a, s, u);
            *q = vec3_add_scaled(c, t, v);
            return;
        }
    }
    vec3 from[4] = {a, b, clamp_to_segment(c, a, b), clamp_to_segment(d, a, b)};
    vec3 to[4] = {clamp_to_segment(a, c, d), clamp_to_segment(b, c, d), c, d};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (vec3_norm(vec3_sub(from[i], to[i])) < vec3_norm(vec3_sub(from[best], to[best]))) best = i;
    *p = from[best];
    *q = to[best];
}

static inline vec3 hull_project(const brute *s, vec3 p) {
    vec3 best = s->x[0];
    if (s->n == 2) return clamp_to_segment(p, s->x[0], s->x[1]);
    for (int i = 0; i < s->n; i++)
        for (int j = i + 1; j < s->n; j++)
            for (int k = j + 1; k < s->n; k++) {
                vec3 q = clamp_to_triangle(p, s->x[i], s->x[j], s->x[k]);
                if (vec3_norm(vec3_sub(p, q)) < vec3_norm(vec3_sub(p, best))) best = q;
            }
    return best;
}

/* The nearest point of {(rho, z): a polygon in the half plane} turned about the axis. */
static inline vec3 turned_project(const brute *s, vec3 p) {
    vec3 axis = vec3_normalised(vec3_sub(s->x[1], s->x[0])), d = vec3_sub(p, s->x[0]);
    double L = vec3_norm(vec3_sub(s->x[1], s->x[0])), z = vec3_dot(d, axis);
    vec3 out = vec3_add_scaled(d, -z, axis);
    double rho = vec3_norm(out);
    vec3 e = vec3_normalised(out), flat = {rho, z, 0};
    if (s->kind == BRUTE_CYLINDER) flat = (vec3){rho < s->R ? rho : s->R, z < 0 ? 0 : z > L ? L : z, 0};
    else if (!(z >= 0 && rho <= s->R * (1 - z / L))) flat = clamp_to_triangle(flat, (vec3){0, 0, 0}, (vec3){s->R, 0, 0}, (vec3){0, L, 0});
    return vec3_add_scaled(vec3_add_scaled(s->x[0], flat.y, axis), flat.x, e);
}

/* x_i = a_i^2 p_i/(a_i^2 + t) with t so that x lies on the ellipsoid: f(t) = sum (x_i/a_i)^2 - 1 = 0. f falls and is convex, so that
 * Newton's method from
 * t = 0 rises to the root, until round-off. */
static inline vec3 ellipsoid_project(const brute *s, vec3 p) {
    vec3 d = mat3_apply_transposed(&s->A, vec3_sub(p, s->x[0]));
    const double y[3] = {d.x, d.y, d.z}, *a = s->half;
    double x[3], before = -1;
    for (double t = 0, next; t > before; before = t, t = next) {
        double f = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double part = a[i] / (a[i] * a[i] + t);
            x[i] = a[i] * part * y[i];
            f += part * part * y[i] * y[i], slope += 2 * part * part * y[i] * y[i] / (a[i] * a[i] + t);
        }
        if (t == 0 && f <= 0) return p;
        next = t + f / slope;
    }
    return vec3_add(s->x[0], mat3_apply(&s->A, (vec3){x[0], x[1], x[2]}));
}

static inline vec3 brute_project(const brute *s, vec3 p) {
    switch (s->kind) {
    case BRUTE_HULL: return hull_project(s, p);
    case BRUTE_ELLIPSOID: return ellipsoid_project(s, p);
    case BRUTE_PLANE: {
        vec3 n = mat3_column(&s->A, 2);
        double z = vec3_dot(n, vec3_sub(p, s->x[0]));
        return z > 0 ? vec3_add_scaled(p, -z, n) : p;
    }
    default: return turned_project(s, p);
    }
}

typedef struct brute_answer {
    double distance; /* radii subtracted; 0 or less: they overlap or nearly */
    vec3 a, b;       /* of the cores */
    bool slow;       /* the projections have not come to an end */
} brute_answer;

static inline void keep_nearer(brute_answer *best, vec3 p, vec3 q) {
    double d = vec3_norm(vec3_sub(p, q));
    if (d < best->distance) *best = (brute_answer){.distance = d, .a = p, .b = q};
}

/* The point of a set that is lowest along n. */
static inline vec3 brute_lowest(const brute *s, vec3 n) {
    vec3 best = s->x[0];
    if (s->kind == BRUTE_ELLIPSOID) {
        vec3 m = mat3_apply_transposed(&s->A, n),
             x = {s->half[0] * s->half[0] * m.x, s->half[1] * s->half[1] * m.y, s->half[2] * s->half[2] * m.z};
        return vec3_add_scaled(s->x[0], -1 / sqrt(vec3_dot(m, x)), mat3_apply(&s->A, x));
    }
    vec3 axis = vec3_normalised(vec3_sub(s->x[s->n - 1], s->x[0])), out = vec3_add_scaled(n, -vec3_dot(n, axis), axis);
    out = vec3_add_scaled(out, -vec3_dot(out, axis), axis); /* once more: along the axis only round-off is left of it */
    for (int i = 0; i < s->n; i++) {
        vec3 x = s->x[i];
        if (s->kind == BRUTE_CYLINDER || (s->kind == BRUTE_CONE && i == 0)) x = vec3_add_scaled(x, -s->R, vec3_normalised(out));
        if (i == 0 || vec3_dot(n, x) < vec3_dot(n, best)) best = x;
    }
    return best;
}

static inline double brute_size(const brute *s) {
    double most = s->kind == BRUTE_HULL ? 0 : larger(s->R, larger(s->half[1], s->half[2]));
    for (int i = 0; i < s->n; i++) most = larger(most, vec3_norm(vec3_sub(s->x[i], s->x[0])));
    return most;
}

static inline brute_answer brute_distance(const brute *a, const brute *b) {
    brute_answer best = {.distance = INFINITY};
    if (a->kind == BRUTE_PLANE || b->kind == BRUTE_PLANE) {
        const brute *plane = a->kind == BRUTE_PLANE ? a : b, *other = a->kind == BRUTE_PLANE ? b : a;
        vec3 n = mat3_column(&plane->A, 2), x = brute_lowest(other, n);
        double z = vec3_dot(n, vec3_sub(x, plane->x[0]));
        vec3 foot = vec3_add_scaled(x, -z, n);
        return (brute_answer){.distance = z - a->radius - b->radius, .a = plane == a ? foot : x, .b = plane == a ? x : foot};
    }
    if (a->kind == BRUTE_HULL && b->kind == BRUTE_HULL) {
        for (int i = 0; i < a->n; i++) keep_nearer(&best, a->x[i], hull_project(b, a->x[i]));
        for (int i = 0; i < b->n; i++) keep_nearer(&best, hull_project(a, b->x[i]), b->x[i]);
        for (int i = 0; i < a->n; i++)
            for (int j = i + 1; j < a->n; j++)
                for (int k = 0; k < b->n; k++)
                    for (int l = k + 1; l < b->n; l++) {
                        vec3 p, q;
                        segments(a->x[i], a->x[j], b->x[k], b->x[l], &p, &q);
                        keep_nearer(&best, p, q);
                    }
    } else {
        vec3 p = a->x[0], q = brute_project(b, p);
        bool still = false;
        vec3 step = {0, 0, 0};
        for (int turn = 0; turn < 4000 && !still; turn++) {
            vec3 next = brute_project(a, q), by = vec3_sub(next, p);
            still = vec3_norm(by) <= 1e-15 * (1 + vec3_norm(p));
            double square = vec3_dot(step, step), r = square > 0 ? vec3_dot(by, step) / square : 0;
            p = next, step = by;
            q = brute_project(b, p);
            if (still || turn % 8 != 7 || !(r > 0 && r < 1)) continue;
            /* Slow steps shrink like powers of r: straight to their end, unless that is farther apart. */
            vec3 far = brute_project(a, vec3_add_scaled(p, r / (1 - r), by)), to = brute_project(b, far);
            if (vec3_norm(vec3_sub(far, to)) < vec3_norm(vec3_sub(p, q))) p = far, q = to;
        }
        best = (brute_answer){.distance = vec3_norm(vec3_sub(p, q)), .a = p, .b = q};
        /* along the line of the points found, the sets are at least as far apart as their lowest points: the truth is between the two */
        vec3 n = vec3_normalised(vec3_sub(p, q));
        double least = vec3_dot(n, vec3_sub(brute_lowest(a, n), brute_lowest(b, vec3_scale(-1, n))));
        /* round-off of the points turns n, and what is as far away as the sets are large moves */
        double size = larger(brute_size(a), brute_size(b)), turned = 1e-15 * (vec3_norm(p) + size) / best.distance;
        best.slow = !(fabs(best.distance - least) < 1e-10 + turned * size);
    }
    best.distance -= a->radius + b->radius;
    return best;
}

/* The set of a shape at a pose (shape in the frame of its body, as given). */
static inline brute brute_of(const collide_shape *g, const collide_pose *p) {
    mat3 A, S;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = p->A[3 * j + i], S.m[i][j] = g->axes[3 * j + i];
    brute s = {.kind = BRUTE_HULL, .radius = g->radius, .A = mat3_product(&A, &S)};
    vec3 c = vec3_add(vec3_from(p->r), mat3_apply(&A, vec3_from(g->centre)));
    double x = g->size[0] / 2, y = g->size[1] / 2, z = g->size[2] / 2, L = g->size[1];
    vec3 local[BRUTE_MOST];
    memcpy(s.half, g->size, sizeof s.half);
    s.R = g->size[0];
    switch (g->class) {
    case COLLIDE_SPHERE: s.n = 1, local[0] = (vec3){0, 0, 0}, s.radius += g->size[0]; break;
    case COLLIDE_CAPSULE:
        s.n = 2, s.radius += g->size[0];
        local[1] = g->planar ? (vec3){L / 2, 0, 0} : (vec3){0, 0, L / 2};
        local[0] = vec3_scale(-1, local[1]);
        break;
    case COLLIDE_BOX:
        s.n = g->planar ? 4 : 8;
        for (int i = 0; i < s.n; i++) local[i] = (vec3){i & 1 ? x : -x, i & 2 ? y : -y, g->planar ? 0 : i & 4 ? z : -z};
        break;
    case COLLIDE_RECTANGLE:
        s.n = 4;
        for (int i = 0; i < 4; i++) local[i] = (vec3){i & 1 ? x : -x, i & 2 ? y : -y, 0};
        break;
    case COLLIDE_CYLINDER: s.kind = BRUTE_CYLINDER, s.n = 2, local[0] = (vec3){0, 0, -L / 2}, local[1] = (vec3){0, 0, L / 2}; break;
    case COLLIDE_CONE: s.kind = BRUTE_CONE, s.n = 2, local[0] = (vec3){0, 0, -L / 4}, local[1] = (vec3){0, 0, 3 * L / 4}; break;
    case COLLIDE_ELLIPSOID:
        s.kind = BRUTE_ELLIPSOID, s.n = 1, local[0] = (vec3){0, 0, 0};
        if (g->planar) s.half[2] = 1;
        break;
    case COLLIDE_PLANE:
        s.kind = BRUTE_PLANE, s.n = 1, local[0] = (vec3){0, 0, 0};
        if (g->planar)
            for (int i = 0; i < 3; i++) s.A.m[i][2] = s.A.m[i][1];
        break;
    default:
        s.n = g->n_points;
        for (int i = 0; i < s.n; i++) local[i] = vec3_from(g->points + (size_t)3 * (size_t)i);
    }
    mat3 whole = mat3_product(&A, &S);
    for (int i = 0; i < s.n; i++) s.x[i] = vec3_add(c, mat3_apply(&whole, local[i]));
    return s;
}

#endif
