/* SPDX-License-Identifier: Apache-2.0 */
/* Whether convex shapes overlap, independent of the library: the algorithm of Gilbert, Johnson and Keerthi on shapes that are shrunk a
 * little about their middles, with support functions of its own. */
#ifndef TESTS_SIM_OVERLAP_H
#define TESTS_SIM_OVERLAP_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_POINTS = 12 };

typedef enum kind { BALL, CAPSULE, BOX, ROUNDED, CYLINDER, CONE, ELLIPSOID, HULL, KINDS } kind;

typedef struct grain {
    kind kind;
    double size[3], radius, point[MOST_POINTS][3];
    int n;
} grain;

/* ---- support functions, in the frame of the body ---- */

static inline void support(const grain *g, const double d[3], double x[3]) {
    double flat = hypot(d[0], d[1]), size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), along = 0;
    memset(x, 0, 3 * sizeof *x);
    switch (g->kind) {
    case CAPSULE: x[2] = d[2] > 0 ? g->size[1] / 2 : -g->size[1] / 2; break;
    case BOX:
    case ROUNDED:
        for (int k = 0; k < 3; k++) x[k] = d[k] > 0 ? g->size[k] / 2 : -g->size[k] / 2;
        break;
    case CYLINDER:
        for (int k = 0; k < 2 && flat > 0; k++) x[k] = g->size[0] * d[k] / flat;
        x[2] = d[2] > 0 ? g->size[1] / 2 : -g->size[1] / 2;
        break;
    case CONE: /* the base a quarter of the height below the centre of mass */
        for (int k = 0; k < 2 && flat > 0; k++) x[k] = g->size[0] * d[k] / flat;
        x[2] = -g->size[1] / 4;
        if (d[2] * g->size[1] > g->size[0] * flat) x[0] = x[1] = 0, x[2] = 3 * g->size[1] / 4;
        break;
    case ELLIPSOID:
        for (int k = 0; k < 3; k++) along += g->size[k] * g->size[k] / 4 * d[k] * d[k];
        for (int k = 0; k < 3; k++) x[k] = g->size[k] * g->size[k] / 4 * d[k] / sqrt(along);
        break;
    case HULL: {
        double most = -INFINITY;
        for (int i = 0; i < g->n; i++) {
            double s = g->point[i][0] * d[0] + g->point[i][1] * d[1] + g->point[i][2] * d[2];
            if (s > most) most = s, memcpy(x, g->point[i], 3 * sizeof *x);
        }
        break;
    }
    default: break;
    }
    for (int k = 0; k < 3; k++) x[k] += g->radius * d[k] / size;
}

typedef struct place {
    double r[3], A[3][3];
} place;

static inline void support_at(const grain *g, const place *p, const double d[3], double sign, double x[3]) {
    const double shrunk = 1 - 2e-6;
    double e[3] = {0}, y[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) e[i] += sign * p->A[j][i] * d[j];
    support(g, e, y);
    for (int i = 0; i < 3; i++) {
        x[i] = p->r[i];
        for (int j = 0; j < 3; j++) x[i] += shrunk * p->A[i][j] * y[j];
    }
}

/* ---- do two shapes have a point in common? ---- */

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void minus(const double *a, const double *b, double *c) {
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

/* The point of the hull of w[0..n) that is nearest to 0, by trying all its faces; keeps those points of it that carry this one. */
static inline void nearest(double w[4][3], int *n, double v[3]) {
    double best = INFINITY, kept[4][3];
    int count = 0;
    for (int set = 1; set < 1 << *n; set++) {
        double p[4][3], e1[3], e2[3], normal[3], x[3], weight[3] = {1, 0, 0};
        int m = 0;
        for (int i = 0; i < *n; i++)
            if (set & 1 << i) memcpy(p[m++], w[i], sizeof p[0]);
        if (m == 4) continue;
        if (m == 2) {
            minus(p[1], p[0], e1);
            weight[1] = -dot(p[0], e1) / dot(e1, e1), weight[0] = 1 - weight[1];
        }
        if (m == 3) {
            minus(p[1], p[0], e1), minus(p[2], p[0], e2), cross(e1, e2, normal);
            double nn = dot(normal, normal), c[3];
            cross(p[1], p[2], c), weight[0] = dot(normal, c) / nn;
            cross(p[2], p[0], c), weight[1] = dot(normal, c) / nn;
            weight[2] = 1 - weight[0] - weight[1];
        }
        bool inside = true;
        memset(x, 0, sizeof x);
        for (int i = 0; i < m; i++) {
            inside = inside && weight[i] >= 0;
            for (int k = 0; k < 3; k++) x[k] += weight[i] * p[i][k];
        }
        if (!inside || !(dot(x, x) < best)) continue;
        best = dot(x, x), count = m;
        memcpy(v, x, sizeof x), memcpy(kept, p, sizeof p);
    }
    *n = count;
    memcpy(w, kept, sizeof kept);
}

static inline bool contains_zero(double w[4][3]) {
    for (int i = 0; i < 4; i++) {
        double a[3], b[3], normal[3], to[3];
        const double *p = w[(i + 1) % 4];
        minus(w[(i + 2) % 4], p, a), minus(w[(i + 3) % 4], p, b), cross(a, b, normal), minus(w[i], p, to);
        if (!(dot(normal, to) * -dot(normal, p) > 0)) return false;
    }
    return true;
}

static inline bool overlap(const grain *g, const place *p, const grain *h, const place *q) {
    double w[4][3], v[3];
    int n = 0;
    minus(p->r, q->r, v);
    for (int turn = 0; turn < 1000; turn++) {
        double a[3], b[3], x[3];
        support_at(g, p, v, -1, a), support_at(h, q, v, 1, b), minus(a, b, x);
        if (dot(x, v) > 0) return false; /* v separates them */
        memcpy(w[n++], x, sizeof x);
        if (n == 4 && contains_zero(w)) return true;
        nearest(w, &n, v);
        if (!(dot(v, v) > 1e-24)) return true;
    }
    return true;
}

static inline place place_of(const double *q, bool planar) {
    place p = {.r = {q[0], q[1], planar ? 0 : q[2]}};
    if (planar) {
        double c = cos(q[2]), s = sin(q[2]), A[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
        memcpy(p.A, A, sizeof A);
        return p;
    }
    double a = q[3], b = q[4], c = q[5], d = q[6], m = a * a + b * b + c * c + d * d;
    double A[3][3] = {{1 - 2 * (c * c + d * d) / m, 2 * (b * c - a * d) / m, 2 * (b * d + a * c) / m},
                      {2 * (b * c + a * d) / m, 1 - 2 * (b * b + d * d) / m, 2 * (c * d - a * b) / m},
                      {2 * (b * d - a * c) / m, 2 * (c * d + a * b) / m, 1 - 2 * (b * b + c * c) / m}};
    memcpy(p.A, A, sizeof A);
    return p;
}

#endif
