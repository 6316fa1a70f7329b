/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes in geometry, materials and contacts between bodies, with their exact place; and overlapping starts. */
#include "scene_check.h"

#define PLANAR_SCENE                                                      \
    "parameters: {R: 0.1, mu: 0.3}\n"                                     \
    "gravity: [0, -9.81]\n"                                               \
    "bodies:\n"                                                           \
    "  ball: {type: planar, position: [0, 1], mass: 1, inertia: 0.004}\n" \
    "geometry:\n"                                                         \
    "  rim: {on: ball, type: disk, radius: R, material: rubber}\n"        \
    "  floor: {type: line, normal: [0, 1], material: stone}\n"            \
    "  hill: {type: curve, y: exp(-x) - 1}\n"                             \
    "  tip: {on: ball, type: point, at: [R, 0]}\n"                        \
    "materials:\n"                                                        \
    "  rs: {between: [rubber, stone], friction: mu, restitution: 0.5}\n"  \
    "contacts:\n"                                                         \
    "  floor: {between: [rim, floor], friction: mu}\n"                    \
    "  hill: {between: [tip, hill]}\n"                                    \
    "simulation: {scheme: moreau, step: 1e-3, end: 1}\n"

#define SPATIAL_SCENE                                                         \
    "gravity: [0, 0, -9.81]\n"                                                \
    "bodies:\n"                                                               \
    "  ball: {type: spatial, position: [0, 0, 1], mass: 1, inertia: 0.004}\n" \
    "geometry:\n"                                                             \
    "  rim: {on: ball, type: sphere, radius: 0.1}\n"                          \
    "  floor: {type: plane}\n"                                                \
    "contacts:\n"                                                             \
    "  floor: {between: [rim, floor], friction: [0.1, 0.2], tangent: {direction: [1, 1, 0]}}\n"

#define check_in(scene, old, now, ...)         \
    do {                                       \
        char *changed = with(scene, old, now); \
        check_errors(changed, __VA_ARGS__);    \
        free(changed);                         \
    } while (0)
#define check_planar(old, now, ...) check_in(PLANAR_SCENE, old, now, __VA_ARGS__)
#define check_spatial(old, now, ...) check_in(SPATIAL_SCENE, old, now, __VA_ARGS__)

static void good_scenes(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, PLANAR_SCENE, 0, NULL);
    assert_int_equal(zn_scene_model(scene)->size.n_contacts, 2);
    zn_scene_destroy(scene);
    scene = load_good(context, SPATIAL_SCENE "simulation: {step: 1e-3, end: 1}\n", 0, NULL);
    const zn_contact *contact = &zn_scene_model(scene)->contacts[0];
    assert_int_equal(contact->nF, 2);
    assert_int_equal(contact->n_balls, 1); /* two coefficients: an ellipse */
    zn_scene_destroy(scene);
    /* the materials' law, where the contact has none */
    char *text = with(PLANAR_SCENE, "[rim, floor], friction: mu", "[rim, floor]");
    scene = load_good(context, text, 0, NULL);
    assert_true(zn_scene_model(scene)->contacts[0].e_N == 0.5);
    zn_scene_destroy(scene);
    free(text);
    zn_context_destroy(context);
}

static void mistakes_in_geometry(void **state) {
    (void)state;
    check_planar("type: disk", "type: dsik", "6:25: did you mean 'disk'");
    check_planar("on: ball, type: disk", "on: bal, type: disk", "6:13: there is no body 'bal' (did you mean 'ball'?)");
    check_planar("radius: R, mat", "mat", "6:8: a disk needs 'radius'");
    check_planar("radius: R, mat", "radius: R, length: 2, mat", "6:50: a disk has no 'length'");
    check_planar("radius: R, mat", "radius: -R, mat", "6:39: must be greater than 0");
    check_planar("normal: [0, 1]", "normal: [0, 0]", "7:31: this direction is zero");
    check_planar("normal: [0, 1]", "normal: [1]", "7:31: ");
    check_planar("y: exp(-x) - 1", "y: exp(-x, 1", "8:34: '1' is unknown");
    check_planar("y: exp(-x) - 1", "y: exp(-w) - 1", "8:31: w");
    check_planar("y: exp(-x) - 1", "f: exp(-x) - y - t", "8:26: must not depend on t");
    check_planar("y: exp(-x) - 1", "y: 1, f: x", "8:26: not by both");
    check_planar(", y: exp(-x) - 1", "", "8:9: a curve needs 'f'");
    check_planar("at: [R, 0]", "at: [R, 0, 1]", "9:3: in the plane z = 0");
    check_planar("at: [R, 0]", "at: R", "9:36: ");
    check_planar("  tip: {on", "  rim: {on", "9:3: twice", "14:20: no geometry 'tip'");
    check_planar("type: disk, radius: R", "type: ring, radius: R", "6:3: needs a body in space");
    check_planar("geometry:\n", "geometri:\n", "5:1: did you mean 'geometry'");
}

static void mistakes_in_contacts(void **state) {
    (void)state;
    check_planar("[rim, floor], f", "[rim], f", "13:20: must name two, but here is 1");
    check_planar("[rim, floor], f", "[rim, flor], f", "13:26: there is no geometry 'flor' (did you mean 'floor'?)");
    check_planar("[rim, floor], f", "[rim, tip], f", "13:3: same body");
    check_planar("[rim, floor], f", "[floor, hill], f", "13:3: same body");
    check_planar("friction: mu}", "friction: -1}", "13:44: must not be less than 0");
    check_planar("friction: mu}", "friction: [mu, mu, mu]}", "13:44: one or two values");
    check_planar("friction: mu}", "friction: [mu, mu]}", "13:3: in the plane");
    check_planar("friction: mu}", "frictoin: mu}", "13:34: did you mean 'friction'");
    check_planar("friction: mu}", "friction: mu, restitution: 2}", "13:61: must be between 0 and 1");
    check_planar("friction: mu}", "friction: mu, pivoting: 1}", "13:3: there is no pivoting friction");
    check_planar("friction: mu}", "friction: mu, gap: 1}", "13:48: 'gap' is unknown in contact 'floor'");
    check_planar("friction: mu}", "friction: mu, normal_force: -1}", "13:62: must not be less than 0");
    check_planar("friction: mu}", "friction: mu, radius: 1}", "13:56: only 'reservoir: contensou' has a radius");
    check_planar("friction: mu}", "stribeck: {dynamic: 1, rate: 1}}", "13:44: no friction");
    check_planar("friction: mu}", "friction: mu, stribeck: {dynamic: 1, rate: 1}}", "13:3: dynamic friction");
    check_planar("friction: mu}", "friction: mu, tangent: {direction: [1, 0]}}", "13:3: in the plane");
}

static void mistakes_in_materials(void **state) {
    (void)state;
    check_planar("[rubber, stone]", "[rubber]", "11:17: must name two");
    check_planar("restitution: 0.5}", "restitution: 1.5}", "11:61: between 0 and 1");
    check_planar("  rs: {", "  sr: {between: [stone, rubber]}\n  rs: {", "12:3: two laws between the materials 'rubber' and 'stone'");
    char *text = with(PLANAR_SCENE, "[rim, floor], friction: mu", "[rim, floor]");
    check_in(text, "material: stone", "material: glass", "13:3: no law is defined for the materials 'rubber' and 'glass'");
    free(text);
}

static void mistakes_in_space(void **state) {
    (void)state;
    check_spatial("direction: [1, 1, 0]", "direction: [0, 0, 0]", "8:3: needs a direction");
    check_spatial("direction: [1, 1, 0]", "direction: [1, 1, 0], of: moon", "8:92: world, touching, surface");
    check_spatial("tangent: {direction: [1, 1, 0]}", "reservoir: contensou, radius: 0.1",
                  "8:67: a contensou has one friction coefficient, but here are 2");
    check_spatial("tangent: {direction: [1, 1, 0]}", "reservoir: contensou",
                  "8:67: a contensou has one friction coefficient, but here are 2", "8:67: lacks 'radius'");
    check_spatial("friction: [0.1, 0.2]", "rolling: [1, 2, 3]", "8:43: one or two values");
}

static void overlaps_at_the_start(void **state) {
    (void)state;
    check_planar("position: [0, 1]", "position: [0, 0.05]", "13:3: overlap at the start: its gap is -0.05");
    check_planar("type: line, normal: [0, 1]", "type: line, normal: [0, 1], at: [0, 0.95]", "13:3: overlap at the start: its gap is -0.05");
    char *text = with(SPATIAL_SCENE, "type: sphere, radius: 0.1", "type: box, size: [1, 1, 2.5]");
    check_errors(text, "8:3: 'floor.1' overlap at the start", "8:3: 'floor.2'", "8:3: 'floor.3'", "8:3: 'floor.4'");
    free(text);
    check_planar("y: exp(-x) - 1", "y: log(x - 1)", "14:3: not a number at the start");
}

/* In the middle of a hollow sphere the normal is undefined, but the contact is open: nothing of it may be NaN. */
static void the_middle_of_a_hollow_sphere(void **state) {
    (void)state;
    char *text = with(SPATIAL_SCENE, "  floor: {type: plane}", "  floor: {type: hollow-sphere, radius: 2, at: [0, 0, 1]}");
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, text, 0, NULL);
    zn_settings settings = zn_settings_default();
    settings.scheme = "radau-2a", settings.step = 1e-2, settings.end = 0.5;
    zn_simulation *simulation;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
    assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
    check_close(zn_simulation_positions(simulation)[2], 1 - 9.81 / 8, 1e-9); /* falls */
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    free(text);
}

/* A bead slides from the top of a half of an ellipse with the half axes a, b, and leaves where it needs no force: with x = a sin s, y = b
 * cos s, c = cos s, D = a^2 c^2 + b^2 sin^2 s,
 *
 *     v^2 = v_0^2 + 2 g b (1 - c),   v^2 a b/D^(3/2) = g a c/sqrt(D)   (curvature times v^2, weight along the normal)
 *
 * From there on x' = v a c/sqrt(D) stays. The force of the step in which it leaves is at most its rate, g v/b or so, times h. */
static void a_bead_leaves_an_ellipse(void **state) {
    (void)state;
    const double a = 2, b = 1, g = 9.81, v_0 = 0.1, h = 1e-3;
    double low = 0, high = 1, c, D, v;
    for (int k = 0; k < 60; k++) {
        c = (low + high) / 2, D = a * a * c * c + b * b * (1 - c * c);
        if ((v_0 * v_0 + 2 * g * b * (1 - c)) * b > g * c * D) low = c;
        else high = c;
    }
    v = sqrt(v_0 * v_0 + 2 * g * b * (1 - c));
    static const char *const geometries[] = {"egg: {type: ellipse, size: [4, 2]}\n  tip: {on: bead, type: point}",
                                             "egg: {type: ellipse, size: [4, 2]}\n  tip: {on: bead, type: points, points: [[0, 0]]}"};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\nbodies: {bead: {type: particle, position: [0, 1], mass: 1, velocity: [0.1, 0]}}\ngeometry:\n  %s\n"
                 "contacts: {slide: {between: %s}}\nsimulation: {scheme: radau-2a, stages: 2, step: 1e-3, end: 3}\n",
                 geometries[k], k ? "[tip, egg]" : "[egg, tip]");
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = load_good(context, text, 0, NULL);
        zn_simulation *simulation;
        assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
        assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
        check_close(zn_simulation_velocities(simulation)[0], v * a * c / sqrt(D), g * v / b * h * h);
        zn_simulation_destroy(simulation);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

/* Points have no size by which rules could find them: they are left to declared contacts, and may stand beside rules. */
static void points_beside_rules(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    char *text = with(PLANAR_SCENE, "contacts:\n", "contacts:\n  rule: {between: all, friction: mu}\n");
    zn_scene_destroy(load_good(context, text, 0, NULL));
    free(text);
    text = with(PLANAR_SCENE, "hill: {type: curve, y: exp(-x) - 1}", "hill: {type: box, size: [1, 0.1]}");
    check_errors(text, "14:3: a point is too small to find corners and edges");
    free(text);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_scenes),
        cmocka_unit_test_teardown(mistakes_in_geometry, no_mismatches),
        cmocka_unit_test_teardown(mistakes_in_contacts, no_mismatches),
        cmocka_unit_test_teardown(mistakes_in_materials, no_mismatches),
        cmocka_unit_test_teardown(mistakes_in_space, no_mismatches),
        cmocka_unit_test_teardown(overlaps_at_the_start, no_mismatches),
        cmocka_unit_test(the_middle_of_a_hollow_sphere),
        cmocka_unit_test(a_bead_leaves_an_ellipse),
        cmocka_unit_test_teardown(points_beside_rules, no_mismatches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
