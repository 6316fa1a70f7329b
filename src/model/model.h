/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of models share. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/base.h"
#include "zeno/model.h"

/* Outputs whose names begin so are poses of a drawing: results keep them apart, and summaries leave them out. */
#define MODEL_POSE_PREFIX "view."
static inline bool model_is_pose(const char *output) {
    return output[0] == MODEL_POSE_PREFIX[0] && !strncmp(output, MODEL_POSE_PREFIX, sizeof MODEL_POSE_PREFIX - 1);
}

/* Number of rows of lambda, and the first row of each group. */
static inline int model_rows(const zn_model *m) { return m->size.ng + m->size.ny + m->size.nN + m->size.nF; }
static inline int model_row_N(const zn_model *m) { return m->size.ng + m->size.ny; }
static inline int model_row_F(const zn_model *m) { return m->size.ng + m->size.ny + m->size.nN; }

/* "the constraint 'rod'", "the gap of 'floor'", "the slip velocity 1 of 'floor'": written into text, which is returned. */
const char *model_row_text(const zn_model *model, int row, char *text, size_t room);
/* A likely reason why its value is not finite, in parentheses. */
const char *model_row_fault(const zn_model *model, int row);
/* A bilateral row that nearly follows from those before it and contradicts them: -1 when there is none, -2: out of memory (error
 * in the context). size: by how much, the larger of its position and velocity in the units of the row, or its direction applied to the
 * positions of the system. Differences that round-off explains do not count. */
int model_contradiction(zn_context *context, const zn_model *model, const zn_point *at, double *size);
/* A bilateral row that has become nearly dependent on those before it: the independent part of its direction was `before` at the start
 * and is `after` now. -1: there is none. */
int model_dead_point(zn_context *, const zn_model *, const zn_point *start, const zn_point *now, double *before, double *after);
/* The contact that a row belongs to, or -1. */
/* Whether it was made and not destroyed: destroying clears it. */
static inline bool model_is_good(const zn_model *m) { return m && m->balance; }
/* The same with an error that names the function. */
zn_status model_check(zn_context *, const zn_model *, const char *function);
/* The mass matrix at the start is finite and positive definite, and the energies are finite; else ZN_ERROR_MODEL. */
zn_status model_check_start(zn_context *, const zn_model *);
/* The most frequent cause of values that are not finite: the end of a sentence about it. */
#define MODEL_OUT_OF_RANGE "(a division, logarithm, root or power out of its range?)"
/* Destroys a model that no user has seen. `destroy` of a model frees what it owns, but not the model itself. */
void model_free(zn_context *, zn_model *);
int model_row_contact(const zn_model *model, int row);

/* Balance and constraints at one point: W is copied from dc1/du where both are the same. Nonzero: they cannot be answered. */
int model_ask_both(const zn_model *, void *work, const zn_point *, zn_balance *, zn_constraints *);

/* Where forces and constraints jump or bend in time, as functions of t and inputs: values that are constant between two such places.
 * Returns their number; values may be NULL. Not those that depend on positions or velocities. */
int model_switches(const zn_model *, void *work, const zn_point *, double *values);

/* Description of a part whose contact has no lowest point where it lies flat. */
#define CONTACT_OF_RING "contact of a ring and a plane"

#endif
