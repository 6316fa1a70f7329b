/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation computes, once; and the slow evaluation of a graph. */
#include "expr/foot.h"
#include "expr/trace.h"

enum { MOST_FACTORS = 16 };

bool expr_power_is_chain(double y, int *whole, bool *half) {
    double size = fabs(y);
    if (!(size < MOST_FACTORS + 1)) return false;
    *whole = (int)size;
    *half = size - *whole == 0.5;
    return *half || size == *whole;
}

static double integer_power(double x, int n) {
    if (n == 0) return 1;
    if (n == 1) return x;
    if (n % 2) return x * integer_power(x, n - 1);
    double root = integer_power(x, n / 2);
    return root * root;
}

/* x^y as the tape computes it. */
static double power_of(double x, double y) {
    int whole;
    bool half;
    if (!expr_power_is_chain(y, &whole, &half)) return pow(x, y);
    double power = integer_power(x, whole);
    if (half) power = whole ? power * sqrt(x) : sqrt(x);
    return y < 0 ? 1 / power : power;
}

double expr_apply(expr_op op, double a, double b, double c) {
    switch (op) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_NEG: return -a;
    case EXPR_POW: return power_of(a, b);
    case EXPR_SIN: return sin(a);
    case EXPR_COS: return cos(a);
    case EXPR_TAN: return tan(a);
    case EXPR_ASIN: return asin(a);
    case EXPR_ACOS: return acos(a);
    case EXPR_ATAN: return atan(a);
    case EXPR_ATAN2: return atan2(a, b);
    case EXPR_SINH: return sinh(a);
    case EXPR_COSH: return cosh(a);
    case EXPR_TANH: return tanh(a);
    case EXPR_EXP: return exp(a);
    case EXPR_LOG: return log(a);
    case EXPR_SQRT: return sqrt(a);
    case EXPR_ABS: return fabs(a);
    case EXPR_SIGN: return expr_sign_of(a);
    case EXPR_MIN: return expr_min_of(a, b);
    case EXPR_MAX: return expr_max_of(a, b);
    case EXPR_HYPOT: return hypot(a, b);
    case EXPR_FLOOR: return floor(a);
    case EXPR_LESS: return a < b;
    case EXPR_LESS_EQUAL: return a <= b;
    case EXPR_EQUAL: return a == b;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    case EXPR_NOT: return a == 0;
    case EXPR_IF: return a != 0 ? b : c;
    case EXPR_TABLE:
    case EXPR_FOOT:
    case EXPR_FOOT_PART:
    case EXPR_CONSTANT:
    case EXPR_VARIABLE: break;
    }
    return NAN;
}

static double look_up(const expr_graph *graph, int key, double x) {
    return expr_table_value(graph->tables[key / EXPR_TABLE_ORDERS], key % EXPR_TABLE_ORDERS, x);
}

double expr_value(expr_graph *graph, expr root, const double *variables) {
    if (root < 0) return NAN;
    for (size_t i = 0; i < graph->n_surfaces; i++) /* before the walk: compiling makes nodes */
        if (!graph->surfaces[i].tape) graph->surfaces[i].tape = expr_surface_compile(graph, graph->context, (int)i);
    if (!expr_walk_begin(graph) || !expr_walk_add(graph, root)) return NAN;
    if (!mem_grow(graph->context, (void **)&graph->values, &graph->value_capacity, graph->count, sizeof(double))) return NAN;
    double *values = graph->values;
    for (size_t i = 0; i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        double *value = &values[graph->order[i]];
        if (node->op == EXPR_CONSTANT) expr_pin(graph, graph->order[i]), *value = node->value;
        else if (node->op == EXPR_VARIABLE) *value = variables[node->a];
        else if (node->op == EXPR_TABLE) *value = look_up(graph, (int)node->value, values[node->a]);
        else if (node->op == EXPR_FOOT) *value = expr_foot_value(graph, node, 0, values, variables);
        else if (node->op == EXPR_FOOT_PART) *value = expr_foot_value(graph, &graph->nodes[node->a], (int)node->value, values, variables);
        else *value = expr_apply(node->op, values[node->a], node->b < 0 ? 0 : values[node->b], node->c < 0 ? 0 : values[node->c]);
    }
    return values[root];
}
