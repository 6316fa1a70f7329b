/* SPDX-License-Identifier: Apache-2.0 */
/* Every mistake a scene can have, with its exact place. */
#include "scene_check.h"

static void test_shape(void **state) {
    (void)state;
    check_errors("", "1:1: the scene is empty");
    check_errors("# only a comment\n", "1:1: the scene is empty");
    check_errors("~\n", "1:1: the scene is empty");
    check_errors("{}\n", "1:1: the scene is empty");
    check_errors("[1, 2]\n", "1:1: a scene must be a map (name: value), but here is a list");
    check_errors("just text\n", "1:1: a scene must be a map");
    check_errors("title: t\n", "1:1: a scene lacks 'coordinates'", "1:1: the scene lacks 'energy'");
    check_change("title: Ball", "titel: Ball", "1:1: 'titel' is unknown in a scene (did you mean 'title'?)");
    check_change("title: Ball", "bananas: 3", "1:1: 'bananas' is unknown in a scene; known: title, parameters, coordinates");
    check_change("title: Ball", "title: [a]", "1:8: title must be a number, formula or text, but here is a list");
    check_change("coordinates:\n  x: {start: 0, velocity: 1}\n  y: 3*r\n", "coordinates:\n",
                 "3:1: coordinates must be a map (name: value), but here is nothing");
    check_change("coordinates:\n  x: {start: 0, velocity: 1}\n  y: 3*r\n", "coordinates: {}\n", "3:14: at least one coordinate");
}

static void test_empty_energy(void **state) {
    (void)state;
    check_errors("coordinates: {x: 0}\nenergy:\n", "1:1: the scene lacks 'energy'");
    check_errors("coordinates: {x: 0}\nenergy: {}\n", "2:9: energy lacks 'kinetic'");
    check_errors("coordinates: {x: 0}\nenergy: 3\n", "2:9: energy must be a map (name: value), but here is a single value");
}

static void test_parameters(void **state) {
    (void)state;
    check_change("m: 2", "m: r", "2:17: parameter 'm' uses 'r', which comes later (line 2)");
    check_change("m: 2", "m: 1 + m", "2:21: parameter 'm' is defined by itself");
    check_change("m: 2", "m: [2]", "2:17: parameter 'm' must be a number, formula or text, but here is a list");
    check_change("m: 2", "m: ", "2:14: parameter 'm' must be a number, formula or text, but here is nothing");
    check_change("m: 2", "m: 0/0", "2:17: parameter 'm' is not a finite number");
    check_change("m: 2", "m: 2*(3", "2:21: ");
    check_change("m: 2", "m: 2*q", "2:19: q");
    check_change("m: 2", "m: 2*t", "2:19: parameter 'm' must be constant, but 't' changes with the motion");
    check_change("m: 2", "sin: 1, m: 2", "2:14: 'sin' cannot be the name of a parameter: formulas know it already");
    check_change("m: 2", "pi: 3, m: 2", "2:14: 'pi' cannot be the name of a parameter");
    check_change("m: 2", "2m: 3, m: 2", "2:14: '2m' cannot be the name of a parameter: a letter, then");
    check_change("m: 2", "\"m'\": 3, m: 2", "2:15: 'm'' cannot be the name of a parameter: a letter, then");
}

static void test_coordinates(void **state) {
    (void)state;
    check_change("  y: 3*r", "  m: 1\n  y: 3*r", "5:3: 'm' cannot be the name of a coordinate: line 2 has a parameter");
    check_change("  y: 3*r", "  t: 1\n  y: 3*r", "5:3: 't' cannot be the name of a coordinate");
    check_change("start: 0", "begin: 0", "4:7: 'begin' is unknown in coordinate 'x'; known: start, velocity");
    check_change("start: 0", "strat: 0", "4:7: did you mean 'start'");
    check_change("start: 0", "start: max(0, 0)", "4:21: a formula with a comma inside { } or [ ] must be quoted", "4:19: missing ')'");
    check_change("start: 0", "start: y", "4:14: must be constant, but 'y' changes with the motion");
    check_change("start: 0", "start: 1/0", "4:14: not a finite number");
    check_change("velocity: 1", "velocity: x'", "4:27: must be constant, but 'x'' changes");
    check_change("y: 3*r", "y: [1]", "5:6: coordinate 'y' must be a formula or a map (name: value), but here is a list");
}

static void test_dynamics(void **state) {
    (void)state;
    check_change("  kinetic: m/2*(x'^2 + y'^2)\n", "", "7:3: energy lacks 'kinetic'");
    check_change("kinetic: m/2*(x'^2 + y'^2)", "kinetic: m/2*(xx'^2 + y'^2)", "7:17: xx'");
    check_change("kinetic: m/2*(x'^2 + y'^2)", "kinetic: >\n    m/2*(x'^2\n    + yy'^2)", "9:7: yy'");
    check_change("kinetic: m/2*(x'^2 + y'^2)", "kinetic: m/2*(x'^2 +\n    yy'^2)", "8:5: yy'");
    check_change("kinetic: m/2*(x'^2 + y'^2)", "kinetic: \"m/2*(x'^2 + yy'^2)\"", "7:25: yy'");
    check_change("x'^2 + y'^2", "x'^2", "7:3: the mass matrix is not positive definite");
    check_change("x'^2 + y'^2", "x'^2 + y'^3", "7:12: must be quadratic in the velocities");
    check_change("m*g*y", "m*g*y'", "8:14: must not depend on velocities");
    check_change("forces: {x: -0.1*x'}", "forces: {z: 1}", "9:10: forces: there is no coordinate 'z'");
    check_change("forces: {x: -0.1*x'}", "forces: [1, 2]", "9:9: forces must be a map");
    check_change("forces: {x: -0.1*x'}", "force: {x: 1}", "9:8: 'force' belongs to a scene with 'mass'");
    check_change("guide: {position: x - y}", "guide: x - y", "11:10: constraint 'guide' must be a map");
    check_change("guide: {position: x - y}", "guide: {position: x - y, velocity: x'}", "11:10: both 'position' and 'velocity'");
    check_change("guide: {position: x - y}", "guide: {}", "11:10: constraint 'guide' lacks 'position' or 'velocity'");
    check_change("guide: {position: x - y}", "guide: {posision: x}",
                 "11:11: did you mean 'position'"); /* and nothing more about what is missing */
}

static void test_contacts(void **state) {
    (void)state;
    check_change("gap: y - r, ", "", "13:10: contact 'floor' lacks 'gap'");
    check_change("gap: y - r", "gap: y - r, normal_force: 3", "13:37: both 'gap' and 'normal_force'");
    check_change("gap: y - r", "normal_force: 3", "13:68: no gap: it has no impacts");
    check_change("gap: y - r, slip: [x'], friction: 0.2, restitution: 0.5", "normal_force: 3", "13:10: it does nothing");
    check_change("gap: y - r", "gapp: y - r", "13:11: did you mean 'gap'", "13:10: lacks 'gap'");
    check_change("friction: 0.2", "friction: -0.2", "13:45: friction of contact 'floor' must not be less than 0, but is -0.2");
    check_change("friction: 0.2", "friction: [0.1, 0.2]", "13:45: 2 friction coefficients for 1 slip velocities");
    check_change("friction: 0.2", "friction: []", "13:45: friction is an empty list");
    check_change("friction: 0.2", "friction: [[1]]", "13:46: entry 1 of friction must be");
    check_change("friction: 0.2, ", "", "13:10: has 'slip', but lacks 'friction'");
    check_change("slip: [x'], ", "", "13:10: has 'friction', but lacks 'slip'");
    check_change("friction: 0.2", "friction: 0.2, reservoir: bal", "13:61: 'bal' is unknown in reservoir (did you mean 'ball'?)");
    check_change("slip: [x'], friction: 0.2", "slip: [x', y'], friction: [0.2, 0.1], reservoir: ball", "13:72: a ball has one");
    check_change("friction: 0.2", "friction: 0.2, reservoir: contensou", "13:61: lacks 'radius'", "13:30: number of slip velocities");
    check_change("friction: 0.2", "friction: 0.2, radius: 1", "13:58: only 'reservoir: contensou' has a radius");
    check_change("friction: 0.2", "friction: 0.2, reservoir: contensou, radius: -1", "13:80: radius must not be less than 0",
                 "13:30: number of slip velocities");
    check_change("[x']", "[x', x', x', x', x', x', x', x', x', x']", "13:30: ");
    check_change("friction: 0.2", "friction: 0.2, stribeck: {dynamic: 0.1}", "13:60: stribeck lacks 'rate'");
    check_change("friction: 0.2", "friction: 0.2, stribeck: {dynamic: 0.1, rate: 0}", "13:81: stribeck rate must be greater than 0");
    check_change("slip: [x'], friction: 0.2", "reservoir: ball", "13:34: no friction that this could belong to");
    check_change("friction: 0.2", "friction: 0.2, rolling: {slip: x'}", "13:59: rolling of contact 'floor' lacks 'friction'");
    check_change("friction: 0.2", "friction: 0.2, pivoting: {slip: [x', y'], friction: 1}", "13:67: one slip velocity, but here are 2");
    check_change("restitution: 0.5", "restitution: 1.5", "13:63: restitution of contact 'floor' must be between 0 and 1, but is 1.5");
    check_change("restitution: 0.5", "tangential_restitution: -1", "13:74: tangential_restitution of contact 'floor'");
    check_change("floor:", "\"\":", "13:4: '' cannot be the name of a contact");
    check_change("floor:", "a/b:", "13:3: 'a/b' cannot be the name of a contact: letters, digits, _, - and . only");
    check_change("guide:", "\"a,b\":", "11:4: 'a,b' cannot be the name of a constraint");
    check_change("restitution: 0.5", "restitution: x", "13:63: must be constant, but 'x' changes");
}

static void test_simulation(void **state) {
    (void)state;
    check_change("step: 1e-3", "step: 0", "14:36: step must be greater than 0, but is 0");
    check_change("step: 1e-3", "step: -m", "14:36: step must be greater than 0, but is -2");
    check_change("step: 1e-3", "step: {a: 1}", "14:36: step must be a number, formula or text, but here is a map");
    check_change("end: 1", "end: -1", "14:47: end must not be less than 0");
    check_change("end: 1", "stages: 0", "14:50: stages must be a whole number, 1 or more, but is 0");
    check_change("end: 1", "stages: 1.5", "14:50: stages must be a whole number, 1 or more, but is 1.5");
    check_change("end: 1", "record_every: 0", "14:56: record_every must be a whole number");
    check_change("end: 1", "damping: 1.1", "14:51: damping must be between 0 and 1");
    check_change("end: 1", "theta: 1/0", "14:49: theta is not a finite number");
    check_change("end: 1", "tolerance: 0", "14:53: tolerance must be greater than 0");
    check_change("end: 1", "accuracy: -1", "14:52: accuracy must be from 1e-12 to below 1");
    check_change("end: 1", "solver: newtn", "14:50: 'newtn' is unknown in solver (did you mean 'newton'?)");
    check_change("end: 1", "projection: position", "14:54: 'position' is unknown in projection; known: velocity, none");
    check_change("end: 1", "percussion: x", "14:54: known: stage, integrated");
    check_change("end: 1", "iteration: x", "14:53: known: coupled, decoupled");
    check_change("end: 1", "project_start: yes", "14:57: 'yes' is unknown in project_start; known: false, true");
    check_change("end: 1", "stpe: 1", "14:42: did you mean 'step'");
    check_change("scheme: moreau", "scheme: \"radau-2a:0\"", "14:23: NAME:STAGES");
    check_change("scheme: moreau", "scheme: \"radau-2a:x\"", "14:23: NAME:STAGES");
    check_change("scheme: moreau", "scheme: \":2\"", "14:23: the scheme has no name");
}

#define FIRST_ORDER                \
    "coordinates: {x: 0, y: 0}\n"  \
    "velocities: {v: 1, w: 0}\n"   \
    "kinematics: {x: v, y: w}\n"   \
    "mass: [[2, 0.5], [0.5, 1]]\n" \
    "force: [0, -9.81]\n"

static void check_first_order(const char *old, const char *now, const char *expected) {
    char *changed = with(FIRST_ORDER, old, now);
    check_errors(changed, expected);
    free(changed);
}

static void test_first_order(void **state) {
    (void)state;
    check_first_order("mass: [[2, 0.5], [0.5, 1]]\n", "", "1:1: needs all three; 'mass' is missing");
    check_first_order("kinematics: {x: v, y: w}\n", "", "1:1: needs all three; 'kinematics' is missing");
    check_first_order("velocities: {v: 1, w: 0}\n", "", "1:1: needs all three; 'velocities' is missing");
    check_first_order("mass:", "energy: {kinetic: v^2}\nmass:",
                      "4:19: a kinetic energy by formula cannot use spatial bodies, nor coordinates and velocities by kinematics");
    check_first_order("y: w}", "y: w, z: w}", "3:26: there is no coordinate 'z'");
    check_first_order(", y: w}", "}", "3:13: kinematics lacks coordinate 'y'");
    check_first_order("[[2, 0.5], [0.5, 1]]", "[2, 0.5, 1]", "4:7: mass has 3 entries, but there are 2 velocities");
    check_first_order("[0.5, 1]]", "[1]]", "4:18: the mass row of 'w' has 1 entries");
    check_first_order("[0.5, 1]]", "[0.25, 1]]", "4:19: not symmetric: 0.25 here, 0.5 in line 4, column 12");
    check_first_order("[0.5, 1]]", "[0.5, 0]]", "4:24: the mass of 'w' must be greater than 0, but is 0");
    check_first_order("[0.5, 1]]", "[x, 1]]", "4:19: not symmetric");
    check_first_order("[[2, 0.5], [0.5, 1]]", "[[2, x], [0, 1]]", "4:17: not symmetric: 0 here, but a formula");
    check_first_order("[[2, 0.5], [0.5, 1]]", "[[1, 2], [2, 1]]", "4:7: not positive definite");
    check_first_order("[[2, 0.5], [0.5, 1]]", "[1, -1]", "4:11: the mass of 'w' must be greater than 0, but is -1");
    check_first_order("[[2, 0.5], [0.5, 1]]", "{v: 1}", "4:7: mass lacks velocity 'w'");
    check_first_order("[[2, 0.5], [0.5, 1]]", "{v: 1, w: 1, u: 1}", "4:20: there is no velocity 'u'");
    check_first_order("[[2, 0.5], [0.5, 1]]", "3", "4:7: mass must be a list or a map");
    check_first_order("force: [0, -9.81]", "force: [0]", "5:8: force has 1 entries");
    check_first_order("force: [0, -9.81]", "force: {x: 0}", "5:9: there is no velocity 'x'");
    check_first_order("force: [0, -9.81]", "forces: {x: 0}", "5:9: 'forces' belongs to a scene with 'energy'");
    check_first_order("{x: 0, y: 0}", "{x: {velocity: 1}, y: 0}", "1:29: has 'velocities' of its own");
    check_first_order("{v: 1, w: 0}", "{v: 1, y: 0}", "2:20: 'y' cannot be the name of a velocity: line 1 has a coordinate");
    check_first_order("v: 1", "v: x", "2:17: must be constant");
}

static void test_several_at_once(void **state) {
    (void)state;
    check_errors("title: T\n"
                 "parameters: {m: 2*, k: 1}\n"
                 "coordinates:\n"
                 "  x: {start: 0, velosity: 1}\n"
                 "energy: {kinetic: m/2*x'^2, potential: k*z^2}\n"
                 "contacts:\n"
                 "  floor: {gap: x, restitution: 2}\n"
                 "simulation: {step: 0, end: 1}\n",
                 "2:19: ", "4:17: did you mean 'velocity'", "7:32: between 0 and 1", "8:20: greater than 0", "5:42: z");
}

static void test_number_of_errors_is_limited(void **state) {
    (void)state;
    zn_context *context = zn_context_create(NULL);
    char text[8192];
    char *end = text + sprintf(text, "coordinates: {x: 0}\nenergy: {kinetic: x'^2}\nsimulation:\n");
    for (int i = 0; i < 300; i++) end += sprintf(end, "  a%d: 1\n", i);
    zn_scene *scene = NULL;
    assert_int_equal(zn_scene_parse(context, "many.yaml", text, NULL, &scene), ZN_ERROR_SCENE);
    assert_int_equal(zn_error_count(context), SCENE_MAX_ERRORS);
    zn_context_destroy(context);
}

static void test_inputs(void **state) {
    (void)state;
#define INPUT(value) "inputs: {push: " value "}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\nforces: {x: push}\n"
    check_errors(INPUT("[]"), "1:16: input 'push' must be");
    check_errors(INPUT("{}"), "1:16: input 'push' lacks 'points' or 'file'");
    check_errors(INPUT("{pts: 3}"), "1:17: 'pts' is unknown in input 'push'");
    check_errors(INPUT("{points: [[1, 2], [0, 3]]}"), "1:25: points of a table must ascend");
    check_errors(INPUT("{points: [[0, 1]]}"), "1:25: ");
    check_errors(INPUT("{points: [[0, 1, 2], [1, 2]]}"), "1:26: ");
    check_errors(INPUT("{points: [[0, 1], [1, 2]], interpolation: curly}"), "1:58: 'curly' is unknown");
    check_errors(INPUT("{points: [[0, 1], [1, 1]], periodic: true}"), "1:25: a table that is held cannot be periodic");
    check_errors(INPUT("{file: nothing.csv, columns: [t, push]}"), "1:23: the table 'nothing.csv': there is no such file");
    check_errors(INPUT("{file: nothing.csv}"), "1:23: input 'push' lacks 'columns");
#undef INPUT
}

static void test_set_errors(void **state) {
    (void)state;
    check_errors_set(GOOD_SCENE, "m", (const char *const[]){"0:0: NAME=FORMULA", NULL});
    check_errors_set(GOOD_SCENE, "=2", (const char *const[]){"0:0: NAME=FORMULA", NULL});
    check_errors_set(GOOD_SCENE, "m= ", (const char *const[]){"0:0: NAME=FORMULA", NULL});
    check_errors_set(GOOD_SCENE, "gg=1", (const char *const[]){"0:0: the scene has no parameter 'gg' (did you mean 'g'?)", NULL});
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    const char *set = "m=2*)";
    assert_int_equal(zn_scene_parse(context, "s.yaml", GOOD_SCENE, &(zn_scene_options){.n_sets = 1, .sets = &set}, &scene), ZN_ERROR_SCENE);
    assert_int_equal(zn_error_count(context), 1);
    assert_string_equal(zn_error_get(context, 0)->file, "--set m=2*)");
    zn_context_destroy(context);
}

#define TEST(name) cmocka_unit_test_teardown(name, no_mismatches)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_shape),       TEST(test_parameters),      TEST(test_coordinates),
        TEST(test_dynamics),    TEST(test_contacts),        TEST(test_simulation),
        TEST(test_first_order), TEST(test_several_at_once), TEST(test_number_of_errors_is_limited),
        TEST(test_inputs),      TEST(test_set_errors),      TEST(test_empty_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
