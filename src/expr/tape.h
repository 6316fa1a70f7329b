/* SPDX-License-Identifier: Apache-2.0 */
/* A tape: instructions on a register file [variables | constants | nearest points | temporaries | scratch of surfaces]. */
#ifndef EXPR_TAPE_H
#define EXPR_TAPE_H

#include "expr/graph.h"

/* Beyond expr_op: a product or sum and the sum it goes into as one instruction. Each rounds twice, as the two would. */
enum {
    TAPE_MUL_ADD = EXPR_IF + 1 /* a*b + c */,
    TAPE_MUL_SUB /* a*b - c */,
    TAPE_SUB_MUL /* c - a*b */,
    TAPE_ADD_ADD /* (a + b) + c */,
    TAPE_OPS
};

typedef struct tape_operands {
    int32_t to, a, b, c;
} tape_operands;

/* Instructions of one operation in a row: the loop over them is tight and needs no decision. */
typedef struct tape_batch {
    int32_t op, end; /* one past its last instruction */
} tape_batch;

/* The same for a single lane, where a loop would cost as much as its body: up to eight instructions of one operation, unrolled. */
enum { TAPE_STRETCH = 8 };
typedef struct tape_stretch {
    uint8_t kind, op, count; /* kind: place of the operation in run.c, times TAPE_STRETCH, plus count - 1 */
    int32_t end;
} tape_stretch;
uint8_t expr_stretch_kind(int op, int count);

/* A nearest point: where it and the distance are put (4 registers), and the tape of its surface. */
typedef struct tape_foot {
    int32_t to;
    int dim, parameters, n_parameters; /* variables that its surface has, too */
    struct expr_tape *surface;
} tape_foot;

struct expr_tape {
    int n_variables, n_constants, n_registers, n_sections;
    double *constants;
    struct tape_traced {
        int constant, slot;
    } * traced; /* constants that follow from sources */
    int n_traced;
    tape_operands *code;
    tape_batch *batches;
    tape_stretch *stretches;
    int *code_end, *batch_end, *stretch_end; /* per section: one past its last */
    int *output_end;                         /* per section: one past its last output in `outputs` */
    int32_t *outputs;                        /* registers */
    int n_feet, foot_scratch;                /* first register of the scratch of surfaces */
    tape_foot *feet;
    int n_tables;
    expr_table **tables; /* the operand b of a look-up is a key of the graph, not a register */
};

/* While compiling, when operands are still nodes. */
typedef struct tape_step {
    int32_t op, to, a, b, c;
} tape_step;

/* Reorders the steps of each section so that those of one operation stand together and nothing comes before its operands.
 * code_end gives the sections; n_nodes bounds the operands. false: memory is out. */
bool expr_schedule(zn_context *, tape_step *steps, int n_sections, const int *code_end, size_t n_nodes);

#endif
