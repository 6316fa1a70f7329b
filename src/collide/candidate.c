/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates: features of pieces, the gap of a pair of features at given places, and the order of lists.
 *
 *   ball, plane      g = n.(c - p) - r_a - r_b,                        n the normal of the plane
 *   ball, sphere     g = |c - p| - r_a - r_b,                          n = (c - p)/|c - p|
 *   ball, line       the same with p the foot of c on the line;  ball, segment: the nearest point of the segment
 *   line, line       g = n.(p_a - p_b) - r_a - r_b,                    n = side (a_a x a_b)/|a_a x a_b|
 *   ring, plane      g = n.(c - p) - R sqrt(1 - (n.a)^2) - r_b
 *   ellipsoid, plane g = n.(c - p) - sqrt(n.M n) - r_b,                M = sum of a a' over its half axes a
 *   ball, ring       the distance to the circle, less r_a;  ball, cone: that to its side, in the half plane of c
 *   ball, ellipsoid  the distance to the nearest point x = p + M (M + t)^-1 (c - p) with |M^(-1/2)(x - p)| = 1, by Newton's method */
#include "collide/internal.h"

#include <stdlib.h>

/* ---- features of pieces ---- */

static feature feature_begin(const collide_world *w, const placed *p, feature_kind kind, vec3 point) {
    feature f = {.kind = kind, .radius = p->of->radius, .side = 1};
    vec3_store(point, f.point);
    memcpy(f.velocity, w->shapes[p->shape].given.velocity, sizeof f.velocity);
    return f;
}

feature feature_vertex(const collide_world *w, const placed *p, int i, feature_kind kind) {
    return feature_begin(w, p, kind, p->of->vertex[i]);
}

feature feature_face(const collide_world *w, const placed *p, int f) {
    feature g = feature_begin(w, p, FEATURE_PLANE, p->of->vertex[p->of->loop[p->of->start[f]]]);
    vec3_store(p->of->normal[f], g.axis);
    return g;
}

feature feature_edge(const collide_world *w, const placed *p, int e) {
    vec3 a = p->of->vertex[p->of->edge[e][0]], b = p->of->vertex[p->of->edge[e][1]], along = vec3_sub(b, a);
    feature g = feature_begin(w, p, FEATURE_LINE, vec3_scale(0.5, vec3_add(a, b)));
    vec3_store(vec3_normalised(along), g.axis);
    g.half_length = vec3_norm(along) / 2;
    return g;
}

/* ---- gaps ---- */

typedef struct at_place {
    vec3 point, axis;
} at_place;

/* Relative to the body 1, so that large coordinates cost no digits. */
static at_place place(const feature *f, const collide_pose *p, const collide_pose *origin) {
    mat3 A = pose_matrix(p->A);
    vec3 r = vec3_sub(vec3_from(p->r), vec3_from(origin->r));
    return (at_place){pose_point(r, &A, vec3_from(f->point)), mat3_apply(&A, vec3_from(f->axis))};
}

static void measure_from(collide_candidate *c, vec3 centre, vec3 foot, double radii, vec3 *on_b) {
    vec3 d = vec3_sub(centre, foot);
    double distance = vec3_norm(d);
    vec3 n = distance > 0 ? vec3_scale(1 / distance, d) : vec3_from(c->n);
    c->gap = distance - radii;
    vec3_store(n, c->n);
    *on_b = vec3_add_scaled(foot, c->of[1].radius, n);
}

/* M x in I. */
static vec3 ellipsoid_times(const feature *f, const collide_pose *p, vec3 x) {
    mat3 A = pose_matrix(p->A), M;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M.m[i][j] = f->frame[3 * i + j];
    return mat3_apply(&A, mat3_apply(&M, mat3_apply_transposed(&A, x)));
}

/* Eigenvalues and axes of a symmetric matrix, by Jacobi's rotations. */
static void symmetric_axes(mat3 M, double value[3], mat3 *Q) {
    *Q = mat3_identity();
    for (int turn = 0; turn < 60; turn++) {
        int p = 0, q = 1;
        if (fabs(M.m[0][2]) > fabs(M.m[p][q])) q = 2;
        if (fabs(M.m[1][2]) > fabs(M.m[p][q])) p = 1, q = 2;
        if (!(fabs(M.m[p][q]) > 1e-17 * (fabs(M.m[0][0]) + fabs(M.m[1][1]) + fabs(M.m[2][2])))) break;
        double angle = 0.5 * atan2(2 * M.m[p][q], M.m[q][q] - M.m[p][p]);
        mat3 J = mat3_identity();
        J.m[p][p] = J.m[q][q] = cos(angle);
        J.m[p][q] = sin(angle);
        J.m[q][p] = -sin(angle);
        mat3 T = mat3_transposed(&J), MJ = mat3_product(&M, &J);
        M = mat3_product(&T, &MJ);
        *Q = mat3_product(Q, &J);
    }
    for (int i = 0; i < 3; i++) value[i] = M.m[i][i];
}

/* The nearest point of a ring to x, seen from its centre. */
static vec3 ring_nearest(double R, vec3 axis, vec3 x) {
    vec3 out = vec3_add_scaled(x, -vec3_dot(x, axis), axis);
    if (!(vec3_norm(out) > 0)) vec3_tangents(axis, &out, &(vec3){0});
    return vec3_scale(R, vec3_normalised(out));
}

/* The nearest point of an ellipsoid to d, seen from its centre, and the normal there. In its axes x_i = a_i^2 d_i/(a_i^2 + t); the largest
 * t with sum (x_i/a_i)^2 = 1 is found by Newton's method from the left, where the sum is convex and falls. */
static vec3 ellipsoid_nearest(const feature *g, const collide_pose *p, vec3 d, vec3 *n) {
    mat3 A = pose_matrix(p->A), M, Q;
    double a2[3], t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M.m[i][j] = g->frame[3 * i + j];
    symmetric_axes(M, a2, &Q);
    vec3 y = mat3_apply_transposed(&Q, mat3_apply_transposed(&A, d));
    const double e[3] = {y.x, y.y, y.z};
    double x[3], least = smaller(a2[0], smaller(a2[1], a2[2])), from = -INFINITY;
    for (int i = 0; i < 3; i++) from = larger(from, sqrt(a2[i]) * fabs(e[i]) - a2[i]);
    t = larger(from, -least * (1 - 1e-12));
    for (int turn = 0; turn < 100; turn++) {
        double f = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double s = a2[i] + t, q = a2[i] * e[i] * e[i] / (s * s);
            f += q;
            slope -= 2 * q / s;
        }
        double next = t - f / slope;
        if (!(slope < 0) || !(fabs(next - t) > 1e-16 * (fabs(t) + least))) break;
        t = next;
    }
    for (int i = 0; i < 3; i++) x[i] = a2[i] * e[i] / (a2[i] + t);
    *n = mat3_apply(&A, mat3_apply(&Q, vec3_normalised((vec3){x[0] / a2[0], x[1] / a2[1], x[2] / a2[2]})));
    return mat3_apply(&A, mat3_apply(&Q, (vec3){x[0], x[1], x[2]}));
}

/* A ball on a surface that is not flat: the foot on it and the normal there. */
static void measure_on_round(collide_candidate *c, vec3 x, const at_place *b, const collide_pose *pose_b, vec3 *on_b) {
    const feature *g = &c->of[1];
    vec3 d = vec3_sub(x, b->point), n;
    if (g->kind == FEATURE_CONE) {
        double z = vec3_dot(d, b->axis), sine = sin(g->half_length), cosine = cos(g->half_length);
        vec3 out = vec3_add_scaled(d, -z, b->axis);
        n = vec3_add_scaled(vec3_scale(cosine, vec3_normalised(out)), -sine, b->axis);
        c->gap = cosine * vec3_norm(out) - sine * z - c->of[0].radius - g->radius;
    } else { /* x = M (M + t)^-1 d, sought by t */
        vec3 foot = ellipsoid_nearest(g, pose_b, d, &n);
        c->gap = vec3_dot(n, vec3_sub(d, foot)) - c->of[0].radius;
    }
    vec3_store(n, c->n);
    *on_b = vec3_add_scaled(x, -c->gap - c->of[0].radius, n);
}

void candidate_measure(collide_candidate *c, const collide_pose *pose_a, const collide_pose *pose_b) {
    const feature *f = &c->of[0], *g = &c->of[1];
    at_place a = place(f, pose_a, pose_b), b = place(g, pose_b, pose_b);
    double radii = f->radius + g->radius, along;
    vec3 on_b = b.point, n = b.axis, d = vec3_sub(a.point, b.point);
    switch (g->kind) {
    case FEATURE_PLANE:
        c->gap = vec3_dot(n, d) - radii;
        if (f->kind == FEATURE_RING) {
            double up = vec3_dot(n, a.axis), flat = sqrt(larger(0, 1 - up * up));
            c->gap = vec3_dot(n, d) - g->radius - f->radius * flat;
            if (flat > 0) a.point = vec3_add_scaled(a.point, -f->radius / flat, vec3_add_scaled(n, -up, a.axis));
        }
        if (f->kind == FEATURE_ELLIPSOID) {
            vec3 Mn = ellipsoid_times(f, pose_a, n);
            double h = sqrt(vec3_dot(n, Mn));
            c->gap = vec3_dot(n, d) - g->radius - h;
            a.point = vec3_add_scaled(a.point, -1 / h, Mn);
        }
        vec3_store(n, c->n);
        on_b = vec3_add_scaled(a.point, g->radius - vec3_dot(n, vec3_sub(a.point, b.point)), n);
        break;
    case FEATURE_LINE:
        if (f->kind == FEATURE_LINE) {
            n = vec3_scale(c->side, vec3_normalised(vec3_cross(a.axis, b.axis)));
            double cosine = vec3_dot(a.axis, b.axis), square = 1 - cosine * cosine;
            /* the foot on b: where d + s a - t b is along n */
            along = square > 0 ? (vec3_dot(d, b.axis) - cosine * vec3_dot(d, a.axis)) / square : 0;
            c->gap = vec3_dot(n, d) - radii;
            vec3_store(n, c->n);
            on_b = vec3_add_scaled(vec3_add_scaled(b.point, along, b.axis), g->radius, n);
            break;
        }
        measure_from(c, a.point, vec3_add_scaled(b.point, vec3_dot(d, b.axis), b.axis), radii, &on_b);
        break;
    case FEATURE_SEGMENT:
        along = vec3_dot(d, b.axis);
        along = along > g->half_length ? g->half_length : along < -g->half_length ? -g->half_length : along;
        measure_from(c, a.point, vec3_add_scaled(b.point, along, b.axis), radii, &on_b);
        break;
    case FEATURE_RING:
        radii = f->radius;
        measure_from(c, a.point, vec3_add(b.point, ring_nearest(g->radius, b.axis, d)), radii, &on_b);
        on_b = vec3_add_scaled(a.point, -c->gap - f->radius, vec3_from(c->n));
        break;
    case FEATURE_CONE:
    case FEATURE_ELLIPSOID: measure_on_round(c, a.point, &b, pose_b, &on_b); break;
    default: measure_from(c, a.point, b.point, radii, &on_b); break;
    }
    vec3 middle = vec3_add_scaled(vec3_add(vec3_from(pose_b->r), on_b), c->gap / 2, vec3_from(c->n));
    vec3_store(middle, c->point);
}

/* ---- lists ---- */

zn_status candidate_add(collide_world *w, collide_list *list, const collide_candidate *c) {
    if (!mem_grow(w->context, (void **)&list->at, &list->capacity, list->count + 1, sizeof *list->at)) return ZN_ERROR_MEMORY;
    list->at[list->count++] = *c;
    return ZN_OK;
}

/* First the pair, whichever of the two touches; then the features. */
static int smaller_shape(const collide_candidate *c) { return c->shape[0] < c->shape[1] ? c->shape[0] : c->shape[1]; }
static int larger_shape(const collide_candidate *c) { return c->shape[0] < c->shape[1] ? c->shape[1] : c->shape[0]; }

bool candidate_is_of(const collide_candidate *c, int a, int b) { return smaller_shape(c) == a && larger_shape(c) == b; }
bool candidate_is_before(const collide_candidate *c, int a, int b) {
    int x = smaller_shape(c);
    return x < a || (x == a && larger_shape(c) < b);
}

int candidates_compare(const collide_candidate *x, const collide_candidate *y) {
    const int a[5] = {smaller_shape(x), larger_shape(x), x->shape[0], x->feature[0], x->feature[1]};
    const int b[5] = {smaller_shape(y), larger_shape(y), y->shape[0], y->feature[0], y->feature[1]};
    for (int i = 0; i < 5; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare(const void *x, const void *y) { return candidates_compare(x, y); }

void candidates_sort(collide_list *list, size_t first) {
    if (list->count <= first) return;
    qsort(list->at + first, list->count - first, sizeof *list->at, compare);
    size_t n = first + 1;
    for (size_t i = n; i < list->count; i++)
        if (candidates_compare(&list->at[n - 1], &list->at[i]) != 0) list->at[n++] = list->at[i];
    list->count = n;
}
