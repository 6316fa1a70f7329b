/* SPDX-License-Identifier: Apache-2.0 */
/* Models that become NaN or infinite on the way: with every scheme the run ends with a sentence that says what is not finite and when, and
 * the last good state stays. */
#include "trial.h"

#define HEAD "parameters: {m: 1, g: 9.81}\nsimulation: {scheme: radau-2a, step: 1e-2, end: 2}\n"
#define FREE "coordinates: {x: 0, y: {start: 1, velocity: 1}}\n"
#define REST "coordinates: {x: 0, y: 0}\n"
#define KINETIC "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y"

typedef struct breaking {
    const char *name, *scene, *says;
    double first, last; /* when */
    bool steep;         /* steps of their own size follow it until they fail for its slope */
} breaking;

static const breaking models[] = {
    {"a force, at a time", HEAD FREE KINETIC " + 1e-3*x*log(1.5 - t)}\n", "the force on 'x''", 1.48, 1.52, false},
    {"the same, the other coordinate", HEAD "coordinates: {y: 1, x: 0}\n" KINETIC " + 1e-3*x*log(1.5 - t)}\n", "the force on 'x''", 1.48,
     1.52, false},
    {"a force, infinite at a time", HEAD FREE KINETIC " + 1e-3*x*exp(1e9*(t - 1.5))}\n", "the force on 'x''", 1.48, 1.53, true},
    {"a force, at a state", HEAD FREE KINETIC " + 1e-3*x*log(y - 0.2)}\n", "the force on 'x''", 0.5, 0.54, false},
    {"a mass, at a state", HEAD FREE "energy: {kinetic: (m + 1e-3*sqrt(y + 1))/2*(x'^2 + y'^2), potential: m*g*y}\n", "the mass of 'x''",
     0.7, 0.78, false},
    {"the gap of an open contact",
     HEAD "coordinates: {x: 0, y: {start: 1, velocity: 10}}\n" KINETIC
          "}\ncontacts: {floor: {gap: y + 1e-9*sqrt(1.5 - t), restitution: 0.5}}\n",
     "the gap of 'floor'", 1.48, 1.52, false},
    {"the gap of a closed contact", HEAD REST KINETIC "}\ncontacts: {floor: {gap: y + 1e-9*sqrt(1.5 - t)}}\n", "the gap of 'floor'", 1.48,
     1.52, false},
    {"a slip velocity", HEAD REST KINETIC "}\ncontacts: {floor: {gap: y, slip: x' + 1e-9*sqrt(1.5 - t), friction: 0.3}}\n",
     "the slip velocity 1 of 'floor'", 1.48, 1.52, false},
    {"a constraint",
     HEAD "coordinates: {x: 1, y: 0}\n" KINETIC
          "}\nconstraints: {rod: {position: 'x^2 + y^2 - 1 + 1e-9*max(0, t - 1.2)^4*sqrt(1.5 - t)'}}\n",
     "the constraint 'rod'", 1.48, 1.52, false},
    {"a constraint of velocities",
     HEAD "coordinates: {x: 1, y: 0}\n" KINETIC "}\nconstraints: {tie: {velocity: \"x' - y' + 1e-9*max(0, t - 1.2)^4*sqrt(1.5 - t)\"}}\n",
     "the constraint 'tie'", 1.48, 1.52, false},
    {"kinematics",
     HEAD "coordinates: {x: 0, y: 1}\nvelocities: {v: 1, w: 0}\nkinematics: {x: v + 1e-9*sqrt(1.5 - t), y: w}\nmass: {v: m, "
          "w: m}\nforce: {w: -m*g}\n",
     "the rate of 'x'", 1.48, 1.52, false},
    {"a prescribed motion",
     HEAD "gravity: [0, -9.81]\nbodies:\n  ball: {type: particle, mass: 1, position: [0, 1]}\n"
          "  table: {type: prescribed, position: [0, 1e-3*sqrt(1.5 - t)]}\nforces: {spring: {type: spring, between: [table, "
          "ball], stiffness: 10, length: 0.1}}\n",
     "the force on 'ball.", 1.48, 1.52, false},
};

/* Steps until one fails; what is there then is finite. */
static void expect_failure(const breaking *b, const char *scheme, trial *r) {
    const zn_model *model = zn_simulation_model(r->simulation);
    int nq = model->size.nq, nu = model->size.nu;
    double t = 0;
    zn_status status = ZN_OK;
    assert_in_range(nq, 1, 8);
    while (status == ZN_OK && !zn_simulation_done(r->simulation)) {
        status = zn_simulation_step(r->simulation);
        t = zn_simulation_time(r->simulation);
        for (int i = 0; i < nq; i++) assert_true(isfinite(trial_q(r, i)));
        for (int i = 0; i < nu; i++) assert_true(isfinite(trial_u(r, i)));
    }
    const char *text = status == ZN_OK ? "" : zn_error_text(r->context);
    if (status != ZN_ERROR_NOT_FINITE || !strstr(text, b->says) || !strstr(text, "is not finite at t = "))
        fail_msg("%s, %s: status %d at t = %g: %s", b->name, scheme, (int)status, t, text);
    if (!(t >= b->first && t <= b->last)) fail_msg("%s, %s: failed at t = %g", b->name, scheme, t);
}

static void test_every_scheme(void **state) {
    (void)state;
    int runs = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int k = 0; k < zn_scheme_count(); k++)
            for (int automatic = 0; automatic < 2; automatic++) {
                const breaking *b = &models[i];
                if (automatic && b->steep) continue;
                trial r = {.context = zn_context_create(NULL)};
                zn_scene_options options = {0};
                if (zn_scene_parse(r.context, "test", b->scene, &options, &r.scene) != ZN_OK)
                    fail_msg("%s: %s", b->name, zn_error_text(r.context));
                zn_settings settings = *zn_scene_settings(r.scene);
                settings.scheme = zn_scheme_get(k).name;
                if (automatic) settings.step_auto = true, settings.accuracy = 1e-3;
                zn_status status = zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation);
                if (status == ZN_OK) expect_failure(b, settings.scheme, &r), runs++;
                else assert_int_equal(status, ZN_ERROR_UNSUPPORTED);
                trial_end(&r);
            }
    assert_true(runs > 300);
}

/* A mass that falls through zero, or a coupled mass matrix whose determinant does while its diagonal stays positive, in time or in place:
 * beyond it every motion would be an answer to nothing. Also at the very end of a run. */
static void test_massless(void **state) {
    (void)state;
#define COUPLED(by) "energy: {kinetic: m/2*(y'^2 + x'^2) + (" by ")*x'*y', potential: 0*y}\n"
#define START \
    "coordinates: {y: {start: 1, velocity: 1}, x: {start: 2, velocity: -1}}\n" /* along the direction that loses its mass: diverges */
#define ALONG "coordinates: {y: {start: 1, velocity: 1}, x: {start: 2, velocity: 1}}\n" /* stays finite */
    static const struct {
        const char *text, *said;
        double at;
    } scenes[] = {
        {HEAD FREE "energy: {kinetic: (1.205 - t)/2*x'^2 + m/2*y'^2, potential: m*g*y}\n", "the mass of 'x'' is not positive at t = 1.",
         1.205},
        {HEAD START "energy: {kinetic: m/2*y'^2 + (1.205 - t)/2*x'^2, potential: m*g*y}\ncontacts: {floor: {gap: y}}\n",
         "the mass of 'x'' is not positive at t = 1.", 1.205},
        {HEAD ALONG COUPLED("m*t/1.205"), "together with the velocities before it is not positive at t = 1.", 1.205},
        {HEAD START COUPLED("m*t/1.205") "contacts: {floor: {gap: y + 10}}\n",
         "together with the velocities before it is not positive at t = 1.", 1.205},
        {HEAD "coordinates: {y: 1, z: {start: 1, velocity: 1}, x: 2}\n"
              "energy: {kinetic: m/2*(x'^2 + y'^2 + z'^2) + m*z/2.205*x'*y', potential: 0*y}\n",
         "together with the velocities before it is not positive at t = ", 1.205},
        {HEAD ALONG COUPLED("m*t/1.995"), "together with the velocities before it is not positive at t = ", 1.995},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (int k = 0; k < zn_scheme_count(); k++)
            for (int automatic = 0; automatic < 2; automatic++) {
                if (strstr(scenes[i].text, "contacts") && !zn_scheme_get(k).contacts) continue;
                trial r = {.context = zn_context_create(NULL)};
                assert_int_equal(zn_scene_parse(r.context, "test", scenes[i].text, NULL, &r.scene), ZN_OK);
                zn_settings settings = *zn_scene_settings(r.scene);
                settings.scheme = zn_scheme_get(k).name;
                if (automatic) settings.step_auto = true, settings.accuracy = 1e-3;
                zn_status status = zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation);
                if (status != ZN_ERROR_UNSUPPORTED) {
                    assert_int_equal(status, ZN_OK);
                    while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
                    const char *text = status == ZN_OK ? "" : zn_error_text(r.context);
                    if (status != ZN_ERROR_NOT_FINITE || !strstr(text, scenes[i].said))
                        fail_msg("scene %d, %s%s: status %d: %s", (int)i, settings.scheme, automatic ? ", auto" : "", (int)status, text);
                    check_close(zn_simulation_time(r.simulation), scenes[i].at, automatic ? 0.3 : 2.01e-2);
                }
                trial_end(&r);
            }
}

/* Outputs and energies do not act on the motion; a caller that asks for them gets an error. */
static void test_asked_for(void **state) {
    (void)state;
    static const char scene[] = HEAD FREE KINETIC " + 1e-9*log(1.5 - t)}\noutputs: {depth: log(1.2 - t)}\n";
    double value;
    trial r = trial_begin(scene, (trial_options){.scheme = "rattle"});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    assert_int_equal(zn_simulation_outputs(r.simulation, &value), ZN_OK);
    zn_status status = ZN_OK;
    while (status == ZN_OK) trial_step(&r), status = zn_account_update(account);
    check_close(zn_simulation_time(r.simulation), 1.5, 1.5e-2);
    assert_int_equal(status, ZN_ERROR_NOT_FINITE);
    assert_non_null(strstr(zn_error_text(r.context), "the potential energy of 'the model' is not finite at t = 1.5"));
    assert_int_equal(zn_simulation_outputs(r.simulation, &value), ZN_ERROR_NOT_FINITE);
    assert_non_null(strstr(zn_error_text(r.context), "the output 'depth' is not finite at t = 1.5"));
    zn_account_destroy(account);
    trial_end(&r);
}

/* A derivative that is not finite where the value is: schemes that need it say so, the others go on. */
static void test_derivative(void **state) {
    (void)state;
    static const char scene[] = HEAD "coordinates: {x: 0.5, y: 0}\nenergy: {kinetic: m/2*(x'^2 + y'^2)}\nforces: {x: -1 - "
                                     "exp(-exp(800*(0.4 - x))), y: 1}\n";
    int failed = 0;
    for (int k = 0; k < zn_scheme_count(); k++) {
        trial r = trial_begin(scene, (trial_options){.scheme = zn_scheme_get(k).name});
        zn_status status = ZN_OK;
        while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
        if (status != ZN_OK) {
            failed++;
            if (!strstr(zn_error_text(r.context), "the derivative of the force on 'x'' by 'x' is not finite at t = "))
                fail_msg("%s: %s", zn_scheme_get(k).name, zn_error_text(r.context));
        } else
            check_close(trial_q(&r, 0), -2.0826,
                        1.7e-2); /* -2 until x = 0.4 at t = sqrt(0.1), met within a step of 0.01; then -1 for 1.7 s */
        trial_end(&r);
    }
    assert_true(failed > 0 && failed < zn_scheme_count());
}

/* Forces of velocities that the scheme evaluates at the start of the step: damping of 1000 1/s needs steps below 2/1000. */
static void test_divergence(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: {start: 1, velocity: 1}}\nenergy: {kinetic: x'^2/2}\nforces: {x: -1000*x'}\n"
                                "simulation: {scheme: moreau-midpoint, step: 1e-2, end: 10}\n";
    trial r = trial_begin(scene, (trial_options){.scheme = "moreau-midpoint"});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(r.context, r.simulation, &account), ZN_OK);
    zn_status status = ZN_OK;
    while (status == ZN_OK) trial_step(&r), status = zn_account_update(account);
    const char *text = zn_error_text(r.context);
    if (!strstr(text, "the motion has diverged: at t = 1.6") || !strstr(text, "try step: 0.001 or")) fail_msg("%s", text);
    zn_account_destroy(account);
    trial_end(&r);
    r = trial_complete(scene, (trial_options){.scheme = "moreau-midpoint", .step = 0.001}); /* the step that it named */
    check_close(trial_u(&r, 0), 0, 1e-12);
    trial_end(&r);
}

/* Times at the ends of what a double holds: a step that is much longer than the run does not move events and samples, a run of the least
 * length ends. */
static void test_extreme_times(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: 0}\nstates: {at: {rate: 0}}\nenergy: {kinetic: x'^2/2}\n"
                                "inputs: {push: {points: [[0, 0], [0.004, 1]]}}\nforces: {x: push}\n"
                                "events: {e: {when: t - 0.005, do: {at: t}}}\nsimulation: {scheme: rattle, step: 0.01, end: 0.01}\n";
    for (double step = 0.01; step < 1e308; step *= 1e77) {
        trial r = trial_complete(scene, (trial_options){.scheme = "rattle", .step = step});
        check_close(trial_q(&r, 1), 0.005, 1e-9);
        check_close(trial_u(&r, 0), 0.006, 1e-15);
        trial_end(&r);
    }
    trial r =
        trial_begin("coordinates: {x: 1}\nenergy: {kinetic: x'^2/2, potential: x}\ncontacts: {floor: {gap: x, slip: x', friction: 0.3}}\n"
                    "simulation: {scheme: rattle, step: 1e-3, end: 5e-324}\n",
                    (trial_options){.scheme = "rattle"});
    zn_status status = zn_simulation_run(r.simulation, NULL, NULL);
    assert_true(status == ZN_OK || zn_error_count(r.context) > 0);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scheme), cmocka_unit_test(test_massless),
                                       cmocka_unit_test(test_asked_for),    cmocka_unit_test(test_derivative),
                                       cmocka_unit_test(test_divergence),   cmocka_unit_test(test_extreme_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
