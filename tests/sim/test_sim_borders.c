/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that go from one pair of features to the next, with located events. A disk slides over the end of a table without friction:
 * along the face, around the corner like a pendulum that stands on its head, and off it where cos(theta) = 2/3 + v^2/(3 g r); then it
 * falls. The order of the scheme holds through all of this, for every kind of table, in a mirror, turned, and in other units. The truth is
 * the integral of the pendulum's time over its angle. */
#include "located_cases.h"

#include "base/size.h"

static const double g = 10, r = 0.1, v = 0.5, begin = 0.4, end = 0.6;

static double turning(double theta) { return sqrt(v * v / (r * r) + 2 * g / r * (1 - cos(theta))); }

/* Seen from the corner, x away from the table. */
static void truth(double *x, double *y) {
    const int n = 20000;
    double theta = acos(2 / 3. + v * v / (3 * g * r)), sum = 1 / turning(0) + 1 / turning(theta);
    for (int i = 1; i < n; i++) sum += (i % 2 ? 4 : 2) / turning(theta * i / n);
    double left = end - begin - sum * theta / n / 3, w = turning(theta);
    *x = r * sin(theta) + r * w * cos(theta) * left;
    *y = r * cos(theta) - r * w * sin(theta) * left - g * left * left / 2;
}

/* Components of (away, up) of the table in the frame of the scene, in its unit of length. */
typedef struct frame {
    const char *name;
    double away[2], up[2], unit;
    bool box; /* else a polyline */
} frame;

static void write_scene(const frame *f, char *text, size_t room) {
    double u = f->unit, gravity[2], at[2], speed[2], points[3][2], middle[2];
    for (int i = 0; i < 2; i++) {
        gravity[i] = -g * u * f->up[i], at[i] = u * (r * f->up[i] - v * begin * f->away[i]), speed[i] = u * v * f->away[i];
        points[0][i] = -2 * u * f->away[i], points[1][i] = 0, points[2][i] = -2 * u * f->up[i];
        middle[i] = -u * (f->away[i] + f->up[i]);
    }
    bool mirrored = f->away[0] * f->up[1] - f->away[1] * f->up[0] < 0; /* outside of a polyline is on its left */
    const double *first = points[mirrored ? 2 : 0], *last = points[mirrored ? 0 : 2];
    char table[200];
    if (f->box) snprintf(table, sizeof table, "{type: box, size: [%.17g, %.17g], at: [%.17g, %.17g]}", 2 * u, 2 * u, middle[0], middle[1]);
    else
        snprintf(table, sizeof table, "{type: polyline, points: [[%.17g, %.17g], [0, 0], [%.17g, %.17g]]}", first[0], first[1], last[0],
                 last[1]);
    snprintf(text, room,
             "gravity: [%.17g, %.17g]\nbodies:\n  a: {type: planar, shape: {type: disk, radius: %.17g}, density: 1, position: [%.17g, "
             "%.17g], velocity: [%.17g, %.17g]}\ngeometry:\n  table: %s\ncontacts: {all: {between: all}}\n"
             "simulation: {scheme: rattle, step: 0.01, end: 0.6}\n",
             gravity[0], gravity[1], r * u, at[0], at[1], speed[0], speed[1], table);
}

static void over_a_corner(void **state) {
    (void)state;
    const frame frames[] = {{"polyline", {1, 0}, {0, 1}, 1, false},        {"box", {1, 0}, {0, 1}, 1, true},
                            {"box in a mirror", {-1, 0}, {0, 1}, 1, true}, {"polyline in a mirror", {-1, 0}, {0, 1}, 1, false},
                            {"box on its side", {0, -1}, {1, 0}, 1, true}, {"polyline, turned", {0.6, 0.8}, {-0.8, 0.6}, 1, false},
                            {"box in mm", {1, 0}, {0, 1}, 1000, true}};
    const struct {
        const char *name;
        int stages;
        double order;
    } schemes[] = {{"radau-2a", 3, 5}, {"lobatto-3a3b", 3, 4}, {"radau-2a", 2, 3}, {"rattle", 0, 2}, {"generalized-alpha", 0, 2}};
    double x, y;
    truth(&x, &y);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        for (size_t k = 0; k < (i == 0 ? sizeof schemes / sizeof *schemes : 1); k++) {
            const frame *f = &frames[i];
            char text[1000];
            write_scene(f, text, sizeof text);
            located_case c = {f->name, text, NULL, end, 20, 2, {0, 1}, {0}, 0};
            for (int j = 0; j < 2; j++) c.truth[j] = f->unit * (x * f->away[j] + y * f->up[j]);
            double coarse = located_run(&c, schemes[k].name, schemes[k].stages, 20).error / f->unit,
                   fine = located_run(&c, schemes[k].name, schemes[k].stages, 160).error / f->unit, order = log2(coarse / fine) / 3;
            print_message("%s, %s:%d: %.2g %.2g, order %.2f\n", f->name, schemes[k].name, schemes[k].stages, coarse, fine, order);
            assert_true(order > schemes[k].order - 0.5 || fine < 1e-11);
        }
}

/* A box stands flat on the floor against a step that is lower than it, and leaves: the edge of the step is beside the bottom of the box,
 * and not behind it. */
static void away_from_a_step(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        zn_contact_events events;
    } list[] = {{"radau-2a", ZN_EVENTS_LOCATED}, {"radau-2a", ZN_EVENTS_CAPTURED}, {"moreau-midpoint", ZN_EVENTS_CAPTURED}};
    for (int k = 0; k < 6; k++) {
        double side = k % 2 ? -1 : 1;
        const char *points = k % 2 ? "[[-1, -0.083], [-0.1094, -0.083], [-0.1094, -0.1066], [2, -0.1066]]"
                                   : "[[-2, -0.1066], [0.1094, -0.1066], [0.1094, -0.083], [1, -0.083]]";
        char text[600];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\nbodies:\n  b: {type: planar, shape: {type: box, size: [0.147, 0.1594]}, density: 100, "
                 "position: [%.17g, -0.0269], velocity: [%.17g, 0]}\ngeometry:\n  ground: {type: polyline, points: %s}\n"
                 "contacts: {all: {between: all}}\nsimulation: {scheme: %s, step: 1e-3, end: 0.1, contact_events: %s}\n",
                 side * 0.0359, -side * 0.2, points, list[k / 2].scheme, list[k / 2].events == ZN_EVENTS_LOCATED ? "located" : "captured");
        trial run;
        assert_int_equal(trial_open(text, &run), ZN_OK);
        trial_run(&run);
        assert_true(fabs(trial_q(&run, 0) - side * 0.0159) < 1e-12 && fabs(trial_q(&run, 1) + 0.0269) < 1e-12);
        trial_end(&run);
    }
}

/* The corner of a box is wedged in a valley, where both sides hold it and friction on them says the same again; the box tips over about it,
 * onto the right side, whose slope is 4/5. Steps are as long as elsewhere: rattle took 11000 of 1e-14 to 1e-5, and did not get through. */
static void wedged_in_a_valley(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        long most;
    } list[] = {{"radau-2a", 100}, {"radau-2a:2", 200}, {"lobatto-3a3b:3", 200}, {"rattle", 1000}};
    for (size_t k = 0; k < 2 * sizeof list / sizeof *list; k++) {
        int side = k % 2 ? -1 : 1;
        char text[600];
        snprintf(text, sizeof text,
                 "gravity: [0, -10]\nbodies:\n  b: {type: planar, shape: {type: box, size: [0.3, 0.2]}, mass: 1, position: [%.17g, 0.4], "
                 "angle: %.17g, velocity: [%.17g, 0]}\ngeometry:\n  ground: {type: polyline, points: %s}\n"
                 "contacts: {all: {between: all, friction: 0.8}}\n"
                 "simulation: {scheme: '%s', step: auto, accuracy: 1e-6, end: 1, contact_events: located}\n",
                 side * 0.02, side * 0.85, side * 0.1, side > 0 ? "[[-2, 2], [0, 0], [2, 1.6]]" : "[[-2, 1.6], [0, 0], [2, 2]]",
                 list[k / 2].scheme);
        trial run;
        assert_int_equal(trial_open(text, &run), ZN_OK);
        trial_run(&run);
        zn_statistics s = zn_simulation_statistics(run.simulation);
        print_message("%s: %ld steps, %ld solves more, %ld captured, angle %.15g\n", list[k / 2].scheme, s.steps, s.event_solves,
                      s.events_captured, trial_q(&run, 2));
        assert_true(fabs(trial_q(&run, 2) - side * atan(0.8)) < 1e-9); /* flat */
        assert_true(s.steps < list[k / 2].most);
        trial_end(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(over_a_corner), cmocka_unit_test(away_from_a_step),
                                       cmocka_unit_test(wedged_in_a_valley)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
