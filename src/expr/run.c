/* SPDX-License-Identifier: Apache-2.0 */
/* Running a tape: batch by batch, each a loop over instructions of one operation. */
#include "expr/foot.h"

#define EACH(value)                          \
    for (; i < end; i++) r[i->to] = (value); \
    break

static void run_batch(int op, const tape_operands *i, const tape_operands *end, double *r) {
    switch (op) {
    case EXPR_ADD: EACH(r[i->a] + r[i->b]);
    case EXPR_SUB: EACH(r[i->a] - r[i->b]);
    case EXPR_MUL: EACH(r[i->a] * r[i->b]);
    case EXPR_DIV: EACH(r[i->a] / r[i->b]);
    case EXPR_NEG: EACH(-r[i->a]);
    case TAPE_MUL_ADD: EACH(r[i->a] * r[i->b] + r[i->c]);
    case TAPE_MUL_SUB: EACH(r[i->a] * r[i->b] - r[i->c]);
    case TAPE_SUB_MUL: EACH(r[i->c] - r[i->a] * r[i->b]);
    case EXPR_SIN: EACH(sin(r[i->a]));
    case EXPR_COS: EACH(cos(r[i->a]));
    case EXPR_SQRT: EACH(sqrt(r[i->a]));
    case EXPR_ABS: EACH(fabs(r[i->a]));
    case EXPR_LESS: EACH(r[i->a] < r[i->b]);
    case EXPR_LESS_EQUAL: EACH(r[i->a] <= r[i->b]);
    case EXPR_FOOT_PART: EACH(r[i->a]);
    case EXPR_IF: EACH(r[i->a] != 0 ? r[i->b] : r[i->c]);
    default: EACH(expr_apply((expr_op)op, r[i->a], r[i->b], r[i->c]));
    }
}

static void run_feet(const expr_tape *tape, const tape_operands *i, const tape_operands *end, double *r) {
    for (; i < end; i++) {
        const tape_foot *foot = tape->feet;
        while (foot->to != i->to) foot++;
        const double p[3] = {r[i->a], r[i->b], r[i->c]};
        expr_foot_solve(foot->surface, r + tape->foot_scratch, foot->dim, p, foot->n_parameters, r + foot->parameters, r + foot->to);
    }
}

void expr_tape_run(const expr_tape *tape, double *registers, const double *variables, int n_sections,
                   double *const *results) {
    if (tape->n_variables > 0 && registers != variables)
        memcpy(registers, variables, (size_t)tape->n_variables * sizeof(double));
    if (tape->n_constants > 0)
        memcpy(registers + tape->n_variables, tape->constants, (size_t)tape->n_constants * sizeof(double));
    if (n_sections > tape->n_sections) n_sections = tape->n_sections;
    const tape_operands *code = tape->code;
    int batch = 0, copied = 0;
    for (int k = 0; k < n_sections; k++) {
        for (; batch < tape->batch_end[k]; batch++) {
            const tape_operands *end = tape->code + tape->batches[batch].end;
            if (tape->batches[batch].op == EXPR_FOOT)
                run_feet(tape, code, end, registers);
            else
                run_batch(tape->batches[batch].op, code, end, registers);
            code = end;
        }
        double *result = results ? results[k] : NULL;
        if (result)
            for (int i = copied; i < tape->output_end[k]; i++) *result++ = registers[tape->outputs[i]];
        copied = tape->output_end[k];
    }
}
