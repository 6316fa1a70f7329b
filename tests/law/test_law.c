/* SPDX-License-Identifier: Apache-2.0 */
/* Reservoirs and projections: what makes a projection a projection, and the equivalence with the normal cone inclusion. */
#include "law/law.h"

#include "check.h"

#include <string.h>

static uint64_t seed = 1;
static double uniform(double lower, double upper) { /* splitmix64 */
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lower + (upper - lower) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static void fill(int n, double *a, double size) {
    for (int i = 0; i < n; i++) a[i] = uniform(-size, size);
}
static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

enum { TRIALS = 2000 };

/* p is in the ball and no point z of the ball makes an acute angle: (a - p).(z - p) <= 0. */
static void projection_property(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int dim = 1 + trial % 3;
        double radius = uniform(0, 2), a[3], p[3], z[3], q[3];
        fill(dim, a, 3);
        bool inside = law_prox_ball(dim, radius, a, p);
        check_below(sqrt(dot(dim, p, p)), radius * (1 + 1e-15));
        assert_int_equal(inside, dot(dim, a, a) <= radius * radius);
        fill(dim, z, 3);
        law_prox_ball(dim, radius, z, q);
        double angle = 0;
        for (int i = 0; i < dim; i++) angle += (a[i] - p[i]) * (q[i] - p[i]);
        check_below(angle, 1e-14);
        double moved = 0, apart = 0; /* nonexpansive */
        for (int i = 0; i < dim; i++) {
            moved += (p[i] - q[i]) * (p[i] - q[i]);
            apart += (a[i] - z[i]) * (a[i] - z[i]);
        }
        check_below(moved, apart * (1 + 1e-14) + 1e-30);
    }
}

static void extreme_arguments(void **state) {
    (void)state;
    double p[2], huge[2] = {3e300, 4e300}, tiny[2] = {3e-300, 4e-300};
    assert_false(law_prox_ball(2, 5, huge, p));
    check_near(p[0], 3, 1e-15);
    check_near(p[1], 4, 1e-15);
    assert_false(law_prox_ball(2, 5e-301, tiny, p));
    check_near(p[1], 4e-301, 1e-14);
    assert_false(law_prox_ball(2, -1, tiny, p));
    assert_true(p[0] == 0 && p[1] == 0);
    double zero[2] = {0, 0};
    assert_true(law_prox_ball(2, 0, zero, p));
    assert_true(law_prox_nonpositive(2) == 0 && law_prox_nonpositive(-2) == -2);
}

/* The physical reservoir of a description: is lambda (physical) in it? And its support function max gamma.lambda. */
static bool in_reservoir(const law_reservoir *law, double lambda_N, const double *lambda, double slack) {
    const double *m = law->mu;
    double e[3] = {lambda[0], law->dim > 1 ? lambda[1] : 0, law->dim > 2 ? lambda[2] : 0};
    switch (law->kind) {
    case ZN_RESERVOIR_BALL: return sqrt(dot(law->dim, lambda, lambda)) <= m[0] * lambda_N + slack;
    case ZN_RESERVOIR_ELLIPSE: return hypot(e[0] / m[0], e[1] / m[1]) <= lambda_N + slack;
    case ZN_RESERVOIR_CONTENSOU: {
        double third = e[2] / (3 * acos(-1) * law->radius / 16);
        return sqrt(e[0] * e[0] + e[1] * e[1] + third * third) <= m[0] * lambda_N + slack;
    }
    default:
        for (int i = 0; i < law->dim; i++)
            if (fabs(lambda[i]) > m[i] * lambda_N + slack) return false;
        return true;
    }
}
static double support(const law_reservoir *law, double lambda_N, const double *gamma) {
    const double *m = law->mu;
    double sum = 0;
    switch (law->kind) {
    case ZN_RESERVOIR_BALL: return m[0] * lambda_N * sqrt(dot(law->dim, gamma, gamma));
    case ZN_RESERVOIR_ELLIPSE: return lambda_N * hypot(m[0] * gamma[0], m[1] * gamma[1]);
    case ZN_RESERVOIR_CONTENSOU: {
        double third = gamma[2] * 3 * acos(-1) * law->radius / 16;
        return m[0] * lambda_N * sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1] + third * third);
    }
    default:
        for (int i = 0; i < law->dim; i++) sum += m[i] * lambda_N * fabs(gamma[i]);
        return sum;
    }
}
static law_reservoir random_reservoir(int trial) {
    static const int dims[ZN_RESERVOIR_COUNT] = {0, 2, 0, 3};
    law_reservoir law = {.kind = (zn_reservoir)(trial % ZN_RESERVOIR_COUNT), .radius = uniform(0.01, 3)};
    law.dim = dims[law.kind] ? dims[law.kind] : 1 + trial / ZN_RESERVOIR_COUNT % 3;
    for (int i = 0; i < 3; i++) law.mu[i] = uniform(0.05, 2);
    return law;
}

/* -lambda maximises gamma.z over the reservoir iff gamma in N_C(-lambda): build a solution of the scaled prox equation with
 * the balls and check the physical inclusion with the support function. */
static void balls_are_the_physical_reservoir(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        law_reservoir law = random_reservoir(trial);
        double scale[3], slip[3], lambda_F[3], a[3], lambda[3] = {0}, gamma[3], lambda_N = uniform(0, 5);
        zn_ball balls[3];
        const char *why = NULL;
        int n = law_balls(&law, scale, balls, &why);
        assert_true(n > 0);
        fill(law.dim, a, 8); /* any a gives a pair: -lambda = prox(a), gamma = a - prox(a) */
        int row = 0;
        for (int b = 0; b < n; b++) {
            law_prox_ball(balls[b].dim, balls[b].mu * lambda_N, a + row, lambda_F + row);
            row += balls[b].dim;
        }
        assert_int_equal(row, law.dim);
        for (int i = 0; i < law.dim; i++) {
            slip[i] = a[i] - lambda_F[i]; /* gamma_F = S gamma_T */
            lambda[i] = -scale[i] * lambda_F[i];
            gamma[i] = slip[i] / scale[i];
        }
        assert_true(in_reservoir(&law, lambda_N, lambda, 1e-13));
        double power = -dot(law.dim, gamma, lambda);
        check_close_at(power, support(&law, lambda_N, gamma), 1e-12, 1e-12, "power", __FILE__, law.kind);
    }
}

static void wrong_descriptions(void **state) {
    (void)state;
    double scale[3];
    zn_ball balls[3];
    const char *why = NULL;
    law_reservoir wrong[] = {
        {.kind = ZN_RESERVOIR_BALL, .dim = 0, .mu = {1}},         {.kind = ZN_RESERVOIR_BALL, .dim = 4, .mu = {1}},
        {.kind = ZN_RESERVOIR_BALL, .dim = 2, .mu = {-1}},        {.kind = ZN_RESERVOIR_ELLIPSE, .dim = 3, .mu = {1, 1}},
        {.kind = ZN_RESERVOIR_ELLIPSE, .dim = 2, .mu = {1, NAN}}, {.kind = ZN_RESERVOIR_CONTENSOU, .dim = 3, .mu = {1}, .radius = -1},
        {.kind = ZN_RESERVOIR_RECTANGLE, .dim = 4, .mu = {1}},    {.kind = ZN_RESERVOIR_CONTENSOU, .dim = 2, .mu = {1, 1}},
        {.kind = ZN_RESERVOIR_COUNT, .dim = 1, .mu = {1}},        {.kind = ZN_RESERVOIR_BALL, .dim = 1, .mu = {INFINITY}},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        why = NULL;
        assert_int_equal(law_balls(&wrong[k], scale, balls, &why), -1);
        assert_non_null(why);
    }
    law_reservoir flat = {.kind = ZN_RESERVOIR_ELLIPSE, .dim = 2, .mu = {0.5, 0}};
    assert_int_equal(law_balls(&flat, scale, balls, NULL), 2);
    assert_true(balls[0].mu == 0.5 && balls[1].mu == 0 && scale[0] == 1 && scale[1] == 1);
    law_reservoir point = {.kind = ZN_RESERVOIR_CONTENSOU, .dim = 3, .mu = {0.5}, .radius = 0};
    assert_int_equal(law_balls(&point, scale, balls, NULL), 2);
    assert_true(balls[0].dim == 2 && balls[1].dim == 1 && balls[1].mu == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_property),
        cmocka_unit_test(extreme_arguments),
        cmocka_unit_test(balls_are_the_physical_reservoir),
        cmocka_unit_test(wrong_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
