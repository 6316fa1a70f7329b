/* SPDX-License-Identifier: Apache-2.0 */
/* How long what was found of a pair serves. It has a slack: a length that the two shapes may move against each other before other features than the listed ones
 * could touch: a vertex reaches the border of a face, a foot the end of an edge, or two that are apart meet. The motion of shape a as seen from body b, since
 * the pair was looked at and in the step that comes,
 *
 *   |p - p_0| + |R - R_0| arm_a + (|v| + |omega| arm_a) h,      p = A_b'(r_a - r_b),  R = A_b' A_a,
 *
 * with v the velocity of r_a and omega the angular velocity relative to b, is a bound of it, whatever both do together. So is
 * that of b as seen from a; the smaller one counts, whichever of the two is called a. */
#include "collide/internal.h"

/* |R - R_0| (root of the sum of squares) of a turn by theta is 2^1.5 sin(theta/2) >= 0.9 theta: 1.2 times it is more than theta. */
static const double turn_by_matrix = 1.2;

static relative seen_from(const collide_pose *a, const collide_pose *b) {
    mat3 A = pose_matrix(a->A), B = pose_matrix(b->A), T = mat3_transposed(&B);
    vec3 to = vec3_sub(vec3_from(a->r), vec3_from(b->r));
    return (relative){{mat3_apply(&T, to), mat3_apply_transposed(&A, to)}, mat3_product(&T, &A)};
}

void guard_note(const collide_world *w, const collide_pose *poses, pair *p) {
    p->seen = seen_from(&poses[w->outlines[p->a].body], &poses[w->outlines[p->b].body]);
}

bool guard_serves(const collide_world *w, const collide_pose *poses, const pair *pair_of, double h, double share) {
    if (pair_of->slack == INFINITY) return true;
    if (!(pair_of->slack >= 0)) return false;
    const outline *of[2] = {&w->outlines[pair_of->a], &w->outlines[pair_of->b]};
    const collide_pose *at[2] = {&poses[of[0]->body], &poses[of[1]->body]};
    relative now = seen_from(at[0], at[1]);
    const relative *before = &pair_of->seen;
    double sum = 0, least = INFINITY;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += (now.R.m[i][j] - before->R.m[i][j]) * (now.R.m[i][j] - before->R.m[i][j]);
    double turned = turn_by_matrix * sqrt(sum), turn = vec3_norm(vec3_sub(vec3_from(at[0]->omega), vec3_from(at[1]->omega))) * h;
    vec3 to = vec3_sub(vec3_from(at[0]->r), vec3_from(at[1]->r)), v = vec3_sub(vec3_from(at[0]->v), vec3_from(at[1]->v));
    for (int k = 0; k < 2; k++) {  /* shape k as seen from the other */
        if (of[k]->wide) continue; /* a plane is seen from, for it has no size */
        vec3 speed = vec3_sub(v, vec3_cross(vec3_from(at[1 - k]->omega), to));
        least = smaller(least, vec3_norm(vec3_sub(now.p[k], before->p[k])) + vec3_norm(speed) * h + (turned + turn) * of[k]->arm);
    }
    return least <= share * pair_of->slack;
}
