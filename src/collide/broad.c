/* SPDX-License-Identifier: Apache-2.0 */
/* Broad phase: which boxes may meet within the step.
 *
 *   box of a shape at its pose      |x - (r + A m)| <= |A| e            m, e: middle and half edges of its box in K
 *   that of the step                grown by |v| h + |omega| arm h      arm: farthest point from the origin of K; 0 of spheres about it
 *   fat box                         grown by the margin as well
 *
 * Fat boxes stand in a tree. A shape that leaves its fat box gets a new one; when a quarter of the boxes have been replaced, the tree is
 * rebuilt. Pairs are kept sorted: those of boxes that moved are found again by a walk through the tree, and merged with the others. Planes
 * have no box: each is compared with every fat box. */
#include "collide/internal.h"

#include <stdlib.h>

/* The box of the step. */
static box3 box_of(const outline *s, const collide_pose *p, double h, double margin) {
    box3 box;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *A = s->spins ? p->A : unit, *m = s->middle, *e = s->half, arm = s->spins ? s->arm : 0;
    double turn = sqrt(p->omega[0] * p->omega[0] + p->omega[1] * p->omega[1] + p->omega[2] * p->omega[2]) * arm * h;
    for (int k = 0; k < 3; k++) {
        double x = p->r[k] + A[k] * m[0] + A[3 + k] * m[1] + A[6 + k] * m[2];
        double half = fabs(A[k]) * e[0] + fabs(A[3 + k]) * e[1] + fabs(A[6 + k]) * e[2] + fabs(p->v[k]) * h + turn + margin;
        box.lo[k] = x - half;
        box.hi[k] = x + half;
    }
    return box;
}

/* ---- pairs ---- */

static int compare_keys(const void *x, const void *y) {
    const pair_key *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static zn_status add_pair(collide_world *w, int i, int j) {
    broad *B = &w->broad;
    const outline *a = &w->outlines[i], *b = &w->outlines[j];
    if (a->body == b->body || a->planar != b->planar) return ZN_OK;
    if (B->is_moved[i] && B->is_moved[j] && i > j) return ZN_OK; /* found twice */
    int lo = i < j ? i : j, hi = i < j ? j : i;
    if (w->may_meet && !w->may_meet(w->user, lo, hi)) return ZN_OK;
    if (!mem_grow(w->context, (void **)&B->fresh, &B->fresh_room, B->n_fresh + 1, sizeof *B->fresh)) return ZN_ERROR_MEMORY;
    B->fresh[B->n_fresh++] = (pair_key){lo, hi};
    return ZN_OK;
}

/* Does the half space behind the plane reach into the box? `at` its pose; its own motion widens the box. */
static bool plane_meets(const solid *plane, const collide_pose *at, const box3 *box, double h, double margin) {
    mat3 A = pose_matrix(at->A), S = pose_matrix(plane->given.axes);
    vec3 n = mat3_apply(&A, mat3_column(&S, plane->given.planar ? 1 : 2));
    vec3 p = pose_point(vec3_from(at->r), &A, vec3_from(plane->given.centre));
    const double normal[3] = {n.x, n.y, n.z}, point[3] = {p.x, p.y, p.z};
    double lowest = -margin, size = 0;
    double turn = vec3_norm(vec3_from(at->omega)), speed = fabs(vec3_dot(n, vec3_from(at->v)));
    for (int k = 0; k < 3; k++) {
        double lo = box->lo[k] - point[k], hi = box->hi[k] - point[k];
        lowest += normal[k] > 0 ? normal[k] * lo : normal[k] * hi;
        double far = larger(fabs(box->lo[k] - at->r[k]), fabs(box->hi[k] - at->r[k]));
        size += far * far;
    }
    return lowest <= (speed + turn * sqrt(size)) * h;
}

static zn_status meet_planes(collide_world *w, const collide_pose *poses, double h, double margin) {
    broad *B = &w->broad;
    zn_status status = ZN_OK;
    for (int p = 0; p < B->n && status == ZN_OK; p++) {
        if (!w->outlines[p].wide) continue;
        const solid *plane = &w->shapes[p];
        for (int i = 0; i < B->n && status == ZN_OK; i++) {
            if (w->outlines[i].wide || !(B->is_moved[i] || B->is_moved[p])) continue;
            if (!plane_meets(plane, &poses[plane->given.body], &B->fat[i], h, margin)) continue;
            bool both = B->is_moved[i] && B->is_moved[p];
            status = add_pair(w, both && i > p ? p : i, both && i > p ? i : p);
        }
    }
    return status;
}

/* Everything in the tree that meets the box of a shape that moved. */
static zn_status meet_tree(collide_world *w, int shape) {
    tree_walk walk = tree_begin(&w->broad.tree, &w->broad.fat[shape]);
    zn_status status = ZN_OK;
    for (int other = tree_next(&walk); other >= 0 && status == ZN_OK; other = tree_next(&walk))
        if (other != shape) status = add_pair(w, shape, other);
    return status;
}

/* The same for all of them at once. */
static zn_status meet_each_other(collide_world *w) {
    const broad *B = &w->broad;
    tree_pairs pairs = tree_pairs_begin(&B->tree);
    zn_status status = ZN_OK;
    for (int a, b; status == ZN_OK && tree_pairs_next(&pairs, &a, &b);)
        if (B->is_moved[a] || B->is_moved[b]) status = add_pair(w, a < b ? a : b, a < b ? b : a);
    return status;
}

/* ---- the interface ---- */

void broad_destroy(collide_world *w) {
    broad *B = &w->broad;
    void *blocks[] = {B->fat, B->pairs, B->moved, B->order, B->is_moved, B->next, B->fresh, B->sorted, B->end};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(w->context, blocks[i]);
    tree_free(w->context, &B->tree);
    *B = (broad){0};
}

static zn_status reserve(collide_world *w) {
    broad *B = &w->broad;
    size_t n = w->n_shapes;
    if (B->room >= n && B->fat) return ZN_OK;
    broad_destroy(w);
    B->fat = MEM_ARRAY(w->context, box3, n);
    B->moved = MEM_ARRAY(w->context, int, n);
    B->order = MEM_ARRAY(w->context, int, n);
    B->is_moved = MEM_ARRAY(w->context, bool, n);
    B->end = MEM_ARRAY(w->context, size_t, n + 1);
    B->room = n;
    return B->fat && B->moved && B->order && B->is_moved && B->end ? ZN_OK : ZN_ERROR_MEMORY;
}

/* Replaces the boxes that their shapes have left. Returns how many. */
static int renew_boxes(collide_world *w, const collide_pose *poses, double h, double margin) {
    broad *B = &w->broad;
    int n = 0;
    for (int i = 0; i < B->n; i++) {
        const outline *s = &w->outlines[i];
        const collide_pose *p = &poses[s->body];
        bool moved = !B->built;
        if (!moved) {
            box3 now = box_of(s, p, h, 0);
            moved = !box_inside(&now, &B->fat[i]);
        }
        B->is_moved[i] = moved;
        if (!moved) continue;
        B->fat[i] = box_of(s, p, h, margin);
        B->moved[n++] = i;
    }
    return n;
}

zn_status broad_settle(collide_world *w) {
    broad *B = &w->broad;
    int n = 0;
    for (int i = 0; i < B->n; i++)
        if (!w->outlines[i].wide) B->order[n++] = i;
    zn_status status = tree_build(w->context, &B->tree, B->n, B->fat, B->order, n);
    B->moved_since = 0;
    B->built = status == ZN_OK;
    return status;
}

static zn_status renew_tree(collide_world *w, int n_moved) {
    broad *B = &w->broad;
    B->moved_since += n_moved;
    if (!B->built || 4 * B->moved_since > B->n) return broad_settle(w);
    for (int k = 0; k < n_moved; k++)
        if (!w->outlines[B->moved[k]].wide) tree_widen(&B->tree, B->moved[k]);
    return ZN_OK;
}

/* Few keys are compared; many are put into rows by their first shapes, then each short row is sorted. */
static zn_status sort_fresh(collide_world *w) {
    broad *B = &w->broad;
    size_t n = (size_t)B->n, begin = 0;
    if (8 * B->n_fresh < n) {
        if (B->n_fresh > 1) qsort(B->fresh, B->n_fresh, sizeof *B->fresh, compare_keys);
        return ZN_OK;
    }
    if (!mem_grow(w->context, (void **)&B->sorted, &B->sorted_room, B->fresh_room, sizeof *B->sorted)) return ZN_ERROR_MEMORY;
    memset(B->end, 0, (n + 1) * sizeof *B->end);
    for (size_t i = 0; i < B->n_fresh; i++) B->end[B->fresh[i].a + 1]++;
    for (size_t i = 0; i < n; i++) B->end[i + 1] += B->end[i];
    for (size_t i = 0; i < B->n_fresh; i++) B->sorted[B->end[B->fresh[i].a]++] = B->fresh[i];
    for (size_t a = 0; a < n; begin = B->end[a++])
        if (B->end[a] - begin > 1) qsort(B->sorted + begin, B->end[a] - begin, sizeof *B->sorted, compare_keys);
    pair_key *swap = B->fresh;
    size_t room = B->fresh_room;
    B->fresh = B->sorted, B->fresh_room = B->sorted_room;
    B->sorted = swap, B->sorted_room = room;
    return ZN_OK;
}

zn_status broad_prepare(collide_world *w) {
    bool built = w->broad.built;
    zn_status status = reserve(w);
    if (status == ZN_OK) w->broad.n = (int)w->n_shapes, w->broad.built = built;
    return status;
}

/* Pairs of boxes that have not moved stay; of the others those that were found (fresh, sorted), with what is known of them. */
static zn_status merge_fresh(collide_world *w) {
    broad *B = &w->broad;
    size_t n = 0, k = 0, i = 0;
    if (!mem_grow(w->context, (void **)&B->next, &B->next_room, B->n_pairs + B->n_fresh, sizeof *B->next)) return ZN_ERROR_MEMORY;
    while (i < B->n_pairs || k < B->n_fresh) {
        const pair *old = i < B->n_pairs ? &B->pairs[i] : NULL;
        int order = !old ? 1 : k == B->n_fresh ? -1 : compare_keys(&old->of, &B->fresh[k]);
        if (order > 0) B->next[n++] = (pair){.of = B->fresh[k], .slack = PAIR_NEW};
        else if (order == 0 || !(B->is_moved[old->of.a] || B->is_moved[old->of.b])) B->next[n++] = *old;
        i += order <= 0, k += order >= 0;
    }
    pair *swap = B->pairs;
    size_t room = B->capacity;
    B->pairs = B->next, B->capacity = B->next_room, B->n_pairs = n;
    B->next = swap, B->next_room = room;
    return ZN_OK;
}

zn_status broad_update(collide_world *w, const collide_pose *poses, double h, double margin) {
    broad *B = &w->broad;
    if ((size_t)B->n != w->n_shapes) {
        B->built = false;
        zn_status status = broad_prepare(w);
        if (status != ZN_OK) return status;
    }
    int n_moved = renew_boxes(w, poses, h, margin);
    if (n_moved == 0) return ZN_OK;
    if (!B->built) B->n_pairs = 0;
    B->n_fresh = 0;
    zn_status status = renew_tree(w, n_moved);
    if (status == ZN_OK) status = meet_planes(w, poses, h, margin);
    if (4 * n_moved > B->n && status == ZN_OK) status = meet_each_other(w);
    for (int k = 0; k < n_moved && 4 * n_moved <= B->n && status == ZN_OK; k++)
        if (!w->outlines[B->moved[k]].wide) status = meet_tree(w, B->moved[k]);
    if (status == ZN_OK) status = sort_fresh(w);
    if (status == ZN_OK) status = merge_fresh(w);
    if (status != ZN_OK) B->built = false; /* a list without some of its pairs must not be kept */
    return status;
}

bool broad_serves(const collide_world *w, const collide_pose *poses, double h) {
    const broad *B = &w->broad;
    if (!B->built || (size_t)B->n != w->n_shapes) return false;
    for (int i = 0; i < B->n; i++) {
        box3 now = box_of(&w->outlines[i], &poses[w->outlines[i].body], h, 0);
        if (!box_inside(&now, &B->fat[i])) return false;
    }
    return true;
}
