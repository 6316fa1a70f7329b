/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar on standard error, only when that is a terminal. Allocates nothing. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    bool shown;          /* on a terminal, unless quiet was asked for */
    double begun, drawn; /* wall clock, seconds */
    double start, end;   /* of the simulated time */
} progress;

progress progress_begin(double start, double end, bool quiet);
/* May be called often: draws at most ten times a second. */
void progress_update(progress *bar, double t, long steps);
/* Leaves an empty line. */
void progress_end(progress *bar);

/* The text that is drawn, for `elapsed` wall seconds. At most `columns` characters. */
void progress_text(char *out, size_t size, int columns, const progress *bar, double t, long steps, double elapsed);

/* While a scene is loaded (true .. false): a sign of life on a terminal after the first second. */
void progress_loading(bool);

#endif
