/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix as a sum of blocks cut out of a model's matrices:
 *
 *     sum_b  f_b h^{k_b} S_b,   S_b a rectangle of a model's matrix, shifted to its place
 *
 * Where each entry goes is worked out once; filling is one pass over the blocks. */
#ifndef SCHEME_BLOCK_SUM_H
#define SCHEME_BLOCK_SUM_H

#include "linalg/linalg.h"

/* Entries of a matrix inside a rectangle: where they are (from its corner) and which value of the matrix they take. */
typedef struct block_cut {
    int count;
    int *row, *col, *from;
} block_cut;

typedef struct block_range {
    int first, count;
} block_range;

/* The rectangle is one of the transposed pattern when `transposed`. */
zn_status block_cut_create(zn_context *, const zn_pattern *, bool transposed, block_range rows, block_range cols, block_cut *);
zn_status block_cut_identity(zn_context *, int n, block_cut *); /* takes the first value of its source everywhere */
void block_cut_destroy(zn_context *, block_cut *);

typedef struct block_piece {
    const block_cut *cut;
    const double *source;
    int row, col, power;
    double factor;
} block_piece;

enum { BLOCK_BODY_CUTS = 4 };

typedef struct block_sum {
    zn_context *context;
    const block_cut *body[BLOCK_BODY_CUTS]; /* whose entries connect unknowns of a body */
    int n_body;
    bool failed; /* out of memory while adding; finish says so */
    block_piece *pieces;
    size_t n_pieces, capacity, n_entries;
    lin_pattern pattern; /* of the sum */
    int *place;          /* of every entry of every piece */
} block_sum;

void block_sum_start(zn_context *, block_sum *);
/* A factor of zero adds nothing. `cut` and `source` must stay alive. */
void block_sum_add(block_sum *, const block_cut *, const double *source, int row, int col, double factor, int power);
/* Entries of this cut connect unknowns of one body: for a good order of pivots. At most BLOCK_BODY_CUTS. */
void block_sum_body(block_sum *, const block_cut *);
zn_status block_sum_finish(block_sum *, int rows, int cols);
/* Entries go to where the only block of a matrix made from `pattern` has them. */
zn_status block_sum_into_matrix(block_sum *, lin_storage, lin_matrix **);
void block_sum_destroy(block_sum *);
/* values += sum at this h. */
void block_sum_fill(const block_sum *, double h, double *values);

#endif
