/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the graph: how its constants follow from numbers that may change later. Only for the files of this folder. */
#ifndef EXPR_TRACE_H
#define EXPR_TRACE_H

#include "expr/graph.h"

/* A number with its history: slot - 1 in the trace; 0: it has none. */
typedef struct expr_number {
    double value;
    int slot;
} expr_number;

static inline expr_number expr_literal(double value) { return (expr_number){value, 0}; }
static inline expr_number expr_number_of(const expr_graph *graph, expr constant) {
    return (expr_number){graph->nodes[constant].value, graph->nodes[constant].slot};
}
/* op(a, b); b does not matter for functions of one argument. */
expr_number expr_number_make(expr_graph *, expr_op, expr_number a, expr_number b);
/* Its node. */
expr expr_number_node(expr_graph *, expr_number);
/* From here on it may not change. */
void expr_pin(const expr_graph *, expr constant);

#endif
