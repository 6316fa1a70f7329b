/* SPDX-License-Identifier: Apache-2.0 */
/* A tape computes what the graph says, bit for bit, section by section. */
#include "random_expr.h"

#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the formats are those of a table */

static void assert_same(double a, double b) {
    if (isnan(a) && isnan(b)) return;
    if (memcmp(&a, &b, sizeof a) != 0) stop_with("%.17g and %.17g differ", a, b);
}

#define N_SECTIONS 3
#define N_OUTPUTS 6

/* Random trees and their derivatives in sections of random lengths; outputs may repeat, be constants or variables. */
static expr_tape *random_tape(fixture *f, uint64_t *seed, expr outputs[N_SECTIONS][N_OUTPUTS], expr_section sections[N_SECTIONS]) {
    for (int k = 0; k < N_SECTIONS; k++) {
        sections[k] = (expr_section){next_int(seed, N_OUTPUTS + 1), outputs[k]};
        for (int i = 0; i < N_OUTPUTS; i++) {
            outputs[k][i] = random_expr(f->graph, seed, 5);
            if (next_int(seed, 2)) outputs[k][i] = expr_derivative(f->graph, outputs[k][i], next_int(seed, N_RANDOM));
            if (k > 0 && next_int(seed, 4) == 0) outputs[k][i] = outputs[k - 1][i];
        }
    }
    expr_tape *tape = expr_compile(f->graph, f->context, N_RANDOM, N_SECTIONS, sections);
    assert_non_null(tape);
    return tape;
}

static void tape_is_value(void **state) {
    (void)state;
    uint64_t seed = 77;
    for (int round = 0; round < 400; round++) {
        fixture f;
        fixture_start(&f);
        expr outputs[N_SECTIONS][N_OUTPUTS];
        expr_section sections[N_SECTIONS];
        expr_tape *tape = random_tape(&f, &seed, outputs, sections);
        double *registers = malloc(sizeof(double) * (size_t)expr_tape_registers(tape) + 1);
        for (int point = 0; point < 3; point++) {
            double v[N_RANDOM], results[N_SECTIONS][N_OUTPUTS];
            for (int i = 0; i < N_RANDOM; i++) v[i] = point == 2 ? 0 : next_double(&seed, -2, 2);
            for (int i = 0; i < expr_tape_registers(tape); i++) registers[i] = NAN;
            expr_tape_run(tape, registers, v, N_SECTIONS, (double *const[]){results[0], results[1], results[2]});
            for (int k = 0; k < N_SECTIONS; k++)
                for (int i = 0; i < sections[k].count; i++) assert_same(results[k][i], expr_value(f.graph, outputs[k][i], v));
        }
        free(registers);
        expr_tape_destroy(f.context, tape);
        fixture_end(&f);
    }
}

/* Each lane has the bits of a run of its own, whatever the others compute. */
static void lanes_are_values(void **state) {
    (void)state;
    uint64_t seed = 78;
    for (int round = 0; round < 200; round++) {
        fixture f;
        fixture_start(&f);
        expr outputs[N_SECTIONS][N_OUTPUTS];
        expr_section sections[N_SECTIONS];
        expr_tape *tape = random_tape(&f, &seed, outputs, sections);
        for (int lanes = 1; lanes <= EXPR_LANES; lanes += EXPR_LANES - 1) {
            size_t room = (size_t)(expr_tape_registers(tape) * lanes) + 1;
            double *registers = malloc(sizeof(double) * room), v[EXPR_LANES][N_RANDOM];
            for (size_t i = 0; i < room; i++) registers[i] = NAN;
            for (int k = 0; k < lanes; k++)
                for (int i = 0; i < N_RANDOM; i++) registers[i * lanes + k] = v[k][i] = k == 2 ? 0 : next_double(&seed, -2, 2);
            expr_tape_begin(tape, registers, lanes);
            for (int s = 0; s < N_SECTIONS; s++) {
                int count;
                const int32_t *places = expr_tape_outputs(tape, s, &count);
                expr_tape_section(tape, registers, lanes, s);
                assert_int_equal(count, sections[s].count);
                for (int i = 0; i < count; i++)
                    for (int k = 0; k < lanes; k++) assert_same(registers[places[i] * lanes + k], expr_value(f.graph, outputs[s][i], v[k]));
            }
            int none;
            expr_tape_outputs(tape, N_SECTIONS, &none);
            assert_int_equal(none, 0);
            free(registers);
        }
        expr_tape_destroy(f.context, tape);
        fixture_end(&f);
    }
}

static void sections_stop_early(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr first[] = {parse(&f, "sin(x)*y + 1")}, second[] = {parse(&f, "exp(sin(x)*y)"), parse(&f, "sin(x)*y + 1")};
    const expr_section sections[] = {{1, first}, {0, NULL}, {2, second}};
    expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 3, sections);
    assert_non_null(tape);
    assert_int_equal(expr_tape_instructions(tape, 0), 0);
    assert_int_equal(expr_tape_instructions(tape, 1), 3); /* sin, product (used again later), sum */
    assert_int_equal(expr_tape_instructions(tape, 2), 3);
    assert_int_equal(expr_tape_instructions(tape, 3), 4);
    double *registers = malloc(sizeof(double) * (size_t)expr_tape_registers(tape));
    double v[N_VARIABLES] = {[X] = 1, [Y] = 2}, a[1] = {0}, b[2] = {-7, -7};
    expr_tape_run(tape, registers, v, 1, (double *const[]){a, NULL, b});
    assert_same(a[0], sin(1) * 2 + 1);
    assert_same(b[0], -7);
    expr_tape_run(tape, registers, v, 3, (double *const[]){NULL, NULL, b});
    assert_same(b[0], exp(sin(1) * 2));
    assert_same(b[1], sin(1) * 2 + 1);
    free(registers);
    expr_tape_destroy(f.context, tape);
    fixture_end(&f);
}

/* As many of each operation as there may be in a row, and more, also in a section that begins after another. */
static void any_number_of_one_operation(void **state) {
    (void)state;
    enum { MOST = 20 };
    static const char *const texts[] = {"x + %d",   "x - %d/3", "x*%d",         "-sin(%d*x)", "x*%d + y",
                                        "x*%d - y", "y - x*%d", "(x + %d) + y", "x/%d",       "cos(x + %d)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int n = 1; n <= MOST; n++) {
            fixture f;
            fixture_start(&f);
            expr outputs[MOST];
            for (int k = 0; k < n; k++) {
                char text[40];
                snprintf(text, sizeof text, texts[i], k + 5);
                outputs[k] = parse(&f, text);
            }
            const expr_section sections[] = {{n / 2, outputs}, {n - n / 2, outputs + n / 2}};
            expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 2, sections);
            assert_non_null(tape);
            double *registers = malloc(sizeof(double) * (size_t)expr_tape_registers(tape));
            double v[N_VARIABLES] = {[X] = 0.7, [Y] = 1.3}, values[MOST];
            expr_tape_run(tape, registers, v, 2, (double *const[]){values, values + n / 2});
            for (int k = 0; k < n; k++) assert_same(values[k], expr_value(f.graph, outputs[k], v));
            free(registers);
            expr_tape_destroy(f.context, tape);
            fixture_end(&f);
        }
}

static void products_join_sums_and_powers_become_products(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int instructions;
    } cases[] = {{"x*y + t", 1}, {"t - x*y", 1}, {"x*y - t", 1},   {"x*y + phi*t", 2}, {"x^2", 1}, {"x^3", 2}, {"x^4", 2},
                 {"x^-1", 1},    {"x^1.5", 2},   {"x^3 + x^2", 2}, {"x^0.3", 1},       {"3", 0},   {"x", 0},   {"if(x < y, x, y)", 2}};
    fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expr e = parse(&f, cases[i].text);
        expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 1, &(expr_section){1, &e});
        assert_non_null(tape);
        if (expr_tape_instructions(tape, 1) != cases[i].instructions)
            stop_with("'%s' takes %d instructions", cases[i].text, expr_tape_instructions(tape, 1));
        expr_tape_destroy(f.context, tape);
    }
    fixture_end(&f);
}

static void registers_are_used_again(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr sum = parse(&f, "0");
    for (int i = 0; i < 1000; i++)
        sum = expr_unary(f.graph, EXPR_SIN, expr_binary(f.graph, EXPR_ADD, sum, parse(&f, i % 2 ? "x*y" : "y/x")));
    expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 1, &(expr_section){1, &sum});
    assert_non_null(tape);
    assert_true(expr_tape_registers(tape) < N_VARIABLES + 10);
    expr_tape_destroy(f.context, tape);
    fixture_end(&f);
}

/* A section whose outputs are the number zero has nothing to say. */
static void zeros_are_silent(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr zero = parse(&f, "0*x"), zeros[] = {zero, zero}, mixed[] = {zero, parse(&f, "x - x*y")}, number[] = {parse(&f, "2")};
    const expr_section sections[] = {{2, zeros}, {0, NULL}, {2, mixed}, {1, number}};
    expr_tape *tape = expr_compile(f.graph, f.context, N_VARIABLES, 4, sections);
    assert_non_null(tape);
    const bool says[] = {false, false, true, true, false};
    for (int s = 0; s < 5; s++) assert_int_equal(expr_tape_says(tape, s), says[s]);
    expr_tape_destroy(f.context, tape);
    fixture_end(&f);
}

static void a_variable_out_of_range_is_an_error(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f);
    expr e = parse(&f, "x + t");
    assert_null(expr_compile(f.graph, f.context, T, 1, &(expr_section){1, &e}));
    assert_int_equal(zn_error_get(f.context, 0)->status, ZN_ERROR_INTERNAL);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tape_is_value),
                                       cmocka_unit_test(lanes_are_values),
                                       cmocka_unit_test(sections_stop_early),
                                       cmocka_unit_test(any_number_of_one_operation),
                                       cmocka_unit_test(products_join_sums_and_powers_become_products),
                                       cmocka_unit_test(registers_are_used_again),
                                       cmocka_unit_test(zeros_are_silent),
                                       cmocka_unit_test(a_variable_out_of_range_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
