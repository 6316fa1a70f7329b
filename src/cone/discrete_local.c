/* SPDX-License-Identifier: Apache-2.0 */
/* W = H' M^-1 H, column by column. M falls apart into pieces that share no equation (bodies); a column of H meets a few of them, and only
 * the columns that meet one of these have an entry in its column of W. */
#include "cone/discrete_local.h"

typedef struct pieces {
    int *of;             /* per row of M: its piece, named by one of its rows */
    int *start, *column; /* per row of M that names a piece: the columns of H that meet it, ascending */
    int *seen;           /* per column of H: the last column of W that took it */
} pieces;

static int name_of(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

static void find_pieces(const zn_pattern *M, int *of) {
    for (int i = 0; i < M->rows; i++) of[i] = i;
    for (int j = 0; j < M->cols; j++)
        for (int e = M->start[j]; e < M->start[j + 1]; e++) of[name_of(of, M->index[e])] = name_of(of, j);
    for (int i = 0; i < M->rows; i++) of[i] = name_of(of, i);
}

/* Two passes over H: count, then enter. A column that meets a piece with several rows is entered once: the last entry of a piece
 * decides. */
static bool find_columns(zn_context *context, const zn_pattern *H, pieces *p) {
    int *last = MEM_ARRAY(context, int, H->rows + 1);
    p->start = MEM_ARRAY(context, int, H->rows + 2);
    p->column = MEM_ARRAY(context, int, lin_nnz(H));
    bool fine = last && p->start && p->column;
    for (int pass = 0; pass < 2 && fine; pass++) {
        for (int i = 0; i < H->rows; i++) last[i] = -1;
        for (int j = 0; j < H->cols; j++)
            for (int e = H->start[j]; e < H->start[j + 1]; e++) {
                int piece = p->of[H->index[e]];
                if (last[piece] == j) continue;
                last[piece] = j;
                if (pass == 0) p->start[piece + 2]++;
                else p->column[p->start[piece + 1]++] = j;
            }
        for (int i = 0; i <= H->rows && pass == 0; i++) p->start[i + 1] += p->start[i];
    }
    mem_free(context, last);
    return fine;
}

typedef struct entries {
    int *row, *col;
    double *value;
    size_t rows, cols, values, count;
} entries;

static bool add(zn_context *context, entries *w, int row, int col, double value) {
    if (!mem_grow(context, (void **)&w->row, &w->rows, w->count + 1, sizeof(int)) ||
        !mem_grow(context, (void **)&w->col, &w->cols, w->count + 1, sizeof(int)) ||
        !mem_grow(context, (void **)&w->value, &w->values, w->count + 1, sizeof(double)))
        return false;
    w->row[w->count] = row;
    w->col[w->count] = col;
    w->value[w->count++] = value;
    return true;
}

/* Column j of W, with v = M^-1 H e_j. */
static bool add_column(zn_context *context, const zn_pattern *H, const double *values, pieces *p, const double *v, int j, entries *w) {
    for (int e = H->start[j]; e < H->start[j + 1]; e++) {
        int piece = p->of[H->index[e]];
        for (int c = p->start[piece]; c < p->start[piece + 1]; c++) {
            int k = p->column[c];
            if (p->seen[k] == j + 1) continue;
            p->seen[k] = j + 1;
            double sum = 0;
            for (int f = H->start[k]; f < H->start[k + 1]; f++) sum += values[f] * v[H->index[f]];
            if (!add(context, w, k, j, sum)) return false;
        }
    }
    return true;
}

static zn_status take(zn_context *context, int m, const entries *w, lin_pattern *W, double **W_values) {
    int *place = MEM_ARRAY(context, int, w->count);
    *W_values = MEM_ARRAY(context, double, w->count);
    zn_status status = place && *W_values ? lin_pattern_create(context, m, m, (int)w->count, w->row, w->col, W, place) : ZN_ERROR_MEMORY;
    for (size_t k = 0; k < w->count && status == ZN_OK; k++) (*W_values)[place[k]] = w->value[k];
    mem_free(context, place);
    return status;
}

zn_status cone_discrete_local(zn_context *context, const zn_pattern *M, const lin_lu *lu, const zn_pattern *H, const double *H_values,
                              lin_pattern *W, double **W_values) {
    pieces p = {.of = MEM_ARRAY(context, int, M->rows), .seen = MEM_ARRAY(context, int, H->cols)};
    double *v = MEM_ARRAY(context, double, M->rows);
    entries w = {0};
    zn_status status = p.of && p.seen && v ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        find_pieces(M, p.of);
        if (!find_columns(context, H, &p)) status = ZN_ERROR_MEMORY;
    }
    for (int j = 0; j < H->cols && status == ZN_OK; j++) {
        memset(v, 0, (size_t)M->rows * sizeof *v);
        for (int e = H->start[j]; e < H->start[j + 1]; e++) v[H->index[e]] = H_values[e];
        lin_lu_solve(lu, v);
        if (!add_column(context, H, H_values, &p, v, j, &w)) status = ZN_ERROR_MEMORY;
    }
    if (status == ZN_OK) status = take(context, H->cols, &w, W, W_values);
    void *memory[] = {p.of, p.start, p.column, p.seen, v, w.row, w.col, w.value};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(context, memory[k]);
    return status;
}
