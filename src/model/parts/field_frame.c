/* SPDX-License-Identifier: Apache-2.0 */
/* The directions of a candidate's rows in space, as in contact_express.c:
 *
 *   in the plane      t1 = (n_y, -n_x)
 *   on a plane        t1 = A_B reference;   on a cylinder or an edge  t1 = A_B axis;   edge on edge  t1 along A_A axis_A + A_B axis_B
 *   else              t1 = a - (n.a)/(1 + n.p) (p + n),  p the pole, a the reference
 *   t2 = n x t1 */
#include "linalg/geometry.h"
#include "model/parts/field.h"

const char *contact_field_body_name(const contact_field *f, int body) { return f->kept->bodies[body].name; }

bool contact_field_rubs(const contact_field *f) {
    for (int i = 0; i < f->n_laws; i++)
        for (int planar = 0; planar < 2; planar++)
            if (f->laws[i].good[planar] && f->laws[i].rows[planar].contact.nF > 0) return true;
    return false;
}

bool contact_field_is_smooth(const contact_field *f) {
    for (int i = 0; i < f->n_laws; i++)
        for (int planar = 0; planar < 2; planar++)
            if (f->laws[i].good[planar] && f->laws[i].rows[planar].variant.stribeck) return true;
    return false;
}

static mat3 pose_matrix(const double *A) { return (mat3){{{A[0], A[3], A[6]}, {A[1], A[4], A[7]}, {A[2], A[5], A[8]}}}; }

int contact_field_tangents(const contact_field *f, const collide_candidate *c, const double *pole, const collide_pose *poses,
                           double t[2][3]) {
    const field_shape *a = &f->shapes[c->shape[0]], *b = &f->shapes[c->shape[1]];
    bool planar = a->shape.planar;
    mat3 A = pose_matrix(poses[a->body].A), B = pose_matrix(poses[b->body].A);
    vec3 n = vec3_from(c->n), t1;
    const feature *surface = &c->of[1];
    if (planar) t1 = (vec3){n.y, -n.x, 0};
    else if (surface->kind == FEATURE_PLANE || surface->kind == FEATURE_CYLINDER || surface->kind == FEATURE_LINE) {
        t1 = mat3_apply(&B, vec3_from(surface->kind == FEATURE_PLANE ? pole + 3 : surface->axis));
        if (c->of[0].kind == FEATURE_LINE) t1 = vec3_normalised(vec3_add(mat3_apply(&A, vec3_from(c->of[0].axis)), t1));
    } else {
        vec3 p = vec3_from(pole), reference = vec3_from(pole + 3);
        t1 = vec3_add_scaled(reference, -vec3_dot(n, reference) / (1 + vec3_dot(n, p)), vec3_add(p, n));
    }
    vec3_store(t1, t[0]);
    vec3_store(vec3_cross(n, t1), t[1]);
    int rule = field_rule_of(f, c->shape[0], c->shape[1]);
    int sliding = rule < 0 ? 0 : field_law_of(f, rule, c->shape[0], c->shape[1])->rows[planar].variant.n_sliding;
    return sliding > 2 ? 2 : sliding;
}
