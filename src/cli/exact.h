/* SPDX-License-Identifier: Apache-2.0 */
/* The exact solution at the end of a run, from a file: a CSV with names and one row, or a result, whose last row it is. */
#ifndef CLI_EXACT_H
#define CLI_EXACT_H

#include "zeno/zeno.h"

/* x: (q, u) of the model, not a number where the file has no such column; at least one position is there. The file is refused if its time
 * is not `end`, its numbers are not finite, or a table of one row has a name that the model does not know. */
zn_status exact_read(zn_context *, const char *path, const zn_model *, double end, double *x);

#endif
