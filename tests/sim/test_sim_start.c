/* SPDX-License-Identifier: Apache-2.0 */
/* Consistent starts: what is refused, what a projection does, and the forces of the start. And steps that cannot be solved. */
#include "check.h"
#include "trial.h"

#include "sim/simulation.h"
#include "zeno/zeno.h"

#include <stdio.h>
#include <string.h>

static zn_scene *parse(zn_context *context, const char *text) {
    zn_scene *scene = NULL;
    if (zn_scene_parse(context, "test", text, NULL, &scene) != ZN_OK) fail_msg("%s", zn_error_text(context));
    return scene;
}

static const char pendulum[] = "title: pendulum\n"
                               "parameters: {L: 1}\n"
                               "coordinates: {x: {start: 0.9, velocity: 0.3}, y: {start: 0.1, velocity: -0.2}}\n"
                               "energy: {kinetic: (x'^2 + 4*y'^2)/2, potential: 9.81*y}\n"
                               "constraints: {rod: {position: (x^2 + y^2 - L^2)/2}}\n"
                               "contacts: {wall: {gap: x - 0.95, slip: y', friction: 0.3}}\n"
                               "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.1}\n";

static void an_inconsistent_start_is_named(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, pendulum);
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_ERROR_START);
    assert_null(simulation);
    assert_int_equal(zn_error_count(context), 2); /* both are reported */
    assert_string_equal(zn_error_get(context, 0)->subject, "rod");
    assert_non_null(strstr(zn_error_get(context, 0)->message, "-0.09")); /* (0.81 + 0.01 - 1)/2 */
    assert_string_equal(zn_error_get(context, 1)->subject, "wall");
    assert_non_null(strstr(zn_error_get(context, 1)->message, "-0.05"));
    assert_non_null(strstr(zn_error_get(context, 1)->message, "project_start"));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void a_projected_start_is_consistent(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, pendulum);
    zn_settings settings = *zn_scene_settings(scene);
    settings.project_start = true;
    zn_simulation *simulation = NULL;
    if (zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation) != ZN_OK) fail_msg("%s", zn_error_text(context));
    const double *q = zn_simulation_positions(simulation), *u = zn_simulation_velocities(simulation);
    check_close(q[0] * q[0] + q[1] * q[1], 1, 1e-10);
    assert_true(q[0] >= 0.95 - 1e-10);
    check_close(q[0] * u[0] + q[1] * u[1], 0, 1e-10);
    /* the smallest change in the norm of the mass matrix: M (u - u_s) is along the gradient (x, y) */
    check_close(1 * (u[0] - 0.3) * q[1] - 4 * (u[1] + 0.2) * q[0], 0, 1e-9);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

static void a_closed_contact_must_not_approach(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene =
        parse(context, "title: falling\ncoordinates: {y: {start: 0, velocity: -1}}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                       "contacts: {floor: {gap: y}}\nsimulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.1}\n");
    zn_simulation *simulation = NULL;
    zn_settings settings = *zn_scene_settings(scene);
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_ERROR_START);
    assert_non_null(strstr(zn_error_text(context), "floor"));
    zn_error_clear(context);
    settings.project_start = true;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), &settings, &simulation), ZN_OK);
    check_close(zn_simulation_velocities(simulation)[0], 0, 1e-12);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* Constraints that cannot both hold. */
static void an_impossible_projection_ends(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, "title: torn\ncoordinates: {x: 0, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2}\n"
                                     "constraints: {one: {position: x^2 + y^2 - 1}, two: {position: x^2 + y^2 - 4}}\n"
                                     "simulation: {scheme: moreau-midpoint, step: 1e-3, end: 0.1, project_start: true}\n");
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_ERROR_START);
    assert_null(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* ---- forces ---- */

typedef struct forces {
    zn_context *context;
    zn_scene *scene;
    double a[16], lambda[16];
} forces;

static forces forces_of(const char *text) {
    forces f = {.context = zn_context_create(NULL)};
    f.scene = parse(f.context, text);
    const zn_model *model = zn_scene_model(f.scene);
    if (sim_start_forces(f.context, model, zn_scene_settings(f.scene), NULL, &(zn_point){.q = model->q_start, .u = model->u_start}, f.a,
                         f.lambda) != ZN_OK)
        fail_msg("%s", zn_error_text(f.context));
    return f;
}

static void free_forces(forces *f) {
    zn_scene_destroy(f->scene);
    zn_context_destroy(f->context);
}

#define BLOCK(velocity, push)                                                               \
    "title: block on a floor\ncoordinates: {x: {start: 0, velocity: " velocity "}, y: 0}\n" \
    "energy: {kinetic: (x'^2 + y'^2), potential: 2*10*y}\nforces: {x: " push "}\n"          \
    "contacts: {floor: {gap: y, slip: x', friction: 0.25}}\nsimulation: {scheme: moreau-midpoint, step: 1e-3, end: 1}\n"

static void friction_at_the_start(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double a, lambda_F;
    } cases[] = {
        {BLOCK("0", "3"), 0, -3},     /* sticks: |3| < 0.25 * 20 */
        {BLOCK("0", "7"), 1, -5},     /* begins to slip: (7 - 5)/2 */
        {BLOCK("-1", "3"), 4, 5},     /* slips backwards: friction pushes forward */
        {BLOCK("1e-3", "3"), -1, -5}, /* slips, though it could stick */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forces f = forces_of(cases[i].text);
        check_close(f.lambda[0], 20, 1e-9);
        check_close(f.lambda[1], cases[i].lambda_F, 1e-9);
        check_close(f.a[0], cases[i].a, 1e-9);
        check_close(f.a[1], 0, 1e-9);
        free_forces(&f);
    }
}

/* The ball at the side of the cylinder has lambda_N = 0 at the start; friction must not hold it. */
static void no_normal_force_no_friction(void **state) {
    (void)state;
    forces f =
        forces_of("title: ball at the wall\nparameters: {R: 0.1, m: 1}\ncoordinates: {x: -0.9, y: 0, phi: 0}\n"
                  "energy: {kinetic: m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2, potential: m*9.81*y}\n"
                  "contacts: {cylinder: {gap: \"1 - R - hypot(x, y)\", slip: \"(x*y' - y*x')/hypot(x, y) - R*phi'\", friction: 0.1}}\n"
                  "simulation: {scheme: moreau-midpoint, step: 1e-2, end: 1}\n");
    check_close(f.lambda[0], 0, 1e-9);
    check_close(f.lambda[1], 0, 1e-9);
    check_close(f.a[1], -9.81, 1e-9);
    free_forces(&f);
}

/* A constant normal force and a contact about to open. */
static void belt_and_opening_contact(void **state) {
    (void)state;
    forces belt = forces_of(
        "title: belt\ncoordinates: {x: {start: 1, velocity: 0}}\nenergy: {kinetic: x'^2/2, potential: x^2/2}\n"
        "contacts: {belt: {normal_force: 3, slip: x' - 0.2, friction: 0.5}}\nsimulation: {scheme: moreau-midpoint, step: 1e-2, end: 1}\n");
    check_close(belt.lambda[0], 1.5, 1e-10); /* slips backwards against the belt */
    check_close(belt.a[0], 0.5, 1e-10);
    free_forces(&belt);
    forces lift = forces_of("title: lift\ncoordinates: {y: 0}\nenergy: {kinetic: y'^2/2, potential: 10*y}\nforces: {y: 25}\n"
                            "contacts: {floor: {gap: y}}\nsimulation: {scheme: moreau-midpoint, step: 1e-2, end: 1}\n");
    check_close(lift.lambda[0], 0, 1e-12);
    check_close(lift.a[0], 15, 1e-10);
    free_forces(&lift);
}

/* Four bodies in a chain that cannot move, with joints that are there twice: all velocities become zero. */
static void velocities_on_redundant_joints(void **state) {
    (void)state;
    static const char text[] = "bodies:\n"
                               "  r0: {type: spatial, mass: 1.3, position: [-0.263, 0.04, -0.22], inertia: [0.01, 0.05, 0.05], rotation: "
                               "[0.345, 0, 0.923, 0.168], angular_velocity: [0, 0.5, 1.8]}\n"
                               "  r1: {type: spatial, mass: 0.3, position: [-0.437, -0.017, -0.7], inertia: [0.0017, 0.0084, 0.0084], "
                               "rotation: [0.808, 0, 0.553, -0.206], angular_velocity: [0, -1.6, -0.6]}\n"
                               "  r2: {type: spatial, mass: 0.7, position: [-0.217, -0.106, -1.044], inertia: [0.0012, 0.0059, 0.0059], "
                               "angular_velocity: [0, -1.3, -0.6]}\n"
                               "  r3: {type: spatial, mass: 1.2, position: [0.02, -0.124, -1.422], inertia: [0.0078, 0.0391, 0.0391], "
                               "angular_velocity: [0, -1.9, -1.9]}\n"
                               "joints:\n"
                               "  j1: {type: revolute, between: [r0, world], at: [0, 0, 0], axis: [-0.51, 0.41, 0.755]}\n"
                               "  j2: {type: revolute, between: [world, r0], at: [0, 0, 0], axis: [-0.51, 0.41, 0.755]}\n"
                               "  j3: {type: revolute, between: [r1, r0], at: [-0.526, 0.08, -0.44], axis: [-0.948, -0.03, -0.317]}\n"
                               "  j4: {type: revolute, between: [r1, r2], at: [-0.349, -0.113, -0.958], axis: [-0.43, -0.244, -0.87]}\n"
                               "  j5: {type: revolute, between: [r2, r1], at: [-0.349, -0.113, -0.958], axis: [-0.43, -0.244, -0.87]}\n"
                               "  j6: {type: universal, between: [r2, r3], at: [-0.085, -0.099, -1.131], axis: [0.38, 0.835, 0.394]}\n"
                               "  j7: {type: revolute, between: [r3, world], at: [0.124, -0.149, -1.713], axis: [-0.036, 0.734, 0.678]}\n"
                               "simulation: {step: 4e-3, end: 0.1, project_start: true}\n";
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = parse(context, text);
    zn_simulation *simulation = NULL;
    if (zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(context));
    for (int i = 0; i < 24; i++) check_close(zn_simulation_velocities(simulation)[i], 0, 1e-9);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* ---- steps that cannot be solved ---- */

/* Two walls that close on a rigid pair: no state is admissible after t = 1. The run ends with a sentence, the last good state
 * stays, and it does not hang. */
static void an_infeasible_step_ends_the_run(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene =
        parse(context, "title: crushed\ncoordinates: {x: 0, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2}\n"
                       "constraints: {left: {velocity: \"x' - if(t < 0.5, 0, 1)\"}, right: {velocity: \"x' + if(t < 0.5, 0, 1)\"}}\n"
                       "simulation: {scheme: moreau-midpoint, step: 1e-2, end: 1}\n");
    zn_simulation *simulation = NULL;
    if (zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation) != ZN_OK)
        fail_msg("%s", zn_error_text(context));
    zn_status status = zn_simulation_run(simulation, NULL, NULL);
    assert_true(status == ZN_ERROR_NO_CONVERGENCE || status == ZN_ERROR_SINGULAR);
    assert_int_equal(zn_error_count(context), 1);
    print_message("%s\n", zn_error_text(context));
    check_close(zn_simulation_time(simulation), 0.5, 1e-5);
    check_close(zn_simulation_positions(simulation)[0], 0, 1e-12);
    assert_true(zn_simulation_statistics(simulation).rejected > 0);
    assert_true(isfinite(zn_error_get(context, 0)->time));
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

/* A crank of 1 m on a rod of 0.5 m whose end slides along the crank's first direction: it turns by 30 degrees either way, not more. */
static void a_drive_ends_at_a_dead_point(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "lobatto-3c", "tr-bdf2", "generalized-alpha"};
    for (int k = 0; k < 10; k++) {
        char text[1000];
        int direction = k % 2 ? 1 : -1, first = k / 2 % 2;
        static const char joints[] = "  a: {type: revolute, between: [world, crank], at: [0, 0]}\n"
                                     "  b: {type: revolute, between: [crank, rod], at: [1, 0]}\n"
                                     "  c: {type: revolute, between: [rod, slider], at: [1.5, 0]}\n"
                                     "  d: {type: prismatic, between: [world, slider], at: [1.5, 0], axis: [1, 0]}\n";
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], velocity: [0, %d*0.5], angle_rate: %d}\n"
                 "  rod: {type: planar, mass: 1, inertia: 0.02, position: [1.25, 0], velocity: [0, %d*0.5], angle_rate: %d*2}\n"
                 "  slider: {type: planar, mass: 1, inertia: 0.02, position: [1.5, 0]}\n"
                 "joints:\n%s"
                 "  drive: {type: angle-drive, between: [world, crank], at: [0, 0], drive: %d*t}\n%s"
                 "simulation: {scheme: %s, step: 1e-3, end: 1}\n",
                 direction, direction, direction, -direction, first ? "" : joints, direction, first ? joints : "", schemes[k / 2]);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = parse(context, text);
        zn_simulation *simulation = NULL;
        if (zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation) != ZN_OK)
            fail_msg("%s", zn_error_text(context));
        assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_ERROR_NO_CONVERGENCE);
        check_close(zn_simulation_time(simulation), asin(0.5), 1e-3);
        if (!strstr(zn_error_text(context), "dead point")) fail_msg("%s", zn_error_text(context));
        zn_simulation_destroy(simulation);
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
}

/* The same ball in units that make its numbers small or large: what is a gap in metres is one in kilometres. It falls, touches after its
 * way and bounces. */
static void small_numbers_are_no_contact(void **state) {
    (void)state;
    static const char *const names[] = {"generalized-alpha", "radau-2a", "rattle", "moreau-midpoint"};
    static const double lengths[] = {1, 1e-3, 1e-6, 1e-9, 1e3, 1e6, 1e9}, times[] = {1, 1e-3, 1e3, 1e-6, 1e6, 1, 1e-9};
    for (int i = 0; i < 4; i++) {
        double expected = 0;
        for (int k = 0; k < 7; k++) {
            double L = lengths[k], T = times[k];
            char text[800];
            snprintf(
                text, sizeof text,
                "gravity: [0, 0, %.17g]\nbodies: {s: {type: spatial, mass: 1, inertia: [%.17g, %.17g, %.17g], position: [0, 0, %.17g], "
                "velocity: [%.17g, 0, %.17g]}}\ngeometry: {floor: {type: plane}, ball: {on: s, type: sphere, radius: %.17g}}\n"
                "contacts: {c: {between: [ball, floor], friction: 0.3, restitution: 0.5}}\nsimulation: {step: %.17g, end: %.17g}\n",
                -9.81 * L / T / T, L * L, L * L, L * L, 1.5 * L, 2 * L / T, -10 * L / T, L, 1e-2 * T, 0.4 * T);
            trial r = trial_complete(text, (trial_options){.scheme = names[i]});
            if (k == 0) expected = trial_q(&r, 2);
            assert_true(expected > 1.1);
            check_close(trial_q(&r, 2) / L, expected, 1e-9);
            trial_end(&r);
        }
    }
}

/* A pendulum, a slider on the floor and a ball, in units of length L and time T; the start of the pendulum is too long by a part, the
 * slider sunk in by a part of L or approaching with a part of L/T. */
static void in_units(char *text, size_t room, double L, double T, double too_long, double sunk, double approach, const char *project) {
    snprintf(text, room,
             "parameters: {L: %.17g, T: %.17g}\n"
             "coordinates: {x: {start: 0.6*L*(1 + %g), velocity: 0.8*L/T}, y: {start: -0.8*L, velocity: 0.6*L/T},\n"
             "  z: {start: -%g*L, velocity: -%g*L/T}, s: {start: 0, velocity: L/T}, w: 0.3*L}\n"
             "energy: {kinetic: \"(x'^2 + y'^2 + z'^2 + s'^2 + w'^2)/2\", potential: \"9.81*L/T^2*(y + z + w)\"}\n"
             "constraints: {rod: {position: sqrt(x^2 + y^2) - L}}\n"
             "contacts: {floor: {gap: z, slip: s', friction: 0.2, restitution: 0.5}, ball: {gap: w, restitution: 0.7}}\n"
             "simulation: {step: 1e-3*T, end: 0.4*T%s}\n",
             L, T, too_long, sunk, approach, project);
}

/* A start that is right is so in all units, and so is one that is wrong; projected, it is the same start. */
static void starts_in_all_units(void **state) {
    (void)state;
    static const char *const names[] = {"generalized-alpha", "rattle"};
    static const double lengths[] = {1, 1e-3, 1e-6, 1e-9, 1e-12, 1e6, 1e12}, times[] = {1, 1e-3, 1e3, 1, 1, 1e-6, 1e9};
    static const double wrong[][3] = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    for (int i = 0; i < 2; i++) {
        double expected[2][5] = {{0}};
        for (int k = 0; k < 7; k++) {
            char text[1200];
            for (int projected = 0; projected < 2; projected++) {
                in_units(text, sizeof text, lengths[k], times[k], 0.01 * projected, 0.1 * projected, projected,
                         projected ? ", project_start: true" : "");
                trial r = trial_complete(text, (trial_options){.scheme = names[i]});
                for (int j = 0; j < 5; j++) {
                    if (k == 0) expected[projected][j] = trial_q(&r, j);
                    check_close(trial_q(&r, j) / lengths[k], expected[projected][j], 1e-9);
                }
                trial_end(&r);
            }
            for (int j = 0; j < 3; j++) {
                zn_context *context = zn_context_create(NULL);
                zn_scene *scene = NULL;
                zn_simulation *simulation = NULL;
                in_units(text, sizeof text, lengths[k], times[k], wrong[j][0], wrong[j][1], wrong[j][2], "");
                assert_int_equal(zn_scene_parse(context, "units", text, NULL, &scene), ZN_OK);
                assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation),
                                 ZN_ERROR_START);
                zn_scene_destroy(scene);
                zn_context_destroy(context);
            }
        }
    }
}

/* Velocities that are zero but for round-off of those of others are no violation, in a row of their own too. */
static void round_off_is_at_rest(void **state) {
    (void)state;
    static const char scene[] = "coordinates: {x: {start: 0, velocity: 1}, y: {start: 1e-17, velocity: 3e-16}}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 0}\n"
                                "constraints: {line: {position: y}, train: {position: x - t}}\nsimulation: {step: 1e-2, end: 0.1}\n";
    for (int i = 0; i < 2; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = i ? "rattle" : "radau-2a"});
        check_close(trial_q(&r, 0), 0.1, 1e-12);
        check_close(trial_q(&r, 1), 0, 1e-15);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_in_all_units),
        cmocka_unit_test(round_off_is_at_rest),
        cmocka_unit_test(small_numbers_are_no_contact),
        cmocka_unit_test(an_inconsistent_start_is_named),
        cmocka_unit_test(a_projected_start_is_consistent),
        cmocka_unit_test(a_closed_contact_must_not_approach),
        cmocka_unit_test(an_impossible_projection_ends),
        cmocka_unit_test(friction_at_the_start),
        cmocka_unit_test(no_normal_force_no_friction),
        cmocka_unit_test(belt_and_opening_contact),
        cmocka_unit_test(velocities_on_redundant_joints),
        cmocka_unit_test(an_infeasible_step_ends_the_run),
        cmocka_unit_test(a_drive_ends_at_a_dead_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
