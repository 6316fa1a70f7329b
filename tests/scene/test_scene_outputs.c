/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs: formulas that results keep, in scenes with formulas and with bodies. */
#include "scene_check.h"

#include "zeno/parts.h"

static const char by_formulas[] = "parameters: {l: 2}\n"
                                  "coordinates: {phi: {start: 0.3, velocity: 1}}\n"
                                  "energy: {kinetic: l^2*phi'^2/2, potential: -9.81*l*cos(phi)}\n"
                                  "outputs: {x: l*sin(phi), speed: l*abs(phi'), clock: t}\n"
                                  "simulation: {scheme: rattle, step: 1e-2, end: 1}\n";
static const char by_parts[] = "parameters: {l: 2}\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  bob: {type: particle, mass: 1, position: [l*sin(0.3), -l*cos(0.3)],\n"
                               "        velocity: [l*cos(0.3), l*sin(0.3)]}\n"
                               "  arm: {type: particle, mass: 1, position: [5, 5]}\n"
                               "joints: {rod: {type: distance, between: [world, bob]}}\n"
                               "outputs: {far: arm.x + bob.x, x: bob.x, speed: \"sqrt(bob.x'^2 + bob.y'^2)\", clock: t}\n"
                               "simulation: {scheme: rattle, step: 1e-2, end: 1}\n";

typedef struct seen {
    int n;
    double values[8];
    double q0;
} seen;

static seen run(const char *text) {
    seen s = {0};
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene;
    zn_simulation *simulation;
    assert_int_equal(zn_scene_parse(context, "outputs", text, NULL, &scene), ZN_OK);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
    assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
    s.n = zn_scene_model(scene)->n_outputs;
    s.q0 = zn_simulation_positions(simulation)[0];
    assert_int_equal(zn_simulation_outputs(simulation, s.values), ZN_OK);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return s;
}

static void test_values(void **state) {
    (void)state;
    seen a = run(by_formulas), b = run(by_parts);
    assert_int_equal(a.n, 3);
    assert_int_equal(b.n, 4);
    check_close(a.values[0], 2 * sin(a.q0), 1e-15);
    check_close(b.values[0], b.q0 + 5, 1e-14);
    assert_true(b.values[1] == b.q0);
    assert_true(a.values[2] == 1 && b.values[3] == 1); /* t is exact at the end */
    check_close(a.values[0], b.values[1], 2e-4);       /* two second-order approximations of the same pendulum */
    check_close(a.values[1], b.values[2], 2e-4);
}

/* Frames of the world have names as those of bodies do; their axis is z where some body is in space. */
static void test_world_frames(void **state) {
    (void)state;
    seen space = run("bodies:\n  b: {type: spatial, mass: 2, inertia: 1, position: [1, 0, 0]}\n  c: {type: planar, mass: 1, inertia: 1}\n"
                     "frames: {world.hook: {at: [3, 2, 4], rotation: {axis: [1, 0, 0], angle: pi/2}}}\n"
                     "forces: {b.x: 2*(world.hook.x - b.x)}\n"
                     "outputs: {far: b.x - world.hook.x, z: world.hook.z, v: world.hook.y', e: world.hook.axis_y}\n"
                     "simulation: {scheme: rattle, step: 1e-3, end: 1}\n");
    const double expected[] = {-2 * cos(1), 4, 0, -1};
    for (int i = 0; i < 4; i++) check_close(space.values[i], expected[i], 1e-6);
    seen plane = run("bodies: {b: {type: planar, mass: 1, inertia: 1}}\nframes: {world.hook: {at: [3, 2], angle: pi/6}}\n"
                     "outputs: {x: world.hook.x, e: world.hook.axis_y}\nsimulation: {scheme: rattle, step: 0.1, end: 1}\n");
    check_close(plane.values[0], 3, 0);
    check_close(plane.values[1], 0.5, 1e-15);
}

static void test_mistakes(void **state) {
    (void)state;
    const char *const head = "coordinates: {x: {start: 1}}\nenergy: {kinetic: x'^2/2}\n";
    const char *const bodies = "bodies:\n  b: {type: particle, mass: 1, position: [0, 0]}\n";
    const struct {
        const char *head, *outputs, *place, *sentence;
    } cases[] = {
        {head, "outputs: {x: 1}\n", ":3:14:", "already taken"},
        {head, "outputs: {x': 1}\n", ":3:11:", "x'"},
        {head, "outputs: {a: 2*z}\n", ":3:16:", "z"},
        {head, "outputs: {a: [1]}\n", ":3:14:", "output 'a'"},
        {head, "outputs: [1]\n", ":3:10:", "outputs"},
        {head, "outputs: {a b: 1}\n", ":3:11:", "a b"},
        {head, "outputs: {a: x'''}\n", ":3:14:", "unknown name 'x''''"},
        {head, "outputs: {a: x''}\nforces: {x: x''}\n", ":4:13:", "unknown name 'x'''"},
        {head, "outputs: {a: w.friction0}\ncontacts: {w: {gap: x, slip: x', friction: 1}}\n", ":3:14:", "unknown name 'w.friction0'"},
        {head, "outputs: {a: w.friction2}\ncontacts: {w: {gap: x, slip: x', friction: 1}}\n", "", "no such force"},
        {bodies, "outputs: {b.x: 1}\n", ":3:16:", "already taken"},
        {bodies, "outputs: {a: c.x}\n", ":3:14:", "no body 'c'"},
        {bodies, "outputs: {a: b.z}\n", ":3:14:", "b.z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene;
        char text[500];
        snprintf(text, sizeof text, "%s%s", cases[i].head, cases[i].outputs);
        assert_int_equal(zn_scene_parse(context, "s", text, NULL, &scene), ZN_ERROR_SCENE);
        const char *error = zn_error_text(context);
        if (!strstr(error, cases[i].place) || !strstr(error, cases[i].sentence)) fail_msg("%s-> %s", cases[i].outputs, error);
        zn_context_destroy(context);
    }
}

/* Accelerations and forces of contacts are known to the outputs of scenes without bodies, too: a block of 2 kg that is pressed by 20 N and
 * slides in two directions; a wheel with a velocity of its own, whose brake is a state. */
static void test_forces_of_formulas(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "moreau-midpoint", "generalized-alpha"};
    for (int k = 0; k < 4; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "coordinates: {x: {start: 0, velocity: 3}, y: {start: 0, velocity: 4}, h: 0}\nenergy: {kinetic: x'^2 + y'^2 + h'^2, "
                 "potential: 20*h}\n"
                 "contacts: {floor: {gap: h, slip: [x', y'], friction: 0.25}}\n"
                 "outputs: {a: x'', b: y'' + 0*t, c: h'', n: floor.normal, f: floor.friction1, g: 2*floor.friction2}\n"
                 "simulation: {scheme: %s, step: 1e-2, end: 0.5}\n",
                 schemes[k]);
        seen s = run(text);
        static const double block[6] = {-1.5, -2, 0, 20, -3, -8};
        assert_int_equal(s.n, 6);
        for (int i = 0; i < 6; i++) check_close(s.values[i], block[i], 1e-9);
        snprintf(text, sizeof text,
                 "coordinates: {phi: 0}\nvelocities: {w: 6}\nkinematics: {phi: w}\nmass: {w: 0.5}\nstates: {brake: {start: 1, rate: "
                 "2}}\nforce: {w: -brake}\n"
                 "outputs: {a: w', b: brake}\nsimulation: {scheme: %s, step: 1e-2, end: 0.5}\n",
                 schemes[k]);
        s = run(text);
        check_close(s.values[0], -2 * s.values[1], 1e-9);
        check_close(s.values[1], 2, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_world_frames), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_forces_of_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
