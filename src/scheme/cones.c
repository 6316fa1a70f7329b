/* SPDX-License-Identifier: Apache-2.0 */
/* The cones of a model's contacts on one level, and patterns that schemes cut out of the model's. */
#include "scheme/cones.h"

cone_settings scheme_solver_settings(const zn_settings *settings) {
    cone_settings chosen = cone_settings_default();
    chosen.solver = settings->solver;
    chosen.tolerance = settings->tolerance;
    chosen.contradiction = settings->contradiction;
    chosen.threads = settings->threads;
    return chosen;
}

void scheme_cones(const zn_model *model, int shift, cone *cones) {
    int first = model_row_N(model) - shift;
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        int normal = contact->row_N >= 0 ? contact->row_N - first : -1, friction = contact->row_F - first;
        cones[k] = (cone){.psi_N = normal,
                          .mu_N = normal,
                          .psi_F = friction,
                          .mu_F = friction,
                          .n_balls = contact->n_balls,
                          .balls = contact->balls,
                          .mu_R = normal,
                          .reservoir = contact->normal_force,
                          .gate_kind = CONE_ALWAYS,
                          .gate = -1,
                          .stick_of = -1,
                          .psi_D = -1};
    }
}

void scheme_freeze(const cone_frozen *modes, int n_contacts, int levels, cone *cones) {
    for (int i = 0; i < levels * n_contacts; i++) cones[i].frozen = modes ? &modes[i % n_contacts] : NULL;
}

bool scheme_is_free(const zn_model *model, const cone_frozen *modes) {
    if (!modes || model_row_N(model) > 0) return false;
    for (int k = 0; k < model->size.n_contacts; k++)
        if (modes[k].normal != CONE_OPEN) return false;
    return true;
}

bool scheme_may_turn(const zn_contact *contact, const cone_frozen *mode) {
    for (int b = 0; mode->normal == CONE_CLOSED && b < contact->n_balls; b++)
        if (contact->balls[b].dim > 1 && mode->ball[b] == CONE_SLIP) return true;
    return false;
}

zn_status scheme_pattern_columns(zn_context *context, const zn_pattern *p, int first, int count, lin_pattern *out) {
    int offset = p->start[first], entries = p->start[first + count] - offset;
    *out = (lin_pattern){.start = MEM_ARRAY(context, int, count + 1), .index = MEM_ARRAY(context, int, entries)};
    out->p = (zn_pattern){p->rows, count, out->start, out->index};
    if (!out->start || !out->index) return ZN_ERROR_MEMORY;
    for (int j = 0; j <= count; j++) out->start[j] = p->start[first + j] - offset;
    memcpy(out->index, p->index + offset, (size_t)entries * sizeof *out->index);
    return ZN_OK;
}

zn_status scheme_pattern_transposed(zn_context *context, const zn_pattern *p, int cols, lin_pattern *out, int **place) {
    int entries = lin_nnz(p);
    int *row = MEM_ARRAY(context, int, entries), *col = MEM_ARRAY(context, int, entries);
    *place = MEM_ARRAY(context, int, entries);
    zn_status status = row && col && *place ? ZN_OK : ZN_ERROR_MEMORY;
    if (status == ZN_OK) {
        for (int j = 0; j < p->cols; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) row[k] = j, col[k] = p->index[k];
        status = lin_pattern_create(context, p->cols, cols, entries, row, col, out, *place);
    }
    mem_free(context, row);
    mem_free(context, col);
    return status;
}
