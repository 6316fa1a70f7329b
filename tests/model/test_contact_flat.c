/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and cylinders that come to lie flat on planes, stand on slopes, tip and spin, with schemes of every family. */
#include "trial.h"

#include <math.h>

/* A can of radius R and length L on the plane with normal (sin(a), 0, cos(a)), gravity along -z. It starts with its axis turned by `lean` from the
 * normal about a direction of the plane, lifted by `lift`, and spins with the rate w about its axis; over = pi puts it on its other face. */
#define CAN                                                                                              \
    "parameters: {R: 0.3, L: 0.4, a: 0, lean: 0, lift: 0, over: 0, w: 0, mu: 0.3, way: 0,\n"             \
    "  c1: cos(a/2), s1: sin(a/2), c2: cos((lean + over)/2), s2: sin((lean + over)/2)}\n"                \
    "gravity: [0, 0, -9.81]\n"                                                                           \
    "bodies:\n"                                                                                          \
    "  can:\n"                                                                                           \
    "    type: spatial\n"                                                                                \
    "    shape: {type: cylinder, radius: R, length: L}\n"                                                \
    "    density: 1000\n"                                                                                \
    "    position: [lift*sin(a), 0, lift*cos(a)]\n"                                                      \
    "    rotation: [c1*c2 - s1*s2*sin(way), c1*s2*cos(way), c1*s2*sin(way) + c2*s1, -s1*s2*cos(way)]\n"  \
    "    angular_velocity: [0, 0, w]\n"                                                                  \
    "geometry: {table: {type: plane, normal: [sin(a), 0, cos(a)], at: [-L/2*sin(a), 0, -L/2*cos(a)]}}\n" \
    "contacts: {edge: {between: [can, table], friction: mu}}\n"                                          \
    "simulation: {scheme: radau-2a, step: 5e-3, end: 0.5}\n"

/* Moreau's and the stiffly accurate ones; others gain energy, or stop, where the lowest point goes round faster than their steps see. */
static const char *const schemes[] = {"moreau-midpoint", "moreau-shifted", "radau-2a", "lobatto-3c", "sdirk2"};
/* All of these spin flat. */
static const char *const spinning[] = {"rattle", "lobatto-3a3b", "radau-2a", "lobatto-3c", "sdirk2",
                                       "sdirk3", "tr-bdf2",      "trx2",     "tr-theta",   "generalized-alpha"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static trial begin_can(const char *const *sets, int n_sets, const char *scheme, int stages, double step, double end) {
    trial r = {.context = zn_context_create(NULL)};
    zn_scene_options options = {n_sets, sets};
    if (zn_scene_parse(r.context, "can", CAN, &options, &r.scene) != ZN_OK) fail_msg("%s", zn_error_text(r.context));
    trial_options o = {.scheme = scheme, .stages = stages, .step = step, .end = end};
    zn_settings settings = trial_settings(r.scene, &o);
    if (zn_simulation_create(r.context, zn_scene_model(r.scene), &settings, &r.simulation) != ZN_OK)
        fail_msg("%s: %s", scheme, zn_error_text(r.context));
    return r;
}

static void run_can(trial *r, const char *scheme) {
    if (zn_simulation_run(r->simulation, NULL, NULL) != ZN_OK) fail_msg("%s: %s", scheme, zn_error_text(r->context));
}

/* Of the two circles of the can: the distance of the lower one from the plane through -L/2 n, and the sine of the lean, from the pose alone. */
static double true_gap(const trial *r, double a, double *lean) {
    const double R = 0.3, L = 0.4, *q = zn_simulation_positions(r->simulation), *p = q + 3;
    double size = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    double axis[3] = {2 * (p[1] * p[3] + p[0] * p[2]) / size, 2 * (p[2] * p[3] - p[0] * p[1]) / size,
                      1 - 2 * (p[1] * p[1] + p[2] * p[2]) / size};
    double n[3] = {sin(a), 0, cos(a)}, along = axis[0] * n[0] + axis[2] * n[2], across = 0;
    for (int i = 0; i < 3; i++) across += pow(axis[i] - along * n[i], 2);
    *lean = sqrt(across);
    return q[0] * n[0] + q[2] * n[2] + L / 2 - L / 2 * fabs(along) - R * *lean;
}

/* Dropped with a lean, on either face, on a level plane or on one that gravity is oblique to: no circle is ever in the plane (Moreau's schemes
 * drift), no energy appears,
 * and the dissipative schemes lay it down. Gaps are too small by 5/4 R 2e-9 where it is flat, not more. */
static void every_scheme_lays_it_down(void **state) {
    (void)state;
    const char *const cases[][4] = {{"lean=0.03", "lift=0.03", "over=0", "a=0"},
                                    {"lean=0.02", "lift=0.02", "over=pi", "a=0.2"},
                                    {"lean=0.3", "lift=0.15", "over=0", "way=1"}};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < SCHEMES; k++) {
            trial r = begin_can(cases[c], 4, schemes[k], strcmp(schemes[k], "radau-2a") == 0 ? 1 : 0, 5e-3, 0.4);
            bool drifts = k < 2, dissipates = !strcmp(schemes[k], "radau-2a") || !strncmp(schemes[k], "sdirk", 5);
            double a = c == 1 ? 0.2 : 0, lean = 0, gap = 0, T, V, start = 0;
            zn_simulation_energy(r.simulation, &T, &V);
            start = T;
            double height = V;
            while (!zn_simulation_done(r.simulation)) {
                trial_step(&r);
                gap = true_gap(&r, a, &lean);
                if (!drifts && gap < -1e-10) fail_msg("%s, case %d: the circle is in the plane by %g", schemes[k], c, -gap);
            }
            zn_simulation_energy(r.simulation, &T, &V);
            check_below(T + V, height + start + 1e-4 * fabs(height - V));
            if (dissipates && c < 2) {
                check_below(lean, 1e-6);
                check_below(gap, 1.25 * 0.3 * 2e-9 + 1e-12);
            }
            trial_end(&r);
        }
}

/* The weight leaves the ring where tan(a) > R/(L/2) = 1.5: on 54 degrees it stands, on 58.6 (1.03 of the arm) it tips, whichever way it is turned. */
static void it_tips_when_it_must(void **state) {
    (void)state;
    const char *const kinds[] = {"radau-2a", "moreau-midpoint"}, *const ways[] = {"w=0", "over=pi"};
    /* downhill is towards a point of the rim, then between two */
    for (int k = 0; k < 2; k++)
        for (int way = 0; way < 2; way++)
            for (int tips = 0; tips < 2; tips++) {
                const char *const sets[] = {tips  ? way ? "a=-1.0226" : "a=1.0226"
                                            : way ? "a=-0.9425"
                                                  : "a=0.9425",
                                            "mu=3", ways[way]};
                trial r = begin_can(sets, 3, kinds[k], 0, 5e-3, tips ? 0.6 : 0.02);
                run_can(&r, kinds[k]);
                double lean, gap = true_gap(&r, (way ? -1 : 1) * (tips ? 1.0226 : 0.9425), &lean);
                print_message("%s %s: lean %.3g gap %.2g\n", kinds[k], tips ? "tips" : "stands", lean, gap);
                if (tips)
                    assert_true(lean > 0.1);
                else
                    check_below(lean, k == 1 ? 2 * 9.81 / 0.3 * 5e-3 * 5e-3
                                             : 1e-5); /* Moreau's scheme sees a gap after the step that closed it */
                trial_end(&r);
            }
}

/* Spinning flat, the rim slips: mu m g R/(m R^2/2) = 2 mu g/R is the rate at which the spin decreases, until it stops. With Moreau's schemes gaps
 * drift and the lowest point takes a share of the weight, near the centre. */
static void a_flat_spin_stops(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof spinning / sizeof *spinning; k++) {
        const char *const sets[] = {"w=6"};
        trial r = begin_can(sets, 1, spinning[k], 0, 5e-3, 0.2);
        run_can(&r, spinning[k]);
        const double change = 2 * 0.3 * 9.81 / 0.3 * 0.2, turn = 3e-2; /* of the direction of slip in a step */
        check_close(trial_u(&r, 5), 6 - change, change * turn * turn / 6);
        trial_end(&r);
        r = begin_can(sets, 1, spinning[k], 0, 5e-3, 0.4);
        run_can(&r, spinning[k]);
        for (int i = 0; i < 6; i++) check_close(trial_u(&r, i), 0, 1e-8);
        trial_end(&r);
    }
}

/* Euler's disk: the coin of the scenes rolls on as ever, and with more friction against spin comes to lie. */
static void a_coin_comes_to_lie(void **state) {
    (void)state;
    trial r = trial_begin("spinning-coin",
                          (trial_options){.scheme = "radau-2a", .stages = 1, .step = 1e-3, .end = 1.5, .set = "W=20"});
    trial_run(&r);
    const double *q = zn_simulation_positions(r.simulation);
    check_close(q[2], 1e-3, 1e-10);
    for (int i = 0; i < 5; i++) check_close(trial_u(&r, i), 0, 1e-7);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scheme_lays_it_down), cmocka_unit_test(it_tips_when_it_must),
                                       cmocka_unit_test(a_flat_spin_stops), cmocka_unit_test(a_coin_comes_to_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
