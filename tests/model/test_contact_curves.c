/* SPDX-License-Identifier: Apache-2.0 */
/* Disks, spheres and capsules on curves and surfaces by formulas. */
#include "trial.h"

static const char *const schemes[] = {"radau-2a", "moreau-midpoint", "rattle", "lobatto-3a3b", "generalized-alpha"};

static void same_motion(const char *form, const char *known, const char *formula, int n, double tolerance) {
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        char a_text[560], b_text[560];
        snprintf(a_text, sizeof a_text, "%s\n  bowl: %s\n", form, known);
        snprintf(b_text, sizeof b_text, "%s\n  bowl: %s\n", form, formula);
        trial a = trial_complete(a_text, (trial_options){.scheme = schemes[s]}),
              b = trial_complete(b_text, (trial_options){.scheme = schemes[s]});
        for (int i = 0; i < n; i++) check_close(trial_q(&b, i), trial_q(&a, i), tolerance);
        const double *P = zn_simulation_percussion_totals(b.simulation);
        check_below(1, P[0]); /* it is in the bowl */
        check_close(P[0], zn_simulation_percussion_totals(a.simulation)[0], 1e-8);
        trial_end(&a), trial_end(&b);
    }
}

/* A circle by its equation, and by y = f(x), is the hollow circle; also when the body of the bowl is turned and moved. */
static void a_disk_in_a_bowl(void **state) {
    (void)state;
    const char form[] =
        "gravity: [0, -9.81]\n"
        "bodies: {ball: {type: planar, position: [0.6, -0.55], velocity: [0.2, 0.1], angle_rate: 5, mass: 1, inertia: 0.004}}\n"
        "contacts: {bowl: {between: [rim, bowl], friction: 0.3, restitution: 0.4}}\n"
        "simulation: {step: 2e-3, end: 1}\n"
        "geometry:\n"
        "  rim: {on: ball, type: disk, radius: 0.1}";
    same_motion(form, "{type: hollow-circle, radius: 1}", "{type: curve, f: 1 - x^2 - y^2}", 3, 1e-9);
    same_motion(form, "{type: hollow-circle, radius: 1}", "{type: curve, y: -sqrt(1 - x^2)}", 3, 1e-9);
    same_motion(form, "{type: hollow-circle, radius: 1}", "{type: curve, f: 1 - (x - 0.2)^2 - y^2, at: [-0.2, 0]}", 3, 1e-9);
}

static void a_sphere_in_a_bowl(void **state) {
    (void)state;
    const char form[] = "gravity: [0, 0, -9.81]\n"
                        "bodies: {ball: {type: spatial, position: [0.5, 0.2, -0.6], velocity: [-0.3, 0.8, 0], mass: 1, inertia: 0.004}}\n"
                        "contacts: {bowl: {between: [ball.skin, bowl], friction: 0.3}}\n"
                        "simulation: {step: 2e-3, end: 0.5}\n"
                        "geometry:\n"
                        "  ball.skin: {on: ball, type: sphere, radius: 0.1}";
    same_motion(form, "{type: hollow-sphere, radius: 1}", "{type: surface, f: 1 - x^2 - y^2 - z^2}", 7, 1e-9);
}

/* Without friction and impacts a disk on a parabola keeps its energy, does not penetrate, and its centre is at R from the curve. */
static void a_disk_on_a_parabola(void **state) {
    (void)state;
    const char *scene =
        "parameters: {R: 0.2, x0: 1}\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  ball: {type: planar, mass: 1, inertia: 0.02, position: [x0 - R*2*x0/sqrt(1 + 4*x0^2), x0^2 + R/sqrt(1 + 4*x0^2)]}\n"
        "geometry: {rim: {on: ball, type: disk, radius: R}, slope: {type: curve, y: x^2}}\n"
        "contacts: {slope: {between: [rim, slope], friction: 0.5}}\n"
        "simulation: {scheme: radau-2a, stages: 2, step: 2e-3, end: 2}\n";
    trial r = trial_begin(scene, (trial_options){.scheme = "radau-2a", .stages = 2});
    double T, V, E;
    zn_simulation_energy(r.simulation, &T, &V);
    E = T + V;
    double highest = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double x = trial_q(&r, 0), y = trial_q(&r, 1), nearest = INFINITY;
        for (int i = -2000; i <= 2000; i++) { /* distance by looking everywhere */
            double s = i * 1e-3;
            nearest = fmin(nearest, hypot(x - s, y - s * s));
        }
        check_close(nearest, 0.2 + zn_simulation_gaps(r.simulation)[0], 5e-6);
        highest = fmax(highest, trial_u(&r, 2));
    }
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_penetration, 1e-10);
    zn_simulation_energy(r.simulation, &T, &V);
    check_below(2, highest); /* it rolls */
    double lost = zn_simulation_contact_work(r.simulation, 0).friction;
    check_close(T + V + lost, E, 1e-5 * E);
    trial_end(&r);
}

/* A capsule lies with both ends on a wave; what is refused is said. */
static void capsules_and_errors(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, -9.81]\n"
        "bodies: {trunk: {type: planar, mass: 1, inertia: 0.1, position: [0.2, 0.8]}}\n"
        "geometry: {skin: {on: trunk, type: capsule, radius: 0.1, length: 1, axis: [1, 0]}, ground: {type: curve, y: 0.2*cos(2*x)}}\n"
        "contacts: {ground: {between: [skin, ground], friction: 0.8}}\n"
        "forces: {trunk.x: -2*trunk.x', trunk.phi: -trunk.phi'}\n"
        "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 8}\n";
    trial r = trial_complete(scene, (trial_options){.scheme = "moreau-midpoint"});
    for (int i = 0; i < 3; i++) check_close(trial_u(&r, i), 0, 1e-9);
    check_below(zn_simulation_statistics(r.simulation).max_penetration, 5e-3);
    trial_end(&r);
    zn_context *context = zn_context_create(NULL);
    zn_scene *parsed = NULL;
    const char *wrong = "bodies: {egg: {type: planar, mass: 1, inertia: 0.1, position: [0, 2]}}\n"
                        "geometry: {skin: {on: egg, type: ellipse, size: [0.2, 0.3]}, ground: {type: curve, y: x^2}}\n"
                        "contacts: {ground: {between: [skin, ground]}}\n"
                        "simulation: {step: 1e-3, end: 1}\n";
    assert_int_not_equal(zn_scene_parse(context, "test", wrong, NULL, &parsed), ZN_OK);
    assert_non_null(strstr(zn_error_text(context), "ellipsoids touch planes only"));
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_disk_in_a_bowl), cmocka_unit_test(a_sphere_in_a_bowl),
                                       cmocka_unit_test(a_disk_on_a_parabola), cmocka_unit_test(capsules_and_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
