/* SPDX-License-Identifier: Apache-2.0 */
/* Events that follow from events: others whose signs they change, their own that returns at once, bounces that become shorter and shorter. */
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

/* Bounces without end are told where they accumulate, with the ball on its floor: wherever that is, up and down, on a circle, for all restitutions. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_thrown_back),
                                       cmocka_unit_test(test_accumulation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
