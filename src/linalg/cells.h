/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a matrix that falls apart: rows and columns that are connected by entries of its pattern form a cell (a free body, a mechanism),
 * and each cell has factors of its own. So a right side that is zero but in a few cells costs no more than these. */
#ifndef LINALG_CELLS_H
#define LINALG_CELLS_H

#include "linalg/linalg.h"

typedef struct lin_cells lin_cells;

/* A dense matrix is one cell. weak: per entry of a sparse matrix, those that connect no cells, and are left out where they would; NULL:
 * none.
 * joined: per row, whether it is in the cell of the row before it, whatever the pattern says; NULL: none is. NULL: no memory (error in the
 * context). */
lin_cells *lin_cells_create(zn_context *, const lin_matrix *, const unsigned char *weak, const unsigned char *joined);
void lin_cells_destroy(lin_cells *);

/* Cells are numbered by their first rows. The rows of cell c are row[start[c] .. start[c + 1] - 1], ascending. */
typedef struct lin_cell_map {
    int count;
    const int *start, *row;
    const int *of, *place; /* per row of the matrix: its cell, and its place in there */
} lin_cell_map;
lin_cell_map lin_cells_map(const lin_cells *);
/* Whether solves with one cell share memory: then only one thread at a time may solve with it. */
bool lin_cells_share_memory(const lin_cells *);

/* As lin_lu_factor, for one cell. Different cells may be factored and solved by different threads. */
zn_status lin_cells_factor(lin_cells *, const lin_matrix *, int cell);
zn_status lin_cells_factor_all(lin_cells *, const lin_matrix *);
/* Per row: in cells of several rows that are diagonal b becomes (b scale)/pivot; in others pivot is zero. */
void lin_cells_diagonals(const lin_cells *, double *scale, double *pivot);
/* b: columns as long as the cell; becomes the solution. */
void lin_cells_solve(const lin_cells *, int cell, double *b, int columns);
/* b: as long as the matrix. */
void lin_cells_solve_all(lin_cells *, double *b);

#endif
