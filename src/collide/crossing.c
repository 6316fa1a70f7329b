/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a mesh crosses itself: an edge of a triangle goes through another one with which it has no corner in common. With the plane n.(x - p) = 0 of that one the ends
 * a, b of the edge lie on both sides, and the point of the edge in the plane,
 *
 *   x = a + s (b - a),   s = d_a/(d_a - d_b),   d = n.(. - p),
 *
 * lies inside of all its sides. What only touches, to round-off, does not cross. */
#include "collide/internal.h"

/* Of the size of the two triangles. */
static const double touching = 1e-9;

static bool goes_through(vec3 a, vec3 b, const vec3 t[3], vec3 n) {
    double size = vec3_norm(vec3_sub(b, a)) + vec3_norm(vec3_sub(t[1], t[0])) + vec3_norm(vec3_sub(t[2], t[0])), least = touching * size;
    double da = vec3_dot(n, vec3_sub(a, t[0])), db = vec3_dot(n, vec3_sub(b, t[0]));
    if (!((da > least && db < -least) || (da < -least && db > least))) return false;
    vec3 x = vec3_add_scaled(a, da / (da - db), vec3_sub(b, a));
    for (int k = 0; k < 3; k++) {
        vec3 in = vec3_normalised(vec3_cross(n, vec3_sub(t[(k + 1) % 3], t[k])));
        if (!(vec3_dot(in, vec3_sub(x, t[k])) > least)) return false;
    }
    return true;
}

static bool share_a_corner(const surface *s, int f, int g) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (s->facet[f][i] == s->facet[g][j]) return true;
    return false;
}

/* An edge of f through g. */
static bool crosses(const surface *s, int f, int g) {
    vec3 t[3], u[3];
    for (int k = 0; k < 3; k++) t[k] = s->point[s->facet[g][k]], u[k] = s->point[s->facet[f][k]];
    for (int k = 0; k < 3; k++)
        if (goes_through(u[k], u[(k + 1) % 3], t, s->normal[g])) return true;
    return false;
}

zn_status surface_check_crossing(zn_context *context, const surface *s, const char *name) {
    int a, b;
    if (s->corners != 3) return ZN_OK;
    tree_pairs pairs = tree_pairs_begin(&s->tree);
    while (tree_pairs_next(&pairs, &a, &b)) {
        if (share_a_corner(s, a, b) || !(crosses(s, a, b) || crosses(s, b, a))) continue;
        int f = a < b ? a : b, g = a < b ? b : a;
        return fail(context, ZN_ERROR_MODEL,
                    "the mesh '%s' crosses itself: its triangles %d and %d go through each other, near its point %d; split it into parts "
                    "that do not, "
                    "several shapes on a body make one",
                    name, f + 1, g + 1, s->facet[f][0] + 1);
    }
    return ZN_OK;
}
