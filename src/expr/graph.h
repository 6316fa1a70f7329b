/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the expression graph: nodes, hash-consing, walks. Only for the files of this folder. */
#ifndef EXPR_GRAPH_H
#define EXPR_GRAPH_H

#include "expr/expr.h"

typedef struct expr_node {
    expr_op op;
    expr a, b, c;     /* operands, EXPR_NONE when absent; IF: condition, then, else; VARIABLE: a is its index */
    double value;     /* CONSTANT; FOOT: index of its expr_foot_node; FOOT_PART: 1, 2: y, z of the point, 3: the distance;
                       * TABLE: EXPR_TABLE_ORDERS times its number in the graph, plus the order of the derivative */
    int slot;         /* CONSTANT: of the trace, + 1; 0: it does not depend on sources (trace.c) */
    uint64_t depends; /* bit (index mod 64) of every variable below: a clear bit proves independence */
} expr_node;

/* A curve or surface f = 0 with its derivatives by its own variables. */
typedef struct expr_surface_node {
    expr f, g[3], H[6]; /* xx, xy, xz, yy, yz, zz */
    int first, dim, parameters, n_parameters;
    struct expr_tape *tape; /* for slow evaluation, made when first asked for */
} expr_surface_node;

/* A nearest point: the derivatives at it. */
typedef struct expr_foot_node {
    int surface;
    expr p[3], g[3], H[6];
} expr_foot_node;

typedef struct expr_memo {
    expr node;
    int variable; /* + 1, so that 0 means an empty slot */
    expr derivative;
} expr_memo;

/* Operands are made before the node that uses them, so an operand's index is always the smaller one. */
struct expr_graph {
    zn_context *context;
    expr_node *nodes;
    size_t count, node_capacity;
    expr *table; /* open addressing, node + 1, 0 is empty; size a power of two */
    size_t table_size;
    expr_memo *memos;
    size_t memo_count, memo_size;
    uint64_t moving[EXPR_MOTIONS]; /* bits of the variables whose rates along a motion are given */
    expr bits[2];                  /* 1 + the constants 0 and 1, which most derivatives are; 0: not made yet */
    expr_surface_node *surfaces;
    expr_foot_node *feet;
    size_t n_surfaces, surface_capacity, n_feet, foot_capacity;
    expr_table **tables;
    size_t n_tables, table_capacity;
    /* scratch of walks */
    unsigned *stamps, generation;
    size_t stamp_capacity;
    expr *stack, *order;
    size_t stack_capacity, order_capacity, n_order;
    expr *map; /* of a substitution: the substitute of each node of the walk */
    size_t map_capacity;
    double *values;
    size_t value_capacity;
    struct expr_trace *trace; /* NULL: there are no sources */
};

/* Derivatives of order 0 to 3, beyond which those of a cubic are zero; the last entry stands for the number of the interval. */
enum { EXPR_TABLE_ORDERS = EXPR_TABLE_INTERVAL + 1 };

int expr_operand_count(expr_op op);
/* The node as it is, with commutative operands sorted but without simplification. */
expr expr_intern(expr_graph *, expr_op, expr a, expr b, expr c);
expr expr_intern_constant(expr_graph *, double value);                               /* without a history */
expr expr_intern_value(expr_graph *, expr_op, expr a, expr b, expr c, double value); /* the same, with a value */

/* A walk lists every node below its roots once, operands before users, in graph->order[0..n_order). */
bool expr_walk_begin(expr_graph *);
bool expr_walk_add(expr_graph *, expr root);
bool expr_push(expr_graph *, size_t *depth, expr node); /* on graph->stack */

/* Small integer and half-integer exponents are multiplications. If y is one: x^y = chain(x, *whole) * (half ? sqrt(x) : 1), inverted when y
 * < 0. */
bool expr_power_is_chain(double y, int *whole, bool *half);
double expr_apply(expr_op op, double a, double b, double c);

static inline double expr_sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; } /* NaN stays NaN */
/* The same for both orders of the operands, also for 0 and -0; NaN stays NaN. */
static inline double expr_min_of(double a, double b) { return a < b ? a : b < a ? b : a == b ? (signbit(a) ? a : b) : a + b; }
static inline double expr_max_of(double a, double b) { return a > b ? a : b > a ? b : a == b ? (signbit(a) ? b : a) : a + b; }

/* Functions that formulas may call. */
typedef struct expr_function {
    const char *name;
    expr_op op;
    int arguments;
    bool more; /* any number of arguments from `arguments` on */
} expr_function;
const expr_function *expr_find_function(const char *name, size_t length);
int expr_function_count(void);
const char *expr_function_name(int index);
/* The function that is called otherwise in other languages ("ln" is "log"), or NULL. */
const char *expr_other_name(const char *name);

#endif
