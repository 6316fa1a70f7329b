/* SPDX-License-Identifier: Apache-2.0 */
/* Lobatto IIIC, and the pair IIIA-IIIB of partitioned.c. */
#include "scheme/projected.h"
#include "scheme/tableau_draft.h"

/* Lobatto IIIA of s >= 2 stages. Nodes: roots of d^{s-2}/dc^{s-2} [c^{s-1} (c-1)^{s-1}] (002: 4.41). With y = 2c - 1 the
 * weights are b_j = 1 / (s (s-1) P_{s-1}(y_j)^2), and v_j of draft_embed is a multiple of 1 / P_{s-1}(y_j),
 * returned as v_j / v_1 in `alternating`. Both are mirrored, so that the symmetry of the family is exact, and with it the
 * zeros that follow from it: the embedded weights of an odd s leave out the first stage too. */
static void lobatto_3a(draft *d, long double *alternating) {
    const int s = d->s;
    const int sign = s % 2 == 1 ? 1 : -1; /* P_{s-1}(-1) */
    long double interior[TABLEAU_S_MAX];
    polynomial_jacobi_roots(s - 2, 1, 1, interior);
    d->c[0] = 0;
    d->c[s - 1] = 1;
    for (int i = 1; i < s - 1; i++) d->c[i] = (1 + interior[i - 1]) / 2;
    draft_collocate(d);
    for (int i = 0; i < (s + 1) / 2; i++) {
        const long double value = i == 0 ? sign : polynomial_jacobi(s - 1, 0, 0, interior[i - 1]);
        d->b[i] = d->b[s - 1 - i] = 1 / (s * (s - 1) * value * value);
        alternating[i] = sign / value;
        alternating[s - 1 - i] = 1 / value;
    }
    for (int j = 0; j < s; j++) {
        d->A[(s - 1) * s + j] = d->b[j];
        d->b_embedded[j] = d->b[j] - d->b[s - 1] * alternating[j] * alternating[s - 1];
    }
}

/* 1 - c_i is the mirrored node; in double it must be so to the bit. */
static void mirror_rounded_nodes(tableau *t) {
    for (int i = 0; i < t->s / 2; i++) t->c[t->s - 1 - i] = 1 - t->c[i];
}

/* C(s-1) leaves a multiple of v in each row, the first column b_1 fixes it: a_ij = a^A_ij + (b_1 - a^A_i1) v_j / v_1. */
zn_status tableau_lobatto_3c(zn_context *context, int s, double rho, tableau *result) {
    (void)rho;
    const zn_status status = draft_check_stages(context, "Lobatto IIIC", s, 2);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    long double alternating[TABLEAU_S_MAX];
    lobatto_3a(&d, alternating);
    for (int i = 0; i < s; i++) {
        const long double defect = d.b[0] - d.A[i * s];
        for (int j = 1; j < s; j++) d.A[i * s + j] += defect * alternating[j];
        d.A[i * s] = d.b[0];
    }
    *result =
        (tableau){.name = "Lobatto IIIC", .order = 2 * s - 2, .has_embedded = true, .embedded_order = s - 1, .stiffly_accurate = true};
    draft_round(&d, result);
    mirror_rounded_nodes(result);
    return ZN_OK;
}

/* ah_ij = b_j - b_j a_ji / b_i (002: 5.11b), in the form whose last column is exactly zero and whose first is exactly
 * b_1. */
zn_status tableau_lobatto_3a3b(zn_context *context, int s, double rho, tableau *result) {
    (void)rho;
    const zn_status status = draft_check_stages(context, "Lobatto IIIA-IIIB", s, 2);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    long double alternating[TABLEAU_S_MAX];
    lobatto_3a(&d, alternating);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) d.Ah[i * s + j] = j == 0 ? d.b[0] : d.b[j] * (d.b[i] - d.A[j * s + i]) / d.b[i];
    *result = (tableau){.name = "Lobatto IIIA-IIIB",
                        .order = 2 * s - 2,
                        .has_embedded = true,
                        .embedded_order = s - 1,
                        .partitioned = true,
                        .explicit_first = true,
                        .stiffly_accurate = true};
    draft_round(&d, result);
    mirror_rounded_nodes(result);
    return ZN_OK;
}

PROJECTED_SCHEME(lobatto_3c, tableau_lobatto_3c, "lobatto-3c",
                 "Lobatto IIIC, projected; three stages: order 3 in contact on curved surfaces", 2, "2s-2", 2, TABLEAU_S_MAX, 2, NULL);
