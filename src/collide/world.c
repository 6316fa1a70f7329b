/* SPDX-License-Identifier: Apache-2.0 */
/* The interface: shapes are taken in, lists are found, and checked. */
#include "base/team.h"
#include "collide/internal.h"

#include <stdatomic.h>
#include <stddef.h>

collide_world *collide_create(zn_context *context) {
    collide_world *w = MEM_ARRAY(context, collide_world, 1);
    if (!w) return NULL;
    w->context = context;
    w->least_margin = 1;
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
    mem_free(context, w->looked.at);
    mem_free(context, w->next.at);
    mem_free(context, w->looks);
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
    o->spins = s->given.class != COLLIDE_SPHERE || vec3_norm(vec3_from(s->given.centre)) > 0;
    memcpy(o->middle, s->middle, sizeof o->middle);
    memcpy(o->half, s->half, sizeof o->half);
    if (index) *index = (int)w->n_shapes;
    w->n_shapes++;
    return ZN_OK;
}

void collide_list_less(collide_world *w, double least_margin) { w->least_margin = least_margin; }

void collide_share(collide_world *w, int threads) { w->threads = threads; }

void collide_share_pairs(const collide_world *w, void (*work)(void *, int, int), void *user) {
    base_share(w->context, w->threads, (int)w->broad.n_pairs, PAIRS_OF_TASK, work, user);
}

zn_status collide_need_looks(collide_world *w) {
    return mem_grow(w->context, (void **)&w->looks, &w->look_room, w->broad.n_pairs + 1, sizeof *w->looks) ? ZN_OK : ZN_ERROR_MEMORY;
}

void collide_filter(collide_world *w, bool (*may_meet)(void *, int, int), void *user) {
    w->may_meet = may_meet;
    w->user = user;
    w->broad.built = false;
}

static zn_status check_poses(const collide_world *w, const collide_pose *poses) {
    for (size_t i = 0; i < w->n_shapes; i++) {
        const collide_pose *p = &poses[w->outlines[i].body];
        if (!all_finite(3, p->r) || !all_finite(9, p->A) || !all_finite(3, p->v) || !all_finite(3, p->omega))
            return fail(w->context, ZN_ERROR_NOT_FINITE, "the place or the velocity of the shape '%s' is not finite", w->shapes[i].name);
    }
    return ZN_OK;
}

/* Its candidates, into `looked`. */
static zn_status look_at(collide_world *w, const collide_pose *poses, double h, double margin, pair *p) {
    w->looked.count = 0;
    zn_status status = narrow_pair(w, poses, p->of.a, p->of.b, h, margin, &w->looked, &p->slack);
    guard_note(w, poses, p);
    return status;
}

/* The list after `n` entries goes on with candidates of a pair. While it is the last list (`same`) nothing is moved; from the first
 * difference on the new one is made beside it. */
static zn_status go_on(collide_world *w, collide_list *list, size_t n, const pair *p, const collide_candidate *at, size_t count,
                       bool *same) {
    collide_list *next = &w->next;
    if (*same && count == (size_t)p->count && (count == 0 || p->first == n)) {
        if (count > 0 && at != list->at + n) memcpy(list->at + n, at, count * sizeof *at);
        return ZN_OK;
    }
    size_t have = *same ? n : 0;
    if (!mem_grow(w->context, (void **)&next->at, &next->capacity, n + count, sizeof *next->at)) return ZN_ERROR_MEMORY;
    if (have > 0) memcpy(next->at, list->at, have * sizeof *next->at);
    if (count > 0) memcpy(next->at + n, at, count * sizeof *at);
    *same = false;
    return ZN_OK;
}

void collide_forget(collide_world *w) {
    for (size_t i = 0; i < w->broad.n_pairs; i++) w->broad.pairs[i].slack = PAIR_NEW, w->broad.pairs[i].count = 0;
}

void collide_doubt(collide_world *w, const collide_list *list) {
    size_t k = 0;
    for (size_t i = 0; i < w->broad.n_pairs; i++) {
        pair *p = &w->broad.pairs[i];
        while (k < list->count && candidate_is_before(&list->at[k], p->of.a, p->of.b)) k++;
        if (k < list->count && candidate_is_of(&list->at[k], p->of.a, p->of.b)) p->slack = PAIR_NEW;
    }
}

/* Pairs that have used this part of their slack are examined together with those that have used all of it, so that lists are made less
 * often. */
static const double soon = 0.5;

zn_status collide_find(collide_world *w, const collide_pose *poses, double h, double margin, collide_list *list) {
    size_t n = 0;
    bool same = true;
    w->margin = margin;
    if (list->count != w->listed) collide_forget(w); /* it is another one */
    zn_status status = check_poses(w, poses);
    if (status == ZN_OK) status = broad_update(w, poses, h, margin);
    for (size_t i = 0; i < w->broad.n_pairs && status == ZN_OK; i++) { /* pairs are sorted, and so are the candidates of each */
        pair *p = &w->broad.pairs[i];
        bool serves = guard_serves(w, poses, p, h, soon);
        if (!serves) status = look_at(w, poses, h, margin, p);
        collide_list *from = serves ? list : &w->looked;
        size_t first = serves ? p->first : 0, count = serves ? (size_t)p->count : from->count;
        for (size_t k = first; serves && k < first + count; k++) collide_measure(w, poses, &from->at[k]);
        if (status == ZN_OK) status = go_on(w, list, n, p, count > 0 ? from->at + first : NULL, count, &same);
        p->first = n, p->count = (int)count;
        n += count;
    }
    if (status != ZN_OK) collide_forget(w), n = 0;
    if (!same) {
        collide_list swap = w->next;
        w->next = *list, *list = swap;
    }
    list->count = w->listed = n;
    return status;
}

zn_status collide_find_along(collide_world *w, const collide_pose *poses, const collide_pose *ends, double h, double margin,
                             collide_list *list) {
    for (size_t i = 0; i < w->broad.n_pairs; i++)
        if (!guard_serves(w, ends, &w->broad.pairs[i], 0, 1)) w->broad.pairs[i].slack = PAIR_NEW;
    return collide_find(w, poses, h, margin, list);
}

/* A length that is small for both. */
static double smaller_extent(const collide_world *w, const pair *p) {
    return smaller(w->shapes[p->of.a].extent, w->shapes[p->of.b].extent);
}

void collide_keep(collide_world *w, const collide_list *list) {
    size_t k = 0;
    for (size_t i = 0; i < w->broad.n_pairs; i++) {
        pair *p = &w->broad.pairs[i];
        while (k < list->count && candidate_is_before(&list->at[k], p->of.a, p->of.b)) k++;
        p->first = k;
        while (k < list->count && candidate_is_of(&list->at[k], p->of.a, p->of.b)) k++;
        if (p->count != (int)(k - p->first)) p->slack = smaller(p->slack, COLLIDE_BORDER * smaller_extent(w, p));
        p->count = (int)(k - p->first);
    }
    w->listed = list->count;
}

typedef struct serving {
    const collide_world *w;
    const collide_pose *poses;
    double h;
    atomic_bool not ;
} serving;

static void see_whether_some_serve(void *user, int first, int last) {
    serving *s = user;
    for (int i = first; i < last && !atomic_load_explicit(&s->not, memory_order_relaxed); i++)
        if (!guard_serves(s->w, s->poses, &s->w->broad.pairs[i], s->h, 1)) atomic_store(&s->not, true);
}

bool collide_still_serves(const collide_world *w, const collide_pose *poses, double h) {
    if (!broad_serves(w, poses, h)) return false;
    serving s = {.w = w, .poses = poses, .h = h};
    collide_share_pairs(w, see_whether_some_serve, &s);
    return !s.not ;
}

/* ---- checks ---- */

/* Among the sorted entries lo .. hi - 1. */
static const collide_candidate *listed_among(const collide_entries *list, size_t lo, size_t hi, const collide_candidate *c) {
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        const collide_candidate *at = (const void *)((const char *)list->first + middle * list->size);
        int order = candidates_compare(at, c);
        if (order == 0) return at;
        if (order < 0) lo = middle + 1;
        else hi = middle;
    }
    return NULL;
}

/* Of a pair: mostly where it was in the last list. */
static const collide_candidate *listed(const collide_world *w, const collide_entries *list, const pair *p, const collide_candidate *c) {
    size_t count = list ? list->count : 0, end = p->first + (size_t)p->count;
    const collide_candidate *at = count == w->listed && end <= count ? listed_among(list, p->first, end, c) : NULL;
    return at ? at : listed_among(list, 0, count, c);
}

bool collide_same_features(const collide_candidate *c, const collide_candidate *d) {
    bool same = c->side == d->side;
    for (int i = 0; i < 2; i++) {
        const feature *f = &c->of[i], *g = &d->of[i];
        same = same && f->kind == g->kind && memcmp(f->point, g->point, sizeof *f - offsetof(feature, point)) == 0;
    }
    return same;
}

/* The features that overlap at the end of a step. What is listed as another part of the same feature (the tangent of a rim that has rolled
 * on) is listed again. Where the shapes overlap although everything listed is apart, their deepest points are listed. */
static zn_status find_missed(collide_world *w, const collide_pose *poses, const pair *p, double tolerance, const collide_entries *list,
                             collide_list *missed, bool *known) {
    size_t first = missed->count, n = first;
    *known = false;
    zn_status status = narrow_pair(w, poses, p->of.a, p->of.b, 0, 0, missed, NULL);
    for (size_t k = first; k < missed->count; k++) {
        const collide_candidate *c = &missed->at[k], *old = listed(w, list, p, c);
        if (!(c->gap < -tolerance)) continue;
        *known = true;
        if (!old || !collide_same_features(old, c)) missed->at[n++] = missed->at[k];
    }
    missed->count = n;
    if (status != ZN_OK || *known) return status;
    status = narrow_deepest(w, poses, p->of.a, p->of.b, missed);
    *known = missed->count > n;
    return status;
}

typedef struct checking {
    const collide_world *w;
    const collide_pose *poses;
    double tolerance; /* INFINITY: nobody asks what is known */
    const collide_entries *list;
} checking;

static void look_at_some(void *user, int first, int last) {
    const checking *c = user;
    const collide_world *w = c->w;
    for (int i = first; i < last; i++) {
        const pair *p = &w->broad.pairs[i];
        pair_look *look = &w->looks[i];
        collide_candidate only;
        look->has = narrow_simple_overlap(w, c->poses, p->of.a, p->of.b, &look->depth);
        look->known =
            look->has && look->depth > c->tolerance && narrow_only_one(w, p->of.a, p->of.b, &only) && listed(w, c->list, p, &only);
    }
}

zn_status collide_check(collide_world *w, const collide_pose *poses, double tolerance, const collide_entries *list, collide_list *missed,
                        collide_overlap *overlap) {
    double deepest = 0;
    *overlap = (collide_overlap){.pair = {-1, -1}};
    if (missed) missed->count = 0;
    zn_status status = check_poses(w, poses);
    if (status == ZN_OK) status = broad_update(w, poses, 0, w->margin);
    if (status == ZN_OK) status = collide_need_looks(w);
    if (status == ZN_OK) collide_share_pairs(w, look_at_some, &(checking){w, poses, missed ? tolerance : INFINITY, list});
    for (size_t i = 0; i < w->broad.n_pairs && status == ZN_OK; i++) {
        const pair *p = &w->broad.pairs[i];
        const pair_look *look = &w->looks[i];
        double depth = look->has ? look->depth : narrow_overlap(w, poses, p->of.a, p->of.b);
        if (is_worse(depth, deepest)) deepest = depth, overlap->pair[0] = p->of.a, overlap->pair[1] = p->of.b;
        if (!missed || depth <= tolerance || look->known) continue;
        bool known;
        status = find_missed(w, poses, p, tolerance, list, missed, &known);
        if (!known) overlap->unexplained = larger(overlap->unexplained, depth);
    }
    if (status == ZN_OK && missed) candidates_sort(missed, 0);
    overlap->depth = deepest;
    return status;
}
