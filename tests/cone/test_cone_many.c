/* SPDX-License-Identifier: Apache-2.0 */
/* Many contacts at once: random problems of every size and kind, judged by the fixture's own measure. */
#include "cone/many/many.h"
#include "contact_fixture.h"

/* The fixture's matrix as a pattern, without zeros. */
typedef struct dense_problem {
    lin_pattern pattern;
    double *values;
} dense_problem;

static dense_problem take(const contacts *c) {
    int m = c->n * c->dim, count = 0, *row = calloc((size_t)(m * m), sizeof(int)), *col = calloc((size_t)(m * m), sizeof(int));
    int *place = calloc((size_t)(m * m), sizeof(int));
    dense_problem p = {.values = calloc((size_t)(m * m), sizeof(double))};
    for (int k = 0; k < m * m; k++)
        if (c->W[k] != 0) {
            row[count] = k % m;
            col[count++] = k / m;
        }
    assert_int_equal(lin_pattern_create(c->context, m, m, count, row, col, &p.pattern, place), ZN_OK);
    count = 0;
    for (int k = 0; k < m * m; k++)
        if (c->W[k] != 0) p.values[place[count++]] = c->W[k];
    free(row);
    free(col);
    free(place);
    return p;
}

static many_outcome solve(const contacts *c, double residual, double *r) {
    dense_problem p = take(c);
    many_def def = {.dim = c->dim, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
    many_settings settings = {.residual = residual, .natural_map = true, .rounds_most = 4};
    many_system *s = many_create(c->context, &def);
    assert_non_null(s);
    many_outcome out;
    assert_int_equal(many_solve(s, &settings, r, &out), ZN_OK);
    check_below(out.residual, residual);
    many_destroy(s);
    lin_pattern_destroy(c->context, &p.pattern);
    free(p.values);
    return out;
}

/* Dense coupling: from few contacts on many coordinates to many redundant ones on few. */
static void random_problems(void **state) {
    (void)state;
    for (int trial = 0; trial < 120; trial++) {
        random_source random = {(uint64_t)trial};
        int dim = 1 + trial % 3, n = 1 + (int)(14 * random_unit(&random));
        int nu = 1 + (int)(random_between(&random, 0.3, 1.5) * n * dim);
        contacts *c = contacts_random((uint64_t)(trial + 50), n, dim, nu, trial % 5 == 0 ? 0 : 1.2, true);
        double *r = calloc((size_t)(n * dim), sizeof(double));
        solve(c, 1e-9, r);
        check_below(contacts_residual(c, r), 1e-8);
        free(r);
        contacts_destroy(c);
    }
}

/* A row of blocks on the floor, each against the next: every block has two contacts with the floor and one with its neighbour. Planar. */
static contacts *row_of_blocks(int blocks, uint64_t seed) {
    random_source random = {seed};
    contacts *c = contacts_create(3 * blocks - 1, 2, 3 * blocks, true);
    int m = c->n * 2, k = 0;
    for (int b = 0; b < blocks; b++) {
        double *v = c->v + 3 * b;
        c->mass[3 * b + 2] = 0.2;
        v[0] = random_between(&random, -1, 1);
        v[1] = -0.3;
        v[2] = random_between(&random, -1, 1);
        for (int side = -1; side <= 1; side += 2, k++) { /* floor: normal y at x = side, tangent x at y = -1 */
            c->H[2 * k + m * (3 * b + 1)] = 1;
            c->H[2 * k + m * (3 * b + 2)] = side;
            c->H[2 * k + 1 + m * (3 * b)] = 1;
            c->H[2 * k + 1 + m * (3 * b + 2)] = 1;
        }
        if (b + 1 == blocks) continue;
        double height = random_between(&random, -0.8, 0.8); /* neighbour: normal x, tangent y */
        for (int other = 0; other < 2; other++) {
            double sign = other ? 1 : -1, arm = other ? -1 : 1;
            c->H[2 * k + m * (3 * (b + other))] = sign;
            c->H[2 * k + m * (3 * (b + other) + 2)] = -sign * height;
            c->H[2 * k + 1 + m * (3 * (b + other) + 1)] = sign;
            c->H[2 * k + 1 + m * (3 * (b + other) + 2)] = sign * arm;
        }
        k++;
    }
    for (int i = 0; i < c->n; i++) c->mu[i] = random_between(&random, 0, 0.9);
    contacts_finish(c);
    return c;
}

static void sparse_rows(void **state) {
    (void)state;
    for (int blocks = 1; blocks <= 60; blocks += 7) {
        contacts *c = row_of_blocks(blocks, (uint64_t)blocks);
        double *r = calloc((size_t)(c->n * 2), sizeof(double)), *again = calloc((size_t)(c->n * 2), sizeof(double));
        many_outcome first = solve(c, 1e-10, r);
        check_below(contacts_residual(c, r), 1.01e-10);
        memcpy(again, r, (size_t)(c->n * 2) * sizeof(double));
        many_outcome second = solve(c, 1e-10, again); /* from its solution: nothing to do */
        assert_int_equal(second.sweeps + second.factorisations, 0);
        assert_true(first.sweeps > 0 || blocks == 0);
        free(r);
        free(again);
        contacts_destroy(c);
    }
}

/* Spheres in layers, each above the gaps of the layer below, that fall on a floor with their neighbours: all contacts close at once, and
 * the velocities of an impact turn everywhere. */
enum { SPHERES_MOST = 150 };

static void place_contact(contacts *c, int k, int a, int b, double *n) { /* normal from a to b; a = -1: the floor */
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), row[3][3];
    for (int i = 0; i < 3; i++) row[0][i] = n[i] / size;
    int least = fabs(n[0]) < 0.6 * size ? 0 : 1;
    double other[3] = {least == 0, least == 1, 0}, *u = row[0], *t = row[1];
    t[0] = u[1] * other[2] - u[2] * other[1], t[1] = u[2] * other[0] - u[0] * other[2], t[2] = u[0] * other[1] - u[1] * other[0];
    size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; i++) t[i] /= size;
    row[2][0] = u[1] * t[2] - u[2] * t[1], row[2][1] = u[2] * t[0] - u[0] * t[2], row[2][2] = u[0] * t[1] - u[1] * t[0];
    int m = 3 * c->n;
    for (int j = 0; j < 3; j++) {
        const double *e = row[j];
        double turn[3] = {u[1] * e[2] - u[2] * e[1], u[2] * e[0] - u[0] * e[2],
                          u[0] * e[1] - u[1] * e[0]}; /* of both: the arms are -u and u */
        for (int i = 0; i < 3; i++) {
            c->H[3 * k + j + m * (6 * b + i)] = e[i], c->H[3 * k + j + m * (6 * b + 3 + i)] = -turn[i];
            if (a >= 0) c->H[3 * k + j + m * (6 * a + i)] = -e[i], c->H[3 * k + j + m * (6 * a + 3 + i)] = -turn[i];
        }
    }
}

static contacts *falling_layers(uint64_t seed, int side, int layers) {
    random_source random = {seed};
    const int spheres = side * side * layers;
    contacts *c = contacts_create(side * side + (layers - 1) * side * side * 4 + layers * side * side * 2, 3, 6 * spheres, true);
    int k = 0, all = c->n;
    double at[SPHERES_MOST][3];
    assert_true(spheres <= SPHERES_MOST);
    for (int s = 0; s < spheres; s++) {
        int layer = s / (side * side), place = s % (side * side);
        for (int i = 0; i < 3; i++) at[s][i] = random_between(&random, -0.03, 0.03), c->mass[6 * s + 3 + i] = 0.4;
        at[s][0] += 2.05 * (place % side) + layer % 2, at[s][1] += 2.05 * (place / side) + layer % 2, at[s][2] += 1 + 1.42 * layer;
        c->v[6 * s + 2] = -1;
    }
    c->n = 0; /* counted first: rows of H lie m apart */
    for (int pass = 0; pass < 2; pass++, k = 0)
        for (int b = 0; b < spheres; b++) {
            if (pass && at[b][2] < 1.1) place_contact(c, k, -1, b, (double[]){0, 0, 1});
            k += at[b][2] < 1.1;
            for (int a = 0; a < b; a++) {
                double n[3] = {at[b][0] - at[a][0], at[b][1] - at[a][1], at[b][2] - at[a][2]};
                if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 2.08 * 2.08) continue;
                if (pass) place_contact(c, k, a, b, n);
                k++;
            }
            if (!pass && b == spheres - 1) c->n = k;
        }
    assert_true(c->n > 150 && c->n <= all);
    for (int i = 0; i < c->n; i++) c->mu[i] = 0.5;
    contacts_finish(c);
    return c;
}

static contacts *falling_pile(uint64_t seed) { return falling_layers(seed, 4, 5); }

static void falling_piles(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= REPEATED(5, 1); seed++) {
        contacts *c = falling_pile(seed);
        dense_problem p = take(c);
        double *r = calloc((size_t)(3 * c->n), sizeof(double));
        many_def def = {.dim = 3, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
        many_system *s = many_create(c->context, &def);
        many_outcome out;
        assert_non_null(s);
        for (int digits = 3; digits <= 4; digits++) { /* few digits take sweeps alone: they follow their drift */
            memset(r, 0, (size_t)(3 * c->n) * sizeof(double));
            assert_int_equal(many_solve(s, &(many_settings){.residual = 5 * pow(10, -digits), .factorisations_most = 1000}, r, &out),
                             ZN_OK);
            assert_int_equal(out.factorisations, 0);
            check_below(contacts_residual(c, r), 500 * pow(10, -digits)); /* of another form */
        }
        /* Projections alone: nothing follows the drift after the first sweeps, so these go on, and few digits take no splitting. */
        memset(r, 0, (size_t)(3 * c->n) * sizeof(double));
        assert_int_equal(many_solve(s, &(many_settings){.residual = 1e-2, .projections_most = 10000, .projections_only = true}, r, &out),
                         ZN_OK);
        assert_int_equal(out.factorisations + out.fixed_point_iterations, 0);
        check_below(contacts_residual(c, r), 1); /* of another form */
        memset(r, 0, (size_t)(3 * c->n) * sizeof(double));
        assert_int_equal(many_solve(s, &(many_settings){.residual = 1e-8, .factorisations_most = 1000}, r, &out), ZN_OK);
        check_below(contacts_residual(c, r), 1e-6); /* of another form */
        many_destroy(s);
        lin_pattern_destroy(c->context, &p.pattern);
        free(p.values);
        free(r);
        contacts_destroy(c);
    }
}

/* A pile to eight digits within a thousand factorisations. */
static void solve_pile(contacts *c) {
    dense_problem p = take(c);
    double *r = calloc((size_t)(3 * c->n), sizeof(double));
    many_def def = {.dim = 3, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
    many_system *s = many_create(c->context, &def);
    many_outcome out;
    assert_non_null(s);
    assert_int_equal(many_solve(s, &(many_settings){.residual = 1e-8, .factorisations_most = 1000}, r, &out), ZN_OK);
    check_below(contacts_residual(c, r), 1e-6); /* of another form */
    many_destroy(s);
    lin_pattern_destroy(c->context, &p.pattern);
    free(p.values);
    free(r);
    contacts_destroy(c);
}

static void a_larger_pile(void **state) {
    (void)state;
    solve_pile(falling_layers(30, 5, 6));
}

/* With much friction the central path turns back many times: methods that steer by its parameter alone do not arrive, from whatever
 * start. */
static void much_friction(void **state) {
    (void)state;
    for (uint64_t seed = 6; seed <= 8; seed += 2) {
        contacts *c = falling_pile(seed);
        for (int i = 0; i < c->n; i++) c->mu[i] = 0.9;
        solve_pile(c);
    }
}

/* The next step of a pile: velocities that differ by a hundredth, from the percussions of the last one. Somewhere contacts change. All are
 * solved, and some (three of these six; none without Newton's steps between sweeps) from where they are, without an interior point method
 * that starts again. */
static void piles_that_go_on(void **state) {
    (void)state;
    int arrived = 0;
    for (uint64_t seed = 11; seed <= 16; seed++) {
        contacts *c = falling_pile(seed);
        dense_problem p = take(c);
        random_source random = {seed};
        double *r = calloc((size_t)(3 * c->n), sizeof(double)), *q = calloc((size_t)(3 * c->n), sizeof(double));
        many_def def = {.dim = 3, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
        for (int again = 0; again < 2; again++) {
            many_system *s = many_create(c->context, &def);
            many_outcome out;
            assert_int_equal(many_solve(s, &(many_settings){.residual = 1e-8, .factorisations_most = 1000}, r, &out), ZN_OK);
            arrived += again && out.interior_iterations == 0;
            many_destroy(s);
            for (int i = 0; i < c->nu; i++) c->v[i] += random_between(&random, -0.01, 0.01);
            for (int k = 0; k < 3 * c->n; k++) {
                q[k] = c->w[k];
                for (int i = 0; i < c->nu; i++) q[k] += c->H[k + 3 * c->n * i] * c->v[i];
            }
            def.q = q;
        }
        lin_pattern_destroy(c->context, &p.pattern);
        free(p.values);
        free(r);
        free(q);
        contacts_destroy(c);
    }
    print_message("%d of 6 from where they are\n", arrived);
    assert_true(arrived >= 1);
}

/* Units of length, time and mass: r and u scale, iterations stay. */
static void units_do_not_matter(void **state) {
    (void)state;
    contacts *a = row_of_blocks(12, 5), *b = row_of_blocks(12, 5);
    int m = a->n * 2;
    double mass = 1e7, velocity = 1e-5, *r = calloc((size_t)m, sizeof(double)), *s = calloc((size_t)m, sizeof(double));
    for (int k = 0; k < m * m; k++) b->W[k] /= mass;
    for (int k = 0; k < m; k++) b->q[k] *= velocity;
    dense_problem p = take(a), q = take(b);
    many_settings settings = {.residual = 1e-10, .rounds_most = 4}; /* in velocities: the natural map has no units */
    many_outcome out[2];
    for (int k = 0; k < 2; k++) {
        const contacts *c = k ? b : a;
        dense_problem *d = k ? &q : &p;
        many_def def = {.dim = 2, .n = c->n, .pattern = &d->pattern.p, .values = d->values, .q = c->q, .mu = c->mu};
        many_system *system = many_create(c->context, &def);
        assert_int_equal(many_solve(system, &settings, k ? s : r, &out[k]), ZN_OK);
        many_destroy(system);
        lin_pattern_destroy(c->context, &d->pattern);
        free(d->values);
    }
    assert_int_equal(out[0].newton_iterations, out[1].newton_iterations);
    assert_int_equal(out[0].sweeps, out[1].sweeps);
    for (int k = 0; k < m; k++) check_close(s[k] / (mass * velocity), r[k], 1e-9);
    free(r);
    free(s);
    contacts_destroy(a);
    contacts_destroy(b);
}

/* What is not solved is not called solved, and numbers that are not finite end at once. */
static void honest(void **state) {
    (void)state;
    contacts *c = row_of_blocks(20, 9);
    int m = c->n * 2;
    double *r = calloc((size_t)m, sizeof(double));
    dense_problem p = take(c);
    many_def def = {.dim = 2, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
    many_system *s = many_create(c->context, &def);
    many_outcome out;
    many_settings impossible = {.residual = 1e-30, .natural_map = true, .rounds_most = 1};
    assert_int_equal(many_solve(s, &impossible, r, &out), ZN_ERROR_NO_CONVERGENCE);
    check_below(out.residual, 1e-9); /* the best that was found */
    check_below(contacts_residual(c, r), 1.01 * out.residual + 1e-15);
    many_destroy(s);
    p.values[3] = NAN;
    s = many_create(c->context, &def);
    memset(r, 0, (size_t)m * sizeof(double));
    many_settings ordinary = {.residual = 1e-8, .rounds_most = 2};
    assert_int_not_equal(many_solve(s, &ordinary, r, &out), ZN_OK);
    assert_false(out.residual <= 1e-8);
    many_destroy(s);
    lin_pattern_destroy(c->context, &p.pattern);
    free(p.values);
    free(r);
    contacts_destroy(c);
}

/* Bodies in space, each connected with the next few: what one sweep has left behind another thread may begin with. */
static contacts *band_of_bodies(int bodies, uint64_t seed) {
    random_source random = {seed};
    contacts *c = contacts_create(3 * bodies, 3, 6 * bodies, true);
    int m = 3 * c->n;
    for (int k = 0; k < c->n; k++) {
        int body = k / 3, other = body + 1 + k % 3;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 6; j++) {
                c->H[3 * k + i + m * (6 * body + j)] = random_between(&random, -1, 1);
                if (other < bodies) c->H[3 * k + i + m * (6 * other + j)] = random_between(&random, -1, 1);
            }
        c->mu[k] = random_between(&random, 0, 0.8);
    }
    for (int j = 0; j < 6 * bodies; j++) c->v[j] = random_between(&random, -1, 1);
    contacts_finish(c);
    return c;
}

/* Sweeps that several threads share have the bits of those of one: forward and backward, in the plane and in space. */
static void sweeps_by_threads(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        contacts *c = kind % 2 ? row_of_blocks(150, (uint64_t)kind) : band_of_bodies(110, (uint64_t)kind);
        int m = c->n * c->dim, sweeps = 0;
        dense_problem p = take(c);
        many_def def = {.dim = c->dim, .n = c->n, .pattern = &p.pattern.p, .values = p.values, .q = c->q, .mu = c->mu};
        double *r = calloc((size_t)m, sizeof(double)), *alone = calloc((size_t)m, sizeof(double));
        for (int threads = 1; threads <= 4; threads++) {
            many_system *s = many_create(c->context, &def);
            many_outcome out;
            many_share(s, base_team_of(c->context, threads), threads);
            memset(r, 0, (size_t)m * sizeof(double));
            assert_int_equal(many_solve(s, &(many_settings){.residual = 1e-3, .rounds_most = 1}, r, &out), ZN_OK);
            check_below(out.residual, 1e-3);
            assert_true(out.sweeps > 8);
            if (threads == 1) memcpy(alone, r, (size_t)m * sizeof(double)), sweeps = out.sweeps;
            assert_int_equal(out.sweeps, sweeps);
            assert_memory_equal(r, alone, (size_t)m * sizeof(double));
            many_destroy(s);
        }
        lin_pattern_destroy(c->context, &p.pattern);
        free(p.values), free(r), free(alone);
        contacts_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems),     cmocka_unit_test(sparse_rows),   cmocka_unit_test(falling_piles),
        cmocka_unit_test(piles_that_go_on),    cmocka_unit_test(a_larger_pile), cmocka_unit_test(much_friction),
        cmocka_unit_test(units_do_not_matter), cmocka_unit_test(honest),        cmocka_unit_test(sweeps_by_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
