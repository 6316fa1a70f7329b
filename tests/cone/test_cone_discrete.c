/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete contact problems from files: every form read back and solved, damaged files refused. */
#include "cone/discrete.h"
#include "cone/discrete_measure.h"
#include "contact_fixture.h"
#include "problem_file.h"
#include "result/contact_problem.h"

#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static discrete *from_problem(zn_context *context, const contact_problem *p) {
    discrete_matrix W = {p->W.rows, p->W.cols, p->W.count, p->W.row, p->W.col, p->W.value};
    discrete_matrix M = {p->M.rows, p->M.cols, p->M.count, p->M.row, p->M.col, p->M.value};
    discrete_matrix H = {p->H.rows, p->H.cols, p->H.count, p->H.row, p->H.col, p->H.value};
    discrete_def def = {p->global, p->dim, p->n_contacts, W, p->q, M, H, p->f, p->w, p->mu, p->mu_rolling};
    return cone_discrete_create(context, &def);
}

/* Reads the file, solves it and judges r by the fixture's measure. */
static void check_file(contacts *c, bool global) {
    contact_problem *p = NULL;
    assert_int_equal(result_contact_read(c->context, file_path, &p), ZN_OK);
    assert_int_equal(p->global, global);
    assert_int_equal(p->dim, c->dim);
    assert_int_equal(p->n_contacts, c->n);
    discrete *d = from_problem(c->context, p);
    assert_non_null(d);
    double *r = calloc((size_t)(c->n * c->dim), sizeof(double));
    discrete_result result;
    assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-10, r, &result), ZN_OK);
    check_below(contacts_residual(c, r), 1.1e-10);
    check_close(contacts_residual(c, r), cone_discrete_residual(d, r, NULL), 1e-12);
    r[0] += 0.5; /* two measures of something that is no solution */
    check_near(contacts_residual(c, r), cone_discrete_residual(d, r, NULL), 1e-10);
    free(r);
    cone_discrete_destroy(d);
    result_contact_destroy(p);
}

static void put_dense(FILE *f, int rows, int cols, const double *a) {
    fprintf(f, "0\n%d\n%d\n%d\t%d\n", rows, cols, rows, cols);
    for (int k = 0; k < rows * cols; k++) fprintf(f, "%.17g ", a[k]);
}
static void put(FILE *f, int n, const double *v) {
    for (int k = 0; k < n; k++) fprintf(f, "%.17g ", v[k]);
    fprintf(f, "\n");
}
static void put_blocks(FILE *f, const contacts *c) {
    int n = c->n, m = n * c->dim;
    fprintf(f, "1\n%d\n%d\n%d\n%d\n%d\n", m, m, n * n, n, n);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++) fprintf(f, "%d ", (i + 1) * c->dim);
    fprintf(f, "\n%d\n%d\n", n + 1, n * n);
    for (int i = 0; i <= n; i++) fprintf(f, "%d ", i * n);
    for (int k = 0; k < n * n; k++) fprintf(f, "%d ", k % n);
    for (int k = 0; k < n * n; k++) {
        fprintf(f, "\n%d\n", k);
        for (int j = 0; j < c->dim; j++)
            for (int i = 0; i < c->dim; i++) fprintf(f, "%.17g\n", c->W[(k / n) * c->dim + i + m * ((k % n) * c->dim + j)]);
    }
}

/* What CSparse prints of a matrix: by columns or, `triplets`, entry by entry. An empty column is part of it. */
static void put_printed(FILE *f, int rows, int cols, const double *a, bool triplets) {
    int count = 0;
    for (int k = 0; k < rows * cols; k++) count += a[k] != 0;
    fprintf(f, "2\n%d\n%d\n%d\nCSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n", rows, cols,
            triplets ? 1 : 2);
    if (triplets) fprintf(f, "triplet: ");
    fprintf(f, "%d-by-%d, nzmax: %d nnz: %d", rows, cols, count, count);
    fprintf(f, triplets ? "\n" : ", 1-norm: 3.25\n");
    for (int j = 0, next = 0; j < cols; j++) {
        int last = next - 1;
        for (int i = 0; i < rows; i++) last += a[i + rows * j] != 0;
        if (!triplets) fprintf(f, "    col %d : locations %d to %d\n", j, next, last);
        for (int i = 0; i < rows; i++)
            if (a[i + rows * j] != 0 && triplets) fprintf(f, "    %d %d : %.17g\n", i, j, a[i + rows * j]);
            else if (a[i + rows * j] != 0) fprintf(f, "      %d : %.17g\n", i, a[i + rows * j]);
        next = last + 1;
    }
}

/* The global form: mass, directions and momentum of the bodies. */
typedef struct global_form {
    double *M, *H, *rhs;
} global_form;

static global_form global_form_of(const contacts *c) {
    const int m = c->n * c->dim;
    global_form g = {calloc((size_t)(c->nu * c->nu), sizeof(double)), calloc((size_t)(c->nu * m), sizeof(double)),
                     calloc((size_t)c->nu, sizeof(double))};
    for (int i = 0; i < c->nu; i++) {
        g.M[i * (c->nu + 1)] = c->mass[i];
        g.rhs[i] = c->mass[i] * c->v[i];
        for (int k = 0; k < m; k++) g.H[i + c->nu * k] = c->H[k + m * i];
    }
    return g;
}

static void global_form_free(global_form *g) {
    free(g->M);
    free(g->H);
    free(g->rhs);
}

/* Forms of the text: 0 dense, 1 sparse blocks, 2 global, 3 and 4 printed by columns and by triplets, 5 global and printed. */
static void write_text(const contacts *c, int form) {
    int m = c->n * c->dim;
    FILE *f = fopen(file_path, "w");
    assert_non_null(f);
    fprintf(f, "%d\n%d\n", c->dim, c->n);
    if (form == 0) put_dense(f, m, m, c->W);
    if (form == 1) put_blocks(f, c);
    if (form == 3 || form == 4) put_printed(f, m, m, c->W, form == 4);
    if (form == 2 || form == 5) {
        global_form g = global_form_of(c);
        if (form == 2) {
            put_dense(f, c->nu, c->nu, g.M);
            put_dense(f, c->nu, m, g.H);
        } else {
            put_printed(f, c->nu, c->nu, g.M, true);
            put_printed(f, c->nu, m, g.H, false);
        }
        put(f, c->nu, g.rhs);
        put(f, m, c->w);
        global_form_free(&g);
    } else put(f, m, c->q);
    put(f, c->n, c->mu);
    fprintf(f, "1\n");
    fclose(f);
}

static void text_forms(void **state) {
    (void)state;
    for (int form = 0; form < 6; form++)
        for (int dim = 2; dim <= 3; dim++)
            for (int redundant = 0; redundant < 2; redundant++) {
                int n = 6;
                contacts *c = contacts_random((uint64_t)(form + 7), n, dim, redundant ? n * dim / 2 : n * dim + 2, 0.7, true);
                write_text(c, form);
                check_file(c, form == 2 || form == 5);
                contacts_destroy(c);
            }
}

static void put_set(hid_t file, const char *name, hid_t type, hsize_t count, const void *values) {
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    hid_t space = H5Screate_simple(1, &count, NULL), set = H5Dcreate2(file, name, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (count > 0) assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(link);
}
/* a: rows x cols column-major; storage -2 compressed rows, -1 compressed columns, 0 triplets. */
static void put_matrix(hid_t file, const char *group, int rows, int cols, const double *a, int storage) {
    int count = rows * cols, nz = storage < 0 ? storage : count, *i = calloc((size_t)count, sizeof(int));
    int outer = storage == -2 ? rows : cols, inner = storage == -2 ? cols : rows;
    int *p = calloc((size_t)(count + outer + 1), sizeof(int));
    double *x = calloc((size_t)count, sizeof(double));
    char name[64];
    for (int k = 0; k < count; k++) {
        int o = k / inner, l = k % inner;
        x[k] = storage == -2 ? a[o + rows * l] : a[l + rows * o];
        i[k] = l;
        if (storage == 0) p[k] = o;
    }
    for (int o = 0; o <= outer && storage < 0; o++) p[o] = o * inner;
    struct {
        const char *name;
        hid_t type;
        int count;
        const void *values;
    } sets[] = {
        {"m", H5T_NATIVE_INT, 1, &rows},
        {"n", H5T_NATIVE_INT, 1, &cols},
        {"nz", H5T_NATIVE_INT, 1, &nz},
        {"i", H5T_NATIVE_INT, count, i},
        {"p", H5T_NATIVE_INT, storage < 0 ? outer + 1 : count, p},
        {"x", H5T_NATIVE_DOUBLE, count, x},
    };
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        snprintf(name, sizeof name, "%s/%s", group, sets[k].name);
        put_set(file, name, sets[k].type, (hsize_t)sets[k].count, sets[k].values);
    }
    free(i);
    free(p);
    free(x);
}

static void write_fclib(const contacts *c, bool global, int storage, int dim_written) {
    int m = c->n * c->dim;
    hid_t file = H5Fcreate(file_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    if (!global) {
        put_matrix(file, "fclib_local/W", m, m, c->W, storage);
        put_set(file, "fclib_local/spacedim", H5T_NATIVE_INT, 1, &dim_written);
        put_set(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, (hsize_t)m, c->q);
        put_set(file, "fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, (hsize_t)c->n, c->mu);
    } else {
        global_form g = global_form_of(c);
        put_matrix(file, "fclib_global/M", c->nu, c->nu, g.M, storage);
        put_matrix(file, "fclib_global/H", c->nu, m, g.H, storage);
        put_set(file, "fclib_global/spacedim", H5T_NATIVE_INT, 1, &dim_written);
        put_set(file, "fclib_global/vectors/f", H5T_NATIVE_DOUBLE, (hsize_t)c->nu, g.rhs);
        put_set(file, "fclib_global/vectors/w", H5T_NATIVE_DOUBLE, (hsize_t)m, c->w);
        put_set(file, "fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, (hsize_t)c->n, c->mu);
        global_form_free(&g);
    }
    H5Fclose(file);
}

static void fclib_forms(void **state) {
    (void)state;
    for (int global = 0; global < 2; global++)
        for (int storage = -2; storage <= 0; storage++) {
            contacts *c = contacts_random((uint64_t)(storage + 20), 5, 3, 9, 0.6, true);
            write_fclib(c, global, storage, 3);
            check_file(c, global);
            contacts_destroy(c);
        }
    contacts *c = contacts_random(3, 5, 3, 9, 0.6, true);
    contact_problem *p = NULL;
    write_fclib(c, false, 0, 2); /* 15 rows are not 2 per contact */
    assert_int_equal(result_contact_read(c->context, file_path, &p), ZN_ERROR_FILE);
    assert_null(p);
    assert_true(zn_error_count(c->context) > 0);
    hid_t file = H5Fcreate(file_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_equal(result_contact_read(c->context, file_path, &p), ZN_ERROR_FILE);
    contacts_destroy(c);
}

static void put_doubles(hid_t file, const char *name, int count, const double *values) {
    put_set(file, name, H5T_NATIVE_DOUBLE, (hsize_t)count, values);
}

/* Rolling problems, local with W = 1 (the answer is that of `rolling`) and the same in global form with M = 1/2, H = 1/sqrt(2). */
static void fclib_rolling(void **state) {
    (void)state;
    static const double q[5] = {-2, 3, 4, 0.3, -0.4}, mu = 0.5, mu_R = 0.3, r[5] = {2, -0.6, -0.8, -0.3, 0.4};
    double one[25] = {0}, half[25] = {0}, root[25] = {0}, zero[5] = {0}, f[5];
    for (int i = 0; i < 5; i++) {
        one[6 * i] = 1;
        half[6 * i] = 0.5;
        root[6 * i] = sqrt(0.5);
        f[i] = q[i] / sqrt(2); /* H' M^-1 f = q */
    }
    for (int global = 0; global < 2; global++) {
        zn_context *context = zn_context_create(NULL);
        hid_t file = H5Fcreate(file_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        int dim = global ? 5 : 3; /* both are written by programs of the field */
        if (global) {
            put_matrix(file, "fclib_global_rolling/M", 5, 5, half, 0);
            put_matrix(file, "fclib_global_rolling/H", 5, 5, root, -1);
            put_doubles(file, "fclib_global_rolling/vectors/f", 5, f);
            put_doubles(file, "fclib_global_rolling/vectors/w", 5, zero);
        } else {
            put_matrix(file, "fclib_local_rolling/W", 5, 5, one, -2);
            put_doubles(file, "fclib_local_rolling/vectors/q", 5, q);
        }
        put_set(file, global ? "fclib_global_rolling/spacedim" : "fclib_local_rolling/spacedim", H5T_NATIVE_INT, 1, &dim);
        put_doubles(file, global ? "fclib_global_rolling/vectors/mu" : "fclib_local_rolling/vectors/mu", 1, &mu);
        put_doubles(file, global ? "fclib_global_rolling/vectors/mu_r" : "fclib_local_rolling/vectors/mu_r", 1, &mu_R);
        H5Fclose(file);
        contact_problem *p = NULL;
        assert_int_equal(result_contact_read(context, file_path, &p), ZN_OK);
        discrete *d = from_problem(context, p);
        double found[5] = {0};
        discrete_result result;
        assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-12, found, &result), ZN_OK);
        for (int i = 0; i < 5; i++) check_close(found[i], r[i], 1e-11);
        cone_discrete_destroy(d);
        result_contact_destroy(p);
        zn_context_destroy(context);
    }
}

/* Two masses that a constraint couples, v_1 = 2 v_2 + b: one of them hits a wall. By hand: with v_1 = 2 v_2 + b the mass seen by
 * the wall at v_2 is 4 m_1 + m_2, and its velocity without the wall (m_2 w_2 + 2 m_1 (w_1 - b))/(4 m_1 + m_2). */
static void fclib_bilateral(void **state) {
    (void)state;
    double m1 = 3, m2 = 2, w1 = 1, w2 = -4, b = 0.5, M[4] = {m1, 0, 0, m2}, H[4] = {0, 1, 0, 0}, G[2] = {1, -2}, minus_b = -b;
    double f[2] = {m1 * w1, m2 * w2}, zero[2] = {0}, mu = 0;
    int dim = 2;
    zn_context *context = zn_context_create(NULL);
    hid_t file = H5Fcreate(file_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_matrix(file, "fclib_global/M", 2, 2, M, -1);
    put_matrix(file, "fclib_global/H", 2, 2, H, 0);
    put_matrix(file, "fclib_global/G", 2, 1, G, 0);
    put_set(file, "fclib_global/spacedim", H5T_NATIVE_INT, 1, &dim);
    put_doubles(file, "fclib_global/vectors/f", 2, f);
    put_doubles(file, "fclib_global/vectors/w", 2, zero);
    put_doubles(file, "fclib_global/vectors/b", 1, &minus_b);
    put_doubles(file, "fclib_global/vectors/mu", 1, &mu);
    H5Fclose(file);
    contact_problem *p = NULL;
    assert_int_equal(result_contact_read(context, file_path, &p), ZN_OK);
    discrete *d = from_problem(context, p);
    double r[2] = {0}, u[2];
    discrete_result result;
    assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-12, r, &result), ZN_OK);
    cone_discrete_residual(d, r, u);
    check_close(r[0], -(m2 * w2 + 2 * m1 * (w1 - b)), 1e-12);
    check_close(u[0], 0, 1e-12);
    cone_discrete_destroy(d);
    result_contact_destroy(p);
    zn_context_destroy(context);
}

/* Every shorter text, and every text with one number spoiled, is refused or still a problem; never a crash. */
static void damaged_texts(void **state) {
    (void)state;
    contacts *c = contacts_random(5, 2, 2, 5, 0.7, true);
    for (int form = 0; form < 6; form++) {
        write_text(c, form);
        char text[8192];
        FILE *f = fopen(file_path, "r");
        size_t size = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        assert_true(size < sizeof text - 1);
        for (size_t cut = 0; cut < size; cut += 3) {
            f = fopen(file_path, "w");
            fwrite(text, 1, cut, f);
            fclose(f);
            contact_problem *p = NULL;
            zn_status status = result_contact_read(c->context, file_path, &p);
            if (status == ZN_OK) assert_true(cut > size * 3 / 5);
            else assert_true(zn_error_count(c->context) > 0 && !p);
            zn_error_clear(c->context);
            result_contact_destroy(p);
        }
        static const char *const spoilers[] = {"x", "-1", "nan", "1e300", "0.5", "99999999"};
        for (size_t at = 0, word = 0; at < size; at++) {
            bool first = text[at] > ' ' && (at == 0 || text[at - 1] <= ' ');
            if (!first || (word++ > 40 && word % 5)) continue;
            for (int k = 0; k < 6; k++) {
                size_t end = at;
                while (end < size && text[end] > ' ') end++;
                f = fopen(file_path, "w");
                fwrite(text, 1, at, f);
                fputs(spoilers[k], f);
                fwrite(text + end, 1, size - end, f);
                fclose(f);
                contact_problem *p = NULL;
                zn_status status = result_contact_read(c->context, file_path, &p);
                assert_true((status == ZN_OK) == (p != NULL));
                /* the last number is ignored, and so are the words that CSparse prints in front of a matrix */
                if (form < 3 && (k == 0 || (k == 2 && end + 2 < size))) assert_int_not_equal(status, ZN_OK);
                zn_error_clear(c->context);
                result_contact_destroy(p);
            }
        }
    }
    contact_problem *p = NULL;
    assert_int_equal(result_contact_read(c->context, "/nonexistent/file", &p), ZN_ERROR_FILE);
    contacts_destroy(c);
}

/* One sphere with rolling friction, W = 1: components decouple, so the answer is known. */
static void rolling(void **state) {
    (void)state;
    static const double q[5] = {-2, 3, 4, 0.3, -0.4}, mu = 0.5, mu_R = 0.3;
    zn_context *context = zn_context_create(NULL);
    int index[5] = {0, 1, 2, 3, 4};
    double ones[5] = {1, 1, 1, 1, 1}, r[5] = {0};
    discrete_def def = {.dim = 5, .n_contacts = 1, .W = {5, 5, 5, index, index, ones}, .q = q, .mu = &mu, .mu_rolling = &mu_R};
    discrete *d = cone_discrete_create(context, &def);
    discrete_result result;
    assert_int_equal(cone_discrete_solve(d, ZN_SOLVER_AUTO, 1e-12, r, &result), ZN_OK);
    check_close(r[0], 2, 1e-11);
    check_close(r[1], -0.6, 1e-11); /* radius 1 against (3, 4)/5 */
    check_close(r[2], -0.8, 1e-11);
    check_close(r[3], -0.3, 1e-11); /* |(0.3, -0.4)| = 0.5 < 0.6: rolls without slipping */
    check_close(r[4], 0.4, 1e-11);
    cone_discrete_destroy(d);
    zn_context_destroy(context);
}

/* P_K is the nearest point: better than random points of K, and onto K. */
static void measure_projects(void **state) {
    (void)state;
    random_source random = {9};
    for (int trial = 0; trial < 3000; trial++) {
        double z[5], p[5], other[5], mu = 2 * random_unit(&random), mu_R = 2 * random_unit(&random);
        for (int i = 0; i < 5; i++) p[i] = z[i] = random_between(&random, -2, 2);
        cone_measure_project(2, mu, 2, mu_R, p);
        check_below(hypot(p[1], p[2]), mu * p[0] + 1e-14);
        check_below(hypot(p[3], p[4]), mu_R * p[0] + 1e-14);
        double angle = 0, along = 0;
        for (int i = 0; i < 5; i++) other[i] = random_between(&random, -3, 3);
        cone_measure_project(2, mu, 2, mu_R, other);
        for (int i = 0; i < 5; i++) {
            angle += (z[i] - p[i]) * (other[i] - p[i]);
            along += (z[i] - p[i]) * p[i];
        }
        check_below(angle, 1e-12);
        check_close(along, 0, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_forms),       cmocka_unit_test(fclib_forms),   cmocka_unit_test(damaged_texts),   cmocka_unit_test(rolling),
        cmocka_unit_test(measure_projects), cmocka_unit_test(fclib_rolling), cmocka_unit_test(fclib_bilateral),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
