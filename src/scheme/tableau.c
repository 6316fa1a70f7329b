/* SPDX-License-Identifier: Apache-2.0 */
/* The tableaux of docs/theory/runge-kutta.md. Nodes are roots of Jacobi polynomials, coefficients integrals of
 * Lagrange's basis:
 *
 *     C(s):  a_ij = integral from 0 to c_i of l_j        (Radau IIA, Lobatto IIIA)
 *     B(s):  b_j  = integral from 0 to 1 of l_j
 *
 * and the other two Lobatto families follow from IIIA. All of it runs in long double and is rounded once. */
#include "scheme/tableau_draft.h"

void draft_round(const draft *from, tableau *to) {
    const int s = from->s;
    to->s = s;
    for (int i = 0; i < s * s; i++) {
        to->A[i] = (double)from->A[i];
        to->Ah[i] = (double)(to->partitioned ? from->Ah[i] : from->A[i]);
        to->dense[i] = (double)from->dense[i];
    }
    for (int i = 0; i < s; i++) {
        to->b[i] = (double)from->b[i];
        to->c[i] = (double)from->c[i];
        if (to->has_embedded) to->b_embedded[i] = (double)from->b_embedded[i];
        to->dense[i * s] = to->b[i]; /* so that the motion within the step ends exactly where the step does */
    }
}

/* It differs from b by a multiple of the only vector that
 * is orthogonal to all polynomials of degree s - 2 in c, v_j = 1 / prod_k (c_j - c_k). Leaving out another stage would
 * only scale the difference; for Radau and Lobatto none scales it smaller than the last. */
void draft_embed(draft *d) {
    const int s = d->s;
    for (int j = 0; j < s - 1; j++) {
        long double ratio = -1; /* v_j / v_s */
        for (int k = 0; k < s - 1; k++)
            if (k != j) ratio *= (d->c[s - 1] - d->c[k]) / (d->c[j] - d->c[k]);
        d->b_embedded[j] = d->b[j] - d->b[s - 1] * ratio;
    }
    d->b_embedded[s - 1] = 0;
}

void draft_collocate(draft *d) {
    const int s = d->s;
    polynomial_lagrange(s, d->c, d->dense);
    for (int j = 0; j < s; j++) d->b[j] = d->dense[j * s];
    for (int i = 0; i < s; i++) {
        long double integrals[TABLEAU_S_MAX];
        polynomial_legendre_integrals(s, d->c[i], integrals);
        for (int j = 0; j < s; j++) {
            long double sum = 0;
            for (int k = 0; k < s; k++) sum += d->dense[j * s + k] * integrals[k];
            d->A[i * s + j] = sum;
        }
    }
}

zn_status draft_check_stages(zn_context *context, const char *name, int s, int least) {
    if (s >= least && s <= TABLEAU_S_MAX) return ZN_OK;
    return fail(context, ZN_ERROR_ARGUMENT, "%s has %d to %d stages, not %d", name, least, TABLEAU_S_MAX, s);
}

void tableau_dense(const tableau *method, double x, double *weights) {
    const int s = method->s;
    long double integrals[TABLEAU_S_MAX];
    polynomial_legendre_integrals(s, x, integrals);
    for (int j = 0; j < s; j++) {
        long double sum = 0;
        for (int k = 0; k < s; k++) sum += method->dense[j * s + k] * integrals[k];
        weights[j] = (double)sum;
    }
}

bool tableau_error_weights(const tableau *method, double *weights) {
    if (!method->has_embedded) return false;
    for (int j = 0; j < method->s; j++) weights[j] = method->b[j] - method->b_embedded[j];
    return true;
}
