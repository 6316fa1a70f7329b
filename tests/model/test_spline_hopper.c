/* SPDX-License-Identifier: Apache-2.0 */
/* The guided hopper (001, 10.5): a flexible leg, driven joints, and a foot that lands with friction. */
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
        if (P_N > 1e-9 && fabs(P_F) > 0.999999 * mu * P_N)
            out.sliding++;
        else if (P_N > 1e-9)
            out.sticking++;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generalized_alpha_lands_with_friction),
        cmocka_unit_test(radau_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
