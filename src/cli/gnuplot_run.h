/* SPDX-License-Identifier: Apache-2.0 */
/* The program gnuplot as a child without shell and without names of files. */
#ifndef CLI_GNUPLOT_RUN_H
#define CLI_GNUPLOT_RUN_H

#include "base/output.h"

typedef void gnuplot_writer(FILE *script, void *user);
/* Runs the script that `write` makes and puts what gnuplot draws to its standard output into `output`. A picture that does not end
 * (up to white space) with `ending` is not complete. */
zn_status gnuplot_run(zn_context *context, output_file *output, gnuplot_writer *write, void *user, const char *ending);

#endif
