/* SPDX-License-Identifier: Apache-2.0 */
/* Radau IIA. */
#include "scheme/projected.h"
#include "scheme/tableau_draft.h"

/* Nodes: roots of d^{s-1}/dc^{s-1} [c^{s-1} (c-1)^s] (002: 4.38), which is (c - 1) times a Jacobi polynomial of 2c - 1. */
zn_status tableau_radau_2a(zn_context *context, int s, double rho, tableau *result) {
    (void)rho;
    const zn_status status = draft_check_stages(context, "Radau IIA", s, 1);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    polynomial_jacobi_roots(s - 1, 1, 0, d.c);
    for (int i = 0; i < s - 1; i++) d.c[i] = (1 + d.c[i]) / 2;
    d.c[s - 1] = 1;
    draft_collocate(&d);
    draft_embed(&d);
    *result = (tableau){.name = "Radau IIA",
                        .order = 2 * s - 1,
                        .has_embedded = s > 1,
                        .embedded_order = s - 1,
                        .diagonally_implicit = s == 1,
                        .stiffly_accurate = true};
    draft_round(&d, result);
    return ZN_OK;
}

PROJECTED_SCHEME(radau_2a, tableau_radau_2a, "radau-2a", "Radau IIA, projected; stiff systems, or when in doubt", 3, "2s-1", 1,
                 TABLEAU_S_MAX, 2, projected_error);
