/* SPDX-License-Identifier: Apache-2.0 */
/* L U = P S A S P' with the order P of static_order.c, S powers of two. Pivot k takes its products out of the rest of the matrix,
 *
 *     l_i = L_ik/D_k,    L_ij -= l_i U_kj,   U_ji -= l_j U_ki,   D_i -= l_i U_ki       i > j > k
 *
 * L and U have the same structure, U by rows: one list of places serves both. Whether the order suits the values is judged afterwards, by a
 * solve whose solution is known: entries may grow where only units (a step of 1e-3) make them large, and then nothing is lost. */
#include "linalg/static_lu.h"

#include "base/wide.h"

#include <stdlib.h>

static const double least_size = 1e-10; /* by the largest entry that its column had at first: nearly singular */
static const double most_error = 1e-10; /* backward, of a probe: how many digits the order of the pivots costs */
static const double most_places = 2e6;  /* of the list */
enum { SIDE_BY_SIDE = 4 };              /* columns that are solved together */

struct static_lu {
    zn_context *context;
    int n, entries;
    int *order, *start, *row; /* columns of L below the diagonal, rows ascending */
    int *place;               /* per pivot, pair b < a of its rows: where (row a, row b) stands */
    int *to, *column, *line;  /* per entry of A: where it goes in [D | L | U]; its column and row */
    int *from;                /* per entry: its place in a dense A */
    int *diagonal, *loose;    /* per row: the entry on the diagonal, or -1; entries in rows or columns without one */
    int n_loose;
    double *entry;          /* of A, then of S A S */
    double *values, *L, *U; /* values: D, then L and U */
    double *scale, *largest, *x, *left;
    double *known; /* the solution of the probe */
};

/* ---- structure ---- */

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

typedef struct structure {
    const int *position; /* of rows in the order */
    int *seen, *first_child, *sibling;
    size_t room;
} structure;

static bool add_row(static_lu *f, structure *s, int j, int i, int *count) {
    if (i <= j || s->seen[i] == j) return true;
    s->seen[i] = j;
    if (!mem_grow(f->context, (void **)&f->row, &s->room, (size_t)*count + 1, sizeof(int))) return false;
    f->row[(*count)++] = i;
    return true;
}

static double operations_of(double pairs, int rows) { return 2 * pairs + 2.0 * rows; }

/* Rows of column j: those of A + A' below the diagonal, and those of the columns whose first row is j. *few: false where there are more
 * operations than `most`. */
static bool find_rows(static_lu *f, structure *s, const int *begin, const int *neighbour, double most, bool *few) {
    double pairs = 0;
    int count = 0;
    *few = true;
    for (int j = 0; j < f->n; j++) s->seen[j] = s->first_child[j] = s->sibling[j] = -1;
    for (int j = 0; j < f->n; j++) {
        int own = f->order[j];
        for (int e = begin[own]; e < begin[own + 1]; e++)
            if (!add_row(f, s, j, s->position[neighbour[e]], &count)) return false;
        for (int c = s->first_child[j]; c >= 0; c = s->sibling[c])
            for (int e = f->start[c]; e < f->start[c + 1]; e++)
                if (!add_row(f, s, j, f->row[e], &count)) return false;
        f->start[j + 1] = count;
        if (count == f->start[j]) continue;
        double rows = count - f->start[j];
        pairs += rows * (rows - 1) / 2;
        if (operations_of(pairs, count) > most) return *few = false, true;
        qsort(f->row + f->start[j], (size_t)(count - f->start[j]), sizeof(int), by_value);
        int parent = f->row[f->start[j]];
        s->sibling[j] = s->first_child[parent];
        s->first_child[parent] = j;
    }
    return true;
}

/* Neighbours in A + A', with doubles. */
static void list_neighbours(const zn_pattern *p, int *begin, int *neighbour) {
    int n = p->cols;
    for (int j = 0; j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) begin[j + 2]++, begin[p->index[e] + 2]++;
    for (int j = 0; j < n; j++) begin[j + 2] += begin[j + 1];
    for (int j = 0; j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            neighbour[begin[j + 1]++] = p->index[e];
            neighbour[begin[p->index[e] + 1]++] = j;
        }
}

static zn_status analyse(static_lu *f, const zn_pattern *p, int *position, double most, bool *few) {
    zn_context *context = f->context;
    structure s = {.position = position};
    int *begin = MEM_ARRAY(context, int, f->n + 2), *neighbour = MEM_ARRAY(context, int, 2 * (size_t)lin_nnz(p));
    s.seen = MEM_ARRAY(context, int, f->n);
    s.first_child = MEM_ARRAY(context, int, f->n);
    s.sibling = MEM_ARRAY(context, int, f->n);
    bool good = begin && neighbour && s.seen && s.first_child && s.sibling;
    if (good) {
        list_neighbours(p, begin, neighbour);
        good = find_rows(f, &s, begin, neighbour, most, few);
    }
    void *blocks[] = {begin, neighbour, s.seen, s.first_child, s.sibling};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
    return good ? ZN_OK : ZN_ERROR_MEMORY;
}

static double count_pairs(const static_lu *f) {
    double pairs = 0;
    for (int k = 0; k < f->n; k++) {
        double rows = f->start[k + 1] - f->start[k];
        pairs += rows * (rows - 1) / 2;
    }
    return pairs;
}

/* Of each pair of rows of each pivot, by binary search: once. */
static int place_of(const static_lu *f, int column, int row) {
    const int *found = bsearch(&row, f->row + f->start[column], (size_t)(f->start[column + 1] - f->start[column]), sizeof(int), by_value);
    return (int)(found - f->row);
}

/* Where row b meets the rows after it: places in a row, as within a body, are one number, ~ the first. */
static int *list_pairs(const static_lu *f, int b, int end, int *next) {
    int *first = next;
    bool in_a_row = true;
    for (int a = b + 1; a < end; a++) {
        *next++ = place_of(f, f->row[b], f->row[a]);
        in_a_row = in_a_row && next[-1] == *first + (a - b - 1);
    }
    if (next == first || !in_a_row) return next;
    *first = ~*first;
    return first + 1;
}

static void list_places(static_lu *f, const zn_pattern *p, const int *position) {
    int *next = f->place, lnz = f->start[f->n];
    for (int k = 0; k < f->n; k++) f->diagonal[k] = -1;
    for (int k = 0; k < f->n; k++)
        for (int b = f->start[k]; b < f->start[k + 1]; b++) next = list_pairs(f, b, f->start[k + 1], next);
    for (int j = 0, e = 0; j < f->n; j++)
        for (; e < p->start[j + 1]; e++) {
            int row = position[p->index[e]], col = position[j];
            f->line[e] = row, f->column[e] = col, f->from[e] = p->index[e] + f->n * j;
            f->to[e] = row == col ? row : row > col ? f->n + place_of(f, col, row) : f->n + lnz + place_of(f, row, col);
            if (row == col) f->diagonal[row] = e;
        }
    for (int e = 0; e < f->entries; e++)
        if (f->diagonal[f->line[e]] < 0 || f->diagonal[f->column[e]] < 0) f->loose[f->n_loose++] = e;
}

/* Sizes 1 to 2, in both directions. */
static void choose_known(static_lu *f) {
    for (int k = 0; k < f->n; k++) {
        double size = 1 + (double)((unsigned)k * 2654435761u >> 8 & 0xffff) / 0x10000;
        f->known[k] = k * 7 % 3 ? size : -size;
    }
}

zn_status lin_static_create(zn_context *context, const zn_pattern *p, const int *body, double *operations, static_lu **lu) {
    static_lu *f = MEM_ARRAY(context, static_lu, 1);
    if (lu) *lu = NULL;
    if (!f) return ZN_ERROR_MEMORY;
    *f = (static_lu){.context = context, .n = p->cols, .entries = lin_nnz(p)};
    f->order = MEM_ARRAY(context, int, f->n);
    f->start = MEM_ARRAY(context, int, f->n + 1);
    int *position = MEM_ARRAY(context, int, f->n);
    zn_status status = f->order && f->start && position ? lin_static_order(context, p, body, f->order) : ZN_ERROR_MEMORY;
    for (int k = 0; status == ZN_OK && k < f->n; k++) position[f->order[k]] = k;
    bool few = false;
    if (status == ZN_OK) status = analyse(f, p, position, *operations, &few);
    double pairs = status == ZN_OK && few ? count_pairs(f) : INFINITY;
    bool wanted = status == ZN_OK && lu && pairs <= most_places;
    if (status == ZN_OK) *operations = few ? operations_of(pairs, f->start[f->n]) : INFINITY;
    if (wanted) {
        size_t lnz = (size_t)f->start[f->n];
        f->place = MEM_ARRAY(context, int, (size_t)pairs);
        f->to = MEM_ARRAY(context, int, f->entries);
        f->column = MEM_ARRAY(context, int, f->entries);
        f->line = MEM_ARRAY(context, int, f->entries);
        f->diagonal = MEM_ARRAY(context, int, f->n);
        f->loose = MEM_ARRAY(context, int, f->entries);
        f->from = MEM_ARRAY(context, int, f->entries);
        f->entry = MEM_ARRAY(context, double, f->entries);
        f->values = MEM_ARRAY(context, double, (size_t)f->n + 2 * lnz);
        f->scale = MEM_ARRAY(context, double, f->n);
        f->largest = MEM_ARRAY(context, double, f->n);
        f->x = MEM_ARRAY(context, double, SIDE_BY_SIDE * f->n);
        f->left = MEM_ARRAY(context, double, f->n);
        f->known = MEM_ARRAY(context, double, f->n);
        const void *all[] = {f->place, f->to,     f->column, f->line,    f->diagonal, f->loose, f->from,
                             f->entry, f->values, f->scale,  f->largest, f->x,        f->left,  f->known};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (!all[i]) status = ZN_ERROR_MEMORY;
        if (status == ZN_OK) {
            f->L = f->values + f->n, f->U = f->L + lnz;
            list_places(f, p, position);
            choose_known(f);
        }
    }
    mem_free(context, position);
    if (status == ZN_OK && wanted) *lu = f;
    else lin_static_destroy(f);
    return status;
}

void lin_static_destroy(static_lu *f) {
    if (!f) return;
    void *blocks[] = {f->order, f->start, f->row,    f->place, f->to,      f->column, f->line, f->diagonal, f->loose,
                      f->from,  f->entry, f->values, f->scale, f->largest, f->x,      f->left, f->known};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(f->context, blocks[i]);
    mem_free(f->context, f);
}

/* ---- factors ---- */

/* NaN is not looked for here: it is found by the pivots and by the probe. */
static void see_size(static_lu *f, int e) {
    int i = f->line[e], j = f->column[e];
    double size = fabs(f->entry[e]), *row = f->largest, *col = f->x;
    row[i] = larger_finite(size * f->scale[j], row[i]);
    col[j] = larger_finite(size * f->scale[i], col[j]);
}

/* Rows with a diagonal: 1/sqrt of it. Others: so that their largest entries are about 1. */
static void find_scales(static_lu *f) {
    double *scale = f->scale, *row = f->largest, *col = f->x;
    bool vanishes = false;
    for (int k = 0; k < f->n; k++) {
        double size = f->diagonal[k] < 0 ? 0 : fabs(f->entry[f->diagonal[k]]);
        vanishes = vanishes || (f->diagonal[k] >= 0 && size == 0);
        scale[k] = size > 0 ? lin_inverse_size(sqrt(size)) : 0;
        row[k] = col[k] = 0;
    }
    for (int k = 0; k < f->n_loose && !vanishes; k++) see_size(f, f->loose[k]);
    for (int e = 0; e < f->entries && vanishes; e++) see_size(f, e);
    for (int k = 0; k < f->n; k++)
        if (scale[k] == 0) scale[k] = row[k] > 0 && col[k] > 0 ? lin_inverse_size(sqrt(row[k] * col[k])) : 1;
}

/* Also the right side of the probe, left = S A S known. */
static void enter(static_lu *f) {
    const size_t bytes = (size_t)f->n * sizeof *f->largest;
    const double *scale = f->scale, *known = f->known;
    double *values = f->values, *largest = f->largest, *left = f->left;
    memset(values, 0, bytes + 2 * (size_t)f->start[f->n] * sizeof *values);
    memset(largest, 0, bytes);
    memset(left, 0, bytes);
    for (int e = 0; e < f->entries; e++) {
        int i = f->line[e], j = f->column[e];
        double value = f->entry[e] * scale[i] * scale[j], size = fabs(value);
        values[f->to[e]] = f->entry[e] = value;
        largest[j] = larger_finite(size, largest[j]);
        left[i] += value * known[j];
    }
}

static inline void subtract(int count, double *restrict to, const double *restrict from, double factor) {
    for (int a = 0; a < count; a++) to[a] -= from[a] * factor;
}

/* l and u: what a pivot leaves to `count` rows. */
static inline const int *eliminate(static_lu *f, const int *row, int count, const double *l, const double *u, const int *place) {
    double *D = f->values, *L = f->L, *U = f->U;
    for (int b = 0, rest = count - 1; b < count; b++, rest--) {
        const double lb = l[b], ub = u[b];
        D[row[b]] -= lb * ub;
        if (rest == 0) continue;
        if (*place < 0) {
            int at = ~*place++;
            if (ub != 0) subtract(rest, L + at, l + b + 1, ub);
            if (lb != 0) subtract(rest, U + at, u + b + 1, lb);
            continue;
        }
        for (int a = 0; (lb != 0 || ub != 0) && a < rest; a++) {
            int at = place[a];
            L[at] -= l[b + 1 + a] * ub;
            U[at] -= lb * u[b + 1 + a];
        }
        place += rest;
    }
    return place;
}

static void substitute(const static_lu *f, double *restrict x) {
    const int *start = f->start, *row = f->row;
    const double *L = f->L, *U = f->U;
    for (int k = 0; k < f->n; k++) {
        double xk = x[k];
        if (xk == 0) continue;
        for (int e = start[k], end = start[k + 1]; e < end; e++) x[row[e]] -= L[e] * xk;
    }
    for (int k = f->n - 1; k >= 0; k--) {
        double sum = x[k];
        for (int e = start[k], end = start[k + 1]; e < end; e++) sum -= U[e] * x[row[e]];
        x[k] = sum / f->values[k];
    }
}

/* A x = b with b = A known is solved, and |A x - b| compared with |A||x|. */
static bool probe(const static_lu *f) {
    double *x = f->x, *left = f->left, *size = f->largest;
    memcpy(x, left, (size_t)f->n * sizeof *x);
    memset(size, 0, (size_t)f->n * sizeof *size);
    substitute(f, x);
    for (int e = 0; e < f->entries; e++) {
        int i = f->line[e];
        double part = f->entry[e] * x[f->column[e]];
        left[i] -= part;
        size[i] += fabs(part);
    }
    for (int k = 0; k < f->n; k++)
        if (!(fabs(left[k]) <= most_error * size[k])) return false;
    return true;
}

WIDE static bool take_pivots(static_lu *f, double *rcond) {
    double smallest = INFINITY, most = 0;
    const int *place = f->place;
    for (int k = 0; k < f->n; k++) {
        int first = f->start[k], count = f->start[k + 1] - first;
        double size = fabs(f->values[k]), *l = f->L + first, inverse = 1 / f->values[k];
        if (!(size > least_size * f->largest[k]) || !isfinite(size)) return false;
        for (int i = 0; i < count; i++) l[i] *= inverse;
        smallest = size < smallest ? size : smallest, most = larger_finite(size, most);
        place = eliminate(f, f->row + first, count, l, f->U + first, place);
    }
    *rcond = f->n > 0 ? smallest / most : 1;
    return true;
}

bool lin_static_factor(static_lu *f, const lin_columns *a, double *rcond) {
    for (int e = 0; e < f->entries; e++) f->entry[e] = a->values[a->index ? e : f->from[e]];
    find_scales(f);
    enter(f);
    return take_pivots(f, rcond) && probe(f);
}

typedef double lanes __attribute__((vector_size(SIDE_BY_SIDE * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Each lane has the bits that it would have alone. */
WIDE static void substitute_together(const static_lu *f, lanes *restrict x) {
    const int *start = f->start, *row = f->row;
    const double *L = f->L, *U = f->U;
    for (int k = 0; k < f->n; k++)
        for (int e = start[k], end = start[k + 1]; e < end; e++) x[row[e]] -= L[e] * x[k];
    for (int k = f->n - 1; k >= 0; k--) {
        for (int e = start[k], end = start[k + 1]; e < end; e++) x[k] -= U[e] * x[row[e]];
        x[k] /= f->values[k];
    }
}

static void solve_together(const static_lu *f, double *b, int columns) {
    lanes *x = (lanes *)f->x;
    for (int k = 0; k < f->n; k++) {
        lanes row = {0};
        for (int c = 0; c < columns; c++) row[c] = b[c * f->n + f->order[k]] * f->scale[k];
        x[k] = row;
    }
    substitute_together(f, x);
    for (int k = 0; k < f->n; k++)
        for (int c = 0; c < columns; c++) b[c * f->n + f->order[k]] = x[k][c] * f->scale[k];
}

void lin_static_solve(const static_lu *f, double *b, int columns) {
    double *x = f->x;
    for (; columns > 1; columns -= SIDE_BY_SIDE, b += SIDE_BY_SIDE * f->n)
        solve_together(f, b, columns < SIDE_BY_SIDE ? columns : SIDE_BY_SIDE);
    if (columns < 1) return;
    for (int k = 0; k < f->n; k++) x[k] = b[f->order[k]] * f->scale[k];
    substitute(f, x);
    for (int k = 0; k < f->n; k++) b[f->order[k]] = x[k] * f->scale[k];
}
