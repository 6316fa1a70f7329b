/* SPDX-License-Identifier: Apache-2.0 */
/* L U = P A P', blocks of d rows, the order P by AMD. Column j of L and row j of U from those before them (left-looking); V_ij = U_ji'
 * stands where L_ij stands:
 *
 *     A_ij  - sum_k L_ik V_jk'  =  L_ij K_j,    K_j = U_jj,  L_jj = 1
 *     A_ji' - sum_k V_ik L_jk'  =  V_ij                          i > j
 *
 * In a symmetric matrix the left sides are equal. The kernels know d when they are compiled.
 *
 * Columns one after the other that have the same rows below them are a chunk. Once it is done, the rows of its L and V that lie below it
 * are copied into panels, row by row through all of its columns, so that what it does to a later column is made of long scalar products.
 * Chunks wait in lists at the row of their next block, so that each finds its turn. */
#include "linalg/block_lu.h"

#include "base/wide.h"

#include <amd.h>
#include <stdlib.h>

struct lin_block_lu {
    zn_context *context;
    int n, d, sign; /* sign: of the determinant */
    int *shape;     /* start and index of A, to see whether they are the same again */
    size_t shape_capacity, rows_capacity, column_capacity, block_capacity, number_capacity;
    int *order, *place;           /* row order[k] of A is row k of the factors; place is the inverse */
    int *start, *row;             /* block columns of L, diagonal first, rows ascending */
    double *L, *U;                /* blocks row by row; on the diagonal L has the inverse of K_j; U: V */
    int *from_start, *from, *to;  /* column j gets block from[e] of A, transposed, at block to[e] */
    int *next, *head, *link, *at; /* work: next row of a chunk, lists by row, place of a row in the present column */
    int *chunk, *last;            /* first column of the chunk of a column; last column of a chunk, by its first one */
    size_t *panel, panel_capacity, panel_numbers;
    double *panel_L, *panel_V; /* of a chunk from panel[first] on: d rows for each row below it, of panel_width numbers */
    double *x;
};

/* ---- structure ---- */

typedef struct growing {
    int *v;
    size_t capacity, count;
} growing;

static bool push(zn_context *context, growing *g, int value) {
    if (!mem_grow(context, (void **)&g->v, &g->capacity, g->count + 1, sizeof(int))) return false;
    g->v[g->count++] = value;
    return true;
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Rows of column j: those of A below the diagonal, and those of the columns whose first row below the diagonal is j. */
static bool find_structure(lin_block_lu *f, const int *start, const int *index, growing *rows) {
    zn_context *context = f->context;
    int n = f->n, *seen = f->at, *first_child = f->head, *sibling = f->link;
    for (int j = 0; j < n; j++) seen[j] = first_child[j] = sibling[j] = -1;
    for (int j = 0; j < n; j++) {
        f->start[j] = (int)rows->count;
        seen[j] = j;
        if (!push(context, rows, j)) return false;
        for (int e = start[f->order[j]]; e < start[f->order[j] + 1]; e++) {
            int i = f->place[index[e]];
            if (i < j || seen[i] == j) continue;
            seen[i] = j;
            if (!push(context, rows, i)) return false;
        }
        for (int c = first_child[j]; c >= 0; c = sibling[c])
            for (int e = f->start[c] + 1; e < f->start[c + 1]; e++) {
                int i = rows->v[e];
                if (seen[i] == j) continue;
                seen[i] = j;
                if (!push(context, rows, i)) return false;
            }
        f->start[j + 1] = (int)rows->count;
        qsort(rows->v + f->start[j], rows->count - (size_t)f->start[j], sizeof(int), by_value);
        if (rows->count > (size_t)f->start[j] + 1) {
            int parent = rows->v[f->start[j] + 1];
            sibling[j] = first_child[parent];
            first_child[parent] = j;
        }
    }
    return true;
}

/* Where the blocks of A go: of each pair across the diagonal the one that lies in a column of the lower part. */
static void find_places(lin_block_lu *f, const int *start, const int *index) {
    int count = 0;
    for (int j = 0; j < f->n; j++) {
        f->from_start[j] = count;
        for (int e = f->start[j]; e < f->start[j + 1]; e++) f->at[f->row[e]] = e;
        int own = f->order[j];
        for (int e = start[own]; e < start[own + 1]; e++) {
            int i = f->place[index[e]];
            if (i < j) continue;
            f->from[count] = e; /* block (own, index[e]) is the transpose of what column j wants */
            f->to[count++] = f->at[i];
        }
    }
    f->from_start[f->n] = count;
}

enum { CHUNK_MOST = 16 };
static size_t panel_width(const lin_block_lu *f, int first) { return ((size_t)((f->last[first] - first + 1) * f->d) + 4 - 1) / 4 * 4; }

/* Column k + 1 continues the chunk of column k where it is the first row below it and has all of its other rows. */
static void find_chunks(lin_block_lu *f) {
    f->panel_numbers = 0;
    for (int j = 0, k; j < f->n; j = k + 1) {
        for (k = j; k + 1 < f->n && k + 1 - j < CHUNK_MOST; k++) {
            int rows = f->start[k + 1] - f->start[k];
            if (rows < 2 || f->row[f->start[k] + 1] != k + 1 || f->start[k + 2] - f->start[k + 1] != rows - 1) break;
        }
        for (int i = j; i <= k; i++) f->chunk[i] = j;
        f->last[j] = k;
        f->panel[j] = f->panel_numbers;
        f->panel_numbers += (size_t)((f->start[k + 1] - f->start[k] - 1) * f->d) * panel_width(f, j);
    }
}

/* What is taken where `wanted` is needed: just that at first, with some to spare where it turns out to grow. */
static size_t room(size_t had, size_t wanted) { return had > 0 ? wanted + wanted / 2 : wanted; }

/* All lists again where they are too short; what they hold is lost. */
static bool make_room(lin_block_lu *f, int blocks) {
    zn_context *context = f->context;
    size_t n = (size_t)f->n + 1, kept = (size_t)(blocks / 2 + f->n);
    int **lists[] = {&f->order, &f->place, &f->start, &f->from_start, &f->next, &f->head, &f->link, &f->at, &f->chunk, &f->last};
    if (n > f->column_capacity) {
        size_t wanted = room(f->column_capacity, n);
        f->column_capacity = 0;
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
            mem_free(context, *lists[k]);
            if (!(*lists[k] = MEM_ARRAY(context, int, wanted))) return false;
        }
        mem_free(context, f->x);
        mem_free(context, f->panel);
        f->panel = NULL;
        if (!(f->x = MEM_ARRAY(context, double, wanted *LIN_BLOCK_MOST)) || !(f->panel = MEM_ARRAY(context, size_t, wanted))) return false;
        f->column_capacity = wanted;
    }
    if (kept > f->block_capacity) {
        size_t wanted = room(f->block_capacity, kept);
        f->block_capacity = 0;
        mem_free(context, f->from);
        mem_free(context, f->to);
        f->to = NULL;
        if (!(f->from = MEM_ARRAY(context, int, wanted)) || !(f->to = MEM_ARRAY(context, int, wanted))) return false;
        f->block_capacity = wanted;
    }
    return true;
}

static bool is_same(const lin_block_lu *f, int n, int d, const int *start, const int *index) {
    return f->shape && n == f->n && d == f->d && memcmp(f->shape, start, ((size_t)n + 1) * sizeof *start) == 0 &&
           memcmp(f->shape + n + 1, index, (size_t)start[n] * sizeof *index) == 0;
}

bool lin_block_lu_renew(lin_block_lu *f, int n, int d, const int *start, const int *index) {
    zn_context *context = f->context;
    if (is_same(f, n, d, start, index)) return true;
    f->n = n, f->d = d;
    size_t head = (size_t)n + 1, entries = (size_t)start[n];
    if (!make_room(f, start[n]) || !mem_grow(context, (void **)&f->shape, &f->shape_capacity, head + entries, sizeof(int))) goto failed;
    memcpy(f->shape, start, head * sizeof *start);
    memcpy(f->shape + head, index, entries * sizeof *index);
    if (n > 0 && amd_order(n, start, index, f->order, NULL, NULL) < AMD_OK) {
        fail(context, ZN_ERROR_MEMORY, "no memory to order a sparse matrix of %d blocks", n);
        goto failed;
    }
    for (int k = 0; k < n; k++) f->place[f->order[k]] = k;
    growing rows = {f->row, f->rows_capacity, 0};
    bool fine = find_structure(f, start, index, &rows);
    f->row = rows.v, f->rows_capacity = rows.capacity;
    size_t numbers = rows.count * (size_t)(d * d);
    if (fine && numbers > f->number_capacity) {
        size_t wanted = room(f->number_capacity, numbers);
        f->number_capacity = 0;
        mem_free(context, f->L);
        mem_free(context, f->U);
        f->U = NULL;
        f->L = MEM_ARRAY(context, double, wanted);
        f->U = MEM_ARRAY(context, double, wanted);
        fine = f->L && f->U;
        if (fine) f->number_capacity = wanted;
    }
    if (fine) find_chunks(f);
    if (fine && f->panel_numbers > f->panel_capacity) {
        size_t wanted = room(f->panel_capacity, f->panel_numbers);
        f->panel_capacity = 0;
        mem_free(context, f->panel_L);
        mem_free(context, f->panel_V);
        f->panel_V = NULL;
        f->panel_L = MEM_ARRAY(context, double, wanted);
        f->panel_V = MEM_ARRAY(context, double, wanted);
        fine = f->panel_L && f->panel_V;
        if (fine) f->panel_capacity = wanted;
    }
    if (!fine) goto failed;
    find_places(f, start, index);
    return true;
failed:
    f->n = -1; /* like nothing that may come */
    return false;
}

lin_block_lu *lin_block_lu_create(zn_context *context, int n, int d, const int *start, const int *index) {
    lin_block_lu *f = MEM_ARRAY(context, lin_block_lu, 1);
    if (!f) return NULL;
    f->context = context;
    if (lin_block_lu_renew(f, n, d, start, index)) return f;
    lin_block_lu_destroy(f);
    return NULL;
}

void lin_block_lu_destroy(lin_block_lu *f) {
    if (!f) return;
    void *memory[] = {f->order, f->place, f->start, f->row, f->L,     f->U,     f->from_start, f->from,  f->to,      f->next,
                      f->head,  f->link,  f->at,    f->x,   f->shape, f->chunk, f->last,       f->panel, f->panel_L, f->panel_V};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) mem_free(f->context, memory[k]);
    mem_free(f->context, f);
}

/* ---- kernels ---- */

/* c -= a b' */
ALWAYS_INLINE void subtract_product(const int d, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++) sum += a[i * d + k] * b[j * d + k];
            c[i * d + j] -= sum;
        }
}

/* inverse = a^-1 by elimination with pivots, a is lost. Returns the sign of the determinant; 0: singular, or not finite. */
ALWAYS_INLINE int invert(const int d, double *a, double *inverse) {
    int sign = 1;
    for (int i = 0; i < d * d; i++) inverse[i] = i % (d + 1) == 0;
    for (int j = 0; j < d; j++) {
        int best = j;
        for (int i = j + 1; i < d; i++) best = fabs(a[i * d + j]) > fabs(a[best * d + j]) ? i : best;
        double pivot = a[best * d + j];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return 0;
        if ((pivot < 0) != (best != j)) sign = -sign;
        for (int k = 0; k < d; k++) {
            double x = a[best * d + k] / pivot, y = inverse[best * d + k] / pivot;
            a[best * d + k] = a[j * d + k];
            inverse[best * d + k] = inverse[j * d + k];
            a[j * d + k] = x;
            inverse[j * d + k] = y;
        }
        for (int i = 0; i < d; i++) {
            double factor = a[i * d + j];
            if (i == j || factor == 0) continue;
            for (int k = 0; k < d; k++) {
                a[i * d + k] -= factor * a[j * d + k];
                inverse[i * d + k] -= factor * inverse[j * d + k];
            }
        }
    }
    return sign;
}

/* b = a k */
ALWAYS_INLINE void multiply(const int d, double *restrict b, const double *restrict a, const double *restrict k) {
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int l = 0; l < d; l++) sum += a[i * d + l] * k[l * d + j];
            b[i * d + j] = sum;
        }
}

/* Blocks of A into column j of L and V. */
ALWAYS_INLINE void enter(const int d, lin_block_lu *f, int j, const lin_block_values *a) {
    const size_t dd = (size_t)(d * d);
    for (int e = f->from_start[j]; e < f->from_start[j + 1]; e++) {
        if (a->present && !a->present[f->order[f->row[f->to[e]]]]) continue;
        const double *block = a->blocks + (size_t)f->from[e] * dd;
        double *v = f->U + (size_t)f->to[e] * dd;
        for (int i = 0; i < d; i++)
            for (int k = 0; k < d; k++) v[i * d + k] = block[k * d + i];
        if (a->transposed) memcpy(f->L + (size_t)f->to[e] * dd, a->blocks + (size_t)a->transposed[f->from[e]] * dd, dd * sizeof(double));
    }
    double *own = f->U + (size_t)f->start[j] * dd;
    for (size_t i = 0; i < dd && a->diagonal; i++)
        own[i] += a->diagonal[(size_t)f->order[j] * dd + i % (size_t)d * (size_t)d + i / (size_t)d];
}

/* c -= a b', rows of `width` numbers, a multiple of four. All sums at once, so that each number is read once, where the machine holds
 * them. */
ALWAYS_INLINE void subtract_long_product(const int d, double *restrict c, const double *restrict a, const double *restrict b,
                                         size_t width) {
    four sum[LIN_BLOCK_MOST * LIN_BLOCK_MOST];
    memset(sum, 0, (size_t)(d * d) * sizeof *sum);
    for (size_t k = 0; k < width; k += 4) {
        four y[LIN_BLOCK_MOST], x;
#pragma GCC unroll 6
        for (int j = 0; j < d; j++) memcpy(&y[j], b + (size_t)j * width + k, sizeof x);
#pragma GCC unroll 6
        for (int i = 0; i < d; i++) {
            memcpy(&x, a + (size_t)i * width + k, sizeof x);
#pragma GCC unroll 6
            for (int j = 0; j < d; j++) sum[i * d + j] += x * y[j];
        }
    }
#pragma GCC unroll 36
    for (int i = 0; i < d * d; i++) c[i] -= (sum[i][0] + sum[i][1]) + (sum[i][2] + sum[i][3]);
}

/* The chunk waits at its row `at`, of those below it. */
static void queue(lin_block_lu *f, int chunk, int at) {
    int last = f->last[chunk], place = f->start[last] + 1 + at;
    if (place >= f->start[last + 1]) return;
    int row = f->row[place];
    f->next[chunk] = at;
    f->link[chunk] = f->head[row];
    f->head[row] = chunk;
}

/* What a chunk does to the column of its next row. */
ALWAYS_INLINE void update(const int d, lin_block_lu *f, int chunk, bool symmetric) {
    const size_t dd = (size_t)(d * d), width = panel_width(f, chunk), one = (size_t)d * width;
    const int last = f->last[chunk], *rows = f->row + f->start[last] + 1, count = f->start[last + 1] - f->start[last] - 1,
              at = f->next[chunk];
    const double *L = f->panel_L + f->panel[chunk], *V = f->panel_V + f->panel[chunk];
    for (int e = at; e < count; e++) {
        size_t to = (size_t)f->at[rows[e]] * dd;
        subtract_long_product(d, f->U + to, V + (size_t)e * one, L + (size_t)at * one, width);
        if (!symmetric && e > at) subtract_long_product(d, f->L + to, L + (size_t)e * one, V + (size_t)at * one, width);
    }
}

WIDE static void update_3(lin_block_lu *f, int chunk, bool symmetric) { update(3, f, chunk, symmetric); }

/* What the columns of its own chunk do to column j. */
ALWAYS_INLINE void update_within(const int d, lin_block_lu *f, int j, bool symmetric) {
    const size_t dd = (size_t)(d * d);
    for (int k = f->chunk[j]; k < j; k++) {
        int at = f->start[k] + j - k;
        const double *l = f->L + (size_t)at * dd, *v = f->U + (size_t)at * dd;
        for (int e = at; e < f->start[k + 1]; e++) {
            size_t to = (size_t)f->at[f->row[e]] * dd;
            subtract_product(d, f->U + to, f->U + (size_t)e * dd, l);
            if (!symmetric && e > at) subtract_product(d, f->L + to, f->L + (size_t)e * dd, v);
        }
    }
}

/* A chunk is done: its panels, and it waits for its first row. */
ALWAYS_INLINE void pack(const int d, lin_block_lu *f, int chunk) {
    const size_t dd = (size_t)(d * d), width = panel_width(f, chunk);
    const int last = f->last[chunk], count = f->start[last + 1] - f->start[last] - 1;
    if (count == 0) return; /* perhaps there are no panels at all */
    double *L = f->panel_L + f->panel[chunk], *V = f->panel_V + f->panel[chunk];
    memset(L, 0, (size_t)(count * d) * width * sizeof *L);
    memset(V, 0, (size_t)(count * d) * width * sizeof *V);
    for (int k = chunk; k <= last; k++)
        for (int e = 0; e < count; e++) {
            size_t from = (size_t)(f->start[k] + last - k + 1 + e) * dd;
            for (int i = 0; i < d; i++) {
                size_t to = (size_t)(e * d + i) * width + (size_t)((k - chunk) * d);
                memcpy(L + to, f->L + from + (size_t)(i * d), (size_t)d * sizeof *L);
                memcpy(V + to, f->U + from + (size_t)(i * d), (size_t)d * sizeof *V);
            }
        }
    queue(f, chunk, 0);
}

/* Column j from A and the columns before it; false: its pivot is singular. */
ALWAYS_INLINE bool make_column(const int d, lin_block_lu *f, int j, const lin_block_values *a) {
    const size_t dd = (size_t)(d * d);
    const int first = f->start[j], last = f->start[j + 1];
    bool symmetric = !a->transposed, present = !a->present || a->present[f->order[j]];
    double *L = f->L, *U = f->U, K[LIN_BLOCK_MOST * LIN_BLOCK_MOST], *inverse = L + (size_t)first * dd;
    for (int e = first; e < last; e++) f->at[f->row[e]] = e;
    if (present) enter(d, f, j, a);
    for (int k = f->head[j], following; k >= 0; k = following) {
        following = f->link[k];
        if (present && d == 3) update_3(f, k, symmetric);
        else if (present) update(d, f, k, symmetric);
        queue(f, k, f->next[k] + 1);
    }
    if (!present) {
        memset(L + (size_t)first * dd, 0, (size_t)(last - first) * dd * sizeof(double));
        for (int i = 0; i < d; i++) inverse[i * d + i] = 1;
        return true;
    }
    update_within(d, f, j, symmetric);
    for (int i = 0; i < d; i++) /* V_jj = K_j' */
        for (int k = 0; k < d; k++) K[i * d + k] = U[(size_t)first * dd + (size_t)(k * d + i)];
    int sign = invert(d, K, inverse);
    if (sign == 0) return false;
    f->sign *= sign;
    for (int e = first + 1; e < last; e++) {
        double left[LIN_BLOCK_MOST * LIN_BLOCK_MOST];
        memcpy(left, (symmetric ? U : L) + (size_t)e * dd, dd * sizeof(double));
        multiply(d, L + (size_t)e * dd, left, inverse);
    }
    return true;
}

ALWAYS_INLINE int factor(const int d, lin_block_lu *f, const lin_block_values *a) {
    const size_t numbers = (size_t)f->start[f->n] * (size_t)(d * d);
    if (numbers > 0) memset(f->U, 0, numbers * sizeof(double)); /* diagonal matrices have no U */
    if (numbers > 0 && a->transposed) memset(f->L, 0, numbers * sizeof(double));
    for (int j = 0; j < f->n; j++) f->head[j] = -1;
    f->sign = 1;
    for (int j = 0; j < f->n; j++) {
        if (!make_column(d, f, j, a)) return 1 + f->order[j];
        if (j == f->last[f->chunk[j]]) pack(d, f, f->chunk[j]);
    }
    return 0;
}

ALWAYS_INLINE void solve(const int d, const lin_block_lu *f, double *b) {
    const size_t dd = (size_t)(d * d);
    double *x = f->x;
    for (int j = 0; j < f->n; j++)
        for (int i = 0; i < d; i++) x[j * d + i] = b[f->order[j] * d + i];
    for (int j = 0; j < f->n; j++) {
        const double *xj = x + j * d;
        for (int e = f->start[j] + 1; e < f->start[j + 1]; e++) {
            double *xi = x + f->row[e] * d;
            const double *l = f->L + (size_t)e * dd;
            for (int i = 0; i < d; i++)
                for (int k = 0; k < d; k++) xi[i] -= l[i * d + k] * xj[k];
        }
    }
    for (int j = f->n - 1; j >= 0; j--) {
        double sum[LIN_BLOCK_MOST], *xj = x + j * d;
        const double *inverse = f->L + (size_t)f->start[j] * dd;
        for (int i = 0; i < d; i++) sum[i] = xj[i];
        for (int e = f->start[j] + 1; e < f->start[j + 1]; e++) {
            const double *xi = x + f->row[e] * d, *v = f->U + (size_t)e * dd;
            for (int i = 0; i < d; i++)
                for (int k = 0; k < d; k++) sum[k] -= v[i * d + k] * xi[i];
        }
        for (int i = 0; i < d; i++) {
            xj[i] = 0;
            for (int k = 0; k < d; k++) xj[i] += inverse[i * d + k] * sum[k];
        }
    }
    for (int j = 0; j < f->n; j++)
        for (int i = 0; i < d; i++) b[f->order[j] * d + i] = x[j * d + i];
}

int lin_block_lu_sign(const lin_block_lu *f) { return f->sign; }

double lin_block_lu_work(const lin_block_lu *f) {
    double sum = 0, d = f->d;
    for (int j = 0; j < f->n; j++) {
        double rows = f->start[j + 1] - f->start[j];
        sum += rows * rows;
    }
    return sum * d * d * d;
}

int lin_block_lu_factor(lin_block_lu *f, const lin_block_values *a) {
    switch (f->d) {
    case 1: return factor(1, f, a);
    case 2: return factor(2, f, a);
    case 3: return factor(3, f, a);
    case 5: return factor(5, f, a);
    default: return factor(f->d, f, a);
    }
}

void lin_block_lu_solve(const lin_block_lu *f, double *b) {
    switch (f->d) {
    case 1: solve(1, f, b); return;
    case 2: solve(2, f, b); return;
    case 3: solve(3, f, b); return;
    case 5: solve(5, f, b); return;
    default: solve(f->d, f, b);
    }
}
