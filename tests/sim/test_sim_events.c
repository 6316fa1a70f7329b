/* SPDX-License-Identifier: Apache-2.0 */
/* Events that follow from events: others whose signs they change, their own that returns at once, bounces that become shorter and
 * shorter. */
#include <stdlib.h>

#include "trial.h"

static const char *const schemes[] = {"radau-2a", "rattle", "moreau-midpoint", "generalized-alpha", "lobatto-3c", "tr-bdf2"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static int count_events(const trial *r, const char *name) {
    int count = 0;
    for (int i = 0; i < zn_simulation_event_count(r->simulation); i++) count += !strcmp(zn_simulation_event(r->simulation, i).name, name);
    return count;
}

/* What an event sets may be what another one waits for: counters, modes; functions that jump at the same place. */
static void test_chains(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        trial r = trial_complete("coordinates: {y: 1}\nstates: {n: {start: 0, rate: 0}}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                                 "events:\n  enough: {when: n - 2.5, direction: up, do: stop, message: three}\n"
                                 "  bounce: {when: y, direction: down, do: {y': -0.9*y', n: n + 1}}\n"
                                 "simulation: {step: 0.01, end: 3}\n",
                                 (trial_options){.scheme = schemes[k]});
        assert_string_equal(zn_simulation_stop_message(r.simulation), "three");
        check_close(zn_simulation_time(r.simulation), sqrt(2 / 9.81) * (1 + 2 * 0.9 + 2 * 0.81), 1e-9);
        assert_int_equal(count_events(&r, "bounce"), 3);
        trial_end(&r);
        r = trial_complete("coordinates: {x: {start: 0, velocity: 1}}\nmodes: {far: off}\nstates: {n: {start: 0, rate: 0}}\n"
                           "energy: {kinetic: x'^2/2}\nevents:\n"
                           "  a: {when: x - 0.4, do: {far: on, n: n + 1}}\n  b: {when: far - 0.5, direction: up, do: {x': 2, n: n + 10}}\n"
                           "  c: {when: \"if(x > 0.4, 1, -1)\", do: {n: n + 100}}\n  d: {when: -1000*(x - 0.4), do: {n: n + 1000}}\n"
                           "  e: {when: far - 0.5, direction: down, do: {n: n + 1e4}}\n"
                           "  f: {when: far - 0.5, if: 1 - far, do: {n: n + 1e5}}\nsimulation: {step: 0.03, end: 1}\n",
                           (trial_options){.scheme = schemes[k]});
        check_close(trial_q(&r, 0), 0.4 + 2 * 0.6, 1e-9);
        check_close(trial_q(&r, 1), 1111, 1e-12);
        trial_end(&r);
    }
}

/* What an event, a sample or an input has moved beyond a zero happens, however soon the motion leads back: within a hundredth of a step. */
static void test_moved(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        for (int chosen = 0; chosen < 2; chosen++) {
            char text[500];
            snprintf(text, sizeof text,
                     "inputs: {lift: 0}\nstates: {s: {start: 0.39, rate: 1}, n: {rate: 0}}\nsampled: {every: 0.7, down: t + 0.006}\n"
                     "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nevents:\n  back: {when: s - 0.45, direction: up, do: {s: s - 0.5}}\n"
                     "  under: {when: s + 0.04, direction: down, do: {n: n + 1}}\n"
                     "  sampled: {when: t + 0.005 - down, direction: down, do: {n: n + 100}}\n"
                     "  lifted: {when: lift - t, direction: up, do: {n: n + 1e4}}\nsimulation: {step: %s, end: 2}\n",
                     chosen && strcmp(schemes[k], "moreau-midpoint") ? "auto" : "0.5");
            trial r = trial_begin(text, (trial_options){.scheme = schemes[k]});
            bool set = false;
            while (!zn_simulation_done(r.simulation)) {
                double t = zn_simulation_time(r.simulation);
                if (t > 0.5 && !set) assert_int_equal(zn_simulation_set_input(r.simulation, "lift", t + 0.002), ZN_OK), set = true;
                assert_int_equal(zn_simulation_step(r.simulation), ZN_OK);
            }
            int n = count_events(&r, "back"); /* at 0.06, then every half a second */
            assert_int_equal(n, 4);
            assert_int_equal(count_events(&r, "under"), n);
            assert_int_equal(count_events(&r, "sampled"), 2); /* at 0.7 and 1.4, for 1 ms */
            assert_int_equal(count_events(&r, "lifted"), 1);
            trial_end(&r);
        }
    }
}

/* An event that throws its function back leaves it on its side: once, in any direction, and however soon it returns. */
static void test_thrown_back(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++) {
        trial r = trial_complete("coordinates: {x: {start: -0.1037, velocity: 1}}\nenergy: {kinetic: x'^2/2}\n"
                                 "events: {flip: {when: x, do: {x': -x'}}}\nsimulation: {step: 0.01, end: 1}\n",
                                 (trial_options){.scheme = schemes[k]});
        check_close(trial_q(&r, 0), -0.8963, 1e-12);
        assert_int_equal(count_events(&r, "flip"), 1);
        trial_end(&r);
        /* Bounces of a hundredth of the step: 0.5 ms of 50 ms. */
        r = trial_complete("coordinates: {y: {start: 0, velocity: 2.5e-3}}\nenergy: {kinetic: y'^2/2, potential: 10*y}\n"
                           "events: {bounce: {when: y, direction: down, do: {y': -y'}}}\nsimulation: {step: 0.05, end: 0.02013}\n",
                           (trial_options){.scheme = schemes[k]});
        assert_int_equal(count_events(&r, "bounce"), 40);
        check_close(trial_q(&r, 0), 2.5e-3 * 1.3e-4 - 5 * 1.3e-4 * 1.3e-4, 1e-12);
        trial_end(&r);
    }
}

/* Bounces without end are reported where they accumulate, with the ball on its floor: wherever that is, up and down, on a circle, for all
 * restitutions. */
static void check_accumulation(const char *text, const char *scheme, double when, double tolerance) {
    trial r = trial_begin(text, (trial_options){.scheme = scheme});
    zn_status status = ZN_OK;
    while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
    if (status != ZN_ERROR_MODEL || !strstr(zn_error_text(r.context), "the event 'bounce' repeats without end"))
        fail_msg("%s with %s: %s, t = %g", text, scheme, zn_error_text(r.context), zn_simulation_time(r.simulation));
    check_close(zn_simulation_time(r.simulation), when, tolerance);
    trial_end(&r);
}

static void test_accumulation(void **state) {
    (void)state;
    static const struct { double e, floor, side; } list[] = {{0.8, 0, 1}, {0.5, 1.3, 1}, {0.5, 0.7, -1}, {0.1, 0, -1}, {0.01, 0, 1}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int k = 0; k < SCHEMES; k++) {
            char text[500];
            double e = list[i].e, side = list[i].side;
            snprintf(text, sizeof text,
                     "coordinates: {y: %g}\nenergy: {kinetic: y'^2/2, potential: %g*y}\n"
                     "events: {bounce: {when: %g*(y - %g), direction: down, do: {y': -%g*y'}}}\nsimulation: {step: 0.01, end: 9}\n",
                     list[i].floor + side, side * 9.81, side, list[i].floor, e);
            check_accumulation(text, schemes[k], sqrt(2 / 9.81) * (1 + 2 * e / (1 - e)), 1e-6);
        }
    /* Inside a circle: it goes on sliding. With steps of 1e-4 and radau-2a:5 it ends at t = 1.0078, too. */
    check_accumulation("coordinates: {x: {start: 0.3, velocity: 0.5}, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                       "events:\n  bounce:\n    when: hypot(x, y) - 1\n    direction: up\n"
                       "    do: {x': x' - 1.5*(x*x' + y*y')*x, y': y' - 1.5*(x*x' + y*y')*y}\nsimulation: {step: 0.01, end: 9}\n",
                       "radau-2a", 1.0078, 1e-4);
}

/* An event that sets its own function back to the side that it has come from has not ended it, however near to zero: it happens again,
 * without end, and that is reported with its place. Set to zero, or beyond it, it is over. Any offset, direction, rate. */
static void test_set_back(void **state) {
    (void)state;
    for (int power = -12; power <= -5; power++)
        for (int k = 0; k < SCHEMES; k++) {
            double side = power % 2 ? 1 : -1, offset = power % 3 ? 0.3 : 0, rate = 0.5 + 0.07 * (power + 12);
            char text[600];
            snprintf(text, sizeof text,
                     "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nstates: {s: {start: %.17g, rate: %.17g}}\n"
                     "events:\n  bounce: {when: s - %g, %s do: {s: %g%+.1e}}\nsimulation: {step: 0.01, end: 3}\n",
                     offset + side, -side * rate, offset, k % 2 ? (side > 0 ? "direction: down," : "direction: up,") : "", offset,
                     side * pow(10, power) / (power == -5 ? 5 : 1));
            check_accumulation(text, schemes[k], 1 / rate, 0.01);
        }
    static const char *const over[] = {"0", "-1e-12", "-1e-8", "-1e-3"};
    for (int i = 0; i < 4 * SCHEMES; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nstates: {s: {start: 1, rate: -0.7}}\n"
                 "events: {once: {when: s, do: {s: \"%s\"}}}\nsimulation: {step: 0.01, end: 3}\n",
                 over[i / SCHEMES]);
        trial r = trial_complete(text, (trial_options){.scheme = schemes[i % SCHEMES]});
        assert_int_equal(count_events(&r, "once"), 1);
        check_close(trial_q(&r, 1), 1 - 0.7 * 3 + strtod(over[i / SCHEMES], NULL), 1e-9);
        trial_end(&r);
    }
}

/* Functions that are zero at the same place: all their events happen, in the order of the scene, also if the first one throws the motion
 * back, and each of them once. Any scale of the functions, of the step, any order of the two. */
static void test_together(void **state) {
    (void)state;
    static const char *const counted[] = {"x", "3*x", "-x", "1e-13*x", "1e12*x", "x + 1e-14", "2 - t*2", "x*(2 + x)"};
    enum { FORMS = sizeof counted / sizeof *counted };
    for (int i = 0; i < 4 * FORMS * SCHEMES; i++) {
        char text[700], events[2][100];
        int order = i % 2, form = i / 4 % FORMS;
        snprintf(events[order], 100, "  back: {when: x, direction: down, do: {x': -x'}}\n");
        snprintf(events[!order], 100, "  count: {when: \"%s\", do: {n: n + 1}}\n", counted[form]);
        snprintf(text, sizeof text,
                 "coordinates: {x: {start: 1, velocity: -1}}\nenergy: {kinetic: x'^2/2}\nstates: {n: {rate: 0}}\n"
                 "events:\n%s%ssimulation: {step: %s, end: 1.8}\n",
                 events[0], events[1], i / 2 % 2 ? "0.01" : "0.0171");
        trial r = trial_complete(text, (trial_options){.scheme = schemes[i / 4 / FORMS]});
        if (count_events(&r, "back") != 1 || count_events(&r, "count") != 1)
            fail_msg("%s with %s: %d and %d", text, schemes[i / 4 / FORMS], count_events(&r, "back"), count_events(&r, "count"));
        check_close(trial_q(&r, 0), 0.8, 1e-9);
        check_close(trial_q(&r, 1), 1, 1e-12);
        trial_end(&r);
    }
    /* A ring of three modes goes on by one at each zero, and what one event has taken away from the next one does not happen. */
    for (int k = 0; k < SCHEMES; k++) {
        trial r = trial_complete("inputs: {mode: 1, open: 1}\ncoordinates: {x: {start: 1, velocity: 0}}\nstates: {n: {rate: 0}}\n"
                                 "energy: {kinetic: x'^2/2, potential: x^2/2}\nevents:\n  a: {when: x, if: mode == 1, do: {mode: 2}}\n"
                                 "  b: {when: x, if: mode == 2, do: {mode: 3}}\n  c: {when: x, if: mode == 3, do: {mode: 1}}\n"
                                 "  first: {when: x, if: open, do: {open: 0, n: n + 1}}\n  second: {when: x, if: open, do: {n: n + 10}}\n"
                                 "simulation: {step: 0.01, end: 11.5}\n", /* zeros at pi/2 (2 i + 1): four of them */
                                 (trial_options){.scheme = schemes[k]});
        assert_int_equal(count_events(&r, "a"), 2);
        assert_int_equal(count_events(&r, "b"), 1);
        assert_int_equal(count_events(&r, "c"), 1);
        check_close(trial_q(&r, 1), 1, 1e-12);
        trial_end(&r);
    }
}

/* Functions that jump, with steps that are fixed and chosen, beside a ball between two walls: each sign at its time, and no wall is
 * passed. */
static void test_jumps(void **state) {
    (void)state;
    for (int k = 0; k < 3 * SCHEMES; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "coordinates: {x: {start: 1, velocity: -1}}\nenergy: {kinetic: x'^2/2}\nevents:\n  low: {when: x, direction: down, do: "
                 "{x': -x'}}\n"
                 "  high: {when: x - 2, direction: up, do: {x': -x'}}\n  saw: {when: \"mod(t, 0.7) - 0.35\", do: record}\n"
                 "  twice: {when: \"x*(x - 0.5)\", do: record}\nsimulation: {step: %s, end: 12}\n",
                 k % 3 == 0   ? "auto"
                 : k % 3 == 1 ? "0.0137"
                              : "0.3");
        trial r = trial_complete(text, (trial_options){.scheme = schemes[k / 3]});
        int saw = 0;
        for (int i = 0; i < zn_simulation_event_count(r.simulation); i++) {
            zn_event e = zn_simulation_event(r.simulation, i);
            if (!strcmp(e.name, "saw")) check_close(e.t, 0.35 * ++saw, 1e-8);
            if (!strcmp(e.name, "low")) check_close(fmod(e.t, 4), 1, 1e-8);
            if (!strcmp(e.name, "high")) check_close(fmod(e.t, 4), 3, 1e-8);
        }
        assert_int_equal(saw, 34);
        assert_int_equal(count_events(&r, "low"), 3);
        assert_int_equal(count_events(&r, "high"), 3);
        check_close(trial_q(&r, 0), 1, 1e-8);
        trial_end(&r);
    }
}

/* A condition counts where the function is zero, however soon it is over; what has passed while it did not hold is not made up for later in
 * the step. */
static void test_condition(void **state) {
    (void)state;
    for (int k = 0; k < SCHEMES; k++)
        for (int i = 0; i < 3; i++) {
            char text[500];
            snprintf(text, sizeof text,
                     "modes: {m: off}\ncoordinates: {x: {start: 0, velocity: 1}}\nenergy: {kinetic: x'^2/2}\nevents:\n"
                     "  past: {when: x - 0.5203, if: m, do: record}\n  on: {when: x - 0.5207, do: {m: on}}\n  next: {when: x - 0.5209, if: "
                     "m, do: record}\n  soon: {when: x - 0.51, if: abs(x - 0.51) < 1e-6, do: record}\n  early: {when: x - 0.51, if: t < "
                     "0.5101, do: record}\n"
                     "  late: {when: x - 0.51, if: t > 0.5101, do: record}\nsimulation: {step: %g, end: 1}\n",
                     (double[]){0.01, 0.2, 1}[i]);
            trial r = trial_complete(text, (trial_options){.scheme = schemes[k]});
            assert_int_equal(count_events(&r, "soon"), 1);
            assert_int_equal(count_events(&r, "early"), 1);
            assert_int_equal(count_events(&r, "late"), 0);
            assert_int_equal(count_events(&r, "past"), 0);
            assert_int_equal(count_events(&r, "next"), 1);
            trial_end(&r);
        }
}

/* Two events of one function, each of which undoes the other: a relay without hysteresis, a sliding mode. Without end, which is told where
 * it begins (moreau-midpoint is of first order). */
static void test_relay(void **state) {
    (void)state;
    static const char *const texts[] = {
        "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nmodes: {heat: on}\nstates: {T: {start: 20, rate: 2*heat - 0.1*(T - "
        "10)}}\nevents:\n"
        "  bounce: {when: T - 22, direction: up, do: {heat: off}}\n  cold: {when: T - 22, direction: down, do: {heat: on}}\n"
        "simulation: {step: 0.01, end: 5}\n",
        "coordinates: {x: {start: 1, velocity: 0}}\ninputs: {u: -1}\nenergy: {kinetic: x'^2/2}\nforces: {x: u}\nevents:\n"
        "  over: {when: x' + x, direction: up, do: {u: -1}}\n  bounce: {when: x' + x, direction: down, do: {u: 1}}\n"
        "simulation: {step: 0.01, end: 5}\n"};
    for (int k = 0; k < SCHEMES; k++) {
        check_accumulation(texts[0], schemes[k], 10 * log(10 / 8.0), 2e-3);
        check_accumulation(texts[1], schemes[k], sqrt(3) - 1, 1e-2);
    }
    /* With hysteresis it switches as it should: on from 21 to 22, off back. */
    trial r = trial_complete(
        "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nmodes: {heat: on}\nstates: {T: {start: 20, rate: 2*heat - 0.1*(T - 10)}}\n"
        "events:\n  hot: {when: T - 22, direction: up, do: {heat: off}}\n  cold: {when: T - 21, direction: down, do: {heat: on}}\n"
        "simulation: {step: 0.01, end: 20}\n",
        (trial_options){.scheme = "radau-2a"});
    double first = 10 * log(10 / 8.0), off = 10 * log(12 / 11.0), on = 10 * log(9 / 8.0);
    for (int i = 0; i < zn_simulation_event_count(r.simulation); i++)
        check_close(zn_simulation_event(r.simulation, i).t, first + (i + 1) / 2 * off + i / 2 * on, 1e-8);
    assert_int_equal(zn_simulation_event_count(r.simulation), 18);
    trial_end(&r);
}

/* What a run finds wrong with an event is reported with the place of its function. */
static void test_place(void **state) {
    (void)state;
    trial r = trial_begin("coordinates: {x: 0}\nenergy: {kinetic: x'^2/2}\nstates: {s: {start: 1, rate: -1}}\n"
                          "events:\n  again: {direction: down, when: s, do: {s: 1e-9}}\nsimulation: {step: 0.01, end: 3}\n",
                          (trial_options){0});
    zn_status status = ZN_OK;
    while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
    assert_int_equal(status, ZN_ERROR_MODEL);
    assert_int_equal(zn_error_get(r.context, 0)->line, 5);
    assert_int_equal(zn_error_get(r.context, 0)->column, 34);
    check_close(zn_error_get(r.context, 0)->time, 1, 1e-5);
    trial_end(&r);
    /* Formulas that are not finite: of the function everywhere, of what is set and sampled where they are taken. */
    static const struct {
        const char *machine;
        int column;
        double time;
    } list[] = {{"events: {a: {when: log(x - 2), do: record}}\n", 20, 0},
                {"events: {a: {when: x - 0.5, if: 1/(x - x), do: record}}\n", 33, 0},
                {"events: {a: {when: x - 1.5, do: {x': 1/(t - t)}}}\n", 38, 0.5},
                {"events: {a: {when: x - 1.5, do: {x': 1/(x - 1)}}}\n", 0, 0},
                {"sampled: {every: 0.25, a: sqrt(1.6 - x)}\n", 27, 0.75}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "%scoordinates: {x: {start: 1, velocity: 1}}\nenergy: {kinetic: x'^2/2}\nsimulation: {step: 0.01, end: 1}\n",
                 list[i].machine);
        status = trial_open(text, &r);
        while (status == ZN_OK && !zn_simulation_done(r.simulation)) status = zn_simulation_step(r.simulation);
        assert_int_equal(status, list[i].column ? ZN_ERROR_NOT_FINITE : ZN_OK);
        if (status != ZN_OK) {
            assert_int_equal(zn_error_get(r.context, 0)->line, 1);
            assert_int_equal(zn_error_get(r.context, 0)->column, list[i].column);
            check_close(zn_error_get(r.context, 0)->time, list[i].time, 1e-9);
        }
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains),      cmocka_unit_test(test_moved),
                                       cmocka_unit_test(test_thrown_back), cmocka_unit_test(test_accumulation),
                                       cmocka_unit_test(test_set_back),    cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_jumps),       cmocka_unit_test(test_condition),
                                       cmocka_unit_test(test_relay),       cmocka_unit_test(test_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
