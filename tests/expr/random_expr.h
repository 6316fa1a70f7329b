/* SPDX-License-Identifier: Apache-2.0 */
/* Random expression trees over the first N_RANDOM variables. */
#ifndef TESTS_EXPR_RANDOM_EXPR_H
#define TESTS_EXPR_RANDOM_EXPR_H

#include "fixture.h"

#define N_RANDOM 3

static inline expr random_expr(expr_graph *g, uint64_t *seed, int depth) {
    if (depth == 0 || next_int(seed, 12) == 0) {
        if (next_int(seed, 3) > 0) return expr_variable(g, next_int(seed, N_RANDOM));
        return expr_constant(g, next_int(seed, 2) ? next_int(seed, 7) - 3 : next_double(seed, -2, 2));
    }
    expr a = random_expr(g, seed, depth - 1);
    if (next_int(seed, 10) < 3) {
        static const expr_op unary[] = {EXPR_NEG,  EXPR_SIN,  EXPR_COS, EXPR_TAN, EXPR_ASIN, EXPR_ACOS, EXPR_ATAN, EXPR_SINH,
                                        EXPR_COSH, EXPR_TANH, EXPR_EXP, EXPR_LOG, EXPR_SQRT, EXPR_ABS,  EXPR_SIGN, EXPR_NOT};
        return expr_unary(g, unary[next_int(seed, (int)(sizeof unary / sizeof *unary))], a);
    }
    expr b = random_expr(g, seed, depth - 1);
    switch (next_int(seed, 24)) {
    case 0: return expr_binary(g, EXPR_ATAN2, a, b);
    case 1: return expr_binary(g, EXPR_MIN, a, b);
    case 2: return expr_binary(g, EXPR_MAX, a, b);
    case 3: return expr_binary(g, EXPR_HYPOT, a, b);
    case 4: return expr_binary(g, EXPR_POW, a, b);
    case 5: return expr_binary(g, EXPR_POW, a, expr_constant(g, 0.5 * (next_int(seed, 15) - 7)));
    case 6: return expr_if(g, expr_binary(g, EXPR_LESS, a, b), random_expr(g, seed, depth - 1), a);
    case 7: return expr_if(g, expr_binary(g, EXPR_OR, a, expr_binary(g, EXPR_LESS_EQUAL, b, a)), b, random_expr(g, seed, depth - 1));
    case 8: return expr_binary(g, EXPR_AND, a, expr_binary(g, EXPR_EQUAL, a, b));
    default: {
        static const expr_op arithmetic[] = {EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_MUL};
        return expr_binary(g, arithmetic[next_int(seed, 5)], a, b);
    }
    }
}

#endif
