/* SPDX-License-Identifier: Apache-2.0 */
/* Who does the runs: threads (workers.c), or processes on many machines (processes.c). */
#ifndef STUDY_CREW_H
#define STUDY_CREW_H

#include "study/handout.h"
#include "study/transport.h"

typedef struct study_watch {
    study_progress *progress; /* may be NULL */
    void *user;
} study_watch;

double study_seconds(void);
zn_status study_row_create(study_worker *, study_row *);
void study_row_free(study_worker *, study_row *);
/* Behind what is in the parcel; first: the run of row 0. false: out of memory. */
bool study_run_lot(study_worker *, study_place *, const study_lot *, long first, study_row *, study_parcel *);

/* The manager hands out and writes; the others serve until they are dismissed, which the manager does in any case. */
zn_status study_manage(const study_shared *, study_table *, study_lost *, const study_watch *, study_outcome *);
zn_status study_serve(const study_shared *);
void study_dismiss(const study_transport *);

#endif
