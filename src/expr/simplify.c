/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes: constants fold, neutral elements vanish, constant factors and signs move outwards so that they meet.
 *
 * A product is kept as c * p with at most one constant c; -p is a NEG. Constants fold as the machine computes them
 * (1/0 is an infinite constant), whereas 0 * x and 0 / x of a non-constant x are 0: derivatives rely on it. */
#include "expr/trace.h"

static bool is_constant(const expr_graph *graph, expr node) { return graph->nodes[node].op == EXPR_CONSTANT; }

/* The value of a constant, for decisions by its aspects only (trace.c). */
static bool known(const expr_graph *graph, expr node, double *value) {
    *value = graph->nodes[node].value;
    return is_constant(graph, node);
}

/* A factor that may move without losing anything. */
static bool is_movable(double factor) { return isnormal(factor); }

/* node = factor * rest; rest is EXPR_NONE for a constant. */
static expr_number split_factor(const expr_graph *graph, expr node, expr *rest) {
    const expr_node *n = &graph->nodes[node];
    *rest = node;
    if (n->op == EXPR_CONSTANT) {
        *rest = EXPR_NONE;
        return expr_number_of(graph, node);
    }
    if (n->op == EXPR_NEG) {
        *rest = n->a;
        return expr_literal(-1);
    }
    if (n->op != EXPR_MUL || (!is_constant(graph, n->a) && !is_constant(graph, n->b))) return expr_literal(1);
    bool first = is_constant(graph, n->a);
    expr_number factor = expr_number_of(graph, first ? n->a : n->b);
    if (!is_movable(factor.value)) return expr_literal(1);
    *rest = first ? n->b : n->a;
    return factor;
}

/* Written with a sign: -3, -p, -3*p. */
static bool is_negative(const expr_graph *graph, expr node) {
    expr rest;
    return split_factor(graph, node, &rest).value < 0;
}

static expr minus(expr_graph *graph, expr_number a) {
    return expr_number_node(graph, expr_number_make(graph, EXPR_NEG, a, expr_literal(0)));
}

static expr negate(expr_graph *graph, expr a) {
    if (a < 0) return EXPR_NONE;
    const expr_node node = graph->nodes[a];
    expr rest;
    expr_number factor = split_factor(graph, a, &rest);
    if (rest < 0) return minus(graph, factor);
    if (node.op == EXPR_NEG) return node.a;
    if (node.op == EXPR_SUB) return expr_intern(graph, EXPR_SUB, node.b, node.a, EXPR_NONE);
    if (factor.value != 1) return expr_intern(graph, EXPR_MUL, minus(graph, factor), rest, EXPR_NONE);
    if (node.op == EXPR_DIV && is_constant(graph, node.a))
        return expr_intern(graph, EXPR_DIV, minus(graph, expr_number_of(graph, node.a)), node.b, EXPR_NONE);
    return expr_intern(graph, EXPR_NEG, a, EXPR_NONE, EXPR_NONE);
}

/* factor * p, where p has no constant factor of its own. */
static expr scale(expr_graph *graph, expr_number factor, expr p) {
    if (p < 0) return EXPR_NONE;
    if (factor.value == 0) return expr_constant(graph, 0);
    if (factor.value == 1) return p;
    if (factor.value == -1) return negate(graph, p);
    const expr_node node = graph->nodes[p];
    if (node.op == EXPR_DIV && is_constant(graph, node.a)) {
        expr_number numerator = expr_number_make(graph, EXPR_MUL, factor, expr_number_of(graph, node.a));
        if (is_movable(numerator.value)) return expr_intern(graph, EXPR_DIV, expr_number_node(graph, numerator), node.b, EXPR_NONE);
    }
    return expr_intern(graph, EXPR_MUL, expr_number_node(graph, factor), p, EXPR_NONE);
}

/* s p +- t p, if that is one term; EXPR_NONE: it is not. */
static bool collect(expr_graph *graph, expr_op op, expr a, expr b, expr *sum) {
    expr p, q;
    expr_number s = split_factor(graph, a, &p), t = split_factor(graph, b, &q);
    if (p < 0 || p != q) return false;
    expr_number factor = expr_number_make(graph, op, s, t);
    if (factor.value != 0 && !is_movable(factor.value)) return false;
    *sum = scale(graph, factor, p);
    return true;
}

static expr subtract(expr_graph *graph, expr a, expr b);

static expr add(expr_graph *graph, expr a, expr b) {
    expr sum;
    if (expr_is_zero(graph, a)) return b;
    if (expr_is_zero(graph, b)) return a;
    if (collect(graph, EXPR_ADD, a, b, &sum)) return sum;
    if (is_negative(graph, b)) return subtract(graph, a, negate(graph, b));
    if (is_negative(graph, a)) return subtract(graph, b, negate(graph, a));
    return expr_intern(graph, EXPR_ADD, a, b, EXPR_NONE);
}

static expr subtract(expr_graph *graph, expr a, expr b) {
    expr sum;
    if (a < 0 || b < 0) return EXPR_NONE;
    if (expr_is_zero(graph, b)) return a;
    if (expr_is_zero(graph, a)) return negate(graph, b);
    if (collect(graph, EXPR_SUB, a, b, &sum)) return sum;
    if (is_negative(graph, b)) return expr_binary(graph, EXPR_ADD, a, negate(graph, b));
    if (graph->nodes[a].op == EXPR_NEG) return expr_unary(graph, EXPR_NEG, expr_binary(graph, EXPR_ADD, graph->nodes[a].a, b));
    return expr_intern(graph, EXPR_SUB, a, b, EXPR_NONE);
}

static expr multiply(expr_graph *graph, expr a, expr b) {
    if (expr_is_zero(graph, a) || expr_is_zero(graph, b)) return expr_constant(graph, 0);
    expr p, q;
    expr_number s = split_factor(graph, a, &p), t = split_factor(graph, b, &q), factor = expr_number_make(graph, EXPR_MUL, s, t);
    if (!is_movable(s.value) || !is_movable(t.value) || !is_movable(factor.value)) return expr_intern(graph, EXPR_MUL, a, b, EXPR_NONE);
    if (p < 0) return scale(graph, factor, q);
    if (q < 0) return scale(graph, factor, p);
    return scale(graph, factor, expr_intern(graph, EXPR_MUL, p, q, EXPR_NONE));
}

static bool is_power_of_two(double value) {
    int exponent;
    return isnormal(value) && isnormal(1 / value) && fabs(frexp(value, &exponent)) == 0.5;
}

static expr divide(expr_graph *graph, expr a, expr b) {
    if (expr_is_zero(graph, a)) return expr_constant(graph, 0);
    expr p, q;
    expr_number s = split_factor(graph, a, &p), t = split_factor(graph, b, &q), factor = expr_number_make(graph, EXPR_DIV, s, t);
    if (!is_movable(s.value) || !is_movable(t.value) || !is_movable(factor.value)) return expr_intern(graph, EXPR_DIV, a, b, EXPR_NONE);
    if (q < 0) { /* a constant denominator: x / 3 is kept, for its rounding */
        bool exact = is_power_of_two(t.value);
        return s.value != 1 || exact ? scale(graph, factor, p) : expr_intern(graph, EXPR_DIV, a, b, EXPR_NONE);
    }
    if (p < 0) return expr_intern(graph, EXPR_DIV, expr_number_node(graph, factor), q, EXPR_NONE);
    return scale(graph, factor, expr_intern(graph, EXPR_DIV, p, q, EXPR_NONE));
}

static expr raise(expr_graph *graph, expr a, expr b) {
    double y, x;
    if (expr_is_constant(graph, b, &y)) {
        if (y == 0) return expr_constant(graph, 1);
        if (y == 1) return a;
        if (y == 2) return expr_binary(graph, EXPR_MUL, a, a);
        if (y == -1) return expr_binary(graph, EXPR_DIV, expr_constant(graph, 1), a);
        if (y == 0.5) return expr_unary(graph, EXPR_SQRT, a);
    }
    if (known(graph, a, &x) && x == 1) return a;
    return expr_intern(graph, EXPR_POW, a, b, EXPR_NONE);
}

static bool is_truth(const expr_graph *graph, expr node) {
    expr_op op = graph->nodes[node].op;
    double value;
    return (op >= EXPR_LESS && op <= EXPR_NOT) || (known(graph, node, &value) && (value == 0 || value == 1));
}

static expr connect(expr_graph *graph, expr_op op, expr a, expr b) {
    if (!is_constant(graph, a)) {
        expr swap = a;
        a = b;
        b = swap;
    }
    double given;
    if (known(graph, a, &given)) {
        bool truth = given != 0, decided = op == EXPR_OR ? truth : !truth;
        if (decided) return expr_constant(graph, truth);
        if (is_truth(graph, b)) return b;
    }
    if (a == b && is_truth(graph, a)) return a;
    return expr_intern(graph, op, a, b, EXPR_NONE);
}

expr expr_binary(expr_graph *graph, expr_op op, expr a, expr b) {
    if (a < 0 || b < 0) return EXPR_NONE;
    if (is_constant(graph, a) && is_constant(graph, b))
        return expr_number_node(graph, expr_number_make(graph, op, expr_number_of(graph, a), expr_number_of(graph, b)));
    switch (op) {
    case EXPR_ADD: return add(graph, a, b);
    case EXPR_SUB: return subtract(graph, a, b);
    case EXPR_MUL: return multiply(graph, a, b);
    case EXPR_DIV: return divide(graph, a, b);
    case EXPR_POW: return raise(graph, a, b);
    case EXPR_AND:
    case EXPR_OR: return connect(graph, op, a, b);
    case EXPR_MIN:
    case EXPR_MAX:
        if (a == b) return a;
        break;
    case EXPR_LESS:
        if (a == b) return expr_constant(graph, 0);
        break;
    default: break;
    }
    return expr_intern(graph, op, a, b, EXPR_NONE);
}

expr expr_unary(expr_graph *graph, expr_op op, expr a) {
    if (a < 0) return EXPR_NONE;
    if (is_constant(graph, a)) return expr_number_node(graph, expr_number_make(graph, op, expr_number_of(graph, a), expr_literal(0)));
    switch (op) {
    case EXPR_NEG: return negate(graph, a);
    case EXPR_SIN: /* odd functions: the sign goes outwards */
    case EXPR_TAN:
    case EXPR_ASIN:
    case EXPR_ATAN:
    case EXPR_SINH:
    case EXPR_TANH:
    case EXPR_SIGN:
        if (is_negative(graph, a)) return negate(graph, expr_intern(graph, op, negate(graph, a), EXPR_NONE, EXPR_NONE));
        break;
    case EXPR_COS: /* even functions: it vanishes */
    case EXPR_COSH:
    case EXPR_ABS:
        if (is_negative(graph, a)) a = negate(graph, a);
        break;
    case EXPR_NOT:
        if (graph->nodes[a].op == EXPR_NOT && is_truth(graph, graph->nodes[a].a)) return graph->nodes[a].a;
        break;
    default: break;
    }
    return expr_intern(graph, op, a, EXPR_NONE, EXPR_NONE);
}

expr expr_if(expr_graph *graph, expr condition, expr a, expr b) {
    if (condition < 0 || a < 0 || b < 0) return EXPR_NONE;
    double given;
    if (known(graph, condition, &given)) return given != 0 ? a : b;
    if (a == b) return a;
    if (graph->nodes[condition].op == EXPR_NOT) return expr_if(graph, graph->nodes[condition].a, b, a);
    return expr_intern(graph, EXPR_IF, condition, a, b);
}
