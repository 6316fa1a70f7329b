/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a study, prepared for pictures: what varies, which runs are selected. */
#ifndef CLI_STUDY_VIEW_H
#define CLI_STUDY_VIEW_H

#include "result/result.h"

typedef struct study_view_axis {
    const char *name;
    const double *values; /* of each run */
    long n_distinct;      /* among the selected runs */
    double *distinct;     /* sorted */
    int n_words;
    char **words; /* what a number is the place of; NULL: the numbers are meant */
} study_view_axis;

typedef struct study_view {
    zn_context *context;
    result_file *result;
    long rows;
    int n_axes;
    study_view_axis *axes;
    const double *status;
    bool *used; /* is this run selected? */
} study_view;

bool study_view_is_study(const result_file *);
/* where: "NAME=VALUE" each, of which only the runs with the nearest value are selected. ZN_ERROR_ARGUMENT: a mistake of the caller. */
zn_status study_view_open(zn_context *, result_file *, int n_where, const char *const *where, study_view *);
void study_view_close(study_view *);
/* -1: there is none of this name. */
int study_view_axis_of(const study_view *, const char *name);
/* The axis that varies, from number `after` + 1 on; -1: none. */
int study_view_varying(const study_view *, int after);
/* "radau-2a", "0.25" */
const char *study_view_text(const study_view_axis *, double value, char *text, size_t room);
/* Its own name without that of its group. */
const char *study_view_name(const char *column);

/* Values of something for each point: a column (a point for each run), or EVENT.COLUMN (one for each event). */
typedef struct study_points {
    long count;
    double *values;
    long *rows;
    bool events;
    const char *name;
} study_points;
zn_status study_view_points(study_view *, const char *name, study_points *);
void study_points_free(zn_context *, study_points *);

/* Sorted ascending, without doubles; in place. Numbers that are none are left out. Returns how many there are. */
long study_view_sort_distinct(double *values, long count);

#endif
