/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run, as JSON and as a short table. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/step_times.h"
#include "zeno/zeno.h"

#include <stdio.h>

typedef struct cli_summary {
    const char *scene; /* path as given */
    const zn_simulation *simulation;
    const zn_account *account; /* NULL: the model has no energy function */
    zn_status status;
    const char *message; /* "" when all is well */
    double wall_seconds;
    const double *outputs; /* values of the model's outputs, or NULL */
    const step_times *steps;
} cli_summary;

void cli_summary_json(FILE *, const cli_summary *);
void cli_summary_table(FILE *, const cli_summary *);

/* Pieces for other summaries: a JSON string, a JSON number (null for NaN and infinity). */
void cli_json_text(FILE *, const char *);
void cli_json_number(FILE *, double);

#endif
