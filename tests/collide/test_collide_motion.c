/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and motion: near pairs against all pairs, how long a list serves, what comes fast, and that nothing depends on numbers, frames and
 * hands. */
#include "world.h"

#include <string.h>

static const quat upright = {{1, 0, 0, 0}};
static unsigned long long seed = 2463534242ULL;
static double between(double a, double b) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return a + (b - a) * (double)(seed >> 11) / 9007199254740992.0;
}
static vec3 random_vector(double size) { return (vec3){between(-size, size), between(-size, size), between(-size, size)}; }

/* ---- near pairs ---- */

enum { MANY = 200 };

typedef struct crowd {
    zn_context *context;
    collide_world *of;
    collide_list list;
    collide_pose pose[MANY];
    double radius[MANY];
    int asked;
} crowd;

static bool not_multiples(void *user, int a, int b) {
    ((crowd *)user)->asked++;
    return (a + b) % 5 != 0;
}

/* Balls that move about: after each search the list is that of all pairs. */
static void near_pairs_are_all_pairs(void **state) {
    (void)state;
    crowd c = {.context = zn_context_create(NULL)};
    c.of = collide_create(c.context);
    for (int i = 0; i < MANY; i++) {
        collide_shape s = shape_of(COLLIDE_SPHERE, false, c.radius[i] = between(0.05, 0.3), 0, 0);
        s.body = i;
        assert_int_equal(collide_add(c.of, &s, "ball", NULL), ZN_OK);
        c.pose[i] = pose_at(random_vector(1.5), upright);
        vec3_store(random_vector(1), c.pose[i].v);
    }
    collide_filter(c.of, not_multiples, &c);
    double h = 0.02, margin = 0.03;
    int kept = 0, changed = 0;
    for (int step = 0; step < 200; step++) {
        bool serves = collide_still_serves(c.of, c.pose, h);
        if (!serves) assert_int_equal(collide_find(c.of, c.pose, h, margin, &c.list), ZN_OK);
        kept += serves, changed += !serves;
        size_t at = 0;
        for (int i = 0; i < MANY; i++)
            for (int j = i + 1; j < MANY; j++) {
                vec3 d = vec3_sub(vec3_from(c.pose[i].r), vec3_from(c.pose[j].r)),
                     v = vec3_sub(vec3_from(c.pose[i].v), vec3_from(c.pose[j].v));
                double gap = vec3_norm(d) - c.radius[i] - c.radius[j];
                while (at < c.list.count && (c.list.at[at].shape[0] < i || (c.list.at[at].shape[0] == i && c.list.at[at].shape[1] < j)))
                    at++;
                bool listed = at < c.list.count && c.list.at[at].shape[0] == i && c.list.at[at].shape[1] == j;
                if ((i + j) % 5 == 0) assert_false(listed);
                else if (gap <= vec3_norm(v) * h) assert_true(listed);
                if (listed && !serves) check_close(c.list.at[at].gap, gap, 1e-14);
            }
        for (int i = 0; i < MANY; i++) {
            /* a third rests */
            for (int k = 0; k < 3 && i % 3 != 0; k++) c.pose[i].r[k] += h * c.pose[i].v[k] * (step % 10 == 0 ? 1 : 0.1);
        }
    }
    assert_true(kept > 20 && changed > 20);
    collide_destroy(c.of);
    mem_free(c.context, c.list.at);
    zn_context_destroy(c.context);
}

/* ---- how long a list serves ---- */

/* A box slides over the border of a table: in every step with a list that is still used, no corner that is listed hangs over. */
static void nothing_is_held_beyond_a_border(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_BOX, false, 2, 2, 1), pose_at((vec3){0, 0, -0.5}, upright));
    int b = world_add(&w, shape_of(COLLIDE_BOX, false, 0.5, 0.5, 0.5), pose_at((vec3){0, 0, 0.25}, upright));
    double h = 1e-3, v = 0.5;
    int searches = 0;
    w.pose[b].v[0] = v;
    for (int step = 0; step < 2400; step++) {
        w.pose[b].r[0] = v * h * step;
        if (!collide_still_serves(w.of, w.pose, h)) world_find(&w, h, 0.05), searches++;
        double x = w.pose[b].r[0];
        int beyond = 0;
        for (size_t i = 0; i < w.list.count; i++) {
            collide_measure(w.of, w.pose, &w.list.at[i]);
            beyond += w.list.at[i].point[0] > 1 + v * h + 1e-6;
        }
        assert_int_equal(beyond, 0);
        assert_int_equal(w.list.count, x - 0.25 < 1 - 2 * v * h ? 4 : w.list.count);
    }
    assert_true(searches < 1200);
    /* on the table, at rest, it serves for ever */
    w.pose[b] = pose_at((vec3){0.2, 0.1, 0.25}, upright);
    world_find(&w, h, 0.05);
    assert_true(collide_still_serves(w.of, w.pose, h));
    w.pose[b].r[0] += 0.03;
    assert_true(collide_still_serves(w.of, w.pose, h));
    w.pose[b].r[0] += 0.03;
    assert_false(collide_still_serves(w.of, w.pose, h)); /* out of its box */
    world_end(&w);
}

/* A sphere that turns about its middle is the same: its list serves, whatever it rests on. One that turns about another point moves. */
static void a_spinning_sphere_needs_no_new_list(void **state) {
    (void)state;
    for (int beside = 0; beside < 2; beside++)
        for (int planar = 0; planar < 2; planar++) {
            world w = world_begin();
            collide_shape ball = shape_of(COLLIDE_SPHERE, planar, 0.1, 0, 0);
            ball.centre[0] = 0.05 * beside;
            vec3 up = planar ? (vec3){0, 1, 0} : (vec3){0, 0, 1}, about = {0, 0, 1};
            world_add(&w, shape_of(COLLIDE_BOX, planar, 1, 1, planar ? 0 : 1), pose_at(vec3_scale(-0.5, up), upright));
            int a = world_add(&w, ball, pose_at(vec3_scale(0.1, up), upright));
            world_add(&w, ball, pose_at(vec3_add(vec3_scale(0.1, up), (vec3){0.21, 0, 0}), upright));
            double h = 1e-3;
            world_find(&w, h, 0.02);
            w.pose[a] = pose_at(vec3_scale(0.1, up), quat_rotation(about, 2));
            vec3_store(vec3_scale(500, about), w.pose[a].omega);
            assert_int_equal(collide_still_serves(w.of, w.pose, h), !beside);
            world_end(&w);
        }
}

/* A coin that wobbles on a small box: the lowest point of its rim runs around, over the border and back. */
static void a_wobbling_rim_is_held_by_the_face_only(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_BOX, false, 0.5, 0.5, 0.2), pose_at((vec3){0, 0, -0.1}, upright));
    double R = 0.3, L = 0.05, tilt = 0.04, h = 1e-3, rate = 3;
    int c = world_add(&w, shape_of(COLLIDE_CYLINDER, false, R, L, 0), pose_at((vec3){0, 0, 0}, upright)), held = 0, free = 0;
    for (int step = 0; step < 3000; step++) {
        double phi = rate * h * step;
        vec3 axis = {-sin(phi), cos(phi), 0}, e = {cos(phi), sin(phi), 0}; /* lowest along e */
        double lowest = -L / 2 * cos(tilt) - R * sin(tilt);
        w.pose[c] = pose_at((vec3){0, 0, -lowest}, quat_rotation(axis, tilt));
        vec3_store(vec3_scale(rate * sin(tilt), vec3_cross((vec3){0, 0, 1}, axis)), w.pose[c].omega);
        if (!collide_still_serves(w.of, w.pose, h)) world_find(&w, h, 0.02);
        bool over = fabs(R * e.x) < 0.25 - 2 * rate * h * R && fabs(R * e.y) < 0.25 - 2 * rate * h * R, listed = false;
        for (size_t i = 0; i < w.list.count; i++) {
            collide_candidate now = w.list.at[i];
            if (now.of[0].kind != FEATURE_RING || now.feature[0] != 0) continue;
            collide_measure(w.of, w.pose, &now);
            listed = listed || fabs(now.gap) < 1e-9;
            if (fabs(now.gap) < 1e-9)
                assert_true(fabs(now.point[0]) < 0.25 + 2 * rate * h * R && fabs(now.point[1]) < 0.25 + 2 * rate * h * R);
        }
        if (over) assert_true(listed);
        held += listed, free += !listed;
    }
    assert_true(held > 300 && free > 300);
    world_end(&w);
}

/* ---- fast ones ---- */

/* A ball of 1 mm at 100 m/s, step 10 ms, against a plate of 1 mm and a triangle: the face in front. From everywhere, at any angle. */
static void nothing_is_too_fast(void **state) {
    (void)state;
    static const double corners[] = {-1, -1, 0, 1, -1, 0, 0, 1.5, 0};
    static const int triangle[] = {0, 1, 2};
    for (int kind = 0; kind < 2; kind++) {
        world w = world_begin();
        collide_shape plate = shape_of(COLLIDE_BOX, false, 2, 2, 1e-3), mesh = shape_of(COLLIDE_MESH, false, 0, 0, 0);
        mesh.points = corners, mesh.n_points = 3, mesh.triangles = triangle, mesh.n_triangles = 1;
        world_add(&w, kind ? mesh : plate, pose_at((vec3){0, 0, 0}, upright));
        int b = world_add(&w, shape_of(COLLIDE_SPHERE, false, 1e-3, 0, 0), pose_at((vec3){0, 0, 1}, upright));
        for (int k = 0; k < 300; k++) {
            vec3 hit = {between(-0.3, 0.3), between(-0.3, 0.3), 0}, from = {between(-0.5, 0.5), between(-0.5, 0.5), 0.5};
            vec3 v = vec3_scale(100, vec3_normalised(vec3_sub(hit, from)));
            w.pose[b] = pose_at(vec3_add_scaled(hit, -between(0.1e-3, 9e-3), v), upright);
            vec3_store(v, w.pose[b].v);
            world_find(&w, 1e-2, 1e-4);
            assert_true(w.list.count > 0);
            for (size_t i = 0; i < w.list.count; i++) {
                assert_int_equal(w.list.at[i].of[1].kind, FEATURE_PLANE);
                check_close(w.list.at[i].n[2], 1, 1e-15);
                check_close(w.list.at[i].gap, w.pose[b].r[2] - 1e-3 - (kind ? 0 : 0.5e-3), 1e-15);
            }
        }
        /* what flies past is not held by the plane of the face */
        for (int k = 0; k < 100; k++) {
            w.pose[b] = pose_at((vec3){3, between(-0.5, 0.5), 0.1}, upright);
            vec3_store((vec3){between(-20, 20), 0, -100}, w.pose[b].v);
            world_find(&w, 1e-2, 1e-4);
            assert_int_equal(w.list.count, 0);
        }
        world_end(&w);
    }
}

/* Boxes that fly at each other, turning: at the first overlap, whenever it is, something is listed that is about to close. */
static void boxes_that_fly_are_listed(void **state) {
    (void)state;
    int met = 0, listed = 0;
    for (int k = 0; k < 300; k++) {
        world w = world_begin();
        for (int i = 0; i < 2; i++) {
            world_add(&w, shape_of(COLLIDE_BOX, false, 0.3, 0.2, 0.1),
                      pose_at(vec3_add(random_vector(0.2), (vec3){i ? 1 : 0, 0, 0}),
                              quat_rotation(vec3_normalised(random_vector(1)), between(0, 3))));
            vec3_store((vec3){i ? -60 : 40, between(-5, 5), between(-5, 5)}, w.pose[i].v);
            vec3_store(random_vector(20), w.pose[i].omega);
        }
        double h = 0.01;
        world_find(&w, h, 1e-3);
        collide_list list = w.list;
        collide_pose start[2] = {w.pose[0], w.pose[1]};
        for (int s = 1; s <= 1000; s++) {
            for (int i = 0; i < 2; i++) {
                vec3 omega = vec3_from(start[i].omega);
                mat3 R = quat_matrix(quat_rotation(vec3_normalised(omega), vec3_norm(omega) * h * s / 1000));
                for (int j = 0; j < 3; j++) {
                    w.pose[i].r[j] = start[i].r[j] + start[i].v[j] * h * s / 1000;
                    vec3_store(mat3_apply(&R, vec3_from(start[i].A + 3 * j)), w.pose[i].A + 3 * j);
                }
            }
            collide_overlap overlap;
            assert_int_equal(collide_check(w.of, w.pose, 1e-3, entries_of(&list), NULL, &overlap), ZN_OK);
            if (!(overlap.depth > 0)) continue;
            met++;
            bool closes = false;
            for (size_t i = 0; i < list.count; i++) {
                collide_measure(w.of, w.pose, &list.at[i]);
                closes = closes || list.at[i].gap < 2e-3;
            }
            listed += closes;
            break;
        }
        world_end(&w);
    }
    assert_true(met > 100);
    /* the rest are corners that meet edges: nothing is defined there before they overlap, and the check after the step finds it */
    assert_true(listed >= 0.9 * met);
}

/* ---- numbers, frames and hands ---- */

enum { KINDS = 8 };

static const double tetra[] = {0.3, 0, -0.1, -0.2, 0.3, -0.1, -0.2, -0.3, -0.15, 0.05, 0.02, 0.4, 0.25, 0.2, 0.1};
static const double tetra_mirrored[] = {-0.3, 0, -0.1, 0.2, 0.3, -0.1, 0.2, -0.3, -0.15, -0.05, 0.02, 0.4, -0.25, 0.2, 0.1};

static collide_shape kind_of(int k, bool mirrored) {
    collide_shape s[KINDS] = {shape_of(COLLIDE_SPHERE, false, 0.2, 0, 0),   shape_of(COLLIDE_CAPSULE, false, 0.1, 0.5, 0),
                              shape_of(COLLIDE_BOX, false, 0.3, 0.4, 0.5),  shape_of(COLLIDE_BOX, false, 0.3, 0.4, 0.5),
                              shape_of(COLLIDE_POLYHEDRON, false, 0, 0, 0), shape_of(COLLIDE_CYLINDER, false, 0.2, 0.4, 0),
                              shape_of(COLLIDE_CONE, false, 0.2, 0.4, 0),   shape_of(COLLIDE_ELLIPSOID, false, 0.2, 0.25, 0.3)};
    s[3].radius = 0.03;
    s[4].n_points = 5, s[4].points = mirrored ? tetra_mirrored : tetra;
    return s[k];
}

/* Gaps of a heap, sorted; the order in which shapes are added, a frame for the whole, and a mirror (x to -x). */
static int gaps_of(const collide_pose *pose, int n, const int *order, const mat3 *frame, bool mirrored, double *gaps) {
    world w = world_begin();
    for (int i = 0; i < n; i++) {
        int k = order[i];
        collide_pose p = pose[k];
        if (mirrored) /* S A S with S = diag(-1, 1, 1) */
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) p.A[3 * b + a] *= (a == 0) != (b == 0) ? -1 : 1;
        if (mirrored) p.r[0] = -p.r[0];
        for (int j = 0; j < 3; j++) vec3_store(mat3_apply(frame, vec3_from(p.A + 3 * j)), p.A + 3 * j);
        vec3_store(vec3_add(mat3_apply(frame, vec3_from(p.r)), frame->m[0][0] == 1 ? (vec3){0} : (vec3){3, -7, 2}), p.r);
        world_add(&w, kind_of(k % KINDS, mirrored), p);
    }
    world_find(&w, 0, 0.1);
    int count = (int)w.list.count;
    assert_true(count < 4000);
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && gaps[at - 1] > w.list.at[i].gap; at--) gaps[at] = gaps[at - 1];
        gaps[at] = w.list.at[i].gap;
    }
    world_end(&w);
    return count;
}

/* A heap without overlap. */
static void heap(int n, collide_pose *pose) {
    world w = world_begin();
    for (int i = 0; i < n; i++) {
        collide_overlap overlap = {.depth = 1};
        world_add(&w, kind_of(i % KINDS, false), pose_at((vec3){0, 0, 0}, upright));
        for (int trial = 0; trial < 20000 && overlap.depth > 0; trial++) {
            w.pose[i] = pose[i] = pose_at(random_vector(1.0), quat_rotation(vec3_normalised(random_vector(1)), between(0, 3)));
            assert_int_equal(collide_check(w.of, w.pose, 0, NULL, NULL, &overlap), ZN_OK);
        }
        assert_true(overlap.depth == 0);
    }
    world_end(&w);
}

static void nothing_depends_on_numbers_frames_and_hands(void **state) {
    (void)state;
    enum { N = 40 };
    collide_pose pose[N];
    int order[N], other[N];
    heap(N, pose);
    for (int i = 0; i < N; i++) {
        order[i] = i;
        other[i] = N - 1 - i;
    }
    mat3 same = mat3_identity(), turned = quat_matrix(quat_rotation(vec3_normalised(random_vector(1)), 1.1));
    static double a[4000], b[4000];
    int n = gaps_of(pose, N, order, &same, false, a);
    assert_true(n > 20);
    struct {
        const int *order;
        const mat3 *frame;
        bool mirrored;
    } variants[] = {{other, &same, false}, {order, &turned, false}, {order, &same, true}, {other, &turned, true}};
    for (int v = 0; v < 4; v++) {
        int m = gaps_of(pose, N, variants[v].order, variants[v].frame, variants[v].mirrored, b);
        assert_int_equal(n, m);
        for (int i = 0; i < n; i++) check_close(a[i], b[i], 1e-6);
    }
}

static void what_is_not_finite_is_told(void **state) {
    (void)state;
    world w = world_begin();
    world_add(&w, shape_of(COLLIDE_SPHERE, false, 1, 0, 0), pose_at((vec3){0, 0, 0}, upright));
    world_add(&w, shape_of(COLLIDE_SPHERE, false, 1, 0, 0), pose_at((vec3){NAN, 0, 0}, upright));
    assert_int_equal(collide_find(w.of, w.pose, 0, 0.1, &w.list), ZN_ERROR_NOT_FINITE);
    collide_overlap overlap;
    assert_int_equal(collide_check(w.of, w.pose, 0, entries_of(&w.list), NULL, &overlap), ZN_ERROR_NOT_FINITE);
    assert_false(collide_still_serves(w.of, w.pose, 0));
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_pairs_are_all_pairs),
        cmocka_unit_test(nothing_is_held_beyond_a_border),
        cmocka_unit_test(a_spinning_sphere_needs_no_new_list),
        cmocka_unit_test(a_wobbling_rim_is_held_by_the_face_only),
        cmocka_unit_test(nothing_is_too_fast),
        cmocka_unit_test(boxes_that_fly_are_listed),
        cmocka_unit_test(nothing_depends_on_numbers_frames_and_hands),
        cmocka_unit_test(what_is_not_finite_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
