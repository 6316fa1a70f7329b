/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and quaternions: identities, and derivatives against central differences. */
#include "check.h"

#include "linalg/quaternions.h"
#include "random.h"

#define ROUNDS 50

static vec3 random_vector(random_source *r) {
    double x = random_number(r), y = random_number(r), z = random_number(r);
    return (vec3){x, y, z};
}

/* Of any length but near zero. */
static quat random_quaternion(random_source *r) {
    quat p;
    do
        for (int i = 0; i < 4; i++) p.p[i] = 2 * random_number(r);
    while (quat_dot(p, p) < 0.1);
    return p;
}

static void check_vec3(vec3 a, vec3 b, double tolerance) {
    check_close(a.x, b.x, tolerance);
    check_close(a.y, b.y, tolerance);
    check_close(a.z, b.z, tolerance);
}

static void check_mat3(const mat3 *a, const mat3 *b, double tolerance) {
    for (int j = 0; j < 3; j++) check_vec3(mat3_column(a, j), mat3_column(b, j), tolerance);
}

/* a~ with a~ b = a x b. */
static mat3 mat3_skew(vec3 a) { return (mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }

static void vectors_and_matrices(void **state) {
    (void)state;
    random_source random = {7};
    for (int round = 0; round < ROUNDS; round++) {
        vec3 a = random_vector(&random), b = random_vector(&random), c = random_vector(&random);
        vec3 cross = vec3_cross(a, b);
        check_close(vec3_dot(cross, a), 0, 1e-15);
        check_close(vec3_dot(cross, b), 0, 1e-15);
        mat3 skew = mat3_skew(a), other = mat3_skew(b), product = mat3_product(&skew, &other), transposed = mat3_transposed(&product);
        check_vec3(mat3_apply(&skew, b), cross, 0);
        /* a~ b~ = b a' - (a.b) 1 */
        check_vec3(mat3_apply(&product, c), vec3_add_scaled(vec3_scale(vec3_dot(a, c), b), -vec3_dot(a, b), c), 2e-15);
        check_vec3(mat3_apply(&transposed, c), mat3_apply_transposed(&product, c), 0);
        vec3 n = vec3_normalised(a), t1, t2;
        vec3_tangents(n, &t1, &t2);
        check_close(vec3_norm(t1), 1, 1e-15);
        check_vec3(vec3_cross(t1, t2), n, 1e-15);
        check_vec3(vec3_cross(n, t1), t2, 1e-15);
    }
    vec3 t1, t2, down = {0, 0, -1};
    vec3_tangents(down, &t1, &t2);
    check_vec3(vec3_cross(t1, t2), down, 0);
    check_vec3(vec3_normalised((vec3){0, 0, 0}), (vec3){0, 0, 0}, 0);
}

static void rotations(void **state) {
    (void)state;
    random_source random = {11};
    mat3 one = mat3_identity();
    for (int round = 0; round < ROUNDS; round++) {
        quat p = random_quaternion(&random), q = random_quaternion(&random);
        mat3 P = quat_matrix(p), Q = quat_matrix(q), PQ = mat3_product(&P, &Q), Pt = mat3_transposed(&P);
        mat3 unit = mat3_product(&P, &Pt), composed = quat_matrix(quat_product(p, q)), back = quat_matrix(quat_conjugate(p));
        check_mat3(&unit, &one, 1e-14);
        check_close(mat3_determinant(&P), 1, 1e-14);
        check_mat3(&composed, &PQ, 1e-14);
        check_mat3(&back, &Pt, 0);
        mat3 normalised = quat_matrix(quat_normalised(p));
        check_mat3(&normalised, &P, 1e-14);
    }
    /* A quarter turn about z takes x to y. */
    mat3 R = quat_matrix(quat_rotation((vec3){0, 0, 1}, acos(-1) / 2));
    check_vec3(mat3_apply(&R, (vec3){1, 0, 0}), (vec3){0, 1, 0}, 1e-15);
    mat3 none = quat_matrix(quat_normalised((quat){{0, 0, 0, 0}}));
    check_mat3(&none, &one, 0);
}

static void rates(void **state) {
    (void)state;
    random_source random = {13};
    for (int round = 0; round < ROUNDS; round++) {
        quat p = random_quaternion(&random);
        vec3 Omega = random_vector(&random), a = random_vector(&random);
        quat rate = quat_rate(p, Omega);
        check_close(quat_dot(p, rate), 0, 1e-14); /* the norm is kept */
        check_vec3(quat_angular_velocity(p, rate), Omega, 1e-14);
        /* (R a)' = R (Omega x a), by differences along the rate: error h^2 + round-off / h, times third derivatives for short p */
        const double h = 1e-5;
        quat plus = p, minus = p;
        for (int i = 0; i < 4; i++) plus.p[i] += h * rate.p[i], minus.p[i] -= h * rate.p[i];
        mat3 R = quat_matrix(p), A = quat_matrix(plus), B = quat_matrix(minus);
        vec3 moved = vec3_scale(0.5 / h, vec3_sub(mat3_apply(&A, a), mat3_apply(&B, a)));
        check_vec3(moved, mat3_apply(&R, vec3_cross(Omega, a)), 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_and_matrices),
        cmocka_unit_test(rotations),
        cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
