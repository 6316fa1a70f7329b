/* SPDX-License-Identifier: Apache-2.0 */
/* Whether shapes passed through each other, or deep into each other, on their way from pose to pose. The way is followed in pieces that are
 * short against the thinner one of two shapes,
 *
 *   r(x) = r_0 + x (r_1 - r_0),   A(x) = A_0 turned by x omega_0 h,   0 < x <= 1
 *
 * of every pair whose relative motion is longer than that. A plane is as thick as anything: nothing is ever behind it. Sheets have no thickness: nothing may come through their facets from
 * front to back. */
#include "collide/internal.h"

/* Of the half thickness of the thinner one: a way that matters, the length of a piece of it, and overlap that is too much: on the way (more
 * than at its begin), and at its end, where from a certain depth on it is not clear where to leave. */
static const double far = 0.5, piece_length = 0.25, shallow = 0.05, deep = 0.5;
enum { MOST_PIECES = 512 };

static double thickness(const solid *s) {
    double least = s->half[0];
    for (int k = 1; k < (s->given.planar ? 2 : 3); k++) least = smaller(least, s->half[k]);
    return least;
}

static collide_pose on_the_way(const collide_pose *from, const collide_pose *to, double x, double h) {
    collide_pose p = *from;
    vec3 omega = vec3_from(from->omega);
    double angle = vec3_norm(omega) * x * h;
    for (int k = 0; k < 3; k++) p.r[k] = from->r[k] + x * (to->r[k] - from->r[k]);
    if (!(angle > 0)) return p;
    vec3 axis = vec3_normalised(omega);
    for (int j = 0; j < 3; j++) { /* Rodrigues */
        vec3 a = vec3_from(from->A + 3 * j), b = vec3_scale(cos(angle), a);
        b = vec3_add_scaled(b, sin(angle), vec3_cross(axis, a));
        vec3_store(vec3_add_scaled(b, (1 - cos(angle)) * vec3_dot(axis, a), axis), p.A + 3 * j);
    }
    return p;
}

static bool passes(collide_world *w, const collide_pose *from, const collide_pose *to, double h, int a, int b, collide_pose *between) {
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    const collide_pose *p0 = &from[s->given.body], *q0 = &from[t->given.body], *p1 = &to[s->given.body], *q1 = &to[t->given.body];
    double way = 0, thin = smaller(thickness(s), thickness(t));
    for (int k = 0; k < 3; k++) {
        double d = (p1->r[k] - p0->r[k]) - (q1->r[k] - q0->r[k]);
        way += d * d;
    }
    way = sqrt(way) + h * (vec3_norm(vec3_from(p0->omega)) * s->arm + vec3_norm(vec3_from(q0->omega)) * t->arm);
    if (!(way > far * thin)) return false;
    if (narrow_goes_through(w, from, to, way, a, b) || narrow_goes_through(w, from, to, way, b, a)) return true;
    if (!(thin > 0)) return false;
    double wanted = ceil(way / (piece_length * thin));
    int pieces = wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    double already = larger(0, narrow_overlap(w, from, a, b)), on_way = already + shallow * thin, at_end = larger(on_way, deep * thin);
    for (int i = 1; i <= pieces; i++) {
        between[s->given.body] = on_the_way(p0, p1, (double)i / pieces, h);
        between[t->given.body] = on_the_way(q0, q1, (double)i / pieces, h);
        if (narrow_overlap(w, between, a, b) > (i < pieces ? on_way : at_end)) return true;
    }
    return false;
}

bool collide_passes(collide_world *w, const collide_pose *from, const collide_pose *to, double h, collide_pose *between, int pair_of[2]) {
    for (size_t i = 0; i < w->broad.n_pairs; i++) {
        pair p = w->broad.pairs[i];
        if (w->shapes[p.of.a].given.class == COLLIDE_PLANE || w->shapes[p.of.b].given.class == COLLIDE_PLANE) continue;
        if (!passes(w, from, to, h, p.of.a, p.of.b, between)) continue;
        pair_of[0] = p.of.a, pair_of[1] = p.of.b;
        return true;
    }
    return false;
}
