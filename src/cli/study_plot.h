/* SPDX-License-Identifier: Apache-2.0 */
/* A convergence study as a picture: errors of q and u over the step, both logarithmic, with triangles of the orders. */
#ifndef CLI_STUDY_PLOT_H
#define CLI_STUDY_PLOT_H

#include "base/output.h"
#include "cli/study.h"

typedef struct study_picture {
    const char *title;
    int n_schemes, n_steps;
    const double *step;          /* n_steps */
    const study_result *results; /* n_schemes */
    char (*names)[80];           /* what the legend calls them */
} study_picture;

/* Into the output, and publishes it; the ending of `out` is .svg or .png. */
zn_status study_draw(zn_context *context, const study_picture *picture, output_file *output, const char *out);

#endif
