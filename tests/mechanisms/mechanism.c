/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanisms/mechanism.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RODS = 6, MOST_POINTS = MOST_RODS + 2 };

typedef struct rod {
    int from, to; /* points */
    double length, mass;
    bool is_slider;
} rod;

typedef struct maker {
    mechanism *m;
    size_t used;
    uint64_t state;
    double p[MOST_POINTS][3]; /* points in I */
    double e[3][3];           /* the plane of the mechanism: e1, e2 in it, e3 its normal */
    bool mixed;               /* in space: joints of all types, and not in one plane */
    int n_rods, n_points;
    rod rods[MOST_RODS];
    int joints;
} maker;

/* ---- random numbers: the same on every machine ---- */

static uint64_t next(maker *k) {
    uint64_t z = (k->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static double number(maker *k, double low, double high) { return low + (high - low) * (double)(next(k) >> 11) * 0x1p-53; }
static int choice(maker *k, int count) { return (int)(next(k) % (uint64_t)count); }
static bool chance(maker *k, double probability) { return number(k, 0, 1) < probability; }

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void put(maker *k, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    k->used += (size_t)vsnprintf(k->m->text + k->used, MECHANISM_MOST_TEXT - k->used, format, arguments);
    va_end(arguments);
    assert(k->used < MECHANISM_MOST_TEXT);
}

static void put_vector(maker *k, const double *v) {
    if (k->m->spatial) put(k, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
    else put(k, "[%.17g, %.17g]", v[0], v[1]);
}

/* ---- places ---- */

static double norm(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void random_direction(maker *k, double *v) {
    do
        for (int i = 0; i < 3; i++) v[i] = number(k, -1, 1);
    while (norm(v) < 0.2 || norm(v) > 1);
    double length = norm(v);
    for (int i = 0; i < 3; i++) v[i] /= length;
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static void choose_plane(maker *k) {
    static const double own[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double helper[3];
    memcpy(k->e, own, sizeof own);
    if (!k->m->spatial) return;
    if (chance(k, 0.3)) { /* upright, with a horizontal axis */
        const double upright[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
        memcpy(k->e, upright, sizeof upright);
        return;
    }
    random_direction(k, k->e[2]);
    do {
        random_direction(k, helper);
        cross(k->e[2], helper, k->e[0]);
    } while (norm(k->e[0]) < 0.3);
    double length = norm(k->e[0]);
    for (int i = 0; i < 3; i++) k->e[0][i] /= length;
    cross(k->e[2], k->e[0], k->e[1]);
}

static int add_point(maker *k, double x, double y) {
    double *p = k->p[k->n_points];
    for (int i = 0; i < 3; i++) p[i] = x * k->e[0][i] + y * k->e[1][i];
    return k->n_points++;
}

static void add_rod(maker *k, int from, int to) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = k->p[to][i] - k->p[from][i];
    k->rods[k->n_rods++] = (rod){from, to, norm(d), number(k, 0.3, 2), false};
    k->m->size += norm(d);
}

/* Rods one after the other, from the origin, turning left or right by up to a right angle. */
static void make_chain(maker *k, int count) {
    double x = 0, y = 0, angle = number(k, -3, 3);
    add_point(k, 0, 0);
    for (int i = 0; i < count; i++) {
        double length = number(k, 0.3, 1);
        x += length * cos(angle), y += length * sin(angle);
        int point = add_point(k, x, y);
        if (k->mixed)
            for (int j = 0; j < 3; j++) k->p[point][j] += number(k, -0.15, 0.15);
        add_rod(k, i, i + 1);
        angle += (chance(k, 0.5) ? 1 : -1) * number(k, 0.4, 1.5);
    }
}

/* ---- bodies ---- */

static void put_rod(maker *k, int index) {
    const rod *r = &k->rods[index];
    const double *a = k->p[r->from], *b = k->p[r->to];
    double middle[3], d[3], J = r->mass * r->length * r->length / 12;
    for (int i = 0; i < 3; i++) middle[i] = (a[i] + b[i]) / 2, d[i] = (b[i] - a[i]) / r->length;
    put(k, "  r%d: {type: %s, mass: %.6g, position: ", index, k->m->spatial ? "spatial" : "planar", r->mass);
    put_vector(k, r->is_slider ? a : middle);
    double half = r->is_slider ? 0 : r->length / 2;
    if (!k->m->spatial) {
        put(k, ", inertia: %.6g, angle: %.17g", J, atan2(d[1], d[0]));
    } else { /* x of the body along the rod: turned about e_x x d, by half the angle in the quaternion */
        double w = 1 + d[0], q[4] = {w, 0, -d[2], d[1]};
        if (w < 1e-3) q[0] = 0, q[1] = -d[1], q[2] = d[0], q[3] = 0; /* nearly opposite: half a turn about an axis across */
        double s = w < 1e-3 ? hypot(q[1], q[2]) : sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
        put(k, ", inertia: [%.6g, %.6g, %.6g], rotation: [%.17g, %.17g, %.17g, %.17g]", J / 5, J, J, q[0] / s, q[1] / s, q[2] / s,
            q[3] / s);
    }
    if (k->m->moving && !k->m->spatial) put(k, ", angle_rate: %.6g", number(k, -3, 3));
    if (k->m->moving && k->m->spatial) put(k, ", angular_velocity: [0, %.6g, %.6g]", number(k, -3, 3), number(k, -3, 3));
    put(k, ", frames: {a: [%.17g, 0%s], b: [%.17g, 0%s]}}\n", -half, k->m->spatial ? ", 0" : "", half, k->m->spatial ? ", 0" : "");
}

/* ---- joints ---- */

static void put_joint(maker *k, const char *type, const char *between, const double *at, const double *axis) {
    put(k, "  j%d: {type: %s, between: [%s], at: ", ++k->joints, type, between);
    put_vector(k, at);
    if (axis) put(k, ", axis: "), put_vector(k, axis);
    put(k, "}\n");
}

/* A hinge between two bodies; the world comes first or second; some are there twice. */
static void put_hinge(maker *k, int a, int b, int point) {
    static const char *const types[] = {"revolute", "universal", "spherical", "spherical"};
    char names[2][16], between[40];
    double axis[3];
    const int bodies[2] = {a, b};
    for (int i = 0; i < 2; i++)
        bodies[i] < 0 ? (void)strcpy(names[i], "world") : (void)snprintf(names[i], sizeof names[i], "r%d", bodies[i]);
    int first = choice(k, 2), type = k->mixed ? choice(k, 4) : 0;
    snprintf(between, sizeof between, "%s, %s", names[first], names[1 - first]);
    memcpy(axis, k->e[2], sizeof axis);
    if (k->mixed) random_direction(k, axis);
    put_joint(k, types[type], between, k->p[point], k->m->spatial && type < 2 ? axis : NULL);
    if (type == 1 || !chance(k, 0.15)) return; /* a universal joint with its bodies in the other order is another one */
    snprintf(between, sizeof between, "%s, %s", names[1 - first], names[first]);
    put_joint(k, types[type], between, k->p[point], k->m->spatial && type < 2 ? axis : NULL);
    k->m->redundant = true;
}

static void put_slider(maker *k, int index) {
    double axis[3];
    char between[40];
    double angle = number(k, -3, 3);
    for (int i = 0; i < 3; i++) axis[i] = cos(angle) * k->e[0][i] + sin(angle) * k->e[1][i];
    snprintf(between, sizeof between, chance(k, 0.5) ? "world, r%d" : "r%d, world", index);
    put_joint(k, k->mixed && chance(k, 0.5) ? "cylindrical" : "prismatic", between, k->p[k->rods[index].from], axis);
    if (k->m->spatial && !k->mixed) k->m->redundant = true;
}

static void put_drive(maker *k) {
    if (k->mixed || !chance(k, 0.35)) return;
    bool position = chance(k, 0.5);
    put(k, "  drive: {type: %s, between: [world, r0], at: ", position ? "angle-drive" : "motor");
    put_vector(k, k->p[0]);
    put(k, ", axis: "), put_vector(k, k->e[k->m->spatial ? 2 : 0]);
    double rate = number(k, 1, 10), amount = number(k, -1, 1);
    if (position) put(k, ", drive: %.6g*(1 - cos(%.6g*t))}\n", amount / 2, rate);
    else put(k, ", drive: %.6g*sin(%.6g*t)}\n", 2 * amount, rate);
    k->m->driven = true;
}

/* ---- springs and stops ---- */

static void put_springs(maker *k) {
    int count = choice(k, 4);
    double anchors[3][3], stiffness[3];
    if (count == 0) return;
    put(k, "forces:\n");
    for (int i = 0; i < count; i++) {
        int index = choice(k, k->n_rods);
        const double *end = k->p[k->rods[index].to];
        double d[3], amount = number(k, 0.2, 0.8);
        random_direction(k, d);
        if (!k->m->spatial) d[2] = 0;
        for (int j = 0; j < 3; j++) anchors[i][j] = end[j] + amount * d[j], d[j] *= amount;
        stiffness[i] = pow(10, number(k, 0, 6));
        double c = chance(k, 0.5) ? 0 : 2 * number(k, 0, 0.5) * sqrt(stiffness[i]);
        double length = norm(d) * (stiffness[i] < 1e3 ? number(k, 0.8, 1.2) : 1); /* stiff ones begin at rest */
        put(k, "  s%d: {type: spring, between: [world.s%d, r%d.b], stiffness: %.6g, damping: %.6g, length: %.17g}\n", i, i, index,
            stiffness[i], c, length);
        k->m->stiffest = fmax(k->m->stiffest, stiffness[i]);
    }
    put(k, "frames:\n");
    for (int i = 0; i < count; i++) put(k, "  world.s%d: ", i), put_vector(k, anchors[i]), put(k, "\n");
    k->m->n_springs = count;
}

/* A floor below the lowest end of a rod, or a wall beside it. */
static void put_stop(maker *k, int degrees) {
    if (degrees < 1 || !chance(k, 0.5)) return;
    int last = k->n_rods - 1, up = k->m->spatial ? 2 : 1, which = k->rods[last].to;
    bool wall = chance(k, 0.3);
    double normal[3] = {0}, at[3], radius = number(k, 0.02, 0.1), gap = number(k, 0.001, 0.1);
    normal[up] = 1;
    if (wall) normal[up] = 0, normal[0] = chance(k, 0.5) ? 1 : -1;
    for (int i = 0; i < 3; i++) at[i] = k->p[which][i] - (radius + gap) * normal[i];
    put(k, "geometry:\n  tip: {on: r%d.b, type: %s, radius: %.6g}\n", last, k->m->spatial ? "sphere" : "disk", radius);
    put(k, "  stop: {type: %s, at: ", k->m->spatial ? "plane" : "line"), put_vector(k, at);
    put(k, ", normal: "), put_vector(k, normal), put(k, "}\n");
    put(k, "contacts:\n  stop: {between: [tip, stop], restitution: %.6g", chance(k, 0.4) ? 0 : number(k, 0, 0.8));
    k->m->has_friction = chance(k, 0.5);
    if (k->m->has_friction) put(k, ", friction: %.6g", number(k, 0.05, 0.6));
    put(k, "}\n");
    k->m->has_stop = true;
}

/* ---- the whole ---- */

/* Three cranks of the same length in the same direction on one coupler: one of them is one too many. */
static void make_cranks(maker *k) {
    double angle = number(k, 0.5, 2.6), length = number(k, 0.3, 0.8), width = number(k, 0.4, 1);
    double x = length * cos(angle), y = length * sin(angle);
    for (int i = 0; i < 3; i++) {
        int foot = add_point(k, i * width, 0), head = add_point(k, i * width + x, y);
        add_rod(k, foot, head);
    }
    add_rod(k, 1, 5);
    k->m->closed = k->m->redundant = true;
}

static void put_cranks(maker *k) {
    for (int i = 0; i < 3; i++) put_hinge(k, -1, i, 2 * i), put_hinge(k, i, 3, 2 * i + 1);
}

static void put_chain(maker *k, int count, bool closed, bool slider) {
    put_hinge(k, -1, 0, 0);
    for (int i = 1; i < count; i++) put_hinge(k, i - 1, i, i);
    if (closed) put_hinge(k, count - 1, -1, count);
    if (!slider) return;
    put_hinge(k, count - 1, count, count);
    put_slider(k, count);
}

void mechanism_make(uint64_t seed, mechanism *m) {
    *m = (mechanism){0};
    maker k = {.m = m, .state = seed * 0x2545f4914f6cdd1du};
    m->spatial = chance(&k, 0.5);
    k.mixed = m->spatial && chance(&k, 0.5);
    m->moving = chance(&k, 0.3);
    choose_plane(&k);
    int kind = choice(&k, k.mixed ? 3 : 4), count = kind == 0 ? 1 + choice(&k, 4) : kind == 1 ? 3 + choice(&k, 3) : 2;
    bool slider = kind == 2;
    kind == 3 ? make_cranks(&k) : make_chain(&k, count);
    if (kind == 1) m->closed = true, m->redundant = m->spatial && !k.mixed;
    if (slider) k.rods[k.n_rods] = (rod){count, count, 0.3, number(&k, 0.3, 1), true}, k.n_rods++, m->closed = true;
    m->n_rods = k.n_rods;
    put(&k, "title: Mechanism %llu\n", (unsigned long long)seed);
    put(&k, m->spatial ? "gravity: [0, 0, -9.81]\nbodies:\n" : "gravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < k.n_rods; i++) put_rod(&k, i);
    put(&k, "joints:\n");
    kind == 3 ? put_cranks(&k) : put_chain(&k, count, kind == 1, slider);
    if (chance(&k, 0.2)) { /* its first rod keeps the distance anyway */
        put(&k,
            chance(&k, 0.5) ? "  tie: {type: distance, between: [world, r0.b]}\n" : "  tie: {type: distance, between: [r0.b, world]}\n");
        m->redundant = true;
    }
    put_drive(&k);
    put_springs(&k);
    put_stop(&k, (kind == 0 ? count : kind == 1 ? count - 2 : 1) - m->driven);
}
