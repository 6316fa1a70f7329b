/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks at rest stay at rest: every scheme, in the plane and in space, turned against the axes, with several steps. */
#include "contact_runs.h"

#include <stdlib.h>

enum { BOXES = 10 };

static double between(double a, double b) { return a + (b - a) * rand() / RAND_MAX; }

/* Boxes on top of each other, every other one a little aside, in a frame that is turned and moved. `gaps`: random ones up to this. */
static void planar_stack(char *text, size_t room, double gaps) {
    double a = between(-3, 3), c = cos(a), s = sin(a), x0 = between(-1, 1), y0 = between(-1, 1), lift = 0;
    size_t used = (size_t)snprintf(text, room, "gravity: [%.17g, %.17g]\nbodies:\n", 9.81 * s, -9.81 * c);
    for (int i = 0; i < BOXES; i++) {
        lift += gaps * rand() / RAND_MAX;
        double x = 0.01 * (i % 2), y = 0.1 + 0.2 * i + lift;
        used += (size_t)snprintf(text + used, room - used,
                                 "  b%d: {type: planar, shape: {type: box, size: [0.4, 0.2]}, mass: 1, position: [%.17g, %.17g], "
                                 "angle: %.17g}\n",
                                 i, x0 + c * x - s * y, y0 + s * x + c * y, a);
    }
    snprintf(text + used, room - used,
             "geometry: {floor: {type: line, normal: [%.17g, %.17g], at: [%.17g, %.17g]}}\n"
             "contacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 1e-2, end: 60}\n",
             -s, c, x0, y0);
}

static void spatial_stack(char *text, size_t room) {
    double axis[3], size = 0, angle = between(0.5, 3), R[3][3], o[3];
    for (int i = 0; i < 3; i++) axis[i] = between(-1, 1), size += axis[i] * axis[i], o[i] = between(-1, 1);
    for (int i = 0; i < 3; i++) axis[i] /= sqrt(size);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] =
                (1 - cos(angle)) * axis[i] * axis[j] + (i == j ? cos(angle) : (j == (i + 1) % 3 ? -1 : 1) * sin(angle) * axis[3 - i - j]);
    size_t used =
        (size_t)snprintf(text, room, "gravity: [%.17g, %.17g, %.17g]\nbodies:\n", -9.81 * R[0][2], -9.81 * R[1][2], -9.81 * R[2][2]);
    for (int i = 0; i < BOXES; i++) {
        double x = 0.01 * (i % 2), z = 0.1 + 0.2 * i, r[3];
        for (int k = 0; k < 3; k++) r[k] = o[k] + R[k][0] * x + R[k][2] * z;
        used +=
            (size_t)snprintf(text + used, room - used,
                             "  b%d: {type: spatial, shape: {type: box, size: [0.4, 0.3, 0.2]}, mass: 1, position: [%.17g, %.17g, %.17g], "
                             "rotation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}}\n",
                             i, r[0], r[1], r[2], axis[0], axis[1], axis[2], angle);
    }
    snprintf(text + used, room - used,
             "geometry: {floor: {type: plane, normal: [%.17g, %.17g, %.17g], at: [%.17g, %.17g, %.17g]}}\n"
             "contacts: {all: {between: all, friction: 0.5}}\nsimulation: {step: 1e-2, end: 60}\n",
             R[0][2], R[1][2], R[2][2], o[0], o[1], o[2]);
}

static bool is_velocity_level(const char *scheme) { return strncmp(scheme, "moreau", 6) == 0; }

/* Nothing moves by more than `drift`. */
static void rests(const char *text, const char *scheme, double step, double end, double drift) {
    trial r = trial_begin(text, (trial_options){.scheme = scheme, .step = step, .end = end});
    trial_run(&r);
    const zn_model *model = zn_simulation_model(r.simulation);
    for (int i = 0; i < model->size.nq; i++) check_close(zn_simulation_positions(r.simulation)[i], model->q_start[i], drift);
    check_near(total_of(r.simulation, "world", "b0"), BOXES * 9.81 * end, 1e-9);
    check_near(total_of(r.simulation, "b8", "b9"), 9.81 * end, 1e-9);
    check_below(zn_simulation_statistics(r.simulation).max_overlap, drift);
    trial_end(&r);
}

/* On position level nothing accumulates. On velocity level each step may add its tolerance, 1e-10 of the velocity g h of a step, times h;
 * and the bodies above lean on those below. */
static double drift_of(const char *scheme, double step, double end) {
    return is_velocity_level(scheme) ? BOXES * 1e-10 * 9.81 * step * end : 1e-12;
}

static void every_scheme_in_the_plane(void **state) {
    (void)state;
    char text[4000];
    srand(1);
    planar_stack(text, sizeof text, 0);
    int tried = 0;
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts || !info.friction) continue;
        double end = is_velocity_level(info.name) || !strcmp(info.name, "rattle") ? REPEATED(60, 6) : 1;
        rests(text, info.name, 1e-2, end, drift_of(info.name, 1e-2, end));
        rests(text, info.name, 1e-3, 0.1, drift_of(info.name, 1e-3, 0.1));
        tried++;
    }
    assert_true(tried >= 15);
}

static void every_scheme_in_space(void **state) {
    (void)state;
    char text[6000];
    srand(2);
    spatial_stack(text, sizeof text);
    for (int i = 0; i < zn_scheme_count(); i++) {
        zn_scheme_info info = zn_scheme_get(i);
        if (!info.contacts || !info.friction || !info.general_kinematics) continue;
        double end = is_velocity_level(info.name) ? REPEATED(60, 6) : !strcmp(info.name, "rattle") ? REPEATED(10, 2) : 0.05;
        rests(text, info.name, 1e-2, end, drift_of(info.name, 1e-2, end));
    }
}

/* Numbers with six digits leave gaps: bodies come down by these, and by no more than the hundredth of a step's fall that counts as
 * closed. */
static void small_gaps_do_no_harm(void **state) {
    (void)state;
    char text[4000];
    srand(3);
    planar_stack(text, sizeof text, 1e-6);
    const char *const schemes[] = {"moreau-midpoint", "moreau", "moreau-shifted", "moreau-theta", "moreau-variational", "rattle"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        trial r = trial_begin(text, (trial_options){.scheme = schemes[s], .end = 5});
        trial_run(&r);
        const zn_model *model = zn_simulation_model(r.simulation);
        for (int i = 0; i < model->size.nq; i++) check_close(zn_simulation_positions(r.simulation)[i], model->q_start[i], BOXES * 1e-6);
        check_below(zn_simulation_statistics(r.simulation).max_overlap, 1e-6);
        trial_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_in_the_plane),
        cmocka_unit_test(every_scheme_in_space),
        cmocka_unit_test(small_gaps_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
