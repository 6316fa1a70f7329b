/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives against central differences of eighth order in long double, and at the points where rules give 0/0. */
#include "expr/graph.h"
#include "random_expr.h"

#include <stdio.h>

/* The graph in long double, so that the comparison sees the formula of the derivative and not its rounding. */
static long double apply(expr_op op, long double a, long double b, long double c) {
    switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_NEG: return -a;
    case EXPR_POW: return powl(a, b);
    case EXPR_SIN: return sinl(a);
    case EXPR_COS: return cosl(a);
    case EXPR_TAN: return tanl(a);
    case EXPR_ASIN: return asinl(a);
    case EXPR_ACOS: return acosl(a);
    case EXPR_ATAN: return atanl(a);
    case EXPR_ATAN2: return atan2l(a, b);
    case EXPR_SINH: return sinhl(a);
    case EXPR_COSH: return coshl(a);
    case EXPR_TANH: return tanhl(a);
    case EXPR_EXP: return expl(a);
    case EXPR_LOG: return logl(a);
    case EXPR_SQRT: return sqrtl(a);
    case EXPR_ABS: return fabsl(a);
    case EXPR_SIGN: return (a > 0) - (a < 0);
    case EXPR_MIN: return a < b ? a : b;
    case EXPR_MAX: return a > b ? a : b;
    case EXPR_HYPOT: return hypotl(a, b);
    case EXPR_LESS: return a < b;
    case EXPR_LESS_EQUAL: return a <= b;
    case EXPR_EQUAL: return a == b;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    case EXPR_NOT: return a == 0;
    case EXPR_IF: return a != 0 ? b : c;
    default: return 0;
    }
}

static long double value(const expr_graph *graph, expr e, const long double *variables, long double *cache, bool *have) {
    if (e < 0) return 0;
    if (have[e]) return cache[e];
    const expr_node *n = &graph->nodes[e];
    if (n->op == EXPR_CONSTANT) cache[e] = n->value;
    else if (n->op == EXPR_VARIABLE) cache[e] = variables[n->a];
    else
        cache[e] = apply(n->op, value(graph, n->a, variables, cache, have), value(graph, n->b, variables, cache, have),
                         value(graph, n->c, variables, cache, have));
    have[e] = true;
    return cache[e];
}

/* *finite: whether every term is. */
static long double checked_value(fixture *f, expr e, const long double *variables, bool *finite) {
    long double *cache = test_calloc((size_t)expr_count(f->graph), sizeof *cache);
    bool *have = test_calloc((size_t)expr_count(f->graph), sizeof *have);
    long double result = value(f->graph, e, variables, cache, have);
    *finite = true;
    for (int i = 0; i < expr_count(f->graph); i++) *finite = *finite && (!have[i] || isfinite(cache[i]));
    test_free(cache);
    test_free(have);
    return result;
}

static long double long_value(fixture *f, expr e, const long double *variables) {
    bool finite;
    return checked_value(f, e, variables, &finite);
}

static long double difference(fixture *f, expr e, int variable, const long double *at, long double h) {
    static const long double weights[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    long double v[N_VARIABLES], sum = 0;
    memcpy(v, at, sizeof v);
    for (int i = 0; i < 4; i++) {
        v[variable] = at[variable] + (i + 1) * h;
        long double up = long_value(f, e, v);
        v[variable] = at[variable] - (i + 1) * h;
        sum += weights[i] * (up - long_value(f, e, v));
    }
    return sum / h;
}

/* Whether the point was smooth enough to compare; then |exact - difference| <= 1e-9 of their size. */
static bool compare(fixture *f, expr e, int variable, const long double *at, const char *what) {
    expr d = expr_derivative(f->graph, e, variable);
    assert_true(d >= 0);
    long double exact = long_value(f, d, at);
    long double coarse = difference(f, e, variable, at, 0x1p-9L), fine = difference(f, e, variable, at, 0x1p-10L);
    bool finite; /* tanh(x/0) is finite, but no rule knows its slope */
    long double size = fabsl(fine) + 1e-3L * fabsl(checked_value(f, e, at, &finite)) + 1e-3L;
    if (!finite && !isfinite(exact)) return false;
    if (!isfinite(coarse) || !isfinite(fine) || size > 1e8L || fabsl(coarse - fine) > 1e-10L * size) return false;
    if (!(fabsl(exact - fine) <= 1e-9L * size)) stop_with("%s: derivative %.18Lg, differences %.18Lg", what, exact, fine);
    return true;
}

static void every_function_to_third_order(void **state) {
    (void)state;
    static const char *const formulas[] = {
        "x + y",
        "x - y",
        "x*y",
        "x/y",
        "-x",
        "x^y",
        "x^2",
        "x^3",
        "x^7",
        "x^-1",
        "x^-3",
        "x^0.5",
        "x^1.5",
        "x^-2.5",
        "x^0.3",
        "x^pi",
        "2^x",
        "(x*y)^(x + y)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x/2)",
        "acos(x/2)",
        "atan(x)",
        "atan2(x, y)",
        "atan2(-x, x*y - 3)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "exp(x)",
        "log(x)",
        "sqrt(x)",
        "sqrt(x^2 + y^2)",
        "abs(x - 3)*x^3",
        "sign(x - 2)*x^3",
        "min(x^2, y)",
        "max(x^2, y)",
        "hypot(x, y)",
        "hypot(x*y, 1)",
        "if(x < y, x^3, y^3*x)",
        "if(x > y, x^3, y^3*x)",
        "exp(sin(x*y))/(1 + x^2)",
        "x'^2*cos(phi)*x + sqrt(1 + x*x')",
    };
    fixture f;
    fixture_start(&f);
    const long double at[N_VARIABLES] = {[X] = 0.8125L, [X_PRIME] = 1.5L, [Y] = 1.375L, [PHI] = 0.25L, [T] = 2};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        expr e = parse(&f, formulas[i]);
        for (int v = 0; v < N_VARIABLES; v++) {
            assert_true(compare(&f, e, v, at, formulas[i]));
            expr first = expr_derivative(f.graph, e, v);
            for (int w = 0; w < N_VARIABLES; w++) {
                assert_true(compare(&f, first, w, at, formulas[i]));
                expr second = expr_derivative(f.graph, first, w);
                for (int u = 0; u < N_VARIABLES; u++) assert_true(compare(&f, second, u, at, formulas[i]));
            }
        }
    }
    fixture_end(&f);
}

static void random_trees(void **state) {
    (void)state;
    uint64_t seed = 20;
    int compared = 0, tried = 0;
    for (int i = 0; i < 1500; i++) {
        fixture f;
        fixture_start(&f);
        expr e = random_expr(f.graph, &seed, 4);
        long double at[N_VARIABLES] = {0};
        for (int v = 0; v < N_RANDOM; v++) at[v] = next_double(&seed, -2, 2);
        char what[64];
        for (int order = 1; order <= 3; order++) {
            int v = next_int(&seed, N_RANDOM);
            snprintf(what, sizeof what, "tree %d, order %d, variable %d", i, order, v);
            if (expr_is_constant(f.graph, e, NULL)) break;
            tried++;
            compared += compare(&f, e, v, at, what);
            e = expr_derivative(f.graph, e, v);
        }
        fixture_end(&f);
    }
    assert_true(compared > 1000 && 3 * compared > tried);
}

static void values_where_rules_meet_zero(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int variable, order;
        double x, y, value;
    } cases[] = {
        {"x^2", X, 1, 0, 0, 0},
        {"x^2", X, 2, 0, 0, 2},
        {"x^2", X, 3, 0, 0, 0},
        {"x^3", X, 2, 0, 0, 0},
        {"x^1.5", X, 1, 0, 0, 0},
        {"x^-1", X, 1, 2, 0, -0.25},
        {"x^0.5", X, 1, 4, 0, 0.25},
        {"sqrt(x)", X, 1, 0, 0, INFINITY},
        {"x^0.25", X, 1, 0, 0, INFINITY},
        {"sqrt(x^2)", X, 1, 0, 0, 0},
        {"sqrt(x^2 + y^2)", X, 1, 0, 0, 0},
        {"sqrt(x^2 + y^2)", X, 2, 0, 0, 0},
        {"sqrt(x^2 + y^2)", X, 1, 3, 4, 0.6},
        {"sqrt(1 + x^2)", X, 2, 0, 0, 1},
        {"sqrt(y + x^2)", X, 2, 0, 1, 1},
        {"(x^2 + y^2)^0.25", X, 1, 0, 0, 0},
        {"(x^2 + y^2)^1.5", X, 2, 0, 0, 0},
        {"hypot(x, y)", X, 1, 0, 0, 0},
        {"hypot(x, y)", X, 2, 0, 0, 0},
        {"hypot(x, y)", X, 2, 0, 2, 0.5},
        {"hypot(x, 1)", X, 2, 0, 0, 1},
        {"abs(x)", X, 1, 0, 0, 0},
        {"abs(x)", X, 1, -2, 0, -1},
        {"abs(x)", X, 2, 0, 0, 0},
        {"sign(x)", X, 1, 0, 0, 0},
        {"x^y", X, 1, 0, 2, 0},
        {"x^y", Y, 1, 0, 2, 0},
        {"x^y", X, 1, 0, 1, 1},
        {"x^y", X, 1, 0, 0, 0},
        {"x^y", X, 1, -3, 2, -6},
        {"x^y", X, 2, -3, 2, 2},
        {"0^x", X, 1, 2, 0, 0},
        {"acos(min(x, 1))", X, 1, 1.5, 0, 0},
        {"asin(max(-1, min(x, 1)))", X, 2, -1.5, 0, 0},
        {"max(x, 0)^y", X, 1, -1, 0.5, 0},
        {"asin(x)", X, 1, 1, 0, INFINITY},
        {"atan2(x, y)", X, 1, 0, 2, 0.5},
        {"atan2(max(x, 0), max(y, 0))", X, 1, -1, -1, 0},
        {"x^max(y, 3)", Y, 1, -2, 1, 0},
        {"x^max(y, 3)", X, 1, -2, 1, 12},
        {"min(x, y)", X, 1, 1, 2, 1},
        {"min(x, y)", X, 1, 3, 2, 0},
        {"max(x, y)", X, 1, 3, 2, 1},
        {"x*abs(x)", X, 1, 0, 0, 0},
        {"if(x > 0, log(x), 2*x)", X, 1, -1, 0, 2},
        {"if(x > 0, sqrt(x), 0)", X, 1, -1, 0, 0},
        {"if(x > 0, sqrt(x), 0)", X, 2, 0, 0, 0},
        {"if(x == 0, 1, sin(x)/x)", X, 1, 0, 0, 0},
        {"x*if(y > 0, log(y), y)", Y, 1, 3, -1, 3},
        {"y/x", X, 1, 2, 0, 0},
    };
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expr e = parse(&f, cases[i].text);
        for (int order = 0; order < cases[i].order; order++) e = expr_derivative(f.graph, e, cases[i].variable);
        double at[N_VARIABLES] = {[X] = cases[i].x, [Y] = cases[i].y};
        double v = expr_value(f.graph, e, at);
        if (!(v == cases[i].value || fabs(v - cases[i].value) < 1e-15))
            stop_with("derivative %d of %s at (%g, %g): %.17g, expected %.17g", cases[i].order, cases[i].text, at[X], at[Y], v,
                      cases[i].value);
    }
    fixture_end(&f);
}

/* Mechanics: the mass matrix of a spring pendulum is the Hessian of T, and comes out as simple as by hand. */
static void hessian_of_kinetic_energy(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr_name names[] = {{"l", expr_variable(f.graph, 0)},
                         {"l'", expr_variable(f.graph, 1)},
                         {"phi'", expr_variable(f.graph, 2)},
                         {"m", expr_variable(f.graph, 3)}};
    f.scope = (expr_scope){.count = 4, .names = names};
    expr kinetic = parse(&f, "m/2*(l'^2 + l^2*phi'^2)");
    expr by_l = expr_derivative(f.graph, kinetic, 1), by_phi = expr_derivative(f.graph, kinetic, 2);
    assert_int_equal(expr_derivative(f.graph, by_l, 1), parse(&f, "m"));
    assert_true(expr_is_zero(f.graph, expr_derivative(f.graph, by_l, 2)));
    assert_true(expr_is_zero(f.graph, expr_derivative(f.graph, by_phi, 1)));
    expr mass = expr_derivative(f.graph, by_phi, 2);
    assert_int_equal(mass, parse(&f, "m*l^2"));
    fixture_end(&f);
}

/* A derivative that was set is the one that is returned, also inside others and for second derivatives. */
static void told_derivatives_are_taken(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr e = parse(&f, "(x + y)^2*sin(x)/sin(x)"), told = parse(&f, "2*(x + y)");
    assert_true(expr_keep_derivative(f.graph, e, X, told));
    assert_int_equal(expr_derivative(f.graph, e, X), told);
    expr around = expr_derivative(f.graph, expr_binary(f.graph, EXPR_MUL, e, parse(&f, "3")), X);
    const double at[N_VARIABLES] = {[X] = 0.5, [Y] = 0.25};
    check_close(expr_value(f.graph, around, at), 4.5, 1e-15);
    check_close(expr_value(f.graph, expr_derivative(f.graph, around, Y), at), 6, 1e-15);
    check_close(expr_value(f.graph, expr_derivative(f.graph, e, Y), at), 1.5, 1e-14); /* this one by the rules */
    assert_false(expr_keep_derivative(f.graph, EXPR_NONE, X, told));
    assert_false(expr_keep_derivative(f.graph, e, X, EXPR_NONE));
    fixture_end(&f);
}

/* Sums of random terms, in parentheses at random: the gradient has the derivatives node by node, and is zero where a variable is not in
 * it. */
static void gradients_are_derivatives(void **state) {
    (void)state;
    uint64_t seed = 11;
    int sums = 0;
    for (int i = 0; i < 300; i++) {
        fixture f;
        fixture_start(&f);
        expr sum = random_expr(f.graph, &seed, 2);
        for (int k = next_int(&seed, 12); k > 0; k--) {
            expr term = random_expr(f.graph, &seed, 3);
            if (next_int(&seed, 4) == 0) term = expr_binary(f.graph, EXPR_ADD, term, random_expr(f.graph, &seed, 2));
            bool first = next_int(&seed, 3) == 0;
            sum = expr_binary(f.graph, next_int(&seed, 2) ? EXPR_ADD : EXPR_SUB, first ? term : sum, first ? sum : term);
        }
        expr g[N_RANDOM + 1];
        int list[N_RANDOM + 1], n = expr_variables(f.graph, 1, &sum, 0, N_RANDOM + 1, list);
        assert_true(expr_gradient(f.graph, sum, 0, N_RANDOM + 1, g));
        for (int v = 0, k = 0; v <= N_RANDOM; v++) {
            assert_int_equal(g[v], expr_derivative(f.graph, sum, v));
            bool listed = k < n && list[k] == v;
            assert_int_equal(listed, expr_depends(f.graph, sum, v));
            if (listed) k++;
            if (!listed) assert_true(expr_is_zero(f.graph, g[v]));
        }
        sums += n > 1;
        fixture_end(&f);
    }
    assert_true(sums > 100);
}

/* Along a motion with v_i' = rate_i an expression has the rate sum (de/dv_i) rate_i; a variable without a rate rests. One motion is not
 * another. */
static void motions_are_sums_of_derivatives(void **state) {
    (void)state;
    uint64_t seed = 31;
    int moved = 0;
    for (int round = 0; round < 300; round++) {
        fixture f;
        fixture_start(&f);
        const int which = EXPR_MOTION_OF(round % EXPR_MOTIONS), other = EXPR_MOTION_OF((round + 1) % EXPR_MOTIONS);
        expr rate[N_RANDOM], e = random_expr(f.graph, &seed, 5), sum = expr_constant(f.graph, 0);
        for (int i = 0; i < N_RANDOM; i++) {
            rate[i] = i == 0 ? expr_constant(f.graph, 0) : random_expr(f.graph, &seed, 2);
            if (i > 0) assert_true(expr_keep_derivative(f.graph, expr_variable(f.graph, i), which, rate[i]));
            sum = expr_binary(f.graph, EXPR_ADD, sum, expr_binary(f.graph, EXPR_MUL, expr_derivative(f.graph, e, i), rate[i]));
        }
        expr motion = expr_derivative(f.graph, e, which);
        assert_true(motion >= 0);
        assert_true(expr_is_zero(f.graph, expr_derivative(f.graph, e, other)));
        for (int point = 0; point < 5; point++) {
            double v[N_RANDOM], size = 0;
            for (int i = 0; i < N_RANDOM; i++) v[i] = next_double(&seed, -2, 2);
            for (int i = 0; i < N_RANDOM; i++)
                size += fabs(expr_value(f.graph, expr_derivative(f.graph, e, i), v) * expr_value(f.graph, rate[i], v));
            double expected = expr_value(f.graph, sum, v), found = expr_value(f.graph, motion, v);
            if (!isfinite(size) || !isfinite(expected) || size > 1e6) continue;
            if (!(fabs(found - expected) <= 1e-9 * (1 + size))) stop_with("%.17g instead of %.17g", found, expected);
            moved += expected != 0;
        }
        fixture_end(&f);
    }
    assert_true(moved > 200);
}

/* A rotation that turns with omega: its columns tell their rates, and what is made of them is short and right. */
static void told_motions_are_taken(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr c = parse(&f, "cos(x)"), s = parse(&f, "sin(x)"), omega = parse(&f, "y");
    assert_true(expr_keep_derivative(f.graph, parse(&f, "x"), EXPR_MOTION, omega));
    assert_true(expr_keep_derivative(f.graph, c, EXPR_MOTION, expr_unary(f.graph, EXPR_NEG, expr_binary(f.graph, EXPR_MUL, omega, s))));
    expr point = parse(&f, "3*cos(x) + 2*sin(x)"), rate = expr_derivative(f.graph, point, EXPR_MOTION);
    double v[N_VARIABLES] = {[X] = 0.7, [Y] = 1.3};
    assert_true(fabs(expr_value(f.graph, rate, v) - 1.3 * (2 * cos(0.7) - 3 * sin(0.7))) < 1e-14);
    assert_int_equal(expr_derivative(f.graph, c, EXPR_MOTION), expr_unary(f.graph, EXPR_NEG, expr_binary(f.graph, EXPR_MUL, omega, s)));
    assert_true(expr_is_zero(f.graph, expr_derivative(f.graph, parse(&f, "phi"), EXPR_MOTION)));
    assert_false(expr_keep_derivative(f.graph, EXPR_NONE, EXPR_MOTION, c));
    assert_false(expr_keep_derivative(f.graph, c, EXPR_MOTION + 1, c));
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function_to_third_order),   cmocka_unit_test(random_trees),
                                       cmocka_unit_test(values_where_rules_meet_zero),    cmocka_unit_test(hessian_of_kinetic_energy),
                                       cmocka_unit_test(told_derivatives_are_taken),      cmocka_unit_test(gradients_are_derivatives),
                                       cmocka_unit_test(motions_are_sums_of_derivatives), cmocka_unit_test(told_motions_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
