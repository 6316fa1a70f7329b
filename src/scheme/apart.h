/* SPDX-License-Identifier: Apache-2.0 */
/* phi_x of a problem with many contacts. Forces of contacts turn with the bodies, so that r_q couples bodies that touch, but weakly:
 * h^2 lambda/(m R). Such entries are weak (cone.h), and without them phi_x falls apart into bodies and mechanisms. */
#ifndef SCHEME_APART_H
#define SCHEME_APART_H

#include "cone/cone.h"
#include "model/model.h"
#include "scheme/block_sum.h"

/* problem->phi_x as block_sum_into_matrix, sparse where it falls apart; problem->phi_x_weak is then *weak, which the caller frees. r_q: the
 * cut of the pieces that are r_q of the model. */
zn_status apart_matrix(block_sum *phi_x, const zn_model *, const block_cut *r_q, cone_problem *, const cone_settings *,
                       unsigned char **weak);

#endif
