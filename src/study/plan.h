/* SPDX-License-Identifier: Apache-2.0 */
/* What varies: axes, and the values that run k has on each. */
#ifndef STUDY_PLAN_H
#define STUDY_PLAN_H

#include "base/base.h"
#include "study/sample.h"

typedef enum study_values {
    STUDY_LIST,     /* V1,V2,...                       */
    STUDY_LINEAR,   /* A:B:N                           */
    STUDY_LOG,      /* log:A:B:N                       */
    STUDY_UNIFORM,  /* uniform:A:B                     */
    STUDY_NORMAL,   /* normal:MEAN:DEVIATION           */
    STUDY_TRUNCATED /* truncated:MEAN:DEVIATION:LOW:HIGH */
} study_values;

typedef struct study_axis {
    char *name;
    study_values values;
    double number[4]; /* A, B; MEAN, DEVIATION, LOW, HIGH */
    long count;       /* of values; that of samples for distributions */
    double *list;     /* NULL: no list */
    char **words;     /* a list of words (of a setting): `list` then has their places; NULL: numbers */
    int dimension;    /* of the samples */
} study_axis;

typedef struct study_plan {
    zn_context *context;
    int n_axes, n_dimensions;
    study_axis *axes;
    long runs, samples;
    study_sampling sampling;
    uint64_t seed;
    bool zip; /* all axes go on together */
} study_plan;

typedef struct study_plan_def {
    int n_vary;
    const char *const *vary; /* "NAME=VALUES" */
    long samples;            /* 0: there are no distributions */
    study_sampling sampling;
    uint64_t seed;
    bool zip;
} study_plan_def;

/* Crossed axes: the last one changes fastest, samples faster still. */
zn_status study_plan_create(zn_context *, const study_plan_def *, study_plan *);
void study_plan_free(study_plan *);
double study_plan_value(const study_plan *, int axis, long run);
/* As a text for a parameter or a setting. */
const char *study_plan_text(const study_plan *, int axis, long run, char *text, size_t room);

#endif
