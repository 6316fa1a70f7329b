/* SPDX-License-Identifier: Apache-2.0 */
/* Which bilateral rows follow from the others, and how forces are shared among all of them. */
#ifndef MODEL_INDEPENDENT_H
#define MODEL_INDEPENDENT_H

#include "base/bytes.h"
#include "model/fewer_rows.h"

typedef struct independent independent;

/* Rows of joints that were meant to follow from others differ by less (CONE_CONTRADICTION_RANK). */
#define INDEPENDENT_LEAST_DOUBT 1e-5

/* How to choose. */
typedef struct independent_wish {
    double doubt;              /* where an independent part is less than this (relative) but not zero, all rows of the group stay ... */
    bool nearly;               /* ... unless `nearly`: then rows whose numbers do not quite fit may be left out */
    const independent *before; /* NULL, or an earlier choice, whose numbers of rows are kept: rows are only exchanged */
} independent_wish;

/* Chooses rows at a state such that the others follow from them. *out is NULL where all rows are independent, or where no row can
 * safely be left out. */
zn_status independent_find(zn_context *, const zn_model *, const zn_point *at, independent_wish, independent **out);
void independent_destroy(zn_context *, independent *);
/* As bytes. Reading makes a new one of the same model (NULL where none was written); ZN_ERROR_ARGUMENT: they are no choice of its rows. */
zn_status independent_carry(zn_context *, const zn_model *, byte_stream *, independent **);
const bool *independent_left_out(const independent *); /* per bilateral row */
int independent_count(const independent *);            /* rows left out */
/* The merges of rows left out into the others (fewer_rows.h) with which constraints are met in the sense of least squares and multipliers
 * are the smallest, at the state of the choice or last followed: their number; list: NULL, or memory for them. lengths: rows are weighted
 * by their lengths, not by masses. */
int independent_merges(const independent *, bool lengths, row_merge *list);

/* How unequal the rows of a group are: the largest ratio of |D^-1/2 w_j|/l_j, D the diagonal of M. */
double independent_spread(const independent *);

/* With M and W at a state: P (all rows) is redistributed over all rows such that the sum of P_j^2 w_j' D^-1 w_j is least, D the diagonal of
 * M, and W P stays. Where the rows kept are not independent there, nothing is shared. */
void independent_share(independent *, const double *M, const double *W, double *P);

/* The coefficients of rows left out become those at a state with M and W. Returns the largest, all rows scaled to the same size: how badly
 * chosen the rows are by now; INFINITY: they are not independent. change: of a coefficient, relative to it and to 1, the largest. */
double independent_follow(independent *, const double *M, const double *W, double *change);

/* By how much values c of all rows contradict each other at the state of the choice, the largest in a row left out: |c_L - C' c_K|. */
double independent_contradiction(const independent *, const double *c);

/* P (all rows) becomes zero in rows left out, with the same forces W P at the state of the choice or last followed. */
void independent_collect(const independent *, double *P);

/* The largest unexplained error of a row, at most 0 where all errors are explained. c: values of all rows, on position level or
 * (rate > 0) on velocity level; seen0, seen1: those that the scheme sees, on both. Explained are
 *   most (seen0, or seen1 + rate seen0)   of the rows that it follows from: a step turns drift of positions into velocities of up to
 * drift/h
 *   open, and round-off of positions      in the directions of the row, |D^-1/2 w|, where D^1/2 q is `place` */
typedef struct independent_drift {
    const double *seen0, *seen1, *place;
    double rate, most, open, roundoff;
} independent_drift;
double independent_open(const independent *, const double *c, independent_drift);

#endif
