/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows a lot has: those of lot_seconds, at most twice as many as the last one (the first runs may be fast ones), and at most half
 * of what is left for each worker, so that all end together:
 *
 *   n = min(lot_seconds/run_seconds, 2 n_last, (end - next)/(2 workers)),  1 <= n <= MOST_ROWS                                     */
#include "study/handout.h"

#include <stdlib.h>

enum { MOST_ROWS = 4096, MOST_WAITING = 16 << 20, MOST_WAITING_OF_WORKER = 64 << 10 };
static const double memory_of_speed = 0.75; /* share of the old speed in the new one */

zn_status study_handout_create(study_handout *h, const study_shared *s, study_table *t, study_lost *lost, int workers, double lot_seconds) {
    *h = (study_handout){.shared = s,
                         .table = t,
                         .lost = lost,
                         .next = t->rows,
                         .end = t->count,
                         .workers = workers,
                         .lot_seconds = lot_seconds,
                         .last = 1,
                         .most_waiting = MOST_WAITING + (size_t)workers * MOST_WAITING_OF_WORKER,
                         .ring = calloc(STUDY_RING, sizeof *h->ring)};
    h->lost_row.numbers = calloc((size_t)study_row_width(s), sizeof(double));
    if (h->ring && h->lost_row.numbers) return ZN_OK;
    study_handout_free(h);
    return fail(s->context, ZN_ERROR_MEMORY, "there is not enough memory for the active runs");
}

void study_handout_free(study_handout *h) {
    for (int i = 0; h->ring && i < STUDY_RING; i++) study_parcel_free(&h->ring[i].parcel);
    free(h->ring);
    free(h->lost_row.numbers);
    *h = (study_handout){0};
}

static long size_of_lot(const study_handout *h) {
    double left = (double)(h->end - h->next) / (2.0 * h->workers), n = 2.0 * (double)h->last;
    if (!(h->run_seconds > 0)) n = 1;
    else if (h->lot_seconds / h->run_seconds < n) n = h->lot_seconds / h->run_seconds;
    if (left < n) n = left;
    return n > MOST_ROWS ? MOST_ROWS : n >= 1 ? (long)n : 1;
}

static study_slot *slot_of(study_handout *h, long lot) { return &h->ring[lot % STUDY_RING]; }

/* A run that was lost too often becomes a failed row here. */
static bool take_lost(study_handout *h) {
    study_slot *slot = slot_of(h, h->lots);
    study_lost_row(h->shared, h->table->first + h->next, &h->lost_row);
    slot->parcel.size = slot->from = 0;
    if (!study_parcel_add(&slot->parcel, h->shared, &h->lost_row)) return false;
    slot->lot = (study_lot){h->lots++, h->next++, 1};
    slot->done = true;
    return true;
}

bool study_handout_next(study_handout *h, study_lot *lot) {
    while (h->next < h->end && h->lots < h->written + STUDY_RING && h->waiting < h->most_waiting) {
        int times = study_lost_times(h->lost, h->table->first + h->next);
        if (times >= STUDY_LOST_MOST && take_lost(h)) continue;
        long count = times ? 1 : size_of_lot(h);
        for (long i = 1; i < count; i++)
            if (study_lost_times(h->lost, h->table->first + h->next + i)) count = i; /* it gets a lot of its own */
        if (!times) h->last = count;
        *lot = (study_lot){h->lots++, h->next, count};
        h->next += count;
        slot_of(h, lot->number)->lot = *lot;
        return true;
    }
    return false;
}

void study_handout_return(study_handout *h, const study_lot *lot, double seconds, study_parcel *parcel, size_t from) {
    study_slot *slot = slot_of(h, lot->number);
    double each = seconds / (double)lot->count;
    if (each > 0) h->run_seconds = h->run_seconds > 0 ? memory_of_speed * h->run_seconds + (1 - memory_of_speed) * each : each;
    study_parcel empty = slot->parcel;
    slot->parcel = *parcel, slot->from = from, slot->done = true;
    h->waiting += slot->parcel.size;
    *parcel = empty;
    parcel->size = 0;
}

study_slot *study_handout_ready(study_handout *h) {
    study_slot *slot = slot_of(h, h->written);
    return h->written < h->lots && slot->done ? slot : NULL;
}

zn_status study_handout_write(const study_handout *h, const study_slot *slot) {
    return study_parcel_write(&slot->parcel, slot->from, slot->lot.count, h->shared, h->table);
}

void study_handout_written(study_handout *h) {
    study_slot *slot = slot_of(h, h->written++);
    h->waiting -= slot->parcel.size < h->waiting ? slot->parcel.size : h->waiting;
    slot->done = false;
    study_parcel_free(&slot->parcel); /* there are many slots, and each would keep its own */
}
