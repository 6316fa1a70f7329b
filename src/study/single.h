/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a study, from its number to its row. */
#ifndef STUDY_SINGLE_H
#define STUDY_SINGLE_H

#include "scene/study_section.h"
#include "study/pool.h"
#include "study/study.h"
#include "zeno/recorder.h"

typedef enum study_target { STUDY_PARAMETER, STUDY_SETTING, STUDY_POSITION, STUDY_VELOCITY, STUDY_INPUT } study_target;

/* What all runs share; constant while workers use it. */
typedef struct study_shared {
    zn_context *context;
    const study_def *def;
    study_plan plan;
    study_keep keep;
    study_target *targets; /* of the axes */
    int *places;           /* of coordinates, velocities and inputs */
    int n_parameters;      /* axes that are parameters */
    bool settings_vary;
    char *title;
    uint64_t files; /* a hash of what the scene includes */
} study_shared;

zn_status study_shared_create(zn_context *, const study_def *, study_shared *);
void study_shared_free(study_shared *);
/* case.c: how a run is done by itself; freed by mem_free. NULL: no memory. */
char *study_case_text(const study_shared *);

/* A row: values, what is kept, status, time reached. */
static inline int study_row_width(const study_shared *s) { return s->plan.n_axes + s->keep.width + 2; }

typedef struct study_row {
    double *numbers;
    char message[RESULT_NOTE_BYTES];
    study_events events;
} study_row;

/* A worker: its own context, and objects that it reuses from one run to the next. */
typedef struct study_worker {
    const study_shared *shared;
    study_pool *pool;
    zn_context *context;
    zn_scene *scene;       /* with the parameters below */
    zn_recorder *recorder; /* of the scene's model; NULL: none yet */
    zn_settings settings;  /* of the simulation, which the next run starts again; NULL: none */
    zn_simulation *simulation;
    double *parameters; /* NaN: no scene */
    int *sources;       /* of each: which one the model follows; -1: none */
    char **sets;        /* texts of all parameters that are replaced */
} study_worker;

zn_status study_worker_create(const study_shared *, study_worker *);
void study_worker_free(study_worker *);
/* A failure is recorded in the row. */
void study_worker_run(study_worker *, long run, study_row *);

#endif
