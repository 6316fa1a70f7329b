/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the partitioned schemes while contacts stay as they are, and after an impact; errors against exact states. */
#include "trial.h"

#include <stdlib.h>

typedef struct study {
    const char *scene;
    trial_options options;
    double end, reference; /* step of the reference */
    int n_steps;
    double steps[8]; /* coarse to fine, multiples of the reference */
} study;

/* States (q, u) after every `every` steps, in rows. */
static double *trajectory(const study *s, double step, long every, int *nq, int *width) {
    trial_options o = s->options;
    o.step = step;
    o.end = s->end;
    trial r = trial_begin(s->scene, o);
    const zn_model *model = zn_simulation_model(r.simulation);
    *nq = model->size.nq;
    *width = model->size.nq + model->size.nu;
    long rows = lround(s->end / step) / every;
    double *states = calloc((size_t)rows, (size_t)*width * sizeof *states);
    assert_non_null(states);
    for (long i = 1; !zn_simulation_done(r.simulation); i++) {
        trial_step(&r);
        if (i % every) continue;
        for (int k = 0; k < *width; k++) states[(i / every - 1) * *width + k] = k < *nq ? trial_q(&r, k) : trial_u(&r, k - *nq);
    }
    trial_end(&r);
    return states;
}

/* h sum_n |x_n - x_ref(t_n)|_1 of positions and of velocities (002: 4.56). */
static void errors_of(const study *s, double step, const double *reference, double *q, double *u) {
    int nq, width;
    double *states = trajectory(s, step, 1, &nq, &width), finest = s->steps[s->n_steps - 1];
    long rows = lround(s->end / step), stride = lround(step / finest);
    *q = *u = 0;
    for (long n = 0; n < rows; n++)
        for (int k = 0; k < width; k++)
            *(k < nq ? q : u) += step * fabs(states[n * width + k] - reference[((n + 1) * stride - 1) * width + k]);
    free(states);
}

/* Slope over all steps of the study by least squares; errors of the finest step in *q, *u. */
static void orders_of(const study *s, double *order_q, double *order_u) {
    int nq, width;
    long every = lround(s->steps[s->n_steps - 1] / s->reference);
    double *reference = trajectory(s, s->reference, every, &nq, &width);
    double x = 0, xx = 0, y[2] = {0}, xy[2] = {0}, n = s->n_steps, error[2];
    for (int i = 0; i < s->n_steps; i++) {
        double log_step = log(s->steps[i]);
        errors_of(s, s->steps[i], reference, &error[0], &error[1]);
        x += log_step, xx += log_step * log_step;
        for (int k = 0; k < 2; k++) y[k] += log(error[k]), xy[k] += log_step * log(error[k]);
    }
    free(reference);
    *order_q = (n * xy[0] - x * y[0]) / (n * xx - x * x);
    *order_u = (n * xy[1] - x * y[1]) / (n * xx - x * x);
}

static void check_order(study s, double order, double allowed) {
    double q, u;
    orders_of(&s, &q, &u);
    print_message("%s %s:%d %d: orders %.2f, %.2f\n", s.scene, s.options.scheme, s.options.stages, (int)s.options.percussion, q, u);
    check_close(q, order, allowed);
    check_close(u, order, allowed);
}

/* Steps are those of the paper as far as their errors are above round-off and tolerance; the sixth order needs more time. */
#define PENDULUM(name, s, end, ...)                                                                            \
    (study) {                                                                                                  \
        "cartesian-pendulum", {.scheme = name, .stages = s, .tolerance = 1e-13}, end, 4e-4, 3, { __VA_ARGS__ } \
    }

static void orders_on_the_pendulum(void **state) {
    (void)state;
    check_order(PENDULUM("rattle", 0, 0.2048, 1.28e-2, 6.4e-3, 3.2e-3), 2, 0.2);
    check_order(PENDULUM("lobatto-3a3b", 2, 0.2048, 1.28e-2, 6.4e-3, 3.2e-3), 2, 0.2);
    check_order(PENDULUM("lobatto-3a3b", 3, 0.2048, 2.56e-2, 1.28e-2, 6.4e-3), 4, 0.2);
    check_order(PENDULUM("lobatto-3a3b", 4, 0.8192, 0.1024, 5.12e-2, 2.56e-2), 6, 0.2);
    check_order(PENDULUM("lobatto-3a3b-lagrange", 2, 0.2048, 1.28e-2, 6.4e-3, 3.2e-3), 2, 0.2);
    check_order(PENDULUM("lobatto-3a3b-lagrange", 3, 0.2048, 2.56e-2, 1.28e-2, 6.4e-3), 4, 0.2);
    check_order(PENDULUM("lobatto-3a3b-lagrange", 4, 0.8192, 0.1024, 5.12e-2, 2.56e-2), 6, 0.2);
}

#define SLOPE(name, s, kind, ...)                                                                                        \
    (study) {                                                                                                            \
        "slope", {.scheme = name, .stages = s, .percussion = kind, .tolerance = 1e-13}, 0.8192, 4e-4, 3, { __VA_ARGS__ } \
    }

static void orders_with_contact_and_friction(void **state) {
    (void)state;
    check_order(SLOPE("rattle", 0, ZN_PERCUSSION_STAGE, 2.56e-2, 1.28e-2, 6.4e-3), 2, 0.2);
    check_order(SLOPE("lobatto-3a3b", 3, ZN_PERCUSSION_STAGE, 5.12e-2, 2.56e-2, 1.28e-2), 4, 0.2);
    check_order(SLOPE("lobatto-3a3b", 4, ZN_PERCUSSION_STAGE, 0.1024, 5.12e-2, 2.56e-2), 6, 0.2);
    check_order(SLOPE("lobatto-3a3b-lagrange", 3, ZN_PERCUSSION_STAGE, 5.12e-2, 2.56e-2, 1.28e-2), 4, 0.2);
}

/* The laws for integrated percussions lose order (002: 7.7). */
static void integrated_percussions_reduce_the_order(void **state) {
    (void)state;
    check_order(SLOPE("lobatto-3a3b", 3, ZN_PERCUSSION_INTEGRATED, 2.56e-2, 1.28e-2, 6.4e-3), 3, 0.2);
    check_order(SLOPE("lobatto-3a3b", 4, ZN_PERCUSSION_INTEGRATED, 0.1024, 5.12e-2, 2.56e-2), 4, 0.2);
}

/* After a free flight the time of the impact is only known to a step. It lies at 5/7 of one for all steps here (ratio 8), so that the error
 * is C h. */
static void first_order_after_an_impact(void **state) {
    (void)state;
    const char *schemes[] = {"rattle", "lobatto-3a3b"};
    for (int i = 0; i < 2; i++)
        check_order((study){"slope-drop",
                            {.scheme = schemes[i], .tolerance = 1e-12, .set = "height=1 + 5*(2.56e-2*(12 + 5/7))^2"},
                            0.8192,
                            5e-5,
                            3,
                            {2.56e-2, 3.2e-3, 4e-4}},
                    1, 0.1);
}

/* Exact states of the reference computations. */
static void pendulum_reaches_its_exact_state(void **state) {
    (void)state;
    const struct {
        const char *scheme;
        int stages;
        double allowed;
    } list[] = {{"rattle", 0, 1.5e-4},     {"lobatto-3a3b", 3, 1e-8}, {"lobatto-3a3b", 4, 6e-9},
                {"lobatto-3a3b", 5, 6e-9}, {"lobatto-3a3b", 6, 6e-9}, {"lobatto-3a3b-lagrange", 3, 1e-8}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_complete(
            "cartesian-pendulum",
            (trial_options){.scheme = list[i].scheme, .stages = list[i].stages, .step = 1e-2, .end = 2.5, .tolerance = 1e-12});
        check_close(trial_q(&r, 0), 0.99986641, list[i].allowed);
        check_close(trial_q(&r, 1), -0.01634492, list[i].allowed);
        zn_statistics s = zn_simulation_statistics(r.simulation);
        check_below(s.max_g, 1e-12);
        check_below(s.max_gdot, 1e-12);
        trial_end(&r);
    }
}

static void slope_reaches_its_exact_state(void **state) {
    (void)state;
    const double exact[] = {1.09289185303, 0.33524560952, 2.25581335701, -0.75625152384};
    const struct {
        const char *scheme;
        int stages;
        double step, allowed;
    } list[] = {{"rattle", 0, 3.2e-3, 2e-5},         {"lobatto-3a3b", 3, 3.2e-3, 3e-11},  {"lobatto-3a3b", 4, 1.28e-2, 1e-11},
                {"lobatto-3a3b", 5, 2.56e-2, 1e-11}, {"lobatto-3a3b", 6, 5.12e-2, 1e-11}, {"lobatto-3a3b-lagrange", 3, 3.2e-3, 3e-11}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_complete(
            "slope",
            (trial_options){.scheme = list[i].scheme, .stages = list[i].stages, .step = list[i].step, .end = 0.8192, .tolerance = 1e-13});
        for (int k = 0; k < 4; k++) check_close(k < 2 ? trial_q(&r, k) : trial_u(&r, k - 2), exact[k], list[i].allowed);
        check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
        trial_end(&r);
    }
}

/* Rest at t = 2.09735228, x = 2.84918465, and nothing moves after it. */
static void slope_comes_to_rest(void **state) {
    (void)state;
    trial r = trial_begin("slope", (trial_options){.scheme = "lobatto-3a3b", .stages = 3, .step = 1.6e-3, .end = 3.2, .tolerance = 1e-12});
    double stopped = 0;
    while (!zn_simulation_done(r.simulation)) {
        trial_step(&r);
        if (stopped == 0 && fabs(trial_u(&r, 0)) < 1e-9) stopped = zn_simulation_time(r.simulation);
    }
    check_close(stopped, 2.09735228 + 0.8e-3, 0.8e-3 + 1e-9);
    check_close(trial_q(&r, 0), 2.84918465, 2e-6);
    check_close(trial_u(&r, 0), 0, 1e-10);
    check_below(zn_simulation_statistics(r.simulation).max_penetration, 1e-12);
    trial_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_on_the_pendulum),
        cmocka_unit_test(orders_with_contact_and_friction),
        cmocka_unit_test(integrated_percussions_reduce_the_order),
        cmocka_unit_test(first_order_after_an_impact),
        cmocka_unit_test(pendulum_reaches_its_exact_state),
        cmocka_unit_test(slope_reaches_its_exact_state),
        cmocka_unit_test(slope_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
