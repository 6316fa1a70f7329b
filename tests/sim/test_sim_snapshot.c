/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: a simulation that was somewhere else goes on from a snapshot with the bits of the one that was saved, over all scenes and
 * schemes, with every kind of step. What a simulation carries and the snapshot does not shows here as a difference. */
#include "trial.h"

#include "sim/simulation.h"

#include <dirent.h>
#include <stdlib.h>

typedef struct saved {
    unsigned char *at;
    size_t size;
} saved;

static saved save(zn_context *context, const zn_simulation *sim) {
    saved s = {0};
    zn_status status = zn_simulation_save(sim, NULL, 0, &s.size);
    assert_true(s.at = malloc(s.size));
    if (status == ZN_OK) status = zn_simulation_save(sim, s.at, s.size, &s.size);
    if (status != ZN_OK) print_error("%s\n", zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    return s;
}

/* Rows and statistics as they are seen from outside. */
typedef struct seen {
    uint64_t rows;
    zn_statistics statistics;
} seen;

static uint64_t mix(uint64_t hash, const double *x, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

/* The bytes between members say nothing: they are left out. */
#define UP_TO(member) offsetof(zn_statistics, member) + sizeof(((zn_statistics *)0)->member)
static bool same_statistics(const zn_statistics *a, const zn_statistics *b) {
    static const size_t ranges[][2] = {
        {0, UP_TO(projection_max)},
        {offsetof(zn_statistics, max_residual), UP_TO(redundant_rows)},
        {offsetof(zn_statistics, contacts_found), UP_TO(contacts_found)},
        {offsetof(zn_statistics, found_mean), UP_TO(found_max)},
        {offsetof(zn_statistics, found_lists), UP_TO(painleve)},
    };
    bool same = true;
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        same = same && !memcmp((const char *)a + ranges[k][0], (const char *)b + ranges[k][0], ranges[k][1] - ranges[k][0]);
    return same;
}

/* `steps` steps, or until one fails; *failed. */
static seen go(zn_simulation *sim, int steps, bool *failed) {
    const zn_model *model = zn_simulation_model(sim);
    seen s = {.rows = 1};
    int n = model->size.ng + model->size.ny + model->size.nN + model->size.nF;
    zn_simulation_percussion_totals(sim); /* are asked for from the start on */
    for (int i = 0; i < steps && !zn_simulation_done(sim) && !*failed; i++) {
        *failed = zn_simulation_step(sim) != ZN_OK;
        while (!*failed && zn_simulation_next_row(sim)) {
            double t = zn_simulation_time(sim);
            s.rows = mix(s.rows, &t, 1);
            s.rows = mix(s.rows, zn_simulation_positions(sim), model->size.nq);
            s.rows = mix(s.rows, zn_simulation_velocities(sim), model->size.nu);
            s.rows = mix(s.rows, zn_simulation_percussion_totals(sim), n);
            s.rows = mix(s.rows, zn_simulation_gaps(sim), model->size.n_contacts);
            for (int k = 0; k < zn_simulation_found_count(sim); k++) {
                zn_found_contact c;
                assert_int_equal(zn_simulation_found(sim, k, &c), ZN_OK);
                s.rows = mix(mix(s.rows, c.percussion, 3), &c.gap, 1);
            }
            for (int k = 0; k < model->size.n_contacts; k++) {
                zn_contact_work w = zn_simulation_contact_work(sim, k);
                s.rows = mix(s.rows, &w.friction, 1);
            }
        }
    }
    s.statistics = zn_simulation_statistics(sim);
    s.statistics.cone_seconds = 0;
    return s;
}

static unsigned pick(unsigned *seed, unsigned n) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static int restarts; /* that were possible */

static bool same_state(zn_context *context, const zn_simulation *a, const zn_simulation *b) {
    saved p = save(context, a), q = save(context, b);
    bool same = p.size == q.size && !memcmp(p.at, q.at, p.size);
    free(p.at), free(q.at);
    return same;
}

/* A simulation that starts again in its own memory is a new one. */
static void check_restart(zn_context *context, const zn_scene *scene, const zn_settings *settings, zn_simulation *sim, int steps,
                          const char *name) {
    bool restarted = false, fails = false, fails_too = false;
    zn_simulation *fresh = NULL;
    assert_int_equal(sim_restart(sim, &restarted), ZN_OK);
    if (!restarted) return;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), settings, &fresh), ZN_OK);
    if (!same_state(context, sim, fresh))
        fail_msg("%s with %s: the start of a simulation that starts again differs", name, settings->scheme);
    seen x = go(sim, steps, &fails), y = go(fresh, steps, &fails_too);
    bool same = fails == fails_too && x.rows == y.rows && !memcmp(&x.statistics, &y.statistics, sizeof x.statistics);
    if (!same || (!fails && !same_state(context, sim, fresh)))
        fail_msg("%s with %s: a simulation that starts again goes on differently", name, settings->scheme);
    zn_simulation_destroy(fresh);
    restarts++;
}

/* One simulation is saved after some steps; another one, which is elsewhere, goes on from there. False: the scene cannot be run so. */
static bool check(zn_context *context, const zn_scene *scene, const zn_settings *settings, unsigned most, const char *name) {
    zn_simulation *a = NULL, *b = NULL;
    unsigned seed = (unsigned)strlen(name) + most;
    bool failed = false, other_failed = false;
    if (zn_simulation_create(context, zn_scene_model(scene), settings, &a) != ZN_OK) return zn_error_clear(context), false;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), settings, &b), ZN_OK);
    go(a, (int)(most / 3 + pick(&seed, most / 3)), &failed);
    go(b, (int)pick(&seed, most / 4), &other_failed);
    if (!failed) {
        saved s = save(context, a), again = save(context, a);
        if (s.size != again.size || memcmp(s.at, again.at, s.size)) fail_msg("%s: two snapshots differ", name);
        bool fails_a = false, fails_b = false;
        seen x = go(a, (int)most / 3, &fails_a);
        if (zn_simulation_restore(b, s.at, s.size) != ZN_OK) fail_msg("%s: %s", name, zn_error_text(context));
        saved copy = save(context, b);
        if (s.size != copy.size || memcmp(s.at, copy.at, s.size)) fail_msg("%s: a snapshot of what was restored differs", name);
        seen y = go(b, (int)most / 3, &fails_b);
        saved p = save(context, a), q = save(context, b);
        if (fails_a != fails_b) fail_msg("%s with %s: only one of the runs fails", name, settings->scheme);
        bool same = x.rows == y.rows && same_statistics(&x.statistics, &y.statistics) && p.size == q.size && !memcmp(p.at, q.at, p.size);
        if (!same)
            fail_msg("%s with %s, %s: a run that was restored differs (%s, %s, %s) at t = %g", name, settings->scheme,
                     settings->step_auto ? "step auto" : "fixed steps", x.rows == y.rows ? "" : "rows",
                     same_statistics(&x.statistics, &y.statistics) ? "" : "statistics",
                     p.size != q.size || memcmp(p.at, q.at, p.size) ? "state" : "", zn_simulation_time(a));
        free(s.at), free(again.at), free(copy.at), free(p.at), free(q.at);
        if (!fails_a) check_restart(context, scene, settings, a, (int)most / 3, name);
    }
    zn_simulation_destroy(a);
    zn_simulation_destroy(b);
    zn_error_clear(context);
    return !failed;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of all scenes. */
static int scenes(char **names, int most) {
    DIR *folder = opendir(ZENO_SOURCE_DIR "/scenes");
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        size_t n = strlen(e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".yaml")) {
            assert_true(count < most);
            assert_true(names[count++] = strdup(e->d_name));
        }
    }
    closedir(folder);
    qsort(names, (size_t)count, sizeof *names, by_name);
    return count;
}

enum { MOST_SCENES = 400 };

/* visit(scene, name): checks that were possible. */
static void each_scene(int (*visit)(zn_context *, const zn_scene *, const char *), int least) {
    char *names[MOST_SCENES], path[400];
    int n = scenes(names, MOST_SCENES), checked = 0;
    for (int i = 0; i < n; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        snprintf(path, sizeof path, "%s/scenes/%.100s", ZENO_SOURCE_DIR, names[i]);
        assert_int_equal(zn_scene_load(context, path, NULL, &scene), ZN_OK);
        if (zn_scene_model(scene)->size.nu <= 200) checked += visit(context, scene, names[i]); /* larger ones take seconds for a step */
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        free(names[i]);
    }
    assert_true(checked >= least);
}

static bool is_large(const zn_scene *scene) { return zn_scene_model(scene)->size.nu > 30; }

/* Each scene with every third scheme, another third for the next scene. */
static int with_every_scheme(zn_context *context, const zn_scene *scene, const char *name) {
    int count = 0;
    for (int k = (int)strlen(name) % 3; k < zn_scheme_count() && !is_large(scene); k += 3) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = zn_scheme_get(k).name;
        settings.stages = 0;
        count += check(context, scene, &settings, 24, name);
    }
    return count;
}

static int as_it_is(zn_context *context, const zn_scene *scene, const char *name) {
    return check(context, scene, zn_scene_settings(scene), is_large(scene) ? 9 : 90, name);
}

static int with_chosen_steps(zn_context *context, const zn_scene *scene, const char *name) {
    static const char *const schemes[] = {"radau-2a", "moreau-midpoint"};
    int count = 0;
    bool slow = is_large(scene) || !strcmp(name, "gripper.yaml"); /* whose control of steps takes seconds */
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes && !slow; k++) {
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = schemes[k];
        settings.stages = 0;
        settings.step_auto = true;
        count += check(context, scene, &settings, 24, name);
        settings.record_step = settings.end / 97;
        count += check(context, scene, &settings, 24, name);
    }
    return count;
}

static int with_rows_inside(zn_context *context, const zn_scene *scene, const char *name) {
    zn_settings settings = *zn_scene_settings(scene);
    settings.record_step = 0.37 * settings.step;
    settings.record_every = 1;
    int count = check(context, scene, &settings, is_large(scene) ? 6 : 24, name);
    if (is_large(scene)) return count;
    settings.scheme = "radau-2a", settings.stages = 2;
    settings.contact_events = ZN_EVENTS_LOCATED;
    count += check(context, scene, &settings, 30, name);
    settings.contact_events = ZN_EVENTS_CAPTURED;
    settings.friction_law = ZN_FRICTION_STAGED;
    settings.scheme = "lobatto-3c", settings.stages = 0;
    return count + check(context, scene, &settings, 24, name);
}

/* A member that is added to one of these changes its size (on this machine): does it go from step to step? Then it needs a row in
 * src/sim/snapshot.c, or in the function that carries its structure; then the number here is to be changed. */
static void no_member_is_forgotten(void **state) {
    (void)state;
    if (sizeof(void *) != 8 || sizeof(long) != 8) return;
    assert_int_equal(sizeof(scheme_state), 80);
    assert_int_equal(sizeof(problem_scales), 176);
    assert_int_equal(sizeof(sim_grid), 80);
    assert_int_equal(sizeof(sim_rows), 64);
    assert_int_equal(sizeof(sim_control), 352);
    assert_int_equal(sizeof(sim_work), 136);
    assert_int_equal(sizeof(sim_impacts), 3096);
    assert_int_equal(sizeof(sim_selection), 104);
    assert_int_equal(sizeof(sim_contacts), 536);
    assert_int_equal(sizeof(sim_machine), 264);
    assert_int_equal(sizeof(sim_located), 1616);
    assert_int_equal(sizeof(sim_switches), 56);
    assert_int_equal(sizeof(sim_chatter), 840);
    assert_int_equal(sizeof(struct zn_simulation), 8248);
}

/* Scenes in which something happens in nearly every step, with every scheme and with steps that are chosen. */
static void machines(void **state) {
    (void)state;
    static const char *const texts[] = {
        "sampled: {every: 0.013, f: -3*x - 2*x', n: n + 1}\nstates: {sum: {rate: 1 - x}}\n"
        "inputs: {g: 9.81}\ncoordinates: {x: 0, y: 0.02}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: g*y}\nforces: {x: f + sum}\n"
        "events: {bounce: {when: y, direction: down, do: [record, {y': -0.9*y', sum: sum/2, g: 10 - g/9}]}}\n",
        "modes: {held: on, low: off}\ncoordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 100*y}\n"
        "constraints: {rod: {position: (x^2 + y^2 - 1)/2, if: held}}\nforces: {x: \"if(low, -50*x', 0)\"}\n"
        "contacts: {floor: {gap: y + 1.01, restitution: 0.5, if: not held}}\n"
        "events: {let_go: {when: y + 0.03, direction: down, do: {held: off}}, catch: {when: \"x^2 + y^2 - 1.02\", do: {held: on, y: "
        "y/1.01, x: x/1.01}},\n"
        "  switch: {when: \"sin(37*t)\", do: {low: not low}}}\n",
        "gravity: [0, -9.81]\nmodes: {on: on}\nbodies: {a: {type: planar, shape: {type: box, size: [0.2, 0.2]}, mass: 1, position: [0, "
        "0.12]}}\n"
        "geometry: {floor: {type: line}, wall: {type: line, at: [0.09, 0], normal: [-1, 0]}}\ngroups: {walls: [wall]}\n"
        "sampled: {every: 0.017, push: -100*a.x}\nforces: {a.x: push + 30, a.phi: \"if(on, 1, -1)\"}\n"
        "contacts: {all: {between: all, friction: 0.4, restitution: 0.3}, wall: {between: [a, walls], restitution: 0.9, if: not "
        "on}}\nevents: {turn: {when: a.x - 0.01, do: {on: not on, a.x': "
        "-a.x'}}}\n",
    };
    int count = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int k = 0; k < 2 * zn_scheme_count(); k++) {
            zn_context *context = zn_context_create(NULL);
            zn_scene *scene = NULL;
            char text[1500], name[20];
            snprintf(name, sizeof name, "machine %d", (int)i);
            snprintf(text, sizeof text, "%ssimulation: {step: 0.005, end: 1}\n", texts[i]);
            zn_status status = zn_scene_parse(context, name, text, NULL, &scene);
            if (status != ZN_OK) fail_msg("%s", zn_error_text(context));
            zn_settings settings = *zn_scene_settings(scene);
            settings.scheme = zn_scheme_get(k / 2).name;
            settings.stages = 0;
            settings.step_auto = k % 2;
            count += check(context, scene, &settings, 120, name);
            zn_scene_destroy(scene);
            zn_context_destroy(context);
        }
    assert_true(count >= 60);
}

/* Forces of redundant rows that nobody has asked for yet are shared at the first question, after a snapshot as without one: else those
 * before it had their share among the rows of the scheme only. A simulation that has been asked goes on with shared ones. */
static void forces_that_were_not_asked_for(void **state) {
    (void)state;
    const char *text =
        "gravity: [0, -10]\nbodies: {door: {type: planar, mass: 2, inertia: 0.1, position: [0.4, 0.1]}}\n"
        "joints: {low: {type: revolute, between: [world, door], at: [0, 0]}, same: {type: revolute, between: [world, door], at: "
        "[0, 0]}}\nsimulation: {scheme: rattle, step: 0.01, end: 1}\n";
    trial a = trial_begin(text, (trial_options){0}), b = trial_begin(text, (trial_options){0}), c = trial_begin(text, (trial_options){0});
    assert_int_equal(zn_simulation_statistics(a.simulation).redundant_rows, 2);
    for (int i = 0; i < 20; i++) trial_step(&a);
    saved s = save(a.context, a.simulation);
    assert_int_equal(zn_simulation_restore(b.simulation, s.at, s.size), ZN_OK);
    const double *P = zn_simulation_percussion_totals(c.simulation);
    assert_int_equal(zn_simulation_restore(c.simulation, s.at, s.size), ZN_OK);
    check_close(P[0], P[2], 1e-12);
    check_close(P[1], P[3], 1e-12);
    for (int i = 0; i < 20; i++) trial_step(&a), trial_step(&b), trial_step(&c);
    saved p = save(a.context, a.simulation), q = save(b.context, b.simulation);
    assert_true(p.size == q.size && !memcmp(p.at, q.at, p.size));
    const double *totals[] = {zn_simulation_percussion_totals(a.simulation), zn_simulation_percussion_totals(b.simulation), P};
    double momentum = 2 * (trial_u(&a, 1) + 10 * 0.4); /* from outside: the joints */
    for (int k = 0; k < 3; k++) {
        check_close(totals[k][1] + totals[k][3], momentum, 1e-9);
        check_close(totals[k][1], totals[k][3], 1e-12);
    }
    assert_memory_equal(totals[0], totals[1], 4 * sizeof(double));
    free(s.at), free(p.at), free(q.at);
    trial_end(&a), trial_end(&b), trial_end(&c);
}

static void all_schemes(void **state) {
    (void)state;
    restarts = 0;
    each_scene(with_every_scheme, 200);
    assert_true(restarts >= 100);
}

static void scenes_as_they_are(void **state) {
    (void)state;
    each_scene(as_it_is, 60);
}

static void chosen_steps(void **state) {
    (void)state;
    each_scene(with_chosen_steps, 100);
}

static void rows_and_staged_friction(void **state) {
    (void)state;
    each_scene(with_rows_inside, 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_member_is_forgotten),
        cmocka_unit_test(machines),
        cmocka_unit_test(scenes_as_they_are),
        cmocka_unit_test(rows_and_staged_friction),
        cmocka_unit_test(chosen_steps),
        cmocka_unit_test(forces_that_were_not_asked_for),
        cmocka_unit_test(all_schemes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
