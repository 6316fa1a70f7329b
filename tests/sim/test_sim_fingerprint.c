/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of captured runs: work on located events, modes and solvers must leave them as they are. A number for each scene and scheme,
 * a sum over positions and velocities with weights, to 1e-12 of its size: compilers and processors may differ in the last bits (libm,
 * LAPACK, the order of lanes), nothing else may. A change that is meant makes new numbers: run with the argument `print`. */
#include "trial.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct scheme_name {
    const char *name;
    int stages;
} scheme_name;
static const scheme_name SCHEMES[] = {{"moreau-midpoint", 0}, {"rattle", 0},  {"lobatto-3a3b", 3},      {"radau-2a", 2},
                                      {"radau-2a", 3},        {"tr-bdf2", 0}, {"generalized-alpha", 0}, {"lobatto-3c", 3}};

/* Formulas of sums, products and roots alone. */
typedef struct print_case {
    const char *name, *scene;
    double step, end;
    double expected[COUNT(SCHEMES)];
} print_case;

static const print_case CASES[] = {
    {"mass that bounces on a bent slope",
     "coordinates: {x: {start: 0, velocity: 0.5}, y: 1.2}\n"
     "energy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
     "contacts: {slope: {gap: (y - 1 + x^2/4)/sqrt(1 + x^2/4), slip: (x' - x/2*y')/sqrt(1 + x^2/4), friction: 0.3, restitution: 0.5}}\n"
     "simulation: {step: 0.01, end: 1}\n",
     0.01,
     0.6,
     {0.61125148268993035, 0.61118379873156203, 0.61206207247034694, 0.61225612761286563, 0.61272338795316506, 0.61345152974798445,
      0.61427736961046664, 0.61192508813985225}},
    {"ball that slides in the plane and rolls",
     "coordinates: {x: {start: 0, velocity: 2}, y: {start: 0, velocity: 1}, z: 0.02, a: 0, b: 0}\n"
     "energy: {kinetic: (x'^2 + y'^2 + z'^2)/2 + 2e-3*(a'^2 + b'^2), potential: 10*z + x^2 + y^2}\n"
     "contacts: {floor: {gap: z, slip: [x' + 0.1*a', y' + 0.1*b'], friction: 0.2, restitution: 0.3}}\n"
     "simulation: {step: 0.01, end: 1}\n",
     0.01,
     0.6,
     {-2.101007249469776, -2.1039696453682293, -2.103624024082027, -2.1038118361861842, -2.1037439913693321, -2.1036504757833789,
      -2.1044712099561909, -2.1038143608429341}},
    {"pendulum at a wall",
     "coordinates: {x: 1, y: 0}\n"
     "energy: {kinetic: 1.25/2*(x'^2 + y'^2), potential: \"((x - 2)^2 + (y - 2)^2)/2 + 12.5*y\"}\n"
     "constraints: {rod: {position: x^2 + y^2 - 1}}\n"
     "contacts: {wall: {gap: x - 0.3, restitution: 0.5}}\n"
     "simulation: {step: 0.01, end: 1}\n",
     0.01,
     1,
     {0.46187921621157613, 0.46219292630674474, 0.46216516512699501, 0.46216260920155444, 0.46216516341356678, 0.46204479885587685,
      0.46198939226251079, 0.46216529794628947}},
};

static double fingerprint(const print_case *c, scheme_name scheme) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    assert_int_equal(zn_scene_parse(context, "test", c->scene, NULL, &scene), ZN_OK);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme.name, settings.stages = scheme.stages, settings.step = c->step, settings.end = c->end;
    settings.contact_events = ZN_EVENTS_CAPTURED;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &sim), ZN_OK);
    assert_int_equal(zn_simulation_run(sim, NULL, NULL), ZN_OK);
    const zn_sizes *size = &zn_scene_model(scene)->size;
    double sum = 0;
    for (int i = 0; i < size->nq; i++) sum += zn_simulation_positions(sim)[i] / (1 + i);
    for (int i = 0; i < size->nu; i++) sum += zn_simulation_velocities(sim)[i] / (7 + i);
    zn_simulation_destroy(sim);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return sum;
}

static void captured_runs_are_what_they_were(void **state) {
    (void)state;
    int same = 0;
    for (size_t i = 0; i < COUNT(CASES); i++)
        for (size_t k = 0; k < COUNT(SCHEMES); k++) {
            double found = fingerprint(&CASES[i], SCHEMES[k]), expected = CASES[i].expected[k];
            same += found == expected;
            if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
                print_error("%s, %s:%d: %.17g instead of %.17g\n", CASES[i].name, SCHEMES[k].name, SCHEMES[k].stages, found, expected);
            assert_true(fabs(found - expected) <= 1e-12 * fabs(expected));
        }
    print_message("%d of %zu to the last bit\n", same, COUNT(CASES) * COUNT(SCHEMES));
}

int main(int argc, char **argv) {
    (void)argv;
    for (size_t i = 0; argc > 1 && i < COUNT(CASES); i++)
        for (size_t k = 0; k < COUNT(SCHEMES); k++)
            printf("%.17g%s", fingerprint(&CASES[i], SCHEMES[k]), k + 1 < COUNT(SCHEMES) ? ", " : "\n");
    if (argc > 1) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(captured_runs_are_what_they_were)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
