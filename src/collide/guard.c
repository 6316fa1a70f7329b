/* SPDX-License-Identifier: Apache-2.0 */
/* How long a list serves. Every near pair has a slack: a length that the two shapes may move against each other before other features than the listed ones
 * could touch: a vertex reaches the border of a face, a foot the end of an edge, or two that are apart meet. The motion of shape a as seen from body b, since
 * the search and in the step that comes,
 *
 *   |p - p_0| + |R - R_0| arm_a + (|v| + |omega| arm_a) h,      p = A_b'(r_a - r_b),  R = A_b' A_a,
 *
 * with v the velocity of r_a and omega the angular velocity relative to b, is a bound of it, whatever both do together. */
#include "collide/internal.h"

/* |R - R_0| (root of the sum of squares) of a turn by theta is 2^1.5 sin(theta/2) >= 0.9 theta: 1.2 times it is more than theta. */
static const double turn_by_matrix = 1.2;

zn_status guard_begin(collide_world *w, const collide_pose *poses) {
    if (!mem_grow(w->context, (void **)&w->seen, &w->seen_room, w->n_shapes + 1, sizeof *w->seen) ||
        !mem_grow(w->context, (void **)&w->way, &w->way_room, w->n_shapes + 1, sizeof *w->way))
        return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < w->n_shapes; i++) w->seen[i] = poses[w->shapes[i].given.body];
    return ZN_OK;
}

typedef struct relative {
    vec3 p;
    mat3 R;
} relative;

static relative seen_from(const collide_pose *a, const collide_pose *b) {
    mat3 A = pose_matrix(a->A), B = pose_matrix(b->A), T = mat3_transposed(&B);
    return (relative){mat3_apply(&T, vec3_sub(vec3_from(a->r), vec3_from(b->r))), mat3_product(&T, &A)};
}

static double motion(const collide_world *w, const collide_pose *poses, int a, int b, double h) {
    const collide_pose *p = &poses[w->shapes[a].given.body], *q = &poses[w->shapes[b].given.body];
    relative now = seen_from(p, q), before = seen_from(&w->seen[a], &w->seen[b]);
    double arm = w->shapes[a].arm, sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d = now.R.m[i][j] - before.R.m[i][j];
            sum += d * d;
        }
    vec3 to = vec3_sub(vec3_from(p->r), vec3_from(q->r)), omega = vec3_from(q->omega);
    vec3 v = vec3_sub(vec3_sub(vec3_from(p->v), vec3_from(q->v)), vec3_cross(omega, to));
    double turn = vec3_norm(vec3_sub(vec3_from(p->omega), omega));
    return vec3_norm(vec3_sub(now.p, before.p)) + turn_by_matrix * sqrt(sum) * arm + (vec3_norm(v) + turn * arm) * h;
}

/* The same bound for one shape alone, as seen from where it was. */
static double way_of(const outline *s, const collide_pose *p, const collide_pose *before, double h) {
    double far = 0, sum = 0;
    for (int i = 0; i < 3; i++) far += (p->r[i] - before->r[i]) * (p->r[i] - before->r[i]);
    for (int i = 0; i < 9; i++) sum += (p->A[i] - before->A[i]) * (p->A[i] - before->A[i]);
    if (s->wide && !(sum + vec3_norm(vec3_from(p->omega)) == 0)) return INFINITY;
    return sqrt(far) + turn_by_matrix * sqrt(sum) * s->arm + (vec3_norm(vec3_from(p->v)) + vec3_norm(vec3_from(p->omega)) * s->arm) * h;
}

bool guard_serves(collide_world *w, const collide_pose *poses, double h) {
    if (w->seen_room < w->n_shapes) return false;
    for (size_t i = 0; i < w->n_shapes; i++) w->way[i] = way_of(&w->outlines[i], &poses[w->outlines[i].body], &w->seen[i], h);
    for (size_t i = 0; i < w->broad.n_pairs; i++) {
        const pair *p = &w->broad.pairs[i];
        if (p->slack == INFINITY) continue;
        /* most have not moved that far, both together; a plane is wide, and turns far (its way is not finite then) */
        if (w->way[p->a] + w->way[p->b] <= p->slack) continue;
        /* a plane is seen from, for it has no size */
        bool plane_a = w->shapes[p->a].given.class == COLLIDE_PLANE;
        if (!((plane_a ? motion(w, poses, p->b, p->a, h) : motion(w, poses, p->a, p->b, h)) <= p->slack)) return false;
    }
    return true;
}
