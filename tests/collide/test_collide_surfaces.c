/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes, height fields, chains and polygons: seams are not felt, ridges and valleys are, and what is wrong with them is reported. */
#include "world.h"

#include <string.h>

static const quat upright = {{1, 0, 0, 0}};

/* A floor of n x n squares of two triangles, at height z(x). */
static collide_shape floor_of(int n, double size, double (*z)(double), double *points, int *triangles) {
    int at = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            double *p = points + 3 * (j * (n + 1) + i);
            p[0] = size * ((double)i / n - 0.5), p[1] = size * ((double)j / n - 0.5), p[2] = z ? z(p[0]) : 0;
            if (i == n || j == n) continue;
            int k = j * (n + 1) + i;
            const int cell[6] = {k, k + 1, k + n + 2, k, k + n + 2, k + n + 1};
            memcpy(triangles + at, cell, sizeof cell);
            at += 6;
        }
    collide_shape s = shape_of(COLLIDE_MESH, false, 0, 0, 0);
    s.n_points = (n + 1) * (n + 1), s.points = points, s.n_triangles = 2 * n * n, s.triangles = triangles;
    return s;
}

static double points_of[3 * 21 * 21];
static int triangles_of[6 * 400];

/* Whatever the place of the box on a flat mesh: its four corners, straight up, and nothing else. */
static void a_box_slides_over_seams(void **state) {
    (void)state;
    for (int rounded = 0; rounded < 2; rounded++) {
        world w = world_begin();
        world_add(&w, floor_of(10, 4, NULL, points_of, triangles_of), pose_at((vec3){0, 0, 0}, upright));
        collide_shape box = shape_of(COLLIDE_BOX, false, 0.7, 0.5, 0.4);
        box.radius = rounded ? 0.05 : 0;
        int b = world_add(&w, box, pose_at((vec3){0, 0, 0.2 + box.radius}, upright));
        for (int k = 0; k < 400; k++) {
            double x = -1 + 0.005 * k;
            w.pose[b] = pose_at((vec3){x, 0.3 * x, 0.2 + box.radius}, quat_rotation((vec3){0, 0, 1}, k % 7 == 0 ? 0 : 0.01 * k));
            world_find(&w, 1e-3, 0.02);
            assert_int_equal(w.list.count, 4);
            for (size_t i = 0; i < 4; i++) {
                assert_int_equal(w.list.at[i].shape[0], b);
                check_close(w.list.at[i].gap, 0, 1e-15);
                check_close(w.list.at[i].n[2], 1, 0);
            }
        }
        world_end(&w);
    }
}

static void a_ball_rolls_over_seams(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, floor_of(10, 4, NULL, points_of, triangles_of), pose_at((vec3){0, 0, 0}, upright));
    int b = world_add(&w, shape_of(COLLIDE_SPHERE, false, 0.3, 0, 0), pose_at((vec3){0, 0, 0.3}, upright));
    for (int k = 0; k <= 400; k++) {
        double x = -1 + 0.005 * k; /* over edges and points, too */
        w.pose[b] = pose_at((vec3){x, k % 3 == 0 ? x : 0, 0.3}, upright);
        world_find(&w, 1e-3, 0.02);
        assert_int_equal(w.list.count, 1);
        check_close(w.list.at[0].gap, 0, 1e-15);
        check_close(w.list.at[0].n[2], 1, 0);
    }
    world_end(&w);
}

static double roof(double x) { return -fabs(x); }
static double valley(double x) { return fabs(x); }

/* On a ridge a ball touches the edge, in a valley both sides. */
static void ridges_and_valleys(void **state) {
    (void)state;
    double r = 0.3;
    world w = world_begin();
    world_add(&w, floor_of(10, 4, roof, points_of, triangles_of), pose_at((vec3){0, 0, 0}, upright));
    int b = world_add(&w, shape_of(COLLIDE_SPHERE, false, r, 0, 0), pose_at((vec3){0, 0.1, r}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 1);
    assert_int_equal(w.list.at[0].of[1].kind, FEATURE_LINE);
    check_close(w.list.at[0].gap, 0, 1e-15);
    w.pose[b].r[0] = 0.5, w.pose[b].r[2] = r * sqrt(2) - 0.5;
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 1);
    check_close(w.list.at[0].gap, 0, 1e-15);
    world_end(&w);

    w = world_begin();
    world_add(&w, floor_of(10, 4, valley, points_of, triangles_of), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, false, r, 0, 0), pose_at((vec3){0, 0.1, r * sqrt(2)}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 2);
    for (int i = 0; i < 2; i++) check_close(w.list.at[i].gap, 0, 1e-15);
    check_close(w.list.at[0].n[0] + w.list.at[1].n[0], 0, 1e-15);
    world_end(&w);
}

/* A closed mesh in the form of a box is the box: on a floor of triangles its four corners. */
static void a_mesh_on_a_mesh(void **state) {
    (void)state;
    static const double corners[] = {-.3, -.2, -.1, .3, -.2, -.1, .3, .2, -.1, -.3, .2, -.1,
                                     -.3, -.2, .1,  .3, -.2, .1,  .3, .2, .1,  -.3, .2, .1};
    static const int sides[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    world w = world_begin();
    world_add(&w, floor_of(10, 4, NULL, points_of, triangles_of), pose_at((vec3){0, 0, 0}, upright));
    collide_shape mesh = shape_of(COLLIDE_MESH, false, 0, 0, 0);
    mesh.points = corners, mesh.n_points = 8, mesh.triangles = sides, mesh.n_triangles = 12, mesh.closed = true;
    int b = world_add(&w, mesh, pose_at((vec3){0, 0, 0.1}, upright));
    for (int k = 0; k < 100; k++) {
        w.pose[b] = pose_at((vec3){-1 + 0.02 * k, 0.011 * k, 0.1 + 1e-4}, quat_rotation((vec3){0, 0, 1}, 0.07 * k));
        world_find(&w, 1e-3, 0.02);
        assert_int_equal(w.list.count, 4);
        for (size_t i = 0; i < w.list.count; i++) {
            assert_int_equal(w.list.at[i].shape[0], b);
            check_close(w.list.at[i].gap, 1e-4, 1e-15);
            check_close(w.list.at[i].n[2], 1, 0);
        }
    }
    world_end(&w);
}

/* A height field is the mesh of its triangles. */
static void heights_are_a_mesh(void **state) {
    (void)state;
    double z[36];
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) z[6 * j + i] = 0.1 * sin(1.3 * i) * cos(0.9 * j);
    double points[108];
    int triangles[150];
    collide_shape mesh = floor_of(5, 2, NULL, points, triangles), field = shape_of(COLLIDE_HEIGHTS, false, 2, 2, 0);
    for (int i = 0; i < 36; i++) points[3 * i + 2] = z[i];
    field.grid[0] = field.grid[1] = 6, field.points = z;
    collide_list lists[2];
    world w[2];
    for (int k = 0; k < 2; k++) {
        w[k] = world_begin();
        world_add(&w[k], k ? field : mesh, pose_at((vec3){0, 0, 0}, upright));
        world_add(&w[k], shape_of(COLLIDE_BOX, false, 0.5, 0.6, 0.3), pose_at((vec3){0.1, 0.2, 0.25}, quat_rotation((vec3){0, 1, 0}, 0.1)));
        world_add(&w[k], shape_of(COLLIDE_CAPSULE, false, 0.1, 0.5, 0),
                  pose_at((vec3){-0.4, -0.3, 0.2}, quat_rotation((vec3){0, 1, 0}, 1.5)));
        world_find(&w[k], 1e-2, 0.1);
        lists[k] = w[k].list;
    }
    assert_true(lists[0].count > 2);
    assert_int_equal(lists[0].count, lists[1].count);
    for (size_t i = 0; i < lists[0].count; i++) {
        check_close(lists[0].at[i].gap, lists[1].at[i].gap, 1e-15);
        assert_int_equal(lists[0].at[i].feature[0], lists[1].at[i].feature[0]);
        assert_int_equal(lists[0].at[i].feature[1], lists[1].at[i].feature[1]);
    }
    world_end(&w[0]);
    world_end(&w[1]);
}

/* A polyline whose joints are straight is a line; what is behind it is not met. */
static void a_chain_has_no_joints(void **state) {
    (void)state;
    double points[33];
    for (int i = 0; i < 11; i++) points[3 * i] = 2 - 0.4 * i, points[3 * i + 1] = 0, points[3 * i + 2] = 0;
    for (int way = 0; way < 2; way++) { /* outside is on the left */
        if (way == 1)
            for (int i = 0; i < 11; i++) points[3 * i] = -2 + 0.4 * i;
        world w = world_begin();
        collide_shape chain = shape_of(COLLIDE_CHAIN, true, 0, 0, 0);
        chain.n_points = 11, chain.points = points;
        world_add(&w, chain, pose_at((vec3){0, 0, 0}, upright));
        int b = world_add(&w, shape_of(COLLIDE_BOX, true, 0.7, 0.4, 0), pose_at((vec3){0, 0.2, 0}, upright));
        int d = world_add(&w, shape_of(COLLIDE_SPHERE, true, 0.2, 0, 0), pose_at((vec3){1, 0.2, 0}, upright));
        for (int k = 0; k < 100; k++) {
            w.pose[b].r[0] = -1 + 0.013 * k, w.pose[d].r[0] = 1.4 + 0.004 * k;
            world_find(&w, 1e-3, 0.02);
            assert_int_equal(w.list.count, way == 0 ? 0 : 3);
            for (size_t i = 0; i < w.list.count; i++) {
                check_close(w.list.at[i].gap, 0, 1e-15);
                check_close(w.list.at[i].n[1], 1, 0);
            }
        }
        world_end(&w);
    }
}

/* An L: its inner corner is made of two faces, its pieces have no faces between them. */
static void a_polygon_with_an_inner_corner(void **state) {
    (void)state;
    static const double L[] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0};
    world w = world_begin();
    collide_shape l = shape_of(COLLIDE_POLYHEDRON, true, 0, 0, 0);
    l.n_points = 6, l.points = L;
    world_add(&w, l, pose_at((vec3){0, 0, 0}, upright));
    int d = world_add(&w, shape_of(COLLIDE_SPHERE, true, 0.2, 0, 0), pose_at((vec3){1.2, 1.2, 0}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 2);
    check_close(w.list.at[0].gap, 0, 1e-15);
    check_close(w.list.at[1].gap, 0, 1e-15);
    check_close(fabs(w.list.at[0].n[0] * w.list.at[1].n[0] + w.list.at[0].n[1] * w.list.at[1].n[1]), 0, 1e-15);
    /* all around: the distance to the nearest of its six edges, seen from outside */
    for (int k = 0; k < 2000; k++) {
        double x = -0.5 + 3.0 * ((k * 7919) % 2000) / 2000, y = -0.5 + 3.0 * ((k * 104729) % 1999) / 1999, near = INFINITY;
        if ((x > 0 && x < 2 && y > 0 && y < 1) || (x > 0 && x < 1 && y > 0 && y < 2)) continue;
        for (int i = 0; i < 6; i++) {
            const double *p = L + 3 * i, *q = L + 3 * ((i + 1) % 6);
            double ux = q[0] - p[0], uy = q[1] - p[1], t = ((x - p[0]) * ux + (y - p[1]) * uy) / (ux * ux + uy * uy);
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            near = smaller(near, hypot(x - p[0] - t * ux, y - p[1] - t * uy));
        }
        w.pose[d] = pose_at((vec3){x, y, 0}, upright);
        collide_forget(w.of); /* what is near, not only what may touch */
        world_find(&w, 0, 0.3);
        double least = INFINITY;
        for (size_t i = 0; i < w.list.count; i++) least = smaller(least, w.list.at[i].gap);
        if (near < 0.49) check_close(least, near - 0.2, 1e-14);
        collide_overlap overlap;
        assert_int_equal(collide_check(w.of, w.pose, 1e-9, entries_of(&w.list), NULL, &overlap), ZN_OK);
        check_close(overlap.depth, near < 0.2 ? 0.2 - near : 0, 1e-14);
    }
    world_end(&w);
}

static void refused(collide_shape s, const char *why) {
    zn_context *context = zn_context_create(NULL);
    collide_world *w = collide_create(context);
    int index = -1;
    assert_int_equal(collide_add(w, &s, "thing", &index), ZN_ERROR_MODEL);
    const char *text = zn_error_text(context);
    if (!strstr(text, why)) fail_msg("'%s' does not say '%s'", text, why);
    assert_non_null(strstr(text, "thing"));
    collide_destroy(w);
    zn_context_destroy(context);
}

/* Two tetrahedra in one mesh: apart, touching, one corner in the other, through each other. A far triangle crosses nothing, but one that a
 * long edge goes through. */
static void meshes_that_cross_themselves(void **state) {
    (void)state;
    double points[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int sides[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int i = 0; i < 12; i++) sides[12 + i] = sides[i] + 4;
    collide_shape m = shape_of(COLLIDE_MESH, false, 0, 0, 0);
    m.points = points, m.n_points = 8, m.triangles = sides, m.n_triangles = 8, m.closed = true;
    const double shift[4] = {1.5, 1, 0.99, 0.4};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) points[12 + 3 * i + j] = points[3 * i + j] + (j == 0 ? shift[k] : 0.01);
        if (k >= 2) {
            points[12] -= 0.05; /* the first corner of the second one is inside the first one */
            refused(m, "go through each other, near its point");
            continue;
        }
        zn_context *context = zn_context_create(NULL);
        collide_world *w = collide_create(context);
        if (collide_add(w, &m, "two", NULL) != ZN_OK) fail_msg("%s", zn_error_text(context));
        collide_destroy(w);
        zn_context_destroy(context);
    }
}

/* Two cubes in one mesh whose edges meet sides of triangles exactly: shifted along the diagonal by half they cross; corner on corner, with
 * an edge over an edge or a face on a face they touch. */
static void cubes_that_meet_in_sides(void **state) {
    (void)state;
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    const double shift[5][3] = {{0.5, 0.5, 0.5}, {0.25, 0.75, 0.5}, {1, 1, 1}, {1, 1, 0.5}, {1, 0.25, 0.25}};
    double points[48];
    int sides[72];
    for (int i = 0; i < 24; i++) {
        const int *f = faces[i / 2 % 6], first = i / 12 * 8;
        for (int k = 0; k < 3; k++) sides[3 * i + k] = first + f[k == 0 ? 0 : k + i % 2];
    }
    collide_shape m = shape_of(COLLIDE_MESH, false, 0, 0, 0);
    m.points = points, m.n_points = 16, m.triangles = sides, m.n_triangles = 24, m.closed = true;
    for (int n = 0; n < 5; n++) {
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 3; j++) points[3 * i + j] = (i >> (2 - j) & 1) + (i < 8 ? 0 : shift[n][j]);
        if (n < 2) {
            refused(m, "go through each other");
            continue;
        }
        zn_context *context = zn_context_create(NULL);
        collide_world *w = collide_create(context);
        if (collide_add(w, &m, "two", NULL) != ZN_OK) fail_msg("%s", zn_error_text(context));
        collide_destroy(w);
        zn_context_destroy(context);
    }
}

static void bad_shapes_are_told(void **state) {
    (void)state;
    double tetra[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int sides[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    collide_shape m = shape_of(COLLIDE_MESH, false, 0, 0, 0);
    m.points = tetra, m.n_points = 4, m.triangles = sides, m.n_triangles = 4, m.closed = true;
    zn_context *context = zn_context_create(NULL);
    collide_world *w = collide_create(context);
    assert_int_equal(collide_add(w, &m, "good", NULL), ZN_OK);
    collide_destroy(w);
    zn_context_destroy(context);
    m.n_triangles = 3;
    refused(m, "open");
    m.n_triangles = 4;
    sides[10] = 3, sides[11] = 2;
    refused(m, "same direction");
    sides[10] = 4, sides[11] = 3;
    refused(m, "names point 5");
    sides[10] = 1;
    refused(m, "no area");
    m.n_triangles = 0;
    refused(m, "no triangles");
    collide_shape h = shape_of(COLLIDE_POLYHEDRON, false, 0, 0, 0);
    h.points = tetra, h.n_points = 3;
    refused(h, "at least four");
    double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.3, 0.2, 1e-12};
    h.points = flat, h.n_points = 5;
    refused(h, "in one plane");
    flat[4] = NAN;
    refused(h, "not finite");
    collide_shape p = shape_of(COLLIDE_POLYHEDRON, true, 0, 0, 0);
    double bow[] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0};
    p.points = bow, p.n_points = 4;
    double bow2[] = {0, 0, 0, 2, 1, 0, 2, 0, 0, 0, 1.5, 0};
    p.points = bow2;
    refused(p, "crosses itself");
    p.points = bow, p.n_points = 2;
    refused(p, "at least three");
    double line[] = {0, 0, 0, 1, 1, 0, 2, 2, 0};
    p.points = line, p.n_points = 3;
    refused(p, "on one line");
    double twice[] = {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0};
    p.points = twice, p.n_points = 4;
    refused(p, "coincide");
    refused(shape_of(COLLIDE_SPHERE, false, -1, 0, 0), "positive");
    refused(shape_of(COLLIDE_BOX, false, 1, NAN, 1), "not finite");
    refused(shape_of(COLLIDE_CYLINDER, true, 1, 1, 0), "the plane");
    refused(shape_of(COLLIDE_CHAIN, false, 1, 1, 0), "space");
    collide_shape c = shape_of(COLLIDE_CHAIN, true, 0, 0, 0);
    c.points = twice, c.n_points = 4;
    refused(c, "no length");
    c.n_points = 1;
    refused(c, "at least two");
    /* through a side, through a corner; an end on a side touches only */
    double loop[] = {-1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0.5, 0, 0, -1, 0, 3, -1, 0}, corner[] = {-1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, -1, 0};
    c.points = loop, c.n_points = 6;
    refused(c, "its segments from point 1 and from point 4 meet");
    c.points = corner, c.n_points = 5;
    refused(c, "its segments from point 1 and from point 3 meet");
    c.n_points = 4;
    context = zn_context_create(NULL);
    w = collide_create(context);
    assert_int_equal(collide_add(w, &c, "touching", NULL), ZN_OK);
    collide_destroy(w);
    zn_context_destroy(context);
    collide_shape f = shape_of(COLLIDE_HEIGHTS, false, 1, 1, 0);
    f.points = twice, f.grid[0] = 1, f.grid[1] = 4;
    refused(f, "at least two");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_over_seams),      cmocka_unit_test(a_ball_rolls_over_seams),
        cmocka_unit_test(ridges_and_valleys),           cmocka_unit_test(heights_are_a_mesh),
        cmocka_unit_test(a_chain_has_no_joints),        cmocka_unit_test(a_polygon_with_an_inner_corner),
        cmocka_unit_test(meshes_that_cross_themselves), cmocka_unit_test(cubes_that_meet_in_sides),
        cmocka_unit_test(bad_shapes_are_told),          cmocka_unit_test(a_mesh_on_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
