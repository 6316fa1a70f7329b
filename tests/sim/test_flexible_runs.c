/* SPDX-License-Identifier: Apache-2.0 */
/* Flexible bodies in motion: the bar and the pendulum of the papers, stability of large steps, the account of energy, scenes. */
#include "model/parts_mechanisms.h"
#include "trial.h"

/* ---- elastic bar ---- */

typedef struct bar_run {
    double first, last, force, impulse, energy_start, energy_end, growth; /* growth: of the energy in one step, the most */
    double iterations;                                                    /* mean of contact steps */
} bar_run;

static double energy_of(const zn_simulation *s) {
    double T, V;
    zn_simulation_energy(s, &T, &V);
    return T + V;
}

static bar_run run_bar(const char *scheme, int stages) {
    trial t = trial_begin("elastic-bar", (trial_options){.scheme = scheme, .stages = stages});
    bar_run r = {.energy_start = energy_of(t.simulation)};
    double energy = r.energy_start, plateau = 0, newton = 0;
    int steps = 0, contacts = 0;
    while (!zn_simulation_done(t.simulation)) {
        zn_statistics before = zn_simulation_statistics(t.simulation);
        trial_step(&t);
        zn_statistics after = zn_simulation_statistics(t.simulation);
        double P = zn_simulation_percussions(t.simulation)[0], now = zn_simulation_time(t.simulation);
        if (P > 0) {
            r.last = now;
            if (!contacts++) r.first = now;
            newton += after.newton_mean * (double)after.newton_steps - before.newton_mean * (double)before.newton_steps;
        }
        if (now > 0.6 && now < 1.05) plateau += P / 2e-3, steps++;
        r.growth = fmax(r.growth, energy_of(t.simulation) - energy);
        energy = energy_of(t.simulation);
    }
    r.force = plateau / steps;
    r.iterations = newton / contacts;
    r.impulse = zn_simulation_percussion_totals(t.simulation)[0];
    r.energy_end = energy;
    trial_end(&t);
    return r;
}

/* The wave runs to the free end and back: contact for 2 L/c = 2/3 with the force A sqrt(E rho) v = 300, impulse nearly 200. */
static void bar_against_a_wall(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int stages;
        double energy_end; /* what the scheme's dissipation leaves of 500 */
    } cases[] = {{"generalized-alpha-pva", 1, 497.4}, {"generalized-alpha-pvv", 1, 497.4}, {"radau-2a", 2, 494.2}, {"tr-theta", 0, 497.4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bar_run r = run_bar(cases[i].scheme, cases[i].stages);
        check_close(r.first, 0.5, 2.1e-3); /* round-off decides between 0.5 and 0.502 */
        check_close(r.last - r.first + 2e-3, 0.67, 2.1e-3);
        check_near(r.force, 300, 1e-4);
        check_near(r.impulse, 200, 0.01);
        check_near(r.energy_start, 500, 1e-12);
        check_close(r.energy_end, cases[i].energy_end, 0.3);
        check_below(r.growth, i < 2 ? 5e-3 : 1e-9); /* generalized-alpha exchanges a little with its accelerations */
        check_below(r.iterations, i < 2 ? 1.1 : 4.5);
    }
}

/* ---- flexible pendulum ---- */

/* Until just after the first contact, with the paper's step. The energy decays: what it regains at most (generalized-alpha exchanges a
 * little with its accelerations) is far below what the impact takes. */
static void pendulum_against_a_wall(void **state) {
    (void)state;
    trial t = trial_begin("flexible-pendulum", (trial_options){.scheme = "generalized-alpha-pva", .end = 0.3275});
    double first = 0, impulse = 0, energy = energy_of(t.simulation), growth = 0;
    while (!zn_simulation_done(t.simulation)) {
        trial_step(&t);
        double P = zn_simulation_percussions(t.simulation)[2];
        if (P > 0 && first == 0) first = zn_simulation_time(t.simulation), impulse = P;
        growth = fmax(growth, energy_of(t.simulation) - energy);
        energy = fmin(energy, energy_of(t.simulation)); /* the least so far */
    }
    check_close(first, 0.327025, 1e-9);
    check_close(impulse, 0.18373188, 2e-8);
    check_below(growth, 1e-4);
    check_below(energy, -1e-2); /* the impact took something */
    trial_end(&t);
}

/* ---- stiff beams, large steps ---- */

#define STIFF                                                                                                               \
    "gravity: [0, -9.81]\nbodies:\n"                                                                                        \
    "  b: {type: beam, from: [0, 0], to: [1, 0], elements: 8, young: 2.1e11, poisson: 0.3, area: 1e-4, inertia: 8.33e-10, " \
    "density: 7800}\njoints: {hinge: {type: revolute, between: [world, b.start]}}\n"                                        \
    "simulation: {scheme: radau-2a, step: 2e-3, end: 0.5, tolerance: 1e-7}\n"

/* Steps a thousand times above the stability bound of explicit forces. The tip falls as that of a rigid rod: phi'^2 = 3 g sin/L. */
static void implicit_schemes_take_large_steps(void **state) {
    (void)state;
    const char *const schemes[] = {"radau-2a", "tr-theta"};
    for (int i = 0; i < 2; i++) {
        trial t = trial_complete(STIFF, (trial_options){.scheme = schemes[i]});
        double phi = -atan2(trial_q(&t, 25), trial_q(&t, 24)), rate = hypot(trial_u(&t, 24), trial_u(&t, 25));
        check_near(hypot(trial_q(&t, 24), trial_q(&t, 25)), 1, 1e-4);
        check_near(rate * rate, 3 * 9.81 * sin(phi), 0.03); /* a little is in vibrations */
        trial_end(&t);
    }
}

static void explicit_schemes_say_why_they_diverge(void **state) {
    (void)state;
    const char *const schemes[] = {"rattle", "moreau", "moreau-midpoint", "moreau-variational", "lobatto-3a3b"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial t = trial_begin(STIFF, (trial_options){.scheme = schemes[i], .stages = i == 4 ? 3 : 0});
        zn_status status = ZN_OK;
        for (int step = 0; step < 250 && status == ZN_OK; step++) status = zn_simulation_step(t.simulation);
        const char *said = zn_error_text(t.context);
        if (status == ZN_OK || !strstr(said, "too large for") || !strstr(said, "radau-2a") || !strstr(said, schemes[i]))
            fail_msg("%s said: %s", schemes[i], said);
        trial_end(&t);
    }
    trial t = trial_complete(STIFF, (trial_options){.scheme = "rattle", .step = 5e-7, .end = 5e-4}); /* below the bound it runs */
    trial_end(&t);
}

/* ---- damping and the account ---- */

/* Stiffness-proportional damping b gives the mode with frequency w the decay b w^2/2: a bar that was stretched in its first mode. */
static void damping_follows_the_stiffness(void **state) {
    (void)state;
    const char *scene = "bodies:\n  b: {type: bar, from: [0, 0], to: [1, 0], elements: 1, EA: 4, line_density: 2, mass: "
                        "lumped, damping: 0.05}\n"
                        "joints: {wall: {type: spherical, between: [world, b.start]}}\n"
                        "coordinates: {dummy: 0}\nenergy: {kinetic: dummy'^2/2}\n"
                        "forces:\n  push: {type: body, on: b.end, force: [\"if(t < 0.01, 50, 0)\", 0]}\n"
                        "simulation: {scheme: radau-2a, stages: 3, step: 1e-3, end: 6}\n";
    trial t = trial_begin(scene, (trial_options){.scheme = "radau-2a", .stages = 3});
    double last = 0, peak[2] = {0}, when[2] = {0};
    int peaks = 0;
    while (!zn_simulation_done(t.simulation) && peaks < 2) {
        double before = trial_u(&t, 1);
        trial_step(&t);
        if (before > 0 && trial_u(&t, 1) <= 0 && trial_q(&t, 1) > 1)
            peak[peaks] = trial_q(&t, 1) - 1, when[peaks++] = zn_simulation_time(t.simulation);
        last = zn_simulation_time(t.simulation);
    }
    const double w2 = 4, decay = 0.05 * w2 / 2; /* stiffness 4, mass 1 */
    assert_int_equal(peaks, 2);
    check_below(last, 6);
    check_close(when[1] - when[0], 2 * 3.14159265358979 / sqrt(w2 - decay * decay), 2e-3);
    check_near(peak[1] / peak[0], exp(-decay * (when[1] - when[0])), 1e-3);
    trial_end(&t);
}

/* A soft cantilever falls and comes to rest: what its energy loses is what its damping took, and stands at its elements. */
static void account_of_a_damped_beam(void **state) {
    (void)state;
    const char *scene = "gravity: [0, -10]\nbodies:\n"
                        "  b: {type: beam, from: [0, 0], to: [1, 0], elements: 4, EA: 400, GA: 300, EI: 1, line_density: "
                        "0.2, rotary: 0.01, damping: 0.02}\n"
                        "joints: {clamp: {type: fixed, between: [world, b.start]}}\nsimulation: {scheme: radau-2a, stages: "
                        "3, step: 1e-3, end: 1}\n";
    trial t = trial_begin(scene, (trial_options){.scheme = "radau-2a", .stages = 3});
    zn_account *account = NULL;
    assert_int_equal(zn_account_create(t.context, t.simulation, &account), ZN_OK);
    double start = energy_of(t.simulation), work = 0;
    while (!zn_simulation_done(t.simulation)) {
        trial_step(&t);
        assert_int_equal(zn_account_update(account), ZN_OK);
    }
    zn_part_account all = zn_account_total(account);
    const zn_model *model = zn_scene_model(t.scene);
    for (int i = 0; i < zn_model_part_count(model); i++)
        if (zn_model_part_info(model, i).group) work += zn_account_part(account, i).work;
    check_below(work, -0.05);
    check_near(all.work, work, 1e-12);
    check_close(energy_of(t.simulation), start + work, 1e-5); /* the account's trapezoidal rule */
    check_close(all.scheme, 0, 1e-5);
    zn_account_destroy(account);
    trial_end(&t);
}

/* ---- scenes ---- */

/* On both supports alike; what they push is the weight in the mean, and friction never exceeds its cone. */
static void the_beam_bounces(void **state) {
    (void)state;
    trial t = trial_begin("beam-bounce", (trial_options){.scheme = "generalized-alpha"});
    double energy = energy_of(t.simulation);
    while (!zn_simulation_done(t.simulation)) {
        trial_step(&t);
        const double *P = zn_simulation_percussions(t.simulation);
        for (int i = 0; i < 2; i++) check_below(fabs(P[2 + i]), 0.3 * P[i] + 1e-9);
        check_below(energy_of(t.simulation), energy + 1e-6);
        energy = energy_of(t.simulation);
    }
    const double *P = zn_simulation_percussion_totals(t.simulation);
    check_near(P[0], P[1], 1e-6);
    check_near(P[0] + P[1], 0.4 * 9.81, 5e-3); /* weight times one second; little momentum is left */
    trial_end(&t);
}

static void the_swung_beam_hits_the_wall(void **state) {
    (void)state;
    trial t = trial_complete("swung-beam", (trial_options){.scheme = "radau-2a", .stages = 2, .end = 0.7});
    assert_true(zn_simulation_percussion_totals(t.simulation)[3] > 0);
    check_below(zn_simulation_statistics(t.simulation).max_penetration, 1e-8);
    trial_end(&t);
}

static void the_cantilever_closes(void **state) {
    (void)state;
    trial t = trial_complete("cantilever", (trial_options){.scheme = "radau-2a", .stages = 2});
    const int last = zn_scene_model(t.scene)->size.nq - 3;
    check_close(trial_q(&t, last), 0, 1e-8);
    check_close(trial_q(&t, last + 1), 0, 1e-8);
    check_close(trial_q(&t, last + 2), 2 * 3.14159265358979, 1e-7);
    trial_end(&t);
}

/* The pendulum of steel with more elements and every amount of damping, at a step far beyond its fast oscillations: through the impact at t
 * = 0.327025 no step is cut, and no energy comes from nowhere (it falls from zero). */
static void steel_with_every_damping(void **state) {
    (void)state;
    const char *const schemes[] = {"generalized-alpha", "generalized-alpha-pva", "generalized-alpha-pvv"};
    const double damping[] = {0, 0.5, 1}, h = 1e-4;
    for (int e = 8; e <= 32; e *= 4)
        for (int k = 0; k < 9; k++) {
            char scene[600];
            snprintf(scene, sizeof scene,
                     "gravity: [0, -10]\n"
                     "bodies:\n"
                     "  beam: {type: beam, from: [0, 0], to: [1, 0], elements: %d, young: 2.1e11, poisson: 0.3, area: 1e-4, inertia: "
                     "8.33e-10, density: 7800}\n"
                     "joints: {hinge: {type: revolute, between: [world, beam.start]}}\n"
                     "contacts: {wall: {gap: beam_end.x - sqrt(2)/2}}\n"
                     "simulation: {step: %g, end: 0.34, damping: %g, tolerance: 1e-7}\n",
                     e, h, damping[k / 3]);
            trial r = trial_begin(scene, (trial_options){.scheme = schemes[k % 3]});
            double first = 0;
            while (!zn_simulation_done(r.simulation)) {
                trial_step(&r);
                if (first == 0 && zn_simulation_percussion_totals(r.simulation)[zn_scene_model(r.scene)->contacts[0].row_N] > 0)
                    first = zn_simulation_time(r.simulation);
            }
            check_close(first, 0.327025, 3 * h);
            check_below(energy_of(r.simulation), 1e-3);
            zn_statistics s = zn_simulation_statistics(r.simulation);
            check_below(s.max_residual, 1e-7);
            assert_int_equal(s.rejected, 0);
            trial_end(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_against_a_wall),
        cmocka_unit_test(pendulum_against_a_wall),
        cmocka_unit_test(implicit_schemes_take_large_steps),
        cmocka_unit_test(explicit_schemes_say_why_they_diverge),
        cmocka_unit_test(damping_follows_the_stiffness),
        cmocka_unit_test(account_of_a_damped_beam),
        cmocka_unit_test(the_beam_bounces),
        cmocka_unit_test(the_swung_beam_hits_the_wall),
        cmocka_unit_test(the_cantilever_closes),
        cmocka_unit_test(steel_with_every_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
