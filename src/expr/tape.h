/* SPDX-License-Identifier: Apache-2.0 */
/* A tape: instructions on a register file [variables | constants | temporaries]. */
#ifndef EXPR_TAPE_H
#define EXPR_TAPE_H

#include "expr/graph.h"

/* Beyond expr_op: a product and the sum it goes into as one instruction. Each rounds twice, as the two would. */
enum { TAPE_MUL_ADD = EXPR_IF + 1 /* a*b + c */, TAPE_MUL_SUB /* a*b - c */, TAPE_SUB_MUL /* c - a*b */ };

typedef struct tape_instruction {
    int32_t op, to, a, b, c;
} tape_instruction;

struct expr_tape {
    int n_variables, n_constants, n_registers, n_sections;
    double *constants;
    tape_instruction *code;
    int *code_end;    /* per section: one past its last instruction */
    int *output_end;  /* per section: one past its last output in `outputs` */
    int32_t *outputs; /* registers */
};

#endif
