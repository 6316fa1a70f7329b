/* SPDX-License-Identifier: Apache-2.0 */
/* The multipliers of the stage inclusions where the friction law may be staged. Row after row of lambda, stages i, k:
 *
 *   mu = D0 + (A x 1) dPi       rows 1 .. ny,  friction rows of contacts in the trial set: mu = dPi
 *   mu_R,i = DPi_N,i            further rows, the radii;       of contacts in the trial set: mu_R,i = dPi_N,i
 *
 * Every column has all m rows of its kind (and the m radii), so that only values change. */
#include "scheme/projected_stages.h"

/* Contacts of the trial set are held closed, and the test looks at the percussions afterwards: with the nodes of Lobatto IIIC
 * the first DPi_N is zero and round-off would decide. Added to mu_N (rho times a length), this moves only the point where the law
 * switches. */
static const double HELD_LENGTH = 1e-2;

zn_status stages_make_law(stages *s) {
    int m = s->m, nc = s->nc, nN = s->model->size.nN, ny = m * nc, entries = m * ny + m * m * nN, a = 0;
    s->A_pattern = (lin_pattern){.start = MEM_ARRAY(s->context, int, ny + 1), .index = MEM_ARRAY(s->context, int, entries)};
    s->A_values = MEM_ARRAY(s->context, double, entries);
    if (!s->A_pattern.start || !s->A_pattern.index || !s->A_values) return ZN_ERROR_MEMORY;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < nc; j++) {
            for (int i = 0; i < m; i++) s->A_pattern.index[a++] = i * nc + j;
            for (int i = 0; j < nN && i < m; i++) s->A_pattern.index[a++] = ny + i * nN + j;
            s->A_pattern.start[k * nc + j + 1] = a;
        }
    s->problem.A = s->A_pattern.p = (zn_pattern){s->problem.nmu, ny, s->A_pattern.start, s->A_pattern.index};
    s->problem.A_values = s->A_values;
    return ZN_OK;
}

/* Column k of row j: the coefficients a_ik, or those of the unit matrix. */
static void set_column(stages *s, int k, int j, int offset, bool staged) {
    double *values = s->A_values + s->A_pattern.start[k * s->nc + j] + offset;
    for (int i = 0; i < s->m; i++) values[i] = staged ? i == k : s->A[i * s->m + k];
}

void stages_set_law(stages *s) {
    const zn_model *model = s->model;
    int m = s->m, nc = s->nc, nN = model->size.nN, n_contacts = model->size.n_contacts;
    memcpy(s->mu_0, s->D0, (size_t)(m * nc) * sizeof *s->mu_0);
    for (int c = 0; c < n_contacts; c++) {
        const zn_contact *contact = &model->contacts[c];
        bool staged = s->trial[c];
        int N = contact->row_N - s->nb, first = contact->row_F - s->nb;
        for (int k = 0; k < m; k++) {
            if (contact->row_N >= 0) {
                set_column(s, k, N, 0, false);
                set_column(s, k, N, m, staged);
                s->mu_0[m * nc + k * nN + N] = staged ? 0 : s->D0[k * nc + N];
                if (staged) s->mu_0[k * nc + N] += s->rho[k * nc + N] * HELD_LENGTH;
            } else if (staged) s->cones[k * n_contacts + c].reservoir = contact->normal_force * s->h;
            for (int j = first; j < first + contact->nF; j++) {
                set_column(s, k, j, 0, staged);
                if (staged) s->mu_0[k * nc + j] = 0;
            }
        }
    }
}
