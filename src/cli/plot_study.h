/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of studies: curves over what varies, maps over two things that vary, histograms. */
#ifndef CLI_PLOT_STUDY_H
#define CLI_PLOT_STUDY_H

#include "cli/gnuplot.h"
#include "cli/study_view.h"

/* A list of curves that own what they show. */
typedef struct plot_curves {
    plot_curve *list;
    double **blocks; /* of each, NULL: the values are not owned */
    size_t list_room, blocks_room;
    int count;
} plot_curves;
/* Takes over name and block, also where it fails. */
zn_status plot_curves_add(zn_context *, plot_curves *, char *name, const double *x, const double *y, long rows, double *block);
void plot_curves_free(zn_context *, plot_curves *);

/* A curve of each name over an axis or a column; one for each combination of what else varies, where there are few. of: what the legend
 * adds
 * (the file), NULL: nothing. *points: they are better drawn as points. */
zn_status plot_study_curves(study_view *, const char *x, int n_names, const char *const *names, const char *of, plot_curves *,
                            bool *points);

/* What is drawn by default. */
typedef enum plot_study_kind { PLOT_STUDY_CURVES, PLOT_STUDY_MAP, PLOT_STUDY_HISTOGRAM } plot_study_kind;
/* *name: of what; freed by mem_free. */
zn_status plot_study_usual(study_view *, plot_study_kind *, char **name);

typedef struct plot_map_def {
    const char *x, *y; /* axes; NULL: the first that vary */
    const char *name;  /* what is shown */
    int n_levels;
    const double *levels; /* between classes, rising; none: classes are the values where these are few and whole */
    int n_labels;
    const char *const *labels; /* of classes */
} plot_map_def;
/* plot_map.c */
zn_status plot_map(study_view *, const plot_map_def *, const plot_def *, const char *out);

/* plot_histogram.c. bins 0: as many as suit the values; quantiles: shares from 0 to 1. */
zn_status plot_histogram(study_view *, const char *name, int bins, int n_quantiles, const double *quantiles, const plot_def *,
                         const char *out);

#endif
