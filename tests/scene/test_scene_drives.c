/* SPDX-License-Identifier: Apache-2.0 */
/* Options of joints, ropes, springs and servos in scenes: mistakes have places, memory that runs out is given back, and random text is an
 * error. */
#include "memory_check.h"

#define BODIES                                                     \
    "bodies:\n"                                                    \
    "  a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n" \
    "  p: {type: particle, mass: 1, position: [0, 2]}\n"

static void mistakes_have_places(void **state) {
    (void)state;
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: 3}\n",
                 "5:63: stops must be a list, but here is a single value");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: [1]}\n",
                 "5:63: the stops of joint 'j' are two: [lower, upper], null where there is none");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: [1, -1]}\n",
                 "5:63: the lower stop of joint 'j' must be below the upper one");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: [x, 1]}\n",
                 "5:64: unknown name 'x'; known names are pi");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: [1, 2]}\n",
                 "5:3: the revolute joint 'j' starts at 0, which is not between its stops 1 and 2");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], stops: [-1, 1], restitution: 2}\n",
                 "5:85: restitution must be between 0 and 1, but is 2");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], restitution: 0.5}\n",
                 "5:69: joint 'j' has a restitution, but neither stops nor backlash");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], backlash: -1}\n",
                 "5:66: backlash must be greater than 0, but is -1");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], clutch: both}\n",
                 "5:64: 'both' is unknown in clutch; known: forward, backward");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], friction: 0.3}\n",
                 "5:66: friction of joint 'j' is a 'torque', as in {torque: 0.1}, or a 'coefficient' with a 'radius' and a 'preload'");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], friction: {force: 0.3}}\n",
                 "5:67: 'force' is unknown in friction of joint 'j'; known: torque, coefficient, preload, radius",
                 "5:66: friction of joint 'j' is a 'torque', as in {torque: 0.1}, or a 'coefficient' with a 'radius' and a 'preload'");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], friction: {coefficient: 0.3}}\n",
                 "5:66: friction of joint 'j' needs the 'radius' of the bearing");
    check_errors(BODIES "joints:\n  j: {type: revolute, between: [world, a], at: [1, 0], friction: {torque: 1, coefficient: 0.3}}\n",
                 "5:66: friction of joint 'j' is a 'torque', as in {torque: 0.1}, or a 'coefficient' with a 'radius' and a 'preload'");
    check_errors(BODIES "joints:\n  j: {type: prismatic, between: [world, a], at: [1, 0], friction: {radius: 1}}\n",
                 "5:68: 'radius' is unknown in friction of joint 'j'; known: force, coefficient, preload",
                 "5:67: friction of joint 'j' is a 'force', as in {force: 0.1}, or a 'coefficient' with a 'preload'");
    check_errors(BODIES "joints:\n  j: {type: fixed, between: [world, a], at: [1, 0], stops: [-1, 1]}\n",
                 "5:3: the fixed joint 'j': stops, backlash, clutches and friction are options of revolute and prismatic joints,");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p]}\n", "5:28: the path of joint 'j' has 2 to 64 places, but here are 1");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, {over: world, radius: 0.1}, a]}\n",
                 "5:32: a pulley of joint 'j' lacks 'around': counterclockwise or clockwise");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, {over: nobody}, a]}\n", "5:39: there is no body 'nobody'");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, {over: world, radius: 0.1, around: left}, a]}\n",
                 "5:67: 'left' is unknown in around; known: counterclockwise, clockwise");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, world, a], length: 1}\n",
                 "5:3: the rope 'j' is too short: its path is 3 long at the start, but its length is 1");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, world, a], at: [0, 0]}\n",
                 "5:47: joint 'j' goes along the places of 'between'");
    check_errors(BODIES "joints:\n  j: {type: rope, between: [p, a, p, {over: world, grip: maybe}]}\n",
                 "5:58: 'maybe' is unknown in grip; known: false, true");
    check_errors(BODIES "forces:\n  f: {type: angle-servo, between: [world, a], stiffness: 1}\n", "5:13: force 'f' lacks 'target'");
    check_errors(BODIES "forces:\n  f: {type: angle-servo, between: [world, a], target: q*2, stiffness: 1}\n",
                 "5:55: unknown name 'q'; known names are t, a.x, a.x', a.y, a.y', a.phi, a.phi', pi");
    check_errors(BODIES "forces:\n  f: {type: angle-servo, between: [world, a], target: 1, stiffness: 1, limit: -1}\n",
                 "5:79: limit must be greater than 0, but is -1");
    check_errors(BODIES "forces:\n  f: {type: angle-servo, between: [world, a], target: a.phi', stiffness: 1}\n",
                 "5:55: the target of a servo must not depend on velocities");
    check_errors(BODIES "forces:\n  f: {type: angle-servo, between: [world, a], target: 1}\n",
                 "5:3: the angle servo 'f' needs stiffness or damping, and a limit that is not negative");
    check_errors(BODIES "forces:\n  f: {type: spring, between: [world, a], value: k*length}\n",
                 "5:49: unknown name 'k'; known names are length, rate, t, a.x, a.x', a.y, a.y', a.phi, a.phi', pi");
    check_errors(BODIES "forces:\n  f: {type: spring, between: [world, a], value: length, stiffness: 1}\n",
                 "5:3: the spring 'f' has a value (formula), which replaces stiffness and damping");
    check_errors(BODIES "forces:\n  f: {type: spring, between: [world, a], stiffness: 1, side: push}\n",
                 "5:3: the spring 'f' with a side needs its length at rest");
    check_errors(BODIES "forces:\n  f: {type: spring, between: [world, a], stiffness: 1, length: 1, side: up}\n",
                 "5:73: 'up' is unknown in side; known: push, pull");
    check_errors(BODIES "forces:\n  f: {type: torque-actuator, between: [world, a], value: 1, stiffness: 3}\n",
                 "5:72: force 'f' is of type torque-actuator, which has no 'stiffness'; it has 'value'");
    check_errors(BODIES "forces:\n  f: {type: actuator, between: [world, a], value: 1, target: 2}\n",
                 "5:62: force 'f' is of type actuator, which has no 'target'; it has 'value', 'along: line' or 'axis'");
}

static const char everything[] =
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  top: {type: spatial, mass: 1, inertia: 1}\n"
    "  disk: {type: spatial, mass: 1, inertia: 1, position: [2, 0, 0]}\n"
    "  flat: {type: planar, mass: 1, inertia: 1, position: [4, 0]}\n"
    "  load: {type: particle, mass: 1, position: [5, -1]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [world, top], at: [0, 0, 0], axis: [0, 1, 0], stops: [null, 7], restitution: 0.5, clutch: forward, "
    "friction: {torque: 1}}\n"
    "  slide: {type: prismatic, between: [disk, top], axis: [0, 0, 1], at: [1, 0, 0], backlash: 0.2, friction: {coefficient: 0.1, preload: "
    "2}}\n"
    "  axle: {type: revolute, between: [world, flat], at: [4, 0], friction: {coefficient: 0.2, radius: 0.1}}\n"
    "  teeth: {type: gear, between: [top, disk], axis: [0, 1, 0], ratio: 2, backlash: 0.1}\n"
    "  turn: {type: angle-drive, between: [world, flat], drive: t, backlash: 0.1}\n"
    "  rope: {type: rope, between: [world, {over: flat, radius: 0.3, around: clockwise, grip: true}, load], restitution: 0.1}\n"
    "forces:\n"
    "  hold: {type: angle-servo, between: [world, top], axis: [0, 1, 0], target: sin(t), stiffness: 10, damping: 1, limit: 3}\n"
    "  bump: {type: spring, between: [world, load], stiffness: 10, length: 1, side: pull}\n"
    "  hard: {type: spring, between: [world, disk], value: length^3 + rate}\n";

/* A drum, a pulley on a body and one that rubs, in space: marks that count turns, rows in parts, and a picture along arcs. */
static const char ropes_in_space[] =
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  drum: {type: spatial, mass: 1, inertia: [1, 1, 2], rotation: {axis: [1, 0, 0], angle: pi/2}}\n"
    "  block: {type: spatial, mass: 1, inertia: 1, position: [1, 0, 0.5]}\n"
    "  load: {type: particle, mass: 2, position: [2.1, 0.1, -1]}\n"
    "frames: {block.wheel: {at: [0, 0, 0], axis: [0, -1, 0]}, world.wheel: {at: [2, 0, 0.5], axis: [0, -1, 0]}}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [world, drum], at: [0, 0, 0], axis: [0, -1, 0]}\n"
    "  rope: {type: rope, between: [{over: drum, radius: 0.2, around: clockwise, grip: true}, {over: block.wheel, radius: 0.1, around: "
    "clockwise, "
    "grip: true}, {over: world.wheel, radius: 0.1, around: clockwise, friction: 0.2}, load], restitution: 0.1}\n"
    "  loop: {type: belt, between: [{over: drum, radius: 0.1, around: clockwise, grip: true}, {over: block.wheel, radius: 0.2, around: "
    "clockwise, "
    "grip: true}]}\n";

static void failing_memory_is_clean(void **state) {
    (void)state;
    check_memory(everything, true);
    check_memory(ropes_in_space, true);
}

/* One character after the other is replaced by a random one: what comes is a scene or errors, and nothing leaks. */
static void random_characters(void **state) {
    (void)state;
    static const char letters[] = "0123456789-.,:[]{}'\"*+/ ()abcxyz\n#&%";
    size_t length = strlen(everything);
    uint64_t seed = 17;
    char *text = malloc(length + 1);
    int good = 0;
    for (int i = 0; i < 400; i++) {
        memcpy(text, everything, length + 1);
        for (int k = 0; k < 1 + i % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % length] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_parse(context, "random.yaml", text, NULL, &scene);
        assert_true((status == ZN_OK) == (zn_error_count(context) == 0));
        good += status == ZN_OK;
        zn_scene_destroy(scene);
        zn_context_destroy(context);
    }
    if (!(good > 5 && good < 380)) fail_msg("%d of 400 are scenes", good);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(mistakes_have_places, no_mismatches),
        cmocka_unit_test(failing_memory_is_clean),
        cmocka_unit_test(random_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
