/* SPDX-License-Identifier: Apache-2.0 */
/* The cones of a model's contacts on one level, and patterns that schemes cut out of the model's. */
#ifndef SCHEME_CONES_H
#define SCHEME_CONES_H

#include "cone/cone.h"
#include "model/model.h"
#include "zeno/simulation.h"

/* How the problems of a scheme are solved: what the settings of a simulation say about it. */
cone_settings scheme_solver_settings(const zn_settings *);

/* One cone a contact, always on; row r of lambda becomes row r - model_row_N + shift of psi and mu. */
void scheme_cones(const zn_model *model, int shift, cone *cones);

/* Contacts k of `levels` blocks of cones get their modes; NULL: the law. */
void scheme_freeze(const cone_frozen *modes, int n_contacts, int levels, cone *cones);
/* No row of the model acts in a step: there are no constraints, and all contacts are frozen open. Gaps and rates need not be asked for. */
bool scheme_is_free(const zn_model *, const cone_frozen *modes);
/* Whether a ball of more than one row slips: its direction may turn. */
bool scheme_may_turn(const zn_contact *, const cone_frozen *mode);

/* Columns first .. first + count - 1 of a pattern. Its values begin at values + lin_slice_offset. */
zn_status scheme_pattern_columns(zn_context *, const zn_pattern *, int first, int count, lin_pattern *out);
static inline int scheme_column_offset(const zn_pattern *p, int first) { return p->start[first]; }

/* The transpose of a pattern, placed in a larger matrix of `cols` columns; values of entry k go to place[k]. */
zn_status scheme_pattern_transposed(zn_context *, const zn_pattern *, int cols, lin_pattern *out, int **place);

#endif
