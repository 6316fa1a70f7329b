/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: one node for each distinct expression, walks, dependence, substitution. */
#include "expr/trace.h"

#include <stdlib.h>

expr_graph *expr_graph_create(zn_context *context) {
    expr_graph *graph = MEM_ARRAY(context, expr_graph, 1);
    if (graph) graph->context = context;
    return graph;
}

void expr_graph_destroy(expr_graph *graph) {
    if (!graph) return;
    zn_context *context = graph->context;
    mem_free(context, graph->nodes);
    mem_free(context, graph->table);
    mem_free(context, graph->memos);
    mem_free(context, graph->stamps);
    mem_free(context, graph->stack);
    mem_free(context, graph->order);
    mem_free(context, graph->map);
    for (size_t i = 0; i < graph->n_surfaces; i++) expr_tape_destroy(context, graph->surfaces[i].tape);
    mem_free(context, graph->surfaces);
    mem_free(context, graph->feet);
    for (size_t i = 0; i < graph->n_tables; i++) expr_table_release(context, graph->tables[i]);
    mem_free(context, graph->tables);
    mem_free(context, graph->values);
    expr_trace_destroy(graph->trace);
    mem_free(context, graph);
}

int expr_operand_count(expr_op op) {
    switch (op) {
    case EXPR_CONSTANT:
    case EXPR_VARIABLE: return 0;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_POW:
    case EXPR_ATAN2:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_HYPOT:
    case EXPR_LESS:
    case EXPR_LESS_EQUAL:
    case EXPR_EQUAL:
    case EXPR_AND:
    case EXPR_OR: return 2;
    case EXPR_FOOT:
    case EXPR_IF: return 3;
    default: return 1;
    }
}

static bool is_commutative(expr_op op) {
    return op == EXPR_ADD || op == EXPR_MUL || op == EXPR_MIN || op == EXPR_MAX || op == EXPR_HYPOT || op == EXPR_EQUAL || op == EXPR_AND ||
           op == EXPR_OR;
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t node_hash(const expr_node *node) {
    uint64_t hash = mix((uint64_t)node->op + 1, (uint64_t)(uint32_t)node->a);
    hash = mix(hash, ((uint64_t)(uint32_t)node->b << 32) | (uint32_t)node->c);
    return mix(hash, bits_of(node->value));
}

static bool node_same(const expr_node *x, const expr_node *y) {
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && bits_of(x->value) == bits_of(y->value);
}

static bool table_grow(expr_graph *graph) {
    size_t size = graph->table_size ? graph->table_size * 2 : 64;
    expr *table = MEM_ARRAY(graph->context, expr, size);
    if (!table) return false;
    for (size_t i = 0; i < graph->count; i++) {
        size_t slot = node_hash(&graph->nodes[i]) & (size - 1);
        while (table[slot]) slot = (slot + 1) & (size - 1);
        table[slot] = (expr)i + 1;
    }
    mem_free(graph->context, graph->table);
    graph->table = table;
    graph->table_size = size;
    return true;
}

static expr intern(expr_graph *graph, expr_node node) {
    if (2 * (graph->count + 1) > graph->table_size && !table_grow(graph)) return EXPR_NONE;
    size_t slot = node_hash(&node) & (graph->table_size - 1);
    for (; graph->table[slot]; slot = (slot + 1) & (graph->table_size - 1))
        if (node_same(&graph->nodes[graph->table[slot] - 1], &node)) return graph->table[slot] - 1;
    if (graph->count >= INT32_MAX / 2) {
        fail(graph->context, ZN_ERROR_MEMORY, "the formulas grow beyond %d terms", INT32_MAX / 2);
        return EXPR_NONE;
    }
    if (!mem_grow(graph->context, (void **)&graph->nodes, &graph->node_capacity, graph->count + 1, sizeof(expr_node))) return EXPR_NONE;
    graph->nodes[graph->count] = node;
    graph->table[slot] = (expr)graph->count + 1;
    return (expr)graph->count++;
}

expr expr_intern_constant(expr_graph *graph, double value) {
    return intern(graph, (expr_node){EXPR_CONSTANT, EXPR_NONE, EXPR_NONE, EXPR_NONE, value, 0, 0});
}

expr expr_constant(expr_graph *graph, double value) { return expr_number_node(graph, expr_literal(value)); }

expr expr_variable(expr_graph *graph, int index) {
    if (index < 0) {
        fail(graph->context, ZN_ERROR_INTERNAL, "a variable has the negative index %d", index);
        return EXPR_NONE;
    }
    return intern(graph, (expr_node){EXPR_VARIABLE, index, EXPR_NONE, EXPR_NONE, 0, 0, UINT64_C(1) << (index % 64)});
}

expr expr_intern(expr_graph *graph, expr_op op, expr a, expr b, expr c) { return expr_intern_value(graph, op, a, b, c, 0); }

expr expr_intern_value(expr_graph *graph, expr_op op, expr a, expr b, expr c, double value) {
    int operands = expr_operand_count(op);
    if (a < 0 || (operands > 1 && b < 0) || (operands > 2 && c < 0)) return EXPR_NONE;
    if (is_commutative(op) && b < a) {
        expr swap = a;
        a = b;
        b = swap;
    }
    expr_node node = {op, a, operands > 1 ? b : EXPR_NONE, operands > 2 ? c : EXPR_NONE, value, 0, graph->nodes[a].depends};
    if (operands > 1) node.depends |= graph->nodes[b].depends;
    if (operands > 2) node.depends |= graph->nodes[c].depends;
    return intern(graph, node);
}

/* ---- looking ---- */

bool expr_is_constant(const expr_graph *graph, expr node, double *value) {
    if (node < 0 || graph->nodes[node].op != EXPR_CONSTANT) return false;
    if (!value) return true;
    expr_pin(graph, node);
    *value = graph->nodes[node].value;
    return true;
}

bool expr_is_zero(const expr_graph *graph, expr node) {
    return node >= 0 && graph->nodes[node].op == EXPR_CONSTANT && graph->nodes[node].value == 0;
}

int expr_count(const expr_graph *graph) { return (int)graph->count; }

/* ---- walking ---- */

bool expr_push(expr_graph *graph, size_t *depth, expr node) {
    if (!mem_grow(graph->context, (void **)&graph->stack, &graph->stack_capacity, *depth + 1, sizeof(expr))) return false;
    graph->stack[(*depth)++] = node;
    return true;
}

bool expr_walk_begin(expr_graph *graph) {
    if (!mem_grow(graph->context, (void **)&graph->stamps, &graph->stamp_capacity, graph->count, sizeof(unsigned))) return false;
    if (++graph->generation == 0) { /* the counter wrapped around: forget old stamps */
        memset(graph->stamps, 0, graph->stamp_capacity * sizeof(unsigned));
        graph->generation = 1;
    }
    graph->n_order = 0;
    return true;
}

/* Depth first with a stack of its own: formulas may be deeper than the machine's stack. */
bool expr_walk_add(expr_graph *graph, expr root) {
    size_t depth = 0;
    if (!expr_push(graph, &depth, root)) return false;
    while (depth > 0) {
        expr top = graph->stack[depth - 1];
        if (graph->stamps[top] == graph->generation) {
            depth--;
            continue;
        }
        const expr_node *node = &graph->nodes[top];
        const expr operands[3] = {node->a, node->b, node->c};
        size_t before = depth;
        for (int i = expr_operand_count(node->op) - 1; i >= 0; i--)
            if (graph->stamps[operands[i]] != graph->generation && !expr_push(graph, &depth, operands[i])) return false;
        if (depth > before) continue;
        if (!mem_grow(graph->context, (void **)&graph->order, &graph->order_capacity, graph->n_order + 1, sizeof(expr))) return false;
        graph->stamps[top] = graph->generation;
        graph->order[graph->n_order++] = top;
        depth--;
    }
    return true;
}

bool expr_depends_range(expr_graph *graph, expr root, int first, int count) {
    if (root < 0 || count <= 0) return false;
    uint64_t wanted = 0;
    for (int i = 0; i < count && i < 64; i++) wanted |= UINT64_C(1) << ((first + i) % 64);
    if (!(graph->nodes[root].depends & wanted)) return false;
    if (!expr_walk_begin(graph) || !expr_walk_add(graph, root)) return true; /* out of memory: the safe answer */
    for (size_t i = 0; i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        if (node->op == EXPR_VARIABLE && node->a >= first && node->a - first < count) return true;
    }
    return false;
}

static int by_size(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int expr_variables(expr_graph *graph, int n, const expr *roots, int first, int count, int *list) {
    int found = 0;
    if (!expr_walk_begin(graph)) return -1;
    for (int i = 0; i < n; i++)
        if (roots[i] < 0 || !expr_walk_add(graph, roots[i])) return -1;
    for (size_t i = 0; i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        if (node->op == EXPR_VARIABLE && node->a >= first && node->a - first < count) list[found++] = node->a - first;
    }
    qsort(list, (size_t)found, sizeof *list, by_size);
    return found;
}

bool expr_depends(expr_graph *graph, expr root, int variable) { return expr_depends_range(graph, root, variable, 1); }

static expr rebuild(expr_graph *graph, expr old, const expr *map) {
    const expr_node node = graph->nodes[old];
    if (node.op == EXPR_FOOT || node.op == EXPR_FOOT_PART) {
        if (map[node.a] == node.a && (node.op == EXPR_FOOT_PART || (map[node.b] == node.b && map[node.c] == node.c))) return old;
        fail(graph->context, ZN_ERROR_INTERNAL, "a nearest point cannot be moved to another point");
        return EXPR_NONE;
    }
    if (node.op == EXPR_TABLE) {
        int key = (int)node.value;
        return expr_look_up(graph, graph->tables[key / EXPR_TABLE_ORDERS], key % EXPR_TABLE_ORDERS, map[node.a]);
    }
    switch (expr_operand_count(node.op)) {
    case 0: return old;
    case 1: return expr_unary(graph, node.op, map[node.a]);
    case 2: return expr_binary(graph, node.op, map[node.a], map[node.b]);
    default: return expr_if(graph, map[node.a], map[node.b], map[node.c]);
    }
}

expr expr_substitute(expr_graph *graph, expr root, int first, int count, const expr *by) {
    if (root < 0) return EXPR_NONE;
    if (!expr_walk_begin(graph) || !expr_walk_add(graph, root)) return EXPR_NONE;
    if (!mem_grow(graph->context, (void **)&graph->map, &graph->map_capacity, (size_t)root + 1, sizeof(expr))) return EXPR_NONE;
    expr *map = graph->map, result = EXPR_NONE;
    for (size_t i = 0; i < graph->n_order; i++) {
        expr old = graph->order[i];
        const expr_node *node = &graph->nodes[old];
        bool replaced = node->op == EXPR_VARIABLE && node->a >= first && node->a - first < count;
        result = map[old] = replaced ? by[node->a - first] : rebuild(graph, old, map);
        if (result < 0) break;
    }
    return result;
}

/* ---- tables ---- */

expr expr_look_up(expr_graph *graph, expr_table *table, int order, expr x) {
    double at;
    size_t k = 0;
    if (x < 0) return EXPR_NONE;
    if (order > table->degree && order != EXPR_TABLE_INTERVAL) return expr_constant(graph, 0);
    if (expr_is_constant(graph, x, &at)) return expr_constant(graph, expr_table_value(table, order, at));
    while (k < graph->n_tables && graph->tables[k] != table) k++;
    if (k == graph->n_tables) {
        if (!mem_grow(graph->context, (void **)&graph->tables, &graph->table_capacity, k + 1, sizeof *graph->tables)) return EXPR_NONE;
        graph->tables[graph->n_tables++] = expr_table_keep(table);
    }
    return expr_intern_value(graph, EXPR_TABLE, x, EXPR_NONE, EXPR_NONE, (double)(k * EXPR_TABLE_ORDERS) + order);
}
