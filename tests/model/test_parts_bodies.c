/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies, shapes, frames and handles. */
#include "base/counting_allocator.h"
#include "check.h"
#include "model/parts_mechanisms.h"

static const double pi = 3.14159265358979323846;

static zn_mass mass_of(zn_context *context, zn_shape_def shape, double density, bool planar) {
    zn_mass mass = {0};
    if (zn_shape_mass(context, &shape, density, planar, &mass) != ZN_OK) fail_msg("%s", zn_error_text(context));
    return mass;
}

/* Formulas of textbooks. */
static void shapes_have_their_inertia(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_mass m = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_SPHERE, .radius = 2}, 3, false);
    check_near(m.mass, 3 * 4.0 / 3 * pi * 8, 1e-14);
    check_near(m.inertia[1], 0.4 * m.mass * 4, 1e-14);
    m = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_BOX, .size = {1, 2, 3}}, 5, false);
    check_near(m.mass, 30, 1e-14);
    check_near(m.inertia[0], 30 * 13 / 12.0, 1e-14);
    m = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_CYLINDER, .radius = 1, .length = 4}, 1, false);
    check_near(m.inertia[2], m.mass / 2, 1e-14);
    check_near(m.inertia[0], m.mass * (0.25 + 16 / 12.0), 1e-14);
    m = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_DISK, .radius = 2}, 1, true);
    check_near(m.mass, 4 * pi, 1e-14);
    check_near(m.inertia[2], m.mass * 2, 1e-14);
    /* A long capsule is a cylinder, a short one a sphere. */
    zn_mass capsule = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_CAPSULE, .radius = 1, .length = 1e-9}, 1, false);
    check_near(capsule.inertia[0], 0.4 * 4.0 / 3 * pi, 1e-8);
    capsule = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_CAPSULE, .radius = 1e-6, .length = 1}, 1, false);
    check_near(capsule.inertia[0], capsule.mass / 12, 1e-5);
    zn_context_destroy(context);
}

/* The cube [0, 1]^3 as twelve triangles, and any tetrahedron against its moments about its centre. */
static void meshes_have_their_inertia(void **state) {
    (void)state;
    static const double points[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                         {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {0, 4, 7}, {0, 7, 3}};
    zn_context *context = zn_context_create(NULL);
    zn_mass m =
        mass_of(context, (zn_shape_def){.type = ZN_SHAPE_MESH, .n_points = 8, .points = points, .n_triangles = 12, .triangles = triangles},
                2, false);
    check_near(m.mass, 2, 1e-14);
    for (int i = 0; i < 3; i++)
        check_near(m.center[i], 0.5, 1e-14), check_near(m.inertia[i], 2 / 6.0, 1e-14), check_close(m.inertia[3 + i], 0, 1e-14);
    /* regular tetrahedron of edge a: a^2/20 about every axis */
    const double corners[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
                 swapped[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    for (int order = 0; order < 2; order++) {
        m = mass_of(context, (zn_shape_def){.type = ZN_SHAPE_TETRAHEDRON, .n_points = 4, .points = order ? swapped : corners}, 1, false);
        check_near(m.mass, 8 / 3.0, 1e-14);
        for (int i = 0; i < 3; i++) check_near(m.inertia[i], m.mass * 8 / 20, 1e-13), check_close(m.center[i], 0, 1e-15);
    }
    zn_shape_def open = {.type = ZN_SHAPE_MESH, .n_points = 8, .points = points, .n_triangles = 11, .triangles = triangles};
    zn_shape_def flat = {.type = ZN_SHAPE_TETRAHEDRON, .n_points = 4, .points = points};
    assert_int_equal(zn_shape_mass(context, &open, 1, false, &m), ZN_ERROR_MODEL);
    assert_int_equal(zn_shape_mass(context, &flat, 1, false, &m), ZN_ERROR_MODEL);
    zn_context_destroy(context);
}

static zn_body_def good_body(const char *name) {
    zn_body_def def = zn_default_body_def();
    def.name = name;
    def.type = ZN_BODY_SPATIAL;
    def.mass = 1;
    for (int i = 0; i < 3; i++) def.inertia[i] = 1;
    return def;
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    enum { N = 14 };
    zn_body_def bad[N];
    for (int i = 0; i < N; i++) bad[i] = good_body("b");
    bad[0].name = "a.b", bad[1].name = NULL, bad[2].name = "world", bad[3].mass = -1, bad[4].mass = NAN, bad[5].inertia[1] = 2.1;
    bad[6].inertia[3] = 1.5, bad[7].rotation[0] = 0, bad[8].type = (zn_body_type)9, bad[9].density = 1, bad[9].shape.type = ZN_SHAPE_SPHERE;
    bad[10].type = ZN_BODY_PLANAR, bad[10].position[2] = 1, bad[11].type = ZN_BODY_PLANAR, bad[11].inertia[2] = 0,
    bad[12].position[0] = INFINITY;
    bad[13].type = ZN_BODY_PRESCRIBED, bad[13].motion_axis[2] = 0;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    for (int i = 0; i < N; i++) {
        zn_body body = {7, 7};
        zn_status status = zn_parts_body(parts, &bad[i], &body);
        if (status != ZN_ERROR_ARGUMENT && status != ZN_ERROR_MODEL) fail_msg("definition %d: %s", i, zn_status_text(status));
        assert_int_equal(body.stamp, 0);
        assert_int_equal(zn_error_count(context), 1);
        zn_error_clear(context);
    }
    zn_body_def thin = good_body("thin"); /* a flat body is the limit of the triangle inequality, and right */
    thin.inertia[2] = 2;
    assert_int_equal(zn_parts_body(parts, &thin, NULL), ZN_OK);
    assert_int_equal(zn_parts_body(parts, &thin, NULL), ZN_ERROR_ARGUMENT); /* the name is taken */
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

static void misused_handles_are_found(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context), *others = zn_parts_create(context);
    zn_body_def def = good_body("b");
    zn_body body, foreign, empty = {0, 0};
    zn_frame frame, none = {0, 0};
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    assert_int_equal(zn_parts_body(others, &def, &foreign), ZN_OK);
    assert_int_equal(zn_parts_frame(parts, foreign, "f", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_frame(parts, empty, "f", NULL, NULL, &frame), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_body_frame(parts, foreign).stamp, 0);
    zn_joint_def joint = zn_default_joint_def();
    joint.name = "j";
    joint.a = zn_parts_body_frame(parts, body);
    const zn_frame wrong[] = {
        none, zn_parts_body_frame(others, foreign), {body.stamp, body.index}, {joint.a.stamp, 99}, {joint.a.stamp, -1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        joint.b = wrong[i];
        zn_error_clear(context);
        assert_int_equal(zn_parts_joint(parts, &joint), ZN_ERROR_ARGUMENT);
        assert_int_equal(zn_error_count(context), 1);
    }
    zn_parts_destroy(parts);
    zn_parts_destroy(others);
    zn_context_destroy(context);
}

/* A frame given in I at the start is there: its origin and its axis. */
static void frames_are_where_they_are_wanted(void **state) {
    (void)state;
    uint64_t seed = 5;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_body_def a = random_body(&seed, "a", ZN_BODY_SPATIAL), b = random_body(&seed, "b", ZN_BODY_PRESCRIBED),
                c = random_body(&seed, "c", ZN_BODY_SPATIAL);
    zn_body bodies[3];
    assert_int_equal(zn_parts_body(parts, &a, &bodies[0]), ZN_OK);
    assert_int_equal(zn_parts_body(parts, &b, &bodies[1]), ZN_OK);
    assert_int_equal(zn_parts_body(parts, &c, &bodies[2]), ZN_OK);
    const double at[3] = {0.3, -0.2, 0.5}, axis[3] = {1, 2, -0.5};
    zn_frame frames[3];
    for (int i = 0; i < 3; i++) assert_int_equal(zn_parts_frame_at(parts, bodies[i], "pin", at, axis, &frames[i]), ZN_OK);
    zn_joint_def joint = zn_default_joint_def();
    joint.type = ZN_JOINT_FIXED, joint.name = "one", joint.a = frames[0], joint.b = frames[1];
    assert_int_equal(zn_parts_joint(parts, &joint), ZN_OK);
    joint.name = "two", joint.a = frames[2];
    assert_int_equal(zn_parts_joint(parts, &joint), ZN_OK);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    double g[12];
    void *work = calloc(1, model->work_bytes);
    model->constraints(model, work, &(zn_point){0, model->q_start, model->u_start, NULL, NULL}, &(zn_constraints){.c0 = g});
    for (int i = 0; i < model->size.ng; i++) check_close(g[i], 0, 1e-14);
    assert_int_equal(zn_parts_find_frame(parts, "a.pin", &frames[0]), ZN_OK);
    assert_int_equal(zn_parts_find_frame(parts, "a.pim", &frames[0]), ZN_ERROR_ARGUMENT);
    free(work);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

static zn_status build_all(zn_context *context, bool planar, zn_model **model) {
    zn_parts *parts = zn_parts_create(context);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_body_def a = good_body("a"), m = good_body("m");
    if (planar) a.type = ZN_BODY_PLANAR;
    m.type = ZN_BODY_PRESCRIBED, m.motion[0] = ZN_FORMULA("sin(t)");
    zn_body body = {0}, moving = {0};
    zn_joint_def joint = zn_default_joint_def();
    zn_force_def force = zn_default_force_def();
    joint.name = "j", joint.type = ZN_JOINT_SPHERICAL, force.name = "f", force.type = ZN_FORCE_BODY, force.force[0] = ZN_FORMULA("a.y");
    zn_status status = zn_parts_parameter(parts, "k", 2);
    if (status == ZN_OK) status = zn_parts_body(parts, &a, &body);
    if (status == ZN_OK) status = zn_parts_body(parts, &m, &moving);
    if (status == ZN_OK) status = zn_parts_coordinate(parts, "s", 1, 0);
    joint.a = zn_parts_body_frame(parts, body), joint.b = zn_parts_body_frame(parts, moving), force.a = joint.a;
    if (status == ZN_OK) status = zn_parts_joint(parts, &joint);
    if (status == ZN_OK) status = zn_parts_force(parts, &force);
    if (status == ZN_OK) status = zn_parts_energy(parts, "e", ZN_FORMULA("s'^2"), ZN_FORMULA("k*s*a.x"));
    if (status == ZN_OK) status = zn_parts_position_constraint(parts, "c", planar ? ZN_FORMULA("s - a.y^2") : ZN_FORMULA("s - a.z^2"));
    zn_formula slip = ZN_FORMULA("s'"), mu = ZN_FORMULA("k");
    zn_friction_def law = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &mu};
    if (status == ZN_OK)
        status = zn_parts_contact_formula(parts, "contact", &(zn_contact_def){.gap = ZN_FORMULA("a.y + 1"), .n_laws = 1, .laws = &law});
    if (status == ZN_OK) status = zn_parts_build(parts, model);
    zn_parts_destroy(parts);
    return status;
}

/* Fails at allocation `at` of building: alone, or with all that follow. */
static void fail_at(bool planar, long at, bool once) {
    counting_allocator memory = {.fail_at = at, .only_once = once};
    zn_context *context = counting_context(&memory);
    zn_model *model = NULL;
    zn_status status = build_all(context, planar, &model);
    assert_true(status == ZN_ERROR_MEMORY || (once && status == ZN_OK)); /* one failure may leave a safe answer */
    assert_true((status == ZN_OK) == (model != NULL));
    zn_model_destroy(context, model);
    zn_context_destroy(context);
    assert_int_equal(memory.live, 0);
}

/* Every single allocation of a planar model; of a spatial one (some thousands, each slow) a sample. */
static void failing_memory_is_clean(void **state) {
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&memory);
        zn_model *model = NULL;
        assert_int_equal(build_all(context, planar, &model), ZN_OK);
        long requests = memory.requests;
        zn_model_destroy(context, model);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
        assert_true(requests > 500);
        for (long i = 1; i < requests; i += planar ? 1 : 37) {
            fail_at(planar, i, false);
            fail_at(planar, i, true);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_their_inertia),        cmocka_unit_test(meshes_have_their_inertia),
        cmocka_unit_test(wrong_definitions_are_refused),    cmocka_unit_test(misused_handles_are_found),
        cmocka_unit_test(frames_are_where_they_are_wanted), cmocka_unit_test(failing_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
