/* SPDX-License-Identifier: Apache-2.0 */
/* friction_law: staged (turning slip): orders on the spring slider against its exact state, and the counts that are reported. */
#include "projected_runs.h"

static const double EXACT[4] = {0.5622288416851952, 0.7463607620016071, -1.4769463541990662, 0.7064212374771048};

typedef struct expectation {
    method m;
    double order, h; /* of the coarser of two steps */
} expectation;

/* Largest error of (x, y, x', y') at the end. */
static double slider_error(method m, zn_friction_law law, double h, zn_statistics *statistics) {
    run r;
    zn_settings settings = open_scene(&r, "spring-slider", NULL);
    settings.scheme = m.name, settings.stages = m.stages, settings.step = h, settings.friction_law = law;
    settings.tolerance = 1e-13;
    start_run(&r, &settings);
    finish_run(&r);
    const double *q = zn_simulation_positions(r.simulation), *u = zn_simulation_velocities(r.simulation);
    double error = 0;
    for (int i = 0; i < 2; i++) error = fmax(error, fmax(fabs(q[i] - EXACT[i]), fabs(u[i] - EXACT[2 + i])));
    *statistics = zn_simulation_statistics(r.simulation);
    close_run(&r);
    return error;
}

static void full_order_on_the_spring_slider(void **state) {
    (void)state;
    const expectation list[] = {
        {{"radau-2a", 2}, 3, 0.016},
        {{"radau-2a", 3}, 5, 0.032},
        {{"lobatto-3c", 2}, 2, 0.016},
        {{"lobatto-3c", 3}, 4, 0.032},
        {{"tr-bdf2", 0}, 2, 0.016},
        {{"trx2", 0}, 2, 0.016},
        {{"lobatto-3a3b", 2}, 2, 0.016},
        {{"lobatto-3a3b", 3}, 4, 0.032},
        {{"lobatto-3a3b", 4}, 6, 0.064},
        {{"rattle", 0}, 2, 0.016},
        {{"lobatto-3a3b-lagrange", 3}, 4, 0.032},
        {{"generalized-alpha", 0}, 2, 0.008},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        zn_statistics old, coarse, fine;
        double h = list[k].h, worse = slider_error(list[k].m, ZN_FRICTION_ACCUMULATED, h, &old);
        double error = slider_error(list[k].m, ZN_FRICTION_STAGED, h, &coarse),
               half = slider_error(list[k].m, ZN_FRICTION_STAGED, h / 2, &fine);
        print_message("%s:%d accumulated %.2e, staged %.2e %.2e, order %.2f\n", list[k].m.name, list[k].m.stages, worse, error, half,
                      log2(error / half));
        check_close(log2(error / half), list[k].order, 0.2);
        assert_true(error < worse / 5);
        assert_int_equal(coarse.staged_accepted, coarse.steps);
        assert_int_equal(coarse.staged_repeated, 0);
        assert_int_equal(old.staged_accepted + old.staged_repeated, 0);
        assert_true(coarse.newton_mean <= 1.3 * old.newton_mean);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_order_on_the_spring_slider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
