/* SPDX-License-Identifier: Apache-2.0 */
/* Stops, backlash, clutches and friction in joints, ropes, one-sided springs and servos against closed forms, with every scheme that has
 * contacts. */
#include "trial.h"

static const double pi = 3.14159265358979323846;

/* Schemes for all systems, and those for natural ones only (the plane). */
static const char *const general[] = {"moreau-midpoint", "moreau-shifted", "rattle",  "lobatto-3a3b", "radau-2a",         "lobatto-3c",
                                      "sdirk2",          "sdirk3",         "tr-bdf2", "trx2",         "generalized-alpha"};
static const char *const natural[] = {"moreau", "moreau-symmetric", "moreau-variational", "moreau-theta", "lobatto-3a3b-lagrange"};
enum { N_GENERAL = 11, N_NATURAL = 5 };

static const char *scheme_of(int i) { return i < N_GENERAL ? general[i] : natural[i - N_GENERAL]; }

static int column(int count, const char *const *names, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    fail_msg("there is no '%s'", name);
    return -1;
}
static double position(const trial *r, const char *name) {
    const zn_model *m = zn_scene_model(r->scene);
    return trial_q(r, column(m->size.nq, m->q_names, name));
}
static double velocity(const trial *r, const char *name) {
    const zn_model *m = zn_scene_model(r->scene);
    return trial_u(r, column(m->size.nu, m->u_names, name));
}
static double output(const trial *r, const char *name) {
    const zn_model *m = zn_scene_model(r->scene);
    double values[64];
    assert_true(m->n_outputs <= 64);
    assert_int_equal(zn_simulation_outputs(r->simulation, values), ZN_OK);
    return values[column(m->n_outputs, m->output_names, name)];
}
static double total(const trial *r, const char *contact) {
    const zn_model *m = zn_scene_model(r->scene);
    for (int k = 0; k < m->size.n_contacts; k++)
        if (!strcmp(m->contacts[k].name, contact)) {
            int row = m->contacts[k].row_N >= 0 ? m->contacts[k].row_N : m->contacts[k].row_F;
            return zn_simulation_percussion_totals(r->simulation)[row];
        }
    fail_msg("there is no contact '%s'", contact);
    return NAN;
}

/* ---- stops ---- */

/* A rotor turns freely by more than three turns, strikes a stop with restitution and comes back: w, then -e w. Any axis, either order of
 * bodies, plane and space. The time of the strike is known up to a step. */
static void a_stop_after_many_turns(void **state) {
    (void)state;
    static const struct {
        const char *body, *joint;
        double sign;
    } cases[] = {
        {"{type: planar, mass: 1, inertia: 0.2, angle_rate: 6}", "between: [world, rotor], stops: [-1, 6*pi + 1]", 1},
        {"{type: planar, mass: 1, inertia: 0.2, angle_rate: 6, angle: 5}", "between: [world, rotor], at: [0, 0], stops: [-1, 6*pi + 1]", 1},
        {"{type: planar, mass: 1, inertia: 0.2, angle_rate: 6}", "between: [rotor, world], stops: [-6*pi - 1, 1]", -1},
        {"{type: spatial, mass: 1, inertia: [0.1, 0.2, 0.1], angular_velocity: [0, 6, 0]}",
         "between: [world, rotor], at: [0, 0, 0], axis: [0, 1, 0], stops: [-1, 6*pi + 1]", 1},
        {"{type: spatial, mass: 1, inertia: [0.1, 0.2, 0.1], angular_velocity: [0, 6, 0]}",
         "between: [rotor, world], at: [0, 0, 0], axis: [0, 1, 0], stops: [-6*pi - 1, 1]", -1},
        {"{type: spatial, mass: 1, inertia: [0.1, 0.2, 0.1], angular_velocity: [0, 6, 0], rotation: {axis: [1, 2, 0.5], angle: 2}}",
         "between: [world, rotor], at: [0, 0, 0], axis: [0, -1, 0], stops: [-6*pi - 1, 1]", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool planar = c < 3;
        for (int i = 0; i < N_GENERAL + (planar ? N_NATURAL : 0); i++) {
            char scene[900];
            if (cases[c].sign == 0) continue; /* below */
            snprintf(scene, sizeof scene,
                     "bodies:\n  rotor: %s\njoints:\n  pin: {type: revolute, %s, restitution: 0.5}\nsimulation: {scheme: %s, step: 5e-3, "
                     "end: 5}\n",
                     cases[c].body, cases[c].joint, scheme_of(i));
            trial r = trial_complete(scene, (trial_options){.scheme = scheme_of(i)});
            double w = planar ? velocity(&r, "rotor.phi'") : velocity(&r, "rotor.wy");
            double angle = planar ? cases[c].sign * (position(&r, "rotor.phi") - (c == 1 ? 5 : 0)) : output(&r, "pin.angle");
            double strike = (6 * pi + 1) / 6, back = 6 * pi + 1 - 3 * (5 - strike);
            check_close(w, -3, 1e-9);
            check_close(angle, cases[c].sign * back, 9.1 * 5e-3); /* (1 + e) w h */
            trial_end(&r);
        }
    }
}

/* A body that is turned at the start by any rotation: the frames of a joint `at` a place are aligned there, whatever the body's own axes
 * are. */
static void a_turned_body_has_the_same_angle(void **state) {
    (void)state;
    const char *scene =
        "bodies:\n"
        "  rotor: {type: spatial, mass: 1, inertia: 0.2, rotation: {axis: [1, 2, 0.5], angle: 2}}\n"
        "joints:\n"
        "  pin: {type: revolute, between: [world, rotor], at: [0, 0, 0], axis: [0.6, 0, -0.8], stops: [-30, 20], restitution: 0}\n"
        "forces:\n"
        "  turn: {type: torque-actuator, between: [world, rotor], axis: [0.6, 0, -0.8], value: 1}\n"
        "simulation: {scheme: radau-2a, step: 1e-2, end: 3}\n";
    for (int i = 0; i < N_GENERAL; i++) {
        trial r = trial_begin(scene, (trial_options){.scheme = general[i]});
        check_close(output(&r, "pin.angle"), 0, 1e-14);
        bool first = strstr(general[i], "moreau") || strstr(general[i], "sdirk");
        for (int turns = 0; !zn_simulation_done(r.simulation); turns++) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation), expected = t * t / 2 / 0.2;
            if (expected < 19.8)
                check_close(output(&r, "pin.angle"), expected, first ? 0.2 : 1e-4 + 0.05 * 0.05 * t * t / 12 * expected); /* (h w)^2/12 */
        }
        check_close(output(&r, "pin.angle"), 20, first ? 0.2 : 1e-6); /* more than three turns: rests on the stop, which holds the torque */
        trial_end(&r);
    }
}

static void the_start_may_be_a_turn_away(void **state) {
    (void)state;
    const char *scene = "bodies:\n  rotor: {type: planar, mass: 1, inertia: 1, angle: -3, angle_rate: 0}\n"
                        "joints:\n  pin: {type: revolute, between: [world, rotor], stops: [3, 4]}\n"
                        "forces:\n  turn: {type: torque-actuator, between: [world, rotor], value: 1}\n"
                        "simulation: {scheme: rattle, step: 1e-2, end: 3}\n";
    trial r = trial_complete(scene, (trial_options){.scheme = "rattle"});
    check_close(position(&r, "rotor.phi"), 4 - 2 * pi, 1e-9);
    trial_end(&r);
}

static void an_arm_rests_on_its_stops(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "moreau-midpoint", "generalized-alpha", "tr-bdf2"};
    for (int i = 0; i < 5; i++) {
        trial r = trial_begin("two-link-arm", (trial_options){.scheme = schemes[i]});
        while (zn_simulation_time(r.simulation) < 3 - 1e-9) trial_step(&r);
        double shoulder = total(&r, "shoulder.lower"), elbow = total(&r, "elbow.lower"), rub = total(&r, "elbow.friction");
        trial_run(&r);
        double loose = strstr(schemes[i], "moreau") ? 1e-3 : 1e-9, moment = 9.81 * 0.25 * cos(pi / 3);
        check_close(position(&r, "upper.phi"), -pi / 3, loose);
        check_close(position(&r, "lower.phi"), -pi / 3, loose);
        check_close(total(&r, "shoulder.lower") - shoulder, 4 * moment, 1e-3 + 10 * loose);
        check_close(total(&r, "elbow.lower") - elbow + total(&r, "elbow.friction") - rub, moment, 1e-3 + 10 * loose); /* both hold it */
        trial_end(&r);
    }
}

/* A stop, friction by what the joint carries, and a step of their own for impacts: Poisson's law is Newton's where one contact without slip
 * is hit. */
static void a_stop_with_other_laws(void **state) {
    (void)state;
    static const char *const schemes[] = {"rattle", "radau-2a", "generalized-alpha"};
    static const char *const laws[] = {"newton", "poisson", "energetic"};
    for (int i = 0; i < 3; i++) {
        double end[3];
        for (int k = 0; k < 3; k++) {
            char scene[700];
            snprintf(scene, sizeof scene,
                     "gravity: [0, -9.81]\nbodies:\n"
                     "  rod: {type: planar, mass: 1, inertia: 1/12, position: [0.5, 0], frames: {left: [-0.5, 0]}}\n"
                     "joints:\n  pin: {type: revolute, between: [world, rod.left], stops: [-pi/4, null], restitution: 0.5,"
                     " friction: {coefficient: 0.2, radius: 0.1}}\n"
                     "simulation: {step: 1e-3, end: 0.5, restitution_law: %s}\n",
                     laws[k]);
            trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
            end[k] = velocity(&r, "rod.phi'");
            trial_end(&r);
        }
        check_close(end[1], end[0], 0.05); /* the impact loads the bearing: friction adds to the loss in each of them in its own way */
        check_close(end[2], end[0], 0.05);
        assert_true(end[0] > 0.1);
    }
}

/* ---- clutches and backlash ---- */

static void clutches_index_a_wheel(void **state) {
    (void)state;
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_begin("clutch-indexing", (trial_options){.scheme = scheme_of(i), .step = 2e-3});
        double last = 0;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double now = position(&r, "wheel.phi");
            assert_true(now >= last - 1e-5); /* Moreau's schemes hold it in its velocity only */
            last = now;
        }
        check_close(last, 3, 2e-3);
        check_close(velocity(&r, "wheel.phi'"), 0, 0.02); /* friction of 4 stops it from 0.5 * 4/0.5 h at the latest in the step after */
        trial_end(&r);
    }
}

/* A clutch opens in the step in which the lever turns round and has no energy: what the drive gives it then is no sign of a wrong
 * solution. */
static void clutches_open_where_nothing_moves(void **state) {
    (void)state;
    static const char *const schemes[] = {"lobatto-3c", "radau-2a", "sdirk2"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        trial r = trial_complete("clutch-indexing", (trial_options){.scheme = schemes[i]});
        check_close(position(&r, "wheel.phi"), 3, 0.3 * 5 * 1e-3); /* what a step may be late by: its travel at the largest speed, A w h */
        trial_end(&r);
    }
}

/* The same in space, about an axis that is not one of I, the bodies the other way round, and backward. */
static void a_clutch_in_space(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++)
        for (int i = 0; i < N_GENERAL; i++) {
            char scene[900];
            snprintf(
                scene, sizeof scene,
                "bodies:\n  wheel: {type: spatial, mass: 1, inertia: 0.5}\n"
                "joints:\n  pin: {type: revolute, between: [%s], at: [0, 0, 0], axis: [0.6, 0, 0.8], clutch: %s}\n"
                "forces:\n  swing: {type: torque-actuator, between: [world, wheel], axis: [0.6, 0, 0.8], value: \"if(t < 1, 1, -1)\"}\n"
                "simulation: {step: 1e-2, end: 6}\n",
                turned ? "wheel, world" : "world, wheel", turned ? "backward" : "forward");
            trial r = trial_complete(scene, (trial_options){.scheme = general[i]});
            /* 1 s forward with 1/J, 1 s to a stop, and held from then on: 2 rad */
            check_close(output(&r, "pin.angle"), turned ? -2 : 2, 0.06);
            check_close(velocity(&r, "wheel.wz"), 0, 1e-8);
            check_close(total(&r, "pin.clutch"), 4, 0.06); /* the torque of 1 for the last 4 s */
            trial_end(&r);
        }
}

/* The stop at the end of the free direction: whatever its restitution is, the clutch holds the wheel there. */
static void a_stop_behind_a_clutch(void **state) {
    (void)state;
    const char *scene = "bodies:\n  wheel: {type: planar, mass: 1, inertia: 0.5, angle_rate: 1}\n"
                        "joints:\n  pin: {type: revolute, between: [world, wheel], clutch: forward, stops: [null, 0.5], restitution: 0.5}\n"
                        "simulation: {step: 1e-2, end: 2}\n";
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = scheme_of(i)});
        check_close(position(&r, "wheel.phi"), 0.5, 0.011);
        check_close(velocity(&r, "wheel.phi'"), 0, 1e-9);
        trial_end(&r);
    }
}

/* Strikes every 0.1 s turn the relative speed around: with e = 1 the angles are piecewise linear, known at all times; e = 0: the wheels go
 * on together. */
static void gears_with_backlash(void **state) {
    (void)state;
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_complete("backlash-gears", (trial_options){.scheme = scheme_of(i), .step = 1e-3, .end = 1.02});
        /* strikes at 0.05, 0.15, ... 0.95 (up to a step each): w_a is 1 and 0.6 by turns, w_b 0 and -0.8 */
        check_close(position(&r, "a.phi"), 0.05 + 5 * 0.06 + 5 * 0.1 - 0.03, 12e-3);
        check_close(velocity(&r, "a.phi'"), 1, 1e-9);
        check_close(velocity(&r, "b.phi'"), 0, 1e-9);
        trial_end(&r);
        r = trial_complete("backlash-gears", (trial_options){.scheme = scheme_of(i), .step = 1e-3, .end = 1, .set = "e=0"});
        check_close(velocity(&r, "a.phi'"), 0.8, 1e-9); /* momentum along (1, 2): w = (1, 0) - (1, 2)/5 */
        check_close(velocity(&r, "b.phi'"), -0.4, 1e-9);
        trial_end(&r);
    }
}

/* A driven slider with play lags behind by half of it once it moves. */
static void a_drive_with_play(void **state) {
    (void)state;
    const char *scene = "bodies:\n  block: {type: planar, mass: 1, inertia: 1}\n"
                        "joints:\n  guide: {type: prismatic, between: [world, block], friction: {force: 1}}\n"
                        "  drive: {type: position-drive, between: [world, block], drive: 0.3*t, backlash: 0.1}\n"
                        "simulation: {scheme: rattle, step: 1e-3, end: 1}\n";
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = scheme_of(i)});
        check_close(position(&r, "block.x"), 0.3 - 0.05, 1e-3);
        check_close(velocity(&r, "block.x'"), 0.3, 1e-9);
        trial_end(&r);
    }
}

/* ---- friction ---- */

static void a_motor_sticks_between_moves(void **state) {
    (void)state;
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_begin("motor-friction", (trial_options){.scheme = scheme_of(i), .end = 2});
        double rest = NAN;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double t = zn_simulation_time(r.simulation);
            if (fabs(t - 0.5) < 1e-9) rest = position(&r, "shaft.phi");
            if (t > 0.5 && t < 1 - 1e-9) check_close(position(&r, "shaft.phi"), rest, 1e-12); /* it does not creep */
        }
        check_close(rest, 0.14 + 1.4 * 1.4 / 26, 4e-3); /* the edges of a pulse are known up to a step: 1.4 h each */
        check_close(position(&r, "shaft.phi"), 2 * (0.14 + 1.4 * 1.4 / 26), 8e-3);
        trial_end(&r);
    }
}

/* A wheel on a bearing that carries it: mu r m g/J slows it down, exactly; plane and space. A slider whose load changes: the integral of mu
 * N. */
static void friction_by_what_a_joint_carries(void **state) {
    (void)state;
    const char *plane = "gravity: [0, -10]\nbodies:\n  wheel: {type: planar, mass: 2, inertia: 0.1, angle_rate: 3}\n"
                        "joints:\n  pin: {type: revolute, between: [world, wheel], friction: {coefficient: 0.3, radius: 0.05}}\n"
                        "simulation: {step: 1e-2, end: 0.5}\n";
    const char *space = "gravity: [0, 0, -10]\nbodies:\n  wheel: {type: spatial, mass: 2, inertia: 0.1, angular_velocity: [0, 3, 0]}\n"
                        "joints:\n  pin: {type: revolute, between: [wheel, world], at: [0, 0, 0], axis: [0, 1, 0],"
                        " friction: {coefficient: 0.3, radius: 0.05}}\n"
                        "simulation: {step: 1e-2, end: 0.5}\n";
    const char *slider = "gravity: [0, -10]\nbodies:\n  b: {type: planar, mass: 2, inertia: 0.1, velocity: [3, 0]}\n"
                         "forces: {push: {type: body, on: b, force: [0, 6*sin(5*t)]}}\n"
                         "joints:\n  guide: {type: prismatic, between: [world, b], friction: {coefficient: 0.3, preload: 4}}\n"
                         "simulation: {step: 2e-3, end: 0.5}\n";
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_complete(plane, (trial_options){.scheme = scheme_of(i)});
        check_close(velocity(&r, "wheel.phi'"), 1.5, 1e-9);
        trial_end(&r);
        r = trial_complete(slider, (trial_options){.scheme = scheme_of(i)});
        check_close(velocity(&r, "b.x'"), 3 - 0.15 * (12 - 1.2 * (1 - cos(2.5))), strcmp(scheme_of(i), "moreau") && i != 1 ? 2e-5 : 1e-3);
        trial_end(&r);
        if (i >= N_GENERAL) continue;
        r = trial_complete(space, (trial_options){.scheme = scheme_of(i)});
        check_close(velocity(&r, "wheel.wy"), 1.5, 1e-9);
        trial_end(&r);
    }
}

/* A pendulum whose bearing force turns and grows with its speed. Halving the step shows the order; all schemes go to the same angle. */
static void order_with_loads(void **state) {
    (void)state;
    const char *scene = "gravity: [0, -9.81]\nbodies:\n"
                        "  rod: {type: planar, mass: 1, inertia: 1/12, position: [0.5, 0], frames: {left: [-0.5, 0]}}\n"
                        "joints:\n  pin: {type: revolute, between: [world, rod.left], friction: {coefficient: 0.4, radius: 0.1}}\n"
                        "simulation: {step: 1e-2, end: 0.6}\n";
    static const struct {
        const char *scheme;
        int stages;
        double order;
    } cases[] = {{"moreau-midpoint", 0, 1}, {"rattle", 0, 2},  {"lobatto-3a3b", 3, 4},      {"radau-2a", 3, 2},
                 {"lobatto-3c", 3, 2},      {"tr-bdf2", 0, 2}, {"generalized-alpha", 0, 2}, {"sdirk3", 0, 1}};
    trial fine = trial_complete(scene, (trial_options){.scheme = "lobatto-3a3b", .stages = 4, .step = 2.5e-3});
    double exact = position(&fine, "rod.phi");
    trial_end(&fine);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            trial r = trial_complete(scene, (trial_options){.scheme = cases[c].scheme, .stages = cases[c].stages, .step = k ? 1e-2 : 2e-2});
            error[k] = fabs(position(&r, "rod.phi") - exact);
            trial_end(&r);
        }
        double order = log2(error[0] / error[1]);
        if (!(order > cases[c].order - 0.25)) fail_msg("%s: order %g, errors %g, %g", cases[c].scheme, order, error[0], error[1]);
    }
}

/* A bearing so large that the friction of a slipping rod would raise its own load without end: it jams at once. */
static void a_joint_jams(void **state) {
    (void)state;
    const char *scene =
        "gravity: [0, -9.81]\nbodies:\n"
        "  rod: {type: planar, mass: 1, inertia: 1/12, position: [0.5, 0], velocity: [0, 3], angle_rate: 6, frames: {left: [-0.5, 0]}}\n"
        "joints:\n  pin: {type: revolute, between: [world, rod.left], friction: {coefficient: 8, radius: 0.3}}\n"
        "simulation: {step: 1e-2, end: 1}\n";
    static const char *const schemes[] = {"moreau-midpoint", "rattle", "radau-2a", "tr-bdf2"};
    for (int i = 0; i < 3; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        check_close(velocity(&r, "rod.phi'"), 0, 1e-9);
        check_close(position(&r, "rod.phi"), 0, 0.061); /* within the first step */
        trial_end(&r);
    }
}

/* ---- ropes ---- */

static void ropes(void **state) {
    (void)state;
    const char *atwood = "gravity: [0, -9.81]\nbodies:\n  a: {type: particle, mass: 1, position: [-0.2, -1]}\n"
                         "  b: {type: particle, mass: 2, position: [0.2, -1]}\n  w: {type: planar, mass: 1, inertia: 0.02}\n"
                         "joints:\n  pin: {type: revolute, between: [world, w]}\n"
                         "  rope: {type: rope, between: [a, {over: w, radius: 0.2, around: clockwise, grip: true}, b]}\n"
                         "simulation: {step: 5e-3, end: 0.5}\n";
    /* a load on a loose block, the rope fixed, down around it, and up to a counterweight over a fixed pulley: twice the way, half the
     * force */
    const char *tackle = "gravity: [0, -10]\nbodies:\n  load: {type: particle, mass: 3, position: [0, -1]}\n"
                         "  weight: {type: particle, mass: 2, position: [0.3, -1]}\n"
                         "frames: {world.hook: [-0.1, 0], world.top: [0.2, 0]}\n"
                         "joints:\n  rail: {type: point-on-line, between: [world, load], axis: [0, 1]}\n"
                         "  rope: {type: rope, between: [world.hook, {over: load, radius: 0.1, around: counterclockwise},"
                         " {over: world.top, radius: 0.1, around: clockwise}, weight]}\n"
                         "simulation: {step: 5e-3, end: 0.5}\n";
    double E = exp(0.3 * pi), a = (4 - E) / (4 + E) * 10;
    for (int i = 0; i < N_GENERAL + N_NATURAL; i++) {
        trial r = trial_complete(atwood, (trial_options){.scheme = scheme_of(i)});
        check_close(velocity(&r, "b.y'"), -0.5 * 9.81 / (3 + 0.02 / 0.04), strstr(scheme_of(i), "moreau") ? 1e-3 : 1e-9);
        trial_end(&r);
        r = trial_complete("capstan", (trial_options){.scheme = scheme_of(i), .step = 5e-3});
        check_close(velocity(&r, "a.y'"), 0.5 * a, strstr(scheme_of(i), "moreau") ? 1e-3 : 1e-9);
        trial_end(&r);
        r = trial_complete("capstan",
                           (trial_options){.scheme = scheme_of(i), .step = 5e-3, .set = "mu=0.5"}); /* exp(0.5 pi) > 4: it sticks */
        check_close(velocity(&r, "a.y'"), 0, 1e-9);
        check_close(position(&r, "a.y"), -1, 1e-6);
        trial_end(&r);
        r = trial_complete(tackle, (trial_options){.scheme = scheme_of(i)});
        double up = (2 * 2 - 3) / (3 + 4.0 * 2) * 10; /* of the load: m (g + a) = 2 T, M (g - 2 a) = T */
        check_close(velocity(&r, "load.y'"), 0.5 * up, strstr(scheme_of(i), "moreau") ? 2e-2 : 1e-6);
        trial_end(&r);
    }
}

/* A slack rope does nothing, then stops the load with its restitution. */
static void a_slack_rope(void **state) {
    (void)state;
    const char *scene = "gravity: [0, -10]\nbodies:\n  load: {type: particle, mass: 2, position: [0, -0.5, 0], velocity: [0, 0, 0]}\n"
                        "joints:\n  rope: {type: rope, between: [world, load], length: 1.75, restitution: 0.5}\n"
                        "simulation: {step: 1e-3, end: 0.7}\n";
    for (int i = 0; i < N_GENERAL; i++) {
        trial r = trial_begin(scene, (trial_options){.scheme = general[i]});
        trial_run(&r);
        check_close(velocity(&r, "load.y'"), 2.5 - 2, 0.03); /* falls 1.25 m in 0.5 s, 5 m/s down, 2.5 up, and 0.2 s more */
        check_close(total(&r, "rope"), 2 * 7.5, 0.1);
        trial_end(&r);
    }
}

/* Its picture: straight to the pulley, around it, and straight to the other load; the drawing names the points. */
static void a_rope_is_drawn(void **state) {
    (void)state;
    trial r = trial_complete("capstan", (trial_options){.scheme = "radau-2a", .step = 5e-3});
    double x[7], y[7];
    for (int i = 0; i < 7; i++) {
        char name[40];
        snprintf(name, sizeof name, "view.line.rope.x%d", i + 1);
        x[i] = output(&r, name);
        assert_non_null(strstr(zn_scene_model(r.scene)->drawing, name));
        snprintf(name, sizeof name, "view.line.rope.y%d", i + 1);
        y[i] = output(&r, name);
    }
    check_close(x[0], -0.2, 1e-12);
    check_close(y[0], position(&r, "a.y"), 1e-12);
    check_close(x[6], 0.2, 1e-12);
    check_close(y[6], position(&r, "b.y"), 1e-12);
    for (int i = 1; i < 6; i++) { /* from the left over the top to the right */
        check_close(x[i], -0.2 * cos((i - 1) * pi / 4), 1e-9);
        check_close(y[i], 0.2 * sin((i - 1) * pi / 4), 1e-9);
    }
    trial_end(&r);
}

/* ---- springs and servos ---- */

/* A bump stop catches a block and throws it back: without damping the energy stays, and it is free before and after. With damping it never
 * pulls. */
static void a_bump_stop(void **state) {
    (void)state;
    const char *scene = "parameters: {c: 0}\nbodies:\n  b: {type: particle, mass: 1, position: [1, 0], velocity: [-1, 0]}\n"
                        "forces:\n  bump: {type: spring, between: [world, b], stiffness: 100, damping: c, length: 0.5, side: push}\n"
                        "simulation: {scheme: radau-2a, step: 1e-3, end: 2}\n";
    static const char *const schemes[] = {"radau-2a", "rattle", "moreau-midpoint", "generalized-alpha"};
    for (int i = 0; i < 4; i++) {
        trial r = trial_complete(scene, (trial_options){.scheme = schemes[i]});
        check_close(velocity(&r, "b.x'"), 1, 2e-3);
        check_close(position(&r, "b.x"), 0.5 + (2 - 0.5 - pi / 10), 5e-3);
        trial_end(&r);
        r = trial_begin(scene, (trial_options){.scheme = schemes[i], .set = "c=15"});
        double least = 0, last = 1;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            double v = velocity(&r, "b.x'"), x = position(&r, "b.x");
            if (x < 0.5 && last < 0.5 && v < least - 1e-9 && x > 0.49999) fail_msg("it pulls");
            least = v, last = x;
        }
        assert_true(velocity(&r, "b.x'") > 0.05 && velocity(&r, "b.x'") < 0.6);
        trial_end(&r);
    }
}

/* A hard spring by formula, F = k s^3: the period of an amplitude A is 7.4163 sqrt(m/k)/A. The same as stiffness and damping where it is
 * linear. */
static void springs_by_formula(void **state) {
    (void)state;
    const char *cubic = "bodies:\n  b: {type: particle, mass: 1, position: [0.5, 0]}\n"
                        "forces:\n  hard: {type: linear-spring, between: [world, b], axis: [1, 0], value: 4*length^3}\n"
                        "simulation: {scheme: radau-2a, step: 1e-3, end: 7.41629870920549}\n";
    trial r = trial_complete(cubic, (trial_options){.scheme = "radau-2a"});
    check_close(position(&r, "b.x"), 0.5, 1e-6);
    check_close(velocity(&r, "b.x'"), 0, 1e-4);
    trial_end(&r);
    double end[2];
    for (int k = 0; k < 2; k++) {
        char scene[600];
        snprintf(scene, sizeof scene,
                 "gravity: [1, -3]\nbodies:\n  b: {type: particle, mass: 1, position: [0.5, 0.2]}\n"
                 "forces:\n  s: {type: spring, between: [world, b], %s}\nsimulation: {step: 1e-3, end: 2}\n",
                 k ? "value: 40*(length - 0.3) + 0.5*rate" : "stiffness: 40, damping: 0.5, length: 0.3");
        r = trial_complete(scene, (trial_options){.scheme = "rattle"});
        end[k] = position(&r, "b.x");
        trial_end(&r);
    }
    check_close(end[0], end[1], 1e-11);
}

/* Far from its target a servo pushes with its limit: bang, then the damped oscillator; closed form for critical damping. Several turns,
 * plane and space. */
static void a_servo_saturates(void **state) {
    (void)state;
    static const char *const bodies[] = {"{type: planar, mass: 1, inertia: 1}", "{type: spatial, mass: 1, inertia: 1}"};
    static const char *const places[] = {"between: [world, w]", "between: [world, w], axis: [0, 0.6, 0.8]"};
    static const char *const schemes[] = {"radau-2a", "rattle", "tr-bdf2", "generalized-alpha"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            char scene[800];
            snprintf(scene, sizeof scene,
                     "bodies:\n  w: %s\njoints:\n  pin: {type: revolute, %s%s}\n"
                     "forces:\n  servo: {type: angle-servo, %s, target: 20, stiffness: 100, damping: 20, limit: 100}\n"
                     "simulation: {step: 2e-3, end: 0.5}\n",
                     bodies[k], places[k], k ? ", at: [0, 0, 0]" : "", places[k]);
            trial r = trial_begin(scene, (trial_options){.scheme = schemes[i], .end = 4});
            while (zn_simulation_time(r.simulation) < 0.1 - 1e-9) trial_step(&r);
            double w = k ? 0.6 * velocity(&r, "w.wy") + 0.8 * velocity(&r, "w.wz") : velocity(&r, "w.phi'");
            check_close(w, 10, 1e-9); /* K e + D e' is far above the limit: constant torque */
            trial_run(&r);
            check_close(k ? output(&r, "servo.angle") : position(&r, "w.phi"), 20, 1e-4); /* 3.2 turns */
            trial_end(&r);
        }
    /* unsaturated: critically damped step response 1 - (1 + 10 t) exp(-10 t) */
    trial r = trial_complete(
        "bodies:\n  b: {type: particle, mass: 1, position: [0, 0]}\n"
        "forces:\n  servo: {type: position-servo, between: [world, b], axis: [1, 0], target: 1, stiffness: 100, damping: 20}\n"
        "simulation: {scheme: radau-2a, step: 1e-3, end: 0.3}\n",
        (trial_options){.scheme = "radau-2a"});
    check_close(position(&r, "b.x"), 1 - 4 * exp(-3), 1e-8);
    trial_end(&r);
    /* a moving target is followed without a lag: its rate is part of the damping */
    r = trial_complete(
        "bodies:\n  b: {type: particle, mass: 1, position: [0, 0], velocity: [2, 0]}\n"
        "forces:\n  servo: {type: position-servo, between: [world, b], axis: [1, 0], target: 2*t, stiffness: 100, damping: 20}\n"
        "simulation: {scheme: radau-2a, step: 1e-3, end: 1}\n",
        (trial_options){.scheme = "radau-2a"});
    check_close(position(&r, "b.x"), 2, 1e-10);
    trial_end(&r);
}

/* Dropped from 0.5 m, at rest after 3 s; the ground carries 16 kg. */
static void a_quadruped_lands(void **state) {
    (void)state;
    trial r = trial_begin("quadruped", (trial_options){.scheme = "rattle"});
    double feet = 0;
    char name[16];
    while (zn_simulation_time(r.simulation) < 2.9 - 1e-9) trial_step(&r);
    for (int i = 0; i < 4; i++) snprintf(name, sizeof name, "touch%d", i), feet -= total(&r, name);
    trial_run(&r);
    for (int i = 0; i < 4; i++) snprintf(name, sizeof name, "touch%d", i), feet += total(&r, name);
    const zn_model *m = zn_scene_model(r.scene);
    for (int i = 0; i < m->size.nu; i++) check_close(trial_u(&r, i), 0, 1e-6);
    check_close(feet, 16 * 9.81 * 0.1, 1e-5);
    assert_true(position(&r, "trunk.z") > 0.3);
    trial_end(&r);
}

/* ---- shafts and defaults ---- */

/* Of two shafts with a universal joint at the angle beta the ratio of speeds is cos(beta)/(1 - sin(beta)^2 cos(theta)^2), theta the angle
 * of the first from where its arm of the cross is normal to the plane of the shafts. */
static void a_universal_joint(void **state) {
    (void)state;
    const char *scene =
        "parameters: {beta: pi/6}\nbodies:\n"
        "  shaft: {type: spatial, shape: {type: cylinder, radius: 0.1, length: 1}, density: 1000, angular_velocity: [0, 0, 2]}\n"
        "  bent:\n    type: spatial\n    shape: {type: cylinder, radius: 0.1, length: 1}\n    density: 1000\n"
        "    position: [0, sin(beta)/2, 1/2 + cos(beta)/2]\n    rotation: {axis: [1, 0, 0], angle: -beta}\n"
        "    frames: {foot: [0, 0, -0.5], top: [0, 0, 0.5]}\n"
        "frames: {shaft.head: {at: [0, 0, 0.5], axis: [0, 1, 0]}}\n"
        "joints:\n  bearing: {type: revolute, between: [world, shaft], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  cardan: {type: universal, between: [shaft.head, bent.foot]}\n"
        "  sleeve: {type: point-on-line, between: [world, bent.top], at: [0, sin(beta), 1/2 + cos(beta)], axis: [0, sin(beta), "
        "cos(beta)]}\n"
        "  motor: {type: motor, between: [world, shaft], drive: 2}\n"
        "simulation: {scheme: radau-2a, step: 5e-3, end: 3.2, project_start: true}\n";
    trial r = trial_begin(scene, (trial_options){.scheme = "radau-2a"});
    double least = INFINITY, most = 0, beta = pi / 6;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        double theta = 2 * zn_simulation_time(r.simulation), ratio = velocity(&r, "bent.wz") / velocity(&r, "shaft.wz");
        double s = sin(beta) * cos(theta);
        check_close(ratio, cos(beta) / (1 - s * s), 1e-6);
        least = ratio < least ? ratio : least, most = ratio > most ? ratio : most;
    }
    check_close(least, cos(beta), 1e-4);
    check_close(most, 1 / cos(beta), 1e-4);
    trial_end(&r);
}

static void joints_do_not_drift_by_default(void **state) {
    (void)state;
    const char *joints =
        "gravity: [0, -9.81]\nbodies:\n  rod: {type: planar, mass: 1, inertia: 1/12, position: [0.5, 0], frames: {left: [-0.5, 0]}}\n"
        "joints: {pin: {type: revolute, between: [world, rod.left]}}\nsimulation: {step: 1e-2, end: 10}\n";
    const char *ball =
        "coordinates: {x: 1}\nenergy: {kinetic: x'^2/2, potential: x}\ncontacts: {floor: {gap: x}}\nsimulation: {step: 1e-2, end: 1}\n";
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    assert_int_equal(zn_scene_parse(context, "joints", joints, NULL, &scene), ZN_OK);
    assert_string_equal(zn_scene_settings(scene)->scheme, "radau-2a");
    assert_non_null(zn_scene_choice(scene));
    zn_simulation *simulation = NULL;
    assert_int_equal(zn_simulation_create(context, zn_scene_model(scene), zn_scene_settings(scene), &simulation), ZN_OK);
    assert_int_equal(zn_simulation_run(simulation, NULL, NULL), ZN_OK);
    const double *q = zn_simulation_positions(simulation);
    check_close(hypot(q[0] - 0.5 * cos(q[2]), q[1] - 0.5 * sin(q[2])), 0, 1e-12);
    zn_simulation_destroy(simulation);
    zn_scene_destroy(scene);
    assert_int_equal(zn_scene_parse(context, "ball", ball, NULL, &scene), ZN_OK);
    assert_string_equal(zn_scene_settings(scene)->scheme, zn_settings_default().scheme);
    assert_null(zn_scene_choice(scene));
    zn_scene_destroy(scene);
    zn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_after_many_turns),
        cmocka_unit_test(a_turned_body_has_the_same_angle),
        cmocka_unit_test(the_start_may_be_a_turn_away),
        cmocka_unit_test(an_arm_rests_on_its_stops),
        cmocka_unit_test(a_stop_with_other_laws),
        cmocka_unit_test(a_stop_behind_a_clutch),
        cmocka_unit_test(clutches_index_a_wheel),
        cmocka_unit_test(clutches_open_where_nothing_moves),
        cmocka_unit_test(a_clutch_in_space),
        cmocka_unit_test(gears_with_backlash),
        cmocka_unit_test(a_drive_with_play),
        cmocka_unit_test(a_motor_sticks_between_moves),
        cmocka_unit_test(friction_by_what_a_joint_carries),
        cmocka_unit_test(order_with_loads),
        cmocka_unit_test(a_joint_jams),
        cmocka_unit_test(ropes),
        cmocka_unit_test(a_slack_rope),
        cmocka_unit_test(a_rope_is_drawn),
        cmocka_unit_test(a_bump_stop),
        cmocka_unit_test(springs_by_formula),
        cmocka_unit_test(a_servo_saturates),
        cmocka_unit_test(a_quadruped_lands),
        cmocka_unit_test(a_universal_joint),
        cmocka_unit_test(joints_do_not_drift_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
