/* SPDX-License-Identifier: Apache-2.0 */
/* Alexander's singly diagonally implicit methods. */
#include "scheme/projected.h"
#include "scheme/tableau_draft.h"

/* Stages on and below the diagonal are given; b is their last row and the quadrature of order s through their nodes. */
static void finish_sdirk(draft *d, const char *name, tableau *result) {
    const int s = d->s;
    for (int j = 0; j < s; j++) d->b[j] = d->A[(s - 1) * s + j];
    polynomial_lagrange(s, d->c, d->dense);
    draft_embed(d);
    *result = (tableau){
        .name = name, .order = s, .has_embedded = true, .embedded_order = s - 1, .diagonally_implicit = true, .stiffly_accurate = true};
    draft_round(d, result);
}

/* alpha: the root of alpha^2 - 2 alpha + 1/2 below 1, in the form without cancellation. */
zn_status tableau_sdirk2(zn_context *context, int s, double rho, tableau *result) {
    (void)context, (void)s, (void)rho;
    const long double alpha = 1 / (2 + sqrtl(2));
    draft d = {.s = 2, .A = {alpha, 0, 1 - alpha, alpha}, .c = {alpha, 1}};
    finish_sdirk(&d, "SDIRK2", result);
    return ZN_OK;
}

/* beta: the root of beta^3 - 3 beta^2 + 3/2 beta - 1/6 in (1/6, 1/2). */
zn_status tableau_sdirk3(zn_context *context, int s, double rho, tableau *result) {
    (void)context, (void)s, (void)rho;
    long double beta = 0.4L;
    for (int i = 0; i < 8; i++) /* Newton's errors: 4e-2, 5e-3, 9e-5, 2e-8, 2e-15, then rounding */
        beta -= (((beta - 3) * beta + 1.5L) * beta - 1 / 6.0L) / ((3 * beta - 6) * beta + 1.5L);
    const long double a_32 = ((6 * beta - 20) * beta + 5) / 4;
    draft d = {.s = 3, .A = {beta, 0, 0, (1 - beta) / 2, beta, 0, 1 - a_32 - beta, a_32, beta}, .c = {beta, (1 + beta) / 2, 1}};
    finish_sdirk(&d, "SDIRK3", result);
    return ZN_OK;
}

PROJECTED_SCHEME(sdirk2, tableau_sdirk2, "sdirk2",
                 "Alexander's SDIRK of two stages, projected; order 2 without position constraints and contacts", 1, NULL, 2, 2, 2, NULL);
PROJECTED_SCHEME(sdirk3, tableau_sdirk3, "sdirk3",
                 "Alexander's SDIRK of three stages, projected; order 3 for smooth motion, 2 with velocity constraints", 1, NULL, 3, 3, 3,
                 NULL);
