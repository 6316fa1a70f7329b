/* SPDX-License-Identifier: Apache-2.0 */
/* Motions of bodies in space: the free body against its analytic solution, what is kept, and that physics does not depend on
 * where the scene stands. */
#include "check.h"
#include "linalg/geometry.h"
#include "model/parts_mechanisms.h"

/* ---- Jacobi's elliptic functions, by the arithmetic-geometric mean ---- */

static void jacobi(double x, double m, double *sn, double *cn, double *dn) {
    double a[16] = {1}, c[16] = {sqrt(m)}, b = sqrt(1 - m), power = 1;
    int n = 0;
    while (fabs(c[n]) > 1e-17 && n < 15) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
        power *= 2;
    }
    double phi = power * a[n] * x;
    for (; n > 0; n--) phi = (asin(c[n] / a[n] * sin(phi)) + phi) / 2;
    *sn = sin(phi), *cn = cos(phi), *dn = sqrt(1 - m * *sn * *sn);
}

/* Omega(t) for moments I[0] < I[1] < I[2] and Omega(0) = (w1, 0, w3), L^2 > 2 T I2 (Landau and Lifshitz, Mechanics, 37). */
static void euler_top(const double *I, double w1, double w3, double t, double *Omega) {
    double energy = I[0] * w1 * w1 + I[2] * w3 * w3, L2 = I[0] * I[0] * w1 * w1 + I[2] * I[2] * w3 * w3; /* energy: 2 T */
    double rate = sqrt((I[2] - I[1]) * (L2 - energy * I[0]) / (I[0] * I[1] * I[2]));
    double m = (I[1] - I[0]) * (energy * I[2] - L2) / ((I[2] - I[1]) * (L2 - energy * I[0])), sn, cn, dn;
    jacobi(rate * t, m, &sn, &cn, &dn);
    Omega[0] = w1 * cn;
    Omega[1] = sqrt((energy * I[2] - L2) / (I[1] * (I[2] - I[1]))) * sn;
    Omega[2] = w3 * dn;
}

typedef struct motion {
    zn_context *context;
    zn_model *model;
    zn_simulation *simulation;
} motion;

static void start(motion *m, zn_parts *parts, const char *scheme, int stages, double step, double end) {
    zn_settings settings = zn_settings_default();
    settings.scheme = scheme, settings.stages = stages, settings.step = step, settings.end = end, settings.tolerance = 1e-13;
    if (zn_parts_build(parts, &m->model) != ZN_OK || zn_simulation_create(m->context, m->model, &settings, &m->simulation) != ZN_OK)
        fail_msg("%s: %s", scheme, zn_error_text(m->context));
    zn_parts_destroy(parts);
}

static void finish(motion *m) {
    zn_simulation_destroy(m->simulation);
    zn_model_destroy(m->context, m->model);
    zn_context_destroy(m->context);
}

static const double moments[3] = {1, 2, 3};

static motion make_top(const char *scheme, int stages, double step, double end) {
    motion m = {.context = zn_context_create(NULL)};
    zn_parts *parts = zn_parts_create(m.context);
    zn_body_def def = zn_default_body_def();
    def.name = "top", def.type = ZN_BODY_SPATIAL, def.mass = 1;
    for (int i = 0; i < 3; i++) def.inertia[i] = moments[i];
    def.rotation[1] = 0.5, def.rotation[2] = -0.3;
    def.angular_velocity[0] = 0.8, def.angular_velocity[2] = 1.1, def.velocity[0] = 0.4;
    assert_int_equal(zn_parts_body(parts, &def, NULL), ZN_OK);
    start(&m, parts, scheme, stages, step, end);
    return m;
}

static vec3 angular_momentum(const zn_simulation *s) {
    const double *q = zn_simulation_positions(s), *u = zn_simulation_velocities(s);
    mat3 A = quat_matrix(quat_from(q + 3));
    return mat3_apply(&A, (vec3){moments[0] * u[3], moments[1] * u[4], moments[2] * u[5]});
}

typedef struct top_errors {
    double omega, energy, momentum, norm;
} top_errors;

static top_errors run_top(const char *scheme, int stages, double step) {
    motion m = make_top(scheme, stages, step, 4);
    zn_simulation *s = m.simulation;
    vec3 L0 = angular_momentum(s);
    top_errors e = {0};
    double T0, T, V;
    zn_simulation_energy(s, &T0, &V);
    while (!zn_simulation_done(s)) {
        assert_int_equal(zn_simulation_step(s), ZN_OK);
        const double *q = zn_simulation_positions(s);
        zn_simulation_energy(s, &T, &V);
        e.energy = fmax(e.energy, fabs(T - T0));
        e.momentum = fmax(e.momentum, vec3_norm(vec3_sub(angular_momentum(s), L0)));
        e.norm = fmax(e.norm, fabs(quat_dot(quat_from(q + 3), quat_from(q + 3)) - 1));
        check_close(q[0], 0.4 * zn_simulation_time(s), 1e-12);
    }
    double Omega[3];
    euler_top(moments, 0.8, 1.1, 4, Omega);
    for (int i = 0; i < 3; i++) e.omega = fmax(e.omega, fabs(zn_simulation_velocities(s)[3 + i] - Omega[i]));
    finish(&m);
    return e;
}

/* Halving the step divides every error by 2^order (with a margin), and the quaternion stays one of length 1. */
static void a_free_body_moves_as_euler_says(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int stages, order;
        double step, allowed;
    } cases[] = {{"moreau-midpoint", 0, 1, 0.01, 1e-1}, {"rattle", 0, 2, 0.01, 1e-3},           {"lobatto-3a3b", 3, 4, 0.04, 1e-4},
                 {"radau-2a", 2, 3, 0.02, 1e-4},        {"radau-2a", 3, 5, 0.08, 1e-4},         {"lobatto-3c", 3, 4, 0.04, 1e-4},
                 {"tr-bdf2", 0, 2, 0.01, 1e-3},         {"generalized-alpha", 0, 2, 0.01, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        top_errors coarse = run_top(cases[i].scheme, cases[i].stages, cases[i].step),
                   fine = run_top(cases[i].scheme, cases[i].stages, cases[i].step / 2);
        double gain = pow(2, cases[i].order - 0.35);
        check_below(coarse.omega, cases[i].allowed);
        check_below(fine.omega, coarse.omega / gain + 1e-11);
        check_below(fine.energy, coarse.energy / gain + 1e-11);
        check_below(fine.momentum, coarse.momentum / gain + 1e-11);
        check_below(coarse.norm, 1e-14);
    }
}

/* ---- invariance ---- */

/* A motion of space: x -> R x + s. */
typedef struct placement {
    quat p;
    vec3 s;
} placement;

static void place_point(const placement *by, double *x) {
    mat3 R = quat_matrix(by->p);
    vec3_store(vec3_add(mat3_apply(&R, vec3_from(x)), by->s), x);
}

static void place_direction(const placement *by, double *x) {
    mat3 R = quat_matrix(by->p);
    vec3_store(mat3_apply(&R, vec3_from(x)), x);
}

/* Two bodies on a hinge and a ball joint, a spring to the world, gravity, started by projection-free consistent numbers. */
static motion make_placed(const placement *by, const char *scheme, int stages) {
    motion m = {.context = zn_context_create(NULL)};
    zn_parts *parts = zn_parts_create(m.context);
    double gravity[3] = {0, 0, -9.81}, hinge[3] = {0, 0, 0}, axis[3] = {0.2, 1, 0.1}, ball[3] = {1, 0, 0.2}, wall[3] = {2, 1, 1};
    place_direction(by, gravity), place_point(by, hinge), place_direction(by, axis), place_point(by, ball), place_point(by, wall);
    assert_int_equal(zn_parts_gravity(parts, gravity), ZN_OK);
    zn_body bodies[2];
    for (int i = 0; i < 2; i++) {
        zn_body_def def = zn_default_body_def();
        def.name = i ? "lower" : "upper", def.type = ZN_BODY_SPATIAL, def.mass = 1 + i;
        const double inertia[6] = {0.3, 0.4, 0.5, 0.02, -0.01, 0.03};
        memcpy(def.inertia, inertia, sizeof inertia);
        def.position[0] = 0.5 + i, def.position[2] = 0.1;
        place_point(by, def.position);
        memcpy(def.rotation, by->p.p, sizeof by->p.p);
        assert_int_equal(zn_parts_body(parts, &def, &bodies[i]), ZN_OK);
    }
    zn_joint_def joint = zn_default_joint_def();
    joint.name = "hinge";
    assert_int_equal(zn_parts_frame_at(parts, zn_parts_world(parts), NULL, hinge, axis, &joint.a), ZN_OK);
    assert_int_equal(zn_parts_frame_at(parts, bodies[0], NULL, hinge, axis, &joint.b), ZN_OK);
    assert_int_equal(zn_parts_joint(parts, &joint), ZN_OK);
    joint.name = "ball", joint.type = ZN_JOINT_SPHERICAL;
    assert_int_equal(zn_parts_frame_at(parts, bodies[0], NULL, ball, NULL, &joint.a), ZN_OK);
    assert_int_equal(zn_parts_frame_at(parts, bodies[1], NULL, ball, NULL, &joint.b), ZN_OK);
    assert_int_equal(zn_parts_joint(parts, &joint), ZN_OK);
    zn_force_def spring = zn_default_force_def();
    spring.name = "spring", spring.stiffness = 20, spring.damping = 0.5, spring.length = 1,
    spring.b = zn_parts_body_frame(parts, bodies[1]);
    assert_int_equal(zn_parts_frame(parts, zn_parts_world(parts), "wall", wall, NULL, &spring.a), ZN_OK);
    assert_int_equal(zn_parts_force(parts, &spring), ZN_OK);
    start(&m, parts, scheme, stages, 0.01, 1);
    return m;
}

static void moving_the_scene_moves_the_result(void **state) {
    (void)state;
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    const placement here = {quat_identity(), {0, 0, 0}}, there = {quat_normalised((quat){{0.3, -0.8, 0.5, 0.2}}), {3, -2, 1}};
    for (int i = 0; i < 4; i++) {
        motion a = make_placed(&here, schemes[i], 0), b = make_placed(&there, schemes[i], 0);
        assert_int_equal(zn_simulation_run(a.simulation, NULL, NULL), ZN_OK);
        assert_int_equal(zn_simulation_run(b.simulation, NULL, NULL), ZN_OK);
        const double *q = zn_simulation_positions(a.simulation), *moved = zn_simulation_positions(b.simulation);
        const double *u = zn_simulation_velocities(a.simulation), *moved_u = zn_simulation_velocities(b.simulation);
        double travelled = 0;
        for (int body = 0; body < 2; body++) {
            double r[3], v[3];
            memcpy(r, q + 7 * body, sizeof r), memcpy(v, u + 6 * body, sizeof v);
            place_point(&there, r), place_direction(&there, v);
            quat p = quat_product(there.p, quat_from(q + 7 * body + 3));
            double sign = quat_dot(p, quat_from(moved + 7 * body + 3)) < 0 ? -1 : 1;
            for (int k = 0; k < 3; k++) {
                check_close(moved[7 * body + k], r[k], 1e-9);
                check_close(moved_u[6 * body + k], v[k], 1e-9);
                check_close(moved_u[6 * body + 3 + k], u[6 * body + 3 + k], 1e-9);
            }
            for (int k = 0; k < 4; k++) check_close(moved[7 * body + 3 + k], sign * p.p[k], 1e-9);
            travelled += fabs(q[7 * body] - a.model->q_start[7 * body]);
        }
        assert_true(travelled > 0.1);
        finish(&a);
        finish(&b);
    }
}

/* A wheel driven with an angle a t^2/2: the gear makes the other turn; a prescribed crank does the same as a drive. */
static void drives_and_gears_turn(void **state) {
    (void)state;
    motion m = {.context = zn_context_create(NULL)};
    zn_parts *parts = zn_parts_create(m.context);
    zn_body wheels[2];
    zn_frame world = zn_parts_body_frame(parts, zn_parts_world(parts));
    for (int i = 0; i < 2; i++) {
        zn_body_def def = zn_default_body_def();
        def.name = i ? "large" : "small", def.mass = 1, def.inertia[2] = 1 + i, def.position[0] = 3 * i;
        assert_int_equal(zn_parts_body(parts, &def, &wheels[i]), ZN_OK);
        zn_joint_def pin = zn_default_joint_def();
        pin.name = i ? "pin2" : "pin1";
        assert_int_equal(zn_parts_frame_at(parts, zn_parts_world(parts), NULL, def.position, NULL, &pin.a), ZN_OK);
        pin.b = zn_parts_body_frame(parts, wheels[i]);
        assert_int_equal(zn_parts_joint(parts, &pin), ZN_OK);
    }
    zn_joint_def drive = zn_default_joint_def();
    drive.name = "drive", drive.type = ZN_JOINT_ANGLE_DRIVE, drive.a = world, drive.b = zn_parts_body_frame(parts, wheels[0]),
    drive.drive = ZN_FORMULA("10*t^2/2");
    assert_int_equal(zn_parts_joint(parts, &drive), ZN_OK);
    zn_joint_def gear = zn_default_joint_def();
    gear.name = "gear", gear.type = ZN_JOINT_GEAR, gear.ratio = 2, gear.a = drive.b, gear.b = zn_parts_body_frame(parts, wheels[1]);
    assert_int_equal(zn_parts_joint(parts, &gear), ZN_OK);
    start(&m, parts, "radau-2a", 2, 0.01, 2);
    assert_int_equal(zn_simulation_run(m.simulation, NULL, NULL), ZN_OK);
    check_close(zn_simulation_positions(m.simulation)[2], 20, 1e-9); /* three turns and more */
    check_close(zn_simulation_velocities(m.simulation)[2], 20, 1e-9);
    check_close(zn_simulation_velocities(m.simulation)[5], -10, 1e-9);
    check_close(zn_simulation_positions(m.simulation)[5], -10, 1e-6);
    finish(&m);
}

/* A damped oscillator: what the damper took is what is missing, to second order in the step. */
static void energy_is_accounted_for(void **state) {
    (void)state;
    motion m = {.context = zn_context_create(NULL)};
    zn_parts *parts = zn_parts_create(m.context);
    zn_body_def def = zn_default_body_def();
    zn_body ball;
    def.name = "ball", def.type = ZN_BODY_PARTICLE_2D, def.mass = 2, def.position[0] = 1;
    assert_int_equal(zn_parts_body(parts, &def, &ball), ZN_OK);
    zn_force_def spring = zn_default_force_def();
    spring.name = "spring", spring.stiffness = 8, spring.damping = 0.5;
    spring.a = zn_parts_body_frame(parts, zn_parts_world(parts)), spring.b = zn_parts_body_frame(parts, ball);
    assert_int_equal(zn_parts_force(parts, &spring), ZN_OK);
    start(&m, parts, "radau-2a", 3, 0.01, 2);
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(m.context, m.simulation, &account), ZN_OK);
    while (!zn_simulation_done(m.simulation)) {
        assert_int_equal(zn_simulation_step(m.simulation), ZN_OK);
        assert_int_equal(zn_account_update(account), ZN_OK);
    }
    zn_part_account all = zn_account_total(account), damper = zn_account_part(account, 1);
    double T, V;
    zn_simulation_energy(m.simulation, &T, &V);
    check_close(all.kinetic + all.potential, T + V, 1e-13);
    check_close(damper.work, T + V - 4, 1e-4);
    check_below(damper.work, -1);
    check_close(all.lost, 0, 1e-4);
    check_close(zn_account_part(account, 0).work, 0, 0);
    zn_account_destroy(account);
    finish(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_moves_as_euler_says),
        cmocka_unit_test(moving_the_scene_moves_the_result),
        cmocka_unit_test(drives_and_gears_turn),
        cmocka_unit_test(energy_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
