/* SPDX-License-Identifier: Apache-2.0 */
/* What files with tableaux are written with: a tableau before it is rounded. */
#ifndef SCHEME_TABLEAU_DRAFT_H
#define SCHEME_TABLEAU_DRAFT_H

#include "base/base.h"
#include "scheme/tableau.h"
#include "scheme/tableau_polynomial.h"

typedef struct draft {
    int s;
    long double A[TABLEAU_S_MAX * TABLEAU_S_MAX];
    long double Ah[TABLEAU_S_MAX * TABLEAU_S_MAX];
    long double b[TABLEAU_S_MAX], c[TABLEAU_S_MAX];
    long double b_embedded[TABLEAU_S_MAX];
    long double dense[TABLEAU_S_MAX * TABLEAU_S_MAX];
} draft;

/* ZN_ERROR_ARGUMENT where there is no such number of stages. */
zn_status draft_check_stages(zn_context *, const char *name, int s, int least);
/* Fills dense, b and A from the nodes. The last node is 1, so the last row of A is b. */
void draft_collocate(draft *);
/* Fills b_embedded from b: quadrature through all stages but the last, so of order s - 1. */
void draft_embed(draft *);
void draft_round(const draft *, tableau *);

#endif
