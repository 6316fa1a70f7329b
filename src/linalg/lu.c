/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a lin_matrix, dense or sparse. Dense: P (R A) = L U with the rows scaled by powers of two, R.
 *
 * Scales of rows cannot repair what units do to columns: in [m -W; W' 0] a mass of 1e-18 is a pivot like round-off next to W' = 1, although
 * the matrix is regular. With weights w of the rows, which make equations comparable, columns are brought to one size,
 *
 *     A C z = b,  x = C z,      c_j = 1/max_i w_i |a_ij|
 *
 * where A alone seems to be singular; [1/m: m -W; 1: W' 0] becomes [1 -1; 1 0]. */
#include "base/wide.h"
#include "linalg/dense.h"
#include "linalg/regularised.h"
#include "linalg/sparse_lu.h"
#include "linalg/static_lu.h"
#include "linalg/tiny_lu.h"

/* Of pivots of A C: units are out of it, so less says that rows nearly depend on each other, as the scales of rows said. */
static const double least_rcond = 1e-10;

struct lin_lu {
    zn_context *context;
    int n;
    bool dense;
    double *factors; /* dense: n x n */
    int *pivot;
    double *row, *col; /* dense: scales of the rows, largest entries of the columns */
    double rcond;
    static_lu *fixed;      /* dense: body by body, which is tried first; NULL: does not pay */
    bool use_fixed;        /* it holds the factors */
    sparse_lu *sparse;     /* NULL when dense */
    regularised *any_rank; /* NULL until it is asked for */
    bool use_any_rank;     /* the last factorisation was lin_lu_factor_regularised */
    const double *weight;  /* of the rows; NULL: not known */
    int n_weights;
    double *C, *scaled; /* n, and the values of A C; NULL without weights */
    bool use_C;         /* the factors are those of A C */
};

static zn_status take_memory(lin_lu *lu, const lin_matrix *matrix) {
    zn_context *context = lu->context;
    size_t n = (size_t)lu->n;
    if (!lu->dense) {
        lu->sparse = MEM_ARRAY(context, sparse_lu, 1);
        return lu->sparse ? lin_sparse_create(context, lin_matrix_pattern(matrix), lin_matrix_bodies(matrix), lu->sparse) : ZN_ERROR_MEMORY;
    }
    lu->factors = MEM_ARRAY(context, double, n *n);
    lu->pivot = MEM_ARRAY(context, int, n);
    lu->row = MEM_ARRAY(context, double, n);
    lu->col = MEM_ARRAY(context, double, n);
    if (!lu->factors || !lu->pivot || !lu->row || !lu->col) return ZN_ERROR_MEMORY;
    double operations = INFINITY;
    const zn_pattern *entries = lin_matrix_entries(matrix);
    return entries ? lin_static_create(context, entries, lin_matrix_bodies(matrix), &operations, &lu->fixed) : ZN_OK;
}

lin_lu *lin_lu_create(zn_context *context, const lin_matrix *matrix) {
    lin_lu *lu = MEM_ARRAY(context, lin_lu, 1);
    if (!lu) return NULL;
    lu->context = context;
    lu->n = lin_matrix_size(matrix);
    lu->dense = lin_matrix_is_dense(matrix);
    if (take_memory(lu, matrix) == ZN_OK) return lu;
    lin_lu_destroy(lu);
    return NULL;
}

void lin_lu_destroy(lin_lu *lu) {
    if (!lu) return;
    zn_context *context = lu->context;
    lin_regularised_destroy(lu->any_rank);
    lin_static_destroy(lu->fixed);
    if (lu->sparse) lin_sparse_destroy(context, lu->sparse);
    mem_free(context, lu->sparse);
    mem_free(context, lu->factors);
    mem_free(context, lu->pivot);
    mem_free(context, lu->row);
    mem_free(context, lu->col);
    mem_free(context, lu->C);
    mem_free(context, lu->scaled);
    mem_free(context, lu);
}

zn_status lin_lu_weigh_rows(lin_lu *lu, const lin_matrix *matrix, int count, const double *weight) {
    const zn_pattern *pattern = lin_matrix_pattern(matrix);
    size_t n = (size_t)lu->n;
    lu->weight = weight;
    lu->n_weights = weight ? count : 0;
    if (weight && !lu->C) lu->C = MEM_ARRAY(lu->context, double, n);
    if (weight && !lu->scaled) lu->scaled = MEM_ARRAY(lu->context, double, pattern ? (size_t)lin_nnz(pattern) : n *n);
    return !weight || (lu->C && lu->scaled) ? ZN_OK : ZN_ERROR_MEMORY;
}

/* Pivots against the columns they came from; partial pivoting exchanges rows only. */
static zn_status judge_pivots(lin_lu *lu) {
    size_t n = (size_t)lu->n;
    double smallest = INFINITY, largest = 0, tiny = lin_tiny_pivot(lu->n);
    for (size_t k = 0; k < n; k++) {
        double pivot = fabs(lu->factors[k * n + k]);
        if (!(pivot > tiny * lu->col[k])) return ZN_ERROR_SINGULAR;
        smallest = smaller(pivot, smallest);
        largest = larger(pivot, largest);
    }
    lu->rcond = n > 0 ? smallest / largest : 1;
    return ZN_OK;
}

/* factors = R A, and the largest sizes in its columns. */
WIDE static void scale_columns(int n, const double *a, const double *restrict row, double *restrict factors, double *restrict col) {
    for (int j = 0; j < n; j++, a += n, factors += n) {
        double largest[4] = {0};
        int i = 0;
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; k++) {
                factors[i + k] = a[i + k] * row[i + k];
                largest[k] = larger_finite(fabs(factors[i + k]), largest[k]);
            }
        for (; i < n; i++) {
            factors[i] = a[i] * row[i];
            largest[0] = larger_finite(fabs(factors[i]), largest[0]);
        }
        col[j] = larger_finite(larger_finite(largest[0], largest[1]), larger_finite(largest[2], largest[3]));
    }
}

static bool scale_dense(lin_lu *lu, const lin_columns *a) {
    if (lu->n <= LIN_TINY) return lin_tiny_scale(lu->n, a->values, lu->factors, lu->row, lu->col);
    if (!lin_scale_rows(a, lu->row)) return false;
    scale_columns(lu->n, a->values, lu->row, lu->factors, lu->col);
    return true;
}

static zn_status dense_factor(lin_lu *lu, const lin_columns *a) {
    lu->rcond = 0;
    lu->use_fixed = lu->fixed && lin_static_factor(lu->fixed, a, &lu->rcond);
    if (lu->use_fixed) return ZN_OK;
    lu->rcond = 0;
    if (!scale_dense(lu, a)) return ZN_ERROR_NOT_FINITE;
    if (lin_dense_lu_factor(lu->n, lu->factors, lu->pivot) != 0) return ZN_ERROR_SINGULAR;
    return judge_pivots(lu);
}

/* ---- columns ---- */

static double column_size(const lin_lu *lu, const lin_columns *a, int j) {
    double largest = 0;
    int first = a->index ? a->start[j] : 0, last = a->index ? a->start[j + 1] : a->n;
    const double *v = a->index ? a->values : a->values + (size_t)j * (size_t)a->n;
    for (int k = first; k < last; k++) {
        int i = a->index ? a->index[k] : k;
        if (i < lu->n_weights) largest = larger(largest, fabs(v[k]) * lu->weight[i]);
    }
    return largest;
}

/* A becomes A C. Smooth: C does not jump with A, as powers of two do. False: there are no weights. */
static bool scale_by_weights(lin_lu *lu, lin_columns *a, bool smooth) {
    size_t n = (size_t)a->n;
    if (!lu->weight || n == 0) return false;
    for (int j = 0; j < a->n; j++) {
        double size = column_size(lu, a, j);
        lu->C[j] = !isfinite(size) ? 1 : smooth && size > 0 ? 1 / size : lin_inverse_size(size);
        size_t first = a->index ? (size_t)a->start[j] : (size_t)j * n, last = a->index ? (size_t)a->start[j + 1] : first + n;
        for (size_t k = first; k < last; k++) lu->scaled[k] = a->values[k] * lu->C[j];
    }
    a->values = lu->scaled;
    return true;
}

/* Up to there no digits are lost that the rank needs, and contradictions of redundant rows are weighed in the units of the rows. */
static const double much = 1e10;

static bool differ_much(int n, const double *C) {
    double least = INFINITY, most = 0;
    for (int j = 0; j < n; j++) least = smaller(least, C[j]), most = larger(most, C[j]);
    return most > much * least;
}

/* ---- any matrix ---- */

static zn_status factor_columns(lin_lu *lu, const lin_columns *a, bool same_structure) {
    return lu->dense ? dense_factor(lu, a) : lin_sparse_factor(lu->sparse, a, same_structure);
}

zn_status lin_lu_factor(lin_lu *lu, const lin_matrix *matrix, bool same_structure) {
    lin_columns a = lin_matrix_columns(matrix);
    bool used = lu->use_C && same_structure;
    lu->use_any_rank = lu->use_C = false;
    zn_status status = used ? ZN_ERROR_SINGULAR : factor_columns(lu, &a, same_structure);
    if (status != ZN_ERROR_SINGULAR || !scale_by_weights(lu, &a, false)) return status;
    lu->use_C = true;
    status = factor_columns(lu, &a, used);
    return status == ZN_OK && !(lin_lu_rcond(lu) > least_rcond) ? ZN_ERROR_SINGULAR : status;
}

zn_status lin_lu_reserve_regularised(lin_lu *lu, const lin_matrix *matrix) {
    if (!lu->any_rank) lu->any_rank = lin_regularised_create(lu->context, matrix);
    return lu->any_rank ? ZN_OK : ZN_ERROR_MEMORY;
}

zn_status lin_lu_factor_regularised(lin_lu *lu, const lin_matrix *matrix) { return lin_lu_factor_rank(lu, matrix, 0); }

zn_status lin_lu_factor_rank(lin_lu *lu, const lin_matrix *matrix, double rank_tolerance) {
    zn_status status = lin_lu_reserve_regularised(lu, matrix);
    if (status != ZN_OK) return status;
    lin_columns a = lin_matrix_columns(matrix), scaled = a;
    lu->use_any_rank = true;
    lu->use_C = scale_by_weights(lu, &scaled, rank_tolerance > 0) && differ_much(lu->n, lu->C);
    if (lu->use_C) a = scaled;
    return lin_regularised_factor(lu->any_rank, &a, rank_tolerance);
}

void lin_lu_unreachable(const lin_lu *lu, const lin_matrix *matrix, const double *b, double *x, double *left) {
    memcpy(x, b, (size_t)lu->n * sizeof *x);
    lin_lu_solve(lu, x);
    lin_matrix_multiply(matrix, x, left);
    for (int i = 0; i < lu->n; i++) left[i] = b[i] - left[i];
}

void lin_lu_solve(const lin_lu *lu, double *b) { lin_lu_solve_many(lu, b, 1); }

static inline void scale_rows(int n, const double *restrict row, double *restrict x, int columns) {
    for (int c = 0; c < columns; c++, x += n)
        for (int i = 0; i < n; i++) x[i] *= row[i];
}

static void solve_factored(const lin_lu *lu, double *b, int columns) {
    if (lu->use_any_rank) {
        for (int c = 0; c < columns; c++) lin_regularised_solve(lu->any_rank, b + (size_t)c * (size_t)lu->n);
    } else if (!lu->dense) {
        lin_sparse_solve(lu->sparse, b, columns);
    } else if (lu->use_fixed) {
        lin_static_solve(lu->fixed, b, columns);
    } else {
        scale_rows(lu->n, lu->row, b, columns);
        lin_dense_lu_solve(lu->n, lu->factors, lu->pivot, b, columns);
    }
}

void lin_lu_solve_many(const lin_lu *lu, double *b, int columns) {
    if (lu->n == 0 || columns <= 0) return;
    solve_factored(lu, b, columns);
    if (lu->use_C) scale_rows(lu->n, lu->C, b, columns);
}

double lin_lu_rcond(const lin_lu *lu) {
    if (lu->use_any_rank) return lin_regularised_rcond(lu->any_rank);
    return lu->dense ? lu->rcond : lu->sparse->rcond;
}
