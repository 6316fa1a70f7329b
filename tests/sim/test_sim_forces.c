/* SPDX-License-Identifier: Apache-2.0 */
/* Forces of contacts in outputs: of a rule, of a contact that is declared, and what they do to a body. */
#include "trial.h"

/* A crate of 4 kg on the floor and a lid of 1 kg on it, pushed by 2 N: nothing moves, so that every sum of forces is known, whatever the
 * single points carry. */
#define CRATES                                                                                           \
    "gravity: [0, -9.81]\nbodies:\n"                                                                     \
    "  crate: {type: planar, shape: {type: box, size: [1, 0.5]}, mass: 4, position: [0, 0.25]}\n"        \
    "  lid: {type: planar, shape: {type: box, size: [0.6, 0.2]}, mass: 1, position: [0.1, 0.6]}\n"       \
    "geometry: {floor: {type: plane, on: world, normal: [0, 1]}}\n"                                      \
    "contacts: {all: {between: all, friction: 0.5}, ground: {between: [crate, floor], friction: 0.5}}\n" \
    "forces: {lid.x: 2}\n"
static const struct {
    const char *name;
    double value;
} known[] = {{"ground.normal", 5 * 9.81},  {"ground.crate.force_y", 5 * 9.81}, {"ground.crate.force_x", -2},
             {"all.normal", 9.81},         {"all.lid.force_y", 9.81},          {"all.lid.force_x", -2},
             {"all.crate.force_y", -9.81}, {"all.crate.force_x", 2},           {"2*all.lid.force_y - lid.y''", 2 * 9.81}};
enum { KNOWN = sizeof known / sizeof *known };

/* The output o0, o1, ...; those of the drawing are beside them. */
static double output(const trial *r, int number) {
    const zn_model *model = zn_scene_model(r->scene);
    double values[100];
    char name[20];
    snprintf(name, sizeof name, "o%d", number);
    assert_true(model->n_outputs <= 100);
    assert_int_equal(zn_simulation_outputs(r->simulation, values), ZN_OK);
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->output_names[i], name)) return values[i];
    return NAN;
}

static void test_sums(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "generalized-alpha", "moreau-midpoint"};
    char text[2000] = CRATES "outputs: {";
    for (int i = 0; i < KNOWN; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%so%d: \"%s\"", i ? ", " : "", i, known[i].name);
    snprintf(text + strlen(text), sizeof text - strlen(text), "}\nsimulation: {step: 0.01, end: 0.1}\n");
    for (int k = 0; k < 4; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        for (int i = 0; i < KNOWN; i++) check_close(output(&r, i), known[i].value, 1e-8);
        trial_end(&r);
    }
}

/* In space, mirrored, the other body first: a ball that slides up a wall of the world is slowed down by friction and weight. */
static void test_in_space(void **state) {
    (void)state;
    const char *text = "gravity: [-3, 0, -9.81]\nbodies: {ball: {type: spatial, shape: {type: sphere, radius: 0.1}, mass: 2, position: "
                       "[0.1, 0, 0], velocity: [0, 0, 4]}}\n"
                       "geometry: {wall: {type: plane, on: world, normal: [1, 0, 0]}}\ncontacts: {all: {between: all, friction: 0.25}}\n"
                       "outputs: {o0: all.normal, o1: all.ball.force_x, o2: all.ball.force_z}\nsimulation: {step: 1e-3, end: 0.05}\n";
    trial r = trial_complete(text, (trial_options){.scheme = "radau-2a", .stages = 2});
    check_close(output(&r, 0), 6, 1e-7);
    check_close(output(&r, 1), 6, 1e-7);
    check_close(output(&r, 2), -0.25 * 6, 1e-6); /* it slides: the velocity of its point of contact is still 4 - ... > 0 */
    trial_end(&r);
}

/* Placed by `at`, angles of joints, drives, springs and servos count from the start, however the bodies stand there: in the plane and in
 * space. */
static void test_angles_count_from_the_start(void **state) {
    (void)state;
    const char *text =
        "bodies:\n  b: {type: spatial, mass: 1, inertia: 0.1, rotation: {axis: [0, 0, 1], angle: 0.5}, position: [1, 0, 0]}\n"
        "  c: {type: planar, mass: 1, inertia: 0.1, angle: -0.7}\n  d: {type: planar, mass: 1, inertia: 0.1, angle: 2, position: [3, 0]}\n"
        "joints:\n  one: {type: revolute, between: [world, b], at: [1, 0, 0]}\n  two: {type: revolute, between: [world, c], at: [0, 0]}\n"
        "  drive: {type: angle-drive, between: [world, c], at: [0, 0], drive: 0.3*t^2}\n  three: {type: revolute, between: [world, d], at: "
        "[3, 0]}\n"
        "forces:\n  hold: {type: angle-servo, between: [world, b], at: [1, 0, 0], target: 0.2, stiffness: 40, damping: 4, limit: 20}\n"
        "  coil: {type: torsion-spring, between: [world, d], at: [3, 0], stiffness: 40, damping: 4, angle: -0.4}\n"
        "outputs: {o0: one.angle, o1: two.angle, o2: three.angle, o3: coil.torque}\nsimulation: {step: 1e-2, end: 5}\n";
    trial r = trial_complete(text, (trial_options){.scheme = "radau-2a", .stages = 2});
    check_close(output(&r, 0), 0.2, 1e-9);
    check_close(output(&r, 1), 7.5, 1e-9);
    check_close(output(&r, 2), -0.4, 1e-9);
    check_close(output(&r, 3), 0, 1e-8);
    trial_end(&r);
}

/* A drawer in a sleeve of length L, pulled beside its guide: the ends carry f/2 +- m/L. In the plane F (1 - 2 mu a/L) = m x'', and it jams
 * above a = L/(2 mu). In space with a force across the axis, too: the moment is r x F, and the ends carry (f_x/2 +- m_y/L, f_y/2 -+
 * m_x/L). */
static void test_sleeve(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha", "moreau-midpoint", "lobatto-3a3b"};
    for (int k = 0; k < 10; k++) {
        char text[800];
        double a = k < 5 ? 0.3 : 0.7;
        snprintf(text, sizeof text,
                 "bodies: {d: {type: planar, mass: 2, inertia: 0.5}}\nframes: {d.grip: [0, %g]}\n"
                 "joints: {guide: {type: prismatic, between: [world, d], friction: {coefficient: 0.3, length: 0.4}}}\n"
                 "forces: {pull: {type: body, on: d.grip, force: [10, 0]}}\noutputs: {o0: d.x''}\nsimulation: {step: 1e-2, end: 0.2}\n",
                 a);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k % 5]});
        check_close(output(&r, 0), k < 5 ? 10 * (1 - 2 * 0.3 * a / 0.4) / 2 : 0, 1e-8);
        check_close(trial_u(&r, 0), k < 5 ? 0.2 * 10 * (1 - 2 * 0.3 * a / 0.4) / 2 : 0, 1e-8);
        trial_end(&r);
    }
    static const double at[3][3] = {{0.1, -0.2, 0.15}, {-0.15, 0.12, 0.15}, {0, 0, -0.3}};
    for (int k = 0; k < 3; k++) {
        char text[800];
        const double F[3] = {3, 5, 20}, *p = at[k], L = 0.5, mu = 0.2;
        double m_x = p[1] * F[2] - p[2] * F[1], m_y = p[2] * F[0] - p[0] * F[2], N = 0;
        for (int s = -1; s <= 1; s += 2) N += hypot(F[0] / 2 + s * m_y / L, F[1] / 2 - s * m_x / L);
        snprintf(text, sizeof text,
                 "bodies: {d: {type: spatial, mass: 2, inertia: 0.5}}\nframes: {d.grip: [%g, %g, %g]}\n"
                 "joints: {guide: {type: prismatic, between: [world, d], friction: {coefficient: 0.2, length: 0.5}}}\n"
                 "forces: {pull: {type: body, on: d.grip, force: [3, 5, 20]}}\noutputs: {o0: d.z''}\nsimulation: {step: 1e-2, end: 0.2}\n",
                 p[0], p[1], p[2]);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        check_close(output(&r, 0), (F[2] - mu * N) / 2, 1e-8);
        trial_end(&r);
    }
}

/* Friction by what the joint carries: on a slope, where it slides and where it sticks, and in a bearing with a preload. */
static void test_friction_by_load(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha", "moreau-midpoint"};
    for (int k = 0; k < 12; k++) {
        char text[800];
        double mu = (double[]){0.2, 0.5, 0.8}[k / 4], angle = 0.5, m = 3, g = 9.81;
        snprintf(text, sizeof text,
                 "gravity: [0, -%g]\nbodies: {b: {type: planar, mass: %g, inertia: 1}, w: {type: planar, mass: 2, inertia: 1, position: "
                 "[5, 0], angle_rate: 9}}\n"
                 "joints:\n  guide: {type: prismatic, between: [world, b], axis: [cos(%g), sin(%g)], friction: {coefficient: %g}}\n"
                 "  bearing: {type: revolute, between: [world, w], at: [5, 0], friction: {coefficient: %g, radius: 0.1, preload: 5}}\n"
                 "outputs: {o0: guide.friction.friction, o1: bearing.friction.friction, o2: guide.displacement}\n"
                 "simulation: {step: 0.01, end: 0.3}\n",
                 g, m, angle, angle, mu, mu);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k % 4]});
        double friction = m * g * fmin(mu * cos(angle), sin(angle)), a = g * sin(angle) - friction / m;
        check_close(output(&r, 0), friction, 1e-8);
        check_close(output(&r, 1), -mu * 0.1 * (2 * g + 5), 1e-8);
        check_close(output(&r, 2), -a * 0.3 * 0.3 / 2, 1e-8);
        trial_end(&r);
    }
}

static void test_wrong_names(void **state) {
    (void)state;
    static const char *const wrong[] = {"all.crat.force_x", "all.lid.force_w", "all.world.force_y", "all.lid.force", "nobody.normal"};
    for (int i = 0; i < 5; i++) {
        char text[1600];
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        snprintf(text, sizeof text, CRATES "outputs: {o: %s}\nsimulation: {step: 0.01, end: 0.1}\n", wrong[i]);
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        if (strncmp(zn_error_text(context), "test:8:14: ", 11) != 0) fail_msg("%s", zn_error_text(context));
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_in_space),
                                       cmocka_unit_test(test_sleeve),
                                       cmocka_unit_test(test_friction_by_load),
                                       cmocka_unit_test(test_angles_count_from_the_start),
                                       cmocka_unit_test(test_wrong_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
