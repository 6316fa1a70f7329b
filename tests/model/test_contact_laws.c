/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and laws of contacts as numbers: which pairs are known, corners, balls and scales. */
#include "contact_fixture.h"

static geometry shape(zn_geometry_type type) {
    return (geometry){
        .type = type, .axis = {0, 1, 0}, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .radius = 0.1, .length = 0.4, .size = {2, 4, 6}};
}

/* ---- shapes ---- */

static void surfaces_are_touched(void **state) {
    (void)state;
    const struct {
        zn_geometry_type a, b;
        int order;
    } pairs[] = {
        {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_PLANE, 1},     {ZN_GEOMETRY_PLANE, ZN_GEOMETRY_SPHERE, -1},
        {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_SPHERE, 1},    {ZN_GEOMETRY_POINT, ZN_GEOMETRY_SPHERE, 1},
        {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_POINT, -1},    {ZN_GEOMETRY_CAPSULE, ZN_GEOMETRY_SPHERE, -1},
        {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_CAPSULE, 1},   {ZN_GEOMETRY_CAPSULE, ZN_GEOMETRY_PLANE, 1},
        {ZN_GEOMETRY_RING, ZN_GEOMETRY_PLANE, 1},       {ZN_GEOMETRY_BOX, ZN_GEOMETRY_PLANE, 1},
        {ZN_GEOMETRY_SURFACE, ZN_GEOMETRY_POINT, -1},   {ZN_GEOMETRY_POINTS, ZN_GEOMETRY_CYLINDER, 1},
        {ZN_GEOMETRY_PLANE, ZN_GEOMETRY_PLANE, 0},      {ZN_GEOMETRY_POINT, ZN_GEOMETRY_POINT, 0},
        {ZN_GEOMETRY_BOX, ZN_GEOMETRY_BOX, 0},          {ZN_GEOMETRY_RING, ZN_GEOMETRY_SPHERE, 0},
        {ZN_GEOMETRY_ELLIPSOID, ZN_GEOMETRY_PLANE, 1},  {ZN_GEOMETRY_ELLIPSOID, ZN_GEOMETRY_SPHERE, 0},
        {ZN_GEOMETRY_ELLIPSOID, ZN_GEOMETRY_POINT, -1}, {ZN_GEOMETRY_POINT, ZN_GEOMETRY_BOX, 0},
        {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_SURFACE, 1},   {ZN_GEOMETRY_RING, ZN_GEOMETRY_SURFACE, 0},
        {ZN_GEOMETRY_CAPSULE, ZN_GEOMETRY_CAPSULE, 0},  {ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_HOLLOW_SPHERE, 0}, /* of the same radius */
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        geometry a = shape(pairs[i].a), b = shape(pairs[i].b);
        const char *why = NULL;
        assert_int_equal(geometry_order(&a, &b, &why), pairs[i].order);
        if (!pairs[i].order) assert_non_null(why);
    }
    geometry ball = shape(ZN_GEOMETRY_SPHERE), bowl = shape(ZN_GEOMETRY_HOLLOW_SPHERE);
    bowl.radius = 1;
    const char *why;
    assert_int_equal(geometry_order(&bowl, &ball, &why), -1);
    check_close(geometry_surface(&bowl, false).side, -1, 0);
}

static void corners_of_a_box(void **state) {
    (void)state;
    geometry box = shape(ZN_GEOMETRY_BOX);
    box.centre[0] = 10;
    assert_int_equal(geometry_count(&box, false), 8);
    assert_int_equal(geometry_count(&box, true), 4);
    double sum[3] = {0}, squares[3] = {0};
    for (int i = 0; i < 8; i++) {
        feature f = geometry_touching(&box, false, i);
        assert_int_equal(f.kind, FEATURE_BALL);
        check_close(f.radius, box.radius, 0); /* corners of a rounded box are balls */
        for (int j = 0; j < 3; j++) sum[j] += f.point[j], squares[j] += (f.point[j] - box.centre[j]) * (f.point[j] - box.centre[j]);
    }
    for (int j = 0; j < 3; j++) {
        check_close(sum[j], 8 * box.centre[j], 1e-12);
        check_close(squares[j], 8 * (j + 1) * (j + 1), 1e-12);
    }
    feature low = geometry_touching(&box, true, 0);
    check_close(low.point[0], 9, 0);
    check_close(low.point[1], -2, 0);
    check_close(low.point[2], 0, 0);
    /* a box turned by a right angle about z: edges change places */
    const double turned[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
    memcpy(box.axes, turned, sizeof turned);
    low = geometry_touching(&box, true, 0);
    check_close(low.point[0], 12, 0);
    check_close(low.point[1], -1, 0);
}

static void ends_of_a_capsule(void **state) {
    (void)state;
    geometry rod = shape(ZN_GEOMETRY_CAPSULE);
    feature a = geometry_touching(&rod, false, 0), b = geometry_touching(&rod, false, 1);
    check_close(a.point[1], -0.2, 1e-15);
    check_close(b.point[1], 0.2, 1e-15);
    check_close(a.radius, 0.1, 0);
    check_close(geometry_surface(&rod, false).half_length, 0.2, 1e-15);
}

static void wrong_shapes(void **state) {
    (void)state;
    const char *why;
    geometry g = shape(ZN_GEOMETRY_SPHERE);
    assert_true(geometry_check(&g, true, &why));
    g.radius = 0;
    assert_false(geometry_check(&g, true, &why));
    g.radius = NAN;
    assert_false(geometry_check(&g, true, &why));
    g = shape(ZN_GEOMETRY_BOX);
    assert_true(geometry_check(&g, false, &why));
    assert_false(geometry_check(&g, true, &why));
    g.size[1] = -1;
    assert_false(geometry_check(&g, false, &why));
    g = shape(ZN_GEOMETRY_RING);
    assert_false(geometry_check(&g, true, &why));
    g = shape(ZN_GEOMETRY_CAPSULE);
    g.length = 0;
    assert_false(geometry_check(&g, false, &why));
    g = shape(ZN_GEOMETRY_POINTS);
    assert_false(geometry_check(&g, false, &why));
    g = shape(ZN_GEOMETRY_POINT);
    g.centre[2] = 1;
    assert_false(geometry_check(&g, true, &why));
    g.centre[2] = INFINITY;
    assert_false(geometry_check(&g, false, &why));
    g.type = (zn_geometry_type)77;
    assert_false(geometry_check(&g, false, &why));
}

/* ---- laws ---- */

typedef struct law_result {
    zn_status status;
    contact_variant variant;
    contact_numbers numbers;
    zn_contact contact;
    zn_ball balls[CONTACT_MOST_BALLS];
} law_result;

static void read_law(const zn_contact_law *law, bool planar, law_result *r) {
    zn_context *context = zn_context_create(NULL);
    *r = (law_result){0};
    r->status = contact_law_rows(context, "floor", law, planar, &r->variant, &r->numbers, &r->contact, r->balls);
    assert_true((r->status == ZN_OK) == (zn_error_count(context) == 0));
    if (r->status != ZN_OK) assert_non_null(strstr(zn_error_text(context), "floor"));
    zn_context_destroy(context);
}

static void laws_become_balls(void **state) {
    (void)state;
    law_result r;
    read_law(&(zn_contact_law){.n_friction = 1, .friction = {0.3}, .restitution = 0.5}, true, &r);
    assert_int_equal(r.contact.nF, 1);
    check_close(r.balls[0].mu, 0.3, 0);
    check_close(r.contact.e_N, 0.5, 0);
    read_law(&(zn_contact_law){.n_friction = 1, .friction = {0.3}, .n_rolling = 1, .rolling = {0.01}, .pivoting = 0.02}, false, &r);
    assert_int_equal(r.contact.nF, 5);
    assert_int_equal(r.contact.n_balls, 4);
    assert_int_equal(r.balls[0].dim, 2);
    check_close(r.balls[2].mu, 0.01, 0);
    check_close(r.balls[3].mu, 0.02, 0);
    read_law(&(zn_contact_law){.reservoir = ZN_RESERVOIR_ELLIPSE, .n_friction = 2, .friction = {0.15, 0.3}}, false, &r);
    assert_int_equal(r.contact.n_balls, 1);
    check_close(r.numbers.scale[0], 0.5, 1e-15);
    check_close(r.numbers.scale[1], 1, 0);
    read_law(&(zn_contact_law){.reservoir = ZN_RESERVOIR_RECTANGLE, .n_friction = 2, .friction = {0.15, 0.3}}, false, &r);
    assert_int_equal(r.contact.n_balls, 2);
    read_law(&(zn_contact_law){.reservoir = ZN_RESERVOIR_CONTENSOU, .n_friction = 1, .friction = {0.3}, .radius = 5e-4}, false, &r);
    assert_int_equal(r.variant.n_sliding, 3);
    check_near(r.numbers.scale[2], 3 * acos(-1.0) * 5e-4 / 16, 1e-14);
    read_law(&(zn_contact_law){0}, false, &r);
    assert_int_equal(r.status, ZN_OK);
    assert_int_equal(r.contact.nF, 0);
}

static void wrong_laws(void **state) {
    (void)state;
    const struct {
        zn_contact_law law;
        bool planar;
    } wrong[] = {
        {{.restitution = 1.5}, true},
        {{.tangential_restitution = -0.1}, true},
        {{.n_friction = 1, .friction = {-1}}, true},
        {{.n_friction = 1, .friction = {NAN}}, true},
        {{.n_friction = 2, .friction = {0.1, 0.2}}, false},
        {{.n_friction = 3}, false},
        {{.reservoir = ZN_RESERVOIR_CONTENSOU, .n_friction = 1, .friction = {0.1}, .radius = 1}, true},
        {{.reservoir = ZN_RESERVOIR_CONTENSOU, .n_friction = 1, .friction = {0.1}, .radius = -1}, false},
        {{.reservoir = (zn_reservoir)9, .n_friction = 1}, false},
        {{.n_rolling = 2, .rolling = {1, 1}}, true},
        {{.n_rolling = 1, .rolling = {-1}}, true},
        {{.pivoting = 0.1}, true},
        {{.stribeck = true, .stribeck_dynamic = 0.1}, false},
        {{.n_friction = 1, .friction = {0.3}, .stribeck = true, .stribeck_dynamic = 0.4}, true},
        {{.n_friction = 1, .friction = {0.3}, .stribeck = true, .stribeck_rate = -1}, true},
        {{.reservoir = ZN_RESERVOIR_ELLIPSE, .n_friction = 2, .friction = {0.3, 0.3}, .stribeck = true}, false},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        law_result r;
        read_law(&wrong[i].law, wrong[i].planar, &r);
        if (r.status == ZN_OK) fail_msg("law %d is accepted", (int)i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(surfaces_are_touched), cmocka_unit_test(corners_of_a_box),
                                       cmocka_unit_test(ends_of_a_capsule),    cmocka_unit_test(wrong_shapes),
                                       cmocka_unit_test(laws_become_balls),    cmocka_unit_test(wrong_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
