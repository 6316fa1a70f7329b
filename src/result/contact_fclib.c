/* SPDX-License-Identifier: Apache-2.0 */
/* FCLIB's HDF5 layout: group fclib_local {W, (V, R,) spacedim, vectors {q, (s,) mu}} or fclib_global {M, H, (G,) spacedim, vectors {f, w,
 * (b,) mu}}, and the same with rolling friction, fclib_local_rolling, fclib_global_rolling: five rows per contact (three in the plane),
 * vectors also mu_r. With bilateral constraints, which contact problems here do not know, the velocities get their multipliers l as
 * companions:
 *
 *     M v = H r + G l + f,  G' v + b = 0   is   [M -G; G' 0] (v, l) = (H; 0) r + (f, -b)
 *     u = W r + V l + q,  V' r + R l + s = 0   is   [0 1 0; 1 -W -V; 0 V' R] (u, r, l) = (1; 0; 0) r + (0, q, -s),  a global problem
 *
 * A matrix has m, n, nz, p, i, x: nz = -2 compressed rows, -1 compressed columns, else nz triplets with i rows and p columns. */
#include "result/contact_problem.h"
#include "result/h5_file.h"

#include <limits.h>
#include <stdio.h>

typedef struct fclib_source {
    contact_problem *p;
    const char *path;
    h5_file *file;
    zn_status status;
} fclib_source;

static void wrong_content(fclib_source *s, const char *group, const char *name, const char *what) {
    error_place place = ERROR_PLACE_NONE;
    place.file = s->path;
    if (s->status == ZN_OK) s->status = fail_at(s->p->context, ZN_ERROR_FILE, &place, "%s/%s %s", group, name, what);
}

static bool exists(fclib_source *s, const char *name, h5_object *object) {
    bool found = false;
    if (s->status == ZN_OK) s->status = h5_find(s->file, name, object, &found);
    return s->status == ZN_OK && found;
}

/* The whole dataset; *count receives its length. NULL: s->status says why. */
static double *read_dataset(fclib_source *s, const char *group, const char *name, int *count) {
    char path[160];
    h5_object object;
    h5_table *table = NULL;
    *count = 0;
    snprintf(path, sizeof path, "%s/%s", group, name);
    if (!exists(s, path, &object)) return wrong_content(s, group, name, "is missing"), NULL;
    s->status = h5_table_open(s->file, &object, &table);
    if (s->status != ZN_OK) return NULL;
    double *values = NULL;
    if (h5_table_rank(table) > 1 || h5_table_rows(table) > INT_MAX) wrong_content(s, group, name, "has an impossible size");
    else if (!(values = MEM_ARRAY(s->p->context, double, h5_table_rows(table)))) s->status = ZN_ERROR_MEMORY;
    else s->status = h5_table_read(table, (h5_range){0, h5_table_rows(table)}, (h5_range){0, 1}, &values, 1);
    if (s->status == ZN_OK) *count = (int)h5_table_rows(table);
    h5_table_close(table);
    if (s->status == ZN_OK) return values;
    mem_free(s->p->context, values);
    return NULL;
}

static double *read_doubles(fclib_source *s, const char *group, const char *name, int wanted) {
    int count;
    double *v = read_dataset(s, group, name, &count);
    if (s->status == ZN_OK && count != wanted) wrong_content(s, group, name, "has the wrong length");
    return v;
}

static int *read_integers(fclib_source *s, const char *group, const char *name, int *count) {
    double *v = read_dataset(s, group, name, count);
    int *whole = v ? MEM_ARRAY(s->p->context, int, *count) : NULL;
    if (v && !whole) s->status = ZN_ERROR_MEMORY;
    for (int k = 0; whole && k < *count && s->status == ZN_OK; k++) {
        if (v[k] >= INT_MIN && v[k] <= INT_MAX && v[k] == floor(v[k])) whole[k] = (int)v[k];
        else wrong_content(s, group, name, "holds a number that is not an integer");
    }
    mem_free(s->p->context, v);
    return whole;
}

static int read_one(fclib_source *s, const char *group, const char *name) {
    int count, value = 0, *v = read_integers(s, group, name, &count);
    if (s->status == ZN_OK && count < 1) wrong_content(s, group, name, "is empty");
    if (s->status == ZN_OK) value = v[0];
    mem_free(s->p->context, v);
    return value;
}

static void fill_triplets(contact_matrix *m, int nz, const int *row, const int *col) {
    for (int k = 0; k < nz; k++) {
        m->row[k] = row[k];
        m->col[k] = col[k];
    }
    m->count = nz;
}

/* Compressed: `start` over the outer index, `inner` the other one. */
static void fill_compressed(fclib_source *s, const char *group, contact_matrix *m, bool by_rows, const int *start, int n_start,
                            const int *inner, int n_inner) {
    int outer = by_rows ? m->rows : m->cols;
    bool valid = outer < n_start && start[0] == 0 && start[outer] <= n_inner;
    for (int i = 0; i < outer && valid; i++) valid = start[i] <= start[i + 1];
    if (!valid) {
        wrong_content(s, group, "p", "contradicts the size of the matrix");
        return;
    }
    for (int i = 0; i < outer; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            m->row[k] = by_rows ? i : inner[k];
            m->col[k] = by_rows ? inner[k] : i;
        }
    m->count = start[outer];
}

static void read_matrix(fclib_source *s, const char *group, contact_matrix *m) {
    zn_context *context = s->p->context;
    int rows = read_one(s, group, "m"), cols = read_one(s, group, "n"), nz = read_one(s, group, "nz"), n_i, n_p, n_x;
    int *i = read_integers(s, group, "i", &n_i);
    int *p = read_integers(s, group, "p", &n_p);
    double *x = read_dataset(s, group, "x", &n_x);
    if (s->status == ZN_OK && (rows < 0 || cols < 0 || nz < -2 || n_i != n_x || (nz >= 0 && (n_p < nz || n_i < nz))))
        wrong_content(s, group, "nz", "does not fit the other parts of the matrix");
    if (s->status == ZN_OK && !result_contact_reserve(context, m, rows, cols, n_x)) s->status = ZN_ERROR_FILE;
    if (s->status == ZN_OK) {
        if (n_x > 0) memcpy(m->value, x, (size_t)n_x * sizeof(double));
        if (nz >= 0) fill_triplets(m, nz, i, p);
        else fill_compressed(s, group, m, nz == -2, p, n_p, i, n_i);
    }
    mem_free(context, i);
    mem_free(context, p);
    mem_free(context, x);
}

/* Rows per contact: those of the matrix shared by the contacts that have friction coefficients; `spacedim` is 3 or 5 in rolling files. */
static void read_friction(fclib_source *s, const char *group, bool rolling, int rows) {
    contact_problem *p = s->p;
    char vectors[64];
    snprintf(vectors, sizeof vectors, "%s/vectors", group);
    int spacedim = read_one(s, group, "spacedim");
    p->mu = read_dataset(s, vectors, "mu", &p->n_contacts);
    if (s->status != ZN_OK) return;
    p->dim = p->n_contacts > 0 ? rows / p->n_contacts : spacedim;
    if (rows != p->dim * p->n_contacts) wrong_content(s, vectors, "mu", "does not have one number for each contact");
    else if (rolling ? p->dim != 3 && p->dim != 5 : p->dim != spacedim || (p->dim != 2 && p->dim != 3))
        wrong_content(s, group, "spacedim", "does not fit the matrices");
    p->planar_rolling = rolling && p->dim == 3;
    if (rolling) p->mu_rolling = read_doubles(s, vectors, "mu_r", p->n_contacts);
}

static void move_block(contact_matrix *to, int row, int col, double factor, bool transposed, const contact_matrix *from) {
    for (int k = 0; k < from->count; k++)
        result_contact_append(to, row + (transposed ? from->col : from->row)[k], col + (transposed ? from->row : from->col)[k],
                              factor * from->value[k]);
}

/* The local problem with multipliers as a global one. */
static void read_mixed(fclib_source *s, const char *group, const char *vectors) {
    contact_problem *p = s->p;
    char name[64];
    int m = p->W.rows;
    contact_matrix V = {0}, R = {0};
    snprintf(name, sizeof name, "%s/V", group);
    read_matrix(s, name, &V);
    snprintf(name, sizeof name, "%s/R", group);
    read_matrix(s, name, &R);
    if (s->status == ZN_OK && (V.rows != m || R.rows != V.cols || R.cols != V.cols)) wrong_content(s, name, "m", "does not fit W and V");
    double *multipliers = read_doubles(s, vectors, "s", V.cols), *f = NULL;
    int n = 2 * m + V.cols;
    if (s->status == ZN_OK && (!result_contact_reserve(p->context, &p->M, n, n, 2L * m + p->W.count + 2L * V.count + R.count) ||
                               !result_contact_reserve(p->context, &p->H, n, m, m) || !(f = MEM_ARRAY(p->context, double, n)) ||
                               !(p->w = MEM_ARRAY(p->context, double, m))))
        s->status = ZN_ERROR_FILE;
    if (s->status == ZN_OK) {
        for (int k = 0; k < m; k++) {
            result_contact_append(&p->M, k, m + k, 1);
            result_contact_append(&p->M, m + k, k, 1);
            result_contact_append(&p->H, k, k, 1);
            f[m + k] = p->q[k];
        }
        for (int k = 0; k < V.cols; k++) f[2 * m + k] = -multipliers[k];
        move_block(&p->M, m, m, -1, false, &p->W);
        move_block(&p->M, m, 2 * m, -1, false, &V);
        move_block(&p->M, 2 * m, m, 1, true, &V);
        move_block(&p->M, 2 * m, 2 * m, 1, false, &R);
        p->global = true;
    }
    p->f = f;
    mem_free(p->context, multipliers);
    result_contact_free_matrix(p->context, &V);
    result_contact_free_matrix(p->context, &R);
}

static void read_local(fclib_source *s, bool rolling) {
    contact_problem *p = s->p;
    const char *group = rolling ? "fclib_local_rolling" : "fclib_local", *V = rolling ? "fclib_local_rolling/V" : "fclib_local/V";
    const char *vectors = rolling ? "fclib_local_rolling/vectors" : "fclib_local/vectors";
    read_matrix(s, rolling ? "fclib_local_rolling/W" : "fclib_local/W", &p->W);
    read_friction(s, group, rolling, p->W.rows);
    p->q = read_doubles(s, vectors, "q", p->W.rows);
    if (s->status == ZN_OK && p->W.rows != p->W.cols) wrong_content(s, group, "W", "is not square");
    if (s->status == ZN_OK && exists(s, V, &(h5_object){0})) read_mixed(s, group, vectors);
}

/* M, H and f with the bilateral rows. */
static void read_bilateral(fclib_source *s, const char *group, const char *vectors) {
    contact_problem *p = s->p;
    zn_context *context = p->context;
    contact_matrix G = {0}, M = {0};
    int n = p->M.rows;
    read_matrix(s, group, &G);
    if (s->status == ZN_OK && G.rows != n) wrong_content(s, group, "m", "is not the number of velocities");
    double *b = read_doubles(s, vectors, "b", G.cols), *f = NULL;
    if (s->status == ZN_OK && (!result_contact_reserve(context, &M, n + G.cols, n + G.cols, (long)p->M.count + 2 * (long)G.count) ||
                               !(f = MEM_ARRAY(context, double, (size_t)n + (size_t)G.cols))))
        s->status = ZN_ERROR_FILE;
    if (s->status == ZN_OK) {
        move_block(&M, 0, 0, 1, false, &p->M);
        move_block(&M, 0, n, -1, false, &G);
        move_block(&M, n, 0, 1, true, &G);
        for (int k = 0; k < n + G.cols; k++) f[k] = k < n ? p->f[k] : -b[k - n];
        result_contact_free_matrix(context, &p->M);
        mem_free(context, p->f);
        p->M = M;
        p->f = f;
        p->H.rows = n + G.cols;
    } else {
        result_contact_free_matrix(context, &M);
        mem_free(context, f);
    }
    result_contact_free_matrix(context, &G);
    mem_free(context, b);
}

static void read_global(fclib_source *s, bool rolling) {
    contact_problem *p = s->p;
    const char *vectors = rolling ? "fclib_global_rolling/vectors" : "fclib_global/vectors";
    const char *G = rolling ? "fclib_global_rolling/G" : "fclib_global/G";
    p->global = true;
    read_matrix(s, rolling ? "fclib_global_rolling/M" : "fclib_global/M", &p->M);
    read_matrix(s, rolling ? "fclib_global_rolling/H" : "fclib_global/H", &p->H);
    read_friction(s, rolling ? "fclib_global_rolling" : "fclib_global", rolling, p->H.cols);
    p->f = read_doubles(s, vectors, "f", p->M.rows);
    p->w = read_doubles(s, vectors, "w", p->H.cols);
    if (s->status == ZN_OK && exists(s, G, &(h5_object){0})) read_bilateral(s, G, vectors);
}

zn_status result_contact_fclib(contact_problem *p, const char *path) {
    fclib_source s = {.p = p, .path = path};
    h5_object group;
    s.status = h5_open(p->context, path, &s.file);
    if (s.status != ZN_OK) return s.status;
    if (exists(&s, "fclib_local", &group)) read_local(&s, false);
    else if (exists(&s, "fclib_global", &group)) read_global(&s, false);
    else if (exists(&s, "fclib_local_rolling", &group)) read_local(&s, true);
    else if (exists(&s, "fclib_global_rolling", &group)) read_global(&s, true);
    else wrong_content(&s, "fclib_local", "", "and fclib_global are missing, also with _rolling: this is not a contact problem");
    h5_close(s.file);
    return s.status;
}
