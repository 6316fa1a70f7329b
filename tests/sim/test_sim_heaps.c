/* SPDX-License-Identifier: Apache-2.0 */
/* Random heaps of all classes of shapes fall and come to rest: nothing fails, and nothing overlaps, as an independent test of overlap says
 * (overlap.h). */
#include "contact_runs.h"
#include "overlap.h"

#include <stdlib.h>

enum { MOST = 24 };

static double between(double a, double b) { return a + (b - a) * rand() / RAND_MAX; }

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
        /* On velocity level every impact leaves up to h v, v of the longest fall, and a grain is hit twice; rolling at 1 m/s over a radius
         * R adds v^2 h/(2 R) in a second. */
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
        check_close(zn_simulation_statistics(r.simulation).max_penetration, zn_simulation_statistics(r.simulation).max_overlap, 0);
        assert_true(zn_simulation_statistics(r.simulation).found_max >= (h->end >= 1 ? h->n : 1));
        trial_end(&r);
    }
}

static void planar_heaps(void **state) {
    (void)state;
    heaps(&(heap_run){"rattle", true, 18, 1, REPEATED(8, 2), 2e-3, 1.5});
    heaps(&(heap_run){"moreau-midpoint", true, 18, 21, REPEATED(4, 1), 2e-3, 1.5});
    heaps(&(heap_run){"radau-2a", true, 6, 31, REPEATED(2, 1), 2e-3, 0.4});
}

static void spatial_heaps(void **state) {
    (void)state;
    heaps(&(heap_run){"rattle", false, 8, 1, REPEATED(5, 1), 2e-3, 1});
    heaps(&(heap_run){"rattle", false, 16, 41, 1, 2e-3, 1});
    heaps(&(heap_run){"moreau-midpoint", false, 16, 51, REPEATED(3, 1), 2e-3, 1.5});
    heaps(&(heap_run){"radau-2a", false, 4, 61, 1, 2e-3, 0.3});
}

/* Rings that fall into each other, at ten times the step: where they wedge, velocities are zero, and accelerations must not follow the
 * direction of their round-off. Where they hang is geometry, the same for every scheme that holds gaps. */
static void rings_wedge(void **state) {
    (void)state;
    trial a = trial_begin("ring-chain", (trial_options){.scheme = "rattle", .step = 1e-2, .end = 0.2}),
          b = trial_begin("ring-chain", (trial_options){.scheme = "generalized-alpha", .step = 1e-2, .end = 0.2});
    trial_run(&a);
    trial_run(&b);
    same_motion(&a, &b, 1e-9);
    for (int i = 0; i < 18; i++) check_below(fabs(zn_simulation_velocities(b.simulation)[i]), 1e-9);
    assert_int_equal(zn_simulation_statistics(b.simulation).cut_steps, 0);
    trial_end(&a);
    trial_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_test_sees_overlap),
        cmocka_unit_test(planar_heaps),
        cmocka_unit_test(spatial_heaps),
        cmocka_unit_test(rings_wedge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
