/* SPDX-License-Identifier: Apache-2.0 */
/* What lists depend on besides poses: boxes drawn earlier, near pairs and how far they may move, poses of the last search. The tree of the boxes is built anew:
 * pairs do not depend on its shape. */
#include "collide/internal.h"

zn_status collide_carry(collide_world *w, byte_stream *b) {
    broad *B = &w->broad;
    int n = (int)w->n_shapes;
    BYTES_PASS(b, n);
    if (n != (int)w->n_shapes) return ZN_ERROR_ARGUMENT;
    BYTES_PASS(b, w->margin), BYTES_PASS(b, w->stale), BYTES_PASS(b, B->built);
    zn_status status = b->way == BYTES_READ ? broad_prepare(w) : ZN_OK;
    if (status != ZN_OK || !B->built) return status;
    BYTES_PASS_ARRAY(b, B->fat, n);
    B->n_pairs = bytes_pass_count(b, B->n_pairs, sizeof(double));
    if (b->way == BYTES_READ && (!mem_grow(w->context, (void **)&B->pairs, &B->capacity, B->n_pairs + 1, sizeof *B->pairs) ||
                                 !mem_grow(w->context, (void **)&w->seen, &w->seen_room, w->n_shapes + 1, sizeof *w->seen) ||
                                 !mem_grow(w->context, (void **)&w->way, &w->way_room, w->n_shapes + 1, sizeof *w->way)))
        return ZN_ERROR_MEMORY;
    for (size_t i = 0; i < B->n_pairs; i++) {
        pair *p = &B->pairs[i];
        BYTES_PASS(b, p->a), BYTES_PASS(b, p->b), BYTES_PASS(b, p->slack);
        if (b->missing || p->a < 0 || p->a >= n || p->b < 0 || p->b >= n) return ZN_ERROR_ARGUMENT;
    }
    BYTES_PASS_ARRAY(b, w->seen, n);
    return b->way == BYTES_READ ? broad_settle(w) : ZN_OK;
}
