/* SPDX-License-Identifier: Apache-2.0 */
/* Schemes are maps from state to state: an attempt that is thrown away changes no bit of what follows. (One with another
 * step may change the pivots of factors that are used again, and so the last bits.) */
#include "trial.h"

#include "sim/simulation.h"

/* A hinged steel beam: its round-off is above the tolerance, which is found in the first steps and expected later. */
static const char steel[] = "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  beam: {type: beam, from: [0, 0.5], to: [1, 0.5], elements: 8, young: 2.1e11, poisson: 0.3, area: 1e-4, "
                            "inertia: 8.33e-10, density: 7800}\n"
                            "joints: {hinge: {type: revolute, between: [world, beam.start], at: [0, 0.5]}}\n"
                            "contacts: {floor: {gap: beam_end.y}}\n"
                            "simulation: {step: 2e-4, end: 0.2}\n";

static void check_scene(const char *scene, const char *name, int steps) {
    trial a = trial_begin(scene, (trial_options){.scheme = name}), b = trial_begin(scene, (trial_options){.scheme = name});
    const zn_model *model = zn_simulation_model(a.simulation);
    size_t nu = (size_t)model->size.nu * sizeof(double), nq = (size_t)model->size.nq * sizeof(double);
    for (int step = 0; step < steps && !zn_simulation_done(a.simulation); step++) {
        cone_outcome outcome;
        zn_simulation *sim = a.simulation;
        double h = sim->settings.step;
        sim_try(sim, &sim->now, h, sim->now.t + h, &sim->next, &outcome);
        assert_true(sim->now.noise == b.simulation->now.noise);
        trial_step(&a), trial_step(&b);
        bool same = memcmp(zn_simulation_velocities(a.simulation), zn_simulation_velocities(b.simulation), nu) == 0 &&
                    memcmp(zn_simulation_positions(a.simulation), zn_simulation_positions(b.simulation), nq) == 0;
        if (!same) fail_msg("%s with %s: step %d depends on an attempt that was thrown away", scene, name, step + 1);
    }
    trial_end(&a), trial_end(&b);
}

static void attempts_leave_no_mark(void **state) {
    (void)state;
    static const char *const scenes[] = {"rotating-ball", "slider-crank", "woodpecker", "bouncing-pendulum", "spring-slider"};
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
            if (info.contacts && (info.friction || k == 3) && (info.any_dynamics || k == 0)) check_scene(scenes[k], info.name, 300);
    }
}

static void not_even_that_roundoff_is_to_be_expected(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a",     "generalized-alpha", "generalized-alpha-pva",
                                          "moreau-theta", "tr-bdf2",           "lobatto-3c"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) check_scene(steel, schemes[i], 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_leave_no_mark),
        cmocka_unit_test(not_even_that_roundoff_is_to_be_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
