/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerance is relative to scales of the problem: fast and stiff systems are solved to it, no step is cut because of round-off, and
 * units of length, time and mass change nothing but the numbers. */
#include "trial.h"

#include <stdlib.h>

/* Andrews' mechanism: velocities of 10^3 1/s, accelerations of 10^7 1/s^2. */
static void fast_mechanism(void **state) {
    (void)state;
    const double exact[] = {15.8107711963, -15.7563710598, 0.0408222401307, -0.534730116323, 0.524409965881, 0.534730116323, 1.04808074104};
    const struct {
        const char *scheme;
        int stages;
        double error; /* order 2: some (h w)^2/12 of the angle of 16 with w = 1e3, or the digits of the reference */
    } runs[] = {{"tr-bdf2", 0, 1e-4},           {"tr-theta", 0, 1e-4}, {"trx2", 0, 1e-4},
                {"generalized-alpha", 0, 1e-4}, {"radau-2a", 3, 2e-9}, {"rattle", 0, 1e-4}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        trial r = trial_complete("andrews", (trial_options){.scheme = runs[i].scheme, .stages = runs[i].stages, .step = 1e-5});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        print_message("%s: error %.2e\n", runs[i].scheme, trial_q(&r, 0) - exact[0]);
        assert_int_equal(s.rejected, 0);
        assert_int_equal(s.roundoff_steps, 0);
        check_below(s.max_residual, 1e-10);
        for (int k = 0; k < 7; k++) check_close(trial_q(&r, k), exact[k], runs[i].error);
        assert_true(zn_simulation_scales(r.simulation).velocities[0] > 1e3);
        trial_end(&r);
    }
}

/* The spin-up of Simo and Vu-Quoc, its first tenth: the forces of a stiff beam are differences of large numbers. */
static void spin_up(void **state) {
    (void)state;
    static const char beam[] = "bodies:\n"
                               "  beam: {type: beam, from: [0, 0], to: [10, 0], elements: 10, EA: 2.8e7, GA: 1e7, EI: "
                               "1.4e4, line_density: 1.2, rotary: 6e-4}\n"
                               "joints:\n"
                               "  hand: {type: revolute, between: [world, beam.start]}\n"
                               "  swing: {type: angle-drive, between: [world, beam.start], drive: 6/15*(t^2/2 + "
                               "(15/(2*pi))^2*(cos(2*pi*t/15) - 1))}\n"
                               "simulation: {scheme: radau-2a, step: 5e-3, end: 2, tolerance: 1e-8}\n";
    static const char *const schemes[] = {"radau-2a", "tr-bdf2", "generalized-alpha", "generalized-alpha-pva"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete(beam, (trial_options){.scheme = schemes[i]}),
              fine = trial_complete(beam, (trial_options){.scheme = schemes[i], .tolerance = 1e-6});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_int_equal(s.rejected, 0);
        check_below(s.max_residual, 1e-8);
        if (s.roundoff_steps > 0) assert_true(s.roundoff_residual > 1e-8); /* it is reported */
        for (int k = 0; k < 33; k++) check_close(trial_q(&r, k), trial_q(&fine, k), 1e-6);
        trial_end(&r);
        trial_end(&fine);
    }
}

/* Tolerances that round-off does not let be met: nothing is cut, so that impacts stay what they are. */
static void nothing_is_cut_for_roundoff(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "tr-bdf2", "generalized-alpha", "lobatto-3c"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete("slider-crank", (trial_options){.scheme = schemes[i], .tolerance = 1e-14}),
              usual = trial_complete("slider-crank", (trial_options){.scheme = schemes[i]});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        if (s.rejected || s.cut_steps) fail_msg("%s: %ld rejected", schemes[i], s.rejected);
        for (int k = 0; k < 3; k++) check_close(trial_q(&r, k), trial_q(&usual, k), 1e-7);
        trial_end(&r);
        trial_end(&usual);
    }
}

/* The woodpecker's contacts have lever arms of very different length, so that what its reduced problem is off by is above 1e-14; the arm
 * starts with large forces. */
static void digits_that_there_are_are_used(void **state) {
    (void)state;
    static const struct { const char *scene, *scheme; } runs[] = {{"woodpecker", "radau-2a"}, {"two-link-arm", "generalized-alpha"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        trial r = trial_complete(runs[i].scene, (trial_options){.scheme = runs[i].scheme, .tolerance = 1e-14});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_int_equal(s.rejected, 0);
        check_below(s.max_residual, 2e-14);
        trial_end(&r);
    }
}

/* Six thin rods in a loop. What turns one about its axis is what the forces of two hinges leave of each other: with moments of inertia of
 * 5e-15 that is accurate to 1e-16 F h/J, 2e-5 1/s here. The steps are counted as such, none is cut, and the motion is that of thicker rods,
 * whose energy of turning about their axes is 1e-6 of it. */
static void thin_rods_in_a_loop(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "generalized-alpha"}, *const thin[] = {
                                                                                                             "r=1e-5", "r=1e-6", "r=1e-7"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial thick = trial_complete("bricard", (trial_options){.scheme = schemes[i], .set = "r=1e-3", .end = 0.3});
        for (size_t k = 0; k < sizeof thin / sizeof *thin; k++) {
            trial r = trial_complete("bricard", (trial_options){.scheme = schemes[i], .set = thin[k], .end = 0.3});
            zn_statistics s = zn_simulation_statistics(r.simulation);
            if (s.rejected || s.cut_steps) fail_msg("%s, %s: %ld rejected", schemes[i], thin[k], s.rejected);
            assert_int_equal(s.roundoff_steps > 0, s.max_residual > 1e-10);
            check_below(s.max_residual, 1e-5);
            check_close(s.energy_end, zn_simulation_statistics(thick.simulation).energy_end, 1e-5);
            for (int q = 0; q < 35; q++) check_close(trial_q(&r, q), trial_q(&thick, q), 1e-5);
            trial_end(&r);
        }
        trial_end(&thick);
    }
}

/* ---- units ---- */

/* A ball that bounces, slips and rolls, hung on a rod that swings; lengths, angles and a spring. */
static void write_units(char *text, size_t room, double L, double T, double M) {
    snprintf(text, room,
             "parameters: {L: %.17g, T: %.17g, M: %.17g, m: 0.3*M, R: 0.1*L, g: 9.81*L/T^2, k: 40*M/T^2, l: 0.8*L}\n"
             "coordinates:\n"
             "  x: {start: 0.1*L, velocity: 0.7*L/T}\n"
             "  y: {start: 0.25*L}\n"
             "  phi: {start: 0.3, velocity: 20/T}\n"
             "  a: {start: l, velocity: 0}\n"
             "  b: {start: 0, velocity: 0.2*L/T}\n"
             "energy:\n"
             "  kinetic: m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2 + M/2*(a'^2 + b'^2)\n"
             "  potential: m*g*y + M*g*b + k/2*(x - a)^2\n"
             "constraints: {rod: {position: a^2/l + b^2/l - l}}\n"
             "contacts: {floor: {gap: y - R, slip: x' + R*phi', friction: 0.25, restitution: 0.6}}\n"
             "simulation: {scheme: rattle, step: 2e-3*%.17g, end: 0.6*%.17g}\n",
             L, T, M, T, T);
}

typedef struct units_run {
    double q[5], u[5], residual;
    long iterations, rejected, roundoff;
} units_run;

static units_run run_units(const char *scheme, double L, double T, double M) {
    char text[2000];
    write_units(text, sizeof text, L, T, M);
    trial r = trial_complete(text, (trial_options){.scheme = scheme});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    units_run run = {.residual = s.max_residual,
                     .iterations = s.newton_total + s.least_norm_total + s.projection_total,
                     .rejected = s.rejected,
                     .roundoff = s.roundoff_steps};
    const double length[5] = {L, L, 1, L, L};
    for (int k = 0; k < 5; k++) run.q[k] = trial_q(&r, k) / length[k], run.u[k] = trial_u(&r, k) / length[k] * T;
    trial_end(&r);
    return run;
}

static double factor(unsigned *seed) { /* 10^-9 .. 10^9 */
    *seed = *seed * 1664525u + 1013904223u;
    return pow(10, 18 * (*seed / 4294967296.0) - 9);
}

static void units_do_not_matter(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau-midpoint", "moreau-theta", "moreau-variational", "rattle", "lobatto-3a3b", "radau-2a",
                                          "lobatto-3c",      "sdirk2",       "generalized-alpha"};
    unsigned seed = 7;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        units_run one = run_units(schemes[i], 1, 1, 1), two = run_units(schemes[i], 1024, 1.0 / 4096, 1 << 20);
        assert_int_equal(one.iterations, two.iterations); /* powers of two: only pivots may be others */
        for (int k = 0; k < 5; k++) check_close(one.q[k], two.q[k], 1e-11), check_close(one.u[k], two.u[k], 1e-10);
        for (int n = 0; n < 4; n++) {
            units_run other = run_units(schemes[i], factor(&seed), factor(&seed), factor(&seed));
            if (labs(other.iterations - one.iterations) > 3 || other.rejected != one.rejected || other.roundoff != one.roundoff)
                fail_msg("%s: %ld and %ld iterations, %ld and %ld rejected, %ld and %ld at round-off", schemes[i], one.iterations,
                         other.iterations, one.rejected, other.rejected, one.roundoff, other.roundoff);
            check_below(other.residual, 1e-10);
            for (int k = 0; k < 5; k++) check_close(other.q[k], one.q[k], 1e-8), check_close(other.u[k], one.u[k], 1e-7);
        }
    }
}

/* Two rods on hinges, and a parallelogram with a bar more than it needs: constraints next to masses down to 1e-30, where rows alone make
 * the matrices of regular problems look singular. */
static const char *const hinged[] = {
    "gravity: [0, -9.81*L/T^2]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: M, inertia: M*L^2/12, position: [L/2, 0]}\n"
    "  two: {type: planar, mass: 0.1*M, inertia: 0.1*M*L^2/12, position: [3*L/2, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [world, rod], at: [0, 0]}\n"
    "  b: {type: revolute, between: [rod, two], at: [L, 0]}\n",
    "gravity: [0, -9.81*L/T^2]\n"
    "bodies:\n"
    "  left: {type: planar, mass: M, inertia: M*L^2/12, position: [L/4, L*sqrt(3)/4], angle: pi/3}\n"
    "  right: {type: planar, mass: M, inertia: M*L^2/12, position: [9*L/4, L*sqrt(3)/4], angle: pi/3}\n"
    "  coupler: {type: planar, mass: M, inertia: M*L^2/3, position: [3*L/2, L*sqrt(3)/2]}\n"
    "  spare: {type: planar, mass: M, inertia: M*L^2/3, position: [5*L/4, L*sqrt(3)/4]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [world, left], at: [0, 0]}\n"
    "  b: {type: revolute, between: [world, right], at: [2*L, 0]}\n"
    "  c: {type: revolute, between: [left, coupler], at: [L/2, L*sqrt(3)/2]}\n"
    "  d: {type: revolute, between: [right, coupler], at: [5*L/2, L*sqrt(3)/2]}\n"
    "  e: {type: revolute, between: [left, spare], at: [L/4, L*sqrt(3)/4]}\n"
    "  f: {type: revolute, between: [right, spare], at: [9*L/4, L*sqrt(3)/4]}\n",
};

static double hinged_angle(const char *parts, const char *scheme, double L, double T, double M) {
    char text[2000];
    snprintf(text, sizeof text,
             "parameters: {L: %.17g, T: %.17g, M: %.17g}\n%ssimulation: {scheme: rattle, step: 2e-3*%.17g, end: 0.1*%.17g}\n", L, T, M,
             parts, T, T);
    trial r = trial_complete(text, (trial_options){.scheme = scheme});
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_residual, 1e-10);
    assert_int_equal(s.rejected, 0);
    assert_int_equal(s.roundoff_steps, 0);
    double angle = trial_q(&r, 2);
    trial_end(&r);
    return angle;
}

static void joints_in_all_units(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau",
                                          "moreau-midpoint",
                                          "moreau-shifted",
                                          "moreau-symmetric",
                                          "moreau-variational",
                                          "moreau-theta",
                                          "rattle",
                                          "lobatto-3a3b",
                                          "radau-2a",
                                          "lobatto-3c",
                                          "sdirk2",
                                          "sdirk3",
                                          "tr-bdf2",
                                          "trx2",
                                          "tr-theta",
                                          "lobatto-3a3b-lagrange",
                                          "generalized-alpha",
                                          "generalized-alpha-pva",
                                          "generalized-alpha-pvv",
                                          "generalized-alpha-p",
                                          "generalized-alpha-v",
                                          "generalized-alpha-pv"};
    static const double units[][3] = {{1, 1, 1e-30}, {1e-9, 1e-9, 1e-24}, {1e-10, 1e-15, 1e-27}, {1e12, 1e15, 1e30}};
    for (size_t k = 0; k < sizeof hinged / sizeof *hinged; k++)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            double usual = hinged_angle(hinged[k], schemes[i], 1, 1, 1);
            for (size_t j = 0; j < sizeof units / sizeof *units; j++)
                check_close(hinged_angle(hinged[k], schemes[i], units[j][0], units[j][1], units[j][2]), usual, 1e-9);
        }
}

/* A block that slides on a floor and is pulled sideways, and a ball on an arm that bounces: what slips, rests and is closed is so in all
 * units, also where velocities are of nanometres a second and turns are not. */
static const char *const sliding[] = {
    "coordinates: {x: {start: 0.1*L, velocity: L/T}, y: {start: 0.2*L, velocity: 0.5*L/T}, z: 0}\n"
    "energy: {kinetic: M/2*(x'^2 + y'^2 + z'^2), potential: M*9.81*L/T^2*z + 4*M/T^2*(x - 2*y)^2}\n"
    "contacts: {floor: {gap: z, slip: [x', y'], friction: 0.1}}\n",
    "gravity: [0, 0, -9.81*L/T^2]\n"
    "bodies:\n"
    "  ball: {type: spatial, mass: M, inertia: 0.004*M*L^2, position: [0, 0, 0.13*L], velocity: [L/T, 0, 0]}\n"
    "  arm: {type: spatial, mass: 0.1*M, inertia: 0.004*M*L^2, position: [0, 0.5*L, 0.13*L], velocity: [L/T, 0, 0]}\n"
    "joints: {pin: {type: revolute, between: [ball, arm], at: [0, 0, 0.13*L], axis: [1, 0, 0]}}\n"
    "geometry: {tip: {on: ball, type: sphere, radius: 0.1*L}, floor: {type: plane}}\n"
    "contacts: {floor: {between: [tip, floor], friction: 0.3, restitution: 0.5}}\n"};

static double slid(const char *parts, const char *scheme, double L, double T, double M, long *staged) {
    char text[2000];
    snprintf(text, sizeof text,
             "parameters: {L: %.17g, T: %.17g, M: %.17g}\n%ssimulation: {scheme: rattle, step: 2e-3*%.17g, end: 0.2*%.17g, friction_law: "
             "staged}\n",
             L, T, M, parts, T, T);
    trial r = trial_complete(text, (trial_options){.scheme = scheme});
    *staged = zn_simulation_statistics(r.simulation).staged_accepted;
    double x = trial_q(&r, 0) / L;
    trial_end(&r);
    return x;
}

static void slip_in_all_units(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "tr-bdf2", "trx2", "lobatto-3c", "generalized-alpha"};
    static const double units[][3] = {{1e-9, 1, 1}, {1e-12, 1e-3, 1}, {1e9, 1, 1e-20}};
    for (size_t k = 0; k < sizeof sliding / sizeof *sliding; k++)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            long usual_staged, staged;
            double usual = slid(sliding[k], schemes[i], 1, 1, 1, &usual_staged);
            if (k == 0) assert_true(usual_staged > 20);
            for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
                check_close(slid(sliding[k], schemes[i], units[j][0], units[j][1], units[j][2], &staged), usual, 1e-9);
                assert_int_equal(staged, usual_staged);
            }
        }
}

/* ---- nothing moves ---- */

/* At rest without a force, at rest on a floor, and pushed from rest after a while: scales of zero are no trouble. */
static void rest(void **state) {
    (void)state;
    static const char text[] = "parameters: {F: 0, g: 0}\n"
                               "coordinates: {x: 0, y: 0}\n"
                               "energy: {kinetic: x'^2/2 + y'^2/2, potential: \"g*y - if(t < 0.5, 0, F)*x\"}\n"
                               "contacts: {floor: {gap: y, slip: x', friction: 0.1}}\n"
                               "simulation: {scheme: rattle, step: 1e-2, end: 1}\n";
    static const char *const schemes[] = {"moreau-midpoint", "moreau-theta", "rattle", "radau-2a", "tr-bdf2", "generalized-alpha"};
    static const char *const sets[] = {"F=0", "g=10", "F=1e-6", "F=1e6"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            trial r = trial_complete(text, (trial_options){.scheme = schemes[i], .set = sets[k]});
            double F = k < 2 ? 0 : k == 2 ? 1e-6 : 1e6;
            check_close(trial_u(&r, 0), F / 2, 0.03 * F); /* the step of the force is met within two steps */
            check_close(trial_q(&r, 1), 0, 1e-15);
            assert_int_equal(zn_simulation_statistics(r.simulation).rejected, 0);
            trial_end(&r);
        }
}

/* A load that grows from zero: at the start there is nothing but round-off to measure by. */
static void load_from_zero(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "tr-bdf2", "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete("cantilever", (trial_options){.scheme = schemes[i], .end = 0.5});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        assert_int_equal(s.rejected, 0);
        check_below(s.max_residual, 1e-9);
        trial_end(&r);
    }
}

/* ---- steps that are cut ---- */

typedef struct heard {
    int count;
    char first[400];
} heard;

static void hear(void *user, zn_log_level level, const char *text) {
    heard *h = user;
    if (level != ZN_LOG_WARNING || !strstr(text, "was divided")) return;
    if (h->count++ == 0) snprintf(h->first, sizeof h->first, "%s", text);
}

/* A force that cannot be evaluated below the floor makes the step of the impact be cut: that is reported, once, and counted. */
static void impacts_of_cut_steps_are_told(void **state) {
    (void)state;
    static const char text[] = "parameters: {d: 0.002}\n"
                               "coordinates: {y: {start: 0.1045, velocity: -1}}\n"
                               "energy: {kinetic: y'^2/2, potential: 1e-9*(y + d)*sqrt(y + d)}\n"
                               "contacts: {floor: {gap: y, restitution: 0.5}}\n"
                               "simulation: {scheme: moreau-shifted, step: 1e-2, end: 0.3}\n";
    heard h = {0};
    zn_context *context = zn_context_create(&(zn_context_def){.log = hear, .log_user = &h});
    zn_scene *scene;
    zn_simulation *simulation;
    assert_int_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
    assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
    zn_statistics s = zn_simulation_statistics(simulation);
    assert_int_equal(s.cut_steps, 1);
    assert_int_equal(s.cut_impacts, 1);
    assert_int_equal(h.count, 1);
    assert_non_null(strstr(h.first, "'floor'"));
    check_close(zn_simulation_velocities(simulation)[0], 0.5, 1e-6);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* A steel beam after an impact: continued accelerations once led Newton's method astray, for good, and without damping to a solution of
 * another branch with 10^5 times the energy, after 1500 steps. */
static void steel_beam_after_an_impact(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {b: sqrt(2)/2}\n"
        "gravity: [0, -10]\n"
        "bodies:\n"
        "  beam: {type: beam, from: [0, 0], to: [1, 0], elements: %d, young: 2.1e11, poisson: 0.3, area: 1e-4, inertia: "
        "8.33e-10, density: 7800}\n"
        "joints: {hinge: {type: revolute, between: [world, beam.start]}}\n"
        "contacts: {wall: {gap: beam_end.x - b}}\n"
        "simulation: {scheme: generalized-alpha, step: 1e-4, end: %g, damping: %g, tolerance: 1e-7}\n";
    const struct {
        const char *scheme;
        int elements;
        double damping, end;
    } runs[] = {{"generalized-alpha", 32, 0.5, 0.335},     {"generalized-alpha", 32, 0, 0.335}, {"generalized-alpha-pva", 32, 0.5, 0.335},
                {"generalized-alpha-pvv", 32, 0.5, 0.335}, {"generalized-alpha", 16, 1, 0.485}, {"generalized-alpha-pva", 16, 1, 0.485}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char scene[1000];
        snprintf(scene, sizeof scene, text, runs[i].elements, runs[i].end, runs[i].damping);
        trial r = trial_complete(scene, (trial_options){.scheme = runs[i].scheme});
        zn_statistics s = zn_simulation_statistics(r.simulation);
        if (s.rejected > 0) fail_msg("%s, damping %g: %ld rejected", runs[i].scheme, runs[i].damping, s.rejected);
        assert_true(s.energy_end < s.energy_start && s.energy_end > s.energy_start - 1);
        check_below(s.max_penetration, 1e-9);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_mechanism),
        cmocka_unit_test(spin_up),
        cmocka_unit_test(nothing_is_cut_for_roundoff),
        cmocka_unit_test(digits_that_there_are_are_used),
        cmocka_unit_test(thin_rods_in_a_loop),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(joints_in_all_units),
        cmocka_unit_test(slip_in_all_units),
        cmocka_unit_test(rest),
        cmocka_unit_test(impacts_of_cut_steps_are_told),
        cmocka_unit_test(steel_beam_after_an_impact),
        cmocka_unit_test(load_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
