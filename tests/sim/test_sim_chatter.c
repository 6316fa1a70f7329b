/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with faces that fall on each other, with steps that are chosen: hundreds of impacts within milliseconds are passed by captured
 * steps, and said so; the run ends in bounded work, without overlap above round-off, and no energy comes from nowhere. What only bounces
 * keeps its accuracy. */
#include "trial.h"

#include <stdarg.h>
#include <stdlib.h>

static uint64_t seed;
static double draw(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

typedef struct text {
    char at[6000];
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...) {
    size_t used = strlen(t->at);
    va_list list;
    va_start(list, format);
    vsnprintf(t->at + used, sizeof t->at - used, format, list);
    va_end(list);
}

/* Boxes one above the other, tilted and shifted at random; side -1: the mirror image. */
static void make_pile(text *t, bool planar, int n, int number, double side, const char *simulation) {
    seed = (uint64_t)number * 0x9e3779b97f4a7c15u + 4711;
    draw(0, 1);
    double restitution = draw(0, 1) < 0.5 ? 0 : draw(0.1, 0.6), friction = draw(0.2, 0.8), z = 0;
    *t = (text){0};
    add(t, "gravity: [0, %s-9.81]\nbodies:\n", planar ? "" : "0, ");
    for (int i = 0; i < n; i++) {
        double a = draw(0.12, 0.25), b = draw(0.12, 0.25), x = draw(-0.05, 0.05), y = draw(-0.05, 0.05), angle = draw(-0.3, 0.3),
               lean = draw(-0.5, 0.5), turn = draw(-1, 1);
        if (number % 4 == 0) angle = turn = 0; /* flat */
        z += 0.3;
        if (planar)
            add(t,
                "  b%d: {type: planar, shape: {type: box, size: [%.3f, %.3f]}, density: 100, position: [%.4f, %.4f], angle: %.4f, "
                "angle_rate: %.3f}\n",
                i, a, b, side * x, z, side * angle, side * turn);
        else
            add(t,
                "  b%d: {type: spatial, shape: {type: box, size: [%.3f, %.3f, 0.15]}, density: 100, position: [%.4f, %.4f, %.4f], "
                "rotation: {axis: [%.3f, %.4f, 0], "
                "angle: %.4f}}\n",
                i, a, b, side * x, y, z, lean, side, side * angle);
    }
    add(t, "geometry: {floor: {type: %s}}\n", planar ? "line" : "plane");
    add(t, "contacts: {all: {between: all, friction: %.2f, restitution: %.2f}}\nsimulation: {%s}\n", friction, restitution, simulation);
}

static int warnings;
static void count_warnings(void *user, zn_log_level level, const char *message) {
    (void)user, (void)message;
    warnings += level == ZN_LOG_WARNING;
}

/* Energy from step to step. */
typedef struct watch {
    double before, largest, gained;
} watch;

static int see_energy(void *user, const zn_simulation *sim) {
    watch *w = user;
    double kinetic, potential;
    zn_simulation_energy(sim, &kinetic, &potential);
    if (zn_simulation_time(sim) > 0 && kinetic + potential > w->before) w->gained += kinetic + potential - w->before;
    w->before = kinetic + potential;
    w->largest = fmax(w->largest, w->before);
    return 0;
}

typedef struct end {
    zn_statistics s;
    double q[128], gained;
    int nq, warnings;
} end;

static end run(const char *scene_text) {
    end e = {0};
    watch w = {0};
    warnings = 0;
    zn_context *context = zn_context_create(&(zn_context_def){.log = count_warnings});
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    zn_status status = zn_scene_parse(context, "pile", scene_text, NULL, &scene);
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &sim);
    if (status == ZN_OK) status = zn_simulation_run(sim, see_energy, &w);
    if (status != ZN_OK) print_error("%s\n%s\n", zn_error_text(context), scene_text);
    assert_int_equal(status, ZN_OK);
    e.s = zn_simulation_statistics(sim);
    e.nq = zn_scene_model(scene)->size.nq;
    memcpy(e.q, zn_simulation_positions(sim), (size_t)e.nq * sizeof *e.q);
    e.gained = w.gained / w.largest;
    e.warnings = warnings;
    zn_simulation_destroy(sim);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return e;
}

static void check_pile(const end *e, const char *what, int n, int number) {
    print_message("%s, %d boxes, %d: %ld steps, %ld rejected, %ld solves for %ld events, %.3f s of chatter in %ld steps, overlap %.1e, "
                  "energy gained %.1e, %.3g -> %.3g\n",
                  what, n, number, e->s.steps, e->s.rejected, e->s.event_solves, e->s.events_located, e->s.chatter_time, e->s.chatter_steps,
                  e->s.max_overlap, e->gained, e->s.energy_start, e->s.energy_end);
    assert_true(e->s.max_overlap < 1e-7);
    assert_true(e->gained < 1e-5);
    assert_true(e->s.energy_end < e->s.energy_start);
    assert_true(e->s.steps + e->s.rejected + e->s.event_solves < 20000);
    assert_int_equal(e->warnings > 0, e->s.chatter_stretches > 0);
    assert_int_equal(e->s.chatter_steps > 0, e->s.chatter_stretches > 0);
}

static void piles(bool planar, const char *simulation, int most) {
    text t;
    for (int n = 2; n <= most; n++)
        for (int number = 1; number <= 4; number++) {
            make_pile(&t, planar, n, number, 1, simulation);
            end e = run(t.at);
            check_pile(&e, planar ? "plane" : "space", n, number);
        }
}

static void piles_in_the_plane(void **state) {
    (void)state;
    piles(true, "end: 2", 5);
    piles(true, "step: auto, scheme: \"radau-2a:3\", end: 2", 3);
}

static void piles_in_space(void **state) {
    (void)state;
    piles(false, "end: 0.8", 3);
}

/* The mirror image of a pile falls like the mirror image of its motion. */
static void mirrored_piles(void **state) {
    (void)state;
    text t;
    for (int n = 2; n <= 3; n++)
        for (int number = 1; number <= 4; number += 3) {
            make_pile(&t, true, n, number, 1, "end: 2");
            end one = run(t.at);
            make_pile(&t, true, n, number, -1, "end: 2");
            end other = run(t.at);
            double worst = 0;
            for (int i = 0; i < one.nq; i++) worst = fmax(worst, fabs(one.q[i] - (i % 3 == 1 ? 1 : -1) * other.q[i]));
            print_message("%d boxes, %d: mirror image differs by %.1e\n", n, number, worst);
            assert_true(worst < 1e-6);
        }
}

/* What only bounces is never passed: 36 balls that bounce for ever beside each other, and one that comes to rest after hundreds of
 * impacts. */
static void bounces_are_located(void **state) {
    (void)state;
    text t = {0};
    add(&t, "gravity: [0, -10]\nbodies:\n");
    for (int i = 0; i < 36; i++)
        add(&t, "  b%d: {type: planar, shape: {type: disk, radius: 0.1}, density: 100, position: [%.1f, %.3f]}\n", i, 0.5 * i,
            0.6 + 0.011 * i);
    add(&t, "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, restitution: 1}}\nsimulation: {end: 4}\n");
    end e = run(t.at);
    assert_int_equal(e.s.chatter_stretches, 0);
    assert_true(e.s.events_located > 36 * 3);
    assert_true(fabs(e.s.energy_end - e.s.energy_start) < 1e-9 * e.s.energy_start);
    e = run("gravity: [0, -10]\nbodies:\n  b: {type: planar, shape: {type: disk, radius: 0.1}, density: 100, position: [0, 0.2]}\n"
            "geometry: {floor: {type: line}}\ncontacts: {all: {between: all, restitution: 0.97}}\nsimulation: {end: 12}\n");
    assert_int_equal(e.s.chatter_stretches, 0);
    assert_true(e.s.events_located > 100);
    assert_true(fabs(e.q[1] - 0.1) < 1e-6); /* at rest: sqrt(2 0.1/10) (1 + e)/(1 - e) = 9.3 s */
}

static zn_simulation *make(zn_context *context, const char *scene_text, zn_scene **scene) {
    zn_simulation *sim = NULL;
    zn_status status = zn_scene_parse(context, "pile", scene_text, NULL, scene);
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(*scene), zn_scene_settings(*scene), &sim);
    assert_int_equal(status, ZN_OK);
    return sim;
}

/* A snapshot from within chatter, where another scheme is in use, goes on with the same bits. */
static void snapshots_know_chatter(void **state) {
    (void)state;
    text t;
    make_pile(&t, false, 2, 1, 1, "end: 1");
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL, *other_scene = NULL;
    zn_simulation *sim = make(context, t.at, &scene), *other = make(context, t.at, &other_scene);
    while (zn_simulation_statistics(sim).chatter_steps < 4) assert_int_equal(zn_simulation_step(sim), ZN_OK);
    size_t size;
    assert_int_equal(zn_simulation_save(sim, NULL, 0, &size), ZN_OK);
    void *snapshot = malloc(size);
    assert_int_equal(zn_simulation_save(sim, snapshot, size, &size), ZN_OK);
    assert_int_equal(zn_simulation_restore(other, snapshot, size), ZN_OK);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(zn_simulation_step(sim), ZN_OK);
        assert_int_equal(zn_simulation_step(other), ZN_OK);
        assert_true(zn_simulation_time(sim) == zn_simulation_time(other));
        assert_memory_equal(zn_simulation_positions(sim), zn_simulation_positions(other), 14 * sizeof(double));
    }
    assert_true(zn_simulation_statistics(sim).chatter_steps > 4);
    free(snapshot);
    zn_simulation_destroy(sim), zn_simulation_destroy(other);
    zn_scene_destroy(scene), zn_scene_destroy(other_scene);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(piles_in_the_plane), cmocka_unit_test(piles_in_space),
                                       cmocka_unit_test(mirrored_piles), cmocka_unit_test(bounces_are_located),
                                       cmocka_unit_test(snapshots_know_chatter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
