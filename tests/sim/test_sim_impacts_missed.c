/* SPDX-License-Identifier: Apache-2.0 */
/* No impact is missed, whatever the number of stages: random impacts of a rod with two tips, captured, against located ones. */
#include "trial.h"

static double random_in(uint64_t *seed, double low, double high) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

typedef struct outcome {
    double u[3], gap, first, second; /* the end; times of the first two impacts, of located ones */
} outcome;

static const double STEP = 2e-3;

static outcome fall(const char *text, const char *scheme, int stages, bool located, double end) {
    zn_context *context = zn_context_create(NULL);
    zn_scene *scene = NULL;
    zn_simulation *sim = NULL;
    assert_int_equal(zn_scene_parse(context, "test", text, &(zn_scene_options){0}, &scene), ZN_OK);
    zn_settings settings = *zn_scene_settings(scene);
    settings.scheme = scheme, settings.stages = stages, settings.step = STEP, settings.end = end;
    settings.contact_events = located ? ZN_EVENTS_LOCATED : ZN_EVENTS_CAPTURED;
    zn_status status = zn_simulation_create(context, zn_scene_model(scene), &settings, &sim);
    while (status == ZN_OK && !zn_simulation_done(sim)) status = zn_simulation_step(sim);
    if (status != ZN_OK) print_error("%s:%d: %s\n", scheme, stages, zn_error_text(context));
    assert_int_equal(status, ZN_OK);
    outcome out = {.first = INFINITY, .second = INFINITY};
    for (int i = 0; i < 3; i++) out.u[i] = zn_simulation_velocities(sim)[i];
    out.gap = zn_simulation_gaps(sim)[0] < zn_simulation_gaps(sim)[1] ? zn_simulation_gaps(sim)[0] : zn_simulation_gaps(sim)[1];
    for (long i = 0; i < zn_simulation_contact_event_count(sim); i++) {
        zn_contact_event event = zn_simulation_contact_event(sim, i);
        if (event.kind != ZN_CONTACT_IMPACT) continue;
        if (out.first == INFINITY) out.first = event.t;
        else if (out.second == INFINITY && event.t > out.first) out.second = event.t;
    }
    zn_simulation_destroy(sim);
    zn_scene_destroy(scene);
    zn_context_destroy(context);
    return out;
}

/* Between the first and the second impact velocities are those after the first, up to what a step of free fall makes of the time and the
 * angle. */
static void check_impact(const char *text, const outcome *times, int *runs) {
    static const char *const schemes[] = {"lobatto-3a3b", "lobatto-3a3b-lagrange", "radau-2a", "lobatto-3c"};
    double end = times->first + (times->second - times->first < 0.04 ? times->second - times->first : 0.04) / 2;
    outcome truth = fall(text, "radau-2a", 3, true, end);
    double size = fabs(truth.u[0]) + fabs(truth.u[1]) + fabs(truth.u[2]) / 4;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        for (int s = 2; s <= 6; s++) {
            outcome out = fall(text, schemes[i], s, false, end);
            double error = fabs(out.u[0] - truth.u[0]) + fabs(out.u[1] - truth.u[1]) + fabs(out.u[2] - truth.u[2]) / 4;
            if (!(error <= 0.2 * size)) print_error("%s:%d: error %.3g of %.3g\n%s", schemes[i], s, error, size, text);
            assert_true(error <= 0.2 * size);
            assert_true(out.gap > -1e-3);
            (*runs)++;
        }
}

static void random_impacts(void **state) {
    (void)state;
    uint64_t seed = 18;
    int runs = 0;
    for (int i = 0; i < 40; i++) {
        char text[1000];
        double angle = random_in(&seed, -1.2, 1.2), spin = random_in(&seed, -6, 6), x = random_in(&seed, -2, 2),
               y = random_in(&seed, -3, -1), e = random_in(&seed, 0, 0.9), mu = random_in(&seed, 0, 0.5);
        snprintf(text, sizeof text,
                 "coordinates: {x: {start: 0, velocity: %.6g}, y: {start: %.6g, velocity: %.6g}, phi: {start: %.6g, velocity: %.6g}}\n"
                 "energy: {kinetic: (x'^2 + y'^2)/2 + phi'^2/24, potential: 9.81*y}\n"
                 "contacts:\n"
                 "  right: {gap: y + sin(phi)/2, slip: x' - phi'*sin(phi)/2, friction: %.6g, restitution: %.6g}\n"
                 "  left: {gap: y - sin(phi)/2, slip: x' + phi'*sin(phi)/2, friction: %.6g, restitution: %.6g}\n"
                 "simulation: {scheme: rattle, step: 0.01, end: 1}\n",
                 x, 0.55 + fabs(sin(angle)) / 2, y, angle, spin, mu, e, mu, e);
        outcome times = fall(text, "radau-2a", 3, true, 0.6);
        if (!(times.second - times.first > 10 * STEP) || !(times.first > 0.02)) continue;
        check_impact(text, &times, &runs);
    }
    print_message("%d runs\n", runs);
    assert_true(runs >= 200);
}

/* The woodpecker toy, which hits and jams: four and more stages fell through. */
static void woodpecker(void **state) {
    (void)state;
    for (int s = 2; s <= 6; s++) {
        trial r = trial_complete("woodpecker", (trial_options){.scheme = "lobatto-3a3b", .stages = s});
        print_message("lobatto-3a3b:%d: y %.5f\n", s, trial_q(&r, 0));
        assert_true(fabs(trial_q(&r, 0) + 0.128168973) < 2e-3); /* located, radau-2a:3 */
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_impacts), cmocka_unit_test(woodpecker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
