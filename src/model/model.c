/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of models share: names of rows, destruction. */
#include "model/model.h"

#include <stdio.h>

void zn_model_destroy(zn_context *context, zn_model *model) {
    if (!model) return;
    mem_free(context, (void *)(uintptr_t)model->drawing);
    model->destroy(context, model);
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
