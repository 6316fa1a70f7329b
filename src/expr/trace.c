/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that follow from sources (parameters of a scene). Constants fold as nodes are made, so a tape only has c = op(a, b), without a
 * and b; the trace keeps them, in order:
 *
 *   slot i:  v_i = source k,  or  v_i = op(v_a, v_b)
 *
 * For other sources the slots are computed again and the constants of the tapes replaced. A new graph would give the same, bit for bit, if
 * it took the same decisions; these depend on constants only through
 *
 *   aspects     of a number: its sign, whether it is 0, 1, -1, 2, 1/2, a power of two, normal, finite
 *   equality    equal constants are one node: equal ones must stay equal, and different ones different
 *   pins        code that uses a number itself pins it to its value.
 *
 * Where one of them changes, a new graph is needed. */
#include "expr/trace.h"

#include "expr/tape.h"

enum { MOST_SLOTS = 4096, LOOK_BACK = 16, UNUSED = -1 /* slot of a constant that no formula has */ };
static const expr_op source_op = EXPR_VARIABLE; /* of a slot */
static const uint64_t mantissa = (UINT64_C(1) << 52) - 1;

typedef struct trace_slot {
    expr_op op;
    int a, b; /* slots - 1, or the number of a source; 0: the numbers x, y */
    double x, y, now;
    uint64_t first; /* the bits that it began with */
    unsigned aspects;
    bool pinned, node, changed;
} trace_slot;

/* A set of bit patterns: the permanent ones, and those of this turn. */
typedef struct trace_cell {
    uint64_t bits;
    unsigned turn;
} trace_cell;
enum { FOR_GOOD = 1 };

struct expr_trace {
    zn_context *context;
    trace_slot *slots;
    size_t count, capacity;
    int (*equal)[2]; /* slots that must stay equal */
    size_t n_equal, equal_capacity;
    trace_cell *cells; /* of literals; size a power of two */
    size_t n_cells;
    unsigned turn;
    bool lost; /* too long, or memory is out: nothing may change */
};

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static unsigned aspects_of(double v) {
    unsigned a = (unsigned)(signbit(v) != 0) | (unsigned)(v == 0) << 1 | (unsigned)(v == 1) << 2 | (unsigned)(v == -1) << 3;
    a |= (unsigned)(v == 2) << 4 | (unsigned)(v == 0.5) << 5 | (unsigned)isnormal(v) << 6 | (unsigned)isfinite(v) << 7;
    if ((bits_of(v) & mantissa) == 0) a |= 1u << 8 | (unsigned)isnormal(1 / v) << 9;
    return a | (unsigned)(v != v) << 10;
}

static expr_trace *trace_of(expr_graph *graph) {
    if (!graph->trace) {
        graph->trace = MEM_ARRAY(graph->context, expr_trace, 1);
        if (graph->trace) graph->trace->context = graph->context;
    }
    return graph->trace;
}

static int add_slot(expr_trace *t, trace_slot slot) {
    for (size_t i = t->count; i > 0 && i + LOOK_BACK > t->count; i--) {
        const trace_slot *s = &t->slots[i - 1];
        if (s->op == slot.op && s->a == slot.a && s->b == slot.b && bits_of(s->x) == bits_of(slot.x) && bits_of(s->y) == bits_of(slot.y))
            return (int)i;
    }
    t->lost = t->lost || t->count >= MOST_SLOTS;
    if (!t->lost) t->lost = !mem_grow(t->context, (void **)&t->slots, &t->capacity, t->count + 1, sizeof *t->slots);
    if (t->lost) return 0;
    slot.first = bits_of(slot.now), slot.aspects = aspects_of(slot.now);
    t->slots[t->count++] = slot;
    return (int)t->count;
}

static void pin_slot(expr_trace *t, int slot) {
    if (t && slot > 0) t->slots[slot - 1].pinned = true;
}

void expr_pin(const expr_graph *graph, expr constant) { pin_slot(graph->trace, graph->nodes[constant].slot); }

expr expr_source(expr_graph *graph, int source, expr constant, int before) {
    expr_trace *t = trace_of(graph);
    if (!t || constant < 0) return EXPR_NONE;
    for (size_t i = (size_t)before; i < graph->count; i++)
        if (graph->nodes[i].op == EXPR_CONSTANT && !graph->nodes[i].slot) graph->nodes[i].slot = UNUSED;
    double value = graph->nodes[constant].value;
    return expr_number_node(graph, (expr_number){value, add_slot(t, (trace_slot){.op = source_op, .a = source, .now = value})});
}

expr_number expr_number_make(expr_graph *graph, expr_op op, expr_number a, expr_number b) {
    expr_number made = {expr_apply(op, a.value, b.value, 0), 0};
    if (a.slot || b.slot)
        made.slot = add_slot(graph->trace, (trace_slot){.op = op, .a = a.slot, .b = b.slot, .x = a.value, .y = b.value, .now = made.value});
    return made;
}

expr expr_number_node(expr_graph *graph, expr_number number) {
    size_t before = graph->count;
    expr node = expr_intern_constant(graph, number.value);
    expr_trace *t = graph->trace;
    if (node < 0 || !t || graph->nodes[node].slot == number.slot) return node;
    int other = graph->nodes[node].slot;
    if (graph->count > before || other == UNUSED) {
        graph->nodes[node].slot = number.slot;
        if (number.slot) t->slots[number.slot - 1].node = true;
    } else if (!other || !number.slot) { /* equal to a number of its own */
        pin_slot(t, other ? other : number.slot);
    } else {
        t->lost = t->lost || !mem_grow(t->context, (void **)&t->equal, &t->equal_capacity, t->n_equal + 1, sizeof *t->equal);
        if (!t->lost) t->equal[t->n_equal][0] = other - 1, t->equal[t->n_equal++][1] = number.slot - 1;
    }
    return node;
}

double expr_peek(const expr_graph *graph, expr constant, int *slot) {
    *slot = graph->nodes[constant].slot;
    return graph->nodes[constant].value;
}

/* ---- apart from the graph ---- */

/* False: it was there already. Cells of earlier turns count as empty. */
static bool put_cell(expr_trace *t, double value, unsigned turn) {
    uint64_t bits = bits_of(value), hash = bits * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = (size_t)(hash >> 32) & (t->n_cells - 1);; at = (at + 1) & (t->n_cells - 1)) {
        trace_cell *cell = &t->cells[at];
        if (cell->turn != FOR_GOOD && cell->turn != t->turn) {
            *cell = (trace_cell){bits, turn};
            return true;
        }
        if (cell->bits == bits) return false;
    }
}

expr_trace *expr_trace_take(expr_graph *graph) {
    expr_trace *t = graph->trace;
    graph->trace = NULL;
    if (!t) return NULL;
    size_t constants = 0;
    for (size_t i = 0; i < graph->count; i++) constants += graph->nodes[i].op == EXPR_CONSTANT;
    for (t->n_cells = 16; t->n_cells < 4 * constants; t->n_cells *= 2) {}
    t->cells = MEM_ARRAY(t->context, trace_cell, t->n_cells);
    t->turn = FOR_GOOD;
    t->lost = t->lost || !t->cells || graph->n_surfaces > 0;
    for (size_t i = 0; !t->lost && i < graph->count; i++)
        if (graph->nodes[i].op == EXPR_CONSTANT && !graph->nodes[i].slot) put_cell(t, graph->nodes[i].value, FOR_GOOD);
    return t;
}

void expr_trace_destroy(expr_trace *t) {
    if (!t) return;
    mem_free(t->context, t->slots);
    mem_free(t->context, t->equal);
    mem_free(t->context, t->cells);
    mem_free(t->context, t);
}

/* Only what depends on sources that changed is computed. */
static bool move_slot(const expr_trace *t, trace_slot *s, const double *sources) {
    const trace_slot *a = s->op != source_op && s->a ? &t->slots[s->a - 1] : NULL, *b = s->b ? &t->slots[s->b - 1] : NULL;
    s->changed = s->op == source_op ? bits_of(sources[s->a]) != bits_of(s->now) : (a && a->changed) || (b && b->changed);
    if (!s->changed) return true;
    s->now = s->op == source_op ? sources[s->a] : expr_apply(s->op, a ? a->now : s->x, b ? b->now : s->y, 0);
    return aspects_of(s->now) == s->aspects && (!s->pinned || bits_of(s->now) == s->first);
}

bool expr_trace_move(expr_trace *t, const double *sources) {
    if (!t || t->lost || ++t->turn == 0) return false; /* 0: the counter wrapped around */
    for (size_t i = 0; i < t->count; i++) {
        trace_slot *s = &t->slots[i];
        if (!move_slot(t, s, sources) || (s->node && !put_cell(t, s->now, t->turn))) return false;
    }
    for (size_t i = 0; i < t->n_equal; i++)
        if (bits_of(t->slots[t->equal[i][0]].now) != bits_of(t->slots[t->equal[i][1]].now)) return false;
    return true;
}

double expr_trace_value(const expr_trace *t, int slot) { return t->slots[slot - 1].now; }

void expr_trace_pin(expr_graph *graph, int slot) { pin_slot(graph->trace, slot); }

void expr_tape_move(expr_tape *tape, const expr_trace *t) {
    for (int i = 0; i < tape->n_traced; i++) tape->constants[tape->traced[i].constant] = t->slots[tape->traced[i].slot - 1].now;
}
