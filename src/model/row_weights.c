/* SPDX-License-Identifier: Apache-2.0 */
#include "model/row_weights.h"

static const double dominated = 1e-14; /* relative to a coordinate's share in a row: less in all others comes from inexact numbers */

void row_mobilities(const zn_model *model, const double *M, double *inverse) {
    const zn_pattern *p = &model->pattern.M;
    for (int j = 0; j < model->size.nu; j++) {
        inverse[j] = 1;
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->index[k] == j && M[k] > 0) inverse[j] = 1 / M[k];
    }
}

void row_weights(const zn_model *model, const double *W, const double *mobility, double *inverse) {
    const zn_pattern *w = &model->pattern.W;
    memcpy(inverse, mobility, (size_t)model->size.nu * sizeof *inverse);
    for (int j = 0; j < model_row_N(model); j++) {
        double before = 0; /* sums from both sides: a difference would lose small ones */
        for (int k = w->start[j]; k < w->start[j + 1]; k++) {
            double own = W[k] * W[k], share = own * mobility[w->index[k]], others = before;
            for (int m = k + 1; others < share && m < w->start[j + 1]; m++) others += W[m] * W[m] * mobility[w->index[m]];
            double *least = &inverse[w->index[k]];
            if (others > dominated * share && others < *least * own) *least = others / own;
            before += share;
        }
    }
}

void row_sizes(const zn_model *model, const double *W, const double *inverse, double *size) {
    const zn_pattern *w = &model->pattern.W;
    for (int j = 0; j < model_row_N(model); j++) {
        double sum = 0;
        for (int k = w->start[j]; k < w->start[j + 1]; k++) sum += W[k] * W[k] * inverse[w->index[k]];
        size[j] = sqrt(sum);
    }
}
