/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts of the builder: pairs that are known and that are not, materials, corners, handles, memory that runs out. */
#include "base/counting_allocator.h"
#include "check.h"

#include "model/model.h"
#include "parts_mechanisms.h"

static zn_body planar_ball(zn_parts *parts, const char *name, double x, double y) {
    zn_body_def def = zn_default_body_def();
    zn_body body;
    def.name = name;
    def.type = ZN_BODY_PLANAR;
    def.mass = 1;
    def.inertia[2] = 0.004;
    def.position[0] = x, def.position[1] = y;
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

static zn_body spatial_body(zn_parts *parts, const char *name, double x) {
    zn_body_def def = zn_default_body_def();
    zn_body body;
    def.name = name;
    def.type = ZN_BODY_SPATIAL;
    def.mass = 1;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
    def.position[0] = x;
    def.rotation[0] = 1;
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

static zn_geometry_def shape(zn_parts *parts, zn_body body, const char *name, zn_geometry_type type) {
    static const double corners[12] = {0.1, 0, 0, -0.1, 0.1, 0, 0, -0.1, 0, 0, 0, 0.1};
    static const int faces[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    static const int n_points[ZN_GEOMETRY_TYPE_COUNT] = {[ZN_GEOMETRY_POINTS] = 2,
                                                         [ZN_GEOMETRY_POLYHEDRON] = 4,
                                                         [ZN_GEOMETRY_MESH] = 4,
                                                         [ZN_GEOMETRY_SEGMENT] = 2,
                                                         [ZN_GEOMETRY_POLYLINE] = 3};
    zn_geometry_def def = zn_default_geometry_def();
    def.name = name;
    def.frame = zn_parts_body_frame(parts, body);
    def.type = type;
    def.radius = 0.1, def.length = 0.3;
    def.size[0] = 0.2, def.size[1] = 0.3, def.size[2] = 0.4;
    def.n_points = n_points[type];
    def.points = corners;
    if (type == ZN_GEOMETRY_MESH) def.n_triangles = 4, def.triangles = faces;
    if (type == ZN_GEOMETRY_HEIGHT_FIELD) def.grid[0] = def.grid[1] = 4, def.formula = ZN_FORMULA("c*x*y");
    if (type == ZN_GEOMETRY_SURFACE) def.formula = ZN_FORMULA("y + 0.3*sin(x) + c*x");
    return def;
}

static zn_geometry add_shape(zn_parts *parts, zn_body body, const char *name, zn_geometry_type type) {
    zn_geometry_def def = shape(parts, body, name, type);
    zn_geometry handle;
    assert_int_equal(zn_parts_geometry(parts, &def, &handle), ZN_OK);
    return handle;
}

static zn_status add_pair(zn_parts *parts, const char *name, zn_geometry a, zn_geometry b, const zn_contact_law *law) {
    zn_contact_pair_def def = zn_default_contact_pair_def();
    def.name = name;
    def.a = a, def.b = b;
    def.law = law;
    return zn_parts_contact(parts, &def);
}

/* ---- the same as formulas ---- */

/* rotating-ball of the papers: every answer of both models at random states. */
static void a_ball_on_a_floor_is_that_of_the_formulas(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    const double gravity[3] = {0, -10, 0};
    zn_parts_gravity(parts, gravity);
    zn_body ball = planar_ball(parts, "ball", 0, 1);
    const zn_contact_law law = {.n_friction = 1, .friction = {0.2}, .restitution = 0.5};
    zn_geometry rim = add_shape(parts, ball, "rim", ZN_GEOMETRY_SPHERE),
                floor = add_shape(parts, zn_parts_world(parts), "floor", ZN_GEOMETRY_PLANE);
    assert_int_equal(add_pair(parts, "floor", floor, rim, &law), ZN_OK);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    uint64_t seed = 5;
    for (int i = 0; i < 20; i++) {
        double q[3], u[3], c0[2], c1[2], W[6];
        random_numbers(&seed, 3, q), random_numbers(&seed, 3, u);
        void *work = calloc(1, model->work_bytes);
        zn_point at = {.q = q, .u = u};
        model->constraints(model, work, &at, &(zn_constraints){.c0 = c0, .c1 = c1});
        model->balance(model, work, &at, &(zn_balance){.W = W});
        check_close(c0[0], q[1] - 0.1, 1e-14);
        check_close(c1[0], u[1], 1e-14);
        check_close(c1[1], u[0] + 0.1 * u[2], 1e-14);
        free(work);
    }
    assert_int_equal(model->size.n_contacts, 1);
    assert_string_equal(model->contacts[0].name, "floor");
    check_close(model->contacts[0].e_N, 0.5, 0);
    check_close(model->contacts[0].balls[0].mu, 0.2, 0);
    assert_true(model->natural && model->lagrangian);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* ---- all pairs ---- */

static const zn_contact_law all_laws = {.n_friction = 1, .friction = {0.3}, .n_rolling = 1, .rolling = {0.01}, .pivoting = 0.02};
static const zn_contact_law sliding = {.n_friction = 1, .friction = {0.3}};

/* Every pair of shapes on spatial bodies, on a planar one and the world is either a contact with right derivatives or an
 * error that names it. */
static void every_pair_is_a_contact_or_an_error(void **state) {
    (void)state;
    uint64_t seed = 17;
    int good = 0, bad = 0;
    for (int i = 0; i < 2 * ZN_GEOMETRY_TYPE_COUNT * ZN_GEOMETRY_TYPE_COUNT; i++) {
        bool planar = i % 2;
        zn_geometry_type types[2] = {(zn_geometry_type)(i / 2 % ZN_GEOMETRY_TYPE_COUNT),
                                     (zn_geometry_type)(i / 2 / ZN_GEOMETRY_TYPE_COUNT)};
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_parts_parameter(parts, "c", 0.1);
        zn_body bodies[2] = {planar ? planar_ball(parts, "a", 2, 0.3) : spatial_body(parts, "a", 2),
                             i % 4 ? zn_parts_world(parts) : spatial_body(parts, "b", 0)};
        zn_geometry handles[2];
        zn_status status = ZN_OK;
        for (int k = 0; k < 2 && status == ZN_OK; k++) {
            zn_geometry_def def = shape(parts, bodies[k], k ? "second" : "first", types[k]);
            if (types[k] == ZN_GEOMETRY_HOLLOW_SPHERE || types[k] == ZN_GEOMETRY_HOLLOW_CYLINDER) def.radius = 3;
            if (planar) def.size[2] = 0;
            if (planar && types[k] == ZN_GEOMETRY_POLYHEDRON) def.n_points = 3;
            status = zn_parts_geometry(parts, &def, &handles[k]);
        }
        if (status == ZN_OK) status = add_pair(parts, "touch", handles[0], handles[1], planar ? &sliding : &all_laws);
        zn_model *model = NULL;
        if (status == ZN_OK) status = zn_parts_build(parts, &model);
        if (status == ZN_OK) {
            const char *what = NULL;
            double worst = worst_derivative(context, model, &seed, &what);
            if (!(worst < 1e-4)) fail_msg("shapes %d %d: %s is wrong by %g", (int)types[0], (int)types[1], what, worst);
            good++;
        } else {
            assert_true(zn_error_count(context) == 1);
            bad++;
        }
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
    print_message("%d pairs are contacts, %d are errors\n", good, bad);
    assert_true(good > 60 && bad > 60);
}

/* Surfaces on a body with a prescribed motion: gaps depend on t, slips contain its velocity. */
static void surfaces_that_are_moved(void **state) {
    (void)state;
    uint64_t seed = 23;
    const zn_geometry_type surfaces[] = {ZN_GEOMETRY_PLANE, ZN_GEOMETRY_SPHERE, ZN_GEOMETRY_HOLLOW_CYLINDER, ZN_GEOMETRY_SURFACE};
    for (int i = 0; i < 4; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_parts_parameter(parts, "c", 0.1);
        zn_body_def def = random_body(&seed, "shaker", ZN_BODY_PRESCRIBED);
        zn_body shaker, ball = spatial_body(parts, "ball", 2);
        assert_int_equal(zn_parts_body(parts, &def, &shaker), ZN_OK);
        zn_geometry a = add_shape(parts, ball, "tip", ZN_GEOMETRY_POINT), b = add_shape(parts, shaker, "surface", surfaces[i]);
        assert_int_equal(add_pair(parts, "touch", a, b, &sliding), ZN_OK);
        zn_model *model = NULL;
        assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
        const char *what = NULL;
        double worst = worst_derivative(context, model, &seed, &what);
        if (!(worst < 1e-7)) fail_msg("surface %d: %s is wrong by %g", i, what, worst);
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* ---- corners, materials ---- */

static void corners_are_contacts_with_numbers(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    zn_body body = spatial_body(parts, "crate", 0);
    zn_geometry_def box = shape(parts, body, "box", ZN_GEOMETRY_BOX),
                    floor = shape(parts, zn_parts_world(parts), "floor", ZN_GEOMETRY_PLANE);
    box.material = "wood", floor.material = "stone";
    zn_geometry a, b;
    zn_parts_geometry(parts, &box, &a), zn_parts_geometry(parts, &floor, &b);
    const zn_contact_law law = {.n_friction = 1, .friction = {0.6}};
    assert_int_equal(add_pair(parts, "ground", a, b, NULL), ZN_ERROR_MODEL); /* no law between the two yet */
    assert_non_null(strstr(zn_error_text(context), "wood"));
    assert_int_equal(zn_parts_material_pair(parts, "stone", "wood", &law), ZN_OK);
    assert_int_equal(zn_parts_material_pair(parts, "wood", "stone", &law), ZN_ERROR_ARGUMENT); /* twice */
    assert_int_equal(add_pair(parts, "ground", a, b, NULL), ZN_OK);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    assert_int_equal(model->size.n_contacts, 8);
    assert_string_equal(model->contacts[0].name, "ground.1");
    assert_string_equal(model->contacts[7].name, "ground.8");
    check_close(model->contacts[3].balls[0].mu, 0.6, 0);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* A body whose mass is that of a sphere touches as this sphere; an own geometry of the name replaces it. */
static void shapes_of_bodies_are_geometries(void **state) {
    (void)state;
    for (int replaced = 0; replaced < 2; replaced++) {
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_body_def def = zn_default_body_def();
        def.name = "ball";
        def.type = ZN_BODY_SPATIAL;
        def.shape.type = ZN_SHAPE_SPHERE;
        def.shape.radius = 0.25;
        def.mass = 1;
        def.rotation[0] = 1;
        def.position[2] = 1;
        zn_body body;
        assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
        if (replaced) add_shape(parts, body, "ball", ZN_GEOMETRY_SPHERE);
        zn_geometry ball, floor = add_shape(parts, zn_parts_world(parts), "floor", ZN_GEOMETRY_PLANE);
        assert_int_equal(zn_parts_find_geometry(parts, "ball", &ball), ZN_OK);
        assert_int_equal(add_pair(parts, "ground", ball, floor, &sliding), ZN_OK);
        zn_model *model = NULL;
        assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
        double c0[3];
        void *work = calloc(1, model->work_bytes);
        model->constraints(model, work, &(zn_point){.q = model->q_start, .u = model->u_start}, &(zn_constraints){.c0 = c0});
        check_close(c0[0], replaced ? 0.9 : 0.75, 1e-15);
        free(work);
        zn_model_destroy(context, model);
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* ---- misuse ---- */

static void misuse_is_an_error(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context), *other = zn_parts_create(context);
    zn_body body = planar_ball(parts, "ball", 0, 1);
    zn_geometry rim = add_shape(parts, body, "rim", ZN_GEOMETRY_SPHERE),
                floor = add_shape(parts, zn_parts_world(parts), "floor", ZN_GEOMETRY_PLANE);
    zn_geometry wall = add_shape(parts, zn_parts_world(parts), "wall", ZN_GEOMETRY_POINT),
                hub = add_shape(parts, body, "hub", ZN_GEOMETRY_POINT);
    zn_geometry_def again = shape(parts, body, "rim", ZN_GEOMETRY_SPHERE), nameless = shape(parts, body, "", ZN_GEOMETRY_SPHERE),
                    lost = shape(other, zn_parts_world(other), "lost", ZN_GEOMETRY_PLANE);
    assert_int_equal(zn_parts_geometry(parts, &again, NULL), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_geometry(parts, &nameless, NULL), ZN_ERROR_ARGUMENT);
    assert_int_equal(zn_parts_geometry(parts, &lost, NULL), ZN_ERROR_ARGUMENT);
    zn_geometry found;
    assert_int_equal(zn_parts_find_geometry(parts, "florr", &found), ZN_ERROR_ARGUMENT);
    assert_non_null(strstr(zn_error_text(context), "'floor'"));
    assert_int_equal(add_pair(parts, "x", (zn_geometry){0, 0}, floor, &sliding), ZN_ERROR_ARGUMENT);
    assert_int_equal(add_pair(other, "x", rim, floor, &sliding), ZN_ERROR_ARGUMENT);
    assert_int_equal(add_pair(parts, "x", rim, hub, &sliding), ZN_ERROR_MODEL);    /* one body */
    assert_int_equal(add_pair(parts, "x", wall, floor, &sliding), ZN_ERROR_MODEL); /* one body, the world */
    assert_int_equal(add_pair(parts, "", rim, floor, &sliding), ZN_ERROR_ARGUMENT);
    assert_int_equal(add_pair(parts, "x", rim, floor, &all_laws), ZN_ERROR_MODEL); /* pivoting in the plane */
    zn_contact_pair_def def = zn_default_contact_pair_def();
    def.name = "x", def.a = rim, def.b = floor;
    def.has_normal_force = true, def.normal_force = -1;
    assert_int_equal(zn_parts_contact(parts, &def), ZN_ERROR_ARGUMENT);
    def.has_normal_force = false, def.tangent = ZN_TANGENT_WORLD;
    assert_int_equal(zn_parts_contact(parts, &def), ZN_ERROR_ARGUMENT);
    assert_int_equal(add_pair(parts, "x", rim, floor, &sliding), ZN_OK);
    assert_int_equal(add_pair(parts, "x", rim, floor, &sliding), ZN_ERROR_ARGUMENT); /* the name is taken */
    zn_parts_destroy(parts);
    zn_parts_destroy(other);
    zn_context_destroy(context);
}

static void formulas_of_surfaces_say_where_they_are_wrong(void **state) {
    (void)state;
    static const char *const wrong[] = {"x + ", "x + w", "1", "x - t"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_parts *parts = zn_parts_create(context);
        zn_body body = planar_ball(parts, "ball", 0, 1);
        zn_geometry tip = add_shape(parts, body, "tip", ZN_GEOMETRY_POINT), hill;
        zn_geometry_def def = shape(parts, zn_parts_world(parts), "hill", ZN_GEOMETRY_SURFACE);
        def.formula = (zn_formula){wrong[i], "hill.yaml", 7, 3};
        assert_int_equal(zn_parts_geometry(parts, &def, &hill), ZN_OK);
        zn_status status = add_pair(parts, "touch", tip, hill, &sliding);
        zn_model *model = NULL;
        if (status == ZN_OK) status = zn_parts_build(parts, &model);
        assert_int_not_equal(status, ZN_OK);
        assert_null(model);
        assert_non_null(strstr(zn_error_text(context), "hill.yaml:7:"));
        zn_parts_destroy(parts);
        zn_context_destroy(context);
    }
}

/* ---- memory ---- */

static zn_status build_all(zn_context *context) {
    zn_parts *parts = zn_parts_create(context);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_body_def def = zn_default_body_def();
    zn_body body;
    zn_geometry a = {0, 0}, b = {0, 0}, bowl = {0, 0}, corners = {0, 0};
    def.name = "ball", def.type = ZN_BODY_PLANAR, def.mass = 1, def.inertia[2] = 1;
    zn_status status = zn_parts_body(parts, &def, &body);
    zn_geometry_def geometries[] = {
        shape(parts, body, "ball", ZN_GEOMETRY_POINT), shape(parts, zn_parts_world(parts), "hill", ZN_GEOMETRY_SURFACE),
        shape(parts, zn_parts_world(parts), "bowl", ZN_GEOMETRY_HOLLOW_SPHERE), shape(parts, body, "corners", ZN_GEOMETRY_POINTS)};
    zn_geometry *handles[] = {&a, &b, &bowl, &corners};
    geometries[1].material = geometries[0].material = "stone";
    if (status == ZN_OK) status = zn_parts_parameter(parts, "c", 0.5);
    if (status == ZN_OK) status = zn_parts_material_pair(parts, "stone", "stone", &sliding);
    for (int i = 0; i < 4 && status == ZN_OK; i++) status = zn_parts_geometry(parts, &geometries[i], handles[i]);
    if (status == ZN_OK) status = add_pair(parts, "hill", a, b, NULL);
    if (status == ZN_OK) status = add_pair(parts, "bowl", corners, bowl, &sliding);
    zn_model *model = NULL;
    if (status == ZN_OK) status = zn_parts_build(parts, &model);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    return status;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    counting_allocator count = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&count);
    assert_int_equal(build_all(context), ZN_OK);
    zn_context_destroy(context);
    assert_int_equal(count.live, 0);
    long requests = count.requests;
    assert_true(requests > 100);
    for (long i = 0; i < requests; i++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        memory.fail_at = i;
        context = counting_context(&memory);
        if (context) assert_int_equal(build_all(context), ZN_ERROR_MEMORY);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_on_a_floor_is_that_of_the_formulas),
                                       cmocka_unit_test(every_pair_is_a_contact_or_an_error),
                                       cmocka_unit_test(surfaces_that_are_moved),
                                       cmocka_unit_test(corners_are_contacts_with_numbers),
                                       cmocka_unit_test(shapes_of_bodies_are_geometries),
                                       cmocka_unit_test(misuse_is_an_error),
                                       cmocka_unit_test(formulas_of_surfaces_say_where_they_are_wrong),
                                       cmocka_unit_test(memory_that_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
