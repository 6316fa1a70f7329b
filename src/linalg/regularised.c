/* SPDX-License-Identifier: Apache-2.0 */
/* Solves with a matrix A of any rank. S = R A C with rows and columns scaled by powers of two so that entries are at most 1,
 * and x = C z with S z = R b:
 *
 * dense   complete orthogonal decomposition of S: z of least norm;
 * sparse  iterated Tikhonov regularisation
 *             z <- z + dz,   [ alpha 1    S     ] [ s  ]   [ R b - S z ]
 *                            [   S'   -alpha 1  ] [ dz ] = [     0     ],   dz = (S'S + alpha^2)^-1 S' (R b - S z).
 *         The error belonging to a singular value sigma falls by alpha^2 / (sigma^2 + alpha^2) in each round; z stays in the
 *         row space.
 *
 * The matrix K of this system is factored in pairs (s_i, dz_i), with the structure of S + S' and its fill,
 *
 *     K_ij = [ 0  S_ij ; S_ji  0 ],   K_ii = [ alpha  S_ii ; S_ii  -alpha ].
 *
 * It is symmetric and quasidefinite: L D L' exists in every order of the pairs, and the numbers in it are at most 1/alpha. So x = K^-1 b
 * comes out with an error of about round-off / alpha^2; its eigenvalues +-sqrt(sigma^2 + alpha^2) allow round-off / alpha, which refinement
 *
 *     x <- x + K^-1 (b - K x)
 *
 * attains; the rounds remove that, too, except for the part in the null space of S. */
#include "linalg/regularised.h"

#include "linalg/block_lu.h"
#include "linalg/dense.h"

#include <float.h>

/* Between the error in the null space (round-off / alpha = 2e-11) and slow rounds for small sigma. */
#define ALPHA 1e-5
#define MOST_ROUNDS 10
/* A round that leaves more than this part of the residual is the last. */
#define LEAST_GAIN 0.5
#define MOST_REFINEMENTS 5

enum { PAIR = 2, BLOCK = PAIR * PAIR };

struct regularised {
    zn_context *context;
    int n;
    double *row, *col;    /* R, C */
    lin_cod *cod;         /* dense */
    double *scaled;       /* dense: S; sparse: blocks of K */
    lin_pattern pair;     /* sparse: of the blocks, row by row */
    int *block, *block_T; /* block (i, j) and block (j, i) for each entry (i, j) of S */
    lin_block_lu *lu;
    double *b, *z, *r;  /* n; b begins a block with z, r, R and C */
    double *x, *x_left; /* sparse: 2 n, one block */
};

static zn_status create_pairs(regularised *a, const zn_pattern *S) {
    zn_context *context = a->context;
    int n = a->n, nnz = lin_nnz(S), count = 2 * nnz + n;
    int *row = MEM_ARRAY(context, int, count), *col = MEM_ARRAY(context, int, count);
    zn_status status = ZN_ERROR_MEMORY;
    a->block = MEM_ARRAY(context, int, count);
    const mem_part list[] = {{&a->x, PAIR * n}, {&a->x_left, PAIR * n}};
    if (!row || !col || !a->block || !MEM_PARTS(context, list)) goto done;
    a->block_T = a->block + nnz;
    for (int j = 0; j < n; j++)
        for (int k = S->start[j]; k < S->start[j + 1]; k++) {
            col[k] = row[nnz + k] = S->index[k];
            row[k] = col[nnz + k] = j;
        }
    for (int i = 0; i < n; i++) row[2 * nnz + i] = col[2 * nnz + i] = i;
    status = lin_pattern_create(context, n, n, count, row, col, &a->pair, a->block);
    if (status != ZN_OK) goto done;
    a->scaled = MEM_ARRAY(context, double, (size_t)lin_nnz(&a->pair.p) * BLOCK);
    a->lu = lin_block_lu_create(context, n, PAIR, a->pair.start, a->pair.index);
    status = a->scaled && a->lu ? ZN_OK : ZN_ERROR_MEMORY;
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
    const mem_part list[] = {{&a->b, n}, {&a->z, n}, {&a->r, n}, {&a->row, n}, {&a->col, n}};
    zn_status status = MEM_PARTS(context, list) ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK && lin_matrix_is_dense(matrix)) {
        a->cod = lin_cod_create(context, n, n);
        a->scaled = MEM_ARRAY(context, double, (size_t)n *(size_t)n);
        if (!a->cod || !a->scaled) status = ZN_ERROR_MEMORY;
    } else if (status == ZN_OK) {
        status = create_pairs(a, lin_matrix_pattern(matrix));
    }
    if (status == ZN_OK) return a;
    lin_regularised_destroy(a);
    return NULL;
}

void lin_regularised_destroy(regularised *a) {
    if (!a) return;
    zn_context *context = a->context;
    lin_cod_destroy(a->cod);
    lin_block_lu_destroy(a->lu);
    lin_pattern_destroy(context, &a->pair);
    mem_free(context, a->scaled);
    mem_free(context, a->block);
    mem_free(context, a->b);
    mem_free(context, a->x);
    mem_free(context, a);
}

static zn_status factor_pairs(regularised *a, const lin_columns *A) {
    double *K = a->scaled;
    memset(K, 0, (size_t)lin_nnz(&a->pair.p) * BLOCK * sizeof *K);
    for (int j = 0; j < a->n; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++)
            K[BLOCK * a->block[k] + 1] = K[BLOCK * a->block_T[k] + 2] = A->values[k] * a->row[A->index[k]] * a->col[j];
    const int *diagonal = a->block + 2 * A->start[a->n];
    for (int i = 0; i < a->n; i++) {
        K[BLOCK * diagonal[i]] = ALPHA;
        K[BLOCK * diagonal[i] + 3] = -ALPHA;
    }
    return lin_block_lu_factor(a->lu, &(lin_block_values){.blocks = K}) == 0 ? ZN_OK : ZN_ERROR_NOT_FINITE;
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
    if (!a->cod) return factor_pairs(a, A);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) a->scaled[j * n + i] = A->values[j * n + i] * a->row[i] * a->col[j];
    lin_cod_factor(a->cod, a->scaled, rank_tolerance);
    return ZN_OK;
}

static double largest(int n, const double *v) {
    double size = 0;
    for (int i = 0; i < n; i++) size = larger(size, fabs(v[i]));
    return size;
}

/* r = b - S z, and its largest entry. */
static double residual(const regularised *a) {
    for (int i = 0; i < a->n; i++) {
        double sum = a->b[i];
        for (int e = a->pair.start[i]; e < a->pair.start[i + 1]; e++) sum -= a->scaled[(size_t)e * BLOCK + 1] * a->z[a->pair.index[e]];
        a->r[i] = sum;
    }
    return largest(a->n, a->r);
}

/* x_left = (r, 0) - K x */
static void left_of_pairs(const regularised *a) {
    for (int i = 0; i < a->n; i++) {
        double s = a->r[i], dz = 0;
        for (int e = a->pair.start[i]; e < a->pair.start[i + 1]; e++) {
            const double *K = a->scaled + (size_t)e * BLOCK, *x = a->x + (size_t)a->pair.index[e] * PAIR;
            s -= K[0] * x[0] + K[1] * x[1];
            dz -= K[2] * x[0] + K[3] * x[1];
        }
        a->x_left[PAIR * i] = s;
        a->x_left[PAIR * i + 1] = dz;
    }
}

/* x = K^-1 (r, 0) */
static void solve_pairs(const regularised *a) {
    int n = PAIR * a->n;
    memset(a->x, 0, (size_t)n * sizeof *a->x);
    for (int k = 0; k <= MOST_REFINEMENTS; k++) {
        left_of_pairs(a);
        lin_block_lu_solve(a->lu, a->x_left);
        for (int i = 0; i < n; i++) a->x[i] += a->x_left[i];
        if (!(largest(n, a->x_left) > DBL_EPSILON / ALPHA * largest(n, a->x))) break;
    }
}

static void solve_in_rounds(regularised *a) {
    int n = a->n;
    memset(a->z, 0, (size_t)n * sizeof *a->z);
    double size = residual(a);
    for (int round = 0; round < MOST_ROUNDS && size > 0; round++) {
        solve_pairs(a);
        for (int i = 0; i < n; i++) a->z[i] += a->x[PAIR * i + 1];
        double before = size;
        size = residual(a);
        if (round > 0 && size > before) /* rounding only: the iterate before was better */
            for (int i = 0; i < n; i++) a->z[i] -= a->x[PAIR * i + 1];
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
