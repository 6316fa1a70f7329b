/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation may fail: nothing leaks, the error is reported, and what is there can be destroyed. */
#include "world.h"

#include "base/counting_allocator.h"

static const double tetra[] = {0.3, 0, -0.1, -0.2, 0.3, -0.1, -0.2, -0.3, -0.15, 0.05, 0.02, 0.4, 0.25, 0.2, 0.1};
static const double star[] = {0, 0.2, 0, -0.06, 0.06, 0, -0.2, 0, 0, -0.06, -0.06, 0, 0, -0.2, 0, 0.06, -0.06, 0, 0.2, 0, 0, 0.06, 0.06, 0};
static const double flat[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const int two[] = {0, 1, 2, 0, 2, 3};

static zn_status everything(zn_context *context, collide_world **w, collide_list *list, collide_list *missed) {
    collide_shape s[] = {shape_of(COLLIDE_MESH, false, 0, 0, 0),      shape_of(COLLIDE_POLYHEDRON, false, 0, 0, 0),
                         shape_of(COLLIDE_BOX, false, 1, 1, 1),       shape_of(COLLIDE_CYLINDER, false, 0.5, 1, 0),
                         shape_of(COLLIDE_ELLIPSOID, false, 1, 2, 3), shape_of(COLLIDE_PLANE, false, 0, 0, 0),
                         shape_of(COLLIDE_POLYHEDRON, true, 0, 0, 0), shape_of(COLLIDE_CHAIN, true, 0, 0, 0),
                         shape_of(COLLIDE_RECTANGLE, false, 1, 1, 0)};
    enum { N = sizeof s / sizeof *s };
    collide_pose pose[N];
    s[0].points = flat, s[0].n_points = 4, s[0].triangles = two, s[0].n_triangles = 2;
    s[1].points = tetra, s[1].n_points = 5;
    s[6].points = star, s[6].n_points = 8;
    s[7].points = flat, s[7].n_points = 4, s[7].closed = true;
    *w = collide_create(context);
    if (!*w) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    for (int i = 0; i < N && status == ZN_OK; i++) {
        s[i].body = i;
        pose[i] = pose_at((vec3){0.4 * i, 0.1 * i, i == 6 || i == 7 ? 0 : 0.3}, quat_rotation((vec3){0, 0, 1}, 0.2 * i));
        status = collide_add(*w, &s[i], "shape", NULL);
    }
    if (status == ZN_OK) status = collide_find(*w, pose, 1e-2, 0.5, list);
    pose[2].r[0] += 3;
    if (status == ZN_OK) status = collide_find(*w, pose, 1e-2, 0.5, list);
    collide_overlap overlap;
    if (status == ZN_OK) status = collide_check(*w, pose, 1e-9, NULL, missed, &overlap);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bool done = false;
    long at = 1;
    for (; !done; at++) { /* request 0 is the context */
        counting_allocator memory = COUNTING_ALLOCATOR;
        memory.fail_at = at;
        zn_context *context = counting_context(&memory);
        collide_world *w = NULL;
        collide_list list = {0}, missed = {0};
        zn_status status = everything(context, &w, &list, &missed);
        done = status == ZN_OK;
        if (!done) assert_int_equal(status, ZN_ERROR_MEMORY);
        if (done) assert_true(list.count > 4 && missed.count > 0);
        collide_destroy(w);
        mem_free(context, list.at);
        mem_free(context, missed.at);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
        assert_true(at < 2000);
    }
    assert_true(at > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
