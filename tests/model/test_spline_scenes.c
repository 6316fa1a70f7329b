/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes with spline beams. The guided hopper (001, 10.5): a flexible leg, driven joints, a foot that lands with friction. The whip:
 * large bending, damping. */
#include "trial.h"

enum { HIP_Y = 1, THIGH_Y = 3, SHANK = 5, N_CONTROL = 4 };

/* Vertical momentum: the integrals of quadratic splines on two elements are 1/6, 1/3, 1/3, 1/6. */
static double momentum(const trial *r) {
    static const double share[N_CONTROL] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double sum = 3 * trial_u(r, HIP_Y) + 1.56 * trial_u(r, THIGH_Y);
    for (int i = 0; i < N_CONTROL; i++) sum += 0.71 * 0.2 * share[i] * trial_u(r, SHANK + 2 * i + 1);
    return sum;
}

typedef struct landing {
    double first, normal, worst, height; /* first contact, sum of P_N, largest |P_F| - mu P_N, of the hip at the end */
    int sliding, sticking;
    double balance; /* worst error of the momentum */
} landing;

static landing hop(trial_options options) {
    const double weight = (3 + 1.56 + 0.71 * 0.2) * 9.81, mu = 0.2;
    trial r = trial_begin("guided-hopper", options);
    const zn_contact *foot = &zn_simulation_model(r.simulation)->contacts[0];
    landing out = {.first = -1, .worst = -1};
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        const double *P = zn_simulation_percussions(r.simulation);
        double t = zn_simulation_time(r.simulation), P_N = P[foot->row_N], P_F = P[foot->row_F];
        if (out.first < 0 && P_N > 0) out.first = t;
        out.normal += P_N;
        out.worst = fmax(out.worst, fabs(P_F) - mu * P_N);
        out.balance = fmax(out.balance, fabs(momentum(&r) - out.normal + weight * t));
        if (P_N > 1e-9 && fabs(P_F) > 0.999999 * mu * P_N) out.sliding++;
        else if (P_N > 1e-9) out.sticking++;
    }
    out.height = trial_q(&r, HIP_Y);
    zn_statistics s = zn_simulation_statistics(r.simulation);
    check_below(s.max_g, 1e-13);
    check_below(s.max_gdot, 1e-11);
    check_below(s.max_penetration, 1e-12);
    trial_end(&r);
    return out;
}

/* As in the paper: h = 5e-5, rho = 0. The foot lands at 0.1262, slides and sticks, and leaves the ground at 0.181. */
static void generalized_alpha_lands_with_friction(void **state) {
    (void)state;
    landing l = hop((trial_options){.scheme = "generalized-alpha", .end = 0.2});
    check_close(l.first, 0.12625, 1e-9); /* the end of the step with the contact */
    check_below(l.worst, 1e-15);
    check_below(l.balance, 1e-9);
    assert_true(l.sliding > 500 && l.sticking > 10);
    check_close(l.normal, 16.577, 0.02);
    check_close(l.height, 0.28737, 2e-4);
}

/* Other scheme, four times the step, and the second hop: it lands again at 0.56. */
static void radau_agrees(void **state) {
    (void)state;
    landing l = hop((trial_options){.scheme = "radau-2a", .step = 2e-4, .end = 0.2});
    check_close(l.first, 0.1264, 1e-9);
    check_below(l.worst, 1e-15);
    check_below(l.balance, 1e-9);
    check_close(l.normal, 16.577, 0.05);
    check_close(l.height, 0.28737, 3e-4);
    l = hop((trial_options){.scheme = "radau-2a", .step = 5e-4, .end = 1});
    check_below(l.worst, 1e-15);
    check_below(l.balance, 1e-9);
    check_close(l.normal, 39.8, 0.3);
}

/* The tip slaps the wall once, and schemes agree on when and how hard. */
static void whip_slaps_the_wall(void **state) {
    (void)state;
    static const char *const schemes[] = {"radau-2a", "generalized-alpha"};
    for (int i = 0; i < 2; i++) {
        trial r = trial_begin("whip", (trial_options){.scheme = schemes[i], .step = 1e-3, .end = 0.8});
        const zn_contact *slap = &zn_simulation_model(r.simulation)->contacts[0];
        double first = -1, last = -1;
        while (!zn_simulation_done(r.simulation)) {
            trial_step(&r);
            if (zn_simulation_percussions(r.simulation)[slap->row_N] < 1e-12) continue;
            if (first < 0) first = zn_simulation_time(r.simulation);
            last = zn_simulation_time(r.simulation);
        }
        const double *sum = zn_simulation_percussion_totals(r.simulation);
        check_close(first, 0.694, 1.1e-3);
        check_close(last, 0.763, 2.1e-3);
        check_near(sum[slap->row_N], 0.5205, 5e-3);
        check_near(sum[slap->row_F], 0.3 * sum[slap->row_N], 1e-9); /* slides all the time */
        check_below(zn_simulation_statistics(r.simulation).max_g, 1e-12);
        trial_end(&r);
    }
}

/* Every mistake is reported with its place. */
static void wrong_scenes_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"degree: 1", "the degree of the spline beam 'b' is 2 to 5, not 1"},
        {"degree: 7", "2 to 5"},
        {"elements: 0", "elements"},
        {"gauss: 1", "could bend without strain"},
        {"gauss: 40", "1 to 10 Gauss points"},
        {"order: 3", "a spline-beam has a 'degree'"},
        {"GA: 3", "has no 'GA'"},
        {"to: [0, 0]", "two different points"},
        {"EI: 0", "EI"},
        {"line_density: -1", "line_density"},
        {"frames: {far: 2}", "far"},
        {"degre: 3", "degree"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const keys[][2] = {{"elements", "4"}, {"to", "[1, 0]"}, {"EA", "1"}, {"EI", "1"}, {"line_density", "1"}};
        char text[600] = "bodies:\n  b: {type: spline-beam, ";
        for (int k = 0; k < 5; k++) { /* what the case says itself is left out */
            size_t length = strlen(keys[k][0]);
            if (!strncmp(cases[i][0], keys[k][0], length) && cases[i][0][length] == ':') continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s: %s, ", keys[k][0], keys[k][1]);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s}\nsimulation: {step: 1e-3, end: 1}\n", cases[i][0]);
        zn_context *context = zn_context_create(NULL);
        zn_scene *scene = NULL;
        zn_status status = zn_scene_parse(context, "test", text, &(zn_scene_options){.n_sets = 0, .sets = NULL}, &scene);
        if (status == ZN_OK || scene) fail_msg("'%s' was accepted", cases[i][0]);
        if (!strstr(zn_error_text(context), cases[i][1])) fail_msg("'%s' says: %s", cases[i][0], zn_error_text(context));
        if (!strstr(zn_error_text(context), "test:2")) fail_msg("'%s' has no place: %s", cases[i][0], zn_error_text(context));
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generalized_alpha_lands_with_friction),
        cmocka_unit_test(radau_agrees),
        cmocka_unit_test(whip_slaps_the_wall),
        cmocka_unit_test(wrong_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
