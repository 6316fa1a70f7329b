/* SPDX-License-Identifier: Apache-2.0 */
/* Faces on faces: four corners of a flat contact carry a rigid body as well as all of them do: those that span (nearly) the largest area.
 * The first is the farthest from the middle, the second the farthest from the first, the others the farthest on both sides of the line
 * between them; where all are on one side, the fourth is the farthest beyond the other sides of the triangle. Ties, to round-off, go to the
 * one that comes first in the list, so that the choice stays while the bodies rest. Contacts that are not flat are left alone. Other
 * corners that come down when the body tilts are found by the check after the step. */
#include "collide/internal.h"

/* Normals (sine) and gaps (share of the size) that are the same. */
static const double same_normal = 1e-8, same_gap = 1e-6, tie = 1e-9;

enum { FLAT_MOST = 256, FLAT_KEPT = 4 };

static bool is_beside(const collide_candidate *c, const collide_candidate *d, double size) {
    vec3 n = vec3_from(c->n), m = vec3_from(d->n);
    return vec3_norm(vec3_cross(n, m)) < same_normal && fabs(c->gap - d->gap) < same_gap * size;
}

/* The one with the largest value; a tie goes to the first. */
static int largest(int n, const double *value) {
    int best = 0;
    double most = 0;
    for (int i = 0; i < n; i++) most = larger(most, value[i]);
    while (best < n - 1 && !(value[best] >= most * (1 - tie))) best++;
    return best;
}

/* Twice that of three corners, positive when they run round the normal. */
static double area(const vec3 *x, int a, int b, int c, vec3 normal) {
    return vec3_dot(normal, vec3_cross(vec3_sub(x[b], x[a]), vec3_sub(x[c], x[a])));
}

static void choose(int n, const vec3 *x, vec3 normal, bool *kept) {
    vec3 middle = {0, 0, 0};
    double value[FLAT_MOST];
    for (int i = 0; i < n; i++) middle = vec3_add_scaled(middle, 1.0 / n, x[i]);
    for (int i = 0; i < n; i++) value[i] = vec3_norm(vec3_sub(x[i], middle));
    int a = largest(n, value);
    for (int i = 0; i < n; i++) value[i] = vec3_norm(vec3_sub(x[i], x[a]));
    int b = largest(n, value);
    kept[a] = kept[b] = true;
    int third = -1, others = 0, of_third = 0;
    double least = tie * value[b] * value[b]; /* smaller values are round-off */
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < n; i++) value[i] = larger(side * area(x, a, b, i, normal), 0);
        int c = largest(n, value);
        if (!(value[c] > least)) continue;
        kept[c] = true, third = c, of_third = side, others++;
    }
    if (others != 1) return;
    for (int i = 0; i < n; i++)
        value[i] = larger(0, larger(-of_third * area(x, b, third, i, normal), -of_third * area(x, third, a, i, normal)));
    int d = largest(n, value);
    if (value[d] > least) kept[d] = true;
}

/* Of the candidates of one pair, from `first` on. True: some were left out, for the poses of now. */
bool flat_reduce(collide_list *list, size_t first, double size) {
    bool reduced = false;
    for (size_t i = first; i < list->count; i++) {
        size_t member[FLAT_MOST];
        vec3 x[FLAT_MOST];
        bool kept[FLAT_MOST] = {false};
        int n = 0;
        for (size_t j = i; j < list->count && n < FLAT_MOST; j++)
            if (is_beside(&list->at[i], &list->at[j], size)) {
                member[n] = j;
                x[n++] = vec3_from(list->at[j].point);
            }
        if (n <= FLAT_KEPT) continue;
        choose(n, x, vec3_from(list->at[i].n), kept);
        size_t to = member[0];
        int k = 0;
        for (size_t j = to; j < list->count; j++) {
            bool leaves = k < n && member[k] == j && !kept[k];
            if (k < n && member[k] == j) k++;
            if (!leaves) list->at[to++] = list->at[j];
        }
        list->count = to;
        reduced = true;
    }
    return reduced;
}
