/* SPDX-License-Identifier: Apache-2.0 */
/* Broad phase: which boxes may meet within the step.
 *
 *   box of a shape at its pose      |x - (r + A m)| <= |A| e            m, e: middle and half edges of its box in K
 *   that of the step                grown by |v| h + |omega| arm h      arm: farthest point from the origin of K
 *   fat box                         grown by the margin as well
 *
 * Fat boxes stand in a tree. One that is left is made anew; after as many moves as a quarter of the boxes the tree is built anew. Pairs are
 * kept sorted: those of boxes that moved go, and come back from a walk through the tree. Planes have no box: each is held against every
 * fat box. */
#include "collide/internal.h"

#include <stdlib.h>

/* The box of the step. */
static box3 box_of(const outline *s, const collide_pose *p, double h, double margin) {
    box3 box;
    const double *A = p->A, *m = s->middle, *e = s->half;
    double turn = sqrt(p->omega[0] * p->omega[0] + p->omega[1] * p->omega[1] + p->omega[2] * p->omega[2]) * s->arm * h;
    for (int k = 0; k < 3; k++) {
        double x = p->r[k] + A[k] * m[0] + A[3 + k] * m[1] + A[6 + k] * m[2];
        double half = fabs(A[k]) * e[0] + fabs(A[3 + k]) * e[1] + fabs(A[6 + k]) * e[2] + fabs(p->v[k]) * h + turn + margin;
        box.lo[k] = x - half;
        box.hi[k] = x + half;
    }
    return box;
}

/* ---- pairs ---- */

static int compare_pairs(const void *x, const void *y) {
    const pair *p = x, *q = y;
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
    if (!mem_grow(w->context, (void **)&B->pairs, &B->capacity, B->n_pairs + 1, sizeof *B->pairs)) return ZN_ERROR_MEMORY;
    B->pairs[B->n_pairs++] = (pair){.a = lo, .b = hi, .slack = PAIR_NEW};
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
    void *blocks[] = {B->fat, B->pairs, B->moved, B->order, B->is_moved, B->before};
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
    B->room = n;
    return B->fat && B->moved && B->order && B->is_moved ? ZN_OK : ZN_ERROR_MEMORY;
}

/* Draws the boxes that were left anew. Returns how many. */
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

/* Many new pairs: they are put into rows by their first shapes, then each short row is sorted. */
static zn_status sort_by_rows(collide_world *w) {
    broad *B = &w->broad;
    int *end = MEM_ARRAY(w->context, int, B->n + 1);
    pair *sorted = MEM_ARRAY(w->context, pair, B->n_pairs);
    zn_status status = end && sorted ? ZN_OK : ZN_ERROR_MEMORY;
    for (size_t i = 0; i < B->n_pairs && status == ZN_OK; i++) end[B->pairs[i].a + 1]++;
    for (int i = 0; i < B->n && status == ZN_OK; i++) end[i + 1] += end[i];
    for (size_t i = 0; i < B->n_pairs && status == ZN_OK; i++) {
        pair p = B->pairs[i];
        sorted[end[p.a]++] = p;
    }
    for (int a = 0; a < B->n && status == ZN_OK; a++) {
        int begin = a > 0 ? end[a - 1] : 0;
        if (end[a] - begin > 1) qsort(sorted + begin, (size_t)(end[a] - begin), sizeof *sorted, compare_pairs);
    }
    if (status == ZN_OK) memcpy(B->pairs, sorted, B->n_pairs * sizeof *sorted);
    mem_free(w->context, end);
    mem_free(w->context, sorted);
    return status;
}

/* The first `kept` are sorted already: few new ones are sorted, and merged from the back. */
static zn_status sort_pairs(collide_world *w, size_t kept) {
    broad *B = &w->broad;
    size_t fresh = B->n_pairs - kept;
    if (fresh == 0) return ZN_OK;
    if (8 * fresh > B->n_pairs) return sort_by_rows(w);
    qsort(B->pairs + kept, fresh, sizeof *B->pairs, compare_pairs);
    pair *copy = MEM_ARRAY(w->context, pair, fresh);
    if (!copy) return ZN_ERROR_MEMORY;
    memcpy(copy, B->pairs + kept, fresh * sizeof *copy);
    size_t at = B->n_pairs;
    while (fresh > 0) {
        if (kept > 0 && compare_pairs(&B->pairs[kept - 1], &copy[fresh - 1]) > 0) B->pairs[--at] = B->pairs[--kept];
        else B->pairs[--at] = copy[--fresh];
    }
    mem_free(w->context, copy);
    return ZN_OK;
}

zn_status broad_prepare(collide_world *w) {
    bool built = w->broad.built;
    zn_status status = reserve(w);
    if (status == ZN_OK) w->broad.n = (int)w->n_shapes, w->broad.built = built;
    return status;
}

/* What is known of pairs goes over to the same ones found anew. */
static void remember(broad *B, size_t n_before) {
    size_t k = 0;
    for (size_t i = 0; i < B->n_pairs && k < n_before; i++) {
        while (k < n_before && compare_pairs(&B->before[k], &B->pairs[i]) < 0) k++;
        if (k < n_before && compare_pairs(&B->before[k], &B->pairs[i]) == 0) B->pairs[i] = B->before[k];
    }
}

/* Pairs of boxes that moved go, and are put aside, sorted. */
static zn_status put_aside(collide_world *w, size_t *n_before) {
    broad *B = &w->broad;
    size_t kept = 0;
    *n_before = 0;
    if (!mem_grow(w->context, (void **)&B->before, &B->before_room, B->n_pairs, sizeof *B->before)) return ZN_ERROR_MEMORY;
    for (size_t k = 0; k < B->n_pairs; k++) {
        if (!B->is_moved[B->pairs[k].a] && !B->is_moved[B->pairs[k].b]) B->pairs[kept++] = B->pairs[k];
        else B->before[(*n_before)++] = B->pairs[k];
    }
    B->n_pairs = kept;
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
    size_t n_before;
    zn_status status = renew_tree(w, n_moved);
    if (status == ZN_OK) status = put_aside(w, &n_before);
    if (status != ZN_OK) return status;
    size_t kept = B->n_pairs;
    status = meet_planes(w, poses, h, margin);
    if (4 * n_moved > B->n && status == ZN_OK) status = meet_each_other(w);
    for (int k = 0; k < n_moved && 4 * n_moved <= B->n && status == ZN_OK; k++)
        if (!w->outlines[B->moved[k]].wide) status = meet_tree(w, B->moved[k]);
    if (status == ZN_OK) status = sort_pairs(w, kept);
    if (status == ZN_OK) remember(B, n_before);
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
