/* SPDX-License-Identifier: Apache-2.0 */
/* Curves as a picture, drawn by the program gnuplot. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include "base/output.h"

#include <stdio.h>

typedef struct plot_curve {
    const char *name;
    const double *x, *y;
    long rows;
} plot_curve;

/* Short lines on the horizontal axis. */
typedef struct plot_ticks {
    const char *name;
    double *x;
    size_t room;
    long count; /* 0: not in the legend */
} plot_ticks;

typedef enum plot_style { PLOT_LINES, PLOT_POINTS, PLOT_BOTH } plot_style;
typedef enum plot_key { PLOT_KEY_RIGHT, PLOT_KEY_BELOW, PLOT_KEY_OFF } plot_key;
enum { PLOT_WIDTH = 900, PLOT_HEIGHT = 560, PLOT_LONGEST_TEXT = 120, PLOT_LONGEST_NAME = 60 }; /* characters */

/* Ends of an axis; NaN: as the curves need it. */
typedef struct plot_range {
    double low, high;
} plot_range;

typedef struct plot_def {
    const char *title, *x_name, *y_name; /* title NULL: none; y_name NULL: the name of a single curve */
    bool log_x, log_y, equal;            /* equal: the same scale on both axes */
    plot_style style;
    plot_key key;
    plot_range x, y;
    int width, height; /* in points of an SVG; a PNG has 1.5 pixels for each */
    int n_curves;
    const plot_curve *curves;
    int n_ticks;
    const plot_ticks *ticks;
    int n_x_words;
    char *const *x_words; /* what 0, 1, 2 ... on the horizontal axis stand for; none: numbers */
} plot_def;

/* To `out`, whose ending is .svg or .png; an existing file is replaced only by a whole new one. */
zn_status plot_draw(zn_context *context, const plot_def *plot, const char *out);
bool plot_path_ok(const char *out);

/* For pictures of other kinds: `write` gets the script after the terminal, the colours and the output are set. */
typedef void plot_writer(FILE *script, void *user);
zn_status plot_run(zn_context *context, const char *out, int width, int height, plot_writer *write, void *user);
/* The same to an output that is open already; the ending of `out` gives the format. Publishes it, but does not close. */
zn_status plot_run_to(zn_context *context, output_file *output, const char *out, int width, int height, plot_writer *write, void *user);
/* In quotes, whatever the text is: gnuplot shows it and cannot take any part of it for a command. Cut after `most` characters: lines
 * as PLOT_LONGEST_TEXT, names in a legend, which would vanish if it had no room, as PLOT_LONGEST_NAME. */
void plot_put_text(FILE *script, const char *text, int most);
void plot_put_number(FILE *script, double value);
void plot_put_range(FILE *script, char axis, plot_range);
/* Names of axes (y_name may be NULL) and the title; the legend; words instead of numbers. */
void plot_put_labels(FILE *script, const plot_def *, const char *x_name, const char *y_name);
void plot_put_key(FILE *script, plot_key);
void plot_put_words(FILE *script, char axis, int count, char *const *words);
/* $NAMEk: a block of data; numbers that cannot be drawn interrupt the curve. */
void plot_put_curve(FILE *script, const char *name, int k, const plot_curve *curve);

#endif
