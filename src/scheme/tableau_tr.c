/* SPDX-License-Identifier: Apache-2.0 */
/* The trapezoidal rule to theta h, then a second stage. */
#include "scheme/projected.h"
#include "scheme/tableau_draft.h"

/* A = [0 0 0; th/2 th/2 0; (3th - th^2 - 1)/(2th) (1 - th)/(2th) th/2] (002: 4.46). R(infinity) = (th^2 - 4th + 2)/th^2 =
 * rho gives th = 2/(2 + sqrt(2(1 + rho))), also at rho = 1 where (4.55) is 0/0. Dense: q_n + (3x^2 - 2x^3) sum_j b_j dQ_j
 * + (x - 2x^2 + x^3) dQ_1 + (x^3 - x^2) dQ_3, so w_j' = (P_0 - P_2) b_j + [j = 1] (P_2 - P_1)/2 + [j = 3] (P_2 + P_1)/2.
 * The polynomial through the three derivatives would end at the embedded solution instead. */
static void tr_theta(const char *name, long double rho, tableau *result) {
    const long double th = 2 / (2 + sqrtl(2 * (1 + rho)));
    const long double b[3] = {((3 - th) * th - 1) / (2 * th), (1 - th) / (2 * th), th / 2};
    const draft d = {.s = 3,
                     .A = {0, 0, 0, th / 2, th / 2, 0, b[0], b[1], b[2]},
                     .b = {b[0], b[1], b[2]},
                     .c = {0, th, 1},
                     .b_embedded = {(3 * th - 1) / (6 * th), 1 / (6 * th * (1 - th)), (2 - 3 * th) / (6 * (1 - th))},
                     .dense = {b[0], -0.5L, 0.5L - b[0], b[1], 0, -b[1], b[2], 0.5L, 0.5L - b[2]}};
    *result = (tableau){.name = name,
                        .order = 2,
                        .has_embedded = true,
                        .embedded_order = 3,
                        .explicit_first = true,
                        .diagonally_implicit = true,
                        .stiffly_accurate = true};
    draft_round(&d, result);
}

zn_status tableau_tr_theta(zn_context *context, int s, double rho, tableau *result) {
    (void)s;
    if (!(rho >= 0 && rho <= 1))
        return fail(context, ZN_ERROR_ARGUMENT, "TR-theta needs a damping at infinity rho from 0 to 1, not %g", rho);
    tr_theta("TR-theta", rho, result);
    return ZN_OK;
}

zn_status tableau_tr_bdf2(zn_context *context, int s, double rho, tableau *result) {
    (void)context, (void)s, (void)rho;
    return tr_theta("TR-BDF2", 0, result), ZN_OK;
}

zn_status tableau_trx2(zn_context *context, int s, double rho, tableau *result) {
    (void)context, (void)s, (void)rho;
    return tr_theta("TRX2", 1, result), ZN_OK;
}

PROJECTED_SCHEME(tr_bdf2, tableau_tr_bdf2, "tr-bdf2", "TR-BDF2, projected: TR-theta with damping 0", 2, NULL, 3, 3, 3, projected_error);
PROJECTED_SCHEME(trx2, tableau_trx2, "trx2", "two trapezoidal steps, projected: TR-theta with damping 1", 2, NULL, 3, 3, 3,
                 projected_error);
PROJECTED_SCHEME(tr_theta, tableau_tr_theta, "tr-theta", "trapezoidal rule and a second stage, projected; damping chosen by the user", 2,
                 NULL, 3, 3, 3, projected_error);
