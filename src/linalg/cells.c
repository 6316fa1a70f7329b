/* SPDX-License-Identifier: Apache-2.0 */
/* Cells are found once, from the pattern. Small ones are dense and lie one after the other in one block of memory; large ones are matrices
 * of their own, dense or sparse as it pays. */
#include "linalg/cells.h"

#include "base/wide.h"
#include "linalg/dense.h"
#include "linalg/scaling.h"
#include "linalg/tiny_lu.h"

/* Up to this many rows a cell is dense. */
enum { SMALL_CELL = 40 };

typedef struct large_cell {
    lin_matrix *matrix;
    lin_lu *lu;
    double *values; /* in the order of its columns */
    int block;
} large_cell;

struct lin_cells {
    zn_context *context;
    int n, count;
    bool dense; /* the matrix is, and it is one cell */
    int *start, *row, *of, *place;
    size_t *offset; /* per cell: its factors; of a large one its number in `large` */
    double *factors;
    double *scale, *largest, *work; /* per row, column of the matrix; scale begins a block with largest, work, pivots and kept */
    int *pivot;
    double *pivots; /* per row: of cells that are diagonal */
    bool *diagonal; /* per cell: what was factored was a diagonal matrix (a ball, or a body in its principal axes) */
    bool *known;    /* per cell: its factors belong to the columns in `kept` */
    double *kept;   /* values of a sparse matrix: inertia of most bodies is constant */
    large_cell *large;
    int n_large;
};

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static int cell_size(const lin_cells *s, int c) { return s->start[c + 1] - s->start[c]; }

static void connect(int *root, int k, int l) {
    int a = find_root(root, k), b = find_root(root, l);
    root[a > b ? a : b] = a < b ? a : b;
}

/* Numbers of cells by their first rows; roots are the smallest rows. */
static void find_cells(lin_cells *s, const zn_pattern *p, const unsigned char *weak, const unsigned char *joined) {
    int n = s->n, *root = s->of;
    for (int k = 0; k < n; k++) root[k] = p ? k : 0;
    for (int j = 0; p && j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            if (!(weak && weak[e])) connect(root, j, p->index[e]);
        }
    for (int k = 1; k < n && joined; k++)
        if (joined[k]) connect(root, k, k - 1);
    for (int k = 0; k < n; k++) root[k] = find_root(root, k);
    for (int k = 0; k < n; k++) { /* a root comes before its rows */
        if (root[k] == k) s->row[s->count++] = k;
    }
    for (int c = 0; c < s->count; c++) s->place[s->row[c]] = c;
    for (int k = 0; k < n; k++) root[k] = s->place[root[k]];
    for (int k = 0; k < n; k++) s->start[root[k] + 1]++;
    for (int c = 0; c < s->count; c++) s->start[c + 1] += s->start[c];
    for (int k = 0; k < n; k++) s->place[k] = 0;
    int *filled = s->pivot; /* not in use yet */
    for (int c = 0; c < s->count; c++) filled[c] = 0;
    for (int k = 0; k < n; k++) {
        s->place[k] = filled[root[k]]++;
        s->row[s->start[root[k]] + s->place[k]] = k;
    }
}

/* The body of each row of a cell, with which its factors find the order of pivots that they find for the whole matrix. */
static zn_status tell_bodies(lin_cells *s, const int *body, int c, lin_matrix *matrix) {
    if (!body) return ZN_OK;
    int m = cell_size(s, c), *own = MEM_ARRAY(s->context, int, m);
    if (!own) return ZN_ERROR_MEMORY;
    const int *rows = s->row + s->start[c];
    int *number = s->pivot, count = 0; /* per body: not in use yet */
    for (int k = 0; k < m; k++)
        if (body[rows[k]] >= 0) number[body[rows[k]]] = -1;
    for (int k = 0; k < m; k++) {
        int b = own[k] = body[rows[k]];
        if (b >= 0 && number[b] < 0) number[b] = count++;
        if (b >= 0) own[k] = number[b];
    }
    zn_status status = lin_matrix_set_bodies(matrix, own);
    mem_free(s->context, own);
    return status;
}

static zn_status make_large(lin_cells *s, const zn_pattern *p, const int *body, int c, large_cell *large) {
    zn_context *context = s->context;
    int m = cell_size(s, c), entries = 0, k = 0;
    for (int j = s->start[c]; j < s->start[c + 1]; j++) entries += p->start[s->row[j] + 1] - p->start[s->row[j]];
    lin_pattern own = {.start = MEM_ARRAY(context, int, m + 1), .index = MEM_ARRAY(context, int, entries)};
    zn_status status = ZN_ERROR_MEMORY;
    large->values = MEM_ARRAY(context, double, entries);
    large->matrix = lin_matrix_create(context, m);
    if (own.start && own.index && large->values && large->matrix) {
        for (int j = 0; j < m; j++) {
            int column = s->row[s->start[c] + j];
            for (int e = p->start[column]; e < p->start[column + 1]; e++)
                if (s->of[p->index[e]] == c) own.index[k++] = s->place[p->index[e]];
            own.start[j + 1] = k;
        }
        own.p = (zn_pattern){m, m, own.start, own.index};
        large->block = lin_matrix_block(large->matrix, &own.p, false, 0, 0);
        status = large->block < 0 ? ZN_ERROR_MEMORY : tell_bodies(s, body, c, large->matrix);
        if (status == ZN_OK) status = lin_matrix_finish(large->matrix, LIN_AUTO);
        if (status == ZN_OK && !(large->lu = lin_lu_create(context, large->matrix))) status = ZN_ERROR_MEMORY;
    }
    mem_free(context, own.start);
    mem_free(context, own.index);
    return status;
}

static bool take_factors(lin_cells *s, const zn_pattern *p, const int *body) {
    size_t small = 0;
    int large = 0;
    s->offset = MEM_ARRAY(s->context, size_t, s->count);
    if (!s->offset) return false;
    for (int c = 0; c < s->count; c++) {
        size_t m = (size_t)cell_size(s, c);
        if (s->dense || m <= SMALL_CELL) s->offset[c] = small, small += m * m;
        else s->offset[c] = (size_t)large++;
    }
    s->factors = MEM_ARRAY(s->context, double, small);
    s->large = MEM_ARRAY(s->context, large_cell, large);
    if (!s->factors || !s->large) return false;
    for (int c = 0; c < s->count && !s->dense; c++)
        if (cell_size(s, c) > SMALL_CELL && make_large(s, p, body, c, &s->large[s->n_large++]) != ZN_OK) return false;
    return true;
}

lin_cells *lin_cells_create(zn_context *context, const lin_matrix *matrix, const unsigned char *weak, const unsigned char *joined) {
    lin_cells *s = MEM_ARRAY(context, lin_cells, 1);
    if (!s) return NULL;
    size_t n = (size_t)lin_matrix_size(matrix);
    *s = (lin_cells){.context = context, .n = (int)n, .dense = lin_matrix_is_dense(matrix)};
    s->start = MEM_ARRAY(context, int, n + 1);
    int **lists[] = {&s->row, &s->of, &s->place, &s->pivot};
    bool fine = s->start != NULL;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) fine = (*lists[k] = MEM_ARRAY(context, int, n)) && fine;
    s->diagonal = MEM_ARRAY(context, bool, n);
    s->known = MEM_ARRAY(context, bool, n);
    const zn_pattern *p = lin_matrix_pattern(matrix);
    const long length = (long)n;
    const mem_part list[] = {
        {&s->scale, length}, {&s->largest, length}, {&s->work, length}, {&s->pivots, length}, {&s->kept, s->dense ? 0 : lin_nnz(p)}};
    if (MEM_PARTS(context, list) && fine && s->diagonal && s->known) {
        find_cells(s, p, weak, joined);
        if (take_factors(s, p, lin_matrix_bodies(matrix))) return s;
    }
    lin_cells_destroy(s);
    return NULL;
}

void lin_cells_destroy(lin_cells *s) {
    if (!s) return;
    for (int k = 0; k < s->n_large; k++) {
        lin_lu_destroy(s->large[k].lu);
        lin_matrix_destroy(s->large[k].matrix);
        mem_free(s->context, s->large[k].values);
    }
    void *memory[] = {s->start, s->row, s->of, s->place, s->offset, s->factors, s->scale, s->pivot, s->diagonal, s->known, s->large};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(s->context, memory[k]);
    mem_free(s->context, s);
}

bool lin_cells_share_memory(const lin_cells *s) { return s->n_large > 0; }

lin_cell_map lin_cells_map(const lin_cells *s) { return (lin_cell_map){s->count, s->start, s->row, s->of, s->place}; }

static zn_status factor_large(lin_cells *s, const lin_columns *a, int c) {
    large_cell *large = &s->large[s->offset[c]];
    double *to = large->values;
    for (int j = s->start[c]; j < s->start[c + 1]; j++) {
        int column = s->row[j];
        for (int e = a->start[column]; e < a->start[column + 1]; e++)
            if (s->of[a->index[e]] == c) *to++ = a->values[e];
    }
    lin_matrix_zero(large->matrix);
    lin_matrix_add(large->matrix, large->block, 1, large->values);
    return lin_lu_factor(large->lu, large->matrix, false);
}

/* R A into the factors; largest entries of the columns. */
static bool scale_small(lin_cells *s, const lin_columns *a, int c, double *factors) {
    int m = cell_size(s, c), first = s->start[c];
    double *scale = s->scale + first, *largest = s->largest + first;
    if (!a->index && m <= LIN_TINY) return lin_tiny_scale(m, a->values, factors, scale, largest);
    if (!a->index) memcpy(factors, a->values, (size_t)m * (size_t)m * sizeof *factors);
    else {
        memset(factors, 0, (size_t)m * (size_t)m * sizeof *factors);
        for (int j = 0; j < m; j++)
            for (int column = s->row[first + j], e = a->start[column]; e < a->start[column + 1]; e++)
                if (s->of[a->index[e]] == c) factors[(size_t)j * (size_t)m + (size_t)s->place[a->index[e]]] = a->values[e];
    }
    lin_columns own = {m, NULL, NULL, factors};
    if (!lin_scale_rows(&own, scale)) return false;
    for (int j = 0; j < m; j++) {
        largest[j] = 0;
        for (int i = 0; i < m; i++) {
            double *entry = &factors[(size_t)j * (size_t)m + (size_t)i];
            *entry *= scale[i];
            largest[j] = larger(fabs(*entry), largest[j]);
        }
    }
    return true;
}

static bool is_diagonal(int m, const double *factors) {
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            if (i != j && factors[(size_t)j * (size_t)m + (size_t)i] != 0) return false;
    return true;
}

/* Copies the columns of a cell to `kept`. True: they are those that were factored last. */
static bool is_known(lin_cells *s, const lin_columns *a, int c) {
    bool same = s->known[c];
    for (int k = s->start[c]; k < s->start[c + 1]; k++) {
        int first = a->start[s->row[k]];
        size_t bytes = (size_t)(a->start[s->row[k] + 1] - first) * sizeof *s->kept;
        if (same && memcmp(s->kept + first, a->values + first, bytes) == 0) continue;
        same = false;
        memcpy(s->kept + first, a->values + first, bytes);
    }
    s->known[c] = false; /* until it is factored */
    return same;
}

static zn_status factor_small(lin_cells *s, const lin_columns *a, int c) {
    int m = cell_size(s, c), first = s->start[c];
    double *factors = s->factors + s->offset[c], tiny = lin_tiny_pivot(m);
    if (!scale_small(s, a, c, factors)) return ZN_ERROR_NOT_FINITE;
    s->diagonal[c] = is_diagonal(m, factors);
    if (!s->diagonal[c] && lin_dense_lu_factor(m, factors, s->pivot + first) != 0) return ZN_ERROR_SINGULAR;
    for (int k = 0; k < m; k++) {
        double pivot = s->pivots[first + k] = factors[(size_t)k * (size_t)(m + 1)];
        if (!(fabs(pivot) > tiny * s->largest[first + k])) return ZN_ERROR_SINGULAR;
    }
    return ZN_OK;
}

zn_status lin_cells_factor(lin_cells *s, const lin_matrix *matrix, int c) {
    lin_columns a = lin_matrix_columns(matrix);
    if (s->dense) return factor_small(s, &a, c);
    if (cell_size(s, c) > SMALL_CELL) return factor_large(s, &a, c);
    zn_status status = is_known(s, &a, c) ? ZN_OK : factor_small(s, &a, c);
    s->known[c] = status == ZN_OK;
    return status;
}

void lin_cells_diagonals(const lin_cells *s, double *scale, double *pivot) {
    for (int c = 0; c < s->count; c++) {
        int m = cell_size(s, c), first = s->start[c];
        bool diagonal = (s->dense || m <= SMALL_CELL) && m > 1 && s->diagonal[c];
        for (int i = 0; i < m; i++) {
            int row = s->row[first + i];
            scale[row] = s->scale[first + i];
            pivot[row] = diagonal ? s->pivots[first + i] : 0;
        }
    }
}

ALWAYS_INLINE void divide(const int m, const double *restrict scale, const double *restrict pivots, double *restrict b, int columns) {
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < m; i++) b[k * m + i] = b[k * m + i] * scale[i] / pivots[i];
}

/* Bodies in the plane or in space, and all others. */
WIDE static void solve_diagonal(int m, const double *scale, const double *pivots, double *b, int columns) {
    if (m == 3) divide(3, scale, pivots, b, columns);
    else if (m == 6) divide(6, scale, pivots, b, columns);
    else divide(m, scale, pivots, b, columns);
}

void lin_cells_solve(const lin_cells *s, int c, double *b, int columns) {
    int m = cell_size(s, c), first = s->start[c];
    if (!s->dense && m > SMALL_CELL) {
        lin_lu_solve_many(s->large[s->offset[c]].lu, b, columns);
        return;
    }
    if (s->diagonal[c]) {
        solve_diagonal(m, s->scale + first, s->pivots + first, b, columns);
        return;
    }
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < m; i++) b[k * m + i] *= s->scale[first + i];
    lin_dense_lu_solve(m, s->factors + s->offset[c], s->pivot + first, b, columns);
}

zn_status lin_cells_factor_all(lin_cells *s, const lin_matrix *matrix) {
    zn_status status = ZN_OK;
    for (int c = 0; c < s->count && status == ZN_OK; c++) status = lin_cells_factor(s, matrix, c);
    return status;
}

void lin_cells_solve_all(lin_cells *s, double *b) {
    if (s->count == 1) {
        lin_cells_solve(s, 0, b, 1);
        return;
    }
    for (int k = 0; k < s->n; k++) s->work[k] = b[s->row[k]];
    for (int c = 0; c < s->count; c++) lin_cells_solve(s, c, s->work + s->start[c], 1);
    for (int k = 0; k < s->n; k++) b[s->row[k]] = s->work[k];
}
