/* SPDX-License-Identifier: Apache-2.0 */
/* Exact derivatives, kept per (node, variable).
 *
 * Where the rule of a function gives 0/0 although the function has a one-sided or best value there, the derivative is an
 * `if` that names this point; its other branch is the rule, so that higher derivatives away from the point stay exact:
 *   |f|' = sign(f) f' (0 at a kink), sqrt(f)' = 0 where f = f' = 0, hypot' = 0 at the origin, (0^y)' = 0 for y > 0;
 * a function of an argument with derivative 0 has the derivative 0, even where its slope is infinite: acos(min(x, 1)). */
#include "expr/foot.h"

/* ---- what is known already ---- */

static size_t memo_slot(const expr_graph *graph, expr node, int variable) {
    uint64_t hash = ((uint64_t)(uint32_t)node + ((uint64_t)(uint32_t)variable << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 32) & (graph->memo_size - 1);
    while (graph->memos[slot].variable && (graph->memos[slot].node != node || graph->memos[slot].variable != variable + 1))
        slot = (slot + 1) & (graph->memo_size - 1);
    return slot;
}

static bool memo_grow(expr_graph *graph) {
    expr_memo *old = graph->memos;
    size_t old_size = graph->memo_size, size = old_size ? old_size * 2 : 64;
    expr_memo *memos = MEM_ARRAY(graph->context, expr_memo, size);
    if (!memos) return false;
    graph->memos = memos;
    graph->memo_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].variable) memos[memo_slot(graph, old[i].node, old[i].variable - 1)] = old[i];
    mem_free(graph->context, old);
    return true;
}

static bool memo_keep(expr_graph *graph, expr node, int variable, expr derivative) {
    if (derivative < 0) return false;
    if (2 * (graph->memo_count + 1) > graph->memo_size && !memo_grow(graph)) return false;
    graph->memos[memo_slot(graph, node, variable)] = (expr_memo){node, variable + 1, derivative};
    graph->memo_count++;
    return true;
}

static expr bit(expr_graph *graph, bool one) {
    if (!graph->bits[one]) graph->bits[one] = expr_constant(graph, one) + 1; /* EXPR_NONE + 1 is 0 */
    return graph->bits[one] - 1;
}

static bool is_motion(int variable) { return variable > EXPR_MOTION - EXPR_MOTIONS; }

/* A node without these bits does not depend on the variable. */
static uint64_t mask_of(const expr_graph *graph, int variable) {
    return is_motion(variable) ? graph->moving[EXPR_MOTION - variable] : UINT64_C(1) << (variable % 64);
}

/* Whether the derivative needs no work; *derivative is then EXPR_NONE only when out of memory. */
static bool known(expr_graph *graph, expr node, int variable, expr *derivative) {
    const expr_node *n = &graph->nodes[node];
    bool stepwise = n->op == EXPR_SIGN || n->op == EXPR_FLOOR || (n->op >= EXPR_LESS && n->op <= EXPR_NOT);
    if (n->op == EXPR_VARIABLE && !is_motion(variable)) {
        *derivative = bit(graph, n->a == variable);
        return true;
    }
    if (stepwise || !(n->depends & mask_of(graph, variable))) {
        *derivative = bit(graph, false);
        return true;
    }
    if (!graph->memo_size) return false;
    const expr_memo *memo = &graph->memos[memo_slot(graph, node, variable)];
    *derivative = memo->derivative;
    if (memo->variable != 0 || n->op != EXPR_VARIABLE) return memo->variable != 0;
    *derivative = bit(graph, false); /* it does not vary */
    return true;
}

/* A node with the same derivative, further down: of a sum only the terms that depend on the variable count, and a long sum (an energy of
 * thousands of coordinates) is left in a short loop instead of one derivative for each of its partial sums. */
static expr same_derivative(const expr_graph *graph, expr node, int variable) {
    const uint64_t mask = mask_of(graph, variable);
    for (;;) {
        const expr_node *n = &graph->nodes[node];
        if (n->op != EXPR_ADD && n->op != EXPR_SUB) return node;
        if (!(graph->nodes[n->b].depends & mask)) node = n->a;
        else if (n->op == EXPR_ADD && !(graph->nodes[n->a].depends & mask)) node = n->b;
        else return node;
    }
}

/* ---- signs that can be seen ---- */

#define SIGN_DEPTH 6 /* of the search for a proof; deeper ones are not worth the time */

static bool is_not_negative(const expr_graph *graph, expr node, int depth);

static bool is_positive(const expr_graph *graph, expr node, int depth) {
    const expr_node *n = &graph->nodes[node];
    if (depth == 0) return false;
    switch (n->op) {
    case EXPR_CONSTANT: return n->value > 0;
    case EXPR_COSH: return true;
    case EXPR_ADD:
        return (is_positive(graph, n->a, depth - 1) && is_not_negative(graph, n->b, depth - 1)) ||
               (is_positive(graph, n->b, depth - 1) && is_not_negative(graph, n->a, depth - 1));
    case EXPR_HYPOT: return is_positive(graph, n->a, depth - 1) || is_positive(graph, n->b, depth - 1);
    case EXPR_SQRT: return is_positive(graph, n->a, depth - 1);
    default: return false;
    }
}

static bool is_not_negative(const expr_graph *graph, expr node, int depth) {
    const expr_node *n = &graph->nodes[node];
    if (depth == 0) return false;
    switch (n->op) {
    case EXPR_EXP:
    case EXPR_ABS:
    case EXPR_SQRT:
    case EXPR_HYPOT: return true;
    case EXPR_MUL:
        if (n->a == n->b) return true;
        return is_not_negative(graph, n->a, depth - 1) && is_not_negative(graph, n->b, depth - 1);
    case EXPR_ADD: return is_not_negative(graph, n->a, depth - 1) && is_not_negative(graph, n->b, depth - 1);
    default: return (n->op == EXPR_CONSTANT && n->value == 0) || is_positive(graph, node, depth);
    }
}

/* ---- the rules ---- */

static expr constant(expr_graph *graph, double value) { return expr_constant(graph, value); }
static expr add(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_ADD, a, b); }
static expr sub(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_SUB, a, b); }
static expr mul(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_MUL, a, b); }
static expr quotient(expr_graph *graph, expr a, expr b) { return expr_binary(graph, EXPR_DIV, a, b); }
static expr negative(expr_graph *graph, expr a) { return expr_unary(graph, EXPR_NEG, a); }
static expr square(expr_graph *graph, expr a) { return expr_binary(graph, EXPR_MUL, a, a); }
static expr is_zero(expr_graph *graph, expr a) { return expr_binary(graph, EXPR_EQUAL, a, constant(graph, 0)); }

/* `rule`, but 0 where f = f' = 0. A constant f' is not zero there, a positive f neither. */
static expr zero_at_double_root(expr_graph *graph, expr f, expr df, expr rule) {
    if (expr_is_constant(graph, df, NULL) || is_positive(graph, f, SIGN_DEPTH)) return rule;
    expr at_root = expr_binary(graph, EXPR_AND, is_zero(graph, f), is_zero(graph, df));
    return expr_if(graph, at_root, constant(graph, 0), rule);
}

/* (x^y)' = y x^(y-1) x' + x^y log(x) y' */
static expr rule_pow(expr_graph *graph, expr self, expr x, expr y, expr dx, expr dy) {
    double exponent;
    if (expr_is_constant(graph, y, &exponent)) {
        expr power = expr_binary(graph, EXPR_POW, x, constant(graph, exponent - 1));
        expr rule = mul(graph, mul(graph, y, power), dx);
        return exponent > 0 && exponent < 1 ? zero_at_double_root(graph, x, dx, rule) : rule;
    }
    expr base_is_zero = is_zero(graph, x), zero = constant(graph, 0);
    expr by_base = zero, by_exponent = zero;
    if (!expr_is_zero(graph, dx)) { /* y x^(y-1) x' may be 0 * inf at x = 0: x^0 is the constant 1, and a base may be constantly 0 */
        expr power = expr_binary(graph, EXPR_POW, x, sub(graph, y, constant(graph, 1)));
        expr rests = expr_binary(graph, EXPR_OR, is_zero(graph, y), is_zero(graph, dx));
        expr both = expr_binary(graph, EXPR_AND, base_is_zero, rests);
        by_base = expr_if(graph, both, zero, mul(graph, mul(graph, y, power), dx));
    }
    if (!expr_is_zero(graph, dy)) { /* a zero base contributes nothing, nor does a constant exponent (a negative base needs this) */
        by_exponent = mul(graph, mul(graph, self, expr_unary(graph, EXPR_LOG, x)), dy);
        expr negative_base = expr_binary(graph, EXPR_LESS, x, zero), positive = expr_binary(graph, EXPR_LESS, zero, y);
        expr rests = expr_binary(graph, EXPR_AND, negative_base, is_zero(graph, dy));
        expr vanishes = expr_binary(graph, EXPR_OR, expr_binary(graph, EXPR_AND, base_is_zero, positive), rests);
        by_exponent = expr_if(graph, vanishes, zero, by_exponent);
    }
    return add(graph, by_base, by_exponent);
}

/* 0 where a = 1 and a' = 0, so that an argument that is clamped to -1 ... 1 has the slope 0. */
static expr rule_arc(expr_graph *graph, double sign, expr a, expr da) {
    expr inside = sub(graph, constant(graph, 1), square(graph, a));
    expr slope = quotient(graph, constant(graph, sign), expr_unary(graph, EXPR_SQRT, inside));
    return zero_at_double_root(graph, inside, da, mul(graph, slope, da));
}

static expr rule_atan2(expr_graph *graph, expr y, expr x, expr dy, expr dx) {
    expr top = sub(graph, mul(graph, x, dy), mul(graph, y, dx)), bottom = add(graph, square(graph, x), square(graph, y));
    expr rests = expr_binary(graph, EXPR_AND, is_zero(graph, dx), is_zero(graph, dy));
    expr at_origin = expr_binary(graph, EXPR_AND, is_zero(graph, bottom), rests);
    return expr_if(graph, at_origin, constant(graph, 0), quotient(graph, top, bottom));
}

static expr rule_hypot(expr_graph *graph, expr self, expr x, expr y, expr dx, expr dy) {
    expr rule = quotient(graph, add(graph, mul(graph, x, dx), mul(graph, y, dy)), self);
    if (is_positive(graph, self, SIGN_DEPTH)) return rule;
    return expr_if(graph, is_zero(graph, self), constant(graph, 0), rule);
}

/* f(a)' / a' for functions of one argument. */
static expr outer_derivative(expr_graph *graph, expr_op op, expr self, expr a) {
    expr one = constant(graph, 1);
    switch (op) {
    case EXPR_SIN: return expr_unary(graph, EXPR_COS, a);
    case EXPR_COS: return negative(graph, expr_unary(graph, EXPR_SIN, a));
    case EXPR_TAN: return add(graph, one, square(graph, self));
    case EXPR_ATAN: return quotient(graph, one, add(graph, one, square(graph, a)));
    case EXPR_SINH: return expr_unary(graph, EXPR_COSH, a);
    case EXPR_COSH: return expr_unary(graph, EXPR_SINH, a);
    case EXPR_TANH: return sub(graph, one, square(graph, self));
    case EXPR_EXP: return self;
    case EXPR_ABS: return expr_unary(graph, EXPR_SIGN, a);
    default: return constant(graph, 0); /* stepwise constant functions */
    }
}

/* The derivatives of the point are known: that of its foot node was made from them. */
static expr rule_foot_part(expr_graph *graph, const expr_node *node, int variable) {
    const expr_node foot = graph->nodes[node->a];
    const expr p[3] = {foot.a, foot.b, foot.c};
    expr dp[3];
    for (int i = 0; i < 3; i++)
        if ((!known(graph, p[i], variable, &dp[i]) && !known(graph, same_derivative(graph, p[i], variable), variable, &dp[i])) || dp[i] < 0)
            return EXPR_NONE;
    return expr_foot_derivative(graph, node->a, (int)node->value, dp);
}

static expr rule_table(expr_graph *graph, int key, expr x) {
    return expr_look_up(graph, graph->tables[key / EXPR_TABLE_ORDERS], key % EXPR_TABLE_ORDERS + 1, x);
}

static expr rule(expr_graph *graph, expr self, const expr_node *node, int variable, expr da, expr db, expr dc) {
    expr a = node->a, b = node->b;
    switch (node->op) {
    case EXPR_ADD: return add(graph, da, db);
    case EXPR_SUB: return sub(graph, da, db);
    case EXPR_MUL: return add(graph, mul(graph, da, b), mul(graph, a, db));
    case EXPR_DIV: return quotient(graph, sub(graph, da, mul(graph, self, db)), b);
    case EXPR_NEG: return negative(graph, da);
    case EXPR_POW: return rule_pow(graph, self, a, b, da, db);
    case EXPR_LOG: return quotient(graph, da, a);
    case EXPR_SQRT: return zero_at_double_root(graph, a, da, quotient(graph, da, mul(graph, constant(graph, 2), self)));
    case EXPR_HYPOT: return rule_hypot(graph, self, a, b, da, db);
    case EXPR_ASIN: return rule_arc(graph, 1, a, da);
    case EXPR_ACOS: return rule_arc(graph, -1, a, da);
    case EXPR_ATAN2: return rule_atan2(graph, a, b, da, db);
    case EXPR_MIN: return expr_if(graph, expr_binary(graph, EXPR_LESS_EQUAL, a, b), da, db);
    case EXPR_MAX: return expr_if(graph, expr_binary(graph, EXPR_LESS_EQUAL, b, a), da, db);
    case EXPR_FOOT: return expr_foot_derivative(graph, self, 0, (const expr[]){da, db, dc});
    case EXPR_FOOT_PART: return rule_foot_part(graph, node, variable);
    case EXPR_TABLE: return mul(graph, rule_table(graph, (int)node->value, a), da);
    case EXPR_IF: return expr_if(graph, a, db, dc);
    default: return mul(graph, outer_derivative(graph, node->op, self, a), da);
    }
}

/* The derivative of the node on top of the stack, once those of its operands are known; false: out of memory. */
static bool advance(expr_graph *graph, size_t *depth, int variable, expr *result) {
    expr top = graph->stack[*depth - 1];
    if (known(graph, top, variable, result)) {
        (*depth)--;
        return *result >= 0;
    }
    const expr_node node = graph->nodes[top]; /* a copy: rules make nodes, which may move the array */
    const expr operands[3] = {node.a, node.b, node.c};
    expr d[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    bool ready = true;
    for (int i = node.op == EXPR_IF ? 1 : 0; i < expr_operand_count(node.op); i++) {
        expr operand = operands[i];
        if (known(graph, operand, variable, &d[i]) || known(graph, operand = same_derivative(graph, operand, variable), variable, &d[i])) {
            if (d[i] < 0) return false;
            continue;
        }
        ready = false;
        if (!expr_push(graph, depth, operand)) return false;
    }
    if (!ready) return true;
    *result = rule(graph, top, &node, variable, d[0], d[1], d[2]);
    if (!memo_keep(graph, top, variable, *result)) return false;
    (*depth)--;
    return true;
}

bool expr_keep_derivative(expr_graph *graph, expr node, int variable, expr derivative) {
    if (node < 0 || variable < 0 || variable > EXPR_MOTION) return false;
    if (is_motion(variable) && graph->nodes[node].op == EXPR_VARIABLE) graph->moving[EXPR_MOTION - variable] |= graph->nodes[node].depends;
    return memo_keep(graph, node, variable, derivative);
}

expr expr_derivative(expr_graph *graph, expr root, int variable) {
    if (root < 0) return EXPR_NONE;
    if (variable < 0) return expr_constant(graph, 0);
    size_t depth = 0;
    expr result = EXPR_NONE;
    if (known(graph, root, variable, &result)) return result;
    if (!expr_push(graph, &depth, same_derivative(graph, root, variable))) return EXPR_NONE;
    while (depth > 0)
        if (!advance(graph, &depth, variable, &result)) return EXPR_NONE;
    return result;
}

/* ---- gradients ---- */

static bool is_sum(const expr_graph *graph, expr node) { return graph->nodes[node].op == EXPR_ADD || graph->nodes[node].op == EXPR_SUB; }

/* The operand that continues the sum, the other one being a term: sums associate to the left. */
static bool goes_on_left(const expr_graph *graph, const expr_node *sum) {
    return sum->op == EXPR_SUB || is_sum(graph, sum->a) || !is_sum(graph, sum->b);
}

static bool add_term(expr_graph *graph, expr_op op, expr term, bool left, int first, int count, int *list, expr *out) {
    int n = expr_variables(graph, 1, &term, first, count, list);
    for (int k = 0; k < n; k++) {
        expr d = expr_derivative(graph, term, first + list[k]), *sum = &out[list[k]];
        *sum = expr_binary(graph, op, left ? *sum : d, left ? d : *sum);
        if (*sum < 0) return false;
    }
    return n >= 0;
}

/* Each term of a long sum is differentiated by the variables that it contains, instead of the whole sum by every variable. */
bool expr_gradient(expr_graph *graph, expr root, int first, int count, expr *out) {
    expr *sums = NULL, zero = bit(graph, false), node = root;
    size_t n = 0, room = 0;
    int *list = MEM_ARRAY(graph->context, int, count);
    bool good = list && zero >= 0 && root >= 0;
    for (int i = 0; i < count; i++) out[i] = zero;
    while (good && is_sum(graph, node)) {
        good = mem_grow(graph->context, (void **)&sums, &room, n + 1, sizeof *sums);
        if (good) sums[n++] = node;
        node = goes_on_left(graph, &graph->nodes[node]) ? graph->nodes[node].a : graph->nodes[node].b;
    }
    if (good) good = add_term(graph, EXPR_ADD, node, true, first, count, list, out);
    while (good && n-- > 0) {
        const expr_node sum = graph->nodes[sums[n]];
        bool left = goes_on_left(graph, &sum);
        good = add_term(graph, sum.op, left ? sum.b : sum.a, left, first, count, list, out);
    }
    mem_free(graph->context, sums);
    mem_free(graph->context, list);
    return good;
}
