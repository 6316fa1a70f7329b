/* SPDX-License-Identifier: Apache-2.0 */
/* What a right scene says arrives in the model and the settings. */
#include "scene_check.h"

/* Kinetic and potential energy at a state. */
static void energy_at(const zn_model *model, double t, const double *q, const double *u, double *T, double *V) {
    void *work = calloc(1, model->work_bytes + 1);
    zn_point point = {.t = t, .q = q, .u = u};
    assert_int_equal(model->energy(model, work, &point, T, V), 0);
    free(work);
}

/* -r for a = 0, lambda = 0: the forces h. */
static void force_at(const zn_model *model, const double *q, const double *u, double *h) {
    void *work = calloc(1, model->work_bytes + 1);
    double zeros[32] = {0};
    zn_point point = {.t = 0, .q = q, .u = u, .a = zeros, .lambda = zeros};
    zn_balance balance = {.r = h};
    assert_int_equal(model->balance(model, work, &point, &balance), 0);
    for (int i = 0; i < model->size.nu; i++) h[i] = -h[i];
    free(work);
}

static void test_natural_scene(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, GOOD_SCENE, 0, NULL);
    assert_string_equal(zn_scene_title(scene), "Ball");
    assert_string_equal(zn_scene_text(scene), GOOD_SCENE);
    const zn_model *model = zn_scene_model(scene);
    assert_int_equal(model->size.nq, 2);
    assert_int_equal(model->size.ng, 1);
    assert_int_equal(model->size.nN, 1);
    assert_int_equal(model->size.nF, 1);
    assert_true(model->natural && model->lagrangian);
    assert_string_equal(model->q_names[1], "y");
    assert_string_equal(model->u_names[1], "y'");
    assert_string_equal(model->bilateral_names[0], "guide");
    check_close(model->q_start[0], 0, 0);
    check_near(model->q_start[1], 0.3, 1e-15);
    check_close(model->u_start[0], 1, 0);
    check_close(model->u_start[1], 0, 0);
    const zn_contact *floor_contact = &model->contacts[0];
    assert_string_equal(floor_contact->name, "floor");
    check_close(floor_contact->e_N, 0.5, 0);
    check_close(floor_contact->e_F, 0, 0);
    check_close(floor_contact->balls[0].mu, 0.2, 0);
    double T, V, h[2];
    energy_at(model, 0, (double[]){1, 2}, (double[]){3, 4}, &T, &V);
    check_near(T, 25, 1e-14);
    check_near(V, 2 * 9.81 * 2, 1e-14);
    force_at(model, (double[]){1, 2}, (double[]){3, 4}, h);
    check_near(h[0], -0.3, 1e-14);
    check_near(h[1], -2 * 9.81, 1e-14);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void test_set_replaces_parameters(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const sets[] = {"m=1", " m = 2*2", "r=m/g"}; /* the last one of a name counts; earlier parameters are known */
    zn_scene *scene = load_good(context, GOOD_SCENE, 3, sets);
    double T, V;
    energy_at(zn_scene_model(scene), 0, (double[]){0, 0}, (double[]){1, 0}, &T, &V);
    check_near(T, 2, 1e-15);
    check_near(zn_scene_model(scene)->q_start[1], 3 * 4 / 9.81, 1e-15);
    zn_scene_destroy(scene);
    const char *const m_only[] = {"m=10"}; /* later parameters see it */
    scene = load_good(context, GOOD_SCENE, 1, m_only);
    check_near(zn_scene_model(scene)->q_start[1], 1.5, 1e-15);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static zn_scene *first_order(zn_context *context, const char *mass, const char *force) {
    char text[512];
    snprintf(text, sizeof text,
             "parameters: {m: 2}\ncoordinates: {x: 1, y: {start: 2}}\nvelocities: {v: {start: 3}, w: m}\n"
             "kinematics: {x: v*cos(y), y: w}\nmass: %s\nforce: %s\nenergy: {potential: 5*x}\n",
             mass, force);
    return load_good(context, text, 0, NULL);
}

static void test_forms_of_mass_and_force(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const masses[] = {"{w: 4, v: m}", "[m, 4]", "[[m, 0], [0, 4]]", "[[m, 0.5*x], [x/2, 4]]"};
    const char *const forces[] = {"{w: -w, v: x}", "[x, -w]"};
    const double q[] = {0.5, 0}, u[] = {3, 5};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            zn_scene *scene = first_order(context, masses[i], forces[j]);
            const zn_model *model = zn_scene_model(scene);
            assert_false(model->natural);
            check_close(model->q_start[1], 2, 0);
            check_close(model->u_start[0], 3, 0);
            check_close(model->u_start[1], 2, 0);
            double T, V, h[2];
            energy_at(model, 0, q, u, &T, &V);
            check_near(T, 0.5 * (2 * 9 + 4 * 25) + (i == 3 ? 0.25 * 15 : 0), 1e-14);
            check_near(V, 2.5, 1e-14);
            force_at(model, q, u, h);
            check_near(h[0], 0.5, 1e-14);
            check_near(h[1], -5, 1e-14);
            zn_scene_destroy(scene);
        }
    zn_context_destroy(context);
}

#define SPATIAL(contact)                                                                                    \
    "coordinates: {x: 0, y: 0, z: 1, c: 0}\nenergy: {kinetic: x'^2 + y'^2 + z'^2 + c'^2, potential: 2*z}\n" \
    "contacts:\n  k: {" contact "}\n"

static zn_contact contact_of(zn_context *context, zn_scene **scene, const char *text) {
    *scene = load_good(context, text, 0, NULL);
    return zn_scene_model(*scene)->contacts[0];
}

static void test_reservoirs(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene;
    zn_contact k = contact_of(context, &scene, SPATIAL("gap: z, slip: [x', y'], friction: 0.3"));
    assert_int_equal(k.n_balls, 1);
    assert_int_equal(k.balls[0].dim, 2);
    check_close(k.balls[0].mu, 0.3, 0);
    zn_scene_destroy(scene);

    k = contact_of(context, &scene, SPATIAL("gap: z, slip: [x', y'], friction: [0.3, 0.1]")); /* without a word: ellipse */
    assert_int_equal(k.n_balls, 1);
    assert_non_null(k.scale);
    check_near(k.scale[0] * k.balls[0].mu, 0.3, 1e-15);
    check_near(k.scale[1] * k.balls[0].mu, 0.1, 1e-15);
    zn_scene_destroy(scene);

    k = contact_of(context, &scene, SPATIAL("gap: z, slip: [x', y'], friction: [0.3, 0.1], reservoir: rectangle"));
    assert_int_equal(k.n_balls, 2);
    check_close(k.balls[1].mu, 0.1, 0);
    zn_scene_destroy(scene);

    k = contact_of(context, &scene,
                   SPATIAL("gap: z, slip: [x', y'], friction: 0.3, rolling: {slip: [x', y'], friction: "
                           "[0.01, 0.02]}, pivoting: {slip: c', friction: 0.03}, tangential_restitution: 0.25"));
    assert_int_equal(k.nF, 5);
    assert_int_equal(k.n_balls, 4); /* a disc, two intervals, an interval */
    check_close(k.balls[2].mu, 0.02, 0);
    check_close(k.balls[3].mu, 0.03, 0);
    check_close(k.e_F, 0.25, 0);
    zn_scene_destroy(scene);

    /* Coulomb-Contensou: a ball over (x', y', 3 pi R/16 c') */
    k = contact_of(context, &scene, SPATIAL("gap: z, slip: [x', y', c'], friction: 0.3, reservoir: contensou, radius: 0.1"));
    assert_int_equal(k.n_balls, 1);
    assert_int_equal(k.balls[0].dim, 3);
    check_near(k.scale[2], 3 * acos(-1) * 0.1 / 16, 1e-14);
    zn_scene_destroy(scene);

    k = contact_of(context, &scene, SPATIAL("normal_force: 2*3, slip: x', friction: 0.5, stribeck: {dynamic: 0.3, rate: 3}"));
    assert_int_equal(k.row_N, -1);
    check_close(k.normal_force, 6, 0);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

#define WITH_SETTINGS(text) "parameters: {h: 0.02}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\n" text

static void test_settings(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, WITH_SETTINGS(""), 0, NULL);
    zn_settings standard = zn_settings_default();
    const zn_settings *s = zn_scene_settings(scene);
    assert_string_equal(s->scheme, standard.scheme);
    check_close(s->tolerance, standard.tolerance, 0);
    assert_int_equal(s->record_every, standard.record_every);
    check_close(s->accuracy, 1e-6, 0);
    check_close(s->damping, 0.9, 0);
    check_close(s->theta, 0.5, 0);
    assert_int_equal(s->projection, ZN_PROJECTION_VELOCITY);
    assert_int_equal(s->percussion, ZN_PERCUSSION_STAGE);
    assert_int_equal(s->iteration, ZN_ITERATION_COUPLED);
    assert_int_equal(s->solver, ZN_SOLVER_AUTO);
    assert_false(s->step_auto || s->project_start);
    check_close(s->step, 0, 0); /* for the caller to give */
    zn_scene_destroy(scene);

    scene =
        load_good(context,
                  WITH_SETTINGS("simulation: {scheme: generalized-alpha, stages: 3, step: h/2, end: 100*h, damping: 0.5, "
                                "theta: 0.6, projection: none, percussion: integrated, iteration: decoupled, solver: "
                                "newton, tolerance: 1e-9, accuracy: 1e-5, record_every: 4, project_start: true, contradiction: 1e-4}\n"),
                  0, NULL);
    s = zn_scene_settings(scene);
    assert_string_equal(s->scheme, "generalized-alpha");
    assert_int_equal(s->stages, 3);
    check_close(s->step, 0.01, 0);
    assert_false(s->step_auto);
    check_close(s->end, 2, 0);
    check_close(s->damping, 0.5, 0);
    check_close(s->theta, 0.6, 0);
    assert_int_equal(s->projection, ZN_PROJECTION_NONE);
    assert_int_equal(s->percussion, ZN_PERCUSSION_INTEGRATED);
    assert_int_equal(s->iteration, ZN_ITERATION_DECOUPLED);
    assert_int_equal(s->solver, ZN_SOLVER_NEWTON);
    check_close(s->tolerance, 1e-9, 0);
    check_close(s->accuracy, 1e-5, 0);
    assert_int_equal(s->record_every, 4);
    assert_true(s->project_start);
    check_close(s->contradiction, 1e-4, 0);
    zn_scene_destroy(scene);

    scene = load_good(context, WITH_SETTINGS("simulation: {scheme: \"radau-2a:3\", step: auto, record_step: h/2, end: 1}\n"), 0, NULL);
    s = zn_scene_settings(scene);
    assert_string_equal(s->scheme, "radau-2a");
    assert_int_equal(s->stages, 3);
    assert_true(s->step_auto);
    check_close(s->record_step, 0.01, 0);
    zn_scene_destroy(scene);
    scene = load_good(context, WITH_SETTINGS("simulation:\n  scheme: lobatto-3c:2\n  solver: projection\n"), 0, NULL);
    assert_string_equal(zn_scene_settings(scene)->scheme, "lobatto-3c");
    assert_int_equal(zn_scene_settings(scene)->stages, 2);
    assert_int_equal(zn_scene_settings(scene)->solver, ZN_SOLVER_PROJECTION);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void test_anchors_and_empty_sections(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context,
                                "title:\nparameters:\ncoordinates:\n  x: &start {start: 2}\n  y: *start\n  z:\nenergy:\n"
                                "  kinetic: >-\n    x'^2 +\n    y'^2 +\n    z'^2\ncontacts:\nsimulation:\n",
                                0, NULL);
    assert_string_equal(zn_scene_title(scene), "");
    check_close(zn_scene_model(scene)->q_start[1], 2, 0);
    check_close(zn_scene_model(scene)->q_start[2], 0, 0);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void test_earlier_errors_are_not_ours(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_equal(zn_scene_parse(context, "a.yaml", "[]", NULL, &scene), ZN_ERROR_SCENE);
    assert_int_equal(zn_scene_parse(context, "b.yaml", GOOD_SCENE, NULL, &scene), ZN_OK);
    assert_int_equal(zn_error_count(context), 1);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_natural_scene),
        cmocka_unit_test(test_set_replaces_parameters),
        cmocka_unit_test(test_forms_of_mass_and_force),
        cmocka_unit_test(test_reservoirs),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_anchors_and_empty_sections),
        cmocka_unit_test(test_earlier_errors_are_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
