/* SPDX-License-Identifier: Apache-2.0 */
/* A square matrix assembled from blocks; every entry of a block has a fixed place in the values. */
#include "linalg/sparse_lu.h"
#include "linalg/static_lu.h"

#include <limits.h>

/* Up to this size always dense: there is little to gain (10 us a factorisation), and a dense matrix is factored without
 * allocation and has a rank. With bodies its entries are known, so that it may be factored body by body first (lu.c). */
#define LIN_DENSE_SIZE 40
#define LIN_BODIES_SIZE 12
/* Above it, the time of refilling, factoring and solving once is compared, in nanoseconds on the machine it was fitted on; only
 * the ratios matter. README.md shows the measurements. */
#define DENSE_TIME(n) (4.5 * (n) * (n) + 0.02 * (n) * (n) * (n))
#define SPARSE_TIME(entries, operations) (15 * (entries) + 0.4 * (operations))
#define DENSE_SHARE 0.6 /* of it are what a factorisation with zeros in it takes */
#define STATIC_TIME(entries, operations) (10 * (entries) + 1.5 * (operations))
#define STATIC_OPERATIONS(time) ((time) / 1.5) /* more of them take longer than that, whatever the entries */

typedef struct coordinate {
    int row, col; /* in the matrix */
} coordinate;

typedef struct block {
    int first, count; /* its entries in `place` */
} block;

struct lin_matrix {
    zn_context *context;
    int n;
    bool finished, dense;
    block *blocks;
    size_t n_blocks, block_capacity;
    coordinate *entries; /* until finished */
    size_t n_entries, entry_capacity;
    int *local_row; /* row inside its block, of every entry */
    size_t local_capacity;
    int *place;
    int *body;           /* NULL: not known */
    lin_pattern pattern; /* sparse, or where it pays to know it */
    double *values;
    size_t n_values;
};

lin_matrix *lin_matrix_create(zn_context *context, int n) {
    if (n < 0) {
        fail(context, ZN_ERROR_INTERNAL, "a matrix cannot have %d rows", n);
        return NULL;
    }
    lin_matrix *matrix = MEM_ARRAY(context, lin_matrix, 1);
    if (matrix) {
        matrix->context = context;
        matrix->n = n;
    }
    return matrix;
}

void lin_matrix_destroy(lin_matrix *matrix) {
    if (!matrix) return;
    zn_context *context = matrix->context;
    mem_free(context, matrix->blocks);
    mem_free(context, matrix->entries);
    mem_free(context, matrix->local_row);
    mem_free(context, matrix->place);
    mem_free(context, matrix->body);
    mem_free(context, matrix->values);
    lin_pattern_destroy(context, &matrix->pattern);
    mem_free(context, matrix);
}

static bool block_fits(const lin_matrix *matrix, const zn_pattern *pattern, bool transposed, int row, int col) {
    int rows = transposed ? pattern->cols : pattern->rows, cols = transposed ? pattern->rows : pattern->cols;
    if (row >= 0 && col >= 0 && rows <= matrix->n - row && cols <= matrix->n - col && !matrix->finished) return true;
    fail(matrix->context, ZN_ERROR_INTERNAL, "a block of %d x %d at (%d, %d) does not fit into a matrix of size %d%s", rows, cols, row, col,
         matrix->n, matrix->finished ? " that is already finished" : "");
    return false;
}

int lin_matrix_block(lin_matrix *matrix, const zn_pattern *pattern, bool transposed, int row, int col) {
    if (!block_fits(matrix, pattern, transposed, row, col)) return -1;
    int count = lin_nnz(pattern);
    size_t needed = matrix->n_entries + (size_t)count;
    if (needed > INT_MAX) {
        fail(matrix->context, ZN_ERROR_MEMORY, "a matrix has more than %d entries in its blocks", INT_MAX);
        return -1;
    }
    if (!mem_grow(matrix->context, (void **)&matrix->blocks, &matrix->block_capacity, matrix->n_blocks + 1, sizeof(block)) ||
        !mem_grow(matrix->context, (void **)&matrix->entries, &matrix->entry_capacity, needed, sizeof(coordinate)) ||
        !mem_grow(matrix->context, (void **)&matrix->local_row, &matrix->local_capacity, needed, sizeof(int)))
        return -1;
    size_t e = matrix->n_entries;
    for (int j = 0; j < pattern->cols && count > 0; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++, e++) {
            int i = pattern->index[k];
            matrix->local_row[e] = transposed ? j : i;
            matrix->entries[e] = transposed ? (coordinate){row + j, col + i} : (coordinate){row + i, col + j};
        }
    }
    matrix->blocks[matrix->n_blocks] = (block){(int)matrix->n_entries, count};
    matrix->n_entries = needed;
    return (int)matrix->n_blocks++;
}

/* The merged pattern of all blocks, and the place of each entry in it. */
static zn_status merge_blocks(lin_matrix *matrix) {
    zn_context *context = matrix->context;
    size_t count = matrix->n_entries;
    int *row = MEM_ARRAY(context, int, count), *col = MEM_ARRAY(context, int, count);
    zn_status status = ZN_ERROR_MEMORY;
    if (row && col) {
        for (size_t e = 0; e < count; e++) {
            row[e] = matrix->entries[e].row;
            col[e] = matrix->entries[e].col;
        }
        status = lin_pattern_create(context, matrix->n, matrix->n, (int)count, row, col, &matrix->pattern, matrix->place);
    }
    mem_free(context, row);
    mem_free(context, col);
    return status;
}

zn_status lin_matrix_set_bodies(lin_matrix *matrix, const int *body) {
    if (!matrix->body && !(matrix->body = MEM_ARRAY(matrix->context, int, matrix->n))) return ZN_ERROR_MEMORY;
    for (int i = 0; i < matrix->n; i++) {
        if (body[i] >= matrix->n) return fail(matrix->context, ZN_ERROR_INTERNAL, "row %d of a matrix has the body %d", i, body[i]);
        matrix->body[i] = body[i];
    }
    return ZN_OK;
}

const int *lin_matrix_bodies(const lin_matrix *matrix) { return matrix->body; }

/* Whether the entries of a dense matrix are to be known. */
static zn_status by_bodies_pays(const lin_matrix *matrix, bool *pays) {
    double n = matrix->n, operations = STATIC_OPERATIONS(DENSE_SHARE * DENSE_TIME(n));
    *pays = false;
    if (!matrix->body || n <= LIN_BODIES_SIZE) return ZN_OK;
    zn_status status = lin_static_create(matrix->context, &matrix->pattern.p, matrix->body, &operations, NULL);
    *pays = status == ZN_OK && STATIC_TIME(lin_nnz(&matrix->pattern.p), operations) < DENSE_SHARE * DENSE_TIME(n);
    return status;
}

static zn_status choose_storage(const lin_matrix *matrix, lin_storage storage, bool *dense) {
    double n = matrix->n, entries, operations, fixed;
    *dense = storage == LIN_DENSE || (storage == LIN_AUTO && n <= LIN_DENSE_SIZE);
    if (storage != LIN_AUTO || *dense || n * n > INT_MAX || !lin_sparse_estimate(&matrix->pattern.p, &entries, &operations)) return ZN_OK;
    double time = SPARSE_TIME(entries, operations);
    zn_status status = ZN_OK;
    if (matrix->body) {
        fixed = STATIC_OPERATIONS(time);
        status = lin_static_create(matrix->context, &matrix->pattern.p, matrix->body, &fixed, NULL);
        if (status == ZN_OK) time = smaller(STATIC_TIME(lin_nnz(&matrix->pattern.p), fixed), time);
    }
    *dense = DENSE_TIME(n) < time;
    return status;
}

zn_status lin_matrix_finish(lin_matrix *matrix, lin_storage storage) {
    zn_context *context = matrix->context;
    int n = matrix->n;
    if (matrix->finished) return fail(context, ZN_ERROR_INTERNAL, "a matrix is finished twice");
    mem_free(context, matrix->place); /* of an attempt that failed */
    matrix->place = MEM_ARRAY(context, int, matrix->n_entries);
    if (!matrix->place) return ZN_ERROR_MEMORY;
    zn_status status = merge_blocks(matrix);
    if (status != ZN_OK) return status;
    bool dense, by_bodies = false;
    if ((status = choose_storage(matrix, storage, &dense)) != ZN_OK) return status;
    if (dense && (status = by_bodies_pays(matrix, &by_bodies)) != ZN_OK) return status;
    if (dense && n > 0 && n > INT_MAX / n) {
        lin_pattern_destroy(context, &matrix->pattern);
        return fail(context, ZN_ERROR_MEMORY, "a dense matrix of %d rows is too large", n);
    }
    size_t n_values = dense ? (size_t)n * (size_t)n : (size_t)lin_nnz(&matrix->pattern.p);
    double *values = MEM_ARRAY(context, double, n_values);
    if (!values || (dense && !by_bodies)) lin_pattern_destroy(context, &matrix->pattern);
    if (!values) return ZN_ERROR_MEMORY;
    if (dense)
        for (size_t e = 0; e < matrix->n_entries; e++) matrix->place[e] = matrix->entries[e].row + n * matrix->entries[e].col;
    mem_free(context, matrix->entries);
    matrix->entries = NULL;
    matrix->values = values;
    matrix->n_values = n_values;
    matrix->dense = dense;
    matrix->finished = true;
    return ZN_OK;
}

bool lin_matrix_is_dense(const lin_matrix *matrix) { return matrix->dense; }
int lin_matrix_size(const lin_matrix *matrix) { return matrix->n; }
double *lin_matrix_values(lin_matrix *matrix) { return matrix->values; }
const double *lin_matrix_read(const lin_matrix *matrix) { return matrix->values; }
const zn_pattern *lin_matrix_pattern(const lin_matrix *matrix) { return matrix->dense ? NULL : &matrix->pattern.p; }
const zn_pattern *lin_matrix_entries(const lin_matrix *matrix) { return matrix->pattern.start ? &matrix->pattern.p : NULL; }
const int *lin_matrix_places(const lin_matrix *matrix, int number) { return matrix->place + matrix->blocks[number].first; }

void lin_matrix_zero(lin_matrix *matrix) {
    const lin_pattern *p = &matrix->pattern;
    if (!matrix->dense || !p->start) {
        memset(matrix->values, 0, matrix->n_values * sizeof(double));
        return;
    }
    for (int j = 0; j < matrix->n; j++) /* the others were never anything else */
        for (int e = p->start[j]; e < p->start[j + 1]; e++) matrix->values[p->index[e] + matrix->n * j] = 0;
}

void lin_matrix_add(lin_matrix *matrix, int number, double coefficient, const double *v) {
    const int *place = lin_matrix_places(matrix, number);
    int count = matrix->blocks[number].count;
    double *values = matrix->values;
    for (int k = 0; k < count; k++) values[place[k]] += coefficient * v[k];
}

void lin_matrix_add_rows(lin_matrix *matrix, int number, const double *coefficient, const double *v) {
    const int *place = lin_matrix_places(matrix, number), *row = matrix->local_row + matrix->blocks[number].first;
    int count = matrix->blocks[number].count;
    double *values = matrix->values;
    for (int k = 0; k < count; k++) values[place[k]] += coefficient[row[k]] * v[k];
}

void lin_matrix_multiply(const lin_matrix *matrix, const double *x, double *y) {
    int n = matrix->n;
    for (int i = 0; i < n; i++) y[i] = 0;
    if (!matrix->dense) {
        lin_multiply(&matrix->pattern.p, matrix->values, 1, x, y);
        return;
    }
    for (int j = 0; j < n; j++) {
        const double *column = matrix->values + (size_t)j * (size_t)n;
        double xj = x[j];
        for (int i = 0; i < n; i++) y[i] += column[i] * xj;
    }
}
