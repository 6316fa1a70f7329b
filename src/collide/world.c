/* SPDX-License-Identifier: Apache-2.0 */
/* The interface: shapes are taken in, lists are found, and checked. */
#include "collide/internal.h"

#include <stddef.h>

collide_world *collide_create(zn_context *context) {
    collide_world *w = MEM_ARRAY(context, collide_world, 1);
    if (!w) return NULL;
    w->context = context;
    for (int i = 0; i < 2; i++)
        if (polytope_reserve(context, &w->facet[i], 3, 1, 3, 3) != ZN_OK) {
            collide_destroy(w);
            return NULL;
        }
    if (round_reserve(w) != ZN_OK) {
        collide_destroy(w);
        return NULL;
    }
    return w;
}

void collide_destroy(collide_world *w) {
    if (!w) return;
    zn_context *context = w->context;
    for (size_t i = 0; i < w->n_shapes; i++) solid_free(context, &w->shapes[i]);
    for (int i = 0; i < 2; i++) {
        mem_free(context, w->side[i].vertex);
        mem_free(context, w->side[i].normal);
        mem_free(context, w->near[i]);
        polytope_free(context, &w->facet[i]);
    }
    round_free(w);
    broad_destroy(w);
    mem_free(context, w->kept.at);
    mem_free(context, w->outlines);
    mem_free(context, w->shapes);
    mem_free(context, w);
}

zn_status collide_add(collide_world *w, const collide_shape *shape, const char *name, int *index) {
    if (!mem_grow(w->context, (void **)&w->shapes, &w->shape_capacity, w->n_shapes + 1, sizeof *w->shapes)) return ZN_ERROR_MEMORY;
    if (!mem_grow(w->context, (void **)&w->outlines, &w->outline_capacity, w->n_shapes + 1, sizeof *w->outlines)) return ZN_ERROR_MEMORY;
    solid *s = &w->shapes[w->n_shapes];
    zn_status status = solid_make(w->context, shape, name, s);
    if (status != ZN_OK) {
        solid_free(w->context, s);
        return status;
    }
    outline *o = &w->outlines[w->n_shapes];
    *o = (outline){.arm = s->arm, .body = s->given.body, .wide = s->given.class == COLLIDE_PLANE, .planar = s->given.planar};
    memcpy(o->middle, s->middle, sizeof o->middle);
    memcpy(o->half, s->half, sizeof o->half);
    if (index) *index = (int)w->n_shapes;
    w->n_shapes++;
    return ZN_OK;
}

void collide_filter(collide_world *w, bool (*may_meet)(void *, int, int), void *user) {
    w->may_meet = may_meet;
    w->user = user;
    w->broad.built = false;
}

static zn_status check_poses(const collide_world *w, const collide_pose *poses) {
    for (size_t i = 0; i < w->n_shapes; i++) {
        const collide_pose *p = &poses[w->shapes[i].given.body];
        if (!all_finite(3, p->r) || !all_finite(9, p->A) || !all_finite(3, p->v) || !all_finite(3, p->omega))
            return fail(w->context, ZN_ERROR_NOT_FINITE, "the place or the velocity of the shape '%s' is not finite", w->shapes[i].name);
    }
    return ZN_OK;
}

/* The candidates of a pair that serve still, from the last list; where they are now. */
static zn_status take_over(collide_world *w, const collide_pose *poses, const pair *p, collide_list *list) {
    size_t count = (size_t)p->count, first = list->count;
    if (!mem_grow(w->context, (void **)&list->at, &list->capacity, first + count, sizeof *list->at)) return ZN_ERROR_MEMORY;
    if (count > 0) memcpy(list->at + first, w->kept.at + p->first, count * sizeof *list->at);
    list->count += count;
    for (size_t i = first; i < list->count; i++) collide_measure(w, poses, &list->at[i]);
    return ZN_OK;
}

/* Two that have parted, farther than what is listed, but by no more than a few margins: their last candidates stay while all of them are as far away, so that schemes with a
 * memory can let go of them slowly. */
static const double few_margins = 4;
static zn_status part_slowly(collide_world *w, const collide_pose *poses, double margin, pair *p, collide_list *list) {
    size_t first = list->count;
    zn_status status = take_over(w, poses, p, list);
    double least = INFINITY;
    for (size_t i = first; i < list->count; i++) least = smaller(least, list->at[i].gap);
    if (!(least > margin && least < few_margins * margin)) list->count = first;
    else p->slack = smaller(p->slack, margin);
    return status;
}

static zn_status look_at(collide_world *w, const collide_pose *poses, double h, double margin, pair *p, collide_list *list) {
    size_t first = list->count;
    zn_status status = narrow_pair(w, poses, p->a, p->b, h, margin, list, &p->slack);
    if (status == ZN_OK && list->count == first && p->count > 0 && p->slack > 0) status = part_slowly(w, poses, margin, p, list);
    guard_note(w, poses, p);
    p->count = (int)(list->count - first);
    return status;
}

/* The list is what the next one begins from. */
static zn_status keep(collide_world *w, const collide_list *list) {
    if (!mem_grow(w->context, (void **)&w->kept.at, &w->kept.capacity, list->count, sizeof *list->at)) return ZN_ERROR_MEMORY;
    if (list->count > 0) memcpy(w->kept.at, list->at, list->count * sizeof *list->at);
    w->kept.count = list->count;
    return ZN_OK;
}

void collide_forget(collide_world *w) {
    for (size_t i = 0; i < w->broad.n_pairs; i++) w->broad.pairs[i].slack = PAIR_NEW, w->broad.pairs[i].count = 0;
}

/* Pairs that have used this part of their slack are looked at with those that have used all of it: one list for many. */
static const double soon = 0.5;

zn_status collide_find(collide_world *w, const collide_pose *poses, double h, double margin, collide_list *list) {
    list->count = 0;
    w->margin = margin;
    zn_status status = check_poses(w, poses);
    if (status == ZN_OK) status = broad_update(w, poses, h, margin);
    for (size_t i = 0; i < w->broad.n_pairs && status == ZN_OK; i++) {
        pair *p = &w->broad.pairs[i];
        size_t first = list->count;
        status = guard_serves(w, poses, p, h, soon) ? take_over(w, poses, p, list) : look_at(w, poses, h, margin, p, list);
        p->first = first;
    }
    if (status == ZN_OK) status = keep(w, list); /* pairs are sorted, and so are the candidates of each */
    if (status != ZN_OK) collide_forget(w);
    return status;
}

zn_status collide_find_along(collide_world *w, const collide_pose *poses, const collide_pose *ends, double h, double margin,
                             collide_list *list) {
    for (size_t i = 0; i < w->broad.n_pairs; i++)
        if (!guard_serves(w, ends, &w->broad.pairs[i], 0, 1)) w->broad.pairs[i].slack = PAIR_NEW;
    return collide_find(w, poses, h, margin, list);
}

/* A length that is small for both. */
static double smaller_extent(const collide_world *w, const pair *p) { return smaller(w->shapes[p->a].extent, w->shapes[p->b].extent); }

zn_status collide_keep(collide_world *w, const collide_list *list) {
    size_t k = 0;
    for (size_t i = 0; i < w->broad.n_pairs; i++) {
        pair *p = &w->broad.pairs[i];
        while (k < list->count && candidate_is_before(&list->at[k], p->a, p->b)) k++;
        p->first = k;
        while (k < list->count && candidate_is_of(&list->at[k], p->a, p->b)) k++;
        if (p->count != (int)(k - p->first)) p->slack = smaller(p->slack, COLLIDE_BORDER * smaller_extent(w, p));
        p->count = (int)(k - p->first);
    }
    zn_status status = keep(w, list);
    if (status != ZN_OK) collide_forget(w);
    return status;
}

bool collide_still_serves(const collide_world *w, const collide_pose *poses, double h) {
    if (!broad_serves(w, poses, h)) return false;
    for (size_t i = 0; i < w->broad.n_pairs; i++)
        if (!guard_serves(w, poses, &w->broad.pairs[i], h, 1)) return false;
    return true;
}

static const collide_candidate *listed(const collide_list *list, const collide_candidate *c) {
    size_t lo = 0, hi = list ? list->count : 0;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        int order = candidates_compare(&list->at[middle], c);
        if (order == 0) return &list->at[middle];
        if (order < 0) lo = middle + 1;
        else hi = middle;
    }
    return NULL;
}

bool collide_same_features(const collide_candidate *c, const collide_candidate *d) {
    bool same = c->side == d->side;
    for (int i = 0; i < 2; i++) {
        const feature *f = &c->of[i], *g = &d->of[i];
        same = same && f->kind == g->kind && memcmp(f->point, g->point, sizeof *f - offsetof(feature, point)) == 0;
    }
    return same;
}

/* The features that overlap at the end of a step. What is listed as another part of the same feature (the tangent of a rim that has rolled on) is
 * listed anew. Where all that is listed is apart, and yet the shapes overlap, the deepest points are. */
static zn_status find_missed(collide_world *w, const collide_pose *poses, const pair *p, double tolerance, const collide_list *list,
                             collide_list *missed, bool *known) {
    size_t first = missed->count, n = first;
    *known = false;
    zn_status status = narrow_pair(w, poses, p->a, p->b, 0, 0, missed, NULL);
    for (size_t k = first; k < missed->count; k++) {
        const collide_candidate *c = &missed->at[k], *old = listed(list, c);
        if (!(c->gap < -tolerance)) continue;
        *known = true;
        if (!old || !collide_same_features(old, c)) missed->at[n++] = missed->at[k];
    }
    missed->count = n;
    if (status != ZN_OK || *known) return status;
    status = narrow_deepest(w, poses, p->a, p->b, missed);
    *known = missed->count > n;
    return status;
}

zn_status collide_check(collide_world *w, const collide_pose *poses, double tolerance, const collide_list *list, collide_list *missed,
                        collide_overlap *overlap) {
    double deepest = 0;
    *overlap = (collide_overlap){.pair = {-1, -1}};
    if (missed) missed->count = 0;
    zn_status status = check_poses(w, poses);
    if (status == ZN_OK) status = broad_update(w, poses, 0, w->margin);
    for (size_t i = 0; i < w->broad.n_pairs && status == ZN_OK; i++) {
        pair p = w->broad.pairs[i];
        double depth = narrow_overlap(w, poses, p.a, p.b);
        if (is_worse(depth, deepest)) deepest = depth, overlap->pair[0] = p.a, overlap->pair[1] = p.b;
        if (!missed || depth <= tolerance) continue;
        bool known;
        status = find_missed(w, poses, &p, tolerance, list, missed, &known);
        if (!known) overlap->unexplained = larger(overlap->unexplained, depth);
    }
    if (status == ZN_OK && missed) candidates_sort(missed, 0);
    overlap->depth = deepest;
    return status;
}
