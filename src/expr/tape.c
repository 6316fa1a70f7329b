/* SPDX-License-Identifier: Apache-2.0 */
/* Graph to tape: powers become products, a product used once joins its sum, steps of one operation stand together
 * (schedule.c), registers are taken again after their last use.
 *
 * Time on the tape: step i happens at 2i; the outputs of a section that ends before step e are read at 2e - 1. */
#include "expr/foot.h"

typedef struct compiler {
    expr_graph *graph;
    zn_context *context;
    expr_tape *tape;
    const expr_section *sections;
    int n_outputs;
    expr *outputs;    /* all sections one after the other, lowered */
    size_t n_nodes;   /* of the graph after lowering; the arrays below are per node */
    int *uses, *last; /* last: time of the last use, -1 once the register is free again */
    int32_t *registers;
    bool *joined;      /* a product that its only user computes */
    size_t *order_end; /* per section, in graph->order */
    tape_step *steps;
    int n_steps;
    int32_t *free_registers;
    int n_free;
} compiler;

void expr_tape_destroy(zn_context *context, expr_tape *tape) {
    if (!tape) return;
    mem_free(context, tape->constants);
    mem_free(context, tape->traced);
    mem_free(context, tape->code);
    mem_free(context, tape->batches);
    mem_free(context, tape->stretches);
    mem_free(context, tape->code_end);
    mem_free(context, tape->batch_end);
    mem_free(context, tape->stretch_end);
    mem_free(context, tape->output_end);
    mem_free(context, tape->outputs);
    for (int i = 0; i < tape->n_feet; i++) expr_tape_destroy(context, tape->feet[i].surface);
    mem_free(context, tape->feet);
    for (int i = 0; i < tape->n_tables; i++) expr_table_release(context, tape->tables[i]);
    mem_free(context, tape->tables);
    mem_free(context, tape);
}

int expr_tape_registers(const expr_tape *tape) { return tape->n_registers; }

int expr_tape_instructions(const expr_tape *tape, int n_sections) {
    if (n_sections > tape->n_sections) n_sections = tape->n_sections;
    return n_sections > 0 ? tape->code_end[n_sections - 1] : 0;
}

/* ---- lowering ---- */

static expr chain(expr_graph *graph, expr x, int n) {
    if (n == 1) return x;
    if (n % 2) return expr_intern(graph, EXPR_MUL, x, chain(graph, x, n - 1), EXPR_NONE);
    expr root = chain(graph, x, n / 2);
    return expr_intern(graph, EXPR_MUL, root, root, EXPR_NONE);
}

/* The same arithmetic as power_of in evaluate.c, as nodes. */
static expr lower_power(expr_graph *graph, expr x, expr y) {
    double exponent;
    int whole;
    bool half;
    if (!expr_is_constant(graph, y, &exponent) || !expr_power_is_chain(exponent, &whole, &half) || (whole == 0 && !half))
        return expr_intern(graph, EXPR_POW, x, y, EXPR_NONE);
    expr power = whole > 0 ? chain(graph, x, whole) : EXPR_NONE;
    if (half) {
        expr root = expr_intern(graph, EXPR_SQRT, x, EXPR_NONE, EXPR_NONE);
        power = whole > 0 ? expr_intern(graph, EXPR_MUL, power, root, EXPR_NONE) : root;
    }
    return exponent < 0 ? expr_intern(graph, EXPR_DIV, expr_constant(graph, 1), power, EXPR_NONE) : power;
}

static bool lower(compiler *c) {
    expr_graph *graph = c->graph;
    if (!expr_walk_begin(graph)) return false;
    for (int i = 0; i < c->n_outputs; i++)
        if (!expr_walk_add(graph, c->outputs[i])) return false;
    expr *map = MEM_ARRAY(c->context, expr, graph->count);
    bool good = map != NULL;
    for (size_t i = 0; i < graph->n_order && good; i++) {
        expr old = graph->order[i];
        const expr_node node = graph->nodes[old];
        int operands = expr_operand_count(node.op);
        if (operands == 0) map[old] = old;
        else if (node.op == EXPR_POW) map[old] = lower_power(graph, map[node.a], map[node.b]);
        else
            map[old] = expr_intern_value(graph, node.op, map[node.a], operands > 1 ? map[node.b] : EXPR_NONE,
                                         operands > 2 ? map[node.c] : EXPR_NONE, node.value);
        good = map[old] >= 0;
    }
    for (int i = 0; i < c->n_outputs && good; i++) c->outputs[i] = map[c->outputs[i]];
    mem_free(c->context, map);
    return good;
}

/* ---- order, uses, joining ---- */

static bool put_in_order(compiler *c) {
    expr_graph *graph = c->graph;
    if (!expr_walk_begin(graph)) return false;
    for (int k = 0, i = 0; k < c->tape->n_sections; k++) {
        for (; i < c->tape->output_end[k]; i++)
            if (!expr_walk_add(graph, c->outputs[i])) return false;
        c->order_end[k] = graph->n_order;
    }
    for (size_t i = 0; i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        const expr operands[3] = {node->a, node->b, node->c};
        for (int j = 0; j < expr_operand_count(node->op); j++) c->uses[operands[j]]++;
    }
    for (int i = 0; i < c->n_outputs; i++) c->uses[c->outputs[i]]++;
    return true;
}

static bool may_join(const compiler *c, expr node, expr_op op) { return c->graph->nodes[node].op == op && c->uses[node] == 1; }

/* The operand of a sum or difference that may be fused with it: a product, or else the sum before it. */
static expr joinable(const compiler *c, const expr_node *n) {
    if (n->op != EXPR_ADD && n->op != EXPR_SUB) return EXPR_NONE;
    if (may_join(c, n->b, EXPR_MUL)) return n->b;
    if (may_join(c, n->a, EXPR_MUL)) return n->a;
    if (n->op == EXPR_SUB) return EXPR_NONE;
    return may_join(c, n->a, EXPR_ADD) ? n->a : may_join(c, n->b, EXPR_ADD) ? n->b : EXPR_NONE;
}

static tape_step step_of(compiler *c, expr node) {
    const expr_node *nodes = c->graph->nodes, *n = &nodes[node];
    expr part = joinable(c, n);
    if (part >= 0 && c->joined[part]) {
        int op = nodes[part].op == EXPR_ADD ? TAPE_ADD_ADD : n->op == EXPR_ADD ? TAPE_MUL_ADD : part == n->a ? TAPE_MUL_SUB : TAPE_SUB_MUL;
        return (tape_step){op, node, nodes[part].a, nodes[part].b, part == n->a ? n->b : n->a};
    }
    return (tape_step){(int32_t)n->op, node, n->a, n->b < 0 ? n->a : n->b, n->c < 0 ? n->a : n->c};
}

/* Operands come before their users, so it is known by now whether a sum has been fused with one of its operands. */
static void join(compiler *c) {
    const expr_graph *graph = c->graph;
    for (size_t i = 0; i < graph->n_order; i++) {
        expr part = joinable(c, &graph->nodes[graph->order[i]]);
        if (part < 0) continue;
        expr own = joinable(c, &graph->nodes[part]);
        c->joined[part] = own < 0 || !c->joined[own];
    }
}

/* ---- emitting ---- */

/* Steps, and the fixed registers of variables and constants. */
static zn_status emit(compiler *c) {
    expr_graph *graph = c->graph;
    expr_tape *tape = c->tape;
    size_t i = 0;
    for (int k = 0; k < tape->n_sections; k++) {
        for (; i < c->order_end[k]; i++) {
            expr id = graph->order[i];
            const expr_node *node = &graph->nodes[id];
            if (node->op == EXPR_VARIABLE && node->a >= tape->n_variables)
                return fail(c->context, ZN_ERROR_INTERNAL, "a formula uses variable %d of %d", node->a, tape->n_variables);
            if (node->op == EXPR_VARIABLE) {
                c->registers[id] = node->a;
            } else if (node->op == EXPR_CONSTANT) {
                c->registers[id] = tape->n_variables + tape->n_constants;
                if (node->slot > 0) tape->traced[tape->n_traced++] = (struct tape_traced){tape->n_constants, node->slot};
                tape->constants[tape->n_constants++] = node->value;
            } else if (!c->joined[id]) {
                c->steps[c->n_steps++] = step_of(c, id);
            }
        }
        tape->code_end[k] = c->n_steps;
    }
    return ZN_OK;
}

static void use_at(compiler *c, expr node, int time) {
    if (c->last[node] < time) c->last[node] = time;
}

static void find_last_uses(compiler *c) {
    for (size_t i = 0; i < c->n_nodes; i++) c->last[i] = -2; /* below every time: the first output may be read at -1 */
    for (int i = 0; i < c->n_steps; i++) {
        use_at(c, c->steps[i].a, 2 * i);
        use_at(c, c->steps[i].b, 2 * i);
        use_at(c, c->steps[i].c, 2 * i);
    }
    for (int k = 0, output = 0; k < c->tape->n_sections; k++)
        for (; output < c->tape->output_end[k]; output++) use_at(c, c->outputs[output], 2 * c->tape->code_end[k] - 1);
}

static void release(compiler *c, expr node, int time, int first_temporary) {
    if (c->last[node] != time || c->registers[node] < first_temporary) return;
    c->last[node] = -2;
    c->free_registers[c->n_free++] = c->registers[node];
}

static void allocate_registers(compiler *c) {
    expr_tape *tape = c->tape;
    int first = tape->n_variables + tape->n_constants + 4 * tape->n_feet, scratch = 0;
    tape->n_registers = first;
    for (int k = 0, i = 0, output = 0; k < tape->n_sections; k++) {
        for (; i < tape->code_end[k]; i++) {
            const tape_step *step = &c->steps[i];
            release(c, step->a, 2 * i, first);
            release(c, step->b, 2 * i, first);
            release(c, step->c, 2 * i, first);
            if (step->op != EXPR_FOOT) c->registers[step->to] = c->n_free > 0 ? c->free_registers[--c->n_free] : tape->n_registers++;
            tape->code[i] = (tape_operands){c->registers[step->to], c->registers[step->a], c->registers[step->b], c->registers[step->c]};
            if (step->op == EXPR_TABLE) tape->code[i].b = (int32_t)c->graph->nodes[step->to].value;
            if (step->op == EXPR_FOOT_PART) tape->code[i].a += (int32_t)c->graph->nodes[step->to].value;
        }
        int start = output;
        for (; output < tape->output_end[k]; output++) tape->outputs[output] = c->registers[c->outputs[output]];
        for (int j = start; j < output; j++) release(c, c->outputs[j], 2 * i - 1, first);
    }
    tape->foot_scratch = tape->n_registers;
    for (int k = 0; k < tape->n_feet; k++) {
        int needed = expr_tape_registers(tape->feet[k].surface);
        scratch = needed > scratch ? needed : scratch;
    }
    tape->n_registers += scratch;
}

static void make_batches(compiler *c) {
    expr_tape *tape = c->tape;
    int n = 0;
    for (int k = 0, i = 0; k < tape->n_sections; k++) {
        for (int op = -1; i < tape->code_end[k]; i++) {
            if (c->steps[i].op != op) tape->batches[n++].op = op = c->steps[i].op;
            tape->batches[n - 1].end = i + 1;
        }
        tape->batch_end[k] = n;
    }
}

static void make_stretches(compiler *c) {
    expr_tape *tape = c->tape;
    int n = 0;
    for (int k = 0, b = 0, first = 0; k < tape->n_sections; k++) {
        for (; b < tape->batch_end[k]; b++)
            for (int op = tape->batches[b].op, last = tape->batches[b].end, count; first < last; first += count) {
                count = last - first < TAPE_STRETCH ? last - first : TAPE_STRETCH;
                tape->stretches[n++] = (tape_stretch){expr_stretch_kind(op, count), (uint8_t)op, (uint8_t)count, first + count};
            }
        tape->stretch_end[k] = n;
    }
}

/* ---- all of it ---- */

static bool allocate_tape(compiler *c, int n_variables, int n_sections) {
    expr_tape *tape = c->tape = MEM_ARRAY(c->context, expr_tape, 1);
    if (!tape) return false;
    tape->n_variables = n_variables;
    tape->n_sections = n_sections;
    for (int k = 0; k < n_sections; k++) c->n_outputs += c->sections[k].count;
    tape->code_end = MEM_ARRAY(c->context, int, n_sections);
    tape->batch_end = MEM_ARRAY(c->context, int, n_sections);
    tape->stretch_end = MEM_ARRAY(c->context, int, n_sections);
    tape->output_end = MEM_ARRAY(c->context, int, n_sections);
    tape->outputs = MEM_ARRAY(c->context, int32_t, c->n_outputs);
    c->outputs = MEM_ARRAY(c->context, expr, c->n_outputs);
    c->order_end = MEM_ARRAY(c->context, size_t, n_sections);
    return tape->code_end && tape->batch_end && tape->stretch_end && tape->output_end && tape->outputs && c->outputs && c->order_end;
}

/* false also when an output is EXPR_NONE: its error is in the context already. */
static bool gather_outputs(compiler *c) {
    int n = 0;
    for (int k = 0; k < c->tape->n_sections; k++) {
        for (int i = 0; i < c->sections[k].count; i++) {
            if (c->sections[k].outputs[i] < 0) return false;
            c->outputs[n++] = c->sections[k].outputs[i];
        }
        c->tape->output_end[k] = n;
    }
    return true;
}

static bool allocate_nodes(compiler *c) {
    c->n_nodes = c->graph->count;
    c->uses = MEM_ARRAY(c->context, int, c->n_nodes);
    c->last = MEM_ARRAY(c->context, int, c->n_nodes);
    c->registers = MEM_ARRAY(c->context, int32_t, c->n_nodes);
    c->joined = MEM_ARRAY(c->context, bool, c->n_nodes);
    return c->uses && c->last && c->registers && c->joined;
}

static bool allocate_steps(compiler *c) {
    const expr_graph *graph = c->graph;
    size_t constants = 0, traced = 0;
    for (size_t i = 0; i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        constants += node->op == EXPR_CONSTANT, traced += node->op == EXPR_CONSTANT && node->slot > 0;
    }
    c->tape->constants = MEM_ARRAY(c->context, double, constants);
    c->tape->traced = MEM_ARRAY(c->context, struct tape_traced, traced);
    c->steps = MEM_ARRAY(c->context, tape_step, graph->n_order);
    return c->tape->constants && c->tape->traced && c->steps;
}

static bool allocate_code(compiler *c) {
    c->tape->code = MEM_ARRAY(c->context, tape_operands, c->n_steps);
    c->tape->batches = MEM_ARRAY(c->context, tape_batch, c->n_steps);
    c->tape->stretches = MEM_ARRAY(c->context, tape_stretch, c->n_steps);
    c->free_registers = MEM_ARRAY(c->context, int32_t, c->n_steps);
    return c->tape->code && c->tape->batches && c->tape->stretches && c->free_registers;
}

/* Nearest points have registers of their own. Their surfaces are compiled before the order is made, as that adds nodes. */
static bool compile_surfaces(compiler *c) {
    expr_graph *graph = c->graph;
    expr_tape *tape = c->tape;
    size_t count = 0;
    if (!expr_walk_begin(graph)) return false;
    for (int i = 0; i < c->n_outputs; i++)
        if (!expr_walk_add(graph, c->outputs[i])) return false;
    for (size_t i = 0; i < graph->n_order; i++) count += graph->nodes[graph->order[i]].op == EXPR_FOOT;
    if (count == 0) return true;
    tape->feet = MEM_ARRAY(c->context, tape_foot, count);
    int *surfaces = MEM_ARRAY(c->context, int, count);
    bool good = tape->feet && surfaces;
    for (size_t i = 0, k = 0; good && i < graph->n_order; i++) {
        const expr_node *node = &graph->nodes[graph->order[i]];
        if (node->op == EXPR_FOOT) surfaces[k++] = graph->feet[(size_t)node->value].surface;
    }
    for (size_t k = 0; good && k < count; k++) {
        const expr_surface_node *s = &graph->surfaces[surfaces[k]];
        tape->feet[k].dim = s->dim, tape->feet[k].parameters = s->parameters, tape->feet[k].n_parameters = s->n_parameters;
        tape->feet[k].surface = expr_surface_compile(graph, c->context, surfaces[k]);
        good = tape->feet[k].surface != NULL;
        if (good) tape->n_feet++;
    }
    mem_free(c->context, surfaces);
    return good;
}

static bool keep_tables(compiler *c) {
    const expr_graph *graph = c->graph;
    bool any = false;
    for (size_t i = 0; i < graph->n_order; i++) any |= graph->nodes[graph->order[i]].op == EXPR_TABLE;
    if (!any) return true;
    if (!(c->tape->tables = MEM_ARRAY(c->context, expr_table *, graph->n_tables))) return false;
    for (size_t k = 0; k < graph->n_tables; k++) c->tape->tables[c->tape->n_tables++] = expr_table_keep(graph->tables[k]);
    return true;
}

static void place_feet(compiler *c) {
    expr_tape *tape = c->tape;
    int k = 0;
    for (size_t i = 0; i < c->graph->n_order; i++) {
        expr id = c->graph->order[i];
        if (c->graph->nodes[id].op != EXPR_FOOT) continue;
        tape->feet[k].to = c->registers[id] = tape->n_variables + tape->n_constants + 4 * k;
        k++;
    }
}

static bool compile(compiler *c) {
    if (!lower(c) || !compile_surfaces(c) || !allocate_nodes(c) || !put_in_order(c) || !allocate_steps(c)) return false;
    join(c);
    if (!keep_tables(c) || emit(c) != ZN_OK) return false;
    place_feet(c);
    if (!expr_schedule(c->context, c->steps, c->tape->n_sections, c->tape->code_end, c->n_nodes)) return false;
    if (!allocate_code(c)) return false;
    find_last_uses(c);
    allocate_registers(c);
    make_batches(c);
    make_stretches(c);
    return true;
}

expr_tape *expr_compile(expr_graph *graph, zn_context *context, int n_variables, int n_sections, const expr_section *sections) {
    compiler c = {.graph = graph, .context = context, .sections = sections};
    bool good = allocate_tape(&c, n_variables, n_sections) && gather_outputs(&c) && compile(&c);
    mem_free(context, c.outputs);
    mem_free(context, c.order_end);
    mem_free(context, c.uses);
    mem_free(context, c.last);
    mem_free(context, c.registers);
    mem_free(context, c.joined);
    mem_free(context, c.steps);
    mem_free(context, c.free_registers);
    if (good) return c.tape;
    expr_tape_destroy(context, c.tape);
    return NULL;
}
