/* SPDX-License-Identifier: Apache-2.0 */
/* States of controllers, sampled values, events and modes: closed forms, orders, and machines of the literature. */
#include "trial.h"

static void test_pid(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int stages;
        double tolerance;
    } list[] = {{"radau-2a", 3, 1e-11},
                {"lobatto-3a3b", 3, 1e-7},
                {"rattle", 0, 3e-4},
                {"generalized-alpha", 0, 3e-4},
                {"moreau-midpoint", 0, 3e-2}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        trial r = trial_begin("pid-slider", (trial_options){.scheme = list[k].scheme, .stages = list[k].stages, .end = 2});
        trial_run(&r);
        check_close(trial_q(&r, 0), 1 + 2.5 * exp(-2) - 8 * exp(-4) + 4.5 * exp(-6), list[k].tolerance);
        check_close(trial_u(&r, 0), -2.5 * exp(-2) + 16 * exp(-4) - 13.5 * exp(-6), list[k].tolerance);
        trial_end(&r);
    }
}

/* The same controller on a body, sampled 100 times: the sum is Euler's, which is exact for what a difference equation says. */
static void test_sampled(void **state) {
    (void)state;
    const char *text = "parameters: {T: 0.05}\nbodies: {b: {type: particle, mass: 2, position: [1, 0]}}\n"
                       "sampled: {every: T, f: -3*b.x - 2*b.x'}\nforces: {b.x: f}\nsimulation: {step: 0.02, end: 1}\n";
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha"};
    double x = 1, v = 0, T = 0.05;
    for (int i = 0; i < 20; i++) { /* constant force between samples */
        double a = (-3 * x - 2 * v) / 2;
        x += T * v + T * T / 2 * a, v += T * a;
    }
    for (int k = 0; k < 3; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        check_close(trial_q(&r, 0), x, 1e-12);
        check_close(trial_u(&r, 0), v, 1e-12);
        trial_end(&r);
    }
}

/* Order with states that are not linear in velocities, and with a cubic table in the loop. */
#define LOOP                                                                                        \
    "tables: {f: {points: [[-3, 2], [-1, -1], [0, 0.5], [1, 2], [3, -1]], interpolation: cubic}}\n" \
    "coordinates: {x: {start: 1, velocity: 0.5}, y: 0.2}\n"                                         \
    "energy: {kinetic: \"(x'^2 + (1 + x^2)*y'^2)/2\", potential: 2*x^2 + y^2}\n"                    \
    "states: {e: {start: 0.3, rate: \"1 - x*y'^2 - sin(e)*x'\"}, z: {rate: e - z^3}}\n"             \
    "forces: {x: \"e - x' + table(f, 0.3*x)\", y: z*e}\nsimulation: {step: 0.1, end: 1}\n"

static void test_orders(void **state) {
    (void)state;
    static const struct {
        const char *scheme;
        int stages, order;
    } list[] = {{"radau-2a", 2, 3},        {"radau-2a", 3, 5},      {"radau-2a", 4, 7},     {"lobatto-3c", 2, 2},
                {"lobatto-3c", 3, 4},      {"lobatto-3c", 4, 6},    {"lobatto-3a3b", 2, 2}, {"lobatto-3a3b", 3, 4},
                {"lobatto-3a3b", 4, 6},    {"rattle", 0, 2},        {"tr-bdf2", 0, 2},      {"trx2", 0, 2},
                {"tr-theta", 0, 2},        {"sdirk2", 0, 2},        {"sdirk3", 0, 3},       {"generalized-alpha", 0, 2},
                {"moreau-midpoint", 0, 1}, {"moreau-shifted", 0, 1}};
    trial exact = trial_complete(LOOP, (trial_options){.scheme = "radau-2a", .stages = 5, .step = 0.01});
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            trial r = trial_complete(LOOP, (trial_options){.scheme = list[k].scheme, .stages = list[k].stages, .step = fine ? 0.05 : 0.1});
            error[fine] = 0;
            for (int i = 0; i < 4; i++) error[fine] = hypot(error[fine], trial_q(&r, i) - trial_q(&exact, i));
            trial_end(&r);
        }
        check_close(log2(error[0] / error[1]), list[k].order, 0.45);
    }
    for (int i = 0; i < zn_scheme_count(); i++) { /* every scheme is here, or says that it cannot */
        bool here = false;
        for (size_t k = 0; k < sizeof list / sizeof *list; k++) here = here || !strcmp(list[k].scheme, zn_scheme_get(i).name);
        zn_settings settings = *zn_scene_settings(exact.scene);
        settings.scheme = zn_scheme_get(i).name, settings.stages = 0;
        zn_simulation *simulation = NULL;
        zn_status status = zn_simulation_create(exact.context, zn_scene_model(exact.scene), &settings, &simulation);
        if (status == ZN_OK && !here) fail_msg("%s: its order is missing in the list above", settings.scheme);
        if (status != ZN_OK && here) fail_msg("%s: %s", settings.scheme, zn_error_text(exact.context));
        if (!here) assert_non_null(strstr(zn_error_text(exact.context), "does not support velocities other than the derivatives"));
        zn_simulation_destroy(simulation);
        zn_error_clear(exact.context);
    }
    const double q[] = {0.4, -0.3, 0.2, 0.1}, u[] = {1, 2}, a[] = {-1, 0.5};
    zn_derivative_check check;
    zn_point at = {.t = 0.1, .q = q, .u = u, .a = a, .lambda = q};
    assert_int_equal(zn_model_check_derivatives(exact.context, zn_scene_model(exact.scene), &at, &check), ZN_OK);
    check_below(check.worst, 1e-6);
    trial_end(&exact);
}

/* A ball that events throw back bounces as its formula says, with every scheme and with steps that are chosen. */
static void test_bounces(void **state) {
    (void)state;
    const char *text = "coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                       "events: {bounce: {when: y, direction: down, do: {y': -0.8*y'}}, over: {when: t - 2, do: stop, message: enough}}\n"
                       "simulation: {step: 0.01, end: 3}\n";
    const double g = 9.81;
    double t = sqrt(2 / g), v = 0.8 * g * t;
    int bounces = 1;
    for (; t + 2 * v / g < 2; bounces++) t += 2 * v / g, v *= 0.8;
    double left = 2 - t;
    static const char *const schemes[] = {"radau-2a", "rattle", "moreau-midpoint", "generalized-alpha"};
    for (int k = 0; k < 4; k++) {
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        check_close(zn_simulation_time(r.simulation), 2,
                    2e-11); /* the event is at the end of a step: found in the next one, 1e-9 of it later */
        assert_string_equal(zn_simulation_stop_message(r.simulation), "enough");
        check_close(trial_q(&r, 0), v * left - g * left * left / 2, 1e-10);
        check_close(trial_u(&r, 0), v - g * left, 1e-10);
        assert_int_equal(zn_simulation_event_count(r.simulation), bounces + 1);
        assert_string_equal(zn_simulation_event(r.simulation, 0).name, "bounce");
        check_close(zn_simulation_event(r.simulation, 0).t, sqrt(2 / g), 1e-11);
        trial_end(&r);
    }
}

static int observe_row(void *user, const zn_simulation *sim) {
    (void)sim;
    return zn_recorder_row(user) != ZN_OK;
}

/* Events in the result: in a file, in its copy and in memory; the values are those before the event. */
static void test_recorded_events(void **state) {
    (void)state;
    const char *text =
        "inputs: {bounciness: 0.8}\nmodes: {once: off}\ncoordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
        "events: {top: {when: y', direction: down, do: record}, bounce: {when: y, direction: down, do: {y': -bounciness*y', once: on}}}\n"
        "simulation: {step: 0.01, end: 1.3, record_every: 7}\n";
    const double g = 9.81, t1 = sqrt(2 / g), v1 = g * t1;
    char path[300], copy[300];
    snprintf(path, sizeof path, "%s/scene-events.h5", ZENO_BINARY_DIR);
    snprintf(copy, sizeof copy, "%s/scene-events-copy.h5", ZENO_BINARY_DIR);
    for (int k = 0; k < 3; k++) {
        trial r = trial_begin(text, (trial_options){.scheme = "radau-2a"});
        zn_recorder *recorder = NULL;
        zn_result *result = NULL;
        zn_contact_table table;
        assert_int_equal(zn_recorder_create(r.context, r.simulation, "ball", "", k == 2 ? NULL : path, &recorder), ZN_OK);
        assert_int_equal(zn_simulation_run(r.simulation, observe_row, recorder), ZN_OK);
        if (k == 2) assert_int_equal(zn_recorder_keep(recorder, &result), ZN_OK);
        else assert_int_equal(zn_recorder_finish(recorder, true), ZN_OK);
        if (k < 2) assert_int_equal(zn_result_open(r.context, path, &result), ZN_OK);
        if (k == 1) {
            assert_int_equal(zn_result_save(result, copy), ZN_OK);
            zn_result_close(result);
            assert_int_equal(zn_result_open(r.context, copy, &result), ZN_OK);
        }
        assert_int_equal(zn_result_events(result, &table), ZN_OK);
        static const char *const columns[] = {"row", "event", "time", "y", "y'", "bounciness", "once"};
        assert_int_equal(table.n_columns, 7);
        for (int i = 0; i < 7; i++) assert_string_equal(table.columns[i], columns[i]);
        assert_int_equal(table.n_names, 2);
        assert_int_equal(table.count, 3);
        const double expected[3][7] = {
            {0, 1, t1, 0, -v1, 0.8, 0}, {0, 0, t1 + 0.8 * v1 / g, 0.64, 0, 0.8, 1}, {0, 1, t1 + 1.6 * v1 / g, 0, -0.8 * v1, 0.8, 1}};
        const double *t;
        ptrdiff_t stride;
        int time;
        assert_int_equal(zn_result_find(result, "t", &time), ZN_OK);
        assert_int_equal(zn_result_values(result, time, &t, &stride), ZN_OK);
        for (int i = 0; i < 3; i++) {
            const double *entry = table.values + 7 * i;
            long row = (long)entry[0];
            assert_string_equal(table.names[(int)entry[1]], expected[i][1] > 0 ? "bounce" : "top");
            for (int c = 1; c < 7; c++) check_close(entry[c], expected[i][c], 1e-10);
            assert_true(row > 0 && t[(row - 1) * stride] < entry[2] && entry[2] <= t[row * stride]);
            if (i == 1) assert_true(t[row * stride] == entry[2]); /* it was recorded */
        }
        assert_int_equal(zn_result_contact_events(result, &table), ZN_OK);
        assert_int_equal(table.count, 0);
        zn_result_close(result);
        trial_end(&r);
    }
}

/* Forces and accelerations in outputs, by what they are for the state at hand; they do not touch the motion. */
static void test_forces(void **state) {
    (void)state;
    const char *bodies =
        "gravity: [0, -10]\nbodies:\n"
        "  rod: {type: planar, mass: 2, inertia: 0.1, position: [0.3, 0.4], angle: 0.7, velocity: [-0.8, 0.6], angle_rate: 2}\n"
        "  ball: {type: particle, mass: 3, position: [2, -1], velocity: [1.5, 0]}\n"
        "  box: {type: particle, mass: 4, position: [5, 0]}\n"
        "  wheel: {type: planar, mass: 1, inertia: 0.3, position: [9, 0]}\n"
        "frames: {world.nail: {at: [2, 0]}}\njoints:\n"
        "  hinge: {type: revolute, between: [world, rod], at: [0, 0]}\n"
        "  string: {type: distance, between: [world.nail, ball], length: 1}\n"
        "  axle: {type: revolute, between: [world, wheel], at: [9, 0]}\n"
        "  engine: {type: motor, between: [world, wheel], drive: t^2}\n"
        "contacts: {floor: {gap: box.y, slip: box.x', friction: 0.3}}\nforces: {box.x: 5 + 10*t}\n";
    const char *outputs = "outputs: {fx: hinge.force_x, fy: hinge.force_y, pull: -string.force, torque: engine.torque, a: \"rod.phi''\", "
                          "normal: floor.normal, rub: floor.friction, push: \"5 + 10*t + floor.friction - 4*box.x''\"}\n";
    static const char *const schemes[] = {"radau-2a", "rattle", "lobatto-3c", "moreau-midpoint", "generalized-alpha"};
    for (int k = 0; k < 5; k++) {
        char text[2000], bare[2000];
        snprintf(text, sizeof text, "%s%ssimulation: {step: 0.005, end: 1}\n", bodies, outputs);
        snprintf(bare, sizeof bare, "%ssimulation: {step: 0.005, end: 1}\n", bodies);
        trial r = trial_begin(text, (trial_options){.scheme = schemes[k]});
        trial without = trial_complete(bare, (trial_options){.scheme = schemes[k]});
        /* Moreau's rule lets joints drift, for which these formulas are not; the last scheme has forces of its own, of second order. */
        const double tolerance = k < 3 ? 1e-8 : k == 3 ? INFINITY : 2e-2;
        for (int i = 0; i < 200; i++) {
            double out[8];
            trial_step(&r);
            if (i % 20 != 19) continue;
            assert_int_equal(zn_simulation_outputs(r.simulation, out), ZN_OK);
            double t = zn_simulation_time(r.simulation), x = trial_q(&r, 0), y = trial_q(&r, 1), w = trial_u(&r, 2);
            double a = -2 * 10 * x / (0.1 + 2 * 0.25), bx = trial_q(&r, 3) - 2, by = trial_q(&r, 4);
            double v = hypot(trial_u(&r, 3), trial_u(&r, 4));
            check_close(out[0], 2 * (-y * a - x * w * w), tolerance);
            check_close(out[1], 2 * (x * a - y * w * w + 10), tolerance);
            check_close(out[2], 3 * (v * v - 10 * by) / hypot(bx, by), tolerance); /* m g cos + m v^2 / l */
            check_close(out[3], 0.3 * 2 * t, k == 4 ? tolerance : 1e-8);
            check_close(out[4], a, tolerance);
            check_close(out[5], 40, 1e-8);
            if (fabs(t - 0.7) > 0.02) check_close(out[6], t < 0.7 ? -5 - 10 * t : -12, 1e-7);
            check_close(out[7], 0, k == 4 ? tolerance : 1e-7);
        }
        for (int i = 0; i < 10; i++) assert_true(trial_q(&r, i) == trial_q(&without, i));
        trial_end(&r);
        trial_end(&without);
    }
    /* In space: the hinge of a beam at rest that a torque about its axis turns, and components of the angular acceleration. */
    const char *space = "gravity: [0, 0, -10]\nbodies: {b: {type: spatial, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}, c: "
                        "{type: spatial, mass: 2, inertia: [0.1, 0.2, 0.3]}}\n"
                        "joints: {ball: {type: spherical, between: [world, b], at: [0, 0, 0]}}\nforces: {c.wy: 0.4}\n"
                        "outputs: {fz: ball.force_z, fx: ball.force_x, wy: \"c.wy'\", az: \"c.z''\"}\nsimulation: {step: 0.01, end: 1}\n";
    trial r = trial_begin(space, (trial_options){.scheme = "radau-2a"});
    double out[4];
    assert_int_equal(zn_simulation_outputs(r.simulation, out), ZN_OK);
    check_close(out[0], 20 * 0.2 / 2.2, 1e-10); /* m g J/(J + m l^2) */
    check_close(out[1], 0, 1e-10);
    check_close(out[2], 2, 1e-10);
    check_close(out[3], -10, 1e-10);
    trial_end(&r);
    static const char *const wrong[] = {"forces: {b.x: hinge.force_x}\n", "events: {e: {when: \"b.x''\", do: stop}}\n",
                                        "sampled: {every: 0.1, f: floor.normal}\n", "constraints: {c: {velocity: b.y' - hinge.force_y}}\n"};
    for (int i = 0; i < 4; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char text[800];
        snprintf(text, sizeof text,
                 "bodies: {b: {type: planar, mass: 1, inertia: 1}}\njoints: {hinge: {type: revolute, between: [world, b], at: [1, 0]}}\n"
                 "contacts: {floor: {gap: b.y + 1}}\noutputs: {f: hinge.force_x + floor.normal}\n%ssimulation: {step: 0.1, end: 1}\n",
                 wrong[i]);
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), "is a force or acceleration")) fail_msg("%s\n%s", text, zn_error_text(context));
        zn_context_destroy(context);
    }
}

static double output(trial *r, const char *name) {
    const zn_model *model = zn_scene_model(r->scene);
    double values[40];
    assert_true(model->n_outputs <= 40);
    assert_int_equal(zn_simulation_outputs(r->simulation, values), ZN_OK);
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->output_names[i], name)) return values[i];
    fail_msg("there is no output %s", name);
    return NAN;
}

/* Forces of springs, actuators and servos by what they are; of guides by the balance; contacts at rest on a slope; points of turning
 * bodies. */
static void test_force_names(void **state) {
    (void)state;
    const char *plane =
        "gravity: [0, -10]\nbodies:\n  a: {type: particle, mass: 2, position: [0.3, -1], velocity: [0.4, 1]}\n"
        "  w: {type: planar, mass: 1, inertia: 0.3, position: [3, 0], angle: 0.2, angle_rate: 3}\n"
        "  s: {type: planar, mass: 1.5, inertia: 0.3, position: [6, 0], angle: pi/6}\n"
        "  box: {type: planar, mass: 2, shape: {type: box, size: [0.4, 0.2]}, position: [9 - 0.1*sin(0.3), 0.1*cos(0.3)], angle: 0.3}\n"
        "frames: {w.tip: [0.5, 0.1]}\ngeometry: {slope: {type: line, at: [9, 0], normal: [-sin(0.3), cos(0.3)]}}\njoints:\n"
        "  axle: {type: revolute, between: [world, w], at: [3, 0]}\n"
        "  slide: {type: prismatic, between: [s, world], at: [6, 0], axis: [cos(pi/6), sin(pi/6)]}\n"
        "contacts: {c: {between: [box, slope], friction: 0.5}}\nforces:\n"
        "  spr: {type: spring, between: [world, a], stiffness: 100, length: 0.7, damping: 3}\n"
        "  zero: {type: spring, between: [a, world], stiffness: 7}\n"
        "  lin: {type: linear-spring, between: [world, a], axis: [0, 1], stiffness: 20, length: -0.5, damping: 2, side: push}\n"
        "  own: {type: spring, between: [world, a], value: 4*length + rate*t}\n"
        "  tor: {type: torsion-spring, between: [world, w], stiffness: 5, angle: 0.1}\n"
        "  srv: {type: angle-servo, between: [world, w], at: [3, 0], target: 0.5 + t, stiffness: 4, damping: 1, limit: 9}\n"
        "  low: {type: angle-servo, between: [world, w], at: [3, 0], target: 40, stiffness: 4, damping: 1, limit: 1.25}\n"
        "  pos: {type: position-servo, between: [world, a], axis: [1, 0], target: 1, stiffness: 4}\n"
        "  act: {type: actuator, between: [world, a], along: axis, axis: [1, 0], value: 3*a.y}\n"
        "  tq: {type: torque-actuator, between: [world, w], value: 0.7}\n";
    const char *asked =
        "outputs: {spr: spr.force, zero: zero.force, lin: lin.force, own: own.force, tor: tor.torque, srv: srv.torque, low: low.torque, "
        "pos: pos.force, act: act.force, tq: tq.torque, fx: slide.force_x, fy: slide.force_y, ax: \"w.tip.x''\", ay: \"w.tip.y''\", "
        "alpha: \"w.phi''\", N: c.normal, "
        "F: c.friction}\nsimulation: {step: 0.01, end: 0.3}\n";
    static const char *const schemes[] = {"radau-2a", "rattle", "lobatto-3c"};
    for (int k = 0; k < 3; k++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s", plane, asked);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
        double t = 0.3, x = trial_q(&r, 0), y = trial_q(&r, 1), vx = trial_u(&r, 0), vy = trial_u(&r, 1);
        double l = hypot(x, y), rate = (x * vx + y * vy) / l, phi = trial_q(&r, 4), w = trial_u(&r, 4);
        double push = -20 * (y + 0.5), damper = 2 * vy < push ? 2 * vy : push, c = cos(acos(-1) / 6), s = 0.5;
        check_close(output(&r, "spr"), -100 * (l - 0.7) - 3 * rate, 1e-11);
        check_close(output(&r, "zero"), -7 * l, 1e-11);
        check_close(output(&r, "lin"), y < -0.5 ? push - damper : 0, 1e-11);
        check_close(output(&r, "own"), -(4 * l + rate * t), 1e-11);
        check_close(output(&r, "tor"), -5 * (phi - 0.1), 1e-11);
        check_close(output(&r, "srv"), 4 * (0.5 + t - (phi - 0.2)) + (1 - w), 1e-11); /* placed by `at`: from the start */
        check_close(output(&r, "low"), 1.25, 1e-15);
        check_close(output(&r, "pos"), 4 * (1 - x), 1e-11);
        check_close(output(&r, "act"), 3 * y, 1e-11);
        check_close(output(&r, "tq"), 0.7, 1e-15);
        check_close(output(&r, "fx"), 15 * c * s, 1e-9); /* on the world, the second body */
        check_close(output(&r, "fy"), -15 * c * c, 1e-9);
        double alpha = (output(&r, "tor") + output(&r, "srv") + output(&r, "low") + 0.7) / 0.3;
        check_close(output(&r, "alpha"), alpha, 1e-8);
        double X = 0.5 * cos(phi) - 0.1 * sin(phi), Y = 0.5 * sin(phi) + 0.1 * cos(phi);
        check_close(output(&r, "ax"), -alpha * Y - w * w * X, 1e-8);
        check_close(output(&r, "ay"), alpha * X - w * w * Y, 1e-8);
        check_close(output(&r, "N"), 20 * cos(0.3), 1e-7);
        check_close(fabs(output(&r, "F")), 20 * sin(0.3), 1e-7);
        trial_end(&r);
    }
}

/* In space, by differences of velocities: a point of a body that springs turn about a ball joint; and a body on an oblique rail. */
static void test_force_names_in_space(void **state) {
    (void)state;
    const char *text =
        "gravity: [0, 0, -10]\nbodies:\n  b: {type: spatial, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}\n"
        "  c: {type: spatial, mass: 3, inertia: [1, 1, 1], position: [0, 5, 0]}\nframes: {b.tip: [0.5, 0.2, 0.1]}\njoints:\n"
        "  ball: {type: spherical, between: [world, b], at: [0, 0, 0]}\n"
        "  rail: {type: prismatic, between: [world, c], at: [0, 5, 0], axis: [0.6, 0, 0.8]}\nforces:\n"
        "  tor: {type: torsion-spring, between: [world, b], axis: [0, 0, 1], stiffness: 5}\n"
        "  lin: {type: linear-spring, between: [world, b.tip], axis: [0, 0, 1], stiffness: 7}\n"
        "  srv: {type: position-servo, between: [world, c], at: [0, 5, 0], axis: [0.6, 0, 0.8], target: 0, stiffness: 9}\n"
        "outputs: {ax: \"b.tip.x''\", ay: \"b.tip.y''\", az: \"b.tip.z''\", x: \"b.tip.x'\", y: \"b.tip.y'\", z: \"b.tip.z'\", "
        "lin: lin.force, height: b.tip.z, rx: rail.force_x, ry: rail.force_y, rz: rail.force_z, s: srv.force, "
        "slid: rail.displacement, tor: tor.torque}\nsimulation: {step: 1e-4, end: 1}\n";
    trial r = trial_begin(text, (trial_options){.scheme = "radau-2a", .stages = 3});
    for (int i = 0; i < 2000; i++) trial_step(&r);
    static const char *const names[] = {"x", "y", "z", "ax", "ay", "az"};
    double before[3], at[3];
    for (int i = 0; i < 3; i++) before[i] = output(&r, names[i]);
    trial_step(&r);
    for (int i = 0; i < 3; i++) at[i] = output(&r, names[3 + i]);
    check_close(output(&r, "lin"), -7 * output(&r, "height"), 1e-11);
    check_close(output(&r, "s"), -9 * output(&r, "slid"), 1e-9);
    check_close(output(&r, "tor"), -5 * output(&r, "tor.angle"), 1e-11);
    check_close(output(&r, "rx"), -30 * 0.8 * 0.6, 1e-8); /* the weight across the rail */
    check_close(output(&r, "ry"), 0, 1e-8);
    check_close(output(&r, "rz"), 30 * 0.6 * 0.6, 1e-8);
    trial_step(&r);
    for (int i = 0; i < 3; i++) check_close((output(&r, names[i]) - before[i]) / 2e-4, at[i], 1e-5);
    trial_end(&r);
    static const struct {
        const char *text, *expected;
    } wrong[] = {
        {"events: {e: {when: spr.force - 1, do: stop}}\n", "'spr.force' is a force or acceleration"},
        {"states: {e: {rate: spr.force}}\n", "'spr.force' is a force or acceleration"},
        {"forces: {a.x: \"a.tip.x''\"}\n", "'a.tip.x''' is a force or acceleration"},
        {"outputs: {o: spr.torque}\n", "the spring 'spr' has no 'torque'; known: force"},
        {"outputs: {o: rail.torque}\n", "the prismatic joint 'rail' has no 'torque'; known: displacement, speed, force_x, force_y"},
        {"outputs: {o: rail.force_z}\n", "the prismatic joint 'rail' has no 'force_z'"}};
    for (int i = 0; i < 6; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char all[800];
        snprintf(all, sizeof all,
                 "bodies: {a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\nframes: {a.tip: [2, 0]}\n"
                 "joints: {rail: {type: prismatic, between: [world, a], axis: [1, 0]}}\n%s%s\nsimulation: {step: 0.1, end: 1}\n",
                 wrong[i].text, i == 2 ? "" : "forces: {spr: {type: spring, between: [world, a.tip], stiffness: 1}}");
        assert_int_not_equal(zn_scene_parse(context, "test", all, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), wrong[i].expected)) fail_msg("%s\n%s", all, zn_error_text(context));
        zn_context_destroy(context);
    }
}

/* A pendulum that is let go flies on; a rope that catches a body takes the speed along it. */
static void test_modes(void **state) {
    (void)state;
    trial r = trial_complete("modes: {held: on}\ncoordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                             "constraints: {rod: {position: (x^2 + y^2 - 1)/2, if: held}}\n"
                             "events: {let_go: {when: x, direction: down, do: {held: off}}}\nsimulation: {step: 0.01, end: 1.5}\n",
                             (trial_options){.scheme = "radau-2a", .stages = 3});
    double flight = 1.5 - zn_simulation_event(r.simulation, 0).t;
    check_close(trial_q(&r, 0), -sqrt(20) * flight, 1e-8);
    check_close(trial_q(&r, 1), -1 - 5 * flight * flight, 1e-8);
    trial_end(&r);
    r = trial_complete(
        "modes: {held: off}\nbodies: {b: {type: particle, mass: 2, position: [1, 0.5], velocity: [1, 0]}}\n"
        "joints: {rope: {type: distance, between: [world, b], length: 1.3, if: held}}\n"
        "events: {catch: {when: \"hypot(b.x, b.y) - 1.3\", direction: up, do: {held: on}}}\nsimulation: {step: 0.01, end: 1}\n",
        (trial_options){.scheme = "rattle"});
    assert_int_equal(zn_simulation_event_count(r.simulation), 1);
    check_close(zn_simulation_event(r.simulation, 0).t, 0.2, 1e-10);
    check_close(hypot(trial_u(&r, 0), trial_u(&r, 1)), 0.5 / 1.3, 1e-9); /* the part of the speed across the rope */
    check_close(hypot(trial_q(&r, 0), trial_q(&r, 1)), 1.3, 1e-10);
    trial_end(&r);
}

/* A rule for shapes that find each other is switched: what lay on the floor falls, and lands on another one that appears. */
static void test_switched_rules(void **state) {
    (void)state;
    const char *text =
        "gravity: [0, -10]\nmodes: {door: on, net: off}\nbodies: {a: {type: planar, shape: {type: disk, radius: 0.1}, mass: 2, "
        "position: [0, 0.1]}, b: {type: planar, shape: {type: disk, radius: 0.1}, mass: 1, position: [1, 0.1]}}\n"
        "geometry: {top: {type: line}, low: {type: line, at: [0, -1.25]}}\ngroups: {lows: [low], doors: [top]}\n"
        "contacts: {rest: {between: [b, doors]}, door: {between: [a, doors], if: door}, net: {between: [a, lows], if: net and not door}}\n"
        "events: {drop: {when: t - 0.5, do: {door: off}}, spread: {when: a.y + 0.5, direction: down, do: {net: on}}}\n"
        "simulation: {step: 0.01, end: 1.5}\n";
    static const char *const schemes[] = {"radau-2a", "rattle", "generalized-alpha", "moreau-midpoint"};
    for (int k = 0; k < 4; k++) {
        trial r = trial_begin(text, (trial_options){.scheme = schemes[k]});
        while (zn_simulation_time(r.simulation) < 0.9 - 1e-9) trial_step(&r);
        check_close(trial_q(&r, 1), 0.1 - 5 * 0.4 * 0.4, 1e-9);
        trial_run(&r);
        check_close(trial_q(&r, 1), -1.15, k == 3 ? 1e-1 : 1e-8); /* Moreau's rule notices the floor one step late, at 5 m/s */
        check_close(trial_u(&r, 1), 0, 1e-9);
        check_close(trial_q(&r, 4), 0.1, 1e-9);
        trial_end(&r);
    }
}

/* States stay where project_start moves coordinates; functions and bodies may have the same name; prescribed motions say what they cannot
 * use. */
static void test_starts_and_names(void **state) {
    (void)state;
    trial r = trial_begin("coordinates: {x: 1.1, y: 0.1}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 10*y}\n"
                          "constraints: {rod: {position: x^2 + y^2 - 1 + (s - 0.5)/10}}\nstates: {s: {start: 0.7, rate: x - s}}\n"
                          "simulation: {step: 0.01, end: 1, project_start: true}\n",
                          (trial_options){.scheme = "radau-2a"});
    double x = trial_q(&r, 0), y = trial_q(&r, 1);
    assert_true(trial_q(&r, 2) == 0.7);
    check_close(x * x + y * y, 0.98, 1e-9);
    check_close(2 * x * trial_u(&r, 0) + 2 * y * trial_u(&r, 1) + (x - 0.7) / 10, 0, 1e-9); /* of the rates too */
    trial_run(&r);
    trial_end(&r);
    static const char *const sections[] = {
        "bodies: {table: {type: particle, mass: 1, position: [1, 0]}, floor: {type: particle, mass: 1, position: [2, 3]}, "
        "mod: {type: particle, mass: 1, position: [2, 3]}}\noutputs: {a: \"table.x + table(f, 0.25) + floor(1.5) + floor.y + mod(5, 3) + "
        "mod.x\"}\n",
        "coordinates: {table: 1, floor: 3, mod: 2}\nenergy: {kinetic: table'^2 + floor'^2 + mod'^2}\n"
        "outputs: {a: \"table + table(f, 0.25) + floor(1.5) + floor + mod(5, 3) + mod\"}\n"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        double out;
        snprintf(text, sizeof text, "tables: {f: {points: [[0, 0], [1, 1]]}}\n%ssimulation: {step: 0.1, end: 1}\n", sections[k]);
        r = trial_begin(text, (trial_options){.scheme = "rattle"});
        assert_int_equal(zn_simulation_outputs(r.simulation, &out), ZN_OK);
        check_close(out, 9.25, 1e-15);
        trial_end(&r);
    }
    static const char *const motions[] = {"v*t", "s + t", "t + floor(m)"};
    for (int k = 0; k < 3; k++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char text[800];
        snprintf(
            text, sizeof text,
            "inputs: {v: 1}\nmodes: {m: on}\nstates: {s: {rate: v}}\nbodies: {belt: {type: prescribed, position: [\"%s\", 0]}, a: {type: "
            "particle, mass: 1, position: [1, 0]}}\nforces: {f: {type: spring, between: [belt, a], stiffness: 1}}\n"
            "simulation: {step: 0.1, end: 1}\n",
            motions[k]);
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), "a prescribed motion is a formula of t, tables and inputs with 'interpolation: linear'"))
            fail_msg("%s", zn_error_text(context));
        zn_context_destroy(context);
    }
}

/* Goswami, Thuilot, Espiau (1998): at 3 degrees T = 0.734, L = 0.535; on the limit cycle a strike takes what the slope gives, m g L
 * sin(slope). */
static void test_walker(void **state) {
    (void)state;
    trial r = trial_begin("compass-walker", (trial_options){.scheme = "radau-2a", .end = 15});
    double loss = 0, before = 0, after, potential, pin = 0, length = 0;
    int count = 0;
    while (!zn_simulation_done(r.simulation)) {
        zn_simulation_energy(r.simulation, &before, &potential);
        before += potential;
        trial_step(&r);
        if (zn_simulation_event_count(r.simulation) == count) continue;
        count = zn_simulation_event_count(r.simulation);
        zn_simulation_energy(r.simulation, &after, &potential);
        loss = before - after - potential;
        length = (trial_q(&r, 4) - pin) / cos(3 * acos(-1) / 180);
        pin = trial_q(&r, 4);
    }
    assert_null(zn_simulation_stop_message(r.simulation));
    assert_int_equal(count, 20);
    check_close(zn_simulation_event(r.simulation, 19).t - zn_simulation_event(r.simulation, 18).t, 0.734, 1e-3);
    check_close(length, 0.535, 1e-3);
    check_close(loss, 20 * 9.81 * length * sin(3 * acos(-1) / 180), 1e-4);
    trial_end(&r);
}

static void test_clock(void **state) {
    (void)state;
    trial r = trial_complete("escapement", (trial_options){.scheme = "radau-2a", .stages = 3});
    assert_int_equal(zn_simulation_event_count(r.simulation), 60);
    for (int i = 0; i < 60; i++) check_close(zn_simulation_event(r.simulation, i).t, i + 1, 1e-8);
    check_close(trial_q(&r, 1), 2 * acos(-1), 1e-12);
    double speed = 0.05 / (1 - exp(-0.05)); /* from half of it: the rest decays by exp(-delta) in each swing */
    double now = (speed - speed / 2 * exp(-0.05 * 60)) * exp(-0.025), pi = acos(-1);
    check_close(fabs(trial_q(&r, 0)), now / pi * sin(pi / 2), 2e-4 * now);
    trial_end(&r);
}

/* Points of frames and angles of joints are what they are by hand, in outputs and in forces; in space the angle counts turns. */
static void test_names(void **state) {
    (void)state;
    trial r = trial_complete(
        "bodies: {rod: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0], angle_rate: 7, velocity: [0, 3.5]}}\n"
        "frames: {rod.tip: {at: [1, 0], axis: [1, 0]}}\n"
        "joints: {hinge: {type: revolute, between: [world, rod], at: [0, 0]}}\nforces: {rod.phi: -0.35*hinge.rate}\n"
        "outputs: {x: rod.tip.x, v: rod.tip.y', e: rod.tip.axis_y, a: hinge.angle, w: hinge.rate}\nsimulation: {step: 0.01, end: 1}\n",
        (trial_options){.scheme = "radau-2a", .stages = 3});
    double out[5], w = 7 * exp(-1), phi = 7 * (1 - exp(-1)); /* J = 0.1 + 0.25 about the hinge */
    assert_int_equal(zn_simulation_outputs(r.simulation, out), ZN_OK);
    check_close(out[0], 1.5 * cos(phi), 1e-8);
    check_close(out[1], 1.5 * cos(phi) * w, 1e-7);
    check_close(out[2], sin(phi), 1e-8);
    check_close(out[3], phi, 1e-8);
    check_close(out[4], w, 1e-8);
    trial_end(&r);
    r = trial_complete(
        "bodies: {rod: {type: spatial, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], angular_velocity: [0, 0, 5]}}\n"
        "joints: {hinge: {type: revolute, between: [world, rod], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "outputs: {turned: hinge.angle, w: hinge.rate}\nsimulation: {step: 0.01, end: 3}\n",
        (trial_options){.scheme = "radau-2a", .stages = 3});
    const zn_model *model = zn_scene_model(r.scene);
    double all[8];
    assert_true(model->n_outputs <= 8);
    assert_int_equal(zn_simulation_outputs(r.simulation, all), ZN_OK);
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->output_names[i], "turned")) check_close(all[i], 15, 1e-6);
    trial_end(&r);
}

/* Inputs that follow tables: held ones are exact with steps that do not fit, others of second order. */
static void test_followed(void **state) {
    (void)state;
    const char *text = "inputs: {F: 0}\ncoordinates: {x: 0}\nenergy: {kinetic: x'^2}\nforces: {x: F}\nsimulation: {step: 0.07, end: 2}\n";
    const double t[] = {0, 1, 1.5}, F[] = {3, -3, 0};
    const zn_table_def table = {.n = 3, .x = t, .y = F};
    double error[2];
    for (int k = 0; k < 3; k++) {
        trial r = trial_begin(text, (trial_options){.scheme = "rattle", .step = k == 2 ? 0.025 : k == 1 ? 0.05 : 0.07});
        const zn_table_def wrong[] = {{.n = 3, .x = t, .y = F, .interpolation = (zn_interpolation)7}, {.n = 3, .x = t}};
        for (int i = 0; i < 2; i++) assert_int_equal(zn_simulation_follow(r.simulation, "F", &wrong[i], k == 0), ZN_ERROR_ARGUMENT);
        assert_int_equal(zn_simulation_follow(r.simulation, "F", &table, k == 0), ZN_OK);
        assert_int_not_equal(zn_simulation_set_input(r.simulation, "F", 1), ZN_OK);
        trial_run(&r);
        if (k == 0) check_close(trial_q(&r, 0), 1.6875, 1e-12), check_close(trial_u(&r, 0), 0.75, 1e-12);
        else error[k - 1] = fabs(trial_q(&r, 0) + 0.0625);
        trial_end(&r);
    }
    check_close(log2(error[0] / error[1]), 2, 0.2);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } wrong[] = {
        {"states: {e: {start: 0}}\n", "test:1:13: state 'e' lacks 'rate'"},
        {"states: {e: 3}\n", "test:1:13: state 'e' must be"},
        {"states: {e: {rate: x + nothing}}\n", "test:1:24: unknown name 'nothing'"},
        {"states: {e: {rate: x, begin: 1}}\n", "test:1:23: 'begin' is unknown in state 'e'"},
        {"sampled: {f: x}\n", "test:1:10: sampled values lack 'every'"},
        {"sampled: {every: 0, f: x}\n", "test:1:18: every must be"},
        {"sampled: {every: 0.1}\n", "test:1:10: 'sampled' has a time between samples, but no value"},
        {"sampled: {every: 1, f: [1]}\n", "test:1:24: sampled value 'f'"},
        {"modes: {m: maybe}\n", "test:1:12: mode 'm' must be on or off"},
        {"events: {e: {when: x}}\n", "test:1:13: event 'e' lacks 'do'"},
        {"events: {e: {when: x, do: fly}}\n", "test:1:27: "},
        {"events: {e: {when: x, do: {q: 1}}}\n", "test:1:31: the event 'e' cannot set 'q'"},
        {"events: {e: {when: x, direction: left, do: stop}}\n", "test:1:34: "},
        {"events: {e: {when: zz, do: stop}}\n", "test:1:20: unknown name 'zz'"},
        {"modes: {m: on}\ncontacts: {c: {gap: x + 1, if: m and x > 0}}\n", "test:2:32: a condition must be constant within a step"},
        {"tables: {f: {points: [[0, 1], [0, 2]]}}\n", "test:1:22: points of a table must ascend"},
        {"modes: {m: on}\ncontacts: {c: {gap: x + 1, if: [m]}}\n", "test:2:32: if must be a number, formula or text, but here is a list"},
        {"modes: {m: on}\ncontacts: {c: {gap: x + 1, if: n}}\n", "test:2:32: unknown name 'n'"},
        {"inputs: {F: x}\n", "test:1:13: "},
        {"inputs: [F]\n", "test:1:9: "},
        {"inputs: {x: 1}\n", "test:2:15: 'x' cannot be the name of a coordinate: line 1 has an input of this name"},
        {"parameters: {k: {value: 1, live: maybe}}\n", "test:1:34: "},
        {"parameters: {k: {value: 1, alive: true}}\n", "test:1:28: 'alive' is unknown"},
        {"states: [e]\n", "test:1:9: "},
        {"states: {e: {rate: [1]}}\n", "test:1:20: "},
        {"states: {e: {start: x, rate: 1}}\n", "test:1:21: "},
        {"states: {x: {rate: 1}}\n", "test:1:10: 'x' cannot be the name of a state"},
        {"states: {e: {rate: 1}, e: {rate: 2}}\n", "test:1:24: "},
        {"sampled: 3\n", "test:1:10: "},
        {"sampled: [3]\n", "test:1:11: "},
        {"sampled: {every: -1, f: x}\n", "test:1:18: every must be"},
        {"sampled: {every: [1], f: x}\n", "test:1:18: "},
        {"sampled: {every: 1, f: {start: 1}}\n", "test:1:24: sampled value 'f' lacks 'value'"},
        {"sampled: {every: 1, f: {value: x, begin: 1}}\n", "test:1:35: 'begin' is unknown"},
        {"sampled: {every: 1, f: nothing}\n", "test:1:24: unknown name 'nothing'"},
        {"modes: on\n", "test:1:8: "},
        {"modes: {m: [on]}\n", "test:1:12: mode 'm' must be on or off"},
        {"events: 3\n", "test:1:9: "},
        {"events: {e: 3}\n", "test:1:13: "},
        {"events: {e: {do: stop}}\n", "test:1:13: event 'e' lacks 'when'"},
        {"events: {e: {when: [x], do: stop}}\n", "test:1:20: "},
        {"events: {e: {when: x, do: [stop, [record]]}}\n", "test:1:34: "},
        {"events: {e: {when: x, do: {x: [1]}}}\n", "test:1:31: "},
        {"events: {e: {when: x, do: {x: zz}}}\n", "test:1:31: unknown name 'zz'"},
        {"events: {e: {when: x, do: stop, if: zz}}\n", "test:1:37: unknown name 'zz'"},
        {"events: {e: {when: x, do: stop, message: [a]}}\n", "test:1:42: "},
        {"events: {e: {when: x, do: {x: 1}, message: a}}\n", "test:1:44: event 'e' has a message, but does not stop the run"},
        {"events: {e: {when: x, do: stop, how: 1}}\n", "test:1:33: 'how' is unknown in event 'e'"},
        {"tables: {f: 3}\n", "test:1:13: "},
        {"tables: {f: {}}\n", "test:1:13: table 'f' lacks 'points' or 'file'"},
        {"tables: {f: {points: [[0, 1], [1]]}}\n", "test:1:31: "},
        {"tables: {f: {points: [[0, 1], [1, 2]], interpolation: quintic}}\n", "test:1:55: "},
        {"tables: {f: {points: [[0, 1], [1, 2]], periodic: true}}\n", "test:1:22: "},
        {"tables: {f: {points: [[0, 1], [1, 2]], periodic: 3}}\n", "test:1:50: "},
        {"tables: {f: {points: [[0, 1], [1, 2]], file: a.csv}}\n", "test:1:46: table 'f' has both"},
        {"tables: {f: {file: a.csv}}\n", "test:1:20: table 'f' lacks 'columns"},
        {"tables: {f: {points: [[0, 1], [1, 2]]}}\noutputs: {a: \"table(g, x)\"}\n", "test:2:"},
        {"tables: {f: {points: [[0, 1], [1, 2]]}}\noutputs: {a: \"table(f)\"}\n", "test:2:"},
        {"outputs: {a: \"mod(1)\"}\n", "test:1:"},
        {"tables: {f: {file: nowhere.csv, columns: [a, b]}}\n", "test:1:20: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        char text[400];
        snprintf(text, sizeof text, "%scoordinates: {x: 0}\nenergy: {kinetic: x'^2}\nsimulation: {step: 0.1, end: 1}\n", wrong[i].text);
        assert_int_not_equal(zn_scene_parse(context, "test", text, NULL, &scene), ZN_OK);
        if (!strstr(zn_error_text(context), wrong[i].expected))
            fail_msg("%s\n%s\nexpected: %s", text, zn_error_text(context), wrong[i].expected);
        zn_context_destroy(context);
    }
    /* Each event throws the ball to where the next one is. */
    trial r = trial_begin("coordinates: {x: {start: 1, velocity: -1}}\nenergy: {kinetic: x'^2/2}\n"
                          "events: {again: {when: x, direction: down, do: {x: 1e-5}}}\nsimulation: {step: 0.1, end: 2}\n",
                          (trial_options){.scheme = "rattle"});
    zn_status status = ZN_OK;
    while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
    assert_int_equal(status, ZN_ERROR_MODEL);
    assert_non_null(strstr(zn_error_text(r.context), "the event 'again' repeats without end"));
    trial_end(&r);
}

/* Many states beside a body are a few parts, and a chain of filters through all of them is the one without bodies. */
#define FILTERS                                                                                                 \
    "states: {s0: {start: 0, rate: sin(3*t) + X - s0}}\n"                                                       \
    "repeat: {i: 1..69, states: {\"s{i}\": {start: \"0.1*{i}\", rate: \"20*(s{i-1} - s{i}) - 0.1*s{i}*X\"}}}\n" \
    "simulation: {step: 0.01, end: 2}\n"
static void test_many_states(void **state) {
    (void)state;
    static const char alone[] = "coordinates: {X: 1}\nenergy: {kinetic: X'^2, potential: 4*X^2}\nforces: {X: s69}\n" FILTERS;
    static const char beside[] = "bodies: {p: {type: particle, mass: 2, position: [0, 3]}}\ncoordinates: {X: 1}\n"
                                 "energy: {kinetic: X'^2, potential: 4*X^2}\nforces: {X: s69, p.x: s40}\n" FILTERS;
    static const char *const schemes[] = {"radau-2a", "rattle", "moreau-midpoint", "generalized-alpha"};
    for (int k = 0; k < 4; k++) {
        trial a = trial_complete(alone, (trial_options){.scheme = schemes[k]}),
              b = trial_complete(beside, (trial_options){.scheme = schemes[k]});
        const zn_model *one = zn_scene_model(a.scene), *two = zn_scene_model(b.scene);
        int states = 0, parts = 0;
        for (int i = 0; i < zn_model_part_count(two); i++) {
            zn_part_info part = zn_model_part_info(two, i);
            if (!strstr(part.what, "state")) continue;
            states += part.nq, parts++;
            assert_int_equal(part.nu, 0);
        }
        assert_int_equal(states, 70);
        assert_true(parts <= 3);
        for (int i = 0, found = 0; i < one->size.nq; i++, found = 0) {
            for (int j = 0; j < two->size.nq; j++)
                if (!strcmp(one->q_names[i], two->q_names[j])) check_close(trial_q(&b, j), trial_q(&a, i), 1e-9), found++;
            assert_int_equal(found, 1);
        }
        assert_true(fabs(trial_q(&b, 0)) > 1e-3); /* p.x */
        trial_end(&a), trial_end(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pid),      cmocka_unit_test(test_sampled),        cmocka_unit_test(test_many_states),
        cmocka_unit_test(test_orders),   cmocka_unit_test(test_bounces),        cmocka_unit_test(test_recorded_events),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_force_names),    cmocka_unit_test(test_force_names_in_space),
        cmocka_unit_test(test_modes),    cmocka_unit_test(test_switched_rules), cmocka_unit_test(test_starts_and_names),
        cmocka_unit_test(test_walker),   cmocka_unit_test(test_clock),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_followed), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
