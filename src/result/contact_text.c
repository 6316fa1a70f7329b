/* SPDX-License-Identifier: Apache-2.0 */
/* Siconos' text form. Numbers separated by white space:
 *
 *   dim, contacts, matrix W, q, mu (, mu_rolling when dim is 5)            local
 *   dim, contacts, matrix M, matrix H, f, w, mu                            global
 *
 *   matrix, dense:         0, rows, cols, rows, cols, entries column by column
 *   matrix, sparse blocks: 1, rows, cols, blocks, block rows, block cols, ends of the block rows, ends of the block cols,
 *                          length of start, length of index, start, index, and for each block its number and its entries
 *                          column by column; block k of block row i: start[i] <= k < start[i+1], block column index[k]
 *
 * Nothing says which of the two forms it is; the count of numbers decides. A last number (symmetry) may follow. */
#include "result/contact_problem.h"
#include "result/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct number_list {
    zn_context *context;
    const char *path;
    double *values;
    size_t count, capacity, next;
    bool failed;
} number_list;

static zn_status wrong_text(number_list *list, const char *what) {
    error_place place = ERROR_PLACE_NONE;
    place.file = list->path;
    list->failed = true;
    return fail_at(list->context, ZN_SYNTAX, &place, "%s (at number %zu of %zu)", what, list->next + 1, list->count);
}

static zn_status read_numbers(number_list *list) {
    char word[64];
    errno = 0;
    FILE *file = fopen(list->path, "r");
    if (!file) return fail_file(list->context, list->path, "read", errno);
    zn_status status = ZN_OK;
    while (status == ZN_OK && fscanf(file, "%63s", word) == 1) {
        char *end;
        double value = strtod(word, &end);
        if (*end) {
            error_place place = ERROR_PLACE_NONE;
            place.file = list->path;
            status = fail_at(list->context, ZN_SYNTAX, &place, "number %zu is '%s', which is no number", list->count + 1, word);
        } else if (!mem_grow(list->context, (void **)&list->values, &list->capacity, list->count + 1, sizeof(double)))
            status = ZN_MEMORY;
        else
            list->values[list->count++] = value;
    }
    if (status == ZN_OK && ferror(file)) status = fail_file(list->context, list->path, "read", errno);
    fclose(file);
    return status;
}

static size_t left(const number_list *list) { return list->count - list->next; }

static int read_integer(number_list *list, int most) {
    if (list->failed) return 0;
    if (left(list) == 0) return wrong_text(list, "the file ends too early"), 0;
    double value = list->values[list->next];
    if (!(value >= 0 && value <= most) || value != floor(value)) return wrong_text(list, "a count is wrong"), 0;
    list->next++;
    return (int)value;
}

static double *read_vector(number_list *list, int n) {
    if (list->failed) return NULL;
    if (left(list) < (size_t)n) return wrong_text(list, "the file ends inside of a vector"), NULL;
    double *v = MEM_ARRAY(list->context, double, n);
    if (v && n > 0) memcpy(v, list->values + list->next, (size_t)n * sizeof *v);
    if (!v) list->failed = true;
    list->next += (size_t)n;
    return v;
}

static void add_block(number_list *list, contact_matrix *m, int row, int col, int rows, int cols) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            m->row[m->count] = row + i;
            m->col[m->count] = col + j;
            m->value[m->count++] = list->values[list->next++];
        }
}

static void read_dense(number_list *list, contact_matrix *m, int rows, int cols) {
    int rows_again = read_integer(list, INT_MAX), cols_again = read_integer(list, INT_MAX);
    if (list->failed) return;
    if (rows_again != rows || cols_again != cols) {
        wrong_text(list, "the size of a dense matrix is given in two ways");
        return;
    }
    if (left(list) / (size_t)(rows > 0 ? rows : 1) < (size_t)cols) {
        wrong_text(list, "the file ends inside of a matrix");
        return;
    }
    if (!result_contact_reserve(list->context, m, rows, cols, (long)rows * cols)) list->failed = true;
    else add_block(list, m, 0, 0, rows, cols);
}

typedef struct block_shape { int n_blocks, block_rows, block_cols, *row_end, *col_end, *start, *index; } block_shape;

static int *read_integers(number_list *list, int n) {
    if (list->failed || left(list) < (size_t)n) {
        if (!list->failed) wrong_text(list, "the file ends inside of a sparse matrix");
        return NULL;
    }
    int *v = MEM_ARRAY(list->context, int, n);
    if (!v) list->failed = true;
    for (int k = 0; k < n && v; k++) v[k] = read_integer(list, INT_MAX);
    return v;
}

static bool shape_is_sound(const block_shape *s, int rows, int cols, int n_start, int n_index) {
    if (n_start != s->block_rows + 1 || n_index != s->n_blocks || s->start[0] != 0) return false;
    for (int i = 0; i < s->block_rows; i++)
        if (s->start[i + 1] < s->start[i] || s->row_end[i] < (i ? s->row_end[i - 1] : 0)) return false;
    for (int j = 0; j < s->block_cols; j++)
        if (s->col_end[j] < (j ? s->col_end[j - 1] : 0)) return false;
    for (int k = 0; k < n_index; k++)
        if (s->index[k] < 0 || s->index[k] >= s->block_cols) return false;
    return s->start[s->block_rows] == s->n_blocks && (s->block_rows ? s->row_end[s->block_rows - 1] : 0) == rows &&
           (s->block_cols ? s->col_end[s->block_cols - 1] : 0) == cols;
}

static void read_blocks(number_list *list, const block_shape *s, contact_matrix *m, int rows, int cols) {
    if (!result_contact_reserve(list->context, m, rows, cols, (long)left(list))) list->failed = true;
    for (int i = 0; i < s->block_rows && !list->failed; i++)
        for (int k = s->start[i]; k < s->start[i + 1] && !list->failed; k++) {
            int row = i ? s->row_end[i - 1] : 0, col = s->index[k] ? s->col_end[s->index[k] - 1] : 0;
            int height = s->row_end[i] - row, width = s->col_end[s->index[k]] - col;
            int number = read_integer(list, INT_MAX);
            if (list->failed) return;
            if (number != k || left(list) / (size_t)(height > 0 ? height : 1) < (size_t)width)
                wrong_text(list, "a block of a sparse matrix is out of order or cut off");
            else
                add_block(list, m, row, col, height, width);
        }
}

static void read_sparse(number_list *list, contact_matrix *m, int rows, int cols) {
    block_shape s = {0};
    s.n_blocks = read_integer(list, INT_MAX / 2);
    s.block_rows = read_integer(list, INT_MAX / 2);
    s.block_cols = read_integer(list, INT_MAX / 2);
    s.row_end = read_integers(list, s.block_rows);
    s.col_end = read_integers(list, s.block_cols);
    int n_start = read_integer(list, INT_MAX / 2), n_index = read_integer(list, INT_MAX / 2);
    s.start = read_integers(list, n_start);
    s.index = read_integers(list, n_index);
    if (!list->failed && !shape_is_sound(&s, rows, cols, n_start, n_index))
        wrong_text(list, "the structure of a sparse matrix contradicts itself");
    if (!list->failed) read_blocks(list, &s, m, rows, cols);
    int *integers[] = {s.row_end, s.col_end, s.start, s.index};
    for (int k = 0; k < 4; k++) mem_free(list->context, integers[k]);
}

static void read_matrix(number_list *list, contact_matrix *m) {
    int storage = read_integer(list, INT_MAX), rows = read_integer(list, INT_MAX), cols = read_integer(list, INT_MAX);
    if (list->failed) return;
    if (storage == 0) read_dense(list, m, rows, cols);
    else if (storage == 1) read_sparse(list, m, rows, cols);
    else wrong_text(list, "the storage of a matrix is neither 0 (dense) nor 1 (sparse blocks)");
}

enum { TRAILING_MOST = 2 };

static zn_status read_problem(number_list *list, contact_problem *p) {
    p->dim = read_integer(list, INT_MAX);
    p->n_contacts = read_integer(list, INT_MAX / 8);
    if (!list->failed && p->dim != 2 && p->dim != 3 && p->dim != 5) return wrong_text(list, "the dimension is not 2, 3 or 5");
    read_matrix(list, &p->M);
    if (list->failed) return ZN_SYNTAX;
    int m = p->dim * p->n_contacts;
    size_t vectors = (size_t)m + (size_t)p->n_contacts * (p->dim == 5 ? 2 : 1);
    p->global = left(list) > vectors + TRAILING_MOST;
    if (p->global) {
        read_matrix(list, &p->H);
        p->f = read_vector(list, p->M.rows);
        p->w = read_vector(list, m);
    } else {
        p->W = p->M;
        p->M = (contact_matrix){0};
        p->q = read_vector(list, m);
    }
    p->mu = read_vector(list, p->n_contacts);
    if (p->dim == 5) p->mu_rolling = read_vector(list, p->n_contacts);
    if (!list->failed && left(list) > TRAILING_MOST) wrong_text(list, "there are more numbers than the problem needs");
    return list->failed ? ZN_SYNTAX : ZN_OK;
}

zn_status result_contact_text(contact_problem *p, const char *path) {
    number_list list = {.context = p->context, .path = path};
    zn_status status = read_numbers(&list);
    if (status == ZN_OK) status = read_problem(&list, p);
    mem_free(p->context, list.values);
    return status;
}
