/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of contacts: rules, poses, and candidates that become parts; candidates are filled by hand. */
#include "base/counting_allocator.h"
#include "check.h"

#include "linalg/geometry.h"
#include "model/contact_field.h"
#include "zeno/zeno.h"

#include <string.h>
#include <time.h>

static zn_parts *begin(zn_context *context) {
    zn_parts *parts = zn_parts_create(context);
    assert_int_equal(zn_parts_gravity(parts, (double[]){0, 0, -9.81}), ZN_OK);
    return parts;
}

static zn_body add_body(zn_parts *parts, const char *name, zn_body_type type, zn_shape_def shape, vec3 at) {
    zn_body_def def = zn_default_body_def();
    zn_body body;
    def.name = name, def.type = type, def.shape = shape, def.density = 1;
    vec3_store(at, def.position);
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

static void add_plane(zn_parts *parts, const char *name) {
    zn_geometry_def def = zn_default_geometry_def();
    def.name = name, def.type = ZN_GEOMETRY_PLANE, def.frame = zn_parts_body_frame(parts, zn_parts_world(parts));
    assert_int_equal(zn_parts_geometry(parts, &def, NULL), ZN_OK);
}

static void add_rule(zn_parts *parts, const char *name, const char *a, const char *b, double friction) {
    zn_collision_def def = zn_default_collision_def();
    zn_contact_law law = {.n_friction = 1, .friction = {friction}};
    def.name = name, def.a = a, def.b = b, def.law = &law;
    assert_int_equal(zn_parts_collide(parts, &def), ZN_OK);
}

static const zn_shape_def ball = {.type = ZN_SHAPE_SPHERE, .radius = 0.5}, box = {.type = ZN_SHAPE_BOX, .size = {1, 2, 3}};

static int find_shape(const contact_field *field, const char *name) {
    for (int i = 0; i < contact_field_shapes(field); i++)
        if (!strcmp(contact_field_shape_name(field, i), name)) return i;
    fail_msg("there is no shape '%s'", name);
    return -1;
}

static double gap_of(const zn_model *part, const int *q, const double *all_q) {
    static double own[CONTACT_FIELD_MOST], c0[8], work[100000];
    assert_true(part->work_bytes <= sizeof work);
    for (int i = 0; i < part->size.nq; i++) own[i] = all_q[q[i]];
    assert_int_equal(part->constraints(part, work, &(zn_point){.q = own}, &(zn_constraints){.c0 = c0}), 0);
    return c0[0];
}

/* A ball over a plane, beside a ball, and a corner of a box over the plane: parts stand on the coordinates of their bodies only. */
static void candidates_become_parts(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = begin(context);
    add_body(parts, "one", ZN_BODY_SPATIAL, ball, (vec3){0, 0, 2});
    add_body(parts, "two", ZN_BODY_SPATIAL, ball, (vec3){3, 0, 2});
    add_body(parts, "crate", ZN_BODY_SPATIAL, box, (vec3){0, 5, 4});
    add_plane(parts, "floor");
    add_rule(parts, "all", NULL, NULL, 0.5);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    zn_parts_destroy(parts); /* the field does not need it */
    const contact_field *field = contact_field_of(model);
    assert_non_null(field);
    assert_int_equal(contact_field_bodies(field), 4);
    assert_int_equal(contact_field_shapes(field), 4);
    collide_pose poses[4];
    contact_field_poses(field, 0, model->q_start, model->u_start, poses);
    check_close(poses[2].r[0], 3, 0);
    check_close(poses[3].A[0], 1, 0);

    collide_candidate on_floor = {.shape = {find_shape(field, "one"), find_shape(field, "floor")}, .side = 1, .n = {0, 0, 1}};
    on_floor.of[0] = (feature){.kind = FEATURE_BALL, .radius = 0.5, .side = 1};
    on_floor.of[1] = (feature){.kind = FEATURE_PLANE, .axis = {0, 0, 1}, .side = 1};
    collide_candidate two_balls = {.shape = {find_shape(field, "one"), find_shape(field, "two")}, .side = 1, .n = {-1, 0, 0}};
    two_balls.of[0] = on_floor.of[0];
    two_balls.of[1] = (feature){.kind = FEATURE_SPHERE, .radius = 0.5, .side = 1};
    collide_candidate corner = {
        .shape = {find_shape(field, "crate"), find_shape(field, "floor")}, .feature = {3, 0}, .side = 1, .n = {0, 0, 1}};
    corner.of[0] = (feature){.kind = FEATURE_BALL, .point = {0.5, 1, -1.5}, .side = 1};
    corner.of[1] = on_floor.of[1];
    const struct {
        const collide_candidate *candidate;
        const char *name;
        double gap;
        int nq, first_q;
    } expected[] = {{&on_floor, "one/floor", 1.5, 7, 0}, {&two_balls, "one/two", 2, 14, 0}, {&corner, "crate/floor.3.0", 2.5, 7, 14}};
    for (int i = 0; i < 3; i++) {
        zn_model *part = NULL;
        int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
        double pole[6];
        assert_int_equal(contact_field_instance(context, field, expected[i].candidate, NULL, pole, &part, q, u), ZN_OK);
        assert_int_equal(part->size.nq, expected[i].nq);
        assert_int_equal(part->size.n_contacts, 1);
        assert_int_equal(part->size.nF, 2);
        assert_string_equal(part->contacts[0].name, expected[i].name);
        check_close(part->contacts[0].balls[0].mu, 0.5, 0);
        assert_int_equal(q[0], expected[i].first_q);
        check_close(gap_of(part, q, model->q_start), expected[i].gap, 1e-15);
        zn_model_destroy(context, part);
    }
    zn_model_destroy(context, model);
    zn_context_destroy(context);
}

/* A pole is kept while the normal stays away from its opposite. */
static void poles_are_kept(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = begin(context);
    add_body(parts, "one", ZN_BODY_SPATIAL, ball, (vec3){0, 0, 2});
    add_body(parts, "two", ZN_BODY_SPATIAL, ball, (vec3){3, 0, 2});
    add_rule(parts, "all", NULL, NULL, 0.5);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    const contact_field *field = contact_field_of(model);
    collide_candidate c = {.shape = {0, 1}, .side = 1, .n = {-1, 0, 0}};
    c.of[0] = (feature){.kind = FEATURE_BALL, .radius = 0.5, .side = 1};
    c.of[1] = (feature){.kind = FEATURE_SPHERE, .radius = 0.5, .side = 1};
    double first[6], second[6];
    zn_model *part;
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
    assert_int_equal(contact_field_instance(context, field, &c, NULL, first, &part, q, u), ZN_OK);
    zn_model_destroy(context, part);
    c.n[0] = -0.8, c.n[1] = 0.6;
    assert_int_equal(contact_field_instance(context, field, &c, first, second, &part, q, u), ZN_OK);
    zn_model_destroy(context, part);
    assert_memory_equal(first, second, sizeof first);
    for (int i = 0; i < 3; i++) c.n[i] = -first[i];
    assert_int_equal(contact_field_instance(context, field, &c, first, second, &part, q, u), ZN_OK);
    zn_model_destroy(context, part);
    check_below(-0.5, vec3_dot(vec3_from(second), vec3_from(c.n)));
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* A prescribed body: its pose at t, its velocity, and a contact that moves with it. */
static void prescribed_bodies_take_part(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = zn_parts_create(context);
    assert_int_equal(zn_parts_parameter(parts, "a", 2), ZN_OK);
    zn_shape_def disk = {.type = ZN_SHAPE_DISK, .radius = 0.5};
    add_body(parts, "disk", ZN_BODY_PLANAR, disk, (vec3){0, 3, 0});
    zn_body_def def = zn_default_body_def();
    zn_body body;
    def.name = "lift", def.type = ZN_BODY_PRESCRIBED, def.motion[1] = ZN_FORMULA("a*t"), def.motion_angle = ZN_FORMULA("0.5*t");
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    zn_geometry_def plate = zn_default_geometry_def();
    plate.name = "plate", plate.type = ZN_GEOMETRY_PLANE, plate.frame = zn_parts_body_frame(parts, body);
    assert_int_equal(zn_parts_geometry(parts, &plate, NULL), ZN_OK);
    add_rule(parts, "all", NULL, NULL, 0.1);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    zn_parts_destroy(parts);
    const contact_field *field = contact_field_of(model);
    collide_pose poses[3];
    contact_field_poses(field, 0.5, model->q_start, model->u_start, poses);
    check_close(poses[2].r[1], 1, 1e-15);
    check_close(poses[2].v[1], 2, 1e-15);
    check_close(poses[2].omega[2], 0.5, 1e-15);
    check_close(poses[2].A[0], cos(0.25), 1e-15);
    check_close(poses[2].A[1], sin(0.25), 1e-15);
    collide_candidate c = {.shape = {find_shape(field, "disk"), find_shape(field, "plate")}, .side = 1, .n = {0, 1, 0}};
    c.of[0] = (feature){.kind = FEATURE_BALL, .radius = 0.5, .side = 1};
    c.of[1] = (feature){.kind = FEATURE_PLANE, .axis = {0, 1, 0}, .side = 1};
    zn_model *part;
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
    assert_int_equal(contact_field_instance(context, field, &c, NULL, NULL, &part, q, u), ZN_OK);
    check_close(gap_of(part, q, model->q_start), 2.5, 1e-15);
    assert_int_equal(part->size.nq, 3);
    zn_model_destroy(context, part);
    zn_model_destroy(context, model);
    zn_context_destroy(context);
}

/* ---- the search and the formulas ---- */

static double random_unit(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

static int seen[FEATURE_KIND_COUNT][FEATURE_KIND_COUNT]; /* pairs of features */

/* The gap that the search tells is that of the part, and the gradient of the gap by the place of the touching body is the normal. */
static void check_candidate(zn_context *context, const contact_field *field, const collide_candidate *c, const double *all_q) {
    seen[c->of[0].kind][c->of[1].kind]++;
    zn_model *part = NULL;
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST], touching = contact_field_body_of(field, c->shape[0]);
    double moved[64], pole[6];
    assert_int_equal(contact_field_instance(context, field, c, NULL, pole, &part, q, u), ZN_OK);
    double gap = gap_of(part, q, all_q);
    check_close(gap, c->gap, 1e-12);
    const bool planar = part->size.nF == 1;
    for (int i = 0; i < (planar ? 2 : 3) && touching; i++) {
        const double h = 1e-6;
        memcpy(moved, all_q, sizeof moved);
        int first = (touching - 1) * (planar ? 3 : 7);
        moved[first + i] += h;
        double up = gap_of(part, q, moved);
        moved[first + i] -= 2 * h;
        check_close((up - gap_of(part, q, moved)) / (2 * h), c->n[i], 1e-8);
    }
    zn_model_destroy(context, part);
}

/* Two bodies with these shapes and a plane, at random places near each other. */
static int search_and_check(const zn_shape_def *one, const zn_shape_def *two, bool planar, unsigned *seed) {
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = begin(context);
    zn_body_type type = planar ? ZN_BODY_PLANAR : ZN_BODY_SPATIAL;
    add_body(parts, "one", type, *one, (vec3){0, 2, 0});
    add_body(parts, "two", type, *two, (vec3){1, 2, 0});
    add_plane(parts, "floor");
    add_rule(parts, "all", NULL, NULL, 0.5);
    zn_model *model = NULL;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    const contact_field *field = contact_field_of(model);
    collide_world *world = contact_field_world(context, field);
    assert_non_null(world);
    collide_list list = {0};
    int found = 0, each = planar ? 3 : 7;
    for (int run = 0; run < 20; run++) {
        double q[64] = {0}, u[64] = {0};
        collide_pose poses[3];
        for (int i = 0; i < 2 * each; i++) q[i] = 2 * random_unit(seed) - 1;
        q[0] = 0.2 * q[0], q[each] = 1 + 0.2 * q[each];
        if (planar) q[1] = 0.5 * q[1], q[each + 1] = 0.5 * q[each + 1];
        contact_field_poses(field, 0, q, u, poses);
        assert_int_equal(collide_find(world, poses, 0.01, 0.5, &list), ZN_OK);
        for (size_t i = 0; i < list.count; i++, found++) check_candidate(context, field, &list.at[i], q);
    }
    mem_free(context, list.at);
    collide_destroy(world);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
    return found;
}

static void gaps_are_those_of_the_search(void **state) {
    (void)state;
    static const double corners[5][3] = {{0, 0, 0.4}, {0.4, 0, -0.2}, {-0.3, 0.3, -0.2}, {-0.3, -0.3, -0.2}, {0, 0, 0}};
    static const int faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    static const zn_shape_def shapes[] = {{.type = ZN_SHAPE_SPHERE, .radius = 0.3},
                                          {.type = ZN_SHAPE_BOX, .size = {0.6, 0.5, 0.4}},
                                          {.type = ZN_SHAPE_BOX, .size = {0.5, 0.4, 0.3}, .radius = 0.05},
                                          {.type = ZN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.6},
                                          {.type = ZN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.5},
                                          {.type = ZN_SHAPE_CONE, .radius = 0.3, .length = 0.6},
                                          {.type = ZN_SHAPE_ELLIPSOID, .size = {0.6, 0.5, 0.8}},
                                          {.type = ZN_SHAPE_POLYHEDRON, .n_points = 5, .points = corners},
                                          {.type = ZN_SHAPE_MESH, .n_points = 4, .points = corners, .n_triangles = 4, .triangles = faces}};
    static const double notched[5][3] = {{0.3, 0, 0}, {0, 0.3, 0}, {-0.3, 0, 0}, {0, 0.1, 0}, {0.05, -0.2, 0}};
    static const zn_shape_def planar_shapes[] = {{.type = ZN_SHAPE_DISK, .radius = 0.3},
                                                 {.type = ZN_SHAPE_BOX, .size = {0.6, 0.4}, .radius = 0.05},
                                                 {.type = ZN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.5},
                                                 {.type = ZN_SHAPE_POLYGON, .n_points = 5, .points = notched}};
    unsigned seed = 7;
    int found = 0;
    const int n = sizeof shapes / sizeof *shapes, n_planar = sizeof planar_shapes / sizeof *planar_shapes;
    for (int i = 0; i < n * n; i++) found += search_and_check(&shapes[i / n], &shapes[i % n], false, &seed);
    for (int i = 0; i < n_planar * n_planar; i++)
        found += search_and_check(&planar_shapes[i / n_planar], &planar_shapes[i % n_planar], true, &seed);
    print_message("%d candidates\n", found);
    for (int i = 0; i < FEATURE_KIND_COUNT * FEATURE_KIND_COUNT; i++)
        if (seen[i / FEATURE_KIND_COUNT][i % FEATURE_KIND_COUNT])
            print_message("  features %d on %d: %d\n", i / FEATURE_KIND_COUNT, i % FEATURE_KIND_COUNT,
                          seen[i / FEATURE_KIND_COUNT][i % FEATURE_KIND_COUNT]);
    assert_true(found > 500);
}

/* Taking in a candidate costs numbers: ten thousand are made in less time than compiling a hundred kinds would take. */
static void instances_are_cheap(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_parts *parts = begin(context);
    add_body(parts, "one", ZN_BODY_SPATIAL, ball, (vec3){0, 0, 2});
    add_plane(parts, "floor");
    add_rule(parts, "all", NULL, NULL, 0.5);
    zn_model *model = NULL, *part;
    assert_int_equal(zn_parts_build(parts, &model), ZN_OK);
    collide_candidate c = {.shape = {0, 1}, .side = 1, .n = {0, 0, 1}};
    c.of[0] = (feature){.kind = FEATURE_BALL, .radius = 0.5, .side = 1};
    c.of[1] = (feature){.kind = FEATURE_PLANE, .axis = {0, 0, 1}, .side = 1};
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
    struct timespec time[3];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time[0]);
    for (int i = 0; i < 10001; i++) {
        assert_int_equal(contact_field_instance(context, contact_field_of(model), &c, NULL, NULL, &part, q, u), ZN_OK);
        model_free(context, part);
        if (i == 0) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time[1]);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time[2]);
    double seconds[2];
    for (int i = 0; i < 2; i++)
        seconds[i] = (double)(time[i + 1].tv_sec - time[i].tv_sec) + 1e-9 * (double)(time[i + 1].tv_nsec - time[i].tv_nsec);
    print_message("the first: %.0f us, each further one: %.2f us\n", 1e6 * seconds[0], 1e2 * seconds[1]);
    check_below(seconds[1], 100 * seconds[0]);
    zn_model_destroy(context, model);
    zn_parts_destroy(parts);
    zn_context_destroy(context);
}

/* ---- memory ---- */

#define TRY(call)                             \
    do {                                      \
        if (status == ZN_OK) status = (call); \
    } while (0)

/* Groups, rules with exceptions, materials, moving bodies, shapes by points, and a candidate that becomes a part. */
static zn_status build_all(zn_context *context) {
    static const double corners[4][3] = {{0, 0, 0}, {0.4, 0, 0}, {0.1, 0.1, 0}, {0, 0.4, 0}},
                        hull[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double ground[9] = {-9, -1, 0, 0, -2, 0, 9, -1, 0};
    static const char *const members[] = {"stone", "plate"}, *const except[1][2] = {{"stone", "world"}};
    zn_parts *parts = zn_parts_create(context);
    if (!parts) return ZN_ERROR_MEMORY;
    zn_status status = ZN_OK;
    zn_mass mass;
    zn_shape_def tetrahedron = {.type = ZN_SHAPE_POLYHEDRON, .n_points = 4, .points = hull};
    TRY(zn_shape_mass(context, &tetrahedron, 1, false, &mass));
    TRY(zn_parts_parameter(parts, "a", 2));
    zn_body_def stone = zn_default_body_def(), lift = zn_default_body_def();
    zn_body body = {0};
    stone.name = "stone", stone.density = 1,
    stone.shape = (zn_shape_def){.type = ZN_SHAPE_POLYGON, .n_points = 4, .points = corners, .material = "wood"};
    TRY(zn_parts_body(parts, &stone, NULL));
    lift.name = "lift", lift.type = ZN_BODY_PRESCRIBED, lift.motion[1] = ZN_FORMULA("a*t - 1");
    TRY(zn_parts_body(parts, &lift, &body));
    zn_geometry_def plate = zn_default_geometry_def(), line = zn_default_geometry_def();
    plate.name = "plate", plate.type = ZN_GEOMETRY_BOX, plate.size[0] = plate.size[1] = 1, plate.frame = zn_parts_body_frame(parts, body),
    plate.material = "wood";
    TRY(zn_parts_geometry(parts, &plate, NULL));
    line.name = "ground", line.type = ZN_GEOMETRY_POLYLINE, line.n_points = 3, line.points = ground;
    line.frame = zn_parts_body_frame(parts, zn_parts_world(parts));
    TRY(zn_parts_geometry(parts, &line, NULL));
    zn_contact_law law = {.n_friction = 1, .friction = {0.5}};
    TRY(zn_parts_material_pair(parts, "wood", "wood", &law));
    TRY(zn_parts_group(parts, "things", 2, members));
    zn_collision_def rule = zn_default_collision_def();
    rule.name = "things", rule.a = "things";
    TRY(zn_parts_collide(parts, &rule));
    rule.name = "all", rule.a = NULL, rule.law = &law, rule.n_except = 1, rule.except = except;
    TRY(zn_parts_collide(parts, &rule));
    zn_model *model = NULL, *part = NULL;
    TRY(zn_parts_build(parts, &model));
    zn_parts_destroy(parts);
    const contact_field *field = model ? contact_field_of(model) : NULL;
    collide_candidate c = {
        .shape = {field ? find_shape(field, "stone") : 0, field ? find_shape(field, "plate") : 0}, .side = 1, .n = {0, 1, 0}};
    c.of[0] = (feature){.kind = FEATURE_BALL, .side = 1};
    c.of[1] = (feature){.kind = FEATURE_PLANE, .axis = {0, 1, 0}, .side = 1};
    int q[CONTACT_FIELD_MOST], u[CONTACT_FIELD_MOST];
    TRY(contact_field_instance(context, field, &c, NULL, NULL, &part, q, u));
    if (part) model_free(context, part);
    zn_model_destroy(context, model);
    return status;
}

static void memory_that_runs_out(void **state) {
    (void)state;
    counting_allocator count = COUNTING_ALLOCATOR;
    zn_context *context = counting_context(&count);
    assert_int_equal(build_all(context), ZN_OK);
    zn_context_destroy(context);
    assert_int_equal(count.live, 0);
    print_message("%ld requests\n", count.requests);
    for (long i = 0; i < count.requests; i++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        memory.fail_at = i;
        context = counting_context(&memory);
        if (context) assert_int_equal(build_all(context), ZN_ERROR_MEMORY);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates_become_parts),     cmocka_unit_test(poles_are_kept),
                                       cmocka_unit_test(prescribed_bodies_take_part), cmocka_unit_test(gaps_are_those_of_the_search),
                                       cmocka_unit_test(instances_are_cheap),         cmocka_unit_test(memory_that_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
