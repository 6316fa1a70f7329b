/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of parts, contacts and flexible bodies. */
#include "misuse/misuse.h"

static const zn_formula zero = {.text = "0"};
static const double wrong_numbers[] = {NAN, INFINITY, -INFINITY};
static const int wrong_integers[] = {-1, 99, INT_MIN, INT_MAX};

ROW(zn_parts_create) { (void)w, assert_null(zn_parts_create(NULL)); }
ROW(zn_parts_destroy) {
    zn_parts_destroy(NULL);
    zn_parts_destroy(w->dead_parts);
    assert_int_equal(zn_error_count(w->context), 1);
    zn_error_clear(w->context);
}
ROW(zn_parts_parameter) {
    REFUSED_SILENTLY(zn_parts_parameter(NULL, "p", 1));
    REFUSED(zn_parts_parameter(w->dead_parts, "p", 1));
    REFUSED(zn_parts_parameter(w->parts, NULL, 1));
    REFUSED(zn_parts_parameter(w->parts, "", 1));
    for (int i = 0; i < 3; i++) REFUSED(zn_parts_parameter(w->parts, "p", wrong_numbers[i]));
}
ROW(zn_parts_gravity) {
    REFUSED_SILENTLY(zn_parts_gravity(NULL, (double[3]){0}));
    REFUSED(zn_parts_gravity(w->dead_parts, (double[3]){0}));
    REFUSED(zn_parts_gravity(w->parts, NULL));
    for (int i = 0; i < 3; i++) REFUSED(zn_parts_gravity(w->parts, (double[3]){0, wrong_numbers[i], 0}));
}
ROW(zn_shape_mass) {
    const zn_shape_def ball = {.type = ZN_SHAPE_SPHERE, .radius = 1};
    zn_mass mass;
    REFUSED_SILENTLY(zn_shape_mass(NULL, &ball, 1, false, &mass));
    REFUSED(zn_shape_mass(w->context, NULL, 1, false, &mass));
    REFUSED(zn_shape_mass(w->context, &ball, 1, false, NULL));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_shape_mass(w->context, &ball, wrong_numbers[i], false, &mass));
        REFUSED(zn_shape_mass(w->context, &(zn_shape_def){.type = ZN_SHAPE_SPHERE, .radius = wrong_numbers[i]}, 1, false, &mass));
    }
    for (int i = 0; i < 4; i++) {
        REFUSED(zn_shape_mass(w->context, &(zn_shape_def){.type = (zn_shape_type)wrong_integers[i]}, 1, false, &mass));
        REFUSED(zn_shape_mass(w->context, &(zn_shape_def){.type = (zn_shape_type)wrong_integers[i]}, 1, true, &mass));
        REFUSED(zn_shape_mass(w->context, &(zn_shape_def){.type = ZN_SHAPE_MESH, .n_points = wrong_integers[i]}, 1, false, &mass));
        REFUSED(zn_shape_mass(w->context, &(zn_shape_def){.type = ZN_SHAPE_TETRAHEDRON, .n_points = wrong_integers[i]}, 1, false, &mass));
    }
}
ROW(zn_default_body_def) { (void)w, assert_null(zn_default_body_def().name); }
ROW(zn_parts_body) {
    zn_body_def good = zn_default_body_def();
    zn_body body = w->body;
    good.name = "new", good.mass = good.inertia[2] = 1;
    REFUSED_SILENTLY(zn_parts_body(NULL, &good, &body));
    assert_int_equal(body.stamp, 0);
    REFUSED(zn_parts_body(w->dead_parts, &good, &body));
    REFUSED(zn_parts_body(w->parts, NULL, &body));
    const char *const names[] = {NULL, "", "b", "world", "a b", "pi"};
    for (int i = 0; i < 6; i++) {
        zn_body_def def = good;
        def.name = names[i];
        REFUSED(zn_parts_body(w->parts, &def, &body));
    }
    for (int i = 0; i < 4; i++) {
        zn_body_def def = good;
        def.type = (zn_body_type)wrong_integers[i];
        REFUSED(zn_parts_body(w->parts, &def, &body));
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++) {
            zn_body_def def = good;
            double *members[] = {&def.mass, &def.inertia[2], &def.position[1], &def.velocity[0], &def.angle, &def.angle_rate};
            *members[k] = wrong_numbers[i];
            REFUSED(zn_parts_body(w->parts, &def, &body));
        }
    good.mass = -1;
    REFUSED(zn_parts_body(w->parts, &good, NULL));
}
ROW(zn_parts_world) {
    assert_int_equal(zn_parts_world(NULL).stamp, 0);
    assert_int_equal(zn_parts_world(w->dead_parts).stamp, 0);
    zn_error_clear(w->context);
}
#define ROW_OF_FINDER(function, type, name)                        \
    ROW(function) {                                                \
        type found = {7, 7};                                       \
        REFUSED_SILENTLY(function(NULL, name, &found));            \
        REFUSED(function(w->dead_parts, name, &found));            \
        REFUSED(function(w->parts, NULL, &found));                 \
        assert_int_equal(found.stamp, 0);                          \
        REFUSED(function(w->parts, "", &found));                   \
        REFUSED(function(w->parts, "none", &found));               \
        REFUSED(function(w->parts, "b.none", &found));             \
        REFUSED(function(w->parts, name, NULL));                   \
        assert_int_equal(function(w->parts, name, &found), ZN_OK); \
    }
ROW_OF_FINDER(zn_parts_find_body, zn_body, "b")
ROW_OF_FINDER(zn_parts_find_frame, zn_frame, "b.f")
ROW_OF_FINDER(zn_parts_find_geometry, zn_geometry, "g")
ROW_OF_FINDER(zn_parts_find_flexible, zn_flexible, "beam")

static void wrong_bodies(world *w, zn_status (*call)(world *, zn_parts *, zn_body)) {
    zn_body out_of_range = w->body;
    REFUSED_SILENTLY(call(w, NULL, w->body));
    REFUSED(call(w, w->dead_parts, w->body));
    REFUSED(call(w, w->parts, w->foreign_body));
    REFUSED(call(w, w->parts, (zn_body){0, 0}));
    for (int i = 0; i < 4; i++) {
        out_of_range.index = wrong_integers[i];
        REFUSED(call(w, w->parts, out_of_range));
    }
}
static zn_status add_frame(world *w, zn_parts *parts, zn_body body) {
    zn_frame frame = w->frame;
    zn_status status = zn_parts_frame(parts, body, "n", NULL, NULL, &frame);
    assert_int_equal(frame.stamp, 0);
    return status;
}
static zn_status add_frame_at(world *w, zn_parts *parts, zn_body body) {
    zn_frame frame = w->frame;
    zn_status status = zn_parts_frame_at(parts, body, "n", NULL, NULL, &frame);
    assert_int_equal(frame.stamp, 0);
    return status;
}
static zn_status view_body(world *w, zn_parts *parts, zn_body body) {
    (void)w;
    return zn_parts_view_body(parts, body);
}
ROW(zn_parts_frame) {
    wrong_bodies(w, add_frame);
    REFUSED(zn_parts_frame(w->parts, w->body, "", NULL, NULL, NULL));
    REFUSED(zn_parts_frame(w->parts, w->body, "f", NULL, NULL, NULL)); /* taken */
    REFUSED(zn_parts_frame(w->parts, w->body, NULL, NULL, (double[4]){0}, NULL));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_parts_frame(w->parts, w->body, NULL, (double[3]){wrong_numbers[i]}, NULL, NULL));
        REFUSED(zn_parts_frame(w->parts, w->body, NULL, NULL, (double[4]){1, wrong_numbers[i]}, NULL));
    }
}
ROW(zn_parts_frame_at) {
    wrong_bodies(w, add_frame_at);
    REFUSED(zn_parts_frame_at(w->parts, w->body, NULL, NULL, (double[3]){0}, NULL));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_parts_frame_at(w->parts, w->body, NULL, (double[3]){wrong_numbers[i]}, NULL, NULL));
        REFUSED(zn_parts_frame_at(w->parts, w->body, NULL, NULL, (double[3]){wrong_numbers[i]}, NULL));
    }
}
ROW(zn_parts_view_body) { wrong_bodies(w, view_body); }
ROW(zn_parts_body_frame) {
    assert_int_equal(zn_parts_body_frame(NULL, w->body).stamp, 0);
    assert_int_equal(zn_parts_body_frame(w->dead_parts, w->body).stamp, 0);
    assert_int_equal(zn_parts_body_frame(w->parts, w->foreign_body).stamp, 0);
    assert_int_equal(zn_parts_body_frame(w->parts, (zn_body){w->body.stamp, 12345}).stamp, 0);
    zn_error_clear(w->context);
}
ROW(zn_default_joint_def) { (void)w, assert_null(zn_default_joint_def().name); }
ROW(zn_scene_choice) {
    assert_null(zn_scene_choice(NULL));
    assert_null(zn_scene_choice(w->dead_scene));
    assert_null(zn_scene_choice(w->scene));
    zn_error_clear(w->context);
}
ROW(zn_default_joint_options) {
    (void)w, assert_true(isinf(zn_default_joint_options().stops[0]) && isinf(zn_default_joint_options().stops[1]));
}
ROW(zn_parts_joint) {
    zn_joint_def good = zn_default_joint_def();
    good.name = "joint", good.a = zn_parts_body_frame(w->parts, zn_parts_world(w->parts)), good.b = w->frame;
    REFUSED_SILENTLY(zn_parts_joint(NULL, &good));
    REFUSED(zn_parts_joint(w->dead_parts, &good));
    REFUSED(zn_parts_joint(w->parts, NULL));
    for (int type = 0; type < ZN_JOINT_TYPE_COUNT; type++)
        for (int k = 0; k < 6; k++) {
            zn_joint_def def = good;
            def.type = (zn_joint_type)type;
            if (k == 0) def.name = NULL;
            if (k == 1) def.a = w->foreign_frame;
            if (k == 2) def.b = (zn_frame){0, 0};
            if (k == 3) def.a = def.b;
            if (k == 4) def.b.index = INT_MAX;
            if (k == 5) def.name = "";
            def.length = def.radius = def.ratio = 1;
            REFUSED(zn_parts_joint(w->parts, &def));
        }
    for (int i = 0; i < 4; i++) {
        zn_joint_def def = good;
        def.type = (zn_joint_type)wrong_integers[i];
        REFUSED(zn_parts_joint(w->parts, &def));
    }
    for (int i = 0; i < 3; i++) {
        zn_joint_def def = good;
        def.type = ZN_JOINT_DISTANCE, def.length = wrong_numbers[i];
        REFUSED(zn_parts_joint(w->parts, &def));
    }
    good.type = ZN_JOINT_MOTOR; /* a motor without a drive */
    REFUSED(zn_parts_joint(w->parts, &good));
}
ROW(zn_default_force_def) { (void)w, assert_null(zn_default_force_def().name); }
ROW(zn_parts_force) {
    zn_force_def good = zn_default_force_def();
    good.name = "force", good.a = zn_parts_body_frame(w->parts, zn_parts_world(w->parts)), good.b = w->frame;
    REFUSED_SILENTLY(zn_parts_force(NULL, &good));
    REFUSED(zn_parts_force(w->dead_parts, &good));
    REFUSED(zn_parts_force(w->parts, NULL));
    for (int type = 0; type < ZN_FORCE_TYPE_COUNT; type++)
        for (int k = 0; k < 3; k++) {
            zn_force_def def = good;
            def.type = (zn_force_type)type;
            if (k == 0) def.name = NULL;
            if (k == 1) def.a = w->foreign_frame;
            if (k == 2) def.a = (zn_frame){0, 0};
            def.value = zero;
            REFUSED(zn_parts_force(w->parts, &def));
        }
    for (int i = 0; i < 4; i++) {
        zn_force_def def = good;
        def.type = (zn_force_type)wrong_integers[i];
        REFUSED(zn_parts_force(w->parts, &def));
    }
    for (int i = 0; i < 3; i++) {
        zn_force_def def = good;
        def.stiffness = wrong_numbers[i];
        REFUSED(zn_parts_force(w->parts, &def));
    }
    good.stiffness = -1;
    REFUSED(zn_parts_force(w->parts, &good));
    good.type = ZN_FORCE_ACTUATOR; /* without a value */
    REFUSED(zn_parts_force(w->parts, &good));
}
ROW(zn_parts_coordinate) {
    REFUSED_SILENTLY(zn_parts_coordinate(NULL, "s", 0, 0));
    REFUSED(zn_parts_coordinate(w->dead_parts, "s", 0, 0));
    REFUSED(zn_parts_coordinate(w->parts, NULL, 0, 0));
    REFUSED(zn_parts_coordinate(w->parts, "b", 0, 0));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_parts_coordinate(w->parts, "s", wrong_numbers[i], 0));
        REFUSED(zn_parts_coordinate(w->parts, "s", 0, wrong_numbers[i]));
    }
}
ROW(zn_parts_velocity) {
    REFUSED_SILENTLY(zn_parts_velocity(NULL, "v", 0));
    REFUSED(zn_parts_velocity(w->dead_parts, "v", 0));
    REFUSED(zn_parts_velocity(w->parts, NULL, 0));
    REFUSED(zn_parts_velocity(w->parts, "b", 0));
    for (int i = 0; i < 3; i++) REFUSED(zn_parts_velocity(w->parts, "v", wrong_numbers[i]));
}
#define ROW_OF_NAMED(function, ...)                         \
    ROW(function) {                                         \
        REFUSED_SILENTLY(function(NULL, "n", __VA_ARGS__)); \
        REFUSED(function(w->dead_parts, "n", __VA_ARGS__)); \
        REFUSED(function(w->parts, NULL, __VA_ARGS__));     \
        REFUSED(function(w->parts, "", __VA_ARGS__));       \
    }
ROW_OF_NAMED(zn_parts_energy, zero, zero)
ROW_OF_NAMED(zn_parts_generalised_force, zero)
ROW_OF_NAMED(zn_parts_kinematics, zero)
ROW_OF_NAMED(zn_parts_mass, NULL, zero)
ROW_OF_NAMED(zn_parts_position_constraint, zero)
ROW_OF_NAMED(zn_parts_velocity_constraint, zero)
ROW_OF_NAMED(zn_parts_output, zero)
ROW(zn_parts_contact_formula) {
    const zn_formula slip = {.text = "b.x'"};
    const zn_friction_def good = {.n_slips = 1, .slips = &slip, .n_friction = 1, .friction = &zero};
    const zn_contact_def def = {.gap = {.text = "b.y"}, .n_laws = 1, .laws = &good};
    REFUSED_SILENTLY(zn_parts_contact_formula(NULL, "c", &def));
    REFUSED(zn_parts_contact_formula(w->dead_parts, "c", &def));
    REFUSED(zn_parts_contact_formula(w->parts, NULL, &def));
    REFUSED(zn_parts_contact_formula(w->parts, "c", NULL));
    REFUSED(zn_parts_contact_formula(w->parts, "c", &(zn_contact_def){.gap = {.text = "b.y"}, .n_laws = -1}));
    REFUSED(zn_parts_contact_formula(w->parts, "c", &(zn_contact_def){.gap = {.text = "b.y"}, .n_laws = 2}));
    for (int i = 0; i < 4; i++) {
        zn_friction_def law = good;
        if (i == 0) law.reservoir = (zn_reservoir)99;
        if (i == 1) law.n_slips = INT_MIN;
        if (i == 2) law.slips = NULL;
        if (i == 3) law.friction = NULL;
        REFUSED(zn_parts_contact_formula(w->parts, "c", &(zn_contact_def){.gap = {.text = "b.y"}, .n_laws = 1, .laws = &law}));
    }
}
ROW(zn_parts_view) {
    REFUSED_SILENTLY(zn_parts_view(NULL, NULL));
    REFUSED(zn_parts_view(w->dead_parts, NULL));
    assert_int_equal(zn_parts_view(w->parts, NULL), ZN_OK);
}
ROW(zn_parts_build) {
    zn_model *model = w->model;
    REFUSED_SILENTLY(zn_parts_build(NULL, &model));
    REFUSED(zn_parts_build(w->dead_parts, &model));
    REFUSED(zn_parts_build(w->parts, NULL));
    if (zn_parts_build(w->parts, &model) != ZN_OK) fail_msg("what was refused left something behind: %s", zn_error_text(w->context));
    assert_int_equal(model->size.ng + model->size.n_contacts, 0);
    zn_model_destroy(w->context, model);
}

/* ---- contacts ---- */

ROW(zn_default_geometry_def) { (void)w, assert_null(zn_default_geometry_def().name); }
ROW(zn_parts_geometry) {
    zn_geometry_def good = zn_default_geometry_def();
    zn_geometry geometry = w->geometry;
    good.name = "new", good.frame = w->frame;
    REFUSED_SILENTLY(zn_parts_geometry(NULL, &good, &geometry));
    assert_int_equal(geometry.stamp, 0);
    REFUSED(zn_parts_geometry(w->dead_parts, &good, &geometry));
    REFUSED(zn_parts_geometry(w->parts, NULL, &geometry));
    for (int k = 0; k < 6; k++) {
        zn_geometry_def def = good;
        if (k == 0) def.name = NULL;
        if (k == 1) def.name = "g";
        if (k == 2) def.frame = w->foreign_frame;
        if (k == 3) def.type = ZN_GEOMETRY_POINTS, def.n_points = -1;
        if (k == 4) def.type = ZN_GEOMETRY_POINTS, def.n_points = 3;
        if (k == 5) def.type = ZN_GEOMETRY_SURFACE;
        REFUSED(zn_parts_geometry(w->parts, &def, &geometry));
    }
    for (int i = 0; i < 4; i++) {
        zn_geometry_def def = good;
        def.type = (zn_geometry_type)wrong_integers[i];
        REFUSED(zn_parts_geometry(w->parts, &def, &geometry));
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            zn_geometry_def def = good;
            double *members[] = {&def.radius, &def.centre[0], &def.axis[1]};
            def.type = ZN_GEOMETRY_SPHERE, def.radius = 1;
            *members[k] = wrong_numbers[i];
            REFUSED(zn_parts_geometry(w->parts, &def, &geometry));
        }
}
ROW(zn_parts_material_pair) {
    const zn_contact_law law = {0};
    REFUSED_SILENTLY(zn_parts_material_pair(NULL, "a", "b", &law));
    REFUSED(zn_parts_material_pair(w->dead_parts, "a", "b", &law));
    REFUSED(zn_parts_material_pair(w->parts, NULL, "b", &law));
    REFUSED(zn_parts_material_pair(w->parts, "a", "", &law));
    REFUSED(zn_parts_material_pair(w->parts, "a", "b", NULL));
}
ROW(zn_parts_group) {
    const char *members[] = {"world", "nobody", NULL};
    REFUSED_SILENTLY(zn_parts_group(NULL, "g", 1, members));
    REFUSED(zn_parts_group(w->dead_parts, "g", 1, members));
    REFUSED(zn_parts_group(w->parts, NULL, 1, members));
    REFUSED(zn_parts_group(w->parts, "", 1, members));
    REFUSED(zn_parts_group(w->parts, "all", 1, members));
    REFUSED(zn_parts_group(w->parts, "world", 1, members));
    REFUSED(zn_parts_group(w->parts, "g", -1, members));
    REFUSED(zn_parts_group(w->parts, "g", 1, NULL));
    REFUSED(zn_parts_group(w->parts, "g", 2, members));
    REFUSED(zn_parts_group(w->parts, "g", 1, members + 2));
}
ROW(zn_default_collision_def) { (void)w, assert_null(zn_default_collision_def().name); }
ROW(zn_parts_collide) {
    zn_parts *parts = zn_parts_create(w->context); /* its own, as shapes stay */
    zn_body_def b = zn_default_body_def();
    zn_body body;
    b.name = "b", b.density = 1, b.shape.type = ZN_SHAPE_DISK, b.shape.radius = 1;
    assert_int_equal(zn_parts_body(parts, &b, &body), ZN_OK);
    zn_collision_def good = zn_default_collision_def();
    good.name = "all";
    REFUSED_SILENTLY(zn_parts_collide(NULL, &good));
    REFUSED(zn_parts_collide(w->dead_parts, &good));
    REFUSED(zn_parts_collide(parts, NULL));
    const char *const nobody[1][2] = {{"b", "nobody"}}, *const missing[1][2] = {{"b", NULL}};
    zn_contact_law law = {0};
    for (int k = 0; k < 11; k++) {
        zn_collision_def def = good;
        law = (zn_contact_law){0}, def.law = &law;
        if (k == 0) def.name = NULL;
        if (k == 1) def.name = "";
        if (k == 2) def.a = "nobody";
        if (k == 3) def.b = "nobody";
        if (k == 4) def.a = "world"; /* has no shape */
        if (k == 5) def.n_except = -1;
        if (k == 6) def.n_except = 1;
        if (k == 7) def.n_except = 1, def.except = nobody;
        if (k == 8) def.n_except = 1, def.except = missing;
        if (k == 9) law.restitution = NAN;
        if (k == 10) law.n_friction = 7;
        REFUSED(zn_parts_collide(parts, &def));
    }
    assert_int_equal(zn_parts_collide(parts, &good), ZN_OK);
    REFUSED(zn_parts_collide(parts, &good)); /* the name is taken */
    zn_parts_destroy(parts);
}
ROW(zn_default_contact_pair_def) { (void)w, assert_null(zn_default_contact_pair_def().name); }
ROW(zn_parts_contact) {
    zn_parts *parts = zn_parts_create(w->context); /* its own, as geometries stay */
    zn_body_def b = zn_default_body_def();
    zn_geometry_def g = zn_default_geometry_def();
    zn_contact_pair_def good = zn_default_contact_pair_def();
    zn_body body;
    b.name = "b", b.mass = b.inertia[2] = 1;
    assert_int_equal(zn_parts_body(parts, &b, &body), ZN_OK);
    g.name = "tip", g.frame = zn_parts_body_frame(parts, body);
    assert_int_equal(zn_parts_geometry(parts, &g, &good.a), ZN_OK);
    g.name = "floor", g.type = ZN_GEOMETRY_PLANE, g.frame = zn_parts_body_frame(parts, zn_parts_world(parts));
    assert_int_equal(zn_parts_geometry(parts, &g, &good.b), ZN_OK);
    good.name = "c";
    REFUSED_SILENTLY(zn_parts_contact(NULL, &good));
    REFUSED(zn_parts_contact(w->dead_parts, &good));
    REFUSED(zn_parts_contact(parts, NULL));
    zn_contact_law law = {0};
    for (int k = 0; k < 14; k++) {
        zn_contact_pair_def def = good;
        law = (zn_contact_law){0}, def.law = &law;
        if (k == 0) def.name = NULL;
        if (k == 1) def.a = w->foreign_geometry;
        if (k == 2) def.b = (zn_geometry){0, 0};
        if (k == 3) def.a.index = INT_MAX;
        if (k == 4) def.b = def.a;
        if (k == 5) def.tangent = (zn_tangent)99;
        if (k == 6) def.tangent = (zn_tangent)-1;
        if (k == 7) def.has_normal_force = true, def.normal_force = NAN;
        if (k == 8) law.restitution = NAN;
        if (k == 9) law.n_friction = -1;
        if (k == 10) law.n_friction = INT_MAX;
        if (k == 11) law.n_friction = 1, law.reservoir = (zn_reservoir)99;
        if (k == 12) law.n_friction = 1, law.friction[0] = NAN;
        if (k == 13) law.n_rolling = 7;
        REFUSED(zn_parts_contact(parts, &def));
    }
    zn_parts_destroy(parts);
}

/* ---- flexible bodies ---- */

ROW(zn_default_flexible_def) { (void)w, assert_null(zn_default_flexible_def().name); }
ROW(zn_parts_flexible) {
    zn_flexible_def good = zn_default_flexible_def();
    zn_flexible flexible = w->flexible;
    good.name = "other", good.type = ZN_FLEXIBLE_BEAM, good.elements = 2, good.to[0] = 1;
    good.EA = good.GA[0] = good.EI[0] = good.line_density = good.rotary[0] = 1;
    REFUSED_SILENTLY(zn_parts_flexible(NULL, &good, &flexible));
    assert_int_equal(flexible.stamp, 0);
    REFUSED(zn_parts_flexible(w->dead_parts, &good, &flexible));
    REFUSED(zn_parts_flexible(w->parts, NULL, &flexible));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            zn_flexible_def def = good;
            if (k == 0) def.type = (zn_flexible_type)wrong_integers[i];
            if (k == 1) def.elements = wrong_integers[i] == 99 ? 0 : wrong_integers[i];
            if (k == 2) def.order = wrong_integers[i];
            if (k == 3) def.record = (zn_flexible_record)wrong_integers[i];
            REFUSED(zn_parts_flexible(w->parts, &def, &flexible));
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            zn_flexible_def def = good;
            double *members[] = {&def.EA, &def.to[0], &def.line_density, &def.damping};
            *members[k] = wrong_numbers[i];
            REFUSED(zn_parts_flexible(w->other_parts, &def, &flexible));
        }
    good.name = NULL;
    REFUSED(zn_parts_flexible(w->parts, &good, &flexible));
}
ROW(zn_parts_node_count) {
    assert_int_equal(zn_parts_node_count(NULL, w->flexible), 0);
    assert_int_equal(zn_parts_node_count(w->dead_parts, w->flexible), 0);
    assert_int_equal(zn_parts_node_count(w->parts, w->foreign_flexible), 0);
    assert_int_equal(zn_parts_node_count(w->parts, (zn_flexible){w->flexible.stamp, -1}), 0);
    zn_error_clear(w->context);
}
ROW(zn_parts_node) {
    zn_body body = w->body;
    REFUSED_SILENTLY(zn_parts_node(NULL, w->flexible, 0, &body));
    REFUSED(zn_parts_node(w->dead_parts, w->flexible, 0, &body));
    REFUSED(zn_parts_node(w->parts, w->foreign_flexible, 0, &body));
    assert_int_equal(body.stamp, 0);
    for (int i = 0; i < 4; i++) REFUSED(zn_parts_node(w->parts, w->flexible, wrong_integers[i], &body));
    REFUSED(zn_parts_node(w->parts, w->flexible, 0, NULL));
}
ROW(zn_parts_section) {
    zn_frame frame = w->frame;
    REFUSED_SILENTLY(zn_parts_section(NULL, w->flexible, 0.5, NULL, NULL, NULL, &frame));
    REFUSED(zn_parts_section(w->dead_parts, w->flexible, 0.5, NULL, NULL, NULL, &frame));
    REFUSED(zn_parts_section(w->parts, w->foreign_flexible, 0.5, NULL, NULL, NULL, &frame));
    assert_int_equal(frame.stamp, 0);
    REFUSED(zn_parts_section(w->parts, w->flexible, -0.1, NULL, NULL, NULL, &frame));
    REFUSED(zn_parts_section(w->parts, w->flexible, 0.5, "", NULL, NULL, &frame));
    for (int i = 0; i < 3; i++) {
        REFUSED(zn_parts_section(w->parts, w->flexible, wrong_numbers[i], NULL, NULL, NULL, &frame));
        REFUSED(zn_parts_section(w->parts, w->flexible, 0.5, NULL, (double[3]){wrong_numbers[i]}, NULL, &frame));
    }
}

#define R(function) \
    { #function, row_##function }
const misuse_row rows_of_parts[] = {
    R(zn_parts_create),
    R(zn_parts_destroy),
    R(zn_parts_parameter),
    R(zn_parts_gravity),
    R(zn_shape_mass),
    R(zn_default_body_def),
    R(zn_parts_body),
    R(zn_parts_world),
    R(zn_parts_find_body),
    R(zn_parts_find_frame),
    R(zn_parts_find_geometry),
    R(zn_parts_find_flexible),
    R(zn_parts_frame),
    R(zn_parts_frame_at),
    R(zn_parts_view_body),
    R(zn_parts_body_frame),
    R(zn_default_joint_def),
    R(zn_default_joint_options),
    R(zn_scene_choice),
    R(zn_parts_joint),
    R(zn_default_force_def),
    R(zn_parts_force),
    R(zn_parts_coordinate),
    R(zn_parts_velocity),
    R(zn_parts_kinematics),
    R(zn_parts_mass),
    R(zn_parts_energy),
    R(zn_parts_generalised_force),
    R(zn_parts_position_constraint),
    R(zn_parts_velocity_constraint),
    R(zn_parts_output),
    R(zn_parts_contact_formula),
    R(zn_parts_view),
    R(zn_parts_build),
    R(zn_default_geometry_def),
    R(zn_parts_geometry),
    R(zn_parts_material_pair),
    R(zn_parts_group),
    R(zn_default_collision_def),
    R(zn_parts_collide),
    R(zn_default_contact_pair_def),
    R(zn_parts_contact),
    R(zn_default_flexible_def),
    R(zn_parts_flexible),
    R(zn_parts_node_count),
    R(zn_parts_node),
    R(zn_parts_section),
};
const int n_rows_of_parts = sizeof rows_of_parts / sizeof *rows_of_parts;
