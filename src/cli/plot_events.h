/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a study as points: which value a column had at each of them, over a value of the run. */
#ifndef CLI_PLOT_EVENTS_H
#define CLI_PLOT_EVENTS_H

#include "cli/gnuplot.h"
#include "result/result.h"

/* name: "EVENT.COLUMN", as in "impact:floor.x'". x: a number for each run. false: there is no such event. *points: x, then y of the curve in one
 * block, the caller's; NULL where something failed (an error is left). */
bool plot_event_column(zn_context *, result_file *, const char *name, const double *x, plot_curve *, double **points);

#endif
