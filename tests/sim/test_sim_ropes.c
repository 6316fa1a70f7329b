/* SPDX-License-Identifier: Apache-2.0 */
/* Ropes and belts on pulleys that turn: a band brake, a crossed belt, a winch; and over points in space. Closed forms, with many
 * schemes. */
#include "trial.h"

static const double pi = 3.14159265358979323846;
static const char *const schemes[] = {"moreau",       "moreau-midpoint", "moreau-shifted", "moreau-theta", "rattle",
                                      "lobatto-3a3b", "radau-2a",        "lobatto-3c",     "tr-bdf2",      "generalized-alpha"};
enum { N_SCHEMES = 10 };

/* A drum under a band that holds a weight. The band does not move: the weight's side has the tension m g, the anchor's exp(-+mu pi) times
 * that, and the difference slows the drum down, which way it may turn. */
static void a_band_brake(void **state) {
    (void)state;
    const char *scene =
        "parameters: {w: 20}\ngravity: [0, -10]\nbodies:\n"
        "  drum: {type: planar, mass: 1, inertia: 0.5, angle_rate: w}\n"
        "  weight: {type: particle, mass: 2, position: [0.2, -1]}\n"
        "frames: {world.anchor: [-0.2, -1]}\n"
        "joints:\n  axle: {type: revolute, between: [world, drum]}\n"
        "  band: {type: rope, between: [world.anchor, {over: drum, radius: 0.2, around: clockwise, friction: 0.3}, weight]}\n"
        "simulation: {step: 1e-2, end: 0.5}\n";
    double E = exp(0.3 * pi), torque[2] = {20 * (1 - 1 / E) * 0.2, 20 * (E - 1) * 0.2};
    for (int i = 0; i < N_SCHEMES; i++)
        for (int back = 0; back < 2; back++) {
            trial r = trial_complete(scene, (trial_options){.scheme = schemes[i], .set = back ? "w=-20" : NULL});
            double w = trial_u(&r, 2), speed = 20 - torque[back] / 0.5 * 0.5;
            check_close(w, back ? -speed : speed, 1e-8);
            check_close(trial_q(&r, 4), -1, 1e-9); /* the weight */
            trial_end(&r);
        }
}

/* A crossed belt turns the second wheel the other way, half as fast; its two parts share the work as the torque says. */
static void a_crossed_belt(void **state) {
    (void)state;
    static const char *const kinds[] = {"rope", "belt"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N_SCHEMES; i++) {
            char scene[900];
            snprintf(scene, sizeof scene,
                     "bodies:\n  a: {type: planar, mass: 1, inertia: 0.1, angle_rate: 4}\n"
                     "  b: {type: planar, mass: 1, inertia: 0.3, position: [1, 0], angle_rate: -2}\n"
                     "joints:\n  pa: {type: revolute, between: [world, a]}\n  pb: {type: revolute, between: [world, b], at: [1, 0]}\n"
                     "  line: {type: %s, between: [{over: a, radius: 0.1, around: counterclockwise, grip: true},"
                     " {over: b, radius: 0.2, around: clockwise, grip: true}%s]}\n"
                     "forces: {m: {type: torque-actuator, between: [world, a], value: 1}}\n"
                     "simulation: {step: 1e-2, end: 2}\n",
                     kinds[k], k ? "" : ", {over: a, radius: 0.1, around: counterclockwise, grip: true}");
            trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
            check_close(trial_u(&r, 2), 4 + 2 / (0.1 + 0.3 / 4), 1e-7);
            check_close(trial_u(&r, 5), -2 - 1 / (0.1 + 0.3 / 4), 1e-7);
            if (!strstr(schemes[i], "moreau")) check_close(trial_q(&r, 5) + trial_q(&r, 2) / 2, 0, 1e-8); /* after several turns */
            trial_end(&r);
        }
}

/* A winch on a car that rolls away: the rope from its drum over a fixed eye to a load. The car moves by itself, and the load with it. */
static void a_winch_on_a_car(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, -10]\nbodies:\n  car: {type: planar, mass: 3, inertia: 1, position: [-2, 0.5]}\n"
        "  drum: {type: planar, mass: 1, inertia: 0.02, position: [-2, 0.5]}\n"
        "  load: {type: particle, mass: 1, position: [0, -1]}\n"
        "frames: {world.eye: [0, 0.3]}\n"
        "joints:\n  road: {type: prismatic, between: [world, car], at: [-2, 0.5], axis: [1, 0]}\n"
        "  axle: {type: revolute, between: [car, drum]}\n"
        "  motor: {type: motor, between: [car, drum], drive: 2*t}\n"
        "  rope: {type: rope, between: [{over: drum, radius: 0.2, around: counterclockwise, grip: true}, world.eye, load]}\n"
        "simulation: {step: 2e-3, end: 0.5}\n";
    for (int i = 0; i < N_SCHEMES; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        /* The lower side of the drum is at the height of the eye: the rope is level. Turning counterclockwise by t^2 pays out R t^2; the
         * car moves by x towards the eye and gives x: y = -(x + R t^2). 4 x'' = T, T = g + y'' = g - x'' - 2 R. */
        double x = (10 - 2 * 0.2) / 5 * 0.125, y = -(x + 0.2 * 0.25);
        double allowed = strstr(schemes[i], "moreau") ? 4e-3 : 1e-6;
        check_close(trial_q(&r, 0) + 2, x, allowed);
        check_close(trial_q(&r, 7) + 1, y, allowed);
        trial_end(&r);
    }
}

/* Two loads on a rope through a ring in space: an Atwood machine without a wheel; and it may be slack in between. */
static void a_rope_through_a_ring(void **state) {
    (void)state;
    const char *scene = "gravity: [0, 0, -10]\nbodies:\n  a: {type: particle, mass: 1, position: [1, 2, -1]}\n"
                        "  b: {type: spatial, mass: 2, inertia: 0.1, position: [1, 2, -3], frames: {ear: [0, 0, 0.1]}}\n"
                        "frames: {world.ring: [1, 2, 0]}\n"
                        "joints:\n  rope: {type: rope, between: [a, world.ring, b.ear]}\n"
                        "simulation: {step: 5e-3, end: 0.4}\n";
    for (int i = 1; i < N_SCHEMES; i++) {
        if (!strcmp(schemes[i], "moreau-theta")) continue;
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        check_close(trial_u(&r, 2), 0.4 * 10 / 3, strstr(schemes[i], "moreau") ? 1e-6 : 1e-9);
        check_close(zn_simulation_percussion_totals(r.simulation)[0], 0.4 * 40 / 3,
                    strstr(schemes[i], "moreau") ? 1e-6 : 1e-9); /* T = 2 m M g/(m + M) */
        trial_end(&r);
    }
}

/* ---- pulleys in space ---- */

/* The axes of a plane that lies anywhere: (a, b), its normal n. */
#define TURNED                                                                                                                       \
    "parameters: {k1: 2/7, k2: -3/7, k3: 6/7, theta: 1.1, c: cos(theta), s: sin(theta), a1: c + k1^2*(1 - c),"                       \
    " a2: k1*k2*(1 - c) + k3*s, a3: k1*k3*(1 - c) - k2*s, b1: k1*k2*(1 - c) - k3*s, b2: c + k2^2*(1 - c), b3: k2*k3*(1 - c) + k1*s," \
    " n1: k1*k3*(1 - c) + k2*s, n2: k2*k3*(1 - c) - k1*s, n3: c + k3^2*(1 - c)}\n"
#define FLAT_AT(x, y) "[" #x ", " #y "]"
#define SPACE_AT(x, y) "[(" #x ")*a1 + (" #y ")*b1, (" #x ")*a2 + (" #y ")*b2, (" #x ")*a3 + (" #y ")*b3]"
#define FLAT_BODY(J, w) "type: planar, inertia: " #J ", angle_rate: " #w
#define SPACE_BODY(J, w)                                                                                                                   \
    "type: spatial, inertia: [0.7*" #J ", 0.7*" #J ", " #J "], rotation: {axis: [k1, k2, k3], angle: theta}, angular_velocity: [0, 0, " #w \
    "]"

/* A drum and a wheel with a crossed belt; a rope from the drum over a pulley on a spring to a load that swings. The axis of the wheel's
 * pulley is `back`. */
#define MACHINE(HEAD, AT, BODY, AXIS, BACK, WAY)                                                                                           \
    HEAD "gravity: " AT(0, -9.81) "\nbodies:\n  drum: {" BODY(0.02, 3) ", mass: 1, position: " AT(                                         \
        0, 0) "}\n"                                                                                                                        \
              "  wheel: {" BODY(0.05, -6) ", mass: 1, position: " AT(                                                                      \
                  -1, 0.1) ", frames: {back: " BACK "}}\n"                                                                                 \
                           "  hung: {" BODY(0.05, 2) ", mass: 2, position: " AT(                                                           \
                               1, 0.5) "}\n"                                                                                               \
                                       "  load: {type: particle, mass: 1, position: " AT(1.3, -1) ", velocity: " AT(                       \
                                           0.5, 0) "}\nframes: {world.top: {at: " AT(1, 1.5) "}}\n"                                        \
                                                                                             "joints:\n  axle: {type: revolute, between: " \
                                                                                             "[world, drum], at: " AT(0, 0) AXIS           \
        "}\n"                                                                                                                              \
        "  axle2: {type: revolute, between: [world, wheel], at: " AT(-1, 0.1) AXIS                                                         \
        "}\n"                                                                                                                              \
        "  rope: {type: rope, between: [{over: drum, radius: 0.2, around: counterclockwise, grip: true},"                                  \
        " {over: hung, radius: 0.3, around: clockwise, friction: 0.2}, load]}\n"                                                           \
        "  belt: {type: belt, between: [{over: wheel.back, radius: 0.1, around: " WAY ", grip: true},"                                     \
        " {over: drum, radius: 0.2, around: counterclockwise, grip: true}]}\n"                                                             \
        "forces: {s: {type: spring, between: [world.top, hung], stiffness: 500, length: 0.9}}\nsimulation: {step: 1e-3, end: 1}\n"

/* A plane machine is the same one in any plane of space, and a pulley seen from behind goes the other way round. The drum turns by more
 * than a turn. */
static void a_machine_in_any_plane(void **state) {
    (void)state;
    static const char flat[] = MACHINE("", FLAT_AT, FLAT_BODY, "", "[0, 0]", "clockwise"),
                      turned[] = MACHINE(TURNED, SPACE_AT, SPACE_BODY, ", axis: [n1, n2, n3]", "[0, 0, 0]", "clockwise"),
                      behind[] = MACHINE(TURNED, SPACE_AT, SPACE_BODY, ", axis: [n1, n2, n3]", "{at: [0, 0, 0], axis: [0, 0, -1]}",
                                         "counterclockwise");
    static const struct {
        const char *scheme;
        int stages;
        double allowed;
    } rows[] = {{"moreau-midpoint", 0, 1e-11}, {"lobatto-3a3b", 0, 1e-9}, {"radau-2a", 3, 1e-9}};
    for (int i = 0; i < 3; i++)
        for (int back = 0; back < (i == 0 ? 2 : 1); back++) {
            trial_options o = {.scheme = rows[i].scheme, .stages = rows[i].stages};
            trial a = trial_complete(flat, o), b = trial_complete(back ? behind : turned, o);
            const double c = cos(1.1), s = sin(1.1), k[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
            const double x = trial_q(&a, 9), y = trial_q(&a, 10), kr = k[0] * x + k[1] * y;
            const double r[3] = {c * x - s * k[2] * y, c * y + s * k[2] * x, s * (k[0] * y - k[1] * x)};
            for (int j = 0; j < 3; j++) {
                check_close(trial_q(&b, 21 + j), r[j] + (1 - c) * kr * k[j], rows[i].allowed);
                check_close(trial_u(&b, 6 * j + 5), trial_u(&a, 3 * j + 2), 10 * rows[i].allowed); /* rates of the three bodies */
            }
            assert_true(trial_q(&a, 2) > 2 * pi / 2 && trial_u(&a, 2) > 5);
            trial_end(&a), trial_end(&b);
        }
}

static double output(const trial *r, const char *name) {
    const zn_model *m = zn_scene_model(r->scene);
    double values[128];
    int i = 0;
    assert_true(m->n_outputs <= 128);
    assert_int_equal(zn_simulation_outputs(r->simulation, values), ZN_OK);
    while (i < m->n_outputs && strcmp(m->output_names[i], name) != 0) i++;
    if (i == m->n_outputs) fail_msg("there is no output %s", name);
    return values[i];
}

/* Its picture: the points around a pulley are those of the plane machine, in the plane that lies anywhere. */
static void a_rope_is_drawn_in_space(void **state) {
    (void)state;
    static const char flat[] = MACHINE("", FLAT_AT, FLAT_BODY, "", "[0, 0]", "clockwise"),
                      turned[] = MACHINE(TURNED, SPACE_AT, SPACE_BODY, ", axis: [n1, n2, n3]", "[0, 0, 0]", "clockwise");
    static const char *const lines[] = {"rope", "belt"};
    static const int counts[] = {7, 2};
    trial a = trial_complete(flat, (trial_options){.scheme = "radau-2a", .stages = 3}),
          b = trial_complete(turned, (trial_options){.scheme = "radau-2a", .stages = 3});
    const double c = cos(1.1), s = sin(1.1), k[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
    for (int l = 0; l < 2; l++)
        for (int i = 1; i <= counts[l]; i++) {
            char name[40];
            double p[2], kr;
            for (int j = 0; j < 2; j++) snprintf(name, sizeof name, "view.line.%s.%c%d", lines[l], "xy"[j], i), p[j] = output(&a, name);
            kr = k[0] * p[0] + k[1] * p[1];
            const double r[3] = {c * p[0] - s * k[2] * p[1], c * p[1] + s * k[2] * p[0], s * (k[0] * p[1] - k[1] * p[0])};
            for (int j = 0; j < 3; j++) {
                snprintf(name, sizeof name, "view.line.%s.%c%d", lines[l], "xyz"[j], i);
                check_close(output(&b, name), r[j] + (1 - c) * kr * k[j], 1e-7);
                assert_non_null(strstr(zn_scene_model(b.scene)->drawing, name));
            }
        }
    trial_end(&a), trial_end(&b);
}

/* A load that swings out of the plane of its pulley, on a carriage with a spring; the other end goes through an eye to a second one.
 * Nothing is lost, and mirror images (in the plane of the pulley, and by its axis the other way round) move alike. */
static void a_load_out_of_the_plane(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [0, 0, -10]\nbodies:\n  carriage: {type: spatial, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}\n"
        "  load: {type: particle, mass: 1, position: [0.2, %g, -0.5], velocity: [0.3, %g, 0]}\n"
        "  other: {type: particle, mass: 1.5, position: [-1.5, 0.4, -0.2]}\n"
        "frames: {carriage.wheel: {at: [0, 0, 0], axis: [0, %d, 0]}, world.eye: {at: [-1.5, 0.4, 1.1]}}\n"
        "joints:\n  rail: {type: prismatic, between: [world, carriage], at: [0, 0, 1], axis: [1, 0, 0]}\n"
        "  rope: {type: rope, between: [load, {over: carriage.wheel, radius: 0.2, around: %s}, world.eye, other]}\n"
        "forces: {s: {type: spring, between: [world, carriage], stiffness: 300, length: 1}}\nsimulation: {step: 2e-3, end: 1, "
        "project_start: true}\n";
    double seen[3][3];
    for (int way = 0; way < 3; way++) {
        char scene[1200];
        double side = way == 1 ? 1 : -1;
        snprintf(scene, sizeof scene, text, 0.3 * side, 0.8 * side, way == 2 ? -1 : 1, way == 2 ? "counterclockwise" : "clockwise");
        if (way == 1) { /* all that is beside the plane on its other side */
            for (char *at = scene; (at = strstr(at, "[-1.5, 0.4")); at += 7) memcpy(at, "[-1.5,-0.4", 10);
        }
        trial r = trial_complete(scene, (trial_options){.scheme = "radau-2a", .stages = 3});
        trial start = trial_begin(scene, (trial_options){.scheme = "radau-2a", .stages = 3});
        double T[2], V[2];
        zn_simulation_energy(start.simulation, &T[0], &V[0]);
        zn_simulation_energy(r.simulation, &T[1], &V[1]);
        check_close(T[1] + V[1], T[0] + V[0], 1e-8);
        assert_true(fabs(trial_q(&r, 8)) > 0.1);
        for (int j = 0; j < 3; j++) seen[way][j] = trial_q(&r, 7 + j);
        trial_end(&start), trial_end(&r);
    }
    for (int j = 0; j < 3; j++) {
        check_close(seen[1][j], j == 1 ? -seen[0][j] : seen[0][j], 1e-9);
        check_close(seen[2][j], seen[0][j], 1e-9);
    }
}

/* The length of the path: from a point beside the plane straight to where the tangent of its projection touches, over a quarter, and
 * down. */
static void the_length_of_a_path(void **state) {
    (void)state;
    for (int shorter = 0; shorter < 2; shorter++) {
        char scene[600];
        double length = sqrt(3 * 3 + 4 * 4) + 0.5 * pi / 2 + 2;
        snprintf(
            scene, sizeof scene,
            "bodies: {load: {type: particle, mass: 1, position: [0.5, 0, -2]}}\n"
            "frames: {world.wheel: {at: [0, 0, 0], axis: [0, -1, 0]}, world.eye: {at: [-3, 4, 0.5]}}\n"
            "joints: {rope: {type: rope, length: %.17g, between: [world.eye, {over: world.wheel, radius: 0.5, around: clockwise}, load]}}\n"
            "simulation: {step: 0.1, end: 0.1}\n",
            length * (1 - 1e-10 * shorter));
        zn_context *context = zn_context_create(NULL);
        zn_scene *parsed = NULL;
        zn_status status = zn_scene_parse(context, "test", scene, NULL, &parsed);
        if (shorter) assert_non_null(strstr(zn_error_text(context), "too short"));
        else assert_int_equal(status, ZN_OK);
        zn_scene_destroy(parsed);
        zn_context_destroy(context);
    }
}

/* A winch draws its load, and wheels on a belt run, into the pulley: the end says what has come too close, with every scheme. */
static void a_tangent_is_lost(void **state) {
    (void)state;
    static const struct {
        const char *scene, *name;
    } cases[] = {{"gravity: [0, -9.81]\nbodies:\n  load: {type: particle, mass: 1, position: [0.2, -0.5]}\n"
                  "  drum: {type: planar, mass: 1, inertia: 0.02, position: [-1, 0]}\n"
                  "frames: {world.wheel: [0, 0]}\n"
                  "joints:\n  axle: {type: revolute, between: [world, drum], at: [-1, 0]}\n"
                  "  motor: {type: angle-drive, between: [world, drum], drive: 5*t^2}\n"
                  "  rope: {type: rope, between: [{over: drum, radius: 0.1, around: clockwise, grip: true}, {over: world.wheel, radius: "
                  "0.2, around: "
                  "clockwise}, load]}\n"
                  "simulation: {step: 2e-3, end: 3}\n",
                  "'rope'"},
                 {"bodies:\n  a: {type: planar, mass: 1, inertia: 0.02, angle_rate: 3}\n"
                  "  b: {type: planar, mass: 1, inertia: 0.02, position: [1, 0], velocity: [-1, 0]}\n"
                  "joints:\n  axle: {type: revolute, between: [world, a]}\n"
                  "  line: {type: rope, between: [{over: a, radius: 0.3, around: clockwise, grip: true}, {over: b, radius: 0.1, around: "
                  "clockwise, grip: "
                  "true}]}\n"
                  "simulation: {step: 2e-3, end: 3}\n",
                  "'line'"}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < N_SCHEMES; i++) {
            trial r = trial_begin(cases[k].scene, (trial_options){.scheme = schemes[i]});
            zn_status status = ZN_OK;
            while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
            const char *text = zn_error_text(r.context);
            if (status != ZN_ERROR_NOT_FINITE || !strstr(text, cases[k].name) || !strstr(text, "no straight line leads"))
                fail_msg("%s: %s", schemes[i], text);
            trial_end(&r);
        }
}

/* Atwood's machine: 1 and 3 on a rope or belt that slides over a wheel (one tension, 2 m1 m2 g/(m1 + m2)), or that turns it (two: J/r^2 = 1
 * moves with them). A line with several parts, or one that rubs, says what is known of it. */
static void a_tension_is_an_output(void **state) {
    (void)state;
    static const char *const scene = "gravity: [0, -10]\nbodies:\n  a: {type: particle, mass: 1, position: [-0.2, -3]}\n  b: {type: "
                                     "particle, mass: 3, position: [0.2, -1]}\n"
                                     "  w: {type: planar, mass: 1, inertia: 0.04}\njoints:\n  pin: {type: revolute, between: [world, w]}\n"
                                     "  line: {type: %s, between: [a, {over: w, radius: 0.2, around: clockwise%s}, b]}\n"
                                     "outputs: {one: %s, other: %s}\nsimulation: {step: 1e-2, end: 0.3}\n";
    static const char *const types[] = {"rope", "belt"};
    char text[900];
    for (int i = 0; i < 4 * N_SCHEMES; i++) {
        bool grips = i % 2;
        snprintf(text, sizeof text, scene, types[i / 2 % 2], grips ? ", grip: true" : "", grips ? "line.1.tension" : "line.tension",
                 grips ? "line.2.tension" : "line.tension");
        trial r = trial_complete(text, (trial_options){.scheme = schemes[i / 4]});
        double a = grips ? 4 : 5, values[32];
        assert_in_range(zn_simulation_model(r.simulation)->n_outputs, 2, 32); /* with those that bodies and lines have */
        assert_int_equal(zn_simulation_outputs(r.simulation, values), ZN_OK);
        check_close(values[0], 10 + a, 1e-9);
        check_close(values[1], 3 * (10 - a), 1e-9);
        trial_end(&r);
    }
    static const char *const wrong[][3] = {
        {", grip: true", "line.tension", "the rope 'line' has parts, 'line.1' is the first of them; known: tension, normal"},
        {", grip: true", "line.2.force", "the rope 'line.2' has no 'force'; known: tension, normal"},
        {", friction: 0.1", "line.tension", "the rope 'line' has no 'tension'; known: normal, friction"},
        {"", "lime.tension", "there is no body 'lime'"}};
    for (int i = 0; i < 4; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *made = NULL;
        snprintf(text, sizeof text, scene, "rope", wrong[i][0], wrong[i][1], "t");
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &made), ZN_OK);
        if (!strstr(zn_error_text(context), wrong[i][2])) fail_msg("%s\n%s", wrong[i][2], zn_error_text(context));
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_band_brake),
        cmocka_unit_test(a_crossed_belt),
        cmocka_unit_test(a_winch_on_a_car),
        cmocka_unit_test(a_rope_through_a_ring),
        cmocka_unit_test(a_machine_in_any_plane),
        cmocka_unit_test(a_load_out_of_the_plane),
        cmocka_unit_test(a_rope_is_drawn_in_space),
        cmocka_unit_test(the_length_of_a_path),
        cmocka_unit_test(a_tangent_is_lost),
        cmocka_unit_test(a_tension_is_an_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
