/* SPDX-License-Identifier: Apache-2.0 */
/* Hands out runs in lots, and puts the results in order. One caller at a time: threads use a lock, processes a manager. */
#ifndef STUDY_HANDOUT_H
#define STUDY_HANDOUT_H

#include "study/lost.h"
#include "study/parcel.h"

/* Rows first .. first + count - 1. */
typedef struct study_lot {
    long number, first, count;
} study_lot;

typedef struct study_slot {
    study_lot lot;
    study_parcel parcel;
    size_t from; /* byte at which its rows begin */
    bool done;
} study_slot;

enum { STUDY_RING = 1 << 16 }; /* lots; more than all workers have at once */

typedef struct study_handout {
    const study_shared *shared;
    study_table *table;
    study_lost *lost;
    long next, end;               /* row to be handed out next; none from here on */
    long lots, written;           /* lots that were handed out, that are in the file */
    int workers;                  /* that share the rest */
    double lot_seconds;           /* that a lot should take */
    double run_seconds;           /* that a run takes, about; 0: not known */
    long last;                    /* rows of the last lot */
    size_t waiting, most_waiting; /* bytes that wait for an earlier lot; beyond most_waiting nothing is handed out */
    study_row lost_row;           /* memory */
    study_slot *ring;
} study_handout;

zn_status study_handout_create(study_handout *, const study_shared *, study_table *, study_lost *, int workers, double lot_seconds);
void study_handout_free(study_handout *);
/* False: nothing for now (other lots must return first), or the end (next == end). */
bool study_handout_next(study_handout *, study_lot *);
/* The parcel is exchanged for an empty one. */
void study_handout_return(study_handout *, const study_lot *, double seconds, study_parcel *, size_t from);
/* The next lot in order; NULL: it is not there yet. */
study_slot *study_handout_ready(study_handout *);
zn_status study_handout_write(const study_handout *, const study_slot *);
void study_handout_written(study_handout *);
/* No more runs are begun. */
static inline void study_handout_stop(study_handout *h) { h->end = h->next; }

#endif
