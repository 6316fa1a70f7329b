/* SPDX-License-Identifier: Apache-2.0 */
/* Random heaps of all classes of shapes fall and come to rest: nothing fails, and nothing overlaps, as an independent test of overlap says: the algorithm of
 * Gilbert, Johnson and Keerthi on shapes that are shrunk a little about their middles, with support functions of its own. */
#include "contact_runs.h"

#include <stdlib.h>

enum { MOST = 24, MOST_POINTS = 12 };

typedef enum kind { BALL, CAPSULE, BOX, ROUNDED, CYLINDER, CONE, ELLIPSOID, HULL, KINDS } kind;

typedef struct grain {
    kind kind;
    double size[3], radius, point[MOST_POINTS][3];
    int n;
} grain;

static double between(double a, double b) { return a + (b - a) * rand() / RAND_MAX; }

/* ---- support functions, in the frame of the body ---- */

static void support(const grain *g, const double d[3], double x[3]) {
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

static void support_at(const grain *g, const place *p, const double d[3], double sign, double x[3]) {
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

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static void minus(const double *a, const double *b, double *c) {
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

/* The point of the hull of w[0..n) that is nearest to 0, by trying all its faces; keeps those points of it that carry this one. */
static void nearest(double w[4][3], int *n, double v[3]) {
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

static bool contains_zero(double w[4][3]) {
    for (int i = 0; i < 4; i++) {
        double a[3], b[3], normal[3], to[3];
        const double *p = w[(i + 1) % 4];
        minus(w[(i + 2) % 4], p, a), minus(w[(i + 3) % 4], p, b), cross(a, b, normal), minus(w[i], p, to);
        if (!(dot(normal, to) * -dot(normal, p) > 0)) return false;
    }
    return true;
}

static bool overlap(const grain *g, const place *p, const grain *h, const place *q) {
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

/* The test of the test: two boxes, 1e-6 apart and 1e-6 in each other; the same for a cone on its base. */
static void the_test_sees_overlap(void **state) {
    (void)state;
    grain box = {.kind = BOX, .size = {0.2, 0.2, 0.2}}, cone = {.kind = CONE, .size = {0.1, 0.4}};
    place at = {.A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, turned = {.A = {{0.8, -0.6, 0}, {0.6, 0.8, 0}, {0, 0, 1}}};
    turned.r[2] = 0.2 + 1e-6;
    assert_false(overlap(&box, &at, &box, &turned));
    turned.r[2] = 0.2 - 1e-6;
    assert_true(overlap(&box, &at, &box, &turned));
    turned.r[2] = 0.2 + 1e-6;
    assert_false(overlap(&box, &at, &cone, &turned));
    turned.r[2] = 0.2 - 1e-6;
    assert_true(overlap(&box, &at, &cone, &turned));
}

/* ---- heaps ---- */

static const char *const spatial_name[KINDS] = {"sphere", "capsule", "box", "box", "cylinder", "cone", "ellipsoid", "polyhedron"};
static const char *const planar_name[KINDS] = {"disk", "capsule", "box", "box", "box", "box", "ellipse", "polygon"};

static grain random_grain(bool planar) {
    grain g = {.kind = (kind)(rand() % KINDS)};
    if (planar && (g.kind == CYLINDER || g.kind == CONE)) g.kind = HULL;
    for (int k = 0; k < 3; k++) g.size[k] = between(0.1, 0.25);
    if (g.kind == BALL) g.radius = between(0.06, 0.12);
    if (g.kind == CAPSULE) g.radius = between(0.04, 0.08), g.size[1] = between(0.08, 0.2);
    if (g.kind == ROUNDED) g.radius = 0.03;
    if (g.kind == CYLINDER || g.kind == CONE) g.size[0] = between(0.06, 0.13);
    if (g.kind != HULL) return g;
    g.n = planar ? 3 + rand() % 4 : 10;
    for (int i = 0; i < g.n; i++) {
        double *x = g.point[i], size = 0, angle = 6.283185307179586 * i / g.n;
        if (planar) {
            x[0] = 0.12 * cos(angle), x[1] = 0.12 * sin(angle);
            continue;
        }
        if (i >= g.n / 2) { /* the other half is opposite, so that the centre of mass is in the middle */
            for (int k = 0; k < 3; k++) x[k] = -g.point[i - g.n / 2][k];
            continue;
        }
        for (int k = 0; k < 3; k++) x[k] = between(-1, 1), size += x[k] * x[k];
        for (int k = 0; k < 3; k++) x[k] *= 0.12 / sqrt(size);
    }
    return g;
}

static size_t write_shape(char *text, size_t room, const grain *g, bool planar) {
    size_t used = (size_t)snprintf(text, room, "{type: %s", (planar ? planar_name : spatial_name)[g->kind]);
    if (g->radius > 0) used += (size_t)snprintf(text + used, room - used, ", radius: %.17g", g->radius);
    if (g->kind == CAPSULE) used += (size_t)snprintf(text + used, room - used, ", length: %.17g", g->size[1]);
    if (g->kind == CYLINDER || g->kind == CONE)
        used += (size_t)snprintf(text + used, room - used, ", radius: %.17g, length: %.17g", g->size[0], g->size[1]);
    if (g->kind == BOX || g->kind == ROUNDED || g->kind == ELLIPSOID) {
        used += (size_t)snprintf(text + used, room - used, ", size: [%.17g, %.17g", g->size[0], g->size[1]);
        used += planar ? 0 : (size_t)snprintf(text + used, room - used, ", %.17g", g->size[2]);
        used += (size_t)snprintf(text + used, room - used, "]");
    }
    for (int i = 0; i < g->n; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s[%.17g, %.17g", i ? ", " : ", points: [", g->point[i][0], g->point[i][1]);
        used += planar ? 0 : (size_t)snprintf(text + used, room - used, ", %.17g", g->point[i][2]);
        used += (size_t)snprintf(text + used, room - used, "]%s", i == g->n - 1 ? "]" : "");
    }
    return used + (size_t)snprintf(text + used, room - used, "}");
}

/* Grains fall one above the other between walls. */
static void write_heap(char *text, size_t room, int n, bool planar, grain *g) {
    size_t used = (size_t)snprintf(text, room, planar ? "gravity: [0, -9.81]\nbodies:\n" : "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < n; i++) {
        g[i] = random_grain(planar);
        used += (size_t)snprintf(text + used, room - used, "  g%d: {type: %s, density: 500, shape: ", i, planar ? "planar" : "spatial");
        used += write_shape(text + used, room - used, &g[i], planar);
        double x = (planar ? i % 3 - 1 : i % 2 - 0.5) * 0.36, y = planar ? 0 : ((i / 2) % 2 - 0.5) * 0.36,
               z = 0.25 + 0.36 * (planar ? i / 3 : i / 4);
        if (planar) used += (size_t)snprintf(text + used, room - used, ", position: [%.17g, %.17g], angle: %.17g}\n", x, z, between(-3, 3));
        else
            used += (size_t)snprintf(text + used, room - used,
                                     ", position: [%.17g, %.17g, %.17g], rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}}\n", x, y, z,
                                     between(-1, 1), between(-1, 1), between(-1, 1), between(-3, 3));
    }
    snprintf(text + used, room - used, "%s",
             planar ? "geometry: {floor: {type: line}, e: {type: line, normal: [-1, 0], at: [0.6, 0]}, w: {type: line, normal: [1, 0], at: "
                      "[-0.6, 0]}}\n"
                      "contacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 2e-3, end: 1}\n"
                    : "geometry: {floor: {type: plane}, e: {type: plane, normal: [-1, 0, 0], at: [0.45, 0, 0]}, w: {type: plane, normal: "
                      "[1, 0, 0], "
                      "at: [-0.45, 0, 0]}, n: {type: plane, normal: [0, -1, 0], at: [0, 0.45, 0]}, s: {type: plane, normal: [0, 1, 0], at: "
                      "[0, -0.45, "
                      "0]}}\ncontacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 2e-3, end: 1}\n");
}

static place place_of(const double *q, bool planar) {
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

/* A planar capsule lies along x, a spatial one along z; planar ones are as thick as their height, which never matters. */
static grain as_solid(grain g, bool planar) {
    if (!planar) return g;
    if (g.kind == CAPSULE) g.kind = ROUNDED, g.size[0] = g.size[1], g.size[1] = 0;
    if (g.kind == BOX || g.kind == ROUNDED || g.kind == ELLIPSOID) g.size[2] = g.kind == ROUNDED ? 0 : 0.1;
    return g;
}

static void nothing_overlaps(const trial *r, int n, bool planar, const grain *g, unsigned seed) {
    const double *q = zn_simulation_positions(r->simulation);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            grain a = as_solid(g[i], planar), b = as_solid(g[j], planar);
            place p = place_of(q + (planar ? 3 : 7) * i, planar), s = place_of(q + (planar ? 3 : 7) * j, planar);
            if (overlap(&a, &p, &b, &s)) fail_msg("seed %u, t = %g: %d and %d overlap", seed, zn_simulation_time(r->simulation), i, j);
        }
}

typedef struct heap_run {
    const char *scheme;
    bool planar;
    int n;
    unsigned first, count;
    double step, end;
} heap_run;

static void heaps(const heap_run *h) {
    for (unsigned seed = h->first; seed < h->first + h->count; seed++) {
        static char text[40000];
        grain g[MOST];
        srand(seed);
        write_heap(text, sizeof text, h->n, h->planar, g);
        trial r = trial_begin(text, (trial_options){.scheme = h->scheme, .step = h->step, .end = h->end});
        bool on_positions = strncmp(h->scheme, "moreau", 6) != 0;
        double size = 0.04; /* at least, of the smallest */
        /* On velocity level every impact leaves up to h v, v of the longest fall, and a grain is hit twice; rolling at 1 m/s over a radius R adds
         * v^2 h/(2 R) in a second. */
        double fast = sqrt(2 * 9.81 * 2), left = h->step * (2 * fast + h->end / (2 * 0.06));
        for (long k = 0; !zn_simulation_done(r.simulation); k++) {
            trial_step(&r);
            if (on_positions && k % 20 == 0) nothing_overlaps(&r, h->n, h->planar, g, seed);
        }
        double T, V, E = 0, fallen = 9.81 * 0.36; /* v^2/2 of a fall from one row to the next */
        zn_simulation_energy(r.simulation, &T, &V);
        for (int i = 0; i < h->n; i++) E += 500 * 1e-3 * fallen;
        if (h->end >= 1) check_below(T, E); /* most is at rest */
        check_below(zn_simulation_statistics(r.simulation).max_overlap, on_positions ? 1e-6 * size : left);
        assert_true(zn_simulation_statistics(r.simulation).found_max >= (h->end >= 1 ? h->n : 1));
        trial_end(&r);
    }
}

static void planar_heaps(void **state) {
    (void)state;
    heaps(&(heap_run){"rattle", true, 18, 1, 8, 2e-3, 1.5});
    heaps(&(heap_run){"moreau-midpoint", true, 18, 21, 4, 2e-3, 1.5});
    heaps(&(heap_run){"radau-2a", true, 6, 31, 2, 2e-3, 0.4});
}

static void spatial_heaps(void **state) {
    (void)state;
    heaps(&(heap_run){"rattle", false, 8, 1, 5, 2e-3, 1});
    heaps(&(heap_run){"rattle", false, 16, 41, 1, 2e-3, 1});
    heaps(&(heap_run){"moreau-midpoint", false, 16, 51, 3, 2e-3, 1.5});
    heaps(&(heap_run){"radau-2a", false, 4, 61, 1, 2e-3, 0.3});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_sees_overlap),
        cmocka_unit_test(planar_heaps),
        cmocka_unit_test(spatial_heaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
