/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns in compressed columns, and products with values over them. */
#include "linalg/linalg.h"

#include <limits.h>

/* Stable counting sort: order[] gets the entry numbers `from[]` (NULL: 0, 1, ...) sorted by key[entry], keys below n_keys.
 * start has n_keys + 1 elements and ends as the beginning of each key's run. */
static void sort_by_key(int count, const int *key, int n_keys, const int *from, int *order, int *start) {
    memset(start, 0, ((size_t)n_keys + 1) * sizeof *start);
    for (int k = 0; k < count; k++) start[key[k] + 1]++;
    for (int j = 0; j < n_keys; j++) start[j + 1] += start[j];
    for (int k = 0; k < count; k++) {
        int entry = from ? from[k] : k;
        order[start[key[entry]]++] = entry;
    }
    for (int j = n_keys; j > 0; j--) start[j] = start[j - 1];
    start[0] = 0;
}

/* Entries in `order` are sorted by column, then row: write the distinct ones. */
static void merge_sorted(int count, const int *row, const int *col, const int *order, lin_pattern *pattern, int *entry_of) {
    int nnz = 0, last_row = -1, last_col = -1;
    for (int k = 0; k < count; k++) {
        int entry = order[k];
        if (row[entry] != last_row || col[entry] != last_col) {
            last_row = row[entry];
            last_col = col[entry];
            pattern->index[nnz++] = last_row;
            pattern->start[last_col + 1]++;
        }
        if (entry_of) entry_of[entry] = nnz - 1;
    }
}

static bool grow(zn_context *context, int **block, size_t *room, int count) {
    return mem_grow(context, (void **)block, room, count > 0 ? (size_t)count : 1, sizeof **block);
}

static zn_status take_arrays(zn_context *context, int rows, int cols, int count, lin_pattern *pattern) {
    if (rows < 0 || cols < 0 || rows == INT_MAX || cols == INT_MAX || count < 0)
        return fail(context, ZN_ERROR_INTERNAL, "a pattern of %d x %d with %d entries is impossible", rows, cols, count);
    if (!grow(context, &pattern->start, &pattern->start_room, cols + 1) || !grow(context, &pattern->index, &pattern->index_room, count))
        return ZN_ERROR_MEMORY;
    memset(pattern->start, 0, ((size_t)cols + 1) * sizeof *pattern->start);
    pattern->p = (zn_pattern){rows, cols, pattern->start, pattern->index};
    return ZN_OK;
}

static zn_status remake(zn_context *context, int rows, int cols, lin_entries at, lin_pattern *pattern, int *entry_of,
                        lin_sorting *sorting) {
    const int count = at.count, *row = at.row, *col = at.col;
    zn_status status = take_arrays(context, rows, cols, count, pattern);
    if (status != ZN_OK) return status;
    for (int k = 0; k < count; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return fail(context, ZN_ERROR_INTERNAL, "entry (%d, %d) lies outside a pattern of %d x %d", row[k], col[k], rows, cols);
    if (!grow(context, &sorting->by_row, &sorting->by_row_room, count) || !grow(context, &sorting->order, &sorting->order_room, count) ||
        !grow(context, &sorting->begin, &sorting->begin_room, (rows > cols ? rows : cols) + 1))
        return ZN_ERROR_MEMORY;
    sort_by_key(count, row, rows, NULL, sorting->by_row, sorting->begin);
    sort_by_key(count, col, cols, sorting->by_row, sorting->order, sorting->begin);
    merge_sorted(count, row, col, sorting->order, pattern, entry_of);
    for (int j = 0; j < cols; j++) pattern->start[j + 1] += pattern->start[j];
    return ZN_OK;
}

zn_status lin_pattern_remake(zn_context *context, int rows, int cols, lin_entries at, lin_pattern *pattern, int *entry_of,
                             lin_sorting *sorting) {
    zn_status status = remake(context, rows, cols, at, pattern, entry_of, sorting);
    if (status != ZN_OK) lin_pattern_destroy(context, pattern);
    return status;
}

void lin_sorting_free(zn_context *context, lin_sorting *sorting) {
    mem_free(context, sorting->by_row);
    mem_free(context, sorting->order);
    mem_free(context, sorting->begin);
    *sorting = (lin_sorting){0};
}

zn_status lin_pattern_create(zn_context *context, int rows, int cols, int count, const int *row, const int *col, lin_pattern *pattern,
                             int *entry_of) {
    lin_sorting sorting = {0};
    *pattern = (lin_pattern){0};
    zn_status status = lin_pattern_remake(context, rows, cols, (lin_entries){count, row, col}, pattern, entry_of, &sorting);
    lin_sorting_free(context, &sorting);
    return status;
}

zn_status lin_pattern_dense(zn_context *context, int rows, int cols, lin_pattern *pattern) {
    bool too_large = rows > 0 && cols > INT_MAX / rows;
    *pattern = (lin_pattern){0};
    zn_status status = take_arrays(context, rows, cols, too_large ? -1 : rows * cols, pattern);
    if (status != ZN_OK) {
        lin_pattern_destroy(context, pattern);
        return status;
    }
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) pattern->index[j * rows + i] = i;
        pattern->start[j + 1] = (j + 1) * rows;
    }
    return ZN_OK;
}

void lin_pattern_destroy(zn_context *context, lin_pattern *pattern) {
    if (!pattern) return;
    mem_free(context, pattern->start);
    mem_free(context, pattern->index);
    *pattern = (lin_pattern){0};
}

void lin_multiply(const zn_pattern *pattern, const double *restrict values, double s, const double *restrict x, double *restrict y) {
    const int *restrict start = pattern->start, *restrict index = pattern->index;
    if (!start) return;
    for (int j = 0, k = start[0]; j < pattern->cols; j++) {
        double sx = s * x[j];
        for (int end = start[j + 1]; k < end; k++) y[index[k]] += values[k] * sx;
    }
}

/* Some columns of x and y at once: each entry is read once for them, and a constant width makes straight code. */
static inline void multiply_width(const int width, const zn_pattern *pattern, const double *restrict values, double s,
                                  const double *restrict x, double *restrict y) {
    const int *restrict start = pattern->start, *restrict index = pattern->index;
    size_t ldx = (size_t)pattern->cols, ldy = (size_t)pattern->rows;
    for (int j = 0, k = start[0]; j < pattern->cols; j++) {
        double sx[4] = {0};
        for (int w = 0; w < width; w++) sx[w] = s * x[(size_t)j + (size_t)w * ldx];
        for (int end = start[j + 1]; k < end; k++) {
            double value = values[k], *restrict to = y + index[k];
            for (int w = 0; w < width; w++) to[(size_t)w * ldy] += value * sx[w];
        }
    }
}

void lin_multiply_many(const zn_pattern *pattern, const double *values, double s, const double *x, double *y, int columns) {
    size_t ldx = (size_t)pattern->cols, ldy = (size_t)pattern->rows;
    if (!pattern->start) return;
    for (; columns >= 4; columns -= 4, x += 4 * ldx, y += 4 * ldy) multiply_width(4, pattern, values, s, x, y);
    if (columns == 3) multiply_width(3, pattern, values, s, x, y);
    else if (columns == 2) multiply_width(2, pattern, values, s, x, y);
    else if (columns == 1) lin_multiply(pattern, values, s, x, y);
}

void lin_multiply_transposed(const zn_pattern *pattern, const double *restrict values, double s, const double *restrict x,
                             double *restrict y) {
    const int *restrict start = pattern->start, *restrict index = pattern->index;
    if (!start) return;
    for (int j = 0, k = start[0]; j < pattern->cols; j++) {
        double sum = 0;
        for (int end = start[j + 1]; k < end; k++) sum += values[k] * x[index[k]];
        y[j] += s * sum;
    }
}
