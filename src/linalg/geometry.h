/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, matrices and quaternions of space, as values.
 *
 * A quaternion p = (p0, v) with the scalar first need not be a unit one: the rotation matrix divides by p.p,
 *     R(p) a = N(p) a / p.p,    N(p) a = (p0^2 - v.v) a + 2 v (v.a) + 2 p0 v x a,
 * and R takes components in the body's frame to components in the fixed frame. For the angular velocity Omega in the body's
 * frame
 *     p' = 1/2 Q(p) Omega,    Q(p) = [-v'; p0 1 + v~]  (4 x 3),    Q(p)' Q(p) = p.p 1,    Q(p)' p = 0. */
#ifndef LINALG_GEOMETRY_H
#define LINALG_GEOMETRY_H

#include <math.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct mat3 {
    double m[3][3]; /* row, column */
} mat3;

typedef struct quat {
    double p[4];
} quat;

/* ---- vectors ---- */

static inline vec3 vec3_from(const double *a) { return (vec3){a[0], a[1], a[2]}; }
static inline void vec3_store(vec3 a, double *out) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline vec3 vec3_add_scaled(vec3 a, double s, vec3 b) { return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b) { return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static inline double vec3_norm(vec3 a) { return sqrt(vec3_dot(a, a)); }
/* Zero stays zero. */
static inline vec3 vec3_normalised(vec3 a) {
    double norm = vec3_norm(a);
    return norm > 0 ? vec3_scale(1 / norm, a) : a;
}

/* Unit vectors t1, t2 with t1 x t2 = n for a unit vector n (n.z = 0 belongs to the positive half; smooth inside each half). */
static inline void vec3_tangents(vec3 n, vec3 *t1, vec3 *t2) {
    double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
    *t1 = (vec3){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (vec3){b, sign + n.y * n.y * a, -n.y};
}

/* ---- matrices ---- */

static inline mat3 mat3_diagonal(double a, double b, double c) { return (mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }
static inline mat3 mat3_identity(void) { return mat3_diagonal(1, 1, 1); }

static inline vec3 mat3_row(const mat3 *a, int i) { return (vec3){a->m[i][0], a->m[i][1], a->m[i][2]}; }
static inline vec3 mat3_column(const mat3 *a, int j) { return (vec3){a->m[0][j], a->m[1][j], a->m[2][j]}; }

static inline vec3 mat3_apply(const mat3 *a, vec3 x) {
    return (vec3){vec3_dot(mat3_row(a, 0), x), vec3_dot(mat3_row(a, 1), x), vec3_dot(mat3_row(a, 2), x)};
}
static inline vec3 mat3_apply_transposed(const mat3 *a, vec3 x) {
    return (vec3){vec3_dot(mat3_column(a, 0), x), vec3_dot(mat3_column(a, 1), x), vec3_dot(mat3_column(a, 2), x)};
}

static inline mat3 mat3_transposed(const mat3 *a) {
    mat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.m[i][j] = a->m[j][i];
    return t;
}

static inline mat3 mat3_product(const mat3 *a, const mat3 *b) {
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

/* a + s b. */
static inline double mat3_determinant(const mat3 *a) {
    return vec3_dot(mat3_column(a, 0), vec3_cross(mat3_column(a, 1), mat3_column(a, 2)));
}

/* ---- quaternions ---- */

static inline quat quat_from(const double *p) { return (quat){{p[0], p[1], p[2], p[3]}}; }
static inline quat quat_identity(void) { return (quat){{1, 0, 0, 0}}; }
static inline vec3 quat_vector(quat p) { return (vec3){p.p[1], p.p[2], p.p[3]}; }
static inline double quat_dot(quat p, quat q) { return p.p[0] * q.p[0] + p.p[1] * q.p[1] + p.p[2] * q.p[2] + p.p[3] * q.p[3]; }

/* p o q: R(p o q) = R(p) R(q). */
static inline quat quat_product(quat p, quat q) {
    vec3 v = quat_vector(p), w = quat_vector(q);
    vec3 u = vec3_add_scaled(vec3_add_scaled(vec3_cross(v, w), p.p[0], w), q.p[0], v);
    return (quat){{p.p[0] * q.p[0] - vec3_dot(v, w), u.x, u.y, u.z}};
}

/* Rotation by `angle` about a unit vector. */
static inline quat quat_rotation(vec3 axis, double angle) {
    double s = sin(angle / 2);
    return (quat){{cos(angle / 2), s * axis.x, s * axis.y, s * axis.z}};
}

/* A unit quaternion of the same rotation; the identity for zero. */
static inline quat quat_normalised(quat p) {
    double norm = sqrt(quat_dot(p, p));
    if (!(norm > 0)) return quat_identity();
    return (quat){{p.p[0] / norm, p.p[1] / norm, p.p[2] / norm, p.p[3] / norm}};
}

/* R(p). */
static inline mat3 quat_matrix(quat p) {
    double s = 1 / quat_dot(p, p), e0 = p.p[0], e1 = p.p[1], e2 = p.p[2], e3 = p.p[3];
    return (mat3){{{s * (e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3), 2 * s * (e1 * e2 - e0 * e3), 2 * s * (e1 * e3 + e0 * e2)},
                   {2 * s * (e1 * e2 + e0 * e3), s * (e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3), 2 * s * (e2 * e3 - e0 * e1)},
                   {2 * s * (e1 * e3 - e0 * e2), 2 * s * (e2 * e3 + e0 * e1), s * (e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3)}}};
}

/* Omega = 2 Q(p)' p' / p.p: the angular velocity in the body's frame of a motion with rate p'. */
static inline vec3 quat_angular_velocity(quat p, quat rate) {
    vec3 v = quat_vector(p), w = quat_vector(rate);
    vec3 u = vec3_sub(vec3_add_scaled(vec3_scale(-rate.p[0], v), p.p[0], w), vec3_cross(v, w));
    return vec3_scale(2 / quat_dot(p, p), u);
}

#endif
