/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant joints whose numbers do not quite fit (0.866025 for sqrt(3)/2): met in the sense of least squares as long as they
 * contradict each other by less than a start may be off, and refused with a sentence beyond. */
#include "base/counting_allocator.h"
#include "trial.h"

/* A door on two hinges, 10 rows for 5: the hinges are not quite on one axis. */
#define DOOR                                                                                                                             \
    "parameters: {eps: 0, both: 0}\n"                                                                                                    \
    "gravity: [0, -9.81, 0]\n"                                                                                                           \
    "bodies:\n"                                                                                                                          \
    "  door: {type: spatial, mass: 10, inertia: [2, 3, 1], position: [0.5, 0, 0], velocity: [0, 0.5, 0], angular_velocity: [0, 0, 1],\n" \
    "         frames: {low: [-0.5 - both, 0, -1], high: [-0.5 + eps + both, 0, 1]}}\n"                                                   \
    "frames: {world.low: [0, 0, -1], world.high: [0, 0, 1]}\n"                                                                           \
    "joints:\n"                                                                                                                          \
    "  low: {type: revolute, between: [world.low, door.low]}\n"                                                                          \
    "  high: {type: revolute, between: [world.high, door.high]}\n"
static const char door[] = DOOR "simulation: {step: 1e-2, end: 1}\n";
static const char door_moved[] = DOOR "simulation: {step: 1e-2, end: 1, project_start: true}\n";

/* A hanging parallelogram with a third bar that is not quite as long as the others. */
static const char four_bar[] =
    "parameters: {l: 1, b: 2, m: 1, phi0: -pi/3, eps: 0}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  left:    {type: planar, mass: m, inertia: m*l^2/12, position: [l/2*cos(phi0), l/2*sin(phi0)], angle: phi0}\n"
    "  right:   {type: planar, mass: m, inertia: m*l^2/12, position: [b + l/2*cos(phi0), l/2*sin(phi0)], angle: phi0}\n"
    "  coupler: {type: planar, mass: m, inertia: m*b^2/12, position: [b/2 + l*cos(phi0), l*sin(phi0)]}\n"
    "  spare:   {type: planar, mass: m, inertia: m*b^2/12, position: [b/2 + l/2*cos(phi0), l/2*sin(phi0)], frames: {end: [b/2 + eps, 0]}}\n"
    "frames: {right.middle: [0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [world, left], at: [0, 0]}\n"
    "  b: {type: revolute, between: [world, right], at: [b, 0]}\n"
    "  c: {type: revolute, between: [left, coupler], at: [l*cos(phi0), l*sin(phi0)]}\n"
    "  d: {type: revolute, between: [right, coupler], at: [b + l*cos(phi0), l*sin(phi0)]}\n"
    "  e: {type: revolute, between: [left, spare], at: [l/2*cos(phi0), l/2*sin(phi0)]}\n"
    "  f: {type: revolute, between: [right.middle, spare.end]}\n"
    "simulation: {step: 4e-3, end: 1}\n";

static const struct {
    const char *name;
    int stages;
    bool general; /* velocities other than q' */
} schemes[] = {{"moreau-midpoint", 0, true},
               {"moreau", 0, false},
               {"rattle", 0, true},
               {"lobatto-3a3b", 2, true},
               {"radau-2a", 2, true},
               {"lobatto-3c", 0, true},
               {"sdirk3", 0, true},
               {"tr-bdf2", 0, true},
               {"generalized-alpha", 0, true},
               {"generalized-alpha-pva", 0, false},
               {"generalized-alpha-pvv", 0, false}};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Forces are those of the exact geometry: the last step's and the totals, row by row, since both share by least norm. */
static void check_forces(const trial *r, const trial *exact) {
    const zn_model *model = zn_simulation_model(r->simulation);
    int rows = model->size.ng;
    const double *P = zn_simulation_percussions(r->simulation), *P_exact = zn_simulation_percussions(exact->simulation);
    const double *total = zn_simulation_percussion_totals(r->simulation), *total_exact = zn_simulation_percussion_totals(exact->simulation);
    double size = largest(P_exact, rows), size_total = largest(total_exact, rows);
    assert_true(size > 0 && size_total > 0);
    for (int i = 0; i < rows; i++) {
        check_close(P[i], P_exact[i], 0.02 * size);
        check_close(total[i], total_exact[i], 0.02 * size_total);
    }
}

static void check_motion(const char *scene, const char *scheme, int stages, int first) {
    static const char *const set[] = {"eps=1e-12", "eps=1e-10", "eps=1e-8", "eps=4e-7"};
    static const double off[] = {1e-12, 1e-10, 1e-8, 4e-7};
    trial exact = trial_complete(scene, (trial_options){.scheme = scheme, .stages = stages});
    zn_statistics of_exact = zn_simulation_statistics(exact.simulation);
    for (int k = first; k < 4; k++) {
        trial r = trial_complete(scene, (trial_options){.scheme = scheme, .stages = stages, .set = set[k]});
        const zn_model *model = zn_simulation_model(r.simulation);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        for (int i = 0; i < model->size.nq; i++) check_close(trial_q(&r, i), trial_q(&exact, i), 20 * off[k] + 1e-9);
        for (int i = 0; i < model->size.nu; i++) check_close(trial_u(&r, i), trial_u(&exact, i), 20 * off[k] + 1e-9);
        check_below(s.max_g, of_exact.max_g + 3 * off[k] + 1e-12);
        check_below(s.max_gdot, of_exact.max_gdot + 5 * off[k] + 1e-11);
        check_close(s.energy_end, of_exact.energy_end, 1e3 * off[k] + 1e-8);
        check_close(s.contradiction, off[k], 0.1 * off[k]);
        assert_int_equal(s.rejected, 0);
        check_forces(&r, &exact);
        trial_end(&r);
    }
    trial_end(&exact);
}

/* Hinges off in any direction: the weights of least squares must not jump with the numbers, or some of these do not settle. */
static void random_doors(void **state) {
    (void)state;
    static const char *const names[] = {"rattle", "radau-2a", "tr-bdf2", "generalized-alpha"};
    uint64_t seed = 7;
    for (int round = 0; round < 12; round++) {
        double r[9], size = pow(10, -11 + 0.4 * round);
        for (int i = 0; i < 9; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r[i] = size * ((double)(seed >> 11) / 4503599627370496.0 - 1);
        }
        char scene[1200];
        snprintf(scene, sizeof scene,
                 "gravity: [0, -9.81, 0]\n"
                 "bodies:\n"
                 "  door: {type: spatial, mass: 10, inertia: [2, 3, 1], position: [0.5, 0, 0], velocity: [0, 0.5, 0],\n"
                 "         angular_velocity: [0, 0, 1], frames: {low: [%.17g, %.17g, %.17g], high: [%.17g, %.17g, %.17g]}}\n"
                 "frames: {world.low: [0, 0, -1], world.high: [%.17g, %.17g, %.17g]}\n"
                 "joints:\n"
                 "  low: {type: revolute, between: [world.low, door.low]}\n"
                 "  high: {type: revolute, between: [world.high, door.high]}\n"
                 "simulation: {step: 1e-2, end: 0.3, project_start: true}\n",
                 -0.5 + r[0], r[1], -1 + r[2], -0.5 + r[3], r[4], 1 + r[5], r[6], r[7], 1 + r[8]);
        const char *scheme = names[round % 4];
        trial exact = trial_complete(door, (trial_options){.scheme = scheme, .end = 0.3});
        trial now = trial_complete(scene, (trial_options){.scheme = scheme});
        for (int i = 0; i < 7; i++) check_close(trial_q(&now, i), trial_q(&exact, i), 20 * size + 1e-10);
        check_below(zn_simulation_statistics(now.simulation).max_g, 3 * size + 1e-12);
        assert_int_equal(zn_simulation_statistics(now.simulation).rejected, 0);
        trial_end(&now);
        trial_end(&exact);
    }
}

static void door_with_every_family(void **state) {
    (void)state;
    for (int i = 0; i < N_SCHEMES; i++)
        if (schemes[i].general) check_motion(door, schemes[i].name, schemes[i].stages, 0);
}

static void four_bar_with_every_family(void **state) {
    (void)state;
    for (int i = 0; i < N_SCHEMES; i++) check_motion(four_bar, schemes[i].name, schemes[i].stages, 1);
}

/* ---- the contradiction is reported ---- */

static void keep_log(void *user, zn_log_level level, const char *message) {
    char *text = user;
    assert_int_equal(level, ZN_LOG_WARNING);
    assert_int_equal(*text, '\0'); /* once */
    snprintf(text, 400, "%s", message);
}

static void a_run_says_so_once(void **state) {
    (void)state;
    char log[400] = "";
    const char *set[] = {"eps=1e-7"};
    trial r = {.context = zn_context_create(&(zn_context_def){.log = keep_log, .log_user = log})};
    assert_int_equal(zn_scene_parse(r.context, "test", door, &(zn_scene_options){.n_sets = 1, .sets = set}, &r.scene), ZN_OK);
    trial_options o = {.scheme = "radau-2a"};
    zn_settings settings = trial_settings(r.scene, &o);
    assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
    assert_non_null(strstr(log, "'high."));
    assert_non_null(strstr(log, "contradicts those before it by 1e-07"));
    assert_non_null(strstr(log, "least-squares"));
    trial_run(&r);
    /* The residual is reported as it is: a gap of 1e-7 in two rows. */
    assert_true(zn_simulation_statistics(r.simulation).max_residual > 1e-8);
    trial_end(&r);
    log[0] = '\0';
    r.context = zn_context_create(&(zn_context_def){.log = keep_log, .log_user = log});
    assert_int_equal(zn_scene_parse(r.context, "test", door, NULL, &r.scene), ZN_OK);
    assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
    trial_run(&r);
    assert_string_equal(log, ""); /* what fits is not worth a word */
    check_close(zn_simulation_statistics(r.simulation).contradiction, 0, 0);
    trial_end(&r);
}

/* ---- what is too much stays an error ---- */

static zn_status try_run(trial *r, const char *scene, const char *set, const zn_settings *changed) {
    *r = (trial){.context = zn_context_create(NULL)};
    zn_status status = zn_scene_parse(r->context, "test", scene, &(zn_scene_options){.n_sets = 1, .sets = &set}, &r->scene);
    if (status != ZN_OK) return status;
    zn_settings settings = *zn_scene_settings(r->scene);
    settings.scheme = changed->scheme;
    settings.contradiction = changed->contradiction;
    status = zn_simulation_create(r->context, zn_scene_model(r->scene), &settings, &r->simulation);
    return status == ZN_OK ? zn_simulation_run(r->simulation, NULL, NULL) : status;
}

static void larger_contradictions_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"rattle", "radau-2a", "generalized-alpha"};
    for (int i = 0; i < 3; i++) {
        trial r;
        zn_settings settings = zn_settings_default();
        settings.scheme = names[i];
        /* every hinge within the start's tolerance, but not both together */
        assert_int_not_equal(try_run(&r, door, "both=9e-7", &settings), ZN_OK);
        assert_non_null(strstr(zn_error_text(r.context), "contradicts those before it by 1.8e-06"));
        trial_end(&r);
        assert_int_not_equal(try_run(&r, door, "eps=1e-4", &settings), ZN_OK);
        assert_true(*zn_error_text(r.context) != '\0');
        trial_end(&r);
        assert_int_not_equal(try_run(&r, door_moved, "eps=1e-4", &settings), ZN_OK);
        assert_non_null(strstr(zn_error_text(r.context), "contradicts those before it by 0.0001"));
        trial_end(&r);
        /* the least-squares start of what is little enough */
        assert_int_equal(try_run(&r, door_moved, "eps=4e-7", &settings), ZN_OK);
        check_below(zn_simulation_statistics(r.simulation).max_g, 2.1e-7); /* half for each hinge */
        trial_end(&r);
        settings.contradiction = 0; /* never */
        assert_int_not_equal(try_run(&r, door, "eps=1e-7", &settings), ZN_OK);
        assert_non_null(strstr(zn_error_text(r.context), "contradicts those before it by 1e-07"));
        trial_end(&r);
    }
}

/* A rod given twice, the second time with a length that changes: fits at first, and grows beyond what is forgiven. */
static void contradictions_that_grow_are_refused(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: 1, y: 0}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                                "constraints: {one: {position: x^2 + y^2 - 1}, two: {position: x^2 + y^2 - 1 - 1e-7*t - 4e-6*t^2}}\n"
                                "simulation: {step: 1e-2, end: 2}\n";
    static const char *const names[] = {"rattle", "radau-2a", "generalized-alpha", "generalized-alpha-pva"};
    for (int i = 0; i < 4; i++) {
        trial r = {.context = zn_context_create(NULL)};
        assert_int_equal(zn_scene_parse(r.context, "test", scene, NULL, &r.scene), ZN_OK);
        trial_options o = {.scheme = names[i]};
        zn_settings settings = trial_settings(r.scene, &o);
        assert_int_equal(zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(r.simulation, NULL, NULL), ZN_ERROR_NO_CONVERGENCE);
        assert_non_null(strstr(zn_error_text(r.context), "contradicts those before it by"));
        check_close(zn_simulation_time(r.simulation), 0.69, 0.03); /* half of 1e-7 t + 4e-6 t^2 is 1e-6 */
        check_below(zn_simulation_statistics(r.simulation).max_g, 1.001e-6);
        trial_end(&r);
    }
}

/* A contradiction of joints forgives nothing to a contact: the coupler falls on a stop, rebounds, and does not sink in. It ends before the
 * coupler is at rest: stuck on the stop it is jammed, and then its forces are not unique. */
static void contacts_are_met_all_the_same(void **state) {
    (void)state;
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"};
    char scene[3000];
    snprintf(scene, sizeof scene, "%s%s", four_bar,
             "geometry: {floor: {type: line, at: [0, -0.95]}, foot: {on: coupler, type: point}}\n"
             "contacts: {stop: {between: [foot, floor], friction: 0.3, restitution: 0.5}}\n");
    for (int i = 0; i < 4; i++) {
        trial exact = trial_complete(scene, (trial_options){.scheme = names[i], .end = 0.9});
        trial r = trial_complete(scene, (trial_options){.scheme = names[i], .end = 0.9, .set = "eps=1e-7"});
        int contact = zn_simulation_model(r.simulation)->contacts[0].row_N;
        double P = zn_simulation_percussion_totals(exact.simulation)[contact];
        assert_true(P > 1);
        check_close(zn_simulation_percussion_totals(r.simulation)[contact], P, 1e-3 * P);
        for (int k = 0; k < 12; k++) check_close(trial_q(&r, k), trial_q(&exact, k), 1e-4);
        zn_statistics s = zn_simulation_statistics(r.simulation), s_exact = zn_simulation_statistics(exact.simulation);
        check_below(s.max_penetration, s_exact.max_penetration + (i == 0 ? 1e-6 : 1e-11));
        trial_end(&r);
        trial_end(&exact);
    }
}

static void wrong_settings(void **state) {
    (void)state;
    static const double wrong[] = {-1e-9, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        trial r;
        zn_settings settings = zn_settings_default();
        settings.contradiction = wrong[i];
        assert_int_equal(try_run(&r, door, "eps=0", &settings), ZN_ERROR_ARGUMENT);
        trial_end(&r);
    }
}

/* Every allocation of creating a run with such joints fails in turn: an error, and nothing stays behind. */
static void memory(void **state) {
    (void)state;
    static const char *const names[] = {"moreau-midpoint", "rattle", "radau-2a"};
    for (int i = 0; i < 3; i++) {
        counting_allocator memory = COUNTING_ALLOCATOR;
        zn_context *context = counting_context(&memory);
        const char *set[] = {"eps=1e-7"};
        zn_scene *scene = NULL;
        assert_int_equal(zn_scene_parse(context, "test", door_moved, &(zn_scene_options){.n_sets = 1, .sets = set}, &scene), ZN_OK);
        zn_settings settings = *zn_scene_settings(scene);
        settings.scheme = names[i];
        long failures = 0;
        for (bool done = false; !done; failures++) {
            zn_simulation *simulation = NULL;
            long live = memory.live;
            memory.requests = 0;
            memory.fail_at = failures;
            memory.only_once = true;
            zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation);
            done = memory.requests <= failures;
            memory.fail_at = -1;
            if (done) assert_int_equal(status, ZN_OK);
            else if (status == ZN_OK) assert_int_equal(zn_error_count(context), 0); /* it was the text of an error that nobody needs */
            else assert_int_equal(status, ZN_ERROR_MEMORY);
            zn_simulation_destroy(simulation);
            zn_error_clear(context);
            if (status == ZN_ERROR_MEMORY) assert_true(memory.live <= live);
        }
        assert_true(failures > 50);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
        assert_int_equal(memory.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(door_with_every_family),
        cmocka_unit_test(random_doors),
        cmocka_unit_test(four_bar_with_every_family),
        cmocka_unit_test(a_run_says_so_once),
        cmocka_unit_test(larger_contradictions_are_refused),
        cmocka_unit_test(contradictions_that_grow_are_refused),
        cmocka_unit_test(contacts_are_met_all_the_same),
        cmocka_unit_test(wrong_settings),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
