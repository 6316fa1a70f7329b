/* SPDX-License-Identifier: Apache-2.0 */
/* How long the candidates of a pair stay valid. The pair has a slack: a length that the two shapes may move against each other before other
 * features than the listed ones could touch: a vertex reaches the border of a face, a foot the end of an edge, or two that are apart meet.
 * The motion of shape a as seen from body b, since the pair was examined and in the coming step,
 *
 *   |p - p_0| + |R - R_0| arm_a + (|v| + |omega| arm_a) h,      p = A_b'(r_a - r_b),  R = A_b' A_a,
 *
 * with v the velocity of r_a and omega the angular velocity relative to b, bounds this, whatever motion both have in common. So does
 * that of b as seen from a; the smaller one counts, whichever of the two is called a. A sphere that turns about its middle is the same: its
 * axes stay those of the scene. */
#include "collide/internal.h"

/* |R - R_0| (root of the sum of squares) of a turn by theta is 2^1.5 sin(theta/2) >= 0.9 theta: 1.2 times it is more than theta. */
static const double turn_by_matrix = 1.2;

static relative seen_from(const outline *const of[2], const collide_pose *const at[2]) {
    static const mat3 unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    vec3 to = vec3_sub(vec3_from(at[0]->r), vec3_from(at[1]->r));
    if (!of[0]->spins && !of[1]->spins) return (relative){{to, to}, unit};
    mat3 A = of[0]->spins ? pose_matrix(at[0]->A) : unit, B = of[1]->spins ? pose_matrix(at[1]->A) : unit, T = mat3_transposed(&B);
    return (relative){{mat3_apply(&T, to), mat3_apply_transposed(&A, to)}, mat3_product(&T, &A)};
}

static vec3 spin_of(const outline *of, const collide_pose *at) { return of->spins ? vec3_from(at->omega) : (vec3){0, 0, 0}; }

void guard_note(const collide_world *w, const collide_pose *poses, pair *p) {
    const outline *const of[2] = {&w->outlines[p->of.a], &w->outlines[p->of.b]};
    p->seen = seen_from(of, (const collide_pose *const[2]){&poses[of[0]->body], &poses[of[1]->body]});
}

/* The distance that shape k moves as seen from the other; turn: their relative rotation. */
static double way_of(int k, const outline *const of[2], const collide_pose *const at[2], const vec3 moved[2], double turn, double h) {
    if (of[k]->wide) return INFINITY; /* a plane is seen from, for it has no size */
    vec3 to = vec3_sub(vec3_from(at[0]->r), vec3_from(at[1]->r)), v = vec3_sub(vec3_from(at[0]->v), vec3_from(at[1]->v));
    vec3 speed = vec3_sub(v, vec3_cross(spin_of(of[1 - k], at[1 - k]), to));
    return vec3_norm(moved[k]) + vec3_norm(speed) * h + (of[k]->spins ? turn * of[k]->arm : 0);
}

/* Two spheres: both distances are the same. */
static bool spheres_serve(const collide_pose *a, const collide_pose *b, const vec3 *before, double h, double most) {
    vec3 to = vec3_sub(vec3_from(a->r), vec3_from(b->r)), v = vec3_sub(vec3_from(a->v), vec3_from(b->v));
    return vec3_norm(vec3_sub(to, *before)) + vec3_norm(v) * h <= most;
}

bool guard_serves(const collide_world *w, const collide_pose *poses, const pair *p, double h, double share) {
    if (p->slack == INFINITY) return true;
    if (!(p->slack >= 0)) return false;
    const outline *const of[2] = {&w->outlines[p->of.a], &w->outlines[p->of.b]};
    const collide_pose *const at[2] = {&poses[of[0]->body], &poses[of[1]->body]};
    const relative *before = &p->seen;
    if (!of[0]->spins && !of[1]->spins) return spheres_serve(at[0], at[1], &before->p[0], h, share * p->slack);
    const relative now = seen_from(of, at);
    const vec3 moved[2] = {vec3_sub(now.p[0], before->p[0]), vec3_sub(now.p[1], before->p[1])};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += (now.R.m[i][j] - before->R.m[i][j]) * (now.R.m[i][j] - before->R.m[i][j]);
    double turn = turn_by_matrix * sqrt(sum) + vec3_norm(vec3_sub(spin_of(of[0], at[0]), spin_of(of[1], at[1]))) * h;
    return smaller(way_of(0, of, at, moved, turn, h), way_of(1, of, at, moved, turn, h)) <= share * p->slack;
}
