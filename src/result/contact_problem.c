/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete contact problems: memory, checks, choice of the reader. */
#include "result/contact_problem.h"

#include "result/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

/* Larger files are not what this reader is for; it also keeps a damaged size from taking all memory. */
static const long entries_most = 200000000;

static zn_status wrong(contact_problem *p, const char *path, const char *what) {
    error_place place = ERROR_PLACE_NONE;
    place.file = path;
    return fail_at(p->context, ZN_ERROR_FILE, &place, "%s", what);
}

bool result_contact_reserve(zn_context *context, contact_matrix *m, int rows, int cols, long count) {
    if (rows < 0 || cols < 0 || count < 0 || count > entries_most || count > INT_MAX) {
        fail(context, ZN_ERROR_FILE, "a matrix of %d x %d with %ld entries is not possible", rows, cols, count);
        return false;
    }
    *m = (contact_matrix){.rows = rows, .cols = cols};
    m->row = MEM_ARRAY(context, int, count);
    m->col = MEM_ARRAY(context, int, count);
    m->value = MEM_ARRAY(context, double, count);
    return m->row && m->col && m->value;
}

void result_contact_free_matrix(zn_context *context, contact_matrix *m) {
    mem_free(context, m->row);
    mem_free(context, m->col);
    mem_free(context, m->value);
}

void result_contact_transpose(contact_matrix *m) {
    int *row = m->row, rows = m->rows;
    m->row = m->col;
    m->col = row;
    m->rows = m->cols;
    m->cols = rows;
}

void result_contact_destroy(contact_problem *p) {
    if (!p) return;
    result_contact_free_matrix(p->context, &p->W);
    result_contact_free_matrix(p->context, &p->M);
    result_contact_free_matrix(p->context, &p->H);
    double *vectors[] = {p->q, p->f, p->w, p->mu, p->mu_rolling};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) mem_free(p->context, vectors[k]);
    mem_free(p->context, p);
}

static bool matrix_is_valid(const contact_matrix *m, int rows, int cols) {
    if (m->rows != rows || m->cols != cols) return false;
    for (int k = 0; k < m->count; k++)
        if (m->row[k] < 0 || m->row[k] >= rows || m->col[k] < 0 || m->col[k] >= cols || !isfinite(m->value[k])) return false;
    return true;
}

static zn_status check_problem(contact_problem *p, const char *path) {
    int m = p->dim * p->n_contacts;
    if (!p->global && !matrix_is_valid(&p->W, m, m))
        return wrong(p, path, "the matrix W does not fit the contacts or holds a number that is not finite");
    if (p->global && !matrix_is_valid(&p->M, p->M.rows, p->M.rows))
        return wrong(p, path, "the matrix M is not square or holds a number that is not finite");
    if (p->global && !matrix_is_valid(&p->H, p->M.rows, m))
        return wrong(p, path, "the matrix H does not fit M and the contacts or holds a number that is not finite");
    if (p->global ? !all_finite(p->M.rows, p->f) || !all_finite(m, p->w) : !all_finite(m, p->q))
        return wrong(p, path, "a vector holds a number that is not finite");
    for (int k = 0; k < p->n_contacts; k++)
        if (!(p->mu[k] >= 0) || isinf(p->mu[k]) || (p->mu_rolling && (!(p->mu_rolling[k] >= 0) || isinf(p->mu_rolling[k]))))
            return wrong(p, path, "a friction coefficient is negative or not finite");
    return ZN_OK;
}

/* Planar contacts that roll as spatial ones: rows 2 and 4 of each belong to no motion of the problem, W has the diagonal of the row before
 * them there and q is zero, so that their r and u are zero. In global form each gets a velocity of its own. */
enum { WIDE = 5 };
static const int place_of[3] = {0, 1, 3};

static int widened(int row) { return row / 3 * WIDE + place_of[row % 3]; }

static double *widen_vector(contact_problem *p, double *v) {
    double *wide = MEM_ARRAY(p->context, double, WIDE * p->n_contacts);
    for (int k = 0; wide && k < 3 * p->n_contacts; k++) wide[widened(k)] = v[k];
    mem_free(p->context, v);
    return wide;
}

/* m with its rows and columns at other places, and room for two entries more of each contact. */
static bool widen_matrix(contact_problem *p, contact_matrix *m, int rows, int cols, bool wide_rows, bool wide_cols) {
    contact_matrix wide;
    bool ok = result_contact_reserve(p->context, &wide, rows, cols, (long)m->count + 2L * p->n_contacts);
    for (int k = 0; ok && k < m->count; k++) {
        wide.row[k] = wide_rows ? widened(m->row[k]) : m->row[k];
        wide.col[k] = wide_cols ? widened(m->col[k]) : m->col[k];
        wide.value[k] = m->value[k];
    }
    wide.count = m->count;
    result_contact_free_matrix(p->context, m);
    *m = wide;
    return ok;
}

void result_contact_append(contact_matrix *m, int row, int col, double value) {
    m->row[m->count] = row;
    m->col[m->count] = col;
    m->value[m->count++] = value;
}

/* The diagonal of W; in global form as if M were diagonal, which is enough for a scale. mass: rows of M. */
static void sum_diagonal(const contact_problem *p, double *mass, double *diagonal) {
    for (int k = 0; k < p->W.count; k++)
        if (p->W.row[k] == p->W.col[k]) diagonal[p->W.col[k]] += p->W.value[k];
    for (int k = 0; k < p->M.count; k++)
        if (p->M.row[k] == p->M.col[k]) mass[p->M.row[k]] += fabs(p->M.value[k]);
    for (int k = 0; k < p->H.count; k++)
        if (mass[p->H.row[k]] > 0) diagonal[p->H.col[k]] += p->H.value[k] * p->H.value[k] / mass[p->H.row[k]];
}

static zn_status widen(contact_problem *p) {
    int n = p->n_contacts, m = WIDE * n, nv = p->M.rows;
    double *diagonal = MEM_ARRAY(p->context, double, (size_t)m + (size_t)nv + 2 * (size_t)n);
    bool ok = diagonal;
    if (p->global) {
        ok = ok && widen_matrix(p, &p->M, nv + 2 * n, nv + 2 * n, false, false) && widen_matrix(p, &p->H, nv + 2 * n, m, false, true);
        double *f = MEM_ARRAY(p->context, double, (size_t)nv + 2 * (size_t)n);
        ok = ok && f && (p->w = widen_vector(p, p->w));
        if (f && nv > 0) memcpy(f, p->f, (size_t)nv * sizeof *f);
        mem_free(p->context, p->f);
        p->f = f;
    } else ok = ok && widen_matrix(p, &p->W, m, m, true, true) && (p->q = widen_vector(p, p->q));
    if (ok) sum_diagonal(p, diagonal + m, diagonal);
    for (int k = 0; ok && k < 2 * n; k++) {
        int row = k / 2 * WIDE + 2 + 2 * (k % 2);
        double like = diagonal[row - 1] > 0 ? diagonal[row - 1] : 1;
        if (p->global) {
            result_contact_append(&p->M, nv + k, nv + k, 1);
            result_contact_append(&p->H, nv + k, row, sqrt(like));
        } else result_contact_append(&p->W, row, row, like);
    }
    mem_free(p->context, diagonal);
    p->dim = WIDE;
    return ok ? ZN_OK : ZN_ERROR_MEMORY;
}

static zn_status is_hdf5(zn_context *context, const char *path, bool *answer) {
    char head[RESULT_SIGNATURE] = {0};
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return fail_file(context, path, "read", errno);
    *answer = fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, RESULT_HDF5_SIGNATURE, sizeof head) == 0;
    fclose(file);
    return ZN_OK;
}

zn_status result_contact_read(zn_context *context, const char *path, contact_problem **problem) {
    bool hdf5 = false;
    *problem = NULL;
    zn_status status = is_hdf5(context, path, &hdf5);
    if (status != ZN_OK) return status;
    contact_problem *p = MEM_ARRAY(context, contact_problem, 1);
    if (!p) return ZN_ERROR_MEMORY;
    p->context = context;
    status = hdf5 ? result_contact_fclib(p, path) : result_contact_text(p, path);
    if (status == ZN_OK) status = check_problem(p, path);
    if (status == ZN_OK && p->planar_rolling) status = widen(p);
    if (status == ZN_OK) *problem = p;
    else result_contact_destroy(p);
    return status;
}
