/* SPDX-License-Identifier: Apache-2.0 */
/* Running a tape: batch by batch, each a loop over instructions of one operation.
 *
 * With several lanes register i of lane k is r[i * lanes + k], and an instruction computes all lanes before the next one: decoding is
 * shared, and the compiler vectorises over the lanes. Each lane sees the operations of a run with one lane, so its bits are the same. */
#include "base/wide.h"
#include "expr/foot.h"

static void run_feet(const int lanes, const expr_tape *tape, const tape_operands *i, const tape_operands *end, double *r) {
    for (; i < end; i++) {
        const tape_foot *foot = tape->feet;
        while (foot->to != i->to) foot++;
        for (int k = 0; k < lanes; k++) {
            const double p[3] = {r[i->a * lanes + k], r[i->b * lanes + k], r[i->c * lanes + k]};
            double parameters[EXPR_SURFACE_PARAMETERS], out[4];
            for (int j = 0; j < foot->n_parameters; j++) parameters[j] = r[(foot->parameters + j) * lanes + k];
            expr_foot_solve(foot->surface, r + tape->foot_scratch * lanes, foot->dim, p, foot->n_parameters, parameters, out);
            for (int j = 0; j < 4; j++) r[(foot->to + j) * lanes + k] = out[j];
        }
    }
}

static void run_tables(const int lanes, const expr_tape *tape, const tape_operands *i, const tape_operands *end, double *r) {
    for (; i < end; i++)
        for (int k = 0; k < lanes; k++)
            r[i->to * lanes + k] = expr_table_value(tape->tables[i->b / EXPR_TABLE_ORDERS], i->b % EXPR_TABLE_ORDERS, r[i->a * lanes + k]);
}

/* All lanes are read before one is written: the result may stand where an operand stood. */
#define EACH(value)                                                                                                        \
    for (; i < end; i++) {                                                                                                 \
        const double *a = r + (ptrdiff_t)i->a * lanes, *b = r + (ptrdiff_t)i->b * lanes, *c = r + (ptrdiff_t)i->c * lanes; \
        double *to = r + (ptrdiff_t)i->to * lanes, x[EXPR_LANES];                                                          \
        (void)a, (void)b, (void)c;                                                                                         \
        for (int k = 0; k < lanes; k++) x[k] = (value);                                                                    \
        for (int k = 0; k < lanes; k++) to[k] = x[k];                                                                      \
    }                                                                                                                      \
    break

/* Separate, as most tapes do not have this operation. */
static void run_rare(const int lanes, const expr_tape *tape, int op, const tape_operands *i, const tape_operands *end, double *r) {
    if (op == EXPR_FOOT) run_feet(lanes, tape, i, end, r);
    else run_tables(lanes, tape, i, end, r);
}

ALWAYS_INLINE void run_batch(const int lanes, const expr_tape *tape, int op, const tape_operands *i, const tape_operands *end, double *r) {
    switch (op) {
    case EXPR_ADD: EACH(a[k] + b[k]);
    case EXPR_SUB: EACH(a[k] - b[k]);
    case EXPR_MUL: EACH(a[k] * b[k]);
    case EXPR_DIV: EACH(a[k] / b[k]);
    case EXPR_NEG: EACH(-a[k]);
    case TAPE_MUL_ADD: EACH(a[k] * b[k] + c[k]);
    case TAPE_MUL_SUB: EACH(a[k] * b[k] - c[k]);
    case TAPE_SUB_MUL: EACH(c[k] - a[k] * b[k]);
    case TAPE_ADD_ADD: EACH((a[k] + b[k]) + c[k]);
    case EXPR_SIN: EACH(sin(a[k]));
    case EXPR_COS: EACH(cos(a[k]));
    case EXPR_SQRT: EACH(sqrt(a[k]));
    case EXPR_ABS: EACH(fabs(a[k]));
    case EXPR_LESS: EACH(a[k] < b[k]);
    case EXPR_LESS_EQUAL: EACH(a[k] <= b[k]);
    case EXPR_FOOT_PART: EACH(a[k]);
    case EXPR_IF: EACH(a[k] != 0 ? b[k] : c[k]);
    case EXPR_FOOT:
    case EXPR_TABLE: run_rare(lanes, tape, op, i, end, r); break;
    default: EACH(expr_apply((expr_op)op, a[k], b[k], c[k]));
    }
}

/* Batches from `batch` on, up to the end of a section; where the next section goes on. */
typedef struct tape_place {
    const tape_batch *batch;
    const tape_operands *code;
} tape_place;

ALWAYS_INLINE tape_place run_section(const int lanes, const expr_tape *tape, double *r, tape_place at, int section) {
    const tape_operands *code = tape->code; /* the compiler cannot know that stores to registers do not change the tape */
    for (const tape_batch *last = tape->batches + tape->batch_end[section]; at.batch < last; at.batch++) {
        const tape_operands *end = code + at.batch->end;
        run_batch(lanes, tape, at.batch->op, at.code, end, r);
        at.code = end;
    }
    return at;
}

/* ---- one lane ---- */

/* The operations of formulas, with the names of their stretches. */
enum { ADDS, SUBS, MULS, NEGS, MUL_ADDS, MUL_SUBS, SUB_MULS, ADD_ADDS, COUNTED };

uint8_t expr_stretch_kind(int op, int count) {
    static const int counted[COUNTED] = {EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_NEG, TAPE_MUL_ADD, TAPE_MUL_SUB, TAPE_SUB_MUL, TAPE_ADD_ADD};
    int place = 0;
    while (place < COUNTED && counted[place] != op) place++;
    return (uint8_t)(place * TAPE_STRETCH + (place < COUNTED ? count - 1 : 0));
}

/* The instruction `n` before the end. */
#define BEFORE(n, value)                                          \
    {                                                             \
        const tape_operands *i = end - (n);                       \
        const double *a = r + i->a, *b = r + i->b, *c = r + i->c; \
        (void)a, (void)b, (void)c;                                \
        r[i->to] = (value);                                       \
    }
#define FROM(name, n, value)          \
    case (name)*TAPE_STRETCH + (n)-1: \
        BEFORE(n, value)              \
        __attribute__((fallthrough))
#define STRETCH(name, value) \
    FROM(name, 8, value);    \
    FROM(name, 7, value);    \
    FROM(name, 6, value);    \
    FROM(name, 5, value);    \
    FROM(name, 4, value);    \
    FROM(name, 3, value);    \
    FROM(name, 2, value);    \
    case (name)*TAPE_STRETCH: BEFORE(1, value) break

/* Up to the end of a section; where the next one begins. */
ALWAYS_INLINE const tape_stretch *run_alone(const expr_tape *tape, double *r, const tape_stretch *s, int section) {
    const tape_operands *code = tape->code;
    for (const tape_stretch *last = tape->stretches + tape->stretch_end[section]; s < last; s++) {
        const tape_operands *end = code + s->end;
        switch (s->kind) {
            STRETCH(ADDS, *a + *b);
            STRETCH(SUBS, *a - *b);
            STRETCH(MULS, *a * *b);
            STRETCH(NEGS, -*a);
            STRETCH(MUL_ADDS, *a * *b + *c);
            STRETCH(MUL_SUBS, *a * *b - *c);
            STRETCH(SUB_MULS, *c - *a * *b);
            STRETCH(ADD_ADDS, (*a + *b) + *c);
        default: run_batch(1, tape, s->op, end - s->count, end, r);
        }
    }
    return s;
}

/* ---- lanes ---- */

WIDE static void run_lanes(const expr_tape *tape, double *registers, tape_place at, int section) {
    run_section(EXPR_LANES, tape, registers, at, section);
}

WIDE static void run_few_lanes(const expr_tape *tape, double *registers, tape_place at, int section) {
    run_section(EXPR_FEW_LANES, tape, registers, at, section);
}

void expr_tape_section(const expr_tape *tape, double *registers, int lanes, int section) {
    tape_place at = {tape->batches + (section ? tape->batch_end[section - 1] : 0),
                     tape->code + (section ? tape->code_end[section - 1] : 0)};
    if (lanes == 1) run_alone(tape, registers, tape->stretches + (section ? tape->stretch_end[section - 1] : 0), section);
    else if (lanes == EXPR_FEW_LANES) run_few_lanes(tape, registers, at, section);
    else run_lanes(tape, registers, at, section);
}

void expr_tape_begin(const expr_tape *tape, double *registers, int lanes) {
    double *to = registers + tape->n_variables * lanes;
    for (int i = 0; i < tape->n_constants; i++)
        for (int k = 0; k < lanes; k++) *to++ = tape->constants[i];
}

const int32_t *expr_tape_outputs(const expr_tape *tape, int section, int *count) {
    *count = 0;
    if (section >= tape->n_sections) return tape->outputs;
    int first = section > 0 ? tape->output_end[section - 1] : 0;
    *count = tape->output_end[section] - first;
    return tape->outputs + first;
}

static bool is_zero(const expr_tape *tape, int constant) {
    if (constant < 0 || constant >= tape->n_constants || tape->constants[constant] != 0) return false;
    for (int i = 0; i < tape->n_traced; i++)
        if (tape->traced[i].constant == constant) return false;
    return true;
}

bool expr_tape_says(const expr_tape *tape, int section) {
    int count;
    const int32_t *outputs = expr_tape_outputs(tape, section, &count);
    for (int i = 0; i < count; i++)
        if (!is_zero(tape, outputs[i] - tape->n_variables)) return true;
    return false;
}

/* Four at a time: the loop costs as much as a copy. */
ALWAYS_INLINE void copy_outputs(const int32_t *output, const int32_t *end, const double *restrict registers, double *restrict result) {
    for (; end - output >= 4; output += 4, result += 4) {
        result[0] = registers[output[0]], result[1] = registers[output[1]];
        result[2] = registers[output[2]], result[3] = registers[output[3]];
    }
    for (; output < end; output++) *result++ = registers[*output];
}

void expr_tape_run(const expr_tape *tape, double *registers, const double *variables, int n_sections, double *const *results) {
    if (tape->n_variables > 0 && registers != variables) memcpy(registers, variables, (size_t)tape->n_variables * sizeof(double));
    if (tape->n_constants > 0) memcpy(registers + tape->n_variables, tape->constants, (size_t)tape->n_constants * sizeof(double));
    if (n_sections > tape->n_sections) n_sections = tape->n_sections;
    const tape_stretch *at = tape->stretches;
    const int32_t *output = tape->outputs, *end;
    for (int k = 0; k < n_sections; k++, output = end) {
        at = run_alone(tape, registers, at, k);
        end = tape->outputs + tape->output_end[k];
        double *result = results ? results[k] : NULL;
        if (result) copy_outputs(output, end, registers, result);
    }
}
