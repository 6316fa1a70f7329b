/* SPDX-License-Identifier: Apache-2.0 */
/* A model without some of its bilateral rows. */
#ifndef MODEL_FEWER_ROWS_H
#define MODEL_FEWER_ROWS_H

#include "model/model.h"

/* A row that is left out is added to one that stays, times a factor. */
typedef struct row_merge {
    int into, from; /* rows of `all` */
    double factor;
} row_merge;

/* `all` without the bilateral rows that are marked; it must stay alive. Destroyed by model_free. */
zn_status fewer_rows_create(zn_context *, const zn_model *all, const bool *left_out, int n_merges, const row_merge *merges, zn_model **out);
/* Other factors of the same merges, between steps. */
void fewer_rows_set_factors(zn_model *, const row_merge *merges);
/* Values of constraints: those of the model from those of `all`, at the places that its rows have in `all`. Rows left out become zero. */
void fewer_rows_merge(const zn_model *, const double *all, double *merged);
/* Multipliers of all rows from those of the model. */
void fewer_rows_expand(const zn_model *, const double *lambda, double *all);
/* The multipliers of the model that are rows of `all` too (contacts are, bilateral rows without merges are). */
void fewer_rows_pick(const zn_model *, const double *all, double *lambda);

#endif
