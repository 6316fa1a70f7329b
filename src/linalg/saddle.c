/* SPDX-License-Identifier: Apache-2.0 */
/* S = C' M^-1 W by columns of V = M^-1 W, which have entries in the cells that W touches. Where W = C, S is symmetric and, with independent
 * rows, positive definite: a Cholesky factor. It is scaled to a diagonal of about 1, so that a pivot says how much of a row does not follow
 * from those before it; below `least_pivot` the whole matrix is better factored with pivots of its own. */
#include "linalg/saddle.h"

#include "linalg/dense.h"
#include "linalg/scaling.h"

static const double least_pivot = 1e-8;
enum {
    MOST_CELL = 12,   /* rows of a cell whose inverse is kept */
    DENSE_SCHUR = 32, /* up to this many rows S is dense */
    FEW_TERMS = 16    /* of the sums in a column of S: up to this many (mean), these alone cost less than whole columns */
};

/* An entry of a dense S, and where its sum of products C_e V_v ends. */
typedef struct sum_entry {
    int at, end;
} sum_entry;
typedef struct sum_term {
    int e, v;
} sum_term;

struct lin_saddle {
    zn_context *context;
    const zn_pattern *M, *W, *C;
    int n, m;
    int n_cells, *cell, *place, *start, *row, *offset; /* per row: its cell and place in there; rows by cells; inverses */
    double *inverse;                                   /* by columns, cell after cell */
    int *v_start, *v_row, *v_block;                    /* pattern of V; per entry of W: where its cell begins in V */
    int *s_start, *s_row, *pivot;                      /* pattern of S */
    double *V, *S, *scale, *column;                    /* column: n, zero between uses */
    double *rows;                                      /* C' by columns, where S is dense: entries of a row of C side by side */
    sum_entry *sums;                                   /* of a dense S: on and below the diagonal, then above; NULL: too many */
    sum_term *terms;
    int n_lower, n_sums;
    double *values;         /* of S over its pattern */
    const double *C_values; /* the caller's */
    lin_matrix *matrix;     /* S where it is large */
    lin_lu *lu;
    bool symmetric; /* W = C */
    bool singles;   /* every cell is one row */
};

/* ---- cells ---- */

static int find_root(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* cell[k]: the smallest row that row k is connected with. */
static void connect(const zn_pattern *M, int *cell) {
    for (int k = 0; k < M->cols; k++) cell[k] = k;
    for (int j = 0; M->start && j < M->cols; j++)
        for (int e = M->start[j]; e < M->start[j + 1]; e++) {
            int a = find_root(cell, j), b = find_root(cell, M->index[e]);
            cell[a > b ? a : b] = a < b ? a : b;
        }
    for (int k = 0; k < M->cols; k++) cell[k] = find_root(cell, k);
}

static void number_cells(lin_saddle *s) {
    int n = s->n, *number = s->row; /* not in use yet */
    connect(s->M, s->cell);
    for (int k = 0; k < n; k++)
        if (s->cell[k] == k) number[k] = s->n_cells++;
    for (int k = 0; k < n; k++) s->cell[k] = number[s->cell[k]];
    for (int k = 0; k < n; k++) s->start[s->cell[k] + 1]++;
    for (int c = 0; c < s->n_cells; c++) s->start[c + 1] += s->start[c];
    for (int k = 0; k < n; k++) s->place[k] = 0;
    for (int k = 0, *filled = s->offset; k < n; k++) s->place[k] = filled[s->cell[k]]++;
    for (int k = 0; k < n; k++) s->row[s->start[s->cell[k]] + s->place[k]] = k;
    for (int c = 0, next = 0; c < s->n_cells; c++) {
        int size = s->start[c + 1] - s->start[c];
        s->offset[c] = next;
        next += size * size;
    }
}

/* ---- patterns ---- */

/* V has whole cells: column j those in which W has an entry. */
static bool make_V(lin_saddle *s) {
    int entries = s->W->start ? s->W->start[s->m] : 0, room = 0, *block = MEM_ARRAY(s->context, int, s->n_cells);
    for (int e = 0; e < entries; e++) {
        int c = s->cell[s->W->index[e]];
        room += s->start[c + 1] - s->start[c];
    }
    s->v_row = MEM_ARRAY(s->context, int, room);
    s->v_block = MEM_ARRAY(s->context, int, entries);
    bool good = block && s->v_row && s->v_block;
    for (int c = 0; good && c < s->n_cells; c++) block[c] = -1;
    for (int j = 0, next = 0; good && j < s->m; s->v_start[++j] = next)
        for (int e = entries ? s->W->start[j] : 0; e < (entries ? s->W->start[j + 1] : 0); e++) {
            int c = s->cell[s->W->index[e]];
            if (block[c] < s->v_start[j]) {
                block[c] = next;
                for (int k = s->start[c]; k < s->start[c + 1]; k++) s->v_row[next++] = s->row[k];
            }
            s->v_block[e] = block[c];
        }
    mem_free(s->context, block);
    s->V = good ? MEM_ARRAY(s->context, double, s->v_start[s->m]) : NULL;
    return s->V;
}

/* Rows of S in column j: those of C that have an entry where V has one. By lists of the columns of C in each row. */
static bool make_S(lin_saddle *s) {
    zn_context *context = s->context;
    int entries = s->C->start ? s->C->start[s->m] : 0, count = 0;
    int *begin = MEM_ARRAY(context, int, s->n + 2), *list = MEM_ARRAY(context, int, entries), *seen = MEM_ARRAY(context, int, s->m);
    size_t room = 0;
    bool good = begin && list && seen;
    for (int e = 0; good && e < entries; e++) begin[s->C->index[e] + 2]++;
    for (int k = 0; good && k < s->n; k++) begin[k + 2] += begin[k + 1];
    for (int j = 0; good && entries && j < s->m; j++)
        for (int e = s->C->start[j]; e < s->C->start[j + 1]; e++) list[begin[s->C->index[e] + 1]++] = j;
    for (int j = 0; good && j < s->m; s->s_start[++j] = count)
        for (int v = s->v_start[j]; good && v < s->v_start[j + 1]; v++)
            for (int k = begin[s->v_row[v]]; good && k < begin[s->v_row[v] + 1]; k++) {
                int i = list[k];
                if (seen[i] == j + 1) continue;
                seen[i] = j + 1;
                good = mem_grow(context, (void **)&s->s_row, &room, (size_t)count + 1, sizeof(int));
                if (good) s->s_row[count++] = i;
            }
    void *blocks[] = {begin, list, seen};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    if (good && s->m <= DENSE_SCHUR) {
        s->S = MEM_ARRAY(context, double, s->m * s->m);
        s->rows = MEM_ARRAY(context, double, s->m * s->n);
        return s->S && s->rows;
    }
    if (!good) return false;
    if (!(s->values = MEM_ARRAY(context, double, count)) || !(s->matrix = lin_matrix_create(context, s->m))) return false;
    zn_pattern pattern = {s->m, s->m, s->s_start, s->s_row};
    if (lin_matrix_block(s->matrix, &pattern, false, 0, 0) < 0) return false;
    /* Pivots of a definite S are good in any order: that of its pattern remembers no earlier values. */
    int *each = MEM_ARRAY(context, int, s->m);
    for (int i = 0; each && i < s->m; i++) each[i] = i;
    bool ordered = each && lin_matrix_set_bodies(s->matrix, each) == ZN_OK && lin_matrix_finish(s->matrix, LIN_AUTO) == ZN_OK;
    mem_free(context, each);
    return ordered && (s->lu = lin_lu_create(context, s->matrix));
}

/* The next sum: entry (i, j) of S. Counts its terms, or lists them, too. */
static int add_sum(lin_saddle *s, int i, int j, int count) {
    for (int v = s->v_start[j]; v < s->v_start[j + 1]; v++)
        for (int e = s->C->start[i]; e < s->C->start[i + 1]; e++) {
            if (s->C->index[e] != s->v_row[v]) continue;
            if (s->terms) s->terms[count] = (sum_term){e, v};
            count++;
        }
    if (s->terms) s->sums[s->n_sums++] = (sum_entry){j * s->m + i, count};
    return count;
}

static int add_sums(lin_saddle *s) {
    int count = 0;
    for (int upper = 0; upper < 2; upper++) {
        for (int j = 0; j < s->m; j++)
            for (int k = s->s_start[j]; k < s->s_start[j + 1]; k++)
                if ((s->s_row[k] < j) == upper) count = add_sum(s, s->s_row[k], j, count);
        if (!upper) s->n_lower = s->n_sums;
    }
    return count;
}

static bool make_sums(lin_saddle *s) {
    int terms = s->S && s->m > 0 ? add_sums(s) : 0;
    if (terms == 0 || terms > FEW_TERMS * s->m) return true;
    s->sums = MEM_ARRAY(s->context, sum_entry, s->s_start[s->m]);
    s->terms = s->sums ? MEM_ARRAY(s->context, sum_term, terms) : NULL;
    if (s->terms) add_sums(s);
    return s->terms;
}

static bool pays(const lin_saddle *s) {
    int most = 0;
    for (int c = 0; c < s->n_cells; c++) most = s->start[c + 1] - s->start[c] > most ? s->start[c + 1] - s->start[c] : most;
    return most > 0 && most <= MOST_CELL && s->n + s->m > most;
}

zn_status lin_saddle_create(zn_context *context, const zn_pattern *M, const zn_pattern *W, const zn_pattern *C, lin_saddle **saddle) {
    lin_saddle *s = MEM_ARRAY(context, lin_saddle, 1);
    *saddle = NULL;
    if (!s) return ZN_ERROR_MEMORY;
    *s = (lin_saddle){.context = context, .M = M, .W = W, .C = C, .n = M->cols, .m = W->cols};
    const struct {
        int **list, count;
    } lists[] = {{&s->cell, s->n},   {&s->place, s->n},       {&s->start, s->n + 1},   {&s->row, s->n},
                 {&s->offset, s->n}, {&s->v_start, s->m + 1}, {&s->s_start, s->m + 1}, {&s->pivot, s->m}};
    bool good = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) good = (*lists[i].list = MEM_ARRAY(context, int, lists[i].count)) && good;
    s->scale = MEM_ARRAY(context, double, s->m);
    s->column = MEM_ARRAY(context, double, s->n);
    good = good && s->scale && s->column;
    if (good) number_cells(s);
    s->singles = s->n_cells == s->n; /* inverse[k] is that of row k */
    bool wanted = good && pays(s);
    if (wanted) {
        size_t last = (size_t)(s->start[s->n_cells] - s->start[s->n_cells - 1]);
        s->inverse = MEM_ARRAY(context, double, (size_t)s->offset[s->n_cells - 1] + last * last);
        good = s->inverse && make_V(s) && make_S(s) && make_sums(s);
    }
    if (good && wanted) *saddle = s;
    else lin_saddle_destroy(s);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

void lin_saddle_destroy(lin_saddle *s) {
    if (!s) return;
    lin_lu_destroy(s->lu);
    lin_matrix_destroy(s->matrix);
    void *blocks[] = {s->sums,    s->terms,   s->cell,  s->place, s->start, s->row, s->offset, s->inverse, s->v_start, s->v_row,
                      s->v_block, s->s_start, s->s_row, s->pivot, s->V,     s->S,   s->rows,   s->scale,   s->column,  s->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(s->context, blocks[i]);
    mem_free(s->context, s);
}

/* ---- factors ---- */

/* By a Cholesky factor, which does not mind different units of the rows. False: not clearly positive definite. */
static bool invert_cell(int size, double *a) {
    double factor[MOST_CELL * MOST_CELL], diagonal[MOST_CELL];
    for (int k = 0; k < size; k++) diagonal[k] = a[k * (size + 1)];
    if (size == 1) {
        a[0] = 1 / diagonal[0];
        return diagonal[0] > 0 && isfinite(a[0]);
    }
    memcpy(factor, a, (size_t)(size * size) * sizeof *a);
    if (lin_dense_cholesky_factor(size, factor) != 0) return false;
    for (int k = 0; k < size; k++)
        if (!(factor[k * (size + 1)] * factor[k * (size + 1)] > least_pivot * diagonal[k])) return false;
    for (int k = 0; k < size * size; k++) a[k] = k % (size + 1) == 0;
    lin_dense_cholesky_solve(size, factor, a, size);
    return true;
}

static bool invert(lin_saddle *s, const double *M) {
    for (int c = 0; c < s->n_cells; c++) {
        int size = s->start[c + 1] - s->start[c];
        double *a = s->inverse + s->offset[c];
        memset(a, 0, (size_t)(size * size) * sizeof *a);
        for (int j = 0; j < size; j++)
            for (int k = s->row[s->start[c] + j], e = s->M->start[k]; e < s->M->start[k + 1]; e++)
                a[j * size + s->place[s->M->index[e]]] = M[e];
        if (!invert_cell(size, a)) return false;
    }
    return true;
}

static void multiply_cells(const lin_saddle *s, const double *W) {
    if (s->singles) { /* V has the entries of W, unless W has doubles, which patterns have not */
        for (int e = 0, count = s->W->start ? s->W->start[s->m] : 0; e < count; e++)
            s->V[s->v_block[e]] = s->inverse[s->W->index[e]] * W[e];
        return;
    }
    memset(s->V, 0, (size_t)s->v_start[s->m] * sizeof *s->V);
    for (int e = 0, count = s->W->start ? s->W->start[s->m] : 0; e < count; e++) {
        int k = s->W->index[e], c = s->cell[k], size = s->start[c + 1] - s->start[c];
        const double *column = s->inverse + s->offset[c] + s->place[k] * size;
        double *v = s->V + s->v_block[e], w = W[e];
        if (size == 1) v[0] += column[0] * w; /* places of bodies */
        else
            for (int i = 0; i < size; i++) v[i] += column[i] * w;
    }
}

/* Entries of column j of S, over its pattern. */
static void make_schur_column(const lin_saddle *s, const double *C, int j, double *column) {
    for (int v = s->v_start[j]; v < s->v_start[j + 1]; v++) s->column[s->v_row[v]] = s->V[v];
    for (int k = s->s_start[j]; k < s->s_start[j + 1]; k++) {
        int i = s->s_row[k];
        double sum = 0;
        for (int e = s->C->start[i]; e < s->C->start[i + 1]; e++) sum += C[e] * s->column[s->C->index[e]];
        column[k - s->s_start[j]] = sum;
    }
    for (int v = s->v_start[j]; v < s->v_start[j + 1]; v++) s->column[s->v_row[v]] = 0;
}

/* Column j of a dense S, from row `first` on: the rows of C where V has entries, added up. */
static void add_rows(const lin_saddle *s, int j, int first) {
    const double *row[DENSE_SCHUR];
    double factor[DENSE_SCHUR];
    int count = 0;
    for (int v = s->v_start[j]; v < s->v_start[j + 1]; v++) {
        if (s->V[v] != 0) {
            row[count] = s->rows + s->v_row[v] * s->m + first;
            factor[count++] = s->V[v];
        }
        if (count < DENSE_SCHUR && v + 1 < s->v_start[j + 1]) continue;
        lin_dense_add_columns(s->m - first, count, row, factor, s->S + j * s->m + first);
        count = 0;
    }
}

/* To a diagonal in 1/4 .. 1. */
static bool find_scale(lin_saddle *s, int i, double diagonal) {
    s->scale[i] = lin_inverse_size(sqrt(fabs(diagonal)));
    return isfinite(diagonal) && diagonal != 0;
}

static void add_all_rows(const lin_saddle *s, const double *C) {
    for (int i = 0; i < s->m; i++)
        for (int e = s->C->start[i]; e < s->C->start[i + 1]; e++) s->rows[s->C->index[e] * s->m + i] = C[e]; /* elsewhere zeros stay */
    for (int j = 0; j < s->m; j++) add_rows(s, j, s->symmetric ? j : 0);
}

static void add_terms(const lin_saddle *s, const double *C) {
    const sum_term *t = s->terms;
    for (const sum_entry *one = s->sums, *last = one + (s->symmetric ? s->n_lower : s->n_sums); one < last; one++) {
        double sum = 0;
        for (const sum_term *end = s->terms + one->end; t < end; t++) sum += C[t->e] * s->V[t->v];
        s->S[one->at] = sum;
    }
}

static zn_status factor_dense(lin_saddle *s, const double *C) {
    int m = s->m;
    memset(s->S, 0, (size_t)(m * m) * sizeof *s->S);
    if (s->terms) add_terms(s, C);
    else add_all_rows(s, C);
    for (int j = 0; j < m; j++)
        if (!find_scale(s, j, s->S[j * (m + 1)])) return ZN_ERROR_SINGULAR;
    for (int j = 0; j < m; j++)
        for (int i = s->symmetric ? j : 0; i < m; i++) s->S[j * m + i] *= s->scale[i] * s->scale[j];
    if (s->symmetric ? lin_dense_cholesky_factor(m, s->S) : lin_dense_lu_factor(m, s->S, s->pivot)) return ZN_ERROR_SINGULAR;
    for (int k = 0; k < m; k++) {
        double pivot = fabs(s->S[k * (m + 1)]);
        if (!((s->symmetric ? pivot * pivot : pivot) > least_pivot) || !isfinite(pivot)) return ZN_ERROR_SINGULAR;
    }
    return ZN_OK;
}

static zn_status factor_sparse(lin_saddle *s, const double *C) {
    for (int j = 0; j < s->m; j++) {
        double diagonal = 0;
        make_schur_column(s, C, j, s->values + s->s_start[j]);
        for (int k = s->s_start[j]; k < s->s_start[j + 1]; k++)
            if (s->s_row[k] == j) diagonal = s->values[k];
        if (!find_scale(s, j, diagonal)) return ZN_ERROR_SINGULAR;
    }
    for (int j = 0; j < s->m; j++)
        for (int k = s->s_start[j]; k < s->s_start[j + 1]; k++) s->values[k] *= s->scale[s->s_row[k]] * s->scale[j];
    lin_matrix_zero(s->matrix);
    lin_matrix_add(s->matrix, 0, 1, s->values);
    /* by pivots of its own: steps are functions of their state */
    bool factored = lin_lu_factor(s->lu, s->matrix, false) == ZN_OK;
    return factored && lin_lu_rcond(s->lu) > least_pivot ? ZN_OK : ZN_ERROR_SINGULAR;
}

static bool is_same(const zn_pattern *a, const double *x, const zn_pattern *b, const double *y, int m) {
    if (!a->start || !b->start) return !a->start && !b->start;
    size_t entries = (size_t)a->start[m];
    return memcmp(a->start, b->start, ((size_t)m + 1) * sizeof(int)) == 0 && memcmp(a->index, b->index, entries * sizeof(int)) == 0 &&
           memcmp(x, y, entries * sizeof *x) == 0;
}

zn_status lin_saddle_factor(lin_saddle *s, const double *M, const double *W, const double *C, bool same_M) {
    if (!same_M && !invert(s, M)) return ZN_ERROR_SINGULAR;
    if (s->m == 0) return ZN_OK;
    s->C_values = C;
    s->symmetric = is_same(s->W, W, s->C, C, s->m);
    multiply_cells(s, W);
    return s->matrix ? factor_sparse(s, C) : factor_dense(s, C);
}

/* ---- solves ---- */

static void apply_inverse(const lin_saddle *s, double *restrict f) {
    const double *restrict single = s->inverse;
    for (int k = 0; s->singles && k < s->n; k++) f[k] *= single[k];
    for (int c = 0; c < s->n_cells && !s->singles; c++) {
        const int *row = s->row + s->start[c], size = s->start[c + 1] - s->start[c];
        const double *inverse = s->inverse + s->offset[c];
        double x[MOST_CELL] = {0};
        if (size == 1) {
            f[row[0]] *= inverse[0];
            continue;
        }
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size; i++) x[i] += inverse[j * size + i] * f[row[j]];
        for (int i = 0; i < size; i++) f[row[i]] = x[i];
    }
}

void lin_saddle_solve(const lin_saddle *s, double *b) {
    double *p = b + s->n;
    apply_inverse(s, b);
    if (s->m == 0) return;
    const int *start = s->C->start, *index = s->C->index;
    for (int i = 0; i < s->m; i++) {
        double sum = p[i];
        for (int e = start[i], end = start[i + 1]; e < end; e++) sum -= s->C_values[e] * b[index[e]];
        p[i] = sum * s->scale[i];
    }
    if (s->matrix) lin_lu_solve(s->lu, p);
    else if (s->symmetric) lin_dense_cholesky_solve(s->m, s->S, p, 1);
    else lin_dense_lu_solve(s->m, s->S, s->pivot, p, 1);
    for (int j = 0; j < s->m; j++) {
        double force = p[j] *= s->scale[j];
        for (int v = s->v_start[j], end = s->v_start[j + 1]; v < end; v++) b[s->v_row[v]] += s->V[v] * force;
    }
}
