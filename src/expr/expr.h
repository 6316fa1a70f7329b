/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas as a shared graph: parse, differentiate, simplify, compile to a tape.
 *
 * A node is an index into its graph; equal subexpressions are one node (hash-consing), so common terms are shared by
 * construction. Constants fold and neutral elements vanish as nodes are made. EXPR_NONE stands for "out of memory" and
 * propagates through every operation; the error is in the context. */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "base/base.h"
#include "base/names.h"
#include "expr/table.h"
#include "zeno/types.h"

typedef int expr;
#define EXPR_NONE (-1)

typedef struct expr_graph expr_graph;

expr_graph *expr_graph_create(zn_context *context);
void expr_graph_destroy(expr_graph *graph);

typedef enum expr_op {
    EXPR_CONSTANT,
    EXPR_VARIABLE,
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_NEG,
    EXPR_POW, /* pow: any exponent; integer powers stay exact for negative bases */
    EXPR_SIN,
    EXPR_COS,
    EXPR_TAN,
    EXPR_ASIN,
    EXPR_ACOS,
    EXPR_ATAN,
    EXPR_ATAN2,
    EXPR_SINH,
    EXPR_COSH,
    EXPR_TANH,
    EXPR_EXP,
    EXPR_LOG,
    EXPR_SQRT,
    EXPR_ABS,
    EXPR_SIGN,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_HYPOT,
    EXPR_FLOOR,
    EXPR_TABLE, /* see expr_look_up */
    EXPR_FOOT,  /* see expr_nearest_point */
    EXPR_FOOT_PART,
    EXPR_LESS, /* comparisons and logic give 0 or 1 */
    EXPR_LESS_EQUAL,
    EXPR_EQUAL,
    EXPR_AND,
    EXPR_OR,
    EXPR_NOT,
    EXPR_IF /* if(condition, a, b): only the chosen branch counts */
} expr_op;

expr expr_constant(expr_graph *, double value);
expr expr_variable(expr_graph *, int index); /* variables are numbered by the user of the graph */
expr expr_unary(expr_graph *, expr_op, expr a);
expr expr_binary(expr_graph *, expr_op, expr a, expr b);
expr expr_if(expr_graph *, expr condition, expr a, expr b);

bool expr_is_constant(const expr_graph *, expr, double *value);
bool expr_is_zero(const expr_graph *, expr);
bool expr_depends(expr_graph *, expr, int variable);
/* Whether it depends on any variable with first <= index < first + count. */
bool expr_depends_range(expr_graph *, expr, int first, int count);
/* Which of them any of n expressions depends on, ascending and counted from `first`, into list, with room for all `count`. Returns their
 * number; -1: out of memory. */
int expr_variables(expr_graph *, int n, const expr *, int first, int count, int *list);

int expr_count(const expr_graph *); /* nodes made so far; each is younger than its operands: 0 <= operand < node < count */

/* Exact derivative by a variable; kept, so asking twice costs nothing; derivatives of derivatives work. */
expr expr_derivative(expr_graph *, expr, int variable);
/* Derivatives by the variables first .. first + count - 1, into out. false: out of memory. */
bool expr_gradient(expr_graph *, expr, int first, int count, expr *out);
/* Registers a derivative in a cheaper form than the rules would find; later questions get this one. It must equal the
 * derivative. false: out of memory. */
bool expr_keep_derivative(expr_graph *, expr, int variable, expr derivative);
/* In place of a variable: the derivative along a motion, in which variables have the rates that expr_keep_derivative gives for their nodes,
 * and others are constant. Rates given for other nodes (a rotation matrix turns with the angular velocity) keep it short. */
#define EXPR_MOTION (INT32_MAX - 1)
/* Further motions, k = 1 .. EXPR_MOTIONS - 1, in which several coordinates move together, such as a body that turns about an axis. */
#define EXPR_MOTION_OF(k) (EXPR_MOTION - (k))
enum { EXPR_MOTIONS = 13 };
/* Replaces variable `first + i` by by[i]. */
expr expr_substitute(expr_graph *, expr, int first, int count, const expr *by);
double expr_value(expr_graph *, expr, const double *variables); /* slow, for constants and checks */

typedef struct expr_list {
    expr *at;
    size_t count, room;
} expr_list;
/* Where n expressions jump or bend as functions of a variable: expressions of few values, each constant between two such places. Those that
 * depend on it and on none of the variables first .. first + count - 1 join the list, which the caller frees. false: memory is out. */
bool expr_switches(expr_graph *, int n, const expr *, int variable, int first, int count, expr_list *);

/* The derivative of an order (0: the value) of a table at x. The graph and its tapes share the table. */
expr expr_look_up(expr_graph *, expr_table *, int order, expr x);

/* ---- nearest points ---- */

/* A curve (dim 2) or surface (dim 3) f = 0, f an expression of the variables first .. first + 2, and of n_parameters variables from
 * `parameters` on, which are constants for it: derivatives by them are never needed. -1: memory is out. */
enum { EXPR_SURFACE_PARAMETERS = 12 }; /* at most */
int expr_surface(expr_graph *, expr f, int first, int dim, int parameters, int n_parameters);
/* Its point nearest to p (found from p by Newton's method; NaN where there is none), the gradient of f there, and the distance,
 * with the sign of f. With exact derivatives of any order. */
typedef struct expr_nearest {
    expr point[3], gradient[3];
    expr distance;
} expr_nearest;
expr_nearest expr_nearest_point(expr_graph *, int surface, const expr *p);

/* ---- parsing ---- */

/* Names a formula may use. `name` includes the primes ("x'"). */
typedef struct expr_name {
    const char *name;
    expr value;
} expr_name;

typedef struct expr_table_name {
    const char *name;
    expr_table *table;
} expr_table_name;

typedef struct expr_scope {
    int count;
    const expr_name *names;
    const name_table *table; /* index of each name (owner 0), or NULL: names are compared one by one */
    int n_tables;
    const expr_table_name *tables; /* for table(NAME, x) */
} expr_scope;

/* Grammar: numbers, names (with primes; dots inside, as in crank.phi), + - * / ^ (right associative, binds tighter than unary minus on its
 * left), comparison and `and or not`, parentheses, function calls; `pi` and functions are known. On failure the status is
 * ZN_ERROR_SYNTAX and the error names file, line, column, shows the offending text and hints at the nearest known name. */
zn_status expr_parse(expr_graph *, zn_context *, const expr_scope *, zn_formula, expr *out);
/* Whether a text can be a name in formulas (letter or _, then letters, digits, _), and is not a function or `pi`, `t`. */
bool expr_name_is_valid(const char *name);
/* The nearest of `count` names to `name` by edit distance, or NULL when none is near. `get` maps an index to a name. */
const char *expr_nearest_name(const char *name, int count, const char *(*get)(const void *, int), const void *user);

/* ---- constants that may change ---- */

/* Makes a constant one that a parameter gives; nodes from `before` on were made for it alone. The graph records how others follow from it;
 * then tapes can be updated to other values of the sources, with the bits that a new graph would give, or the answer is that a new graph is
 * needed (trace.c). */
expr expr_source(expr_graph *, int source, expr constant, int before);
/* The value of a constant, without pinning it: *slot follows it; 0: it never changes. expr_is_constant pins what it reports. */
double expr_peek(const expr_graph *, expr constant, int *slot);
void expr_trace_pin(expr_graph *, int slot);

typedef struct expr_trace expr_trace;
/* What the graph recorded, once all of its tapes are made; NULL: it has no sources. */
expr_trace *expr_trace_take(expr_graph *);
void expr_trace_destroy(expr_trace *);
/* Other values of the sources. false: a new graph is needed, and this one can no longer be used. */
bool expr_trace_move(expr_trace *, const double *sources);
double expr_trace_value(const expr_trace *, int slot);

/* ---- tapes ---- */

/* Many outputs in one go. Outputs come in sections; running up to section k computes the outputs of sections 0..k only.
 * A tape is constant and may be used by several threads, each with its own registers. */
typedef struct expr_tape expr_tape;

typedef struct expr_section {
    int count;
    const expr *outputs;
} expr_section;

/* Variables are 0..n_variables-1. NULL on failure (in the context). */
expr_tape *expr_compile(expr_graph *, zn_context *, int n_variables, int n_sections, const expr_section *);
void expr_tape_destroy(zn_context *, expr_tape *);
/* Updates the constants of a tape to the current values of a trace. */
void expr_tape_move(expr_tape *, const expr_trace *);
int expr_tape_registers(const expr_tape *);                    /* doubles of scratch */
int expr_tape_instructions(const expr_tape *, int n_sections); /* of sections 0..n_sections-1 */
/* results[k] points to memory for the outputs of section k, or NULL (computed but not copied). The
 * variables may lie in the registers already (the same pointer); they stay as they are. No allocation. */
void expr_tape_run(const expr_tape *, double *registers, const double *variables, int n_sections, double *const *results);

/* The same in pieces, for one, EXPR_FEW_LANES or EXPR_LANES points at once: register i of lane k is registers[i * lanes + k], and its bits
 * do not depend on the other lanes. The variables are in the registers already; `begin` stores the constants, then the sections run one by
 * one from the first, and the outputs of each are read from their registers before the next one runs. */
enum { EXPR_FEW_LANES = 4, EXPR_LANES = 8 };
void expr_tape_begin(const expr_tape *, double *registers, int lanes);
void expr_tape_section(const expr_tape *, double *registers, int lanes, int section);
const int32_t *expr_tape_outputs(const expr_tape *, int section, int *count); /* their registers; none beyond the last section */
bool expr_tape_says(const expr_tape *, int section);                          /* it has an output that is not always zero */

#endif
