/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of the C interface: every public function has a row, in which it is called with NULL, with what was destroyed, and with
 * values that make no sense. functions.sh compares the rows with the headers: a new function without a row fails. */
#ifndef TESTS_MISUSE_MISUSE_H
#define TESTS_MISUSE_MISUSE_H

#include "check.h"

#include "zeno/zeno.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything once alive and once destroyed. */
typedef struct world {
    zn_context *context;
    zn_model *model, *dead_model;
    zn_formula_model *formulas, *dead_formulas;
    zn_parts *parts, *dead_parts, *other_parts;
    zn_machine *machine, *dead_machine;
    zn_scene *scene, *dead_scene;
    zn_simulation *simulation, *dead_simulation;
    zn_account *account, *dead_account;
    zn_recorder *recorder, *dead_recorder;
    zn_body body, foreign_body;
    zn_frame frame, foreign_frame;
    zn_geometry geometry, foreign_geometry;
    zn_flexible flexible, foreign_flexible;
} world;

world *world_create(void);
void world_destroy(world *);

/* A call that must be refused: the status, and a sentence in the context. */
void check_refused(world *, zn_status, const char *call, const char *file, int line);
/* The same where the function has no context to leave a sentence in. */
void check_refused_silently(world *, zn_status, const char *call, const char *file, int line);
#define REFUSED(call) check_refused(w, call, #call, __FILE__, __LINE__)
#define REFUSED_SILENTLY(call) check_refused_silently(w, call, #call, __FILE__, __LINE__)

#define ROW(function) static void row_##function(world *w)

typedef struct misuse_row {
    const char *function;
    void (*run)(world *);
} misuse_row;
extern const misuse_row rows_of_parts[], rows_of_results[], rows_of_machines[];
extern const int n_rows_of_parts, n_rows_of_results, n_rows_of_machines;

#endif
