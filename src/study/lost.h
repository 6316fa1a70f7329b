/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that were in progress when their process was killed. Each worker stores its current run in its own place of the memory-mapped file
 * PATH.at-work, which outlives the process, at the cost of one store. The next start finds the unfinished runs there and repeats them, each
 * by itself; a run that is lost again becomes a row that failed, so that it cannot end the study forever. */
#ifndef STUDY_LOST_H
#define STUDY_LOST_H

#include "study/single.h"

enum { STUDY_LOST_MOST = 2, STUDY_LOST_KEPT = 250 };

typedef struct study_lost study_lost;

/* hash: of the study. first_missing: runs before it are in the file. Where the file cannot be made, lost runs are not
 * tracked. NULL: out of memory. */
study_lost *study_lost_begin(zn_context *, const char *path, const char *hash, long first_missing);
/* done: the file is no longer needed. */
void study_lost_end(study_lost *, bool done);
/* How often the run was lost. */
int study_lost_times(const study_lost *, long run);
/* Its row when that was too often. */
void study_lost_row(const study_shared *, long run, study_row *);

/* A worker's place. The file is there already. */
typedef struct study_place {
    volatile long *run; /* + 1; 0: none. NULL: there is no place */
    void *page;
} study_place;
void study_place_take(study_place *, const char *path, int worker);
void study_place_leave(study_place *);
static inline void study_place_at(study_place *p, long run) {
    if (p->run) *p->run = run + 1;
}

#endif
