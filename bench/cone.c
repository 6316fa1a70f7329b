/* SPDX-License-Identifier: Apache-2.0 */
/* Time of one cone solve for 1, 10, 100, 1000 contacts: a chain of blocks (banded) and contacts that all see each other (dense).
 * Prints time and iterations per solver; the time of evaluation is measured apart and subtracted in the last column. */
#include "cone/cone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DIM = 3 };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_state = 1;
static double uniform(void) {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* M = 1, contact c touches coordinates `touches` of the bodies: H is (3 n) x nu. */
typedef struct bench_problem {
    zn_context *context;
    int n, nu, m;
    lin_pattern H, Ht, unit; /* Ht: nu x m */
    double *H_values, *Ht_values, *minus, *ones, *v, *rho;
    int *transposed;         /* entry of H that entry k of Ht is */
    lin_matrix *phi_x;
    int block;
    zn_ball *balls;
    cone *cones;
    cone_problem p;
} bench_problem;

static int evaluate(void *user, const double *x, const double *y, cone_values *values) {
    bench_problem *b = user;
    if (values->phi) {
        for (int i = 0; i < b->nu; i++) values->phi[i] = x[i] - b->v[i];
        lin_multiply(&b->Ht.p, b->minus, 1, y, values->phi);
    }
    if (values->psi) {
        memset(values->psi, 0, (size_t)b->m * sizeof(double));
        lin_multiply_transposed(&b->Ht.p, b->Ht_values, 1, x, values->psi);
    }
    if (!values->jacobian) return 0;
    lin_matrix_zero(b->phi_x);
    lin_matrix_add(b->phi_x, b->block, 1, b->ones);
    memcpy(values->phi_y, b->minus, (size_t)lin_nnz(&b->Ht.p) * sizeof(double));
    memcpy(values->psi_x, b->H_values, (size_t)lin_nnz(&b->H.p) * sizeof(double));
    return 0;
}

static bench_problem *create(zn_context *context, int n, bool dense) {
    bench_problem *b = calloc(1, sizeof *b);
    int nu = dense ? DIM * n + 3 : DIM * (n + 1), m = DIM * n, count = dense ? m * nu : m * 2 * DIM;
    int *row = calloc((size_t)count, sizeof(int)), *col = calloc((size_t)count, sizeof(int)), *entry = calloc((size_t)count, sizeof(int));
    int *entry_t = calloc((size_t)count, sizeof(int)), *diagonal = calloc((size_t)nu, sizeof(int));
    double *value = calloc((size_t)count, sizeof(double));
    *b = (bench_problem){.context = context, .n = n, .nu = nu, .m = m};
    int k = 0;
    for (int r = 0; r < m; r++)
        for (int j = 0; j < (dense ? nu : 2 * DIM); j++, k++) {
            row[k] = r;
            col[k] = dense ? j : DIM * (r / DIM) + j;
            value[k] = (dense ? 0.1 : 0.3) * uniform() + (!dense && j % DIM == r % DIM ? (j < DIM ? -1 : 1) : 0) + (dense && j == r ? 1 : 0);
        }
    for (int i = 0; i < nu; i++) diagonal[i] = i;
    lin_pattern_create(context, m, nu, count, row, col, &b->H, entry);
    lin_pattern_create(context, nu, m, count, col, row, &b->Ht, entry_t);
    lin_pattern_create(context, nu, nu, nu, diagonal, diagonal, &b->unit, NULL);
    b->H_values = calloc((size_t)count, sizeof(double));
    b->Ht_values = calloc((size_t)count, sizeof(double));
    b->minus = calloc((size_t)count, sizeof(double));
    b->ones = calloc((size_t)nu, sizeof(double));
    b->v = calloc((size_t)nu, sizeof(double));
    b->rho = calloc((size_t)m, sizeof(double));
    b->balls = calloc((size_t)n, sizeof(zn_ball));
    b->cones = calloc((size_t)n, sizeof(cone));
    for (k = 0; k < count; k++) {
        b->H_values[entry[k]] = b->Ht_values[entry_t[k]] = value[k];
        b->minus[entry_t[k]] = -value[k];
        b->rho[row[k]] += value[k] * value[k];
    }
    for (int i = 0; i < nu; i++) {
        b->ones[i] = 1;
        b->v[i] = uniform();
    }
    for (int c = 0; c < n; c++) {
        int r = DIM * c;
        double largest = fmax(b->rho[r + 1], b->rho[r + 2]);
        b->rho[r] = 1 / b->rho[r];
        b->rho[r + 1] = b->rho[r + 2] = 1 / largest;
        b->balls[c] = (zn_ball){2, 0.3};
        b->cones[c] = (cone){.psi_N = r, .mu_N = r, .psi_F = r + 1, .mu_F = r + 1, .n_balls = 1, .balls = &b->balls[c], .mu_R = r, .stick_of = -1};
    }
    b->phi_x = lin_matrix_create(context, nu);
    b->block = lin_matrix_block(b->phi_x, &b->unit.p, false, 0, 0);
    lin_matrix_finish(b->phi_x, LIN_AUTO);
    b->p = (cone_problem){.nx = nu, .ny = m, .npsi = m, .nmu = m, .n_cones = n, .cones = b->cones, .user = b, .evaluate = evaluate,
                          .phi_x = b->phi_x, .phi_y = b->Ht.p, .psi_x = b->H.p, .rho = b->rho, .n_settled = nu};
    free(row);
    free(col);
    free(entry);
    free(entry_t);
    free(diagonal);
    free(value);
    return b;
}

static void destroy(bench_problem *b) {
    lin_pattern_destroy(b->context, &b->H);
    lin_pattern_destroy(b->context, &b->Ht);
    lin_pattern_destroy(b->context, &b->unit);
    lin_matrix_destroy(b->phi_x);
    void *blocks[] = {b->H_values, b->Ht_values, b->minus, b->ones, b->v, b->rho, b->balls, b->cones};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
    free(b);
}

/* Seconds of what a solve evaluates at least: residual and Jacobian at the start, residual at the end. */
static double evaluation_time(bench_problem *b, const double *x, const double *y, int repeats) {
    size_t entries = (size_t)lin_nnz(&b->H.p);
    double *phi = calloc((size_t)b->nu, sizeof(double)), *psi = calloc((size_t)b->m, sizeof(double));
    double *phi_y = calloc(entries, sizeof(double)), *psi_x = calloc(entries, sizeof(double)), start = seconds();
    for (int k = 0; k < repeats; k++) {
        cone_values first = {.phi = phi, .psi = psi, .jacobian = true, .phi_y = phi_y, .psi_x = psi_x};
        cone_values last = {.phi = phi, .psi = psi};
        evaluate(b, x, y, &first);
        evaluate(b, x, y, &last);
    }
    double time = (seconds() - start) / repeats;
    free(phi);
    free(psi);
    free(phi_y);
    free(psi_x);
    return time;
}

static void measure(int n, bool dense, zn_solver solver) {
    static const char *const names[] = {"auto", "newton", "projection"};
    zn_context *context = zn_context_create(NULL);
    bench_problem *b = create(context, n, dense);
    cone_settings settings = cone_settings_default();
    settings.solver = solver;
    cone_solver *s = cone_solver_create(context, &b->p, &settings);
    double *x = calloc((size_t)b->nu, sizeof(double)), *y = calloc((size_t)b->m, sizeof(double));
    int repeats = n == 1 ? 200000 : n == 10 ? 5000 : n == 100 ? 50 : 1;
    if (solver == ZN_SOLVER_PROJECTION) repeats = repeats / 20 + 1;
    cone_outcome out;
    zn_status status = ZN_OK;
    double start = seconds();
    for (int k = 0; k < repeats; k++) {
        memcpy(x, b->v, (size_t)b->nu * sizeof(double));
        memset(y, 0, (size_t)b->m * sizeof(double));
        status = cone_solve(s, x, y, &out);
    }
    double time = (seconds() - start) / repeats, model = evaluation_time(b, x, y, repeats);
    printf("%-6s %5d  %-10s  %-6s  %4d %4d %6d   %10.3f us  %10.3f us\n", dense ? "dense" : "chain", n, names[solver],
           status == ZN_OK ? "ok" : "failed", out.iterations[CONE_NEWTON], out.iterations[CONE_LEAST_NORM],
           out.iterations[CONE_PROJECTION], time * 1e6, (time - model) * 1e6);
    free(x);
    free(y);
    cone_solver_destroy(s);
    destroy(b);
    zn_context_destroy(context);
}

int main(int argc, char **argv) {
    int most = argc > 1 ? atoi(argv[1]) : 1000;
    printf("%-6s %5s  %-10s  %-6s  %4s %4s %6s   %13s  %13s\n", "W", "n", "solver", "status", "newt", "lean", "proj", "time", "beyond model");
    for (int dense = 0; dense < 2; dense++)
        for (int n = 1; n <= most; n *= 10)
            for (int solver = ZN_SOLVER_NEWTON; solver <= ZN_SOLVER_PROJECTION; solver++) measure(n, dense, (zn_solver)solver);
    return 0;
}
