/* SPDX-License-Identifier: Apache-2.0 */
/* What executes the runs: threads (workers.c), or processes on many machines (processes.c). */
#ifndef STUDY_CREW_H
#define STUDY_CREW_H

#include "study/handout.h"
#include "study/transport.h"

typedef struct study_watch {
    study_progress *progress; /* may be NULL */
    void *user;
} study_watch;

zn_status study_row_create(study_worker *, study_row *);
void study_row_free(study_worker *, study_row *);
/* Appends to the parcel; first: the run of row 0. false: out of memory. */
bool study_run_lot(study_worker *, study_place *, const study_lot *, long first, study_row *, study_parcel *);

/* A manager and the processes that it gives work to. */
typedef struct study_team {
    const study_transport *transport;
    int first, count; /* workers: ranks from `first` on */
    int above;        /* the rank that gives work to this one; -1: none */
    int part;         /* of the study, now in work; 0: all of it */
    int *idle;        /* workers that wait for a lot, each as often as it does */
    size_t n_idle;
    bool stop; /* ordered from above */
} study_team;
zn_status study_team_create(zn_context *, study_team *, const study_transport *, int first, int count);
void study_team_free(zn_context *, study_team *);
/* Hands out and writes. */
zn_status study_manage(const study_shared *, study_team *, study_table *, study_lost *, const study_watch *, study_outcome *);
/* Serves a manager until it announces the end. */
zn_status study_serve(const study_shared *, int manager);
void study_dismiss(const study_team *);

/* One file, of all runs or of a part; team NULL: by threads. */
zn_status study_file(const study_shared *, study_team *, const study_watch *, study_outcome *);

/* parts.c: a study in parts, each a file of its own, joined at the end. */
/* The number of parts; 0: none. workers: of all teams. Recorded beside the file, for runs that continue it. */
zn_status study_parts_plan(const study_shared *, int teams, int workers, int *parts);
/* The file of part i, from 1 on; freed by mem_free. NULL: no memory. */
char *study_part_path(zn_context *, const char *out, int part);
/* All parts by one team or by threads. */
zn_status study_parts_alone(const study_shared *, study_team *, int parts, const study_watch *, study_outcome *);
zn_status study_part(const study_shared *, study_team *, int part, int parts, const study_watch *, study_outcome *);
/* When all are complete: joins them to the file of the study and removes them. */
zn_status study_parts_join(const study_shared *, int parts, study_outcome *);

/* teams.c: the first process, which assigns the roles, and the others. */
zn_status study_lead(const study_shared *, const study_watch *, study_outcome *);
zn_status study_follow(const study_shared *, const study_watch *);

#endif
