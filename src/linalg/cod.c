/* SPDX-License-Identifier: Apache-2.0 */
/* Complete orthogonal decomposition with factor and solve apart:
 *     A P = Q [R11 R12; 0 ~0]   QR with column pivots, r = rank by the diagonal of R
 *     [R11 R12] = [T 0] Z       orthogonal from the right
 *     x = P Z' [T^-1 (Q' b)_1..r; 0]  */
#include "linalg/dense.h"
#include "linalg/lapack.h"

struct lin_cod {
    zn_context *context;
    int m, n, rank;     /* of the matrix at hand, */
    int most_m, most_n; /* which is at most as large */
    double *a;          /* Q below, T and Z above the diagonal */
    double *tau_Q, *tau_Z;
    int *column;  /* P, from 1 */
    double *x;    /* max(m, n) */
    double *part; /* right side and solution of a block */
    double *null; /* of a block: vectors N and L of its null spaces, and L' N */
    double *work;
    int work_size;
    double rcond;
};

static int smaller_count(int a, int b) { return a < b ? a : b; }
static int larger_count(int a, int b) { return a > b ? a : b; }

/* Below this order LAPACK's routines do not use blocks, and what they would want for them (33 KB) costs more than the whole
 * factorisation. */
enum { NO_BLOCKS = 16 };
/* Vectors of a null space of a block; with more of them the solution of least norm is taken. Pivots of L' N: smaller ones say nothing. */
enum { MOST_NULL = 32 };
static const double LEAST_ANGLE = 1e-3;
/* Pivots of an elimination, in units in which entries are about one: round-off of dependent rows may leave as much (2e-12 was seen of four
 * feet), and only the decomposition decides. */
static const double DOUBTFUL = 1e-9;

/* The largest optimal work space of the four routines. The rank may be anything up to min(m, n). */
static int work_needed(int m, int n) {
    if (smaller_count(m, n) <= NO_BLOCKS) return 3 * n + 1 + larger_count(m, n);
    int query = -1, info = 0, one = 1, k = smaller_count(m, n), ld_a = larger_count(1, m), ld_x = larger_count(1, larger_count(m, n)),
        zero = 0, index = 0;
    double size[4] = {0}, dummy = 0;
    dgeqp3_(&m, &n, &dummy, &ld_a, &index, &dummy, &size[0], &query, &info);
    dormqr_("L", "T", &m, &one, &k, &dummy, &ld_a, &dummy, &dummy, &ld_x, &size[1], &query, &info, 1, 1);
    dtzrzf_(&k, &n, &dummy, &ld_a, &dummy, &size[2], &query, &info);
    dormrz_("L", "T", &n, &one, &k, &zero, &dummy, &ld_a, &dummy, &dummy, &ld_x, &size[3], &query, &info, 1, 1);
    double most = larger(larger(size[0], size[1]), larger(size[2], size[3]));
    return larger_count((int)most, 3 * n + 1 + larger_count(m, n));
}

lin_cod *lin_cod_create(zn_context *context, int m, int n) {
    lin_cod *cod = MEM_ARRAY(context, lin_cod, 1);
    if (!cod) return NULL;
    *cod = (lin_cod){.context = context, .m = m, .n = n, .most_m = m, .most_n = n};
    cod->work_size = m > 0 && n > 0 ? work_needed(m, n) : 1;
    cod->a = MEM_ARRAY(context, double, (size_t)m *(size_t)n);
    cod->tau_Q = MEM_ARRAY(context, double, smaller_count(m, n));
    cod->tau_Z = MEM_ARRAY(context, double, smaller_count(m, n));
    cod->column = MEM_ARRAY(context, int, n);
    cod->x = MEM_ARRAY(context, double, larger_count(m, n));
    cod->work = MEM_ARRAY(context, double, cod->work_size);
    cod->part = MEM_ARRAY(context, double, 2 * n);
    cod->null = MEM_ARRAY(context, double, MOST_NULL *(2 * n + MOST_NULL));
    if (cod->part && cod->null && cod->a && cod->tau_Q && cod->tau_Z && cod->column && cod->x && cod->work) return cod;
    lin_cod_destroy(cod);
    return NULL;
}

void lin_cod_destroy(lin_cod *cod) {
    if (!cod) return;
    zn_context *context = cod->context;
    mem_free(context, cod->a);
    mem_free(context, cod->tau_Q);
    mem_free(context, cod->tau_Z);
    mem_free(context, cod->column);
    mem_free(context, cod->x);
    mem_free(context, cod->work);
    mem_free(context, cod->part);
    mem_free(context, cod->null);
    mem_free(context, cod);
}

/* What is in cod->a. */
static int factor(lin_cod *cod, double rank_tolerance) {
    int m = cod->m, n = cod->n, info = 0;
    cod->rank = 0;
    cod->rcond = 0;
    if (m == 0 || n == 0) return 0;
    double tolerance = rank_tolerance > 0 ? rank_tolerance : LIN_RANK_TOLERANCE;
    memset(cod->column, 0, (size_t)n * sizeof *cod->column);
    dgeqp3_(&m, &n, cod->a, &m, cod->column, cod->tau_Q, cod->work, &cod->work_size, &info);
    double first = fabs(cod->a[0]);
    for (int k = 0; k < smaller_count(m, n); k++) {
        double diagonal = fabs(cod->a[(size_t)k * (size_t)m + (size_t)k]);
        if (!(diagonal > tolerance * first)) break;
        cod->rank = k + 1;
        cod->rcond = diagonal / first;
    }
    if (cod->rank > 0 && cod->rank < n) dtzrzf_(&cod->rank, &n, cod->a, &m, cod->tau_Z, cod->work, &cod->work_size, &info);
    return cod->rank;
}

int lin_cod_factor(lin_cod *cod, const double *a, double rank_tolerance) {
    cod->m = cod->most_m, cod->n = cod->most_n;
    memcpy(cod->a, a, (size_t)cod->m * (size_t)cod->n * sizeof *a);
    return factor(cod, rank_tolerance);
}

/* Into cod->a, and its right side into cod->part. */
static void take_block(lin_cod *cod, int n, const double *a, const int *label, int block, const double *b) {
    int count = 0;
    size_t next = 0;
    for (int j = 0; j < n; j++) {
        if (label[j] != block) continue;
        for (int i = 0; i < n; i++)
            if (label[i] == block) cod->a[next++] = a[(size_t)j * (size_t)n + (size_t)i];
        cod->part[count++] = b[j];
    }
    cod->m = cod->n = count;
}

static void give_block(int n, const int *label, int block, const double *part, double *b) {
    for (int i = 0; i < n; i++)
        if (label[i] == block) b[i] = *part++;
}

bool lin_cod_eliminate_block(lin_cod *cod, int n, const double *a, const int *label, int block, double tiny, double *b) {
    take_block(cod, n, a, label, block, b);
    int count = cod->n;
    if (lin_dense_lu_factor(count, cod->a, cod->column) != 0) return false;
    for (int k = 0; k < count; k++)
        if (!(fabs(cod->a[(size_t)k * (size_t)count + (size_t)k]) > larger(tiny, DOUBTFUL))) return false;
    lin_dense_lu_solve(count, cod->a, cod->column, cod->part, 1);
    give_block(n, label, block, cod->part, b);
    return true;
}

/* Bases of the null spaces of the square matrix at hand: A N = 0, L' A = 0. */
static void find_null(lin_cod *cod, double *N, double *L) {
    int n = cod->n, r = cod->rank, rest = n - r, info = 0;
    memset(L, 0, (size_t)n * (size_t)rest * sizeof *L);
    for (int k = 0; k < rest; k++) L[(size_t)k * (size_t)n + (size_t)(r + k)] = 1;
    memcpy(N, L, (size_t)n * (size_t)rest * sizeof *N);
    dormqr_("L", "N", &n, &rest, &n, cod->a, &n, cod->tau_Q, L, &n, cod->work, &cod->work_size, &info, 1, 1);
    if (r > 0) dormrz_("L", "T", &n, &rest, &r, &rest, cod->a, &n, cod->tau_Z, N, &n, cod->work, &cod->work_size, &info, 1, 1);
    for (int k = 0; k < rest; k++) {
        double *right = N + (size_t)k * (size_t)n;
        memcpy(cod->x, right, (size_t)n * sizeof *right);
        for (int j = 0; j < n; j++) right[cod->column[j] - 1] = cod->x[j];
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* x += N c with L' x = 0; x stays where the two spaces are nearly orthogonal. */
static void turn_from_left(lin_cod *cod, double *x) {
    int n = cod->n, count = n - cod->rank, pivot[MOST_NULL];
    if (count == 0 || count > MOST_NULL) return;
    double *N = cod->null, *L = N + (size_t)MOST_NULL * (size_t)cod->most_n, *G = L + (size_t)MOST_NULL * (size_t)cod->most_n, c[MOST_NULL];
    find_null(cod, N, L);
    for (int i = 0; i < count; i++) {
        c[i] = -dot(n, L + (size_t)i * (size_t)n, x);
        for (int j = 0; j < count; j++)
            G[(size_t)j * (size_t)count + (size_t)i] = dot(n, L + (size_t)i * (size_t)n, N + (size_t)j * (size_t)n);
    }
    if (lin_dense_lu_factor(count, G, pivot) != 0) return;
    for (int k = 0; k < count; k++)
        if (!(fabs(G[(size_t)k * (size_t)count + (size_t)k]) > LEAST_ANGLE)) return;
    lin_dense_lu_solve(count, G, pivot, c, 1);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++) x[i] += c[k] * N[(size_t)k * (size_t)n + (size_t)i];
}

void lin_cod_solve_block(lin_cod *cod, int n, const double *a, const int *label, int block, double rank_tolerance, double *b) {
    take_block(cod, n, a, label, block, b);
    factor(cod, rank_tolerance);
    lin_cod_solve(cod, cod->part, cod->part + cod->most_n);
    turn_from_left(cod, cod->part + cod->most_n);
    give_block(n, label, block, cod->part + cod->most_n, b);
}

void lin_cod_solve(const lin_cod *cod, const double *b, double *x) {
    int m = cod->m, n = cod->n, r = cod->rank, ld = larger_count(m, n), one = 1, k = smaller_count(m, n), info = 0;
    for (int j = 0; j < n; j++) x[j] = 0;
    if (r == 0) return;
    memcpy(cod->x, b, (size_t)m * sizeof *b);
    dormqr_("L", "T", &m, &one, &k, cod->a, &m, cod->tau_Q, cod->x, &ld, cod->work, &cod->work_size, &info, 1, 1);
    for (int i = r; i < ld; i++) cod->x[i] = 0;
    dtrsv_("U", "N", "N", &r, cod->a, &m, cod->x, &one, 1, 1, 1);
    if (r < n) {
        int rest = n - r;
        dormrz_("L", "T", &n, &one, &r, &rest, cod->a, &m, cod->tau_Z, cod->x, &ld, cod->work, &cod->work_size, &info, 1, 1);
    }
    for (int j = 0; j < n; j++) x[cod->column[j] - 1] = cod->x[j];
}

double lin_cod_rcond(const lin_cod *cod) { return cod->rcond; }

zn_status lin_dense_pivots(zn_context *context, int m, int n, double *a, int *column, double *diagonal) {
    int query = -1, info = 0, k = smaller_count(m, n), ld = larger_count(1, m);
    for (int j = 0; j < n; j++) diagonal[j] = 0, column[j] = j;
    if (k == 0) return ZN_OK;
    double size = 0, *tau = MEM_ARRAY(context, double, k);
    for (int j = 0; j < n; j++) column[j] = 0; /* free to be exchanged */
    dgeqp3_(&m, &n, a, &ld, column, tau, &size, &query, &info);
    int work_size = larger_count((int)size, 3 * n + 1);
    double *work = MEM_ARRAY(context, double, work_size);
    if (tau && work) {
        dgeqp3_(&m, &n, a, &ld, column, tau, work, &work_size, &info);
        for (int j = 0; j < n; j++) column[j]--;
        for (int j = 0; j < k; j++) diagonal[j] = fabs(a[(size_t)j * (size_t)m + (size_t)j]);
    }
    zn_status status = tau && work ? ZN_OK : ZN_ERROR_MEMORY;
    mem_free(context, tau);
    mem_free(context, work);
    return status;
}
