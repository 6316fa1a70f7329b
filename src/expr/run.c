/* SPDX-License-Identifier: Apache-2.0 */
/* Running a tape: one loop over instructions, nothing else. */
#include "expr/tape.h"

/* Arithmetic first and in the loop itself, functions of libm by a call: the switch stays small. */
static void run(const tape_instruction *i, const tape_instruction *end, double *r) {
    for (; i < end; i++) {
        switch (i->op) {
        case EXPR_ADD: r[i->to] = r[i->a] + r[i->b]; break;
        case EXPR_SUB: r[i->to] = r[i->a] - r[i->b]; break;
        case EXPR_MUL: r[i->to] = r[i->a] * r[i->b]; break;
        case EXPR_DIV: r[i->to] = r[i->a] / r[i->b]; break;
        case EXPR_NEG: r[i->to] = -r[i->a]; break;
        case TAPE_MUL_ADD: r[i->to] = r[i->a] * r[i->b] + r[i->c]; break;
        case TAPE_MUL_SUB: r[i->to] = r[i->a] * r[i->b] - r[i->c]; break;
        case TAPE_SUB_MUL: r[i->to] = r[i->c] - r[i->a] * r[i->b]; break;
        case EXPR_SIN: r[i->to] = sin(r[i->a]); break;
        case EXPR_COS: r[i->to] = cos(r[i->a]); break;
        case EXPR_SQRT: r[i->to] = sqrt(r[i->a]); break;
        case EXPR_ABS: r[i->to] = fabs(r[i->a]); break;
        case EXPR_LESS: r[i->to] = r[i->a] < r[i->b]; break;
        case EXPR_LESS_EQUAL: r[i->to] = r[i->a] <= r[i->b]; break;
        case EXPR_IF: r[i->to] = r[i->a] != 0 ? r[i->b] : r[i->c]; break;
        default: r[i->to] = expr_apply((expr_op)i->op, r[i->a], r[i->b], r[i->c]); break;
        }
    }
}

void expr_tape_run(const expr_tape *tape, double *registers, const double *variables, int n_sections, double *const *results) {
    if (tape->n_variables > 0) memcpy(registers, variables, (size_t)tape->n_variables * sizeof(double));
    if (tape->n_constants > 0)
        memcpy(registers + tape->n_variables, tape->constants, (size_t)tape->n_constants * sizeof(double));
    if (n_sections > tape->n_sections) n_sections = tape->n_sections;
    int done = 0, copied = 0;
    for (int k = 0; k < n_sections; k++) {
        run(tape->code + done, tape->code + tape->code_end[k], registers);
        done = tape->code_end[k];
        double *result = results ? results[k] : NULL;
        if (result)
            for (int i = copied; i < tape->output_end[k]; i++) *result++ = registers[tape->outputs[i]];
        copied = tape->output_end[k];
    }
}
