/* SPDX-License-Identifier: Apache-2.0 */
/* Energies that are not finite are errors: at the start, in rows, at the end. Forces do not show them: a potential that is constant in
 * the coordinates has none. */
#include "trial.h"

#include "base/base.h"

#define HEAD "coordinates: {x: 1, y: 1}\nenergy:\n  kinetic: (x'^2 + y'^2)/2\n  potential: "
#define TAIL "\nsimulation: {scheme: rattle, step: 0.01, end: 2}\n"

/* The status and sentence of loading, creating and running a text. */
static zn_status run(zn_context *context, const char *text, int *steps) {
    zn_scene *scene = NULL;
    zn_simulation *simulation = NULL;
    zn_status status = zn_scene_parse(context, "test.yaml", text, NULL, &scene);
    if (status == ZN_OK) status = zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation);
    if (status == ZN_OK) status = zn_simulation_run(simulation, NULL, NULL);
    if (steps) *steps = (int)zn_simulation_statistics(simulation).steps;
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    return status;
}

static void at_the_start(void **state) {
    (void)state;
    static const char *const texts[] = {HEAD "0/0" TAIL, HEAD "x + 1/0" TAIL, HEAD "log(-1)" TAIL, HEAD "y + sqrt(-2 - t)" TAIL,
                                        ("bodies: {b: {type: planar, mass: 1, inertia: 1}}\nenergy: {kinetic: 0, potential: b.x + 0/0}\n"
                                         "simulation: {step: 0.1, end: 1}\n")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        zn_context *context = zn_context_create(NULL);
        if (run(context, texts[i], NULL) != ZN_ERROR_SCENE) fail_msg("accepted: %s", texts[i]);
        const zn_error *error = zn_error_get(context, 0);
        assert_non_null(strstr(error->message, "not finite"));
        assert_true(error->line > 0);
        zn_context_destroy(context);
    }
}

static void during_the_run(void **state) {
    (void)state;
    static const char *const texts[] = {HEAD "x + log(1.5 - t)" TAIL, HEAD "y + sqrt(1 - t)" TAIL, HEAD "x + 0/(1.97 - t)" TAIL};
    for (int i = 0; i < 2; i++) {
        zn_context *context = zn_context_create(NULL);
        assert_int_equal(run(context, texts[i], NULL), ZN_ERROR_NOT_FINITE);
        assert_non_null(strstr(zn_error_text(context), "the potential energy of 'the model' is not finite at t = 2"));
        zn_context_destroy(context);
    }
    zn_context *context = zn_context_create(NULL); /* 0/0 only between two rows: nobody saw it */
    assert_int_equal(run(context, texts[2], NULL), ZN_OK);
    zn_context_destroy(context);
}

/* A row that is recorded, and an account, say it when it happens. */
static void in_rows_and_accounts(void **state) {
    (void)state;
    trial r = trial_begin(HEAD "x + log(0.5 - t)" TAIL, (trial_options){.scheme = "rattle"});
    zn_account *account = NULL;
    zn_recorder *recorder = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    assert_int_equal(zn_recorder_create(r.context, r.simulation, "", "", "test_sim_energy.csv", &recorder), ZN_OK);
    zn_status row = ZN_OK, update = ZN_OK;
    while (row == ZN_OK && update == ZN_OK) {
        trial_step(&r);
        row = zn_recorder_row(recorder), update = zn_account_update(account);
        assert_true(zn_simulation_time(r.simulation) < 0.6);
    }
    assert_int_equal(row, ZN_ERROR_NOT_FINITE);
    assert_int_equal(update, ZN_ERROR_NOT_FINITE);
    check_close(zn_simulation_time(r.simulation), 0.5, 1e-9);
    assert_int_equal(zn_recorder_finish(recorder, false), ZN_OK);
    remove("test_sim_energy.csv.partial");
    zn_account_destroy(account);
    trial_end(&r);
}

/* What rests on a stop is moved off by forces that grow from zero, and by drives: energy that the kinetic energy at the start is no measure
 * of. Stages of Runge-Kutta schemes that let go within a step are none that have nothing to do with the motion. */
static void from_rest(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int stages;
    } list[] = {{"radau-2a", 2}, {"radau-2a", 3}, {"lobatto-3c", 2}, {"lobatto-3c", 3}, {"lobatto-3c", 4}, {"sdirk3", 0}, {"tr-bdf2", 0}};
    static const struct {
        const char *force;
        double way; /* after 0.1 s */
    } forces[] = {
        {"t", 1e-3 / 6},        {"t^2", 1e-4 / 12}, {"cos(2*t)", 0.00498335555}, {"1 - t", 5e-3 - 1e-3 / 6}, {"exp(-t)", 0.00483741804},
        {"1 - 1000*x'", 9.9e-5}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        trial_options o = {.scheme = list[k].scheme, .stages = list[k].stages};
        for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
            char text[400];
            snprintf(text, sizeof text,
                     "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nforces: {x: %s}\ncontacts: {stop: {gap: x}}\n"
                     "simulation: {step: 1e-3, end: 0.1}\n",
                     forces[i].force);
            trial r = trial_complete(text, o);
            check_close(trial_q(&r, 0), forces[i].way, 1e-6); /* of second order in the step */
            trial_end(&r);
        }
        trial r = trial_complete(
            "bodies: {w: {type: planar, mass: 1, inertia: 0.5}}\n"
            "joints: {h: {type: revolute, between: [world, w], stops: [0, null]}, m: {type: motor, between: [world, w], drive: 5*t}}\n"
            "simulation: {step: 1e-3, end: 0.1}\n",
            o);
        check_close(trial_q(&r, 2), 0.025, 1e-9);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_the_start), cmocka_unit_test(during_the_run),
                                       cmocka_unit_test(in_rows_and_accounts), cmocka_unit_test(from_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
