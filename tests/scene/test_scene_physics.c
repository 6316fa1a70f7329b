/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes of the papers move as the papers say: a wrong sign in a formula cannot hide. One scheme of first order is enough
 * for that, so the tolerances are a few steps h, or exact where the scheme is. */
#include "scene_check.h"

typedef struct motion {
    zn_context *context;
    zn_scene *scene;
    zn_simulation *simulation;
    const double *q, *u;
} motion;

static motion run(const char *name, double step, double end) {
    motion m = {.context = zn_context_create(NULL)};
    char path[512];
    snprintf(path, sizeof path, ZENO_SOURCE_DIR "/scenes/%s.yaml", name);
    zn_status status = zn_scene_load(m.context, path, NULL, &m.scene);
    assert_int_equal(status, ZN_OK);
    zn_settings settings = *zn_scene_settings(m.scene);
    settings.scheme = "moreau-midpoint";
    settings.stages = 0;
    settings.step = step;
    settings.end = end;
    status = zn_simulation_create(m.context, zn_scene_model(m.scene), &settings, &m.simulation);
    if (status == ZN_OK) status = zn_simulation_run(m.simulation, NULL, NULL);
    if (status != ZN_OK) print_error("%s: %s\n", name, zn_error_text(m.context));
    assert_int_equal(status, ZN_OK);
    m.q = zn_simulation_positions(m.simulation);
    m.u = zn_simulation_velocities(m.simulation);
    return m;
}

static void finish(motion *m) {
    zn_simulation_destroy(m->simulation);
    zn_scene_destroy(m->scene);
    zn_context_destroy(m->context);
}

static void test_balls(void **state) {
    (void)state;
    motion m = run("rotating-ball", 1e-3, 2); /* rolls: u_x = -R omega, 2/7 of the spin is left */
    check_close(m.u[0], -10. / 7, 1e-9);
    check_close(m.u[2], 100. / 7, 1e-8);
    finish(&m);
    m = run("rotating-ball-stick", 1e-3, 2);
    check_close(m.u[0], -2. / 7, 1e-9);
    finish(&m);
    m = run("rolling-ball", 1e-3, 2.5);
    check_close(m.q[0], 0.824, 1e-6);
    check_close(m.q[2], -6.44, 1e-5);
    finish(&m);
    m = run("ball-in-cylinder", 5e-4, 1);
    check_close(m.q[0], 0.80839905, 5e-3);
    check_close(m.q[1], -0.39558940, 5e-3);
    check_close(m.q[2], -12.2475438, 5e-2);
    finish(&m);
    m = run("ball-in-corner", 2e-3, 2); /* rests in the corner */
    check_close(m.q[0], 0, 1e-4);
    check_close(m.q[1], 0.1 * sqrt(2), 1e-4);
    finish(&m);
}

static void test_points_and_pendulums(void **state) {
    (void)state;
    motion m = run("slope", 2e-4, 0.8192);
    check_close(m.q[0], 1.09289185303, 2e-4);
    check_close(m.q[1], 0.33524560952, 2e-4);
    check_close(m.u[0], 2.25581335701, 5e-4);
    finish(&m);
    m = run("slope-drop", 2e-4, 0.8192);
    check_close(m.q[0], 0.9973042131, 1e-3);
    check_close(m.q[1], 0.3688725037, 1e-3);
    finish(&m);
    m = run("cartesian-pendulum", 2e-4, 2.5); /* first order: with half the step half the error, and none in 2 q(h/2) - q(h) */
    motion half = run("cartesian-pendulum", 1e-4, 2.5);
    const double exact[] = {0.99986641, -0.01634492};
    for (int i = 0; i < 2; i++) {
        check_close((m.q[i] - exact[i]) / (half.q[i] - exact[i]), 2, 0.05);
        check_close(2 * half.q[i] - m.q[i], exact[i], 1e-5);
    }
    finish(&half);
    finish(&m);
    m = run("bouncing-ball", 1e-3, 4); /* after the accumulation point it rests */
    check_close(m.q[0], 0, 1e-5);      /* half of g h^2 deep at most */
    check_close(m.u[0], 0, 1e-9);
    finish(&m);
    m = run("bouncing-pendulum", 5e-4, 2); /* rests against the wall */
    check_close(m.q[0], sqrt(0.5), 1e-5);
    finish(&m);
}

static void test_mechanisms(void **state) {
    (void)state;
    motion m = run("block-on-belt-light", 1e-3, 3.99); /* sticks until c x = mu_s N */
    check_close(m.u[0], 0.2, 1e-9);
    check_close(m.q[0], 0.998, 1e-9);
    finish(&m);
    m = run("block-on-belt-light", 1e-3, 4.5);
    assert_true(m.u[0] < 0.2 - 1e-3);
    finish(&m);
    m = run("slider-crank", 1e-5, 0.001);
    check_close(m.q[2], 0.146090844, 2e-5);
    finish(&m);
    m = run("sleigh", 1e-3, 5);                    /* straight ahead with all energy in v */
    check_close(m.u[0], 1.2489995947507837, 4e-4); /* hyperbolic tangent and secant */
    check_close(m.u[1], 2.965561631e-4, 1e-5);
    finish(&m);
    m = run("woodpecker", 1e-4, 1); /* -0.0194 in each period of 0.1459 */
    motion later = run("woodpecker", 1e-4, 1 + 2 * 0.1459);
    check_close(later.q[0] - m.q[0], -2 * 0.0194, 1e-3);
    finish(&later);
    finish(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balls), cmocka_unit_test(test_points_and_pendulums),
                                       cmocka_unit_test(test_mechanisms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
