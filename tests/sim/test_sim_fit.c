/* SPDX-License-Identifier: Apache-2.0 */
/* What events set and switch on must fit the constraints: what does not is an error that names both, what does goes on. */
#include "trial.h"

static const char *const schemes[] = {"moreau-midpoint", "moreau-shifted", "rattle",  "lobatto-3a3b",
                                      "radau-2a",        "lobatto-3c",     "tr-bdf2", "generalized-alpha"};
enum { N_SCHEMES = 8 };

static zn_status run(const char *text, const char *scheme, trial *r) {
    zn_status status = ZN_OK;
    *r = trial_begin(text, (trial_options){.scheme = scheme});
    while (status == ZN_OK && !zn_simulation_done(r->simulation)) status = zn_simulation_step(r->simulation);
    return status;
}

#define PENDULUM                                                           \
    "gravity: [0, -9.81]\n"                                                \
    "bodies: {a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}\n" \
    "joints: {hinge: {type: revolute, between: [world, a], at: [0, 0]}}\n"

static void what_does_not_fit(void **state) {
    (void)state;
    static const char *const texts[] = {
        PENDULUM "events: {jump: {when: hinge.angle + 0.3, do: {a.x: 5}}}\nsimulation: {step: 0.01, end: 1}\n",
        PENDULUM "events: {jump: {when: hinge.angle + 0.3, do: {a.y: a.y + 0.01}}}\nsimulation: {step: 0.001, end: 1}\n",
        "gravity: [0, -9.81]\nmodes: {held: off}\n"
        "bodies: {ball: {type: particle, mass: 1, position: [0.5, 0]}}\n"
        "joints: {hinge: {type: distance, between: [world, ball], length: 1, if: held}}\n"
        "events: {jump: {when: t - 0.1, do: {held: on}}}\nsimulation: {step: 0.01, end: 1}\n"};
    for (int k = 0; k < 3; k++)
        for (int i = k == 1 ? 2 : 0; i < N_SCHEMES; i++) { /* drift of the first two is about as large */
            trial r;
            zn_status status = run(texts[k], schemes[i], &r);
            const char *said = zn_error_text(r.context);
            if (status != ZN_ERROR_MODEL || !strstr(said, "'jump'") || !strstr(said, "'hinge") || !strstr(said, "is violated by"))
                fail_msg("scene %d, %s: %s", k, schemes[i], said);
            trial_end(&r);
        }
}

/* A pendulum that a mirror throws to the other side whenever it comes to x = 0.8: its energy stays, and so does its length. */
static void what_fits(void **state) {
    (void)state;
    const char *text = "coordinates: {x: 1, y: 0}\nenergy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                       "constraints: {rod: {position: (x^2 + y^2 - 1)/2}}\n"
                       "events: {mirror: {when: x - 0.8, direction: down, do: {x: -x, x': -x'}}}\n"
                       "simulation: {step: 1e-3, end: 2}\n";
    for (int i = 0; i < N_SCHEMES; i++) {
        trial r;
        zn_status status = run(text, schemes[i], &r);
        if (status != ZN_OK) fail_msg("%s: %s", schemes[i], zn_error_text(r.context));
        assert_true(zn_simulation_event_count(r.simulation) > 0);
        double x = trial_q(&r, 0), y = trial_q(&r, 1), vx = trial_u(&r, 0), vy = trial_u(&r, 1);
        bool drifts = i < 2;
        check_close(x * x + y * y, 1, drifts ? 5e-2 : 1e-8); /* they hold velocities only */
        check_close((vx * vx + vy * vy) / 2 + 9.81 * y, 0, drifts ? 0.5 : 1e-4);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_does_not_fit), cmocka_unit_test(what_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
