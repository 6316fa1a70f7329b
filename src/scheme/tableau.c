/* SPDX-License-Identifier: Apache-2.0 */
/* The tableaux of docs/theory/runge-kutta.md. Nodes are roots of Jacobi polynomials, coefficients integrals of
 * Lagrange's basis:
 *
 *     C(s):  a_ij = integral from 0 to c_i of l_j        (Radau IIA, Lobatto IIIA)
 *     B(s):  b_j  = integral from 0 to 1 of l_j
 *
 * and the other two Lobatto families follow from IIIA. All of it runs in long double and is rounded once. */
#include "scheme/tableau.h"

#include "base/base.h"
#include "scheme/tableau_polynomial.h"

/* A tableau before it is rounded. */
typedef struct draft {
    int s;
    long double A[TABLEAU_S_MAX * TABLEAU_S_MAX];
    long double Ah[TABLEAU_S_MAX * TABLEAU_S_MAX];
    long double b[TABLEAU_S_MAX], c[TABLEAU_S_MAX];
    long double b_embedded[TABLEAU_S_MAX];
    long double dense[TABLEAU_S_MAX * TABLEAU_S_MAX];
} draft;

static void round_draft(const draft *from, tableau *to) {
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
        to->dense[i * s] = to->b[i];   /* so that the motion within the step ends exactly where the step does */
    }
}

/* Quadrature through all stages but the last, so of order s - 1. It differs from b by a multiple of the only vector that
 * is orthogonal to all polynomials of degree s - 2 in c, v_j = 1 / prod_k (c_j - c_k). Leaving out another stage would
 * only scale the difference; for Radau and Lobatto none scales it smaller than the last. */
static void embed_without_last_stage(draft *d) {
    const int s = d->s;
    for (int j = 0; j < s - 1; j++) {
        long double ratio = -1;   /* v_j / v_s */
        for (int k = 0; k < s - 1; k++)
            if (k != j) ratio *= (d->c[s - 1] - d->c[k]) / (d->c[j] - d->c[k]);
        d->b_embedded[j] = d->b[j] - d->b[s - 1] * ratio;
    }
    d->b_embedded[s - 1] = 0;
}

/* Fills dense, b and A from the nodes. The last node is 1, so the last row of A is b. */
static void collocate(draft *d) {
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

static zn_status check_stages(zn_context *context, const char *name, int s, int least) {
    if (s >= least && s <= TABLEAU_S_MAX) return ZN_OK;
    return fail(context, ZN_ARGUMENT, "%s has %d to %d stages, not %d", name, least, TABLEAU_S_MAX, s);
}

/* Nodes: roots of d^{s-1}/dc^{s-1} [c^{s-1} (c-1)^s] (002: 4.38), which is (c - 1) times a Jacobi polynomial of 2c - 1. */
zn_status tableau_radau_2a(zn_context *context, int s, tableau *result) {
    const zn_status status = check_stages(context, "Radau IIA", s, 1);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    polynomial_jacobi_roots(s - 1, 1, 0, d.c);
    for (int i = 0; i < s - 1; i++) d.c[i] = (1 + d.c[i]) / 2;
    d.c[s - 1] = 1;
    collocate(&d);
    embed_without_last_stage(&d);
    *result = (tableau){.name = "Radau IIA", .order = 2 * s - 1, .has_embedded = s > 1, .embedded_order = s - 1,
                        .diagonally_implicit = s == 1, .stiffly_accurate = true};
    round_draft(&d, result);
    return ZN_OK;
}

/* Lobatto IIIA of s >= 2 stages. Nodes: roots of d^{s-2}/dc^{s-2} [c^{s-1} (c-1)^{s-1}] (002: 4.41). With y = 2c - 1 the
 * weights are b_j = 1 / (s (s-1) P_{s-1}(y_j)^2), and v_j of embed_without_last_stage is a multiple of 1 / P_{s-1}(y_j),
 * returned as v_j / v_1 in `alternating`. Both are mirrored, so that the symmetry of the family is exact, and with it the
 * zeros that follow from it: the embedded weights of an odd s leave out the first stage too. */
static void lobatto_3a(draft *d, long double *alternating) {
    const int s = d->s;
    const int sign = s % 2 == 1 ? 1 : -1;   /* P_{s-1}(-1) */
    long double interior[TABLEAU_S_MAX];
    polynomial_jacobi_roots(s - 2, 1, 1, interior);
    d->c[0] = 0;
    d->c[s - 1] = 1;
    for (int i = 1; i < s - 1; i++) d->c[i] = (1 + interior[i - 1]) / 2;
    collocate(d);
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
zn_status tableau_lobatto_3c(zn_context *context, int s, tableau *result) {
    const zn_status status = check_stages(context, "Lobatto IIIC", s, 2);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    long double alternating[TABLEAU_S_MAX];
    lobatto_3a(&d, alternating);
    for (int i = 0; i < s; i++) {
        const long double defect = d.b[0] - d.A[i * s];
        for (int j = 1; j < s; j++) d.A[i * s + j] += defect * alternating[j];
        d.A[i * s] = d.b[0];
    }
    *result = (tableau){.name = "Lobatto IIIC", .order = 2 * s - 2, .has_embedded = true, .embedded_order = s - 1,
                        .stiffly_accurate = true};
    round_draft(&d, result);
    mirror_rounded_nodes(result);
    return ZN_OK;
}

/* ah_ij = b_j - b_j a_ji / b_i (002: 5.11b), in the form whose last column is exactly zero and whose first is exactly
 * b_1. */
zn_status tableau_lobatto_3a3b(zn_context *context, int s, tableau *result) {
    const zn_status status = check_stages(context, "Lobatto IIIA-IIIB", s, 2);
    if (status != ZN_OK) return status;
    draft d = {.s = s};
    long double alternating[TABLEAU_S_MAX];
    lobatto_3a(&d, alternating);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            d.Ah[i * s + j] = j == 0 ? d.b[0] : d.b[j] * (d.b[i] - d.A[j * s + i]) / d.b[i];
    *result = (tableau){.name = "Lobatto IIIA-IIIB", .order = 2 * s - 2, .has_embedded = true, .embedded_order = s - 1,
                        .partitioned = true, .explicit_first = true, .stiffly_accurate = true};
    round_draft(&d, result);
    mirror_rounded_nodes(result);
    return ZN_OK;
}

/* Stages on and below the diagonal are given; b is their last row and the quadrature of order s through their nodes. */
static void finish_sdirk(draft *d, const char *name, tableau *result) {
    const int s = d->s;
    for (int j = 0; j < s; j++) d->b[j] = d->A[(s - 1) * s + j];
    polynomial_lagrange(s, d->c, d->dense);
    embed_without_last_stage(d);
    *result = (tableau){.name = name, .order = s, .has_embedded = true, .embedded_order = s - 1, .diagonally_implicit = true,
                        .stiffly_accurate = true};
    round_draft(d, result);
}

/* alpha: the root of alpha^2 - 2 alpha + 1/2 below 1, in the form without cancellation. */
void tableau_sdirk2(tableau *result) {
    const long double alpha = 1 / (2 + sqrtl(2));
    draft d = {.s = 2, .A = {alpha, 0, 1 - alpha, alpha}, .c = {alpha, 1}};
    finish_sdirk(&d, "SDIRK2", result);
}

/* beta: the root of beta^3 - 3 beta^2 + 3/2 beta - 1/6 in (1/6, 1/2). */
void tableau_sdirk3(tableau *result) {
    long double beta = 0.4L;
    for (int i = 0; i < 8; i++)   /* Newton's errors: 4e-2, 5e-3, 9e-5, 2e-8, 2e-15, then rounding */
        beta -= (((beta - 3) * beta + 1.5L) * beta - 1 / 6.0L) / ((3 * beta - 6) * beta + 1.5L);
    const long double a_32 = ((6 * beta - 20) * beta + 5) / 4;
    draft d = {.s = 3,
               .A = {beta, 0, 0, (1 - beta) / 2, beta, 0, 1 - a_32 - beta, a_32, beta},
               .c = {beta, (1 + beta) / 2, 1}};
    finish_sdirk(&d, "SDIRK3", result);
}

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
    *result = (tableau){.name = name, .order = 2, .has_embedded = true, .embedded_order = 3, .explicit_first = true,
                        .diagonally_implicit = true, .stiffly_accurate = true};
    round_draft(&d, result);
}

zn_status tableau_tr_theta(zn_context *context, double rho, tableau *result) {
    if (!(rho >= 0 && rho <= 1))
        return fail(context, ZN_ARGUMENT, "TR-theta needs a damping at infinity rho from 0 to 1, not %g", rho);
    tr_theta("TR-theta", rho, result);
    return ZN_OK;
}

void tableau_tr_bdf2(tableau *result) { tr_theta("TR-BDF2", 0, result); }

void tableau_trx2(tableau *result) { tr_theta("TRX2", 1, result); }

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
