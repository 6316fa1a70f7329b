/* SPDX-License-Identifier: Apache-2.0 */
/* Directions of bilateral rows without units, to tell which of them follow from others.
 *
 *     v_ij = W_ij/(e_i l_j)     coordinate i, row j:  l_j = |(W_ij/e_i)_i|, so that columns v_j have the size 1
 *     e_i^2 = max(M_ii, max_j W_ij^2 / sum_{k != i} W_kj^2/M_kk)
 *
 * With masses alone, e_i^2 = M_ii, all rows that turn a slender rod about its axis would look alike, as its inertia is so small. So where
 * one coordinate dominates a row, the others count as much. With other units of length, time, angle and mass, or another multiple of a row,
 * v is the same. */
#ifndef MODEL_ROW_WEIGHTS_H
#define MODEL_ROW_WEIGHTS_H

#include "model/model.h"

/* inverse (nu): 1/M_ii, 1 where there is no mass. */
void row_mobilities(const zn_model *, const double *M, double *inverse);
/* inverse (nu): 1/e_i^2, from mobilities 1/M_ii. */
void row_weights(const zn_model *, const double *W, const double *mobility, double *inverse);
/* size (bilateral rows): |(W_ij inverse_i^1/2)_i| */
void row_sizes(const zn_model *, const double *W, const double *inverse, double *size);

#endif
