/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a sparse matrix of d x d blocks whose structure is symmetric, without exchange of block rows: for matrices that are positive (not
 * necessarily symmetric), or nearly so. One ordering and one structure serve many sets of values. */
#ifndef LINALG_BLOCK_LU_H
#define LINALG_BLOCK_LU_H

#include "base/base.h"

typedef struct lin_block_lu lin_block_lu;

enum { LIN_BLOCK_MOST = 6 };

/* Block row c has the columns index[start[c] .. start[c + 1] - 1], ascending; the structure is symmetric and holds the diagonal.
 * NULL: no memory (error in the context). */
lin_block_lu *lin_block_lu_create(zn_context *, int n, int d, const int *start, const int *index);
/* Another structure in the same memory, which grows where it must; nothing is done where the structure is the one at hand. False: no
 * memory. */
bool lin_block_lu_renew(lin_block_lu *, int n, int d, const int *start, const int *index);
void lin_block_lu_destroy(lin_block_lu *);

typedef struct lin_block_values {
    const double *blocks;         /* d x d numbers a block, row by row, in the order of the structure */
    const int *transposed;        /* per block: the one across the diagonal; NULL: the matrix is symmetric, and costs half */
    const double *diagonal;       /* n blocks that are added; NULL: none */
    const unsigned char *present; /* per block row; rows and columns that are not present are those of the unit matrix; NULL: all are */
} lin_block_values;

/* Returns 0, or 1 + the block row whose pivot block is singular or not finite. */
int lin_block_lu_factor(lin_block_lu *, const lin_block_values *);
int lin_block_lu_sign(const lin_block_lu *);              /* of the determinant of what was factored last: 1 or -1 */
double lin_block_lu_work(const lin_block_lu *);           /* products of numbers in a factorisation */
void lin_block_lu_solve(const lin_block_lu *, double *b); /* b becomes the solution */

#endif
