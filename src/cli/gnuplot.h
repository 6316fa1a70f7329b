/* SPDX-License-Identifier: Apache-2.0 */
/* Curves as a picture, drawn by the program gnuplot. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include "base/base.h"

typedef struct plot_curve {
    const char *name;
    const double *x, *y;
} plot_curve;

typedef struct plot_def {
    const char *title, *x_name; /* title NULL: none */
    bool log_x, log_y, points;
    long rows;
    int n_curves;
    const plot_curve *curves;
} plot_def;

/* To `out`, whose ending is .svg or .png; an existing file is replaced only by a whole new one. */
zn_status plot_draw(zn_context *context, const plot_def *plot, const char *out);
bool plot_path_ok(const char *out);

#endif
