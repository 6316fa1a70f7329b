/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of curves and surfaces: where they are, and their derivatives. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL = 3, N_ALL = 6 }; /* variables 0 .. 2: the point p; 3 .. 5: those of the surface */

typedef struct surface {
    zn_context *context;
    expr_graph *graph;
    expr_nearest near;
} surface;

static void begin(surface *s, const char *text, int dim) {
    s->context = zn_context_create(NULL);
    s->graph = expr_graph_create(s->context);
    static const char *const names[3] = {"x", "y", "z"};
    expr_name locals[3];
    expr p[3], f;
    for (int i = 0; i < 3; i++) {
        locals[i] = (expr_name){names[i], expr_variable(s->graph, LOCAL + i)};
        p[i] = expr_variable(s->graph, i);
    }
    expr_scope scope = {.count = 3, .names = locals};
    assert_int_equal(expr_parse(s->graph, s->context, &scope, ZN_FORMULA(text), &f), ZN_OK);
    s->near = expr_nearest_point(s->graph, expr_surface(s->graph, f, LOCAL, dim, 0, 0), p);
    assert_true(s->near.distance >= 0);
}

static void end(surface *s) {
    expr_graph_destroy(s->graph);
    zn_context_destroy(s->context);
}

static double value(surface *s, expr e, const double *p) { return expr_value(s->graph, e, (const double[N_ALL]){p[0], p[1], p[2]}); }

/* Inside a circle and a sphere everything is known: d = R - |p|, P = R p/|p|; derivatives to the third order. */
static void circles_and_spheres(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int dim = 2; dim <= 3; dim++) {
        surface s;
        begin(&s, dim == 2 ? "4 - x^2 - y^2" : "4 - x^2 - y^2 - z^2", dim);
        expr x = expr_variable(s.graph, 0), y = expr_variable(s.graph, 1), z = expr_variable(s.graph, 2), sum;
        sum = expr_binary(s.graph, EXPR_ADD, expr_binary(s.graph, EXPR_MUL, x, x), expr_binary(s.graph, EXPR_MUL, y, y));
        if (dim == 3) sum = expr_binary(s.graph, EXPR_ADD, sum, expr_binary(s.graph, EXPR_MUL, z, z));
        expr known = expr_binary(s.graph, EXPR_SUB, expr_constant(s.graph, 2), expr_unary(s.graph, EXPR_SQRT, sum));
        for (int round = 0; round < 20; round++) {
            double p[3] = {next_double(&seed, -1.5, 1.5), next_double(&seed, -1.5, 1.5), dim == 2 ? 0 : next_double(&seed, -1.5, 1.5)};
            double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            if (size < 0.5) continue;
            for (int i = 0; i < dim; i++) check_close(value(&s, s.near.point[i], p), 2 * p[i] / size, 1e-14);
            check_close(value(&s, s.near.distance, p), 2 - size, 1e-14);
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    for (int k = 0; k < dim; k++) {
                        expr a = expr_derivative(s.graph, s.near.distance, i), b = expr_derivative(s.graph, known, i);
                        check_close(value(&s, a, p), value(&s, b, p), 1e-13);
                        a = expr_derivative(s.graph, a, j), b = expr_derivative(s.graph, b, j);
                        check_close(value(&s, a, p), value(&s, b, p), 1e-12);
                        a = expr_derivative(s.graph, a, k), b = expr_derivative(s.graph, b, k);
                        check_close(value(&s, a, p), value(&s, b, p), 1e-11);
                    }
        }
        end(&s);
    }
}

/* Far from ellipsoids as flat as 5000 to 1 and as long as 1 to 1000: P_i = a_i^2 p_i/(a_i^2 + t), with the t for which P lies on the
 * ellipsoid, by bisection. */
static void far_from_flat_ellipsoids(void **state) {
    (void)state;
    uint64_t seed = 11;
    const double half[][3] = {{0.5, 0.5, 1e-4}, {0.5, 0.5, 0.01}, {2, 1e-3, 0.05}, {1e-3, 1e-3, 1}};
    for (size_t k = 0; k < sizeof half / sizeof *half; k++) {
        const double *a = half[k];
        char text[200];
        snprintf(text, sizeof text, "x^2/%.17g + y^2/%.17g + z^2/%.17g - 1", a[0] * a[0], a[1] * a[1], a[2] * a[2]);
        surface s;
        begin(&s, text, 3);
        for (int round = 0; round < 100; round++) {
            double p[3], P[3], inside = 0, low = 0, high = 0, way = pow(10, next_double(&seed, -2, 1));
            for (int i = 0; i < 3; i++) {
                p[i] = way * next_double(&seed, -1, 1);
                inside += p[i] * p[i] / (a[i] * a[i]);
                high += fabs(p[i]) * (a[0] + a[1] + a[2]);
            }
            if (inside < 1.1) continue;
            for (int turn = 0; turn < 300; turn++) {
                double t = (low + high) / 2, sum = 0;
                for (int i = 0; i < 3; i++) P[i] = a[i] * a[i] * p[i] / (a[i] * a[i] + t), sum += P[i] * P[i] / (a[i] * a[i]);
                if (sum > 1) low = t;
                else high = t;
            }
            double distance = sqrt((p[0] - P[0]) * (p[0] - P[0]) + (p[1] - P[1]) * (p[1] - P[1]) + (p[2] - P[2]) * (p[2] - P[2]));
            check_close(value(&s, s.near.distance, p), distance, 1e-10);
            /* at a rim, points of the same distance to round-off lie apart */
            for (int i = 0; i < 3; i++) check_close(value(&s, s.near.point[i], p), P[i], 1e-6);
        }
        end(&s);
    }
}

/* Curves and surfaces where only the definition is known: f(P) = 0, p - P along the gradient, no sample is nearer. Derivatives of P
 * against differences. */
static void check_definition(const char *text, int dim, double (*height)(double, double), const double *low, const double *high) {
    surface s;
    begin(&s, text, dim);
    uint64_t seed = 11;
    for (int round = 0; round < 40; round++) {
        double p[3] = {0}, P[3] = {0}, g[3] = {0}, d;
        for (int i = 0; i < dim; i++) p[i] = next_double(&seed, low[i], high[i]);
        for (int i = 0; i < dim; i++) P[i] = value(&s, s.near.point[i], p), g[i] = value(&s, s.near.gradient[i], p);
        d = value(&s, s.near.distance, p);
        double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        check_close(dim == 2 ? P[1] : P[2], height(P[0], P[1]), 1e-13);
        for (int i = 0; i < dim; i++) check_close(p[i] - P[i], d * g[i] / length, 1e-13);
        for (int i = -200; i <= 200; i++)
            for (int j = dim == 2 ? 0 : -20; j <= (dim == 2 ? 0 : 20); j++) {
                double x = p[0] + i * (dim == 2 ? 0.01 : 0.05), y = p[1] + j * 0.05, away;
                if (dim == 3 && i % 10) continue;
                away = dim == 2 ? hypot(x - p[0], height(x, 0) - p[1]) : hypot(hypot(x - p[0], y - p[1]), height(x, y) - p[2]);
                check_below(fabs(d), away + 1e-12);
            }
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                const double h = 1e-5;
                double up[3], down[3];
                memcpy(up, p, sizeof p), memcpy(down, p, sizeof p);
                up[j] += h, down[j] -= h;
                double difference = (value(&s, s.near.point[i], up) - value(&s, s.near.point[i], down)) / (2 * h);
                check_close_relative(value(&s, expr_derivative(s.graph, s.near.point[i], j), p), difference, 1e-7, 1e-7);
            }
    }
    end(&s);
}

static double parabola(double x, double y) { return (void)y, x * x; }
static double wave(double x, double y) { return (void)y, 0.2 * sin(2 * x); }
static double bowl(double x, double y) { return x * x / 2 + y * y / 4; }

static void other_curves(void **state) {
    (void)state;
    check_definition("y - x^2", 2, parabola, (const double[]){-1, -1}, (const double[]){1, 0.3}); /* 1/2 is the centre of curvature */
    check_definition("y - 0.2*sin(2*x)", 2, wave, (const double[]){-3, -0.3}, (const double[]){3, 0.3});
    check_definition("z - x^2/2 - y^2/4", 3, bowl, (const double[]){-1, -1, -1}, (const double[]){1, 1, 0.5});
}

/* A tape computes what the graph says; two points of one surface do not disturb each other. */
static void tapes_agree(void **state) {
    (void)state;
    surface s;
    begin(&s, "y - x^2 - exp(-x)/9", 2);
    expr moved[3], outputs[9];
    for (int i = 0; i < 3; i++) moved[i] = expr_binary(s.graph, EXPR_ADD, expr_variable(s.graph, i), expr_constant(s.graph, 0.1));
    expr_nearest other = expr_nearest_point(s.graph, 0, moved);
    outputs[0] = s.near.distance, outputs[1] = s.near.point[0], outputs[2] = s.near.point[1];
    outputs[3] = other.distance, outputs[4] = expr_derivative(s.graph, expr_derivative(s.graph, other.distance, 0), 1);
    outputs[5] = expr_binary(s.graph, EXPR_MUL, other.point[1], s.near.point[1]);
    outputs[6] = expr_derivative(s.graph, s.near.point[0], 1), outputs[7] = other.point[0], outputs[8] = s.near.point[0];
    expr_tape *tape = expr_compile(s.graph, s.context, 3, 2, (const expr_section[]){{4, outputs}, {5, outputs + 4}});
    assert_non_null(tape);
    double *registers = malloc(sizeof(double) * (size_t)expr_tape_registers(tape));
    uint64_t seed = 8;
    for (int round = 0; round < 50; round++) {
        double p[3] = {next_double(&seed, -1, 1), next_double(&seed, -1, 0.2), 0}, results[9];
        for (int i = 0; i < expr_tape_registers(tape); i++) registers[i] = NAN;
        expr_tape_run(tape, registers, p, 2, (double *const[]){results, results + 4});
        for (int i = 0; i < 9; i++) {
            double expected = value(&s, outputs[i], p);
            assert_memory_equal(&results[i], &expected, sizeof expected);
        }
    }
    free(registers);
    expr_tape_destroy(s.context, tape);
    end(&s);
}

/* No curve at all, a gradient that vanishes, a formula that is not a number: NaN, not an endless search. */
static void nothing_to_be_near_to(void **state) {
    (void)state;
    const char *texts[] = {"1 + x^2 + y^2", "x^2*y^2", "sqrt(-1 - x^2) + y", "x - x + 1"};
    const double points[][3] = {{0.3, 0.2, 0}, {0, 0, 0}, {1, 1, 0}, {1, 2, 0}};
    for (int i = 0; i < 4; i++) {
        surface s;
        begin(&s, texts[i], 2);
        assert_true(isnan(value(&s, s.near.distance, points[i])));
        assert_true(isnan(value(&s, s.near.point[0], points[i])));
        end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_and_spheres), cmocka_unit_test(far_from_flat_ellipsoids), cmocka_unit_test(other_curves),
        cmocka_unit_test(tapes_agree),         cmocka_unit_test(nothing_to_be_near_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
