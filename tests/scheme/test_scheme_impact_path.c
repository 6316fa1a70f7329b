/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an impact: the cases of a rod against closed forms (Wang and Mason; Stronge), random impacts in the plane and in space. */
#include "check.h"

#include "scheme/impact_path.h"

#include <string.h>

/* The end of a rod, length 2, mass 1, at an angle from the floor (inertia 1/3), hits with the velocity (slip, -1). */
static impact_path rod(double angle, double slip, double mu, double e, bool energetic) {
    double s = sin(angle), c = cos(angle);
    return (impact_path){.dim = 1,
                         .mu = mu,
                         .e = e,
                         .energetic = energetic,
                         .before = {-1, slip},
                         .D = {{1 + 3 * c * c, -3 * s * c}, {-3 * s * c, 1 + 3 * s * s}}};
}

static double energy_gain(const impact_path *o) {
    double gain = 0;
    for (int i = 0; i <= o->dim; i++) gain += o->P[i] * (o->before[i] + o->after[i]) / 2;
    return gain;
}

/* What must hold for every impact. */
static void check_laws(const impact_path *o) {
    double friction = 0, size = 0;
    for (int i = 1; i <= o->dim; i++) friction += o->P[i] * o->P[i];
    for (int i = 0; i <= o->dim; i++) size += fabs(o->P[i]) * (fabs(o->before[i]) + fabs(o->after[i]));
    check_below(sqrt(friction), o->mu * o->P[0] * (1 + 1e-9));
    check_below(-o->after[0], 1e-10);
    check_below(energy_gain(o), 1e-10 * size);
    check_below(energy_gain(o), o->compression + o->expansion + 1e-9 * size); /* friction takes, never gives */
    if (o->energetic) check_close(o->expansion, -o->e * o->e * o->compression, 1e-11 * size);
}

static impact_path follow(impact_path o) {
    assert_true(impact_path_follow(&o));
    check_laws(&o);
    return o;
}

/* Slip goes on to the end: all laws are Newton's, P_N = (1 + e)/b, P_F = -mu P_N. */
static void slides_through(void **state) {
    (void)state;
    for (int energetic = 0; energetic < 2; energetic++)
        for (int side = -1; side <= 1; side += 2) {
            impact_path o = follow(rod(side * 0.9, side * 5, 0.3, 0.6, energetic));
            double b = o.D[0][0] - 0.3 * fabs(o.D[0][1]) * (side * o.D[0][1] > 0 ? 1 : -1);
            check_near(o.P[0], 1.6 / b, 1e-13);
            check_near(o.P[1], -side * 0.3 * 1.6 / b, 1e-13);
            check_near(o.after[0], 0.6, 1e-12);
            assert_true(o.after[1] * side > 0);
        }
}

/* Slip stops at p_s in compression, from where the rates grow with the slope b2: stick or reversed slip.
 *
 *   gdot_s = -1 + b1 p_s,   p_c = p_s - gdot_s/b2,   W_c = (gdot_s^2 - 1)/(2 b1) - gdot_s^2/(2 b2)
 *   poisson   gdot+ = b2 e p_c;      energetic   gdot+ = e sqrt(-2 b2 W_c)                                                        */
static void check_stop(double angle, double slip, double mu, bool sticks) {
    for (int energetic = 0; energetic < 2; energetic++) {
        double e = 0.6;
        impact_path o = follow(rod(angle, slip, mu, e, energetic));
        double sign = slip > 0 ? 1 : -1, NN = o.D[0][0], NT = o.D[0][1], TT = o.D[1][1];
        double b1 = NN - sign * mu * NT, stop = -slip / (NT - sign * mu * TT), at = -1 + b1 * stop;
        double slope = sticks ? -NT / TT : NT > 0 ? -mu : mu, b2 = NN + NT * slope;
        assert_true(stop > 0 && at < 0);
        assert_int_equal(sticks, mu >= fabs(NT) / TT);
        double turn = stop - at / b2, work = (at * at - 1) / (2 * b1) - at * at / (2 * b2);
        double after = energetic ? e * sqrt(-2 * b2 * work) : b2 * e * turn, end = turn + after / b2;
        check_near(o.compression, work, 1e-12);
        check_near(o.after[0], after, 1e-12);
        check_near(o.P[0], end, 1e-12);
        check_close(o.P[1], -sign * mu * stop + slope * (end - stop), 1e-12);
        double gamma = (end - stop) * (NT + TT * slope);
        check_close(o.after[1], gamma, 1e-12);
        if (!sticks) assert_true(gamma * slip < 0);
    }
}

static void slip_stops_and_sticks(void **state) {
    (void)state;
    check_stop(0.9, 0.3, 0.8, true);
    check_stop(-0.9, -0.3, 0.8, true);
}

static void slip_reverses(void **state) {
    (void)state;
    check_stop(0.9, 0.3, 0.2, false);
    check_stop(-0.9, -0.3, 0.2, false);
}

/* The rod is pushed into the floor while it slips, b1 < 0: compression gets stronger until slip stops (jam). */
static void jams(void **state) {
    (void)state;
    impact_path o = rod(-1.2, 1, 3, 0.6, true);
    o.D[0][0] = 1.1, o.D[0][1] = o.D[1][0] = 0.6, o.D[1][1] = 1.2;
    double b1 = 1.1 - 3 * 0.6;
    assert_true(b1 < 0);
    for (int energetic = 0; energetic < 2; energetic++) {
        o.energetic = energetic;
        impact_path r = follow(o);
        double stop = 1 / (3 * 1.2 - 0.6), at = -1 + b1 * stop, b2 = 1.1 - 0.36 / 1.2, turn = stop - at / b2;
        double work = -stop * (1 - at) / 2 - at * at / (2 * b2);
        assert_true(at < -1);
        check_near(r.after[0], energetic ? 0.6 * sqrt(-2 * b2 * work) : 0.6 * b2 * turn, 1e-12);
        check_close(r.after[1], 0, 1e-12);
    }
}

/* Slip stops after compression, in expansion: Poisson's end is that of a slip all along. */
static void stops_in_expansion(void **state) {
    (void)state;
    impact_path o = follow(rod(0.9, 0.9, 0.2, 1, true));
    double NN = o.D[0][0], NT = o.D[0][1], TT = o.D[1][1], b1 = NN - 0.2 * NT, b2 = NN + 0.2 * NT, stop = -0.9 / (NT - 0.2 * TT),
           at = -1 + b1 * stop;
    assert_true(at > 0 && o.after[1] < 0);
    check_near(o.after[0], sqrt(at * at + 2 * b2 * (1 / (2 * b1) - at * at / (2 * b1))), 1e-12);
    o = follow(rod(0.9, 0.9, 0.2, 1, false));
    check_near(o.P[0], 2 / b1, 1e-12);
}

/* A central impact (D without coupling) rebounds with e whatever friction does; so does one without friction. */
static void central_impacts_are_newtons(void **state) {
    (void)state;
    for (int energetic = 0; energetic < 2; energetic++)
        for (int dim = 0; dim <= 3; dim++) {
            impact_path o = {.dim = dim, .mu = 0.4, .e = 0.8, .energetic = energetic, .before = {-2, 0.3, -0.9, 0.4}};
            for (int i = 0; i < 4; i++) o.D[i][i] = i ? 3.5 : 1;
            o = follow(o);
            check_near(o.after[0], 1.6, 1e-10);
            check_near(o.P[0], 3.6, 1e-10);
        }
}

/* ---- random impacts ---- */

static uint64_t seed;
static double uniform(void) { /* -1 to 1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static impact_path random_impact(int dim, bool energetic) {
    impact_path o = {.dim = dim, .mu = 1 + uniform(), .e = (1 + uniform()) / 2, .energetic = energetic};
    double J[4][6];
    if (uniform() > 0.8) o.e = 1;
    for (int i = 0; i <= dim; i++)
        for (int k = 0; k < 6; k++) J[i][k] = uniform() * (k < 3 ? 1 : 3);
    for (int i = 0; i <= dim; i++)
        for (int j = 0; j <= dim; j++)
            for (int k = 0; k <= dim + 1; k++) o.D[i][j] += J[i][k] * J[j][k];
    for (int i = 0; i <= dim; i++) o.before[i] = uniform() * (i ? 2 : 1);
    o.before[0] = -fabs(o.before[0]) - 1e-3;
    if (uniform() > 0.9)
        for (int i = 1; i <= dim; i++) o.before[i] = 0;
    return o;
}

static void random_impacts_gain_nothing(void **state) {
    (void)state;
    seed = 7;
    for (int i = 0; i < 10000; i++) follow(random_impact(1, i % 2));
    for (int i = 0; i < 10000; i++) follow(random_impact(2, i % 2));
    for (int i = 0; i < 1000; i++) follow(random_impact(3, i % 2));
}

/* The plane within space: slip along a straight line is integrated to what the closed form has. */
static void space_contains_the_plane(void **state) {
    (void)state;
    seed = 11;
    for (int i = 0; i < 300; i++) {
        impact_path flat = random_impact(1, i % 2), space = flat;
        double c = cos(i), s = sin(i), side = 1 + fabs(uniform());
        space.dim = 2;
        space.before[1] = c * flat.before[1], space.before[2] = s * flat.before[1];
        space.D[0][1] = space.D[1][0] = c * flat.D[0][1];
        space.D[0][2] = space.D[2][0] = s * flat.D[0][1];
        space.D[1][1] = c * c * flat.D[1][1] + s * s * side, space.D[2][2] = s * s * flat.D[1][1] + c * c * side;
        space.D[1][2] = space.D[2][1] = c * s * (flat.D[1][1] - side);
        flat = follow(flat), space = follow(space);
        double size = fabs(flat.before[0]) + fabs(flat.before[1]);
        check_close(space.after[0], flat.after[0], 1e-7 * size);
        check_close(c * space.after[1] + s * space.after[2], flat.after[1], 1e-7 * size);
        check_close(c * space.after[2] - s * space.after[1], 0, 1e-7 * size);
    }
}

/* Slip that turns, against many small steps of the inclusion, implicit and of first order: the difference falls with the step. */
static double by_small_steps(const impact_path *o, int count, double *gamma) {
    double c[3], h = o->P[0] / count;
    memcpy(c, o->before, sizeof c);
    for (int n = 0; n < count; n++) {
        double f[2] = {0, 0};
        for (int k = 0; k < 60; k++) { /* f = prox of the disc of mu h, D_FF as a contraction */
            double rho = 0.5 / (o->D[1][1] + o->D[2][2]), v[2];
            for (int i = 0; i < 2; i++) v[i] = f[i] - rho * (c[i + 1] + o->D[i + 1][0] * h + o->D[i + 1][1] * f[0] + o->D[i + 1][2] * f[1]);
            double length = hypot(v[0], v[1]), most = o->mu * h;
            for (int i = 0; i < 2; i++) f[i] = length > most ? v[i] * most / length : v[i];
        }
        for (int i = 0; i < 3; i++) c[i] += o->D[i][0] * h + o->D[i][1] * f[0] + o->D[i][2] * f[1];
    }
    gamma[0] = c[1], gamma[1] = c[2];
    return c[0];
}

static void turning_slip_converges_to_the_path(void **state) {
    (void)state;
    impact_path o = {
        .dim = 2, .mu = 0.6, .e = 0.5, .energetic = true, .before = {-1, 0.5, 0.4}, .D = {{2, 0.6, -0.7}, {0.6, 1.5, 0.4}, {-0.7, 0.4, 3}}};
    o = follow(o);
    double gamma[2], worst[2];
    for (int i = 0; i < 2; i++) {
        double gdot = by_small_steps(&o, i ? 4000 : 1000, gamma);
        worst[i] = fmax(fabs(gdot - o.after[0]), fmax(fabs(gamma[0] - o.after[1]), fabs(gamma[1] - o.after[2])));
    }
    check_below(worst[1], 2e-3);
    check_below(worst[1], 0.3 * worst[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_through),
        cmocka_unit_test(slip_stops_and_sticks),
        cmocka_unit_test(slip_reverses),
        cmocka_unit_test(jams),
        cmocka_unit_test(stops_in_expansion),
        cmocka_unit_test(central_impacts_are_newtons),
        cmocka_unit_test(random_impacts_gain_nothing),
        cmocka_unit_test(space_contains_the_plane),
        cmocka_unit_test(turning_slip_converges_to_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
