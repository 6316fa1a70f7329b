/* SPDX-License-Identifier: Apache-2.0 */
/* Files of contact problems in their rarer forms: matrices printed by rows or without their kind, rectangular blocks, planar contacts that
 * roll, FCLIB's local problems with multipliers; and the places of mistakes. */
#include "cone/discrete.h"
#include "cone/discrete_measure.h"
#include "contact_fixture.h"
#include "result/contact_problem.h"

#include "problem_file.h"

#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 4, M = 3 * N, NV = M + 2 }; /* contacts of three rows each */
/* M v = H r + f, u = H' v + w and the same in local form; M is diagonal. mu_R < 0: no rolling friction. */
typedef struct sample {
    double mass[NV], H[NV * M], f[NV], w[M], W[M * M], q[M], mu[N], mu_R[N];
} sample;

static sample draw(uint64_t seed) {
    random_source random = {seed};
    sample s = {0};
    for (int i = 0; i < NV; i++) {
        s.mass[i] = random_between(&random, 0.5, 3);
        s.f[i] = random_between(&random, -2, 2);
        for (int k = 0; k < M; k++) s.H[i + NV * k] = random_unit(&random) < 0.4 ? 0 : random_between(&random, -1, 1);
    }
    for (int k = 0; k < M; k++) s.q[k] = s.w[k] = random_between(&random, -1, k % 3 ? 1 : 0);
    for (int c = 0; c < N; c++) {
        s.mu[c] = random_between(&random, 0.1, 0.9);
        s.mu_R[c] = random_between(&random, 0.05, 0.5);
    }
    for (int k = 0; k < M; k++)
        for (int i = 0; i < NV; i++) {
            s.q[k] += s.H[i + NV * k] * s.f[i] / s.mass[i];
            for (int l = 0; l < M; l++) s.W[l + M * k] += s.H[i + NV * l] * s.H[i + NV * k] / s.mass[i];
        }
    return s;
}

/* The natural map over (N, T1, T2) or, rolling, (N, T, R), from the data of the sample. */
static double residual(const sample *s, bool rolling, const double *r) {
    double sum = 0;
    for (int c = 0; c < N; c++) {
        double u[3], z[3];
        for (int i = 0; i < 3; i++) {
            u[i] = s->q[3 * c + i];
            for (int k = 0; k < M; k++) u[i] += s->W[3 * c + i + M * k] * r[k];
        }
        u[0] += rolling ? s->mu[c] * fabs(u[1]) + s->mu_R[c] * fabs(u[2]) : s->mu[c] * hypot(u[1], u[2]);
        for (int i = 0; i < 3; i++) z[i] = r[3 * c + i] - u[i];
        cone_measure_project(rolling ? 1 : 2, s->mu[c], rolling ? 1 : 0, s->mu_R[c], z);
        for (int i = 0; i < 3; i++) sum += (r[3 * c + i] - z[i]) * (r[3 * c + i] - z[i]);
    }
    return sqrt(sum);
}

static discrete_matrix view(const contact_matrix *m) { return (discrete_matrix){m->rows, m->cols, m->count, m->row, m->col, m->value}; }

static void check_file(const sample *s, bool global, bool rolling) {
    zn_context *context = zn_context_create(NULL);
    contact_problem *p = NULL;
    zn_status status = result_contact_read(context, file_path, &p);
    if (status != ZN_OK) fail_msg("%s", zn_error_text(context));
    assert_int_equal(p->global, global);
    assert_int_equal(p->planar_rolling, rolling);
    discrete_def def = {.global = p->global,
                        p->dim,
                        p->n_contacts,
                        view(&p->W),
                        p->q,
                        view(&p->M),
                        view(&p->H),
                        .f = p->f,
                        .w = p->w,
                        .mu = p->mu,
                        .mu_rolling = p->mu_rolling};
    discrete *d = cone_discrete_create(context, &def);
    assert_non_null(d);
    double found[5 * N] = {0}, r[M];
    discrete_result result;
    assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-11, found, &result), ZN_OK);
    static const int place[3] = {0, 1, 3};
    for (int k = 0; k < M; k++) r[k] = rolling ? found[k / 3 * 5 + place[k % 3]] : found[k];
    for (int c = 0; c < N && rolling; c++) {
        check_close(found[5 * c + 2], 0, 0);
        check_close(found[5 * c + 4], 0, 0);
    }
    check_below(residual(s, rolling, r), 1e-10);
    r[0] += 0.1; /* the measure sees a difference */
    assert_true(residual(s, rolling, r) > 1e-3);
    cone_discrete_destroy(d);
    result_contact_destroy(p);
    zn_context_destroy(context);
}

static void put(FILE *f, int n, const double *v) {
    for (int k = 0; k < n; k++) fprintf(f, "%.16e ", v[k]);
    fprintf(f, "\n");
}

/* kind 0: dense; 1: blocks of one column of blocks for each contact and two rows of blocks; 2: columns; 3: rows; 4: triplets; 5: columns,
 * no kind */
static void put_matrix(FILE *f, int rows, int cols, const double *a, int kind) {
    int upper = rows / 2, count = 0;
    fprintf(f, "%d\n%d\n%d\n", kind == 0 || kind == 1 ? kind : 2, rows, cols);
    if (kind == 0) {
        fprintf(f, "%d %d\n", rows, cols);
        put(f, rows * cols, a);
    } else if (kind == 1) {
        int n = cols / 3;
        fprintf(f, "%d 2 %d\n%d %d\n", 2 * n, n, upper, rows);
        for (int j = 1; j <= n; j++) fprintf(f, "%d ", 3 * j);
        fprintf(f, "\n3 %d\n0 %d %d\n", 2 * n, n, 2 * n);
        for (int k = 0; k < 2 * n; k++) fprintf(f, "%d ", k % n);
        for (int k = 0; k < 2 * n; k++) {
            fprintf(f, "\n%d\n", k);
            for (int j = 0; j < 3; j++)
                for (int i = k < n ? 0 : upper; i < (k < n ? upper : rows); i++) fprintf(f, "%.16e ", a[i + rows * (k % n * 3 + j)]);
        }
    } else {
        int outer = kind == 3 ? rows : cols, inner = kind == 3 ? cols : rows;
        for (int k = 0; k < rows * cols; k++) count += a[k] != 0;
        if (kind != 5) fprintf(f, "%d\n", kind == 4 ? 1 : kind);
        fprintf(f, "CSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n%s%d-by-%d, nzmax: %d nnz: %d",
                kind == 4 ? "triplet: " : "", inner, outer, count, count);
        fprintf(f, kind == 4 ? "\n" : ", 1-norm: nan\n");
        for (int o = 0, next = 0; o < outer; o++) {
            int first = next;
            for (int i = 0; i < inner; i++) next += (kind == 3 ? a[o + rows * i] : a[i + rows * o]) != 0;
            if (kind != 4) fprintf(f, "    col %d : locations %d to %d\n", o, first, next - 1);
            for (int i = 0; i < inner; i++) {
                double value = kind == 3 ? a[o + rows * i] : a[i + rows * o];
                if (value != 0 && kind == 4) fprintf(f, "    %d %d : %.16e\n", i, o, value);
                else if (value != 0) fprintf(f, "      %d : %.16e\n", i, value);
            }
        }
    }
}

static void write_text(const sample *s, bool global, bool rolling, int kind) {
    FILE *f = fopen(file_path, "w");
    fprintf(f, "3\n%d\n", N);
    if (global) {
        double mass[NV * NV] = {0};
        for (int i = 0; i < NV; i++) mass[i * (NV + 1)] = s->mass[i];
        put_matrix(f, NV, NV, mass, kind == 1 ? 4 : kind);
        put_matrix(f, NV, M, s->H, kind);
        put(f, NV, s->f);
        put(f, M, s->w);
    } else {
        put_matrix(f, M, M, s->W, kind);
        put(f, M, s->q);
    }
    put(f, N, s->mu);
    if (rolling) put(f, N, s->mu_R);
    fclose(f);
}

static void texts(void **state) {
    (void)state;
    for (int kind = 0; kind <= 5; kind++)
        for (int form = 0; form < 4; form++) {
            sample s = draw((uint64_t)(17 + form + 4 * kind));
            /* rows and columns must not be confused */
            for (int k = 0; k < M && !(form & 1); k++)
                for (int l = 0; l < k; l++) s.W[l + M * k] *= 0.98;
            write_text(&s, form & 1, form & 2, kind);
            check_file(&s, form & 1, form & 2);
        }
}

/* One planar contact that rolls, W = 1: r = (2, -1, -0.3). Written without a point the last number is the symmetry. */
static void one_planar_contact_that_rolls(void **state) {
    (void)state;
    static const struct {
        const char *last;
        bool rolling;
        double r[3];
    } cases[] = {
        {"0.3", true, {2, -1, -0.3}}, {"3e-1 1", true, {2, -1, -0.3}}, {"1", false, {2, -0.99503719020998915, -0.099503719020998915}}};
    for (int k = 0; k < 3; k++) {
        zn_context *context = zn_context_create(NULL);
        FILE *f = fopen(file_path, "w");
        fprintf(f, "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1\n-2 3 0.3\n0.5 %s\n", cases[k].last);
        fclose(f);
        contact_problem *p = NULL;
        assert_int_equal(result_contact_read(context, file_path, &p), ZN_OK);
        assert_int_equal(p->planar_rolling, cases[k].rolling);
        discrete_def def = {.dim = p->dim, .n_contacts = 1, .W = view(&p->W), .q = p->q, .mu = p->mu, .mu_rolling = p->mu_rolling};
        discrete *d = cone_discrete_create(context, &def);
        double r[5] = {0};
        discrete_result result;
        assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-12, r, &result), ZN_OK);
        for (int i = 0; i < 3; i++) check_close(r[cases[k].rolling && i == 2 ? 3 : i], cases[k].r[i], 1e-11);
        cone_discrete_destroy(d);
        result_contact_destroy(p);
        zn_context_destroy(context);
    }
}

static void put_set(hid_t file, const char *group, const char *name, hid_t type, int count, const void *values) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", group, name);
    hsize_t size = (hsize_t)count;
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    hid_t space = H5Screate_simple(1, &size, NULL), set = H5Dcreate2(file, path, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(link);
}

static void put_triplets(hid_t file, const char *group, int rows, int cols, const double *a) {
    int count = rows * cols, *i = calloc((size_t)count, sizeof(int)), *p = calloc((size_t)count, sizeof(int));
    for (int k = 0; k < count; k++) {
        i[k] = k % rows;
        p[k] = k / rows;
    }
    put_set(file, group, "m", H5T_NATIVE_INT, 1, &rows);
    put_set(file, group, "n", H5T_NATIVE_INT, 1, &cols);
    put_set(file, group, "nz", H5T_NATIVE_INT, 1, &count);
    put_set(file, group, "i", H5T_NATIVE_INT, count, i);
    put_set(file, group, "p", H5T_NATIVE_INT, count, p);
    put_set(file, group, "x", H5T_NATIVE_DOUBLE, count, a);
    free(i);
    free(p);
}

/* With multipliers: u = W' r + V l + q', V' r + R l + s = 0 has W = W' - V R^-1 V', q = q' - V R^-1 s. */
static void fclib(void **state) {
    (void)state;
    enum { L = 2 };
    for (int form = 0; form < 4; form++) {
        bool rolling = form & 1, mixed = form & 2;
        sample s = draw((uint64_t)(31 + form));
        const char *group = rolling ? "fclib_local_rolling" : "fclib_local";
        const char *vectors = rolling ? "fclib_local_rolling/vectors" : "fclib_local/vectors";
        double V[M * L], R[L * L] = {2, 0, 0, -0.5}, multipliers[L] = {0.3, -0.7}, W[M * M], q[M];
        for (int k = 0; k < M; k++)
            for (int j = 0; j < L; j++) V[k + M * j] = 0.3 * s.H[j + NV * k];
        for (int k = 0; k < M; k++) {
            q[k] = s.q[k];
            for (int j = 0; j < L && mixed; j++) q[k] += V[k + M * j] / R[j * (L + 1)] * multipliers[j];
            for (int l = 0; l < M; l++) {
                W[l + M * k] = s.W[l + M * k];
                for (int j = 0; j < L && mixed; j++) W[l + M * k] += V[l + M * j] / R[j * (L + 1)] * V[k + M * j];
            }
        }
        hid_t file = H5Fcreate(file_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        char name[64];
        snprintf(name, sizeof name, "%s/W", group);
        put_triplets(file, name, M, M, W);
        if (mixed) {
            snprintf(name, sizeof name, "%s/V", group);
            put_triplets(file, name, M, L, V);
            snprintf(name, sizeof name, "%s/R", group);
            put_triplets(file, name, L, L, R);
            put_set(file, vectors, "s", H5T_NATIVE_DOUBLE, L, multipliers);
        }
        put_set(file, group, "spacedim", H5T_NATIVE_INT, 1, &(int){3});
        put_set(file, vectors, "q", H5T_NATIVE_DOUBLE, M, q);
        put_set(file, vectors, "mu", H5T_NATIVE_DOUBLE, N, s.mu);
        if (rolling) put_set(file, vectors, "mu_r", H5T_NATIVE_DOUBLE, N, s.mu_R);
        H5Fclose(file);
        check_file(&s, mixed, rolling);
    }
}

static void mistakes_have_places(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
        int line, column;
    } cases[] = {
        {"4\n1\n", "dimension", 1, 1},
        {"2 1\n0 2 2 2 2\n1 0 0 x\n-2 3\n0.5\n", "'x' is not a number", 3, 7},
        {"2 1\n0 2 2 2 2\n1 0 0 nan\n-2 3\n0.5\n", "'nan' is not a finite number", 3, 7},
        {"2 1\n0 2 2 2 3\n1 0 0 1\n-2 3\n0.5\n", "in two ways", 2, 9},
        {"2 1\n7 2 2 2 2\n1 0 0 1\n-2 3\n0.5\n", "neither 0 (dense)", 2, 1},
        {"2 1\n0 2 2 2 2\n1 0 0 1\n-2 3\n  -0.5\n", "negative", 5, 3},
        {"2 2\n0 2 2 2 2\n1 0 0 1\n-2 3 1 2\n0.5 0.5\n", "the matrix W before this place is 2 x 2, not 4 x 4", 4, 1},
        {"2 1\n0 2 2 2 2\n1 0 0 1\n-2 3\n", "ends inside a vector", 5, 1},
        {"2 1\n2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n 1 2 : 1\n-2 3\n0.5\n",
         "a column is not a whole number from 0 to 1", 6, 4},
        {"2 1\n2 2 2 2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n0 : 1\n1 : 1\n-2 3\n0.5\n", "before the first column", 5, 1},
        {"2 1.5\n", "the number of contacts", 1, 3},
        {"2 1\n1 2 2 1 1 1\n2\n2\n2 1\n0 1\n0\n5 1 0 0 1\n-2 3\n0.5\n", "out of order", 8, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        zn_context *context = zn_context_create(NULL);
        FILE *f = fopen(file_path, "w");
        fputs(cases[k].text, f);
        fclose(f);
        contact_problem *p = NULL;
        assert_int_equal(result_contact_read(context, file_path, &p), ZN_ERROR_SYNTAX);
        const zn_error *error = zn_error_get(context, 0);
        if (!strstr(error->message, cases[k].part)) fail_msg("case %zu: %s", k, error->message);
        assert_int_equal(error->line, cases[k].line);
        assert_int_equal(error->column, cases[k].column);
        zn_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(one_planar_contact_that_rolls),
        cmocka_unit_test(fclib),
        cmocka_unit_test(mistakes_have_places),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
