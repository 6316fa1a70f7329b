/* SPDX-License-Identifier: Apache-2.0 */
/* Simple shapes at simple places: gaps, normals and features that can be seen without computing. */
#include "world.h"

static const quat upright = {{1, 0, 0, 0}};

static void spheres_and_a_floor(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_PLANE, false, 0, 0, 0), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, false, 0.5, 0, 0), pose_at((vec3){0, 0, 0.501}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, false, 0.25, 0, 0), pose_at((vec3){0.752, 0, 0.501}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, false, 0.25, 0, 0), pose_at((vec3){5, 0, 5}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 2);
    assert_int_equal(w.list.at[0].shape[1], 0);
    check_close(w.list.at[0].gap, 1e-3, 1e-15);
    check_close(w.list.at[1].gap, 2e-3, 1e-15);
    check_close(w.list.at[1].n[0], -1, 0);
    check_close(w.list.at[1].point[0], 0.501, 1e-15);
    /* what comes fast is listed, too */
    w.pose[3].v[2] = -4760;
    assert_false(collide_still_serves(w.of, w.pose, 1e-3));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 3);
    assert_true(collide_still_serves(w.of, w.pose, 1e-3));
    world_end(&w);
}

static void a_box_on_a_box(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_BOX, false, 2, 2, 1), pose_at((vec3){0, 0, -0.5}, upright));
    world_add(&w, shape_of(COLLIDE_BOX, false, 1, 1, 1), pose_at((vec3){0.75, 0, 0.5}, quat_rotation((vec3){0, 0, 1}, 0.3)));
    world_find(&w, 1e-3, 0.01);
    int lines = 0;
    for (size_t i = 0; i < w.list.count; i++) {
        check_close(w.list.at[i].gap, 0, 1e-15);
        check_close(fabs(w.list.at[i].n[2]), 1, 1e-15);
        lines += w.list.at[i].of[1].kind == FEATURE_LINE;
    }
    assert_int_equal(w.list.count, 4);
    assert_int_equal(lines, 2);
    collide_overlap overlap;
    assert_int_equal(collide_check(w.of, w.pose, 1e-9, entries_of(&w.list), NULL, &overlap), ZN_OK);
    check_close(overlap.depth, 0, 1e-15);
    w.pose[1].r[2] -= 0.25;
    assert_int_equal(collide_check(w.of, w.pose, 1e-9, entries_of(&w.list), NULL, &overlap), ZN_OK);
    check_close(overlap.depth, 0.25, 1e-15);
    world_end(&w);
}

/* The lowest edge of a box lies 30 mm deep across the top of another, leans a little to either side, and is held at both of its crossings
 * with the border. */
static void a_sunk_edge_is_held_at_both_ends(void **state) {
    (void)state;
    for (int k = -3; k <= 3; k++) {
        const double lean = 1e-3 * k, tilt = 0.05, depth = 0.03;
        world w = world_begin();
        world_add(&w, shape_of(COLLIDE_BOX, false, 1, 1, 1), pose_at((vec3){0, 0, -0.5}, upright));
        quat p = quat_product(quat_rotation((vec3){0, 1, 0}, lean), quat_rotation((vec3){1, 0, 0}, tilt));
        mat3 A = quat_matrix(p);
        vec3 middle = mat3_apply(&A, (vec3){0, -0.5, -0.5});
        world_add(&w, shape_of(COLLIDE_BOX, false, 2, 1, 1), pose_at((vec3){-middle.x, 0, -depth - middle.z}, p));
        world_find(&w, 1e-3, 0.01);
        int ends[2] = {0};
        for (size_t i = 0; i < w.list.count; i++) {
            const collide_candidate *e = &w.list.at[i];
            if (fabs(fabs(e->point[0]) - 0.5) > 0.01) continue;
            ends[e->point[0] > 0]++;
            check_close(e->gap, -depth, 1e-3 * 0.5 * abs(k) + depth * tilt);
        }
        if (ends[0] != 1 || ends[1] != 1) fail_msg("leaning by %g it is held %d and %d times", lean, ends[0], ends[1]);
        world_end(&w);
    }
}

static void bricks_side_by_side_do_not_hold_each_other_up(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_BOX, false, 1, 1, 1), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_BOX, false, 1, 1, 1), pose_at((vec3){1, 0, 0}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 4);
    for (size_t i = 0; i < w.list.count; i++) check_close(fabs(w.list.at[i].n[0]), 1, 0);
    world_end(&w);
}

static void polygons(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_PLANE, true, 0, 0, 0), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_BOX, true, 1, 1, 0), pose_at((vec3){0, 0.5, 0}, upright));
    world_add(&w, shape_of(COLLIDE_BOX, true, 1, 1, 0), pose_at((vec3){0.25, 1.5, 0}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, true, 0.5, 0, 0), pose_at((vec3){0.25, 2.5, 0}, upright));
    world_add(&w, shape_of(COLLIDE_CAPSULE, true, 0.5, 2, 0), pose_at((vec3){0.25, 3.5, 0}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 2 + 2 + 1 + 1);
    for (size_t i = 0; i < w.list.count; i++) {
        check_close(w.list.at[i].gap, 0, 1e-15);
        check_close(fabs(w.list.at[i].n[1]), 1, 1e-15);
    }
    world_end(&w);
}

static void capsules(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_CAPSULE, false, 0.1, 1, 0), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_CAPSULE, false, 0.1, 1, 0), pose_at((vec3){0.201, 0, 0.25}, upright));
    world_add(&w, shape_of(COLLIDE_CAPSULE, false, 0.1, 1, 0), pose_at((vec3){-0.202, 0, 0.25}, quat_rotation((vec3){1, 0, 0}, 1)));
    world_add(&w, shape_of(COLLIDE_CAPSULE, false, 0.1, 1, 0), pose_at((vec3){0, 0, -1.203}, upright));
    world_find(&w, 1e-3, 0.01);
    assert_int_equal(w.list.count, 4);
    check_close(w.list.at[0].gap, 1e-3, 1e-15);
    check_close(w.list.at[1].gap, 1e-3, 1e-15);
    check_close(w.list.at[2].gap, 2e-3, 1e-15);
    assert_int_equal(w.list.at[2].of[0].kind, FEATURE_LINE);
    check_close(w.list.at[3].gap, 3e-3, 1e-15);
    assert_int_equal(w.list.at[3].of[1].kind, FEATURE_SPHERE);
    world_end(&w);
}

/* A can or a cone that leans, on a rim over the top of a pyramid that stands on its apex, with edges as sharp as knives: its side rises
 * over such an edge, far from it, and is no contact. The rim is the nearest point of all, so no candidate is nearer. */
static void what_leans_near_an_edge_touches_by_its_rim(void **state) {
    (void)state;
    const double R = 0.1, L = 0.3, gap = 1e-3, half = 0.2;
    const double corners[] = {half, half, 0, -half, half, 0, -half, -half, 0, half, -half, 0, 0, 0, -0.08};
    collide_shape pyramid = shape_of(COLLIDE_POLYHEDRON, false, 0, 0, 0);
    pyramid.points = corners, pyramid.n_points = 5;
    srand(5);
    for (int trial = 0; trial < 2000; trial++) {
        bool cone = trial % 2;
        double part[5];
        for (int i = 0; i < 5; i++) part[i] = rand() / (double)RAND_MAX;
        /* A cone leans less than its side is steep: on its rim, not on its side. */
        double tilt = 0.03 + (cone ? 1.1 : 1.4) * part[0], low = cone ? L / 4 : L / 2;
        double turn = 2 * acos(-1) * part[1], x = half * (2 * part[2] - 1), y = half * (2 * part[3] - 1);
        if (trial % 4 > 1) x = half * (1 - 0.01 * part[2]);
        quat q = quat_product(quat_rotation((vec3){0, 0, 1}, turn), quat_rotation((vec3){0, 1, 0}, tilt));
        mat3 A = quat_matrix(q);
        /* The lowest point of the lower rim, from the centre: along the axis by -low, and by R down the slope. */
        vec3 rim = mat3_apply(&A, (vec3){R, 0, -low});
        world w = world_begin();
        world_add(&w, pyramid, pose_at((vec3){0, 0, 0}, upright));
        world_add(&w, shape_of(cone ? COLLIDE_CONE : COLLIDE_CYLINDER, false, R, L, 0), pose_at(vec3_sub((vec3){x, y, gap}, rim), q));
        world_find(&w, 0, 4 * gap);
        double least = INFINITY;
        for (size_t i = 0; i < w.list.count; i++) least = smaller(least, w.list.at[i].gap);
        check_close_at(least, gap, 1e-12, 0, cone ? "cone" : "cylinder", "gap", trial);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(spheres_and_a_floor),
                                       cmocka_unit_test(a_box_on_a_box),
                                       cmocka_unit_test(a_sunk_edge_is_held_at_both_ends),
                                       cmocka_unit_test(bricks_side_by_side_do_not_hold_each_other_up),
                                       cmocka_unit_test(polygons),
                                       cmocka_unit_test(capsules),
                                       cmocka_unit_test(what_leans_near_an_edge_touches_by_its_rim)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
