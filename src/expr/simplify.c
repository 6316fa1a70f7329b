/* SPDX-License-Identifier: Apache-2.0 */
/* Making nodes: constants fold, neutral elements vanish, constant factors and signs move outwards so that they meet.
 *
 * A product is kept as c * p with at most one constant c; -p is a NEG. Constants fold as the machine computes them
 * (1/0 is an infinite constant), whereas 0 * x and 0 / x of a non-constant x are 0: derivatives rely on it. */
#include "expr/graph.h"

static bool is_constant(const expr_graph *graph, expr node) { return graph->nodes[node].op == EXPR_CONSTANT; }

/* A factor that may move without losing anything. */
static bool is_movable(double factor) { return isnormal(factor); }

/* node = factor * rest; rest is EXPR_NONE for a constant. */
static double split_factor(const expr_graph *graph, expr node, expr *rest) {
    const expr_node *n = &graph->nodes[node];
    *rest = node;
    if (n->op == EXPR_CONSTANT) {
        *rest = EXPR_NONE;
        return n->value;
    }
    if (n->op == EXPR_NEG) {
        *rest = n->a;
        return -1;
    }
    if (n->op != EXPR_MUL || (!is_constant(graph, n->a) && !is_constant(graph, n->b))) return 1;
    bool first = is_constant(graph, n->a);
    double factor = graph->nodes[first ? n->a : n->b].value;
    if (!is_movable(factor)) return 1;
    *rest = first ? n->b : n->a;
    return factor;
}

/* Written with a sign: -3, -p, -3*p. */
static bool is_negative(const expr_graph *graph, expr node) {
    expr rest;
    return split_factor(graph, node, &rest) < 0;
}

static expr negate(expr_graph *graph, expr a) {
    if (a < 0) return EXPR_NONE;
    const expr_node node = graph->nodes[a];
    expr rest;
    double factor = split_factor(graph, a, &rest), numerator;
    if (rest < 0) return expr_constant(graph, -factor);
    if (node.op == EXPR_NEG) return node.a;
    if (node.op == EXPR_SUB) return expr_intern(graph, EXPR_SUB, node.b, node.a, EXPR_NONE);
    if (factor != 1) return expr_intern(graph, EXPR_MUL, expr_constant(graph, -factor), rest, EXPR_NONE);
    if (node.op == EXPR_DIV && expr_is_constant(graph, node.a, &numerator))
        return expr_intern(graph, EXPR_DIV, expr_constant(graph, -numerator), node.b, EXPR_NONE);
    return expr_intern(graph, EXPR_NEG, a, EXPR_NONE, EXPR_NONE);
}

/* factor * p, where p has no constant factor of its own. */
static expr scale(expr_graph *graph, double factor, expr p) {
    if (p < 0) return EXPR_NONE;
    double numerator;
    if (factor == 0) return expr_constant(graph, 0);
    if (factor == 1) return p;
    if (factor == -1) return negate(graph, p);
    const expr_node node = graph->nodes[p];
    if (node.op == EXPR_DIV && expr_is_constant(graph, node.a, &numerator) && is_movable(factor * numerator))
        return expr_intern(graph, EXPR_DIV, expr_constant(graph, factor * numerator), node.b, EXPR_NONE);
    return expr_intern(graph, EXPR_MUL, expr_constant(graph, factor), p, EXPR_NONE);
}

static expr subtract(expr_graph *graph, expr a, expr b);

static expr add(expr_graph *graph, expr a, expr b) {
    if (expr_is_zero(graph, a)) return b;
    if (expr_is_zero(graph, b)) return a;
    expr p, q;
    double factor = split_factor(graph, a, &p) + split_factor(graph, b, &q);
    if (p >= 0 && p == q && (factor == 0 || is_movable(factor))) return scale(graph, factor, p);
    if (is_negative(graph, b)) return subtract(graph, a, negate(graph, b));
    if (is_negative(graph, a)) return subtract(graph, b, negate(graph, a));
    return expr_intern(graph, EXPR_ADD, a, b, EXPR_NONE);
}

static expr subtract(expr_graph *graph, expr a, expr b) {
    if (a < 0 || b < 0) return EXPR_NONE;
    if (expr_is_zero(graph, b)) return a;
    if (expr_is_zero(graph, a)) return negate(graph, b);
    expr p, q;
    double factor = split_factor(graph, a, &p) - split_factor(graph, b, &q);
    if (p >= 0 && p == q && (factor == 0 || is_movable(factor))) return scale(graph, factor, p);
    if (is_negative(graph, b)) return expr_binary(graph, EXPR_ADD, a, negate(graph, b));
    if (graph->nodes[a].op == EXPR_NEG) return expr_unary(graph, EXPR_NEG, expr_binary(graph, EXPR_ADD, graph->nodes[a].a, b));
    return expr_intern(graph, EXPR_SUB, a, b, EXPR_NONE);
}

static expr multiply(expr_graph *graph, expr a, expr b) {
    if (expr_is_zero(graph, a) || expr_is_zero(graph, b)) return expr_constant(graph, 0);
    expr p, q;
    double s = split_factor(graph, a, &p), t = split_factor(graph, b, &q);
    if (!is_movable(s) || !is_movable(t) || !is_movable(s * t)) return expr_intern(graph, EXPR_MUL, a, b, EXPR_NONE);
    if (p < 0) return scale(graph, s * t, q);
    if (q < 0) return scale(graph, s * t, p);
    return scale(graph, s * t, expr_intern(graph, EXPR_MUL, p, q, EXPR_NONE));
}

static bool is_power_of_two(double value) {
    int exponent;
    return isnormal(value) && isnormal(1 / value) && fabs(frexp(value, &exponent)) == 0.5;
}

static expr divide(expr_graph *graph, expr a, expr b) {
    if (expr_is_zero(graph, a)) return expr_constant(graph, 0);
    expr p, q;
    double s = split_factor(graph, a, &p), t = split_factor(graph, b, &q);
    if (!is_movable(s) || !is_movable(t) || !is_movable(s / t)) return expr_intern(graph, EXPR_DIV, a, b, EXPR_NONE);
    if (q < 0) { /* a constant denominator: x / 3 is kept, for its rounding */
        bool exact = is_power_of_two(t);
        return s != 1 || exact ? scale(graph, s / t, p) : expr_intern(graph, EXPR_DIV, a, b, EXPR_NONE);
    }
    if (p < 0) return expr_intern(graph, EXPR_DIV, expr_constant(graph, s / t), q, EXPR_NONE);
    return scale(graph, s / t, expr_intern(graph, EXPR_DIV, p, q, EXPR_NONE));
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
    if (expr_is_constant(graph, a, &x) && x == 1) return a;
    return expr_intern(graph, EXPR_POW, a, b, EXPR_NONE);
}

static bool is_truth(const expr_graph *graph, expr node) {
    expr_op op = graph->nodes[node].op;
    double value;
    return (op >= EXPR_LESS && op <= EXPR_NOT) || (expr_is_constant(graph, node, &value) && (value == 0 || value == 1));
}

static expr connect(expr_graph *graph, expr_op op, expr a, expr b) {
    if (!is_constant(graph, a)) {
        expr swap = a;
        a = b;
        b = swap;
    }
    double known;
    if (expr_is_constant(graph, a, &known)) {
        bool truth = known != 0, decided = op == EXPR_OR ? truth : !truth;
        if (decided) return expr_constant(graph, truth);
        if (is_truth(graph, b)) return b;
    }
    if (a == b && is_truth(graph, a)) return a;
    return expr_intern(graph, op, a, b, EXPR_NONE);
}

expr expr_binary(expr_graph *graph, expr_op op, expr a, expr b) {
    if (a < 0 || b < 0) return EXPR_NONE;
    double x, y;
    if (expr_is_constant(graph, a, &x) && expr_is_constant(graph, b, &y)) return expr_constant(graph, expr_apply(op, x, y, 0));
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
    double x;
    if (expr_is_constant(graph, a, &x)) return expr_constant(graph, expr_apply(op, x, 0, 0));
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
    double known;
    if (expr_is_constant(graph, condition, &known)) return known != 0 ? a : b;
    if (a == b) return a;
    if (graph->nodes[condition].op == EXPR_NOT) return expr_if(graph, graph->nodes[condition].a, b, a);
    return expr_intern(graph, EXPR_IF, condition, a, b);
}
