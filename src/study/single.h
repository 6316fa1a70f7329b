/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a study, from its number to its row. */
#ifndef STUDY_SINGLE_H
#define STUDY_SINGLE_H

#include "study/pool.h"
#include "study/study.h"
#include "zeno/recorder.h"

typedef enum study_target { STUDY_PARAMETER, STUDY_SETTING, STUDY_POSITION, STUDY_VELOCITY } study_target;

/* What all runs share; constant while workers use it. */
typedef struct study_shared {
    zn_context *context;
    const study_def *def;
    study_plan plan;
    study_keep keep;
    study_target *targets; /* of the axes */
    int *places;           /* of coordinates and velocities */
    int n_parameters;      /* axes that are parameters */
    char *title;
    uint64_t files;        /* a hash of what the scene includes */
} study_shared;

zn_status study_shared_create(zn_context *, const study_def *, study_shared *);
void study_shared_free(study_shared *);

/* A row: values, what is kept, status, time reached. */
static inline int study_row_width(const study_shared *s) { return s->plan.n_axes + s->keep.width + 2; }

typedef struct study_row {
    double *numbers;
    char message[RESULT_NOTE_BYTES];
    study_events events;
} study_row;

/* A worker: its own context, and what it can keep from one run to the next. */
typedef struct study_worker {
    const study_shared *shared;
    study_pool *pool;
    zn_context *context;
    zn_scene *scene;     /* with the parameters below */
    zn_recorder *recorder; /* of the scene's model; NULL: none yet */
    double *parameters;  /* NaN: no scene */
    char **sets;         /* texts of all parameters that are replaced */
} study_worker;

zn_status study_worker_create(const study_shared *, study_worker *);
void study_worker_free(study_worker *);
/* What fails is in the row. */
void study_worker_run(study_worker *, long run, study_row *);

#endif
