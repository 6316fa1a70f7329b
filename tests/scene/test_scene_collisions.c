/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes whose shapes find each other: what must come out of them. */
#include "scene_check.h"

static const double pi = 3.14159265358979323846;

typedef struct run {
    zn_context *context;
    zn_scene *scene;
    zn_simulation *simulation;
    const zn_model *model;
} run;

static run begin(const char *name, const char *set) {
    run r = {.context = zn_context_create(NULL)};
    char path[1024];
    snprintf(path, sizeof path, ZENO_SOURCE_DIR "/scenes/%s.yaml", name);
    zn_scene_options options = {.n_sets = set ? 1 : 0, .sets = &set};
    if (zn_scene_load(r.context, path, &options, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    r.model = zn_scene_model(r.scene);
    if (zn_simulation_create(r.context, r.model, zn_scene_settings(r.scene), &r.simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(r.context));
    return r;
}

static bool step(run *r) {
    if (zn_simulation_done(r->simulation)) return false;
    if (zn_simulation_step(r->simulation) != ZN_OK) fail_msg("%s", zn_error_text(r->context));
    return true;
}

static double value(const run *r, const char *name) {
    for (int i = 0; i < r->model->size.nq; i++)
        if (!strcmp(r->model->q_names[i], name)) return zn_simulation_positions(r->simulation)[i];
    fail_msg("no coordinate %s", name);
    return 0;
}

static double fastest(const run *r) {
    double most = 0;
    for (int i = 0; i < r->model->size.nu; i++) most = larger(most, fabs(zn_simulation_velocities(r->simulation)[i]));
    return most;
}

static void end(run *r) {
    zn_simulation_destroy(r->simulation);
    zn_scene_destroy(r->scene);
    zn_context_destroy(r->context);
}

/* How deep corners of the crate are in the stairs, or noses of the stairs in the crate: by their coordinates, not by contacts. */
static double depth_in_stairs(double x, double y, double phi) {
    const double a = 0.3, w = 0.3, h = 0.18;
    double deepest = 0, c = cos(phi), s = sin(phi);
    for (int k = 0; k < 4; k++) {
        double u = (k & 1 ? 1 : -1) * a / 2, v = (k & 2 ? 1 : -1) * a / 2, px = x + c * u - s * v, py = y + s * u + c * v;
        for (int i = 0; i <= 5; i++) { /* the block left of i w, as high as (6 - i) h; the floor */
            double right = i < 5 ? (i + 1) * w - px : INFINITY, below = (5 - i) * h - py;
            deepest = larger(deepest, right < below ? right : below);
        }
    }
    for (int i = 1; i <= 5; i++) {
        double dx = i * w - x, dy = (6 - i) * h - y, u = fabs(c * dx + s * dy), v = fabs(-s * dx + c * dy);
        deepest = larger(deepest, a / 2 - larger(u, v));
    }
    return deepest;
}

static void a_crate_tumbles_down_stairs(void **state) {
    (void)state;
    run r = begin("stairs", NULL);
    while (step(&r)) check_below(depth_in_stairs(value(&r, "crate.x"), value(&r, "crate.y"), value(&r, "crate.phi")), 1e-10);
    check_close(value(&r, "crate.y"), 0.15, 1e-10);
    check_close(sin(2 * value(&r, "crate.phi")), 0, 1e-9);
    check_below(1.5, value(&r, "crate.x"));
    check_below(fastest(&r), 1e-9);
    end(&r);
}

/* 2 mu F against m (g + a): 20 holds, 8 does not. */
static void a_gripper_holds_by_friction(void **state) {
    (void)state;
    run r = begin("gripper", NULL);
    while (step(&r)) {}
    check_close(value(&r, "load.y"), 0.1 + 0.1 * 1.5 * 1.5, 1e-9);
    check_close(value(&r, "load.phi"), 0, 1e-9);
    end(&r);
    r = begin("gripper", "mu=0.2");
    while (step(&r)) {}
    check_close(value(&r, "load.y"), 0.1, 1e-9); /* stays where it stood */
    end(&r);
}

/* The slots are wider than the pin by a tenth of its radius: that much play has the wheel, at the depth of a slot. */
static void a_geneva_wheel_makes_quarter_turns(void **state) {
    (void)state;
    run r = begin("geneva", NULL);
    const double play = 0.02 / 0.4;
    int turns = 0;
    while (step(&r)) {
        double t = zn_simulation_time(r.simulation);
        if (t < turns + 1 - 1e-9) continue;
        turns++; /* the pin is far from the wheel */
        check_close(value(&r, "wheel.phi"), -turns * pi / 2, play);
    }
    assert_int_equal(turns, 3);
    end(&r);
}

static void a_ratchet_turns_one_way(void **state) {
    (void)state;
    run r = begin("ratchet", NULL);
    double least = 0;
    while (step(&r)) {
        double phi = value(&r, "wheel.phi");
        least = smaller(least, phi);
        check_below(phi - least, 2 * pi / 12 + 0.02); /* back by one of its twelve teeth at most */
    }
    check_below(least, -3);
    end(&r);
}

/* Nothing moves, and the floor carries the weight of all: n (n + 1)/2 bricks of 2 kg. */
static void stands(const char *rows, int bricks, int steps) {
    run r = begin("pyramid", rows);
    double *start = malloc((size_t)r.model->size.nq * sizeof *start), carried = 0;
    memcpy(start, zn_simulation_positions(r.simulation), (size_t)r.model->size.nq * sizeof *start);
    for (int i = 0; i < steps; i++) assert_true(step(&r));
    for (int i = 0; i < r.model->size.nq; i++) check_close(zn_simulation_positions(r.simulation)[i], start[i], 1e-11);
    for (int i = 0; i < zn_simulation_pair_count(r.simulation); i++) {
        zn_pair_total pair = zn_simulation_pair(r.simulation, i);
        if (!strcmp(pair.bodies[0], "world") || !strcmp(pair.bodies[1], "world")) carried += pair.normal;
    }
    check_near(carried, bricks * 2 * 9.81 * zn_simulation_time(r.simulation), 1e-9);
    free(start);
    end(&r);
}

static void a_pyramid_stands(void **state) {
    (void)state;
    stands("n=5", 15, 15);
    stands("n=20", 210, 10);
    stands(NULL, 1275, 2);
}

/* After the first few every domino takes as long as the one before. */
static void dominoes_fall_at_a_constant_speed(void **state) {
    (void)state;
    run r = begin("domino-wave", "n=60");
    double fallen[60] = {0};
    while (zn_simulation_time(r.simulation) < 3 && step(&r))
        for (int i = 0; i < 60; i++)
            if (fallen[i] == 0 && zn_simulation_positions(r.simulation)[3 * i + 2] < -0.2) fallen[i] = zn_simulation_time(r.simulation);
    double ten = fallen[34] - fallen[24];
    check_close(ten, fallen[44] - fallen[34], 2e-3); /* two steps */
    check_close(ten, fallen[54] - fallen[44], 2e-3);
    check_close(0.3 / ten, 0.68, 0.02);
    end(&r);
}

/* The wheel turns with the ratio of the teeth, but for the backlash, 0.4 mm to each side at 115 mm, and the flanks: chords c of 4 mm, off
 * by c^2/(8 R) from curves of R = 29 mm at least, on both gears. */
static void gears_keep_their_ratio(void **state) {
    (void)state;
    run r = begin("gears", NULL);
    while (step(&r))
        check_close(value(&r, "wheel.phi"), -2 * pi * zn_simulation_time(r.simulation) * 17 / 23,
                    (4e-4 + 2 * 4e-3 * 4e-3 / (8 * 0.029)) / 0.115);
    check_below(zn_simulation_statistics(r.simulation).max_overlap, 1e-9);
    end(&r);
}

/* The ball goes through the wall and loses what the bricks get; nothing falls through the floor. */
static void a_ball_breaks_a_wall(void **state) {
    (void)state;
    run r = begin("wall", NULL);
    double T, V, before, E;
    zn_simulation_energy(r.simulation, &T, &V);
    before = E = T + V;
    while (zn_simulation_time(r.simulation) < 0.4 && step(&r)) {
        zn_simulation_energy(r.simulation, &T, &V);
        check_below(T + V, E + 1e-3 * before);
        E = T + V;
    }
    int moved = 0;
    for (int i = 0; i < r.model->size.nq; i += 7) moved += zn_simulation_positions(r.simulation)[i + 1] > 0.05;
    assert_true(moved >= 4);
    assert_true(value(&r, "ball.y") > 0.2);
    for (int i = 0; i < r.model->size.nq; i += 7) assert_true(zn_simulation_positions(r.simulation)[i + 2] > 0.02);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crate_tumbles_down_stairs),
                                       cmocka_unit_test(a_gripper_holds_by_friction),
                                       cmocka_unit_test(a_geneva_wheel_makes_quarter_turns),
                                       cmocka_unit_test(a_ratchet_turns_one_way),
                                       cmocka_unit_test(a_pyramid_stands),
                                       cmocka_unit_test(dominoes_fall_at_a_constant_speed),
                                       cmocka_unit_test(gears_keep_their_ratio),
                                       cmocka_unit_test(a_ball_breaks_a_wall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
