/* SPDX-License-Identifier: Apache-2.0 */
/* A model from parts, and how it looks: the pieces of the builder, those that give the poses of its view, and the drawing. */
#include "base/handle.h"
#include "view/picture.h"

/* Poses of the view are pieces of this model only: the builder may build again. */
zn_status zn_parts_build(zn_parts *parts, zn_model **model) {
    NEED_HANDLE(parts, HANDLE_PARTS);
    NEED(parts->context, model);
    *model = NULL;
    size_t own = parts->n_pieces;
    zn_status status = parts->has_view ? parts_add_poses(parts) : ZN_OK;
    if (status == ZN_OK) status = parts_build(parts, model);
    if (status == ZN_OK && parts->has_view) status = parts_set_drawing(parts, *model);
    parts_drop_pieces(parts, own);
    if (status != ZN_OK && *model) {
        model_free(parts->context, *model);
        *model = NULL;
    }
    return status;
}
