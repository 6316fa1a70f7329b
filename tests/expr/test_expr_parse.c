/* SPDX-License-Identifier: Apache-2.0 */
/* What formulas mean, and what is said about wrong ones. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

static const double at[N_VARIABLES] = {[X] = 3, [X_PRIME] = 5, [Y] = 7, [PHI] = 0.25, [T] = 2};

static void precedence_and_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"-x^2", -9},
        {"(-x)^2", 9},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"2^-x^2", 1.0 / 512},
        {"100/10/5", 2},
        {"10 - 4 - 3", 3},
        {"2*x/y", 6.0 / 7},
        {"x/2*y", 10.5},
        {"- - x", 3},
        {"+x", 3},
        {"-x*-y", 21},
        {"x--y", 10},
        {"1e-3", 1e-3},
        {"1.5", 1.5},
        {".5", 0.5},
        {"2.", 2},
        {"1E+2", 100},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"123456789.123456789e-5", 123456789.123456789e-5},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1e-400", 0},
        {"0.000000e999999999999", 0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"x'", 5},
        {"x'^2", 25},
        {"x*x'", 15},
        {"t", 2},
        {"pi", 3.14159265358979323846},
        {"2*pi*t", 4 * 3.14159265358979323846},
        {"x < y", 1},
        {"x > y", 0},
        {"x <= 3", 1},
        {"x >= 4", 0},
        {"x == 3", 1},
        {"x != 3", 0},
        {"x + 1 < y - 2", 1},
        {"not x < y", 0},
        {"not not x", 1},
        {"x < y and y < x", 0},
        {"x < y or y < x and 0", 1},
        {"not 0 and 0", 0},
        {"1 or 1 and 0", 1},
        {"(1 or 1) and 0", 0},
        {"if(x < y, 10, 20)", 10},
        {"if(x > y, 10, 20)", 20},
        {"if(x > y, log(-1), 20)", 20},
        {"min(x, y)", 3},
        {"max(x, y)", 7},
        {"min(5, x, 4, y)", 3},
        {"max(1, 2, y, 4)", 7},
        {"hypot(3, 4)", 5},
        {"hypot(2, x, 6)", 7},
        {"pow(x, 4)", 81},
        {"pow(-x, 3)", -27},
        {"atan2(0, -1)", 3.14159265358979323846},
        {"abs(-x)", 3},
        {"sign(-x)", -1},
        {"sign(x - 3)", 0},
        {"sqrt(x*3)", 3},
        {"exp(0)", 1},
        {"log(exp(x))", 3},
        {"(x)^(2)", 9},
        {"x ^ 0", 1},
        {"x^1", 3},
        {" \t x \n + \r\n y ", 10},
        {"0.25*((x))", 0.75},
        {"4^0.5", 2},
        {"4^1.5", 8},
        {"4^-1.5", 0.125},
        {"x^-2", 1.0 / 9},
        {"(-8)^3", -512},
    };
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = expr_value(f.graph, parse(&f, cases[i].text), at);
        if (!(fabs(value - cases[i].value) <= 2e-15 * fabs(cases[i].value)))
            stop_with("'%s' = %.17g, expected %.17g", cases[i].text, value, cases[i].value);
    }
    assert_true(isinf(expr_value(f.graph, parse(&f, "1/0"), at)));
    assert_true(isnan(expr_value(f.graph, parse(&f, "0/0*x"), at)));
    assert_true(isinf(expr_value(f.graph, parse(&f, "x/0"), at)));
    assert_true(isnan(expr_value(f.graph, parse(&f, "0*(1/0)"), at)));
    assert_true(expr_is_zero(f.graph, parse(&f, "0*x")));
    fixture_end(&f);
}

/* Digits beyond what a double holds, and points anywhere, as strtod reads them. */
static void numbers_are_rounded_correctly(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    uint64_t seed = 3;
    for (int i = 0; i < 2000; i++) {
        char text[64];
        double value = ldexp(next_double(&seed, 1, 2), next_int(&seed, 2000) - 1000);
        snprintf(text, sizeof text, i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.25e" : "%.17E", value);
        double read = expr_value(f.graph, parse(&f, text), at);
        assert_true(read == value);
    }
    fixture_end(&f);
}

static void wrong_formulas(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line, column;     /* of a formula that starts at 10:5 */
        const char *parts[2]; /* must be in the message */
    } cases[] = {
        {"phii + 1", 10, 5, {"unknown name 'phii'", "did you mean 'phi'?"}},
        {"1 + x''", 10, 9, {"'x'''", "'x''"}},
        {"2*\n  hpi", 11, 3, {"'hpi'", "'phi'"}},
        {"qqqqq", 10, 5, {"'qqqqq'", "known names are x, x', y, phi, t, pi"}},
        {"x + sine(y)", 10, 9, {"unknown function 'sine'", "'sin'"}},
        {"ln(x)", 10, 5, {"'ln'", "'log'"}},
        {"sqr(x)", 10, 5, {"'sqr'", "'sqrt'"}},
        {"bessel(x)", 10, 5, {"'bessel'", "known are sin"}},
        {"x**2", 10, 6, {"'**'", "^"}},
        {"x y", 10, 7, {"missing operator between 'x' and 'y'", "*"}},
        {"2x", 10, 6, {"between '2' and 'x'", "*"}},
        {"2 (x)", 10, 7, {"between '2' and '('", "*"}},
        {"(x)(y)", 10, 8, {"between ')' and '('", "*"}},
        {"x(y)", 10, 5, {"'x' is not a function", "x*(...)"}},
        {"1.5.2", 10, 8, {"between '1.5' and '.2'", ""}},
        {"sin", 10, 5, {"'sin' is a function", "sin(...)"}},
        {"sin()", 10, 5, {"'sin' takes 1 argument", "0"}},
        {"sin(x, y)", 10, 5, {"'sin' takes 1 argument", "2"}},
        {"atan2(x)", 10, 5, {"'atan2' takes 2 arguments", "atan2(y, x)"}},
        {"min(x)", 10, 5, {"'min' takes at least 2", "1"}},
        {"if(x, y)", 10, 5, {"'if' takes 3", "if(condition, a, b)"}},
        {"if(1,2,3,4,5,6)", 10, 5, {"'if' takes 3", "6"}},
        {"x = 3", 10, 7, {"'='", "=="}},
        {"x < y < 3", 10, 11, {"'<'", "a < b and b < c"}},
        {"x == y == 3", 10, 12, {"'=='", "a < b and b < c"}},
        {"x =< y", 10, 7, {"'=<'", "<="}},
        {"x && y", 10, 7, {"'&&'", "and"}},
        {"!x", 10, 5, {"'!'", "not"}},
        {"x +", 10, 8, {"ends after '+'", "value"}},
        {"x + * y", 10, 9, {"'*' after '+'", "value"}},
        {"* y", 10, 5, {"'*' at the start", ""}},
        {"", 10, 5, {"empty", "0"}},
        {"  \n ", 11, 2, {"empty", "0"}},
        {"()", 10, 6, {"')' after '('", "value"}},
        {"(x + y", 10, 11, {"missing ')' after 'y'", "line 10, column 5"}},
        {"sin(x", 10, 10, {"missing ')'", "line 10, column 8"}},
        {"x + y)", 10, 10, {"')'", "no '('"}},
        {"1,5", 10, 6, {"','", "decimal point"}},
        {"x, y", 10, 6, {"','", "arguments"}},
        {"x # y", 10, 7, {"'#'", "formulas are made of"}},
        {"x \xc2\xb7 y", 10, 7, {"'\xc2\xb7'", "*"}},
        {"\xc3\xa4 + $", 10, 5, {"'\xc3\xa4'", "letters"}},
        {"x\xc2\xb2", 10, 6, {"'\xc2\xb2'", "^2"}},
        {"x \xff", 10, 7, {"'\\xff'", ""}},
        {"x \x01", 10, 7, {"'\\x01'", ""}},
        {"1e400", 10, 5, {"'1e400'", "too large"}},
        {"x '", 10, 7, {"'''", "prime"}},
        {"x not y", 10, 7, {"'not' after 'x'", ""}},
        {"y + ppi*x", 10, 9, {"'ppi'", "'p"}},
        {"\xcf\x80", 10, 5, {"'\xcf\x80'", "pi"}},
    };
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expr out = 0;
        zn_formula formula = {cases[i].text, "scene.yaml", 10, 5};
        assert_int_equal(expr_parse(f.graph, f.context, &f.scope, formula, &out), ZN_ERROR_SYNTAX);
        assert_int_equal(out, EXPR_NONE);
        assert_int_equal(zn_error_count(f.context), 1);
        const zn_error *error = zn_error_get(f.context, 0);
        assert_string_equal(error->file, "scene.yaml");
        if (error->line != cases[i].line || error->column != cases[i].column || !strstr(error->message, cases[i].parts[0]) ||
            !strstr(error->message, cases[i].parts[1]))
            stop_with("'%s': %d:%d: %s", cases[i].text, error->line, error->column, error->message);
        zn_error_clear(f.context);
    }
    fixture_end(&f);
}

static char *repeated(const char *piece, int count, const char *end) {
    char *text = malloc(strlen(piece) * (size_t)count + strlen(end) + 1), *to = text;
    assert_non_null(text);
    for (int i = 0; i < count; i++) to += sprintf(to, "%s", piece);
    sprintf(to, "%s", end);
    return text;
}

static void depth_and_length_are_limited(void **state) {
    (void)state;
    static const struct {
        const char *piece;
        int count;
        const char *end;
        zn_status status;
    } cases[] = {{"(", 5000, "x", ZN_ERROR_SYNTAX},   {"-", 50000, "x", ZN_ERROR_SYNTAX},      {"not ", 20000, "x", ZN_ERROR_SYNTAX},
                 {"x^", 20000, "x", ZN_ERROR_SYNTAX}, {"sin(", 20000, "x", ZN_ERROR_SYNTAX},   {"x + sin(x)*y - ", 5000, "x", ZN_OK},
                 {"x*", 40000, "x", ZN_OK},           {"x + y", 100000, "x", ZN_ERROR_SYNTAX}, {"-", 100, "x", ZN_OK}};
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].piece, cases[i].count, cases[i].end);
        expr out;
        assert_int_equal(expr_parse(f.graph, f.context, &f.scope, ZN_FORMULA(text), &out), cases[i].status);
        free(text);
    }
    expr deep = parse(&f, "x");
    for (int i = 0; i < 100000; i++) deep = expr_unary(f.graph, EXPR_SIN, expr_binary(f.graph, EXPR_ADD, deep, parse(&f, "y")));
    assert_true(expr_derivative(f.graph, deep, X) >= 0); /* no recursion into the graph */
    fixture_end(&f);
}

/* Pieces of formulas in any order, and any bytes: an answer or an error at a place inside the text. */
static void random_texts_never_crash(void **state) {
    (void)state;
    static const char *const pieces[] = {"x",    "x'",   "phi", "1", ".5", "1e", "+",    "-",    "*",      "/",
                                         "^",    "(",    ")",   ",", "<",  "==", "if(",  "sin(", "min(",   "and",
                                         " or ", "not ", "\n",  " ", "pi", "'",  "\xc3", "&&",   "hypot(", "0"};
    fixture f;
    fixture_start(&f);
    uint64_t seed = 11;
    int good = 0;
    for (int i = 0; i < 20000; i++) {
        char text[256] = "";
        size_t length = 0;
        int n = next_int(&seed, 14);
        for (int j = 0; j < n; j++) {
            if (i % 2) {
                text[length++] = (char)(1 + next_int(&seed, 255));
            } else {
                const char *piece = pieces[next_int(&seed, (int)(sizeof pieces / sizeof *pieces))];
                memcpy(text + length, piece, strlen(piece));
                length += strlen(piece);
            }
        }
        text[length] = 0;
        expr out;
        zn_status status = expr_parse(f.graph, f.context, &f.scope, ZN_FORMULA(text), &out);
        if (status == ZN_OK) {
            good++;
            expr_value(f.graph, expr_derivative(f.graph, out, X), at);
        } else {
            assert_int_equal(status, ZN_ERROR_SYNTAX);
            const zn_error *error = zn_error_get(f.context, 0);
            assert_true(error->line >= 1 && error->column >= 1 && error->column <= (int)length + 1);
            zn_error_clear(f.context);
        }
    }
    assert_true(good > 100);
    fixture_end(&f);
}

static void long_numbers_and_scopes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    char *text = repeated("3", 600, "e-600");
    check_near(expr_value(f.graph, parse(&f, text), at), 1.0 / 3, 1e-15);
    free(text);
    text = repeated("0.", 1, "");
    char *small = repeated("0", 300, "25e300");
    char joined[400];
    snprintf(joined, sizeof joined, "%s%s", text, small);
    check_near(expr_value(f.graph, parse(&f, joined), at), 0.25, 1e-15);
    free(text);
    free(small);
    expr_name names[40];
    for (int i = 0; i < 40; i++) names[i] = (expr_name){"parameter", parse(&f, "x")};
    expr out;
    assert_int_equal(expr_parse(f.graph, f.context, &(expr_scope){.count = 40, .names = names}, ZN_FORMULA("1 + y"), &out),
                     ZN_ERROR_SYNTAX);
    const zn_error *error = zn_error_get(f.context, 0);
    assert_true(error->line == 1 && error->column == 5 && !error->file); /* without a place: within the text */
    assert_non_null(strstr(error->message, "parameter, ..."));
    fixture_end(&f);
}

static const char *get_name(const void *user, int i) { return ((const char *const *)user)[i]; }

static void names(void **state) {
    (void)state;
    assert_true(expr_name_is_valid("x") && expr_name_is_valid("_a1") && expr_name_is_valid("sinus"));
    assert_true(expr_name_is_valid("floor") && expr_name_is_valid("table") && expr_name_is_valid("mod")); /* of bodies, mostly */
    assert_false(expr_name_is_valid("") || expr_name_is_valid("1a") || expr_name_is_valid("x'") || expr_name_is_valid("a b"));
    assert_false(expr_name_is_valid("sin") || expr_name_is_valid("pi") || expr_name_is_valid("t") || expr_name_is_valid("if"));
    assert_false(expr_name_is_valid("and") || expr_name_is_valid("\xc3\xa4") || expr_name_is_valid("x\xc3\xa4"));
    static const char *const list[] = {"stiffness", "mass", "length", "l0"};
    assert_string_equal(expr_nearest_name("stifness", 4, get_name, list), "stiffness");
    assert_string_equal(expr_nearest_name("Mass", 4, get_name, list), "mass");
    assert_string_equal(expr_nearest_name("lenght", 4, get_name, list), "length");
    assert_string_equal(expr_nearest_name("L0", 4, get_name, list), "l0");
    assert_null(expr_nearest_name("damping", 4, get_name, list));
    assert_null(expr_nearest_name("x", 4, get_name, list));
}

/* Sums of any length, with signs: those of whole numbers are exact, and each term keeps its sign and its derivative. */
static void long_sums(void **state) {
    (void)state;
    static const char *const operand[] = {"x", "y", "t", "phi*x'"};
    const int variable[] = {X, Y, T, PHI};
    uint64_t seed = 5;
    for (int terms = 1; terms <= 60; terms++) {
        fixture f;
        fixture_start(&f);
        char text[2000] = "";
        double value = 0, slope[4] = {0}, v[N_VARIABLES] = {[X] = 3, [X_PRIME] = 5, [Y] = 7, [PHI] = 11, [T] = 2};
        const double size[] = {3, 7, 2, 55}, factor[] = {1, 1, 1, 5};
        for (int i = 0; i < terms; i++) {
            int k = next_int(&seed, 4), weight = 1 + next_int(&seed, 9), sign = next_int(&seed, 2) ? -1 : 1;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s %d*%s", sign < 0 ? "-" : i ? "+" : "", weight, operand[k]);
            value += sign * weight * size[k], slope[k] += sign * weight * factor[k];
        }
        expr e = parse(&f, text);
        assert_true(expr_value(f.graph, e, v) == value);
        for (int k = 0; k < 4; k++) assert_true(expr_value(f.graph, expr_derivative(f.graph, e, variable[k]), v) == slope[k]);
        fixture_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(precedence_and_values),
                                       cmocka_unit_test(numbers_are_rounded_correctly),
                                       cmocka_unit_test(wrong_formulas),
                                       cmocka_unit_test(depth_and_length_are_limited),
                                       cmocka_unit_test(random_texts_never_crash),
                                       cmocka_unit_test(long_numbers_and_scopes),
                                       cmocka_unit_test(long_sums),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
