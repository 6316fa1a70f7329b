/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing, simplification, dependence, substitution. */
#include "random_expr.h"

static void equal_terms_are_one_node(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"x + y", "y + x"},
        {"x*y", "y*x"},
        {"min(x, y)", "min(y, x)"},
        {"hypot(x, y)", "hypot(y, x)"},
        {"x == y", "y == x"},
        {"x^2", "x*x"},
        {"x - -y", "x + y"},
        {"-(x - y)", "y - x"},
        {"--x", "x"},
        {"x*1", "x"},
        {"x/1", "x"},
        {"x + 0", "x"},
        {"0 - x", "-x"},
        {"x - x", "0"},
        {"x*0", "0"},
        {"0/x", "0"},
        {"x^0", "1"},
        {"x^1", "x"},
        {"x^-1", "1/x"},
        {"x^0.5", "sqrt(x)"},
        {"x + x", "2*x"},
        {"3*x - x", "2*x"},
        {"2*(3*x)", "6*x"},
        {"(2*x)*(0.5*y)", "x*y"},
        {"-x*-y", "x*y"},
        {"x*-y", "-(x*y)"},
        {"x/2", "0.5*x"},
        {"-x/y", "-(x/y)"},
        {"x/-y", "-(x/y)"},
        {"2*x/(4*y)", "0.5*(x/y)"},
        {"sin(-x)", "-sin(x)"},
        {"cos(-x)", "cos(x)"},
        {"abs(-x)", "abs(x)"},
        {"atan(-2*x)", "-atan(2*x)"},
        {"x > y", "y < x"},
        {"x >= y", "y <= x"},
        {"x != y", "not x == y"},
        {"if(1, x, y)", "x"},
        {"if(x, y, y)", "y"},
        {"if(not x < y, x, y)", "if(x < y, y, x)"},
        {"x < x", "0"},
        {"not not x < y", "x < y"},
        {"x < y and 1", "x < y"},
        {"x and 0", "0"},
        {"x or 2", "1"},
        {"pow(x, 3)", "x^3"},
        {"2 + 3*4", "14"},
        {"sin(pi/2)", "1"},
        {"x + -3", "x - 3"},
        {"1 - -2*y", "1 + 2*y"},
    };
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (parse(&f, pairs[i][0]) != parse(&f, pairs[i][1])) stop_with("'%s' and '%s' differ", pairs[i][0], pairs[i][1]);
    assert_true(parse(&f, "x*y/y") != parse(&f, "x")); /* not the same where y = 0 */
    assert_true(parse(&f, "x/3") != parse(&f, "x*(1/3)"));
    fixture_end(&f);
}

static void common_terms_cost_once(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    int before = expr_count(f.graph);
    parse(&f, "sin(x + y)*cos(y + x) + sin(y + x)^2 - cos(x + y)");
    /* x+y, sin, cos, sin*cos, the exponent 2, sin*sin, sum, difference */
    assert_int_equal(expr_count(f.graph) - before, 8);
    expr e = parse(&f, "exp(x*y)*sin(x)/(1 + x^2)"), first = expr_derivative(f.graph, e, X);
    before = expr_count(f.graph);
    assert_int_equal(expr_derivative(f.graph, e, X), first);
    assert_int_equal(expr_count(f.graph), before);
    fixture_end(&f);
}

/* The n-th derivative of a product of n factors stays small only if terms are shared. */
static void derivatives_stay_small(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr product = expr_variable(f.graph, 100);
    for (int i = 1; i < 50; i++) product = expr_binary(f.graph, EXPR_MUL, product, expr_variable(f.graph, 100 + i));
    int before = expr_count(f.graph);
    for (int i = 0; i < 50; i++) assert_true(expr_derivative(f.graph, product, 100 + i) >= 0);
    assert_true(expr_count(f.graph) - before < 50 * 50);
    fixture_end(&f);
}

static void dependence(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr e = parse(&f, "x*sin(phi) + 3");
    assert_true(expr_depends(f.graph, e, X) && expr_depends(f.graph, e, PHI));
    assert_false(expr_depends(f.graph, e, Y) || expr_depends(f.graph, e, X + 64) || expr_depends(f.graph, parse(&f, "0*x"), X));
    assert_true(expr_depends_range(f.graph, e, 1, 3));
    assert_false(expr_depends_range(f.graph, e, 1, 2) || expr_depends_range(f.graph, e, 64, 200) || expr_depends_range(f.graph, e, 0, 0));
    expr far = expr_binary(f.graph, EXPR_MUL, e, expr_variable(f.graph, 64 + Y));
    assert_true(expr_depends(f.graph, far, 64 + Y) && expr_depends_range(f.graph, far, 60, 1000));
    assert_false(expr_depends(f.graph, far, Y));
    assert_true(expr_is_zero(f.graph, expr_derivative(f.graph, far, Y)));
    assert_int_equal(expr_derivative(f.graph, far, 64 + Y), e);
    fixture_end(&f);
}

static void substitution(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr e = parse(&f, "x*sin(phi) + y/x'"), by[2] = {parse(&f, "y^2"), parse(&f, "2")};
    assert_int_equal(expr_substitute(f.graph, e, X, 2, by), parse(&f, "y^2*sin(phi) + 0.5*y"));
    uint64_t seed = 5;
    for (int i = 0; i < 300; i++) { /* e(g(v)) is e at the values g(v) */
        expr tree = random_expr(f.graph, &seed, 4), inner[N_RANDOM];
        double v[N_RANDOM], w[N_RANDOM];
        for (int j = 0; j < N_RANDOM; j++) v[j] = next_double(&seed, -2, 2);
        for (int j = 0; j < N_RANDOM; j++) inner[j] = random_expr(f.graph, &seed, 2);
        for (int j = 0; j < N_RANDOM; j++) w[j] = expr_value(f.graph, inner[j], v);
        double direct = expr_value(f.graph, tree, w);
        double composed = expr_value(f.graph, expr_substitute(f.graph, tree, 0, N_RANDOM, inner), v);
        if (isfinite(direct) && isfinite(composed) && fabs(direct) < 1e6) check_close_relative(composed, direct, 1e-6, 1e-6);
    }
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_terms_are_one_node), cmocka_unit_test(common_terms_cost_once),
                                       cmocka_unit_test(derivatives_stay_small), cmocka_unit_test(dependence),
                                       cmocka_unit_test(substitution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
