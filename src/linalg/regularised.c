/* SPDX-License-Identifier: Apache-2.0 */
/* Solves with a matrix A of any rank. S = R A C with rows and columns scaled by powers of two so that entries are at most 1,
 * and x = C z with S z = R b:
 *
 * dense   complete orthogonal decomposition of S: z of least norm;
 * sparse  iterated Tikhonov regularisation
 *             z <- z + dz,   [ alpha 1    S     ] [ s  ]   [ R b - S z ]
 *                            [   S'   -alpha 1  ] [ dz ] = [     0     ],   dz = (S'S + alpha^2)^-1 S' (R b - S z).
 *         The error belonging to a singular value sigma falls by alpha^2 / (sigma^2 + alpha^2) in each round; z stays in the
 *         row space. The eigenvalues of the matrix are +-sqrt(sigma^2 + alpha^2): KLU solves it with an error of about
 *         round-off / alpha, and the rounds remove that except for the part in the null space of S. */
#include "linalg/regularised.h"

#include "linalg/dense.h"
#include "linalg/sparse_lu.h"

#include <float.h>

/* Between the error in the null space (round-off / alpha = 2e-11) and slow rounds for small sigma. */
#define ALPHA 1e-5
#define MOST_ROUNDS 10
/* A round that leaves more than this part of the residual is the last. */
#define LEAST_GAIN 0.5

struct regularised {
    zn_context *context;
    int n;
    double *row, *col;  /* R, C */
    lin_cod *cod;       /* dense */
    double *scaled;     /* dense: S; sparse: values of the system above */
    lin_pattern system; /* sparse: of the system above */
    int *place_S, *place_T, *place_diagonal;
    sparse_lu lu;
    double *b, *z, *r, *step; /* n, n, n, 2 n */
};

/* The system's pattern: S in the upper right, S' in the lower left, the diagonal. */
static zn_status create_system(regularised *a, const zn_pattern *pattern) {
    zn_context *context = a->context;
    int n = a->n, nnz = lin_nnz(pattern), count = 2 * nnz + 2 * n;
    int *row = MEM_ARRAY(context, int, count), *col = MEM_ARRAY(context, int, count), *place = MEM_ARRAY(context, int, count);
    zn_status status = ZN_ERROR_MEMORY;
    a->place_S = place; /* owns the three */
    if (!row || !col || !place) goto done;
    a->place_T = place + nnz;
    a->place_diagonal = place + 2 * nnz;
    for (int j = 0; j < n; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            row[k] = col[nnz + k] = pattern->index[k];
            col[k] = row[nnz + k] = n + j;
        }
    }
    for (int i = 0; i < 2 * n; i++) row[2 * nnz + i] = col[2 * nnz + i] = i;
    status = lin_pattern_create(context, 2 * n, 2 * n, count, row, col, &a->system, place);
    if (status != ZN_OK) goto done;
    a->scaled = MEM_ARRAY(context, double, lin_nnz(&a->system.p));
    status = a->scaled ? lin_sparse_create(context, &a->system.p, NULL, &a->lu) : ZN_ERROR_MEMORY;
    a->lu.known_regular = true; /* singular values of at least alpha, though pivots may be as small as alpha^2 */
done:
    mem_free(context, row);
    mem_free(context, col);
    return status;
}

regularised *lin_regularised_create(zn_context *context, const lin_matrix *matrix) {
    regularised *a = MEM_ARRAY(context, regularised, 1);
    if (!a) return NULL;
    int n = lin_matrix_size(matrix);
    a->context = context;
    a->n = n;
    zn_status status = ZN_ERROR_MEMORY;
    a->row = MEM_ARRAY(context, double, n);
    a->col = MEM_ARRAY(context, double, n);
    a->b = MEM_ARRAY(context, double, n);
    a->z = MEM_ARRAY(context, double, n);
    a->r = MEM_ARRAY(context, double, n);
    a->step = MEM_ARRAY(context, double, 2 * (size_t)n);
    if (a->row && a->col && a->b && a->z && a->r && a->step) status = ZN_OK;
    if (status == ZN_OK && lin_matrix_is_dense(matrix)) {
        a->cod = lin_cod_create(context, n, n);
        a->scaled = MEM_ARRAY(context, double, (size_t)n *(size_t)n);
        if (!a->cod || !a->scaled) status = ZN_ERROR_MEMORY;
    } else if (status == ZN_OK) {
        status = create_system(a, lin_matrix_pattern(matrix));
    }
    if (status == ZN_OK) return a;
    lin_regularised_destroy(a);
    return NULL;
}

void lin_regularised_destroy(regularised *a) {
    if (!a) return;
    zn_context *context = a->context;
    lin_cod_destroy(a->cod);
    lin_sparse_destroy(context, &a->lu);
    lin_pattern_destroy(context, &a->system);
    mem_free(context, a->row);
    mem_free(context, a->col);
    mem_free(context, a->scaled);
    mem_free(context, a->place_S);
    mem_free(context, a->b);
    mem_free(context, a->z);
    mem_free(context, a->r);
    mem_free(context, a->step);
    mem_free(context, a);
}

static zn_status factor_system(regularised *a, const lin_columns *A) {
    for (int j = 0; j < a->n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            a->scaled[a->place_S[k]] = a->scaled[a->place_T[k]] = A->values[k] * a->row[A->index[k]] * a->col[j];
    for (int i = 0; i < 2 * a->n; i++) a->scaled[a->place_diagonal[i]] = i < a->n ? ALPHA : -ALPHA;
    lin_columns system = {2 * a->n, a->system.start, a->system.index, a->scaled};
    return lin_sparse_factor(&a->lu, &system, false);
}

/* Scales by powers of two jump where an entry passes one, and with them the weights of an inconsistent b: an iteration with such
 * steps would not settle. Here they become 1/largest, which does not jump. r is free to use. */
static void smooth_scales(regularised *a, const lin_columns *A) {
    memset(a->r, 0, (size_t)a->n * sizeof *a->r);
    for (int j = 0; j < A->n; j++)
        for (int k = A->start ? A->start[j] : j * A->n; k < (A->start ? A->start[j + 1] : (j + 1) * A->n); k++) {
            int i = A->index ? A->index[k] : k - j * A->n;
            a->r[i] = larger(a->r[i], fabs(A->values[k]));
        }
    for (int i = 0; i < a->n; i++)
        if (a->r[i] > DBL_MIN) a->row[i] = 1 / a->r[i];
}

zn_status lin_regularised_factor(regularised *a, const lin_columns *A, double rank_tolerance) {
    size_t n = (size_t)a->n;
    if (!lin_scale_rows(A, a->row)) return ZN_ERROR_NOT_FINITE;
    bool smooth = rank_tolerance > 0;
    if (smooth) smooth_scales(a, A);
    lin_largest_in_columns(A, a->row, a->col);
    for (size_t j = 0; j < n; j++) a->col[j] = smooth && a->col[j] > DBL_MIN ? 1 / a->col[j] : lin_inverse_size(a->col[j]);
    if (!a->cod) return factor_system(a, A);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) a->scaled[j * n + i] = A->values[j * n + i] * a->row[i] * a->col[j];
    lin_cod_factor(a->cod, a->scaled, rank_tolerance);
    return ZN_OK;
}

/* r = b - S z, and its largest entry. Column n + j of the system holds column j of S and, last, a diagonal entry. */
static double residual(const regularised *a) {
    int n = a->n;
    double largest = 0;
    memcpy(a->r, a->b, (size_t)n * sizeof *a->r);
    for (int j = 0; j < n; j++)
        for (int k = a->system.start[n + j]; k < a->system.start[n + j + 1] - 1; k++) a->r[a->system.index[k]] -= a->scaled[k] * a->z[j];
    for (int i = 0; i < n; i++) largest = larger(largest, fabs(a->r[i]));
    return largest;
}

static void solve_in_rounds(regularised *a) {
    int n = a->n;
    memset(a->z, 0, (size_t)n * sizeof *a->z);
    double size = residual(a);
    for (int round = 0; round < MOST_ROUNDS && size > 0; round++) {
        memcpy(a->step, a->r, (size_t)n * sizeof *a->step);
        memset(a->step + n, 0, (size_t)n * sizeof *a->step);
        lin_sparse_solve(&a->lu, a->step, 1);
        for (int i = 0; i < n; i++) a->z[i] += a->step[n + i];
        double before = size;
        size = residual(a);
        if (round > 0 && size > before) /* rounding only: the iterate before was better */
            for (int i = 0; i < n; i++) a->z[i] -= a->step[n + i];
        if (!(size < LEAST_GAIN * before)) break;
    }
}

void lin_regularised_solve(regularised *a, double *b) {
    for (int i = 0; i < a->n; i++) a->b[i] = b[i] * a->row[i];
    if (a->cod) lin_cod_solve(a->cod, a->b, a->z);
    else solve_in_rounds(a);
    for (int i = 0; i < a->n; i++) b[i] = a->z[i] * a->col[i];
}

double lin_regularised_rcond(const regularised *a) { return a->cod ? lin_cod_rcond(a->cod) : 0; }
