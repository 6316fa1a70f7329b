/* SPDX-License-Identifier: Apache-2.0 */
/* What lists depend on besides poses: the fat boxes, near pairs, how far they may move, where they were when they were examined, and the
 * last list. The tree of the boxes is
 * rebuilt: pairs do not depend on its shape. */
#include "collide/internal.h"

#include <stddef.h>

static void carry_feature(byte_stream *b, feature *f) {
    BYTES_PASS(b, f->kind);
    bytes_pass(b, f->point, sizeof *f - offsetof(feature, point)); /* numbers only */
}

void collide_carry_candidate(byte_stream *b, collide_candidate *c) {
    BYTES_PASS(b, c->shape), BYTES_PASS(b, c->feature);
    for (int i = 0; i < 2; i++) carry_feature(b, &c->of[i]);
    BYTES_PASS(b, c->side), BYTES_PASS(b, c->gap), BYTES_PASS(b, c->n), BYTES_PASS(b, c->point);
}

static bool is_candidate(const collide_world *w, const collide_candidate *c) {
    bool good = true;
    for (int i = 0; i < 2; i++)
        good = good && c->shape[i] >= 0 && c->shape[i] < (int)w->n_shapes && (int)c->of[i].kind >= 0 && c->of[i].kind < FEATURE_KIND_COUNT;
    return good;
}

static zn_status carry_list(const collide_world *w, byte_stream *b, collide_list *list) {
    list->count = bytes_pass_count(b, list->count, sizeof(feature));
    if (b->way == BYTES_READ && !mem_grow(w->context, (void **)&list->at, &list->capacity, list->count + 1, sizeof *list->at))
        return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < list->count; i++) {
        collide_carry_candidate(b, &list->at[i]);
        if (b->missing || !is_candidate(w, &list->at[i])) return ZN_ERROR_ARGUMENT;
    }
    return ZN_OK;
}

static zn_status carry_pairs(collide_world *w, byte_stream *b, size_t listed) {
    broad *B = &w->broad;
    int n = (int)w->n_shapes;
    B->n_pairs = bytes_pass_count(b, B->n_pairs, sizeof(double));
    if (b->way == BYTES_READ && !mem_grow(w->context, (void **)&B->pairs, &B->capacity, B->n_pairs + 1, sizeof *B->pairs))
        return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < B->n_pairs; i++) {
        pair *p = &B->pairs[i];
        BYTES_PASS(b, p->of.a), BYTES_PASS(b, p->of.b), BYTES_PASS(b, p->count), BYTES_PASS(b, p->first), BYTES_PASS(b, p->slack);
        BYTES_PASS(b, p->seen);
        if (b->missing || p->of.a < 0 || p->of.a >= n || p->of.b < 0 || p->of.b >= n || p->count < 0 || p->first > listed ||
            (size_t)p->count > listed - p->first)
            return ZN_ERROR_ARGUMENT;
    }
    return ZN_OK;
}

zn_status collide_carry(collide_world *w, byte_stream *b, collide_list *list) {
    broad *B = &w->broad;
    int n = (int)w->n_shapes;
    BYTES_PASS(b, n);
    if (n != (int)w->n_shapes) return ZN_ERROR_ARGUMENT;
    BYTES_PASS(b, w->margin), BYTES_PASS(b, B->built);
    zn_status status = carry_list(w, b, list);
    w->listed = list->count;
    if (status == ZN_OK && b->way == BYTES_READ) status = broad_prepare(w);
    if (status != ZN_OK || !B->built) return status;
    BYTES_PASS_ARRAY(b, B->fat, n);
    status = carry_pairs(w, b, list->count);
    return status == ZN_OK && b->way == BYTES_READ ? broad_settle(w) : status;
}
