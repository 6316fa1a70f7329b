/* SPDX-License-Identifier: Apache-2.0 */
/* Closed meshes on meshes and on height fields, sharp and with notches: random angles of two bars fall, meet each other by corners, edges
 * and faces, also with their inner corners, and nothing overlaps. An angle is two boxes for the independent test of overlap (overlap.h). */
#include "contact_runs.h"
#include "overlap.h"

#include <stdlib.h>

enum { ANGLES = 4 };

/* The corners of an L in the plane, in units of the width of its bars; its centre of mass is at 5/6, 5/6. */
static const double corner[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
static const double width = 0.1, middle = 5.0 / 6;

static double between(double a, double b) { return a + (b - a) * rand() / RAND_MAX; }

static size_t write_angle(char *text, size_t room, double turn) {
    size_t used = (size_t)snprintf(text, room, "{type: mesh, points: [");
    for (int i = 0; i < 12; i++) {
        double x = width * (corner[i % 6][0] - middle), y = width * (corner[i % 6][1] - middle);
        used += (size_t)snprintf(text + used, room - used, "%s[%.17g, %.17g, %g]", i ? ", " : "", cos(turn) * x - sin(turn) * y,
                                 sin(turn) * x + cos(turn) * y, i < 6 ? -width / 2 : width / 2);
    }
    used += (size_t)snprintf(text + used, room - used, "], triangles: [");
    for (int i = 1; i < 5; i++)
        used += (size_t)snprintf(text + used, room - used, "[1, %d, %d], [7, %d, %d], ", i + 2, i + 1, i + 7, i + 8);
    for (int i = 1, j = 2; i <= 6; i++, j = i % 6 + 1)
        used += (size_t)snprintf(text + used, room - used, "%s[%d, %d, %d], [%d, %d, %d]", i > 1 ? ", " : "", i, j, j + 6, i, j + 6, i + 6);
    return used + (size_t)snprintf(text + used, room - used, "]}");
}

static void write_scene(char *text, size_t room, unsigned seed, const char *floor) {
    srand(seed);
    size_t used = (size_t)snprintf(text, room, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < ANGLES; i++) {
        used += (size_t)snprintf(text + used, room - used, "  a%d: {type: spatial, density: 500, shape: ", i);
        used += write_angle(text + used, room - used, 0);
        double v[6];
        for (int k = 0; k < 6; k++) v[k] = between(-1, 1);
        used += (size_t)snprintf(text + used, room - used, ", position: [%g, %g, %g], rotation: {axis: [%g, %g, %g], angle: %g}}\n",
                                 0.1 * v[0], 0.1 * v[1], 0.35 + 0.35 * i, v[2], v[3], v[4], 3 * v[5]);
    }
    snprintf(text + used, room - used,
             "geometry: {floor: {%s}}\ncontacts: {all: {between: all, friction: 0.4}}\nsimulation: {step: 2e-3, end: 0.8}\n", floor);
}

/* Each of the two bars of i against each of j. */
static void nothing_overlaps(const double *q, unsigned seed, double t) {
    const grain bar[2] = {{.kind = BOX, .size = {2 * width, width, width}}, {.kind = BOX, .size = {width, width, width}}};
    const double at[2][2] = {{1, 0.5}, {0.5, 1.5}};
    place p[ANGLES][2];
    for (int i = 0; i < ANGLES; i++)
        for (int b = 0; b < 2; b++) {
            p[i][b] = place_of(q + 7 * i, false);
            for (int k = 0; k < 3; k++)
                p[i][b].r[k] += width * (p[i][b].A[k][0] * (at[b][0] - middle) + p[i][b].A[k][1] * (at[b][1] - middle));
        }
    for (int i = 0; i < ANGLES; i++)
        for (int j = 0; j < i; j++)
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 2; c++)
                    if (overlap(&bar[b], &p[i][b], &bar[c], &p[j][c])) fail_msg("seed %u, t = %g: %d and %d overlap", seed, t, i, j);
}

static void angles_fall(const char *floor, unsigned first, unsigned count) {
    for (unsigned seed = first; seed < first + count; seed++) {
        static char text[20000];
        write_scene(text, sizeof text, seed, floor);
        trial r = trial_begin(text, (trial_options){.scheme = "rattle", .step = 2e-3, .end = 0.8});
        double T, V, before;
        zn_simulation_energy(r.simulation, &T, &V);
        before = T + V;
        for (long k = 0; !zn_simulation_done(r.simulation); k++) {
            trial_step(&r);
            if (k % 10 == 0) nothing_overlaps(zn_simulation_positions(r.simulation), seed, zn_simulation_time(r.simulation));
        }
        zn_simulation_energy(r.simulation, &T, &V);
        check_below(T + V, before);
        zn_statistics of = zn_simulation_statistics(r.simulation);
        check_below(of.max_overlap, 1e-7 * 1.5 * width); /* of half the diagonal of the box around it */
        assert_true(of.found_max >= 6);
        trial_end(&r);
    }
}

static void on_a_mesh(void **state) {
    (void)state;
    angles_fall("type: mesh, points: [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], triangles: [[1, 2, 3], [1, 3, 4]]", 1, 2);
}

static void on_hills(void **state) {
    (void)state;
    angles_fall("type: height-field, size: [3, 3], grid: [21, 21], z: 0.1*sin(5*x)*cos(4*y)", 11, 2);
}

/* An angle falls with its tips on those of another one, slides down and comes to rest with a tip in the other's inner corner, where faces
 * lie on faces: it has gone by half a tip aside. Schemes on velocity level, whose tip has sunk into one face by what a step moves, are
 * stopped by the other face all the same. */
static void a_tip_slides_into_a_notch(void **state) {
    (void)state;
    static char text[4000];
    const double quarter = acos(-1) / 4, h = 1e-3, fast = sqrt(2 * 9.81 * 0.2);
    size_t used = (size_t)snprintf(text, sizeof text, "gravity: [0, -9.81, 0]\ngeometry:\n  low: ");
    used += write_angle(text + used, sizeof text - used, quarter);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "\nbodies:\n  high: {type: spatial, density: 500, position: [0.003, 0.35, 0.001], shape: ");
    used += write_angle(text + used, sizeof text - used, 5 * quarter);
    snprintf(text + used, sizeof text - used, "}\ncontacts: {all: {between: all, friction: 0.4}}\nsimulation: {step: 1e-3, end: 0.6}\n");
    const char *const schemes[] = {"rattle", "moreau-midpoint"};
    for (int s = 0; s < 2; s++) {
        trial r = trial_begin(text, (trial_options){.scheme = schemes[s], .step = h});
        trial_run(&r);
        check_close(zn_simulation_positions(r.simulation)[0], width / sqrt(2), s ? h * fast : 1e-6);
        check_below(zn_simulation_statistics(r.simulation).max_overlap, s ? h * fast : 1e-7 * 1.5 * width);
        for (int i = 0; i < 6; i++) check_close(zn_simulation_velocities(r.simulation)[i], 0, 1e-6);
        trial_end(&r);
    }
}

/* A prescribed body that turns about z beside spatial ones is one in space: its top may be a mesh, and a crate that starts with it stays
 * where it is on it. */
static void a_turntable_has_a_mesh(void **state) {
    (void)state;
    double error[2];
    for (int s = 0; s < 2; s++) {
        trial r = trial_begin(
            "gravity: [0, 0, -9.81]\nbodies:\n"
            "  table: {type: prescribed, angle: 3*t, geometry: {top: {type: mesh, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, "
            "0]], "
            "triangles: [[1, 2, 3], [1, 3, 4]]}}}\n"
            "  crate: {type: spatial, mass: 1, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0.3, 0, 0.1], velocity: [0, 0.9, 0], "
            "angular_velocity: [0, 0, 3]}\n"
            "contacts: {all: {between: all, friction: 0.8}}\nsimulation: {step: 1e-3, end: 0.5}\n",
            (trial_options){.scheme = "radau-2a", .step = s ? 1e-3 : 2e-3});
        trial_run(&r);
        const double *q = zn_simulation_positions(r.simulation);
        error[s] = hypot(q[0] - 0.3 * cos(1.5), q[1] - 0.3 * sin(1.5));
        check_close(q[2], 0.1, 1e-12);
        trial_end(&r);
    }
    check_below(error[0], 2e-9);
    check_close(log2(error[0] / error[1]), 3, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_mesh), cmocka_unit_test(on_hills), cmocka_unit_test(a_tip_slides_into_a_notch),
                                       cmocka_unit_test(a_turntable_has_a_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
