/* SPDX-License-Identifier: Apache-2.0 */
/* A study: many runs of one scene, and one file of what is kept of each. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "study/keep.h"
#include "study/plan.h"
#include "zeno/scene.h"

/* A setting that is replaced in all runs. */
typedef struct study_setting {
    const char *name, *value;
} study_setting;

typedef struct study_def {
    const char *name, *text; /* of the scene */
    int n_sets;
    const char *const *sets; /* "NAME=EXPR" */
    int n_settings;
    const study_setting *settings;
    study_plan_def plan;
    int n_keep;
    const char *const *keep;
    double from;                             /* rows before it do not count */
    const char *out;                         /* the file */
    const char *results;                     /* a folder for the whole result of each run, run-K.h5; NULL: none */
    int threads;                             /* 0: as many as there are processors */
    int shard, n_shards;                     /* the part shard/n_shards of the runs, from 1; 0: all */
    const struct study_transport *transport; /* to other processes that do the same; NULL: threads */
    int writers;                             /* of these, that write parts of the study; 0: as many as are needed */
} study_def;

typedef struct study_outcome {
    long runs, failed; /* in the file */
    long done;         /* of them, now */
    double seconds;
    bool complete; /* it was there already */
    bool stopped;
} study_outcome;

/* Called at the beginning (seconds = 0) and then about ten times a second from the thread that called; nonzero stops after the runs in
 * progress. */
typedef int study_progress(void *user, long runs, long done, long failed, double seconds);

/* Checks everything without the runs: plan, names and what is kept. *runs: their number. */
zn_status study_check(zn_context *, const study_def *, long *runs);
zn_status study_sweep(zn_context *, const study_def *, study_progress *, void *user, study_outcome *);
/* Joins the files of parts. */
zn_status study_merge(zn_context *, int n, const char *const *paths, const char *out, study_outcome *);

#endif
