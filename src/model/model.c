/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of models share: names of rows, destruction. */
#include "model/model.h"

#include "base/handle.h"
#include "linalg/linalg.h"

#include <stdio.h>

zn_status model_check(zn_context *context, const zn_model *model, const char *function) {
    if (!model) return fail(context, ZN_ERROR_ARGUMENT, "%s: 'model' must not be NULL", function);
    if (model_is_good(model)) return ZN_OK;
    return fail(context, ZN_ERROR_ARGUMENT, "%s: the model was destroyed before, or was never created", function);
}

static void release(zn_context *context, zn_model *model) {
    mem_free(context, (void *)(uintptr_t)model->drawing);
    model->destroy(context, model);
}

void model_free(zn_context *context, zn_model *model) {
    if (!model) return;
    release(context, model);
    mem_free(context, model);
}

void zn_model_destroy(zn_context *context, zn_model *model) {
    if (!context || !model || model_check(context, model, __func__) != ZN_OK) return;
    release(context, model);
    memset(model, 0, sizeof *model);
    mem_retire(context, model);
}

int model_ask_both(const zn_model *model, void *work, const zn_point *at, zn_balance *balance, zn_constraints *constraints) {
    double *W = model->forces_along_rows && constraints->c1_u ? balance->W : NULL;
    if (W) balance->W = NULL;
    if (model->balance(model, work, at, balance) || model->constraints(model, work, at, constraints)) return 1;
    size_t count = W ? (size_t)lin_nnz(&model->pattern.W) : 0;
    if (count) memcpy(W, constraints->c1_u, count * sizeof *W);
    return 0;
}

int model_row_contact(const zn_model *model, int row) {
    for (int k = 0; k < model->size.n_contacts; k++) {
        const zn_contact *contact = &model->contacts[k];
        if (row == contact->row_N || (row >= contact->row_F && row < contact->row_F + contact->nF)) return k;
    }
    return -1;
}

const char *model_row_text(const zn_model *model, int row, char *text, size_t room) {
    int k = model_row_contact(model, row);
    if (row < model_row_N(model)) snprintf(text, room, "the constraint '%s'", model->bilateral_names[row]);
    else if (k < 0) snprintf(text, room, "row %d", row);
    else if (row == model->contacts[k].row_N) snprintf(text, room, "the gap of '%s'", model->contacts[k].name);
    else snprintf(text, room, "the slip velocity %d of '%s'", row - model->contacts[k].row_F + 1, model->contacts[k].name);
    return text;
}

zn_status zn_model_set_drawing(zn_context *context, zn_model *model, const char *json) {
    NEED_CONTEXT(context);
    zn_status status = model_check(context, model, __func__);
    if (status != ZN_OK) return status;
    char *copy = json ? mem_text(context, json) : NULL;
    if (json && !copy) return ZN_ERROR_MEMORY;
    mem_free(context, (void *)(uintptr_t)model->drawing);
    model->drawing = copy;
    return ZN_OK;
}
