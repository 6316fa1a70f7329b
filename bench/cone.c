/* SPDX-License-Identifier: Apache-2.0 */
/* Time of one cone solve for 1, 10, 100, 1000 contacts: a chain of blocks (banded) and contacts that all see each other (dense),
 * and for a single contact in the plane and in space that opens, sticks, slips.
 *
 *   bench_cone [MOST [REPEATS]]    up to MOST contacts (1000), a single one solved REPEATS times in each run (20000)
 *
 * Prints time and iterations per solver; the time of evaluation is measured apart and subtracted in the last column. Both are
 * the fastest of several runs, since other work on the machine only adds. Fails when a row does not end as it should. */
#include "cone/cone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What the contacts do: whatever random velocities bring, or all the same. */
typedef enum motion { MOTION_RANDOM, MOTION_OPEN, MOTION_STICK, MOTION_SLIP } motion;

typedef struct layout {
    int n, dim; /* contacts, rows of each: 2 in the plane, 3 in space */
    bool dense;
    motion motion;
} layout;

enum { RUNS = 10 };

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

/* phi = M (x - v) - H' y, psi = H x with H of dim n x nu. M = 1, but full where the motion is given and W dense. */
typedef struct bench_problem {
    zn_context *context;
    int n, dim, nu, m;
    lin_pattern H, Ht, mass;                                            /* Ht: nu x m */
    double *H_values, *Ht_values, *minus, *M, *v, *rho, *start, *moved; /* start: of x; moved: x - v */
    int *transposed;                                                    /* entry of H that entry k of Ht is */
    lin_matrix *phi_x;
    int block;
    zn_ball *balls;
    cone *cones;
    cone_problem p;
} bench_problem;

static int evaluate(void *user, const double *x, const double *y, cone_values *values) {
    bench_problem *b = user;
    if (values->phi) {
        memset(values->phi, 0, (size_t)b->nu * sizeof(double));
        for (int i = 0; i < b->nu; i++) b->moved[i] = x[i] - b->v[i];
        lin_multiply(&b->mass.p, b->M, 1, b->moved, values->phi);
        lin_multiply(&b->Ht.p, b->minus, 1, y, values->phi);
    }
    if (values->psi) {
        memset(values->psi, 0, (size_t)b->m * sizeof(double));
        lin_multiply_transposed(&b->Ht.p, b->Ht_values, 1, x, values->psi);
    }
    if (!values->jacobian) return 0;
    lin_matrix_zero(b->phi_x);
    lin_matrix_add(b->phi_x, b->block, 1, b->M);
    memcpy(values->phi_y, b->minus, (size_t)lin_nnz(&b->Ht.p) * sizeof(double));
    memcpy(values->psi_x, b->H_values, (size_t)lin_nnz(&b->H.p) * sizeof(double));
    return 0;
}

/* Velocities before, v = H' a. Without friction a contact of its own would leave with a_N W_NN; its sticking needs mu = -a.
 * x starts at zero then, so that an open contact is not solved before it begins. */
static void set_motion(bench_problem *b, motion kind) {
    static const double a[][3] = {[MOTION_OPEN] = {1, 0.2, -0.1}, [MOTION_STICK] = {-1, 0.2, -0.1}, [MOTION_SLIP] = {-1, 2, -1}};
    for (int i = 0; i < b->nu; i++) b->v[i] = kind == MOTION_RANDOM ? uniform() : 0;
    if (kind == MOTION_RANDOM) {
        memcpy(b->start, b->v, (size_t)b->nu * sizeof(double));
        return;
    }
    for (int r = 0; r < b->m; r++)
        for (int k = b->Ht.start[r]; k < b->Ht.start[r + 1]; k++) b->v[b->Ht.index[k]] += b->Ht_values[k] * a[kind][r % b->dim];
}

/* M = 1, or 1 plus a symmetric matrix without zeros. */
static void set_mass(bench_problem *b, bool full) {
    int n = b->nu, count = full ? n * n : n, *row = calloc((size_t)count, sizeof(int)), *col = calloc((size_t)count, sizeof(int));
    b->M = calloc((size_t)count, sizeof(double));
    for (int k = 0; k < count; k++) {
        row[k] = full ? k % n : k;
        col[k] = full ? k / n : k;
        b->M[k] = (row[k] == col[k]) + (full ? 0.05 * cos(row[k] * col[k] + row[k] + col[k]) : 0);
    }
    lin_pattern_create(b->context, n, n, count, row, col, &b->mass, NULL);
    free(row);
    free(col);
}

static void set_contacts(bench_problem *b) {
    for (int c = 0; c < b->n; c++) {
        int r = b->dim * c;
        double largest = fmax(b->rho[r + 1], b->rho[r + b->dim - 1]);
        b->rho[r] = 1 / b->rho[r];
        b->rho[r + 1] = b->rho[r + b->dim - 1] = 1 / largest;
        b->balls[c] = (zn_ball){b->dim - 1, 0.3};
        b->cones[c] =
            (cone){.psi_N = r, .mu_N = r, .psi_F = r + 1, .mu_F = r + 1, .n_balls = 1, .balls = &b->balls[c], .mu_R = r, .stick_of = -1};
    }
}

static bench_problem *create(zn_context *context, const layout *l) {
    bench_problem *b = calloc(1, sizeof *b);
    int n = l->n, dim = l->dim, nu = l->dense ? dim * n + 3 : dim * (n + 1), m = dim * n, count = l->dense ? m * nu : m * 2 * dim;
    bool dense = l->dense;
    int *row = calloc((size_t)count, sizeof(int)), *col = calloc((size_t)count, sizeof(int)), *entry = calloc((size_t)count, sizeof(int));
    int *entry_t = calloc((size_t)count, sizeof(int));
    double *value = calloc((size_t)count, sizeof(double));
    *b = (bench_problem){.context = context, .n = n, .dim = dim, .nu = nu, .m = m};
    int k = 0;
    for (int r = 0; r < m; r++)
        for (int j = 0; j < (dense ? nu : 2 * dim); j++, k++) {
            row[k] = r;
            col[k] = dense ? j : dim * (r / dim) + j;
            value[k] =
                (dense ? 0.1 : 0.3) * uniform() + (!dense && j % dim == r % dim ? (j < dim ? -1 : 1) : 0) + (dense && j == r ? 1 : 0);
        }
    lin_pattern_create(context, m, nu, count, row, col, &b->H, entry);
    lin_pattern_create(context, nu, m, count, col, row, &b->Ht, entry_t);
    set_mass(b, l->dense && l->motion != MOTION_RANDOM);
    b->H_values = calloc((size_t)count, sizeof(double));
    b->Ht_values = calloc((size_t)count, sizeof(double));
    b->minus = calloc((size_t)count, sizeof(double));
    b->v = calloc((size_t)nu, sizeof(double));
    b->rho = calloc((size_t)m, sizeof(double));
    b->start = calloc((size_t)nu, sizeof(double));
    b->moved = calloc((size_t)nu, sizeof(double));
    b->balls = calloc((size_t)n, sizeof(zn_ball));
    b->cones = calloc((size_t)n, sizeof(cone));
    for (k = 0; k < count; k++) {
        b->H_values[entry[k]] = b->Ht_values[entry_t[k]] = value[k];
        b->minus[entry_t[k]] = -value[k];
        b->rho[row[k]] += value[k] * value[k];
    }
    set_motion(b, l->motion);
    set_contacts(b);
    b->phi_x = lin_matrix_create(context, nu);
    b->block = lin_matrix_block(b->phi_x, &b->mass.p, false, 0, 0);
    lin_matrix_finish(b->phi_x, LIN_AUTO);
    b->p = (cone_problem){.nx = nu,
                          .ny = m,
                          .npsi = m,
                          .nmu = m,
                          .n_cones = n,
                          .cones = b->cones,
                          .user = b,
                          .evaluate = evaluate,
                          .phi_x = b->phi_x,
                          .phi_y = b->Ht.p,
                          .psi_x = b->H.p,
                          .rho = b->rho,
                          .n_settled = nu};
    free(row);
    free(col);
    free(entry);
    free(entry_t);
    free(value);
    return b;
}

static void destroy(bench_problem *b) {
    lin_pattern_destroy(b->context, &b->H);
    lin_pattern_destroy(b->context, &b->Ht);
    lin_pattern_destroy(b->context, &b->mass);
    lin_matrix_destroy(b->phi_x);
    void *blocks[] = {b->H_values, b->Ht_values, b->minus, b->M, b->v, b->rho, b->start, b->moved, b->balls, b->cones};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) free(blocks[k]);
    free(b);
}

/* Seconds of what a solve evaluates at least: residual and Jacobian at the start, residual at the end. */
static double evaluation_time(bench_problem *b, const double *x, const double *y, int repeats) {
    size_t entries = (size_t)lin_nnz(&b->H.p);
    double *phi = calloc((size_t)b->nu, sizeof(double)), *psi = calloc((size_t)b->m, sizeof(double));
    double *phi_y = calloc(entries, sizeof(double)), *psi_x = calloc(entries, sizeof(double)), fastest = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        for (int k = 0; k < repeats; k++) {
            cone_values first = {.phi = phi, .psi = psi, .jacobian = true, .phi_y = phi_y, .psi_x = psi_x};
            cone_values last = {.phi = phi, .psi = psi};
            evaluate(b, x, y, &first);
            evaluate(b, x, y, &last);
        }
        fastest = fmin(fastest, (seconds() - start) / repeats);
    }
    free(phi);
    free(psi);
    free(phi_y);
    free(psi_x);
    return fastest;
}

static double solve_time(bench_problem *b, cone_solver *s, double *x, double *y, int repeats, zn_status *status, cone_outcome *out) {
    double fastest = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        double start = seconds();
        for (int k = 0; k < repeats; k++) {
            memcpy(x, b->start, (size_t)b->nu * sizeof(double));
            memset(y, 0, (size_t)b->m * sizeof(double));
            *status = cone_solve(s, x, y, out);
        }
        double time = seconds() - start;
        fastest = fmin(fastest, time / repeats);
        if (time > 1) break;
    }
    return fastest;
}

/* Whether all contacts do what they should. */
static bool moves_so(const bench_problem *b, const cone_solver *s, motion kind) {
    for (int c = 0; c < b->n && kind != MOTION_RANDOM; c++)
        if (cone_is_closed(s, c) != (kind != MOTION_OPEN) || cone_sticks(s, c, 0) != (kind == MOTION_STICK)) return false;
    return true;
}

static bool measure(const layout *l, zn_solver solver, int single_repeats) {
    static const char *const names[] = {"auto", "newton", "projection"}, *const motions[] = {"any", "open", "stick", "slip"};
    zn_context *context = zn_context_create(NULL);
    bench_problem *b = create(context, l);
    cone_settings settings = cone_settings_default();
    settings.solver = solver;
    cone_solver *s = cone_solver_create(context, &b->p, &settings);
    double *x = calloc((size_t)b->nu, sizeof(double)), *y = calloc((size_t)b->m, sizeof(double));
    int repeats = l->n == 1 ? single_repeats : l->n == 10 ? 500 : l->n == 100 ? 5 : 1;
    if (solver == ZN_SOLVER_PROJECTION) repeats = repeats / 20 + 1;
    cone_outcome out;
    zn_status status = ZN_OK;
    double time = solve_time(b, s, x, y, repeats, &status, &out), model = evaluation_time(b, x, y, repeats);
    bool right = status == ZN_OK && moves_so(b, s, l->motion);
    printf("%-6s %3d %5d  %-6s %-10s  %-6s  %4d %4d %6d   %10.3f us  %10.3f us\n", l->dense ? "dense" : "chain", l->dim, l->n,
           motions[l->motion], names[solver], right ? "ok" : "failed", out.iterations[CONE_NEWTON], out.iterations[CONE_LEAST_NORM],
           out.iterations[CONE_PROJECTION], time * 1e6, (time - model) * 1e6);
    fflush(stdout);
    free(x);
    free(y);
    cone_solver_destroy(s);
    destroy(b);
    zn_context_destroy(context);
    return right;
}

int main(int argc, char **argv) {
    int most = argc > 1 ? atoi(argv[1]) : 1000, repeats = argc > 2 ? atoi(argv[2]) : 20000, wrong = 0;
    printf("%-6s %3s %5s  %-6s %-10s  %-6s  %4s %4s %6s   %13s  %13s\n", "W", "dim", "n", "motion", "solver", "status", "newt", "lean",
           "proj", "time", "beyond model");
    for (int dim = 2; dim <= 3; dim++)
        for (int kind = MOTION_OPEN; kind <= MOTION_SLIP; kind++)
            for (int dense = 0; dense < 2; dense++)
                for (int solver = ZN_SOLVER_AUTO; solver <= ZN_SOLVER_NEWTON; solver++)
                    wrong += !measure(&(layout){1, dim, dense, (motion)kind}, (zn_solver)solver, repeats);
    for (int dense = 0; dense < 2; dense++)
        for (int n = 1; n <= most; n *= 10)
            for (int solver = ZN_SOLVER_NEWTON; solver <= ZN_SOLVER_PROJECTION; solver++)
                measure(&(layout){n, 3, dense, MOTION_RANDOM}, (zn_solver)solver, repeats);
    return wrong > 0;
}
