/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with bodies: the same mechanism by formulas, known solutions, redundant joints with every scheme, mistakes. */
#include "memory_check.h"

typedef struct end_state {
    int nq, nu;
    double q[64], u[64], energy_drift, max_g, max_gamma;
} end_state;

static end_state run_scene(zn_context *context, zn_scene *scene, const char *scheme, int stages, double step, double end) {
    end_state s = {0};
    zn_settings settings = *zn_scene_settings(scene);
    const zn_model *model = zn_scene_model(scene);
    zn_simulation *simulation = NULL;
    if (scheme) settings.scheme = scheme, settings.stages = stages;
    settings.step = step, settings.end = end, settings.tolerance = 1e-12;
    if (zn_simulation_create(context, model, &settings, &simulation) != ZN_OK || zn_simulation_run(simulation, NULL, NULL) != ZN_OK)
        fail_msg("%s: %s", settings.scheme, zn_error_text(context));
    s.nq = model->size.nq, s.nu = model->size.nu;
    memcpy(s.q, zn_simulation_positions(simulation), (size_t)s.nq * sizeof *s.q);
    memcpy(s.u, zn_simulation_velocities(simulation), (size_t)s.nu * sizeof *s.u);
    zn_statistics statistics = zn_simulation_statistics(simulation);
    s.energy_drift = statistics.energy_end - statistics.energy_start;
    s.max_g = statistics.max_g, s.max_gamma = statistics.max_gamma;
    zn_simulation_destroy(simulation);
    return s;
}

static zn_scene *load_file(zn_context *context, const char *name) {
    char path[512];
    zn_scene *scene = NULL;
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", ZENO_SOURCE_DIR, name);
    if (zn_scene_load(context, path, NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
    return scene;
}

/* ---- the same by formulas ---- */

static const char pendulum_by_formulas[] =
    "parameters: {l: 1, m: 1, J: m*l^2/12, phi1: 2, phi2: 2.5, g: 9.81}\n"
    "coordinates:\n"
    "  x1: l/2*sin(phi1)\n  y1: -l/2*cos(phi1)\n  a1: phi1 - pi/2\n"
    "  x2: l*sin(phi1) + l/2*sin(phi2)\n  y2: -l*cos(phi1) - l/2*cos(phi2)\n  a2: phi2 - pi/2\n"
    "energy:\n"
    "  kinetic: m/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2) + J/2*(a1'^2 + a2'^2)\n"
    "  potential: m*g*(y1 + y2)\n"
    "constraints:\n"
    "  hx: {position: x1 - l/2*cos(a1)}\n  hy: {position: y1 - l/2*sin(a1)}\n"
    "  ex: {position: x2 - l/2*cos(a2) - x1 - l/2*cos(a1)}\n  ey: {position: y2 - l/2*sin(a2) - y1 - l/2*sin(a1)}\n"
    "simulation: {scheme: rattle, step: 1e-3, end: 2}\n";

static void check_same(const end_state *a, const end_state *b, double allowed) {
    assert_int_equal(a->nq, b->nq);
    for (int i = 0; i < a->nq; i++) check_close_relative(a->q[i], b->q[i], allowed, allowed);
    for (int i = 0; i < a->nu; i++) check_close_relative(a->u[i], b->u[i], 10 * allowed, 10 * allowed);
}

static void parts_agree_with_formulas(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *parts = load_file(context, "double-pendulum"), *formulas = load_good(context, pendulum_by_formulas, 0, NULL);
    const char *const schemes[] = {"moreau",   "moreau-midpoint", "moreau-variational", "rattle", "lobatto-3a3b", "lobatto-3a3b-lagrange",
                                   "radau-2a", "tr-bdf2",         "generalized-alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        end_state a = run_scene(context, parts, schemes[i], 0, 2e-3, 1), b = run_scene(context, formulas, schemes[i], 0, 2e-3, 1);
        check_same(&a, &b, 1e-10);
    }
    zn_scene_destroy(parts);
    zn_scene_destroy(formulas);
    zn_context_destroy(context);
}

/* scenes/slider-crank.yaml from bodies and joints, its contacts by formulas over the coordinates of a body. */
static const char slider_crank[] =
    "parameters: {l1: 0.153, l2: 0.306, a: 0.05, b: 0.025, d: 0.052, g: 9.81, e_N: 0.4, mu: 0.01, omega: 150}\n"
    "gravity: [0, -g]\n"
    "bodies:\n"
    "  crank:  {type: planar, mass: 0.038, inertia: 7.4e-5, position: [l1/2, 0], velocity: [0, omega*l1/2], angle_rate: "
    "omega,\n"
    "           frames: {tip: [l1/2, 0]}}\n"
    "  rod:    {type: planar, mass: 0.038, inertia: 5.9e-4, position: [l1 + l2/2, 0], velocity: [0, omega*l1/2], "
    "angle_rate: -omega*l1/l2,\n"
    "           frames: {left: [-l2/2, 0], right: [l2/2, 0]}}\n"
    "  slider: {type: planar, mass: 0.076, inertia: 2.7e-6, position: [l1 + l2, 0], angle: 0.017}\n"
    "joints:\n"
    "  origin: {type: revolute, between: [world, crank], at: [0, 0]}\n"
    "  crank_rod: {type: revolute, between: [crank.tip, rod.left]}\n"
    "  rod_slider: {type: revolute, between: [rod.right, slider]}\n"
    "contacts:\n"
    "  corner1: {gap: d/2 - (slider.y - a*sin(slider.phi) + b*cos(slider.phi)), friction: mu, restitution: e_N,\n"
    "            slip: slider.x' + slider.phi'*(a*sin(slider.phi) - b*cos(slider.phi))}\n"
    "  corner2: {gap: d/2 - (slider.y + a*sin(slider.phi) + b*cos(slider.phi)), friction: mu, restitution: e_N,\n"
    "            slip: slider.x' - slider.phi'*(a*sin(slider.phi) + b*cos(slider.phi))}\n"
    "  corner3: {gap: d/2 + (slider.y - a*sin(slider.phi) - b*cos(slider.phi)), friction: mu, restitution: e_N,\n"
    "            slip: slider.x' + slider.phi'*(a*sin(slider.phi) + b*cos(slider.phi))}\n"
    "  corner4: {gap: d/2 + (slider.y + a*sin(slider.phi) - b*cos(slider.phi)), friction: mu, restitution: e_N,\n"
    "            slip: slider.x' - slider.phi'*(a*sin(slider.phi) - b*cos(slider.phi))}\n"
    "simulation: {scheme: radau-2a, stages: 2, step: 1e-4, end: 0.1}\n";

static void slider_crank_agrees_with_formulas(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *parts = load_good(context, slider_crank, 0, NULL), *formulas = load_file(context, "slider-crank");
    const zn_model *model = zn_scene_model(parts);
    assert_int_equal(model->size.nN, 4);
    assert_string_equal(model->contacts[2].name, "corner3");
    assert_string_equal(model->q_names[8], "slider.phi");
    const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a"};
    for (int i = 0; i < 3; i++) {
        end_state a = run_scene(context, parts, schemes[i], i == 2 ? 2 : 0, 1e-4, 0.05),
                  b = run_scene(context, formulas, schemes[i], i == 2 ? 2 : 0, 1e-4, 0.05);
        for (int k = 0; k < a.nq; k++) check_close(a.q[k], b.q[k], 1e-10);
    }
    zn_scene_destroy(parts);
    zn_scene_destroy(formulas);
    zn_context_destroy(context);
}

/* A mass on a spring (a free coordinate) pushes a particle through a formula constraint: together one oscillator. */
static void formulas_and_parts_mix(void **state) {
    (void)state;
    static const char text[] = "parameters: {k: 4, c: 0.3}\n"
                               "bodies: {ball: {type: particle, mass: 2, position: [0.5, 0]}}\n"
                               "coordinates: {s: {start: 0.5, velocity: 0}}\n"
                               "energy: {kinetic: s'^2/2, potential: k/2*s^2}\n"
                               "constraints: {rod: {position: ball.x - s}, plane: {velocity: ball.y'}}\n"
                               "forces: {ball.x: -c*ball.x', s: -c*s'}\n"
                               "simulation: {scheme: radau-2a, step: 0.01, end: 1}\n";
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_good(context, text, 0, NULL);
    end_state s = run_scene(context, scene, NULL, 0, 0.01, 1);
    double decay = 0.6 / (2 * 3), w = sqrt(4.0 / 3 - decay * decay), x = 0.5 * exp(-decay) * (cos(w) + decay / w * sin(w));
    check_close(s.q[0], x, 1e-7);
    check_close(s.q[2], x, 1e-7);
    check_close(s.q[1], 0, 1e-14);
    assert_string_equal(zn_scene_model(scene)->q_names[2], "s");
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* ---- known solutions ---- */

static void a_disk_turns_steadily(void **state) {
    (void)state;
    const double R = 0.5, g = 9.81, lean = 0.3, w = 1.5;
    double w3 = (w * w * sin(lean) * cos(lean) / 4 - g / R * sin(lean)) / (1.5 * w * cos(lean)), v = -R * w3, error[2];
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_file(context, "rolling-disk");
    for (int i = 0; i < 2; i++) {
        end_state s = run_scene(context, scene, "radau-2a", 3, i ? 5e-3 : 1e-2, 2);
        error[i] = hypot(s.q[0] - v / w * sin(2 * w), s.q[1] - v / w * (1 - cos(2 * w)));
        check_below(error[i], i ? 1e-7 : 1e-6);
        check_close(s.q[2], R * cos(lean), 1e-7);
        check_close(s.q[3] * s.q[3] + s.q[4] * s.q[4] + s.q[5] * s.q[5] + s.q[6] * s.q[6], 1, 1e-14);
    }
    check_below(error[1], error[0] / 4);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void redundant_joints_run_with_every_scheme(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = load_file(context, "four-bar");
    end_state fine = run_scene(context, scene, "radau-2a", 3, 1e-2, 0.5);
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        end_state s = run_scene(context, scene, info.name, 0, 2e-3, 0.5);
        for (int k = 0; k < 12; k++) check_close(s.q[k], fine.q[k], info.order == 1 ? 2e-2 : 2e-4);
        check_close(s.q[2] - s.q[5], 0, 1e-5); /* both cranks turn alike */
    }
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void redundant_rows_are_found(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    const char *const names[] = {"four-bar", "chain", "rolling-disk", "slider-crank"};
    const int expected[] = {1, 0, 0, 0}, freedom[] = {1, 4, 3, 3};
    for (int i = 0; i < 4; i++) {
        zn_scene *scene = load_file(context, names[i]);
        const zn_model *model = zn_scene_model(scene);
        bool redundant[64];
        int count;
        assert_int_equal(zn_model_redundant_rows(context, model, redundant, &count), ZN_OK);
        assert_int_equal(count, expected[i]);
        assert_int_equal(model->size.nu - model->size.ng - model->size.ny + count, freedom[i]);
        if (i == 0) assert_true(redundant[10]); /* the last hinge closes what is closed already */
        zn_scene_destroy(scene);
    }
    zn_context_destroy(context);
}

/* ---- mistakes ---- */

#define HEAD "bodies:\n  rod: {type: planar, mass: 1, inertia: 1, position: [1, 0], frames: {end: [-1, 0]}}\n"

/* A place without an axis: bodies that are turned against each other are held as they stand. A weld keeps the body where it is, whichever
 * comes first; a hinge turns about z of the first. */
static void turned_bodies_are_held_as_they_stand(void **state) {
    (void)state;
    static const char *const types[] = {"fixed", "revolute", "prismatic", "cylindrical", "universal", "planar"};
    static const char *const bodies[] = {"type: spatial, inertia: [1, 2, 3], position: [1, 2, 3], rotation: {axis: [1, 2, -1], angle: 0.7}",
                                         "type: planar, inertia: 1, position: [1, 2], angle: 0.7"};
    static const char *const pairs[] = {"world, b", "b, world"};
    for (int planar = 0; planar < 2; planar++)
        for (int order = 0; order < 2; order++)
            for (int k = 0; k < (planar ? 3 : 6); k++) {
                char text[600];
                snprintf(text, sizeof text,
                         "gravity: [0.3, -1%s]\nbodies: {b: {%s, mass: 2}}\n"
                         "joints: {j: {type: %s, between: [%s], at: [0.5, 0.2%s]}}\nsimulation: {scheme: rattle, step: 0.01, end: 0.2}\n",
                         planar ? "" : ", 2", bodies[planar], types[k], pairs[order], planar ? "" : ", 0.1");
                zn_context *context = zn_context_create(NULL);
                zn_scene *scene = load_good(context, text, 0, NULL);
                zn_simulation *simulation = NULL;
                assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
                assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
                double moved = 0;
                const zn_model *model = zn_scene_model(scene);
                for (int i = 0; i < model->size.nq; i++)
                    moved = larger(moved, fabs(zn_simulation_positions(simulation)[i] - model->q_start[i]));
                if (k == 0) check_below(moved, 1e-14);
                else assert_true(moved > 1e-3);
                check_below(zn_simulation_statistics(simulation).max_g, 1e-10);
                zn_simulation_destroy(simulation);
                zn_scene_destroy(scene);
                zn_context_destroy(context);
            }
}

static void mistakes_have_places(void **state) {
    (void)state;
    check_errors(HEAD "joints: {pin: {type: revolute, between: [world, rodd]}}\n", "3:49: there is no body 'rodd' (did you mean 'rod'?)");
    check_errors(HEAD "joints: {pin: {type: revolute, between: [world, rod.ed]}}\n",
                 "3:49: the body 'rod' has no frame 'ed' (did you mean 'end'?)");
    check_errors(HEAD "joints: {pin: {type: revolut, between: [world, rod]}}\n",
                 "3:22: 'revolut' is unknown in type of joint 'pin' (did you mean 'revolute'?)");
    check_errors(HEAD "joints: {pin: {type: revolute, between: [world, rod]}}\n",
                 "3:10: joint 'pin' does not close at the start: pin.1 is off by 1");
    check_errors(
        "bodies:\n  a: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  b: {type: spatial, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "frames: {a.h: {at: [0.5, 0, 0]}, b.f: {at: [-0.5, 0, 0], axis: [1, 0, 0]}}\njoints: {u: {type: universal, between: [a.h, b.f]}}\n",
        "5:10: joint 'u' does not close at the start: u.4 is off by 1: z of the first frame must be perpendicular to x of the second");
    check_errors(HEAD "joints: {pin: {type: cylindrical, between: [world, rod]}}\n", "3:10: the cylindrical joint 'pin' is for space");
    check_errors(HEAD "joints: {pin: {type: revolute, between: [rod, rod.end]}}\n", "3:10: the revolute joint 'pin' joins 'rod' to itself");
    check_errors(HEAD "joints: {pin: {type: revolute, between: [rod]}}\n", "3:41: 'between' of joint 'pin' has 1 entries, but needs 2");
    check_errors(HEAD "joints: {m: {type: motor, between: [world, rod]}}\n", "3:10: the motor 'm' needs a drive");
    check_errors(HEAD "joints: {m: {type: motor, between: [world, rod], drive: 2*tt}}\n", "3:59: unknown name 'tt'");
    check_errors(HEAD "joints:\n  a: {type: distance, between: [world, rod], length: 0.2}\n  b: {type: distance, between: "
                      "[world, rod.end], length: 3}\n"
                      "simulation: {project_start: true}\n",
                 "4:3: the positions of the start cannot be projected", "4:3: joint 'a' cannot close", "5:3: joint 'b' cannot close");
    check_errors("bodies: {b: {type: spatial, mass: 1, inertia: [1, 1, 3]}}\n",
                 "1:47: the inertia of 'b' violates the triangle inequality");
    check_errors("bodies: {b: {type: spatial, mass: 1, inertia: [1, 1, 1, 2, 0, 0]}}\n",
                 "1:47: the inertia of 'b' is not positive definite");
    check_errors("bodies: {b: {type: spatial, mass: 1, inertia: [1, 1]}}\n", "1:47: inertia of 'b' is a number");
    check_errors("bodies: {b: {type: planar, mass: 0, inertia: 1}}\n", "1:34: mass of 'b' must be greater than 0");
    check_errors("bodies: {b: {type: planar, mass: 1, position: [0, 0, 1], inertia: 1}}\n",
                 "1:47: position of 'b' has 3 entries, but needs 2");
    check_errors("bodies: {b: {type: particle, mass: 1, angle: 1}}\n", "1:46: 'b' is a particle: it does not turn");
    check_errors("bodies: {b: {type: plane, mass: 1}}\n", "1:20: 'plane' is unknown in type of body 'b' (did you mean 'planar'?)");
    check_errors("bodies: {b: {mass: 1}}\n", "1:13: body 'b' lacks 'type'");
    check_errors("bodies: {b: {type: spatial, density: 1, shape: {type: cylinder, radius: 1}}}\n",
                 "1:48: the length of a cylinder must be positive");
    check_errors("bodies: {b: {type: spatial, density: 1, shape: {type: mesh, points: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\n"
                 "  triangles: [[1,2,3],[1,2,4],[1,4,3],[2,3,4]]}}}\n",
                 "1:48: the mesh is not closed");
    check_errors("bodies: {b: {type: spatial, density: 1, shape: {type: mesh, points: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\n"
                 "  triangles: [[1,3,2],[1,2,4],[2,3,4],[3,1,4],[1,1,2]]}}}\n",
                 "1:48: triangle 5 of the mesh has point 1 twice");
    check_errors(HEAD "forces: {s: {type: spring, between: [world, rod], stiffness: -1}}\n", "3:62: stiffness must not be less than 0");
    check_errors(HEAD "forces: {s: {type: spring, on: rod}}\n", "3:32: force 's' acts between two frames");
    check_errors(HEAD "forces: {rod.z: 1}\n", "3:17: there is no velocity 'rod.z' that a force could act on");
    check_errors(HEAD "forces: {rod.x: -rodd.x'}\n", "3:18: there is no body 'rodd' (did you mean 'rod'?)");
    check_errors(HEAD "forces: {rod.x: -rod.u}\n", "3:18: unknown name 'rod.u'; did you mean 'rod.x'?");
    check_errors(HEAD "constraints: {c: {position: rod.x'}}\n", "3:29: the constraint of 'c' must not depend on velocities");
    check_errors(HEAD "coordinates: {s: 0}\n", "2:3: 's'' has no positive mass at the start");
    check_errors(HEAD "coordinates: {rod: 0}\n", "3:15: 'rod' cannot be the name of a coordinate: line 2 has a body of this name");
    check_errors(HEAD "mass: [1]\n", "3:7: 'mass' is for 'velocities' of the scene's own: bodies have their mass");
    check_errors("coordinates: {x: 0}\nenergy: {kinetic: x'^2}\njoints: {}\n", "3:9: the scene has no 'bodies' that this could belong to");
    check_errors(HEAD "frames: {end: [0, 1]}\n", "3:10: a frame is named BODY.NAME");
    check_errors(HEAD "frames: {rod.end: [0, 1]}\n", "3:10: there are two frames named 'end' on 'rod'");
}

static const char small_scene[] = HEAD "gravity: [0, -1]\njoints: {pin: {type: revolute, between: [world, rod.end]}}\n"
                                       "forces: {s: {type: spring, between: [world, rod], stiffness: 1}, rod.phi: -rod.phi'}\n"
                                       "simulation: {step: 0.1, end: 1}\n";

static void failing_memory_is_clean(void **state) {
    (void)state;
    check_memory(small_scene, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_agree_with_formulas),
        cmocka_unit_test(slider_crank_agrees_with_formulas),
        cmocka_unit_test(formulas_and_parts_mix),
        cmocka_unit_test(a_disk_turns_steadily),
        cmocka_unit_test(redundant_joints_run_with_every_scheme),
        cmocka_unit_test(redundant_rows_are_found),
        cmocka_unit_test(turned_bodies_are_held_as_they_stand),
        cmocka_unit_test_teardown(mistakes_have_places, no_mismatches),
        cmocka_unit_test(failing_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
