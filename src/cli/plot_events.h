/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a run as ticks. */
#ifndef CLI_PLOT_EVENTS_H
#define CLI_PLOT_EVENTS_H

#include "cli/gnuplot.h"
#include "result/result.h"
#include "zeno/zeno.h"

/* Kinds of contact events, and the first events of the scene. */
enum { PLOT_SCENE_EVENTS = 4, PLOT_EVENT_KINDS = ZN_CONTACT_EVENT_KINDS + PLOT_SCENE_EVENTS };

/* Adds the events of a result, by kind. The blocks of ticks are the caller's, names live as long as the result. ZN_ERROR_ARGUMENT: the
 * result has no record of events. */
zn_status plot_events(zn_context *, result_file *, const char *path, plot_ticks ticks[PLOT_EVENT_KINDS]);

#endif
