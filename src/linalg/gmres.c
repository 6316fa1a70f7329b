/* SPDX-License-Identifier: Apache-2.0 */
/* For each column: minimise |D (A x - b)| over x in span{z_0 .. z_j}, z_j = P^-1 D^-1 v_j, with v_0 = D b/|D b| and v_{j+1}
 * from D A z_j made orthogonal to v_0 .. v_j (Arnoldi); the small triangular system is kept by Givens rotations. */
#include "linalg/gmres.h"

struct lin_gmres {
    zn_context *context;
    int n, width, depth, most;
    double *v, *z;    /* (depth + 1), depth blocks of n x width */
    double *H;        /* per column: R of the Arnoldi matrix, depth + 1 rows */
    double *turn, *g; /* per column: cosines and sines, rotated right-hand side */
    double *start;    /* per column: |D b| */
    int *used;        /* per column: vectors in use */
    bool *done;
};

lin_gmres *lin_gmres_create(zn_context *context, int n, int width, int depth) {
    lin_gmres *s = MEM_ARRAY(context, lin_gmres, 1);
    if (!s) return NULL;
    *s = (lin_gmres){.context = context, .n = n, .width = width, .depth = depth};
    size_t block = (size_t)n * (size_t)width, w = (size_t)width, d = (size_t)depth;
    s->v = MEM_ARRAY(context, double, block *(d + 1));
    s->z = MEM_ARRAY(context, double, block *d);
    s->H = MEM_ARRAY(context, double, w *(d + 1) * d);
    s->turn = MEM_ARRAY(context, double, w * 2 * d);
    s->g = MEM_ARRAY(context, double, w *(d + 1));
    s->start = MEM_ARRAY(context, double, w);
    s->used = MEM_ARRAY(context, int, w);
    s->done = MEM_ARRAY(context, bool, w);
    if (s->v && s->z && s->H && s->turn && s->g && s->start && s->used && s->done) return s;
    lin_gmres_destroy(s);
    return NULL;
}

void lin_gmres_destroy(lin_gmres *s) {
    if (!s) return;
    zn_context *context = s->context;
    void *blocks[] = {s->v, s->z, s->H, s->turn, s->g, s->start, s->used, s->done, s};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(context, blocks[i]);
}

int lin_gmres_iterations(const lin_gmres *s) { return s->most; }

static double *vector(const lin_gmres *s, double *blocks, int j, int c) {
    return blocks + ((size_t)j * (size_t)s->width + (size_t)c) * (size_t)s->n;
}

static void divide(int n, double *v, double by) {
    for (int i = 0; i < n; i++) v[i] /= by;
}

/* v_0 of each column; a column of zeros is solved. */
static void start_columns(lin_gmres *s, const double *scale, const double *b, int columns) {
    for (int c = 0; c < columns; c++, b += s->n) {
        double *v = vector(s, s->v, 0, c);
        for (int i = 0; i < s->n; i++) v[i] = scale[i] * b[i];
        s->start[c] = s->g[c * (s->depth + 1)] = length_of(s->n, v);
        s->used[c] = 0;
        s->done[c] = s->start[c] == 0;
        if (!s->done[c]) divide(s->n, v, s->start[c]);
    }
}

/* A z_j, in v_{j+1}, is made orthogonal; the column of H is rotated, and with it the right-hand side. */
static void add_vector(lin_gmres *s, int j, int c, double wanted) {
    double *w = vector(s, s->v, j + 1, c), *h = s->H + (size_t)((c * s->depth + j) * (s->depth + 1));
    double *turn = s->turn + 2 * c * s->depth, *g = s->g + c * (s->depth + 1);
    if (s->done[c]) {
        memset(w, 0, (size_t)s->n * sizeof *w);
        return;
    }
    for (int k = 0; k <= j; k++) {
        const double *v = vector(s, s->v, k, c);
        h[k] = dot_product(s->n, v, w);
        for (int i = 0; i < s->n; i++) w[i] -= h[k] * v[i];
    }
    double length = length_of(s->n, w);
    for (int k = 0; k < j; k++) {
        double above = h[k], below = h[k + 1];
        h[k] = turn[2 * k] * above + turn[2 * k + 1] * below;
        h[k + 1] = turn[2 * k] * below - turn[2 * k + 1] * above;
    }
    double radius = hypot(h[j], length);
    turn[2 * j] = radius > 0 ? h[j] / radius : 1;
    turn[2 * j + 1] = radius > 0 ? length / radius : 0;
    h[j] = radius;
    g[j + 1] = -turn[2 * j + 1] * g[j];
    g[j] *= turn[2 * j];
    s->used[c] = j + 1;
    s->done[c] = !(fabs(g[j + 1]) > wanted * s->start[c]) || length == 0;
    if (!s->done[c]) divide(s->n, w, length);
}

/* x = sum_j y_j z_j, R y = g. False: too far from a solution. */
static bool finish_column(lin_gmres *s, int c, double enough, double *b) {
    double *g = s->g + c * (s->depth + 1);
    int used = s->used[c];
    if (!(fabs(used > 0 ? g[used] : 0) <= enough * s->start[c]) || !isfinite(s->start[c])) return false;
    for (int j = used - 1; j >= 0; j--) {
        const double *h = s->H + (size_t)((c * s->depth + j) * (s->depth + 1));
        if (!(h[j] > 0)) return false;
        g[j] /= h[j];
        for (int k = 0; k < j; k++) g[k] -= h[k] * g[j];
    }
    memset(b, 0, (size_t)s->n * sizeof *b);
    for (int j = 0; j < used; j++) {
        const double *z = vector(s, s->z, j, c);
        for (int i = 0; i < s->n; i++) b[i] += g[j] * z[i];
    }
    return true;
}

static int solve_batch(lin_gmres *s, const lin_gmres_system *system, double *b, int columns, double wanted, double enough) {
    start_columns(s, system->scale, b, columns);
    bool all = false;
    for (int j = 0; j < s->depth && !all; j++) {
        double *v = vector(s, s->v, j, 0), *z = vector(s, s->z, j, 0), *w = vector(s, s->v, j + 1, 0);
        for (int c = 0; c < columns; c++)
            for (int i = 0; i < s->n; i++) z[c * s->n + i] = v[c * s->n + i] / system->scale[i];
        system->precondition(system->user, z, columns);
        system->multiply(system->user, z, w, columns);
        all = true;
        for (int c = 0; c < columns; c++) {
            for (int i = 0; i < s->n; i++) w[c * s->n + i] *= system->scale[i];
            add_vector(s, j, c, wanted);
            all = all && s->done[c];
        }
    }
    for (int c = 0; c < columns; c++) {
        s->most = s->used[c] > s->most ? s->used[c] : s->most;
        if (!finish_column(s, c, enough, b + (size_t)c * (size_t)s->n)) return c;
    }
    return columns;
}

int lin_gmres_solve(lin_gmres *s, const lin_gmres_system *system, double *b, int columns, double wanted, double enough) {
    s->most = 0;
    for (int first = 0; first < columns; first += s->width) {
        int count = columns - first < s->width ? columns - first : s->width;
        int solved = solve_batch(s, system, b + (size_t)first * (size_t)s->n, count, wanted, enough);
        if (solved < count) return first + solved;
    }
    return columns;
}
