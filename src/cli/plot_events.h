/* SPDX-License-Identifier: Apache-2.0 */
/* Contact events of a run as ticks. */
#ifndef CLI_PLOT_EVENTS_H
#define CLI_PLOT_EVENTS_H

#include "cli/gnuplot.h"
#include "result/result.h"
#include "zeno/zeno.h"

/* Adds the contact events of a result, by kind. The blocks of ticks are the caller's. ZN_ERROR_ARGUMENT: the result does not know of events. */
zn_status plot_contact_events(zn_context *, result_file *, const char *path, plot_ticks ticks[ZN_CONTACT_EVENT_KINDS]);

#endif
