/* SPDX-License-Identifier: Apache-2.0 */
/* Lists from the outside: the order of candidates, where they are now, and what lengths are small. */
#include "collide/internal.h"

int collide_compare(const collide_candidate *x, const collide_candidate *y) { return candidates_compare(x, y); }

bool collide_is_of_pair(const collide_candidate *c, const int shape[2]) {
    return (c->shape[0] == shape[0] && c->shape[1] == shape[1]) || (c->shape[0] == shape[1] && c->shape[1] == shape[0]);
}

void collide_measure(const collide_world *w, const collide_pose *poses, collide_candidate *c) {
    candidate_measure(c, &poses[w->outlines[c->shape[0]].body], &poses[w->outlines[c->shape[1]].body]);
}

double collide_smallest(const collide_world *w) {
    double least = INFINITY;
    for (size_t i = 0; i < w->n_shapes; i++)
        if (w->shapes[i].given.class != COLLIDE_PLANE && w->shapes[i].extent > 0) least = smaller(least, w->shapes[i].extent);
    return isfinite(least) ? least : 1;
}
