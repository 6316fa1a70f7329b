/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices with a pattern fixed once and values refilled often, and LU behind one interface.
 * Small geometry (vec3, mat3, quaternions) is in geometry.h; dense kernels are in dense.h. */
#ifndef LINALG_LINALG_H
#define LINALG_LINALG_H

#include "base/base.h"
#include "zeno/types.h"

/* ---- patterns ---- */

/* A pattern that owns its arrays. */
typedef struct lin_pattern {
    zn_pattern p;
    int *start, *index; /* what p points to */
    size_t start_room, index_room;
} lin_pattern;

/* From coordinates (duplicates merge). entry_of[k] (may be NULL) receives the position of coordinate k in the values. */
zn_status lin_pattern_create(zn_context *, int rows, int cols, int count, const int *row, const int *col, lin_pattern *, int *entry_of);
/* The same into a pattern that was made before (or zeros), with work space that is kept: memory is taken where there are more entries than
 * ever. On failure the pattern is as before a first call. */
typedef struct lin_sorting {
    int *by_row, *order, *begin;
    size_t by_row_room, order_room, begin_room;
} lin_sorting;
typedef struct lin_entries {
    int count;
    const int *row, *col;
} lin_entries;
zn_status lin_pattern_remake(zn_context *, int rows, int cols, lin_entries, lin_pattern *, int *entry_of, lin_sorting *);
void lin_sorting_free(zn_context *, lin_sorting *);
zn_status lin_pattern_dense(zn_context *, int rows, int cols, lin_pattern *);
void lin_pattern_destroy(zn_context *, lin_pattern *);
static inline int lin_nnz(const zn_pattern *p) { return p->start ? p->start[p->cols] : 0; }

/* y += s A x and y += s A' x for values over a pattern. */
void lin_multiply(const zn_pattern *, const double *values, double s, const double *x, double *y);
void lin_multiply_transposed(const zn_pattern *, const double *values, double s, const double *x, double *y);
/* y += s A x for several columns of x and y, each as long as A is wide and high. */
void lin_multiply_many(const zn_pattern *, const double *values, double s, const double *x, double *y, int columns);

/* ---- a square matrix assembled from blocks ---- */

/* First declare every block with its place, then finish: the matrix chooses dense storage (column-major, n x n) or CSC by
 * size and expected fill-in, and each block knows where its entries go. Refilling is: zero, then scatter each block. */
typedef struct lin_matrix lin_matrix;

lin_matrix *lin_matrix_create(zn_context *, int n);
void lin_matrix_destroy(lin_matrix *);
/* Returns the block's number, or -1 (error in the context: out of memory, does not fit). `transposed`: the block placed is the
 * transpose of the pattern. The pattern is copied; start NULL means an empty block. Blocks may overlap (they add). */
int lin_matrix_block(lin_matrix *, const zn_pattern *, bool transposed, int row, int col);
/* Before finishing, for a good order of pivots: rows of one body have the same number body[row] from 0 to n - 1, others -1. */
zn_status lin_matrix_set_bodies(lin_matrix *, const int *body);
const int *lin_matrix_bodies(const lin_matrix *); /* NULL: not known */
typedef enum lin_storage { LIN_AUTO, LIN_DENSE, LIN_SPARSE } lin_storage;
zn_status lin_matrix_finish(lin_matrix *, lin_storage);
bool lin_matrix_is_dense(const lin_matrix *);
int lin_matrix_size(const lin_matrix *);
double *lin_matrix_values(lin_matrix *);
const double *lin_matrix_read(const lin_matrix *);        /* the same, to read only */
const zn_pattern *lin_matrix_pattern(const lin_matrix *); /* NULL when dense */
/* Where its entries may be, of dense matrices too that are factored body by body; else NULL. */
const zn_pattern *lin_matrix_entries(const lin_matrix *);

void lin_matrix_zero(lin_matrix *);
void lin_matrix_add(lin_matrix *, int block, double coefficient, const double *values);
/* Row i of the block (after transposition) is multiplied by coefficient[i]. */
void lin_matrix_add_rows(lin_matrix *, int block, const double *coefficient, const double *values);
/* Position in lin_matrix_values of entry k of a block, for callers that write entries themselves. */
const int *lin_matrix_places(const lin_matrix *, int block);
void lin_matrix_multiply(const lin_matrix *, const double *x, double *y); /* y = A x */

/* ---- LU ---- */

/* One interface, two back ends (dense: own kernel up to 32 rows, LAPACK above; sparse: KLU). Rows are scaled before pivots
 * are chosen, so the units of the equations do not matter. The dense back end takes all memory at creation. KLU takes its memory from
 * SuiteSparse's global allocator (malloc; not the context's), in lin_lu_create and at every full factorisation; a refactorisation takes
 * none. An LU is for one thread at a time, solves included (work space). */
typedef struct lin_lu lin_lu;

lin_lu *lin_lu_create(zn_context *, const lin_matrix *); /* the matrix is finished; NULL: error in the context */
void lin_lu_destroy(lin_lu *);
/* The matrix is the one given at creation or one with the same storage and pattern; its values are copied.
 * `same_structure`: nothing but small changes of values since the last factorisation (the active set did not change): a KLU
 * refactorisation is tried and checked (reciprocal growth), else a full factorisation with the kept symbolic analysis.
 * Without leaving an error in the context: ZN_ERROR_SINGULAR when a pivot is zero or tiny relative to its column (after scaling of
 * the rows), ZN_ERROR_NOT_FINITE when a value is not finite. Solve only after ZN_OK. */
zn_status lin_lu_factor(lin_lu *, const lin_matrix *, bool same_structure);
/* Weights of the first `count` rows: times these, residuals are of one size, whatever the units. The array is kept. Where a matrix seems to
 * be singular by its rows alone its columns are then scaled so that the weighted rows are at most 1; those of a matrix of any rank where
 * they differ by more than 1e10. */
zn_status lin_lu_weigh_rows(lin_lu *, const lin_matrix *, int count, const double *weight);
void lin_lu_solve(const lin_lu *, double *b);                   /* b becomes the solution */
void lin_lu_solve_many(const lin_lu *, double *b, int columns); /* column-major, leading dimension n */
double lin_lu_rcond(const lin_lu *);                            /* a cheap estimate of the reciprocal condition number (pivots) */

/* ---- matrices of any rank (redundant constraints) ---- */

/* After lin_lu_factor_regularised, which never finds a matrix singular (ZN_OK, ZN_ERROR_NOT_FINITE, ZN_ERROR_MEMORY), lin_lu_solve gives
 * x with A x = b up to round-off for every consistent b, also when A is singular; of these x one without a part in the null
 * space, that is of least norm |C^-1 x|. If b is inconsistent, x minimises |R (A x - b)|. R and C are the powers of two that
 * bring first the rows, then the columns to about 1 (identical columns share their load equally).
 *   dense   by a complete orthogonal decomposition, rank tolerance 1e-12;
 *   sparse  by iterated regularisation: singular values of R A C above about 1e-4 are solved to round-off, those below about
 *           1e-7 count as zero, between them the residual is reduced in part; |x| is exact to about 1e-10 of it in the null
 *           space and, for an inconsistent b, to about 1e-5 |R (A x - b)|.
 * Two to ten times the price of lin_lu_factor and lin_lu_solve. `reserve` takes the memory (else the first factor does). */
zn_status lin_lu_reserve_regularised(lin_lu *, const lin_matrix *);
zn_status lin_lu_factor_regularised(lin_lu *, const lin_matrix *);
/* The same with another rank tolerance of the dense decomposition, and with R and C that are not rounded to powers of two, so that
 * x does not jump when the matrix changes a little. 0: as above. */
zn_status lin_lu_factor_rank(lin_lu *, const lin_matrix *, double rank_tolerance);
/* x as by lin_lu_solve, and left = b - A x: what no x removes from an inconsistent b. The matrix is the one factored. */
void lin_lu_unreachable(const lin_lu *, const lin_matrix *, const double *b, double *x, double *left);

#endif
