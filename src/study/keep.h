/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a run: numbers, and events. */
#ifndef STUDY_KEEP_H
#define STUDY_KEEP_H

#include "result/result.h"
#include "zeno/simulation.h"

typedef struct study_item {
    int word;       /* last, min, max ...: see keep.c */
    char *name;     /* "last:q" */
    char *what;     /* "q": a column, or a dataset of the result */
    int member;     /* of the summary */
    int n_columns;  /* of a dataset; 0: a single column */
    char **columns; /* their names in the result */
    char **short_names;
    int *index; /* their likely places */
} study_item;

/* Impacts of a contact, or a column that passes zero. */
typedef struct study_event {
    int word;
    char *name;   /* "rising:phi" */
    char *column; /* which one is watched */
    int index;
} study_event;

enum { STUDY_MOST_VALUES = 64 };
typedef struct study_keep {
    zn_context *context;
    int n_items, width; /* width: numbers in all */
    study_item *items;
    int n_events, n_values; /* values of each event, besides its time */
    study_event *events;
    char **values; /* columns that are kept at events */
    int *value_index;
    double from; /* earlier rows do not count */
} study_keep;

/* An event: its number in `events`, time, values. */
typedef struct study_events {
    zn_context *memory; /* of the entries: not that of a worker, as entries pass between workers */
    double *entries;    /* 2 + n_values numbers each */
    size_t count, room;
} study_events;

/* texts: "last:q,u", "max:x,mean:energy.total", "impact:floor:x'". `like`: a result that has the columns. */
zn_status study_keep_create(zn_context *, int n, const char *const *texts, double from, result_file *like, study_keep *);
void study_keep_free(study_keep *);
/* The numbers and events of a run. */
zn_status study_keep_take(const study_keep *, result_file *, const zn_statistics *, double *numbers, study_events *);

#endif
