/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, floor and mod: values, exact derivatives, graph and tape alike. */
#include "fixture.h"

static expr_table *make(fixture *f, int n, const double *x, const double *y, bool cubic, bool periodic) {
    expr_table *table = NULL;
    expr_table_def def = {n, x, y, cubic, periodic};
    assert_int_equal(expr_table_create(f->context, &def, &table), ZN_OK);
    return table;
}

/* A cubic through points of a cubic is that cubic, whatever the distances; derivatives too, to the third. */
static void test_cubic_is_met(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    const double x[] = {-2, -1.5, 0.3, 0.4, 2, 5, 5.5};
    for (int n = 2; n <= 7; n++) {
        double y[7], c[4] = {3, -2, n > 2 ? 0.5 : 0, n > 3 ? 0.25 : 0};
        for (int i = 0; i < n; i++) y[i] = c[0] + x[i] * (c[1] + x[i] * (c[2] + x[i] * c[3]));
        expr_table *t = make(&f, n, x, y, true, false);
        for (double at = x[0]; at < x[n - 1]; at += 0.0371) {
            check_close(expr_table_value(t, 0, at), c[0] + at * (c[1] + at * (c[2] + at * c[3])), 1e-12);
            check_close(expr_table_value(t, 1, at), c[1] + at * (2 * c[2] + at * 3 * c[3]), 1e-11);
            check_close(expr_table_value(t, 2, at), 2 * c[2] + 6 * at * c[3], 1e-10);
            check_close(expr_table_value(t, 3, at), 6 * c[3], 1e-9);
        }
        check_close(expr_table_value(t, 0, x[0] - 10), y[0], 0);
        check_close(expr_table_value(t, 0, x[n - 1] + 10), y[n - 1], 0);
        check_close(expr_table_value(t, 1, x[n - 1] + 10), 0, 0);
        assert_true(isnan(expr_table_value(t, 0, NAN)));
        expr_table_release(f.context, t);
    }
    fixture_end(&f);
}

/* Value, slope and bend go on over every point, and over the seam of a ring. */
static void test_spline_is_smooth(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    for (int n = 3; n <= 9; n++)
        for (int ring = 0; ring < 2; ring++) {
            double x[9], y[9];
            for (int i = 0; i < n; i++) x[i] = i + 0.3 * sin(5 * i), y[i] = cos(3 * i);
            if (ring) y[n - 1] = y[0];
            expr_table *t = make(&f, n, x, y, true, ring);
            const double e = 1e-7;
            for (int i = ring ? 0 : 1; i < n - !ring; i++)
                for (int order = 0; order < 3; order++)
                    check_close(expr_table_value(t, order, x[i] + e), expr_table_value(t, order, x[i] - e), 2e-5);
            if (ring) check_close(expr_table_value(t, 0, x[1] + 7 * (x[n - 1] - x[0])), y[1], 1e-9);
            for (int i = 0; i < n; i++) check_close(expr_table_value(t, 0, x[i]), y[i], 1e-12);
            expr_table_release(f.context, t);
        }
    fixture_end(&f);
}

/* The spline of sin with n points is off by O(h^4), that of straight lines by O(h^2). */
static void test_accuracy(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    double error[2][2] = {{0}};
    for (int cubic = 0; cubic < 2; cubic++)
        for (int fine = 0; fine < 2; fine++) {
            double x[41], y[41];
            int n = fine ? 41 : 21;
            for (int i = 0; i < n; i++) x[i] = 6.2831853071795864769 * i / (n - 1), y[i] = i + 1 < n ? sin(x[i]) : 0;
            expr_table *t = make(&f, n, x, y, cubic, true);
            for (double at = 0; at < 6.2; at += 0.01)
                error[cubic][fine] = fmax(error[cubic][fine], fabs(expr_table_value(t, 0, at) - sin(at)));
            expr_table_release(f.context, t);
        }
    check_close(error[0][0] / error[0][1], 4, 0.3);
    check_close(error[1][0] / error[1][1], 16, 1.5);
    fixture_end(&f);
}

static void test_formulas(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    const double x[] = {0, 1, 2.5, 4}, y[] = {1, -1, 2, 0.5};
    expr_table_name tables[] = {{"cam", make(&f, 4, x, y, true, false)}, {"line", make(&f, 4, x, y, false, false)}};
    f.scope.n_tables = 2, f.scope.tables = tables;
    static const char *const texts[] = {"table(cam, x)",
                                        "x*table(cam, y^2 + x)",
                                        "sin(table(line, x*y))",
                                        "table(cam, table(line, x))",
                                        "mod(x*y, 0.7)*y",
                                        "floor(3*x) + x^2",
                                        "mod(-x, y)",
                                        "pow(x, 3)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        expr e = parse(&f, texts[k]),
             d[3] = {e, expr_derivative(f.graph, e, X), expr_derivative(f.graph, expr_derivative(f.graph, e, X), Y)};
        expr_section section = {3, d};
        expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 1, &section);
        assert_non_null(tape);
        double registers[200], v[N_VARIABLES] = {0.83, 0, 1.21, 0, 0}, got[3], *results[] = {got};
        assert_true(expr_tape_registers(tape) <= 200);
        expr_tape_run(tape, registers, v, 1, results);
        for (int i = 0; i < 3; i++) check_close(got[i], expr_value(f.graph, d[i], v), 0);
        const double h = 1e-6;
        double right[] = {v[0] + h, 0, v[2], 0, 0}, left[] = {v[0] - h, 0, v[2], 0, 0};
        check_close(got[1], (expr_value(f.graph, e, right) - expr_value(f.graph, e, left)) / (2 * h), 1e-7);
        expr_tape_destroy(f.context, tape);
    }
    check_close(expr_value(f.graph, parse(&f, "mod(-1, 3)"), NULL), 2, 0);
    check_close(expr_value(f.graph, parse(&f, "mod(1, -3)"), NULL), -2, 0);
    check_close(expr_value(f.graph, parse(&f, "floor(-0.5)"), NULL), -1, 0);
    check_close(expr_value(f.graph, parse(&f, "table(line, 1.75)"), NULL), 0.5, 1e-15);
    expr by = expr_constant(f.graph, 1.75);
    check_close(expr_value(f.graph, expr_substitute(f.graph, parse(&f, "table(line, x)"), X, 1, &by), NULL), 0.5, 1e-15);
    static const struct {
        const char *text, *expected;
    } wrong[] = {{"table(can, x)", "did you mean 'cam'"},
                 {"table(nothing, x)", "there is no table 'nothing'"},
                 {"table(3, x)", "begins with its name"},
                 {"table(cam)", "needs the place"},
                 {"table(cam, x", ""},
                 {"table()", "begins with its name"},
                 {"table(cam, x, y)", ""},
                 {"floor(x, y)", "takes 1 argument"},
                 {"mod(x)", "takes 2 arguments"},
                 {"table", "is a function"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        expr e;
        zn_error_clear(f.context);
        assert_int_equal(expr_parse(f.graph, f.context, &f.scope, ZN_FORMULA(wrong[k].text), &e), ZN_ERROR_SYNTAX);
        if (!strstr(zn_error_text(f.context), wrong[k].expected)) stop_with("%s: %s", wrong[k].text, zn_error_text(f.context));
    }
    for (int i = 0; i < 2; i++) expr_table_release(f.context, tables[i].table);
    fixture_end(&f);
}

static void test_wrong_points(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    const double x[] = {0, 1, 1, 2}, y[] = {0, 1, NAN, 5}, up[] = {0, 1, 2, 3};
    const expr_table_def wrong[] = {{1, up, up, false, false},
                                    {0, up, up, true, false},
                                    {-1, up, up, true, false},
                                    {4, x, up, true, false},
                                    {4, up, y, true, false},
                                    {4, up, up, false, true},
                                    {EXPR_TABLE_MOST + 1, up, up, false, false}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expr_table *t;
        assert_int_equal(expr_table_create(f.context, &wrong[i], &t), ZN_ERROR_ARGUMENT);
        assert_null(t);
    }
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cubic_is_met), cmocka_unit_test(test_spline_is_smooth),
                                       cmocka_unit_test(test_accuracy), cmocka_unit_test(test_formulas),
                                       cmocka_unit_test(test_wrong_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
