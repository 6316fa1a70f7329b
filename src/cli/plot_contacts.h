/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of contacts by rules. */
#ifndef CLI_PLOT_CONTACTS_H
#define CLI_PLOT_CONTACTS_H

#include "cli/gnuplot.h"
#include "result/result.h"

/* The sum of normal forces over time. */
zn_status plot_contact_force(zn_context *, result_file *, plot_def *, const char *out);
/* Forces at the row of time `at` or the next one. */
zn_status plot_contact_network(zn_context *, result_file *, const plot_def *, double at, const char *out);

#endif
