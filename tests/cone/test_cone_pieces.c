/* SPDX-License-Identifier: Apache-2.0 */
/* Many contacts by pieces: heaps of particles, each a chain of masses that touch the ground and their neighbours in random directions,
 *
 *     M (x - v) - H' y = 0,    psi = H x + w
 *
 * alone and among copies, against the dense methods, with redundant contacts, at loose and tight tolerances. */
#include "cone/cone.h"
#include "contact_fixture.h"

enum { BODIES = 20, CONTACTS = 2 * BODIES - 1, ROWS = 3 * CONTACTS, DOFS = 3 * BODIES };

#define FRICTION 0.2

typedef struct allocations {
    long count, fail_at; /* 0: never */
} allocations;

static void *counted(void *user, void *block, size_t bytes) {
    allocations *a = user;
    a->count++;
    return a->fail_at && a->count >= a->fail_at ? NULL : realloc(block, bytes);
}
static void released(void *user, void *block) { (void)user, free(block); }

typedef struct heap {
    zn_context *context;
    allocations memory;
    int copies, twice, n, nx, ny;       /* twice: contacts are there two times */
    double *mass, *v, *w, *H, *minus_H; /* H by columns of H' (nx x ny pattern) */
    zn_ball *balls;
    cone *cones;
    lin_pattern phi_y, psi_x, diagonal;
    int *psi_place;
    lin_matrix *phi_x;
    int block;
    double *rho;
    unsigned char *psi_unit;
    double *psi_scale;
    cone_problem problem;
} heap;

static int evaluate(void *user, const double *x, const double *y, cone_values *out) {
    heap *h = user;
    if (out->phi) {
        for (int i = 0; i < h->nx; i++) out->phi[i] = h->mass[i] * (x[i] - h->v[i]);
        lin_multiply(&h->phi_y.p, h->H, -1, y, out->phi);
    }
    if (out->psi) {
        memcpy(out->psi, h->w, (size_t)h->ny * sizeof(double));
        lin_multiply_transposed(&h->phi_y.p, h->H, 1, x, out->psi);
    }
    if (!out->jacobian) return 0;
    lin_matrix_zero(h->phi_x);
    lin_matrix_add(h->phi_x, h->block, 1, h->mass);
    memcpy(out->phi_y, h->minus_H, (size_t)lin_nnz(&h->phi_y.p) * sizeof(double));
    for (int e = 0; e < lin_nnz(&h->phi_y.p); e++) out->psi_x[h->psi_place[e]] = h->H[e];
    return 0;
}

/* Rows n, t1, t2 of a random orthonormal frame whose normal points mostly upwards. */
static void frame(random_source *random, double f[9]) {
    double n[3] = {random_between(random, -0.5, 0.5), random_between(random, -0.5, 0.5), 1}, size = sqrt(n[0] * n[0] + n[1] * n[1] + 1);
    for (int i = 0; i < 3; i++) f[i] = n[i] / size;
    double t[3] = {f[2], 0, -f[0]}, length = sqrt(t[0] * t[0] + t[2] * t[2]);
    for (int i = 0; i < 3; i++) f[3 + i] = t[i] / length;
    for (int i = 0; i < 3; i++) f[6 + i] = f[(i + 1) % 3] * f[3 + (i + 2) % 3] - f[(i + 2) % 3] * f[3 + (i + 1) % 3];
}

static heap *create(int copies, int twice, uint64_t seed) {
    heap *h = calloc(1, sizeof *h);
    h->context = zn_context_create(&(zn_context_def){.allocator = {counted, released, &h->memory}});
    h->copies = copies, h->twice = twice;
    h->n = copies * CONTACTS * (1 + twice), h->nx = copies * DOFS, h->ny = 3 * h->n;
    int most = 6 * h->ny, count = 0;
    int *row = calloc((size_t)most, sizeof(int)), *col = calloc((size_t)most, sizeof(int)), *place = calloc((size_t)most, sizeof(int));
    double *value = calloc((size_t)most, sizeof(double));
    h->mass = calloc((size_t)h->nx, sizeof(double)), h->v = calloc((size_t)h->nx, sizeof(double));
    h->w = calloc((size_t)h->ny, sizeof(double)), h->rho = calloc((size_t)h->ny, sizeof(double));
    h->balls = calloc((size_t)h->n, sizeof(zn_ball)), h->cones = calloc((size_t)h->n, sizeof(cone));
    for (int copy = 0; copy < copies; copy++) {
        random_source random = {seed};
        for (int i = 0; i < DOFS; i++) {
            h->mass[copy * DOFS + i] = i % 3 ? h->mass[copy * DOFS + i - 1] : random_between(&random, 0.5, 2);
            h->v[copy * DOFS + i] = random_between(&random, -1, 1) - (i % 3 == 2);
        }
        for (int c = 0; c < CONTACTS; c++) {
            double f[9];
            int above = c < BODIES ? c : c - BODIES + 1, below = c < BODIES ? -1 : c - BODIES;
            frame(&random, f);
            for (int again = 0; again <= twice; again++) {
                int number = (copy * CONTACTS + c) * (1 + twice) + again;
                for (int k = 0; k < 9; k++)
                    for (int body = 0; body < (below < 0 ? 1 : 2); body++) {
                        row[count] = copy * DOFS + 3 * (body ? below : above) + k % 3;
                        col[count] = 3 * number + k / 3;
                        value[count++] = body ? -f[k] : f[k];
                    }
                h->balls[number] = (zn_ball){2, FRICTION};
                h->cones[number] = (cone){.psi_N = 3 * number,
                                          .mu_N = 3 * number,
                                          .psi_F = 3 * number + 1,
                                          .mu_F = 3 * number + 1,
                                          .n_balls = 1,
                                          .balls = &h->balls[number],
                                          .mu_R = 3 * number,
                                          .gate = -1,
                                          .stick_of = -1,
                                          .psi_D = -1};
            }
        }
    }
    for (int k = 0; k < h->ny; k++) h->rho[k] = 0.7;
    assert_int_equal(lin_pattern_create(h->context, h->nx, h->ny, count, row, col, &h->phi_y, place), ZN_OK);
    int nnz = lin_nnz(&h->phi_y.p);
    h->H = calloc((size_t)nnz, sizeof(double)), h->minus_H = calloc((size_t)nnz, sizeof(double));
    for (int k = 0; k < count; k++) h->H[place[k]] += value[k], h->minus_H[place[k]] -= value[k];
    h->psi_place = calloc((size_t)nnz, sizeof(int));
    for (int j = 0, e = 0; j < h->ny; j++)
        for (; e < h->phi_y.start[j + 1]; e++) row[e] = j, col[e] = h->phi_y.index[e];
    assert_int_equal(lin_pattern_create(h->context, h->ny, h->nx, nnz, row, col, &h->psi_x, h->psi_place), ZN_OK);
    for (int i = 0; i < h->nx; i++) row[i] = i;
    assert_int_equal(lin_pattern_create(h->context, h->nx, h->nx, h->nx, row, row, &h->diagonal, NULL), ZN_OK);
    h->phi_x = lin_matrix_create(h->context, h->nx);
    h->block = lin_matrix_block(h->phi_x, &h->diagonal.p, false, 0, 0);
    assert_int_equal(lin_matrix_finish(h->phi_x, LIN_AUTO), ZN_OK);
    h->problem = (cone_problem){.nx = h->nx,
                                .ny = h->ny,
                                .npsi = h->ny,
                                .nmu = h->ny,
                                .n_cones = h->n,
                                .cones = h->cones,
                                .user = h,
                                .evaluate = evaluate,
                                .phi_x = h->phi_x,
                                .phi_y = h->phi_y.p,
                                .psi_x = h->psi_x.p,
                                .rho = h->rho,
                                .n_settled = h->nx};
    free(row), free(col), free(place), free(value);
    return h;
}

static void destroy(heap *h) {
    lin_pattern_destroy(h->context, &h->phi_y);
    lin_pattern_destroy(h->context, &h->psi_x);
    lin_pattern_destroy(h->context, &h->diagonal);
    lin_matrix_destroy(h->phi_x);
    zn_context_destroy(h->context);
    void *memory[] = {h->mass, h->v, h->w, h->H, h->minus_H, h->balls, h->cones, h->psi_place, h->rho, h->psi_unit, h->psi_scale, h};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) free(memory[k]);
}

static zn_status solve(heap *h, zn_solver solver, double tolerance, double *x, double *y, cone_outcome *out) {
    cone_settings settings = cone_settings_default();
    settings.solver = solver, settings.tolerance = tolerance;
    cone_solver *s = cone_solver_create(h->context, &h->problem, &settings);
    assert_non_null(s);
    assert_int_equal(cone_solver_by_pieces(s), solver == ZN_SOLVER_AUTO);
    zn_status status = cone_solve(s, x, y, out);
    cone_solver_destroy(s);
    return status;
}

/* Signorini, Coulomb and the balance, from x and y alone. */
static double residual(heap *h, const double *x, const double *y) {
    double *phi = calloc((size_t)h->nx, sizeof(double)), *psi = calloc((size_t)h->ny, sizeof(double)), worst = 0;
    evaluate(h, x, y, &(cone_values){.phi = phi, .psi = psi});
    for (int i = 0; i < h->nx; i++) worst = larger(worst, fabs(phi[i]));
    for (int c = 0; c < h->n; c++) {
        const double *u = psi + 3 * c, *r = y + 3 * c;
        double force = hypot(r[1], r[2]), speed = hypot(u[1], u[2]), most = h->balls[c].mu * r[0];
        worst = larger(worst, larger(-u[0], -r[0]));
        worst = larger(worst, smaller(u[0], r[0]));
        worst = larger(worst, force - most);
        for (int i = 1; i < 3 && speed > 1e-3; i++) worst = larger(worst, fabs(r[i] + most * u[i] / speed) * speed); /* slip against u */
    }
    free(phi), free(psi);
    return worst;
}

static void copies_have_the_bits_of_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        heap *one = create(1, 0, seed), *many = create(7, 0, seed);
        double *x = calloc(7 * DOFS, sizeof(double)), *y = calloc(7 * ROWS, sizeof(double)), x1[DOFS] = {0}, y1[ROWS] = {0};
        cone_outcome out1, out;
        assert_int_equal(solve(one, ZN_SOLVER_AUTO, 1e-10, x1, y1, &out1), ZN_OK);
        assert_int_equal(solve(many, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_OK);
        check_below(residual(one, x1, y1), 1e-8);
        assert_int_equal(out1.cost.pieces, 1);
        assert_int_equal(out.cost.pieces, 7);
        assert_int_equal(out.cost.sweeps, 7 * out1.cost.sweeps); /* the work of seven */
        assert_int_equal(out.cost.factorisations, 7 * out1.cost.factorisations);
        for (int c = 0; c < 7; c++) {
            assert_memory_equal(x + c * DOFS, x1, sizeof x1);
            assert_memory_equal(y + c * ROWS, y1, sizeof y1);
        }
        free(x), free(y);
        destroy(one), destroy(many);
    }
}

/* Without friction velocities are unique, also where percussions are not. With friction there may be several solutions. */
static void as_the_dense_methods(void **state) {
    (void)state;
    for (uint64_t seed = 11; seed < 19; seed++)
        for (int twice = 0; twice < 2; twice++) {
            heap *h = create(1, twice, seed);
            for (int c = 0; c < h->n && seed % 2; c++) h->balls[c].mu = 0;
            double x[DOFS] = {0}, dense[DOFS] = {0}, y[2 * ROWS] = {0}, y_dense[2 * ROWS] = {0};
            cone_outcome out;
            assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_OK);
            check_below(residual(h, x, y), 1e-8);
            zn_status status = solve(h, ZN_SOLVER_NEWTON, 1e-10, dense, y_dense, &out);
            if (status == ZN_OK) check_below(residual(h, dense, y_dense), 1e-8);
            else assert_true(twice || seed % 2 == 0); /* redundant contacts, or cycles */
            for (int i = 0; i < DOFS && seed % 2 && status == ZN_OK; i++) check_close(x[i], dense[i], 1e-8);
            destroy(h);
        }
}

/* A factorisation takes as long, measured on heaps of some hundred contacts. */
enum { SWEEPS_OF_A_FACTORISATION = 75 };

static void tolerances_are_honoured(void **state) {
    (void)state;
    double last = INFINITY;
    long work = 0;
    for (double tolerance = 1e-3; tolerance > 1e-11; tolerance /= 10) {
        heap *h = create(2, 0, 5);
        double *x = calloc(2 * DOFS, sizeof(double)), *y = calloc(2 * ROWS, sizeof(double));
        cone_outcome out;
        assert_int_equal(solve(h, ZN_SOLVER_AUTO, tolerance, x, y, &out), ZN_OK);
        check_below(out.worst, tolerance);
        check_below(residual(h, x, y), 20 * tolerance); /* of another form */
        long now = out.cost.sweeps + SWEEPS_OF_A_FACTORISATION * out.cost.factorisations;
        assert_true(now >= work);
        work = now;
        last = out.worst;
        free(x), free(y);
        destroy(h);
    }
    check_below(last, 1e-10);
}

/* Contacts that are off have no percussion and connect nothing; gaps that are wide connect nothing either, as long as they stay open. */
static void open_contacts_drop_out(void **state) {
    (void)state;
    heap *h = create(1, 0, 3);
    double x[DOFS] = {0}, y[ROWS] = {0};
    cone_outcome out;
    for (int c = BODIES; c < CONTACTS; c++) h->cones[c].gate_kind = CONE_OFF;
    for (int k = 0; k < ROWS; k++) y[k] = 0.3;
    assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_OK);
    assert_int_equal(out.cost.pieces, BODIES);
    for (int k = 3 * BODIES; k < ROWS; k++) assert_true(y[k] == 0);
    for (int c = BODIES; c < CONTACTS; c++) h->cones[c].gate_kind = CONE_ALWAYS;
    h->psi_unit = calloc(ROWS, 1), h->psi_scale = calloc(ROWS, sizeof(double));
    for (int k = 0; k < ROWS; k++) h->psi_unit[k] = k % 3 ? CONE_VELOCITY : CONE_LENGTH, h->psi_scale[k] = k % 3 ? 1 : 10; /* 5 is far */
    h->problem.psi_unit = h->psi_unit, h->problem.psi_scale = h->psi_scale;
    for (int c = BODIES; c < CONTACTS; c++) h->w[3 * c] = 5;
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_OK);
    assert_int_equal(out.cost.pieces, BODIES);
    check_below(residual(h, x, y), 1e-8);
    for (int i = 0; i < DOFS; i++) h->v[i] *= 40; /* now they close after all */
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-9, x, y, &out), ZN_OK);
    check_below(residual(h, x, y), 1e-6); /* of 40 */
    bool pushed = false;
    for (int c = BODIES; c < CONTACTS; c++) pushed = pushed || y[3 * c] > 0;
    assert_true(pushed);
    destroy(h);
}

/* The same problem again needs no memory; memory that runs out anywhere is reported. */
static void memory(void **state) {
    (void)state;
    heap *h = create(2, 0, 4);
    double *x = calloc(2 * DOFS, sizeof(double)), *y = calloc(2 * ROWS, sizeof(double));
    cone_outcome out;
    cone_solver *s = cone_solver_create(h->context, &h->problem, NULL);
    assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
    long before = h->memory.count;
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < h->nx; i++) h->v[i] += i % 3 == 2 ? -0.1 : 0.01;
        memset(y, 0, 2 * ROWS * sizeof(double));
        assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
    }
    assert_int_equal(h->memory.count, before);
    cone_solver_destroy(s);
    int failures = 0;
    for (long k = 1;; k++) {
        h->memory.fail_at = h->memory.count + k;
        s = cone_solver_create(h->context, &h->problem, NULL);
        zn_status status = ZN_ERROR_MEMORY;
        memset(x, 0, 2 * DOFS * sizeof(double)), memset(y, 0, 2 * ROWS * sizeof(double));
        if (s) status = cone_solve(s, x, y, &out);
        h->memory.fail_at = 0;
        cone_solver_destroy(s);
        if (status == ZN_OK) break;
        assert_int_equal(status, ZN_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 20);
    free(x), free(y);
    destroy(h);
}

/* Contacts that follow others, as those of levels do, are never pieces, and take no memory for them. */
static void no_pieces_of_contacts_that_follow(void **state) {
    (void)state;
    heap *h = create(2, 0, 4);
    h->cones[h->n - 1].gate_kind = CONE_IF_CLOSED, h->cones[h->n - 1].gate = 0;
    cone_solver *s = cone_solver_create(h->context, &h->problem, NULL);
    assert_non_null(s);
    assert_false(cone_solver_by_pieces(s));
    double *x = calloc(2 * DOFS, sizeof(double)), *y = calloc(2 * ROWS, sizeof(double));
    cone_outcome out;
    assert_int_equal(cone_solve(s, x, y, &out), ZN_OK);
    assert_true(cone_is_closed(s, 0) || y[3 * (h->n - 1)] == 0);
    cone_solver_destroy(s);
    free(x), free(y);
    destroy(h);
}

static void stops_inside_of_a_solve(void **state) {
    (void)state;
    heap *h = create(1, 1, 4);
    double x[DOFS] = {0}, y[2 * ROWS] = {0};
    volatile int stop = 1;
    cone_outcome out;
    zn_context_watch(h->context, &stop);
    assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_STOPPED);
    assert_int_equal(out.cost.factorisations, 0);
    stop = 0;
    memset(x, 0, sizeof x), memset(y, 0, sizeof y);
    assert_int_equal(solve(h, ZN_SOLVER_AUTO, 1e-10, x, y, &out), ZN_OK);
    destroy(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_have_the_bits_of_one),
        cmocka_unit_test(as_the_dense_methods),
        cmocka_unit_test(tolerances_are_honoured),
        cmocka_unit_test(open_contacts_drop_out),
        cmocka_unit_test(memory),
        cmocka_unit_test(no_pieces_of_contacts_that_follow),
        cmocka_unit_test(stops_inside_of_a_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
