/* SPDX-License-Identifier: Apache-2.0 */
/* Where formulas jump or bend. Each such place has an expression of few values that is constant on both sides of it:
 *
 *   floor, sign, <, <=     themselves
 *   abs(a)                 sign(a)
 *   min(a, b), max(a, b)   a < b
 *   a table of lines       the number of its interval; cubic ones are smooth enough */
#include "expr/graph.h"

enum { MOST_POINTS = 1000 }; /* of a table: larger ones hold measured data, whose bends are small */

static expr switch_of(expr_graph *graph, expr e) {
    const expr_node node = graph->nodes[e];
    switch (node.op) {
    case EXPR_FLOOR:
    case EXPR_SIGN:
    case EXPR_LESS:
    case EXPR_LESS_EQUAL: return e;
    case EXPR_ABS: return expr_unary(graph, EXPR_SIGN, node.a);
    case EXPR_MIN:
    case EXPR_MAX: return expr_binary(graph, EXPR_LESS, node.a, node.b);
    case EXPR_TABLE: {
        expr_table *table = graph->tables[(size_t)node.value / EXPR_TABLE_ORDERS];
        return table->degree == 1 && table->n <= MOST_POINTS ? expr_look_up(graph, table, EXPR_TABLE_INTERVAL, node.a)
                                                             : expr_constant(graph, 0);
    }
    default: return expr_constant(graph, 0);
    }
}

static bool add(expr_graph *graph, expr e, expr_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == e) return true;
    if (!mem_grow(graph->context, (void **)&list->at, &list->room, list->count + 1, sizeof *list->at)) return false;
    list->at[list->count++] = e;
    return true;
}

bool expr_switches(expr_graph *graph, int n, const expr *roots, int variable, int first, int count, expr_list *list) {
    bool any = false;
    if (!expr_walk_begin(graph)) return false;
    for (int i = 0; i < n; i++) {
        if (roots[i] < 0) return false;
        uint64_t bit = (uint64_t)1 << (variable % 64);
        if (!(graph->nodes[roots[i]].depends & bit)) continue;
        any = true;
        if (!expr_walk_add(graph, roots[i])) return false;
    }
    size_t n_order = graph->n_order;
    expr *order = any ? MEM_ARRAY(graph->context, expr, n_order) : NULL; /* the calls below walk the graph, too */
    if (any && !order) return false;
    if (any) memcpy(order, graph->order, n_order * sizeof *order);
    bool good = true;
    for (size_t i = 0; any && i < n_order && good; i++) {
        expr e = switch_of(graph, order[i]);
        good = e != EXPR_NONE;
        if (good && expr_depends(graph, e, variable) && !expr_depends_range(graph, e, first, count)) good = add(graph, e, list);
    }
    mem_free(graph->context, order);
    return good;
}
