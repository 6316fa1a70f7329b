/* SPDX-License-Identifier: Apache-2.0 */
/* Mass, centre and inertia of shapes: against slices that are integrated, sums of simpler shapes, and rotated copies. */
#include "check.h"

#include "linalg/geometry.h"
#include "zeno/zeno.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static zn_mass mass_of(zn_shape_def shape, double density, bool planar) {
    zn_context *context = zn_context_create(NULL);
    zn_mass mass;
    zn_status status = zn_shape_mass(context, &shape, density, planar, &mass);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    zn_context_destroy(context);
    return mass;
}

/* A body of revolution about z between z0 and z1 by slices of radius r(z): Simpson's rule, exact for r^4 a polynomial of z of degree 3, and
 * otherwise to the error that the number of slices leaves. m, z m, about z, and about x through the origin. */
static void slices(double (*radius)(double), double z0, double z1, double *m, double *first, double *about_z, double *about_x) {
    enum { N = 20000 };
    *m = *first = *about_z = *about_x = 0;
    for (int i = 0; i <= N; i++) {
        double z = z0 + (z1 - z0) * i / N, w = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * (z1 - z0) / N / 3, r = radius(z), a = pi * r * r;
        *m += w * a;
        *first += w * a * z;
        *about_z += w * a * r * r / 2;
        *about_x += w * a * (r * r / 4 + z * z);
    }
}

static double cone_radius(double z) { return 0.3 * (0.75 - z / 0.8); } /* R 0.3, h 0.8: from -h/4 to 3h/4 */
static double ball_radius(double z) { return sqrt(0.36 > z * z ? 0.36 - z * z : 0); }

static void bodies_of_revolution(void **state) {
    (void)state;
    double m, first, about_z, about_x;
    zn_mass cone = mass_of((zn_shape_def){.type = ZN_SHAPE_CONE, .radius = 0.3, .length = 0.8}, 2, false);
    slices(cone_radius, -0.2, 0.6, &m, &first, &about_z, &about_x);
    check_close(cone.mass, 2 * m, 1e-13);
    check_close(first, 0, 1e-13); /* the centre of mass is the origin */
    check_close(cone.inertia[2], 2 * about_z, 1e-13);
    check_close(cone.inertia[0], 2 * about_x, 1e-13);
    check_close(cone.inertia[1], 2 * about_x, 1e-13);
    zn_mass ball = mass_of((zn_shape_def){.type = ZN_SHAPE_ELLIPSOID, .size = {1.2, 1.2, 1.2}}, 3, false);
    slices(ball_radius, -0.6, 0.6, &m, &first, &about_z, &about_x);
    check_close(ball.mass, 3 * m, 1e-8);
    check_close(ball.inertia[2], 3 * about_z, 1e-8);
    check_close(ball.inertia[0], 3 * about_x, 1e-8);
}

/* Stretching a ball along an axis multiplies mass and second moments. */
static void ellipsoids_are_stretched_balls(void **state) {
    (void)state;
    const double a[3] = {0.4, 0.7, 1.1};
    zn_mass e = mass_of((zn_shape_def){.type = ZN_SHAPE_ELLIPSOID, .size = {2 * a[0], 2 * a[1], 2 * a[2]}}, 1, false),
            b = mass_of((zn_shape_def){.type = ZN_SHAPE_SPHERE, .radius = 1}, 1, false);
    double second = b.inertia[0] / 2, volume = a[0] * a[1] * a[2]; /* int x^2 of the unit ball */
    check_close(e.mass, b.mass * volume, 1e-14);
    for (int i = 0; i < 3; i++) {
        double p = a[(i + 1) % 3], q = a[(i + 2) % 3];
        check_close(e.inertia[i], volume * second * (p * p + q * q), 1e-14);
    }
}

/* A box is the hull of its corners, of points on and inside it too; turned and moved it keeps its principal moments. */
static void polyhedra_are_hulls(void **state) {
    (void)state;
    const double half[3] = {0.5, 1, 1.5};
    double points[40][3];
    unsigned seed = 3;
    for (int run = 0; run < 5; run++) {
        quat p = quat_normalised((quat){{1, 0.3 * run, -0.2 * run, 0.7 * run}});
        mat3 R = quat_matrix(p);
        vec3 move = {10.0 * run, -3, 7};
        for (int i = 0; i < 40; i++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                seed = seed * 1664525u + 1013904223u;
                x[k] = i < 8 ? (i >> k & 1 ? half[k] : -half[k]) : half[k] * (2 * (double)(seed >> 8) / (1u << 24) - 1);
            }
            vec3_store(vec3_add(move, mat3_apply(&R, vec3_from(x))), points[i]);
        }
        zn_mass m = mass_of((zn_shape_def){.type = ZN_SHAPE_POLYHEDRON, .n_points = 40, .points = (const double(*)[3])points}, 2, false);
        check_close(m.mass, 12, 1e-12);
        check_close(m.center[0], move.x, 1e-12);
        mat3 J = {{{m.inertia[0], m.inertia[3], m.inertia[4]},
                   {m.inertia[3], m.inertia[1], m.inertia[5]},
                   {m.inertia[4], m.inertia[5], m.inertia[2]}}};
        for (int k = 0; k < 3; k++) { /* R e_k is a principal axis */
            vec3 e = mat3_column(&R, k), Je = mat3_apply(&J, e);
            double a = 2 * half[(k + 1) % 3], b = 2 * half[(k + 2) % 3], moment = 12 * (a * a + b * b) / 12;
            check_close(vec3_norm(vec3_add_scaled(Je, -moment, e)), 0, 1e-10);
        }
    }
}

/* ---- the plane ---- */

/* A capsule is a box and two half disks; a half disk has half the moments of the disk about its straight side. */
static void planar_shapes(void **state) {
    (void)state;
    const double R = 0.2, L = 0.7;
    zn_mass c = mass_of((zn_shape_def){.type = ZN_SHAPE_CAPSULE, .radius = R, .length = L}, 5, true);
    check_close(c.mass, 5 * (2 * R * L + pi * R * R), 1e-14);
    double m = 0, xx = 0, yy = 0; /* by slices along x */
    enum { N = 200000 };
    for (int i = 0; i < N; i++) {
        double x = (L / 2 + R) * (2 * (i + 0.5) / N - 1), over = fabs(x) - L / 2, half = over > 0 ? sqrt(R * R - over * over) : R,
               w = 2 * (L / 2 + R) / N * 2 * half;
        m += w, xx += w * x * x, yy += w * half * half / 3;
    }
    check_close(c.mass, 5 * m, 1e-6);
    check_close(c.inertia[2], 5 * (xx + yy), 1e-6);
    zn_mass e = mass_of((zn_shape_def){.type = ZN_SHAPE_ELLIPSOID, .size = {0.6, 1}}, 2, true);
    check_close(e.mass, 2 * pi * 0.3 * 0.5, 1e-14);
    check_close(e.inertia[2], e.mass * (0.09 + 0.25) / 4, 1e-14);
}

/* An L of two boxes: masses add, and Steiner's theorem puts them together; the same clockwise, moved and turned. */
static void polygons_are_sums_of_boxes(void **state) {
    (void)state;
    const double corners[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    const double boxes[2][4] = {{1.5, 0.5, 3, 1}, {0.5, 1.5, 1, 1}}; /* centre, size */
    double mass = 0, centre[2] = {0}, inertia = 0;
    for (int b = 0; b < 2; b++) {
        double m = boxes[b][2] * boxes[b][3];
        mass += m;
        for (int i = 0; i < 2; i++) centre[i] += m * boxes[b][i];
    }
    for (int i = 0; i < 2; i++) centre[i] /= mass;
    for (int b = 0; b < 2; b++) {
        double m = boxes[b][2] * boxes[b][3], dx = boxes[b][0] - centre[0], dy = boxes[b][1] - centre[1];
        inertia += m * ((boxes[b][2] * boxes[b][2] + boxes[b][3] * boxes[b][3]) / 12 + dx * dx + dy * dy);
    }
    for (int run = 0; run < 4; run++) {
        double points[6][3] = {{0}}, angle = 0.7 * run, move[2] = {100.0 * run, -30.0 * run};
        for (int i = 0; i < 6; i++) {
            const double *p = corners[run % 2 ? 5 - i : i];
            points[i][0] = cos(angle) * p[0] - sin(angle) * p[1] + move[0];
            points[i][1] = sin(angle) * p[0] + cos(angle) * p[1] + move[1];
        }
        zn_mass m = mass_of((zn_shape_def){.type = ZN_SHAPE_POLYGON, .n_points = 6, .points = (const double(*)[3])points}, 2, true);
        check_close(m.mass, 2 * mass, 1e-12);
        check_close(m.inertia[2], 2 * inertia, 1e-11);
        check_close(m.center[0], cos(angle) * centre[0] - sin(angle) * centre[1] + move[0], 1e-12);
        check_close(m.center[1], sin(angle) * centre[0] + cos(angle) * centre[1] + move[1], 1e-12);
    }
}

static void wrong_shapes_are_errors(void **state) {
    (void)state;
    static const double crossed[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}, flat[3][3] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}},
                        twice[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const struct {
        zn_shape_def shape;
        bool planar;
        const char *why;
    } list[] = {{{.type = ZN_SHAPE_CONE, .radius = 1}, false, "length of a cone"},
                {{.type = ZN_SHAPE_CONE, .length = 1}, false, "radius of a cone"},
                {{.type = ZN_SHAPE_CONE, .radius = 1, .length = 1}, true, "a planar body can be"},
                {{.type = ZN_SHAPE_ELLIPSOID, .size = {1, -1, 1}}, false, "size of an ellipsoid"},
                {{.type = ZN_SHAPE_ELLIPSOID, .size = {1, 0}}, true, "size of an ellipse"},
                {{.type = ZN_SHAPE_CAPSULE, .radius = 1}, true, "length of a capsule"},
                {{.type = ZN_SHAPE_POLYGON, .n_points = 2, .points = crossed}, true, "at least 3 points"},
                {{.type = ZN_SHAPE_POLYGON, .n_points = 4, .points = crossed}, true, "crosses itself"},
                {{.type = ZN_SHAPE_POLYGON, .n_points = 3, .points = flat}, true, "no area"},
                {{.type = ZN_SHAPE_POLYGON, .n_points = 4, .points = twice}, true, "are the same"},
                {{.type = ZN_SHAPE_POLYGON, .n_points = 4, .points = crossed}, false, "planar bodies"},
                {{.type = ZN_SHAPE_POLYHEDRON, .n_points = 3, .points = crossed}, false, "at least 4 points"},
                {{.type = ZN_SHAPE_POLYHEDRON, .n_points = 4, .points = crossed}, false, "points of the polyhedron lie in one plane"},
                {{.type = ZN_SHAPE_TYPE_COUNT}, false, "unknown type"},
                {{.type = (zn_shape_type)-3}, false, "unknown type"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_mass mass;
        assert_int_not_equal(zn_shape_mass(context, &list[i].shape, 1, list[i].planar, &mass), ZN_OK);
        if (!strstr(zn_error_text(context), list[i].why)) fail_msg("%d: '%s' has no '%s'", (int)i, zn_error_text(context), list[i].why);
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_of_revolution),       cmocka_unit_test(ellipsoids_are_stretched_balls),
                                       cmocka_unit_test(polyhedra_are_hulls),        cmocka_unit_test(planar_shapes),
                                       cmocka_unit_test(polygons_are_sums_of_boxes), cmocka_unit_test(wrong_shapes_are_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
