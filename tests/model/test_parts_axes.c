/* SPDX-License-Identifier: Apache-2.0 */
/* The axis of a joint: whatever the direction, the type of joint, the kinds of the bodies and their order, a joint that is placed by
 * a point and an axis closes at the start, and lets the motions pass that its type says, relative to that axis. */
#include "check.h"
#include "linalg/geometry.h"
#include "model/parts_mechanisms.h"

#include <string.h>

/* Which motions of one body against the other a joint lets pass: turning about the axis and across it, sliding along and across. In
 * the plane turning is about z, and across means across in the plane. '?': depends on the direction across. */
typedef struct freedom {
    zn_joint_type type;
    const char *space, *plane; /* turn about, turn across, slide along, slide across; plane NULL: space only */
} freedom;

static const freedom freedoms[] = {
    {ZN_JOINT_REVOLUTE, "1000", "1000"},     {ZN_JOINT_SPHERICAL, "1100", "1000"},     {ZN_JOINT_PRISMATIC, "0010", "0010"},
    {ZN_JOINT_CYLINDRICAL, "1010", NULL},    {ZN_JOINT_UNIVERSAL, "1?00", NULL},       {ZN_JOINT_FIXED, "0000", "0000"},
    {ZN_JOINT_PLANAR, "1001", NULL},         {ZN_JOINT_POINT_ON_LINE, "1110", "1010"}, {ZN_JOINT_MOTOR, "0111", "0011"},
    {ZN_JOINT_SLIDER_MOTOR, "1101", "1001"}, {ZN_JOINT_ANGLE_DRIVE, "0111", "0011"},   {ZN_JOINT_POSITION_DRIVE, "1101", "1001"},
};

static vec3 random_vector(uint64_t *seed) {
    double x = random_number(seed), y = random_number(seed);
    return (vec3){x, y, random_number(seed)};
}

/* The i-th of some directions: those of I and their opposites, then random ones. */
static vec3 make_axis(uint64_t *seed, int i, bool planar) {
    static const vec3 plain[] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, -1}, {1, 1, 0}, {0, -3, 4}};
    if (i < (planar ? 2 : 8)) return plain[i];
    vec3 random = random_vector(seed);
    if (planar) random.z = 0;
    return random;
}

typedef struct pair {
    zn_parts *parts;
    zn_body still, moved; /* moved is free */
    zn_body_type moved_type;
    zn_frame at_still, at_moved;
    vec3 point, axis;
    bool planar;
} pair;

/* type -1: the world. A prescribed body has an angle about z (planar) or about an axis of its own. */
static zn_body add_body(zn_parts *parts, uint64_t *seed, const char *name, int type, bool turned) {
    zn_body body = zn_parts_world(parts);
    if (type < 0) return body;
    zn_body_def def = random_body(seed, name, (zn_body_type)type);
    if (type == ZN_BODY_PRESCRIBED) {
        def = zn_default_body_def();
        def.name = name, def.type = ZN_BODY_PRESCRIBED;
        def.motion[0] = ZN_FORMULA("0.3 + t"), def.motion[1] = ZN_FORMULA("sin(t)");
        def.motion_angle = ZN_FORMULA("0.4 - t");
        if (turned) def.motion_axis[0] = 1, def.motion_axis[1] = -2;
    }
    assert_int_equal(zn_parts_body(parts, &def, &body), ZN_OK);
    return body;
}

/* Velocities u of the moved body: turning with omega about the point, and sliding with v. */
static void set_motion(const pair *p, const zn_model *model, vec3 omega, vec3 v, double *u) {
    const double *q = model->q_start; /* the moved body was added first */
    bool flat = p->moved_type == ZN_BODY_PARTICLE_2D || p->moved_type == ZN_BODY_PLANAR;
    vec3 r = {q[0], q[1], flat ? 0 : q[2]}, V = vec3_add(v, vec3_cross(omega, vec3_sub(r, p->point)));
    memset(u, 0, (size_t)model->size.nu * sizeof *u);
    u[0] = V.x, u[1] = V.y;
    if (!flat) u[2] = V.z;
    if (p->moved_type == ZN_BODY_PLANAR) u[2] = omega.z;
    if (p->moved_type != ZN_BODY_SPATIAL) return;
    mat3 A = quat_matrix(quat_from(q + 3));
    vec3_store(mat3_apply_transposed(&A, omega), u + 3);
}

static double largest_rate(const pair *p, const zn_model *model, vec3 omega, vec3 v) {
    int rows = model->size.ng + model->size.ny;
    double u[32], rest[16], c1[16], largest = 0;
    void *work = test_malloc(model->work_bytes + 1);
    assert_true(model->size.nu <= 32 && rows <= 16);
    memset(u, 0, sizeof u);
    zn_point at = {.t = 0, .q = model->q_start, .u = u};
    assert_int_equal(model->constraints(model, work, &at, &(zn_constraints){.c1 = rest}), 0);
    set_motion(p, model, omega, v, u);
    assert_int_equal(model->constraints(model, work, &at, &(zn_constraints){.c1 = c1}), 0);
    for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(c1[i] - rest[i]));
    test_free(work);
    return largest;
}

static void check_freedom(const pair *p, const zn_model *model, const freedom *f) {
    const char *wanted = p->planar ? f->plane : f->space;
    vec3 e = vec3_normalised(p->axis), helper = fabs(e.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 across = vec3_normalised(p->planar ? (vec3){-e.y, e.x, 0} : vec3_cross(e, helper)), none = {0, 0, 0}, z = {0, 0, 1};
    const vec3 turns[4] = {p->planar ? z : e, across, none, none}, slides[4] = {none, none, e, across};
    bool point = p->moved_type == ZN_BODY_PARTICLE_2D || p->moved_type == ZN_BODY_PARTICLE_3D;
    for (int i = 0; i < 4; i++) {
        if (wanted[i] == '?' || (i < 2 && point) || (i == 1 && p->planar)) continue;
        double rate = largest_rate(p, model, turns[i], slides[i]);
        if (wanted[i] == '1' ? rate < 1e-12 : rate > 0.5) continue;
        fail_msg("joint %d, axis (%g, %g, %g): motion %d has the rate %g", (int)f->type, p->axis.x, p->axis.y, p->axis.z, i, rate);
    }
}

/* One joint; false: it is not for these bodies. */
static bool try_joint(zn_context *context, pair *p, const freedom *f, bool still_first) {
    zn_joint_def def = zn_default_joint_def();
    double point[3], axis[3], g[16];
    vec3_store(p->point, point), vec3_store(p->axis, axis);
    assert_int_equal(zn_parts_frame_at(p->parts, p->still, NULL, point, axis, &p->at_still), ZN_OK);
    assert_int_equal(zn_parts_frame_at(p->parts, p->moved, NULL, point, axis, &p->at_moved), ZN_OK);
    def.name = "joint", def.type = f->type;
    def.a = still_first ? p->at_still : p->at_moved, def.b = still_first ? p->at_moved : p->at_still;
    if (f->type >= ZN_JOINT_MOTOR) def.drive = ZN_FORMULA("0*t");
    zn_status status = zn_parts_joint(p->parts, &def);
    bool point_bodies = p->moved_type == ZN_BODY_PARTICLE_2D || p->moved_type == ZN_BODY_PARTICLE_3D;
    if (status != ZN_OK) {
        if (!(p->planar && !f->plane) && !(point_bodies && (f->type == ZN_JOINT_MOTOR || f->type == ZN_JOINT_ANGLE_DRIVE)))
            fail_msg("%s", zn_error_text(context));
        return false;
    }
    zn_model *model;
    assert_int_equal(zn_parts_build(p->parts, &model), ZN_OK);
    void *work = test_malloc(model->work_bytes + 1);
    zn_point at = {.t = 0, .q = model->q_start, .u = model->u_start};
    assert_int_equal(model->constraints(model, work, &at, &(zn_constraints){.c0 = g}), 0);
    for (int i = 0; i < model->size.ng; i++)
        if (!(fabs(g[i]) < 1e-12))
            fail_msg("joint %d, axis (%g, %g, %g): row %d is open by %g", (int)f->type, axis[0], axis[1], axis[2], i, g[i]);
    test_free(work);
    check_freedom(p, model, f);
    zn_model_destroy(context, model);
    return true;
}

/* All kinds of bodies (-1: the world, 5: prescribed in space) in both orders with all joints about many axes. */
static void every_joint_about_every_axis(void **state) {
    (void)state;
    uint64_t seed = 7;
    int closed = 0;
    zn_context *context = zn_context_create(NULL);
    for (int moved = ZN_BODY_PARTICLE_2D; moved <= ZN_BODY_SPATIAL; moved++)
        for (int still = -1; still <= ZN_BODY_PRESCRIBED + 1; still++)
            for (size_t j = 0; j < sizeof freedoms / sizeof *freedoms; j++)
                for (int i = 0; i < 5; i++) {
                    bool flat = moved == ZN_BODY_PARTICLE_2D || moved == ZN_BODY_PLANAR,
                         flat_still = still == ZN_BODY_PARTICLE_2D || still == ZN_BODY_PLANAR || still == ZN_BODY_PRESCRIBED;
                    pair p = {.moved_type = (zn_body_type)moved, .planar = flat && (flat_still || still < 0)};
                    if (flat && !p.planar) continue; /* the freedoms of a planar body in space are fewer than the joint's */
                    p.parts = zn_parts_create(context);
                    p.moved = add_body(p.parts, &seed, "moved", moved, false);
                    p.still = add_body(p.parts, &seed, "still", still > ZN_BODY_PRESCRIBED ? ZN_BODY_PRESCRIBED : still,
                                       still > ZN_BODY_PRESCRIBED);
                    p.point = random_vector(&seed);
                    if (flat || flat_still) p.point.z = 0;
                    p.axis = make_axis(&seed, (2 * i + (int)j) % 10, p.planar);
                    closed += try_joint(context, &p, &freedoms[j], i % 2 == (int)j % 2);
                    zn_error_clear(context);
                    zn_parts_destroy(p.parts);
                }
    assert_true(closed > 600);
    zn_context_destroy(context);
}

/* The same as texts: a rod that swings about a horizontal axis, world first and second; and frames with an axis of their own. */
static void scenes_about_horizontal_axes(void **state) {
    (void)state;
    static const char *const joints[] = {
        "pin: {type: revolute, between: [world, rod], at: [0, 0, 0], axis: [0, 1, 0]}",
        "pin: {type: revolute, between: [rod, world], at: [0, 0, 0], axis: [0, 1, 0]}",
        "pin: {type: revolute, between: [rod, world], at: [0, 0, 0], axis: [0, -2]}",
        "pin: {type: revolute, between: [world.pin, rod.pin]}",
        "pin: {type: revolute, between: [rod.pin, world.pin]}",
    };
    zn_context *context = zn_context_create(NULL);
    double first = 0;
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -10]\n"
                 "bodies: {rod: {type: spatial, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}}\n"
                 "frames: {world.pin: {at: [0, 0, 0], axis: [0, 1, 0]}, rod.pin: {at: [-0.5, 0, 0], axis: [0, 1]}}\n"
                 "joints: {%s}\nsimulation: {scheme: rattle, step: 1e-2, end: 0.3}\n",
                 joints[i]);
        zn_scene *scene = NULL;
        zn_simulation *simulation = NULL;
        zn_status status = zn_scene_parse(context, "test", text, NULL, &scene);
        if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation);
        if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
        if (status != ZN_OK) fail_msg("%s: %s", joints[i], zn_error_text(context));
        double z = zn_simulation_positions(simulation)[2];
        if (i == 0) first = z;
        /* It falls as a rod on a hinge: z'' = -0.5 m g l/(J + m l^2) at the start; the same motion whatever names the hinge. */
        check_close(z, first, 1e-9);
        assert_true(z < -0.2 && z > -0.5);
        zn_simulation_destroy(simulation);
        zn_scene_destroy(scene);
    }
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_about_every_axis),
        cmocka_unit_test(scenes_about_horizontal_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
