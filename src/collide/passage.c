/* SPDX-License-Identifier: Apache-2.0 */
/* Whether shapes passed through each other, or deep into each other, on their way from pose to pose. The way is followed in pieces that are
 * as long as the shapes are apart, and a little more, which is short against the thinner one of the two,
 *
 *   r(x) = r_0 + x (r_1 - r_0),   A(x) = A_0 turned by x omega_0 h,   0 < x <= 1
 *
 * of every pair whose relative motion is longer than that. A plane is infinitely thick: nothing is ever behind it. Sheets have no
 * thickness: nothing may come through their facets from front to back. */
#include "collide/internal.h"

/* In half thicknesses of the thinner one: a distance that matters, the length of a piece of it, at least and (where there would be too
 * many) at most, and overlaps that are too deep: on the way (more than at its beginning), and at its end, where from a certain depth on it
 * is not clear to which side to push. */
static const double far = 0.5, piece_length = 0.25, longest_piece = 1, shallow = 0.05, deep = 0.5;
enum { MOST_PIECES = 512 };

static double thickness(const solid *s) {
    double least = s->half[0];
    for (int k = 1; k < (s->given.planar ? 2 : 3); k++) least = smaller(least, s->half[k]);
    return least;
}

bool collide_goes_through(collide_world *w, const collide_pose *from, const collide_overlap *to) {
    double thin = INFINITY;
    for (int k = 0; k < 2 && to->depth > 0; k++) {
        const solid *s = &w->shapes[to->pair[k]];
        if (!s->surface && s->given.class != COLLIDE_PLANE) thin = smaller(thin, thickness(s));
    }
    return to->depth > 2 * thin && to->depth > narrow_overlap(w, from, to->pair[0], to->pair[1]);
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

/* How far two shapes move against each other, at most; *thin: the thickness of the thinner one. */
static double way_of(const collide_world *w, const collide_pose *from, const collide_pose *to, double h, const pair_key *of, double *thin) {
    const solid *s = &w->shapes[of->a], *t = &w->shapes[of->b];
    const collide_pose *p0 = &from[s->given.body], *q0 = &from[t->given.body], *p1 = &to[s->given.body], *q1 = &to[t->given.body];
    double way = 0;
    *thin = smaller(thickness(s), thickness(t));
    for (int k = 0; k < 3; k++) {
        double d = (p1->r[k] - p0->r[k]) - (q1->r[k] - q0->r[k]);
        way += d * d;
    }
    return sqrt(way) + h * (vec3_norm(vec3_from(p0->omega)) * s->arm + vec3_norm(vec3_from(q0->omega)) * t->arm);
}

typedef struct ways {
    const collide_world *w;
    const collide_pose *from, *to;
    double h;
} ways;

static void see_some_ways(void *user, int first, int last) {
    const ways *s = user;
    const collide_world *w = s->w;
    for (int i = first; i < last; i++) {
        const pair_key *of = &w->broad.pairs[i].of;
        double thin;
        bool plane = w->shapes[of->a].given.class == COLLIDE_PLANE || w->shapes[of->b].given.class == COLLIDE_PLANE;
        w->looks[i].goes_far = !plane && way_of(w, s->from, s->to, s->h, of, &thin) > far * thin;
    }
}

/* wholly: deeper than the thinner one is thick. */
static bool passes(collide_world *w, const collide_pose *from, const collide_pose *to, double h, const pair_key *of, bool wholly,
                   collide_pose *between) {
    int a = of->a, b = of->b;
    const solid *s = &w->shapes[a], *t = &w->shapes[b];
    double thin, way = way_of(w, from, to, h, of, &thin);
    if (narrow_goes_through(w, from, to, way, a, b) || narrow_goes_through(w, from, to, way, b, a)) return true;
    if (!(thin > 0)) return false;
    double depth = narrow_overlap(w, from, a, b), x = 0;
    const double on_way = larger(0, depth) + (wholly ? 2 : shallow) * thin, at_end = larger(on_way, deep * thin);
    /* of sheets only facets that are near are looked at: how far they are apart is not known; but what comes through one of them was found
     * above */
    const bool sheets = s->surface || t->surface;
    for (int left = MOST_PIECES; x < 1; left--) {
        double apart = sheets ? 0 : larger(0, -depth), even = way * (1 - x) / larger(1, left);
        if (left == 0) return !sheets && !wholly; /* the step is too long to be followed */
        x = smaller(1, x + (apart + larger(piece_length * thin, sheets ? even : smaller(even, longest_piece * thin))) / way);
        between[s->given.body] = on_the_way(&from[s->given.body], &to[s->given.body], x, h);
        between[t->given.body] = on_the_way(&from[t->given.body], &to[t->given.body], x, h);
        depth = narrow_overlap(w, between, a, b);
        if (depth > (x < 1 ? on_way : at_end)) return true;
    }
    return false;
}

zn_status collide_passes(collide_world *w, const collide_pose *from, const collide_pose *to, double h, bool wholly, collide_pose *between,
                         int pair_of[2]) {
    pair_of[0] = pair_of[1] = -1;
    if (collide_need_looks(w) != ZN_OK) return ZN_ERROR_MEMORY;
    collide_share_pairs(w, see_some_ways, &(ways){w, from, to, h});
    for (size_t i = 0; i < w->broad.n_pairs && pair_of[0] < 0; i++) {
        const pair_key *of = &w->broad.pairs[i].of;
        if (w->looks[i].goes_far && passes(w, from, to, h, of, wholly, between)) pair_of[0] = of->a, pair_of[1] = of->b;
    }
    return ZN_OK;
}
